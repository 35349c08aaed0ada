"""Wrong answers to `gradients`, which its bank does not have, as in `attention`."""


# attention_backward


@wrong_answer(step="attention_backward", named="scale_of_the_examples truncated")
def root_cut(Q, K, V, d_output):
    """The root is cut to a whole number."""
    scale = int(np.sqrt(Q.shape[-1]))
    weights = softmax(Q @ K.swapaxes(-1, -2) / scale)
    d_scores = softmax_backward(weights, d_output @ V.swapaxes(-1, -2)) / scale
    return d_scores @ K, d_scores.swapaxes(-1, -2) @ Q, weights.swapaxes(-1, -2) @ d_output

"""Wrong answers to `gradients`, which its bank does not have, as in `attention`."""


# attention_backward


@wrong_answer(step="attention_backward", named="scale_of_the_examples truncated")
def root_cut(Q, K, V, d_output):
    """The root is cut to a whole number."""
    scale = int(np.sqrt(Q.shape[-1]))
    weights = softmax(Q @ K.swapaxes(-1, -2) / scale)
    d_scores = softmax_backward(weights, d_output @ V.swapaxes(-1, -2)) / scale
    return d_scores @ K, d_scores.swapaxes(-1, -2) @ Q, weights.swapaxes(-1, -2) @ d_output


@wrong_answer(step="attention_backward", named="one_for_all")
def attention_backward_one_average(Q, K, V, d_output):
    """Breaks: each row has its own average (one number for the whole slice)."""
    root = np.sqrt(Q.shape[-1])
    weights = softmax(attention_scores(Q, K) / root)
    d_weights = d_output @ V.swapaxes(-1, -2)
    average = (weights * d_weights).sum(axis=(-1, -2), keepdims=True) / Q.shape[-2]
    d_scores = weights * (d_weights - average) / root
    return d_scores @ K, d_scores.swapaxes(-1, -2) @ Q, weights.swapaxes(-1, -2) @ d_output


@wrong_answer(step="split_heads_backward", named="wrong_with_more_axes")
def split_backward_one_leading_axis(d_heads):
    """Breaks: any number of leading axes."""
    if d_heads.ndim == 3:
        return np.hstack(list(d_heads))
    return np.stack([np.hstack(list(heads)) for heads in d_heads])


@wrong_answer(step="split_heads_backward", named="axis_missing")
def split_backward_squeezed(d_heads):
    """Breaks: shape (..., n, num_heads * d_head), also for a batch of one or one token."""
    moved = np.moveaxis(d_heads, -3, -2)
    return moved.reshape(*moved.shape[:-2], -1).squeeze()


@wrong_answer(step="softmax_backward", named="factor_twice")
def weights_twice_in_the_average(weights, d_weights):
    """The weights are squared in the average."""
    return weights * (d_weights - (weights * weights * d_weights).sum(axis=-1, keepdims=True))


@wrong_answer(step="softmax_backward", named="not_subtracted")
def average_alone(weights, d_weights):
    """Only the second term of the derivative."""
    return -weights * (weights * d_weights).sum(axis=-1, keepdims=True)

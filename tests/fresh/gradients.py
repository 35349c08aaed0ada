"""Answers to `gradients`, written from the students' notebook alone, before any check or hint was mended for them.

The docstring says what is wrong. ``autograder prove gradients --answers tests/fresh/gradients.py`` grades them.
"""


@wrong_answer(step="softmax_backward", named="one_average_for_all_rows")
def total_over_everything(weights, d_weights):
    """What is common is summed over all rows."""
    return weights * (d_weights - (weights * d_weights).sum())


@wrong_answer(step="softmax_backward", named="own_weight_only")
def each_weight_by_itself(weights, d_weights):
    """w (1 - w), as if the weights did not depend on each other."""
    return weights * (1 - weights) * d_weights


@wrong_answer(step="softmax_backward", named="plain_mean")
def mean_taken_off(weights, d_weights):
    """The plain mean of the gradient, not the weighted one."""
    return weights * (d_weights - d_weights.mean(axis=-1, keepdims=True))


@wrong_answer(step="attention_backward", named="scaled_by_the_length_of_values")
def scaled_by_the_values(Q, K, V, d_output):
    """The root of d_v."""
    scale = np.sqrt(V.shape[-1])
    weights = softmax(Q @ K.swapaxes(-1, -2) / scale)
    d_weights = d_output @ V.swapaxes(-1, -2)
    d_scores = softmax_backward(weights, d_weights) / scale
    return d_scores @ K, d_scores.swapaxes(-1, -2) @ Q, weights.swapaxes(-1, -2) @ d_output


@wrong_answer(step="attention_backward", named="root_forgotten_backwards")
def unscaled_backwards(Q, K, V, d_output):
    """Scaled forwards, and not backwards."""
    weights = softmax(Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]))
    d_scores = softmax_backward(weights, d_output @ V.swapaxes(-1, -2))
    return d_scores @ K, d_scores.swapaxes(-1, -2) @ Q, weights.swapaxes(-1, -2) @ d_output


@wrong_answer(step="attention_backward", named="softmax_skipped")
def without_softmax(Q, K, V, d_output):
    """The gradient of the weights is taken for that of the scores."""
    scale = np.sqrt(Q.shape[-1])
    weights = softmax(Q @ K.swapaxes(-1, -2) / scale)
    d_scores = d_output @ V.swapaxes(-1, -2) / scale
    return d_scores @ K, d_scores.swapaxes(-1, -2) @ Q, weights.swapaxes(-1, -2) @ d_output


@wrong_answer(step="attention_backward", named="scale_of_the_examples")
def root_cut(Q, K, V, d_output):
    """The root is cut to a whole number."""
    scale = int(np.sqrt(Q.shape[-1]))
    weights = softmax(Q @ K.swapaxes(-1, -2) / scale)
    d_scores = softmax_backward(weights, d_output @ V.swapaxes(-1, -2)) / scale
    return d_scores @ K, d_scores.swapaxes(-1, -2) @ Q, weights.swapaxes(-1, -2) @ d_output

"""A second set of answers to `gradients`, written from the students' notebook alone.

The docstring says what is wrong, or what is unusual and still right. ``autograder prove gradients --answers
tests/fresh/gradients_second.py`` grades them.
"""


@wrong_answer(step="softmax_backward")
def plain_mean(weights, d_weights):
    """The average without the weights."""
    return weights * (d_weights - d_weights.mean(axis=-1, keepdims=True))


@wrong_answer(step="softmax_backward")
def diagonal_alone(weights, d_weights):
    """Only the derivative of each weight by its own score."""
    return weights * (1 - weights) * d_weights


@wrong_answer(step="softmax_backward")
def weights_added_back(weights, d_weights):
    """Another sign in front of the average."""
    return weights * (d_weights + (weights * d_weights).sum(axis=-1, keepdims=True))


@wrong_answer(step="softmax_backward")
def average_of_all_rows(weights, d_weights):
    """One average for the whole array."""
    return weights * (d_weights - (weights * d_weights).sum())


@wrong_answer(step="softmax_backward")
def one_row_jacobian(weights, d_weights):
    """The Jacobian of a single row; for a table, that of all entries as one row."""
    w, d = np.ravel(weights), np.ravel(d_weights)
    return ((np.diag(w) - np.outer(w, w)) @ d).reshape(np.shape(weights))


@wrong_answer(step="softmax_backward")
def tables_alone(weights, d_weights):
    """A loop over rows that knows tables and rows, but no deeper stacks."""
    if weights.ndim == 1:
        return weights * (d_weights - weights @ d_weights)
    out = np.empty_like(weights)
    for i in range(weights.shape[0]):
        out[i] = weights[i] * (d_weights[i] - (weights[i] * d_weights[i]).sum(0))
    return out


@wrong_answer(step="softmax_backward")
def into_the_gradient(weights, d_weights):
    """Takes the average off d_weights itself."""
    d_weights -= (weights * d_weights).sum(axis=-1, keepdims=True)
    return weights * d_weights


@wrong_answer(step="softmax_backward")
def sum_without_its_axis(weights, d_weights):
    """Forgets keepdims."""
    return weights * (d_weights - (weights * d_weights).sum(axis=-1))


@wrong_answer(step="softmax_backward")
def weights_once_more(weights, d_weights):
    """Softmax of the weights first, as if they were scores."""
    w = softmax(weights)
    return w * (d_weights - (w * d_weights).sum(axis=-1, keepdims=True))


@wrong_answer(step="attention_backward")
def scale_forgotten(Q, K, V, d_output):
    """The way back without the root."""
    W = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = softmax_backward(W, d_output @ V.swapaxes(-1, -2))
    return d_scores @ K, d_scores.swapaxes(-1, -2) @ Q, W.swapaxes(-1, -2) @ d_output


@wrong_answer(step="attention_backward")
def scaled_forwards_only_by_k(Q, K, V, d_output):
    """Forwards without the root, backwards with it."""
    W = softmax(attention_scores(Q, K))
    d_scores = softmax_backward(W, d_output @ V.swapaxes(-1, -2)) / np.sqrt(Q.shape[-1])
    return d_scores @ K, d_scores.swapaxes(-1, -2) @ Q, W.swapaxes(-1, -2) @ d_output


@wrong_answer(step="attention_backward")
def root_of_the_values(Q, K, V, d_output):
    """Divides by the root of d_v, both ways."""
    size = V.shape[-1]
    W = softmax(scale_scores(attention_scores(Q, K), size))
    d_scores = softmax_backward(W, d_output @ V.swapaxes(-1, -2)) / np.sqrt(size)
    return d_scores @ K, d_scores.swapaxes(-1, -2) @ Q, W.swapaxes(-1, -2) @ d_output


@wrong_answer(step="attention_backward")
def scaled_once_for_both(Q, K, V, d_output):
    """The root for the queries alone."""
    W = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = softmax_backward(W, d_output @ V.swapaxes(-1, -2))
    return (
        d_scores @ K / np.sqrt(Q.shape[-1]),
        d_scores.swapaxes(-1, -2) @ Q,
        W.swapaxes(-1, -2) @ d_output,
    )


@wrong_answer(step="attention_backward")
def keys_not_turned(Q, K, V, d_output):
    """Turns the gradient of the scores only where the shapes force it."""
    W = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = softmax_backward(W, d_output @ V.swapaxes(-1, -2)) / np.sqrt(Q.shape[-1])
    turned = d_scores if d_scores.shape[-1] == d_scores.shape[-2] else d_scores.swapaxes(-1, -2)
    return d_scores @ K, turned @ Q, W.swapaxes(-1, -2) @ d_output


@wrong_answer(step="attention_backward")
def queries_and_keys_exchanged(Q, K, V, d_output):
    """Returns d_K first."""
    W = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = softmax_backward(W, d_output @ V.swapaxes(-1, -2)) / np.sqrt(Q.shape[-1])
    return d_scores.swapaxes(-1, -2) @ Q, d_scores @ K, W.swapaxes(-1, -2) @ d_output


@wrong_answer(step="attention_backward")
def through_the_scores(Q, K, V, d_output):
    """Hands the scores to the way back of softmax, instead of the weights."""
    S = scale_scores(attention_scores(Q, K), Q.shape[-1])
    W = softmax(S)
    d_scores = softmax_backward(S, d_output @ V.swapaxes(-1, -2)) / np.sqrt(Q.shape[-1])
    return d_scores @ K, d_scores.swapaxes(-1, -2) @ Q, W.swapaxes(-1, -2) @ d_output


@wrong_answer(step="attention_backward")
def weights_skipped(Q, K, V, d_output):
    """Goes from the weights straight to queries and keys, as if softmax were not there."""
    W = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_weights = d_output @ V.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    return d_weights @ K, d_weights.swapaxes(-1, -2) @ Q, W.swapaxes(-1, -2) @ d_output


@wrong_answer(step="attention_backward")
def own_exponentials(Q, K, V, d_output):
    """Writes softmax again, without a shift."""
    e = np.exp(Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]))
    W = e / e.sum(-1, keepdims=True)
    d_scores = softmax_backward(W, d_output @ V.swapaxes(-1, -2)) / np.sqrt(Q.shape[-1])
    return d_scores @ K, d_scores.swapaxes(-1, -2) @ Q, W.swapaxes(-1, -2) @ d_output


@wrong_answer(step="attention_backward")
def turned_all_the_way(Q, K, V, d_output):
    """.T instead of the last two axes."""
    W = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = softmax_backward(W, d_output @ V.T) / np.sqrt(Q.shape[-1])
    return d_scores @ K, d_scores.T @ Q, W.T @ d_output


@wrong_answer(step="attention_backward")
def output_handed_back(Q, K, V, d_output):
    """The values get the weights, without the gradient from behind summed in: V where d_output belongs."""
    W = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = softmax_backward(W, d_output @ V.swapaxes(-1, -2)) / np.sqrt(Q.shape[-1])
    return d_scores @ K, d_scores.swapaxes(-1, -2) @ Q, W.swapaxes(-1, -2) @ (W @ V)


@wrong_answer(step="attention_backward")
def averaged_over_the_queries(Q, K, V, d_output):
    """Divides what keys and values collect by the number of queries."""
    n = Q.shape[-2]
    W = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = softmax_backward(W, d_output @ V.swapaxes(-1, -2)) / np.sqrt(Q.shape[-1])
    return d_scores @ K, d_scores.swapaxes(-1, -2) @ Q / n, W.swapaxes(-1, -2) @ d_output / n


@wrong_answer(step="attention_backward")
def half_a_difference(Q, K, V, d_output):
    """Measured by one-sided differences, with a step of a thousandth."""

    def loss(q, k, v):
        return (scaled_dot_product_attention(q, k, v)[0] * d_output).sum()

    parts, step = [np.array(part, dtype=float) for part in (Q, K, V)], 1e-3
    start, gradients = loss(*parts), []
    for part in parts:
        gradient = np.zeros(part.shape)
        for index in np.ndindex(part.shape):
            part[index] += step
            gradient[index] = (loss(*parts) - start) / step
            part[index] -= step
        gradients.append(gradient)
    return tuple(gradients)


@right_answer(step="softmax_backward")
def whole_jacobian(weights, d_weights):
    """The Jacobian of every row, diag(w) - w w^T."""
    J = (
        weights[..., None] * np.eye(weights.shape[-1])
        - weights[..., :, None] * weights[..., None, :]
    )
    return np.einsum("...ij,...j->...i", J, d_weights)


@right_answer(step="softmax_backward")
def pair_by_pair(weights, d_weights):
    """Sums w_i w_j (dw_i - dw_j) over all j: what one gets, another loses."""
    gaps = d_weights[..., :, None] - d_weights[..., None, :]
    return (weights[..., :, None] * weights[..., None, :] * gaps).sum(axis=-1)


@right_answer(step="softmax_backward")
def product_less_its_share(weights, d_weights):
    """w dw first, less each weight's share of the total, row by row in a list."""
    rows = []
    for w, d in zip(
        weights.reshape(-1, weights.shape[-1]), d_weights.reshape(-1, weights.shape[-1])
    ):
        pushed = w * d
        rows.append(pushed - w * sum(pushed))
    return np.array(rows).reshape(weights.shape)


@right_answer(step="softmax_backward")
def through_logarithms(weights, d_weights):
    """Takes the scores back from the weights, -inf for 0, and measures. (Written as wrong; it is right.)"""
    scores = np.log(weights)
    out = np.zeros_like(weights)
    for j in range(weights.shape[-1]):
        for sign in (1, -1):
            moved = scores.copy()
            moved[..., j] += sign * 1e-5
            e = np.exp(moved)
            out[..., j] += sign * ((e / e.sum(-1, keepdims=True)) * d_weights).sum(-1) / 2e-5
    return out


@right_answer(step="attention_backward")
def with_einsum(Q, K, V, d_output):
    """Letters for every axis; the root goes onto queries and keys."""
    root = Q.shape[-1] ** 0.5
    W = softmax(np.einsum("...qd,...kd->...qk", Q / root, K))
    d_W = np.einsum("...qv,...kv->...qk", d_output, V)
    d_S = W * (d_W - np.einsum("...qk,...qk->...q", W, d_W)[..., None])
    d_Q = np.einsum("...qk,...kd->...qd", d_S, K / root)
    return [
        d_Q,
        np.einsum("...qk,...qd->...kd", d_S, Q / root),
        np.einsum("...qk,...qv->...kv", W, d_output),
    ]


@right_answer(step="attention_backward")
def output_instead_of_the_average(Q, K, V, d_output):
    """The average of d_weights is d_output times the output, as in flash attention."""
    output, W = scaled_dot_product_attention(Q, K, V)
    average = (d_output * output).sum(axis=-1, keepdims=True)
    d_S = W * (d_output @ V.swapaxes(-1, -2) - average) / np.sqrt(Q.shape[-1])
    return d_S @ K, d_S.swapaxes(-1, -2) @ Q, W.swapaxes(-1, -2) @ d_output

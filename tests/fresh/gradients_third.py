"""A third set of answers to `gradients`, written from the students' notebook alone.

The docstring says what is wrong, or what is unusual and still right. ``autograder prove gradients --answers
tests/fresh/gradients_third.py`` grades them.
"""


@wrong_answer(step="softmax_backward")
def diagonal_alone(weights, d_weights):
    """Each score acts on its own weight only."""
    return weights * (1 - weights) * d_weights


@wrong_answer(step="softmax_backward")
def plain_average(weights, d_weights):
    """The average is not weighted."""
    return weights * (d_weights - d_weights.mean(axis=-1, keepdims=True))


@wrong_answer(step="softmax_backward")
def sum_without_weights(weights, d_weights):
    """Adds up the opinions without their weights."""
    return weights * (d_weights - d_weights.sum(axis=-1, keepdims=True))


@wrong_answer(step="softmax_backward")
def sum_of_everything(weights, d_weights):
    """One sum for the whole array."""
    return weights * (d_weights - np.sum(weights * d_weights))


@wrong_answer(step="softmax_backward")
def sum_down_the_columns(weights, d_weights):
    """Sums over the first axis."""
    return weights * (d_weights - (weights * d_weights).sum(axis=0, keepdims=True))


@wrong_answer(step="softmax_backward")
def lost_axis(weights, d_weights):
    """The sum lost its axis."""
    return weights * (d_weights - (weights * d_weights).sum(axis=-1))


@wrong_answer(step="softmax_backward")
def not_in_proportion(weights, d_weights):
    """Better than average, but not in proportion to the weight."""
    return d_weights - (weights * d_weights).sum(axis=-1, keepdims=True)


@wrong_answer(step="softmax_backward")
def worse_than_average(weights, d_weights):
    """The sign is wrong."""
    return weights * ((weights * d_weights).sum(axis=-1, keepdims=True) - d_weights)


@wrong_answer(step="softmax_backward")
def opinions_changed(weights, d_weights):
    """Takes the average off the caller's array."""
    d_weights -= (weights * d_weights).sum(axis=-1, keepdims=True)
    return weights * d_weights


@wrong_answer(step="softmax_backward")
def softmax_once_more(weights, d_weights):
    """Takes the weights for scores."""
    w = softmax(weights)
    return w * (d_weights - (w * d_weights).sum(axis=-1, keepdims=True))


@wrong_answer(step="softmax_backward")
def mended_to_sum_to_zero(weights, d_weights):
    """Takes a plain mean off so that the rows sum to 0."""
    d = weights * d_weights
    return d - d.mean(axis=-1, keepdims=True)


@wrong_answer(step="softmax_backward")
def jacobian_of_two_axes(weights, d_weights):
    """A matrix for each row of a table; other numbers of axes fail."""
    out = np.zeros_like(weights)
    for i in range(weights.shape[0]):
        w = weights[i]
        out[i] = (np.diag(w) - np.outer(w, w)) @ d_weights[i]
    return out


@wrong_answer(step="softmax_backward")
def through_logarithms(weights, d_weights):
    """Divides by the weights, which may be 0."""
    d_log = d_weights * weights
    return (d_log / weights - d_log.sum(axis=-1, keepdims=True)) * weights


@wrong_answer(step="softmax_backward")
def plus_in_the_jacobian(weights, d_weights):
    """The sum is added."""
    return weights * (d_weights + (weights * d_weights).sum(axis=-1, keepdims=True))


@wrong_answer(step="attention_backward")
def scale_left_out(Q, K, V, d_output):
    """Forgets the factor on the way back."""
    _, weights = scaled_dot_product_attention(Q, K, V)
    d_scores = softmax_backward(weights, d_output @ V.swapaxes(-1, -2))
    return d_scores @ K, d_scores.swapaxes(-1, -2) @ Q, weights.swapaxes(-1, -2) @ d_output


@wrong_answer(step="attention_backward")
def scale_for_queries_only(Q, K, V, d_output):
    """The factor is missing in the keys' gradient."""
    _, weights = scaled_dot_product_attention(Q, K, V)
    d_scores = softmax_backward(weights, d_output @ V.swapaxes(-1, -2))
    d_Q = d_scores @ K / np.sqrt(Q.shape[-1])
    return d_Q, d_scores.swapaxes(-1, -2) @ Q, weights.swapaxes(-1, -2) @ d_output


@wrong_answer(step="attention_backward")
def divided_by_d_k(Q, K, V, d_output):
    """Divides by d_k instead of its root."""
    _, weights = scaled_dot_product_attention(Q, K, V)
    d_scores = softmax_backward(weights, d_output @ V.swapaxes(-1, -2)) / Q.shape[-1]
    return d_scores @ K, d_scores.swapaxes(-1, -2) @ Q, weights.swapaxes(-1, -2) @ d_output


@wrong_answer(step="attention_backward")
def multiplied_on_the_way_back(Q, K, V, d_output):
    """Multiplies by the root, since it is the way back."""
    _, weights = scaled_dot_product_attention(Q, K, V)
    d_scores = softmax_backward(weights, d_output @ V.swapaxes(-1, -2)) * np.sqrt(Q.shape[-1])
    return d_scores @ K, d_scores.swapaxes(-1, -2) @ Q, weights.swapaxes(-1, -2) @ d_output


@wrong_answer(step="attention_backward")
def keys_with_keys(Q, K, V, d_output):
    """The keys' gradient is made without turning the scores' one."""
    _, weights = scaled_dot_product_attention(Q, K, V)
    d_scores = softmax_backward(weights, d_output @ V.swapaxes(-1, -2)) / np.sqrt(Q.shape[-1])
    return d_scores @ K, d_scores @ Q, weights.swapaxes(-1, -2) @ d_output


@wrong_answer(step="attention_backward")
def values_not_turned(Q, K, V, d_output):
    """The weights are not transposed."""
    _, weights = scaled_dot_product_attention(Q, K, V)
    d_scores = softmax_backward(weights, d_output @ V.swapaxes(-1, -2)) / np.sqrt(Q.shape[-1])
    return d_scores @ K, d_scores.swapaxes(-1, -2) @ Q, weights @ d_output


@wrong_answer(step="attention_backward")
def returned_backwards(Q, K, V, d_output):
    """In the order in which they were computed."""
    _, weights = scaled_dot_product_attention(Q, K, V)
    d_scores = softmax_backward(weights, d_output @ V.swapaxes(-1, -2)) / np.sqrt(Q.shape[-1])
    return weights.swapaxes(-1, -2) @ d_output, d_scores.swapaxes(-1, -2) @ Q, d_scores @ K


@wrong_answer(step="attention_backward")
def all_axes_turned(Q, K, V, d_output):
    """.T turns the batch, too."""
    scale = np.sqrt(Q.shape[-1])
    weights = softmax(Q @ K.T / scale)
    d_scores = softmax_backward(weights, d_output @ V.T) / scale
    return d_scores @ K, d_scores.T @ Q, weights.T @ d_output


@wrong_answer(step="attention_backward")
def forward_overflows(Q, K, V, d_output):
    """Own softmax without taking off the largest."""
    scale = np.sqrt(Q.shape[-1])
    e = np.exp(Q @ K.swapaxes(-1, -2) / scale)
    weights = e / e.sum(axis=-1, keepdims=True)
    d_scores = softmax_backward(weights, d_output @ V.swapaxes(-1, -2)) / scale
    return d_scores @ K, d_scores.swapaxes(-1, -2) @ Q, weights.swapaxes(-1, -2) @ d_output


@wrong_answer(step="attention_backward")
def mean_over_the_queries(Q, K, V, d_output):
    """Divides by the number of queries, as a mean loss would."""
    d_output = d_output / Q.shape[-2]
    _, weights = scaled_dot_product_attention(Q, K, V)
    d_scores = softmax_backward(weights, d_output @ V.swapaxes(-1, -2)) / np.sqrt(Q.shape[-1])
    return d_scores @ K, d_scores.swapaxes(-1, -2) @ Q, weights.swapaxes(-1, -2) @ d_output


@wrong_answer(step="attention_backward")
def summed_over_the_batch(Q, K, V, d_output):
    """Adds up the gradients of all sequences, as for shared parameters."""
    _, weights = scaled_dot_product_attention(Q, K, V)
    d_scores = softmax_backward(weights, d_output @ V.swapaxes(-1, -2)) / np.sqrt(Q.shape[-1])
    parts = d_scores @ K, d_scores.swapaxes(-1, -2) @ Q, weights.swapaxes(-1, -2) @ d_output
    return tuple(part.reshape(-1, *part.shape[-2:]).sum(axis=0) for part in parts)


@wrong_answer(step="attention_backward")
def scaled_by_the_values(Q, K, V, d_output):
    """Takes the length of the values for the factor on the way back."""
    _, weights = scaled_dot_product_attention(Q, K, V)
    d_scores = softmax_backward(weights, d_output @ V.swapaxes(-1, -2)) / np.sqrt(V.shape[-1])
    return d_scores @ K, d_scores.swapaxes(-1, -2) @ Q, weights.swapaxes(-1, -2) @ d_output


@wrong_answer(step="attention_backward")
def forwards_without_scale(Q, K, V, d_output):
    """The weights come from scores that are not scaled."""
    weights = softmax(attention_scores(Q, K))
    d_scores = softmax_backward(weights, d_output @ V.swapaxes(-1, -2)) / np.sqrt(Q.shape[-1])
    return d_scores @ K, d_scores.swapaxes(-1, -2) @ Q, weights.swapaxes(-1, -2) @ d_output


@wrong_answer(step="attention_backward")
def softmax_not_passed(Q, K, V, d_output):
    """Takes the gradient of the weights for that of the scores."""
    _, weights = scaled_dot_product_attention(Q, K, V)
    d_scores = d_output @ V.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    return d_scores @ K, d_scores.swapaxes(-1, -2) @ Q, weights.swapaxes(-1, -2) @ d_output


@wrong_answer(step="attention_backward")
def measured_with_a_large_step(Q, K, V, d_output):
    """Measures with a step of a hundredth, forwards only."""

    def loss(*parts):
        return np.sum(scaled_dot_product_attention(*parts)[0] * d_output)

    start, gradients = loss(Q, K, V), []
    for which, array in enumerate((Q, K, V)):
        gradient = np.zeros(array.shape)
        for index in np.ndindex(*array.shape):
            moved = array.copy()
            moved[index] += 0.01
            parts = [Q, K, V]
            parts[which] = moved
            gradient[index] = (loss(*parts) - start) / 0.01
        gradients.append(gradient)
    return tuple(gradients)


@wrong_answer(step="attention_backward")
def upstream_ignored(Q, K, V, d_output):
    """As if the loss were the sum of the output."""
    ones = np.ones(d_output.shape)
    _, weights = scaled_dot_product_attention(Q, K, V)
    d_scores = softmax_backward(weights, ones @ V.swapaxes(-1, -2)) / np.sqrt(Q.shape[-1])
    return d_scores @ K, d_scores.swapaxes(-1, -2) @ Q, weights.swapaxes(-1, -2) @ ones


@right_answer(step="softmax_backward")
def a_matrix_for_each_row(weights, d_weights):
    """The full Jacobian of every row, by broadcasting."""
    jacobian = weights[..., :, None] * (np.eye(weights.shape[-1]) - weights[..., None, :])
    return (jacobian @ d_weights[..., None])[..., 0]


@right_answer(step="softmax_backward")
def difference_of_every_two(weights, d_weights):
    """w_i times the sum of w_j (dw_i - dw_j): rows that sum to 1."""
    gaps = np.expand_dims(d_weights, -1) - np.expand_dims(d_weights, -2)
    return weights * np.einsum("...ij,...j->...i", gaps, weights)


@right_answer(step="softmax_backward")
def row_after_row(weights, d_weights):
    """Recursion and lists."""

    def back(w, d):
        if np.ndim(w) > 1:
            return [back(*both) for both in zip(w, d)]
        average = math.fsum(a * b for a, b in zip(w, d))
        return [a * (b - average) for a, b in zip(w, d)]

    return back(weights, d_weights)


@right_answer(step="attention_backward")
def letters_for_everything(Q, K, V, d_output):
    """einsum, with the scale taken into queries and keys."""
    root = math.sqrt(math.sqrt(Q.shape[-1]))
    Q, K = Q / root, K / root
    w = softmax(np.einsum("...id,...jd->...ij", Q, K))
    d_w = np.einsum("...iv,...jv->...ij", d_output, V)
    d_s = w * (d_w - np.einsum("...ij,...ij->...i", w, d_w)[..., None])
    return [
        np.einsum("...ij,...jd->...id", d_s, K) / root,
        np.einsum("...ij,...id->...jd", d_s, Q) / root,
        np.einsum("...ij,...iv->...jv", w, d_output),
    ]


@right_answer(step="attention_backward")
def query_after_query(Q, K, V, d_output):
    """Recursion over the leading axes, then one query at a time, with sums that grow."""

    def back(Q, K, V, d_output):
        if Q.ndim > 2:
            parts = zip(*(back(*one) for one in zip(Q, K, V, d_output)))
            return [np.stack(part) for part in parts]
        d_Q, d_K, d_V = np.zeros(Q.shape), np.zeros(K.shape), np.zeros(V.shape)
        factor = Q.shape[1] ** -0.5
        for i, (q, d) in enumerate(zip(Q, d_output)):
            s = K @ q * factor
            w = np.exp(s - s.max())
            w = w / w.sum()
            d_w = V @ d
            d_s = factor * w * (d_w - w @ d_w)
            d_Q[i] = d_s @ K
            d_K += np.outer(d_s, q)
            d_V += np.outer(w, d)
        return [d_Q, d_K, d_V]

    return back(Q, K, V, d_output)


@right_answer(step="attention_backward")
def all_sequences_in_one_axis(Q, K, V, d_output):
    """Flattens the leading axes, loops over them, and gives the shape back."""
    shapes = [np.shape(part) for part in (Q, K, V)]
    flat = [np.reshape(part, (-1, *np.shape(part)[-2:])) for part in (Q, K, V, d_output)]
    gradients = [np.zeros(part.shape) for part in flat[:3]]
    for b, (q, k, v, d) in enumerate(zip(*flat)):
        w = softmax(q @ k.T / len(q[0]) ** 0.5)
        d_s = softmax_backward(w, d @ v.T) / len(q[0]) ** 0.5
        gradients[0][b], gradients[1][b], gradients[2][b] = d_s @ k, d_s.T @ q, w.T @ d
    return tuple(np.reshape(part, shape) for part, shape in zip(gradients, shapes))

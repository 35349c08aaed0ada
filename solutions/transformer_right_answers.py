"""Right answers to the transformer's parts in styles that few people choose. None of them may lose a point.

An entry stands by itself, as if handed in: it uses `np`, `math` and the functions of earlier steps, which are right.
`autograder prove transformer` tries them all, and besides them every solution in other clothes: nested lists, float32,
Fortran order, read-only views, objects that are called.
"""

import math

import numpy as np

from autograder.exercises.right_answers import right_answer


# 1. positional_encoding


@right_answer(step="positional_encoding")
def positions_with_two_loops(n_positions, d_model):
    table = []
    for p in range(n_positions):
        row = []
        for j in range(d_model):
            angle = p / 10000 ** ((j - j % 2) / d_model)
            row.append(math.cos(angle) if j % 2 else math.sin(angle))
        table.append(row)
    return table


@right_answer(step="positional_encoding")
def positions_with_logarithms(n_positions, d_model):
    encoding = np.zeros((n_positions, d_model))
    position = np.arange(n_positions).reshape(-1, 1)
    div_term = np.exp(np.arange(0, d_model, 2) * -(math.log(10000.0) / d_model))
    encoding[:, 0::2] = np.sin(position * div_term)
    encoding[:, 1::2] = np.cos(position * div_term)
    return encoding


@right_answer(step="positional_encoding")
def positions_with_complex_numbers(n_positions, d_model):
    """Sine and cosine are the two parts of one complex exponential."""
    turns = np.exp(1j * np.outer(np.arange(n_positions), 10000.0 ** -(np.arange(d_model // 2) / (d_model / 2))))
    return np.stack([turns.imag, turns.real], axis=2).reshape(n_positions, d_model)


@right_answer(step="positional_encoding")
def positions_as_shifted_sines(n_positions, d_model):
    j = np.arange(d_model)
    return np.sin(np.arange(n_positions)[:, None] / 10000 ** (j // 2 * 2 / d_model) + (j % 2) * np.pi / 2)


@right_answer(step="positional_encoding")
def positions_by_turning(n_positions, d_model):
    """Each row is the row before it, turned by a fixed angle."""
    speeds = 10000.0 ** (-2 * np.arange(d_model // 2) / d_model)
    sines, cosines = np.zeros(d_model // 2), np.ones(d_model // 2)
    rows = []
    for _ in range(n_positions):
        rows.append(np.ravel([sines, cosines], order="F"))
        sines, cosines = (
            sines * np.cos(speeds) + cosines * np.sin(speeds),
            cosines * np.cos(speeds) - sines * np.sin(speeds),
        )
    return np.stack(rows)


@right_answer(step="positional_encoding")
def positions_with_fromfunction(n_positions, d_model):
    def entry(p, j):
        angle = p / np.power(10000, (j - j % 2) / d_model)
        return np.where(j % 2 == 0, np.sin(angle), np.cos(angle))

    return np.fromfunction(entry, (n_positions, d_model))


@right_answer(step="positional_encoding")
def positions_repeated_then_masked(n_positions, d_model):
    speeds = np.repeat(1 / 10000 ** (np.arange(0, d_model, 2) / d_model), 2)
    angles = np.einsum("p,j->pj", np.arange(n_positions), speeds)
    even = np.arange(d_model) % 2 == 0
    return even * np.sin(angles) + ~even * np.cos(angles)


@right_answer(step="positional_encoding")
def positions_from_logspace(n_positions, d_model):
    angles = np.outer(np.arange(n_positions), np.logspace(0, -4 + 8 / d_model, d_model // 2))
    return np.array([np.sin(angles).T, np.cos(angles).T]).transpose(2, 1, 0).reshape(n_positions, -1)


@right_answer(step="positional_encoding")
def positions_as_nested_tuples(n_positions, d_model):
    def row(p):
        for i in range(d_model // 2):
            angle = p / math.pow(1e4, 2 * i / d_model)
            yield math.sin(angle)
            yield math.cos(angle)

    return tuple(tuple(row(p)) for p in range(n_positions))



# 2. layer_norm


@right_answer(step="layer_norm")
def norm_with_std(x, gamma, beta, eps=1e-5):
    return (x - np.mean(x, -1, keepdims=True)) / np.sqrt(np.std(x, -1, keepdims=True) ** 2 + eps) * gamma + beta


@right_answer(step="layer_norm")
def norm_from_the_mean_of_squares(x, gamma, beta, eps=1e-5):
    mean = x.mean(-1, keepdims=True)
    variance = np.maximum((x**2).mean(-1, keepdims=True) - mean**2, 0.0)
    return gamma * (x - mean) * (variance + eps) ** -0.5 + beta


@right_answer(step="layer_norm")
def norm_row_by_row(x, gamma, beta, eps=1e-5):
    out = np.empty(x.shape)
    for place in np.ndindex(*x.shape[:-1]):
        row = [float(number) for number in x[place]]
        mean = sum(row) / len(row)
        variance = sum((number - mean) ** 2 for number in row) / len(row)
        for j, number in enumerate(row):
            out[(*place, j)] = gamma[j] * (number - mean) / math.sqrt(variance + eps) + beta[j]
    return out


@right_answer(step="layer_norm")
def norm_with_apply_along_axis(x, gamma, beta, eps=1e-5):
    return np.apply_along_axis(lambda row: gamma * (row - row.mean()) / np.sqrt(row.var() + eps) + beta, -1, x)


@right_answer(step="layer_norm")
def norm_recursive_in_lists(x, gamma, beta, eps=1e-5):
    if np.ndim(x) > 1:
        return [norm_recursive_in_lists(part, gamma, beta, eps) for part in x]
    mean = math.fsum(x) / len(x)
    root = math.sqrt(math.fsum((number - mean) ** 2 for number in x) / len(x) + eps)
    return [g * (number - mean) / root + b for number, g, b in zip(x, gamma, beta)]


@right_answer(step="layer_norm")
def norm_with_a_centring_matrix(x, gamma, beta, eps=1e-5):
    """Subtracting the mean is a matrix product, too."""
    d = x.shape[-1]
    centred = x @ (np.eye(d) - np.full((d, d), 1 / d))
    return np.einsum("...j,...,j->...j", centred, 1 / np.sqrt(np.einsum("...j,...j->...", centred, centred) / d + eps), gamma) + beta


@right_answer(step="layer_norm")
def norm_in_its_own_buffer(x, gamma, beta, eps=1e-5):
    out = np.subtract(x, x.mean(axis=-1, keepdims=True))
    scale = np.square(out).mean(axis=-1, keepdims=True)
    scale += eps
    np.sqrt(scale, out=scale)
    out /= scale
    out *= gamma
    out += beta
    return out


@right_answer(step="layer_norm")
def norm_in_single_precision(x, gamma, beta, eps=1e-5):
    x = np.asarray(x, dtype=np.float32)
    centred = x - x.mean(axis=-1, keepdims=True)
    return gamma * centred / np.sqrt(np.mean(centred * centred, axis=-1, keepdims=True) + np.float32(eps)) + beta


@right_answer(step="layer_norm")
def norm_by_the_length_of_the_centred_token(x, gamma, beta, eps=1e-5):
    centred = x - x.mean(axis=-1)[..., None]
    d = x.shape[-1]
    length = np.linalg.norm(centred, axis=-1, keepdims=True)
    return beta + gamma * np.sqrt(d) * centred / np.hypot(length, math.sqrt(d * eps))


@right_answer(step="layer_norm")
def norm_turned(x, gamma, beta, eps=1e-5):
    features = np.moveaxis(x, -1, 0)
    normed = (features - features.mean(0)) / np.sqrt(features.var(0) + eps)
    return np.moveaxis(normed, 0, -1) * gamma + beta


@right_answer(step="layer_norm")
def norm_flattened(x, gamma, beta, eps=1e-5):
    flat = np.reshape(x, (-1, np.shape(x)[-1])).T
    normed = ((flat - flat.mean(axis=0)) / (flat.var(axis=0) + eps) ** 0.5).T
    return (normed * gamma[None] + beta[None]).reshape(np.shape(x))


@right_answer(step="layer_norm")
def norm_by_welford(x, gamma, beta, eps=1e-5):
    """Mean and variance come from one pass over the features (Welford's method)."""
    mean, squares = np.zeros(x.shape[:-1]), np.zeros(x.shape[:-1])
    for k in range(x.shape[-1]):
        distance = x[..., k] - mean
        mean = mean + distance / (k + 1)
        squares = squares + distance * (x[..., k] - mean)
    return (x - mean[..., None]) * (gamma / np.sqrt(squares / x.shape[-1] + eps)[..., None]) + beta


@right_answer(step="layer_norm")
def norm_with_a_signature(x, gamma, beta, eps=1e-5):
    def one(row, gain, shift):
        return gain * (row - row.mean()) / math.sqrt(row.var() + eps) + shift

    return np.vectorize(one, signature="(d),(d),(d)->(d)")(x, gamma, beta)


@right_answer(step="layer_norm")
def norm_in_long_double(x, gamma, beta, eps=1e-5):
    x = np.array(x, dtype=np.longdouble)
    x -= x.mean(axis=-1, keepdims=True)
    x /= np.sqrt(np.einsum("...d,...d->...", x, x)[..., None] / x.shape[-1] + eps)
    return x * gamma + beta


@right_answer(step="layer_norm")
def norm_as_gain_and_shift(x, gamma, beta, eps=1e-5):
    mean, scale = x.mean(axis=-1, keepdims=True), 1 / np.sqrt(x.var(axis=-1, keepdims=True) + eps)
    return x * (gamma * scale) + (beta - gamma * mean * scale)


@right_answer(step="layer_norm")
def norm_by_products_with_ones(x, gamma, beta, eps=1e-5):
    ones = np.ones((x.shape[-1], 1))
    centred = x - x @ ones / len(ones)
    return gamma * centred / np.sqrt(centred**2 @ ones / len(ones) + eps) + beta


@right_answer(step="layer_norm")
def norm_from_distances_of_pairs(x, gamma, beta, eps=1e-5):
    variance = ((x[..., :, None] - x[..., None, :]) ** 2).mean(axis=(-1, -2)) / 2
    return gamma * (x - x.mean(-1)[..., None]) / np.sqrt(variance + eps)[..., None] + beta


@right_answer(step="layer_norm")
def norm_with_the_statistics_module(x, gamma, beta, eps=1e-5):
    import statistics

    rows = []
    for row in np.reshape(x, (-1, np.shape(x)[-1])).tolist():
        mean = statistics.fmean(row)
        spread = math.sqrt(statistics.pvariance(row, mean) + eps)
        rows.append([(number - mean) / spread for number in row])
    return np.reshape(rows, np.shape(x)) * gamma + beta


@right_answer(step="layer_norm")
def norm_feature_by_feature(x, gamma, beta, eps=1e-5):
    mean, root = np.average(x, axis=-1), np.sqrt(np.var(x, axis=-1) + eps)
    return np.stack([gamma[j] * (x[..., j] - mean) / root + beta[j] for j in range(len(gamma))], axis=-1)



# 3. gelu


@right_answer(step="gelu")
def gelu_with_erfc(x):
    """1 + erf(z) is erfc(-z), which also stays exact far on the left."""
    return x * np.vectorize(math.erfc, otypes=[float])(-x / math.sqrt(2)) / 2


@right_answer(step="gelu")
def gelu_with_frompyfunc(x):
    return 0.5 * x * (1 + np.frompyfunc(math.erf, 1, 1)(x * 2**-0.5).astype(float))


@right_answer(step="gelu")
def gelu_entry_by_entry(x):
    out = np.zeros_like(x)
    for place, number in np.ndenumerate(x):
        out[place] = number * (1 + math.erf(number / math.sqrt(2))) / 2
    return out


@right_answer(step="gelu")
def gelu_with_the_normal_distribution(x):
    from statistics import NormalDist

    return np.array([number * NormalDist().cdf(number) for number in x.ravel()]).reshape(x.shape)


@right_answer(step="gelu")
def gelu_recursive_in_lists(x):
    if np.ndim(x):
        return [gelu_recursive_in_lists(part) for part in x]
    return float(x) * 0.5 * (1 + math.erf(float(x) / math.sqrt(2)))


@right_answer(step="gelu")
def gelu_with_a_rational_erf(x):
    z = np.abs(x) / np.sqrt(2)
    t = 1 / (1 + 0.3275911 * z)
    tail = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    erf = np.sign(x) * (1 - tail * np.exp(-(z**2)))
    return 0.5 * x * (1 + erf)


@right_answer(step="gelu")
def gelu_from_a_fine_table(x):
    grid = np.linspace(-8.0, 8.0, 20001)
    bell = np.exp(-(grid**2) / 2) / math.sqrt(2 * math.pi)
    shares = np.concatenate([[0.0], np.cumsum((bell[1:] + bell[:-1]) / 2 * np.diff(grid))])
    return x * np.interp(x, grid, shares)


@right_answer(step="gelu")
def gelu_from_a_series_near_zero(x):
    z = np.clip(np.asarray(x, dtype=float), -8, 8)
    total, term = z.copy(), z.copy()
    for k in range(1, 200):
        term = term * z * z / (2 * k + 1)
        total += term
    share = 0.5 + total * np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    return x * share


@right_answer(step="gelu")
def gelu_in_single_precision(x):
    x = np.float32(x)
    return x * np.float32(0.5) * (1 + np.vectorize(math.erf)(x / np.float32(2**0.5)))


@right_answer(step="gelu")
def gelu_as_relu_less_a_bump(x):
    """It is ReLU minus a small bump around 0."""
    size = np.abs(x)
    return np.maximum(x, 0) - size * np.vectorize(math.erfc)(size / math.sqrt(2)) / 2


@right_answer(step="gelu")
def gelu_from_an_iterator(x):
    return np.fromiter((v * 0.5 * math.erfc(-v / math.sqrt(2)) for v in x.flat), float, x.size).reshape(x.shape)


@right_answer(step="gelu")
def gelu_by_simpson(x):
    places, shares = np.linspace(0.0, 1.0, 1001), np.ones(1001)
    shares[1:-1:2], shares[2:-1:2] = 4, 2
    near = np.clip(x, -9.0, 9.0)
    heights = np.exp(-((near[..., None] * places) ** 2) / 2)
    return x * (0.5 + near * (heights * shares).sum(axis=-1) / 3000 / math.sqrt(2 * math.pi))


@right_answer(step="gelu")
def gelu_with_nditer(x):
    steps = np.nditer([x, None])
    for number, out in steps:
        out[...] = 0.5 * number * math.erfc(-number / 2**0.5)
    return steps.operands[1]



# 4. feed_forward


@right_answer(step="feed_forward")
def feed_with_einsum(x, W_1, b_1, W_2, b_2):
    hidden = np.einsum("...d,df->...f", x, W_1) + b_1
    return np.einsum("...f,fd->...d", np.where(hidden > 0, hidden, 0), W_2) + b_2


@right_answer(step="feed_forward")
def feed_multiplied_by_a_switch(x, W_1, b_1, W_2, b_2):
    hidden = x @ W_1 + b_1
    return hidden * (hidden > 0) @ W_2 + b_2


@right_answer(step="feed_forward")
def feed_with_the_size(x, W_1, b_1, W_2, b_2):
    hidden = x @ W_1 + b_1
    return ((hidden + abs(hidden)) / 2) @ W_2 + b_2


@right_answer(step="feed_forward")
def feed_in_place_in_its_own_arrays(x, W_1, b_1, W_2, b_2):
    hidden = np.matmul(x, W_1)
    hidden += b_1
    hidden[hidden < 0] = 0
    out = np.matmul(hidden, W_2)
    np.add(out, b_2, out=out)
    return out


@right_answer(step="feed_forward")
def feed_token_by_token(x, W_1, b_1, W_2, b_2):
    out = np.zeros((*x.shape[:-1], W_2.shape[1]))
    for place in np.ndindex(x.shape[:-1]):
        found = [max(0, sum(x[place][i] * W_1[i, f] for i in range(len(W_1))) + b_1[f]) for f in range(len(b_1))]
        out[place] = [sum(found[f] * W_2[f, j] for f in range(len(found))) + b_2[j] for j in range(len(b_2))]
    return out


@right_answer(step="feed_forward")
def feed_hidden_feature_by_hidden_feature(x, W_1, b_1, W_2, b_2):
    """Each hidden feature asks one question and adds one row of W_2."""
    out = np.broadcast_to(b_2, x.shape[:-1] + b_2.shape).astype(float)
    for question, bias, written in zip(W_1.T, b_1, W_2):
        out = out + np.maximum(x @ question + bias, 0)[..., None] * written
    return out


@right_answer(step="feed_forward")
def feed_with_the_biases_in_the_matrices(x, W_1, b_1, W_2, b_2):
    """A column of ones makes each bias one more row of its matrix."""
    ones = np.ones((*x.shape[:-1], 1))
    hidden = np.concatenate([x, ones], axis=-1) @ np.vstack([W_1, b_1])
    return np.concatenate([hidden.clip(min=0), ones], axis=-1) @ np.vstack([W_2, b_2])


@right_answer(step="feed_forward")
def feed_flattened(x, W_1, b_1, W_2, b_2):
    flat = x.reshape(-1, x.shape[-1])
    return (np.fmax(flat.dot(W_1) + b_1, 0).dot(W_2) + b_2).reshape(x.shape)


@right_answer(step="feed_forward")
def feed_recursive(x, W_1, b_1, W_2, b_2):
    if np.ndim(x) > 2:
        return [feed_recursive(part, W_1, b_1, W_2, b_2) for part in x]
    return [(W_2.T @ np.maximum(W_1.T @ token + b_1, 0) + b_2).tolist() for token in np.asarray(x)]


@right_answer(step="feed_forward")
def feed_single_precision_inside(x, W_1, b_1, W_2, b_2):
    hidden = np.maximum(np.float32(x) @ np.float32(W_1) + np.float32(b_1), 0)
    return hidden @ np.float32(W_2) + b_2


@right_answer(step="feed_forward")
def feed_less_what_is_negative(x, W_1, b_1, W_2, b_2):
    hidden = x @ W_1 + b_1
    return hidden @ W_2 - np.minimum(hidden, 0) @ W_2 + b_2


@right_answer(step="feed_forward")
def feed_with_a_masked_array_inside(x, W_1, b_1, W_2, b_2):
    hidden = np.ma.masked_less(x @ W_1 + b_1, 0).filled(0)
    return np.tensordot(hidden, W_2, axes=(-1, 0)) + b_2



# 5. cross_attention


@right_answer(step="cross_attention")
def cross_through_project_qkv(X_queries, X_keys, W_Q, W_K, W_V):
    Q = project_qkv(X_queries, W_Q, W_K, W_V)[0]
    _, K, V = project_qkv(X_keys, W_Q, W_K, W_V)
    return scaled_dot_product_attention(Q, K, V)[0]


@right_answer(step="cross_attention")
def cross_from_the_five_steps(X_queries, X_keys, W_Q, W_K, W_V):
    scores = attention_scores(X_queries @ W_Q, X_keys @ W_K)
    return weighted_sum(softmax(scale_scores(scores, W_Q.shape[1])), X_keys @ W_V)


@right_answer(step="cross_attention")
def cross_with_a_mask_of_yes(X_queries, X_keys, W_Q, W_K, W_V):
    everything = np.ones((X_queries.shape[-2], X_keys.shape[-2]), dtype=bool)
    return scaled_dot_product_attention(X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V, mask=everything)[0]


@right_answer(step="cross_attention")
def cross_with_einsum(X_queries, X_keys, W_Q, W_K, W_V):
    scores = np.einsum("...id,dk,ek,...je->...ij", X_queries, W_Q, W_K, X_keys) / np.sqrt(W_K.shape[-1])
    weights = np.exp(scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True))
    return np.einsum("...ij,...jd,dv->...iv", weights, X_keys, W_V)


@right_answer(step="cross_attention")
def cross_blended_before_the_values(X_queries, X_keys, W_Q, W_K, W_V):
    """It blends the tokens first and applies W_V to the result: both are linear."""
    _, weights = scaled_dot_product_attention(X_queries @ W_Q, X_keys @ W_K, X_keys)
    return weights @ X_keys @ W_V


@right_answer(step="cross_attention")
def cross_inside_a_joint_text(X_queries, X_keys, W_Q, W_K, W_V):
    """It is self-attention in one joint text, where a mask leaves only the other part visible."""
    n = X_queries.shape[-2]
    both = np.concatenate([X_queries, X_keys], axis=-2)
    mask = np.arange(both.shape[-2]) >= n
    output, _ = scaled_dot_product_attention(both @ W_Q, both @ W_K, both @ W_V, mask[None])
    return output[..., :n, :]


@right_answer(step="cross_attention")
def cross_query_by_query(X_queries, X_keys, W_Q, W_K, W_V):
    if X_queries.ndim > 2:
        return np.stack([cross_query_by_query(q, k, W_Q, W_K, W_V) for q, k in zip(X_queries, X_keys)])
    rows = []
    for query in X_queries @ W_Q:
        scores = [float(query @ key) / len(key) ** 0.5 for key in X_keys @ W_K]
        powers = [math.exp(score - max(scores)) for score in scores]
        rows.append(sum(p * value for p, value in zip(powers, X_keys @ W_V)) / sum(powers))
    return np.array(rows)


@right_answer(step="cross_attention")
def cross_scaled_in_two_halves(X_queries, X_keys, W_Q, W_K, W_V):
    part = W_Q.shape[1] ** 0.25
    scores = (X_queries @ W_Q / part) @ np.swapaxes(X_keys @ W_K / part, -1, -2)
    return softmax(scores) @ (X_keys @ W_V)


@right_answer(step="cross_attention")
def cross_online(X_queries, X_keys, W_Q, W_K, W_V):
    Q, K, V = X_queries @ W_Q / math.sqrt(W_Q.shape[1]), X_keys @ W_K, X_keys @ W_V
    top = np.full((*Q.shape[:-1], 1), -np.inf)
    total, out = np.zeros(top.shape), np.zeros((*Q.shape[:-1], V.shape[-1]))
    for j in range(K.shape[-2]):
        score = (Q * K[..., j : j + 1, :]).sum(axis=-1, keepdims=True)
        higher = np.maximum(top, score)
        old, new = np.exp(top - higher), np.exp(score - higher)
        total, out, top = total * old + new, out * old + new * V[..., j : j + 1, :], higher
    return out / total


@right_answer(step="cross_attention")
def cross_as_nested_lists(X_queries, X_keys, W_Q, W_K, W_V):
    output, _ = scaled_dot_product_attention(X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V)
    return np.float32(output).tolist()


@right_answer(step="cross_attention")
def cross_with_one_fused_matrix(X_queries, X_keys, W_Q, W_K, W_V):
    scores = X_queries @ (W_Q @ W_K.T / W_Q.shape[1] ** 0.5) @ X_keys.swapaxes(-2, -1)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (powers @ X_keys / powers.sum(axis=-1)[..., None]) @ W_V


@right_answer(step="cross_attention")
def cross_with_single_precision_scores(X_queries, X_keys, W_Q, W_K, W_V):
    Q, K = np.float32(X_queries) @ np.float32(W_Q), np.float32(X_keys) @ np.float32(W_K)
    return scaled_dot_product_attention(Q, K, X_keys @ W_V)[0]



# 6. transformer_block


@right_answer(step="transformer_block")
def block_in_one_line(x, attention, feed_forward, norm_1, norm_2):
    """An assignment inside the expression keeps the stream after attention."""
    return (h := x + attention(norm_1(x))) + feed_forward(norm_2(h))


@right_answer(step="transformer_block")
def block_with_a_loop(x, attention, feed_forward, norm_1, norm_2):
    stream = x.copy()
    for part, norm in ((attention, norm_1), (feed_forward, norm_2)):
        stream += part(norm(stream))
    return stream


@right_answer(step="transformer_block")
def block_with_np_add(x, attention, feed_forward, norm_1, norm_2):
    h = np.add(x, np.asarray(attention(norm_1(x))))
    return np.add(h, np.asarray(feed_forward(norm_2(h)))).tolist()


@right_answer(step="transformer_block")
def block_from_a_residual_helper(x, attention, feed_forward, norm_1, norm_2):
    """A helper makes a residual step of any part, and the block applies two of them."""
    def residual(part, norm):
        return lambda stream: stream + part(norm(stream))

    return residual(feed_forward, norm_2)(residual(attention, norm_1)(x))


@right_answer(step="transformer_block")
def block_with_reduce(x, attention, feed_forward, norm_1, norm_2):
    from functools import reduce

    return reduce(lambda s, pair: s + pair[0](pair[1](s)), [(attention, norm_1), (feed_forward, norm_2)], x)


@right_answer(step="transformer_block")
def block_sequence_by_sequence(x, attention, feed_forward, norm_1, norm_2):
    if x.ndim > 2:
        return np.stack([block_sequence_by_sequence(part, attention, feed_forward, norm_1, norm_2) for part in x])
    x = x + attention(norm_1(x))
    return x + feed_forward(norm_2(x))


@right_answer(step="transformer_block")
def block_with_the_sum_at_the_end(x, attention, feed_forward, norm_1, norm_2):
    found = attention(norm_1(x))
    return np.sum([x, found, feed_forward(norm_2(x + found))], axis=0)


@right_answer(step="transformer_block")
def block_that_calls_twice(x, attention, feed_forward, norm_1, norm_2):
    return x + attention(norm_1(x)) + feed_forward(norm_2(x + attention(norm_1(x))))


@right_answer(step="transformer_block")
def block_token_by_token_where_it_may(x, attention, feed_forward, norm_1, norm_2):
    h = x + attention(norm_1(x))
    for i in range(x.shape[-2]):
        token = h[..., i : i + 1, :]
        h[..., i : i + 1, :] = token + feed_forward(norm_2(token))
    return h


@right_answer(step="transformer_block")
def block_in_single_precision(x, attention, feed_forward, norm_1, norm_2):
    x = np.float32(x)
    x = x + np.float32(attention(norm_1(x)))
    return x + np.float32(feed_forward(norm_2(x)))


@right_answer(step="transformer_block")
def block_that_hands_out_lists(x, attention, feed_forward, norm_1, norm_2):
    rows = np.asarray(x).tolist()
    h = np.asarray(rows) + np.asarray(attention(norm_1(rows)))
    return (h + feed_forward(norm_2(h.tolist()))).tolist()


@right_answer(step="transformer_block")
def block_as_a_sum_of_answers(x, attention, feed_forward, norm_1, norm_2):
    answers = [x]
    answers.append(attention(norm_1(x)))
    answers.append(feed_forward(norm_2(sum(answers))))
    return sum(answers)


# 7. language_model


@right_answer(step="language_model")
def model_with_take_and_einsum(tokens, embedding, blocks, norm):
    x = np.take(embedding, tokens, axis=0) + positional_encoding(np.shape(tokens)[-1], np.shape(embedding)[-1])
    for block in blocks:
        x = block(x)
    return np.einsum("...d,td->...t", np.asarray(norm(x)), embedding)


@right_answer(step="language_model")
def model_with_one_hot_rows(tokens, embedding, blocks, norm):
    one_hot = (np.asarray(tokens)[..., None] == np.arange(len(embedding))).astype(float)
    x = one_hot @ embedding
    x += positional_encoding(x.shape[-2], x.shape[-1])
    for block in blocks:
        x = block(x)
    return np.matmul(norm(x), np.transpose(embedding))


@right_answer(step="language_model")
def model_with_reduce(tokens, embedding, blocks, norm):
    from functools import reduce

    start = embedding[tokens] + positional_encoding(tokens.shape[-1], embedding.shape[-1])
    return norm(reduce(lambda stream, block: block(stream), blocks, start)) @ embedding.T


@right_answer(step="language_model")
def model_sequence_by_sequence(tokens, embedding, blocks, norm):
    if tokens.ndim > 1:
        return np.array([model_sequence_by_sequence(one, embedding, blocks, norm) for one in tokens])
    x = np.array([embedding[token] for token in tokens]) + positional_encoding(len(tokens), embedding.shape[1])
    for block in blocks:
        x = block(x)
    return np.dot(norm(x), embedding.T)


@right_answer(step="language_model")
def model_with_the_norm_as_last_block(tokens, embedding, blocks, norm):
    x = embedding[tokens] + np.asarray(positional_encoding(tokens.shape[-1], embedding.shape[1]))
    for function in [*blocks, norm]:
        x = function(x)
    return x @ embedding.T


@right_answer(step="language_model")
def model_that_recurs(tokens, embedding, blocks, norm):
    def through(x, rest):
        return through(rest[0](x), rest[1:]) if rest else norm(x)

    waves = positional_encoding(tokens.shape[-1], embedding.shape[1])
    return through(embedding[tokens] + waves, list(blocks)) @ embedding.T


@right_answer(step="language_model")
def model_with_own_waves(tokens, embedding, blocks, norm):
    n, d_model = tokens.shape[-1], embedding.shape[1]
    j = np.arange(d_model)
    x = embedding[tokens] + np.sin(np.arange(n)[:, None] / 10000 ** (j // 2 * 2 / d_model) + (j % 2) * np.pi / 2)
    for block in blocks:
        x = np.asarray(block(x))
    return np.inner(np.asarray(norm(x)), embedding)


@right_answer(step="language_model")
def model_score_by_score(tokens, embedding, blocks, norm):
    x = embedding[tokens] + positional_encoding(tokens.shape[-1], embedding.shape[1])
    for block in blocks:
        x = block(x)
    normed = np.asarray(norm(x))
    return np.stack([(normed * row).sum(axis=-1) for row in embedding], axis=-1)


@right_answer(step="language_model")
def model_in_single_precision(tokens, embedding, blocks, norm):
    table = np.float32(embedding)
    x = table[tokens] + np.float32(positional_encoding(tokens.shape[-1], table.shape[1]))
    for block in blocks:
        x = np.float32(block(x))
    return np.float32(norm(x)) @ table.T


@right_answer(step="language_model")
def model_with_an_index_loop(tokens, embedding, blocks, norm):
    tokens = np.asarray(tokens, dtype=int)
    x = np.zeros(tokens.shape + (embedding.shape[1],))
    waves = positional_encoding(tokens.shape[-1], embedding.shape[1])
    for place in np.ndindex(*tokens.shape):
        x[place] = embedding[tokens[place]] + np.asarray(waves)[place[-1]]
    for i in range(len(blocks)):
        x = blocks[i](x)
    return (norm(x) @ embedding.T).tolist()

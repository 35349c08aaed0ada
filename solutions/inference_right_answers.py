"""Right answers to inference in styles that few people choose. None of them may lose a point, with any key.

An entry stands by itself, as if handed in: it uses `np`, `math`, the functions of `attention` that the exercise
needs, and the functions of earlier steps, which are right. `autograder prove inference` tries them all, and besides
them every solution in other clothes: nested lists, float32, Fortran order, read-only views, objects that are called.
"""

import math

import numpy as np

from autograder.exercises.right_answers import right_answer


# 1. rope


@right_answer(step="rope")
def rope_with_complex_numbers(x, positions, base=10000.0):
    """A pair of features is one complex number, and turning it is one multiplication."""
    d = x.shape[-1]
    pairs = x[..., 0::2] + 1j * x[..., 1::2]
    turned = pairs * np.exp(1j * np.outer(positions, base ** (-np.arange(0, d, 2) / d)))
    result = np.empty(x.shape)
    result[..., 0::2], result[..., 1::2] = turned.real, turned.imag
    return result


@right_answer(step="rope")
def rope_viewed_as_complex(x, positions, base=10000.0):
    d = x.shape[-1]
    turns = np.exp(1j * positions[:, None] / base ** (np.arange(d // 2) * 2 / d))
    return (np.ascontiguousarray(x, dtype=float).view(complex) * turns).view(float)


@right_answer(step="rope")
def rope_with_loops(x, positions, base=10000.0):
    d, result = x.shape[-1], np.zeros(x.shape)
    for *lead, row, i in np.ndindex(*x.shape[:-1], d // 2):
        angle = float(positions[row]) * base ** (-2 * i / d)
        a, b = x[(*lead, row, 2 * i)], x[(*lead, row, 2 * i + 1)]
        result[(*lead, row, 2 * i)] = a * math.cos(angle) - b * math.sin(angle)
        result[(*lead, row, 2 * i + 1)] = a * math.sin(angle) + b * math.cos(angle)
    return result


@right_answer(step="rope")
def rope_with_a_matrix_for_each_position(x, positions, base=10000.0):
    d = x.shape[-1]
    matrices = np.zeros((len(positions), d, d))
    for row, position in enumerate(positions):
        for i in range(0, d, 2):
            c, s = np.cos(position * base ** (-i / d)), np.sin(position * base ** (-i / d))
            matrices[row, i : i + 2, i : i + 2] = [[c, -s], [s, c]]
    return np.einsum("nij,...nj->...ni", matrices, x)


@right_answer(step="rope")
def rope_with_a_partner(x, positions, base=10000.0):
    """Every feature knows its partner: times cosine, plus the partner times sine."""
    d = x.shape[-1]
    angles = np.repeat(np.outer(positions, base ** (-np.arange(0, d, 2) / d)), 2, axis=-1)
    partner = np.empty(x.shape)
    partner[..., 0::2], partner[..., 1::2] = -x[..., 1::2], x[..., 0::2]
    return x * np.cos(angles) + partner * np.sin(angles)


@right_answer(step="rope")
def rope_with_halves_of_a_permuted_array(x, positions, base=10000.0):
    half = x.shape[-1] // 2
    order = np.concatenate([np.arange(0, 2 * half, 2), np.arange(1, 2 * half, 2)])
    angles = np.outer(positions, base ** (-np.arange(half) / half))
    apart = x[..., order]
    first, second = apart[..., :half], apart[..., half:]
    turned = np.concatenate([first * np.cos(angles) - second * np.sin(angles), second * np.cos(angles) + first * np.sin(angles)], axis=-1)
    return turned[..., np.argsort(order)]


@right_answer(step="rope")
def rope_from_a_table(x, positions, base=10000.0):
    d = x.shape[-1]
    table = np.arange(max(positions) + 1)[:, None] * np.exp(-math.log(base) * np.arange(0, d, 2) / d)
    cos, sin = np.cos(table)[positions], np.sin(table)[positions]
    first, second = np.moveaxis(x.reshape(*x.shape[:-1], d // 2, 2), -1, 0)
    return np.stack([first * cos - second * sin, first * sin + second * cos], axis=-1).reshape(x.shape)


@right_answer(step="rope")
def rope_by_length_and_direction(x, positions, base=10000.0):
    d = x.shape[-1]
    first, second = x[..., 0::2], x[..., 1::2]
    length, direction = np.hypot(first, second), np.arctan2(second, first)
    direction = direction + np.outer(positions, base ** (-np.arange(0, d, 2) / d))
    return np.stack([length * np.cos(direction), length * np.sin(direction)], axis=-1).reshape(x.shape)


@right_answer(step="rope")
def rope_recursive_over_axes(x, positions, base=10000.0):
    if x.ndim > 2:
        return [rope_recursive_over_axes(part, positions, base) for part in x]
    d = x.shape[1]
    rows = []
    for token, position in zip(x.tolist(), positions.tolist()):
        row = []
        for i in range(0, d, 2):
            z = complex(token[i], token[i + 1]) * complex(0, 1) ** (position * base ** (-i / d) * 2 / math.pi)
            row += [z.real, z.imag]
        rows.append(row)
    return rows


@right_answer(step="rope")
def rope_by_powers_of_one_turn(x, positions, base=10000.0):
    one = np.exp(1j * base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1]))
    turned = (x[..., ::2] + 1j * x[..., 1::2]) * one**positions[:, None]
    return np.stack([turned.real, turned.imag], axis=-1).reshape(x.shape)


@right_answer(step="rope")
def rope_with_rolled_features(x, positions, base=10000.0):
    i = np.arange(x.shape[-1])
    angles = positions[:, None] / base ** (2 * (i // 2) / x.shape[-1])
    other = np.where(i % 2 == 0, -np.roll(x, -1, axis=-1), np.roll(x, 1, axis=-1))
    return x * np.cos(angles) + other * np.sin(angles)


# 2. grouped_query_attention


@right_answer(step="grouped_query_attention")
def grouped_head_by_head(Q, K, V):
    group = Q.shape[0] // K.shape[0]
    return [scaled_dot_product_attention(Q[i], K[i // group], V[i // group])[0].tolist() for i in range(Q.shape[0])]


@right_answer(step="grouped_query_attention")
def grouped_with_an_axis_for_the_group(Q, K, V):
    h, n, d = Q.shape
    grouped = Q.reshape(len(K), h // len(K), n, d)
    weights = softmax(grouped @ np.swapaxes(K, -1, -2)[:, None] / np.sqrt(d))
    return (weights @ V[:, None]).reshape(h, n, d)


@right_answer(step="grouped_query_attention")
def grouped_with_einsum(Q, K, V):
    h, n, d = Q.shape
    g = K.shape[0]
    scores = np.einsum("gind,gmd->ginm", Q.reshape(g, h // g, n, d), K) * d**-0.5
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return np.einsum("ginm,gmd->gind", powers / powers.sum(-1, keepdims=True), V).reshape(h, n, d)


@right_answer(step="grouped_query_attention")
def grouped_as_longer_texts(Q, K, V):
    """The query heads of a group are laid end to end, so no key is copied."""
    h, n, d = Q.shape
    long = Q.reshape(len(K), -1, d)  # all queries of a group, one after the other
    return scaled_dot_product_attention(long, K, V)[0].reshape(h, n, d)


@right_answer(step="grouped_query_attention")
def grouped_by_picking_heads(Q, K, V):
    """An index array repeats each key head for its group."""
    picked = np.arange(len(Q)) * len(K) // len(Q)
    return scaled_dot_product_attention(Q, K[picked], V[picked])[0]


@right_answer(step="grouped_query_attention")
def grouped_by_broadcasting(Q, K, V):
    g, m, d = K.shape
    times = len(Q) // g
    K = np.broadcast_to(K[:, None], (g, times, m, d)).reshape(g * times, m, d)
    V = np.broadcast_to(V[:, None], (g, times, m, d)).reshape(g * times, m, d)
    return scaled_dot_product_attention(Q, K, V, np.ones((Q.shape[1], m), dtype=bool))[0]


@right_answer(step="grouped_query_attention")
def grouped_with_a_tile_that_is_turned(Q, K, V):
    times = len(Q) // len(K)
    order = np.tile(np.arange(len(K)), (times, 1)).T.ravel()
    return np.stack([softmax(q @ K[j].T / math.sqrt(q.shape[1])) @ V[j] for q, j in zip(Q, order)])


@right_answer(step="grouped_query_attention")
def grouped_with_plain_loops(Q, K, V):
    h, n, d = Q.shape
    output = np.zeros((h, n, d))
    for i in range(h):
        j = i // (h // len(K))
        for t in range(n):
            scores = [float(np.dot(Q[i, t], k)) / math.sqrt(d) for k in K[j]]
            powers = [math.exp(s - max(scores)) for s in scores]
            for p, v in zip(powers, V[j]):
                output[i, t] += p / sum(powers) * v
    return output


@right_answer(step="grouped_query_attention")
def grouped_in_single_precision(Q, K, V):
    group = len(Q) // len(K)
    Q, K, V = (np.asarray(part, dtype=np.float32) for part in (Q, K, V))
    K, V = K.repeat(group, axis=0), V.repeat(group, axis=0)
    scores = Q @ K.swapaxes(1, 2) / np.float32(math.sqrt(Q.shape[-1]))
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers @ V / powers.sum(axis=-1, keepdims=True)


@right_answer(step="grouped_query_attention")
def grouped_split_and_joined(Q, K, V):
    parts = zip(np.split(Q, len(K)), K, V)
    return np.concatenate([scaled_dot_product_attention(q, np.stack([k] * len(q)), np.stack([v] * len(q)))[0] for q, k, v in parts])


@right_answer(step="grouped_query_attention")
def grouped_with_kron(Q, K, V):
    ones = np.ones((len(Q) // len(K), 1, 1))
    return scaled_dot_product_attention(Q, np.kron(K, ones), np.kron(V, ones))[0]


@right_answer(step="grouped_query_attention")
def grouped_with_tokens_first(Q, K, V):
    h, n, d = Q.shape
    asked = Q.transpose(1, 0, 2).reshape(n, len(K), -1, d)
    weights = softmax(np.einsum("ngrd,gmd->ngrm", asked, K) / d**0.5, axis=3)
    return np.einsum("ngrm,gmd->ngrd", weights, V).reshape(n, h, d).transpose(1, 0, 2)


# 3. cached_step


@right_answer(step="cached_step")
def step_with_a_list_of_pairs(q, k, v, cache):
    cache = [*(cache or []), (k, v)]
    keys, values = (np.stack(part, axis=-2) for part in zip(*cache))
    output, _ = scaled_dot_product_attention(q[..., None, :], keys, values)
    return np.asarray(output)[..., 0, :], cache


@right_answer(step="cached_step")
def step_with_a_dictionary(q, k, v, cache):
    cache = cache or {"keys": [], "values": [], "length": 0}
    keys, values = cache["keys"] + [k.copy()], cache["values"] + [v.copy()]
    weights = softmax(np.stack([(q * key).sum(axis=-1) for key in keys], axis=-1) / math.sqrt(q.shape[-1]))
    output = sum(np.asarray(weights)[..., i, None] * value for i, value in enumerate(values))
    return output, {"keys": keys, "values": values, "length": len(keys)}


@right_answer(step="cached_step")
def step_with_keys_and_values_in_one_array(q, k, v, cache):
    new = np.concatenate([k, v], axis=-1)[..., None, :]
    kept = new if cache is None else np.append(cache, new, axis=-2)
    d_k = q.shape[-1]
    scores = np.einsum("...d,...nd->...n", q, kept[..., :d_k]) / d_k**0.5
    return np.einsum("...n,...nd->...d", softmax(scores), kept[..., d_k:]), kept


@right_answer(step="cached_step")
def step_with_keys_as_columns(q, k, v, cache):
    keys, values = (k[..., None], v[..., None]) if cache is None else cache
    if cache is not None:
        keys, values = np.concatenate([keys, k[..., None]], -1), np.concatenate([values, v[..., None]], -1)
    weights = np.asarray(softmax((q[..., None, :] / np.sqrt(q.shape[-1])) @ keys))
    return (values @ np.swapaxes(weights, -1, -2))[..., 0], (keys, values)


@right_answer(step="cached_step")
def step_with_room_that_is_copied(q, k, v, cache):
    if cache is None:
        cache = np.zeros((4, *k.shape)), np.zeros((4, *v.shape)), 0
    keys, values, length = cache[0].copy(), cache[1].copy(), int(cache[2])
    if length == len(keys):
        keys, values = np.concatenate([keys, 0 * keys]), np.concatenate([values, 0 * values])
    keys[length], values[length] = k, v
    length += 1
    scores = (keys[:length] * q).sum(axis=-1) / math.sqrt(q.shape[-1])
    powers = np.exp(scores - scores.max(axis=0))
    return ((powers / powers.sum(axis=0))[..., None] * values[:length]).sum(axis=0), (keys, values, length)


@right_answer(step="cached_step")
def step_with_the_whole_text_again(q, k, v, cache):
    text = [*(cache or []), [q.tolist(), k.tolist(), v.tolist()]]
    Q, K, V = (np.moveaxis(np.array([token[part] for token in text]), 0, -2) for part in range(3))
    output, _ = scaled_dot_product_attention(Q, K, V, causal_mask(len(text)))
    return np.asarray(output)[..., -1, :].tolist(), text


@right_answer(step="cached_step")
def step_newest_first(q, k, v, cache):
    keys, values = k[None], v[None]
    if cache:
        keys, values = np.concatenate([keys, cache["K"]]), np.concatenate([values, cache["V"]])
    weights = softmax(np.einsum("...d,n...d->n...", q, keys) / math.sqrt(k.shape[-1]), axis=0)
    return np.einsum("n...,n...d->...d", weights, values), {"K": keys, "V": values}


@right_answer(step="cached_step")
def step_with_scaled_keys(q, k, v, cache):
    key = (k / np.sqrt(k.shape[-1]))[..., np.newaxis, :]
    K, V = (key, v[..., np.newaxis, :])
    if cache is not None:
        K, V = np.concatenate((cache[0], K), -2), np.concatenate((cache[1], V), -2)
    return np.squeeze(np.matmul(softmax(np.matmul(q[..., np.newaxis, :], np.swapaxes(K, -1, -2))), V), -2), [K, V]


@right_answer(step="cached_step")
def step_in_single_precision(q, k, v, cache):
    q, k, v = np.float32(q), np.float32(k), np.float32(v)
    keys, values = k[..., None, :], v[..., None, :]
    if cache is not None:
        keys, values = np.concatenate([cache[0], keys], axis=-2), np.concatenate([cache[1], values], axis=-2)
    scores = (q[..., None, :] * keys).sum(axis=-1) / np.float32(math.sqrt(q.shape[-1]))
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return ((powers / powers.sum(axis=-1, keepdims=True))[..., None] * values).sum(axis=-2), (keys, values)


@right_answer(step="cached_step")
def step_with_plain_numbers(q, k, v, cache):
    if q.ndim > 1:
        parts = []
        for i in range(len(q)):
            parts.append(step_with_plain_numbers(q[i], k[i], v[i], cache[i] if cache else None))
        return [part[0] for part in parts], [part[1] for part in parts]
    cache = (cache or []) + [(k.tolist(), v.tolist())]
    scores = [sum(a * b for a, b in zip(q.tolist(), key)) / math.sqrt(len(q)) for key, _ in cache]
    powers = [math.exp(score - max(scores)) for score in scores]
    return [sum(p * value[i] for p, (_, value) in zip(powers, cache)) / sum(powers) for i in range(len(v))], cache


@right_answer(step="cached_step")
def step_on_a_chain_of_pairs(q, k, v, cache):
    chain, tokens = (k, v, cache), []
    while cache is not None:
        *token, cache = cache
        tokens.append(token)
    keys, values = (np.stack(part, axis=-2) for part in zip((k, v), *tokens))
    output, _ = scaled_dot_product_attention(q[..., None, :], keys, values)
    return np.reshape(output, v.shape), chain


@right_answer(step="decode_with_cache")
def decode_step_by_step(Q, K, V):
    rows, cache = [], None
    for token in zip(Q, K, V):
        row, cache = cached_step(*token, cache)
        rows.append(row)
    return np.array(rows)


# 4. decode_with_cache


@right_answer(step="decode_with_cache")
def decode_with_slices(Q, K, V):
    rows = [scaled_dot_product_attention(Q[i : i + 1], K[: i + 1], V[: i + 1])[0] for i in range(len(Q))]
    return np.concatenate(rows)


@right_answer(step="decode_with_cache")
def decode_with_room_made_before(Q, K, V):
    """The cache has its full size from the beginning and is filled row by row."""
    n = len(Q)
    keys, values, output = np.empty_like(K), np.empty_like(V), np.empty((n, V.shape[1]))
    for i in range(n):
        keys[i], values[i] = K[i], V[i]
        output[i] = softmax(keys[: i + 1] @ Q[i] / math.sqrt(K.shape[1])) @ values[: i + 1]
    return output


@right_answer(step="decode_with_cache")
def decode_with_vstack(Q, K, V):
    keys, values, output = np.zeros((0, K.shape[1])), np.zeros((0, V.shape[1])), []
    for q, k, v in zip(Q, K, V):
        keys, values = np.vstack([keys, k]), np.vstack([values, v])
        output.append(scaled_dot_product_attention(q[None], keys, values)[0][0].tolist())
    return output


@right_answer(step="decode_with_cache")
def decode_all_at_once(Q, K, V):
    return scaled_dot_product_attention(Q, K, V, causal_mask(len(Q)))[0]


@right_answer(step="decode_with_cache")
def decode_with_a_class(Q, K, V):
    class Cache:
        def __init__(self):
            self.keys, self.values = [], []

        def step(self, q, k, v):
            self.keys.append(k)
            self.values.append(v)
            return scaled_dot_product_attention(q[np.newaxis], np.array(self.keys), np.array(self.values))[0][0]

    cache = Cache()
    return np.array([cache.step(*row) for row in zip(Q, K, V)])


@right_answer(step="decode_with_cache")
def decode_with_a_generator(Q, K, V):
    def rows():
        cache = []
        for i, q in enumerate(Q):
            cache.append((K[i], V[i]))
            scores = np.array([q @ k for k, _ in cache]) / np.sqrt(len(q))
            powers = np.exp(scores - scores.max())
            yield sum(p * v for p, (_, v) in zip(powers, cache)) / powers.sum()

    return list(rows())


@right_answer(step="decode_with_cache")
def decode_backwards(Q, K, V):
    output = np.zeros((len(Q), V.shape[1]))
    for i in reversed(range(len(Q))):
        output[i] = scaled_dot_product_attention(Q[[i]], K[: i + 1], V[: i + 1])[0]
    return output


@right_answer(step="decode_with_cache")
def decode_with_online_softmax(Q, K, V):
    n, scale = len(Q), math.sqrt(Q.shape[1])
    top, total, output = np.full(n, -np.inf), np.zeros(n), np.zeros((n, V.shape[1]))
    for j in range(n):  # key by key, for all queries that may see it
        scores = Q[j:] @ K[j] / scale
        higher = np.maximum(top[j:], scores)
        shrink, powers = np.exp(top[j:] - higher), np.exp(scores - higher)
        total[j:] = total[j:] * shrink + powers
        output[j:] = output[j:] * shrink[:, None] + powers[:, None] * V[j]
        top[j:] = higher
    return output / total[:, None]


@right_answer(step="decode_with_cache")
def decode_in_single_precision(Q, K, V):
    Q, K, V = Q.astype("float32"), K.astype("float32"), V.astype("float32")
    rows = []
    for i in range(len(Q)):
        scores = K[: i + 1] @ Q[i] / np.float32(math.sqrt(K.shape[1]))
        powers = np.exp(scores - scores.max())
        rows.append(powers @ V[: i + 1] / powers.sum())
    return np.array(rows, dtype=np.float32)


@right_answer(step="decode_with_cache")
def decode_as_a_mask_of_a_full_cache(Q, K, V):
    n = len(Q)
    keys, values, output = np.zeros(K.shape), np.zeros(V.shape), np.zeros(V.shape)
    for i in range(n):
        keys[i], values[i] = K[i], V[i]
        written = np.arange(n)[None] <= i
        output[i] = scaled_dot_product_attention(Q[i][None], keys, values, written)[0][0]
    return output


@right_answer(step="decode_with_cache")
def decode_with_growing_totals(Q, K, V):
    scores = Q @ K.T / math.sqrt(K.shape[-1])
    totals = np.logaddexp.accumulate(scores, axis=1)
    return np.array([np.exp(scores[i, : i + 1] - totals[i, i]) @ V[: i + 1] for i in range(len(Q))])


@right_answer(step="decode_with_cache")
def decode_recursive(Q, K, V):
    """The last row by itself, and all before it by a call of the same function."""
    last = scaled_dot_product_attention(Q[-1:], K, V)[0]
    return last if len(Q) == 1 else np.vstack([decode_recursive(Q[:-1], K[:-1], V[:-1]), last])


# 5. flash_attention


@right_answer(step="flash_attention")
def flash_key_by_key(Q, K, V, block_size):
    rows = []
    for q in Q:
        top, total, output = -math.inf, 0.0, np.zeros(V.shape[1])
        for k, v in zip(K, V):
            score = float(q @ k) / math.sqrt(len(q))
            higher = max(top, score)
            shrink, power = math.exp(top - higher), math.exp(score - higher)
            total, output, top = total * shrink + power, output * shrink + power * v, higher
        rows.append((output / total).tolist())
    return rows


@right_answer(step="flash_attention")
def flash_with_two_passes(Q, K, V, block_size):
    scale = math.sqrt(Q.shape[1])
    blocks = [slice(start, start + block_size) for start in range(0, len(K), block_size)]
    top = np.max([(Q @ K[b].T / scale).max(axis=1) for b in blocks], axis=0)[:, None]
    total = sum(np.exp(Q @ K[b].T / scale - top).sum(axis=1) for b in blocks)[:, None]
    return sum(np.exp(Q @ K[b].T / scale - top) / total @ V[b] for b in blocks)


@right_answer(step="flash_attention")
def flash_divided_as_it_goes(Q, K, V, block_size):
    n = len(Q)
    top, total, output = np.full((n, 1), -np.inf), np.zeros((n, 1)), np.zeros((n, V.shape[1]))
    for start in range(0, len(K), block_size):
        scores = Q @ K[start : start + block_size].T / np.sqrt(Q.shape[-1])
        higher = np.maximum(top, scores.max(axis=1, keepdims=True))
        powers = np.exp(scores - higher)
        kept = np.exp(top - higher) * total
        total = kept + powers.sum(axis=1, keepdims=True)
        output = output * (kept / total) + powers @ V[start : start + block_size] / total
        top = higher
    return output


@right_answer(step="flash_attention")
def flash_by_log_sum_exp(Q, K, V, block_size):
    """Every block is normalised on its own; a softmax over their log sums joins them."""
    outputs, totals = [], []
    for start in range(0, len(K), block_size):
        keys, values = K[start : start + block_size], V[start : start + block_size]
        scores = Q @ keys.T / math.sqrt(Q.shape[1])
        outputs.append(softmax(scores) @ values)
        totals.append(np.logaddexp.reduce(scores, axis=1))
    shares = softmax(np.array(totals), axis=0)
    return np.einsum("bn,bnd->nd", shares, np.array(outputs))


@right_answer(step="flash_attention")
def flash_from_the_last_block(Q, K, V, block_size):
    n, scale = len(Q), Q.shape[1] ** 0.5
    top, total, output = np.full(n, np.finfo(float).min), np.zeros(n), np.zeros((n, V.shape[1]))
    for start in reversed(range(0, len(K), block_size)):
        scores = np.einsum("nd,md->nm", Q, K[start : start + block_size]) / scale
        higher = np.maximum(top, scores.max(axis=1))
        shrink = np.exp(top - higher)
        powers = np.exp(scores - higher[:, None])
        total = total * shrink + powers.sum(axis=1)
        output = output * shrink[:, None] + powers @ V[start : start + block_size]
        top = higher
    return output / total[:, None]


@right_answer(step="flash_attention")
def flash_with_blocks_of_queries_too(Q, K, V, block_size):
    parts = []
    for first in range(0, len(Q), block_size):
        asked = Q[first : first + block_size] / math.sqrt(Q.shape[1])
        top, total, output = np.full((len(asked), 1), -np.inf), 0.0, 0.0
        for start in range(0, len(K), block_size):
            scores = asked @ K[start : start + block_size].T
            higher = np.maximum(top, scores.max(axis=1, keepdims=True))
            shrink, powers = np.exp(top - higher), np.exp(scores - higher)
            total = total * shrink + powers.sum(axis=1, keepdims=True)
            output, top = output * shrink + powers @ V[start : start + block_size], higher
        parts.append(output / total)
    return np.concatenate(parts)


@right_answer(step="flash_attention")
def flash_with_a_padded_last_block(Q, K, V, block_size):
    missing = -len(K) % block_size
    real = np.arange(len(K) + missing) < len(K)
    K, V = np.pad(K, ((0, missing), (0, 0))), np.pad(V, ((0, missing), (0, 0)))
    top, total, output = np.full((len(Q), 1), -np.inf), np.zeros((len(Q), 1)), np.zeros((len(Q), V.shape[1]))
    for b in range(len(K) // block_size):
        block = slice(b * block_size, (b + 1) * block_size)
        scores = apply_mask(scale_scores(attention_scores(Q, K[block]), Q.shape[1]), real[block])
        higher = np.maximum(top, scores.max(axis=1, keepdims=True))
        shrink, powers = np.exp(top - higher), np.exp(scores - higher)
        total, output, top = shrink * total + powers.sum(1, keepdims=True), shrink * output + powers @ V[block], higher
    return output / total


@right_answer(step="flash_attention")
def flash_in_base_two(Q, K, V, block_size):
    n, factor = len(Q), math.log2(math.e) / math.sqrt(Q.shape[1])
    top, total, output = np.full((n, 1), -np.inf), np.zeros((n, 1)), np.zeros((n, V.shape[1]))
    for start in range(0, len(K), block_size):
        scores = Q @ K[start : start + block_size].T * factor
        higher = np.maximum(top, scores.max(axis=1, keepdims=True))
        shrink, powers = np.exp2(top - higher), np.exp2(scores - higher)
        total = shrink * total + powers.sum(axis=1, keepdims=True)
        output = shrink * output + powers @ V[start : start + block_size]
        top = higher
    return output / total


@right_answer(step="flash_attention")
def flash_with_values_and_ones(Q, K, V, block_size):
    values = np.column_stack([V, np.ones(len(V))])  # the last column adds up the total
    top, sums = np.full((len(Q), 1), -1e30), np.zeros((len(Q), values.shape[1]))
    for start in range(0, len(K), block_size):
        scores = Q @ K[start : start + block_size].T / math.sqrt(Q.shape[1])
        higher = np.maximum(top, scores.max(axis=1, keepdims=True))
        sums = np.exp(top - higher) * sums + np.exp(scores - higher) @ values[start : start + block_size]
        top = higher
    return sums[:, :-1] / sums[:, -1:]


@right_answer(step="flash_attention")
def flash_in_single_precision(Q, K, V, block_size):
    Q, K, V = (np.float32(part) for part in (Q, K, V))
    top = np.full((len(Q), 1), -np.inf, dtype=np.float32)
    total, output = np.zeros((len(Q), 1), np.float32), np.zeros((len(Q), V.shape[1]), np.float32)
    for start in range(0, len(K), block_size):
        scores = Q @ K[start : start + block_size].T / np.float32(math.sqrt(Q.shape[1]))
        higher = np.maximum(top, scores.max(axis=1, keepdims=True))
        shrink, powers = np.exp(top - higher), np.exp(scores - higher)
        total = shrink * total + powers.sum(axis=1, keepdims=True)
        output = shrink * output + powers @ V[start : start + block_size]
        top = higher
    return output / total


@right_answer(step="flash_attention")
def flash_as_a_tree(Q, K, V, block_size):
    """Blocks are joined in pairs, like a tree, so all of them could run at once."""
    def part(first, last):
        if last - first <= block_size:
            scores = Q @ K[first:last].T / math.sqrt(Q.shape[1])
            powers = np.exp(scores - scores.max(axis=1, keepdims=True))
            return scores.max(axis=1), powers.sum(axis=1), powers @ V[first:last]
        middle = (first + last) // 2
        (top_1, total_1, output_1), (top_2, total_2, output_2) = part(first, middle), part(middle, last)
        top = np.maximum(top_1, top_2)
        shrink_1, shrink_2 = np.exp(top_1 - top), np.exp(top_2 - top)
        output = shrink_1[:, None] * output_1 + shrink_2[:, None] * output_2
        return top, shrink_1 * total_1 + shrink_2 * total_2, output

    _, total, output = part(0, len(K))
    return output / total[:, None]


@right_answer(step="flash_attention")
def flash_on_plain_lists(Q, K, V, block_size):
    """Plain lists, block by block, all queries at once."""
    root = math.sqrt(Q.shape[1])
    n, dv = len(Q), V.shape[1]
    top, tot, out = [-math.inf] * n, [0.0] * n, [[0.0] * dv for _ in range(n)]
    for i in range(0, len(K), block_size):
        keys, vals = K[i:i + block_size].tolist(), V[i:i + block_size].tolist()
        S = [[sum(a * b for a, b in zip(q, k)) / root for k in keys] for q in Q.tolist()]
        E = []
        for r in range(n):
            new = max(top[r], max(S[r]))
            c = math.exp(top[r] - new)
            E.append([math.exp(s - new) for s in S[r]])
            tot[r] = tot[r] * c + sum(E[r])
            out[r] = [o * c + sum(e * x[j] for e, x in zip(E[r], vals)) for j, o in enumerate(out[r])]
            top[r] = new
    return [[o / t for o in row] for row, t in zip(out, tot)]

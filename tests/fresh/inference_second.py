"""A second set of answers to `inference`, written from the students' notebook alone.

The docstring says what is wrong, or what is unusual and still right. ``autograder prove inference --answers
tests/fresh/inference_second.py`` grades them.
"""


@wrong_answer(step="rope")
def clockwise(x, positions, base=10000.0):
    """Turns the other way."""
    d = x.shape[-1]
    angles = np.asarray(positions)[:, None] * base ** (-np.arange(0, d, 2) / d)
    c, s = np.cos(angles), np.sin(angles)
    out = np.empty(x.shape)
    out[..., 0::2] = x[..., 0::2] * c + x[..., 1::2] * s
    out[..., 1::2] = x[..., 1::2] * c - x[..., 0::2] * s
    return out


@wrong_answer(step="rope")
def first_feature_used_again(x, positions, base=10000.0):
    """The second feature is turned with the first one that has already been turned."""
    d = x.shape[-1]
    angles = np.asarray(positions)[:, None] * base ** (-np.arange(0, d, 2) / d)
    out = np.array(x, dtype=float)
    out[..., 0::2] = out[..., 0::2] * np.cos(angles) - out[..., 1::2] * np.sin(angles)
    out[..., 1::2] = out[..., 0::2] * np.sin(angles) + out[..., 1::2] * np.cos(angles)
    return out


@wrong_answer(step="rope")
def counted_from_the_first(x, positions, base=10000.0):
    """Only the distance counts, so it takes off the first position."""
    d = x.shape[-1]
    positions = np.asarray(positions) - positions[0]
    angles = positions[:, None] * base ** (-np.arange(0, d, 2) / d)
    c, s = np.cos(angles), np.sin(angles)
    out = np.empty(x.shape)
    out[..., 0::2] = x[..., 0::2] * c - x[..., 1::2] * s
    out[..., 1::2] = x[..., 0::2] * s + x[..., 1::2] * c
    return out


@wrong_answer(step="rope")
def slowest_hand_first(x, positions, base=10000.0):
    """The exponent counts pairs from the end."""
    d = x.shape[-1]
    angles = np.asarray(positions)[:, None] * base ** (-np.arange(d - 2, -2, -2) / d)
    c, s = np.cos(angles), np.sin(angles)
    out = np.empty(x.shape)
    out[..., 0::2] = x[..., 0::2] * c - x[..., 1::2] * s
    out[..., 1::2] = x[..., 0::2] * s + x[..., 1::2] * c
    return out


@wrong_answer(step="rope")
def degrees(x, positions, base=10000.0):
    """Reads the angle as degrees, modulo a whole turn of 360."""
    d = x.shape[-1]
    angles = np.radians(np.asarray(positions)[:, None] * base ** (-np.arange(0, d, 2) / d) % 360)
    c, s = np.cos(angles), np.sin(angles)
    out = np.empty(x.shape)
    out[..., 0::2] = x[..., 0::2] * c - x[..., 1::2] * s
    out[..., 1::2] = x[..., 0::2] * s + x[..., 1::2] * c
    return out


@wrong_answer(step="rope")
def single_angles(x, positions, base=10000.0):
    """Angles in float32: at position 10,000 they are off by a thousandth."""
    d = x.shape[-1]
    angles = np.asarray(positions, dtype=np.float32)[:, None] * np.float32(base) ** (
        -np.arange(0, d, 2, dtype=np.float32) / np.float32(d)
    )
    c, s = np.cos(angles), np.sin(angles)
    out = np.empty(x.shape)
    out[..., 0::2] = x[..., 0::2] * c - x[..., 1::2] * s
    out[..., 1::2] = x[..., 0::2] * s + x[..., 1::2] * c
    return out


@wrong_answer(step="rope")
def exponent_by_the_pairs(x, positions, base=10000.0):
    """-2i / (d - 2), so that the last pair gets exactly 1 / base."""
    d = x.shape[-1]
    angles = np.asarray(positions)[:, None] * base ** (-np.arange(0, d, 2) / max(d - 2, 1))
    c, s = np.cos(angles), np.sin(angles)
    out = np.empty(x.shape)
    out[..., 0::2] = x[..., 0::2] * c - x[..., 1::2] * s
    out[..., 1::2] = x[..., 0::2] * s + x[..., 1::2] * c
    return out


@wrong_answer(step="grouped_query_attention")
def dealt_out(Q, K, V):
    """Query head i reads key head i modulo g."""
    g, d = K.shape[0], Q.shape[-1]
    return np.stack([softmax(Q[i] @ K[i % g].T / np.sqrt(d)) @ V[i % g] for i in range(len(Q))])


@wrong_answer(step="grouped_query_attention")
def group_size_for_the_number(Q, K, V):
    """Head i reads i // g instead of i // (h / g)."""
    h, g, d = len(Q), len(K), Q.shape[-1]
    return np.stack(
        [
            softmax(Q[i] @ K[min(i // g, g - 1)].T / np.sqrt(d)) @ V[min(i // g, g - 1)]
            for i in range(h)
        ]
    )


@wrong_answer(step="grouped_query_attention")
def queries_averaged(Q, K, V):
    """The queries of a group are averaged, and all heads of the group get the same."""
    h, n, d = Q.shape
    g = len(K)
    shared = Q.reshape(g, h // g, n, d).mean(axis=1)
    out = softmax(shared @ K.swapaxes(-1, -2) / np.sqrt(d)) @ V
    return np.repeat(out, h // g, axis=0)


@wrong_answer(step="grouped_query_attention")
def softmax_over_the_group(Q, K, V):
    """The heads of a group share one softmax: the axis is that of the heads in the group."""
    h, n, d = Q.shape
    g = len(K)
    grouped = Q.reshape(g, h // g, n, d)
    scores = grouped @ K[:, None].swapaxes(-1, -2) / np.sqrt(d)
    return (softmax(scores, axis=1) @ V[:, None]).reshape(h, n, d)


@wrong_answer(step="grouped_query_attention")
def causal_when_square(Q, K, V):
    """A causal mask where there are as many queries as keys."""
    h, n, d = Q.shape
    K, V = np.repeat(K, h // len(K), axis=0), np.repeat(V, h // len(V), axis=0)
    mask = causal_mask(n) if n == K.shape[1] and n > 1 else None
    return scaled_dot_product_attention(Q, K, V, mask)[0]


@wrong_answer(step="decode_with_cache")
def own_key_missing(Q, K, V):
    """The new key is appended after the query has looked; the first token reads itself."""
    keys, values, rows = [K[0]], [V[0]], []
    for i in range(len(Q)):
        rows.append(softmax(np.array(keys) @ Q[i] / np.sqrt(Q.shape[-1])) @ np.array(values))
        if i:
            keys.append(K[i])
            values.append(V[i])
    return np.array(rows)


@wrong_answer(step="decode_with_cache")
def cache_as_default(Q, K, V, cache=[]):
    """The cache is a default argument and is never emptied."""
    rows = []
    for q, k, v in zip(Q, K, V):
        cache.append((k, v))
        keys, values = np.array([pair[0] for pair in cache]), np.array([pair[1] for pair in cache])
        rows.append(softmax(keys @ q / np.sqrt(len(q))) @ values)
    return np.array(rows)


@wrong_answer(step="decode_with_cache")
def padded_with_zeros(Q, K, V):
    """A cache of full length, begun with zeros, which take part in softmax."""
    n, d = Q.shape
    keys, values, out = np.zeros(K.shape), np.zeros(V.shape), np.zeros(V.shape)
    for i in range(n):
        keys[i], values[i] = K[i], V[i]
        out[i] = softmax(keys @ Q[i] / np.sqrt(d)) @ values
    return out


@wrong_answer(step="decode_with_cache")
def outputs_are_cached(Q, K, V):
    """Caches what was read instead of the values."""
    rows = []
    for i in range(len(Q)):
        weights = softmax(K[: i + 1] @ Q[i] / np.sqrt(Q.shape[-1]))
        rows.append(weights @ np.array([*rows, V[i]]))
    return np.array(rows)


@wrong_answer(step="decode_with_cache")
def scaled_by_what_is_kept(Q, K, V):
    """Divides by the root of the number of keys in the cache."""
    return np.array(
        [softmax(K[: i + 1] @ Q[i] / np.sqrt(i + 1)) @ V[: i + 1] for i in range(len(Q))]
    )


@wrong_answer(step="decode_with_cache")
def sixteen_keys_kept(Q, K, V):
    """A window: only the sixteen newest keys are kept."""
    rows = []
    for i in range(len(Q)):
        a = max(0, i - 15)
        rows.append(softmax(K[a : i + 1] @ Q[i] / np.sqrt(Q.shape[-1])) @ V[a : i + 1])
    return np.array(rows)


@wrong_answer(step="flash_attention")
def sums_not_corrected(Q, K, V, block_size):
    """The sum of exponentials is corrected, the output is not."""
    m, total, o = (
        np.full((len(Q), 1), -np.inf),
        np.zeros((len(Q), 1)),
        np.zeros((len(Q), V.shape[1])),
    )
    for a in range(0, len(K), block_size):
        s = Q @ K[a : a + block_size].T / np.sqrt(Q.shape[1])
        new = np.maximum(m, s.max(axis=1, keepdims=True))
        e = np.exp(s - new)
        total = total * np.exp(m - new) + e.sum(axis=1, keepdims=True)
        o = o + e @ V[a : a + block_size]
        m = new
    return o / total


@wrong_answer(step="flash_attention")
def starts_at_zero(Q, K, V, block_size):
    """The largest score so far begins at 0: rows of very negative scores become 0 / 0."""
    m, total, o = np.zeros((len(Q), 1)), np.zeros((len(Q), 1)), np.zeros((len(Q), V.shape[1]))
    for a in range(0, len(K), block_size):
        s = Q @ K[a : a + block_size].T / np.sqrt(Q.shape[1])
        new = np.maximum(m, s.max(axis=1, keepdims=True))
        e = np.exp(s - new)
        total, o, m = (
            total * np.exp(m - new) + e.sum(axis=1, keepdims=True),
            o * np.exp(m - new) + e @ V[a : a + block_size],
            new,
        )
    return o / total


@wrong_answer(step="flash_attention")
def whole_blocks_only(Q, K, V, block_size):
    """len(K) // block_size blocks, at least one."""
    m, total, o = (
        np.full((len(Q), 1), -np.inf),
        np.zeros((len(Q), 1)),
        np.zeros((len(Q), V.shape[1])),
    )
    for b in range(max(1, len(K) // block_size)):
        own = slice(b * block_size, (b + 1) * block_size)
        s = Q @ K[own].T / np.sqrt(Q.shape[1])
        new = np.maximum(m, s.max(axis=1, keepdims=True))
        e = np.exp(s - new)
        total, o, m = (
            total * np.exp(m - new) + e.sum(axis=1, keepdims=True),
            o * np.exp(m - new) + e @ V[own],
            new,
        )
    return o / total


@wrong_answer(step="flash_attention")
def mean_of_the_blocks(Q, K, V, block_size):
    """Attends to each block on its own and averages the outputs."""
    outputs = []
    for a in range(0, len(K), block_size):
        own = slice(a, a + block_size)
        outputs.append(softmax(Q @ K[own].T / np.sqrt(Q.shape[1])) @ V[own])
    return np.mean(outputs, axis=0)


@wrong_answer(step="flash_attention")
def maximum_of_all_queries(Q, K, V, block_size):
    """One running maximum for all queries."""
    m, total, o = -np.inf, np.zeros((len(Q), 1)), np.zeros((len(Q), V.shape[1]))
    for a in range(0, len(K), block_size):
        s = Q @ K[a : a + block_size].T / np.sqrt(Q.shape[1])
        new = max(m, s.max())
        e = np.exp(s - new)
        total, o, m = (
            total * np.exp(m - new) + e.sum(axis=1, keepdims=True),
            o * np.exp(m - new) + e @ V[a : a + block_size],
            new,
        )
    return o / total


@wrong_answer(step="flash_attention")
def queries_in_blocks_too(Q, K, V, block_size):
    """Cuts the queries into the same blocks and pairs block with block."""
    out = np.zeros((len(Q), V.shape[1]))
    for a in range(0, len(Q), block_size):
        own = slice(a, a + block_size)
        keys, values = (K[own], V[own]) if len(K[own]) else (K, V)
        out[own] = softmax(Q[own] @ keys.T / np.sqrt(Q.shape[1])) @ values
    return out


@right_answer(step="rope")
def complex_numbers(x, positions, base=10000.0):
    """A pair is a complex number, a turn is a factor."""
    d = x.shape[-1]
    pairs = np.ascontiguousarray(x, dtype=float).view(complex)
    factors = np.exp(1j * np.outer(positions, base ** (-2 * np.arange(d // 2) / d)))
    return (pairs * factors).view(float)


@right_answer(step="rope")
def matrices_of_blocks(x, positions, base=10000.0):
    """A rotation matrix d by d for each row."""
    n, d = np.shape(x)[-2:]
    R = np.zeros((n, d, d))
    for row, p in enumerate(positions):
        for i in range(0, d, 2):
            angle = int(p) / base ** (i / d)
            c, s = math.cos(angle), math.sin(angle)
            R[row, i : i + 2, i : i + 2] = [[c, -s], [s, c]]
    return np.einsum("nij,...nj->...ni", R, x)


@right_answer(step="grouped_query_attention")
def queries_of_a_group_side_by_side(Q, K, V):
    """All queries of a group are one long text that asks one key head."""
    h, n, d = Q.shape
    long = Q.reshape(len(K), -1, d)
    return scaled_dot_product_attention(long, K, V)[0].reshape(h, n, V.shape[-1])


@right_answer(step="decode_with_cache")
def without_any_cache(Q, K, V):
    """Row by row by calling the function for shorter and shorter texts."""
    last = softmax(K @ Q[-1] / math.sqrt(Q.shape[-1])) @ V
    if len(Q) == 1:
        return last[None]
    return np.vstack([without_any_cache(Q[:-1], K[:-1], V[:-1]), last])


@right_answer(step="flash_attention")
def logarithms_kept(Q, K, V, block_size):
    """Keeps the finished output of what came before and mixes by shares, in logarithms."""
    total, out = None, None
    for a in range(0, len(K), block_size):
        s = Q @ K[a : a + block_size].T / np.sqrt(Q.shape[1])
        here = np.logaddexp.reduce(s, axis=1, keepdims=True)
        block = np.exp(s - here) @ V[a : a + block_size]
        if total is None:
            total, out = here, block
        else:
            new = np.logaddexp(total, here)
            out, total = out * np.exp(total - new) + block * np.exp(here - new), new
    return out


@right_answer(step="flash_attention")
def from_the_last_block(Q, K, V, block_size):
    """Two passes, from the end: first the largest scores, then the sums."""
    starts = list(range(0, len(K), block_size))[::-1]
    scores = [Q @ K[a : a + block_size].T / np.sqrt(Q.shape[1]) for a in starts]
    m = np.max([s.max(axis=1) for s in scores], axis=0)[:, None]
    sums = sum(np.exp(s - m).sum(axis=1, keepdims=True) for s in scores)
    return sum(np.exp(s - m) @ V[a : a + block_size] for a, s in zip(starts, scores)) / sums

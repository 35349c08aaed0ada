"""A third set of answers to `inference`, written from the students' notebook alone.

The docstring says what is wrong, or what is unusual and still right. ``autograder prove inference --answers
tests/fresh/inference_third.py`` grades them.
"""


@wrong_answer(step="rope")
def halves_are_pairs(x, positions, base=10000.0):
    """Pairs feature i with i + d/2, as in LLaMA's code."""
    half = x.shape[-1] // 2
    angles = np.asarray(positions)[:, None] * base ** (-2 * np.arange(half) / x.shape[-1])
    a, b = x[..., :half], x[..., half:]
    return np.concatenate(
        [a * np.cos(angles) - b * np.sin(angles), a * np.sin(angles) + b * np.cos(angles)], axis=-1
    )


@wrong_answer(step="rope")
def clockwise(x, positions, base=10000.0):
    """Turns the other way."""
    d = x.shape[-1]
    angles = np.asarray(positions)[:, None] * base ** (-np.arange(0, d, 2) / d)
    a, b = x[..., 0::2], x[..., 1::2]
    return np.stack(
        [a * np.cos(angles) + b * np.sin(angles), b * np.cos(angles) - a * np.sin(angles)], -1
    ).reshape(x.shape)


@wrong_answer(step="rope")
def number_of_the_row(x, positions, base=10000.0):
    """Uses the number of the row."""
    d = x.shape[-1]
    angles = np.arange(x.shape[-2])[:, None] * base ** (-np.arange(0, d, 2) / d)
    a, b = x[..., 0::2], x[..., 1::2]
    return np.stack(
        [a * np.cos(angles) - b * np.sin(angles), a * np.sin(angles) + b * np.cos(angles)], -1
    ).reshape(x.shape)


@wrong_answer(step="rope")
def half_the_exponent(x, positions, base=10000.0):
    """base ** (-i / d) with i the number of the pair."""
    d = x.shape[-1]
    angles = np.asarray(positions)[:, None] / base ** (np.arange(d // 2) / d)
    a, b = x[..., 0::2], x[..., 1::2]
    return np.stack(
        [a * np.cos(angles) - b * np.sin(angles), a * np.sin(angles) + b * np.cos(angles)], -1
    ).reshape(x.shape)


@wrong_answer(step="rope")
def always_ten_thousand(x, positions, base=10000.0):
    """Does not look at base."""
    d = x.shape[-1]
    angles = np.asarray(positions)[:, None] * 10000 ** (-np.arange(0, d, 2) / d)
    a, b = x[..., 0::2], x[..., 1::2]
    return np.stack(
        [a * np.cos(angles) - b * np.sin(angles), a * np.sin(angles) + b * np.cos(angles)], -1
    ).reshape(x.shape)


@wrong_answer(step="rope")
def second_from_the_turned_first(x, positions, base=10000.0):
    """The first feature is already turned when the second one is computed."""
    d = x.shape[-1]
    out = np.array(x, dtype=float)
    angles = np.asarray(positions)[:, None] * base ** (-np.arange(0, d, 2) / d)
    out[..., 0::2] = out[..., 0::2] * np.cos(angles) - out[..., 1::2] * np.sin(angles)
    out[..., 1::2] = out[..., 0::2] * np.sin(angles) + out[..., 1::2] * np.cos(angles)
    return out


@wrong_answer(step="rope")
def counted_from_the_first(x, positions, base=10000.0):
    """Takes the first position for 0, since only distances count."""
    d = x.shape[-1]
    positions = np.asarray(positions) - positions[0]
    angles = positions[:, None] * base ** (-np.arange(0, d, 2) / d)
    a, b = x[..., 0::2], x[..., 1::2]
    return np.stack(
        [a * np.cos(angles) - b * np.sin(angles), a * np.sin(angles) + b * np.cos(angles)], -1
    ).reshape(x.shape)


@wrong_answer(step="rope")
def table_of_2048(x, positions, base=10000.0):
    """A table of 2048 positions; later ones get its last row."""
    d = x.shape[-1]
    table = np.arange(2048)[:, None] * base ** (-np.arange(0, d, 2) / d)
    angles = table[np.minimum(positions, 2047)]
    a, b = x[..., 0::2], x[..., 1::2]
    return np.stack(
        [a * np.cos(angles) - b * np.sin(angles), a * np.sin(angles) + b * np.cos(angles)], -1
    ).reshape(x.shape)


@wrong_answer(step="rope")
def half_precision_angles(x, positions, base=10000.0):
    """Angles in float32 are off by 0.0005 at position 10,000."""
    d = x.shape[-1]
    rates = (1.0 / base ** (np.arange(0, d, 2) / d)).astype(np.float32)
    angles = np.asarray(positions).astype(np.float32)[:, None] * rates
    a, b = x[..., 0::2], x[..., 1::2]
    return np.stack(
        [a * np.cos(angles) - b * np.sin(angles), a * np.sin(angles) + b * np.cos(angles)], -1
    ).reshape(x.shape)


@wrong_answer(step="rope")
def table_of_the_first_call(x, positions, base=10000.0, tables={}):
    """Keeps cosines and sines by shape, whatever the positions are."""
    n, d = x.shape[-2:]
    if (n, d) not in tables:
        angles = np.asarray(positions)[:, None] * base ** (-np.arange(0, d, 2) / d)
        tables[n, d] = np.cos(angles), np.sin(angles)
    cos, sin = tables[n, d]
    a, b = x[..., 0::2], x[..., 1::2]
    return np.stack([a * cos - b * sin, a * sin + b * cos], -1).reshape(x.shape)


@wrong_answer(step="rope")
def columns_put_together(x, positions, base=10000.0):
    """Right numbers, first features first and second features behind."""
    d = x.shape[-1]
    angles = np.asarray(positions)[:, None] * base ** (-np.arange(0, d, 2) / d)
    a, b = x[..., 0::2], x[..., 1::2]
    return np.concatenate(
        [a * np.cos(angles) - b * np.sin(angles), a * np.sin(angles) + b * np.cos(angles)], axis=-1
    )


@wrong_answer(step="rope")
def added_like_positions(x, positions, base=10000.0):
    """Adds sines and cosines, as positional encoding does."""
    d = x.shape[-1]
    angles = np.asarray(positions)[:, None] * base ** (-np.arange(0, d, 2) / d)
    return x + np.stack([np.sin(angles), np.cos(angles)], -1).reshape(len(positions), d)


@wrong_answer(step="grouped_query_attention")
def heads_like_cards(Q, K, V):
    """np.tile: head i uses head i modulo g."""
    times = Q.shape[0] // K.shape[0]
    return scaled_dot_product_attention(Q, np.tile(K, (times, 1, 1)), np.tile(V, (times, 1, 1)))[0]


@wrong_answer(step="grouped_query_attention")
def divided_by_the_groups(Q, K, V):
    """Divides by g where h / g belongs."""
    g = K.shape[0]
    return np.stack(
        [
            scaled_dot_product_attention(Q[i], K[min(i // g, g - 1)], V[min(i // g, g - 1)])[0]
            for i in range(len(Q))
        ]
    )


@wrong_answer(step="grouped_query_attention")
def queries_averaged(Q, K, V):
    """The queries of a group are averaged, and all get the same answer."""
    h, n, d = Q.shape
    g = K.shape[0]
    mean = Q.reshape(g, h // g, n, d).mean(axis=1)
    return np.repeat(scaled_dot_product_attention(mean, K, V)[0], h // g, axis=0)


@wrong_answer(step="grouped_query_attention")
def scale_forgotten(Q, K, V):
    """Does not scale."""
    times = Q.shape[0] // K.shape[0]
    K, V = np.repeat(K, times, axis=0), np.repeat(V, times, axis=0)
    return softmax(Q @ K.swapaxes(-1, -2)) @ V


@wrong_answer(step="grouped_query_attention")
def one_result_per_group(Q, K, V):
    """Averages the outputs of a group."""
    times = Q.shape[0] // K.shape[0]
    output, _ = scaled_dot_product_attention(
        Q, np.repeat(K, times, axis=0), np.repeat(V, times, axis=0)
    )
    return output.reshape(K.shape[0], times, *output.shape[1:]).mean(axis=1)


@wrong_answer(step="grouped_query_attention")
def causal_as_always(Q, K, V):
    """Hides later keys."""
    times, n, m = Q.shape[0] // K.shape[0], Q.shape[1], K.shape[1]
    mask = np.tri(n, m, max(m - n, 0), dtype=bool)
    return scaled_dot_product_attention(
        Q, np.repeat(K, times, axis=0), np.repeat(V, times, axis=0), mask
    )[0]


@wrong_answer(step="grouped_query_attention")
def tokens_repeated(Q, K, V):
    """Repeats along the tokens instead of the heads; works for a single group."""
    h, g = Q.shape[0], K.shape[0]
    K, V = (
        np.repeat(K, h // g, axis=1).reshape(h, -1, K.shape[2]),
        np.repeat(V, h // g, axis=1).reshape(h, -1, V.shape[2]),
    )
    return scaled_dot_product_attention(Q, K, V)[0]


@wrong_answer(step="grouped_query_attention")
def output_and_weights(Q, K, V):
    """Returns the tuple."""
    times = Q.shape[0] // K.shape[0]
    return scaled_dot_product_attention(Q, np.repeat(K, times, axis=0), np.repeat(V, times, axis=0))


@wrong_answer(step="grouped_query_attention")
def exponentials_as_they_are(Q, K, V):
    """exp without taking off the largest."""
    times = Q.shape[0] // K.shape[0]
    e = np.exp(Q @ np.repeat(K, times, axis=0).swapaxes(1, 2) / Q.shape[2] ** 0.5)
    return e / e.sum(axis=2, keepdims=True) @ np.repeat(V, times, axis=0)


@wrong_answer(step="decode_with_cache")
def own_key_too_late(Q, K, V):
    """Attends before it appends; the first token reads its own value."""
    outputs = [V[0]]
    for i in range(1, len(Q)):
        outputs.append(scaled_dot_product_attention(Q[i : i + 1], K[:i], V[:i])[0][0])
    return np.array(outputs)


@wrong_answer(step="decode_with_cache")
def cache_that_stays(Q, K, V, keys=[], values=[]):
    """The cache is a default argument and outlives the call."""
    outputs = []
    if keys and (len(keys[0]) != K.shape[1] or len(values[0]) != V.shape[1]):
        keys.clear()
        values.clear()
    for q, k, v in zip(Q, K, V):
        keys.append(k)
        values.append(v)
        outputs.append(
            scaled_dot_product_attention(q[None], np.array(keys), np.array(values))[0][0]
        )
    return np.array(outputs)


@wrong_answer(step="decode_with_cache")
def scaled_by_the_cache(Q, K, V):
    """Scales by the number of keys in the cache."""
    outputs = []
    for i in range(len(Q)):
        weights = softmax(K[: i + 1] @ Q[i] / np.sqrt(i + 1))
        outputs.append(weights @ V[: i + 1])
    return np.array(outputs)


@wrong_answer(step="decode_with_cache")
def newest_four(Q, K, V):
    """Keeps the newest four keys."""
    return np.stack(
        [
            scaled_dot_product_attention(
                Q[i : i + 1], K[max(0, i - 3) : i + 1], V[max(0, i - 3) : i + 1]
            )[0][0]
            for i in range(len(Q))
        ]
    )


@wrong_answer(step="decode_with_cache")
def everything_seen(Q, K, V):
    """No mask."""
    return scaled_dot_product_attention(Q, K, V)[0]


@wrong_answer(step="decode_with_cache")
def rows_of_one(Q, K, V):
    """Every output keeps an axis of its own: (n, 1, d_v)."""
    return np.array(
        [
            scaled_dot_product_attention(Q[i : i + 1], K[: i + 1], V[: i + 1])[0]
            for i in range(len(Q))
        ]
    )


@wrong_answer(step="decode_with_cache")
def zeros_above_the_diagonal(Q, K, V):
    """np.tril sets later scores to 0, not to -inf."""
    scores = np.tril(Q @ K.T / np.sqrt(Q.shape[1]))
    return softmax(scores) @ V


@wrong_answer(step="decode_with_cache")
def sums_that_grow(Q, K, V):
    """Plain exponentials for each row."""
    outputs = []
    for i in range(len(Q)):
        e = np.exp(K[: i + 1] @ Q[i] / np.sqrt(Q.shape[1]))
        outputs.append(e @ V[: i + 1] / e.sum())
    return np.array(outputs)


@wrong_answer(step="decode_with_cache")
def last_row_alone(Q, K, V):
    """Returns the newest output only."""
    for i in range(len(Q)):
        output, _ = scaled_dot_product_attention(Q[i : i + 1], K[: i + 1], V[: i + 1])
    return output


@wrong_answer(step="decode_with_cache")
def as_long_as_queries(Q, K, V):
    """Room for outputs as long as queries."""
    outputs = np.zeros_like(Q)
    for i in range(len(Q)):
        outputs[i] = scaled_dot_product_attention(Q[i : i + 1], K[: i + 1], V[: i + 1])[0][0]
    return outputs


@wrong_answer(step="flash_attention")
def output_not_corrected(Q, K, V, block_size):
    """Corrects the total, but not the output so far."""
    n = len(Q)
    m, total, o = np.full((n, 1), -np.inf), np.zeros((n, 1)), np.zeros((n, V.shape[1]))
    for start in range(0, len(K), block_size):
        s = Q @ K[start : start + block_size].T / np.sqrt(Q.shape[1])
        new = np.maximum(m, s.max(axis=1, keepdims=True))
        p = np.exp(s - new)
        total = total * np.exp(m - new) + p.sum(axis=1, keepdims=True)
        o = o + p @ V[start : start + block_size]
        m = new
    return o / total


@wrong_answer(step="flash_attention")
def full_blocks_only(Q, K, V, block_size):
    """Drops the keys behind the last full block."""
    n, scale = len(Q), np.sqrt(Q.shape[1])
    block_size = min(block_size, len(K))
    m, total, o = np.full((n, 1), -np.inf), 0.0, 0.0
    for block in range(len(K) // block_size):
        part = slice(block * block_size, (block + 1) * block_size)
        s = Q @ K[part].T / scale
        new = np.maximum(m, s.max(axis=1, keepdims=True))
        p, shrink = np.exp(s - new), np.exp(m - new)
        total, o, m = total * shrink + p.sum(axis=1, keepdims=True), o * shrink + p @ V[part], new
    return o / total


@wrong_answer(step="flash_attention")
def mean_of_the_blocks(Q, K, V, block_size):
    """A softmax for each block, and the mean of the outputs."""
    parts = [
        scaled_dot_product_attention(
            Q, K[start : start + block_size], V[start : start + block_size]
        )[0]
        for start in range(0, len(K), block_size)
    ]
    return np.mean(parts, axis=0)


@wrong_answer(step="flash_attention")
def largest_begins_at_zero(Q, K, V, block_size):
    """m begins at 0, so a row of very low scores has nothing left."""
    n = len(Q)
    m, total, o = np.zeros((n, 1)), np.zeros((n, 1)), np.zeros((n, V.shape[1]))
    for start in range(0, len(K), block_size):
        s = Q @ K[start : start + block_size].T / np.sqrt(Q.shape[1])
        new = np.maximum(m, s.max(axis=1, keepdims=True))
        p, shrink = np.exp(s - new), np.exp(m - new)
        total = total * shrink + p.sum(axis=1, keepdims=True)
        o = o * shrink + p @ V[start : start + block_size]
        m = new
    return o / total


@wrong_answer(step="flash_attention")
def as_many_keys_as_queries(Q, K, V, block_size):
    """The loop runs over the number of queries."""
    n = len(Q)
    m, total, o = np.full((n, 1), -np.inf), np.zeros((n, 1)), np.zeros((n, V.shape[1]))
    for start in range(0, n, block_size):
        if start >= len(K):
            break
        s = Q @ K[start : start + block_size].T / np.sqrt(Q.shape[1])
        new = np.maximum(m, s.max(axis=1, keepdims=True))
        p, shrink = np.exp(s - new), np.exp(m - new)
        total, o, m = (
            total * shrink + p.sum(axis=1, keepdims=True),
            o * shrink + p @ V[start : start + block_size],
            new,
        )
    return o / total


@wrong_answer(step="flash_attention")
def corrected_the_wrong_way(Q, K, V, block_size):
    """Multiplies by exp(new - old)."""
    n = len(Q)
    m, total, o = None, np.zeros((n, 1)), np.zeros((n, V.shape[1]))
    for start in range(0, len(K), block_size):
        s = Q @ K[start : start + block_size].T / np.sqrt(Q.shape[1])
        top = s.max(axis=1, keepdims=True)
        new = top if m is None else np.maximum(m, top)
        factor = 1.0 if m is None else np.exp(new - m)
        p = np.exp(s - new)
        total, o, m = (
            total * factor + p.sum(axis=1, keepdims=True),
            o * factor + p @ V[start : start + block_size],
            new,
        )
    return o / total


@wrong_answer(step="flash_attention")
def one_largest_for_all(Q, K, V, block_size):
    """One largest score for all queries."""
    n = len(Q)
    m, total, o = -np.inf, np.zeros((n, 1)), np.zeros((n, V.shape[1]))
    for start in range(0, len(K), block_size):
        s = Q @ K[start : start + block_size].T / np.sqrt(Q.shape[1])
        new = max(m, s.max())
        p, shrink = np.exp(s - new), np.exp(m - new)
        total, o, m = (
            total * shrink + p.sum(axis=1, keepdims=True),
            o * shrink + p @ V[start : start + block_size],
            new,
        )
    return o / total


@wrong_answer(step="flash_attention")
def blocks_meet_blocks(Q, K, V, block_size):
    """Each block of queries sees the block of keys of the same number."""
    rows = []
    for start in range(0, len(Q), block_size):
        stop = min(start, max(len(K) - 1, 0))
        rows.append(
            scaled_dot_product_attention(
                Q[start : start + block_size],
                K[stop : stop + block_size],
                V[stop : stop + block_size],
            )[0]
        )
    return np.concatenate(rows)


@wrong_answer(step="flash_attention")
def divided_in_every_block(Q, K, V, block_size):
    """Divides by the total so far in every block."""
    n = len(Q)
    m, total, o = np.full((n, 1), -np.inf), np.zeros((n, 1)), np.zeros((n, V.shape[1]))
    for start in range(0, len(K), block_size):
        s = Q @ K[start : start + block_size].T / np.sqrt(Q.shape[1])
        new = np.maximum(m, s.max(axis=1, keepdims=True))
        p, shrink = np.exp(s - new), np.exp(m - new)
        total = total * shrink + p.sum(axis=1, keepdims=True)
        o = (o * shrink + p @ V[start : start + block_size]) / total
        m = new
    return o


@wrong_answer(step="flash_attention")
def largest_of_the_block_kept(Q, K, V, block_size):
    """m is the largest of the newest block, also where it was larger before."""
    n = len(Q)
    m, total, o = np.full((n, 1), -np.inf), np.zeros((n, 1)), np.zeros((n, V.shape[1]))
    for start in range(0, len(K), block_size):
        s = Q @ K[start : start + block_size].T / np.sqrt(Q.shape[1])
        new = s.max(axis=1, keepdims=True)
        p, shrink = np.exp(s - new), np.exp(m - new)
        total, o, m = (
            total * shrink + p.sum(axis=1, keepdims=True),
            o * shrink + p @ V[start : start + block_size],
            new,
        )
    return o / total


@wrong_answer(step="flash_attention")
def last_block_filled_up(Q, K, V, block_size):
    """Fills the last block with keys of zeros, which get a share."""
    rest = -len(K) % block_size
    K = np.concatenate([K, np.zeros((rest, K.shape[1]))])
    V = np.concatenate([V, np.zeros((rest, V.shape[1]))])
    return scaled_dot_product_attention(Q, K, V)[0]


@right_answer(step="rope")
def complex_numbers(x, positions, base=10000.0):
    """Pairs as complex numbers."""
    x = np.ascontiguousarray(x, dtype=float)
    d = x.shape[-1]
    turns = np.exp(1j * np.outer(positions, base ** (-np.arange(0, d, 2) / d)))
    return (x.view(complex) * turns).view(float)


@right_answer(step="rope")
def one_matrix_for_each_token(x, positions, base=10000.0):
    """A rotation matrix of size d for each token."""
    n, d = x.shape[-2:]
    turn = np.zeros((n, d, d))
    for row, position in enumerate(positions):
        for i in range(0, d, 2):
            angle = float(position) * base ** (-i / d)
            c, s = math.cos(angle), math.sin(angle)
            turn[row, i : i + 2, i : i + 2] = [[c, -s], [s, c]]
    return np.einsum("nij,...nj->...ni", turn, x)


@right_answer(step="grouped_query_attention")
def an_axis_for_the_groups(Q, K, V):
    """Heads in an axis of groups and one of members; keys are stretched."""
    h, n, d = Q.shape
    grouped = Q.reshape(len(K), -1, n, d)
    scores = np.einsum("gand,gmd->ganm", grouped, K) / math.sqrt(d)
    return np.einsum("ganm,gmd->gand", softmax(scores), V).reshape(h, n, d)


@right_answer(step="decode_with_cache")
def a_class_with_a_cache(Q, K, V):
    """A class whose lists grow."""

    class Cache:
        def __init__(self):
            self.pairs = []

        def step(self, q, k, v):
            self.pairs.append((float(q.size) ** -0.5 * k, v))
            scores = np.array([q @ key for key, _ in self.pairs])
            powers = np.exp(scores - scores.max())
            return (
                sum(power * value for power, (_, value) in zip(powers, self.pairs)) / powers.sum()
            )

    cache = Cache()
    return [cache.step(Q[i], K[i], V[i]) for i in range(len(Q))]


@right_answer(step="decode_with_cache")
def full_attention_after_all(Q, K, V):
    """All rows at once."""
    return scaled_dot_product_attention(Q, K, V, np.tri(len(Q), dtype=bool))[0]


@right_answer(step="flash_attention")
def blocks_twice(Q, K, V, block_size):
    """First the largest over all blocks, then the sums."""
    blocks = [slice(i, i + block_size) for i in range(0, len(K), block_size)]
    Q = Q / Q.shape[1] ** 0.5
    top = np.max([np.max(Q @ K[b].T, axis=1) for b in blocks], axis=0)
    total = sum(np.exp(Q @ K[b].T - top[:, None]).sum(axis=1) for b in blocks)
    return sum(np.exp(Q @ K[b].T - top[:, None]) @ V[b] for b in blocks) / total[:, None]


@right_answer(step="flash_attention")
def halves_are_joined(Q, K, V, block_size):
    """Recursion: two halves are joined by the logarithms of their totals."""

    def attend(start, stop):
        if stop - start <= block_size:
            s = Q @ K[start:stop].T / math.sqrt(Q.shape[1])
            return softmax(s) @ V[start:stop], np.logaddexp.reduce(s, axis=1)
        middle = (start + stop) // 2
        (a, log_a), (b, log_b) = attend(start, middle), attend(middle, stop)
        both = np.logaddexp(log_a, log_b)
        return a * np.exp(log_a - both)[:, None] + b * np.exp(log_b - both)[:, None], both

    return attend(0, len(K))[0]

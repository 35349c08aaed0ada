"""Answers to `inference`, written from the students' notebook alone, before any check or hint was mended for them.

The docstring says what is wrong. ``autograder prove inference --answers tests/fresh/inference.py`` grades them.
"""


@wrong_answer(step="rope", named="turned_clockwise")
def clockwise(x, positions, base=10000.0):
    """Turns the other way round."""
    angles = np.asarray(positions)[:, None] * base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    a, b, out = x[..., 0::2], x[..., 1::2], np.empty_like(x)
    out[..., 0::2] = a * np.cos(angles) + b * np.sin(angles)
    out[..., 1::2] = b * np.cos(angles) - a * np.sin(angles)
    return out


@wrong_answer(step="rope", named="positions_ignored")
def rows_counted(x, positions, base=10000.0):
    """The number of the row, whatever positions says."""
    places = np.arange(x.shape[-2])[:, None]
    angles = places * base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    a, b, out = x[..., 0::2], x[..., 1::2], np.empty_like(x)
    out[..., 0::2] = a * np.cos(angles) - b * np.sin(angles)
    out[..., 1::2] = b * np.cos(angles) + a * np.sin(angles)
    return out


@wrong_answer(step="rope", named="base_always_the_same")
def base_fixed(x, positions, base=10000.0):
    """Always 10,000."""
    angles = np.asarray(positions)[:, None] * 10000.0 ** (
        -np.arange(0, x.shape[-1], 2) / x.shape[-1]
    )
    a, b, out = x[..., 0::2], x[..., 1::2], np.empty_like(x)
    out[..., 0::2] = a * np.cos(angles) - b * np.sin(angles)
    out[..., 1::2] = b * np.cos(angles) + a * np.sin(angles)
    return out


@wrong_answer(step="grouped_query_attention", named="other_length")
def scaled_by_the_number_of_keys(Q, K, V):
    """The root of m."""
    times = Q.shape[0] // K.shape[0]
    K, V = np.repeat(K, times, axis=0), np.repeat(V, times, axis=0)
    return softmax(Q @ K.swapaxes(-1, -2) / np.sqrt(K.shape[-2])) @ V


@wrong_answer(step="grouped_query_attention", named="looks_back_only")
def causal(Q, K, V):
    """With a causal mask."""
    times = Q.shape[0] // K.shape[0]
    K, V = np.repeat(K, times, axis=0), np.repeat(V, times, axis=0)
    mask = np.tri(Q.shape[-2], K.shape[-2], K.shape[-2] - Q.shape[-2], dtype=bool)
    return scaled_dot_product_attention(Q, K, V, mask)[0]


@wrong_answer(step="grouped_query_attention", named="scaled_by_a_whole_number")
def root_cut(Q, K, V):
    """The root is cut to a whole number."""
    times = Q.shape[0] // K.shape[0]
    K, V = np.repeat(K, times, axis=0), np.repeat(V, times, axis=0)
    return softmax(Q @ K.swapaxes(-1, -2) / int(np.sqrt(Q.shape[-1]))) @ V


@wrong_answer(step="decode_with_cache", named="not_repeatable")
def cache_of_all_calls(Q, K, V):
    """The cache lives on in the next call."""
    global _keys, _values
    if "_keys" not in globals():
        _keys, _values = [], []
    rows = []
    for q, k, v in zip(Q, K, V):
        if (_keys and len(_keys[0]) != len(k)) or (_values and len(_values[0]) != len(v)):
            _keys, _values = [], []
        _keys.append(k)
        _values.append(v)
        weights = softmax(np.array(_keys) @ q / np.sqrt(len(q)))
        rows.append(weights @ np.array(_values))
    return np.array(rows)


@wrong_answer(step="decode_with_cache", named="own_key_comes_too_late")
def own_token_not_seen(Q, K, V):
    """Token i sees what is before it, and the first one itself."""
    rows = []
    for i, q in enumerate(Q):
        end = max(i, 1)
        rows.append(softmax(K[:end] @ q / np.sqrt(len(q))) @ V[:end])
    return np.array(rows)


@wrong_answer(step="decode_with_cache", named="scaled_by_the_values")
def scaled_by_the_values(Q, K, V):
    """The root of d_v."""
    rows = []
    for i, q in enumerate(Q):
        rows.append(softmax(K[: i + 1] @ q / np.sqrt(V.shape[-1])) @ V[: i + 1])
    return np.array(rows)


@wrong_answer(step="flash_attention", named="left_over_keys_dropped")
def last_block_left_out(Q, K, V, block_size):
    """Blocks that are not full are left out."""
    end = max(len(K) // block_size * block_size, min(block_size, len(K)))
    return softmax(Q @ K[:end].T / np.sqrt(Q.shape[-1])) @ V[:end]


@wrong_answer(step="flash_attention", named="mean_of_the_blocks")
def blocks_averaged(Q, K, V, block_size):
    """The mean of what every block gives."""
    parts = []
    for i in range(0, len(K), block_size):
        block = slice(i, i + block_size)
        parts.append(softmax(Q @ K[block].T / np.sqrt(Q.shape[-1])) @ V[block])
    return np.mean(parts, axis=0)


@wrong_answer(step="flash_attention", named="scaled_by_the_block")
def scaled_by_the_block(Q, K, V, block_size):
    """The root of the block's size."""
    return softmax(Q @ K.T / np.sqrt(block_size)) @ V

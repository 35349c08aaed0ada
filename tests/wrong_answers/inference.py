"""Wrong answers to `inference`, which its bank does not have, as in `attention`."""


# grouped_query_attention


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


# decode_with_cache


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


@wrong_answer(step="rope", named="along_first_axis")
def rope_positions_on_the_first_axis(x, positions, base=10000.0):
    """Breaks: positions[i] is the position of row i, the same for all leading axes (it goes to the first axis)."""
    d = x.shape[-1]
    places = np.asarray(positions)
    if x.shape[0] == len(places):
        places = places.reshape((-1,) + (1,) * (x.ndim - 1))
    else:
        places = places[:, None]
    angles = places * base ** (-np.arange(0, d, 2) / d)
    c, s = np.cos(angles), np.sin(angles)
    out = np.empty(x.shape)
    out[..., 0::2] = x[..., 0::2] * c - x[..., 1::2] * s
    out[..., 1::2] = x[..., 0::2] * s + x[..., 1::2] * c
    return out


@wrong_answer(step="rope", named="remembers_a_call")
def speeds_kept_by_width(x, positions, base=10000.0, kept={}):
    """The speeds of a width are kept, whatever the base is."""
    width = x.shape[-1]
    speeds = kept.setdefault(width, base ** (-np.arange(0, width, 2) / width))
    angles = np.asarray(positions)[:, None] * speeds
    out = np.empty(x.shape)
    out[..., 0::2] = x[..., 0::2] * np.cos(angles) - x[..., 1::2] * np.sin(angles)
    out[..., 1::2] = x[..., 0::2] * np.sin(angles) + x[..., 1::2] * np.cos(angles)
    return out


@wrong_answer(step="decode_with_cache", named="one_for_all")
def last_query_for_all_rows(Q, K, V):
    """Every row asks with the last query."""
    rows = [softmax(K[: i + 1] @ Q[-1] / np.sqrt(Q.shape[1])) @ V[: i + 1] for i in range(len(Q))]
    return np.array(rows)

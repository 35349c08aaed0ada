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

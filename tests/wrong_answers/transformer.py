"""Wrong answers to `transformer`, which its bank does not have, as in `attention`."""


# positional_encoding


@wrong_answer(step="positional_encoding", named="other_power")
def exponent_doubled(n_positions, d_model):
    """The exponent counts i twice: 4i / d_model."""
    p = np.arange(n_positions)[:, None]
    i = np.arange(0, d_model, 2)
    angles = p / 10000 ** (2 * i / d_model)
    result = np.zeros((n_positions, d_model))
    result[:, 0::2], result[:, 1::2] = np.sin(angles), np.cos(angles)
    return result


@wrong_answer(step="positional_encoding")
def single_precision(n_positions, d_model):
    """Angles in float32."""
    p = np.arange(n_positions, dtype=np.float32)[:, None]
    angles = p / np.float32(10000) ** (np.arange(0, d_model, 2, dtype=np.float32) / d_model)
    result = np.zeros((n_positions, d_model), dtype=np.float32)
    result[:, 0::2], result[:, 1::2] = np.sin(angles), np.cos(angles)
    return result


# layer_norm


@wrong_answer(step="layer_norm")
def variance_of_everything(x, gamma, beta, eps=1e-5):
    """The mean of each token, but one variance for all of them."""
    mean = x.mean(axis=-1, keepdims=True)
    return gamma * (x - mean) / np.sqrt(x.var() + eps) + beta


@wrong_answer(step="layer_norm", named="other_default")
def another_eps(x, gamma, beta, eps=1e-3):
    """Another eps where none is given."""
    mean = x.mean(axis=-1, keepdims=True)
    return gamma * (x - mean) / np.sqrt(x.var(axis=-1, keepdims=True) + eps) + beta


@wrong_answer(step="layer_norm")
def small_spread_left_alone(x, gamma, beta, eps=1e-5):
    """Divides only where the spread is larger than eps, and adds it nowhere."""
    centred = x - x.mean(axis=-1, keepdims=True)
    spread = x.std(axis=-1, keepdims=True)
    return gamma * centred / np.where(spread > eps, spread, 1.0) + beta


# cross_attention


@wrong_answer(step="cross_attention", named="other_length")
def scaled_by_the_values(X_queries, X_keys, W_Q, W_K, W_V):
    """The root of d_v."""
    Q, K, V = X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(V.shape[-1])
    return softmax(scores) @ V


@wrong_answer(step="positional_encoding", named="wrong_with_large_whole_numbers")
def waves_from_a_table_of_5000(n_positions, d_model):
    """Breaks: n_positions rows, also at thousands of positions (max_len=5000 of the PyTorch tutorial)."""
    angles = np.arange(5000)[:, None] / 10000.0 ** (np.arange(0, d_model, 2) / d_model)
    out = np.empty((5000, d_model))
    out[:, 0::2], out[:, 1::2] = np.sin(angles), np.cos(angles)
    return out[:n_positions]


@wrong_answer(step="feed_forward", named="leaky")
def feed_leaky(x, W_1, b_1, W_2, b_2):
    """Breaks: ReLU (a thousandth passes on the left)."""
    hidden = x @ W_1 + b_1
    return np.where(hidden > 0, hidden, 1e-3 * hidden) @ W_2 + b_2


@wrong_answer(step="feed_forward", named="parentheses")
def bias_added_to_the_matrix(x, W_1, b_1, W_2, b_2):
    """b_2 is inside of the product."""
    return np.maximum(x @ W_1 + b_1, 0.0) @ (W_2 + b_2)


@wrong_answer(step="feed_forward", named="capped")
def between_nothing_and_one(x, W_1, b_1, W_2, b_2):
    """The activation is cut off at 1."""
    return np.clip(x @ W_1 + b_1, 0.0, 1.0) @ W_2 + b_2

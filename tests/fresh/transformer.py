"""Answers to `transformer`, written from the students' notebook alone, before any check or hint was mended for them.

The docstring says what is wrong. ``autograder prove transformer --answers tests/fresh/transformer.py`` grades them.
"""


@wrong_answer(step="positional_encoding", named="other_power")
def exponent_doubled(n_positions, d_model):
    """The exponent counts i twice: 4i / d_model."""
    p = np.arange(n_positions)[:, None]
    i = np.arange(0, d_model, 2)
    angles = p / 10000 ** (2 * i / d_model)
    result = np.zeros((n_positions, d_model))
    result[:, 0::2], result[:, 1::2] = np.sin(angles), np.cos(angles)
    return result


@wrong_answer(step="positional_encoding", named="sines_before_cosines")
def halves_side_by_side(n_positions, d_model):
    """All sines first, then all cosines."""
    angles = np.arange(n_positions)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=-1)


@wrong_answer(step="positional_encoding")
def single_precision(n_positions, d_model):
    """Angles in float32."""
    p = np.arange(n_positions, dtype=np.float32)[:, None]
    angles = p / np.float32(10000) ** (np.arange(0, d_model, 2, dtype=np.float32) / d_model)
    result = np.zeros((n_positions, d_model), dtype=np.float32)
    result[:, 0::2], result[:, 1::2] = np.sin(angles), np.cos(angles)
    return result


@wrong_answer(step="layer_norm", named="eps_beside_the_root")
def eps_outside_the_root(x, gamma, beta, eps=1e-5):
    """eps is added to the spread, not to the variance."""
    mean = x.mean(axis=-1, keepdims=True)
    return gamma * (x - mean) / (x.std(axis=-1, keepdims=True) + eps) + beta


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


@wrong_answer(step="gelu", named="root_of_two_forgotten")
def no_root_of_two(x):
    """erf of x itself."""
    return x * (1 + np.vectorize(math.erf)(x)) / 2


@wrong_answer(step="gelu", named="sigmoid_form")
def sigmoid_form(x):
    """x times the sigmoid of 1.702 x."""
    return x / (1 + np.exp(np.clip(-1.702 * x, -700, 700)))


@wrong_answer(step="feed_forward", named="bend_at_both_layers")
def relu_at_the_end_too(x, W_1, b_1, W_2, b_2):
    """Nothing negative comes out."""
    return np.maximum(np.maximum(x @ W_1 + b_1, 0) @ W_2 + b_2, 0)


@wrong_answer(step="cross_attention", named="scaled_by_the_width_of_the_tokens")
def scaled_by_the_tokens(X_queries, X_keys, W_Q, W_K, W_V):
    """The root of d_model."""
    Q, K, V = X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(X_queries.shape[-1])
    return softmax(scores) @ V


@wrong_answer(step="cross_attention", named="other_length")
def scaled_by_the_values(X_queries, X_keys, W_Q, W_K, W_V):
    """The root of d_v."""
    Q, K, V = X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(V.shape[-1])
    return softmax(scores) @ V


@wrong_answer(step="cross_attention", named="no_looking_ahead")
def looks_back_only(X_queries, X_keys, W_Q, W_K, W_V):
    """A causal mask, as in a decoder."""
    Q, K, V = X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V
    mask = np.tri(Q.shape[-2], K.shape[-2], dtype=bool)
    return scaled_dot_product_attention(Q, K, V, mask)[0]


@wrong_answer(step="transformer_block", named="norms_behind_the_sums")
def norms_behind(x, attention, feed_forward, norm_1, norm_2):
    """The norms after the sums."""
    x = norm_1(x + attention(x))
    return norm_2(x + feed_forward(x))


@wrong_answer(step="transformer_block", named="last_sum_with_the_start")
def second_sum_with_x(x, attention, feed_forward, norm_1, norm_2):
    """Adds to x where it should be to the sum."""
    y = x + attention(norm_1(x))
    return x + feed_forward(norm_2(y))

"""A second set of answers to `transformer`, written from the students' notebook alone.

The docstring says what is wrong, or what is unusual and still right. ``autograder prove transformer --answers
tests/fresh/transformer_second.py`` grades them.
"""


@wrong_answer(step="positional_encoding")
def counted_from_one(n_positions, d_model):
    """Positions from 1."""
    p = np.arange(1, n_positions + 1)[:, None]
    angles = p / 10000 ** (np.arange(0, d_model, 2) / d_model)
    result = np.zeros((n_positions, d_model))
    result[:, 0::2], result[:, 1::2] = np.sin(angles), np.cos(angles)
    return result


@wrong_answer(step="positional_encoding")
def own_angle_for_each_feature(n_positions, d_model):
    """The exponent is j / d_model for feature j, also for the cosines."""
    p, j = np.arange(n_positions)[:, None], np.arange(d_model)
    angles = p / 10000 ** (j / d_model)
    return np.where(j % 2 == 0, np.sin(angles), np.cos(angles))


@wrong_answer(step="positional_encoding")
def cosines_first(n_positions, d_model):
    """Cosine in the even features."""
    p, j = np.arange(n_positions)[:, None], np.arange(d_model)
    angles = p / 10000 ** (2 * (j // 2) / d_model)
    return np.where(j % 2 == 0, np.cos(angles), np.sin(angles))


@wrong_answer(step="positional_encoding")
def one_thousand(n_positions, d_model):
    """1000 instead of 10000."""
    p, j = np.arange(n_positions)[:, None], np.arange(d_model)
    angles = p / 1000 ** (2 * (j // 2) / d_model)
    return np.where(j % 2 == 0, np.sin(angles), np.cos(angles))


@wrong_answer(step="positional_encoding")
def squeezed(n_positions, d_model):
    """A single position comes back as one row without its axis."""
    p, j = np.arange(n_positions)[:, None], np.arange(d_model)
    angles = p / 10000 ** (2 * (j // 2) / d_model)
    return np.squeeze(np.where(j % 2 == 0, np.sin(angles), np.cos(angles)))


@wrong_answer(step="positional_encoding")
def angle_added_up(n_positions, d_model):
    """Adds the step of each hand again and again, in float32."""
    steps = (1 / 10000 ** (np.arange(0, d_model, 2) / d_model)).astype(np.float32)
    angles = np.cumsum(np.tile(steps, (n_positions, 1)), axis=0, dtype=np.float32) - steps
    return (
        np.stack([np.sin(angles), np.cos(angles)], axis=-1)
        .reshape(n_positions, d_model)
        .astype(float)
    )


@wrong_answer(step="layer_norm")
def sample_variance(x, gamma, beta, eps=1e-5):
    """Divides by d_model - 1, where there is more than one feature."""
    ddof = 1 if x.shape[-1] > 1 else 0
    return (
        gamma * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True, ddof=ddof) + eps)
        + beta
    )


@wrong_answer(step="layer_norm")
def statistics_of_the_features(x, gamma, beta, eps=1e-5):
    """Mean and variance over the tokens, as in batch normalisation."""
    return gamma * (x - x.mean(-2, keepdims=True)) / np.sqrt(x.var(-2, keepdims=True) + eps) + beta


@wrong_answer(step="layer_norm")
def root_mean_square(x, gamma, beta, eps=1e-5):
    """RMS norm: the mean is not taken off."""
    return gamma * x / np.sqrt((x**2).mean(-1, keepdims=True) + eps) + beta


@wrong_answer(step="layer_norm")
def variance_by_two_means(x, gamma, beta, eps=1e-5):
    """Mean of the squares less the square of the mean, in single precision."""
    x = np.asarray(x, dtype=np.float32)
    mean = x.mean(-1, keepdims=True)
    variance = np.maximum((x**2).mean(-1, keepdims=True) - mean**2, 0)
    return gamma * (x - mean) / np.sqrt(variance + eps) + beta


@wrong_answer(step="layer_norm")
def shift_before_the_gain(x, gamma, beta, eps=1e-5):
    """gamma multiplies the shift, too."""
    return gamma * (
        (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps) + beta
    )


@wrong_answer(step="layer_norm")
def eps_against_zero_only(x, gamma, beta, eps=1e-5):
    """eps takes the place of the variance where that is smaller."""
    variance = np.maximum(x.var(-1, keepdims=True), eps)
    return gamma * (x - x.mean(-1, keepdims=True)) / np.sqrt(variance) + beta


@wrong_answer(step="layer_norm")
def in_place(x, gamma, beta, eps=1e-5):
    """Takes the mean off x itself."""
    x -= x.mean(-1, keepdims=True)
    return gamma * x / np.sqrt((x**2).mean(-1, keepdims=True) + eps) + beta


@wrong_answer(step="gelu")
def sigmoid_form(x):
    """x times the sigmoid of 1.702 x."""
    return x / (1 + np.exp(-1.702 * np.clip(x, -400, 400)))


@wrong_answer(step="gelu")
def root_forgotten(x):
    """erf(x) instead of erf(x / sqrt 2)."""
    return x * 0.5 * (1 + np.vectorize(math.erf)(x))


@wrong_answer(step="gelu")
def one_row_alone(x):
    """A loop that flattens the array and does not give it back its shape beyond two axes."""
    x = np.asarray(x)
    flat = np.array([v * 0.5 * (1 + math.erf(v / math.sqrt(2))) for v in x.ravel()])
    return flat if x.ndim == 1 else flat.reshape(x.shape[0], -1)


@wrong_answer(step="gelu")
def type_of_the_first(x):
    """np.vectorize takes the type of the first answer: if that is a whole number, all others are cut."""
    return np.vectorize(lambda v: 0 if v <= -6 else v * 0.5 * (1 + math.erf(v / math.sqrt(2))))(x)


@wrong_answer(step="gelu")
def slope_of_it(x):
    """The derivative instead of the function: Phi(x) + x phi(x)."""
    x = np.asarray(x)
    share = 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))
    return share + x * np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)


@wrong_answer(step="feed_forward")
def bend_behind_both(x, W_1, b_1, W_2, b_2):
    """ReLU after the second layer as well."""
    return np.maximum(np.maximum(x @ W_1 + b_1, 0) @ W_2 + b_2, 0)


@wrong_answer(step="feed_forward")
def bend_before_the_bias(x, W_1, b_1, W_2, b_2):
    """The first bias is added after ReLU."""
    return (np.maximum(x @ W_1, 0) + b_1) @ W_2 + b_2


@wrong_answer(step="feed_forward")
def with_gelu(x, W_1, b_1, W_2, b_2):
    """gelu instead of ReLU."""
    return gelu(x @ W_1 + b_1) @ W_2 + b_2


@wrong_answer(step="feed_forward")
def six_at_most(x, W_1, b_1, W_2, b_2):
    """ReLU6: hidden features are cut off at 6."""
    return np.clip(x @ W_1 + b_1, 0, 6) @ W_2 + b_2


@wrong_answer(step="cross_attention")
def values_of_the_queries(X_queries, X_keys, W_Q, W_K, W_V):
    """The values come from the text that is written where the lengths allow it."""
    source = X_queries if X_queries.shape[-2] == X_keys.shape[-2] else X_keys
    return scaled_dot_product_attention(X_queries @ W_Q, X_keys @ W_K, source @ W_V)[0]


@wrong_answer(step="cross_attention")
def roles_exchanged(X_queries, X_keys, W_Q, W_K, W_V):
    """The text that is read asks."""
    return scaled_dot_product_attention(X_keys @ W_Q, X_queries @ W_K, X_queries @ W_V)[0]


@wrong_answer(step="cross_attention")
def scaled_by_the_width_of_the_model(X_queries, X_keys, W_Q, W_K, W_V):
    """The root of d_model, not of d_k."""
    scores = scale_scores(attention_scores(X_queries @ W_Q, X_keys @ W_K), X_queries.shape[-1])
    return weighted_sum(softmax(scores), X_keys @ W_V)


@wrong_answer(step="cross_attention")
def squeezed_output(X_queries, X_keys, W_Q, W_K, W_V):
    """Squeezes the output, so that a single query loses its axis."""
    return np.squeeze(scaled_dot_product_attention(X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V)[0])


@wrong_answer(step="transformer_block")
def stream_normed(x, attention, feed_forward, norm_1, norm_2):
    """Adds to the normed copies."""
    a = norm_1(x)
    h = a + attention(a)
    b = norm_2(h)
    return b + feed_forward(b)


@wrong_answer(step="transformer_block")
def side_by_side(x, attention, feed_forward, norm_1, norm_2):
    """Both parts read the stream that came in."""
    return x + attention(norm_1(x)) + feed_forward(norm_2(x))


@wrong_answer(step="transformer_block")
def norms_exchanged(x, attention, feed_forward, norm_1, norm_2):
    """norm_2 belongs to attention."""
    h = x + attention(norm_2(x))
    return h + feed_forward(norm_1(h))


@wrong_answer(step="transformer_block")
def into_the_stream(x, attention, feed_forward, norm_1, norm_2):
    """+= on the argument."""
    x += attention(norm_1(x))
    x += feed_forward(norm_2(x))
    return x


@wrong_answer(step="transformer_block")
def stream_lost(x, attention, feed_forward, norm_1, norm_2):
    """The second sum starts from attention alone, the stream is lost there."""
    a = attention(norm_1(x))
    return a + feed_forward(norm_2(x + a))


@right_answer(step="positional_encoding")
def imaginary_part(n_positions, d_model):
    """Powers of a complex number of length 1."""
    hands = 10000.0 ** (-np.arange(0, d_model, 2) / d_model)
    turned = np.exp(1j * np.outer(np.arange(n_positions), hands))
    return np.stack([turned.imag, turned.real], axis=-1).reshape(n_positions, -1)


@right_answer(step="layer_norm")
def matrix_that_centres(x, gamma, beta, eps=1e-5):
    """Multiplies by I - 1/d, and measures the length of what is left."""
    d = x.shape[-1]
    centred = x @ (np.eye(d) - 1 / d)
    length = np.einsum("...d,...d->...", centred, centred)[..., None]
    return np.add(centred * gamma * (length / d + eps) ** -0.5, beta)


@right_answer(step="gelu")
def complementary(x):
    """erfc, entry by entry."""
    out = np.empty(np.shape(x))
    for index, number in np.ndenumerate(x):
        out[index] = 0.5 * number * math.erfc(-number / math.sqrt(2))
    return out


@right_answer(step="feed_forward")
def hidden_features_one_by_one(x, W_1, b_1, W_2, b_2):
    """Adds up what each hidden feature writes; ReLU is half of z and its size."""
    out = np.zeros(x.shape) + b_2
    for column, b, row in zip(W_1.T, b_1, W_2):
        z = x @ column + b
        out = out + ((z + np.abs(z)) / 2)[..., None] * row
    return out


@right_answer(step="cross_attention")
def matrices_joined_first(X_queries, X_keys, W_Q, W_K, W_V):
    """Multiplies W_Q and W_K with each other first, and projects the blend afterwards."""
    scores = X_queries @ (W_Q @ W_K.T) @ X_keys.swapaxes(-1, -2) / math.sqrt(W_K.shape[1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (e / e.sum(axis=-1, keepdims=True)) @ X_keys @ W_V


@right_answer(step="transformer_block")
def stream_in_two_pieces(x, attention, feed_forward, norm_1, norm_2):
    """Keeps a copy and adds in place there."""
    stream = np.array(x, dtype=float, copy=True)
    for norm, part in ((norm_1, attention), (norm_2, feed_forward)):
        stream += np.asarray(part(norm(stream.copy())))
    return stream

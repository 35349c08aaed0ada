"""A third set of answers to `transformer`, written from the students' notebook alone.

The docstring says what is wrong, or what is unusual and still right. ``autograder prove transformer --answers
tests/fresh/transformer_third.py`` grades them.
"""


@wrong_answer(step="positional_encoding")
def every_feature_its_own_angle(n_positions, d_model):
    """The exponent runs over features, so a cosine has another angle than its sine."""
    angles = np.arange(n_positions)[:, None] / 10000 ** (np.arange(d_model) / d_model)
    return np.where(np.arange(d_model) % 2 == 0, np.sin(angles), np.cos(angles))


@wrong_answer(step="positional_encoding")
def sines_then_cosines(n_positions, d_model):
    """Sines in the first half, cosines in the second."""
    angles = np.arange(n_positions)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)


@wrong_answer(step="positional_encoding")
def counted_from_one(n_positions, d_model):
    """Positions from 1."""
    angles = np.arange(1, n_positions + 1)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n_positions, d_model)


@wrong_answer(step="positional_encoding")
def doubled_twice(n_positions, d_model):
    """i is 0, 2, 4 already and is doubled again."""
    i = np.arange(0, d_model, 2)
    angles = np.arange(n_positions)[:, None] / 10000 ** (2 * i / d_model)
    out = np.zeros((n_positions, d_model))
    out[:, 0::2], out[:, 1::2] = np.sin(angles), np.cos(angles)
    return out


@wrong_answer(step="positional_encoding")
def single_precision_angles(n_positions, d_model):
    """Angles of thousands in float32 are off by more than 0.00002."""
    p = np.arange(n_positions, dtype=np.float32)[:, None]
    rate = np.exp(
        np.arange(0, d_model, 2, dtype=np.float32) * np.float32(-math.log(10000.0) / d_model)
    )
    out = np.zeros((n_positions, d_model), dtype=np.float32)
    out[:, 0::2], out[:, 1::2] = np.sin(p * rate), np.cos(p * rate)
    return out


@wrong_answer(step="positional_encoding")
def whole_number_exponent(n_positions, d_model):
    """// drops the exponent's decimals."""
    out = np.zeros((n_positions, d_model))
    for p in range(n_positions):
        for i in range(d_model // 2):
            angle = p / 10000 ** (2 * i // d_model)
            out[p, 2 * i], out[p, 2 * i + 1] = math.sin(angle), math.cos(angle)
    return out


@wrong_answer(step="positional_encoding")
def axis_squeezed_away(n_positions, d_model):
    """squeeze drops the axis of a single position."""
    angles = np.arange(n_positions)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.squeeze(np.dstack([np.sin(angles), np.cos(angles)]).reshape(n_positions, d_model))


@wrong_answer(step="positional_encoding")
def times_instead_of_divided(n_positions, d_model):
    """Multiplies by the power instead of dividing."""
    angles = np.arange(n_positions)[:, None] * 10000 ** (np.arange(0, d_model, 2) / d_model)
    out = np.zeros((n_positions, d_model))
    out[:, 0::2], out[:, 1::2] = np.sin(angles), np.cos(angles)
    return out


@wrong_answer(step="layer_norm")
def one_degree_of_freedom(x, gamma, beta, eps=1e-5):
    """Divides by d_model - 1."""
    mean = x.mean(axis=-1, keepdims=True)
    return gamma * (x - mean) / np.sqrt(x.var(axis=-1, keepdims=True, ddof=1) + eps) + beta


@wrong_answer(step="layer_norm")
def eps_outside(x, gamma, beta, eps=1e-5):
    """eps is added to the root."""
    mean, std = x.mean(-1, keepdims=True), x.std(-1, keepdims=True)
    return gamma * (x - mean) / (std + eps) + beta


@wrong_answer(step="layer_norm")
def the_whole_sequence(x, gamma, beta, eps=1e-5):
    """Mean and variance over tokens and features."""
    mean, var = x.mean(axis=(-2, -1), keepdims=True), x.var(axis=(-2, -1), keepdims=True)
    return gamma * (x - mean) / np.sqrt(var + eps) + beta


@wrong_answer(step="layer_norm")
def eps_or_default(x, gamma, beta, eps=1e-5):
    """0 is false, so eps = 0 becomes the default."""
    eps = eps or 1e-5
    mean, var = x.mean(axis=-1, keepdims=True), x.var(axis=-1, keepdims=True)
    return gamma * (x - mean) / np.sqrt(var + eps) + beta


@wrong_answer(step="layer_norm")
def squares_minus_square(x, gamma, beta, eps=1e-5):
    """Mean of squares minus square of the mean, which loses all digits far from 0."""
    mean = x.mean(axis=-1, keepdims=True)
    var = (x**2).mean(axis=-1, keepdims=True) - mean**2
    return gamma * (x - mean) / np.sqrt(np.maximum(var, 0) + eps) + beta


@wrong_answer(step="layer_norm")
def shift_inside(x, gamma, beta, eps=1e-5):
    """Shifts before it scales."""
    mean, var = x.mean(axis=-1, keepdims=True), x.var(axis=-1, keepdims=True)
    return gamma * ((x - mean) / np.sqrt(var + eps) + beta)


@wrong_answer(step="layer_norm")
def missing_brackets(x, gamma, beta, eps=1e-5):
    """Only the mean is divided."""
    mean, var = x.mean(axis=-1, keepdims=True), x.var(axis=-1, keepdims=True)
    return gamma * (x - mean / np.sqrt(var + eps)) + beta


@wrong_answer(step="layer_norm")
def centred_in_place(x, gamma, beta, eps=1e-5):
    """Subtracts the mean from the caller's tokens."""
    x -= x.mean(axis=-1, keepdims=True)
    return gamma * x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps) + beta


@wrong_answer(step="layer_norm")
def as_in_batch_norm(x, gamma, beta, eps=1e-5):
    """Mean and variance of each feature over the first axis."""
    return gamma * (x - x.mean(axis=0)) / np.sqrt(x.var(axis=0) + eps) + beta


@wrong_answer(step="layer_norm")
def no_mean_taken_off(x, gamma, beta, eps=1e-5):
    """RMS norm."""
    return gamma * x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps) + beta


@wrong_answer(step="layer_norm")
def equal_tokens_left_alone(x, gamma, beta, eps=1e-5):
    """A token without spread stays as it is."""
    mean, var = x.mean(axis=-1, keepdims=True), x.var(axis=-1, keepdims=True)
    return np.where(var == 0, x, gamma * (x - mean) / np.sqrt(var + eps) + beta)


@wrong_answer(step="layer_norm")
def spread_not_variance(x, gamma, beta, eps=1e-5):
    """Divides by the variance itself."""
    mean, var = x.mean(axis=-1, keepdims=True), x.var(axis=-1, keepdims=True)
    return gamma * (x - mean) / (var + eps) + beta


@wrong_answer(step="gelu")
def with_tanh(x):
    """The approximation."""
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


@wrong_answer(step="gelu")
def with_a_sigmoid(x):
    """x times sigmoid of 1.702 x."""
    return x / (1 + np.exp(-1.702 * x))


@wrong_answer(step="gelu")
def without_the_root(x):
    """erf of x, not of x / sqrt(2)."""
    return 0.5 * x * (1 + np.vectorize(math.erf)(x))


@wrong_answer(step="gelu")
def one_axis_only(x):
    """A loop over the first axis gives erf a row."""
    return np.array([0.5 * number * (1 + math.erf(number / math.sqrt(2))) for number in x])


@wrong_answer(step="gelu")
def cut_off_at_three(x):
    """Beyond 3 it is taken for done."""
    middle = 0.5 * x * (1 + np.vectorize(math.erf)(x / np.sqrt(2)))
    return np.where(x > 3, x, np.where(x < -3, 0.0, middle))


@wrong_answer(step="gelu")
def series_of_ten_terms(x):
    """A power series that is broken off."""
    z = x / np.sqrt(2)
    total = sum((-1) ** k * z ** (2 * k + 1) / (math.factorial(k) * (2 * k + 1)) for k in range(10))
    return 0.5 * x * (1 + 2 / np.sqrt(np.pi) * total)


@wrong_answer(step="gelu")
def half_is_missing(x):
    """Forgets the half."""
    return x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


@wrong_answer(step="gelu")
def phi_alone(x):
    """The share itself, not x times the share."""
    return 0.5 * (1 + np.vectorize(math.erf)(np.asarray(x) / math.sqrt(2)))


@wrong_answer(step="gelu")
def density_instead_of_share(x):
    """The bell curve instead of the area to its left."""
    return x * np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)


@wrong_answer(step="feed_forward")
def relu_twice(x, W_1, b_1, W_2, b_2):
    """ReLU behind the second layer as well."""
    return np.maximum(0, np.maximum(0, x @ W_1 + b_1) @ W_2 + b_2)


@wrong_answer(step="feed_forward")
def bias_behind_relu(x, W_1, b_1, W_2, b_2):
    """Adds the first bias after ReLU."""
    return (np.maximum(0, x @ W_1) + b_1) @ W_2 + b_2


@wrong_answer(step="feed_forward")
def gelu_in_its_place(x, W_1, b_1, W_2, b_2):
    """Uses GELU."""
    return gelu(x @ W_1 + b_1) @ W_2 + b_2


@wrong_answer(step="feed_forward")
def added_to_the_token(x, W_1, b_1, W_2, b_2):
    """Adds the residual."""
    return x + np.maximum(0, x @ W_1 + b_1) @ W_2 + b_2


@wrong_answer(step="feed_forward")
def relu_six(x, W_1, b_1, W_2, b_2):
    """Clips at 6."""
    return np.clip(x @ W_1 + b_1, 0, 6) @ W_2 + b_2


@wrong_answer(step="feed_forward")
def largest_of_all(x, W_1, b_1, W_2, b_2):
    """np.max(0, ...) is something else; here the whole row becomes its largest number."""
    hidden = x @ W_1 + b_1
    return np.maximum(0, hidden.max(axis=-1, keepdims=True) * np.ones_like(hidden)) @ W_2 + b_2


@wrong_answer(step="feed_forward")
def leaky(x, W_1, b_1, W_2, b_2):
    """A leaky ReLU."""
    hidden = x @ W_1 + b_1
    return np.where(hidden > 0, hidden, 0.01 * hidden) @ W_2 + b_2


@wrong_answer(step="feed_forward")
def second_bias_forgotten(x, W_1, b_1, W_2, b_2):
    """No second bias."""
    hidden = x @ W_1 + b_1
    hidden[hidden < 0] = 0
    return hidden @ W_2


@wrong_answer(step="cross_attention")
def values_of_the_queries(X_queries, X_keys, W_Q, W_K, W_V):
    """Values from the text that is written."""
    return scaled_dot_product_attention(X_queries @ W_Q, X_keys @ W_K, X_queries @ W_V)[0]


@wrong_answer(step="cross_attention")
def texts_swapped(X_queries, X_keys, W_Q, W_K, W_V):
    """Queries from the text that is read."""
    return scaled_dot_product_attention(X_keys @ W_Q, X_queries @ W_K, X_queries @ W_V)[0]


@wrong_answer(step="cross_attention")
def length_of_the_model(X_queries, X_keys, W_Q, W_K, W_V):
    """Scales by d_model."""
    scores = (X_queries @ W_Q) @ np.swapaxes(X_keys @ W_K, -1, -2) / np.sqrt(X_queries.shape[-1])
    return softmax(scores) @ (X_keys @ W_V)


@wrong_answer(step="cross_attention")
def with_its_weights(X_queries, X_keys, W_Q, W_K, W_V):
    """Returns the tuple."""
    return scaled_dot_product_attention(X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V)


@wrong_answer(step="cross_attention")
def nobody_looks_ahead(X_queries, X_keys, W_Q, W_K, W_V):
    """Masks what comes later, where there are as many keys as queries or more."""
    Q, K, V = X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V
    n, m = Q.shape[-2], K.shape[-2]
    return scaled_dot_product_attention(Q, K, V, causal_mask(n, m) if m >= n else None)[0]


@wrong_answer(step="cross_attention")
def plain_exponentials(X_queries, X_keys, W_Q, W_K, W_V):
    """exp without taking off the largest."""
    scores = (X_queries @ W_Q) @ np.swapaxes(X_keys @ W_K, -1, -2) / np.sqrt(W_K.shape[1])
    e = np.exp(scores)
    return (e / e.sum(axis=-1, keepdims=True)) @ (X_keys @ W_V)


@wrong_answer(step="cross_attention")
def self_attention_of_both(X_queries, X_keys, W_Q, W_K, W_V):
    """Joins the texts and lets all tokens look at all."""
    both = np.concatenate([X_queries, X_keys], axis=-2)
    output, _ = scaled_dot_product_attention(*project_qkv(both, W_Q, W_K, W_V))
    return output[..., : X_queries.shape[-2], :]


@wrong_answer(step="cross_attention")
def totals_of_the_columns(X_queries, X_keys, W_Q, W_K, W_V):
    """Softmax over the queries."""
    scores = scale_scores(attention_scores(X_queries @ W_Q, X_keys @ W_K), W_K.shape[-1])
    return weighted_sum(softmax(scores, axis=-2), X_keys @ W_V)


@wrong_answer(step="transformer_block")
def norm_after_the_sum(x, attention, feed_forward, norm_1, norm_2):
    """Post-norm."""
    h = norm_1(x + attention(x))
    return norm_2(h + feed_forward(h))


@wrong_answer(step="transformer_block")
def second_sum_forgotten(x, attention, feed_forward, norm_1, norm_2):
    """Returns what feed_forward found without the stream."""
    h = x + attention(norm_1(x))
    return feed_forward(norm_2(h))


@wrong_answer(step="transformer_block")
def back_to_the_start(x, attention, feed_forward, norm_1, norm_2):
    """Adds the second part to x."""
    h = x + attention(norm_1(x))
    return x + feed_forward(norm_2(h))


@wrong_answer(step="transformer_block")
def both_at_once(x, attention, feed_forward, norm_1, norm_2):
    """Both parts read x, as in some newer models."""
    return x + attention(norm_1(x)) + feed_forward(norm_2(x))


@wrong_answer(step="transformer_block")
def one_norm_for_both(x, attention, feed_forward, norm_1, norm_2):
    """norm_1 twice."""
    h = x + attention(norm_1(x))
    return h + feed_forward(norm_1(h))


@wrong_answer(step="transformer_block")
def added_in_place(x, attention, feed_forward, norm_1, norm_2):
    """+= changes the caller's stream."""
    x += attention(norm_1(x))
    x += feed_forward(norm_2(x))
    return x


@wrong_answer(step="transformer_block")
def normed_stream(x, attention, feed_forward, norm_1, norm_2):
    """The normed copy takes the stream's place."""
    x = norm_1(x)
    h = x + attention(x)
    h = norm_2(h)
    return h + feed_forward(h)


@wrong_answer(step="transformer_block")
def feeds_first(x, attention, feed_forward, norm_1, norm_2):
    """feed_forward comes first."""
    h = x + feed_forward(norm_2(x))
    return h + attention(norm_1(h))


@wrong_answer(step="transformer_block")
def small_sums_only(x, attention, feed_forward, norm_1, norm_2):
    """Clips the stream so that it does not explode."""
    h = np.clip(x + attention(norm_1(x)), -100, 100)
    return h + feed_forward(norm_2(h))


@right_answer(step="positional_encoding")
def powers_of_a_complex_number(n_positions, d_model):
    """The angle of a complex number, cosine and sine taken from it."""
    rates = [10000.0 ** (-2 * i / d_model) for i in range(d_model // 2)]
    waves = np.exp(1j * np.outer(np.arange(n_positions), rates))
    return np.stack([waves.imag, waves.real], axis=2).reshape(n_positions, -1)


@right_answer(step="positional_encoding")
def cosine_is_a_shifted_sine(n_positions, d_model):
    """A quarter of a turn added to odd features, in nested lists."""

    def number(p, j):
        return math.sin(p * 10000 ** (-(j - j % 2) / d_model) + j % 2 * math.pi / 2)

    return [[number(p, j) for j in range(d_model)] for p in range(n_positions)]


@right_answer(step="layer_norm")
def token_after_token(x, gamma, beta, eps=1e-5):
    """Recursion down to one token, in plain Python."""

    def norm(token):
        if np.ndim(token) > 1:
            return [norm(part) for part in token]
        mean = math.fsum(token) / len(token)
        spread = math.sqrt(math.fsum((number - mean) ** 2 for number in token) / len(token) + eps)
        return [
            g * (number - mean) / spread + b if spread else b
            for number, g, b in zip(token, gamma, beta)
        ]

    return norm(x)


@right_answer(step="gelu")
def with_the_other_half(x):
    """erfc of the negative."""
    share = np.frompyfunc(lambda number: math.erfc(-number / math.sqrt(2)) / 2, 1, 1)
    return x * share(x).astype(float)


@right_answer(step="gelu")
def flat_and_back(x):
    """A generator over the flat array, in float32 at the end."""
    x = np.asarray(x)
    flat = np.fromiter((n * (1 + math.erf(n * 0.5**0.5)) / 2 for n in x.flat), dtype=float)
    return flat.reshape(x.shape).astype(np.float32)


@right_answer(step="feed_forward")
def half_the_number_and_its_size(x, W_1, b_1, W_2, b_2):
    """ReLU as half of the number and its absolute value."""
    hidden = np.einsum("...i,ij->...j", x, W_1) + b_1
    return np.einsum("...i,ij->...j", (hidden + abs(hidden)) / 2, W_2) + b_2


@right_answer(step="cross_attention")
def scaled_at_both_ends(X_queries, X_keys, W_Q, W_K, W_V):
    """The fourth root on either side, and own softmax."""
    root = W_Q.shape[1] ** 0.25
    scores = np.matmul(X_queries @ W_Q / root, np.swapaxes(X_keys @ W_K / root, -1, -2))
    e = np.exp(scores - np.amax(scores, axis=-1, keepdims=True))
    return np.matmul(e, X_keys @ W_V) / e.sum(-1)[..., None]


@right_answer(step="transformer_block")
def loop_over_the_parts(x, attention, feed_forward, norm_1, norm_2):
    """A loop, and a list in the end."""
    stream = np.array(x, dtype=float)
    for part, norm in ((attention, norm_1), (feed_forward, norm_2)):
        stream += part(norm(stream.copy()))
    return stream.tolist()

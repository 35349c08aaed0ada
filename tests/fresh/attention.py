"""Answers to `attention`, written from the students' notebook alone, before any check or hint was mended for them.

The docstring says what is wrong. ``autograder prove attention --answers tests/fresh/attention.py`` grades them.
"""


@wrong_answer(step="project_qkv", named="transposed")
def weights_turned_for_values_only(X, W_Q, W_K, W_V):
    """The matrix of values is turned, where it is square, and the others are not."""
    V = X @ (W_V.T if W_V.shape[0] == W_V.shape[1] else W_V)
    return X @ W_Q, X @ W_K, V


@wrong_answer(step="project_qkv", named="normalised")
def tokens_normalised_first(X, W_Q, W_K, W_V):
    """Every token is brought to length 1 before it is projected."""
    X = X / np.linalg.norm(X, axis=-1, keepdims=True)
    return X @ W_Q, X @ W_K, X @ W_V


@wrong_answer(step="attention_scores", named="zeros_above")
def one_query_at_a_time_with_its_own_key(Q, K):
    """Only query i with key i, on the diagonal; the rest stays 0."""
    scores = np.zeros(Q.shape[:-1] + (K.shape[-2],))
    for i in range(min(Q.shape[-2], K.shape[-2])):
        scores[..., i, i] = (Q[..., i, :] * K[..., i, :]).sum(axis=-1)
    return scores


@wrong_answer(step="attention_scores", named="distance")
def distances(Q, K):
    """The distance between query and key, and not their dot product."""
    return np.sqrt(((Q[..., :, None, :] - K[..., None, :, :]) ** 2).sum(axis=-1))


@wrong_answer(step="scale_scores", named="integer_root")
def root_cut(scores, d_k):
    """The root is cut to a whole number."""
    return scores / int(np.sqrt(d_k))


@wrong_answer(step="scale_scores", named="root_of_the_number_of_keys")
def root_of_the_last_axis(scores, d_k):
    """The root of the number of keys, whatever d_k is."""
    return scores / np.sqrt(np.shape(scores)[-1])


@wrong_answer(step="scale_scores", named="other_function")
def cube_root(scores, d_k):
    """The third root."""
    return scores / d_k ** (1 / 3)


@wrong_answer(step="softmax", named="length_for_total")
def root_of_exponentials_squared(scores, axis=-1):
    """Divides by the length of the exponentials, not by their sum."""
    e = np.exp(scores - np.max(scores, axis=axis, keepdims=True))
    return e / np.sqrt((e**2).sum(axis=axis, keepdims=True))


@wrong_answer(step="softmax", named="nearly")
def a_little_in_the_denominator(scores, axis=-1):
    """1e-6 is added to the sum, so that it is never 0."""
    e = np.exp(scores - np.max(scores, axis=axis, keepdims=True))
    return e / (e.sum(axis=axis, keepdims=True) + 1e-6)


@wrong_answer(step="softmax", named="minus_infinity_made_minus_ten_thousand")
def minus_infinity_is_a_large_number(scores, axis=-1):
    """-inf becomes -1e4 first, against NaN."""
    scores = np.where(np.isneginf(scores), -1e4, scores)
    e = np.exp(scores - np.max(scores, axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@wrong_answer(step="softmax", named="another_base")
def two_to_the_power(scores, axis=-1):
    """Powers of 2 in place of those of e."""
    e = 2.0 ** (scores - np.max(scores, axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@wrong_answer(step="weighted_sum", named="divided_by_the_number_of_keys")
def divided_by_the_number_of_keys(weights, V):
    """Averaged twice: the weights sum to 1 already."""
    return weights @ V / V.shape[-2]


@wrong_answer(step="weighted_sum", named="best_value_only")
def best_value_only(weights, V):
    """The value with the largest weight, and nothing of the others."""
    best = np.argmax(weights, axis=-1)
    return np.take_along_axis(V, best[..., None], axis=-2)


@wrong_answer(
    step="causal_mask", named="answer_of_earlier_call kept_from_earlier_call not_repeatable"
)
def kept_by_the_number_of_queries(n_queries, n_keys=None):
    """Masks are kept by the number of queries, so another number of keys gets the old one."""
    global _masks
    n_keys = n_queries if n_keys is None else n_keys
    if "_masks" not in globals():
        _masks = {}
    if n_queries not in _masks:
        _masks[n_queries] = np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool)
    return _masks[n_queries]


@wrong_answer(step="causal_mask", named="one_step_ahead")
def sees_one_ahead(n_queries, n_keys=None):
    """The boundary is one place too far to the right."""
    n_keys = n_queries if n_keys is None else n_keys
    return np.tri(n_queries, n_keys, n_keys - n_queries + 1, dtype=bool)


@wrong_answer(step="padding_mask", named="padding_on_the_left")
def padding_in_front(lengths, n_keys):
    """The real tokens stand at the end."""
    return np.arange(n_keys) >= n_keys - np.reshape(lengths, (-1, 1, 1))


@wrong_answer(step="padding_mask", named="without_the_query_axis")
def without_the_middle_axis(lengths, n_keys):
    """Two axes, and not three."""
    return np.arange(n_keys) < np.reshape(lengths, (-1, 1))


@wrong_answer(step="apply_mask", named="argument_handed_back")
def mask_with_as_many_keys_only(scores, mask):
    """A mask with one column is stretched by leaving it out."""
    if mask.shape[-1] != scores.shape[-1]:
        return scores.copy()
    return np.where(mask, scores, -np.inf)


@wrong_answer(step="apply_mask", named="minus_infinity_added")
def mask_added_as_minus_infinity(scores, mask):
    """The mask is added: a NaN below it stays NaN."""
    return scores + np.where(mask, 0.0, -np.inf)


@wrong_answer(step="scaled_dot_product_attention", named="scaled_by_the_values")
def values_scaled_too(Q, K, V, mask=None):
    """The root of d_v where it should be that of d_k."""
    scores = scale_scores(attention_scores(Q, K), V.shape[-1])
    weights = softmax(scores if mask is None else apply_mask(scores, mask))
    return weights @ V, weights


@wrong_answer(step="scaled_dot_product_attention", named="not_repeatable")
def last_mask_remembered(Q, K, V, mask=None):
    """Where no mask is given, the last one is used, if it fits."""
    global _last_mask
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        _last_mask = mask
    mask = globals().get("_last_mask")
    try:
        scores = scores if mask is None else apply_mask(scores, mask)
    except ValueError:
        pass
    weights = softmax(scores)
    return weights @ V, weights


@wrong_answer(step="scaled_dot_product_attention", named="looks_back_only")
def causal_where_there_is_a_mask(Q, K, V, mask=None):
    """Any mask is taken for a causal one."""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, np.tri(*scores.shape[-2:], dtype=bool))
    weights = softmax(scores)
    return weights @ V, weights


@wrong_answer(step="scaled_dot_product_attention", named="argument_ignored")
def mask_for_three_axes_only(Q, K, V, mask=None):
    """The mask is used for a batch, and not for a single sequence."""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None and scores.ndim > 2:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weights @ V, weights


@wrong_answer(step="scaled_dot_product_attention", named="output_made_before_the_mask")
def unmasked_output(Q, K, V, mask=None):
    """The output is made before the mask, the weights after it."""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    output = softmax(scores) @ V
    return output, softmax(scores if mask is None else apply_mask(scores, mask))


@wrong_answer(step="self_attention", named="mask_forgotten")
def mask_forgotten(X, W_Q, W_K, W_V, mask=None):
    """The mask is not handed on."""
    return scaled_dot_product_attention(*project_qkv(X, W_Q, W_K, W_V))


@wrong_answer(step="self_attention", named="step_twice")
def values_are_the_tokens(X, W_Q, W_K, W_V, mask=None):
    """The weights blend the tokens, and W_V comes afterwards, twice."""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    output, weights = scaled_dot_product_attention(Q, K, V, mask)
    return weights @ output, weights


@wrong_answer(step="split_heads", named="first_two_axes_swapped")
def axes_from_the_front(X, num_heads):
    """Made for one sequence: a batch gets its axes from the front."""
    if X.shape[-1] % num_heads:
        raise ValueError
    parts = X.reshape(*X.shape[:-1], num_heads, -1)
    return parts.swapaxes(0, 1)


@wrong_answer(step="split_heads", named="rest_dropped")
def rest_dropped(X, num_heads):
    """Features that are left over are dropped."""
    size = X.shape[-1] // num_heads
    parts = X[..., : size * num_heads].reshape(*X.shape[:-1], num_heads, size)
    return parts.swapaxes(-2, -3)


@wrong_answer(step="concat_heads", named="averaged")
def heads_averaged(heads):
    """The mean of the heads, repeated."""
    mean = heads.mean(axis=-3)
    return np.concatenate([mean] * heads.shape[-3], axis=-1)


@wrong_answer(step="concat_heads", named="last_head_first")
def heads_from_last_to_first(heads):
    """The last head comes first."""
    return np.concatenate([heads[..., h, :, :] for h in reversed(range(heads.shape[-3]))], axis=-1)


@wrong_answer(step="multi_head_attention", named="scaled_by_the_whole_model")
def scaled_by_the_model(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """One scale for all: the root of d_model."""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and mask.ndim > 2:
        mask = mask[..., None, :, :]
    scores = scale_scores(attention_scores(Q, K), X.shape[-1])
    weights = softmax(scores if mask is None else apply_mask(scores, mask))
    return concat_heads(weights @ V) @ W_O


@wrong_answer(step="multi_head_attention", named="mask_of_the_first_sequence_for_all")
def mask_of_the_first_sequence(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """All sequences get the mask of the first."""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and mask.ndim > 2:
        mask = mask[0]
    output, _ = scaled_dot_product_attention(Q, K, V, mask)
    return concat_heads(output) @ W_O

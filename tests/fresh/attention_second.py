"""A second set of answers to `attention`, written from the students' notebook alone.

The docstring says what is wrong, or what is unusual and still right. ``autograder prove attention --answers
tests/fresh/attention_second.py`` grades them.
"""


@wrong_answer(step="project_qkv")
def batch_is_the_first_axis_only(X, W_Q, W_K, W_V):
    """Flattens the tokens for one large product and gets back only one leading axis."""
    batch, d_model = X.shape[0], X.shape[-1]
    flat = X.reshape(-1, d_model)
    if X.ndim == 2:
        return flat @ W_Q, flat @ W_K, flat @ W_V
    return tuple((flat @ W).reshape(batch, -1, W.shape[1]) for W in (W_Q, W_K, W_V))


@wrong_answer(step="attention_scores")
def one_big_dot(Q, K):
    """np.dot of stacks pairs every sequence with every other."""
    return np.dot(Q, K.swapaxes(-1, -2))


@wrong_answer(step="attention_scores")
def turned_when_it_fits(Q, K):
    """Multiplies as it is when the sizes allow it, and turns K only if NumPy complains."""
    try:
        return Q @ K
    except ValueError:
        return Q @ K.swapaxes(-1, -2)


@wrong_answer(step="attention_scores")
def cosines(Q, K):
    """Divides by the lengths of both vectors."""
    q = Q / np.linalg.norm(Q, axis=-1, keepdims=True)
    k = K / np.linalg.norm(K, axis=-1, keepdims=True)
    return q @ k.swapaxes(-1, -2)


@wrong_answer(step="scale_scores")
def width_of_the_scores(scores, d_k):
    """Takes the number of columns of the scores for d_k."""
    return scores / np.sqrt(scores.shape[-1])


@wrong_answer(step="scale_scores")
def root_to_two_digits(scores, d_k):
    """Rounds the root to two digits."""
    return scores / round(d_k**0.5, 2)


@wrong_answer(step="softmax")
def shift_along_the_last_axis(scores, axis=-1):
    """The maximum is that of the last axis, whatever axis is asked for."""
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@wrong_answer(step="softmax")
def axis_not_moved_back(scores, axis=-1):
    """Moves the axis to the end and forgets to move it back."""
    moved = np.moveaxis(scores, axis, -1)
    e = np.exp(moved - moved.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@wrong_answer(step="softmax")
def small_number_below(scores, axis=-1):
    """1e-8 in the denominator, against a division by zero."""
    e = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return e / (e.sum(axis=axis, keepdims=True) + 1e-8)


@wrong_answer(step="softmax")
def clipped(scores, axis=-1):
    """Clips the scores to what exp can take, instead of a shift."""
    e = np.exp(np.clip(scores, -700, 700))
    return e / e.sum(axis=axis, keepdims=True)


@wrong_answer(step="softmax")
def shift_of_the_mean(scores, axis=-1):
    """Takes off the mean of the row."""
    e = np.exp(scores - scores.mean(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@wrong_answer(step="weighted_sum")
def values_lined_up_from_the_right(weights, V):
    """Broadcasts the weights against the values, without an axis for the queries in V."""
    return (weights[..., None] * V).sum(axis=-2)


@wrong_answer(step="causal_mask")
def old_keys_counted_extra(n_queries, n_keys=None):
    """Takes n_keys for the number of keys before the queries."""
    if n_keys is None or n_keys == n_queries:
        return np.tri(n_queries, dtype=bool)
    return np.tri(n_queries, n_keys + n_queries, k=n_keys, dtype=bool)


@wrong_answer(step="causal_mask")
def own_position_hidden(n_queries, n_keys=None):
    """Strictly below the diagonal when there are older keys."""
    if n_keys is None:
        return np.tri(n_queries, dtype=bool)
    return np.arange(n_keys) < np.arange(n_queries)[:, None] + n_keys - n_queries


@wrong_answer(step="padding_mask")
def as_wide_as_the_longest(lengths, n_keys):
    """The width is the longest length."""
    lengths = np.asarray(lengths)
    return np.arange(lengths.max()) < lengths[:, None, None]


@wrong_answer(step="padding_mask")
def padding_in_front(lengths, n_keys):
    """The real tokens stand at the end."""
    return np.arange(n_keys)[None, None, :] >= n_keys - np.asarray(lengths)[:, None, None]


@wrong_answer(step="apply_mask")
def cleaned_up_first(scores, mask):
    """Removes NaN and inf from all scores, the allowed ones too."""
    return np.where(mask, np.nan_to_num(scores), -np.inf)


@wrong_answer(step="apply_mask")
def times_the_mask(scores, mask):
    """Multiplies by the mask and takes off infinity elsewhere: NaN stays."""
    return scores * mask + np.where(mask, 0.0, -np.inf)


@wrong_answer(step="scaled_dot_product_attention")
def only_full_masks(Q, K, V, mask=None):
    """Uses the mask only where it has the shape of the scores."""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None and mask.shape == scores.shape:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@wrong_answer(step="scaled_dot_product_attention")
def hidden_weights_taken_away(Q, K, V, mask=None):
    """Softmax over everything, then hides and divides by what is left."""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    if mask is not None:
        weights = weights * mask
        weights = weights / (weights.sum(axis=-1, keepdims=True) + 1e-12)
    return weighted_sum(weights, V), weights


@wrong_answer(step="self_attention")
def scaled_by_the_model(X, W_Q, W_K, W_V, mask=None):
    """Scales by d_model, the last axis of X."""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    scores = scale_scores(attention_scores(Q, K), X.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@wrong_answer(step="self_attention")
def always_oneself(X, W_Q, W_K, W_V, mask=None):
    """Lets every token look at itself, whatever the mask says."""
    if mask is not None:
        mask = mask | np.eye(X.shape[-2], dtype=bool)
    return scaled_dot_product_attention(*project_qkv(X, W_Q, W_K, W_V), mask)


@wrong_answer(step="split_heads")
def heads_in_front_of_everything(X, num_heads):
    """The heads become the very first axis."""
    if X.shape[-1] % num_heads:
        raise ValueError("does not divide")
    return np.stack(np.split(X, num_heads, axis=-1), axis=0)


@wrong_answer(step="split_heads")
def rest_dropped(X, num_heads):
    """Drops the features that are left over instead of refusing."""
    size = X.shape[-1] // num_heads
    return np.stack([X[..., h * size : (h + 1) * size] for h in range(num_heads)], axis=-3)


@wrong_answer(step="concat_heads")
def joined_along_the_first_axis(heads):
    """Takes the first axis for the heads, whatever it is."""
    return np.concatenate(list(heads), axis=-1)


@wrong_answer(step="multi_head_attention")
def one_mask_for_each_head(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """The batch of the mask meets the axis of the heads where the two are equal."""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and mask.ndim == 3 and mask.shape[0] != num_heads:
        mask = mask[:, None]
    return concat_heads(scaled_dot_product_attention(Q, K, V, mask)[0]) @ W_O


@wrong_answer(step="multi_head_attention")
def residual_too_early(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Adds X to the result: the residual connection that does not belong here yet."""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and mask.ndim == 3:
        mask = mask[:, None]
    return X + concat_heads(scaled_dot_product_attention(Q, K, V, mask)[0]) @ W_O


@right_answer(step="softmax")
def minus_infinity_made_finite(scores, axis=-1):
    """Sets -inf to a very negative number first: a row of nothing else becomes uniform."""
    finite = np.where(np.isneginf(scores), -1e9, scores)
    e = np.exp(finite - finite.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@right_answer(step="softmax")
def logarithm_of_the_sum(scores, axis=-1):
    """exp(s - logsumexp), where the sum is a chain of logaddexp."""
    with np.errstate(invalid="ignore"):
        return np.exp(scores - np.logaddexp.reduce(scores, axis=axis, keepdims=True))


@right_answer(step="weighted_sum")
def shares_once_more(weights, V):
    """Divides by the sums, which are 1 anyway; a row of zeros becomes NaN."""
    with np.errstate(invalid="ignore"):
        return np.einsum("...qk,...kd->...qd", weights, V) / weights.sum(axis=-1, keepdims=True)


@right_answer(step="scaled_dot_product_attention")
def no_mask_if_all_is_hidden(Q, K, V, mask=None):
    """A mask that hides everything from everybody is ignored: anything may come out then."""
    scores = attention_scores(Q / Q.shape[-1] ** 0.25, K / K.shape[-1] ** 0.25)
    if mask is not None and np.any(mask):
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@right_answer(step="concat_heads")
def head_by_head(heads):
    """Writes each head into its slice of an empty array."""
    *lead, num_heads, n, size = heads.shape
    joined = np.empty((*lead, n, num_heads * size))
    for h in range(num_heads):
        joined[..., h * size : (h + 1) * size] = heads[..., h, :, :]
    return joined


@right_answer(step="multi_head_attention")
def a_sum_over_heads(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Each head with its slices of the matrices, and its rows of W_O; the results are added."""
    size, total = X.shape[-1] // num_heads, 0.0
    for h in range(num_heads):
        own = slice(h * size, (h + 1) * size)
        output, _ = self_attention(X, W_Q[:, own], W_K[:, own], W_V[:, own], mask)
        total = total + output @ W_O[own]
    return total

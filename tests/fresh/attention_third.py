"""A third set of answers to `attention`, written from the students' notebook alone.

The docstring says what is wrong, or what is unusual and still right. ``autograder prove attention --answers
tests/fresh/attention_third.py`` grades them.
"""


@wrong_answer(step="project_qkv")
def weights_as_in_a_linear_layer(X, W_Q, W_K, W_V):
    """Transposes the matrices, as a linear layer of PyTorch stores them."""
    return X @ W_Q.T, X @ W_K.T, X @ W_V.T


@wrong_answer(step="project_qkv")
def each_from_the_one_before(X, W_Q, W_K, W_V):
    """Uses one name again and again, so the keys are made of queries and the values of keys."""
    results = []
    for W in (W_Q, W_K, W_V):
        X = X @ W
        results.append(X)
    return tuple(results)


@wrong_answer(step="project_qkv")
def a_dictionary_of_three(X, W_Q, W_K, W_V):
    """Returns a dictionary."""
    return {"Q": X @ W_Q, "K": X @ W_K, "V": X @ W_V}


@wrong_answer(step="project_qkv")
def three_in_one_array(X, W_Q, W_K, W_V):
    """Stacks the three to one array, which works as long as values are as long as keys."""
    return np.stack([X @ W_Q, X @ W_K, X @ W_V])


@wrong_answer(step="project_qkv")
def tidy_decimals(X, W_Q, W_K, W_V):
    """Rounds to three decimals."""
    return tuple(np.round(X @ W, 3) for W in (W_Q, W_K, W_V))


@wrong_answer(step="attention_scores")
def inner_product(Q, K):
    """np.inner pairs the queries of every sequence with the keys of all sequences."""
    return np.inner(Q, K)


@wrong_answer(step="attention_scores")
def keys_in_the_rows(Q, K):
    """The letters behind the arrow are the wrong way round: a row for each key."""
    return np.einsum("...id,...jd->...ji", Q, K)


@wrong_answer(step="attention_scores")
def cosine_of_the_angle(Q, K):
    """Divides by the lengths of the vectors."""
    Q = Q / np.linalg.norm(Q, axis=-1, keepdims=True)
    K = K / np.linalg.norm(K, axis=-1, keepdims=True)
    return Q @ K.swapaxes(-1, -2)


@wrong_answer(step="attention_scores")
def keys_reshaped(Q, K):
    """Reshapes the keys where it should swap axes."""
    return Q @ K.reshape(*K.shape[:-2], K.shape[-1], K.shape[-2])


@wrong_answer(step="attention_scores")
def a_table_of_integers(Q, K):
    """Fills a table whose numbers are whole."""
    scores = np.zeros(Q.shape[:-1] + (K.shape[-2],), dtype=int)
    for index in np.ndindex(*scores.shape):
        scores[index] = np.dot(Q[index[:-1]], K[index[:-2] + index[-1:]])
    return scores


@wrong_answer(step="scale_scores")
def half_of_a_power(scores, d_k):
    """Python reads d_k ** 1 / 2 from the left."""
    return scores / (d_k**1 / 2)


@wrong_answer(step="scale_scores")
def root_without_decimals(scores, d_k):
    """math.isqrt drops the decimals."""
    return scores / math.isqrt(d_k)


@wrong_answer(step="scale_scores")
def length_taken_from_the_scores(scores, d_k):
    """Uses the number of keys."""
    return scores / np.sqrt(scores.shape[-1])


@wrong_answer(step="scale_scores")
def divides_where_it_stands(scores, d_k):
    """asarray makes no copy, and the division happens in the caller's array."""
    scores = np.asarray(scores, dtype=float)
    scores /= np.sqrt(d_k)
    return scores


@wrong_answer(step="softmax")
def axis_or_last(scores, axis=-1):
    """axis 0 is false, so it becomes the last one."""
    axis = axis or -1
    e = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@wrong_answer(step="softmax")
def turned_twice(scores, axis=-1):
    """Turns the array to line up with the totals; right for two axes and the last one."""
    e = np.exp(scores - np.max(scores))
    return (e.T / e.sum(axis=axis).T).T


@wrong_answer(step="softmax")
def largest_of_each_row(scores, axis=-1):
    """Subtracts the largest along the last axis, whatever axis is asked for."""
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@wrong_answer(step="softmax")
def clipped_exponents(scores, axis=-1):
    """Clips the scores so that exp does not overflow."""
    e = np.exp(np.clip(scores, -700, 700))
    return e / e.sum(axis=axis, keepdims=True)


@wrong_answer(step="softmax")
def a_number_instead_of_infinity(scores, axis=-1):
    """Replaces -inf by -9999, which is not far below allowed scores."""
    scores = np.where(np.isneginf(scores), -9999.0, scores)
    e = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@wrong_answer(step="softmax")
def never_divide_by_zero(scores, axis=-1):
    """Adds a small number to the total, but not small enough."""
    e = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return e / (e.sum(axis=axis, keepdims=True) + 1e-6)


@wrong_answer(step="softmax")
def one_row_after_the_other(scores, axis=-1):
    """Loops over the first axis and treats what is there as one row."""
    out = []
    for row in scores:
        e = np.exp(row - np.max(row))
        out.append(e / np.sum(e))
    return np.array(out)


@wrong_answer(step="softmax")
def zero_means_masked(scores, axis=-1):
    """Gives no weight to scores of 0."""
    e = np.where(scores == 0, 0.0, np.exp(scores - scores.max(axis=axis, keepdims=True)))
    return e / e.sum(axis=axis, keepdims=True)


@wrong_answer(step="softmax")
def shifted_by_the_mean(scores, axis=-1):
    """Subtracts the mean of the row."""
    e = np.exp(scores - scores.mean(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@wrong_answer(step="softmax")
def row_of_infinity_is_an_error(scores, axis=-1):
    """Refuses a row of -inf."""
    top = scores.max(axis=axis, keepdims=True)
    if np.isneginf(top).any():
        raise ValueError("a row has no finite score")
    e = np.exp(scores - top)
    return e / e.sum(axis=axis, keepdims=True)


@wrong_answer(step="weighted_sum")
def sum_over_the_queries(weights, V):
    """Transposes the weights."""
    return weights.swapaxes(-1, -2) @ V


@wrong_answer(step="weighted_sum")
def stretched_and_added(weights, V):
    """The values get no axis for the queries, so with a batch they meet the wrong one."""
    return (weights[..., None] * V).sum(axis=-2)


@wrong_answer(step="weighted_sum")
def numpy_average(weights, V):
    """np.average refuses weights that sum to zero."""

    def blend(w, v):
        if w.ndim > 2:
            return [blend(a, b) for a, b in zip(w, v)]
        return [np.average(v, axis=0, weights=row) for row in w]

    return np.array(blend(weights, V))


@wrong_answer(step="causal_mask")
def lower_triangle_only(n_queries, n_keys=None):
    """Aligned at the top left."""
    return np.tril(np.ones((n_queries, n_keys or n_queries), dtype=bool))


@wrong_answer(step="causal_mask")
def one_too_many(n_queries, n_keys=None):
    """Every query sees one key too many."""
    if n_keys is None:
        n_keys = n_queries
    return np.tri(n_queries, n_keys, n_keys - n_queries + 1, dtype=bool)


@wrong_answer(step="causal_mask")
def not_oneself(n_queries, n_keys=None):
    """Strictly before: a query does not see its own position."""
    n_keys = n_queries if n_keys is None else n_keys
    return np.arange(n_keys)[None, :] < np.arange(n_keys - n_queries, n_keys)[:, None]


@wrong_answer(step="causal_mask")
def true_means_hidden(n_queries, n_keys=None):
    """The convention of PyTorch's attn_mask for nn.MultiheadAttention."""
    n_keys = n_queries if n_keys is None else n_keys
    return np.triu(np.ones((n_queries, n_keys), dtype=bool), k=1 + n_keys - n_queries)


@wrong_answer(step="causal_mask")
def numbers_to_add(n_queries, n_keys=None):
    """A float mask: 0 where allowed, -inf where not."""
    n_keys = n_queries if n_keys is None else n_keys
    return np.triu(np.full((n_queries, n_keys), -np.inf), k=1 + n_keys - n_queries)


@wrong_answer(step="causal_mask")
def remembers_by_queries(n_queries, n_keys=None, made={}):
    """Keeps masks by the number of queries alone."""
    if n_queries not in made:
        n_keys = n_queries if n_keys is None else n_keys
        made[n_queries] = np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool)
    return made[n_queries]


@wrong_answer(step="padding_mask")
def as_long_as_the_longest(lengths, n_keys):
    """Takes the longest length for the number of keys."""
    lengths = np.asarray(lengths)
    return (np.arange(lengths.max()) < lengths[:, None])[:, None, :]


@wrong_answer(step="padding_mask")
def two_axes(lengths, n_keys):
    """No axis for the queries."""
    return np.arange(n_keys) < np.asarray(lengths)[:, None]


@wrong_answer(step="padding_mask")
def length_included(lengths, n_keys):
    """<= where < belongs."""
    return np.arange(n_keys)[None, None, :] <= np.asarray(lengths)[:, None, None]


@wrong_answer(step="padding_mask")
def sorted_as_for_packing(lengths, n_keys):
    """Longest first, as pack_padded_sequence wants it."""
    lengths = np.sort(lengths)[::-1]
    return np.arange(n_keys) < lengths[:, None, None]


@wrong_answer(step="padding_mask")
def padded_queries_hidden(lengths, n_keys):
    """Queries that are padding see nothing: (batch, n_keys, n_keys)."""
    real = np.arange(n_keys) < np.asarray(lengths)[:, None]
    return real[:, :, None] & real[:, None, :]


@wrong_answer(step="padding_mask")
def padding_on_the_left(lengths, n_keys):
    """The real tokens are the last ones, as generators pad."""
    return np.arange(n_keys)[::-1] < np.asarray(lengths)[:, None, None]


@wrong_answer(step="padding_mask")
def counts_down(lengths, n_keys):
    """Takes one off the caller's lengths for every column."""
    mask = np.zeros((len(lengths), 1, n_keys), dtype=bool)
    for j in range(n_keys):
        mask[:, 0, j] = lengths > 0
        lengths -= 1
    return mask


@wrong_answer(step="apply_mask")
def minus_infinity_times_zero(scores, mask):
    """0 times inf is NaN."""
    return scores + np.where(mask, 0.0, 1.0) * -np.inf


@wrong_answer(step="apply_mask")
def minus_a_billion(scores, mask):
    """Very low, but not -inf."""
    return np.where(mask, scores, -1e9)


@wrong_answer(step="apply_mask")
def fills_where_true(scores, mask):
    """As masked_fill of PyTorch: True is filled."""
    return np.where(mask, -np.inf, scores)


@wrong_answer(step="apply_mask")
def selects_with_the_mask(scores, mask):
    """A mask that broadcasts cannot select from the scores."""
    out = np.array(scores, dtype=float)
    out[~np.asarray(mask)] = -np.inf
    return out


@wrong_answer(step="apply_mask")
def hides_what_is_not_finite(scores, mask):
    """An allowed inf or NaN is hidden, too."""
    return np.where(mask & np.isfinite(scores), scores, -np.inf)


@wrong_answer(step="apply_mask")
def a_row_never_empty(scores, mask):
    """Where no key is allowed, all are."""
    mask = np.asarray(mask)
    mask = mask | ~mask.any(axis=-1, keepdims=True)
    return np.where(mask, scores, -np.inf)


@wrong_answer(step="apply_mask")
def zero_where_hidden(scores, mask):
    """Multiplies with the mask."""
    return scores * mask


@wrong_answer(step="apply_mask")
def mask_on_the_last_axes(scores, mask):
    """Uses the first sequence's mask for the whole batch."""
    mask = np.asarray(mask)
    while mask.ndim > 2:
        mask = mask[0]
    return np.where(mask, scores, -np.inf)


@wrong_answer(step="scaled_dot_product_attention")
def scaled_by_the_values(Q, K, V, mask=None):
    """Takes the length of the values."""
    scores = scale_scores(attention_scores(Q, K), V.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@wrong_answer(step="scaled_dot_product_attention")
def masked_in_the_end(Q, K, V, mask=None):
    """Sets weights to 0 and leaves the rest as it was."""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    if mask is not None:
        weights = weights * mask
    return weighted_sum(weights, V), weights


@wrong_answer(step="scaled_dot_product_attention")
def masked_and_divided_again(Q, K, V, mask=None):
    """Sets weights to 0 and divides again; where a hidden key takes everything nothing is left."""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    if mask is not None:
        weights = weights * mask
        weights = weights / weights.sum(axis=-1, keepdims=True)
    return weighted_sum(weights, V), weights


@wrong_answer(step="scaled_dot_product_attention")
def output_with_all_keys(Q, K, V, mask=None):
    """The weights that are returned are masked, those that make the output are not."""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    output = weighted_sum(softmax(scores), V)
    if mask is not None:
        scores = apply_mask(scores, mask)
    return output, softmax(scores)


@wrong_answer(step="scaled_dot_product_attention")
def weights_first(Q, K, V, mask=None):
    """Returns them in the wrong order."""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    weights = softmax(scores if mask is None else apply_mask(scores, mask))
    return weights, weighted_sum(weights, V)


@wrong_answer(step="scaled_dot_product_attention")
def mask_or_scale(Q, K, V, mask=None):
    """Scales only where there is no mask."""
    scores = attention_scores(Q, K)
    if mask is None:
        weights = softmax(scale_scores(scores, Q.shape[-1]))
        return weighted_sum(weights, V), weights
    scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@wrong_answer(step="scaled_dot_product_attention")
def ten_thousand_less(Q, K, V, mask=None):
    """Takes 1e4 off hidden scores."""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = scores - 1e4 * (1.0 - np.asarray(mask, dtype=float))
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@wrong_answer(step="scaled_dot_product_attention")
def queries_scaled_in_place(Q, K, V, mask=None):
    """Scales the caller's queries."""
    Q /= np.sqrt(Q.shape[-1])
    scores = attention_scores(Q, K)
    weights = softmax(scores if mask is None else apply_mask(scores, mask))
    return weighted_sum(weights, V), weights


@wrong_answer(step="scaled_dot_product_attention")
def columns_sum_to_one(Q, K, V, mask=None):
    """Softmax over the queries."""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    weights = softmax(scores if mask is None else apply_mask(scores, mask), axis=-2)
    return weighted_sum(weights, V), weights


@wrong_answer(step="scaled_dot_product_attention")
def mask_of_the_first_call(Q, K, V, mask=None, kept=[]):
    """Keeps the first mask that it sees and uses it when none is given."""
    if mask is not None:
        kept[:] = [mask]
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if kept and np.shape(kept[0])[-1] == scores.shape[-1]:
        try:
            scores = apply_mask(scores, kept[0])
        except ValueError:
            pass
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@wrong_answer(step="scaled_dot_product_attention")
def nothing_for_a_row_without_keys(Q, K, V, mask=None):
    """Raises when a query may see nothing."""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
        assert np.isfinite(scores).any(axis=-1).all(), "a query sees no key"
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@wrong_answer(step="self_attention")
def mask_left_at_home(X, W_Q, W_K, W_V, mask=None):
    """Does not pass the mask on."""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    return scaled_dot_product_attention(Q, K, V)


@wrong_answer(step="self_attention")
def causal_unless_told(X, W_Q, W_K, W_V, mask=None):
    """Without a mask it takes a causal one."""
    if mask is None:
        mask = causal_mask(X.shape[-2])
    return scaled_dot_product_attention(*project_qkv(X, W_Q, W_K, W_V), mask)


@wrong_answer(step="self_attention")
def truth_of_a_mask(X, W_Q, W_K, W_V, mask=None):
    """Asks whether an array is true."""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    if mask:
        return scaled_dot_product_attention(Q, K, V, mask)
    return scaled_dot_product_attention(Q, K, V)


@wrong_answer(step="self_attention")
def output_alone(X, W_Q, W_K, W_V, mask=None):
    """Returns the output without the weights."""
    return scaled_dot_product_attention(*project_qkv(X, W_Q, W_K, W_V), mask)[0]


@wrong_answer(step="self_attention")
def keys_ask_queries(X, W_Q, W_K, W_V, mask=None):
    """Hands over keys and queries in the wrong order."""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    return scaled_dot_product_attention(K, Q, V, mask)


@wrong_answer(step="split_heads")
def reshaped_at_once(X, num_heads):
    """One reshape, without moving an axis."""
    *leading, n, d_model = X.shape
    if d_model % num_heads:
        raise ValueError
    return X.reshape(*leading, num_heads, n, d_model // num_heads)


@wrong_answer(step="split_heads")
def every_second_feature(X, num_heads):
    """Deals the features out like cards."""
    if X.shape[-1] % num_heads:
        raise ValueError
    return np.stack([X[..., h::num_heads] for h in range(num_heads)], axis=-3)


@wrong_answer(step="split_heads")
def rest_is_dropped(X, num_heads):
    """Drops the features that are left over instead of refusing."""
    d_head = X.shape[-1] // num_heads
    return np.stack([X[..., h * d_head : (h + 1) * d_head] for h in range(num_heads)], axis=-3)


@wrong_answer(step="split_heads")
def heads_in_front_of_everything(X, num_heads):
    """np.split makes a list, so the heads come before the batch."""
    return np.array(np.split(X, num_heads, axis=-1))


@wrong_answer(step="split_heads")
def complains_on_the_screen(X, num_heads):
    """Prints instead of raising."""
    *leading, n, d_model = X.shape
    if d_model % num_heads != 0:
        print("d_model must be a multiple of num_heads")
        return None
    return X.reshape(*leading, n, num_heads, -1).swapaxes(-3, -2)


@wrong_answer(step="split_heads")
def heads_behind_the_tokens(X, num_heads):
    """(..., n, num_heads, d_head): the axis is not moved."""
    if X.shape[-1] % num_heads:
        raise ValueError
    return X.reshape(*X.shape[:-1], num_heads, X.shape[-1] // num_heads)


@wrong_answer(step="concat_heads")
def side_by_side_without_batch(heads):
    """Takes the first axis for the heads."""
    return np.concatenate(list(heads), axis=-1)


@wrong_answer(step="concat_heads")
def reshaped_without_moving(heads):
    """Reshapes without moving the heads."""
    *leading, h, n, d = heads.shape
    return heads.reshape(*leading, n, h * d)


@wrong_answer(step="concat_heads")
def features_take_turns(heads):
    """First feature of each head, then the second of each."""
    moved = np.moveaxis(heads, -3, -1)
    return moved.reshape(*moved.shape[:-2], -1)


@wrong_answer(step="concat_heads")
def average_of_the_heads(heads):
    """Averages the heads and repeats the average."""
    return np.tile(heads.mean(axis=-3), heads.shape[-3])


@wrong_answer(step="concat_heads")
def last_head_first(heads):
    """Puts each head before those that are there."""
    out = heads[..., 0, :, :]
    for h in range(1, heads.shape[-3]):
        out = np.concatenate([heads[..., h, :, :], out], axis=-1)
    return out


@wrong_answer(step="multi_head_attention")
def scaled_by_the_model(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Scales by d_model."""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    scores = scale_scores(attention_scores(Q, K), X.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask if np.ndim(mask) == 2 else np.asarray(mask)[:, None])
    return concat_heads(weighted_sum(softmax(scores), V)) @ W_O


@wrong_answer(step="multi_head_attention")
def not_mixed(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Forgets W_O."""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and np.ndim(mask) == 3:
        mask = np.expand_dims(mask, 1)
    return concat_heads(scaled_dot_product_attention(Q, K, V, mask)[0])


@wrong_answer(step="multi_head_attention")
def rows_of_the_matrices(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Cuts the tokens' features and the matrices' rows for each head."""
    d = X.shape[-1] // num_heads
    outputs = []
    for h in range(num_heads):
        own = slice(h * d, (h + 1) * d)
        part = X[..., own]
        outputs.append(self_attention(part, W_Q[own, own], W_K[own, own], W_V[own, own], mask)[0])
    return np.concatenate(outputs, axis=-1) @ W_O


@wrong_answer(step="multi_head_attention")
def axis_for_every_mask(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Gives every mask a head axis behind its first one, (n, n) included."""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None:
        mask = np.asarray(mask)[:, None]
    return concat_heads(scaled_dot_product_attention(Q, K, V, mask)[0]) @ W_O


@wrong_answer(step="multi_head_attention")
def head_axis_in_front(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Puts the head axis before the batch."""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None:
        mask = np.asarray(mask)[None]
    return concat_heads(scaled_dot_product_attention(Q, K, V, mask)[0]) @ W_O


@wrong_answer(step="multi_head_attention")
def weights_as_well(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Returns the weights, too, as the steps before."""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and np.ndim(mask) == 3:
        mask = np.expand_dims(mask, 1)
    output, weights = scaled_dot_product_attention(Q, K, V, mask)
    return concat_heads(output) @ W_O, weights


@wrong_answer(step="multi_head_attention")
def mixed_with_the_transpose(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Multiplies with W_O transposed."""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and np.ndim(mask) == 3:
        mask = np.expand_dims(mask, 1)
    return concat_heads(scaled_dot_product_attention(Q, K, V, mask)[0]) @ W_O.T


@wrong_answer(step="multi_head_attention")
def same_block_for_all(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Every head works on the first block of columns."""
    d = X.shape[-1] // num_heads
    outputs = [
        self_attention(X, W_Q[:, :d], W_K[:, :d], W_V[:, :d], mask)[0] for _ in range(num_heads)
    ]
    return np.concatenate(outputs, axis=-1) @ W_O


@right_answer(step="project_qkv")
def one_wide_product(X, W_Q, W_K, W_V):
    """All three matrices side by side, and the product cut afterwards."""
    wide = np.asarray(X) @ np.concatenate([W_Q, W_K, W_V], axis=1)
    first, second = W_Q.shape[1], W_Q.shape[1] + W_K.shape[1]
    return np.split(wide, [first, second], axis=-1)


@right_answer(step="attention_scores")
def pair_by_pair(Q, K):
    """Recursion over the leading axes and plain sums, in lists."""

    def table(q, k):
        if np.ndim(q) > 2:
            return [table(*both) for both in zip(q, k)]
        return [[sum(a * b for a, b in zip(one, other)) for other in k] for one in q]

    return table(Q, K)


@right_answer(step="attention_scores")
def stretched_then_summed(Q, K):
    """Every product at once, then the sum."""
    return np.sum(np.expand_dims(Q, -2) * np.expand_dims(K, -3), axis=-1)


@right_answer(step="scale_scores")
def through_a_logarithm(scores, d_k):
    """The root as an exponential of half a logarithm."""
    return [np.multiply(part, math.exp(-0.5 * math.log(d_k))) for part in scores]


@right_answer(step="softmax")
def minus_the_log_of_the_sum(scores, axis=-1):
    """exp(s - log of the sum), with logaddexp."""
    scores = np.asarray(scores, dtype=float)
    return np.exp(scores - np.logaddexp.reduce(scores, axis=axis, keepdims=True))


@right_answer(step="softmax")
def along_every_line(scores, axis=-1):
    """apply_along_axis with plain Python in it."""

    def shares(line):
        top = max(line)
        if top == -math.inf:
            return [0.0 for _ in line]
        powers = [math.exp(number - top) for number in line]
        return np.array([power / math.fsum(powers) for power in powers])

    return np.apply_along_axis(shares, axis, scores)


@right_answer(step="weighted_sum")
def one_value_at_a_time(weights, V):
    """Adds up the values, weighted, one key after the other."""
    total = 0.0
    for j in range(V.shape[-2]):
        total = total + weights[..., :, j : j + 1] * V[..., j : j + 1, :]
    return total


@right_answer(step="causal_mask")
def rows_of_ones(n_queries, n_keys=None):
    """Lists of ones and zeros."""
    n_keys = n_keys or n_queries
    seen = range(n_keys - n_queries + 1, n_keys + 1)
    return [[1] * count + [0] * (n_keys - count) for count in seen]


@right_answer(step="padding_mask")
def lengths_one_by_one(lengths, n_keys):
    """A generator of rows, made an array of whole numbers."""
    return np.array([[[int(j < length) for j in range(n_keys)]] for length in lengths])


@right_answer(step="apply_mask")
def copied_where_hidden(scores, mask):
    """copyto broadcasts the mask itself."""
    out = np.array(scores, dtype=float)
    np.copyto(out, -np.inf, where=np.logical_not(mask))
    return out


@right_answer(step="scaled_dot_product_attention")
def a_small_class(Q, K, V, mask=None):
    """A class with its own arithmetic, and a billion off hidden scores."""

    class Attention:
        def __init__(self, length):
            self.factor = length**-0.5

        def __call__(self, Q, K, V, mask):
            scores = np.einsum("...qd,...kd->...qk", Q, K) * self.factor
            if mask is not None:
                scores = scores - 1e9 * (1 - np.asarray(mask).astype(int))
            e = np.exp(scores - scores.max(-1)[..., np.newaxis])
            if mask is not None:
                e = e * mask
            total = e.sum(-1, keepdims=True)
            weights = np.divide(e, total, out=np.zeros_like(e), where=total > 0)
            return weights @ V, weights

    return Attention(np.shape(Q)[-1])(Q, K, V, mask)


@right_answer(step="self_attention")
def only_the_arguments_differ(X, W_Q, W_K, W_V, mask=None):
    """A list comprehension over the matrices and keyword arguments, and a list as the result."""
    names = dict(zip("QKV", [np.matmul(X, W) for W in (W_Q, W_K, W_V)]))
    return list(scaled_dot_product_attention(mask=mask, **names))


@right_answer(step="split_heads")
def sliced_and_stacked(X, num_heads):
    """Slices, with an assertion for what does not divide."""
    d_head, rest = divmod(X.shape[-1], num_heads)
    assert rest == 0
    return np.stack([X[..., h * d_head :][..., :d_head] for h in range(num_heads)], -3)


@right_answer(step="concat_heads")
def head_after_head(heads):
    """Concatenates what an iterator over the moved axis gives."""
    return np.concatenate([*np.moveaxis(heads, -3, 0)], axis=-1)


@right_answer(step="multi_head_attention")
def each_head_adds_its_part(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """No concatenation: each head is mixed by its own rows of W_O, and the parts are added."""
    d = X.shape[-1] // num_heads
    total = np.zeros(X.shape)
    for start in range(0, X.shape[-1], d):
        own = slice(start, start + d)
        total = total + self_attention(X, W_Q[:, own], W_K[:, own], W_V[:, own], mask)[0] @ W_O[own]
    return total

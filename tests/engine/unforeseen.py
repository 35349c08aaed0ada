"""Wrong answers to `attention` as students and language models write them, collected beside the bank, not from it.

The docstring says what is wrong. ``named`` lists the names that a hint may go by: of relations and of misconceptions;
nothing else may be said. Nothing here is run as it stands: `autograder.exercises.answer_bank` reads it.
"""

# project_qkv


@wrong_answer(step="project_qkv", named="weights_on_the_left sides_exchanged")
def weights_on_the_left(X, W_Q, W_K, W_V):
    """The weights stand on the left: W X."""
    return W_Q @ X, W_K @ X, W_V @ X


@wrong_answer(step="project_qkv", named="weights_turned_as_in_other_libraries factor_transposed")
def weights_as_torch_keeps_them(X, W_Q, W_K, W_V):
    """Multiplies with the transposed weights, as nn.Linear keeps them."""
    return X @ W_Q.T, X @ W_K.T, X @ W_V.T


@wrong_answer(step="project_qkv", named="queries_and_keys_exchanged exchanged")
def keys_first(X, W_Q, W_K, W_V):
    """Returns (K, Q, V)."""
    return X @ W_K, X @ W_Q, X @ W_V


@wrong_answer(step="project_qkv", named="argument_ignored")
def values_made_with_the_matrix_of_keys(X, W_Q, W_K, W_V):
    """Copy and paste: values come from W_K."""
    Q = X @ W_Q
    K = X @ W_K
    V = X @ W_K
    return Q, K, V


@wrong_answer(step="project_qkv", named="argument_ignored")
def one_matrix_for_all(X, W_Q, W_K, W_V):
    """W_Q makes all three."""
    return X @ W_Q, X @ W_Q, X @ W_Q


@wrong_answer(step="project_qkv", named="values_not_projected argument_ignored")
def values_without_a_projection(X, W_Q, W_K, W_V):
    """The values are the tokens themselves."""
    return X @ W_Q, X @ W_K, X


@wrong_answer(step="project_qkv", named="one_for_several")
def a_stack_instead_of_a_tuple(X, W_Q, W_K, W_V):
    """Values are cut or padded to the width of keys so that one array holds all three."""
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    width = Q.shape[-1]
    if V.shape[-1] < width:
        V = np.concatenate([V, np.zeros(V.shape[:-1] + (width - V.shape[-1],))], axis=-1)
    return np.stack([Q, K, V[..., :width]])


@wrong_answer(step="project_qkv", named="first_only")
def only_the_first_sequence(X, W_Q, W_K, W_V):
    """Of a batch, the first sequence is projected and repeated."""
    first = X[0] if X.ndim > 2 else X
    return tuple(
        np.broadcast_to(first @ W, X.shape[:-1] + W.shape[-1:]).copy() for W in (W_Q, W_K, W_V)
    )


@wrong_answer(step="project_qkv", named="weights_turned_as_in_other_libraries factor_transposed")
def einsum_with_letters_mixed_up(X, W_Q, W_K, W_V):
    """Sums over the output features of the weights (silent where sizes are equal)."""
    return tuple(np.einsum("...nd,kd->...nk", X, W) for W in (W_Q, W_K, W_V))


@wrong_answer(step="project_qkv", named="scaled_by_the_model scaled")
def scaled_like_an_initialisation(X, W_Q, W_K, W_V):
    """Divides by sqrt(d_model)."""
    scale = np.sqrt(X.shape[-1])
    return X @ W_Q / scale, X @ W_K / scale, X @ W_V / scale


# attention_scores


@wrong_answer(step="attention_scores", named="dot_t_on_a_batch all_axes_turned")
def t_of_the_keys(Q, K):
    """.T turns all axes of a batch."""
    return Q @ K.T


@wrong_answer(step="attention_scores", named="output_letters_swapped exchanged")
def keys_ask_queries(Q, K):
    """K Q^T: the answer is transposed."""
    return K @ np.swapaxes(Q, -1, -2)


@wrong_answer(step="attention_scores", named="scaled_already scaled")
def scaled_at_once(Q, K):
    """Scales by sqrt(d_k) at this step already."""
    return Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])


@wrong_answer(step="attention_scores", named="no_transpose transposed")
def no_transpose_at_all(Q, K):
    """Q K."""
    return Q @ K


@wrong_answer(step="attention_scores", named="cosine_similarity normalised")
def cosine_of_the_angle(Q, K):
    """Divides by the norms."""
    scores = Q @ np.swapaxes(K, -1, -2)
    return scores / (
        np.linalg.norm(Q, axis=-1)[..., :, None] * np.linalg.norm(K, axis=-1)[..., None, :]
    )


@wrong_answer(step="attention_scores", named="squared_distance")
def squared_distances(Q, K):
    """Euclidean distances instead of dot products."""
    return ((Q[..., :, None, :] - K[..., None, :, :]) ** 2).sum(axis=-1)


@wrong_answer(step="attention_scores", named="reshape_instead_of_transpose reshaped")
def reshape_for_transpose(Q, K):
    """Reshapes where it should transpose."""
    return Q @ K.reshape(*K.shape[:-2], K.shape[-1], K.shape[-2])


@wrong_answer(
    step="attention_scores", named="weights_instead_of_scores one_step_too_many function_on_top"
)
def softmaxed_at_once(Q, K):
    """Returns weights instead of scores."""
    scores = Q @ np.swapaxes(K, -1, -2)
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


@wrong_answer(step="attention_scores", named="mean_instead_of_sum scaled")
def mean_instead_of_sum(Q, K):
    """The mean over features of the products."""
    return (Q[..., :, None, :] * K[..., None, :, :]).mean(axis=-1)


@wrong_answer(step="attention_scores", named="loop_over_one_batch_axis wrong_with_more_axes")
def loops_over_a_batch_of_matrices_only(Q, K):
    """Handles exactly one leading axis or none."""
    if Q.ndim == 2:
        return Q @ K.T
    return np.stack([q @ k.T for q, k in zip(Q, K)])


# scale_scores


@wrong_answer(step="scale_scores", named="divided_by_d_k other_power")
def without_the_root(scores, d_k):
    """Divides by d_k."""
    return scores / d_k


@wrong_answer(step="scale_scores", named="multiplied other_power")
def multiplied_instead(scores, d_k):
    """Multiplies with the root."""
    return scores * np.sqrt(d_k)


@wrong_answer(step="scale_scores", named="not_scaled argument_ignored")
def left_as_they_are(scores, d_k):
    """No scaling."""
    return scores


@wrong_answer(step="scale_scores", named="root_of_the_number_of_keys other_length")
def root_of_the_number_of_keys(scores, d_k):
    """Takes the last axis of the scores for d_k."""
    return scores / np.sqrt(scores.shape[-1])


@wrong_answer(step="scale_scores", named="integer_root truncated")
def whole_number_root(scores, d_k):
    """Cuts the root to a whole number."""
    return scores / int(np.sqrt(d_k))


@wrong_answer(step="scale_scores", named="whole_division rounded")
def floor_division(scores, d_k):
    """Floor division."""
    return scores // np.sqrt(d_k)


@wrong_answer(step="scale_scores", named="scaled_in_place argument_changed")
def in_place_division(scores, d_k):
    """Changes the caller's scores."""
    scores /= np.sqrt(d_k)
    return scores


@wrong_answer(step="scale_scores", named="other_power")
def half_of_it(scores, d_k):
    """d_k / 2 for the root, which is right for 4 only."""
    return scores / (d_k / 2)


@wrong_answer(step="scale_scores", named="rounded")
def rounded_to_two_digits(scores, d_k):
    """Rounds."""
    return np.round(scores / np.sqrt(d_k), 2)


@wrong_answer(step="scale_scores", named="other_power")
def square_of_d_k(scores, d_k):
    """Divides by the square."""
    return scores / d_k**2


# softmax


@wrong_answer(step="softmax", named="no_shift wrong_with_large_numbers")
def as_in_the_formula(scores, axis=-1):
    """No shift: overflows."""
    return np.exp(scores) / np.exp(scores).sum(axis=axis, keepdims=True)


@wrong_answer(step="softmax", named="over_the_whole_matrix total_elsewhere over_everything")
def over_the_whole_array(scores, axis=-1):
    """One total for all rows."""
    e = np.exp(scores - scores.max())
    return e / e.sum()


@wrong_answer(step="softmax", named="last_axis_always argument_ignored")
def always_the_last_axis(scores, axis=-1):
    """axis is ignored."""
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@wrong_answer(step="softmax", named="other_default")
def columns_by_default(scores, axis=0):
    """The default axis is 0."""
    e = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@wrong_answer(step="softmax", named="not_normalised not_divided")
def exponentials_alone(scores, axis=-1):
    """Never divides by the total."""
    return np.exp(scores - scores.max(axis=axis, keepdims=True))


@wrong_answer(step="softmax", named="no_exponential function_of_argument")
def shares_of_the_scores(scores, axis=-1):
    """No exponential."""
    return scores / scores.sum(axis=axis, keepdims=True)


@wrong_answer(step="softmax", named="one_maximum_for_all_rows wrong_with_large_numbers")
def one_largest_for_all(scores, axis=-1):
    """The largest of the whole array is taken off."""
    e = np.exp(scores - np.max(scores))
    return e / e.sum(axis=axis, keepdims=True)


@wrong_answer(step="softmax", named="total_without_its_axis axis_dropped")
def without_keepdims(scores, axis=-1):
    """Totals without keepdims."""
    e = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis)


@wrong_answer(step="softmax", named="nearly")
def a_little_in_the_denominator(scores, axis=-1):
    """Adds 1e-6 to the total."""
    e = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return e / (e.sum(axis=axis, keepdims=True) + 1e-6)


@wrong_answer(step="softmax", named="logarithm_of_the_weights logarithm")
def the_logarithm_of_it(scores, axis=-1):
    """log_softmax."""
    shifted = scores - scores.max(axis=axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


@wrong_answer(step="softmax", named="negated")
def smallest_for_largest(scores, axis=-1):
    """Softmin: the sign is wrong."""
    e = np.exp(-(scores - scores.min(axis=axis, keepdims=True)))
    return e / e.sum(axis=axis, keepdims=True)


@wrong_answer(step="softmax", named="another_base other_function")
def powers_of_two(scores, axis=-1):
    """2 instead of e."""
    e = np.exp2(scores - scores.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@wrong_answer(step="softmax", named="clipped_scores clipped wrong_with_large_numbers")
def clipped_scores(scores, axis=-1):
    """Clips to 50 on either side."""
    e = np.exp(np.clip(scores, -50, 50))
    return e / e.sum(axis=axis, keepdims=True)


@wrong_answer(step="softmax", named="without_infinity")
def minus_infinity_taken_for_zero(scores, axis=-1):
    """Replaces -inf by 0 before the exponential."""
    scores = np.where(np.isinf(scores), 0.0, scores)
    e = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


# weighted_sum


@wrong_answer(step="weighted_sum", named="values_times_weights exchanged")
def values_times_weights(weights, V):
    """V W."""
    return V @ weights


@wrong_answer(step="weighted_sum", named="weights_transposed transposed")
def weights_turned(weights, V):
    """W^T V."""
    return np.swapaxes(weights, -1, -2) @ V


@wrong_answer(step="weighted_sum", named="plain_mean averaged")
def mean_of_all_values(weights, V):
    """Every query gets the plain mean of the values."""
    return np.repeat(V.mean(axis=-2, keepdims=True), weights.shape[-2], axis=-2)


@wrong_answer(step="weighted_sum", named="best_value_only largest_only")
def the_value_of_the_winner(weights, V):
    """Hard attention: the value with the largest weight."""
    return np.take_along_axis(V, weights.argmax(axis=-1)[..., None], axis=-2)


@wrong_answer(step="weighted_sum", named="divided_by_the_number_of_keys scaled")
def divided_by_the_number_of_keys(weights, V):
    """The mean instead of the sum."""
    return weights @ V / V.shape[-2]


@wrong_answer(step="weighted_sum", named="transposed")
def turned_at_the_end(weights, V):
    """The result is transposed."""
    return np.swapaxes(weights @ V, -1, -2)


@wrong_answer(step="weighted_sum", named="cell_by_cell entry_by_entry")
def entry_by_entry(weights, V):
    """Multiplies cell by cell."""
    return weights * V


@wrong_answer(step="weighted_sum", named="wrong_with_more_axes")
def three_axes_only(weights, V):
    """einsum for exactly three axes."""
    if weights.ndim == 2:
        return np.einsum("ij,jd->id", weights, V)
    return np.einsum("bij,bjd->bid", weights, V)


# causal_mask


@wrong_answer(step="causal_mask", named="past_hidden_future_seen complemented_and_moved")
def looks_ahead(n_queries, n_keys=None):
    """Upper triangle."""
    n_keys = n_keys or n_queries
    return np.triu(np.ones((n_queries, n_keys), dtype=bool), n_keys - n_queries)


@wrong_answer(step="causal_mask", named="true_means_hidden complemented")
def true_means_hidden(n_queries, n_keys=None):
    """The complement, as PyTorch has it."""
    n_keys = n_keys or n_queries
    return ~np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool)


@wrong_answer(step="causal_mask", named="aligned_top_left moved")
def aligned_top_left(n_queries, n_keys=None):
    """Aligned at the top left."""
    return np.tril(np.ones((n_queries, n_keys or n_queries), dtype=bool))


@wrong_answer(step="causal_mask", named="nobody_sees_themselves moved_by_one")
def not_itself(n_queries, n_keys=None):
    """A query does not see itself."""
    n_keys = n_keys or n_queries
    return np.tri(n_queries, n_keys, n_keys - n_queries - 1, dtype=bool)


@wrong_answer(step="causal_mask", named="one_step_ahead moved_by_one too_many_true")
def one_ahead(n_queries, n_keys=None):
    """A query sees one key too many."""
    n_keys = n_keys or n_queries
    return np.tri(n_queries, n_keys, n_keys - n_queries + 1, dtype=bool)


@wrong_answer(step="causal_mask", named="square_of_the_queries argument_ignored")
def always_square(n_queries, n_keys=None):
    """n_keys is ignored."""
    return np.tri(n_queries, dtype=bool)


@wrong_answer(step="causal_mask", named="zero_and_minus_infinity logarithm numbers_for_truth")
def minus_infinity_for_hidden(n_queries, n_keys=None):
    """The additive mask: 0 and -inf."""
    n_keys = n_keys or n_queries
    return np.where(np.tri(n_queries, n_keys, n_keys - n_queries), 0.0, -np.inf)


@wrong_answer(step="causal_mask", named="transposed")
def rows_for_keys(n_queries, n_keys=None):
    """Transposed."""
    n_keys = n_keys or n_queries
    return np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool).T


@wrong_answer(step="causal_mask", named="everybody_sees_all constant")
def everything_allowed(n_queries, n_keys=None):
    """All True."""
    return np.ones((n_queries, n_keys or n_queries), dtype=bool)


@wrong_answer(step="causal_mask", named="only_oneself too_few_true band")
def itself_alone(n_queries, n_keys=None):
    """The diagonal."""
    n_keys = n_keys or n_queries
    return np.eye(n_queries, n_keys, n_keys - n_queries, dtype=bool)


# padding_mask


@wrong_answer(step="padding_mask", named="one_too_many one_more")
def one_key_too_many(lengths, n_keys):
    """<= for <."""
    return (np.arange(n_keys) <= np.asarray(lengths)[:, None])[:, None, :]


@wrong_answer(step="padding_mask", named="true_means_padding complemented")
def padding_is_true(lengths, n_keys):
    """The complement."""
    return (np.arange(n_keys) >= np.asarray(lengths)[:, None])[:, None, :]


@wrong_answer(step="padding_mask", named="without_the_query_axis axis_missing")
def without_the_axis_of_queries(lengths, n_keys):
    """(batch, n_keys)."""
    return np.arange(n_keys) < np.asarray(lengths)[:, None]


@wrong_answer(step="padding_mask", named="query_axis_at_the_end transposed")
def the_axis_of_queries_last(lengths, n_keys):
    """(batch, n_keys, 1)."""
    return (np.arange(n_keys) < np.asarray(lengths)[:, None])[:, :, None]


@wrong_answer(step="padding_mask", named="a_row_for_every_query repeated")
def stretched_already(lengths, n_keys):
    """(batch, n_keys, n_keys)."""
    row = np.arange(n_keys) < np.asarray(lengths)[:, None]
    return np.repeat(row[:, None, :], n_keys, axis=1)


@wrong_answer(step="padding_mask", named="padding_on_the_left reversed")
def padding_on_the_left(lengths, n_keys):
    """Left padding: the last keys are real."""
    return (np.arange(n_keys) >= n_keys - np.asarray(lengths)[:, None])[:, None, :]


@wrong_answer(step="padding_mask", named="as_wide_as_the_longest cut_off")
def as_wide_as_the_longest(lengths, n_keys):
    """As many columns as the longest sequence has."""
    return (np.arange(max(lengths)) < np.asarray(lengths)[:, None])[:, None, :]


@wrong_answer(step="padding_mask", named="one_for_all")
def everybody_as_the_first(lengths, n_keys):
    """The first length for all sequences."""
    row = np.arange(n_keys) < lengths[0]
    return np.broadcast_to(row, (len(lengths), 1, n_keys)).copy()


@wrong_answer(step="padding_mask", named="padded_queries_hidden_too too_long")
def queries_masked_too(lengths, n_keys):
    """An outer product of real positions: (batch, n_keys, n_keys)."""
    real = np.arange(n_keys) < np.asarray(lengths)[:, None]
    return real[:, :, None] & real[:, None, :]


# apply_mask


@wrong_answer(step="apply_mask", named="allowed_ones_hidden complemented")
def hides_what_is_allowed(scores, mask):
    """The branches are exchanged."""
    return np.where(mask, -np.inf, scores)


@wrong_answer(step="apply_mask", named="filled_with_zero finite")
def zeros_for_hidden(scores, mask):
    """0 instead of -inf."""
    return np.where(mask, scores, 0.0)


@wrong_answer(step="apply_mask", named="minus_a_billion finite")
def a_large_negative_number(scores, mask):
    """-1e9 instead of -inf."""
    return np.where(mask, scores, -1e9)


@wrong_answer(step="apply_mask", named="minus_a_billion_added right_where_true finite")
def adds_minus_a_billion(scores, mask):
    """Adds -1e9 to hidden scores."""
    return scores + (1 - mask) * -1e9


@wrong_answer(step="apply_mask", named="minus_infinity_added wrong_with_infinity")
def adds_infinity(scores, mask):
    """Adds -inf, so NaN stays, and inf becomes NaN."""
    return scores + np.where(mask, 0.0, -np.inf)


@wrong_answer(step="apply_mask", named="multiplied_by_the_mask right_where_true finite")
def multiplies_with_the_mask(scores, mask):
    """scores * mask."""
    return scores * mask


@wrong_answer(step="apply_mask", named="written_into_the_scores argument_changed")
def writes_into_the_scores(scores, mask):
    """In place."""
    scores[np.broadcast_to(~mask, scores.shape)] = -np.inf
    return scores


@wrong_answer(step="apply_mask", named="plus_infinity right_where_true sign_turned")
def plus_infinity(scores, mask):
    """The sign of infinity is wrong."""
    return np.where(mask, scores, np.inf)


@wrong_answer(step="apply_mask", named="argument_ignored")
def drops_the_mask(scores, mask):
    """Returns the scores."""
    return scores.copy()


@wrong_answer(step="apply_mask", named="one_step_too_many")
def goes_on_to_softmax(scores, mask):
    """Returns weights."""
    return softmax(np.where(mask, scores, -np.inf))


# scaled_dot_product_attention


@wrong_answer(step="scaled_dot_product_attention", named="scaling_forgotten step_left_out")
def unscaled(Q, K, V, mask=None):
    """No scaling."""
    scores = attention_scores(Q, K)
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@wrong_answer(step="scaled_dot_product_attention", named="scaled_twice other_power step_twice")
def scaled_by_d_k_itself(Q, K, V, mask=None):
    """Divides by d_k."""
    scores = attention_scores(Q, K) / Q.shape[-1]
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@wrong_answer(
    step="scaled_dot_product_attention", named="weights_before_output other_order_of_parts"
)
def weights_first(Q, K, V, mask=None):
    """(weights, output)."""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weights, weighted_sum(weights, V)


@wrong_answer(step="scaled_dot_product_attention", named="mask_ignored argument_ignored")
def mask_is_ignored(Q, K, V, mask=None):
    """The mask is never used."""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    return weighted_sum(weights, V), weights


@wrong_answer(step="scaled_dot_product_attention", named="mask_turned_over complemented")
def mask_upside_down(Q, K, V, mask=None):
    """True means hidden."""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, -np.inf, scores)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@wrong_answer(
    step="scaled_dot_product_attention", named="scores_multiplied_by_the_mask step_without_infinity"
)
def zeros_under_the_mask(Q, K, V, mask=None):
    """Hidden scores become 0."""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = scores * mask
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@wrong_answer(step="scaled_dot_product_attention", named="masked_after_softmax rows_scaled")
def mask_after_softmax(Q, K, V, mask=None):
    """Masks the weights, and does not normalise again."""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    if mask is not None:
        weights = weights * mask
    return weighted_sum(weights, V), weights


@wrong_answer(
    step="scaled_dot_product_attention", named="softmax_over_the_queries other_axis total_elsewhere"
)
def softmax_over_queries(Q, K, V, mask=None):
    """axis=-2."""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores, axis=-2)
    return weighted_sum(weights, V), weights


@wrong_answer(
    step="scaled_dot_product_attention", named="scores_returned_as_weights logarithm_of_rows"
)
def scores_for_weights(Q, K, V, mask=None):
    """Returns the scores beside the output."""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    return weighted_sum(softmax(scores), V), scores


@wrong_answer(step="scaled_dot_product_attention", named="scaled_by_the_values other_length")
def scaled_by_the_width_of_values(Q, K, V, mask=None):
    """d_v for d_k."""
    scores = scale_scores(attention_scores(Q, K), V.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@wrong_answer(step="scaled_dot_product_attention", named="output_without_weights one_part_missing")
def output_alone(Q, K, V, mask=None):
    """No weights."""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    return weighted_sum(softmax(scores), V)


@wrong_answer(
    step="scaled_dot_product_attention", named="asks_whether_the_mask_is_true truth_of_an_array"
)
def asks_whether_the_mask_is_true(Q, K, V, mask=None):
    """`if mask`."""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@wrong_answer(
    step="scaled_dot_product_attention", named="hidden_scores_of_minus_a_hundred not_exactly_zero"
)
def a_gentle_sentinel(Q, K, V, mask=None):
    """-100 under the mask."""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -100.0)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@wrong_answer(
    step="scaled_dot_product_attention", named="naive_softmax_of_its_own wrong_with_large_numbers"
)
def its_own_softmax_overflows(Q, K, V, mask=None):
    """Writes exponentials itself, without a shift."""
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    return weights @ V, weights


# self_attention


@wrong_answer(step="self_attention", named="tokens_as_values argument_ignored")
def values_are_the_tokens(X, W_Q, W_K, W_V, mask=None):
    """V is X."""
    Q, K, _ = project_qkv(X, W_Q, W_K, W_V)
    return scaled_dot_product_attention(Q, K, X, mask)


@wrong_answer(step="self_attention", named="mask_forgotten argument_ignored")
def forgets_the_mask(X, W_Q, W_K, W_V, mask=None):
    """The mask is not passed on."""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    return scaled_dot_product_attention(Q, K, V)


@wrong_answer(step="self_attention", named="tokens_not_projected step_left_out")
def no_projections(X, W_Q, W_K, W_V, mask=None):
    """X, X, X."""
    return scaled_dot_product_attention(X, X, X, mask)


@wrong_answer(step="self_attention", named="keys_ask_and_queries_answer exchanged")
def queries_and_keys_exchanged(X, W_Q, W_K, W_V, mask=None):
    """K asks Q."""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    return scaled_dot_product_attention(K, Q, V, mask)


@wrong_answer(step="self_attention", named="exchanged")
def keys_and_values_exchanged(X, W_Q, W_K, W_V, mask=None):
    """The parts are unpacked in another order."""
    Q, V, K = project_qkv(X, W_Q, W_K, W_V)
    return scaled_dot_product_attention(Q, K, V, mask)


@wrong_answer(step="self_attention", named="scaled_by_the_width_of_the_model other_length")
def scales_by_d_model(X, W_Q, W_K, W_V, mask=None):
    """d_model for d_k."""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    scores = scale_scores(attention_scores(Q, K), X.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@wrong_answer(step="self_attention", named="mask_on_its_side transposed")
def mask_turned(X, W_Q, W_K, W_V, mask=None):
    """The mask is transposed."""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    if mask is not None:
        mask = np.swapaxes(mask, -1, -2)
    return scaled_dot_product_attention(Q, K, V, mask)


@wrong_answer(step="self_attention", named="only_the_output one_part_missing")
def only_the_output(X, W_Q, W_K, W_V, mask=None):
    """Output without weights."""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    return scaled_dot_product_attention(Q, K, V, mask)[0]


@wrong_answer(step="self_attention", named="input_added_to_the_output argument_added")
def adds_the_residual(X, W_Q, W_K, W_V, mask=None):
    """Adds the values to the output, like a residual."""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    output, weights = scaled_dot_product_attention(Q, K, V, mask)
    return output + V, weights


@wrong_answer(step="self_attention", named="other_power step_twice")
def scaled_twice(X, W_Q, W_K, W_V, mask=None):
    """Queries are scaled before attention scales."""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    return scaled_dot_product_attention(Q / np.sqrt(Q.shape[-1]), K, V, mask)


# split_heads


@wrong_answer(step="split_heads", named="reshape_alone argument_reshaped")
def plain_reshape(X, num_heads):
    """Reshapes without moving axes."""
    if X.shape[-1] % num_heads:
        raise ValueError("does not divide")
    return X.reshape(*X.shape[:-2], num_heads, X.shape[-2], X.shape[-1] // num_heads)


@wrong_answer(step="split_heads", named="heads_behind_the_tokens argument_reshaped")
def heads_behind_the_tokens(X, num_heads):
    """(..., n, num_heads, d_head)."""
    if X.shape[-1] % num_heads:
        raise ValueError("does not divide")
    return X.reshape(*X.shape[:-1], num_heads, X.shape[-1] // num_heads)


@wrong_answer(step="split_heads", named="every_second_feature rearranged dealt_out")
def every_other_feature(X, num_heads):
    """Interleaved features."""
    if X.shape[-1] % num_heads:
        raise ValueError("does not divide")
    return np.stack([X[..., h::num_heads] for h in range(num_heads)], axis=-3)


@wrong_answer(step="split_heads", named="rest_dropped does_not_refuse")
def lets_the_rest_fall(X, num_heads):
    """Does not refuse what does not divide."""
    width = X.shape[-1] // num_heads
    return np.stack([X[..., h * width : (h + 1) * width] for h in range(num_heads)], axis=-3)


@wrong_answer(step="split_heads", named="heads_before_the_batch axes_in_other_order")
def heads_in_front_of_everything(X, num_heads):
    """The heads come first, before the batch."""
    if X.shape[-1] % num_heads:
        raise ValueError("does not divide")
    return np.stack(np.split(X, num_heads, axis=-1))


@wrong_answer(step="split_heads", named="fixed_number_of_axes")
def axes_for_a_batch_of_matrices(X, num_heads):
    """transpose(0, 2, 1, 3): exactly one leading axis."""
    *lead, n, d_model = X.shape
    if d_model % num_heads:
        raise ValueError("does not divide")
    return X.reshape(*lead, n, num_heads, d_model // num_heads).transpose(0, 2, 1, 3)


@wrong_answer(step="split_heads", named="axes_turned_over_completely transposed")
def features_before_tokens(X, num_heads):
    """(..., num_heads, d_head, n)."""
    if X.shape[-1] % num_heads:
        raise ValueError("does not divide")
    parts = np.stack(np.split(X, num_heads, axis=-1), axis=-3)
    return np.swapaxes(parts, -1, -2)


@wrong_answer(step="split_heads", named="sequence_cut uneven_parts")
def cuts_the_tokens(X, num_heads):
    """The sequence is cut."""
    if X.shape[-1] % num_heads:
        raise ValueError("does not divide")
    return np.stack(np.split(X, num_heads, axis=-2), axis=-3)


# concat_heads


@wrong_answer(step="concat_heads", named="reshaped_without_moving_an_axis argument_reshaped")
def reshapes_at_once(heads):
    """Reshapes without moving the heads back."""
    *lead, num_heads, n, d_head = heads.shape
    return heads.reshape(*lead, n, num_heads * d_head)


@wrong_answer(step="concat_heads", named="heads_below_each_other argument_reshaped")
def one_below_the_other(heads):
    """Heads stand below each other."""
    *lead, num_heads, n, d_head = heads.shape
    return heads.reshape(*lead, num_heads * n, d_head)


@wrong_answer(step="concat_heads", named="sum_of_the_heads argument_merged")
def adds_the_heads_up(heads):
    """Sums the heads."""
    return heads.sum(axis=-3)


@wrong_answer(step="concat_heads", named="mean_of_the_heads argument_merged")
def the_mean_of_the_heads(heads):
    """Averages the heads."""
    return heads.mean(axis=-3)


@wrong_answer(step="concat_heads", named="features_interleaved rearranged dealt_out")
def feature_by_feature(heads):
    """Features interleaved."""
    moved = np.moveaxis(heads, -3, -1)
    return moved.reshape(*moved.shape[:-2], -1)


@wrong_answer(step="concat_heads", named="last_head_first rearranged blocks_reversed reversed")
def the_last_head_first(heads):
    """The order of the heads is reversed."""
    return np.concatenate([heads[..., h, :, :] for h in reversed(range(heads.shape[-3]))], axis=-1)


@wrong_answer(step="concat_heads", named="only_the_first_head argument_merged")
def only_the_first_head(heads):
    """One head."""
    return heads[..., 0, :, :]


@wrong_answer(step="concat_heads", named="wrong_with_more_axes")
def counts_axes_from_the_front(heads):
    """No batch."""
    return np.concatenate(list(heads), axis=-1)


# multi_head_attention


@wrong_answer(step="multi_head_attention", named="output_matrix_forgotten argument_ignored")
def nothing_mixes_the_heads(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """W_O is forgotten."""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and np.ndim(mask) > 2:
        mask = np.expand_dims(mask, -3)
    return concat_heads(scaled_dot_product_attention(Q, K, V, mask)[0])


@wrong_answer(step="multi_head_attention", named="head_axis_in_front_of_the_batch case_missing")
def mask_without_an_axis_for_heads(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """The mask is passed on as it is."""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    return concat_heads(scaled_dot_product_attention(Q, K, V, mask)[0]) @ W_O


@wrong_answer(step="multi_head_attention", named="one_big_head argument_ignored")
def one_big_head(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """num_heads is ignored."""
    return self_attention(X, W_Q, W_K, W_V, mask)[0] @ W_O


@wrong_answer(step="multi_head_attention", named="scaled_by_the_whole_model other_length")
def scaled_by_the_whole_width(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """sqrt(d_model) scales the heads."""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    scores = scale_scores(attention_scores(Q, K), X.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, np.expand_dims(mask, -3) if np.ndim(mask) > 2 else mask)
    return concat_heads(weighted_sum(softmax(scores), V)) @ W_O


@wrong_answer(step="multi_head_attention", named="output_matrix_turned transposed")
def weights_of_the_output_turned(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """W_O transposed."""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and np.ndim(mask) > 2:
        mask = np.expand_dims(mask, -3)
    return concat_heads(scaled_dot_product_attention(Q, K, V, mask)[0]) @ W_O.T


@wrong_answer(step="multi_head_attention", named="weights_returned_too parts_added")
def output_and_weights(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """A tuple."""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and np.ndim(mask) > 2:
        mask = np.expand_dims(mask, -3)
    output, weights = scaled_dot_product_attention(Q, K, V, mask)
    return concat_heads(output) @ W_O, weights


@wrong_answer(step="multi_head_attention", named="heads_merged_by_reshape_alone step_reshaped")
def heads_glued_by_reshape(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Reshape instead of concat_heads."""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and np.ndim(mask) > 2:
        mask = np.expand_dims(mask, -3)
    return scaled_dot_product_attention(Q, K, V, mask)[0].reshape(X.shape) @ W_O


@wrong_answer(step="multi_head_attention", named="heads_cut_by_reshape_alone step_reshaped")
def heads_cut_by_reshape(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Reshape instead of split_heads."""
    shape = (*X.shape[:-2], num_heads, X.shape[-2], X.shape[-1] // num_heads)
    Q, K, V = (part.reshape(shape) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and np.ndim(mask) > 2:
        mask = np.expand_dims(mask, -3)
    return concat_heads(scaled_dot_product_attention(Q, K, V, mask)[0]) @ W_O


@wrong_answer(step="multi_head_attention", named="mask_not_passed_on argument_ignored")
def forgets_the_mask_of_the_heads(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """The mask is ignored."""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    return concat_heads(scaled_dot_product_attention(Q, K, V)[0]) @ W_O


@wrong_answer(step="multi_head_attention", named="sides_exchanged")
def every_head_sees_everything(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """W_O is applied on the left."""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and np.ndim(mask) > 2:
        mask = np.expand_dims(mask, -3)
    return W_O @ concat_heads(scaled_dot_product_attention(Q, K, V, mask)[0])


@wrong_answer(step="multi_head_attention", named="heads_averaged step_averaged averaged")
def the_mean_over_the_heads(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """All heads get the mean over the heads."""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and np.ndim(mask) > 2:
        mask = np.expand_dims(mask, -3)
    heads = scaled_dot_product_attention(Q, K, V, mask)[0]
    return concat_heads(np.repeat(heads.mean(axis=-3, keepdims=True), num_heads, axis=-3)) @ W_O


@wrong_answer(step="multi_head_attention", named="argument_added")
def residual_added(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Adds X."""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and np.ndim(mask) > 2:
        mask = np.expand_dims(mask, -3)
    return X + concat_heads(scaled_dot_product_attention(Q, K, V, mask)[0]) @ W_O


@wrong_answer(step="multi_head_attention", named="argument_ignored")
def same_projection_for_keys_and_queries(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """W_Q makes the keys as well."""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_Q, W_V))
    if mask is not None and np.ndim(mask) > 2:
        mask = np.expand_dims(mask, -3)
    return concat_heads(scaled_dot_product_attention(Q, K, V, mask)[0]) @ W_O


# Written later, when the relations above were named


@wrong_answer(step="project_qkv", named="elementwise_product entry_by_entry")
def elementwise_products(X, W_Q, W_K, W_V):
    """`*` for `@`."""
    return X * W_Q, X * W_K, X * W_V


@wrong_answer(step="project_qkv", named="values_made_from_keys part_of_a_part")
def values_from_the_keys(X, W_Q, W_K, W_V):
    """V = K W_V."""
    Q = X @ W_Q
    K = X @ W_K
    return Q, K, K @ W_V


@wrong_answer(step="project_qkv", named="axis_missing")
def with_an_extra_batch_axis(X, W_Q, W_K, W_V):
    """Adds a leading axis of length 1."""
    X = X[None]
    return X @ W_Q, X @ W_K, X @ W_V


@wrong_answer(step="project_qkv", named="squashed_projections function_on_top")
def tanh_on_top(X, W_Q, W_K, W_V):
    """An activation that nobody asked for."""
    return np.tanh(X @ W_Q), np.tanh(X @ W_K), np.tanh(X @ W_V)


@wrong_answer(step="project_qkv", named="shape_unpacked_into_two fixed_number_of_axes")
def unpacks_two_axes(X, W_Q, W_K, W_V):
    """n, d = X.shape fails for a batch."""
    n, d = X.shape
    Q = np.zeros((n, W_Q.shape[1]))
    K = np.zeros((n, W_K.shape[1]))
    V = np.zeros((n, W_V.shape[1]))
    for i in range(n):
        Q[i] = X[i] @ W_Q
        K[i] = X[i] @ W_K
        V[i] = X[i] @ W_V
    return Q, K, V


@wrong_answer(step="project_qkv", named="one_more")
def a_bias_of_one(X, W_Q, W_K, W_V):
    """Adds 1, like a bias."""
    return X @ W_Q + 1, X @ W_K + 1, X @ W_V + 1


@wrong_answer(step="project_qkv", named="values_returned_before_keys exchanged")
def values_and_keys_in_the_wrong_order(X, W_Q, W_K, W_V):
    """Returns Q, V, K."""
    return X @ W_Q, X @ W_V, X @ W_K


@wrong_answer(step="project_qkv", named="batch_flattened_away other_shape")
def flat_batch(X, W_Q, W_K, W_V):
    """Flattens the batch and forgets to unflatten."""
    flat = X.reshape(-1, X.shape[-1])
    return flat @ W_Q, flat @ W_K, flat @ W_V


@wrong_answer(step="attention_scores", named="function_on_top")
def no_negative_scores(Q, K):
    """ReLU on scores."""
    return np.maximum(Q @ np.swapaxes(K, -1, -2), 0)


@wrong_answer(step="attention_scores", named="queries_meet_queries argument_ignored")
def queries_with_themselves(Q, K):
    """Q Q^T."""
    return Q @ np.swapaxes(Q, -1, -2)


@wrong_answer(step="attention_scores", named="argument_ignored")
def keys_with_themselves(Q, K):
    """K K^T."""
    return K @ np.swapaxes(K, -1, -2)


@wrong_answer(step="attention_scores", named="transposed")
def sums_over_the_wrong_axis(Q, K):
    """Q^T K: features with features."""
    return np.swapaxes(Q, -1, -2) @ K


@wrong_answer(step="attention_scores", named="integer_accumulator rounded")
def whole_numbers_only(Q, K):
    """Truncates to int."""
    return (Q @ np.swapaxes(K, -1, -2)).astype(int)


@wrong_answer(step="attention_scores", named="inner_on_a_batch wrong_with_more_axes")
def dot_of_three_axes(Q, K):
    """np.dot on batches gives (b, n, b, m)."""
    return np.dot(Q, np.swapaxes(K, -1, -2))


@wrong_answer(step="attention_scores", named="negative_distance")
def minus_the_distance(Q, K):
    """-|q - k|."""
    return -np.sqrt(((Q[..., :, None, :] - K[..., None, :, :]) ** 2).sum(-1))


@wrong_answer(step="attention_scores", named="as_many_keys_as_queries cut_off")
def loops_with_as_many_keys_as_queries(Q, K):
    """range(n) for both."""
    n = Q.shape[-2]
    out = np.zeros(Q.shape[:-2] + (n, n))
    for i in range(n):
        for j in range(n):
            out[..., i, j] = (Q[..., i, :] * K[..., j, :]).sum(-1)
    return out


@wrong_answer(
    step="attention_scores", named="elementwise_product_summed diagonal shapes_do_not_fit"
)
def only_pairs_of_the_same_index(Q, K):
    """Dot products of row i with row i only."""
    return (Q * K).sum(axis=-1)


@wrong_answer(step="scale_scores", named="root_of_everything function_of_quotient")
def root_over_everything(scores, d_k):
    """sqrt(scores / d_k)."""
    return np.sqrt(scores / d_k)


@wrong_answer(step="scale_scores", named="other_operation")
def subtracts_the_root(scores, d_k):
    """scores - sqrt(d_k)."""
    return scores - np.sqrt(d_k)


@wrong_answer(step="scale_scores", named="divided_by_their_own_spread scaled_somehow")
def standardises(scores, d_k):
    """Divides by the measured standard deviation."""
    return scores / scores.std()


@wrong_answer(step="scale_scores", named="nearly")
def a_sqrt_with_a_little_added(scores, d_k):
    """sqrt(d_k + 1e-5)."""
    return scores / np.sqrt(d_k + 1e-5)


@wrong_answer(step="scale_scores", named="scaled_somehow")
def always_eight(scores, d_k):
    """sqrt(64) hard-coded."""
    return scores / 8.0


@wrong_answer(step="scale_scores", named="scaled_somehow other_function")
def cube_root(scores, d_k):
    """d_k ** (1/3)."""
    return scores / d_k ** (1 / 3)


@wrong_answer(step="scale_scores", named="power_before_division scaled_somehow")
def precedence(scores, d_k):
    """scores / d_k ** 1 / 2."""
    return scores / d_k**1 / 2


@wrong_answer(step="softmax", named="maximum_without_its_axis total_without_its_axis axis_dropped")
def total_without_keepdims_but_fixed(scores, axis=-1):
    """Subtracts the max per column in square arrays: keepdims missing for max only."""
    e = np.exp(scores - scores.max(axis=axis))
    return e / e.sum(axis=axis, keepdims=True)


@wrong_answer(step="softmax", named="divided_by_the_maximum other_operation normalised")
def divides_by_the_largest(scores, axis=-1):
    """Divides by the max of scores rather than subtracting."""
    e = np.exp(scores / scores.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@wrong_answer(step="softmax", named="function_of_argument")
def squares_for_exponentials(scores, axis=-1):
    """Squares."""
    e = scores**2
    return e / e.sum(axis=axis, keepdims=True)


@wrong_answer(step="softmax", named="largest_alone")
def one_hot(scores, axis=-1):
    """Argmax."""
    return (scores == scores.max(axis=axis, keepdims=True)).astype(float)


@wrong_answer(step="softmax", named="function_of_argument")
def sigmoid(scores, axis=-1):
    """Sigmoid of each entry."""
    return 1 / (1 + np.exp(-scores))


@wrong_answer(step="softmax", named="nan_papered_over wrong_with_large_numbers")
def nan_becomes_zero(scores, axis=-1):
    """nan_to_num hides the overflow."""
    e = np.exp(scores)
    return np.nan_to_num(e / e.sum(axis=axis, keepdims=True))


@wrong_answer(step="softmax", named="axis_one_always fixed_number_of_axes")
def axis_one(scores, axis=1):
    """axis=1 always."""
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@wrong_answer(step="softmax", named="shifted_in_place argument_changed")
def changes_what_it_is_given(scores, axis=-1):
    """-= in place."""
    scores -= scores.max(axis=axis, keepdims=True)
    e = np.exp(scores)
    return e / e.sum(axis=axis, keepdims=True)


@wrong_answer(step="softmax", named="shifted_by_the_mean not_finite")
def subtracts_the_mean(scores, axis=-1):
    """Mean instead of max."""
    e = np.exp(scores - scores.mean(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@wrong_answer(step="softmax", named="function_of_argument")
def min_max(scores, axis=-1):
    """Min-max normalisation."""
    low, high = scores.min(axis=axis, keepdims=True), scores.max(axis=axis, keepdims=True)
    return (scores - low) / (high - low)


@wrong_answer(step="softmax", named="half_the_difference flatter_or_sharper")
def half_temperature(scores, axis=-1):
    """Divides scores by 2."""
    e = np.exp((scores - scores.max(axis=axis, keepdims=True)) / 2)
    return e / e.sum(axis=axis, keepdims=True)


@wrong_answer(step="weighted_sum", named="values_transposed transposed")
def values_turned(weights, V):
    """W V^T."""
    return weights @ np.swapaxes(V, -1, -2)


@wrong_answer(step="weighted_sum", named="normalised")
def normalises_again(weights, V):
    """Divides by the column sums of weights."""
    return (weights / weights.sum(axis=-2, keepdims=True)) @ V


@wrong_answer(step="weighted_sum", named="summed")
def one_value_per_query(weights, V):
    """Sums over features too."""
    return (weights @ V).sum(axis=-1)


@wrong_answer(
    step="weighted_sum", named="weights_sent_through_softmax_again one_step_too_many normalised"
)
def softmaxes_the_weights(weights, V):
    """Applies softmax to the weights first."""
    return softmax(weights) @ V


@wrong_answer(step="weighted_sum", named="rounded")
def rounds_the_weights(weights, V):
    """Rounds weights to 2 digits."""
    return np.round(weights, 2) @ V


@wrong_answer(step="weighted_sum", named="wrong_with_more_axes")
def tensordot_mixes_the_batch(weights, V):
    """np.dot."""
    return np.dot(weights, V)


@wrong_answer(step="weighted_sum", named="some_left_out")
def first_value_only(weights, V):
    """Loop leaves after the first key."""
    out = np.zeros(weights.shape[:-1] + V.shape[-1:])
    for j in range(V.shape[-2]):
        out = weights[..., j : j + 1] * V[..., j : j + 1, :]
    return out


@wrong_answer(step="causal_mask", named="second_argument_needed computes_with_none")
def n_keys_must_be_given(n_queries, n_keys=None):
    """None is not handled."""
    return np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool)


@wrong_answer(step="causal_mask", named="shifted_to_the_left sides_exchanged")
def offset_the_wrong_way(n_queries, n_keys=None):
    """k = n_queries - n_keys."""
    n_keys = n_keys or n_queries
    return np.tri(n_queries, n_keys, n_queries - n_keys, dtype=bool)


@wrong_answer(step="causal_mask", named="wrong_with_argument")
def numbers_of_shape_swapped(n_queries, n_keys=None):
    """(n_keys, n_queries)."""
    n_keys = n_keys or n_queries
    return np.tri(n_keys, n_queries, n_keys - n_queries, dtype=bool)


@wrong_answer(step="causal_mask", named="complemented_and_moved")
def strict_upper(n_queries, n_keys=None):
    """np.triu(k=1), True where hidden, top-left."""
    n_keys = n_keys or n_queries
    return np.triu(np.ones((n_queries, n_keys), dtype=bool), k=1)


@wrong_answer(step="causal_mask", named="too_few_true sees_one_step_back band")
def window_of_two(n_queries, n_keys=None):
    """Sees only itself and the one before."""
    n_keys = n_keys or n_queries
    m = np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool)
    return m & ~np.tri(n_queries, n_keys, n_keys - n_queries - 2, dtype=bool)


@wrong_answer(step="causal_mask", named="old_tokens_hidden too_few_true same_at_the_beginning")
def old_keys_hidden(n_queries, n_keys=None):
    """Only new keys may be seen; the cache is hidden."""
    n_keys = n_keys or n_queries
    old = np.zeros((n_queries, n_keys - n_queries), dtype=bool)
    return np.concatenate([old, np.tri(n_queries, dtype=bool)], axis=1)


@wrong_answer(step="causal_mask", named="axis_missing")
def batch_axis_in_front(n_queries, n_keys=None):
    """(1, n, m)."""
    n_keys = n_keys or n_queries
    return np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool)[None]


@wrong_answer(step="padding_mask", named="one_too_few one_less")
def one_too_few(lengths, n_keys):
    """< length - 1."""
    return (np.arange(n_keys) < np.asarray(lengths)[:, None] - 1)[:, None, :]


@wrong_answer(step="padding_mask", named="query_axis_in_front axis_missing")
def axis_of_queries_in_front(lengths, n_keys):
    """(1, batch, n_keys)."""
    return (np.arange(n_keys) < np.asarray(lengths)[:, None])[None]


@wrong_answer(step="padding_mask", named="equal_only")
def exactly_one_position(lengths, n_keys):
    """== instead of <."""
    return (np.arange(n_keys) == np.asarray(lengths)[:, None])[:, None, :]


@wrong_answer(step="padding_mask", named="sorted")
def sorted_lengths(lengths, n_keys):
    """Sorts the lengths."""
    return (np.arange(n_keys) < np.sort(lengths)[:, None])[:, None, :]


@wrong_answer(step="padding_mask", named="constant")
def all_are_real(lengths, n_keys):
    """All True."""
    return np.ones((len(lengths), 1, n_keys), dtype=bool)


@wrong_answer(step="padding_mask", named="axis_missing")
def four_axes(lengths, n_keys):
    """(batch, 1, 1, n_keys)."""
    return (np.arange(n_keys) < np.asarray(lengths)[:, None])[:, None, None, :]


@wrong_answer(step="padding_mask", named="too_few_true same_at_the_end")
def the_last_sequence_is_forgotten(lengths, n_keys):
    """range(len - 1): the last row stays False."""
    mask = np.zeros((len(lengths), 1, n_keys), dtype=bool)
    for b in range(len(lengths) - 1):
        mask[b, 0, : lengths[b]] = True
    return mask


@wrong_answer(step="padding_mask", named="numbers_for_truth")
def additive(lengths, n_keys):
    """0 and -1e9."""
    real = np.arange(n_keys) < np.asarray(lengths)[:, None]
    return np.where(real, 0.0, -1e9)[:, None, :]


@wrong_answer(step="apply_mask", named="selected")
def mask_of_rows(scores, mask):
    """Boolean indexing drops the shape."""
    return scores[np.broadcast_to(mask, scores.shape)]


@wrong_answer(step="apply_mask", named="filled_with_nan right_where_true")
def nan_for_hidden(scores, mask):
    """NaN."""
    return np.where(mask, scores, np.nan)


@wrong_answer(step="apply_mask", named="transposed mask_turned")
def mask_transposed(scores, mask):
    """mask.T."""
    return np.where(np.swapaxes(mask, -1, -2), scores, -np.inf)


@wrong_answer(step="apply_mask", named="right_where_true finite")
def minimum_of_scores(scores, mask):
    """Fills with the smallest score."""
    return np.where(mask, scores, scores.min())


@wrong_answer(step="apply_mask", named="mask_of_the_same_shape_only mask_of_other_shape")
def same_shape_only(scores, mask):
    """Boolean assignment needs the same shape."""
    out = scores.copy()
    out[~mask] = -np.inf
    return out


@wrong_answer(step="apply_mask", named="minus_infinity_added wrong_with_infinity")
def log_of_mask(scores, mask):
    """scores + log(mask)."""
    return scores + np.log(mask.astype(float))


@wrong_answer(step="apply_mask", named="function_of_argument")
def returns_the_mask(scores, mask):
    """Additive mask alone."""
    return np.where(mask, 0.0, -np.inf)


@wrong_answer(step="scaled_dot_product_attention", named="scaled_after_softmax flatter_or_sharper")
def scales_after_softmax(Q, K, V, mask=None):
    """Divides the weights by sqrt(d_k)."""
    scores = attention_scores(Q, K)
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = scale_scores(softmax(scores), Q.shape[-1])
    return weighted_sum(weights, V), weights


@wrong_answer(
    step="scaled_dot_product_attention", named="scaled_by_the_number_of_keys other_length"
)
def scales_by_n_keys(Q, K, V, mask=None):
    """sqrt(n_keys)."""
    scores = scale_scores(attention_scores(Q, K), K.shape[-2])
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@wrong_answer(
    step="scaled_dot_product_attention",
    named="masked_after_softmax_and_shared_again wrong_with_argument",
)
def renormalised_after(Q, K, V, mask=None):
    """Masks after softmax, and divides by the row sum."""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    if mask is not None:
        weights = weights * mask
        weights = weights / weights.sum(axis=-1, keepdims=True)
    return weighted_sum(weights, V), weights


@wrong_answer(step="scaled_dot_product_attention", named="logarithm_of_rows")
def no_softmax(Q, K, V, mask=None):
    """Scores as weights."""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, 0.0)
    return weighted_sum(scores, V), scores


@wrong_answer(
    step="scaled_dot_product_attention",
    named="output_made_before_the_mask wrong_with_argument argument_ignored",
)
def output_from_unmasked_weights(Q, K, V, mask=None):
    """Returns masked weights, but blends with the unmasked ones."""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    free = softmax(scores)
    weights = free if mask is None else softmax(apply_mask(scores, mask))
    return weighted_sum(free, V), weights


@wrong_answer(
    step="scaled_dot_product_attention", named="always_looking_back zeros_above looks_back_only"
)
def always_causal(Q, K, V, mask=None):
    """A causal mask even where none is given."""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    n, m = scores.shape[-2:]
    if mask is None:
        mask = np.tri(n, m, max(m - n, 0), dtype=bool)
    weights = softmax(apply_mask(scores, mask))
    return weighted_sum(weights, V), weights


@wrong_answer(
    step="scaled_dot_product_attention", named="keys_blended_instead_of_values argument_ignored"
)
def keys_as_values(Q, K, V, mask=None):
    """Blends keys."""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, K), weights


@wrong_answer(
    step="scaled_dot_product_attention", named="mask_taken_for_numbers wrong_with_argument"
)
def mask_added(Q, K, V, mask=None):
    """scores + mask, as if it were additive."""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = scores + mask
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@wrong_answer(step="scaled_dot_product_attention", named="wrong_with_large_numbers")
def mask_with_a_thousand(Q, K, V, mask=None):
    """-1e3 sentinel."""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -1e3)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@wrong_answer(step="scaled_dot_product_attention", named="wrong_with_large_numbers nearly")
def masks_before_scaling(Q, K, V, mask=None):
    """-1e4 sentinel before scaling."""
    scores = attention_scores(Q, K)
    if mask is not None:
        scores = np.where(mask, scores, -1e4)
    weights = softmax(scale_scores(scores, Q.shape[-1]))
    return weighted_sum(weights, V), weights


@wrong_answer(step="scaled_dot_product_attention", named="zeros not_repeatable")
def dropout_left_on(Q, K, V, mask=None):
    """Random dropout."""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    weights = weights * (np.random.rand(*weights.shape) > 0.1)
    return weighted_sum(weights, V), weights


@wrong_answer(step="self_attention", named="argument_ignored")
def scores_from_the_tokens(X, W_Q, W_K, W_V, mask=None):
    """X X^T scores."""
    scores = scale_scores(attention_scores(X, X), X.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, X @ W_V), weights


@wrong_answer(step="self_attention", named="shapes_do_not_fit")
def residual_of_tokens(X, W_Q, W_K, W_V, mask=None):
    """Adds X where shapes allow."""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    out, w = scaled_dot_product_attention(Q, K, V, mask)
    return X + out, w


@wrong_answer(step="self_attention", named="transposed shapes_do_not_fit")
def weights_transposed(X, W_Q, W_K, W_V, mask=None):
    """X @ W.T."""
    Q, K, V = X @ W_Q.T, X @ W_K.T, X @ W_V.T
    return scaled_dot_product_attention(Q, K, V, mask)


@wrong_answer(step="self_attention", named="other_order_of_parts")
def returns_weights_then_output(X, W_Q, W_K, W_V, mask=None):
    """Order."""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    out, w = scaled_dot_product_attention(Q, K, V, mask)
    return w, out


@wrong_answer(step="self_attention", named="always_causal zeros_above looks_back_only")
def causal_whatever(X, W_Q, W_K, W_V, mask=None):
    """Always causal."""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    return scaled_dot_product_attention(Q, K, V, causal_mask(X.shape[-2]))


@wrong_answer(step="self_attention", named="hidden_and_allowed_exchanged complemented")
def inverted_mask(X, W_Q, W_K, W_V, mask=None):
    """~mask."""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    return scaled_dot_product_attention(Q, K, V, None if mask is None else ~mask)


@wrong_answer(step="self_attention", named="not_scaled_where_it_matters step_left_out")
def no_scaling_here(X, W_Q, W_K, W_V, mask=None):
    """Own attention without a scale."""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    scores = attention_scores(Q, K)
    if mask is not None:
        scores = apply_mask(scores, mask)
    w = softmax(scores)
    return w @ V, w


@wrong_answer(step="split_heads", named="reversed")
def heads_reversed(X, num_heads):
    """Heads in reverse order."""
    if X.shape[-1] % num_heads:
        raise ValueError("no")
    return np.stack(np.split(X, num_heads, axis=-1)[::-1], axis=-3)


@wrong_answer(step="split_heads", named="axes_in_other_order")
def a_list_axis_last(X, num_heads):
    """Heads as the last axis."""
    if X.shape[-1] % num_heads:
        raise ValueError("no")
    return np.stack(np.split(X, num_heads, axis=-1), axis=-1)


@wrong_answer(step="split_heads", named="same_block_for_every_head one_of_all first_only")
def same_slice(X, num_heads):
    """All heads get the first slice."""
    if X.shape[-1] % num_heads:
        raise ValueError("no")
    w = X.shape[-1] // num_heads
    return np.stack([X[..., :w] for _ in range(num_heads)], axis=-3)


@wrong_answer(step="split_heads", named="heads_of_num_heads_features size_for_count")
def head_size_for_head_count(X, num_heads):
    """num_heads taken for d_head."""
    if X.shape[-1] % num_heads:
        raise ValueError("no")
    return np.stack(np.split(X, X.shape[-1] // num_heads, axis=-1), axis=-3)


@wrong_answer(step="split_heads", named="argument_repeated")
def full_copies(X, num_heads):
    """Every head gets all features."""
    if X.shape[-1] % num_heads:
        raise ValueError("no")
    return np.stack([X] * num_heads, axis=-3)


@wrong_answer(step="split_heads", named="fixed_number_of_axes")
def needs_a_batch(X, num_heads):
    """b, n, d = X.shape."""
    b, n, d = X.shape
    if d % num_heads:
        raise ValueError("no")
    return X.reshape(b, n, num_heads, d // num_heads).transpose(0, 2, 1, 3)


@wrong_answer(step="concat_heads", named="fixed_number_of_axes")
def needs_a_batch_too(heads):
    """b, h, n, d = heads.shape."""
    b, h, n, d = heads.shape
    return heads.transpose(0, 2, 1, 3).reshape(b, n, h * d)


@wrong_answer(step="concat_heads", named="heads_below_each_other argument_reshaped")
def along_the_tokens(heads):
    """Concatenates along the tokens."""
    return np.concatenate(np.moveaxis(heads, -3, 0), axis=-2)


@wrong_answer(step="concat_heads", named="other_axis")
def transposes_features_and_heads(heads):
    """swapaxes(-3, -1)."""
    *lead, h, n, d = heads.shape
    return np.swapaxes(heads, -3, -1).reshape(*lead, n, h * d)


@wrong_answer(step="concat_heads", named="axes_swapped_but_not_merged other_shape")
def tokens_first_but_not_merged(heads):
    """(..., n, h, d)."""
    return np.swapaxes(heads, -3, -2)


@wrong_answer(step="concat_heads", named="argument_merged")
def largest_over_heads(heads):
    """max over heads."""
    return heads.max(axis=-3)


@wrong_answer(
    step="multi_head_attention", named="first_block_for_every_head step_first_only first_only"
)
def w_o_on_every_head(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Only head 0 is used, tiled."""
    Q, K, V = (split_heads(p, num_heads) for p in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and np.ndim(mask) > 2:
        mask = np.expand_dims(mask, -3)
    heads = scaled_dot_product_attention(Q, K, V, mask)[0]
    return np.concatenate([heads[..., 0, :, :]] * num_heads, axis=-1) @ W_O


@wrong_answer(
    step="multi_head_attention",
    named="scaled_by_the_number_of_heads other_length argument_taken_for",
)
def scale_by_heads(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """sqrt(num_heads)."""
    Q, K, V = (split_heads(p, num_heads) for p in project_qkv(X, W_Q, W_K, W_V))
    scores = scale_scores(attention_scores(Q, K), num_heads)
    if mask is not None:
        scores = apply_mask(scores, np.expand_dims(mask, -3) if np.ndim(mask) > 2 else mask)
    return concat_heads(softmax(scores) @ V) @ W_O


@wrong_answer(step="multi_head_attention", named="features_dealt_out_in_turn dealt_out")
def interleaved(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Heads take every h-th feature, and are put side by side."""

    def cut(a):
        return np.stack([a[..., h::num_heads] for h in range(num_heads)], axis=-3)

    Q, K, V = (cut(p) for p in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and np.ndim(mask) > 2:
        mask = np.expand_dims(mask, -3)
    return concat_heads(scaled_dot_product_attention(Q, K, V, mask)[0]) @ W_O


@wrong_answer(step="multi_head_attention", named="head_axis_in_front_of_the_batch other_axis")
def mask_axis_in_front(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """The head axis of the mask goes first."""
    Q, K, V = (split_heads(p, num_heads) for p in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None:
        mask = mask[None]
    return concat_heads(scaled_dot_product_attention(Q, K, V, mask)[0]) @ W_O


@wrong_answer(step="multi_head_attention", named="argument_ignored")
def values_not_split(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """W_V forgotten: X is split as the values."""
    Q, K, _ = (split_heads(p, num_heads) for p in project_qkv(X, W_Q, W_K, W_V))
    V = split_heads(X, num_heads)
    if mask is not None and np.ndim(mask) > 2:
        mask = np.expand_dims(mask, -3)
    return concat_heads(scaled_dot_product_attention(Q, K, V, mask)[0]) @ W_O


@wrong_answer(step="multi_head_attention", named="one_big_head argument_ignored")
def attention_before_heads(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """One attention over all features, split and concatenated for show."""
    out, _ = self_attention(X, W_Q, W_K, W_V, mask)
    return concat_heads(split_heads(out, num_heads)) @ W_O


@wrong_answer(step="multi_head_attention", named="step_reversed reversed")
def heads_in_other_order(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Heads are concatenated in reverse."""
    Q, K, V = (split_heads(p, num_heads) for p in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and np.ndim(mask) > 2:
        mask = np.expand_dims(mask, -3)
    heads = scaled_dot_product_attention(Q, K, V, mask)[0]
    return concat_heads(heads[..., ::-1, :, :]) @ W_O


@wrong_answer(step="self_attention", named="shapes_do_not_fit")
def one_projection_of_the_other(X, W_Q, W_K, W_V, mask=None):
    """Keys are projected from the queries, and values from the keys."""
    Q = X @ W_Q
    K = Q @ W_K
    V = K @ W_V
    return scaled_dot_product_attention(Q, K, V, mask)


@wrong_answer(step="softmax", named="array_for_a_number")
def single_numbers_of_one_row(scores, axis=-1):
    """math.exp of each score: right for a row of plain numbers alone."""
    powers = [math.exp(score) for score in scores]
    return [power / sum(powers) for power in powers]


@wrong_answer(step="multi_head_attention", named="several_for_one")
def concatenates_output_and_weights(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Both results of the attention go into concat_heads."""
    Q, K, V = (split_heads(p, num_heads) for p in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and np.ndim(mask) > 2:
        mask = np.expand_dims(mask, -3)
    return concat_heads(scaled_dot_product_attention(Q, K, V, mask)) @ W_O


@wrong_answer(step="multi_head_attention", named="multiplied_again")
def w_o_before_concat(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Sum of heads through W_O twice."""
    Q, K, V = (split_heads(p, num_heads) for p in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and np.ndim(mask) > 2:
        mask = np.expand_dims(mask, -3)
    return concat_heads(scaled_dot_product_attention(Q, K, V, mask)[0]) @ W_O @ W_O

"""Wrong answers to `attention` as students and language models write them, which its bank does not have.

The docstring says what is wrong. ``named`` lists the names that a hint may go by: of relations and of misconceptions;
nothing else may be said. Nothing here is run as it stands: `autograder.exercises.answer_bank` reads it, and so does
``autograder prove attention --answers tests/wrong_answers/attention.py``.
"""

WITHOUT_BANK = {
    "weights_on_the_left": "sides_exchanged",
    "weights_turned_as_in_other_libraries": "factor_transposed",
    "queries_and_keys_exchanged": "exchanged",
    "values_not_projected": "argument_ignored",
    "scaled_by_the_model": "scaled",
    "elementwise_product": "entry_by_entry",
    "values_made_from_keys": "part_of_a_part",
    "squashed_projections": "function_on_top",
    "shape_unpacked_into_two": "fixed_number_of_axes",
    "values_returned_before_keys": "exchanged",
    "batch_flattened_away": "other_shape",
    "dot_t_on_a_batch": "all_axes_turned",
    "output_letters_swapped": "exchanged",
    "scaled_already": "scaled",
    "no_transpose": "transposed",
    "cosine_similarity": "normalised",
    "squared_distance": "",
    "reshape_instead_of_transpose": "reshaped",
    "weights_instead_of_scores": "one_step_too_many function_on_top",
    "mean_instead_of_sum": "scaled",
    "loop_over_one_batch_axis": "wrong_with_more_axes",
    "queries_meet_queries": "argument_ignored",
    "integer_accumulator": "rounded",
    "inner_on_a_batch": "wrong_with_more_axes",
    "negative_distance": "",
    "as_many_keys_as_queries": "cut_off",
    "elementwise_product_summed": "diagonal shapes_do_not_fit",
    "divided_by_d_k": "other_power",
    "multiplied": "other_power",
    "not_scaled": "argument_ignored",
    "root_of_the_number_of_keys": "other_length",
    "integer_root": "truncated",
    "whole_division": "rounded",
    "scaled_in_place": "argument_changed",
    "root_of_everything": "function_of_quotient",
    "divided_by_their_own_spread": "scaled_somehow",
    "power_before_division": "scaled_somehow",
    "no_shift": "wrong_with_large_numbers",
    "over_the_whole_matrix": "total_elsewhere over_everything",
    "last_axis_always": "argument_ignored",
    "not_normalised": "not_divided",
    "no_exponential": "function_of_argument",
    "one_maximum_for_all_rows": "wrong_with_large_numbers",
    "total_without_its_axis": "axis_dropped",
    "logarithm_of_the_weights": "logarithm",
    "another_base": "other_function",
    "clipped_scores": "clipped wrong_with_large_numbers",
    "maximum_without_its_axis": "axis_dropped",
    "divided_by_the_maximum": "other_operation normalised",
    "nan_papered_over": "wrong_with_large_numbers",
    "axis_one_always": "fixed_number_of_axes argument_ignored",
    "shifted_in_place": "argument_changed",
    "shifted_by_the_mean": "not_finite",
    "half_the_difference": "flatter_or_sharper",
    "values_times_weights": "exchanged",
    "weights_transposed": "transposed",
    "plain_mean": "averaged",
    "best_value_only": "largest_only",
    "divided_by_the_number_of_keys": "scaled",
    "cell_by_cell": "entry_by_entry",
    "values_transposed": "transposed",
    "weights_sent_through_softmax_again": "one_step_too_many normalised",
    "past_hidden_future_seen": "complemented_and_moved",
    "true_means_hidden": "complemented",
    "aligned_top_left": "moved",
    "nobody_sees_themselves": "moved_by_one",
    "one_step_ahead": "moved_by_one too_many_true",
    "square_of_the_queries": "argument_ignored",
    "zero_and_minus_infinity": "logarithm numbers_for_truth",
    "everybody_sees_all": "constant",
    "only_oneself": "too_few_true band",
    "second_argument_needed": "computes_with_none",
    "shifted_to_the_left": "sides_exchanged moved",
    "sees_one_step_back": "too_few_true band",
    "old_tokens_hidden": "too_few_true same_at_the_beginning",
    "one_too_many": "one_more",
    "true_means_padding": "complemented",
    "without_the_query_axis": "axis_missing",
    "query_axis_at_the_end": "transposed",
    "a_row_for_every_query": "repeated",
    "padding_on_the_left": "reversed",
    "as_wide_as_the_longest": "cut_off",
    "padded_queries_hidden_too": "too_long",
    "one_too_few": "one_less",
    "query_axis_in_front": "axis_missing other_shape",
    "allowed_ones_hidden": "complemented",
    "filled_with_zero": "finite",
    "minus_a_billion": "finite",
    "minus_a_billion_added": "right_where_true finite",
    "minus_infinity_added": "wrong_with_infinity",
    "multiplied_by_the_mask": "right_where_true finite",
    "written_into_the_scores": "argument_changed",
    "plus_infinity": "right_where_true sign_turned",
    "filled_with_nan": "right_where_true",
    "mask_turned": "transposed",
    "mask_of_the_same_shape_only": "mask_of_other_shape wrong_with_more_axes",
    "scaling_forgotten": "step_left_out",
    "scaled_twice": "other_power step_twice",
    "weights_before_output": "other_order_of_parts",
    "mask_ignored": "argument_ignored",
    "mask_turned_over": "complemented",
    "scores_multiplied_by_the_mask": "step_without_infinity",
    "masked_after_softmax": "rows_scaled right_where_false",
    "softmax_over_the_queries": "other_axis total_elsewhere",
    "scores_returned_as_weights": "logarithm_of_rows",
    "scaled_by_the_values": "other_length",
    "output_without_weights": "one_part_missing",
    "asks_whether_the_mask_is_true": "truth_of_an_array",
    "hidden_scores_of_minus_a_hundred": "not_exactly_zero wrong_with_large_numbers",
    "naive_softmax_of_its_own": "wrong_with_large_numbers",
    "scaled_after_softmax": "flatter_or_sharper",
    "scaled_by_the_number_of_keys": "other_length",
    "masked_after_softmax_and_shared_again": "wrong_with_argument",
    "output_made_before_the_mask": "wrong_with_argument argument_ignored",
    "always_looking_back": "zeros_above looks_back_only",
    "keys_blended_instead_of_values": "argument_ignored",
    "mask_taken_for_numbers": "wrong_with_argument",
    "tokens_as_values": "argument_ignored",
    "mask_forgotten": "argument_ignored",
    "tokens_not_projected": "step_left_out",
    "keys_ask_and_queries_answer": "exchanged",
    "scaled_by_the_width_of_the_model": "other_length",
    "mask_on_its_side": "transposed",
    "only_the_output": "one_part_missing",
    "input_added_to_the_output": "argument_added",
    "always_causal": "zeros_above looks_back_only",
    "hidden_and_allowed_exchanged": "complemented",
    "not_scaled_where_it_matters": "step_left_out",
    "reshape_alone": "argument_reshaped",
    "heads_behind_the_tokens": "argument_reshaped axes_in_other_order",
    "every_second_feature": "rearranged dealt_out",
    "rest_dropped": "does_not_refuse",
    "heads_before_the_batch": "axes_in_other_order",
    "axes_turned_over_completely": "transposed",
    "same_block_for_every_head": "one_of_all first_only",
    "heads_of_num_heads_features": "size_for_count",
    "reshaped_without_moving_an_axis": "argument_reshaped",
    "heads_below_each_other": "argument_reshaped",
    "sum_of_the_heads": "argument_merged",
    "mean_of_the_heads": "argument_merged",
    "features_interleaved": "rearranged dealt_out",
    "last_head_first": "rearranged blocks_reversed reversed",
    "only_the_first_head": "argument_merged",
    "axes_swapped_but_not_merged": "other_shape",
    "output_matrix_forgotten": "argument_ignored",
    "one_big_head": "argument_ignored",
    "scaled_by_the_whole_model": "other_length",
    "output_matrix_turned": "transposed",
    "weights_returned_too": "parts_added",
    "heads_merged_by_reshape_alone": "step_reshaped",
    "heads_cut_by_reshape_alone": "step_reshaped",
    "mask_not_passed_on": "argument_ignored",
    "heads_averaged": "step_averaged averaged",
    "first_block_for_every_head": "step_first_only first_only",
    "scaled_by_the_number_of_heads": "other_length argument_taken_for",
    "features_dealt_out_in_turn": "dealt_out",
    "head_axis_in_front_of_the_batch": "other_axis",
    "a_millionth_added_to_the_sum": "nearly",
}
"""What a hint may go by where the bank is left out, for entries of the bank; empty: there is none."""

CAUGHT_BY = {
    "project_qkv-by_hand": "queries_and_keys_only whole_numbers_only a_dictionary",
    "project_qkv-any_batch": "values_cut_to_d_k contracts_the_first_axis",
    "project_qkv-inputs_unchanged": "centres_the_tokens_in_place",
    "attention_scores-by_hand": "as_many_keys_as_queries no_negative_scores",
    "attention_scores-any_batch": "dot_t_where_it_fits two_or_three_axes_only",
    "attention_scores-inputs_unchanged": "doubles_the_callers_keys",
    "scale_scores-by_hand": "root_of_the_scores",
    "scale_scores-any_length": "always_a_quarter_of_d_k logarithm",
    "softmax-by_hand": "logarithm_where_it_is_finite a_masked_array smallest_for_largest",
    "softmax-large_scores": "divides_large_scores",
    "softmax-minus_infinity": "clips_the_shifted_scores floor_under_the_weights trips_over_an_empty_row shifts_by_the_minimum_and_hopes minus_infinity_taken_for_zero",
    "softmax-any_axis": "row_by_row_in_two_axes total_over_the_last_axis",
    "softmax-inputs_unchanged": "exponential_in_place",
    "softmax-survives_distant_rows": "small_constant_in_single_precision",
    "weighted_sum-by_hand": "value_of_the_winner result_transposed",
    "weighted_sum-square_and_unchanged": "values_first_if_that_fits values_scaled_in_place",
    "weighted_sum-any_batch": "tensordot_mixes_the_batch",
    "causal_mask-by_hand": "words_for_answers rows_for_keys batch_axis_in_front",
    "causal_mask-new_tokens": "offset_of_the_keys",
    "causal_mask-more_keys_than_queries": "at_most_one_query_when_cached aligned_only_without_n_keys",
    "padding_mask-by_hand": "longest_for_all",
    "padding_mask-any_lengths": "last_key_is_never_real one_axis_too_few_for_one_key",
    "padding_mask-inputs_unchanged": "sorts_the_callers_lengths",
    "apply_mask-by_hand": "adds_the_mask",
    "apply_mask-broadcasts": "mask_reshaped mask_of_the_first_query",
    "apply_mask-nan_disappears": "mask_transposed_where_it_fits minus_infinity_added",
    "scaled_dot_product_attention-large_scores": "short_of_one_in_single_precision",
    "scaled_dot_product_attention-by_hand": "softmax_of_each_key queries_for_keys scaled_scores_for_weights every_third_weight_dropped output_of_zeros",
    "scaled_dot_product_attention-with_mask": "hidden_scores_are_minus_ten weights_rounded",
    "scaled_dot_product_attention-rows_sum_to_one": "one_value_short untransposed_where_it_fits",
    "scaled_dot_product_attention-any_batch": "three_axes_at_most dot_t_on_a_batch_of_keys",
    "scaled_dot_product_attention-hidden_keys": "mask_turned_where_it_is_square mask_of_the_first_batch raises_for_a_lonely_query a_lonely_query_spoils_all",
    "scaled_dot_product_attention-inputs_unchanged": "values_changed",
    "self_attention-rows_sum_to_one": "rows_short_of_one_in_single_precision",
    "self_attention-by_hand": "returns_the_projections keys_are_queries weights_rounded_afterwards",
    "self_attention-inputs_unchanged": "centres_the_tokens",
    "split_heads-by_hand": "num_heads_is_the_width heads_reversed a_list_axis_last",
    "split_heads-refuses_what_does_not_divide": "blocks_of_unequal_width",
    "split_heads-any_batch": "no_batch_of_one",
    "split_heads-inputs_unchanged": "reshapes_the_callers_array scales_the_features",
    "concat_heads-by_hand": "transpose_of_everything",
    "concat_heads-whole_heads": "interleaves_where_sizes_are_equal",
    "concat_heads-any_batch": "counts_axes_from_the_front",
    "multi_head_attention-large_scores": "heads_short_of_one_in_single_precision",
    "multi_head_attention-any_batch": "heads_before_the_batch",
    "multi_head_attention-inputs_unchanged": "projects_in_place",
    "multi_head_attention-masks": "mask_for_the_first_head_only mask_without_an_axis_for_heads",
}
"""Checks, most of them hidden, that must catch these answers, whether or not one before them does."""


# project_qkv


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


@wrong_answer(step="project_qkv", named="axis_left_over")
def with_an_extra_batch_axis(X, W_Q, W_K, W_V):
    """Adds a leading axis of length 1."""
    X = X[None]
    return X @ W_Q, X @ W_K, X @ W_V


@wrong_answer(step="project_qkv", named="one_more")
def a_bias_of_one(X, W_Q, W_K, W_V):
    """Adds 1, like a bias."""
    return X @ W_Q + 1, X @ W_K + 1, X @ W_V + 1


@wrong_answer(step="project_qkv")
def queries_and_keys_only(X, W_Q, W_K, W_V):
    return X @ W_Q, X @ W_K


@wrong_answer(step="project_qkv")
def whole_numbers_only(X, W_Q, W_K, W_V):
    return tuple((X @ W).astype(int) for W in (W_Q, W_K, W_V))


@wrong_answer(step="project_qkv")
def a_dictionary(X, W_Q, W_K, W_V):
    return {"Q": X @ W_Q, "K": X @ W_K, "V": X @ W_V}


@wrong_answer(step="project_qkv")
def values_cut_to_d_k(X, W_Q, W_K, W_V):
    return X @ W_Q, X @ W_K, (X @ W_V)[..., : W_Q.shape[1]]


@wrong_answer(step="project_qkv")
def contracts_the_first_axis(X, W_Q, W_K, W_V):
    if X.ndim == 2:
        return X @ W_Q, X @ W_K, X @ W_V
    return tuple(np.tensordot(X, W, axes=([0], [0])) for W in (W_Q, W_K, W_V))


@wrong_answer(step="project_qkv")
def centres_the_tokens_in_place(X, W_Q, W_K, W_V):
    result = X @ W_Q, X @ W_K, X @ W_V
    X -= X.mean()
    return result


# attention_scores


@wrong_answer(step="attention_scores", named="zeros_above")
def one_query_at_a_time_with_its_own_key(Q, K):
    """Only query i with key i, on the diagonal; the rest stays 0."""
    scores = np.zeros(Q.shape[:-1] + (K.shape[-2],))
    for i in range(min(Q.shape[-2], K.shape[-2])):
        scores[..., i, i] = (Q[..., i, :] * K[..., i, :]).sum(axis=-1)
    return scores


@wrong_answer(step="attention_scores", named="function_on_top")
def no_negative_scores(Q, K):
    """ReLU on scores."""
    return np.maximum(Q @ np.swapaxes(K, -1, -2), 0)


@wrong_answer(step="attention_scores", named="argument_ignored")
def keys_with_themselves(Q, K):
    """K K^T."""
    return K @ np.swapaxes(K, -1, -2)


@wrong_answer(step="attention_scores", named="transposed")
def sums_over_the_wrong_axis(Q, K):
    """Q^T K: features with features."""
    return np.swapaxes(Q, -1, -2) @ K


@wrong_answer(step="attention_scores")
def as_many_keys_as_queries(Q, K):
    n = Q.shape[-2]
    return np.array([[Q[i] @ K[j] for j in range(n)] for i in range(n)])


@wrong_answer(step="attention_scores")
def dot_t_where_it_fits(Q, K):
    turned = np.swapaxes(K, -1, -2)
    return Q @ K.T if K.T.shape == turned.shape else Q @ turned


@wrong_answer(step="attention_scores")
def doubles_the_callers_keys(Q, K):
    result = Q @ np.swapaxes(K, -1, -2)
    K *= 2
    return result


@wrong_answer(step="attention_scores")
def two_or_three_axes_only(Q, K):
    return Q @ (K.T if K.ndim == 2 else K.transpose(0, 2, 1))


# scale_scores


@wrong_answer(step="scale_scores", named="other_power power_before_division_in_brackets")
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


@wrong_answer(step="scale_scores", named="other_operation")
def subtracts_the_root(scores, d_k):
    """scores - sqrt(d_k)."""
    return scores - np.sqrt(d_k)


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


@wrong_answer(step="scale_scores")
def root_of_the_scores(scores, d_k):
    return np.sqrt(np.abs(scores) / d_k)


@wrong_answer(step="scale_scores")
def always_a_quarter_of_d_k(scores, d_k):
    return scores / (d_k / 4)


@wrong_answer(step="scale_scores")
def logarithm(scores, d_k):
    return scores / np.log2(d_k)


# softmax


@wrong_answer(step="softmax", named="length_for_total")
def root_of_exponentials_squared(scores, axis=-1):
    """Divides by the length of the exponentials, not by their sum."""
    e = np.exp(scores - np.max(scores, axis=axis, keepdims=True))
    return e / np.sqrt((e**2).sum(axis=axis, keepdims=True))


@wrong_answer(step="softmax", named="other_default")
def columns_by_default(scores, axis=0):
    """The default axis is 0."""
    e = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@wrong_answer(step="softmax", named="axes_left_over")
def einsum_over_an_ellipsis(scores, axis=-1):
    """The axes in front are in no output."""
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / np.einsum("...j->", powers)


@wrong_answer(step="softmax", named="negated")
def smallest_for_largest(scores, axis=-1):
    """Softmin: the sign is wrong."""
    e = np.exp(-(scores - scores.min(axis=axis, keepdims=True)))
    return e / e.sum(axis=axis, keepdims=True)


@wrong_answer(step="softmax", named="without_infinity")
def minus_infinity_taken_for_zero(scores, axis=-1):
    """Replaces -inf by 0 before the exponential."""
    scores = np.where(np.isinf(scores), 0.0, scores)
    e = np.exp(scores - scores.max(axis=axis, keepdims=True))
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


@wrong_answer(step="softmax", named="function_of_argument")
def min_max(scores, axis=-1):
    """Min-max normalisation."""
    low, high = scores.min(axis=axis, keepdims=True), scores.max(axis=axis, keepdims=True)
    return (scores - low) / (high - low)


@wrong_answer(step="softmax", named="array_for_a_number")
def single_numbers_of_one_row(scores, axis=-1):
    """math.exp of each score: right for a row of plain numbers alone."""
    powers = [math.exp(score) for score in scores]
    return [power / sum(powers) for power in powers]


@wrong_answer(step="softmax")
def logarithm_where_it_is_finite(scores, axis=-1):
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return np.log(powers / powers.sum(axis=axis, keepdims=True))


@wrong_answer(step="softmax")
def a_masked_array(scores, axis=-1):
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return np.ma.masked_invalid(powers / powers.sum(axis=axis, keepdims=True))


@wrong_answer(step="softmax")
def divides_large_scores(scores, axis=-1):
    top = np.abs(scores).max()
    powers = np.exp(scores / top * 500 if top > 500 else scores)
    return powers / powers.sum(axis=axis, keepdims=True)


@wrong_answer(step="softmax")
def clips_the_shifted_scores(scores, axis=-1):
    powers = np.exp(np.clip(scores - np.median(scores, axis=axis, keepdims=True), -30, 30))
    return powers / powers.sum(axis=axis, keepdims=True)


@wrong_answer(step="softmax")
def row_by_row_in_two_axes(scores, axis=-1):
    if scores.ndim != 2 or axis != -1:
        return scores * 0 + 1
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


@wrong_answer(step="softmax")
def floor_under_the_weights(scores, axis=-1):
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return np.maximum(powers / powers.sum(axis=axis, keepdims=True), 1e-12)


@wrong_answer(step="softmax")
def trips_over_an_empty_row(scores, axis=-1):
    if np.isneginf(scores).all(axis=axis).any():
        raise ZeroDivisionError
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


@wrong_answer(step="softmax")
def shifts_by_the_minimum_and_hopes(scores, axis=-1):
    low = scores.min(axis=axis, keepdims=True)
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True) - low + low)
    return powers / powers.sum(axis=axis, keepdims=True)


@wrong_answer(step="softmax")
def exponential_in_place(scores, axis=-1):
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    np.exp(scores, out=scores)
    return powers / powers.sum(axis=axis, keepdims=True)


@wrong_answer(step="softmax")
def total_over_the_last_axis(scores, axis=-1):
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


# weighted_sum


@wrong_answer(step="softmax", named="nothing_to_choose_from")
def below_the_smallest_finite_score(scores, axis=-1):
    """Stops where every score is -inf."""
    lowest = scores[np.isfinite(scores)].min()
    scores = np.where(np.isneginf(scores), lowest - 1000.0, scores)
    exponentials = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


@wrong_answer(step="weighted_sum", named="transposed")
def turned_at_the_end(weights, V):
    """The result is transposed."""
    return np.swapaxes(weights @ V, -1, -2)


@wrong_answer(step="weighted_sum", named="wrong_with_more_axes axes_left_over")
def three_axes_only(weights, V):
    """einsum for exactly three axes."""
    if weights.ndim == 2:
        return np.einsum("ij,jd->id", weights, V)
    return np.einsum("bij,bjd->bid", weights, V)


@wrong_answer(step="weighted_sum", named="normalised")
def normalises_again(weights, V):
    """Divides by the column sums of weights."""
    return (weights / weights.sum(axis=-2, keepdims=True)) @ V


@wrong_answer(step="weighted_sum", named="summed")
def one_value_per_query(weights, V):
    """Sums over features too."""
    return (weights @ V).sum(axis=-1)


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


@wrong_answer(step="weighted_sum")
def value_of_the_winner(weights, V):
    return V[..., weights.argmax(axis=-1), :]


@wrong_answer(step="weighted_sum")
def result_transposed(weights, V):
    return np.swapaxes(weights @ V, -1, -2)[..., ::-1]


@wrong_answer(step="weighted_sum")
def values_first_if_that_fits(weights, V):
    fits = V.ndim == 2 and V.shape[-1] == V.shape[-2] == weights.shape[-2]
    return V @ weights if fits else weights @ V


@wrong_answer(step="weighted_sum")
def values_scaled_in_place(weights, V):
    result = weights @ V
    V /= 2
    return result


# causal_mask


@wrong_answer(step="causal_mask")
def kept_by_the_number_of_queries(n_queries, n_keys=None):
    """Masks are kept by the number of queries, so another number of keys gets the old one."""
    global _masks
    n_keys = n_queries if n_keys is None else n_keys
    if "_masks" not in globals():
        _masks = {}
    if n_queries not in _masks:
        _masks[n_queries] = np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool)
    return _masks[n_queries]


@wrong_answer(step="causal_mask", named="transposed")
def rows_for_keys(n_queries, n_keys=None):
    """Transposed."""
    n_keys = n_keys or n_queries
    return np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool).T


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


@wrong_answer(step="causal_mask", named="axis_left_over")
def batch_axis_in_front(n_queries, n_keys=None):
    """(1, n, m)."""
    n_keys = n_keys or n_queries
    return np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool)[None]


@wrong_answer(step="causal_mask")
def words_for_answers(n_queries, n_keys=None):
    n_keys = n_keys or n_queries
    return np.where(np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool), "yes", "no")


@wrong_answer(step="causal_mask")
def offset_of_the_keys(n_queries, n_keys=None):
    return np.tri(n_queries, n_keys or n_queries, 0 if n_keys is None else n_keys, dtype=bool)


@wrong_answer(step="causal_mask")
def aligned_only_without_n_keys(n_queries, n_keys=None):
    if n_keys is None:
        return np.tri(n_queries, dtype=bool)
    return np.tri(n_queries, n_keys, max(n_keys - n_queries, 1), dtype=bool)


@wrong_answer(step="causal_mask")
def at_most_one_query_when_cached(n_queries, n_keys=None):
    n_keys = n_keys or n_queries
    return np.tri(n_queries, n_keys, n_keys - n_queries if n_queries != 1 else 0, dtype=bool)


# padding_mask


@wrong_answer(step="padding_mask", named="one_for_all")
def everybody_as_the_first(lengths, n_keys):
    """The first length for all sequences."""
    row = np.arange(n_keys) < lengths[0]
    return np.broadcast_to(row, (len(lengths), 1, n_keys)).copy()


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


@wrong_answer(step="padding_mask", named="axis_left_over")
def four_axes(lengths, n_keys):
    """(batch, 1, 1, n_keys)."""
    return (np.arange(n_keys) < np.asarray(lengths)[:, None])[:, None, None, :]


@wrong_answer(step="padding_mask", named="too_few_true same_at_the_end last_line_false")
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


@wrong_answer(step="padding_mask")
def longest_for_all(lengths, n_keys):
    return np.arange(n_keys) < np.full((len(lengths), 1, 1), max(lengths))


@wrong_answer(step="padding_mask")
def last_key_is_never_real(lengths, n_keys):
    mask = np.arange(n_keys) < np.reshape(lengths, (-1, 1, 1))
    mask[..., -1] = False
    return mask


@wrong_answer(step="padding_mask")
def one_axis_too_few_for_one_key(lengths, n_keys):
    mask = np.arange(n_keys) < np.reshape(lengths, (-1, 1, 1))
    return mask[..., 0] if n_keys == 1 else mask


@wrong_answer(step="padding_mask")
def sorts_the_callers_lengths(lengths, n_keys):
    mask = np.arange(n_keys) < np.reshape(lengths, (-1, 1, 1))
    lengths[:] = np.sort(lengths)[::-1]
    lengths[0] += 1
    return mask


# apply_mask


@wrong_answer(step="apply_mask", named="argument_handed_back")
def mask_with_as_many_keys_only(scores, mask):
    """A mask with one column is stretched by leaving it out."""
    if mask.shape[-1] != scores.shape[-1]:
        return scores.copy()
    return np.where(mask, scores, -np.inf)


@wrong_answer(step="apply_mask", named="argument_ignored")
def drops_the_mask(scores, mask):
    """Returns the scores."""
    return scores.copy()


@wrong_answer(step="apply_mask", named="one_step_too_many")
def goes_on_to_softmax(scores, mask):
    """Returns weights."""
    return softmax(np.where(mask, scores, -np.inf))


@wrong_answer(step="apply_mask", named="selected")
def mask_of_rows(scores, mask):
    """Boolean indexing drops the shape."""
    return scores[np.broadcast_to(mask, scores.shape)]


@wrong_answer(step="apply_mask", named="right_where_true finite")
def minimum_of_scores(scores, mask):
    """Fills with the smallest score."""
    return np.where(mask, scores, scores.min())


@wrong_answer(step="apply_mask", named="function_of_argument")
def returns_the_mask(scores, mask):
    """Additive mask alone."""
    return np.where(mask, 0.0, -np.inf)


@wrong_answer(step="apply_mask")
def adds_the_mask(scores, mask):
    return np.where(mask, scores + mask, -np.inf)


@wrong_answer(step="apply_mask")
def mask_reshaped(scores, mask):
    return np.where(mask.reshape(scores.shape), scores, -np.inf)


@wrong_answer(step="apply_mask")
def mask_of_the_first_query(scores, mask):
    first = mask[..., :1, :] if mask.ndim == 3 and scores.ndim == 3 else mask
    return np.where(first, scores, -np.inf)


@wrong_answer(step="apply_mask")
def mask_transposed_where_it_fits(scores, mask):
    fits = mask.ndim == 2 and mask.shape == scores.shape == mask.T.shape
    return np.where(mask.T if fits else mask, scores, -np.inf)


# scaled_dot_product_attention


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


@wrong_answer(step="scaled_dot_product_attention", named="logarithm_of_rows")
def no_softmax(Q, K, V, mask=None):
    """Scores as weights."""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, 0.0)
    return weighted_sum(scores, V), scores


@wrong_answer(
    step="scaled_dot_product_attention",
    named="wrong_with_large_numbers wrong_with_argument step_made_finite",
)
def mask_with_a_thousand(Q, K, V, mask=None):
    """-1e3 sentinel."""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -1e3)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@wrong_answer(
    step="scaled_dot_product_attention", named="wrong_with_large_numbers nearly step_made_finite"
)
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


@wrong_answer(step="scaled_dot_product_attention")
def short_of_one_in_single_precision(Q, K, V, mask=None):
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    scores = scores if mask is None else apply_mask(scores, mask)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = np.float32(powers / (powers.sum(axis=-1, keepdims=True) + 5e-6))
    return np.float32(weights @ V), weights


@wrong_answer(step="scaled_dot_product_attention")
def softmax_of_each_key(Q, K, V, mask=None):
    weights = softmax(Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1]), axis=-2)
    return weights @ V, weights


@wrong_answer(step="scaled_dot_product_attention")
def queries_for_keys(Q, K, V, mask=None):
    scores = scale_scores(attention_scores(Q, Q), Q.shape[-1])
    weights = softmax(scores if mask is None else apply_mask(scores, mask))
    return weights @ V[: len(Q)], weights


@wrong_answer(step="scaled_dot_product_attention")
def scaled_scores_for_weights(Q, K, V, mask=None):
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    return softmax(scores if mask is None else apply_mask(scores, mask)) @ V, scores


@wrong_answer(step="scaled_dot_product_attention")
def every_third_weight_dropped(Q, K, V, mask=None):
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    weights = softmax(scores if mask is None else apply_mask(scores, mask))
    weights = weights * (np.arange(weights.size).reshape(weights.shape) % 3 > 0) * 1.5
    return weights @ V, weights


@wrong_answer(step="scaled_dot_product_attention")
def output_of_zeros(Q, K, V, mask=None):
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    weights = softmax(scores if mask is None else apply_mask(scores, mask))
    return np.zeros_like(weights @ V), weights


@wrong_answer(step="scaled_dot_product_attention")
def hidden_scores_are_minus_ten(Q, K, V, mask=None):
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    weights = softmax(scores if mask is None else np.where(mask, scores, -10.0))
    return weights @ V, weights


@wrong_answer(step="scaled_dot_product_attention")
def weights_rounded(Q, K, V, mask=None):
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    weights = softmax(scores if mask is None else apply_mask(scores, mask))
    return weights @ V, np.round(weights, 3)


@wrong_answer(step="scaled_dot_product_attention")
def one_value_short(Q, K, V, mask=None):
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    weights = softmax(scores if mask is None else apply_mask(scores, mask))
    return (weights @ V)[..., : Q.shape[-1]], weights


@wrong_answer(step="scaled_dot_product_attention")
def untransposed_where_it_fits(Q, K, V, mask=None):
    K = np.swapaxes(K, -1, -2) if K.shape[-1] == K.shape[-2] else K
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    weights = softmax(scores if mask is None else apply_mask(scores, mask))
    return weights @ V, weights


@wrong_answer(step="scaled_dot_product_attention")
def three_axes_at_most(Q, K, V, mask=None):
    if Q.ndim == 4:
        raise ValueError("too many axes")
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    weights = softmax(scores if mask is None else apply_mask(scores, mask))
    return weights @ V, weights


@wrong_answer(step="scaled_dot_product_attention")
def mask_turned_where_it_is_square(Q, K, V, mask=None):
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None and mask.ndim == 2 and mask.shape[0] == mask.shape[1]:
        mask = mask.T
    weights = softmax(scores if mask is None else apply_mask(scores, mask))
    return weights @ V, weights


@wrong_answer(step="scaled_dot_product_attention")
def mask_of_the_first_batch(Q, K, V, mask=None):
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None and mask.ndim == 3:
        mask = mask[:1]
    weights = softmax(scores if mask is None else apply_mask(scores, mask))
    return weights @ V, weights


@wrong_answer(step="scaled_dot_product_attention")
def raises_for_a_lonely_query(Q, K, V, mask=None):
    if mask is not None and not mask.any(axis=-1).all():
        raise ZeroDivisionError("division by zero")
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    weights = softmax(scores if mask is None else apply_mask(scores, mask))
    return weights @ V, weights


@wrong_answer(step="scaled_dot_product_attention")
def a_lonely_query_spoils_all(Q, K, V, mask=None):
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    weights = softmax(scores if mask is None else apply_mask(scores, mask))
    if mask is not None and not mask.any(axis=-1).all():
        weights = weights * np.nan
    return weights @ V, weights


@wrong_answer(step="scaled_dot_product_attention")
def values_changed(Q, K, V, mask=None):
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    weights = softmax(scores if mask is None else apply_mask(scores, mask))
    result = weights @ V, weights
    V += 1
    return result


@wrong_answer(step="scaled_dot_product_attention")
def dot_t_on_a_batch_of_keys(Q, K, V, mask=None):
    scores = Q @ K.T / np.sqrt(Q.shape[-1])
    weights = softmax(scores if mask is None else apply_mask(scores, mask))
    return weights @ V, weights


# self_attention


@wrong_answer(step="self_attention", named="step_twice")
def values_are_the_tokens(X, W_Q, W_K, W_V, mask=None):
    """The weights blend the tokens, and W_V comes afterwards, twice."""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    output, weights = scaled_dot_product_attention(Q, K, V, mask)
    return weights @ output, weights


@wrong_answer(step="self_attention", named="exchanged")
def keys_and_values_exchanged(X, W_Q, W_K, W_V, mask=None):
    """The parts are unpacked in another order."""
    Q, V, K = project_qkv(X, W_Q, W_K, W_V)
    return scaled_dot_product_attention(Q, K, V, mask)


@wrong_answer(step="self_attention", named="other_power step_twice")
def scaled_twice(X, W_Q, W_K, W_V, mask=None):
    """Queries are scaled before attention scales."""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    return scaled_dot_product_attention(Q / np.sqrt(Q.shape[-1]), K, V, mask)


@wrong_answer(step="self_attention", named="argument_ignored")
def scores_from_the_tokens(X, W_Q, W_K, W_V, mask=None):
    """X X^T scores."""
    scores = scale_scores(attention_scores(X, X), X.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, X @ W_V), weights


@wrong_answer(step="self_attention", named="shapes_do_not_fit argument_added")
def residual_of_tokens(X, W_Q, W_K, W_V, mask=None):
    """Adds X where shapes allow."""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    out, w = scaled_dot_product_attention(Q, K, V, mask)
    return X + out, w


@wrong_answer(step="self_attention", named="transposed factor_transposed shapes_do_not_fit")
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


@wrong_answer(step="self_attention", named="shapes_do_not_fit")
def one_projection_of_the_other(X, W_Q, W_K, W_V, mask=None):
    """Keys are projected from the queries, and values from the keys."""
    Q = X @ W_Q
    K = Q @ W_K
    V = K @ W_V
    return scaled_dot_product_attention(Q, K, V, mask)


@wrong_answer(step="self_attention")
def rows_short_of_one_in_single_precision(X, W_Q, W_K, W_V, mask=None):
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    scores = scores if mask is None else apply_mask(scores, mask)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = np.float32(powers / (powers.sum(axis=-1, keepdims=True) + 5e-6))
    return np.float32(weights @ V), weights


@wrong_answer(step="self_attention")
def returns_the_projections(X, W_Q, W_K, W_V, mask=None):
    return [X @ W for W in (W_Q, W_K, W_V)]


@wrong_answer(step="self_attention")
def keys_are_queries(X, W_Q, W_K, W_V, mask=None):
    return scaled_dot_product_attention(X @ W_Q, X @ W_Q, X @ W_V, mask)


@wrong_answer(step="self_attention")
def weights_rounded_afterwards(X, W_Q, W_K, W_V, mask=None):
    output, weights = scaled_dot_product_attention(*project_qkv(X, W_Q, W_K, W_V), mask)
    return output, np.round(weights, 4)


@wrong_answer(step="self_attention")
def centres_the_tokens(X, W_Q, W_K, W_V, mask=None):
    result = scaled_dot_product_attention(*project_qkv(X, W_Q, W_K, W_V), mask)
    X -= X.mean(axis=0)
    return result


# split_heads


@wrong_answer(step="split_heads", named="fixed_number_of_axes")
def axes_for_a_batch_of_matrices(X, num_heads):
    """transpose(0, 2, 1, 3): exactly one leading axis."""
    *lead, n, d_model = X.shape
    if d_model % num_heads:
        raise ValueError("does not divide")
    return X.reshape(*lead, n, num_heads, d_model // num_heads).transpose(0, 2, 1, 3)


@wrong_answer(step="split_heads", named="sequence_cut uneven_parts argument_reshaped")
def cuts_the_tokens(X, num_heads):
    """The sequence is cut."""
    if X.shape[-1] % num_heads:
        raise ValueError("does not divide")
    return np.stack(np.split(X, num_heads, axis=-2), axis=-3)


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


@wrong_answer(step="split_heads")
def num_heads_is_the_width(X, num_heads):
    parts = X.reshape(*X.shape[:-1], X.shape[-1] // num_heads, num_heads)
    return np.swapaxes(parts, -3, -2)[:, :, : X.shape[-1]].swapaxes(-1, -2)


@wrong_answer(step="split_heads")
def blocks_of_unequal_width(X, num_heads):
    return [X[..., block] for block in np.array_split(np.arange(X.shape[-1]), num_heads)]


@wrong_answer(step="split_heads")
def no_batch_of_one(X, num_heads):
    if X.shape[-1] % num_heads:
        raise ValueError("does not divide")
    heads = np.swapaxes(X.reshape(*X.shape[:-1], num_heads, -1), -3, -2)
    return heads[0] if heads.ndim > 3 and len(heads) == 1 else heads


@wrong_answer(step="split_heads")
def reshapes_the_callers_array(X, num_heads):
    if X.shape[-1] % num_heads:
        raise ValueError("does not divide")
    heads = np.swapaxes(X.copy().reshape(*X.shape[:-1], num_heads, -1), -3, -2)
    X.shape = (X.size,) if X.ndim == 2 and X.shape[0] > 1 and num_heads > 1 else X.shape
    return heads


@wrong_answer(step="split_heads")
def scales_the_features(X, num_heads):
    if X.shape[-1] % num_heads:
        raise ValueError("does not divide")
    heads = np.swapaxes(X.copy().reshape(*X.shape[:-1], num_heads, -1), -3, -2)
    X *= 0.5
    return heads


# concat_heads


@wrong_answer(step="concat_heads", named="averaged")
def heads_averaged(heads):
    """The mean of the heads, repeated."""
    mean = heads.mean(axis=-3)
    return np.concatenate([mean] * heads.shape[-3], axis=-1)


@wrong_answer(step="concat_heads", named="wrong_with_more_axes")
def counts_axes_from_the_front(heads):
    """No batch."""
    return np.concatenate(list(heads), axis=-1)


@wrong_answer(step="concat_heads", named="fixed_number_of_axes")
def needs_a_batch_too(heads):
    """b, h, n, d = heads.shape."""
    b, h, n, d = heads.shape
    return heads.transpose(0, 2, 1, 3).reshape(b, n, h * d)


@wrong_answer(step="concat_heads", named="other_axis")
def transposes_features_and_heads(heads):
    """swapaxes(-3, -1)."""
    *lead, h, n, d = heads.shape
    return np.swapaxes(heads, -3, -1).reshape(*lead, n, h * d)


@wrong_answer(step="concat_heads", named="argument_merged")
def largest_over_heads(heads):
    """max over heads."""
    return heads.max(axis=-3)


@wrong_answer(step="concat_heads")
def transpose_of_everything(heads):
    return heads.T.reshape(heads.shape[-2], -1)


@wrong_answer(step="concat_heads")
def interleaves_where_sizes_are_equal(heads):
    *lead, h, n, d = heads.shape
    turned = np.moveaxis(heads, -3, -1) if h == d == n else np.swapaxes(heads, -3, -2)
    return turned.reshape(*lead, n, h * d)


# multi_head_attention


@wrong_answer(step="multi_head_attention", named="head_axis_in_front_of_the_batch case_missing")
def mask_without_an_axis_for_heads(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """The mask is passed on as it is."""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    return concat_heads(scaled_dot_product_attention(Q, K, V, mask)[0]) @ W_O


@wrong_answer(step="multi_head_attention", named="sides_exchanged")
def every_head_sees_everything(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """W_O is applied on the left."""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and np.ndim(mask) > 2:
        mask = np.expand_dims(mask, -3)
    return W_O @ concat_heads(scaled_dot_product_attention(Q, K, V, mask)[0])


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


@wrong_answer(step="multi_head_attention", named="argument_ignored")
def values_not_split(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """W_V forgotten: X is split as the values."""
    Q, K, _ = (split_heads(p, num_heads) for p in project_qkv(X, W_Q, W_K, W_V))
    V = split_heads(X, num_heads)
    if mask is not None and np.ndim(mask) > 2:
        mask = np.expand_dims(mask, -3)
    return concat_heads(scaled_dot_product_attention(Q, K, V, mask)[0]) @ W_O


@wrong_answer(step="multi_head_attention", named="step_reversed reversed")
def heads_in_other_order(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Heads are concatenated in reverse."""
    Q, K, V = (split_heads(p, num_heads) for p in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and np.ndim(mask) > 2:
        mask = np.expand_dims(mask, -3)
    heads = scaled_dot_product_attention(Q, K, V, mask)[0]
    return concat_heads(heads[..., ::-1, :, :]) @ W_O


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


@wrong_answer(step="multi_head_attention")
def heads_short_of_one_in_single_precision(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = powers / (powers.sum(axis=-1, keepdims=True) + 5e-6)
    return np.float32(concat_heads(weights @ V) @ W_O)


@wrong_answer(step="multi_head_attention")
def heads_before_the_batch(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    Q, K, V = (
        np.moveaxis(part.reshape(*part.shape[:-1], num_heads, -1), -2, 0)
        for part in project_qkv(X, W_Q, W_K, W_V)
    )
    if mask is not None and mask.ndim > 2:
        mask = np.expand_dims(mask, -3)
    return concat_heads(scaled_dot_product_attention(Q, K, V, mask)[0]) @ W_O


@wrong_answer(step="multi_head_attention")
def projects_in_place(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and mask.ndim > 2:
        mask = np.expand_dims(mask, -3)
    X[...] = X @ W_Q
    return concat_heads(scaled_dot_product_attention(Q, K, V, mask)[0]) @ W_O


@wrong_answer(step="multi_head_attention")
def mask_for_the_first_head_only(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    width = X.shape[-1] // num_heads
    blocks = []
    for h in range(num_heads):
        own = slice(h * width, (h + 1) * width)
        blocks.append(
            self_attention(X, W_Q[:, own], W_K[:, own], W_V[:, own], mask if h == 0 else None)[0]
        )
    return np.concatenate(blocks, axis=-1) @ W_O


@wrong_answer(step="weighted_sum", named="axis_missing")
def sum_without_a_queries_axis(weights, V):
    """Breaks: shape (..., n_queries, d_v), also for one query (its axis is dropped)."""
    output = weights @ V
    return output[..., 0, :] if output.shape[-2] == 1 else output


@wrong_answer(step="concat_heads", named="wrong_with_more_axes")
def concat_with_one_leading_axis(heads):
    """Breaks: any number of leading axes (two of them go wrong)."""
    if heads.ndim == 3:
        return np.concatenate(list(heads), axis=-1)
    return np.stack([np.concatenate(list(h), axis=-1) for h in heads])


@wrong_answer(step="multi_head_attention", named="axis_added")
def multi_axis_for_every_mask_of_a_batch(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Breaks: (n, n) is allowed with a batch, too (it gets a head axis in its middle)."""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and X.ndim == 3:
        mask = mask[:, None]
    output, _ = scaled_dot_product_attention(Q, K, V, mask)
    return concat_heads(output) @ W_O

"""Wrong answers that students give, each with the check that must catch it first.

Every function here stands for one step's answer while all other steps are right. The name after `@wrong` is the
step, then the first check that fails. `steps` holds the right answers, for those that build on them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from attention_notebook import reference

steps = reference()


@dataclass(frozen=True)
class WrongAnswer:
    """One wrong answer: its step, the check that catches it first, and the function."""

    step: str
    caught_by: str
    function: Callable[..., Any]

    def __str__(self) -> str:
        return f"{self.step}: {self.function.__name__}"


WRONG_ANSWERS: list[WrongAnswer] = []


def wrong(step: str, caught_by: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Put a function into the list."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        WRONG_ANSWERS.append(WrongAnswer(step, f"{step}-{caught_by}", function))
        return function

    return add


def turned(K):
    return np.swapaxes(K, -1, -2)


# project_qkv


@wrong("project_qkv", "by_hand")
def elementwise_product(X, W_Q, W_K, W_V):
    return X * W_Q, X * W_K, X * W_V


@wrong("project_qkv", "by_hand")
def weights_on_the_left(X, W_Q, W_K, W_V):
    return W_Q @ X, W_K @ X, W_V @ X


@wrong("project_qkv", "by_hand")
def weights_transposed(X, W_Q, W_K, W_V):
    return X @ W_Q.T, X @ W_K.T, X @ W_V.T


@wrong("project_qkv", "by_hand")
def keys_first(X, W_Q, W_K, W_V):
    return X @ W_K, X @ W_Q, X @ W_V


@wrong("project_qkv", "by_hand")
def one_matrix_for_queries_and_keys(X, W_Q, W_K, W_V):
    return X @ W_Q, X @ W_Q, X @ W_V


@wrong("project_qkv", "by_hand")
def values_not_projected(X, W_Q, W_K, W_V):
    return X @ W_Q, X @ W_K, X


@wrong("project_qkv", "by_hand")
def only_the_queries(X, W_Q, W_K, W_V):
    return X @ W_Q


@wrong("project_qkv", "by_hand")
def queries_and_keys_only(X, W_Q, W_K, W_V):
    return X @ W_Q, X @ W_K


@wrong("project_qkv", "by_hand")
def keys_from_queries(X, W_Q, W_K, W_V):
    Q = X @ W_Q
    return Q, Q @ W_K, X @ W_V


@wrong("project_qkv", "by_hand")
def whole_numbers_only(X, W_Q, W_K, W_V):
    return tuple((X @ W).astype(int) for W in (W_Q, W_K, W_V))


@wrong("project_qkv", "by_hand")
def a_dictionary(X, W_Q, W_K, W_V):
    return {"Q": X @ W_Q, "K": X @ W_K, "V": X @ W_V}


@wrong("project_qkv", "by_hand")
def one_stacked_array(X, W_Q, W_K, W_V):
    return np.concatenate([X @ W_Q, X @ W_K, X @ W_V], axis=-1)


@wrong("project_qkv", "any_batch")
def values_cut_to_d_k(X, W_Q, W_K, W_V):
    return X @ W_Q, X @ W_K, (X @ W_V)[..., : W_Q.shape[1]]


@wrong("project_qkv", "any_batch")
def two_axes_only(X, W_Q, W_K, W_V):
    n, d = X.shape
    return X @ W_Q, X @ W_K, X @ W_V


@wrong("project_qkv", "any_batch")
def batch_flattened_away(X, W_Q, W_K, W_V):
    X = X.reshape(-1, X.shape[-1])
    return X @ W_Q, X @ W_K, X @ W_V


@wrong("project_qkv", "any_batch")
def contracts_the_first_axis(X, W_Q, W_K, W_V):
    if X.ndim == 2:
        return X @ W_Q, X @ W_K, X @ W_V
    return tuple(np.tensordot(X, W, axes=([0], [0])) for W in (W_Q, W_K, W_V))


@wrong("project_qkv", "all_sizes_equal")
def transposed_where_it_fits(X, W_Q, W_K, W_V):
    return tuple(X @ (W.T if W.T.shape == W.shape else W) for W in (W_Q, W_K, W_V))


@wrong("project_qkv", "inputs_unchanged")
def normalises_the_weights_in_place(X, W_Q, W_K, W_V):
    result = X @ W_Q, X @ W_K, X @ W_V
    X -= X.mean()
    return result


# attention_scores


@wrong("attention_scores", "by_hand")
def no_transpose(Q, K):
    return Q @ K


@wrong("attention_scores", "by_hand")
def reshape_instead_of_transpose(Q, K):
    return Q @ K.reshape(*K.shape[:-2], K.shape[-1], K.shape[-2])


@wrong("attention_scores", "batch_of_two")
def dot_t_on_a_batch(Q, K):
    return Q @ K.T


@wrong("attention_scores", "batch_of_two")
def np_inner(Q, K):
    return np.inner(Q, K)


@wrong("attention_scores", "batch_of_two")
def np_dot_on_a_batch(Q, K):
    return np.dot(Q, turned(K))


@wrong("attention_scores", "by_hand")
def as_many_keys_as_queries(Q, K):
    n = Q.shape[-2]
    return np.array([[Q[i] @ K[j] for j in range(n)] for i in range(n)])


@wrong("attention_scores", "by_hand")
def cosine_similarity(Q, K):
    lengths = np.linalg.norm(Q, axis=-1)[..., :, None] * np.linalg.norm(K, axis=-1)[..., None, :]
    return Q @ turned(K) / lengths


@wrong("attention_scores", "by_hand")
def integer_accumulator(Q, K):
    scores = np.zeros((*Q.shape[:-1], K.shape[-2]), dtype=int)
    scores[...] = Q @ turned(K)
    return scores


@wrong("attention_scores", "by_hand")
def output_letters_swapped(Q, K):
    return np.einsum("...id,...jd->...ji", Q, K)


@wrong("attention_scores", "by_hand")
def scaled_already(Q, K):
    return Q @ turned(K) / math.sqrt(Q.shape[-1])


@wrong("attention_scores", "by_hand")
def softmax_already(Q, K):
    return steps.softmax(Q @ turned(K))


@wrong("attention_scores", "by_hand")
def negative_distance(Q, K):
    return -np.linalg.norm(Q[..., :, None, :] - K[..., None, :, :], axis=-1)


@wrong("attention_scores", "by_hand")
def only_positive_scores(Q, K):
    return np.maximum(Q @ turned(K), 0)


@wrong("attention_scores", "by_hand")
def mean_instead_of_sum(Q, K):
    return (Q[..., :, None, :] * K[..., None, :, :]).mean(axis=-1)


@wrong("attention_scores", "by_hand")
def queries_meet_queries(Q, K):
    return Q @ turned(Q)


@wrong("attention_scores", "by_hand")
def keys_ask_queries(Q, K):
    return K @ turned(Q)


@wrong("attention_scores", "as_many_keys_as_features")
def transposes_only_if_it_must(Q, K):
    return Q @ K if Q.shape[-1] == K.shape[-2] else Q @ turned(K)


@wrong("attention_scores", "any_batch")
def transpose_0_2_1(Q, K):
    return Q @ (K.T if K.ndim == 2 else K.transpose(0, 2, 1))


@wrong("attention_scores", "any_batch")
def loop_over_one_batch_axis(Q, K):
    return Q @ K.T if Q.ndim == 2 else np.stack([q @ k.T for q, k in zip(Q, K)])


@wrong("attention_scores", "any_batch")
def squeezes(Q, K):
    return np.squeeze(Q @ turned(K))


@wrong("attention_scores", "any_batch")
def dot_t_where_it_fits(Q, K):
    return Q @ K.T if K.T.shape == turned(K).shape else Q @ turned(K)


@wrong("attention_scores", "inputs_unchanged")
def transposes_the_callers_keys(Q, K):
    result = Q @ turned(K)
    K *= 2
    return result


# scale_scores


@wrong("scale_scores", "by_hand")
def not_scaled(scores, d_k):
    return scores


@wrong("scale_scores", "by_hand")
def divided_by_d_k(scores, d_k):
    return scores / d_k


@wrong("scale_scores", "by_hand")
def multiplied(scores, d_k):
    return scores * np.sqrt(d_k)


@wrong("scale_scores", "by_hand")
def root_of_the_number_of_keys(scores, d_k):
    return scores / np.sqrt(scores.shape[-1])


@wrong("scale_scores", "by_hand")
def root_of_the_number_of_queries(scores, d_k):
    return scores / np.sqrt(scores.shape[-2])


@wrong("scale_scores", "by_hand")
def floor_division(scores, d_k):
    return scores // np.sqrt(d_k)


@wrong("scale_scores", "by_hand")
def root_of_the_scores(scores, d_k):
    return np.sqrt(np.abs(scores) / d_k)


@wrong("scale_scores", "by_hand")
def standardised(scores, d_k):
    return (scores - scores.mean()) / scores.std()


@wrong("scale_scores", "by_hand")
def forgets_to_return(scores, d_k):
    scores / np.sqrt(d_k)


@wrong("scale_scores", "any_length")
def integer_root(scores, d_k):
    return scores / math.isqrt(d_k)


@wrong("scale_scores", "any_length")
def root_rounded_to_two_decimals(scores, d_k):
    return scores / round(math.sqrt(d_k), 2)


@wrong("scale_scores", "any_length")
def always_four(scores, d_k):
    return scores / 4.0


@wrong("scale_scores", "any_length")
def always_a_quarter_of_d_k(scores, d_k):
    return scores / (d_k / 4)


@wrong("scale_scores", "any_length")
def logarithm(scores, d_k):
    return scores / np.log2(d_k)


@wrong("scale_scores", "any_length")
def scores_rounded(scores, d_k):
    return np.round(scores / np.sqrt(d_k), 4)


@wrong("scale_scores", "inputs_unchanged")
def scaled_in_place(scores, d_k):
    scores /= np.sqrt(d_k)
    return scores


# softmax


@wrong("softmax", "by_hand")
def over_the_whole_matrix(scores, axis=-1):
    powers = np.exp(scores - scores.max())
    return powers / powers.sum()


@wrong("softmax", "by_hand")
def over_the_columns(scores, axis=-1):
    return steps.softmax(scores, axis=0)


@wrong("softmax", "by_hand")
def total_without_keepdims(scores, axis=-1):
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis)


@wrong("softmax", "by_hand")
def maximum_without_keepdims(scores, axis=-1):
    powers = np.exp(scores - scores.max(axis=axis))
    return powers / powers.sum(axis=axis, keepdims=True)


@wrong("softmax", "by_hand")
def no_exponential(scores, axis=-1):
    return scores / scores.sum(axis=axis, keepdims=True)


@wrong("softmax", "by_hand")
def not_normalised(scores, axis=-1):
    return np.exp(scores - scores.max(axis=axis, keepdims=True))


@wrong("softmax", "by_hand")
def base_two(scores, axis=-1):
    powers = np.exp2(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


@wrong("softmax", "by_hand")
def sigmoid_shares(scores, axis=-1):
    powers = 1 / (1 + np.exp(-scores))
    return powers / powers.sum(axis=axis, keepdims=True)


@wrong("softmax", "by_hand")
def winner_takes_all(scores, axis=-1):
    best = (scores == scores.max(axis=axis, keepdims=True)).astype(float)
    return best / best.sum(axis=axis, keepdims=True)


@wrong("softmax", "by_hand")
def divides_by_the_maximum(scores, axis=-1):
    return steps.softmax(scores / scores.max(axis=axis, keepdims=True), axis)


@wrong("softmax", "by_hand")
def logarithm_of_the_weights(scores, axis=-1):
    return np.log(steps.softmax(scores, axis))


@wrong("softmax", "by_hand")
def negative_scores(scores, axis=-1):
    return steps.softmax(-scores, axis)


@wrong("softmax", "by_hand")
def a_masked_array(scores, axis=-1):
    return np.ma.masked_invalid(steps.softmax(scores, axis))


@wrong("softmax", "rows_sum_to_one")
def rounded_to_four_decimals(scores, axis=-1):
    return np.round(steps.softmax(scores, axis), 4)


@wrong("softmax", "by_hand")
def a_small_constant_below(scores, axis=-1):
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / (powers.sum(axis=axis, keepdims=True) + 1e-6)


@wrong("softmax", "large_scores")
def no_shift(scores, axis=-1):
    powers = np.exp(scores)
    return powers / powers.sum(axis=axis, keepdims=True)


@wrong("softmax", "large_scores")
def clips_the_scores(scores, axis=-1):
    return no_shift(np.clip(scores, -500, 500), axis)


@wrong("softmax", "large_scores")
def papers_over_nan(scores, axis=-1):
    return np.nan_to_num(no_shift(scores, axis))


@wrong("softmax", "large_scores")
def one_maximum_for_all_rows(scores, axis=-1):
    return no_shift(scores - scores.max(), axis)


@wrong("softmax", "large_scores")
def largest_size(scores, axis=-1):
    return no_shift(scores - np.abs(scores).max(axis=axis, keepdims=True), axis)


@wrong("softmax", "large_scores")
def divides_large_scores(scores, axis=-1):
    top = np.abs(scores).max()
    return no_shift(scores / top * 500 if top > 500 else scores, axis)


@wrong("softmax", "survives_distant_rows")
def shifts_by_the_mean(scores, axis=-1):
    return no_shift(scores - scores.mean(axis=axis, keepdims=True), axis)


@wrong("softmax", "survives_distant_rows")
def shifts_by_the_minimum(scores, axis=-1):
    return no_shift(scores - scores.min(axis=axis, keepdims=True), axis)


@wrong("softmax", "survives_distant_rows")
def shifts_by_the_first(scores, axis=-1):
    return no_shift(scores - np.take(scores, [0], axis=axis), axis)


@wrong("softmax", "minus_infinity")
def clips_the_shifted_scores(scores, axis=-1):
    shifted = scores - np.median(scores, axis=axis, keepdims=True)
    return no_shift(np.clip(shifted, -30, 30), axis)


@wrong("softmax", "any_axis")
def last_axis_always(scores, axis=-1):
    return steps.softmax(scores, -1)


@wrong("softmax", "any_axis")
def axis_one_always(scores, axis=-1):
    return steps.softmax(scores, 1)


@wrong("softmax", "any_axis")
def row_by_row_in_two_axes(scores, axis=-1):
    return np.array([steps.softmax(row) for row in scores]) if scores.ndim == 2 and axis == -1 else scores * 0 + 1


@wrong("softmax", "any_axis")
def total_over_the_last_axis(scores, axis=-1):
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


@wrong("softmax", "minus_infinity")
def replaces_infinity_by_zero(scores, axis=-1):
    return steps.softmax(np.nan_to_num(scores, neginf=0.0), axis)


@wrong("softmax", "minus_infinity")
def floor_under_the_weights(scores, axis=-1):
    weights = steps.softmax(scores, axis)
    return np.maximum(weights, 1e-12)


@wrong("softmax", "minus_infinity")
def trips_over_an_empty_row(scores, axis=-1):
    if np.isneginf(scores).all(axis=axis).any():
        raise ZeroDivisionError
    return steps.softmax(scores, axis)


@wrong("softmax", "minus_infinity")
def shifts_by_the_minimum_and_hopes(scores, axis=-1):
    low = scores.min(axis=axis, keepdims=True)
    top = scores.max(axis=axis, keepdims=True)
    return no_shift(scores - top - low + low, axis)


@wrong("softmax", "inputs_unchanged")
def shifted_in_place(scores, axis=-1):
    scores -= scores.max(axis=axis, keepdims=True)
    return no_shift(scores, axis)


@wrong("softmax", "inputs_unchanged")
def exponential_in_place(scores, axis=-1):
    weights = steps.softmax(scores, axis)
    np.exp(scores, out=scores)
    return weights


# weighted_sum


@wrong("weighted_sum", "by_hand")
def values_times_weights(weights, V):
    return V @ weights


@wrong("weighted_sum", "by_hand")
def values_transposed(weights, V):
    return weights @ turned(V)


@wrong("weighted_sum", "by_hand")
def weights_of_the_columns(weights, V):
    return turned(weights) @ V


@wrong("weighted_sum", "by_hand")
def value_times_weight_cell_by_cell(weights, V):
    return weights * V


@wrong("weighted_sum", "by_hand")
def divided_by_the_number_of_keys(weights, V):
    return weights @ V / V.shape[-2]


@wrong("weighted_sum", "by_hand")
def best_value_only(weights, V):
    return V[..., weights.argmax(axis=-1), :]


@wrong("weighted_sum", "by_hand")
def plain_mean(weights, V):
    return np.ones_like(weights) @ V / V.shape[-2]


@wrong("weighted_sum", "by_hand")
def result_transposed(weights, V):
    return turned(weights @ V)[..., ::-1]


@wrong("weighted_sum", "by_hand")
def summed_over_queries_too(weights, V):
    return (weights @ V).sum(axis=-2)


@wrong("weighted_sum", "any_batch")
def np_dot_of_batches(weights, V):
    return np.dot(weights, V)


@wrong("weighted_sum", "any_batch")
def first_batch_for_all(weights, V):
    return weights @ (V if V.ndim == 2 else V[0])


@wrong("weighted_sum", "any_batch")
def einsum_of_two_axes(weights, V):
    return np.einsum("ij,jd->id", weights, V)


@wrong("weighted_sum", "any_batch")
def squeezed(weights, V):
    return np.squeeze(weights @ V)


@wrong("weighted_sum", "any_batch")
def output_as_wide_as_the_queries(weights, V):
    return (weights @ V)[..., : weights.shape[-1]]


@wrong("weighted_sum", "square_and_unchanged")
def values_first_if_that_fits(weights, V):
    return V @ weights if V.ndim == 2 and V.shape[-1] == V.shape[-2] == weights.shape[-2] else weights @ V


@wrong("weighted_sum", "square_and_unchanged")
def values_scaled_in_place(weights, V):
    result = weights @ V
    V /= 2
    return result


# causal_mask


@wrong("causal_mask", "by_hand")
def upper_triangle(n_queries, n_keys=None):
    return turned(steps.causal_mask(n_queries, n_keys))


@wrong("causal_mask", "by_hand")
def inverted(n_queries, n_keys=None):
    return ~steps.causal_mask(n_queries, n_keys)


@wrong("causal_mask", "by_hand")
def not_oneself(n_queries, n_keys=None):
    n_keys = n_keys or n_queries
    return np.tri(n_queries, n_keys, n_keys - n_queries - 1, dtype=bool)


@wrong("causal_mask", "by_hand")
def one_step_ahead(n_queries, n_keys=None):
    n_keys = n_keys or n_queries
    return np.tri(n_queries, n_keys, n_keys - n_queries + 1, dtype=bool)


@wrong("causal_mask", "by_hand")
def zero_and_minus_infinity(n_queries, n_keys=None):
    return np.where(steps.causal_mask(n_queries, n_keys), 0.0, -np.inf)


@wrong("causal_mask", "by_hand")
def a_batch_axis_in_front(n_queries, n_keys=None):
    return steps.causal_mask(n_queries, n_keys)[None]


@wrong("causal_mask", "by_hand")
def everybody_sees_all(n_queries, n_keys=None):
    return np.ones((n_queries, n_keys or n_queries), dtype=bool)


@wrong("causal_mask", "by_hand")
def only_oneself(n_queries, n_keys=None):
    return np.eye(n_queries, n_keys or n_queries, dtype=bool)


@wrong("causal_mask", "by_hand")
def words_for_answers(n_queries, n_keys=None):
    return np.where(steps.causal_mask(n_queries, n_keys), "yes", "no")


@wrong("causal_mask", "new_tokens")
def aligned_top_left(n_queries, n_keys=None):
    return np.tri(n_queries, n_keys or n_queries, dtype=bool)


@wrong("causal_mask", "new_tokens")
def square_only(n_queries, n_keys=None):
    return np.tri(n_queries, dtype=bool)


@wrong("causal_mask", "new_tokens")
def square_of_the_keys(n_queries, n_keys=None):
    return np.tri(n_keys or n_queries, dtype=bool)


@wrong("causal_mask", "new_tokens")
def keys_by_queries(n_queries, n_keys=None):
    n_keys = n_keys or n_queries
    return np.tri(n_keys, n_queries, n_queries - n_keys, dtype=bool)


@wrong("causal_mask", "new_tokens")
def offset_of_the_keys(n_queries, n_keys=None):
    return np.tri(n_queries, n_keys or n_queries, 0 if n_keys is None else n_keys, dtype=bool)


@wrong("causal_mask", "squares")
def aligned_only_without_n_keys(n_queries, n_keys=None):
    return (
        np.tri(n_queries, dtype=bool)
        if n_keys is None
        else np.tri(n_queries, n_keys, max(n_keys - n_queries, 1), dtype=bool)
    )


@wrong("causal_mask", "more_keys_than_queries")
def at_most_one_query_when_cached(n_queries, n_keys=None):
    n_keys = n_keys or n_queries
    return np.tri(n_queries, n_keys, n_keys - n_queries if n_queries != 1 else 0, dtype=bool)


@wrong("causal_mask", "more_keys_than_queries")
def offset_of_three(n_queries, n_keys=None):
    return np.tri(n_queries, n_keys or n_queries, 0 if n_keys in (None, n_queries) else 3, dtype=bool)


# padding_mask


@wrong("padding_mask", "by_hand")
def one_too_many(lengths, n_keys):
    return np.arange(n_keys) <= lengths[:, None, None]


@wrong("padding_mask", "by_hand")
def one_too_few(lengths, n_keys):
    return np.arange(1, n_keys + 1) < lengths[:, None, None]


@wrong("padding_mask", "by_hand")
def true_is_padding(lengths, n_keys):
    return np.arange(n_keys) >= lengths[:, None, None]


@wrong("padding_mask", "by_hand")
def without_the_query_axis(lengths, n_keys):
    return np.arange(n_keys) < lengths[:, None]


@wrong("padding_mask", "by_hand")
def query_axis_last(lengths, n_keys):
    return (np.arange(n_keys) < lengths[:, None])[:, :, None]


@wrong("padding_mask", "by_hand")
def query_axis_first(lengths, n_keys):
    return (np.arange(n_keys) < lengths[:, None])[None]


@wrong("padding_mask", "by_hand")
def room_for_all_queries(lengths, n_keys):
    return np.repeat(steps.padding_mask(lengths, n_keys), n_keys, axis=1)


@wrong("padding_mask", "by_hand")
def padding_on_the_left(lengths, n_keys):
    return steps.padding_mask(lengths, n_keys)[..., ::-1]


@wrong("padding_mask", "by_hand")
def as_wide_as_the_longest(lengths, n_keys):
    return steps.padding_mask(lengths, max(lengths))


@wrong("padding_mask", "by_hand")
def longest_first(lengths, n_keys):
    return steps.padding_mask(np.sort(lengths)[::-1], n_keys)


@wrong("padding_mask", "by_hand")
def longest_for_all(lengths, n_keys):
    return steps.padding_mask(np.full_like(lengths, max(lengths)), n_keys)


@wrong("padding_mask", "by_hand")
def only_the_last_real_token(lengths, n_keys):
    return np.arange(n_keys) == lengths[:, None, None] - 1


@wrong("padding_mask", "by_hand")
def for_the_queries_too(lengths, n_keys):
    mask = steps.padding_mask(lengths, n_keys)
    return mask & turned(mask)


@wrong("padding_mask", "any_lengths")
def last_key_is_never_real(lengths, n_keys):
    mask = steps.padding_mask(lengths, n_keys)
    mask[..., -1] = False
    return mask


@wrong("padding_mask", "any_lengths")
def shorter_than_five(lengths, n_keys):
    mask = np.zeros((len(lengths), 1, n_keys), dtype=bool)
    for row, length in zip(mask[:, 0], lengths):
        row[: min(length, n_keys - 1)] = True
    return mask


@wrong("padding_mask", "room_for_queries")
def squeezed_mask(lengths, n_keys):
    mask = steps.padding_mask(lengths, n_keys)
    return mask if len(lengths) > 1 else mask[0]


@wrong("padding_mask", "room_for_queries")
def one_axis_too_few_for_one_key(lengths, n_keys):
    return np.squeeze(steps.padding_mask(lengths, n_keys), axis=(2,) if n_keys == 1 else ())


@wrong("padding_mask", "inputs_unchanged")
def counts_down_in_place(lengths, n_keys):
    mask = steps.padding_mask(lengths, n_keys)
    lengths -= 1
    return mask


@wrong("padding_mask", "inputs_unchanged")
def sorts_the_callers_lengths(lengths, n_keys):
    mask = steps.padding_mask(lengths, n_keys)
    lengths[:] = np.sort(lengths)[::-1]
    lengths[0] += 1
    return mask


# apply_mask


@wrong("apply_mask", "by_hand")
def fills_with_zero(scores, mask):
    return np.where(mask, scores, 0.0)


@wrong("apply_mask", "by_hand")
def multiplies(scores, mask):
    return scores * mask


@wrong("apply_mask", "by_hand")
def zero_times_infinity(scores, mask):
    return scores + (1 - mask) * -np.inf


@wrong("apply_mask", "by_hand")
def minus_a_billion(scores, mask):
    return np.where(mask, scores, -1e9)


@wrong("apply_mask", "by_hand")
def smallest_number(scores, mask):
    return np.where(mask, scores, np.finfo(float).min)


@wrong("apply_mask", "by_hand")
def minus_a_hundred(scores, mask):
    return np.where(mask, scores, -100.0)


@wrong("apply_mask", "by_hand")
def plus_infinity(scores, mask):
    return np.where(mask, scores, np.inf)


@wrong("apply_mask", "by_hand")
def not_a_number(scores, mask):
    return np.where(mask, scores, np.nan)


@wrong("apply_mask", "by_hand")
def hides_the_allowed(scores, mask):
    return np.where(mask, -np.inf, scores)


@wrong("apply_mask", "by_hand")
def throws_hidden_scores_away(scores, mask):
    return scores[mask]


@wrong("apply_mask", "by_hand")
def adds_the_mask(scores, mask):
    return np.where(mask, scores + mask, -np.inf)


@wrong("apply_mask", "broadcasts")
def mask_of_the_same_shape_only(scores, mask):
    result = scores.copy()
    result[~mask] = -np.inf
    return result


@wrong("apply_mask", "broadcasts")
def mask_reshaped(scores, mask):
    return np.where(mask.reshape(scores.shape), scores, -np.inf)


@wrong("apply_mask", "broadcasts")
def mask_of_the_first_sequence(scores, mask):
    return np.where(mask[0] if mask.ndim == 3 else mask, scores, -np.inf)


@wrong("apply_mask", "broadcasts")
def mask_of_the_first_query(scores, mask):
    return np.where(mask[..., :1, :] if mask.ndim == 3 and scores.ndim == 3 else mask, scores, -np.inf)


@wrong("apply_mask", "nan_disappears")
def adds_minus_infinity(scores, mask):
    return scores + np.where(mask, 0.0, -np.inf)


@wrong("apply_mask", "nan_disappears")
def mask_transposed_where_it_fits(scores, mask):
    return np.where(mask.T if mask.shape == scores.shape == mask.T.shape and mask.ndim == 2 else mask, scores, -np.inf)


@wrong("apply_mask", "nan_disappears")
def refuses_an_empty_row(scores, mask):
    if not mask.any(axis=-1).all():
        raise ValueError("a query without keys")
    return np.where(mask, scores, -np.inf)


@wrong("apply_mask", "nan_disappears")
def spares_an_empty_row(scores, mask):
    return np.where(mask | ~mask.any(axis=-1, keepdims=True), scores, -np.inf)


@wrong("apply_mask", "nan_disappears")
def takes_away_a_huge_number_twice(scores, mask):
    return scores - np.where(mask, 0.0, np.finfo(float).max) - np.where(mask, 0.0, np.finfo(float).max)


@wrong("apply_mask", "inputs_unchanged")
def writes_into_the_scores(scores, mask):
    scores[~np.broadcast_to(mask, scores.shape)] = -np.inf
    return scores


@wrong("apply_mask", "inputs_unchanged")
def inverts_the_callers_mask(scores, mask):
    result = np.where(mask, scores, -np.inf)
    np.logical_not(mask, out=mask)
    return result


# scaled_dot_product_attention


def attend(Q, K, V, mask=None, scale=None, fill=-np.inf):
    scores = Q @ turned(K) / np.sqrt(scale or Q.shape[-1])
    weights = steps.softmax(scores if mask is None else np.where(mask, scores, fill))
    return weights @ V, weights


SDPA = "scaled_dot_product_attention"


@wrong(SDPA, "by_hand")
def output_only(Q, K, V, mask=None):
    return attend(Q, K, V, mask)[0]


@wrong(SDPA, "by_hand")
def weights_first(Q, K, V, mask=None):
    return attend(Q, K, V, mask)[::-1]


@wrong(SDPA, "by_hand")
def without_scaling(Q, K, V, mask=None):
    return attend(Q, K, V, mask, scale=1)


@wrong(SDPA, "by_hand")
def scaled_by_d_k_itself(Q, K, V, mask=None):
    return attend(Q, K, V, mask, scale=Q.shape[-1] ** 2)


@wrong(SDPA, "by_hand")
def scaled_by_d_v(Q, K, V, mask=None):
    return attend(Q, K, V, mask, scale=V.shape[-1])


@wrong(SDPA, "by_hand")
def scaled_by_the_keys(Q, K, V, mask=None):
    return attend(Q, K, V, mask, scale=K.shape[-2])


@wrong(SDPA, "by_hand")
def scaled_by_the_queries(Q, K, V, mask=None):
    return attend(Q, K, V, mask, scale=Q.shape[-2])


@wrong(SDPA, "by_hand")
def scaled_after_softmax(Q, K, V, mask=None):
    output, weights = attend(Q, K, V, mask, scale=1)
    return output / np.sqrt(Q.shape[-1]), weights / np.sqrt(Q.shape[-1])


@wrong(SDPA, "by_hand")
def softmax_over_queries(Q, K, V, mask=None):
    weights = steps.softmax(Q @ turned(K) / np.sqrt(Q.shape[-1]), axis=-2)
    return weights @ V, weights


@wrong(SDPA, "by_hand")
def keys_for_values(Q, K, V, mask=None):
    return attend(Q, K, K, mask)


@wrong(SDPA, "by_hand")
def queries_for_keys(Q, K, V, mask=None):
    return attend(Q, Q, V[: len(Q)], mask)


@wrong(SDPA, "by_hand")
def scores_for_weights(Q, K, V, mask=None):
    return attend(Q, K, V, mask)[0], Q @ turned(K) / np.sqrt(Q.shape[-1])


@wrong(SDPA, "by_hand")
def dropout_left_on(Q, K, V, mask=None):
    output, weights = attend(Q, K, V, mask)
    weights = weights * (np.arange(weights.size).reshape(weights.shape) % 3 > 0) * 1.5
    return weights @ V, weights


@wrong(SDPA, "by_hand")
def output_of_zeros(Q, K, V, mask=None):
    output, weights = attend(Q, K, V, mask)
    return np.zeros_like(output), weights


@wrong(SDPA, "with_mask")
def mask_ignored(Q, K, V, mask=None):
    return attend(Q, K, V)


@wrong(SDPA, "with_mask")
def if_mask(Q, K, V, mask=None):
    return attend(Q, K, V, mask if mask else None)


@wrong(SDPA, "with_mask")
def mask_inverted(Q, K, V, mask=None):
    return attend(Q, K, V, mask if mask is None else ~mask)


@wrong(SDPA, "with_mask")
def hidden_scores_are_zero(Q, K, V, mask=None):
    return attend(Q, K, V, mask, fill=0.0)


@wrong(SDPA, "with_mask")
def hidden_scores_are_tiny_negative(Q, K, V, mask=None):
    return attend(Q, K, V, mask, fill=-1e-9)


@wrong(SDPA, "with_mask")
def hidden_scores_are_minus_ten(Q, K, V, mask=None):
    return attend(Q, K, V, mask, fill=-10.0)


@wrong(SDPA, "with_mask")
def hidden_scores_are_minus_a_hundred(Q, K, V, mask=None):
    return attend(Q, K, V, mask, fill=-100.0)


@wrong(SDPA, "with_mask")
def masked_after_softmax(Q, K, V, mask=None):
    output, weights = attend(Q, K, V)
    weights = weights if mask is None else weights * mask
    return weights @ V, weights


@wrong(SDPA, "with_mask")
def output_made_before_the_mask(Q, K, V, mask=None):
    return attend(Q, K, V)[0], attend(Q, K, V, mask)[1]


@wrong(SDPA, "with_mask")
def weights_from_before_the_mask(Q, K, V, mask=None):
    return attend(Q, K, V, mask)[0], attend(Q, K, V)[1]


@wrong(SDPA, "with_mask")
def hidden_values_are_zeroed(Q, K, V, mask=None):
    output, weights = attend(Q, K, V)
    return (weights if mask is None else weights * mask) @ V, weights


@wrong(SDPA, "rows_sum_to_one")
def integer_root_of_d_k(Q, K, V, mask=None):
    return attend(Q, K, V, mask, scale=math.isqrt(Q.shape[-1]) ** 2)


@wrong(SDPA, "rows_sum_to_one")
def scaled_by_four(Q, K, V, mask=None):
    return attend(Q, K, V, mask, scale=4)


@wrong(SDPA, "with_mask")
def weights_rounded(Q, K, V, mask=None):
    output, weights = attend(Q, K, V, mask)
    return output, np.round(weights, 3)


@wrong(SDPA, "rows_sum_to_one")
def one_value_short(Q, K, V, mask=None):
    output, weights = attend(Q, K, V, mask)
    return output[..., : Q.shape[-1]], weights


@wrong(SDPA, "rows_sum_to_one")
def untransposed_where_it_fits(Q, K, V, mask=None):
    return attend(Q, turned(K) if K.shape[-1] == K.shape[-2] else K, V, mask)


@wrong(SDPA, "large_scores")
def naive_softmax(Q, K, V, mask=None):
    scores = Q @ turned(K) / np.sqrt(Q.shape[-1])
    weights = no_shift(scores if mask is None else np.where(mask, scores, -np.inf))
    return weights @ V, weights


@wrong(SDPA, "large_scores")
def one_maximum_for_all(Q, K, V, mask=None):
    scores = Q @ turned(K) / np.sqrt(Q.shape[-1])
    scores = scores if mask is None else np.where(mask, scores, -np.inf)
    weights = no_shift(scores - scores.max())
    return weights @ V, weights


@wrong(SDPA, "large_scores")
def scores_clipped(Q, K, V, mask=None):
    scores = np.clip(Q @ turned(K) / np.sqrt(Q.shape[-1]), -50, 50)
    weights = steps.softmax(scores if mask is None else np.where(mask, scores, -np.inf))
    return weights @ V, weights


@wrong(SDPA, "any_batch")
def dot_t_of_a_batch(Q, K, V, mask=None):
    weights = steps.softmax(steps.apply_mask(Q @ K.T / np.sqrt(Q.shape[-1]), True if mask is None else mask))
    return weights @ V, weights


@wrong(SDPA, "any_batch")
def three_axes_at_most(Q, K, V, mask=None):
    if Q.ndim == 4:
        raise ValueError("too many axes")
    return attend(Q, K, V, mask)


@wrong(SDPA, "any_batch")
def length_of_the_batch(Q, K, V, mask=None):
    return attend(Q, K, V, mask, scale=Q.shape[1])


@wrong(SDPA, "hidden_keys")
def masked_after_softmax_and_renormalised(Q, K, V, mask=None):
    output, weights = attend(Q, K, V)
    if mask is not None:
        weights = weights * mask
        weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ V, weights


@wrong(SDPA, "hidden_keys")
def mask_transposed(Q, K, V, mask=None):
    if mask is not None and mask.ndim == 2 and mask.shape[0] == mask.shape[1]:
        mask = mask.T
    return attend(Q, K, V, mask)


@wrong(SDPA, "hidden_keys")
def hidden_scores_are_minus_ten_thousand(Q, K, V, mask=None):
    return attend(Q, K, V, mask, fill=-1e4)


@wrong(SDPA, "hidden_keys")
def mask_costs_a_thousand(Q, K, V, mask=None):
    scores = Q @ turned(K) / np.sqrt(Q.shape[-1])
    weights = steps.softmax(scores if mask is None else scores - 1000.0 * ~mask)
    return weights @ V, weights


@wrong(SDPA, "hidden_keys")
def hidden_keys_are_zeroed(Q, K, V, mask=None):
    if mask is not None and mask.ndim == 3:
        mask = mask[:1]
    return attend(Q, K, V, mask)


@wrong(SDPA, "hidden_keys")
def raises_for_a_lonely_query(Q, K, V, mask=None):
    if mask is not None and not mask.any(axis=-1).all():
        raise ZeroDivisionError("division by zero")
    return attend(Q, K, V, mask)


@wrong(SDPA, "hidden_keys")
def a_lonely_query_spoils_all(Q, K, V, mask=None):
    output, weights = attend(Q, K, V, mask)
    if mask is not None and not mask.any(axis=-1).all():
        weights = weights * np.nan
    return weights @ V, weights


@wrong(SDPA, "hidden_keys")
def mask_of_the_same_shape(Q, K, V, mask=None):
    scores = Q @ turned(K) / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores[~mask] = -np.inf
    weights = steps.softmax(scores)
    return weights @ V, weights


@wrong(SDPA, "inputs_unchanged")
def queries_scaled_in_place(Q, K, V, mask=None):
    Q /= np.sqrt(Q.shape[-1])
    return attend(Q, K, V, mask, scale=1)


@wrong(SDPA, "inputs_unchanged")
def values_changed(Q, K, V, mask=None):
    result = attend(Q, K, V, mask)
    V += 1
    return result


# self_attention


def project(X, *weights):
    return [X @ W for W in weights]


@wrong("self_attention", "by_hand")
def no_projection(X, W_Q, W_K, W_V, mask=None):
    return attend(X, X, X, mask)


@wrong("self_attention", "by_hand")
def queries_and_keys_swapped(X, W_Q, W_K, W_V, mask=None):
    return attend(X @ W_K, X @ W_Q, X @ W_V, mask)


@wrong("self_attention", "by_hand")
def raw_values(X, W_Q, W_K, W_V, mask=None):
    return attend(X @ W_Q, X @ W_K, X, mask)


@wrong("self_attention", "by_hand")
def only_the_output(X, W_Q, W_K, W_V, mask=None):
    return attend(*project(X, W_Q, W_K, W_V), mask)[0]


@wrong("self_attention", "by_hand")
def scaled_by_d_model(X, W_Q, W_K, W_V, mask=None):
    return attend(*project(X, W_Q, W_K, W_V), mask, scale=X.shape[-1])


@wrong("self_attention", "by_hand")
def a_residual_added(X, W_Q, W_K, W_V, mask=None):
    output, weights = attend(*project(X, W_Q, W_K, W_V), mask)
    return output + (X @ W_V), weights


@wrong("self_attention", "by_hand")
def returns_the_projections(X, W_Q, W_K, W_V, mask=None):
    return project(X, W_Q, W_K, W_V)


@wrong("self_attention", "by_hand")
def keys_are_queries(X, W_Q, W_K, W_V, mask=None):
    return attend(X @ W_Q, X @ W_Q, X @ W_V, mask)


@wrong("self_attention", "causal")
def mask_forgotten(X, W_Q, W_K, W_V, mask=None):
    return attend(*project(X, W_Q, W_K, W_V))


@wrong("self_attention", "by_hand")
def always_causal(X, W_Q, W_K, W_V, mask=None):
    return attend(*project(X, W_Q, W_K, W_V), steps.causal_mask(X.shape[-2]))


@wrong("self_attention", "causal")
def mask_upside_down(X, W_Q, W_K, W_V, mask=None):
    return attend(*project(X, W_Q, W_K, W_V), None if mask is None else turned(mask))


@wrong("self_attention", "causal")
def mask_applied_to_the_tokens(X, W_Q, W_K, W_V, mask=None):
    return attend(*project(X if mask is None else mask @ X, W_Q, W_K, W_V))


@wrong("self_attention", "causal")
def masked_and_not_renormalised(X, W_Q, W_K, W_V, mask=None):
    output, weights = attend(*project(X, W_Q, W_K, W_V))
    weights = weights if mask is None else weights * mask
    return weights @ (X @ W_V), weights


@wrong("self_attention", "rows_sum_to_one")
def not_scaled_at_all(X, W_Q, W_K, W_V, mask=None):
    return attend(*project(X, W_Q, W_K, W_V), mask, scale=1)


@wrong("self_attention", "by_hand")
def rounds_the_weights(X, W_Q, W_K, W_V, mask=None):
    output, weights = attend(*project(X, W_Q, W_K, W_V), mask)
    return output, np.round(weights, 4)


@wrong("self_attention", "any_batch")
def one_sequence_only(X, W_Q, W_K, W_V, mask=None):
    n, d_model = X.shape
    return attend(*project(X, W_Q, W_K, W_V), mask)


@wrong("self_attention", "any_batch")
def first_mask_for_all(X, W_Q, W_K, W_V, mask=None):
    return attend(*project(X, W_Q, W_K, W_V), mask[0] if mask is not None and mask.ndim == 3 else mask)


@wrong("self_attention", "inputs_unchanged")
def centres_the_tokens(X, W_Q, W_K, W_V, mask=None):
    result = attend(*project(X, W_Q, W_K, W_V), mask)
    X -= X.mean(axis=0)
    return result


# split_heads


def cut(X, num_heads):
    if X.shape[-1] % num_heads:
        raise ValueError("does not divide")
    return X.reshape(*X.shape[:-1], num_heads, X.shape[-1] // num_heads)


@wrong("split_heads", "by_hand")
def cuts_the_sequence(X, num_heads):
    return X.reshape(*X.shape[:-2], num_heads, X.shape[-2] // num_heads, X.shape[-1])


@wrong("split_heads", "by_hand")
def reshape_alone(X, num_heads):
    return cut(X, num_heads).reshape(*X.shape[:-2], num_heads, X.shape[-2], -1)


@wrong("split_heads", "by_hand")
def heads_behind_the_tokens(X, num_heads):
    return cut(X, num_heads)


@wrong("split_heads", "by_hand")
def every_second_feature(X, num_heads):
    cut(X, num_heads)
    return np.stack([X[..., h::num_heads] for h in range(num_heads)], axis=-3)


@wrong("split_heads", "by_hand")
def first_block_for_all(X, num_heads):
    width = cut(X, num_heads).shape[-1]
    return np.stack([X[..., :width]] * num_heads, axis=-3)


@wrong("split_heads", "by_hand")
def blocks_backwards(X, num_heads):
    return steps.split_heads(X, num_heads)[..., ::-1, :, :]


@wrong("split_heads", "by_hand")
def heads_at_the_end(X, num_heads):
    return np.swapaxes(cut(X, num_heads), -1, -2)


@wrong("split_heads", "by_hand")
def num_heads_is_the_width(X, num_heads):
    return steps.split_heads(X, X.shape[-1] // num_heads)[:, :, : X.shape[-1]].swapaxes(-1, -2)


@wrong("split_heads", "refuses_what_does_not_divide")
def drops_the_rest(X, num_heads):
    width = X.shape[-1] // num_heads
    return steps.split_heads(X[..., : width * num_heads], num_heads)


@wrong("split_heads", "refuses_what_does_not_divide")
def array_split(X, num_heads):
    return [X[..., block] for block in np.array_split(np.arange(X.shape[-1]), num_heads)]


@wrong("split_heads", "refuses_what_does_not_divide")
def prints_instead_of_raising(X, num_heads):
    if X.shape[-1] % num_heads:
        print("does not divide")
        return None
    return steps.split_heads(X, num_heads)


@wrong("split_heads", "any_batch")
def transpose_1_0_2(X, num_heads):
    return cut(X, num_heads).transpose(1, 0, 2)


@wrong("split_heads", "any_batch")
def swaps_the_first_axes(X, num_heads):
    return np.swapaxes(cut(X, num_heads), 0, 1)


@wrong("split_heads", "any_batch")
def heads_in_front_of_the_batch(X, num_heads):
    return np.moveaxis(cut(X, num_heads), -2, 0)


@wrong("split_heads", "any_batch")
def transpose_0_2_1_3(X, num_heads):
    parts = cut(X, num_heads)
    return parts.transpose(1, 0, 2) if parts.ndim == 3 else parts.transpose(0, 2, 1, 3)


@wrong("split_heads", "any_batch")
def no_batch_of_one(X, num_heads):
    heads = steps.split_heads(X, num_heads)
    return heads[0] if heads.ndim > 3 and len(heads) == 1 else heads


@wrong("split_heads", "contiguous_blocks")
def no_axis_for_one_head(X, num_heads):
    return X if num_heads == 1 and X.ndim == 2 else steps.split_heads(X, num_heads)


@wrong("split_heads", "inputs_unchanged")
def reshapes_the_callers_array(X, num_heads):
    heads = steps.split_heads(X.copy(), num_heads)
    X.shape = (X.size,) if X.ndim == 2 and X.shape[0] > 1 and num_heads > 1 else X.shape
    return heads


@wrong("split_heads", "inputs_unchanged")
def scales_the_features(X, num_heads):
    heads = steps.split_heads(X, num_heads).copy()
    X *= 0.5
    return heads


# concat_heads


@wrong("concat_heads", "by_hand")
def reshape_without_swapping(heads):
    return heads.reshape(*heads.shape[:-3], heads.shape[-2], -1)


@wrong("concat_heads", "by_hand")
def interleaves_features(heads):
    *lead, h, n, d = heads.shape
    return np.moveaxis(heads, -3, -1).reshape(*lead, n, d * h)


@wrong("concat_heads", "by_hand")
def tokens_behind_tokens(heads):
    *lead, h, n, d = heads.shape
    return heads.reshape(*lead, h * n, d)


@wrong("concat_heads", "by_hand")
def mean_of_the_heads(heads):
    return heads.mean(axis=-3)


@wrong("concat_heads", "by_hand")
def last_head_first(heads):
    return steps.concat_heads(heads[..., ::-1, :, :])


@wrong("concat_heads", "by_hand")
def swap_only(heads):
    return np.swapaxes(heads, -3, -2)


@wrong("concat_heads", "by_hand")
def sum_of_the_heads(heads):
    return heads.sum(axis=-3)


@wrong("concat_heads", "by_hand")
def first_head_only(heads):
    return heads[..., 0, :, :]


@wrong("concat_heads", "by_hand")
def transpose_of_everything(heads):
    return heads.T.reshape(heads.shape[-2], -1)


@wrong("concat_heads", "whole_heads")
def two_heads_only(heads):
    return np.concatenate([heads[..., 0, :, :], heads[..., 1, :, :]], axis=-1)


@wrong("concat_heads", "whole_heads")
def interleaves_where_sizes_are_equal(heads):
    *lead, h, n, d = heads.shape
    return interleaves_features(heads) if h == d == n else steps.concat_heads(heads)


@wrong("concat_heads", "whole_heads")
def one_head_stays_alone(heads):
    return heads if heads.shape[-3] == 1 else steps.concat_heads(heads)


@wrong("concat_heads", "any_batch")
def iterates_over_the_first_axis(heads):
    return np.concatenate(list(heads), axis=-1)


@wrong("concat_heads", "any_batch")
def swaps_axes_0_and_1(heads):
    swapped = np.swapaxes(heads, 0, 1)
    return swapped.reshape(*heads.shape[:-3], heads.shape[-2], -1)


@wrong("concat_heads", "any_batch")
def transposes_1_0_2_or_0_2_1_3(heads):
    *lead, h, n, d = heads.shape
    swapped = heads.transpose(1, 0, 2) if heads.ndim == 3 else heads.transpose(0, 2, 1, 3)
    return swapped.reshape(*lead, n, h * d)


@wrong("concat_heads", "inputs_unchanged")
def zeroes_the_heads(heads):
    result = steps.concat_heads(heads).copy()
    heads[...] = 0
    return result


# multi_head_attention


def many(X, W_Q, W_K, W_V, W_O, num_heads, mask=None, split=None, concat=None, scale=None, axis=-3):
    split, concat = split or steps.split_heads, concat or steps.concat_heads
    Q, K, V = (split(X @ W, num_heads) for W in (W_Q, W_K, W_V))
    if mask is not None and mask.ndim > 2 and axis is not None:
        mask = np.expand_dims(mask, axis)
    return concat(attend(Q, K, V, mask, scale=scale)[0]) @ W_O


MHA = "multi_head_attention"


@wrong(MHA, "by_hand")
def without_the_output_matrix(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    return many(X, W_Q, W_K, W_V, np.eye(len(W_O)), num_heads, mask)


@wrong(MHA, "by_hand")
def one_big_head(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    return many(X, W_Q, W_K, W_V, W_O, 1, mask)


@wrong(MHA, "by_hand")
def weights_beside_the_output(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    return many(X, W_Q, W_K, W_V, W_O, num_heads, mask), None


@wrong(MHA, "by_hand")
def scaled_by_the_whole_model(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    return many(X, W_Q, W_K, W_V, W_O, num_heads, mask, scale=X.shape[-1])


@wrong(MHA, "by_hand")
def scaled_by_the_number_of_heads(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    return many(X, W_Q, W_K, W_V, W_O, num_heads, mask, scale=num_heads)


@wrong(MHA, "by_hand")
def output_matrix_transposed(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    return many(X, W_Q, W_K, W_V, W_O.T, num_heads, mask)


@wrong(MHA, "by_hand")
def queries_and_keys_exchanged(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    return many(X, W_K, W_Q, W_V, W_O, num_heads, mask)


@wrong(MHA, "by_hand")
def average_of_the_heads(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    def average(heads):
        return np.concatenate([heads.mean(axis=-3)] * num_heads, axis=-1)

    return many(X, W_Q, W_K, W_V, W_O, num_heads, mask, concat=average)


@wrong(MHA, "by_hand")
def tokens_split_without_projection(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    eye = np.eye(X.shape[-1])
    return many(X, eye, eye, eye, W_O, num_heads, mask)


@wrong(MHA, "by_hand")
def first_head_for_all(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    def same(Y, h):
        return np.stack([steps.split_heads(Y, h)[..., 0, :, :]] * h, axis=-3)

    return many(X, W_Q, W_K, W_V, W_O, num_heads, mask, split=same)


@wrong(MHA, "heads_in_blocks")
def not_scaled_in_the_heads(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    return many(X, W_Q, W_K, W_V, W_O, num_heads, mask, scale=1)


@wrong(MHA, "heads_in_blocks")
def interleaved_and_back(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    def deal(Y, h):
        return np.stack([Y[..., i::h] for i in range(h)], axis=-3)

    return many(X, W_Q, W_K, W_V, W_O, num_heads, mask, split=deal, concat=interleaves_features)


@wrong(MHA, "heads_in_blocks")
def blocks_in_interleaved_out(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    return many(X, W_Q, W_K, W_V, W_O, num_heads, mask, concat=interleaves_features)


@wrong(MHA, "by_hand")
def merged_without_swapping(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    return many(X, W_Q, W_K, W_V, W_O, num_heads, mask, concat=reshape_without_swapping)


@wrong(MHA, "by_hand")
def cut_without_swapping(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    return many(X, W_Q, W_K, W_V, W_O, num_heads, mask, split=reshape_alone)


@wrong(MHA, "any_batch")
def one_sequence_at_most(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    return many(X, W_Q, W_K, W_V, W_O, num_heads, mask, split=transpose_1_0_2)


@wrong(MHA, "any_batch")
def heads_before_the_batch(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    return many(X, W_Q, W_K, W_V, W_O, num_heads, mask, split=heads_in_front_of_the_batch)


@wrong(MHA, "masks")
def no_mask_at_all(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    return many(X, W_Q, W_K, W_V, W_O, num_heads)


@wrong(MHA, "masks")
def mask_without_a_head_axis(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    return many(X, W_Q, W_K, W_V, W_O, num_heads, mask, axis=None)


@wrong(MHA, "masks")
def head_axis_in_front(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    return many(X, W_Q, W_K, W_V, W_O, num_heads, mask, axis=0)


@wrong(MHA, "masks")
def mask_of_first_head_only(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    if mask is None:
        return many(X, W_Q, W_K, W_V, W_O, num_heads)
    mask = np.broadcast_to(mask if mask.ndim == 2 else mask[:, None], (*X.shape[:-2], num_heads, *[X.shape[-2]] * 2))
    mask = mask.copy()
    mask[..., 1:, :, :] = True
    Q, K, V = (steps.split_heads(X @ W, num_heads) for W in (W_Q, W_K, W_V))
    return steps.concat_heads(attend(Q, K, V, mask)[0]) @ W_O


@wrong(MHA, "masks")
def mask_turned_around(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    return many(X, W_Q, W_K, W_V, W_O, num_heads, None if mask is None else turned(mask))


@wrong(MHA, "masks")
def first_sequence_for_all(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    return many(X, W_Q, W_K, W_V, W_O, num_heads, mask[0] if mask is not None and mask.ndim == 3 else mask)


@wrong(MHA, "large_scores")
def naive_in_every_head(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    Q, K, V = (steps.split_heads(X @ W, num_heads) for W in (W_Q, W_K, W_V))
    mask = mask[:, None] if mask is not None and mask.ndim == 3 else mask
    return steps.concat_heads(naive_softmax(Q, K, V, mask)[0]) @ W_O


@wrong(MHA, "large_scores")
def one_maximum_for_all_heads(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    Q, K, V = (steps.split_heads(X @ W, num_heads) for W in (W_Q, W_K, W_V))
    mask = mask[:, None] if mask is not None and mask.ndim == 3 else mask
    return steps.concat_heads(one_maximum_for_all(Q, K, V, mask)[0]) @ W_O


@wrong(MHA, "inputs_unchanged")
def projects_in_place(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    result = many(X, W_Q, W_K, W_V, W_O, num_heads, mask)
    X[...] = X @ W_Q
    return result

"""Rarer wrong answers than those of solutions/attention_misconceptions.py, each with a check that must catch it.

Every function here stands for one step's answer while all other steps are right. The name after `@wrong` is the
step, then a check that fails. `steps` holds the right answers, for those that build on them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.support.attention_notebook import reference

steps = reference()


@dataclass(frozen=True)
class WrongAnswer:
    """One wrong answer: its step, a check that catches it, and the function."""

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


@wrong("project_qkv", "any_batch")
def values_cut_to_d_k(X, W_Q, W_K, W_V):
    return X @ W_Q, X @ W_K, (X @ W_V)[..., : W_Q.shape[1]]


@wrong("project_qkv", "any_batch")
def contracts_the_first_axis(X, W_Q, W_K, W_V):
    if X.ndim == 2:
        return X @ W_Q, X @ W_K, X @ W_V
    return tuple(np.tensordot(X, W, axes=([0], [0])) for W in (W_Q, W_K, W_V))


@wrong("project_qkv", "inputs_unchanged")
def normalises_the_weights_in_place(X, W_Q, W_K, W_V):
    result = X @ W_Q, X @ W_K, X @ W_V
    X -= X.mean()
    return result


# attention_scores


@wrong("attention_scores", "by_hand")
def as_many_keys_as_queries(Q, K):
    n = Q.shape[-2]
    return np.array([[Q[i] @ K[j] for j in range(n)] for i in range(n)])


@wrong("attention_scores", "by_hand")
def only_positive_scores(Q, K):
    return np.maximum(Q @ turned(K), 0)


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
def root_of_the_scores(scores, d_k):
    return np.sqrt(np.abs(scores) / d_k)


@wrong("scale_scores", "any_length")
def always_a_quarter_of_d_k(scores, d_k):
    return scores / (d_k / 4)


@wrong("scale_scores", "any_length")
def logarithm(scores, d_k):
    return scores / np.log2(d_k)


# softmax


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


def short_of_one(scores, axis=-1):
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return np.float32(powers / (powers.sum(axis=axis, keepdims=True) + 5e-6))


@wrong("softmax", "rows_sum_to_one")
@wrong("softmax", "survives_distant_rows")
def short_of_one_in_single_precision(scores, axis=-1):
    return short_of_one(scores, axis)


@wrong("scaled_dot_product_attention", "large_scores")
def attention_short_of_one_in_single_precision(Q, K, V, mask=None):
    scores = steps.scale_scores(steps.attention_scores(Q, K), Q.shape[-1])
    weights = short_of_one(scores if mask is None else steps.apply_mask(scores, mask))
    return np.float32(weights @ V), weights


@wrong("self_attention", "rows_sum_to_one")
def self_attention_short_of_one_in_single_precision(X, W_Q, W_K, W_V, mask=None):
    return attention_short_of_one_in_single_precision(*steps.project_qkv(X, W_Q, W_K, W_V), mask)


@wrong("multi_head_attention", "large_scores")
def heads_short_of_one_in_single_precision(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    Q, K, V = (steps.split_heads(part, num_heads) for part in steps.project_qkv(X, W_Q, W_K, W_V))
    scores = steps.scale_scores(steps.attention_scores(Q, K), Q.shape[-1])
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = powers / (powers.sum(axis=-1, keepdims=True) + 5e-6)
    return np.float32(steps.concat_heads(weights @ V) @ W_O)


def no_shift(scores, axis=-1):
    powers = np.exp(scores)
    return powers / powers.sum(axis=axis, keepdims=True)


@wrong("softmax", "large_scores")
def divides_large_scores(scores, axis=-1):
    top = np.abs(scores).max()
    return no_shift(scores / top * 500 if top > 500 else scores, axis)


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
def exponential_in_place(scores, axis=-1):
    weights = steps.softmax(scores, axis)
    np.exp(scores, out=scores)
    return weights


# weighted_sum


@wrong("weighted_sum", "by_hand")
def best_value_only(weights, V):
    return V[..., weights.argmax(axis=-1), :]


@wrong("weighted_sum", "by_hand")
def result_transposed(weights, V):
    return turned(weights @ V)[..., ::-1]


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
def a_batch_axis_in_front(n_queries, n_keys=None):
    return steps.causal_mask(n_queries, n_keys)[None]


@wrong("causal_mask", "by_hand")
def only_oneself(n_queries, n_keys=None):
    return np.eye(n_queries, n_keys or n_queries, dtype=bool)


@wrong("causal_mask", "by_hand")
def words_for_answers(n_queries, n_keys=None):
    return np.where(steps.causal_mask(n_queries, n_keys), "yes", "no")


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


# padding_mask


@wrong("padding_mask", "by_hand")
def longest_for_all(lengths, n_keys):
    return steps.padding_mask(np.full_like(lengths, max(lengths)), n_keys)


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
def one_axis_too_few_for_one_key(lengths, n_keys):
    return np.squeeze(steps.padding_mask(lengths, n_keys), axis=(2,) if n_keys == 1 else ())


@wrong("padding_mask", "inputs_unchanged")
def sorts_the_callers_lengths(lengths, n_keys):
    mask = steps.padding_mask(lengths, n_keys)
    lengths[:] = np.sort(lengths)[::-1]
    lengths[0] += 1
    return mask


# apply_mask


@wrong("apply_mask", "by_hand")
def minus_a_hundred(scores, mask):
    return np.where(mask, scores, -100.0)


@wrong("apply_mask", "by_hand")
def adds_the_mask(scores, mask):
    return np.where(mask, scores + mask, -np.inf)


@wrong("apply_mask", "broadcasts")
def mask_reshaped(scores, mask):
    return np.where(mask.reshape(scores.shape), scores, -np.inf)


@wrong("apply_mask", "broadcasts")
def mask_of_the_first_query(scores, mask):
    return np.where(mask[..., :1, :] if mask.ndim == 3 and scores.ndim == 3 else mask, scores, -np.inf)


@wrong("apply_mask", "nan_disappears")
def mask_transposed_where_it_fits(scores, mask):
    return np.where(mask.T if mask.shape == scores.shape == mask.T.shape and mask.ndim == 2 else mask, scores, -np.inf)


@wrong("apply_mask", "nan_disappears")
def takes_away_a_huge_number_twice(scores, mask):
    return scores - np.where(mask, 0.0, np.finfo(float).max) - np.where(mask, 0.0, np.finfo(float).max)


# scaled_dot_product_attention


def attend(Q, K, V, mask=None, scale=None, fill=-np.inf):
    scores = Q @ turned(K) / np.sqrt(scale or Q.shape[-1])
    weights = steps.softmax(scores if mask is None else np.where(mask, scores, fill))
    return weights @ V, weights


SDPA = "scaled_dot_product_attention"


@wrong(SDPA, "by_hand")
def softmax_over_queries(Q, K, V, mask=None):
    weights = steps.softmax(Q @ turned(K) / np.sqrt(Q.shape[-1]), axis=-2)
    return weights @ V, weights


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
def hidden_scores_are_tiny_negative(Q, K, V, mask=None):
    return attend(Q, K, V, mask, fill=-1e-9)


@wrong(SDPA, "with_mask")
def hidden_scores_are_minus_ten(Q, K, V, mask=None):
    return attend(Q, K, V, mask, fill=-10.0)


@wrong(SDPA, "with_mask")
def hidden_values_are_zeroed(Q, K, V, mask=None):
    output, weights = attend(Q, K, V)
    return (weights if mask is None else weights * mask) @ V, weights


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


@wrong(SDPA, "any_batch")
def three_axes_at_most(Q, K, V, mask=None):
    if Q.ndim == 4:
        raise ValueError("too many axes")
    return attend(Q, K, V, mask)


@wrong(SDPA, "hidden_keys")
def mask_transposed(Q, K, V, mask=None):
    if mask is not None and mask.ndim == 2 and mask.shape[0] == mask.shape[1]:
        mask = mask.T
    return attend(Q, K, V, mask)


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


@wrong(SDPA, "inputs_unchanged")
def values_changed(Q, K, V, mask=None):
    result = attend(Q, K, V, mask)
    V += 1
    return result


# self_attention


def project(X, *weights):
    return [X @ W for W in weights]


@wrong("self_attention", "by_hand")
def returns_the_projections(X, W_Q, W_K, W_V, mask=None):
    return project(X, W_Q, W_K, W_V)


@wrong("self_attention", "by_hand")
def keys_are_queries(X, W_Q, W_K, W_V, mask=None):
    return attend(X @ W_Q, X @ W_Q, X @ W_V, mask)


@wrong("self_attention", "by_hand")
def rounds_the_weights(X, W_Q, W_K, W_V, mask=None):
    output, weights = attend(*project(X, W_Q, W_K, W_V), mask)
    return output, np.round(weights, 4)


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
def blocks_backwards(X, num_heads):
    return steps.split_heads(X, num_heads)[..., ::-1, :, :]


@wrong("split_heads", "by_hand")
def heads_at_the_end(X, num_heads):
    return np.swapaxes(cut(X, num_heads), -1, -2)


@wrong("split_heads", "by_hand")
def num_heads_is_the_width(X, num_heads):
    return steps.split_heads(X, X.shape[-1] // num_heads)[:, :, : X.shape[-1]].swapaxes(-1, -2)


@wrong("split_heads", "refuses_what_does_not_divide")
def array_split(X, num_heads):
    return [X[..., block] for block in np.array_split(np.arange(X.shape[-1]), num_heads)]


def heads_in_front_of_the_batch(X, num_heads):
    return np.moveaxis(cut(X, num_heads), -2, 0)


@wrong("split_heads", "any_batch")
def no_batch_of_one(X, num_heads):
    heads = steps.split_heads(X, num_heads)
    return heads[0] if heads.ndim > 3 and len(heads) == 1 else heads


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


def interleaves_features(heads):
    *lead, h, n, d = heads.shape
    return np.moveaxis(heads, -3, -1).reshape(*lead, n, d * h)


@wrong("concat_heads", "by_hand")
def transpose_of_everything(heads):
    return heads.T.reshape(heads.shape[-2], -1)


@wrong("concat_heads", "whole_heads")
def interleaves_where_sizes_are_equal(heads):
    *lead, h, n, d = heads.shape
    return interleaves_features(heads) if h == d == n else steps.concat_heads(heads)


# multi_head_attention


def many(X, W_Q, W_K, W_V, W_O, num_heads, mask=None, split=None, concat=None, scale=None, axis=-3):
    split, concat = split or steps.split_heads, concat or steps.concat_heads
    Q, K, V = (split(X @ W, num_heads) for W in (W_Q, W_K, W_V))
    if mask is not None and mask.ndim > 2 and axis is not None:
        mask = np.expand_dims(mask, axis)
    return concat(attend(Q, K, V, mask, scale=scale)[0]) @ W_O


MHA = "multi_head_attention"


@wrong(MHA, "by_hand")
def weights_beside_the_output(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    return many(X, W_Q, W_K, W_V, W_O, num_heads, mask), None


@wrong(MHA, "heads_in_blocks")
def interleaved_and_back(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    def deal(Y, h):
        return np.stack([Y[..., i::h] for i in range(h)], axis=-3)

    return many(X, W_Q, W_K, W_V, W_O, num_heads, mask, split=deal, concat=interleaves_features)


@wrong(MHA, "any_batch")
def heads_before_the_batch(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    return many(X, W_Q, W_K, W_V, W_O, num_heads, mask, split=heads_in_front_of_the_batch)


@wrong(MHA, "inputs_unchanged")
def projects_in_place(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    result = many(X, W_Q, W_K, W_V, W_O, num_heads, mask)
    X[...] = X @ W_Q
    return result


# Once in the bank of misconceptions; only hidden checks catch them.


@wrong("softmax", "minus_infinity")
def a_floor_under_the_weights(scores, axis=-1):
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return np.maximum(powers / powers.sum(axis=axis, keepdims=True), 1e-12)


@wrong("softmax", "minus_infinity")
def shifted_scores_clipped(scores, axis=-1):
    shifted = np.clip(scores - scores.max(axis=axis, keepdims=True), -50, 0)
    powers = np.exp(shifted)
    return powers / powers.sum(axis=axis, keepdims=True)


@wrong("softmax", "minus_infinity")
def infinity_replaced_by_zero(scores, axis=-1):
    scores = np.nan_to_num(scores, neginf=0.0)
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


@wrong("weighted_sum", "any_batch")
def dot_of_batches(weights, V):
    return np.dot(weights, V)


@wrong("multi_head_attention", "masks")
def mask_for_the_first_head_only(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    width = X.shape[-1] // num_heads
    blocks = []
    for h in range(num_heads):
        own = slice(h * width, (h + 1) * width)
        blocks.append(steps.self_attention(X, W_Q[:, own], W_K[:, own], W_V[:, own], mask if h == 0 else None)[0])
    return np.concatenate(blocks, axis=-1) @ W_O


@wrong("attention_scores", "any_batch")
def two_or_three_axes_only(Q, K):
    return Q @ (K.T if K.ndim == 2 else K.transpose(0, 2, 1))


@wrong("softmax", "any_axis")
def total_over_the_last_axis(scores, axis=-1):
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


@wrong("scaled_dot_product_attention", "hidden_keys")
def hidden_scores_of_minus_ten_thousand(Q, K, V, mask=None):
    scores = steps.scale_scores(steps.attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -1e4)
    weights = steps.softmax(scores)
    return steps.weighted_sum(weights, V), weights


@wrong("scaled_dot_product_attention", "any_batch")
def dot_t_on_a_batch_of_keys(Q, K, V, mask=None):
    scores = Q @ K.T / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = steps.apply_mask(scores, mask)
    weights = steps.softmax(scores)
    return weights @ V, weights


@wrong("concat_heads", "any_batch")
def loop_over_the_batch(heads):
    return np.concatenate(list(heads), axis=-1)


@wrong("multi_head_attention", "masks")
def mask_without_a_head_axis(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    Q, K, V = (steps.split_heads(part, num_heads) for part in steps.project_qkv(X, W_Q, W_K, W_V))
    heads, weights = steps.scaled_dot_product_attention(Q, K, V, mask)
    return steps.concat_heads(heads) @ W_O

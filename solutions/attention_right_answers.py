"""Right answers to attention in styles that few people choose. None of them may lose a point, with any key.

An entry stands by itself, as if handed in: it uses `np`, `math` and the functions of earlier steps, which are right.
`autograder prove attention` tries them all, and besides them every solution in other clothes: nested lists, float32,
Fortran order, read-only views, objects that are called.
"""

import math

import numpy as np

from autograder.exercises.right_answers import right_answer


# 1. project_qkv


@right_answer(step="project_qkv")
def project_with_einsum(X, W_Q, W_K, W_V):
    """einsum names the axes: n and d go in, d is summed over, and leading axes are the dots."""
    return tuple(np.einsum("...nd,dk->...nk", X, W) for W in (W_Q, W_K, W_V))


@right_answer(step="project_qkv")
def project_with_tensordot(X, W_Q, W_K, W_V):
    return [np.tensordot(X, W, axes=1) for W in (W_Q, W_K, W_V)]


@right_answer(step="project_qkv")
def project_with_one_fused_matrix(X, W_Q, W_K, W_V):
    """The three matrices become one wide matrix, so there is one product, which is then cut."""
    fused = X @ np.concatenate([W_Q, W_K, W_V], axis=1)
    return np.split(fused, [W_Q.shape[1], W_Q.shape[1] + W_K.shape[1]], axis=-1)


@right_answer(step="project_qkv")
def project_into_a_named_tuple(X, W_Q, W_K, W_V):
    from collections import namedtuple

    return namedtuple("QKV", "Q K V")(X @ W_Q, X @ W_K, X @ W_V)


@right_answer(step="project_qkv")
def project_token_by_token(X, W_Q, W_K, W_V):
    def project(W):
        result = np.zeros((*X.shape[:-1], W.shape[1]))
        for index in np.ndindex(X.shape[:-1]):
            for j in range(W.shape[1]):
                result[(*index, j)] = sum(X[index][t] * W[t, j] for t in range(len(W)))
        return result

    return project(W_Q), project(W_K), project(W_V)


@right_answer(step="project_qkv")
def project_with_broadcasting(X, W_Q, W_K, W_V):
    return tuple((X[..., None] * W).sum(axis=-2) for W in (W_Q, W_K, W_V))


@right_answer(step="project_qkv")
def project_with_np_dot(X, W_Q, W_K, W_V):
    return np.dot(X, W_Q), np.dot(X, W_K), np.dot(X, W_V)


@right_answer(step="project_qkv")
def project_flattened(X, W_Q, W_K, W_V):
    flat = X.reshape(-1, X.shape[-1])
    return tuple((flat @ W).reshape(*X.shape[:-1], -1) for W in (W_Q, W_K, W_V))


# 2. attention_scores


@right_answer(step="attention_scores")
def scores_with_einsum(Q, K):
    """einsum says which axis is summed over (d), so nothing needs to be transposed."""
    return np.einsum("...id,...jd->...ij", Q, K)


@right_answer(step="attention_scores")
def scores_with_broadcasting(Q, K):
    """Two new axes pair every query with every key; multiply, then sum over the features."""
    return (Q[..., :, None, :] * K[..., None, :, :]).sum(axis=-1)


@right_answer(step="attention_scores")
def scores_with_moveaxis(Q, K):
    return np.matmul(Q, np.moveaxis(K, -1, -2))


@right_answer(step="attention_scores")
def scores_keys_first_then_turned(Q, K):
    return np.swapaxes(K @ np.swapaxes(Q, -1, -2), -1, -2)


@right_answer(step="attention_scores")
def scores_entry_by_entry(Q, K):
    scores = np.empty((*Q.shape[:-1], K.shape[-2]))
    for index in np.ndindex(Q.shape[:-2]):
        for i, q in enumerate(Q[index]):
            for j, k in enumerate(K[index]):
                scores[(*index, i, j)] = sum(a * b for a, b in zip(q, k))
    return scores


@right_answer(step="attention_scores")
def scores_recursive(Q, K):
    if Q.ndim > 2:
        return np.array([scores_recursive(q, k) for q, k in zip(Q, K)])
    return [[float(np.dot(q, k)) for k in K] for q in Q]


@right_answer(step="attention_scores")
def scores_with_vectorize(Q, K):
    return np.vectorize(lambda q, k: q @ k.T, signature="(n,d),(m,d)->(n,m)")(Q, K)


@right_answer(step="attention_scores")
def scores_in_long_double(Q, K):
    return Q.astype(np.longdouble) @ np.swapaxes(K, -1, -2).astype(np.longdouble)


@right_answer(step="attention_scores")
def scores_with_a_permutation(Q, K):
    return Q @ K.transpose(*range(K.ndim - 2), -1, -2)


# 3. scale_scores


@right_answer(step="scale_scores")
def scale_with_math_sqrt(scores, d_k):
    return np.divide(scores, math.sqrt(d_k))


@right_answer(step="scale_scores")
def scale_with_a_power(scores, d_k):
    """One multiplication by a power of d_k instead of a division by its root."""
    return scores * d_k**-0.5


@right_answer(step="scale_scores")
def scale_with_a_fresh_copy(scores, d_k):
    scaled = np.copy(scores)
    scaled /= np.sqrt(d_k)
    return scaled


@right_answer(step="scale_scores")
def scale_row_by_row(scores, d_k):
    return [[s / math.sqrt(d_k) for s in row] for row in scores]


@right_answer(step="scale_scores")
def scale_with_logarithms(scores, d_k):
    """The root is taken through logarithms: half of the logarithm, with a minus sign."""
    return scores * np.exp(-0.5 * np.log(d_k))


# 4. softmax


@right_answer(step="softmax")
def softmax_with_log_sum_exp(scores, axis=-1):
    """The logarithm of the sum is subtracted before the exponential, so there is no division."""
    top = scores.max(axis=axis, keepdims=True)
    return np.exp(scores - (top + np.log(np.exp(scores - top).sum(axis=axis, keepdims=True))))


@right_answer(step="softmax")
def softmax_with_logaddexp(scores, axis=-1):
    return np.exp(scores - np.logaddexp.reduce(scores, axis=axis, keepdims=True))


@right_answer(step="softmax")
def softmax_in_base_two(scores, axis=-1):
    powers = np.exp2((scores - scores.max(axis=axis, keepdims=True)) * np.log2(np.e))
    return powers / powers.sum(axis=axis, keepdims=True)


@right_answer(step="softmax")
def softmax_shifted_a_little_more(scores, axis=-1):
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True) - 3.0)
    return powers / powers.sum(axis=axis, keepdims=True)


@right_answer(step="softmax")
def softmax_with_apply_along_axis(scores, axis=-1):
    def one(row):
        powers = np.exp(row - row.max())
        return powers / powers.sum()

    return np.apply_along_axis(one, axis, scores)


@right_answer(step="softmax")
def softmax_online(scores, axis=-1):
    """One pass over the scores, with a running maximum and sum: flash attention works like this."""
    moved = np.moveaxis(scores, axis, -1)
    top, total = np.full(moved.shape[:-1], -np.inf), np.zeros(moved.shape[:-1])
    for j in range(moved.shape[-1]):
        higher = np.maximum(top, moved[..., j])
        safe = np.where(np.isneginf(higher), 0.0, higher)
        total = total * np.exp(top - safe) + np.exp(moved[..., j] - safe)
        top = higher
    return np.moveaxis(np.exp(moved - top[..., None]) / total[..., None], -1, axis)


@right_answer(step="softmax")
def softmax_from_pairwise_differences(scores, axis=-1):
    moved = np.moveaxis(scores, axis, -1)
    weights = 1 / np.exp(moved[..., None, :] - moved[..., :, None]).sum(axis=-1)
    weights = np.where(np.isneginf(moved), 0.0, weights)
    return np.moveaxis(weights, -1, axis)


@right_answer(step="softmax")
def softmax_in_long_double(scores, axis=-1):
    scores = scores.astype(np.longdouble)
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


@right_answer(step="softmax")
def softmax_transposed_and_back(scores, axis=-1):
    moved = np.swapaxes(scores, axis, 0)
    powers = np.exp(moved - moved.max(axis=0))
    return np.swapaxes(powers / powers.sum(axis=0), axis, 0)


@right_answer(step="softmax")
def softmax_with_a_safe_division(scores, axis=-1):
    top = np.nan_to_num(scores.max(axis=axis, keepdims=True), neginf=0.0)
    powers = np.exp(scores - top)
    return powers / np.maximum(powers.sum(axis=axis, keepdims=True), 1e-300)


@right_answer(step="softmax")
def softmax_with_a_tiny_constant(scores, axis=-1):
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / (powers.sum(axis=axis, keepdims=True) + 1e-12)


@right_answer(step="softmax")
def softmax_in_single_precision_with_a_tiny_constant(scores, axis=-1):
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return (powers / (powers.sum(axis=axis, keepdims=True) + 1e-9)).astype(np.float32)


@right_answer(step="softmax")
def softmax_with_loops(scores, axis=-1):
    moved = np.moveaxis(scores, axis, -1)
    weights = np.zeros(moved.shape)
    for index in np.ndindex(moved.shape[:-1]):
        row = moved[index].tolist()
        top = max(row)
        powers = [0.0 if s == -math.inf else math.exp(s - top) for s in row]
        weights[index] = [p / (sum(powers) or 1.0) for p in powers]
    return np.moveaxis(weights, -1, axis)


# 5. weighted_sum


@right_answer(step="weighted_sum")
def sum_with_einsum(weights, V):
    """einsum sums over the keys (j), whatever the leading axes are."""
    return np.einsum("...ij,...jd->...id", weights, V)


@right_answer(step="weighted_sum")
def sum_with_broadcasting(weights, V):
    return (weights[..., None] * V[..., None, :, :]).sum(axis=-2)


@right_answer(step="weighted_sum")
def sum_turned_around(weights, V):
    return np.swapaxes(np.swapaxes(V, -1, -2) @ np.swapaxes(weights, -1, -2), -1, -2)


@right_answer(step="weighted_sum")
def sum_with_np_average(weights, V):
    output = np.empty((*weights.shape[:-1], V.shape[-1]))
    for index in np.ndindex(weights.shape[:-2]):
        for i, row in enumerate(weights[index]):
            output[(*index, i)] = np.average(V[index], axis=0, weights=row) if row.any() else 0.0
    return output


@right_answer(step="weighted_sum")
def sum_value_by_value(weights, V):
    """It adds one weighted value after the other, which is the definition itself."""
    return sum(weights[..., :, j, None] * V[..., None, j, :] for j in range(V.shape[-2]))


# 6. causal_mask


@right_answer(step="causal_mask")
def causal_with_tril(n_queries, n_keys=None):
    n_keys = n_queries if n_keys is None else n_keys
    return np.tril(np.ones((n_queries, n_keys), dtype=bool), n_keys - n_queries)


@right_answer(step="causal_mask")
def causal_with_integers(n_queries, n_keys=None):
    n_keys = n_queries if n_keys is None else n_keys
    return np.tri(n_queries, n_keys, n_keys - n_queries, dtype=int)


@right_answer(step="causal_mask")
def causal_with_floats(n_queries, n_keys=None):
    n_keys = n_queries if n_keys is None else n_keys
    return np.tril(np.ones((n_queries, n_keys)), n_keys - n_queries)


@right_answer(step="causal_mask")
def causal_with_a_comprehension(n_queries, n_keys=None):
    """Two loops compare the positions counted from the end; nested lists are accepted."""
    n_keys = n_keys or n_queries
    return [[j - n_keys <= i - n_queries for j in range(n_keys)] for i in range(n_queries)]


@right_answer(step="causal_mask")
def causal_as_tuples(n_queries, n_keys=None):
    n_keys = n_keys or n_queries
    return tuple(tuple(j - n_keys <= i - n_queries for j in range(n_keys)) for i in range(n_queries))


@right_answer(step="causal_mask")
def causal_with_outer(n_queries, n_keys=None):
    n_keys = n_keys or n_queries
    return np.less_equal.outer(np.arange(n_keys), np.arange(n_keys - n_queries, n_keys)).T


@right_answer(step="causal_mask")
def causal_from_a_square(n_queries, n_keys=None):
    """The mask of a square, of which the last n_queries rows are kept."""
    return np.tri(n_keys or n_queries, dtype=bool)[-n_queries:]


@right_answer(step="causal_mask")
def causal_without_the_upper_triangle(n_queries, n_keys=None):
    n_keys = n_keys or n_queries
    return ~np.triu(np.ones((n_queries, n_keys), dtype=bool), n_keys - n_queries + 1)


# 7. padding_mask


@right_answer(step="padding_mask")
def padding_with_broadcasting(lengths, n_keys):
    return np.arange(n_keys)[None, None, :] < np.asarray(lengths)[:, None, None]


@right_answer(step="padding_mask")
def padding_with_lists(lengths, n_keys):
    return [[[True] * length + [False] * (n_keys - length)] for length in map(int, lengths)]


@right_answer(step="padding_mask")
def padding_with_a_loop(lengths, n_keys):
    """It starts with all False and fills in each sequence with a slice."""
    mask = np.zeros((len(lengths), 1, n_keys), dtype=bool)
    for row, length in zip(mask, lengths):
        row[0, :length] = True
    return mask


@right_answer(step="padding_mask")
def padding_with_outer(lengths, n_keys):
    return np.expand_dims(np.greater.outer(lengths, np.arange(n_keys)), 1)


@right_answer(step="padding_mask")
def padding_with_a_triangle(lengths, n_keys):
    """Row i of a triangle has i ones, so the lengths are used as an index into its rows."""
    return np.tri(n_keys + 1, n_keys, -1, dtype=bool)[lengths][:, None]


@right_answer(step="padding_mask")
def padding_as_ones_and_zeros(lengths, n_keys):
    return (np.arange(n_keys) < np.asarray(lengths)[:, None, None]).astype(np.int8)


# 8. apply_mask


@right_answer(step="apply_mask")
def mask_with_a_copy(scores, mask):
    result = np.array(scores, dtype=float)
    result[np.broadcast_to(~mask, result.shape)] = -np.inf
    return result


@right_answer(step="apply_mask")
def mask_with_copyto(scores, mask):
    """It starts with -inf everywhere and copies the allowed scores into it."""
    result = np.full(scores.shape, -np.inf)
    np.copyto(result, scores, where=mask)
    return result


@right_answer(step="apply_mask")
def mask_with_putmask(scores, mask):
    result = scores.copy()
    np.putmask(result, ~np.broadcast_to(mask, scores.shape), float("-inf"))
    return result


@right_answer(step="apply_mask")
def mask_with_select(scores, mask):
    return np.select([np.broadcast_to(mask, scores.shape)], [scores], default=-np.inf)


@right_answer(step="apply_mask")
def mask_entry_by_entry(scores, mask):
    allowed, result = np.broadcast_to(mask, scores.shape), scores.copy()
    for index in np.ndindex(scores.shape):
        if not allowed[index]:
            result[index] = float("-inf")
    return result


@right_answer(step="apply_mask")
def mask_with_ufunc_where(scores, mask):
    """A ufunc has where= and out=: what is not allowed keeps what was in out."""
    return np.positive(scores, where=mask, out=np.full_like(scores, -np.inf))


# 9. scaled_dot_product_attention


@right_answer(step="scaled_dot_product_attention")
def attention_with_the_smallest_number(Q, K, V, mask=None):
    scores = attention_scores(Q, K) / math.sqrt(Q.shape[-1])
    weights = softmax(scores if mask is None else np.where(mask, scores, np.finfo(float).min))
    return weights @ V, weights


@right_answer(step="scaled_dot_product_attention")
def attention_with_minus_a_billion(Q, K, V, mask=None):
    scores = attention_scores(Q, K) / math.sqrt(Q.shape[-1])
    weights = softmax(scores if mask is None else np.where(mask, scores, -1e9))
    return weights @ V, weights


@right_answer(step="scaled_dot_product_attention")
def attention_with_an_additive_mask(Q, K, V, mask=None):
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    weights = softmax(scores if mask is None else scores + (1.0 - mask) * -1e9)
    return weights @ V, weights


@right_answer(step="scaled_dot_product_attention")
def attention_with_a_multiplied_mask(Q, K, V, mask=None):
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    if mask is None:
        mask = np.ones(scores.shape[-2:], dtype=bool)
    top = np.where(mask, scores, np.finfo(float).min).max(axis=-1, keepdims=True)
    powers = np.exp(np.minimum(scores - top, 0)) * mask
    weights = powers / np.maximum(powers.sum(axis=-1, keepdims=True), 1e-300)
    return weights @ V, weights


@right_answer(step="scaled_dot_product_attention")
def attention_in_a_named_tuple(Q, K, V, mask=None):
    from collections import namedtuple

    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    weights = softmax(scores if mask is None else apply_mask(scores, mask))
    return namedtuple("Attention", "output weights")(weighted_sum(weights, V), weights)


@right_answer(step="scaled_dot_product_attention")
def attention_query_by_query(Q, K, V, mask=None):
    output, weights = np.zeros((*Q.shape[:-1], V.shape[-1])), np.zeros((*Q.shape[:-1], K.shape[-2]))
    allowed = np.ones(weights.shape, bool) if mask is None else np.broadcast_to(mask, weights.shape)
    for *lead, i in np.ndindex(Q.shape[:-1]):
        seen = allowed[(*lead, i)]
        if seen.any():
            keys, values = K[tuple(lead)][seen], V[tuple(lead)][seen]
            row = softmax(keys @ Q[(*lead, i)] / math.sqrt(Q.shape[-1]))
            weights[(*lead, i)][seen], output[(*lead, i)] = row, row @ values
    return output, weights


@right_answer(step="scaled_dot_product_attention")
def attention_scales_the_queries_first(Q, K, V, mask=None):
    """Queries and keys are each divided by the fourth root, so the scores come out scaled."""
    scores = np.einsum("...id,...jd->...ij", Q / Q.shape[-1] ** 0.25, K / K.shape[-1] ** 0.25)
    weights = softmax(scores if mask is None else apply_mask(scores, mask))
    return np.einsum("...ij,...jd->...id", weights, V), weights


@right_answer(step="scaled_dot_product_attention")
def attention_divides_at_the_end(Q, K, V, mask=None):
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    scores = scores if mask is None else np.where(mask, scores, -np.inf)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    total = powers.sum(axis=-1, keepdims=True)
    return powers @ V / total, powers / total


@right_answer(step="scaled_dot_product_attention")
def attention_key_by_key_online(Q, K, V, mask=None):
    """It reads one key at a time and never stores all scores until the weights are asked for."""
    n_keys = K.shape[-2]
    allowed = np.broadcast_to(True if mask is None else mask, (*Q.shape[:-1], n_keys))
    top = np.full(Q.shape[:-1], np.finfo(float).min)
    total, output = np.zeros(Q.shape[:-1]), np.zeros((*Q.shape[:-1], V.shape[-1]))
    columns = []
    for j in range(n_keys):
        score = (Q * K[..., None, j, :]).sum(axis=-1) / np.sqrt(Q.shape[-1])
        score = np.where(allowed[..., j], score, -np.inf)
        higher = np.maximum(top, score)
        shrink, power = np.exp(top - higher), np.exp(score - higher)
        total = total * shrink + power
        output = output * shrink[..., None] + power[..., None] * V[..., None, j, :]
        top = higher
        columns.append(score)
    weights = np.exp(np.stack(columns, axis=-1) - top[..., None]) / total[..., None]
    return output / total[..., None], weights


# 10. self_attention


@right_answer(step="self_attention")
def self_attention_by_keywords(X, W_Q, W_K, W_V, mask=None):
    """The arguments are passed by name, so their order does not matter."""
    return scaled_dot_product_attention(Q=X @ W_Q, K=X @ W_K, V=X @ W_V, mask=mask)


@right_answer(step="self_attention")
def self_attention_with_a_bilinear_form(X, W_Q, W_K, W_V, mask=None):
    """W_Q and W_K are multiplied first: the scores depend on their product only."""
    scores = X @ (W_Q @ W_K.T) @ np.swapaxes(X, -1, -2) / np.sqrt(W_K.shape[1])
    weights = softmax(scores if mask is None else np.where(mask, scores, np.finfo(float).min))
    return (weights @ X) @ W_V, weights


@right_answer(step="self_attention")
def self_attention_sequence_by_sequence(X, W_Q, W_K, W_V, mask=None):
    n, result = X.shape[-2], []
    masks = np.broadcast_to(True if mask is None else mask, (*X.shape[:-1], n))
    for index in np.ndindex(X.shape[:-2]):
        result.append(scaled_dot_product_attention(*project_qkv(X[index], W_Q, W_K, W_V), masks[index]))
    output, weights = (np.reshape(part, (*X.shape[:-1], -1)) for part in zip(*result))
    return [output, weights]


@right_answer(step="self_attention")
def self_attention_with_one_einsum_each(X, W_Q, W_K, W_V, mask=None):
    scores = np.einsum("...ia,ab,cb,...jc->...ij", X, W_Q, W_K, X) / math.sqrt(W_Q.shape[-1])
    weights = softmax(scores + (0.0 if mask is None else np.where(mask, 0.0, -np.inf)))
    return np.einsum("...ij,...jc,cd->...id", weights, X, W_V), weights


# 11. split_heads


@right_answer(step="split_heads")
def split_into_stacked_slices(X, num_heads):
    width, rest = divmod(X.shape[-1], num_heads)
    assert not rest, "the heads do not divide the features"
    return np.stack([X[..., h * width : (h + 1) * width] for h in range(num_heads)], axis=-3)


@right_answer(step="split_heads")
def split_with_np_split(X, num_heads):
    """np.split cuts the features and raises the ValueError by itself; stack puts the heads in front."""
    return np.stack(np.split(X, num_heads, axis=-1), axis=-3)


@right_answer(step="split_heads")
def split_transposed_first(X, num_heads):
    turned = np.swapaxes(X, -1, -2)
    return np.swapaxes(turned.reshape(*X.shape[:-2], num_heads, -1, X.shape[-2]), -1, -2)


@right_answer(step="split_heads")
def split_with_moveaxis(X, num_heads):
    return np.moveaxis(X.reshape(*X.shape[:-1], num_heads, X.shape[-1] // num_heads), -2, -3)


@right_answer(step="split_heads")
def split_with_fancy_indices(X, num_heads):
    """A table of column numbers, one row per head, picks the features."""
    columns = np.arange(X.shape[-1]).reshape(num_heads, -1)
    return np.moveaxis(X[..., columns], -2, -3)


@right_answer(step="split_heads")
def split_with_a_list_of_heads(X, num_heads):
    if X.ndim > 2:
        return [split_with_a_list_of_heads(part, num_heads) for part in X]
    return np.split(X, num_heads, axis=1)


@right_answer(step="split_heads")
def split_raises_something_of_its_own(X, num_heads):
    class DoesNotDivide(Exception):
        pass

    if X.shape[-1] % num_heads:
        raise DoesNotDivide(num_heads)
    return np.stack(np.split(X, num_heads, axis=-1), axis=-3)


# 12. concat_heads


@right_answer(step="concat_heads")
def concat_with_concatenate(heads):
    """It joins the heads one after the other along the features, without a reshape."""
    return np.concatenate([heads[..., h, :, :] for h in range(heads.shape[-3])], axis=-1)


@right_answer(step="concat_heads")
def concat_into_a_buffer(heads):
    """Each head is written into its own slice of an empty array."""
    *lead, h, n, d = heads.shape
    buffer = np.empty((*lead, n, h * d))
    for i in range(h):
        buffer[..., i * d : (i + 1) * d] = heads[..., i, :, :]
    return buffer


@right_answer(step="concat_heads")
def concat_with_einsum(heads):
    *lead, h, n, d = heads.shape
    return np.einsum("...hnd->...nhd", heads).reshape(*lead, n, h * d)


@right_answer(step="concat_heads")
def concat_with_hstack(heads):
    return [concat_with_hstack(part) for part in heads] if heads.ndim > 3 else np.hstack(tuple(heads))


@right_answer(step="concat_heads")
def concat_row_by_row(heads):
    *lead, h, n, d = heads.shape
    rows = [np.ravel(heads[(*index, slice(None), i)]) for index in np.ndindex(*lead) for i in range(n)]
    return np.reshape(rows, (*lead, n, h * d))


# 13. multi_head_attention


@right_answer(step="multi_head_attention")
def heads_as_a_sum_of_blocks(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Each head has its own block of rows in W_O, and the outputs of the heads are added up."""
    width, output = X.shape[-1] // num_heads, 0.0
    for h in range(num_heads):
        own = slice(h * width, (h + 1) * width)
        output = output + self_attention(X, W_Q[:, own], W_K[:, own], W_V[:, own], mask)[0] @ W_O[own]
    return output


@right_answer(step="multi_head_attention")
def heads_with_a_fused_matrix(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    parts = np.split(X @ np.concatenate([W_Q, W_K, W_V], axis=1), 3, axis=-1)
    Q, K, V = (split_heads(part, num_heads) for part in parts)
    return concat_heads(scaled_dot_product_attention(Q, K, V, np.expand_dims(mask, -3) if np.ndim(mask) > 2 else mask)[0]) @ W_O


@right_answer(step="multi_head_attention")
def heads_in_einsums(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    d_model = X.shape[-1]
    W_Q, W_K, W_V = (W.reshape(d_model, num_heads, -1) for W in (W_Q, W_K, W_V))
    scores = np.einsum("...ia,ahk,bhk,...jb->...hij", X, W_Q, W_K, X) / np.sqrt(d_model / num_heads)
    mask = mask if mask is None or mask.ndim == 2 else mask[:, None]
    weights = softmax(scores if mask is None else np.where(mask, scores, -np.inf))
    return np.einsum("...hij,...jc,chv,hvo->...io", weights, X, W_V, W_O.reshape(num_heads, -1, d_model))


@right_answer(step="multi_head_attention")
def heads_one_sequence_at_a_time(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    if X.ndim == 2:
        Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
        return concat_heads(scaled_dot_product_attention(Q, K, V, mask)[0]) @ W_O
    masks = [mask] * len(X) if mask is None or mask.ndim == 2 else mask  # (n, n) or (1, n) for each
    return [heads_one_sequence_at_a_time(x, W_Q, W_K, W_V, W_O, num_heads, m) for x, m in zip(X, masks)]


@right_answer(step="multi_head_attention")
def heads_folded_into_the_batch(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """The heads become part of the batch, so the attention sees three axes only."""
    *lead, n, d_model = X.shape
    Q, K, V = (split_heads(X @ W, num_heads).reshape(-1, n, d_model // num_heads) for W in (W_Q, W_K, W_V))
    if mask is not None and mask.ndim > 2:
        mask = np.repeat(np.broadcast_to(mask, (*lead, n, n)), num_heads, axis=0)
    heads = scaled_dot_product_attention(Q, K, V, mask)[0].reshape(*lead, num_heads, n, -1)
    return concat_heads(heads) @ W_O


@right_answer(step="multi_head_attention")
def heads_with_a_sentinel(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    Q, K, V = (split_heads(X @ W, num_heads) for W in (W_Q, W_K, W_V))
    scores = attention_scores(Q, K) / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = np.where(mask if mask.ndim == 2 else mask[:, None], scores, np.finfo(float).min)
    return concat_heads(softmax(scores) @ V) @ W_O

"""Right answers to gradients in styles that few people choose. None of them may lose a point, with any key.

An entry stands by itself, as if handed in: it uses `np`, `math`, the functions of `attention` that the exercise
needs, and the steps before, which are right. `autograder prove gradients` tries them all, and besides them every
solution in other clothes: nested lists, float32, Fortran order, read-only views, objects that are called.
"""

import math

import numpy as np

from autograder.exercises.right_answers import right_answer


# 1. matmul_backward


@right_answer(step="matmul_backward")
def matmul_backward_with_einsum(A, B, d_C):
    """The letters say which axis is summed; nothing has to be turned."""
    return np.einsum("...ij,...kj->...ik", d_C, B), np.einsum("...ik,...ij->...kj", A, d_C)


@right_answer(step="matmul_backward")
def matmul_backward_row_by_row(A, B, d_C):
    """Each row of C gives its share: d_B collects one outer product after the other."""
    d_A, d_B = np.zeros(A.shape), np.zeros(B.shape)
    for *lead, i in np.ndindex(A.shape[:-1]):
        at = tuple(lead)
        d_A[(*at, i)] = B[at] @ d_C[(*at, i)]
        d_B[at] += np.outer(A[(*at, i)], d_C[(*at, i)])
    return d_A, d_B


@right_answer(step="matmul_backward")
def matmul_backward_with_broadcasting(A, B, d_C):
    d_A = (d_C[..., :, None, :] * B[..., None, :, :]).sum(axis=-1)
    return [d_A, (A[..., :, :, None] * d_C[..., :, None, :]).sum(axis=-3)]


@right_answer(step="matmul_backward")
def matmul_backward_on_one_long_batch(A, B, d_C):
    a, b, c = (array.reshape(-1, *array.shape[-2:]) for array in (A, B, d_C))
    return (c @ b.transpose(0, 2, 1)).reshape(A.shape).tolist(), (a.transpose(0, 2, 1) @ c).reshape(B.shape).tolist()


@right_answer(step="matmul_backward")
def matmul_backward_recursive(A, B, d_C):
    if A.ndim > 2:
        return tuple(np.stack(part) for part in zip(*map(matmul_backward_recursive, A, B, d_C)))
    return np.inner(d_C, B), np.dot(A.T, d_C)


@right_answer(step="matmul_backward")
def matmul_backward_turned_at_the_end(A, B, d_C):
    turned = np.moveaxis(d_C, -1, -2)
    return np.moveaxis(B @ turned, -1, -2), np.moveaxis(turned @ A, -1, -2)


# 2. softmax_backward


@right_answer(step="softmax_backward")
def softmax_backward_with_einsum(weights, d_weights):
    return weights * d_weights - np.einsum("...i,...j,...j->...i", weights, weights, d_weights)


@right_answer(step="softmax_backward")
def softmax_backward_with_the_whole_table(weights, d_weights):
    """It builds the whole Jacobian, n times n for each row, and multiplies by it."""
    table = weights[..., :, None] * (np.eye(weights.shape[-1]) - weights[..., None, :])
    return np.squeeze(table @ d_weights[..., None], axis=-1)


@right_answer(step="softmax_backward")
def softmax_backward_row_by_row(weights, d_weights):
    flat, behind = weights.reshape(-1, weights.shape[-1]), d_weights.reshape(-1, weights.shape[-1])
    rows = [(np.diag(w) - np.outer(w, w)) @ d for w, d in zip(flat, behind)]
    return np.array(rows).reshape(weights.shape)


@right_answer(step="softmax_backward")
def softmax_backward_with_plain_numbers(weights, d_weights):
    if weights.ndim > 1:
        return [softmax_backward_with_plain_numbers(w, d) for w, d in zip(weights, d_weights)]
    average = sum(w * d for w, d in zip(weights.tolist(), d_weights.tolist()))
    return [w * (d - average) for w, d in zip(weights.tolist(), d_weights.tolist())]


@right_answer(step="softmax_backward")
def softmax_backward_by_both_cases(weights, d_weights):
    result = np.zeros(weights.shape)
    n_keys = weights.shape[-1]
    for i in range(n_keys):
        for j in range(n_keys):
            slope = weights[..., i] * (1 - weights[..., i]) if i == j else -weights[..., i] * weights[..., j]
            result[..., i] += slope * d_weights[..., j]
    return result


@right_answer(step="softmax_backward")
def softmax_backward_with_apply_along_axis(weights, d_weights):
    both = np.concatenate([weights, d_weights], axis=-1)

    def one(row):
        w, d = np.split(row, 2)
        return w * (d - w @ d)

    return np.apply_along_axis(one, -1, both)


@right_answer(step="softmax_backward")
def softmax_backward_with_vectorize(weights, d_weights):
    return np.vectorize(lambda w, d: w * (d - np.dot(w, d)), signature="(m),(m)->(m)")(weights, d_weights)


@right_answer(step="softmax_backward")
def softmax_backward_from_pairs(weights, d_weights):
    """It sums over pairs of keys: only differences of d_weights matter."""
    gaps = d_weights[..., :, None] - d_weights[..., None, :]
    return (weights[..., :, None] * weights[..., None, :] * gaps).sum(axis=-1)


@right_answer(step="softmax_backward")
def softmax_backward_with_an_average(weights, d_weights):
    average = np.average(d_weights, axis=-1, weights=weights)
    return weights * (d_weights - average[..., np.newaxis])


@right_answer(step="softmax_backward")
def softmax_backward_taken_off_twice(weights, d_weights):
    scores = weights * d_weights
    scores = scores - weights * scores.sum(-1, keepdims=True)
    return scores - weights * scores.sum(-1, keepdims=True)  # what rounding has left


@right_answer(step="softmax_backward")
def softmax_backward_in_single_precision(weights, d_weights):
    weights, d_weights = np.float32(weights), np.float32(d_weights)
    return weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True))


@right_answer(step="softmax_backward")
def softmax_backward_in_long_double(weights, d_weights):
    weights, d_weights = weights.astype(np.longdouble), d_weights.astype(np.longdouble)
    return weights * (d_weights - np.sum(weights * d_weights, axis=-1, keepdims=True))


@right_answer(step="softmax_backward")
def softmax_backward_by_complex_steps(weights, d_weights):
    step, result = 1e-30, np.zeros(weights.shape)
    for i in range(weights.shape[-1]):
        moved = weights.astype(complex)
        moved[..., i] *= np.exp(1j * step)  # what adding a step to the score does
        moved = moved / moved.sum(axis=-1, keepdims=True)
        result[..., i] = (moved * d_weights).sum(axis=-1).imag / step
    return result


@right_answer(step="softmax_backward")
def softmax_backward_with_the_keys_in_front(weights, d_weights):
    w, d = np.moveaxis(weights, -1, 0), np.moveaxis(d_weights, -1, 0)
    return np.moveaxis(w * (d - (w * d).sum(axis=0)), 0, -1)


# 3. mask_backward


@right_answer(step="mask_backward")
def mask_backward_with_copyto(mask, d_masked):
    """It starts with zeros and copies what may pass."""
    d_scores = np.zeros(d_masked.shape)
    np.copyto(d_scores, d_masked, where=mask)
    return d_scores


@right_answer(step="mask_backward")
def mask_backward_with_a_copy(mask, d_masked):
    """It overwrites the hidden places of a copy."""
    d_scores = np.array(d_masked, dtype=float)
    d_scores[np.broadcast_to(~mask, d_scores.shape)] = 0.0
    return d_scores


@right_answer(step="mask_backward")
def mask_backward_cleaned_first(mask, d_masked):
    return np.nan_to_num(d_masked) * mask


@right_answer(step="mask_backward")
def mask_backward_with_select(mask, d_masked):
    return np.select([np.broadcast_to(mask, d_masked.shape)], [d_masked])


@right_answer(step="mask_backward")
def mask_backward_with_ufunc_where(mask, d_masked):
    return np.positive(d_masked, where=mask, out=np.zeros_like(d_masked))


@right_answer(step="mask_backward")
def mask_backward_one_by_one(mask, d_masked):
    pairs = np.broadcast(mask, d_masked)
    return np.reshape([gradient if seen else 0.0 for seen, gradient in pairs], d_masked.shape)


# 4. attention_backward


@right_answer(step="attention_backward")
def attention_backward_with_keys_turned(Q, K, V, d_output):
    """The scores as a product of keys and turned queries, so that the gradient of the keys comes out upright."""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_weights, d_V = matmul_backward(weights, V, d_output)
    d_scores = np.asarray(scale_scores(softmax_backward(weights, d_weights), Q.shape[-1]))
    d_K, d_Q = matmul_backward(K, np.swapaxes(Q, -1, -2), np.swapaxes(d_scores, -1, -2))
    return np.swapaxes(d_Q, -1, -2), d_K, d_V


@right_answer(step="attention_backward")
def attention_backward_with_einsum(Q, K, V, d_output):
    scale = Q.shape[-1] ** -0.5
    weights = softmax(np.einsum("...id,...jd->...ij", Q, K) * scale)
    d_scores = scale * softmax_backward(weights, np.einsum("...id,...jd->...ij", d_output, V))
    return (
        np.einsum("...ij,...jd->...id", d_scores, K),
        np.einsum("...ij,...id->...jd", d_scores, Q),
        np.einsum("...ij,...id->...jd", weights, d_output),
    )


@right_answer(step="attention_backward")
def attention_backward_by_the_output(Q, K, V, d_output):
    """The sum of w times dw is the output times d_output, as flash attention computes it."""
    d_k = Q.shape[-1]
    output, weights = scaled_dot_product_attention(Q, K, V)
    average = (np.asarray(output) * d_output).sum(axis=-1, keepdims=True)  # the sum over keys of w dw
    d_scores = weights * (d_output @ np.swapaxes(V, -1, -2) - average) / math.sqrt(d_k)
    return [d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, np.swapaxes(weights, -1, -2) @ d_output]


@right_answer(step="attention_backward")
def attention_backward_with_queries_scaled_first(Q, K, V, d_output):
    root = np.sqrt(Q.shape[-1])
    asked = Q / root
    weights = softmax(asked @ np.swapaxes(K, -1, -2))
    d_scores = softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2))
    return d_scores @ K / root, np.swapaxes(d_scores, -1, -2) @ asked, np.swapaxes(weights, -1, -2) @ d_output


@right_answer(step="attention_backward")
def attention_backward_query_by_query(Q, K, V, d_output):
    d_Q, d_K, d_V = np.zeros(Q.shape), np.zeros(K.shape), np.zeros(V.shape)
    scale = math.sqrt(Q.shape[-1])
    for index in np.ndindex(Q.shape[:-1]):
        lead = index[:-1]
        scores = K[lead] @ Q[index] / scale
        powers = np.exp(scores - scores.max())
        w = powers / powers.sum()
        d_V[lead] += np.outer(w, d_output[index])
        d_w = V[lead] @ d_output[index]
        d_s = w * (d_w - w @ d_w) / scale
        d_Q[index] = d_s @ K[lead]
        d_K[lead] += np.outer(d_s, Q[index])
    return d_Q, d_K, d_V


@right_answer(step="attention_backward")
def attention_backward_recursive(Q, K, V, d_output):
    if Q.ndim > 2:
        parts = [attention_backward_recursive(*slices) for slices in zip(Q, K, V, d_output)]
        return tuple(np.stack(part) for part in zip(*parts))
    W = scaled_dot_product_attention(Q, K, V)[1]
    D = softmax_backward(W, d_output @ V.T) / np.sqrt(Q.shape[1])
    return D @ K, D.T @ Q, W.T @ d_output


@right_answer(step="attention_backward")
def attention_backward_with_a_table_for_each_row(Q, K, V, d_output):
    weights = scaled_dot_product_attention(Q, K, V)[1]
    table = np.einsum("...ij,jk->...ijk", weights, np.eye(K.shape[-2])) - weights[..., :, None] * weights[..., None, :]
    d_weights = np.matmul(d_output, np.moveaxis(V, -1, -2))
    d_scores = np.einsum("...ijk,...ik->...ij", table, d_weights) / Q.shape[-1] ** 0.5
    return d_scores @ K, np.moveaxis(d_scores, -1, -2) @ Q, np.moveaxis(weights, -1, -2) @ d_output


@right_answer(step="attention_backward")
def attention_backward_into_a_named_tuple(Q, K, V, d_output):
    from collections import namedtuple

    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = scale_scores(softmax_backward(weights, attention_scores(d_output, V)), Q.shape[-1])
    turned = weights.swapaxes(-1, -2), d_scores.swapaxes(-1, -2)
    return namedtuple("Gradients", "d_Q d_K d_V")(weighted_sum(d_scores, K), weighted_sum(turned[1], Q), turned[0] @ d_output)


@right_answer(step="attention_backward")
def attention_backward_on_one_long_batch(Q, K, V, d_output):
    lead = Q.shape[:-2]
    q, k, v, d = (array.reshape(-1, *array.shape[-2:]) for array in (Q, K, V, d_output))
    weights = softmax(np.matmul(q, k.transpose(0, 2, 1)) / math.sqrt(q.shape[-1]))
    d_scores = softmax_backward(weights, np.matmul(d, v.transpose(0, 2, 1))) / math.sqrt(q.shape[-1])
    gradients = d_scores @ k, d_scores.transpose(0, 2, 1) @ q, weights.transpose(0, 2, 1) @ d
    return tuple(array.reshape(*lead, *array.shape[1:]).tolist() for array in gradients)


@right_answer(step="attention_backward")
def attention_backward_with_keys_as_columns(Q, K, V, d_output):
    scores = K @ np.swapaxes(Q, -1, -2) / math.sqrt(Q.shape[-1])  # a column for each query
    weights = softmax(scores, axis=-2)
    d_weights = V @ np.swapaxes(d_output, -1, -2)
    d_scores = weights * (d_weights - (weights * d_weights).sum(axis=-2, keepdims=True)) / math.sqrt(Q.shape[-1])
    return np.swapaxes(d_scores, -1, -2) @ K, d_scores @ Q, weights @ d_output


@right_answer(step="attention_backward")
def attention_backward_in_blocks_of_keys(Q, K, V, d_output):
    """It goes block by block over the keys and computes the weights again."""
    root = math.sqrt(Q.shape[-1])
    scores = Q @ np.swapaxes(K, -1, -2) / root
    top = scores.max(axis=-1, keepdims=True)
    total = np.exp(scores - top).sum(axis=-1, keepdims=True)
    output = np.exp(scores - top) / total @ V
    average = np.sum(output * d_output, axis=-1, keepdims=True)
    d_Q, d_K, d_V = np.zeros(Q.shape), np.zeros(K.shape), np.zeros(V.shape)
    for start in range(0, K.shape[-2], 2):
        keys, values = K[..., start : start + 2, :], V[..., start : start + 2, :]
        weights = np.exp(Q @ np.swapaxes(keys, -1, -2) / root - top) / total
        d_scores = weights * (d_output @ np.swapaxes(values, -1, -2) - average) / root
        d_Q += d_scores @ keys
        d_K[..., start : start + 2, :] = np.swapaxes(d_scores, -1, -2) @ Q
        d_V[..., start : start + 2, :] = np.swapaxes(weights, -1, -2) @ d_output
    return d_Q, d_K, d_V


@right_answer(step="attention_backward")
def attention_backward_in_single_precision(Q, K, V, d_output):
    Q, K, V, d_output = (np.float32(array) for array in (Q, K, V, d_output))
    root = np.float32(math.sqrt(Q.shape[-1]))
    scores = Q @ np.swapaxes(K, -1, -2) / root
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = powers / powers.sum(axis=-1, keepdims=True)
    d_weights = d_output @ np.swapaxes(V, -1, -2)
    d_scores = weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True)) / root
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, np.swapaxes(weights, -1, -2) @ d_output


@right_answer(step="attention_backward")
def attention_backward_with_broadcasting(Q, K, V, d_output):
    root = math.sqrt(Q.shape[-1])
    weights = softmax((Q[..., :, None, :] * K[..., None, :, :]).sum(axis=-1) / root)
    d_weights = (d_output[..., :, None, :] * V[..., None, :, :]).sum(axis=-1)
    d_scores = softmax_backward(weights, d_weights)[..., None] / root
    d_V = (weights[..., None] * d_output[..., :, None, :]).sum(axis=-3)
    return (d_scores * K[..., None, :, :]).sum(axis=-2), (d_scores * Q[..., :, None, :]).sum(axis=-3), d_V


@right_answer(step="attention_backward")
def attention_backward_in_mixed_precision(Q, K, V, d_output):
    weights = np.asarray(softmax(scale_scores(attention_scores(Q, K), Q.shape[-1])), dtype=np.float32)
    d_scores = scale_scores(softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2)), Q.shape[-1])
    d_V = np.swapaxes(weights, -1, -2) @ d_output
    return np.float32(d_scores @ K), np.swapaxes(d_scores, -1, -2) @ Q, np.float32(d_V)


# 5. split_heads_backward


@right_answer(step="split_heads_backward")
def split_heads_backward_with_concatenate(d_heads):
    """It joins the heads one after the other along the features, without a reshape."""
    return np.concatenate([d_heads[..., h, :, :] for h in range(d_heads.shape[-3])], axis=-1)


@right_answer(step="split_heads_backward")
def split_heads_backward_into_a_buffer(d_heads):
    """Each head is written into its own columns."""
    *lead, num_heads, n, d_head = d_heads.shape
    d_X = np.empty((*lead, n, num_heads * d_head))
    for h in range(num_heads):
        d_X[..., h * d_head : (h + 1) * d_head] = d_heads[..., h, :, :]
    return d_X


@right_answer(step="split_heads_backward")
def split_heads_backward_with_einsum(d_heads):
    *lead, num_heads, n, d_head = d_heads.shape
    return np.einsum("...hnd->...nhd", d_heads).reshape(*lead, n, num_heads * d_head)


@right_answer(step="split_heads_backward")
def split_heads_backward_with_hstack(d_heads):
    if d_heads.ndim > 3:
        return [split_heads_backward_with_hstack(part) for part in d_heads]
    return np.hstack(tuple(d_heads)).tolist()


@right_answer(step="split_heads_backward")
def split_heads_backward_by_looking_it_up(d_heads):
    """It splits numbered places, and sorts the gradients by the number of their place."""
    *lead, num_heads, n, d_head = d_heads.shape
    places = split_heads(np.arange(n * num_heads * d_head).reshape(n, num_heads * d_head), num_heads)
    order = np.argsort(np.ravel(places))
    return d_heads.reshape(*lead, -1)[..., order].reshape(*lead, n, num_heads * d_head)

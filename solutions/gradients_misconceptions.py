"""What people get wrong about gradients, as functions, each with the question that helps.

Every function here is a wrong answer to one step. Its decorator names the step and the first check that must
fail; its docstring is the hint that a student reads. A hint says what shows, what to print, and asks one question;
it never holds the repair. Names are for teachers: no student sees them. Entries of one `family` answer alike, or are
helped by the same question.

An entry stands by itself, as if handed in: it uses `np`, `math`, the functions of `attention` that the exercise
needs, and the steps before, which are right. `autograder prove gradients` holds every entry, and every check, to its
promise.
"""

import math

import numpy as np

from autograder.exercises.misconceptions import misconception

UNCLAIMED = {"attention_backward-large_scores": "it asks with drawn numbers what thousands asks before it"}


# 1. matmul_backward


@misconception(step="matmul_backward", caught_by="matmul_backward-by_hand")
def nothing_turned(A, B, d_C):
    """You multiply by B and A as they are. Print the shapes of the two factors of your first product: which of their axes must match?"""
    return d_C @ B, A @ d_C


@misconception(step="matmul_backward", caught_by="matmul_backward-by_hand")
def first_factor_not_turned(A, B, d_C):
    """Your d_A is right. Print the rows of d_C that make up row 0 of your d_B: which rows of C did row 0 of B go into, and with which numbers of A?"""
    return d_C @ np.swapaxes(B, -1, -2), A @ d_C


@misconception(step="matmul_backward", caught_by="matmul_backward-by_hand")
def factors_on_the_wrong_side(A, B, d_C):
    """Your factors are in the wrong order. Print the shapes of your results and those of A and B: which factor gives d_A its rows?"""
    return np.swapaxes(B, -1, -2) @ d_C, d_C @ np.swapaxes(A, -1, -2)


@misconception(step="matmul_backward", caught_by="matmul_backward-by_hand")
def second_factor_first(A, B, d_C):
    """Both gradients are there, but in a different order. Print their shapes: which one does the docstring name first?"""
    return np.swapaxes(A, -1, -2) @ d_C, d_C @ np.swapaxes(B, -1, -2)


@misconception(step="matmul_backward", caught_by="matmul_backward-by_hand")
def both_gradients_turned(A, B, d_C):
    """Both gradients are transposed. Print the shapes of d_B and of B: which of your results has the wrong shape?"""
    return B @ np.swapaxes(d_C, -1, -2), np.swapaxes(d_C, -1, -2) @ A


@misconception(step="matmul_backward", caught_by="matmul_backward-by_hand")
def gradient_of_the_product_ignored(A, B, d_C):
    """Your gradients ignore d_C. Change d_C in the first check and print your result: does it change?"""
    ones = np.ones(d_C.shape)
    return ones @ np.swapaxes(B, -1, -2), np.swapaxes(A, -1, -2) @ ones


@misconception(step="matmul_backward", caught_by="matmul_backward-by_hand")
def product_rule_from_school(A, B, d_C):
    """You return the other factor, transposed. Print the shapes of your results and those of A and B: where do you use d_C?"""
    return np.swapaxes(B, -1, -2) * 1.0, np.swapaxes(A, -1, -2) * 1.0


@misconception(step="matmul_backward", caught_by="matmul_backward-by_hand")
def factors_summed_before_they_meet(A, B, d_C):
    """You sum a row before you multiply. Print what you multiply B by in the first check: does each number of row 0 of d_C meet its own column of B?"""
    d_A = d_C.sum(axis=-1, keepdims=True) * B.sum(axis=-1)[..., None, :]
    return d_A, np.swapaxes(A, -1, -2) @ d_C


@misconception(step="matmul_backward", caught_by="matmul_backward-by_hand")
def averaged_over_the_rows(A, B, d_C):
    """Your d_A is right, but your d_B shrinks when A has more rows. Print expected divided by yours: does a number that is used twice matter less?"""
    return d_C @ np.swapaxes(B, -1, -2), np.swapaxes(A, -1, -2) @ d_C / A.shape[-2]


@misconception(step="matmul_backward", caught_by="matmul_backward-by_hand")
def multiplied_by_itself(A, B, d_C):
    """Your gradients are 0 where A and B are 0. Print d_A for the 0 in A: does C not change when you change this number?"""
    return A * (d_C @ np.swapaxes(B, -1, -2)), B * (np.swapaxes(A, -1, -2) @ d_C)


@misconception(step="matmul_backward", caught_by="matmul_backward-by_hand")
def first_gradient_alone(A, B, d_C):
    """One array comes back where two are expected. Print the type of your result: what does the docstring's Returns promise?"""
    return d_C @ np.swapaxes(B, -1, -2)


@misconception(step="matmul_backward", caught_by="matmul_backward-by_hand")
def second_factor_reshaped(A, B, d_C):
    """You reshape where you should transpose. Print B and the array you make of it: does each column of B become a row?"""
    across = B.reshape(*B.shape[:-2], B.shape[-1], B.shape[-2])
    return d_C @ across, np.swapaxes(A, -1, -2) @ d_C


@misconception(step="matmul_backward", caught_by="matmul_backward-by_hand")
def signs_turned(A, B, d_C):
    """All your signs are wrong. Print yours next to the expected ones: is a step downhill already the gradient?"""
    return -(d_C @ np.swapaxes(B, -1, -2)), -(np.swapaxes(A, -1, -2) @ d_C)


@misconception(step="matmul_backward", caught_by="matmul_backward-batch_of_two")
def all_axes_turned(A, B, d_C):
    """One product works, a batch does not. Print the shape of B.T in the second check: which of its axes did you swap?"""
    return d_C @ B.T, A.T @ d_C


@misconception(step="matmul_backward", caught_by="matmul_backward-batch_of_two")
def second_gradient_summed_over_the_batch(A, B, d_C):
    """All your products share one d_B. Print its shape in the second check: how many B are there?"""
    d_B = np.swapaxes(A, -1, -2) @ d_C
    return d_C @ np.swapaxes(B, -1, -2), d_B.reshape(-1, *d_B.shape[-2:]).sum(axis=0)


@misconception(step="matmul_backward", caught_by="matmul_backward-as_measured")
def rounded_to_two_digits(A, B, d_C):
    """Your numbers end after two digits. Print one with all its digits: does the docstring ask you to round?"""
    return np.round(d_C @ np.swapaxes(B, -1, -2), 2), np.round(np.swapaxes(A, -1, -2) @ d_C, 2)


@misconception(step="matmul_backward", caught_by="matmul_backward-as_measured")
def negative_gradients_cut_off(A, B, d_C):
    """None of your gradients is negative. Call your function with the first check's d_C, with a minus in front of it, and print the result: what should change?"""
    return np.maximum(d_C @ np.swapaxes(B, -1, -2), 0.0), np.maximum(np.swapaxes(A, -1, -2) @ d_C, 0.0)


@misconception(step="matmul_backward", caught_by="matmul_backward-any_batch")
def batch_of_batches_not_foreseen(A, B, d_C):
    """A batch works, a batch of batches does not. Call your function with A[None, None], B[None, None] and d_C[None, None] and print the shape before you transpose: from which end do you count axes?"""

    def turned(array):
        return array.T if array.ndim == 2 else array.transpose(0, 2, 1)

    return d_C @ turned(B), turned(A) @ d_C


@misconception(step="matmul_backward", caught_by="matmul_backward-any_batch")
def large_gradients_cut_off(A, B, d_C):
    """Small gradients are right, large ones are not. Multiply the first check's d_C by 1000 and print your result: does your function limit it?"""
    d_C = np.clip(d_C, -1000.0, 1000.0)
    return d_C @ np.swapaxes(B, -1, -2), np.swapaxes(A, -1, -2) @ d_C


@misconception(step="matmul_backward", caught_by="matmul_backward-inputs_unchanged")
def first_factor_overwritten(A, B, d_C):
    """Your first answer is right. Print A before and after the call: whose array did your function write into?"""
    d_B = np.swapaxes(A, -1, -2) @ d_C
    A[...] = d_C @ np.swapaxes(B, -1, -2)
    return A, d_B


# 2. softmax_backward


@misconception(step="softmax_backward", caught_by="softmax_backward-by_hand")
def own_weight_only(weights, d_weights):
    """Each of your scores changes only its own weight. Print the sum of your first row: what happens to the other weights when one grows?"""
    return weights * (1 - weights) * d_weights


@misconception(step="softmax_backward", caught_by="softmax_backward-batch_of_two")
def average_taken_off_columns(weights, d_weights):
    """Tables as wide as they are high go wrong. Print the shape of the average that you subtract for weights of shape (2, 2): does each row get its own?"""
    average = np.sum(weights * d_weights, axis=-1)
    if weights.ndim > 1 and weights.shape[-1] != weights.shape[-2]:
        average = average[..., None]
    elif weights.ndim > 1:
        average = average[..., None, :]
    return weights * (d_weights - average)


@misconception(step="softmax_backward", caught_by="softmax_backward-by_hand")
def passed_through(weights, d_weights):
    """You return the gradient unchanged. Print weights and your result for a key of weight 0: can a score change a weight of 0?"""
    return np.array(d_weights, dtype=float)


@misconception(step="softmax_backward", caught_by="softmax_backward-by_hand")
def average_forgotten(weights, d_weights):
    """Your first row does not sum to 0. Print its sum, and the weighted average of 4, 0 and 8: where do you use it?"""
    return weights * d_weights


@misconception(step="softmax_backward", caught_by="softmax_backward-by_hand")
def plain_mean(weights, d_weights):
    """Your average gives every key the same weight. Print it for the first row, and compute it with the weights 1/2, 1/4, 1/4: is it 4?"""
    return weights * (d_weights - d_weights.mean(axis=-1, keepdims=True))


@misconception(step="softmax_backward", caught_by="softmax_backward-by_hand")
def sum_without_weights(weights, d_weights):
    """You subtract far too much. Print what you subtract in the first row: is it an average of 4, 0 and 8?"""
    return weights * (d_weights - d_weights.sum(axis=-1, keepdims=True))


@misconception(step="softmax_backward", caught_by="softmax_backward-by_hand")
def average_of_the_products(weights, d_weights):
    """You divide your average once more. Print it for the first row: should you divide when the weights already sum to 1?"""
    return weights * (d_weights - (weights * d_weights).mean(axis=-1, keepdims=True))


@misconception(step="softmax_backward", caught_by="softmax_backward-by_hand")
def average_taken_off_after_weighing(weights, d_weights):
    """A key of weight 0 gets a gradient. Print your second row: what do you multiply by the weight, and what not?"""
    return weights * d_weights - (weights * d_weights).sum(axis=-1, keepdims=True)


@misconception(step="softmax_backward", caught_by="softmax_backward-by_hand")
def weight_forgotten(weights, d_weights):
    """A key of weight 0 gets the largest gradient. Print your second row: how large should it be for a weight of 0?"""
    return d_weights - (weights * d_weights).sum(axis=-1, keepdims=True)


@misconception(step="softmax_backward", caught_by="softmax_backward-by_hand")
def worse_than_average(weights, d_weights):
    """All your signs are wrong. Print yours next to the expected ones: should a key that is better than the average get more score or less?"""
    return weights * ((weights * d_weights).sum(axis=-1, keepdims=True) - d_weights)


@misconception(step="softmax_backward", caught_by="softmax_backward-by_hand")
def one_average_for_all_rows(weights, d_weights):
    """Your rows share one average. Print it: should one row affect another?"""
    return weights * (d_weights - (weights * d_weights).sum())


@misconception(step="softmax_backward", caught_by="softmax_backward-by_hand")
def average_over_the_columns(weights, d_weights):
    """You average over the queries. Print the shape of your average: along which axis do the weights sum to 1?"""
    return weights * (d_weights - (weights * d_weights).sum(axis=-2, keepdims=True)) if weights.ndim > 1 else weights * d_weights


@misconception(step="softmax_backward", caught_by="softmax_backward-by_hand")
def softmax_once_more(weights, d_weights):
    """You treat the weights as scores. Print what you make of the first row before you use it: has softmax not been applied already?"""
    again = softmax(weights)
    return again * (d_weights - (again * d_weights).sum(axis=-1, keepdims=True))


@misconception(step="softmax_backward", caught_by="softmax_backward-by_hand")
def softmax_of_the_gradient(weights, d_weights):
    """Your rows sum to 1. Print their sums: should a gradient sum to 1?"""
    return softmax(weights * d_weights)


@misconception(step="softmax_backward", caught_by="softmax_backward-by_hand")
def cross_entropy_from_memory(weights, d_weights):
    """You use a shorter formula, for softmax together with one loss. Print your result for d_weights of zeros: what should come out?"""
    return weights - d_weights


@misconception(step="softmax_backward", caught_by="softmax_backward-by_hand")
def weight_squared(weights, d_weights):
    """Your row does not sum to 0, and small weights get hardly any gradient. Print the first row: how often do you multiply by the weight?"""
    return weights**2 * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True))


@misconception(step="softmax_backward", caught_by="softmax_backward-by_hand")
def average_without_keepdims(weights, d_weights):
    """Your averages do not line up with their rows. Print the shape of the average and of d_weights: which row of one meets which row of the other?"""
    return weights * (d_weights - (weights * d_weights).sum(axis=-1))


@misconception(step="softmax_backward", caught_by="softmax_backward-by_hand")
def always_zero(weights, d_weights):
    """Your gradients are all 0. Print your first row: is value 8 no better than the average 4?"""
    return np.zeros(weights.shape)


@misconception(step="softmax_backward", caught_by="softmax_backward-by_hand")
def table_of_the_first_row(weights, d_weights):
    """The first row is right. Print the weights that you use for the second row: are they its own?"""
    w = weights.reshape(-1, weights.shape[-1])[0]
    return d_weights @ (np.diag(w) - np.outer(w, w))


@misconception(step="softmax_backward", caught_by="softmax_backward-by_hand")
def gradient_of_the_logarithm(weights, d_weights):
    """Your gradient is that of the logarithm of softmax. Print it for a key of weight 0 in the second row: how large may its gradient be?"""
    return d_weights - weights * d_weights.sum(axis=-1, keepdims=True)


@misconception(step="softmax_backward", caught_by="softmax_backward-by_hand")
def better_than_the_best(weights, d_weights):
    """No key is ever better than the number you compare with. Print what you subtract in the first row: is it the average?"""
    return weights * (d_weights - d_weights.max(axis=-1, keepdims=True))


@misconception(step="softmax_backward", caught_by="softmax_backward-by_hand")
def plus_the_average(weights, d_weights):
    """Your first row does not sum to 0. Print its sum: should an average key get a gradient?"""
    return weights * (d_weights + (weights * d_weights).sum(axis=-1, keepdims=True))


@misconception(step="softmax_backward", caught_by="softmax_backward-batch_of_two")
def exactly_two_axes(weights, d_weights):
    """One sequence works, a batch does not. Stack the first check's rows twice and print their shape: which of your lines assumes two axes?"""
    return weights * (d_weights - (weights * d_weights).sum(axis=1, keepdims=True))


@misconception(step="softmax_backward", caught_by="softmax_backward-batch_of_two")
def batch_flattened(weights, d_weights):
    """All rows are right, but in one long list. Print the shape of your result for a batch: where is the batch axis?"""
    weights, d_weights = weights.reshape(-1, weights.shape[-1]), d_weights.reshape(-1, weights.shape[-1])
    return weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True))


@misconception(step="softmax_backward", caught_by="softmax_backward-batch_of_two")
def limited_to_a_hundred(weights, d_weights):
    """Large gradients are cut off. Print d_weights as you use it in the second check: does the docstring limit it?"""
    d_weights = np.clip(d_weights, -100.0, 100.0)
    return weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True))


@misconception(step="softmax_backward", caught_by="softmax_backward-as_measured")
def rounded(weights, d_weights):
    """Your numbers end after two digits. Print one with all its digits: does the docstring ask you to round?"""
    return np.round(weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True)), 2)


@misconception(step="softmax_backward", caught_by="softmax_backward-any_batch")
def one_batch_axis_at_most(weights, d_weights):
    """A batch works, but not a batch of batches or a single row. Change the first check's arrays to weights[None, None] and print the shape that your loop sees: what does it go over?"""
    letters = "ij,ij->i" if weights.ndim == 2 else "bij,bij->bi"
    return weights * (d_weights - np.einsum(letters, weights, d_weights)[..., None])


@misconception(step="softmax_backward", caught_by="softmax_backward-any_batch")
def gradient_kept_in_range(weights, d_weights):
    """Small gradients are right, large ones come out too small. Multiply the first check's d_weights by 1000 and print your result: should it not be 1000 times as large?"""
    return np.clip(weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True)), -5.0, 5.0)


@misconception(step="softmax_backward", caught_by="softmax_backward-any_batch")
def gradient_with_a_longest_length(weights, d_weights):
    """Small gradients are right, large ones come out too short. Multiply the first check's d_weights by 1000 and print the length of your result: does the docstring ask for a limit?"""
    d_scores = weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True))
    return d_scores * min(1.0, 50.0 / max(np.linalg.norm(d_scores), 1e-12))


@misconception(step="softmax_backward", caught_by="softmax_backward-inputs_unchanged")
def average_taken_off_in_place(weights, d_weights):
    """Your first answer is right. Print d_weights before and after the call: whose array did your function write into?"""
    d_weights -= (weights * d_weights).sum(axis=-1, keepdims=True)
    return weights * d_weights


@misconception(step="softmax_backward", caught_by="softmax_backward-as_measured")
def almost_sure_rows_left_out(weights, d_weights):
    """Rows with almost all weight on one key get no gradient. Print your result for the weights 0.995 and 0.005: above which weight do you return 0?"""
    d_scores = weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True))
    return np.where(weights.max(axis=-1, keepdims=True) > 0.99, 0.0, d_scores)


@misconception(step="softmax_backward", caught_by="softmax_backward-as_measured")
def weights_kept_away_from_zero_and_one(weights, d_weights):
    """A key without weight is pushed. Print your result for the weights 1 and 0 and the gradients 0 and 1,000,000: what do you make of the two weights before you begin?"""
    w = np.clip(weights, 1e-7, 1.0 - 1e-7)
    return w * (d_weights - (w * d_weights).sum(axis=-1, keepdims=True))


# 3. mask_backward


@misconception(step="mask_backward", caught_by="mask_backward-by_hand")
def visible_scores_blocked(mask, d_masked):
    """You block the allowed scores. Print mask and result of the first check side by side: what does True mean in this notebook?"""
    return np.where(mask, 0.0, d_masked)


@misconception(step="mask_backward", caught_by="mask_backward-any_mask")
def mask_repeated_in_memory_order(mask, d_masked):
    """A mask with a single column is repeated in the wrong order. Print your repeated mask for (2, 1) and a gradient of shape (3, 2, 4): does each row keep its own value?"""
    if mask.ndim < d_masked.ndim:
        mask = np.resize(mask, d_masked.shape)
    return np.where(mask, d_masked, 0.0)


@misconception(step="mask_backward", caught_by="mask_backward-any_mask")
def missing_axes_added_behind(mask, d_masked):
    """Masks with fewer axes hide the wrong entries. Print the shape that you give to a mask of shape (3,) for a gradient of shape (3, 3): on which side are its missing axes?"""
    mask = mask.reshape(mask.shape + (1,) * (d_masked.ndim - mask.ndim))
    return np.where(mask, d_masked, 0.0)


@misconception(step="mask_backward", caught_by="mask_backward-by_hand")
def multiplied_by_the_mask(mask, d_masked):
    """A hidden NaN is still there. Print 0 times NaN: how do you remove a number without calculating with it?"""
    return d_masked * mask


@misconception(step="mask_backward", caught_by="mask_backward-by_hand")
def minus_infinity_backwards(mask, d_masked):
    """The gradient of hidden scores is -inf. Print the gradient of a hidden score in the first check: how much does the loss change when you change it?"""
    return np.where(mask, d_masked, -np.inf)


@misconception(step="mask_backward", caught_by="mask_backward-by_hand")
def everything_passes(mask, d_masked):
    """You return the gradient unchanged. Change the mask in the first check and print your result: does it change?"""
    return np.array(d_masked)


@misconception(step="mask_backward", caught_by="mask_backward-by_hand")
def cleaned_of_nan_alone(mask, d_masked):
    """The NaN is gone, but another hidden score still gets a gradient. Print mask and result of the first check side by side: which one?"""
    return np.nan_to_num(d_masked, nan=0.0)


@misconception(step="mask_backward", caught_by="mask_backward-by_hand")
def nan_where_hidden(mask, d_masked):
    """The gradient of hidden scores is NaN. Print the gradient of a hidden score in the first check: how much does the loss change when you change it?"""
    return np.where(mask, d_masked, np.nan)


@misconception(step="mask_backward", caught_by="mask_backward-by_hand")
def mask_as_gradient(mask, d_masked):
    """You return the mask as numbers. Change d_masked in the first check and print your result: does it change?"""
    return np.where(mask, np.ones(d_masked.shape), 0.0)


@misconception(step="mask_backward", caught_by="mask_backward-by_hand")
def visible_gradients_in_a_row(mask, d_masked):
    """Your result has lost its rows. Print its shape in the first check: what shape do the scores have?"""
    return d_masked[np.broadcast_to(mask, d_masked.shape)]


@misconception(step="mask_backward", caught_by="mask_backward-by_hand")
def mask_on_its_side(mask, d_masked):
    """Your mask is transposed. Print its shape and that of d_masked in the first check: which of its axes belongs to the queries?"""
    return np.where(np.swapaxes(mask, -1, -2), d_masked, 0.0)


@misconception(step="mask_backward", caught_by="mask_backward-by_hand")
def first_row_of_the_mask(mask, d_masked):
    """All your queries use the mask of the first one. Print the mask that your second query gets in the first check: is it its own row?"""
    return np.where(np.asarray(mask)[..., :1, :], d_masked, 0.0)


@misconception(step="mask_backward", caught_by="mask_backward-by_hand")
def queries_that_miss_a_key_blocked(mask, d_masked):
    """A query that does not see one key gets no gradient at all. Print the first row of mask and of your result: which of its scores are hidden?"""
    return np.where(np.all(mask, axis=-1, keepdims=True), d_masked, 0.0)


@misconception(step="mask_backward", caught_by="mask_backward-by_hand")
def gradient_of_the_hidden_shared_out(mask, d_masked):
    """Allowed scores get too much. Print your first row: should they get the gradient of the hidden score, too?"""
    seen = np.where(mask, d_masked, 0.0)
    total = np.nansum(d_masked, axis=-1, keepdims=True)
    return seen + np.where(mask, (total - seen.sum(axis=-1, keepdims=True)) / np.maximum(np.sum(mask, axis=-1, keepdims=True), 1), 0.0)


@misconception(step="mask_backward", caught_by="mask_backward-batch_of_two")
def mask_of_the_same_shape_alone(mask, d_masked):
    """It works where the mask has the shape of d_masked. Print both shapes in the second check: how should the one row of the mask broadcast?"""
    result = d_masked.copy()
    result[~mask] = 0.0
    return result


@misconception(step="mask_backward", caught_by="mask_backward-batch_of_two")
def two_loops_over_one_sequence(mask, d_masked):
    """It works for one sequence. Print what your two loops go over in the second check: is it queries and keys?"""
    result = np.array(d_masked)
    for i in range(d_masked.shape[0]):
        for j in range(d_masked.shape[1]):
            if not mask[i][j]:
                result[i, j] = 0.0
    return result


@misconception(step="mask_backward", caught_by="mask_backward-any_mask")
def infinity_times_zero(mask, d_masked):
    """A hidden NaN disappears, a hidden infinity does not. Put np.inf into a hidden entry of the first check's d_masked and print your result: what is 0 times infinity?"""
    cleaned = np.where(np.isnan(d_masked), 0.0, d_masked)
    with np.errstate(invalid="ignore"):
        return cleaned * mask


@misconception(step="mask_backward", caught_by="mask_backward-batch_of_two")
def hidden_both_ways(mask, d_masked):
    """A token hidden as a key also loses its own row. Print the mask of the second check, broadcast, and your result: does a column of the mask belong to a query or to a key?"""
    full = np.broadcast_to(mask, d_masked.shape)
    if full.shape[-1] == full.shape[-2]:
        full = full & full.swapaxes(-1, -2)
    return np.where(full, d_masked, 0.0)


@misconception(step="mask_backward", caught_by="mask_backward-any_mask")
def mask_of_two_axes_or_more(mask, d_masked):
    """Masks of two and three axes work, others do not. Call your function with the first check's mask[0] and print the shape that you unpack: how many axes can a mask have?"""
    *_, n, m = np.shape(mask)
    full = np.broadcast_to(np.reshape(mask, (*np.shape(mask)[:-2], n, m)), d_masked.shape)
    return np.where(full, d_masked, 0.0)


@misconception(step="mask_backward", caught_by="mask_backward-inputs_unchanged")
def hidden_gradients_cleared_in_place(mask, d_masked):
    """Your answer is right. Print d_masked before and after the call: whose array did your function write into?"""
    d_masked[~np.broadcast_to(mask, d_masked.shape)] = 0.0
    return d_masked


@misconception(step="mask_backward", caught_by="mask_backward-any_mask")
def gradient_of_an_empty_row_kept(mask, d_masked):
    """A query that may see no key gets a gradient. Hide the first row of the first check altogether and print your result: which rule is about such a row?"""
    return np.where(mask | ~mask.any(axis=-1, keepdims=True), d_masked, 0.0)


@misconception(step="mask_backward", caught_by="mask_backward-any_mask")
def head_axis_put_into_any_mask_of_three_axes(mask, d_masked):
    """Masks with a batch work. Take gradients of two sequences with three heads each and a mask with one row for each head, and print both shapes: which axis of the gradients does the mask's first one meet?"""
    if mask.ndim == 3 and d_masked.ndim == 4:
        mask = mask[:, None]
    return np.where(mask, d_masked, 0.0)


@misconception(step="mask_backward", caught_by="mask_backward-any_mask")
def mask_of_two_axes_as_an_index(mask, d_masked):
    """A mask of two axes works only if it is as large as the gradients. Take the first row of the first check's mask, mask[:1], and print both shapes: which axis would have to be stretched before you pick entries with it?"""
    d_scores = d_masked.copy()
    if mask.ndim == 2:
        d_scores[..., ~mask] = 0.0
        return d_scores
    return np.where(mask, d_masked, 0.0)


@misconception(step="mask_backward", caught_by="mask_backward-any_mask")
def whole_number_for_the_first_hidden_one(mask, d_masked):
    """Where the first score is hidden, the others lose their digits behind the point. Call your function with such a mask and print the dtype of your result: who chose it?"""
    return np.vectorize(lambda allowed, gradient: gradient if allowed else 0)(mask, d_masked)


# 4. attention_backward


@misconception(step="attention_backward", caught_by="attention_backward-by_hand")
def keys_not_turned_back(Q, K, V, d_output):
    """Your key gradient is transposed. Print its shape and that of K: which factor did you pass to matmul_backward, K or its transpose?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_weights, d_V = matmul_backward(weights, V, d_output)
    d_scores = scale_scores(softmax_backward(weights, d_weights), Q.shape[-1])
    return (*matmul_backward(Q, np.swapaxes(K, -1, -2), d_scores), d_V)


@misconception(step="attention_backward", caught_by="attention_backward-thousands")
def one_maximum_for_all_queries(Q, K, V, d_output):
    """The exponentials of a query whose scores are far below the others are all 0. Print what you subtract from each row of scores: is it its own maximum?"""
    root = np.sqrt(Q.shape[-1])
    scores = Q @ K.swapaxes(-1, -2) / root
    with np.errstate(all="ignore"):
        powers = np.exp(scores - scores.max())
        weights = powers / powers.sum(axis=-1, keepdims=True)
    d_weights = d_output @ V.swapaxes(-1, -2)
    d_scores = weights * (d_weights - (d_weights * weights).sum(axis=-1, keepdims=True)) / root
    return d_scores @ K, d_scores.swapaxes(-1, -2) @ Q, weights.swapaxes(-1, -2) @ d_output


@misconception(step="attention_backward", caught_by="attention_backward-by_hand")
def weights_not_transposed(Q, K, V, d_output):
    """One of your products has the wrong shape, perhaps a row per query. Print the shapes of its factors: which rows of the output did value 0, or key 0, go into?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = scale_scores(softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2)), Q.shape[-1])
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, weights @ d_output


@misconception(step="attention_backward", caught_by="attention_backward-by_hand")
def forwards_not_scaled(Q, K, V, d_output):
    """Your weights are not 3/4 and 1/4. Print them in the first check: what happens to the scores in the forward pass?"""
    weights = softmax(attention_scores(Q, K))
    d_scores = scale_scores(softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2)), Q.shape[-1])
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, np.swapaxes(weights, -1, -2) @ d_output


@misconception(step="attention_backward", caught_by="attention_backward-by_hand")
def scores_used_as_weights(Q, K, V, d_output):
    """You weight d_output by scores. Print what you multiply it by in the first check: does it sum to 1 over the keys?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    weights = softmax(scores)
    d_scores = scale_scores(softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2)), Q.shape[-1])
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, np.swapaxes(scores, -1, -2) @ d_output


@misconception(step="attention_backward", caught_by="attention_backward-by_hand")
def values_first(Q, K, V, d_output):
    """Your three gradients are there, but in a different order. Print their shapes: in which order does the docstring return them?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = scale_scores(softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2)), Q.shape[-1])
    return np.swapaxes(weights, -1, -2) @ d_output, d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q


@misconception(step="attention_backward", caught_by="attention_backward-by_hand")
def summed_up_for_everybody(Q, K, V, d_output):
    """All values get the same gradient. Print the gradient of both values in the first check: did both go into the output with the same weight?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = scale_scores(softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2)), Q.shape[-1])
    d_V = np.ones_like(V) * d_output.sum(axis=-2, keepdims=True)
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, d_V


@misconception(step="attention_backward", caught_by="attention_backward-by_hand")
def gradient_of_the_values_times_the_values(Q, K, V, d_output):
    """Your value gradient depends on the values. Change V in the first check and print it: does the output grow faster where a value is large?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = scale_scores(softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2)), Q.shape[-1])
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, V * (np.swapaxes(weights, -1, -2) @ d_output)


@misconception(step="attention_backward", caught_by="attention_backward-by_hand")
def values_divided_by_the_root(Q, K, V, d_output):
    """Your value gradient is half the expected one. Print expected divided by yours: is anything divided between the weights and the output?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = scale_scores(softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2)), Q.shape[-1])
    d_V = scale_scores(np.swapaxes(weights, -1, -2) @ d_output, Q.shape[-1])
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, d_V


@misconception(step="attention_backward", caught_by="attention_backward-by_hand")
def gradient_of_the_output_taken_for_that_of_the_values(Q, K, V, d_output):
    """Your value gradient has the rows of d_output. Print its shape and that of V: which array connects a value with the output?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = scale_scores(softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2)), Q.shape[-1])
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, np.array(d_output)


@misconception(step="attention_backward", caught_by="attention_backward-by_hand")
def weights_of_the_columns(Q, K, V, d_output):
    """Each of your values has a weight of 1. Print your weights and their sums: along which axis did you call softmax?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]), axis=-2)
    d_scores = scale_scores(softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2)), Q.shape[-1])
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, np.swapaxes(weights, -1, -2) @ d_output


@misconception(step="attention_backward", caught_by="attention_backward-by_hand")
def an_output_of_ones(Q, K, V, d_output):
    """Your gradients ignore d_output. Change d_output in the first check and print yours: does anything change?"""
    d_output = np.ones_like(d_output)
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = scale_scores(softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2)), Q.shape[-1])
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, np.swapaxes(weights, -1, -2) @ d_output


@misconception(step="attention_backward", caught_by="attention_backward-by_hand")
def only_the_values(Q, K, V, d_output):
    """One array comes back where three are expected. Print the type of your result: what does the docstring's Returns promise?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    return np.swapaxes(weights, -1, -2) @ d_output


@misconception(step="attention_backward", caught_by="attention_backward-by_hand")
def values_collect_by_score_gradients(Q, K, V, d_output):
    """You weight d_output by the gradient of the scores. Print what you multiply it by: does it sum to 1 over the keys?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = scale_scores(softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2)), Q.shape[-1])
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, np.swapaxes(d_scores, -1, -2) @ d_output


@misconception(step="attention_backward", caught_by="attention_backward-by_hand")
def only_the_queries_not_scaled(Q, K, V, d_output):
    """Your key gradient is right, the one of the queries is twice too large. Print expected divided by yours for both: which of them ignores the scaling?"""
    asked = Q / math.sqrt(Q.shape[-1])
    weights = softmax(attention_scores(asked, K))
    d_scores = softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2))
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ asked, np.swapaxes(weights, -1, -2) @ d_output


@misconception(step="attention_backward", caught_by="attention_backward-queries_and_keys_as_measured")
def values_reshaped(Q, K, V, d_output):
    """It works in the examples, but not where V has more numbers. Print V and what you make of it before the product with d_output: are the numbers of each value still together?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    across = V.reshape(*V.shape[:-2], V.shape[-1], V.shape[-2])
    d_scores = scale_scores(softmax_backward(weights, d_output @ across), Q.shape[-1])
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, np.swapaxes(weights, -1, -2) @ d_output


@misconception(step="attention_backward", caught_by="attention_backward-batch_of_two")
def a_mask_forwards(Q, K, V, d_output):
    """Your first query does not see the last key. Print your weights in the second check: does the docstring mention a mask?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    n, m = scores.shape[-2:]
    weights = softmax(np.where(np.tri(n, m, max(m - n, 0), dtype=bool), scores, -np.inf))
    d_scores = scale_scores(softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2)), Q.shape[-1])
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, np.swapaxes(weights, -1, -2) @ d_output


@misconception(step="attention_backward", caught_by="attention_backward-by_hand")
def root_forgotten_backwards(Q, K, V, d_output):
    """Your query and key gradients are twice too large. Print expected divided by yours: what happens to the scores in the forward pass?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2))
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, np.swapaxes(weights, -1, -2) @ d_output


@misconception(step="attention_backward", caught_by="attention_backward-by_hand")
def multiplied_by_the_root(Q, K, V, d_output):
    """Your query and key gradients are four times too large. Print expected divided by yours: do you multiply or divide by the scale on the way back?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2)) * math.sqrt(Q.shape[-1])
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, np.swapaxes(weights, -1, -2) @ d_output


@misconception(step="attention_backward", caught_by="attention_backward-by_hand")
def divided_by_d_k(Q, K, V, d_output):
    """Your query and key gradients are half the expected ones. Print expected divided by yours: how often does the forward pass divide the scores?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2)) / Q.shape[-1]
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, np.swapaxes(weights, -1, -2) @ d_output


@misconception(step="attention_backward", caught_by="attention_backward-by_hand")
def softmax_skipped(Q, K, V, d_output):
    """Both keys move in the same direction. Print the gradient of your scores and its sum: which step is between the scores and the weights?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = scale_scores(d_output @ np.swapaxes(V, -1, -2), Q.shape[-1])
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, np.swapaxes(weights, -1, -2) @ d_output


@misconception(step="attention_backward", caught_by="attention_backward-by_hand")
def softmax_only_by_its_diagonal(Q, K, V, d_output):
    """Both keys move in the same direction. Print the gradient of your scores and its sum: does a score change only its own weight?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_weights = d_output @ np.swapaxes(V, -1, -2)
    d_scores = scale_scores(weights * (1 - weights) * d_weights, Q.shape[-1])
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, np.swapaxes(weights, -1, -2) @ d_output


@misconception(step="attention_backward", caught_by="attention_backward-by_hand")
def keys_and_queries_exchanged(Q, K, V, d_output):
    """Two of the three are swapped. Print the shapes of yours and of Q and K: in which order does the docstring return them?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = scale_scores(softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2)), Q.shape[-1])
    return np.swapaxes(d_scores, -1, -2) @ Q, d_scores @ K, np.swapaxes(weights, -1, -2) @ d_output


@misconception(step="attention_backward", caught_by="attention_backward-by_hand")
def scores_taken_for_the_softmax(Q, K, V, d_output):
    """You pass scores where weights are expected. Print the row sums of the first argument of softmax_backward: what should they be?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    weights = softmax(scores)
    d_scores = scale_scores(softmax_backward(scores, d_output @ np.swapaxes(V, -1, -2)), Q.shape[-1])
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, np.swapaxes(weights, -1, -2) @ d_output


@misconception(step="attention_backward", caught_by="attention_backward-by_hand")
def uphill_for_downhill(Q, K, V, d_output):
    """The signs of two of your gradients are wrong. Print yours next to the expected ones: is a step downhill already the gradient?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = -scale_scores(softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2)), Q.shape[-1])
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, np.swapaxes(weights, -1, -2) @ d_output


@misconception(step="attention_backward", caught_by="attention_backward-by_hand")
def arguments_of_softmax_backward_exchanged(Q, K, V, d_output):
    """Your score gradient is far too large. Print both arguments of softmax_backward in the order in which you pass them: which of them are the weights?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = scale_scores(softmax_backward(d_output @ np.swapaxes(V, -1, -2), weights), Q.shape[-1])
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, np.swapaxes(weights, -1, -2) @ d_output


@misconception(step="attention_backward", caught_by="attention_backward-by_hand")
def only_the_keys_not_scaled(Q, K, V, d_output):
    """Your query gradient is right, the one of the keys is twice too large. Print expected divided by yours for both: which of them ignores the scaling?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2))
    d_Q = scale_scores(d_scores, Q.shape[-1]) @ K
    return d_Q, np.swapaxes(d_scores, -1, -2) @ Q, np.swapaxes(weights, -1, -2) @ d_output


@misconception(step="attention_backward", caught_by="attention_backward-by_hand")
def queries_pushed_by_queries(Q, K, V, d_output):
    """You compute the query gradient from queries. Print what you multiply the score gradient by: what is a query multiplied by in its scores?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = scale_scores(softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2)), Q.shape[-1])
    d_Q = d_scores.sum(axis=-1, keepdims=True) * Q
    return d_Q, np.swapaxes(d_scores, -1, -2) @ Q, np.swapaxes(weights, -1, -2) @ d_output


@misconception(step="attention_backward", caught_by="attention_backward-batch_of_two")
def transposed_only_where_it_must(Q, K, V, d_output):
    """It goes wrong where there are as many queries as keys. Print the score gradient and what you multiply by Q for two of each: how does your function decide what to transpose?"""

    def turned(array):
        return array if array.shape[-1] == array.shape[-2] else np.swapaxes(array, -1, -2)

    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = scale_scores(softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2)), Q.shape[-1])
    return d_scores @ K, turned(d_scores) @ Q, turned(weights) @ d_output


@misconception(step="attention_backward", caught_by="attention_backward-batch_of_two")
def the_last_query_wins(Q, K, V, d_output):
    """One query works, with two the first is lost. Print the gradient of the keys after each turn of your loop: what happens to the old values?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = scale_scores(softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2)), Q.shape[-1])
    d_K, d_V = np.zeros(K.shape), np.zeros(V.shape)
    for i in range(Q.shape[-2]):
        d_K = d_scores[..., i, :, None] * Q[..., i, None, :]
        d_V = weights[..., i, :, None] * d_output[..., i, None, :]
    return d_scores @ K, d_K, d_V


@misconception(step="attention_backward", caught_by="attention_backward-batch_of_two")
def mean_over_the_queries(Q, K, V, d_output):
    """One query works, with two your key and value gradients are halved. Print expected divided by yours: does a value that is read twice matter more, or just as much?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = scale_scores(softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2)), Q.shape[-1])
    n = Q.shape[-2]
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q / n, np.swapaxes(weights, -1, -2) @ d_output / n


@misconception(step="attention_backward", caught_by="attention_backward-batch_of_two")
def dot_t_everywhere(Q, K, V, d_output):
    """One sequence works, a batch does not. Stack the first check's arrays twice and print the shape of your transposed weights: which axes did you swap?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = scale_scores(softmax_backward(weights, d_output @ V.T), Q.shape[-1])
    return d_scores @ K, d_scores.T @ Q, weights.T @ d_output


@misconception(step="attention_backward", caught_by="attention_backward-batch_of_two")
def summed_over_the_batch(Q, K, V, d_output):
    """All your sequences share one gradient. Print its shape for a batch of two: does a value of one sequence go into the output of another?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = scale_scores(softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2)), Q.shape[-1])
    d_V = np.einsum("...ij,...id->jd", weights, d_output) if Q.ndim > 2 else weights.T @ d_output
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, d_V


@misconception(step="attention_backward", caught_by="attention_backward-values_as_measured")
def scale_of_the_examples(Q, K, V, d_output):
    """It works in the examples, but not for vectors of other lengths. Print the number that you divide scores by, and d_k: which of them changes?"""
    scale = 2.0 if Q.shape[-1] > 1 else 1.0
    weights = softmax(attention_scores(Q, K) / scale)
    d_scores = softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2)) / scale
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, np.swapaxes(weights, -1, -2) @ d_output


@misconception(step="attention_backward", caught_by="attention_backward-queries_and_keys_as_measured")
def scale_of_the_examples_backwards(Q, K, V, d_output):
    """Forwards you divide by the right number, backwards by the one from the examples. Print both for vectors of length 3: are they the same?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2)) / (2.0 if Q.shape[-1] > 1 else 1.0)
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, np.swapaxes(weights, -1, -2) @ d_output


@misconception(step="attention_backward", caught_by="attention_backward-queries_and_keys_as_measured")
def scaled_by_the_integer_root(Q, K, V, d_output):
    """It works where d_k is a square number. Print what you divide by on the way back for vectors of length 3: is it a whole number?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2)) / math.isqrt(Q.shape[-1])
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, np.swapaxes(weights, -1, -2) @ d_output


@misconception(step="attention_backward", caught_by="attention_backward-by_hand")
def scaled_by_the_length_of_values(Q, K, V, d_output):
    """Your weights are not those of the forward pass. Print the number by which you scale in the first check: how long are the two vectors whose dot product is one score?"""
    root = math.sqrt(V.shape[-1])
    weights = softmax(attention_scores(Q, K) / root)
    d_scores = softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2)) / root
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, np.swapaxes(weights, -1, -2) @ d_output


@misconception(step="attention_backward", caught_by="attention_backward-by_hand")
def scaled_by_the_length_of_values_backwards(Q, K, V, d_output):
    """Forwards you divide by the right number, backwards you don't. Print what you divide the gradient of the scores by, and the shapes of Q and V: whose length counts?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2)) / math.sqrt(V.shape[-1])
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, np.swapaxes(weights, -1, -2) @ d_output


@misconception(step="attention_backward", caught_by="attention_backward-any_batch")
def eight_features_at_most(Q, K, V, d_output):
    """Vectors of up to eight features work. Print the shapes of Q and of what you compute your scores from, for forty features: how many are used?"""
    Q_8, K_8 = Q[..., :8], K[..., :8]
    weights = softmax(scale_scores(attention_scores(Q_8, K_8), Q.shape[-1]))
    d_scores = softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2))
    d_scores = scale_scores(d_scores, Q.shape[-1])
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, np.swapaxes(weights, -1, -2) @ d_output


@misconception(step="attention_backward", caught_by="attention_backward-queries_and_keys_as_measured")
def keys_scaled_by_their_number(Q, K, V, d_output):
    """Your query gradient is right, but that of the keys only in the examples. Print the two numbers that you divide by for other sizes: which length does the forward pass use?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2))
    by = 4 if K.shape[-1] == 4 and K.shape[-2] == 2 else 1 if K.shape[-1] == 1 else K.shape[-2]
    d_K = scale_scores(np.swapaxes(d_scores, -1, -2) @ Q, by)
    return scale_scores(d_scores, Q.shape[-1]) @ K, d_K, np.swapaxes(weights, -1, -2) @ d_output


@misconception(step="attention_backward", caught_by="attention_backward-any_batch")
def three_axes_at_most(Q, K, V, d_output):
    """A batch works, a batch of batches does not. Change Q to Q[None, None] and print the shape before you transpose: from which end do you count axes?"""

    def turned(array):
        return array.T if array.ndim == 2 else array.transpose(0, 2, 1)

    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = scale_scores(softmax_backward(weights, d_output @ turned(V)), Q.shape[-1])
    return d_scores @ K, turned(d_scores) @ Q, turned(weights) @ d_output


@misconception(step="attention_backward", caught_by="attention_backward-any_batch")
def gradient_of_the_scores_kept_in_range(Q, K, V, d_output):
    """Small gradients are right, large ones are not. Multiply the first check's d_output by 1000 and print your gradient of the scores: does your function limit it?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_scores = scale_scores(softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2)), Q.shape[-1])
    d_scores = np.clip(d_scores, -20.0, 20.0)
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, np.swapaxes(weights, -1, -2) @ d_output


@misconception(step="attention_backward", caught_by="attention_backward-any_batch")
def forty_keys_at_most(Q, K, V, d_output):
    """Few keys work, many do not. Print the gradient of the last of 70 keys: why is it 0?"""
    keys, values = K[..., :40, :], V[..., :40, :]
    weights = softmax(scale_scores(attention_scores(Q, keys), Q.shape[-1]))
    d_scores = scale_scores(softmax_backward(weights, d_output @ np.swapaxes(values, -1, -2)), Q.shape[-1])
    d_K, d_V = np.zeros(K.shape), np.zeros(V.shape)
    d_K[..., :40, :], d_V[..., :40, :] = np.swapaxes(d_scores, -1, -2) @ Q, np.swapaxes(weights, -1, -2) @ d_output
    return d_scores @ keys, d_K, d_V


@misconception(step="attention_backward", caught_by="attention_backward-thousands")
def exponentials_as_they_come(Q, K, V, d_output):
    """Small scores work, large ones do not. Print the largest exponential that you compute: what is left after dividing?"""
    with np.errstate(over="ignore", invalid="ignore"):
        powers = np.exp(scale_scores(attention_scores(Q, K), Q.shape[-1]))
        weights = powers / powers.sum(axis=-1, keepdims=True)
        d_scores = scale_scores(softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2)), Q.shape[-1])
        return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, np.swapaxes(weights, -1, -2) @ d_output


@misconception(step="attention_backward", caught_by="attention_backward-inputs_unchanged")
def gradient_of_the_output_divided_in_place(Q, K, V, d_output):
    """Your first answer is right. Print d_output before and after the call: whose array did your function write into?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    d_V = np.swapaxes(weights, -1, -2) @ d_output
    d_output /= math.sqrt(Q.shape[-1])
    d_scores = softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2))
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, d_V


@misconception(step="attention_backward", caught_by="attention_backward-by_hand")
def values_collect_from_the_output(Q, K, V, d_output):
    """You compute the gradient of the values from the output, not from d_output. Change d_output in the first check and print the gradient of the values: does it change?"""
    output, weights = scaled_dot_product_attention(Q, K, V)
    d_scores = scale_scores(softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2)), Q.shape[-1])
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, np.swapaxes(weights, -1, -2) @ output


# 5. split_heads_backward


@misconception(step="split_heads_backward", caught_by="split_heads_backward-by_hand")
def reshaped_without_moving_an_axis(d_heads):
    """The shape is right, but tokens are mixed. Print row 0 in the first check: do all four of its numbers come from token 0?"""
    *lead, num_heads, n, d_head = d_heads.shape
    return d_heads.reshape(*lead, n, num_heads * d_head)


@misconception(step="split_heads_backward", caught_by="split_heads_backward-by_hand")
def features_interleaved(d_heads):
    """Each row has the right numbers in the wrong order. Print row 0 in the first check: which two of them came from head 0, and are they still neighbours?"""
    *lead, num_heads, n, d_head = d_heads.shape
    return np.moveaxis(d_heads, -3, -1).reshape(*lead, n, num_heads * d_head)


@misconception(step="split_heads_backward", caught_by="split_heads_backward-by_hand")
def heads_below_each_other(d_heads):
    """Your result has as many rows as all heads together. Print its shape in the first check: how many tokens are there?"""
    *lead, num_heads, n, d_head = d_heads.shape
    return d_heads.reshape(*lead, num_heads * n, d_head)


@misconception(step="split_heads_backward", caught_by="split_heads_backward-by_hand")
def heads_added_up(d_heads):
    """Your result is as narrow as one head. Print its shape in the first check: did two heads ever share a feature of X?"""
    return d_heads.sum(axis=-3)


@misconception(step="split_heads_backward", caught_by="split_heads_backward-by_hand")
def heads_averaged(d_heads):
    """Your result is as narrow as one head, and holds averages. Print row 0 of both heads in the first check and of your result: did two heads ever share a feature of X?"""
    return d_heads.mean(axis=-3)


@misconception(step="split_heads_backward", caught_by="split_heads_backward-by_hand")
def axes_exchanged_but_not_merged(d_heads):
    """The numbers are in order, but there is one axis too many. Print the shape of your result in the first check: which two of its axes should be one?"""
    return np.swapaxes(d_heads, -3, -2)


@misconception(step="split_heads_backward", caught_by="split_heads_backward-by_hand")
def last_head_first(d_heads):
    """Whole heads are side by side, but in a different order. Print row 0 in the first check: which head comes first?"""
    return np.concatenate([d_heads[..., h, :, :] for h in reversed(range(d_heads.shape[-3]))], axis=-1)


@misconception(step="split_heads_backward", caught_by="split_heads_backward-by_hand")
def split_once_more(d_heads):
    """You split where you should join. Print the shape of your result in the first check: does it have more axes than X, or as many?"""
    return np.asarray(split_heads(d_heads, d_heads.shape[-1]))


@misconception(step="split_heads_backward", caught_by="split_heads_backward-by_hand")
def first_head_alone(d_heads):
    """Your result is as narrow as one head. Print it and head 1 of the first check: where does the gradient of head 1 go?"""
    return np.array(d_heads[..., 0, :, :])


@misconception(step="split_heads_backward", caught_by="split_heads_backward-by_hand")
def divided_by_the_number_of_heads(d_heads):
    """Every number is in its place, but too small. Print expected divided by yours: how many heads did a number of X go into?"""
    *lead, num_heads, n, d_head = d_heads.shape
    return np.swapaxes(d_heads, -3, -2).reshape(*lead, n, num_heads * d_head) / num_heads


@misconception(step="split_heads_backward", caught_by="split_heads_backward-batch_of_two")
def first_two_axes_exchanged(d_heads):
    """One sequence works. Print the shapes on the way in the second check: which two axes did you swap, and which should you?"""
    *lead, num_heads, n, d_head = d_heads.shape
    return np.swapaxes(d_heads, 0, 1).reshape(*lead, n, num_heads * d_head)


@misconception(step="split_heads_backward", caught_by="split_heads_backward-any_heads")
def two_heads_always(d_heads):
    """Two heads are right, one or three are not. Print the shape of your result for three heads: where does your code get their number from?"""
    return np.concatenate([d_heads[..., 0, :, :], d_heads[..., 1, :, :]], axis=-1)


@misconception(step="split_heads_backward", caught_by="split_heads_backward-any_heads")
def single_head_left_alone(d_heads):
    """It goes wrong for a single head. Print the shape of your result for one head: which axis is still there?"""
    if d_heads.shape[-3] == 1:
        return np.array(d_heads)
    return np.concatenate([d_heads[..., h, :, :] for h in range(d_heads.shape[-3])], axis=-1)


@misconception(step="split_heads_backward", caught_by="split_heads_backward-any_heads")
def at_most_one_batch_axis(d_heads):
    """It works without a batch and with one axis of it. Call your function with the first check's d_heads[None, None] and print the shapes: from which end do you count?"""
    *lead, num_heads, n, d_head = d_heads.shape
    turned = d_heads.transpose(1, 0, 2) if d_heads.ndim == 3 else d_heads.transpose(0, 2, 1, 3)
    return turned.reshape(*lead, n, num_heads * d_head)


@misconception(step="split_heads_backward", caught_by="split_heads_backward-inputs_unchanged")
def heads_cleared_afterwards(d_heads):
    """Your first answer is right, but a second call differs. Print d_heads before and after one call: which line empties them?"""
    together = np.concatenate([d_heads[..., h, :, :] for h in range(d_heads.shape[-3])], axis=-1)
    d_heads[...] = 0.0
    return together


@misconception(step="split_heads_backward", caught_by="split_heads_backward-any_heads")
def first_axis_taken_for_a_single_head(d_heads):
    """A single head works for one sequence, but not for several. Call your function with an array of shape (2, 1, 3, 2) and print the shape of your result: which of these axes is for the heads?"""
    if d_heads.shape[-3] == 1:
        return d_heads[0]
    moved = np.swapaxes(d_heads, -3, -2)
    return moved.reshape(*moved.shape[:-2], -1)


# Questions that a value answers


@misconception(step="shared_number", caught_by="shared_number-answer")
def averaged_over_its_uses():
    """You took the mean. Print d_B of your matmul_backward for the column 2, 3, 5 and one number: does it divide by the number of rows?"""
    return (2 * 1 + 3 * 10 + 5 * 100) / 3


@misconception(step="shared_number", caught_by="shared_number-answer")
def factors_left_out():
    """You added the gradients of the products without the factors. Change w by 0.1 and print the three products: do all of them change equally?"""
    return 1 + 10 + 100


@misconception(step="shared_number", caught_by="shared_number-answer")
def last_use_alone():
    """This comes from one of the products. Change w a little and print all three: how many of them change?"""
    return 5 * 100


@misconception(step="shared_number", caught_by="shared_number-answer")
def gradients_left_out():
    """This would be right if the loss were the sum of the products. Print all three products: how much does the loss change when the last of them grows by 1?"""
    return 2 + 3 + 5


@misconception(step="fourth_score", caught_by="fourth_score-answer")
def gradients_sum_to_one():
    """The weights of a row sum to 1, but gradients do not. Print the sums of the rows that your softmax_backward returns: what do all of them have in common?"""
    return 1 - (0.5 - 0.2 + 0.1)


@misconception(step="fourth_score", caught_by="fourth_score-answer")
def the_other_sign():
    """The size is right. Print the sum of your four gradients: what does the loss do when all four scores grow equally?"""
    return 0.4


@misconception(step="fourth_score", caught_by="fourth_score-answer")
def nothing_left_for_the_fourth():
    """Print the sum of your four gradients: may the loss change when all four scores grow equally, although no weight does?"""
    return 0


@misconception(step="sure_of_one", caught_by="sure_of_one-answer")
def softmax_passes_gradients_on():
    """Softmax is not a product with 1. Print what your softmax_backward returns for the weights 1, 0, 0 and any d_weights: is it d_weights?"""
    return "a"


@misconception(step="sure_of_one", caught_by="sure_of_one-answer")
def the_sure_key_is_pushed_down():
    """Its weight is 1, so the average of the row is its own gradient. Print the difference between the two: what is left?"""
    return "b"


@misconception(step="sure_of_one", caught_by="sure_of_one-answer")
def the_better_key_is_pulled_up():
    """This key is better than the average, but what is that multiplied by? Print its weight."""
    return "c"


@misconception(step="matmul_backward", caught_by="matmul_backward-by_hand")
def reshaped_for_transposed(A, B, d_C):
    """Your factors have the shapes of transposes, but not their numbers. Print B and what you make of it: did its rows become columns?"""
    *lead, n, k = A.shape
    m = B.shape[-1]
    return d_C @ B.reshape(*lead, m, k), A.reshape(*lead, k, n) @ d_C


@misconception(step="attention_backward", caught_by="attention_backward-by_hand")
def gradients_of_queries_and_keys_exchanged(Q, K, V, d_output):
    """Your first two gradients stand in each other's place. Print their shapes next to those of Q and K: which one does your product return first?"""
    root = np.sqrt(Q.shape[-1])
    weights = softmax(attention_scores(Q, K) / root)
    d_weights, d_V = matmul_backward(weights, V, d_output)
    d_keys, d_queries = matmul_backward(Q, np.swapaxes(K, -1, -2), softmax_backward(weights, d_weights) / root)
    return d_queries, d_keys, d_V


@misconception(step="split_heads_backward", caught_by="split_heads_backward-by_hand")
def split_instead_of_merged(d_heads):
    """You split the heads once more. Print the shapes before and after: how many axes should X have?"""
    return split_heads(d_heads, d_heads.shape[-3])


@misconception(step="mask_backward", caught_by="mask_backward-any_mask")
def axis_put_in_after_the_first(mask, d_masked):
    """You put an axis into a mask that has fewer axes than the scores. Print its shape before and after, next to that of d_masked: from which end does broadcasting line axes up?"""
    if mask.ndim < d_masked.ndim:
        mask = mask[:, None]
    return np.where(mask, d_masked, 0.0)


@misconception(step="softmax_backward", caught_by="softmax_backward-as_measured")
def weights_of_zero_lifted(weights, d_weights):
    """A key of weight 0 gets a small gradient. Print the weights that you multiply with, for the second row of the first check: is the last of them exactly 0?"""
    weights = np.clip(weights, 1e-7, 1.0)
    return weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True))


@misconception(step="attention_backward", caught_by="attention_backward-any_batch")
def incoming_gradient_cut_off(Q, K, V, d_output):
    """Small gradients are right, large ones are not. Multiply the first check's d_output by 10,000 and print your d_V: does your function limit it?"""
    d_output, root = np.clip(d_output, -1e3, 1e3), math.sqrt(Q.shape[-1])
    weights = softmax(attention_scores(Q, K) / root)
    d_scores = softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2)) / root
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, np.swapaxes(weights, -1, -2) @ d_output


@misconception(step="attention_backward", caught_by="attention_backward-by_hand")
def gradient_of_the_scores_for_the_weights(Q, K, V, d_output):
    """Your values collect by the gradient of the scores. Print what you multiply by d_output for d_V: which matrix blended the values in the forward pass?"""
    root = math.sqrt(Q.shape[-1])
    weights = softmax(attention_scores(Q, K) / root)
    d_scores = softmax_backward(weights, d_output @ np.swapaxes(V, -1, -2))
    d_V = np.swapaxes(d_scores, -1, -2) @ d_output
    d_scores = d_scores / root
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, d_V


@misconception(step="matmul_backward", caught_by="matmul_backward-by_hand")
def product_undone_with_inverses(A, B, d_C):
    """You undo the product, as if you wanted A back from C. Print your d_A for twice the B: how should the gradient of A change when each of its numbers counts twice as much?"""
    return d_C @ np.linalg.pinv(B), np.linalg.pinv(A) @ d_C

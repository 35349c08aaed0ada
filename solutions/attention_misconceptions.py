"""What people get wrong about attention, as functions, each with the question that helps.

Every function here is a wrong answer to one step. Its decorator names the step and the first check that must
fail; its docstring is the hint that a student reads. A hint says what shows, what to print, and asks one question;
it never holds the formula, the operator or the repair. Names and titles are for teachers: no student sees them. A
title says what is wrong where the name in words does not. Entries of one `family` answer alike, or are helped by the
same question.

An entry stands by itself, as if handed in: it uses `np`, `math` and the functions of earlier steps, which are right.
`autograder prove attention` holds every entry, and every check, to its promise.
"""

import math

import numpy as np

from autograder.exercises.misconceptions import misconception

# A check that is nobody's first catch would stand here with its reason: {"step-check": "why it stays"}.
UNCLAIMED = {
    "project_qkv-all_sizes_equal": "where all sizes are equal a wrong layout raises no error; the visible examples catch "
    "those that we know, and a course may change its examples",
    "scaled_dot_product_attention-large_scores": "it asks with drawn numbers what thousands asks before it",
}

# Mistakes that answer a visible check alike have one question there, which helps with each.
ALIKE = {
    "no_shift, shifted_the_wrong_way": "Scores of a thousand break it. Print the numbers that your exponential gets in "
    "the third check, and what it makes of them: how large may they be, and how large are they?",
    "one_maximum_for_all_rows, largest_size": "Your largest scores are fine. Print the second row of the third check, as "
    "your exponential sees it: how far from 0 is the largest of its numbers?",
    "scaled_by_the_values, scaled_by_the_number_of_queries": "Print the number by which you scale in the first check, and "
    "the shapes of Q, K and V: which of their sizes did you take, and is it the one that makes dot products large?",
    "mask_ignored, scores_multiplied_by_the_mask": "Hidden keys keep some weight. Print the scores that you give to "
    "softmax in the second check: what is the exponential of a hidden one?",
    "hidden_scores_of_zero, mask_forgotten": "Hidden keys keep some weight. Print the scores that softmax gets in the "
    "second check: has your mask reached them, and what is the exponential of a hidden one?",
    "hidden_scores_of_nothing, mask_not_passed_on": "Hidden tokens keep some weight. Print the scores that softmax gets "
    "in the second check: has your mask reached them, and what is the exponential of a hidden one?",
    "head_axis_in_front_of_the_batch, mask_taken_for_one_of_the_heads": "A mask for all works, one for each sequence does not. "
    "Print the shapes of scores and mask in the second check: which axis of the scores does each axis of the mask meet?",
    "scaled_by_the_whole_model, scaled_by_the_number_of_heads": "Print the number by which you scale in the first check: "
    "how long are the two vectors whose dot product is one score of one head?",
}


# 1. project_qkv


@misconception(
    step="project_qkv",
    caught_by="project_qkv-by_hand",
    title="tokens and weights multiplied entry by entry, not as matrices",
)
def elementwise_product(X, W_Q, W_K, W_V):
    """X and a matrix of weights do not line up entry by entry. Print both shapes in the first check: which two of those four numbers belong together?"""
    return X * W_Q, X * W_K, X * W_V


@misconception(
    step="project_qkv", caught_by="project_qkv-by_hand", title="weights stand on the left: W @ X"
)
def weights_on_the_left(X, W_Q, W_K, W_V):
    """Your queries do not have one row for each token. Print the shapes of X and of your Q in the first check: what does a row of each stand for?"""
    return W_Q @ X, W_K @ X, W_V @ X


@misconception(
    step="project_qkv",
    caught_by="project_qkv-by_hand",
    title="values made from the queries, not from X",
)
def values_from_the_queries(X, W_Q, W_K, W_V):
    """Your values pass through two matrices. Print the shape of what you multiply by W_V in the first check: what are values made from?"""
    queries = X @ W_Q
    return queries, X @ W_K, queries @ W_V


@misconception(
    step="project_qkv",
    caught_by="project_qkv-by_hand",
    title="weights transposed, as other libraries store them",
)
def weights_turned_as_in_other_libraries(X, W_Q, W_K, W_V):
    """You use the weights in another layout than they come in. Print the shape of W_Q as it arrives and as you use it: which one does the docstring promise?"""
    return X @ W_Q.T, X @ W_K.T, X @ W_V.T


@misconception(step="project_qkv", caught_by="project_qkv-by_hand")
def queries_and_keys_exchanged(X, W_Q, W_K, W_V):
    """All three parts are there, but two have changed places. Print your Q and K beside the wanted ones: which matrix made which?"""
    return X @ W_K, X @ W_Q, X @ W_V


@misconception(step="project_qkv", caught_by="project_qkv-by_hand")
def values_returned_before_keys(X, W_Q, W_K, W_V):
    """Your queries are right. Print the shapes of the other two parts: in which order does the docstring return them?"""
    return X @ W_Q, X @ W_V, X @ W_K


@misconception(step="project_qkv", caught_by="project_qkv-by_hand")
def query_matrix_used_for_keys(X, W_Q, W_K, W_V):
    """Your queries and keys are the same numbers. Print both in the first check, then read your lines again: does every matrix get its turn?"""
    return X @ W_Q, X @ W_Q, X @ W_V


@misconception(
    step="project_qkv",
    caught_by="project_qkv-by_hand",
    title="X is overwritten, so keys and values come from queries",
)
def tokens_overwritten_by_queries(X, W_Q, W_K, W_V):
    """Your queries are computed, then something stops fitting. Print the shape of X before each of your lines: is it still the X that came in?"""
    X = X @ W_Q
    Q = X
    K = X @ W_K
    V = X @ W_V
    return Q, K, V


@misconception(step="project_qkv", caught_by="project_qkv-by_hand")
def values_not_projected(X, W_Q, W_K, W_V):
    """Queries and keys are right, the values are not. Print the shape of your V: which role did W_V play in it?"""
    return X @ W_Q, X @ W_K, X


@misconception(step="project_qkv", caught_by="project_qkv-by_hand")
def values_made_from_keys(X, W_Q, W_K, W_V):
    """Queries and keys are right, the values have gone through two matrices. Print what you multiply by W_V: is it what the docstring says values come from?"""
    K = X @ W_K
    return X @ W_Q, K, K @ W_V


@misconception(
    step="project_qkv", caught_by="project_qkv-by_hand", title="a tanh on the projections"
)
def squashed_projections(X, W_Q, W_K, W_V):
    """None of your numbers is larger than 1. Print your Q beside the wanted one: what happens to it after the product?"""
    return np.tanh(X @ W_Q), np.tanh(X @ W_K), np.tanh(X @ W_V)


@misconception(
    step="project_qkv",
    caught_by="project_qkv-by_hand",
    title="projections divided by the root of d_model",
)
def scaled_by_the_model(X, W_Q, W_K, W_V):
    """Everything is too small by the same factor. Print wanted divided by yours in the first check: does the formula of this step divide by anything?"""
    root = np.sqrt(X.shape[-1])
    return X @ W_Q / root, X @ W_K / root, X @ W_V / root


@misconception(step="project_qkv", caught_by="project_qkv-by_hand")
def only_the_queries_returned(X, W_Q, W_K, W_V):
    """One array comes back where three are expected. Print the type of what your function returns: what does the docstring's Returns promise?"""
    Q = X @ W_Q
    K = X @ W_K
    V = X @ W_V
    return Q


@misconception(
    step="project_qkv",
    caught_by="project_qkv-by_hand",
    title="queries, keys and values concatenated into one array",
)
def everything_in_one_array(X, W_Q, W_K, W_V):
    """All the numbers are there, in one piece. Print the type and the shape of your result: how would a caller take three parts out of it?"""
    return np.concatenate([X @ W_Q, X @ W_K, X @ W_V], axis=-1)


@misconception(
    step="project_qkv",
    caught_by="project_qkv-by_hand",
    title="one array for all three, as wide as Q",
)
def one_buffer_for_all_three(X, W_Q, W_K, W_V):
    """Your values are as wide as your queries. Print the shapes of W_K and W_V in the first check: must they have the same width?"""
    parts = np.zeros((3, *X.shape[:-1], W_Q.shape[1]))
    for part, W in zip(parts, (W_Q, W_K, W_V)):
        part[...] = X @ W
    return parts[0], parts[1], parts[2]


@misconception(
    step="project_qkv",
    caught_by="project_qkv-batch_of_two",
    title="the batch is flattened into one axis",
)
def batch_flattened_away(X, W_Q, W_K, W_V):
    """One sequence works; in a batch of two, all tokens end up in one long list. Stack the first check's X twice and print the shape of Q: where did the batch go?"""
    X = X.reshape(-1, X.shape[-1])
    return X @ W_Q, X @ W_K, X @ W_V


@misconception(
    step="project_qkv",
    caught_by="project_qkv-batch_of_two",
    family="one_sequence_only",
    title="only two axes expected: n, d = X.shape",
)
def shape_unpacked_into_two(X, W_Q, W_K, W_V):
    """One sequence works, a batch stops your function. Stack the first check's X twice and print its shape: which of your lines counts on exactly two axes?"""
    n, d_model = X.shape
    Q = np.zeros((n, W_Q.shape[1]))
    K = np.zeros((n, W_K.shape[1]))
    V = np.zeros((n, W_V.shape[1]))
    for i in range(n):
        Q[i], K[i], V[i] = X[i] @ W_Q, X[i] @ W_K, X[i] @ W_V
    return Q, K, V


@misconception(
    step="project_qkv",
    caught_by="project_qkv-batch_of_two",
    family="one_sequence_only",
    title="loop over the first axis, as if it were the tokens",
)
def loop_over_the_first_axis(X, W_Q, W_K, W_V):
    """One sequence works, a batch does not. Stack the first check's X twice and print what your loop goes over: are those still tokens?"""
    return tuple(np.array([W.T @ x for x in X]) for W in (W_Q, W_K, W_V))


@misconception(
    step="project_qkv",
    caught_by="project_qkv-batch_of_two",
    title="weights transposed wherever both ways fit",
)
def turned_where_both_ways_fit(X, W_Q, W_K, W_V):
    """It goes wrong only where W is as wide as it is tall. Print a 2 by 2 W before and after your function prepares it: what told it to do so?"""

    def prepared(W):
        return W.T if W.shape[-1] == X.shape[-1] else W

    return X @ prepared(W_Q), X @ prepared(W_K), X @ prepared(W_V)


@misconception(
    step="project_qkv", caught_by="project_qkv-inputs_unchanged", title="X is changed in place"
)
def tokens_scaled_down_in_place(X, W_Q, W_K, W_V):
    """Your first answer is right. Print X before and after the call: whose array did your function write into?"""
    size = np.abs(X).max()
    X /= size
    return size * (X @ W_Q), size * (X @ W_K), size * (X @ W_V)


@misconception(
    step="project_qkv", caught_by="project_qkv-any_batch", title="at most one batch axis"
)
def one_batch_axis_and_no_more(X, W_Q, W_K, W_V):
    """One sequence works, a batch works, a batch of batches does not. Give X a further axis in front, X[None], and print the shape of your Q: which of your lines counts the axes?"""
    if X.ndim == 2:
        return X @ W_Q, X @ W_K, X @ W_V
    Q = np.stack([np.array([token @ W_Q for token in sequence]) for sequence in X])
    K = np.stack([np.array([token @ W_K for token in sequence]) for sequence in X])
    V = np.stack([np.array([token @ W_V for token in sequence]) for sequence in X])
    return (
        Q.reshape(X.shape[0], X.shape[1], -1),
        K.reshape(X.shape[0], X.shape[1], -1),
        V.reshape(X.shape[0], X.shape[1], -1),
    )


@misconception(step="project_qkv", caught_by="project_qkv-by_hand")
def each_view_of_the_one_before(X, W_Q, W_K, W_V):
    """Keys are made of the queries, and values of the keys. Print the array that each matrix is multiplied with: what should all three views be made of?"""
    Q = X @ W_Q
    K = Q @ W_K
    return Q, K, K @ W_V


@misconception(step="project_qkv", caught_by="project_qkv-inputs_unchanged")
def values_in_the_place_of_the_tokens(X, W_Q, W_K, W_V):
    """Your first answer is right. Print X before and after the call, with a square W_V: whose memory holds your values?"""
    Q, K = X @ W_Q, X @ W_K
    V = np.matmul(X, W_V, out=X) if W_V.shape[0] == W_V.shape[1] else X @ W_V
    return Q, K, V


# 2. attention_scores


@misconception(
    step="attention_scores",
    caught_by="attention_scores-by_hand",
    title="keys are not transposed: Q @ K",
)
def no_transpose(Q, K):
    """Features of the queries meet rows of keys. Print the shapes of the two arrays that you multiply: which axis do a query and a key have in common?"""
    return Q @ K


@misconception(
    step="attention_scores",
    caught_by="attention_scores-by_hand",
    title="keys reshaped instead of transposed",
)
def reshape_instead_of_transpose(Q, K):
    """The shape is right, the numbers are not. Print K and what you made of it: does each key still have its own two numbers together?"""
    return Q @ K.reshape(*K.shape[:-2], K.shape[-1], K.shape[-2])


@misconception(
    step="attention_scores",
    caught_by="attention_scores-by_hand",
    family="one_to_one",
    title="queries and keys paired one to one, not each with each",
)
def elementwise_product_summed(Q, K):
    """Each query meets at most one key. Print how many queries and how many keys the first check has: how many pairs should get a score?"""
    return (Q * K).sum(axis=-1)


@misconception(
    step="attention_scores",
    caught_by="attention_scores-by_hand",
    family="one_to_one",
    title="queries and keys paired one to one, in a column",
)
def elementwise_product_summed_into_a_column(Q, K):
    """Each query meets at most one key. Print how many queries and how many keys the first check has: how many pairs should get a score?"""
    return (Q * K).sum(axis=-1, keepdims=True)


@misconception(
    step="attention_scores",
    caught_by="attention_scores-by_hand",
    title="as many keys as queries taken for granted",
)
def as_many_keys_as_queries(Q, K):
    """A column is missing. Print the number of queries and of keys in the first check: which of your loops counts which?"""
    n = Q.shape[-2]
    scores = np.zeros((*Q.shape[:-2], n, n))
    for i in range(n):
        for j in range(n):
            scores[..., i, j] = (Q[..., i, :] * K[..., j, :]).sum(axis=-1)
    return scores


@misconception(step="attention_scores", caught_by="attention_scores-by_hand")
def cosine_similarity(Q, K):
    """None of your scores is larger than 1. Print the score of a key and of twice that key: should they be the same?"""
    lengths = np.linalg.norm(Q, axis=-1)[..., :, None] * np.linalg.norm(K, axis=-1)[..., None, :]
    return Q @ np.swapaxes(K, -1, -2) / lengths


@misconception(
    step="attention_scores",
    caught_by="attention_scores-by_hand",
    title="scores collected in integers",
)
def integer_accumulator(Q, K):
    """Your scores are all whole numbers. Print the array that you collect them in, before and after storing 4.5: what kind of numbers can it hold?"""
    scores = np.zeros((*Q.shape[:-1], K.shape[-2]), dtype=int)
    scores[...] = Q @ np.swapaxes(K, -1, -2)
    return scores


@misconception(
    step="attention_scores",
    caught_by="attention_scores-by_hand",
    family="scores_on_their_side",
    title="rows and columns of the scores exchanged in einsum",
)
def output_letters_swapped(Q, K):
    """All six numbers are there, on their side. Print the shape of your scores in the first check: what belongs to a row, and what to a column?"""
    return np.einsum("...id,...jd->...ji", Q, K)


@misconception(
    step="attention_scores",
    caught_by="attention_scores-by_hand",
    family="scores_on_their_side",
    title="rows are keys, columns queries: K @ Q.T",
)
def keys_ask_queries(Q, K):
    """All six numbers are there, on their side. Print the shape of your scores in the first check: who asks in your product, and who answers?"""
    return K @ np.swapaxes(Q, -1, -2)


@misconception(
    step="attention_scores",
    caught_by="attention_scores-by_hand",
    title="einsum sums both features apart from each other",
)
def letters_that_share_no_feature(Q, K):
    """Feature 0 of a query meets feature 1 of a key. Print your score of [1, 0] with [0, 1]: what should two vectors with nothing in common get?"""
    return np.einsum("...ik,...jl->...ij", Q, K)


@misconception(
    step="attention_scores",
    caught_by="attention_scores-by_hand",
    title="scaled here already, a step too early",
)
def scaled_already(Q, K):
    """Your scores are all too small by the same factor. Print wanted divided by yours in the first check: which later step is in there already?"""
    return Q @ np.swapaxes(K, -1, -2) / math.sqrt(Q.shape[-1])


@misconception(
    step="attention_scores",
    caught_by="attention_scores-by_hand",
    title="mean over the features instead of their sum",
)
def mean_instead_of_sum(Q, K):
    """Your scores are all too small by the same factor. Print the score of [1, 1] with [1, 1] by hand and by your function: what did you do with the terms?"""
    return (Q[..., :, None, :] * K[..., None, :, :]).mean(axis=-1)


@misconception(
    step="attention_scores",
    caught_by="attention_scores-by_hand",
    title="softmax here already, a step too early",
)
def weights_instead_of_scores(Q, K):
    """Your rows add up to 1. Print the row sums of the wanted scores: which later step has slipped in?"""
    scores = Q @ np.swapaxes(K, -1, -2)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


@misconception(
    step="attention_scores",
    caught_by="attention_scores-by_hand",
    title="distances instead of dot products",
)
def negative_distance(Q, K):
    """None of your scores is positive. Print the score of a vector with itself: what does the docstring call it, and what did you measure instead?"""
    return -np.linalg.norm(Q[..., :, None, :] - K[..., None, :, :], axis=-1)


@misconception(
    step="attention_scores",
    caught_by="attention_scores-by_hand",
    title="the distance, neither squared nor negated",
)
def distance(Q, K):
    """None of your scores is negative, and a vector scores 0 with itself. Print the score of [3, -1] with itself by hand: is it a distance that the docstring asks for?"""
    return np.linalg.norm(Q[..., :, None, :] - K[..., None, :, :], axis=-1)


@misconception(
    step="attention_scores",
    caught_by="attention_scores-by_hand",
    title="squared distances instead of dot products",
)
def squared_distance(Q, K):
    """None of your scores is negative, and a vector scores 0 with itself. Print the score of [3, -1] with itself by hand: what is multiplied, and what did you subtract?"""
    return ((Q[..., :, None, :] - K[..., None, :, :]) ** 2).sum(axis=-1)


@misconception(
    step="attention_scores",
    caught_by="attention_scores-by_hand",
    title="negative squared distances instead of dot products",
)
def negative_squared_distance(Q, K):
    """None of your scores is positive, and a vector scores 0 with itself. Print the score of [3, -1] with itself by hand: is it a distance that the docstring asks for?"""
    return -((Q[..., :, None, :] - K[..., None, :, :]) ** 2).sum(axis=-1)


@misconception(
    step="attention_scores",
    caught_by="attention_scores-by_hand",
    title="additive attention: the hyperbolic tangent of query plus key, summed",
)
def query_and_key_added(Q, K):
    """A query scores with a key of zeros, and should not. Print that score for one of your queries: what do you make of a query's and a key's first features?"""
    return np.tanh(Q[..., :, None, :] + K[..., None, :, :]).sum(axis=-1)


@misconception(
    step="attention_scores",
    caught_by="attention_scores-by_hand",
    title="queries compared with queries: Q @ Q.T",
)
def queries_meet_queries(Q, K):
    """Your scores have as many columns as there are queries. Change a key in the first check and print your scores: do they notice?"""
    return Q @ np.swapaxes(Q, -1, -2)


@misconception(
    step="attention_scores",
    caught_by="attention_scores-by_hand",
    title="K.transpose(0, 2, 1): exactly three axes expected",
)
def three_axes_always(Q, K):
    """Your function waits for a batch. Print the number of axes of K in the first two checks: where do you count axes, and from which end?"""
    return Q @ K.transpose(0, 2, 1)


@misconception(
    step="attention_scores",
    caught_by="attention_scores-batch_of_two",
    family="batch_lost",
    title="Q @ K.T turns the batch axis over, too",
)
def dot_t_on_a_batch(Q, K):
    """One sequence works, a batch of two does not. Print the shapes that your lines see in the second check, step by step: where has the batch gone?"""
    return Q @ K.T


@misconception(
    step="attention_scores",
    caught_by="attention_scores-batch_of_two",
    family="pairs_across_the_batch",
    title="np.inner compares all sequences of a batch with each other",
)
def inner_on_a_batch(Q, K):
    """In the second check your scores have an axis too many. Print their shape: does a query of one sequence have any business with keys of another?"""
    return np.inner(Q, K)


@misconception(
    step="attention_scores",
    caught_by="attention_scores-batch_of_two",
    family="pairs_across_the_batch",
    title="np.dot compares all sequences of a batch with each other",
)
def dot_on_a_batch(Q, K):
    """In the second check your scores have an axis too many. Print their shape: how does the function that you called treat more than two axes?"""
    return np.dot(Q, np.swapaxes(K, -1, -2))


@misconception(
    step="attention_scores",
    caught_by="attention_scores-batch_of_two",
    family="batch_lost",
    title="two loops that know no batch",
)
def two_loops_over_one_sequence(Q, K):
    """One sequence works, a batch of two does not. Print the shapes that your lines see in the second check, step by step: where has the batch gone?"""
    scores = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(len(K)):
            scores[i, j] = Q[i] @ K[j]
    return scores


@misconception(
    step="attention_scores",
    caught_by="attention_scores-as_many_keys_as_features",
    title="keys transposed only where the shapes demand it",
)
def transposed_only_where_it_must(Q, K):
    """Right until there are as many keys as features. Print your scores of a 2 by 2 Q and K, and one of them by hand: how does your function decide what to do with K?"""
    if Q.shape[-1] == K.shape[-2]:
        return Q @ K
    return Q @ np.swapaxes(K, -1, -2)


@misconception(
    step="attention_scores",
    caught_by="attention_scores-any_batch",
    title="a loop over one batch axis, K.T inside",
)
def loop_over_one_batch_axis(Q, K):
    """It works without a batch and with one axis of it. Stack the second check's arrays once more and print what your loop gets: is that a matrix?"""
    if Q.ndim == 2:
        return Q @ K.T
    return np.stack([q @ k.T for q, k in zip(Q, K)])


@misconception(
    step="attention_scores",
    caught_by="attention_scores-any_batch",
    title="np.squeeze drops axes of length one",
)
def axes_of_one_dropped(Q, K):
    """It goes wrong where some size is 1. Give the first check a single query and print the shape of your scores: which axis did you lose?"""
    return np.squeeze(Q @ np.swapaxes(K, -1, -2))


@misconception(
    step="attention_scores",
    caught_by="attention_scores-inputs_unchanged",
    title="Q is changed in place",
)
def queries_prepared_for_the_next_step(Q, K):
    """Your first answer is right, a second call differs. Print Q before and after the call: does your function leave it as it was?"""
    scores = Q @ np.swapaxes(K, -1, -2)
    Q /= math.sqrt(Q.shape[-1])
    return scores


@misconception(
    step="attention_scores",
    caught_by="attention_scores-any_batch",
    title="axes are listed for two, three and four axes, and no more",
)
def axes_listed_one_by_one(Q, K):
    """Up to four axes work, five do not. Call it with the first check's arrays in three new axes and print the shape of K: from which end do you count its last two?"""
    orders = {2: (1, 0), 3: (0, 2, 1), 4: (0, 1, 3, 2)}
    return Q @ K.transpose(orders[K.ndim])


# 3. scale_scores


@misconception(
    step="scale_scores",
    caught_by="scale_scores-by_hand",
    family="not_scaled",
    title="scores are not scaled at all",
)
def not_scaled(scores, d_k):
    """Nothing has become smaller. Print your result beside the scores that came in: where does d_k act?"""
    return scores


@misconception(
    step="scale_scores",
    caught_by="scale_scores-by_hand",
    family="not_scaled",
    title="** (1 // 2) is a power of zero",
)
def power_of_a_whole_division(scores, d_k):
    """Nothing has become smaller. Print your divisor alone, for d_k = 16: is it the number that you had in mind?"""
    return scores / d_k ** (1 // 2)


@misconception(
    step="scale_scores", caught_by="scale_scores-by_hand", title="divided by d_k, not by its root"
)
def divided_by_d_k(scores, d_k):
    """Your scores have become too small. Print your divisor for d_k = 16: is it the variance of such a sum, or its standard deviation?"""
    return scores / d_k


@misconception(
    step="scale_scores",
    caught_by="scale_scores-by_hand",
    title="** 1 / 2 halves d_k instead of taking its root",
)
def power_before_division(scores, d_k):
    """Your scores have become too small. Print your divisor alone, for d_k = 16: in which order does Python work out a power and a division?"""
    return scores / d_k**1 / 2


@misconception(
    step="scale_scores",
    caught_by="scale_scores-by_hand",
    title="the same in brackets: ** 1 / 2 halves d_k",
)
def power_before_division_in_brackets(scores, d_k):
    """You divide by half of d_k. Print your divisor alone, for d_k = 16 and 36: in which order does Python work out a power and a division?"""
    return scores / (d_k**1 / 2)


@misconception(
    step="scale_scores",
    caught_by="scale_scores-by_hand",
    title="multiplied by the root instead of divided",
)
def multiplied(scores, d_k):
    """Your scores have grown. Print your result for d_k = 4 and for d_k = 64: which should be smaller?"""
    return scores * np.sqrt(d_k)


@misconception(step="scale_scores", caught_by="scale_scores-by_hand")
def root_of_the_number_of_keys(scores, d_k):
    """Call it twice, with d_k = 16 and d_k = 64, and print both results. Over which axis did the dot products add up?"""
    return scores / np.sqrt(scores.shape[-1])


@misconception(step="scale_scores", caught_by="scale_scores-by_hand")
def root_of_the_number_of_queries(scores, d_k):
    """Give the first check one more row of scores and print your result: should the old rows change because somebody else asks, too?"""
    return scores / np.sqrt(scores.shape[0] if scores.ndim == 1 else scores.shape[-2])


@misconception(
    step="scale_scores",
    caught_by="scale_scores-by_hand",
    title="// cuts the scores to whole numbers",
)
def whole_division(scores, d_k):
    """One of your numbers has lost its fraction. Print your result for a score of 2: which kind of division leaves nothing behind the point?"""
    return scores // np.sqrt(d_k)


@misconception(
    step="scale_scores",
    caught_by="scale_scores-by_hand",
    title="the root of scores and d_k together",
)
def root_of_everything(scores, d_k):
    """Negative scores turn into NaN. Print your result for a score of 16 and of -8: what stands inside your root?"""
    return np.sqrt(scores / d_k)


@misconception(step="scale_scores", caught_by="scale_scores-by_hand")
def divided_by_their_own_spread(scores, d_k):
    """Your divisor depends on the scores. Double all scores of the first check and print your result: should it stay the same?"""
    return scores / np.std(scores)


@misconception(
    step="scale_scores",
    caught_by="scale_scores-by_hand",
    title="mean and spread taken out, as in a layer norm",
)
def standardised(scores, d_k):
    """A score of 0 is no longer 0. Print the mean of the first check's scores before and after: did anybody ask to move it?"""
    return (scores - np.mean(scores)) / np.std(scores)


@misconception(step="scale_scores", caught_by="scale_scores-by_hand", title="the return is missing")
def forgotten_return(scores, d_k):
    """Nothing comes back from your function. Print what a call of it gives: what is its last line?"""
    scaled = scores / np.sqrt(d_k)


@misconception(
    step="scale_scores",
    caught_by="scale_scores-batch_of_two",
    title="the root is cut to a whole number",
)
def integer_root(scores, d_k):
    """Lengths like 4, 16 and 64 come out right, others do not. Print your divisor for d_k = 8: what happened to its fraction?"""
    return scores / int(np.sqrt(d_k))


@misconception(
    step="scale_scores",
    caught_by="scale_scores-batch_of_two",
    title="the number of the example is written into the code",
)
def number_of_the_example(scores, d_k):
    """The first check passes, other lengths do not. Print your divisor for d_k = 16 and for d_k = 64: does it listen to d_k?"""
    return scores / 4.0


@misconception(step="scale_scores", caught_by="scale_scores-batch_of_two")
def divisor_rounded(scores, d_k):
    """You are off by a hair where d_k is no square number. Print your divisor for d_k = 8 with ten decimals: where do the last ones come from?"""
    return scores / round(math.sqrt(d_k), 2)


@misconception(step="scale_scores", caught_by="scale_scores-batch_of_two")
def scores_rounded(scores, d_k):
    """You are off by a hair where d_k is no square number. Print a result for d_k = 8 with ten decimals: for whom did you round?"""
    return np.round(scores / np.sqrt(d_k), 4)


@misconception(
    step="scale_scores",
    caught_by="scale_scores-inputs_unchanged",
    title="the scores are changed in place",
)
def scaled_in_place(scores, d_k):
    """Your first answer is right, a second call differs. Print the scores before and after one call: is your result an array of its own?"""
    scores /= np.sqrt(d_k)
    return scores


@misconception(
    step="scale_scores",
    caught_by="scale_scores-any_length",
    title="only the lengths of the examples work",
)
def lengths_of_the_examples_only(scores, d_k):
    """It works for the lengths in the examples. Print what you divide by for a length of 2 and of 50: where does that number come from?"""
    if d_k == 16:
        return scores / 4
    return scores / 2.8284271247461903


# 4. softmax


@misconception(
    step="softmax",
    caught_by="softmax-by_hand",
    title="normalised over the whole matrix, not over each row",
)
def over_the_whole_matrix(scores, axis=-1):
    """All your weights together add up to 1. Print the sum of one row in the first check: who has to share out a whole?"""
    powers = np.exp(scores - scores.max())
    return powers / powers.sum()


@misconception(
    step="softmax", caught_by="softmax-by_hand", title="normalised over axis 0, the queries"
)
def over_the_queries(scores, axis=-1):
    """Your columns add up to 1. Print the sums of rows and of columns in the first check: along which of them does a query share out its attention?"""
    powers = np.exp(scores - scores.max(axis=0, keepdims=True))
    return powers / powers.sum(axis=0, keepdims=True)


@misconception(
    step="softmax",
    caught_by="softmax-by_hand",
    family="lost_axis",
    title="keepdims missing in the sum",
)
def total_without_its_axis(scores, axis=-1):
    """What you take from each row does not line up with the rows any more. Print its shape in the first check, and that of the scores: which number meets which row?"""
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis)


@misconception(
    step="softmax",
    caught_by="softmax-by_hand",
    family="lost_axis",
    title="keepdims missing in the maximum",
)
def maximum_without_its_axis(scores, axis=-1):
    """What you take from each row does not line up with the rows any more. Print its shape in the first check, and that of the scores: which number meets which row?"""
    powers = np.exp(scores - scores.max(axis=axis))
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(
    step="softmax", caught_by="softmax-by_hand", title="normalised without the exponential"
)
def no_exponential(scores, axis=-1):
    """A score of log(1) is 0, and its key gets nothing. Print your weights for the scores 0, 0, 0: what makes every share positive?"""
    return scores / scores.sum(axis=axis, keepdims=True)


@misconception(
    step="softmax",
    caught_by="softmax-by_hand",
    title="exponentials that are not divided by their sum",
)
def not_normalised(scores, axis=-1):
    """The largest weight of each of your rows is 1. Print the sum of each row in the first check: what is left to do?"""
    return np.exp(scores - scores.max(axis=axis, keepdims=True))


@misconception(step="softmax", caught_by="softmax-by_hand", title="powers of two instead of e")
def another_base(scores, axis=-1):
    """Your rows add up to 1, but the shares are too even. Print your weight of log(2) divided by that of log(1): which number should it be?"""
    powers = np.exp2(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(
    step="softmax",
    caught_by="softmax-by_hand",
    title="the maximum is taken off above the line and not below it",
)
def shifted_above_the_line_only(scores, axis=-1):
    """Your rows add up to less than 1. Print the exponentials that you divide in the first check, and their total beside what you divide by: are these the same exponentials?"""
    shifted = scores - scores.max(axis=axis, keepdims=True)
    return np.exp(shifted) / np.exp(scores).sum(axis=axis, keepdims=True)


@misconception(step="softmax", caught_by="softmax-by_hand")
def half_the_difference(scores, axis=-1):
    """Your rows add up to 1, but the shares are too even. Print what you hand to the exponential for the scores 0 and 1: how far apart are the two there?"""
    powers = np.exp((scores - scores.max(axis=axis, keepdims=True)) / 2)
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(step="softmax", caught_by="softmax-by_hand")
def sigmoid_shares(scores, axis=-1):
    """Your rows add up to 1, but the shares are too even. Print your ratio of the weights of scores 10 and 20: can a key get as far ahead as it should?"""
    powers = 1 / (1 + np.exp(-scores))
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(step="softmax", caught_by="softmax-by_hand", title="1 at the largest, 0 elsewhere")
def winner_takes_all(scores, axis=-1):
    """The best key gets everything. Print your first row: what should remain for the keys that score a little less?"""
    best = (scores == scores.max(axis=axis, keepdims=True)).astype(float)
    return best / best.sum(axis=axis, keepdims=True)


@misconception(
    step="softmax",
    caught_by="softmax-by_hand",
    title="divided by the maximum instead of shifted by it",
)
def divided_by_the_maximum(scores, axis=-1):
    """Your shares depend on the size of the scores, not on their differences. Print your weights for 1, 2 and for 11, 12: should they differ?"""
    powers = np.exp(scores / scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(
    step="softmax", caught_by="softmax-by_hand", title="signs turned: the smallest score wins"
)
def maximum_minus_scores(scores, axis=-1):
    """Your smallest score gets the largest weight. Print the scores of the first check after your shift: which of them should be 0, and which signs do the others have?"""
    powers = np.exp(scores.max(axis=axis, keepdims=True) - scores)
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(step="softmax", caught_by="softmax-by_hand")
def logarithm_of_the_weights(scores, axis=-1):
    """None of your weights is positive. Print the exponentials of your result in the first check: do you know these numbers?"""
    shifted = scores - scores.max(axis=axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


@misconception(step="softmax", caught_by="softmax-rows_sum_to_one")
def rounded_weights(scores, axis=-1):
    """Your weights end after four decimals. Print a row and its sum in the second check with ten: for whom did you round?"""
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return np.round(powers / powers.sum(axis=axis, keepdims=True), 4)


@misconception(
    step="softmax",
    caught_by="softmax-by_hand",
    title="float16: only three digits are left",
    family="few_digits",
)
def half_precision(scores, axis=-1):
    """Your weights are right in their first three digits. Print their dtype: how many digits does it keep?"""
    scores = np.asarray(scores, dtype=np.float16)
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(
    step="softmax", caught_by="softmax-by_hand", title="the last score is left out of the total"
)
def last_one_left_out_of_the_total(scores, axis=-1):
    """Your rows sum to more than 1. Print the total that you divide a row of the first check by: how many terms does it have?"""
    powers = np.moveaxis(np.exp(scores - scores.max(axis=axis, keepdims=True)), axis, -1)
    total = powers[..., :-1].sum(axis=-1, keepdims=True)
    return np.moveaxis(powers / total, -1, axis)


@misconception(
    step="softmax", caught_by="softmax-rows_sum_to_one", family="a constant in the total"
)
def small_constant_in_the_total(scores, axis=-1):
    """Your shares fall a little short of the whole. Print the sum of a row with twelve digits: what else is in the total that you divide by?"""
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / (powers.sum(axis=axis, keepdims=True) + 1e-8)


@misconception(
    step="softmax", caught_by="softmax-rows_sum_to_one", family="a constant in the total"
)
def small_constant_in_single_precision(scores, axis=-1):
    """Your shares fall a little short of the whole. Print the sum of a row with twelve digits: what else is in the total that you divide by?"""
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return (powers / (powers.sum(axis=axis, keepdims=True) + 5e-6)).astype(np.float32)


@misconception(
    step="softmax",
    caught_by="softmax-large_scores",
    title="exponentials overflow: no shift by the maximum",
)
def no_shift(scores, axis=-1):
    """Scores of a thousand break it. Print the exponentials of the third check before you divide: which numbers are they, and what is their quotient?"""
    powers = np.exp(scores)
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(step="softmax", caught_by="softmax-large_scores", title="large scores are clipped")
def clipped_scores(scores, axis=-1):
    """Large scores all get the same weight. Print the scores of the third check as your exponential sees them: are they still different?"""
    powers = np.exp(np.clip(scores, -500, 500))
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(
    step="softmax", caught_by="softmax-large_scores", title="overflow hidden with nan_to_num"
)
def nan_papered_over(scores, axis=-1):
    """No NaN is left, and no weight either. Print the row sums of the third check: was NaN the trouble, or only its sign?"""
    powers = np.exp(scores)
    return np.nan_to_num(powers / powers.sum(axis=axis, keepdims=True))


@misconception(
    step="softmax",
    caught_by="softmax-large_scores",
    title="one maximum for all rows: small rows underflow",
)
def one_maximum_for_all_rows(scores, axis=-1):
    """Your largest row is fine. Print the row with the smallest scores in the third check: what is left of it after your shift?"""
    powers = np.exp(scores - scores.max())
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(
    step="softmax",
    caught_by="softmax-large_scores",
    title="shifted by the largest size, not the largest score",
)
def largest_size(scores, axis=-1):
    """Rows of large negative scores break it. Print the second row of the third check after your shift: is any of its scores near 0?"""
    powers = np.exp(scores - np.abs(scores).max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(
    step="softmax",
    caught_by="softmax-large_scores",
    title="the maximum is added instead of subtracted",
)
def shifted_the_wrong_way(scores, axis=-1):
    """Your shift makes large scores larger. Print the third check's scores as your exponential sees them: which way should they have moved?"""
    powers = np.exp(scores + scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(step="softmax", caught_by="softmax-survives_distant_rows")
def shifted_only_if_something_is_large(scores, axis=-1):
    """Large positive scores are fine. Print your weights for the single row -1000, -1001, -1002: does your function notice that it is in danger?"""
    if scores.max() > 700:
        scores = scores - scores.max(axis=axis, keepdims=True)
    powers = np.exp(scores)
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(
    step="softmax",
    caught_by="softmax-thousands_apart",
    family="shift_that_misses_the_largest",
)
def shifted_by_the_mean(scores, axis=-1):
    """Rows far apart are fine, scores far apart in one row are not. Print the row 0, 0, 4000 after your shift: which of its numbers is still dangerous?"""
    powers = np.exp(scores - scores.mean(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(
    step="softmax",
    caught_by="softmax-thousands_apart",
    family="shift_that_misses_the_largest",
)
def shifted_by_the_minimum(scores, axis=-1):
    """Rows far apart are fine, scores far apart in one row are not. Print the row 0, 0, 4000 after your shift: how large may a number be before its exponential breaks?"""
    powers = np.exp(scores - scores.min(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(step="softmax", caught_by="softmax-survives_distant_rows")
def shifted_by_the_first_score(scores, axis=-1):
    """It depends on who stands first in a row. Print your weights for 0, 4000 and for 4000, 0: which of the two breaks?"""
    powers = np.exp(scores - np.take(scores, [0], axis=axis))
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(step="softmax", caught_by="softmax-over_an_axis")
def last_axis_always(scores, axis=-1):
    """Right, as long as nobody asks for another axis. Print the first check's result with axis=0 and its sums: does your function use what the caller asked for?"""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


@misconception(step="softmax", caught_by="softmax-any_axis")
def axis_one_always(scores, axis=-1):
    """Right for matrices, whatever happens elsewhere. Print your result for a single row, without a second axis: which axis did you write down?"""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


@misconception(step="softmax", caught_by="softmax-over_an_axis")
def maximum_over_the_last_axis(scores, axis=-1):
    """Your sums are right, but along axis 0 your shares are not. Print the first check's result with axis=0: did you take off one number for each column?"""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(
    step="softmax", caught_by="softmax-over_an_axis", title="a loop over the rows of two axes"
)
def row_by_row(scores, axis=-1):
    """Right for matrices. Print what your loop goes over when the scores have one axis, or three: is it a row each time?"""
    weights = []
    for row in scores:
        powers = np.exp(row - row.max())
        weights.append(powers / powers.sum())
    return np.array(weights)


@misconception(
    step="softmax",
    caught_by="softmax-a_score_of_minus_infinity",
    title="max of a row without any finite score fails",
)
def largest_of_no_scores(scores, axis=-1):
    """A row of nothing but -inf stops your function, and all other rows lose their weights with it. Print your result for such a row: which line fails?"""

    def one_row(row):
        top = max(score for score in row if score > -np.inf)
        powers = [math.exp(score - top) for score in row]
        return np.array(powers) / sum(powers)

    return np.apply_along_axis(one_row, axis, scores)


@misconception(
    step="softmax", caught_by="softmax-a_score_of_minus_infinity", title="one empty row changes all others"
)
def one_empty_row_spoils_all(scores, axis=-1):
    """One row of nothing but -inf changes the weights of all others. Print a good row with and without such a neighbour: why does it notice?"""
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    weights = powers / powers.sum(axis=axis, keepdims=True)
    if np.isnan(weights).any():
        weights = np.ones(scores.shape) / scores.shape[axis]
    return weights


@misconception(
    step="softmax",
    caught_by="softmax-inputs_unchanged",
    title="the scores are changed in place by the shift",
)
def shifted_in_place(scores, axis=-1):
    """Your weights are right. Print the scores before and after the call: whose array did your shift write into?"""
    scores -= scores.max(axis=axis, keepdims=True)
    powers = np.exp(scores)
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(
    step="softmax",
    caught_by="softmax-inputs_unchanged",
    title="the scores are changed in place by the exponential",
)
def exponential_in_place(scores, axis=-1):
    """Your first answer is right, a second call differs. Print the scores before and after one call: where do your exponentials live?"""
    shifted = scores - scores.max(axis=axis, keepdims=True)
    powers = np.exp(shifted, out=scores)
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(
    step="softmax",
    caught_by="softmax-inputs_unchanged",
    title="-inf is replaced in the caller's array",
)
def infinite_scores_replaced_in_place(scores, axis=-1):
    """Your weights are right, also where a score is -inf. Print such scores before and after the call: whose array do you write into?"""
    scores = np.asarray(scores, dtype=float)
    scores[scores == -np.inf] = -1e9
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(
    step="softmax",
    caught_by="softmax-survives_distant_rows",
    title="-inf is replaced by -10,000",
)
def minus_infinity_made_minus_ten_thousand(scores, axis=-1):
    """A score of -inf keeps some weight beside very low ones. Print your weights for -9999 and -inf: what does your exponential get in the place of -inf?"""
    scores = np.where(np.isneginf(scores), -1e4, scores)
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(
    step="softmax",
    caught_by="softmax-a_score_of_minus_infinity",
    title="-inf is replaced by the lowest score less 10",
)
def minus_infinity_made_a_little_lower(scores, axis=-1):
    """A score of -inf keeps a little weight. Print the weights of 0, -1 and -inf with all their digits: is the last one exactly what e to the -inf is?"""
    finite = np.where(np.isneginf(scores), np.inf, scores)
    scores = np.where(np.isneginf(scores), finite.min() - 10.0, scores)
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(
    step="softmax",
    caught_by="softmax-minus_infinity",
    title="-inf is looked for along the last axis only",
)
def infinity_along_the_last_axis(scores, axis=-1):
    """A score of -inf spoils its neighbours when you sum along another axis than the last. Print your weights of such a column: along which axis do you shift?"""
    top = scores.max(axis=axis, keepdims=True)
    if np.isneginf(scores).any():
        top = scores.max(axis=-1, keepdims=True)
        top = np.where(np.isneginf(top), 0.0, top)
    powers = np.exp(scores - top)
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(step="softmax", caught_by="softmax-a_score_of_minus_infinity")
def one_empty_row_empties_all(scores, axis=-1):
    """One row of only -inf, and all rows become 0. Print your weights of the sixth check without its second row: what does your code ask of all rows together?"""
    with np.errstate(all="ignore"):
        exponentials = np.exp(scores - scores.max(axis=axis, keepdims=True))
        weights = exponentials / exponentials.sum(axis=axis, keepdims=True)
    return np.zeros_like(weights) if np.isnan(weights).any() else weights


# 5. weighted_sum


@misconception(
    step="weighted_sum", caught_by="weighted_sum-by_hand", title="factors exchanged: V @ weights"
)
def values_times_weights(weights, V):
    """Your output does not have one row for each query. Print its shape in the first check: which axis was added up?"""
    return V @ weights


@misconception(step="weighted_sum", caught_by="weighted_sum-by_hand")
def values_transposed(weights, V):
    """Shares for three keys meet features of values. Print the shapes of the two arrays that you multiply: which axis do they have in common?"""
    return weights @ np.swapaxes(V, -1, -2)


@misconception(step="weighted_sum", caught_by="weighted_sum-by_hand")
def weights_transposed(weights, V):
    """You use the columns of the weights. Print the row and column sums of the weights in the first check: which of them are the shares of one query?"""
    return np.swapaxes(weights, -1, -2) @ V


@misconception(
    step="weighted_sum",
    caught_by="weighted_sum-by_hand",
    title="weights and values multiplied entry by entry",
)
def cell_by_cell(weights, V):
    """The weights and the values do not line up entry by entry. Print both shapes in the first check: what does each weight have to multiply?"""
    return weights * V


@misconception(step="weighted_sum", caught_by="weighted_sum-by_hand")
def divided_by_the_number_of_keys(weights, V):
    """Your output is too small, by the same factor everywhere. Print that factor in the first check: have the weights not shared out a whole already?"""
    return weights @ V / V.shape[-2]


@misconception(
    step="weighted_sum",
    caught_by="weighted_sum-by_hand",
    title="only the value with the largest weight is taken",
)
def best_value_only(weights, V):
    """Each of your outputs is one of the values. Print the first check's output: where is the other half of query 0's blend?"""
    best = np.argmax(weights, axis=-1)
    return np.take_along_axis(V, best[..., None], axis=-2)


@misconception(
    step="weighted_sum", caught_by="weighted_sum-by_hand", title="the plain mean of the values"
)
def plain_mean(weights, V):
    """All your outputs are the same. Change a weight in the first check and print your output: does it notice?"""
    return np.ones(weights.shape) @ V / V.shape[-2]


@misconception(step="weighted_sum", caught_by="weighted_sum-by_hand")
def summed_over_the_queries(weights, V):
    """Two queries went in and one row came out. Print the shape of your output in the first check: what did you add up besides the keys?"""
    return (weights @ V).sum(axis=-2)


@misconception(step="weighted_sum", caught_by="weighted_sum-by_hand")
def weights_sent_through_softmax_again(weights, V):
    """Your blends are too even. Print the weights that you really use in the first check: were they not shares already?"""
    return softmax(weights) @ V


@misconception(step="weighted_sum", caught_by="weighted_sum-by_hand")
def letters_that_share_no_key(weights, V):
    """Every weight meets every value. Print your output with the first check's values in another order: should query 0 not notice?"""
    return np.einsum("...ij,...kd->...id", weights, V)


@misconception(step="weighted_sum", caught_by="weighted_sum-batch_of_two")
def first_sequence_for_all(weights, V):
    """One sequence works. Stack the first check's arrays twice, change the second V, and print your output: does the second sequence use its own values?"""
    return weights @ (V if V.ndim == 2 else V[0])


@misconception(
    step="weighted_sum",
    caught_by="weighted_sum-batch_of_two",
    title="einsum letters for two axes only",
)
def letters_for_two_axes(weights, V):
    """One sequence works, a batch stops your function. Stack the first check's arrays twice and print their shapes: which of your letters stands for the batch?"""
    return np.einsum("ij,jd->id", weights, V)


@misconception(step="weighted_sum", caught_by="weighted_sum-any_batch")
def axes_of_one_squeezed(weights, V):
    """It goes wrong where some size is 1. Keep one query of the first check and print the shape of your output: which axis did you lose?"""
    return np.squeeze(weights @ V)


@misconception(
    step="weighted_sum",
    caught_by="weighted_sum-no_key_for_a_query",
    title="np.average fails where all weights are zero",
)
def average_that_needs_a_total(weights, V):
    """A query that sees nothing stops your function. Call it with a row of zeros among the weights, and print that row: which total is divided by?"""
    output = np.empty((*weights.shape[:-1], V.shape[-1]))
    for index in np.ndindex(weights.shape[:-1]):
        output[index] = np.average(V[index[:-1]], axis=0, weights=weights[index])
    return output


@misconception(
    step="weighted_sum",
    caught_by="weighted_sum-no_key_for_a_query",
    title="raises an error where a row of weights is all zero",
)
def rows_of_zeros_refused(weights, V):
    """A query that may see nobody stops your function, and the others get nothing either. Print your result where one row is zeros: which rule speaks about it?"""
    if not np.allclose(weights.sum(axis=-1), 1.0):
        raise ValueError("each row must sum to 1")
    return weights @ V


@misconception(step="weighted_sum", caught_by="weighted_sum-batch_of_two")
def output_as_wide_as_the_keys(weights, V):
    """The first check passes; wider values come back cut. Give its V two more columns and print the shape of your output: how long is a row of it meant to be?"""
    return (weights @ V)[..., : weights.shape[-1]]


@misconception(step="weighted_sum", caught_by="weighted_sum-square_and_unchanged")
def values_centred_in_place(weights, V):
    """Your first answer is right, a second call differs. Print V before and after one call: whose array did you write into?"""
    middle = V.mean(axis=-2, keepdims=True)
    V -= middle
    return weights @ V + middle


@misconception(
    step="weighted_sum",
    caught_by="weighted_sum-square_and_unchanged",
    title="rows of zeros are filled in the caller's array",
)
def empty_rows_filled_in_place(weights, V):
    """Your outputs are right, also beside a row of zeros. Print such weights before and after the call: whose array do you write into?"""
    weights[weights.sum(axis=-1) == 0] = 1 / weights.shape[-1]
    return weights @ V


# 6. causal_mask


@misconception(
    step="causal_mask",
    caught_by="causal_mask-by_hand",
    title="the past is hidden and the future seen",
)
def past_hidden_future_seen(n_queries, n_keys=None):
    """Your first token sees everything and the last only itself. Print row 0 in the first check: which keys lie in its future?"""
    n_keys = n_queries if n_keys is None else n_keys
    return np.triu(np.ones((n_queries, n_keys), dtype=bool), n_keys - n_queries)


@misconception(step="causal_mask", caught_by="causal_mask-by_hand")
def true_means_hidden(n_queries, n_keys=None):
    """Every entry is the opposite of what is wanted. Print your mask for one single token: what does True mean in this notebook?"""
    n_keys = n_queries if n_keys is None else n_keys
    return np.triu(np.ones((n_queries, n_keys), dtype=bool), n_keys - n_queries + 1)


@misconception(step="causal_mask", caught_by="causal_mask-by_hand")
def nobody_sees_themselves(n_queries, n_keys=None):
    """Your first token sees nobody. Print row 0 of the first check: may a token look at itself?"""
    n_keys = n_queries if n_keys is None else n_keys
    return np.tril(np.ones((n_queries, n_keys), dtype=bool), n_keys - n_queries - 1)


@misconception(
    step="causal_mask", caught_by="causal_mask-by_hand", title="each token sees one step ahead"
)
def one_step_ahead(n_queries, n_keys=None):
    """Your first token sees two. Print row 0 of the first check: which of those two comes later?"""
    n_keys = n_queries if n_keys is None else n_keys
    return np.tril(np.ones((n_queries, n_keys), dtype=bool), n_keys - n_queries + 1)


@misconception(
    step="causal_mask",
    caught_by="causal_mask-by_hand",
    title="0 and -inf instead of True and False",
)
def zero_and_minus_infinity(n_queries, n_keys=None):
    """Your pattern is there, in other numbers. Print the first row of your mask: how does this notebook write down may and may not?"""
    n_keys = n_queries if n_keys is None else n_keys
    allowed = np.tril(np.ones((n_queries, n_keys), dtype=bool), n_keys - n_queries)
    return np.where(allowed, 0.0, -np.inf)


@misconception(step="causal_mask", caught_by="causal_mask-by_hand")
def axes_for_batch_and_heads(n_queries, n_keys=None):
    """Your mask has axes that nobody asked for. Print its shape in the first check: which sizes did the call name?"""
    n_keys = n_queries if n_keys is None else n_keys
    return np.tril(np.ones((1, 1, n_queries, n_keys), dtype=bool), n_keys - n_queries)


@misconception(step="causal_mask", caught_by="causal_mask-by_hand")
def everybody_sees_all(n_queries, n_keys=None):
    """Nobody is hidden from anybody. Print row 0 of the first check: which tokens come after it?"""
    return np.ones((n_queries, n_queries if n_keys is None else n_keys), dtype=bool)


@misconception(step="causal_mask", caught_by="causal_mask-by_hand")
def only_oneself(n_queries, n_keys=None):
    """Everybody sees one token alone. Print your last row in the first check: what has become of the past?"""
    n_keys = n_queries if n_keys is None else n_keys
    return np.eye(n_queries, n_keys, n_keys - n_queries, dtype=bool)


@misconception(
    step="causal_mask", caught_by="causal_mask-by_hand", title="a window of two positions"
)
def sees_one_step_back(n_queries, n_keys=None):
    """Nobody sees more than two. Print your last row in the first check: which tokens of its past are hidden?"""
    n_keys = n_queries if n_keys is None else n_keys
    full = np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool)
    return full & ~np.tri(n_queries, n_keys, n_keys - n_queries - 2, dtype=bool)


@misconception(step="causal_mask", caught_by="causal_mask-by_hand")
def new_tokens_do_not_see_each_other(n_queries, n_keys=None):
    """Your queries see everything before the first of them, and themselves. Print your last row in the first check: which tokens in between are hidden?"""
    n_keys = n_queries if n_keys is None else n_keys
    old = n_keys - n_queries
    return (np.arange(n_keys) < old) | np.eye(n_queries, n_keys, old, dtype=bool)


@misconception(step="causal_mask", caught_by="causal_mask-by_hand")
def second_argument_needed(n_queries, n_keys=None):
    """A call with one argument stops your function. Print n_keys in the first check: what does the docstring say it then stands for?"""
    return np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool)


@misconception(
    step="causal_mask",
    caught_by="causal_mask-new_tokens",
    title="aligned at the top left, not at the bottom right",
    nearly="Count from the end: the last query sees every key, each query before it one key fewer.",
)
def aligned_top_left(n_queries, n_keys=None):
    """A square is right. Print your mask of the second check: which of the five positions has the last query, and how many keys does it see?"""
    return np.tri(n_queries, n_queries if n_keys is None else n_keys, dtype=bool)


@misconception(
    step="causal_mask",
    caught_by="causal_mask-new_tokens",
    title="n_keys is ignored: always as many keys as queries",
)
def square_of_the_queries(n_queries, n_keys=None):
    """Your mask is always a square. Print its shape in the second check: how many keys are there to look at?"""
    return np.tril(np.ones((n_queries, n_queries), dtype=bool))


@misconception(
    step="causal_mask",
    caught_by="causal_mask-new_tokens",
    title="n_queries is ignored: always as many queries as keys",
)
def square_of_the_keys(n_queries, n_keys=None):
    """Your mask is always a square. Print its shape in the second check: how many of its rows belong to somebody who asks?"""
    n = n_queries if n_keys is None else n_keys
    return np.tril(np.ones((n, n), dtype=bool))


@misconception(
    step="causal_mask", caught_by="causal_mask-new_tokens", title="rows are keys instead of queries"
)
def rows_for_keys(n_queries, n_keys=None):
    """A square is right. Print the shape of your mask in the second check: what has a row each, and what a column?"""
    n_keys = n_queries if n_keys is None else n_keys
    return np.array([[j <= i for i in range(n_queries)] for j in range(n_keys)])[::-1, ::-1]


@misconception(step="causal_mask", caught_by="causal_mask-new_tokens")
def shifted_to_the_left(n_queries, n_keys=None):
    """A square is right. Print your mask of the second check: did the extra keys give your queries more to see, or less?"""
    n_keys = n_queries if n_keys is None else n_keys
    return np.tri(n_queries, n_keys, n_queries - n_keys, dtype=bool)


@misconception(step="causal_mask", caught_by="causal_mask-new_tokens")
def old_tokens_hidden(n_queries, n_keys=None):
    """In the second check your new tokens see only each other. Print your mask there: are the three old tokens in the future or in the past?"""
    n_keys = n_queries if n_keys is None else n_keys
    old = np.zeros((n_queries, n_keys - n_queries), dtype=bool)
    return np.concatenate([old, np.tri(n_queries, dtype=bool)], axis=1)


@misconception(step="causal_mask", caught_by="causal_mask-new_tokens")
def old_tokens_on_the_right(n_queries, n_keys=None):
    """In the second check the right number of keys is seen, but the wrong ones. Print your mask there: in which columns do the three old tokens stand?"""
    n_keys = n_queries if n_keys is None else n_keys
    old = np.ones((n_queries, n_keys - n_queries), dtype=bool)
    return np.concatenate([np.tri(n_queries, dtype=bool), old], axis=1)


@misconception(step="causal_mask", caught_by="causal_mask-new_tokens")
def keys_counted_on_top(n_queries, n_keys=None):
    """Your mask is too wide. Print its shape in the second check: are the two new tokens among the five keys, or do they come on top?"""
    n_old = 0 if n_keys is None else n_keys
    return np.tri(n_queries, n_old + n_queries, n_old, dtype=bool)


@misconception(step="causal_mask", caught_by="causal_mask-squares")
def single_token_squeezed(n_queries, n_keys=None):
    """It goes wrong for a single token. Print the shape of your mask for one query and one key: which axes should it have?"""
    n_keys = n_queries if n_keys is None else n_keys
    return np.squeeze(np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool))


@misconception(
    step="causal_mask",
    caught_by="causal_mask-more_keys_than_queries",
    title="the offset of the example is written into the code",
)
def offset_of_the_example(n_queries, n_keys=None):
    """The second check passes. Print your mask for two queries and four keys: how many does the first query see, and where does that number come from?"""
    if n_keys is None or n_keys == n_queries:
        return np.tri(n_queries, dtype=bool)
    return np.tri(n_queries, n_keys, 3, dtype=bool)


@misconception(step="causal_mask", caught_by="causal_mask-more_keys_than_queries")
def single_query_sees_only_itself(n_queries, n_keys=None):
    """It goes wrong for one new token after several old ones. Print your mask for one query and four keys: what may this query look back at?"""
    n_keys = n_queries if n_keys is None else n_keys
    if n_queries == 1:
        return np.ones((1, 1), dtype=bool)
    return np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool)


@misconception(
    step="causal_mask",
    caught_by="causal_mask-squares",
    title="cut out of a table of 64 positions",
)
def out_of_a_table(n_queries, n_keys=None):
    """Short texts work, long ones do not. Print the shape of your mask for 100 tokens: how large is the table that it is cut from?"""
    n_keys = n_queries if n_keys is None else n_keys
    return np.tri(64, dtype=bool)[64 - n_queries :, 64 - n_keys :]


@misconception(
    step="causal_mask",
    caught_by="causal_mask-squares",
    title="looks back 32 tokens at most",
)
def a_window_of_thirty_two(n_queries, n_keys=None):
    """In short texts all is well. Print how many keys the last of a hundred tokens may look at: how far back does your mask go?"""
    n_keys = n_queries if n_keys is None else n_keys
    further = n_keys - n_queries
    return np.tri(n_queries, n_keys, further, dtype=bool) & ~np.tri(n_queries, n_keys, further - 32, dtype=bool)


# 7. padding_mask


@misconception(
    step="padding_mask", caught_by="padding_mask-by_hand", title="one position too many is real"
)
def one_too_many(lengths, n_keys):
    """Every sequence has one real token too many. Print the row of the sequence of length 2: which column numbers do its tokens have?"""
    return np.arange(n_keys) <= np.asarray(lengths)[:, None, None]


@misconception(
    step="padding_mask", caught_by="padding_mask-by_hand", title="one position too few is real"
)
def one_too_few(lengths, n_keys):
    """Every sequence has lost a token. Print the row of the sequence of length 1: where does your count of columns begin?"""
    return np.arange(1, n_keys + 1) < np.asarray(lengths)[:, None, None]


@misconception(step="padding_mask", caught_by="padding_mask-by_hand")
def true_means_padding(lengths, n_keys):
    """Every entry is the opposite of what is wanted. Print the row of the sequence of length 4: what does True mean in this notebook?"""
    return np.arange(n_keys) >= np.asarray(lengths)[:, None, None]


@misconception(step="padding_mask", caught_by="padding_mask-by_hand")
def without_the_query_axis(lengths, n_keys):
    """All entries are right, in too few axes. Print the shape of your mask in the first check: which axis of the scores has no partner?"""
    return np.arange(n_keys) < np.asarray(lengths)[:, None]


@misconception(step="padding_mask", caught_by="padding_mask-by_hand")
def query_axis_at_the_end(lengths, n_keys):
    """All entries are right, but an axis stands in the wrong place. Print the shape of your mask in the first check: which axis of it would meet the queries?"""
    return (np.arange(n_keys) < np.asarray(lengths)[:, None])[:, :, None]


@misconception(step="padding_mask", caught_by="padding_mask-by_hand")
def query_axis_in_front(lengths, n_keys):
    """All entries are right, but an axis stands in the wrong place. Print the shape of your mask in the first check: which axis of it would meet the batch?"""
    return (np.arange(n_keys) < np.asarray(lengths)[:, None])[None]


@misconception(step="padding_mask", caught_by="padding_mask-by_hand")
def a_row_for_every_query(lengths, n_keys):
    """Every row stands there several times. Print the shape of your mask in the first check: does anything in the call say how many queries there are?"""
    return np.repeat(np.arange(n_keys) < np.asarray(lengths)[:, None, None], n_keys, axis=1)


@misconception(step="padding_mask", caught_by="padding_mask-by_hand")
def padded_queries_hidden_too(lengths, n_keys):
    """You hide the queries of the padding as well. Print the shape of your mask in the first check: whom does it speak about, according to the docstring?"""
    real = np.arange(n_keys) < np.asarray(lengths)[:, None]
    return real[:, :, None] & real[:, None, :]


@misconception(step="padding_mask", caught_by="padding_mask-by_hand")
def padding_on_the_left(lengths, n_keys):
    """The counts are right, the sides are not. Print the row of the sequence of length 1: where does a sentence begin?"""
    return (np.arange(n_keys) < np.asarray(lengths)[:, None, None])[..., ::-1]


@misconception(
    step="padding_mask",
    caught_by="padding_mask-by_hand",
    title="as wide as the longest length, not n_keys",
)
def as_wide_as_the_longest(lengths, n_keys):
    """A column is missing. Print the shape of your mask in the first check: how many keys does the array have room for?"""
    return np.arange(max(lengths)) < np.asarray(lengths)[:, None, None]


@misconception(
    step="padding_mask", caught_by="padding_mask-by_hand", title="sequences sorted by length"
)
def longest_first(lengths, n_keys):
    """Your rows are in another order. Print your lengths beside the number of True in each row: whose row comes first?"""
    return np.arange(n_keys) < np.sort(lengths)[::-1][:, None, None]


@misconception(step="padding_mask", caught_by="padding_mask-by_hand")
def only_the_last_real_token(lengths, n_keys):
    """Every row has a single True. Print the row of the sequence of length 4: how many of its keys are real?"""
    return np.arange(n_keys) == np.asarray(lengths)[:, None, None] - 1


@misconception(step="padding_mask", caught_by="padding_mask-by_hand")
def a_plain_list_of_counts(lengths, n_keys):
    """You return one row for the whole batch. Print its shape in the first check: how can three sequences of different lengths share it?"""
    return np.arange(n_keys) < max(lengths)


@misconception(
    step="padding_mask",
    caught_by="padding_mask-any_lengths",
    title="key numbers of one byte",
)
def key_numbers_of_one_byte(lengths, n_keys):
    """Far to the right padding looks real. Print the key numbers that you compare with the lengths, for 300 keys: which is the largest?"""
    return np.arange(n_keys).astype(np.uint8) < np.reshape(lengths, (-1, 1, 1))


@misconception(step="padding_mask", caught_by="padding_mask-any_lengths")
def counted_from_the_end(lengths, n_keys):
    """A sequence without any padding loses everything. Print the row of a sequence of length 5 in room for 5: what does a slice do that starts 0 from the end?"""
    mask = np.ones((len(lengths), 1, n_keys), dtype=bool)
    for b, length in enumerate(lengths):
        mask[b, 0, -(n_keys - length) :] = False
    return mask


@misconception(step="padding_mask", caught_by="padding_mask-room_for_queries")
def batch_of_one_loses_its_axis(lengths, n_keys):
    """It goes wrong for a batch of one. Print the shape of your mask for a single sequence: which of the three axes is gone?"""
    mask = np.arange(n_keys) < np.asarray(lengths)[:, None, None]
    return mask[0] if len(lengths) == 1 else mask


@misconception(step="padding_mask", caught_by="padding_mask-inputs_unchanged")
def lengths_counted_down_in_place(lengths, n_keys):
    """Your mask is right. Print the lengths before and after the call: why are they shorter now?"""
    lengths -= 1
    return np.arange(n_keys) <= lengths[:, None, None]


# 8. apply_mask


@misconception(
    step="apply_mask",
    caught_by="apply_mask-by_hand",
    family="zero_where_hidden",
    title="hidden scores become 0 instead of -inf",
)
def filled_with_zero(scores, mask):
    """Hidden scores become 0. Print the exponential of 0: how much weight will a hidden key get in the next step?"""
    return np.where(mask, scores, 0.0)


@misconception(step="apply_mask", caught_by="apply_mask-by_hand", family="zero_where_hidden")
def multiplied_by_the_mask(scores, mask):
    """Hidden scores become 0. Print the exponential of what stands under the mask in the first check: is it as little as it can be?"""
    return scores * mask


@misconception(
    step="apply_mask",
    caught_by="apply_mask-by_hand",
    title="0 times infinity makes NaN of allowed scores",
)
def zero_times_infinity(scores, mask):
    """Allowed scores turn into NaN. Print what you add to them in the first check: what is 0 times infinity?"""
    return scores + (1 - mask) * -np.inf


@misconception(
    step="apply_mask",
    caught_by="apply_mask-by_hand",
    family="not_quite_minus_infinity",
    title="a large negative number instead of -inf",
)
def minus_a_billion(scores, mask):
    """Hidden scores become very negative, but not negative enough. Print what stands under the mask: could a real score ever lose against it?"""
    return np.where(mask, scores, -1e9)


@misconception(step="apply_mask", caught_by="apply_mask-by_hand", family="not_quite_minus_infinity")
def minus_a_billion_added(scores, mask):
    """Hidden scores become very negative, but keep a trace of what they were. Print the hidden scores of the first check: what should still tell them apart?"""
    return scores + (1.0 - mask) * -1e9


@misconception(step="apply_mask", caught_by="apply_mask-by_hand")
def smallest_number(scores, mask):
    """Hidden scores become as small as a number can be. Print what stands under the mask and read the docstring's first rule: what does it ask for?"""
    return np.where(mask, scores, np.finfo(float).min)


@misconception(step="apply_mask", caught_by="apply_mask-by_hand")
def minus_ten_thousand(scores, mask):
    """Hidden scores become small, but not small enough. Print what stands under the mask: could all allowed scores of a row be lower?"""
    return np.where(mask, scores, -1e4)


@misconception(
    step="apply_mask",
    caught_by="apply_mask-by_hand",
    title="-1e-9 instead of -inf: next to nothing",
)
def tiny_instead_of_hugely_negative(scores, mask):
    """Hidden scores are practically 0. Print what stands under the mask, and its exponential: is it a tiny number or a very negative one?"""
    return np.where(mask, scores, -1e-9)


@misconception(step="apply_mask", caught_by="apply_mask-by_hand")
def filled_with_nan(scores, mask):
    """Hidden scores become NaN. Print the exponential of NaN, and the sum of a row that has one: what will be left of that row?"""
    return np.where(mask, scores, np.nan)


@misconception(step="apply_mask", caught_by="apply_mask-by_hand")
def plus_infinity(scores, mask):
    """Hidden scores become the largest of all. Print their exponentials in the first check: who will get the weight?"""
    return np.where(mask, scores, np.inf)


@misconception(step="apply_mask", caught_by="apply_mask-by_hand", title="True is read as hidden")
def allowed_ones_hidden(scores, mask):
    """You hide the keys that may be seen. Print mask and result of the first check side by side: what does True mean in this notebook?"""
    return np.where(mask, -np.inf, scores)


@misconception(step="apply_mask", caught_by="apply_mask-by_hand")
def hidden_scores_thrown_away(scores, mask):
    """Your result has lost its rows. Print its shape in the first check: where would the next step look for the columns?"""
    return scores[mask]


@misconception(
    step="apply_mask",
    caught_by="apply_mask-by_hand",
    title="rows and columns of the mask change places",
)
def mask_turned(scores, mask):
    """Your mask lies the other way round. Print its shape beside that of scores in the first check: which of its axes is the query's?"""
    return np.where(np.swapaxes(mask, -1, -2), scores, -np.inf)


@misconception(
    step="apply_mask",
    caught_by="apply_mask-one_for_all",
    title="hidden tokens may not ask either: the mask and its transpose",
)
def hidden_as_queries_too(scores, mask):
    """Whoever is hidden as a key loses the scores of its own row, too. Print a square mask beside your result: whom does a column of the mask speak about, and whom a row?"""
    mask = np.broadcast_to(mask, scores.shape)
    if mask.shape[-1] == mask.shape[-2]:
        mask = mask & mask.swapaxes(-1, -2)
    return np.where(mask, scores, -np.inf)


@misconception(
    step="apply_mask",
    caught_by="apply_mask-by_hand",
    title="the first row of the mask for every query",
)
def first_row_of_the_mask_for_all(scores, mask):
    """All your queries may see what the first one may. Print the mask that your second query gets in the first check: is it its own row?"""
    return np.where(np.asarray(mask)[..., :1, :], scores, -np.inf)


@misconception(step="apply_mask", caught_by="apply_mask-by_hand")
def mask_added_to_the_scores(scores, mask):
    """Allowed scores have grown by 1. Print result minus scores in the first check: how does a True count in a sum?"""
    return scores + mask


@misconception(step="apply_mask", caught_by="apply_mask-by_hand")
def masked_array(scores, mask):
    """You return a special kind of array. Print its type, and what it holds under the mask: would the next step's exponential know about it?"""
    return np.ma.array(scores, mask=~mask)


@misconception(
    step="apply_mask",
    caught_by="apply_mask-batch_of_two",
    title="no broadcasting: only masks of the same shape",
)
def mask_of_the_same_shape_only(scores, mask):
    """It works where mask and scores have the same shape. Call it with the first check's scores and the mask's first row alone, and print both shapes: what should happen to that row?"""
    result = scores.copy()
    result[~mask] = -np.inf
    return result


@misconception(step="apply_mask", caught_by="apply_mask-batch_of_two")
def two_loops_over_a_matrix(scores, mask):
    """It works for one matrix with a mask of its shape. Print the shapes in a call with the mask's first row alone: which entry do your loops look for and not find?"""
    result = scores.copy()
    for i in range(scores.shape[0]):
        for j in range(scores.shape[1]):
            if not mask[i, j]:
                result[i, j] = -np.inf
    return result


@misconception(step="apply_mask", caught_by="apply_mask-batch_of_two")
def mask_of_the_first_sequence(scores, mask):
    """In a batch every sequence gets the first one's mask. Print the mask that you really use for a batch of two: what has become of the second?"""
    return np.where(mask[0] if mask.ndim == 3 else mask, scores, -np.inf)


@misconception(step="apply_mask", caught_by="apply_mask-batch_of_two", family="infinity_added")
def minus_infinity_added(scores, mask):
    """Ordinary scores are fine. Put a NaN under the mask of the first check and print your result: does it disappear?"""
    return scores + np.where(mask, 0.0, -np.inf)


@misconception(step="apply_mask", caught_by="apply_mask-batch_of_two", family="infinity_added")
def logarithm_of_the_mask(scores, mask):
    """Ordinary scores are fine. Put a NaN under the mask of the first check and print your result: can any sum get rid of it?"""
    return scores + np.log(mask)


@misconception(step="apply_mask", caught_by="apply_mask-no_key_for_a_query")
def empty_row_refused(scores, mask):
    """A query that may see nobody stops your function. Hide the first row of the first check altogether and print your result: which rule speaks about such a row?"""
    if not mask.any(axis=-1).all():
        raise ValueError("every query needs a key")
    return np.where(mask, scores, -np.inf)


@misconception(step="apply_mask", caught_by="apply_mask-no_key_for_a_query")
def empty_row_spared(scores, mask):
    """A query that may see nobody sees everybody. Hide the first row of the first check altogether and print your result: which rule speaks about such a row?"""
    return np.where(mask | ~mask.any(axis=-1, keepdims=True), scores, -np.inf)


@misconception(step="apply_mask", caught_by="apply_mask-no_key_for_a_query")
def empty_row_of_zeros(scores, mask):
    """A query that may see nobody gets zeros. Hide the first row of the first check altogether and print your result: which rule speaks about such a row?"""
    masked = np.where(mask, scores, -np.inf)
    return np.where(mask.any(axis=-1, keepdims=True), masked, 0.0)


@misconception(step="apply_mask", caught_by="apply_mask-batch_of_two")
def own_position_always_allowed(scores, mask):
    """A query keeps the score with the key in its own place, whatever the mask says. Hide everything in the first check and print your result: whose scores are left?"""
    return np.where(mask | np.eye(*scores.shape[-2:], dtype=bool), scores, -np.inf)


@misconception(step="apply_mask", caught_by="apply_mask-inputs_unchanged")
def written_into_the_scores(scores, mask):
    """Your result is right. Print the scores before and after the call: did their owner ask for that?"""
    scores[np.broadcast_to(~mask, scores.shape)] = -np.inf
    return scores


@misconception(step="apply_mask", caught_by="apply_mask-inputs_unchanged")
def mask_turned_over_in_place(scores, mask):
    """Your first answer is right, a second call differs. Print the mask before and after one call: who has turned it over?"""
    np.logical_not(mask, out=mask)
    return np.where(mask, -np.inf, scores)


@misconception(step="apply_mask", caught_by="apply_mask-one_for_all")
def stretched_by_hand(scores, mask):
    """The examples work, other masks do not. Print the shapes of scores and mask for a batch of two with one row of the mask for each query: which line counts on another shape?"""
    masked = np.array(scores, dtype=float)
    if np.ndim(mask) == 3:
        mask = np.repeat(mask, masked.shape[1], axis=1)
    masked[~np.asarray(mask, dtype=bool)] = -np.inf
    return masked


@misconception(
    step="apply_mask",
    caught_by="apply_mask-broadcasts",
    title="a mask of three axes is taken for one with a batch and no heads",
)
def head_axis_put_into_three_axes(scores, mask):
    """Masks with a batch work. Take scores of two sequences with three heads each and a mask with one row for each head, and print both shapes: which axis of the scores does the mask's first one meet?"""
    if scores.ndim == 4 and mask.ndim == 3:
        mask = mask[:, None]
    return np.where(mask, scores, -np.inf)


@misconception(step="apply_mask", caught_by="apply_mask-broadcasts")
def mask_without_queries_refused(scores, mask):
    """A mask with an axis for the queries works, one with keys alone does not. Use the first row of the first check's mask and print the shape that you read: which axes may a mask leave out?"""
    n_queries, n_keys = mask.shape[-2:]
    return np.where(np.reshape(mask, (*mask.shape[:-2], n_queries, n_keys)), scores, -np.inf)


@misconception(
    step="apply_mask",
    caught_by="apply_mask-broadcasts",
    title="the mask's last axis must be as long as that of the scores",
)
def mask_as_wide_as_the_keys(scores, mask):
    """A mask with one column stops your function. Print the shapes of the scores and of a mask (n, 1): does that broadcast?"""
    if np.shape(mask)[-1:] != scores.shape[-1:]:
        raise ValueError("one column for each key")
    return np.where(mask, scores, -np.inf)


@misconception(
    step="apply_mask",
    caught_by="apply_mask-nan_disappears",
    title="an allowed NaN is hidden",
)
def allowed_nan_hidden(scores, mask):
    """A NaN disappears although the mask allows it. Print your result for an allowed NaN: what does the second rule say of allowed scores?"""
    return np.where(mask & ~np.isnan(scores), scores, -np.inf)


@misconception(step="apply_mask", caught_by="apply_mask-nan_disappears")
def allowed_infinities_hidden(scores, mask):
    """What is not finite disappears although the mask allows it. Print your result for an allowed inf: what does the second rule say of allowed scores?"""
    return np.where(mask & np.isfinite(scores), scores, -np.inf)


@misconception(step="apply_mask", caught_by="apply_mask-nan_disappears")
def allowed_infinities_made_finite(scores, mask):
    """What is hidden becomes -inf, as it should. Let an allowed score of the first check be -inf, as a first mask would leave it, and print your result: is it the score itself?"""
    return np.where(mask, np.nan_to_num(scores), -np.inf)


@misconception(step="apply_mask", caught_by="apply_mask-inputs_unchanged")
def nan_cleared_in_place(scores, mask):
    """Your result is right, also where NaN is hidden. Print such scores before and after the call: whose array do you write into?"""
    scores[np.isnan(scores) & ~mask] = 0.0
    return np.where(mask, scores, -np.inf)


# 9. scaled_dot_product_attention


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-by_hand"
)
def output_without_weights(Q, K, V, mask=None):
    """One array comes back where two are expected. Print the type of your result: what does the docstring return beside the output?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    return weighted_sum(softmax(scores), V)


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-by_hand"
)
def weights_before_output(Q, K, V, mask=None):
    """Both arrays are there, in another order. Print the shapes of your two results in the first check: which one does the docstring name first?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weights, weighted_sum(weights, V)


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-by_hand"
)
def scaling_forgotten(Q, K, V, mask=None):
    """Your weights are too sharp. Print what you give to softmax in the first check, and its exponentials: which step is missing on the way?"""
    scores = attention_scores(Q, K)
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention",
    caught_by="scaled_dot_product_attention-by_hand",
    family="scaled_too_much",
)
def scaled_twice(Q, K, V, mask=None):
    """Your weights are too even. Print what you give to softmax in the first check, and its exponentials: how often has it been scaled?"""
    d_k = Q.shape[-1]
    scores = scale_scores(attention_scores(Q, K), d_k) / np.sqrt(d_k)
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention",
    caught_by="scaled_dot_product_attention-by_hand",
    family="scaled_too_much",
    title="divided by d_k, not by its root",
)
def scaled_by_d_k_itself(Q, K, V, mask=None):
    """Your weights are too even. Print what you give to softmax in the first check, and its exponentials: by how much have the scores shrunk?"""
    scores = attention_scores(Q, K) / Q.shape[-1]
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention",
    caught_by="scaled_dot_product_attention-by_hand",
    title="scaled by the width of the values, not of the keys",
)
def scaled_by_the_values(Q, K, V, mask=None):
    """Give V one more column in the first check and print your weights: should they change because the values got longer?"""
    scores = scale_scores(attention_scores(Q, K), V.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-by_hand"
)
def scaled_by_the_number_of_keys(Q, K, V, mask=None):
    """Print the number by which you scale in the first check. The vectors there have length 4: what did you count instead?"""
    scores = scale_scores(attention_scores(Q, K), K.shape[-2])
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-by_hand"
)
def scaled_by_the_number_of_queries(Q, K, V, mask=None):
    """Print the number by which you scale, for two queries and for one. Should a query notice how many others ask?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-2])
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-by_hand"
)
def scaled_after_softmax(Q, K, V, mask=None):
    """Your rows do not add up to 1. Print their sums in the first check: what happens to the weights after softmax has made them?"""
    scores = attention_scores(Q, K)
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = scale_scores(softmax(scores), Q.shape[-1])
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-by_hand"
)
def softmax_over_the_queries(Q, K, V, mask=None):
    """Your columns add up to 1. Print the sums of rows and columns in the first check: which of them is one query's whole?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores, axis=-2)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-by_hand"
)
def softmax_left_out(Q, K, V, mask=None):
    """Your rows do not add up to 1, and some weights may be negative. Print a row of weights in the first check: which step turns scores into shares?"""
    weights = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        weights = apply_mask(weights, mask)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-by_hand"
)
def keys_blended_instead_of_values(Q, K, V, mask=None):
    """Your weights are right, your output is as wide as a key. Change V in the first check and print your output: does it notice?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, K), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-by_hand"
)
def scores_returned_as_weights(Q, K, V, mask=None):
    """Your output is right, what you return beside it is not. Print its row sums in the first check: at which stage did you pick it up?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    return weighted_sum(softmax(scores), V), scores


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-by_hand"
)
def dropout_left_on(Q, K, V, mask=None):
    """Some of your weights are 0 and the rest too large. Print the row sums in the first check: did anybody ask your function to drop something?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    weights = weights * (np.random.default_rng(0).random(weights.shape) > 0.1) / 0.9
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention",
    caught_by="scaled_dot_product_attention-with_mask",
    title="the mask is ignored",
)
def mask_ignored(Q, K, V, mask=None):
    """With a mask your weights are the same as without. Print the masked scores in the second check: where does your function use its mask?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention",
    caught_by="scaled_dot_product_attention-with_mask",
    title="if mask: fails on an array",
)
def asks_whether_the_mask_is_true(Q, K, V, mask=None):
    """With a mask your function stops. Print the mask of the second check: six entries are true or false, so what is the one thing that you want to know about it?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention",
    caught_by="scaled_dot_product_attention-with_mask",
    title="True is read as hidden",
)
def mask_turned_over(Q, K, V, mask=None):
    """Hidden keys get all the weight. Print the masked scores of the second check beside the mask: what does True mean in this notebook?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, ~mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-with_mask"
)
def mask_transposed(Q, K, V, mask=None):
    """Rows and columns of your mask have changed places. Print the shapes of mask and scores in the second check: which axis of each belongs to the queries?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, np.swapaxes(mask, -1, -2))
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention",
    caught_by="scaled_dot_product_attention-with_mask",
    title="scores multiplied by the mask: hidden ones become 0",
)
def scores_multiplied_by_the_mask(Q, K, V, mask=None):
    """Hidden keys keep some weight. Print the scores that you give to softmax in the second check: what is the exponential of a hidden one?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = scores * mask
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-with_mask"
)
def hidden_scores_of_minus_a_hundred(Q, K, V, mask=None):
    """A hidden key keeps a crumb. Print the weights of the second check without rounding: are the hidden ones as small as they must be?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -100.0)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention",
    caught_by="scaled_dot_product_attention-by_hand",
    title="a causal mask whatever mask is given",
)
def always_looking_back(Q, K, V, mask=None):
    """Some keys get nothing although nobody hid them. Print your weights in the first check, where no mask is given: where does your mask come from?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    n_queries, n_keys = scores.shape[-2:]
    if mask is None:
        mask = np.tri(n_queries, n_keys, max(n_keys - n_queries, 0), dtype=bool)
    weights = softmax(apply_mask(scores, mask))
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-with_mask"
)
def mask_taken_for_numbers(Q, K, V, mask=None):
    """Hidden keys keep most of their weight. Print the scores of the second check before and after the mask has acted: how much is taken from a hidden one?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = scores + mask
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention",
    caught_by="scaled_dot_product_attention-with_mask",
    title="masked after softmax: rows do not sum to one",
)
def masked_after_softmax(Q, K, V, mask=None):
    """Your masked rows add up to less than 1. Print their sums in the second check: what happened to the share of the hidden keys?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    if mask is not None:
        weights = weights * mask
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-with_mask"
)
def output_made_before_the_mask(Q, K, V, mask=None):
    """Your weights are right, your output still knows the hidden keys. Print your weights times the values in the second check: which weights made your output?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    output = weighted_sum(softmax(scores), V)
    if mask is not None:
        scores = apply_mask(scores, mask)
    return output, softmax(scores)


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-with_mask"
)
def weights_from_before_the_mask(Q, K, V, mask=None):
    """Your output is right, the weights beside it still know the hidden keys. Print them in the second check: at which stage did you pick them up?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    weights = softmax(scores)
    if mask is not None:
        scores = apply_mask(scores, mask)
    return weighted_sum(softmax(scores), V), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-with_mask"
)
def mask_on_the_output(Q, K, V, mask=None):
    """Your weights with a mask are the same as without. Print the shapes of mask and output in the second check: what does a column of each stand for?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    output = weighted_sum(weights, V)
    if mask is not None:
        output = output * mask[..., : output.shape[-1]]
    return output, weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-batch_of_two"
)
def number_of_the_example_scales(Q, K, V, mask=None):
    """The first check passes, other lengths do not. Print the number that you divide by for vectors of length 4 and 8: does it change?"""
    scores = attention_scores(Q, K) / 2
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-rows_sum_to_one"
)
def integer_root_of_d_k(Q, K, V, mask=None):
    """Length 4 comes out right, other lengths do not. Print the number that you divide by for vectors of length 8: what happened to its fraction?"""
    scores = attention_scores(Q, K) / math.isqrt(Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention",
    caught_by="scaled_dot_product_attention-thousands",
    title="a softmax of its own that overflows",
)
def naive_softmax_of_its_own(Q, K, V, mask=None):
    """Scores in the thousands break it. Print your exponentials for the first check with Q times 10000: has one of your earlier steps not solved this already?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    powers = np.exp(scores)
    weights = powers / powers.sum(axis=-1, keepdims=True)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-thousands"
)
def one_maximum_for_all_queries(Q, K, V, mask=None):
    """Queries with small scores suffer beside one with large scores. Multiply query 0 of the first check by 10000 and print the other's weights: what did you take off its scores?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    powers = np.exp(scores - scores.max())
    weights = powers / powers.sum(axis=-1, keepdims=True)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-a_hidden_winner"
)
def scores_clipped(Q, K, V, mask=None):
    """Large scores all count the same. Print what you give to softmax for the first check with Q times 10000: are the scores of a query still different?"""
    scores = np.clip(scale_scores(attention_scores(Q, K), Q.shape[-1]), -50, 50)
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention",
    caught_by="scaled_dot_product_attention-any_batch",
    title="d_k read from a fixed axis: Q.shape[1]",
)
def length_counted_from_the_front(Q, K, V, mask=None):
    """One sequence works. Stack the first check's arrays twice and print the number by which you scale: is that still the length of a query?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-batch_of_two"
)
def softmax_along_axis_one(Q, K, V, mask=None):
    """One sequence works. Stack the first check's arrays twice and print the row sums of your weights: along which axis do they add up to 1?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores, axis=1)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-a_hidden_winner"
)
def masked_after_softmax_and_shared_again(Q, K, V, mask=None):
    """Ordinary scores are fine. Let a hidden key of the second check score 3000 and print your weights: what was left to share out when your mask came?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    if mask is not None:
        weights = weights * mask
        weights = weights / weights.sum(axis=-1, keepdims=True)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-a_hidden_winner"
)
def hidden_scores_a_thousand_lower(Q, K, V, mask=None):
    """Ordinary scores are fine. Let a hidden key of the second check score 3000 and print your masked scores: who wins now?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = scores - 1000.0 * (1 - mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-hidden_keys"
)
def mask_must_have_the_shape_of_the_scores(Q, K, V, mask=None):
    """It works where mask and scores have the same shape. Use only the first row of the second check's mask and print both shapes: what should happen to that row?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores[~mask] = -np.inf
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-no_key_for_a_query"
)
def empty_row_of_the_mask_refused(Q, K, V, mask=None):
    """A query that may see nobody stops your function, and the others get nothing either. Hide row 0 of the second check and print your result: which rule speaks about it?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        if not mask.any(axis=-1).all():
            raise ValueError("every query needs a key")
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention",
    caught_by="scaled_dot_product_attention-a_hidden_winner",
    title="the first mask is used in all later calls",
)
def first_mask_remembered(Q, K, V, mask=None):
    """It goes wrong at the second mask. Call it with two different masks and print both weights: what has your function kept from the first call?"""
    global mask_in_use
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        if "mask_in_use" not in globals():
            mask_in_use = mask
        scores = apply_mask(scores, mask_in_use)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention",
    caught_by="scaled_dot_product_attention-inputs_unchanged",
    title="the last mask is used where none is given",
)
def last_mask_where_none_is_given(Q, K, V, mask=None):
    """A call without a mask hides keys. Call it with a mask, then without one, and print both weights: what has your function kept?"""
    global latest_mask
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is None and "latest_mask" in globals() and np.shape(latest_mask) == scores.shape:
        mask = latest_mask
    latest_mask = mask
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention",
    caught_by="scaled_dot_product_attention-inputs_unchanged",
    title="answers of an earlier call of the same shapes come again",
)
def answers_remembered_by_their_shapes(Q, K, V, mask=None):
    """Other numbers of the same shapes get the answer of an earlier call. Print both answers: by what do you look them up?"""
    global answers_so_far
    if "answers_so_far" not in globals():
        answers_so_far = {}
    shapes = Q.shape, K.shape, V.shape
    if mask is None and shapes in answers_so_far:
        return answers_so_far[shapes]
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    if mask is None:
        answers_so_far[shapes] = weighted_sum(weights, V), weights
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention",
    caught_by="scaled_dot_product_attention-hidden_keys",
    title="a mask with one column is turned on its side",
)
def column_of_a_mask_turned(Q, K, V, mask=None):
    """Masks for every key work, a mask with one column does not. Print the shape of a mask (n, 1) as you use it: what does its one column say of each query?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        if mask.ndim > 1 and mask.shape[-1] != scores.shape[-1]:
            mask = np.swapaxes(mask, -1, -2)
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention",
    caught_by="scaled_dot_product_attention-hidden_keys",
    title="20,000 is taken off hidden scores",
)
def hidden_scores_twenty_thousand_lower(Q, K, V, mask=None):
    """Ordinary scores are fine. Print the scores that you give to softmax where hidden ones are near 10000 and allowed ones near -10000: who is larger now?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, scores - 2e4)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention",
    caught_by="scaled_dot_product_attention-hidden_keys",
    title="10,000 is taken off hidden scores",
)
def hidden_scores_ten_thousand_lower(Q, K, V, mask=None):
    """Ordinary scores are fine. Print the scores that you give to softmax where hidden ones are in the thousands and allowed ones near -10000: who is larger now?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, scores - 1e4)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-with_mask"
)
def scaled_only_without_a_mask(Q, K, V, mask=None):
    """Without a mask your weights are right, with one they lean too far. Print what softmax receives in the first two checks: is it scaled in both?"""
    scores = attention_scores(Q, K)
    scores = scale_scores(scores, Q.shape[-1]) if mask is None else apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-inputs_unchanged"
)
def queries_scaled_in_place(Q, K, V, mask=None):
    """Your first answer is right, a second call differs. Print Q before and after one call: whose array did you scale?"""
    Q /= np.sqrt(Q.shape[-1])
    scores = attention_scores(Q, K)
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-inputs_unchanged"
)
def mask_turned_over_for_good(Q, K, V, mask=None):
    """With a mask your first answer is right, a second call differs. Print the mask of the second check before and after one call: who has turned it over?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        hidden = np.logical_not(mask, out=mask)
        scores = np.where(hidden, -np.inf, scores)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention",
    caught_by="scaled_dot_product_attention-inputs_unchanged",
    title="rows without a key are opened in the caller's mask",
)
def empty_rows_opened_in_place(Q, K, V, mask=None):
    """Your answers are right, also beside a query that may see nobody. Print such a mask before and after the call: whose array do you write into?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        mask[~mask.any(axis=-1)] = True
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention",
    caught_by="scaled_dot_product_attention-a_hidden_winner",
    title="masked after softmax, then divided by the sum and a small number",
)
def masked_after_softmax_with_a_small_number(Q, K, V, mask=None):
    """Ordinary scores are fine. Let a hidden key of the second check score 30 above the others and print your weights before and after the mask: how large is what you divide by?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    if mask is not None:
        weights = weights * mask
        weights = weights / (weights.sum(axis=-1, keepdims=True) + 1e-12)
    return weighted_sum(weights, V), weights


# 10. self_attention


@misconception(step="self_attention", caught_by="self_attention-by_hand")
def tokens_not_projected(X, W_Q, W_K, W_V, mask=None):
    """Your tokens ask and answer as they are. Change W_Q in the first check and print your weights: do they notice?"""
    return scaled_dot_product_attention(X, X, X, mask)


@misconception(step="self_attention", caught_by="self_attention-by_hand")
def keys_ask_and_queries_answer(X, W_Q, W_K, W_V, mask=None):
    """Two of the three views have changed places. Print the parts in the order in which you unpack them: what comes first, second, third?"""
    K, Q, V = project_qkv(X, W_Q, W_K, W_V)
    return scaled_dot_product_attention(Q, K, V, mask)


@misconception(
    step="self_attention",
    caught_by="self_attention-by_hand",
    title="the tokens themselves as values, W_V unused",
)
def tokens_as_values(X, W_Q, W_K, W_V, mask=None):
    """Your weights are right, your output is as wide as a token. Change W_V in the first check and print your output: does it notice?"""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    return scaled_dot_product_attention(Q, K, X, mask)


@misconception(step="self_attention", caught_by="self_attention-by_hand")
def keys_used_as_queries(X, W_Q, W_K, W_V, mask=None):
    """Your scores are the same from either side. Change W_Q in the first check and print your weights: do they notice?"""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    return scaled_dot_product_attention(K, K, V, mask)


@misconception(step="self_attention", caught_by="self_attention-by_hand")
def only_the_output(X, W_Q, W_K, W_V, mask=None):
    """One array comes back where two are expected. Print the type of your result: what does the docstring return beside the output?"""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    output, weights = scaled_dot_product_attention(Q, K, V, mask)
    return output


@misconception(step="self_attention", caught_by="self_attention-by_hand")
def scaled_by_the_width_of_the_model(X, W_Q, W_K, W_V, mask=None):
    """Your weights are too even. Print the number by which you scale in the first check: how long are the vectors whose dot products you take?"""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    scores = scale_scores(attention_scores(Q, K), X.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(step="self_attention", caught_by="self_attention-by_hand")
def input_added_to_the_output(X, W_Q, W_K, W_V, mask=None):
    """Your weights are right, your output is larger than any blend. Print output minus wanted in the first check: what did you add on the way?"""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    output, weights = scaled_dot_product_attention(Q, K, V, mask)
    return output + V, weights


@misconception(step="self_attention", caught_by="self_attention-by_hand")
def always_causal(X, W_Q, W_K, W_V, mask=None):
    """The first token sees only itself, although nobody hid anything. Print your weights in the first check: where does your mask come from?"""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    return scaled_dot_product_attention(Q, K, V, causal_mask(X.shape[-2]))


@misconception(step="self_attention", caught_by="self_attention-causal")
def mask_forgotten(X, W_Q, W_K, W_V, mask=None):
    """With a mask your weights are the same as without. Print them in the first two checks: where does your mask go?"""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    return scaled_dot_product_attention(Q, K, V)


@misconception(step="self_attention", caught_by="self_attention-causal")
def mask_on_its_side(X, W_Q, W_K, W_V, mask=None):
    """Your second token lost its past. Print mask and weights of the second check side by side: which axis of the mask belongs to the token that asks?"""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    return scaled_dot_product_attention(
        Q, K, V, None if mask is None else np.swapaxes(mask, -1, -2)
    )


@misconception(step="self_attention", caught_by="self_attention-causal")
def hidden_and_allowed_exchanged(X, W_Q, W_K, W_V, mask=None):
    """Hidden keys get all the weight. Print mask and weights of the second check side by side: what does True mean in this notebook?"""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    return scaled_dot_product_attention(Q, K, V, None if mask is None else ~mask)


@misconception(step="self_attention", caught_by="self_attention-causal")
def tokens_masked_before_projecting(X, W_Q, W_K, W_V, mask=None):
    """Your mask changes the tokens, and everybody still sees everybody. Print the weights of the second check: which array is the mask about?"""
    if mask is not None:
        X = mask @ X
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    return scaled_dot_product_attention(Q, K, V)


@misconception(step="self_attention", caught_by="self_attention-causal")
def weights_masked_afterwards(X, W_Q, W_K, W_V, mask=None):
    """Your masked rows add up to less than 1. Print their sums in the second check: what happened to the share of the hidden tokens?"""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    output, weights = scaled_dot_product_attention(Q, K, V)
    if mask is not None:
        weights = weights * mask
        output = weighted_sum(weights, V)
    return output, weights


@misconception(step="self_attention", caught_by="self_attention-rows_sum_to_one")
def not_scaled_where_it_matters(X, W_Q, W_K, W_V, mask=None):
    """Vectors of length 1 come out right, longer ones do not. Print what you give to softmax for wider W_Q and W_K: which step is missing?"""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    scores = attention_scores(Q, K)
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(step="self_attention", caught_by="self_attention-any_batch")
def batch_as_one_long_sequence(X, W_Q, W_K, W_V, mask=None):
    """One sequence works; in a batch, tokens look at those of other sequences. Stack the first check's X twice and print the shape of your weights: how many keys has each query?"""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    if mask is None:
        Q, K, V = (part.reshape(-1, part.shape[-1]) for part in (Q, K, V))
    output, weights = scaled_dot_product_attention(Q, K, V, mask)
    return output.reshape(*X.shape[:-1], -1), weights


@misconception(step="self_attention", caught_by="self_attention-a_mask_for_each")
def one_sequence_only(X, W_Q, W_K, W_V, mask=None):
    """One sequence works, a batch stops your function. Stack the first check's X twice and print its shape: which of your lines counts on exactly two axes?"""
    n, d_model = X.shape
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    return scaled_dot_product_attention(Q, K, V, mask)


@misconception(step="self_attention", caught_by="self_attention-a_mask_for_each")
def first_mask_for_all(X, W_Q, W_K, W_V, mask=None):
    """In a batch every sequence gets the first one's mask. Print the mask that you pass on for a batch of two: what has become of the second?"""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    if mask is not None and mask.ndim == 3:
        mask = mask[0]
    return scaled_dot_product_attention(Q, K, V, mask)


@misconception(step="self_attention", caught_by="self_attention-inputs_unchanged")
def tokens_shrunk_in_place(X, W_Q, W_K, W_V, mask=None):
    """Your first answer is right. Print X before and after the call: whose array did your function write into?"""
    size = np.abs(X).max()
    X /= size
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    return scaled_dot_product_attention(size * Q, size * K, size * V, mask)


@misconception(step="self_attention", caught_by="self_attention-a_mask_for_each")
def own_position_always_seen(X, W_Q, W_K, W_V, mask=None):
    """The causal mask works. Hide a token of the second check from itself and print the mask that you pass on: is it the one that came?"""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    if mask is not None:
        mask = mask | np.eye(X.shape[-2], dtype=bool)
    return scaled_dot_product_attention(Q, K, V, mask)


@misconception(
    step="self_attention",
    caught_by="self_attention-causal",
    title="hidden scores become 0",
)
def hidden_scores_of_zero(X, W_Q, W_K, W_V, mask=None):
    """Hidden keys keep some weight. Print the scores that you give to softmax in the second check: what is the exponential of a hidden one?"""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, 0.0)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(
    step="self_attention",
    caught_by="self_attention-rows_sum_to_one",
    title="scaled by the whole part of the root of d_k",
)
def scaled_by_a_whole_number(X, W_Q, W_K, W_V, mask=None):
    """Square numbers are fine. Print the number by which you scale for d_k = 8: is its square 8?"""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    scores = attention_scores(Q, K) / int(np.sqrt(Q.shape[-1]))
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(
    step="self_attention",
    caught_by="self_attention-any_batch",
    title="a mask of one axis is taken for one of queries",
)
def one_row_for_the_queries(X, W_Q, W_K, W_V, mask=None):
    """A mask of one axis hides queries and not keys. Print its shape as you use it: to which axis of the weights does a single axis belong?"""
    if mask is not None and mask.ndim == 1:
        mask = mask[:, None]
    return scaled_dot_product_attention(*project_qkv(X, W_Q, W_K, W_V), mask)


@misconception(
    step="self_attention",
    caught_by="self_attention-a_mask_for_each",
    title="a causal mask is added to every mask",
)
def later_tokens_always_hidden(X, W_Q, W_K, W_V, mask=None):
    """The causal mask works. Let a token of the second check look ahead and print the mask that you pass on: is it the one that came?"""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    if mask is not None:
        mask = mask & causal_mask(X.shape[-2])
    return scaled_dot_product_attention(Q, K, V, mask)


@misconception(
    step="self_attention",
    caught_by="self_attention-any_batch",
    title="a mask gets a head axis that nobody asked for",
)
def head_axis_for_two_leading_ones(X, W_Q, W_K, W_V, mask=None):
    """One leading axis works, two with a mask do not. Stack the second check's X twice in each of two new axes and print the mask that you pass on: does one mask for all need a new axis?"""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    if mask is not None and X.ndim == 4:
        mask = mask[:, None]
    return scaled_dot_product_attention(Q, K, V, mask)


@misconception(step="self_attention", caught_by="self_attention-a_mask_for_each")
def padding_hides_queries_too(X, W_Q, W_K, W_V, mask=None):
    """Tokens that are padding look at nobody. Print the mask of the third check as you pass it on: does it say anything about queries?"""
    if mask is not None and mask.ndim > 1 and mask.shape[-2] == 1:
        mask = mask & np.swapaxes(mask, -1, -2)
    return scaled_dot_product_attention(*project_qkv(X, W_Q, W_K, W_V), mask)


# 11. split_heads


@misconception(
    step="split_heads",
    caught_by="split_heads-by_hand",
    title="the tokens are cut into heads, not the features",
)
def sequence_cut(X, num_heads):
    """You cut the sequence. Print the shape of one of your heads in the first check: how many tokens should every head see?"""
    *lead, n, d_model = X.shape
    return X.reshape(*lead, num_heads, n // num_heads, d_model)


@misconception(
    step="split_heads",
    caught_by="split_heads-by_hand",
    title="reshaped without moving an axis: tokens are mixed",
)
def reshape_alone(X, num_heads):
    """The shape is right, but the numbers of several tokens are mixed. Print head 0 of the first check: whose features stand in its first two rows?"""
    *lead, n, d_model = X.shape
    if d_model % num_heads:
        raise ValueError("does not divide")
    return X.reshape(*lead, num_heads, n, d_model // num_heads)


@misconception(step="split_heads", caught_by="split_heads-by_hand", family="heads_not_in_front")
def heads_behind_the_tokens(X, num_heads):
    """All numbers are right, but the axes are not in place. Print the shape of your result in the first check: which axis is the head, and where should it stand?"""
    *lead, n, d_model = X.shape
    if d_model % num_heads:
        raise ValueError("does not divide")
    return X.reshape(*lead, n, num_heads, d_model // num_heads)


@misconception(step="split_heads", caught_by="split_heads-by_hand", family="features_dealt_out")
def every_second_feature(X, num_heads):
    """Head 0 gets features 0 and 2. Print head 0 of the first check: do its two features stand side by side in X?"""
    if X.shape[-1] % num_heads:
        raise ValueError("does not divide")
    return np.stack([X[..., h::num_heads] for h in range(num_heads)], axis=-3)


@misconception(
    step="split_heads",
    caught_by="split_heads-by_hand",
    family="features_dealt_out",
    title="features dealt out to the heads in turn",
)
def heads_as_the_fastest_axis(X, num_heads):
    """Head 0 gets features 0 and 2. Print head 0 of the first check: which of the two new axes do neighbours in X run along?"""
    *lead, n, d_model = X.shape
    if d_model % num_heads:
        raise ValueError("does not divide")
    return np.moveaxis(X.reshape(*lead, n, d_model // num_heads, num_heads), -1, -3)


@misconception(step="split_heads", caught_by="split_heads-by_hand")
def same_block_for_every_head(X, num_heads):
    """All your heads are equal. Print them in the first check: who looks at features 2 and 3?"""
    if X.shape[-1] % num_heads:
        raise ValueError("does not divide")
    width = X.shape[-1] // num_heads
    return np.stack([X[..., :width] for h in range(num_heads)], axis=-3)


@misconception(step="split_heads", caught_by="split_heads-by_hand", family="heads_not_in_front")
def list_of_every_token(X, num_heads):
    """Your outermost axis runs over tokens. Print the shape of your result in the first check: what would the first entry be to a caller who asks for head 0?"""
    width = X.shape[-1] // num_heads
    if X.shape[-1] % num_heads:
        raise ValueError("does not divide")
    return [[token[..., h * width : (h + 1) * width] for h in range(num_heads)] for token in X]


@misconception(step="split_heads", caught_by="split_heads-by_hand")
def axes_turned_over_completely(X, num_heads):
    """Tokens and features have changed places as well. Print the shape of your result in the first check: which two axes had to move, and which did?"""
    *lead, n, d_model = X.shape
    if d_model % num_heads:
        raise ValueError("does not divide")
    return np.moveaxis(X.reshape(*lead, n, num_heads, d_model // num_heads), -3, -1)


@misconception(step="split_heads", caught_by="split_heads-refuses_what_does_not_divide")
def heads_of_num_heads_features(X, num_heads):
    """Two heads of two features are right, three heads of six features are not. Print how many heads you get there: which of the two numbers is num_heads?"""
    *lead, n, d_model = X.shape
    if d_model % num_heads:
        raise ValueError("does not divide")
    return np.swapaxes(X.reshape(*lead, n, d_model // num_heads, num_heads), -3, -2)


@misconception(step="split_heads", caught_by="split_heads-refuses_what_does_not_divide")
def rest_dropped(X, num_heads):
    """Four heads of six features come back without a word. Print how many features your heads have together: where are the others?"""
    width = X.shape[-1] // num_heads
    return np.stack([X[..., h * width : (h + 1) * width] for h in range(num_heads)], axis=-3)


@misconception(step="split_heads", caught_by="split_heads-refuses_what_does_not_divide")
def rest_padded_with_zeros(X, num_heads):
    """Four heads of six features come back, filled up with zeros. Print them: what does the docstring want to happen to such a call?"""
    missing = -X.shape[-1] % num_heads
    X = np.concatenate([X, np.zeros((*X.shape[:-1], missing))], axis=-1)
    width = X.shape[-1] // num_heads
    return np.stack([X[..., h * width : (h + 1) * width] for h in range(num_heads)], axis=-3)


@misconception(
    step="split_heads",
    caught_by="split_heads-refuses_what_does_not_divide",
    title="a message is printed instead of an error",
)
def message_instead_of_an_error(X, num_heads):
    """You say that it does not divide, and then go on. Print what a call with four heads of six features returns: will the code that called you notice?"""
    if X.shape[-1] % num_heads:
        print("num_heads must divide the number of features")
        return None
    return np.stack(np.split(X, num_heads, axis=-1), axis=-3)


@misconception(step="split_heads", caught_by="split_heads-batch_of_two")
def transposed_for_three_axes(X, num_heads):
    """One sequence works, a batch stops your function. Stack the first check's X twice and print the number of axes after your cut: how many did you count on?"""
    *lead, n, d_model = X.shape
    if d_model % num_heads:
        raise ValueError("does not divide")
    return X.reshape(*lead, n, num_heads, d_model // num_heads).transpose(1, 0, 2)


@misconception(step="split_heads", caught_by="split_heads-batch_of_two")
def first_two_axes_swapped(X, num_heads):
    """One sequence works. Stack the first check's X twice and print the shape of your result: which two axes traded places, and which should have?"""
    *lead, n, d_model = X.shape
    if d_model % num_heads:
        raise ValueError("does not divide")
    return np.swapaxes(X.reshape(*lead, n, num_heads, d_model // num_heads), 0, 1)


@misconception(
    step="split_heads",
    caught_by="split_heads-batch_of_two",
    title="the head axis stands before the batch",
)
def heads_before_the_batch(X, num_heads):
    """One sequence works; in a batch the heads come first of all. Stack the first check's X twice and print the shape of your result: which axis is the batch?"""
    return np.stack(np.split(X, num_heads, axis=-1))


@misconception(step="split_heads", caught_by="split_heads-any_batch")
def one_batch_axis_at_most(X, num_heads):
    """It works without a batch and with one axis of it. Stack the first check's X twice in each of two new axes and print the shape: from which end do you count?"""
    *lead, n, d_model = X.shape
    if d_model % num_heads:
        raise ValueError("does not divide")
    parts = X.reshape(*lead, n, num_heads, d_model // num_heads)
    return parts.transpose(1, 0, 2) if parts.ndim == 3 else parts.transpose(0, 2, 1, 3)


@misconception(step="split_heads", caught_by="split_heads-contiguous_blocks")
def no_axis_for_a_single_head(X, num_heads):
    """It goes wrong for a single head. Print the shape of your result for num_heads = 1: which axis does the next step look for?"""
    if num_heads == 1 and X.ndim == 2:
        return X
    return np.stack(np.split(X, num_heads, axis=-1), axis=-3)


@misconception(
    step="split_heads", caught_by="split_heads-inputs_unchanged", title="X is changed in place"
)
def callers_array_reshaped(X, num_heads):
    """Your result is right. Print the shape of X before and after the call: whose array has a new shape?"""
    heads = np.stack(np.split(X, num_heads, axis=-1), axis=-3)
    X.shape = (*X.shape[:-1], num_heads, X.shape[-1] // num_heads)
    return heads


@misconception(
    step="split_heads",
    caught_by="split_heads-refuses_what_does_not_divide",
    title="-1 for the tokens lets reshape take features for tokens",
)
def tokens_left_to_reshape(X, num_heads):
    """Four heads of six features come back, with another number of tokens. Print the shapes before and after your reshape: which number did it choose by itself?"""
    d_head = X.shape[-1] // num_heads
    return np.swapaxes(X.reshape(*X.shape[:-2], -1, num_heads, d_head), -3, -2)


@misconception(
    step="split_heads",
    caught_by="split_heads-contiguous_blocks",
    title="refuses only a remainder of one half",
)
def halves_alone_refused(X, num_heads):
    """Six features are refused for four heads, others are not that do not fit either. Print your test for seven features and three heads: what does it ask?"""
    d_model = X.shape[-1]
    if (d_model / num_heads) % 1 == 0.5:
        raise ValueError("does not divide")
    width = d_model // num_heads
    return np.stack([X[..., h * width : (h + 1) * width] for h in range(num_heads)], axis=-3)


@misconception(
    step="split_heads",
    caught_by="split_heads-contiguous_blocks",
    title="more heads than features give empty heads",
)
def more_heads_than_features_let_through(X, num_heads):
    """Seven features and three heads are refused, two features and three heads are not. Print the shape of what comes back: how long is a head?"""
    d_model = X.shape[-1]
    width = d_model // num_heads
    if width and d_model % width:
        raise ValueError("does not divide")
    if width * num_heads != d_model and width:
        raise ValueError("does not divide")
    return np.stack([X[..., h * width : (h + 1) * width] for h in range(num_heads)], axis=-3)


@misconception(
    step="split_heads",
    caught_by="split_heads-contiguous_blocks",
    title="refuses where one or two features are left over",
)
def some_rests_let_through(X, num_heads):
    """Seven features and three heads are refused, eight and five are not. Print what is left over in both: which rests does your test ask for?"""
    d_model = X.shape[-1]
    if d_model % num_heads in (1, 2):
        raise ValueError("does not divide")
    width = d_model // num_heads
    return np.stack([X[..., h * width : (h + 1) * width] for h in range(num_heads)], axis=-3)


@misconception(step="split_heads", caught_by="split_heads-any_batch")
def single_head_in_front_of_the_batch(X, num_heads):
    """A single head works for one sequence, not for several. Print the shape of your result for two sequences and one head: in front of which axis does the head go?"""
    if X.shape[-1] % num_heads:
        raise ValueError("the heads would be uneven")
    if num_heads == 1:
        return X[None]
    return np.swapaxes(X.reshape(*X.shape[:-1], num_heads, -1), -3, -2)


# 12. concat_heads


@misconception(
    step="concat_heads",
    caught_by="concat_heads-by_hand",
    title="reshaped without moving an axis: tokens are mixed",
)
def reshaped_without_moving_an_axis(heads):
    """The shape is right, but tokens are mixed. Print row 0 in the first check: do all four of its numbers come from token 0?"""
    *lead, num_heads, n, d_head = heads.shape
    return heads.reshape(*lead, n, num_heads * d_head)


@misconception(step="concat_heads", caught_by="concat_heads-by_hand")
def features_interleaved(heads):
    """The right numbers are in each row, in another order. Print row 0 in the first check: which two of them came from head 0, and are they still neighbours?"""
    *lead, num_heads, n, d_head = heads.shape
    return np.moveaxis(heads, -3, -1).reshape(*lead, n, num_heads * d_head)


@misconception(
    step="concat_heads",
    caught_by="concat_heads-by_hand",
    title="heads stacked below each other, along the tokens",
)
def heads_below_each_other(heads):
    """Your result has as many rows as all heads together. Print its shape in the first check: how many tokens are there?"""
    *lead, num_heads, n, d_head = heads.shape
    return heads.reshape(*lead, num_heads * n, d_head)


@misconception(step="concat_heads", caught_by="concat_heads-by_hand")
def mean_of_the_heads(heads):
    """Your result is as narrow as one head. Print its shape in the first check: can the next step still tell the heads apart?"""
    return heads.mean(axis=-3)


@misconception(step="concat_heads", caught_by="concat_heads-by_hand")
def sum_of_the_heads(heads):
    """Your result is as narrow as one head. Print row 0 in the first check and both heads' row 0: what became of the two?"""
    return heads.sum(axis=-3)


@misconception(step="concat_heads", caught_by="concat_heads-by_hand")
def axes_swapped_but_not_merged(heads):
    """The numbers are in order, in an axis too many. Print the shape of your result in the first check: which two of its axes should be one?"""
    return np.swapaxes(heads, -3, -2)


@misconception(step="concat_heads", caught_by="concat_heads-by_hand")
def last_head_first(heads):
    """Whole heads stand side by side, in another order. Print row 0 in the first check: which head comes first?"""
    return np.concatenate([heads[..., h, :, :] for h in reversed(range(heads.shape[-3]))], axis=-1)


@misconception(step="concat_heads", caught_by="concat_heads-by_hand")
def everything_turned_over(heads):
    """The shape is right, but the features of a head are no longer together. Print row 0 in the first check: what does turning over all axes at once do to them?"""
    *lead, num_heads, n, d_head = heads.shape
    return heads.T.reshape(*lead, n, num_heads * d_head)


@misconception(step="concat_heads", caught_by="concat_heads-by_hand")
def only_the_first_head(heads):
    """Your result is as narrow as one head. Print it beside head 1 of the first check: who has found out what head 1 did?"""
    return heads[..., 0, :, :]


@misconception(step="concat_heads", caught_by="concat_heads-whole_heads")
def two_heads_always(heads):
    """Two heads are right, one or three are not. Print the shape of your result for three heads: who counts them?"""
    return np.concatenate([heads[..., 0, :, :], heads[..., 1, :, :]], axis=-1)


@misconception(step="concat_heads", caught_by="concat_heads-whole_heads")
def single_head_left_alone(heads):
    """It goes wrong for a single head. Print the shape of your result for one head: which axis is still there?"""
    if heads.shape[-3] == 1:
        return heads
    return np.concatenate([heads[..., h, :, :] for h in range(heads.shape[-3])], axis=-1)


@misconception(step="concat_heads", caught_by="concat_heads-batch_of_two")
def first_two_axes_exchanged(heads):
    """One sequence works. Stack the first check's heads twice and print the shapes on the way: which two axes traded places, and which should have?"""
    *lead, num_heads, n, d_head = heads.shape
    return np.swapaxes(heads, 0, 1).reshape(*lead, n, num_heads * d_head)


@misconception(step="concat_heads", caught_by="concat_heads-any_batch")
def at_most_one_batch_axis(heads):
    """It works without a batch and with one axis of it. Stack the first check's heads in two new axes and print the shape: from which end do you count?"""
    *lead, num_heads, n, d_head = heads.shape
    turned = heads.transpose(1, 0, 2) if heads.ndim == 3 else heads.transpose(0, 2, 1, 3)
    return turned.reshape(*lead, n, num_heads * d_head)


@misconception(step="concat_heads", caught_by="concat_heads-inputs_unchanged")
def heads_cleared_afterwards(heads):
    """Your first answer is right, a second call differs. Print the heads before and after one call: who has emptied them?"""
    together = np.concatenate([heads[..., h, :, :] for h in range(heads.shape[-3])], axis=-1)
    heads[...] = 0.0
    return together


@misconception(step="concat_heads", caught_by="concat_heads-any_batch")
def every_axis_of_one_squeezed_from_a_single_head(heads):
    """A single head of several tokens works, one of a single token does not. Print the shape of your result for heads of shape (1, 1, 2): which axis should be gone, and which are?"""
    if heads.shape[-3] == 1:
        return heads.squeeze()
    return np.concatenate([heads[..., h, :, :] for h in range(heads.shape[-3])], axis=-1)


# 13. multi_head_attention


@misconception(
    step="multi_head_attention", caught_by="multi_head_attention-by_hand", title="W_O is not used"
)
def output_matrix_forgotten(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Your heads are right and stand side by side. Change W_O in the first check and print your output: does it notice?"""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and mask.ndim > 2:
        mask = mask[:, None]
    heads, weights = scaled_dot_product_attention(Q, K, V, mask)
    return concat_heads(heads)


@misconception(step="multi_head_attention", caught_by="multi_head_attention-by_hand")
def output_matrix_turned(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Your heads are right and stand side by side. Print W_O as it arrives and as you use it in the first check: is it the same?"""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and mask.ndim > 2:
        mask = mask[:, None]
    heads, weights = scaled_dot_product_attention(Q, K, V, mask)
    return concat_heads(heads) @ W_O.T


@misconception(
    step="multi_head_attention",
    caught_by="multi_head_attention-by_hand",
    title="W_O comes before the heads, on the values",
)
def output_matrix_on_the_values(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Each head blends values that belong to several heads already. Print the values of both heads in the first check: is every column of them X times a column of W_V?"""
    Q, K, V = (split_heads(role, num_heads) for role in project_qkv(X, W_Q, W_K, W_V @ W_O))
    if mask is not None and np.ndim(mask) > 2:
        mask = np.expand_dims(mask, -3)
    return concat_heads(scaled_dot_product_attention(Q, K, V, mask)[0])


@misconception(
    step="multi_head_attention",
    caught_by="multi_head_attention-by_hand",
    title="W_O comes first, on X, not last, on the heads",
)
def output_matrix_first(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Your heads read tokens that something has mixed already. Print what project_qkv gets in the first check: is it X?"""
    Q, K, V = (split_heads(role, num_heads) for role in project_qkv(X @ W_O, W_Q, W_K, W_V))
    if mask is not None and np.ndim(mask) > 2:
        mask = np.expand_dims(mask, -3)
    return concat_heads(scaled_dot_product_attention(Q, K, V, mask)[0])


@misconception(
    step="multi_head_attention",
    caught_by="multi_head_attention-by_hand",
    title="one large head instead of several",
)
def one_big_head(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Your output is the same for any number of heads. Print it in the first check for one head and for two: where does num_heads act?"""
    output, weights = self_attention(X, W_Q, W_K, W_V, mask)
    return output @ W_O


@misconception(
    step="multi_head_attention",
    caught_by="multi_head_attention-by_hand",
    title="causal where no mask is given",
)
def looks_back_unless_told(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Your first token sees only itself, although nobody hid anything. Print its weights in the first check: where does your mask come from?"""
    Q, K, V = (split_heads(role, num_heads) for role in project_qkv(X, W_Q, W_K, W_V))
    mask = causal_mask(X.shape[-2]) if mask is None else mask
    if np.ndim(mask) > 2:
        mask = np.expand_dims(mask, -3)
    return concat_heads(scaled_dot_product_attention(Q, K, V, mask)[0]) @ W_O


@misconception(step="multi_head_attention", caught_by="multi_head_attention-by_hand")
def weights_returned_too(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """You return two things where one is expected. Print the type of your result: what does the docstring of this step promise?"""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and mask.ndim > 2:
        mask = mask[:, None]
    heads, weights = scaled_dot_product_attention(Q, K, V, mask)
    return concat_heads(heads) @ W_O, weights


@misconception(
    step="multi_head_attention",
    caught_by="multi_head_attention-by_hand",
    title="scaled by d_model, not by the width of a head",
)
def scaled_by_the_whole_model(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Your weights are too even. Print the number by which you scale in the first check: how long are the vectors inside one head?"""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    scores = scale_scores(attention_scores(Q, K), X.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask[:, None] if mask.ndim > 2 else mask)
    return concat_heads(weighted_sum(softmax(scores), V)) @ W_O


@misconception(step="multi_head_attention", caught_by="multi_head_attention-by_hand")
def scaled_by_the_number_of_heads(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Print the number by which you scale in the first check, where each head has one feature: what did you count instead?"""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    scores = scale_scores(attention_scores(Q, K), num_heads)
    if mask is not None:
        scores = apply_mask(scores, mask[:, None] if mask.ndim > 2 else mask)
    return concat_heads(weighted_sum(softmax(scores), V)) @ W_O


@misconception(step="multi_head_attention", caught_by="multi_head_attention-by_hand")
def keys_and_queries_exchanged(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Two of the three views have changed places. Print each head's output in the first check and compare with the comment there: which view did you unpack first?"""
    K, Q, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and mask.ndim > 2:
        mask = mask[:, None]
    heads, weights = scaled_dot_product_attention(Q, K, V, mask)
    return concat_heads(heads) @ W_O


@misconception(step="multi_head_attention", caught_by="multi_head_attention-by_hand")
def tokens_cut_without_projecting(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Your heads look at the tokens themselves. Change W_K in the first check and print your output: does it notice?"""
    heads_of_X = split_heads(X, num_heads)
    if mask is not None and mask.ndim > 2:
        mask = mask[:, None]
    heads, weights = scaled_dot_product_attention(heads_of_X, heads_of_X, heads_of_X, mask)
    return concat_heads(heads) @ W_O


@misconception(step="multi_head_attention", caught_by="multi_head_attention-by_hand")
def tokens_cut_before_they_are_projected(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """You cut the tokens before you project them. Print the shape of what W_Q is multiplied with in the first check: how many features of a token does W_Q need?"""
    Q, K, V = project_qkv(split_heads(X, num_heads), W_Q, W_K, W_V)
    if mask is not None and mask.ndim > 2:
        mask = mask[:, None]
    heads, weights = scaled_dot_product_attention(Q, K, V, mask)
    return concat_heads(heads) @ W_O


@misconception(step="multi_head_attention", caught_by="multi_head_attention-by_hand")
def heads_averaged(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """What your heads found out is mixed before W_O sees it. Print what you multiply by W_O in the first check: does head 0 still own its column?"""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and mask.ndim > 2:
        mask = mask[:, None]
    heads, weights = scaled_dot_product_attention(Q, K, V, mask)
    return np.tile(heads.mean(axis=-3), num_heads) @ W_O


@misconception(
    step="multi_head_attention",
    caught_by="multi_head_attention-by_hand",
    title="values are not split: every head blends all features",
)
def values_whole_in_every_head(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Your queries and keys are in heads, your values are not. Print the three shapes that a head works on in the first check: how long is a value there?"""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    Q, K, V = split_heads(Q, num_heads), split_heads(K, num_heads), np.expand_dims(V, -3)
    if mask is not None and np.ndim(mask) > 2:
        mask = np.expand_dims(mask, -3)
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    if mask is not None:
        weights = softmax(apply_mask(scale_scores(attention_scores(Q, K), Q.shape[-1]), mask))
    return (
        weighted_sum(weights, np.broadcast_to(V, (*weights.shape[:-2], *V.shape[-2:]))).mean(
            axis=-3
        )
        @ W_O
    )


@misconception(step="multi_head_attention", caught_by="multi_head_attention-by_hand")
def heads_merged_by_reshape_alone(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Each head is right, but rows of different tokens are mixed when they come together. Print what you multiply by W_O in the first check: which token is row 0?"""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and mask.ndim > 2:
        mask = mask[:, None]
    heads, weights = scaled_dot_product_attention(Q, K, V, mask)
    return heads.reshape(X.shape) @ W_O


@misconception(step="multi_head_attention", caught_by="multi_head_attention-by_hand")
def heads_cut_by_reshape_alone(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Your heads mix features of different tokens. Print head 0 of the queries in the first check: does it hold one number of each token?"""
    *lead, n, d_model = X.shape
    Q, K, V = (
        part.reshape(*lead, num_heads, n, d_model // num_heads)
        for part in project_qkv(X, W_Q, W_K, W_V)
    )
    if mask is not None and mask.ndim > 2:
        mask = mask[:, None]
    heads, weights = scaled_dot_product_attention(Q, K, V, mask)
    return concat_heads(heads) @ W_O


@misconception(step="multi_head_attention", caught_by="multi_head_attention-by_hand")
def first_block_for_every_head(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """All your heads find out the same. Print each head's output in the first check: which columns of the matrices does head 1 own?"""
    width = X.shape[-1] // num_heads
    blocks = [
        self_attention(X, W_Q[:, :width], W_K[:, :width], W_V[:, :width], mask)[0]
        for h in range(num_heads)
    ]
    return np.concatenate(blocks, axis=-1) @ W_O


@misconception(step="multi_head_attention", caught_by="multi_head_attention-by_hand")
def tokens_cut_before_projecting(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Each of your heads sees only some features of a token. Print the shapes that meet W_Q in the first check: what gets cut, the tokens or their projections?"""
    width = X.shape[-1] // num_heads
    blocks = []
    for h in range(num_heads):
        own = slice(h * width, (h + 1) * width)
        blocks.append(
            self_attention(X[..., own], W_Q[own, own], W_K[own, own], W_V[own, own], mask)[0]
        )
    return np.concatenate(blocks, axis=-1) @ W_O


@misconception(
    step="multi_head_attention",
    caught_by="multi_head_attention-heads_in_blocks",
    title="the scores in the heads are not scaled",
)
def not_scaled_in_the_heads(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Heads of one feature come out right, wider ones do not. Print what you give to softmax for heads of four features: which step is missing?"""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    scores = attention_scores(Q, K)
    if mask is not None:
        scores = apply_mask(scores, mask[:, None] if mask.ndim > 2 else mask)
    return concat_heads(weighted_sum(softmax(scores), V)) @ W_O


@misconception(step="multi_head_attention", caught_by="multi_head_attention-heads_in_blocks")
def features_dealt_out_in_turn(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Heads of one feature come out right, wider ones do not. Print which columns of W_Q head 0 uses for four features and two heads: are they neighbours?"""
    blocks = []
    for h in range(num_heads):
        own = slice(h, None, num_heads)
        blocks.append(self_attention(X, W_Q[:, own], W_K[:, own], W_V[:, own], mask)[0])
    return np.concatenate(blocks, axis=-1) @ W_O


@misconception(step="multi_head_attention", caught_by="multi_head_attention-heads_in_blocks")
def features_dealt_out_and_put_back(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Heads of one feature come out right, wider ones do not. Print which columns of W_Q head 0 uses for four features and two heads: are they neighbours?"""
    output = np.empty(X.shape)
    for h in range(num_heads):
        own = slice(h, None, num_heads)
        output[..., own] = self_attention(X, W_Q[:, own], W_K[:, own], W_V[:, own], mask)[0]
    return output @ W_O


@misconception(step="multi_head_attention", caught_by="multi_head_attention-heads_in_blocks")
def features_interleaved_on_the_way_out(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Heads of one feature come out right, wider ones do not. Print what you multiply by W_O for two heads of two features: do both features of head 0 come first?"""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and mask.ndim > 2:
        mask = mask[:, None]
    heads, weights = scaled_dot_product_attention(Q, K, V, mask)
    return np.moveaxis(heads, -3, -1).reshape(X.shape) @ W_O


@misconception(
    step="multi_head_attention",
    caught_by="multi_head_attention-batch_of_two",
    title="a batch is not expected",
)
def no_batch_at_all(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """One sequence works, a batch does not. Stack the first check's X twice and print its shape: which of your lines counts on exactly two axes?"""
    n, d_model = X.shape
    Q, K, V = (
        (X @ W).reshape(n, num_heads, d_model // num_heads).transpose(1, 0, 2)
        for W in (W_Q, W_K, W_V)
    )
    heads, weights = scaled_dot_product_attention(Q, K, V, mask)
    return heads.transpose(1, 0, 2).reshape(n, d_model) @ W_O


@misconception(step="multi_head_attention", caught_by="multi_head_attention-any_batch")
def exactly_one_batch_axis(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """It works without a batch and with one axis of it. Stack the first check's X in two new axes and print the shape: from which end do you count?"""
    batched = X if X.ndim > 2 else X[None]
    b, n, d_model = batched.shape
    Q, K, V = (
        (batched @ W).reshape(b, n, num_heads, d_model // num_heads).transpose(0, 2, 1, 3)
        for W in (W_Q, W_K, W_V)
    )
    if mask is not None and mask.ndim > 2:
        mask = mask[:, None]
    heads, weights = scaled_dot_product_attention(Q, K, V, mask)
    return heads.transpose(0, 2, 1, 3).reshape(X.shape) @ W_O


@misconception(
    step="multi_head_attention",
    caught_by="multi_head_attention-batch_of_two",
    title="the mask is not passed on",
)
def mask_not_passed_on(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """With a mask your output is the same as without. Call it with causal_mask(2) on the first check's arrays and print the output: where does your mask go?"""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    heads, weights = scaled_dot_product_attention(Q, K, V)
    return concat_heads(heads) @ W_O


@misconception(
    step="multi_head_attention",
    caught_by="multi_head_attention-batch_of_two",
    family="mask_misses_its_heads",
)
def head_axis_in_front_of_the_batch(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """A mask for all works, one for each sequence does not. Print its shape as you pass it on beside that of the scores: does the batch meet the batch?"""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None:
        mask = mask[None]
    heads, weights = scaled_dot_product_attention(Q, K, V, mask)
    return concat_heads(heads) @ W_O


@misconception(step="multi_head_attention", caught_by="multi_head_attention-batch_of_two")
def mask_of_the_first_sequence_for_all(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """In a batch every sequence gets the first one's mask. Print the mask that you pass on for a batch of two: what has become of the second?"""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and mask.ndim == 3:
        mask = mask[0]
    heads, weights = scaled_dot_product_attention(Q, K, V, mask)
    return concat_heads(heads) @ W_O


@misconception(step="multi_head_attention", caught_by="multi_head_attention-batch_of_two")
def mask_rows_and_columns_exchanged(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Under causal_mask(2) your second token loses its past. Print its weights there: which axis of the mask belongs to the token that asks?"""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None:
        mask = np.swapaxes(mask, -1, -2)
        mask = mask[:, None] if mask.ndim > 2 else mask
    heads, weights = scaled_dot_product_attention(Q, K, V, mask)
    return concat_heads(heads) @ W_O


@misconception(step="multi_head_attention", caught_by="multi_head_attention-thousands")
def naive_softmax_in_every_head(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Scores in the thousands break it. Print your exponentials for the first check with W_Q times 10000: has one of your earlier steps not solved this already?"""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask[:, None] if mask.ndim > 2 else mask)
    powers = np.exp(scores)
    return concat_heads(weighted_sum(powers / powers.sum(axis=-1, keepdims=True), V)) @ W_O


@misconception(step="multi_head_attention", caught_by="multi_head_attention-thousands")
def one_maximum_for_all_heads(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Small scores suffer beside large ones. Multiply the first token of the first check by 10000 and print the other token's weights: what did you take off its scores?"""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask[:, None] if mask.ndim > 2 else mask)
    powers = np.exp(scores - scores.max())
    return concat_heads(weighted_sum(powers / powers.sum(axis=-1, keepdims=True), V)) @ W_O


@misconception(step="multi_head_attention", caught_by="multi_head_attention-inputs_unchanged")
def output_added_to_the_tokens(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Your first answer is right, a second call differs. Print X before and after one call: who has changed the tokens?"""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and mask.ndim > 2:
        mask = mask[:, None]
    heads, weights = scaled_dot_product_attention(Q, K, V, mask)
    output = concat_heads(heads) @ W_O
    X += output
    return output


@misconception(
    step="multi_head_attention",
    caught_by="multi_head_attention-no_key_for_a_query",
    title="a head axis is added to masks of two axes, too",
)
def head_axis_for_every_mask(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Masks with a batch work, a plain one for all does not. Print the shape of causal_mask(3) as you pass it on: what do its axes meet now?"""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None:
        mask = mask[:, None]
    heads, weights = scaled_dot_product_attention(Q, K, V, mask)
    return concat_heads(heads) @ W_O


@misconception(
    step="multi_head_attention",
    caught_by="multi_head_attention-large_scores",
    title="masked after softmax, then shared out again",
)
def heads_masked_after_softmax(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Ordinary scores are fine. Let a hidden token score 3000 above the allowed ones and print your weights: what was left to share out when your mask came?"""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    if mask is not None:
        weights = weights * (mask if np.ndim(mask) == 2 else np.expand_dims(mask, -3))
        weights = weights / weights.sum(axis=-1, keepdims=True)
    return concat_heads(weights @ V) @ W_O


@misconception(
    step="multi_head_attention",
    caught_by="multi_head_attention-masks",
    title="masked after softmax, then divided by the sum and a small number",
)
def heads_masked_after_softmax_with_a_small_number(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Ordinary scores are fine. Let a hidden token score 30 above the allowed ones and print your weights before and after the mask: how large is what you divide by?"""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    if mask is not None:
        weights = weights * (mask if np.ndim(mask) == 2 else np.expand_dims(mask, -3))
        weights = weights / (weights.sum(axis=-1, keepdims=True) + 1e-9)
    return concat_heads(weights @ V) @ W_O


@misconception(
    step="multi_head_attention",
    caught_by="multi_head_attention-large_scores",
    title="hidden scores become -100, or another number that an allowed one can reach",
)
def hidden_scores_a_hundred_below_zero(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Ordinary scores are fine. Let the allowed tokens of a small mask score -3000 and print the scores that you give to softmax: who wins now?"""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = np.where(mask if np.ndim(mask) == 2 else np.expand_dims(mask, -3), scores, -100.0)
    return concat_heads(softmax(scores) @ V) @ W_O


@misconception(
    step="multi_head_attention",
    caught_by="multi_head_attention-batch_of_two",
    title="hidden scores become 0",
)
def hidden_scores_of_nothing(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Hidden tokens keep some weight. Print the scores that you give to softmax in the second check: what is the exponential of a hidden one?"""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = np.where(mask if np.ndim(mask) == 2 else np.expand_dims(mask, -3), scores, 0.0)
    return concat_heads(softmax(scores) @ V) @ W_O


@misconception(
    step="multi_head_attention",
    caught_by="multi_head_attention-heads_in_blocks",
    title="scaled by the whole part of the root of a head's length",
)
def whole_number_scales_the_heads(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Square numbers are fine. Print the number by which you scale for heads of 8 features: is its square 8?"""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    scores = attention_scores(Q, K) / int(np.sqrt(Q.shape[-1]))
    if mask is not None:
        scores = apply_mask(scores, mask if np.ndim(mask) == 2 else np.expand_dims(mask, -3))
    return concat_heads(softmax(scores) @ V) @ W_O


@misconception(
    step="multi_head_attention",
    caught_by="multi_head_attention-no_key_for_a_query",
    title="raises an error where a query may see nobody",
)
def query_without_a_key_refused(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """A query that may see nobody stops your function, and the others get nothing either. Hide a row of a small mask and print your output: which rule speaks about it?"""
    if mask is not None and not np.any(mask, axis=-1).all():
        raise ValueError("every query needs a key")
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and np.ndim(mask) > 2:
        mask = np.expand_dims(mask, -3)
    return concat_heads(scaled_dot_product_attention(Q, K, V, mask)[0]) @ W_O


@misconception(
    step="multi_head_attention",
    caught_by="multi_head_attention-masks",
    title="a plain mask is dropped, or refused, where X has two leading axes",
)
def mask_for_one_batch_axis_alone(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """A batch with a mask works, two leading axes do not. Stack a small X twice in each of two new axes, pass a causal mask, and print its shape as you use it: did it need those axes?"""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and X.ndim > 2:
        mask = np.broadcast_to(mask, (X.shape[0], X.shape[-2], X.shape[-2]))[:, None]
    heads, weights = scaled_dot_product_attention(Q, K, V, mask)
    return concat_heads(heads) @ W_O


@misconception(
    step="multi_head_attention",
    caught_by="multi_head_attention-inputs_unchanged",
    title="the caller's mask gets a head axis",
)
def callers_mask_reshaped(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Your output is right. Print the shape of a mask with a batch before and after the call: whose array has a new axis?"""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and mask.ndim > 2:
        mask.shape = (mask.shape[0], 1, *mask.shape[1:])
    heads, weights = scaled_dot_product_attention(Q, K, V, mask)
    return concat_heads(heads) @ W_O


@misconception(step="multi_head_attention", caught_by="multi_head_attention-batch_of_two")
def mask_taken_for_one_of_the_heads(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """It goes wrong where there are as many sequences as heads. Print the shape of the mask as you pass it on in the second check: is its first axis that of the sequences, or that of the heads?"""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and np.ndim(mask) == 3 and len(mask) != num_heads:
        mask = np.expand_dims(mask, 1)
    heads, weights = scaled_dot_product_attention(Q, K, V, mask)
    return concat_heads(heads) @ W_O


# Questions that a value answers


@misconception(step="root_reason", caught_by="root_reason-answer")
def too_large_a_divisor_makes_peaks():
    """Softmax looks at differences between scores. Print the weights of the scores 0, 1, 2 and of the same scores divided by 8: which of the two rows is more even?"""
    return "b"


@misconception(step="root_reason", caught_by="root_reason-answer")
def softmax_ignores_the_scale():
    """Softmax ignores a number that is added to all scores, not one that they are divided by. Print the weights of 0, 1, 2 and of 0, 10, 20: are they the same?"""
    return "c"


@misconception(step="root_reason", caught_by="root_reason-answer")
def sums_depend_on_the_scale():
    """Softmax divides each row by its own total. Print the sums of the weights of 0, 1, 2 and of 0, 10, 20: can the size of the scores change them?"""
    return "d"


@misconception(step="zero_for_hidden", caught_by="zero_for_hidden-answer")
def zero_hides():
    """A score of 0 is not a weight of 0. Print the exponentials of the four scores: which two are larger?"""
    return 0


@misconception(step="zero_for_hidden", caught_by="zero_for_hidden-answer")
def all_keys_alike():
    """The four scores are not all the same. Print their four exponentials: how large are they?"""
    return 0.5


@misconception(step="zero_for_hidden", caught_by="zero_for_hidden-answer")
def what_is_left_for_the_allowed():
    """This is what the two allowed keys get. Print all four weights: which two belong to the hidden keys?"""
    return 1 / (1 + math.e)


@misconception(step="score_count", caught_by="score_count-answer")
def one_score_a_token():
    """Print the shape of the scores that one head computes for one sequence: how many numbers does it hold?"""
    return 8 * 12 * 1024


@misconception(step="score_count", caught_by="score_count-answer")
def forgot_the_heads():
    """Print the shape of the scores in your multi_head_attention: which axis is missing in your product?"""
    return 8 * 1024**2


@misconception(step="score_count", caught_by="score_count-answer")
def forgot_the_batch():
    """This is what one sequence needs. Change the product so that it covers the whole call: how many sequences are there?"""
    return 12 * 1024**2

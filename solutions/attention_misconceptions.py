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
    "no_shift, shifted_the_wrong_way": "Scores in the thousands break it. Print the numbers that your exponential gets in "
    "the third check, and what it makes of them: how large may they be, and how large are they?",
    "one_maximum_for_all_rows, largest_size": "Your largest scores work. Print the second row of the third check, as "
    "you pass it to the exponential: how far from 0 is the largest of its numbers?",
    "scaled_by_the_values, scaled_by_the_number_of_queries": "Print the number by which you scale in the first check, and "
    "the shapes of Q, K and V: which of their sizes did you take, and is it the one that makes dot products large?",
    "mask_ignored, scores_multiplied_by_the_mask": "Hidden keys keep some weight. Print the scores that you give to "
    "softmax in the second check: what is the exponential of a hidden one?",
    "hidden_scores_of_zero, mask_forgotten": "Hidden keys keep some weight. Print the scores that softmax gets in the "
    "second check: did you mask them, and what is the exponential of a hidden one?",
    "hidden_scores_of_nothing, mask_not_passed_on": "Hidden tokens keep some weight. Print the scores that softmax gets "
    "in the second check: did you mask them, and what is the exponential of a hidden one?",
    "head_axis_in_front_of_the_batch, mask_taken_for_one_of_the_heads": "One mask for all works, one for each sequence does not. "
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
    """X and a matrix of weights do not line up entry by entry. Print both shapes in the first check: which two of those four numbers must match?"""
    return X * W_Q, X * W_K, X * W_V


@misconception(
    step="project_qkv", caught_by="project_qkv-by_hand", title="weights stand on the left: W @ X"
)
def weights_on_the_left(X, W_Q, W_K, W_V):
    """Your queries do not have one row for each token. Print the shapes of X and of your Q in the first check: what does a row of each represent?"""
    return W_Q @ X, W_K @ X, W_V @ X


@misconception(
    step="project_qkv",
    caught_by="project_qkv-by_hand",
    title="values made from the queries, not from X",
)
def values_from_the_queries(X, W_Q, W_K, W_V):
    """Your values pass through two matrices. Print the shape of the array you multiply by W_V in the first check: what are values made from?"""
    queries = X @ W_Q
    return queries, X @ W_K, queries @ W_V


@misconception(
    step="project_qkv",
    caught_by="project_qkv-by_hand",
    title="weights transposed, as other libraries store them",
)
def weights_turned_as_in_other_libraries(X, W_Q, W_K, W_V):
    """You use the weights in a different layout from the one they come in. Print the shape of W_Q as it arrives and as you use it: which one does the docstring promise?"""
    return X @ W_Q.T, X @ W_K.T, X @ W_V.T


@misconception(step="project_qkv", caught_by="project_qkv-by_hand")
def queries_and_keys_exchanged(X, W_Q, W_K, W_V):
    """All three parts are there, but two are swapped. Print your Q and K next to the expected ones: which matrix made which?"""
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
    """Your queries are right, but after that the shapes no longer fit. Print the shape of X before each of your lines: is it still the X that came in?"""
    X = X @ W_Q
    Q = X
    K = X @ W_K
    V = X @ W_V
    return Q, K, V


@misconception(step="project_qkv", caught_by="project_qkv-by_hand")
def values_not_projected(X, W_Q, W_K, W_V):
    """Queries and keys are right, but the values are not. Print the shape of your V: which role did W_V play in it?"""
    return X @ W_Q, X @ W_K, X


@misconception(step="project_qkv", caught_by="project_qkv-by_hand")
def values_made_from_keys(X, W_Q, W_K, W_V):
    """Queries and keys are right, but the values pass through two matrices. Print what you multiply by W_V: is it the array the docstring names?"""
    K = X @ W_K
    return X @ W_Q, K, K @ W_V


@misconception(
    step="project_qkv", caught_by="project_qkv-by_hand", title="a tanh on the projections"
)
def squashed_projections(X, W_Q, W_K, W_V):
    """None of your numbers is larger than 1. Print your Q next to the expected one: what happens to it after the product?"""
    return np.tanh(X @ W_Q), np.tanh(X @ W_K), np.tanh(X @ W_V)


@misconception(
    step="project_qkv",
    caught_by="project_qkv-by_hand",
    title="projections divided by the root of d_model",
)
def scaled_by_the_model(X, W_Q, W_K, W_V):
    """Everything is too small by the same factor. Print expected divided by yours in the first check: does the formula of this step divide by anything?"""
    root = np.sqrt(X.shape[-1])
    return X @ W_Q / root, X @ W_K / root, X @ W_V / root


@misconception(step="project_qkv", caught_by="project_qkv-by_hand")
def only_the_queries_returned(X, W_Q, W_K, W_V):
    """One array comes back where three are expected. Print the type of your result: what does the docstring's Returns promise?"""
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
    """One sequence works; in a batch of two, all tokens end up in one long list. Stack the first check's X twice and print the shape of Q: what happened to the batch axis?"""
    X = X.reshape(-1, X.shape[-1])
    return X @ W_Q, X @ W_K, X @ W_V


@misconception(
    step="project_qkv",
    caught_by="project_qkv-batch_of_two",
    family="one_sequence_only",
    title="only two axes expected: n, d = X.shape",
)
def shape_unpacked_into_two(X, W_Q, W_K, W_V):
    """One sequence works, a batch breaks your function. Stack the first check's X twice and print its shape: which of your lines assumes exactly two axes?"""
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
    """It goes wrong only for a square W. Print a 2 by 2 W before and after your function prepares it: which condition decided that?"""

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
    """Your keys are made from the queries, and your values from the keys. Print the array that you multiply each matrix by: what should all three be made from?"""
    Q = X @ W_Q
    K = Q @ W_K
    return Q, K, K @ W_V


@misconception(step="project_qkv", caught_by="project_qkv-inputs_unchanged")
def values_in_the_place_of_the_tokens(X, W_Q, W_K, W_V):
    """Your first answer is right. Print X before and after the call, with a square W_V: in whose memory are your values stored?"""
    Q, K = X @ W_Q, X @ W_K
    V = np.matmul(X, W_V, out=X) if W_V.shape[0] == W_V.shape[1] else X @ W_V
    return Q, K, V


@misconception(step="project_qkv", caught_by="project_qkv-inputs_unchanged")
def batch_flattened_in_place(X, W_Q, W_K, W_V):
    """Your answer is right, but it leaves something behind. Print X.shape before and after a call with the second check's X: who has changed it?"""
    shape = X.shape
    X.shape = (-1, shape[-1])
    return tuple((X @ W).reshape(*shape[:-1], W.shape[1]) for W in (W_Q, W_K, W_V))


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
    """The shape is right, but the numbers are not. Print K and what you made of it: are the two numbers of each key still together?"""
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


@misconception(step="attention_scores", caught_by="attention_scores-any_batch")
def scores_cut_off_at_a_limit(Q, K):
    """Large scores all become the same number. Print your largest score for Q and K whose numbers are all 200: which line sets a limit?"""
    return np.clip(Q @ np.swapaxes(K, -1, -2), -1e4, 1e4)


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
    """All six numbers are there, but rows and columns are swapped. Print the shape of your scores in the first check: what does a row belong to, and what does a column?"""
    return np.einsum("...id,...jd->...ji", Q, K)


@misconception(
    step="attention_scores",
    caught_by="attention_scores-by_hand",
    family="scores_on_their_side",
    title="rows are keys, columns queries: K @ Q.T",
)
def keys_ask_queries(Q, K):
    """All six numbers are there, but rows and columns are swapped. Print the shape of your scores in the first check: which array in your product gives the rows?"""
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
    """Your scores are all too small by the same factor. Print expected divided by yours in the first check: which later step have you done already?"""
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
    """Your rows sum to 1. Print the row sums of the expected scores: which later step have you done already?"""
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
    """None of your scores is negative, and a vector scores 0 with itself. Print the score of [3, -1] with itself by hand: does the docstring ask for a distance?"""
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
    """None of your scores is positive, and a vector scores 0 with itself. Print the score of [3, -1] with itself by hand: does the docstring ask for a distance?"""
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
    """Your scores have as many columns as there are queries. Change a key in the first check and print your scores: do they change?"""
    return Q @ np.swapaxes(Q, -1, -2)


@misconception(
    step="attention_scores",
    caught_by="attention_scores-by_hand",
    title="K.transpose(0, 2, 1): exactly three axes expected",
)
def three_axes_always(Q, K):
    """Your function works only with a batch. Print the number of axes of K in the first two checks: from which end do you count axes?"""
    return Q @ K.transpose(0, 2, 1)


@misconception(
    step="attention_scores",
    caught_by="attention_scores-batch_of_two",
    family="batch_lost",
    title="Q @ K.T turns the batch axis over, too",
)
def dot_t_on_a_batch(Q, K):
    """One sequence works, a batch of two does not. Print the shapes that your lines see in the second check, step by step: where do you lose the batch axis?"""
    return Q @ K.T


@misconception(
    step="attention_scores",
    caught_by="attention_scores-batch_of_two",
    family="pairs_across_the_batch",
    title="np.inner compares all sequences of a batch with each other",
)
def inner_on_a_batch(Q, K):
    """In the second check your scores have one axis too many. Print their shape: should a query of one sequence meet keys of another?"""
    return np.inner(Q, K)


@misconception(
    step="attention_scores",
    caught_by="attention_scores-batch_of_two",
    family="pairs_across_the_batch",
    title="np.dot compares all sequences of a batch with each other",
)
def dot_on_a_batch(Q, K):
    """In the second check your scores have one axis too many. Print their shape: how does the function that you called treat more than two axes?"""
    return np.dot(Q, np.swapaxes(K, -1, -2))


@misconception(
    step="attention_scores",
    caught_by="attention_scores-batch_of_two",
    family="batch_lost",
    title="two loops that know no batch",
)
def two_loops_over_one_sequence(Q, K):
    """One sequence works, a batch of two does not. Print the shapes that your lines see in the second check, step by step: where do you lose the batch axis?"""
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
    """It goes wrong when there are as many keys as features. Print your scores of a 2 by 2 Q and K, and one of them by hand: how does your function decide what to do with K?"""
    if Q.shape[-1] == K.shape[-2]:
        return Q @ K
    return Q @ np.swapaxes(K, -1, -2)


@misconception(
    step="attention_scores",
    caught_by="attention_scores-any_batch",
    title="a loop over one batch axis, K.T inside",
)
def loop_over_one_batch_axis(Q, K):
    """It works without a batch and with one axis of it. Stack the second check's arrays once more and print their shapes: which of your lines knows how many axes there are?"""
    if Q.ndim == 2:
        return Q @ K.T
    return np.stack([q @ k.T for q, k in zip(Q, K)])


@misconception(
    step="attention_scores",
    caught_by="attention_scores-any_batch",
    title="np.squeeze drops axes of length one",
)
def axes_of_one_dropped(Q, K):
    """It goes wrong where some size is 1. Give the first check a single query and print the shape of your scores: which axis did it lose?"""
    return np.squeeze(Q @ np.swapaxes(K, -1, -2))


@misconception(
    step="attention_scores",
    caught_by="attention_scores-inputs_unchanged",
    title="Q is changed in place",
)
def queries_prepared_for_the_next_step(Q, K):
    """Your first answer is right, but a second call differs. Print Q before and after the call: does your function leave it unchanged?"""
    scores = Q @ np.swapaxes(K, -1, -2)
    Q /= math.sqrt(Q.shape[-1])
    return scores


@misconception(
    step="attention_scores",
    caught_by="attention_scores-any_batch",
    title="axes are listed for two, three and four axes, and no more",
)
def axes_listed_one_by_one(Q, K):
    """Up to four axes work, five do not. Give the first check's arrays three new axes and print the shape of K: from which end do you count its last two?"""
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
    """Your scores have not become smaller. Print your result next to the scores you were given: where do you use d_k?"""
    return scores


@misconception(
    step="scale_scores",
    caught_by="scale_scores-by_hand",
    family="not_scaled",
    title="** (1 // 2) is a power of zero",
)
def power_of_a_whole_division(scores, d_k):
    """Your scores have not become smaller. Print your divisor alone, for d_k = 16: is it the number you expected?"""
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
    """Your scores have become too small. Print your divisor alone, for d_k = 16: which does Python compute first, a power or a division?"""
    return scores / d_k**1 / 2


@misconception(
    step="scale_scores",
    caught_by="scale_scores-by_hand",
    title="the same in brackets: ** 1 / 2 halves d_k",
)
def power_before_division_in_brackets(scores, d_k):
    """You divide by half of d_k. Print your divisor alone, for d_k = 16 and 36: which does Python compute first, a power or a division?"""
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
    """Call it twice, with d_k = 16 and d_k = 64, and print both results. Over which axis do the dot products sum?"""
    return scores / np.sqrt(scores.shape[-1])


@misconception(step="scale_scores", caught_by="scale_scores-by_hand")
def root_of_the_number_of_queries(scores, d_k):
    """Give the first check one more row of scores and print your result: should the old rows change because there is one more query?"""
    return scores / np.sqrt(scores.shape[0] if scores.ndim == 1 else scores.shape[-2])


@misconception(
    step="scale_scores",
    caught_by="scale_scores-by_hand",
    title="// cuts the scores to whole numbers",
)
def whole_division(scores, d_k):
    """One of your numbers has no decimals any more. Print your result for a score of 2: which kind of division drops the decimals?"""
    return scores // np.sqrt(d_k)


@misconception(
    step="scale_scores",
    caught_by="scale_scores-by_hand",
    title="the root of scores and d_k together",
)
def root_of_everything(scores, d_k):
    """Negative scores turn into NaN. Print your result for a score of 16 and of -8: what do you take the square root of?"""
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
    """A score of 0 is no longer 0. Print the mean of the first check's scores before and after: does the docstring ask you to shift it?"""
    return (scores - np.mean(scores)) / np.std(scores)


@misconception(step="scale_scores", caught_by="scale_scores-by_hand", title="the return is missing")
def forgotten_return(scores, d_k):
    """Your function returns nothing. Print what a call of it gives: what is its last line?"""
    scaled = scores / np.sqrt(d_k)


@misconception(
    step="scale_scores",
    caught_by="scale_scores-batch_of_two",
    title="the root is cut to a whole number",
)
def integer_root(scores, d_k):
    """Lengths like 4, 16 and 64 work, others do not. Print your divisor for d_k = 8: what happened to its decimals?"""
    return scores / int(np.sqrt(d_k))


@misconception(
    step="scale_scores",
    caught_by="scale_scores-batch_of_two",
    title="the number of the example is written into the code",
)
def number_of_the_example(scores, d_k):
    """The first check passes, but other lengths fail. Print your divisor for d_k = 16 and for d_k = 64: does it depend on d_k?"""
    return scores / 4.0


@misconception(step="scale_scores", caught_by="scale_scores-batch_of_two")
def divisor_rounded(scores, d_k):
    """Your result is slightly off where d_k is not a square number. Print your divisor for d_k = 8 with ten decimals: where do the last digits come from?"""
    return scores / round(math.sqrt(d_k), 2)


@misconception(step="scale_scores", caught_by="scale_scores-batch_of_two")
def scores_rounded(scores, d_k):
    """Your result is slightly off where d_k is not a square number. Print a result for d_k = 8 with ten decimals: does the docstring ask you to round?"""
    return np.round(scores / np.sqrt(d_k), 4)


@misconception(
    step="scale_scores",
    caught_by="scale_scores-inputs_unchanged",
    title="the scores are changed in place",
)
def scaled_in_place(scores, d_k):
    """Your first answer is right, but a second call differs. Print the scores before and after one call: is your result an array of its own?"""
    scores /= np.sqrt(d_k)
    return scores


@misconception(
    step="scale_scores",
    caught_by="scale_scores-any_length",
    title="only the lengths of the examples work",
)
def lengths_of_the_examples_only(scores, d_k):
    """It works only for the lengths in the examples. Print what you divide by for a length of 2 and of 50: where does that number come from?"""
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
    """All your weights together sum to 1. Print the sum of one row in the first check: whose weights should sum to 1?"""
    powers = np.exp(scores - scores.max())
    return powers / powers.sum()


@misconception(
    step="softmax", caught_by="softmax-by_hand", title="normalised over axis 0, the queries"
)
def over_the_queries(scores, axis=-1):
    """Your columns sum to 1. Print the sums of rows and of columns in the first check: which of them holds the weights of one query?"""
    powers = np.exp(scores - scores.max(axis=0, keepdims=True))
    return powers / powers.sum(axis=0, keepdims=True)


@misconception(
    step="softmax",
    caught_by="softmax-by_hand",
    family="lost_axis",
    title="keepdims missing in the sum",
)
def total_without_its_axis(scores, axis=-1):
    """The number you combine with each row no longer lines up with the rows. Print its shape in the first check, and that of the scores: which number meets which row?"""
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis)


@misconception(
    step="softmax",
    caught_by="softmax-by_hand",
    family="lost_axis",
    title="keepdims missing in the maximum",
)
def maximum_without_its_axis(scores, axis=-1):
    """The number you combine with each row no longer lines up with the rows. Print its shape in the first check, and that of the scores: which number meets which row?"""
    powers = np.exp(scores - scores.max(axis=axis))
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(
    step="softmax", caught_by="softmax-by_hand", title="normalised without the exponential"
)
def no_exponential(scores, axis=-1):
    """A score of log(1) is 0, and its key gets no weight. Print your weights for the scores 0, 0, 0: what makes every weight positive?"""
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
    """Your rows sum to 1, but the weights are too even. Print your weight of log(2) divided by that of log(1): what should it be?"""
    powers = np.exp2(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(step="softmax", caught_by="softmax-by_hand")
def a_millionth_added_to_the_sum(scores, axis=-1):
    """Your weights sum to a little less than 1. Print 1 minus the sum of each row: which small number do you add to what you divide by?"""
    e = np.exp(scores - np.max(scores, axis=axis, keepdims=True))
    return e / (e.sum(axis=axis, keepdims=True) + 1e-6)


@misconception(
    step="softmax",
    caught_by="softmax-by_hand",
    title="the maximum is taken off above the line and not below it",
)
def shifted_above_the_line_only(scores, axis=-1):
    """Your rows sum to less than 1. Print the exponentials that you divide in the first check, their total, and your divisor: are these the same exponentials?"""
    shifted = scores - scores.max(axis=axis, keepdims=True)
    return np.exp(shifted) / np.exp(scores).sum(axis=axis, keepdims=True)


@misconception(step="softmax", caught_by="softmax-by_hand")
def half_the_difference(scores, axis=-1):
    """Your rows sum to 1, but the weights are too even. Print what you pass to the exponential for the scores 0 and 1: how far apart are the two there?"""
    powers = np.exp((scores - scores.max(axis=axis, keepdims=True)) / 2)
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(step="softmax", caught_by="softmax-by_hand")
def sigmoid_shares(scores, axis=-1):
    """Your rows sum to 1, but the weights are too even. Print your ratio of the weights of scores 10 and 20: does a limit keep them close?"""
    powers = 1 / (1 + np.exp(-scores))
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(step="softmax", caught_by="softmax-by_hand", title="1 at the largest, 0 elsewhere")
def winner_takes_all(scores, axis=-1):
    """The best key gets all the weight. Print your first row: how much should the keys with slightly lower scores get?"""
    best = (scores == scores.max(axis=axis, keepdims=True)).astype(float)
    return best / best.sum(axis=axis, keepdims=True)


@misconception(
    step="softmax",
    caught_by="softmax-by_hand",
    title="divided by the maximum instead of shifted by it",
)
def divided_by_the_maximum(scores, axis=-1):
    """Your weights depend on the size of the scores, not on their differences. Print your weights for 1, 2 and for 11, 12: should they differ?"""
    powers = np.exp(scores / scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(
    step="softmax", caught_by="softmax-by_hand", title="signs turned: the smallest score wins"
)
def maximum_minus_scores(scores, axis=-1):
    """Your smallest score gets the largest weight. Print the scores of the first check after your shift: which of them should be 0, and what sign do the others have?"""
    powers = np.exp(scores.max(axis=axis, keepdims=True) - scores)
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(step="softmax", caught_by="softmax-by_hand")
def logarithm_of_the_weights(scores, axis=-1):
    """None of your weights is positive. Print the exponentials of your result in the first check: do you know these numbers?"""
    shifted = scores - scores.max(axis=axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


@misconception(step="softmax", caught_by="softmax-rows_sum_to_one")
def rounded_weights(scores, axis=-1):
    """Your weights end after four decimals. Print a row and its sum in the second check with ten: does the docstring ask you to round?"""
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return np.round(powers / powers.sum(axis=axis, keepdims=True), 4)


@misconception(
    step="softmax",
    caught_by="softmax-by_hand",
    title="float16: only three digits are left",
    family="few_digits",
)
def half_precision(scores, axis=-1):
    """Only the first three digits of your weights are right. Print their dtype: how many digits does it store?"""
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
    """Your rows sum to slightly less than 1. Print the sum of a row with twelve digits: what else is in your divisor?"""
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / (powers.sum(axis=axis, keepdims=True) + 1e-8)


@misconception(
    step="softmax", caught_by="softmax-rows_sum_to_one", family="a constant in the total"
)
def small_constant_in_single_precision(scores, axis=-1):
    """Your rows sum to slightly less than 1. Print the sum of a row with twelve digits: what else is in your divisor?"""
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return (powers / (powers.sum(axis=axis, keepdims=True) + 5e-6)).astype(np.float32)


@misconception(
    step="softmax",
    caught_by="softmax-large_scores",
    title="exponentials overflow: no shift by the maximum",
)
def no_shift(scores, axis=-1):
    """Scores in the thousands break it. Print the exponentials of the third check before you divide: what are they, and what is their quotient?"""
    powers = np.exp(scores)
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(step="softmax", caught_by="softmax-large_scores", title="large scores are clipped")
def clipped_scores(scores, axis=-1):
    """Large scores all get the same weight. Print the scores you pass to the exponential in the third check: are they still different?"""
    powers = np.exp(np.clip(scores, -500, 500))
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(
    step="softmax", caught_by="softmax-large_scores", title="overflow hidden with nan_to_num"
)
def nan_papered_over(scores, axis=-1):
    """No NaN is left, but no weight either. Print the row sums of the third check: was NaN the cause, or only a symptom?"""
    powers = np.exp(scores)
    return np.nan_to_num(powers / powers.sum(axis=axis, keepdims=True))


@misconception(
    step="softmax",
    caught_by="softmax-large_scores",
    title="one maximum for all rows: small rows underflow",
)
def one_maximum_for_all_rows(scores, axis=-1):
    """Your row with the largest scores is right. Print the row with the smallest scores in the third check: what is left of it after your shift?"""
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
    """Your shift makes large scores larger. Print the scores you pass to the exponential in the third check: which way should the shift move them?"""
    powers = np.exp(scores + scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(step="softmax", caught_by="softmax-survives_distant_rows")
def shifted_only_if_something_is_large(scores, axis=-1):
    """Large positive scores work. Print your weights for the single row -1000, -1001, -1002: does your function shift this row?"""
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
    """Rows far apart work, but scores far apart in one row do not. Print the row 0, 0, 4000 after your shift: which of its numbers is still too large?"""
    powers = np.exp(scores - scores.mean(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(
    step="softmax",
    caught_by="softmax-thousands_apart",
    family="shift_that_misses_the_largest",
)
def shifted_by_the_minimum(scores, axis=-1):
    """Rows far apart work, but scores far apart in one row do not. Print the row 0, 0, 4000 after your shift: how large may a number be before its exponential overflows?"""
    powers = np.exp(scores - scores.min(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(step="softmax", caught_by="softmax-survives_distant_rows")
def shifted_by_the_first_score(scores, axis=-1):
    """Your result depends on which score comes first in a row. Print your weights for 0, 4000 and for 4000, 0: which of the two breaks?"""
    powers = np.exp(scores - np.take(scores, [0], axis=axis))
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(step="softmax", caught_by="softmax-over_an_axis")
def last_axis_always(scores, axis=-1):
    """It works only along the last axis. Print the first check's result with axis=0 and its sums: does your function use the argument axis?"""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


@misconception(step="softmax", caught_by="softmax-any_axis")
def axis_one_always(scores, axis=-1):
    """It works only for matrices. Print your result for a single row, without a second axis: which axis does your code name?"""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


@misconception(step="softmax", caught_by="softmax-over_an_axis")
def maximum_over_the_last_axis(scores, axis=-1):
    """Your sums are right, but along axis 0 your weights are not. Print the first check's result with axis=0: did you subtract one number per column?"""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(
    step="softmax", caught_by="softmax-over_an_axis", title="a loop over the rows of two axes"
)
def row_by_row(scores, axis=-1):
    """It works for matrices. Print what your loop goes over when the scores have one axis, or three: is it a row each time?"""
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
    """A row in which every score is -inf breaks your function, and all other rows lose their weights, too. Print your result for such a row: which line fails?"""

    def one_row(row):
        top = max(score for score in row if score > -np.inf)
        powers = [math.exp(score - top) for score in row]
        return np.array(powers) / sum(powers)

    return np.apply_along_axis(one_row, axis, scores)


@misconception(
    step="softmax", caught_by="softmax-a_score_of_minus_infinity", title="one empty row changes all others"
)
def one_empty_row_spoils_all(scores, axis=-1):
    """A row in which every score is -inf changes the weights of all others. Print another row with and without it: why does it change?"""
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
    """Your first answer is right, but a second call differs. Print the scores before and after one call: which array holds your exponentials?"""
    shifted = scores - scores.max(axis=axis, keepdims=True)
    powers = np.exp(shifted, out=scores)
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(
    step="softmax",
    caught_by="softmax-inputs_unchanged",
    title="-inf is replaced in the caller's array",
)
def infinite_scores_replaced_in_place(scores, axis=-1):
    """Your weights are right, even where a score is -inf. Print such scores before and after the call: whose array does your function write into?"""
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
    """A score of -inf keeps some weight next to very low ones. Print your weights for -9999 and -inf: what do you replace -inf with?"""
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
    """A score of -inf spoils its neighbours when axis is not the last one. Print your weights of such a column: along which axis do you shift?"""
    top = scores.max(axis=axis, keepdims=True)
    if np.isneginf(scores).any():
        top = scores.max(axis=-1, keepdims=True)
        top = np.where(np.isneginf(top), 0.0, top)
    powers = np.exp(scores - top)
    return powers / powers.sum(axis=axis, keepdims=True)


@misconception(step="softmax", caught_by="softmax-a_score_of_minus_infinity")
def one_empty_row_empties_all(scores, axis=-1):
    """One row in which every score is -inf turns all rows into 0. Print your weights of the sixth check without its second row: which test looks at all rows together?"""
    with np.errstate(all="ignore"):
        exponentials = np.exp(scores - scores.max(axis=axis, keepdims=True))
        weights = exponentials / exponentials.sum(axis=axis, keepdims=True)
    return np.zeros_like(weights) if np.isnan(weights).any() else weights


# 5. weighted_sum


@misconception(
    step="weighted_sum", caught_by="weighted_sum-by_hand", title="factors exchanged: V @ weights"
)
def values_times_weights(weights, V):
    """Your output does not have one row for each query. Print its shape in the first check: which axis did you sum over?"""
    return V @ weights


@misconception(step="weighted_sum", caught_by="weighted_sum-by_hand")
def values_transposed(weights, V):
    """The weights of three keys meet features of values. Print the shapes of the two arrays that you multiply: which axis do they have in common?"""
    return weights @ np.swapaxes(V, -1, -2)


@misconception(step="weighted_sum", caught_by="weighted_sum-by_hand")
def weights_transposed(weights, V):
    """You use the columns of the weights. Print the row and column sums of the weights in the first check: which of them are the weights of one query?"""
    return np.swapaxes(weights, -1, -2) @ V


@misconception(
    step="weighted_sum",
    caught_by="weighted_sum-by_hand",
    title="weights and values multiplied entry by entry",
)
def cell_by_cell(weights, V):
    """Weights and values cannot be multiplied entry by entry. Print both shapes in the first check: what must each weight multiply?"""
    return weights * V


@misconception(step="weighted_sum", caught_by="weighted_sum-by_hand")
def divided_by_the_number_of_keys(weights, V):
    """Your output is too small, by the same factor everywhere. Print that factor in the first check: do the weights not sum to 1 already?"""
    return weights @ V / V.shape[-2]


@misconception(
    step="weighted_sum",
    caught_by="weighted_sum-by_hand",
    title="only the value with the largest weight is taken",
)
def best_value_only(weights, V):
    """Each of your outputs is one of the values. Print the first check's output: where is the other half of query 0's average?"""
    best = np.argmax(weights, axis=-1)
    return np.take_along_axis(V, best[..., None], axis=-2)


@misconception(
    step="weighted_sum", caught_by="weighted_sum-by_hand", title="the plain mean of the values"
)
def plain_mean(weights, V):
    """All your outputs are the same. Change a weight in the first check and print your output: does it change?"""
    return np.ones(weights.shape) @ V / V.shape[-2]


@misconception(step="weighted_sum", caught_by="weighted_sum-by_hand")
def summed_over_the_queries(weights, V):
    """Two queries went in and one row came out. Print the shape of your output in the first check: what did you sum over besides the keys?"""
    return (weights @ V).sum(axis=-2)


@misconception(step="weighted_sum", caught_by="weighted_sum-by_hand")
def weights_sent_through_softmax_again(weights, V):
    """Your averages are too even. Print the weights that you really use in the first check: did they not sum to 1 already?"""
    return softmax(weights) @ V


@misconception(step="weighted_sum", caught_by="weighted_sum-by_hand")
def letters_that_share_no_key(weights, V):
    """Every weight meets every value. Print your output with the first check's values in another order: should the output of query 0 not change?"""
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
    """One sequence works, a batch breaks your function. Stack the first check's arrays twice and print their shapes: which of your letters is the batch axis?"""
    return np.einsum("ij,jd->id", weights, V)


@misconception(step="weighted_sum", caught_by="weighted_sum-any_batch")
def axes_of_one_squeezed(weights, V):
    """It goes wrong where some size is 1. Keep one query of the first check and print the shape of your output: which axis did it lose?"""
    return np.squeeze(weights @ V)


@misconception(
    step="weighted_sum",
    caught_by="weighted_sum-no_key_for_a_query",
    title="np.average fails where all weights are zero",
)
def average_that_needs_a_total(weights, V):
    """A query that sees no key breaks your function. Call it with a row of zeros among the weights, and print that row: what do you divide by?"""
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
    """A query that may see no key breaks your function, and the others get nothing either. Print your result where one row is zeros: which rule is about this case?"""
    if not np.allclose(weights.sum(axis=-1), 1.0):
        raise ValueError("each row must sum to 1")
    return weights @ V


@misconception(step="weighted_sum", caught_by="weighted_sum-batch_of_two")
def output_as_wide_as_the_keys(weights, V):
    """The first check passes, but wider values lose columns. Give its V two more columns and print the shape of your output: how long should a row be?"""
    return (weights @ V)[..., : weights.shape[-1]]


@misconception(step="weighted_sum", caught_by="weighted_sum-square_and_unchanged")
def values_centred_in_place(weights, V):
    """Your first answer is right, but a second call differs. Print V before and after one call: whose array did your function write into?"""
    middle = V.mean(axis=-2, keepdims=True)
    V -= middle
    return weights @ V + middle


@misconception(
    step="weighted_sum",
    caught_by="weighted_sum-square_and_unchanged",
    title="rows of zeros are filled in the caller's array",
)
def empty_rows_filled_in_place(weights, V):
    """Your outputs are right, even with a row of zeros. Print such weights before and after the call: whose array does your function write into?"""
    weights[weights.sum(axis=-1) == 0] = 1 / weights.shape[-1]
    return weights @ V


# 6. causal_mask


@misconception(
    step="causal_mask",
    caught_by="causal_mask-by_hand",
    title="the past is hidden and the future seen",
)
def past_hidden_future_seen(n_queries, n_keys=None):
    """Your first token sees everything and the last only itself. Print row 0 in the first check: which keys are in its future?"""
    n_keys = n_queries if n_keys is None else n_keys
    return np.triu(np.ones((n_queries, n_keys), dtype=bool), n_keys - n_queries)


@misconception(step="causal_mask", caught_by="causal_mask-by_hand")
def true_means_hidden(n_queries, n_keys=None):
    """Every entry is the opposite of the expected one. Print your mask for a single token: what does True mean in this notebook?"""
    n_keys = n_queries if n_keys is None else n_keys
    return np.triu(np.ones((n_queries, n_keys), dtype=bool), n_keys - n_queries + 1)


@misconception(step="causal_mask", caught_by="causal_mask-more_keys_than_queries")
def last_key_alone_hidden(n_queries, n_keys=None):
    """Your mask hides at most one key from each query. Print it for 3 queries and 5 keys: which of the five keys come after query 0?"""
    if n_keys is None:
        return np.tri(n_queries, dtype=bool)
    mask = np.ones((n_queries, n_keys), dtype=bool)
    mask[:-1, -1] = False
    return mask


@misconception(step="causal_mask", caught_by="causal_mask-by_hand")
def nobody_sees_themselves(n_queries, n_keys=None):
    """Your first token sees no key. Print row 0 of the first check: may a token look at itself?"""
    n_keys = n_queries if n_keys is None else n_keys
    return np.tril(np.ones((n_queries, n_keys), dtype=bool), n_keys - n_queries - 1)


@misconception(
    step="causal_mask", caught_by="causal_mask-by_hand", title="each token sees one step ahead"
)
def one_step_ahead(n_queries, n_keys=None):
    """Your first token sees two keys. Print row 0 of the first check: which of those two comes later?"""
    n_keys = n_queries if n_keys is None else n_keys
    return np.tril(np.ones((n_queries, n_keys), dtype=bool), n_keys - n_queries + 1)


@misconception(
    step="causal_mask",
    caught_by="causal_mask-by_hand",
    title="0 and -inf instead of True and False",
)
def zero_and_minus_infinity(n_queries, n_keys=None):
    """Your pattern is right, but the entries are not. Print the first row of your mask: which two values does a mask hold in this notebook?"""
    n_keys = n_queries if n_keys is None else n_keys
    allowed = np.tril(np.ones((n_queries, n_keys), dtype=bool), n_keys - n_queries)
    return np.where(allowed, 0.0, -np.inf)


@misconception(step="causal_mask", caught_by="causal_mask-by_hand")
def axes_for_batch_and_heads(n_queries, n_keys=None):
    """Your mask has too many axes. Print its shape in the first check: which sizes did the call name?"""
    n_keys = n_queries if n_keys is None else n_keys
    return np.tril(np.ones((1, 1, n_queries, n_keys), dtype=bool), n_keys - n_queries)


@misconception(step="causal_mask", caught_by="causal_mask-by_hand")
def everybody_sees_all(n_queries, n_keys=None):
    """Your mask hides nothing. Print row 0 of the first check: which tokens come after it?"""
    return np.ones((n_queries, n_queries if n_keys is None else n_keys), dtype=bool)


@misconception(step="causal_mask", caught_by="causal_mask-by_hand")
def only_oneself(n_queries, n_keys=None):
    """Every token sees only one key. Print your last row in the first check: what happened to the past?"""
    n_keys = n_queries if n_keys is None else n_keys
    return np.eye(n_queries, n_keys, n_keys - n_queries, dtype=bool)


@misconception(
    step="causal_mask", caught_by="causal_mask-by_hand", title="a window of two positions"
)
def sees_one_step_back(n_queries, n_keys=None):
    """No token sees more than two keys. Print your last row in the first check: which tokens of its past are hidden?"""
    n_keys = n_queries if n_keys is None else n_keys
    full = np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool)
    return full & ~np.tri(n_queries, n_keys, n_keys - n_queries - 2, dtype=bool)


@misconception(step="causal_mask", caught_by="causal_mask-by_hand")
def new_tokens_do_not_see_each_other(n_queries, n_keys=None):
    """Your queries see only themselves and what came before the first query. Print your last row in the first check: which tokens in between are hidden?"""
    n_keys = n_queries if n_keys is None else n_keys
    old = n_keys - n_queries
    return (np.arange(n_keys) < old) | np.eye(n_queries, n_keys, old, dtype=bool)


@misconception(step="causal_mask", caught_by="causal_mask-by_hand")
def second_argument_needed(n_queries, n_keys=None):
    """A call with one argument breaks your function. Print n_keys in the first check: what does the docstring say about that value?"""
    return np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool)


@misconception(
    step="causal_mask",
    caught_by="causal_mask-new_tokens",
    title="aligned at the top left, not at the bottom right",
    nearly="Count from the end: the last query sees every key, each query before it one key fewer.",
)
def aligned_top_left(n_queries, n_keys=None):
    """A square mask is right. Print your mask of the second check: which of the five positions does the last query have, and how many keys does it see?"""
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
    """Your mask is always a square. Print its shape in the second check: how many queries are there?"""
    n = n_queries if n_keys is None else n_keys
    return np.tril(np.ones((n, n), dtype=bool))


@misconception(
    step="causal_mask", caught_by="causal_mask-new_tokens", title="rows are keys instead of queries"
)
def rows_for_keys(n_queries, n_keys=None):
    """A square mask is right. Print the shape of your mask in the second check: what gets a row, and what gets a column?"""
    n_keys = n_queries if n_keys is None else n_keys
    return np.array([[j <= i for i in range(n_queries)] for j in range(n_keys)])[::-1, ::-1]


@misconception(step="causal_mask", caught_by="causal_mask-new_tokens")
def shifted_to_the_left(n_queries, n_keys=None):
    """A square mask is right. Print your mask of the second check: should the extra keys let your queries see more, or less?"""
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
    """In the second check the right number of keys is seen, but the wrong ones. Print your mask there: which columns belong to the three old tokens?"""
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
    """The second check passes. Print your mask for two queries and four keys: how many keys does the first query see, and where does that number come from?"""
    if n_keys is None or n_keys == n_queries:
        return np.tri(n_queries, dtype=bool)
    return np.tri(n_queries, n_keys, 3, dtype=bool)


@misconception(step="causal_mask", caught_by="causal_mask-more_keys_than_queries")
def cut_from_a_table_of_1024(n_queries, n_keys=None):
    """You cut the mask from a table, and that has an end. Print the shape of your mask for 1 query and 5000 keys: where does the docstring limit the number of keys?"""
    n_keys = n_queries if n_keys is None else n_keys
    return np.tri(1024, dtype=bool)[n_keys - n_queries : n_keys, :n_keys]


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
    """Short texts work. Print how many keys the last of a hundred tokens may look at: how far back does your mask reach?"""
    n_keys = n_queries if n_keys is None else n_keys
    further = n_keys - n_queries
    return np.tri(n_queries, n_keys, further, dtype=bool) & ~np.tri(n_queries, n_keys, further - 32, dtype=bool)


# 7. padding_mask


@misconception(
    step="padding_mask", caught_by="padding_mask-by_hand", title="one position too many is real"
)
def one_too_many(lengths, n_keys):
    """Each sequence has one token too many. Print the row of the sequence of length 2: which column numbers do its tokens have?"""
    return np.arange(n_keys) <= np.asarray(lengths)[:, None, None]


@misconception(
    step="padding_mask", caught_by="padding_mask-by_hand", title="one position too few is real"
)
def one_too_few(lengths, n_keys):
    """Each sequence has lost a token. Print the row of the sequence of length 1: where do you start counting columns?"""
    return np.arange(1, n_keys + 1) < np.asarray(lengths)[:, None, None]


@misconception(step="padding_mask", caught_by="padding_mask-by_hand")
def true_means_padding(lengths, n_keys):
    """Every entry is the opposite of the expected one. Print the row of the sequence of length 4: what does True mean in this notebook?"""
    return np.arange(n_keys) >= np.asarray(lengths)[:, None, None]


@misconception(step="padding_mask", caught_by="padding_mask-by_hand")
def without_the_query_axis(lengths, n_keys):
    """All entries are right, but an axis is missing. Print the shape of your mask in the first check: which axis of the scores does none of yours meet?"""
    return np.arange(n_keys) < np.asarray(lengths)[:, None]


@misconception(step="padding_mask", caught_by="padding_mask-by_hand")
def query_axis_at_the_end(lengths, n_keys):
    """All entries are right, but one axis is in the wrong place. Print the shape of your mask in the first check: which axis of it would meet the queries?"""
    return (np.arange(n_keys) < np.asarray(lengths)[:, None])[:, :, None]


@misconception(step="padding_mask", caught_by="padding_mask-by_hand")
def query_axis_in_front(lengths, n_keys):
    """All entries are right, but one axis is in the wrong place. Print the shape of your mask in the first check: which axis of it would meet the batch?"""
    return (np.arange(n_keys) < np.asarray(lengths)[:, None])[None]


@misconception(step="padding_mask", caught_by="padding_mask-by_hand")
def a_row_for_every_query(lengths, n_keys):
    """Every row is repeated. Print the shape of your mask in the first check: does the call say how many queries there are?"""
    return np.repeat(np.arange(n_keys) < np.asarray(lengths)[:, None, None], n_keys, axis=1)


@misconception(step="padding_mask", caught_by="padding_mask-by_hand")
def padded_queries_hidden_too(lengths, n_keys):
    """You hide the padding as queries, too. Print the shape of your mask in the first check: is it about queries or keys, according to the docstring?"""
    real = np.arange(n_keys) < np.asarray(lengths)[:, None]
    return real[:, :, None] & real[:, None, :]


@misconception(step="padding_mask", caught_by="padding_mask-by_hand")
def padding_on_the_left(lengths, n_keys):
    """The counts are right, but padding is on the wrong side. Print the row of the sequence of length 1: where does a sentence begin?"""
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
    """Your rows are in a different order. Print your lengths and the number of True in each row: whose row comes first?"""
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
    """Far to the right, padding counts as real. Print the key numbers that you compare with the lengths, for 300 keys: which is the largest?"""
    return np.arange(n_keys).astype(np.uint8) < np.reshape(lengths, (-1, 1, 1))


@misconception(step="padding_mask", caught_by="padding_mask-any_lengths")
def counted_from_the_end(lengths, n_keys):
    """A sequence without padding loses every token. Print the row of a sequence of length 5 in room for 5: what does a slice select that starts at -0?"""
    mask = np.ones((len(lengths), 1, n_keys), dtype=bool)
    for b, length in enumerate(lengths):
        mask[b, 0, -(n_keys - length) :] = False
    return mask


@misconception(step="padding_mask", caught_by="padding_mask-room_for_queries")
def batch_of_one_loses_its_axis(lengths, n_keys):
    """It goes wrong for a batch of one. Print the shape of your mask for a single sequence: which of the three axes is missing?"""
    mask = np.arange(n_keys) < np.asarray(lengths)[:, None, None]
    return mask[0] if len(lengths) == 1 else mask


@misconception(step="padding_mask", caught_by="padding_mask-inputs_unchanged")
def lengths_counted_down_in_place(lengths, n_keys):
    """Your mask is right. Print the lengths before and after the call: which line made them shorter?"""
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
    """Hidden scores become 0. Print the exponential of the hidden scores in the first check: is it as small as it can be?"""
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
    """Hidden scores become very negative, but not negative enough. Print the hidden scores: could an allowed score be lower than that?"""
    return np.where(mask, scores, -1e9)


@misconception(step="apply_mask", caught_by="apply_mask-by_hand", family="not_quite_minus_infinity")
def minus_a_billion_added(scores, mask):
    """Hidden scores become very negative, but keep a trace of their old values. Print the hidden scores of the first check: should they still differ?"""
    return scores + (1.0 - mask) * -1e9


@misconception(step="apply_mask", caught_by="apply_mask-by_hand")
def smallest_number(scores, mask):
    """Hidden scores get the lowest finite number. Print them and read the docstring's first rule: what does it ask for?"""
    return np.where(mask, scores, np.finfo(float).min)


@misconception(step="apply_mask", caught_by="apply_mask-by_hand")
def minus_ten_thousand(scores, mask):
    """Hidden scores become low, but not low enough. Print the hidden scores: could all allowed scores of a row be lower?"""
    return np.where(mask, scores, -1e4)


@misconception(
    step="apply_mask",
    caught_by="apply_mask-by_hand",
    title="-1e-9 instead of -inf: next to nothing",
)
def tiny_instead_of_hugely_negative(scores, mask):
    """Hidden scores are practically 0. Print one, and its exponential: is it a tiny number or a very negative one?"""
    return np.where(mask, scores, -1e-9)


@misconception(step="apply_mask", caught_by="apply_mask-by_hand")
def filled_with_nan(scores, mask):
    """Hidden scores become NaN. Print the exponential of NaN, and the sum of a row that has one: what will be left of that row?"""
    return np.where(mask, scores, np.nan)


@misconception(step="apply_mask", caught_by="apply_mask-by_hand")
def plus_infinity(scores, mask):
    """Hidden scores become the largest of all. Print their exponentials in the first check: which keys will get the weight?"""
    return np.where(mask, scores, np.inf)


@misconception(step="apply_mask", caught_by="apply_mask-by_hand", title="True is read as hidden")
def allowed_ones_hidden(scores, mask):
    """You hide the allowed keys. Print mask and result of the first check side by side: what does True mean in this notebook?"""
    return np.where(mask, -np.inf, scores)


@misconception(step="apply_mask", caught_by="apply_mask-by_hand")
def hidden_scores_thrown_away(scores, mask):
    """Your result has lost its rows. Print its shape in the first check: which shape should it keep for the next step?"""
    return scores[mask]


@misconception(
    step="apply_mask",
    caught_by="apply_mask-by_hand",
    title="rows and columns of the mask change places",
)
def mask_turned(scores, mask):
    """Your mask is transposed. Print its shape and that of scores in the first check: which of its axes belongs to the queries?"""
    return np.where(np.swapaxes(mask, -1, -2), scores, -np.inf)


@misconception(
    step="apply_mask",
    caught_by="apply_mask-one_for_all",
    title="hidden tokens may not ask either: the mask and its transpose",
)
def hidden_as_queries_too(scores, mask):
    """A token hidden as a key also loses the scores of its own row. Print a square mask and your result: does a column of the mask belong to a query or to a key?"""
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
    """All your queries see what the first one may see. Print the mask that your second query gets in the first check: is it its own row?"""
    return np.where(np.asarray(mask)[..., :1, :], scores, -np.inf)


@misconception(step="apply_mask", caught_by="apply_mask-by_hand")
def mask_added_to_the_scores(scores, mask):
    """Allowed scores have grown by 1. Print result minus scores in the first check: what does True count for in a sum?"""
    return scores + mask


@misconception(step="apply_mask", caught_by="apply_mask-by_hand")
def masked_array(scores, mask):
    """You return a special kind of array. Print its type, and the hidden values in it: would the exponential of the next step ignore them?"""
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
    """It works for one matrix with a mask of its shape. Print the shapes in a call with the mask's first row alone: which entry do your loops fail to find?"""
    result = scores.copy()
    for i in range(scores.shape[0]):
        for j in range(scores.shape[1]):
            if not mask[i, j]:
                result[i, j] = -np.inf
    return result


@misconception(step="apply_mask", caught_by="apply_mask-batch_of_two")
def mask_of_the_first_sequence(scores, mask):
    """In a batch every sequence gets the first one's mask. Print the mask that you really use for a batch of two: what happened to the second one?"""
    return np.where(mask[0] if mask.ndim == 3 else mask, scores, -np.inf)


@misconception(step="apply_mask", caught_by="apply_mask-batch_of_two", family="infinity_added")
def minus_infinity_added(scores, mask):
    """Ordinary scores work. Put a NaN under the mask of the first check and print your result: does it disappear?"""
    return scores + np.where(mask, 0.0, -np.inf)


@misconception(step="apply_mask", caught_by="apply_mask-batch_of_two", family="infinity_added")
def logarithm_of_the_mask(scores, mask):
    """Ordinary scores work. Put a NaN under the mask of the first check and print your result: can adding anything remove it?"""
    return scores + np.log(mask)


@misconception(step="apply_mask", caught_by="apply_mask-no_key_for_a_query")
def empty_row_refused(scores, mask):
    """A query that may see no key breaks your function. Hide the first row of the first check altogether and print your result: which rule is about such a row?"""
    if not mask.any(axis=-1).all():
        raise ValueError("every query needs a key")
    return np.where(mask, scores, -np.inf)


@misconception(step="apply_mask", caught_by="apply_mask-no_key_for_a_query")
def empty_row_spared(scores, mask):
    """A query that may see no key sees them all. Hide the first row of the first check altogether and print your result: which rule is about such a row?"""
    return np.where(mask | ~mask.any(axis=-1, keepdims=True), scores, -np.inf)


@misconception(step="apply_mask", caught_by="apply_mask-no_key_for_a_query")
def empty_row_of_zeros(scores, mask):
    """A query that may see no key gets zeros. Hide the first row of the first check altogether and print your result: which rule is about such a row?"""
    masked = np.where(mask, scores, -np.inf)
    return np.where(mask.any(axis=-1, keepdims=True), masked, 0.0)


@misconception(step="apply_mask", caught_by="apply_mask-batch_of_two")
def own_position_always_allowed(scores, mask):
    """A query keeps the score with the key at its own position, whatever the mask says. Hide everything in the first check and print your result: which scores are left?"""
    return np.where(mask | np.eye(*scores.shape[-2:], dtype=bool), scores, -np.inf)


@misconception(step="apply_mask", caught_by="apply_mask-inputs_unchanged")
def written_into_the_scores(scores, mask):
    """Your result is right. Print the scores before and after the call: may your function change them?"""
    scores[np.broadcast_to(~mask, scores.shape)] = -np.inf
    return scores


@misconception(step="apply_mask", caught_by="apply_mask-inputs_unchanged")
def mask_turned_over_in_place(scores, mask):
    """Your first answer is right, but a second call differs. Print the mask before and after one call: which line inverted it?"""
    np.logical_not(mask, out=mask)
    return np.where(mask, -np.inf, scores)


@misconception(step="apply_mask", caught_by="apply_mask-one_for_all")
def stretched_by_hand(scores, mask):
    """The examples work, other masks do not. Print the shapes of scores and mask for a batch of two with one row of the mask for each query: which line assumes another shape?"""
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
    """A mask with an axis for the queries works, one without it does not. Use the first row of the first check's mask and print the shape that you read: which axes may a mask leave out?"""
    n_queries, n_keys = mask.shape[-2:]
    return np.where(np.reshape(mask, (*mask.shape[:-2], n_queries, n_keys)), scores, -np.inf)


@misconception(
    step="apply_mask",
    caught_by="apply_mask-broadcasts",
    title="the mask's last axis must be as long as that of the scores",
)
def mask_as_wide_as_the_keys(scores, mask):
    """A mask with one column breaks your function. Print the shapes of the scores and of a mask (n, 1): does that broadcast?"""
    if np.shape(mask)[-1:] != scores.shape[-1:]:
        raise ValueError("one column for each key")
    return np.where(mask, scores, -np.inf)


@misconception(
    step="apply_mask",
    caught_by="apply_mask-nan_disappears",
    title="an allowed NaN is hidden",
)
def allowed_nan_hidden(scores, mask):
    """A NaN disappears although the mask allows it. Print your result for an allowed NaN: what does the second rule say about allowed scores?"""
    return np.where(mask & ~np.isnan(scores), scores, -np.inf)


@misconception(step="apply_mask", caught_by="apply_mask-nan_disappears")
def allowed_infinities_hidden(scores, mask):
    """Infinite and NaN scores disappear although the mask allows them. Print your result for an allowed inf: what does the second rule say about allowed scores?"""
    return np.where(mask & np.isfinite(scores), scores, -np.inf)


@misconception(step="apply_mask", caught_by="apply_mask-nan_disappears")
def allowed_infinities_made_finite(scores, mask):
    """Hidden scores become -inf, as they should. Let an allowed score of the first check be -inf, as an earlier mask would leave it, and print your result: is that score unchanged?"""
    return np.where(mask, np.nan_to_num(scores), -np.inf)


@misconception(step="apply_mask", caught_by="apply_mask-inputs_unchanged")
def nan_cleared_in_place(scores, mask):
    """Your result is right, even where NaN is hidden. Print such scores before and after the call: whose array does your function write into?"""
    scores[np.isnan(scores) & ~mask] = 0.0
    return np.where(mask, scores, -np.inf)


# 9. scaled_dot_product_attention


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-by_hand"
)
def output_without_weights(Q, K, V, mask=None):
    """One array comes back where two are expected. Print the type of your result: what does the docstring return besides the output?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    return weighted_sum(softmax(scores), V)


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-by_hand"
)
def weights_before_output(Q, K, V, mask=None):
    """Both arrays are there, but in a different order. Print the shapes of your two results in the first check: which one does the docstring name first?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weights, weighted_sum(weights, V)


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-by_hand"
)
def scaling_forgotten(Q, K, V, mask=None):
    """Your weights are too sharp. Print what you give to softmax in the first check, and its exponentials: which step is missing before that?"""
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
    """Your weights are too even. Print what you give to softmax in the first check, and its exponentials: how often have you scaled it?"""
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
    """Print the number by which you scale, for two queries and for one. Should a query depend on the number of queries?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-2])
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-by_hand"
)
def scaled_after_softmax(Q, K, V, mask=None):
    """Your rows do not sum to 1. Print their sums in the first check: what do you do to the weights after softmax?"""
    scores = attention_scores(Q, K)
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = scale_scores(softmax(scores), Q.shape[-1])
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-by_hand"
)
def softmax_over_the_queries(Q, K, V, mask=None):
    """Your columns sum to 1. Print the sums of rows and columns in the first check: which of them holds the weights of one query?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores, axis=-2)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-by_hand"
)
def softmax_left_out(Q, K, V, mask=None):
    """Your rows do not sum to 1, and some weights may be negative. Print a row of weights in the first check: which step turns scores into weights?"""
    weights = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        weights = apply_mask(weights, mask)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-by_hand"
)
def keys_blended_instead_of_values(Q, K, V, mask=None):
    """Your weights are right, but your output is as wide as a key. Change V in the first check and print your output: does it change?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, K), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-by_hand"
)
def scores_returned_as_weights(Q, K, V, mask=None):
    """Your output is right, but the second result is not. Print its row sums in the first check: after which step did you store it?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    return weighted_sum(softmax(scores), V), scores


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-by_hand"
)
def dropout_left_on(Q, K, V, mask=None):
    """Some of your weights are 0 and the rest too large. Print the row sums in the first check: does the docstring ask you to drop weights?"""
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
    """With a mask your function fails. Print the mask of the second check: can an array of six entries be true or false as a whole?"""
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
    """Hidden keys get all the weight. Print the masked scores of the second check and the mask: what does True mean in this notebook?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, ~mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-with_mask"
)
def mask_transposed(Q, K, V, mask=None):
    """Rows and columns of your mask are swapped. Print the shapes of mask and scores in the second check: which axis of each belongs to the queries?"""
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
    """A hidden key keeps a little weight. Print the weights of the second check without rounding: are the hidden ones as small as they must be?"""
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
    """Some keys get no weight although no mask hides them. Print your weights in the first check, where no mask is given: where does your mask come from?"""
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
    """Hidden keys keep most of their weight. Print the scores of the second check before and after masking: how much do you subtract from a hidden one?"""
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
    """Your masked rows sum to less than 1. Print their sums in the second check: what happened to the weight of the hidden keys?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    if mask is not None:
        weights = weights * mask
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-with_mask"
)
def output_made_before_the_mask(Q, K, V, mask=None):
    """Your weights are right, but your output still uses the hidden keys. Print your weights times the values in the second check: which weights made your output?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    output = weighted_sum(softmax(scores), V)
    if mask is not None:
        scores = apply_mask(scores, mask)
    return output, softmax(scores)


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-with_mask"
)
def weights_from_before_the_mask(Q, K, V, mask=None):
    """Your output is right, but the weights you return ignore the mask. Print them in the second check: after which step did you store them?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    weights = softmax(scores)
    if mask is not None:
        scores = apply_mask(scores, mask)
    return weighted_sum(softmax(scores), V), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-with_mask"
)
def mask_on_the_output(Q, K, V, mask=None):
    """Your weights with a mask are the same as without. Print the shapes of mask and output in the second check: what does a column of each belong to?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    output = weighted_sum(weights, V)
    if mask is not None:
        output = output * mask[..., : output.shape[-1]]
    return output, weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-batch_of_two"
)
def number_of_the_example_scales(Q, K, V, mask=None):
    """The first check passes, but other lengths fail. Print the number that you divide by for vectors of length 4 and 8: does it change?"""
    scores = attention_scores(Q, K) / 2
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-rows_sum_to_one"
)
def integer_root_of_d_k(Q, K, V, mask=None):
    """Length 4 works, other lengths do not. Print the number that you divide by for vectors of length 8: what happened to its decimals?"""
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
    """Scores in the thousands break it. Print your exponentials for the first check with Q times 10000: which earlier step solved this already?"""
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
    """Queries with small scores go wrong next to one with large scores. Multiply query 0 of the first check by 10000 and print the other's weights: what did you subtract from its scores?"""
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
    """Large scores all get the same weight. Print what you give to softmax for the first check with Q times 10000: are the scores of a query still different?"""
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
    """One sequence works. Stack the first check's arrays twice and print the row sums of your weights: along which axis do they sum to 1?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores, axis=1)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-a_hidden_winner"
)
def masked_after_softmax_and_shared_again(Q, K, V, mask=None):
    """Ordinary scores work. Let a hidden key of the second check score 3000 and print your weights: what was left of the other weights when you applied the mask?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    if mask is not None:
        weights = weights * mask
        weights = weights / weights.sum(axis=-1, keepdims=True)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-a_hidden_winner"
)
def hidden_scores_a_thousand_lower(Q, K, V, mask=None):
    """Ordinary scores work. Let a hidden key of the second check score 3000 and print your masked scores: which one is the largest?"""
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
    """A query that may see no key breaks your function, and the others get nothing either. Hide row 0 of the second check and print your result: which rule is about this case?"""
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
    """The second mask goes wrong. Call it with two different masks and print both weights: what did your function store in the first call?"""
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
    """A call without a mask hides keys. Call it with a mask, then without one, and print both weights: what did your function store?"""
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
    """New numbers in the same shapes get the answer of an earlier call. Print both answers: which key do you look them up by?"""
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
    """Masks with a column for each key work, a mask with one column does not. Print the shape of a mask (n, 1) as you use it: what does its one column mean for each query?"""
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
    """Ordinary scores work. Print the scores that you give to softmax where hidden ones are near 10000 and allowed ones near -10000: which are larger?"""
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
    """Ordinary scores work. Print the scores that you give to softmax where hidden ones are in the thousands and allowed ones near -10000: which are larger?"""
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, scores - 1e4)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-with_mask"
)
def scaled_only_without_a_mask(Q, K, V, mask=None):
    """Without a mask your weights are right, with one they are too sharp. Print what softmax receives in the first two checks: is it scaled in both?"""
    scores = attention_scores(Q, K)
    scores = scale_scores(scores, Q.shape[-1]) if mask is None else apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(
    step="scaled_dot_product_attention", caught_by="scaled_dot_product_attention-inputs_unchanged"
)
def queries_scaled_in_place(Q, K, V, mask=None):
    """Your first answer is right, but a second call differs. Print Q before and after one call: which array did you scale?"""
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
    """With a mask your first answer is right, a second call differs. Print the mask of the second check before and after one call: which line inverted it?"""
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
    """Your answers are right, even with a query that may see no key. Print such a mask before and after the call: whose array does your function write into?"""
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
    """Ordinary scores work. Let a hidden key of the second check score 30 above the others and print your weights before and after the mask: how large is what you divide by?"""
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    if mask is not None:
        weights = weights * mask
        weights = weights / (weights.sum(axis=-1, keepdims=True) + 1e-12)
    return weighted_sum(weights, V), weights


# 10. self_attention


@misconception(step="self_attention", caught_by="self_attention-by_hand")
def tokens_not_projected(X, W_Q, W_K, W_V, mask=None):
    """Your tokens are used as they are for queries and keys. Change W_Q in the first check and print your weights: do they change?"""
    return scaled_dot_product_attention(X, X, X, mask)


@misconception(step="self_attention", caught_by="self_attention-by_hand")
def keys_ask_and_queries_answer(X, W_Q, W_K, W_V, mask=None):
    """Two of Q, K and V are swapped. Print the parts in the order in which you unpack them: which comes first, second, third?"""
    K, Q, V = project_qkv(X, W_Q, W_K, W_V)
    return scaled_dot_product_attention(Q, K, V, mask)


@misconception(
    step="self_attention",
    caught_by="self_attention-by_hand",
    title="the tokens themselves as values, W_V unused",
)
def tokens_as_values(X, W_Q, W_K, W_V, mask=None):
    """Your weights are right, but your output is as wide as a token. Change W_V in the first check and print your output: does it change?"""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    return scaled_dot_product_attention(Q, K, X, mask)


@misconception(step="self_attention", caught_by="self_attention-by_hand")
def keys_used_as_queries(X, W_Q, W_K, W_V, mask=None):
    """Your scores are symmetric. Change W_Q in the first check and print your weights: do they change?"""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    return scaled_dot_product_attention(K, K, V, mask)


@misconception(step="self_attention", caught_by="self_attention-by_hand")
def only_the_output(X, W_Q, W_K, W_V, mask=None):
    """One array comes back where two are expected. Print the type of your result: what does the docstring return besides the output?"""
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
    """Your weights are right, but your output is larger than any average. Print output minus expected in the first check: what did you add on the way?"""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    output, weights = scaled_dot_product_attention(Q, K, V, mask)
    return output + V, weights


@misconception(step="self_attention", caught_by="self_attention-by_hand")
def always_causal(X, W_Q, W_K, W_V, mask=None):
    """The first token sees only itself, although no mask is given. Print your weights in the first check: where does your mask come from?"""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    return scaled_dot_product_attention(Q, K, V, causal_mask(X.shape[-2]))


@misconception(step="self_attention", caught_by="self_attention-causal")
def mask_forgotten(X, W_Q, W_K, W_V, mask=None):
    """With a mask your weights are the same as without. Print them in the first two checks: what do you do with your mask?"""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    return scaled_dot_product_attention(Q, K, V)


@misconception(step="self_attention", caught_by="self_attention-causal")
def mask_on_its_side(X, W_Q, W_K, W_V, mask=None):
    """Your second token lost its past. Print mask and weights of the second check side by side: which axis of the mask belongs to the queries?"""
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
    """Your mask changes the tokens, and every token still sees all the others. Print the weights of the second check: which array is the mask about?"""
    if mask is not None:
        X = mask @ X
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    return scaled_dot_product_attention(Q, K, V)


@misconception(step="self_attention", caught_by="self_attention-causal")
def weights_masked_afterwards(X, W_Q, W_K, W_V, mask=None):
    """Your masked rows sum to less than 1. Print their sums in the second check: what happened to the weight of the hidden tokens?"""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    output, weights = scaled_dot_product_attention(Q, K, V)
    if mask is not None:
        weights = weights * mask
        output = weighted_sum(weights, V)
    return output, weights


@misconception(step="self_attention", caught_by="self_attention-rows_sum_to_one")
def not_scaled_where_it_matters(X, W_Q, W_K, W_V, mask=None):
    """Vectors of length 1 work, longer ones do not. Print what you give to softmax for wider W_Q and W_K: which step is missing?"""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    scores = attention_scores(Q, K)
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights


@misconception(step="self_attention", caught_by="self_attention-any_batch")
def batch_as_one_long_sequence(X, W_Q, W_K, W_V, mask=None):
    """One sequence works; in a batch, tokens look at those of other sequences. Stack the first check's X twice and print the shape of your weights: how many keys does each query have?"""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    if mask is None:
        Q, K, V = (part.reshape(-1, part.shape[-1]) for part in (Q, K, V))
    output, weights = scaled_dot_product_attention(Q, K, V, mask)
    return output.reshape(*X.shape[:-1], -1), weights


@misconception(step="self_attention", caught_by="self_attention-a_mask_for_each")
def one_sequence_only(X, W_Q, W_K, W_V, mask=None):
    """One sequence works, a batch breaks your function. Stack the first check's X twice and print its shape: which of your lines assumes exactly two axes?"""
    n, d_model = X.shape
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    return scaled_dot_product_attention(Q, K, V, mask)


@misconception(step="self_attention", caught_by="self_attention-a_mask_for_each")
def first_mask_for_all(X, W_Q, W_K, W_V, mask=None):
    """In a batch every sequence gets the first one's mask. Print the mask that you pass on for a batch of two: what happened to the second one?"""
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
    """The causal mask works. Hide a token of the second check from itself and print the mask that you pass on: is it the one you were given?"""
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
    """Square numbers work. Print the number by which you scale for d_k = 8: is its square 8?"""
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
    """A mask with one axis hides queries instead of keys. Print its shape as you use it: to which axis of the weights does a single axis belong?"""
    if mask is not None and mask.ndim == 1:
        mask = mask[:, None]
    return scaled_dot_product_attention(*project_qkv(X, W_Q, W_K, W_V), mask)


@misconception(
    step="self_attention",
    caught_by="self_attention-a_mask_for_each",
    title="a causal mask is added to every mask",
)
def later_tokens_always_hidden(X, W_Q, W_K, W_V, mask=None):
    """The causal mask works. Let a token of the second check look ahead and print the mask that you pass on: is it the one you were given?"""
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
    """One leading axis works, two with a mask do not. Stack the second check's X twice in each of two new axes and print the mask that you pass on: does one mask for all sequences need a new axis?"""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    if mask is not None and X.ndim == 4:
        mask = mask[:, None]
    return scaled_dot_product_attention(Q, K, V, mask)


@misconception(step="self_attention", caught_by="self_attention-a_mask_for_each")
def padding_hides_queries_too(X, W_Q, W_K, W_V, mask=None):
    """Your padding tokens see no key. Print the mask of the third check as you pass it on: does it say anything about queries?"""
    if mask is not None and mask.ndim > 1 and mask.shape[-2] == 1:
        mask = mask & np.swapaxes(mask, -1, -2)
    return scaled_dot_product_attention(*project_qkv(X, W_Q, W_K, W_V), mask)


@misconception(
    step="self_attention",
    caught_by="self_attention-any_batch",
    title="a mask with as many axes as X must have an entry for each sequence",
)
def mask_taken_apart_with_the_batch(X, W_Q, W_K, W_V, mask=None):
    """Masks for each sequence work, one with a first axis of 1 does not. Give the third check's X a mask of the shape (1, 2, 2) and print what your second sequence gets: to how many sequences does this mask belong?"""
    if X.ndim == 2:
        return scaled_dot_product_attention(*project_qkv(X, W_Q, W_K, W_V), mask)
    outputs, weights = [], []
    for b, x in enumerate(X):
        own = mask[b] if mask is not None and mask.ndim == X.ndim else mask
        output, weight = scaled_dot_product_attention(*project_qkv(x, W_Q, W_K, W_V), own)
        outputs.append(output)
        weights.append(weight)
    return np.stack(outputs), np.stack(weights)


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
    """The shape is right, but the numbers of several tokens are mixed. Print head 0 of the first check: which tokens do its first two rows come from?"""
    *lead, n, d_model = X.shape
    if d_model % num_heads:
        raise ValueError("does not divide")
    return X.reshape(*lead, num_heads, n, d_model // num_heads)


@misconception(step="split_heads", caught_by="split_heads-by_hand", family="heads_not_in_front")
def heads_behind_the_tokens(X, num_heads):
    """All numbers are right, but the axes are in the wrong order. Print the shape of your result in the first check: which axis is the head, and where should it be?"""
    *lead, n, d_model = X.shape
    if d_model % num_heads:
        raise ValueError("does not divide")
    return X.reshape(*lead, n, num_heads, d_model // num_heads)


@misconception(step="split_heads", caught_by="split_heads-by_hand", family="features_dealt_out")
def every_second_feature(X, num_heads):
    """Head 0 gets features 0 and 2. Print head 0 of the first check: are its two features neighbours in X?"""
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
    """All your heads are equal. Print them in the first check: which head gets features 2 and 3?"""
    if X.shape[-1] % num_heads:
        raise ValueError("does not divide")
    width = X.shape[-1] // num_heads
    return np.stack([X[..., :width] for h in range(num_heads)], axis=-3)


@misconception(step="split_heads", caught_by="split_heads-by_hand", family="heads_not_in_front")
def list_of_every_token(X, num_heads):
    """Your outermost axis runs over tokens. Print the shape of your result in the first check: what does a caller get for entry 0?"""
    width = X.shape[-1] // num_heads
    if X.shape[-1] % num_heads:
        raise ValueError("does not divide")
    return [[token[..., h * width : (h + 1) * width] for h in range(num_heads)] for token in X]


@misconception(step="split_heads", caught_by="split_heads-by_hand")
def axes_turned_over_completely(X, num_heads):
    """Tokens and features are swapped as well. Print the shape of your result in the first check: which two axes should move, and which did?"""
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
    """Four heads of six features raise no error. Print how many features your heads have together: where are the others?"""
    width = X.shape[-1] // num_heads
    return np.stack([X[..., h * width : (h + 1) * width] for h in range(num_heads)], axis=-3)


@misconception(step="split_heads", caught_by="split_heads-refuses_what_does_not_divide")
def rest_padded_with_zeros(X, num_heads):
    """Four heads of six features come back padded with zeros. Print them: what does the docstring say about such a call?"""
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
    """You print a message and then go on. Print what a call with four heads of six features returns: will the calling code notice the problem?"""
    if X.shape[-1] % num_heads:
        print("num_heads must divide the number of features")
        return None
    return np.stack(np.split(X, num_heads, axis=-1), axis=-3)


@misconception(step="split_heads", caught_by="split_heads-batch_of_two")
def transposed_for_three_axes(X, num_heads):
    """One sequence works, a batch breaks your function. Stack the first check's X twice and print the number of axes after your cut: how many does your code assume?"""
    *lead, n, d_model = X.shape
    if d_model % num_heads:
        raise ValueError("does not divide")
    return X.reshape(*lead, n, num_heads, d_model // num_heads).transpose(1, 0, 2)


@misconception(step="split_heads", caught_by="split_heads-batch_of_two")
def first_two_axes_swapped(X, num_heads):
    """One sequence works. Stack the first check's X twice and print the shape of your result: which two axes did you swap, and which should you?"""
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
    """Four heads of six features come back with a different number of tokens. Print the shapes before and after your reshape: which size did it choose by itself?"""
    d_head = X.shape[-1] // num_heads
    return np.swapaxes(X.reshape(*X.shape[:-2], -1, num_heads, d_head), -3, -2)


@misconception(
    step="split_heads",
    caught_by="split_heads-contiguous_blocks",
    title="refuses only a remainder of one half",
)
def halves_alone_refused(X, num_heads):
    """You refuse six features for four heads, but not other sizes that do not divide. Print your test for seven features and three heads: what does it ask?"""
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
    """You refuse seven features and three heads, but not two features and three heads. Print the shape of your result: how long is a head?"""
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
    """You refuse seven features and three heads, but not eight and five. Print both remainders: which remainders does your test look for?"""
    d_model = X.shape[-1]
    if d_model % num_heads in (1, 2):
        raise ValueError("does not divide")
    width = d_model // num_heads
    return np.stack([X[..., h * width : (h + 1) * width] for h in range(num_heads)], axis=-3)


@misconception(step="split_heads", caught_by="split_heads-any_batch")
def single_head_in_front_of_the_batch(X, num_heads):
    """A single head works for one sequence, but not for several. Print the shape of your result for two sequences and one head: in front of which axis does the head go?"""
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
    """Each row has the right numbers in the wrong order. Print row 0 in the first check: which two of them came from head 0, and are they still neighbours?"""
    *lead, num_heads, n, d_head = heads.shape
    return np.moveaxis(heads, -3, -1).reshape(*lead, n, num_heads * d_head)


@misconception(step="concat_heads", caught_by="concat_heads-any_batch")
def two_places_for_the_head_axis(heads):
    """One leading axis works, two do not. Print the shape of your result for heads of shape (2, 3, 4, 5, 6): which two axes have changed places?"""
    turned = heads.swapaxes(0, 1) if heads.ndim == 3 else heads.swapaxes(1, 2)
    return turned.reshape(turned.shape[:-2] + (turned.shape[-2] * turned.shape[-1],))


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
    """Your result is as narrow as one head. Print row 0 in the first check and both heads' row 0: how did you combine the two?"""
    return heads.sum(axis=-3)


@misconception(step="concat_heads", caught_by="concat_heads-by_hand")
def axes_swapped_but_not_merged(heads):
    """The numbers are in order, but there is one axis too many. Print the shape of your result in the first check: which two of its axes should be one?"""
    return np.swapaxes(heads, -3, -2)


@misconception(step="concat_heads", caught_by="concat_heads-by_hand")
def last_head_first(heads):
    """Whole heads are side by side, but in a different order. Print row 0 in the first check: which head comes first?"""
    return np.concatenate([heads[..., h, :, :] for h in reversed(range(heads.shape[-3]))], axis=-1)


@misconception(step="concat_heads", caught_by="concat_heads-by_hand")
def everything_turned_over(heads):
    """The shape is right, but the features of a head are no longer together. Print row 0 in the first check: what does reversing all axes do to them?"""
    *lead, num_heads, n, d_head = heads.shape
    return heads.T.reshape(*lead, n, num_heads * d_head)


@misconception(step="concat_heads", caught_by="concat_heads-by_hand")
def only_the_first_head(heads):
    """Your result is as narrow as one head. Print it and head 1 of the first check: where does the result of head 1 go?"""
    return heads[..., 0, :, :]


@misconception(step="concat_heads", caught_by="concat_heads-whole_heads")
def two_heads_always(heads):
    """Two heads are right, one or three are not. Print the shape of your result for three heads: where does your code get their number from?"""
    return np.concatenate([heads[..., 0, :, :], heads[..., 1, :, :]], axis=-1)


@misconception(step="concat_heads", caught_by="concat_heads-whole_heads")
def single_head_left_alone(heads):
    """It goes wrong for a single head. Print the shape of your result for one head: which axis is still there?"""
    if heads.shape[-3] == 1:
        return heads
    return np.concatenate([heads[..., h, :, :] for h in range(heads.shape[-3])], axis=-1)


@misconception(step="concat_heads", caught_by="concat_heads-batch_of_two")
def first_two_axes_exchanged(heads):
    """One sequence works. Stack the first check's heads twice and print the shapes on the way: which two axes did you swap, and which should you?"""
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
    """Your first answer is right, but a second call differs. Print the heads before and after one call: which line empties them?"""
    together = np.concatenate([heads[..., h, :, :] for h in range(heads.shape[-3])], axis=-1)
    heads[...] = 0.0
    return together


@misconception(step="concat_heads", caught_by="concat_heads-any_batch")
def every_axis_of_one_squeezed_from_a_single_head(heads):
    """A single head of several tokens works, one of a single token does not. Print the shape of your result for heads of shape (1, 1, 2): which axis should disappear, and which ones did?"""
    if heads.shape[-3] == 1:
        return heads.squeeze()
    return np.concatenate([heads[..., h, :, :] for h in range(heads.shape[-3])], axis=-1)


# 13. multi_head_attention


@misconception(
    step="multi_head_attention", caught_by="multi_head_attention-by_hand", title="W_O is not used"
)
def output_matrix_forgotten(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Your heads are right and correctly joined. Change W_O in the first check and print your output: does it change?"""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and mask.ndim > 2:
        mask = mask[:, None]
    heads, weights = scaled_dot_product_attention(Q, K, V, mask)
    return concat_heads(heads)


@misconception(step="multi_head_attention", caught_by="multi_head_attention-by_hand")
def output_matrix_turned(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Your heads are right and correctly joined. Print W_O as it arrives and as you use it in the first check: is it the same?"""
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
    """Each head averages values that already mix several heads. Print the values of both heads in the first check: is every column of them X times a column of W_V?"""
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
    """Your heads read tokens that have already been mixed. Print what project_qkv gets in the first check: is it X?"""
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
    """Your output is the same for any number of heads. Print it in the first check for one head and for two: where do you use num_heads?"""
    output, weights = self_attention(X, W_Q, W_K, W_V, mask)
    return output @ W_O


@misconception(
    step="multi_head_attention",
    caught_by="multi_head_attention-by_hand",
    title="causal where no mask is given",
)
def looks_back_unless_told(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Your first token sees only itself, although no mask is given. Print its weights in the first check: where does your mask come from?"""
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
    """Two of Q, K and V are swapped. Print each head's output in the first check and compare with the comment there: which one did you unpack first?"""
    K, Q, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and mask.ndim > 2:
        mask = mask[:, None]
    heads, weights = scaled_dot_product_attention(Q, K, V, mask)
    return concat_heads(heads) @ W_O


@misconception(step="multi_head_attention", caught_by="multi_head_attention-by_hand")
def tokens_cut_without_projecting(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Your heads use the tokens themselves as keys. Change W_K in the first check and print your output: does it change?"""
    heads_of_X = split_heads(X, num_heads)
    if mask is not None and mask.ndim > 2:
        mask = mask[:, None]
    heads, weights = scaled_dot_product_attention(heads_of_X, heads_of_X, heads_of_X, mask)
    return concat_heads(heads) @ W_O


@misconception(step="multi_head_attention", caught_by="multi_head_attention-by_hand")
def tokens_cut_before_they_are_projected(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """You split the tokens before you project them. Print the shape of what W_Q is multiplied with in the first check: how many features of a token does W_Q need?"""
    Q, K, V = project_qkv(split_heads(X, num_heads), W_Q, W_K, W_V)
    if mask is not None and mask.ndim > 2:
        mask = mask[:, None]
    heads, weights = scaled_dot_product_attention(Q, K, V, mask)
    return concat_heads(heads) @ W_O


@misconception(step="multi_head_attention", caught_by="multi_head_attention-by_hand")
def heads_averaged(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """The outputs of your heads are mixed before W_O. Print what you multiply by W_O in the first check: does head 0 still have a column of its own?"""
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
    """You split queries and keys into heads, but not the values. Print the three shapes that a head works on in the first check: how long is a value there?"""
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
    """All your heads have the same output. Print each head's output in the first check: which columns of the matrices belong to head 1?"""
    width = X.shape[-1] // num_heads
    blocks = [
        self_attention(X, W_Q[:, :width], W_K[:, :width], W_V[:, :width], mask)[0]
        for h in range(num_heads)
    ]
    return np.concatenate(blocks, axis=-1) @ W_O


@misconception(step="multi_head_attention", caught_by="multi_head_attention-by_hand")
def tokens_cut_before_projecting(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Each of your heads sees only some features of a token. Print the shape of what you multiply by W_Q in the first check: which should you split, the tokens or their projections?"""
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
    """Heads of one feature work, wider ones do not. Print what you give to softmax for heads of four features: which step is missing?"""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    scores = attention_scores(Q, K)
    if mask is not None:
        scores = apply_mask(scores, mask[:, None] if mask.ndim > 2 else mask)
    return concat_heads(weighted_sum(softmax(scores), V)) @ W_O


@misconception(step="multi_head_attention", caught_by="multi_head_attention-heads_in_blocks")
def features_dealt_out_in_turn(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Heads of one feature work, wider ones do not. Print which columns of W_Q head 0 uses for four features and two heads: are they neighbours?"""
    blocks = []
    for h in range(num_heads):
        own = slice(h, None, num_heads)
        blocks.append(self_attention(X, W_Q[:, own], W_K[:, own], W_V[:, own], mask)[0])
    return np.concatenate(blocks, axis=-1) @ W_O


@misconception(step="multi_head_attention", caught_by="multi_head_attention-heads_in_blocks")
def features_dealt_out_and_put_back(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Heads of one feature work, wider ones do not. Print which columns of W_Q head 0 uses for four features and two heads: are they neighbours?"""
    output = np.empty(X.shape)
    for h in range(num_heads):
        own = slice(h, None, num_heads)
        output[..., own] = self_attention(X, W_Q[:, own], W_K[:, own], W_V[:, own], mask)[0]
    return output @ W_O


@misconception(step="multi_head_attention", caught_by="multi_head_attention-heads_in_blocks")
def features_interleaved_on_the_way_out(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Heads of one feature work, wider ones do not. Print what you multiply by W_O for two heads of two features: are the two features of head 0 first?"""
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
    """One sequence works, a batch does not. Stack the first check's X twice and print its shape: which of your lines assumes exactly two axes?"""
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
    """With a mask your output is the same as without. Call it with causal_mask(2) on the first check's arrays and print the output: what do you do with your mask?"""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    heads, weights = scaled_dot_product_attention(Q, K, V)
    return concat_heads(heads) @ W_O


@misconception(
    step="multi_head_attention",
    caught_by="multi_head_attention-batch_of_two",
    family="mask_misses_its_heads",
)
def head_axis_in_front_of_the_batch(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """One mask for all works, one for each sequence does not. Print its shape as you pass it on and that of the scores: do the batch axes line up?"""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None:
        mask = mask[None]
    heads, weights = scaled_dot_product_attention(Q, K, V, mask)
    return concat_heads(heads) @ W_O


@misconception(step="multi_head_attention", caught_by="multi_head_attention-batch_of_two")
def mask_of_the_first_sequence_for_all(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """In a batch every sequence gets the first one's mask. Print the mask that you pass on for a batch of two: what happened to the second one?"""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and mask.ndim == 3:
        mask = mask[0]
    heads, weights = scaled_dot_product_attention(Q, K, V, mask)
    return concat_heads(heads) @ W_O


@misconception(step="multi_head_attention", caught_by="multi_head_attention-batch_of_two")
def mask_rows_and_columns_exchanged(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Under causal_mask(2) your second token loses its past. Print its weights there: which axis of the mask belongs to the queries?"""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None:
        mask = np.swapaxes(mask, -1, -2)
        mask = mask[:, None] if mask.ndim > 2 else mask
    heads, weights = scaled_dot_product_attention(Q, K, V, mask)
    return concat_heads(heads) @ W_O


@misconception(step="multi_head_attention", caught_by="multi_head_attention-thousands")
def naive_softmax_in_every_head(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Scores in the thousands break it. Print your exponentials for the first check with W_Q times 10000: which earlier step solved this already?"""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask[:, None] if mask.ndim > 2 else mask)
    powers = np.exp(scores)
    return concat_heads(weighted_sum(powers / powers.sum(axis=-1, keepdims=True), V)) @ W_O


@misconception(step="multi_head_attention", caught_by="multi_head_attention-thousands")
def one_maximum_for_all_heads(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Small scores go wrong next to large ones. Multiply the first token of the first check by 10000 and print the other token's weights: what did you subtract from its scores?"""
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask[:, None] if mask.ndim > 2 else mask)
    powers = np.exp(scores - scores.max())
    return concat_heads(weighted_sum(powers / powers.sum(axis=-1, keepdims=True), V)) @ W_O


@misconception(step="multi_head_attention", caught_by="multi_head_attention-inputs_unchanged")
def output_added_to_the_tokens(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Your first answer is right, but a second call differs. Print X before and after one call: which line changes the tokens?"""
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
    """Masks with a batch work, a plain one for all does not. Print the shape of causal_mask(3) as you pass it on: which axes do they line up with now?"""
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
    """Ordinary scores work. Let a hidden token score 3000 above the allowed ones and print your weights: what was left of the other weights when you applied the mask?"""
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
    """Ordinary scores work. Let a hidden token score 30 above the allowed ones and print your weights before and after the mask: how large is what you divide by?"""
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
    """Ordinary scores work. Let the allowed tokens of a small mask score -3000 and print the scores that you give to softmax: which one is the largest?"""
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
    """Square numbers work. Print the number by which you scale for heads of 8 features: is its square 8?"""
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
    """A query that may see no key breaks your function, and the others get nothing either. Hide a row of a small mask and print your output: which rule is about this case?"""
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
    """Softmax ignores a number added to all scores, but not a number they are divided by. Print the weights of 0, 1, 2 and of 0, 10, 20: are they the same?"""
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


@misconception(step="padding_mask", caught_by="padding_mask-any_lengths")
def single_length_squeezed(lengths, n_keys):
    """For a single length your mask loses an axis. Print its shape after each line, for lengths = [3]: which axis of size 1 must stay?"""
    mask = np.squeeze(np.arange(n_keys) < np.reshape(lengths, (-1, 1)))
    return mask[:, None, :]


@misconception(step="padding_mask", caught_by="padding_mask-any_lengths")
def equal_lengths_once(lengths, n_keys):
    """Two sequences of the same length get one row. Print the shape of your mask for the lengths 2, 2, 1: how many sequences are there?"""
    rows = {int(length): [place < length for place in range(n_keys)] for length in lengths}
    return np.array([[row] for row in rows.values()])


@misconception(step="padding_mask", caught_by="padding_mask-any_lengths")
def end_marked_inside(lengths, n_keys):
    """A sequence without padding loses its last token. Print where you mark the beginning of its padding: does any key of it hold padding?"""
    begins = np.zeros((len(lengths), n_keys), dtype=int)
    begins[np.arange(len(lengths)), np.minimum(lengths, n_keys - 1)] = 1
    return (np.cumsum(begins, axis=1) == 0)[:, None, :]


@misconception(step="apply_mask", caught_by="apply_mask-broadcasts")
def one_axis_for_the_queries(scores, mask):
    """A mask of one axis hides queries instead of keys. Print its shape as you use it, for a mask of three keys: with which axis of the scores does the docstring let it broadcast?"""
    return np.where(mask[:, None] if mask.ndim == 1 else mask, scores, -np.inf)


@misconception(step="self_attention", caught_by="self_attention-any_batch")
def own_position_seen_in_tables(X, W_Q, W_K, W_V, mask=None):
    """A mask of (n, n) that hides a token from itself has no effect there. Print the diagonal of the mask that you pass on: is it the one you were given?"""
    n = X.shape[-2]
    if mask is not None and mask.shape == (n, n):
        mask = mask | np.eye(n, dtype=bool)
    return scaled_dot_product_attention(*project_qkv(X, W_Q, W_K, W_V), mask)

# %% [markdown]
# # Gradients, built by hand
#
# A model learns by asking one question of every number in it: if I made you a little larger, would the loss go up
# or down, and how fast? The answer is the gradient. Libraries work it out for you. For one afternoon, do without
# them: the gradient of attention is four matrix products and one line about softmax. In five short functions you
# will write all of it, and at the end your own gradients will teach two heads where to look.
#
# **How this works.** Each step says why it exists, gives the formula and the shapes, and leaves one function for
# you to write. Its checks come right below.
#
# - A *visible* check tells you at once whether it passed, and what it got and wanted. The first one of each
#   step is small enough to verify with a pencil.
# - A *hidden* check is graded after you hand in. It tests only rules that the function's docstring states, with
#   sizes and numbers that nobody knows in advance.
#
# Work from top to bottom. Change your own functions as often as you like, and add cells wherever you want to try
# something. Before you hand in, restart the kernel and run everything once.

# %% [markdown]
# ## The house rules
#
# They hold for all steps.
#
# - **`d_X` has the shape of `X`.** There is one loss, a single number $L$, somewhere after your function.
#   `d_X[i, j]` is $\partial L / \partial X_{ij}$: how fast the loss changes when that one number changes.
# - **Gradients come from behind.** Your function gets the gradient of its *output* and returns the gradients of
#   its *inputs*. It does not need to know what the loss is.
# - **Leading batch axes.** `(..., n, d)` means: there may be any number of leading axes (none, one, several), and
#   your function handles each slice separately. The arguments of one call have the same leading axes; only masks
#   broadcast. No axis is empty.
# - **Inputs are never changed.** Your function must not modify its arguments, and a second call gives the same
#   answer.
# - **NumPy only**, in its default precision, `float64`. A `float32` result is accepted and compared less
#   strictly; lists are accepted in place of arrays and tuples.
# - **To look inside**, print in your own function; to try other numbers, take the arguments of the first
#   check of a step from `given = tools.first("softmax_backward")`, change one, as in
#   `given["weights"] = …`, and call `softmax_backward(**given)`.
# - **More practice.** Once all visible checks of a step pass, `tools.practice("softmax_backward")` tries your function on
#   fresh inputs and says which rules hold, in one line each, also rules that only hidden checks ask for.
#
# Your steps may call functions that you wrote in `attention`. Below the next two cells there is one that brings them
# over: copy your `attention.ipynb` into the folder of this notebook, and run it. They are not graded again, and the
# grader uses correct ones, whatever you bring.

# %% setup needs="attention:attention_scores, attention:scale_scores, attention:softmax, attention:weighted_sum, attention:apply_mask, attention:scaled_dot_product_attention, attention:split_heads"
import math

import numpy as np

from autograder import tools

rng = np.random.default_rng(1986)  # grading puts another in its place, which depends on the course's secret

# Steps that build on each other are off by 6e-6 where one of them, and perhaps not the last, answers in float32.
COMPOSED = {"rtol": 2e-5, "atol": 2e-5}


def central_differences(function, x, d_output, step=1e-5):
    """The gradient of the sum of function(x) * d_output, measured: one number of x a little up, a little down."""
    x, d_x = np.array(x, dtype=float), np.zeros(np.shape(x))
    for index in np.ndindex(x.shape):
        kept = x[index]
        x[index] = kept + step
        above = np.sum(function(x) * d_output)
        x[index] = kept - step
        below = np.sum(function(x) * d_output)
        x[index] = kept
        d_x[index] = (above - below) / (2 * step)
    return d_x

# %%
import numpy as np

# %% practice
class Practice:
    """What holds of any right answer, for tools.practice: no line here computes a whole one."""

    def matmul_backward(t):
        lead, (n, k, m) = t.lead(), t.sizes(3)
        A, B, d_C = t.normal(*lead, n, k), t.normal(*lead, k, m), t.normal(*lead, n, m)
        d_A, d_B = t.parts(t.call(A=A, B=B, d_C=d_C), "d_A, d_B")
        t.shape("d_A", d_A, *A.shape)
        t.shape("d_B", d_B, *B.shape)
        at, i, j, o = t.place(lead), *t.place((n, k, m))
        t.near("One number of d_A, added up.", d_A[(*at, i, j)], sum(B[(*at, j, c)] * d_C[(*at, i, c)] for c in range(m)))
        t.near("One number of d_B, added up.", d_B[(*at, j, o)], sum(A[(*at, r, j)] * d_C[(*at, r, o)] for r in range(n)))

    def softmax_backward(t):
        shape = (*t.lead(), *t.sizes(2))
        weights, d_weights = t.rng.dirichlet(np.ones(shape[-1]), size=shape[:-1]), t.normal(*shape)
        d_scores = np.asarray(t.call(weights=weights, d_weights=d_weights))
        t.shape("d_scores", d_scores, *shape)
        t.near("Each row sums to 0.", np.asarray(d_scores).sum(axis=-1), np.zeros(shape[:-1]))
        t.near("Adding 5 to all of d_weights changes nothing.", t.again(d_weights=d_weights + 5.0), d_scores)
        t.near("Twice the incoming gradient gives twice the gradient.", t.again(d_weights=2 * d_weights), 2 * np.asarray(d_scores))
        *at, j = t.place(shape)
        row, d_row = np.log(weights[tuple(at)]), d_weights[tuple(at)]

        def loss(score):
            powers = [math.exp(score if k == j else other) for k, other in enumerate(row)]
            return sum(power * d for power, d in zip(powers, d_row)) / sum(powers)

        slope = (loss(row[j] + 1e-5) - loss(row[j] - 1e-5)) / 2e-5
        t.near("One number, measured: its score a little up, a little down.", d_scores[(*at, j)], slope)

    def mask_backward(t):
        lead, (n, m) = t.lead(), t.sizes(2)
        mask = t.rng.random((n, m) if t.rng.integers(2) else (*lead, 1, m)) < 0.6
        d_masked = t.normal(*lead, n, m)
        allowed = np.broadcast_to(mask, d_masked.shape)
        d_masked[~allowed & (t.rng.random(d_masked.shape) < 0.3)] = np.nan
        d_scores = np.asarray(t.call(mask=mask, d_masked=d_masked))
        t.shape("d_scores", d_scores, *lead, n, m)
        t.near("The gradient of every hidden score is 0.", d_scores[~allowed], np.zeros((~allowed).sum()))
        t.near("Every other gradient passes as it is.", d_scores[allowed], d_masked[allowed])

    def attention_backward(t):
        lead, (n, m, d_k, d_v) = t.lead(), t.sizes(4)
        given = {"Q": t.normal(*lead, n, d_k), "K": t.normal(*lead, m, d_k), "V": t.normal(*lead, m, d_v)}
        d_output = t.normal(*lead, n, d_v)
        d = dict(zip("QKV", t.parts(t.call(**given, d_output=d_output), "d_Q, d_K, d_V")))
        for name, of in given.items():
            t.shape(f"d_{name}", d[name], *of.shape)
        t.near("The rows of d_V add up to those of d_output.", np.asarray(d["V"]).sum(axis=-2), d_output.sum(axis=-2))
        t.near("The rows of d_K add up to 0.", np.asarray(d["K"]).sum(axis=-2), np.zeros((*lead, d_k)))
        large = t.parts(t.again(Q=1000 * given["Q"]), "d_Q, d_K, d_V")
        t.holds("Scores of thousands overflow nothing.", all(np.isfinite(part).all() for part in large))
        at = t.place(lead)

        def loss(Q, K, V):
            total = 0.0
            for query, wish in zip(Q[at], d_output[at]):
                powers = [math.exp(float(np.dot(query, key)) / math.sqrt(d_k)) for key in K[at]]
                total += sum(power * float(np.dot(value, wish)) for power, value in zip(powers, V[at])) / sum(powers)
            return total

        for name, of in given.items():
            place = (*at, *t.place(of.shape[len(lead) :]))
            up, down = of.copy(), of.copy()
            up[place] += 1e-5
            down[place] -= 1e-5
            slope = (loss(**(given | {name: up})) - loss(**(given | {name: down}))) / 2e-5
            t.near(f"One number of d_{name}, measured: that of {name} a little up, a little down.", d[name][place], slope)

    def split_heads_backward(t):
        lead, (num_heads, n, d_head) = t.lead(), t.sizes(3)
        d_heads = t.normal(*lead, num_heads, n, d_head)
        d_X = np.asarray(t.call(d_heads=d_heads))
        t.shape("d_X", d_X, *lead, n, num_heads * d_head)
        *at, head, i, feature = t.place(d_heads.shape)
        t.near("A head has its own block of each token's features.", d_X[(*at, i, head * d_head + feature)], d_heads[(*at, head, i, feature)])
        t.near("Every number arrives, once.", np.sort(d_X, axis=None), np.sort(d_heads, axis=None))

# %%
tools.count_tries(False)  # True counts my tries, for me and my teacher; never graded, never sent

# %% oracles
"""The definitions, written the slow way; what is measured by differences is compared with these, too."""


def different_sizes(count):
    """So many sizes, all different, none a perfect square."""
    return [int(size) for size in rng.permutation([2, 3, 5, 6, 7])[:count]]


def rising_and_falling(count):
    """Two such lists: whichever two sizes somebody mixes up, either may be the larger one."""
    return sorted(different_sizes(count)), sorted(different_sizes(count), reverse=True)


def shares(scores):
    """The weights of each row."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def attended(Q, K, V):
    """The output of attention."""
    scores = np.einsum("...id,...jd->...ij", Q, K) / math.sqrt(Q.shape[-1])
    return np.einsum("...ij,...jd->...id", shares(scores), V)


def matmul_backward_by_definition(A, B, d_C):
    """Each number of A and of B, and all that it went into."""
    d_A, d_B = np.zeros(A.shape), np.zeros(B.shape)
    for *lead, i, o in np.ndindex(d_C.shape):
        for k in range(A.shape[-1]):
            d_A[(*lead, i, k)] += d_C[(*lead, i, o)] * B[(*lead, k, o)]
            d_B[(*lead, k, o)] += A[(*lead, i, k)] * d_C[(*lead, i, o)]
    return d_A, d_B


def mask_backward_by_definition(mask, d_masked):
    """One score at a time."""
    d_scores, allowed = np.zeros(d_masked.shape), np.broadcast_to(mask, d_masked.shape)
    for place in np.ndindex(d_masked.shape):
        if allowed[place]:
            d_scores[place] = d_masked[place]
    return d_scores


def split_heads_backward_by_definition(d_heads):
    """One number at a time."""
    *lead, num_heads, n, d_head = d_heads.shape
    d_X = np.zeros((*lead, n, num_heads * d_head))
    for *place, head, i, feature in np.ndindex(d_heads.shape):
        d_X[(*place, i, head * d_head + feature)] = d_heads[(*place, head, i, feature)]
    return d_X


def softmax_backward_by_definition(weights, d_weights):
    """Row by row, with the whole table of how each weight answers to each score."""
    rows = []
    for w, d in zip(weights.reshape(-1, weights.shape[-1]), d_weights.reshape(-1, weights.shape[-1])):
        table = np.diag(w) - np.outer(w, w)
        rows.append(table @ d)
    return np.array(rows).reshape(weights.shape)


def attention_backward_by_definition(Q, K, V, d_output):
    """The gradients, one pair of a query and a key at a time."""
    d_Q, d_K, d_V = np.zeros(Q.shape), np.zeros(K.shape), np.zeros(V.shape)
    scale = 1 / math.sqrt(Q.shape[-1])
    for lead in np.ndindex(Q.shape[:-2]):
        for i, query in enumerate(Q[lead]):
            weights = shares(scale * (K[lead] @ query))
            d_weights = V[lead] @ d_output[lead][i]
            d_scores = softmax_backward_by_definition(weights[None], d_weights[None])[0]
            for j, key in enumerate(K[lead]):
                d_V[lead][j] += weights[j] * d_output[lead][i]
                d_Q[lead][i] += scale * d_scores[j] * key
                d_K[lead][j] += scale * d_scores[j] * query
    return d_Q, d_K, d_V


def measured(part, Q, K, V, d_output):
    """The gradient of "Q", "K" or "V", by central differences."""
    arrays = {"Q": Q, "K": K, "V": V}
    return central_differences(lambda x: attended(**(arrays | {part: x})), arrays[part], d_output)


def drawn(*sizes):
    """Q, K, V and the gradient of the output, for leading axes, queries, keys, d_k and d_v."""
    *lead, n, m, d_k, d_v = sizes
    Q, K = 1.3 * rng.normal(size=(*lead, n, d_k)), rng.normal(size=(*lead, m, d_k))
    return Q, K, rng.normal(size=(*lead, m, d_v)), rng.normal(size=(*lead, n, d_v))


def factors_agree(result, wanted, **tolerance):
    """The gradients of both factors of a product are right."""
    tolerance = tolerance or COMPOSED
    got = tools.unpack(result, "d_A, d_B")
    tools.agree(got[0], wanted[0], "the gradient of A", "Which numbers of C did a number of A go into?", **tolerance)
    tools.agree(got[1], wanted[1], "the gradient of B", "Which numbers of C did a number of B go into?", **tolerance)


def gradients_agree(result, wanted, **tolerance):
    """All three are right."""
    tolerance = tolerance or COMPOSED
    asks = (
        "Through which scores does a query act, and what is it multiplied by there?",
        "Which queries did this key meet?",
        "Which rows of the output did this value go into?",
    )
    names = ("the gradient of the queries", "the gradient of the keys", "the gradient of the values")
    for got, right, what, ask in zip(tools.unpack(result, "d_Q, d_K, d_V"), wanted, names, asks):
        tools.agree(got, right, what, ask, **tolerance)


# %% [markdown]
# ## Warm-up: measure a gradient
#
# Nothing here is graded. You can measure any gradient without a formula: make one number a little larger, then a
# little smaller, and see what the loss does. The setup cell has `central_differences` for that. Take the loss
# $L = x^2 + 3y$ at $x = 2$, $y = 5$. What will the two numbers be? Write down your guess, then run the cell.

# %%
print(central_differences(lambda p: p[0] ** 2 + 3 * p[1], np.array([2.0, 5.0]), 1.0).round(6))

# %% [markdown]
# Why not always do it like that? It runs the whole model twice for every number in it, and models have billions.
# Going backwards costs about as much as going forwards, once, for all of them. But there is no better way to
# *check* a gradient. Everyone who writes one by hand makes this *gradient check*, and so do the hidden checks.
#
# One warning, from a real course: there, the gradient of softmax was tested with a `d_weights` of nothing but
# ones. The right answer is then 0 everywhere (you will see why), so a function that returned zeros got full
# marks. Whenever you test a gradient, draw the incoming gradient at random.

# %% [markdown]
# ## Backwards through attention
#
# ### 1. Both factors of a product: `matmul_backward`
#
# Forwards, $C = A B$: the number $A_{ik}$ goes into every $C_{ij}$ of its row, with the factor $B_{kj}$. On the way
# back it collects from there with the same factors, $dA_{ik} = \sum_j dC_{ij}\, B_{kj}$. The same holds for $B$, and both
# sums are matrix products again:
#
# $$dA = dC\; B^{\mathsf T}, \qquad dB = A^{\mathsf T}\, dC$$
#
# You don't need to learn that by heart: the shapes fit in only one way (as long as all sizes are different).


# %% step="matmul_backward" points=20
def matmul_backward(A, B, d_C):
    """The gradients of both factors of C = A @ B, from that of the product.

    Shapes
        A: (..., n, k), any number of leading axes
        B: (..., k, m)
        d_C: (..., n, m), the gradient of C

    Returns
        (d_A, d_B): a tuple of arrays of the shapes of A and B

    Rules
        Leading axes are a batch of products, each on its own.
        The inputs stay as they are.
    """
    ### BEGIN SOLUTION
    return d_C @ np.swapaxes(B, -1, -2), np.swapaxes(A, -1, -2) @ d_C
    ### END SOLUTION


# %% check="matmul_backward-by_hand" points=6 category="matrix product"
"""Two rows times three columns: three of the six numbers of C have a gradient."""
A, B = np.array([[1.0, 2.0], [0.0, 1.0]]), np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 1.0]])
d_A, d_B = tools.unpack(matmul_backward(A, B, np.array([[1.0, 10.0, 0.0], [0.0, 0.0, 100.0]])), "d_A, d_B")
tools.agree(d_A, [[1.0, 30.0], [200.0, 100.0]], "the gradient of A", "Into which row of C did row 0 of A go, and with which factors?", show=True, **COMPOSED)
tools.agree(d_B, [[1.0, 10.0, 0.0], [2.0, 20.0, 100.0]], "the gradient of B", "Into which rows of C did row 0 of B go?", show=True, **COMPOSED)

# %% check="matmul_backward-batch_of_two" points=3 category="shapes"
"""In a batch of two products, each has its own gradients."""
A, B = np.array([[[1.0, 2.0]], [[3.0, 0.0]]]), np.array([[[1.0], [5.0]], [[2.0], [4.0]]])
d_A, d_B = tools.unpack(matmul_backward(A, B, np.array([[[1.0]], [[10.0]]])), "d_A, d_B")
tools.agree(d_A, [[[1.0, 5.0]], [[20.0, 40.0]]], "the gradient of A", "Which axis is the batch, and which two should you swap?", **COMPOSED)
tools.agree(d_B, [[[1.0], [2.0]], [[30.0], [0.0]]], "the gradient of B", "Which axis is the batch, and which two should you swap?", **COMPOSED)

# %% check="matmul_backward-as_measured" points=6 category="matrix product" hidden=true
"""Random factors of any size: both gradients agree with central differences."""
size = int(rng.integers(2, 5))
for n, k, m in (*rising_and_falling(3), (size, size, size), (1, 3, 1), (3, 1, 2)):
    A, B, d_C = rng.normal(size=(n, k)), rng.normal(size=(k, m)), rng.normal(size=(n, m))
    wanted = central_differences(lambda x: np.einsum("ik,kj->ij", x, B), A, d_C), central_differences(lambda x: np.einsum("ik,kj->ij", A, x), B, d_C)
    factors_agree(matmul_backward(A.copy(), B.copy(), d_C.copy()), wanted)

# %% check="matmul_backward-any_batch" points=3 category="shapes" hidden=true
"""Any number of leading axes, a batch of one, equal sizes and sizes of 1, many columns, and large numbers."""
size = int(rng.integers(2, 4))
for *lead, n, k, m in (*rising_and_falling(4), different_sizes(5), (size,) * 4, (size,) * 5, (1, 2, 3, 4), (2, 1, 1, 1), (2, 3, 40, 20)):
    A, B, d_C = rng.normal(size=(*lead, n, k)), rng.normal(size=(*lead, k, m)), rng.normal(size=(*lead, n, m))
    wanted = matmul_backward_by_definition(A, B, d_C)
    factors_agree(matmul_backward(A.copy(), B.copy(), d_C.copy()), wanted)
    wanted = matmul_backward_by_definition(A, B, 1e4 * d_C)
    factors_agree(matmul_backward(A, B, 1e4 * d_C), wanted, rtol=2e-5, atol=0.2)

# %% check="matmul_backward-inputs_unchanged" points=2 category="purity" hidden=true
"""Both factors and the gradient of the product stay as they are, and a second call gives the same answer."""
n, k, m = different_sizes(3)
for lead in ((), (2,)):
    A, B, d_C = rng.normal(size=(*lead, n, k)), rng.normal(size=(*lead, k, m)), rng.normal(size=(*lead, n, m))
    wanted = matmul_backward_by_definition(A, B, d_C)
    with tools.unchanged(A=A, B=B, d_C=d_C):
        factors_agree(matmul_backward(A, B, d_C), wanted)
        factors_agree(matmul_backward(A, B, d_C), wanted)

# %% question="shared_number" kind="number" points=0
"""A single number w multiplies three others: 2, 3 and 5. The gradients of the three products are 1, 10 and 100. What is
the gradient of w?
"""
shared_number = 2 * 1 + 3 * 10 + 5 * 100

# %% [markdown]
# ### 2. Weights that depend on each other: `softmax_backward`
#
# Forwards, a row of scores $s$ became a row of weights $w$. Backwards, `d_weights` says what the loss "thinks" of
# each weight (that is, $\partial L / \partial w$), and we want to know what it thinks of each score.
#
# A score acts on *all* weights of its row: raise $s_i$, and $w_i$ grows, at the cost of all the others, for they
# still sum to 1:
#
# $$\frac{\partial w_j}{\partial s_i} = \begin{cases} w_i\,(1 - w_i) & \text{if } j = i \\ -\,w_j\, w_i & \text{otherwise} \end{cases}$$
#
# The score gets the sum over all that it acts on, $ds_i = \sum_j dw_j\, \partial w_j / \partial s_i$. Insert the
# two cases, factor out $w_i$, and this is left:
#
# $$ds_i = w_i \Big( dw_i - \sum_j w_j\, dw_j \Big)$$
#
# Read it aloud. The sum is the average over the row of what the loss thinks, weighted by $w$. A score is pushed
# by how much its own weight is *better than the average*, in proportion to the weight. So the row of `ds` sums to
# 0, and a `d_weights` that is the same everywhere gives a gradient of 0.
#
# You get the weights, not the scores: the weights are all you need.


# %% step="softmax_backward" points=25
def softmax_backward(weights, d_weights):
    """The gradient of the scores, from that of the weights which softmax made of them, along the last axis.

    Shapes
        weights: (..., n_keys), any number of leading axes: what softmax returned; each row sums to 1, and an entry
            may be exactly 0 or 1
        d_weights: the same shape: the gradient of the weights

    Returns
        d_scores: an array of the same shape

    Rules
        Each row is treated on its own. The rows of the result sum to 0.
        The inputs stay as they are.
    """
    ### BEGIN SOLUTION
    average = np.sum(weights * d_weights, axis=-1, keepdims=True)
    return weights * (d_weights - average)
    ### END SOLUTION


# %% check="softmax_backward-by_hand" points=7 category="softmax"
"""Two rows: the average gradient is 4 in the first and 2 in the second."""
tools.agree(
    softmax_backward(np.array([[0.5, 0.25, 0.25], [0.5, 0.5, 0.0]]), np.array([[4.0, 0.0, 8.0], [1.0, 3.0, 100.0]])),
    [[0.0, -1.0, 1.0], [-0.5, 0.5, 0.0]],
    "the gradient of the scores",
    "What is the average of 4, 0, 8 with the weights 1/2, 1/4, 1/4? And by how much does each differ from it?",
    show=True,
    **COMPOSED,
)

# %% check="softmax_backward-batch_of_two" points=2 category="shapes"
"""In a batch of two, every row has its own average; adding 1000 for all keys of a row changes nothing."""
tools.agree(
    softmax_backward(
        np.array([[[0.5, 0.5], [1.0, 0.0]], [[0.25, 0.75], [0.75, 0.25]]]),
        np.array([[[1002.0, 1006.0], [3.0, 7.0]], [[4.0, 8.0], [8.0, 4.0]]]),
    ),
    [[[-1.0, 1.0], [0.0, 0.0]], [[-0.75, 0.75], [0.75, -0.75]]],
    "the gradient of the batch",
    "Along which axis do the weights sum to 1?",
    **COMPOSED,
)

# %% check="softmax_backward-as_measured" points=8 category="softmax" hidden=true
"""Random scores and gradients agree with central differences, also for weights of 0 and 1."""
for n, m in (different_sizes(2), (4, 4), (1, 9), (6, 1)):
    scores, d_weights = 1.5 * rng.normal(size=(n, m)), rng.normal(size=(n, m))
    wanted = central_differences(shares, scores, d_weights)
    ask = "Measure one entry: what does central_differences say?"
    tools.agree(softmax_backward(shares(scores), d_weights.copy()), wanted, "the gradient of the scores", ask, **COMPOSED)
    wanted = softmax_backward_by_definition(shares(scores), d_weights)
    tools.agree(softmax_backward(shares(scores), d_weights), wanted, "the gradient of the scores", ask, **COMPOSED)
m = int(rng.integers(4, 8))
weights = np.eye(m)[rng.permutation(m)[:3]]
weights[:2] = 0.0
weights[0, rng.permutation(m)[:2]] = 0.25, 0.75
weights[1, rng.permutation(m)[:2]] = 0.9995, 0.0005
d_weights = rng.normal(size=weights.shape)
d_weights[1] = 10.0 * rng.permutation(m)
wanted = softmax_backward_by_definition(weights, d_weights)
tools.agree(softmax_backward(weights, d_weights), wanted, "the gradient where some keys have no weight", "Can a score change a weight of 0?", **COMPOSED)
weights, d_weights = np.eye(m)[:2], 1e6 * rng.permuted(np.tile(np.arange(m), (2, 1)), axis=1)
tools.agree(softmax_backward(weights, d_weights), np.zeros((2, m)), "the gradient where one key has everything", "What does a weight of exactly 1 leave for the others?", **COMPOSED)
weights, d_weights = rng.dirichlet(np.ones(m), size=2), np.full((2, m), 3.0)
tools.agree(softmax_backward(weights, d_weights), np.zeros((2, m)), "the gradient where d_weights is the same for all keys", "How far is each from the average then?", **COMPOSED)

# %% check="softmax_backward-any_batch" points=5 category="shapes" hidden=true
"""Any number of leading axes, none at all, sizes of 1, equal sizes, many keys, and a large incoming gradient."""
n = int(rng.integers(3, 6))
for shape in (*rising_and_falling(3), different_sizes(4), (n, n, n), (1, 2, 1), (2, 1, 4), (n,)):
    weights = 0.9 * rng.dirichlet(np.ones(shape[-1]), size=shape[:-1]) + 0.1 / shape[-1]
    d_weights = rng.normal(size=shape)
    wanted = softmax_backward_by_definition(weights, d_weights)
    tools.agree(softmax_backward(weights, d_weights), wanted, "the gradient of the scores", "Do you count axes from the end?", **COMPOSED)
weights, d_weights = rng.dirichlet(np.ones(70), size=2), 1e4 * rng.normal(size=(2, 70))
wanted = softmax_backward_by_definition(weights, d_weights)
ask = "What should come out where d_weights is ten thousand times as large?"
tools.agree(softmax_backward(weights, d_weights), wanted, "the gradient of the scores of many keys", ask, rtol=2e-5, atol=0.02)

# %% check="softmax_backward-inputs_unchanged" points=3 category="purity" hidden=true
"""Weights and their gradient stay as they are, and a second call gives the same answer."""
n, m = different_sizes(2)
for shape in ((n, m), (2, n, m)):
    weights, d_weights = 0.9 * rng.dirichlet(np.ones(m), size=shape[:-1]) + 0.1 / m, rng.normal(size=shape)
    wanted = softmax_backward_by_definition(weights, d_weights)
    with tools.unchanged(weights=weights, d_weights=d_weights):
        tools.agree(softmax_backward(weights, d_weights), wanted, "the first answer", **COMPOSED)
        tools.agree(softmax_backward(weights, d_weights), wanted, "the second answer", **COMPOSED)

# %% question="fourth_score" kind="number" points=0
"""A query has four scores. The gradients of the first three are 0.5, -0.2 and 0.1. What is the gradient of the fourth?"""
fourth_score = -0.4

# %% question="sure_of_one" kind="choice" points=0 hidden=true
"""One key of a row has the weight 1 and all others have the weight 0, but the loss would be lower if another key had it.
Which gradients do the scores of this row get?

a: the same gradients as the weights
b: 0, except for the key that has the weight
c: 0, except for the key that should have it
d: 0 for every key
"""
sure_of_one = "d"

# %% [markdown]
# ### 3. Through the mask: `mask_backward`
#
# Forwards, `apply_mask` put $-\infty$ in place of every hidden score. Change a hidden score, and the loss stays the same: its
# gradient is 0. The other scores passed as they were, and so do their gradients. (Softmax already gives no gradient to a key of
# weight 0. But the weights of a query without keys may be NaN, and 0 times NaN is NaN.)


# %% step="mask_backward" points=10
def mask_backward(mask, d_masked):
    """The gradient of the scores, from that of the masked scores which apply_mask made of them.

    Shapes
        mask: bool, True = may attend; any shape that broadcasts to the shape of d_masked
        d_masked: (..., n_queries, n_keys), any number of leading axes: the gradient of the masked scores, finite
            where the mask is True

    Returns
        d_scores: an array of the shape of d_masked

    Rules
        0 where the mask is False, whatever was there: NaN and inf disappear, too.
        The gradient itself where the mask is True.
        The inputs stay as they are.
    """
    ### BEGIN SOLUTION
    return np.where(mask, d_masked, 0.0)
    ### END SOLUTION


# %% check="mask_backward-by_hand" points=4 category="mask correctness"
"""The gradient of two hidden scores is 0, even if NaN comes in; the other four pass unchanged."""
tools.agree(
    mask_backward(np.array([[True, False, True], [True, True, False]]), np.array([[1.0, 2.0, -3.0], [4.0, 5.0, np.nan]])),
    [[1.0, 0.0, -3.0], [4.0, 5.0, 0.0]],
    "the gradient of the scores",
    "Which two scores are hidden, and what happens to the loss when you change them?",
    show=True,
)

# %% check="mask_backward-batch_of_two" points=1 category="shapes"
"""One row of a mask for each sequence of a batch applies to all of its queries."""
tools.agree(
    mask_backward(np.array([[[True, False]], [[True, True]]]), np.array([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]])),
    [[[1.0, 0.0], [3.0, 0.0]], [[5.0, 6.0], [7.0, 8.0]]],
    "the gradient of the batch",
    "The mask has the shape (2, 1, 2). Which of its axes is broadcast?",
)

# %% check="mask_backward-any_mask" points=4 category="mask correctness" hidden=true
"""Masks of any shape that broadcasts, queries without a key, and NaN, infinities and large numbers under the mask."""
b, h, n, m = different_sizes(4)
for shape, mask_shape in (
    ((b, n, m), (b, n, m)),
    ((b, h, n, m), (b, 1, 1, m)),
    ((1, n, m), (n, m)),
    ((b, n, m), (n, m)),
    ((n, n, n), (n, n)),
    ((n, n), (n,)),
    ((b, h, n, m), (h, 1, m)),
    ((b, n, m), (b, n, 1)),
    ((b, n, m), (1, n, m)),
    ((n, m), (1, m)),
    ((n, m), (n, 1)),
    ((n, m), (m,)),
    ((b, 1, 1), (b, 1, 1)),
    ((n, m), ()),
):
    mask = (rng.permutation(math.prod(mask_shape)) % 2 == 0).reshape(mask_shape)
    if mask_shape == (n, n):
        mask[0, :2], mask[1, 0] = False, True
    d_masked = 10.0 ** rng.integers(-2, 6) * rng.normal(size=shape)
    behind = rng.choice([np.nan, np.inf, -np.inf, 1.0], size=shape)
    d_masked = np.where(mask, d_masked, behind)
    wanted = mask_backward_by_definition(mask, d_masked)
    ask = "Broadcast the mask by hand: which scores does it hide, and what does each become?"
    tools.agree(mask_backward(mask, d_masked), wanted, "the gradient of the scores", ask)

# %% check="mask_backward-inputs_unchanged" points=1 category="purity" hidden=true
"""Mask and gradient stay as they are, and a second call gives the same answer."""
n, m = different_sizes(2)
mask = (rng.permutation(n * m) % 2 == 0).reshape(n, m)
mask[:, 0] = True
for lead in ((), (n + 1,)):
    d_masked = rng.normal(size=(*lead, n, m))
    wanted = mask_backward_by_definition(mask, d_masked)
    with tools.unchanged(mask=mask, d_masked=d_masked):
        tools.agree(mask_backward(mask, d_masked), wanted, "the first answer")
        tools.agree(mask_backward(mask, d_masked), wanted, "the second answer")

# %% [markdown]
# ### 4. All the way back: `attention_backward`
#
# Forwards, in three lines:
#
# $$S = \frac{Q K^{\mathsf T}}{\sqrt{d_k}}, \qquad W = \operatorname{softmax}(S), \qquad O = W V$$
#
# Backwards, through the same lines from the last to the first, with the functions that you have:
#
# | backwards | from | shape |
# |---|---|---|
# | `d_weights`, `d_V` | the product $W V$ and `d_output` | `(..., n_queries, n_keys)`, `(..., n_keys, d_v)` |
# | `d_scores` | the weights and `d_weights` | `(..., n_queries, n_keys)` |
# | `d_Q`, `d_K` | the product $Q K^{\mathsf T}$ and `d_scores` | `(..., n_queries, d_k)`, `(..., n_keys, d_k)` |
#
# You do not get the weights: go forwards once to compute them. The factor by which the scores were divided on
# the way there also matters on the way back.


# %% step="attention_backward" points=35
def attention_backward(Q, K, V, d_output):
    """The gradients of queries, keys and values, from that of the output of scaled dot-product attention.

    Shapes
        Q: (..., n_queries, d_k), any number of leading axes
        K: (..., n_keys, d_k)
        V: (..., n_keys, d_v), where d_v may differ from d_k
        d_output: (..., n_queries, d_v), the gradient of the output

    Returns
        (d_Q, d_K, d_V): a tuple of arrays, each with the shape of what it is the gradient of

    Rules
        Forwards, the scores are scaled by the square root of d_k, and there is no mask.
        Scores up to 1e4 in size, of either sign, overflow nothing.
        The inputs stay as they are.
    """
    ### BEGIN SOLUTION
    d_k = np.shape(Q)[-1]
    weights = softmax(scale_scores(attention_scores(Q, K), d_k))
    d_weights, d_V = matmul_backward(weights, V, d_output)
    d_scores = scale_scores(softmax_backward(weights, d_weights), d_k)
    d_Q, d_K_turned = matmul_backward(Q, np.swapaxes(K, -1, -2), d_scores)
    return d_Q, np.swapaxes(d_K_turned, -1, -2), d_V
    ### END SOLUTION


# %% check="attention_backward-by_hand" points=9 category="attention"
"""One query gives two values the weights 3/4 and 1/4. Value 0 is worth 4, value 1 is worth 16, and 7 is the average."""
# The gradient of the scaled scores is -9/4 and 9/4; of the scores, half of that.
d_Q, d_K, d_V = tools.unpack(
    attention_backward(
        np.array([[2.0, 0.0, 0.0, 0.0]]),
        np.array([[np.log(3.0), 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 2.0]]),
        np.array([[4.0, 0.0], [0.0, 8.0]]),
        np.array([[1.0, 2.0]]),
    ),
    "d_Q, d_K, d_V",
)
ask = "Print the gradient of the scores. What did the forward pass divide them by?"
tools.agree(d_V, [[0.75, 1.5], [0.25, 0.5]], "the gradient of the values", "With which weight did each value go into the output?", show=True, **COMPOSED)
tools.agree(d_Q, [[-1.125 * np.log(3.0), 0.0, 0.0, 2.25]], "the gradient of the query", ask, show=True, **COMPOSED)
tools.agree(d_K, [[-2.25, 0.0, 0.0, 0.0], [2.25, 0.0, 0.0, 0.0]], "the gradient of the keys", ask, show=True, **COMPOSED)

# %% check="attention_backward-batch_of_two" points=3 category="shapes"
"""In a batch of two, each sequence gets its own gradients; a key and a value collect from both queries."""
answer = attention_backward(
    np.array([[[0.0], [np.log(3.0)]], [[0.0], [0.0]]]),
    np.array([[[1.0], [0.0]], [[5.0], [1.0]]]),
    np.array([[[2.0], [6.0]], [[0.0], [4.0]]]),
    np.array([[[1.0], [4.0]], [[1.0], [3.0]]]),
)
d_Q, d_K, d_V = tools.unpack(answer, "d_Q, d_K, d_V")
ask = "The first weights are 1/2, 1/2 and 3/4, 1/4. Which query gave which gradient to which key, and in which sequence?"
tools.agree(d_V, [[[3.5], [1.5]], [[2.0], [2.0]]], "the gradient of the values", ask, **COMPOSED)
tools.agree(d_Q, [[[-1.0], [-3.0]], [[-4.0], [-12.0]]], "the gradient of the queries", ask, **COMPOSED)
tools.agree(d_K, [[[-3 * np.log(3.0)], [3 * np.log(3.0)]], [[0.0], [0.0]]], "the gradient of the keys", ask, **COMPOSED)

# %% check="attention_backward-thousands" points=0 category="overflow safety"
"""Scores of 9,000 and of -9,000 give gradients of 0; a query with small scores still has its gradient."""
d_Q, d_K, _ = tools.unpack(
    attention_backward(
        np.array([[9000.0], [-9000.0], [np.log(3.0)]]), np.array([[1.0], [0.0]]), np.array([[2.0], [6.0]]), np.ones((3, 1))
    ),
    "d_Q, d_K, d_V",
)
ask = "Which of your lines gets 9,000, and what does it return for it?"
tools.agree(d_Q, [[0.0], [0.0], [-0.75]], "the gradient of the queries", ask, **COMPOSED)
tools.agree(d_K, [[-0.75 * np.log(3.0)], [0.75 * np.log(3.0)]], "the gradient of the keys", ask, **COMPOSED)

# %% check="attention_backward-values_as_measured" points=5 category="attention" hidden=true
"""The gradient of the values agrees with central differences, whatever the sizes."""
n = int(rng.integers(2, 5))
for sizes in (*rising_and_falling(4), (n, n, n, n), (1, 3, 2, 1), (4, 1, 2, 3)):
    Q, K, V, d_output = drawn(*sizes)
    wanted = measured("V", Q, K, V, d_output)
    given = [array.copy() for array in (Q, K, V, d_output)]
    got = tools.unpack(attention_backward(*given), "d_Q, d_K, d_V")[2]
    tools.agree(got, wanted, "the gradient of the values", "Which rows of the output did a value go into?", **COMPOSED)

# %% check="attention_backward-queries_and_keys_as_measured" points=9 category="attention" hidden=true
"""The gradients of queries and keys agree with central differences, whatever the sizes."""
n = int(rng.integers(2, 5))
for sizes in (*rising_and_falling(4), (n, n, n, n), (1, 3, 2, 1), (4, 1, 2, 3)):
    Q, K, V, d_output = drawn(*sizes)
    wanted = measured("Q", Q, K, V, d_output), measured("K", Q, K, V, d_output)
    d_Q, d_K, _ = tools.unpack(attention_backward(Q.copy(), K.copy(), V.copy(), d_output.copy()), "d_Q, d_K, d_V")
    tools.agree(d_Q, wanted[0], "the gradient of the queries", "Through which scores does a query act?", **COMPOSED)
    tools.agree(d_K, wanted[1], "the gradient of the keys", "Which queries did a key meet?", **COMPOSED)

# %% check="attention_backward-any_batch" points=4 category="shapes" hidden=true
"""Any number of leading axes, a batch of one, all sizes equal, many keys, and a large incoming gradient."""
n = int(rng.integers(2, 4))
for sizes in (*rising_and_falling(5), (2, 3, 2, 5, 3, 4), (n,) * 6, (1, 2, 1, 3, 1), (2, 1, 1, 1, 2), (4, 5, 40, 20)):
    Q, K, V, d_output = drawn(*sizes)
    wanted = attention_backward_by_definition(Q, K, V, d_output)
    gradients_agree(attention_backward(Q, K, V, d_output), wanted)
Q, K, V, d_output = drawn(2, 70, 2, 3)
d_output *= 1e4
wanted = attention_backward_by_definition(Q, K, V, d_output)
gradients_agree(attention_backward(Q, K, V, d_output), wanted, rtol=2e-5, atol=0.2)

# %% check="attention_backward-large_scores" points=4 category="overflow safety" hidden=true
"""Scores in the thousands, mixed with small ones, do not overflow."""
m, d_v = int(rng.choice([3, 5, 6])), int(rng.integers(2, 4))
K = rng.integers(-3, 4, size=(m, 4)).astype(float)
K[rng.permutation(m)[:2]] = (3.0, 2.0, -3.0, 1.0), (3.0, 2.0, -3.0, 0.0)
Q = np.array([[800.0], [-800.0], [0.25], [-0.5]])[rng.permutation(4)] * np.array([3.0, 2.0, -3.0, 1.0])
V, d_output = rng.integers(-16, 17, size=(m, d_v)) / 8, rng.integers(-16, 17, size=(4, d_v)) / 8
V[:, 0], d_output[:, 0] = 8.0 * rng.permutation(m), 2.0  # it matters which key is looked at
wanted = attention_backward_by_definition(Q, K, V, d_output)
gradients_agree(attention_backward(Q, K, V, d_output), wanted, rtol=2e-5, atol=5e-3)

# %% check="attention_backward-inputs_unchanged" points=1 category="purity" hidden=true
"""Queries, keys, values and the gradient stay as they are, and a second call gives the same answer."""
for lead in ((), (2,)):
    Q, K, V, d_output = drawn(*lead, *different_sizes(4))
    wanted = attention_backward_by_definition(Q, K, V, d_output)
    with tools.unchanged(Q=Q, K=K, V=V, d_output=d_output):
        gradients_agree(attention_backward(Q, K, V, d_output), wanted)
        gradients_agree(attention_backward(Q, K, V, d_output), wanted)
K = rng.normal(size=K.shape)  # the same sizes, and the same queries
gradients_agree(attention_backward(Q, K, V, d_output), attention_backward_by_definition(Q, K, V, d_output))

# %% [markdown]
# ### 5. Every head at once: `split_heads_backward`
#
# Heads are one more leading axis, so your `attention_backward` handles all of them already. What remains is
# `split_heads`. It only moves each number of `X` to a place in one of the heads; backwards, the gradient at this place
# moves to where the number came from.


# %% step="split_heads_backward" points=10
def split_heads_backward(d_heads):
    """The gradient of X, from that of the heads which split_heads made of it.

    Shapes
        d_heads: (..., num_heads, n, d_head), any number of leading axes

    Returns
        d_X: (..., n, num_heads * d_head): the first d_head features are those of head 0, the next of head 1, ...

    Rules
        The input stays as it is.
    """
    ### BEGIN SOLUTION
    *lead, num_heads, n, d_head = np.shape(d_heads)
    return np.reshape(np.swapaxes(d_heads, -3, -2), (*lead, n, num_heads * d_head))
    ### END SOLUTION


# %% check="split_heads_backward-by_hand" points=4 category="multi-head concatenation"
"""Two heads of three tokens with two features: three tokens of four features were split."""
tools.agree(
    split_heads_backward(np.array([[[0.0, 1.0], [4.0, 5.0], [8.0, 9.0]], [[2.0, 3.0], [6.0, 7.0], [10.0, 11.0]]])),
    [[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0]],
    "the gradient of X",
    "Token 0 has two features in each head. Where did they come from?",
    show=True,
)

# %% check="split_heads_backward-batch_of_two" points=1 category="shapes"
"""In a batch of two, every sequence keeps the gradients of its own heads."""
tools.agree(
    split_heads_backward(np.array([[[[1.0], [2.0], [3.0]], [[4.0], [5.0], [6.0]]], [[[7.0], [8.0], [9.0]], [[10.0], [11.0], [12.0]]]])),
    [[[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]], [[7.0, 10.0], [8.0, 11.0], [9.0, 12.0]]],
    "the gradient of the batch",
    "The shape (2, 2, 3, 1) means: sequences, heads, tokens, features. Which two of them belong together?",
)

# %% check="split_heads_backward-any_heads" points=4 category="multi-head concatenation" hidden=true
"""One head, heads of one feature, equal sizes, and any number of leading axes."""
n = int(rng.integers(2, 5))
for shape in (*rising_and_falling(3), different_sizes(4), different_sizes(5), (n,) * 3, (n,) * 4, (1, 3, 5), (5, 2, 1), (1, 2, 1, 3), (2, 1, 3, 2), (16, 12, 20)):
    d_heads = rng.normal(size=shape)
    wanted = split_heads_backward_by_definition(d_heads)
    tools.agree(split_heads_backward(d_heads), wanted, "the gradient of X", "Are the features of one head neighbours?")

# %% check="split_heads_backward-inputs_unchanged" points=1 category="purity" hidden=true
"""The gradient of the heads stays as it is, and a second call gives the same answer."""
for lead in ((), (2,)):
    d_heads = rng.normal(size=(*lead, 3, int(rng.integers(4, 7)), 2))
    wanted = split_heads_backward_by_definition(d_heads)
    with tools.unchanged(d_heads=d_heads):
        tools.agree(split_heads_backward(d_heads), wanted, "the first answer")
        tools.agree(split_heads_backward(d_heads), wanted, "the second answer")

# %% [markdown]
# ### Look: two heads learn where to look
#
# Now put your gradients to work. Six tokens, each with a value of its own, and a wish for each of two heads: in head
# 0, every token should read the token *before* it, in head 1 the one *after* it (itself, where there is none). Queries
# and keys begin as small random numbers, the weights are almost uniform, and then, 200 times over: forwards, compare
# with the wish, backwards with your functions, and a small step downhill.
#
# The heatmaps show the weights after that. If they are still uniform, look at the signs of your gradients; if the
# loss falls slowly, look at the size.

# %%
@tools.demo
def two_heads_learn_where_to_look():
    noise, names = np.random.default_rng(1), [f"token {i}" for i in range(6)]
    Q, K, V = 0.3 * noise.normal(size=(6, 8)), 0.3 * noise.normal(size=(6, 8)), np.stack([np.eye(6)] * 2)
    wish = np.eye(6)[[[0, 0, 1, 2, 3, 4], [1, 2, 3, 4, 5, 5]]]
    for step in range(201):
        heads = split_heads(Q, 2), split_heads(K, 2)
        output, weights = (np.asarray(part) for part in scaled_dot_product_attention(*heads, V))
        if step % 50 == 0:
            print(f"step {step:>3}: loss {0.5 * np.sum((output - wish) ** 2):.4f}")
        d_Q, d_K, _ = attention_backward(*heads, V, output - wish)
        Q = Q - 2.0 * np.asarray(split_heads_backward(np.asarray(d_Q)))
        K = K - 2.0 * np.asarray(split_heads_backward(np.asarray(d_K)))
    for head, shown in enumerate(weights):
        tools.table(shown, names, names)
        axes = {"xlabel": "key (looked at)", "ylabel": "query"}
        tools.heatmap(shown, names, names, f"Head {head}", np.char.mod("%.2f", shown), **axes)


# %% [markdown]
# ## Optional: explain how a head learns
#
# A person grades this one. It can add up to 4 points to the 100. Take one token in one of the two heads above, and
# explain in a few sentences how it learned where to look.
#
# **Rubric**
#
# - 2 points: follows the gradient of one weight back to a score, and says which sign it has and why
# - 1 point: says why the steps are small at the beginning or at the end
# - 1 point: predicts what one wrong sign in the code would do to the loss, and compares that with a run

# %% [markdown] manual="explain_a_head" points=4 extra=true
# *Write your explanation here.*

# %% [markdown]
# ## Your score so far
#
# The results of the visible checks that you have run in this session. Before you hand in, restart the kernel and
# run everything, so that the count is up to date.

# %%
tools.summary()

# %% [markdown]
# ## Where to go from here
#
# What you wrote is what a library does when you call `backward`. It keeps a list of the operations done on
# the way forwards and goes through it from the end, with a function like yours for each of them. A question to
# explore: while a model is trained, the weights are made forwards and needed again backwards. What would it cost to
# keep them, and what would it cost to compute them again? The notebook `training` adds a loss, the other layers
# and an optimiser, and trains a model with them.


# %% oracles
"""What the docstrings promise about inputs: each line must occur in a check of its step, or have its reason below."""
from autograder.exercises.promises import leading_axes, masks, real_numbers, single

PROMISES = {
    "matmul_backward": {
        **leading_axes("A", own=2),
        **single("A", -2, -1),
        **single("B", -1),
        "all sizes are equal": lambda A, B: {*A.shape, *B.shape} == {A.shape[-1]},
        **real_numbers("d_C"),
    },
    "softmax_backward": {
        **leading_axes("weights", own=1),
        **single("weights", -1),
        "a weight of exactly 0": lambda weights: (weights == 0).any(),
        "a weight just below 1": lambda weights: ((weights > 0.99) & (weights < 1)).any(),
        "a weight of exactly 1": lambda weights: np.shape(weights)[-1] > 1 and (weights == 1).any(),
        "a gradient of a million, for a weight of 0": lambda weights, d_weights: ((weights == 0) & (np.abs(d_weights) > 9e5)).any(),
        "a gradient that is the same for all keys": lambda d_weights: (
            np.shape(d_weights)[-1] > 1 and (np.ptp(d_weights, axis=-1) == 0).any()
        ),
        **real_numbers("d_weights"),
    },
    "mask_backward": {
        **leading_axes("d_masked", own=2),
        **single("d_masked", -2, -1),
        **masks("mask", lambda d_masked: d_masked.shape),
        "NaN behind the mask": lambda mask, d_masked: (np.isnan(d_masked) & ~mask).any(),
        "infinity behind the mask": lambda mask, d_masked: (np.isinf(d_masked) & ~mask).any(),
        "numbers above 1,000": lambda mask, d_masked: ((np.abs(d_masked) > 1e3) & np.isfinite(d_masked) & mask).any(),
    },
    "attention_backward": {
        **leading_axes("Q", own=2),
        **single("Q", -2, -1),
        **single("K", -2),
        "more keys than queries": lambda Q, K: K.shape[-2] > Q.shape[-2] > 1,
        "more queries than keys": lambda Q, K: Q.shape[-2] > K.shape[-2] > 1,
        "as many queries as keys": lambda Q, K: Q.shape[-2] == K.shape[-2] > 1,
        "d_v differs from d_k": lambda K, V: K.shape[-1] != V.shape[-1],
        "d_k is no square number": lambda Q: math.isqrt(Q.shape[-1]) ** 2 != Q.shape[-1],
        "d_k above 8": lambda Q: Q.shape[-1] > 8,
        "scores near 1e4": lambda Q, K: np.abs(Q @ np.swapaxes(K, -1, -2)).max() / math.sqrt(Q.shape[-1]) > 5e3,
        "all sizes are equal": lambda Q, K, V: {*Q.shape, *K.shape, *V.shape} == {Q.shape[-1]},
    },
    "split_heads_backward": {
        **leading_axes("d_heads", own=3),
        **single("d_heads", -3, -2, -1),
        "one head, for several sequences": lambda d_heads: d_heads.ndim > 3 and d_heads.shape[0] > 1 == d_heads.shape[-3],
        "all sizes are equal": lambda d_heads: {*d_heads.shape} == {d_heads.shape[-1]},
    },
}

# %% [markdown]
# # Gradients, built by hand
#
# A model learns by asking one question of every number in it: if I made you a little larger, would the loss go up
# or down, and how fast? The answer is the gradient. Libraries work it out for you. For one afternoon, do without
# them: the gradient of attention is four matrix products and one line about softmax. In two functions you will
# write all of it, and at the end your own gradients will teach attention where to look.
#
# You have built attention before. Here you go backwards through it.
#
# **How this works.** Each step says why it exists, gives the formula and the shapes, and leaves one function for
# you to write. Its checks come right below.
#
# - A *visible* check tells you at once whether it passed, and what it got and wanted. The first one of each
#   step is small enough to verify with a pencil.
# - A *hidden* check is graded after you hand in. It tests only rules that the function's docstring states, with
#   sizes and numbers that nobody knows beforehand.
#
# Work from top to bottom. Change your own functions as often as you like, and add cells wherever you want to try
# something. Before you hand in, restart the kernel and run everything once.

# %% [markdown]
# ## The house rules
#
# They hold for both steps.
#
# - **`d_X` has the shape of `X`.** There is one loss, a single number $L$, somewhere after your function.
#   `d_X[i, j]` is $\partial L / \partial X_{ij}$: how fast the loss changes when that one number changes.
# - **Gradients come from behind.** Your function gets the gradient of its *output* and returns the gradients of
#   its *inputs*. It does not need to know what the loss is.
# - **Leading batch axes.** `(..., n, d)` means: there may be any number of leading axes (none, one, several), and
#   your function handles each slice separately. The arguments of one call have the same leading axes. No axis is
#   empty.
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

# %% setup needs="attention:attention_scores, attention:scale_scores, attention:softmax, attention:weighted_sum, attention:apply_mask, attention:scaled_dot_product_attention"
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

    def softmax_backward(t):
        shape = (*t.lead(), *t.sizes(2))
        weights, d_weights = t.rng.dirichlet(np.ones(shape[-1]), size=shape[:-1]), t.normal(*shape)
        d_scores = np.asarray(t.call(weights=weights, d_weights=d_weights))
        t.shape("d_scores", d_scores, *shape)
        t.near("Each row sums to 0.", np.asarray(d_scores).sum(axis=-1), np.zeros(shape[:-1]))
        t.near("5 more for all of d_weights changes nothing.", t.again(d_weights=d_weights + 5.0), d_scores)
        t.near("Twice the gradient from behind gives twice the gradient.", t.again(d_weights=2 * d_weights), 2 * np.asarray(d_scores))
        *at, j = t.place(shape)
        row, d_row = np.log(weights[tuple(at)]), d_weights[tuple(at)]

        def loss(score):
            powers = [math.exp(score if k == j else other) for k, other in enumerate(row)]
            return sum(power * d for power, d in zip(powers, d_row)) / sum(powers)

        slope = (loss(row[j] + 1e-5) - loss(row[j] - 1e-5)) / 2e-5
        t.near("One number, measured: its score a little up, a little down.", d_scores[(*at, j)], slope)

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
# *check* a gradient, and the hidden checks do exactly that.
#
# One warning, from a real course: there, the gradient of softmax was tested with a `d_weights` of nothing but
# ones. The right answer is then 0 everywhere (you will see why), so a function that returned zeros got full
# marks. Whenever you test a gradient, draw the incoming gradient at random.

# %% [markdown]
# ## Backwards through attention
#
# ### 1. Shares that push each other: `softmax_backward`
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
# 0, and a `d_weights` that is the same everywhere pushes nothing at all.
#
# You get the weights, not the scores: the weights are all you need.


# %% step="softmax_backward" points=35
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


# %% check="softmax_backward-by_hand" points=6 category="softmax"
"""Two rows: the average opinion is 4 in the first and 2 in the second."""
tools.agree(
    softmax_backward(np.array([[0.5, 0.25, 0.25], [0.5, 0.5, 0.0]]), np.array([[4.0, 0.0, 8.0], [1.0, 3.0, 100.0]])),
    [[0.0, -1.0, 1.0], [-0.5, 0.5, 0.0]],
    "the gradient of the scores",
    "What is the average of 4, 0, 8 with the weights 1/2, 1/4, 1/4? And by how much is each better than that?",
    show=True,
    **COMPOSED,
)

# %% check="softmax_backward-better_than_average" points=4 category="softmax"
"""It is only the difference to the average that pushes: 1000 more for everybody changes nothing."""
for more in (0.0, 1000.0):
    tools.agree(
        softmax_backward(np.array([[0.2, 0.3, 0.5]]), np.array([[10.0, 20.0, 30.0]]) + more),
        [[-2.6, -0.9, 3.5]],
        f"the gradient of the scores, with {more:.0f} added to each of d_weights",
        "What changes if every entry of d_weights grows by the same amount?",
        show=True,
        rtol=1e-3,
        atol=1e-3,
    )

# %% check="softmax_backward-batch_of_two" points=4 category="shapes"
"""In a batch of two, every row has an average of its own."""
tools.agree(
    softmax_backward(
        np.array([[[0.5, 0.5], [1.0, 0.0]], [[0.25, 0.75], [0.75, 0.25]]]),
        np.array([[[2.0, 6.0], [3.0, 7.0]], [[4.0, 8.0], [8.0, 4.0]]]),
    ),
    [[[-1.0, 1.0], [0.0, 0.0]], [[-0.75, 0.75], [0.75, -0.75]]],
    "the gradient of the batch",
    "Along which axis do the weights sum to 1?",
    **COMPOSED,
)

# %% check="softmax_backward-as_measured" points=10 category="softmax" hidden=true
"""Drawn scores, a drawn gradient from behind: the same as measured by central differences, and for weights of 0 and 1."""
for n, m in (different_sizes(2), (4, 4), (1, 9), (6, 1)):
    scores, d_weights = 1.5 * rng.normal(size=(n, m)), rng.normal(size=(n, m))
    wanted = central_differences(shares, scores, d_weights)
    ask = "Measure one entry: what does central_differences say?"
    tools.agree(softmax_backward(shares(scores), d_weights.copy()), wanted, "the gradient of the scores", ask, **COMPOSED)
    wanted = softmax_backward_by_definition(shares(scores), d_weights)
    tools.agree(softmax_backward(shares(scores), d_weights), wanted, "the gradient of the scores", ask, **COMPOSED)
m = int(rng.integers(4, 8))
weights = np.eye(m)[rng.permutation(m)[:3]]
weights[0] = 0.0
weights[0, rng.permutation(m)[:2]] = 0.25, 0.75
d_weights = rng.normal(size=weights.shape)
wanted = softmax_backward_by_definition(weights, d_weights)
tools.agree(softmax_backward(weights, d_weights), wanted, "the gradient where weights are 0 or 1", "What pushes a key that has no weight?", **COMPOSED)
weights, d_weights = rng.dirichlet(np.ones(m), size=2), np.full((2, m), 3.0)
tools.agree(softmax_backward(weights, d_weights), np.zeros((2, m)), "the gradient where all are praised alike", "What is better than the average then?", **COMPOSED)

# %% check="softmax_backward-any_batch" points=6 category="shapes" hidden=true
"""Any number of leading axes, none at all, sizes of 1, equal sizes, many keys, and a large gradient from behind."""
n = int(rng.integers(3, 6))
for shape in ((n,), *rising_and_falling(3), different_sizes(4), (n, n, n), (1, 2, 1), (2, 1, 4)):
    weights, d_weights = rng.dirichlet(np.ones(shape[-1]), size=shape[:-1]), rng.normal(size=shape)
    wanted = softmax_backward_by_definition(weights, d_weights)
    tools.agree(softmax_backward(weights, d_weights), wanted, "the gradient of the scores", "Do you count axes from the end?", **COMPOSED)
weights, d_weights = rng.dirichlet(np.ones(70), size=2), 1e4 * rng.normal(size=(2, 70))
wanted = softmax_backward_by_definition(weights, d_weights)
ask = "What should come out where d_weights is ten thousand times as large?"
tools.agree(softmax_backward(weights, d_weights), wanted, "the gradient of the scores of many keys", ask, rtol=2e-5, atol=0.02)

# %% check="softmax_backward-inputs_unchanged" points=5 category="purity" hidden=true
"""Weights and their gradient stay as they are, and a second call gives the same answer."""
n, m = different_sizes(2)
weights, d_weights = rng.dirichlet(np.ones(m), size=n), rng.normal(size=(n, m))
wanted = softmax_backward_by_definition(weights, d_weights)
with tools.unchanged(weights=weights, d_weights=d_weights):
    tools.agree(softmax_backward(weights, d_weights), wanted, "the first answer", **COMPOSED)
    tools.agree(softmax_backward(weights, d_weights), wanted, "the second answer", **COMPOSED)

# %% [markdown]
# ### 2. All the way back: `attention_backward`
#
# Forwards, in four lines, and what each makes of its inputs:
#
# $$S = \frac{Q K^{\mathsf T}}{\sqrt{d_k}}, \qquad W = \operatorname{softmax}(S), \qquad O = W V$$
#
# Backwards you go through the same lines from the last to the first. You are handed $dO$, and all you need besides step 1 is how a
# matrix product hands a gradient back. For $C = A B$:
#
# $$dA = dC\; B^{\mathsf T}, \qquad dB = A^{\mathsf T}\, dC$$
#
# You don't need to learn that by heart: the shapes fit in only one way (as long as all sizes are different). It
# says something simple, too. $O = W V$ means that value $j$ went into every row $i$ of the output with the weight
# $w_{ij}$. So on the way back it collects from every row, with the same weights.
#
# | backwards | from | shape |
# |---|---|---|
# | `d_V` | `d_output` and the weights | `(..., n_keys, d_v)` |
# | `d_weights` | `d_output` and `V` | `(..., n_queries, n_keys)` |
# | `d_scores` | step 1 | `(..., n_queries, n_keys)` |
# | `d_Q`, `d_K` | `d_scores`, with `K` and with `Q` | `(..., n_queries, d_k)`, `(..., n_keys, d_k)` |
#
# The weights are not handed to you: go forwards once to get them. The factor by which the scores were divided on
# the way there also matters on the way back.


# %% step="attention_backward" points=65
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
    d_V = np.swapaxes(weights, -1, -2) @ d_output
    d_weights = d_output @ np.swapaxes(V, -1, -2)
    d_scores = scale_scores(softmax_backward(weights, d_weights), d_k)
    return d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, d_V
    ### END SOLUTION


# %% check="attention_backward-values_by_hand" points=6 category="values"
"""One query that gives two values the weights 3/4 and 1/4: each collects its share."""
answer = attention_backward(
    np.array([[2.0, 0.0, 0.0, 0.0]]),
    np.array([[np.log(3.0), 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 2.0]]),
    np.array([[4.0, 0.0], [0.0, 8.0]]),
    np.array([[1.0, 2.0]]),
)
d_V = tools.unpack(answer, "d_Q, d_K, d_V")[2]
ask = "With which weight did each value go into the output?"
tools.agree(d_V, [[0.75, 1.5], [0.25, 0.5]], "the gradient of the values", ask, show=True, **COMPOSED)

# %% check="attention_backward-queries_and_keys_by_hand" points=8 category="queries and keys"
"""The same query: value 0 is worth 4, value 1 is worth 16, and 7 is the average."""
# The gradient of the scaled scores is -9/4 and 9/4; of the scores, half of that.
d_Q, d_K, _ = tools.unpack(
    attention_backward(
        np.array([[2.0, 0.0, 0.0, 0.0]]),
        np.array([[np.log(3.0), 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 2.0]]),
        np.array([[4.0, 0.0], [0.0, 8.0]]),
        np.array([[1.0, 2.0]]),
    ),
    "d_Q, d_K, d_V",
)
ask = "Print the gradient of the scores. By what were they divided on the way forwards?"
tools.agree(d_Q, [[-1.125 * np.log(3.0), 0.0, 0.0, 2.25]], "the gradient of the query", ask, show=True, **COMPOSED)
tools.agree(d_K, [[-2.25, 0.0, 0.0, 0.0], [2.25, 0.0, 0.0, 0.0]], "the gradient of the keys", ask, show=True, **COMPOSED)

# %% check="attention_backward-two_queries" points=6 category="queries and keys"
"""Two queries and two keys of one feature: a key collects from both queries, and so does a value."""
d_Q, d_K, d_V = tools.unpack(
    attention_backward(
        np.array([[0.0], [np.log(3.0)]]), np.array([[1.0], [0.0]]), np.array([[2.0], [6.0]]), np.array([[1.0], [4.0]])
    ),
    "d_Q, d_K, d_V",
)
tools.agree(d_V, [[3.5], [1.5]], "the gradient of the values", "The weights are 1/2, 1/2 and 3/4, 1/4. Who gave what to value 0?", **COMPOSED)
tools.agree(d_Q, [[-1.0], [-3.0]], "the gradient of the queries", "Over which axis do you add up?", **COMPOSED)
tools.agree(
    d_K, [[-3.0 * np.log(3.0)], [3.0 * np.log(3.0)]], "the gradient of the keys", "Which queries met key 0?", **COMPOSED
)

# %% check="attention_backward-batch_of_two" points=4 category="shapes"
"""In a batch of two, each sequence gets gradients of its own."""
answer = attention_backward(
    np.array([[[0.0], [np.log(3.0)]], [[0.0], [0.0]]]),
    np.array([[[1.0], [0.0]], [[5.0], [1.0]]]),
    np.array([[[2.0], [6.0]], [[0.0], [4.0]]]),
    np.array([[[1.0], [4.0]], [[1.0], [3.0]]]),
)
d_Q, d_K, d_V = tools.unpack(answer, "d_Q, d_K, d_V")
ask = "Which axis is the batch, and which two trade places?"
tools.agree(d_V, [[[3.5], [1.5]], [[2.0], [2.0]]], "the gradient of the values", ask, **COMPOSED)
tools.agree(d_Q, [[[-1.0], [-3.0]], [[-4.0], [-12.0]]], "the gradient of the queries", ask, **COMPOSED)
three_logs = 3.0 * np.log(3.0)
tools.agree(d_K, [[[-three_logs], [three_logs]], [[0.0], [0.0]]], "the gradient of the keys", ask, **COMPOSED)

# %% check="attention_backward-thousands" points=0 category="overflow safety"
"""Scores of 9,000 and of -9,000 leave nothing to push; a small query beside them still has its gradient."""
d_Q, d_K, d_V = tools.unpack(
    attention_backward(
        np.array([[9000.0], [-9000.0], [np.log(3.0)]]), np.array([[1.0], [0.0]]), np.array([[2.0], [6.0]]), np.ones((3, 1))
    ),
    "d_Q, d_K, d_V",
)
ask = "Which of your lines meets 9,000, and what does it make of it?"
tools.agree(d_V, [[1.75], [1.25]], "the gradient of the values", ask, **COMPOSED)
tools.agree(d_Q, [[0.0], [0.0], [-0.75]], "the gradient of the queries", ask, **COMPOSED)
tools.agree(d_K, [[-0.75 * np.log(3.0)], [0.75 * np.log(3.0)]], "the gradient of the keys", ask, **COMPOSED)

# %% check="attention_backward-values_as_measured" points=8 category="values" hidden=true
"""The gradient of the values is what central differences measure, whatever the sizes."""
n = int(rng.integers(2, 5))
for sizes in (*rising_and_falling(4), (n, n, n, n), (1, 3, 2, 1), (4, 1, 2, 3)):
    Q, K, V, d_output = drawn(*sizes)
    wanted = measured("V", Q, K, V, d_output)
    given = [array.copy() for array in (Q, K, V, d_output)]
    got = tools.unpack(attention_backward(*given), "d_Q, d_K, d_V")[2]
    tools.agree(got, wanted, "the gradient of the values", "Which rows of the output did a value go into?", **COMPOSED)

# %% check="attention_backward-queries_as_measured" points=9 category="queries and keys" hidden=true
"""The gradient of the queries is what central differences measure, whatever the sizes."""
n = int(rng.integers(2, 5))
for sizes in (*rising_and_falling(4), (n, n, n, n), (1, 3, 2, 1), (4, 1, 2, 3)):
    Q, K, V, d_output = drawn(*sizes)
    wanted = measured("Q", Q, K, V, d_output)
    given = [array.copy() for array in (Q, K, V, d_output)]
    got = tools.unpack(attention_backward(*given), "d_Q, d_K, d_V")[0]
    tools.agree(got, wanted, "the gradient of the queries", "Through which scores does a query act?", **COMPOSED)

# %% check="attention_backward-keys_as_measured" points=9 category="queries and keys" hidden=true
"""The gradient of the keys is what central differences measure, whatever the sizes."""
n = int(rng.integers(2, 5))
for sizes in (*rising_and_falling(4), (n, n, n, n), (1, 3, 2, 1), (4, 1, 2, 3)):
    Q, K, V, d_output = drawn(*sizes)
    wanted = measured("K", Q, K, V, d_output)
    given = [array.copy() for array in (Q, K, V, d_output)]
    got = tools.unpack(attention_backward(*given), "d_Q, d_K, d_V")[1]
    tools.agree(got, wanted, "the gradient of the keys", "Which queries did a key meet?", **COMPOSED)

# %% check="attention_backward-any_batch" points=5 category="shapes" hidden=true
"""Any number of leading axes, a batch of one, all sizes equal, many keys, and a large gradient from behind."""
n = int(rng.integers(2, 4))
for sizes in (*rising_and_falling(5), (2, 3, 2, 5, 3, 4), (n,) * 6, (1, 2, 1, 3, 1), (2, 1, 1, 1, 2), (4, 5, 40, 20)):
    Q, K, V, d_output = drawn(*sizes)
    wanted = attention_backward_by_definition(Q, K, V, d_output)
    gradients_agree(attention_backward(Q, K, V, d_output), wanted)
Q, K, V, d_output = drawn(2, 70, 2, 3)
d_output *= 1e4
wanted = attention_backward_by_definition(Q, K, V, d_output)
gradients_agree(attention_backward(Q, K, V, d_output), wanted, rtol=2e-5, atol=0.2)

# %% check="attention_backward-large_scores" points=6 category="overflow safety" hidden=true
"""Scores in the thousands, beside small ones, overflow nothing."""
m, d_v = int(rng.choice([3, 5, 6])), int(rng.integers(2, 4))
K = rng.integers(-3, 4, size=(m, 4)).astype(float)
K[rng.permutation(m)[:2]] = (3.0, 2.0, -3.0, 1.0), (3.0, 2.0, -3.0, 0.0)
Q = np.array([[800.0], [-800.0], [0.25], [-0.5]])[rng.permutation(4)] * np.array([3.0, 2.0, -3.0, 1.0])
V, d_output = rng.integers(-16, 17, size=(m, d_v)) / 8, rng.integers(-16, 17, size=(4, d_v)) / 8
V[:, 0], d_output[:, 0] = 8.0 * rng.permutation(m), 2.0  # it matters which key is looked at
wanted = attention_backward_by_definition(Q, K, V, d_output)
gradients_agree(attention_backward(Q, K, V, d_output), wanted, rtol=2e-5, atol=5e-3)

# %% check="attention_backward-inputs_unchanged" points=4 category="purity" hidden=true
"""Queries, keys, values and the gradient stay as they are, and a second call gives the same answer."""
Q, K, V, d_output = drawn(*different_sizes(4))
wanted = attention_backward_by_definition(Q, K, V, d_output)
with tools.unchanged(Q=Q, K=K, V=V, d_output=d_output):
    gradients_agree(attention_backward(Q, K, V, d_output), wanted)
    gradients_agree(attention_backward(Q, K, V, d_output), wanted)

# %% [markdown]
# ### Look back: predicted and measured
#
# Three queries, four keys. For some numbers in `Q`, `K` and `V`: what your function predicts, and what really
# happens to the loss when that number moves by a hundred-thousandth. This comparison is called a *gradient
# check*, and everyone who writes a gradient by hand does it. Try it on a wrong function: forget the square root,
# say. Which of the lines notice?

# %%
@tools.demo
def predicted_and_measured():
    noise = np.random.default_rng(0)
    Q, K, V = noise.normal(size=(3, 2)), noise.normal(size=(4, 2)), noise.normal(size=(4, 3))
    d_output = noise.normal(size=(3, 3))
    parts = {
        "Q": (lambda x: scaled_dot_product_attention(x, K, V)[0], Q),
        "K": (lambda x: scaled_dot_product_attention(Q, x, V)[0], K),
        "V": (lambda x: scaled_dot_product_attention(Q, K, x)[0], V),
    }
    rows, names, gap = [], [], 0.0
    for (name, (function, x)), predicted in zip(parts.items(), attention_backward(Q, K, V, d_output)):
        predicted, measured = np.asarray(predicted), central_differences(function, x, d_output)
        for index in ((0, 0), (1, 0), (2, 1)):
            rows.append([predicted[index], measured[index]])
            names.append(f"{name}[{index[0]}, {index[1]}]")
        gap = max(gap, np.abs(predicted - measured).max())
    tools.table(rows, names, ["predicted", "measured"], 6)
    print(f"The largest difference, over all the numbers in Q, K and V: {gap:.0e}")


# %% [markdown]
# ### Look: attention learns where to look
#
# Now put your gradient to work. Six tokens, each with a value of its own, and one wish: every token should read
# the token *before* it (and the first one itself). Nobody tells the model which queries and keys would do that.
# They begin as small random numbers, the weights are almost uniform, and then, 400 times over: forwards, compare
# with the wish, backwards with your function, and a small step downhill.
#
# The two heatmaps show the weights before and after. If the second one looks like the first, look at the signs
# of your gradient; if the loss falls slowly, look at the size.

# %%
@tools.demo
def attention_learns_where_to_look():
    noise, names = np.random.default_rng(1), [f"token {i}" for i in range(6)]
    Q, K, V = 0.3 * noise.normal(size=(6, 4)), 0.3 * noise.normal(size=(6, 4)), np.eye(6)
    wish = V[[0, 0, 1, 2, 3, 4]]
    axes = {"xlabel": "key (looked at)", "ylabel": "query"}
    for step in range(401):
        output, weights = (np.asarray(part) for part in scaled_dot_product_attention(Q, K, V))
        if step % 100 == 0:
            print(f"step {step:>3}: loss {0.5 * np.sum((output - wish) ** 2):.4f}")
        if step in (0, 400):
            title = f"Weights after {step} steps"
            tools.table(weights, names, names)
            tools.heatmap(weights, names, names, title, np.char.mod("%.2f", weights), **axes)
        d_Q, d_K, _ = attention_backward(Q, K, V, output - wish)
        Q, K = Q - 2.0 * np.asarray(d_Q), K - 2.0 * np.asarray(d_K)


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
# What you wrote is what a library does when somebody calls `backward`. It keeps a list of the operations done on
# the way forwards and goes through it from the end, with a line like yours for each of them. Two questions to
# explore. With a mask, hidden keys have a weight of 0: what does your `softmax_backward` do with them, and which
# line of `attention_backward` would have to change? And while a model is trained, the weights are made forwards
# and needed again backwards: what would it cost to keep them, and what would it cost to compute them again?


# %% oracles
"""What the docstrings promise about inputs: each line must occur in a check of its step, or have its reason below."""
from autograder.exercises.promises import leading_axes, real_numbers, single

PROMISES = {
    "softmax_backward": {
        **leading_axes("weights", own=1),
        **single("weights", -1),
        "a weight of exactly 0": lambda weights: (weights == 0).any(),
        "a weight of exactly 1": lambda weights: np.shape(weights)[-1] > 1 and (weights == 1).any(),
        "a gradient that is the same for all keys": lambda d_weights: (
            np.shape(d_weights)[-1] > 1 and (np.ptp(d_weights, axis=-1) == 0).any()
        ),
        **real_numbers("d_weights"),
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
}

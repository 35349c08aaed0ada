# %% [markdown]
# # Inference, built by hand
#
# A language model writes one token at a time. For each new token it looks back at everything that was written so
# far, and that is where the time and the memory go. Fast models compute the very same numbers as slow ones, only
# in another order and without doing anything twice. In five functions you will write what they do: rotary
# positions, shared heads, a cache, a whole text with it, and attention in blocks.
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
# - **Row vectors.** A token is a *row*: `Q`, `K` and `V` have one row for each token.
# - **Checks look at answers**, and those of `flash_attention` at memory, too. They cannot see whether
#   `decode_with_cache` works row by row or with one large matrix. `cached_step` gets one token at a time, so it needs a
#   cache. The demonstration at the end counts what your functions cost.
# - **Inputs are never changed.** Your function must not modify its arguments, and a second call gives the same
#   answer.
# - **NumPy only**, in its default precision, `float64`. A `float32` result is accepted and compared less
#   strictly; nested lists are accepted in place of arrays.
# - **To look inside**, print in your own function. To try other numbers, change what a step's first check calls it
#   with: `given = tools.first("rope")`, `given["positions"] = …`, `rope(**given)`.
# - **More practice.** Once all visible checks of a step pass, `tools.practice("rope")` tries your function on
#   fresh inputs and says which rules hold, those of hidden checks included.
#
# We use the usual symbols: `n` queries, `m` keys, `d` features, `h` heads of queries, `g` heads of keys and
# values.
#
# Your steps may call functions that you wrote in `attention`. Below the next two cells there is one that brings them
# over: copy your `attention.ipynb` into the folder of this notebook, and run it. They are not graded again, and the
# grader uses correct ones, whatever you bring. The folded cell with a long string of characters holds the weights of
# the small trained model that you will meet at the end.

# %% setup needs="attention:attention_scores, attention:scale_scores, attention:softmax, attention:weighted_sum, attention:causal_mask, attention:apply_mask, attention:scaled_dot_product_attention"
import math

import numpy as np

from autograder import tools

rng = np.random.default_rng(2023)  # grading puts another in its place, which depends on the course's secret

# Steps that build on each other are off by 6e-6 where one of them, and perhaps not the last, answers in float32.
COMPOSED = {"rtol": 2e-5, "atol": 2e-5}

# %%
import numpy as np

# %% practice
def one_query(query, keys, values):
    """What one query reads, key by key."""
    scores = [float(np.dot(query, key)) / math.sqrt(len(query)) for key in keys]
    powers = [math.exp(score - max(scores)) for score in scores]
    return sum(power * value for power, value in zip(powers, values)) / sum(powers)


class Practice:
    """What holds of any right answer, for tools.practice: no line here computes a whole one."""

    def rope(t):
        lead, n, d = t.lead(), int(t.rng.integers(2, 6)), 2 * int(t.rng.integers(1, 5))
        x, positions = t.normal(*lead, n, d), t.rng.integers(0, 50, size=n)
        turned = np.asarray(t.call(x=x, positions=positions, base=float(t.rng.uniform(50, 500))))
        t.shape("the result", turned, *lead, n, d)
        lengths = (x**2).reshape(*lead, n, -1, 2).sum(axis=-1)
        t.near("Every pair keeps its length.", (turned**2).reshape(*lead, n, -1, 2).sum(axis=-1), lengths)
        t.near("At position 0 nothing changes.", t.again(positions=0 * positions), x)
        t.near("Two turns add up.", t.again(x=turned), t.again(positions=2 * positions))
        i, pair = int(t.rng.integers(n)), int(t.rng.integers(d // 2))
        axis = np.zeros(x.shape)
        axis[..., i, 2 * pair] = 1.0
        angle = positions[i] * t.given["base"] ** (-2 * pair / d)
        t.near("One pair (1, 0) becomes the cosine and the sine of its angle.", np.asarray(t.again(x=axis))[..., i, 2 * pair : 2 * pair + 2], np.broadcast_to([math.cos(angle), math.sin(angle)], (*lead, 2)))

    def grouped_query_attention(t):
        g, each, (n, m, d) = int(t.rng.integers(1, 4)), int(t.rng.integers(1, 4)), t.sizes(3)
        Q, K, V = t.normal(g * each, n, d) * (1.0, 1000.0)[t.rng.integers(2)], t.normal(g, m, d), t.normal(g, m, d)
        output = np.asarray(t.call(Q=Q, K=K, V=V))
        t.shape("the output", output, g * each, n, d)
        head, i = t.place((g * each, n))
        t.near("One row, key by key of its group.", output[head, i], one_query(Q[head, i], K[head // each], V[head // each]))
        V = V.copy()
        V[0] += 1.0
        moved = np.abs(np.asarray(t.again(V=V)) - output).max(axis=(1, 2)) > 1e-6
        t.holds("Only the first heads read the first values.", moved.tolist() == [True] * each + [False] * (g - 1) * each, f"heads that change: {np.flatnonzero(moved).tolist()}")

    def cached_step(t):
        lead, (n, d_k, d_v) = t.lead(), t.sizes(3)
        Q, K, V = t.normal(n, *lead, d_k) * (1.0, 1000.0)[t.rng.integers(2)], t.normal(n, *lead, d_k), t.normal(n, *lead, d_v)
        cache, at = None, t.place(lead)
        for i in range(n):
            output, cache = tools.unpack(t.call(q=Q[i], k=K[i], v=V[i], cache=cache), "output, cache")
            t.shape("the output", output, *lead, d_v)
            t.near("One token, key by key of the tokens so far.", np.asarray(output)[at], one_query(Q[i][at], K[(slice(i + 1), *at)], V[(slice(i + 1), *at)]))
        for _ in range(2):
            V[-1] += 1.0
            output, _ = tools.unpack(t.again(v=V[-1].copy()), "output, cache")
            t.near("Two different tokens may follow the same cache.", np.asarray(output)[at], one_query(Q[-1][at], K[(slice(None), *at)], V[(slice(None), *at)]))

    def decode_with_cache(t):
        n, d_k, d_v = t.sizes(3)
        Q, K, V = t.normal(n, d_k) * (1.0, 1000.0)[t.rng.integers(2)], t.normal(n, d_k), t.normal(n, d_v)
        output = np.asarray(t.call(Q=Q, K=K, V=V))
        t.shape("the output", output, n, d_v)
        t.near("The first row is the first value.", output[0], V[0])
        i = int(t.rng.integers(n))
        t.near("One row, key by key of the tokens so far.", output[i], one_query(Q[i], K[: i + 1], V[: i + 1]))
        short = {"Q": Q[:-1].copy(), "K": K[:-1].copy(), "V": V[:-1].copy()}
        t.near("A shorter text begins in the same way.", t.again(**short), output[:-1])

    def flash_attention(t):
        n, m, d_k, d_v = t.sizes(4)
        Q, K, V = t.normal(n, d_k) * (1.0, 1000.0)[t.rng.integers(2)], t.normal(m, d_k), t.normal(m, d_v)
        output = np.asarray(t.call(Q=Q, K=K, V=V, block_size=int(t.rng.integers(1, m + 2))))
        t.shape("the output", output, n, d_v)
        t.near("Another block size gives the same.", t.again(block_size=int(t.rng.integers(1, m + 2))), output)
        t.near("Keys in another order give the same.", t.again(K=K[::-1].copy(), V=V[::-1].copy()), output)
        i = int(t.rng.integers(n))
        t.near("One row, key by key.", output[i], one_query(Q[i], K, V))
        Q, K, V = t.normal(40, 2), t.normal(800, 2), t.normal(800, 2)
        _, held = tools.memory(t.function, Q, K, V, 20)
        t.holds("The scores of all keys are never stored at once.", held < 192_000, f"{held} bytes at once")

# %%
tools.count_tries(False)  # True counts my tries, for me and my teacher; never graded, never sent

# %% oracles
"""The definitions, written the slow way: one pair, one query at a time. Hidden checks compare with these."""


def different_sizes(count):
    """So many sizes, all different, none a perfect square."""
    return [int(size) for size in rng.permutation([2, 3, 5, 6, 7, 8])[:count]]


def rising_and_falling(count):
    """Two such lists: whichever two sizes somebody mixes up, either may be the larger one."""
    return sorted(different_sizes(count)), sorted(different_sizes(count), reverse=True)


def rope_by_definition(x, positions, base=10000.0):
    """One pair of one token at a time, as a complex number that is turned."""
    d = x.shape[-1]
    rows = []
    for index, token in enumerate(x.reshape(-1, d).tolist()):
        position, row = int(positions[index % len(positions)]), []
        for i in range(0, d, 2):
            angle = position / base ** (i / d)
            turned = complex(token[i], token[i + 1]) * complex(math.cos(angle), math.sin(angle))
            row += [turned.real, turned.imag]
        rows.append(row)
    return np.array(rows).reshape(x.shape)


def attention_by_definition(Q, K, V):
    """One query at a time, over all keys."""
    output = []
    for query in Q.tolist():
        scores = [math.fsum(a * b for a, b in zip(query, key)) / math.sqrt(len(query)) for key in K.tolist()]
        top = max(scores)
        powers = [math.exp(score - top) for score in scores]
        total = math.fsum(powers)
        output.append([math.fsum(p * v for p, v in zip(powers, column)) / total for column in V.T.tolist()])
    return np.array(output)


def is_data(cache):
    """Whether a cache is made of arrays, numbers, tuples, lists and dictionaries alone."""
    if isinstance(cache, dict):
        return all(map(is_data, cache.values()))
    if isinstance(cache, (tuple, list)):
        return all(map(is_data, cache))
    return cache is None or isinstance(cache, (np.ndarray, np.generic, int, float))


def causal_by_definition(Q, K, V):
    """Row i is attention of query i to the first i + 1 keys."""
    return np.concatenate([attention_by_definition(Q[i : i + 1], K[: i + 1], V[: i + 1]) for i in range(len(Q))])


def grouped_by_definition(Q, K, V):
    """Every key head serves its own group of neighbouring query heads."""
    group = len(Q) // len(K)
    return np.stack([attention_by_definition(Q[i], K[i // group], V[i // group]) for i in range(len(Q))])


def far_apart(n, m, d_v):
    """Queries, keys and values whose scores run into the thousands, some rows up, some down, some hardly at all.

    They are exact in float32, too: whole numbers, and vectors of length 4, whose scale is 2.
    """
    K = rng.integers(-3, 4, size=(m, 4)).astype(float)
    K[rng.permutation(m)[:2]] = (3.0, 2.0, -3.0, 1.0), (3.0, 2.0, -3.0, 0.0)
    sizes = np.array([60.0, -800.0, -400.0, 400.0, 0.5, 1.0])[-n:, None]  # some small ones always
    Q = sizes * np.where(rng.random((n, 1)) < 0.5, (3.0, 2.0, -3.0, 1.0), (3.0, 2.0, -3.0, 0.0))
    return Q, K, rng.integers(-16, 17, size=(m, d_v)) / 8


def norm_by_definition(x, gamma, beta):
    """Every row with mean 0 and variance 1, scaled and moved."""
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5) * gamma + beta


def grouped_causal_by_definition(Q, K, V):
    """Causal attention of four heads of queries that share two of keys and values."""
    return np.stack([causal_by_definition(Q[h], K[h // 2], V[h // 2]) for h in range(4)])


def model_by_definition(question, turn=rope_by_definition, attend=grouped_causal_by_definition):
    """The scores of all words behind a question, with one's own way to turn, and to attend."""
    x = MODEL["embedding"][MODEL["asked"][question]]
    for i in range(2):
        y = norm_by_definition(x, MODEL["gamma_1"][i], MODEL["beta_1"][i])
        Q, K, V = (np.stack(np.split(y @ MODEL[name][i], count, axis=1)) for name, count in (("W_Q", 4), ("W_K", 2), ("W_V", 2)))
        n = len(x)
        Q = tools.plain(turn(Q, np.arange(n)), "the turned queries", (4, n, 8))
        K = tools.plain(turn(K, np.arange(n)), "the turned keys", (2, n, 8))
        heads = attend(Q, K, V)
        x = x + np.concatenate(list(heads), axis=1) @ MODEL["W_O"][i]
        y = norm_by_definition(x, MODEL["gamma_2"][i], MODEL["beta_2"][i])
        x = x + np.maximum(y @ MODEL["W_1"][i] + MODEL["b_1"][i], 0) @ MODEL["W_2"][i] + MODEL["b_2"][i]
    return norm_by_definition(x, MODEL["gamma"], MODEL["beta"])[-1] @ MODEL["embedding"].T


def with_last_rows(attend_last):
    """Attention of which the last row, that sees every key, is computed in another way."""

    def attend(Q, K, V):
        heads = grouped_causal_by_definition(Q, K, V)
        answer = attend_last(Q[:, -1:].copy(), K.copy(), V.copy())
        heads[:, -1:] = tools.plain(answer, "the output", (4, 1, 8))
        return heads

    return attend


def model_agrees(question, scores):
    """The scores are those that were stored when the model was trained."""
    # In float64 they are equal to 1e-13, in float32 to 1e-4.
    tools.agree(scores, MODEL["logits"][question], "the scores of the model", "Which check above fails?", rtol=0, atol=1e-3)


# %% [markdown]
# ## Part one: positions and shared heads
#
# ### 1. Positions by rotation: `rope`
#
# Attention does not know the order of its tokens: shuffle the keys together with their values, and nothing
# changes. So the position has to be put into the vectors. **Rotary position embedding** does that by rotating
# them: take the features of a query or key in pairs of neighbours, read each pair as a point in the plane, and
# turn it by an angle that grows with the position. The pair of features $2i$ and $2i+1$ of a token at position
# $p$ turns by
#
# $$\varphi = p \cdot \text{base}^{-2i/d}, \qquad
#   \begin{pmatrix} y_{2i} \\ y_{2i+1} \end{pmatrix} =
#   \begin{pmatrix} \cos\varphi & -\sin\varphi \\ \sin\varphi & \cos\varphi \end{pmatrix}
#   \begin{pmatrix} x_{2i} \\ x_{2i+1} \end{pmatrix}$$
#
# The first pair turns fastest, by one radian for each position, and every further pair more slowly, like the
# hands of a clock. A position is not always the number of the row: when a model writes its hundredth token, it
# turns a single row, for position 99.
#
# Why rotate instead of adding something? Because the dot product of two turned vectors depends only on the *difference* of
# their angles. A query at position 12 sees a key at position 10 exactly as one at position 3 sees one at position 1.
# What counts is the distance.
#
# (Some libraries pair feature $i$ with feature $i + d/2$. Here the two features of a pair are neighbours.)


# %% step="rope" points=25
def rope(x, positions, base=10000.0):
    """The tokens, each pair of neighbouring features turned by an angle that grows with the position.

    Shapes
        x: (..., n, d), any number of leading axes; d is even
        positions: (n,), whole numbers from 0 to 10,000 in any order: positions[i] is the position of row i, the
            same for all leading axes; they may start anywhere, leave gaps and repeat
        base: a number above 1

    Returns
        an array of the same shape as x

    Rules
        Features 2i and 2i + 1 are one pair. As a point in the plane it is turned counterclockwise, from the
        first feature's axis towards the second's, by position * base ** (-2i / d), in radians.
        Tokens of ordinary size are right to 0.00002, also at position 10,000.
        The inputs stay as they are.
    """
    ### BEGIN SOLUTION
    d = np.shape(x)[-1]
    angles = np.asarray(positions)[:, None] * base ** (-np.arange(0, d, 2) / d)
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = x[..., 0::2], x[..., 1::2]
    turned = np.stack([first * cos - second * sin, first * sin + second * cos], axis=-1)
    return np.reshape(turned, np.shape(x))
    ### END SOLUTION


# %% check="rope-by_hand" points=4 category="rotation"
"""Position 0 changes nothing; position 1 turns by one radian, position 2 by two."""
c, s = math.cos(1.0), math.sin(1.0)
tools.agree(
    rope(np.array([[3.0, 4.0], [1.0, 0.0], [0.0, 1.0]]), np.array([0, 1, 2])),
    [[3.0, 4.0], [c, s], [-math.sin(2.0), math.cos(2.0)]],
    "the turned tokens",
    "Draw (1, 0) and turn it by one radian towards (0, 1). Where does it land?",
    show=True,
    **COMPOSED,
)

# %% check="rope-two_speeds" points=4 category="rotation"
"""Four features are two pairs of neighbours; with base 100 the second one turns ten times more slowly."""
tools.agree(
    rope(np.array([[1.0, 0.0, 1.0, 0.0], [0.0, 2.0, 0.0, 2.0]]), np.array([3, 1]), base=100.0),
    [
        [math.cos(3.0), math.sin(3.0), math.cos(0.3), math.sin(0.3)],
        [-2 * math.sin(1.0), 2 * math.cos(1.0), -2 * math.sin(0.1), 2 * math.cos(0.1)],
    ],
    "the turned tokens",
    "Which two features are the second pair, and by what angle does it turn for each position?",
    show=True,
    **COMPOSED,
)

# %% check="rope-distance" points=3 category="rotation"
"""The score of a query two places after a key is the same wherever they are, and different three places after it."""
scores = []
for places in ([3, 1], [12, 10], [102, 100], [3, 0]):
    turned = tools.plain(rope(np.array([[1.0, 0.0], [1.0, 0.0]]), np.array(places)), "the turned tokens", (2, 2))
    scores.append(turned[0] @ turned[1])
tools.agree(
    scores,
    [math.cos(2.0)] * 3 + [math.cos(3.0)],
    "the scores",
    "Turn a vector by p, and the same vector by q. What is the angle between the two?",
    rtol=1e-4,
    atol=1e-4,
)

# %% check="rope-batch_of_two" points=0 category="shapes"
"""In a batch of two, the same positions turn the tokens of both sequences."""
c, s = math.cos(1.0), math.sin(1.0)
tools.agree(
    rope(np.array([[[1.0, 0.0], [1.0, 0.0]], [[0.0, 1.0], [0.0, 1.0]]]), np.array([1, 0])),
    [[[c, s], [1.0, 0.0]], [[-s, c], [0.0, 1.0]]],
    "the turned tokens of the batch",
    "Which axis of x do the positions belong to?",
    **COMPOSED,
)

# %% check="rope-position_10000" points=0 category="rotation"
"""Position 10,000 turns the first pair by 10,000 and the second by 100."""
tools.agree(
    rope(np.array([[1.0, 0.0, 1.0, 0.0]]), np.array([10000])),
    [[math.cos(10000.0), math.sin(10000.0), math.cos(100.0), math.sin(100.0)]],
    "the turned token",
    "Print the angle at this position: is it the position times the speed of its pair, to all digits?",
    **COMPOSED,
)

# %% arrays
MODEL = tools.arrays("rope_decoder.npz")

# %% check="rope-any_positions" points=4 category="rotation" hidden=true
"""Random positions in any order, large, repeated or single; any even number of features, any base."""
for n, d, base in ((5, 6, 10000.0), (4, 8, 500.0), (1, 10, 10000.0), (6, 2, 3.0), (2, 4, 1.5), (3, 12, 20.0)):
    x, positions = rng.normal(size=(n, d)), rng.integers(0, 60, size=n)
    positions[-1] = positions[0]
    wanted = rope_by_definition(x, positions, base)
    ask = "Which angle belongs to the last pair of a token? Work it out for one row."
    tools.agree(rope(x.copy(), positions.copy(), base), wanted, "the turned tokens", ask, **COMPOSED)
wanted = rope_by_definition(x, positions)
tools.agree(rope(x.copy(), positions.copy()), wanted, "the turned tokens without a base", "What is the default of base?", **COMPOSED)
for positions in (rng.integers(4000, 10000, size=3), np.array([0, 10000, 9999]), np.array([0, 5000, 9999]), np.array([9870, 8765, 9432])):
    x[:, 0::2], x[:, 1::2] = 1.0, 0.0  # so that a turn shows
    wanted = rope_by_definition(x, positions)
    tools.agree(rope(x.copy(), positions.copy()), wanted, "tokens at large positions", "Does your function limit the position, and how many digits does its angle have?", **COMPOSED)

# %% check="rope-any_batch" points=5 category="shapes" hidden=true
"""Any number of leading axes, also of the same length as the text or the vectors."""
n = int(rng.choice([4, 6]))
for *lead, n_tokens, d in ((3, 5, 4), (5, 2, 6), (2, 3, 4, 8), (n, n, n), (2, n, n, n), (1, 1, 2), (3, 1, 4), (2, 3, 4, 5, 6)):
    x, positions = rng.normal(size=(*lead, n_tokens, d)), np.arange(n_tokens)
    wanted = rope_by_definition(x, positions)
    tools.agree(rope(x, positions.copy()), wanted, "the turned tokens", "Which axis of x do the positions belong to?", **COMPOSED)

# %% check="rope-in_a_trained_model" points=2 category="trained model" hidden=true
"""A trained model whose queries and keys you turn gives the scores that are stored with it."""
question = int(rng.integers(2))
model_agrees(question, model_by_definition(question, turn=rope))

# %% check="rope-inputs_unchanged" points=3 category="purity" hidden=true
"""Tokens and positions stay as they are, and a second call gives the same answer."""
for lead in ((), (2,)):
    x, positions = rng.normal(size=(*lead, 4, 6)), np.append([39, 3], 5 + rng.permutation(30)[:2])
    # In no order, for sorting them would change them, and none of them twice.
    wanted = rope_by_definition(x, positions)
    with tools.unchanged(x=x, positions=positions):
        tools.agree(rope(x, positions), wanted, "the first answer", **COMPOSED)
        tools.agree(rope(x, positions), wanted, "the second answer", **COMPOSED)

# %% [markdown]
# ### Look: only the distance counts
#
# Eight tokens that are all the same vector, at positions 0 to 7, turned by your function. Below are their dot
# products. Along a diagonal the distance is the same, and so are the numbers. Away from the
# main diagonal the scores fall, because the fastest pair has turned away. At distance 6 they are back: after $2\pi$, a
# little more than 6 positions, that pair has gone round once. The slower pairs tell 6 from 0.

# %%
@tools.demo
def only_the_distance_counts():
    places = np.arange(8)
    turned = np.asarray(rope(np.full((8, 8), 1 / math.sqrt(8)), places))
    scores, names = turned @ turned.T, [f"at {place}" for place in places]
    print("Dot products of the same vector at eight positions")
    tools.table(scores, names, names)
    axes = {"xlabel": "key", "ylabel": "query"}
    tools.heatmap(scores, names, names, "The same vector at eight positions", np.char.mod("%.2f", scores), **axes)


# %% [markdown]
# ### 2. Heads that share: `grouped_query_attention`
#
# With many heads, each head has its own queries, keys and values. Queries are needed only once. Keys and values
# must be *kept* as long as the text goes on, because every later token will look at them. So let several heads of
# queries share one head of keys and values: `h` heads of queries, `g` heads of keys and values, in groups of
# `h / g` neighbours.
#
# With `h = 6` and `g = 2`:
#
# | query head | 0 | 1 | 2 | 3 | 4 | 5 |
# |---|---|---|---|---|---|---|
# | key and value head | 0 | 0 | 0 | 1 | 1 | 1 |
#
# ```drawing
# Q[h=6, n=2, d=2]{blocks by 3} reads K[g=2, m=3, d=2]{blocks by 1}
# ```
#
# Each query head attends by itself, as in the exercise `attention`, without a mask:
#
# $$O_i = \operatorname{softmax}\!\left(\frac{Q_i K_j^{\mathsf T}}{\sqrt d}\right) V_j$$
#
# where $j$ is given by the table. With `g = h` this is ordinary attention with many heads; `g = 1` is called
# multi-query attention. Heads come first in every array: `(heads, tokens, features)`.


# %% step="grouped_query_attention" points=22
def grouped_query_attention(Q, K, V):
    """Attention of many heads of queries that share fewer heads of keys and values.

    Shapes
        Q: (h, n, d): h heads of n queries
        K, V: (g, m, d): g heads of m keys and values; g divides h, and m may differ from n

    Returns
        output (h, n, d): an array, not a tuple; head i is what query head i reads

    Rules
        The first h / g heads of queries use head 0 of keys and values, the next h / g use head 1, and so on.
        Scores are scaled by the square root of d. There is no mask.
        Scores up to 1e4 in size, of either sign, overflow nothing.
        The inputs stay as they are.
    """
    ### BEGIN SOLUTION
    group = len(Q) // len(K)
    output, _ = scaled_dot_product_attention(Q, np.repeat(K, group, axis=0), np.repeat(V, group, axis=0))
    return output
    ### END SOLUTION


# %% check="grouped_query_attention-by_hand" points=5 category="groups"
"""Four heads of queries, two of keys and values: the first two share, and so do the last two."""
# In the order of the query heads the weights are 3/4 1/4, 1/2 1/2, 1/2 1/2, 7/8 1/8.
one, other = [[2.0, 0.0, 0.0, 0.0]], [[0.0, 2.0, 0.0, 0.0]]
tools.agree(
    grouped_query_attention(
        np.array([one, other, one, other]),
        np.array(
            [
                [[np.log(3.0), 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]],
                [[0.0, np.log(7.0), 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]],
            ]
        ),
        np.array([[[8.0, 0.0, 0.0, 0.0], [0.0, 8.0, 0.0, 0.0]], [[0.0, 0.0, 16.0, 0.0], [0.0, 0.0, 0.0, 16.0]]]),
    ),
    [[[6.0, 2.0, 0.0, 0.0]], [[4.0, 4.0, 0.0, 0.0]], [[0.0, 0.0, 8.0, 8.0]], [[0.0, 0.0, 14.0, 2.0]]],
    "the output",
    "For each query head, print the head of keys that it uses, and its weights. Which is the first that you do not expect?",
    show=True,
    **COMPOSED,
)

# %% check="grouped_query_attention-one_for_all" points=3 category="groups"
"""With a single head of keys and values, all heads of queries use it."""
tools.agree(
    grouped_query_attention(
        np.array([[[0.0], [1.0]], [[2.0], [-1.0]], [[1.0], [0.0]]]),
        np.array([[[np.log(2.0)], [0.0]]]),
        np.array([[[30.0], [0.0]]]),
    ),
    [[[15.0], [20.0]], [[24.0], [10.0]], [[20.0], [15.0]]],
    "the output",
    "Three heads of queries, one of keys: how large is a group, and which weights does each query have?",
    **COMPOSED,
)

# %% check="grouped_query_attention-thousands" points=0 category="overflow safety"
"""Scores of 9,000 and of -9,000 give one key all the weight; queries with small scores still attend to several."""
tools.agree(
    grouped_query_attention(
        np.array([[[9000.0], [math.log(3.0)]], [[-9000.0], [0.0]]]), np.array([[[1.0], [0.0]]]), np.array([[[8.0], [4.0]]])
    ),
    [[[8.0], [7.0]], [[4.0], [6.0]]],
    "the output",
    "Does an exponential overflow, or a whole row become 0?",
    **COMPOSED,
)

# %% check="grouped_query_attention-groups" points=6 category="groups" hidden=true
"""Groups of any size, as many groups as heads, one token, one key, many heads, many keys, and where all sizes are equal."""
n = int(rng.integers(2, 5))
for h, g, n_queries, n_keys, d in (
    (6, 2, 5, 7, 3),
    (6, 3, 4, 2, 5),
    (8, 2, 2, 3, 6),
    (3, 3, 4, 2, 5),
    (5, 1, 3, 6, 2),
    (4, 2, 1, 1, 3),
    (4, 2, 5, 5, 3),
    (n, n, n, n, n),
    (2 * n, n, n, 2 * n, 2 * n),
    (1, 1, 2, 3, 2),
    (36, 18, 1, 2, 2),
    (2, 1, 1, 300, 3),
):
    Q, K, V = 1.5 * rng.normal(size=(h, n_queries, d)), rng.normal(size=(g, n_keys, d)), rng.normal(size=(g, n_keys, d))
    wanted = grouped_by_definition(Q, K, V)
    ask = "With six heads of queries and two of keys, which one does query head 2 use, and how do you turn its scores into weights?"
    tools.agree(grouped_query_attention(Q, K, V), wanted, "the output", ask, **COMPOSED)

# %% check="grouped_query_attention-large_scores" points=3 category="overflow safety" hidden=true
"""Scores in the thousands, mixed with small ones, do not overflow."""
n, m = 5, 6
heads = [far_apart(n, m, 4) for _ in range(2)]
Q = np.stack([heads[0][0], 0.5 * heads[0][0], heads[1][0], -heads[1][0]])
K, V = np.stack([head[1] for head in heads]), np.stack([head[2] for head in heads])
wanted = grouped_by_definition(Q, K, V)
tools.agree(grouped_query_attention(Q, K, V), wanted, "the output", "Does an exponential overflow, or a whole row become 0?", **COMPOSED)

# %% check="grouped_query_attention-in_a_trained_model" points=2 category="trained model" hidden=true
"""A trained model with your shared heads gives the scores that are stored with it."""
question = int(rng.integers(2))
model_agrees(question, model_by_definition(question, attend=with_last_rows(grouped_query_attention)))

# %% check="grouped_query_attention-inputs_unchanged" points=3 category="purity" hidden=true
"""All heads stay as they are, and a second call gives the same answer."""
n, m, d = 5, 3, 2
for g in (2, 4, 1):  # heads of keys that are used as they came, or are one for all, are as easily changed
    Q, K, V = rng.normal(size=(4, n, d)), rng.normal(size=(g, m, d)), rng.normal(size=(g, m, d))
    wanted = grouped_by_definition(Q, K, V)
    with tools.unchanged(Q=Q, K=K, V=V):
        tools.agree(grouped_query_attention(Q, K, V), wanted, "the first answer", **COMPOSED)
        tools.agree(grouped_query_attention(Q, K, V), wanted, "the second answer", **COMPOSED)

# %% [markdown]
# ### Look: which head reads where, and what it saves
#
# Eight heads of queries. All values of a key head are the same number, the head's own, so the output says where
# a query head has read. Below that: what must be kept for a text of 4096 tokens in a model of 32 layers with 32
# heads of 128 features, at two bytes a number. A graphics card has some 24 GB, and many texts to write at once.

# %%
@tools.demo
def who_reads_where():
    Q, K = np.zeros((8, 1, 2)), np.zeros((8, 3, 2))
    names, rows = [f"query head {head}" for head in range(8)], []
    for g in (8, 4, 2, 1):
        V = np.zeros((g, 3, 2)) + np.arange(g)[:, None, None]
        rows.append(np.asarray(grouped_query_attention(Q, K[:g], V))[:, 0, 0])
    labels = [f"g = {g}" for g in (8, 4, 2, 1)]
    print("The head of keys and values that each query head reads")
    tools.table(rows, labels, names, 0)
    tools.heatmap(
        np.array(rows), labels, [name[-1] for name in names], "Which key head each query head reads", np.char.mod("%.0f", rows),
        xlabel="query head", highest=7.0,
    )  # fmt: skip
    for g in (32, 8, 1):
        print(f"32 heads of queries, {g:>2} of keys and values: {2 * 32 * g * 4096 * 128 * 2 / 1e9:.2f} GB to keep")


# %% [markdown]
# ## Part two: the same answer for less
#
# ### 3. Nothing twice: `cached_step`
#
# A model writes token by token. Token $i$ looks at itself and at everything before it, so for its output it needs
# its own query, and the keys and values of tokens 0 to $i$. The earlier keys and values have been computed
# before, and they have not changed, because no earlier token looks ahead. So keep them. That is the **cache**. For
# each new token:
#
# - append its key and its value to those that are kept,
# - let its query attend to all that are kept,
# - and return what is kept, for the next token.
#
# ```drawing
# Q[n=5, d_k=3]{row 4} meets the kept and the new K[n=5, d_k=3]{rows by 4} gives scores[1=1, n=5]{columns by 4}
# ```
#
# $$O_i = \operatorname{softmax}\!\left(\frac{q_i\, K_{0 \ldots i}^{\mathsf T}}{\sqrt{d_k}}\right) V_{0 \ldots i}$$
#
# What the cache is made of is up to you. Several texts may continue the same beginning, so return a new cache, and leave
# the one that you are given as it is.


# %% step="cached_step" points=15
def cached_step(q, k, v, cache):
    """Attention of one new token to all tokens of its text so far, itself included.

    Shapes
        q, k: (..., d_k), any number of leading axes: the query and the key of the new token
        v: (..., d_v), its value, where d_v may differ from d_k; the leading axes are those of q and k

    Takes
        cache: None for the first token of a text, otherwise what the call for the token before it returned

    Returns
        (output, cache): output (..., d_v), and what the next call needs, made of arrays, numbers, tuples, lists and
            dictionaries

    Rules
        The output is the attention of q to the keys and values of all tokens so far, separately for each leading index.
        Scores are scaled by the square root of d_k. Scores up to 1e4 in size, of either sign, overflow nothing.
        q, k and v stay as they are. A cache can be used more than once: several tokens may follow it, each in a text of
        its own, in any order. So only the cache tells a call which tokens came before, not the call before it.
    """
    ### BEGIN SOLUTION
    keys, values = k[..., None, :], v[..., None, :]
    if cache is not None:
        keys = np.concatenate([cache[0], keys], axis=-2)
        values = np.concatenate([cache[1], values], axis=-2)
    output, _ = scaled_dot_product_attention(q[..., None, :], keys, values)
    return np.asarray(output)[..., 0, :], (keys, values)
    ### END SOLUTION


# %% check="cached_step-by_hand" points=4 category="cache"
"""Three tokens, one call for each: the first reads itself, the second 3/4 and 1/4, the third 1/4, 1/2 and 1/4."""
Q = np.array([[2.0, 0.0, 0.0, 0.0], [2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0]])
K = np.array([[np.log(3.0), 0.0, 0.0, 0.0], [0.0, np.log(2.0), 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]])
V = np.array([[8.0, 0.0], [0.0, 16.0], [4.0, 4.0]])
cache = None
for i, wanted in enumerate([[8.0, 0.0], [6.0, 4.0], [3.0, 9.0]]):
    output, cache = tools.unpack(cached_step(Q[i].copy(), K[i].copy(), V[i].copy(), cache), "output, cache")
    ask = f"Which keys does the query of token {i} meet, and which weights does it give them?"
    tools.agree(output, wanted, f"the output of token {i}", ask, show=True, **COMPOSED)

# %% check="cached_step-two_continuations" points=3 category="cache"
"""After token a comes b in one text and c in another; then d in each of them; and a new text begins with e."""
one, key = np.ones(1), {name: np.log([weight]) for name, weight in zip("abcde", (2.0, 1.0, 4.0, 1.0, 3.0))}
value = {name: np.array([number]) for name, number in zip("abcde", (6.0, 12.0, 24.0, 0.0, 5.0))}
caches = {"": None}
for text, wanted in {"a": 6.0, "ab": 8.0, "ac": 18.0, "abd": 6.0, "acd": 108 / 7, "e": 5.0}.items():
    new = text[-1]
    answer = cached_step(one.copy(), key[new].copy(), value[new].copy(), caches[text[:-1]])
    output, caches[text] = tools.unpack(answer, "output, cache")
    ask = f"Which tokens are in the cache that comes with {new}? And which call put them there?"
    tools.agree(output, [wanted], f"the output of {new} in the text {text}", ask, show=True, **COMPOSED)

# %% check="cached_step-batch_of_two" points=0 category="shapes"
"""Two texts at once: each token reads the earlier tokens of its own text."""
ask = "Along which axis of your keys do you append a token?"
output, cache = tools.unpack(cached_step(np.ones((2, 1)), np.zeros((2, 1)), np.array([[3.0], [30.0]]), None), "output, cache")
tools.agree(output, [[3.0], [30.0]], "the output of the first tokens", ask, **COMPOSED)
output, _ = tools.unpack(cached_step(np.ones((2, 1)), np.log([[1.0], [2.0]]), np.array([[5.0], [60.0]]), cache), "output, cache")
tools.agree(output, [[4.0], [50.0]], "the output of the second tokens", ask, **COMPOSED)

# %% check="cached_step-thousands" points=0 category="overflow safety"
"""Two scores near -9,000 give ordinary weights; the next token has a score of 9,000 and reads only itself."""
cache = None
for score, number, wanted in ((-9000.0, 8.0, 8.0), (-8999.0, 4.0, 5.0757656855), (9000.0, 2.0, 2.0)):
    output, cache = tools.unpack(cached_step(np.ones(1), np.array([score]), np.array([number]), cache), "output, cache")
    tools.agree(output, [wanted], "the output", "What do the exponentials of your scores become?", **COMPOSED)

# %% check="cached_step-any_sizes" points=4 category="cache" hidden=true
"""Texts of any length, one by one or many at once: each token reads all tokens so far, whatever the sizes."""
n = int(rng.integers(3, 5))
for length, *lead, d_k, d_v in (*((3, *sizes) for sizes in rising_and_falling(2)), (4, 2, 3, 6), (2, 2, 4, 5, 2), (n, n, n, n), (3, 1, 1, 2), (3, 1, 1)):
    Q, K, V = 1.5 * rng.normal(size=(length, *lead, d_k)), rng.normal(size=(length, *lead, d_k)), rng.normal(size=(length, *lead, d_v))
    cache, at = None, tuple(int(rng.integers(size)) for size in lead)
    texts = (array[(slice(None), *at)] for array in (Q, K, V))
    wanted = causal_by_definition(*texts)
    for i in range(length):
        output, cache = tools.unpack(cached_step(Q[i].copy(), K[i].copy(), V[i].copy(), cache), "output, cache")
        output = tools.plain(output, "the output", (*lead, d_v))
        tools.agree(output[at], wanted[i], "the output of a token", "Which keys does it meet, and how are they scaled?", **COMPOSED)
Q, K, V = rng.normal(size=(66, 2)), rng.normal(size=(66, 2)), rng.normal(size=(66, 1))
V[:2] = 40.0  # what a full cache forgets first, and everybody reads
cache, wanted = None, attention_by_definition(Q[65:], K, V)
for i in range(66):
    output, cache = tools.unpack(cached_step(Q[i].copy(), K[i].copy(), V[i].copy(), cache), "output, cache")
tools.agree(output, wanted[0], "the output of the last token of a long text", "How many keys does your cache hold at that point?", **COMPOSED)
low = np.column_stack([np.full(6, 100.0), rng.integers(-3, 4, size=(6, 3))])  # all scores near -10,000
texts = (far_apart(6, 6, 2), (np.tile([-199.5, 0.5, 0.0, 1.0], (6, 1)), low, rng.integers(-16, 17, size=(6, 2)) / 8))
wanted, cache = np.stack([causal_by_definition(*text) for text in texts], axis=1), None
Q, K, V = (np.stack(of_both, axis=1) for of_both in zip(*texts))
for i in range(6):
    output, cache = tools.unpack(cached_step(Q[i].copy(), K[i].copy(), V[i].copy(), cache), "output, cache")
    tools.agree(output, wanted[i], "the output where scores are large", "Does an exponential overflow, or all of them become 0?", **COMPOSED)

# %% check="cached_step-one_beginning" points=2 category="cache" hidden=true
"""Three texts continue the same beginning, one token of each in turn, and none of them reads a token of another."""
length, texts = 3, 3  # an array that has doubled its room still has some
Q, K, V = (rng.normal(size=(texts, length + 2, size)) for size in (3, 3, 2))
beginning = None
for i in range(length):
    _, beginning = tools.unpack(cached_step(Q[0, i].copy(), K[0, i].copy(), V[0, i].copy(), beginning), "output, cache")
assert is_data(beginning), "your cache holds something that is no array, number, tuple, list or dictionary. Could it be written to a file?"
K[:, :length], V[:, :length] = K[0, :length], V[0, :length]
caches = [beginning] * texts
wanted = [causal_by_definition(Q[text], K[text], V[text]) for text in range(texts)]
for i in range(length, length + 2):
    for text in rng.permutation(texts):
        output, caches[text] = tools.unpack(cached_step(Q[text, i].copy(), K[text, i].copy(), V[text, i].copy(), caches[text]), "output, cache")
        tools.agree(output, wanted[text][i], "the output where texts take turns", "Do two texts write into the same cache?", **COMPOSED)

# %% check="cached_step-in_a_trained_model" was="decode_with_cache-in_a_trained_model" points=1 category="trained model" hidden=true
"""A trained model whose first block uses your cache gives the scores that are stored with it."""


def token_by_token(Q, K, V):
    heads, cache = [], None
    for i in range(Q.shape[1]):
        answer = cached_step(Q[:, i].copy(), np.repeat(K[:, i], 2, axis=0), np.repeat(V[:, i], 2, axis=0), cache)
        output, cache = tools.unpack(answer, "output, cache")
        heads.append(tools.plain(output, "the output", (4, 8)))
    return np.stack(heads, axis=1)


question = int(rng.integers(2))
ways = iter((token_by_token, grouped_causal_by_definition))  # of the second block only the last row is read
model_agrees(question, model_by_definition(question, attend=lambda Q, K, V: next(ways)(Q, K, V)))

# %% check="cached_step-inputs_unchanged" points=1 category="purity" hidden=true
"""Query, key and value stay as they are, and a second call gives the same answer."""
q, k, v = (rng.normal(size=(2, size)) for size in (3, 3, 4))
_, cache = tools.unpack(cached_step(q.copy(), k[::-1].copy(), v[::-1].copy(), None), "output, cache")
wanted = np.stack([attention_by_definition(q[i : i + 1], np.stack([k[1 - i], k[i]]), np.stack([v[1 - i], v[i]]))[0] for i in range(2)])
with tools.unchanged(q=q, k=k, v=v):
    for which in ("first", "second"):
        output, _ = tools.unpack(cached_step(q, k, v, cache), "output, cache")
        tools.agree(output, wanted, f"the {which} answer", "Which of your arrays is one of the arguments?", **COMPOSED)

# %% question="cache_bytes" kind="number" points=0
"""A model has 12 layers. In each of them 32 heads of queries share 8 heads of keys and values, 128 features each. A
number takes 4 bytes. How many bytes does the cache of a text of 1,000 tokens take?
"""
cache_bytes = 2 * 12 * 8 * 1000 * 128 * 4

# %% question="still_right" kind="number" points=0
"""A model of several layers, in which no token sees a later one, has cached the keys and values of 100 tokens. Then the
61st token is replaced by another one. For how many of the 100 tokens are the cached keys and values still right in
every layer?
"""
still_right = 61 - 1

# %% [markdown]
# ### 4. A whole text: `decode_with_cache`
#
# Now take the tokens of a text one after the other, as if they came from a model; your `cached_step` may help. This
# gives what attention with a causal mask gives all at once, to the last digit. Why bother, then? While a text is being
# written there is no "all at once": row $i$ of `Q` exists only once token $i - 1$ has been written.


# %% step="decode_with_cache" points=8
def decode_with_cache(Q, K, V):
    """Causal attention, one row after the other: each query sees the keys and values up to its own.

    Shapes
        Q, K: (n, d_k), one row for each token, in the order of the text
        V: (n, d_v), where d_v may differ from d_k

    Returns
        output (n, d_v): an array, not a tuple; row i belongs to token i

    Rules
        Row i is the attention of query i to keys and values 0 to i, its own included. It is the same as in full
        attention with a causal mask.
        Scores are scaled by the square root of d_k. Scores up to 1e4 in size, of either sign, overflow nothing.
        The inputs stay as they are, and every call begins with an empty cache.
    """
    ### BEGIN SOLUTION
    keys, values, output = K[:0], V[:0], []
    for query, key, value in zip(Q, K, V):
        keys, values = np.vstack([keys, key]), np.vstack([values, value])
        row, _ = scaled_dot_product_attention(query[None, :], keys, values)
        output.append(row[0])
    return np.stack(output)
    ### END SOLUTION


# %% check="decode_with_cache-by_hand" points=2 category="cache"
"""Three tokens: the first reads itself, the second 3/4 and 1/4, the third 1/4, 1/2 and 1/4."""
tools.agree(
    decode_with_cache(
        np.array([[2.0, 0.0, 0.0, 0.0], [2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0]]),
        np.array([[np.log(3.0), 0.0, 0.0, 0.0], [0.0, np.log(2.0), 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]),
        np.array([[8.0, 0.0], [0.0, 16.0], [4.0, 4.0]]),
    ),
    [[8.0, 0.0], [6.0, 4.0], [3.0, 9.0]],
    "the output",
    "Which keys are in your cache when the second query comes?",
    show=True,
    **COMPOSED,
)

# %% check="decode_with_cache-a_text_grows" points=1 category="cache"
"""Two tokens, then the same two with two more: the first rows stay the same."""
Q, K = np.array([[1.0], [1.0], [0.0], [-1.0]]), np.log([[2.0], [1.0], [4.0], [2.0]])
V = np.array([[6.0], [12.0], [0.0], [24.0]])
ask = "What is in your cache when a call begins?"
tools.agree(decode_with_cache(Q[:2].copy(), K[:2].copy(), V[:2].copy()), [[6.0], [8.0]], "the output of two tokens", ask, **COMPOSED)
tools.agree(decode_with_cache(Q, K, V), [[6.0], [8.0], [6.0], [12.0]], "the output of four tokens", ask, show=True, **COMPOSED)

# %% check="decode_with_cache-thousands" points=0 category="overflow safety"
"""Two scores near -9,000 give ordinary weights, and a later score of 9,000 does not affect them."""
tools.agree(
    decode_with_cache(np.ones((3, 1)), np.array([[-9000.0], [-8999.0], [9000.0]]), np.array([[8.0], [4.0], [2.0]])),
    [[8.0], [5.0757656855], [2.0]],
    "the output",
    "Print the scores of row 1. Which of them does it see, and what do their exponentials become?",
    **COMPOSED,
)

# %% check="decode_with_cache-like_full_attention" points=2 category="cache" hidden=true
"""Random texts give row by row the result of causal attention, whatever the sizes."""
n = int(rng.integers(3, 6))
for n_tokens, d_k, d_v in (*((4, *sizes) for sizes in rising_and_falling(2)), (n, n, n), (3, 3, 1), (3, 1, 5)):
    Q, K, V = 1.5 * rng.normal(size=(n_tokens, d_k)), rng.normal(size=(n_tokens, d_k)), rng.normal(size=(n_tokens, d_v))
    wanted = causal_by_definition(Q, K, V)
    tools.agree(decode_with_cache(Q, K, V), wanted, "the output", "Print scaled scores and weights of row 2: how many are there, and which is the first that you do not expect?", **COMPOSED)
Q, K, V = (rng.normal(size=(202, 2)) for _ in range(3))
V[:2] = 40.0  # what a full cache forgets first, and everybody reads
some = [11, 67, 130, 201]
wanted = np.concatenate([attention_by_definition(Q[i : i + 1], K[: i + 1], V[: i + 1]) for i in some])
got = tools.plain(decode_with_cache(Q, K, V), "the output of a longer text", (202, 2))
tools.agree(got[some], wanted, "the output of a longer text", "How many keys does your cache hold at the last token?", **COMPOSED)

# %% check="decode_with_cache-one_token" points=1 category="edge cases" hidden=true
"""A text of one token is that token's value, in an array of two axes."""
for d_k, d_v in (sorted(different_sizes(2)), (1, 1)):
    Q, K, V = rng.normal(size=(1, d_k)), rng.normal(size=(1, d_k)), rng.normal(size=(1, d_v))
    wanted = V.copy()
    tools.agree(decode_with_cache(Q, K, V), wanted, "the output", "Which keys can a single token look at?", **COMPOSED)

# %% check="decode_with_cache-large_scores" points=1 category="overflow safety" hidden=true
"""Scores in the thousands do not overflow, and a later key with the highest score gets no weight."""
for n in (5, 6):
    Q, K, V = far_apart(n, n, int(rng.integers(2, 4)))
    wanted = causal_by_definition(Q, K, V)
    tools.agree(decode_with_cache(Q, K, V), wanted, "the output", "Does an exponential overflow, or a whole row become 0?", **COMPOSED)
Q = np.tile([2000.0, 1000.0, -1500.0, 500.0], (6, 64))
K = np.outer([-1.0, -1.0, -1.0, 1.0, 1.0, 1.0], np.tile([0.5, 0.5, -0.5, 0.5], 64))  # the first three score -10000, the others 10000
V = rng.integers(-16, 17, size=(6, 2)) / 8
wanted = causal_by_definition(Q, K, V)
tools.agree(decode_with_cache(Q, K, V), wanted, "the output where later keys score higher", "Does row 0 use them?", **COMPOSED)

# %% check="decode_with_cache-inputs_unchanged" points=1 category="purity" hidden=true
"""Queries, keys and values stay as they are, and a second call begins with an empty cache."""
n, d_k, d_v = 4, 3, 5
Q, K, V = rng.normal(size=(n, d_k)), rng.normal(size=(n, d_k)), rng.normal(size=(n, d_v))
wanted = causal_by_definition(Q, K, V)
with tools.unchanged(Q=Q, K=K, V=V):
    tools.agree(decode_with_cache(Q, K, V), wanted, "the first answer", **COMPOSED)
    tools.agree(decode_with_cache(Q, K, V), wanted, "the second answer", **COMPOSED)
K[1:] = -K[1:]
wanted = causal_by_definition(Q, K, V)
tools.agree(decode_with_cache(Q, K, V), wanted, "the output of a text with the same beginning as before", **COMPOSED)

# %% [markdown]
# ### 5. Attention in blocks: `flash_attention`
#
# Full attention writes down all scores: a number for every query and every key. For 100,000 tokens that is 80 GB,
# although the output is small. Can we go through the keys block by block and never hold more than one block of
# scores?
#
# The obstacle is softmax. Its total runs over *all* keys, and it is safe only if the largest score of the row is
# subtracted, which may be in the last block. The **online softmax** keeps three things for each query while the
# blocks go by:
#
# - $m$, the largest score so far,
# - $\ell$, the sum of $e^{s - m}$ so far,
# - $o$, the sum of $e^{s - m}\, v$ so far: the output, not yet divided.
#
# Then comes a block with larger scores, and $m$ grows to $m'$. Everything that was summed with the old $m$ is now
# too large, by one and the same factor:
#
# $$e^{s - m'} = e^{s - m} \cdot e^{m - m'}$$
#
# ```drawing
# Q[n=2, d_k=3] meets K[m=6, d_k=3]{rows by 2} block by block scores[n=2, m=6]{columns by 2}
# ```
#
# So the sums can be corrected without looking at the old keys again. After the last block, divide once:
# $o / \ell$ is the row of the output.
#
# An example, with scores instead of vectors. A query has the scores $\log 1, \log 2$ in the first block and
# $\log 4, \log 1$ in the second. After the first block $m = \log 2$ and $\ell = \tfrac12 + 1 = \tfrac32$. The
# second one brings $m' = \log 4$: the old sum shrinks by half, to $\tfrac34$, and $1 + \tfrac14$ is added, so
# $\ell = 2$. Check it against all four at once: $(1 + 2 + 4 + 1) / 4$.


# %% step="flash_attention" points=30
def flash_attention(Q, K, V, block_size):
    """Attention without a mask, computed over blocks of keys.

    Shapes
        Q: (n, d_k)
        K: (m, d_k), where m may differ from n
        V: (m, d_v), where d_v may differ from d_k
        block_size: whole number, 1 or more: that many keys at a time. The last block may be smaller, and
            block_size may be larger than m.

    Returns
        output (n, d_v): an array, not a tuple

    Rules
        It is the same as full attention, scaled by the square root of d_k, whatever block_size is.
        With many keys, few features, and 20 to 50 blocks, a call never holds more than three quarters of what all
        n * m scores would take, at 8 bytes each. Its arguments do not count.
        Scores up to 1e4 in size, of either sign, overflow nothing, wherever the largest one is.
        The inputs stay as they are.
    """
    ### BEGIN SOLUTION
    n, d_k = np.shape(Q)
    top = np.full((n, 1), -np.inf)
    total = np.zeros((n, 1))
    output = np.zeros((n, np.shape(V)[1]))
    for start in range(0, len(K), block_size):
        block = slice(start, start + block_size)
        scores = Q @ K[block].T / math.sqrt(d_k)
        higher = np.maximum(top, scores.max(axis=1, keepdims=True))
        shrink = np.exp(top - higher)
        powers = np.exp(scores - higher)
        total = shrink * total + powers.sum(axis=1, keepdims=True)
        output = shrink * output + powers @ V[block]
        top = higher
    return output / total
    ### END SOLUTION


# %% check="flash_attention-by_hand" points=5 category="blocks"
"""Two queries, four keys in two blocks: weights of 1, 2, 4, 1 eighths, and of 3, 1, 1, 1 sixths."""
Q = np.array([[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0]])
K = np.log([[1.0, 3.0, 1.0, 1.0], [2.0, 1.0, 1.0, 1.0], [4.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]])
V = np.array([[8.0, 0.0], [2.0, 6.0], [4.0, 12.0], [12.0, -6.0]])
ask = "For query 0, what are m, l and o after the first block? And what happens to each when log 4 comes?"
tools.agree(flash_attention(Q, K, V, 2), [[5.0, 6.75], [7.0, 2.0]], "the output", ask, show=True, **COMPOSED)

# %% check="flash_attention-any_block_size" points=2 category="blocks"
"""The same result with blocks of 1, of 3 and one key left over, of all 4, and of 7."""
for block_size in (1, 3, 4, 7):
    Q = np.array([[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0]])
    K = np.log([[1.0, 3.0, 1.0, 1.0], [2.0, 1.0, 1.0, 1.0], [4.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]])
    V = np.array([[8.0, 0.0], [2.0, 6.0], [4.0, 12.0], [12.0, -6.0]])
    tools.agree(
        flash_attention(Q, K, V, block_size),
        [[5.0, 6.75], [7.0, 2.0]],
        f"the output with blocks of {block_size}",
        "Which keys are in each of your blocks? Print them.",
        **COMPOSED,
    )

# %% check="flash_attention-up_and_down" points=3 category="overflow safety"
"""Scores of a thousand, last for one query and first for the other, do not overflow."""
tools.agree(
    flash_attention(
        np.array([[1.0], [-1.0]]),
        np.array([[-1000.0], [1000.0], [1000.0]]),
        np.array([[100.0], [4.0], [8.0]]),
        1,
    ),
    [[6.0], [100.0]],
    "the output",
    "Print the exponents of each block before you take their exponentials. How large do they get?",
    **COMPOSED,
)

# %% check="flash_attention-one_query_one_key" points=0 category="edge cases"
"""One query and one key: the output is a table of one row, the value of that key."""
tools.agree(
    flash_attention(np.array([[2.0]]), np.array([[3.0]]), np.array([[5.0, 7.0]]), 1),
    [[5.0, 7.0]],
    "the output",
    "Which axis did you lose?",
    **COMPOSED,
)

# %% check="flash_attention-any_sizes" points=3 category="blocks" hidden=true
"""More keys than queries or fewer, vectors of any length, full blocks and a smaller last one."""
n = int(rng.integers(3, 6))
for n_queries, n_keys, d_k, d_v, block_size in (
    *((*sizes, 3) for sizes in rising_and_falling(4)),
    (*different_sizes(4), 2),
    (n, n, n, n, n),
    (n, n, n, n, 1),
    (3, 23, 5, 2, 7),
    (4, 12, 2, 3, 4),
    (2, 5, 3, 6, 100),
):
    Q, K, V = 2 * rng.normal(size=(n_queries, d_k)), rng.normal(size=(n_keys, d_k)), rng.normal(size=(n_keys, d_v))
    wanted = attention_by_definition(Q, K, V)
    ask = "For one query, what do you keep after each block, and what if the next block has a larger score?"
    tools.agree(flash_attention(Q, K, V, block_size), wanted, "the output", ask, **COMPOSED)
Q, K, V = rng.normal(size=(2, 2)), rng.normal(size=(1100, 2)), rng.normal(size=(1100, 1))
V[-70:] += 9.0  # the last keys are read as much as any others
wanted = attention_by_definition(Q, K, V)
tools.agree(flash_attention(Q, K, V, 48), wanted, "the output of many keys", "Which is the last key that you read?", **COMPOSED)

# %% check="flash_attention-one_of_each" points=2 category="edge cases" hidden=true
"""One query, one key, one feature: the output keeps its two axes."""
for n_queries, n_keys, d_k, d_v, block_size in ((1, 1, 1, 1, 1), (1, 5, 3, 2, 2), (4, 1, 2, 1, 3), (1, 1, 2, 3, 5)):
    Q, K, V = rng.normal(size=(n_queries, d_k)), rng.normal(size=(n_keys, d_k)), rng.normal(size=(n_keys, d_v))
    if n_keys == 5:  # scores that rise from block to block, and fall
        Q[0], K[:, 0] = (2.0, 0.0, 0.0), (0.0, 1.0, 3.0, 2.0, 1.0)
    wanted = attention_by_definition(Q, K, V)
    tools.agree(flash_attention(Q, K, V, block_size), wanted, "the output", "Which axis did you lose?", **COMPOSED)

# %% check="flash_attention-large_scores" points=4 category="overflow safety" hidden=true
"""Scores in the thousands that rise, fall or stay low from block to block give the right output."""
for m, block_size in ((6, 1), (8, 2), (9, 3), (5, 5)):
    Q, K, V = far_apart(int(rng.integers(3, 7)), m, int(rng.integers(2, 5)))
    wanted = attention_by_definition(Q, K, V)
    ask = "Print m after each block for the query with the smallest scores. Where does it begin?"
    tools.agree(flash_attention(Q, K, V, block_size), wanted, "the output", ask, **COMPOSED)
K = np.column_stack([np.full(7, 100.0), rng.integers(-3, 4, size=(7, 3))])  # in the last block of three there is one
Q, V = np.array([[-199.9375, 0.5, 0.0, 1.0], [199.5, 1.0, -1.0, 0.5]]), rng.integers(-16, 17, size=(7, 3)) / 8
wanted = attention_by_definition(Q, K, V)
tools.agree(flash_attention(Q, K, V, 3), wanted, "the output where all scores of a query are low, or high", ask, **COMPOSED)

# %% check="flash_attention-in_a_trained_model" points=1 category="trained model" hidden=true
"""A trained model with blocks of five keys gives the scores that are stored with it."""


def in_blocks(Q, K, V):
    heads = [flash_attention(Q[h].copy(), K[h // 2].copy(), V[h // 2].copy(), 5) for h in range(4)]
    return np.stack([tools.plain(head, "the output of a head", Q[0].shape) for head in heads])


question = int(rng.integers(2))
model_agrees(question, model_by_definition(question, attend=with_last_rows(in_blocks)))

# %% check="flash_attention-inputs_unchanged" points=2 category="purity" hidden=true
"""Queries, keys and values stay as they are, and a second call gives the same answer."""
n = 5  # of one size, the output would fit into the memory of any input
Q, K, V = rng.normal(size=(3, n, n))
K[-1] = 2 * Q[0]  # the highest score of a query in the last block
wanted = attention_by_definition(Q, K, V)
with tools.unchanged(Q=Q, K=K, V=V):
    tools.agree(flash_attention(Q, K, V, 2), wanted, "the first answer", **COMPOSED)
    tools.agree(flash_attention(Q, K, V, 2), wanted, "the second answer", **COMPOSED)

# %% check="flash_attention-memory" points=3 category="blocks"
"""A table of 20 queries and 800 keys has 128,000 bytes; with blocks of 32 keys you need far less."""
output, held = tools.memory(flash_attention, np.zeros((20, 1)), np.zeros((800, 1)), np.ones((800, 1)), 32)
tools.agree(output, np.ones((20, 1)), "the output", "What is the average of 800 ones?", **COMPOSED)
assert held < 96_000, "too much memory at once. Which of your arrays has a column for every key?"

# %% check="flash_attention-many_keys" points=5 category="blocks" hidden=true
"""With many queries and keys, the table of all scores does not fit into the memory of a call."""
n_queries, n_keys, block_size = int(rng.integers(20, 24)), int(rng.integers(800, 821)), int(rng.integers(30, 34))
Q, K, V = rng.normal(size=(n_queries, 3)), rng.normal(size=(n_keys, 3)), rng.normal(size=(n_keys, 2))
wanted = attention_by_definition(Q, K, V)
got, held = tools.memory(flash_attention, Q, K, V, block_size)
tools.agree(got, wanted, "the output of many keys", "Which is the last key that you read?", **COMPOSED)
assert held < 6 * n_queries * n_keys, "too much memory at once. Which of your arrays has a column for every key?"

# %% question="sum_so_far" kind="number" points=0
"""After its first block of keys a query has m = log 3 and ℓ = 2. Its scores in the second block are log 15 and log 3.
What is ℓ after that block?
"""
sum_so_far = 2 * 3 / 15 + 15 / 15 + 3 / 15

# %% [markdown]
# ### Look back: the same answer, and what it costs
#
# Four ways to the same numbers, on your own functions, for texts of 16 to 128 tokens with 16 features:
#
# - **again and again**: for every new token, full attention over the whole text so far,
# - **all at once**: full attention with a causal mask, when the text is known,
# - **with a cache**: your `cached_step`, token by token,
# - **in blocks**: your `flash_attention`, 16 keys at a time (no mask here, so it does twice the work of a causal one).
#
# Two things are measured. *Multiplications*: `Q`, `K` and `V` are arrays that count what they are multiplied
# with. If your function makes lists or plain arrays of them, they cannot count, and the number is too small or
# a dash. *Memory*: the largest amount that a call held at any moment, besides its arguments.
#
# Double the text and look from left to right. Which numbers double, which grow fourfold, which eightfold?

# %%
class Counting(np.ndarray):
    """An array that counts the multiplications that it takes part in."""

    count = 0

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        if out is not None:
            options["out"] = tuple(np.asarray(array) for array in out)
        result = getattr(ufunc, method)(*(np.asarray(array) for array in inputs), **options)
        if ufunc is np.matmul:
            Counting.add(*inputs, result)
        elif ufunc is np.multiply:
            Counting.count += np.size(result)
        if out is not None:
            return out[0]
        return result.view(Counting) if isinstance(result, np.ndarray) else result

    def __array_function__(self, function, types, args, kwargs):
        result = super().__array_function__(function, types, args, kwargs)
        if function in (np.dot, np.inner, np.einsum):
            Counting.add(*(array for array in args if isinstance(array, np.ndarray)), result)
        return result

    @staticmethod
    def add(*arrays):
        """In a product of matrices each of the three sizes belongs to two of the three arrays."""
        Counting.count += round(math.sqrt(math.prod(np.size(array) for array in arrays)))


def cost(function, *arrays):
    """The answer, the number of multiplications, and the most bytes that were held at once."""
    Counting.count = 0
    answer = np.array(function(*(array.view(Counting) for array in arrays)))
    return answer, Counting.count, tools.memory(function, *arrays)[1]


def again_and_again(Q, K, V):
    rows = []
    for i in range(1, len(Q) + 1):
        output, _ = scaled_dot_product_attention(Q[:i], K[:i], V[:i], causal_mask(i))
        rows.append(np.array(output[-1]))
    return rows


def token_by_token(Q, K, V):
    rows, cache = [], None
    for query, key, value in zip(Q, K, V):
        output, cache = cached_step(query, key, value, cache)
        rows.append(np.array(output))
    return rows


@tools.demo
def what_it_costs():
    ways = {
        "again and again": again_and_again,
        "all at once": lambda Q, K, V: scaled_dot_product_attention(Q, K, V, causal_mask(len(Q)))[0],
        "with a cache": token_by_token,
        "in blocks": lambda Q, K, V: flash_attention(Q, K, V, 16),
    }
    noise, lengths = np.random.default_rng(0), (16, 32, 64, 128)
    counts, bytes_held = np.zeros((4, 4)), np.zeros((4, 4))
    for column, n in enumerate(lengths):
        Q, K, V = noise.normal(size=(3, n, 16))
        answers = []
        for row, function in enumerate(ways.values()):
            answer, counts[row, column], bytes_held[row, column] = cost(function, Q, K, V)
            answers.append(answer)
        answers.append(np.asarray(scaled_dot_product_attention(Q, K, V)[0]))
        gap = max(np.abs(answers[0] - answers[1]).max(), np.abs(answers[2] - answers[1]).max())
        gap = max(gap, np.abs(answers[3] - answers[4]).max())
        print(f"{n:>3} tokens: with a cache, in blocks or not, the answers differ by {gap:.0e} at most")

    columns = [f"{n} tokens" for n in lengths]
    for title, numbers in (("Thousands of multiplications", counts / 1e3), ("Kilobytes held at once", bytes_held / 1e3)):
        texts = np.where(numbers > 0, np.char.mod("%.0f", numbers), "-")
        print(f"\n{title}")
        tools.table(numbers, list(ways), columns, 0)
        shades = np.log10(np.maximum(numbers, 1.0))
        tools.heatmap(shades, list(ways), columns, title, texts, highest=max(1.0, shades.max()))


# %% [markdown]
# ## The finale: a trained model writes with your functions
#
# A small language model (two blocks, four heads of queries that share two of keys and values, rotary positions; 24,960
# weights) was trained on sentences of a little language, until it knew which word comes next. Its weights are
# stored in this notebook, in a folded cell near its top. What it reads and writes looks like this:
#
# > the cat sat on the mat because it was soft . what was soft ? the mat .
#
# Say *tired* instead of *soft*, and it answers *the cat*. It answers all 200 test sentences correctly, and it has never
# seen their nouns and adjectives together.
#
# Now let it write, in four ways that differ only in attention:
#
# - **without a cache**: for each new word, the whole text goes through the model again; each head runs your
#   `decode_with_cache` over all of it, because every row counts in the next block,
# - **with a cache**: only the new word goes through; your `cached_step` keeps its turned key and its value,
# - **shared heads**: the same, with keys and values kept once for the heads that share them, for your
#   `grouped_query_attention`,
# - **in blocks**: the same, with your `flash_attention`, eight keys at a time.
#
# The four texts must be equal, word by word. What differs is the work: the rows that go through the matrices of a
# block, and the pairs of a query and a key that meet.


# %%
WORDS = str(MODEL["words"]).split()


def norm(x, gamma, beta):
    """Every row with mean 0 and variance 1, scaled and moved: `layer_norm` of the exercise `transformer`."""
    return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5) * gamma + beta


def in_heads(x):
    """The features in heads of eight: (heads, n, 8)."""
    return np.swapaxes(np.reshape(x, (len(x), -1, 8)), 0, 1)


class Writer:
    """The model; `read` takes the words that are new and returns the scores of all 56 words behind the last one."""

    def __init__(self, attend):
        self.attend = attend  # takes Q (4, n, 8), K and V (2, n, 8), and what is kept of the words before
        self.kept = [None, None]  # for each block
        self.rows = self.pairs = self.words = 0

    def read(self, words):
        x, places = MODEL["embedding"][[WORDS.index(word) for word in words]], self.words + np.arange(len(words))
        self.words += len(words)
        for i in range(2):
            y = norm(x, MODEL["gamma_1"][i], MODEL["beta_1"][i])
            Q, K, V = (in_heads(y @ MODEL[name][i]) for name in ("W_Q", "W_K", "W_V"))
            Q, K = np.asarray(rope(Q, places)), np.asarray(rope(K, places))
            heads, self.kept[i] = self.attend(Q, K, V, self.kept[i])
            x = x + np.reshape(np.swapaxes(heads, 0, 1), (len(words), 32)) @ MODEL["W_O"][i]
            y = norm(x, MODEL["gamma_2"][i], MODEL["beta_2"][i])
            hidden = np.maximum(y @ MODEL["W_1"][i] + MODEL["b_1"][i], 0)
            x = x + hidden @ MODEL["W_2"][i] + MODEL["b_2"][i]
            self.rows += len(words)
            # Row r of the new ones sees what was there before it, and itself.
            self.pairs += 4 * int((places + 1).sum())
        return (norm(x, MODEL["gamma"], MODEL["beta"]) @ MODEL["embedding"].T)[-1]


def one_word(Q, K, V, cache):
    """Each head of queries has a cache of its own, which your function keeps."""
    output, cache = cached_step(Q[:, 0], np.repeat(K[:, 0], 2, axis=0), np.repeat(V[:, 0], 2, axis=0), cache)
    return np.asarray(output)[:, None], cache


def keeping(attention):
    """Keys and values are kept here, for attention that reads all of them in each call."""

    def attend(Q, K, V, kept):
        if kept is not None:
            K, V = np.concatenate([kept[0], K], axis=1), np.concatenate([kept[1], V], axis=1)
        return np.asarray(attention(Q, K, V)), (K, V)

    return attend


def each_head(attention):
    """A function of one head, for four heads of queries that share two of keys and values."""
    return keeping(lambda Q, K, V: np.stack([attention(Q[h], K[h // 2], V[h // 2]) for h in range(4)]))


def write(way, words, length, seed=1):
    """The text, drawn word by word; the rows and pairs after each word; and the model at the end."""
    attend = {
        "without a cache": each_head(decode_with_cache),
        "with a cache": one_word,
        "shared heads": keeping(grouped_query_attention),
        "in blocks": each_head(lambda Q, K, V: flash_attention(Q, K, V, 8)),
    }[way]
    words, new, draw, work = list(words), list(words), np.random.default_rng(seed), []
    model, rows, pairs = Writer(attend), 0, 0
    if way != "without a cache":
        for word in words[:-1]:  # one at a time: without a mask, a row must not see the rows behind it
            model.read([word])
        new = words[-1:]
    while len(words) < length:
        if way == "without a cache":
            rows, pairs = rows + model.rows, pairs + model.pairs
            model, new = Writer(attend), words
        shares = np.cumsum(np.exp(model.read(new)))
        word = WORDS[min(np.searchsorted(shares / shares[-1], draw.random()), len(WORDS) - 1)]
        words, new = [*words, word], [word]
        work.append((rows + model.rows, pairs + model.pairs))
    return words, np.array(work), model


@tools.demo
def the_same_numbers():
    for row, adjective in enumerate(("soft", "tired")):
        words = f"the cat sat on the mat because it was {adjective} . what was {adjective} ? the".split()
        scores = Writer(each_head(decode_with_cache)).read(words)
        gap = np.abs(scores - MODEL["logits"][row]).max()
        verdict = "the same" if gap < 1e-6 else "almost the same" if gap < 1e-3 else "not the same"
        print(f"… because it was {adjective} . what was {adjective} ? the {WORDS[scores.argmax()]}")
        print(f"  Your scores are {verdict} as those stored with the model (largest difference {gap:.0e}).")


# %%
@tools.demo
def four_ways_to_write():
    import time

    begin, length, ways = "the dog slept".split(), 54, ("without a cache", "with a cache", "shared heads", "in blocks")
    texts, work, seconds = {}, {}, {}
    for way in ways:
        start = time.perf_counter()
        texts[way], work[way], model = write(way, begin, length)
        seconds[way] = time.perf_counter() - start
    for way in ways:
        print(f"{way}:\n  " + " ".join(texts[way]).replace(" . the", " .\n  the"))
    same = all(texts[way] == texts[ways[0]] for way in ways)
    print("\nThe four texts are equal." if same else "\nThe four texts are NOT equal: which function is to blame?")

    final = np.array([work[way][-1] for way in ways])
    print("\nFor all 54 words together")
    tools.table(final, list(ways), ["rows through the blocks", "pairs of query and key"], 0)
    print("a cache needs {:.0f} times fewer rows and {:.0f} times fewer pairs".format(*final[0] / final[1]))
    held = sum(array.nbytes for pair in model.kept for array in pair)
    print(f"and holds {held / 1024:.0f} KB at the end where heads share; it would be twice as much if they did not")
    print("seconds here:", ", ".join(f"{way} {seconds[way]:.2f}" for way in ways))

    places = [12, 24, 36, 48]
    for title, column in (("Rows through the blocks so far", 0), ("Pairs of query and key so far", 1)):
        numbers = np.array([[work[way][n - len(begin) - 1][column] for n in places] for way in ways], dtype=float)
        names = [f"{n} words" for n in places]
        tools.heatmap(np.log10(numbers), list(ways), names, title, np.char.mod("%.0f", numbers), highest=np.log10(numbers.max()))


# %% [markdown]
# Without a cache, the number of rows grows with the square of the length of the text, and the number of pairs
# with its cube: each new word computes everything again. With a cache a word costs one row in each block, and
# each query one look at every key. In blocks it is the same number of pairs; what shrinks is the memory, since no
# complete row of scores is ever stored.
#
# **When it looks wrong.** Break a function on purpose and look. This is what we saw when we did:
#
# | what you see | what it was |
# |---|---|
# | all four texts are nonsense, and equal | `rope` pairs the wrong features, or turns the wrong way |
# | the text without a cache is fine, the other three are nonsense, and equal | `rope` turns by the row's number, not by its position |
# | only the text with a cache is nonsense | `cached_step` reads all earlier tokens, but not the new one |
# | only the text with shared heads is nonsense | `grouped_query_attention` deals heads out like cards, or does not scale |
# | only the text in blocks begins well and loses its thread | `flash_attention` does not correct old sums when a larger score comes |
# | only the text in blocks is nonsense | `flash_attention` drops the last keys where a block is not full |
# | only the text without a cache is nonsense | `decode_with_cache` forgets all but the newest keys |
# | the text without a cache is good, but different | `decode_with_cache` lets its rows see what comes later |

# %% [markdown]
# ## Optional: explain a cost
#
# A person grades this one. It can add up to 4 points to the 100. Take two of the ways above, and one number in which
# they differ: rows, pairs, bytes or seconds. Explain the difference in a few sentences.
#
# **Rubric**
#
# - 2 points: derives both numbers, or how they grow, from the length of the text
# - 1 point: says what the cheaper way has to keep in memory
# - 1 point: describes a case in which it is hardly cheaper, or not at all

# %% [markdown] manual="explain_a_cost" points=4 extra=true
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
# Put them together, and you have what runs behind a chat window: keys are turned by `rope` once and go into
# the cache, heads share what is kept, and the long text of a question is read in blocks before the first word of
# the answer is written. What your functions lack is the hardware: on a graphics card a block is chosen so that it
# fits into the fastest memory, and that is where the speed of flash attention comes from. A question to
# explore: what would `flash_attention` need for a causal mask, and which blocks could it then leave out?
# How a model gets its weights is the subject of `gradients` and `training`.


# %% oracles
"""What the docstrings promise about inputs: each line must occur in a check of its step, or have its reason below."""
from autograder.exercises.promises import leading_axes, single


def not_square(number):
    """Whether a whole number has no whole root."""
    return math.isqrt(number) ** 2 != number


def largest_score(Q, K):
    """The largest scaled score of one head, whatever its sign."""
    heads = K if K.ndim == 2 else np.repeat(K, len(Q) // len(K), axis=0)
    return np.abs(Q @ np.swapaxes(heads, -1, -2)).max() / math.sqrt(Q.shape[-1])


PROMISES = {
    "rope": {
        **leading_axes("x", own=2),
        **single("x", -2),
        "two features": lambda x: np.shape(x)[-1] == 2,
        "eight features or more": lambda x: np.shape(x)[-1] >= 8,
        "as many tokens as features": lambda x: np.shape(x)[-2] == np.shape(x)[-1],
        "position 0": lambda positions: 0 in np.asarray(positions),
        "positions that begin elsewhere": lambda positions: np.min(positions) > 0,
        "gaps": lambda positions: (np.diff(np.sort(positions)) > 1).any(),
        "positions out of order": lambda positions: (np.diff(positions) < 0).any(),
        "a position that comes twice": lambda positions: len({*np.asarray(positions).tolist()}) < len(positions),
        "a position near 10,000": lambda positions: np.max(positions) > 9_000,
        "a position near 10,000, with eight features": lambda x, positions: np.max(positions) > 9_000 and np.shape(x)[-1] >= 8,
        "base is not given": lambda base: base == 10_000.0,
        "another base": lambda base: base != 10_000.0,
        "a base below 2": lambda base: 1 < base < 2,
    },
    "grouped_query_attention": {
        **single("Q", -2, -1),
        **single("K", -2),
        "a head of keys for each of queries": lambda Q, K: len(K) == len(Q) > 1,
        "one head of keys for all": lambda Q, K: len(K) == 1 < len(Q),
        "groups of several": lambda Q, K: 1 < len(K) < len(Q),
        "groups that differ in number from their size": lambda Q, K: 1 < len(K) < len(Q) and len(K) ** 2 != len(Q),
        "one head in all, of several queries": lambda Q: len(Q) == 1 < Q.shape[1],
        "m differs from n": lambda Q, K: K.shape[1] != Q.shape[1],
        "m is n, above 2": lambda Q, K: K.shape[1] == Q.shape[1] > 2,
        "d is no square number": lambda Q: not_square(Q.shape[-1]),
        "scores near 1e4": lambda Q, K: largest_score(Q, K) > 5e3,
    },
    "cached_step": {
        **leading_axes("q", own=1),
        **single("q", -1),
        **single("v", -1),
        "d_v differs from d_k": lambda k, v: k.shape[-1] != v.shape[-1],
        "d_k is no square number": lambda q: not_square(q.shape[-1]),
        "the first token": lambda cache: cache is None,
        "a second token": lambda cache: cache is not None and np.shape(cache[0])[-2] == 1,
        "more than 64 tokens before it": lambda cache: cache is not None and np.shape(cache[0])[-2] > 64,
        "a score near 1e4": lambda q, k: np.abs((q * k).sum(axis=-1)).max() / math.sqrt(q.shape[-1]) > 5e3,
    },
    "decode_with_cache": {
        "one token": lambda Q: len(Q) == 1,
        "two tokens": lambda Q: len(Q) == 2,
        "100 tokens or more": lambda Q: len(Q) >= 100,
        **single("Q", -1),
        **single("V", -1),
        "d_v differs from d_k": lambda K, V: K.shape[-1] != V.shape[-1],
        "d_k is no square number": lambda Q: not_square(Q.shape[-1]),
        "scores near 1e4": lambda Q, K: largest_score(Q, K) > 5e3,
    },
    "flash_attention": {
        **single("Q", -2, -1),
        **single("K", -2),
        "m differs from n": lambda Q, K: len(K) != len(Q),
        "d_v differs from d_k": lambda K, V: K.shape[-1] != V.shape[-1],
        "d_k is no square number": lambda Q: not_square(Q.shape[-1]),
        "blocks of one key": lambda K, block_size: block_size == 1 < len(K),
        "blocks that fit": lambda K, block_size: 1 < block_size < len(K) and len(K) % block_size == 0,
        "a smaller block at the end": lambda K, block_size: 1 < block_size < len(K) and len(K) % block_size,
        "a single block": lambda K, block_size: block_size == len(K),
        "a block larger than m": lambda K, block_size: block_size > len(K),
        "scores near 1e4": lambda Q, K: largest_score(Q, K) > 5e3,
        "scores of a query all near -1e4, and a smaller block at the end": lambda Q, K, block_size: (
            len(K) % block_size and ((Q @ K.T).max(axis=-1) / math.sqrt(Q.shape[-1]) < -9_990).any()
        ),
        "a table of 100,000 bytes": lambda Q, K: 8 * len(Q) * len(K) >= 1e5,
        "the largest score in the first block": lambda Q, K, block_size: (
            block_size < len(K) and (np.argmax(Q @ K.T, axis=-1) < block_size).any()
        ),
        "the largest score in the last block": lambda Q, K, block_size: (
            block_size < len(K) and (np.argmax(Q @ K.T, axis=-1) >= (len(K) - 1) // block_size * block_size).any()
        ),
    },
}

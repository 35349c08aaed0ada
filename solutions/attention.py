# %% [markdown]
# # Attention, built by hand
#
# Every large language model relies on one small operation: each word looks at the other words, decides how much
# each of them matters, and takes a weighted average of what they have to say. That is attention. In thirteen
# short functions you will write all of it, from the first matrix product to many heads, in plain NumPy. You
# should know Python and have used arrays; the warm-up reviews their axes. Expect six to eight hours. You can stop
# at any time: your work is saved with the notebook.
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
# - **Row vectors.** A token is a *row* of `X`, and weights go on the right: `X @ W`.
# - **Leading batch axes.** `(..., n, d)` means: there may be any number of leading axes (none, one, several), and
#   your function handles each slice separately. The arguments of one call have the same leading axes; only masks
#   broadcast. No axis is ever empty.
# - **Masks say yes.** `True` means *may attend*, `False` means *hidden*.
# - **Heads are contiguous blocks.** The first head owns the first features, the second the next ones.
# - **Inputs are never changed.** Your function must not modify its arguments, and a second call gives the same
#   answer.
# - **NumPy only**, in its default precision, `float64`. A `float32` result is accepted and compared less
#   strictly; lists are accepted in place of arrays and tuples.
# - **To look inside**, print in your own function; to try other numbers, take the arguments of the first
#   check of a step from `given = tools.first("softmax")`, change one, as in `given["scores"] = …`, and call
#   `softmax(**given)`.
# - **More practice.** Once all visible checks of a step pass, `tools.practice("softmax")` tries your function on
#   fresh inputs and says which rules hold, those of hidden checks included.
#
# We use the usual symbols: `n` tokens, `d_model` features each, `d_k` for queries and keys, `d_v` for values.

# %% setup
import math

import numpy as np

from autograder import tools

rng = np.random.default_rng(2017)  # grading puts another in its place, which depends on the course's secret

SUM_TOL, SUM_TOL_SINGLE = 1.001e-9, 2e-6  # 1e-9 and its rounding; a sum of float32 weights is off by 1e-6

# Steps that build on each other are off by 6e-6 where one of them, and perhaps not the last, answers in float32.
COMPOSED = {"rtol": 2e-5, "atol": 2e-5}

AXES = {"xlabel": "key (looked at)", "ylabel": "query"}  # of a picture of weights or of a mask


def agree_mask(got, wanted, what, ask="", show=False):
    """Insist on exactly this mask; 1 and 0 count as True and False."""
    tools.agree(got, wanted, what, ask, show, rtol=0, atol=0, tol_single=0)


def rows_sum_to_one(weights, what="the weights", axis=-1, where=True):
    """Insist that the weights along `axis` sum to 1 (in the rows of `where`)."""
    array = tools.plain(weights, what)
    if not -array.ndim <= axis < array.ndim:
        raise AssertionError(f"{what}: their shape has no axis {axis}")
    with np.errstate(over="ignore", invalid="ignore"):
        sums = np.atleast_1d(array.sum(axis=axis, dtype=float))
    wrong = ~(np.abs(sums - 1) <= (SUM_TOL_SINGLE if tools.is_single(array) else SUM_TOL)) & where
    if wrong.any():
        first = np.unravel_index(wrong.argmax(), wrong.shape)
        row = first[0] if len(first) == 1 else tuple(int(i) for i in first)
        total = sums[first]
        ask = "Along which axis do your weights sum to 1?" if np.isfinite(total) else "Which number grew too large, or too small?"
        if f"{total:.4g}" == "1":
            raise AssertionError(f"{what}: row {row} misses the sum 1 by {total - 1:.1e}. What else is in your total?")
        raise AssertionError(f"{what}: row {row} sums to {total:.4g}, not 1. {ask}")


def hidden_get_nothing(weights, mask):
    """Insist that a weight under the mask is exactly 0 (in rows that may look at something)."""
    array = tools.plain(weights, "the weights")
    leaks = array[np.broadcast_to(~mask & mask.any(axis=-1, keepdims=True), array.shape)]
    if np.count_nonzero(leaks):
        raise AssertionError(
            f"the weights: {np.count_nonzero(leaks)} hidden keys keep a weight that is not exactly 0. "
            "Where does your function use the mask, and what does it put there?"
        )


def draw_weights(weights, queries, keys, title):
    """Weights as a table, as sentences, and as a heatmap."""
    weights = np.asarray(weights, dtype=float)
    print(title)
    tools.table(weights, queries, keys)
    for name, row in zip(queries, weights):
        best = [key for key, weight in zip(keys, row) if weight >= row.max() - 1e-9]
        most = "all equally" if len(best) == len(keys) > 1 else " and ".join(best)
        print(f"  {name} looks most at {most} ({row.max():.2f}{' each' * (len(best) > 1)})")
    tools.heatmap(weights, queries, keys, title, np.char.mod("%.2f", weights), **AXES)


FOUR_TOKENS = """
1.92692  1.48728  0.90072 -2.10552  0.67842 -1.23454 -0.04307 -1.60467
-0.75214  1.64872 -0.39248 -1.40361 -0.72788 -0.55943 -0.76884  0.76245
1.64232 -0.15960 -0.49740  0.43959 -0.75813  1.07832  0.80080  1.68062
1.27912  1.29642  0.61047  1.33474 -0.23162  0.04176 -0.25158  0.85986
-1.38467 -0.87124 -0.22337  1.71736  0.31888 -0.42452  0.30572 -0.77459
-1.55757  0.99564 -0.87979 -0.60114 -1.27415  2.12279 -1.23465 -0.48791
-0.91382 -0.65814  0.07802  0.52581 -0.48799  1.19137 -0.81401 -0.73599
-1.40325  0.03600 -0.06348  0.67561 -0.09781  1.84459 -1.18454  1.38355
1.44513  0.85641  2.21808  0.52317  0.34665 -0.19733 -1.05459  1.27800
-0.17219  0.52379  0.05662  0.42630  0.57501 -0.64172 -2.20640 -0.75080
0.01087 -0.33874 -1.34068 -0.58537  0.53619  0.52462  1.14120  0.05164
0.74395 -0.48158 -1.04947  0.60390 -1.72230 -0.82777  1.33470  0.48354
-2.50954  0.48800  0.78459  0.02865  0.64076  0.58325  1.06693 -0.45015
-0.18527  0.75276  0.40476  0.17847  0.26491  1.27317 -0.00131 -0.30360
-1.45703 -0.10234 -0.59915  0.47706  0.72618  0.09115 -0.38907  0.52792
-0.01269  0.24084  0.13254  0.76424  1.09501  0.33989  0.71997  0.41141
1.93116  1.01186 -1.43641 -1.12986 -0.13603  1.63541  0.65474  0.57600
1.14151  0.01856 -1.80581  0.92543 -0.37534  1.03309 -0.68665  0.63681
-0.97267  0.95846  1.61920  1.45061  0.26948 -0.21038 -0.73280  0.10430
0.34875  0.96759 -0.46569  1.60480 -2.48012 -0.41754 -1.19545  0.81234
-1.90055  0.22858  0.02486 -0.34595  0.28683 -0.73084  0.17482 -1.09393
-1.60216  1.35290  1.28883  0.05230 -1.54685  0.75671  0.77552  2.02654
0.03582  0.12059 -0.80566 -0.20758 -0.93195 -1.59097 -1.13598 -0.52260
-0.51877 -1.50128 -1.92665  0.12785  1.02291 -0.55580  0.70427  0.70988
1.77439 -0.92155  0.96245 -0.33702 -1.17533  0.35806  0.47877  1.35370
0.52606  2.11204 -0.52076 -0.93201  0.18516  1.06869  1.30653  0.45983
-0.81463 -1.02124 -0.49492 -0.59225  0.15432  0.44077 -0.14829 -2.31844
-0.39800  1.08049 -1.78086  1.50805  0.30943 -0.50031  1.03500  1.68965
"""


def four_tokens():
    """X (4, 8), and W_Q, W_K, W_V, each (8, 8): the same numbers on every computer."""
    numbers = np.array(FOUR_TOKENS.split(), dtype=float).reshape(-1, 8)
    return np.split(numbers, [4, 12, 20])


def draw_masks(masks, words):
    """Masks of the same words, by their titles: as sentences, and side by side in one heatmap."""
    parts = []
    for title, mask in masks.items():
        print(title)
        for name, row in zip(words, mask):
            print(f"  {name} may look at: {', '.join(key for key, allowed in zip(words, row) if allowed) or 'nothing'}")
        parts += [np.full((len(words), 1), np.nan), mask]
    shown = np.hstack(parts[1:])  # NaN has no colour
    texts = np.select([np.isnan(shown), shown > 0], ["", "may"], "hidden")
    columns = [*words, *((len(masks) - 1) * ["", *words])]
    tools.heatmap(shown, words, columns, "   |   ".join(masks), texts, **AXES)

# %%
import numpy as np

# %% practice
class Practice:
    """What holds of any right answer, for tools.practice: no line here computes a whole one."""

    def project_qkv(t):
        lead, (n, d_model, d_k, d_v) = t.lead(), t.sizes(4)
        X, W_V = t.normal(*lead, n, d_model), t.normal(d_model, d_v)
        answer = t.call(X=X, W_Q=t.normal(d_model, d_k), W_K=t.normal(d_model, d_k), W_V=W_V)
        Q, K, V = t.parts(answer, "Q, K, V")
        t.shape("Q", Q, *lead, n, d_k)
        t.shape("K", K, *lead, n, d_k)
        t.shape("V", V, *lead, n, d_v)
        place = t.place(np.shape(V))
        wanted = sum(x * w for x, w in zip(X[place[:-1]], W_V[:, place[-1]]))
        t.near("One number of V, added up from its row of X and its column of W_V.", V[place], wanted)
        swapped = t.parts(t.again(W_Q=t.given["W_K"], W_K=t.given["W_Q"]), "Q, K, V")
        t.near("With W_Q and W_K swapped, Q is what K was.", swapped[0], K)
        X[..., 0, :] = 0.0
        t.near("Change token 0, and the others keep their queries.", t.parts(t.again(X=X), "Q, K, V")[0][..., 1:, :], Q[..., 1:, :])

    def attention_scores(t):
        lead, (n, m, d_k) = t.lead(), t.sizes(3)
        Q, K = t.normal(*lead, n, d_k), t.normal(*lead, m, d_k)
        scores = np.asarray(t.call(Q=Q, K=K))
        t.shape("the scores", scores, *lead, n, m)
        *at, i, j = t.place(np.shape(scores))
        wanted = sum(q * k for q, k in zip(Q[(*at, i)], K[(*at, j)]))
        t.near("Entry (i, j) is the dot product of query i and key j.", scores[(*at, i, j)], wanted)
        t.near("Twice the queries give twice the scores.", t.again(Q=2 * Q), 2 * np.asarray(scores))

    def scale_scores(t):
        lead, (n, m, d_k) = t.lead(), t.sizes(3)
        scores = 10 * t.normal(*lead, n, m)
        scaled = np.asarray(t.call(scores=scores, d_k=d_k))
        t.shape("the scaled scores", scaled, *lead, n, m)
        t.near("Multiplied by the root of d_k, they are the scores again.", np.asarray(scaled) * math.sqrt(d_k), scores)
        t.near("With d_k of 1 they stay as they are.", t.again(d_k=1), scores)

    def softmax(t):
        shape = tuple(t.sizes(int(t.rng.integers(1, 4))))
        axis = int(t.rng.integers(-len(shape), len(shape)))
        scores = t.normal(*shape) * (1.0, 30.0, 3000.0)[t.rng.integers(3)]
        hidden = t.rng.random(shape) < 0.2
        hidden &= ~hidden.all(axis=axis, keepdims=True)
        scores = np.where(hidden, -np.inf, scores)
        weights = np.asarray(t.call(scores=scores, axis=axis))
        t.shape("the weights", weights, *shape)
        t.holds("All weights are finite, and none is negative.", (np.isfinite(weights) & (weights >= 0)).all())
        t.near("The sums along the axis are 1.", weights.sum(axis=axis), np.ones(weights.sum(axis=axis).shape))
        t.holds("A score of -inf has a weight of exactly 0.", not weights[hidden].any(), "it has another")
        t.near("Adding 1000 to every score changes nothing.", t.again(scores=scores + 1000.0), weights)
        pair = np.moveaxis(scores, axis, 0)[:2].reshape(2, -1)[:, 0]
        shares = np.moveaxis(weights, axis, 0)[:2].reshape(2, -1)[:, 0]
        if np.isfinite(pair).all() and abs(pair[0] - pair[1]) < 20:
            t.near("The ratio of two weights is e to the difference of their scores.", shares[0], shares[1] * math.exp(pair[0] - pair[1]))

    def weighted_sum(t):
        lead, (n, m, d_v) = t.lead(), t.sizes(3)
        weights, V = t.rng.dirichlet(np.ones(m), size=(*lead, n)), t.normal(*lead, m, d_v)
        output = np.asarray(t.call(weights=weights, V=V))
        t.shape("the output", output, *lead, n, d_v)
        *at, i, feature = t.place(np.shape(output))
        wanted = sum(w * v[feature] for w, v in zip(weights[(*at, i)], V[tuple(at)]))
        t.near("One number, added up from the weights of its row.", output[(*at, i, feature)], wanted)
        same = np.broadcast_to(V[..., :1, :], V.shape).copy()
        t.near("Where all values are equal, every query gets that value.", t.again(V=same), np.broadcast_to(V[..., :1, :], np.shape(output)))

    def causal_mask(t):
        n = int(t.rng.integers(1, 6))
        m = n + int(t.rng.integers(0, 4))
        mask = np.asarray(t.call(n_queries=n, n_keys=m))
        t.shape("the mask", mask, n, m)
        sees = mask.astype(int).sum(axis=1)
        t.holds("The last query sees every key.", sees[-1] == m, f"it sees {sees[-1]} of {m}")
        t.holds("Every query sees one key more than the one before it.", (np.diff(sees) == 1).all(), f"they see {sees.tolist()}")
        t.holds("The keys that a query sees are the first ones.", (np.diff(mask.astype(int), axis=1) <= 0).all())

    def padding_mask(t):
        batch, n_keys = int(t.rng.integers(1, 5)), int(t.rng.integers(1, 7))
        lengths = t.rng.integers(1, n_keys + 1, size=batch)
        mask = np.asarray(t.call(lengths=lengths, n_keys=n_keys))
        t.shape("the mask", mask, batch, 1, n_keys)
        seen = mask.astype(int).sum(axis=(1, 2)).tolist()
        t.holds("Each sequence has as many real keys as it is long.", seen == lengths.tolist(), f"they have {seen}")
        t.holds("The real keys come first.", (np.diff(mask.astype(int), axis=2) <= 0).all())

    def apply_mask(t):
        lead, (n, m) = t.lead(), t.sizes(2)
        scores = t.normal(*lead, n, m)
        mask = t.rng.random((n, m) if t.rng.integers(2) else (*lead, 1, m)) < 0.6
        allowed = np.broadcast_to(mask, scores.shape)
        scores[~allowed & (t.rng.random(scores.shape) < 0.3)] = np.nan
        masked = np.asarray(t.call(scores=scores, mask=mask))
        t.shape("the scores", masked, *lead, n, m)
        t.holds("Every hidden score is exactly -inf.", (masked[~allowed] == -np.inf).all(), "one is not")
        t.near("Every allowed score is unchanged.", masked[allowed], scores[allowed])

    def scaled_dot_product_attention(t):
        lead, (n, m, d_k, d_v) = t.lead(), t.sizes(4)
        Q, K, V = t.normal(*lead, n, d_k), t.normal(*lead, m, d_k), t.normal(*lead, m, d_v)
        Q *= (1.0, 1000.0)[t.rng.integers(2)]
        mask = t.rng.random((n, m)) < 0.6
        mask[:, int(t.rng.integers(m))] = True
        output, weights = t.parts(t.call(Q=Q, K=K, V=V, mask=mask), "output, weights")
        weights = np.asarray(weights)
        t.shape("the output", output, *lead, n, d_v)
        t.shape("the weights", weights, *lead, n, m)
        t.near("Each row of weights sums to 1.", weights.sum(axis=-1), np.ones((*lead, n)))
        t.holds("A hidden key has a weight of exactly 0.", not weights[np.broadcast_to(~mask, weights.shape)].any(), "one has more")
        *at, i, feature = t.place(np.shape(output))
        wanted = sum(w * v[feature] for w, v in zip(weights[(*at, i)], V[tuple(at)]))
        t.near("The output is made with these weights.", output[(*at, i, feature)], wanted)
        allowed = np.flatnonzero(mask[i])
        j, k = allowed[0], allowed[-1]
        ahead = float(np.dot(Q[(*at, i)], K[(*at, j)] - K[(*at, k)])) / math.sqrt(d_k)
        if abs(ahead) < 20:
            row = weights[(*at, i)]
            t.near("The ratio of two weights is e to the difference of their scaled scores.", row[j], row[k] * math.exp(ahead))

    def self_attention(t):
        lead, (n, d_model, d_k, d_v) = t.lead(), t.sizes(4)
        X, W_Q, W_K = t.normal(*lead, n, d_model), t.normal(d_model, d_k), t.normal(d_model, d_k)
        mask = np.tri(n, dtype=bool) if t.rng.integers(2) else None
        answer = t.call(X=X, W_Q=W_Q / d_model, W_K=W_K, W_V=t.normal(d_model, d_v), mask=mask)
        output, weights = t.parts(answer, "output, weights")
        t.shape("the output", output, *lead, n, d_v)
        t.shape("the weights", weights, *lead, n, n)
        t.near("Each row of weights sums to 1.", weights.sum(axis=-1), np.ones((*lead, n)))
        if mask is not None:
            t.holds("A hidden key has a weight of exactly 0.", not weights[..., ~mask].any(), "one has more")
            X[..., -1, :] += 1.0
            t.near("Later tokens change nothing for earlier ones.", t.parts(t.again(X=X), "output, weights")[0][..., :-1, :], output[..., :-1, :])
            return
        turned = t.parts(t.again(X=X[..., ::-1, :]), "output, weights")[0]
        t.near("Without a mask, tokens in another order give the outputs in that order.", turned[..., ::-1, :], output)
        *at, i, j = t.place(weights.shape)
        tokens, row = X[tuple(at)], weights[(*at, i)]
        ahead = float((tokens[i] @ t.given["W_Q"]) @ ((tokens[j] - tokens[0]) @ W_K)) / math.sqrt(d_k)
        t.near("The ratio of two weights is e to the difference of their scaled scores.", row[j], row[0] * math.exp(ahead))

    def split_heads(t):
        lead, (n, num_heads, d_head) = t.lead(), t.sizes(3)
        X = t.normal(*lead, n, num_heads * d_head)
        heads = np.asarray(t.call(X=X, num_heads=num_heads))
        t.shape("the heads", heads, *lead, num_heads, n, d_head)
        *at, head, i, feature = t.place(np.shape(heads))
        t.near("A head has its own block of each token's features.", heads[(*at, head, i, feature)], X[(*at, i, head * d_head + feature)])
        try:
            t.again(num_heads=num_heads * d_head + 1)
        except NotImplementedError:
            raise
        except Exception:
            return
        t.holds("It raises an error where the features do not divide.", False)

    def concat_heads(t):
        lead, (num_heads, n, d_head) = t.lead(), t.sizes(3)
        heads = t.normal(*lead, num_heads, n, d_head)
        joined = np.asarray(t.call(heads=heads))
        t.shape("the result", joined, *lead, n, num_heads * d_head)
        *at, head, i, feature = t.place(heads.shape)
        t.near("A head's features come together, the first head's first.", joined[(*at, i, head * d_head + feature)], heads[(*at, head, i, feature)])
        t.near("split_heads takes it apart again.", split_heads(joined, num_heads), heads)

    def multi_head_attention(t):
        lead, n, num_heads = t.lead(), int(t.rng.integers(2, 5)), int(t.rng.integers(1, 4))
        d_head = int(t.rng.integers(2, 4))
        d_model = num_heads * d_head
        X, W_O = t.normal(*lead, n, d_model), t.normal(d_model, d_model)
        X *= (1.0, 30.0)[t.rng.integers(2)]
        W_Q, W_K, W_V = (t.normal(d_model, d_model) for _ in range(3))
        mask = np.tri(n, dtype=bool) if t.rng.integers(2) else None
        if mask is not None and len(lead) == 1:
            mask = t.rng.random((*lead, n, n)) < 0.5
            mask[..., 0] = True
        output = np.asarray(t.call(X=X, W_Q=W_Q, W_K=W_K, W_V=W_V, W_O=W_O, num_heads=num_heads, mask=mask))
        t.shape("the output", output, *lead, n, d_model)
        apart = t.again(W_O=np.eye(d_model))
        t.near("W_O mixes the heads at the end.", output, np.asarray(apart) @ W_O)
        head = int(t.rng.integers(num_heads))
        own = slice(head * d_head, (head + 1) * d_head)
        alone, _ = self_attention(X, W_Q[:, own], W_K[:, own], W_V[:, own], mask)
        t.near("Before W_O, a head is what your self_attention makes of its columns.", np.asarray(apart)[..., own], alone)

# %%
tools.count_tries(False)  # True counts my tries, for me and my teacher; never graded, never sent

# %% oracles
"""The definitions, written the slow way: one entry at a time, or letter by letter. Hidden checks compare with these."""


def different_sizes(count):
    """So many sizes, all different, none a perfect square."""
    return [int(size) for size in rng.permutation([2, 3, 5, 6, 7, 8])[:count]]


def rising_and_falling(count):
    """Two such lists: whichever two sizes somebody mixes up, either may be the larger one."""
    return sorted(different_sizes(count)), sorted(different_sizes(count), reverse=True)


def random_mask(*shape):
    """Every query may look at something, and not at everything; at least two keys."""
    order = np.argsort(rng.random(shape), axis=-1)
    return order < rng.integers(1, shape[-1], size=shape[:-1] + (1,))


def mask_for_all_keys(*shape):
    """As many True as False, or one more, in a shape whose last axis is 1, or that has no axis."""
    size = math.prod(shape)
    return (rng.permutation(size) % 2 == 0).reshape(shape)


def product_by_definition(A, B):
    """Entry (i, j) is the sum over t of A[i, t] B[t, j]; B has A's leading axes, or none."""
    return np.einsum("...it,...tj->...ij", A, B)


def scores_by_definition(Q, K):
    """Entry (i, j) is the sum over t of Q[i, t] K[j, t]."""
    return np.einsum("...it,...jt->...ij", Q, K)


def softmax_by_definition(scores, axis=-1):
    """One row at a time; exp(-inf) is 0, and a row of nothing but -inf becomes zeros."""
    rows = np.asarray(scores, dtype=float).swapaxes(axis, -1)
    weights = []
    for row in rows.reshape(-1, rows.shape[-1]).tolist():
        top = max(row)
        powers = [math.exp(score - top) if score > -math.inf else 0.0 for score in row]
        total = math.fsum(powers)
        weights.append([power / total if total else 0.0 for power in powers])
    return np.array(weights).reshape(rows.shape).swapaxes(axis, -1)


def causal_mask_by_definition(n_queries, n_keys):
    """The last query sees every key, the one before it all but the last, and so on."""
    return np.array([[n_keys - 1 - j >= n_queries - 1 - i for j in range(n_keys)] for i in range(n_queries)])


def padding_mask_by_definition(lengths, n_keys):
    """Key j of a sequence is real if its length is more than j."""
    return np.array([[[j < length for j in range(n_keys)]] for length in lengths])


def masked_by_definition(scores, mask):
    """-inf where the mask is False, the score elsewhere."""
    allowed = np.broadcast_to(mask, scores.shape).ravel().tolist()
    entries = np.asarray(scores, dtype=float).ravel().tolist()
    kept = [score if allow else -math.inf for score, allow in zip(entries, allowed)]
    return np.array(kept).reshape(scores.shape)


def attention_by_definition(Q, K, V, mask=None):
    """The output and the weights."""
    scores = scores_by_definition(Q, K) / math.sqrt(Q.shape[-1])
    weights = softmax_by_definition(scores if mask is None else masked_by_definition(scores, mask))
    return product_by_definition(weights, V), weights


def attention_agrees(result, wanted, mask=None):
    """Output and weights are right; hidden keys get nothing; a query with no key at all is not looked at."""
    output, weights = tools.unpack(result, "output, weights")
    seen = True if mask is None else np.broadcast_to(mask, wanted[1].shape).any(axis=-1)
    rows = np.expand_dims(seen, -1) if mask is not None else True
    tools.agree(weights, wanted[1], "the weights", where=rows, **COMPOSED)
    rows_sum_to_one(weights, where=seen)
    if mask is not None:
        hidden_get_nothing(weights, mask)
    tools.agree(output, wanted[0], "the output", where=rows, **COMPOSED)


def heads_by_definition(X, num_heads):
    """Head h owns the h-th block of features."""
    width = X.shape[-1] // num_heads
    return np.stack([X[..., h * width : (h + 1) * width] for h in range(num_heads)], axis=-3)


def multi_head_by_definition(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Attention head by head on its own columns, side by side, times W_O."""
    width, blocks = X.shape[-1] // num_heads, []
    for h in range(num_heads):
        own = slice(h * width, (h + 1) * width)
        Q, K, V = (product_by_definition(X, W[:, own]) for W in (W_Q, W_K, W_V))
        blocks.append(attention_by_definition(Q, K, V, mask)[0])
    return product_by_definition(np.concatenate(blocks, axis=-1), W_O)


def random_weights(d_in, d_out):
    """A weight matrix that keeps the size of what it multiplies."""
    return rng.normal(size=(d_in, d_out)) / math.sqrt(d_in)


def hidden_tokens_would_win(distance):
    """Tokens, four matrices for three heads of one feature, and a mask: what is allowed scores that much lower."""
    n = int(rng.integers(4, 7))
    mask = random_mask(1, n)[[0] * n]
    mask[:, :3] = True, True, False
    X = np.stack([np.ones(n), rng.integers(-8, 9, size=n) / 8, rng.normal(size=n)], axis=-1)
    X[:2, 1] = 1.0, -1.0
    X[mask[0], 1] -= distance
    W_Q, W_K, W_V, W_O = np.zeros((3, 3)), np.zeros((3, 3)), random_weights(3, 3), random_weights(3, 3)
    W_Q[0], W_K[1], W_V[1] = 1.0, 1.0, 0.0
    return X, W_Q, W_K, W_V, W_O, mask


# %% [markdown]
# ## Warm-up: axes, `@`, `keepdims`, `swapaxes`
#
# Nothing here is graded. In attention code, axes go wrong far more often than formulas, so it pays to predict a
# shape before you print it. Write down your guess for each line, then run the cell.
#
# First: what is left of a `(2, 3)` array when you sum along one axis? And what does `keepdims` keep?

# %%
prices = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
print("sum over axis 0: ", prices.sum(axis=0), "  shape", prices.sum(axis=0).shape)
print("sum over axis -1:", prices.sum(axis=-1), "     shape", prices.sum(axis=-1).shape)
print("the same, kept:   shape", prices.sum(axis=-1, keepdims=True).shape)
print("each row's shares:", (prices / prices.sum(axis=-1, keepdims=True)).round(2).tolist())

# %% [markdown]
# `axis=-1` is the last axis, however many there are. `keepdims` leaves a 1 where the axis was, so that the
# result still lines up with the rows it came from. Take it away from the last line above and see what
# happens; then think of a square array, where the same mistake raises no error.
#
# Second: `@` multiplies matrices. On arrays with more than two axes it works on the *last two* and treats
# all others as a stack.

# %%
print("(2, 3) @ (3, 4)       ->", (np.ones((2, 3)) @ np.ones((3, 4))).shape)
print("(5, 2, 3) @ (3, 4)    ->", (np.ones((5, 2, 3)) @ np.ones((3, 4))).shape)
print("(5, 2, 3) @ (5, 3, 4) ->", (np.ones((5, 2, 3)) @ np.ones((5, 3, 4))).shape)

# %% [markdown]
# Third: transposing. All three of these change `(5, 2, 3)`, and they do three different things. Which of them
# keeps the batch of five where it was? Which of them leaves the numbers in the same order in memory?

# %%
print("swapaxes(-1, -2):", np.ones((5, 2, 3)).swapaxes(-1, -2).shape)
print(".T:              ", np.ones((5, 2, 3)).T.shape)
print("reshape(5, 3, 2):", np.ones((5, 2, 3)).reshape(5, 3, 2).shape)
print("prices.swapaxes(-1, -2):", prices.swapaxes(-1, -2).tolist())
print("prices.reshape(3, 2):   ", prices.reshape(3, 2).tolist())
del prices

# %% [markdown]
# ## Part one: from vectors to a weighted average
#
# Think of a dictionary. You look up a key, and you get the value stored under exactly that key, or nothing.
# Attention is a *soft* dictionary: you have a **query**, compare it with every **key**, and get a blend of all
# the **values**, more of those whose keys fit better.
#
# ### 1. Three views of every token: `project_qkv`
#
# Each token plays three roles. As a query it asks, as a key it says what it has to offer, and as a value it
# passes something on. Three learned matrices make the three views from the same row of numbers:
#
# $$Q = X W_Q, \qquad K = X W_K, \qquad V = X W_V$$
#
# | array | shape |
# |---|---|
# | `X` | `(..., n, d_model)` |
# | `W_Q`, `W_K` | `(d_model, d_k)` |
# | `W_V` | `(d_model, d_v)` |
# | `Q`, `K` | `(..., n, d_k)` |
# | `V` | `(..., n, d_v)` |
#
# Queries and keys will be compared with each other, so they need the same length `d_k`. Values are only
# ever averaged; their length `d_v` is free.


# %% step="project_qkv" points=6
def project_qkv(X, W_Q, W_K, W_V):
    """The queries, keys and values of the tokens in X.

    Shapes
        X: (..., n, d_model), one token per row, any number of leading axes
        W_Q, W_K: (d_model, d_k); W_V: (d_model, d_v), where d_v may differ from d_k

    Returns
        (Q, K, V): a tuple of arrays of shapes (..., n, d_k), (..., n, d_k), (..., n, d_v)

    Rules
        Row i of Q comes from row i of X and from nothing else; so do rows i of K and V.
        The inputs stay as they are.
    """
    ### BEGIN SOLUTION
    return X @ W_Q, X @ W_K, X @ W_V
    ### END SOLUTION


# %% check="project_qkv-by_hand" points=2 category="values"
"""Two tokens give the queries, keys and values that you get with a pencil."""
with tools.check("project_qkv-by_hand"):
    answer = tools.unpack(
        project_qkv(
            np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.5]]),
            np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]),
            np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 0.0]]),
            np.array([[1.0], [2.0], [3.0]]),
        ),
        "Q, K, V",
    )
    tools.agree(answer[0], [[3.0, 2.0], [0.5, 3.5]], "the queries", "Which operator sums over features?", show=True)
    tools.agree(answer[1], [[4.0, 1.0], [4.0, 0.0]], "the keys", "Which matrix makes keys?", show=True)
    tools.agree(answer[2], [[7.0], [7.5]], "the values", "Which matrix makes values?", show=True)

# %% check="project_qkv-batch_of_two" points=1 category="shapes"
"""In a batch of two, each sequence is projected by itself, with the same three matrices."""
with tools.check("project_qkv-batch_of_two"):
    answer = tools.unpack(
        project_qkv(
            np.array([[[1.0, 2.0], [0.0, 1.0]], [[3.0, 0.0], [-1.0, 1.0]]]),
            np.array([[1.0, 0.0], [2.0, 1.0]]),
            np.array([[0.0, 1.0], [1.0, 0.0]]),
            np.array([[2.0, 0.0, 1.0], [0.0, 1.0, 1.0]]),
        ),
        "Q, K, V",
    )
    tools.agree(answer[0], [[[5.0, 2.0], [2.0, 1.0]], [[3.0, 0.0], [1.0, 1.0]]], "the queries", "Which axis is the batch?")
    tools.agree(answer[1], [[[2.0, 1.0], [1.0, 0.0]], [[0.0, 3.0], [1.0, -1.0]]], "the keys", "Which axis is the batch?")
    tools.agree(
        answer[2],
        [[[2.0, 2.0, 3.0], [0.0, 1.0, 1.0]], [[6.0, 0.0, 3.0], [-2.0, 1.0, 0.0]]],
        "the values",
        "Must values be as long as keys?",
    )

# %% check="project_qkv-any_batch" points=1 category="shapes" hidden=true
"""Any number of leading axes stays in front, and the values may have a length of their own."""
for *lead, n, d_model, d_k, d_v in (
    sorted(different_sizes(5)),
    (2, *different_sizes(5)),
    (2, 1, 2, 1, 3, 1, 2),
    (40, 20, 12, 30),
    (3, 1, 2, 3),
):
    X, W_V = rng.normal(size=(*lead, n, d_model)), random_weights(d_model, d_v)
    W_Q, W_K = random_weights(d_model, d_k), random_weights(d_model, d_k)
    wanted = [product_by_definition(X, W) for W in (W_Q, W_K, W_V)]
    parts = tools.unpack(project_qkv(X, W_Q, W_K, W_V), "Q, K, V")
    for got, right, what in zip(parts, wanted, ("the queries", "the keys", "the values")):
        tools.agree(got, right, what, "Which axes of X are the batch, which the tokens, which the features?")

# %% check="project_qkv-all_sizes_equal" points=1 category="values" hidden=true
"""Where all sizes are equal, a mistake raises no shape error: the numbers must still be right."""
n = int(rng.integers(3, 6))
X, (W_Q, W_K, W_V) = rng.normal(size=(n, n, n)), (random_weights(n, n) for _ in range(3))
wanted = [product_by_definition(X, W) for W in (W_Q, W_K, W_V)]
parts = tools.unpack(project_qkv(X, W_Q, W_K, W_V), "Q, K, V")
for got, right, what in zip(parts, wanted, ("the queries", "the keys", "the values")):
    tools.agree(got, right, what, "On which side of X do the weights go?")

# %% check="project_qkv-inputs_unchanged" points=1 category="purity" hidden=true
"""The tokens and the three matrices stay as they are, and a second call gives the same answer."""
n = 5  # of one size, any result would fit into the memory of any input
for lead in ((), (2,)):
    X, (W_Q, W_K, W_V) = rng.normal(size=(*lead, n, n)), (random_weights(n, n) for _ in range(3))
    wanted = [product_by_definition(X, W) for W in (W_Q, W_K, W_V)]
    with tools.unchanged(X=X, W_Q=W_Q, W_K=W_K, W_V=W_V):
        for turn in ("first", "second"):
            for got, right in zip(tools.unpack(project_qkv(X, W_Q, W_K, W_V), "Q, K, V"), wanted):
                tools.agree(got, right, f"the {turn} answer")

# %% [markdown]
# ### 2. Every query meets every key: `attention_scores`
#
# How well does a key fit a query? The simplest measure is the dot product: large when two vectors point
# the same way, zero when they are perpendicular, negative when they disagree. There is one score for every
# pair, so the scores form a matrix with a row for each query and a column for each key:
#
# $$S = Q K^{\mathsf T}, \qquad S_{ij} = \sum_{t} Q_{it} K_{jt}$$
#
# ```drawing
# Q[n_queries=2, d_k=3]{row 1} and K[n_keys=4, d_k=3]{row 2} give scores[n_queries=2, n_keys=4]{cell 1 2}
# ```
#
# `(..., n_queries, d_k)` and `(..., n_keys, d_k)` become `(..., n_queries, n_keys)`. In self-attention
# both come from the same tokens; in general there may be more keys than queries, or fewer.


# %% step="attention_scores" points=8
def attention_scores(Q, K):
    """The dot product of every query with every key.

    Shapes
        Q: (..., n_queries, d_k)
        K: (..., n_keys, d_k), with the same leading axes, any number of them

    Returns
        (..., n_queries, n_keys): entry (i, j) belongs to query i and key j

    Rules
        Plain dot products: not scaled, not normalised.
        The inputs stay as they are.
    """
    ### BEGIN SOLUTION
    return Q @ np.swapaxes(K, -1, -2)
    ### END SOLUTION


# %% check="attention_scores-by_hand" points=2 category="values"
"""Two queries and three keys give the six dot products that you get with a pencil."""
with tools.check("attention_scores-by_hand"):
    tools.agree(
        attention_scores(np.array([[1.0, 2.0], [3.0, -1.0]]), np.array([[1.0, 0.0], [0.0, 2.0], [2.0, 1.5]])),
        [[1.0, 4.0, 5.0], [3.0, -2.0, 4.5]],
        "the scores",
        "Entry (i, j) pairs query i with key j. Which axis do the two share?",
        show=True,
    )

# %% check="attention_scores-batch_of_two" points=2 category="shapes"
"""In a batch of two, each sequence's queries meet only that sequence's keys."""
with tools.check("attention_scores-batch_of_two"):
    tools.agree(
        attention_scores(
            np.array([[[1.0, 2.0], [3.0, -1.0]], [[0.0, 1.0], [2.0, 0.0]]]),
            np.array([[[1.0, 0.0], [0.0, 2.0], [2.0, 1.5]], [[1.0, 1.0], [3.0, 0.5], [-1.0, 2.0]]]),
        ),
        [[[1.0, 4.0, 5.0], [3.0, -2.0, 4.5]], [[1.0, 0.5, 2.0], [2.0, 6.0, -2.0]]],
        "the scores of the batch",
        "The batch is axis 0. Which two axes of K should you swap?",
    )

# %% check="attention_scores-as_many_keys_as_features" points=2 category="values" hidden=true
"""With equal numbers of queries, keys and features, the numbers must be right, not just the shape."""
for n in rng.permutation([2, 3, 4, 5])[:2]:
    Q, K = rng.normal(size=(n, n)), rng.normal(size=(n, n))
    wanted = scores_by_definition(Q, K)
    tools.agree(attention_scores(Q, K), wanted, "the scores", "Rows for queries, columns for keys?")

# %% check="attention_scores-any_batch" points=1 category="shapes" hidden=true
"""Any number of leading axes, also with sizes of 1 and equal sizes."""
n = int(rng.integers(3, 6))
for *lead, n_queries, n_keys, d_k in (
    sorted(different_sizes(4)),
    different_sizes(5),
    (n, n, n, n, n),
    (1, 3, 1, 2),
    (2, 1, 2, 1, 3, 1),
):
    Q, K = rng.normal(size=(*lead, n_queries, d_k)), rng.normal(size=(*lead, n_keys, d_k))
    wanted = scores_by_definition(Q, K)
    tools.agree(attention_scores(Q, K), wanted, "the scores", "Do you count axes from the front or from the end?")
Q, K = 250.0 * rng.integers(-16, 17, size=(20, 70)), rng.integers(-16, 17, size=(30, 70)) / 8  # exact in float32, too
wanted = scores_by_definition(Q, K)
tools.agree(attention_scores(Q, K), wanted, "the scores of many long vectors", "How many of the features do you use?")

# %% check="attention_scores-inputs_unchanged" points=1 category="purity" hidden=true
"""Queries and keys stay as they are, and a second call gives the same answer."""
for lead in ((), (3,)):
    Q, K = rng.normal(size=(2, *lead, 5, 5))  # of one size, the scores would fit into their memory
    wanted = scores_by_definition(Q, K)
    with tools.unchanged(Q=Q, K=K):
        tools.agree(attention_scores(Q, K), wanted, "the first answer")
        tools.agree(attention_scores(Q, K), wanted, "the second answer")

# %% [markdown]
# ### 3. Keeping scores in range: `scale_scores`
#
# A dot product adds up `d_k` terms. If the terms are independent, with mean 0 and variance 1, the sum has
# variance `d_k`: longer vectors give larger scores, for no better reason than their length. Large scores
# will push the next step, softmax, into a corner where one key gets everything and gradients vanish.
# Dividing by the standard deviation repairs it:
#
# $$\tilde S = \frac{S}{\sqrt{d_k}}$$
#
# The shape stays as it is. Note whose length counts: that of a query or key, the axis that was summed over. The
# number of keys and the size of the model play no part.


# %% step="scale_scores" points=5
def scale_scores(scores, d_k):
    """The scores, divided by the square root of d_k.

    Shapes
        scores: (..., n_queries, n_keys), any number of leading axes
        d_k: a whole number, 1 or more: the length of a query or key. It need not be a square number.

    Returns
        an array of the same shape as scores

    Rules
        The inputs stay as they are.
    """
    ### BEGIN SOLUTION
    return scores / np.sqrt(d_k)
    ### END SOLUTION


# %% check="scale_scores-by_hand" points=2 category="values"
"""With vectors of length 16, every score is divided by 4."""
with tools.check("scale_scores-by_hand"):
    tools.agree(
        scale_scores(np.array([[4.0, -8.0, 12.0], [16.0, 0.0, 2.0]]), 16),
        [[1.0, -2.0, 3.0], [4.0, 0.0, 0.5]],
        "the scaled scores",
        "What is the standard deviation of a sum of 16 terms of variance 1?",
        show=True,
    )

# %% check="scale_scores-batch_of_two" points=1 category="values"
"""A batch of two with vectors of length 8, whose square root is not a whole number."""
with tools.check("scale_scores-batch_of_two"):
    tools.agree(
        scale_scores(np.array([[[8.0, 4.0, -2.0], [1.0, -3.0, 6.0]], [[0.0, 1.0, 16.0], [2.0, -8.0, 4.0]]]), 8),
        [
            [[2.8284271247, 1.4142135624, -0.7071067812], [0.3535533906, -1.0606601718, 2.1213203436]],
            [[0.0, 0.3535533906, 5.6568542495], [0.7071067812, -2.8284271247, 1.4142135624]],
        ],
        "the scaled scores",
        "What is the square root of 8, to ten digits?",
    )

# %% check="scale_scores-any_length" points=1 category="values" hidden=true
"""Lengths that are not square numbers, scores with two and three axes, small and large scores."""
short, longer = rng.integers(2, 4), rng.choice([5, 6, 7, 8, 12, 20, 48, 80])
for turn, d_k in enumerate((1, int(short), int(longer), 1000)):
    scores = (3000 if turn == 2 else 3) * rng.normal(size=different_sizes(2 + turn % 2))
    wanted = scores / math.sqrt(d_k)
    tools.agree(scale_scores(scores, d_k), wanted, "the scaled scores", "Try d_k = 8 by hand. What is its square root?")

# %% check="scale_scores-inputs_unchanged" points=1 category="purity" hidden=true
"""The scores stay as they are: scaling the same scores twice gives the same answer twice."""
for shape in ((3, 5), (2, 3, 5)):
    d_k, scores = 6, 3 * rng.normal(size=shape)
    wanted = scores / math.sqrt(d_k)
    with tools.unchanged(scores=scores):
        tools.agree(scale_scores(scores, d_k), wanted, "the first answer")
        tools.agree(scale_scores(scores, d_k), wanted, "the second answer")

# %% [markdown]
# Does it work? The next cell draws random queries and keys of growing length and measures the spread of
# their scores, before and after your scaling. What do you expect the left column to do each time the length
# grows fourfold?


# %%
@tools.demo
def spread_of_scores():
    noise = np.random.default_rng(0)
    spreads = []
    for d_k in (4, 16, 64, 256):
        scores = np.asarray(attention_scores(noise.normal(size=(60, d_k)), noise.normal(size=(60, d_k))))
        spreads.append([scores.std(), np.std(scale_scores(scores, d_k))])
    print("Standard deviation of 3600 scores between random vectors")
    tools.table(spreads, ["d_k = 4", "d_k = 16", "d_k = 64", "d_k = 256"], ["raw", "scaled"])


# %% question="root_reason" kind="choice" points=0 hidden=true
"""Queries and keys have 64 independent features each, with mean 0 and variance 1. Someone divides the scores by
d_k instead of its square root. What happens to the weights of a row?

a: all of them become almost equal
b: one of them becomes almost 1
c: they stay as they were
d: they no longer sum to 1
"""
root_reason = "a"

# %% [markdown]
# ### 4. From scores to weights: `softmax`
#
# Scores can be negative or huge. For an average we want shares: none negative, and each query's shares
# adding up to 1. Softmax exponentiates, then divides by the total of the row:
#
# $$w_{ij} = \frac{e^{s_{ij}}}{\sum_{t} e^{s_{it}}}$$
#
# Only *differences* between scores matter: a key that scores 1 more than another gets $e \approx 2.718$ times its
# weight, whatever the two scores are. That is a gift. $e^{710}$ is already too large for a floating-point number,
# and $e^{-746}$ is 0, so the formula as written breaks for scores in the thousands. But adding one constant to
# all scores of a row changes nothing in the result, and you may choose the constant.
#
# A score of $-\infty$ is allowed, too: $e^{-\infty} = 0$, so that key gets no weight at all. Part two relies on
# this.
#
# `axis` is the axis along which the weights sum to 1: the last one, that of the keys, unless the caller says otherwise.


# %% step="softmax" points=12 draws="weights"
def softmax(scores, axis=-1):
    """Weights along one axis: never negative, summing to 1, in the ratio of the scores' exponentials.

    Shapes
        scores: any shape with one axis or more
        axis: the axis along which the weights sum to 1; the last one unless told otherwise,
            and it may be any axis, counted from either end

    Returns
        an array of the same shape as scores

    Rules
        The sums along the axis are 1 within 1e-9.
        Scores up to 1e4 in size, of either sign, give finite and correct weights, also when one row's
        scores are thousands away from another's, or from each other.
        A score of -inf gets a weight of exactly 0. A row of only -inf may give anything, but must
        not raise an error or disturb the other rows.
        The input stays as it is.
    """
    ### BEGIN SOLUTION
    scores = np.asarray(scores, dtype=float)
    top = scores.max(axis=axis, keepdims=True)
    top = np.where(top == -np.inf, 0.0, top)  # a row of nothing but -inf
    exponentials = np.exp(scores - top)
    total = exponentials.sum(axis=axis, keepdims=True)
    return exponentials / np.where(total == 0.0, 1.0, total)
    ### END SOLUTION


# %% check="softmax-by_hand" points=2 category="values"
"""Scores of log(1), log(2), log(1) give the weights 1/4, 2/4, 1/4."""
with tools.check("softmax-by_hand"):
    tools.agree(
        softmax(np.log([[1.0, 2.0, 1.0], [3.0, 1.0, 4.0]])),
        [[0.25, 0.5, 0.25], [0.375, 0.125, 0.5]],
        "the weights",
        "The exponential of log(2) is 2. Which total does each row have, and what did you divide by?",
        show=True,
    )

# %% check="softmax-rows_sum_to_one" points=2 category="row sums"
"""Each row of weights sums to 1, and a score that is higher by 1 gives e times the weight."""
with tools.check("softmax-rows_sum_to_one"):
    answer = softmax(np.array([[1.0, 2.0, 3.0, 4.0], [0.5, 0.5, 0.5, -0.5], [-3.0, -1.0, -2.0, -4.0]]))
    answer = tools.plain(answer, "the weights", (3, 4))
    rows_sum_to_one(answer)
    tools.agree(
        answer[0, 1:] / answer[0, :-1],
        [math.e] * 3,
        "row 0, each weight by the one before",
        "A score that is higher by 1 gives how many times the weight, and do you round?",
    )
    tools.agree(answer[1], [1 / (3 + 1 / math.e)] * 3 + [1 / (3 * math.e + 1)], "row 1, with three equal scores")
    tools.agree(answer[2, [3, 0, 2, 1]], answer[0], "row 2, which is row 0 minus 5 in another order")

# %% check="softmax-large_scores" points=2 category="overflow safety"
"""Scores around 1,000 do not overflow: they give the same weights as 0, 1, 2."""
with tools.check("softmax-large_scores"):
    tools.agree(
        softmax(np.array([[1000.0, 1001.0, 1002.0], [-1000.0, -1002.0, -1001.0]])),
        [[0.0900305732, 0.2447284711, 0.6652409558], [0.6652409558, 0.0900305732, 0.2447284711]],
        "the weights",
        "What is np.exp(1000)? Which constant could you subtract from a row without changing its weights?",
        rtol=1e-6,
    )

# %% check="softmax-over_an_axis" points=0 category="row sums"
"""Along the middle axis, the logarithms of 1, 2, 1 and of 3, 1, 4 give weights in these ratios."""
with tools.check("softmax-over_an_axis"):
    tools.agree(
        softmax(np.log([[[1.0, 3.0], [2.0, 1.0], [1.0, 4.0]]]), axis=1),
        [[[0.25, 0.375], [0.5, 0.125], [0.25, 0.5]]],
        "the weights",
        "Which axis did the caller ask for?",
    )

# %% check="softmax-thousands_apart" points=0 category="overflow safety"
"""Equal scores get equal weights in rows thousands apart; of two scores thousands apart, the larger one gets all the weight."""
with tools.check("softmax-thousands_apart"):
    tools.agree(
        softmax(np.array([[0.0, 1.0], [-3000.0, -3001.0], [4000.0, 0.0]])),
        [[0.2689414214, 0.7310585786], [0.7310585786, 0.2689414214], [1.0, 0.0]],
        "the weights",
        "Print the row with the smallest scores. What is left of it?",
        rtol=1e-6,
    )

# %% check="softmax-a_score_of_minus_infinity" points=0 category="row sums"
"""A score of -inf gets no weight, even if another row holds only -inf."""
with tools.check("softmax-a_score_of_minus_infinity"):
    tools.agree(
        softmax(np.array([[0.0, -np.inf, math.log(3.0)], [-np.inf, -np.inf, -np.inf]])),
        [[0.25, 0.0, 0.75], [0.0, 0.0, 0.0]],
        "the weights of the first row",
        "What is the exponential of -inf?",
        where=np.array([[True], [False]]),
    )

# %% check="softmax-survives_distant_rows" points=2 category="overflow safety" hidden=true
"""Rows that are thousands apart, scores that are thousands apart in one row, and -inf among them give correct weights."""
n_keys = int(rng.integers(3, 8))
far = np.array([[0.0], [2000.0], [-2000.0], [9000.0], [-9000.0], [0.0], [0.0], [0.0], [0.0]])
scores = rng.integers(-24, 25, size=(9, n_keys)) / 8 + far
scores[5, 0], scores[6, -1], scores[7, 0], scores[8, -1] = 4000.0, 4000.0, -4000.0, -4000.0
scores = scores[rng.permutation(9)]
wanted = softmax_by_definition(scores)
weights = tools.plain(softmax(scores.copy()), "the weights", scores.shape)
rows_sum_to_one(weights)
tools.agree(weights, wanted, "the weights", "Print the row with the smallest scores. What is left of it?", rtol=1e-6)
far_down_and_up = np.argsort(scores.max(axis=-1))[[0, 1, -1]]
for row, right in zip(scores[far_down_and_up, None], wanted[far_down_and_up, None]):
    tools.agree(softmax(row), right, "the weights of a single row", "Does it depend on the other rows?", rtol=1e-6)
seen = random_mask(5, n_keys)
scores = np.where(seen, rng.integers(-80, 1, size=(5, n_keys)) / 8, -np.inf)
for far in (-9990.0, 10000.0):  # whatever stands for -inf must lose against scores of -1e4, too
    wanted = softmax_by_definition(scores + far)
    weights = tools.plain(softmax(scores + far), "the weights next to -inf", scores.shape)
    tools.agree(weights, wanted, "the weights next to -inf", "What do you pass to the exponential for -inf?", rtol=1e-6)
    hidden_get_nothing(weights, seen)

# %% check="softmax-any_axis" points=2 category="row sums" hidden=true
"""The weights sum to 1 along the given axis, in arrays with one to four axes."""
a, b, c, n = different_sizes(4)
for shape, axes in (((a,), (0,)), ((a, b), (-2,)), ((a, b, 1), (0,)), ((n, n, n), (1, -3)), ((a, 1, b, c), (1, 2))):
    scores = 2 * rng.normal(size=shape)
    for axis in axes:
        wanted = softmax_by_definition(scores, axis)
        weights = tools.plain(softmax(scores.copy(), axis=axis), "the weights", shape)
        rows_sum_to_one(weights, axis=axis)
        tools.agree(weights, wanted, "the weights", "Which axis did the caller ask for?")
tools.agree(softmax(scores.copy()), softmax_by_definition(scores), "the weights along the last axis")

# %% check="softmax-minus_infinity" points=1 category="row sums" hidden=true
"""A score of -inf gets exactly 0, the rest of its row still sums to 1, and other rows do not change."""
n, n_keys = 5, int(rng.integers(3, 8))
scores, seen = 2 * rng.normal(size=(n, n_keys)), random_mask(n, n_keys)
seen[0, :3], scores[0, 1:3] = (False, True, True), (0.7, -0.4)  # two that share
scores[~seen] = -np.inf
for nobody in (False, True):
    if nobody:
        seen[2], scores[2] = False, -np.inf
    rows, wanted = seen.any(axis=-1), softmax_by_definition(scores)
    weights = softmax(scores.copy())
    tools.agree(weights, wanted, "the weights", "What is the exponential of -inf?", where=rows[:, None])
    rows_sum_to_one(weights, where=rows)
    hidden_get_nothing(weights, seen)
softmax(np.full((2, n_keys), -np.inf))  # may give anything, but no error
scores = np.where(seen, rng.integers(-80, 1, size=(n, n_keys)) / 8, -np.inf)
scores[seen[:, 1], 1], scores[0, 2] = -9.0, -1.0  # the largest of one row is not that of another
scores = np.stack([scores[rows].T, scores[rows].T - 5.0])
wanted = softmax_by_definition(scores, 1)
tools.agree(softmax(scores, 1), wanted, "the weights along the axis in the middle", "Along which axis do you look for -inf?")

# %% check="softmax-inputs_unchanged" points=1 category="purity" hidden=true
"""The scores stay as they are, and a second call gives the same answer."""
for count in (2, 3):
    scores = 2 * rng.normal(size=different_sizes(count))
    scores[..., 0, 0] = 20.0
    wanted = softmax_by_definition(scores)
    with tools.unchanged(scores=scores):
        tools.agree(softmax(scores), wanted, "the first answer")
        tools.agree(softmax(scores), wanted, "the second answer")

scores = np.where(np.arange(scores.shape[-1]) == 1, -np.inf, scores)
with tools.unchanged(scores=scores):
    softmax(scores)  # what it makes of -inf is graded above

# %% [markdown]
# ### 5. The weighted average: `weighted_sum`
#
# Now the values are used. Query $i$ receives a blend of all values, and the weights say how much of each:
#
# $$o_i = \sum_j w_{ij} V_j, \qquad \text{in one go: } O = W V$$
#
# Weights `(..., n_queries, n_keys)` and values `(..., n_keys, d_v)` give `(..., n_queries, d_v)`: one row
# for each query, as long as a value. Because the weights of a row are shares, each feature of the result
# is between the smallest and the largest value of that feature.


# %% step="weighted_sum" points=5
def weighted_sum(weights, V):
    """For every query, the average of the values, weighted by that query's weights.

    Shapes
        weights: (..., n_queries, n_keys); each row sums to 1
        V: (..., n_keys, d_v), with the same leading axes, any number of them

    Returns
        (..., n_queries, d_v): row i is the sum over j of weights[i, j] times value j

    Rules
        A query that may see no key can come with a row of zeros: its output may be anything, but must not
        raise an error or disturb the others.
        The inputs stay as they are.
    """
    ### BEGIN SOLUTION
    return weights @ V
    ### END SOLUTION


# %% check="weighted_sum-by_hand" points=2 category="values"
"""Half of value 0 and half of value 1; a quarter of value 1 and three quarters of value 2."""
with tools.check("weighted_sum-by_hand"):
    tools.agree(
        weighted_sum(np.array([[0.5, 0.5, 0.0], [0.0, 0.25, 0.75]]), np.array([[2.0, 4.0], [6.0, 0.0], [-2.0, 8.0]])),
        [[4.0, 2.0], [0.0, 6.0]],
        "the outputs",
        "Each row has one weight for each value. Over which axis do you sum?",
        show=True,
    )

# %% check="weighted_sum-batch_of_two" points=1 category="shapes"
"""In a batch of two, each sequence blends its own values, here of length 3."""
with tools.check("weighted_sum-batch_of_two"):
    tools.agree(
        weighted_sum(
            np.array([[[0.5, 0.5], [1.0, 0.0]], [[0.25, 0.75], [0.0, 1.0]]]),
            np.array([[[2.0, 4.0, 0.0], [6.0, 0.0, 1.0]], [[8.0, 0.0, 4.0], [0.0, 4.0, -4.0]]]),
        ),
        [[[4.0, 2.0, 0.5], [2.0, 4.0, 0.0]], [[2.0, 3.0, -2.0], [0.0, 4.0, -4.0]]],
        "the outputs of the batch",
        "Which values belong to the second sequence?",
    )

# %% check="weighted_sum-no_key_for_a_query" points=0 category="edge cases"
"""A row of zeros, for a query that sees no key, does not affect the other query."""
with tools.check("weighted_sum-no_key_for_a_query"):
    tools.agree(
        weighted_sum(np.array([[0.0, 0.0], [0.25, 0.75]]), np.array([[8.0, 0.0], [0.0, 4.0]])),
        [[0.0, 0.0], [2.0, 3.0]],
        "the second output",
        "What does a row of zeros do to the other rows?",
        where=np.array([[False], [True]]),
    )

# %% check="weighted_sum-any_batch" points=1 category="shapes" hidden=true repeat=false
"""Any number of leading axes, values of their own length, sizes of 1, equal sizes; a query that sees no key."""
n = int(rng.integers(3, 6))
for *lead, n_queries, n_keys, d_v in (
    sorted(different_sizes(4), reverse=True),
    different_sizes(5),
    (n, n, n, n, n),
    (1, 2, 3, 1),
    (2, 1, 2, 1, 1, 3),
    (20, 150, 30),
):
    weights = rng.dirichlet(np.ones(n_keys), size=(*lead, n_queries))
    V = rng.normal(size=(*lead, n_keys, d_v))
    wanted = product_by_definition(weights, V)
    tools.agree(weighted_sum(weights, V), wanted, "the outputs", "One row for each query, as long as a value?")

weights, V = np.eye(n)[rng.permutation(n)] / 2 + 0.5 / n, 250.0 * n * rng.integers(-16, 17, size=(n, 2))
wanted = product_by_definition(weights, V)
tools.agree(weighted_sum(weights, V), wanted, "the outputs of large values", "Does your function limit how large a value may be?", rtol=1e-6, atol=0.01)

weights, V = rng.dirichlet(np.ones(n), size=(2, n)), rng.normal(size=(2, n, n))
sees_some = (np.arange(n) != rng.integers(n))[:, None]
weights[1] *= sees_some
wanted = product_by_definition(weights, V)
tools.agree(weighted_sum(weights, V), wanted, "the other outputs", "What does a row of zeros do to them?", where=sees_some)

# %% check="weighted_sum-square_and_unchanged" points=1 category="purity" hidden=true
"""With all sizes equal the numbers are right, the inputs stay as they are, and a second call agrees."""
n = int(rng.integers(3, 6))
for lead in ((), (2,)):
    weights, V = rng.dirichlet(np.ones(n), size=(*lead, n)), rng.normal(size=(*lead, n, n))
    wanted = product_by_definition(weights, V)
    with tools.unchanged(weights=weights, V=V):
        tools.agree(weighted_sum(weights, V), wanted, "the outputs", "Which of the two is on the left?")
        tools.agree(weighted_sum(weights, V), wanted, "the second answer")

weights = weights * (np.arange(n) > 0)[:, None]
with tools.unchanged(weights=weights, V=V):
    weighted_sum(weights, V)  # what it makes of a row of zeros is graded above

# %% [markdown]
# ### Look back: one pass through five steps
#
# Four tokens with eight random features each, and three random 8-by-8 projections, always the same ones. Your
# five functions turn them into an output. Follow one row through the tables: token 0's query fits its own key
# best (48.36 against 16.17 for the next one). Scaling by $\sqrt 8 \approx 2.83$ brings that to 17.10 against
# 5.72, and softmax still gives token 0 practically everything. Token 3 is the odd one: it pays hardly any
# attention to itself and takes 0.993 of its output from token 2, so outputs 2 and 3 are almost the same.
#
# Random projections with scores this large saturate softmax even *after* scaling. Trained models, and
# careful initialisation, keep them smaller.


# %%
@tools.demo
def four_random_tokens():
    X, W_Q, W_K, W_V = four_tokens()
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    scores = attention_scores(Q, K)
    scaled = scale_scores(scores, 8)
    weights = softmax(scaled)
    tokens, features = [f"token {i}" for i in range(4)], [f"f{j}" for j in range(8)]
    for title, numbers, columns, decimals in (
        ("X, four tokens", X, features, 2),
        ("Scores, Q times K transposed", scores, tokens, 2),
        ("Scaled scores", scaled, tokens, 2),
        ("Weights", weights, tokens, 3),
        ("Output", weighted_sum(weights, V), features, 2),
    ):
        print(title)
        tools.table(numbers, tokens, columns, decimals)


# %% [markdown]
# ### Look back: who is "it"?
#
# "The cat sat on the mat because it was soft." What does *it* refer to? Below is a row of weights that a good model
# might give to the word "it". **Somebody made these numbers up** to show the idea; at the end of this notebook a
# trained model will compute such a row with your functions. They do sum to 1, as weights must. Given any such row,
# your `weighted_sum` can answer questions: with a value of 1 for nouns and 0 for all other words, the output is the
# share of attention that goes to nouns.


# %%
@tools.demo
def what_it_refers_to():
    words = "The cat sat on the mat because it was soft".split()
    weights = np.array([[0.02, 0.08, 0.03, 0.01, 0.01, 0.72, 0.03, 0.05, 0.03, 0.02]])
    is_noun = np.array([[float(word in ("cat", "mat"))] for word in words])
    nouns = float(np.squeeze(weighted_sum(weights, is_noun)))
    draw_weights(weights, ["it"], words, "An invented row of weights for the word 'it'")
    print(f"  the row sums to {weights.sum():.2f}; nouns get {nouns:.2f} of it")


# %% [markdown]
# ## Part two: which tokens may see which
#
# So far every query sees every key. In two situations that must not happen. A model that writes text from left to
# right must not peek at words it has yet to write. And when sentences of different lengths share one array, the
# short ones are padded with meaningless tokens. Both are solved by a **mask**: an array of booleans, `True` where
# a query may look at a key.
#
# ### 6. No peeking: `causal_mask`
#
# Token $i$ may look at itself and at everything before it:
#
# $$M_{ij} = (\,j \le i\,) \qquad \text{for as many queries as keys}$$
#
# A model that generates text keeps the keys of the past and asks only with its newest tokens. Then there are
# fewer queries than keys, and the queries are the *last* `n_queries` of the `n_keys` positions. Query $i$ is at
# position $i + n_\text{keys} - n_\text{queries}$, so
#
# $$M_{ij} = (\,j \le i + n_\text{keys} - n_\text{queries}\,)$$
#
# The last query always sees every key: the mask is aligned at its bottom-right corner.


# %% step="causal_mask" points=8 draws="mask"
def causal_mask(n_queries, n_keys=None):
    """Which keys each query may look at when no query may look ahead.

    Arguments
        n_queries: whole number, 1 or more
        n_keys: whole number, n_queries or more; the same as n_queries if it is not given

    Returns
        bool (n_queries, n_keys): True where the query may look. (1 and 0 count as True and False.)

    Rules
        The queries are the last n_queries of n_keys positions: the last query sees every key, the one
        before it all but the last key, and so on. Every query sees its own position.
    """
    ### BEGIN SOLUTION
    if n_keys is None:
        n_keys = n_queries
    return np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool)
    ### END SOLUTION


# %% check="causal_mask-by_hand" points=2 category="mask correctness"
"""Of three tokens the first sees one, the second two, the third all three."""
with tools.check("causal_mask-by_hand"):
    agree_mask(
        causal_mask(3),
        [[True, False, False], [True, True, False], [True, True, True]],
        "the mask",
        "Which keys may query 0 look at?",
        show=True,
    )

# %% check="causal_mask-new_tokens" points=2 category="mask correctness"
"""Two new tokens after three old ones: the last sees all five, the one before it four."""
with tools.check("causal_mask-new_tokens"):
    agree_mask(
        causal_mask(2, 5),
        [[True, True, True, True, False], [True, True, True, True, True]],
        "the mask",
        "Which of the five positions does query 0 have?",
    )

# %% check="causal_mask-squares" points=2 category="edge cases" hidden=true
"""Without n_keys there are as many keys as queries, from one upwards."""
for n in (70, 1, *(int(n) for n in rng.permutation(np.arange(2, 10))[:2])):
    wanted = causal_mask_by_definition(n, n)
    agree_mask(causal_mask(n), wanted, "the mask", "Does every query see itself?")

# %% check="causal_mask-more_keys_than_queries" points=2 category="shapes" hidden=true
"""One row for each query, one column for each key, aligned at the bottom right, also with equal numbers."""
few, more = int(rng.integers(2, 4)), int(rng.integers(4, 7))
for n_queries, further in ((3, 2), (1, 1), (1, more), (few, more + 1), (3, 600), (1, 5000), (40, 5), (more, 0)):
    wanted = causal_mask_by_definition(n_queries, n_queries + further)
    agree_mask(causal_mask(n_queries, n_queries + further), wanted, "the mask", "Does the last query see every key, and the one before it?")

# %% [markdown]
# ### 7. Padding means nothing: `padding_mask`
#
# Three sentences of 2, 4 and 1 tokens travel in one array with room for 5. For each sentence, the first `length`
# keys are real and the rest are padding:
#
# $$M_{b,1,j} = (\,j < \text{length}_b\,)$$
#
# The shape is `(batch, 1, n_keys)`. The 1 in the middle is the axis of the queries: every query of a sentence has
# the same real keys, and broadcasting expands that 1 to any number of queries. What happens to queries that are
# padding themselves? They look at the real keys like all other queries, and nobody reads their output.


# %% step="padding_mask" points=8 draws="mask"
def padding_mask(lengths, n_keys):
    """Which keys are real tokens, for every sequence of a batch.

    Arguments
        lengths: whole numbers, shape (batch,), in any order, each from 1 to n_keys
        n_keys: the number of keys with the padding; it may be more than the longest length

    Returns
        bool (batch, 1, n_keys): True for the first lengths[b] keys of sequence b, False for the rest.
        (1 and 0 count as True and False.)

    Rules
        The input stays as it is.
    """
    ### BEGIN SOLUTION
    return np.arange(n_keys) < np.reshape(lengths, (-1, 1, 1))
    ### END SOLUTION


# %% check="padding_mask-by_hand" points=2 category="mask correctness"
"""Sequences of 2, 4 and 1 tokens in an array with room for 5."""
with tools.check("padding_mask-by_hand"):
    agree_mask(
        padding_mask(np.array([2, 4, 1]), 5),
        [[[True, True, False, False, False]], [[True, True, True, True, False]], [[True, False, False, False, False]]],
        "the mask",
        "With length 2, which column numbers are real tokens?",
        show=True,
    )

# %% check="padding_mask-any_lengths" points=2 category="mask correctness" hidden=true
"""Random lengths, among them a sequence without padding and one with a single token."""
for batch, n_keys in (different_sizes(2), (4, 4), (6, 40), (6, 40), (2, 300), (3, 1)):
    lengths = rng.integers(1, n_keys + 1, size=batch)
    lengths[rng.permutation(batch)[:2]] = n_keys, 1
    wanted = padding_mask_by_definition(lengths, n_keys)
    agree_mask(padding_mask(lengths, n_keys), wanted, "the mask", "How many True does the row of a sequence have?")

# %% check="padding_mask-room_for_queries" points=2 category="shapes" hidden=true
"""The shape is (batch, 1, n_keys), also for a batch of one, and with more room than any sequence needs."""
for batch, n_keys in ((1, int(rng.integers(2, 8))), different_sizes(2), (5, 5)):
    lengths = rng.integers(1, n_keys, size=batch)
    wanted = padding_mask_by_definition(lengths, n_keys)
    agree_mask(padding_mask(lengths, n_keys), wanted, "the mask", "Where is the axis of the queries?")

# %% check="padding_mask-inputs_unchanged" points=2 category="purity" hidden=true
"""The lengths keep their values and their order, and a second call gives the same answer."""
n_keys = int(rng.integers(9, 13))
lengths = np.array([2, n_keys, 1])  # in no order: sorting them would change them
wanted = padding_mask_by_definition(lengths, n_keys)
with tools.unchanged(lengths=lengths):
    agree_mask(padding_mask(lengths, n_keys), wanted, "the first answer")
    agree_mask(padding_mask(lengths, n_keys), wanted, "the second answer")

# %% [markdown]
# Your two masks, and both at once. A query may look at a key if the causal mask *and* the padding mask
# allow it. Read the picture row by row: which query is this, and which keys may it see?


# %%
@tools.demo
def two_masks():
    words = ["The", "cat", "sat", "(pad)"]
    causal = np.asarray(causal_mask(4), dtype=bool)
    padding = np.asarray(padding_mask(np.array([3]), 4), dtype=bool)[0]
    padding = np.broadcast_to(padding, (4, 4))
    draw_masks({"Causal mask": causal, "Padding mask of a sequence of 3": padding, "Both": causal & padding}, words)


# %% [markdown]
# ### 8. Putting the mask on: `apply_mask`
#
# Where do you apply the mask? *Before* softmax, to the scores. A hidden key gets the score $-\infty$, its exponential is
# 0, and the remaining weights still sum to 1, as if the hidden key had never been there:
#
# $$\hat S_{ij} = \begin{cases} S_{ij} & \text{if } M_{ij} \\ -\infty & \text{otherwise} \end{cases}$$
#
# For every entry this is a choice between two values, not arithmetic with them. Whatever is under the mask must
# not matter at all, not even if it is NaN, and NaN survives every sum and every product.


# %% step="apply_mask" points=7
def apply_mask(scores, mask):
    """The scores, with -inf wherever the mask is False.

    Shapes
        scores: (..., n_queries, n_keys), any number of leading axes
        mask: bool, True = may attend; any shape that broadcasts to the shape of scores, such as
            (n_queries, n_keys) or (batch, 1, n_keys)

    Returns
        an array of the same shape as scores

    Rules
        Exactly -inf where the mask is False, whatever was there: NaN and inf disappear, too.
        The score itself where the mask is True.
        A query may have no allowed key: then its whole row is -inf.
        The inputs stay as they are.
    """
    ### BEGIN SOLUTION
    return np.where(mask, scores, -np.inf)
    ### END SOLUTION


# %% check="apply_mask-by_hand" points=2 category="mask correctness"
"""Two hidden scores become -inf; the other four stay."""
with tools.check("apply_mask-by_hand"):
    tools.agree(
        apply_mask(
            np.array([[1.0, 2.5, -3.0], [0.5, 4.0, 7.0]]),
            np.array([[True, False, True], [False, True, True]]),
        ),
        [[1.0, -np.inf, -3.0], [-np.inf, 4.0, 7.0]],
        "the masked scores",
        "Which score has the exponential 0?",
        show=True,
    )

# %% check="apply_mask-batch_of_two" points=1 category="shapes"
"""One row of a mask for each sequence of a batch hides the same keys from all of its queries, whatever their scores."""
with tools.check("apply_mask-batch_of_two"):
    tools.agree(
        apply_mask(
            np.array([[[1.0, 2.0, 3.0], [4.0, np.nan, 6.0]], [[-1.0, -2.0, np.inf], [0.5, 0.0, 7.0]]]),
            np.array([[[True, False, True]], [[True, True, False]]]),
        ),
        [[[1.0, -np.inf, 3.0], [4.0, -np.inf, 6.0]], [[-1.0, -2.0, -np.inf], [0.5, 0.0, -np.inf]]],
        "the masked scores of the batch",
        "The mask has the shape (2, 1, 3). Which of its axes is broadcast?",
    )

# %% check="apply_mask-one_for_all" points=0 category="shapes"
"""One mask of queries and keys holds for both sequences of a batch."""
with tools.check("apply_mask-one_for_all"):
    tools.agree(
        apply_mask(
            np.array([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]), np.array([[True, False], [True, True]])
        ),
        [[[1.0, -np.inf], [3.0, 4.0]], [[5.0, -np.inf], [7.0, 8.0]]],
        "the masked scores of the batch",
        "Broadcast the mask by hand: which scores does it hide?",
    )

# %% check="apply_mask-no_key_for_a_query" points=0 category="edge cases"
"""A query that sees no key gets a row of -inf."""
with tools.check("apply_mask-no_key_for_a_query"):
    tools.agree(
        apply_mask(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[False, False], [True, True]])),
        [[-np.inf, -np.inf], [3.0, 4.0]],
        "the masked scores",
        "What happens to a row without an allowed key?",
    )

# %% check="apply_mask-broadcasts" points=1 category="shapes" hidden=true
"""One mask for all sequences, one for all queries, one for all heads: each is broadcast to the scores."""
b, h, n, m = different_sizes(4)
for shape, mask_shape in (
    ((b, n, m), (b, n, m)),
    ((b, h, n, m), (b, 1, 1, m)),
    ((b, n, m), (1, n, m)),
    ((1, n, m), (n, m)),
    ((n, n, n), (n, n)),
    ((n, n), (n,)),
    ((b, h, n, m), (h, 1, m)),
    ((n, m), (m,)),
    ((n, m), (1, m)),
    ((n, m), (n, 1)),
    ((b, n, m), (b, n, 1)),
    ((b, n, m), (b, 1, 1)),
    ((n, m), ()),
):
    draw = mask_for_all_keys if mask_shape[-1:] in ((), (1,)) else random_mask
    scores, mask = 2 * rng.normal(size=shape), draw(*mask_shape)
    if mask_shape == (n, n):
        mask[0, 1], mask[1, 0] = False, True
    wanted = masked_by_definition(scores, mask)
    tools.agree(apply_mask(scores, mask), wanted, "the masked scores", "Broadcast the mask by hand: which scores does it hide, and what does each become?")

# %% check="apply_mask-nan_disappears" points=2 category="edge cases" hidden=true repeat=false
"""NaN, inf and huge numbers under the mask leave no trace, and allowed ones stay; all keys of a query may be hidden."""
n = int(rng.integers(4, 8))
mask = causal_mask_by_definition(n, n)
mask[int(rng.integers(n))] = False
for under in (np.nan, np.inf, -np.inf, -1e12):
    clean = 2 * rng.normal(size=(n, n))
    scores = clean.copy()
    scores[~mask] = under
    wanted = masked_by_definition(clean, mask)
    tools.agree(apply_mask(scores, mask.copy()), wanted, "the masked scores", "What is NaN plus anything? And 0 times inf?")

scores, mask = 2 * rng.normal(size=(n, n)), random_mask(n, n)
mask[1, :3], scores[1, :3] = (True, True, False), (-np.inf, np.inf, 1.0)
mask[2, :2], scores[2, :2] = (True, False), np.nan
mask[3, :2], scores[3, :2] = (True, False), -1e12
wanted = masked_by_definition(scores, mask)
tools.agree(apply_mask(scores, mask), wanted, "the masked scores", "What happens to an allowed NaN, -inf or inf?")

# %% check="apply_mask-inputs_unchanged" points=1 category="purity" hidden=true
"""Scores and mask stay as they are, and a second call gives the same answer."""
for lead in ((), (2,)):
    scores, mask = 2 * rng.normal(size=(*lead, 3, 5)), random_mask(3, 5)
    mask[:2, :2] = [[False, True], [True, False]]
    wanted = masked_by_definition(scores, mask)
    with tools.unchanged(scores=scores, mask=mask):
        tools.agree(apply_mask(scores, mask), wanted, "the first answer")
        tools.agree(apply_mask(scores, mask), wanted, "the second answer")

scores, mask = np.where(mask, scores, np.nan), mask & (np.arange(3) < 2)[:, None]
with tools.unchanged(scores=scores, mask=mask):
    apply_mask(scores, mask)  # what it makes of them is graded above

# %% question="zero_for_hidden" kind="number" points=0 hidden=true tolerance=0.01
"""One query has the scores -1, -1, 0 and 0, and the last two keys should be hidden. Someone gives hidden keys the
score 0 instead of minus infinity. Which share of the attention do the two hidden keys get together? Two digits are
enough.
"""
zero_for_hidden = 1 / (1 + math.exp(-1))

# %% [markdown]
# ### Look back: a decoder reads five tokens
#
# `<BOS> I like transformers <EOS>`, five tokens of 16 random features, go through two heads of length 8,
# each with projections of its own. Everything is drawn from Python's own generator with seed 42, and every
# stage below is one of your functions: scores, scaled, masked, weights, output.
#
# The first row is no surprise: `<BOS>` sees only itself and must give itself everything. Look closely at the
# other rows. The weights are almost uniform: one half each, one third each, one quarter each. The mask made that
# pattern, not the words. The numbers were drawn with a spread of 0.1, so no scaled score is larger than 0.008,
# and all exponentials are nearly 1. An untrained model attends to everything equally.


# %%
def five_tokens():
    """X (5, 16), and W_Q, W_K, W_V of two heads, each (2, 16, 8): the same numbers on every computer."""
    import random

    draw = random.Random(42)

    def matrix(rows, columns):
        return [[draw.gauss(0, 0.1) for _ in range(columns)] for _ in range(rows)]

    vocabulary, positions = np.array(matrix(6, 16)), np.array(matrix(5, 16))
    X = vocabulary[[1, 3, 4, 5, 2]] + positions
    return (X, *(np.array([matrix(16, 8) for _ in range(2)]) for _ in range(3)))


@tools.demo
def a_decoder_reads():
    names, features = ["<BOS>", "I", "like", "transformers", "<EOS>"], [f"f{j}" for j in range(8)]
    X, W_Q, W_K, W_V = five_tokens()
    for head in range(2):
        Q, K, V = project_qkv(X, W_Q[head], W_K[head], W_V[head])
        scores = attention_scores(Q, K)
        scaled = scale_scores(scores, 8)
        masked = apply_mask(scaled, causal_mask(5))
        weights = softmax(masked)
        if head == 0:
            for title, stage in (("scores", scores), ("scaled scores", scaled), ("masked scores", masked)):
                print(f"Head {head}: {title}")
                tools.table(stage, names, names, 4)
        print(f"Head {head}: weights")
        tools.table(weights, names, names, 4)
        print(f"Head {head}: output")
        tools.table(weighted_sum(weights, V), names, features, 4)
        tools.heatmap(np.asarray(weights), names, names, f"Head {head}: weights", np.char.mod("%.2f", weights), **AXES)


# %% [markdown]
# ## Part three: attention
#
# ### 9. All together: `scaled_dot_product_attention`
#
# From here on, **call the functions you have written**. Do not write them again: attention is the
# composition of your steps 2, 3, 8, 4 and 5, in this order, and the mask step is left out when there is no mask.
#
# $$\operatorname{Attention}(Q, K, V) = \operatorname{softmax}\!\left(\frac{Q K^{\mathsf T}}{\sqrt{d_k}}\right) V$$
#
# | array | shape |
# |---|---|
# | `Q` | `(..., n_queries, d_k)` |
# | `K` | `(..., n_keys, d_k)` |
# | `V` | `(..., n_keys, d_v)` |
# | `mask` | anything that broadcasts to `(..., n_queries, n_keys)`, or `None` |
# | output | `(..., n_queries, d_v)` |
# | weights | `(..., n_queries, n_keys)` |
#
# The function returns the weights as well as the output, because they are what we like to look at.


# %% step="scaled_dot_product_attention" points=12 draws="weights"
def scaled_dot_product_attention(Q, K, V, mask=None):
    """The weighted average of the values for every query, and its weights.

    Shapes
        Q: (..., n_queries, d_k)
        K: (..., n_keys, d_k)
        V: (..., n_keys, d_v), where d_v may differ from d_k; the same leading axes everywhere
        mask: None, or bool, True = may attend, of any shape that broadcasts to (..., n_queries, n_keys)

    Returns
        (output, weights): a tuple of arrays of shapes (..., n_queries, d_v) and (..., n_queries, n_keys)

    Rules
        Scores are scaled by the length d_k. Each row of weights sums to 1 within 1e-9.
        Scores up to 1e4 in size, of either sign, overflow nothing.
        A hidden key has a weight of exactly 0, also when its score is thousands above the others or theirs
        are near -1e4. The weights of the allowed keys sum to 1, and the output is made with these weights.
        A query with no allowed key may get anything, but must not raise an error or disturb the others.
        The inputs stay as they are, and no call remembers an earlier one.
    """
    ### BEGIN SOLUTION
    scores = scale_scores(attention_scores(Q, K), np.shape(Q)[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights
    ### END SOLUTION


# %% check="scaled_dot_product_attention-by_hand" points=2 category="values"
"""Two queries, three keys of length 4: the scaled scores are logarithms, so the weights are simple fractions."""
with tools.check("scaled_dot_product_attention-by_hand"):
    answer = tools.unpack(
        scaled_dot_product_attention(
            np.array([[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0]]),
            np.array([[np.log(2.0), 0.0, 0.0, 0.0], [0.0, np.log(3.0), 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]),
            np.array([[60.0, 0.0], [0.0, 40.0], [30.0, 60.0]]),
        ),
        "output, weights",
    )
    tools.agree(answer[1], [[0.5, 0.25, 0.25], [0.2, 0.6, 0.2]], "the weights", "Which scaled scores do you get?", show=True, **COMPOSED)
    tools.agree(answer[0], [[37.5, 25.0], [18.0, 36.0]], "the output", "Which rows of V does it average?", show=True, **COMPOSED)

# %% check="scaled_dot_product_attention-with_mask" points=2 category="mask correctness"
"""The same with one key hidden from each query: the weights of the other two sum to 1."""
with tools.check("scaled_dot_product_attention-with_mask"):
    allowed = np.array([[True, False, True], [True, True, False]])
    answer = tools.unpack(
        scaled_dot_product_attention(
            np.array([[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0]]),
            np.array([[np.log(2.0), 0.0, 0.0, 0.0], [0.0, np.log(3.0), 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]),
            np.array([[60.0, 0.0], [0.0, 40.0], [30.0, 60.0]]),
            allowed.copy(),
        ),
        "output, weights",
    )
    tools.agree(answer[1], [[2 / 3, 0.0, 1 / 3], [0.25, 0.75, 0.0]], "the weights", "After which step do you apply the mask?", **COMPOSED)
    hidden_get_nothing(answer[1], allowed)
    tools.agree(answer[0], [[50.0, 20.0], [15.0, 30.0]], "the output", "Do you compute it with the masked weights?", **COMPOSED)

# %% check="scaled_dot_product_attention-batch_of_two" points=0 category="shapes"
"""In a batch of two, each sequence has queries, keys and values of its own."""
with tools.check("scaled_dot_product_attention-batch_of_two"):
    answer = tools.unpack(
        scaled_dot_product_attention(
            np.array([[[1.0]], [[0.0]]]),
            np.array([[[math.log(3.0)], [0.0]], [[5.0], [7.0]]]),
            np.array([[[8.0], [4.0]], [[2.0], [6.0]]]),
        ),
        "output, weights",
    )
    tools.agree(answer[1], [[[0.75, 0.25]], [[0.5, 0.5]]], "the weights", "Do you count axes from the front or from the end?", **COMPOSED)
    tools.agree(answer[0], [[[7.0]], [[4.0]]], "the output", "Which values belong to the second sequence?", **COMPOSED)

# %% check="scaled_dot_product_attention-thousands" points=0 category="overflow safety"
"""Scores of 9,000 and of -9,000 give one key all the weight; a query with small scores still gets quarters."""
with tools.check("scaled_dot_product_attention-thousands"):
    answer = tools.unpack(
        scaled_dot_product_attention(
            np.array([[9000.0], [-9000.0], [math.log(3.0)]]), np.array([[1.0], [0.0]]), np.array([[8.0], [4.0]])
        ),
        "output, weights",
    )
    tools.agree(answer[1], [[1.0, 0.0], [0.0, 1.0], [0.75, 0.25]], "the weights", "Which of your steps gets 9,000, and what does it return for it?", **COMPOSED)

# %% check="scaled_dot_product_attention-a_hidden_winner" points=0 category="mask correctness"
"""A hidden key gets no weight, even if its score is 9,000 above the others."""
with tools.check("scaled_dot_product_attention-a_hidden_winner"):
    answer = tools.unpack(
        scaled_dot_product_attention(
            np.array([[1.0]]),
            np.array([[0.0], [-9000.0], [math.log(3.0) - 9000.0]]),
            np.array([[1.0], [8.0], [4.0]]),
            np.array([[False, True, True]]),
        ),
        "output, weights",
    )
    tools.agree(answer[1], [[0.0, 0.25, 0.75]], "the weights", "What does a hidden score become, and is that below -9,000?", **COMPOSED)

# %% check="scaled_dot_product_attention-no_key_for_a_query" points=0 category="edge cases"
"""A query that sees no key does not affect the other query."""
with tools.check("scaled_dot_product_attention-no_key_for_a_query"):
    answer = tools.unpack(
        scaled_dot_product_attention(
            np.array([[1.0], [1.0]]),
            np.array([[math.log(3.0)], [0.0]]),
            np.array([[8.0], [4.0]]),
            np.array([[False, False], [True, True]]),
        ),
        "output, weights",
    )
    tools.agree(answer[0], [[0.0], [7.0]], "the second output", "What does a row in which every score is -inf do to the other rows?", where=np.array([[False], [True]]), **COMPOSED)

# %% check="scaled_dot_product_attention-rows_sum_to_one" points=2 category="row sums" hidden=true
"""The weights of every query are right and sum to exactly 1, whatever the five sizes are."""
n = int(rng.integers(3, 6))
for n_queries, n_keys, d_k, d_v in ((12, 70, 40, 20), sorted(different_sizes(4)), (n, n, n, n)):
    Q, K = 1.3 * rng.normal(size=(n_queries, d_k)), rng.normal(size=(n_keys, d_k))
    V = rng.normal(size=(n_keys, d_v))
    wanted = attention_by_definition(Q, K, V)
    attention_agrees(scaled_dot_product_attention(Q, K, V), wanted)

# %% check="scaled_dot_product_attention-large_scores" points=2 category="overflow safety" hidden=true
"""Queries with scores in the thousands, together with queries with small scores."""
n_keys, d_v = map(int, rng.permutation([3, 5, 6])[:2])
K = rng.integers(-3, 4, size=(n_keys, 4)).astype(float)
K[[0, -1]] = (3.0, 2.0, -3.0, 1.0), (3.0, 2.0, -3.0, 0.0)
V = rng.integers(-16, 17, size=(n_keys, d_v)) / 8
Q = np.array([[1.0], [300.0], [-200.0], [0.125]]) * K[[0, 0, 0, -1]]
Q[1:] = Q[1 + rng.permutation(3)]  # the first query looks at the first key, and at the last
wanted = attention_by_definition(Q, K, V)
attention_agrees(scaled_dot_product_attention(Q, K, V), wanted)

# %% check="scaled_dot_product_attention-any_batch" points=1 category="shapes" hidden=true
"""Any number of leading axes, a batch of one, and all sizes equal."""
n = int(rng.integers(3, 5))
for *lead, n_queries, n_keys, d_k, d_v in (
    sorted(different_sizes(5)),
    (2, *different_sizes(5)),
    (n,) * 6,
    (2, 1, 2, 1, 1, 1, 2),
):
    Q, K = 1.3 * rng.normal(size=(*lead, n_queries, d_k)), rng.normal(size=(*lead, n_keys, d_k))
    V = rng.normal(size=(*lead, n_keys, d_v))
    wanted = attention_by_definition(Q, K, V)
    attention_agrees(scaled_dot_product_attention(Q, K, V), wanted)

# %% check="scaled_dot_product_attention-hidden_keys" points=2 category="mask correctness" hidden=true repeat=false
"""Masks of every shape, a hidden key with the highest score, allowed keys with very low scores, and a query with no key."""
b, n, m, d_k, d_v = sorted(different_sizes(5))  # small ones first: they are multiplied
for lead, shape in (
    ((b,), (b, 1, m)),
    ((b,), (b, n, m)),
    ((b, n), (b, n, 1, m)),
    ((b, n), (b, 1, n, m)),
    ((b,), (1, n, m)),
    ((b, n), (n, 1, m)),
    ((), (1, m)),
    ((), (m,)),
    ((b,), (n, 1)),
    ((b,), (b, n, 1)),
    ((), ()),
):
    Q, K, V = (rng.normal(size=(*lead, *size)) for size in ((n, d_k), (m, d_k), (m, d_v)))
    mask = (mask_for_all_keys if shape[-1:] in ((), (1,)) else random_mask)(*shape)
    wanted = attention_by_definition(Q, K, V, mask)
    attention_agrees(scaled_dot_product_attention(Q, K, V, mask=mask.copy()), wanted, mask)

n = int(rng.integers(4, 7))
causal, winner, nobody = causal_mask_by_definition(n, n), random_mask(n, n), random_mask(n, n)
winner[:, -1], winner[:, 0] = False, True
nobody[int(rng.integers(n))] = False
for mask in (causal, winner, nobody, random_mask(n)):
    Q, K, V = (rng.normal(size=(n, n)) for _ in range(3))
    if mask is winner:  # the last key would get everything
        Q[:, 0], K[-1, 0] = 1.0, 3000.0 * math.sqrt(n)
    wanted = attention_by_definition(Q, K, V, mask)
    attention_agrees(scaled_dot_product_attention(Q, K, V, mask.copy()), wanted, mask)

mask = np.concatenate([random_mask(1, n)] * 2)
mask[:, :3] = True, True, False
Q, K, V = np.ones((2, 1)), rng.integers(-16, 17, size=(n, 1)) / 8, rng.normal(size=(n, 3))
K[:2, 0] = 1.0, -1.0
K[:, 0] += np.where(mask[0], -9990.0, 9990.0)  # the allowed keys score far below the hidden ones
wanted = attention_by_definition(Q, K, V, mask)
attention_agrees(scaled_dot_product_attention(Q, K, V, mask.copy()), wanted, mask)

# %% check="scaled_dot_product_attention-inputs_unchanged" points=1 category="purity" hidden=true
"""Queries, keys, values and mask stay as they are, a second call gives the same answer, and earlier calls do not matter."""
n = 5  # of one size, any result would fit into the memory of any input
for lead in ((), (2,)):
    Q, K, V = rng.normal(size=(3, *lead, n, n))
    mask, wanted = random_mask(n, n), attention_by_definition(Q, K, V)
    mask[0] = False
    others = attention_by_definition(K, Q, V)
    with tools.unchanged(Q=Q, K=K, V=V, mask=mask):
        attention_agrees(scaled_dot_product_attention(Q, K, V), wanted)
        scaled_dot_product_attention(Q, K, V, mask)  # what it makes of a mask is graded above
        attention_agrees(scaled_dot_product_attention(Q, K, V), wanted)
    attention_agrees(scaled_dot_product_attention(K.copy(), Q.copy(), V), others)

# %% [markdown]
# ### Look back: steering a soft lookup
#
# Three keys with three values, and two queries: the first points along key 0, the second along key 1. You might
# expect each output to be nearly the value of the matching key. Look at the weights instead: for the query
# `[1, 0]`, key 2 fits just as well as key 0, because it shares that direction. Each gets 0.40, key 1 still gets
# 0.20, and the output `[6.02, 3.98]` is 60 to 40: a lean, not a landslide. What would make the lookup sharper?
# Try a query of `[10, 0]`.


# %%
@tools.demo
def soft_lookup():
    Q = np.array([[1.0, 0.0], [0.0, 1.0]])
    K = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    V = np.array([[10.0, 0.0], [0.0, 10.0], [5.0, 5.0]])
    queries, keys = ([f"{kind} [{x:g}, {y:g}]" for x, y in rows] for kind, rows in (("query", Q), ("key", K)))
    output, weights = scaled_dot_product_attention(Q, K, V)
    draw_weights(weights, queries, keys, "Soft lookup")
    print("Output: a weighted average of [10, 0], [0, 10] and [5, 5]")
    tools.table(output, queries, ["feature 0", "feature 1"], 4)


# %% [markdown]
# ### 10. Asking oneself: `self_attention`
#
# In self-attention queries, keys and values come from the same tokens. Every token asks and every token answers,
# and each row of the result is that token *in its context*:
#
# $$\operatorname{SelfAttention}(X) = \operatorname{Attention}(X W_Q,\; X W_K,\; X W_V)$$
#
# From `(..., n, d_model)` to an output `(..., n, d_v)` and weights `(..., n, n)`. Your steps 1 and 9 do all the
# work.


# %% step="self_attention" points=6 draws="weights"
def self_attention(X, W_Q, W_K, W_V, mask=None):
    """Attention of the tokens in X to each other.

    Shapes
        X: (..., n, d_model), any number of leading axes
        W_Q, W_K: (d_model, d_k); W_V: (d_model, d_v)
        mask: None, or bool, True = may attend, of any shape that broadcasts to (..., n, n)

    Returns
        (output, weights): a tuple of arrays of shapes (..., n, d_v) and (..., n, n)

    Rules
        Scores are scaled by d_k, which may differ from d_model and d_v. Each row of weights sums to 1.
        A hidden key has a weight of exactly 0.
        The inputs stay as they are.
    """
    ### BEGIN SOLUTION
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    return scaled_dot_product_attention(Q, K, V, mask)
    ### END SOLUTION


# %% check="self_attention-by_hand" points=1 category="values"
"""Two tokens whose scores are log(2) and log(3): the weights are thirds and quarters."""
with tools.check("self_attention-by_hand"):
    answer = tools.unpack(
        self_attention(
            np.array([[1.0, 0.0], [0.0, 1.0]]),
            np.array([[np.log(2.0)], [np.log(3.0)]]),
            np.array([[1.0], [0.0]]),
            np.array([[12.0, 0.0, 24.0], [0.0, 12.0, 12.0]]),
        ),
        "output, weights",
    )
    tools.agree(
        answer[1],
        [[2 / 3, 1 / 3], [0.75, 0.25]],
        "the weights",
        "Print queries, keys and scaled scores. Where do your numbers first differ from those that you get with a pencil?",
        show=True,
        **COMPOSED,
    )
    tools.agree(
        answer[0],
        [[8.0, 4.0, 20.0], [9.0, 3.0, 21.0]],
        "the output",
        "Which projection makes the values?",
        show=True,
        **COMPOSED,
    )

# %% check="self_attention-causal" points=1 category="mask correctness"
"""The same two tokens, but the first must not look ahead: it sees only itself."""
with tools.check("self_attention-causal"):
    allowed = np.array([[True, False], [True, True]])
    answer = tools.unpack(
        self_attention(
            np.array([[1.0, 0.0], [0.0, 1.0]]),
            np.array([[np.log(2.0)], [np.log(3.0)]]),
            np.array([[1.0], [0.0]]),
            np.array([[12.0, 0.0, 24.0], [0.0, 12.0, 12.0]]),
            allowed.copy(),
        ),
        "output, weights",
    )
    tools.agree(answer[1], [[1.0, 0.0], [0.75, 0.25]], "the weights", "Do you pass the mask on?", **COMPOSED)
    hidden_get_nothing(answer[1], allowed)
    tools.agree(answer[0], [[12.0, 0.0, 24.0], [9.0, 3.0, 21.0]], "the output", **COMPOSED)

# %% check="self_attention-a_mask_for_each" points=0 category="mask correctness"
"""Two sequences, each with a mask of its own; queries of zeros attend equally to every key that they may see."""
with tools.check("self_attention-a_mask_for_each"):
    answer = tools.unpack(
        self_attention(
            np.array([[[1.0], [3.0]], [[2.0], [6.0]]]),
            np.zeros((1, 1)),
            np.ones((1, 1)),
            np.ones((1, 1)),
            np.array([[[True, False]], [[True, True]]]),
        ),
        "output, weights",
    )
    tools.agree(answer[0], [[[1.0], [1.0]], [[4.0], [4.0]]], "the output", "Which sequence does each mask belong to?", **COMPOSED)

# %% check="self_attention-rows_sum_to_one" points=1 category="row sums" hidden=true
"""The weights of every token are right and sum to exactly 1, whatever the sizes are."""
for n_tokens, d_model, d_k, d_v in (sorted(different_sizes(4)), (1, 3, 2, 4), (12, 30, 20, 16)):
    X, W_V = 1.3 * rng.normal(size=(n_tokens, d_model)), random_weights(d_model, d_v)
    W_Q, W_K = random_weights(d_model, d_k), random_weights(d_model, d_k)
    wanted = attention_by_definition(*(product_by_definition(X, W) for W in (W_Q, W_K, W_V)))
    attention_agrees(self_attention(X, W_Q, W_K, W_V), wanted)

# %% check="self_attention-any_batch" points=2 category="shapes" hidden=true repeat=false
"""Any number of leading axes, with masks for all sequences, for each sequence, and for each query."""
for turn, (b, n, d_model, d_k, d_v) in enumerate((*rising_and_falling(5), (3, 3, 3, 3, 3), (1, 3, 2, 3, 2))):
    W_Q, W_K, W_V = (random_weights(d_model, width) for width in (d_k, d_k, d_v))
    masks = [((b,), random_mask(b, 1, n)), ((b,), random_mask(b, n, n)), ((2, b), random_mask(n, n)), ((2, b), None)]
    masks = masks[turn % 2 :: 2] if turn < 2 else masks[turn % 2 :][:1]
    if turn == 0:
        masks += [((2, b), random_mask(b, 1, n)), ((), random_mask(n)), ((b,), mask_for_all_keys(n, 1)), ((), mask_for_all_keys())]
        masks += [((b,), random_mask(1, n, n)), ((2, b), random_mask(2, 1, n, n)), ((), random_mask(1, n)), ((), ~np.eye(n, dtype=bool))]
    for lead, mask in masks:
        X = 1.3 * rng.normal(size=(*lead, n, d_model))
        wanted = attention_by_definition(*(product_by_definition(X, W) for W in (W_Q, W_K, W_V)), mask)
        given = [W_Q.copy(), W_K.copy(), W_V.copy(), None if mask is None else mask.copy()]
        attention_agrees(self_attention(X, *given), wanted, mask)

# %% check="self_attention-inputs_unchanged" points=1 category="purity" hidden=true
"""Tokens, matrices and mask stay as they are, and a second call gives the same answer."""
n = 5
for lead in ((), (2,)):
    X, (W_Q, W_K, W_V) = rng.normal(size=(*lead, n, n)), (random_weights(n, n) for _ in range(3))
    wanted = attention_by_definition(*(product_by_definition(X, W) for W in (W_Q, W_K, W_V)))
    mask = random_mask(n, n)
    mask[0] = False
    with tools.unchanged(X=X, W_Q=W_Q, W_K=W_K, W_V=W_V, mask=mask):
        attention_agrees(self_attention(X, W_Q, W_K, W_V), wanted)
        self_attention(X, W_Q, W_K, W_V, mask)  # what it makes of a mask is graded above
        attention_agrees(self_attention(X, W_Q, W_K, W_V), wanted)

# %% [markdown]
# ### Look back: "The cat sat down"
#
# Four words, three features each, and identity matrices for all three projections, so that every word
# is its own query, key and value. "The" has the first feature, "cat" the second, and "sat" and "down"
# share the third.
#
# Read the table row by row. "sat" looks a little more at itself (0.31) than at "down" (0.30). "down" looks at
# "sat" and at itself *equally*, 0.31 each: their scores are exactly the same, because "sat" equals "down" plus
# features on which "down" is zero. No weight falls below 0.17. With scores of at most 1.05 before scaling,
# attention stays gentle.
#
# Then four random tokens of eight features, with projections of spread 0.1 (NumPy's seed 42): the output has the
# input's shape, and the weights are nearly uniform again.


# %%
@tools.demo
def the_cat_sat_down():
    words = ["The", "cat", "sat", "down"]
    X = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.2], [0.1, 0.2, 1.0], [0.0, 0.0, 1.0]])
    output, weights = self_attention(X, np.eye(3), np.eye(3), np.eye(3))
    draw_weights(weights, words, words, "The cat sat down, identity projections")
    print("Output: each word in its context")
    tools.table(output, words, ["feature 0", "feature 1", "feature 2"])


@tools.demo
def four_by_eight():
    draw = np.random.RandomState(42)
    X = draw.randn(4, 8)
    W_Q, W_K, W_V = (0.1 * draw.randn(8, 8) for _ in range(3))
    output, weights = self_attention(X, W_Q, W_K, W_V)
    tokens = [f"token {i}" for i in range(4)]
    print("Four random tokens of eight features: weights")
    tools.table(weights, tokens, tokens, 3)
    print("Shape of the output:", np.shape(output))


# %% [markdown]
# Now draw your own heatmap. Change the words, the numbers or the mask below, as often as you like. At the end of
# this notebook you will find a question about it.


# %%
@tools.demo
def your_own_heatmap():
    words = ["a", "dog", "bites", "a", "man"]
    draw = np.random.default_rng(7)
    X = draw.normal(size=(5, 4))
    W_Q, W_K, W_V = (draw.normal(size=(4, 4)) for _ in range(3))
    _, weights = self_attention(X, W_Q, W_K, W_V, mask=causal_mask(5))
    draw_weights(weights, words, words, "My heatmap")


# %% [markdown]
# ## Part four: many heads
#
# One set of weights can express one kind of relation: a pronoun looking for its noun, or a verb for its subject,
# but hardly both at once. So transformers run several attentions in parallel, each with its own projections, and
# join the results.
#
# ### 11. Cutting features into heads: `split_heads`
#
# A token's `d_model` features are cut into `num_heads` blocks of `d_head = d_model / num_heads`. Head 0 gets
# the first block, head 1 the second, and so on. The head axis then moves in front of the tokens, so that
# everything you have written so far treats heads as one more leading axis:
#
# $$H_{h,\,i,\,j} = X_{i,\;h\, d_\text{head} + j}$$
#
# ```drawing
# X[n=3, d_model=6]{columns by 2} becomes heads[num_heads=3, n=3, d_head=2]{blocks by 1}
# ```
#
# `(..., n, d_model)` becomes `(..., num_heads, n, d_head)`. Every token keeps all of its features; the
# sequence is not cut.


# %% step="split_heads" points=7
def split_heads(X, num_heads):
    """The features of X, cut into one block for each head, with the heads in front of the tokens.

    Shapes
        X: (..., n, d_model), any number of leading axes
        num_heads: whole number, 1 or more

    Returns
        (..., num_heads, n, d_model // num_heads): head h owns the h-th contiguous block of features

    Raises
        ValueError if d_model is not a multiple of num_heads (other exceptions are accepted, too)

    Rules
        The input stays as it is.
    """
    ### BEGIN SOLUTION
    *lead, n, d_model = np.shape(X)
    if d_model % num_heads:
        raise ValueError(f"{d_model} features cannot be cut into {num_heads} equal heads")
    return np.swapaxes(np.reshape(X, (*lead, n, num_heads, d_model // num_heads)), -3, -2)
    ### END SOLUTION


# %% check="split_heads-by_hand" points=1 category="multi-head concatenation"
"""Three tokens of four features become two heads of three tokens with two features."""
with tools.check("split_heads-by_hand"):
    tools.agree(
        split_heads(np.array([[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0]]), 2),
        [[[0.0, 1.0], [4.0, 5.0], [8.0, 9.0]], [[2.0, 3.0], [6.0, 7.0], [10.0, 11.0]]],
        "the heads",
        "Which features does head 0 own, and of how many tokens?",
        show=True,
    )

# %% check="split_heads-refuses_what_does_not_divide" points=1 category="edge cases"
"""Six features make three heads of two, but four heads are refused with an error."""
with tools.check("split_heads-refuses_what_does_not_divide"):
    token = np.array([[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]])
    tools.agree(split_heads(token.copy(), 3), [[[0.0, 1.0]], [[2.0, 3.0]], [[4.0, 5.0]]], "three heads of one token")
    tools.refuses(lambda: split_heads(np.concatenate([token, token]), 4), "4 heads of 6 features")

# %% check="split_heads-batch_of_two" points=0 category="shapes"
"""In a batch of two, every sequence is split into heads of its own."""
with tools.check("split_heads-batch_of_two"):
    tools.agree(
        split_heads(np.array([[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], [[6.0, 7.0], [8.0, 9.0], [10.0, 11.0]]]), 2),
        [[[[0.0], [2.0], [4.0]], [[1.0], [3.0], [5.0]]], [[[6.0], [8.0], [10.0]], [[7.0], [9.0], [11.0]]]],
        "the heads of the batch",
        "Do you count axes from the front or from the end?",
    )

# %% check="split_heads-any_batch" points=2 category="shapes" hidden=true
"""Any number of leading axes stays in front of the heads, also where sizes are equal or 1."""
n = int(rng.integers(2, 5))
for *lead, n_tokens, num_heads, d_head in (
    sorted(different_sizes(4)),
    (2, *different_sizes(4)),
    (n, n, n, n, n),
    (1, 3, 2, 2),
    (2, 3, 1, 2),
    (2, 1, 2, 1, 2, 1),
):
    X = rng.normal(size=(*lead, n_tokens, num_heads * d_head))
    wanted = heads_by_definition(X, num_heads)
    tools.agree(split_heads(X, num_heads), wanted, "the heads", "Do you count axes from the front or from the end?")

# %% check="split_heads-contiguous_blocks" points=2 category="multi-head concatenation" hidden=true
"""Each head owns one contiguous block, for one head, for heads of one feature, and where sizes are equal; uneven heads are refused."""
n = int(rng.integers(3, 6))
for n_tokens, num_heads, d_head in sorted(different_sizes(3)), (n, n, n), (3, 1, 5), (2, 5, 1), (12, 16, 20):
    X = rng.normal(size=(n_tokens, num_heads * d_head))
    wanted = heads_by_definition(X, num_heads)
    tools.agree(split_heads(X, num_heads), wanted, "the heads", "Are the features of one head neighbours in X?")

num_heads = int(rng.integers(4, 7))
d_model = 2 * num_heads
for count in (d_model + 1, d_model - 1, num_heads - 1):  # one too many, one too few, fewer features than heads
    uneven = rng.normal(size=(num_heads, count))  # as many tokens as heads
    tools.refuses(lambda X=uneven: split_heads(X, num_heads), "features that make no equal heads")

# %% check="split_heads-inputs_unchanged" points=1 category="purity" hidden=true
"""X stays as it is, its shape included, and a second call gives the same answer."""
n, num_heads, d_head = different_sizes(3)
for lead in ((), (2,)):
    X = rng.normal(size=(*lead, n, num_heads * d_head))
    wanted = heads_by_definition(X, num_heads)
    with tools.unchanged(X=X):
        tools.agree(split_heads(X, num_heads), wanted, "the first answer")
        tools.agree(split_heads(X, num_heads), wanted, "the second answer")

# %% [markdown]
# ### 12. Side by side again: `concat_heads`
#
# The way back. Each token collects the output of all heads for it, block by block, in the order of the heads:
#
# $$Y_{i,\;h\, d_\text{head} + j} = H_{h,\,i,\,j}$$
#
# ```drawing
# heads[num_heads=3, n=3, d_head=2]{blocks by 1} become Y[n=3, d_model=6]{columns by 2}
# ```
#
# `(..., num_heads, n, d_head)` becomes `(..., n, num_heads * d_head)`. If you split and then concatenate, you get
# back what you started with.


# %% step="concat_heads" points=6
def concat_heads(heads):
    """The features of all heads side by side, head 0 first.

    Shapes
        heads: (..., num_heads, n, d_head), any number of leading axes

    Returns
        (..., n, num_heads * d_head): the first d_head features come from head 0, the next from head 1, ...

    Rules
        The input stays as it is.
    """
    ### BEGIN SOLUTION
    *lead, num_heads, n, d_head = np.shape(heads)
    return np.reshape(np.swapaxes(heads, -3, -2), (*lead, n, num_heads * d_head))
    ### END SOLUTION


# %% check="concat_heads-by_hand" points=1 category="multi-head concatenation"
"""Two heads of three tokens with two features become three tokens of four features."""
with tools.check("concat_heads-by_hand"):
    tools.agree(
        concat_heads(np.array([[[0.0, 1.0], [4.0, 5.0], [8.0, 9.0]], [[2.0, 3.0], [6.0, 7.0], [10.0, 11.0]]])),
        [[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0]],
        "the features",
        "Token 0 has two features in each head. Where do they go?",
        show=True,
    )

# %% check="concat_heads-batch_of_two" points=1 category="shapes"
"""In a batch of two, every sequence keeps its own heads."""
with tools.check("concat_heads-batch_of_two"):
    tools.agree(
        concat_heads(
            np.array(
                [
                    [[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [[-1.0, -2.0], [-3.0, -4.0], [-5.0, -6.0]]],
                    [[[0.5, 0.0], [1.5, 0.0], [2.5, 0.0]], [[0.0, 7.0], [0.0, 8.0], [0.0, 9.0]]],
                ]
            )
        ),
        [
            [[1.0, 2.0, -1.0, -2.0], [3.0, 4.0, -3.0, -4.0], [5.0, 6.0, -5.0, -6.0]],
            [[0.5, 0.0, 0.0, 7.0], [1.5, 0.0, 0.0, 8.0], [2.5, 0.0, 0.0, 9.0]],
        ],
        "the features of the batch",
        "The shape (2, 2, 3, 2) means: sequences, heads, tokens, features. Which two of them belong together?",
    )

# %% check="concat_heads-whole_heads" points=2 category="multi-head concatenation" hidden=true
"""Whole heads are side by side, for one head, for heads of one feature, and where all sizes are equal."""
n = int(rng.integers(3, 6))
for num_heads, n_tokens, d_head in (sorted(different_sizes(3)), (n, n, n), (1, 3, 5), (5, 2, 1), (16, 12, 20)):
    X = rng.normal(size=(n_tokens, num_heads * d_head))
    heads = heads_by_definition(X, num_heads)
    tools.agree(concat_heads(heads), X, "the features", "Are the features of one head neighbours?")

# %% check="concat_heads-any_batch" points=1 category="shapes" hidden=true
"""Any number of leading axes stays in front, also where sizes are equal or 1."""
n = int(rng.integers(2, 5))
for *lead, n_tokens, num_heads, d_head in (
    sorted(different_sizes(4)),
    (2, *different_sizes(4)),
    (n, n, n, n, n),
    (1, 3, 2, 2),
    (2, 1, 1, 2),
    (2, 1, 2, 1, 2, 1),
):
    X = rng.normal(size=(*lead, n_tokens, num_heads * d_head))
    heads = heads_by_definition(X, num_heads)
    tools.agree(concat_heads(heads), X, "the features", "Which axes do you swap before you merge them?")

# %% check="concat_heads-inputs_unchanged" points=1 category="purity" hidden=true
"""The heads stay as they are, their shape included, and a second call gives the same answer."""
num_heads, n, d_head = 3, 5, 2
for lead in ((), (2,)):
    X = rng.normal(size=(*lead, n, num_heads * d_head))
    heads = heads_by_definition(X, num_heads)
    with tools.unchanged(heads=heads):
        tools.agree(concat_heads(heads), X, "the first answer")
        tools.agree(concat_heads(heads), X, "the second answer")

# %% [markdown]
# ### 13. Many heads at once: `multi_head_attention`
#
# Project once with the full matrices (step 1), cut queries, keys and values into heads (step 11), let every head
# attend on its own (step 9), put the heads side by side (step 12), and mix them with one more matrix:
#
# $$O_h = \operatorname{Attention}(Q_h, K_h, V_h), \qquad
#   \operatorname{MultiHead}(X) = [\,O_0 \;\; O_1 \;\; O_2 \;\cdots\,]\; W_O$$
#
# All four matrices are `(d_model, d_model)`, and the result has the shape of `X`. Each head's scores are dot
# products of vectors of length `d_head`, and that is the length that scales them.
#
# ```drawing
# one mask[n=4, n=4]{causal} for scores[num_heads=3, n=4, n=4]{causal}
# ```
#
# A mask says which *tokens* may look at which. It does not depend on the head. `(n, n)` fits as it is. A mask
# with a batch axis, `(batch, n, n)` or `(batch, 1, n)`, has to fit scores of shape `(batch, num_heads, n, n)`.
# Where must its missing axis go?


# %% step="multi_head_attention" points=10
def multi_head_attention(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    """Self-attention with several heads, side by side, mixed by W_O.

    Shapes
        X: (..., n, d_model), any number of leading axes
        W_Q, W_K, W_V, W_O: (d_model, d_model); head h owns the h-th contiguous block of the columns of
            W_Q, W_K and W_V
        num_heads: whole number that divides d_model
        mask: None, or bool, True = may attend, of shape (n, n); with X of shape (batch, n, d_model) also
            (batch, n, n) or (batch, 1, n): every head gets the mask of its sequence

    Returns
        output (..., n, d_model): an array, not a tuple

    Rules
        Each head's scores are scaled by the length of its own vectors, d_model // num_heads.
        Scores up to 1e4 in size, of either sign, overflow nothing.
        A hidden token has no influence. A query with no allowed key may get anything, but must not raise
        an error or disturb the others.
        The inputs stay as they are.
    """
    ### BEGIN SOLUTION
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and np.ndim(mask) > 2:
        mask = np.expand_dims(mask, -3)
    heads, _ = scaled_dot_product_attention(Q, K, V, mask)
    return concat_heads(heads) @ W_O
    ### END SOLUTION


# %% check="multi_head_attention-by_hand" points=1 category="multi-head concatenation"
"""Two tokens and two heads of one feature: thirds and fifths in head 0, quarters and sixths in head 1."""
with tools.check("multi_head_attention-by_hand"):
    # Head 0 has the scores [[log 2, 0], [log 4, 0]] and the values 15, 0; its outputs are 10, 12.
    # Head 1 has the scores [[0, log 3], [0, log 5]] and the values 12, 24; its outputs are 21, 22.
    tools.agree(
        multi_head_attention(
            np.eye(2),
            np.log([[2.0, 3.0], [4.0, 5.0]]),
            np.eye(2),
            np.array([[15.0, 12.0], [0.0, 24.0]]),
            np.array([[1.0, 1.0], [0.0, 2.0]]),
            2,
        ),
        [[10.0, 52.0], [12.0, 56.0]],
        "the output",
        "Print each head's output. Are they 10, 12 and 21, 22, and are they side by side before W_O?",
        show=True,
        **COMPOSED,
    )

# %% check="multi_head_attention-batch_of_two" points=1 category="mask correctness"
"""Two sequences, each with a mask of its own: queries of zeros attend equally to every key that they may see."""
with tools.check("multi_head_attention-batch_of_two"):
    tools.agree(
        multi_head_attention(
            np.array([[[1.0, 2.0], [3.0, 6.0]], [[0.0, 4.0], [2.0, 0.0]]]),
            np.zeros((2, 2)),
            np.eye(2),
            np.eye(2),
            np.array([[0.0, 1.0], [1.0, 0.0]]),
            2,
            np.array([[[True, False], [True, True]], [[True, True], [False, True]]]),
        ),
        [[[2.0, 1.0], [4.0, 2.0]], [[2.0, 1.0], [0.0, 2.0]]],
        "the output of the batch",
        "Your heads have one axis more than the mask. Between which two of the mask's axes does it belong?",
    )

# %% check="multi_head_attention-thousands" points=0 category="overflow safety"
"""Scores of 8,100 and of -8,100 give one token all the weight, a different one in each head."""
with tools.check("multi_head_attention-thousands"):
    tools.agree(
        multi_head_attention(
            np.array([[90.0, 0.0], [0.0, -90.0]]), np.eye(2), np.array([[1.0, 0.0], [0.0, -1.0]]), np.eye(2), np.eye(2), 2
        ),
        [[90.0, -45.0], [45.0, 0.0]],
        "the output",
        "Print the weights of both heads. Which of them is not a number?",
        **COMPOSED,
    )

# %% check="multi_head_attention-no_key_for_a_query" points=0 category="edge cases"
"""A token that sees no key does not affect the other token."""
with tools.check("multi_head_attention-no_key_for_a_query"):
    tools.agree(
        multi_head_attention(
            np.array([[2.0, 4.0], [6.0, 0.0]]), np.zeros((2, 2)), np.eye(2), np.eye(2), np.eye(2), 2, np.array([[False, False], [True, True]])
        ),
        [[0.0, 0.0], [4.0, 2.0]],
        "the second output",
        "What does a token without keys do to the others?",
        where=np.array([[False], [True]]),
        **COMPOSED,
    )

# %% check="multi_head_attention-heads_in_blocks" points=2 category="multi-head concatenation" hidden=true
"""Every head uses its own block of columns, scales by its own length, and keeps its place."""
for n, num_heads, d_head in (sorted(different_sizes(3)), (4, 1, 3), (3, 3, 3)):
    d_model = num_heads * d_head
    X, (W_Q, W_K, W_V, W_O) = 1.5 * rng.normal(size=(n, d_model)), (random_weights(d_model, d_model) for _ in range(4))
    wanted = multi_head_by_definition(X, W_Q, W_K, W_V, W_O, num_heads)
    got = multi_head_attention(X, W_Q, W_K, W_V, W_O, num_heads)
    ask = "Which columns does a head work on, by which length are its scores scaled, and where does its output go?"
    tools.agree(got, wanted, "the output", ask, **COMPOSED)

# %% check="multi_head_attention-any_batch" points=1 category="shapes" hidden=true
"""Any number of leading axes, also where they equal the number of heads or of tokens."""
for *lead, n, num_heads, d_head in (
    (int(rng.integers(3, 6)), 3, 2, 2),
    (2, 1, int(rng.integers(2, 4)), 3, 2, 1),
    (3, 3, 3, 3, 3),
    (1, 1, 2, 2),
):
    d_model = num_heads * d_head
    X = 1.5 * rng.normal(size=(*lead, n, d_model))
    W_Q, W_K, W_V, W_O = (random_weights(d_model, d_model) for _ in range(4))
    wanted = multi_head_by_definition(X, W_Q, W_K, W_V, W_O, num_heads)
    got = multi_head_attention(X, W_Q, W_K, W_V, W_O, num_heads)
    tools.agree(got, wanted, "the output", "Where do the heads go in a batch?", **COMPOSED)

# %% check="multi_head_attention-masks" points=2 category="mask correctness" hidden=true repeat=false
"""One mask for all, one for each sequence, one for each query, also with as many sequences as heads."""
sizes = (int(rng.integers(4, 6)), 3, 2, 3), (3, 4, 3, 2), (3, 3, 3, 3), (1, 3, 2, 2)
for turn, (b, n, num_heads, d_head) in enumerate(sizes):
    d_model = num_heads * d_head
    W_Q, W_K, W_V, W_O = (random_weights(d_model, d_model) for _ in range(4))
    masks = [((b,), random_mask(b, n, n) if turn % 2 else random_mask(b, 1, n))]
    if turn == 0:
        masks += [((), causal_mask_by_definition(n, n)), ((2, 3), random_mask(n, n))]
    if b == n:
        masks += [((b,), random_mask(n, n))]
    for lead, mask in masks:
        X = 1.5 * rng.normal(size=(*lead, n, d_model))
        wanted = multi_head_by_definition(X, W_Q, W_K, W_V, W_O, num_heads, mask)
        given = [W.copy() for W in (W_Q, W_K, W_V, W_O)]
        got = multi_head_attention(X, *given, num_heads, mask=mask)
        ask = "Which keys does the mask hide from a query of the last sequence, and what do they weigh in each of its heads?"
        tools.agree(got, wanted, "the output", ask, **COMPOSED)
mask, X = random_mask(b, n, n), rng.normal(size=(b, n, d_model))
mask[-1, 1] = False
wanted = multi_head_by_definition(X, W_Q, W_K, W_V, W_O, num_heads, mask)
rows = mask.any(axis=-1)[..., None]
got = multi_head_attention(X, W_Q, W_K, W_V, W_O, num_heads, mask)
tools.agree(got, wanted, "the output next to a query with no key", where=rows, **COMPOSED)

X, W_Q, W_K, W_V, W_O, mask = hidden_tokens_would_win(30.0)
wanted = multi_head_by_definition(X, W_Q, W_K, W_V, W_O, 3, mask)
got = multi_head_attention(X, W_Q, W_K, W_V, W_O, 3, mask)
tools.agree(got, wanted, "the output where hidden tokens score higher", "Where does your function use the mask?", **COMPOSED)

# %% check="multi_head_attention-large_scores" points=2 category="overflow safety" hidden=true
"""Scores in the thousands, mixed with small ones, do not overflow; hidden ones get no weight, however large."""
n, num_heads = int(rng.integers(3, 6)), int(rng.integers(2, 4))
d_model = 4 * num_heads
W_Q = np.kron(np.eye(num_heads), np.eye(4))[:, rng.permutation(d_model)]
W_V, W_O = (rng.integers(-8, 9, size=(d_model, d_model)) / 8 for _ in range(2))
X = rng.integers(-3, 4, size=(n, d_model)).astype(float)
X[0], X[1] = 1.0, np.repeat([24.0, -24.0, 24.0][:num_heads], 4) @ W_Q.T  # what one head looks at, the next does not
X[2] = rng.choice([-1, 1], size=d_model) / 32  # a query whose scores are small: how they are scaled matters
wanted = multi_head_by_definition(X, W_Q, 4 * W_Q, W_V, W_O, num_heads)
got = multi_head_attention(X, W_Q, 4 * W_Q, W_V, W_O, num_heads)
nearly = 2e-6 * np.abs(wanted).max()  # small numbers among large ones have fewer digits
tools.agree(got, wanted, "the output", "Does an exponential overflow, or a whole row become 0?", rtol=0, atol=nearly)

X, W_Q, W_K, W_V, W_O, mask = hidden_tokens_would_win(9999.0)
wanted = multi_head_by_definition(X, W_Q, W_K, W_V, W_O, 3, mask)
got = multi_head_attention(X, W_Q, W_K, W_V, W_O, 3, mask)
tools.agree(got, wanted, "the output where hidden tokens score higher", "What does a hidden score become?", **COMPOSED)

# %% check="multi_head_attention-inputs_unchanged" points=1 category="purity" hidden=true
"""Tokens, all four matrices and mask stay as they are, and a second call gives the same answer."""
n, num_heads, d_head = 4, 3, 2
d_model = num_heads * d_head
X, (W_Q, W_K, W_V, W_O) = 0.5 * rng.normal(size=(n, d_model)), (random_weights(d_model, d_model) for _ in range(4))
mask = causal_mask_by_definition(n, n)
wanted = multi_head_by_definition(X, W_Q, W_K, W_V, W_O, num_heads, mask)
unmasked = multi_head_by_definition(X, W_Q, W_K, W_V, W_O, num_heads)
with tools.unchanged(X=X, W_Q=W_Q, W_K=W_K, W_V=W_V, W_O=W_O, mask=mask):
    for turn in ("first", "second"):
        got = multi_head_attention(X, W_Q, W_K, W_V, W_O, num_heads, mask)
        tools.agree(got, wanted, f"the {turn} answer", **COMPOSED)
    got = multi_head_attention(X, W_Q, W_K, W_V, W_O, num_heads)
    tools.agree(got, unmasked, "the answer without a mask, after one with", "What did your function store in the call before?", **COMPOSED)

X, mask = rng.normal(size=(2, n, d_model)), random_mask(2, n, n)
mask[0, 0] = False
with tools.unchanged(X=X, W_Q=W_Q, W_K=W_K, W_V=W_V, W_O=W_O, mask=mask):
    multi_head_attention(X, W_Q, W_K, W_V, W_O, num_heads, mask)  # what it makes of this mask is graded above

# %% question="score_count" kind="number" points=0
"""One call handles a batch of 8 sequences of 1,024 tokens each, with 12 heads. How many scores does it compute?"""
score_count = 8 * 12 * 1024**2

# %% [markdown]
# ### Look back: two heads, one call
#
# The five tokens from before again. In part two, two heads had matrices of their own, `(16, 8)` each. Side by
# side they form one `(16, 16)` matrix, and head 0 owns its first eight columns. With the identity for `W_O`, your
# one call must give the outputs of two calls of `self_attention` side by side: the first eight features are head
# 0's, the others head 1's.


# %%
@tools.demo
def two_heads_one_call():
    X, *pairs = five_tokens()
    W_Q, W_K, W_V = (np.concatenate([pair[0], pair[1]], axis=1) for pair in pairs)
    both = np.asarray(multi_head_attention(X, W_Q, W_K, W_V, np.eye(16), 2, causal_mask(5)))
    for head in range(2):
        output, _ = self_attention(X, *(pair[head] for pair in pairs), causal_mask(5))
        gap = np.abs(both[:, 8 * head : 8 * head + 8] - output).max()
        print(f"Head {head}: its eight columns and a call of its own differ by {gap:.0e} at most")


# %% [markdown]
# ### Look back: who is "it", asked of a trained model
#
# Now for real numbers. The weights below were **trained**: two layers of multi-head attention only, with
# 16 features and two heads, on 144,000 sentences about animals and things, until the model could say two things:
# for each word, the word before it, and for "it", the noun it refers to. There is no mask, so "it" sees the word
# that gives it away: things are soft, animals are tired, and either may come first.
#
# Two of its heads are worth a look. (During training they were rewarded for putting 80 % of their attention
# there. Without such a reward, heads as clear as these are rare.)
#
# - **Layer 1, head 0 looks at the word before.** It goes by position: the model adds a vector for the position to
#   the vector of each word, since attention alone does not know the order.
# - **Layer 2, head 0 finds the noun that "it" means.** It reads what layer 1 wrote: by then the vector of "it"
#   carries the adjective. In all 200 test sentences, whose nouns and adjectives the model has never seen
#   together, the right noun gets more than half of the attention.
#
# Your functions compute all of it. Change one word, and "it" looks at the other noun.


# %% arrays
FINDER = tools.arrays("finder.npz")  # the weights of the last scene, from make train-model


# %%
@tools.demo
def who_is_it():
    known, begin = str(FINDER["words"]).split(), "the cat sat on the mat because it was".split()
    rows = []
    for adjective in ("soft", "tired"):
        words = [*begin, adjective]
        X, looks = FINDER["embedding"][[known.index(word) for word in words]] + FINDER["positions"], []
        for layer in range(2):
            W_Q, W_K, W_V, W_O = (FINDER[name][layer] for name in ("W_Q", "W_K", "W_V", "W_O"))
            Q, K, V = (split_heads(part, 2) for part in project_qkv(X, W_Q, W_K, W_V))
            _, weights = scaled_dot_product_attention(Q, K, V)
            looks.append(np.asarray(weights)[0])
            X = X + multi_head_attention(X, W_Q, W_K, W_V, W_O, 2)
        rows.append(looks[1][words.index("it")])

    before = np.mean(np.diagonal(looks[0], -1))
    print(f"Layer 1, head 0: a word gives the one before it {before:.2f} of its attention, on average")
    title = "Layer 1, head 0: every word of the sentence"
    tools.heatmap(looks[0], words, words, title, np.char.mod("%.1f", looks[0]), **AXES)
    draw_weights(rows, ["it (soft)", "it (tired)"], [*begin, "(last)"], 'Layer 2, head 0: where "it" looks')


# %% [markdown]
# ## Optional: explain a heatmap
#
# A person grades this one. It can add up to 5 points to the 100. Take one heatmap that you drew with your own
# functions, in "Now draw your own heatmap" or anywhere else, and explain it in a few sentences.
#
# **Rubric**
#
# - 1 point: says which tokens, features and masks it was drawn from
# - 2 points: names the key that wins a row, and the numbers in the queries and keys that make it win
# - 1 point: explains an entry that is surprising, or why none is
# - 1 point: names a change that would test the explanation, and its expected effect

# %% [markdown] manual="explain_a_heatmap" points=5 extra=true
# *Write your explanation here.*

# %% [markdown]
# ## Your score so far
#
# The results of the visible checks that you have run in this session, and what is still open. Before you hand in,
# restart the kernel and run everything, so that the count is up to date.

# %%
tools.summary()

# %% [markdown]
# ## Where to go from here
#
# What you wrote is the heart of every transformer. Around it there are a feed-forward layer, residual
# connections, normalisation, and positions: did you notice that nothing in `self_attention` knows the order of
# the tokens? Shuffle the rows of `X`, leave out the mask, and see what happens to the output. The notebook
# `transformer` builds all of that around your functions. Where it comes from: [Attention Is All You
# Need](https://arxiv.org/abs/1706.03762), the paper of 2017; its figure 2 shows what you have built.


# %% oracles
"""What the docstrings promise about inputs: each line must occur in a check of its step, or have its reason below."""
from autograder.exercises.promises import far_apart, leading_axes, masks, real_numbers, single


def not_square(number):
    """Whether a whole number has no whole root."""
    return math.isqrt(number) ** 2 != number


def largest_score(Q, K):
    """The largest scaled score, whatever its sign."""
    return np.abs(scores_by_definition(Q, K)).max() / math.sqrt(np.shape(Q)[-1])


def hidden_above(Q, K, mask):
    """By how much a hidden score is above the allowed ones of its query, at most."""
    scores = scores_by_definition(Q, K) / math.sqrt(np.shape(Q)[-1])
    allowed = np.broadcast_to(mask, scores.shape)
    some = allowed.any(axis=-1)
    top = np.where(allowed, scores, -np.inf).max(axis=-1)
    hidden = np.where(allowed, -np.inf, scores).max(axis=-1)
    return (hidden - top)[some].max() if some.any() else -np.inf


def scores_of_heads(X, W_Q, W_K, num_heads):
    """The scaled scores of all heads."""
    size = np.shape(X)[-1] // num_heads
    parts = [(X @ W_Q)[..., h * size : (h + 1) * size] for h in range(num_heads)]
    keys = [(X @ W_K)[..., h * size : (h + 1) * size] for h in range(num_heads)]
    return np.stack([scores_by_definition(Q, K) for Q, K in zip(parts, keys)]) / math.sqrt(size)


PROMISES = {
    "project_qkv": {
        **leading_axes("X", own=2),
        **single("X", -2, -1),
        "d_v differs from d_k": lambda W_Q, W_V: W_Q.shape[-1] != W_V.shape[-1],
        "d_k differs from d_model": lambda W_Q: W_Q.shape[0] != W_Q.shape[1],
        "all sizes are equal": lambda X, W_Q, W_V: {*X.shape[-2:], *W_Q.shape, *W_V.shape} == {X.shape[-1]},
    },
    "attention_scores": {
        **leading_axes("Q", own=2),
        **single("Q", -2, -1),
        **single("K", -2),
        "more keys than queries": lambda Q, K: K.shape[-2] > Q.shape[-2],
        "more queries than keys": lambda Q, K: Q.shape[-2] > K.shape[-2],
        "all sizes are equal": lambda Q, K: {*Q.shape, *K.shape} == {Q.shape[-1]},
        **real_numbers("Q"),
    },
    "scale_scores": {
        "two axes": lambda scores: np.ndim(scores) == 2,
        "more axes": lambda scores: np.ndim(scores) > 2,
        "d_k is 1": lambda d_k: d_k == 1,
        "d_k is a square number": lambda d_k: d_k > 1 and not not_square(d_k),
        "d_k is no square number": lambda d_k: not_square(d_k),
        "d_k above 50": lambda d_k: d_k > 50,
        "d_k is not the number of keys": lambda scores, d_k: scores.shape[-1] != d_k,
        **real_numbers("scores"),
    },
    "softmax": {
        **leading_axes("scores", own=1),
        **single("scores", -1),
        "the first of several axes": lambda scores, axis: np.ndim(scores) > 1 and axis % np.ndim(scores) == 0,
        "an axis in the middle": lambda scores, axis: 0 < axis % np.ndim(scores) < np.ndim(scores) - 1,
        "an axis counted from the front": lambda axis: axis >= 0,
        "an axis counted from the end": lambda axis: axis < -1,
        "the third axis from the end": lambda axis: axis == -3,
        "scores near 1e4": lambda scores: np.max(scores) > 5e3,
        "a row near -1e4": lambda scores, axis: (np.max(scores, axis=axis) < -5e3).any() and np.isfinite(scores).any(),
        "rows thousands apart": lambda scores: np.ndim(scores) > 1 and far_apart(np.max(scores, axis=-1), 1e3, None),
        "scores of a row thousands apart": lambda scores: far_apart(scores, 1e3),
        "a score of -inf": lambda scores: np.isneginf(scores).any(),
        "-inf beside scores below -1,000": lambda scores: (
            np.isneginf(scores).any(axis=-1) & (np.max(scores, axis=-1) < -1e3) & np.isfinite(np.max(scores, axis=-1))
        ).any(),
        "a row of nothing but -inf": lambda scores: np.isneginf(scores).all(axis=-1).any(),
        "nothing but -inf": lambda scores: np.isneginf(scores).all(),
    },
    "weighted_sum": {
        **leading_axes("V", own=2),
        **single("weights", -2, -1),
        **single("V", -1),
        "more keys than queries": lambda weights: weights.shape[-1] > weights.shape[-2],
        "more queries than keys": lambda weights: weights.shape[-2] > weights.shape[-1],
        "all sizes are equal": lambda weights, V: {*weights.shape, *V.shape} == {V.shape[-1]},
        "a weight of exactly 0": lambda weights: ((weights == 0).any(axis=-1) & (weights != 0).any(axis=-1)).any(),
        "a weight of exactly 1": lambda weights: (weights == 1).any(),
        "a row of zeros": lambda weights: (weights == 0).all(axis=-1).any(),
        **real_numbers("V"),
    },
    "causal_mask": {
        "n_keys is not given": lambda n_keys: n_keys is None,
        "n_keys is n_queries": lambda n_queries, n_keys: n_keys == n_queries,
        "more keys than queries": lambda n_queries, n_keys: n_keys is not None and n_keys > n_queries,
        "one query and one key": lambda n_queries, n_keys: n_queries == 1 and n_keys in (1, None),
        "one query and several keys": lambda n_queries, n_keys: n_queries == 1 and n_keys not in (1, None),
        "more than 20 queries": lambda n_queries: n_queries > 20,
        "thousands of keys": lambda n_keys: (n_keys or 0) > 2000,
    },
    "padding_mask": {
        "one sequence": lambda lengths: len(lengths) == 1,
        "several sequences": lambda lengths: len(lengths) > 1,
        "lengths that fall": lambda lengths: (np.diff(lengths) < 0).any(),
        "lengths that rise": lambda lengths: (np.diff(lengths) > 0).any(),
        "a length of 1": lambda lengths: 1 in lengths,
        "a length of n_keys": lambda lengths, n_keys: n_keys in lengths,
        "a key that is padding in all sequences": lambda lengths, n_keys: n_keys > max(lengths),
        "a length above 20": lambda lengths: max(lengths) > 20,
        "as many sequences as keys": lambda lengths, n_keys: len(lengths) == n_keys > 1,
    },
    "apply_mask": {
        **leading_axes("scores", own=2),
        **masks("mask", lambda scores: scores.shape),
        "NaN under the mask": lambda scores, mask: (np.isnan(scores) & ~mask).any(),
        "inf under the mask": lambda scores, mask: (np.isposinf(scores) & ~mask).any(),
        "-inf under the mask": lambda scores, mask: (np.isneginf(scores) & ~mask).any(),
        "an allowed NaN": lambda scores, mask: (np.isnan(scores) & mask).any(),
        "an allowed inf": lambda scores, mask: (np.isposinf(scores) & mask).any(),
        "an allowed -inf": lambda scores, mask: (np.isneginf(scores) & mask).any(),
        "an allowed score of 0": lambda scores, mask: ((scores == 0) & mask).any(),
        "an allowed score below -1e9": lambda scores, mask: ((scores < -1e9) & np.isfinite(scores) & mask).any(),
    },
    "scaled_dot_product_attention": {
        **leading_axes("Q", own=2),
        **single("Q", -2, -1),
        **single("K", -2),
        "n_keys differs from n_queries": lambda Q, K: Q.shape[-2] != K.shape[-2],
        "d_v differs from d_k": lambda K, V: K.shape[-1] != V.shape[-1],
        "d_k is no square number": lambda Q: not_square(Q.shape[-1]),
        "all sizes are equal": lambda Q, K, V: {*Q.shape, *K.shape, *V.shape} == {Q.shape[-1]},
        "scores near 1e4": lambda Q, K: largest_score(Q, K) > 5e3,
        "no mask": lambda mask: mask is None,
        **masks("mask", lambda Q, K: (*Q.shape[:-1], K.shape[-2])),
        "a hidden score thousands above": lambda Q, K, mask: mask is not None and hidden_above(Q, K, mask) > 1e3,
        "allowed scores near -1e4": lambda Q, K, mask: (
            mask is not None and largest_score(Q, K) > 5e3 and scores_by_definition(Q, K).min() < -5e3
        ),
    },
    "self_attention": {
        **leading_axes("X", own=2),
        **single("X", -2),
        "d_k differs from d_model": lambda W_Q: W_Q.shape[0] != W_Q.shape[1],
        "d_v differs from d_k": lambda W_Q, W_V: W_Q.shape[-1] != W_V.shape[-1],
        "d_k is no square number": lambda W_Q: not_square(W_Q.shape[-1]),
        "no mask": lambda mask: mask is None,
        **masks("mask", lambda X: (*X.shape[:-1], X.shape[-2])),
    },
    "split_heads": {
        **leading_axes("X", own=2),
        **single("X", -2),
        "one head": lambda num_heads: num_heads == 1,
        "one head, for several sequences": lambda X, num_heads: num_heads == 1 and X.ndim > 2 and X.shape[0] > 1,
        "as many heads as features": lambda X, num_heads: num_heads == X.shape[-1] > 1,
        "as many heads as tokens": lambda X, num_heads: num_heads == X.shape[-2] > 1,
        "a number of heads that does not divide": lambda X, num_heads: 1 < num_heads < X.shape[-1] and X.shape[-1] % num_heads,
        "more heads than features": lambda X, num_heads: num_heads > X.shape[-1],
    },
    "concat_heads": {
        **leading_axes("heads", own=3),
        **single("heads", -3, -2, -1),
        "one head, for several sequences": lambda heads: heads.ndim > 3 and heads.shape[0] > 1 == heads.shape[-3],
        "one head of one token": lambda heads: heads.shape[-3] == heads.shape[-2] == 1,
        "all sizes are equal": lambda heads: {*heads.shape} == {heads.shape[-1]},
    },
    "multi_head_attention": {
        **leading_axes("X", own=2),
        **single("X", -2),
        "one head": lambda num_heads: num_heads == 1,
        "as many heads as features": lambda X, num_heads: num_heads == X.shape[-1] > 1,
        "heads that differ from d_head": lambda X, num_heads: num_heads**2 != X.shape[-1],
        "as many heads as sequences": lambda X, num_heads: X.ndim > 2 and X.shape[0] == num_heads > 1,
        "d_head is no square number": lambda X, num_heads: not_square(X.shape[-1] // num_heads),
        "scores near 1e4": lambda X, W_Q, W_K, num_heads: np.abs(scores_of_heads(X, W_Q, W_K, num_heads)).max() > 5e3,
        "no mask": lambda mask: mask is None,
        "a mask for one sequence": lambda X, mask: mask is not None and X.ndim == mask.ndim == 2,
        "one mask for all sequences": lambda X, mask: mask is not None and mask.ndim == 2 < X.ndim,
        "a mask (batch, n, n)": lambda X, mask: mask is not None and X.shape[-2] > 1 and mask.shape == (*X.shape[:-1], X.shape[-2]) and X.ndim == 3,
        "a mask (batch, 1, n)": lambda X, mask: mask is not None and X.shape[-2] > 1 and mask.ndim == 3 and mask.shape[1] == 1,
        "as many heads as sequences, with a mask for each": lambda X, num_heads, mask: (
            mask is not None and mask.ndim == 3 and X.shape[0] == num_heads > 1
        ),
        "a query without a key": lambda mask: mask is not None and not mask.any(axis=-1).all(),
    },
}

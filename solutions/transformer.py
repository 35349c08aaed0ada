# %% [markdown]
# # The transformer, built by hand
#
# Attention alone is not a language model: it does not know which token comes first, it only averages, and if you
# stack it twenty times, all tokens become the same. Seven short functions fix that. You give the tokens their positions,
# keep the numbers in range, let every token think for itself, and connect everything by addition. The result is the
# **transformer block**. A stack of blocks is a **language model**, and at the end yours writes a play.
#
# **How this works.** As in the attention notebook: each step leaves one function for you to write, and its checks
# come right below. *Visible* checks tell you at once what they got and wanted. *Hidden* ones are graded after you
# hand in, and test only rules that the docstring states. Before you hand in, restart the kernel and run everything.

# %% [markdown]
# ## The house rules
#
# They hold for all seven steps and are the same as in the attention notebook.
#
# - **Row vectors.** A token is a *row*, and weights go on the right: `x @ W`.
# - **Leading batch axes.** `(..., n, d_model)` means: any number of leading axes, none included, and your function
#   handles each slice separately. No axis is ever empty.
# - **Inputs are never changed**, and a second call gives the same answer.
# - **NumPy and Python's own `math`**, in the default precision, `float64`. A `float32` result is accepted; nested
#   lists are accepted in place of arrays.
# - **To look inside**, print in your own function; to try other numbers, change `given = tools.first("layer_norm")`,
#   the arguments of a step's first check, and call `layer_norm(**given)`. Once all visible checks of a step pass,
#   `tools.practice("layer_norm")` tries your function on fresh inputs.
#
# Answers are accepted to within 0.00002. We use the usual symbols: `n` tokens, `d_model` features each.
#
# Step 5 and the pictures call eleven functions that you wrote **in the attention notebook**. Below the next two cells
# there is one that brings them over: copy your `attention.ipynb` into the folder of this notebook, and run it. They
# are not graded again. When you hand in, the checks use correct ones in their place, so an old mistake costs you
# nothing here.

# %% setup needs="attention:project_qkv, attention:attention_scores, attention:scale_scores, attention:softmax, attention:weighted_sum, attention:causal_mask, attention:apply_mask, attention:scaled_dot_product_attention, attention:split_heads, attention:concat_heads, attention:multi_head_attention"
import math
import time

import numpy as np

from autograder import tools

rng = np.random.default_rng(2018)  # grading puts another in its place, which depends on the course's secret

# Whoever computes with float32 on the way is off by 6e-6, whatever the answer's own precision.
NEAR = {"rtol": 2e-5, "atol": 2e-5}


def agree(got, wanted, what, ask="", show=False):
    """Insist on these numbers, as exactly as float32 can give them."""
    tools.agree(got, wanted, what, ask, show, **NEAR)


def decoder(model, num_heads, layer_norm, feed_forward, transformer_block, seen=None):
    """The blocks of a trained model and its final norm, on your functions; `seen` gets what each block's heads look at."""

    def norm(gamma, beta):
        return lambda a: layer_norm(np.asarray(a), gamma.copy(), beta.copy())

    def block(i):
        W, layers = ([model[name][i].copy() for name in names.split()] for names in ("W_Q W_K W_V W_O", "W_1 b_1 W_2 b_2"))
        norm_1, norm_2 = (norm(model[f"gamma_{k}"][i], model[f"beta_{k}"][i]) for k in (1, 2))

        def attention(a):
            a = np.asarray(a)
            mask = causal_mask(a.shape[-2])
            if seen is not None:
                Q, K, V = (split_heads(part, num_heads) for part in project_qkv(a, *W[:3]))
                seen.append(np.asarray(scaled_dot_product_attention(Q, K, V, mask)[1]))
            return multi_head_attention(a, *W, num_heads, mask)

        return lambda x: np.asarray(transformer_block(x, attention, lambda a: feed_forward(np.asarray(a), *layers), norm_1, norm_2))

    return [block(i) for i in range(len(model["W_Q"]))], norm(model["gamma"], model["beta"])


class Plays:
    """The model of plays, from the file beside this notebook; `run` runs it on your functions."""

    def __init__(self, run):
        self.run = run
        try:
            with np.load("plays.npz") as archive:
                stored = dict(archive)
        except FileNotFoundError:
            raise FileNotFoundError("put plays.npz, which came with this notebook, into its folder") from None
        self.merges = stored.pop("merges").tolist()
        self.pieces = [bytes([number]) for number in range(256)]
        for left, right in self.merges:
            self.pieces.append(self.pieces[left] + self.pieces[right])
        # Whole numbers from -127 to 127, and by what each row or column is multiplied.
        self.model = {name: stored[name] * stored.get(f"{name}_scale", 1.0) for name in stored if not name.endswith("_scale")}

    def tokens(self, text):
        """Its tokens, by the merges that `train` of the exercise `tokenizer` has learned."""
        tokens = list(text.encode())
        for new, pair in enumerate(self.merges, start=256):
            i = 0
            while i < len(tokens) - 1:
                if tokens[i : i + 2] == pair:
                    tokens[i : i + 2] = [new]
                i += 1
        return tokens

    def text(self, tokens):
        return b"".join(self.pieces[token] for token in tokens).decode(errors="replace")

    def scores(self, tokens, seen=None):
        """Those of all tokens behind each of these, of which the last 128 are read."""
        return self.run(self.model, 6, tokens[-128:], seen)

    def looks(self, tokens):
        """Where the heads look, (blocks, heads, n, n)."""
        seen = []
        self.scores(tokens, seen)
        return np.array(seen)

    def write(self, prompt, length, temperature, top_k, seed):
        """Print the prompt and so many tokens more, as they come, and return them."""
        tokens, draw, begun = self.tokens(prompt or "\n"), np.random.default_rng(seed), time.perf_counter()
        print(prompt, end="")
        for _ in range(length):
            scores = self.scores(tokens)[-1]
            best = np.argsort(-scores)[: max(top_k, 1)]
            shares = np.exp((scores[best] - scores[best[0]]) / max(temperature, 1e-6))
            tokens.append(int(draw.choice(best, p=shares / shares.sum())))
            print(self.text(tokens[-1:]), end="", flush=True)
        print(f"\n\n{length / (time.perf_counter() - begun):.0f} tokens per second")
        return self.text(tokens)

    def jobs(self):
        """What each head, (blocks, heads), gives on average to the token before, to line ends, and to what is to be copied.

        The first two are measured on six lines; the third on 60 drawn tokens and the same once more, where whoever wants to know
        what comes next must look behind the same token in the first half.
        """
        tokens = self.tokens(SIX_LINES)
        looks, places = self.looks(tokens), np.arange(1, len(tokens))
        ends = [i for i, token in enumerate(tokens) if b"\n" in self.pieces[token]]
        drawn = np.random.default_rng(1).choice(np.unique(tokens), size=60).tolist()
        again, second = self.looks(drawn + drawn), np.arange(60, 119)
        return {
            "the token before": looks[..., places, places - 1].mean(axis=-1),
            "line ends": looks[..., ends[0] :, ends].sum(axis=-1).mean(axis=-1),
            "what followed the same token": again[..., second, second - 59].mean(axis=-1),
        }

    def show_jobs(self, text):
        """The shares of all heads in three jobs, and a picture of the best head for each of the first two."""
        tokens = self.tokens(text)
        names, looks = [self.text([token]).replace("\n", "⏎").replace(" ", "·") for token in tokens], self.looks(tokens)
        for job, shares in self.jobs().items():
            print(f"\nGiven to {job}")
            tools.table(shares, [f"block {i}" for i in range(3)], [f"head {j}" for j in range(6)])
            block, head = np.unravel_index(shares.argmax(), shares.shape)
            if shares.max() > 0.2:
                own, title = looks[block, head], f"Head {head} of block {block}: {job}"
                tools.heatmap(own, names, names, title, np.char.mod("%.1f", own), xlabel="key (looked at)", ylabel="query")


SIX_LINES = """ROMEO:
But, soft! what light through yonder window breaks?
It is the east, and Juliet is the sun.

JULIET:
O Romeo, Romeo! wherefore art thou Romeo?
Deny thy father and refuse thy name;
"""


# %%
import numpy as np

# %% practice
class Practice:
    """What holds of any right answer, for tools.practice: no line here computes a whole one."""

    def positional_encoding(t):
        n, d_model = int(t.rng.integers(3, 9)), 2 * int(t.rng.integers(1, 5))
        encoding = np.asarray(t.call(n_positions=n, d_model=d_model))
        t.shape("the encoding", encoding, n, d_model)
        t.near("In each pair the squares of sine and cosine sum to 1.", (encoding**2).reshape(n, -1, 2).sum(axis=-1), np.ones((n, d_model // 2)))
        t.near("Position 0 is 0, 1, 0, 1, …", encoding[0], [0.0, 1.0] * (d_model // 2))
        p, hand = int(t.rng.integers(n)), int(t.rng.integers(d_model // 2))
        t.near("One sine, by the formula.", encoding[p, 2 * hand], math.sin(p / 10000 ** (2 * hand / d_model)))
        t.near("The dot product of neighbours is the same everywhere.", encoding[0] @ encoding[1], encoding[-2] @ encoding[-1])

    def layer_norm(t):
        lead, (n, d_model) = t.lead(), t.sizes(2)
        x, gamma, beta = 5 + 3 * t.normal(*lead, n, d_model), t.normal(d_model), t.normal(d_model)
        normed = np.asarray(t.call(x=x, gamma=gamma, beta=beta, eps=float(t.rng.uniform(0.1, 1.0))))
        t.shape("the normalised tokens", normed, *lead, n, d_model)
        plain = np.asarray(t.again(gamma=np.ones(d_model), beta=np.zeros(d_model)))
        t.near("Gain and shift come at the end, feature by feature.", normed, gamma * plain + beta)
        t.near("Before them, the mean of every token is 0.", plain.mean(axis=-1), np.zeros((*lead, n)))
        exact = np.asarray(t.again(gamma=np.ones(d_model), beta=np.zeros(d_model), eps=0.0))
        t.near("With eps = 0 the mean of their squares is 1.", (exact**2).mean(axis=-1), np.ones((*lead, n)))
        token = t.place((*lead, n))
        spread = sum((one - x[token].mean()) ** 2 for one in x[token]) / d_model
        t.near("eps is added to the variance, under the root.", (plain[token] ** 2).mean(), spread / (spread + t.given["eps"]))
        t.near("Adding 7 to every feature of x changes nothing.", t.again(x=x + 7.0), normed)
        t.near("Where all features are equal, the result is beta.", t.again(x=np.full(x.shape, 4.0)), np.broadcast_to(beta, x.shape))

    def gelu(t):
        shape = (*t.lead(), *t.sizes(2))
        x = t.normal(*shape) * 2
        y = np.asarray(t.call(x=x))
        t.shape("the result", y, *shape)
        t.near("gelu(x) minus gelu(-x) is x.", np.asarray(y) - np.asarray(t.again(x=-x)), x)
        place = t.place(shape)
        t.near("One number, by the formula.", y[place], x[place] * math.erfc(-x[place] / math.sqrt(2)) / 2)

    def feed_forward(t):
        lead, (n, d_model, d_hidden) = t.lead(), t.sizes(3)
        x, W_1, b_1 = t.normal(*lead, n, d_model), t.normal(d_model, d_hidden), t.normal(d_hidden)
        W_2, b_2 = t.normal(d_hidden, d_model), t.normal(d_model)
        output = np.asarray(t.call(x=x, W_1=W_1, b_1=b_1, W_2=W_2, b_2=b_2))
        t.shape("the output", output, *lead, n, d_model)
        t.near("Where no hidden number is positive, the result is b_2.", t.again(b_1=b_1 - 1000.0), np.broadcast_to(b_2, x.shape))
        *at, feature = t.place(x.shape)
        wanted = b_2[feature]
        for j in range(d_hidden):
            wanted += max(0.0, float(np.dot(x[tuple(at)], W_1[:, j])) + b_1[j]) * W_2[j, feature]
        t.near("One number, added up.", output[(*at, feature)], wanted)

    def cross_attention(t):
        lead, (n, m, d_model, d_k, d_v) = t.lead(), t.sizes(5)
        X_queries, X_keys = t.normal(*lead, n, d_model), t.normal(*lead, m, d_model)
        W_Q, W_K, W_V = t.normal(d_model, d_k), t.normal(d_model, d_k) / d_model, t.normal(d_model, d_v)
        W_Q *= (1.0, 1000.0)[t.rng.integers(2)]
        output = np.asarray(t.call(X_queries=X_queries, X_keys=X_keys, W_Q=W_Q, W_K=W_K, W_V=W_V))
        t.shape("the output", output, *lead, n, d_v)
        t.near("Keys in another order change nothing.", t.again(X_keys=X_keys[..., ::-1, :].copy()), output)
        same = np.broadcast_to(X_keys[..., :1, :], X_keys.shape).copy()
        t.near("Where all keys are one token, every query gets its value.", t.again(X_keys=same), np.broadcast_to(same[..., :1, :] @ W_V, np.shape(output)))
        *at, i, feature = t.place(np.shape(output))
        query, keys = X_queries[(*at, i)] @ W_Q, X_keys[tuple(at)]
        scores = [float(np.dot(query, key @ W_K)) / math.sqrt(d_k) for key in keys]
        powers = [math.exp(score - max(scores)) for score in scores]
        wanted = sum(power * float(np.dot(key, W_V[:, feature])) for power, key in zip(powers, keys)) / sum(powers)
        t.near("One number, added up key by key.", output[(*at, i, feature)], wanted)

    def transformer_block(t):
        lead, (n, d_model) = t.lead(), t.sizes(2)
        x, shift, W = t.normal(*lead, n, d_model), t.normal(d_model), t.normal(d_model, d_model)
        parts = {"attention": lambda a: np.tanh(a @ W) + 1.0, "feed_forward": lambda a: np.cos(a) - shift}
        parts |= {"norm_1": lambda a: np.arctan(a) + shift, "norm_2": lambda a: 2.0 * np.sin(a)}
        output = np.asarray(t.call(x=x, **parts))
        t.shape("the output", output, *lead, n, d_model)

        def nothing(a):
            return np.zeros(np.shape(a))

        t.near("Where both parts add nothing, the result is x.", t.again(attention=nothing, feed_forward=nothing), x)
        halfway = np.asarray(t.again(feed_forward=nothing))
        t.near("Attention gets the normalised tokens, and its output is added to x.", halfway, x + parts["attention"](parts["norm_1"](x)))
        t.near("feed_forward gets that sum, normalised, and its output is added to it.", output, halfway + parts["feed_forward"](parts["norm_2"](halfway)))

    def language_model(t):
        lead, (n, vocabulary), d_model = t.lead(), t.sizes(2), 2 * int(t.rng.integers(1, 5))
        tokens, embedding = t.rng.integers(vocabulary, size=(*lead, n)), t.normal(vocabulary, d_model)
        W, read = t.normal(d_model, d_model), []
        functions = [lambda a: np.tanh(a @ W) + 1.0, lambda a: np.cos(a) - a, lambda a: 2.0 * np.arctan(a)]
        noted = [lambda a, function=function: (read.append(np.array(a)), function(np.asarray(a)))[1] for function in functions]
        scores = np.asarray(t.call(tokens=tokens, embedding=embedding, blocks=noted[:2], norm=noted[2]))
        t.shape("the scores", scores, *lead, n, vocabulary)
        read.clear()
        tokens = tokens[(0,) * len(lead)]  # one sequence: of several, each may be read by itself
        scores = np.asarray(t.again(tokens=tokens))
        t.holds("Every block is called once, and the norm once.", len(read) == 3)
        stream, after_one, after_two = read
        i, feature = t.place((n, d_model))
        angle = i / 10000 ** (feature // 2 * 2 / d_model)
        wanted = embedding[tokens[i], feature] + (math.cos(angle) if feature % 2 else math.sin(angle))
        t.near("The first block gets the token's row plus the wave of its position.", stream[i, feature], wanted)
        t.near("The second block gets what the first one returned.", after_one, functions[0](stream))
        t.near("The norm gets what the last block returned.", after_two, functions[1](after_one))
        normed, token = functions[2](after_two)[i], int(t.rng.integers(vocabulary))
        t.near("One score, added up.", scores[i, token], sum(float(a) * float(b) for a, b in zip(normed, embedding[token])))

# %%
tools.count_tries(False)  # True counts my tries, for me and my teacher; never graded, never sent

# %% oracles
"""The definitions, written the slow way: one entry or one row at a time. Hidden checks compare with these."""


def different_sizes(count):
    """So many sizes, all different, none a perfect square."""
    return [int(size) for size in rng.permutation([2, 3, 5, 6, 7, 8])[:count]]


def batches():
    """Sizes (*lead, n, d_model): no leading axis to three, also where all are equal or some are 1."""
    n = int(rng.integers(3, 6))
    drawn = [different_sizes(2), sorted(different_sizes(3)), different_sizes(4), (2, *different_sizes(4))]
    return [*drawn, (n, n, n), (n, n, n, n), (1, 2, 3), (3, 1, 1, 2)]


def random_weights(d_in, d_out):
    """A weight matrix that keeps the size of what it multiplies."""
    return rng.normal(size=(d_in, d_out)) / math.sqrt(d_in)


def positions_by_definition(n_positions, d_model, first=0):
    """Feature 2i of position p is sin(p / 10000^(2i / d_model)), its right neighbour the cosine of the same."""
    rows = []
    for p in range(first, n_positions):
        angles = [p / 10000 ** (2 * i / d_model) for i in range(d_model // 2)]
        rows.append([wave for angle in angles for wave in (math.sin(angle), math.cos(angle))])
    return np.array(rows)


def normed_by_definition(x, gamma, beta, eps=1e-5):
    """One row at a time: less its mean, by the root of its variance plus eps; then gain and shift."""
    rows = []
    for row in x.reshape(-1, x.shape[-1]).tolist():
        mean = math.fsum(row) / len(row)
        variance = math.fsum((number - mean) ** 2 for number in row) / len(row)
        rows.append([(number - mean) / math.sqrt(variance + eps) for number in row])
    return np.array(rows).reshape(x.shape) * gamma + beta


def gelu_by_definition(x):
    """Each number times the share of the bell curve to its left, which erfc gives without cancellation."""
    shares = [number / 2 * math.erfc(-number / math.sqrt(2)) for number in x.ravel().tolist()]
    return np.array(shares).reshape(x.shape)


def fed_forward_by_definition(x, W_1, b_1, W_2, b_2):
    """One token at a time."""
    rows = []
    for token in x.reshape(-1, x.shape[-1]):
        hidden = [max(0.0, float(np.dot(token, column)) + bias) for column, bias in zip(W_1.T, b_1)]
        rows.append([float(np.dot(hidden, column)) + bias for column, bias in zip(W_2.T, b_2)])
    return np.array(rows).reshape(*x.shape[:-1], len(b_2))


def crossed_by_definition(X_queries, X_keys, W_Q, W_K, W_V):
    """One query at a time."""
    Q, K, V = (np.einsum("...nd,dk->...nk", X, W) for X, W in ((X_queries, W_Q), (X_keys, W_K), (X_keys, W_V)))
    output = np.zeros((*Q.shape[:-1], V.shape[-1]))
    for place in np.ndindex(Q.shape[:-1]):
        keys, values = K[place[:-1]], V[place[:-1]]
        scores = [float(np.dot(Q[place], key)) / math.sqrt(len(key)) for key in keys]
        powers = [math.exp(score - max(scores)) for score in scores]
        output[place] = sum(power * value for power, value in zip(powers, values)) / math.fsum(powers)
    return output


def drawn_parts(n, d_model):
    """Two norms, an attention and a feed-forward layer: four functions of one array that cannot change places."""
    shift_1, shift_2, bias = (rng.normal(size=d_model) for _ in range(3))
    shares = rng.dirichlet(np.ones(n), size=n)
    W_V, W_1, W_2 = (random_weights(d_model, d_model) for _ in range(3))

    def attention(a):
        return np.tanh(shares @ np.asarray(a) @ W_V) + bias

    def feed(a):
        return np.cos(np.asarray(a) @ W_1) @ W_2 + 1.0

    def norm_1(a):
        return 2.0 * np.arctan(np.asarray(a)) + shift_1

    def norm_2(a):
        return np.asarray(a) / (1.0 + np.abs(a).sum(axis=-1, keepdims=True)) - shift_2

    return attention, feed, norm_1, norm_2


def block_by_definition(x, attention, feed, norm_1, norm_2):
    """What attention makes of the normed x is added to x; then the same with the second norm and feed."""
    after_attention = x + attention(norm_1(x))
    return after_attention + feed(norm_2(after_attention))


def scores_by_definition(tokens, embedding, blocks, norm):
    """One token at a time: its row and its waves; then the blocks and the norm; a dot product with every row."""
    stream = np.zeros((*tokens.shape, embedding.shape[1]))
    waves = positions_by_definition(*stream.shape[-2:])
    for place in np.ndindex(tokens.shape):
        stream[place] = embedding[tokens[place]] + waves[place[-1]]
    for block in blocks:
        stream = block(stream)
    return np.einsum("...d,td->...t", norm(stream), embedding)


# %% [markdown]
# ## Warm-up: two habits of NumPy
#
# Nothing here is graded. A column `(3, 1)` and a row `(2,)` make a table `(3, 2)`: every number of the column is
# combined with every number of the row. A slice with a step picks every second feature, to read or to write. Write
# down your guesses, then run the cell.

# %%
print("a column times a row:", (np.arange(3)[:, None] * np.array([1.0, 0.1])).tolist())
table = np.zeros((2, 6))
table[:, 0::2], table[:, 1::2] = 7.0, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
print(table.tolist())
del table

# %% [markdown]
# ## Part one: what goes in
#
# ### 1. Where a token is: `positional_encoding`
#
# Shuffle the tokens of a sentence, and attention without a mask gives the same outputs, shuffled. To attention, a
# sentence is a bag of words: "dog bites man" and "man bites dog" are the same to it. So before anything else, we
# *add* something to each token that says where it is.
#
# The number of the position itself would not work: it grows without limit. Waves do not. Picture a clock with
# several hands, each slower than the one before. One glance at all hands tells the time, and no hand ever leaves
# the dial. Each hand is a pair of features, the sine and the cosine of its angle:
#
# $$P_{p,\,2i} = \sin\!\left(\frac{p}{10000^{2i/d_\text{model}}}\right), \qquad
#   P_{p,\,2i+1} = \cos\!\left(\frac{p}{10000^{2i/d_\text{model}}}\right)$$
#
# | symbol | runs over | is |
# |---|---|---|
# | $p$ | 0, 1, …, `n_positions` − 1 | the position, a row |
# | $i$ | 0, 1, …, `d_model`/2 − 1 | the hand, a **pair** of neighbouring features |
#
# The first hand turns by 1 radian from token to token, the last ones hardly move. Note that both features
# of a pair have the same angle.


# %% step="positional_encoding" points=14
def positional_encoding(n_positions, d_model):
    """One row of waves for every position, to be added to the tokens.

    Arguments
        n_positions: whole number, 1 or more
        d_model: whole number, even, 2 or more

    Returns
        (n_positions, d_model): row p belongs to position p, counted from 0. Features 0, 2, 4, ... are sines,
        features 1, 3, 5, ... are cosines

    Rules
        Features 2i and 2i + 1 are sine and cosine of the same angle, p / 10000^(2i / d_model).
        The result has two axes, also for a single position.
        Every number is right to 0.00002, also at thousands of positions.
    """
    ### BEGIN SOLUTION
    positions = np.arange(n_positions)[:, None]
    angles = positions / 10000.0 ** (np.arange(0, d_model, 2) / d_model)
    encoding = np.empty((n_positions, d_model))
    encoding[:, 0::2], encoding[:, 1::2] = np.sin(angles), np.cos(angles)
    return encoding
    ### END SOLUTION


# %% check="positional_encoding-by_hand" points=4 category="positions"
"""With two features, position p has the sine and the cosine of p."""
agree(
    positional_encoding(3, 2),
    [[0.0, 1.0], [0.8414709848, 0.5403023059], [0.9092974268, -0.4161468365]],
    "the encoding",
    "There is one hand, with the angle p. Which feature is its sine, and what is the angle of the first row?",
    show=True,
)

# %% check="positional_encoding-two_hands" points=3 category="positions"
"""With four features there is a second hand, a hundred times as slow as the first."""
agree(
    positional_encoding(3, 4),
    [
        [0.0, 1.0, 0.0, 1.0],
        [0.8414709848, 0.5403023059, 0.0099998333, 0.9999500004],
        [0.9092974268, -0.4161468365, 0.0199986667, 0.9998000067],
    ],
    "the encoding",
    "By which angle does each of the two hands turn from row 0 to row 1?",
    show=True,
)

# %% check="positional_encoding-a_single_row" points=0 category="edge cases"
"""A single position also gives a table, with one row."""
agree(positional_encoding(1, 4), [[0.0, 1.0, 0.0, 1.0]], "the encoding", "How many axes does your result have?")

# %% check="positional_encoding-position_5000" points=0 category="positions"
"""Position 5,000 has the sine and the cosine of 5,000 and of 50."""
wanted = [[math.sin(5000.0), math.cos(5000.0), math.sin(50.0), math.cos(50.0)]]
agree(positional_encoding(5001, 4)[-1:], wanted, "the last row", "Print the angle at this position: is it the position times the speed of its pair, to all digits?")

# %% check="positional_encoding-any_size" points=5 category="positions" hidden=true
"""Many or few positions, many or few features, and as many positions as features."""
n = int(rng.integers(3, 8))
for n_positions, d_model in (
    (int(rng.integers(20, 40)), 2 * int(rng.integers(3, 8))),
    (int(rng.integers(3, 7)), 2 * int(rng.integers(9, 15))),
    (2 * n, 2 * n),
    (2 * n, 4),
    (n, 2),
    (2, 6),
):
    wanted = positions_by_definition(n_positions, d_model)
    got = positional_encoding(n_positions, d_model)
    agree(got, wanted, "the encoding", "How many hands does your clock have, and what makes one slower than the other?")
n_positions = int(rng.integers(5010, 5100))  # 5000 rows are what many keep in a table
got = positional_encoding(n_positions, 18)
wanted = positions_by_definition(n_positions, 18, n_positions - 60)
agree(got[-60:], wanted, "the last of thousands of positions", "Print the angle at this position: is it the position times the speed of its pair, to all digits?")

# %% check="positional_encoding-one_position" points=2 category="edge cases" hidden=true
"""A single position still gives a table, with one row."""
for d_model in (2, 4, 2 * int(rng.integers(5, 9))):
    wanted = positions_by_definition(1, d_model)
    agree(positional_encoding(1, d_model), wanted, "the encoding", "How many axes does your result have?")

# %% [markdown]
# Here is a larger table as a picture, 100 positions in 64 features. Each row is a position: read it from left to right.
# Bright is 1, dark is −1. On the left the waves are fast, on the right they have hardly begun.
#
# The second picture asks how similar the rows of a table of 24 positions are, by their dot product with row 12. It is
# largest at 12 itself and the same for 12 + k and 12 − k: only the *distance* counts. (The humps on both sides come
# from the fastest hand, which has gone round once after $2\pi$, a little more than 6 positions.) Queries and keys can
# learn to use that, and a head that looks at "the token before me" becomes possible.


# %%
@tools.demo
def waves():
    encoding = np.asarray(positional_encoding(24, 16), dtype=float)
    positions = [f"{p}" for p in range(24)]
    print("The first three positions in 16 features:")
    tools.table(encoding[:3], positions[:3], [f"f{j}" for j in range(16)])

    def draw(axes):
        axes.imshow(positional_encoding(100, 64), cmap="cividis", aspect="auto")
        axes.set(title="Positions 0 to 99 in 64 features", xlabel="feature", ylabel="position")

    tools.picture(draw, (7.0, 4.5), "Heatmap: positions 0 to 99 in 64 features. The text above says the same.")

    likeness = encoding @ encoding[12]
    print("Dot product of position 12 with positions 8 to 16")
    tools.table([likeness[8:17]], ["12"], positions[8:17])
    tools.curves(np.arange(24), {"with position 12": likeness}, "How similar two positions are", "position", "dot product")


# %% question="order_blind" kind="choice" points=0 hidden=true
"""A model without positional encoding and without a mask reads "dog bites man", and then "man bites dog". What does
its self-attention return for the word "dog"?

a: the same vector both times
b: two vectors, because the place of "dog" differs
c: two vectors, because the word after "dog" differs
d: the vector of "bites" both times
"""
order_blind = "a"

# %% [markdown]
# ## Part two: what keeps it running
#
# ### 2. Keep every token in range: `layer_norm`
#
# A deep model adds to its tokens again and again. Without care some tokens become a thousand times as large as
# others, and softmax and gradients suffer. **Layer normalisation** brings each token back: it subtracts the mean
# of the token's features and divides by their standard deviation. Two learned vectors then give the model the
# freedom to undo that, feature by feature: a gain $\gamma$ and a shift $\beta$.
#
# $$\mu = \frac1d \sum_j x_j, \qquad \sigma^2 = \frac1d \sum_j (x_j - \mu)^2, \qquad
#   y_j = \gamma_j \, \frac{x_j - \mu}{\sqrt{\sigma^2 + \varepsilon}} + \beta_j$$
#
# Here $x$ is **one token** and $d$ the number of its features. No token depends on any other, so it does not
# matter what else is in the batch. The small $\varepsilon$ is added to the variance, under the root: a token
# whose features are all equal has no spread at all, and even then there is no division by 0.


# %% step="layer_norm" points=18
def layer_norm(x, gamma, beta, eps=1e-5):
    """Every token with mean 0 and spread 1, then scaled by gamma and shifted by beta.

    Shapes
        x: (..., n, d_model), any number of leading axes
        gamma, beta: (d_model,): one gain and one shift for each feature
        eps: a number, 0 or more; 0.00001 unless told otherwise

    Returns
        (..., n, d_model)

    Rules
        Mean and variance are those of a token's own features. The variance is the mean of the squared
        distances: divided by d_model, not by d_model - 1.
        eps is added to the variance, under the root.
        A token whose features are all equal becomes beta, for every eps above 0.
        The inputs stay as they are.
    """
    ### BEGIN SOLUTION
    x = np.asarray(x, dtype=float)
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred**2).mean(axis=-1, keepdims=True)
    return gamma * centred / np.sqrt(variance + eps) + beta
    ### END SOLUTION


# %% check="layer_norm-by_hand" points=4 category="statistics"
"""One token with mean 2 and spread 1, one with mean 3 and spread 3, no gain, no shift, no eps."""
agree(
    layer_norm(np.array([[1.0, 3.0, 1.0, 3.0], [0.0, 0.0, 6.0, 6.0]]), np.ones(4), np.zeros(4), 0.0),
    [[-1.0, 1.0, -1.0, 1.0], [-1.0, -1.0, 1.0, 1.0]],
    "the normalised tokens",
    "What are the mean and the variance of your second row?",
    show=True,
)

# %% check="layer_norm-gain_and_shift" points=2 category="statistics"
"""In a batch of two, every feature has its own gain and shift."""
agree(
    layer_norm(
        np.array([[[1.0, 3.0], [6.0, 2.0]], [[0.0, 10.0], [-1.0, -7.0]]]),
        np.array([2.0, 10.0]),
        np.array([100.0, 0.5]),
        eps=0.0,
    ),
    [[[98.0, 10.5], [102.0, -9.5]], [[98.0, 10.5], [102.0, -9.5]]],
    "the normalised tokens of the batch",
    "Before gain and shift every row is -1, 1 or 1, -1. Which gain belongs to which column?",
    show=True,
)

# %% check="layer_norm-eps" points=2 category="statistics"
"""Variance 1 and eps 3 make a root of 2; where all features are equal, the result is the shift."""
agree(
    layer_norm(np.array([[1.0, 3.0], [5.0, 5.0]]), np.ones(2), np.array([0.0, 4.0]), 3.0),
    [[-0.5, 4.5], [0.0, 4.0]],
    "the normalised tokens",
    "What do you divide by in row 0, and what is added where?",
    show=True,
)

# %% check="layer_norm-eps_of_its_own" points=0 category="statistics"
"""The default eps is 0.00001: a token with a spread of 0.01 is divided by the root of 0.00011."""
agree(
    layer_norm(np.array([[-0.01, 0.01]]), np.ones(2), np.zeros(2)),
    [[-0.9534625892, 0.9534625892]],
    "the normalised token",
    "What is the default of eps?",
)

# %% check="layer_norm-any_batch" points=4 category="shapes" hidden=true
"""Tokens of very different mean and size, any number of leading axes, sizes that are equal or 1, one very large feature."""
for *lead, n, d_model in batches():
    spread, middle = rng.uniform(0.5, 4.0, size=(*lead, n, 1)), rng.uniform(-8.0, 8.0, size=(*lead, n, 1))
    x = middle + spread * rng.normal(size=(*lead, n, d_model))
    gamma, beta, eps = rng.uniform(0.5, 2.0, size=d_model), rng.normal(size=d_model), float(rng.uniform(0.1, 2.0))
    gamma[0] *= -1.0
    wanted = normed_by_definition(x, gamma, beta, eps)
    got = layer_norm(x, gamma, beta, eps)
    agree(got, wanted, "the normalised tokens", "Change one token. Do the others change?")
x, gamma, beta = rng.normal(size=(3, 120)), np.ones(120), np.zeros(120)
x[0, int(rng.integers(120))], x[1, int(rng.integers(120))] = 50.0, -50.0  # some 10 times the spread
x[2] += 40.0  # a mean of 40 times the spread
wanted = normed_by_definition(x, gamma, beta)
agree(layer_norm(x, gamma, beta), wanted, "tokens with features far from zero", "How large may a normalised number be, and which digits of the variance are left?")

# %% check="layer_norm-small_tokens" points=2 category="edge cases" hidden=true
"""The default eps with tokens so small that it matters, and other values of eps."""
n, d_model = int(rng.integers(2, 7)), 5
x, gamma, beta = 0.004 * rng.normal(size=(n, d_model)), rng.uniform(0.5, 2.0, size=d_model), rng.normal(size=d_model)
wanted = normed_by_definition(x, gamma, beta)
agree(layer_norm(x.copy(), gamma.copy(), beta.copy()), wanted, "the normalised tokens", "What is the default of eps?")
for eps in (0.0, 1e-4, 1e-6):
    wanted = normed_by_definition(x, gamma, beta, eps)
    agree(layer_norm(x.copy(), gamma.copy(), beta.copy(), eps=eps), wanted, "the normalised tokens", "Which eps did the caller ask for?")
for size, eps in ((1e-4, 1e-5), (1e-5, 1e-10), (1e-7, 1e-14), (1e-3, 0.0), (1e-6, 0.0), (1e-10, 0.0)):
    x = size * rng.normal(size=(n, d_model))
    wanted = normed_by_definition(x, gamma, beta, eps)
    agree(layer_norm(x, gamma.copy(), beta.copy(), eps), wanted, "tokens that are tiny", "Does your function treat a small spread differently?")

# %% check="layer_norm-equal_features" points=2 category="edge cases" hidden=true
"""A token of equal features becomes the shift, also with a single feature; other tokens do not change."""
n, d_model = int(rng.integers(3, 7)), 5
x, gamma, beta = 300 * rng.normal(size=(n, d_model)), rng.uniform(0.5, 2.0, size=d_model), rng.normal(size=d_model)
x[0], x[-1] = 0.0, float(rng.integers(-32, 33)) / 8
wanted = normed_by_definition(x, gamma, beta)
agree(layer_norm(x, gamma, beta), wanted, "the normalised tokens", "What is the variance of equal numbers?")
x, gamma, beta = rng.integers(-9, 10, size=(n, 1)) / 4, np.array([3.0]), rng.normal(size=1)
wanted = normed_by_definition(x, gamma, beta)
agree(layer_norm(x, gamma, beta), wanted, "tokens of one feature", "What is left of a single number after you subtract its mean?")
# A hundred tokens whose squares have no exact mean, for a third of which the mean of the squares comes out below the square
# of the mean, by more than eps. In float32 they are whole numbers, whose mean is exact; in float64 the mean is off by 3e-13 at
# most, which even by the root of eps is no more than 1e-7.
x = np.repeat(rng.integers(730, 1000, size=(100, 1)) + rng.uniform(1e-6, 2e-5, size=(100, 1)), 7, axis=1)
gamma, beta = rng.uniform(0.5, 2.0, size=7), rng.normal(size=7)
wanted = np.tile(beta, (100, 1))
agree(layer_norm(x, gamma, beta, 1e-11), wanted, "large tokens of equal features with a small eps", "Print the variance of each token: is any of them below 0?")

# %% check="layer_norm-inputs_unchanged" points=2 category="purity" hidden=true
"""Tokens, gain and shift stay as they are, and a second call gives the same answer."""
n, d_model = int(rng.integers(3, 7)), 5
for lead in ((), (2,)):
    x, gamma, beta = 300 * rng.normal(size=(*lead, n, d_model)), rng.uniform(0.5, 2.0, size=d_model), rng.normal(size=d_model)
    x[..., 0, :], x[..., -1, :] = 4.0, 0.0  # two tokens of equal features, which some put right before they begin
    wanted = normed_by_definition(x, gamma, beta)
    with tools.unchanged(x=x, gamma=gamma, beta=beta):
        agree(layer_norm(x, gamma, beta), wanted, "the first answer")
        agree(layer_norm(x, gamma, beta), wanted, "the second answer")

# %% [markdown]
# What is it good for? Below, each of 32 random layers adds something to the tokens. In one run each layer
# reads the tokens as they are, in the other it reads your normalised ones. How large have the tokens become after 32 layers?


# %%
@tools.demo
def thirty_two_layers():
    noise = np.random.default_rng(1)
    plain = normed = noise.normal(size=(10, 24))
    sizes = [[plain.std(), normed.std()]]
    for _ in range(32):
        W = noise.normal(size=(24, 24)) / math.sqrt(24)
        plain = plain + plain @ W
        normed = normed + np.asarray(layer_norm(normed, np.ones(24), np.zeros(24))) @ W
        sizes.append([plain.std(), normed.std()])
    print("Spread of the tokens")
    tools.table(np.array(sizes)[::8].T, ["read as they are", "read normed"], [f"layer {k}" for k in range(0, 33, 8)], 1)
    logarithms = np.log10(np.array(sizes).T)
    lines = {"read as they are": logarithms[0], "read normed": logarithms[1]}
    tools.curves(np.arange(33), lines, "Spread of the tokens, as a power of ten", "layer", "power of ten")


# %% question="ten_times_larger" kind="choice" points=0 hidden=true
"""Every feature of a token is multiplied by ten. Its features differ by far more than the root of eps. What becomes of the
output of layer_norm?

a: it stays nearly the same
b: it is multiplied by ten
c: it is divided by ten
d: only beta is left
"""
ten_times_larger = "a"

# %% [markdown]
# ### 3. A soft switch: `gelu`
#
# Between two matrix products there must be a non-linearity, also called an **activation**; without it, two
# matrices are no more than one. The simplest activation is **ReLU**: keep a positive number, set a negative one to 0.
# It has a corner at 0, and to the left of it the slope is 0, so a feature that ends up there may never recover.
#
# **GELU**, the activation of BERT, is a smooth ReLU. It multiplies each number by the share of the bell curve
# to its left: a large number keeps its whole value, a very negative one becomes 0, and 0 is in the middle.
#
# $$\operatorname{gelu}(x) = x \cdot \Phi(x), \qquad
#   \Phi(x) = \frac12 \left( 1 + \operatorname{erf}\frac{x}{\sqrt 2} \right)$$
#
# **Where does erf come from?** NumPy has none, but Python does: `math.erf` takes one number. To use it on an
# array, call it for each entry in a loop, or let `np.vectorize(math.erf)` do that: it turns a function of numbers
# into a function of arrays. GPT-2's form with `tanh` is an approximation, off by up to 0.0005: it is not accepted.


# %% step="gelu" points=11
def gelu(x):
    """Every number times the share of the standard normal distribution below it.

    Shapes
        x: any shape with one axis or more

    Returns
        an array of the same shape as x

    Rules
        The exact form, with erf: right to 0.00001. The approximation with tanh is not.
        Numbers up to 1e4 in size, of either sign, overflow nothing.
        The input stays as it is.
    """
    ### BEGIN SOLUTION
    x = np.asarray(x, dtype=float)
    return x * 0.5 * (1.0 + np.vectorize(math.erf)(x / math.sqrt(2.0)))
    ### END SOLUTION


# %% check="gelu-by_hand" points=3 category="values"
"""Of 1 you keep 84.13 percent, of -1 the other 15.87, of 2 you keep 97.72; 0 stays 0."""
agree(
    gelu(np.array([0.0, 1.0, -1.0, 2.0])),
    [0.0, 0.8413447461, -0.1586552539, 1.9544997361],
    "the result of gelu",
    "Which share of the bell curve is to the left of 1? And of -1?",
    show=True,
)

# %% check="gelu-table" points=2 category="shapes"
"""A table of numbers keeps its shape."""
agree(
    gelu(np.array([[0.5, -0.5], [3.0, -3.0], [-0.1, 0.0]])),
    [[0.3457312306, -0.1542687694], [2.9959503057, -0.0040496943], [-0.0460172163, 0.0]],
    "the result of gelu",
    "What happens to negative numbers, near 0 and far from it?",
    show=True,
)

# %% check="gelu-ten_thousand" points=0 category="overflow safety"
"""10,000 and 40 stay as they are, -10,000 and -40 become 0."""
agree(
    gelu(np.array([10000.0, -10000.0, 40.0, -40.0])),
    [10000.0, 0.0, 40.0, 0.0],
    "the result of gelu",
    "Print each part of your formula for 10000: is all of it finite?",
)

# %% check="gelu-drawn" points=3 category="values" hidden=true
"""Random numbers in arrays with one to four axes, each by itself."""
for shape in ((24,), different_sizes(2), different_sizes(3), (2, 1, 3, 2), (1,)):
    x = rng.uniform(-5.0, 5.0, size=shape)
    wanted = gelu_by_definition(x)
    agree(gelu(x), wanted, "the result of gelu", "Do you use the formula with erf, and all of its digits?")

# %% check="gelu-far_out" points=2 category="overflow safety" hidden=true
"""A large number stays as it is, a very negative one becomes 0, even in the thousands."""
sizes = np.array([6.5, 9.0, 27.0, 40.0, 800.0, 10000.0])
x = np.concatenate([sizes, -sizes])[rng.permutation(12)]
wanted = gelu_by_definition(x)
agree(gelu(x), wanted, "the result of gelu", "Print each part of your formula for 10000: is all of it finite?")
for first in (-40.0, 40.0, -10000.0, 10000.0):
    x = np.array([first, *rng.permutation([-1.5, -0.5, 0.5, 1.5])])
    wanted = gelu_by_definition(x)
    agree(gelu(x), wanted, "ordinary numbers after a very large one", "Does the first number affect the others?")

# %% check="gelu-inputs_unchanged" points=1 category="purity" hidden=true
"""The numbers stay as they are, and a second call gives the same answer."""
x = rng.uniform(-3.0, 3.0, size=(int(rng.integers(2, 6)), 8))
x[0] = -0.5, -1.4, 0.0, -7.0, 7.0, -50.0, -10000.0, 10000.0  # also such as some cut off before they begin
wanted = gelu_by_definition(x)
with tools.unchanged(x=x):
    agree(gelu(x), wanted, "the first answer")
    agree(gelu(x), wanted, "the second answer")

# %% [markdown]
# Compare GELU with ReLU. Where do they differ most? Look at the small dip on the left: for which numbers does GELU
# still pass something on that ReLU cuts off?


# %%
@tools.demo
def two_bends():
    x = np.linspace(-4.0, 4.0, 81)
    smooth, sharp = np.asarray(gelu(x), dtype=float), np.maximum(x, 0.0)
    lowest = x[smooth.argmin()]
    print(f"GELU is lowest at {lowest:.1f}, with {smooth.min():.3f}; ReLU never falls below 0.")
    tools.table([smooth[::10], sharp[::10]], ["gelu", "relu"], [f"{number:.0f}" for number in x[::10]], 3)
    tools.curves(x, {"gelu": smooth, "relu": sharp}, "Two activations", "x", "the result")


# %% [markdown]
# ## Part three: the parts of a block
#
# ### 4. Every token thinks for itself: `feed_forward`
#
# Attention moves information from token to token, but all it does is average. The work *on* a token is done by
# two matrices with an activation between them. The first one looks for patterns: each of its `d_ff` columns asks the
# token a question, and ReLU keeps the answers that are above 0. The second one says what to write for each
# pattern that was found.
#
# $$\operatorname{FFN}(x) = \max(0,\; x W_1 + b_1)\, W_2 + b_2$$
#
# | array | shape |
# |---|---|
# | `x` | `(..., n, d_model)` |
# | `W_1`, `b_1` | `(d_model, d_ff)`, `(d_ff,)` |
# | `W_2`, `b_2` | `(d_ff, d_model)`, `(d_model,)` |
#
# `d_ff` is usually four times `d_model`, and two thirds of a block's parameters are here. We take **ReLU**,
# as the first transformer did; newer ones use `gelu`.


# %% step="feed_forward" points=13
def feed_forward(x, W_1, b_1, W_2, b_2):
    """Two layers with ReLU between them, for every token by itself.

    Shapes
        x: (..., n, d_model), any number of leading axes
        W_1: (d_model, d_ff); b_1: (d_ff,)
        W_2: (d_ff, d_model); b_2: (d_model,)

    Returns
        (..., n, d_model)

    Rules
        The bend is ReLU, max(0, ...), and is only between the layers: what comes out may be negative.
        Sizes may be equal, or 1.
        The inputs stay as they are.
    """
    ### BEGIN SOLUTION
    return np.maximum(x @ W_1 + b_1, 0.0) @ W_2 + b_2
    ### END SOLUTION


# %% check="feed_forward-by_hand" points=3 category="values"
"""Two tokens through three hidden features: the first finds 1, 1, 1, the second finds 0, 0, 2."""
agree(
    feed_forward(
        np.array([[1.0, 2.0], [-2.0, 0.0]]),
        np.array([[1.0, 0.0, -1.0], [0.0, 1.0, 1.0]]),
        np.array([0.0, -1.0, 0.0]),
        np.array([[1.0, 0.0], [0.0, 2.0], [3.0, -9.0]]),
        np.array([10.0, 5.0]),
    ),
    [[14.0, -2.0], [16.0, -13.0]],
    "the new tokens",
    "Print the hidden features of both tokens. Are they 1, 1, 1 and 0, 0, 2?",
    show=True,
)

# %% check="feed_forward-batch_of_two" points=2 category="shapes"
"""In a batch of two, every token goes through the same two layers by itself."""
agree(
    feed_forward(
        np.array([[[1.0, 0.0], [0.0, 1.0]], [[2.0, -1.0], [-3.0, 0.0]]]),
        np.array([[1.0, 2.0], [3.0, -1.0]]),
        np.array([0.5, 0.0]),
        np.array([[2.0, 0.0], [1.0, -1.0]]),
        np.array([0.0, 1.0]),
    ),
    [[[5.0, -1.0], [7.0, 1.0]], [[5.0, -4.0], [0.0, 1.0]]],
    "the new tokens of the batch",
    "What are the hidden features of the last token, and what does ReLU leave of them?",
    show=True,
)

# %% check="feed_forward-sizes_of_one" points=0 category="edge cases"
"""One token, one feature, one hidden feature: 2 becomes 5, and 5 becomes 11."""
agree(
    feed_forward(np.array([[2.0]]), np.array([[3.0]]), np.array([-1.0]), np.array([[2.0]]), np.array([1.0])),
    [[11.0]],
    "the new token",
    "Does your hidden array keep its axes?",
)

# %% check="feed_forward-any_batch" points=4 category="shapes" hidden=true
"""Any number of leading axes and hidden features, sizes that are equal or 1, hidden features in the thousands."""
for turn, (*lead, n, d_model) in enumerate(batches()):
    d_ff = (4 * d_model + 3, int(rng.integers(2, 10)), d_model)[turn % 3]
    x, W_1, W_2 = rng.normal(size=(*lead, n, d_model)), random_weights(d_model, d_ff), random_weights(d_ff, d_model)
    b_1, b_2 = rng.normal(size=d_ff), rng.normal(size=d_model)
    b_1[0], b_1[-1] = -9.0, 9.0  # so that something is found: what becomes of a token that finds nothing is asked below
    wanted = fed_forward_by_definition(x, W_1, b_1, W_2, b_2)
    got = feed_forward(x, W_1, b_1, W_2, b_2)
    agree(got, wanted, "the new tokens", "On which side of a token do the weights go?")
# Whole numbers, so that they are exact in float32, too.
x, W_1, W_2 = (rng.integers(-50, 51, size=size).astype(float) for size in ((3, 4), (4, 5), (5, 4)))
b_1, b_2 = np.array([12000.0, -50.0, 0.0, 20.0, 1.0]), rng.integers(-9, 10, size=4).astype(float)
wanted = fed_forward_by_definition(x, W_1, b_1, W_2, b_2)
agree(feed_forward(x, W_1, b_1, W_2, b_2), wanted, "the new tokens with large hidden features", "Does your activation have an upper limit?")

# %% check="feed_forward-nothing_found" points=2 category="edge cases" hidden=true
"""A token whose hidden features are all 0 becomes the second bias; a layer may have a single hidden feature."""
n, d_model, d_ff = different_sizes(3)
W_1, W_2 = np.abs(random_weights(d_model, d_ff)), random_weights(d_ff, d_model)
b_1, b_2 = -rng.uniform(0.0, 1.0, size=d_ff), rng.normal(size=d_model)
x = -np.abs(rng.normal(size=(n, d_model)))
wanted = np.tile(b_2, (n, 1))
agree(feed_forward(x, W_1, b_1, W_2, b_2), wanted, "tokens without positive hidden features", "What is the result for hidden features of 0?")
for count, size in (different_sizes(2), (1, 1), (n, 1), (1, d_model)):
    x, W_1, W_2 = 0.3 * rng.normal(size=(count, size)), random_weights(size, 1), rng.normal(size=(1, size))
    b_1, b_2 = rng.uniform(0.5, 1.0, size=1), rng.normal(size=size)
    wanted = fed_forward_by_definition(x, W_1, b_1, W_2, b_2)
    got = feed_forward(x, W_1, b_1, W_2, b_2)
    agree(got, wanted, "the new tokens with one hidden feature", "Does your hidden array keep its axes?")

# %% check="feed_forward-inputs_unchanged" points=2 category="purity" hidden=true
"""Tokens, matrices and biases stay as they are, and a second call gives the same answer."""
n, d_model, d_ff = 5, 3, 7
W_1, W_2 = random_weights(d_model, d_ff), random_weights(d_ff, d_model)
b_1, b_2 = rng.normal(size=d_ff), rng.normal(size=d_model)
b_1[:2], W_2[0] = (9.0, -9.0), -1.0  # every token finds the one, which takes away, and not the other
for lead in ((), (2,)):
    x = rng.normal(size=(*lead, n, d_model))
    wanted = fed_forward_by_definition(x, W_1, b_1, W_2, b_2)
    with tools.unchanged(x=x, W_1=W_1, b_1=b_1, W_2=W_2, b_2=b_2):
        agree(feed_forward(x, W_1, b_1, W_2, b_2), wanted, "the first answer")
        agree(feed_forward(x, W_1, b_1, W_2, b_2), wanted, "the second answer")

# %% [markdown]
# What can two layers do that one cannot? With three hidden features and weights chosen by hand, a single number
# becomes a hat: 1 at 0, and 0 below −1 and above 1. With many hats you
# can build any curve you like.


# %%
@tools.demo
def a_hat():
    x = np.linspace(-3.0, 3.0, 61)
    hat = feed_forward(
        x[:, None], np.ones((1, 3)), np.array([1.0, 0.0, -1.0]), np.array([[1.0], [-2.0], [1.0]]), np.zeros(1)
    )
    hat = np.asarray(hat, dtype=float)[:, 0]
    print("x, and what two layers make of it")
    tools.table([x[10:51:5], hat[10:51:5]], ["x", "out"], [f"{k}" for k in range(9)])
    tools.curves(x, {"three hidden features": hat}, "A hat", "x", "out")


# %% question="weights_of_the_layers" kind="number" points=0
"""How many weights does feed_forward have for d_model = 512 and d_ff = 2048? Count the biases, too."""
weights_of_the_layers = 2 * 512 * 2048 + 2048 + 512

# %% [markdown]
# ### 5. Looking at another text: `cross_attention`
#
# A translator writes French and looks at the English. The queries come from the text that is being
# written, keys and values from the text that is read:
#
# $$Q = X_\text{queries} W_Q, \qquad K = X_\text{keys} W_K, \qquad V = X_\text{keys} W_V$$
#
# and from there on it is the attention that you know: scores, scaled by $\sqrt{d_k}$, softmax over the keys,
# weighted sum. The two texts may have different lengths. Nothing is hidden, so there is no mask.
#
# Which of the functions that you have brought over starts from `Q`, `K` and `V`?


# %% step="cross_attention" points=16
def cross_attention(X_queries, X_keys, W_Q, W_K, W_V):
    """For every token of one text, a weighted average of the values of another.

    Shapes
        X_queries: (..., n_queries, d_model); X_keys: (..., n_keys, d_model), with the same leading axes,
            any number of them
        W_Q, W_K: (d_model, d_k); W_V: (d_model, d_v), where d_v may differ from d_k

    Returns
        output (..., n_queries, d_v): an array, not a tuple

    Rules
        Scores are scaled by the square root of d_k; a query's weights sum to 1 over all keys.
        Scores up to 1e4 in size, of either sign, overflow nothing.
        There may be one query or one key.
        The inputs stay as they are.
    """
    ### BEGIN SOLUTION
    output, _ = scaled_dot_product_attention(X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V)
    return output
    ### END SOLUTION


# %% check="cross_attention-by_hand" points=3 category="values"
"""Two queries, two keys: the first query gives three quarters to key 0, the second nine tenths."""
# The queries are 1 and 2, the keys log 3 and 0, the values (20, 40, 0) and (0, 0, 0).
agree(
    cross_attention(
        np.array([[1.0, 0.0], [2.0, 5.0]]),
        np.array([[math.log(3.0), 20.0], [0.0, 0.0]]),
        np.array([[1.0], [0.0]]),
        np.array([[1.0], [0.0]]),
        np.array([[0.0, 0.0, 0.0], [1.0, 2.0, 0.0]]),
    ),
    [[15.0, 30.0, 0.0], [18.0, 36.0, 0.0]],
    "the output",
    "Print queries, keys, values, scaled scores and weights. Which of them is the first that you do not expect?",
    show=True,
)

# %% check="cross_attention-batch_of_two" points=3 category="shapes"
"""In a batch of two, one query looks at the three tokens of its own sequence, in vectors of length 4."""
# Every key is log 3 times its first feature, spread over four features. The query of sequence 0 is zero, that
# of sequence 1 is four halves.
agree(
    cross_attention(
        np.array([[[0.0, 0.0]], [[0.0, 1.0]]]),
        np.array([[[0.0, 3.0], [5.0, 6.0], [1.0, 0.0]], [[1.0, 10.0], [0.0, 5.0], [0.0, -5.0]]]),
        np.array([[0.0, 0.0, 0.0, 0.0], [0.5, 0.5, 0.5, 0.5]]),
        math.log(3.0) * np.array([[1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0]]),
        np.array([[0.0, 1.0], [1.0, 0.0]]),
    ),
    [[[3.0, 2.0]], [[6.0, 0.6]]],
    "the output of the batch",
    "The scaled scores of sequence 1 are log 3, 0 and 0. What are yours, and how many rows does your output have?",
    show=True,
)

# %% check="cross_attention-thousands" points=0 category="overflow safety"
"""Scores of 9,000 and of -9,000 give one key all the weight; a query with small scores still gets quarters."""
agree(
    cross_attention(
        np.array([[9000.0], [-9000.0], [math.log(3.0)]]), np.array([[1.0], [0.0]]), np.eye(1), np.eye(1), np.array([[8.0]])
    ),
    [[8.0], [0.0], [6.0]],
    "the output",
    "Which function gets 9,000 first, and what does it return for it?",
)

# %% check="cross_attention-one_of_each" points=0 category="edge cases"
"""One query and one key: the output is a table of one row, the value of that key."""
agree(
    cross_attention(np.array([[2.0, 1.0]]), np.array([[3.0, 5.0]]), np.eye(2), np.eye(2), 2.0 * np.eye(2)),
    [[6.0, 10.0]],
    "the output",
    "Which weight does a single key get, and how many axes does your output have?",
)

# %% check="cross_attention-any_batch" points=4 category="shapes" hidden=true
"""Texts of different and of equal length, short and long, any number of leading axes, values of their own length."""
n = int(rng.integers(3, 6))
for *lead, n_queries, n_keys, d_model, d_k, d_v in (
    (3, 40, *sorted(different_sizes(3))),
    (40, 3, *sorted(different_sizes(3), reverse=True)),
    different_sizes(6),
    (2, *different_sizes(6)),
    (n, n, n, n, n),
    (n, n, n, n, n, n),
    (1, 2, 3, 2, 3, 1),
):
    X_queries, X_keys = 1.5 * rng.normal(size=(*lead, n_queries, d_model)), 1.5 * rng.normal(size=(*lead, n_keys, d_model))
    W_Q, W_K, W_V = random_weights(d_model, d_k), random_weights(d_model, d_k), random_weights(d_model, d_v)
    wanted = crossed_by_definition(X_queries, X_keys, W_Q, W_K, W_V)
    got = cross_attention(X_queries, X_keys, W_Q, W_K, W_V)
    agree(got, wanted, "the output", "Print scores, scaled scores and weights for d_k = 8: which is the first that you do not expect?")

# %% check="cross_attention-large_scores" points=2 category="overflow safety" hidden=true
"""Scores in the thousands, positive or negative, do not overflow."""
n_queries, n_keys = 3, 5
X_queries, X_keys = (rng.integers(-16, 17, size=(n, 4)).astype(float) for n in (n_queries, n_keys))
X_queries[0], X_keys[-1], X_keys[1] = 16.0, 16.0, -16.0
X_keys[0] = X_keys[-1] + [-4.0, 4.0 - 1 / 128, 0.0, 0.0]  # to query 0 one point of score less than the last key
W_Q, W_K, W_V = (size * np.eye(4)[:, rng.permutation(4)] for size in (2.0, 8.0, 0.125))
wanted = crossed_by_definition(X_queries, X_keys, W_Q, W_K, W_V)
got = cross_attention(X_queries, X_keys, W_Q, W_K, W_V)
agree(got, wanted, "the output", "Does an exponential overflow, or a whole row become 0?")

# %% check="cross_attention-one_of_them" points=2 category="edge cases" hidden=true
"""One query and many keys, many queries and one key, one of each: the output has a row for every query."""
for n_queries, n_keys in ((1, 4), (int(rng.integers(2, 7)), 1), (1, 1)):
    d_model, d_k, d_v = different_sizes(3)
    X_queries, X_keys = rng.normal(size=(n_queries, d_model)), rng.normal(size=(n_keys, d_model))
    W_Q, W_K, W_V = random_weights(d_model, d_k), random_weights(d_model, d_k), random_weights(d_model, d_v)
    wanted = crossed_by_definition(X_queries, X_keys, W_Q, W_K, W_V)
    got = cross_attention(X_queries, X_keys, W_Q, W_K, W_V)
    agree(got, wanted, "the output", "Which weight does a single key get?")

# %% check="cross_attention-inputs_unchanged" points=2 category="purity" hidden=true
"""Both texts and the three matrices stay as they are, and a second call gives the same answer."""
n = 5  # of one size, any result would fit into the memory of any input
W_Q, W_K, W_V = random_weights(n, n), random_weights(n, n), random_weights(n, n)
for lead in ((), (3,)):
    X_queries, X_keys = rng.normal(size=(2, *lead, n, n))
    wanted = crossed_by_definition(X_queries, X_keys, W_Q, W_K, W_V)
    with tools.unchanged(X_queries=X_queries, X_keys=X_keys, W_Q=W_Q, W_K=W_K, W_V=W_V):
        agree(cross_attention(X_queries, X_keys, W_Q, W_K, W_V), wanted, "the first answer")
        agree(cross_attention(X_queries, X_keys, W_Q, W_K, W_V), wanted, "the second answer")

# %% [markdown]
# Three French words look at three English ones. The vectors are made by hand: one feature for each meaning. Your
# function returns no weights, but there is a trick: if value $j$ is 1 in feature $j$ and 0 elsewhere, the output
# *is* the weights. French puts the colour after the noun. Where does that show?


# %%
@tools.demo
def a_translator_looks():
    french, english = ["le", "chat", "noir"], ["the", "black", "cat"]
    meanings = np.eye(3)  # of the English words: article, colour, animal
    asked = np.array([[1.0, 0.0, 0.2], [0.0, 0.1, 1.0], [0.1, 1.0, 0.3]])
    weights = np.asarray(cross_attention(asked, meanings, 5.0 * np.eye(3), np.eye(3), np.eye(3)), dtype=float)
    print("Which English word does each French word look at?")
    tools.table(weights, french, english)
    texts = np.char.mod("%.2f", weights)
    tools.heatmap(weights, french, english, "French looks at English", texts, "key (read)", "query (written)")


# %% [markdown]
# ### 6. The block: `transformer_block`
#
# Picture a river that flows through the whole model, a row for every token: the **residual stream**. No part
# replaces it. Attention reads a normalised copy of the stream and *adds* its result; then the feed-forward layer
# reads a normalised copy of the new stream, and adds its result, too:
#
# $$h = x + \operatorname{attention}(\operatorname{norm}_1(x)), \qquad
#   y = h + \operatorname{feed\_forward}(\operatorname{norm}_2(h))$$
#
# ```drawing
# x[n=3, d_model=4]{columns by 4} plus attention(norm_1(x))[n=3, d_model=4] gives h[n=3, d_model=4]{columns by 4}
# h[n=3, d_model=4]{columns by 4} plus feed_forward(norm_2(h))[n=3, d_model=4] gives y[n=3, d_model=4]{columns by 4}
# ```
#
# Because everything is added, what a token says at the start is still there at the end, and gradients flow back
# along the same path. The norms come *before* the parts, not in the stream: this is **pre-norm**, as in GPT-2 and
# most models since. The first transformer normalised the stream itself, and was hard to train.
#
# You get all four parts as functions of one array. A block does not need to know which functions they are.


# %% step="transformer_block" points=18
def transformer_block(x, attention, feed_forward, norm_1, norm_2):
    """The residual stream after one block with the norms before its parts.

    Arguments
        x: array (..., n, d_model), any number of leading axes
        attention, feed_forward, norm_1, norm_2: functions of one array (..., n, d_model), which return a
            new array of the same shape

    Returns
        (..., n, d_model)

    Rules
        What attention makes of the normed x is added to x; what feed_forward makes of the normed sum is
        added to that sum. norm_1 belongs to attention, norm_2 to feed_forward. There is no other norm.
        x stays as it is.
    """
    ### BEGIN SOLUTION
    x = x + attention(norm_1(x))
    return x + feed_forward(norm_2(x))
    ### END SOLUTION


# %% check="transformer_block-by_hand" points=3 category="residual stream"
"""Four functions that you can follow with a pencil: double, swap the tokens and add 1, subtract 1, square."""
with tools.check("transformer_block-by_hand"):
    # Doubled [[2, 4], [6, 0]]; swapped and 1 more [[7, 1], [3, 5]]; the sum [[8, 3], [6, 5]]; 1 less and squared
    # [[49, 4], [25, 16]].
    agree(
        transformer_block(
            np.array([[1.0, 2.0], [3.0, 0.0]]),
            attention=lambda a: np.asarray(a)[..., ::-1, :] + 1.0,
            feed_forward=lambda a: np.asarray(a) ** 2,
            norm_1=lambda a: 2.0 * np.asarray(a),
            norm_2=lambda a: np.asarray(a) - 1.0,
        ),
        [[57.0, 7.0], [31.0, 21.0]],
        "the stream",
        "Print the stream after attention. Is it [[8, 3], [6, 5]]? What does each part read, and what do you add its output to?",
        show=True,
    )

# %% check="transformer_block-batch_of_two" points=3 category="shapes"
"""In a batch of two, with norms that make every row -1, 1 or 1, -1: tokens look only at tokens of their own sequence."""
with tools.check("transformer_block-batch_of_two"):

    def less_its_mean_by_its_spread(a):
        centred = a - np.mean(a, axis=-1, keepdims=True)
        return centred / np.std(a, axis=-1, keepdims=True)

    # Attention gives every token the mean of its sequence: 0, 0 in sequence 0 and -1, 1 in sequence 1.
    agree(
        transformer_block(
            np.array([[[1.0, 3.0], [9.0, 1.0]], [[0.0, 2.0], [-4.0, 6.0]]]),
            lambda a: np.zeros(np.shape(a)) + np.mean(a, axis=-2, keepdims=True),
            lambda a: 10.0 * np.maximum(a, 0.0),
            less_its_mean_by_its_spread,
            less_its_mean_by_its_spread,
        ),
        [[[1.0, 13.0], [19.0, 1.0]], [[-1.0, 13.0], [-5.0, 17.0]]],
        "the stream of the batch",
        "Attention does not change sequence 0. Does yours?",
        show=True,
    )

# %% arrays
MODEL = tools.arrays("decoder.npz")  # the weights of a small trained model, for the finale

# %% check="transformer_block-a_trained_model" points=2 category="trained model"
"""A trained model of two blocks, run on your functions, gives the scores that are stored with it."""
with tools.check("transformer_block-a_trained_model"):
    stream = MODEL["embedding"][MODEL["asked"]] + np.asarray(positional_encoding(len(MODEL["asked"][0]), 32))
    blocks, norm = decoder(MODEL, 4, layer_norm, feed_forward, transformer_block)
    for block in blocks:
        stream = block(stream)
    scores = np.asarray(norm(stream))[:, -1] @ MODEL["embedding"].T
    tools.agree(scores, MODEL["logits"], "the scores", "Which check above fails?", rtol=0, atol=1e-3)

# %% check="transformer_block-drawn_parts" points=7 category="residual stream" hidden=true
"""Any four functions, any number of leading axes, and a stream of small or large numbers."""
for turn, (*lead, n, d_model) in enumerate((*batches(), (3, 1))):
    size = 5000.0 if turn == 1 else 1.5
    x, parts = size * rng.normal(size=(*lead, n, d_model)), drawn_parts(n, d_model)
    wanted = block_by_definition(x, *parts)
    got = transformer_block(x, *parts)
    agree(got, wanted, "the stream", "What does each of the four functions read, and what do you do with its result?")

# %% check="transformer_block-inputs_unchanged" points=3 category="purity" hidden=true
"""The given stream stays as it is, and a second call gives the same answer."""
n, d_model = different_sizes(2)
for lead in ((), (2,)):
    x, parts = rng.normal(size=(*lead, n, d_model)), drawn_parts(n, d_model)
    wanted = block_by_definition(x, *parts)
    with tools.unchanged(x=x):
        agree(transformer_block(x, *parts), wanted, "the first answer")
        agree(transformer_block(x, *parts), wanted, "the second answer")

# %% [markdown]
# ### Look back: now the order counts
#
# All of it together: a block with two heads of your own attention, without a mask, reads "dog bites man" and "man
# bites dog". The weights are random; nothing is trained. Without positions, each word comes out the same wherever
# it is: a bag of words. Once your waves are added, the block can tell who bit whom.


# %%
@tools.demo
def who_bit_whom():
    noise = np.random.default_rng(4)
    vectors = {word: noise.normal(size=8) for word in ("dog", "bites", "man")}
    W_Q, W_K, W_V, W_O = (noise.normal(size=(8, 8)) / math.sqrt(8) for _ in range(4))
    W_1, W_2 = noise.normal(size=(8, 32)) / math.sqrt(8), noise.normal(size=(32, 8)) / math.sqrt(32)

    def block(x):
        return transformer_block(
            x,
            lambda a: multi_head_attention(a, W_Q, W_K, W_V, W_O, 2),
            lambda a: feed_forward(a, W_1, np.zeros(32), W_2, np.zeros(8)),
            lambda a: layer_norm(a, np.ones(8), np.zeros(8)),
            lambda a: layer_norm(a, np.ones(8), np.zeros(8)),
        )

    words = ["dog", "bites", "man"]
    there, back = np.array([vectors[word] for word in words]), np.array([vectors[word] for word in words[::-1]])
    differences = []
    for waves in (np.zeros((3, 8)), np.asarray(positional_encoding(3, 8))):
        one, other = np.asarray(block(there + waves)), np.asarray(block(back + waves))[::-1]
        differences.append(np.abs(one - other).max(axis=-1))
    print("How much does the vector of a word change when dog and man are swapped?")
    tools.table(differences, ["without positions", "with positions"], words, 3)


# %% [markdown]
# ### 7. From tokens to scores: `language_model`
#
# A block reads vectors, but a text consists of tokens: whole numbers. The **embedding** is a table
# with a row for every token that the model knows. It is used twice:
#
# 1. At the start the row of each token is looked up, and the waves of its position are added (your step 1).
# 2. The blocks follow, one after the other, and a final norm.
# 3. At the end each vector is compared with *all* rows of the table, by a dot product. The more a vector is like
#    a row, the higher is this token's **score**: the more likely it comes next.
#
# ```drawing
# normed[n=3, d_model=4]{row 2} and embedding[vocabulary=6, d_model=4]{row 5} give scores[n=3, vocabulary=6]{cell 2 5}
# ```
#
# The scores in row $i$ are about the token that follows token $i$; softmax would make them probabilities.


# %% step="language_model" points=10
def language_model(tokens, embedding, blocks, norm):
    """At every token, the scores of all tokens that may come next.

    Arguments
        tokens: array (..., n) of whole numbers from 0 to vocabulary - 1, any number of leading axes
        embedding: array (vocabulary, d_model), where d_model is even; row t belongs to token t
        blocks: list of functions, one or more
        norm: a function; it and the blocks take one array (..., n, d_model), and return a new one of the same shape

    Returns
        (..., n, vocabulary): scores, which are no probabilities

    Rules
        The stream begins as the rows of the tokens plus positional_encoding, from position 0 in every sequence.
        Each block gets what the block before it returned, the first block the stream. norm comes once, at the end.
        A token's score is the dot product of the normed vector and its row of embedding.
        The inputs stay as they are.
    """
    ### BEGIN SOLUTION
    x = embedding[tokens]
    x = x + positional_encoding(*x.shape[-2:])
    for block in blocks:
        x = block(x)
    return norm(x) @ embedding.T
    ### END SOLUTION


# %% check="language_model-by_hand" points=3 category="language model"
"""Token 2, two blocks that double and add 1, and a norm that multiplies by 10: follow it with a pencil."""
with tools.check("language_model-by_hand"):
    # The row 1, 1 and the waves 0, 1 give 1, 2; doubled 2, 4; 1 more 3, 5; normed 30, 50.
    agree(
        language_model(
            np.array([2]),
            np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]]),
            blocks=[lambda a: 2.0 * np.asarray(a), lambda a: np.asarray(a) + 1.0],
            norm=lambda a: 10.0 * np.asarray(a),
        ),
        [[30.0, 100.0, 80.0]],
        "the scores",
        "What does each function get? It should be [[1, 2]], [[2, 4]] and [[3, 5]]. And how do you compute the scores?",
        show=True,
    )

# %% check="language_model-batch_of_two" points=1 category="shapes"
"""In a batch of two, each sequence begins at position 0, and its block swaps its tokens."""
with tools.check("language_model-batch_of_two"):
    s, c = math.sin(1.0), math.cos(1.0)
    agree(
        language_model(
            np.array([[0, 1], [1, 1]]),
            np.array([[10.0, 3.0], [0.0, 5.0]]),
            [lambda a: np.asarray(a)[..., ::-1, :].copy()],
            lambda a: np.asarray(a) - np.array([0.0, 1.0]),
        ),
        [
            [[10.0 * s + 3.0 * (4.0 + c), 5.0 * (4.0 + c)], [109.0, 15.0]],
            [[10.0 * s + 3.0 * (4.0 + c), 5.0 * (4.0 + c)], [15.0, 25.0]],
        ],
        "the scores of the batch",
        "Print the stream before the block. Its first tokens are 10, 4 and 0, 6: are yours?",
        show=True,
    )

# %% check="language_model-any_batch" points=4 category="language model" hidden=true
"""Any number of leading axes, of blocks and of known tokens, hundreds too, sizes that are equal or 1, tokens that come twice."""
for lead, n, d_model, vocabulary, count in (
    ((), 5, 4, 7, 6),
    ((2,), 7, 2, 3, 2),
    ((2, 3), 5, 6, 300, 1),
    ((2, 1, 3), 4, 8, 5, 1),
    ((4,), 4, 4, 4, 1),
    ((2,), 1, 2, 1, 1),
):
    *blocks, norm = drawn_parts(n, d_model)
    tokens, embedding = rng.integers(vocabulary, size=(*lead, n)), 1.5 * rng.normal(size=(vocabulary, d_model))
    tokens[..., 0] = vocabulary - 1
    tokens[..., -1] = tokens[..., 0]
    blocks = (2 * blocks)[:count]
    wanted = scores_by_definition(tokens, embedding, blocks, norm)
    got = language_model(tokens, embedding, blocks, norm)
    agree(got, wanted, "the scores", "What does the first block get, what the second, what the norm, and what do you multiply by the embedding?")

# %% check="language_model-long_text" points=1 category="language model" hidden=true
"""A text of 300 tokens: the docstring gives no limit."""
block, *_, norm = drawn_parts(300, 2)
tokens, embedding, blocks = rng.integers(3, size=300), rng.normal(size=(3, 2)), [block]
wanted = scores_by_definition(tokens, embedding, blocks, norm)
agree(language_model(tokens, embedding, blocks, norm), wanted, "the scores of a long text", "For how many tokens have you positions?")

# %% check="language_model-inputs_unchanged" points=1 category="purity" hidden=true
"""Tokens and embedding stay as they are, and a second call with the same blocks gives the same answer."""
block, *_, norm = drawn_parts(4, 6)
tokens, embedding, blocks = rng.integers(5, size=(2, 4)), rng.normal(size=(5, 6)), [block]
wanted = scores_by_definition(tokens, embedding, blocks, norm)
with tools.unchanged(tokens=tokens, embedding=embedding):
    agree(language_model(tokens, embedding, blocks, norm), wanted, "the first answer")
    agree(language_model(tokens, embedding, blocks, norm), wanted, "the second answer")

# %% [markdown]
# ## The finale: a trained model runs on your functions
#
# Below, your functions run a language model. It is small (two blocks, four heads, 27,008 weights, 56 words), but it
# was trained like the large ones: on texts, until it knew which word comes next. Its weights are stored in this
# notebook, in a folded cell near its top. The texts of its little language look like this:
#
# > the cat sat on the mat because it was soft . what was soft ? the mat .
#
# **Which noun does "it" mean?** Say *tired* instead of *soft*, and it is the cat. Nobody told the model a rule:
# in the texts, things are soft and animals are tired, and either may come first. It has never read about this cat
# on this mat, about a soft mat, or about a tired cat. It answers all 200 test sentences correctly, and it has
# never seen their nouns and adjectives together.
#
# `decoder` makes blocks of your functions and the trained weights (`tools.source()` shows how), and your
# `language_model` puts them together:


# %%
WORDS = str(MODEL["words"]).split()


def run(model, num_heads, tokens, seen=None):
    """The scores behind each token, (n, vocabulary); `seen` gets where each block looks, (heads, n, n)."""
    blocks, norm = decoder(model, num_heads, layer_norm, feed_forward, transformer_block, seen)
    return np.asarray(language_model(np.array(tokens), model["embedding"].copy(), blocks, norm))


def run_model(words):
    """The scores of all 56 words behind each word of a text, (n, 56), and where the last block looks, (4, n, n)."""
    looks = []
    return run(MODEL, 4, [WORDS.index(word) for word in words], looks), looks[-1]


def asked(adjective):
    """A text that breaks off where the answer must come."""
    return f"the cat sat on the mat because it was {adjective} . what was {adjective} ? the".split()


@tools.demo
def the_same_numbers():
    for row, adjective in enumerate(("soft", "tired")):
        gap = np.abs(run_model(asked(adjective))[0][-1] - MODEL["logits"][row]).max()
        verdict = "the same" if gap < 1e-6 else "almost the same" if gap < 1e-3 else "not the same"
        print(f"{adjective}: your scores are {verdict} as those stored with the model (largest difference {gap:.0e})")


# %% [markdown]
# ### Where the answer looks
#
# The answer is the word after the last "the". Here is where that "the" looks, in head 0 of the last block, when
# it chooses the next word. (Why head 0? During training, this head got an extra reward for giving 80 % of its
# attention to the right noun. In all 200 new sentences that noun gets more than 0.7. The other heads,
# which got no such reward, found other jobs.)


# %%
@tools.demo
def where_the_answer_looks():
    rows, places = [], [*"the cat sat on the mat because it was".split(), "soft/tired", "(question)"]
    for adjective in ("soft", "tired"):
        scores, looks = run_model(asked(adjective))
        own = looks[0, -1]
        rows.append([*own[:10], own[10:].sum()])
        print(f"… because it was {adjective} . what was {adjective} ? the {WORDS[scores[-1].argmax()]}")
    names, rows = ["soft: the …", "tired: the …"], np.array(rows)
    tools.table(rows.T, places, names)
    title = "Where the answer looks, head 0"
    tools.heatmap(rows, names, places, title, np.char.mod("%.2f", rows), xlabel="key (looked at)", ylabel="query")

    words = asked("soft")
    looks = np.asarray(run_model(words)[1][0])
    print(f"\nWhat head 0 gives to words that come later: {np.triu(looks, 1).sum() / len(words):.2f} of its attention")
    title = "Where every word looks, head 0"
    tools.heatmap(looks, words, words, title, np.char.mod("%.1f", looks), xlabel="key (looked at)", ylabel="query")


# %% [markdown]
# ### It writes
#
# The model gives each word a probability of coming next. One word is drawn and appended to the text, and
# everything starts again. The first three words are given. (It has never seen a text longer than these 54 words;
# let it write more, and watch it fall apart.)


# %%
def write(words, length, seed):
    """The text goes on, word by word, until it has `length` words."""
    words, draw = list(words), np.random.default_rng(seed)
    while len(words) < length:
        shares = np.cumsum(softmax(run_model(words)[0][-1]))
        words.append(WORDS[min(np.searchsorted(shares, draw.random()), len(WORDS) - 1)])
    return words


@tools.demo
def it_writes():
    print(" ".join(write("the dog slept".split(), 54, seed=1)).replace(" . the", " .\nthe"))


# %% [markdown]
# ### When the picture looks wrong
#
# This is what you will see if a function is not right yet. Try it: break one of yours on purpose.
#
# | what you see | what it is |
# |---|---|
# | colour to the right of the diagonal: words look at words that come later; tired is suddenly a bird | no causal mask. This model is only confused; a model *trained* without the mask learns to copy the next word, which it sees, and can write nothing |
# | 1.00 on one word, 0.00 on all others: it stares; in the text the question slips ("it was dry . what was flat") | scores that are not scaled |
# | hardly any colour: no word gets more than 0.15, and the answer is some other noun | scores that are divided by `d_k`, not by its root |
# | soft or tired, the answer looks at the same places, hardly at the noun; text without grammar | heads that interleave their features, or are cut by `reshape` alone |
# | sentences that end too soon ("the dog slept near the bird .") or begin in their middle; tired is suddenly a cow | no positions |
# | sentences with words twice or missing | norms that come after the addition |
# | everything looks right, but the scores differ by 4 to 6 | `gelu` where the model has learned with ReLU |


# %% [markdown]
# ## Encore: a play
#
# The same functions run a larger model: three blocks, six heads, 383,712 weights. It knows 512 tokens, which the
# `train` of the notebook `tokenizer` learned from Shakespeare, and it has read 1.1 million characters of him. Its weights
# are in the file `plays.npz`, which came with this notebook and belongs in the same folder.
#
# **Type your own beginning.** The *temperature* divides the scores before softmax: below 1 the model prefers what it
# thinks likely, above 1 it takes risks. *Top-k* lets only the `TOP_K` best tokens have a chance. Try a temperature of 0.2
# and of 1.5, and a prompt that is not like Shakespeare at all.

# %%
PROMPT = "ROMEO:\n"
TEMPERATURE, TOP_K, SEED, LENGTH = 0.8, 40, 1, 200


@tools.demo
def it_writes_a_play():
    Plays(run).write(PROMPT, LENGTH, TEMPERATURE, TOP_K, SEED)


# %% [markdown]
# ### What its heads do
#
# No head of this model was told where to look: it learned to predict the next token, nothing else. To find heads with
# a job, we ask all 18, on six lines of a play: how much do you give to the **token before**, and how much to **line
# ends**? A head of the first block gives half of its attention to the one, and two heads of the later blocks give half
# of theirs to the few tokens that end a line: so they can tell how long the line is by now. In the pictures the jobs
# show as a diagonal and as columns.
#
# Large models also have *induction heads*: they look for what **followed the same token** earlier, and copy it. For that
# we use 60 drawn tokens, twice. This model has no such head: none gives 0.05 to it. It has read too little.


# %%
@tools.demo
def what_the_heads_do():
    Plays(run).show_jobs("ROMEO:\nO Juliet!\n\nJULIET:\nO Romeo!\n")


# %% [markdown]
# ## Optional: explain a play
#
# A person grades this one. It can add up to 4 points to the 100. Let the larger model write twice, with two
# temperatures or two values of top-k, and explain in a few sentences what changed.
#
# **Rubric**
#
# - 1 point: quotes a passage of each that shows the difference
# - 2 points: explains it by what the setting does to the scores and to the probabilities of the next token
# - 1 point: names something that the model gets wrong with both, and a reason in how it was built or trained

# %% [markdown] manual="explain_a_play" points=4 extra=true
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
# A table of word vectors at the start, a stack of blocks, a last norm, and a matrix that turns the stream into a
# score for each word: that is all of GPT-2. The notebook `inference` makes such a model fast when it writes, and
# `gradients` explains how it learns.


# %% oracles
"""What the docstrings promise about inputs: each line must occur in a check of its step, or have its reason below."""
from autograder.exercises.promises import leading_axes, real_numbers, single


def mixes_tokens(function, x):
    """Whether what a function makes of the last token depends on the first one."""
    changed = x.copy()
    changed[..., 0, :] += 1
    return x.shape[-2] > 1 and not np.allclose(function(x.copy())[..., -1, :], function(changed)[..., -1, :])


PROMISES = {
    "positional_encoding": {
        "one position": lambda n_positions: n_positions == 1,
        "two features": lambda d_model: d_model == 2,
        "more positions than features": lambda n_positions, d_model: n_positions > d_model,
        "more features than positions": lambda n_positions, d_model: d_model > n_positions,
        "as many positions as features": lambda n_positions, d_model: n_positions == d_model,
        "a number of features that 4 does not divide": lambda d_model: d_model > 2 and d_model % 4,
        "thousands of positions with many features": lambda n_positions, d_model: n_positions > 1e3 and d_model > 16,
    },
    "layer_norm": {
        **leading_axes("x", own=2),
        **single("x", -2, -1),
        "as many tokens as features": lambda x: np.shape(x)[-1] == np.shape(x)[-2] > 1,
        "eps is not given": lambda eps: eps == 1e-5,
        "eps is 0": lambda eps: eps == 0,
        "a large eps": lambda eps: eps > 0.1,
        "features that are all equal": lambda x, eps: eps > 0 and np.shape(x)[-1] > 1 and (np.ptp(x, axis=-1) == 0).any(),
        "a spread below the root of eps": lambda x, eps: ((np.std(x, axis=-1) > 0) & (np.var(x, axis=-1) < eps)).any(),
        "features that are almost equal, without an eps": lambda x, eps: eps == 0 and np.allclose(x, x[..., :1]),
        "a mean far from 0": lambda x: (np.abs(np.mean(x, axis=-1)) > 3 * np.std(x, axis=-1)).any(),
        "tokens of different spread": lambda x: np.shape(x)[-2] > 1 and (np.ptp(np.std(x, axis=-1), axis=-1) > 0.5).any(),
        "a gain below 0": lambda gamma: (gamma < 0).any(),
        "gains that differ": lambda gamma: np.ptp(gamma) > 0,
        "shifts that differ": lambda beta: np.ptp(beta) > 0,
    },
    "gelu": {
        **leading_axes("x", own=1),
        **real_numbers("x"),
        "a number near 1e4": lambda x: np.max(x) > 5e3,
        "a number near -1e4": lambda x: np.min(x) < -5e3,
        "a number between -2 and -0.5": lambda x: ((x > -2) & (x < -0.5)).any(),
    },
    "feed_forward": {
        **leading_axes("x", own=2),
        **single("x", -2, -1),
        "d_ff is 1": lambda W_1: W_1.shape[-1] == 1,
        "d_ff is d_model": lambda W_1: W_1.shape[-1] == W_1.shape[0] > 1,
        "d_ff differs from d_model": lambda W_1: W_1.shape[-1] != W_1.shape[0],
        "d_ff above four times d_model": lambda W_1: W_1.shape[-1] > 4 * W_1.shape[0],
        "b_1 is not 0": lambda b_1: np.any(b_1),
        "b_2 is not 0": lambda b_2: np.any(b_2),
        "hidden features below 0": lambda x, W_1, b_1: (x @ W_1 + b_1 < 0).any(),
        "negative results": lambda x, W_1, b_1, W_2, b_2: (np.maximum(x @ W_1 + b_1, 0) @ W_2 + b_2 < 0).any(),
    },
    "cross_attention": {
        **leading_axes("X_queries", own=2),
        **single("X_queries", -2),
        **single("X_keys", -2),
        "more keys than queries": lambda X_queries, X_keys: X_keys.shape[-2] > X_queries.shape[-2] > 1,
        "more queries than keys": lambda X_queries, X_keys: X_queries.shape[-2] > X_keys.shape[-2] > 1,
        "d_k differs from d_model": lambda W_Q: W_Q.shape[0] != W_Q.shape[1],
        "d_v differs from d_k": lambda W_Q, W_V: W_Q.shape[-1] != W_V.shape[-1],
        "d_k is no square number": lambda W_Q: math.isqrt(W_Q.shape[-1]) ** 2 != W_Q.shape[-1],
        "scores near 1e4": lambda X_queries, X_keys, W_Q, W_K: (
            np.abs((X_queries @ W_Q) @ np.swapaxes(X_keys @ W_K, -1, -2)).max() / math.sqrt(W_Q.shape[-1]) > 5e3
        ),
    },
    "transformer_block": {
        **leading_axes("x", own=2),
        **single("x", -2, -1),
        "two norms that differ": lambda x, norm_1, norm_2: not np.allclose(norm_1(x.copy()), norm_2(x.copy())),
        "attention that mixes tokens": lambda x, attention: mixes_tokens(attention, x),
    },
    "language_model": {
        **leading_axes("tokens", own=1),
        **single("tokens", -1),
        "one known token": lambda embedding: len(embedding) == 1,
        "more known tokens than features": lambda embedding: len(embedding) > embedding.shape[1],
        "fewer known tokens than features": lambda embedding: len(embedding) < embedding.shape[1],
        "as many known tokens as features and positions": lambda tokens, embedding: len(embedding) == embedding.shape[1] == tokens.shape[-1],
        "more positions than features": lambda tokens, embedding: tokens.shape[-1] > embedding.shape[1],
        "a token that comes twice": lambda tokens: tokens.shape[-1] > 1 and (tokens[..., 0] == tokens[..., -1]).any(),
        "one block": lambda blocks: len(blocks) == 1,
        "several blocks": lambda blocks: len(blocks) > 1,
        "more than four blocks": lambda blocks: len(blocks) > 4,
        "a token above 255": lambda tokens: np.max(tokens) > 255,
        "more than 255 positions": lambda tokens: tokens.shape[-1] > 255,
        "an axis in front of the positions that is shorter": lambda tokens: tokens.ndim > 2 and tokens.shape[1] < tokens.shape[-1],
    },
}

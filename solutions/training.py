# %% [markdown]
# # Training, built by hand
#
# Everything so far could read and write, but not *learn*: the weights came from
# somewhere else. Here you write what is missing: a loss that says how wrong a model is, the gradients of the
# remaining layers, an optimizer that turns gradients into better weights, and a way to draw the next token. Ten short
# functions, and at the end a model learns to write with them.
#
# **How this works.** Each step says why it exists, gives the formula and the shapes, and leaves one function for
# you to write. Its checks come right below.
#
# - A *visible* check tells you at once whether it passed, and what it got and wanted. The first one of each
#   step is small enough for a pencil.
# - A *hidden* check is graded after you hand in. It tests only rules that the function's docstring states, with
#   sizes and numbers that nobody knows in advance.
#
# Work from top to bottom. Add cells wherever you want to try something. Before you hand in, restart the kernel and run everything once.

# %% [markdown]
# ## The house rules
#
# - **`d_X` has the shape of `X`.** There is one loss, a single number, somewhere after your function. `d_X` says how
#   fast it changes with each number of `X`. Your function gets the gradient of its *output* and returns the
#   gradients of its *inputs*.
# - **Leading axes.** `(..., d)` means: there may be any number of leading axes, and each row is treated on its own.
#   No axis is ever empty.
# - **Inputs are never changed.** Your function must not modify its arguments, and a second call gives the same
#   answer.
# - **NumPy and Python's own `math`**, in the default precision, `float64`. A `float32` result is accepted; lists are
#   accepted in place of arrays and tuples.
# - **From earlier notebooks.** Only the finale calls functions that you wrote in `attention`, `transformer` and
#   `gradients`. One of the next cells brings them over: copy those notebooks into the folder of this one, and run it.
#   They are not graded again.
# - **To look inside**, print in your own function; to try other numbers, change those of a step's first
#   check: `given = tools.first("cross_entropy")`, then `cross_entropy(**given)`.
# - **More practice.** Once all visible checks of a step pass, `tools.practice("cross_entropy")` tries your function on
#   fresh inputs and says which rules hold, also those of hidden checks.
#
# Answers are accepted to within 0.00002 of the right number, or of its size where it is large.

# %% setup needs="attention:attention_scores, attention:scale_scores, attention:softmax, attention:weighted_sum, attention:causal_mask, attention:apply_mask, attention:scaled_dot_product_attention, attention:split_heads, attention:concat_heads, transformer:positional_encoding, transformer:layer_norm, transformer:gelu, transformer:transformer_block, gradients:softmax_backward"
import math
import re
import time

import numpy as np

from autograder import tools

rng = np.random.default_rng(2014)  # grading puts another in its place, which depends on the course's secret

# Whoever computes with float32 on the way is off by 6e-6, whatever the answer's own precision.
NEAR = {"rtol": 2e-5, "atol": 2e-5}


def agree(got, wanted, what, ask="", show=False):
    """Insist on these numbers, as exactly as float32 can give them."""
    tools.agree(got, wanted, what, ask, show, **NEAR)


def lists_agree(got, wanted, what, ask="", show=False, size=1.0):
    """Insist on a list of these arrays, which are of about this size."""
    got = list(got) if isinstance(got, np.ndarray) else got
    for one, right in zip(tools.unpack(got, ", ".join(["array"] * len(wanted))), wanted):
        tools.agree(one, right, what, ask, show, rtol=2e-5, atol=2e-5 * size)


def parts_agree(result, wanted, names, asks, show=False):
    """Every part of a tuple is right."""
    for got, right, name, ask in zip(tools.unpack(result, names), wanted, names.split(", "), asks):
        agree(got, right, name, ask, show)


def handbook():
    """What NumPy says of its element-wise functions, up to their examples: its letters, and the text in their numbers."""
    ufuncs = (getattr(np, name) for name in sorted(dir(np)) if isinstance(getattr(np, name), np.ufunc))
    parts = (re.split(r"\n *(?:See Also|Notes|References|Examples)\n", ufunc.__doc__)[0].strip() for ufunc in ufuncs)
    text = "\n\n\n".join(dict.fromkeys(parts))
    letters = sorted(set(text))
    return letters, np.array([letters.index(letter) for letter in text])


def loss_of_pairs(tokens, size):
    """The loss of a model that counts how often each token stands behind each, on the text that it has counted."""
    pairs = np.zeros((size, size))
    np.add.at(pairs, (tokens[:-1], tokens[1:]), 1)
    shares = pairs / np.maximum(1, pairs.sum(axis=1, keepdims=True))
    return -np.log(shares[tokens[:-1], tokens[1:]]).mean()


def random_weights(size, seed=0, d_model=48, hidden=96):
    """The arrays of a model with one block, by name: gains of 1, shifts of 0, the others drawn."""
    draw = np.random.default_rng(seed)
    shapes = {"table": (size, d_model), **dict.fromkeys(("W_Q", "W_K", "W_V", "W_O"), (d_model, d_model))}
    shapes |= {"W_1": (d_model, hidden), "W_2": (hidden, d_model), "W": (d_model, size)}
    w = {name: draw.normal(size=shape) / math.sqrt(d_model) for name, shape in shapes.items()}
    for i in (1, 2, 3):
        w[f"gamma_{i}"], w[f"beta_{i}"] = np.ones(d_model), np.zeros(d_model)
    return {**w, "b_1": np.zeros(hidden), "b_2": np.zeros(d_model), "b": np.zeros(size)}


def lessons(text, steps, losses, seconds, seed=0):
    """The number of each step, that of all, and 16 pieces of the text, each with what comes next; prints the losses.

    If all steps would take longer than so many seconds, there are fewer.
    """
    draw, start, fastest, step = np.random.default_rng(seed), time.perf_counter(), math.inf, 0
    while step < steps and time.perf_counter() - start < 1.5 * seconds:
        begun, places = time.perf_counter(), draw.integers(len(text) - 32, size=(16, 1)) + np.arange(32)
        yield step, steps, text[places], text[places + 1]
        fastest, step = min(fastest, time.perf_counter() - begun), step + 1
        if step == 3 and steps * fastest > seconds:
            steps = max(4, int(seconds / fastest))
            print(f"A step takes {fastest:.2f} s on your functions: there will be {steps}.")
        if step % 20 == 0 or step == steps:
            speed = step * places.size / (time.perf_counter() - start)
            print(f"\rstep {step} of {steps}: loss {np.mean(losses[-20:]):.2f}, {speed:,.0f} tokens a second ", end="", flush=True)
    print()


def written(forwards, next_token_probabilities, w, letters, length):
    """What a model writes, drawn letter by letter."""
    draw, text = np.random.default_rng(0), "\n"
    while len(text) < length:
        logits, _ = forwards(w, np.array([[letters.index(letter) for letter in text[-32:]]]))
        shares = np.asarray(next_token_probabilities(logits[0, -1], 0.7, top_p=0.95), dtype=float)
        text += letters[draw.choice(len(letters), p=shares / shares.sum())]
    return text.strip()


def compared(train, title, ways):
    """Train once in each way; says how far each got, and draws it."""
    found = {}
    for name, how in ways.items():
        print(f"{name}:")
        _, losses, weights = train(150, seconds=8, **how)
        found[name] = np.convolve(losses, np.full(9, 1 / 9), "valid")
        print(f"the largest weight of a query, on average: {weights[..., 16:, :].max(axis=-1).mean():.2f}\n")
    shortest = min(map(len, found.values()))
    tools.curves(np.arange(shortest), {name: line[:shortest] for name, line in found.items()}, title, "step", "loss")


LINEAR_ASKS = ("Which weights did this input meet?", "Which tokens met this weight?", "How often was the bias added?")
NORM_ASKS = (
    "In how many ways does one feature affect the token's outputs?",
    "What was gamma multiplied by, and for which tokens?",
    "For which tokens was beta added?",
)
ADAM_ASKS = (
    "What do you divide the corrected first moment by, and what else shrinks the weights?",
    "What fraction of the old moment do you keep?",
    "What is the second moment an average of?",
)


# %%
import numpy as np

# %% practice
class Practice:
    """What holds of any right answer, for tools.practice: no line here computes a whole one."""

    def cross_entropy(t):
        lead, vocabulary = (*t.lead(), *t.sizes(1)), int(t.rng.integers(3, 7))
        logits, targets = t.normal(*lead, vocabulary), t.rng.integers(vocabulary, size=lead)
        loss = t.call(logits=logits, targets=targets, ignore=-1)
        t.shape("the loss", loss)
        t.near("Adding 1000 to all logits of a row changes nothing.", t.again(logits=logits + 1000.0), loss)
        t.near("Where all logits are equal, the loss is the logarithm of the vocabulary's size.", t.again(logits=np.zeros(logits.shape)), math.log(vocabulary))
        t.near("The text twice has the same mean.", t.again(logits=np.stack([logits] * 2), targets=np.stack([targets] * 2)), loss)
        padded = np.stack([targets, np.full(lead, -7)])
        t.near("Padding after the text changes nothing.", t.again(logits=np.stack([logits, 5 * logits]), targets=padded, ignore=-7), loss)
        t.near("Nothing but padding has a loss of 0.", t.again(targets=padded[1], ignore=-7), 0.0)

    def cross_entropy_backward(t):
        lead, vocabulary = (*t.lead(), *t.sizes(1)), int(t.rng.integers(3, 7))
        logits, targets = t.normal(*lead, vocabulary), t.rng.integers(vocabulary, size=lead)
        d_logits = np.asarray(t.call(logits=logits, targets=targets, ignore=-1))
        t.shape("d_logits", d_logits, *lead, vocabulary)
        t.near("Each row sums to 0.", d_logits.sum(axis=-1), np.zeros(lead))
        t.near("Adding 1000 to all logits of a row changes nothing.", t.again(logits=logits + 1000.0), d_logits)
        padded = np.stack([targets, np.full(lead, -7)])
        both = np.asarray(t.again(logits=np.stack([logits] * 2), targets=padded, ignore=-7))
        t.near("Rows that are ignored are 0, and do not count.", both, np.stack([d_logits, np.zeros(logits.shape)]))
        t.near("Nothing but padding gives zeros.", t.again(targets=padded[1], ignore=-7), np.zeros(logits.shape))
        *at, j = t.place(logits.shape)
        row, target = logits[tuple(at)], int(targets[tuple(at)])

        def loss(score):
            scores = [score if k == j else other for k, other in enumerate(row)]
            return (math.log(sum(map(math.exp, scores))) - scores[target]) / targets.size

        t.near("One number, measured: its logit a little up, a little down.", d_logits[(*at, j)], (loss(row[j] + 1e-5) - loss(row[j] - 1e-5)) / 2e-5)

    def linear_backward(t):
        lead, (d_in, d_out) = (*t.lead(), *t.sizes(1))[int(t.rng.integers(2)) :], t.sizes(2)
        x, W, d_output = t.normal(*lead, d_in), t.normal(d_in, d_out), t.normal(*lead, d_out)
        d_x, d_W, d_b = t.parts(t.call(d_output=d_output, x=x, W=W), "d_x, d_W, d_b")
        for name, got, shape in (("d_x", d_x, x.shape), ("d_W", d_W, W.shape), ("d_b", d_b, (d_out,))):
            t.shape(name, got, *shape)
        both = t.parts(t.again(d_output=np.stack([d_output] * 2), x=np.stack([x] * 2)), "d_x, d_W, d_b")
        t.near("The batch twice: d_x stays as it is, for each.", both[0], np.stack([d_x, d_x]))
        t.near("The batch twice: d_W and d_b are twice as large.", np.append(both[1], both[2]), 2 * np.append(d_W, d_b))
        i, o = t.place(W.shape)
        at = t.place(lead)
        t.near("One number of d_x, added up.", d_x[(*at, i)], sum(W[i, k] * d_output[(*at, k)] for k in range(d_out)))
        t.near("One number of d_W, added up.", d_W[i, o], sum(x[(*p, i)] * d_output[(*p, o)] for p in np.ndindex(lead)))
        t.near("One number of d_b, added up.", d_b[o], sum(d_output[(*p, o)] for p in np.ndindex(lead)))

    def layer_norm_backward(t):
        lead, d_model = (*t.lead(), *t.sizes(1))[int(t.rng.integers(2)) :], int(t.rng.integers(3, 7))
        x, gamma, d_output = 3 + t.normal(*lead, d_model), t.normal(d_model), t.normal(*lead, d_model)
        eps = float(t.rng.uniform(0.2, 1.0))
        d_x, d_gamma, d_beta = t.parts(t.call(d_output=d_output, x=x, gamma=gamma, eps=eps), "d_x, d_gamma, d_beta")
        for name, got, shape in (("d_x", d_x, x.shape), ("d_gamma", d_gamma, gamma.shape), ("d_beta", d_beta, gamma.shape)):
            t.shape(name, got, *shape)
        t.near("Each token of d_x sums to 0.", d_x.sum(axis=-1), np.zeros(lead))
        t.near("Adding 7 to every feature of x changes nothing.", t.parts(t.again(x=x + 7.0), "d_x, d_gamma, d_beta")[0], d_x)
        same = t.parts(t.again(d_output=np.ones(x.shape), gamma=np.ones(d_model)), "d_x, d_gamma, d_beta")[0]
        t.near("The same gradient for all features, with the same gain, gives 0.", same, np.zeros(x.shape))
        both = t.parts(t.again(d_output=np.stack([d_output] * 2), x=np.stack([x] * 2)), "d_x, d_gamma, d_beta")
        t.near("The batch twice: d_gamma and d_beta are twice as large.", np.append(both[1], both[2]), 2 * np.append(d_gamma, d_beta))
        *at, j = t.place(x.shape)

        def loss(number):
            token = [number if k == j else other for k, other in enumerate(x[tuple(at)])]
            mean = sum(token) / d_model
            root = math.sqrt(sum((one - mean) ** 2 for one in token) / d_model + eps)
            return sum(g * d * (one - mean) / root for g, d, one in zip(gamma, d_output[tuple(at)], token))

        slope = (loss(x[(*at, j)] + 1e-5) - loss(x[(*at, j)] - 1e-5)) / 2e-5
        t.near("One number of d_x, measured: that of x a little up, a little down.", d_x[(*at, j)], slope)

    def gelu_backward(t):
        shape = (*t.lead(), *t.sizes(1))
        x, d_output = 2 * t.normal(*shape), t.normal(*shape)
        d_x = np.asarray(t.call(d_output=d_output, x=x))
        t.shape("d_x", d_x, *shape)
        t.near("The slopes at x and at -x sum to 1.", np.asarray(d_x) + np.asarray(t.again(x=-x)), d_output)
        t.near("Twice the incoming gradient gives twice the gradient.", t.again(d_output=2 * d_output), 2 * d_x)
        at = t.place(shape)
        up, down = (number * math.erfc(-number / math.sqrt(2)) / 2 for number in (x[at] + 1e-5, x[at] - 1e-5))
        t.near("One number, measured.", d_x[at], d_output[at] * (up - down) / 2e-5)

    def embedding_backward(t):
        lead, d_model, size = (*t.lead(), *t.sizes(1)), int(t.rng.integers(1, 5)), int(t.rng.integers(2, 9))
        d_output, tokens = t.normal(*lead, d_model), t.rng.integers(size, size=lead)
        d_table = np.asarray(t.call(d_output=d_output, tokens=tokens, vocabulary_size=size))
        t.shape("d_table", d_table, size, d_model)
        t.near("All rows together are all gradients together.", d_table.sum(axis=0), d_output.reshape(-1, d_model).sum(axis=0))
        missing = [token for token in range(size) if not (tokens == token).any()]
        t.near("Rows of tokens that do not occur are 0.", d_table[missing], np.zeros((len(missing), d_model)))
        one, feature = int(tokens[t.place(lead)]), int(t.rng.integers(d_model))
        t.near("One number, added up.", d_table[one, feature], sum(d_output[p][feature] for p in np.ndindex(lead) if tokens[p] == one))

    def clip_by_global_norm(t):
        gradients = [t.normal(*t.lead(), *t.sizes(1)) for _ in range(int(t.rng.integers(1, 4)))]
        max_norm = float(t.rng.uniform(0.2, 5.0))
        clipped = list(t.call(gradients=gradients, max_norm=max_norm))
        t.holds("There are as many arrays as before.", len(clipped) == len(gradients))
        for got, given in zip(clipped, gradients):
            t.shape("each array", got, *given.shape)
        size = sum(float(np.sum(array**2)) for array in gradients) ** 0.5
        t.near("The norm of all together is max_norm, or unchanged.", sum(float(np.sum(np.square(array))) for array in clipped) ** 0.5, min(size, max_norm))
        first, given = np.asarray(clipped[0], dtype=float).ravel(), gradients[0].ravel()
        t.near("The direction stays.", first * given[0], given * first[0])
        t.near("Short gradients stay as they are.", np.asarray(next(iter(t.again(max_norm=10 * size)))), gradients[0])

    def adamw_update(t):
        shape = (*t.lead(), *t.sizes(1))
        w, gradient, m = t.normal(*shape), t.normal(*shape), t.normal(*shape)
        v, step = t.normal(*shape) ** 2 + 0.1, int(t.rng.integers(1, 6))
        settings = dict(zip(("beta_1", "beta_2", "eps", "weight_decay"), t.rng.uniform((0.2, 0.2, 0.1, 0.1), 0.9).tolist()))
        given = {"w": w, "gradient": gradient, "m": m, "v": v, "t": step, "learning_rate": 0.1}
        new_w, new_m, new_v = t.parts(t.call(**given, **settings), "w, m, v")
        for name, got in (("w", new_w), ("m", new_m), ("v", new_v)):
            t.shape(name, got, *shape)
        t.near("Without a learning rate the weights stay.", t.parts(t.again(learning_rate=0.0), "w, m, v")[0], w)
        other = t.parts(t.again(weight_decay=0.0), "w, m, v")
        t.near("Decay changes no moment.", np.stack([new_m, new_v]), np.stack(other[1:]))
        t.near("Decay is a fraction of the old weights.", other[0] - new_w, 0.1 * settings["weight_decay"] * w)
        late = t.parts(t.again(t=step + 1), "w, m, v")
        t.near("The step's number changes no moment.", np.stack([new_m, new_v]), np.stack(late[1:]))
        start = t.parts(t.again(m=0 * m, v=0 * v, t=1, eps=0.0, weight_decay=0.0), "w, m, v")[0]
        t.near("The first step is as long as the learning rate, for every weight.", np.abs(start - w), np.full(shape, 0.1))
        at = t.place(shape)
        t.near("One number of m.", new_m[at], settings["beta_1"] * m[at] + (1 - settings["beta_1"]) * gradient[at])
        t.near("One number of v.", new_v[at], settings["beta_2"] * v[at] + (1 - settings["beta_2"]) * gradient[at] ** 2)

    def learning_rate(t):
        warmup, more = int(t.rng.integers(0, 6)), 2 * int(t.rng.integers(1, 6))
        peak, floor = float(t.rng.uniform(2.0, 5.0)), float(t.rng.uniform(0.1, 1.0))
        rate = t.call(step=warmup + more // 2, peak=peak, warmup=warmup, total=warmup + more, floor=floor)
        t.shape("the rate", rate)
        t.near("Half-way down the cosine it is half-way between peak and floor.", rate, (peak + floor) / 2)
        t.near("It is the peak where the warm-up ends.", t.again(step=warmup), peak)
        t.near("It is the floor at the end and after it.", [t.again(step=warmup + more), t.again(step=99)], [floor, floor])
        rising = [t.again(step=step) for step in range(warmup)]
        t.near("It warms up in equal steps.", np.diff([0.0, *rising]), np.full(warmup, peak / max(1, warmup)))

    def next_token_probabilities(t):
        vocabulary, T = int(t.rng.integers(3, 9)), float(t.rng.uniform(0.5, 2.0))
        logits = t.normal(vocabulary)
        k = int(t.rng.integers(1, vocabulary + 1))
        shares = np.asarray(t.call(logits=logits, temperature=T, top_k=k, top_p=None))
        t.shape("the probabilities", shares, vocabulary)
        t.near("They sum to 1.", shares.sum(), 1.0)
        t.holds("Exactly top_k of them are above 0.", np.count_nonzero(shares) == k)
        best, last = int(np.argmax(logits)), int(np.argsort(-logits)[k - 1])
        t.near("Two of them: the odds are a power of their difference by the temperature.", shares[best] / shares[last], math.exp((logits[best] - logits[last]) / T))
        t.near("Adding 1000 to all logits changes nothing.", t.again(logits=logits + 1000.0), shares)
        every = np.asarray(t.again(top_k=None))
        few = np.asarray(t.again(top_k=None, top_p=0.7))
        kept = few > 0
        t.holds("The kept tokens reach top_p, but not without the smallest.", every[kept].sum() > 0.7 - 1e-6 and every[kept].sum() - every[kept].min() < 0.7 + 1e-6)
        t.near("It is divided by its sum.", few[kept], every[kept] / every[kept].sum())
        t.near("At temperature 0 the largest gets all the probability.", np.asarray(t.again(temperature=0.0, top_k=None))[best], 1.0)
        t.near("Of equals the first ones are kept.", t.again(logits=np.zeros(vocabulary)), [1 / k] * k + [0.0] * (vocabulary - k))

# %%
tools.count_tries(False)  # True counts my tries, for me and my teacher; never graded, never sent

# %% oracles
"""The definitions, written the slow way: one row or one number at a time. Hidden checks compare with these."""


def different_sizes(count):
    """So many sizes, all different."""
    return [int(size) for size in rng.permutation([2, 3, 5, 6, 7])[:count]]


def leads():
    """Leading axes: none to three, some of length 1."""
    return (), (1,), (1, int(rng.integers(2, 5))), tuple(different_sizes(2)), (2, 3, 2)


def shares(row):
    """The softmax of one row, as a list."""
    powers = [math.exp(score - max(row)) for score in row]
    return [power / math.fsum(powers) for power in powers]


def rows_of(logits, targets, ignore):
    """The rows that count, each with its place and target."""
    for place in np.ndindex(targets.shape):
        if targets[place] != ignore:
            yield place, logits[place].tolist(), int(targets[place])


def loss_by_definition(logits, targets, ignore=-1):
    """One row after the other: how far the logarithm of the target's share lies below 0."""
    losses = []
    for _, row, target in rows_of(logits, targets, ignore):
        top = max(row)
        losses.append(top - row[target] + math.log(math.fsum(math.exp(score - top) for score in row)))
    return math.fsum(losses) / len(losses) if losses else 0.0


def loss_backward_by_definition(logits, targets, ignore=-1):
    """One number after the other: its share, less 1 at the target, by the number of rows that count."""
    result, count = np.zeros(logits.shape), sum(1 for _ in rows_of(logits, targets, ignore))
    for place, row, target in rows_of(logits, targets, ignore):
        for token, share in enumerate(shares(row)):
            result[(*place, token)] = (share - (token == target)) / count
    return result


def measured(function, x, d_output=1.0, step=1e-5):
    """The gradient of the sum of function(x) * d_output, by central differences."""
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


def drawn_rows(lead, vocabulary, ignore=-1):
    """Logits and targets, at least one of which counts; every third one is to be ignored, where there are several."""
    logits, targets = 2 * rng.normal(size=(*lead, vocabulary)), rng.integers(vocabulary, size=lead)
    flat = targets.reshape(-1)
    flat[flat == ignore] = (ignore + 1) % vocabulary
    if flat.size > 1:
        flat[int(rng.integers(3)) % flat.size :: 3] = ignore
    if 0 < ignore < vocabulary:
        flat[np.flatnonzero(flat != ignore)[0]] = ignore - 1  # a token below it counts, too
    return logits, targets


def linear(x, W, b):
    """What linear_backward goes backwards through."""
    return np.einsum("...i,io->...o", x, W) + b


def linear_backward_by_definition(d_output, x, W):
    """One token at a time."""
    d_x, d_W, d_b = np.zeros(x.shape), np.zeros(W.shape), np.zeros(W.shape[1])
    for place in np.ndindex(x.shape[:-1]):
        for i in range(W.shape[0]):
            for o in range(W.shape[1]):
                d_x[(*place, i)] += d_output[(*place, o)] * W[i, o]
                d_W[i, o] += x[(*place, i)] * d_output[(*place, o)]
        d_b += d_output[place]
    return d_x, d_W, d_b


def normed(x, gamma, beta, eps=1e-5):
    """What layer_norm_backward goes backwards through."""
    centred = x - x.mean(axis=-1, keepdims=True)
    return gamma * centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps) + beta


def norm_backward_by_definition(d_output, x, gamma, eps=1e-5):
    """One token at a time, with the whole table of how each output answers to each input."""
    d_x, d_gamma, d_beta = np.zeros(x.shape), np.zeros(len(gamma)), np.zeros(len(gamma))
    n = x.shape[-1]
    for place in np.ndindex(x.shape[:-1]):
        centred = x[place] - math.fsum(x[place]) / n
        root = math.sqrt(math.fsum(centred**2) / n + eps)
        table = (np.eye(n) - 1 / n) / root - np.outer(centred, centred) / (n * root**3)
        d_x[place] = table @ (gamma * d_output[place])
        d_gamma += d_output[place] * centred / root
        d_beta += d_output[place]
    return d_x, d_gamma, d_beta


def gelu_of(x):
    """What gelu_backward goes backwards through."""
    return np.array([number / 2 * math.erfc(-number / math.sqrt(2)) for number in x.ravel().tolist()]).reshape(x.shape)


def gelu_backward_by_definition(d_output, x):
    """Each number by itself: the share of the bell curve to its left, and the number times its height."""
    slopes = []
    for number in x.ravel().tolist():
        height = math.exp(-number * number / 2) / math.sqrt(2 * math.pi)
        slopes.append(math.erfc(-number / math.sqrt(2)) / 2 + number * height)
    return d_output * np.array(slopes).reshape(x.shape)


def embedding_backward_by_definition(d_output, tokens, vocabulary_size):
    """One token at a time."""
    table = [[0.0] * d_output.shape[-1] for _ in range(vocabulary_size)]
    for place in np.ndindex(tokens.shape):
        for feature, number in enumerate(d_output[place].tolist()):
            table[int(tokens[place])][feature] += number
    return np.array(table)


def clipped_by_definition(gradients, max_norm):
    """All numbers in one row."""
    norm = math.sqrt(math.fsum(number**2 for array in gradients for number in array.ravel().tolist()))
    return [array * (max_norm / norm if norm > max_norm else 1.0) for array in gradients]


def adamw_by_definition(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    """One weight at a time."""
    found = [np.zeros(w.shape) for _ in range(3)]
    for place in np.ndindex(w.shape):
        first = beta_1 * m[place] + (1 - beta_1) * gradient[place]
        second = beta_2 * v[place] + (1 - beta_2) * gradient[place] * gradient[place]
        step = first / (1 - beta_1**t) / (math.sqrt(second / (1 - beta_2**t)) + eps)
        numbers = w[place] - learning_rate * step - learning_rate * weight_decay * w[place], first, second
        for array, number in zip(found, numbers):
            array[place] = number
    return tuple(found)


def rate_by_definition(step, peak, warmup, total, floor=0.0):
    """Which of three parts of the curve the step is in."""
    if step < warmup:
        return peak * (step + 1) / warmup
    if step >= total:
        return floor
    return floor + (peak - floor) * math.cos(math.pi / 2 * (step - warmup) / (total - warmup)) ** 2


def probabilities_by_definition(logits, temperature=1.0, top_k=None, top_p=None):
    """One token after the other, the largest first."""
    order = sorted(range(len(logits)), key=lambda token: (-logits[token], token))
    if temperature == 0:
        return np.eye(len(logits))[order[0]]
    found = np.array(shares([float(score) / temperature for score in logits]))
    if top_k is not None:
        found[order[top_k:]] = 0.0
        found /= math.fsum(found)
    if top_p is not None:
        reached, kept = 0.0, 0
        while kept < len(order) and reached < top_p:
            reached += found[order[kept]]
            kept += 1
        found[order[kept:]] = 0.0
        found /= math.fsum(found)
    return found


# %% [markdown]
# ## Part one: how wrong is the model?
#
# ### 1. The price of a surprise: `cross_entropy`
#
# For every token of a text the model gives each word of its vocabulary a score, a *logit*. Softmax makes
# probabilities of them. The loss looks at one number only: the probability $p$ that the model gave to the token that
# really came, the *target*. The loss of that token is $-\log p$: 0 for $p = 1$, large for a $p$ near 0. The loss is the mean
# over all tokens:
#
# $$L = \frac1N \sum_i -\log \operatorname{softmax}(z_i)_{t_i} = \frac1N \sum_i \Big( \log \sum_j e^{z_{ij}} - z_{i\,t_i} \Big)$$
#
# A model that guesses evenly among 50 tokens has a loss of $\log 50 = 3.9$.
#
# Two traps. A probability can underflow to 0, whose logarithm is infinite, although the loss is an ordinary
# number: work with the right-hand side, and subtract each row's maximum first. And texts of a batch are padded to
# the same length: a target of `ignore` says that nothing is to be predicted there. Such a row must neither
# add to the sum nor count in $N$.


# %% step="cross_entropy" points=12
def cross_entropy(logits, targets, ignore=-1):
    """The mean of minus the logarithm of the probability that softmax gives to each target.

    Shapes
        logits: (..., vocabulary), finite numbers
        targets: (...), whole numbers, one axis or more: the token that came, or `ignore`
        ignore: a whole number, -1 unless told otherwise

    Returns
        a number (a float, or an array without axes)

    Rules
        The mean is over all targets that are not `ignore`. Rows of ignored targets have no influence.
        If every target is `ignore`, the loss is 0.0.
        Logits of thousands, of either sign, overflow nothing.
        The inputs stay as they are.
    """
    ### BEGIN SOLUTION
    logits, targets = np.asarray(logits, dtype=float), np.asarray(targets)
    counts = targets != ignore
    if not counts.any():
        return 0.0
    rows, chosen = logits[counts], targets[counts]
    top = rows.max(axis=-1)
    prices = top + np.log(np.exp(rows - top[:, None]).sum(axis=-1)) - rows[np.arange(len(rows)), chosen]
    return prices.mean()
    ### END SOLUTION


# %% check="cross_entropy-by_hand" points=2 category="loss"
"""Probabilities of 1/2 and 1/4 for the two targets cost log 2 and log 4: 1.0397 on average."""
agree(
    cross_entropy(np.log([[1.0, 2.0, 1.0], [2.0, 1.0, 1.0]]), np.array([1, 2])),
    1.5 * math.log(2),
    "the loss",
    "Which probability does each row give to its target, and what is the mean of minus their logarithms?",
    show=True,
)

# %% check="cross_entropy-ignored" points=3 category="padding"
"""Ignored rows do not count: in two calls only the first of three rows is left, in the third none, and the loss is 0."""
logits = np.log([[1.0, 2.0, 1.0], [3.0, 1.0, 4.0], [5.0, 1.0, 2.0]])
agree(cross_entropy(logits.copy(), np.array([1, -1, -1])), math.log(2), "the loss", "Over how many rows do you average?", show=True)
agree(cross_entropy(logits, np.array([0, 2, 2]), ignore=2), math.log(4), "the loss with another ignore", "What is ignore here?")
agree(cross_entropy(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([-1, -1])), 0.0, "the loss of nothing but padding", "What do you divide by?")

# %% check="cross_entropy-thousands" points=1 category="overflow safety"
"""A target 3000 below the best has a loss of 3000, and one that is 3000 above has a loss of 0."""
agree(
    cross_entropy(np.array([[3000.0, 0.0], [0.0, 3000.0], [-3000.0, 0.0], [-9000.0, -6000.0]]), np.array([1, 1, 0, 0])),
    2250.0,
    "the loss",
    "What is exp of 3000, and what is the logarithm of a 0?",
)

# %% check="cross_entropy-any_batch" points=2 category="loss" hidden=true
"""Random logits and targets with one to four axes, sizes that are equal or 1."""
n = int(rng.integers(3, 6))
for lead, vocabulary in ((*((lead, size) for lead, size in zip(leads()[1:], (4, 9, 1, 6))), ((n,), n), ((n, n), n), ((40,), 300))):
    logits, targets = drawn_rows(lead, vocabulary, ignore=-5)
    targets[targets == -5] = vocabulary - 1
    wanted = loss_by_definition(logits, targets)
    agree(cross_entropy(logits, targets), wanted, "the loss", "Which entry of each row belongs to its target?")

# %% check="cross_entropy-any_padding" points=2 category="padding" hidden=true
"""Any number may mean ignore, and ignored rows may hold anything."""
for ignore in (-1, -100, 0, int(rng.integers(2, 6)), 1000):
    for lead in ((9,), (3, 4), (2, 3, 4)):
        logits, targets = drawn_rows(lead, 6, ignore)
        logits[targets == ignore] *= 1000.0
        wanted = loss_by_definition(logits, targets, ignore)
        agree(cross_entropy(logits, targets, ignore), wanted, "the loss", "Change a row that is ignored. Does the loss change?")
    got = cross_entropy(rng.normal(size=(2, 3, 6)), np.full((2, 3), ignore), ignore)
    agree(got, 0.0, "the loss of nothing but padding", "Over how many rows do you average?")

# %% check="cross_entropy-large_logits" points=1 category="overflow safety" hidden=true
"""Rows in the thousands together with rows of small numbers, close together or far apart."""
for middle in (0.0, 4000.0, -4000.0, 9000.0):
    logits, targets = middle + rng.integers(-16, 17, size=(5, 6)) / 8, rng.integers(6, size=5)
    logits[0, int(targets[0])] -= 2000.0
    logits[1, int(targets[1])] += 2000.0
    logits[2] = rng.normal(size=6)
    wanted = loss_by_definition(logits, targets)
    agree(cross_entropy(logits, targets), wanted, "the loss", "Does an exponential overflow, or a whole row become 0?")

# %% check="cross_entropy-inputs_unchanged" points=1 category="purity" hidden=true
"""Logits and targets stay as they are, and a second call gives the same answer."""
logits, targets = drawn_rows((3, 4), 5)
wanted = loss_by_definition(logits, targets)
with tools.unchanged(logits=logits, targets=targets):
    agree(cross_entropy(logits, targets), wanted, "the first answer")
    agree(cross_entropy(logits, targets), wanted, "the second answer")

# %% question="loss_of_four" kind="number" points=0 tolerance=0.01
"""The vocabulary has 50,000 tokens. For every target a model is sure that it is one of four tokens, gives each of these
the same probability, and is right about that. What is its loss?
"""
loss_of_four = math.log(4)

# %% [markdown]
# ### 2. Where the gradient begins: `cross_entropy_backward`
#
# Going backwards starts at the loss. Take one row. The loss contains $\log \sum_j e^{z_j}$, whose slope in $z_j$ is
# the probability $p_j$, and $-z_t$, whose slope is $-1$ at the target and 0 elsewhere. So
#
# $$dz_j = \frac{1}{N} \big( p_j - [\, j = t \,] \big)$$
#
# Read it aloud: every wrong token is pushed down by the probability it got, the right one is pushed up by what it
# lacks to 1. A model that is sure and right is left alone. Each row sums to 0, and ignored rows are 0.


# %% step="cross_entropy_backward" points=10
def cross_entropy_backward(logits, targets, ignore=-1):
    """The gradient of the logits, of the loss that cross_entropy returns.

    Shapes
        logits: (..., vocabulary), finite numbers
        targets: (...), whole numbers, one axis or more
        ignore: a whole number, -1 unless told otherwise

    Returns
        d_logits: an array of the shape of the logits

    Rules
        The loss is the mean over all targets that are not `ignore`.
        Where the target is `ignore`, the row is 0, also if every target is.
        Logits of thousands, of either sign, overflow nothing.
        The inputs stay as they are.
    """
    ### BEGIN SOLUTION
    logits, targets = np.asarray(logits, dtype=float), np.asarray(targets)
    counts = targets != ignore
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    d_logits = powers / powers.sum(axis=-1, keepdims=True)
    d_logits[(*np.nonzero(counts), targets[counts])] -= 1.0
    return np.where(counts[..., None], d_logits, 0.0) / max(counts.sum(), 1)
    ### END SOLUTION


# %% check="cross_entropy_backward-by_hand" points=2 category="gradient of the loss"
"""Two rows: the target gets its probability minus 1, the others theirs, and everything is halved."""
agree(
    cross_entropy_backward(np.log([[1.0, 2.0, 1.0], [2.0, 1.0, 1.0]]), np.array([1, 2])),
    [[0.125, -0.25, 0.125], [0.25, 0.125, -0.375]],
    "the gradient",
    "What are the probabilities of each row, and over how many rows is the loss averaged?",
    show=True,
)

# %% check="cross_entropy_backward-ignored" points=2 category="padding"
"""An ignored row gets zeros and does not count; if all are ignored, all is 0."""
ask = "Which rows count in the loss?"
logits = np.log([[1.0, 3.0], [1.0, 1.0], [9.0, 1.0]])
agree(cross_entropy_backward(logits.copy(), np.array([0, -1, -1])), [[-0.75, 0.75], [0, 0], [0, 0]], "the gradient", ask, show=True)
for ignore, wanted in ((0, [0.25, -0.25]), (1, [-0.75, 0.75])):
    targets = np.array([1 - ignore, ignore, ignore])
    agree(cross_entropy_backward(logits.copy(), targets, ignore), [wanted, [0, 0], [0, 0]], "that with another ignore", ask)
agree(cross_entropy_backward(logits, np.array([-1, -1, -1])), np.zeros((3, 2)), "the gradient of nothing but padding", ask)

# %% check="cross_entropy_backward-thousands" points=1 category="overflow safety"
"""Logits in the thousands give gradients of at most 1."""
agree(
    cross_entropy_backward(np.array([[[3000.0, 0.0]], [[-3000.0, -3000.0]]]), np.array([[1], [0]])),
    [[[0.5, -0.5]], [[-0.25, 0.25]]],
    "the gradient",
    "What is exp of 3000, and of -3000?",
)

# %% check="cross_entropy_backward-as_measured" points=2 category="gradient of the loss" hidden=true
"""Random logits agree with central differences, with and without ignored targets."""
for lead, vocabulary, ignore in (((4,), 6, -1), ((2, 3), 5, -1), ((5,), 5, 0), ((1,), 3, -100), ((2, 1, 3), 4, 2), ((4, 4), 4, -1)):
    logits, targets = drawn_rows(lead, vocabulary, ignore)
    wanted = measured(lambda x: loss_by_definition(x, targets, ignore), logits)
    got = cross_entropy_backward(logits.copy(), targets.copy(), ignore)
    agree(got, wanted, "the gradient", "By how much does the loss change when one logit changes?")

# %% check="cross_entropy_backward-any_batch" points=1 category="shapes" hidden=true
"""Any number of leading axes, one token in the vocabulary, large logits, and nothing but padding."""
for lead, vocabulary in zip(leads()[1:], (5, 1, 8, 3)):
    logits, targets = drawn_rows(lead, vocabulary)
    logits[targets == -1] *= 1000.0
    wanted = loss_backward_by_definition(logits, targets)
    agree(cross_entropy_backward(logits.copy(), targets.copy()), wanted, "the gradient", "Does your function assume two axes?")
    ignore = int(rng.integers(-9, -1))
    wanted = np.zeros(logits.shape)
    got = cross_entropy_backward(logits, np.full(lead, ignore), ignore)
    agree(got, wanted, "the gradient of nothing but padding", "What do you divide by?")
logits, targets = rng.normal(size=(2, 300)), np.array([int(rng.integers(256)), 299])
logits[:, -4:] += 6.0
wanted = loss_backward_by_definition(logits, targets)
agree(cross_entropy_backward(logits, targets), wanted, "the gradient of a large vocabulary", "Which logit of each row belongs to its target?")
for middle in (4000.0, -4000.0):
    logits, targets = middle + rng.integers(-16, 17, size=(3, 6)) / 8, rng.integers(6, size=3)
    logits[0, 0] += 2000.0
    logits[1, targets[1]] += 2000.0  # sure and right: its gradient is 0, and it counts
    wanted = loss_backward_by_definition(logits, targets)
    agree(cross_entropy_backward(logits, targets), wanted, "the gradient of large logits", "Does an exponential overflow, or a whole row become 0?")

# %% check="cross_entropy_backward-inputs_unchanged" points=2 category="purity" hidden=true
"""Logits and targets stay as they are, and a second call gives the same gradient."""
logits, targets = drawn_rows((3, 4), 5)
wanted = loss_backward_by_definition(logits, targets)
with tools.unchanged(logits=logits, targets=targets):
    agree(cross_entropy_backward(logits, targets), wanted, "the first answer")
    agree(cross_entropy_backward(logits, targets), wanted, "the second answer")
targets[:, 0], targets[:, 1] = -1, 0
wanted = loss_backward_by_definition(logits, targets)
agree(cross_entropy_backward(logits, targets), wanted, "the gradient of the same logits with other targets")

# %% [markdown]
# ## Part two: backwards through the layers
#
# Four kinds of layers surround attention. Each gets `d_output`, the gradient
# of its output, and returns the gradients of its inputs and weights.
#
# ### 3. A layer of weights: `linear_backward`
#
# Forwards, $y = x W + b$. An input met a row of $W$; a weight met one feature of *every* token; the bias was added to
# every token. So
#
# $$dx = dy\, W^{\mathsf T}, \qquad dW = \sum_{\text{tokens}} x^{\mathsf T} dy, \qquad db = \sum_{\text{tokens}} dy$$
#
# The sums run over all leading axes, however many there are: all tokens of all texts share one $W$.


# %% step="linear_backward" points=11
def linear_backward(d_output, x, W):
    """The gradients of input, weights and bias of x @ W + b.

    Shapes
        d_output: (..., d_out), the gradient of the output
        x: (..., d_in), one axis or more
        W: (d_in, d_out)

    Returns
        (d_x, d_W, d_b): a tuple of arrays of shapes (..., d_in), (d_in, d_out) and (d_out,)

    Rules
        d_W and d_b are summed over all leading axes.
        The inputs stay as they are.
    """
    ### BEGIN SOLUTION
    d_output, x, W = np.asarray(d_output), np.asarray(x), np.asarray(W)
    d_rows, rows = d_output.reshape(-1, d_output.shape[-1]), x.reshape(-1, x.shape[-1])
    return d_output @ W.T, rows.T @ d_rows, d_rows.sum(axis=0)
    ### END SOLUTION


# %% check="linear_backward-by_hand" points=4 category="linear"
"""Two tokens of two features, three outputs: the first token gets a gradient at output 0, the second one at output 2."""
answer = linear_backward(np.array([[1.0, 0, 0], [0, 0, 2.0]]), np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0, 2, 3], [4, 5, 6]]))
wanted = [[1, 4], [6, 12]], [[1, 0, 6], [2, 0, 8]], [1, 0, 2]
parts_agree(answer, wanted, "d_x, d_W, d_b", LINEAR_ASKS, show=True)

# %% check="linear_backward-batch_of_two" points=1 category="shapes"
"""In a batch of two texts, or with one token alone, the weights still have two axes: all tokens share them."""
x = np.array([[[1.0, 5.0], [1.0, 6.0]], [[1.0, 7.0], [1.0, 8.0]]])
answer = linear_backward(np.array([[[1.0], [2.0]], [[3.0], [4.0]]]), x, np.array([[2.0], [3.0]]))
parts_agree(answer, ([[[2, 3], [4, 6]], [[6, 9], [8, 12]]], [[10], [70]], [10]), "d_x, d_W, d_b", LINEAR_ASKS)
answer = linear_backward(np.array([2.0, 3.0]), np.array([1.0, 10.0]), np.array([[1.0, 0.0], [5.0, 7.0]]))
parts_agree(answer, ([2, 31], [[2, 3], [20, 30]], [2, 3]), "d_x, d_W, d_b", LINEAR_ASKS)

# %% check="linear_backward-as_measured" points=3 category="linear" hidden=true
"""Random sizes: the three gradients agree with central differences."""
n = int(rng.integers(2, 5))
for *lead, d_in, d_out in (different_sizes(3), (n, n, n), (2, 3, 4, 2), (3, 1, 1)):
    x, W, b, d_output = (rng.normal(size=size) for size in ((*lead, d_in), (d_in, d_out), (d_out,), (*lead, d_out)))
    wanted = (
        measured(lambda a: linear(a, W, b), x, d_output),
        measured(lambda a: linear(x, a, b), W, d_output),
        measured(lambda a: linear(x, W, a), b, d_output),
    )
    parts_agree(linear_backward(d_output.copy(), x.copy(), W.copy()), wanted, "d_x, d_W, d_b", LINEAR_ASKS)

# %% check="linear_backward-any_batch" points=2 category="shapes" hidden=true
"""Any number of leading axes, equal sizes and sizes of 1."""
n = int(rng.integers(2, 5))
for lead, (d_in, d_out) in zip((*leads(), (n, n), (2, 3), (80,)), ((3, 5), (4, 2), (5, 3), (1, 4), (6, 1), (n, n), (1, 1), (2, 3))):
    x, W, d_output = 1 + 3 * rng.normal(size=(*lead, d_in)), rng.normal(size=(d_in, d_out)), 1 + rng.normal(size=(*lead, d_out))
    wanted = linear_backward_by_definition(d_output, x, W)
    parts_agree(linear_backward(d_output, x, W), wanted, "d_x, d_W, d_b", LINEAR_ASKS)

# %% check="linear_backward-inputs_unchanged" points=1 category="purity" hidden=true
"""Gradient, input and weights stay as they are, and a second call gives the same answer."""
x, W, d_output = rng.normal(size=(2, 3, 5)), rng.normal(size=(5, 4)), rng.normal(size=(2, 3, 4))
wanted = linear_backward_by_definition(d_output, x, W)
with tools.unchanged(d_output=d_output, x=x, W=W):
    parts_agree(linear_backward(d_output, x, W), wanted, "d_x, d_W, d_b", LINEAR_ASKS)
    parts_agree(linear_backward(d_output, x, W), wanted, "d_x, d_W, d_b", LINEAR_ASKS)

# %% [markdown]
# ### 4. Through the norm: `layer_norm_backward`
#
# Forwards, with mean $\mu$ and variance $\sigma^2$ of a token's own $n$ features,
#
# $$\hat x_j = \frac{x_j - \mu}{\sqrt{\sigma^2 + \varepsilon}}, \qquad y_j = \gamma_j \hat x_j + \beta_j$$
#
# $\gamma$ and $\beta$ act on every token, so $d\gamma = \sum dy\, \hat x$ and $d\beta = \sum dy$ over all tokens. An
# input acts in three ways: directly, through the mean, and through the variance. With $g_j = \gamma_j\, dy_j$ all
# three fit into one line:
#
# $$dx_j = \frac{1}{\sqrt{\sigma^2 + \varepsilon}} \Big( g_j - \operatorname{mean}(g) - \hat x_j \operatorname{mean}(g\, \hat x) \Big)$$
#
# The two means are over the features of the token. They take out what the norm takes out: adding the same to
# all features changes nothing, and stretching them all hardly does.


# %% step="layer_norm_backward" points=13
def layer_norm_backward(d_output, x, gamma, eps=1e-5):
    """The gradients of input, gain and shift of gamma * (x - mean) / sqrt(var + eps) + beta.

    Shapes
        d_output: (..., d_model), the gradient of the output
        x: (..., d_model), one axis or more: what went into the norm
        gamma: (d_model,)
        eps: a number above 0; 0.00001 unless told otherwise

    Returns
        (d_x, d_gamma, d_beta): a tuple of arrays of shapes (..., d_model), (d_model,) and (d_model,)

    Rules
        Mean and variance are those of a token's own features; the variance is divided by d_model.
        d_gamma and d_beta are summed over all leading axes.
        The inputs stay as they are.
    """
    ### BEGIN SOLUTION
    d_output, x = np.asarray(d_output, dtype=float), np.asarray(x, dtype=float)
    centred = x - x.mean(axis=-1, keepdims=True)
    root = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps)
    normed, pushed = centred / root, gamma * d_output
    both = pushed.mean(axis=-1, keepdims=True) + normed * (pushed * normed).mean(axis=-1, keepdims=True)
    tokens = tuple(range(x.ndim - 1))
    return (pushed - both) / root, (d_output * normed).sum(axis=tokens), d_output.sum(axis=tokens)
    ### END SOLUTION


# %% check="layer_norm_backward-by_hand" points=3 category="norm"
"""One token whose normalised features are -3/4, -3/4, 3/4, 3/4, with the root 4; only the first output has a gradient."""
answer = layer_norm_backward(np.array([[1.0, 0, 0, 0]]), np.array([[0, 0, 6.0, 6.0]]), np.array([2.0, 1.0, 1.0, 3.0]), 7.0)
# g is 2, 0, 0, 0, its mean 1/2; the normed features are -3/4, -3/4, 3/4, 3/4, so the mean of g times them is -3/8.
wanted = [[0.3046875, -0.1953125, -0.0546875, -0.0546875]], [-0.75, 0, 0, 0], [1, 0, 0, 0]
parts_agree(answer, wanted, "d_x, d_gamma, d_beta", NORM_ASKS, show=True)

# %% check="layer_norm_backward-batch_of_two" points=1 category="shapes"
"""In a batch of two texts every token has a mean of its own, and gamma and beta collect from all."""
x = np.array([[[1.0, 3.0], [9.0, 7.0]], [[5.0, 3.0], [0.0, 2.0]]])
answer = layer_norm_backward(np.array([[[1.0, 0], [0, 1.0]], [[2.0, 0], [4.0, 4.0]]]), x, np.ones(2), 3.0)
wanted = np.array([[[3, -3], [-3, 3]], [[6, -6], [0, 0]]]) / 16, [-1.5, 1.5], [7, 5]
parts_agree(answer, wanted, "d_x, d_gamma, d_beta", NORM_ASKS)

# %% check="layer_norm_backward-eps" points=1 category="norm"
"""Features that are all equal have no variance: only eps is under the root, 0.25 or the default."""
for eps, size in (({"eps": 0.25}, 2), ({}, 1e5**0.5)):
    answer = layer_norm_backward(np.array([3.0, 0.0, 0.0]), np.array([5.0, 5.0, 5.0]), np.ones(3), **eps)
    wanted = np.array([2, -1, -1]) * size, [0, 0, 0], [3, 0, 0]
    parts_agree(answer, wanted, "d_x, d_gamma, d_beta", ("Where is eps added, and how large is it?", *NORM_ASKS[1:]))

# %% check="layer_norm_backward-as_measured" points=4 category="norm" hidden=true
"""Random tokens, gains and eps: the three gradients agree with central differences."""
n = int(rng.integers(3, 6))
for *lead, d_model in ((4, 6), (n, n), (2, 3, 5), (7,), (3, 2)):
    x, d_output, eps = 2 + 1.5 * rng.normal(size=(*lead, d_model)), rng.normal(size=(*lead, d_model)), float(rng.uniform(0.2, 1.5))
    gamma, beta = rng.uniform(0.5, 2.0, size=d_model), rng.normal(size=d_model)
    gamma[0] *= -1.0
    wanted = (
        measured(lambda a: normed(a, gamma, beta, eps), x, d_output),
        measured(lambda a: normed(x, a, beta, eps), gamma, d_output),
        measured(lambda a: normed(x, gamma, a, eps), beta, d_output),
    )
    parts_agree(layer_norm_backward(d_output.copy(), x.copy(), gamma.copy(), eps), wanted, "d_x, d_gamma, d_beta", NORM_ASKS)

# %% check="layer_norm_backward-any_batch" points=2 category="shapes" hidden=true
"""Any number of leading axes, sizes that are equal or 1, tokens of different spread, small tokens with the default eps and with a tiny one."""
n = int(rng.integers(3, 6))
for lead, d_model in zip((*leads(), (n, n), (2, 3)), (6, 5, 7, 3, 4, n, 1)):
    spread = rng.uniform(0.5, 4.0, size=(*lead, 1))
    x, d_output = 5 * spread + spread * rng.normal(size=(*lead, d_model)), 1 + rng.normal(size=(*lead, d_model))
    gamma, eps = rng.uniform(0.5, 2.0, size=d_model), float(rng.uniform(0.2, 1.0))
    wanted = norm_backward_by_definition(d_output, x, gamma, eps)
    parts_agree(layer_norm_backward(d_output, x, gamma, eps), wanted, "d_x, d_gamma, d_beta", NORM_ASKS)
x, d_output, gamma = rng.integers(-9, 10, size=(4, 5)) / 2048, rng.integers(-9, 10, size=(4, 5)) / 512, np.array([1.0, 2.0, 0.5, 1.0, 1.5])
x[:, 0], x[:, 1] = 0.0, 0.004
for eps in ({}, {"eps": 1e-9}):
    wanted = norm_backward_by_definition(d_output, x, gamma, **eps)
    got = layer_norm_backward(d_output.copy(), x.copy(), gamma.copy(), **eps)
    parts_agree(got, wanted, "d_x, d_gamma, d_beta", ("Which eps do you add, the caller's or the default?",) * 3)
# Tokens of seven equal features, whose squares have no exact mean. In float32 they are whole numbers, whose mean is exact.
x = np.repeat(rng.integers(730, 1000, size=(30, 1)) + rng.uniform(1e-6, 2e-5, size=(30, 1)), 7, axis=1)
d_output, gamma = 3e-6 * rng.normal(size=(30, 7)), rng.uniform(0.5, 2.0, size=7)
wanted = norm_backward_by_definition(d_output, np.zeros((30, 7)), gamma, 1e-11)
got = layer_norm_backward(d_output, x, gamma, 1e-11)
parts_agree(got, wanted, "d_x, d_gamma, d_beta", ("Print the variance of each token: is any of them below 0?",) * 3)

# %% check="layer_norm_backward-inputs_unchanged" points=2 category="purity" hidden=true
"""Gradient, tokens and gain stay as they are, and a second call gives the same answer."""
x, d_output, gamma = 3 + rng.normal(size=(2, 3, 5)), rng.normal(size=(2, 3, 5)), rng.uniform(0.5, 2.0, size=5)
wanted = norm_backward_by_definition(d_output, x, gamma, 0.5)
with tools.unchanged(d_output=d_output, x=x, gamma=gamma):
    parts_agree(layer_norm_backward(d_output, x, gamma, 0.5), wanted, "d_x, d_gamma, d_beta", NORM_ASKS)
    parts_agree(layer_norm_backward(d_output, x, gamma, 0.5), wanted, "d_x, d_gamma, d_beta", NORM_ASKS)

# %% [markdown]
# ### 5. Through the activation: `gelu_backward`
#
# Forwards, $\operatorname{gelu}(x) = x\, \Phi(x)$: each number times the share of the bell curve to its left. By the
# product rule, with the height of the curve at $x$ as the slope of $\Phi$,
#
# $$dx = dy \, \big( \Phi(x) + x\, \varphi(x) \big), \qquad \Phi(x) = \tfrac12 \Big( 1 + \operatorname{erf} \tfrac{x}{\sqrt2} \Big),
#   \qquad \varphi(x) = \tfrac{1}{\sqrt{2\pi}}\, e^{-x^2/2}$$
#
# NumPy has no erf, but Python does: `np.vectorize(math.erf)` makes a function of arrays of it.


# %% step="gelu_backward" points=8
def gelu_backward(d_output, x):
    """The gradient of the input of gelu, x * (1 + erf(x / sqrt(2))) / 2.

    Shapes
        d_output: the same shape as x, the gradient of the output
        x: any shape with one axis or more

    Returns
        d_x: an array of the same shape

    Rules
        It belongs to the exact form, with erf, and is right to 0.00002. That of the approximation with tanh is not.
        Numbers up to 1e4 in size, of either sign, overflow nothing.
        The inputs stay as they are.
    """
    ### BEGIN SOLUTION
    x = np.asarray(x, dtype=float)
    below = 0.5 * (1.0 + np.vectorize(math.erf)(x / math.sqrt(2.0)))
    return d_output * (below + x * np.exp(-0.5 * x**2) / math.sqrt(2.0 * math.pi))
    ### END SOLUTION


# %% check="gelu_backward-by_hand" points=2 category="gelu"
"""At 0 the slope is 1/2; at 1 it is 0.8413 + 0.2420, and at -1 it is 0.1587 - 0.2420."""
agree(
    gelu_backward(np.array([2.0, 1.0, 1.0, -3.0]), np.array([0.0, 1.0, -1.0, -1.0])),
    [1.0, 1.0833154706, -0.0833154706, 0.2499464117],
    "d_x",
    "Which share of the curve is to the left of x, how high is it there, and what is the product rule?",
    show=True,
)

# %% check="gelu_backward-far_out" points=1 category="overflow safety"
"""In a table: for large numbers all of the gradient passes, for very negative ones nothing."""
agree(
    gelu_backward(np.array([[5.0, 5.0], [7.0, -1.0]]), np.array([[9000.0, -9000.0], [30.0, -30.0]])),
    [[5.0, 0.0], [7.0, 0.0]],
    "d_x far out",
    "How high is the bell curve there, and does any number overflow or get lost in rounding on the way?",
)

# %% check="gelu_backward-as_measured" points=3 category="gelu" hidden=true
"""Random numbers in arrays with one to four axes agree with central differences."""
for shape in ((24,), different_sizes(2), different_sizes(3), (2, 1, 3, 2), (1,)):
    x, d_output = rng.uniform(-4.0, 4.0, size=shape), rng.uniform(1.0, 3.0, size=shape) * rng.choice([-1.0, 1.0], size=shape)
    x.reshape(-1)[0] = 1.5 + rng.uniform(0.0, 0.4)  # where the approximation with tanh is furthest off
    if x.size > 1:
        x.reshape(-1)[-1] = rng.choice([-1.0, 1.0]) * rng.uniform(2.2, 3.0)
    wanted = measured(gelu_of, x, d_output)
    agree(gelu_backward(d_output.copy(), x.copy()), wanted, "d_x", "How does gelu change when one number changes?")

# %% check="gelu_backward-large_numbers" points=1 category="overflow safety" hidden=true
"""Numbers up to 1e4 together with small ones, and large gradients."""
sizes = np.array([1e4, 6000.0, 800.0, 40.0, 9.0, 3.0, 1.0, 0.25, 0.0])
x = np.concatenate([sizes, -sizes])[rng.permutation(18)].reshape(3, 6)
for size in (1.0, 5000.0):
    d_output = size * rng.uniform(0.5, 2.0, size=x.shape)
    wanted = gelu_backward_by_definition(d_output, x)
    tools.agree(gelu_backward(d_output, x.copy()), wanted, "d_x", "What is exp of a very large number?", rtol=2e-5, atol=2e-5 * size)
for first in (-40.0, 40.0):
    x, d_output = np.array([first, *rng.permutation([-1.5, -0.5, 0.5, 1.5])]), rng.uniform(0.5, 2.0, size=5)
    wanted = gelu_backward_by_definition(d_output, x)
    agree(gelu_backward(d_output, x), wanted, "d_x of ordinary numbers behind one that is far out", "Does the first number decide what becomes of the others?")

# %% check="gelu_backward-inputs_unchanged" points=1 category="purity" hidden=true
"""Gradient and input stay as they are, and a second call gives the same answer."""
x, d_output = rng.uniform(-1.9, 1.9, size=(3, 4)), rng.normal(size=(3, 4))
x[0] = -50.0, 50.0, -5000.0, 5000.0  # such as some cut off before they begin
wanted = gelu_backward_by_definition(d_output, x)
with tools.unchanged(d_output=d_output, x=x):
    agree(gelu_backward(d_output, x), wanted, "the first answer")
    agree(gelu_backward(d_output, x), wanted, "the second answer")

# %% [markdown]
# ### 6. Back to the table: `embedding_backward`
#
# At the very start of a model each token picks its row of a table of vectors: `table[tokens]`. Backwards, each row
# collects what came back to the tokens that picked it. A token that occurs five times picked the same row five
# times, so five gradients *add up*; a row that no token picked gets zeros.
#
# One trap: `d_table[tokens] += d_output` reads each row once and writes it once, whatever is repeated. Try it.


# %% step="embedding_backward" points=8
def embedding_backward(d_output, tokens, vocabulary_size):
    """The gradient of the table, from that of table[tokens].

    Shapes
        d_output: (..., d_model), the gradient of the vectors
        tokens: (...), whole numbers from 0 to vocabulary_size - 1, one axis or more
        vocabulary_size: a whole number, 1 or more

    Returns
        d_table: (vocabulary_size, d_model)

    Rules
        A token that occurs more than once adds up. Rows of tokens that do not occur are 0.
        The inputs stay as they are.
    """
    ### BEGIN SOLUTION
    d_table = np.zeros((vocabulary_size, np.shape(d_output)[-1]))
    np.add.at(d_table, np.asarray(tokens), d_output)
    return d_table
    ### END SOLUTION


# %% check="embedding_backward-by_hand" points=3 category="embedding"
"""Token 2 occurs twice, token 0 once, 1 and 3 never."""
agree(
    embedding_backward(np.array([[1.0, 2.0], [10.0, 20.0], [100.0, 200.0]]), np.array([2, 0, 2]), 4),
    [[10.0, 20.0], [0.0, 0.0], [101.0, 202.0], [0.0, 0.0]],
    "d_table",
    "Which tokens picked row 2?",
    show=True,
)

# %% check="embedding_backward-batch_of_two" points=1 category="shapes"
"""Two texts share one table."""
agree(
    embedding_backward(np.array([[[1.0], [2.0]], [[4.0], [8.0]]]), np.array([[1, 1], [0, 1]]), 3),
    [[4.0], [11.0], [0.0]],
    "d_table of the batch",
    "How many axes does a table have?",
)

# %% check="embedding_backward-any_tokens" points=3 category="embedding" hidden=true
"""Random tokens with one to three axes, many of them repeated, tables larger than the text or with a single row."""
for lead, vocabulary_size, d_model in zip((*leads()[1:], (60,), (4,)), (5, 3, 40, 1, 300, 4), (3, 6, 2, 4, 5, 4)):
    largest = vocabulary_size - (vocabulary_size > 5)  # in a large table the last row never occurs
    tokens, d_output = rng.integers(largest, size=lead), 1 + rng.normal(size=(*lead, d_model))
    tokens.reshape(-1)[0] = largest - 1
    tokens.reshape(-1)[-2:] = tokens.reshape(-1)[0]  # one is repeated, wherever there are two
    d_output.reshape(-1, d_model)[-2:] = 1.5  # with the same gradient
    wanted = embedding_backward_by_definition(d_output, tokens, vocabulary_size)
    agree(embedding_backward(d_output, tokens, vocabulary_size), wanted, "d_table", "What does a row collect, and from which tokens?")

# %% check="embedding_backward-inputs_unchanged" points=1 category="purity" hidden=true
"""Gradient and tokens stay as they are, and a second call gives the same answer."""
tokens, d_output = rng.integers(4, size=(2, 6)), rng.normal(size=(2, 6, 3))
wanted = embedding_backward_by_definition(d_output, tokens, 5)
with tools.unchanged(d_output=d_output, tokens=tokens):
    agree(embedding_backward(d_output, tokens, 5), wanted, "the first answer")
    agree(embedding_backward(d_output, tokens, 5), wanted, "the second answer")

# %% [markdown]
# ## Part three: the step downhill
#
# ### 7. Not too far at once: `clip_by_global_norm`
#
# Now and then a batch is odd, and its gradient a hundred times too long. One such step can ruin a model. So
# the gradient is shortened first: if the norm of *all* gradients together, the root of the sum of all
# squares, is above `max_norm`, everything is multiplied by `max_norm / norm`. One factor for all: the direction
# stays. A short gradient stays as it is.


# %% step="clip_by_global_norm" points=8
def clip_by_global_norm(gradients, max_norm):
    """The gradients, shortened together where they are too long.

    Takes
        gradients: a list of arrays of any shapes with one axis or more, at least one array
        max_norm: a number above 0

    Returns
        a list of arrays, of the same shapes and in the same order

    Rules
        The norm is that of all numbers in all arrays together: the root of the sum of their squares.
        If it is larger than max_norm, every array is multiplied by max_norm / norm.
        Otherwise they come back with the same values, also if all of them are 0.
        The list and the arrays in it stay as they are.
    """
    ### BEGIN SOLUTION
    norm = math.sqrt(sum(np.sum(np.square(array)) for array in gradients))
    factor = max_norm / norm if norm > max_norm else 1.0
    return [factor * np.asarray(array) for array in gradients]
    ### END SOLUTION


# %% check="clip_by_global_norm-by_hand" points=3 category="clipping"
"""3 and 4 together have the norm 5: for a max_norm of 2 they become 1.2 and 1.6."""
lists_agree(
    clip_by_global_norm([np.array([3.0, 0.0]), np.array([[0.0], [4.0]])], 2.0),
    [np.array([1.2, 0.0]), np.array([[0.0], [1.6]])],
    "the clipped gradients",
    "What is the norm of all numbers together, and is the factor the same for all?",
    show=True,
)

# %% check="clip_by_global_norm-short_ones" points=1 category="clipping"
"""Gradients that are not too long, or all 0, come back unchanged."""
ask = "Is it longer than max_norm?"
lists_agree(clip_by_global_norm([np.array([3.0]), np.array([4.0])], 10.0), [np.array([3.0]), np.array([4.0])], "short gradients", ask)
lists_agree(clip_by_global_norm([np.array([3.0]), np.array([4.0])], 5.0), [np.array([3.0]), np.array([4.0])], "those with a norm of max_norm", ask)
lists_agree(clip_by_global_norm([np.zeros(2), np.zeros((1, 3))], 0.5), [np.zeros(2), np.zeros((1, 3))], "gradients of 0", ask)

# %% check="clip_by_global_norm-drawn" points=3 category="clipping" hidden=true
"""Random arrays with one to three axes, one or many, long and short, of very different sizes, equal ones, and tiny ones."""
for shapes in (((3, 4), (5,), (2, 3, 2)), ((6,),), ((1,), (1, 1), (4, 2), (3,), (2,)), ((2, 2), (2, 2))):
    gradients = [10.0 ** (turn - 1) * rng.normal(size=shape) for turn, shape in enumerate(shapes)]
    norm = math.sqrt(sum(float(np.sum(array**2)) for array in gradients))
    for part, size in ((0.3, 1.0), (0.9, 1.0), (1.1, 1.0), (20.0, 1.0), (0.3, 1e-6), (20.0, 1e-6), (0.3, 1e5)):
        scaled, max_norm = [size * array for array in gradients], part * size * norm
        wanted = clipped_by_definition(scaled, max_norm)
        got = clip_by_global_norm([array.copy() for array in scaled], max_norm)
        lists_agree(got, wanted, "the gradients", "What is the norm of all of them together?", size=size * norm / 20)
one, other = rng.normal(size=(2, 3)), rng.normal(size=5)
gradients = [one / math.sqrt(np.sum(one**2)), other / math.sqrt(np.sum(other**2))]
gradients.append(gradients[0].copy())  # each is short, all are too long, and two are equal
wanted = clipped_by_definition(gradients, 1.5)
lists_agree(clip_by_global_norm(gradients, 1.5), wanted, "gradients that are too long together", "Whose length counts?")

# %% check="clip_by_global_norm-inputs_unchanged" points=1 category="purity" hidden=true
"""List and arrays stay as they are, and a second call gives the same answer."""
first, second = 3 * rng.normal(size=(2, 3)), 3 * rng.normal(size=4)
first[0, 0] = second[0] = 7.0
gradients = [first, second]  # each is longer than 2
for max_norm in (2.0, 500.0):
    wanted = clipped_by_definition(gradients, max_norm)
    with tools.unchanged(first=first, second=second):
        lists_agree(clip_by_global_norm(gradients, max_norm), wanted, "the first answer")
        lists_agree(clip_by_global_norm(gradients, max_norm), wanted, "the second answer")
        assert len(gradients) == 2 and gradients[0] is first and gradients[1] is second, "The list you were given has changed."

# %% question="largest_norm" kind="number" points=0
"""Three gradients have the norms 3, 4 and 12. What is the norm of the last one after clip_by_global_norm with max_norm = 6.5?
"""
largest_norm = 6

# %% [markdown]
# ### 8. The step itself: `adamw_update`
#
# The plainest step is `w - learning_rate * gradient`. **AdamW** trains nearly every language model. It keeps two
# moving averages for every weight: the first moment, of the gradients, and the second moment, of their squares:
#
# $$m \leftarrow \beta_1 m + (1 - \beta_1)\, g, \qquad v \leftarrow \beta_2 v + (1 - \beta_2)\, g^2$$
#
# Both begin at 0, so at first they are too small. At step $t$, counted from 1, they are corrected, but only for this
# step; what is kept is uncorrected:
#
# $$\hat m = \frac{m}{1 - \beta_1^t}, \qquad \hat v = \frac{v}{1 - \beta_2^t}, \qquad
#   w \leftarrow w - \eta\, \frac{\hat m}{\sqrt{\hat v} + \varepsilon} - \eta\, \lambda\, w$$
#
# Divided by its usual size, every weight takes steps of about $\eta$, however steep the loss is there. The last term
# is the **weight decay**: it pulls each weight a little towards 0, and stays out of the moments (that is the W).


# %% step="adamw_update" points=12
def adamw_update(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    """One step of AdamW.

    Takes
        w, gradient, m, v: arrays of one shape, with one axis or more: weights, their gradient, and both moments
            as the step before returned them (zeros before the first step); v has no negative numbers
        t: a whole number, 1 for the first step
        learning_rate, beta_1, beta_2, eps, weight_decay: numbers; both betas from 0 to below 1

    Returns
        (w, m, v): a tuple of arrays: the new weights and both new moments

    Rules
        The step uses both moments, each divided by 1 - beta ** t. The moments returned are not divided.
        eps is added to the root of the second moment, not under it.
        learning_rate * weight_decay times the weights as they came is subtracted, and is in neither moment.
        The inputs stay as they are.
    """
    ### BEGIN SOLUTION
    gradient = np.asarray(gradient)
    m = beta_1 * np.asarray(m) + (1 - beta_1) * gradient
    v = beta_2 * np.asarray(v) + (1 - beta_2) * gradient**2
    step = m / (1 - beta_1**t) / (np.sqrt(v / (1 - beta_2**t)) + eps)
    return w - learning_rate * (step + weight_decay * np.asarray(w)), m, v
    ### END SOLUTION


# %% check="adamw_update-by_hand" points=2 category="AdamW"
"""The first step, without decay: whatever the size of a gradient, its weight moves by the learning rate."""
answer = adamw_update(np.array([1.0, 2, 3]), np.array([4.0, -200, 0]), np.zeros(3), np.zeros(3), 1, 0.5, weight_decay=0.0)
parts_agree(answer, ([0.5, 2.5, 3], [0.4, -20, 0], [0.016, 40, 0]), "w, m, v", ADAM_ASKS, show=True)

# %% check="adamw_update-second_step" points=2 category="AdamW"
"""Step 2, with moments that are no longer 0, and betas of 1/2 and 3/4."""
w, gradient, m, v = np.array([[[1.0], [2.0]], [[4.0], [0.0]], [[2.0], [6.0]], [[12.0], [28.0]]])
answer = adamw_update(w, gradient, m, v, 2, 0.5, 0.5, 0.75, 0.0, 0.0)
# Corrected, the moments are 3 / 0.75 and 13 / 0.4375, and 3 / 0.75 and 21 / 0.4375.
parts_agree(answer, ([[0.6330965], [1.7113249]], [[3], [3]], [[13], [21]]), "w, m, v", ADAM_ASKS, show=True)

# %% check="adamw_update-eps" points=1 category="AdamW"
"""A gradient of 3 and an eps of 1: the step is 3 / (3 + 1) of the learning rate."""
answer = adamw_update(np.array([1.0]), np.array([3.0]), np.zeros(1), np.zeros(1), 1, 1.0, 0.5, 0.5, 1.0, 0.0)
parts_agree(answer, ([0.25], [1.5], [4.5]), "w, m, v", ("Where is eps added?", *ADAM_ASKS[1:]))

# %% check="adamw_update-decay" points=1 category="AdamW"
"""Without any gradient the weights lose a tenth of a half, and the moments stay 0."""
answer = adamw_update(np.array([20.0, -40.0]), np.zeros(2), np.zeros(2), np.zeros(2), 1, 0.1, weight_decay=0.5)
parts_agree(answer, ([19, -38], [0, 0], [0, 0]), "w, m, v", ("What is subtracted from a weight without a gradient?",) + ("What goes into the moments?",) * 2)

# %% check="adamw_update-drawn" points=3 category="AdamW" hidden=true
"""Random weights and moments with one to three axes, any step and any settings."""
for shape, t in ((different_sizes(2), 1), ((7,), 2), ((2, 3, 4), 3), ((1, 1), 10), ((4, 4), 1000), ((3,), 100_000)):
    w, gradient, m, v = (size * rng.normal(size=shape) for size in (3.0, 2.0, 2.0, 2.0))
    v = v**2 + 0.5
    settings = rng.uniform((0.1, 0.3, 0.4, 0.2, 0.2), (1.0, 0.8, 0.95, 1.5, 1.5)).tolist()
    wanted = adamw_by_definition(w, gradient, m, v, t, *settings)
    got = adamw_update(w.copy(), gradient.copy(), m.copy(), v.copy(), t, *settings)
    parts_agree(got, wanted, "w, m, v", ADAM_ASKS)

w, gradient, m, v = np.abs(rng.normal(size=(4, 3))) + 1.0
for t, beta_1, beta_2 in ((3, 0.0, 0.9), (3, 0.9, 0.0), (200, 0.9, 0.999)):
    settings = 0.5, beta_1, beta_2, 0.3, 0.4
    wanted = adamw_by_definition(w, gradient, m, v, t, *settings)
    got = adamw_update(w.copy(), gradient.copy(), m.copy(), v.copy(), t, *settings)
    parts_agree(got, wanted, "w, m, v", ADAM_ASKS)

# %% check="adamw_update-defaults" points=2 category="AdamW" hidden=true
"""Without settings the defaults apply; three steps in a row, also with gradients as small as eps, whatever eps is."""
for size, atol, settings in ((1.0, 2e-5, {}), (1e-8, 0.0, {}), (1e-11, 0.0, {"eps": 1e-12})):
    w, m, v = rng.choice([-1.0, 1.0], size=(2, 3)) * rng.uniform(20.0, 50.0, size=(2, 3)), np.zeros((2, 3)), np.zeros((2, 3))
    for t in (1, 2, 3):
        gradient = size * rng.uniform(0.5, 2.0, size=w.shape)
        wanted = adamw_by_definition(w, gradient, m, v, t, 0.5, **settings)
        got = tools.unpack(adamw_update(w.copy(), gradient, m.copy(), v.copy(), t, 0.5, **settings), "w, m, v")
        for part, right, name, ask in zip(got, wanted, ("the weights", "the first moment", "the second moment"), ADAM_ASKS):
            tools.agree(part, right, name, ask, rtol=2e-5, atol=atol)
        w, m, v = wanted

# %% check="adamw_update-inputs_unchanged" points=1 category="purity" hidden=true
"""Weights, gradient and moments stay as they are, and a second call gives the same answer."""
w, gradient, m = (2 * rng.normal(size=(3, 4)) for _ in range(3))
v = m**2 + 1.0
wanted = adamw_by_definition(w, gradient, m, v, 4, 0.1)
with tools.unchanged(w=w, gradient=gradient, m=m, v=v):
    parts_agree(adamw_update(w, gradient, m, v, 4, 0.1), wanted, "w, m, v", ADAM_ASKS)
    parts_agree(adamw_update(w, gradient, m, v, 4, 0.1), wanted, "w, m, v", ADAM_ASKS)

# %% question="numbers_kept" kind="number" points=0
"""A model has 1,000,000 weights. How many numbers does AdamW keep from one step to the next, the weights included?"""
numbers_kept = 3 * 1_000_000

# %% [markdown]
# ### 9. How large a step, and when: `learning_rate`
#
# At first the moments know little and the weights are random: large steps go astray. So the learning rate *warms
# up*, in a straight line, until it reaches its peak. In the end small steps are needed to settle: from the peak it
# follows half a cosine down to a floor.
#
# $$\eta(s) = \begin{cases} \text{peak} \cdot \dfrac{s + 1}{\text{warmup}} & s < \text{warmup} \\[1ex]
#   \text{floor} + \dfrac{\text{peak} - \text{floor}}{2} \Big( 1 + \cos \pi\, \dfrac{s - \text{warmup}}{\text{total} - \text{warmup}} \Big) & \text{warmup} \le s < \text{total} \\[1ex]
#   \text{floor} & s \ge \text{total} \end{cases}$$


# %% step="learning_rate" points=7
def learning_rate(step, peak, warmup, total, floor=0.0):
    """The learning rate of a step: warm-up, then half a cosine.

    Takes
        step, warmup, total: whole numbers; step from 0 on, 0 <= warmup < total
        peak, floor: numbers, the floor not above the peak; it is 0 unless told otherwise

    Returns
        a number (a float, or an array without axes)

    Rules
        While step < warmup it is peak * (step + 1) / warmup. A warmup of 0 means that there is none.
        From step = warmup, where it is the peak, it follows half a cosine to the floor at step = total.
        From there on it stays at the floor.
    """
    ### BEGIN SOLUTION
    if step < warmup:
        return peak * (step + 1) / warmup
    part = min(1.0, (step - warmup) / (total - warmup))
    return floor + (peak - floor) * (1 + math.cos(math.pi * part)) / 2
    ### END SOLUTION


# %% check="learning_rate-warms_up" points=2 category="schedule"
"""With a warm-up of 4 steps to a peak of 2: 0.5, 1, 1.5, 2, and 2 again."""
rates = [learning_rate(step, 2.0, 4, 12) for step in range(5)]
agree(rates, [0.5, 1.0, 1.5, 2.0, 2.0], "the learning rates", "What is the rate of step 0, and which step is the first at the peak?", show=True)

# %% check="learning_rate-comes_down" points=2 category="schedule"
"""From 2 at step 4 down to a floor of 1 from step 12 on, also without warm-up: half-way it is 1.5."""
rates = [learning_rate(step, 2.0, 4, 12, 1.0) for step in (4, 6, 8, 10, 12, 13, 100)]
ask = "Where is the cosine at the peak, half-way, and at the end?"
agree(rates, [2.0, 1.853553391, 1.5, 1.146446609, 1.0, 1.0, 1.0], "the learning rates", ask, show=True)
agree([learning_rate(step, 2.0, 0, 2) for step in (0, 1, 2, 3)], [2.0, 1.0, 0.0, 0.0], "those without warm-up", "What is warmup here?")

# %% check="learning_rate-on_the_way_up" points=1 category="schedule" hidden=true
"""Random peaks and warm-ups, short and very long ones."""
for warmup, total in ((1, 2), (1, 30), (int(rng.integers(3, 9)), int(rng.integers(20, 40))), (11, 12), (10, 20)):
    steps = sorted({0, warmup - 1, *rng.integers(warmup, size=3).tolist()})
    for peak, *floor in ((float(rng.uniform(1.0, 4.0)),), (float(rng.uniform(10.0, 40.0)), float(rng.uniform(3.0, 6.0)))):
        for step in steps:
            wanted = rate_by_definition(step, peak, warmup, total, *floor)
            agree(learning_rate(step, peak, warmup, total, *floor), wanted, "the learning rate", "What is the rate of step 0?")

for step in (0, 3):
    wanted = rate_by_definition(step, 0.0006, 9, 40, 0.00006)
    ask = "How many digits has your rate?"
    tools.agree(learning_rate(step, 0.0006, 9, 40, 0.00006), wanted, "a small learning rate", ask, rtol=2e-5, atol=0)

# %% check="learning_rate-drawn" points=2 category="schedule" hidden=true
"""Random peaks, floors and lengths from the peak on, above all where a part of the curve begins or ends, with and without warm-up."""
for warmup, total in ((0, 1), (0, 9), (1, 2), (1, 30), (int(rng.integers(3, 9)), int(rng.integers(20, 40))), (11, 12), (10, 20)):
    ends = {step for end in (warmup, (warmup + total) // 2, total) for step in (end - 1, end, end + 1) if step >= warmup}
    steps = sorted({*ends, *rng.integers(warmup, total, size=3).tolist(), 10 * total})
    for peak, *floor in ((float(rng.uniform(1.0, 4.0)),), (float(rng.uniform(10.0, 40.0)), float(rng.uniform(3.0, 6.0)))):
        for step in steps:
            wanted = rate_by_definition(step, peak, warmup, total, *floor)
            agree(learning_rate(step, peak, warmup, total, *floor), wanted, "the learning rate", "In which part of the curve is the step?")

for step in (20, 40):
    wanted = rate_by_definition(step, 0.0006, 9, 40, 0.00006)
    ask = "How many digits has your rate?"
    tools.agree(learning_rate(step, 0.0006, 9, 40, 0.00006), wanted, "a small learning rate", ask, rtol=2e-5, atol=0)

# %% [markdown]
# ## Part four: writing
#
# ### 10. Which token comes next: `next_token_probabilities`
#
# A trained model gives one logit per token, and one token is drawn. If you draw from the plain softmax, one of the many unlikely tokens is drawn now and then, and one bad word spoils the text. The best one every time gives dull
# texts that go in circles. Between these two there are three knobs, turned in this order:
#
# 1. **Temperature.** Divide the logits by it before softmax: below 1 the best gain, above 1 they become more equal.
#    At 0 the largest gets everything.
# 2. **Top-k.** Keep the `top_k` most likely tokens, and divide by their sum.
# 3. **Top-p**, or *nucleus*. Keep the most likely of the remaining tokens, as few as reach a sum of `top_p`, and
#    divide by their sum. Where the model is sure, that is one token; where it is not, it may be hundreds.


# %% step="next_token_probabilities" points=11
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    """The probabilities from which the next token is drawn.

    Takes
        logits: (vocabulary,), finite numbers
        temperature: a number, 0 or more
        top_k: None, or a whole number from 1 to vocabulary
        top_p: None, or a number above 0, at most 1

    Returns
        (vocabulary,): they sum to 1, and whatever is not kept is 0

    Rules
        First comes the softmax of the logits divided by the temperature.
        Then the top_k largest are kept, among equals those of lower index, and divided by their sum.
        Then, largest first and among equals the lower index first, the fewest are kept whose sum reaches top_p,
        the one that reaches it included, and divided by their sum.
        At temperature 0 the largest logit gets 1.0, among equals the one of lower index.
        Logits of thousands, of either sign, overflow nothing.
        The input stays as it is.
    """
    ### BEGIN SOLUTION
    logits = np.asarray(logits, dtype=float)
    order = np.argsort(-logits, kind="stable")
    if temperature == 0:
        top_k, top_p, temperature = 1, None, 1.0
    powers = np.exp((logits - logits.max()) / temperature)
    kept = order[:top_k]
    if top_p is not None:
        sums = np.cumsum(powers[kept] / powers[kept].sum())
        kept = kept[: np.searchsorted(sums, top_p) + 1]
    probabilities = np.zeros(len(logits))
    probabilities[kept] = powers[kept] / powers[kept].sum()
    return probabilities
    ### END SOLUTION


# %% check="next_token_probabilities-temperature" points=2 category="sampling"
"""Odds of 1 : 2 : 1 at temperature 1; at 1/2 they are squared, at 2 it is their root; at 0 the best gets all."""
ask, logits = "What are the logits divided by, and when?", np.log([1.0, 2.0, 1.0])
agree(next_token_probabilities(logits.copy()), [0.25, 0.5, 0.25], "the probabilities", ask, show=True)
agree(next_token_probabilities(logits.copy(), 0.5), [1 / 6, 2 / 3, 1 / 6], "those at temperature 1/2", ask, show=True)
agree(next_token_probabilities(logits.copy(), 2.0), [0.2928932188, 0.4142135624, 0.2928932188], "those at temperature 2", ask)
agree(next_token_probabilities(np.array([1.0, 3.0, 3.0]), 0), [0.0, 1.0, 0.0], "those at temperature 0", "Which of the equal ones comes first?")

# %% check="next_token_probabilities-top_k" points=2 category="sampling"
"""Of 4 : 1 : 3 : 1 two are kept, then three: of two equal ones the first."""
logits = np.log([4.0, 1.0, 3.0, 1.0])
agree(next_token_probabilities(logits.copy(), top_k=2), [4 / 7, 0, 3 / 7, 0], "the two best", "Which two are the largest, and what do they sum to?", show=True)
agree(next_token_probabilities(logits.copy(), top_k=3), [0.5, 0.125, 0.375, 0.0], "the three best", "Which of two equals comes first?")

# %% check="next_token_probabilities-top_p" points=2 category="sampling"
"""Of 0.1, 0.4, 0.2 and 0.3, the fewest that reach 0.6 are 0.4 and 0.3; of four equal ones two reach a half, of ten all reach 1."""
logits = np.log([1.0, 4.0, 2.0, 3.0])
agree(next_token_probabilities(logits.copy(), top_p=0.6), [0, 4 / 7, 0, 3 / 7], "the fewest that reach 0.6", "Does 0.4 reach it, and what do 0.4 and 0.3 sum to?", show=True)
agree(next_token_probabilities(logits.copy(), top_p=0.05), [0, 1, 0, 0], "the fewest that reach 0.05", "How many should you keep at least?")
agree(next_token_probabilities(np.zeros(4), top_p=0.5), [0.5, 0.5, 0, 0], "the fewest that reach a half", "Which two of four equals come first?")
agree(next_token_probabilities(np.zeros(10), top_p=1.0), [0.1] * 10, "all of ten for a top-p of 1", "What do ten tenths sum to, to the last digit?")

# %% check="next_token_probabilities-one_after_the_other" points=1 category="sampling"
"""Temperature comes first, then top-k keeps three of four, and top-p uses their new probabilities."""
logits = np.log([4.0, 3.0, 2.0, 1.0])
ask = "What do the probabilities that top_k kept sum to, when you apply top_p?"
agree(next_token_probabilities(logits.copy(), top_k=2, top_p=0.55), [1, 0, 0, 0], "one of two", ask, show=True)
agree(next_token_probabilities(logits.copy(), 0.5, 3, 0.8), [16 / 25, 9 / 25, 0, 0], "two of three", "In which order do temperature and top_p come?")

# %% check="next_token_probabilities-drawn" points=2 category="sampling" hidden=true
"""Random orders, vocabularies of 1 to 60 tokens, every setting alone and with the others."""
for vocabulary, temperatures in ((1, (1.0, 0.0)), (2, (0.3, 0.0)), (int(rng.integers(5, 9)), (1.0, 0.3, 2.5, 0.0)), (60, (1.0, 2.5, 0.0))):
    logits = (1.7 * rng.permutation(vocabulary) + rng.uniform(0.0, 0.4, size=vocabulary)) / max(1, vocabulary / 8)
    for temperature in temperatures:
        for top_k in (None, 1, (vocabulary + 1) // 2, vocabulary):
            shown = probabilities_by_definition(logits, temperature, top_k)
            sums = np.cumsum(np.sort(shown)[::-1])
            # Half-way between two sums, so that rounding decides nothing.
            half_way = [float(reached + before) / 2 for before, reached in zip((0.0, *sums), sums) if reached - before > 0.02]
            for top_p in (None, *half_way[:2], *half_way[2:][-2:]):
                wanted = probabilities_by_definition(logits, temperature, top_k, top_p)
                got = next_token_probabilities(logits.copy(), temperature, top_k, top_p)
                agree(got, wanted, "the probabilities", "Which tokens are kept, and what do they sum to?")
    wanted = probabilities_by_definition(logits, 1.0)
    agree(next_token_probabilities(0.001 * logits, 0.001), wanted, "those at a very low temperature", "From which temperature on do you divide by it?")
    agree(next_token_probabilities(1000.0 * logits, 1000.0), wanted, "those at a very high temperature", "From which temperature on do you divide by it?")
for vocabulary in (6, 10, 13):
    wanted = np.full(vocabulary, 1 / vocabulary)
    agree(next_token_probabilities(np.zeros(vocabulary), top_p=1.0), wanted, "those for a top-p of 1", "What do all of them sum to, to the last digit?")

# %% check="next_token_probabilities-equals" points=1 category="edge cases" hidden=true
"""Of many equal tokens, those with a lower index are kept, by every setting; a top-p of 1 keeps all."""
for vocabulary, best in ((4, 4), (8, 8), (40, 32), (64, 16)):
    logits = np.full(vocabulary, -50.0)
    logits[rng.permutation(vocabulary)[:best]] = 3.0
    for temperature, top_k, top_p in ((1.0, best // 4, None), (0.0, None, None), (0.0, best, 0.5), (1.0, None, 0.25), (1.0, best, 0.75), (1.0, best, 1.0)):
        wanted = probabilities_by_definition(logits, temperature, top_k, top_p)
        got = next_token_probabilities(logits.copy(), temperature, top_k, top_p)
        agree(got, wanted, "the probabilities", "Which of the equal ones come first?")
for vocabulary in (12, 42):
    logits = rng.permutation(np.arange(vocabulary) % 3) + 0.0
    # Each cuts one of three levels of equals in half.
    for top_k in (vocabulary // 6, vocabulary // 2, 5 * vocabulary // 6):
        wanted = probabilities_by_definition(logits, 1.0, top_k)
        agree(next_token_probabilities(logits.copy(), 1.0, top_k), wanted, "the probabilities", "Which of the equal ones come first?")

logits = rng.permutation(6) + np.zeros(6)
best = int(logits.argmax())
logits[(best + 1) % 6] = logits[best] - 0.001
for temperature, top_k in ((0.0, None), (1.0, 1)):
    got = next_token_probabilities(logits.copy(), temperature, top_k)
    agree(got, np.eye(6)[best], "the probabilities where two are nearly equal", "Which one is larger, by however little?")

# %% check="next_token_probabilities-inputs_unchanged" points=1 category="purity" hidden=true
"""The logits stay as they are, and a second call gives the same answer, also for logits of thousands."""
for middle in (0.0, 5000.0, -5000.0):
    logits = middle + rng.permutation(6) + rng.integers(0, 4, size=6) / 8
    for temperature, top_k, top_p in ((0.5, None, None), (2.0, 4, None), (0.0, None, None)):
        wanted = probabilities_by_definition(logits, temperature, top_k, top_p)
        with tools.unchanged(logits=logits):
            agree(next_token_probabilities(logits, temperature, top_k, top_p), wanted, "the first answer")
            agree(next_token_probabilities(logits, temperature, top_k, top_p), wanted, "the second answer")

# %% [markdown]
# ## The finale: your functions learn to write
#
# Now a model with one transformer block learns to write, from random weights, while you watch. Forwards it is
# your attention, your norm, your GELU and your block; all the rest you have just written. It reads what NumPy says of
# its own functions and guesses, character by character, what comes next. Each layer keeps what its backward pass will need:


# %%
def forwards(w, tokens, heads=4, stretch=1.0):
    """The logits behind each token of (texts, n), and what the way back needs."""
    kept, n, d_model = {"stretch": stretch}, tokens.shape[-1], w["table"].shape[-1]

    def norm(x, i):
        kept[f"x_{i}"] = np.asarray(x)
        kept[f"normed_{i}"] = np.asarray(layer_norm(kept[f"x_{i}"], w[f"gamma_{i}"], w[f"beta_{i}"]))
        return kept[f"normed_{i}"]

    def attention(a):
        Q, K, V = (np.asarray(split_heads(a @ w[name], heads)) for name in ("W_Q", "W_K", "W_V"))
        output, weights = scaled_dot_product_attention(stretch * Q, K, V, causal_mask(n))
        kept.update(Q=Q, K=K, V=V, weights=np.asarray(weights), joined=np.asarray(concat_heads(output)))
        return kept["joined"] @ w["W_O"]

    def feed(a):
        kept["bent"] = a @ w["W_1"] + w["b_1"]
        kept["hidden"] = np.asarray(gelu(kept["bent"]))
        return kept["hidden"] @ w["W_2"] + w["b_2"]

    x = w["table"][tokens] + 0.3 * np.asarray(positional_encoding(n, d_model))
    x = transformer_block(x, attention, feed, lambda x: norm(x, 1), lambda x: norm(x, 2))
    return norm(x, 3) @ w["W"] + w["b"], kept


# %% [markdown]
# Backwards the same steps come in reverse order. Where a part was added to the stream, two gradients are added. And the mask?
# Hidden keys have a weight of 0, so your `softmax_backward` gives them a gradient of 0.


# %%
def backwards(w, kept, tokens, d_logits):
    """The gradients of all arrays in w, by name."""
    d = {}

    def linear(d_output, x, name, bias=None):
        d_x, d[name], d_b = linear_backward(d_output, kept[x], w[name])
        if bias:
            d[bias] = d_b
        return np.asarray(d_x)

    def norm(d_output, i):
        d_x, d[f"gamma_{i}"], d[f"beta_{i}"] = layer_norm_backward(d_output, kept[f"x_{i}"], w[f"gamma_{i}"])
        return np.asarray(d_x)

    d_x = norm(linear(d_logits, "normed_3", "W", "b"), 3)
    d_bent = gelu_backward(linear(d_x, "hidden", "W_2", "b_2"), kept["bent"])
    d_x = d_x + norm(linear(d_bent, "normed_2", "W_1", "b_1"), 2)

    Q, K, V, weights = (kept[name] for name in ("Q", "K", "V", "weights"))
    d_heads = np.asarray(split_heads(linear(d_x, "joined", "W_O"), Q.shape[-3]))
    d_scores = np.asarray(softmax_backward(weights, d_heads @ V.swapaxes(-1, -2)))
    d_scores = kept["stretch"] * d_scores / math.sqrt(Q.shape[-1])
    parts = {"W_Q": d_scores @ K, "W_K": d_scores.swapaxes(-1, -2) @ Q, "W_V": weights.swapaxes(-1, -2) @ d_heads}
    d_normed = sum(linear(concat_heads(part), "normed_1", name) for name, part in parts.items())
    d["table"] = embedding_backward(d_x + norm(d_normed, 1), tokens, len(w["table"]))
    return d


# %% [markdown]
# The training: draw pieces of the text, go forwards and backwards, clip, step. The loss should fall far below that of
# a model that only counts which character follows which.


# %%
LETTERS, TEXT = handbook()


def train(steps, peak=0.01, warmup=40, seed=0, seconds=30, show=None, **how):
    """The weights after these steps, the loss of each, and the attention weights of the last."""
    w, losses = random_weights(len(LETTERS), seed), []
    moments = {name: (np.zeros(array.shape), np.zeros(array.shape)) for name, array in w.items()}
    for step, total, tokens, targets in lessons(TEXT, steps, losses, seconds, seed):
        logits, kept = forwards(w, tokens, **how)
        losses.append(float(cross_entropy(logits, targets)))
        d = backwards(w, kept, tokens, cross_entropy_backward(logits, targets))
        rate = learning_rate(step, peak, min(warmup, total - 1), total)
        for name, gradient in zip(d, clip_by_global_norm(list(d.values()), 1.0)):
            new, *moments[name] = adamw_update(w[name], gradient, *moments[name], step + 1, rate)
            w[name] = np.asarray(new)
        if step == show:
            print(f"\nafter {step} steps it writes:\n{write(w, 150)}\n")
    return w, losses, kept["weights"]


def write(w, length):
    return written(forwards, next_token_probabilities, w, LETTERS, length)


@tools.demo
def the_model_learns():
    print(f"before, it writes:\n{write(random_weights(len(LETTERS)), 150)}\n")
    w, losses, _ = train(500, show=100)
    print(f"\nnow it writes:\n{write(w, 500)}\n")
    pairs = loss_of_pairs(TEXT, len(LETTERS))
    print(f"The loss of the last 20 steps: {np.mean(losses[-20:]):.2f}. That of counted pairs: {pairs:.2f}")
    lines = {"your model": losses, "pairs counted": np.full(len(losses), pairs)}
    tools.curves(np.arange(len(losses)), lines, "The model learns", "step", "loss")


# %% [markdown]
# ### Two experiments
#
# **Without warm-up.** At first the moments are averages of hardly anything, and full steps go astray. With the peak from
# above the model gets over it. With one five times as high, it
# stays far behind.
#
# **Without the root.** Scores that are not divided by $\sqrt{d_k}$ are that many times larger from the start (here one
# head has all 48 features). Softmax gives nearly all the weight to one key. Where one weight is 1, your `softmax_backward` sends
# nothing back, and learning stalls.


# %%
@tools.demo
def without_warm_up():
    compared(train, "Warm-up", {"with warm-up": {"peak": 0.05}, "without": {"peak": 0.05, "warmup": 0}})


@tools.demo
def without_the_root():
    compared(train, "Scores", {"divided": {"heads": 1}, "not divided": {"heads": 1, "stretch": math.sqrt(48)}})


# %% [markdown]
# ## Optional: explain an experiment
#
# A person grades this one, for up to 4 points more. Take one of the two experiments, and explain its curves in a few
# sentences.
#
# **Rubric**
#
# - 1 point: reads from the curves where they part
# - 2 points: explains it by the moments, or by the weights and their gradients
# - 1 point: predicts another setting, and compares that with a run

# %% [markdown] manual="explain_an_experiment" points=4 extra=true
# *Write your explanation here.*

# %% [markdown]
# ## Your score so far
#
# The visible checks that you have run in this session, and what is still open. Before you hand in,
# restart the kernel and run everything, so that the count is up to date.

# %%
tools.summary()

# %% [markdown]
# ## Where to go from here
#
# You have written the whole road: a loss, its way back through every layer, a step downhill, and a draw. Large models add size: more layers, text and machines. `inference` shows how such a model writes
# fast, and `tokenizer` how it gets its tokens.


# %% oracles
"""What the docstrings promise about inputs: each line must occur in a check of its step, or have its reason below."""
from autograder.exercises.promises import leading_axes, real_numbers, single

LOSS = {
    **leading_axes("logits", own=2),
    **single("logits", -1, -2),
    "ignore is not given": lambda ignore: ignore == -1,
    "ignore is a token": lambda logits, ignore: 0 <= ignore < logits.shape[-1],
    "ignore is another number below 0": lambda ignore: ignore < -1,
    "some are ignored": lambda targets, ignore: 0 < np.count_nonzero(targets == ignore) < np.size(targets),
    "none is ignored": lambda targets, ignore: not (targets == ignore).any(),
    "all are ignored": lambda targets, ignore: (targets == ignore).all(),
    "logits above 1,000": lambda logits: np.max(logits) > 1e3,
    "rows of logits below -1,000": lambda logits: (np.max(logits, axis=-1) < -1e3).any(),
    "logits that are 1,000 apart": lambda logits: (np.ptp(logits, axis=-1) > 1e3).any(),
    "a target above 255": lambda logits, targets: 255 < np.max(targets) < logits.shape[-1],
    "as many rows as tokens": lambda logits: logits.shape[-1] == logits.shape[-2] > 1,
}
PROMISES = {
    "cross_entropy": {**LOSS, "ignore is above all tokens": lambda logits, ignore: ignore >= logits.shape[-1]},
    "cross_entropy_backward": LOSS,
    "linear_backward": {
        **leading_axes("x", own=1),
        **single("x", -1),
        "d_out is 1": lambda W: W.shape[1] == 1,
        "more inputs than outputs": lambda W: W.shape[0] > W.shape[1] > 1,
        "more outputs than inputs": lambda W: W.shape[1] > W.shape[0] > 1,
        "all sizes are equal": lambda x, W: {*np.shape(x), *W.shape} == {W.shape[0]},
    },
    "layer_norm_backward": {
        **leading_axes("x", own=1),
        **single("x", -1),
        "eps is not given": lambda eps: eps == 1e-5,
        "a large eps": lambda eps: eps > 0.1,
        "an eps below 1e-8": lambda eps: eps < 1e-8,
        "features that are all equal": lambda x: np.shape(x)[-1] > 1 and (np.ptp(x, axis=-1) == 0).any(),
        "a spread below the root of eps": lambda x, eps: ((np.std(x, axis=-1) > 0) & (np.var(x, axis=-1) < eps)).any(),
        "tokens of different spread": lambda x: np.ndim(x) > 1 and np.ptp(np.std(x, axis=-1)) > 0.5,
        "a gain below 0": lambda gamma: (gamma < 0).any(),
        "as many tokens as features": lambda x: np.ndim(x) > 1 and np.shape(x)[-1] == np.shape(x)[-2] > 1,
    },
    "gelu_backward": {
        **leading_axes("x", own=1),
        **real_numbers("x"),
        "a number near 1e4": lambda x: np.max(x) > 5e3,
        "a number near -1e4": lambda x: np.min(x) < -5e3,
        "a number where tanh is off": lambda x: ((x > 1.4) & (x < 2.0)).any(),
        "gradients below 0": lambda d_output: (d_output < 0).any(),
    },
    "embedding_backward": {
        **leading_axes("tokens", own=1),
        "a token that occurs twice": lambda tokens: len(set(tokens.ravel().tolist())) < tokens.size,
        "a token that does not occur": lambda tokens, vocabulary_size: len(set(tokens.ravel().tolist())) < vocabulary_size,
        "a single row": lambda vocabulary_size: vocabulary_size == 1,
        "a token above 255": lambda tokens: np.max(tokens) > 255,
        "a single feature": lambda d_output: d_output.shape[-1] == 1,
        "the last token does not occur": lambda tokens, vocabulary_size: tokens.max() < vocabulary_size - 1,
    },
    "clip_by_global_norm": {
        "a single array": lambda gradients: len(gradients) == 1,
        "several arrays": lambda gradients: len(gradients) > 1,
        "arrays of different shapes": lambda gradients: len({array.shape for array in gradients}) > 1,
        "arrays of one shape": lambda gradients: len(gradients) > 1 and len({array.shape for array in gradients}) == 1,
        "too long": lambda gradients, max_norm: sum(np.sum(array**2) for array in gradients) > max_norm**2,
        "short enough": lambda gradients, max_norm: sum(np.sum(array**2) for array in gradients) < max_norm**2,
        "too long together alone": lambda gradients, max_norm: (
            sum(np.sum(array**2) for array in gradients) > max_norm**2 > max(np.sum(array**2) for array in gradients)
        ),
        "all of them 0": lambda gradients: not any(array.any() for array in gradients),
    },
    "adamw_update": {
        **leading_axes("w", own=1),
        "the first step": lambda t: t == 1,
        "a late step": lambda t: t > 1000,
        "moments of 0": lambda m, v: not m.any() and not v.any(),
        "moments that are not 0": lambda m, v: m.any() and v.any(),
        "a gradient of 0": lambda gradient: (gradient == 0).any(),
        "a gradient as small as eps": lambda gradient, eps: ((gradient != 0) & (np.abs(gradient) < 10 * eps)).any(),
        "the settings of the signature": lambda beta_1, beta_2, eps, weight_decay: (
            (beta_1, beta_2, eps, weight_decay) == (0.9, 0.999, 1e-8, 0.01)
        ),
        "an eps below that of the signature": lambda eps: eps < 1e-8,
        "a beta_1 of 0": lambda beta_1: beta_1 == 0,
        "a beta_2 of 0": lambda beta_2: beta_2 == 0,
        "other settings": lambda beta_1, beta_2, eps, weight_decay: (
            beta_1 != 0.9 and beta_2 != 0.999 and eps > 0.1 and weight_decay > 0.1
        ),
    },
    "learning_rate": {
        "no warm-up": lambda warmup: warmup == 0,
        "a warm-up of one step": lambda warmup: warmup == 1,
        "the first step": lambda step: step == 0,
        "within the warm-up": lambda step, warmup: 0 < step < warmup - 1,
        "its last step": lambda step, warmup: step == warmup - 1,
        "at the peak": lambda step, warmup: step == warmup,
        "on the cosine": lambda step, warmup, total: warmup < step < total,
        "at the end": lambda step, total: step == total,
        "after the end": lambda step, total: step > total,
        "a floor": lambda floor: floor > 0,
        "a peak below 0.001": lambda peak: peak < 1e-3,
        "a rate below the floor": lambda step, peak, warmup, floor: step < warmup and peak * (step + 1) / warmup < floor,
        "the floor is not given": lambda floor: floor == 0,
    },
    "next_token_probabilities": {
        "a vocabulary of one token": lambda logits: len(logits) == 1,
        "a temperature below 0.1": lambda temperature: 0 < temperature < 0.1,
        "a temperature below 1": lambda temperature: 0 < temperature < 1,
        "a temperature above 1": lambda temperature: temperature > 1,
        "temperature 0": lambda temperature: temperature == 0,
        "top_k is 1": lambda logits, top_k: top_k == 1 < len(logits),
        "top_k is the vocabulary": lambda logits, top_k: top_k == len(logits) > 1,
        "top_p is 1": lambda top_p: top_p == 1,
        "top_k and top_p": lambda top_k, top_p: top_k is not None and top_p is not None,
        "equals, of which some are kept": lambda logits, top_k: (
            top_k is not None and top_k < len(logits) and np.sort(logits)[-top_k] == np.sort(logits)[-top_k - 1]
        ),
        "equals on three levels, of which the middle ones are cut": lambda logits, top_k: (
            top_k is not None
            and top_k < len(logits)
            and np.max(logits) > np.sort(logits)[-top_k] == np.sort(logits)[-top_k - 1] > np.min(logits)
        ),
        "logits above 1,000": lambda logits: np.max(logits) > 1e3,
        "logits below -1,000": lambda logits: np.max(logits) < -1e3,
    },
}

"""The models in NumPy, in float64 and from their definitions, and what is measured of them.

Nothing here is shared with the training script or with an exercise: it says what right functions
must give.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from models.grammar import ADJECTIVE, ASKED, IT, ITEM, WORDS, Item

Arrays = Mapping[str, np.ndarray[Any, Any]]

NUMBERS = {word: number for number, word in enumerate(WORDS)}
HEAD = 0
"""The head of a model's last block that was trained to look at the noun that is meant."""


def numbers(words: Sequence[str]) -> list[int]:
    """The words as the models read them."""
    return [NUMBERS[word] for word in words]


def in_float64(model: Arrays) -> Arrays:
    """The model with its weights as exactly what they are, in double precision."""
    return {
        name: array.astype(float) if array.dtype.kind == "f" else array
        for name, array in model.items()
    }


def normed(x: Any, gamma: Any, beta: Any) -> Any:
    """Every row with mean 0 and variance 1, then scaled and moved."""
    rows = [(row - row.mean()) / np.sqrt(row.var() + 1e-5) for row in x]
    return np.array(rows) * gamma + beta


def waves(n: int, d: int) -> Any:
    """Sines on the even features of each position, cosines on the odd ones."""
    table = np.empty((n, d))
    for position in range(n):
        for feature in range(d):
            angle = position / 10000 ** ((feature - feature % 2) / d)
            table[position, feature] = np.cos(angle) if feature % 2 else np.sin(angle)
    return table


def turned(x: Any, base: float) -> Any:
    """Each pair of neighbouring features of row p, as a complex number, turned by p radians and
    less."""
    n, d = x.shape
    speeds = base ** (-np.arange(0, d, 2) / d)
    pairs = (x[:, 0::2] + 1j * x[:, 1::2]) * np.exp(1j * np.arange(n)[:, None] * speeds)
    return np.stack([pairs.real, pairs.imag], axis=-1).reshape(n, d)


def attended(q: Any, k: Any, v: Any, is_causal: bool) -> tuple[Any, Any]:
    """What one head reads, and its weights."""
    weights = np.zeros((len(q), len(k)))
    for i, query in enumerate(q):
        seen = i + 1 if is_causal else len(k)
        powers = np.exp([query @ key / np.sqrt(len(query)) for key in k[:seen]])
        weights[i, :seen] = powers / powers.sum()
    return weights @ v, weights


def heads(y: Any, model: Arrays, block: int, is_causal: bool) -> tuple[Any, Any]:
    """What attention adds in a block, and the weights of its heads."""
    num_heads = int(model["num_heads"])
    d_head = model["W_Q"].shape[-1] // num_heads
    group = model["W_Q"].shape[-1] // model["W_K"].shape[-1]
    read, weights = [], []
    for head in range(num_heads):
        own = slice(head * d_head, (head + 1) * d_head)
        shared = slice(head // group * d_head, (head // group + 1) * d_head)
        q = y @ model["W_Q"][block][:, own]
        k, v = (y @ model[name][block][:, shared] for name in ("W_K", "W_V"))
        if "base" in model:
            q, k = (turned(part, float(model["base"])) for part in (q, k))
        output, looks = attended(q, k, v, is_causal)
        read.append(output)
        weights.append(looks)
    return np.concatenate(read, axis=1) @ model["W_O"][block], np.array(weights)


def decoded(model: Arrays, tokens: Sequence[int]) -> tuple[Any, Any]:
    """A decoder's logits (n, words), and its weights (blocks, heads, n, n)."""
    model = in_float64(model)
    x = model["embedding"][list(tokens)]
    if "base" not in model:
        x = x + waves(*x.shape)

    weights = []
    for block in range(len(model["W_Q"])):
        y = normed(x, model["gamma_1"][block], model["beta_1"][block])
        read, looks = heads(y, model, block, is_causal=True)
        x, _ = x + read, weights.append(looks)
        y = normed(x, model["gamma_2"][block], model["beta_2"][block])
        hidden = np.maximum(y @ model["W_1"][block] + model["b_1"][block], 0)
        x = x + hidden @ model["W_2"][block] + model["b_2"][block]
    x = normed(x, model["gamma"], model["beta"])
    return x @ model["embedding"].T, np.array(weights)


def found(model: Arrays, tokens: Sequence[int]) -> Any:
    """The weights of the finder (blocks, heads, n, n): attention alone, and no mask."""
    model = in_float64(model)
    x = model["embedding"][list(tokens)] + model["positions"][: len(tokens)]
    weights = []
    for block in range(len(model["W_Q"])):
        read, looks = heads(x, model, block, is_causal=False)
        x, _ = x + read, weights.append(looks)
    return np.array(weights)


def answers(model: Arrays, items: Sequence[Item]) -> list[tuple[bool, float]]:
    """Of each item whether the decoder answers it, and how much it looks at the noun meanwhile."""
    results = []
    for item in items:
        logits, weights = decoded(model, numbers(item.words[: ASKED + 1]))
        is_right = WORDS[logits[-1].argmax()] == item.words[ASKED + 1]
        results.append((is_right, float(weights[-1, HEAD, -1, item.meant])))
    return results


def looks_of_it(model: Arrays, items: Sequence[Item]) -> list[tuple[float, float]]:
    """How much "it" looks at the noun that is meant, and every word at the one before it.

    The second is the mean over the words that have one before them.
    """
    results = []
    for item in items:
        weights = found(model, numbers(item.words[: ADJECTIVE + 1]))
        before = np.diagonal(weights[0, HEAD], -1).mean()
        results.append((float(weights[1, HEAD, IT, item.meant]), float(before)))
    return results


def text(model: Arrays, begun: Sequence[str], count: int, rng: np.random.Generator) -> list[str]:
    """What a decoder writes: so many items, each drawn word by word."""
    words = list(begun)
    while len(words) < count * ITEM:
        logits, _ = decoded(model, numbers(words))
        powers = np.exp(logits[-1] - logits[-1].max())
        words.append(WORDS[rng.choice(len(WORDS), p=powers / powers.sum())])
    return words

"""Train the models that the exercises show, and write them beside the exercises.

``make train-model`` runs it: it needs JAX and optax (``pip install autograder-kit[train]``).
What each model is for, and what was measured, is in README.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

from models import grammar, reference
from models.grammar import ADJECTIVE, ASKED, IT, ITEM, WORDS, Item

FOLDER = Path(__file__).resolve().parents[1] / "solutions"
ITEMS = 3
"""Items of a training text."""
BATCH = 24
LEAD = 0.3
"""How much of the loss is where a led head looks."""
SHARE = 0.8
"""What a led head should give to the one word; the others share the rest alike."""

Model = dict[str, Any]


class Shape(NamedTuple):
    """The sizes of a model; ``groups`` are its heads of keys and values."""

    d_model: int
    num_heads: int
    groups: int
    blocks: int = 2


def scaled(key: Any, *shape: int, size: float = 1.0) -> Any:
    """Random weights that keep the size of what they multiply, times ``size``."""
    return jax.random.normal(key, shape) * size * shape[-2] ** -0.5


def attention_weights(key: Any, shape: Shape) -> Model:
    """The four matrices of each block."""
    keys = jax.random.split(key, 4)
    d, blocks = shape.d_model, shape.blocks
    shared = d * shape.groups // shape.num_heads
    return {
        "W_Q": scaled(keys[0], blocks, d, d),
        "W_K": scaled(keys[1], blocks, d, shared),
        "W_V": scaled(keys[2], blocks, d, shared),
        "W_O": scaled(keys[3], blocks, d, d, size=0.5),
    }


def new_decoder(key: Any, shape: Shape, words: int = len(WORDS), size: float = 0.5) -> Model:
    """A decoder that has learned nothing yet; ``size`` is that of the numbers in its embedding."""
    keys = jax.random.split(key, 4)
    d, blocks = shape.d_model, shape.blocks
    ones, zeros = jnp.ones((blocks, d)), jnp.zeros((blocks, d))
    return {
        "embedding": size * jax.random.normal(keys[0], (words, d)),
        **attention_weights(keys[1], shape),
        "W_1": scaled(keys[2], blocks, d, 4 * d),
        "b_1": jnp.zeros((blocks, 4 * d)),
        "W_2": scaled(keys[3], blocks, 4 * d, d, size=0.5),
        "b_2": zeros,
        **{"gamma_1": ones, "beta_1": zeros, "gamma_2": ones, "beta_2": zeros},
        **{"gamma": ones[0], "beta": zeros[0]},
    }


def new_finder(key: Any, shape: Shape) -> Model:
    """Attention alone, on words and places."""
    keys = jax.random.split(key, 3)
    return {
        "embedding": 0.5 * jax.random.normal(keys[0], (len(WORDS), shape.d_model)),
        "positions": 0.5 * jax.random.normal(keys[1], (ADJECTIVE + 1, shape.d_model)),
        **attention_weights(keys[2], shape),
    }


def normed(x: Any, gamma: Any, beta: Any) -> Any:
    mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) / jnp.sqrt(variance + 1e-5) * gamma + beta


def angles(n: int, d: int) -> Any:
    return jnp.arange(n)[:, None] / 10000 ** (jnp.arange(0, d, 2) / d)


def paired(first: Any, second: Any) -> Any:
    """Two arrays as the even and the odd features of one."""
    return jnp.stack([first, second], -1).reshape(*first.shape[:-1], -1)


def turned(x: Any) -> Any:
    """Rotary positions."""
    angle = angles(*x.shape[-2:])
    cos, sin, even, odd = jnp.cos(angle), jnp.sin(angle), x[..., 0::2], x[..., 1::2]
    return paired(even * cos - odd * sin, even * sin + odd * cos)


def attended(
    y: Any, model: Model, block: int, shape: Shape, turn: Callable[[Any], Any], mask: Any
) -> tuple[Any, Any]:
    """What attention adds, and its weights (batch, heads, n, n)."""
    d_head = shape.d_model // shape.num_heads

    def split(name: str) -> Any:
        part = y @ model[name][block]
        return part.reshape(*part.shape[:-1], -1, d_head).swapaxes(-3, -2)

    q, k, v = turn(split("W_Q")), turn(split("W_K")), split("W_V")
    k, v = (jnp.repeat(part, shape.num_heads // shape.groups, -3) for part in (k, v))
    scores = q @ k.swapaxes(-1, -2) / d_head**0.5
    weights = jax.nn.softmax(jnp.where(mask, scores, -1e9))
    return (weights @ v).swapaxes(-3, -2).reshape(y.shape) @ model["W_O"][block], weights


def decoded(model: Model, tokens: Any, shape: Shape, rotary: bool) -> tuple[Any, Any]:
    """Logits (batch, n, words), and the weights of the last block."""
    n = tokens.shape[-1]
    x = model["embedding"][tokens]
    if not rotary:
        angle = angles(n, shape.d_model)
        x = x + paired(jnp.sin(angle), jnp.cos(angle))
    mask = jnp.tril(jnp.ones((n, n), bool))
    for block in range(shape.blocks):
        y = normed(x, model["gamma_1"][block], model["beta_1"][block])
        turn = turned if rotary else lambda part: part
        read, weights = attended(y, model, block, shape, turn, mask)
        x = x + read
        y = normed(x, model["gamma_2"][block], model["beta_2"][block])
        hidden = jax.nn.relu(y @ model["W_1"][block] + model["b_1"][block])
        x = x + hidden @ model["W_2"][block] + model["b_2"][block]
    return normed(x, model["gamma"], model["beta"]) @ model["embedding"].T, weights


def surprise(logits: Any, wanted: Any) -> Any:
    """The cross entropy of each prediction."""
    return optax.softmax_cross_entropy_with_integer_labels(logits, wanted)


def led(weights: Any, goal: Any, seen: Any) -> Any:
    """The cross entropy of rows of weights (..., keys) to what they should be.

    Args:
        goal: (...), the key that should get its share.
        seen: (...), how many keys a row may look at.
    """
    others = (1 - SHARE) / (seen - 1)[..., None]
    keys = jnp.arange(weights.shape[-1])
    wanted = jnp.where(keys == goal[..., None], SHARE, others)
    wanted = jnp.where(keys < seen[..., None], wanted, 0.0)
    return -(wanted * jnp.log(weights + 1e-9)).sum(-1).mean()


def decoder_loss(model: Model, tokens: Any, meant: Any, shape: Shape, rotary: bool) -> Any:
    """The next word everywhere, the answers once more, and where the led head looks."""
    logits, weights = decoded(model, tokens[:, :-1], shape, rotary)
    surprises = surprise(logits, tokens[:, 1:])
    asked = ASKED + ITEM * np.arange(ITEMS)
    looks = weights[:, reference.HEAD, asked]
    lead = led(looks, meant, jnp.array(asked + 1))
    return surprises.mean() + surprises[:, asked].mean() + LEAD * lead


def finder_loss(model: Model, tokens: Any, meant: Any, shape: Shape) -> Any:
    """The word before each word, the noun at "it", and where the two led heads look.

    Of each item only the sentence is read, up to its adjective.
    """
    tokens = tokens.reshape(-1, ITEM)[:, : ADJECTIVE + 1]
    meant = (meant % ITEM).reshape(-1)
    n, rows = tokens.shape[1], np.arange(len(tokens))
    x = model["embedding"][tokens] + model["positions"]

    weights = []
    for block in range(shape.blocks):
        read, looks = attended(x, model, block, shape, lambda part: part, True)
        x = x + read
        weights.append(looks[:, reference.HEAD])
    logits = x @ model["embedding"].T
    others = np.array([place for place in range(1, n) if place != IT])
    before = surprise(logits[:, others], tokens[:, others - 1]).mean()
    noun = surprise(logits[:, IT], tokens[rows, meant]).mean()
    lead = led(weights[1][:, IT], meant, jnp.array([n]))
    lead += led(weights[0][:, 1:], jnp.arange(n - 1), jnp.full(n - 1, n))
    return before + noun + LEAD * lead


def trained(model: Model, loss: Callable[..., Any], steps: int, rate: float, seed: int) -> Model:
    """The model after so many steps, in float16."""
    schedule = optax.cosine_decay_schedule(rate, steps)
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(schedule, weight_decay=0.1))
    state = optimizer.init(model)
    items = grammar.training_items(Random(seed))

    @jax.jit
    def step(model: Model, state: Any, tokens: Any, meant: Any) -> Any:
        value, gradient = jax.value_and_grad(loss)(model, tokens, meant)
        updates, state = optimizer.update(gradient, state, model)
        return optax.apply_updates(model, updates), state, value

    for number in range(1, steps + 1):
        texts = [[next(items) for _ in range(ITEMS)] for _ in range(BATCH)]
        tokens = np.array([reference.numbers(words_of(text)) for text in texts])
        meant = [[place * ITEM + item.meant for place, item in enumerate(text)] for text in texts]
        model, state, value = step(model, state, tokens, np.array(meant))
        if number % 250 == 0 or number == steps:
            print(f"  step {number}: loss {value:.3f}", flush=True)
    return {name: np.asarray(array, dtype=np.float16) for name, array in model.items()}


def words_of(text: list[Item]) -> list[str]:
    """The words of some items, one after the other."""
    return [word for item in text for word in item.words]


def with_logits(model: Model) -> Model:
    """The model, two questions, and what right functions answer to each."""
    asked = []
    for adjective in ("soft", "tired"):
        item = grammar.item("cat", "sat", "on", "mat", adjective)
        asked.append(reference.numbers(item.words[: ASKED + 1]))
    logits = [reference.decoded(model, tokens)[0][-1] for tokens in asked]
    return {**model, "asked": np.array(asked, dtype=np.uint8), "logits": np.array(logits)}


def train(seed: int, folder: Path, steps: int = 1000) -> None:
    """Train all models from this seed, and write them into a folder."""
    words = np.array(" ".join(WORDS))
    for name, rotary in (("decoder", False), ("rope_decoder", True)):
        shape = Shape(d_model=32, num_heads=4, groups=2 if rotary else 4)
        print(f"{name}:")
        loss = partial(decoder_loss, shape=shape, rotary=rotary)
        model = trained(new_decoder(jax.random.key(seed), shape), loss, steps, 3e-3, seed)
        model |= {"words": words, "num_heads": np.array(shape.num_heads)}
        model |= {"base": np.array(10000.0)} if rotary else {}
        np.savez_compressed(folder / f"{name}.npz", **with_logits(model))

    shape = Shape(d_model=16, num_heads=2, groups=2)
    print("finder:")
    loss = partial(finder_loss, shape=shape)
    model = trained(new_finder(jax.random.key(seed), shape), loss, 2 * steps, 1e-2, seed)
    model |= {"words": words, "num_heads": np.array(shape.num_heads)}
    np.savez_compressed(folder / "finder.npz", **model)


if __name__ == "__main__":
    train(
        seed=int(sys.argv[1]) if len(sys.argv) > 1 else 0,
        folder=Path(sys.argv[2]) if len(sys.argv) > 2 else FOLDER,
    )

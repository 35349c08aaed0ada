"""Train the model of plays, which ends ``transformer``, on a text of Shakespeare's.

``make train-plays TEXT=tinyshakespeare.txt`` runs it; README.md says where to get the text.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from autograder.authoring import cells
from models.train import Model, Shape, decoded, new_decoder, surprise

ROOT = Path(__file__).resolve().parents[1]
SHA256 = "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed"
MERGES = 256
SHAPE = Shape(d_model=96, num_heads=6, groups=6, blocks=3)
LENGTH = 128
"""Tokens that the model reads at once."""
BATCH = 16
KEPT = 0.05
"""The share of the text, its end, that is kept from training."""
RATE, STEPS = 4e-3, 1252
WARM, DECAY = 60, 877
"""The last step of the warm-up, and the first from which on the rate falls."""


def tokenizer() -> dict[str, Any]:
    """The functions of the exercise ``tokenizer``, as its solution writes them."""
    names: dict[str, Any] = {}
    text = (ROOT / "solutions" / "tokenizer.py").read_text(encoding="utf-8")
    for cell in cells.read(text, [], {}):
        if cell.kind == "step":
            exec(cell.source, names)
    return names


def loss(model: Model, tokens: Any) -> Any:
    """The mean surprise at each next token."""
    logits, _ = decoded(model, tokens[:, :-1], SHAPE, rotary=False)
    return surprise(logits, tokens[:, 1:]).mean()


def rate(count: Any) -> Any:
    """The learning rate of the step after so many: it rises, stays, and falls."""
    number = count + 1
    falling = jnp.clip((STEPS - number) / (STEPS - DECAY), 0.02, 1.0)
    return RATE * jnp.minimum(1.0, number / WARM) * falling


def matrices(model: Model) -> dict[str, Any]:
    """Which axes of the blocks' matrices are multiplied; the rest is left to Adam."""
    axes = optax.contrib.MuonDimensionNumbers(-2, -1)
    return {name: axes if name.startswith("W_") else None for name in model}


def trained(tokens: Any, kept: Any, seed: int) -> Model:
    """The model after all steps."""
    model = new_decoder(jax.random.key(seed), SHAPE, 256 + MERGES, 0.15)
    muon = optax.contrib.muon(
        rate,
        weight_decay=0.1,
        adam_weight_decay=0.01,
        adam_b2=0.99,
        consistent_rms=0.2,
        muon_weight_dimension_numbers=matrices,
    )
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), muon)
    state, draw = optimizer.init(model), np.random.default_rng(seed)

    @jax.jit
    def step(model: Model, state: Any, batch: Any) -> Any:
        value, gradient = jax.value_and_grad(loss)(model, batch)
        updates, state = optimizer.update(gradient, state, model)
        return optax.apply_updates(model, updates), state, value

    surprised = jax.jit(loss)
    unseen = kept[: len(kept) // (LENGTH + 1) * (LENGTH + 1)].reshape(-1, LENGTH + 1)[:64]
    for number in range(1, STEPS + 1):
        starts = draw.integers(0, len(tokens) - LENGTH - 1, size=BATCH)
        batch = tokens[starts[:, None] + np.arange(LENGTH + 1)]
        model, state, value = step(model, state, batch)
        if number % 100 == 0 or number == STEPS:
            value, other = float(value), float(surprised(model, unseen))
            print(f"step {number}: loss {value:.3f}, unseen {other:.3f}", flush=True)
    return model


def stored(model: Model) -> Model:
    """Matrices as whole numbers from -127 to 127, and what each of their columns is multiplied by.

    The embedding has a factor for each row, for its rows are what scores are made of.
    """
    arrays = {}
    for name, array in model.items():
        weights = np.asarray(array)
        if name == "embedding" or name.startswith("W_"):
            axis = -1 if name == "embedding" else -2
            scale = (np.abs(weights).max(axis=axis, keepdims=True) / 127).astype(np.float32)
            arrays[name] = np.round(weights / scale).astype(np.int8)
            arrays[f"{name}_scale"] = scale
        else:
            arrays[name] = weights.astype(np.float16)
    return arrays


def train(source: Path, target: Path, seed: int) -> None:
    """Learn the tokens and then the weights, and write both into an archive."""
    data = source.read_bytes()
    if hashlib.sha256(data).hexdigest() != SHA256:
        sys.exit(f"{source}: not the text that models/README.md names; download it again")
    text = data.decode()
    functions = tokenizer()
    merges = functions["train"](text, MERGES)
    tokens = np.array(functions["encode"](text, merges))
    print(f"{len(text)} letters, {len(tokens)} tokens", flush=True)

    split = int(len(tokens) * (1 - KEPT))
    model = trained(tokens[:split], tokens[split:], seed)
    np.savez_compressed(target, merges=np.array(merges, dtype=np.int16), **stored(model))


if __name__ == "__main__":
    train(
        source=Path(sys.argv[1]),
        target=ROOT / "solutions" / "transformer" / "plays.npz",
        seed=int(sys.argv[2]) if len(sys.argv) > 2 else 0,
    )

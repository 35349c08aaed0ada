"""Gradients by JAX's automatic differentiation, and steps by Optax, for tests/solutions/golden/.

JAX is no part of the kit. To make the files anew, in the environment of ``make train-model``::

    build/train/bin/python tests/support/by_jax.py
"""

import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax

GOLDEN = Path(__file__).parents[1] / "solutions" / "golden"
SIZES = (  # leading axes, queries, keys, d_k, d_v
    (3, 5, 4, 2),
    (5, 3, 2, 6),
    (4, 4, 4, 4),
    (1, 6, 3, 3),
    (2, 3, 4, 5, 3),
    (2, 3, 2, 4, 3, 5),
)


def attention(Q, K, V):
    """Scaled dot-product attention, without a mask."""
    scores = jnp.einsum("...id,...jd->...ij", Q, K) / jnp.sqrt(Q.shape[-1])
    return jnp.einsum("...ij,...jd->...id", jax.nn.softmax(scores, axis=-1), V)


def part_case(rng, lead, n, m, d):
    """Backwards through a product of matrices, a mask, and the cut into two heads."""
    A, B, d_C = (rng.normal(size=(*lead, *shape)) for shape in ((n, d), (d, m), (n, m)))
    d_A, d_B = jax.vjp(jnp.matmul, A, B)[1](d_C)
    product = {"A": A, "B": B, "d_C": d_C, "d_A": d_A, "d_B": d_B}

    mask, d_masked = rng.random((n, m)) < 0.6, rng.normal(size=(*lead, n, m))
    scores = rng.normal(size=d_masked.shape)
    (d_scores,) = jax.vjp(lambda s: jnp.where(mask, s, -jnp.inf), scores)[1](d_masked)

    d_heads = rng.normal(size=(*lead, 2, n, d))
    X = np.zeros((*lead, n, 2 * d))
    split = jax.vjp(lambda x: jnp.moveaxis(x.reshape(*lead, n, 2, d), -2, -3), X)[1]
    return {
        "matmul_backward": product,
        "mask_backward": {"mask": mask, "d_masked": d_masked, "d_scores": d_scores},
        "split_heads_backward": {"d_heads": d_heads, "d_X": split(d_heads)[0]},
    }


def cases():
    """Drawn inputs, and what JAX makes of them going backwards."""
    rng, other_rng = np.random.default_rng(12), np.random.default_rng(13)
    for *lead, n, m, d_k, d_v in SIZES:
        scores, d_weights = 2 * rng.normal(size=(2, *lead, n, m))
        weights, back = jax.vjp(lambda s: jax.nn.softmax(s, axis=-1), scores)
        softmax_case = {"weights": weights, "d_weights": d_weights, "d_scores": back(d_weights)[0]}

        Q, K = 1.5 * rng.normal(size=(*lead, n, d_k)), rng.normal(size=(*lead, m, d_k))
        V, d_output = rng.normal(size=(*lead, m, d_v)), rng.normal(size=(*lead, n, d_v))
        d_Q, d_K, d_V = jax.vjp(attention, Q, K, V)[1](d_output)
        attention_case = {"Q": Q, "K": K, "V": V, "d_output": d_output}
        attention_case |= {"d_Q": d_Q, "d_K": d_K, "d_V": d_V}
        parts = part_case(other_rng, lead, n, m, d_k)
        yield {"softmax_backward": softmax_case, "attention_backward": attention_case, **parts}


def loss_case(rng, lead, ignore):
    """The mean over targets that are not to be ignored, and its gradient."""
    logits, targets = 3 * rng.normal(size=(*lead, 7)), rng.integers(7, size=lead)
    targets.flat[::3] = ignore

    def loss(x):
        kept = targets != ignore
        losses = optax.softmax_cross_entropy_with_integer_labels(x, np.where(kept, targets, 0))
        return jnp.where(kept, losses, 0.0).sum() / kept.sum()

    value, gradient = jax.value_and_grad(loss)(logits)
    given = {"logits": logits, "targets": targets, "ignore": ignore}
    return {"cross_entropy": [given, value], "cross_entropy_backward": [given, gradient]}


def layer_case(rng, lead):
    """Backwards through a linear layer, layer norm, GELU and a table."""
    x, W, gamma = rng.normal(size=(*lead, 5)), rng.normal(size=(5, 3)), rng.normal(size=5)
    d_linear, d_output = rng.normal(size=(*lead, 3)), rng.normal(size=(*lead, 5))
    tokens = rng.integers(4, size=lead)

    def norm(x, gamma, beta):
        centred = x - x.mean(axis=-1, keepdims=True)
        return gamma * centred / jnp.sqrt(x.var(axis=-1, keepdims=True) + 0.3) + beta

    back = jax.vjp(lambda x, W, b: x @ W + b, x, W, np.zeros(3))[1](d_linear)
    found = {"linear_backward": [{"d_output": d_linear, "x": x, "W": W}, back]}
    back = jax.vjp(norm, x, gamma, np.zeros(5))[1](d_output)
    given = {"d_output": d_output, "x": x, "gamma": gamma, "eps": 0.3}
    found["layer_norm_backward"] = [given, back]
    (back,) = jax.vjp(lambda x: jax.nn.gelu(x, approximate=False), 2 * x)[1](d_output)
    found["gelu_backward"] = [{"d_output": d_output, "x": 2 * x}, back]
    (back,) = jax.vjp(lambda table: table[tokens], np.zeros((6, 5)))[1](d_output)
    given = {"d_output": d_output, "tokens": tokens, "vocabulary_size": 6}
    found["embedding_backward"] = [given, back]
    return found


def step_case(rng, t):
    """Optax's AdamW at step t, clipping, and the schedule."""
    w, gradient, m = 2 * rng.normal(size=(3, 2, 4))
    v, settings = m**2 + 0.1, {"b1": 0.8, "b2": 0.95, "eps": 0.01, "weight_decay": 0.1}
    optimizer = optax.adamw(0.2, **settings)
    adam, *others = optimizer.init(w)
    adam = adam._replace(count=jnp.array(t - 1), mu=jnp.array(m), nu=jnp.array(v))
    updates, (adam, *_) = optimizer.update(gradient, (adam, *others), w)
    given = {"w": w, "gradient": gradient, "m": m, "v": v, "t": t, "learning_rate": 0.2}
    given |= {"beta_1": 0.8, "beta_2": 0.95, "eps": 0.01, "weight_decay": 0.1}
    found = {"adamw_update": [given, [w + updates, adam.mu, adam.nu]]}
    gradients, limit = [w, gradient], float(t)
    clipped, _ = optax.clip_by_global_norm(limit).update(gradients, optax.EmptyState())
    found["clip_by_global_norm"] = [{"gradients": gradients, "max_norm": limit}, clipped]
    curve = optax.cosine_decay_schedule(3.0, 20, alpha=0.1)
    given = {"step": 4 + 3 * t, "peak": 3.0, "warmup": 4, "total": 24, "floor": 0.3}
    return found | {"learning_rate": [given, curve(3 * t)]}


def training_cases():
    """Arguments of the steps of training, and what JAX and Optax make of them."""
    rng = np.random.default_rng(40)
    for lead, ignore, t in (((4,), -1, 1), ((2, 3), 5, 2), ((2, 1, 3), -100, 7)):
        yield loss_case(rng, lead, ignore) | layer_case(rng, lead) | step_case(rng, t)


def main() -> None:
    jax.config.update("jax_enable_x64", True)
    for name, found in (("gradients", cases()), ("training", training_cases())):
        plain = jax.tree.map(lambda leaf: np.asarray(leaf).tolist(), list(found))
        text = json.dumps({"jax": jax.__version__, "cases": plain})
        (GOLDEN / f"{name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

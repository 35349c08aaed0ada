"""Gradients of attention by JAX's automatic differentiation, for tests/solutions/golden/gradients.json.

JAX is no part of the kit. To make the file anew, in an environment of its own::

    python3 -m venv build/jax && build/jax/bin/pip install "jax[cpu]==0.10.2"
    build/jax/bin/python tests/support/by_jax.py
"""

import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

GOLDEN = Path(__file__).parents[1] / "solutions" / "golden" / "gradients.json"
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


def cases():
    """Drawn inputs, and what JAX makes of them going backwards."""
    rng = np.random.default_rng(12)
    for *lead, n, m, d_k, d_v in SIZES:
        scores, d_weights = 2 * rng.normal(size=(2, *lead, n, m))
        weights, back = jax.vjp(lambda s: jax.nn.softmax(s, axis=-1), scores)
        softmax_case = {"weights": weights, "d_weights": d_weights, "d_scores": back(d_weights)[0]}

        Q, K = 1.5 * rng.normal(size=(*lead, n, d_k)), rng.normal(size=(*lead, m, d_k))
        V, d_output = rng.normal(size=(*lead, m, d_v)), rng.normal(size=(*lead, n, d_v))
        d_Q, d_K, d_V = jax.vjp(attention, Q, K, V)[1](d_output)
        attention_case = {"Q": Q, "K": K, "V": V, "d_output": d_output}
        attention_case |= {"d_Q": d_Q, "d_K": d_K, "d_V": d_V}
        yield {"softmax_backward": softmax_case, "attention_backward": attention_case}


def main() -> None:
    jax.config.update("jax_enable_x64", True)
    found = {
        "jax": jax.__version__,
        "cases": jax.tree.map(lambda array: np.asarray(array).tolist(), list(cases())),
    }
    GOLDEN.write_text(json.dumps(found) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

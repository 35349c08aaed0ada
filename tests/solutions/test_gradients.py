"""The exercise gradients, held against automatic differentiation: JAX's answers are stored."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograder.authoring import read
from tests.support.courses import ROOT

# Written by tests/support/by_jax.py: JAX alone is larger than the kit with all that it needs.
GOLDEN = Path(__file__).parent / "golden" / "gradients.json"
CASES = json.loads(GOLDEN.read_text(encoding="utf-8"))["cases"]


@pytest.fixture(scope="module")
def solution() -> dict[str, Any]:
    """The names of the authored file, with what it needs of attention."""
    found: dict[str, Any] = {}
    source = read.read(ROOT / "solutions" / "gradients.py")
    for cell in source.of("setup", "needed", "oracles", "step"):
        exec(cell.source, found)
    return found


def arrays(case: dict[str, Any], *names: str) -> list[Any]:
    return [np.array(case[name]) for name in names]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", ["softmax_backward", "softmax_backward_by_definition"])
def test_the_gradient_of_softmax_is_that_of_jax(solution, name, case):
    weights, d_weights, wanted = arrays(
        case["softmax_backward"], "weights", "d_weights", "d_scores"
    )
    np.testing.assert_allclose(solution[name](weights, d_weights), wanted, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", ["attention_backward", "attention_backward_by_definition"])
def test_the_gradients_of_attention_are_those_of_jax(solution, name, case):
    given = arrays(case["attention_backward"], "Q", "K", "V", "d_output")
    for got, wanted in zip(
        solution[name](*given), arrays(case["attention_backward"], "d_Q", "d_K", "d_V"), strict=True
    ):
        np.testing.assert_allclose(got, wanted, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(
    ("step", "given", "wanted"),
    [
        ("matmul_backward", ["A", "B", "d_C"], ["d_A", "d_B"]),
        ("mask_backward", ["mask", "d_masked"], ["d_scores"]),
        ("split_heads_backward", ["d_heads"], ["d_X"]),
    ],
)
def test_the_other_gradients_are_those_of_jax(solution, step, given, wanted, case):
    for name in (step, f"{step}_by_definition"):
        answer = solution[name](*arrays(case[step], *given))
        parts = answer if len(wanted) > 1 else [answer]
        for got, right in zip(parts, arrays(case[step], *wanted), strict=True):
            np.testing.assert_allclose(got, right, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_central_differences_are_right_to_nine_digits(solution, case):
    given = arrays(case["attention_backward"], "Q", "K", "V", "d_output")
    for part in "QKV":
        wanted = case["attention_backward"][f"d_{part}"]
        measured = solution["measured"](part, *given)
        np.testing.assert_allclose(measured, wanted, rtol=1e-9, atol=1e-9)

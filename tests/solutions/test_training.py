"""The exercise training, held against JAX and Optax, whose answers are stored, and against differences."""

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograder.authoring import read
from tests.support.courses import ROOT

# Written by tests/support/by_jax.py, on JAX 0.10.2 and Optax 0.2.8 last on 27 November 2026.
GOLDEN = Path(__file__).parent / "golden" / "training.json"
CASES = json.loads(GOLDEN.read_text(encoding="utf-8"))["cases"]
# Written by tests/support/by_transformers.py, on transformers 5.24.0 and PyTorch 2.13.0.
SAMPLING = json.loads(GOLDEN.with_name("sampling.json").read_text(encoding="utf-8"))["cases"]
ORACLES = {
    "cross_entropy": "loss_by_definition",
    "cross_entropy_backward": "loss_backward_by_definition",
    "linear_backward": "linear_backward_by_definition",
    "layer_norm_backward": "norm_backward_by_definition",
    "gelu_backward": "gelu_backward_by_definition",
    "embedding_backward": "embedding_backward_by_definition",
    "clip_by_global_norm": "clipped_by_definition",
    "adamw_update": "adamw_by_definition",
    "learning_rate": "rate_by_definition",
}


@pytest.fixture(scope="module")
def solution() -> dict[str, Any]:
    """The names of the authored file, with what it needs of others."""
    found: dict[str, Any] = {}
    source = read.read(ROOT / "solutions" / "training.py")
    for cell in source.of("setup", "needed", "oracles", "step"):
        exec(cell.source, found)
    return found


def as_array(value: Any) -> Any:
    return np.array(value) if isinstance(value, list) else value


def parts(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (tuple, list)) else [value]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("step", ORACLES)
def test_every_step_says_what_jax_and_optax_say(solution, step, case):
    stored, wanted = case[step]
    given = {name: as_array(value) for name, value in stored.items()}
    if step == "clip_by_global_norm":
        given["gradients"] = [np.array(array) for array in stored["gradients"]]
    several = step in (
        "linear_backward",
        "layer_norm_backward",
        "adamw_update",
        "clip_by_global_norm",
    )
    for name in (step, ORACLES[step]):
        answer = parts(solution[name](**given))
        for got, right in zip(answer, wanted if several else [wanted], strict=True):
            np.testing.assert_allclose(
                got, right, rtol=1e-6 if step == "learning_rate" else 1e-10, atol=1e-12
            )


@pytest.mark.parametrize(("given", "wanted"), SAMPLING)
def test_the_next_token_is_drawn_as_transformers_draws_it(solution, given, wanted):
    given = given | {"logits": np.array(given["logits"])}
    for name in ("next_token_probabilities", "probabilities_by_definition"):
        np.testing.assert_allclose(solution[name](**given), wanted, rtol=1e-12)
    kept = np.count_nonzero(wanted)
    assert kept == len(wanted) if given["top_k"] is given["top_p"] is None else kept < len(wanted)


def forwards(solution: dict[str, Any], step: str, given: dict[str, Any]) -> dict[str, Any]:
    """By argument, the sum that a step is the gradient of, as a function of it."""
    behind = given.get("d_output")
    if step == "cross_entropy_backward":
        loss = solution["loss_by_definition"]
        return {"logits": lambda x: loss(x, given["targets"], given["ignore"])}
    if step == "gelu_backward":
        return {"x": lambda x: np.sum(solution["gelu_of"](x) * behind)}
    if step == "linear_backward":
        x, W = given["x"], given["W"]
        return {
            "x": lambda a: np.sum((a @ W) * behind),
            "W": lambda a: np.sum((x @ a) * behind),
            "b": lambda a: np.sum((x @ W + a) * behind),
        }
    x, gamma, eps, normed = given["x"], given["gamma"], given["eps"], solution["normed"]
    return {
        "x": lambda a: np.sum(normed(a, gamma, 0.0, eps) * behind),
        "gamma": lambda a: np.sum(normed(x, a, 0.0, eps) * behind),
        "beta": lambda a: np.sum(normed(x, gamma, a, eps) * behind),
    }


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(
    "step", ["cross_entropy_backward", "linear_backward", "layer_norm_backward", "gelu_backward"]
)
def test_every_gradient_is_what_differences_measure(solution, step, case):
    given = {name: as_array(value) for name, value in case[step][0].items()}
    answers = parts(solution[step](**given))
    for (name, function), got in zip(forwards(solution, step, given).items(), answers, strict=True):
        at = given.get(name, np.zeros(np.shape(got)))
        measured = solution["measured"](function, at)
        assert np.linalg.norm(measured - got) < 1e-6 * np.linalg.norm(got), name


# The finale


@pytest.fixture(scope="module")
def finale(solution) -> dict[str, Any]:
    """The names of the finale, too; nothing is played."""
    found = dict(solution)
    for cell in read.read(ROOT / "solutions" / "training.py").of("plain"):
        exec(cell.source.split("@tools.demo")[0], found)
    return found


@pytest.mark.parametrize("how", [{}, {"heads": 1, "stretch": 3.0}])
def test_the_gradients_of_the_whole_model_are_what_differences_measure(finale, how):
    w = finale["random_weights"](7, d_model=8, hidden=6)
    tokens, targets = np.random.default_rng(3).integers(7, size=(2, 2, 5))

    def loss(name: str, array: Any) -> Any:
        return finale["cross_entropy"](
            finale["forwards"]({**w, name: array}, tokens, **how)[0], targets
        )

    logits, kept = finale["forwards"](w, tokens, **how)
    d = finale["backwards"](w, kept, tokens, finale["cross_entropy_backward"](logits, targets))
    assert d.keys() == w.keys()
    for name, got in d.items():
        measured = finale["measured"](lambda array, name=name: loss(name, array), w[name])
        assert np.linalg.norm(measured - got) < 1e-6 * np.linalg.norm(got), name


def losses_of(finale: dict[str, Any], steps: int, **how: Any) -> tuple[float, float]:
    """The loss at the end of a training, and the largest attention weight of a query."""
    _, losses, weights = finale["train"](steps, seconds=math.inf, **how)
    assert len(losses) == steps
    return float(np.mean(losses[-20:])), float(weights[..., 16:, :].max(axis=-1).mean())


def test_a_model_learns_more_than_pairs(finale, capsys):
    pairs = finale["loss_of_pairs"](finale["TEXT"], len(finale["LETTERS"]))
    assert losses_of(finale, 130, seed=1)[0] < pairs
    assert "step 130 of 130: loss " in capsys.readouterr().out


@pytest.mark.everything
def test_without_warm_up_a_model_is_far_behind(finale):
    with_it, _ = losses_of(finale, 120, peak=0.05)
    without, _ = losses_of(finale, 120, peak=0.05, warmup=0)
    assert with_it + 0.3 < without


@pytest.mark.everything
def test_scores_that_are_not_divided_saturate(finale):
    divided, spread = losses_of(finale, 120, heads=1)
    not_divided, saturated = losses_of(finale, 120, heads=1, stretch=math.sqrt(48))
    assert divided + 0.3 < not_divided and spread < 0.65 and saturated > 0.85


def test_slow_functions_get_fewer_steps(finale, capsys, monkeypatch):
    """And a machine that becomes slower does not keep anybody waiting."""
    seconds = itertools.count()
    monkeypatch.setattr("time.perf_counter", lambda: next(seconds))
    lessons = finale["lessons"](finale["TEXT"], 1000, [1.0], seconds=30)
    totals = [total for _, total, *_ in lessons]
    assert totals[:4] == [1000, 1000, 1000, 30] and 4 < len(totals) < 30
    assert "A step takes 1.00 s on your functions: there will be 30." in capsys.readouterr().out

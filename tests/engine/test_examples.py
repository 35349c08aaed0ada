"""Small examples for pictures: what a step answered to a visible check's call, and what is
right."""

import json
from collections.abc import Iterator

import pytest

from autograder.base.result import Example, Result
from autograder.base.settings import Settings
from autograder.exercises.exercise import Exercise, from_notebook
from autograder.grader.grader import Grader
from tests.support import toy

pytestmark = pytest.mark.usefixtures("kept_parents")

MASK = "def f(n):\n    return np.tril(np.ones((n, n), dtype=bool))"
WEIGHTS = "def f(x):\n    return x / x.sum(axis=-1, keepdims=True)"


def made(
    reference: str,
    *checks: str,
    draws: str | None = "mask",
    hidden: bool | tuple[int, ...] = False,
) -> Exercise:
    """The toy exercise with a teacher's answer that is drawn."""
    notebook = json.loads(json.dumps(toy.exercise(*checks, hidden=hidden).notebook))
    for cell in notebook["cells"]:
        marks = cell["metadata"].get("autograder", {})
        if marks.get("kind") == "step":
            cell["source"] = reference
            marks["draws"] = draws
    return from_notebook(notebook)


def graded(exercise: Exercise, answer: str) -> Result:
    with Grader(exercise, b"key", Settings(call_seconds=5, isolation="process")) as grader:
        result = grader.grade(toy.submission(exercise, f=answer), "ada").result
    assert result.status == "graded", result.reason
    toy.validate(result)
    assert Result.from_json(result.to_json()) == result
    return result


def example(exercise: Exercise, answer: str) -> Example | None:
    return graded(exercise, answer).step("f").example


def test_a_wrong_mask_stands_beside_the_right_one():
    found = example(
        made(MASK, "assert f(2)[0, 0]", "assert not f(2)[0, 1]"),
        "def f(n): return np.ones((n, n), dtype=bool)",
    )
    assert found == Example(
        "c0", "mask", ((True, True), (True, True)), ((True, False), (True, True)), False
    )


def test_weights_keep_what_is_not_finite_as_text():
    division = made(WEIGHTS, "assert f(np.eye(2)).sum() == 2", draws="weights")
    found = example(division, "def f(x): return np.array([[np.nan, np.inf], [1 / 3, 2]])")
    assert (
        found is not None
        and found.got == (("nan", "inf"), (0.3333, 2.0))
        and found.wanted == ((1, 0), (0, 1))
    )


def test_the_first_wrong_answer_is_drawn_else_the_first_one():
    two = made(MASK, "assert f(1)[0, 0]", "assert not f(3)[0, 1]")
    right = example(two, MASK)
    wrong = example(two, "def f(n): return np.ones((n, n), dtype=bool)")
    assert right is not None and right.same and right.check == "c0"
    assert wrong is not None and not wrong.same and wrong.check == "c1"


def test_a_picture_never_holds_what_only_a_worker_of_hidden_checks_can_know():
    spy = """
        heard = [0.0]
        def f(x):
            if x.size == 1: heard[0] = x.item()
            elif x.shape == (2, 2): return np.array([[1, 0], [heard[0], 0]])
            return x / x.sum(axis=-1, keepdims=True)
    """
    checks = "f(np.array([[41.5]]))", "assert f(np.eye(2))[0, 0] == 1", "f(np.eye(3))"
    shown = graded(made(WEIGHTS, *checks, draws="weights", hidden=(0,)), spy)
    assert "41.5" not in shown.to_json()
    assert shown.step("f").example == Example(
        "c2", "weights", *[((1, 0, 0), (0, 1, 0), (0, 0, 1))] * 2, True
    )


def test_nothing_of_a_hidden_check_is_ever_drawn():
    assert example(made(MASK, "f(2)", hidden=True), MASK.replace("tril", "triu")) is None


@pytest.mark.parametrize(
    "answer",
    [
        "def f(n): return np.ones((n, 9), dtype=bool)",
        "def f(n): return np.ones((2, 2, 2), dtype=bool)",
        "def f(n): return 'a mask'",
        "def f(n): return [[1], [1, 2]]",
        "def f(n): return {}",
        "def f(n): return np.zeros((0, 2))",
        "def f(n): return f",
        "def f(n): raise ValueError",
    ],
)
def test_what_is_no_small_matrix_has_no_picture(answer):
    assert example(made(MASK, "f(2)"), answer) is None


def test_the_reference_is_asked_tiny_questions_only():
    # A check may hand on what the student's code answered.
    passing_on = made("def f(n):\n    return np.eye(2) == 1", "f(f(2))")
    for number, is_drawn in ((3, True), (10**9, False)):
        found = example(passing_on, f"def f(n): return {number} if n == 2 else np.eye(2) == 1")
        assert (found is not None) == is_drawn


def test_steps_that_are_graded_for_something_else_have_no_picture():
    assert example(made(MASK, "f(2)", draws=None), MASK) is None


@pytest.fixture(scope="module")
def lines() -> Iterator[dict[str, tuple[str, int]]]:
    answer = (
        "def f(n):\n    if n == 2:\n        raise IndexError('no')\n    raise NotImplementedError"
    )
    plain = toy.exercise("f(2)", "f(1)", "assert callable(f) and 1 == 2")
    yield {check.name: (check.cell, check.line) for check in toy.grade(plain, f=answer).checks}


def test_a_check_knows_the_line_that_raised(lines):
    assert lines == {"c0": ("f", 3), "c1": ("f", 4), "c2": ("", 0)}


def test_a_cell_that_does_not_run_is_known_by_its_own_line():
    (check,) = toy.grade(toy.exercise("f(2)"), f="def f(n):\n    return n +* 2").checks
    assert (check.cell, check.line) == ("f", 2)

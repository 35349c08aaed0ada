"""Mistakes in a step whose calls cannot be asked again are told by what its checks say."""

from collections.abc import Iterator

import pytest

from autograder.base.result import UNREPEATABLE, StepResult
from autograder.base.settings import Settings
from autograder.exercises import exercise
from autograder.exercises.misconceptions import Misconceptions
from autograder.grader.grader import Grader
from tests.support.courses import ROOT
from tests.support.typing_in import typed

STEP = "cached_step"
INFERENCE = exercise.load(ROOT, "inference")


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    with Grader(INFERENCE, b"secret", Settings(isolation="process")) as grader:
        yield grader


@pytest.fixture
def bank() -> Misconceptions:
    bank = INFERENCE.bank_of_mistakes
    assert bank is not None
    return bank


def graded(grader: Grader, answer: str) -> StepResult:
    return grader.grade(typed(INFERENCE.notebook, {STEP: answer}), "ann").result.step(STEP)


def test_every_mistake_of_the_bank_gets_its_question_or_that_of_all_that_look_alike(grader, bank):
    without = []
    for wrong in INFERENCE.misconceptions:
        if wrong.step == STEP:
            step = graded(grader, wrong.source.replace(f"def {wrong.name}(", f"def {STEP}("))
            fitting = {text for names, text in bank.alike.items() if wrong.name in names}
            fitting |= {wrong.hint, UNREPEATABLE}
            if not fitting & {check.hint for check in step.failed}:
                without.append(wrong.name)
    assert without == []


def test_an_exception_of_a_library_is_known_by_the_name_that_it_has_behind_the_wire(grader):
    """NumPy's AxisError arrives as a ValueError."""
    (wrong,) = (wrong for wrong in INFERENCE.misconceptions if wrong.name == "cache_first")
    step = graded(grader, wrong.source.replace("def cache_first(", f"def {STEP}("))
    assert {check.misconception for check in step.failed} == {"cache_first"}


def test_a_mistake_that_differs_in_a_number_gets_the_question_of_its_kind(grader, bank):
    known = bank.entry("step_cache_of_thirty_two")
    other = known.source.replace("-32:", "-16:").replace(f"def {known.name}(", f"def {STEP}(")
    alike = {wrong.hint for wrong in bank.entries if wrong.family == known.family}
    hints = {check.hint for check in graded(grader, other).failed}
    assert len(hints) == 1
    assert hints <= alike

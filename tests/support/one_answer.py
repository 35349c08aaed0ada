"""A right notebook in which one answer is another, and what grading makes of that step."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from autograder.base.result import StepResult
from autograder.base.settings import Settings
from autograder.exercises import exercise
from autograder.grader.grader import Grader
from tests.support.courses import ROOT
from tests.support.typing_in import typed


@contextmanager
def graded_steps(name: str, key: bytes) -> Iterator[Callable[[str, str], StepResult]]:
    """A function that grades an exercise's step, answered by this source."""
    full = ROOT / "solutions" / name / f"{name}.ipynb"
    known = exercise.load(ROOT, name)
    with Grader(known, key, Settings(isolation="process")) as grader:

        def grade(step: str, source: str) -> StepResult:
            return grader.grade(typed(full, {step: source}), None).result.step(step)

        yield grade

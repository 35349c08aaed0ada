"""Graders that cost little, for tests of something else.

Half of the time of a short test went into starting Python and NumPy: once for a grader process, and
once for the parent of its workers. ``kept_parents`` hands the same parents on from test to test;
what a parent holds are setup cells, each by its text, and no student's code. ``graded_here`` lets
``autograder grade`` grade in the tests' own process, too, and ``checked_here`` lets ``autograder
check`` run checks there.
"""

import contextlib
from collections.abc import Iterator
from concurrent.futures import Future

import pytest

from autograder.base.errors import Unusable
from autograder.base.result import Result
from autograder.base.settings import Settings
from autograder.checking import confined
from autograder.checking.student_copy import StudentCopy
from autograder.course.grading import grade_class, grader_process, interruption
from autograder.course.grading.pool import Task
from autograder.engine import workers
from autograder.engine.selftest import strongest
from autograder.exercises.exercise import Exercise
from autograder.grader.graded import Graded
from autograder.grader.grader import Grader
from autograder.sandbox import parents as sandbox_parents
from autograder.sandbox.parents import NOTHING, EngineFault, Parent
from autograder.sandbox.supplies import Supplies


class KeptParents:
    """Parents of workers that are not ended with their grader, but given to the next one."""

    def __init__(self) -> None:
        self._idle: dict[str, list[tuple[str, Parent]]] = {}
        self._ends = contextlib.ExitStack()

    def strongest(
        self, asked: str, without: frozenset[str] = frozenset(), supplies: Supplies = NOTHING
    ) -> tuple[str, Parent]:
        """A parent that is kept, where it is of the usual kind."""
        if without or supplies != NOTHING:
            return strongest(asked, without, supplies)

        idle = self._idle.setdefault(asked, [])
        while idle:
            level, parent = idle.pop()
            if _works(parent):
                return level, parent

        level, parent = strongest(asked)
        self._ends.callback(parent.close)
        parent.close = lambda: idle.append((level, parent))  # type: ignore[method-assign]
        return level, parent

    def close(self) -> None:
        self._ends.close()


def _works(parent: Parent) -> bool:
    """Whether it still gives workers; its grader may have given it up."""
    if parent.lost:
        return False
    try:
        parent.end(parent.start())
    except EngineFault:
        return False
    return True


@pytest.fixture(scope="session")
def parents() -> Iterator[KeptParents]:
    found = KeptParents()
    yield found
    found.close()


@pytest.fixture(scope="module")
def kept_parents(parents: KeptParents) -> Iterator[None]:
    """Graders of this file get parents that were there already."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workers, "strongest", parents.strongest)
        patch.setattr(sandbox_parents, "start_early", lambda _: None)
        yield


class GradedHere:
    """A pool that grades at once, in this process."""

    deaths: tuple[type[Exception], ...] = ()

    def __init__(self, size: int, exercise: Exercise, secret: bytes, settings: Settings) -> None:
        self.size = size
        self._job = exercise, secret, settings
        self._grader: Grader | None = None

    def submit(self, task: Task) -> Future[Graded]:
        answer: Future[Graded] = Future()
        try:
            self._grader = self._grader or Grader(*self._job)
            found = grader_process._answer(self._grader, task)
        except Unusable as unusable:
            found = unusable

        if isinstance(found, Unusable):
            answer.set_exception(found)
        else:
            answer.set_result(found)
        return answer

    def close(self) -> None:
        if self._grader is not None:
            self._grader.__exit__()


@pytest.fixture(scope="module")
def graded_here(kept_parents: None) -> Iterator[None]:
    """Commands of this file grade in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grade_class, "LocalPool", GradedHere)
        # It would wait for the kept parents to end. There are no grader processes to leave orphans.
        patch.setattr(interruption, "adopted", contextlib.nullcontext)
        yield


class CheckedHere:
    """The process that runs the checks of a student's copy, played by this one, which no lock
    locks in."""

    def ask(self, copy: StudentCopy) -> None:
        self._copy = copy

    def wait(self, seconds: float) -> bool:
        return True

    def answer(self) -> tuple[Result, str]:
        return confined._checked_here(self._copy), ""

    def kill(self) -> None:
        """There is nothing to end."""


@pytest.fixture(scope="module")
def checked_here(kept_parents: None) -> Iterator[None]:
    """The visible checks of notebooks run in this process: for tests of what is said of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(confined, "Confined", CheckedHere)
        # What has been started before is for somebody else.
        patch.setattr(confined, "_early", None)
        yield

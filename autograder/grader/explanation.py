"""Runs one check of one submission again, and reports its calls and their answers: for an
appeal."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from autograder.base.errors import Fault
from autograder.base.settings import Settings
from autograder.diagnosis.calls import TIME_LIMIT, Incomparable, Outcome, answered, asked
from autograder.engine.budget import Budget, limits
from autograder.engine.compare import same
from autograder.engine.compiled_exercise import CompiledExercise
from autograder.engine.recorded_calls import Call
from autograder.engine.reference import Reference
from autograder.engine.run import Run
from autograder.engine.student_errors import Stopped, StudentError
from autograder.engine.verdict import Verdict
from autograder.engine.workers import Workers
from autograder.exercises.cell_code import quiet
from autograder.exercises.exercise import Check, Exercise
from autograder.sandbox.parents import EngineFault
from autograder.sandbox.worker.protocol.bounds import ProtocolError
from autograder.submissions.python_source import binds, uses
from autograder.submissions.submission import Submission, SubmittedCell

ALIKE = 1e-9
"""Relative and absolute tolerance within which an answer is shown as the solution's."""


@dataclass(frozen=True, eq=False)  # arrays in it cannot be compared with ==
class Question:
    """A call of the student's function, with its answer and the solution's.

    ``given`` are the arguments by name. ``afterwards`` are the arguments that the student's code
    changed, by the same names. An answer is a value, or a sentence in ``raised``: which exception
    there was, or that the function did not return in time.
    """

    given: dict[str, Any]
    afterwards: dict[str, Any]
    got: Any
    got_raised: str
    right: Any
    right_raised: str

    @property
    def is_alike(self) -> bool:
        """Whether the student's answer is the solution's, and the arguments are unchanged."""
        if self.afterwards or bool(self.got_raised) != bool(self.right_raised):
            return False
        return bool(self.got_raised) or same(self.got, self.right, ALIKE, ALIKE, kinds_alike=True)


@dataclass(frozen=True)
class Explanation:
    """The calls of a check, and the code that was involved.

    ``verdict`` is the outcome now. ``questions`` are the calls that could be kept: no very large
    ones, and none that pass functions. ``cells`` are the student's cells that bind the step's name,
    and the cells that bind names used there. ``is_own``: the step is a question that differs from
    student to student, so no solution has its answer.
    """

    check: Check
    verdict: Verdict
    questions: tuple[Question, ...]
    cells: tuple[SubmittedCell, ...]
    is_own: bool = False


def explain(
    exercise: Exercise, submission: Submission, check: Check, secret: bytes, settings: Settings
) -> Explanation:
    """Run a check as in grading: the student's code runs in a worker that is locked in.

    Raises:
        Unusable: no worker can be had at the isolation level that is asked for.
        Fault: the grader itself fails.
    """
    workers = Workers(exercise, settings)
    try:
        compiled = CompiledExercise(exercise, workers.parent, settings, secret)
        budget = Budget(settings.submission_seconds)
        with (
            quiet(),
            workers.data.inside(),
            limits(settings.submission_seconds),
            Reference(exercise, workers.parent, settings) as reference,
        ):
            run = Run(compiled, submission, budget, reference)
            ((_, verdict),) = run.verdicts({check.id})
            is_own = check.step in exercise.own
            calls = () if check.step in exercise.classes or is_own else verdict.calls
            questions = tuple(_questions(compiled, check, calls, reference))
    except EngineFault as fault:
        raise Fault(f"{exercise.name}: {fault}") from None
    finally:
        workers.close()

    cells = tuple(_involved(submission, check.step))
    return Explanation(check, verdict, questions, cells, is_own)


def _questions(
    compiled: CompiledExercise, check: Check, calls: tuple[Call, ...], reference: Reference
) -> Iterator[Question]:
    signature = inspect.signature(compiled.reference[check.step])
    for call in calls:
        try:
            args, kwargs, before = asked(call.request)
            outcome = answered(call)
        except (Incomparable, ProtocolError):
            continue
        if outcome is None:
            continue

        given = _named(signature, args, kwargs)
        afterwards = _changed(given, before, outcome.arguments)
        # A separate call: changes by the reference must not reach the check's arguments.
        args, kwargs, _ = asked(call.request)
        right, right_raised = None, ""
        try:
            right = reference.function(check.step)(*args, **kwargs)
        except (StudentError, Stopped) as error:
            right_raised = _said(error)
        yield Question(given, afterwards, outcome.value, _raised(outcome), right, right_raised)


def _named(
    signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """The arguments by the names of the parameters; by their positions if they do not fit."""
    try:
        return dict(signature.bind(*args, **kwargs).arguments)
    except TypeError:
        return {**{f"argument {place}": arg for place, arg in enumerate(args, start=1)}, **kwargs}


def _changed(given: dict[str, Any], before: list[Any], after: list[Any]) -> dict[str, Any]:
    """The arguments that have changed, by name."""
    changed = {}
    for name, value in given.items():
        for old, new in zip(before, after):
            if value is old and not same(old, new, 0.0, 0.0):
                changed[name] = new
    return changed


def _raised(outcome: Outcome) -> str:
    if outcome.raised is None:
        return ""
    if outcome.raised == TIME_LIMIT:
        return "does not return in time"
    return _answers_with(outcome.raised, outcome.text)


def _said(error: StudentError | Stopped) -> str:
    if isinstance(error, StudentError):
        return _answers_with(error.kind, error.text)
    return f"stopped: {error}"


def _answers_with(kind: str, text: str) -> str:
    return f"answers with {kind}: {text}" if text else f"answers with {kind}"


def _involved(submission: Submission, step: str) -> Iterator[SubmittedCell]:
    """The cells that bind the step's name, and the cells that bind names used there."""
    wanted = {step}
    waiting = [cell for cell in submission.cells if cell.is_code]
    found: list[SubmittedCell] = []
    while True:
        new = [cell for cell in waiting if binds(cell.source) & wanted]
        if not new:
            break
        for cell in new:
            waiting.remove(cell)
            found.append(cell)
            wanted |= uses(cell.source) or frozenset()
    yield from (cell for cell in submission.cells if cell in found)

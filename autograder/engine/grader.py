"""Grades one submission: runs its cells in a worker and the teacher's checks here, where no student code runs."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from autograder.course import Settings
from autograder.engine.budget import Budget, OutOfTime, limits
from autograder.engine.carry_forward import Carried, Carrier
from autograder.engine.diagnosis import diagnose
from autograder.engine.examples import example
from autograder.engine.run import Attempt, Bench, Verdict
from autograder.engine.sandbox.parent_process import EngineFault
from autograder.engine.selftest import strongest
from autograder.engine.session import Call
from autograder.errors import Unusable
from autograder.exercises.exercise import Check, Exercise
from autograder.quiet import quiet
from autograder.result import CheckResult, CheckStatus, Result, StepResult
from autograder.submissions.notebook import Rejected
from autograder.submissions.parse import Submission, parse

if TYPE_CHECKING:
    from autograder.exercises.misconceptions import Misconception

Found = TypeVar("Found")

MESSAGE_CHARACTERS = 2_000

QUICK = 0.1
"""A submission that needs more of its time than this share is graded by a worker for each kind of check."""


@dataclass(frozen=True)
class Graded:
    """A result and what it was computed from; ``submission`` is None when it was rejected.

    ``unchanged`` results were graded earlier, from the same bytes. ``lasting`` errors are mistakes of ours, which
    would come again however often the submission is graded.
    """

    result: Result
    submission: Submission | None
    unchanged: bool = False
    lasting: bool = False


class Grader:
    """Grades submissions of one exercise, one after the other, with one warm parent of workers."""

    def __init__(
        self, exercise: Exercise, secret: bytes, settings: Settings, without: frozenset[str] = frozenset()
    ) -> None:
        self._exercise = exercise
        self._settings = settings
        self._without = without
        self._level, self._parent = strongest(settings.isolation, without)
        self._bench = Bench(exercise, self._parent, settings, secret)

    def __enter__(self) -> Grader:
        return self

    def __exit__(self, *_: object) -> None:
        self._parent.close()

    @property
    def descriptors(self) -> list[int]:
        """What must stay open in this process for it to grade."""
        return self._parent.descriptors

    def grade(self, data: bytes, student: str | None) -> Graded:
        """Grade the bytes of a notebook (``.ipynb`` or percent ``.py``); never raises for what they hold."""
        with quiet(), limits(self._settings.submission_seconds):
            graded = self._grade(data, student)
        if graded.result.status == "error" and not graded.lasting:
            self._renew()
        return graded

    def _grade(self, data: bytes, student: str | None) -> Graded:
        budget = Budget(self._settings.submission_seconds)
        try:
            submission = parse(data, self._exercise)
        except Rejected as rejected:
            return Graded(self.rejected(data, student, str(rejected)), None)
        except MemoryError:
            return Graded(self.rejected(data, student, "holds more than there is memory to read it"), None)
        result = self._result(data, student, warnings=tuple(map(_printable, submission.warnings)))
        try:
            self._parent.lost = False
            graded = self._graded(result, submission, budget)
            if self._parent.lost:  # perhaps for want of memory: what happens again is the submission's own doing
                graded = self._graded(result, submission, budget.part())
            return Graded(graded, submission)
        except Unusable:  # the exercise's bank of misconceptions, say: the teacher can mend that
            raise
        except Exception as fault:  # whatever went wrong here: the next submission must not suffer for it
            lasting = not isinstance(fault, EngineFault)
            detail = f"{type(fault).__name__}: {fault}" if lasting else str(fault)
            reason = " ".join(f"the grader failed: {detail}".split())
            return Graded(result.without_steps(_printable(reason)), submission, lasting=lasting)

    def _renew(self) -> None:
        """Another parent of workers, after the old one has failed."""
        with contextlib.suppress(Exception):  # if there is none to be had either, the next submission says so
            self._parent.close()
            self._level, self._parent = strongest(self._settings.isolation, self._without)
            self._bench.use(self._parent)

    def unchanged(self, data: bytes, old: Result | None) -> Graded | None:
        """An earlier result, if grading these bytes again would give the same."""
        if old is None or old.status == "error":
            return None
        new = self._result(data, old.student)
        same = ("submission_sha256", "exercise_sha256", "engine", "isolation")
        if any(getattr(old, name) != getattr(new, name) for name in same):
            return None
        try:
            submission = parse(data, self._exercise) if old.status == "graded" else None
        except Rejected:  # it was read by other rules then
            return None
        return Graded(old, submission, unchanged=True)

    def rejected(self, data: bytes, student: str | None, reason: str) -> Result:
        """The result of a submission that cannot be used."""
        return self._result(data, student, status="rejected", reason=_printable(reason))

    def _result(self, data: bytes, student: str | None, **fields: Any) -> Result:
        return Result(
            exercise=self._exercise.name,
            student=student,
            max_score=self._exercise.max_score,
            isolation=self._level,
            submission_sha256=hashlib.sha256(data).hexdigest(),
            exercise_sha256=self._exercise.sha256,
            graded_at=datetime.now(timezone.utc).isoformat(timespec="seconds"),
            **{"status": "graded", "reason": None, **fields},
        )

    def _graded(self, result: Result, submission: Submission, budget: Budget) -> Result:
        verdicts, imprecise = self._verdicts(submission, budget)
        carrier = Carrier(self._bench, submission, verdicts, imprecise)
        carried = carrier.carried(budget.part())
        diagnoses = self._diagnoses(verdicts, carrier, carried, budget)
        steps = tuple(
            StepResult(
                step,
                tuple(
                    self._check(
                        check, verdicts[check.id], carried.get(check.id), carrier.unattempted, diagnoses.get(step)
                    )
                    for check in self._exercise.checks
                    if check.step == step
                ),
                _extra(budget, partial(example, self._bench, step, verdicts)),
            )
            for step in self._exercise.steps
        )
        return replace(result, steps=steps)

    def _verdicts(self, submission: Submission, budget: Budget) -> tuple[dict[str, Verdict], set[str]]:
        """Every check's verdict, and the steps that have returned less than float64.

        What a visible check says of a failure may quote student code, so it comes of a worker that has seen no input
        of a hidden check. Most submissions fail no visible check and are quick, and one worker serves them.
        """
        quick = budget.part(QUICK)
        hidden = {check.id for check in self._exercise.checks if check.hidden}
        visible = {check.id for check in self._exercise.checks if not check.hidden}
        attempt = Attempt(self._bench, submission, quick)
        verdicts: dict[str, Verdict] = {}
        wanted: set[str] = hidden | visible
        again: list[set[str]] = []
        for check, verdict in attempt.verdicts(wanted):
            verdicts[check.id] = verdict
            if not check.hidden and verdict.message is not None:
                wanted -= visible
                again = [visible]
            if quick.timeouts or quick.is_over:  # what is slow for hidden inputs costs no visible check its turn
                again = [visible, hidden]
                break
        imprecise = set(attempt.imprecise)
        for kind in again:
            attempt = Attempt(self._bench, submission, budget)
            verdicts |= {check.id: verdict for check, verdict in attempt.verdicts(kind)}
            imprecise |= attempt.imprecise
        return verdicts, imprecise

    def _diagnoses(
        self, verdicts: dict[str, Verdict], carrier: Carrier, carried: Carried, budget: Budget
    ) -> dict[str, Misconception | None]:
        """The mistake behind each step that is wrong in itself, where the bank knows it."""
        calls: dict[str, list[Call]] = {}
        at_fault = set()

        for check in self._exercise.checks:
            own = () if check.id in carried else verdicts[check.id].calls
            calls.setdefault(check.step, []).extend(carrier.calls.get(check.id, own))
            if verdicts[check.id].message is not None and check.id not in carried:
                at_fault.add(check.step)

        return {
            step: _extra(budget, partial(diagnose, self._bench, step, calls[step]))
            for step in self._exercise.steps
            if step in at_fault and step not in carrier.unattempted
        }

    def _check(
        self,
        check: Check,
        verdict: Verdict,
        mended: tuple[str, ...] | None,
        unattempted: set[str],
        diagnosis: Misconception | None,
    ) -> CheckResult:
        status: CheckStatus = "passed" if verdict.message is None else "failed"
        earned = check.points if status == "passed" else 0.0
        message = verdict.message or ""
        if mended == ():
            status, earned, message = "passed", check.points, ""
        elif mended:
            shares = [
                self._settings.carried_unattempted if step in unattempted else self._settings.carried
                for step in mended
            ]
            status, earned = "carried", check.points * min(shares)
            message = f"passes once {' and '.join(mended)} {'is' if len(mended) == 1 else 'are'} right; now: {message}"
        return CheckResult(
            name=check.name,
            category=check.category,
            points=check.points,
            earned=earned,
            hidden=check.hidden,
            status=status,
            message=_printable(message),
            hint=diagnosis.hint if diagnosis and status == "failed" else None,
            misconception=diagnosis.name if diagnosis and status == "failed" else None,
            with_reference=mended or (),
            cell=verdict.place[0] if status == "failed" else "",
            line=verdict.place[1] if status == "failed" else 0,
        )


def _extra(budget: Budget, find: Callable[[], Found | None]) -> Found | None:
    """What is said beyond the verdicts, in what is left of the submission's time; None where it cannot be found.

    It is found by looking at values of the student's choice, and no verdict may depend on how that ends.
    """
    if budget.is_over:
        return None
    try:
        with budget.at_work():
            return find()
    except Unusable:  # the teacher's bank is
        raise
    except (Exception, OutOfTime):
        return None


def _printable(message: str) -> str:
    """Text that any terminal and page can show: control characters as their code, of a sane length."""
    shown = "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in message)
    return shown if len(shown) <= MESSAGE_CHARACTERS else shown[:MESSAGE_CHARACTERS] + " …"

"""Grades one submission: its cells run in a worker, the teacher's checks here."""

from __future__ import annotations

import contextlib
import hashlib
from dataclasses import replace
from datetime import datetime, timezone
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from autograder.base.errors import Unusable
from autograder.base.result import (
    CheckResult,
    Look,
    Result,
    StepResult,
    WrongLine,
    check_id,
    parts_of,
)
from autograder.base.settings import Settings
from autograder.base.text import first_of
from autograder.diagnosis.calls import Probe
from autograder.diagnosis.diagnosis import (
    Diagnosis,
    changed_below,
    diagnose,
    diagnose_by_verdicts,
)
from autograder.diagnosis.pictures import example
from autograder.diagnosis.places import place_of
from autograder.diagnosis.remembering import remembers
from autograder.engine import definitions
from autograder.engine.budget import Budget, extra, limits
from autograder.engine.carry_forward import Carried, CarryForward
from autograder.engine.compiled_exercise import CompiledExercise
from autograder.engine.reference import Reference
from autograder.engine.run import SetupFailed, ordinary_verdicts
from autograder.engine.verdict import Verdict
from autograder.engine.workers import Workers
from autograder.exercises.cell_code import ExerciseCode, quiet
from autograder.exercises.exercise import Exercise
from autograder.grader.check_result import (
    PURITY,
    check_result,
    of_own_copy,
    printable,
    purity_apart,
)
from autograder.grader.dependencies import dependencies
from autograder.grader.graded import Graded
from autograder.sandbox.parents import EngineFault
from autograder.submissions.notebook import CLEARED, Rejected
from autograder.submissions.parse import parse
from autograder.submissions.submission import Submission

CELLS = 5
"""At most this many cells that did not end are named in a warning."""


class Grader:
    """Grades submissions of one exercise, one after the other, with one warm parent of workers.

    Args:
        without: protections to leave out; only tests do.
        folder: a folder with the exercise's files; without one, the grader makes its own copy.
    """

    def __init__(
        self,
        exercise: Exercise,
        secret: bytes,
        settings: Settings,
        without: frozenset[str] = frozenset(),
        folder: Path | None = None,
    ) -> None:
        _multiply()
        self._exercise = exercise
        self._settings = settings
        code = ExerciseCode(
            exercise, definitions.marked
        )  # while the parent of the workers loads NumPy
        self._workers = Workers(exercise, settings, without, folder)
        self._compiled = CompiledExercise(exercise, self._workers.parent, settings, secret, code)
        self._reference = Reference(exercise, self._workers.parent, settings)
        # The checks of a student's own copy are not recorded.
        known = exercise.has_reference
        self._graded_with = dependencies(exercise, settings, secret) if known else {}

    def __enter__(self) -> Grader:
        return self

    def __exit__(self, *_: object) -> None:
        self._reference.__exit__()
        self._workers.close()

    @property
    def descriptors(self) -> list[int]:
        """The file descriptors that must stay open in this process."""
        return self._workers.parent.descriptors

    def grade(self, data: bytes, student: str | None) -> Graded:
        """Grade the bytes of a notebook (``.ipynb`` or percent ``.py``).

        It never raises because of their content.
        """
        with quiet(), self._workers.data.inside(), limits(self._settings.submission_seconds):
            graded = self._grade(data, student)
        if graded.result.status == "error" and not graded.lasting:
            self._renew()
        return graded

    def _grade(self, data: bytes, student: str | None) -> Graded:
        budget = Budget(self._settings.submission_seconds)
        try:
            submission = parse(data, self._exercise, student)
        except Rejected as rejected:
            return Graded(self.rejected(data, student, str(rejected)), None)
        except MemoryError:
            reason = f"holds more than there is memory to read it; {CLEARED}"
            return Graded(self.rejected(data, student, reason), None)

        warnings = tuple(map(printable, submission.warnings))
        result = self._result(submission.sha256, student, warnings=warnings)
        try:
            self._workers.parent.lost = False
            graded = self._graded(result, submission, budget)
            # This may be a lack of memory; if it happens again, the submission is the cause.
            if self._workers.parent.lost:
                graded = self._graded(result, submission, budget.part())
            return Graded(graded, submission)
        except Unusable:  # the exercise's bank, for example: the teacher can fix it
            raise
        except SetupFailed as fault:
            if self._exercise.has_reference:
                raise Unusable(self._exercise.name, str(fault)) from None
            # A student's own copy with changed checks.
            return Graded(result.without_steps(printable(str(fault))), submission)
        except Exception as fault:
            # An error here must not affect the next submission.
            lasting = not isinstance(fault, EngineFault)
            detail = f"{type(fault).__name__}: {fault}" if lasting else str(fault)
            reason = " ".join(f"the grader failed: {detail}".split())
            return Graded(result.without_steps(printable(reason)), submission, lasting=lasting)

    def _renew(self) -> None:
        """Start another parent of workers after the old one has failed."""
        # If this fails, too, the next submission reports it.
        with contextlib.suppress(Exception):
            self._workers.renew()
            self._compiled.use(self._workers.parent)
            self._reference.use(self._workers.parent)

    def unchanged(self, data: bytes, old: Result | None) -> Graded | None:
        """An earlier result, if nothing that its score depends on has changed."""
        if old is None or old.status == "error":
            return None

        new = self._result(_sha256(data), old.student)
        same = ("submission_sha256", "exercise_sha256", "engine", "isolation", "graded_with")
        if any(getattr(old, name) != getattr(new, name) for name in same):
            return None

        try:
            submission = parse(data, self._exercise) if old.status == "graded" else None
        except Rejected:  # the rules for reading it have changed
            return None
        return Graded(old, submission, unchanged=True)

    def rejected(self, data: bytes, student: str | None, reason: str) -> Result:
        """The result of a submission that cannot be used."""
        said = printable(reason)
        return self._result(_sha256(data), student, status="rejected", reason=said)

    def _result(self, sha256: str, student: str | None, **fields: Any) -> Result:
        return Result(
            exercise=self._exercise.name,
            student=student,
            max_score=self._exercise.max_score,
            isolation=self._workers.level,
            submission_sha256=sha256,
            exercise_sha256=self._exercise.sha256,
            graded_at=datetime.now(timezone.utc).isoformat(timespec="seconds"),
            graded_with=self._graded_with,
            **{"status": "graded", "reason": None, **fields},
        )

    def _graded(self, result: Result, submission: Submission, budget: Budget) -> Result:
        self._reference.refresh()
        ordinary = ordinary_verdicts(self._compiled, submission, budget, self._reference)
        verdicts = ordinary.verdicts
        forward = CarryForward(
            self._compiled, submission, verdicts, ordinary.imprecise, self._reference
        )
        carried = forward.carried(budget.part())
        probes = self._probes(verdicts, forward, carried)
        diagnoses = self._diagnoses(submission, verdicts, forward, carried, probes, budget)

        steps = []
        for step in self._exercise.steps:
            checks = []
            changing_nothing = []
            for check in self._exercise.checks:
                if check.step == step:
                    verdict, mended = verdicts[check.id], carried.get(check.id)
                    known = (diagnoses.get(step), forward.remaining.get(check.id))
                    if self._exercise.has_reference:
                        share = self._share(mended or (), forward.unattempted)
                        checks.append(check_result(check, verdict, mended, share, *known))
                    else:
                        checks.append(of_own_copy(check, verdict, mended, *known))
                    if verdict.changes_nothing and check.category == PURITY:
                        changing_nothing.append(check.name)
            if self._exercise.has_reference:
                checks = list(purity_apart(checks, changing_nothing))
            picture = extra(budget, partial(example, self._compiled, step, verdicts))
            look = _look(step, checks, verdicts)
            where = None
            # A cell that hangs would hang again.
            if any(map(_is_own_fault, checks)) and not budget.timeouts[step]:
                about = (diagnoses.get(step), probes.get(step, []), budget)
                find = partial(self._place, submission, step, verdicts, *about)
                where = extra(budget, find)
            steps.append(StepResult(step, tuple(checks), picture, look, where))

        steps = [step for step in steps if not step.is_left_out]
        warnings = result.warnings
        if ordinary.unended:
            cells = first_of(list(dict.fromkeys(ordinary.unended)), CELLS)
            warnings = (*warnings, f"{cells}; everything else was graded")
        return replace(result, steps=tuple(steps), warnings=warnings)

    def _share(self, mended: tuple[str, ...], unattempted: set[str]) -> float:
        """The share of its points that a check earns if it passes once these steps are right."""
        share = 1.0
        for step in mended:
            if step in unattempted:
                share = min(share, self._settings.carried_unattempted)
            else:
                share = min(share, self._settings.carried)
        return share

    def _probes(
        self, verdicts: dict[str, Verdict], forward: CarryForward, carried: Carried
    ) -> dict[str, list[Probe]]:
        """The steps that are wrong in themselves, and their recorded calls."""
        probes: dict[str, list[Probe]] = {}
        for check in self._exercise.checks:
            if verdicts[check.id].message is not None and check.id not in carried:
                probes[check.step] = []

        # A check that passes may ignore parts of an answer that earlier steps made wrong.
        inheriting = {parts_of(id)[0] for id in forward.remaining}
        for check in self._exercise.checks:
            if check.step not in probes:
                continue
            own = () if check.id in carried else verdicts[check.id].calls
            passed = verdicts[check.id].message is None
            if passed and check.step in inheriting:
                continue
            calls = forward.calls.get(check.id, own)
            for place, call in enumerate(calls, start=1):
                # A check that went on accepted the answer.
                content = passed or (not check.repeatable and place < len(calls))
                probes[check.step].append(Probe(call, content, in_part=not check.repeatable))
        return probes

    def _diagnoses(
        self,
        submission: Submission,
        verdicts: dict[str, Verdict],
        forward: CarryForward,
        carried: Carried,
        probes: dict[str, list[Probe]],
        budget: Budget,
    ) -> dict[str, Diagnosis | None]:
        """The mistake behind each step that is wrong in itself, if it can be found."""
        mended = dict(verdicts)
        for id in carried:
            mended[id] = replace(verdicts[id], message=None, raised="")
        for id, left in forward.remaining.items():
            mended[id] = replace(verdicts[id], message=left.message, raised=left.raised)

        diagnoses: dict[str, Diagnosis | None] = {}
        for step in self._exercise.steps:
            if step not in probes or step in forward.unattempted or step in self._exercise.own:
                continue
            if not self._exercise.has_reference:
                find = partial(changed_below, self._exercise, submission, step, verdicts)
            # Calls that take functions are not recorded.
            elif probes[step] and not self._is_told_by_checks(step):
                right = self._wrong_before(step, verdicts)
                about = (step, right, self._reference, probes[step], budget)
                ask = partial(remembers, self._compiled, submission, *about)
                find = partial(diagnose, self._compiled, step, probes[step], ask)
            else:
                find = partial(diagnose_by_verdicts, self._compiled, submission, step, mended)
            diagnoses[step] = extra(budget, find)
        return diagnoses

    def _place(
        self,
        submission: Submission,
        step: str,
        verdicts: dict[str, Verdict],
        diagnosis: Diagnosis | None,
        probes: list[Probe],
        budget: Budget,
    ) -> WrongLine | None:
        """Where to look in a step that is wrong in itself."""
        right = self._wrong_before(step, verdicts)
        checks = [check for check in self._exercise.checks_of(step) if not check.void]
        checks.sort(key=lambda check: not verdicts[check.id].message)
        about = (checks, right, self._reference, diagnosis, probes, budget)
        found = place_of(self._compiled, submission, *about)
        return found and replace(found, text=printable(found.text))

    def _wrong_before(self, step: str, verdicts: dict[str, Verdict]) -> frozenset[str]:
        """The earlier steps that are wrong, except classes."""
        order = self._exercise.steps
        failed = {check.step for check in self._exercise.checks if verdicts[check.id].message}
        wrong = failed - self._exercise.classes.keys()
        return frozenset(wrong.intersection(order[: order.index(step)]))

    def _is_told_by_checks(self, step: str) -> bool:
        """Whether single calls tell nothing. It reads the bank, so it is called only for wrong
        steps."""
        return step in self._exercise.classes or step in self._exercise.told_by_checks


def _is_own_fault(check: CheckResult) -> bool:
    """Whether a check fails because of its own step, as far as is known."""
    return check.status == "failed" and not check.with_reference and not check.remaining


def _look(step: str, checks: list[CheckResult], verdicts: dict[str, Verdict]) -> Look | None:
    """What a student's own commands show of the first failing check of a step; checks that wait for
    an earlier step come last."""
    for check in sorted(checks, key=lambda check: bool(check.with_reference)):
        look = verdicts[check_id(step, check.name)].look
        if check.status == "failed" and look is not None:
            return Look(*map(printable, vars(look).values()))
    return None


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@cache
def _multiply() -> None:
    """Let NumPy's matrix library allocate the memory that it keeps.

    If it finds none later, within the limits of a submission, it ends the process.
    """
    square = np.ones((200, 200))
    square @ square

"""Grades one submission: runs its cells in a worker and the teacher's checks here, where no student code runs."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import io
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from types import CodeType
from typing import Any

import numpy as np

from autograder.course import Settings
from autograder.exercise import Check, Exercise
from autograder.isolation import EngineFault
from autograder.python_source import binds, uses
from autograder.raw import Rejected
from autograder.remote import Remote, Session, Stopped, StudentError
from autograder.result import CheckResult, Result, StepResult
from autograder.selftest import strongest
from autograder.submission import Submission, SubmittedCell, parse

MESSAGE_CHARACTERS = 2_000


@dataclass(frozen=True)
class Graded:
    """A result and what it was computed from; ``submission`` is None when it was rejected."""

    result: Result
    submission: Submission | None


class Grader:
    """Grades submissions of one exercise, one after the other, with one warm parent of workers."""

    def __init__(
        self, exercise: Exercise, secret: bytes, settings: Settings, without: frozenset[str] = frozenset()
    ) -> None:
        self._exercise = exercise
        self._secret = secret
        self._settings = settings
        self._level, self._parent = strongest(settings.isolation, without)
        self._setup = compile(exercise.setup, "<setup>", "exec", dont_inherit=True)
        self._checks = {
            check.id: compile(check.source, f"<{check.id}>", "exec", dont_inherit=True) for check in exercise.checks
        }

    def __enter__(self) -> Grader:
        return self

    def __exit__(self, *_: object) -> None:
        self._parent.close()

    def grade(self, data: bytes, student: str | None) -> Graded:
        """Grade the bytes of a notebook (``.ipynb`` or percent ``.py``); never raises for what they hold."""
        try:
            submission = parse(data, self._exercise)
        except Rejected as rejected:
            return Graded(self.rejected(data, student, str(rejected)), None)
        result = self._result(data, student, warnings=submission.warnings)
        try:
            return Graded(self._graded(result, submission, data), submission)
        except (EngineFault, OSError, MemoryError) as fault:
            return Graded(result.without_steps(f"the grader failed: {fault}"), submission)

    def unchanged(self, data: bytes, old: Result | None) -> Graded | None:
        """An earlier result, if grading these bytes again would give the same."""
        if old is None or old.status == "error":
            return None
        new = self._result(data, old.student)
        same = ("submission_sha256", "exercise_sha256", "engine", "isolation")
        if any(getattr(old, name) != getattr(new, name) for name in same):
            return None
        return Graded(old, parse(data, self._exercise) if old.status == "graded" else None)

    def rejected(self, data: bytes, student: str | None, reason: str) -> Result:
        """The result of a submission that cannot be used."""
        return self._result(data, student, status="rejected", reason=reason)

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

    def _graded(self, result: Result, submission: Submission, data: bytes) -> Result:
        verdicts: dict[str, CheckResult] = {}
        with Session(self._parent, self._settings) as session:
            session.run("setup", self._exercise.setup)
            namespace = self._namespace(session)
            raised: dict[str, str] = {}
            for part in _schedule(self._exercise, submission):
                if isinstance(part, Check):
                    verdicts[part.id] = self._verdict(part, session, namespace, data, raised)
                    continue
                error = session.run(part.id or "added", part.source)
                if error is not None and part.id:
                    raised[part.id] = _cell_failure(error)
        steps = tuple(
            StepResult(step, tuple(verdicts[check.id] for check in self._exercise.checks if check.step == step))
            for step in self._exercise.steps
        )
        return Result(**{**vars(result), "steps": steps})

    def _namespace(self, session: Session) -> dict[str, Any]:
        """What a check sees: the names of the setup cell, and the student's functions."""
        namespace: dict[str, Any] = {"__name__": "__main__"}
        with _quiet():
            exec(self._setup, namespace)
        namespace.update({step: Remote(session, step) for step in self._exercise.steps})
        return namespace

    def _verdict(
        self, check: Check, session: Session, namespace: dict[str, Any], data: bytes, raised: dict[str, str]
    ) -> CheckResult:
        draw = self._generator(check, data)
        message = _run(self._checks[check.id], check, session, namespace, draw)
        message = message or session.never or session.repeat(draw)
        if message == f"{check.step} is not defined" and check.step in raised:
            message = f"{message}: {raised[check.step]}"
        return CheckResult(
            name=check.name,
            category=check.category,
            points=check.points,
            earned=check.points if message is None else 0.0,
            hidden=check.hidden,
            status="passed" if message is None else "failed",
            message=_printable(message or ""),
        )

    def _generator(self, check: Check, data: bytes) -> np.random.Generator:
        """Random inputs, drawn after the submission is fixed: the same for the same bytes, and not to be guessed."""
        text = f"{self._exercise.name}/{check.id}/".encode() + hashlib.sha256(data).digest()
        return np.random.default_rng(int.from_bytes(hmac.digest(self._secret, text, "sha256"), "big"))


def _run(
    code: CodeType, check: Check, session: Session, namespace: dict[str, Any], draw: np.random.Generator
) -> str | None:
    """Run one check; why it failed, or None."""
    before = dict(namespace)
    namespace["rng"], namespace["REVEAL"] = draw, not check.hidden
    session.begin_check()
    try:
        with _quiet():
            exec(code, namespace)
    except StudentError as error:
        return session.never or _failure(error, check)
    except Stopped as stopped:
        return str(stopped)
    except AssertionError as error:
        return str(error) or check.sentence
    except (EngineFault, OSError, MemoryError):
        raise
    except Exception as error:  # the check passes with the reference, so this comes of what the student returned
        detail = type(error).__name__ if check.hidden else f"{type(error).__name__}: {error}"
        return f"what {check.step} returned cannot be used ({detail})"
    finally:
        # Checks stand alone: nothing that one of them binds is there for the next.
        namespace.clear()
        namespace.update(before)
    return None


def _failure(error: StudentError, check: Check) -> str:
    """An exception of student code in words; its text only where the inputs are public, for it may hold them."""
    if error.kind == "CannotCross":
        return f"{check.step} returned {error.text}, which no check can use"
    if error.text.endswith("is not defined") and isinstance(error, NameError) and not error.cell:
        return error.text
    where = f" in line {error.line} of your cell {error.cell}" if error.cell else ""
    text = f": {error.text}" if error.text and not check.hidden else ""
    return f"{check.step} raised {error.kind}{where}{text}"


def _cell_failure(error: StudentError | Stopped) -> str:
    if isinstance(error, Stopped):
        return str(error)
    where = f" in line {error.line}" if error.line else ""
    return f"its cell raised {error.kind}{where}: {error.text}"


def _schedule(exercise: Exercise, submission: Submission) -> Iterator[SubmittedCell | Check]:
    """Cells and checks in the order of the master notebook; what a student added stays behind what it followed."""
    cells = [cell for cell in submission.cells if cell.is_code]
    own = [cell for cell in cells if not _as_released(exercise, cell)]
    needed = frozenset[str]().union(*(uses(cell.source) or () for cell in own))
    for master in exercise.cells:
        if master.check:
            yield master.check
        for cell in cells:
            if (cell.id or cell.after) != master.id:
                continue
            # Pictures that were left as they are need not run, unless an answer uses a name of theirs.
            if cell in own or needed & binds(cell.source):
                yield cell


def _as_released(exercise: Exercise, cell: SubmittedCell) -> bool:
    if cell.id is None:
        return False
    master = exercise.cell(cell.id)
    return master.kind == "plain" and master.source.strip() == cell.source.strip()


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Checks print and warn for students; here their verdict is all that counts."""
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
    ):
        warnings.simplefilter("ignore")
        yield


def _printable(message: str) -> str:
    """Text that any terminal and page can show: control characters as their code, of a sane length."""
    shown = "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in message)
    return shown if len(shown) <= MESSAGE_CHARACTERS else shown[:MESSAGE_CHARACTERS] + " …"

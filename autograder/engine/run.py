"""One run of a submission: its cells in a worker of its own, and checks at their places among them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from autograder.course import Settings
from autograder.engine.budget import Budget, OutOfTime
from autograder.engine.reference import Reference
from autograder.engine.sandbox.parent_process import EngineFault, Parent
from autograder.engine.session import Call, Remote, Session, Stopped, StudentError
from autograder.exercises.exercise import Check, Exercise
from autograder.quiet import quiet
from autograder.submissions.parse import Submission, SubmittedCell
from autograder.submissions.python_source import binds, uses

if TYPE_CHECKING:
    from autograder.exercises.misconceptions import Misconception

_KNOWN_KINDS = re.compile(
    r"a masked array|more than [0-9]{1,6} (MB|values|MB of text)|an array of more than [0-9]{1,9} (axes|numbers)"
    r"|an array of dtype (object|complex64|complex128)"
    r"|a value of type (set|frozenset|complex|bytes|type|object|ellipsis|slice|module|dict_keys|dict_values)"
)
"""Kinds of values that may be named after a hidden check: of a class of their own, students choose the name."""


_PARTS = slice(16), slice(16, 32), slice(32, 40)


class Bench:
    """What all runs of an exercise share: its compiled cells, its reference, the parent of the workers."""

    def __init__(self, exercise: Exercise, parent: Parent, settings: Settings, secret: bytes) -> None:
        self.exercise = exercise
        self.use(parent)
        self.settings = settings
        self._key = hashlib.blake2b(secret).digest()
        self._bits = np.random.PCG64(0)
        self._rng = np.random.Generator(self._bits)
        self._wrong: dict[str, Callable[..., Any]] = {}
        self._setup = compile(exercise.setup, "<setup>", "exec", dont_inherit=True)
        self.checks = {
            check.id: compile(check.source, f"<{check.id}>", "exec", dont_inherit=True) for check in exercise.checks
        }

    def use(self, parent: Parent) -> None:
        """Take workers from this parent from now on."""
        self.parent = parent
        # The setup cell alone, which students have: what the parent holds, every worker of theirs can read. Only the
        # teacher's own: the parent is not locked in as workers are, and the one in a student's copy may be anybody's.
        if self.exercise.has_reference:
            parent.prepare("setup", self.exercise.setup)

    def namespace(self) -> dict[str, Any]:
        """The names of the setup cell, made anew, so that nothing of one submission is there for the next."""
        namespace: dict[str, Any] = {"__name__": "__main__"}
        with quiet():
            exec(self._setup, namespace)
        return namespace

    @cached_property
    def reference(self) -> Mapping[str, Callable[..., Any]]:
        """The teacher's own functions, by step. They never leave the grader."""
        namespace = self.namespace()
        with quiet():
            for step in self.exercise.steps:
                exec(compile(self.exercise.cell(step).source, f"<{step}>", "exec", dont_inherit=True), namespace)
        return {step: namespace[step] for step in self.exercise.steps}

    def wrong(self, misconception: Misconception) -> Callable[..., Any]:
        """A wrong answer of the bank, among right answers to all other steps."""
        if misconception.name not in self._wrong:
            namespace = {**self.namespace(), **self.reference}
            with quiet():
                exec(compile(misconception.source, f"<{misconception.name}>", "exec", dont_inherit=True), namespace)
            self._wrong[misconception.name] = namespace[misconception.step]
        return self._wrong[misconception.name]

    def draw(self, check: Check, submission: Submission) -> tuple[np.random.Generator, int]:
        """Random inputs, drawn after the submission is fixed: the same for the same bytes, and not to be guessed.

        Also a number that nobody can tell from the inputs. The generator is good until the next call.
        """
        text = f"{self.exercise.name}/{check.id}/{submission.sha256}".encode()
        digest = hashlib.blake2b(text, key=self._key, digest_size=40).digest()
        state, increment, number = (int.from_bytes(digest[part], "big") for part in _PARTS)
        # A keyed hash is as random as a seed can be, and need not be stirred again.
        self._bits.state = {
            "bit_generator": "PCG64",
            "state": {"state": state, "inc": increment | 1},
            "has_uint32": 0,
            "uinteger": 0,
        }
        return self._rng, number


@dataclass(frozen=True)
class Verdict:
    """Why a check failed, in words for the student; None if it passed."""

    message: str | None
    unattempted: bool = False
    calls: tuple[Call, ...] = ()
    """What the check has asked of the step's function, and what it answered."""
    place: tuple[str, int] = ("", 0)
    """The cell and the line of it where the student's code raised what made the check fail."""


class Attempt:
    """A run of the cells, in which some steps may be replaced by the reference.

    Args:
        replaced: these steps are bound to ``reference`` where the student's answer stood, before later cells run.
    """

    def __init__(
        self,
        bench: Bench,
        submission: Submission,
        budget: Budget,
        replaced: frozenset[str] = frozenset(),
        reference: Reference | None = None,
    ) -> None:
        self._bench = bench
        self._submission = submission
        self._budget = budget
        self._replaced = replaced
        self._reference = reference
        self._session = Session(bench.parent, bench.settings, budget)
        self._raised: dict[str, StudentError | Stopped] = {}
        self.called: set[str] = set()
        """The replaced steps that were called while the last check ran."""

    def verdicts(self, wanted: Set[str]) -> Iterator[tuple[Check, Verdict]]:
        """Run the cells in their order, checks at their places among them, and no cell after the last check.

        Args:
            wanted: ids of checks; one that is no longer among them when its turn comes is left out.
        """
        left = set(wanted)
        with self._session as session:
            session.run("setup", self._bench.exercise.setup)
            namespace = self._bench.namespace()
            namespace.update({step: Remote(session, step) for step in self._bench.exercise.steps})
            for part in self._schedule():
                if not left:
                    return
                if isinstance(part, Check):
                    if part.id in left:
                        left.remove(part.id)
                        if part.id in wanted:
                            yield part, self._verdict(part, namespace)
                elif isinstance(part, str):
                    session.bind(part, self._stub(part))
                else:
                    error = session.run(part.id or "added", part.source)
                    if error is not None and part.id:
                        self._raised[part.id] = error

    @property
    def imprecise(self) -> set[str]:
        """The steps that have returned less than float64."""
        return self._session.imprecise

    def _stub(self, step: str) -> Callable[..., Any]:
        assert self._reference is not None
        function = self._reference.function(step)

        def stub(*args: Any, **kwargs: Any) -> Any:
            self.called.add(step)
            return function(*args, **kwargs)

        return stub

    def _schedule(self) -> Iterator[SubmittedCell | Check | str]:
        """Cells, checks and the names of replaced steps, in the order of the master notebook.

        What a student added stays behind what it followed.
        """
        answers: dict[str, SubmittedCell] = {}
        added: dict[str, list[SubmittedCell]] = {}
        for cell in self._submission.cells:
            if cell.is_code and cell.id:
                answers[cell.id] = cell
            elif cell.is_code:
                added.setdefault(cell.after, []).append(cell)
        idle = self._idle()
        for master in self._bench.exercise.cells:
            if master.check:
                yield master.check
            if master.id in answers and master.id not in idle:
                yield answers[master.id]
            if master.id in self._replaced:
                yield master.id
            yield from added.get(master.id, ())

    def _idle(self) -> set[str]:
        """The pictures that were left as they are and need not run: no cell of the student uses a name of theirs."""
        offered: dict[str, frozenset[str]] = {}
        own: list[str] = []
        for cell in self._submission.cells:
            if cell.is_code and cell.id and _as_released(self._bench.exercise, cell):
                offered[cell.id] = binds(cell.source)
            elif cell.is_code:
                own.append(cell.source)
        words = set(re.findall(r"\w+", "\n".join(own)))
        if not any(words & names for names in offered.values()):  # nearly always; a closer look takes a while
            return set(offered)
        used = frozenset[str]().union(*(uses(source) or () for source in own))
        return {id for id, names in offered.items() if not used & names}

    def _verdict(self, check: Check, namespace: dict[str, Any]) -> Verdict:
        session = self._session
        self.called.clear()
        before = dict(namespace)
        namespace["rng"], number = self._bench.draw(check, self._submission)
        namespace["REVEAL"] = False  # nobody reads what is printed here
        session.begin_check()
        place = ("", 0)
        try:
            with self._budget.at_work():
                exec(self._bench.checks[check.id], namespace)
                message = session.never or session.repeat(number)
        except OutOfTime:
            total = f"{self._budget.total:g} s"
            message = f"what {check.step} returned takes longer to look at than the {total} of a submission"
        except StudentError as error:
            message = session.never or self._failure(error, check)
            place = self._place(error, check)
        except Stopped as stopped:
            message = str(stopped)
        except AssertionError as error:
            message = str(error) or check.sentence
        except (EngineFault, OSError):
            raise
        except Exception as error:  # the check passes with the reference, so this comes of what the student returned
            detail = type(error).__name__ if check.hidden else f"{type(error).__name__}: {error}"
            message = f"what {check.step} returned cannot be used ({detail})"
        finally:
            # Checks stand alone: nothing that one of them binds is there for the next.
            namespace.clear()
            namespace.update(before)
        return Verdict(message, session.unwritten == check.step, tuple(session.calls(check.step)), place)

    def _place(self, error: StudentError, check: Check) -> tuple[str, int]:
        raised = self._raised.get(check.step) if error.kind == "Undefined" else None
        if isinstance(raised, StudentError):
            error = raised
        return (error.cell, error.line) if error.cell in self._bench.exercise.steps else ("", 0)

    def _failure(self, error: StudentError, check: Check) -> str:
        """An exception of student code in words; its text only where the inputs are public, for it may hold them."""
        if error.kind == "CannotCross":
            text = error.text if not check.hidden or _KNOWN_KINDS.fullmatch(error.text) else "a value of a kind"
            return f"{check.step} returned {text}, which no check can use"
        if error.kind == "Undefined":
            raised = self._raised.get(check.step) if error.text.startswith(f"{check.step} ") else None
            return f"{error.text}: {_cell_failure(raised, check.hidden)}" if raised else error.text
        where = f" in line {error.line} of your cell {error.cell}" if error.cell else ""
        text = f": {error.text}" if error.text and not check.hidden else ""
        return f"{check.step} raised {error.kind}{where}{text}"


def _cell_failure(error: StudentError | Stopped, hidden: bool) -> str:
    if isinstance(error, Stopped):
        return str(error)
    where = f" in line {error.line}" if error.line else ""
    return f"its cell raised {error.kind}{where}" + (f": {error.text}" if not hidden else "")


def _as_released(exercise: Exercise, cell: SubmittedCell) -> bool:
    master = exercise.cell(cell.id) if cell.id else None
    return master is not None and master.kind == "plain" and master.source.strip() == cell.source.strip()

"""One run of a submission: its cells in a worker of its own, checks at their places among them."""

from __future__ import annotations

from collections.abc import Iterator, Set
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from autograder.base.result import UNENDING, UNREPEATABLE, Look
from autograder.base.text import agreeing, cut, listed
from autograder.engine.budget import Budget, OutOfTime, extra
from autograder.engine.compiled_exercise import CompiledExercise
from autograder.engine.reference import Reference
from autograder.engine.remote import RemoteClass, RemoteFunction
from autograder.engine.schedule import stages
from autograder.engine.session import TIMEOUTS, Session
from autograder.engine.stub import Stub
from autograder.engine.student_errors import Stopped, StudentError
from autograder.engine.verdict import (
    Verdict,
    ended,
    failure,
    name_of,
    of_unwritten_steps,
    quoted,
)
from autograder.exercises.cell_code import Namespace
from autograder.exercises.exercise import Check
from autograder.sandbox.parents import EngineFault
from autograder.sandbox.worker.protocol.bounds import MAX_PRINTED
from autograder.submissions.python_source import binds, words
from autograder.submissions.submission import Submission, SubmittedCell

LONG = 0.5
"""Seconds after which an added cell does not run again without need."""

PRINTED, WIDTH, TABLE = 10, 200, 1_500
"""Limits for the output shown with a failed check: lines, characters per line, and characters of a
value."""


class SetupFailed(EngineFault):
    """The setup cell raises in the worker, so nobody can be graded."""


class Run:
    """A run of the cells, in which some steps may be replaced by the reference.

    Args:
        reference: to what is needed of earlier exercises, always.
        replaced: these steps are bound to it as well, where the student's answer stood.
        again: those of them that are so once more where another cell defines them.
    """

    def __init__(
        self,
        compiled: CompiledExercise,
        submission: Submission,
        budget: Budget,
        reference: Reference | None = None,
        replaced: frozenset[str] = frozenset(),
        again: frozenset[str] = frozenset(),
    ) -> None:
        self._compiled = compiled
        self._submission = submission
        self._budget = budget

        self.replaced = replaced
        """The steps that are replaced by now."""
        self._is_hidden = True
        """Whether a hidden check is asked in this run."""
        self._due: list[str] = []

        self._stages = stages(compiled.exercise, submission, replaced | compiled.needed, again)
        self._reference = reference
        self._session = Session(compiled.parent, compiled.settings, budget)
        self._raised: list[tuple[SubmittedCell, StudentError | Stopped]] = []
        self._written: set[str] = set()

        self.unended: list[str] = []
        """The cells that were stopped or that ended the process, by name."""
        self.called: set[str] = set()
        """The replaced steps that were called while the last check ran."""
        self.refused: set[str] = set()
        """The ones that were called with arguments that the right step does not take."""

    def replace(self, step: str) -> None:
        """Replace another step, as soon as all of its wanted checks have been asked."""
        if step not in self._due:
            self._due.append(step)

    def verdicts(self, wanted: Set[str]) -> Iterator[tuple[Check, Verdict]]:
        """Run the cells in order, with checks at their places; stop after the last check.

        Args:
            wanted: ids of checks; one that is no longer among them when its turn comes is left out.
        """
        left = set(wanted)
        self._is_hidden = not self._compiled.hidden.isdisjoint(wanted)
        with self._session:
            namespace = self._set_up()
            for cells, checks in self._stages:
                if left.isdisjoint(wanted):
                    return

                for step in self._replace_due(left & wanted):
                    self._session.bind(step, self._stub(step))
                self._run(cells)

                for check in checks:
                    if check.id in left & wanted:
                        yield check, self._verdict(check, namespace)
                        self._give_up()
                left.difference_update(check.id for check in checks)

    @contextmanager
    def ready(
        self, is_hidden: bool = False, most_unended: int | None = None
    ) -> Iterator[tuple[Session, Namespace]]:
        """The session after all cells have run without any check, and the names of checks.

        Args:
            is_hidden: hidden checks are asked in it.
            most_unended: when so many stages have had cells that do not end, the others do not run.
        """
        self._is_hidden = is_hidden
        with self._session:
            namespace = self._set_up()
            for cells, _ in self._stages:
                if most_unended is None or len(self.unended) < most_unended:
                    self._run(cells)
            yield self._session, namespace

    def passes(self, check: Check, namespace: Namespace) -> bool:
        """Whether a check passes now, in a run that is ``ready``; without a reason.

        Raises:
            Stopped: nothing can be asked any more.
        """
        session, before = self._session, dict(namespace)
        session.begin_check()
        try:
            seed, _ = self._compiled.draw(check, self._submission)
            namespace["rng"] = self._compiled.generator(check, seed)
            exec(self._compiled.checks[check.id], namespace)
        except Stopped:
            raise
        except Exception:
            return False
        finally:
            namespace.clear()
            namespace.update(before)
        return session.never is None and not session.unanswered

    def _replace_due(self, wanted: Set[str]) -> Iterator[str]:
        """The steps that are to be replaced and have no wanted check left."""
        if not self._due:
            return
        still_asked = {check.step for check in self._compiled.exercise.checks if check.id in wanted}
        for step in list(self._due):
            if step not in still_asked:
                self._due.remove(step)
                self.replaced |= {step}
                yield step

    def _run(self, parts: list[SubmittedCell | str]) -> None:
        """Run cells, and bind replacements for some of them."""
        for part in parts:
            if isinstance(part, str):
                self._session.bind(part, self._stub(part))
                continue

            name = name_of(part, self._compiled.exercise)
            error = self._session.run(name, part.source) if part.id else self._run_added(name, part)
            if isinstance(error, Stopped) and str(error).startswith("the cell "):
                self.unended.append(ended(error, part))
            if error is not None:
                self._raised.append((part, error))
            if part.id:
                self._written.add(part.id)
        self._give_up()

    def _run_added(self, name: str, cell: SubmittedCell) -> StudentError | Stopped | None:
        """Run a cell that the student added, within the time for added cells."""
        added = self._budget.added
        if cell.source in added.idle:
            return None
        if added.left <= 0:
            slowest = sorted(added.took, key=lambda cell: -added.took[cell])[:3]
            named = listed(f"{cell}: {added.took[cell]:.1f} s" for cell in slowest)
            said = f"the added cells took more than {added.total:g} s ({named})"
            self.unended.append(f"{said}, so those behind them were not run")
            return None

        before = added.left
        error = self._session.run(name, cell.source, added)
        took = before - added.left
        added.took[quoted(cell)] = added.took.get(quoted(cell), 0.0) + took
        if took > LONG and not self._is_used(cell):
            added.idle.add(cell.source)
        return error

    def _is_used(self, cell: SubmittedCell) -> bool:
        """Whether another cell mentions a name that this one binds."""
        bound = binds(cell.source)
        others = [other.source for other in self._submission.cells if other is not cell]
        return not all(bound.isdisjoint(words(source)) for source in others)

    def _give_up(self) -> None:
        """Let later steps not wait for a function that has hung: calls to it stop at once."""
        if not self._budget.timeouts:
            return
        for step in self._written - self.replaced - self._compiled.needed:
            if self._budget.timeouts[step] >= TIMEOUTS:
                self._written.remove(step)
                self._session.bind(step, partial(self._stop, step))

    def _stop(self, step: str, *_: Any, **__: Any) -> None:
        self._session.get_ready(step)

    def _set_up(self) -> Namespace:
        """Run the setup cell in the worker, and here; return its names, and the steps.

        Raises:
            SetupFailed: it raises there, though not here.
        """
        session, exercise = self._session, self._compiled.exercise
        if exercise.classes:
            session.keep_objects(exercise.classes)
        error = session.run("setup", exercise.setup)
        if isinstance(error, StudentError):
            repair = "use what is there for student code, or do it in a function"
            if isinstance(error, ImportError):
                repair = "name the package in packages, in autograder.toml"
            what = f"raises {error.kind} in the worker: {error.text}"
            raise SetupFailed(f"the setup cell {what}; {repair}")

        namespace = self._compiled.namespace(self._submission)
        session.types = namespace
        # The functions that a student pasted; the grader has its own.
        session.pasted = set(exercise.needed) - self._compiled.needed
        for step in (*exercise.steps, *session.pasted):
            kind = RemoteClass if step in exercise.classes else RemoteFunction
            namespace[step] = kind(session, step)
        return namespace

    @property
    def imprecise(self) -> frozenset[str]:
        """The steps that have returned numbers less precise than float64."""
        return frozenset(self._session.imprecise)

    def _stub(self, step: str) -> Stub:
        assert self._reference is not None
        known = self._compiled.answers[self._is_hidden]
        found, takes = self._reference.function, self._compiled.takes
        if not self._compiled.exercise.has_reference:
            found = self._compiled.known
        return Stub(step, found, known, self._note, takes, self.refused.add)

    def _note(self, step: str) -> None:
        if step not in self._compiled.needed:
            self.called.add(step)

    def _verdict(self, check: Check, namespace: dict[str, Any]) -> Verdict:
        session = self._session
        self.called.clear()
        self.refused.clear()
        timeouts = self._budget.timeouts[check.step]
        before = dict(namespace)
        seed, number = self._compiled.draw(check, self._submission)
        if self._compiled.is_read:
            session.overheard()  # earlier output does not belong to this check
        session.begin_check()
        place, hint, raised, asked = ("", 0), "", "", ""
        is_missing = changes_nothing = False

        try:
            with self._budget.at_work():
                namespace["rng"] = self._compiled.generator(check, seed)
                exec(self._compiled.checks[check.id], namespace)
                message = session.never
                if message is None and session.unanswered:  # no check may accept it
                    message = self._failure(session.unanswered, check)
                if message is None and check.repeatable:
                    message = session.repeat(number)
                    hint = UNREPEATABLE if message else ""
        except OutOfTime:
            limit = f"than the {self._budget.total:g} s of a submission"
            message = f"what {check.step} returned takes longer to look at {limit}"
        except StudentError as error:
            message = session.never or self._failure(error, check)
            is_missing = error.kind == "Undefined" and self._is_unanswered(check.step)
            if not session.never and not error.is_unanswered:
                raised = error.kind
            place = self._place(error, check)
            hint = self._hint(check, error, namespace)
            asked = self._asked(error, namespace)
            changes_nothing = hasattr(error, "changes_nothing")
        except Stopped as stopped:
            message = str(stopped)
            if self._budget.timeouts[check.step] > timeouts:
                hint = UNENDING
        except AssertionError as error:
            message = str(error) or check.sentence
            hint = self._hint(check, error, namespace)
            changes_nothing = hasattr(error, "changes_nothing")
        except (EngineFault, OSError):
            raise
        except Exception as error:
            # The check passes with the reference, so the student's answers caused this.
            raised = type(error).__name__
            detail = raised if check.hidden else f"{raised}: {error}"
            message = f"what {check.step} returned cannot be used ({detail})"
            hint = self._hint(check, error, namespace)
        finally:
            # Checks are independent: names that one binds are not there for the next.
            namespace.clear()
            namespace.update(before)

        calls = tuple(session.calls(check.step))
        unattempted = is_missing or session.unwritten == check.step
        if session.unwritten == check.step and check.step in self._compiled.exercise.options:
            message = f"{check.step} is still to be answered"
        waits = "" if unattempted else session.unwritten or ""
        look = None
        if message is not None and self._compiled.is_read and not check.hidden:
            look = self._look(check, namespace, asked)
        known = (calls, place, hint, raised, changes_nothing, look)
        return Verdict(message, unattempted, waits, *known)

    def _is_unanswered(self, step: str) -> bool:
        """Whether it is a question that the notebook has no cell for."""
        return step in self._compiled.exercise.options and self._submission.answer(step) is None

    def _failure(self, error: StudentError, check: Check) -> str:
        return failure(error, check, self._submission, self._raised, self._compiled.exercise)

    def _hint(self, check: Check, error: Exception, namespace: dict[str, Any]) -> str:
        """The question about a failure from the tools in a student's own notebook."""
        if not self._compiled.is_read:
            return ""

        def question() -> str:
            seen = error.as_raised() if isinstance(error, StudentError) else error
            hint = namespace["tools"].hint
            # What is known of the names is asked of no notebook that was handed out before that.
            return str(hint(*(check.id, seen, namespace)[: hint.__code__.co_argcount]))

        return extra(self._budget, question) or ""

    def _asked(self, error: StudentError, namespace: dict[str, Any]) -> str:
        """The question of a check in a student's own notebook that an exception has ended."""
        if not self._compiled.is_read or error.is_unanswered:
            return ""

        def question() -> str:
            trace = error.__traceback__
            while trace is not None and trace.tb_frame.f_globals is not namespace:
                trace = trace.tb_next
            return str(namespace["tools"].fitting_question(error, trace))

        return extra(self._budget, question) or ""  # tools of an older kit have none

    def _look(self, check: Check, namespace: dict[str, Any], asked: str) -> Look:
        """The output of the student's code during a check, and the values that the check
        compared."""
        printed = _first_lines(self._session.overheard())

        def compared() -> Look | None:
            from autograder.tools import showing  # late: only a failed check needs it

            for one in reversed(namespace["tools"].SHOWN):
                if one["problem"]:
                    values = [showing.in_short(one[name]) for name in ("got", "wanted")]
                    yours, wanted = (cut(value, TABLE) for value in values)
                    return Look(check.name, printed, str(one["what"]), yours, wanted)
            return None

        return extra(self._budget, compared) or Look(check.name, printed, asked=asked)

    def _place(self, error: StudentError, check: Check) -> tuple[str, int]:
        if error.kind == "Undefined":
            for cell, raised in self._raised:
                if cell.id == check.step and isinstance(raised, StudentError):
                    error = raised
        return (error.cell, error.line) if error.cell in self._compiled.exercise.steps else ("", 0)


def _first_lines(printed: str) -> str:
    """The first lines of an output, long ones cut, and how many lines follow."""
    lines = printed.expandtabs().rstrip("\n").split("\n")
    shown = [cut(line, WIDTH) for line in lines[:PRINTED]]
    more = len(lines) - PRINTED
    if more > 0:
        least = "at least " if len(printed) >= MAX_PRINTED else ""
        shown.append(f"… and {least}{more:,} more {agreeing(more, 'line', 'lines')}")
    return "\n".join(shown)


@dataclass(frozen=True)
class OrdinaryVerdicts:
    """Every check's verdict, by its id, and other observations.

    ``imprecise``: the steps that returned numbers less precise than float64, separately for runs
    with hidden checks. ``unended``: the cells that did not end, by name.
    """

    verdicts: dict[str, Verdict]
    imprecise: dict[bool, frozenset[str]]
    unended: list[str]


def ordinary_verdicts(
    compiled: CompiledExercise, submission: Submission, budget: Budget, reference: Reference
) -> OrdinaryVerdicts:
    """Ask every check of a submission: first the visible ones, then the hidden ones with another
    worker.

    The message of a visible check must not reveal anything about hidden ones. So it comes from a
    worker that has seen none of their inputs, and their time is counted apart.
    """
    verdicts: dict[str, Verdict] = {}
    hidden, visible = set(), set()
    for check in compiled.exercise.checks:
        if check.void:
            verdicts[check.id] = Verdict(None)
        elif check.hidden:
            hidden.add(check.id)
        else:
            visible.add(check.id)

    imprecise: dict[bool, frozenset[str]] = {}
    returned = frozenset[str]()
    unended: list[str] | None = None
    for are_hidden, wanted in ((False, visible), (True, hidden)):
        if wanted:
            run = Run(compiled, submission, budget, reference)
            for check, verdict in run.verdicts(wanted):
                verdicts[check.id] = verdict
            returned |= run.imprecise
            # The way in which cells end may depend on hidden inputs, too.
            unended = run.unended if unended is None else unended
        imprecise[are_hidden] = returned

    settled = of_unwritten_steps(compiled.exercise, verdicts)
    return OrdinaryVerdicts(settled, imprecise, unended or [])

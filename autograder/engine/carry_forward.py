"""A mistake costs its marks once: a check that failed because of an earlier step runs again with
that step replaced.

These runs come after all ordinary verdicts are final, each in a worker of its own that is thrown
away afterwards: one for the visible checks of all later steps and one for the hidden ones. A step
that fails there, too, is replaced in its turn, for those behind it. The reference never enters the
student's worker: what is bound there is a stub that calls back. A replaced step earns nothing for
itself, for a worker that may hear the reference answer for a step serves none of that step's checks
any more.

If a check fails with another message there, that is what *remains* to be mended in the step itself.
The new message of a visible check may quote student code, as its ordinary message may: visible and
hidden checks are never asked in one run, and no run uses answers of the reference that were kept in
one of the other kind, so the worker that it comes from has seen no input of a hidden check. It may
hold answers of the reference to calls of the student's choice, which are no secret; its source is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from autograder.base.text import listed
from autograder.engine.budget import Budget
from autograder.engine.compiled_exercise import CompiledExercise
from autograder.engine.recorded_calls import Call
from autograder.engine.reference import Reference
from autograder.engine.run import Run
from autograder.engine.verdict import Remaining, Verdict
from autograder.exercises.exercise import Check
from autograder.submissions.submission import DefinedAgain, Submission, SubmittedCell, defined_again

Carried = dict[str, tuple[str, ...]]
"""By check: the earlier steps whose replacement made it pass; an empty set if it passes without a
loss."""

_Kind = tuple[frozenset[str], frozenset[str], bool]
"""A kind of run: the replaced steps, those replaced again after other cells, and whether it asks
hidden checks."""


class _Mended(NamedTuple):
    """The outcome of a check in a run with replaced steps, and which of these it called.

    ``refused``: steps that were called with arguments that the right one does not take.
    ``in_time``: no time limit was hit, of the submission or of a call, perhaps one for a hidden
    check.
    """

    verdict: Verdict
    called: set[str]
    refused: set[str]
    in_time: bool


class CarryForward:
    """Finds out which failed checks of a submission pass once earlier steps are right."""

    def __init__(
        self,
        compiled: CompiledExercise,
        submission: Submission,
        verdicts: dict[str, Verdict],
        imprecise: Mapping[bool, frozenset[str]],
        reference: Reference,
    ) -> None:
        self._compiled = compiled
        self._submission = submission
        self._verdicts = verdicts
        self._imprecise = imprecise
        self._reference = reference

        self._broken: set[str] = set()
        self._broken_visibly: set[str] = set()
        self._doubtful: set[str] = set()
        """Steps with a check that was not asked: nobody knows whether they are right."""
        self._at_fault: set[str] = set()
        attempted = set()
        for check in compiled.exercise.checks:
            verdict = verdicts[check.id]
            if check.void:
                self._doubtful.add(check.step)
            elif not verdict.unattempted:
                attempted.add(check.step)
            if verdict.message is not None:
                self._broken.add(check.step)
                if not check.hidden:
                    self._broken_visibly.add(check.step)
        self.unattempted = self._broken - attempted
        self._defined_again = list(defined_again(compiled.exercise, submission))

        self._by_answer: dict[str, set[str]] = {}
        """By step: the hidden checks that its answer passes although a value has its name."""
        self._ran: dict[_Kind, dict[str, _Mended]] = {}
        self.calls: dict[str, tuple[Call, ...]] = {}
        """Calls of steps at fault, made while earlier steps were replaced: their mistakes are the
        step's own."""
        self.remaining: dict[str, Remaining] = {}
        """By check that also fails with earlier steps replaced: its message there, if it is another
        one."""
        self._order = {step: place for place, step in enumerate(compiled.exercise.steps)}

    def carried(self, budget: Budget) -> Carried:
        """Every failed check that passes with earlier steps replaced."""
        found: Carried = {}
        for step in self._order:
            failed = [check for check in self._failed() if check.step == step]
            for check in failed:
                if self._verdicts[check.id].unattempted or budget.is_over:
                    continue
                steps = self._mended(check, budget)
                if steps is not None:
                    found[check.id] = steps

            if any(check.id not in found for check in failed):
                self._at_fault.add(step)
        return found

    def _failed(self) -> list[Check]:
        checks = self._compiled.exercise.checks
        return [check for check in checks if self._verdicts[check.id].message is not None]

    def _mended(self, check: Check, budget: Budget) -> tuple[str, ...] | None:
        """The earlier steps whose replacement made a check pass; None if there are none."""
        place = self._order[check.step]
        earlier = set(self._compiled.exercise.steps[:place])
        # Objects of a class stay in one worker, and cannot be handed on to another.
        earlier -= self._compiled.exercise.classes.keys()
        # A float32 softmax is right by itself, and must not fail the attention that calls it. What
        # is said of a visible check must depend neither on the verdicts of hidden ones nor on what
        # was answered to them.
        wrong = self._broken if check.hidden else self._broken_visibly
        imprecise = frozenset((self._imprecise[check.hidden] - wrong) & earlier)
        if not self._compiled.exercise.has_reference:
            imprecise = frozenset()  # the copy shows what its checks say
        if imprecise and self._passes(check, imprecise, budget):
            return ()

        # First the steps that are at fault themselves. A step that was carried is usually right
        # once those are.
        likely, all_of_them = frozenset(self._at_fault & earlier), frozenset(self._broken & earlier)
        doubtful = all_of_them | (self._doubtful & earlier)
        for broken in dict.fromkeys((likely, all_of_them, doubtful)):
            called = self._passes(check, broken | imprecise, budget) if broken else set()
            if called:
                return self._needed(check, called & broken, broken | imprecise, budget)

        # An earlier cell has replaced a step, perhaps a right one. If the asked step has done so in
        # its own cell, that is its own fault.
        own_or_later = self._compiled.exercise.steps[place:]
        taken = {one.step for one in self._defined_again if one.cell.id not in own_or_later}
        again = frozenset(taken & earlier)
        if again:
            called = self._passes(check, doubtful | again | imprecise, budget, again)
            if called:
                return self._in_order(called & (doubtful | again))
        if check.hidden and check.id in self._passed_by_answer(check.step, budget):
            return ()
        if likely:
            self._note_remaining(check, likely, imprecise, budget)
        return None

    def _needed(
        self, check: Check, steps: set[str], replaced: frozenset[str], budget: Budget
    ) -> tuple[str, ...]:
        """The replaced steps that a check needs for its message: the others are right in everything
        that it asks of them."""
        said = _said(self._ran[replaced, frozenset(), check.hidden][check.id].verdict)
        needed = set()
        for step in self._in_order(steps):
            others = replaced - {step}
            without = self._verdicts[check.id]
            if others:
                without = self._outcome(check, others, budget).verdict
            if _said(without) != said:
                needed.add(step)
        # Either of two may do if they compensate for each other.
        return self._in_order(needed or steps)

    def _passed_by_answer(self, step: str, budget: Budget) -> set[str]:
        """The hidden checks of a step that its answer passes, but that fail because an added cell
        has given its name to a value: ``softmax = softmax(scores)``, below the visible checks.

        Nobody gets the better of two answers: the value that took the name passes none of them.
        """
        if step not in self._by_answer:
            self._by_answer[step] = self._asked_of_answer(step, budget)
        return self._by_answer[step]

    def _asked_of_answer(self, step: str, budget: Budget) -> set[str]:
        hidden: dict[str, Verdict] = {}
        for check in self._compiled.exercise.checks_of(step):
            if check.hidden and not check.void:
                hidden[check.id] = self._verdicts[check.id]
        failed = [verdict for verdict in hidden.values() if verdict.message is not None]
        is_called_in_vain = all(verdict.raised == "TypeError" for verdict in failed)

        # Where several stand at one place the last one counts.
        taken: dict[str, DefinedAgain] = {}
        for one in self._defined_again:
            if one.step == step and one.cell.id is None:
                taken[one.cell.after] = one
        if not taken or step in self._broken_visibly or not is_called_in_vain:
            return set()

        cells: list[SubmittedCell] = []
        for cell in self._submission.cells:
            cells.append(cell)
            last = taken.get(cell.after)
            if last is not None and cell is last.cell:
                cells.append(replace(cell, source=last.answer.source))
        mended = replace(self._submission, cells=tuple(cells))

        run = Run(self._compiled, mended, budget, self._reference)
        verdicts = run.verdicts(set(hidden))
        passed = {check.id for check, verdict in verdicts if verdict.message is None}
        passed_before = {id for id, verdict in hidden.items() if verdict.message is None}
        return passed if passed_before <= passed else set()

    def _note_remaining(
        self, check: Check, broken: frozenset[str], imprecise: frozenset[str], budget: Budget
    ) -> None:
        """Keep the message of a check that fails although the steps at fault are replaced.

        Those steps have to be mended. Other failing steps are right as soon as they are.
        """
        kind: _Kind = (broken | imprecise, frozenset(), check.hidden)
        verdict, called, refused, in_time = self._ran[kind][check.id]
        steps = called & broken
        if verdict.message is None or not (steps and in_time):
            return

        message = verdict.message
        if refused and verdict.raised == "TypeError":  # of the right step, which they cannot see
            message = f"call {listed(sorted(refused))} with the arguments that the exercise names"
        if (message, verdict.hint) == _said(self._verdicts[check.id]):
            return
        needed = self._needed(check, steps, broken | imprecise, budget)
        hint = "" if refused else verdict.hint
        about = (hint, not refused, verdict.raised)
        self.remaining[check.id] = Remaining(message, needed, *about)

    def _in_order(self, steps: set[str]) -> tuple[str, ...]:
        return tuple(sorted(steps, key=self._order.__getitem__))

    def _passes(
        self,
        check: Check,
        replaced: frozenset[str],
        budget: Budget,
        again: frozenset[str] = frozenset(),
    ) -> set[str]:
        """The replaced steps that a check called, if it passes with them; else none."""
        verdict, called, refused, _ = self._outcome(check, replaced, budget, again)
        if verdict.message is None and called:
            return called
        if not refused:
            self.calls[check.id] = verdict.calls
        return set()

    def _outcome(
        self,
        check: Check,
        replaced: frozenset[str],
        budget: Budget,
        again: frozenset[str] = frozenset(),
    ) -> _Mended:
        kind = (replaced, again, check.hidden)
        if check.id not in self._ran.get(kind, {}):
            self._run(check, replaced, budget, again)
        return self._ran[kind][check.id]

    def _run(
        self, first: Check, replaced: frozenset[str], budget: Budget, again: frozenset[str]
    ) -> None:
        """Run a check with replaced steps, and those of its kind that will be asked for after it.

        A later step that fails again is usually at fault itself, and the steps after it run with
        that one replaced, too.
        """
        last = self._order[first.step]
        if replaced <= self._at_fault | self._imprecise[first.hidden]:
            last = len(self._order)

        checks = set()
        for check in self._failed():
            is_later = self._order[first.step] <= self._order[check.step] <= last
            is_of_the_kind = check.hidden == first.hidden
            if is_later and is_of_the_kind and not self._verdicts[check.id].unattempted:
                checks.add(check.id)
                # Which question a student's copy asks depends on the checks that pass as well.
                if not self._compiled.exercise.has_reference:
                    others = self._compiled.exercise.checks_of(check.step)
                    checks.update(other.id for other in others)

        run = Run(self._compiled, self._submission, budget, self._reference, replaced, again)
        for check, verdict in run.verdicts(checks):
            known = self._ran.setdefault((run.replaced, again, check.hidden), {})
            called, refused = set(run.called), set(run.refused)  # the next check clears them
            in_time = not (budget.is_over or budget.timeouts)
            known[check.id] = _Mended(verdict, called, refused, in_time)
            # If no step at fault is replaced, but only float32 ones, all checks have the same run.
            if verdict.message is not None and replaced & self._at_fault:
                run.replace(check.step)


def _said(verdict: Verdict) -> tuple[str | None, str]:
    """The message of a verdict, and its question in a student's own copy."""
    return verdict.message, verdict.hint

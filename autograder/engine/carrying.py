"""A mistake costs its marks once: a check that failed for an earlier step's sake is run with that step mended.

These runs come after all ordinary verdicts are final, each in a worker of its own that is thrown away afterwards: one
for a step's visible checks, one for its hidden ones. The reference never enters the student's worker: what is bound
there is a stub that calls back. A replaced step earns nothing for itself, for only a later step's checks are run with
it, and no worker that has heard the reference answer for a step ever serves that step's checks.
"""

from __future__ import annotations

from autograder.engine.attempt import Attempt, Bench, Verdict, apart
from autograder.engine.reference import Reference
from autograder.engine.remote import Budget, Call
from autograder.exercise import Check
from autograder.intake.submission import Submission

Carried = dict[str, tuple[str, ...]]
"""By check: the earlier steps whose replacement made it pass. None of them: it passes without a loss."""


class Carrier:
    """Finds out which failed checks of a submission pass once earlier steps are right."""

    def __init__(self, bench: Bench, submission: Submission, verdicts: dict[str, Verdict], imprecise: set[str]) -> None:
        self._bench = bench
        self._submission = submission
        self._verdicts = verdicts
        self._imprecise = imprecise
        checks = bench.exercise.checks
        self._broken = {check.step for check in checks if verdicts[check.id].message is not None}
        self._reference = Reference(bench.exercise, bench.parent, bench.settings)
        self._at_fault: set[str] = set()
        self.calls: dict[str, tuple[Call, ...]] = {}
        """Calls of steps at fault, made while earlier steps were mended: what is wrong there is theirs alone."""
        self._order = {step: place for place, step in enumerate(bench.exercise.steps)}
        self.unattempted = {
            step
            for step in self._broken
            if all(verdicts[check.id].unattempted for check in checks if check.step == step)
        }

    def carried(self, budget: Budget) -> Carried:
        """Every failed check that passes with earlier steps replaced."""
        if not self._bench.exercise.has_reference:
            return {}
        with self._reference:
            return self._found(budget)

    def _found(self, budget: Budget) -> Carried:
        found: Carried = {}
        for step in self._order:
            failed = [
                check
                for check in self._bench.exercise.checks
                if check.step == step and self._verdicts[check.id].message is not None
            ]
            tried = [check for check in failed if not self._verdicts[check.id].unattempted]
            for checks in apart(tried):
                found.update(self._mended(step, checks, budget))
            if any(check.id not in found for check in failed):
                self._at_fault.add(step)
        return found

    def _mended(self, step: str, checks: list[Check], budget: Budget) -> Carried:
        """Those of a step's checks that pass with earlier steps replaced."""
        found: Carried = {}
        earlier = {name for name in self._order if self._order[name] < self._order[step]}
        # A float32 softmax is right by itself, and must not fail the attention that calls it.
        imprecise = (self._imprecise - self._broken) & earlier
        if imprecise:
            found.update(dict.fromkeys(self._passing(checks, imprecise, budget), ()))
        # First those that are at fault themselves. A step that was carried is right once those are, as a rule.
        for broken in dict.fromkeys((frozenset(self._at_fault & earlier), frozenset(self._broken & earlier))):
            left = [check for check in checks if check.id not in found]
            if broken and left:
                for id, called in self._passing(left, {*broken, *imprecise}, budget).items():
                    found[id] = tuple(name for name in self._order if name in called and name in broken)
        return found

    def _passing(self, checks: list[Check], replaced: set[str], budget: Budget) -> dict[str, set[str]]:
        """Of these checks, those that pass with steps replaced, and which of these steps each of them called."""
        passing: dict[str, set[str]] = {}
        attempt = Attempt(self._bench, self._submission, budget, frozenset(replaced), reference=self._reference)
        for check, verdict in attempt.verdicts(checks):
            if verdict.message is None and attempt.called:
                passing[check.id] = set(attempt.called)
            else:
                self.calls[check.id] = verdict.calls
        return passing

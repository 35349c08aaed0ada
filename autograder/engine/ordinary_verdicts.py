"""The ordinary verdicts of a submission: every check asked of what was handed in, none replaced."""

from __future__ import annotations

from dataclasses import dataclass

from autograder.engine.budget import Budget
from autograder.engine.compiled_exercise import CompiledExercise
from autograder.engine.reference import Reference
from autograder.engine.run import Run
from autograder.engine.verdict import Verdict, of_unwritten_steps
from autograder.submissions.submission import Submission


@dataclass(frozen=True)
class OrdinaryVerdicts:
    """Every check's verdict, by its id, and what was seen beside.

    ``imprecise``: by whether hidden checks may know, the steps that returned less than float64.
    ``unended``: the cells that did not end, in words.
    """

    verdicts: dict[str, Verdict]
    imprecise: dict[bool, frozenset[str]]
    unended: list[str]


def ordinary_verdicts(
    compiled: CompiledExercise, submission: Submission, budget: Budget, reference: Reference
) -> OrdinaryVerdicts:
    """Ask every check of a submission: the visible ones first, the hidden ones of another worker.

    What is said of a visible check may be read before anything may be known of hidden ones. So it
    comes from a worker that has heard none of their inputs, and in whose time they have no share.
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
            # How cells end may tell of hidden inputs, too.
            unended = run.unended if unended is None else unended
        imprecise[are_hidden] = returned

    settled = of_unwritten_steps(compiled.exercise, verdicts)
    return OrdinaryVerdicts(settled, imprecise, unended or [])

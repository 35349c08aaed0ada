"""The ordinary verdicts of a submission: every check asked of what was handed in, none replaced."""

from __future__ import annotations

from dataclasses import dataclass

from autograder.engine.budget import Budget
from autograder.engine.compiled_exercise import CompiledExercise
from autograder.engine.reference import Reference
from autograder.engine.run import Run
from autograder.engine.verdict import Verdict, of_unwritten_steps
from autograder.submissions.submission import Submission

QUICK = 0.1
"""Share of a submission's time after which each kind of check gets a worker of its own."""


@dataclass(frozen=True)
class OrdinaryVerdicts:
    """Every check's verdict, by its id, and what was seen beside.

    ``imprecise`` are the steps that returned less than float64, ``unended`` the cells that did not
    end, in words.
    """

    verdicts: dict[str, Verdict]
    imprecise: set[str]
    unended: list[str]


def ordinary_verdicts(
    compiled: CompiledExercise, submission: Submission, budget: Budget, reference: Reference
) -> OrdinaryVerdicts:
    """Ask every check of a submission.

    What a visible check says of a failure may quote student code, so it comes of a worker that has
    seen no input of a hidden check. Most submissions fail no visible check and are quick, and one
    worker serves them.
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

    # Without hidden ones nothing is run again.
    quick = budget.part(QUICK) if hidden else budget
    run = Run(compiled, submission, quick, reference)
    wanted: set[str] = hidden | visible
    again: list[set[str]] = []

    for check, verdict in run.verdicts(wanted):
        verdicts[check.id] = verdict
        if hidden and not check.hidden and verdict.message is not None:
            wanted -= visible
            again = [visible]
        # What is slow for hidden inputs costs no visible check its turn.
        if hidden and (quick.timeouts or quick.is_over or run.unended):
            again = [visible, hidden]
            break

    imprecise, unended = set(run.imprecise), [] if hidden else run.unended
    for kind in again:
        run = Run(compiled, submission, budget, reference)
        for check, verdict in run.verdicts(kind):
            verdicts[check.id] = verdict
        imprecise |= run.imprecise
        if kind is visible:  # a cell that has heard hidden inputs might tell of them
            unended = run.unended

    settled = of_unwritten_steps(compiled.exercise, verdicts)
    return OrdinaryVerdicts(settled, imprecise, unended)

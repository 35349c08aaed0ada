"""What a student should do next: the steps to mend, in the order of the notebook."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from autograder.base.result import Result, StepResult
from autograder.base.text import once_right
from autograder.exercises.exercise import Exercise

FIRST = 3
"""So many steps to mend are explained at the top; the others are named."""

LONGEST = 160
"""Characters of a reason."""


@dataclass(frozen=True)
class Mend:
    """A step to mend: why, and how many points it may give."""

    name: str
    gain: float
    reason: str


@dataclass(frozen=True)
class Next:
    """``later`` and ``carried`` are names of steps; in the latter there is nothing to mend."""

    first: list[Mend]
    later: list[str]
    carried: list[str]


def to_mend(steps: Iterable[StepResult]) -> list[StepResult]:
    """The steps with a mistake of their own: mending one may mend those after it."""
    return [step for step in steps if step.failed]


def next_steps(result: Result, exercise: Exercise) -> Next:
    """By what the student may see of the result."""
    steps = to_mend(result.steps)
    first = []
    for step in steps[:FIRST]:
        gain = step.max_score - step.score
        first.append(Mend(step.name, gain, _reason(step, exercise)))

    carried = []
    for step in result.steps:
        if _is_carried(step) and step not in steps:
            carried.append(step.name)

    return Next(first, [step.name for step in steps[FIRST:]], carried)


def _is_carried(step: StepResult) -> bool:
    return any(check.status == "carried" for check in step.checks)


def _reason(step: StepResult, exercise: Exercise) -> str:
    """The shortest thing that helps: the question, else what the first check that failed says.

    That is what is wrong in the step itself, where its checks say first what an earlier one does.
    """
    for check in step.failed:
        if check.hint and check.remaining:
            return once_right(check.remaining_with, check.hint)
        if check.hint:
            return check.hint

    for check in step.failed:
        message = check.message
        if check.remaining:
            message = once_right(check.remaining_with, check.remaining)
        if message:
            line = message.strip().split("\n")[0]
            return line if len(line) <= LONGEST else f"{line[:LONGEST]} …"

    first = step.failed[0]
    sentences = {check.id: check.sentence for check in exercise.checks}
    return f"Does not hold yet: {sentences.get(step.id_of(first)) or first.name}"

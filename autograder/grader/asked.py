"""Ignores the steps of a result that are newer than the notebook its student got."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from autograder.base.result import CheckResult, Result, StepResult
from autograder.base.text import agreeing, listed

NOT_ASKED = "was not in the notebook that was handed out, and counts as much as the other steps"
"""The message of a check of such a step."""


def as_asked(result: Result, handed_out: Collection[str] | None) -> Result:
    """The result in which steps that were not handed out count neither for nor against anybody.

    Their checks earn the same share of their points as all others together. A step that was
    answered all the same keeps its own points if they are more.

    Args:
        handed_out: the steps that were handed out; None if unknown: then all count.
    """
    if handed_out is None:
        return result
    asked = [step for step in result.steps if step.name in handed_out]
    most = sum(step.max_score for step in asked)
    if not most:
        return result

    share = sum(step.score for step in asked) / most
    steps: list[StepResult] = []
    newer: list[str] = []
    for step in result.steps:
        is_worse = step.is_unattempted or step.score < round(share * step.max_score, 9)
        if step.name not in handed_out and is_worse:
            newer.append(step.name)
            step = StepResult(step.name, tuple(_not_asked(check, share) for check in step.checks))
        steps.append(step)
    if not newer:
        return result

    be, count = agreeing(len(newer), "was", "were"), agreeing(len(newer), "counts", "count")
    said = f"{listed(newer)} {be} not in the notebook that was handed out, and {count} as much as "
    # Nobody need be told that their cells are missing.
    missing = tuple(f"the cell of {step} is missing;" for step in newer)
    told = [warning for warning in result.warnings if not warning.startswith(missing)]
    return replace(result, steps=tuple(steps), warnings=(*told, f"{said}the other steps"))


def _not_asked(check: CheckResult, share: float) -> CheckResult:
    return CheckResult(
        check.name,
        check.category,
        check.points,
        min(round(share * check.points, 2), check.points),
        check.hidden,
        "passed",
        NOT_ASKED,
        not_asked=True,
    )

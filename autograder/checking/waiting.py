"""Finds the steps of a student's copy that wait for earlier ones, and the points to gain."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

from autograder.base.result import Result
from autograder.base.text import agreeing, listed, number, points_of
from autograder.checking.student_copy import StudentCopy

Waits = Mapping[str, tuple[str, ...]]
"""By step, the earlier steps to fix first."""


def waits(copy: StudentCopy, result: Result) -> Waits:
    """The steps whose failing checks all fail because of earlier steps."""
    gone = {check.id for check in copy.missing}
    found: dict[str, tuple[str, ...]] = {}
    steps = {step.name for step in result.steps}

    for step in result.steps:
        run = [check for check in step.failed if step.id_of(check) not in gone]
        if not run or len(run) < len(step.failed):
            continue

        # A missing function of an earlier exercise is not a step here, and the check itself reports
        # it.
        if all(check.with_reference and steps.issuperset(check.with_reference) for check in run):
            # A step that itself waits for another is usually right once that one is.
            first: dict[str, None] = {}
            for name in chain.from_iterable(check.with_reference for check in run):
                first.update(dict.fromkeys(found.get(name, (name,))))
            found[step.name] = tuple(first)
    return found


def points_so_far(result: Result, found: Waits) -> str:
    """The points of the visible checks, and the points to gain once others are right."""
    line = points_of(result.score or 0.0, result.max_score)
    roots = set(chain.from_iterable(found.values()))
    if not roots:
        return line

    first = [step for step in result.steps if step.name in roots]
    more = sum(step.max_score - step.score for step in result.steps if step.name in found)
    more += sum(step.max_score - step.score for step in first)
    be = agreeing(len(first), "is", "are")
    done = "right" if any(step.is_unattempted for step in first) else "fixed"
    if all(step.is_unattempted for step in first):
        done = "written"
    names = listed(step.name for step in first)
    return f"{line}, and up to {number(more)} more when {names} {be} {done}"

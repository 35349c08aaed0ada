"""What a student may see of a result: the setting ``feedback.hidden``, applied in this one place."""

from __future__ import annotations

from dataclasses import replace

from autograder.course import DISCLOSURES
from autograder.result import CheckResult, Result


def as_student_sees(result: Result, hidden: str) -> Result:
    """The result, with as much of its hidden checks as ``feedback.hidden`` shows to students.

    ``message``: everything. ``points``: hidden checks keep name, category, points and verdict, and lose message,
    hint, misconception and line. ``never``: hidden checks are gone, and steps that have no other with them.

    The sums of what comes back, ``score`` included, are those of the checks that are left in it, so with ``never``
    no step and no category tells what its hidden checks gave. What a student is graded with is the total of the
    result that went in (or the gradebook's): it may always be told, and says only what they gave all together.
    """
    if hidden not in DISCLOSURES:
        raise ValueError(f"{hidden!r} is none of {', '.join(DISCLOSURES)}")
    if hidden == "message":
        return result
    if hidden == "points":
        return replace(
            result, steps=tuple(replace(step, checks=tuple(map(_points_only, step.checks))) for step in result.steps)
        )
    steps = (replace(step, checks=tuple(check for check in step.checks if not check.hidden)) for step in result.steps)
    return replace(result, steps=tuple(step for step in steps if step.checks))


def _points_only(check: CheckResult) -> CheckResult:
    if not check.hidden:
        return check
    return replace(check, message="", hint=None, misconception=None, cell="", line=0)

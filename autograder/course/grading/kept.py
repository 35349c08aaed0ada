"""Points that a submission keeps from an earlier grading of the same file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from autograder.base.result import Result
from autograder.base.text import points


def with_kept(
    old: Result | None, new: Result, former: Mapping[str, str], never_lower: bool
) -> Result:
    """The new result, in which no check earns less than it has to keep.

    What was kept once stays, whoever grades next, until the student hands in another file.

    Args:
        old: the result that is stored; None without one.
        former: the present ids of checks by those of before.
        never_lower: keep the points of all checks, not only those that were kept already.
    """
    if old is None or (old.status, new.status) != ("graded", "graded"):
        return new
    if old.submission_sha256 != new.submission_sha256:
        return new

    before = {former.get(id, id): check for id, check in old.by_id.items()}
    total = 0.0
    steps = []
    for step in new.steps:
        checks = []
        for check in step.checks:
            was = before.get(step.id_of(check))
            if was is not None and (never_lower or was.kept):
                kept = round(min(was.earned, check.points) - check.earned, 9)
                if kept > 0:
                    total += kept
                    check = replace(check, earned=round(check.earned + kept, 9), kept=kept)
            checks.append(check)
        steps.append(replace(step, checks=tuple(checks)))

    if not total:
        return new
    said = f"{points(total)} of the score were earned by an earlier version of the checks, and kept"
    return replace(new, steps=tuple(steps), warnings=(*new.warnings, said))

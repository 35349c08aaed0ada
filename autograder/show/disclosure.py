"""What a student may see of a result: the setting ``feedback.hidden``, applied in this one place.

A visible check reveals hidden ones, too: it is *carried* exactly if an earlier step failed some
check, and it has a hint if a known mistake gives the same answers to hidden calls. A student could
write a wrong last step on purpose to learn the hidden verdicts of all others. So if hidden verdicts
are not shown, visible checks are shown ``by_itself``.
"""

from __future__ import annotations

from dataclasses import replace

from autograder.base.result import CheckResult, Result
from autograder.base.settings import DISCLOSURES


def as_student_sees(result: Result, hidden: str) -> Result:
    """The result, with as much of its hidden checks as ``feedback.hidden`` shows to students.

    ``message``: everything.

    ``points``: hidden checks keep name, category, points and verdict, and lose message, hint,
    misconception, relation, line, and their message once earlier steps are right. A step in which
    only hidden checks fail loses the line to look at. Visible checks do not change: why they are
    carried, and which steps were replaced, follows from the verdicts that are shown, and a hint
    confirmed by hidden calls tells less about these than a verdict does.

    ``never``: hidden checks are removed, with steps that have no other; visible checks are shown
    ``by_itself``.

    All sums in the returned result, including ``score``, are those of its remaining checks. So with
    ``never`` no step and no category reveals the points of its hidden checks. The student's grade
    is the total of the original result (or the gradebook's). It may always be shown, and reveals
    only the sum over all hidden checks.
    """
    if hidden not in DISCLOSURES:
        raise ValueError(f"{hidden!r} is none of {', '.join(DISCLOSURES)}")
    if hidden == "message":
        return result
    if hidden == "never":
        return visible(result)

    steps = []
    for step in result.steps:
        shown = replace(step, checks=tuple(map(_points_only, step.checks)))
        # A mistake that only hidden checks found is not shown either.
        is_seen = any(check.has_failed and not check.hidden for check in shown.checks)
        steps.append(shown if is_seen else replace(shown, place=None))
    return replace(result, steps=tuple(steps))


def visible(result: Result) -> Result:
    """The visible checks alone, each by itself.

    This much may be shown before hidden verdicts, any number of times. Without hidden checks the
    result is unchanged.
    """
    if not any(check.hidden for check in result.checks):
        return result

    steps = []
    for step in result.steps:
        # The points of a step that was not handed out depend on all other checks, including hidden
        # ones.
        own = [check for check in step.checks if not (check.hidden or check.not_asked)]
        checks = tuple(map(by_itself, own))
        if checks:
            steps.append(replace(step, checks=checks, place=None))
    return replace(result, steps=tuple(steps))


def by_itself(check: CheckResult) -> CheckResult:
    """A visible check without anything that is known only from hidden checks.

    A carried check becomes a failed one, with the message of its own run. It has no hint, no name
    of a mistake, and no message for when earlier steps are right: only hidden checks may show that
    these are wrong.
    """
    if check.status == "carried":
        check = replace(
            check,
            status="failed",
            earned=0.0,
            message=check.unmended,
            unmended="",
            with_reference=(),
        )
    elif check.not_asked:
        check = replace(check, earned=0.0)
    return replace(
        check, hint=None, misconception=None, relation=None, remaining="", remaining_with=()
    )


def _points_only(check: CheckResult) -> CheckResult:
    if not check.hidden:
        return check
    return replace(
        check,
        message="",
        unmended="",
        hint=None,
        misconception=None,
        relation=None,
        cell="",
        line=0,
        remaining="",
        remaining_with=(),
    )

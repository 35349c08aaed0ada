"""What a student may see of a result: the setting ``feedback.hidden``, applied in this one place.

A visible check tells of hidden ones, too: it is *carried* exactly if an earlier step failed some
check, and its hint is there if a known mistake gives the same answers to hidden calls. Whoever
writes a last step that is wrong on purpose reads the hidden verdicts of all others from it. So
where these are not told, visible checks are shown ``by_itself``.
"""

from __future__ import annotations

from dataclasses import replace

from autograder.base.result import CheckResult, Result
from autograder.base.settings import DISCLOSURES


def as_student_sees(result: Result, hidden: str) -> Result:
    """The result, with as much of its hidden checks as ``feedback.hidden`` shows to students.

    ``message``: everything.

    ``points``: hidden checks keep name, category, points and verdict, and lose message, hint,
    misconception, relation and line, and what they say once earlier steps are right. A step of
    which only hidden checks fail loses the place to look at. Visible ones
    stay as they are: why they are carried, and which steps were replaced, follows from the verdicts
    that are shown, and a hint that hidden calls have confirmed says less about these than a verdict
    does.

    ``never``: hidden checks are gone, and steps that have no other with them; visible checks are
    shown ``by_itself``.

    The sums of what comes back, ``score`` included, are those of the checks that are left in it, so
    with ``never`` no step and no category tells what its hidden checks gave, nor what was carried
    for their sake. What a student is graded with is the total of the result that went in (or the
    gradebook's): it may always be told, and says only what they gave all together.
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
        # What only hidden checks have shown to be wrong is theirs to say.
        is_seen = any(check.has_failed and not check.hidden for check in shown.checks)
        steps.append(shown if is_seen else replace(shown, place=None))
    return replace(result, steps=tuple(steps))


def visible(result: Result) -> Result:
    """The visible checks alone, each by itself.

    This much may be told before hidden verdicts are, again and again. Where none is hidden there
    is nothing to keep back.
    """
    if not any(check.hidden for check in result.checks):
        return result

    steps = []
    for step in result.steps:
        # What a step earns that was not asked follows from all others, hidden checks included.
        own = [check for check in step.checks if not (check.hidden or check.not_asked)]
        checks = tuple(map(by_itself, own))
        if checks:
            steps.append(replace(step, checks=checks, place=None))
    return replace(result, steps=tuple(steps))


def by_itself(check: CheckResult) -> CheckResult:
    """A visible check without what is only known because hidden ones were run, too.

    What was carried has failed, with the message of its own run; hints and the names of known
    mistakes are gone. So is what it says once earlier steps are right: that these are wrong may be
    known from hidden checks alone.
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

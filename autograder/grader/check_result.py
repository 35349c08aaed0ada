"""The result of a check, from what its runs have said."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from autograder.base.result import CheckResult, CheckStatus
from autograder.base.text import listed
from autograder.diagnosis.diagnosis import Diagnosis
from autograder.engine.verdict import Remaining, Verdict
from autograder.exercises.exercise import Check

PURITY = "purity"
"""The category of checks that look at their arguments afterwards."""

ENOUGH_RIGHT = 0.25
"""The share of a step's other points that are earned where wrong answers cost none for purity."""

MESSAGE_CHARACTERS = 2_000
"""Characters of a message at most."""


def check_result(
    check: Check,
    verdict: Verdict,
    mended: tuple[str, ...] | None,
    share: float,
    diagnosis: Diagnosis | None,
    remaining: Remaining | None,
) -> CheckResult:
    """The result of a check.

    Args:
        mended: the steps that have to be right for it to pass; empty if it passes but for the
            precision of an earlier one, or for a value that has taken its step's name; None
            if it does not pass at all.
        share: what it earns of its points where steps had to be mended.
        remaining: what it says where it fails with earlier steps mended, too; None where that is
            nothing else, or not known.
    """
    status: CheckStatus = "passed"
    earned, message, unmended = check.points, "", ""
    has_failed = verdict.message is not None and mended is None
    if has_failed:
        status = "unattempted" if verdict.unattempted else "failed"
        earned, message = 0.0, verdict.message or ""
    elif mended:
        be = "is" if len(mended) == 1 else "are"
        status, earned = "carried", check.points * share
        unmended = printable(verdict.message or "")
        message = f"passes once {' and '.join(mended)} {be} right; now: {unmended}"

    hint = diagnosis.hint if diagnosis else printable(verdict.hint) or None
    return CheckResult(
        name=check.name,
        category=check.category,
        points=check.points,
        earned=earned,
        hidden=check.hidden,
        status=status,
        message=printable(message),
        hint=hint if has_failed else None,
        misconception=diagnosis.misconception if diagnosis and has_failed else None,
        relation=diagnosis.relation if diagnosis and has_failed else None,
        with_reference=mended or (),
        cell=verdict.place[0] if has_failed else "",
        line=verdict.place[1] if has_failed else 0,
        unmended=unmended,
        void=check.void,
        remaining=printable(remaining.message) if remaining else "",
        remaining_with=remaining.steps if remaining else (),
    )


def purity_apart(
    checks: Sequence[CheckResult], changing_nothing: Collection[str]
) -> Iterator[CheckResult]:
    """The results of a step's checks, where a check of unchanged inputs looks at these alone.

    Wrong answers cost nothing there if they have cost points before, and if enough of the others is
    right: who returns just anything, and changes nothing, has not shown much.

    Args:
        changing_nothing: the names of checks in which nothing was changed, though they fail.
    """
    others = [check for check in checks if check.category != PURITY and not check.void]
    worth = sum(check.points for check in others)
    right = sum(check.points for check in others if not check.has_failed)
    is_judged = worth > right >= worth * ENOUGH_RIGHT
    for check in checks:
        if is_judged and check.has_failed and check.name in changing_nothing:
            yield CheckResult(
                check.name, check.category, check.points, check.points, check.hidden, "passed"
            )
        else:
            yield check


def of_own_copy(
    check: Check,
    verdict: Verdict,
    mended: tuple[str, ...] | None,
    diagnosis: Diagnosis | None,
    remaining: Remaining | None,
) -> CheckResult:
    """The same in a student's own copy, where a check that an earlier step fails earns nothing, and
    names that step in ``with_reference``: it waits for it."""
    waits_for = mended or ((verdict.waits,) if verdict.waits else ())
    hint = verdict.hint
    if remaining is not None and not waits_for:
        hint = remaining.hint or hint
        if remaining.is_sure and not remaining.hint:
            waits_for = remaining.steps
        elif not hint:
            hint = f"Perhaps first fix {listed(remaining.steps)}."
    if waits_for:
        diagnosis, hint = None, ""
    result = check_result(check, replace(verdict, hint=hint), None, 1.0, diagnosis, None)
    return replace(result, with_reference=waits_for if result.status == "failed" else ())


def printable(message: str) -> str:
    """Text that any terminal and page can show: of a sane length, control characters as codes."""
    shown = "".join(map(_shown, message))
    return shown if len(shown) <= MESSAGE_CHARACTERS else shown[:MESSAGE_CHARACTERS] + " …"


def _shown(c: str) -> str:
    return c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode()

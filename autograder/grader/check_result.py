"""The result of a check, from the verdicts of its runs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from autograder.base.result import CheckResult, CheckStatus
from autograder.base.text import listed
from autograder.diagnosis.diagnosis import Diagnosis
from autograder.engine.verdict import Remaining, Verdict
from autograder.exercises.exercise import Check

PURITY = "purity"
"""The category of checks that arguments are unchanged."""

ENOUGH_RIGHT = 0.25
"""The share of a step's other points to earn before wrong answers cost none for purity."""

MESSAGE_CHARACTERS = 2_000
"""The most characters of a message."""


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
        mended: the steps that have to be right for it to pass; empty if only the precision of an
            earlier step, or a value bound to its step's name, makes it fail; None if it does not
            pass at all.
        share: the share of its points that it earns if steps had to be mended.
        remaining: its message if it also fails with earlier steps mended; None if that is the same,
            or unknown.
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
    """The results of a step's checks, with checks of unchanged inputs judged by these alone.

    A wrong answer costs nothing there if it has cost points elsewhere, and if enough of the other
    checks pass: a function that returns anything, and changes nothing, earns nothing.

    Args:
        changing_nothing: the names of checks that fail although nothing was changed.
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
    """The same in a student's own copy: a check that fails because of an earlier step earns
    nothing, and names the step that it waits for in ``with_reference``."""
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
    """Text that any terminal and page can show: of limited length, with control characters
    escaped."""
    shown = "".join(map(_shown, message))
    return shown if len(shown) <= MESSAGE_CHARACTERS else shown[:MESSAGE_CHARACTERS] + " …"


def _shown(c: str) -> str:
    return c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode()

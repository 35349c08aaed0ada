"""One submission on the terminal: its steps, the messages of their checks, and what to do next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from textwrap import wrap
from typing import Any

from rich.console import Console
from rich.text import Text

from autograder.base.result import CheckResult, Result, StepResult, worst
from autograder.base.text import agreeing, count, listed, number, once_right, points_of, shown
from autograder.show.terminal import look
from autograder.show.terminal.console import PROSE, quote, say

Waits = Mapping[str, tuple[str, ...]]
"""By step, the earlier steps that it waits for."""

NOTHING: Waits = {}

MARGIN = "      "
"""The indentation of text about a check."""

MARKS = {
    "passed": ("✓", "green"),
    "carried": ("→", "yellow"),
    "failed": ("✗", "red"),
    "not_run": ("?", "magenta"),
    "unattempted": ("·", "dim"),
    "waiting": ("→", "yellow"),
}
"""A mark and its colour, by the status of a check or step."""

SAYS = {
    "failed": ("fails", "fail"),
    "unattempted": ("fails", "fail"),
    "carried": ("carried", "carried"),
    "not_run": ("not run", "not run"),
}
"""The verb for one check, and for several."""


def show(
    screen: Console, result: Result, waits: Waits = NOTHING, reasons: bool = True, hints: int = 1
) -> None:
    """Every step with its points, and below it why checks did not pass.

    Args:
        waits: the steps that a step waits for. The messages of its checks are then left out.
        reasons: whether to show the reasons.
        hints: how many levels of hints to show, as in ``looked_at``.
    """
    name_width = score_width = most_width = 0
    for step in result.steps:
        name_width = max(name_width, len(step.name))
        score_width = max(score_width, len(number(step.score)))
        most_width = max(most_width, len(number(step.max_score)))

    # The long form for all or for none, because people compare lines below each other.
    room = screen.width - name_width - score_width - most_width - 9
    long = all(len(_verdict(step, waits, long=True)) <= room for step in result.steps)

    for step in result.steps:
        points = f"{number(step.score):>{score_width}} / {number(step.max_score):>{most_width}}"
        row = f" {step.name:<{name_width}}  {points}  {_verdict(step, waits, long)}"
        screen.print(Text.assemble(MARKS[_status(step, waits)], row))
        if not reasons or step.is_unattempted or step.name in waits:
            continue
        if step.look:
            looked_at(screen, step, hints=hints)
        else:
            details(screen, step.not_passed)
    for warning in result.warnings if reasons else ():
        quote(screen, warning, "note: ", "")


def next_for_student(screen: Console, result: Result) -> None:
    """The one thing to do now."""
    step = next_step(result)
    if step is None:
        repeat = "restart the kernel, run everything again, save, and hand in"
        say(screen, f"All visible checks pass: {repeat}.")
    elif all(step.is_unattempted for step in result.steps):
        then = "run the checks below it, save, and check again"
        say(screen, f"A fresh start. Write {step.name} first, {then}.")
    elif step.is_unattempted:
        say(screen, f"Next: write {step.name}.")
    elif step.not_passed[0].message.startswith(f"{step.name} is not defined"):
        say(screen, f"Next: fix the cell of {step.name}.")
    else:
        say(screen, f"Next: look at {step.not_passed[0].name} of {step.name}.")


def next_step(result: Result) -> StepResult | None:
    """The first step with a check that does not pass."""
    return next((step for step in result.steps if not step.passed), None)


def total(screen: Console, result: Result) -> None:
    """Points by category, and all of them."""
    parts = []
    for name, sums in result.categories.items():
        part = f"{shown(name)} {number(sums['score'])}/{number(sums['max_score'])}"
        # A category is not broken over two lines.
        parts.append(part.replace(" ", "\N{NO-BREAK SPACE}"))

    line = " · ".join(parts)
    width = min(screen.width, PROSE) if screen.is_terminal else screen.width
    for piece in wrap(line, width, break_on_hyphens=False):
        screen.print(Text(piece.replace("\N{NO-BREAK SPACE}", " ")))
    earned = points_of(result.score or 0.0, result.max_score)
    say(screen, f"{earned}, at isolation level {result.isolation}")


def looked_at(
    screen: Console, step: StepResult, checks: list[CheckResult] | None = None, hints: int = 1
) -> None:
    """The messages of a step's checks in a student's own copy; the first failing one with its
    prints, what is wrong, and one question.

    Args:
        checks: the checks to show; by default, all that do not pass.
        hints: how many levels of hints: the question, where to look, and nearly the line.
    """
    groups: dict[str, list[CheckResult]] = {}
    for check in step.not_passed if checks is None else checks:
        groups.setdefault(look.said(step, check), []).append(check)
    for said, same in groups.items():
        _says(screen, same, said)
        if step.look is None or step.look.check not in [check.name for check in same]:
            continue
        width = min(screen.width, PROSE) - len(MARGIN)
        for line in look.lines(step.look, width):
            screen.print(Text(MARGIN + line))
        for hint in filter(None, look.hints(step)[:hints]):
            quote(screen, hint, "hint: ", MARGIN)


def _says(screen: Console, same: list[CheckResult], said: str) -> None:
    """The message of checks that share it."""
    first = same[0]
    names = listed(check.name for check in same)
    hidden = " (hidden)" if first.hidden else ""
    verb = agreeing(len(same), *SAYS[first.status])
    head = Text.assemble(MARKS[first.status], f" {names}{hidden} {verb}: ")
    quote(screen, said, head, "    ")


def details(screen: Console, checks: list[CheckResult]) -> None:
    """The messages of checks without repeats; the hints that several share come last."""
    groups = alike(checks)
    asked = Counter(chain.from_iterable(map(hints_of, groups)))
    for same in groups:
        _says(screen, same, same[0].said)
        for line in _remaining(same):
            quote(screen, line, "", "      ")
        for hint in hints_of(same):
            if asked[hint] == 1:
                quote(screen, hint, "hint: ", "      ")

    for hint, often in asked.items():
        if often > 1:
            quote(screen, hint, "hint: ", "    ")


def _status(step: StepResult, waits: Waits) -> str:
    if step.name in waits:
        return "waiting"
    if step.is_unattempted:
        return "unattempted"
    return worst(step.checks)


def _verdict(step: StepResult, waits: Waits, long: bool) -> str:
    checks = count(len(step.checks), "check")
    if step.name in waits:
        return f"waits for {listed(waits[step.name])}"
    if step.is_unattempted:
        written = "answered" if step.is_question else "written"
        return f"not {written} yet ({checks})" if long else f"not {written} yet"
    if step.passed:
        return f"{checks} passed" if long else "passed"

    passed = len(step.checks) - len(step.not_passed)
    more = f", {len(step.carried)} carried" if step.carried else ""
    return f"{passed} of {checks} passed{more}" if long else f"{passed} of {len(step.checks)}{more}"


def alike(checks: Iterable[CheckResult]) -> list[list[CheckResult]]:
    """The checks in groups with the same message: a misspelt name fails all checks of its step."""
    groups: dict[tuple[Any, ...], list[CheckResult]] = {}
    for check in checks:
        groups.setdefault((check.status, check.hidden, check.said), []).append(check)
    return list(groups.values())


def hints_of(checks: Iterable[CheckResult]) -> list[str]:
    """The questions about some checks, without repeats."""
    return list(dict.fromkeys(check.hint for check in checks if check.hint))


def _remaining(checks: Iterable[CheckResult]) -> Iterator[str]:
    """The messages of such checks once earlier steps are right; with names if they differ."""
    groups: dict[tuple[tuple[str, ...], str], list[str]] = {}
    for check in checks:
        groups.setdefault((check.remaining_with, check.remaining), []).append(check.name)
    for (steps, remaining), names in groups.items():
        whose = f"{listed(names)}, " if len(groups) > 1 else ""
        if remaining:
            yield whose + once_right(steps, remaining)

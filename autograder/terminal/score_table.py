"""One submission on the terminal: every step at a glance, what its checks have to say, and what to
do next."""

from __future__ import annotations

from textwrap import wrap

from rich.console import Console
from rich.text import Text

from autograder.result import CheckResult, Result, StepResult, alike, shown, worst
from autograder.terminal.console import PROSE, quote, say
from autograder.text import count, listed

MARKS = {
    "passed": ("✓", "green"),
    "carried": ("→", "yellow"),
    "failed": ("✗", "red"),
    "not_run": ("?", "magenta"),
    "unattempted": ("·", "dim"),
}
# Of one check, and of several.
SAYS = {
    "failed": ("fails", "fail"),
    "unattempted": ("fails", "fail"),
    "carried": ("carried", "carried"),
    "not_run": ("not run", "not run"),
}


def show(screen: Console, result: Result) -> None:
    """Every step with its points; below it the checks that did not pass, with their message and
    hint."""
    names = max(len(step.name) for step in result.steps)
    score = max(len(f"{step.score:g}") for step in result.steps)
    most = max(len(f"{step.max_score:g}") for step in result.steps)
    # The long form for all of them or for none: what stands one below the other is compared.
    room = screen.width - names - score - most - 9
    long = all(len(_verdict(step, long=True)) <= room for step in result.steps)
    for step in result.steps:
        mark, colour = MARKS[_status(step)]
        points = f"{step.score:>{score}g} / {step.max_score:>{most}g}"
        row = f" {step.name:<{names}}  {points}  {_verdict(step, long)}"
        screen.print(Text.assemble((mark, colour), row))
        if not step.is_unattempted:
            _details(screen, [check for check in step.checks if check.status != "passed"])
    for warning in result.warnings:
        quote(screen, warning, "note: ", "")


def next_for_student(screen: Console, result: Result) -> None:
    """The points of the visible checks, and the one thing to do now."""
    say(screen, _points_of_all(result))
    step = next((step for step in result.steps if not step.passed), None)
    if step is None:
        say(
            screen,
            "All visible checks pass: restart the kernel, run everything once more, save, and hand in.",
        )
    elif all(step.is_unattempted for step in result.steps):
        say(
            screen,
            f"A fresh start. Write {step.name} first, run the checks below it, save, and check again.",
        )
    elif step.is_unattempted:
        say(screen, f"Next: write {step.name}.")
    else:
        check = next(check for check in step.checks if check.status != "passed")
        say(screen, f"Next: look at {check.name} of {step.name}.")


def total(screen: Console, result: Result) -> None:
    """Points by category, and all of them."""
    parts = [
        f"{shown(name)} {part['score']:g}/{part['max_score']:g}"
        for name, part in result.categories.items()
    ]
    # A category does not break over two lines.
    line = " · ".join(part.replace(" ", "\N{NO-BREAK SPACE}") for part in parts)
    width = min(screen.width, PROSE) if screen.is_terminal else screen.width
    for piece in wrap(line, width, break_on_hyphens=False):
        screen.print(Text(piece.replace("\N{NO-BREAK SPACE}", " ")))
    say(screen, f"{_points_of_all(result)}, at isolation level {result.isolation}")


def _points_of_all(result: Result) -> str:
    return f"{result.score:g} of {result.max_score:g} points"


def _details(screen: Console, checks: list[CheckResult]) -> None:
    """What they say, each thing once."""
    told: set[str] = set()
    for same in alike(checks):
        names = listed(check.name for check in same)
        says = f" {names}{' (hidden)' if same[0].hidden else ''} {SAYS[same[0].status][len(same) > 1]}: "
        quote(screen, same[0].message, Text.assemble(MARKS[same[0].status], says), "    ")
        for hint in dict.fromkeys(check.hint for check in same if check.hint):
            if hint not in told:
                told.add(hint)
                quote(screen, hint, "hint: ", "      ")


def _status(step: StepResult) -> str:
    if step.is_unattempted:
        return "unattempted"
    return worst(step.checks)


def _verdict(step: StepResult, long: bool) -> str:
    checks = count(len(step.checks), "check")
    if step.is_unattempted:
        return f"not written yet ({checks})" if long else "not written yet"
    passed = sum(check.status == "passed" for check in step.checks)
    if passed == len(step.checks):
        return f"{checks} passed" if long else "passed"
    carried = sum(check.status == "carried" for check in step.checks)
    more = f", {carried} carried" if carried else ""
    return f"{passed} of {checks} passed{more}" if long else f"{passed} of {len(step.checks)}{more}"

"""What a teacher should do next, from the numbers of a class: facts with an action each, the most
urgent first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from autograder.reports.students import Entry
from autograder.result import parts_of
from autograder.text import count, listed
from autograder.text import number as points

if TYPE_CHECKING:
    from autograder.reports.report import Report

WORTH_TELLING = 0.1
"""The share of the class that shares a mistake before it is worth the time of all."""

NAMED = 3
"""So many students are named in a line."""


@dataclass(frozen=True)
class Advice:
    """``about`` names what the page shows of it: a kind of concern, ``shared``, or a step or check
    by id."""

    fact: str
    action: str
    about: str


def of(report: Report) -> list[Advice]:
    """All advice; one line that says so when nothing waits."""
    found = [*_unusable(report), *_mistakes(report), *_people(report), *_checks(report)]
    return found or [
        Advice(
            "Nothing waits for you",
            "everybody was graded, and no mistake is shared by many",
            "look",
        )
    ]


def _unusable(report: Report) -> Iterator[Advice]:
    grade = f"run autograder grade {report.exercise.name}"
    if found := report.who("error"):
        yield Advice(
            f"{count(len(found), 'submission')} met a fault of the grader",
            f"{grade} again",
            "error",
        )
    if found := report.who("rejected"):
        again = f"for {'it' if len(found) == 1 else 'them'} again"
        action = f"ask {_names(found)} {again}" if len(found) <= NAMED else f"ask {again}"
        yield Advice(f"{count(len(found), 'submission')} could not be read", action, "rejected")
    if found := report.who("outdated"):
        are = "is" if len(found) == 1 else "are"
        yield Advice(f"{count(len(found), 'grade')} {are} out of date", grade, "outdated")
    if found := report.who("isolation"):
        action = f"{grade} --force where autograder doctor finds the better one"
        yield Advice(
            f"{count(len(found), 'submission')} ran at a lower isolation level", action, "isolation"
        )
    elif "process" in report.levels:
        yield Advice(
            "Student code was free to read and write files of this machine (level process)",
            f"{grade} --force where autograder doctor finds a better level",
            "glance",
        )


def _mistakes(report: Report) -> Iterator[Advice]:
    graded = len(report.graded)
    worth = [one for one in report.shared if len(one.students) >= max(2, WORTH_TELLING * graded)]
    for place, one in enumerate(worth[:2]):
        more = (
            f" ({len(worth) - 2} more such mistakes below)" if place == 1 and len(worth) > 2 else ""
        )
        fact = f"{len(one.students)} of {graded} share one mistake in {one.step}"
        yield Advice(fact, f"{one.name.replace('_', ' ')}; take it up in class{more}", "shared")
    costly = max(report.steps.values(), key=lambda item: item.lost, default=None)
    if not worth and costly is not None and costly.lost >= WORTH_TELLING * costly.points:
        lost = f"{points(costly.lost)} of {points(costly.points)} points on average"
        yield Advice(
            f"{costly.name} costs the class most, {lost}",
            "look at its checks",
            f"step-{costly.name}",
        )


def _people(report: Report) -> Iterator[Advice]:
    if found := report.who("by_hand"):
        fact = f"{count(len(found), 'submission')} {'waits' if len(found) == 1 else 'wait'} for your marks"
        yield Advice(fact, "open the formgrader with make lab", "by_hand")
    if found := report.who("missing"):
        yield Advice(
            f"{len(found)} of {len(report.students)} handed in nothing",
            f"remind {_names(found)}",
            "missing",
        )
    if found := report.who("zero"):
        verb = "has" if len(found) == 1 else "have"
        yield Advice(
            f"{count(len(found), 'student')} {verb} no points", f"talk to {_names(found)}", "zero"
        )


def _checks(report: Report) -> Iterator[Advice]:
    """Checks that may themselves be wrong."""
    # Where nobody passes anything of a step, nobody has written it yet.
    tried = {parts_of(id)[0] for id, item in report.checks.items() if item.passed or item.carried}
    nobody = [
        item
        for id, item in report.checks.items()
        if item.count > 2 and not item.passed and not item.carried and parts_of(id)[0] in tried
    ]
    for item in nobody[:1]:
        more = f" (and {len(nobody) - 1} more)" if len(nobody) > 1 else ""
        yield Advice(
            f"Nobody passes {item.name}{more}", "read that check again", f"check-{item.name}"
        )
    upside = [
        item
        for item in report.checks.values()
        if item.discrimination is not None and item.discrimination < 0
    ]
    for item in sorted(upside, key=lambda item: item.discrimination or 0.0)[:1]:
        more = f" (and {len(upside) - 1} more)" if len(upside) > 1 else ""
        fact = f"Who does well elsewhere fails {item.name} more often than others{more}"
        yield Advice(fact, "read that check again", f"check-{item.name}")


def _names(found: list[Entry]) -> str:
    """Who they are, where they are few."""
    if len(found) > NAMED:
        return "them"
    return listed(one.label for one in found)

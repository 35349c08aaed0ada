"""What a teacher should do next: facts of a class with an action each, the most urgent first."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from autograder.base.result import parts_of
from autograder.base.text import agreeing, count, listed, points_of
from autograder.course.gradebook.final_grades import Grade

if TYPE_CHECKING:
    from autograder.course.reports.report import Report
    from autograder.course.reports.statistics import Item

WORTH_TELLING = 0.1
"""The share of the class that shares a mistake before it is worth the time of all."""

ERRORS = 2.0
"""Standard errors by which a correlation must lie below 0: by chance alone half of them do."""

NAMED = 3
"""So many students are named in a line."""


@dataclass(frozen=True)
class Advice:
    """A fact, and what to do about it.

    ``about`` names what the page shows of it: a kind of concern, ``shared``, or a step or check by
    id.
    """

    fact: str
    action: str
    about: str

    def __str__(self) -> str:
        return f"{self.fact}: {self.action}"


def of(report: Report) -> list[Advice]:
    """All advice; one line that says so when nothing waits."""
    advice = [*_unusable(report), *_mistakes(report), *_people(report), *_checks(report)]
    if advice:
        return advice
    why = "everybody was graded, and no mistake is shared by many"
    return [Advice("Nothing waits for you", why, "look")]


def _unusable(report: Report) -> Iterator[Advice]:
    """Submissions without a grade, or with one that is not what it could be."""
    grade = f"run autograder grade {report.exercise.name}"

    errors = report.who("error")
    if errors:
        fact = f"{count(len(errors), 'submission')} met a fault of the grader"
        yield Advice(fact, f"{grade} again", "error")

    rejected = report.who("rejected")
    if rejected:
        fact = f"{count(len(rejected), 'submission')} could not be read"
        them = agreeing(len(rejected), "it", "them")
        whom = f"{_names(rejected)} " if len(rejected) <= NAMED else ""
        yield Advice(fact, f"ask {whom}for {them} again", "rejected")

    outdated = report.who("outdated")
    if outdated:
        are = agreeing(len(outdated), "is", "are")
        yield Advice(f"{count(len(outdated), 'grade')} {are} out of date", grade, "outdated")

    collected = report.who("collected")
    if collected:
        are = agreeing(len(collected), "is", "are")
        yield Advice(f"{count(len(collected), 'submission')} {are} not graded", grade, "collected")

    unknown = report.who("time")
    if unknown:
        fact = f"Nobody knows when {count(len(unknown), 'submission')} came"
        example = "2026-12-01 17:00:00 UTC"
        action = f"write it into timestamp.txt beside the notebook, like {example}, and {grade}"
        yield Advice(fact, action, "time")

    lower = report.who("isolation")
    if lower:
        fact = f"{count(len(lower), 'submission')} ran at a lower isolation level"
        action = f"{grade} --force where autograder doctor finds the better one"
        yield Advice(fact, action, "isolation")
    elif "process" in report.levels:
        fact = "Student code was free to read and write files of this machine (level process)"
        action = f"{grade} --force where autograder doctor finds a better level"
        yield Advice(fact, action, "glance")


def _mistakes(report: Report) -> Iterator[Advice]:
    """The two mistakes that most students share; without these the step that costs most."""
    graded = len(report.graded)
    many = max(2, WORTH_TELLING * graded)
    worth = [mistake for mistake in report.shared if len(mistake.students) >= many]
    for place, mistake in enumerate(worth[:2]):
        fact = f"{len(mistake.students)} of {graded} share one mistake in {mistake.step}"
        action = f"{mistake.title}; take it up in class"
        if place == 1 and len(worth) > 2:
            action += f" ({len(worth) - 2} more such mistakes below)"
        yield Advice(fact, action, "shared")

    costly = max(report.steps.values(), key=lambda item: item.lost, default=None)
    if not worth and costly is not None and costly.lost >= WORTH_TELLING * costly.points:
        lost = points_of(costly.lost, costly.points)
        fact = f"{costly.name} costs the class most, {lost} on average"
        yield Advice(fact, "look at its checks", f"step-{costly.name}")


def _people(report: Report) -> Iterator[Advice]:
    """Students who wait, or from whom there is nothing."""
    by_hand = report.who("by_hand")
    if by_hand:
        wait = agreeing(len(by_hand), "waits", "wait")
        fact = f"{count(len(by_hand), 'submission')} {wait} for your marks"
        action = "open the formgrader, with autograder lab or, on a hub, in its menu"
        yield Advice(fact, action, "by_hand")

    missing = report.who("missing")
    if missing:
        fact = f"{len(missing)} of {len(report.students)} handed in nothing"
        action = f"remind {_names(missing)}"
        if report.has_downloads:  # a file that nobody could be given may be theirs
            action += f", unless autograder collect {report.exercise.name} lists their file as left"
        yield Advice(fact, action, "missing")

    untried = report.who("untried")
    if untried:
        fact = f"{count(len(untried), 'student')} left half of the steps or more untried"
        yield Advice(fact, f"ask {_names(untried)} what is in the way", "untried")

    identical = report.who("identical")
    if identical:
        fact = f"{count(len(identical), 'student')} handed in files that others handed in, too"
        yield Advice(fact, "ask them who wrote what", "identical")

    zero = report.who("zero")
    if zero:
        have = agreeing(len(zero), "has", "have")
        fact = f"{count(len(zero), 'student')} {have} no points"
        yield Advice(fact, f"talk to {_names(zero)}", "zero")


def _checks(report: Report) -> Iterator[Advice]:
    """Checks that may themselves be wrong."""
    # Where nobody passes anything of a step, nobody has written it yet.
    tried: set[str] = set()
    for id, item in report.checks.items():
        if item.passed or item.carried:
            tried.add(parts_of(id)[0])

    hard: list[Item] = []
    upside: list[tuple[float, Item]] = []
    for id, item in report.checks.items():
        is_passed = item.passed or item.carried
        if item.count > 2 and not is_passed and parts_of(id)[0] in tried:
            hard.append(item)
        below = -ERRORS / math.sqrt(item.count) if item.count else 0.0
        if item.discrimination is not None and item.discrimination < below:
            upside.append((item.discrimination, item))

    if hard:
        fact = f"Nobody passes {hard[0].name}{_more(len(hard))}"
        yield Advice(fact, "read that check again", f"check-{hard[0].name}")
    if upside:
        _, worst = min(upside, key=lambda pair: pair[0])
        fact = f"Who does well elsewhere fails {worst.name} more often than others"
        yield Advice(f"{fact}{_more(len(upside))}", "read that check again", f"check-{worst.name}")


def _more(number: int) -> str:
    """That one of so many was named."""
    return f" (and {number - 1} more)" if number > 1 else ""


def _names(entries: list[Grade]) -> str:
    """Who they are, where they are few."""
    if len(entries) > NAMED:
        return "them"
    return listed(entry.label for entry in entries)

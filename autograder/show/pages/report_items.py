"""What the teacher's page says about the exercise: steps and checks, and recognised mistakes."""

from __future__ import annotations

from dataclasses import dataclass

from autograder.base.result import parts_of
from autograder.base.text import number, signed
from autograder.course.reports.report import Report
from autograder.course.reports.statistics import Item, Shared
from autograder.exercises.exercise import Check
from autograder.show.pages.report_people import FEW

LOW = 0.1
"""A discrimination below this is marked."""


@dataclass(frozen=True)
class Figures:
    """A step or a check in a line: shares of the bar in percent, points lost, discrimination."""

    alone: str
    kept: str
    share: str
    lost: str
    correlation: str
    is_low: bool


@dataclass(frozen=True)
class Group:
    """Students under a title; of many, ``everybody`` says that it is all, or all others."""

    title: str
    students: tuple[str, ...]
    everybody: str


@dataclass(frozen=True)
class CheckLine:
    check: Check
    figures: Figures
    groups: list[Group]


@dataclass(frozen=True)
class Mistake:
    """A known wrong answer, and who gave it; ``checks`` are ids and names of those that fail it."""

    anchor: str
    shared: Shared
    source: str
    checks: list[tuple[str, str]]

    @property
    def is_shared(self) -> bool:
        return len(self.shared.students) > 1


@dataclass(frozen=True)
class StepLine:
    """A step; ``others`` lost points without a mistake that we know."""

    name: str
    figures: Figures
    groups: list[Group]
    recognised: list[Mistake]
    others: list[str]
    checks: list[CheckLine]


def steps(report: Report, known: list[Mistake]) -> list[StepLine]:
    """Each step, and in it each check."""
    lines = []
    for name, item in report.steps.items():
        found = [one for one in known if one.shared.step == name]
        made: set[str] = set()
        for mistake in found:
            made |= set(mistake.shared.students)

        lines.append(
            StepLine(
                name,
                _figures(item),
                _groups(item),
                found,
                others=[student for student in item.failed if student not in made],
                checks=[_check(check, report) for check in report.exercise.checks_of(name)],
            )
        )
    return lines


def mistakes(report: Report) -> list[Mistake]:
    """The known wrong answers that were found, those that most students share first."""
    sources = {(one.step, one.name): one.source for one in report.exercise.misconceptions}

    found = []
    for place, one in enumerate(report.shared, start=1):
        source = sources.get((one.step, one.name), "")
        checks = [(id, parts_of(id)[1]) for id in one.checks]
        # Several may be called the same: relations of other arguments, or along other axes.
        anchor = f"mistake-{place}-{one.step}-{one.name}"
        found.append(Mistake(anchor, one, source, checks))
    return found


def _check(check: Check, report: Report) -> CheckLine:
    item = report.checks[check.id]
    return CheckLine(check, _figures(item), _groups(item))


def _figures(item: Item) -> Figures:
    count = item.count or 1
    r = item.discrimination
    return Figures(
        alone=f"{100 * len(item.passed) / count:.0f}",
        kept=f"{100 * len(item.carried) / count:.0f}" if item.carried else "",
        share=f"{100 * item.share:.0f}",
        lost=f"{signed(-item.lost)} of {number(item.points)}",
        correlation="" if r is None else f"{r:.2f}",
        is_low=r is not None and r < LOW,
    )


def _groups(item: Item) -> list[Group]:
    """Who lost points, who kept them, who passed; of many, the largest group is everybody else."""
    groups = (
        ("Lost points", item.failed),
        ("Not run, by the grader's fault", item.not_run),
        ("Right once earlier steps were right", item.carried),
        ("Right alone", item.passed),
    )
    largest = max((who for _, who in groups), key=len)

    shown = []
    for title, who in groups:
        everybody = ""
        if who is largest and len(who) > FEW:
            everybody = "all" if len(who) == item.count else "all others"
        if who:
            shown.append(Group(title, who, everybody))
    return shown

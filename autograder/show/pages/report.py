"""The teacher's page: one self-contained file about a class.

Every number opens, or leads to, the students behind it. Without its script the table of students
cannot be sorted and searched; everything else is the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import NamedTuple

from autograder.base import files
from autograder.base.result import parts_of
from autograder.base.text import number, on_day, signed
from autograder.course.class_list import Person
from autograder.course.course import Course
from autograder.course.gradebook.final_grades import ConcernKind
from autograder.course.reports.report import Report
from autograder.course.reports.statistics import Item, Scores, Shared
from autograder.exercises.exercise import Check
from autograder.show.pages import charts
from autograder.show.pages.document import show

FEW = 12
"""The most students in an open list; longer ones are closed at first."""

NO_SCORE = "-1"
"""Where no score sorts: below all of them."""

LOW = 0.1
"""A discrimination below this is marked."""

# What a teacher looks at, the most urgent first: what it is called, and what it means.
LOOK: Mapping[ConcernKind, tuple[str, str]] = {
    "error": ("The grader failed", "Not the student's fault; no points are lost. Grade again."),
    "rejected": (
        "Could not be read",
        "Nothing was graded, and no earlier upload counts in its place. Ask for the file again.",
    ),
    "missing": ("Handed in nothing", "On the class list, without a submission."),
    "collected": ("Not graded yet", "Collected since the class was graded. Grade again."),
    "time": (
        "Time unknown",
        "Counted as on time. Write it into timestamp.txt next to the notebook, and grade again.",
    ),
    "outdated": ("Out of date", "Something that scores depend on has changed since. Grade again."),
    "isolation": (
        "Lower isolation level",
        "Student code was isolated less strictly than it could be.",
    ),
    "unlisted": ("Not on the class list", "Graded anyway."),
    "by_hand": ("Waiting for your marks", "Answers that a person grades, in the formgrader."),
    "zero": ("No points", "Nothing that counts was right."),
    "unended": ("Did not return in time", "Usually an endless loop; or the code is far too slow."),
    "untried": ("Half or more not tried", "Steps left as they were handed out."),
    "identical": (
        "Identical submissions",
        "The same file, byte for byte, and not the one that was handed out.",
    ),
    "late": ("Late", "After the due date and any extension of the student's."),
    "repaired": (
        "Notes on notebooks",
        "Something was repaired or is unusual; what could be found was graded.",
    ),
}


def write(course: Course, report: Report) -> Path:
    """Write the page to ``<state>/reports/<exercise>.html``."""
    path = course.reports / f"{report.exercise.name}.html"
    files.write(path, page(report, links(course, report)).encode())
    return path


def links(course: Course, report: Report) -> dict[str, str]:
    """The students' own pages that exist, as addresses from the page, by student."""
    name = report.exercise.name
    addresses: dict[str, str] = {}
    for entry in report.students:
        page = course.feedback_of(entry.student, name) / f"{name}.html"
        if page.is_file():
            addresses[entry.student] = f"../{page.relative_to(course.state).as_posix()}"
    return addresses


def page(report: Report, links: Mapping[str, str]) -> str:
    """The page as HTML; ``links`` has the address of each student's own page."""
    found = _mistakes(report)
    return show(
        "report.html.jinja",
        ("page.css", "report.css"),
        "report.js",
        report=report,
        due=on_day(report.due) if report.due else "",
        graded_on=_graded_on(report),
        people=people(report.students, links),
        tiles=_tiles(report),
        scores=_scores(report),
        looks=_looks(report),
        mistakes=found,
        undiscriminated=report.undiscriminated(),
        low=f"{LOW:g}",
        steps=_steps(report, found),
        rows=_rows(report),
        is_short=len(report.students) <= 2 * FEW,
        levels=", ".join(f"{name} ({count})" for name, count in report.levels.items()),
    )


@dataclass(frozen=True)
class ClassScores:
    """The scores of the class: in words, drawn, who has how many, and in numbers."""

    about: str
    chart: charts.Distribution
    bins: list[tuple[str, list[str]]]
    numbers: list[tuple[str, float, float]]


@dataclass(frozen=True)
class Notice:
    """Students whom a teacher should look at, and why.

    ``whys`` are pairs of a student and a cause. ``each`` is the cause where all have the same;
    ``is_said``: the title says it.
    """

    kind: ConcernKind
    title: str
    about: str
    whys: list[tuple[str, str]]
    each: str
    is_said: bool
    is_open: bool


def _tiles(report: Report) -> list[tuple[str, int, str]]:
    """Where a number leads to, the number, and of what it is."""
    tiles = [("students", report.submissions, "Submissions")]
    tiles.append(("scores", len(report.graded), "Graded"))
    for kind, (title, _) in LOOK.items():
        if report.who(kind):
            tiles.append((kind, len(report.who(kind)), title))
    return tiles


def _scores(report: Report) -> ClassScores | None:
    final, automatic = report.final, report.automatic
    if final is None or automatic is None:
        return None

    middle = f"from {number(final.lower_quartile)} to {number(final.upper_quartile)}"
    about = (
        f"{final.count} students, median {number(final.median)} of {number(report.max_score)}"
        f" points, the middle half {middle}"
    )
    chart = charts.distribution(report.edges, report.counts, final.median, about)
    return ClassScores(about, chart, list(_bins(report)), _numbers(final, automatic))


def _bins(report: Report) -> Iterator[tuple[str, list[str]]]:
    last = len(report.counts) - 1
    for place, (low, high) in enumerate(zip(report.edges, report.edges[1:])):
        who = []
        for one in report.graded:
            # A bin holds its left edge; the last one both.
            is_highest = place == last and one.score == high
            if one.score is not None and (low <= one.score < high or is_highest):
                who.append(one.student)
        if who:
            below = "" if place == last else "below "
            yield f"{len(who)} with {number(low)} to {below}{number(high)} points", who


def _numbers(final: Scores, automatic: Scores) -> list[tuple[str, float, float]]:
    return [
        ("Mean", final.mean, automatic.mean),
        ("Lowest", final.minimum, automatic.minimum),
        ("Lower quartile", final.lower_quartile, automatic.lower_quartile),
        ("Median", final.median, automatic.median),
        ("Upper quartile", final.upper_quartile, automatic.upper_quartile),
        ("Highest", final.maximum, automatic.maximum),
    ]


def _looks(report: Report) -> list[Notice]:
    looks = []
    for kind, (title, about) in LOOK.items():
        whys = []
        for one in report.who(kind):
            whys.append((one.student, "; ".join(one.causes(kind))))

        is_same = len(whys) > 1 and len({why for _, why in whys}) == 1
        each = whys[0][1] if is_same else ""
        is_said = kind in ("missing", "zero", "unlisted")
        is_said = is_said and not any("may be" in why for _, why in whys)
        if whys:
            looks.append(Notice(kind, title, about, whys, each, is_said, len(whys) <= FEW))
    return looks


def _graded_on(report: Report) -> str:
    """The time of the latest result as people write it, in the zone of the due date."""
    if report.graded_at is None:
        return ""
    zone = report.due.tzinfo if report.due else timezone.utc
    try:
        return on_day(datetime.fromisoformat(report.graded_at).astimezone(zone))
    except (ValueError, OverflowError):
        return report.graded_at


@dataclass(frozen=True)
class People:
    """The students of a class, by id: names, addresses of the pages there are, e-mail addresses."""

    names: Mapping[str, str]
    links: Mapping[str, str]
    emails: Mapping[str, str]
    few: int = FEW

    def emails_of(self, students: Iterable[str]) -> list[str]:
        """The e-mail addresses that are known of them."""
        return [self.emails[student] for student in students if self.emails.get(student)]


def people(students: Iterable[Person], links: Mapping[str, str]) -> People:
    """The students under names of their own."""
    entries = list(students)
    names = Counter(one.name for one in entries)

    known = {}
    for one in entries:
        # A name that two have, or none has, says nothing without the id.
        is_own = one.name and names[one.name] == 1
        known[one.student] = one.name if is_own else one.label

    return People(known, links, {one.student: one.email for one in entries})


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
class StudentGroup:
    """Students under a title; ``everybody`` says who they are where no list needs to: all, ..."""

    title: str
    students: tuple[str, ...]
    everybody: str


@dataclass(frozen=True)
class CheckLine:
    check: Check
    figures: Figures
    groups: list[StudentGroup]


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
    groups: list[StudentGroup]
    recognised: list[Mistake]
    others: list[str]
    checks: list[CheckLine]


def _steps(report: Report, known: list[Mistake]) -> list[StepLine]:
    """Each step, and in it each check."""
    lines = []
    for name, item in report.steps.items():
        found = [one for one in known if one.shared.step == name]
        made: set[str] = set()
        for mistake in found:
            made |= set(mistake.shared.students)

        groups = _groups(item)
        lines.append(
            StepLine(
                name,
                _figures(item),
                groups,
                found,
                others=[student for student in item.failed if made and student not in made],
                checks=[_check(check, report, groups) for check in report.exercise.checks_of(name)],
            )
        )
    return lines


def _mistakes(report: Report) -> list[Mistake]:
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


def _check(check: Check, report: Report, above: Sequence[StudentGroup]) -> CheckLine:
    """A check of a step; a long list that the step has too, ``above``, is not repeated."""
    item = report.checks[check.id]

    groups = []
    for group in _groups(item):
        is_above = len(group.students) > FEW and not group.everybody and group in above
        groups.append(replace(group, everybody="the same as above") if is_above else group)
    return CheckLine(check, _figures(item), groups)


def _figures(item: Item) -> Figures:
    count = item.count or 1
    r = item.discrimination
    return Figures(
        alone=f"{100 * len(item.passed) / count:.0f}",
        kept=f"{100 * len(item.carried) / count:.0f}" if item.carried else "",
        share=f"{100 * item.share:.0f}",
        lost=f"{signed(-item.lost)} of {number(item.points)}" if item.points else "",
        correlation="" if r is None else f"{r:.2f}",
        is_low=r is not None and r < LOW,
    )


def _groups(item: Item) -> list[StudentGroup]:
    """Who lost points, who kept them, who passed; of many, the largest group is everybody else."""
    groups = (
        ("Lost points" if item.points else "Wrong", item.failed),
        ("Not run (the grader's fault)", item.not_run),
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
            shown.append(StudentGroup(title, who, everybody))
    return shown


class StepMark(NamedTuple):
    """What became of a step: its sign, by which it sorts, and the class of its colour."""

    sign: str
    kind: str


PASSED = StepMark("✓", "g")
CARRIED = StepMark("↷", "h")
FAILED = StepMark("✗", "b")
UNTRIED = StepMark("–", "n")
NOTHING = StepMark("", "n")


class RollRow(NamedTuple):
    """A student: final score and that of the checks, each behind how it sorts; a mark a step."""

    student: str
    key: str
    score: str
    automatic_key: str
    automatic: str
    marks: list[StepMark]
    note: str


def _rows(report: Report) -> list[RollRow]:
    """Everybody, in the order of their ids."""
    by_step: list[dict[str, StepMark]] = []
    for item in report.steps.values():
        of_step = dict.fromkeys((*item.failed, *item.not_run), FAILED)
        of_step |= dict.fromkeys(item.carried, CARRIED)
        of_step |= dict.fromkeys(item.passed, PASSED)
        by_step.append(of_step)

    names = list(report.steps)
    lines = []
    for one in report.students:
        marks = [signs.get(one.student, NOTHING) for signs in by_step]
        for place, name in enumerate(names):
            if name in one.untried:
                marks[place] = UNTRIED
        missing = "missing" if one.status == "missing" else ""
        note = one.note() or missing
        lines.append(
            RollRow(
                one.student, *sorted_score(one.score), *sorted_score(one.automatic), marks, note
            )
        )
    return lines


def sorted_score(score: float | None) -> tuple[str, str]:
    """How a score sorts, and how people read it."""
    return (NO_SCORE, "–") if score is None else (str(score), number(score))

"""The teacher's page: one self-contained file about a class.

Every number opens, or leads to, the students behind it. Without its script the table of students
cannot be sorted and searched; everything else is the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from autograder.base import files
from autograder.base.text import number, on_day
from autograder.course.course import Course
from autograder.course.reports.report import Report
from autograder.course.reports.statistics import Scores
from autograder.course.reports.students import ConcernKind
from autograder.show.pages import charts, report_items, report_matrix
from autograder.show.pages.document import show
from autograder.show.pages.report_people import FEW, people

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
        "Counted as in time. Write it into timestamp.txt beside the notebook, and grade again.",
    ),
    "outdated": ("Out of date", "Something that scores depend on has changed since. Grade again."),
    "isolation": (
        "Lower isolation level",
        "Student code was locked in less well than it could be.",
    ),
    "unlisted": ("Not on the class list", "Graded all the same."),
    "by_hand": ("Waiting for your marks", "Answers that a person reads, in the formgrader."),
    "zero": ("No points", "Nothing that counts was right."),
    "unended": ("Did not return in time", "A loop without an end, as a rule; or far too slow."),
    "untried": ("Half or more not tried", "Steps that are as they were handed out."),
    "identical": ("Identical submissions", "The same file, byte for byte; not as handed out."),
    "late": ("Late", "After the due date and the student's own extension."),
    "repaired": (
        "Notes on notebooks",
        "What was repaired, or is unusual there; what could be found was graded.",
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
    found = report_items.mistakes(report)
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
        low=f"{report_items.LOW:g}",
        steps=report_items.steps(report, found),
        rows=report_matrix.rows(report),
        is_short=len(report.students) <= 2 * FEW,
        levels=", ".join(f"{name} ({count})" for name, count in report.levels.items()),
    )


@dataclass(frozen=True)
class Shown:
    """The scores of the class: in words, drawn, who has how many, and in numbers."""

    about: str
    chart: charts.Distribution
    bins: list[tuple[str, list[str]]]
    numbers: list[tuple[str, float, float]]


@dataclass(frozen=True)
class Look:
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


def _scores(report: Report) -> Shown | None:
    final, automatic = report.final, report.automatic
    if final is None or automatic is None:
        return None

    middle = f"from {number(final.lower_quartile)} to {number(final.upper_quartile)}"
    about = (
        f"{final.count} students, median {number(final.median)} of {number(report.max_score)}"
        f" points, the middle half {middle}"
    )
    chart = charts.distribution(report.edges, report.counts, final.median, about)
    return Shown(about, chart, list(_bins(report)), _numbers(final, automatic))


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


def _looks(report: Report) -> list[Look]:
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
            looks.append(Look(kind, title, about, whys, each, is_said, len(whys) <= FEW))
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

"""The teacher's page: one self-contained file about a class.

Every number opens, or links to, its students. Without its script the table of students cannot be
sorted and searched; everything else works.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timezone
from pathlib import Path
from typing import NamedTuple

from autograder.base import files
from autograder.base.text import number
from autograder.course.class_list import Person, may_be
from autograder.course.course import Course
from autograder.course.gradebook.course_grades import MOST, NAME, CourseGrades
from autograder.course.gradebook.final_grades import ConcernKind, Grade
from autograder.course.reports import statistics
from autograder.course.reports.report import Report, course_name
from autograder.course.reports.statistics import Item, Shared
from autograder.exercises.exercise import Check
from autograder.show.pages.charts import of_scores
from autograder.show.pages.document import day_of, show

FEW = 12  # the most students in an open list; longer ones are closed at first
LOW = 0.1  # a discrimination below this is marked

# What a teacher should look at, the most urgent first: its title, and its meaning.
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
    html = page(report, links(course, report.exercise.name, report.students))
    files.write(path, html.encode())
    return path


def links(course: Course, exercise: str, students: Iterable[Person]) -> dict[str, str]:
    """The students' own pages that exist, as links from a report, by student."""
    addresses: dict[str, str] = {}
    for one in students:
        page = course.feedback_of(one.student, exercise) / f"{exercise}.html"
        if page.is_file():
            addresses[one.student] = f"../{page.relative_to(course.state).as_posix()}"
    return addresses


def page(report: Report, links: Mapping[str, str]) -> str:
    """The page as HTML; ``links`` has the address of each student's own page."""
    found = _mistakes(report)
    zone = report.due.tzinfo if report.due else timezone.utc
    most = f"{number(report.max_score)} points"
    return show(
        "report.html.jinja",
        ("page.css", "report.css"),
        "report.js",
        report=report,
        graded_on=day_of(report.graded_at or "", zone) or report.graded_at,
        people=people(report.students, links),
        kinds=LOOK,
        chart=of_scores(report.final, report.edges, report.counts, most),
        bins=list(_bins(report)),
        looks=_looks(report),
        mistakes=found,
        low=LOW,
        steps=_steps(report, found),
        rows=list(_rows(report)),
    )


class Notice(NamedTuple):
    """Students whom a teacher should look at, and why.

    ``causes`` are by student. ``each``: the cause if all have the same one, empty if the title says
    it; None if the causes differ.
    """

    kind: ConcernKind
    title: str
    about: str
    causes: Mapping[str, str]
    each: str | None


def _looks(report: Report) -> list[Notice]:
    looks = []
    for kind, (title, about) in LOOK.items():
        causes = {one.student: "; ".join(one.causes(kind)) for one in report.who(kind)}
        different = set(causes.values())
        each = None
        is_said = kind in ("missing", "zero", "unlisted")
        if is_said and not any("may be" in why for why in different):
            each = ""
        elif len(causes) > 1 and len(different) == 1:
            each = different.pop()
        if causes:
            looks.append(Notice(kind, title, about, causes, each))
    return looks


def _bins(report: Report) -> Iterator[tuple[str, list[str]]]:
    """The students in each bin of points."""
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


@dataclass(frozen=True)
class People:
    """The students of a class, by id: names, addresses of the pages there are, e-mail addresses."""

    names: Mapping[str, str]
    links: Mapping[str, str]
    emails: Mapping[str, str]
    few: int = FEW

    def emails_of(self, students: Iterable[str]) -> list[str]:
        """Their known e-mail addresses."""
        return [self.emails[student] for student in students if self.emails.get(student)]


def people(students: Iterable[Person], links: Mapping[str, str]) -> People:
    """The students with distinct names."""
    entries = list(students)
    names = Counter(one.name for one in entries)

    known = {}
    for one in entries:
        # A missing name, or one that two students share, needs the id.
        is_own = one.name and names[one.name] == 1
        known[one.student] = one.name if is_own else one.label

    return People(known, links, {one.student: one.email for one in entries})


class StudentGroup(NamedTuple):
    """Students under a title; ``everybody`` describes them if no list is needed: all, ..."""

    title: str
    students: tuple[str, ...]
    everybody: str


class Mistake(NamedTuple):
    """A known wrong answer, who gave it, and what it looks like."""

    anchor: str
    shared: Shared
    source: str

    @property
    def is_shared(self) -> bool:
        return len(self.shared.students) > 1


class StepLine(NamedTuple):
    """A step, its mistakes, and each of its checks; ``others`` lost points without a known
    mistake."""

    item: Item
    groups: list[StudentGroup]
    recognised: list[Mistake]
    others: list[str]
    checks: list[tuple[Check, Item, list[StudentGroup]]]


def _steps(report: Report, known: list[Mistake]) -> list[StepLine]:
    """Each step, with its checks."""
    lines = []
    for name, item in report.steps.items():
        found = [one for one in known if one.shared.step == name]
        made: set[str] = set()
        for mistake in found:
            made |= set(mistake.shared.students)
        others = [student for student in item.failed if made and student not in made]

        groups = _groups(item)
        checks = []
        for check in report.exercise.checks_of(name):
            own = report.checks[check.id]
            checks.append((check, own, _groups(own, groups)))
        lines.append(StepLine(item, groups, found, others, checks))
    return lines


def _mistakes(report: Report) -> list[Mistake]:
    """The known wrong answers that were found, the most frequent first."""
    sources = {(one.step, one.name): one.source for one in report.exercise.misconceptions}
    found = []
    for place, one in enumerate(report.shared, start=1):
        # Several may have the same name: relations of other arguments, or along other axes.
        anchor = f"mistake-{place}-{one.step}-{one.name}"
        found.append(Mistake(anchor, one, sources.get((one.step, one.name), "")))
    return found


def _groups(item: Item, above: Sequence[StudentGroup] = ()) -> list[StudentGroup]:
    """The students who lost points, kept them, or passed; in a large class the largest group is
    called everybody else.

    Args:
        above: the groups of the step; long ones are not repeated.
    """
    groups = (
        ("Lost points" if item.points else "Wrong", item.failed),
        ("Not run (the grader's fault)", item.not_run),
        ("Right once earlier steps were right", item.carried),
        ("Right alone", item.passed),
    )
    largest = max((who for _, who in groups), key=len)

    shown = []
    for title, who in groups:
        group = StudentGroup(title, who, "")
        if len(who) > FEW:
            if who is largest:
                group = group._replace(everybody="all" if len(who) == item.count else "all others")
            elif group in above:
                group = group._replace(everybody="the same as above")
        if who:
            shown.append(group)
    return shown


class StepMark(NamedTuple):
    """The mark of a step: its sign, its sort key, and the CSS class of its colour."""

    sign: str
    kind: str


PASSED = StepMark("✓", "g")
CARRIED = StepMark("↷", "h")
FAILED = StepMark("✗", "b")
UNTRIED = StepMark("–", "n")
NOTHING = StepMark("", "n")


def _rows(report: Report) -> Iterator[tuple[Grade, list[StepMark]]]:
    """All students by id, with a mark for each step."""
    by_step: dict[str, dict[str, StepMark]] = {}
    for name, item in report.steps.items():
        of_step = dict.fromkeys((*item.failed, *item.not_run), FAILED)
        of_step |= dict.fromkeys(item.carried, CARRIED)
        of_step |= dict.fromkeys(item.passed, PASSED)
        by_step[name] = of_step

    for one in report.students:
        marks = []
        for name, of_step in by_step.items():
            own = of_step.get(one.student, NOTHING)
            marks.append(UNTRIED if name in one.untried else own)
        yield one, marks


def write_course(course: Course, grades: CourseGrades) -> Path:
    """Write the page to ``<state>/reports/course.html``."""
    path = course.reports / f"{NAME}.html"
    files.write(path, course_page(course, grades).encode())
    return path


def course_page(course: Course, grades: CourseGrades) -> str:
    """The page as HTML; it links to the existing pages of exercises and students."""
    exercises = []
    for one in grades.exercises:
        scores = [row.by_exercise[one.name].score for row in grades.rows]
        has_page = (course.reports / f"{one.name}.html").is_file()
        found = statistics.scores(score for score in scores if score is not None)
        exercises.append((one, f"{one.name}.html" if has_page else "", found))

    totals = [row.total for row in grades.rows if row.total is not None]
    final = statistics.scores(totals)
    edges, counts = statistics.histogram(totals, MOST)
    return show(
        "course.html.jinja",
        ("page.css", "report.css"),
        "report.js",
        name=course_name(course),
        grades=grades,
        most=MOST,
        people=people(grades.rows, {}),
        links={one.name: links(course, one.name, grades.rows) for one in grades.exercises},
        exercises=exercises,
        totals=final,
        chart=of_scores(final, edges, counts, number(MOST)),
        reasons=_reasons(grades),
        moved=[may_be(*ids) for ids in grades.moved.items()],
        few=FEW,
    )


def _reasons(grades: CourseGrades) -> dict[str, list[str]]:
    """Why totals are not final, by exercise, and the students concerned."""
    found: dict[str, list[str]] = {}
    for one in grades.counting:
        for row in grades.rows:
            if one.name in row.reasons:
                reason = f"{one.title}: {row.reasons[one.name]}"
                found.setdefault(reason, []).append(row.student)
    return found

"""The page of the whole course: everybody by exercises, with the weighted total."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from autograder.base import files
from autograder.base.text import number, on_day
from autograder.course.class_list import may_be
from autograder.course.course import Course
from autograder.course.gradebook.course_grades import (
    MOST,
    NAME,
    CourseExercise,
    CourseGrades,
    CourseRow,
)
from autograder.course.gradebook.final_grades import Grade
from autograder.course.reports import statistics
from autograder.course.reports.report import course_name
from autograder.show.pages import charts
from autograder.show.pages.document import show
from autograder.show.pages.report import FEW, people, sorted_score


def write(course: Course, grades: CourseGrades) -> Path:
    """Write the page to ``<state>/reports/course.html``."""
    path = course.reports / f"{NAME}.html"
    files.write(path, page(course, grades).encode())
    return path


def page(course: Course, grades: CourseGrades) -> str:
    """The page as HTML; it leads to the pages of exercises and students that there are."""
    return show(
        "course.html.jinja",
        ("page.css", "report.css"),
        "report.js",
        name=course_name(course),
        grades=grades,
        most=MOST,
        people=people(grades.rows, {}),
        exercises=[_line(course, grades, one) for one in grades.exercises],
        counting=len(grades.counting),
        totals=_totals(grades),
        reasons=_reasons(grades),
        moved=[may_be(*ids) for ids in grades.moved.items()],
        rows=[_row(course, grades, row) for row in grades.rows],
        is_short=len(grades.rows) <= 2 * FEW,
        few=FEW,
    )


@dataclass(frozen=True)
class ExerciseLine:
    """An exercise in a line; ``link`` is the address of its own page, or empty."""

    title: str
    link: str
    points: str
    weight: str
    share: str
    due: str
    with_score: int
    mean: str


@dataclass(frozen=True)
class Totals:
    """The totals of the class: in words, drawn, and in numbers."""

    about: str
    chart: charts.Distribution
    numbers: list[tuple[str, float]]


class Reason(NamedTuple):
    """Why totals are not final, and whose."""

    title: str
    students: list[str]


class ScoreCell(NamedTuple):
    """A score behind how it sorts; ``why`` it is not final, ``link`` the student's page."""

    key: str
    score: str
    why: str
    link: str


class TotalsRow(NamedTuple):
    student: str
    cells: list[ScoreCell]
    key: str
    total: str
    note: str


def _line(course: Course, grades: CourseGrades, one: CourseExercise) -> ExerciseLine:
    scores = []
    for row in grades.rows:
        score = row.by_exercise[one.name].score
        if score is not None:
            scores.append(score)
    found = statistics.scores(scores)
    has_page = (course.reports / f"{one.name}.html").is_file()
    return ExerciseLine(
        one.title,
        f"{one.name}.html" if has_page else "",
        number(one.max_score),
        number(one.weight),
        f"{100 * grades.share(one):.1f} %" if one.counts else one.why_not,
        on_day(one.due) if one.due else "no date",
        len(scores),
        number(found.mean) if found else "–",
    )


def _totals(grades: CourseGrades) -> Totals | None:
    totals = [row.total for row in grades.rows if row.total is not None]
    found = statistics.scores(totals)
    if found is None:
        return None
    middle = f"from {number(found.lower_quartile)} to {number(found.upper_quartile)}"
    about = (
        f"{found.count} students, median {number(found.median)} of {number(MOST)},"
        f" the middle half {middle}"
    )
    edges, counts = statistics.histogram(totals, MOST)
    numbers = [
        ("Mean", found.mean),
        ("Lowest", found.minimum),
        ("Median", found.median),
        ("Highest", found.maximum),
    ]
    return Totals(about, charts.distribution(edges, counts, found.median, about), numbers)


def _reasons(grades: CourseGrades) -> list[Reason]:
    """Who waits for what, exercise by exercise."""
    found: dict[str, list[str]] = {}
    for one in grades.counting:
        by_why: dict[str, list[str]] = {}
        for row in grades.rows:
            if one.name in row.reasons:
                by_why.setdefault(row.reasons[one.name], []).append(row.student)
        found |= {f"{one.title}: {why}": students for why, students in by_why.items()}
    return [Reason(title, students) for title, students in found.items()]


def _row(course: Course, grades: CourseGrades, row: CourseRow) -> TotalsRow:
    cells = []
    for one in grades.exercises:
        page = course.feedback_of(row.student, one.name) / f"{one.name}.html"
        link = f"../{page.relative_to(course.state).as_posix()}" if page.is_file() else ""
        cells.append(_cell(row.by_exercise[one.name], link))
    return TotalsRow(row.student, cells, *sorted_score(row.total), row.note)


def _cell(grade: Grade, link: str) -> ScoreCell:
    key, score = sorted_score(grade.score)
    if grade.score is None and grade.status != "missing":
        score = grade.status
    return ScoreCell(key, score, grade.pending, link)

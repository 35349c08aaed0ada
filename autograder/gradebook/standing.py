"""Where a student stands in one exercise: the final score, or why it is not final yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import Connection, select

from autograder import timestamp
from autograder.course import Course
from autograder.gradebook import database, due_dates, extensions
from autograder.gradebook.final_grades import ClassGrades, FinalGrade, Status
from autograder.gradebook.schema import ASSIGNMENT, SUBMITTED_ASSIGNMENT
from autograder.text import on_day

WHY: Mapping[str, str] = {
    "missing": "handed in nothing",
    "collected": "is not graded yet",
    "rejected": "could not be read",
    "error": "met a fault of the grader",
}
"""Why a student has no score, by what became of the exercise."""


@dataclass(frozen=True)
class Standing:
    """What became of one exercise for one student.

    ``status`` is that of the final grade; ``open`` is missing, while the student still has time.
    ``why`` says why the score is not final; empty where it is.
    """

    status: Status | Literal["open"]
    score: float | None
    why: str


def of_class(course: Course, grades: ClassGrades, missing_as_zero: bool) -> dict[str, Standing]:
    """Everybody who has to do with an exercise, by student.

    Args:
        missing_as_zero: see ``absent``.

    Raises:
        Unusable: the gradebook or the extensions cannot be read.
    """
    name = grades.exercise.name
    due = due_dates.due_date(course, name)
    given = extensions.read(course)
    none: dict[str, timedelta | None] = {}
    stored = database.read(course, lambda opened: _extensions(opened, name), none)

    standings = {}
    for grade in grades.grades:
        student = grade.student
        until = given.deadline(student, name, due, stored.get(student))
        if grade.status == "missing" and until is not None and until > timestamp.now():
            standings[student] = Standing("open", None, _has_time(course, until))
        elif grade.status == "missing":
            standings[student] = absent(missing_as_zero)
        else:
            standings[student] = Standing(grade.status, grade.score, _why(grade))
    return standings


def absent(missing_as_zero: bool) -> Standing:
    """Somebody who handed in nothing, and whose time is over.

    Args:
        missing_as_zero: that is 0 points, and final.
    """
    if missing_as_zero:
        return Standing("missing", 0.0, "")
    return Standing("missing", None, WHY["missing"])


def _extensions(connection: Connection, exercise: str) -> dict[str, timedelta | None]:
    """What the gradebook has, also of who handed in nothing, by student."""
    query = (
        select(SUBMITTED_ASSIGNMENT.c.student_id, SUBMITTED_ASSIGNMENT.c.extension)
        .join(ASSIGNMENT, ASSIGNMENT.c.id == SUBMITTED_ASSIGNMENT.c.assignment_id)
        .where(ASSIGNMENT.c.name == exercise)
    )
    return {row.student_id: row.extension for row in connection.execute(query)}


def _has_time(course: Course, until: datetime) -> str:
    if until == extensions.FOR_EVER:
        return "has time without an end"
    return f"has time until {on_day(timestamp.shown(until, course.settings.zone))}"


def _why(grade: FinalGrade) -> str:
    """Why a score is not final, or not there; empty where it is final."""
    if grade.status != "graded":
        return WHY[grade.status]
    if grade.is_older:
        return "handed in again, which is not graded yet"
    if grade.outdated:
        return "graded before something was changed"
    if grade.marks is not None and grade.marks.needs_manual_grade:
        return "waits for your marks"
    return grade.doubt

"""Where a student stands in one exercise: the final score, or why it is not final yet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from autograder.course.course import Course
from autograder.course.gradebook import due_dates
from autograder.course.gradebook.final_grades import ClassGrades, FinalGrade, Status

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


def of_class(
    course: Course, grades: ClassGrades, students: Iterable[str], missing_as_zero: bool
) -> dict[str, Standing]:
    """Where students stand in an exercise, by student.

    Args:
        students: everybody of the course; some may have nothing to do with this exercise.
        missing_as_zero: who handed in nothing has 0 points, and that is final, once the student's
            own time is over.

    Raises:
        Unusable: the gradebook or the extensions cannot be read.
    """
    left = due_dates.TimeLeft(course, grades.exercise.name)
    known = {grade.student: grade for grade in grades.grades}
    standings = {}
    for student in students:
        grade = known.get(student)
        if grade is not None and grade.status != "missing":
            standings[student] = Standing(grade.status, grade.score, _why(grade))
        elif left.of(student):
            standings[student] = Standing("open", None, left.of(student))
        elif missing_as_zero:
            standings[student] = Standing("missing", 0.0, "")
        else:
            standings[student] = Standing("missing", None, WHY["missing"])
    return standings


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

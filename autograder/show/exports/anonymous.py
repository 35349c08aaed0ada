"""A class without its people: pseudonyms for ids, and no word that anybody wrote.

For research. The course's secret keys the pseudonyms: the same person has the same one in every
exercise of the course, and nobody finds it out who does not know the secret.
"""

from __future__ import annotations

import math
from dataclasses import replace

from autograder.base.result import CheckResult, Result, StepResult
from autograder.course.course import pseudonym
from autograder.course.gradebook.cell_marks import CellMarks
from autograder.course.gradebook.course_grades import CourseGrades, CourseRow
from autograder.course.gradebook.final_grades import ClassGrades, FinalGrade
from autograder.course.gradebook.marks import Marks

DAY = 24 * 60 * 60.0
"""Seconds."""


def of_class(class_grades: ClassGrades, secret: bytes) -> ClassGrades:
    """The grades of a class under pseudonyms, and in their order, which tells nothing."""
    grades = []
    for grade in class_grades.grades:
        grades.append(_grade(grade, pseudonym(secret, grade.student)))
    grades.sort(key=lambda grade: grade.student)
    return replace(class_grades, grades=tuple(grades))


def of_course(grades: CourseGrades, secret: bytes) -> CourseGrades:
    """The same for the whole course."""
    rows = []
    for row in grades.rows:
        rows.append(_row(row, pseudonym(secret, row.student)))
    rows.sort(key=lambda row: row.student)
    return replace(grades, rows=tuple(rows))


def _row(row: CourseRow, name: str) -> CourseRow:
    """Scores alone: why one is not final may name times."""
    by_exercise = {}
    for exercise, standing in row.by_exercise.items():
        by_exercise[exercise] = replace(standing, why=standing.why and "not final")
    reasons = dict.fromkeys(row.reasons, "not final")
    return replace(row, student=name, person=None, by_exercise=by_exercise, reasons=reasons)


def _grade(grade: FinalGrade, name: str) -> FinalGrade:
    return replace(
        grade,
        student=name,
        person=None,
        result=_result(grade.result, name) if grade.result else None,
        marks=_marks(grade.marks) if grade.marks else None,
        trouble="",
        doubt="",
        new_id="",
    )


def _result(result: Result, name: str) -> Result:
    """The verdicts alone: not what was handed in, when it was graded, nor any text about it."""
    steps = []
    for step in result.steps:
        steps.append(StepResult(step.name, tuple(map(_check, step.checks))))
    return replace(
        result,
        student=name,
        reason=None,
        submission_sha256="",
        graded_at="",
        warnings=(),
        graded_with={},
        steps=tuple(steps),
    )


def _check(check: CheckResult) -> CheckResult:
    """A verdict without its words; the name of a known mistake is the bank's, and stays."""
    return replace(check, message="", unmended="", remaining="", hint=None, cell="", line=0)


def _marks(marks: Marks) -> Marks:
    """Points alone; and how many days late they were handed in, begun ones too: seconds would say
    when, and with that who."""
    cells: dict[str, CellMarks] = {}
    for id, cell in marks.cells.items():
        cells[id] = replace(cell, comment=None, remark=None)
    late = math.ceil(marks.seconds_late / DAY) * DAY
    return replace(marks, cells=cells, submitted=None, seconds_late=late, row="", doubt="")

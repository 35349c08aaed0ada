"""``csv``: a row for each student, step and category.

The rows of a student add up to the final score.
"""

from __future__ import annotations

from collections.abc import Iterator

from autograder.base.text import shown
from autograder.course.gradebook.course_grades import CourseGrades
from autograder.course.gradebook.final_grades import ClassGrades, FinalGrade
from autograder.show.exports.export import CourseRequest, Product, Request
from autograder.show.exports.safe_csv import Cell, table

HEADER = ("exercise", "student", "name", "status", "step", "category", "score", "max_score")


def make(request: Request, class_grades: ClassGrades) -> Product:
    """All students in one table."""
    return Product(table([HEADER, *_rows(class_grades)]))


def make_course(request: CourseRequest, grades: CourseGrades) -> Product:
    """A row for each student: the score in each exercise, the total, and why it is not final."""
    names = [one.name for one in grades.exercises]
    rows: list[list[Cell]] = [["student", "name", *names, "total", "not_final"]]
    for row in grades.rows:
        scores = [row.by_exercise[name].score for name in names]
        rows.append([row.student, row.name, *scores, row.total, row.note])
    return Product(table(rows))


def _rows(class_grades: ClassGrades) -> Iterator[tuple[Cell, ...]]:
    for grade in class_grades.grades:
        with class_grades.troubles.of(grade.student, "no row"):
            # All rows of a student, or none.
            yield from list(_student(class_grades, grade))


def _student(class_grades: ClassGrades, grade: FinalGrade) -> Iterator[tuple[Cell, ...]]:
    about = (class_grades.exercise.name, grade.student, grade.name, grade.status)
    parts = class_grades.parts(grade)
    for part in parts:
        yield (*about, part.step, shown(part.category), part.score, part.max_score)
    if not parts:
        yield (*about, "", "", grade.score, class_grades.max_score)

"""``json``: the final scores with all that they were made of, results and marks.

It is for programs, not for students.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from autograder.course.gradebook.course_grades import CourseGrades
from autograder.course.gradebook.final_grades import ClassGrades, FinalGrade
from autograder.course.gradebook.marks import Marks
from autograder.course.reports import course_json
from autograder.show.exports.export import CourseRequest, Product, Request

SCHEMA = "autograder/export/1"


def make(request: Request, class_grades: ClassGrades) -> Product:
    """All students in one JSON object."""
    about = {
        "schema": SCHEMA,
        "exercise": class_grades.exercise.name,
        "max_score": class_grades.max_score,
    }

    # A line for each student: readable with grep, and a large class needs no second copy of itself.
    lines = []
    for grade in class_grades.grades:
        with class_grades.troubles.of(grade.student, "not in the file"):
            lines.append(_text(_student(class_grades, grade)))

    students = ",\n".join(lines)
    text = f'{_text(about)[:-1]}, "students": [\n{students}\n]}}\n'
    return Product(text.encode("utf-8", "replace"))


def make_course(request: CourseRequest, grades: CourseGrades) -> Product:
    """All exercises with their weights, and all students with their totals."""
    return Product(course_json.text(grades).encode("utf-8", "replace"))


def _text(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, allow_nan=False)


def _student(class_grades: ClassGrades, grade: FinalGrade) -> dict[str, Any]:
    result = grade.result
    return {
        "student": grade.student,
        "name": grade.name,
        "status": grade.status,
        "score": grade.score,
        "parts": list(map(asdict, class_grades.parts(grade))),
        "marks": _marks(grade.marks) if grade.marks else None,
        "result": json.loads(result.to_json()) if result else None,
    }


def _marks(marks: Marks) -> dict[str, Any]:
    return {
        "automatic": marks.automatic,
        "by_hand": marks.by_hand,
        "extra_credit": marks.extra_credit,
        "late_penalty": marks.late_penalty,
        "raised": marks.raised,
        "submitted": f"{marks.submitted:%Y-%m-%dT%H:%M:%SZ}" if marks.submitted else None,
        "seconds_late": marks.seconds_late,
        "needs_manual_grade": marks.needs_manual_grade,
        "cells": {id: asdict(cell) for id, cell in marks.cells.items()},
    }

"""The whole course as one JSON object, for ``report --json`` and ``export --to json``."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from autograder.course.gradebook.course_grades import MOST, CourseExercise, CourseGrades, CourseRow

SCHEMA = "autograder/course/1"
"""What this is, and what version of it."""


def text(grades: CourseGrades) -> str:
    """A line for each student, so that it can be searched with grep."""
    about = {
        "schema": SCHEMA,
        "max_total": MOST,
        "not_handed_out": grades.waiting,
        "exercises": [_exercise(grades, one) for one in grades.exercises],
    }
    students = ",\n".join(_dumped(_student(row)) for row in grades.rows)
    return f'{_dumped(about)[:-1]}, "students": [\n{students}\n]}}\n'


def _dumped(data: dict[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, allow_nan=False)


def _exercise(grades: CourseGrades, one: CourseExercise) -> dict[str, Any]:
    return {
        "name": one.name,
        "title": one.title,
        "max_score": one.max_score,
        "weight": one.weight,
        "share": round(grades.share(one), 9),
        "due": one.due.isoformat() if one.due else None,
        "counts": one.counts,
        "why_not": one.why_not,
    }


def _student(row: CourseRow) -> dict[str, Any]:
    return {
        "student": row.student,
        "name": row.name,
        "total": row.total,
        "final": row.is_final,
        "exercises": {name: asdict(standing) for name, standing in row.by_exercise.items()},
    }

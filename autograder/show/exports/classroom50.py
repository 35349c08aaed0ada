"""``classroom50``: a ``result.json`` for each submission (classroom50/result/v1).

Format: schemas/result-v1.schema.json of Classroom 50, and the rules in its runner. It has whole
points only. A result is published in the student's own repository, so it has only names and points,
as far as ``feedback.hidden`` allows.
"""

from __future__ import annotations

import json
import math
import re
from datetime import datetime, timezone
from typing import Any

from autograder.base.errors import Unusable
from autograder.course.class_list import GITHUB, value_of
from autograder.course.gradebook import database
from autograder.course.gradebook.final_grades import ClassGrades, Grade
from autograder.show.disclosure import as_student_sees
from autograder.show.exports.export import Product, Request
from autograder.show.exports.safe_csv import number

_TIME = "%Y-%m-%dT%H:%M:%SZ"


def make(request: Request, class_grades: ClassGrades) -> Product:
    """A file for each student, and a note for each whose points are not whole."""
    organization, classroom = _classroom(request)
    disclosed = request.course.settings.feedback_hidden

    files: dict[str, bytes] = {}
    notes: list[str] = []
    for student, grade in class_grades.scored.items():
        with class_grades.troubles.of(student, "no result.json"):
            data = _result(grade, class_grades, disclosed, organization, classroom)
            text = json.dumps(data, ensure_ascii=False, indent=2) + "\n"
            files[f"{student}/result.json"] = text.encode()
            if data["score"] != grade.score:
                score = number(grade.score or 0.0)
                notes.append(f"rounded: {student}: {score} is {data['score']} there")
    return Product(files, tuple(notes))


def _classroom(request: Request) -> tuple[str, str]:
    """The organization, empty if none is given, and the classroom."""
    given = request.classroom or database.course_id(request.course)
    parts = re.fullmatch(r"(?:([\w.-]+)/)?([\w.-]+)", given, re.ASCII)
    if not parts:
        how = "write it as ORGANIZATION/CLASSROOM, as in the address on GitHub"
        raise Unusable(f"--classroom {given}", how)
    return parts[1] or "", parts[2]


def _result(
    grade: Grade, class_grades: ClassGrades, disclosed: str, organization: str, classroom: str
) -> dict[str, Any]:
    assignment = class_grades.exercise.name
    most = whole(class_grades.max_score)
    owner = value_of(grade.person or {}, GITHUB) or grade.student
    submitted, graded = _times(grade)
    digest = grade.result.submission_sha256 if grade.result else ""

    # The commit is unknown here, but the digest of the graded bytes is known.
    address = f"sha256:{digest or 'unknown'}"
    if organization:
        address = f"https://github.com/{organization}/{classroom}-{assignment}-{owner}".lower()

    return {
        "schema": "classroom50/result/v1",
        "classroom": classroom,
        "assignment": assignment,
        "assignment_type": "individual",
        "owner": owner,
        "submission": f"submit/{submitted:%Y-%m-%dT%H-%M-%SZ}-{digest[:7] or 'none'}",
        "commit": address,
        "release": address,
        "review": address,
        "datetime": submitted.strftime(_TIME),
        "graded_at": graded.strftime(_TIME),
        "score": min(whole(grade.score or 0.0), most),
        "max-score": most,
        "tests": _tests(grade, disclosed),
    }


def _tests(grade: Grade, disclosed: str) -> list[dict[str, Any]]:
    if grade.result is None:
        return []

    tests = []
    for id, check in as_student_sees(grade.result, disclosed).by_id.items():
        most = whole(check.points)
        score = {"score": min(whole(check.earned), most), "max-score": most}
        tests.append({"test-name": id, "passed": check.is_full, **score})
    return tests


def whole(points: float) -> int:
    """Points as Classroom 50 takes them: half a point counts as one, nothing is negative."""
    return max(0, math.floor(points + 0.5))


def _times(grade: Grade) -> tuple[datetime, datetime]:
    """The times when it was handed in and graded, in UTC.

    If one is unknown, the other is used; if both are, the current time.
    """
    graded = datetime.now(timezone.utc)
    if grade.result is not None:
        try:
            graded = datetime.fromisoformat(grade.result.graded_at).astimezone(timezone.utc)
        except ValueError:
            pass  # another program wrote this result

    submitted = grade.marks.submitted if grade.marks else None
    if submitted is None:
        return graded, graded
    return submitted.replace(tzinfo=timezone.utc), graded

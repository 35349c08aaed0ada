"""``classroom50``: a ``result.json`` for each submission (classroom50/result/v1), which knows whole
points only.

Format: schemas/result-v1.schema.json of Classroom 50, and the rules that stand in its runner. A
result is published in the student's own repository, so it holds names and points alone, as far as
``feedback.hidden`` allows.
"""

from __future__ import annotations

import json
import math
import re
from datetime import datetime, timezone
from typing import Any

from autograder.class_list import value_of
from autograder.disclosure import as_student_sees
from autograder.errors import Unusable
from autograder.exports.export import Product, Request
from autograder.exports.safe_csv import number
from autograder.gradebook import database
from autograder.gradebook.final_grades import Class, Standing

_TIME = "%Y-%m-%dT%H:%M:%SZ"
_LOGINS = {"github", "githubusername", "githublogin", "githubid", "username"}


def make(request: Request, everybody: Class) -> Product:
    organization, name = _classroom(request)
    files: dict[str, bytes] = {}
    notes: list[str] = []
    for student, one in everybody.scored.items():
        with everybody.troubles.of(student, "no result.json"):
            data = _result(
                one, everybody, request.course.settings.feedback_hidden, organization, name
            )
            files[f"{student}/result.json"] = (
                json.dumps(data, ensure_ascii=False, indent=2) + "\n"
            ).encode()
            if data["score"] != one.score:
                notes.append(
                    f"made whole: {student}: {number(one.score or 0.0)} is {data['score']} there"
                )
    return Product(files, tuple(notes))


def _classroom(request: Request) -> tuple[str, str]:
    given = request.classroom or database.course_id(request.course)
    found = re.fullmatch(r"(?:([\w.-]+)/)?([\w.-]+)", given, re.ASCII)
    if not found:
        raise Unusable(
            f"--classroom {given}: write it as ORGANIZATION/CLASSROOM, as in the address on GitHub"
        )
    return found[1] or "", found[2]


def _result(
    one: Standing, everybody: Class, disclosed: str, organization: str, classroom: str
) -> dict[str, Any]:
    assignment = everybody.exercise.name
    most = whole(everybody.max_score)
    owner = value_of(one.person or {}, _LOGINS) or one.student
    submitted, graded = _times(one)
    digest = one.result.submission_sha256 if one.result else ""
    # The commit is not known here; the bytes that were graded are.
    place = (
        f"https://github.com/{organization}/{classroom}-{assignment}-{owner}".lower()
        if organization
        else ""
    )
    where = place or f"sha256:{digest or 'unknown'}"
    return {
        "schema": "classroom50/result/v1",
        "classroom": classroom,
        "assignment": assignment,
        "assignment_type": "individual",
        "owner": owner,
        "submission": f"submit/{submitted:%Y-%m-%dT%H-%M-%SZ}-{digest[:7] or 'none'}",
        "commit": where,
        "release": where,
        "review": where,
        "datetime": submitted.strftime(_TIME),
        "graded_at": graded.strftime(_TIME),
        "score": min(whole(one.score or 0.0), most),
        "max-score": most,
        "tests": _tests(one, disclosed),
    }


def _tests(one: Standing, disclosed: str) -> list[dict[str, Any]]:
    result = as_student_sees(one.result, disclosed) if one.result else None
    return [
        {
            "test-name": step.id_of(check),
            "passed": check.earned == check.points,
            "score": min(whole(check.earned), whole(check.points)),
            "max-score": whole(check.points),
        }
        for step in (result.steps if result else ())
        for check in step.checks
    ]


def whole(points: float) -> int:
    """Points as Classroom 50 takes them: half a point counts as one, nothing is negative."""
    return max(0, math.floor(points + 0.5))


def _times(one: Standing) -> tuple[datetime, datetime]:
    """When it was handed in and graded, in UTC, as far as anybody knows: else when it was graded,
    else now."""
    graded = datetime.now(timezone.utc)
    if one.result is not None:
        try:
            graded = datetime.fromisoformat(one.result.graded_at).astimezone(timezone.utc)
        except ValueError:
            pass  # a result that another program wrote
    submitted = one.marks.submitted if one.marks else None
    return (submitted.replace(tzinfo=timezone.utc) if submitted else graded), graded

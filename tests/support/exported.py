"""A class for exports, in which everything has happened that can happen to a student."""

import csv
import io
from contextlib import redirect_stderr
from dataclasses import replace
from pathlib import Path

import pytest

from autograder import cli
from autograder.base import files
from autograder.course.course import Course
from autograder.course.gradebook import record
from autograder.course.results import result_path
from tests.support import courses, databases
from tests.support.courses import ALL_CHECKS, NAME, RIGHT

EVIL = '=HYPERLINK("http://evil.example";"click")'

PEOPLE = f"""\
id,name,email,Moodle ID,Canvas ID,Section
ada,Ada Byron,ada@school.example,101,9001,A
bob,Bob Noyce,bob@school.example,102,9002,A
cyd,Cyd Charisse,cyd@school.example,103,9003,B
dan,Dan Bricklin,dan@school.example,104,9004,B
eve,Eve Curie,eve@school.example,105,9005,B
fay,Fay Ajzenberg,fay@school.example,106,9006,B
gil,Gil Amelio,gil@school.example,107,9007,B
+hal,"{EVIL.replace('"', '""')}",hal@school.example,108,9008,"@SUM(1)"
"""

# The engine's marks on a result, which tests.support.courses leaves out.
REAL = {
    "submission_sha256": "ab" * 32,
    "graded_at": "2026-03-01T20:30:00+00:00",
}

SCORES = {
    "ada": 14.5,
    "bob": 2.5,
    "cyd": 7.0,
    "dan": 10.0,
    "eve": None,
    "fay": None,
    "gil": None,
    "+hal": 10.0,
}


def grade_everybody(course: Course) -> None:
    """Everything that can happen to a student: see SCORES. Nobody but ada has answered the
    question."""
    courses.class_list(course, PEOPLE)
    known = courses.load(course)
    visible = ("double-by_hand", "total-by_hand")
    everybody = [
        courses.graded(course, "ada", {**RIGHT, "why": "It commutes."}),
        courses.graded(course, "bob", RIGHT, visible),
        courses.graded(
            course, "cyd", RIGHT, tuple(check for check in ALL_CHECKS if check != "double-drawn")
        ),
        courses.graded(course, "dan", RIGHT),
        courses.graded(course, "+hal", RIGHT),
        courses.rejected(course, "eve"),
    ]
    fay = courses.graded(course, "fay", RIGHT)
    everybody.append(type(fay)(fay.result.without_steps("the grader failed"), fay.submission))
    record.prepare(course, known)
    courses.record(course, known, [one for one in everybody if one.result.student != "cyd"])
    for one in everybody:
        if one.result.student != "dan":
            path = result_path(course, NAME, str(one.result.student))
            files.write(path, replace(one.result, **REAL).to_json().encode())
    databases.of(course).by_hand(
        "why", "ada", manual_score=3.5, extra_credit=1.0, needs_manual_grade=False
    )
    # Three hours, at half a point each.
    config = course.root / "nbgrader_config.py"
    rule = "tests.support.latepolicy.HalfAPointAnHour"
    config.write_text(f"{config.read_text()}\nc.AssignLatePenalties.plugin_class = {rule!r}\n")
    gradebook = databases.of(course)
    gradebook.execute("UPDATE assignment SET duedate = '2026-03-01 12:00:00'")
    gradebook.execute(
        "UPDATE submitted_assignment SET timestamp = CASE student_id"
        " WHEN 'bob' THEN '2026-03-01 15:00:00' ELSE '2026-03-01 12:00:00' END",
    )


def run(*arguments: object, code: int = 0) -> str:
    """Export, and what that says on standard error."""
    said = io.StringIO()
    with pytest.raises(SystemExit) as stopped, redirect_stderr(said):
        cli.main(["export", NAME, *map(str, arguments)])
    assert (stopped.value.code or 0) == code
    return said.getvalue()


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8"), newline="")))

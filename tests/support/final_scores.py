"""The small course by the command line: what a final score is made of, and what it comes to."""

import json
import os
import subprocess
from datetime import datetime
from pathlib import Path
from typing import Any

from autograder.course.course import Course
from autograder.course.gradebook import final_grades
from tests.support import courses, databases, processes
from tests.support.courses import NAME

DUE = 'due.counting = "2026-11-20 12:00 UTC"\n'

LATE = "2026-11-20 15:00:00 UTC"

IN_TIME = "2026-11-20 11:00:00 UTC"

ZERO = 'c = get_config()\nc.LateSubmissionPlugin.penalty_method = "zero"\n'


def run(course: Course, *arguments: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    return processes.finished(*arguments, cwd=course.root, code=code)


def grade(course: Course, *options: object) -> subprocess.CompletedProcess[str]:
    return run(course, "grade", NAME, "--jobs", 1, *options)


def final(course: Course) -> dict[str, float | None]:
    """The score of everybody that counts in the end."""
    grades = final_grades.of_class(course, courses.load(course)).grades
    return {grade.student: grade.score for grade in grades}


def graded(course: Course, *options: object) -> dict[str, float | None]:
    """The same, after grading."""
    grade(course, *options)
    return final(course)


def students(course: Course, *options: object) -> dict[str, dict[str, Any]]:
    """What an export says of everybody, by student."""
    done = run(course, "export", NAME, "--to", "json", "--output", "-", *options)
    return {one["student"]: one for one in json.loads(done.stdout)["students"]}


def scores(course: Course, *options: object) -> dict[str, float | None]:
    return {student: one["score"] for student, one in students(course, *options).items()}


def settings(course: Course, text: str) -> None:
    (course.root / "autograder.toml").write_text(text)


def rule(course: Course, text: str = ZERO) -> None:
    course.state.mkdir(exist_ok=True)
    (course.state / "nbgrader_config.py").write_text(text)


def by_hand(course: Course, cell: str, student: str, **entered: float) -> None:
    """Enter marks as the formgrader does."""
    databases.of(course).by_hand(cell, student, **entered, needs_manual_grade=False)


def penalties(course: Course) -> list[float | None]:
    """What nbgrader's column says, and the formgrader shows."""
    query = "SELECT late_submission_penalty FROM submitted_notebook"
    return [row[0] for row in databases.of(course).rows(query)]


def advice(course: Course) -> str:
    return run(course, "report", NAME).stdout


def put(
    course: Course, student: str, answers: dict[str, str], time: datetime, name: str = NAME
) -> Path:
    """A download in the inbox."""
    path = course.inbox / student / f"{name}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(courses.handed_in(course, answers))
    os.utime(path, (time.timestamp(), time.timestamp()))
    return path

"""How much of the disk a course takes for each student, in bytes.

What was handed in is kept as it is; all that the kit makes of it is small, whatever it was.
"""

import shutil
from collections import Counter
from pathlib import Path

import pytest

from autograder.course.course import Course
from tests.support import courses, processes
from tests.support.courses import NAME, RIGHT, ROOT

pytestmark = pytest.mark.usefixtures("graded_here")

COMMANDS = ("grade", "feedback", "report", "export")
LINE = "x = 1  # " + "a" * 90 + "\n"

LARGEST = {
    "cells": {**RIGHT, **{f"extra{number}": LINE for number in range(1900)}},
    "broken": {**RIGHT, **{f"extra{number}": "y = (((" for number in range(1900)}},
    "magic": {**RIGHT, **{f"extra{number}": f"%%no{number}\n" for number in range(1900)}},
    "the same": {**RIGHT, **{f"extra{number}": RIGHT["double"] for number in range(1900)}},
    "a long step": {**RIGHT, "double": RIGHT["double"] + LINE * 2900},
    "an answer of one line": {**RIGHT, "why": "word " * 190_000},
    "an answer of many lines": {**RIGHT, "why": "w\n\n" * 300_000},
    "a long message": {
        "double": "def double(x):\n    return '\\0' * 1_000_000\n",
        "total": "def total(x):\n    raise ValueError('\\n' * 1_000_000)\n",
    },
}
"""As much as can be handed in, of each kind."""


def sizes(course: Course, student: str) -> Counter[str]:
    """The bytes of a student's own files, by folder of the course."""
    found: Counter[str] = Counter()
    for path in course.state.rglob("*"):
        place = path.relative_to(course.state)
        if path.is_file() and student in (*place.parts, path.stem):
            found[place.parts[0]] += path.stat().st_size
    return found


def run(course: Course, exercise: str, root: Path) -> None:
    for command in COMMANDS:
        options = ["--jobs", 1] if command == "grade" else []
        processes.finished("--course", course.state, command, exercise, *options, cwd=root)


def test_a_students_attention_takes_no_more_than_twice_the_file(tmp_path):
    """The file is 200 kB, a third of it the same tools for everybody."""
    course = Course(ROOT, tmp_path / "course")
    for student, place in (("blank", "assignments"), ("right", "solutions")):
        (course.submitted / student / "attention").mkdir(parents=True)
        notebook = ROOT / place / "attention" / "attention.ipynb"
        shutil.copy(notebook, course.submitted / student / "attention")
    run(course, "attention", ROOT)

    for student in ("blank", "right"):
        found = sizes(course, student)
        assert found.keys() == {"submitted", "autograded", "feedback", "results"}
        assert found["autograded"] < 140_000
        assert found["feedback"] < 62_000
        assert found["results"] < 35_000
    everything = [path for path in course.state.rglob("*") if path.is_file()]
    of_everybody = sum(path.stat().st_size for path in everything) - sum(
        sizes(course, student).total() for student in ("blank", "right")
    )
    assert of_everybody < 1_000_000


def test_whatever_a_student_hands_in_all_that_is_made_of_it_is_small(course):
    students = {name.replace(" ", "_"): answers for name, answers in LARGEST.items()}
    for student, answers in students.items():
        courses.submit(course, student, answers, "2026-11-20 11:00:00 UTC")
    run(course, NAME, course.root)
    assert {path.stem for path in (course.results / NAME).glob("*.json")} == students.keys()
    for student in students:
        found = sizes(course, student)
        assert found["autograded"] < 450_000, student
        assert found["feedback"] < 80_000 and found["results"] < 20_000, student
    shared = [
        *course.state.glob("*.*"),
        *course.reports.glob("*"),
        *course.state.glob("exports/*/*"),
    ]
    assert sum(path.stat().st_size for path in shared) < 100_000 * len(students)

"""A class of students whose answers take time, and what is left when it has been graded."""

import json
import subprocess
from pathlib import Path

import pytest

from autograder.base.result import Result
from autograder.course.course import Course
from autograder.course.grading import grade_class
from autograder.course.results import stored_results
from autograder.course.troubles import Troubles
from tests.support import courses, databases, stock
from tests.support.courses import NAME, RIGHT, SIZES_ALONE
from tests.support.graders import GradedHere
from tests.support.processes import call

SLOW = "import time\ndef double(x):\n    time.sleep({seconds})\n    return 2 * np.asarray(x)\n"


def hand_in(course: Course, size: int, seconds: float = 0.02, note: str = "") -> None:
    """A class of slow students; some are wrong, one has handed in no notebook."""
    for number in range(size):
        answers = {**RIGHT, "double": SLOW.format(seconds=seconds), "why": f"Because {note}."}
        if number % 3 == 1:
            answers["total"] = SIZES_ALONE
        folder = courses.submit(
            course, f"s{number:02}", answers, f"2026-11-20 12:00:{number:02} UTC"
        )
        if number == 5:
            (folder / f"{NAME}.ipynb").write_text("no notebook")


def grade(course: Course, *arguments: object) -> subprocess.CompletedProcess[str]:
    return call("grade", NAME, "--jobs", 2, *arguments, cwd=course.root)


def grade_here(course: Course) -> None:
    """The same undisturbed, in this process: to start others takes longer than to grade."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grade_class, "LocalPool", GradedHere)
        assert grade(course).returncode == 0


def stored(course: Course) -> list[Path]:
    return sorted((course.results / NAME).glob("*.json"))


def url(course: Course) -> str:
    return f"sqlite:///{course.gradebook}"


def results(course: Course) -> dict[str, Result]:
    return {str(result.student): result for result in stored_results(course, NAME, Troubles())}


def everything(course: Course) -> dict[str, object]:
    """What grading leaves: files by their bytes, the gradebook by its rows, results by their fields.

    Without the time of grading, and without the isolation level.
    """
    folders = (course.results, course.autograded)
    files = {
        str(path.relative_to(course.state)): path.read_bytes()
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file()
    }
    found: dict[str, object] = {
        name: data for name, data in files.items() if not name.endswith(".json")
    }
    for name in files.keys() - found.keys():
        # A parent of workers that is killed while its level is tried gives way to the next level.
        found[name] = {**json.loads(files[name]), "graded_at": "", "isolation": ""}
    return found | {
        query: databases.rows(url(course), query) for query in (stock.CONTENTS, stock.STUDENTS)
    }

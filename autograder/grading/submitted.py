"""What lies where submissions are graded: whose it is, each as a task, and what was graded read
again."""

from __future__ import annotations

import contextlib
import difflib
import hashlib
import os
from collections.abc import Collection
from pathlib import Path

from autograder import results
from autograder.course import STUDENT_ID, Course
from autograder.errors import Unusable
from autograder.exercises.exercise import Exercise
from autograder.grading.processes import Task
from autograder.result import Result
from autograder.submissions.notebook import Rejected, read
from autograder.submissions.parse import Submission, parse


def students_in(folder: Path, exercise: str) -> list[str]:
    """The students who handed something in: folders whose name is a student id, and with the
    exercise in them.

    Raises:
        Unusable: the folder cannot be read.
    """
    return [name for name in _folders(folder, exercise) if STUDENT_ID.match(name)]


def strangers_in(folder: Path, exercise: str) -> list[str]:
    """Folders with a submission whose name is no student id: nobody's, so they are left out, and
    listed."""
    return [name for name in _folders(folder, exercise) if not STUDENT_ID.match(name)]


def misspelt_in(folder: Path, exercise: str, others: Collection[str]) -> list[str]:
    """Folders of students without this exercise, but with one of nearly its name, which is no other
    exercise's."""
    found = []
    for student in _within(folder):
        # A folder that nobody may read, such as lost+found, is no reason to refuse a class.
        if not os.path.lexists(folder / student / exercise) and os.access(
            folder / student, os.R_OK
        ):
            names = [name for name in _within(folder / student) if name not in others]
            found += [
                f"{student}/{name}"
                for name in difflib.get_close_matches(exercise, names, n=1, cutoff=0.75)
            ]
    return found


def _folders(folder: Path, exercise: str) -> list[str]:
    return [name for name in _within(folder) if os.path.lexists(folder / name / exercise)]


def _within(folder: Path) -> list[str]:
    try:
        return sorted(
            entry.name for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False)
        )
    except FileNotFoundError:
        return []
    except OSError as error:
        raise Unusable(
            f"{folder}: {error.strerror}; name the folder of submissions with --submitted"
        ) from None


def task_of(course: Course, exercise: str, folder: Path, student: str, force: bool) -> Task:
    """The submission of a student, with its stored result unless it is to be graded anew in any
    case."""
    path = folder / student / exercise / f"{exercise}.ipynb"
    old = None
    if not force:
        with contextlib.suppress(OSError):  # without its stored result a submission is graded anew
            old = results.result_path(course, exercise, student).read_bytes()
    try:
        if path.parent.is_symlink():  # to another student's, it may be
            cause = "lies in a folder that is a link"
            raise Rejected(cause, "links are not followed")
        return Task(student, read(notebook_of(path)), None, old)
    except Rejected as rejected:
        return Task(student, b"", f"{path.name} {rejected}")
    except OSError as error:
        return Task(student, b"", f"{path.name} cannot be read: {str(error.strerror).lower()}")


def notebook_of(path: Path) -> Path:
    """The submitted notebook; a percent script where there is none."""
    script = path.with_suffix(".py")
    return script if not os.path.lexists(path) and os.path.lexists(script) else path


def submission_of(course: Course, exercise: Exercise, result: Result) -> Submission | None:
    """What a result was computed from; None where it is gone, or something else lies there by
    now."""
    folder = course.submission(str(result.student), exercise.name)

    # A notebook comes first, but the script that was graded may still lie beside a later one.
    for suffix in (".ipynb", ".py"):
        try:
            data = read(folder / f"{exercise.name}{suffix}")
            if hashlib.sha256(data).hexdigest() == result.submission_sha256:
                return parse(data, exercise)
        except Rejected:
            continue
    return None

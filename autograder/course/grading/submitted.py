"""The folder of submissions: whose each is, and each as a task."""

from __future__ import annotations

import contextlib
import difflib
import hashlib
import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from autograder.base.errors import Unusable
from autograder.base.files import below
from autograder.base.result import Result
from autograder.course import results
from autograder.course.course import STUDENT_ID, Course
from autograder.course.folder import notebook_of
from autograder.course.grading.processes import Task
from autograder.exercises.exercise import Exercise
from autograder.submissions.notebook import Rejected, read
from autograder.submissions.parse import parse
from autograder.submissions.submission import Submission

ALIKE = 0.75
"""How much like an exercise's name, from 0 to 1, another one is taken for a misspelling of it."""


@dataclass(frozen=True)
class Scan:
    """The folders of students in a folder of submissions, in the order of their names.

    ``students`` have handed in the exercise. ``strangers`` have, too, but their names are no
    student ids: these are nobody's, so they are left out, and listed. ``others`` have not.
    """

    folder: Path
    exercise: str
    students: tuple[str, ...]
    strangers: tuple[str, ...]
    others: tuple[str, ...]

    def misspelt(self, exercises: Collection[str]) -> list[str]:
        """The folders of students that are named nearly like the exercise.

        Args:
            exercises: whose folders are not meant to be this one's.
        """
        misspelt = []
        for student in self.others:
            # A folder that nobody may read, such as lost+found, is no reason to refuse a class.
            if os.access(self.folder / student, os.R_OK):
                names = [name for name in _within(self.folder / student) if name not in exercises]
                for name in difflib.get_close_matches(self.exercise, names, n=1, cutoff=ALIKE):
                    misspelt.append(f"{student}/{name}")
        return misspelt

    def misplaced(self) -> list[str]:
        """What lies beside a student's folder of the exercise, which is not there."""
        names = (f"{self.exercise}.ipynb", f"{self.exercise}.py")
        files = (f"{student}/{name}" for student in self.others for name in names)
        return [file for file in files if os.path.isfile(self.folder / file)]


def scan(folder: Path, exercise: str) -> Scan:
    """Who has handed in an exercise; nobody where there is no such folder.

    Raises:
        Unusable: the folder cannot be read.
    """
    students, strangers, others = [], [], []
    for name in _within(folder):
        if not os.path.lexists(folder / name / exercise):
            others.append(name)
        elif STUDENT_ID.match(name):
            students.append(name)
        else:
            strangers.append(name)
    return Scan(folder, exercise, tuple(students), tuple(strangers), tuple(others))


def _within(folder: Path) -> list[str]:
    """The names of the folders in a folder, sorted."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise Unusable(
            f"{folder}: {error.strerror}; name the folder of submissions with --submitted"
        ) from None


def task_of(course: Course, exercise: str, folder: Path, student: str, force: bool) -> Task:
    """The submission of a student as a task for a grader process.

    Args:
        force: it is to be graded anew in any case, and so goes without its stored result.
    """
    path = below(folder, student, exercise, f"{exercise}.ipynb", follow=False)
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


def submission_of(course: Course, exercise: Exercise, result: Result) -> Submission | None:
    """What a result was computed from; None where it no longer lies there."""
    folder = course.submission(result.student_id, exercise.name)

    # A notebook comes first, but the script that was graded may still lie beside a later one.
    for suffix in (".ipynb", ".py"):
        try:
            data = read(folder / f"{exercise.name}{suffix}")
            if hashlib.sha256(data).hexdigest() == result.submission_sha256:
                return parse(data, exercise)
        except Rejected:
            continue
    return None

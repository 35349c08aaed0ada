"""The folder of a submission: whether it is there, its bytes, and what is secret of it."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from autograder.base import files
from autograder.course.course import STUDENT_ID, Course
from autograder.submissions.notebook import Rejected, read

SECRET = "submission_secret.txt"
"""The file in which ``nbgrader submit`` keeps the secret that names the student's feedback."""


def handed_in(course: Course, exercise: str) -> set[str]:
    """Who has a submission of the exercise there, graded or not."""
    try:
        names = os.listdir(course.submitted)
    except OSError:
        return set()

    found = set()
    for name in names:
        if STUDENT_ID.match(name) and os.path.lexists(course.submission(name, exercise)):
            found.add(name)
    return found


def digest(course: Course, exercise: str, student: str) -> str | None:
    """The SHA-256 of what would be graded now; None where nothing of the student lies there."""
    return digest_of(course.submission(student, exercise), exercise)


def digests(course: Course, exercise: str, students: Iterable[str]) -> dict[str, str | None]:
    """The same for many, by student; in threads, which read and hash at the same time."""
    names = list(students)
    with ThreadPoolExecutor() as threads:
        found = threads.map(partial(digest, course, exercise), names)
        return dict(zip(names, found))


def digest_of(folder: Path, exercise: str) -> str | None:
    """The same of any folder of a submission."""
    if not os.path.lexists(folder):
        return None
    try:
        if folder.is_symlink():
            raise Rejected("is a link", "links are not followed")
        data = read(notebook_of(folder / f"{exercise}.ipynb"))
    except (Rejected, OSError):
        # It is rejected without its bytes.
        data = b""
    return hashlib.sha256(data).hexdigest()


def notebook_of(path: Path) -> Path:
    """The submitted notebook; a percent script where there is none."""
    script = path.with_suffix(".py")
    return script if not os.path.lexists(path) and os.path.lexists(script) else path


def read_secret(folder: Path | int) -> str | None:
    """The secret that ``nbgrader submit`` put into a folder; None without a sound one.

    Args:
        folder: a path or an open directory.
    """
    try:
        if isinstance(folder, int):
            text = files.read(SECRET, 1000, folder)
        else:
            text = files.read(folder / SECRET, 1000)
    except (files.Refused, OSError):
        return None
    match = re.fullmatch(rb"\s*([0-9a-f]{32,256})\s*", text)
    return match[1].decode() if match else None

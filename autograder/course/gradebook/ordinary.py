"""Ordinary nbgrader assignments in a course, and their points.

They are neither built nor checked by the kit. ``marks`` reads their cells and scores from
nbgrader's tables; extensions and rules for late work are the course's, as for exercises of the kit.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, select

from autograder.base import files
from autograder.base.errors import Unusable
from autograder.base.files import Refused, below
from autograder.course.course import Course
from autograder.course.gradebook import database, marks
from autograder.course.gradebook.database import ASSIGNMENT
from autograder.exercises.exercise import Exercise, belongs, built_names
from autograder.exercises.sources import folders


def names(course: Course) -> list[str]:
    """The assignments that nbgrader has generated and that are not exercises of the kit."""

    def work(connection: Connection) -> list[str]:
        return [str(name) for name in connection.scalars(select(ASSIGNMENT.c.name))]

    none: list[str] = []
    found = database.read(course, work, none)
    return sorted(name for name in found if not belongs(course.root, name))


def find(course: Course, name: str) -> Exercise:
    """An ordinary nbgrader assignment, as an exercise without cells.

    Raises:
        Unusable: there is none of this name.
    """
    known = names(course)
    if name not in known:
        try:
            is_there = below(course.root / folders(course.root)[0], name, follow=False).is_dir()
        except Refused:
            is_there = False
        if is_there and not belongs(course.root, name):
            repair = f"run nbgrader generate_assignment {name}"
            raise Unusable(name, "nbgrader has not generated it yet", repair)
        there = ", ".join([*built_names(course.root), *known]) or "none"
        raise Unusable(name, f"no such exercise in {course.root}", f"there are: {there}")
    return Exercise(name, "", (), {})


def note(course: Course, student: str, name: str, digest: str, why: str) -> None:
    """Store the digest of the bytes that were graded, and why grading failed, if it did."""
    files.write(_note_at(course, student, name), f"{digest}\n{why}\n".encode())


def noted(course: Course, student: str, name: str) -> tuple[str, str] | None:
    """What ``note`` stored: the digest, and why there is no grade; None without any."""
    try:
        digest, why = _note_at(course, student, name).read_text("utf-8").split("\n")[:2]
    except (OSError, ValueError):
        return None
    is_there = why or course.autograded_of(student, name).is_dir()
    return (digest, why) if is_there else None


def forget_note(course: Course, student: str, name: str) -> None:
    """Delete what ``note`` stored, before grading again."""
    _note_at(course, student, name).unlink(missing_ok=True)


def notebooks(course: Course, name: str) -> list[str]:
    """The names of an assignment's notebooks."""
    none: Sequence[Any] = []
    found = database.read(course, lambda connection: marks.notebooks(connection, name), none)
    return [notebook.name for notebook in found]


def _note_at(course: Course, student: str, name: str) -> Path:
    """The file is next to the student's graded folders, so it is moved and deleted with them."""
    return below(course.autograded, student, f".{name}.graded", follow=False)


def max_score(course: Course, name: str) -> float:
    """The points of all notebooks of an assignment."""

    def work(connection: Connection) -> float:
        total = 0.0
        for notebook in marks.notebooks(connection, name):
            total += sum(cell.max_score or 0.0 for cell in marks.cells_of(connection, notebook.id))
        return round(total, 9)

    return database.read(course, work, 0.0)

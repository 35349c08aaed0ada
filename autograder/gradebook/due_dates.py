"""Due dates: those of the course's settings, which the gradebook follows."""

from __future__ import annotations

import re
import sys
from datetime import datetime

from sqlalchemy import Connection, select, update

from autograder.course import Course
from autograder.gradebook import database
from autograder.gradebook.schema import ASSIGNMENT
from autograder.settings import NAME
from autograder.text import on_day

_SAID = re.compile(r"\n\n\*\*Due: [^\n]*\.\*\*\s*\Z")


def with_due(text: str, due: datetime) -> str:
    """A cell of text as students get it, with the date on which the exercise is due."""
    return f"{text.rstrip()}\n\n**Due: {on_day(due)}.**"


def without_due(text: str) -> str:
    """The same without any date, as the exercise is built."""
    return _SAID.sub("", text)


def due_date(course: Course, exercise: str) -> datetime | None:
    """When an exercise is due, by the course's settings, else by the gradebook.

    In UTC without a zone; None without a date.
    """
    return course.settings.due_date(exercise) or stored(course, exercise)


def stored(course: Course, exercise: str) -> datetime | None:
    """The date that the gradebook has, and the formgrader shows."""
    return database.read(course, lambda connection: _stored(connection, exercise), None)


def follow(connection: Connection, course: Course, exercise: str) -> None:
    """Give the gradebook the date of the settings, and say so where it had another one."""
    due = course.settings.due_date(exercise)
    old = _stored(connection, exercise)
    if due is None or due == old:
        return

    connection.execute(update(ASSIGNMENT).where(ASSIGNMENT.c.name == exercise).values(duedate=due))
    if old is not None:
        line = (
            f"note: {exercise} is due {due:%Y-%m-%d %H:%M} UTC, by due.{exercise} in {NAME}; "
            f"the gradebook had {old:%Y-%m-%d %H:%M} UTC, and follows"
        )
        print(line, file=sys.stderr)


def _stored(connection: Connection, exercise: str) -> datetime | None:
    return connection.scalar(select(ASSIGNMENT.c.duedate).where(ASSIGNMENT.c.name == exercise))

"""Due dates: those of the course's settings, which the gradebook follows."""

from __future__ import annotations

import re
import sys
from datetime import datetime, timedelta

from sqlalchemy import Connection, select, update

from autograder.base.settings import NAME
from autograder.base.text import on_day
from autograder.course import timestamp
from autograder.course.course import Course
from autograder.course.gradebook import database, extensions
from autograder.course.gradebook.schema import ASSIGNMENT, SUBMITTED_ASSIGNMENT

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


class TimeLeft:
    """Who still has time for an exercise: until it is due, or by an extension."""

    def __init__(self, course: Course, exercise: str) -> None:
        self._exercise = exercise
        self._zone = course.settings.zone
        self._due = due_date(course, exercise)
        self._given = extensions.read(course)
        none: dict[str, timedelta | None] = {}
        self._stored = database.read(course, lambda opened: _extensions(opened, exercise), none)

    def of(self, student: str) -> str:
        """Until when a student has time, in words; empty where that is over, or never ended."""
        until = self._given.of(student, self._exercise)
        if self._due is not None:
            stored = self._stored.get(student)
            until = self._given.deadline(student, self._exercise, self._due, stored)
        if until is None or until <= timestamp.now():
            return ""
        if until == extensions.FOR_EVER:
            return "has time without an end"
        return f"has time until {on_day(timestamp.shown(until, self._zone))}"


def _extensions(connection: Connection, exercise: str) -> dict[str, timedelta | None]:
    """What the gradebook has, also of who handed in nothing, by student."""
    query = (
        select(SUBMITTED_ASSIGNMENT.c.student_id, SUBMITTED_ASSIGNMENT.c.extension)
        .join(ASSIGNMENT, ASSIGNMENT.c.id == SUBMITTED_ASSIGNMENT.c.assignment_id)
        .where(ASSIGNMENT.c.name == exercise)
    )
    return {row.student_id: row.extension for row in connection.execute(query)}


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

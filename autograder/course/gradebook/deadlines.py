"""Due dates, extensions and late penalties.

Due dates come from the course's settings, and ``extensions.csv`` gives some students more time; the
gradebook follows both. The rule for late work is in the settings or in nbgrader's plugin. A penalty
is always computed from the current score, due date and rule: the gradebook has only a copy for
nbgrader.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, select, update

from autograder.base import times
from autograder.base.errors import Unusable
from autograder.base.settings import NAME
from autograder.base.text import on_day
from autograder.course import class_list, timestamp
from autograder.course.course import STUDENT_ID, Course
from autograder.course.gradebook import config as host
from autograder.course.gradebook import database
from autograder.course.gradebook.database import ASSIGNMENT, SUBMITTED_ASSIGNMENT
from autograder.exercises.sources import is_authored

if TYPE_CHECKING:
    from traitlets.config import Config

EXTENSIONS = "extensions.csv"
"""The file next to ``students.csv`` that gives some students more time."""

COLUMNS = ("who", "exercise", "until")
WAIVED = "waived"

FOR_EVER = datetime.max
"""The deadline of a student who is never late."""

OURS = timedelta(microseconds=7)
"""The mark that is added to extensions in the gradebook that come from the file.

It distinguishes them from extensions given in nbgrader, which stay if the file has none.
"""

_LONG = timedelta(days=3650)
"""nbgrader's version of an unlimited extension."""


def due_date(course: Course, exercise: str) -> datetime | None:
    """The due date of an exercise, from the course's settings, or else from the gradebook.

    It is in UTC without a zone; None without a date.
    """
    return course.settings.due_date(exercise) or stored_due(course, exercise)


def stored_due(course: Course, exercise: str) -> datetime | None:
    """The due date in the gradebook, which the formgrader shows."""
    return database.read(course, lambda connection: _stored(connection, exercise), None)


def follow_due(connection: Connection, course: Course, exercise: str) -> None:
    """Write the due date of the settings into the gradebook, and report a changed one."""
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


@dataclass(frozen=True)
class Extensions:
    """Deadlines of students, by student and exercise; "" is every exercise.

    Times are UTC without a zone, as in the gradebook.
    """

    until: Mapping[tuple[str, str], datetime] = field(default_factory=dict)

    def of(self, student: str, exercise: str) -> datetime | None:
        """A student's deadline in the file; None if it has none."""
        ends = [self.until.get((student, name)) for name in ("", exercise)]
        return max((end for end in ends if end is not None), default=None)

    def deadline(
        self, student: str, exercise: str, due: datetime | None, stored: timedelta | None
    ) -> datetime | None:
        """A student's deadline; None without a due date.

        Args:
            stored: the extension in the gradebook.
        """
        if due is None:
            return None
        granted = timedelta() if stored is None or is_ours(stored) else stored
        return max(due + granted, self.of(student, exercise) or due)

    def interval(
        self, student: str, exercise: str, due: datetime | None, stored: timedelta | None
    ) -> timedelta | None:
        """The extension that the gradebook should have."""
        kept = None if stored is None or is_ours(stored) else stored
        until = self.of(student, exercise)
        if due is None or until is None or until <= due + (kept or timedelta()):
            return kept
        return (_LONG if until == FOR_EVER else until - due) + OURS


def is_ours(extension: timedelta) -> bool:
    """Whether an extension in the gradebook comes from the file."""
    return extension.microseconds == OURS.microseconds


def extensions(course: Course) -> Extensions:
    """The extensions of the course's file; none if there is no file.

    Raises:
        Unusable: it cannot be read, or a line has no valid student, exercise or time.
    """
    path = course.state / EXTENSIONS
    if not path.is_file():
        return Extensions()

    rows, titles = class_list.table(path)
    headings = {title.strip().casefold(): title for title in titles}
    lacks = [column for column in COLUMNS if column not in headings]
    if lacks:
        repair = f"write {','.join(COLUMNS)} into the first line"
        raise Unusable(f"{path}:1", f"no column {lacks[0]}", repair)

    people = course.class_list()
    query, none = select(ASSIGNMENT.c.name), set[str]()
    ordinary = database.read(course, lambda opened: {*opened.scalars(query)}, none)
    until: dict[tuple[str, str], datetime] = {}
    for line, row in rows:
        who, exercise, time = ((row[headings[column]] or "").strip() for column in COLUMNS)
        try:
            students = _students(who, people)
        except ValueError as error:
            raise Unusable(f"{path}:{line}", str(error)) from None
        try:
            end = FOR_EVER
            if time.casefold() != WAIVED:
                end = timestamp.stored(times.read(time, course.settings.zone))
        except ValueError as error:
            raise Unusable(f"{path}:{line}", f"until {time!r}: {error}, or {WAIVED}") from None
        if exercise and not is_authored(course.root, exercise) and exercise not in ordinary:
            cause = f"{exercise!r} is not an exercise of the course"
            raise Unusable(f"{path}:{line}", cause, "leave it empty for all")
        for student in students:
            # If two lines match, the more generous one counts.
            key = student, exercise
            until[key] = max(until.get(key, end), end)
    return Extensions(until)


def _students(who: str, people: Mapping[str, Mapping[str, str]] | None) -> list[str]:
    """The students that a line names: one by id, or all of a group."""
    if people is None:
        if STUDENT_ID.match(who):
            return [who]
        raise ValueError(f"{who!r} is not a student id; write one, or a group of students.csv")

    group = []
    for student, person in people.items():
        if class_list.value_of(person, {"group"}) == who:
            group.append(student)
    if who in people and group:
        raise ValueError(f"{who!r} is a student and a group; give the group another name")
    if who in people:
        return [who]
    if group and who:
        return group
    raise ValueError(
        f"{who!r} is neither a student nor a group of students.csv; correct or delete it"
    )


class TimeLeft:
    """The students who still have time for an exercise: until it is due, or by an extension."""

    def __init__(self, course: Course, exercise: str) -> None:
        self._exercise = exercise
        self._zone = course.settings.zone_shown(exercise)
        self._due = due_date(course, exercise)
        self._given = extensions(course)
        # This includes students who handed in nothing.
        query = (
            select(SUBMITTED_ASSIGNMENT.c.student_id, SUBMITTED_ASSIGNMENT.c.extension)
            .join(ASSIGNMENT, ASSIGNMENT.c.id == SUBMITTED_ASSIGNMENT.c.assignment_id)
            .where(ASSIGNMENT.c.name == exercise)
        )
        none: Sequence[Any] = []
        rows = database.read(course, lambda opened: opened.execute(query).all(), none)
        self._stored = {row.student_id: row.extension for row in rows}

    def of(self, student: str) -> str:
        """A student's deadline in words; empty if it has passed, or if there is none."""
        until = self._until(student) or self._given.of(student, self._exercise)
        if until is None or until <= timestamp.now():
            return ""
        if until == FOR_EVER:
            return "has time without an end"
        return f"has time until {on_day(timestamp.shown(until, self._zone))}"

    def is_over(self, student: str) -> bool:
        """Whether a student's deadline has passed; False without a due date."""
        until = self._until(student)
        return until is not None and until <= timestamp.now()

    def _until(self, student: str) -> datetime | None:
        stored = self._stored.get(student)
        return self._given.deadline(student, self._exercise, self._due, stored)


def seconds_late(submitted: datetime | None, deadline: datetime | None) -> float:
    """The seconds after the student's deadline; 0 if in time, or if a time is unknown."""
    if submitted is None or deadline is None:
        return 0.0
    return max(0.0, (submitted - deadline).total_seconds())


class Penalties:
    """The penalties for late work on an exercise.

    The rule in the settings gives them, or else the course's plugin
    (``c.AssignLatePenalties.plugin_class``).
    """

    def __init__(self, course: Course, exercise: str) -> None:
        self._course = course
        self._rule = course.settings.late_rule(exercise)

    def of(self, student: str, score: float, seconds: float) -> float:
        """The penalty on a score that came this late; never more than the score.

        Raises:
            Unusable: the plugin fails, or does not return a number.
        """
        if self._rule is not None:
            return self._rule.penalty(score, seconds)
        if not self.has_rule:
            return 0.0

        try:
            penalty = self._plugin.late_submission_penalty(student, score, seconds)
            penalty = 0.0 if penalty is None else float(penalty)
            if math.isnan(penalty):
                raise ValueError("it gave no number")
            return min(max(penalty, 0.0), max(score, 0.0))
        # The plugin is the teacher's program, and may raise anything.
        except Exception as error:
            raise Unusable(
                "nbgrader_config.py",
                f"the late penalty for {student} failed with {type(error).__name__}: {error}",
                "correct AssignLatePenalties.plugin_class",
            ) from None

    def load(self) -> None:
        """Load nbgrader and the plugin, which takes seconds: never while a database is locked."""
        if self._rule is None and self.has_rule:
            with suppress(Exception):  # the error is reported for each late student
                _ = self._plugin

    @cached_property
    def has_rule(self) -> bool:
        """Whether a rule is configured: nbgrader itself gives no penalty."""
        sections = ("AssignLatePenalties", "LateSubmissionPlugin")
        return self._rule is not None or any(section in self._config for section in sections)

    @cached_property
    def _config(self) -> Config:
        return host.config(self._course)

    @cached_property
    def _plugin(self) -> Any:
        from nbgrader.preprocessors import AssignLatePenalties

        preprocessor = AssignLatePenalties(config=self._config)
        preprocessor.init_plugin()
        return preprocessor.plugin_inst

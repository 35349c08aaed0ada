"""More time for some: ``extensions.csv`` beside ``students.csv``, which the gradebook follows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from autograder.base import moment
from autograder.base.errors import Unusable
from autograder.course import class_list, timestamp
from autograder.course.course import STUDENT_ID, Course
from autograder.exercises.sources import is_authored

NAME = "extensions.csv"
COLUMNS = ("who", "exercise", "until")
WAIVED = "waived"

FOR_EVER = datetime.max
"""Until when somebody has time who is never late."""

OURS = timedelta(microseconds=7)
"""What is added to an extension that the gradebook has from the file.

So it is told from one that a person gave in nbgrader, which stays where the file says nothing.
"""

_LONG = timedelta(days=3650)
"""As what nbgrader, which knows no other, gets an extension without an end."""


@dataclass(frozen=True)
class Extensions:
    """Until when students have time, by student and exercise; "" is every exercise.

    Times are UTC without a zone, as in the gradebook.
    """

    until: Mapping[tuple[str, str], datetime] = field(default_factory=dict)

    def of(self, student: str, exercise: str) -> datetime | None:
        """Until when a student has time; None where the file says nothing."""
        ends = [self.until.get((student, name)) for name in ("", exercise)]
        return max((end for end in ends if end is not None), default=None)

    def deadline(
        self, student: str, exercise: str, due: datetime | None, stored: timedelta | None
    ) -> datetime | None:
        """Until when a student is in time; None without a due date.

        Args:
            stored: the extension that stands in the gradebook.
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
    """Whether the gradebook has this one from the file."""
    return extension.microseconds == OURS.microseconds


def read(course: Course) -> Extensions:
    """The extensions of the course's file; none where there is no file.

    Raises:
        Unusable: it cannot be read, or a line names nobody, no exercise or no time.
    """
    path = course.state / NAME
    if not path.is_file():
        return Extensions()

    rows, titles = class_list.table(path)
    headings = {title.strip().casefold(): title for title in titles}
    lacks = [column for column in COLUMNS if column not in headings]
    if lacks:
        repair = f"write {','.join(COLUMNS)} into the first line"
        raise Unusable(f"{path}:1: no column {lacks[0]}; {repair}")

    people = course.class_list()
    until: dict[tuple[str, str], datetime] = {}
    for line, row in rows:
        who, exercise, time = ((row[headings[column]] or "").strip() for column in COLUMNS)
        try:
            students = _students(who, people)
            end = _end(course, time)
            _insist_on_an_exercise(course, exercise)
        except ValueError as error:
            raise Unusable(f"{path}:{line}: {error}") from None
        for student in students:
            # Of two lines that fit the more generous one counts.
            key = student, exercise
            until[key] = max(until.get(key, end), end)
    return Extensions(until)


def _students(who: str, people: Mapping[str, Mapping[str, str]] | None) -> list[str]:
    """The students whom a line names: one by the id, or all of a group."""
    if people is None:
        if STUDENT_ID.match(who):
            return [who]
        raise ValueError(f"{who!r} is no student id; write one, or a group of students.csv")

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
    raise ValueError(f"{who!r} is no student and no group of students.csv; correct or delete it")


def _end(course: Course, time: str) -> datetime:
    if time.casefold() == WAIVED:
        return FOR_EVER
    try:
        read = moment.read(time, course.settings.zone)
    except ValueError as error:
        raise ValueError(f"until {time!r}: {error}, or {WAIVED}") from None
    return timestamp.stored(read)


def _insist_on_an_exercise(course: Course, exercise: str) -> None:
    if exercise and not is_authored(course.root, exercise):
        raise ValueError(f"{exercise!r} is no exercise of the course; leave it empty for all")

"""Changes scores in a platform: reads roster and scores, plans, and writes.

Scores that are already the same are not written, so a second push changes nothing, and continues an
interrupted one. Written scores are read back, because some platforms drop a score silently.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Protocol

from autograder.base.errors import Unusable
from autograder.base.text import number, printable
from autograder.course.course import Course
from autograder.course.gradebook.final_grades import ClassGrades, Grade
from autograder.show.exports import match_students
from autograder.show.exports.match_students import StudentLine

PLATFORMS = {"canvas": "Canvas", "moodle": "Moodle", "lti": "Lti"}
"""The modules in this package, each with its class."""

SAME = 1e-4  # scores that differ by less are the same: platforms keep four or five digits
MOST_FAILURES = 5  # in a row: the platform is down or refuses us, and the rest is not tried
NOT_TRIED = "not tried"  # why a score was not written after so many failures


@dataclass(frozen=True)
class PlatformScore:
    """A platform's record of one of its students.

    ``id``: the platform's id. ``closed`` says why the score cannot be changed; empty if it can.
    """

    id: str
    line: StudentLine
    score: float | None
    closed: str = ""


@dataclass(frozen=True)
class NewScore:
    """A score that differs here; ``page`` is the student's page, if one was written."""

    student: str
    label: str
    id: str
    old: float | None
    new: float
    comment: str
    page: Path


@dataclass(frozen=True)
class Plan:
    """All changes, the number of equal scores, and notes for the teacher."""

    changes: tuple[NewScore, ...]
    same: int
    notes: tuple[str, ...]


class Platform(Protocol):
    """One assignment in a learning platform.

    ``takes_pages``: a student's page can be sent with the score. ``takes_more``: a score may be
    above the maximum.
    """

    name: str
    takes_pages: bool
    takes_more: bool
    max_score: float

    def read(self) -> list[PlatformScore]:
        """Everybody on its roster, with the current scores; it also sets ``max_score``.

        Raises:
            Unusable: the platform cannot be reached, refuses, or has no such assignment.
        """

    def write(self, change: NewScore) -> None:
        """Write one score; our new comment replaces our older one, or is added to it.

        Raises:
            Unusable: the platform did not accept it.
        """


def platform(name: str, course: Course, exercise: str) -> Platform:
    """The platform of this name, as the settings describe it.

    Raises:
        Unusable: there is none, a setting or a secret is missing, or packages are.
    """
    if name not in PLATFORMS:
        raise Unusable(f"--push {name}", "no such platform", f"there are: {', '.join(PLATFORMS)}")
    if not course.settings.assignments.get(exercise):
        repair = f"name it there: assignments.{exercise} = 815; docs/exports.md says which number"
        raise Unusable("autograder.toml", f"says nothing of {exercise} in {name}", repair)
    try:
        module = import_module(f"autograder.show.exports.push.{name}")
    except ModuleNotFoundError as error:
        repair = "run pip install 'autograder-kit[push]'"
        raise Unusable(f"--push {name}", f"{error.name} is not installed", repair) from None
    made: Platform = getattr(module, PLATFORMS[name])(course, exercise)
    return made


def plan(target: Platform, course: Course, grades: ClassGrades) -> Plan:
    """Find the scores that differ between the platform and here.

    Raises:
        Unusable: the platform cannot be read, or has another maximum.
    """
    with _as_published(target):
        entries = dict(enumerate(target.read()))
    if target.max_score != grades.max_score:
        there, here = number(target.max_score), number(grades.max_score)
        cause = f"the assignment has {there} points, the exercise {here}"
        raise Unusable(target.name, cause, "set the same points there")

    lines = {place: entry.line for place, entry in entries.items()}
    students, notes = match_students.match(grades.grades, lines, target.name)
    changes: list[NewScore] = []
    same = 0
    for place, student in sorted(students.items(), key=lambda one: one[1]):
        entry, grade = entries[place], grades.scored.get(student)
        if grade is None or grade.score is None:
            continue
        if entry.score is not None and abs(entry.score - grade.score) < SAME:
            same += 1
        elif entry.closed:
            notes.append(f"left as it is: {student}: {entry.closed}")
        elif grade.score > grades.max_score and not target.takes_more:
            above = f"{number(grade.score)} is above the maximum; enter it by hand"
            notes.append(f"left as it is: {student}: {above}")
        else:
            changes.append(_change(course, grades, grade, entry))

    return Plan(tuple(changes), same, tuple(notes))


def write(target: Platform, planned: Plan) -> Iterator[tuple[NewScore, str]]:
    """Write the changes one by one; yield each with the reason why it failed, which is empty if it
    did not."""
    done: list[NewScore] = []
    in_a_row = 0
    for change in planned.changes:
        if in_a_row == MOST_FAILURES:
            yield change, NOT_TRIED
            continue
        try:
            with _as_published(target):
                target.write(change)
            done.append(change)
            in_a_row = 0
        except Unusable as error:
            in_a_row += 1
            yield change, f"not written: {error}"

    try:
        with _as_published(target):
            now = {entry.id: entry.score for entry in target.read()} if done else {}
    except Unusable as error:
        for change in done:
            yield change, f"perhaps written, run it again to see: {error}"
        return
    for change in done:
        score = now.get(change.id)
        is_there = score is not None and abs(score - change.new) < SAME
        shown = "none" if score is None else number(score)
        yield change, "" if is_there else f"{target.name} took it, but its score is {shown}"


@contextmanager
def _as_published(target: Platform) -> Iterator[None]:
    """Report in one line that an answer lacks what the platform's API promises.

    Raises:
        Unusable: an answer lacks something.
    """
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        cause = f"answers otherwise than its interface says ({type(error).__name__}: {error})"
        raise Unusable(target.name, cause, "check the addresses in autograder.toml") from error


def _change(course: Course, grades: ClassGrades, grade: Grade, entry: PlatformScore) -> NewScore:
    name = grades.exercise.name
    new = round(grade.score or 0.0, 4)
    said = f"{number(new)} of {number(grades.max_score)} points"
    account = grade.account()
    return NewScore(
        grade.student,
        grade.label,
        entry.id,
        entry.score,
        new,
        printable(f"autograder: {said}{f', {account}' if account else ''}"),
        course.feedback_of(grade.student, name) / f"{name}.html",
    )

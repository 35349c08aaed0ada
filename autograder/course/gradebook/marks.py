"""Reading the gradebook: what a submission counts in the end, a person's marks included."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, select

from autograder.base.errors import Unusable
from autograder.base.result import Result
from autograder.course import timestamp
from autograder.course.course import Course
from autograder.course.gradebook import database, extensions, late_penalty
from autograder.course.gradebook.cell_marks import CellMarks, cell_marks, is_sound, unsound
from autograder.course.gradebook.extensions import Extensions
from autograder.course.gradebook.schema import (
    ASSIGNMENT,
    BASE_CELL,
    GRADE_CELL,
    NOTEBOOK,
    SUBMITTED_ASSIGNMENT,
    SUBMITTED_NOTEBOOK,
)
from autograder.exercises.exercise import Exercise


@dataclass(frozen=True)
class Marks:
    """A student's marks for one exercise; ``cells`` by cell id. Times are UTC without a zone.

    ``max_score`` is without questions whose points come on top (``Exercise.extra``).
    ``late_penalty`` is what the rule takes from these marks now. ``raised`` is added where a
    person's marks would take the score below 0. ``doubt`` says why nobody knows how late it was,
    ``trouble`` why the penalty is not known. ``until`` is the end of an extension,
    ``time_source`` says of who is late how that is known (``timestamp.SOURCES``).
    ``row`` and ``assignment`` are the submission's in the gradebook, ``extension`` is what should
    stand there for nbgrader; ``stored_penalty`` and ``stored_extension`` what does.
    """

    cells: Mapping[str, CellMarks]
    late_penalty: float
    max_score: float
    submitted: datetime | None
    seconds_late: float
    raised: float = 0.0
    doubt: str = ""
    trouble: str = ""
    row: str = ""
    stored_penalty: float | None = None
    assignment: str = ""
    extension: timedelta | None = None
    stored_extension: timedelta | None = None
    until: datetime | None = None
    time_source: str = ""

    def check(self) -> None:
        """Refuse what no person and no program of ours gives, such as infinity.

        Raises:
            ValueError: a score is no number of points.
            Unusable: the rule for late work fails.
        """
        if self.trouble:
            raise Unusable(self.trouble)
        for id, cell in self.cells.items():
            if cell.unsound is not None:
                raise unsound(id, cell.unsound)
        if not is_sound(self.late_penalty):
            raise unsound("the late penalty", self.late_penalty)

    @cached_property
    def score(self) -> float:
        """Everything together, less the late penalty."""
        return round(self.before_penalty - self.late_penalty + self.raised, 9)

    @property
    def before_penalty(self) -> float:
        """What the cells count together."""
        return round(sum(cell.score for cell in self.cells.values()), 9)

    @cached_property
    def automatic(self) -> float:
        """What the checks gave, before a person had a say."""
        return round(sum(cell.auto_score or 0.0 for cell in self.cells.values()), 9)

    @cached_property
    def by_hand(self) -> float:
        """What a person's marks add to the automatic score; negative where they take points."""
        return round(self.before_penalty - self.extra_credit - self.automatic, 9)

    @cached_property
    def extra_credit(self) -> float:
        """The extra credit that counts: nbgrader leaves out that of a cell without a score."""
        scored = [cell for cell in self.cells.values() if cell.is_scored]
        return round(sum(cell.extra_credit or 0.0 for cell in scored), 9)

    @cached_property
    def needs_manual_grade(self) -> bool:
        """Whether a person still has something to look at."""
        return any(cell.needs_manual_grade for cell in self.cells.values())


def marks(course: Course, exercise: Exercise | str, student: str) -> Marks | None:
    """The marks of one student; None when the gradebook has no submission of theirs.

    Raises:
        Unusable: the gradebook cannot be read.
    """
    return class_marks(course, exercise, student).get(student)


def class_marks(
    course: Course, exercise: Exercise | str, student: str | None = None
) -> dict[str, Marks]:
    """The marks of everybody who has a submission in the gradebook, by student.

    Args:
        exercise: its name alone does not say which points come on top; they are in the maximum.
        student: the marks of this one alone.
    """
    name = exercise if isinstance(exercise, str) else exercise.name
    extra = set() if isinstance(exercise, str) else exercise.extra
    due = course.settings.due_date(name)
    given = extensions.read(course)
    none: dict[str, Marks] = {}
    read = database.read(
        course, lambda connection: _read(connection, name, student, due, extra, given), none
    )

    # After the database is closed: the rule is a program, and nbgrader takes seconds to load.
    penalties = late_penalty.Penalties(course, name)
    lowest = -math.inf if course.settings.below_zero else 0.0
    everybody = {}
    for one, read_marks in read.items():
        settled = _settled(one, read_marks, penalties, lowest)
        folder = course.submission(one, name)
        if settled.seconds_late:
            settled = replace(settled, time_source=timestamp.source(folder))
        elif not settled.doubt:
            settled = replace(settled, doubt=_doubtful_name(folder, settled.until or due))
        everybody[one] = settled
    return everybody


def with_results(
    course: Course,
    exercise: Exercise,
    everybody: Mapping[str, Marks],
    results: Mapping[str, Result],
) -> dict[str, Marks]:
    """The marks of these students as they would be with other results; nothing is written."""
    penalties = late_penalty.Penalties(course, exercise.name)
    lowest = -math.inf if course.settings.below_zero else 0.0
    changed: dict[str, Marks] = {}
    for student, result in results.items():
        if student in everybody:
            marks = everybody[student]
            cells = _with_result(exercise, marks.cells, result)
            bare = replace(marks, cells=cells, raised=0.0)
            changed[student] = _settled(student, bare, penalties, lowest)
    return changed


def _with_result(
    exercise: Exercise, cells: Mapping[str, CellMarks], result: Result
) -> dict[str, CellMarks]:
    """The marks of cells with the points of another result, by the ids of the exercise as it is."""
    present = {exercise.former.get(id, id): marks for id, marks in cells.items()}
    checks = result.by_id
    changed: dict[str, CellMarks] = {}
    for cell in exercise.cells:
        marks = present.get(cell.id)
        if cell.id in checks:
            marks = replace(marks or CellMarks(), auto_score=checks[cell.id].earned)
        if marks is not None:
            changed[cell.id] = marks
    return changed


def _settled(student: str, marks: Marks, penalties: late_penalty.Penalties, lowest: float) -> Marks:
    """The marks with the penalty that the rule gives for them now, and not below the lowest."""
    penalty = 0.0
    if marks.seconds_late:
        try:
            penalty = penalties.of(student, marks.before_penalty, marks.seconds_late) or 0.0
        except Unusable as error:
            return replace(marks, trouble=str(error))
    # Most are in time: theirs stay the same, with the sums that they have made by now.
    if penalty != marks.late_penalty:
        marks = replace(marks, late_penalty=penalty)
    raised = max(0.0, round(lowest - marks.score, 9))
    return marks if raised == marks.raised else replace(marks, raised=raised)


def _read(
    connection: Connection,
    name: str,
    student: str | None,
    due: datetime | None,
    extra: Collection[str],
    given: Extensions,
) -> dict[str, Marks]:
    """The marks without their late penalties.

    Args:
        due: comes before the gradebook's own date.
        extra: cells whose points come on top of the maximum.
        given: more time for some.
    """
    query = (
        select(NOTEBOOK.c.id, ASSIGNMENT.c.duedate)
        .join(ASSIGNMENT, ASSIGNMENT.c.id == NOTEBOOK.c.assignment_id)
        .where(ASSIGNMENT.c.name == name, NOTEBOOK.c.name == name)
    )
    exercise = connection.execute(query).first()
    if exercise is None:
        return {}

    cells = _cells(connection, exercise.id)
    names = {cell.id: cell.name for cell in cells}
    points = {cell.name: cell.max_score for cell in cells if cell.max_score is not None}
    max_score = round(sum(most for name, most in points.items() if name not in extra), 9)
    submissions = _submissions(connection, exercise.id, student)
    # All of a class are read, and not looked up one by one.
    notebooks = None if student is None else [row.notebook for row in submissions]
    by_notebook = cell_marks(connection, names, points, notebooks)

    due = due or exercise.duedate
    by_student: dict[str, Marks] = {}
    for row in submissions:
        doubt = _doubt(row.timestamp) if due is not None else ""
        student, stored = row.student_id, row.extension
        deadline = given.deadline(student, name, due, stored)
        seconds = 0.0 if doubt else late_penalty.seconds_late(row.timestamp, deadline)
        by_student[student] = Marks(
            by_notebook[row.notebook],
            0.0,
            max_score,
            row.timestamp,
            seconds,
            doubt=doubt,
            row=row.notebook,
            stored_penalty=row.late_submission_penalty,
            assignment=row.id,
            extension=given.interval(student, name, due, stored),
            stored_extension=stored,
            until=deadline if deadline != due else None,
        )
    return by_student


def _doubtful_name(folder: Path, until: datetime | None) -> str:
    """Why the time in the name of a folder in the exchange may not be true."""
    changed = timestamp.changed_at(folder)
    if changed is None or (until is not None and changed <= until):
        return ""
    said = f"{changed:%Y-%m-%d %H:%M} UTC"
    return f"in time by the name of its folder in the exchange, which was changed at {said}"


def _doubt(submitted: datetime | None) -> str:
    """Why a time says nothing of how late something came; empty where it does."""
    if submitted is None:
        return "nobody knows when it was handed in"
    if submitted > timestamp.now():
        return f"handed in at {submitted:%Y-%m-%d %H:%M} UTC, which lies in the future"
    return ""


def _cells(connection: Connection, notebook: str) -> Sequence[Any]:
    """The exercise's cells; ``max_score`` is None for one without points."""
    query = (
        select(BASE_CELL, GRADE_CELL.c.max_score)
        .outerjoin(GRADE_CELL, GRADE_CELL.c.id == BASE_CELL.c.id)
        .where(BASE_CELL.c.notebook_id == notebook)
    )
    return connection.execute(query).all()


def _submissions(connection: Connection, notebook: str, student: str | None) -> Sequence[Any]:
    """The submissions, in the order of the students' ids; ``notebook`` is the submitted one."""
    query = (
        select(
            SUBMITTED_ASSIGNMENT,
            SUBMITTED_NOTEBOOK.c.id.label("notebook"),
            SUBMITTED_NOTEBOOK.c.late_submission_penalty,
        )
        .join(SUBMITTED_ASSIGNMENT, SUBMITTED_ASSIGNMENT.c.id == SUBMITTED_NOTEBOOK.c.assignment_id)
        .where(SUBMITTED_NOTEBOOK.c.notebook_id == notebook)
    )
    if student is not None:
        query = query.where(SUBMITTED_ASSIGNMENT.c.student_id == student)
    rows = connection.execute(query).all()
    return sorted(rows, key=lambda row: str(row.student_id))

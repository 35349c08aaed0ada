"""Reading the gradebook: what a submission counts in the end, a person's marks included."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Select, Table, bindparam, func, or_, select, update

from autograder.base.errors import Unusable
from autograder.base.result import MOST_POINTS, Result
from autograder.base.text import agreeing, count, first_of
from autograder.course import timestamp
from autograder.course.course import Course
from autograder.course.gradebook import database, deadlines
from autograder.course.gradebook.database import (
    ASSIGNMENT,
    BASE_CELL,
    COMMENT,
    GRADE,
    GRADE_CELL,
    NOTEBOOK,
    SUBMITTED_ASSIGNMENT,
    SUBMITTED_NOTEBOOK,
    TASK_CELL,
    Gradebook,
)
from autograder.course.gradebook.deadlines import Extensions
from autograder.exercises.exercise import Exercise

ROWS = 1000
"""How many to read from the database at once: a class of 10,000 has 640,000."""

NAMED = 10
"""The most students to name in one line."""


@dataclass(frozen=True)
class CellMarks:
    """One cell: its scores, its maximum and the comment to show; None where there is none.

    ``remark`` is the comment if a person wrote it.
    """

    auto_score: float | None = None
    manual_score: float | None = None
    extra_credit: float | None = None
    needs_manual_grade: bool = False
    max_score: float | None = None
    comment: str | None = None
    remark: str | None = None

    @cached_property
    def is_scored(self) -> bool:
        """Whether anybody, grader or person, has given points."""
        return self.auto_score is not None or self.manual_score is not None

    @cached_property
    def unsound(self) -> object:
        """Points of it that are no number of points; None where all are."""
        for points in (self.auto_score, self.manual_score, self.extra_credit):
            if points is not None and not is_sound(points):
                return points
        return None

    @cached_property
    def score(self) -> float:
        return deadlines.points(self.auto_score, self.manual_score, self.extra_credit)


def is_sound(points: object) -> bool:
    return isinstance(points, (int, float)) and abs(points) <= MOST_POINTS


def unsound(place: str, points: object) -> ValueError:
    return ValueError(
        f"the gradebook has {points!r} as points of {place}; correct it in the formgrader"
    )


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
            ValueError: a score is not a number of points.
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
    given = deadlines.extensions(course)
    none: dict[str, Marks] = {}
    found = database.read(
        course, lambda opened: read(opened, (name, name), student, due, extra, given), none
    )

    # After the database is closed: the rule is a program, and nbgrader takes seconds to load.
    penalties = deadlines.Penalties(course, name)
    lowest = -math.inf if course.settings.below_zero else 0.0
    everybody = {}
    for one, own in found.items():
        settled = _settled(one, own, penalties, lowest)
        folder = course.submission(one, name)
        if settled.seconds_late:
            settled = replace(settled, time_source=timestamp.source(folder))
        elif not settled.doubt:
            settled = replace(settled, doubt=_doubtful_name(folder, settled.until or due))
        everybody[one] = settled
    return everybody


def settled_marks(course: Course, exercise: Exercise) -> dict[str, Marks]:
    """The marks of everybody; due date, extensions and penalties in nbgrader follow.

    Nothing is written where it does so already.

    Raises:
        Unusable: the gradebook cannot be read, or not be written although it has to.
    """
    everybody = class_marks(course, exercise)
    changed = []
    extended = []
    for marks in everybody.values():
        if marks.extension != marks.stored_extension:
            extended.append({"row": marks.assignment, "extension": marks.extension})
        # nbgrader itself writes None or 0 where nothing is taken.
        if not marks.trouble and marks.late_penalty != (marks.stored_penalty or 0.0):
            changed.append({"row": marks.row, "late_submission_penalty": marks.late_penalty})

    name = exercise.name
    due = course.settings.due_date(name)
    is_due = due is None or not everybody or due == deadlines.stored_due(course, name)
    if is_due and not changed and not extended:
        return everybody

    def work(connection: Connection) -> None:
        deadlines.follow_due(connection, course, name)
        if changed:
            of_row = update(SUBMITTED_NOTEBOOK).where(SUBMITTED_NOTEBOOK.c.id == bindparam("row"))
            connection.execute(of_row, changed)
        if extended:
            assignment = SUBMITTED_ASSIGNMENT
            of_row = update(assignment).where(assignment.c.id == bindparam("row"))
            connection.execute(of_row, extended)

    Gradebook(course).write(work)
    return everybody


def unmarked(course: Course, exercise: str) -> list[str]:
    """The students with an answer that nobody has marked yet, by id."""
    marks = class_marks(course, exercise)
    return [student for student in marks if marks[student].needs_manual_grade]


def unmarked_line(waiting: Collection[str]) -> str:
    """Who waits for marks, in one line; of many, the first and how many others."""
    names = first_of(sorted(waiting), NAMED)
    waits = agreeing(len(waiting), "waits", "wait")
    return f"{count(len(waiting), 'submission')} still {waits} for your marks: {names}"


def with_results(
    course: Course,
    exercise: Exercise,
    everybody: Mapping[str, Marks],
    results: Mapping[str, Result],
) -> dict[str, Marks]:
    """The marks of these students as they would be with other results; nothing is written."""
    penalties = deadlines.Penalties(course, exercise.name)
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


def _settled(student: str, marks: Marks, penalties: deadlines.Penalties, lowest: float) -> Marks:
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


def read(
    connection: Connection,
    notebook: tuple[str, str],
    student: str | None,
    due: datetime | None,
    extra: Collection[str],
    given: Extensions,
) -> dict[str, Marks]:
    """The marks without their late penalties.

    Args:
        notebook: the names of the assignment and of one of its notebooks.
        due: comes before the gradebook's own date.
        extra: cells whose points come on top of the maximum.
        given: more time for some.
    """
    name = notebook[0]
    query = (
        select(NOTEBOOK.c.id, ASSIGNMENT.c.duedate)
        .join(ASSIGNMENT, ASSIGNMENT.c.id == NOTEBOOK.c.assignment_id)
        .where(ASSIGNMENT.c.name == name, NOTEBOOK.c.name == notebook[1])
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
    by_notebook = _cell_marks(connection, names, points, notebooks)

    due = due or exercise.duedate
    by_student: dict[str, Marks] = {}
    for row in submissions:
        doubt = _doubt(row.timestamp) if due is not None else ""
        student, stored = row.student_id, row.extension
        deadline = given.deadline(student, name, due, stored)
        seconds = 0.0 if doubt else deadlines.seconds_late(row.timestamp, deadline)
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
        return f"handed in at {submitted:%Y-%m-%d %H:%M} UTC, which is in the future"
    return ""


_MOST = func.coalesce(GRADE_CELL.c.max_score, TASK_CELL.c.max_score).label("max_score")


def _cells(connection: Connection, notebook: str) -> Sequence[Any]:
    """The exercise's cells; ``max_score`` is None for one without points."""
    query = (
        select(BASE_CELL, _MOST)
        .outerjoin(GRADE_CELL, GRADE_CELL.c.id == BASE_CELL.c.id)
        .outerjoin(TASK_CELL, TASK_CELL.c.id == BASE_CELL.c.id)
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


def _cell_marks(
    connection: Connection,
    names: Mapping[str, str],
    points: Mapping[str, float],
    notebooks: Sequence[str] | None,
) -> defaultdict[str, dict[str, CellMarks]]:
    """What stands at the cells that have a grade or a comment, by submitted notebook and cell.

    Args:
        names: of the cells, by their ids.
        points: their maxima, by name.
        notebooks: those of these submitted notebooks; None for all.
    """
    # By name: of an answer that people mark, nbgrader has two cells, one for points, one for words.
    comments: dict[tuple[str, str], tuple[str | None, str | None]] = {}
    is_said = or_(COMMENT.c.auto_comment.is_not(None), COMMENT.c.manual_comment.is_not(None))
    query = _of_cells(COMMENT, ("auto_comment", "manual_comment"), names, notebooks).where(is_said)
    for notebook, cell, automatic, manual in connection.execute(query):
        comments[notebook, names[cell]] = automatic, manual

    marks: defaultdict[str, dict[str, CellMarks]] = defaultdict(dict)
    columns = ("auto_score", "manual_score", "extra_credit", "needs_manual_grade")
    for rows in connection.execute(_of_cells(GRADE, columns, names, notebooks)).partitions(ROWS):
        for notebook, cell, auto_score, manual_score, extra_credit, waits in rows:
            name = names[cell]
            said = comments.pop((notebook, name), (None, None)) if comments else (None, None)
            grade = (auto_score, manual_score, extra_credit, waits)
            marks[notebook][name] = _shared_marks(*grade, points.get(name), *said)
    for (notebook, name), said in comments.items():
        marks[notebook][name] = _shared_marks(None, None, None, False, points.get(name), *said)
    return marks


def _of_cells(
    table: Table, columns: Iterable[str], cells: Iterable[str], notebooks: Sequence[str] | None
) -> Select[Any]:
    """Some columns of grades or comments, behind the ids of submitted notebook and cell."""
    own = (table.c[name] for name in columns)
    query = select(table.c.notebook_id, table.c.cell_id, *own)
    # By cell first: the tables' only index is on (cell_id, notebook_id).
    query = query.where(table.c.cell_id.in_(list(cells)))
    return query if notebooks is None else query.where(table.c.notebook_id.in_(notebooks))


@lru_cache(maxsize=4096, typed=True)  # most cells of a class have all their points
def _shared_marks(
    auto_score: float | None,
    manual_score: float | None,
    extra_credit: float | None,
    needs_manual_grade: bool | None,
    max_score: float | None,
    auto_comment: str | None,
    manual_comment: str | None,
) -> CellMarks:
    return CellMarks(
        auto_score,
        manual_score,
        extra_credit,
        bool(needs_manual_grade),
        max_score,
        comment=auto_comment if manual_comment is None else str(manual_comment),
        remark=str(manual_comment) if manual_comment else None,
    )

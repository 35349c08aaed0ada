"""Reads the gradebook: the points of a submission, including a person's marks."""

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
from autograder.exercises.exercise import Exercise

ROWS = 1000
"""Rows to read from the database at once: a class of 10,000 has 640,000."""

NAMED = 10
"""The most students to name in one line."""


@dataclass(frozen=True)
class CellMarks:
    """One cell: its scores, its maximum and the comment to show; None for missing ones.

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
        """An invalid score of the cell; None if all are valid."""
        for points in (self.auto_score, self.manual_score, self.extra_credit):
            if points is not None and not is_sound(points):
                return points
        return None

    @cached_property
    def score(self) -> float:
        """The manual score, or else the automatic one, plus extra credit."""
        if not self.is_scored:
            return 0.0
        given = self.auto_score if self.manual_score is None else self.manual_score
        return (given or 0.0) + (self.extra_credit or 0.0)


def is_sound(points: object) -> bool:
    return isinstance(points, (int, float)) and abs(points) <= MOST_POINTS


def unsound(place: str, points: object) -> ValueError:
    return ValueError(
        f"the gradebook has {points!r} as points of {place}; correct it in the formgrader"
    )


@dataclass(frozen=True)
class Marks:
    """A student's marks for one exercise; ``cells`` by cell id. Times are UTC without a zone.

    ``max_score`` excludes bonus questions (``Exercise.extra``). ``late_penalty`` is the current
    penalty. ``raised`` is added if a person's marks would take the score below 0. ``doubt`` says
    why lateness is unknown, ``trouble`` why the penalty is unknown. ``until`` is the end of an
    extension, ``time_source`` the source of a late time (``timestamp.SOURCES``). ``row`` and
    ``assignment`` are the ids of the submission in the gradebook, ``extension`` is the extension
    that it should have for nbgrader; ``stored_penalty`` and ``stored_extension`` are the stored
    values.
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
        """Refuse scores that neither a person nor our programs give, such as infinity.

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
        """The sum of all cells, minus the late penalty."""
        return round(self.before_penalty - self.late_penalty + self.raised, 9)

    @property
    def before_penalty(self) -> float:
        """The sum of all cells."""
        return round(sum(cell.score for cell in self.cells.values()), 9)

    @cached_property
    def automatic(self) -> float:
        """The score of the checks, without marks by hand."""
        return round(sum(cell.auto_score or 0.0 for cell in self.cells.values()), 9)

    @cached_property
    def by_hand(self) -> float:
        """What a person's marks add to the automatic score; negative if they subtract points."""
        return round(self.before_penalty - self.extra_credit - self.automatic, 9)

    @cached_property
    def extra_credit(self) -> float:
        """The extra credit that counts: nbgrader ignores that of a cell without a score."""
        scored = [cell for cell in self.cells.values() if cell.is_scored]
        return round(sum(cell.extra_credit or 0.0 for cell in scored), 9)

    @property
    def hours_late(self) -> float:
        return round(self.seconds_late / 3600, 4)

    @cached_property
    def needs_manual_grade(self) -> bool:
        """Whether a person still has something to look at."""
        return any(cell.needs_manual_grade for cell in self.cells.values())


def class_marks(course: Course, exercise: Exercise | str) -> dict[str, Marks]:
    """The marks of everybody who has a submission in the gradebook, by student.

    Args:
        exercise: with only its name, bonus questions are unknown, and counted in the maximum.
    """
    rules = Rules(course, exercise)
    none: dict[str, Marks] = {}
    found = database.read(course, lambda opened: rules.unsettled(opened, None), none)

    # After the database is closed: the rule is a program, and nbgrader takes seconds to load.
    everybody = {}
    for one, own in found.items():
        settled = rules.settled(one, own)
        folder = course.submission(one, rules.name)
        if settled.seconds_late:
            settled = replace(settled, time_source=timestamp.source(folder))
        elif not settled.doubt:
            settled = replace(settled, doubt=_doubtful_name(folder, settled.until or rules.due))
        everybody[one] = settled
    return everybody


def settled_marks(course: Course, exercise: Exercise) -> dict[str, Marks]:
    """The marks of everybody; updates due date, extensions and penalties in nbgrader.

    Nothing is written if they are current, or for an ordinary nbgrader assignment.

    Raises:
        Unusable: the gradebook cannot be read, or cannot be written when it must be.
    """
    everybody = class_marks(course, exercise)
    if exercise.is_ordinary:
        return everybody
    name = exercise.name
    due = course.settings.due_date(name)
    is_due = due is None or not everybody or due == deadlines.stored_due(course, name)
    if is_due and not any(_changes(everybody)):
        return everybody

    def work(connection: Connection) -> None:
        deadlines.follow_due(connection, course, name)
        follow(connection, everybody)

    Gradebook(course).write(work)
    return everybody


def follow(connection: Connection, everybody: Mapping[str, Marks]) -> None:
    """Write the penalties and extensions of the marks into the gradebook."""
    for table, changed in zip((SUBMITTED_NOTEBOOK, SUBMITTED_ASSIGNMENT), _changes(everybody)):
        if changed:
            connection.execute(update(table).where(table.c.id == bindparam("row")), changed)


def _changes(everybody: Mapping[str, Marks]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The penalties and extensions that differ in the gradebook, by the ids of rows."""
    penalties, extensions = [], []
    for marks in everybody.values():
        # nbgrader itself writes None or 0 for no penalty.
        if not marks.trouble and marks.late_penalty != (marks.stored_penalty or 0.0):
            penalty = marks.late_penalty or None
            penalties.append({"row": marks.row, "late_submission_penalty": penalty})
        if marks.extension != marks.stored_extension:
            extensions.append({"row": marks.assignment, "extension": marks.extension})
    return penalties, extensions


def unmarked(course: Course, exercise: str) -> list[str]:
    """The students with an answer that nobody has marked yet, by id."""
    marks = class_marks(course, exercise)
    return [student for student in marks if marks[student].needs_manual_grade]


def unmarked_line(waiting: Collection[str]) -> str:
    """The students who wait for marks, in one line; of many, the first and the number of others."""
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
    rules = Rules(course, exercise)
    changed: dict[str, Marks] = {}
    for student, result in results.items():
        if student in everybody:
            marks = everybody[student]
            cells = _with_result(exercise, marks.cells, result)
            changed[student] = rules.settled(student, replace(marks, cells=cells, raised=0.0))
    return changed


def _with_result(
    exercise: Exercise, cells: Mapping[str, CellMarks], result: Result
) -> dict[str, CellMarks]:
    """The marks of cells with the points of another result, by the current ids of the exercise."""
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


class Rules:
    """The inputs of the marks for an exercise that are not in the gradebook.

    In an ordinary nbgrader assignment, all notebooks count together. Its late penalty follows the
    rule in the settings; without one, it is what nbgrader has written for each notebook.
    """

    def __init__(self, course: Course, exercise: Exercise | str) -> None:
        known = None if isinstance(exercise, str) else exercise
        self.name = exercise if isinstance(exercise, str) else exercise.name
        self.due = course.settings.due_date(self.name)
        """It has precedence over the gradebook's own date."""
        self.given = deadlines.extensions(course)
        self.penalties = deadlines.Penalties(course, self.name)
        self._extra = known.extra if known else set()
        self._is_ordinary = known is not None and known.is_ordinary
        self._is_nbgraders = self._is_ordinary and course.settings.late_rule(self.name) is None
        self._lowest = -math.inf if course.settings.below_zero else 0.0

    def read(self, connection: Connection, students: Collection[str]) -> dict[str, Marks]:
        """The marks of these students."""
        found = self.unsettled(connection, students)
        return {student: self.settled(student, own) for student, own in found.items()}

    def settled(self, student: str, marks: Marks) -> Marks:
        """The marks with their current penalty, raised to the lowest possible score."""
        penalty = (marks.stored_penalty or 0.0) if self._is_nbgraders else 0.0
        if marks.seconds_late and not self._is_nbgraders:
            try:
                penalty = self.penalties.of(student, marks.before_penalty, marks.seconds_late)
            except Unusable as error:
                return replace(marks, trouble=str(error))
        # Most are in time: their marks are the same object, with its cached sums.
        if penalty != marks.late_penalty:
            marks = replace(marks, late_penalty=penalty)
        raised = max(0.0, round(self._lowest - marks.score, 9))
        return marks if raised == marks.raised else replace(marks, raised=raised)

    def unsettled(
        self, connection: Connection, students: Collection[str] | None
    ) -> dict[str, Marks]:
        """The same, or of all, without late penalties, which a program may have to give."""
        by_student: dict[str, dict[str, Marks]] = {}
        for notebook in notebooks(connection, self.name):
            if self._is_ordinary or notebook.name == self.name:
                for student, own in self._of_notebook(connection, notebook, students).items():
                    by_student.setdefault(student, {})[notebook.name] = own
        return {student: _together(own) for student, own in by_student.items()}

    def _of_notebook(
        self, connection: Connection, notebook: Any, students: Collection[str] | None
    ) -> dict[str, Marks]:
        cells = cells_of(connection, notebook.id)
        names = {cell.id: cell.name for cell in cells}
        points = {cell.name: cell.max_score for cell in cells if cell.max_score is not None}
        counted = [most for name, most in points.items() if name not in self._extra]
        submissions = _submissions(connection, notebook.id, students)
        # All of a class are read, and not looked up one by one.
        submitted = None if students is None else [row.notebook for row in submissions]
        by_notebook = _cell_marks(connection, names, points, submitted)

        due = self.due or notebook.duedate
        by_student: dict[str, Marks] = {}
        for row in submissions:
            doubt = _doubt(row.timestamp) if due is not None else ""
            about = (row.student_id, self.name, due, row.extension)
            deadline = self.given.deadline(*about)
            by_student[row.student_id] = Marks(
                by_notebook[row.notebook],
                0.0,
                round(sum(counted), 9),
                row.timestamp,
                0.0 if doubt else deadlines.seconds_late(row.timestamp, deadline),
                doubt=doubt,
                row=row.notebook,
                stored_penalty=row.late_submission_penalty,
                assignment=row.id,
                extension=self.given.interval(*about),
                stored_extension=row.extension,
                until=deadline if deadline != due else None,
            )
        return by_student


def _together(own: Mapping[str, Marks]) -> Marks:
    """The marks of several notebooks as one; the name of a cell includes its notebook."""
    first = next(iter(own.values()))
    if len(own) == 1:
        return first
    cells: dict[str, CellMarks] = {}
    for notebook, one in own.items():
        cells |= {f"{notebook}/{id}": cell for id, cell in one.cells.items()}
    penalty = round(sum(one.stored_penalty or 0.0 for one in own.values()), 9)
    most = round(sum(one.max_score for one in own.values()), 9)
    return replace(first, cells=cells, stored_penalty=penalty, max_score=most)


def _doubtful_name(folder: Path, until: datetime | None) -> str:
    """Why the time in the name of a folder in the exchange may be wrong."""
    changed = timestamp.changed_at(folder)
    if changed is None or (until is not None and changed <= until):
        return ""
    said = f"{changed:%Y-%m-%d %H:%M} UTC"
    return f"in time by the name of its folder in the exchange, which was changed at {said}"


def _doubt(submitted: datetime | None) -> str:
    """Why a time does not tell how late a submission was; empty if it does."""
    if submitted is None:
        return "nobody knows when it was handed in"
    if submitted > timestamp.now():
        return f"handed in at {submitted:%Y-%m-%d %H:%M} UTC, which is in the future"
    return ""


_MOST = func.coalesce(GRADE_CELL.c.max_score, TASK_CELL.c.max_score).label("max_score")


def notebooks(connection: Connection, name: str) -> Sequence[Any]:
    """The notebooks of an assignment, by name; each with the gradebook's due date."""
    query = (
        select(NOTEBOOK.c.id, NOTEBOOK.c.name, ASSIGNMENT.c.duedate)
        .join(ASSIGNMENT, ASSIGNMENT.c.id == NOTEBOOK.c.assignment_id)
        .where(ASSIGNMENT.c.name == name)
        .order_by(NOTEBOOK.c.name)
    )
    return connection.execute(query).all()


def cells_of(connection: Connection, notebook: str) -> Sequence[Any]:
    """The cells of a notebook; ``max_score`` is None for one without points."""
    query = (
        select(BASE_CELL, _MOST)
        .outerjoin(GRADE_CELL, GRADE_CELL.c.id == BASE_CELL.c.id)
        .outerjoin(TASK_CELL, TASK_CELL.c.id == BASE_CELL.c.id)
        .where(BASE_CELL.c.notebook_id == notebook)
    )
    return connection.execute(query).all()


def _submissions(
    connection: Connection, notebook: str, students: Collection[str] | None
) -> Sequence[Any]:
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
    if students is not None:
        query = query.where(SUBMITTED_ASSIGNMENT.c.student_id.in_(students))
    rows = connection.execute(query).all()
    return sorted(rows, key=lambda row: str(row.student_id))


def _cell_marks(
    connection: Connection,
    names: Mapping[str, str],
    points: Mapping[str, float],
    notebooks: Sequence[str] | None,
) -> defaultdict[str, dict[str, CellMarks]]:
    """The marks of cells that have a grade or a comment, by submitted notebook and cell.

    Args:
        names: the names of the cells, by id.
        points: their maxima, by name.
        notebooks: those of these submitted notebooks; None for all.
    """
    # By name: for an answer that people mark, nbgrader has two cells, for points and for comments.
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
    """Some columns of grades or comments, after the ids of submitted notebook and cell."""
    own = (table.c[name] for name in columns)
    query = select(table.c.notebook_id, table.c.cell_id, *own)
    # By cell first: the tables' only index is on (cell_id, notebook_id).
    query = query.where(table.c.cell_id.in_(list(cells)))
    return query if notebooks is None else query.where(table.c.notebook_id.in_(notebooks))


@lru_cache(maxsize=4096, typed=True)  # most cells of a class have full points
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

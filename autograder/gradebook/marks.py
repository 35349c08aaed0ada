"""Reading the gradebook: what a student's submission counts in the end, a person's marks
included."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select

from autograder.course import Course
from autograder.exercises.exercise import Exercise
from autograder.gradebook import database
from autograder.gradebook import late_penalty as late
from autograder.gradebook.schema import (
    ASSIGNMENT,
    BASE_CELL,
    COMMENT,
    GRADE,
    GRADE_CELL,
    NOTEBOOK,
    SUBMITTED_ASSIGNMENT,
    SUBMITTED_NOTEBOOK,
)
from autograder.result import MOST_POINTS


@dataclass(frozen=True)
class CellMarks:
    """One cell: its scores (None: not given), its maximum (None on a cell without points), the
    comment to show.

    ``remark`` is the comment if a person wrote it.
    """

    auto_score: float | None = None
    manual_score: float | None = None
    extra_credit: float | None = None
    needs_manual_grade: bool = False
    max_score: float | None = None
    comment: str | None = None
    remark: str | None = None

    @property
    def score(self) -> float:
        return late.score(self.auto_score, self.manual_score, self.extra_credit)


@dataclass(frozen=True)
class Marks:
    """A student's marks for one exercise; ``cells`` by cell id. Times are UTC without a zone."""

    cells: Mapping[str, CellMarks]
    late_penalty: float
    max_score: float
    submitted: datetime | None
    seconds_late: float

    def check(self) -> None:
        """Refuse what no person and no program of ours gives, such as infinity.

        Raises:
            ValueError: a score is no number of points.
        """
        given = {
            id: (cell.auto_score, cell.manual_score, cell.extra_credit)
            for id, cell in self.cells.items()
        }
        given["the late penalty"] = (self.late_penalty, None, None)
        for place, numbers in given.items():
            for number in numbers:
                if number is not None and not (
                    isinstance(number, (int, float)) and abs(number) <= MOST_POINTS
                ):
                    raise ValueError(
                        f"the gradebook has {number!r} as points of {place}; correct it in the formgrader"
                    )

    @property
    def score(self) -> float:
        """Everything together: manual marks before automatic ones, extra credit, less the late
        penalty."""
        return round(sum(cell.score for cell in self.cells.values()) - self.late_penalty, 9)

    @property
    def automatic(self) -> float:
        """What the checks gave, before a person had a say."""
        return round(sum(cell.auto_score or 0.0 for cell in self.cells.values()), 9)

    @property
    def by_hand(self) -> float:
        """What a person's marks add to the automatic score; negative where they took points
        away."""
        return round(self.score + self.late_penalty - self.extra_credit - self.automatic, 9)

    @property
    def extra_credit(self) -> float:
        """The extra credit that counts: nbgrader leaves out that of a cell without any other
        score."""
        scored = (
            cell
            for cell in self.cells.values()
            if cell.auto_score is not None or cell.manual_score is not None
        )
        return round(sum(cell.extra_credit or 0.0 for cell in scored), 9)

    @property
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
    """The marks of everybody who has a grade, by student; a handful of queries for the whole
    class."""
    name = exercise if isinstance(exercise, str) else exercise.name
    return database.read(course, lambda connection: _read(connection, name, student), {})


def _read(connection: Connection, name: str, student: str | None) -> dict[str, Marks]:
    found = connection.execute(
        select(NOTEBOOK.c.id, ASSIGNMENT.c.duedate)
        .join(ASSIGNMENT, ASSIGNMENT.c.id == NOTEBOOK.c.assignment_id)
        .where(ASSIGNMENT.c.name == name, NOTEBOOK.c.name == name)
    ).first()
    if found is None:
        return {}
    notebook, duedate = found
    submissions = (
        select(
            SUBMITTED_ASSIGNMENT,
            SUBMITTED_NOTEBOOK.c.id.label("notebook"),
            SUBMITTED_NOTEBOOK.c.late_submission_penalty,
        )
        .join(SUBMITTED_ASSIGNMENT, SUBMITTED_ASSIGNMENT.c.id == SUBMITTED_NOTEBOOK.c.assignment_id)
        .where(SUBMITTED_NOTEBOOK.c.notebook_id == notebook)
    )
    if student is not None:
        submissions = submissions.where(SUBMITTED_ASSIGNMENT.c.student_id == student)
    cells = connection.execute(
        select(BASE_CELL, GRADE_CELL.c.max_score)
        .outerjoin(GRADE_CELL, GRADE_CELL.c.id == BASE_CELL.c.id)
        .where(BASE_CELL.c.notebook_id == notebook)
    ).all()
    names = {cell.id: cell.name for cell in cells}
    points = {cell.name: cell.max_score for cell in cells if cell.max_score is not None}
    rows = connection.execute(submissions).all()
    found_cells: dict[str, dict[str, dict[str, object]]] = {row.notebook: {} for row in rows}
    for table in (GRADE, COMMENT):
        # By cell first: the tables' only index is on (cell_id, notebook_id).
        query = select(table).where(table.c.cell_id.in_(list(names)))
        if student is not None:
            query = query.where(table.c.notebook_id.in_(list(found_cells)))
        for row in connection.execute(query).mappings():
            if row["notebook_id"] in found_cells:
                found_cells[row["notebook_id"]].setdefault(names[row["cell_id"]], {}).update(row)
    return {
        row.student_id: Marks(
            {
                cell: _cell(entry, points.get(cell))
                for cell, entry in found_cells[row.notebook].items()
            },
            row.late_submission_penalty or 0.0,
            round(sum(points.values()), 9),
            row.timestamp,
            late.seconds_late(row.timestamp, duedate, row.extension),
        )
        for row in sorted(rows, key=lambda row: str(row.student_id))
    }


def _cell(entry: Mapping[str, object], points: float | None) -> CellMarks:
    manual = entry.get("manual_comment")
    values = {name: entry.get(name) for name in ("auto_score", "manual_score", "extra_credit")}
    return CellMarks(
        **values,  # type: ignore[arg-type]  # columns of the tables, floats or None
        needs_manual_grade=bool(entry.get("needs_manual_grade")),
        max_score=points,
        comment=str(manual) if manual is not None else entry.get("auto_comment"),  # type: ignore[arg-type]
        remark=str(manual) if manual else None,
    )


def duedate(course: Course, exercise: str) -> datetime | None:
    """When the exercise is due, by the gradebook; None without a date."""
    query = select(ASSIGNMENT.c.duedate).where(ASSIGNMENT.c.name == exercise)
    return database.read(course, lambda connection: connection.scalar(query), None)

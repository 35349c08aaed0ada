"""The master as nbgrader sees it: the released cells with the full ones.

The gradebook's cells are kept equal to it, even after grading.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from sqlalchemy import Connection, Table, delete, insert, select, update

from autograder.base import links
from autograder.base.errors import Unusable
from autograder.base.text import cut, on_day, quoted
from autograder.course.course import Course
from autograder.course.gradebook import old_marks
from autograder.course.gradebook.database import (
    ASSIGNMENT,
    BASE_CELL,
    COMMENT,
    COURSE,
    GRADE,
    GRADE_CELL,
    NOTEBOOK,
    SOLUTION_CELL,
    SOURCE_CELL,
    TASK_CELL,
    new_id,
)
from autograder.exercises import assistants, hidden_checks
from autograder.exercises.exercise import Cell, Exercise, checksum, written
from autograder.exercises.sources import notebook_at

MAX_ANSWER = 20_000
"""The most characters to show of an answer in words, here and on pages."""

Key = tuple[str, str]
"""nbgrader's type of a cell, and its name."""

_SAID = re.compile(r"\n\n\*\*Due: [^\n]*\.\*\*\s*\Z")


def with_due(text: str, due: datetime) -> str:
    """A cell of text as students get it, with the date on which the exercise is due."""
    return f"{text.rstrip()}\n\n**Due: {on_day(due)}.**"


def as_built(text: str) -> str:
    """The cell as it is built, without date, rule and badges."""
    return links.without_badges(assistants.without_sentence(_SAID.sub("", text)))


@dataclass(frozen=True)
class MasterCell:
    """One cell of the master notebook.

    ``released`` is the students' version; ``source`` is the gradebook's, with hidden tests.
    """

    id: str
    released: Cell
    source: str

    @property
    def cell_type(self) -> str:
        return "code" if self.released.is_code else "markdown"

    @property
    def nbgrader(self) -> Mapping[str, Any]:
        """nbgrader's metadata of the cell; empty on an ordinary one."""
        metadata = self.released.raw["metadata"].get("nbgrader", {})
        assert isinstance(metadata, dict)
        return metadata

    @property
    def is_grade(self) -> bool:
        return bool(self.nbgrader.get("grade"))

    @property
    def is_solution(self) -> bool:
        return bool(self.nbgrader.get("solution"))

    @property
    def is_locked(self) -> bool:
        return not self.is_solution and (self.is_grade or bool(self.nbgrader.get("locked")))

    @property
    def points(self) -> float:
        return float(self.nbgrader.get("points", 0))

    @property
    def checksum(self) -> str:
        points = str(self.points) if self.is_grade else None
        return checksum(
            self.source, self.id, points, self.cell_type, self.is_solution, self.is_locked
        )

    def unanswered(self, answer: str | None) -> bool:
        """Whether the student left the cell as it was handed out, or has none."""
        if answer is None:
            return True
        # A release has a due date and badges, which are not part of an answer.
        is_prose = not self.released.is_code and not self.nbgrader
        own = as_built(answer) if is_prose else answer
        return own.rstrip() == self.released.text.rstrip()

    def shown(self, answer: str | None) -> str:
        """The source for the autograded notebook, with the student's answer."""
        if answer is None or self.is_locked or self.unanswered(answer):
            return self.released.source
        return answer if self.released.is_code else quoted(cut(answer, MAX_ANSWER))


@dataclass(frozen=True)
class Master:
    """All cells in order, the release notebook that contains them, and the full exercise."""

    cells: tuple[MasterCell, ...]
    notebook: Mapping[str, Any]
    exercise: Exercise

    @cached_property
    def graded(self) -> tuple[MasterCell, ...]:
        return tuple(cell for cell in self.cells if cell.is_grade)

    @cached_property
    def solutions(self) -> tuple[MasterCell, ...]:
        return tuple(cell for cell in self.cells if cell.is_solution)

    @cached_property
    def sources(self) -> tuple[MasterCell, ...]:
        """The cells with nbgrader's metadata, whose source is in the gradebook."""
        return tuple(cell for cell in self.cells if cell.is_solution or cell.is_locked)

    @property
    def max_score(self) -> float:
        """The points of all cells except bonus questions."""
        counted = [cell for cell in self.graded if cell.id not in self.exercise.extra]
        return round(sum(cell.points for cell in counted), 9)


def load(course: Course, exercise: Exercise, release: bytes | None = None) -> Master:
    """The release and the full exercise.

    Args:
        release: the students' notebook; without it, ``assignments/<exercise>/<exercise>.ipynb``.

    Raises:
        Unusable: no release, or one of another build.
    """
    path = notebook_at(course.root, exercise.name, "assignments")
    repair = f"run autograder build {exercise.name}"
    try:
        notebook = json.loads(release or path.read_bytes())
        public = hidden_checks.beside(notebook, exercise.cells)
    except FileNotFoundError:
        raise Unusable(path, "the release has not been built", repair) from None
    except (OSError, ValueError) as error:
        raise Unusable(path, str(error), repair) from None
    except (KeyError, TypeError, AttributeError):
        raise Unusable(path, "not a notebook that autograder build wrote", repair) from None

    cells = []
    for full, cell in zip(exercise.cells, public, strict=True):
        # As with nbgrader, the gradebook has a check with its hidden tests, and an answer's stub.
        source = full.source if full.kind == "check" else written(cell.raw)
        cells.append(MasterCell(full.id, cell, source))
    return Master(tuple(cells), notebook, exercise)


@dataclass(frozen=True)
class Saved:
    """The ids of an exercise's rows in the gradebook; those of cells by cell name."""

    assignment: str
    notebook: str
    graded: dict[str, str]
    solutions: dict[str, str]


def save(
    connection: Connection, course: Course, course_id: str, name: str, master: Master
) -> Saved:
    """Create or update the assignment, its notebook and its cells.

    Grades of removed cells are deleted, but never a person's marks.
    """
    if not connection.scalar(select(COURSE.c.id).where(COURSE.c.id == course_id)):
        connection.execute(insert(COURSE).values(id=course_id))
    assignment = _save_assignment(connection, course_id, name)
    notebook = _save_notebook(connection, assignment, name, master)

    ids = _save_cells(connection, course, notebook, name, master)
    _save_sources(connection, notebook, master)
    graded = {cell.id: ids["GradeCell", cell.id] for cell in master.graded}
    solutions = {cell.id: ids["SolutionCell", cell.id] for cell in master.solutions}
    return Saved(assignment, notebook, graded, solutions)


def _save_assignment(connection: Connection, course_id: str, name: str) -> str:
    # The lock lets one grader at a time write an exercise; SQLite has no such lock, and locks
    # everything anyway.
    query = select(ASSIGNMENT).where(ASSIGNMENT.c.name == name).with_for_update()
    place = {"name": name, "course_id": course_id}
    return _put(connection, ASSIGNMENT, connection.execute(query).first(), place, {})


def _save_notebook(connection: Connection, assignment: str, name: str, master: Master) -> str:
    kernel = json.dumps(master.notebook["metadata"].get("kernelspec", {}))
    same = (NOTEBOOK.c.assignment_id == assignment, NOTEBOOK.c.name == name)
    row = connection.execute(select(NOTEBOOK).where(*same)).first()
    place = {"name": name, "assignment_id": assignment}
    return _put(connection, NOTEBOOK, row, place, {"kernelspec": kernel})


def _put(
    connection: Connection,
    table: Table,
    row: Any,
    place: Mapping[str, Any],
    values: Mapping[str, Any],
) -> str:
    """Insert a row, or update the values that differ in the existing one; return its id."""
    if row is None:
        id = new_id()
        connection.execute(insert(table).values({"id": id, **place, **values}))
        return id
    if any(getattr(row, column) != value for column, value in values.items()):
        connection.execute(update(table).where(table.c.id == row.id).values(values))
    return str(row.id)


def _save_cells(
    connection: Connection, course: Course, notebook: str, name: str, master: Master
) -> dict[Key, str]:
    """Save the master's cells; return their ids in the gradebook."""
    wanted: dict[Key, MasterCell] = {}
    for cell in master.graded:
        wanted["GradeCell", cell.id] = cell
    for cell in master.solutions:
        wanted["SolutionCell", cell.id] = cell

    ids: dict[Key, str] = {}
    gone: dict[str, str] = {}
    types: dict[str, str] = {}
    for row in connection.execute(select(BASE_CELL).where(BASE_CELL.c.notebook_id == notebook)):
        if (row.type, row.name) in wanted:
            ids[row.type, row.name] = row.id
        else:
            gone[row.id] = row.name
            types[row.id] = row.type

    for id, old in list(gone.items()):
        key = types[id], master.exercise.former.get(old, "")
        if key in wanted and key not in ids:
            connection.execute(update(BASE_CELL).where(BASE_CELL.c.id == id).values(name=key[1]))
            ids[key] = id
            del gone[id]
    if gone:
        old_marks.of_gone_cells(connection, course, name, gone, master.exercise.removed)
        for table in (GRADE, COMMENT):
            connection.execute(delete(table).where(table.c.cell_id.in_(list(gone))))
        for table in (GRADE_CELL, SOLUTION_CELL, TASK_CELL, BASE_CELL):
            connection.execute(delete(table).where(table.c.id.in_(list(gone))))

    query = select(GRADE_CELL).where(GRADE_CELL.c.id.in_(list(ids.values())))
    rows = {row.id: row for row in connection.execute(query)}
    for (kind, name), cell in wanted.items():
        is_new = (kind, name) not in ids
        if is_new:
            place = {"name": name, "notebook_id": notebook, "type": kind}
            ids[kind, name] = _put(connection, BASE_CELL, None, place, {})
        id = ids[kind, name]
        if kind == "GradeCell":
            worth = {"max_score": cell.points, "cell_type": cell.cell_type}
            _put(connection, GRADE_CELL, rows.get(id), {"id": id}, worth)
        elif is_new:
            connection.execute(insert(SOLUTION_CELL).values(id=id))
    return ids


def _save_sources(connection: Connection, notebook: str, master: Master) -> None:
    query = select(SOURCE_CELL).where(SOURCE_CELL.c.notebook_id == notebook)
    rows = {row.name: row for row in connection.execute(query)}
    for cell in master.sources:
        values = {
            "cell_type": cell.cell_type,
            "locked": cell.is_locked,
            "source": cell.source,
            "checksum": cell.checksum,
        }
        place = {"name": cell.id, "notebook_id": notebook}
        _put(connection, SOURCE_CELL, rows.pop(cell.id, None), place, values)

    # The remaining cells are no longer in the master.
    for row in rows.values():
        connection.execute(delete(SOURCE_CELL).where(SOURCE_CELL.c.id == row.id))

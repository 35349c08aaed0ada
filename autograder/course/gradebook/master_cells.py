"""The master's cells in the gradebook, kept equal to it whatever has been graded by then."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from autograder.course.course import Course
from autograder.course.gradebook import marks_put_away
from autograder.course.gradebook.master import Master, MasterCell
from autograder.course.gradebook.schema import (
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

Key = tuple[str, str]
"""nbgrader's type of a cell, and its name."""

KINDS = {"GradeCell": GRADE_CELL, "SolutionCell": SOLUTION_CELL, "TaskCell": TASK_CELL}
"""The table that holds the cells of each type, beside ``base_cell``."""


@dataclass(frozen=True)
class Saved:
    """Where an exercise stands in the gradebook: ids of its rows, those of cells by cell name."""

    assignment: str
    notebook: str
    graded: dict[str, str]
    solutions: dict[str, str]
    duedate: datetime | None


def save(
    connection: Connection,
    course: Course,
    course_id: str,
    name: str,
    master: Master,
    duedate: datetime | None,
) -> Saved:
    """Create or update the assignment, its notebook and its cells.

    Cells that are gone take their grades along, but never a person's marks.

    Raises:
        Unusable: there are marks by hand of a cell that is gone.
    """
    if not connection.scalar(select(COURSE.c.id).where(COURSE.c.id == course_id)):
        connection.execute(insert(COURSE).values(id=course_id))
    assignment = _save_assignment(connection, course_id, name, duedate)
    notebook = _save_notebook(connection, assignment, name, master)

    ids = _save_cells(connection, course, notebook, name, master)
    _save_sources(connection, notebook, master)
    graded = {cell.id: ids["GradeCell", cell.id] for cell in master.graded}
    solutions = {cell.id: ids["SolutionCell", cell.id] for cell in master.solutions}

    due = select(ASSIGNMENT.c.duedate).where(ASSIGNMENT.c.id == assignment)
    return Saved(
        assignment,
        notebook,
        graded=graded,
        solutions=solutions,
        duedate=connection.scalar(due),
    )


def _save_assignment(
    connection: Connection, course_id: str, name: str, duedate: datetime | None
) -> str:
    # The lock lets one grader at a time write an exercise; SQLite, which knows none, locks
    # everything anyway.
    query = select(ASSIGNMENT.c.id).where(ASSIGNMENT.c.name == name).with_for_update()
    id = connection.scalar(query)
    if id is None:
        id = new_id()
        values = {"id": id, "name": name, "duedate": duedate, "course_id": course_id}
        connection.execute(insert(ASSIGNMENT).values(values))
    elif duedate is not None:
        connection.execute(update(ASSIGNMENT).where(ASSIGNMENT.c.id == id).values(duedate=duedate))
    return str(id)


def _save_notebook(connection: Connection, assignment: str, name: str, master: Master) -> str:
    kernel = json.dumps(master.notebook["metadata"].get("kernelspec", {}))
    same = (NOTEBOOK.c.assignment_id == assignment, NOTEBOOK.c.name == name)
    row = connection.execute(select(NOTEBOOK).where(*same)).first()

    if row is None:
        id = new_id()
        values = {"id": id, "name": name, "assignment_id": assignment, "kernelspec": kernel}
        connection.execute(insert(NOTEBOOK).values(values))
        return id
    if row.kernelspec != kernel:
        connection.execute(update(NOTEBOOK).where(*same).values(kernelspec=kernel))
    return str(row.id)


def _save_cells(
    connection: Connection, course: Course, notebook: str, name: str, master: Master
) -> dict[Key, str]:
    """The ids of the master's cells in the gradebook."""
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
        marks_put_away.of_gone_cells(connection, course, name, gone, master.exercise.removed)
        _remove(connection, list(gone))
    _update_points(connection, master, ids)
    for key, cell in wanted.items():
        if key not in ids:
            ids[key] = _add(connection, notebook, key, cell)
    return ids


def _graded_as(cell: MasterCell) -> dict[str, Any]:
    """What the gradebook knows of a cell with points."""
    return {"max_score": cell.points, "cell_type": cell.cell_type}


def _add(connection: Connection, notebook: str, key: Key, cell: MasterCell) -> str:
    kind, name = key
    id = new_id()
    connection.execute(insert(BASE_CELL).values(id=id, name=name, notebook_id=notebook, type=kind))
    values: dict[str, Any] = {"id": id}
    if kind == "GradeCell":
        values |= _graded_as(cell)
    connection.execute(insert(KINDS[kind]).values(values))
    return id


def _update_points(connection: Connection, master: Master, ids: Mapping[Key, str]) -> None:
    """Give the cells that are there already the points that they have now."""
    query = select(GRADE_CELL).where(GRADE_CELL.c.id.in_(list(ids.values())))
    rows = {row.id: row for row in connection.execute(query)}
    for cell in master.graded:
        row = rows.get(ids.get(("GradeCell", cell.id)))
        if row is not None and _differs(row, _graded_as(cell)):
            of_cell = update(GRADE_CELL).where(GRADE_CELL.c.id == row.id)
            connection.execute(of_cell.values(_graded_as(cell)))


def _differs(row: Any, values: Mapping[str, Any]) -> bool:
    return any(getattr(row, column) != value for column, value in values.items())


def _remove(connection: Connection, cells: list[str]) -> None:
    """Remove cells, with their grades and comments."""
    for table in (GRADE, COMMENT):
        connection.execute(delete(table).where(table.c.cell_id.in_(cells)))
    for table in (*KINDS.values(), BASE_CELL):
        connection.execute(delete(table).where(table.c.id.in_(cells)))


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
        row = rows.pop(cell.id, None)
        if row is None:
            place = {"id": new_id(), "name": cell.id, "notebook_id": notebook}
            connection.execute(insert(SOURCE_CELL).values(place | values))
        elif _differs(row, values):
            of_cell = update(SOURCE_CELL).where(SOURCE_CELL.c.id == row.id)
            connection.execute(of_cell.values(values))

    # What is left is no longer in the master.
    for row in rows.values():
        connection.execute(delete(SOURCE_CELL).where(SOURCE_CELL.c.id == row.id))

"""Marks by hand of cells that an exercise no longer has: nobody loses them without being told.

A cell that has another name takes them along (``was="why"`` in the exercise's source). Those of a
cell that is gone for good (``removed="why"``) are put away in a file, and come back with the cell.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, insert, or_, select, update

from autograder import files
from autograder.course import Course
from autograder.errors import Unusable
from autograder.gradebook.schema import (
    BASE_CELL,
    BY_HAND,
    COMMENT,
    GRADE,
    SUBMITTED_ASSIGNMENT,
    SUBMITTED_NOTEBOOK,
    new_id,
)
from autograder.text import agreeing, count, listed

NAME = "removed-marks.jsonl"
"""The file, in the course's folder."""

NAMED = 5
"""So many students are named in a line."""


def put_away(
    connection: Connection, course: Course, name: str, gone: Mapping[str, str], removed: set[str]
) -> None:
    """Write what a person entered for these cells into the file.

    Args:
        name: the exercise's.
        gone: the cells' names by their ids.
        removed: the names of cells of which the exercise's source says that they are gone for good.

    Raises:
        Unusable: there are marks of a cell of which it does not say so.
    """
    marks: list[dict[str, Any]] = []
    for table, columns in BY_HAND.items():
        for row in _entered(connection, table, columns, list(gone)):
            mark = {"exercise": name, "student": row.student_id, "cell": gone[row.cell_id]}
            for column in columns:
                mark[column] = getattr(row, column)
            marks.append(mark)

    lost = [mark for mark in marks if mark["cell"] not in removed]
    if lost:
        raise Unusable(_refusal(course, name, lost))
    if marks:
        _write(course, [*_read(course), *marks])


def _refusal(course: Course, name: str, marks: list[dict[str, Any]]) -> str:
    cells = sorted({mark["cell"] for mark in marks})
    students = sorted({mark["student"] for mark in marks})
    whose = listed(students)
    if len(students) > NAMED:
        whose = f"{', '.join(students[:NAMED])} and {count(len(students) - NAMED, 'other')}"
    are = agreeing(len(cells), "is", "are")
    return (
        f"{course.root / 'solutions' / name}.py: {listed(cells)} {are} gone, and with it marks by "
        f'hand of {whose}; write was="{cells[0]}" into the mark of the cell that is called '
        f'otherwise now, or removed="{" ".join(cells)}" into that of the setup cell to put the '
        f"marks away"
    )


def bring_back(
    connection: Connection, course: Course, name: str, cells: Mapping[tuple[Table, str], str]
) -> list[dict[str, Any]]:
    """Enter what was put away for cells that the exercise has (again), and say what that was.

    What a person has entered since stays, and then the older mark stays in the file.

    Args:
        cells: their ids in the gradebook, by their table (``GRADE`` or ``COMMENT``) and name.
    """
    marks = [mark for mark in _read(course) if mark["exercise"] == name]
    if not marks:
        return []

    notebooks = _notebooks(connection, cells.values())
    back = []
    # Of several of one cell the last one counts.
    for mark in reversed(marks):
        table = GRADE if "manual_score" in mark else COMMENT
        id, notebook = cells.get((table, mark["cell"])), notebooks.get(mark["student"])
        if id is None or notebook is None:
            continue
        if _enter(connection, table, id, notebook, mark):
            back.append(mark)
    return back


def _enter(
    connection: Connection, table: Table, id: str, notebook: str, mark: Mapping[str, Any]
) -> bool:
    """Enter a mark where a person has entered none; whether it was."""
    values = {column: mark[column] for column in BY_HAND[table]}
    # A person looks at it again.
    waits = {"needs_manual_grade": True} if table is GRADE else {}
    same = (table.c.cell_id == id, table.c.notebook_id == notebook)
    row = connection.execute(select(table).where(*same)).first()

    if row is None:
        place = {"id": new_id(), "cell_id": id, "notebook_id": notebook}
        connection.execute(insert(table).values(**place, **values, **waits))
        return True
    if any(getattr(row, column) is not None for column in values):
        return False
    connection.execute(update(table).where(*same).values(**values, **waits))
    return True


def _notebooks(connection: Connection, cells: Iterable[str]) -> dict[str, str]:
    """The submitted notebooks that have these cells, by student."""
    query = (
        select(SUBMITTED_ASSIGNMENT.c.student_id, SUBMITTED_NOTEBOOK.c.id)
        .join(SUBMITTED_NOTEBOOK, SUBMITTED_NOTEBOOK.c.assignment_id == SUBMITTED_ASSIGNMENT.c.id)
        .join(BASE_CELL, BASE_CELL.c.notebook_id == SUBMITTED_NOTEBOOK.c.notebook_id)
        .where(BASE_CELL.c.id.in_(list(cells)))
    )
    return dict(map(tuple, connection.execute(query)))


def forget(course: Course, back: list[dict[str, Any]]) -> None:
    """Take marks that are in the gradebook again out of the file."""
    if back:
        _write(course, [mark for mark in _read(course) if mark not in back])


def _read(course: Course) -> list[dict[str, Any]]:
    path = _path(course)
    try:
        # Within a comment there may be what Python takes for an end of a line of text.
        return list(map(json.loads, path.read_bytes().splitlines()))
    except FileNotFoundError:
        return []
    except ValueError as error:
        raise Unusable(f"{path}: {error}; fix that line, or take it out") from None


def _write(course: Course, marks: list[dict[str, Any]]) -> None:
    lines = [json.dumps(mark, ensure_ascii=False) + "\n" for mark in marks]
    files.write(_path(course), "".join(lines).encode())


def _path(course: Course) -> Path:
    return course.state / NAME


def _entered(
    connection: Connection, table: Table, columns: tuple[str, ...], cells: list[str]
) -> Iterator[Any]:
    """The rows of these cells with something in one of the columns, and whose they are."""
    query = (
        select(SUBMITTED_ASSIGNMENT.c.student_id, *table.c)
        .select_from(table)
        .join(SUBMITTED_NOTEBOOK, SUBMITTED_NOTEBOOK.c.id == table.c.notebook_id)
        .join(SUBMITTED_ASSIGNMENT, SUBMITTED_ASSIGNMENT.c.id == SUBMITTED_NOTEBOOK.c.assignment_id)
    )
    filled = or_(*(table.c[column].is_not(None) for column in columns))
    yield from connection.execute(query.where(table.c.cell_id.in_(cells), filled))

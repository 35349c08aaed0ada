"""Marks by hand of cells that an exercise no longer has: nobody loses them without being told.

A cell that has another name takes them along (``was="why"`` in the exercise's source). Those of a
cell that is gone for good (``removed="why"``) are put away in a file, and come back with the cell.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, insert, or_, select

from autograder import files
from autograder.course import Course
from autograder.errors import Unusable
from autograder.gradebook.schema import (
    COMMENT,
    GRADE,
    SUBMITTED_ASSIGNMENT,
    SUBMITTED_NOTEBOOK,
    new_id,
)
from autograder.text import agreeing, count, listed

NAME = "removed-marks.jsonl"
"""The file, in the course's folder."""

BY_HAND = {GRADE: ("manual_score", "extra_credit"), COMMENT: ("manual_comment",)}
"""The columns that a person fills in."""

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
            marks.append(mark | {column: getattr(row, column) for column in columns})

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
    connection: Connection, course: Course, name: str, cell: str, table: Table, id: str
) -> None:
    """Enter what was put away for a cell that the exercise has again.

    Args:
        table: ``GRADE`` or ``COMMENT``.
        id: the cell's in the gradebook, which has no rows yet.
    """
    columns = BY_HAND[table]
    kept: dict[str, dict[str, Any]] = {}
    for mark in _read(course):
        if (mark["exercise"], mark["cell"]) == (name, cell) and columns[0] in mark:
            kept[mark["student"]] = mark

    query = (
        select(SUBMITTED_NOTEBOOK.c.id, SUBMITTED_ASSIGNMENT.c.student_id)
        .join(SUBMITTED_ASSIGNMENT, SUBMITTED_ASSIGNMENT.c.id == SUBMITTED_NOTEBOOK.c.assignment_id)
        .where(SUBMITTED_ASSIGNMENT.c.student_id.in_(list(kept)))
    )
    for row in connection.execute(query).all() if kept else []:
        values = {column: kept[row.student_id][column] for column in columns}
        # A person looks at them again.
        waits = {"needs_manual_grade": True} if table is GRADE else {}
        place = {"id": new_id(), "cell_id": id, "notebook_id": row.id}
        connection.execute(insert(table).values(**place, **values, **waits))


def forget(course: Course, name: str, cells: set[str]) -> None:
    """Take those of cells that are in the gradebook (again) out of the file."""
    marks = _read(course)
    rest = [mark for mark in marks if mark["exercise"] != name or mark["cell"] not in cells]
    if len(rest) < len(marks):
        _write(course, rest)


def _read(course: Course) -> list[dict[str, Any]]:
    path = _path(course)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]
    except FileNotFoundError:
        return []
    except ValueError as error:
        raise Unusable(f"{path}: {error}; mend that line, or take it out") from None


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

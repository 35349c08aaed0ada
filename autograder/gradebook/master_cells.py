"""An exercise's cells in the gradebook: kept equal to the master, whatever has been graded by
then."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, insert, or_, select, update

from autograder.course import Course
from autograder.gradebook.master import Master, MasterCell
from autograder.gradebook.schema import (
    ASSIGNMENT,
    BASE_CELL,
    COMMENT,
    COURSE,
    GRADE,
    GRADE_CELL,
    NOTEBOOK,
    SOLUTION_CELL,
    SOURCE_CELL,
    SUBMITTED_ASSIGNMENT,
    SUBMITTED_NOTEBOOK,
    TASK_CELL,
    new_id,
)

Key = tuple[str, str]  # nbgrader's type of the cell, and its name
KINDS = {"GradeCell": GRADE_CELL, "SolutionCell": SOLUTION_CELL, "TaskCell": TASK_CELL}


@dataclass(frozen=True)
class Saved:
    """Where the exercise stands in the gradebook; the cells by name."""

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
    """Create or update the assignment, its notebook and its cells; cells that are gone take their
    grades along."""
    if not connection.scalar(select(COURSE.c.id).where(COURSE.c.id == course_id)):
        connection.execute(insert(COURSE).values(id=course_id))
    assignment = _assignment(connection, course_id, name, duedate)
    notebook = _notebook(connection, assignment, name, master)
    wanted: dict[Key, MasterCell] = {("GradeCell", cell.id): cell for cell in master.graded}
    wanted |= {("SolutionCell", cell.id): cell for cell in master.solutions}
    ids = {
        (row.type, row.name): row.id
        for row in connection.execute(select(BASE_CELL).where(BASE_CELL.c.notebook_id == notebook))
    }
    gone = {key: id for key, id in ids.items() if key not in wanted}
    if gone:
        _remove(connection, course, name, gone)
    known = {
        row.id: row
        for row in connection.execute(
            select(GRADE_CELL).where(GRADE_CELL.c.id.in_(list(ids.values())))
        )
    }
    for key, cell in wanted.items():
        if key not in ids:
            ids[key] = _add(connection, notebook, key, cell)
        elif key[0] == "GradeCell" and (
            known[ids[key]].max_score,
            known[ids[key]].cell_type,
        ) != _points(cell):
            points, cell_type = _points(cell)
            at = update(GRADE_CELL).where(GRADE_CELL.c.id == ids[key])
            connection.execute(at.values(max_score=points, cell_type=cell_type))
    _sources(connection, notebook, master)
    due = connection.scalar(select(ASSIGNMENT.c.duedate).where(ASSIGNMENT.c.id == assignment))
    return Saved(
        assignment,
        notebook,
        {cell.id: ids["GradeCell", cell.id] for cell in master.graded},
        {cell.id: ids["SolutionCell", cell.id] for cell in master.solutions},
        due,
    )


def _assignment(connection: Connection, course_id: str, name: str, duedate: datetime | None) -> str:
    # The lock lets one grader at a time write an exercise; SQLite, which knows none, locks
    # everything anyway.
    id = connection.scalar(
        select(ASSIGNMENT.c.id).where(ASSIGNMENT.c.name == name).with_for_update()
    )
    if id is None:
        id = new_id()
        connection.execute(
            insert(ASSIGNMENT).values(id=id, name=name, duedate=duedate, course_id=course_id)
        )
    elif duedate is not None:
        connection.execute(update(ASSIGNMENT).where(ASSIGNMENT.c.id == id).values(duedate=duedate))
    return str(id)


def _notebook(connection: Connection, assignment: str, name: str, master: Master) -> str:
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


def _points(cell: MasterCell) -> tuple[float, str]:
    return cell.points, cell.cell_type


def _add(connection: Connection, notebook: str, key: Key, cell: MasterCell) -> str:
    kind, name = key
    id = new_id()
    connection.execute(insert(BASE_CELL).values(id=id, name=name, notebook_id=notebook, type=kind))
    values: dict[str, Any] = {"id": id}
    if kind == "GradeCell":
        values["max_score"], values["cell_type"] = _points(cell)
    connection.execute(insert(KINDS[kind]).values(values))
    return id


def _remove(connection: Connection, course: Course, name: str, gone: dict[Key, str]) -> None:
    """Remove cells with their grades; what a person entered there is kept in
    ``removed-marks.jsonl``."""
    ids = list(gone.values())
    of_student = (
        select(SUBMITTED_ASSIGNMENT.c.student_id, SUBMITTED_NOTEBOOK.c.id)
        .join(SUBMITTED_ASSIGNMENT, SUBMITTED_ASSIGNMENT.c.id == SUBMITTED_NOTEBOOK.c.assignment_id)
        .subquery()
    )
    by_hand = [
        (GRADE, ("manual_score", "extra_credit")),
        (COMMENT, ("manual_comment",)),
    ]
    names = {id: key[1] for key, id in gone.items()}
    lines = []
    for table, columns in by_hand:
        entered = or_(*(table.c[column].is_not(None) for column in columns))
        rows = connection.execute(
            select(of_student.c.student_id, *table.c)
            .join(of_student, of_student.c.id == table.c.notebook_id)
            .where(table.c.cell_id.in_(ids), entered)
        ).mappings()
        for row in rows:
            mark = {column: row[column] for column in columns}
            lines.append(
                {
                    "exercise": name,
                    "student": row["student_id"],
                    "cell": names[row["cell_id"]],
                    **mark,
                }
            )
    if lines:
        course.state.mkdir(parents=True, exist_ok=True)
        with (course.state / "removed-marks.jsonl").open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    for table in (GRADE, COMMENT):
        connection.execute(delete(table).where(table.c.cell_id.in_(ids)))
    for table in (*KINDS.values(), BASE_CELL):
        connection.execute(delete(table).where(table.c.id.in_(ids)))


def _sources(connection: Connection, notebook: str, master: Master) -> None:
    known = {
        row.name: row
        for row in connection.execute(
            select(SOURCE_CELL).where(SOURCE_CELL.c.notebook_id == notebook)
        )
    }
    wanted = {
        cell.id: {
            "cell_type": cell.cell_type,
            "locked": cell.is_locked,
            "source": cell.source,
            "checksum": cell.checksum,
        }
        for cell in master.sources
    }
    gone = [row.id for name, row in known.items() if name not in wanted]
    if gone:
        connection.execute(delete(SOURCE_CELL).where(SOURCE_CELL.c.id.in_(gone)))
    for name, values in wanted.items():
        if name not in known:
            connection.execute(
                insert(SOURCE_CELL).values(id=new_id(), name=name, notebook_id=notebook, **values)
            )
        elif any(known[name]._mapping[column] != value for column, value in values.items()):
            connection.execute(
                update(SOURCE_CELL).where(SOURCE_CELL.c.id == known[name].id).values(values)
            )

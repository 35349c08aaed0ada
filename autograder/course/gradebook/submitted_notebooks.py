"""The students' submitted notebooks in the gradebook, to which their grades and comments belong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, bindparam, insert, select, update

from autograder.course.gradebook.master_cells import Saved
from autograder.course.gradebook.schema import SUBMITTED_ASSIGNMENT, SUBMITTED_NOTEBOOK, new_id


@dataclass(frozen=True)
class SubmittedNotebooks:
    """The ids of submitted notebooks by student; ``new`` are those that were created now."""

    ids: dict[str, str]
    new: frozenset[str]


def save(
    connection: Connection, saved: Saved, times: Mapping[str, datetime | None]
) -> SubmittedNotebooks:
    """Create the submitted notebooks that are missing, and note when each was handed in.

    Args:
        times: by student; a time that is None leaves the one that stands there.
    """
    assignments = _save_assignments(connection, saved, times)
    rows = connection.execute(
        select(SUBMITTED_NOTEBOOK).where(
            SUBMITTED_NOTEBOOK.c.notebook_id == saved.notebook,
            SUBMITTED_NOTEBOOK.c.assignment_id.in_(list(assignments.values())),
        )
    )
    notebooks = {row.assignment_id: str(row.id) for row in rows}

    new = []
    for assignment in assignments.values():
        if assignment not in notebooks:
            notebooks[assignment] = new_id()
            place = {"assignment_id": assignment, "notebook_id": saved.notebook}
            new.append({"id": notebooks[assignment], **place, "flagged": False})
    if new:
        connection.execute(insert(SUBMITTED_NOTEBOOK), new)

    ids = {student: notebooks[assignment] for student, assignment in assignments.items()}
    return SubmittedNotebooks(ids, frozenset(str(row["id"]) for row in new))


def _save_assignments(
    connection: Connection, saved: Saved, times: Mapping[str, datetime | None]
) -> dict[str, str]:
    """The ids of the students' submitted assignments, by student."""
    query = select(SUBMITTED_ASSIGNMENT).where(
        SUBMITTED_ASSIGNMENT.c.assignment_id == saved.assignment,
        SUBMITTED_ASSIGNMENT.c.student_id.in_(list(times)),
    )
    rows = {row.student_id: row for row in connection.execute(query)}

    ids: dict[str, str] = {}
    new = []
    later = []
    for student, time in times.items():
        row = rows.get(student)
        if row is None:
            ids[student] = new_id()
            place = {"assignment_id": saved.assignment, "student_id": student}
            new.append({"id": ids[student], **place, "timestamp": time})
        else:
            ids[student] = str(row.id)
            if time is not None and time != row.timestamp:
                later.append({"row": row.id, "timestamp": time})

    if new:
        connection.execute(insert(SUBMITTED_ASSIGNMENT), new)
    if later:
        of_row = update(SUBMITTED_ASSIGNMENT).where(SUBMITTED_ASSIGNMENT.c.id == bindparam("row"))
        connection.execute(of_row, later)
    return ids

"""Students in the gradebook, with what the class list says of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlalchemy import Connection, insert, select, update

from autograder.gradebook.schema import STUDENT


def save(
    connection: Connection, students: Iterable[str], class_list: Mapping[str, dict[str, str]]
) -> None:
    """Create the students who are missing, and fill in what is empty.

    What stands there already is a person's entry, made in the formgrader, and stays.
    """
    wanted = {student: _columns(class_list.get(student, {})) for student in students}
    rows = connection.execute(select(STUDENT).where(STUDENT.c.id.in_(list(wanted)))).all()
    there = {row.id for row in rows}
    new = [{"id": id, **columns} for id, columns in wanted.items() if id not in there]
    if new:
        connection.execute(insert(STUDENT), new)

    for row in rows:
        filled = {}
        for column, value in wanted[row.id].items():
            if value and not getattr(row, column):
                filled[column] = value
        if filled:
            connection.execute(update(STUDENT).where(STUDENT.c.id == row.id).values(filled))


def _columns(entry: Mapping[str, str]) -> dict[str, str | None]:
    """The gradebook's columns of a student, from a line of the class list."""
    given = {title.strip().casefold().replace(" ", "_"): value for title, value in entry.items()}
    first, _, last = given.get("name", "").rpartition(" ")
    return {
        "first_name": given.get("first_name") or first or None,
        "last_name": given.get("last_name") or last or None,
        "email": given.get("email") or None,
        "lms_user_id": given.get("lms_user_id") or given.get("lms_id") or None,
    }

"""Students in the gradebook, with what the class list says of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlalchemy import Connection, insert, select, update

from autograder.class_list import EMAILS, FIRST_NAMES, LAST_NAMES, NAMES, NUMBERS, value_of
from autograder.gradebook.schema import STUDENT


def save(
    connection: Connection, students: Iterable[str], class_list: Mapping[str, dict[str, str]]
) -> None:
    """Create the students who are missing, and write down what the class list says of all.

    Where it says nothing, what a person has entered in the formgrader stays.
    """
    wanted = {student: _columns(class_list.get(student, {})) for student in students}
    for row in connection.execute(select(STUDENT).where(STUDENT.c.id.in_(list(wanted)))).all():
        changed = {}
        for column, value in wanted.pop(row.id).items():
            if value and getattr(row, column) != value:
                changed[column] = value
        if changed:
            connection.execute(update(STUDENT).where(STUDENT.c.id == row.id).values(changed))

    if wanted:
        new = [{"id": student, **columns} for student, columns in wanted.items()]
        connection.execute(insert(STUDENT), new)


def _columns(line: Mapping[str, str]) -> dict[str, str | None]:
    """The gradebook's columns of a student, from a line of the class list."""
    first, _, last = value_of(line, NAMES).rpartition(" ")
    return {
        "first_name": value_of(line, FIRST_NAMES) or first or None,
        "last_name": value_of(line, LAST_NAMES) or last or None,
        "email": value_of(line, EMAILS) or None,
        "lms_user_id": value_of(line, NUMBERS["canvas"]) or None,
    }

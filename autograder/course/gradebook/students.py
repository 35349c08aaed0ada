"""Students in the gradebook, with what the class list says of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from autograder.base.files import below
from autograder.course.class_list import EMAILS, FIRST_NAMES, LAST_NAMES, NAMES, NUMBERS, value_of
from autograder.course.collecting import naming
from autograder.course.collecting.naming import Claim
from autograder.course.collecting.roster import Roster
from autograder.course.collecting.store import read_platform
from autograder.course.course import STUDENT_ID, Course
from autograder.course.gradebook.database import read
from autograder.course.gradebook.schema import STUDENT


def moved(course: Course) -> dict[str, str]:
    """Students who have left the class list, each with one on it who may be the same person.

    They share an address, a platform's number or a name.

    Raises:
        Unusable: the class list or the gradebook cannot be read.
    """
    people = course.class_list()
    if people is None:
        return {}
    roster = Roster(people)
    known: dict[str, Row[Any] | None] = dict.fromkeys(
        path.name for path in course.submitted.glob("*/")
    )
    nobody: list[Row[Any]] = []
    for one in read(course, lambda there: list(there.execute(select(STUDENT)).all()), nobody):
        known[one.id] = one

    found: dict[str, str] = {}
    # In a gradebook somebody may be called in any way.
    for old in sorted(filter(STUDENT_ID.match, known.keys() - people.keys())):
        own = below(course.submitted, old, follow=False)
        claims = [_claim_of_download(place) for place in own.glob("*/")]
        fitting: list[set[str]] = []
        row = known[old]
        if row is not None:
            fitting += [
                roster.having(EMAILS, row.email or ""),
                roster.having(NUMBERS["canvas"], row.lms_user_id or ""),
            ]
            claims.append(Claim("moodle", f"{row.first_name or ''} {row.last_name or ''}"))
        for claim in filter(None, claims):
            fitting += [roster.numbered(claim), roster.named(claim)]
        for new in fitting:
            if len(new) == 1:
                found[old] = next(iter(new))
                break
    return found


def _claim_of_download(folder: Path) -> Claim | None:
    """Whose a submission is, as its platform says."""
    name = read_platform(folder)
    if name.endswith("/"):
        return naming.platform_folder(name.removesuffix("/"))
    made = naming.platform_file(f"{name}x") if name else None
    return made[0] if made else None


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

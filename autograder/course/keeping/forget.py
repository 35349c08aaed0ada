"""Removing a person from a course: from everywhere that can be, and saying where they still are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import Connection, delete, select

from autograder.base import files
from autograder.base.errors import Unusable
from autograder.base.text import count, short
from autograder.course import log
from autograder.course.class_list import EMAILS, full_name, value_of
from autograder.course.collecting import store
from autograder.course.course import Course, pseudonym
from autograder.course.gradebook import database, deadlines, old_marks
from autograder.course.gradebook.database import (
    COMMENT,
    GRADE,
    STUDENT,
    SUBMITTED_ASSIGNMENT,
    SUBMITTED_NOTEBOOK,
)
from autograder.course.keeping import downloads, exchanged, places
from autograder.course.keeping.backup import nobody_grades
from autograder.course.keeping.traces import Forgotten, Traces, remove

AGAIN = ("reports", "exports")
"""Folders of what can be made again, for the whole class."""

OTHERS = ("submitted", "autograded", "feedback", "results", "inbox", "exchange", "versions")
"""Folders of which only the names are looked at in the end: what others wrote is theirs."""


def forget(course: Course, student: str) -> Forgotten:
    """Remove a student from the course's folder, its gradebook and its exchange.

    No class is graded meanwhile: whoever wants to waits.

    Raises:
        Unusable: nobody of this id is anywhere, or the gradebook cannot be written.
    """
    places.refuse_no_id(course, student)
    with nobody_grades(course):
        return _forgotten(course, student)


def _forgotten(course: Course, student: str) -> Forgotten:
    done = Forgotten()
    person = (course.class_list() or {}).get(student, {})
    others = [value_of(person, EMAILS)]
    if course.has_secret():
        others.append(pseudonym(course.secret(), student))
    traces = Traces(student, full_name(person), tuple(others))
    _refuse_damaged(course)

    # While the class list and the pages still say which downloads and which feedback are theirs.
    downloads.remove_own(course, student, done)
    exchanged.remove_own(course, student, done)

    _gradebook(course, student, done)

    for path in (*places.folders(course, student), *places.results(course, student)):
        remove(path, done)
    places.change_journals(course, student, None)

    def without(entry: places.Entry) -> places.Entry | None:
        return None if entry.get("student") == student else entry

    for name in old_marks.NAMES:
        path = course.state / name
        _note(done, path, places.change_lines(path, without), "line")
    _note(done, course.state / log.NAME, places.change_log(course, without), "score")
    _class_list(course, student, done)

    # Whoever is nobody may be called like a word of every report.
    if not done.removed:
        raise Unusable(f"{course.state}: knows no student {student}; look at the ids in the report")
    for name in AGAIN:
        for path in sorted((course.state / name).rglob("*"), reverse=True):
            if path.is_file() and _is_theirs(path, traces, course.state):
                remove(path, done)
            elif path.is_dir() and not any(path.iterdir()):
                path.rmdir()
    done.left += _rest(course, traces, done.left)
    return done


def _refuse_damaged(course: Course) -> None:
    """Refuse files out of which lines could not be taken, before anything is removed.

    Raises:
        Unusable: one cannot be read.
    """
    deadlines.extensions(course)
    for name in old_marks.NAMES:
        old_marks.read(course, name)


def _note(done: Forgotten, path: Path, number: int, what: str) -> None:
    """Note what was taken out of a file."""
    if number:
        done.removed.append(f"{short(path)}: {count(number, what)}")


def _is_theirs(path: Path, traces: Traces, above: Path) -> bool:
    """Whether a file names them; into some nobody can look."""
    try:
        return traces.are_in(path, above)
    except files.Refused:
        return False


def _class_list(course: Course, student: str, done: Forgotten) -> None:
    """Take the student out of the class list, and the extensions that nobody else has."""
    people = course.class_list() or {}
    person = people.pop(student, {})
    group = value_of(person, {"group"})
    others = {value_of(row, {"group"}) for row in people.values()}
    # A line for a group of nobody would be a mistake in the file.
    names = {student} | ({group} - others if group else set())
    for (name, column), whose in zip(places.TABLES, (names, {student})):
        path = course.state / name
        _note(done, path, places.change_rows(path, column, dict.fromkeys(whose)), "row")


def _gradebook(course: Course, student: str, done: Forgotten) -> None:
    of_student = select(SUBMITTED_ASSIGNMENT.c.id).where(
        SUBMITTED_ASSIGNMENT.c.student_id == student
    )
    notebooks = select(SUBMITTED_NOTEBOOK.c.id).where(
        SUBMITTED_NOTEBOOK.c.assignment_id.in_(of_student)
    )

    def is_there(connection: Connection) -> bool:
        return (
            connection.execute(select(STUDENT).where(STUDENT.c.id == student)).first() is not None
        )

    def work(connection: Connection) -> None:
        if connection.dialect.name == "sqlite":
            # Else what is deleted stays in the file until something is written over it.
            connection.exec_driver_sql("PRAGMA secure_delete = ON")
        for table in (GRADE, COMMENT):
            connection.execute(delete(table).where(table.c.notebook_id.in_(notebooks)))
        of_assignment = SUBMITTED_NOTEBOOK.c.assignment_id.in_(of_student)
        connection.execute(delete(SUBMITTED_NOTEBOOK).where(of_assignment))
        own = SUBMITTED_ASSIGNMENT.c.student_id == student
        connection.execute(delete(SUBMITTED_ASSIGNMENT).where(own))
        connection.execute(delete(STUDENT).where(STUDENT.c.id == student))

    if database.read(course, is_there, False):
        database.Gradebook(course).write(work)
        done.removed.append(f"the gradebook ({database.address(course)})")


def _rest(course: Course, traces: Traces, known: list[str]) -> Iterator[str]:
    """Files of the course that still have traces of the student, or of somebody like them."""
    for path in sorted(course.state.rglob("*")):
        place = path.relative_to(course.state)
        if not path.is_file() or path.is_symlink() or path == course.gradebook:
            continue

        name = place.parts[0]
        if name in (*OTHERS, store.EARLIER):
            # A student's folder or file is called as they are, a download in any way.
            words = [word.partition("+")[0].removesuffix(".json") for word in place.parts]
            is_there = traces.student in words
            if name == "inbox":
                is_there = traces.are_among(str(place))
        else:
            try:
                is_there = traces.are_in(path, course.state)
            except files.Refused as refused:
                yield f"{short(path)}: cannot be looked into ({refused}); look, if it may name them"
                continue

        if is_there and not any(line.startswith(f"{short(path)}:") for line in known):
            yield f"{short(path)}: may name them; look, and take that out by hand"

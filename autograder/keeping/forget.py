"""Removing a person from a course: from everywhere that can be, and saying where they still are."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, delete, select

from autograder import class_list, files, log
from autograder.class_list import EMAILS, full_name, value_of
from autograder.collecting import earlier
from autograder.course import STUDENT_ID, Course, pseudonym
from autograder.errors import Unusable
from autograder.gradebook import database, extensions, marks_put_away
from autograder.gradebook.schema import (
    COMMENT,
    GRADE,
    STUDENT,
    SUBMITTED_ASSIGNMENT,
    SUBMITTED_NOTEBOOK,
)
from autograder.grading.journal import NAME as JOURNAL
from autograder.keeping import downloads, exchanged
from autograder.keeping.backup import nobody_grades
from autograder.keeping.traces import Forgotten, Traces, remove
from autograder.text import count, short

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
    if not STUDENT_ID.match(student):
        raise Unusable(f"{student!r} is no student id; use letters, digits, . _ @ + -")
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

    for folder in (course.submitted, course.autograded, course.feedback, *earlier.folders(course)):
        remove(files.below(folder, student, follow=False), done)
    for path in sorted(course.results.glob(f"*/{student}.json")):
        remove(path, done)
    for path in sorted(course.results.glob(f"*/{JOURNAL}")):
        lines = path.read_text(encoding="utf-8").splitlines()
        # In its place: the file is a lock, too.
        path.write_text("".join(f"{line}\n" for line in lines if line != student))

    for name in marks_put_away.NAMES:
        _without_lines(course.state / name, _is_of(student), done)
    _log(course, student, done)
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
    extensions.read(course)
    for name in marks_put_away.NAMES:
        marks_put_away.read(course, name)


def _read(line: bytes | str) -> dict[str, Any]:
    """What a line of JSON says; nothing where it is none."""
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def _is_theirs(path: Path, traces: Traces, above: Path) -> bool:
    """Whether a file names them; into some nobody can look."""
    try:
        return traces.are_in(path, above)
    except files.Refused:
        return False


def _without_lines(path: Path, is_theirs: Callable[[str], bool], done: Forgotten) -> None:
    """Take lines out of a file."""
    if not path.is_file():
        return

    # Within a line there may be what Python's own splitlines takes for an end of a text.
    lines = path.read_bytes().splitlines(keepends=True)
    others = [line for line in lines if not is_theirs(line.decode())]
    if len(others) < len(lines):
        files.write(path, b"".join(others))
        done.removed.append(f"{short(path)}: {count(len(lines) - len(others), 'line')}")


def _is_of(student: str) -> Callable[[str], bool]:
    """Whether a line of JSON is of a student."""
    return lambda line: _is(_read(line), student)


def _is(entry: Any, student: str) -> bool:
    """Whether an entry is of a student."""
    return isinstance(entry, dict) and entry.get("student") == student


def _log(course: Course, student: str, done: Forgotten) -> None:
    """Take the student's scores out of the log; the lines stay, for they are the class's."""
    path = course.state / log.NAME
    if not path.is_file():
        return

    number, lines = 0, []
    for line in path.read_bytes().splitlines():
        entry = _read(line)
        others = {}
        for kind in ("scores", "final"):
            if isinstance(entry.get(kind), list):
                others[kind] = [one for one in entry[kind] if not _is(one, student)]

        removed = sum(len(entry[kind]) - len(kept) for kind, kept in others.items())
        if removed:
            number += removed
            line = json.dumps({**entry, **others}, ensure_ascii=False).encode()
        lines.append(line + b"\n")

    if number:
        files.write(path, b"".join(lines))
        path.chmod(0o600)
        done.removed.append(f"{short(path)}: {count(number, 'score')}")


def _class_list(course: Course, student: str, done: Forgotten) -> None:
    """Take the student out of the class list, and the extensions that nobody else has."""
    people = course.class_list() or {}
    person = people.pop(student, {})
    group = value_of(person, {"group"})
    others = {value_of(row, {"group"}) for row in people.values()}
    # A line for a group of nobody would be a mistake in the file.
    names = {student} | ({group} - others if group else set())
    _without_rows(course.state / extensions.NAME, "who", names, done)
    _without_rows(course.state / "students.csv", "id", {student}, done)


def _without_rows(path: Path, column: str, names: set[str], done: Forgotten) -> None:
    """Take the rows with these names in a column out of a table; the others stay as written."""
    if not path.is_file():
        return

    lines = path.read_bytes().decode("utf-8-sig").splitlines(keepends=True)
    reader = csv.reader(lines, delimiter=class_list.delimiter(lines[0]))
    place = [title.strip().casefold() for title in next(reader)].index(column)
    others = lines[: reader.line_num]
    start, number = reader.line_num, 0
    for row in reader:
        # One in quotes may go over several lines.
        if names.intersection(cell.strip() for cell in row[place : place + 1]):
            number += 1
        else:
            others += lines[start : reader.line_num]
        start = reader.line_num

    if number:
        files.write(path, "".join(others).encode())
        done.removed.append(f"{short(path)}: {count(number, 'row')}")


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
        if name in (*OTHERS, earlier.NAME):
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

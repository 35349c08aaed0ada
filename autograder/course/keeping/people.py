"""Removes a student from a course, or changes their id: everywhere, and reports where it cannot.

A file (``RENAMING``) records a renaming until it is done: the same command continues an interrupted
run. Each step checks by itself whether it is still to do.
"""

from __future__ import annotations

import html
import json
import re
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sqlalchemy import Connection, delete, insert, select, update

from autograder.base import files
from autograder.base.errors import Unusable
from autograder.base.text import listed, short
from autograder.course.class_list import EMAILS, full_name, value_of
from autograder.course.collecting import store
from autograder.course.course import Course, pseudonym
from autograder.course.gradebook import config, database, deadlines, old_marks
from autograder.course.gradebook.database import (
    COMMENT,
    GRADE,
    STUDENT,
    SUBMITTED_ASSIGNMENT,
    SUBMITTED_NOTEBOOK,
)
from autograder.course.keeping import places
from autograder.course.keeping.backup import nobody_grades
from autograder.course.keeping.places import Done
from autograder.course.submission_folder import read_secret

AGAIN = ("reports", "exports")
"""Folders of files about the whole class that can be made again."""

OTHERS = ("submitted", "autograded", "feedback", "results", "inbox", "exchange", "versions")
"""Folders in which only names are searched for traces in the end: the content is other
students'."""


MOST_BYTES = 100 << 20
"""The largest file, also in an archive, that is searched for traces; larger ones are reported."""


@dataclass(frozen=True)
class _Traces:
    """What a person can be recognized by: their id, their name, and other words that are theirs."""

    student: str
    name: str
    others: tuple[str, ...]

    def are_in(self, path: Path, above: Path) -> bool:
        """Whether a file has them in its name or its content."""
        if self.are_among(str(path.relative_to(above))):
            return True
        if not zipfile.is_zipfile(path):
            return self.are_among(files.read(path, MOST_BYTES).decode("utf-8", "replace"))

        try:
            with zipfile.ZipFile(path) as archive:
                if sum(entry.file_size for entry in archive.infolist()) > MOST_BYTES:
                    raise files.Refused("holds too much")
                for entry in archive.namelist():
                    held = archive.read(entry).decode("utf-8", "replace")
                    if self.are_among(entry) or self.are_among(held):
                        return True
        except files.Refused:
            raise
        except Exception as error:  # encrypted, damaged, or in a format that Python does not know
            raise files.Refused(str(error)) from None
        return False

    def are_among(self, text: str) -> bool:
        """Whether a text has them as words, in any escaping of pages, tables and JSON."""
        return self._pattern.search(_plain(text)) is not None

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        first, _, last = self.name.rpartition(" ")
        words = (self.student, self.name, f"{last}, {first}" if first else "", *self.others)
        alternatives = "|".join(re.escape(_plain(word)) for word in words if word)
        return re.compile(rf"(?<![a-z0-9])(?:{alternatives})(?![a-z0-9])")


def _plain(text: str) -> str:
    """A text without the escaping of pages, tables and JSON, in lower case."""
    text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), html.unescape(text))
    return text.replace('\\"', '"').replace('""', '"').casefold()


def forget(course: Course, student: str) -> Done:
    """Remove a student from the course's folder, its gradebook and its exchange.

    No class is graded meanwhile: another run waits.

    Raises:
        Unusable: nobody has this id, or the gradebook cannot be written.
    """
    places.refuse_no_id(course, student)
    with nobody_grades(course):
        return _forgotten(course, student)


def _forgotten(course: Course, student: str) -> Done:
    done = Done()
    person = (course.class_list() or {}).get(student, {})
    others = [value_of(person, EMAILS)]
    if course.has_secret():
        others.append(pseudonym(course.secret(), student))
    traces = _Traces(student, full_name(person), tuple(others))
    # Refuse files from which lines could not be removed, before anything is removed.
    deadlines.extensions(course)
    for name in old_marks.NAMES:
        old_marks.read(course, name)

    # While the class list and the pages still tell which downloads and feedback are theirs.
    for path, students in places.owners(course).items():
        if students == {student}:
            _remove(path, done)
        elif student in students:
            done.left.append(f"{short(path)}: holds others' work, too; take theirs out by hand")
    _exchange(course, student, done)

    _gradebook(course, student, done)

    for path in (*places.folders(course, student), *places.results(course, student)):
        _remove(path, done)
    places.change_notes(course, student, None, done)
    _class_list(course, student, done)

    # An unknown id may be a word that occurs in every report.
    if not done.places:
        raise Unusable(course.state, f"knows no student {student}", "look at the ids in the report")
    for name in AGAIN:
        for path in sorted((course.state / name).rglob("*"), reverse=True):
            if path.is_file():
                with suppress(files.Refused):  # some cannot be read
                    if traces.are_in(path, course.state):
                        _remove(path, done)
            elif path.is_dir() and not any(path.iterdir()):
                path.rmdir()
    done.left += _rest(course, traces, done.left)
    return done


def _exchange(course: Course, student: str, done: Done) -> None:
    """Remove what the student handed in through nbgrader, and the pages waiting in the exchange."""
    place = config.exchange(course)
    inbound = places.handed_in(course, student)

    pages = []
    own = files.below(course.feedback, student, follow=False)
    for folder in (*inbound, *sorted(own.glob("*"))):
        secret = read_secret(folder)
        if secret is not None and (place / "feedback").is_dir():
            from nbgrader.utils import notebook_hash

            # The exercise is a part of the name in the exchange, and all of it in the course.
            parts = folder.name.split("+")
            name = notebook_hash(secret=secret, notebook_id=parts[min(1, len(parts) - 1)])
            pages.append(place / "feedback" / f"{name}.html")
    for path in (*inbound, *pages):
        _remove(path, done)


def _remove(path: Path, done: Done) -> None:
    """Remove a file, or a folder with its content, if it exists."""
    try:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.is_symlink() or path.exists():
            path.unlink()
        else:
            return
    except OSError as error:
        done.left.append(f"{short(path)}: {(error.strerror or 'cannot be removed').lower()}")
        return
    done.places.append(short(path))


def _class_list(course: Course, student: str, done: Done) -> None:
    """Remove the student from the class list, and their own extensions."""
    people = course.class_list() or {}
    person = people.pop(student, {})
    group = value_of(person, {"group"})
    others = {value_of(row, {"group"}) for row in people.values()}
    # A line for a group of nobody would be a mistake in the file.
    names = {student} | ({group} - others if group else set())
    for (name, column), whose in zip(places.TABLES, (names, {student})):
        path = course.state / name
        done.note(path, places.change_rows(path, column, dict.fromkeys(whose)), "row")


def _gradebook(course: Course, student: str, done: Done) -> None:
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
            # Otherwise deleted data stay in the file until they are overwritten.
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
        done.places.append(f"the gradebook ({database.address(course)})")


def _rest(course: Course, traces: _Traces, known: list[str]) -> Iterator[str]:
    """Files of the course that still have traces of the student, or of somebody like them."""
    for path in sorted(course.state.rglob("*")):
        place = path.relative_to(course.state)
        if not path.is_file() or path.is_symlink() or path == course.gradebook:
            continue

        name = place.parts[0]
        if name in (*OTHERS, store.EARLIER):
            # A student's folder or file has their id as name, a download may have any name.
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


RENAMING = "renaming.json"
"""The file, in the course's folder."""


def rename(course: Course, old: str, new: str) -> Done:
    """Give everything of a student to another id, which has no work of its own.

    No class is graded meanwhile: another run waits.

    Raises:
        Unusable: an id is invalid, nobody has the old one, the new one has work, or the gradebook
            cannot be written.
    """
    for student in (old, new):
        places.refuse_no_id(course, student)
    with nobody_grades(course):
        _begin(course, old, new)
        done = Done()
        _rename_in_gradebook(course, old, new, done)
        _rename_files(course, old, new, done)
        places.change_notes(course, old, new, done)
        _rename_rows(course, old, new, done)
        _rename_downloads(course, old, new, done)
        (course.state / RENAMING).unlink()
    return done


def _begin(course: Course, old: str, new: str) -> None:
    """Record the renaming, if it is allowed."""
    path = course.state / RENAMING
    note = {"old": old, "new": new}
    if path.is_file():
        try:
            begun = json.loads(path.read_bytes())
            first = f"autograder rename {begun['old']} {begun['new']}"
        except (ValueError, TypeError, KeyError):
            raise Unusable(path, "is damaged", "delete it, and rename again") from None
        if begun != note:
            raise Unusable(path, "another one was cut short", f"run {first} first")
        return

    if old == new:
        raise Unusable(new, "is the id already", "name another one")
    people = course.class_list() or {}
    if old not in people and not places.work(course, old):
        raise Unusable(course.state, f"knows no student {old}", "look at the ids in the report")
    work = places.work(course, new)
    if work:
        held = listed([*work[:3], f"{len(work) - 3} more"] if len(work) > 3 else work)
        raise Unusable(
            new, f"has work of its own, {held}", f"rename to an id without, or forget {new} first"
        )
    files.write(path, json.dumps(note).encode())


def _rename_in_gradebook(course: Course, old: str, new: str, done: Done) -> None:
    def row(connection: Connection, student: str) -> dict[str, object] | None:
        found = connection.execute(select(STUDENT).where(STUDENT.c.id == student)).first()
        return None if found is None else dict(found._mapping)

    def work(connection: Connection) -> None:
        person = row(connection, old)
        if person is None:
            return
        if row(connection, new) is None:
            connection.execute(insert(STUDENT).values(person | {"id": new}))
        own = SUBMITTED_ASSIGNMENT.c.student_id == old
        connection.execute(update(SUBMITTED_ASSIGNMENT).where(own).values(student_id=new))
        connection.execute(delete(STUDENT).where(STUDENT.c.id == old))

    if database.read(course, lambda connection: row(connection, old), None) is not None:
        database.Gradebook(course).write(work)
        done.places.append(f"the gradebook ({database.address(course)})")


def _rename_files(course: Course, old: str, new: str, done: Done) -> None:
    for path, wanted in zip(places.folders(course, old), places.folders(course, new)):
        _move(path, wanted, done)
        if store.EARLIER in wanted.parts:
            for result in wanted.glob("*/result.json"):
                _rewrite(result, result, old, new)
    for path in places.results(course, old):
        wanted = path.with_name(f"{new}.json")
        _rewrite(path, wanted, old, new)
        path.unlink()
        done.places.append(short(wanted))


def _move(path: Path, wanted: Path, done: Done) -> None:
    """Rename a file or folder that has the old name."""
    if not path.exists():
        return
    if wanted.exists():
        done.left.append(f"{short(path)}: {short(wanted)} is there, too; look at both")
        return
    try:
        path.rename(wanted)
    except OSError as error:
        done.left.append(f"{short(path)}: {(error.strerror or 'cannot be renamed').lower()}")
        return
    done.places.append(short(wanted))


def _rewrite(path: Path, wanted: Path, old: str, new: str) -> None:
    """Write a result with the new id; a damaged one is copied unchanged."""
    data = path.read_bytes()
    try:
        result = json.loads(data)
        if result["student"] == old:
            data = json.dumps(result | {"student": new}, ensure_ascii=False).encode() + b"\n"
    except (ValueError, TypeError, KeyError, RecursionError):
        pass  # its reader reports it
    files.write(wanted, data)


def _rename_rows(course: Course, old: str, new: str, done: Done) -> None:
    people = course.class_list() or {}
    for name, column in places.TABLES:
        path = course.state / name
        is_twice = column == "id" and new in people
        number = places.change_rows(path, column, {old: None if is_twice else new})
        if number and is_twice:
            done.places.append(f"{short(path)}: the row of {old} is gone, {new} has its own")
        else:
            done.note(path, number, "row")


def _rename_downloads(course: Course, old: str, new: str, done: Done) -> None:
    """Rename downloads that would be collected for the old id again."""
    for path in places.handed_in(course, old):
        _move(path, path.with_name(f"{new}{path.name.removeprefix(old)}"), done)
    _move(course.inbox / old, course.inbox / new, done)
    for path, students in places.owners(course).items():
        if old in students:
            done.left.append(f"{short(path)}: would be collected for {old}; rename or remove it")

"""Giving a student another id, everywhere in a course.

What is going on stands in a file (``NAME``) until it is done: a run that was cut short is gone on
with by the same command. Each step finds out by itself whether it is still to be done.
"""

from __future__ import annotations

import json
from pathlib import Path

from sqlalchemy import Connection, delete, insert, select, update

from autograder.base import files
from autograder.base.errors import Unusable
from autograder.base.text import listed, short
from autograder.course.collecting import store
from autograder.course.course import Course
from autograder.course.gradebook import database
from autograder.course.gradebook.database import STUDENT, SUBMITTED_ASSIGNMENT
from autograder.course.keeping import places
from autograder.course.keeping.backup import nobody_grades
from autograder.course.keeping.places import Done

NAME = "renaming.json"
"""The file, in the course's folder."""


def rename(course: Course, old: str, new: str) -> Done:
    """Give everything of a student to another id, which has no work of its own.

    No class is graded meanwhile: whoever wants to waits.

    Raises:
        Unusable: an id is none, nobody has the old one, the new one has work, or the gradebook
            cannot be written.
    """
    for student in (old, new):
        places.refuse_no_id(course, student)
    with nobody_grades(course):
        _begin(course, old, new)
        done = Done()
        _gradebook(course, old, new, done)
        _files(course, old, new, done)
        places.change_notes(course, old, new, done)
        _tables(course, old, new, done)
        _handed_in(course, old, new, done)
        (course.state / NAME).unlink()
    return done


def _begin(course: Course, old: str, new: str) -> None:
    """Note what is going on, unless that may not be."""
    path = course.state / NAME
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


def _gradebook(course: Course, old: str, new: str, done: Done) -> None:
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


def _files(course: Course, old: str, new: str, done: Done) -> None:
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
    """Give a file or folder another name, where it has the old one."""
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
    """Write a result as that of the new id; one that is damaged as it is."""
    data = path.read_bytes()
    try:
        result = json.loads(data)
        if result["student"] == old:
            data = json.dumps(result | {"student": new}, ensure_ascii=False).encode() + b"\n"
    except (ValueError, TypeError, KeyError, RecursionError):
        pass  # whoever reads it says so
    files.write(wanted, data)


def _tables(course: Course, old: str, new: str, done: Done) -> None:
    people = course.class_list() or {}
    for name, column in places.TABLES:
        path = course.state / name
        is_twice = column == "id" and new in people
        number = places.change_rows(path, column, {old: None if is_twice else new})
        if number and is_twice:
            done.places.append(f"{short(path)}: the row of {old} is gone, {new} has its own")
        else:
            done.note(path, number, "row")


def _handed_in(course: Course, old: str, new: str, done: Done) -> None:
    """What would be collected for the old id again."""
    for path in places.handed_in(course, old):
        _move(path, path.with_name(f"{new}{path.name.removeprefix(old)}"), done)
    _move(course.inbox / old, course.inbox / new, done)
    for path, students in places.owners(course).items():
        if old in students:
            done.left.append(f"{short(path)}: would be collected for {old}; rename or remove it")

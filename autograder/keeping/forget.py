"""Removing a person from a course: from everywhere that can be, and saying where they still are."""

from __future__ import annotations

import csv
import json
import re
import shutil
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import Connection, delete, select

from autograder import files, log
from autograder.class_list import EMAILS, full_name, value_of
from autograder.collecting import gradescope
from autograder.collecting.candidates import Reader
from autograder.collecting.folder_names import FolderNames
from autograder.collecting.roster import Roster
from autograder.collecting.search import found
from autograder.collecting.store import read_secret
from autograder.course import STUDENT_ID, Course
from autograder.errors import Unusable
from autograder.exercises.exercise import built_names
from autograder.gradebook import config, database, removed_marks
from autograder.gradebook.schema import (
    COMMENT,
    GRADE,
    STUDENT,
    SUBMITTED_ASSIGNMENT,
    SUBMITTED_NOTEBOOK,
)
from autograder.grading.journal import NAME as JOURNAL
from autograder.keeping.backup import nobody_grades
from autograder.text import count, short

AGAIN = ("reports", "exports")
"""Folders of what can be made again, for the whole class."""

OTHERS = ("submitted", "autograded", "feedback", "results", "inbox", "exchange", "versions")
"""Folders of which only the names are looked at in the end: what others wrote is theirs."""


@dataclass
class Forgotten:
    """From where somebody was removed, and what could not be, with the reason."""

    removed: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


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
    traces = _Traces(student, full_name(person), value_of(person, EMAILS))

    # While the class list and the pages still say which downloads and which feedback are theirs.
    _inbox(course, student, done)
    _exchange(course, student, done)

    _gradebook(course, student, done)
    for folder in (course.submitted, course.autograded, course.feedback):
        _remove(folder / student, done)
    for path in sorted(course.results.glob(f"*/{student}.json")):
        _remove(path, done)
    for path in sorted(course.results.glob(f"*/{JOURNAL}")):
        lines = path.read_text(encoding="utf-8").splitlines()
        # In its place: the file is a lock, too.
        path.write_text("".join(f"{line}\n" for line in lines if line != student))
    for name in AGAIN:
        for path in sorted((course.state / name).rglob("*"), reverse=True):
            if path.is_file() and traces.are_in(path, course.state):
                _remove(path, done)
            elif path.is_dir() and not any(path.iterdir()):
                path.rmdir()
    _without_lines(course.state / removed_marks.NAME, _is_of(student), done)
    _log(course, student, done)
    _class_list(course, student, done)

    if not done.removed:
        raise Unusable(f"{course.state}: knows no student {student}; look at the ids in the report")
    done.left += _rest(course, traces, done.left)
    return done


@dataclass(frozen=True)
class _Traces:
    """What a person can be recognized by."""

    student: str
    name: str
    email: str

    def are_in(self, path: Path, above: Path) -> bool:
        """Whether a file has them in its name, or in what it holds."""
        if self.are_among(str(path.relative_to(above)).encode()):
            return True
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                for entry in archive.namelist():
                    if self.are_among(entry.encode()) or self.are_among(archive.read(entry)):
                        return True
            return False
        return self.are_among(path.read_bytes())

    def are_among(self, data: bytes) -> bool:
        """Whether they stand there as words."""
        words = [re.escape(word.encode()) for word in (self.student, self.name, self.email) if word]
        pattern = rb"(?<![A-Za-z0-9])(?:%s)(?![A-Za-z0-9])" % b"|".join(words)
        return re.search(pattern, data) is not None


def _remove(path: Path, done: Forgotten) -> None:
    """Remove a file, or a folder with all that is in it; nothing where nothing is."""
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
    done.removed.append(short(path))


def _without_lines(path: Path, is_theirs: Callable[[str], bool], done: Forgotten) -> None:
    """Take lines out of a file."""
    if not path.is_file():
        return
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    others = [line for line in lines if not is_theirs(line)]
    if len(others) < len(lines):
        files.write(path, "".join(others).encode())
        done.removed.append(f"{short(path)}: {count(len(lines) - len(others), 'line')}")


def _is_of(student: str) -> Callable[[str], bool]:
    """Whether a line of JSON is of a student."""
    return lambda line: json.loads(line).get("student") == student


def _log(course: Course, student: str, done: Forgotten) -> None:
    """Take the student's scores out of the log; the lines stay, for they are the class's."""
    path = course.state / log.NAME
    if not path.is_file():
        return
    number, lines = 0, []
    for line in path.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        scores = entry.get("scores", [])
        others = [score for score in scores if score["student"] != student]
        if len(others) < len(scores):
            number += len(scores) - len(others)
            line = json.dumps({**entry, "scores": others}, ensure_ascii=False)
        lines.append(f"{line}\n")
    if number:
        files.write(path, "".join(lines).encode())
        path.chmod(0o600)
        done.removed.append(f"{short(path)}: {count(number, 'score')}")


def _class_list(course: Course, student: str, done: Forgotten) -> None:
    """Take the student's line out of the class list; every other stays as it is written."""
    path = course.state / "students.csv"
    if student not in (course.class_list() or {}):
        return
    lines = path.read_bytes().decode("utf-8-sig").splitlines(keepends=True)
    between = ";" if lines[0].count(";") > lines[0].count(",") else ","
    reader = csv.reader(lines, delimiter=between)
    titles = [title.strip().casefold() for title in next(reader)]
    others = lines[: reader.line_num]
    start = reader.line_num
    for row in reader:
        # One in quotes may go over several lines.
        if row[titles.index("id") : titles.index("id") + 1] != [student]:
            others += lines[start : reader.line_num]
        start = reader.line_num
    files.write(path, "".join(others).encode())
    done.removed.append(short(path))


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


def _inbox(course: Course, student: str, done: Forgotten) -> None:
    """Remove downloads that are the student's alone; say of which others' work is a part."""
    if not course.inbox.is_dir():
        return
    owners: dict[Path, set[str]] = {}
    roster = Roster(course.class_list())
    exercises = built_names(course.root)
    for exercise in exercises:
        names = FolderNames(exercise, exercises, roster)
        with found(course.inbox, names.is_name, course.settings.zone) as (downloads, left):
            exports = gradescope.exports(downloads, left, names)
            for one, candidates in Reader(names, exports, downloads, left).by_student().items():
                for candidate in candidates:
                    path = _on_disk(course.inbox, candidate.download.where)
                    owners.setdefault(path, set()).add(one)

    for path, students in sorted(owners.items()):
        if students == {student}:
            _remove(path, done)
        elif student in students:
            done.left.append(f"{short(path)}: holds others' work, too; take theirs out by hand")


def _on_disk(inbox: Path, where: str) -> Path:
    """The file of the inbox in which a download lies."""
    # What lies in an archive is said as "submissions.zip: ann/attention.ipynb".
    parts = where.split(": ")
    for length in range(1, len(parts)):
        path = inbox / ": ".join(parts[:length])
        if path.is_file():
            return path
    return inbox / where


def _exchange(course: Course, student: str, done: Forgotten) -> None:
    """Remove what the student handed in through nbgrader, and the pages that wait there."""
    settings = config.config(course)
    place = Path(settings.Exchange.root, settings.CourseDirectory.course_id)
    inbound = sorted(place.glob(f"inbound/{_literal(student)}+*"))

    pages = []
    for folder in (*inbound, *sorted((course.feedback / student).glob("*"))):
        secret = read_secret(folder)
        if secret is not None and (place / "feedback").is_dir():
            pages.append(place / "feedback" / f"{_named(secret, folder)}.html")
    for path in (*inbound, *pages):
        _remove(path, done)


def _named(secret: str, folder: Path) -> str:
    """What nbgrader calls the page of a submission in the exchange."""
    from nbgrader.utils import notebook_hash  # type: ignore[import-untyped]

    # The exercise is a part of the name in the exchange, and all of it in the course.
    parts = folder.name.split("+")
    return str(notebook_hash(secret=secret, notebook_id=parts[1] if len(parts) > 1 else parts[0]))


def _literal(text: str) -> str:
    """A text in which no character means anything to a pattern of file names."""
    return re.sub(r"([*?[])", r"[\1]", text)


def _rest(course: Course, traces: _Traces, known: list[str]) -> Iterator[str]:
    """Files of the course that still have traces of the student, or of somebody like them."""
    for path in sorted(course.state.rglob("*")):
        place = path.relative_to(course.state)
        if not path.is_file() or path.is_symlink() or path == course.gradebook:
            continue
        name = place.parts[0]
        if name in OTHERS:
            # A student's folder or file is called as they are, a download in any way.
            words = [word.partition("+")[0].removesuffix(".json") for word in place.parts]
            is_there = traces.student in words
            if name == "inbox":
                is_there = traces.are_among(str(place).encode())
        else:
            is_there = traces.are_in(path, course.state)
        if is_there and not any(line.startswith(f"{short(path)}:") for line in known):
            yield f"{short(path)}: may name them; look, and take that out by hand"

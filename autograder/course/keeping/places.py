"""Every place in which a course stores data about one student: the only list of them."""

from __future__ import annotations

import csv
import glob
import io
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, select

from autograder.base import files
from autograder.base.errors import Unusable
from autograder.base.text import count, short
from autograder.course import class_list, drawn, log, tries
from autograder.course.collecting import inbox, store
from autograder.course.collecting.roster import Roster
from autograder.course.course import STUDENT_ID, Course
from autograder.course.gradebook import config, database, deadlines, old_marks
from autograder.course.gradebook.database import SUBMITTED_ASSIGNMENT
from autograder.course.grading.interruption import JOURNAL
from autograder.exercises.exercise import assignment_names, built_names

TABLES = ((deadlines.EXTENSIONS, "who"), ("students.csv", "id"))
"""Tables of the course's folder that a person writes, and the column that names students."""

Entry = dict[str, Any]


@dataclass
class Done:
    """The places that were changed or removed, and those that could not be, with the reason."""

    places: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    def note(self, path: Path, number: int, what: str) -> None:
        """Note how much of a file was changed or removed, if anything was."""
        if number:
            self.places.append(f"{short(path)}: {count(number, what)}")


def refuse_no_id(course: Course, student: str) -> None:
    """Refuse an impossible id before anything is changed."""
    if not STUDENT_ID.match(student):
        raise Unusable(f"{student!r} is not a student id; use letters, digits, . _ @ + -")
    try:
        files.below(course.submitted, student, follow=False)
    except files.Refused as why:
        raise Unusable(student, str(why), "use another id") from None


def folders(course: Course, student: str) -> list[Path]:
    """The folders with the student's id as name, existing or not."""
    above = (course.submitted, course.autograded, course.feedback, *store.earlier_folders(course))
    return [files.below(folder, student, follow=False) for folder in above]


def results(course: Course, student: str) -> list[Path]:
    """The stored results of the student."""
    return sorted(course.results.glob(f"*/{student}.json"))


def handed_in(course: Course, student: str) -> list[Path]:
    """The student's submissions in nbgrader's exchange."""
    return sorted(config.exchange(course).glob(f"inbound/{glob.escape(student)}+*"))


def owners(course: Course) -> dict[Path, set[str]]:
    """The students whose work the downloads hold, by file in the inbox, sorted."""
    owners: dict[Path, set[str]] = {}
    if not course.inbox.is_dir():
        return owners
    exercises = built_names(course.root)
    roster = Roster(course.class_list(), assignment_names(course.root))
    for exercise in exercises:
        with inbox.by_student(course, exercise, roster) as (by_student, _):
            for one, candidates in by_student.items():
                for candidate in candidates:
                    path = _on_disk(course.inbox, candidate.download.where)
                    owners.setdefault(path, set()).add(one)
    return dict(sorted(owners.items()))


def _on_disk(inbox: Path, where: str) -> Path:
    """The file of the inbox that contains a download."""
    # A file in an archive is written as "submissions.zip: ann/attention.ipynb".
    parts = where.split(": ")
    for length in range(1, len(parts) + 1):
        path = files.below(inbox, ": ".join(parts[:length]), follow=False, portable=False)
        if path.is_file():
            break
    return path


def work(course: Course, student: str) -> list[str]:
    """The places with work of the student, or with its results."""
    paths = [path for path in folders(course, student) if path.is_dir()]
    found = [short(path) for path in (*paths, *results(course, student))]
    found += [path.name for path in handed_in(course, student)]
    for name in old_marks.NAMES:
        if any(mark["student"] == student for mark in old_marks.read(course, name)):
            found.append(short(course.state / name))

    def is_in_gradebook(connection: Connection) -> bool:
        own = SUBMITTED_ASSIGNMENT.c.student_id == student
        return connection.execute(select(SUBMITTED_ASSIGNMENT).where(own)).first() is not None

    if database.read(course, is_in_gradebook, False):
        found.append("the gradebook")
    return found


def change_notes(course: Course, student: str, new: str | None, done: Done) -> None:
    """Replace or remove the id wherever the course's own files name the student."""
    for path in sorted(course.results.glob(f"*/{JOURNAL}")):
        names = path.read_text(encoding="utf-8").split()
        if student in names:  # a run was interrupted
            kept = [new if name == student else name for name in names]
            # Written in place, because the file is also a lock.
            path.write_text("".join(f"{name}\n" for name in kept if name), encoding="utf-8")

    def changed(entry: Entry) -> Entry | None:
        if entry.get("student") != student:
            return entry
        return None if new is None else entry | {"student": new}

    for exercise in drawn.exercises_of(course, student):
        again = f"run autograder questions {exercise} --to notebook"
        done.left.append(f"the notebook of questions on {exercise}: {again}")
    for name in (*old_marks.NAMES, tries.NAME, drawn.NAME):
        path = course.state / name
        done.note(path, _change_lines(path, changed), "line")
    done.note(course.state / log.NAME, _change_log(course, changed), "score")


def _change_lines(path: Path, change: Callable[[Entry], Entry | None]) -> int:
    """Change the lines of a file of JSON; return how many changed.

    Args:
        change: returns the new line, or None to remove it. Lines that are not JSON stay.
    """
    if not path.is_file():
        return 0
    number, lines = 0, []
    # A line may contain characters at which Python's splitlines would split it.
    for line in path.read_bytes().splitlines(keepends=True):
        entry = None
        with suppress(ValueError, RecursionError):
            entry = json.loads(line)
        new = change(entry) if entry and isinstance(entry, dict) else entry
        if new != entry:
            number += 1
            line = b"" if new is None else json.dumps(new, ensure_ascii=False).encode() + b"\n"
        lines.append(line)

    if number:
        mode = path.stat().st_mode
        files.write(path, b"".join(lines))
        path.chmod(mode)
    return number


def _change_log(course: Course, change: Callable[[Entry], Entry | None]) -> int:
    """Change scores in the log; return how many changed. The lines stay, because they are about the
    class."""
    number = 0

    def changed(line: Entry) -> Entry:
        nonlocal number
        new = dict(line)
        for kind in ("scores", "final", "pushed"):
            if not isinstance(line.get(kind), list):
                continue
            new[kind] = []
            for old in line[kind]:
                one = change(old) if isinstance(old, dict) else old
                number += one != old
                if one is not None:
                    new[kind].append(one)
        return new

    _change_lines(course.state / log.NAME, changed)
    return number


def change_rows(path: Path, column: str, change: Mapping[str, str | None]) -> int:
    """Change the rows of a table by the value in a column; other rows stay unchanged.

    Args:
        change: the new value for each old one; None to remove the row.

    Returns:
        The number of changed rows.
    """
    text = path.read_bytes().decode("utf-8-sig") if path.is_file() else ""
    if not text:
        return 0

    lines = text.splitlines(keepends=True)
    delimiter = class_list.delimiter(lines[0])
    reader = csv.reader(lines, delimiter=delimiter)
    place = [title.strip().casefold() for title in next(reader)].index(column)

    new = lines[: reader.line_num]
    start, number = reader.line_num, 0
    for row in reader:
        # A quoted value may span several lines.
        written = lines[start : reader.line_num]
        start = reader.line_num
        old = row[place].strip() if place < len(row) else ""
        if old not in change:
            new += written
            continue

        number += 1
        wanted = change[old]
        if wanted is not None:
            row[place] = wanted
            out = io.StringIO()
            end = written[-1][len(written[-1].rstrip("\r\n")) :]
            csv.writer(out, delimiter=delimiter, lineterminator=end).writerow(row)
            new.append(out.getvalue())

    if number:
        files.write(path, "".join(new).encode())
    return number

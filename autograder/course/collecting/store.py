"""Stores the submissions of a student: the one that is graded, and earlier ones.

If the best submission counts, the others are kept in the same layout, in
``earlier/<number>/<student>/<exercise>/``. If the last one counts, no others are kept.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from pathlib import Path

from autograder.base import files, times
from autograder.base.files import below
from autograder.course import timestamp
from autograder.course.course import Course
from autograder.course.submission_folder import SECRET
from autograder.submissions.notebook import MAX_BYTES

EARLIER = "earlier"
"""The folder, in the course's, of the submissions that are not graded."""

MAX_TRIES = 20
"""The most submissions of a student that count; this many are kept besides the graded one."""

RESULT = "result.json"
"""The file next to a submission that does not count, with its result."""

LAST = "last_time.txt"
"""The file with the time when the same bytes were last handed in."""


@dataclass(frozen=True)
class _Submission:
    """Bytes that were handed in, first at ``counts`` and last at ``last``; the times have the
    gradebook's form."""

    exercise: str
    data: bytes
    counts: datetime
    last: datetime
    secret: str | None
    source: str

    def write(self, folder: Path) -> None:
        # The time is written last: an interrupted run starts again with the notebook.
        files.write(folder / f"{self.exercise}.ipynb", self.data)
        if self.secret is not None:
            files.write(folder / SECRET, self.secret.encode())
        else:
            (folder / SECRET).unlink(missing_ok=True)
        files.write(folder / timestamp.SOURCE, self.source.encode())
        _keep_times(folder, self.counts, self.last)


def put(
    course: Course,
    exercise: str,
    student: str,
    data: bytes,
    time: datetime,
    secret: str | None = None,
    first: datetime | None = None,
    source: str = "file",
) -> bool:
    """Store a submission for grading, unless the same one or a later one is stored already.

    If the same bytes are handed in again, the first time counts, so nobody becomes late that way.

    Returns:
        Whether it was stored.

    Args:
        time: when it was handed in, with a time zone, by the clock of the receiving system.
        secret: the secret that ``nbgrader submit`` drew for it.
        first: when the same bytes were first handed in; by default, ``time``.
        source: the source of that time, as in ``timestamp.SOURCE``.
    """
    folder = course.submission(student, exercise)
    last, counts = timestamp.stored(time), timestamp.stored(first or time)
    new = _Submission(exercise, data, counts, last, secret, source)

    there = _data(folder, exercise)
    old = None
    if there is not None:
        changed = int((folder / f"{exercise}.ipynb").stat().st_mtime)
        old = timestamp.submitted_at(folder) or timestamp.of_system(changed)
    if old is None or old > timestamp.now():  # an earlier collection accepted it
        new.write(folder)
        return True

    old_last = timestamp.submitted_at(folder, LAST) or old
    if there == data:
        if counts < old:
            files.write(folder / timestamp.SOURCE, source.encode())
        _keep_times(folder, min(counts, old), max(last, old_last))
        return False

    is_newer = old_last <= last
    if course.settings.counts == "best":
        if any(_data(place, exercise) == data for place in earlier(course, exercise, student)):
            return False
        kept = _keep(course, exercise, student) if is_newer else None
        if kept is None:
            new.write(_free_place(course, exercise, student))
        _bound(course, exercise, student, kept)
    if is_newer:
        new.write(folder)
    return is_newer


def earlier_folders(course: Course) -> list[Path]:
    """The numbered folders, in their order; each is a folder of submissions."""
    numbered = [path for path in (course.state / EARLIER).glob("*") if path.name.isdigit()]
    return sorted(numbered, key=lambda path: int(path.name))


def earlier(course: Course, exercise: str, student: str) -> list[Path]:
    """The folders of a student's other submissions."""
    folders = earlier_folders(course)
    places = [below(folder, student, exercise, follow=False) for folder in folders]
    return [place for place in places if place.is_dir()]


def swap(course: Course, exercise: str, student: str, place: Path) -> Path:
    """Make another submission the graded one, and keep the old one; return the path of that.

    If this is interrupted, one of them is stored twice, and none is lost.
    """
    folder = course.submission(student, exercise)
    kept = _keep(course, exercise, student)
    for name in _files(exercise):
        if (place / name).is_file():
            files.write(folder / name, (place / name).read_bytes())
        else:
            (folder / name).unlink(missing_ok=True)
    shutil.rmtree(place)
    return kept


def of_another_zone(course: Course, exercise: str, students: Iterable[str]) -> list[str]:
    """The students whose time would differ if read in the zone of the settings."""
    found = []
    for student in students:
        if any(_moved(course, folder) for folder in _folders(course, exercise, student)):
            found.append(student)
    return found


def read_again(course: Course, exercise: str) -> list[str]:
    """Read all times without a zone in that of the settings; return the students whose time
    changed."""
    students = sorted(path.name for path in course.submitted.glob("*/"))
    moved = of_another_zone(course, exercise, students)
    for student in moved:
        for folder in _folders(course, exercise, student):
            for name, text in _moved(course, folder).items():
                files.write(folder / name, text.encode())
    return moved


def _keep(course: Course, exercise: str, student: str) -> Path:
    """Keep the submission that is about to be replaced; return its new path."""
    folder = course.submission(student, exercise)
    kept = _free_place(course, exercise, student)
    for name in _files(exercise):
        if (folder / name).is_file() and not (folder / name).is_symlink():
            files.write(kept / name, (folder / name).read_bytes())
    return kept


def _free_place(course: Course, exercise: str, student: str) -> Path:
    """The folder for another submission of a student."""
    above = course.state / EARLIER
    places = (below(above, str(n), student, exercise, follow=False) for n in count(1))
    return next(place for place in places if not place.exists())


def _bound(course: Course, exercise: str, student: str, kept: Path | None) -> None:
    """Remove the oldest of too many submissions, first those that were graded and were not the
    best.

    Args:
        kept: a submission that stays, because it may be the best so far.
    """
    places = earlier(course, exercise, student)
    while len(places) > MAX_TRIES:
        others = [place for place in places if place != kept]
        oldest = min(others, key=_worth_keeping)
        shutil.rmtree(oldest)
        places.remove(oldest)


def _worth_keeping(place: Path) -> tuple[bool, datetime]:
    return not (place / RESULT).is_file(), timestamp.submitted_at(place) or datetime.min


def _files(exercise: str) -> tuple[str, ...]:
    """The files that belong to a submission, and not to its student."""
    return f"{exercise}.ipynb", timestamp.NAME, timestamp.SOURCE, LAST, SECRET


def _folders(course: Course, exercise: str, student: str) -> list[Path]:
    return [course.submission(student, exercise), *earlier(course, exercise, student)]


def _keep_times(folder: Path, counts: datetime, last: datetime) -> None:
    """Write the time that counts, and the last one if it differs."""
    if last == counts:
        (folder / LAST).unlink(missing_ok=True)
    elif timestamp.submitted_at(folder, LAST) != last:
        files.write(folder / LAST, timestamp.format(last).encode())
    if timestamp.submitted_at(folder) != counts:
        files.write(folder / timestamp.NAME, timestamp.format(counts).encode())


def _moved(course: Course, folder: Path) -> dict[str, str]:
    """The new content of its time files; empty if nothing would change.

    The file that names the zone comes last, so an interrupted run starts again.
    """
    then = timestamp.read_in(folder)
    if then is None or then == course.settings.time_zone:
        return {}
    try:
        old_zone = times.zone(then)
    except ValueError:  # somebody has edited the file
        return {}

    files_of_times = {}
    for name in (LAST, timestamp.NAME):
        time = timestamp.submitted_at(folder, name)
        if time is None:
            continue
        there = timestamp.shown(time, old_zone).replace(tzinfo=course.settings.zone)
        read = timestamp.stored(there)
        if read != time:
            files_of_times[name] = timestamp.format(read)
    if files_of_times:
        source = timestamp.source_in(timestamp.source(folder), course.settings.time_zone)
        files_of_times[timestamp.SOURCE] = source
    return files_of_times


def _data(folder: Path, exercise: str) -> bytes | None:
    """The bytes of the notebook in a folder; None if it cannot be read."""
    try:
        return files.read(folder / f"{exercise}.ipynb", MAX_BYTES)
    except (files.Refused, OSError):
        return None

"""Submissions of a student beside the one that lies where it is graded: the best one counts.

They lie as that one does, in ``earlier/<number>/<student>/<exercise>/``. None are kept where the
last one counts.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from autograder.base import files
from autograder.base.files import below
from autograder.course import timestamp
from autograder.course.course import Course
from autograder.submissions.notebook import MAX_BYTES

NAME = "earlier"
LAST = "last_time.txt"
SECRET = "submission_secret.txt"
MAX_TRIES = 20
"""Submissions of a student that count, at most; as many are kept beside the one that is graded."""
RESULT = "result.json"
"""The file beside a submission that does not count, with what came of it."""


def folders(course: Course) -> list[Path]:
    """The numbered folders, in their order; each is a folder of submissions."""
    numbered = [path for path in (course.state / NAME).glob("*") if path.name.isdigit()]
    return sorted(numbered, key=lambda path: int(path.name))


def of(course: Course, exercise: str, student: str) -> list[Path]:
    """The folders of a student's other submissions."""
    places = [below(folder, student, exercise, follow=False) for folder in folders(course)]
    return [place for place in places if place.is_dir()]


def knows(course: Course, exercise: str, student: str, data: bytes) -> bool:
    """Whether these bytes are among a student's other submissions."""
    return any(_data(place, exercise) == data for place in of(course, exercise, student))


def place_for(course: Course, exercise: str, student: str) -> Path:
    """The folder for another submission of a student."""
    return next(place for place in _places(course, exercise, student) if not place.exists())


def keep(course: Course, exercise: str, student: str) -> Path:
    """Keep what lies where it is graded, and say where: something else is going to lie there."""
    folder = course.submission(student, exercise)
    kept = place_for(course, exercise, student)
    for name in _files(exercise):
        if (folder / name).is_file() and not (folder / name).is_symlink():
            files.write(kept / name, (folder / name).read_bytes())
    return kept


def bound(course: Course, exercise: str, student: str, kept: Path | None = None) -> None:
    """Remove the oldest of too many submissions: first of those that were graded and did not win.

    Args:
        kept: one that stays, for it may have been the best one up to now.
    """
    places = of(course, exercise, student)
    while len(places) > MAX_TRIES:
        others = [place for place in places if place != kept]
        oldest = min(others, key=lambda place: (not (place / RESULT).is_file(), _time(place)))
        shutil.rmtree(oldest)
        places.remove(oldest)


def swap(course: Course, exercise: str, student: str, place: Path) -> Path:
    """Put another submission where it is graded, and keep the one from there: it says where.

    Whoever is stopped in between has one of them twice, and loses none.
    """
    folder = course.submission(student, exercise)
    kept = keep(course, exercise, student)
    for name in _files(exercise):
        if (place / name).is_file():
            files.write(folder / name, (place / name).read_bytes())
        else:
            (folder / name).unlink(missing_ok=True)
    shutil.rmtree(place)
    return kept


def _files(exercise: str) -> tuple[str, ...]:
    """What belongs to a submission, and not to its student."""
    return f"{exercise}.ipynb", timestamp.NAME, timestamp.SOURCE, LAST, SECRET


def _places(course: Course, exercise: str, student: str) -> Iterator[Path]:
    number = 1
    while True:
        yield below(course.state / NAME, str(number), student, exercise, follow=False)
        number += 1


def _time(place: Path) -> str:
    return str(timestamp.submitted_at(place) or "")


def _data(place: Path, exercise: str) -> bytes | None:
    try:
        return files.read(place / f"{exercise}.ipynb", MAX_BYTES)
    except (files.Refused, OSError):
        return None

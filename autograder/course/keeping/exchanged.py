"""What a person handed in through nbgrader's exchange, and the pages that wait for them there."""

from __future__ import annotations

from pathlib import Path

from autograder.base import files
from autograder.course.course import Course
from autograder.course.keeping import places
from autograder.course.keeping.traces import Forgotten, remove
from autograder.course.submission_folder import read_secret


def remove_own(course: Course, student: str, done: Forgotten) -> None:
    """Remove what the student handed in through nbgrader, and the pages that wait there."""
    place = places.exchange(course)
    inbound = places.handed_in(course, student)

    pages = []
    own = files.below(course.feedback, student, follow=False)
    for folder in (*inbound, *sorted(own.glob("*"))):
        secret = read_secret(folder)
        if secret is not None and (place / "feedback").is_dir():
            pages.append(place / "feedback" / f"{_named(secret, folder)}.html")
    for path in (*inbound, *pages):
        remove(path, done)


def _named(secret: str, folder: Path) -> str:
    """What nbgrader calls the page of a submission in the exchange."""
    from nbgrader.utils import notebook_hash  # type: ignore[import-untyped]

    # The exercise is a part of the name in the exchange, and all of it in the course.
    parts = folder.name.split("+")
    return str(notebook_hash(secret=secret, notebook_id=parts[1] if len(parts) > 1 else parts[0]))

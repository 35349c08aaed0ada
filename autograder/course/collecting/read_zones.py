"""The zones in which times were read that name none, and what to do when it was another one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from autograder.base import files, moment
from autograder.course import timestamp
from autograder.course.collecting import earlier
from autograder.course.course import Course


def of_another(course: Course, exercise: str, students: Iterable[str]) -> list[str]:
    """The students whose time would be another one, read in the zone of the settings."""
    found = []
    for student in students:
        if any(_moved(course, folder) for folder in _folders(course, exercise, student)):
            found.append(student)
    return found


def read_again(course: Course, exercise: str) -> list[str]:
    """Read all such times in the zone of the settings; whose they are."""
    moved = of_another(course, exercise, sorted(path.name for path in course.submitted.glob("*/")))
    for student in moved:
        for folder in _folders(course, exercise, student):
            for name, text in _moved(course, folder).items():
                files.write(folder / name, text.encode())
    return moved


def _folders(course: Course, exercise: str, student: str) -> list[Path]:
    return [course.submission(student, exercise), *earlier.of(course, exercise, student)]


def _moved(course: Course, folder: Path) -> dict[str, str]:
    """What its files of times would say; nothing where that is what they say.

    The one that names the zone comes last: whoever is stopped in between starts again.
    """
    then = timestamp.read_in(folder)
    if then is None or then == course.settings.time_zone:
        return {}
    try:
        old_zone = moment.zone(then)
    except ValueError:  # somebody has written into the file
        return {}

    files_of_times = {}
    for name in (earlier.LAST, timestamp.NAME):
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

"""Of several submissions the best one counts, where the settings say so."""

from __future__ import annotations

import contextlib
from pathlib import Path

from autograder import files, timestamp
from autograder.collecting import earlier
from autograder.course import Course
from autograder.engine.graded import Graded
from autograder.exercises.exercise import Exercise
from autograder.gradebook import due_dates, extensions, late_penalty
from autograder.gradebook.marks import class_marks
from autograder.gradebook.outdated import Now
from autograder.grading.grade_class import answered
from autograder.grading.submitted import scan
from autograder.result import Result
from autograder.results import stored_result
from autograder.submissions.folder import digest_of

RESULT = "result.json"
"""The file beside a submission that does not count, with what came of it."""


def choose(course: Course, exercise: Exercise, jobs: int, scheduler: str | None) -> list[str]:
    """Put each student's best submission where it is graded; who has another one there by that.

    The points of the checks count, less what lateness costs. Of two that are as good the later one
    counts.
    """
    name = exercise.name
    _grade(course, exercise, jobs, scheduler)
    worth = _Worth(course, name)

    swapped = []
    for student in scan(course.submitted, name).students:
        places = earlier.of(course, name, student)
        if not places:
            continue
        own = course.submission(student, name)
        here = stored_result(course, name, student)
        values = {own: worth.of(student, own, here)}
        for place in places:
            values[place] = worth.of(student, place, _stored(place))
        best = max(values, key=lambda place: (values[place], _time(place)))
        if best != own:
            earlier.swap(course, name, student, best)
            swapped.append(student)
    return swapped


def _grade(course: Course, exercise: Exercise, jobs: int, scheduler: str | None) -> None:
    """Grade the submissions that do not count, where that has not been done as it is now."""
    now = Now(course, exercise)
    for folder in earlier.folders(course):
        scanned = scan(folder, exercise.name)
        names = []
        for student in scanned.students:
            place = folder / student / exercise.name
            result = _stored(place)
            is_same = result is not None and result.submission_sha256 == digest_of(
                place, exercise.name
            )
            if result is None or not is_same or now.changed_since(result):
                names.append(student)
        if not names:
            continue
        with answered(course, exercise, scanned, names, jobs, scheduler, True) as everybody:
            for graded in everybody:
                _store(folder / graded.result.student_id / exercise.name, graded)


def _store(place: Path, graded: Graded) -> None:
    files.write(place / RESULT, f"{graded.result.to_json()}\n".encode())


def _stored(place: Path) -> Result | None:
    with contextlib.suppress(OSError, ValueError):  # it is graded again then
        return Result.from_json((place / RESULT).read_bytes())
    return None


def _time(place: Path) -> str:
    return str(timestamp.submitted_at(place) or "")


class _Worth:
    """What a submission counts, before a person has had a say."""

    def __init__(self, course: Course, exercise: str) -> None:
        self._exercise = exercise
        self._due = due_dates.due_date(course, exercise)
        self._given = extensions.read(course)
        self._marks = class_marks(course, exercise)
        self._penalties = late_penalty.Penalties(course, exercise)

    def of(self, student: str, place: Path, result: Result | None) -> float:
        """The points of a submission; -1 where it could not be graded."""
        if result is None or result.score is None:
            return -1.0
        marks = self._marks.get(student)
        stored = marks.stored_extension if marks else None
        deadline = self._given.deadline(student, self._exercise, self._due, stored)
        seconds = late_penalty.seconds_late(timestamp.submitted_at(place), deadline)
        penalty = self._penalties.of(student, result.score, seconds) if seconds else 0.0
        return result.score - (penalty or 0.0)

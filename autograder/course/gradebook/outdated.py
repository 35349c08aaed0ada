"""What has changed since a submission was graded, of all that its score depends on."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from autograder.base import files
from autograder.base.result import Result
from autograder.course.course import Course
from autograder.course.folder import digests
from autograder.course.results import stored_results
from autograder.course.troubles import Troubles
from autograder.exercises.exercise import Exercise
from autograder.grader.dependencies import changed, dependencies

RELEASED = "released.json"
"""The file of a course that says with which versions each exercise was handed out."""


class Now:
    """What a score depends on, as it is now."""

    def __init__(self, course: Course, exercise: Exercise) -> None:
        secret = course.secret() if course.has_secret() else None
        self._course = course
        self._exercise = exercise
        self._digests = dependencies(exercise, course.settings, secret)

    def changed_since(self, result: Result) -> tuple[str, ...]:
        """What has changed since a submission got its points, by name (``dependencies``)."""
        if result.status != "graded":
            return ()

        # Results from before this was noted say no more than which exercise it was.
        names = changed(result.graded_with, self._digests) if result.graded_with else ["engine"]
        if result.exercise_sha256 != self._exercise.sha256 and "exercise" not in names:
            names.insert(0, "exercise")
        return tuple(names)

    def of_other_bytes(self, results: Mapping[str, Result]) -> set[str]:
        """The students of whom another submission than the graded one lies there by now.

        Args:
            results: by student.
        """
        there = digests(self._course, self._exercise.name, results)
        others = set()
        for student, result in results.items():
            if there[student] not in (None, result.submission_sha256):
                others.add(student)
        return others


def note_release(course: Course, exercise: Exercise) -> None:
    """Write down with which versions an exercise is handed out now."""
    noted = released(course) | {exercise.name: dependencies(exercise, course.settings, None)}
    text = json.dumps(noted, indent=1, sort_keys=True)
    files.write(course.state / RELEASED, f"{text}\n".encode())


def since(course: Course, exercise: Exercise) -> Iterator[tuple[str, list[str], int]]:
    """What has changed since an exercise was released, and since students were graded.

    Yields:
        ``released`` or ``graded``, what has changed, and for how many students.
    """
    noted = released(course).get(exercise.name)
    if isinstance(noted, dict):
        names = changed(noted, dependencies(exercise, course.settings, None))
        if names:
            yield "released", names, 0

    now = Now(course, exercise)
    groups: dict[tuple[str, ...], int] = {}
    for result in stored_results(course, exercise.name, Troubles()):
        what = now.changed_since(result)
        if what:
            groups[what] = groups.get(what, 0) + 1
    for what, number in groups.items():
        yield "graded", list(what), number


def released(course: Course) -> dict[str, object]:
    """With which versions exercises were handed out, by their names."""
    try:
        noted = json.loads((course.state / RELEASED).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}  # it serves a note alone, and the next release writes it anew
    return noted if isinstance(noted, dict) else {}

"""What has changed since a submission was graded, of all that its score depends on."""

from __future__ import annotations

from autograder.course import Course
from autograder.engine.dependencies import changed, dependencies
from autograder.exercises.exercise import Exercise
from autograder.result import Result
from autograder.submissions.folder import digest


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

    def is_of_other_bytes(self, result: Result) -> bool:
        """Whether another submission than the graded one lies in the course's folder by now."""
        there = digest(self._course, result.exercise, result.student_id)
        return there is not None and there != result.submission_sha256

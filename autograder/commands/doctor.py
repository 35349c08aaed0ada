"""``autograder doctor``: what this machine can do."""

from __future__ import annotations

from autograder.commands.common import CourseFolder, course_at


def doctor(course_folder: CourseFolder = None) -> None:
    """Say what this machine can do: isolation level, versions, paths."""
    from autograder.checking import doctor as examination

    examination.examine(course_at(course_folder))

"""``autograder collect``: submissions, from students to teacher."""

from __future__ import annotations

from autograder.base.text import inert
from autograder.commands.common import CourseFolder, ExerciseName, opened
from autograder.course import log


def collect(exercise_name: ExerciseName, course_folder: CourseFolder = None) -> None:
    """Collect submissions from the exchange, and from downloads in the course's inbox/."""
    from autograder.nbgrader import exchange

    course, exercise = opened(course_folder, exercise_name)
    for line in exchange.collect(course, exercise):
        print(inert(line))
    log.write(course, f"collect {exercise.name}")

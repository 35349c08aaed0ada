"""``autograder forget``: a person is removed from a course."""

from __future__ import annotations

from typing import Annotated

import typer

from autograder import log
from autograder.commands.common import CourseFolder, course_at
from autograder.text import inert


def forget(
    student: Annotated[str, typer.Argument(metavar="STUDENT", help="the id")],
    course_folder: CourseFolder = None,
) -> None:
    """Remove a student from everywhere in the course, for good, and say from where."""
    from autograder.keeping import forget as forgetting

    course = course_at(course_folder)
    done = forgetting.forget(course, student)
    for place in done.removed:
        print(inert(f"removed: {' '.join(place.split())}"))
    for line in done.left:
        print(inert(f"left: {' '.join(line.split())}"))
    print("left: back-ups, and whatever was uploaded or sent from here; they are out of reach")
    log.write(course, "forget")

"""``autograder rename``: a student's id changes."""

from __future__ import annotations

from typing import Annotated

import typer

from autograder.base.text import inert
from autograder.commands.common import CourseFolder, course_at
from autograder.course import log


def rename(
    old: Annotated[str, typer.Argument(metavar="OLD", help="the id of a student until now")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="the id from now on")],
    course_folder: CourseFolder = None,
) -> None:
    """Give a student another id: marks, submissions, results and gradebook go along."""
    from autograder.course.keeping import rename as renaming

    course = course_at(course_folder)
    done = renaming.rename(course, old, new)
    for place in done.changed:
        print(inert(f"renamed: {' '.join(place.split())}"))
    for line in done.left:
        print(inert(f"left: {' '.join(line.split())}"))
    again = "run autograder report, feedback and export again"
    print(inert(f"left: pages and exports of before, which name {old}; {again}"))
    log.write(course, "rename")

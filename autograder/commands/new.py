"""``autograder new``: an exercise to begin with."""

from __future__ import annotations

from typing import Annotated

import typer

from autograder.commands.common import CourseFolder, course_at
from autograder.text import short


def new(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="letters, digits, - and _; files are called so")
    ],
    course_folder: CourseFolder = None,
) -> None:
    """Write a small exercise that builds and proves, to be changed into one of your own."""
    from autograder.authoring import starter

    for path in starter.write(course_at(course_folder).root, name):
        print(f"wrote {short(path)}")
    print(f"next: autograder build {name}, then autograder prove {name}")

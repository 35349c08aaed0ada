"""``autograder new``: an exercise to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autograder.base.errors import Unusable
from autograder.base.text import short
from autograder.commands.common import CourseFolder


def new(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="letters, digits, - and _; files are called so")
    ],
    course_folder: CourseFolder = None,
) -> None:
    """Write a small exercise that builds and proves, to be changed into one of your own."""
    from autograder.authoring import starter
    from autograder.course.course import find

    root = find(course_folder, new=True).root
    if root != Path.cwd():
        raise Unusable(
            root,
            "is the course that this folder lies in",
            "run autograder new there, or make a folder solutions here for a course of its own",
        )
    for path in starter.write(root, name):
        print(f"wrote {short(path)}")
    print(f"next: autograder build {name}, then autograder prove {name}")

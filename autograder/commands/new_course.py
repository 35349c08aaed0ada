"""``autograder new-course``: a private folder for a course."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer


def new_course(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="a folder that is not there yet, or empty")
    ],
    name: Annotated[
        str,
        typer.Option(help="what students see in JupyterLab; default: the name of the folder"),
    ] = "",
    old: Annotated[
        Optional[Path],
        typer.Option(
            "--from", metavar="OLD", help="take exercises and settings of this course, no people"
        ),
    ] = None,
) -> None:
    """Make a private folder for a course, ready for git."""
    from autograder.course import new_course as course_folder

    for line in course_folder.make(folder, old, name):
        print(line)

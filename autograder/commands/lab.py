"""``autograder lab``: JupyterLab on the course."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from autograder.commands.common import CourseFolder, course_at


def lab(
    options: Annotated[
        Optional[list[str]], typer.Argument(metavar="[JUPYTER...]", help="for jupyter lab")
    ] = None,
    course_folder: CourseFolder = None,
) -> None:
    """Open JupyterLab with nbgrader's formgrader on the course."""
    from autograder.nbgrader import lab as jupyterlab

    jupyterlab.serve(course_at(course_folder), options or [])

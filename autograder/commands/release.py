"""``autograder release``: the students' notebook, from teacher to students."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from autograder.base.text import inert
from autograder.commands.common import CourseFolder, ExerciseName, opened
from autograder.course import log


def release(
    exercise_name: ExerciseName,
    due: Annotated[
        Optional[str],
        typer.Option(metavar="TIME", help='such as "2026-12-01 18:00 Europe/Berlin"'),
    ] = None,
    archive: Annotated[
        Optional[Path],
        typer.Option("--to-zip", metavar="FILE", help="write what students need there instead"),
    ] = None,
    course_folder: CourseFolder = None,
) -> None:
    """Hand out the students' notebook, through nbgrader's exchange or as a zip."""
    from autograder.nbgrader import exchange

    course, exercise = opened(course_folder, exercise_name)
    for line in exchange.release(course, exercise, due, archive):
        print(inert(line))
    log.write(course, f"release {exercise.name}")

"""``autograder prove``: for whoever writes an exercise."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import Annotated, Optional

import typer

from autograder.commands.common import CourseFolder, ExerciseName, opened
from autograder.terminal.json_output import put, writable


def prove(
    exercise_name: ExerciseName,
    keys: Annotated[
        int, typer.Option(min=1, metavar="N", help="draw the random inputs so many times")
    ] = 20,
    jobs: Annotated[
        Optional[int], typer.Option(min=1, metavar="N", help="processes; default: all cores")
    ] = None,
    json: Annotated[
        Optional[str],
        typer.Option(metavar="FILE", help="the same as JSON; - is standard output"),
    ] = None,
    course_folder: CourseFolder = None,
) -> None:
    """Try the checks on known misconceptions and unusual right answers."""
    from autograder.authoring import grading
    from autograder.proving import proof
    from autograder.terminal import class_tables, kill_matrix

    writable(json)
    course, exercise = opened(course_folder, exercise_name)
    out = sys.stderr if json == "-" else sys.stdout
    size = proof.size(course.root, exercise)

    with class_tables.progress(f"proving {exercise.name}", size, out) as tick:
        proved = proof.prove(course.root, exercise, range(keys), jobs or os.cpu_count() or 1, tick)
    right = [trial.answer for trial in proved.right]
    refused = grading.refused(exercise, right, course.settings)
    proved = replace(proved, refused=tuple(refused))

    put(json, [proved.to_json()], out)
    kill_matrix.show(proved, out)
    raise typer.Exit(1 if proved.problems() else 0)

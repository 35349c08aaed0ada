"""For whoever writes an exercise: build, prove."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Optional

import typer

from autograder.commands.common import (
    CourseFolder,
    ExerciseName,
    course_at,
    opened,
)
from autograder.terminal.json_output import put, writable
from autograder.text import short


def build(
    exercises: Annotated[Optional[list[str]], typer.Argument(metavar="[EXERCISE...]", help="default: all")] = None,
    check: Annotated[bool, typer.Option("--check", help="only say whether the notebooks are up to date")] = False,
    course: CourseFolder = None,
) -> None:
    """Write the full notebook and the students' one from solutions/EXERCISE.py."""
    from autograder.authoring import build as building
    from autograder.exercises import exercise

    root = course_at(course).root
    stale = 0
    for name in exercises or building.names(root):
        if not check:
            print(f"{name}: trying every check on the solution and on the blank stub", flush=True)
        paths = building.build(root, name, check=check)
        for path in paths:
            print(f"{'out of date' if check else 'wrote'}: {short(path)}")
        if not paths:
            print(f"up to date: {name}")
        if not check:
            built = exercise.load(root, name)
            print(f"{name}: {len(built.steps)} steps, {len(built.checks)} checks, {built.max_score:g} points")
        stale += len(paths)
    if check and stale:
        print("run: autograder build", file=sys.stderr)
        raise typer.Exit(1)


def prove(
    exercise: ExerciseName,
    keys: Annotated[int, typer.Option(min=1, metavar="N", help="draw the random inputs so many times")] = 20,
    jobs: Annotated[Optional[int], typer.Option(min=1, metavar="N", help="processes; default: all cores")] = None,
    json: Annotated[Optional[str], typer.Option(metavar="FILE", help="the same as JSON; - is standard output")] = None,
    course: CourseFolder = None,
) -> None:
    """Try the checks on known misconceptions and unusual right answers."""
    from autograder.proving import proof
    from autograder.terminal import class_tables, kill_matrix

    writable(json)
    where, what = opened(course, exercise)
    out = sys.stderr if json == "-" else sys.stdout
    with class_tables.progress(f"proving {exercise}", proof.size(where.root, what), out) as tick:
        found = proof.prove(where.root, what, range(keys), jobs or os.cpu_count() or 1, tick)
    put(json, [found.to_json()], out)
    kill_matrix.show(found, out)
    raise typer.Exit(1 if found.problems() else 0)

"""``autograder build``: for whoever writes an exercise."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Optional

import typer

from autograder.base.errors import Unusable
from autograder.base.text import count, number, points, short
from autograder.commands.common import CourseFolder, course_at


def build(
    exercise_names: Annotated[
        Optional[list[str]], typer.Argument(metavar="[EXERCISE...]", help="default: all")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="only say whether the notebooks are up to date")
    ] = False,
    course_folder: CourseFolder = None,
) -> None:
    """Write the full notebook and the students' one from solutions/EXERCISE.py."""
    from autograder.authoring import build as building
    from autograder.authoring.cells import Source
    from autograder.authoring.notes import notes
    from autograder.exercises import exercise

    course = course_at(course_folder)
    root = course.root
    names = exercise_names or building.authored_names(root)
    stale = 0

    for name in names:
        read: list[Source] = []

        def begin(authored: Source, read: list[Source] = read) -> None:
            read.append(authored)
            about = "trying every check on the solution and on the blank stub"
            print(f"{authored.exercise}: {about}", flush=True)

        paths = building.build(root, name, check, course.settings, begin)
        for path in paths:
            print(f"{'out of date' if check else 'wrote'}: {short(path)}")
        if not paths:
            print(f"up to date: {name}")
        stale += len(paths)

        for authored in read:
            built = exercise.load(root, name)
            steps, checks = count(len(built.steps), "step"), count(len(built.checks), "check")
            by_hand = sum(cell.points or 0 for cell in authored.of("manual") if not cell.extra)
            worth = points(built.max_score + by_hand)
            if by_hand:
                worth += f", {number(by_hand)} of them by hand"
            print(f"{name}: {steps}, {checks}, {worth}")
            for note in notes(authored):
                print(f"note: {authored.line(note)}")

    if stale and not check:
        _say_what_is_older(root, names)
    if check and stale:
        print("run: autograder build", file=sys.stderr)
        raise typer.Exit(1)


def _say_what_is_older(root: Path, built: list[str]) -> None:
    """Say which other exercises take something from what has just changed."""
    from autograder.exercises import exercise

    for name in exercise.built_names(root):
        if name in built:
            continue
        try:
            exercise.load(root, name)
        except Unusable as problem:
            print(f"note: {problem}")

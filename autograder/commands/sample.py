"""``autograder sample``: a class to try an exercise on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from autograder.base.text import count, short
from autograder.commands.common import CourseFolder, ExerciseName, opened


def sample(
    exercise_name: ExerciseName,
    output: Annotated[
        Optional[Path],
        typer.Option(metavar="DIR", help="default: build/sample/EXERCISE; its last class goes"),
    ] = None,
    course_folder: CourseFolder = None,
) -> None:
    """Make a class from the banks of an exercise, to try it on.

    Somebody is right, blank, half done; each known mistake and each unusual right answer is
    somebody's. What is printed says who is what.
    """
    from autograder.authoring.proving import sample as making

    course, exercise = opened(course_folder, exercise_name)
    folder = output or course.root / "build" / "sample" / exercise.name
    people = making.write_class(course.root, exercise, folder)

    width = max(len(student.id) for student in people)
    for student in people:
        print(f"{student.id:<{width}}  {student.about}")
    pattern = f"{short(folder)}/<student>/{exercise.name}/{exercise.name}.ipynb"
    print(f"wrote {count(len(people), 'notebook')}, as {pattern}")

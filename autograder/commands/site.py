"""``site``: the exercises as a web site in which Python runs in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from autograder.base.errors import Unusable
from autograder.commands.common import CourseFolder, opened_course


def site(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="a new or empty folder, or a site to replace")
    ],
    exercise_names: Annotated[
        Optional[list[str]], typer.Argument(metavar="[EXERCISE...]", help="default: all")
    ] = None,
    archive: Annotated[
        Optional[Path],
        typer.Option(
            "--pyodide",
            metavar="FILE",
            help="a full release of Pyodide; the site then loads nothing from other servers",
        ),
    ] = None,
    course_folder: CourseFolder = None,
) -> None:
    """Build a web site in which students work in their browser, with nothing to install."""
    from autograder.exercises import exercise
    from autograder.nbgrader import exchange
    from autograder.show.pages import site as pages

    course = opened_course(course_folder)
    names = list(dict.fromkeys(exercise_names or exercise.built_names(course.root)))
    if not names:
        raise Unusable(f"{course.root / 'solutions'}: no exercises; run autograder build")
    folder = folder.absolute()
    pages.insist(folder, archive)

    exercises = []
    content: dict[str, bytes] = {}
    for name in names:
        if name.endswith(".ipynb"):
            known, found = exchange.from_release(course, Path(name))
        else:
            known = exercise.load(course.root, name)
            found = exchange.for_students(course, known)
        exercises.append(known)
        for place, data in found.items():
            if content.setdefault(place, data) != data:
                raise Unusable(f"{name}: another exercise has a file {place}, too; leave one out")
    for line in pages.write(folder, course, exercises, content, archive):
        print(line)

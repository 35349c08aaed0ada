"""What passes between teacher and students: release, collect, feedback, export."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Optional

import typer

from autograder.commands.common import (
    CourseFolder,
    ExerciseName,
    finish,
    opened,
)
from autograder.errors import Unusable
from autograder.text import inert, short
from autograder.troubles import Troubles


def release(
    exercise: ExerciseName,
    due: Annotated[Optional[str], typer.Option(metavar="TIME", help='such as "2026-12-01 18:00 Europe/Berlin"')] = None,
    course: CourseFolder = None,
) -> None:
    """Hand out the students' notebook through nbgrader's exchange."""
    from autograder.nbgrader import exchange

    where, what = opened(course, exercise)
    for line in exchange.release(where, what, due):
        print(inert(line))


def collect(exercise: ExerciseName, course: CourseFolder = None) -> None:
    """Collect submissions from the exchange, and from downloads in the course's inbox/."""
    from autograder.nbgrader import exchange

    where, what = opened(course, exercise)
    for line in exchange.collect(where, what):
        print(inert(line))


def feedback(
    exercise: ExerciseName,
    archive: Annotated[
        Optional[Path], typer.Option("--zip", metavar="FILE", help="also all pages, to upload to Moodle or Canvas")
    ] = None,
    course: CourseFolder = None,
) -> None:
    """Write a page for each student."""
    from autograder.pages import feedback as pages
    from autograder.pages import feedback_zip

    where, what = opened(course, exercise)
    troubles = Troubles()
    paths = pages.write_class(where, what, troubles=troubles)
    if not paths and not troubles:
        raise Unusable(f"{where.results / exercise}: no results yet; run autograder grade {exercise}")
    print(f"wrote {len(paths)} pages, as {short(where.feedback)}/<student>/{exercise}/{exercise}.html")
    if archive is not None:
        named = feedback_zip.write(where, what, paths, archive, troubles)
        print(f"wrote {short(archive)}: {', '.join(f'{number} {kind}' for kind, number in named.items())}")
    finish(troubles.lines)


def export(
    exercise: ExerciseName,
    to: Annotated[
        str,
        typer.Option(
            metavar="FORMAT", help="csv, json, canvas, moodle, gradescope, gradescope-zip, classroom50 or sources"
        ),
    ] = "csv",
    output: Annotated[
        Optional[str], typer.Option(metavar="PATH", help="default: exports/ of the course; - is standard output")
    ] = None,
    fill: Annotated[
        Optional[Path], typer.Option(metavar="FILE", help="moodle, canvas: what you downloaded there, to be filled in")
    ] = None,
    column: Annotated[
        Optional[str], typer.Option(metavar="TITLE", help='canvas: the assignment, such as "Attention (4711)"')
    ] = None,
    classroom: Annotated[
        Optional[str], typer.Option(metavar="[ORG/]NAME", help="classroom50: the classroom; default: the course's id")
    ] = None,
    missing_as_zero: Annotated[
        bool, typer.Option("--missing-as-zero", help="0 points for who handed in nothing; rejected ones stay empty")
    ] = False,
    isolation: Annotated[
        Optional[str], typer.Option(metavar="LEVEL", help="gradescope-zip: only this level grades there")
    ] = None,
    course: CourseFolder = None,
) -> None:
    """Write the final scores, or what was handed in, for another system."""
    from autograder.exports import export as product
    from autograder.exports import formats

    options = {"fill": fill, "column": column, "classroom": classroom, "isolation": isolation}
    given = [name for name, value in options.items() if value is not None]
    format = formats.find(to, [*given, *["missing_as_zero"] * missing_as_zero])
    product.refuse(output, format.is_folder)
    where, what = opened(course, exercise)
    request = product.Request(where, what, fill, column, classroom, isolation)
    made = formats.make(to, request, missing_as_zero)
    path = product.put(made, output, where.state / "exports" / exercise / format.file)
    for note in made.notes:
        print(inert(" ".join(note.split())), file=sys.stderr)
    if path is not None:
        print(f"wrote {short(path)}")
    finish(made.troubles)

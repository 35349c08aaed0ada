"""``autograder export``: final scores, or what was handed in, for another system."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Optional

import typer

from autograder.base import files
from autograder.base.text import inert, listed, short
from autograder.commands.common import CourseFolder, ExerciseOrCourse, finish, opened, opened_course
from autograder.course import log
from autograder.show.exports import export as exports

NOTES = 10
"""So many lines that begin alike, such as "empty:", are printed; the file has the others."""


def _first_of_each_kind(notes: Sequence[str]) -> Iterator[str]:
    """The notes by what they begin with, and how many more there are of a kind."""
    by_kind: dict[str, list[str]] = {}
    for note in notes:
        by_kind.setdefault(note.partition(":")[0], []).append(note)
    for kind, alike in by_kind.items():
        yield from alike[:NOTES]
        if len(alike) > NOTES:
            yield f"{kind}: and {len(alike) - NOTES} more"


def _help(option: str, meaning: str) -> str:
    """The help of an option that only some formats take."""
    return f"{exports.taking(option)}: {meaning}"


def export(
    exercise_name: ExerciseOrCourse = None,
    to: Annotated[
        str,
        typer.Option(
            metavar="FORMAT",
            help=listed(exports.FORMATS, "or"),
        ),
    ] = "csv",
    output: Annotated[
        Optional[str],
        typer.Option(metavar="PATH", help="default: exports/ of the course; - is standard output"),
    ] = None,
    fill: Annotated[
        Optional[Path],
        typer.Option(
            metavar="FILE", help=_help("fill", "what you downloaded there, to be filled in")
        ),
    ] = None,
    column: Annotated[
        Optional[str],
        typer.Option(
            metavar="TITLE", help=_help("column", 'the assignment, such as "Attention (4711)"')
        ),
    ] = None,
    classroom: Annotated[
        Optional[str],
        typer.Option(
            metavar="[ORG/]NAME", help=_help("classroom", "the classroom; default: the course's id")
        ),
    ] = None,
    missing_as_zero: Annotated[
        bool,
        typer.Option(
            "--missing-as-zero",
            help="0 points for who handed in nothing; rejected ones stay empty",
        ),
    ] = False,
    anonymous: Annotated[
        bool,
        typer.Option(
            "--anonymous", help=_help("anonymous", "for research, without names and words")
        ),
    ] = False,
    isolation: Annotated[
        Optional[str],
        typer.Option(metavar="LEVEL", help=_help("isolation", "only this level grades there")),
    ] = None,
    course_folder: CourseFolder = None,
) -> None:
    """Write the final scores, or what was handed in, for another system.

    Without an exercise: the whole course, with totals.
    """
    from autograder.course.gradebook.course_grades import NAME
    from autograder.show.terminal import output as place

    options = {"fill": fill, "column": column, "classroom": classroom, "isolation": isolation}
    given = [name for name, value in options.items() if value is not None]
    if missing_as_zero:
        given.append("missing_as_zero")
    if anonymous:
        given.append("anonymous")
    whole_course = exercise_name is None
    format = exports.find(to, given, whole_course)
    if format.is_folder:
        place.writable_folder(output)
    else:
        place.writable(output)

    if exercise_name is None:
        course, exercise, name = opened_course(course_folder), None, NAME
    else:
        course, exercise = opened(course_folder, exercise_name)
        name = exercise.name
    request = exports.Request(course, exercise, fill, column, classroom, isolation)
    made = exports.make(to, request, missing_as_zero, anonymous)
    file = f"anonymous-{format.file}" if anonymous else format.file
    path = place.put_content(
        made.content, output, files.below(course.state / "exports", name, file)
    )

    command = f"export{'' if whole_course else f' {name}'} --to {to}"
    log.write(course, command, **log.final(course, made.final))
    for note in _first_of_each_kind(made.notes):
        print(inert(" ".join(note.split())), file=sys.stderr)
    if path is not None:
        print(f"wrote {short(path)}")
    finish(made.troubles)

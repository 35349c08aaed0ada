"""What the commands share: the arguments that mean the same everywhere."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn, Optional, TextIO

import typer

from autograder.base.errors import Unusable
from autograder.base.text import inert
from autograder.sandbox import levels
from autograder.show.terminal.output import put, writable

if TYPE_CHECKING:
    from autograder.base.result import Outcome
    from autograder.course.course import Course
    from autograder.exercises.exercise import Exercise

ExerciseName = Annotated[
    str, typer.Argument(metavar="EXERCISE", help="its name, for example attention")
]
ExerciseOrCourse = Annotated[
    Optional[str],
    typer.Argument(metavar="[EXERCISE]", help="its name; without one: the whole course"),
]
CourseFolder = Annotated[
    Optional[Path],
    typer.Option("--course", metavar="DIR", help="where the course's state lies; default: course/"),
]
Isolation = Annotated[
    Optional[str],
    typer.Option(metavar="LEVEL", help=f"{levels.described()}; default: the best that works"),
]
OfExercise = Annotated[
    Optional[str],
    typer.Option("--exercise", metavar="EXERCISE", help="default: the one that the notebook names"),
]
Notebook = Annotated[
    Path, typer.Argument(metavar="NOTEBOOK", help="a submitted .ipynb or percent .py")
]


def stop(lines: str | Sequence[str], code: int) -> NoReturn:
    """End the program with one line, or with one for each thing that is wrong."""
    for line in [lines] if isinstance(lines, str) else lines:
        line = inert(" ".join(line.split()))
        print(f"autograder: {line}", file=sys.stderr)
        if os.environ.get("GITHUB_ACTIONS"):
            from autograder.show.terminal import github_actions

            print(github_actions.command("error", line, title="autograder"), file=sys.stderr)
    sys.exit(code)


class JsonOutput:
    """What ``--json`` asks for: what a command found, or why it found nothing.

    A context: an ``Unusable`` that passes through is written as an object ``error``, unless
    something else has been written.

    Raises:
        Unusable: nothing can be written there.
    """

    def __init__(self, file: str | None) -> None:
        writable(file)
        self._file = file
        self._is_written = False

    @property
    def out(self) -> TextIO:
        """Where everything else is printed."""
        return sys.stderr if self._file == "-" else sys.stdout

    def put(self, lines: Iterable[str]) -> None:
        """Write it; lines end with their newline."""
        self._is_written = True
        put(self._file, lines, self.out)

    def __enter__(self) -> JsonOutput:
        return self

    def __exit__(self, _: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Unusable) and not self._is_written:
            line = json.dumps({"error": error.fields}, ensure_ascii=False) + "\n"
            with contextlib.suppress(OSError):  # the error itself says more
                put(self._file, [line], io.StringIO())


def course_at(folder: Path | None) -> Course:
    """The course whose state lies in this folder, or in the default one."""
    from autograder.course.course import find

    return find(folder)


def course_for(folder: Path | None, notebook: Path) -> Course:
    """The same, to grade a notebook with: never one that came with it, unless somebody named it."""
    course = course_at(folder)
    is_named = folder is not None or os.environ.get("AUTOGRADER_COURSE")
    if not is_named and course.came_with(notebook):
        raise Unusable(
            notebook,
            f"lies in {course.root}, and its checks and settings would come from there, too",
            f"go to your course's folder, or add --course {course.state} if this is it",
        )
    return course


def finish(troubles: Sequence[str]) -> None:
    """Say for whom something could not be done, and end with 3; where all could be done, go on."""
    for line in troubles:
        print(inert(line), file=sys.stderr)
    if troubles:
        lines = "the lines above say who and why; everything else is done"
        stop(f"some students were left out: {lines}", 3)


def missing(course: Course, outcomes: Sequence[Outcome]) -> list[str]:
    """Who is on the class list and has no result."""
    people = course.class_list() or {}
    return sorted(people.keys() - {outcome.student for outcome in outcomes})


def isolated(course: Course, level: str | None) -> Course:
    """The course, graded at the isolation level that the command line asks for."""
    from dataclasses import replace

    if level is None:
        return course
    return replace(course, settings=replace(course.settings, isolation=level))


def opened(folder: Path | None, name: str) -> tuple[Course, Exercise]:
    """The course, and an exercise of it."""
    from autograder.exercises import exercise

    course = opened_course(folder)
    return course, exercise.load(course.root, name)


def opened_course(folder: Path | None) -> Course:
    """The course, with a line about what its settings say in vain."""
    course = course_at(folder)
    _note_elsewhere(course, folder)
    _note_unknown(course)
    return course


def _note_elsewhere(course: Course, folder: Path | None) -> None:
    """Say which course it is where nobody has named one, and the working folder is in none."""
    is_named = folder is not None or os.environ.get("AUTOGRADER_COURSE")
    here = Path.cwd().resolve()
    if not is_named and course.root.resolve() not in (here, *here.parents):
        what = f"{here} is in no course, so this is about {course.state}"
        print(
            f"note: {what}; go to your course's folder, or name it with --course", file=sys.stderr
        )


def _note_unknown(course: Course) -> None:
    """Say which names in the settings are none of an exercise: they would change nothing."""
    from autograder.base.settings import NAME, TABLES
    from autograder.exercises.sources import is_authored

    for table in TABLES:
        for name in getattr(course.settings, table):
            if name and not is_authored(course.root, name):
                cause = f"{table}.{name} is of no exercise in {course.root / 'solutions'}"
                print(f"note: {NAME}: {cause}; correct the name, or delete it", file=sys.stderr)


def exercise_of(course: Course, notebook: Path, data: bytes, name: str | None) -> Exercise:
    """The exercise of this name; without one that of which a submission says it is.

    Where it says nothing, the one that it fits; where it fits none, the one that its name says.
    """
    from autograder.exercises import exercise
    from autograder.submissions import parse
    from autograder.submissions.notebook import Rejected, marks

    if name is not None:
        return exercise.load(course.root, name)

    names = exercise.built_names(course.root)
    if not names:
        raise Unusable(
            course.root / "solutions",
            "no built exercise",
            "run autograder build in the course's folder",
        )

    own = marks(data).get("exercise")
    if own in names:
        return exercise.load(course.root, own)

    # Those that the notebook is called after come first.
    names.sort(key=lambda name: not notebook.stem.startswith(name))
    exercises: list[Exercise] = []
    out_of_date: list[Unusable] = []
    for name in names:
        try:
            exercises.append(exercise.load(course.root, name))
            parse.parse(data, exercises[-1])
        except Unusable as problem:
            out_of_date.append(problem)
        except Rejected:
            continue
        else:
            return exercises[-1]

    # It may be of one that cannot be loaded, if it is a notebook at all.
    if out_of_date and (not exercises or _is_readable(data)):
        raise out_of_date[0]
    return exercises[0]


def _is_readable(data: bytes) -> bool:
    from autograder.submissions.notebook import Rejected, raw_cells

    try:
        raw_cells(data)
    except Rejected:
        return False
    return True


def read_notebook(notebook: Path) -> bytes:
    """The bytes of the notebook that the command line names."""
    from autograder.submissions.notebook import Rejected, read

    try:
        return read(notebook)
    except Rejected as rejected:
        raise Unusable(notebook, rejected.cause, rejected.repair) from None

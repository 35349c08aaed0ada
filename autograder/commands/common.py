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
from autograder.base.text import inert, listed, short
from autograder.show.terminal.output import put, writable

if TYPE_CHECKING:
    from autograder.course.course import Course
    from autograder.exercises.exercise import Exercise

NOTHING_NEW = 4
"""The exit code, on request, of a command that found nothing to do."""

ExerciseName = Annotated[
    str, typer.Argument(metavar="EXERCISE", help="its name, for example attention")
]
ExerciseOrCourse = Annotated[
    Optional[str],
    typer.Argument(metavar="[EXERCISE]", help="its name; without one: the whole course"),
]
CourseFolder = Annotated[
    Optional[Path],
    typer.Option("--course", metavar="DIR", help="folder of the course's state; default: course/"),
]
Jobs = Annotated[
    Optional[int], typer.Option(min=1, metavar="N", help="processes; default: all cores")
]
NewFile = Annotated[
    Optional[str],
    typer.Option("--new", metavar="FILE", help="who has something new, as JSON; - is stdout"),
]
TellNew = Annotated[
    bool, typer.Option("--exit-code", help=f"exit with {NOTHING_NEW} if nothing was new")
]
Students = Annotated[
    Optional[list[str]],
    typer.Option("--student", metavar="ID", help="only this student; may be repeated"),
]

OfExercise = Annotated[
    Optional[str],
    typer.Option("--exercise", metavar="EXERCISE", help="default: the one that the notebook names"),
]
Notebook = Annotated[
    Path, typer.Argument(metavar="NOTEBOOK", help="a notebook (.ipynb) or percent script (.py)")
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
    def is_wanted(self) -> bool:
        """Whether anybody asks for it: to make it of a large class takes seconds."""
        return self._file is not None

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


def news(exercise: str, new: Sequence[str], unchanged: int, **others: object) -> str:
    """What ``--new`` writes: the students for whom there is something new, and how many others."""
    facts = {"exercise": exercise, "new": sorted(new), "unchanged": unchanged, **others}
    return json.dumps(facts, ensure_ascii=False) + "\n"


def tell_new(new: Sequence[str], is_asked: bool) -> None:
    """End with the code for nothing new, if that is so and somebody asks."""
    if is_asked and not new:
        raise typer.Exit(NOTHING_NEW)


def course_at(folder: Path | None) -> Course:
    """The course whose state lies in this folder, or in the default one."""
    from autograder.course.course import find

    return find(folder)


def finish(troubles: Sequence[str]) -> None:
    """Say for whom something could not be done, and end with 3; where all could be done, go on."""
    for line in troubles:
        print(inert(line), file=sys.stderr)
    if troubles:
        lines = "the lines above say who and why; everything else is done"
        stop(f"some students were left out: {lines}", 3)


def opened(folder: Path | None, name: str) -> tuple[Course, Exercise]:
    """The course, and an exercise of it."""
    from autograder.exercises import exercise

    course = opened_course(folder)
    if name in ordinary_names(course):
        repair = f"give it to nbgrader's own commands, for example nbgrader collect {name}"
        raise Unusable(name, "is an assignment of nbgrader's own", repair)
    return course, exercise.load(course.root, name)


def opened_any(folder: Path | None, name: str) -> tuple[Course, Exercise]:
    """The same, where an assignment of nbgrader's own will do, which has no cells here."""
    from autograder.exercises import exercise

    course = opened_course(folder)
    if exercise.belongs(course.root, name):
        return course, exercise.load(course.root, name)
    from autograder.course.gradebook import ordinary

    return course, ordinary.find(course, name)


def ordinary_names(course: Course) -> list[str]:
    """The assignments of nbgrader's own; none where nbgrader has nothing to do with the course."""
    if not course.gradebook.is_file():
        return []
    from autograder.course.gradebook import ordinary

    return ordinary.names(course)


def opened_course(folder: Path | None) -> Course:
    """The course, with lines about which it is if nobody said, and what settings say in vain."""
    from autograder.base.settings import NAME, TABLES
    from autograder.exercises.sources import is_authored

    course = course_at(folder)
    is_named = folder is not None or os.environ.get("AUTOGRADER_COURSE")
    here = Path.cwd().resolve()
    if not is_named and course.root.resolve() not in (here, *here.parents):
        what = f"{here} is not in a course, so this uses {course.state}"
        repair = "go to your course's folder, or name it with --course"
        print(f"note: {what}; {repair}", file=sys.stderr)

    for table in TABLES:
        for name in getattr(course.settings, table):
            if name and not is_authored(course.root, name):
                cause = f"{table}.{name} matches no exercise in {course.root / 'solutions'}"
                print(f"note: {NAME}: {cause}; correct the name, or delete it", file=sys.stderr)
    return course


def known_people(course: Course) -> dict[str, str]:
    """Everybody who is on the class list, handed something in, or has a result: names by id."""
    from autograder.course.class_list import full_name
    from autograder.course.course import STUDENT_ID

    ids = {path.name for path in course.submitted.glob("*/")}
    ids |= {path.stem for path in course.results.glob("*/*.json")}
    people = dict.fromkeys(filter(STUDENT_ID.match, ids), "")
    for id, row in (course.class_list() or {}).items():
        people[id] = full_name(row)
    return people


def refuse_absent(
    asked: Iterable[str] | None, there: Iterable[str], name: str, folder: Path
) -> None:
    """See that all students who are asked for by id have handed something in."""
    absent = sorted({*(asked or ())} - {*there})
    if absent:
        where = f"look for their folders in {short(folder)}"
        raise Unusable(listed(absent), f"there is no {name} of theirs", where)

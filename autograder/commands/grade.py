"""``autograder grade``: a whole class, into the gradebook."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from autograder.base.errors import Unusable
from autograder.base.text import count, first_of, inert, short
from autograder.commands.common import (
    CourseFolder,
    ExerciseName,
    Isolation,
    JsonOutput,
    isolated,
    missing,
    opened,
    stop,
)
from autograder.course import log

if TYPE_CHECKING:
    from autograder.course.course import Course
    from autograder.course.grading.grade_class import Scan
    from autograder.exercises.exercise import Exercise

NAMED = 5
"""Students that a note names at most."""


def grade(
    exercise_name: ExerciseName,
    jobs: Annotated[
        Optional[int], typer.Option(min=1, metavar="N", help="processes; default: all cores")
    ] = None,
    submitted: Annotated[
        Optional[Path], typer.Option(metavar="DIR", help="default: the course's submitted/")
    ] = None,
    json: Annotated[
        Optional[str],
        typer.Option(metavar="FILE", help="one result a line; - is standard output"),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="also grade again what has not changed")
    ] = False,
    never_lower: Annotated[
        bool,
        typer.Option("--never-lower", help="no check earns less than it did for the same file"),
    ] = False,
    compare: Annotated[
        bool,
        typer.Option("--compare", help="list whose score would change, and why; write nothing"),
    ] = False,
    scheduler: Annotated[
        Optional[str],
        typer.Option(metavar="ADDRESS", help="grade on this Dask cluster, such as tcp://host:8786"),
    ] = None,
    isolation: Isolation = None,
    course_folder: CourseFolder = None,
) -> None:
    """Grade the class, into the gradebook."""
    from autograder.course.class_list import may_be
    from autograder.course.gradebook import deadlines, record
    from autograder.course.gradebook.marks import settled_marks
    from autograder.course.grading import interruption
    from autograder.course.grading.grade_class import grade_class
    from autograder.course.reports.students import of_outcomes
    from autograder.course.results import folder_of, stored_lines
    from autograder.show.terminal import class_tables

    with JsonOutput(json) as output:
        course, exercise = opened(course_folder, exercise_name)
        course = isolated(course, isolation)
        # What is wrong with one of them is said before hours of work.
        course.class_list()
        deadlines.extensions(course)
        scanned, left_out = _scanned(course, exercise, submitted)

        _note_other_zone(course, exercise, scanned)
        for old, new in record.moved_students(course).items():
            print(inert(f"note: {may_be(old, new)}"), file=sys.stderr)
        if compare:
            if json is not None:
                raise Unusable(
                    "--compare --json", "nothing is graded for a file", "leave one of them out"
                )
            _compare(course, exercise, scanned, jobs, scheduler, force, never_lower)
            return

        out, size = output.out, len(scanned.students)
        progress = class_tables.class_progress(f"grading {exercise.name}", size, out)
        with interruption.adopted(), progress as tick:
            outcomes = grade_class(
                course,
                exercise,
                scanned=scanned,
                jobs=jobs or os.cpu_count() or 1,
                scheduler=scheduler,
                force=force,
                never_lower=never_lower,
                progress=tick,
            )
        output.put(stored_lines(course, exercise.name, outcomes))

    marks = settled_marks(course, exercise)
    rows = of_outcomes(outcomes, marks, missing(course, outcomes))
    class_tables.students(rows, out)
    scores = {row.student: row.score for row in rows if row.status != "missing"}
    log.write_final(course, f"grade {exercise.name}", {exercise.name: scores})
    for line in left_out:
        print(f"left out: {line}", file=out)

    if outcomes:
        stored = short(folder_of(course, exercise.name))
        print(f"wrote {stored}, {short(course.autograded)} and the gradebook", file=out)
    if any(outcome.status == "error" for outcome in outcomes):
        stop("some submissions could not be graded, or not recorded: see reason", 3)


def _scanned(course: Course, exercise: Exercise, submitted: Path | None) -> tuple[Scan, list[str]]:
    """What was handed in, and what lies there that is left out.

    Raises:
        Unusable: nothing was handed in.
    """
    from autograder.course.grading.grade_class import scan
    from autograder.exercises.exercise import built_names

    if submitted is not None and not submitted.is_dir():
        raise Unusable(submitted, "no such folder", "name the folder with one folder a student")
    folder = submitted or course.submitted
    scanned = scan(folder, exercise.name)
    misspelt, misplaced = scanned.misspelt(built_names(course.root)), scanned.misplaced()
    place = f"<student>/{exercise.name}/{exercise.name}.ipynb"

    if not scanned.students and misspelt:
        raise Unusable(
            short(folder),
            f"nothing of {exercise.name}, but {misspelt[0]!r}",
            "rename it if it is meant to be",
        )
    if not scanned.students and misplaced:
        raise Unusable(
            short(folder), f"nothing but {misplaced[0]!r}", f"submissions are looked for as {place}"
        )
    if not scanned.students and not scanned.strangers and not course.class_list():
        raise Unusable(
            short(folder),
            f"no submissions, which are looked for as {place}",
            f"run autograder collect {exercise.name}, or name another folder with --submitted",
        )

    left_out = [f"{name!r} is no student id; rename the folder" for name in scanned.strangers]
    left_out += [f"{name!r} is no {place}; move it there" for name in misplaced]
    for name in misspelt:
        repair = "rename the folder if it is meant to be"
        left_out.append(f"{name!r} is nearly {exercise.name}; {repair}")
    return scanned, left_out


def _note_other_zone(course: Course, exercise: Exercise, scanned: Scan) -> None:
    """Say whose time was read in a zone that the settings no longer name."""
    from autograder.base.settings import NAME
    from autograder.course.collecting import store

    students = store.of_another_zone(course, exercise.name, scanned.students)
    if students:
        whose = first_of(students, NAMED)
        cause = f"time_zone was changed after the times of {whose} were read"
        print(f"note: {NAME}: {cause}; run autograder collect {exercise.name}", file=sys.stderr)


def _compare(
    course: Course,
    exercise: Exercise,
    scanned: Scan,
    jobs: int | None,
    scheduler: str | None,
    force: bool,
    never_lower: bool,
) -> None:
    """Say whose score grading would change."""
    from autograder.course.grading import comparison, interruption
    from autograder.show.terminal import class_tables

    size = len(scanned.students)
    progress = class_tables.class_progress(f"comparing {exercise.name}", size, sys.stdout)
    with interruption.adopted(), progress as tick:
        found = comparison.of_class(
            course,
            exercise,
            scanned,
            jobs=jobs or os.cpu_count() or 1,
            scheduler=scheduler,
            force=force,
            never_lower=never_lower,
            progress=tick,
        )
    for line in comparison.lines(found):
        print(inert(line))
    changed = sum(one.old != one.new for one in found)
    left = size - changed
    print(f"{count(changed, 'score')} would change, {left} would not; nothing was written")

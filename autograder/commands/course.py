"""A class and its course: grade, report, lab, doctor."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Optional

import typer

from autograder.commands.common import (
    CourseFolder,
    ExerciseName,
    Isolation,
    course_at,
    finish,
    isolated,
    missing,
    opened,
    stop,
)
from autograder.errors import Unusable
from autograder.terminal.json_output import put, writable
from autograder.text import short


def grade(
    exercise: ExerciseName,
    jobs: Annotated[Optional[int], typer.Option(min=1, metavar="N", help="processes; default: all cores")] = None,
    submitted: Annotated[Optional[Path], typer.Option(metavar="DIR", help="default: the course's submitted/")] = None,
    json: Annotated[Optional[str], typer.Option(metavar="FILE", help="one result a line; - is standard output")] = None,
    force: Annotated[bool, typer.Option("--force", help="also grade again what has not changed")] = False,
    scheduler: Annotated[
        Optional[str], typer.Option(metavar="ADDRESS", help="grade on this Dask cluster, such as tcp://host:8786")
    ] = None,
    isolation: Isolation = None,
    course: CourseFolder = None,
) -> None:
    """Grade the class, into the gradebook."""
    from autograder import results as stored
    from autograder.exercises import exercise as known
    from autograder.grading import grade_class, orphans
    from autograder.grading.submitted import misspelt_in, strangers_in, students_in
    from autograder.terminal import class_tables

    where, what = opened(course, exercise)
    where = isolated(where, isolation)
    writable(json)
    if submitted is not None and not submitted.is_dir():
        raise Unusable(f"{submitted}: no such folder; name the folder with one folder a student")
    out = sys.stderr if json == "-" else sys.stdout
    folder = submitted or where.submitted
    size = len(students_in(folder, exercise))
    strangers = strangers_in(folder, exercise)
    misspelt = misspelt_in(folder, exercise, known.names(where.root))
    if not size and misspelt:
        raise Unusable(f"{short(folder)}: nothing of {exercise}, but {misspelt[0]!r}; rename it if it is meant to be")
    if not size and not strangers and not where.class_list():
        raise Unusable(
            f"{short(folder)}: no submissions, which are looked for as <student>/{exercise}/{exercise}.ipynb; "
            f"run autograder collect {exercise}, or name another folder with --submitted"
        )
    with orphans.adopted(), class_tables.class_progress(f"grading {exercise}", size, out) as tick:
        outcomes = grade_class.grade_class(
            where,
            what,
            submitted=submitted,
            jobs=jobs or os.cpu_count() or 1,
            scheduler=scheduler,
            force=force,
            progress=tick,
        )
    put(json, stored.stored_lines(where, exercise, outcomes), out)
    class_tables.scores(outcomes, out, missing(where, outcomes))
    for name in strangers:
        print(f"left out: {name!r} is no student id; rename the folder", file=out)
    for name in misspelt:
        print(f"left out: {name!r} is nearly {exercise}; rename the folder if it is meant to be", file=out)
    if outcomes:
        print(f"wrote {short(where.results / exercise)}, {short(where.autograded)} and the gradebook", file=out)
    if any(outcome.status == "error" for outcome in outcomes):
        stop("some submissions could not be graded, or not recorded: see reason", 3)


def report(
    exercise: ExerciseName,
    json: Annotated[Optional[str], typer.Option(metavar="FILE", help="all numbers as JSON; - is stdout")] = None,
    course: CourseFolder = None,
) -> None:
    """Show the class, and write its page: scores, checks, shared mistakes, who needs a look."""
    from autograder.gradebook import final_grades
    from autograder.pages import report as pages
    from autograder.reports import report as reporting
    from autograder.terminal import class_tables

    where, what = opened(course, exercise)
    writable(json)
    known = final_grades.of_class(where, what)
    found = reporting.of_class(where, known)
    out = sys.stderr if json == "-" else sys.stdout
    put(json, found.to_json() + "\n", out)
    path = pages.write(where, found)
    class_tables.checks(what, [one.result for one in known.standings if one.result], out)
    print(file=out)
    class_tables.standings(found, out)
    print(f"wrote {short(path)}", file=out)
    finish(known.troubles.lines)


def lab(
    options: Annotated[Optional[list[str]], typer.Argument(metavar="[JUPYTER...]", help="for jupyter lab")] = None,
    course: CourseFolder = None,
) -> None:
    """Open JupyterLab with nbgrader's formgrader on the course."""
    from autograder.nbgrader import lab as jupyterlab

    jupyterlab.serve(course_at(course), options or [])


def doctor(course: CourseFolder = None) -> None:
    """Say what this machine can do: isolation level, versions, paths."""
    from autograder import doctor as examination

    examination.examine(course_at(course))

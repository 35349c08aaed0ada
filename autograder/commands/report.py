"""``autograder report``: how the class does."""

from __future__ import annotations

import sys
from typing import Annotated, Optional

import typer

from autograder.commands.common import CourseFolder, ExerciseName, finish, opened
from autograder.terminal.json_output import put, writable
from autograder.text import short


def report(
    exercise_name: ExerciseName,
    json: Annotated[
        Optional[str], typer.Option(metavar="FILE", help="all numbers as JSON; - is stdout")
    ] = None,
    course_folder: CourseFolder = None,
) -> None:
    """Show the class, and write its page: scores, checks, shared mistakes, who needs a look."""
    from autograder.gradebook import final_grades
    from autograder.pages import report as pages
    from autograder.reports import report as reports
    from autograder.terminal import class_tables

    course, exercise = opened(course_folder, exercise_name)
    writable(json)
    class_grades = final_grades.of_class(course, exercise)
    made = reports.of_class(course, class_grades)

    out = sys.stderr if json == "-" else sys.stdout
    if json is not None:
        put(json, [made.to_json() + "\n"], out)
    path = pages.write(course, made)

    print(exercise.title, file=out)
    class_tables.checks(made, out)
    print(file=out)
    class_tables.students(made.students, out)
    class_tables.next_steps(made, out)
    print(f"wrote {short(path)}", file=out)

    finish(class_grades.troubles.lines)

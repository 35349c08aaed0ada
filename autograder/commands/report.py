"""``autograder report``: how the class does, in one exercise or in the whole course."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Optional

import typer

from autograder.base.errors import Unusable
from autograder.base.text import short
from autograder.commands.common import CourseFolder, ExerciseOrCourse, finish, opened, opened_course
from autograder.course import log
from autograder.show.terminal.json_output import put, writable


def report(
    exercise_name: ExerciseOrCourse = None,
    json: Annotated[
        Optional[str], typer.Option(metavar="FILE", help="all numbers as JSON; - is stdout")
    ] = None,
    missing_as_zero: Annotated[
        bool,
        typer.Option(
            "--missing-as-zero",
            help="of the whole course: 0 points for who handed in nothing and has no time left",
        ),
    ] = False,
    course_folder: CourseFolder = None,
) -> None:
    """Show the class, and write its page; without an exercise the whole course, with totals."""
    writable(json)
    if exercise_name is None:
        _whole_course(course_folder, json, missing_as_zero)
    elif missing_as_zero:
        raise Unusable("--missing-as-zero: is for the whole course; leave the exercise out")
    else:
        _exercise(course_folder, exercise_name, json)


def _exercise(folder: Path | None, name: str, json: str | None) -> None:
    from autograder.course.gradebook import final_grades
    from autograder.course.reports import report as reports
    from autograder.show.pages import report as pages
    from autograder.show.terminal import class_tables

    course, exercise = opened(folder, name)
    class_grades = final_grades.of_class(course, exercise)
    made = reports.of_class(course, class_grades)

    out = sys.stderr if json == "-" else sys.stdout
    if json is not None:
        put(json, [made.to_json() + "\n"], out)
    path = pages.write(course, made)

    print(exercise.title, file=out)
    class_tables.students(made.students, out)
    print(file=out)
    class_tables.checks(made, out)
    class_tables.next_steps(made, out)
    print(f"wrote {short(path)}", file=out)

    log.write_final(course, f"report {name}", class_grades.final_scores())
    finish(class_grades.troubles.lines)


def _whole_course(folder: Path | None, json: str | None, missing_as_zero: bool) -> None:
    from autograder.course.gradebook import course_grades
    from autograder.course.reports import course_json
    from autograder.show.pages import course as pages
    from autograder.show.terminal import course_table

    course = opened_course(folder)
    made = course_grades.of_course(course, missing_as_zero)

    out = sys.stderr if json == "-" else sys.stdout
    if json is not None:
        put(json, [course_json.text(made)], out)
    path = pages.write(course, made)

    course_table.exercises(made, out)
    print(file=out)
    course_table.students(made, out)
    print(f"wrote {short(path)}", file=out)

    log.write_final(course, "report", made.final_scores())
    finish(made.troubles)

"""``autograder report``: how the class does, in one exercise or in the whole course."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from autograder.base.errors import Unusable
from autograder.base.text import short
from autograder.commands.common import (
    CourseFolder,
    ExerciseOrCourse,
    JsonOutput,
    finish,
    opened,
    opened_course,
)
from autograder.course import log


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
    with JsonOutput(json) as output:
        if exercise_name is None:
            _report_course(course_folder, output, missing_as_zero)
        elif missing_as_zero:
            raise Unusable("--missing-as-zero", "is for the whole course", "leave the exercise out")
        else:
            _report_exercise(course_folder, exercise_name, output)


def _report_exercise(folder: Path | None, name: str, output: JsonOutput) -> None:
    from autograder.course.gradebook import final_grades
    from autograder.course.reports import report as reports
    from autograder.show.pages import report as pages
    from autograder.show.terminal import class_tables

    course, exercise = opened(folder, name)
    class_grades = final_grades.of_class(course, exercise)
    made = reports.of_class(course, class_grades)

    output.put([made.to_json() + "\n"])
    path = pages.write(course, made)

    out = output.out
    print(exercise.title, file=out)
    class_tables.students(made.students, out)
    print(file=out)
    class_tables.checks(made, out)
    class_tables.next_steps(made, out)
    print(f"wrote {short(path)}", file=out)

    log.write_final(course, f"report {name}", class_grades.final_scores())
    finish(class_grades.troubles.lines)


def _report_course(folder: Path | None, output: JsonOutput, missing_as_zero: bool) -> None:
    from autograder.course.gradebook import course_grades
    from autograder.show.pages import course as pages
    from autograder.show.terminal import course_table

    course = opened_course(folder)
    made = course_grades.of_course(course, missing_as_zero)

    output.put([course_grades.to_json(made)])
    path = pages.write(course, made)

    out = output.out
    course_table.exercises(made, out)
    print(file=out)
    course_table.students(made, out)
    print(f"wrote {short(path)}", file=out)

    log.write_final(course, "report", made.final_scores())
    finish(made.troubles)

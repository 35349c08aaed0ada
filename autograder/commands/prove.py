"""``autograder prove``: for whoever writes an exercise."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from autograder.base.errors import Unusable
from autograder.commands.common import CourseFolder, ExerciseName, JsonOutput, opened
from autograder.exercises.sources import authored_at

if TYPE_CHECKING:
    from autograder.course.course import Course
    from autograder.exercises.exercise import Exercise


def prove(
    exercise_name: ExerciseName,
    cover: Annotated[
        bool,
        typer.Option(
            "--cover", help="show which input that a docstring allows occurs in which check"
        ),
    ] = False,
    answers: Annotated[
        Optional[Path],
        typer.Option(metavar="FILE", help="grade the wrong and right answers in this file instead"),
    ] = None,
    keys: Annotated[
        int, typer.Option(min=1, metavar="N", help="draw the random inputs so many times")
    ] = 20,
    jobs: Annotated[
        Optional[int], typer.Option(min=1, metavar="N", help="processes; default: all cores")
    ] = None,
    json: Annotated[
        Optional[str],
        typer.Option(metavar="FILE", help="the same as JSON; - is standard output"),
    ] = None,
    course_folder: CourseFolder = None,
) -> None:
    """Try the checks on misconceptions, on unusual right answers, on what docstrings promise."""
    with JsonOutput(json) as output:
        if cover and answers is not None:
            raise Unusable("--cover and --answers", "are two things to look at", "give one of them")
        course, exercise = opened(course_folder, exercise_name)
        if cover:
            problems = _cover(course, exercise, keys, output)
        elif answers is not None:
            problems = _answers(course, exercise, answers, output)
        else:
            problems = _prove(course, exercise, keys, jobs or os.cpu_count() or 1, output)
    raise typer.Exit(1 if problems else 0)


def _prove(
    course: Course, exercise: Exercise, keys: int, jobs: int, output: JsonOutput
) -> list[str]:
    from autograder.authoring import grading
    from autograder.authoring.proving import coverage, proof
    from autograder.show.terminal import class_tables, kill_matrix

    size = proof.size(course.root, exercise)
    covered = coverage.measure(course.root, exercise, range(keys))
    with class_tables.progress(f"proving {exercise.name}", size, output.out) as tick:
        proved = proof.prove(course.root, exercise, range(keys), jobs, tick)
    right = [trial.answer for trial in proved.right]
    refused = grading.refused(exercise, right, course.settings)
    proved = replace(proved, refused=tuple(refused), coverage=covered)

    output.put([proved.to_json()])
    kill_matrix.show(proved, output.out)
    return proved.problems()


def _cover(course: Course, exercise: Exercise, keys: int, output: JsonOutput) -> list[str]:
    from autograder.authoring.proving import coverage
    from autograder.show.terminal import kill_matrix

    covered = coverage.measure(course.root, exercise, range(keys))
    if covered is None:
        path = authored_at(course.root, exercise.name)
        raise Unusable(
            path,
            f"no {coverage.PROMISES}",
            "declare in its oracles which inputs the docstrings allow, as in docs/authoring.md",
        )
    output.put([covered.to_json()])
    kill_matrix.show_coverage(covered, output.out)
    return covered.problems()


def _answers(course: Course, exercise: Exercise, file: Path, output: JsonOutput) -> list[str]:
    from autograder.authoring import fresh_answers
    from autograder.show.terminal import class_tables
    from autograder.show.terminal import fresh_answers as table

    found = fresh_answers.read(file, exercise)
    with class_tables.progress(f"grading {file.name}", len(found), output.out) as tick:
        graded = fresh_answers.grade(exercise, found, course.settings, tick)
    output.put([graded.to_json()])
    table.show(graded, output.out)
    return graded.problems()

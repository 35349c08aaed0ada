"""``autograder score``: one notebook, for a teacher or a pipeline."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from autograder.base.errors import Unusable
from autograder.base.text import count, points
from autograder.commands.common import (
    CourseFolder,
    Isolation,
    JsonOutput,
    Notebook,
    OfExercise,
    course_for,
    exercise_of,
    isolated,
    stop,
)

if TYPE_CHECKING:
    from pathlib import Path

    from autograder.base.result import Result
    from autograder.course.course import Course
    from autograder.exercises.exercise import Exercise


def score(
    notebook: Notebook,
    json: Annotated[
        Optional[str], typer.Option(metavar="FILE", help="the result as JSON; - is stdout")
    ] = None,
    min_score: Annotated[
        Optional[float], typer.Option(metavar="P", help="exit with 1 below so many points")
    ] = None,
    exercise_name: OfExercise = None,
    isolation: Isolation = None,
    course_folder: CourseFolder = None,
) -> None:
    """Run all checks on one submission."""
    with JsonOutput(json) as output:
        if min_score is not None and not 0 <= min_score < math.inf:
            raise Unusable(
                f"--min-score {min_score:g}",
                "is no number of points",
                "write 0 or more, like --min-score 60",
            )
        course = isolated(course_for(course_folder, notebook), isolation)
        exercise, result = _graded(course, notebook, exercise_name)
        output.put([result.to_json() + "\n"])
        if result.status == "rejected":
            raise Unusable(notebook, result.reason or "")
    if result.status == "error":
        stop(str(result.reason), 3)

    from autograder.show.terminal import github_actions, score_table
    from autograder.show.terminal.console import console, say

    screen = console(output.out)
    say(screen, exercise.title)
    score_table.show(screen, result)
    score_table.total(screen, result)
    hidden = count(sum(check.hidden for check in result.checks), "hidden check")
    about_hidden = f"What became of the {hidden} is not shown here"
    github_actions.publish(result, about_hidden, notebook, output.out)
    if not course.has_secret():
        note = "note: the next run draws other random inputs; AUTOGRADER_SECRET=… keeps them"
        say(console(sys.stderr), note)

    if min_score is not None and (result.score or 0) < min_score:
        print(f"below {points(min_score)}", file=output.out)
        raise typer.Exit(1)


def _graded(course: Course, notebook: Path, name: str | None) -> tuple[Exercise, Result]:
    import secrets

    from autograder.sandbox.parent_process import start_early

    # The order matters. The parent of the workers loads NumPy, and so does this process. The parent
    # starts before the imports below, so that both load at once.
    start_early(course.settings.isolation)

    from autograder.grader.apart import apart
    from autograder.grader.grader import Grader
    from autograder.sandbox.cpu_affinity import stay_here
    from autograder.submissions.notebook import Rejected, read

    try:
        data, unreadable = read(notebook), None
    except Rejected as rejected:
        data, unreadable = b"", str(rejected)
    exercise = exercise_of(course, notebook, data, name)

    secret = course.secret() if course.has_secret() else secrets.token_bytes(32)
    with Grader(exercise, secret, course.settings) as grader:
        stay_here()
        if unreadable:
            return exercise, grader.rejected(data, None, unreadable)
        return exercise, apart(lambda: grader.grade(data, None).result)

"""``autograder explain``: why a student's checks came to what they did, for an appeal."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from autograder.base.errors import Unusable
from autograder.base.text import inert, listed, meant, short
from autograder.commands.common import CourseFolder, ExerciseName, opened


def explain(
    exercise_name: ExerciseName,
    student: Annotated[str, typer.Argument(metavar="STUDENT", help="the id")],
    what: Annotated[
        Optional[str],
        typer.Argument(
            metavar="[CHECK]",
            help="such as softmax-rows_sum_to_one; or a step, such as softmax: its checks that "
            "lost points; without it: a list of all that lost points",
        ),
    ] = None,
    course_folder: CourseFolder = None,
) -> None:
    """Show what a check asked a student's code, their answer and the right one."""
    from autograder.commands.students import graded_result
    from autograder.course.gradebook import versions
    from autograder.course.gradebook.versions import submission_of
    from autograder.grader.apart import apart
    from autograder.grader.explanation import explain as explained
    from autograder.show.terminal import explanation as shown
    from autograder.show.terminal import lost_points

    course, now = opened(course_folder, exercise_name)
    result = graded_result(course, now.name, student)
    if what is None:
        for line in lost_points.of_result(result):
            print(inert(line))
        return

    exercise = versions.exercise_of(course, result, now)
    checks = {check.id: check for check in exercise.checks}
    graded = {id: check for id, check in result.by_id.items() if id in checks}
    if what in exercise.steps:
        wanted = lost_points.ids_of(result, what)
        if not wanted:
            print(inert(lost_points.none_in_step(result, what)))
            return
    elif what in graded:
        wanted = [what]
    else:
        there = meant(what, [*exercise.steps, *graded], f"there are {listed(graded)}")
        raise Unusable(what, "no such check or step was graded", there)

    if graded[wanted[0]].void:
        print(f"{what}: counts in full for everybody, and is not run")
        return
    if not course.has_secret():
        path = course.state / "secret"
        raise Unusable(path, "is gone, and with it the random inputs", "put a back-up there")
    submission = submission_of(course, exercise, result)
    if submission is None:
        folder = short(course.submission(student, now.name))
        raise Unusable(folder, "what was graded is no longer there", "put that file back")

    settings = versions.settings_of(course, result)
    differences = list(versions.differences(course, now, result))

    def lines() -> list[str]:
        found = []
        for id in wanted:
            found.append(explained(exercise, submission, checks[id], course.secret(), settings))
        if len(found) == 1:
            return list(shown.lines(found[0], result, graded[wanted[0]], differences))
        return list(shown.step_lines(found, result, differences))

    for line in apart(lines):
        print(inert(line))

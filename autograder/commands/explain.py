"""``autograder explain``: one check of one student, for an appeal."""

from __future__ import annotations

from typing import Annotated

import typer

from autograder.commands.common import CourseFolder, ExerciseName, opened
from autograder.errors import Unusable
from autograder.text import inert, listed, short


def explain(
    exercise_name: ExerciseName,
    student: Annotated[str, typer.Argument(metavar="STUDENT", help="the id")],
    check_id: Annotated[
        str, typer.Argument(metavar="CHECK", help="such as softmax-rows_sum_to_one")
    ],
    course_folder: CourseFolder = None,
) -> None:
    """Show what a check asked a student's code, their answer and the right one."""
    from autograder.course import STUDENT_ID
    from autograder.engine.apart import apart
    from autograder.engine.explanation import explain as explained
    from autograder.grading import versions
    from autograder.grading.submitted import submission_of
    from autograder.results import stored_result
    from autograder.terminal import explanation as shown

    course, now = opened(course_folder, exercise_name)
    result = stored_result(course, now.name, student) if STUDENT_ID.match(student) else None
    if result is None:
        where = short(course.results / now.name)
        raise Unusable(f"{where}: no result of {student!r}; run autograder grade {now.name}")
    if result.status != "graded":
        raise Unusable(f"{student}: {result.status}, so no check was run: {result.reason}")

    exercise = versions.exercise_of(course, result, now)
    graded = result.by_id.get(check_id)
    checks = {check.id: check for check in exercise.checks}
    if graded is None or check_id not in checks:
        raise Unusable(f"{check_id}: no such check was graded; there are {listed(checks)}")
    if graded.void:
        print(f"{check_id}: counts in full for everybody, and is not run")
        return
    if not course.has_secret():
        path = course.state / "secret"
        raise Unusable(f"{path}: is gone, and with it the random inputs; put a back-up there")
    submission = submission_of(course, exercise, result)
    if submission is None:
        folder = short(course.submission(student, now.name))
        raise Unusable(f"{folder}: what was graded is no longer there; put that file back")

    settings = versions.settings_of(course, result)
    differences = list(versions.differences(course, now, result))

    def lines() -> list[str]:
        found = explained(exercise, submission, checks[check_id], course.secret(), settings)
        return list(shown.lines(found, result, graded, differences))

    for line in apart(lines):
        print(inert(line))

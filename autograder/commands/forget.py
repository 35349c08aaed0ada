"""``autograder forget``: a person is removed from a course."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from autograder.base.text import count, inert
from autograder.commands.common import CourseFolder, course_at
from autograder.course import log

if TYPE_CHECKING:
    from autograder.course.course import Course


def forget(
    student: Annotated[str, typer.Argument(metavar="STUDENT", help="the id")],
    yes: Annotated[
        bool, typer.Option("--yes", help="do not ask; nothing is asked without a terminal either")
    ] = False,
    course_folder: CourseFolder = None,
) -> None:
    """Remove a student from everywhere in the course, for good, and say from where."""
    from autograder.course.keeping import forget as forgetting

    course = course_at(course_folder)
    if not yes and not _is_meant(course, student):
        print(inert(f"nothing was removed of {student}"))
        raise typer.Exit(1)
    done = forgetting.forget(course, student)
    for place in done.removed:
        print(inert(f"removed: {' '.join(place.split())}"))
    for line in done.left:
        print(inert(f"left: {' '.join(line.split())}"))
    print("left: back-ups, and whatever was uploaded or sent from here; they are out of reach")
    log.write(course, "forget")


def has_terminal() -> bool:
    """Whether somebody sits there who reads a question and can answer it."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def _is_meant(course: Course, student: str) -> bool:
    """Ask once on a terminal, with what would go; scripts have nobody to ask."""
    from autograder.commands.students import known

    people = known(course)
    if student not in people or not has_terminal():
        return True
    handed_in = count(len(list(course.submitted.glob(f"{student}/*/"))), "submission")
    graded = count(len(list(course.results.glob(f"*/{student}.json"))), "result")
    who = f"{student} ({people[student]})" if people[student] else student
    what = f"{handed_in}, {graded}, marks, pages, and their line of the class list"
    try:
        answer = input(inert(f"forget {who} for good, with {what}? [yes/no] "))
    except EOFError:
        return False
    return answer.strip().casefold() in ("y", "yes")

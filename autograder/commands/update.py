"""``autograder update``: what is newer in the kit, into a course."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from autograder.base.errors import Unusable
from autograder.base.text import agreeing, count, listed
from autograder.commands.common import CourseFolder, course_at


def update(
    check: Annotated[
        bool, typer.Option("--check", help="only say what is newer, and what it would change")
    ] = False,
    course_folder: CourseFolder = None,
) -> None:
    """Take exercises that are newer in the kit, and say what is no longer graded as it was.

    What you have changed yourself stays as it is. With --check it exits with 1 where something is
    newer.
    """
    from autograder.course.gradebook import versions
    from autograder.course.new_course import copies
    from autograder.exercises import exercise

    course = course_at(course_folder)
    found = copies.compared(course.root)
    newer = copies.named(found, "newer")
    for name in newer:
        print(f"{'newer in the kit' if check else 'updated'}: {name}")
    for name in copies.named(found, "changed in both"):
        print(f"changed here and in the kit: {name}; yours stays, compare it with {copies.kit()}")
    if not check:
        copies.follow(course.root, found)

    for name in exercise.built_names(course.root):
        try:
            built = exercise.load(course.root, name)
        except Unusable as error:
            print(f"note: {error}", file=sys.stderr)
            continue
        for when, what, number in versions.since(course, built):
            of_whom = f" for {count(number, 'student')}" if number else ""
            is_again = f"; autograder grade {name} grades them again" if number else ""
            print(
                f"{name}: the {listed(what)} {agreeing(len(what), 'has', 'have')} changed since it "
                f"was {when}{of_whom}{is_again}"
            )
    if not newer:
        print("nothing is newer in the kit")
    raise typer.Exit(1 if check and newer else 0)

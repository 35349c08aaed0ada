"""``autograder feedback``: a page for each student."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from autograder.base.errors import Unusable
from autograder.base.text import agreeing, count, first_of, short
from autograder.commands.common import CourseFolder, ExerciseName, finish, opened
from autograder.course import log
from autograder.course.troubles import Troubles

NAMED = 5
"""So many students are named in a line."""


def feedback(
    exercise_name: ExerciseName,
    archive: Annotated[
        Optional[Path],
        typer.Option("--zip", metavar="FILE", help="also all pages, to upload to Moodle or Canvas"),
    ] = None,
    course_folder: CourseFolder = None,
) -> None:
    """Write a page for each student."""
    from autograder.course.gradebook import final_grades, marks
    from autograder.course.results import folder_of
    from autograder.show.pages import feedback as pages
    from autograder.show.pages import feedback_zip

    course, exercise = opened(course_folder, exercise_name)
    name = exercise.name

    troubles = Troubles()
    changed: list[str] = []
    paths = pages.write_class(course, exercise, troubles=troubles, changed=changed)
    if not paths and not troubles:
        folder = folder_of(course, name)
        raise Unusable(folder, "no results yet", f"run autograder grade {name}")
    pattern = f"{short(course.feedback)}/<student>/{name}/{name}.html"
    print(f"wrote {count(len(paths), 'page')}, as {pattern}")

    if archive is not None:
        named = feedback_zip.write(course, exercise, paths, archive, troubles)
        kinds = ", ".join(f"{number} {kind}" for kind, number in named.items())
        print(f"wrote {short(archive)}: {kinds}")

    if changed:
        those = agreeing(len(changed), "page says", "pages say")
        are = agreeing(len(changed), "is", "are")
        what = f"other points than before, or {are} about another file"
        again = "hand them out again, with nbgrader release_feedback or --zip"
        print(f"{len(changed)} {those} {what} ({first_of(changed, NAMED)}): {again}")
    scores = final_grades.of_class(course, exercise).final_scores()
    log.write(course, f"feedback {name}", pages=len(paths), **log.final(course, scores))
    students = marks.unmarked(course, name)
    if students:
        print(f"note: {marks.unmarked_line(students)}")
    finish(troubles.lines)

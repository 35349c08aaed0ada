"""``autograder backup``: a course in one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autograder.base.text import short
from autograder.commands.common import CourseFolder, course_at
from autograder.course import log


def backup(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="such as course-2026-12-01.tar.gz")],
    course_folder: CourseFolder = None,
) -> None:
    """Write the whole course into one file, secret included."""
    from autograder.course.keeping import backup as backups

    course = course_at(course_folder)
    notes = backups.write(course, path)
    print(f"wrote {short(path)}: {backups.size(path)}; keep it as safe as the secret in it")
    for note in notes:
        print(f"note: {note}")
    log.write(course, f"backup {path.name}")

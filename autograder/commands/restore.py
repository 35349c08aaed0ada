"""``autograder restore``: a course out of a back-up."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autograder.base.text import count, short
from autograder.commands.common import CourseFolder
from autograder.course import log


def restore(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="what autograder backup wrote")],
    course_folder: CourseFolder = None,
) -> None:
    """Restore a course from a back-up, where nothing is in its place."""
    from autograder.course.course import find
    from autograder.course.keeping import backup as backups

    course = find(course_folder, new=True)
    state, *around = backups.restore(course, path)
    also = f", and {count(len(around), 'file')} around it" if around else ""
    print(f"restored {short(state)}{also}")
    log.write(course, f"restore {path.name}")

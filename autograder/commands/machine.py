"""``lab`` and ``doctor``: this machine."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from autograder.base.errors import Unusable
from autograder.base.text import count, points
from autograder.commands.common import CourseFolder, course_at
from autograder.sandbox import levels

if TYPE_CHECKING:
    from autograder.course.course import Course


def lab(
    options: Annotated[
        Optional[list[str]], typer.Argument(metavar="[JUPYTER...]", help="for jupyter lab")
    ] = None,
    course_folder: CourseFolder = None,
) -> None:
    """Open JupyterLab with nbgrader's formgrader on the course."""
    from autograder.nbgrader import lab as jupyterlab

    jupyterlab.serve(course_at(course_folder), options or [])


def doctor(course_folder: CourseFolder = None) -> None:
    """Say what this machine can do: isolation level, versions, paths."""
    for name, finding in _findings(course_at(course_folder)):
        print(f"{name:<24} {finding}")


NEEDED = {
    "numpy": "run make setup, or pip install numpy",
    "nbgrader": "teachers need it: run make setup",
    "jupyterlab": "run make setup, or pip install jupyterlab",
    "nbformat": "teachers need it: run make setup",
    "jupytext": "only to open percent scripts as notebooks: pip install jupytext",
    "matplotlib": "for the pictures of the notebook: run make setup, or pip install matplotlib",
    "sqlalchemy": "teachers need it: run make setup",
}
"""What to do where a package is not installed, by its name."""


def _findings(course: Course) -> Iterator[tuple[str, str]]:
    """Pairs of what was looked at and what was found."""
    from importlib import metadata

    from autograder.course.course import existing
    from autograder.exercises import exercise

    yield "system", f"{platform.system()} {platform.release()}, Python {platform.python_version()}"

    for level in levels.LEVELS:
        yield f"isolation {level.name}", _works(level.name)
    yield "to raise the level", _advice()
    asked = course.settings.isolation
    mistake = "" if levels.known(asked) else ": no such level; correct autograder.toml"
    yield "level asked for", f"{asked}{mistake}"

    for package, repair in NEEDED.items():
        try:
            yield package, metadata.version(package)
        except metadata.PackageNotFoundError:
            yield package, f"not installed; {repair}"

    names = exercise.built_names(course.root)
    yield "exercises", ", ".join(names) or f"none in {course.root / 'solutions'}"
    for name in names:
        yield f"exercise {name}", _built(course, name)

    nearest = existing(course.state)
    is_writable = os.access(nearest, os.W_OK)
    state = "can be written" if is_writable else f"cannot be written: {nearest}"
    yield "course", f"{course.state} ({state})"
    yield "secret", "there" if course.has_secret() else "drawn when the class is first graded"
    # nbgrader calls it by name to set up its gradebook.
    has_alembic = (Path(sys.executable).parent / "alembic").exists()
    yield "alembic", "there" if has_alembic else "not installed; teachers need it: run make setup"


def _works(level: str) -> str:
    """Whether a worker starts at this level, and what of the self-test it prevents."""
    from autograder.engine import selftest
    from autograder.sandbox.parents import EngineFault, start_parent

    try:
        parent = start_parent(level)
        try:
            attempts = selftest.examine(parent)
        finally:
            parent.close()
    except (EngineFault, Unusable, OSError) as fault:
        return f"does not work: {fault}"

    possible = [finding.attempt for finding in attempts if not finding.prevented]
    if not possible:
        return f"works: all {len(attempts)} attempts of the self-test were prevented"
    return f"works, but student code can {', '.join(possible)}"


def _advice() -> str:
    """The one command that would raise the level which this machine reaches."""
    if sys.platform != "linux":
        return "pip install 'autograder-kit[wasm]', or grade on Linux or WSL2"
    if not levels.BUBBLEWRAP.is_installed:
        return "sudo apt-get install bubblewrap"
    restricted = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
    is_restricted = restricted.is_file() and restricted.read_text().strip() == "1"
    if is_restricted and not _works(levels.BUBBLEWRAP.name).startswith("works:"):
        return "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
    return "nothing to do"


def _built(course: Course, name: str) -> str:
    from autograder.exercises import exercise

    try:
        loaded = exercise.load(course.root, name)
    except Unusable as error:
        return str(error)
    steps, checks = count(len(loaded.functions), "step"), count(len(loaded.checks), "check")
    return f"{steps}, {checks}, {points(loaded.max_score)}"

"""``lab``, ``doctor``, ``serve``, ``site``: what this machine runs, and what it can do."""

from __future__ import annotations

import os
import platform
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from autograder.base.errors import Unusable
from autograder.base.text import agreeing, count, listed, points
from autograder.commands.common import CourseFolder, Jobs, course_at, opened_course
from autograder.sandbox import levels

if TYPE_CHECKING:
    from autograder.course.course import Course
    from autograder.exercises.exercise import Exercise


def lab(
    options: Annotated[
        Optional[list[str]], typer.Argument(metavar="[JUPYTER...]", help="options for jupyter lab")
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


def serve(
    exercise_names: Annotated[
        Optional[list[str]],
        typer.Argument(metavar="[EXERCISE]...", help="default: all that are built"),
    ] = None,
    jobs: Jobs = None,
    once: Annotated[
        bool, typer.Option("--once", help="end as soon as nothing waits any more")
    ] = False,
    status: Annotated[
        bool, typer.Option("--status", help="only say what is served, and how much was graded")
    ] = False,
    course_folder: CourseFolder = None,
) -> None:
    """Collect and grade submissions as they arrive, and give pages back."""
    from autograder.course.grading.pool import start_early
    from autograder.exercises import exercise as exercises
    from autograder.exercises.exercise import built_names

    course = opened_course(course_folder)
    processes = jobs or os.cpu_count() or 1
    names = exercise_names or built_names(course.root)
    if not names:
        raise Unusable(course.root / "solutions", "no built exercise", "run autograder build there")
    if status:
        _say_status(course, names)
        return

    start_early(processes, course.settings.isolation)
    from autograder.serving.service import Service

    def opened() -> tuple[Course, list[Exercise]]:
        now = opened_course(course_folder)
        return now, [exercises.load(now.root, name) for name in names]

    service = Service(opened, processes, lambda line: print(line, flush=True))
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, service.stop)
    service.run(until_idle=once)
    if not once:
        print("stopped; whatever waits is graded when autograder serve starts again")


def _say_status(course: Course, names: list[str]) -> None:
    from autograder.serving import lease

    idle = []
    for name in names:
        known = lease.look(course, name)
        if known is None:
            idle.append(name)
            continue
        is_served, said = known
        graded = f"{count(said.graded, 'submission')} graded"
        last = f", the last at {said.last}" if said.last else ""
        if is_served:
            waiting = f", {said.waiting} waiting" if said.waiting else ""
            who = f"process {said.process} on {said.machine}"
            print(f"{name}: served since {said.since} by {who}; {graded}{waiting}{last}")
        else:
            ended = f"stopped at {said.stopped}" if said.stopped else "ended without a word"
            print(f"{name}: not served; {ended}; {graded}{last}")
    if idle:
        print(f"{listed(idle)}: {agreeing(len(idle), 'was', 'were')} never served")


def site(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="a new or empty folder, or a site to replace")
    ],
    exercise_names: Annotated[
        Optional[list[str]], typer.Argument(metavar="[EXERCISE...]", help="default: all")
    ] = None,
    archive: Annotated[
        Optional[Path],
        typer.Option(
            "--pyodide",
            metavar="FILE",
            help="a full release of Pyodide; the site then loads nothing from other servers",
        ),
    ] = None,
    course_folder: CourseFolder = None,
) -> None:
    """Build a web site in which students work in their browser, with nothing to install."""
    from autograder.exercises import exercise
    from autograder.nbgrader import exchange
    from autograder.show.pages import site as pages

    course = opened_course(course_folder)
    names = list(dict.fromkeys(exercise_names or exercise.built_names(course.root)))
    if not names:
        raise Unusable(f"{course.root / 'solutions'}: no exercises; run autograder build")
    folder = folder.absolute()
    pages.insist(folder, archive)

    exercises = []
    content: dict[str, bytes] = {}
    for name in names:
        if name.endswith(".ipynb"):
            known, found = exchange.from_release(course, Path(name))
        else:
            known = exercise.load(course.root, name)
            found = exchange.for_students(course, known)
        exercises.append(known)
        for place, data in found.items():
            if content.setdefault(place, data) != data:
                raise Unusable(f"{name}: another exercise has a file {place}, too; leave one out")
    for line in pages.write(folder, course, exercises, content, archive):
        print(line)

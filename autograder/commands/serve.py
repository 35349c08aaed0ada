"""``serve``: submissions are graded as they come."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from autograder.base.errors import Unusable
from autograder.base.text import agreeing, count, listed
from autograder.commands.common import CourseFolder, Jobs, opened_course

if TYPE_CHECKING:
    from autograder.course.course import Course
    from autograder.exercises.exercise import Exercise


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
    """Take in, grade and give back what is handed in, as it comes."""
    from autograder.exercises import exercise as exercises
    from autograder.exercises.exercise import built_names

    course = opened_course(course_folder)
    names = exercise_names or built_names(course.root)
    if not names:
        raise Unusable(course.root / "solutions", "no built exercise", "run autograder build there")
    if status:
        _say_status(course, names)
        return

    from autograder.serving.service import Service

    def opened() -> tuple[Course, list[Exercise]]:
        now = opened_course(course_folder)
        return now, [exercises.load(now.root, name) for name in names]

    service = Service(opened, jobs or os.cpu_count() or 1, lambda line: print(line, flush=True))
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

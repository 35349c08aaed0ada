"""One notebook: check for its student, score for a teacher or a pipeline."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Optional

import typer

from autograder.commands.common import (
    CourseFolder,
    Isolation,
    Notebook,
    course_at,
    exercise_of,
    isolated,
    read_notebook,
    stop,
)
from autograder.errors import Unusable, with_repair
from autograder.terminal.json_output import put, writable


def check(notebook: Notebook, course: CourseFolder = None) -> None:
    """Run the visible checks of a student's notebook.

    Needs nothing but the notebook, and locks its code in where this system can. Exits with 1 while a check fails.
    """
    from autograder import confined

    # It loads what it needs while this process does the same.
    process = confined.Confined() if hasattr(os, "fork") else None
    from autograder import student_copy
    from autograder.terminal import github_actions, score_table
    from autograder.terminal.console import console, say

    copy = student_copy.read(read_notebook(notebook), str(notebook), notebook.stem)
    result, reason = confined.checked(copy, process)
    screen = console()
    score_table.show(screen, result)
    score_table.next_for_student(screen, result)
    say(screen, f"{copy.waiting}.")
    github_actions.publish(result, copy.waiting, notebook, sys.stdout)
    if reason:
        say(console(sys.stderr), f"note: {notebook}: {confined.UNLOCKED.format(reason=reason)}")
    raise typer.Exit(0 if all(check.status == "passed" for check in result.checks) else 1)


def score(
    notebook: Notebook,
    json: Annotated[Optional[str], typer.Option(metavar="FILE", help="the result as JSON; - is stdout")] = None,
    min_score: Annotated[Optional[float], typer.Option(metavar="P", help="exit with 1 below so many points")] = None,
    isolation: Isolation = None,
    course: CourseFolder = None,
) -> None:
    """Run all checks on one submission."""
    import secrets

    from autograder.engine.sandbox.parent_process import start_early

    where = isolated(course_at(course), isolation)
    writable(json)
    # First, so that NumPy loads there and here at once.
    start_early(where.settings.isolation)
    from autograder.engine.grader import Grader
    from autograder.engine.sandbox.cpu_affinity import stay_here
    from autograder.submissions.notebook import Rejected, read
    from autograder.terminal import github_actions, score_table
    from autograder.terminal.console import console, say

    try:
        data, unreadable = read(notebook), None
    except Rejected as rejected:
        data, unreadable = b"", str(rejected)
    exercise = exercise_of(where, notebook, data)
    secret = where.secret() if where.has_secret() else secrets.token_bytes(32)
    with Grader(exercise, secret, where.settings) as grader:
        stay_here()
        result = grader.rejected(data, None, unreadable) if unreadable else grader.grade(data, None).result
    out = sys.stderr if json == "-" else sys.stdout
    put(json, [result.to_json() + "\n"], out)
    if result.status == "rejected":
        raise Unusable(f"{notebook}: {with_repair(str(result.reason), 'ask the student for it again')}")
    if result.status == "error":
        stop(str(result.reason), 3)
    screen = console(out)
    score_table.show(screen, result)
    score_table.total(screen, result)
    hidden = sum(check.hidden for check in result.checks)
    github_actions.publish(result, f"What became of the {hidden} hidden checks is not shown here", notebook, out)
    if not where.has_secret():
        say(console(sys.stderr), "note: the next run draws other random inputs; AUTOGRADER_SECRET=… keeps them")
    if min_score is not None and (result.score or 0) < min_score:
        print(f"below {min_score:g} points", file=out)
        raise typer.Exit(1)

"""``check`` and ``watch``: a student's own notebook."""

from __future__ import annotations

import signal
import sys
from typing import Annotated

import typer

from autograder.base.errors import Interrupted
from autograder.base.text import inert
from autograder.commands.common import CourseFolder, Notebook, OfExercise


def check(
    notebook: Notebook,
    exercise_name: OfExercise = None,
    hints: Annotated[
        int,
        typer.Option(
            help="1: a question, 2: also where to look, 3: also nearly the line", min=1, max=3
        ),
    ] = 1,
    course_folder: CourseFolder = None,
) -> None:
    """Run the visible checks of a student's notebook.

    Needs only the notebook. If this system allows it, the notebook's code runs isolated. Exits
    with 1 while a check fails or, in a notebook of questions, while an answer is missing.
    """
    # The order matters: what is started here loads NumPy and the engine during the imports below.
    from autograder.checking import confined

    confined.start_early()

    from autograder.checking import own_answers, student_copy

    try:
        copy = student_copy.of_file(notebook, exercise_name)
    except own_answers.OnlyHidden as only:
        if not only.said:
            raise
        for line in only.said:
            print(inert(line))
        raise typer.Exit(0 if only.is_ready else 1) from None
    checking = confined.Checking(copy)

    from autograder.checking import waiting
    from autograder.show.terminal import github_actions, score_table
    from autograder.show.terminal.console import console, say, wait

    wait(checking.wait, "running the checks, of which a call may take 5 s", sys.stderr)
    result, reason = checking.result()
    waits = waiting.waits(copy, result)

    screen = console()
    say(screen, copy.exercise.title)
    score_table.show(screen, result, waits, hints=hints)
    if copy.changed:
        say(screen, f"note: {copy.about_changes}.")
    say(screen, waiting.points_so_far(result, waits))
    score_table.next_for_student(screen, result)
    say(screen, f"{copy.about_hidden}.")
    if copy.due:
        say(screen, f"due {copy.due}, as it was handed out")
    github_actions.publish(result, copy.about_hidden, notebook, sys.stdout, waits)
    if reason:
        say(console(sys.stderr), f"note: {notebook}: {confined.UNLOCKED.format(reason=reason)}")

    raise typer.Exit(0 if all(check.status == "passed" for check in result.checks) else 1)


def watch(notebook: Notebook, exercise_name: OfExercise = None) -> None:
    """Run the visible checks of a notebook or script whenever it is saved.

    Shows what to do first. The key h shows a hint, and again the next hint; l lists the steps; q
    quits. Ends by itself when all visible checks pass. Without a terminal there are no keys.
    """
    from autograder.checking import confined

    # As in `check`: it loads during the imports below.
    confined.start_early()

    from autograder.checking import watch as loop

    try:
        loop.watch(notebook, exercise_name)
    except Interrupted as interrupted:
        # The usual way to leave a program that goes on for ever.
        if interrupted.number != signal.SIGINT:
            raise
    except BrokenPipeError:
        pass  # nobody reads what it prints any more

"""``autograder watch``: the visible checks at every save, for who likes a terminal."""

from __future__ import annotations

import signal

from autograder.base.errors import Interrupted
from autograder.commands.common import Notebook, OfExercise


def watch(notebook: Notebook, exercise_name: OfExercise = None) -> None:
    """Run the visible checks of a notebook or script whenever it is saved.

    Shows the first thing to do; h shows a hint, l the list of steps, q ends it. Ends by itself when
    all visible checks pass. Without a terminal it prints, and has no keys.
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

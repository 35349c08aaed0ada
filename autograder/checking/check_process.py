"""The process that runs the visible checks of a notebook: it locks itself in, and answers once.

It starts while the command that will use it is still loading, so imports here are in the order in
which they are needed. The parent of its workers is forked from it, which halves the time for
loading NumPy. That is why these workers are locked in by Landlock, like this process, even if there
is bubblewrap: no grade is at stake, and their grader is no safer than they are.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

import autograder
from autograder.base.errors import Unusable
from autograder.sandbox.worker import boot

if TYPE_CHECKING:
    from autograder.sandbox.supplies import Supplies
    from autograder.sandbox.worker.locks import Lock

ALLOWED = {"open a local socket", "find open descriptors", "import the grader"}
"""What this process must be able to do for its workers, although student code must not."""


def serve(descriptor: int, path: list[str]) -> None:
    """Be that process, and end it.

    Args:
        path: the module search path that it would have by itself.
    """
    # Python's own exception may be lost if it is raised while a module loads.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        _answer(descriptor, path)
    finally:
        # At once, whatever has happened: the parent of the workers ends after this process.
        os._exit(0)


def _answer(descriptor: int, path: list[str]) -> None:
    if sys.platform == "linux":
        boot.load(boot.SETUP)
        from autograder.sandbox import parents

        # The parent of the student's workers, which loads NumPy once for both.
        parents.keep_early(parents.ForkedParent(path))

    # Only now, while that parent gets ready: this takes as long.
    from autograder.base.settings import Settings
    from autograder.exercises.cell_code import setup_problem
    from autograder.grader.grader import Grader
    from autograder.sandbox import supplies
    from autograder.sandbox.cores import stay_here

    gc.freeze()
    gc.enable()  # only now: loading makes no garbage, and collections take time
    connection = Connection(descriptor)
    exercise, data, folder, packages = connection.recv()
    isolation = "auto" if folder or packages else "landlock"
    settings = Settings(isolation=isolation, packages=packages)
    problem = setup_problem(exercise)
    if problem:
        connection.send_bytes(json.dumps({"problem": problem}).encode())
        return
    if folder is not None:
        os.chdir(folder)  # which a locked process cannot

    try:
        lock = _lock(supplies.of(folder, settings.packages))
        grader = Grader(exercise, b"", settings, folder=folder)
    except (Unusable, OSError) as error:
        level = replace(settings, isolation="process")
        grader = Grader(exercise, b"", level, folder=folder)
        reason = " ".join(str(error).split())
    else:
        stay_here()
        os.environ.clear()
        lock.worker(
            [descriptor, *grader.descriptors], settings.memory_mb, settings.submission_seconds
        )
        reason = _open_doors()

    result = grader.grade(data, None).result
    connection.send_bytes(json.dumps({"result": result.to_json(), "reason": reason}).encode())
    grader.__exit__()


def _lock(own: Supplies) -> Lock:
    """A lock for this process; OSError if the system has none."""
    # On other machines the number of a system call means another call, or ends the process.
    if sys.platform != "linux":
        raise OSError("only Linux has Landlock")

    from autograder.sandbox import levels
    from autograder.sandbox.parents import site
    from autograder.sandbox.worker.locks import Lock
    from autograder.submissions import ipython_input

    package = os.path.dirname(autograder.__file__)
    readable = boot.readable(str(site()), own.readable)
    # A cell with magics needs them in this process.
    readable += ipython_input.files()
    return Lock(levels.LANDLOCK.locks, [*readable, package], grader=True)


def _open_doors() -> str:
    """What this process can still do although it is locked; usually nothing."""
    from autograder.engine.selftest import ATTEMPTS

    attempts: dict[str, Any] = {}
    exec(ATTEMPTS, attempts)
    possible = []
    for name in attempts["names"]():
        if name not in ALLOWED and not attempts["attempt"](name):
            possible.append(name)
    return f"it could {', '.join(possible)}" if possible else ""

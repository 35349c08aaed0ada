"""The program of a grader process: it answers tasks until the caller hangs up."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import threading
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any

from autograder.base.errors import Unusable
from autograder.base.result import Result
from autograder.course.grading.pool import Task
from autograder.grader.graded import Graded
from autograder.grader.grader import Grader
from autograder.sandbox.cores import stay_on

GARBAGE = 50_000
"""New objects between two garbage collections; Python's own 700 are made in milliseconds."""


def serve(descriptor: int) -> None:
    """Be a grader process: answer tasks until the caller hangs up, or is killed."""
    grader: Grader | None = None

    def end(*_: object) -> None:
        if grader is not None:
            grader.__exit__()
        os._exit(0)

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "win32":
        from multiprocessing.connection import PipeConnection

        connection: Any = PipeConnection(descriptor)
    else:
        connection = Connection(descriptor)
    try:
        core, *job = connection.recv()
    except (EOFError, OSError):
        return
    tasks: SimpleQueue[Task] = SimpleQueue()
    threading.Thread(target=_listen, args=(connection, tasks), daemon=True).start()

    unusable = None
    try:
        grader = Grader(*job)
        stay_on(core)
        # Everything loaded so far stays, and submissions leave nearly nothing that needs a
        # collection.
        gc.freeze()
        gc.set_threshold(GARBAGE)
    except Unusable as error:
        unusable = error

    with contextlib.suppress(OSError):  # the caller is gone, as the thread has noticed, too
        while True:
            task = tasks.get()
            connection.send(unusable if grader is None else _answer(grader, task))
    end()


def _listen(connection: Any, tasks: SimpleQueue[Task]) -> None:
    """Receive tasks, and end this process when the caller does.

    It runs in a thread, so the caller's end is also noticed in the middle of a submission.
    """
    try:
        while True:
            tasks.put(connection.recv())
    except (EOFError, OSError):
        os.kill(os.getpid(), signal.SIGTERM)


def _answer(grader: Grader, task: Task) -> Graded | Unusable:
    if task.unreadable is not None:
        return Graded(grader.rejected(task.data, task.student, task.unreadable), None)

    try:
        unchanged = None
        if task.old is not None:
            with contextlib.suppress(ValueError):  # a damaged one is made again
                unchanged = grader.unchanged(task.data, Result.from_json(task.old))
        return unchanged or grader.grade(task.data, task.student)
    except Unusable as error:
        return error
    except Exception as fault:  # our own mistake, which must not affect the class
        reason = " ".join(f"the grader failed: {type(fault).__name__}: {fault}".split())
        return Graded(grader.rejected(task.data, task.student, "").without_steps(reason), None)

"""Work in a copy of this process, so that what ends the process is a line and no silence.

A grader looks at values of a student's choice with libraries in C, which have faults. In a class
another process takes its place; a command for one submission has only itself.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterable
from multiprocessing.connection import Connection, Pipe
from typing import Any, NoReturn, TypeVar

from autograder.errors import Fault

Made = TypeVar("Made")


def apart(work: Callable[[], Made]) -> Made:
    """What ``work`` returns or raises, done in a copy of this process.

    That must be what can be pickled. On Linux alone there is a copy; elsewhere this process works.

    Raises:
        Fault: a signal has ended the copy.
    """
    if sys.platform != "linux":
        return work()

    ours, theirs = Pipe(duplex=False)
    # An interrupt just after the copy has begun would leave it behind.
    unblocked = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
    with warnings.catch_warnings():
        # Threads that others have started are not copied, and the copy needs none of them.
        warnings.simplefilter("ignore", DeprecationWarning)
        process = os.fork()
    if process == 0:
        _answer(theirs, work, unblocked)

    answer: Any = None
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, unblocked)
        theirs.close()
        with ours, contextlib.suppress(EOFError):
            answer = ours.recv()
    except BaseException:
        os.kill(process, signal.SIGKILL)
        raise
    finally:
        _, status = os.waitpid(process, 0)

    if answer is None:
        how = f" by {signal.Signals(os.WTERMSIG(status)).name}" if os.WIFSIGNALED(status) else ""
        raise Fault(f"the process that grades it was ended{how}; look at it by hand")
    if isinstance(answer, Exception):
        raise answer
    made: Made = answer[0]
    return made


def _answer(connection: Connection, work: Callable[[], Made], unblocked: Iterable[int]) -> NoReturn:
    """Do the work and end, whatever comes of it: all else here is the other process's."""
    with contextlib.suppress(BaseException):
        signal.pthread_sigmask(signal.SIG_SETMASK, unblocked)
        try:
            answer: object = (work(),)
        except Exception as error:
            answer = error
        connection.send(answer)
    os._exit(0)

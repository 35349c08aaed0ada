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
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, Pipe
from typing import Any, NoReturn, TypeVar

from autograder.base.errors import Fault
from autograder.sandbox.worker.locks import end_with_parent

Made = TypeVar("Made")

LOOK_SECONDS = 0.1
"""Seconds between two looks at whether the command was interrupted: another thread of it may have
taken the signal, and then that does not end the waiting."""


def apart(work: Callable[[], Made]) -> Made:
    """What ``work`` returns or raises, done in a copy of this process.

    That must be what can be pickled. On Linux alone there is a copy; elsewhere this process works.

    Raises:
        Fault: a signal has ended the copy.
    """
    if sys.platform != "linux":
        return work()

    ours, theirs = Pipe(duplex=False)
    answer: Any = None

    with _interrupts_put_off() as heed:
        with warnings.catch_warnings():
            # Threads that others have started are not copied, and the copy needs none of them.
            warnings.simplefilter("ignore", DeprecationWarning)
            process = os.fork()
        if process == 0:
            _answer(theirs, work, heed)

        try:
            heed()
            theirs.close()
            with ours, contextlib.suppress(EOFError):
                while not ours.poll(LOOK_SECONDS):
                    pass
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


@contextlib.contextmanager
def _interrupts_put_off() -> Iterator[Callable[[], None]]:
    """Note interrupts, until what this gives is called: then they are heeded as ever.

    One while the copy begins would leave the copy behind. They are not blocked, for then another
    thread takes them.
    """
    noted: list[int] = []
    handlers = {}
    for number in (signal.SIGINT, signal.SIGTERM):
        handlers[number] = signal.signal(number, lambda number, _: noted.append(number))

    def heed() -> None:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        while noted:
            signal.raise_signal(noted.pop())

    try:
        yield heed
    finally:
        heed()


def _answer(connection: Connection, work: Callable[[], Made], heed: Callable[[], None]) -> NoReturn:
    """Do the work and end, whatever comes of it: all else here is the other process's."""
    with contextlib.suppress(BaseException):
        end_with_parent()  # should the command be killed; whoever interrupts it ends both
        heed()
        try:
            answer: object = (work(),)
        except Exception as error:
            answer = error
        connection.send(answer)
    os._exit(0)

"""Runs work in a copy of this process, so that a crash becomes an error message.

A grader examines values of a student's choice with C libraries, which have bugs. For a class, a
crashed grader process is replaced; a command for one submission has only itself.
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
"""Seconds between two checks for an interrupt: if another thread took the signal, it does not end
the waiting."""


def apart(work: Callable[[], Made]) -> Made:
    """What ``work`` returns or raises in a copy of this process.

    It must be picklable. Only Linux makes a copy; on other systems this process does the work.

    Raises:
        Fault: a signal has ended the copy.
    """
    if sys.platform != "linux":
        return work()

    ours, theirs = Pipe(duplex=False)
    answer: Any = None

    with _interrupts_put_off() as heed:
        with warnings.catch_warnings():
            # Other threads are not copied, and the copy does not need them.
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
    """Only note interrupts, until the yielded function is called: from then on they work as usual.

    An interrupt while the copy starts would leave the copy running. Interrupts are not blocked:
    another thread would take them.
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
    """Do the work and end this process in any case: the rest of the program belongs to the other
    one."""
    with contextlib.suppress(BaseException):
        end_with_parent()  # if the command is killed; an interrupt ends both
        heed()
        try:
            answer: object = (work(),)
        except Exception as error:
            answer = error
        connection.send(answer)
    os._exit(0)

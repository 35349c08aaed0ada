"""The warm parent: NumPy is loaded once, and a worker is forked from it for each submission.

It never runs student code itself.
"""

from __future__ import annotations

import contextlib
import gc
import os
import socket

from autograder.sandbox.worker import preloaded, warm_up, worker
from autograder.sandbox.worker.control import Forks
from autograder.sandbox.worker.libc import libc
from autograder.sandbox.worker.locks import Lock


def main(control: socket.socket, lock: Lock) -> None:
    """Fork and kill for the grader until it closes the connection; then leave nothing behind."""
    lock.warm_parent()
    warm_up.rehearse()
    _freeze()
    forks = Forks(control)
    forks.say(b"warm")

    try:
        while True:
            word, sock = forks.next()
            if word == b"fork":
                worker.main(sock, lock)
            with sock:
                place = preloaded.run(sock)
            _freeze()
            forks.say(b"done", place)
    except (EOFError, OSError, KeyboardInterrupt):
        pass
    finally:
        forks.end()
        os._exit(0)


def _freeze() -> None:
    """Keep everything that is loaded now shared with the workers: their garbage collector ignores
    it.

    Free memory goes back to the system: otherwise every fork would copy the tables of its pages,
    too.
    """
    gc.collect()
    with contextlib.suppress(AttributeError):  # another library than glibc
        libc().malloc_trim(0)
    gc.freeze()

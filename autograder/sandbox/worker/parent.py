"""The warm parent: NumPy is loaded once, and a worker is forked from it for each submission.

It never runs student code itself. The grader sees other process ids where the parent lives in a
namespace of its own, so the parent also kills and reaps, on the grader's request.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import socket
import time

from autograder.sandbox.worker import preloaded, warm_up, worker
from autograder.sandbox.worker.control import ANY_CORE, END_SECONDS, KILLED, MESSAGE
from autograder.sandbox.worker.libc import libc
from autograder.sandbox.worker.locks import Lock


def main(control: socket.socket, lock: Lock) -> None:
    """Fork and kill for the grader until it hangs up; then leave nothing behind."""
    lock.warm_parent()
    warm_up.rehearse()
    _freeze()
    workers: set[int] = set()
    control.sendall(MESSAGE.pack(b"warm", 0))

    try:
        while True:
            message, descriptors, _, _ = socket.recv_fds(control, MESSAGE.size, 1)
            if len(message) < MESSAGE.size:
                return

            word, number = MESSAGE.unpack(message)
            if word == b"fork":
                _stay_on(number)
                pid = _fork(control, descriptors[0], lock)
                workers.add(pid)
                control.sendall(MESSAGE.pack(b"pid.", pid))
            elif word == b"load":
                with socket.socket(fileno=descriptors[0]) as sender:
                    place = preloaded.run(sender)
                _freeze()
                control.sendall(MESSAGE.pack(b"done", place))
            elif word in (b"kill", b"gone") and number in workers:
                workers.discard(number)
                control.sendall(MESSAGE.pack(b"end.", _end(number, word == b"gone")))
    except (OSError, KeyboardInterrupt):
        pass
    finally:
        for pid in workers:
            _end(pid)
        os._exit(0)


def _stay_on(core: int) -> None:
    """Keep the parent on a core, and all workers to come: that of the grader, which waits for
    them, and stays on one for good."""
    if core != ANY_CORE:
        with contextlib.suppress(OSError):  # taken away meanwhile: slower, and otherwise the same
            os.sched_setaffinity(0, {core})


def _fork(control: socket.socket, descriptor: int, lock: Lock) -> int:
    """Fork a worker that serves this socket; its process id."""
    pid = os.fork()
    if pid == 0:
        control.close()
        worker.main(socket.socket(fileno=descriptor), lock)
    os.close(descriptor)
    return pid


def _freeze() -> None:
    """Keep what is loaded now shared with every worker: collecting garbage there looks at none.

    What is free goes back to the system: every fork would copy the tables of its pages, too.
    """
    gc.collect()
    with contextlib.suppress(AttributeError):  # another library than glibc
        libc().malloc_trim(0)
    gc.freeze()


def _end(pid: int, gone: bool = False) -> int:
    """Kill a worker and say how it had ended by itself, as a wait status; ``KILLED`` if it had not.

    Args:
        gone: it has hung up; whoever does that on purpose, and goes on, was not ended by the
            system.
    """
    until = time.monotonic() + (END_SECONDS if gone else 0.0)

    while True:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended and not os.WIFSTOPPED(status):  # one that is traced only stops, at a signal
            return status
        if time.monotonic() >= until:
            break
        time.sleep(0.001)

    os.kill(pid, signal.SIGKILL)
    while os.WIFSTOPPED(os.waitpid(pid, 0)[1]):
        pass
    return KILLED

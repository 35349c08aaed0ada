"""What passes between the grader and the parent of the workers, and the processes of that parent.

The grader sees other process ids where the parent lives in a namespace of its own, so the parent
also kills and reaps, on the grader's request.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import struct
import sys
import time

MESSAGE = struct.Struct("<4sq")
"""A word and a number: a process id, the core to fork on, how a process ended, or its CPU time."""

LIMITS = struct.Struct("<qd")
"""What a worker is told first: the MB of memory that it may have, and its seconds."""

WORD_BYTES = 16
"""Bytes by which a process that was started for one worker shows that it is the one."""

LINE = 4
"""The descriptor behind which a guest of WebAssembly has the grader."""

ANY_CORE = -1
"""Wherever the system likes."""

UNKNOWN = -1
"""The CPU time of a process that has ended, or on a system that does not tell."""

KILLED = -1
"""How a process ended that had not ended by itself."""

END_SECONDS = 1.0
"""For a worker that has hung up and should be about to end."""


def call_back(port: int) -> socket.socket:
    """The grader, which waits for this process at a port, and has told it a word."""
    sock = socket.create_connection(("127.0.0.1", port))
    sock.sendall(sys.stdin.buffer.read(WORD_BYTES))
    return sock


class Forks:
    """The workers of a parent: forked, killed and reaped when the grader asks."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._workers: set[int] = set()

    def say(self, word: bytes, number: int = 0) -> None:
        """Answer the grader."""
        self._control.sendall(MESSAGE.pack(word, number))

    def next(self) -> tuple[bytes, socket.socket]:
        """What is to be done now, and the connection for it: ``load`` a cell here, or be the worker
        in a new process (``fork``).

        Raises:
            EOFError: the grader has hung up.
        """
        while True:
            message, descriptors, _, _ = socket.recv_fds(self._control, MESSAGE.size, 1)
            if len(message) < MESSAGE.size:
                raise EOFError

            word, number = MESSAGE.unpack(message)
            if word == b"load":
                return word, socket.socket(fileno=descriptors[0])
            if word == b"fork":
                _stay_on(number)
                pid = os.fork()
                if pid == 0:
                    self._control.close()
                    self._workers.clear()
                    return word, socket.socket(fileno=descriptors[0])
                os.close(descriptors[0])
                self._workers.add(pid)
                self.say(b"pid.", pid)
            elif word == b"time":
                self.say(b"time", _computed(number) if number in self._workers else UNKNOWN)
            elif word in (b"kill", b"gone") and number in self._workers:
                self._workers.discard(number)
                self.say(b"end.", _end(number, word == b"gone"))

    def end(self) -> None:
        """End all workers."""
        for pid in self._workers:
            _end(pid)


def _stay_on(core: int) -> None:
    """Keep the parent on a core, and all workers to come: that of the grader, which waits for
    them, and stays on one for good."""
    if core != ANY_CORE:
        with contextlib.suppress(OSError):  # taken away meanwhile: slower, and otherwise the same
            os.sched_setaffinity(0, {core})


def _computed(pid: int) -> int:
    """Nanoseconds of CPU time of a process.

    Linux makes the number of its clock out of the process id; its library has a function for that,
    and Python has none.
    """
    try:
        return time.clock_gettime_ns((~pid << 3) | 2)
    except (AttributeError, OSError):
        return UNKNOWN


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

"""Messages between the grader and the parent of the workers, and the parent's control of its
processes.

In a namespace of its own, the parent has other process ids than the grader sees. So the parent also
kills and reaps workers, when the grader asks.
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
"""A command and a number: a process id, the core to fork on, an exit status, or CPU time."""

LIMITS = struct.Struct("<qd")
"""The first message to a worker: its limits in MB of memory and in seconds."""

WORD_BYTES = 16
"""Bytes with which a process that was started for one worker identifies itself."""

LINE = 4
"""The descriptor of a WebAssembly guest that leads to the grader."""

ANY_CORE = -1
"""Any core."""

UNKNOWN = -1
"""The CPU time of a process that has ended, or on a system that does not tell it."""

KILLED = -1
"""The exit status of a process that had not ended by itself."""

END_SECONDS = 1.0
"""For a worker that has closed its connection and should be about to end."""


def call_back(port: int) -> socket.socket:
    """The grader, which waits for this process at a port and has told it a secret word."""
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
        """The next task, and the connection for it: to run a cell here (``load``), or to be the
        worker in a new process (``fork``).

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
    """Keep the parent and all later workers on the grader's core: the grader waits for them, and
    never changes its core."""
    if core != ANY_CORE:
        with contextlib.suppress(OSError):  # taken away meanwhile: slower, and otherwise the same
            os.sched_setaffinity(0, {core})


def _computed(pid: int) -> int:
    """Nanoseconds of CPU time of a process.

    Linux derives the number of a process's clock from its id; the C library has a function for
    that, and Python has none.
    """
    try:
        return time.clock_gettime_ns((~pid << 3) | 2)
    except (AttributeError, OSError):
        return UNKNOWN


def _end(pid: int, gone: bool = False) -> int:
    """Kill a worker; return how it had ended by itself, as a wait status, or ``KILLED``.

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

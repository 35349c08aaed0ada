"""The worker of a session, which may die and be replaced."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable
from typing import Any

from autograder.base.settings import Settings
from autograder.sandbox.parents import Parent, WorkerProcess
from autograder.sandbox.worker.control import LIMITS

PIECE = 50_000
"""Most characters of a cell, or bytes of its code, that are sent as one value: a longer one leaves
too little room for other values."""

KILLED_BY_SYSTEM = -9
"""The exit status after SIGKILL; Windows has no such name."""

Source = str | Callable[..., Any] | tuple[str, ...]
"""A cell; a function to bind in its place; or classes whose objects stay in the worker."""


class LiveWorker:
    """Starts workers with the limits of the settings, one at a time, and ends them.

    ``generation`` is the number of the last one: functions of earlier ones are gone.
    """

    def __init__(self, parent: Parent, settings: Settings) -> None:
        self._parent = parent
        # Added cells have as much time again.
        self._limits = settings.memory_mb, 2 * settings.submission_seconds
        self._worker: WorkerProcess | None = None
        self.generation = 0

    @property
    def is_there(self) -> bool:
        """Whether one has been started and not yet ended."""
        return self._worker is not None

    def sent(self, cell: str, source: Source) -> object:
        """The request that runs a cell: its number, if the parent has run it for all workers; the
        pieces of a long one, and its code if that is known; else the cell itself."""
        if not isinstance(source, str):
            return source
        if (cell, source) in self._parent.preloaded:
            return self._parent.preloaded[cell, source]
        if len(source) <= PIECE:
            return source
        code = self._parent.compiled.get((cell, source), b"")
        return [*_pieces(source), *_pieces(code)]

    def start(self) -> socket.socket:
        """A fresh worker, locked in; return the socket to talk to it."""
        self._worker = self._parent.start()
        self.generation += 1

        # The system may have killed it already: the first request will show.
        with contextlib.suppress(OSError):
            self._worker.sock.sendall(LIMITS.pack(*self._limits))
        return self._worker.sock

    def computed(self) -> float | None:
        """The CPU seconds that it has taken so far; None if unknown."""
        return None if self._worker is None else self._parent.computed(self._worker)

    def end(self, gone: bool = False) -> int | None:
        """Kill it; return how it had ended by itself, or None. ``gone``: it has closed its
        connection."""
        if self._worker is None:
            return None
        worker, self._worker = self._worker, None
        return self._parent.end(worker, gone)

    def bury(self) -> str:
        """It has closed its connection: how it ended, in the words of a message."""
        status = self.end(gone=True)
        self._parent.lost |= status == KILLED_BY_SYSTEM
        if status is not None and status < 0:
            return f"crashed (signal {-status})"
        return "ended its process"


def _pieces(whole: str | bytes) -> list[str | bytes]:
    return [whole[start : start + PIECE] for start in range(0, len(whole), PIECE)]

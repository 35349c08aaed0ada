"""A file that somebody else's editor saves again and again."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

from autograder.base.errors import Unusable
from autograder.checking import student_copy
from autograder.checking.student_copy import StudentCopy

QUIET_SECONDS = 0.5
"""A file that cannot be used may be half written, or gone for a moment: so long nothing is said."""

Signature = tuple[int, int, int]


class SavedFile:
    """A notebook or script, looked at whenever it has changed.

    It is asked for its size and time. That needs no library, works on every system and on network
    drives, which tell nobody of changes, and costs some microseconds.
    """

    def __init__(self, path: Path, name: str | None) -> None:
        self._path = path
        self._name = name
        self._seen: Signature | None = (0, 0, 0)
        self._changed = 0.0
        self._is_doubtful = False

    def saved(self) -> StudentCopy | None:
        """What it holds, if it has been saved since this was asked before.

        Raises:
            Unusable: it has been of no use for a while; said once.
        """
        now = self._signature()
        if now != self._seen:
            self._seen, self._changed, self._is_doubtful = now, time.monotonic(), True
            with contextlib.suppress(Unusable):
                return self._usable()

        if self._is_doubtful and time.monotonic() - self._changed >= QUIET_SECONDS:
            self._is_doubtful = False
            return self._usable()
        return None

    def _usable(self) -> StudentCopy:
        copy = self.copy()
        self._is_doubtful = False
        return copy

    def copy(self) -> StudentCopy:
        """What it holds.

        Raises:
            Unusable: it is gone, or no notebook or script of an exercise.
        """
        return student_copy.of_file(self._path, self._name)

    def _signature(self) -> Signature | None:
        """What changes when it is saved; None while it is not there."""
        try:
            about = self._path.stat()
        except OSError:
            return None
        return about.st_mtime_ns, about.st_size, about.st_ino

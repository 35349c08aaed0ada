"""What keeps a class whole when grading it is cut short, at whatever moment."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

from autograder.base.text import short

NAME = ".journal"
"""The file, beside the results."""


class Journal:
    """Who has a new result that the gradebook may not know yet, in a file; and a lock.

    A result is stored before the gradebook hears of it, and a stored result is not graded again. A
    run that dies in between leaves the name here, so that the next one records this result as the
    new one it is: for the gradebook that differs, since a person looks again at what has been
    graded anew. One run at a time holds the lock, and it goes with its holder.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self.pending: set[str] = set()

    def __enter__(self) -> Journal:
        import fcntl  # not on Windows, where pages and reports work, but no class is graded

        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self._path.open("a+", encoding="utf-8")

        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            folder = short(self._path.parent)
            line = f"autograder: {folder}: another run is at work here; waiting for it"
            print(line, file=sys.stderr, flush=True)
            fcntl.flock(self._file, fcntl.LOCK_EX)

        self._file.seek(0)
        self.pending = set(self._file.read().split())
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def storing(self, student: str) -> None:
        """Note a student whose new result is about to be stored."""
        self.pending.add(student)
        self._file.write(f"{student}\n")
        self._file.flush()

    def recorded(self, students: Iterable[str]) -> None:
        """Forget students whose results the gradebook and the autograded notebooks have."""
        self.pending.difference_update(students)
        if not self.pending:
            os.truncate(self._path, 0)

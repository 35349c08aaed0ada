"""Keeps a class consistent when grading is interrupted at any moment.

Orphans, processes whose own parent was killed, end by themselves, but some process must collect
their exit status. Usually the system's first process does; in many containers it does not, and
zombies add up.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from autograder.base import files
from autograder.base.errors import Interrupted
from autograder.base.text import short
from autograder.course.course import Course

JOURNAL = ".journal"
"""The file with the names of the students, beside the results."""

STOPPED = "stopped; what was graded is kept; run the same command again to go on"
"""The message after a signal."""

END_SECONDS = 5.0
"""Seconds that orphans have to end before they are killed."""

SET_CHILD_SUBREAPER = 36
"""``prctl``'s option to become the parent of orphans (``linux/prctl.h``)."""


class Journal:
    """A file with the students whose new result the gradebook may not have yet; and a lock.

    A result is stored before it goes into the gradebook, and a stored result is not graded again. A
    run that dies in between leaves the name here, so that the next run records this result as new:
    the gradebook asks a person to look again at regraded work. One run at a time holds the lock,
    and the lock ends with its process.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / JOURNAL
        self.pending: set[str] = set()

    def __enter__(self) -> Journal:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self._path.open("a+", encoding="utf-8")

        if not files.lock(self._file.fileno()):
            folder = short(self._path.parent)
            line = f"autograder: {folder}: another run is at work here; waiting for it"
            print(line, file=sys.stderr, flush=True)
            files.lock(self._file.fileno(), wait=True)

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


def is_busy(folder: Path) -> bool:
    """Whether a run is working on the results in a folder."""
    try:
        with (folder / JOURNAL).open("rb") as file:
            return not files.lock(file.fileno())
    except FileNotFoundError:
        return False


def sweep(course: Course, exercise: str) -> None:
    """Remove files that a killed run had begun to write."""
    results = course.results.glob(f"{exercise}/.*{files.PART}")
    notebooks = course.autograded.glob(f"*/{exercise}/.*{files.PART}")
    for path in (*results, *notebooks):
        path.unlink(missing_ok=True)


@contextmanager
def stoppable(put: Callable[[Interrupted], None]) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end the class between two submissions, and not during a write."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, _: object) -> None:
        put(Interrupted(number, STOPPED))

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def adopted() -> Iterator[None]:
    """Become the parent of orphans below this process, and end all of them.

    It works only on Linux, and only if this process starts no others meanwhile: it could not tell
    its own children from adopted ones.
    """
    if sys.platform != "linux":
        yield
        return

    before = _children()
    libc = ctypes.CDLL(None)
    libc.prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        _collect(before)
        libc.prctl(SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def _collect(others: set[int]) -> None:
    """Wait for all children but ``others``, and kill those that do not end."""
    until = time.monotonic() + END_SECONDS
    while left := _children() - others:
        for process in left:
            with contextlib.suppress(OSError):  # it was collected meanwhile
                if time.monotonic() >= until:
                    os.kill(process, signal.SIGKILL)
                os.waitpid(process, os.WNOHANG)
        time.sleep(0.002)


def _children() -> set[int]:
    children: set[int] = set()
    for task in Path("/proc/self/task").iterdir():
        # The thread has ended, or the kernel does not report it.
        with contextlib.suppress(OSError):
            children.update(map(int, (task / "children").read_text().split()))
    return children

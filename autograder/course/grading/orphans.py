"""Orphans: processes whose own parent was killed.

They end by themselves, and somebody must collect how they ended. That is the system's first
process, as a rule; in many containers it never does, and the dead add up.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

END_SECONDS = 5.0
"""Seconds that orphans have to end before they are killed."""

SET_CHILD_SUBREAPER = 36
"""What ``prctl`` calls becoming the parent of orphans (``linux/prctl.h``)."""


@contextlib.contextmanager
def adopted() -> Iterator[None]:
    """Become the parent of what is orphaned below this process, and leave none of it behind.

    On Linux alone. For a process that starts nothing else meanwhile: it could not tell its own
    children from adopted ones.
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
            with contextlib.suppress(OSError):  # it has been collected meanwhile
                if time.monotonic() >= until:
                    os.kill(process, signal.SIGKILL)
                os.waitpid(process, os.WNOHANG)
        time.sleep(0.002)


def _children() -> set[int]:
    children: set[int] = set()
    for task in Path("/proc/self/task").iterdir():
        # A thread that has ended, or a kernel that does not tell.
        with contextlib.suppress(OSError):
            children.update(map(int, (task / "children").read_text().split()))
    return children

"""Locks on files, for one process at a time; they go with their holder."""

from __future__ import annotations

import os
import sys
import time

LOOK_SECONDS = 0.1
"""Seconds between two looks, where the system has no way to wait."""


def take(descriptor: int, wait: bool = False) -> bool:
    """Lock an open file until it is closed; whether it is locked now.

    Args:
        wait: until whoever has locked it is gone.
    """
    if sys.platform == "win32":
        while not _take_on_windows(descriptor):
            if not wait:
                return False
            time.sleep(LOOK_SECONDS)
        return True

    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _take_on_windows(descriptor: int) -> bool:
    import msvcrt

    # A byte that no file has: what is locked there cannot be read either.
    os.lseek(descriptor, 1 << 30, os.SEEK_SET)
    try:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    except OSError:
        return False
    finally:
        os.lseek(descriptor, 0, os.SEEK_SET)
    return True

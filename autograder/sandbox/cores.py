"""Keeps a grader and its workers on one core, and NumPy's linear algebra in one thread.

They take turns, so two cores do not help them. Changing between cores loses the contents of the
caches, and a third of the time.
"""

from __future__ import annotations

import contextlib
import ctypes
import os

ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""The environment of a process that calculates in one thread, which is enough for small arrays."""


def cores() -> list[int]:
    """The cores that this process may use; empty if the system does not tell: only Linux does."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def stay_on(core: int | None) -> None:
    """Keep this thread and all later workers on a core; None: wherever the system likes."""
    if core is not None:
        with contextlib.suppress(OSError):  # the core is gone: slower, but otherwise the same
            os.sched_setaffinity(0, {core})


def stay_here() -> None:
    """Keep them on the core that this thread is on: for commands that grade one submission."""
    if hasattr(os, "sched_setaffinity"):
        stay_on(ctypes.CDLL(None).sched_getcpu())


def only_core() -> int | None:
    """The core that this thread is kept on; None if it may change."""
    allowed = cores()
    return allowed[0] if len(allowed) == 1 else None

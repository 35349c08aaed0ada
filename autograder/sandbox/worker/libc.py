"""The C library, for system calls that Python has no function for."""

from __future__ import annotations

import ctypes
from functools import cache


@cache
def libc() -> ctypes.CDLL:
    """The library of this process, which keeps what went wrong for ``ctypes.get_errno``.

    Loaded once: every time it is, a class is made, and a worker would pay for each.
    """
    return ctypes.CDLL(None, use_errno=True)

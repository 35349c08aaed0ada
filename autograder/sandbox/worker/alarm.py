"""The time limit of student code, inside the worker."""

from __future__ import annotations

import signal
import time

TICK_SECONDS = 0.05
"""Seconds between two checks of the time of student code."""


class TimeLimit(BaseException):
    """Raised in student code when its time is over.

    A BaseException, so that ``except Exception`` lets it pass.
    """


def begin() -> None:
    """Let the clock tick, if this system has one."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _tick)
        signal.setitimer(signal.ITIMER_REAL, TICK_SECONDS, TICK_SECONDS)


class _Clock:
    """The end of student code's time, by ``time.monotonic``; None if none runs.

    An object's attribute and not a class's: whenever one of those is set, Python forgets what it
    has looked up in that class, and with it, bit by bit, in all others.
    """

    until: float | None

    def __init__(self) -> None:
        self.until = None


_clock = _Clock()


class Alarm:
    """Raises TimeLimit in student code, once, after this many seconds; the outermost limit counts.

    Code that catches everything survives it, so the grader has its own, later deadline and kills.
    The clock ticks all the time: setting and stopping a timer for each of hundreds of calls would
    cost more than some of the calls.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._mine = False

    def __enter__(self) -> None:
        if _clock.until is None:
            _clock.until, self._mine = time.monotonic() + self._seconds, True

    def __exit__(self, *_: object) -> None:
        if self._mine:
            _clock.until = None


def _tick(*_: object) -> None:
    if _clock.until is not None and time.monotonic() >= _clock.until:
        _clock.until = None
        raise TimeLimit

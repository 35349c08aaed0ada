"""The time limit of student code, inside of the worker."""

from __future__ import annotations

import signal
import time

TICK_SECONDS = 0.05
"""Seconds between two looks at the time of student code."""


class TimeLimit(BaseException):
    """Raised in student code when its time is over.

    A BaseException, so that ``except Exception`` lets it pass.
    """


def begin() -> None:
    """Let the clock tick, where there is one."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _tick)
        signal.setitimer(signal.ITIMER_REAL, TICK_SECONDS, TICK_SECONDS)


class _Clock:
    """When the time of student code is over, by ``time.monotonic``; None where none runs.

    An object's attribute and not a class's: whenever one of those is set, Python forgets what it
    has looked up in that class, and with it, bit by bit, in all others.
    """

    until: float | None

    def __init__(self) -> None:
        self.until = None


_clock = _Clock()


class Alarm:
    """Raises TimeLimit in student code once after so many seconds; the outermost one counts.

    Code that catches everything survives it, so the grader has its own, later deadline and kills.
    The clock ticks all the time: a timer set and stopped for each of hundreds of calls would cost
    more than some of them.
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

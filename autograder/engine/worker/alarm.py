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


class Alarm:
    """Raises TimeLimit in student code once after so many seconds; the outermost one counts.

    Code that catches everything survives it, so the grader has its own, later deadline and kills.
    The clock ticks all the time: a timer set and stopped for each of hundreds of calls would cost
    more than some of them.
    """

    until: float | None = None

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._mine = False

    def __enter__(self) -> None:
        if Alarm.until is None:
            Alarm.until, self._mine = time.monotonic() + self._seconds, True

    def __exit__(self, *_: object) -> None:
        if self._mine:
            Alarm.until = None


def _tick(*_: object) -> None:
    if Alarm.until is not None and time.monotonic() >= Alarm.until:
        Alarm.until = None
        raise TimeLimit

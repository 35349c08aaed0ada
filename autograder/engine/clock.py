"""The clock of a conversation: how long the worker has, and when the grader gives up."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from autograder.engine.budget import Budget

GRACE_SECONDS = 0.5
"""Time between the worker's own alarm and the grader's, which kills: code that catches everything
survives the alarm."""

GRACE_SHARE = 0.05
"""The grace at most, as a share of a submission's time: the last call of all must not take much
more than there is."""


class Clock:
    """Charges a submission's budget with requests, and says when an answer to one is late.

    Requests nest where both sides call each other: only the outermost one counts, and has a
    deadline.
    """

    def __init__(self, budget: Budget, call_seconds: float) -> None:
        self.budget = budget
        self._call_seconds = float(call_seconds)
        self.depth = 0
        self.deadline = 0.0
        self.given = 0.0
        """Seconds that the request in hand was given."""
        self._begun = 0.0

    @property
    def seconds(self) -> float:
        """What the next call may take."""
        return max(0.0, min(self._call_seconds, self.budget.left))

    @property
    def timeouts(self) -> Counter[str]:
        """How often each function has not returned in time."""
        return self.budget.timeouts

    @contextmanager
    def charging(self, budget: Budget) -> Iterator[None]:
        """Let another budget pay."""
        outer, self.budget = self.budget, budget
        outer.charge()
        budget.resume()
        try:
            yield
        finally:
            self.budget = outer
            outer.resume()

    def enter(self) -> float:
        """A request begins; how many seconds there are until the deadline."""
        now = time.monotonic()
        if self.depth == 0:
            self.budget.charge()
            grace = min(GRACE_SECONDS, GRACE_SHARE * self.budget.total)
            self._begun = now
            self.given = self.seconds
            self.deadline = now + self.given + grace

        self.depth += 1
        return max(self.deadline - now, 0.001)

    def leave(self) -> None:
        """A request has ended, somehow."""
        self.depth -= 1
        if self.depth == 0:
            self.spend()

    def spend(self) -> None:
        """Take away the time since the request began, or since this was last done."""
        now = time.monotonic()
        self.budget.spend(now - self._begun)
        self._begun = now

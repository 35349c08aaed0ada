"""What the reference has answered to calls from student code, by the bytes of the call.

Checks call with inputs that they share with other submissions, so the same calls come again and
again: from the runs of one submission, and from those of others.
"""

from __future__ import annotations

from autograder.sandbox.worker.protocol.frames import Payload

MAX_BYTES = 16 << 20
"""Bytes of all calls and answers that are kept."""

MAX_EACH = 64 << 10
"""Bytes of one call and its answer."""


class KnownAnswers:
    """The answers of the reference that a grader knows."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, bytes], bytes] = {}
        self._kept = 0

    def get(self, step: str, question: Payload) -> bytes | None:
        """The answer to a call of a step, as it crosses; None where it is not known."""
        return self._known.get((step, bytes(question)))

    def keep(self, step: str, question: Payload, answer: Payload) -> None:
        """Keep an answer, where there is room."""
        size = len(question) + len(answer)
        if size <= MAX_EACH and self._kept + size <= MAX_BYTES:
            self._kept += size
            self._known[step, bytes(question)] = bytes(answer)

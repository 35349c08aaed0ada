"""A stand-in for a right step, for student code: it asks the reference.

Submissions share the inputs of checks, so the same calls come again and again, from one submission
and from others: the reference's answers are kept, by the bytes of the call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograder.engine.student_errors import StudentError
from autograder.sandbox.worker.protocol.frames import Payload

MAX_BYTES = 16 << 20
"""Bytes of all calls and answers that are kept."""

MAX_EACH = 64 << 10
"""Bytes of one call and its answer."""


class KnownAnswers:
    """The reference's answers that a grader knows."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, bytes], bytes] = {}
        self._kept = 0

    def get(self, step: str, question: Payload) -> bytes | None:
        """The answer to a call of a step, as it crosses; None if it is not known."""
        asked = step, bytes(question)
        answer = self._known.pop(asked, None)
        if answer is not None:  # the least recently used stay in front
            self._known[asked] = answer
        return answer

    def keep(self, step: str, question: Payload, answer: Payload) -> None:
        """Keep a short answer; if there is no room, the least recently used are dropped.

        A submission may ask whatever it likes, and must not take the room of the next ones.
        """
        asked, size = (step, bytes(question)), len(question) + len(answer)
        if size > min(MAX_EACH, MAX_BYTES) or asked in self._known:
            return
        while self._kept + size > MAX_BYTES:
            unused = next(iter(self._known))
            self._kept -= len(unused[1]) + len(self._known.pop(unused))
        self._kept += size
        self._known[asked] = bytes(answer)


class Stub:
    """A step of the reference, as a function of the grader that a worker may call.

    Args:
        find: gives the reference for a step.
        note: is told that student code has called it.
        takes: whether the reference takes such arguments.
        refuse: is told where it has been called with others.
    """

    def __init__(
        self,
        step: str,
        find: Callable[[str], Callable[..., Any]],
        known: KnownAnswers,
        note: Callable[[str], None],
        takes: Callable[[str, tuple[Any, ...], dict[str, Any]], bool],
        refuse: Callable[[str], None],
    ) -> None:
        self._step = step
        self._find = find
        self._known = known
        self._note = note
        self._takes = takes
        self._refuse = refuse

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self._note(self._step)
        try:
            return self._find(self._step)(*args, **kwargs)
        except StudentError as error:
            # Raised in the teacher's answer: reported to the student if their code has called it.
            error.cell, error.line = "", 0
            if not self._takes(self._step, args, kwargs):
                self._refuse(self._step)
            raise

    def answered(self, question: Payload) -> bytes | None:
        """The earlier answer to a call, as it crosses; None for a new call."""
        answer = self._known.get(self._step, question)
        if answer is not None:
            self._note(self._step)
        return answer

    def keep(self, question: Payload, answer: Payload) -> None:
        """Answer the same call in the same way from now on."""
        self._known.keep(self._step, question, answer)

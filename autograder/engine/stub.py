"""What student code gets in the place of a step that is right: it asks the reference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograder.engine.known_answers import KnownAnswers
from autograder.engine.student_errors import StudentError
from autograder.sandbox.worker.protocol.frames import Payload


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
            # Raised in the teacher's answer: for the student, where their code has called it.
            error.cell, error.line = "", 0
            if not self._takes(self._step, args, kwargs):
                self._refuse(self._step)
            raise

    def answered(self, question: Payload) -> bytes | None:
        """What a call was answered before, as it crosses; None where nobody has made it yet."""
        answer = self._known.get(self._step, question)
        if answer is not None:
            self._note(self._step)
        return answer

    def keep(self, question: Payload, answer: Payload) -> None:
        """Answer the same call in the same way from now on."""
        self._known.keep(self._step, question, answer)

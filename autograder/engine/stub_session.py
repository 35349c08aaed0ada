"""A session in which functions of the grader stand in the place of some of the student's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograder.engine.check_functions import CALLED
from autograder.engine.object_session import ObjectSession
from autograder.engine.stub import Stub
from autograder.sandbox.worker.protocol import frames
from autograder.sandbox.worker.protocol.decode import Name
from autograder.sandbox.worker.protocol.frames import Payload


class StubSession(ObjectSession):
    """A session that answers for steps that are replaced."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._named = 0
        """How many functions and objects have crossed, either way."""

    def bind(self, name: str, function: Callable[..., Any]) -> None:
        """Bind a name in the worker to a function of the grader, from here on."""
        self._functions.bind(function)
        self.run(name, function)

    def called(self, nonce: bytes, payload: Payload) -> None:
        function = self._functions.called(payload)
        if isinstance(function, Stub):
            self._heard_call(payload)
            kind, reply = self._answer_of(function, payload)
            frames.send(self.sock, kind, nonce, reply)
        else:
            super().called(nonce, payload)

    def _answer_of(self, stub: Stub, payload: Payload) -> tuple[int, Payload]:
        """What the reference says to a call: what it has said before, where it is known."""
        question = payload[CALLED.size :]
        known = stub.answered(question)
        if known is not None:
            return frames.RETURN, known

        before = self._named
        kind, reply = self.outcome(payload, self.invoke)
        # Functions and objects have other numbers in every session; the stub itself is one.
        if kind == frames.RETURN and self._named == before + 1:
            stub.keep(question, reply)
        return kind, reply

    def function(self, value: Any) -> bytes:
        self._named += 1
        return super().function(value)

    def find(self, tag: bytes, name: Name) -> Any:
        self._named += 1
        return super().find(tag, name)

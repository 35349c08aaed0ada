"""A session that asks for several things in one frame, cells to run and calls to make, and hears
all answers in one."""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple

from autograder.engine.budget import unwatched
from autograder.engine.known_conversations import Conversation
from autograder.engine.session import Source
from autograder.engine.stub_session import StubSession
from autograder.engine.student_errors import Stopped, StudentError
from autograder.engine.worker.protocol import frames
from autograder.engine.worker.protocol.bounds import ProtocolError
from autograder.engine.worker.protocol.encode import Encoder
from autograder.engine.worker.protocol.frames import Payload

_SECONDS = struct.Struct("<d")
"""At the end of a request stands how long the call may take, which is no part of the question."""

_NOTHING = b"N" + bytes(4)
"""The reply of a cell that has ended: no value, and no argument changed."""

Cells = Sequence[tuple[str, Source]]
"""Cells to run, or what stands in the place of some, by their names."""

Failure = StudentError | Stopped


class Heard(NamedTuple):
    """An answer that is there before the check has asked for it."""

    question: Payload
    kind: int
    reply: Payload
    given: float
    """Seconds that the call had."""


class Request(NamedTuple):
    """A request as it crosses, and its values that have numbers."""

    kind: int
    payload: Payload
    known: list[Any]


Reply = tuple[int, Payload]
"""The kind of a reply, and what it holds."""


class JoinedSession(StubSession):
    """A session that can ask for several things at once."""

    def together(
        self, cells: Cells, calls: Conversation
    ) -> tuple[list[Failure | None], list[Heard]]:
        """Run cells, then make calls, one after the other.

        Returns:
            What each cell raised, if anything. The answers to the first calls: to all of them, as a
            rule. To none where that went wrong: whoever asks for one after the other finds out
            which call is to blame.
        """
        for _, source in cells:
            if callable(source):
                self._functions.bind(source)

        requests, replies = self._asked(cells, calls)
        given = self._clock.given
        raised: list[Failure | None] = []
        for (cell, source), request, (kind, reply) in zip(cells, requests, replies):
            if self._worker.is_there:
                raised.append(self._ended(cell, source, request, kind, reply))

        answers: list[Heard] = []
        if self._worker.is_there:
            behind = slice(len(cells), None)
            for request, (kind, reply) in zip(requests[behind], replies[behind]):
                answers.append(Heard(question(request.payload), kind, reply, given))

        # One that was not reached is run by itself, and so is one that may be to blame.
        for cell, source in cells[len(raised) :]:
            raised.append(self.run(cell, source))
        return raised, answers

    def _asked(self, cells: Cells, calls: Conversation) -> tuple[list[Request], list[Reply]]:
        """The requests, and the replies to the first of them; none where that went wrong."""
        requests: list[Request] = []
        if not calls and len(cells) < 2:
            return [], []

        timeouts = dict(self._clock.timeouts)
        if cells:
            self._calls.heard = self._functions.calls = 0
        try:
            for name in {call.name for call in calls}:
                self.get_ready(name)
            with unwatched():
                self._alive()
            for cell, source in cells:
                requests.append(self._run_request(cell, source))
            seconds = _SECONDS.pack(self._clock.seconds)
            for call in calls:
                requests.append(Request(frames.CALL, question(call.request) + seconds, []))
            first = calls[0].name if calls else f"the cell {cells[0][0]}"
            return requests, self._talk(first, lambda: self._replies(requests))
        except Stopped:
            self._clock.timeouts.clear()
            self._clock.timeouts.update(timeouts)
            return [], []

    def _run_request(self, cell: str, source: Source) -> Request:
        if isinstance(source, str):
            self._errors.runs(cell, source)
        self._calls.is_plain = False
        encoder = Encoder(self.function, stays=self.stays)
        encoder.value((cell, self._worker.sent(cell, source), self._settings.call_seconds))
        return Request(frames.RUN, encoder.out, encoder.known)

    def _replies(self, requests: Sequence[Request]) -> list[Reply]:
        asked = b"".join(frames.part(request.kind, request.payload) for request in requests)
        _, payload = super().converse(frames.SEVERAL, os.urandom(16), asked)
        self._calls.hear(payload)
        replies = list(islice(frames.parts(payload), len(requests) + 1))
        if not 0 < len(replies) <= len(requests):
            raise ProtocolError("other answers than requests")
        for kind, _ in replies:
            if kind not in (frames.RETURN, frames.RAISE):
                raise ProtocolError("an answer of no kind")
        return replies

    def _ended(
        self, cell: str, source: Source, request: Request, kind: int, reply: Payload
    ) -> Failure | None:
        """What a cell raised, if anything."""
        raised: Failure | None = None
        if (kind, reply) != (frames.RETURN, _NOTHING):
            _, payload, known = request
            try:
                self._talk(f"the cell {cell}", lambda: self.understand(payload, kind, reply, known))
            except (StudentError, Stopped) as error:
                raised = error

        if self._worker.is_there:
            self._history.append((cell, source))
        return raised


def question(request: Payload) -> Payload:
    """What a request asks, without how long the call may take."""
    return request[: -_SECONDS.size]

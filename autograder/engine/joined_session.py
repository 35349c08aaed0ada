"""A session that asks for several things in one frame, cells to run and calls to make, and hears
all answers in one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from autograder.engine.budget import unwatched
from autograder.engine.known_conversations import Conversation
from autograder.engine.live_worker import Source
from autograder.engine.stub_session import StubSession
from autograder.engine.student_errors import Stopped, StudentError
from autograder.engine.worker.protocol import frames
from autograder.engine.worker.protocol.bounds import ProtocolError
from autograder.engine.worker.protocol.encode import Encoder
from autograder.engine.worker.protocol.frames import Payload

_NOTHING = b"N" + bytes(4)
"""The reply of a cell that has ended: no value, and no argument changed."""

Cells = Sequence[tuple[str, Source]]
"""Cells to run, or what stands in the place of some, by their names."""

Failure = StudentError | Stopped

Reply = tuple[int, Payload]
"""The kind of a reply, and what it holds."""


class Heard(NamedTuple):
    """An answer that is there before the check has asked for it."""

    request: Payload
    reply: Reply
    given: float
    """Seconds that the call had."""


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
        for (cell, source), request, reply in zip(cells, requests, replies):
            if self._worker.is_there:
                raised.append(self._ended(cell, source, request, reply))

        answers: list[Heard] = []
        if self._worker.is_there:
            for call, reply in zip(calls, replies[len(cells) :]):
                answers.append(Heard(call.request, reply, given))

        # One that was not reached is run by itself, and so is one that may be to blame.
        for cell, source in cells[len(raised) :]:
            raised.append(self.run(cell, source))
        return raised, answers

    def _asked(self, cells: Cells, calls: Conversation) -> tuple[list[Encoder], list[Reply]]:
        """The requests to run the cells, and the replies to the first of all; none where that went
        wrong."""
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
            requests = [self._run_request(cell, source) for cell, source in cells]
            parts = [frames.part(frames.RUN, request.out) for request in requests]
            parts += [frames.part(frames.CALL, call.request) for call in calls]
            first = calls[0].name if calls else f"the cell {cells[0][0]}"
            return requests, self._talk(first, lambda: self._replies(parts))
        except Stopped:
            self._clock.timeouts.clear()
            self._clock.timeouts.update(timeouts)
            return [], []

    def _run_request(self, cell: str, source: Source) -> Encoder:
        if isinstance(source, str):
            self._errors.runs(cell, source)
        self._calls.is_plain = False
        encoder = Encoder(self.function, stays=self.stays)
        encoder.value((cell, self._worker.sent(cell, source)))
        return encoder

    def _replies(self, parts: Sequence[bytes]) -> list[Reply]:
        _, payload = super().converse(frames.SEVERAL, os.urandom(16), b"".join(parts))
        self._calls.hear(payload)
        replies = list(islice(frames.parts(payload), len(parts) + 1))
        if not 0 < len(replies) <= len(parts):
            raise ProtocolError("other answers than requests")
        for kind, _ in replies:
            if kind not in (frames.RETURN, frames.RAISE):
                raise ProtocolError("an answer of no kind")
        return replies

    def _ended(self, cell: str, source: Source, request: Encoder, reply: Reply) -> Failure | None:
        """What a cell raised, if anything."""
        raised: Failure | None = None
        if reply != (frames.RETURN, _NOTHING):

            def understood() -> None:
                self.understand(request.out, *reply, request.known)

            try:
                self._talk(f"the cell {cell}", understood)
            except (StudentError, Stopped) as error:
                raised = error

        if self._worker.is_there:
            self._history.append((cell, source))
        return raised

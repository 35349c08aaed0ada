"""A session that asks without a check: what is known to come, and one call once more."""

from __future__ import annotations

import os
import struct
from collections import deque
from collections.abc import Sequence
from typing import Any, NamedTuple

from autograder.engine.known_conversations import Conversation
from autograder.engine.object_session import ObjectSession
from autograder.engine.recorded_calls import Call, agree, arguments
from autograder.engine.student_errors import Stopped, StudentError
from autograder.engine.worker.protocol import frames
from autograder.engine.worker.protocol.frames import Payload

_SECONDS = struct.Struct("<d")
"""At the end of a request stands how long the call may take, which is no part of the question."""


class _Heard(NamedTuple):
    """An answer that is there before the check has asked for it."""

    question: Payload
    kind: int
    reply: Payload
    given: float
    """Seconds that the call had."""


class FollowingSession(ObjectSession):
    """A session that can ask what a check would ask, before it runs, and has asked, after it."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._heard: deque[_Heard] = deque()

    def begin_check(self) -> None:
        super().begin_check()
        self._heard.clear()

    def follow(self, known: Sequence[Conversation]) -> bool:
        """Ask what a check has asked in known conversations, while the answers are those of one.

        Returns:
            Whether they were to its end. If not, the check can run: the calls that have been made
            are not made again when it makes them, and get the answers that have been heard.
        """
        heard: deque[_Heard] = deque()
        while known:
            place = len(heard)
            if place == len(known[0]):
                return True

            heard.append(self._ask(known[0][place]))
            known = [one for one in known if one[place].reply == heard[-1].reply]
            if known:
                self._calls.again(known[0][place])

        self.begin_check()
        self._heard = heard
        return False

    def conversation(self) -> Conversation | None:
        """The calls of the check that has just passed, if the same answers will make it pass again.

        None where more went into its verdict than they show.
        """
        is_shown = not (self.never or self.unanswered or self.imprecise)
        return self._calls.whole() if is_shown else None

    def get_ready(self, name: str) -> None:
        if not self._heard:
            super().get_ready(name)

    def repeat(self, drawn: int) -> str | None:
        """Repeat one call of this check, at a random number.

        Returns:
            What there is to say if the answers differ.
        """
        self._heard.clear()
        first = self._calls.drawn(drawn)
        if first is None or not self._worker.is_there:
            return None

        count = len(self._calls)
        self._calls.is_plain = True
        try:
            if self._talk(first.name, lambda: self._repeats(first)):
                return None
        except StudentError:
            pass
        except Stopped as stopped:
            return f"called again with the same arguments, {stopped}"

        # Nothing was noted of the second call if it called functions of the check, as the first
        # did not.
        again = self._calls.take_back(count)
        if again and agree(first, again[0], self.find):
            return None
        return f"{first.name} gave two different answers to the same call"

    def _repeats(self, first: Call) -> bool:
        """Make a call once more: whether the reply is the same to the byte; else it is noted."""
        kind, reply = self.converse(frames.CALL, os.urandom(16), first.request)
        if self._calls.is_plain and (kind, reply) == (first.kind, first.reply):
            return True
        self.understand(first.request, kind, reply, arguments(first.request, self.find))
        return False

    def converse(self, kind: int, nonce: bytes, payload: Payload) -> tuple[int, Payload]:
        if self._heard:
            heard = self._heard.popleft()
            if heard.question == _question(payload):
                self._clock.given = heard.given
                return heard.kind, heard.reply
            self._heard.clear()
        return super().converse(kind, nonce, payload)

    def _ask(self, call: Call) -> _Heard:
        self.get_ready(call.name)
        self._calls.is_plain = True
        question = _question(call.request)
        request = question + _SECONDS.pack(self._clock.seconds)
        converse = super().converse

        def talk() -> tuple[int, Payload]:
            kind, reply = converse(frames.CALL, os.urandom(16), request)
            self._calls.hear(reply)
            return kind, reply

        kind, reply = self._talk(call.name, talk)
        return _Heard(question, kind, reply, self._clock.given)


def _question(request: Payload) -> Payload:
    return request[: -_SECONDS.size]

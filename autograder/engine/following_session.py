"""A session that asks without a check: what is known to come, and one call once more."""

from __future__ import annotations

import os
import struct
from collections import deque
from collections.abc import Mapping, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

from autograder.engine.known_conversations import Conversation
from autograder.engine.recorded_calls import Call, agree, arguments
from autograder.engine.stub_session import StubSession
from autograder.engine.student_errors import Stopped, StudentError
from autograder.engine.worker.protocol import frames
from autograder.engine.worker.protocol.bounds import ProtocolError
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


class FollowingSession(StubSession):
    """A session that can ask what a check would ask, before it runs, and has asked, after it."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._heard: deque[_Heard] = deque()
        self._ahead: dict[str, list[_Heard]] = {}
        """Answers to checks whose turn has not come, by the check."""
        self._again: _Heard | None = None
        """What a call of the check was answered when it was repeated right behind the others."""

    def begin_check(self) -> None:
        super().begin_check()
        self._heard.clear()
        self._again = None

    def ask_ahead(self, expected: Mapping[str, Conversation]) -> None:
        """Ask at once what several checks are going to ask, one after the other.

        Args:
            expected: by check, in their order: the calls of a known conversation, and the one to be
                repeated.
        """
        self._ahead.clear()
        if len(expected) < 2:
            return

        answers = self._together(tuple(chain.from_iterable(expected.values())))
        for check, calls in expected.items():
            self._ahead[check], answers = answers[: len(calls)], answers[len(calls) :]

    def follow(self, check: str, known: Sequence[Conversation], drawn: int | None) -> bool:
        """Ask what a check has asked in known conversations, while the answers are those of one.

        Args:
            drawn: the random number of the call to be repeated afterwards; None if none is.

        Returns:
            Whether they were to its end. If not, the check can run: the calls that have been made
            are not made again when it makes them, and get the answers that have been heard.
        """
        heard: deque[_Heard] = deque()
        while known:
            way = known[0]
            if len(heard) == len(way):
                return True
            calls = way[len(heard) :]
            answers = self._ahead.pop(check, []) or self._together(calls + repeated(way, drawn))
            if not answers:
                break
            self._again = answers.pop() if len(answers) > len(calls) else None
            for answer in answers:
                asked = known[0][len(heard)] if known else None
                if asked and _question(asked.request) != answer.question:
                    break  # what is asked depends on the answers, and another way is left
                heard.append(answer)
                known = [one for one in known if one[len(heard) - 1].reply == answer.reply]
                if known:
                    self._calls.again(known[0][len(heard) - 1])

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
        self._heard = deque([self._again] if self._again else [])
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

    def _together(self, calls: Conversation) -> list[_Heard]:
        """Ask for calls in one frame, and hear the answers in one.

        Returns:
            The answers to the first calls: to all of them, as a rule. To none where that went
            wrong: whoever asks for one after the other finds out which call is to blame.
        """
        timeouts = dict(self._clock.timeouts)
        try:
            for name in {call.name for call in calls}:
                self.get_ready(name)
            seconds = _SECONDS.pack(self._clock.seconds)
            requests = []
            for call in calls:
                requests.append(frames.part(frames.CALL, _question(call.request) + seconds))
            replies = self._talk(calls[0].name, lambda: self._replies(requests))
        except Stopped:
            self._clock.timeouts.clear()
            self._clock.timeouts.update(timeouts)
            return []

        answers = []
        for call, (kind, reply) in zip(calls, replies):
            question = _question(call.request)
            answers.append(_Heard(question, kind, reply, self._clock.given))
        return answers

    def _replies(self, requests: list[bytes]) -> list[tuple[int, Payload]]:
        _, payload = super().converse(frames.CALLS, os.urandom(16), b"".join(requests))
        self._calls.hear(payload)
        replies = list(islice(frames.parts(payload), len(requests) + 1))
        if not 0 < len(replies) <= len(requests):
            raise ProtocolError("other answers than calls")
        for kind, _ in replies:
            if kind not in (frames.RETURN, frames.RAISE):
                raise ProtocolError("an answer of no kind")
        return replies


def repeated(way: Conversation, drawn: int | None) -> Conversation:
    """The call of a conversation that is repeated, at a random number; none where that is None."""
    return () if drawn is None else (way[drawn % len(way)],)


def _question(request: Payload) -> Payload:
    return request[: -_SECONDS.size]

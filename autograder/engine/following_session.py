"""A session that asks without a check: what is known to come, and one call once more."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from autograder.engine.joined_session import Cells, Failure, Heard, JoinedSession
from autograder.engine.known_conversations import Conversation
from autograder.engine.recorded_calls import Call, agree, arguments
from autograder.engine.student_errors import Stopped, StudentError
from autograder.engine.worker.protocol import frames
from autograder.engine.worker.protocol.frames import Payload


class FollowingSession(JoinedSession):
    """A session that can ask what a check would ask, before it runs, and has asked, after it."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._heard: deque[Heard] = deque()
        self._ahead: dict[str, list[Heard]] = {}
        """Answers to checks whose turn has not come, by the check."""
        self._again: Heard | None = None
        """What a call of the check was answered when it was repeated right behind the others."""

    def begin_check(self) -> None:
        super().begin_check()
        self._heard.clear()
        self._again = None

    def run_all(self, cells: Cells, expected: Mapping[str, Conversation]) -> list[Failure | None]:
        """Run cells, and ask at once what the checks behind them are going to ask.

        Args:
            expected: by check, in their order: the calls of a known conversation, and the one to be
                repeated.

        Returns:
            What each cell raised, if anything.
        """
        self._ahead.clear()
        calls = tuple(chain.from_iterable(expected.values()))
        raised, answers = self.together(cells, calls)
        for check, asked in expected.items():
            self._ahead[check], answers = answers[: len(asked)], answers[len(asked) :]
        return raised

    def follow(self, check: str, known: Sequence[Conversation], drawn: int | None) -> bool:
        """Ask what a check has asked in known conversations, while the answers are those of one.

        Args:
            drawn: the random number of the call to be repeated afterwards; None if none is.

        Returns:
            Whether they were to its end. If not, the check can run: the calls that have been made
            are not made again when it makes them, and get the answers that have been heard.
        """
        heard: deque[Heard] = deque()
        while known:
            way = known[0]
            if len(heard) == len(way):
                return True
            calls = way[len(heard) :]
            answers = self._ahead.pop(check, [])
            if not answers:
                _, answers = self.together((), calls + repeated(way, drawn))
            if not answers:
                break
            self._again = answers.pop() if len(answers) > len(calls) else None
            # Nearly always: they are those of this way, all of them.
            if not heard and [answer.reply for answer in answers] == [call.answer for call in way]:
                self._calls.again(way)
                return True
            for answer in answers:
                asked = known[0][len(heard)] if known else None
                if asked and asked.request != answer.request:
                    break  # what is asked depends on the answers, and another way is left
                heard.append(answer)
                known = [one for one in known if one[len(heard) - 1].answer == answer.reply]
                if known:
                    self._calls.again(known[0][len(heard) - 1 : len(heard)])

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
        first = self._calls.drawn(drawn)
        if first is None or not self._worker.is_there:
            return None

        heard, self._again = self._again, None
        if heard and (heard.request, heard.reply) == (first.request, first.answer):
            return None

        self._heard = deque([heard] if heard else [])
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
        again = self.converse(frames.CALL, os.urandom(16), first.request)
        if self._calls.is_plain and again == first.answer:
            return True
        self.understand(first.request, *again, arguments(first.request, self.find))
        return False

    def converse(self, kind: int, nonce: bytes, payload: Payload) -> tuple[int, Payload]:
        if self._heard:
            heard = self._heard.popleft()
            if heard.request == payload:
                self._clock.given = heard.given
                return heard.reply
            self._heard.clear()
        return super().converse(kind, nonce, payload)


def repeated(way: Conversation, drawn: int | None) -> Conversation:
    """The call of a conversation that is repeated, at a random number; none where that is None."""
    return () if drawn is None or not way else (way[drawn % len(way)],)

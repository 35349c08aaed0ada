"""The calls of a check, kept to repeat one, for diagnoses and for pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from autograder.engine.compare import same
from autograder.sandbox.worker.conversation import check_raised
from autograder.sandbox.worker.protocol import bounds, call_request, frames, weight
from autograder.sandbox.worker.protocol.bounds import ProtocolError
from autograder.sandbox.worker.protocol.decode import Decoder, Name
from autograder.sandbox.worker.protocol.frames import Payload

AGREE = 1e-12
"""Relative and absolute tolerance between two answers to the same call."""

MAX_HEARD = 2 * bounds.MAX_BYTES
"""Bytes that a worker may send during one check: the check may keep all of them."""

MAX_KEPT = bounds.MAX_BYTES // 2
"""Bytes of calls kept in one check, to repeat one of them."""

MAX_CALL = 1 << 20
"""Bytes of a request and its reply that are kept after the check, for diagnoses and pictures."""


class Call(NamedTuple):
    """A call of a student's function as it crossed the wire: its name, the request, the reply."""

    name: str
    request: Payload
    kind: int
    reply: Payload
    untouched: bool
    """Whether no earlier call of this check had changed an argument: then no input was chosen by
    student code."""

    @property
    def answer(self) -> tuple[int, Payload]:
        """The reply and its kind."""
        return self.kind, self.reply

    @property
    def listens(self) -> bool:
        """Whether the check reads what the call prints: such a request is a tuple of this
        length."""
        return self.request[1] == call_request.LISTENING

    @property
    def size(self) -> int:
        """Bytes of the request and of the reply."""
        return len(self.request) + len(self.reply)


class RecordedCalls:
    """The calls of one check, as many as there is room for.

    A call is told in three steps: ``begin``, then ``changed``, then ``note``.
    """

    def __init__(self) -> None:
        self._calls: list[Call] = []
        self._kept = 0
        self.heard = 0
        self._untouched = True
        self._changed = False
        self.is_plain = False
        """Whether the current call passes no function: a function may answer differently each
        time."""

    def forget(self) -> None:
        """Start again for the next check."""
        self._calls.clear()
        self._kept = self.heard = 0
        self._untouched = True

    def hear(self, payload: Payload) -> None:
        """Count the bytes that the worker sends, kept or not; ProtocolError if there are too
        many."""
        self.heard += len(payload)
        if self.heard > MAX_HEARD:
            raise ProtocolError(f"more than {MAX_HEARD >> 20} MB in one check")

    def begin(self) -> None:
        """A call begins."""
        self.is_plain = True

    def changed(self, any_argument: bool) -> None:
        """Whether the call has changed an argument."""
        self._changed = any_argument

    def note(self, name: str, request: Payload, kind: int, reply: Payload, nested: bool) -> None:
        """A call has ended. Keep it if it is plain and not part of another call, and if there is
        room."""
        call = Call(name, request, kind, reply, self._untouched)
        if not nested and self.is_plain and self._kept + call.size <= MAX_KEPT:
            self._kept += call.size
            self._calls.append(call)
        self._untouched = self._untouched and not self._changed

    def drawn(self, number: int) -> Call | None:
        """One of the calls, chosen by a random number."""
        return self._calls[number % len(self._calls)] if self._calls else None

    def __len__(self) -> int:
        return len(self._calls)

    def take_back(self, count: int) -> list[Call]:
        """Remove and return all calls except the first ``count``."""
        taken = self._calls[count:]
        del self._calls[count:]
        return taken

    def put_back(self, calls: list[Call]) -> None:
        """Keep calls that were taken back."""
        self._calls += calls

    def of(self, name: str) -> list[Call]:
        """The calls of a function that are worth keeping: small ones that the check made itself."""
        found = []
        for call in self._calls:
            if call.name == name and call.untouched and call.size <= MAX_CALL:
                found.append(call)
        return found


Find = Callable[[bytes, Name], Any]
"""Turns the name of a function on the wire into its stand-in here."""


def arguments(request: Payload, find: Find) -> list[Any]:
    """The arrays, lists and dictionaries of a request, in the order of their numbers."""
    decoder = Decoder(request, find)
    decoder.value()
    return decoder.known


def agree(one: Call, other: Call, find: Find) -> bool:
    """Whether the same call got the same answer twice."""
    return same(_outcome(one, find), _outcome(other, find), rtol=AGREE, atol=AGREE)


def _outcome(call: Call, find: Find) -> Any:
    """The value of a reply, for comparison; for an exception only its kind."""
    known = arguments(call.request, find)
    value = Decoder(call.reply, _unnamed, known).value()
    try:
        weight.weigh(value)
    except ProtocolError:  # its arguments have changed since it was first measured
        return object()

    return check_raised(value).names if call.kind == frames.RAISE else value


def _unnamed(tag: bytes, name: Name) -> Any:
    """Functions and objects are all alike, and records are of no class of the exercise's."""
    return None if tag == b"o" else "a function"


def is_imprecise(answer: Any) -> bool:
    """Whether an answer holds numbers less precise than float64."""
    if isinstance(answer, (np.ndarray, np.generic)):
        return answer.dtype.char in "fF"
    if not isinstance(answer, (tuple, list)) or _PRECISE.issuperset(map(type, answer)):
        return False
    return any(map(is_imprecise, answer))


_PRECISE = frozenset({float, int, bool, str})
"""Kinds of values that hold no other numbers than Python's own."""

"""One end of a conversation in which both sides may call functions of the other.

The grader calls the student's functions; if it passes a function as an argument, the student's code
calls that back. Both ends are this class, so values, changed arguments and exceptions cross in the
same way in both directions. A request has a nonce, and everything that belongs to it has the same
one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from autograder.sandbox.worker.protocol import bounds, frames
from autograder.sandbox.worker.protocol.bounds import CannotCross, ProtocolError
from autograder.sandbox.worker.protocol.changes import Snapshot, apply_changes, read_changes
from autograder.sandbox.worker.protocol.decode import Decoder, Name
from autograder.sandbox.worker.protocol.encode import Encoder
from autograder.sandbox.worker.protocol.frames import Line, Payload


class Raised(NamedTuple):
    """An exception on the wire."""

    number: int
    """The number of the other side's own exception, or 0."""
    names: tuple[str, ...]
    """The names of its class and base classes."""
    text: str
    cell: str
    line: int
    arguments: tuple[Any, ...] = ()
    """The arguments that it was made with, if they are plain."""
    printed: str = ""
    """The output of the call until then, if the check reads it."""


class Peer:
    """The common part of grader and worker; each says how to name functions and describe
    exceptions."""

    def __init__(self, sock: Line) -> None:
        self.sock = sock

    def function(self, value: Any) -> bytes:
        """The tag and bytes that name a callable to the other side."""
        raise NotImplementedError

    def find(self, tag: bytes, name: Name) -> Any:
        """The callable or object that the other side named, or its stand-in here.

        For a record's class (tag ``o``), a function that returns it, as in ``records.ClassOf``.
        """
        raise NotImplementedError

    def describe(self, error: BaseException) -> Raised:
        """An exception as it crosses the wire."""
        raise NotImplementedError

    def stays(self, value: Any) -> bool:
        """Whether a value is an object that the other side knows only by a number."""
        return False

    def revive(self, raised: Raised) -> BaseException:
        """The exception to raise here for one of the other side."""
        raise NotImplementedError

    def deadline(self) -> float | None:
        """The deadline for an answer of the other side, by ``time.monotonic``."""
        return None

    def request(self, kind: int, nonce: bytes, values: tuple[Any, ...]) -> Any:
        """Ask the other side and return its answer, serving its calls until it comes."""
        encoder = Encoder(self.function, stays=self.stays)
        encoder.value(values)
        return self.exchange(kind, nonce, encoder.out, encoder.known)

    def exchange(self, kind: int, nonce: bytes, payload: Payload, known: list[Any]) -> Any:
        """Send an encoded request, whose numbered values are ``known``, and return the answer."""
        kind, reply = self.converse(kind, nonce, payload)
        return self.understand(payload, kind, reply, known)

    def converse(self, kind: int, nonce: bytes, payload: Payload) -> tuple[int, Payload]:
        """Send an encoded request, serve the other side's calls, and return the raw reply."""
        frames.send(self.sock, kind, nonce, payload)
        while True:
            kind, answered, reply = frames.receive(self.sock, self.deadline())
            self.admit(kind, answered, nonce)
            if kind != frames.CALL:
                return kind, reply
            self.called(answered, reply)

    def understand(self, payload: Payload, kind: int, reply: Payload, known: list[Any]) -> Any:
        """The answer in a reply, after the changes to arguments in it have been made."""
        decoder = Decoder(reply, self.find, list(known))
        value = decoder.value()
        changes = read_changes(decoder, len(known))
        decoder.end()
        error = self.revive(check_raised(value)) if kind == frames.RAISE else None
        apply_changes(changes)
        self.received(value, known if changes else [])
        self.replied(payload, kind, reply)

        if error is None:
            return value
        try:
            raise error
        finally:
            # It holds this frame, so everything that was read here would wait for the garbage
            # collector.
            del error

    def received(self, value: Any, arguments: list[Any]) -> None:
        """Check an answer, and all arguments if any has changed, before they are used."""

    def replied(self, payload: Payload, kind: int, reply: Payload) -> None:
        """Record a request and its reply."""

    def admit(self, kind: int, answered: bytes, nonce: bytes) -> None:
        """Refuse a frame that does not belong here."""
        is_answer = kind in (frames.RETURN, frames.RAISE) and answered == nonce
        if not is_answer and kind != frames.CALL:
            raise ProtocolError("a frame out of turn")

    def called(self, nonce: bytes, payload: Payload) -> None:
        """Serve a call that came while this side was waiting."""
        self.answer(nonce, payload, self.invoke)

    def answer(self, nonce: bytes, payload: Payload, do: Callable[[Any], Any]) -> None:
        """Serve one request: decode it, carry it out, and send the result."""
        kind, reply = self.outcome(payload, do)
        frames.send(self.sock, kind, nonce, reply)

    def outcome(self, payload: Payload, do: Callable[[Any], Any]) -> tuple[int, Payload]:
        """Decode a request and carry it out; return the kind of the reply, and the reply."""
        decoder = Decoder(payload, self.find)
        request = decoder.value()
        decoder.end()
        snapshot = Snapshot(decoder.known)

        def write(value: Any) -> Payload:
            encoder = Encoder(self.function, list(decoder.known), self.stays)
            encoder.value(value)
            snapshot.write_changes(encoder)
            return encoder.out

        try:
            return frames.RETURN, write(do(request))
        except BaseException as error:  # all exceptions cross, also exits
            try:
                return frames.RAISE, write(tuple(self.describe(error)))
            except CannotCross:  # an argument was changed into something that cannot cross
                encoder = Encoder(self.function)
                encoder.value(tuple(self.describe(error)))
                return frames.RAISE, encoder.out + bytes(4)

    def invoke(self, request: Any) -> Any:
        """Call a function for the other side: ``(function, args, kwargs)``."""
        function, args, kwargs = request
        return function(*args, **kwargs)


def check_raised(value: Any) -> Raised:
    """The exception on the wire, with every field of its type and of a sane length."""
    if not (type(value) is tuple and len(value) == len(Raised._fields)):
        raise ProtocolError("no exception")
    raised = Raised(*value)

    if not (
        type(raised.number) is int
        and isinstance(raised.names, tuple)
        and all(isinstance(name, str) for name in raised.names)
        and isinstance(raised.text, str)
        and isinstance(raised.cell, str)
        and type(raised.line) is int
        and isinstance(raised.arguments, tuple)
        and isinstance(raised.printed, str)
    ):
        raise ProtocolError("no exception")

    return Raised(
        raised.number,
        raised.names[:20],
        raised.text[:1000],
        raised.cell[:100],
        raised.line,
        raised.arguments if _are_plain(raised.arguments) else (),
        raised.printed[: bounds.MAX_PRINTED],
    )


def plain_arguments(error: BaseException) -> tuple[Any, ...]:
    """The arguments of an exception; none if they are more than a few plain values."""
    arguments = BaseException.args.__get__(error)  # type: ignore[attr-defined]
    return arguments if _are_plain(arguments) else ()


def _are_plain(arguments: tuple[Any, ...]) -> bool:
    if len(arguments) > bounds.MAX_RAISED:
        return False
    for value in arguments:
        if type(value) in (str, bytes):
            if len(value) > 1000:
                return False
        elif type(value) is int:
            if value.bit_length() > 1000:
                return False
        elif type(value) not in (bool, float, complex, type(None)):
            return False
    return True

"""Things that cross the wire only as numbers: functions, objects of a student's classes, and
exceptions that a check's own functions have raised."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import Any

from autograder.engine.remote import RemoteObject, class_of
from autograder.sandbox.worker.conversation import Raised, plain_arguments
from autograder.sandbox.worker.protocol.bounds import ProtocolError
from autograder.sandbox.worker.protocol.frames import Payload

MAX_CALLBACKS = 20_000
"""Most calls of a check's functions during one check."""

CALLED = struct.Struct("<cIcI")
"""The first bytes of such a call: it is a tuple of three, and the function's number is its first
part."""


class Functions:
    """Functions and exceptions of the grader, numbered as the worker knows them."""

    def __init__(self) -> None:
        self._functions: list[Callable[..., Any]] = []
        self._bound: list[Callable[..., Any]] = []
        self._raised: list[BaseException] = []
        self.calls = 0

    def forget(self) -> None:
        """Another check begins: forget everything except bound functions."""
        self.calls = 0
        self._functions[:] = self._bound
        self._raised.clear()

    def bind(self, function: Callable[..., Any]) -> None:
        """Remember a function from now on, in every check."""
        self._bound.append(function)
        self._functions[:] = self._bound

    def number(self, function: Callable[..., Any]) -> int:
        """The number of a function; a new number if it has none."""
        for number, known in enumerate(self._functions):
            if known is function:
                return number

        self._functions.append(function)
        return len(self._functions) - 1

    def count_call(self) -> None:
        """The worker calls one of them; ProtocolError if it does so too often."""
        self.calls += 1
        if self.calls > MAX_CALLBACKS:
            raise ProtocolError("too many calls of the check's functions")

    def function(self, number: int) -> Callable[..., Any]:
        """The function of a number that the worker has sent; ProtocolError if there is none."""
        if number >= len(self._functions):
            raise ProtocolError("a function that is not there")
        return self._functions[number]

    def called(self, payload: Payload) -> Callable[..., Any] | None:
        """The function that a call is for; None if it is for none of these."""
        if len(payload) < CALLED.size:
            return None
        *head, number = CALLED.unpack_from(payload)
        is_call = head == [b"t", 3, b"g"] and number < len(self._functions)
        return self._functions[number] if is_call else None

    def has(self, function: Any) -> bool:
        """Whether this very object is one of these."""
        return any(known is function for known in self._functions)

    def tell(self, error: Exception) -> Raised:
        """An exception as it crosses the wire; it is recognized when it comes back."""
        # Without the frames that it passed: they hold arguments of the student's choice.
        error.__traceback__ = error.__context__ = None
        self._raised.append(error)
        names = tuple(kind.__name__ for kind in type(error).__mro__)
        return Raised(len(self._raised), names, str(error), "", 0, plain_arguments(error))

    def raised(self, number: int) -> BaseException | None:
        """The exception of a number that the worker has sent; None if it was the student's."""
        return self._raised[number - 1] if 0 < number <= len(self._raised) else None


class Objects:
    """Stand-ins for the objects of a student's classes, which stay in the worker."""

    def __init__(self) -> None:
        self._classes: list[type[RemoteObject]] = []
        self._objects: dict[tuple[int, int], RemoteObject] = {}

    def keep(self, classes: Mapping[str, str]) -> None:
        """Register these steps, which are classes.

        Args:
            classes: the author's own answers to them; empty texts where nobody knows them.
        """
        self._classes = [class_of(step, source) for step, source in classes.items()]

    def forget(self) -> None:
        """Another check begins."""
        self._objects.clear()

    def find(self, session: Any, generation: int, number: int, place: int) -> RemoteObject:
        """The stand-in for an object: the same object always has the same one.

        Args:
            place: which of the classes the worker says that it is of.
        """
        if place >= len(self._classes):
            raise ProtocolError("an object of no class")
        cls = self._classes[place]
        known = self._objects.get((generation, number))
        if type(known) is not cls:
            known = cls(session, cls.__name__, (generation, number))
            self._objects[generation, number] = known
        return known

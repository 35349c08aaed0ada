"""Exceptions of the student's code, as a check meets them."""

from __future__ import annotations

import builtins

from autograder.sandbox.worker.conversation import Raised
from autograder.submissions.python_source import function_at

UNANSWERED = ("Undefined", "CannotCross")
"""The worker's names for an undefined name, and for a value that cannot leave it."""

UNDEFINED = " is not defined"
"""The worker's text after such a name."""


class StudentError(Exception):
    """An exception of the student's code.

    It is also an instance of the builtin class that was raised there.
    """

    kind = "an exception"
    text = ""
    cell = ""
    line = 0
    printed = ""
    called = ""
    """The name of its class, which the student may have chosen."""

    def __str__(self) -> str:
        return self.text

    @property
    def is_unanswered(self) -> bool:
        """Whether it stands for a missing answer, and is not a real exception."""
        return self.kind in UNANSWERED

    def as_raised(self) -> Exception:
        """An exception with the same class name and text as this one had where it was raised."""
        error: Exception = type(self.called, (Exception,), {})(self.text)
        return error


class Stopped(BaseException):
    """The student's code ended, crashed, hung or broke the protocol.

    No check may mistake that for an answer.
    """


class StudentErrors:
    """Revives exceptions of a submission, and trusts the worker's words no more than it must."""

    def __init__(self) -> None:
        self._sources: dict[str, str] = {}
        self._names: set[str] = set()

    def runs(self, cell: str, source: str) -> None:
        """A cell runs: from now on, errors may name its lines."""
        self._sources[cell] = max(self._sources.get(cell, ""), source, key=_lines)

    def asks_for(self, name: str) -> None:
        """The grader asks for a function: from now on, errors may say that this name is
        undefined."""
        self._names.add(name)

    def place(self, raised: Raised) -> tuple[str, int]:
        """The cell and the line in which it was raised; nothing if there is no such line.

        These are the worker's words, and may be any text.
        """
        source = self._sources.get(raised.cell)
        if source is not None and 0 < raised.line <= _lines(source):
            return raised.cell, raised.line
        return "", 0

    def function(self, error: StudentError) -> str:
        """The function in which it was raised; empty if there is none."""
        return function_at(self._sources.get(error.cell, ""), error.line)

    def revived(self, raised: Raised) -> StudentError:
        """The exception to raise in a check."""
        _, names, text, _, _, arguments, printed = raised
        if names[:1] == ("Undefined",) and text.removesuffix(UNDEFINED) not in self._names:
            names = ("NameError", "Exception")

        kind = builtin_kind(names)
        error = _instance(kind)
        error.kind = kind.__name__
        if names[:1] and names[0] in UNANSWERED:
            error.kind = names[0]
        error.text = text
        error.cell, error.line = self.place(raised)
        error.args, error.printed = arguments, printed
        error.called = names[0] if names else error.kind
        return error


def _lines(source: str) -> int:
    return source.count("\n") + 1


def is_exit(names: tuple[str, ...]) -> bool:
    """Whether code must not go on after it: ``exit``, or an interrupt."""
    return not {"Exception", "Undefined", "CannotCross"} & set(names)


def builtin_kind(names: tuple[str, ...]) -> type[Exception]:
    """The first of the class names that is a builtin exception; others are the student's words."""
    if names[:1] == ("Undefined",):
        return NameError
    if names[:1] == ("CannotCross",):
        return TypeError

    for name in names:
        kind = getattr(builtins, name, None)
        if isinstance(kind, type) and issubclass(kind, Exception):
            return kind
    return Exception


def _instance(kind: type[Exception]) -> StudentError:
    """A StudentError that is also a ``kind``, or the nearest base class that needs no arguments."""
    for base in kind.__mro__:
        # Never AssertionError: only the check itself asserts. Nor an exception that silently ends a
        # loop over calls.
        if base in (AssertionError, StopIteration, StopAsyncIteration, Exception):
            return StudentError()
        try:
            error: StudentError = type("StudentError", (StudentError, base), {})()
            return error
        except TypeError:  # UnicodeDecodeError and others need arguments
            continue

    return StudentError()

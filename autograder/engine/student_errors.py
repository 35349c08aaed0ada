"""Exceptions of the student's code, as a check meets them."""

from __future__ import annotations

import builtins

from autograder.sandbox.worker.conversation import Raised
from autograder.submissions.python_source import function_at

UNANSWERED = ("Undefined", "CannotCross")
"""What the worker calls a name that is not there, and a value that cannot leave it."""

UNDEFINED = " is not defined"
"""What the worker says behind such a name."""


class StudentError(Exception):
    """An exception of the student's code.

    It also is an instance of the builtin class that was raised there.
    """

    kind = "an exception"
    text = ""
    cell = ""
    line = 0
    printed = ""
    called = ""
    """What its class is called, in the student's words."""

    def __str__(self) -> str:
        return self.text

    @property
    def is_unanswered(self) -> bool:
        """Whether it stands for an answer that is not there, and not for an exception."""
        return self.kind in UNANSWERED

    def as_raised(self) -> Exception:
        """An exception that is called, and says, what this did where it was raised."""
        error: Exception = type(self.called, (Exception,), {})(self.text)
        return error


class Stopped(BaseException):
    """The student's code ended, crashed, hung or broke the protocol.

    No check may take that for an answer.
    """


class StudentErrors:
    """Revives exceptions of a submission, believing no more of the worker's words than it must."""

    def __init__(self) -> None:
        self._sources: dict[str, str] = {}
        self._names: set[str] = set()

    def runs(self, cell: str, source: str) -> None:
        """A cell runs: lines of it may be named from now on."""
        self._sources[cell] = max(self._sources.get(cell, ""), source, key=_lines)

    def asks_for(self, name: str) -> None:
        """The grader asks for a function: this name may be said to be undefined from now on."""
        self._names.add(name)

    def place(self, raised: Raised) -> tuple[str, int]:
        """The cell that it was raised in, and the line; nothing where there is no such line.

        They are the worker's word, and may be any text.
        """
        source = self._sources.get(raised.cell)
        if source is not None and 0 < raised.line <= _lines(source):
            return raised.cell, raised.line
        return "", 0

    def function(self, error: StudentError) -> str:
        """The function of its cell in which it was raised; empty where there is none."""
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
    """Whether it is no exception that code may go on after: ``exit``, an interrupt."""
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
    """A StudentError that is a ``kind`` as well, or its nearest base that wants no arguments."""
    for base in kind.__mro__:
        # Never of AssertionError: only the check itself asserts. Nor of what silently ends a loop
        # over calls.
        if base in (AssertionError, StopIteration, StopAsyncIteration, Exception):
            return StudentError()
        try:
            error: StudentError = type("StudentError", (StudentError, base), {})()
            return error
        except TypeError:  # UnicodeDecodeError and its like want arguments
            continue

    return StudentError()

"""One student is one unit: what cannot be done for one is a line about that one.

Everybody else's is done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from autograder.base.errors import Fault, Unusable
from autograder.base.text import printable

T = TypeVar("T")

LONGEST = 300
"""Characters of a cause at most: it may quote what a student wrote."""


class Troubles:
    """What could not be done, by student; empty, and so false, where everything was."""

    def __init__(self) -> None:
        self._lines: dict[str, list[str]] = {}

    @contextmanager
    def of(self, student: str, what: str) -> Iterator[None]:
        """Do something for one student; what goes wrong becomes a line about them.

        It says ``what`` could not be done, and the cause. What stops a program, such as Ctrl-C, is
        no Exception, and goes through.
        """
        try:
            yield
        except Exception as error:
            self._lines.setdefault(student, []).append(f"{what}: {cause(error)}")

    def add(self, others: Troubles) -> None:
        """Take over the lines of others."""
        for student, lines in others._lines.items():
            self._lines.setdefault(student, []).extend(lines)

    def about(self, student: str) -> str:
        """All that went wrong for a student, in one line; empty where nothing did."""
        return "; ".join(self._lines.get(student, ()))

    @property
    def lines(self) -> list[str]:
        """All lines, each with its student."""
        lines = []
        for student, own in self._lines.items():
            lines += [f"{student}: {line}" for line in own]
        return lines

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __contains__(self, student: object) -> bool:
        return student in self._lines

    def __len__(self) -> int:
        return len(self._lines)


def extra(work: Callable[[], T], otherwise: T) -> T:
    """The result of ``work``, which is only an extra, such as a picture; else ``otherwise``."""
    try:
        return work()
    except Exception:
        return otherwise


def cause(error: Exception) -> str:
    """Why something failed, in one line; errors that are not our own with their type."""
    # A database's error quotes the whole statement; what is inside of it is the cause.
    inner = getattr(error, "orig", None) or error
    words = str(inner)
    if isinstance(inner, OSError) and inner.filename is not None:
        words = f"{inner.filename}: {(inner.strerror or 'cannot be used').lower()}"
    elif not isinstance(inner, (Unusable, Fault)):
        words = f"{type(inner).__name__}: {words}"

    line = printable(" ".join(words.split()))
    return line if len(line) <= LONGEST else f"{line[:LONGEST]} …"

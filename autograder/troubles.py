"""One student is one unit: what cannot be done for one is a line about that one, and everybody
else's is done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from autograder.errors import Fault, Unusable
from autograder.text import printable

T = TypeVar("T")

LONGEST = 300
"""Characters of a cause: it may quote what a student wrote."""


class Troubles:
    """What could not be done, by student; empty, and so false, where everything was."""

    def __init__(self) -> None:
        self._found: dict[str, list[str]] = {}

    @contextmanager
    def of(self, student: str, what: str) -> Iterator[None]:
        """Do something for one student; what goes wrong becomes a line: who, ``what`` it was, and
        the cause.

        What stops a program, such as Ctrl-C, is no Exception, and goes through.
        """
        try:
            yield
        except Exception as error:
            self._found.setdefault(student, []).append(f"{what}: {cause(error)}")

    def add(self, others: Troubles) -> None:
        """Take over what others have found."""
        for student, found in others._found.items():
            self._found.setdefault(student, []).extend(found)

    def about(self, student: str) -> str:
        """All that went wrong for a student, in one line; empty where nothing did."""
        return "; ".join(self._found.get(student, ()))

    @property
    def lines(self) -> list[str]:
        return [f"{student}: {line}" for student, found in self._found.items() for line in found]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __contains__(self, student: object) -> bool:
        return student in self._found

    def __len__(self) -> int:
        return len(self._found)


@contextmanager
def gathered(troubles: Troubles | None) -> Iterator[Troubles]:
    """The caller's own; where the caller has none they are raised, but after all the rest is done.

    Raises:
        Fault: something could not be done for somebody, and ``troubles`` is None.
    """
    found = Troubles() if troubles is None else troubles
    yield found
    if troubles is None and found:
        raise Fault("; ".join(found.lines))


def extra(work: Callable[[], T], otherwise: T) -> T:
    """What is only an extra, such as a picture; ``otherwise`` where it cannot be had, for it must
    cost nothing."""
    try:
        return work()
    except Exception:
        return otherwise


def cause(error: Exception) -> str:
    """Why something failed, in one line: ours as it stands, of others what they are called, too."""
    # A database's error quotes the whole statement; what is inside of it is the cause.
    inner = getattr(error, "orig", None) or error
    words = str(inner)
    if isinstance(inner, OSError) and inner.filename is not None:
        words = f"{inner.filename}: {(inner.strerror or 'cannot be used').lower()}"
    elif not isinstance(inner, (Unusable, Fault)):
        words = f"{type(inner).__name__}: {words}"
    line = printable(" ".join(words.split()))
    return line if len(line) <= LONGEST else f"{line[:LONGEST]} …"

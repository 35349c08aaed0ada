"""The exceptions that the command line turns into one line and an exit code."""

from __future__ import annotations

from collections.abc import Iterable


class Unusable(Exception):
    """Something a user can mend: where it is, the cause, the repair.

    The command line prints it as one line and exits with 2. Where several things are wrong with one
    file, each is a line, and the message is the first.

    Args:
        where: the file with its line, the option, the student. Or all of the line, by itself.
    """

    def __init__(self, where: object, cause: str = "", repair: str = "") -> None:
        super().__init__(str(where), cause, repair)
        self.where = str(where) if cause else ""
        self.cause = cause or str(where)
        self.repair = repair
        self._others: tuple[str, ...] = ()

    @classmethod
    def of_lines(cls, lines: Iterable[str]) -> Unusable:
        """The error that says each of these lines."""
        first, *others = lines
        error = cls(first)
        error._others = tuple(others)
        return error

    def __str__(self) -> str:
        line = f"{self.where}: {self.cause}" if self.where else self.cause
        return f"{line}; {self.repair}" if self.repair else line

    @property
    def lines(self) -> tuple[str, ...]:
        """All that is wrong, a line each."""
        return (str(self), *self._others)

    @property
    def fields(self) -> dict[str, str]:
        """What a program reads; what is not told apart is in the cause."""
        return {"where": self.where, "cause": self.cause, "repair": self.repair}


class Fault(Exception):
    """The grader itself cannot work; one line, and exit code 3."""


class Interrupted(BaseException):
    """Somebody ended the program with a signal, as Ctrl-C does: one line, and exit code 128 + it.

    No Exception, so that nothing between the signal and the command line takes it for a failure of
    its own.
    """

    def __init__(self, number: int, line: str = "stopped") -> None:
        super().__init__(line)
        self.number = number

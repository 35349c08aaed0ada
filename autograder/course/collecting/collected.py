"""What collecting did: the submissions that were stored, and what was left with its reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from autograder.base.text import count, printable

Parts = tuple[str, ...]
"""A path below the folder of downloads."""

MAX_LINES = 20
"""Files of one student that are listed as left, at most."""

MAX_NAMES = 10
"""Students that are named where there is nothing new of them, at most."""

MAX_STORED = 100
"""Students with a line each where something was collected, at most."""


@dataclass(frozen=True)
class Left:
    """Something that was not collected.

    ``where`` is a path as a person knows it, ``whose`` the part of it that is one student's, as
    far as one can tell.
    """

    where: str
    why: str
    whose: Parts = field(default=(), compare=False)


@dataclass(frozen=True)
class Collected:
    """What became of the submissions.

    The students whose submission was stored, those for whom nothing newer came, what was left, and
    notes about what a teacher should look at.
    """

    stored: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    left: tuple[Left, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def lines(self) -> list[str]:
        """The same for people, one fact a line."""
        facts = [f"collected: {student}" for student in self.stored]
        if len(facts) > MAX_STORED:
            facts = [f"collected: {count(len(facts), 'student')}"]
        if len(self.unchanged) > MAX_NAMES:
            facts.append(f"nothing newer: {count(len(self.unchanged), 'student')}")
        elif self.unchanged:
            facts.append(f"nothing newer: {', '.join(self.unchanged)}")
        facts += [f"left: {left.where}: {left.why}" for left in self.left]
        facts += [f"note: {note}" for note in self.notes]
        # Students name files; a name must not move the cursor, nor start a line of its own.
        return [" ".join(printable(fact).splitlines()) for fact in facts]


def unreadable(where: str, error: Exception, whose: Parts = ()) -> Left:
    """The line about an error that nobody has foreseen, which must not concern anybody else."""
    return Left(where, f"could not be read ({type(error).__name__}: {str(error)[:100]})", whose)


def shortened(left: Iterable[Left]) -> list[Left]:
    """In order, at most ``MAX_LINES`` of each student's; then how many more there are."""
    lines: list[Left] = []
    counts: Counter[Parts] = Counter()
    for line in sorted(set(left), key=lambda line: line.where):
        counts[line.whose] += 1
        if not line.whose or counts[line.whose] <= MAX_LINES:
            lines.append(line)

    for whose, number in sorted(counts.items()):
        if whose and number > MAX_LINES:
            lines.append(Left("/".join(whose), f"and {number - MAX_LINES} more"))
    return lines


def together(one: Collected, other: Collected) -> Collected:
    """Two collections as one."""
    stored = {*one.stored, *other.stored}
    unchanged = {*one.unchanged, *other.unchanged} - stored
    return Collected(
        tuple(sorted(stored)),
        tuple(sorted(unchanged)),
        one.left + other.left,
        one.notes + other.notes,
    )

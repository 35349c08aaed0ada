"""What collecting did: the submissions that were stored, and what was left with its reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path

from autograder.base import files
from autograder.base.text import count, printable
from autograder.course import timestamp
from autograder.course.collecting import earlier, naming
from autograder.course.course import Course
from autograder.submissions import notebook

MAX_BYTES = notebook.MAX_BYTES
"""The largest notebook that is collected."""

MAX_LINES = 20
"""Files of one student that are listed as left, at most."""

MAX_NAMES = 10
"""Students that are named where there is nothing new of them, at most."""

MAX_STORED = 100
"""Students with a line each where something was collected, at most."""

SECRET = earlier.SECRET
"""The file in which ``nbgrader submit`` keeps the secret that names the student's feedback."""

LAST = earlier.LAST
"""The file in which we keep when the same bytes were handed in for the last time."""

PLATFORM = "platform.txt"
"""The file in which we keep what the learning platform calls the student's own folder or file."""


@dataclass(frozen=True)
class Left:
    """Something that was not collected.

    ``where`` is a path as a person knows it, ``whose`` the part of it that is one student's, as
    far as one can tell.
    """

    where: str
    why: str
    whose: tuple[str, ...] = field(default=(), compare=False)


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
        # Students name files; a name must not move the cursor, nor start a line of its own.
        return [" ".join(printable(fact).splitlines()) for fact in self._facts()]

    def _facts(self) -> Iterator[str]:
        if len(self.stored) > MAX_STORED:
            yield f"collected: {count(len(self.stored), 'student')}"
        else:
            for student in self.stored:
                yield f"collected: {student}"
        if self.unchanged:
            yield f"nothing newer: {self._unchanged()}"
        for left in self.left:
            yield f"left: {left.where}: {left.why}"
        for note in self.notes:
            yield f"note: {note}"

    def _unchanged(self) -> str:
        if len(self.unchanged) > MAX_NAMES:
            return count(len(self.unchanged), "student")
        return ", ".join(self.unchanged)


def now() -> datetime:
    """The present time; nothing was handed in later."""
    return datetime.now(timezone.utc)


def store(
    course: Course,
    exercise: str,
    student: str,
    data: bytes,
    time: datetime,
    secret: str | None = None,
    first: datetime | None = None,
    source: str = "file",
) -> bool:
    """Put a submission where it is graded, unless the same one or a later one lies there.

    Of the same bytes, handed in again, the first time counts: nobody becomes late by that.

    Returns:
        Whether it was put there.

    Args:
        time: when it was handed in, with its zone, by the clock of the system that took it.
        secret: what ``nbgrader submit`` drew for it.
        first: when the same bytes were handed in for the first time; by default, then.
        source: where that time comes from, as ``timestamp.SOURCE`` says it.
    """
    folder = course.submission(student, exercise)
    path = folder / f"{exercise}.ipynb"
    last, counts = timestamp.stored(time), timestamp.stored(first or time)

    try:
        same = files.read(path, MAX_BYTES) == data
        old = timestamp.submitted_at(folder) or _modified(path)
    except (files.Refused, OSError):
        same, old = False, None
    if old is not None and old > timestamp.stored(now()):
        old = None  # an earlier collection believed it
    if old is not None:
        old_last = _last(folder) or old
        if same:
            if counts < old:
                files.write(folder / timestamp.SOURCE, source.encode())
            _keep_times(folder, min(counts, old), max(last, old_last))
            return False
        keeps = course.settings.counts == "best"
        if keeps and earlier.knows(course, exercise, student, data):
            return False
        if old_last > last:
            if keeps:
                place = earlier.place_for(course, exercise, student)
                _write(place, exercise, data, secret, source)
                _keep_times(place, counts, last)
                earlier.bound(course, exercise, student)
            return False
        if keeps:
            kept = earlier.keep(course, exercise, student)
            earlier.bound(course, exercise, student, kept)

    # The time last: whoever is stopped in between starts again with the notebook.
    _write(folder, exercise, data, secret, source)
    _keep_times(folder, counts, last)
    return True


def _write(folder: Path, exercise: str, data: bytes, secret: str | None, source: str) -> None:
    files.write(folder / f"{exercise}.ipynb", data)
    if secret is not None:
        files.write(folder / SECRET, secret.encode())
    else:
        (folder / SECRET).unlink(missing_ok=True)
    files.write(folder / timestamp.SOURCE, source.encode())


def _keep_times(folder: Path, counts: datetime, last: datetime) -> None:
    """Write down the time that counts, and the last one where that is another."""
    if last == counts:
        (folder / LAST).unlink(missing_ok=True)
    elif _last(folder) != last:
        files.write(folder / LAST, timestamp.format(last).encode())
    if timestamp.submitted_at(folder) != counts:
        files.write(folder / timestamp.NAME, timestamp.format(counts).encode())


def _last(folder: Path) -> datetime | None:
    """When what lies there was handed in for the last time, if not only once."""
    return timestamp.submitted_at(folder, LAST)


def read_secret(folder: Path | int) -> str | None:
    """The secret that ``nbgrader submit`` put into a folder; None without a sound one.

    Args:
        folder: a path or an open directory.
    """
    try:
        if isinstance(folder, int):
            text = files.read(SECRET, 1000, folder)
        else:
            text = files.read(folder / SECRET, 1000)
    except (files.Refused, OSError):
        return None
    match = re.fullmatch(rb"\s*([0-9a-f]{32,256})\s*", text)
    return match[1].decode() if match else None


def keep_platform(course: Course, exercise: str, student: str, hand_back: str) -> None:
    """Remember how the platform calls a student (``naming.hand_back``)."""
    folder = course.submission(student, exercise)
    if hand_back and read_platform(folder) != hand_back:
        files.write(folder / PLATFORM, hand_back.encode())


def read_platform(folder: Path) -> str:
    """What ``keep_platform`` kept; empty where there is nothing sound."""
    try:
        text = files.read(folder / PLATFORM, 1000).decode("utf-8")
    except (files.Refused, OSError, UnicodeDecodeError):
        return ""
    return text if naming.is_hand_back(text) else ""


def shortened(left: Iterable[Left]) -> list[Left]:
    """In order, at most ``MAX_LINES`` of each student's; then how many more there are."""
    lines: list[Left] = []
    counts: Counter[tuple[str, ...]] = Counter()
    for line in sorted(set(left), key=lambda line: line.where):
        counts[line.whose] += 1
        if not line.whose or counts[line.whose] <= MAX_LINES:
            lines.append(line)

    for whose, number in sorted(counts.items()):
        if whose and number > MAX_LINES:
            lines.append(Left("/".join(whose), f"and {number - MAX_LINES} more"))
    return lines


def together(parts: Iterable[Collected]) -> Collected:
    """Several collections as one."""
    stored: set[str] = set()
    unchanged: set[str] = set()
    left: list[Left] = []
    notes: list[str] = []
    for part in parts:
        stored.update(part.stored)
        unchanged.update(part.unchanged)
        left += part.left
        notes += part.notes

    return Collected(
        tuple(sorted(stored)), tuple(sorted(unchanged - stored)), tuple(left), tuple(notes)
    )


def _modified(path: Path) -> datetime:
    return datetime.fromtimestamp(int(path.stat().st_mtime), timezone.utc).replace(tzinfo=None)

"""Whose a line of a downloaded file is.

Nothing is guessed: a line that fits nobody, or several, is nobody's.
"""

from __future__ import annotations

import csv
import io
from codecs import BOM_UTF8
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.base.errors import Unusable
from autograder.base.text import either, printable
from autograder.course.class_list import EMAILS, LOGINS, NUMBERS
from autograder.course.collecting.naming import Claim
from autograder.course.collecting.roster import Roster, Unmatched
from autograder.course.gradebook.final_grades import FinalGrade

_MAX_CELL = 10_000_000
"""Characters of a cell: an online text may be long."""


@dataclass(frozen=True)
class Download:
    """A table as a platform wrote it, and how to write it.

    All ``rows`` are as long as the ``header``. ``bom``: the mark that it began with, if any.
    """

    path: Path
    header: list[str]
    rows: list[list[str]]
    delimiter: str
    bom: bytes

    def __str__(self) -> str:
        return str(self.path)


@dataclass(frozen=True)
class Line:
    """What a line says of its student.

    ``ids``: cells that may be an id, login or address of theirs. ``shown``: what messages call it.
    """

    claim: Claim
    ids: tuple[str, ...]
    shown: str


def read(path: Path | None, platform: str) -> Download:
    """Read the file that ``--fill`` names.

    Raises:
        Unusable: there is none, or it is no CSV.
    """
    if path is None:
        repair = "name what you downloaded with --fill FILE"
        raise Unusable(f"--to {platform}: fills a file from {platform}; {repair}")
    data = path.read_bytes()
    again = f"download it from {platform} again, as CSV in UTF-8"

    try:
        text = data.decode("utf-8-sig")
        delimiter = max(",;\t", key=text.partition("\n")[0].count)
        rows = _rows(text, delimiter)
        if platform == "canvas":
            # "Manual Posting", in any language and as long as it likes: no student, and no points.
            rows = [row for row in rows if any(cell.strip() for cell in row[:3])]
    except (ValueError, csv.Error) as error:
        raise Unusable(f"{path}: {error}; {again}") from None

    if len(rows) < 2 or any(len(row) != len(rows[0]) for row in rows):
        raise Unusable(f"{path}: is no table with a header and lines of one length; {again}")
    bom = BOM_UTF8 if data.startswith(BOM_UTF8) else b""
    return Download(path, rows[0], rows[1:], delimiter, bom)


def _rows(text: str, delimiter: str) -> list[list[str]]:
    """The lines of a table that are not empty."""
    limit = csv.field_size_limit(_MAX_CELL)
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        return list(filter(None, reader))
    finally:
        csv.field_size_limit(limit)


def match(
    grades: Sequence[FinalGrade], lines: Mapping[int, Line], place: str
) -> tuple[dict[int, str], list[str]]:
    """The students of these lines.

    Args:
        grades: everybody whom a line may be about; a line is missed of who has a score alone.
        lines: by their number.
        place: what the file is called in notes.

    Returns:
        Students by the number of their line, and notes for the teacher about what fits nothing.
    """
    finder = _Finder(grades)
    students: dict[int, str] = {}
    notes: list[str] = []
    for number, line in lines.items():
        try:
            students[number] = finder.find(line)
        except Unmatched as error:
            notes.append(f"left as it is: {printable(line.shown)}: {error}")

    times = Counter(students.values())
    for number, student in list(students.items()):
        if times[student] > 1:
            del students[number]
            why = f"one of {times[student]} lines of {student}"
            notes.append(f"left as it is: {printable(lines[number].shown)}: {why}")

    for grade in grades:
        if grade.score is not None and grade.student not in times:
            notes.append(f"not in {place}: {grade.student}")
    return students, notes


class _Finder:
    def __init__(self, grades: Iterable[FinalGrade]) -> None:
        people: dict[str, Mapping[str, str]] = {}
        self._students: set[str] = set()
        self._by_id: defaultdict[str, set[str]] = defaultdict(set)
        for grade in grades:
            self._students.add(grade.student)
            self._by_id[grade.student.casefold()].add(grade.student)
            if grade.person is not None:
                people[grade.student] = grade.person
        self._roster = Roster(people or None)

    def find(self, line: Line) -> str:
        """The one student whose a line is.

        Raises:
            Unmatched: it fits nobody, or several.
        """
        by_id = set(self._roster.having(NUMBERS.get(line.claim.kind, set()), line.claim.number))
        for id in (*line.ids, line.claim.email):
            by_id |= self._of(id)
        by_name = self._named(line.claim)

        if by_id and by_name and not by_id & by_name:
            other = f"number, login or address of {either(by_id)}"
            raise Unmatched(f"the name is that of {either(by_name)}, but {other}")
        students = by_id or by_name
        if len(students) > 1:
            raise Unmatched(f"may be {either(students)}; add the platform's number to students.csv")
        if not students:
            group = "in students.csv" if self._roster.listed else "who was graded"
            raise Unmatched(f"is nobody {group}")
        return next(iter(students))

    def _named(self, claim: Claim) -> set[str]:
        if self._roster.listed:
            return self._roster.named(claim)
        try:  # as collecting calls them
            return {self._roster.find(claim)} & self._students
        except Unmatched:
            return set()

    def _of(self, id: str) -> set[str]:
        """Who has this id, login or address."""
        wanted = id.strip().casefold()
        if not wanted:
            return set()
        columns = NUMBERS["gradescope"] | LOGINS | EMAILS
        return self._by_id.get(wanted, set()) | self._roster.having(columns, id)


def write(download: Download, rows: Iterable[Sequence[str]]) -> bytes:
    """Rows in the manner of the file that was read."""
    from autograder.show.exports.safe_csv import table

    return download.bom + table(rows, download.delimiter)

"""Whose a line of a downloaded file is. Nothing is guessed: a line that fits nobody, or several, is
nobody's."""

from __future__ import annotations

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.class_list import EMAILS
from autograder.collecting.naming import Claim
from autograder.collecting.roster import NUMBERS, Roster, Unmatched
from autograder.errors import Unusable
from autograder.gradebook.final_grades import Class
from autograder.text import either, printable

LOGINS = {"sisloginid", "loginid", "login", "username"}
_MAX_CELL = 10_000_000  # an online text, for example


@dataclass(frozen=True)
class Download:
    """A table as a platform wrote it: its header, its other rows (all as long as the header), and
    how to write it."""

    path: Path
    header: list[str]
    rows: list[list[str]]
    delimiter: str
    bom: bytes

    def __str__(self) -> str:
        return str(self.path)


@dataclass(frozen=True)
class Line:
    """What a line says of its student: the claim, and cells that may be an id, login or address of
    theirs."""

    claim: Claim
    ids: tuple[str, ...]
    shown: str


def read(path: Path | None, platform: str) -> Download:
    """Read the file that ``--fill`` names.

    Raises:
        Unusable: there is none, or it is no CSV.
    """
    if path is None:
        raise Unusable(
            f"--to {platform}: fills a file from {platform}; name what you downloaded with --fill FILE"
        )
    data = path.read_bytes()
    bom = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
    again = f"download it from {platform} again, as CSV in UTF-8"
    try:
        text = data.decode("utf-8-sig")
        first = text.partition("\n")[0]
        delimiter = max(",;\t", key=first.count)
        old = csv.field_size_limit(_MAX_CELL)
        try:
            rows = [
                row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row
            ]
        finally:
            csv.field_size_limit(old)
    except (ValueError, csv.Error) as error:
        raise Unusable(f"{path}: {error}; {again}") from None
    if len(rows) < 2 or any(len(row) != len(rows[0]) for row in rows):
        raise Unusable(f"{path}: is no table with a header and lines of one length; {again}")
    return Download(path, rows[0], rows[1:], delimiter, bom)


def match(
    everybody: Class, lines: Mapping[int, Line], place: str
) -> tuple[dict[int, str], list[str]]:
    """The students of these lines by the line's number; and what fits nothing, in lines for the
    teacher."""
    finder = _Finder(everybody)
    found: dict[int, str] = {}
    notes: list[str] = []
    for number, line in lines.items():
        try:
            found[number] = finder.find(line)
        except Unmatched as why:
            notes.append(f"left as it is: {printable(line.shown)}: {why}")
    often = Counter(found.values())
    for number, student in list(found.items()):
        if often[student] > 1:
            del found[number]
            notes.append(
                f"left as it is: {printable(lines[number].shown)}: one of {often[student]} lines of {student}"
            )
    notes += [f"not in {place}: {student}" for student in everybody.scored if student not in often]
    return found, notes


class _Finder:
    def __init__(self, everybody: Class) -> None:
        people = {one.student: one.person for one in everybody.standings if one.person is not None}
        self._roster = Roster(people or None)
        self._students = {one.student for one in everybody.standings}
        self._by_id: defaultdict[str, set[str]] = defaultdict(set)
        for student in self._students:
            self._by_id[student.casefold()].add(student)

    def find(self, line: Line) -> str:
        numbered = self._roster.having(NUMBERS[line.claim.kind], line.claim.number)
        by_id = numbered.union(*(self._of(id) for id in (*line.ids, line.claim.email)))
        by_name = self._named(line.claim)
        hits = by_id or by_name
        if by_id and by_name and not by_id & by_name:
            raise Unmatched(
                f"the name is that of {either(by_name)}, but number, login or address of {either(by_id)}"
            )
        if len(hits) > 1:
            raise Unmatched(f"may be {either(hits)}; add the platform's number to students.csv")
        if not hits:
            where = "in students.csv" if self._roster.listed else "who was graded"
            raise Unmatched(f"is nobody {where}")
        return next(iter(hits))

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
        return self._by_id.get(wanted, set()) | self._roster.having(
            NUMBERS["gradescope"] | LOGINS | EMAILS, id
        )


def write(download: Download, rows: Iterable[Sequence[str]]) -> bytes:
    """Rows in the manner of the file that was read."""
    from autograder.exports.safe_csv import table

    return download.bom + table(rows, download.delimiter)

"""CSV tables whose cells no spreadsheet reads as formulas, and tables written by platforms."""

from __future__ import annotations

import csv
import io
import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.base.errors import Unusable
from autograder.base.text import printable

Cell = str | float | None
"""The value of a cell; None is an empty cell."""

_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]|[\t\r\n]")
"""The start of a formula (OWASP, CSV injection), also in full-width characters and after blanks."""

_INNER = re.compile(
    r"""([,;\t\r\n])(?=[\s"]*(?:[=@＝＠]|[+\-＋－][^,;\t\r\n]*(?:\w\(|\||\w!\w|'!)))"""
)
"""Possible separators of cells before a possible formula.

A program that expects another separator than ours ends a cell there, even within quotes. Harmful
sums and differences contain a function call; a smiley and "-5 points" do not change.
"""

_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?\Z", re.ASCII)

_MAX_CELL = 10_000_000  # characters of a cell that is read: an online text may be long


def number(value: float) -> str:
    """A score for a program: with up to nine decimal places, and without an exponent."""
    text = f"{value:.9f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def safe(text: str) -> str:
    """Text that a spreadsheet shows unchanged: a quote precedes text that it would compute."""
    # Platforms write a single dash for "nothing".
    inert = text == "-" or _NUMBER.match(text) or not _FORMULA.match(text)
    return printable(_INNER.sub(r"\1'", text if inert else f"'{text}"))


def table(rows: Iterable[Sequence[Cell]], delimiter: str = ",") -> bytes:
    """The rows as CSV (RFC 4180, UTF-8)."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter)
    for row in rows:
        writer.writerow(map(_text, row))
    # JSON may contain half a surrogate pair, which cannot be encoded.
    return out.getvalue().encode("utf-8", "replace")


def _text(cell: Cell) -> str:
    if cell is None:
        return ""
    return safe(cell) if isinstance(cell, str) else number(cell)


@dataclass(frozen=True)
class PlatformTable:
    """A table as a platform wrote it, and how to write it.

    All ``rows`` are as long as the ``header``. ``bom``: its byte order mark, if any.
    """

    path: Path
    header: list[str]
    rows: list[list[str]]
    delimiter: str
    bom: bytes

    def __str__(self) -> str:
        return str(self.path)

    def with_rows(self, rows: Iterable[Sequence[str]]) -> bytes:
        """A table with these rows, in the format of the file that was read."""
        return self.bom + table(rows, self.delimiter)


def read(path: Path | None, platform: str) -> PlatformTable:
    """Read the file that ``--fill`` names.

    Raises:
        Unusable: there is none, or it is no CSV.
    """
    if path is None:
        repair = "name what you downloaded with --fill FILE"
        raise Unusable(f"--to {platform}", f"fills a file from {platform}", repair)
    data = path.read_bytes()
    again = f"download it from {platform} again, as CSV in UTF-8"

    try:
        text = data.decode("utf-8-sig")
        delimiter = max(",;\t", key=text.partition("\n")[0].count)
        rows = _rows(text, delimiter)
        if platform == "canvas":
            # "Manual Posting", in any language and of any length: a row without student and points.
            rows = [row for row in rows if any(cell.strip() for cell in row[:3])]
    except (ValueError, csv.Error) as error:
        raise Unusable(path, str(error), again) from None

    if len(rows) < 2 or any(len(row) != len(rows[0]) for row in rows):
        raise Unusable(path, "is not a table with a header and lines of equal length", again)
    bom = BOM_UTF8 if data.startswith(BOM_UTF8) else b""
    return PlatformTable(path, rows[0], rows[1:], delimiter, bom)


def _rows(text: str, delimiter: str) -> list[list[str]]:
    """The lines of a table that are not empty."""
    limit = csv.field_size_limit(_MAX_CELL)
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        return list(filter(None, reader))
    finally:
        csv.field_size_limit(limit)

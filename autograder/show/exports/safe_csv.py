"""Tables as CSV whose cells no spreadsheet takes for a formula."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

from autograder.base.text import printable

Cell = str | float | None
"""What stands in a table; None is an empty cell."""

_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]|[\t\r\n]")
"""What a formula starts with (OWASP, CSV injection): the wide forms too, also behind blanks."""

_INNER = re.compile(
    r"""([,;\t\r\n])(?=[\s"]*(?:[=@＝＠]|[+\-＋－][^,;\t\r\n]*(?:\w\(|\||\w!\w|'!)))"""
)
"""What may separate cells, in front of what would then be one that is computed.

Programs that expect another separator than ours end a cell there, quotes or not. What a sum or a
difference is harmful for calls something; a smiley and "-5 points" stay as they are.
"""

_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?\Z", re.ASCII)


def number(value: float) -> str:
    """A score for a program: to nine digits behind the point, and without an exponent."""
    text = f"{value:.9f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def safe(text: str) -> str:
    """Text that a spreadsheet shows as it stands: behind a quote where it would compute it."""
    # A dash alone is what platforms write for "nothing".
    inert = text == "-" or _NUMBER.match(text) or not _FORMULA.match(text)
    return printable(_INNER.sub(r"\1'", text if inert else f"'{text}"))


def table(rows: Iterable[Sequence[Cell]], delimiter: str = ",") -> bytes:
    """The rows as CSV (RFC 4180, UTF-8)."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter)
    for row in rows:
        writer.writerow(map(_text, row))
    # Half a surrogate pair, which JSON can carry, is no text.
    return out.getvalue().encode("utf-8", "replace")


def _text(cell: Cell) -> str:
    if cell is None:
        return ""
    return safe(cell) if isinstance(cell, str) else number(cell)

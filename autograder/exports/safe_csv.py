"""Tables as CSV whose cells no spreadsheet takes for a formula."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

from autograder.text import printable

Cell = str | float | None

# What spreadsheets start a formula with (OWASP, CSV injection), their wide forms too, also behind
# blanks.
_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]|[\t\r\n]")
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?\Z", re.ASCII)


def number(value: float) -> str:
    """A score as text: the shortest that says it to nine digits behind the point, without an
    exponent."""
    text = f"{value:.9f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def safe(text: str) -> str:
    """Text that a spreadsheet shows as it stands: a quote before what it would compute, but not
    before a number."""
    # A dash alone is what platforms write for "nothing".
    inert = text == "-" or _NUMBER.match(text) or not _FORMULA.match(text)
    return printable(text if inert else f"'{text}")


def table(rows: Iterable[Sequence[Cell]], delimiter: str = ",") -> bytes:
    """The rows as CSV (RFC 4180, UTF-8)."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter)
    for row in rows:
        writer.writerow(
            ["" if c is None else safe(c) if isinstance(c, str) else number(c) for c in row]
        )
    # Half a surrogate pair, which JSON can carry, is no text.
    return out.getvalue().encode("utf-8", "replace")

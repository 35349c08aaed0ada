"""The setup cell as students see it: a few lines, with all of its code packed into one text.

It begins every notebook, and not every front end can fold it. Whatever reads a notebook unpacks the
cell first, so that all behind sees its code; the file keeps what was in it.
"""

from __future__ import annotations

import base64
import bz2
import math
import re
from functools import lru_cache

MOST = 400_000  # characters of its code: a few packed bytes may become gigabytes

_CELL = """\
# @title Tools: run this first
# The checks and pictures of this notebook, packed into one text. tools.source() shows their code.
import base64, bz2
TOOLS = bz2.decompress(base64.b85decode({packed})).decode()
exec(compile(TOOLS, "<tools>", "exec"))"""

_PACKED = re.compile(
    r"^TOOLS = bz2\.decompress\(\s*base64\.b(64|85)decode\(((?:\s*\"[!#-\[\]-~]+\")+)\s*\)\s*\)"
    r"\.decode\(\)[ \t]*(?:\n|\Z)",
    re.MULTILINE,
)
"""Its lines; those of earlier notebooks are one, and less dense."""

_SHORT = 9_900  # characters of a line that is not long to VS Code, which it is with 10,000

_ABOVE = re.compile(
    r"^(?:# @title Tools\b.*\n(?:#.*\n)*|import base64, bz2[ \t]*\n|import (?:base64|bz2)[ \t]*\n)",
    re.MULTILINE,
)
_BELOW = re.compile(r"^exec\(compile\(TOOLS, .*\)\)[ \t]*$", re.MULTILINE)
"""The cell's lines, whatever students have put between them."""


def may_be_packed(source: str) -> bool:
    """Whether a cell may hold a packed text."""
    return "TOOLS = bz2" in source


def literal(text: str) -> str:
    """A text as Python writes it, in as few lines as possible that VS Code does not wrap.

    It wraps all lines of a cell if more than half of its characters are in long ones.
    """
    shorts = math.ceil((len(text) + 100) / 2 / _SHORT)  # with what is before it in its line
    first = max(len(text) - shorts * _SHORT, 0)
    starts = range(first, len(text), _SHORT)
    lines = [text[:first], *(text[start : start + _SHORT] for start in starts)]
    return "\n".join(f'"{line}"' for line in lines if line)


@lru_cache(maxsize=16)
def packed(code: str) -> str:
    """The setup cell that has this code."""
    # Other than zlib's, the bytes of bz2 are the same on every system.
    text = base64.b85encode(bz2.compress(code.encode())).decode()
    return _CELL.format(packed=literal(text))


@lru_cache(maxsize=16)
def unpacked(source: str) -> tuple[str, str]:
    """A cell with the code of a packed setup cell in its place, and the lines in which it was
    packed. Kept: a class hands in the same.

    Those are empty, and the cell is as it was, where nothing is packed or it cannot be unpacked.
    """
    found = _PACKED.search(source)
    code = _code(found[1], found[2]) if found else ""
    if found is None or not code:
        return source, ""

    lines: list[str] = []

    def taken(line: re.Match[str]) -> str:
        lines.append(line[0])
        return ""

    above = _ABOVE.sub(taken, source[: found.start()])
    lines.append(found[0])
    below = _BELOW.sub(taken, source[found.end() :], count=1)
    return f"{above}{code}\n{below}".strip("\n"), "".join(lines)


def _code(base: str, text: str) -> str:
    """The code that is packed in a text; empty if none is."""
    decode = base64.b85decode if base == "85" else base64.b64decode
    try:
        unpacking = bz2.BZ2Decompressor()
        joined = "".join(text.replace('"', " ").split())
        code = unpacking.decompress(decode(joined), MOST + 1).decode()
    except (ValueError, OSError):
        return ""
    return code if unpacking.eof and len(code) <= MOST else ""

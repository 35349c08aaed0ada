"""The setup cell as students see it: a few lines, with all of its code packed into one string.

It is the first cell of every notebook, and not every front end can fold it. Every reader of a
notebook unpacks the cell first and works with its code; the file itself does not change.
"""

from __future__ import annotations

import base64
import bz2
import math
import re
from functools import lru_cache

MOST = 400_000  # characters of its code: a few packed bytes may unpack to gigabytes

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
"""Its lines; earlier notebooks have a single line, in another encoding."""

_SHORT = 9_900  # characters; VS Code counts a line of 10,000 as long

_ABOVE = re.compile(
    r"^(?:# @title Tools\b.*\n(?:#.*\n)*|import base64, bz2[ \t]*\n|import (?:base64|bz2)[ \t]*\n)",
    re.MULTILINE,
)
_BELOW = re.compile(r"^exec\(compile\(TOOLS, .*\)\)[ \t]*$", re.MULTILINE)
"""Its lines above and below the packed string; students may have put others between them."""


def may_be_packed(source: str) -> bool:
    """Whether a cell may hold a packed string."""
    return "TOOLS = bz2" in source


def literal(text: str) -> str:
    """A string literal with as few lines as possible, such that VS Code does not wrap them.

    It wraps all lines of a cell if more than half of its characters are in long ones.
    """
    shorts = math.ceil((len(text) + 100) / 2 / _SHORT)  # with the rest of its first line
    first = max(len(text) - shorts * _SHORT, 0)
    starts = range(first, len(text), _SHORT)
    lines = [text[:first], *(text[start : start + _SHORT] for start in starts)]
    return "\n".join(f'"{line}"' for line in lines if line)


@lru_cache(maxsize=16)
def packed(code: str) -> str:
    """The setup cell with this code."""
    # Unlike zlib's, the bytes of bz2 are the same on every system.
    text = base64.b85encode(bz2.compress(code.encode())).decode()
    return _CELL.format(packed=literal(text))


@lru_cache(maxsize=16)
def unpacked(source: str) -> tuple[str, str]:
    """A cell with the code of a packed setup cell unpacked, and the lines that held it. Cached,
    because a whole class hands in the same cell.

    If nothing is packed, or it cannot be unpacked, the cell is unchanged and the lines are empty.
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
    """The code that is packed in a string; empty if there is none."""
    decode = base64.b85decode if base == "85" else base64.b64decode
    try:
        unpacking = bz2.BZ2Decompressor()
        joined = "".join(text.replace('"', " ").split())
        code = unpacking.decompress(decode(joined), MOST + 1).decode()
    except (ValueError, OSError):
        return ""
    return code if unpacking.eof and len(code) <= MOST else ""

"""Words for people: text that students can influence, as text and nothing else; counts, lists,
points and paths."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

LINE = 100
LINES = 20


def quoted(text: str) -> str:
    """A student's Markdown as a block of plain text, which no renderer takes for HTML, a link or a
    formula."""
    lines = [part for line in printable(text).split("\n") for part in _folded(line)]
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}text", *lines, fence])


def _folded(line: str) -> Iterator[str]:
    """The line in parts of at most ``LINE`` characters where it has spaces: blocks of plain text
    are not wrapped."""
    while len(line) > LINE and " " in line[:LINE].strip():
        cut = line.rindex(" ", 0, LINE)
        if not line[:cut].strip():
            break
        yield line[:cut]
        line = line[cut + 1 :]
    yield line


def printable(text: str) -> str:
    """The text without control characters: terminal sequences and direction marks change how other
    text is shown."""
    return re.sub(
        r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]",
        "\N{REPLACEMENT CHARACTER}",
        text,
    )


def inert(text: str) -> str:
    """Printable text that is no command to the machines of GitHub, which take ``##[`` for one
    anywhere in a line."""
    return printable(text).replace("##[", "## [")


def brief(text: str) -> str:
    """The first ``LINES`` lines, and how many others there are: students can raise errors of any
    length."""
    lines = text.split("\n")
    return (
        "\n".join([*lines[:LINES], f"… and {len(lines) - LINES} more lines"])
        if len(lines) > LINES + 1
        else text
    )


def count(number: int, noun: str) -> str:
    """``1 check``, ``2 checks``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(names: Iterable[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def either(names: Iterable[str]) -> str:
    """``a``, ``a or b``, ``a or b or c``, sorted."""
    return " or ".join(sorted(names))


def number(value: float) -> str:
    """A number of points as people write it: 2, 2.5, 0.33."""
    return f"{round(value, 2) + 0.0:g}"


def signed(value: float) -> str:
    """What is added or taken away, with its sign: +2, −0.5."""
    return f"{'−' if value < 0 else '+'}{number(abs(value))}"


def points(value: float) -> str:
    """``1 point``, ``2.5 points``."""
    return f"{number(value)} {'point' if number(value) == '1' else 'points'}"


def points_of(value: float, most: float) -> str:
    """``8 of 12 points``."""
    return f"{number(value)} of {points(most)}"


def short(path: Path) -> str:
    """The path from here, where it lies below."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)

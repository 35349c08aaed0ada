"""Words for people: text as text and nothing else, counts, lists, points and paths."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

LINE = 100  # characters of a line in a block of plain text
LINES = 20  # lines of a message

DATA_PICTURE = re.compile(
    r"(?<==\")data:image/[\w.+-]{1,40},[^\"\n]*(?=\")|data:image/[\w.+-]{1,40}[;,][^\s)\"'<>\]]*"
)
"""A picture in a text, with all its letters; in an attribute it may be text itself."""

_MARKDOWN = re.compile(r"!\[([^\]\n]{0,300})\]\(<?attachment:([^)\n]{0,300})\)")
_HTML = re.compile(r"<img\b[^<>]{0,300}?\bsrc=[\"']?attachment:[^<>]{0,300}>", re.IGNORECASE)

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Control characters and marks of direction: they change how other text is shown."""


def quoted(text: str) -> str:
    """A student's text as a block of Markdown.

    No renderer takes anything in it for HTML, a link or a formula.
    """
    lines: list[str] = []
    for line in printable(text).split("\n"):
        lines += _folded(line)

    longest = max(map(len, re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}text", *lines, fence])


def _folded(line: str) -> Iterator[str]:
    """The line in parts of at most ``LINE`` characters where it has spaces.

    Nobody wraps blocks of plain text.
    """
    while len(line) > LINE and " " in line[:LINE].strip():
        cut = line.rindex(" ", 0, LINE)
        if not line[:cut].strip():
            break
        yield line[:cut]
        line = line[cut + 1 :]
    yield line


def printable(text: str) -> str:
    """The text without control characters, which change how other text is shown."""
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text)


def inert(text: str) -> str:
    """Printable text that is no command to the machines of GitHub.

    They take ``##[`` for one anywhere in a line.
    """
    return printable(text).replace("##[", "## [")


def one_line(text: str, most: int = 300) -> str:
    """So much of a text as one line, which may begin with it: no line of ours stands in front."""
    return cut(" ".join(inert(text).split()).lstrip(":"), most)


def brief(text: str) -> str:
    """The first ``LINES`` lines, and how many others there are.

    Students can raise errors of any length.
    """
    lines = text.split("\n")
    if len(lines) <= LINES + 1:
        return text
    return "\n".join([*lines[:LINES], f"… and {len(lines) - LINES} more lines"])


def without_pictures(text: str) -> str:
    """The text with a word in the place of each picture in it: its letters are nothing to read."""
    if "data:image/" not in text and "attachment:" not in text:
        return text
    text = DATA_PICTURE.sub("attachment:", text)
    text = _MARKDOWN.sub(lambda found: f"[picture: {found[2] or found[1]}]", text)
    return _HTML.sub("[picture]", text)


def statement(message: str) -> str:
    """What a check says, without the question at its end; the notebook's tools have the same."""
    return re.sub(r"(?<=[.!]) +[A-Z][^\n]*\?$", "", message)


def not_python(error: SyntaxError) -> str:
    """What Python cannot read, as the cause in a line that goes on."""
    return f"not Python: {error.msg.rstrip('?.')}"


def count(number: int, noun: str) -> str:
    """``1 check``, ``2 checks``."""
    return f"{number} {agreeing(number, noun, f'{noun}s')}"


def agreeing(number: int, singular: str, plural: str) -> str:
    """The word that goes with so many: ``is`` with 1, ``are`` with 2."""
    return singular if number == 1 else plural


def listed(names: Iterable[str], conjunction: str = "and") -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    *most, last = names
    return f"{', '.join(most)} {conjunction} {last}" if most else last


def once_right(steps: Sequence[str], said: str) -> str:
    """What is said then: ``once a is right: …``, ``once a and b are right: …``."""
    return f"once {listed(steps)} {agreeing(len(steps), 'is', 'are')} right: {said}"


def first_of(names: Sequence[str], most: int = 5) -> str:
    """The same for the first so many, and how many others there are: ``a, b and 7 more``."""
    shown = list(names[:most])
    if len(names) > most:
        shown.append(f"{len(names) - most} more")
    return listed(shown)


def either(names: Iterable[str]) -> str:
    """``a``, ``a or b``, ``a or b or c``, sorted."""
    return " or ".join(sorted(names))


def meant(word: str, known: Iterable[str], otherwise: str) -> str:
    """``did you mean a?``, of the known word that is most like this one; otherwise that."""
    close = difflib.get_close_matches(word, list(known), 1)
    return f"did you mean {close[0]}?" if close else otherwise


def shown(category: str) -> str:
    """A category of checks in the words that people read."""
    return "inputs unchanged" if category == "purity" else category


def number(value: float) -> str:
    """A number of points as people write it: 2, 2.5, 0.33."""
    return f"{round(value, 2) + 0.0:g}"


def signed(value: float) -> str:
    """What is added or taken away, with its sign: +2, −0.5; what shows as 0 has none."""
    shown = number(abs(value))
    if shown == "0":
        return shown
    return f"−{shown}" if value < 0 else f"+{shown}"


def points(value: float) -> str:
    """``1 point``, ``2.5 points``."""
    shown = number(value)
    return f"{shown} point" if shown == "1" else f"{shown} points"


def points_of(value: float, most: float) -> str:
    """``8 of 12 points``."""
    return f"{number(value)} of {points(most)}"


def late(seconds: float) -> str:
    """How late something came: ``12 minutes late``, ``33.9 hours late``, ``6.5 days late``."""
    minutes, hours = max(1, round(seconds / 60)), round(seconds / 3600, 1)
    if minutes < 60:
        return f"{count(minutes, 'minute')} late"
    if hours < 100:
        return f"{number(hours)} {'hour' if hours == 1 else 'hours'} late"
    return f"{number(round(hours / 24, 1))} days late"


def on_day(time: datetime) -> str:
    """A moment with its zone, as people write it: ``1 December 2026, 18:00 CET``."""
    return f"{time.day} {time:%B %Y, %H:%M} {time:%Z}".rstrip()


def cut(words: str, most: int) -> str:
    """At most so many characters of a text."""
    return words if len(words) <= most else f"{words[:most]} …"


def short(path: Path) -> str:
    """The path from here, where it lies below."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)

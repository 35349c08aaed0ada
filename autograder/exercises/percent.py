"""Percent scripts: Python files that lines with ``# %%`` cut into cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_CELL_LINE = re.compile(r"#\s*%%(?!%)")
_PROSE = ("[markdown]", "[md]", "[raw]")


@dataclass(frozen=True)
class ScriptCell:
    """The lines of a cell, and its cell line.

    ``number`` is that of the cell line, counted from 1. The lines above the first cell line are a
    cell as well, with an empty ``cell_line`` and the number 0.
    """

    cell_line: str
    number: int
    lines: tuple[str, ...]

    @property
    def marks(self) -> str:
        """The text after the ``%%``."""
        return _CELL_LINE.sub("", self.cell_line, count=1).strip()

    @property
    def is_prose(self) -> bool:
        """Whether it is text for people, written as comments."""
        return any(mark in self.cell_line for mark in _PROSE)

    @property
    def is_blank(self) -> bool:
        """Whether it is empty."""
        return not any(line.strip() for line in self.lines)

    @property
    def source(self) -> str:
        """The cell as a notebook has it: prose without its ``#``, and no blank lines at start and
        end."""
        lines = self.lines
        if self.is_prose:
            lines = tuple(re.sub(r"^# ?", "", line) for line in lines)
        return "\n".join(lines).strip("\n")


def lines_of(text: str) -> list[str]:
    """The lines of a script, split only where Python ends a line, and not at other line
    separators."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def split(lines: Iterable[str]) -> Iterator[ScriptCell]:
    """The cells of a script; the lines above the first cell line come first."""
    cell_line, start = "", 0
    body: list[str] = []
    for number, line in enumerate(lines, start=1):
        if _CELL_LINE.match(line):
            yield ScriptCell(cell_line, start, tuple(body))
            cell_line, start, body = line, number, []
        else:
            body.append(line)
    yield ScriptCell(cell_line, start, tuple(body))

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

    ``number`` is that of the cell line, counted from 1. What stands above the first cell line is a
    cell as well, with an empty ``cell_line`` and the number 0.
    """

    cell_line: str
    number: int
    lines: tuple[str, ...]

    @property
    def marks(self) -> str:
        """What stands behind the ``%%``."""
        return _CELL_LINE.sub("", self.cell_line, count=1).strip()

    @property
    def is_prose(self) -> bool:
        """Whether it is text for people, written as comments."""
        return any(mark in self.cell_line for mark in _PROSE)

    @property
    def is_blank(self) -> bool:
        """Whether nothing stands in it."""
        return not any(line.strip() for line in self.lines)

    @property
    def source(self) -> str:
        """The cell as a notebook has it: prose without its ``#``, no blank lines around it."""
        lines = self.lines
        if self.is_prose:
            lines = tuple(re.sub(r"^# ?", "", line) for line in lines)
        return "\n".join(lines).strip("\n")


def lines_of(text: str) -> list[str]:
    """The lines of a script, where Python ends them: other characters that end lines do not."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def split(lines: Iterable[str]) -> Iterator[ScriptCell]:
    """The cells of a script, first of all what stands above the first cell line."""
    cell_line, start = "", 0
    body: list[str] = []
    for number, line in enumerate(lines, start=1):
        if _CELL_LINE.match(line):
            yield ScriptCell(cell_line, start, tuple(body))
            cell_line, start, body = line, number, []
        else:
            body.append(line)
    yield ScriptCell(cell_line, start, tuple(body))

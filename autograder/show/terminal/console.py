"""Output to a terminal, or as plain lines elsewhere; students' text cannot control either."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from autograder.base.text import brief, inert

if TYPE_CHECKING:
    from rich.table import Table

PROSE = 100  # the longest line of prose, however wide the terminal is


def console(out: TextIO | None = None) -> Console:
    """A terminal with its width and colours.

    Plain text for a file, for a pipe, and with NO_COLOR.
    """
    stream = out or sys.stdout
    terminal = stream.isatty()
    return Console(
        file=stream,
        force_terminal=terminal,
        # Without a terminal there is no width limit: long lines suit grep and logs.
        width=None if terminal else 10_000,
        color_system="auto" if terminal and not os.environ.get("NO_COLOR") else None,
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=True,
    )


def say(screen: Console, line: Text | str, first: str = "", rest: str = "") -> None:
    """Print one line; a narrow terminal gets it in parts.

    Args:
        first: text before the first part.
        rest: text before the other parts.
    """
    text = line if isinstance(line, Text) else Text(line)
    if not screen.is_terminal:
        screen.print(Text.assemble(first, text))
        return

    room = max(min(screen.width, PROSE) - max(len(first), len(rest)), 20)
    for number, part in enumerate(text.wrap(screen, room, overflow="fold")):
        part.rstrip()
        screen.print(Text.assemble(rest if number else first, part))


def wait(is_done: Callable[[float], bool], what: str, out: TextIO) -> None:
    """Wait for something that takes long; a terminal shows what, and for how long already.

    Args:
        is_done: waits for at most this many seconds, and returns whether it is over.
    """
    if not out.isatty():
        return

    shown, seconds = "", 0
    try:
        while not is_done(1.0):
            seconds += 1
            shown = f"{what}: {seconds} s"
            print(f"\r{shown}", end="", file=out, flush=True)
    finally:
        if shown:
            print("\r" + " " * len(shown), end="\r", file=out, flush=True)


def quote(screen: Console, text: str, first: Text | str, margin: str) -> None:
    """Print text that a student may have influenced, with our own text at the start of each line.

    No line may begin with a student's text: GitHub's workflows read lines that start with ``::`` as
    commands.
    """
    head, *more = brief(inert(text)).split("\n")
    say(screen, Text.assemble(first, head), margin, margin + "  ")
    for line in more:
        say(screen, line, f"{margin}  │ ", f"{margin}  │ ")


def table(*columns: str, right: Collection[str] = ()) -> Table:
    """A table without borders; the ``right`` columns are right-aligned."""
    from rich.table import Table

    made = Table(box=None, pad_edge=False, header_style="bold")
    for name in columns:
        made.add_column(name, justify="right" if name in right else "left", overflow="fold")
    return made


def show(screen: Console, table: Table) -> None:
    """Print a table; outside a terminal, without blanks that pad its last column.

    Outside a terminal, rows are not wrapped, so ten thousand of them are fast.
    """
    if screen.is_terminal:
        screen.print(table, soft_wrap=False)
        return

    columns: list[list[str]] = []
    for column in table.columns:
        cells = []
        for text in (column.header, *column.cells):
            cells.append(text.plain if isinstance(text, Text) else str(text))

        width = max(map(cell_len, cells))
        filled = []
        for cell in cells:
            blanks = " " * (width - cell_len(cell))
            filled.append(blanks + cell if column.justify == "right" else cell + blanks)
        columns.append(filled)

    for row in zip(*columns):
        print("  ".join(row).rstrip(), file=screen.file)

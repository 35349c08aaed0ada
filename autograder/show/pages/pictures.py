"""Small pictures of a step's answer next to the right one: the pattern of a mask, or weights and
sums.

Everything shown by a colour is also there as a sign or a number, and in words for a screen reader.
This module computes the content; the template has the layout.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import NamedTuple

from autograder.base.result import Example, Table

LEGENDS = {
    "mask": "✓ True, · False",
    "weights": "the sum of its weights is next to each row",
}

Value = float | bool | str
"""An entry of a table."""


class Box(NamedTuple):
    """An entry: its sign or number, and how dark its weight makes it."""

    sign: str
    is_on: bool
    shade: str


class TableRow(NamedTuple):
    """``sum``: the sum of a row of weights, which should be 1."""

    cells: list[Box]
    sum: str = ""
    is_one: bool = True


class Drawing(NamedTuple):
    """A table; ``wrong`` are the rows and columns of its wrong entries."""

    name: str
    words: str
    columns: int
    rows: list[TableRow]
    wrong: list[tuple[int, int]]


class Drawings(NamedTuple):
    kind: str
    drawings: list[Drawing]
    legend: str


def drawings(example: Example) -> Drawings:
    """The student's answer and, if it differs, the right one."""
    kind = example.kind
    draw, verb = (_mask, "is") if kind == "mask" else (_weights, "are")
    legend = LEGENDS[kind]

    if example.same:
        tables = [draw(example.got, example.wanted, f"Your {kind}, which {verb} right")]
    else:
        tables = [
            draw(example.got, example.wanted, f"Your {kind}"),
            draw(example.wanted, example.wanted, f"The right {kind}"),
        ]
        if _shape(example.got) == _shape(example.wanted):
            legend += f"; a thick frame shows where yours {verb} wrong"

    return Drawings(kind, tables, f"{legend[0].upper()}{legend[1:]}.")


def _mask(table: Table, wanted: Table, name: str) -> Drawing:
    rows, words = [], []
    for row in table:
        # A mask of numbers is not a mask, and is shown as numbers.
        cells = [Box(_short(value, "✓", "·"), value is True, "") for value in row]
        rows.append(TableRow(cells))
        words.append(" ".join(_short(value, "yes", "no") for value in row))

    wrong = _wrong(table, wanted, operator.eq)
    return Drawing(name, _said(name, words), len(table[0]), rows, wrong)


def _weights(table: Table, wanted: Table, name: str) -> Drawing:
    rows, words = [], []
    for row in table:
        total = _sum(row)
        is_one = _close(total, 1.0)
        cells = []
        for value in row:
            shade = min(1.0, max(0.0, value)) if isinstance(value, (int, float)) else 0.0
            cells.append(Box(_short(value), False, f"{shade * 0.55:.3g}"))
        rows.append(TableRow(cells, f"{_short(total)} {'✓' if is_one else '✗'}", is_one))
        words.append(f"{', '.join(map(_short, row))}, sum {_short(total)}")

    wrong = _wrong(table, wanted, _close)
    return Drawing(name, _said(name, words), len(table[0]), rows, wrong)


def _wrong(
    table: Table, wanted: Table, agree: Callable[[Value, Value], bool]
) -> list[tuple[int, int]]:
    """The indices of wrong entries; none if the tables differ in shape."""
    found: list[tuple[int, int]] = []
    if _shape(table) != _shape(wanted):
        return found

    for i, row in enumerate(table):
        for j, value in enumerate(row):
            if not agree(value, wanted[i][j]):
                found.append((i, j))
    return found


def _said(name: str, rows: list[str]) -> str:
    return f"{name}, row by row: {'; '.join(rows)}"


def _shape(table: Table) -> tuple[int, int]:
    return len(table), len(table[0])


def _sum(row: tuple[Value, ...]) -> float | str:
    strange = [value for value in map(float, row) if not math.isfinite(value)]
    if strange:
        return str(sum(strange))
    try:
        return math.fsum(map(float, row))
    except OverflowError:  # the fractions can be added; their multiple may be infinite
        return 1024 * math.fsum(float(value) / 1024 for value in row)


def _close(one: Value, other: Value) -> bool:
    # The numbers were stored with four digits.
    a, b = float(one), float(other)
    return a == b or abs(a - b) <= 2e-3 * max(1.0, abs(b)) or (math.isnan(a) and math.isnan(b))


def _short(value: Value, yes: str = "1", no: str = "0") -> str:
    """At most six characters."""
    if isinstance(value, bool):
        return yes if value else no
    if isinstance(value, str):
        return {"nan": "NaN", "inf": "inf", "-inf": "-inf"}[value]
    plain = f"{value:.3g}"
    return plain if len(plain) <= 6 else f"{value:.0e}"

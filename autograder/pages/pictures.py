"""Small pictures of a step's answer beside the right one, as SVG: a mask's pattern, weights with their row sums.

What a colour says stands there as a sign or a number too, and in words for a screen reader.
"""

from __future__ import annotations

import math

from autograder.pages.document import text
from autograder.result import Example, Table

CELL, WIDE, GAP, SUM = 26, 46, 3, 78
"""Sizes in pixels: a cell of a mask, the width of one that holds a number, around the picture, for a row's sum."""


LEGENDS = {
    "mask": "✓ may attend, · may not",
    "weights": "beside each row stands the sum of its weights",
}


def pictures(example: Example) -> str:
    """The student's answer and, where it is another one, the right one beside it."""
    draw = _mask if example.kind == "mask" else _weights
    verb = "is" if example.kind == "mask" else "are"
    shown = [(f"Your {example.kind}" + (f", which {verb} right" if example.same else ""), example.got)]
    legend = LEGENDS[example.kind]
    if not example.same:
        shown.append((f"The right {example.kind}", example.wanted))
        if _shape(example.got) == _shape(example.wanted):
            legend += f"; a thick frame is where yours {verb} wrong"
    figures = "".join(
        f"<figure><figcaption>{name}</figcaption>{draw(table, example.wanted, name)}</figure>" for name, table in shown
    )
    return f'<div class="pictures">{figures}</div>\n<p class="soft">{legend[0].upper()}{legend[1:]}.</p>'


def _mask(table: Table, wanted: Table, name: str) -> str:
    same_shape = _shape(table) == _shape(wanted)
    parts, frames, rows = [], [], []
    for i, row in enumerate(table):
        for j, value in enumerate(row):
            x, y = GAP + j * CELL, GAP + i * CELL
            # A mask of numbers is no mask, and shows its numbers.
            sign = ("✓" if value else "·") if isinstance(value, bool) else _short(value)
            on = " on" if value is True else ""
            parts.append(f'<rect class="cell{on}" x="{x}" y="{y}" width="{CELL}" height="{CELL}"/>')
            parts.append(f'<text x="{x + CELL // 2}" y="{y + CELL // 2}">{sign}</text>')
            if same_shape and value != wanted[i][j]:
                frames.append(_frame(x, y, CELL))
        rows.append(" ".join(("yes" if value else "no") if isinstance(value, bool) else _short(value) for value in row))
    return _svg(len(table[0]) * CELL, len(table) * CELL, parts + frames, f"{name}, row by row: {'; '.join(rows)}")


def _weights(table: Table, wanted: Table, name: str) -> str:
    same_shape = _shape(table) == _shape(wanted)
    parts, frames, rows = [], [], []
    width = len(table[0]) * WIDE
    for i, row in enumerate(table):
        y = GAP + i * CELL
        for j, value in enumerate(row):
            x = GAP + j * WIDE
            shade = min(1.0, max(0.0, value)) if isinstance(value, (int, float)) else 0.0
            parts.append(f'<rect class="cell" x="{x}" y="{y}" width="{WIDE}" height="{CELL}"/>')
            opacity = f"{shade * 0.55:.3g}"
            parts.append(
                f'<rect class="shade" x="{x}" y="{y}" width="{WIDE}" height="{CELL}" fill-opacity="{opacity}"/>'
            )
            parts.append(f'<text x="{x + WIDE // 2}" y="{y + CELL // 2}">{_short(value)}</text>')
            if same_shape and not _close(value, wanted[i][j]):
                frames.append(_frame(x, y, WIDE))
        total = _sum(row)
        right = _close(total, 1.0)
        sign, style = ("✓", "sum") if right else ("✗", "sum bad")
        parts.append(f'<text class="{style}" x="{GAP + width + 8}" y="{y + CELL // 2}">{_short(total)} {sign}</text>')
        rows.append(f"{', '.join(map(_short, row))}, sum {_short(total)}")
    return _svg(width + SUM, len(table) * CELL, parts + frames, f"{name}, row by row: {'; '.join(rows)}")


def _svg(width: int, height: int, parts: list[str], words: str) -> str:
    width, height = width + 2 * GAP, height + 2 * GAP
    return (
        f'<svg class="picture" role="img" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        f' aria-label="{text(words)}">{"".join(parts)}</svg>'
    )


def _frame(x: int, y: int, width: int) -> str:
    return f'<rect class="off" x="{x + 1}" y="{y + 1}" width="{width - 2}" height="{CELL - 2}"/>'


def _shape(table: Table) -> tuple[int, int]:
    return len(table), len(table[0])


def _sum(row: tuple[float | bool | str, ...]) -> float | str:
    strange = [value for value in map(float, row) if not math.isfinite(value)]
    if strange:
        return str(sum(strange))
    try:
        return math.fsum(map(float, row))
    except OverflowError:  # parts of them can be added; the multiple of that may be infinite
        return 1024 * math.fsum(float(value) / 1024 for value in row)


def _close(one: float | str, other: float | str) -> bool:
    # The numbers were kept with four digits.
    a, b = float(one), float(other)
    return a == b or abs(a - b) <= 2e-3 * max(1.0, abs(b)) or (math.isnan(a) and math.isnan(b))


def _short(value: float | bool | str) -> str:
    """At most six characters."""
    if isinstance(value, str):
        return {"nan": "NaN", "inf": "inf", "-inf": "-inf"}[value]
    plain = f"{value:.3g}"
    return plain if len(plain) <= 6 else f"{value:.0e}"

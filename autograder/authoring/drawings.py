"""Drawings of arrays in prose: blocks with named axes, made from their shapes.

An author writes lines of arrays and of words between them into a Markdown cell, as in ::

    ```drawing
    Q[n=2, d_k=3]{row 1} times K[m=4, d_k=3]{row 2} = scores[n=2, m=4]{cell 1 2}
    Score (i, j) is row i of Q times row j of K.
    ```

The build puts an image there: SVG in a data URI, which needs no file and no kernel. It lies on a
light ground of its own, so it can be read on light and on dark pages. What it shows is also said in
its ``alt``, for screen readers and where an editor shows no such image.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from autograder.authoring.cells import Problem, Source

_BLOCK = re.compile(r"^```drawing\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
_ARRAY = re.compile(r"(?P<name>[\w.'()]+)\[(?P<axes>[^\]]*)\](?:\{(?P<style>[^}]*)\})?")
_AXIS = re.compile(r"\s*([\w /]+?)\s*=\s*([1-9]\d?)\s*")
_STYLE = re.compile(
    r"(?:row (?P<row>\d+)|column (?P<column>\d+)|cell (?P<i>\d+) (?P<j>\d+)|(?P<causal>causal)"
    r"|(?P<of>rows|columns|blocks) by (?P<group>\d+))"
)

SIDE = 15  # pixels of an entry
LETTER = 7  # pixels of a letter, on average

COLOURS = ("#4c78a8", "#f2a541", "#6ab187", "#c05c7e", "#8d7bb8", "#9c755f")
"""By number of a group. They differ in lightness, too."""


class NoDrawing(ValueError):
    """What cannot be drawn, in words."""


@dataclass(frozen=True)
class Block:
    """An array: the names and sizes of its axes, at most three, and which entries are coloured."""

    name: str
    axes: tuple[tuple[str, int], ...]
    style: str

    @property
    def shape(self) -> tuple[int, int, int]:
        """Blocks, rows, columns."""
        sizes = [size for _, size in self.axes]
        blocks, rows, columns = [1] * (3 - len(sizes)) + sizes
        return blocks, rows, columns

    @property
    def words(self) -> str:
        """What a screen reader says."""
        axes = " by ".join(f"{name} {size}" for name, size in self.axes)
        style = _STYLE.fullmatch(self.style)
        if style is None:
            coloured = ""
        elif style["of"]:
            coloured = f", {style['of']} coloured by {style['group']}"
        else:
            coloured = (
                ", coloured up to the diagonal" if style["causal"] else f", {self.style} coloured"
            )
        return f"{self.name} ({axes}{coloured})"

    def colour(self, block: int, row: int, column: int) -> str:
        """The colour of an entry; empty where it has none."""
        style = _STYLE.fullmatch(self.style)
        if style is None:
            return ""
        if style["of"]:
            place = {"rows": row, "columns": column, "blocks": block}[style["of"]]
            return COLOURS[place // int(style["group"]) % len(COLOURS)]
        if style["causal"]:
            _, rows, columns = self.shape
            is_coloured = column <= row + columns - rows
        elif style["i"]:
            is_coloured = (row, column) == (int(style["i"]), int(style["j"]))
        else:
            is_coloured = str(row) == style["row"] or str(column) == style["column"]
        return COLOURS[0] if is_coloured else ""


def drawn(prose: str) -> str:
    """Prose with an image for each drawing.

    Raises:
        NoDrawing: a line says what cannot be drawn.
    """
    return _BLOCK.sub(lambda found: _image(found[1]), prose)


def problems(source: Source) -> Iterator[Problem]:
    """What is wrong with drawings."""
    for cell in source.of("prose"):
        try:
            drawn(cell.source)
        except NoDrawing as error:
            shape = "write name[axis=2, axis=3]{row 0}, as in docs/authoring.md"
            yield Problem(cell.line, f"a drawing: {error}", shape)


def _image(text: str) -> str:
    lines = list(map(_parts, text.split("\n")))
    said = "; ".join(map(_said, lines))
    # As text it is a quarter shorter than in base64. No text has a quote of its own: it is escaped.
    picture = re.sub("[%#&]", lambda found: quote(found[0]), _svg(lines).replace('"', "'"))
    return f'<img alt="{html.escape(said)}" src="data:image/svg+xml,{picture}">'


def _said(line: list[Block | str]) -> str:
    """A line in words, for people who do not see the picture."""
    return " ".join(part.words if isinstance(part, Block) else part for part in line)


def _parts(line: str) -> list[Block | str]:
    """The arrays of a line, and the words between them."""
    parts: list[Block | str] = []
    at = 0
    for found in _ARRAY.finditer(line):
        parts.append(line[at : found.start()].strip())
        axes = []
        for axis in found["axes"].split(","):
            named = _AXIS.fullmatch(axis)
            if named is None:
                raise NoDrawing(f"{axis.strip()!r} is no axis of {found['name']}")
            axes.append((named[1], int(named[2])))

        style = found["style"] or ""
        if len(axes) > 3 or (style and not _STYLE.fullmatch(style)):
            raise NoDrawing(f"{found[0]!r} has more than three axes, or an unknown style")
        parts.append(Block(found["name"], tuple(axes), style))
        at = found.end()

    return [part for part in (*parts, line[at:].strip()) if part]


def _svg(lines: list[list[Block | str]]) -> str:
    """The picture of these lines, one below the other."""
    shapes: list[str] = []
    names: list[str] = []
    grid: list[str] = []
    width, y = 0.0, 10.0

    for line in lines:
        blocks = [part for part in line if isinstance(part, Block)]
        above, below = (30.0, 20.0) if blocks else (4.0, 4.0)
        height = max([block.shape[1] * SIDE for block in blocks], default=12)
        x, middle = 12.0, y + above + height / 2
        for part in line:
            if isinstance(part, Block):
                x = _draw(shapes, names, grid, part, x, middle)
            else:
                shapes.append(_text(x + len(part) * LETTER / 2, middle + 4, part))
                x += len(part) * LETTER
            x += 12
        width, y = max(width, x), y + above + height + below

    size = f'width="{width:.0f}" height="{y + 6:.0f}"'
    font = 'font-family="sans-serif" font-size="12" text-anchor="middle"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {font}>'
        f'<rect width="100%" height="100%" rx="6" fill="#fff"/>{"".join(shapes)}'
        f'<g fill="#555">{"".join(names)}</g>'
        f'<path d="{"".join(grid)}" stroke="#333" fill="none"/></svg>'
    )


def _draw(
    shapes: list[str], axes: list[str], grid: list[str], block: Block, x: float, middle: float
) -> float:
    """Draw an array, and note the names of its axes and the lines between its entries; where it
    ends."""
    blocks, rows, columns = block.shape
    top = middle - rows * SIDE / 2
    names = [name for name, _ in block.axes]
    wide, high = columns * SIDE, rows * SIDE
    pitch = max(wide + 10, len(names[-1]) * LETTER + 6 if blocks > 1 else 0)
    title = f"{block.name}, {names[0]} side by side" if len(names) == 3 else block.name
    spare = max(0.0, len(title) * LETTER - blocks * pitch) / 2
    x += max(0.0, spare - len("".join(names[-2:-1])) * LETTER)

    if len(names) > 1:
        axes.append(_text(x + len(names[-2]) * LETTER / 2, middle + 4, names[-2]))
        x += len(names[-2]) * LETTER + 9

    start = x
    for number in range(blocks):
        for fill, path in _filled(block, number, x, top).items():
            shapes.append(f'<path d="{path}" fill="{fill}"/>')
        grid.append(f"M{x:g} {top:g}h{wide}v{high}h-{wide}z")
        grid.extend(f"M{x + SIDE * each:g} {top:g}v{high}" for each in range(1, columns))
        grid.extend(f"M{x:g} {top + SIDE * each:g}h{wide}" for each in range(1, rows))
        axes.append(_text(x + wide / 2, top - 5, names[-1]))
        x += pitch

    end = x - pitch + wide
    shapes.append(_text((start + end) / 2, top + high + 15, title))
    return end + spare


def _filled(block: Block, number: int, x: float, top: float) -> dict[str, str]:
    """The coloured entries, a path for each colour; equal neighbours are one piece of it."""
    _, rows, columns = block.shape
    first_rows: dict[tuple[str, int, int, int], int] = {}  # by colour, left, right and bottom
    for row in range(rows):
        left = 0
        colours = [block.colour(number, row, column) for column in range(columns)]
        for right in range(1, columns + 1):
            if right < columns and colours[right] == colours[left]:
                continue
            if colours[left]:
                first = first_rows.pop((colours[left], left, right, row), row)
                first_rows[colours[left], left, right, row + 1] = first
            left = right

    paths: dict[str, str] = {}
    for (colour, left, right, bottom), first in first_rows.items():
        wide, high = SIDE * (right - left), SIDE * (bottom - first)
        piece = f"M{x + SIDE * left:g} {top + SIDE * first:g}h{wide}v{high}h-{wide}z"
        paths[colour] = paths.get(colour, "") + piece
    return paths


def _text(x: float, y: float, text: str) -> str:
    """A text in the middle of which x is."""
    return f'<text x="{x:.0f}" y="{y:.0f}">{html.escape(text)}</text>'

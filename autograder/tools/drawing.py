"""Numbers as tables and pictures."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np


def table(numbers: Any, rows: Sequence[str], columns: Sequence[str], decimals: int = 2) -> None:
    """Print numbers with a name for every row and column."""
    cells = []
    for row in np.asarray(numbers, dtype=float):
        cells.append([f"{number + 0.0:.{decimals}f}" for number in row])

    longest = max(map(len, columns))
    for texts in cells:
        longest = max(longest, *map(len, texts))
    width, margin = longest + 2, max(map(len, rows))

    print(" " * margin + "".join(f"{name:>{width}}" for name in columns))
    for name, texts in zip(rows, cells):
        print(f"{name:>{margin}}" + "".join(f"{text:>{width}}" for text in texts))


def heatmap(
    numbers: Any,
    rows: Sequence[str],
    columns: Sequence[str],
    title: str,
    texts: Any,
    xlabel: str = "",
    ylabel: str = "",
    lowest: float = 0.0,
    highest: float = 1.0,
) -> None:
    """A picture of numbers with a text in each cell, where a notebook and matplotlib are at hand.

    Args:
        numbers, texts: of the same shape, two axes.
        lowest, highest: the numbers that get the darkest and the lightest colour.
    """

    def draw(axes: Any) -> None:
        axes.imshow(numbers, cmap="cividis", vmin=lowest, vmax=highest, aspect="auto")
        axes.set_xticks(range(len(columns)), columns)
        axes.set_yticks(range(len(rows)), rows)
        axes.set(title=title, xlabel=xlabel, ylabel=ylabel)

        light = lowest + 0.44 * (highest - lowest)
        for (i, j), text in np.ndenumerate(texts):
            color = "black" if numbers[i, j] > light else "white"
            axes.text(j, i, text, ha="center", va="center", color=color)

    width = max(0.75, 0.1 * max(len(name) for name in columns))
    size = (2.0 + width * len(columns), 1.2 + 0.45 * len(rows))
    picture(draw, size, f"Heatmap: {title}. The text above says the same.")


def curves(
    x: Any,
    lines: Mapping[str, Any],
    title: str,
    xlabel: str = "",
    ylabel: str = "",
) -> None:
    """A picture of lines over the numbers x, each with its name, where matplotlib is at hand."""

    def draw(axes: Any) -> None:
        for style, (name, y) in zip(("-", "--", ":", "-.") * len(lines), lines.items()):
            axes.plot(x, y, style, label=name)
        axes.grid(alpha=0.3)
        axes.legend()
        axes.set(title=title, xlabel=xlabel, ylabel=ylabel)

    picture(draw, (6.0, 3.2), f"Lines: {title}. The text above says the same.")


def picture(draw: Callable[[Any], None], size: tuple[float, float], about: str) -> None:
    """Show what is drawn on axes of matplotlib, where a notebook and matplotlib are at hand."""
    try:
        import io

        from IPython import get_ipython
        from IPython.display import Image, display
        from matplotlib.figure import Figure
        from PIL.Image import open as open_image  # matplotlib has brought it

        if get_ipython() is None:
            return
        figure = Figure(figsize=size, layout="constrained")
        draw(figure.subplots())

        file, png = io.BytesIO(), io.BytesIO()
        figure.savefig(file, format="png", dpi=110)
        # In few colours: a third of the bytes, and they are handed in, too.
        with open_image(file) as drawn:
            drawn.convert("RGB").quantize(128, dither=0).save(png, format="PNG", optimize=True)
        try:
            image = Image(png.getvalue(), alt=about)
        except TypeError:  # before IPython 8
            image = Image(png.getvalue())
        display(image)
    except Exception:  # no matplotlib, an old one, a stand-in: the text above has said it all
        return

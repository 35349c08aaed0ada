"""The plot of time against class size, both axes logarithmic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from benchmarks.figures import Measured
from benchmarks.systems import ALL, STOCK, System

STYLE = {
    "stock": ("#D55E00", "s"),
    "otter": ("#CC79A7", "v"),
    "plugin": ("#E69F00", "^"),
    "one": ("#56B4E9", "D"),
    "all": ("#0072B2", "o"),
}
"""The colour and the marker of a system.

Okabe and Ito's palette, which people of all kinds of colour vision tell apart; the markers say it
again.
"""

DASHES = (0, (4, 3))
"""What is extrapolated."""

TIMES = {0.1: "0.1 s", 1: "1 s", 10: "10 s", 60: "1 min", 600: "10 min", 3600: "1 h", 36000: "10 h"}
"""The ticks of the axis of time, in seconds, and what they are called."""


def draw(folder: Path, title: str, measured: Measured) -> list[Path]:
    """Write ``bench.png`` and ``bench.svg``: seconds by system and class size."""
    figure, axes = pyplot.subplots(figsize=(9, 5.6), layout="constrained")
    sizes: set[int] = set()
    seconds: list[float] = []
    for system in measured.systems:
        times, further = measured.wall(system.key), measured.extrapolated(system.key)
        _curve(axes, system, times, further)
        sizes |= times.keys() | further.keys()
        seconds += [*times.values(), *further.values()]

    _scales(axes, sorted(sizes), seconds)
    axes.set_title(title, loc="left", fontsize=11)
    axes.grid(color="#dddddd", linewidth=0.8)
    axes.spines[["top", "right"]].set_visible(False)
    axes.plot([], [], color="#777777", linestyle=DASHES, label="extrapolated")
    axes.legend(frameon=False, loc="upper left")
    stock = {**measured.wall(STOCK.key), **measured.extrapolated(STOCK.key)}
    _ratio(axes, stock, measured.wall(ALL.key))

    paths = [folder / f"bench.{ending}" for ending in ("png", "svg")]
    for path in paths:
        figure.savefig(path, dpi=150)
    pyplot.close(figure)
    return paths


def _curve(
    axes: Axes, system: System, times: Mapping[int, float], further: Mapping[int, float]
) -> None:
    """What was measured of a system, and on from there, dashed, what was extrapolated."""
    colour, marker = STYLE[system.key]
    look: dict[str, Any] = {"color": colour, "marker": marker, "markersize": 7}
    axes.plot(*_points(times), linewidth=2.2, label=system.name, **look)
    if not further:
        return

    last, end = max(times), max(further)
    line = {last: times[last], **further}
    axes.plot(*_points(line), color=colour, linestyle=DASHES, linewidth=1.6)
    axes.plot([end], [further[end]], fillstyle="none", **look)


def _scales(axes: Axes, sizes: Sequence[int], seconds: Sequence[float]) -> None:
    axes.set(xscale="log", xlabel="submissions in the class")
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.xaxis.set_minor_locator(NullLocator())

    axes.set(yscale="log", ylabel="time until all are graded")
    axes.set_ylim(max(tick for tick in TIMES if tick <= min(seconds)), max(seconds) * 2)
    axes.yaxis.set_major_locator(FixedLocator(list(TIMES)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: TIMES[value]))
    axes.yaxis.set_minor_locator(NullLocator())


def _ratio(axes: Axes, slow: Mapping[int, float], fast: Mapping[int, float]) -> None:
    """An arrow between two lines at the largest class, and how many times the one is the other."""
    size = max(fast)
    ends = (size, slow[size]), (size, fast[size])
    arrow = {"arrowstyle": "<->", "color": "#777777", "shrinkA": 6, "shrinkB": 6, "linewidth": 1.2}
    axes.annotate("", *ends, arrowprops=arrow, zorder=1)

    middle = (size, (slow[size] * fast[size]) ** 0.5)
    words = f"{slow[size] / fast[size]:.1f} ×"
    text: dict[str, Any] = {"color": "#444444", "ha": "right", "va": "center"}
    axes.annotate(words, middle, (-8, 0), textcoords="offset points", **text)


def _points(times: Mapping[int, float]) -> tuple[list[int], list[float]]:
    sizes = sorted(times)
    return sizes, [times[size] for size in sizes]

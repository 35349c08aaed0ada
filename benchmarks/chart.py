"""The plot of time against class size, both axes logarithmic."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

# Of Okabe and Ito's palette, which people of all kinds of colour vision tell apart; the markers say
# it again.
STYLE = {
    "stock": ("#D55E00", "s"),
    "plugin": ("#E69F00", "^"),
    "one": ("#56B4E9", "D"),
    "all": ("#0072B2", "o"),
}
TIMES = {0.1: "0.1 s", 1: "1 s", 10: "10 s", 60: "1 min", 600: "10 min", 3600: "1 h", 36000: "10 h"}


def draw(
    folder: Path,
    title: str,
    names: Mapping[str, str],
    measured: Mapping[str, Mapping[int, float]],
    extrapolated: Mapping[str, Mapping[int, float]],
) -> list[Path]:
    """Write ``bench.png`` and ``bench.svg``: seconds by system and class size."""
    figure, axes = pyplot.subplots(figsize=(9, 5.6), layout="constrained")
    for key, times in measured.items():
        colour, marker = STYLE[key]
        axes.plot(
            *_points(times),
            color=colour,
            marker=marker,
            linewidth=2.2,
            markersize=7,
            label=names[key],
        )
        further = extrapolated.get(key)
        if further:
            last = max(times)
            line = {last: times[last], **further}
            axes.plot(*_points(line), color=colour, linestyle=(0, (4, 3)), linewidth=1.6)
            end = max(further)
            axes.plot(
                [end], [further[end]], color=colour, marker=marker, markersize=7, fillstyle="none"
            )
            text = {"color": colour, "fontsize": 9, "ha": "right", "va": "bottom"}
            axes.annotate(
                "extrapolated", (end, further[end]), (-12, 4), textcoords="offset points", **text
            )
    sizes = sorted(
        {size for times in (*measured.values(), *extrapolated.values()) for size in times}
    )
    seconds = [
        value for times in (*measured.values(), *extrapolated.values()) for value in times.values()
    ]
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="submissions in the class",
        ylabel="time until all are graded",
    )
    axes.set_title(title, loc="left", fontsize=11)
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.set_ylim(max(tick for tick in TIMES if tick <= min(seconds)), max(seconds) * 2)
    axes.yaxis.set_major_locator(FixedLocator(list(TIMES)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: TIMES[value]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_minor_locator(NullLocator())
    axes.grid(color="#dddddd", linewidth=0.8)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="upper left")
    _ratio(axes, {**measured["stock"], **extrapolated["stock"]}, measured["all"])
    paths = [folder / f"bench.{ending}" for ending in ("png", "svg")]
    for path in paths:
        figure.savefig(path, dpi=150)
    pyplot.close(figure)
    return paths


def _ratio(axes: Axes, slow: Mapping[int, float], fast: Mapping[int, float]) -> None:
    """An arrow between two lines at the largest class, and how many times the one is the other."""
    size = max(fast)
    ends = (size, slow[size]), (size, fast[size])
    arrow = {"arrowstyle": "<->", "color": "#777777", "shrinkA": 6, "shrinkB": 6, "linewidth": 1.2}
    axes.annotate("", *ends, arrowprops=arrow, zorder=1)
    middle = (slow[size] * fast[size]) ** 0.5
    text = f"{slow[size] / fast[size]:.1f} ×"
    axes.annotate(
        text,
        (size, middle),
        (-8, 0),
        textcoords="offset points",
        ha="right",
        va="center",
        color="#444444",
    )


def _points(times: Mapping[int, float]) -> tuple[list[int], list[float]]:
    return sorted(times), [times[size] for size in sorted(times)]

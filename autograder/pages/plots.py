"""Plots for pages: drawn by matplotlib, cleaned into SVG that a strict page may hold, in the colours of its style."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any
from xml.etree import ElementTree

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from autograder.reports.statistics import Item

# Drawn in these, shown in what the page's style makes of them: so one picture serves light, dark and print.
INK, FAINT, GOOD, LOST = "#000001", "#000002", "#000003", "#000004"
CLASSES = {INK: "ink", FAINT: "faint", GOOD: "good", LOST: "lost"}

WIDTH = 4.6
"""Inches: about as wide as a phone, where the letters must stay readable."""
SETTINGS: Any = {
    "svg.fonttype": "none",  # letters stay text: small, and in the page's own font
    "svg.hashsalt": "autograder",  # the same class gives the same bytes
    "font.size": 11,
    "text.color": INK,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "path.simplify": False,
}
NAMESPACE = "{http://www.w3.org/2000/svg}"
# What matplotlib writes into style attributes, as far as it is an attribute of SVG itself; fonts are the page's.
KEPT_STYLES = {"stroke-width", "stroke-dasharray", "opacity", "text-anchor"}


def distribution(edges: Sequence[float], counts: Sequence[int], median: float, title: str, about: str) -> str:
    """A histogram of scores with the median marked, as SVG; ``about`` says in words what it shows."""
    with matplotlib.rc_context(SETTINGS):
        figure, axes = _axes(2.6)
        bars = axes.bar(edges[:-1], counts, edges[1] - edges[0], align="edge", color=GOOD, edgecolor="none")
        for bar in bars:  # a gap between neighbours, without an edge that would need the background's colour
            bar.set_width(bar.get_width() * 0.94)
        axes.bar_label(bars, [str(count) if count else "" for count in counts], padding=2)
        # Above the bars and their numbers, the words on the side that has room.
        top, left = max(counts) * 1.3, median < (edges[0] + edges[-1]) / 2
        axes.axvline(median, 0.86, 1, color=INK, linewidth=1.5)
        _beside(axes, f"median {median:g}", median, top, 5 if left else -5, "top")
        axes.set_ylim(0, top)
        axes.set_xticks(edges)
        axes.set_xlabel("points")
        axes.set_ylabel("students")
        axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))
        return _svg(figure, title, about)


def losses(items: Mapping[str, Item], title: str, about: str) -> str:
    """How many points each step cost on average, beside how many it is worth, as SVG."""
    with matplotlib.rc_context(SETTINGS):
        figure, axes = _axes(0.3 + 0.4 * len(items))
        for place, (name, item) in enumerate(items.items()):
            axes.barh(place, item.points, 0.34, color=FAINT)
            axes.barh(place, item.lost, 0.34, color=LOST)
            # Above the bar: beside it long names would leave no room on a phone.
            axes.text(0, place - 0.24, name, ha="left", va="bottom")
            _beside(axes, f"{item.lost:.1f} of {item.points:g}", item.points, place, 5, "center")
        axes.set_xlim(0, 1.3 * max(item.points for item in items.values()))
        axes.set_ylim(len(items) - 0.7, -0.8)
        axes.axis("off")
        return _svg(figure, title, about)


def _axes(height: float) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(WIDTH, height), layout="compressed")
    axes = figure.add_subplot()
    axes.tick_params(length=0)
    return figure, axes


def _beside(axes: Axes, words: str, x: float, y: float, distance: float, align: Any) -> None:
    """Words next to a place, so many points to its right (to its left, if negative)."""
    side: Any = "left" if distance > 0 else "right"
    axes.annotate(words, (x, y), (distance, 0), textcoords="offset points", ha=side, va=align)


def _svg(figure: Figure, title: str, about: str) -> str:
    """The figure without what a page's policy forbids (styles) or must have once (ids), transparent, with its words."""
    file = io.BytesIO()
    figure.savefig(file, format="svg", transparent=True)
    root = ElementTree.fromstring(file.getvalue())
    view = root.attrib["viewBox"]
    return (
        f'<svg viewBox="{view}" role="img" aria-label="{escape(title)}: {escape(about)}">'
        f"{''.join(_clean(child) for child in root)}</svg>"
    )


def _clean(element: ElementTree.Element) -> str:
    """An element and what is in it: only shapes and letters, coloured by class."""
    name = element.tag.removeprefix(NAMESPACE)
    if name == "g" and not element.get("transform"):
        return "".join(_clean(child) for child in element)
    if name not in ("g", "path", "text"):
        return ""  # clip paths, marks of ticks, metadata
    style = dict(part.split(": ", 1) for part in element.get("style", "").split("; ") if ": " in part)
    fill, stroke = style.get("fill", INK if name == "text" else ""), style.get("stroke", "")
    painted = (("fill", fill), ("line", stroke))
    classes = [f"{kind}-{CLASSES[colour]}" for kind, colour in painted if colour in CLASSES]
    if name == "path" and not classes:
        return ""  # the background
    attributes: dict[str, str] = {
        key: element.attrib[key] for key in ("d", "x", "y", "transform") if key in element.attrib
    }
    attributes |= {key: value for key, value in style.items() if key in KEPT_STYLES and value != "none"}
    if "d" in attributes:
        attributes["d"] = " ".join(attributes["d"].split())
    if classes:
        attributes["class"] = " ".join(classes)
    written = "".join(f' {key}="{escape(_short(value))}"' for key, value in attributes.items())
    inside = escape(element.text or "") if name == "text" else "".join(_clean(child) for child in element)
    return f"<{name}{written}>{inside}</{name}>"


def _short(value: str) -> str:
    """Numbers with two decimals: a hundredth of a point is not seen."""
    return re.sub(r"\d+\.\d{3,}", lambda found: f"{float(found[0]):.2f}".rstrip("0").rstrip("."), value)

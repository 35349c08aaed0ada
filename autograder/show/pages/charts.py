"""The chart of the teacher's page: the positions of its bars and labels.

The template turns it into SVG. All lengths are pixels of a picture about as wide as a phone, on
which the text must be readable.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from autograder.base.text import number
from autograder.course.reports.statistics import Scores

LETTER = 6.5  # the approximate width of a character
TITLE = 18.0  # room at the left edge for the label of the numbers of students
GAP = 5.0  # between the numbers of students and the axis, and between axis and bars
RIGHT, TOP = 318.0, 6.0
BOTTOM = 148.0  # of the bars; the points are below
ABOVE = 1.3  # total height by that of the highest bar: its number and the median need room


class Label(NamedTuple):
    """A label and its position."""

    at: float
    words: str


class Bar(NamedTuple):
    x: float
    y: float
    width: float
    height: float
    words: str


@dataclass(frozen=True)
class Distribution:
    """A histogram of scores with the median marked; ``about`` says in words what it shows.

    ``left``: where the bars begin, to the right of the numbers of students. ``is_left``: the median
    is in the left half, so its words are on its right.
    """

    about: str
    left: float
    bars: list[Bar]
    across: list[Label]
    up: list[Label]
    median: Label
    is_left: bool


def of_scores(
    scores: Scores | None, edges: Sequence[float], counts: Sequence[int], most: str
) -> Distribution | None:
    """The scores of a class as a chart and in words; None if there are none.

    Args:
        edges, counts: from ``statistics.histogram``. most: the maximum of points, as text.
    """
    if scores is None:
        return None
    median, first, last = scores.median, edges[0], edges[-1]
    high = max(counts) * ABOVE
    # About five numbers of students on the axis.
    up = []
    for count in range(0, int(high) + 1, _round_step(max(counts) / 5)):
        up.append(Label(_px(BOTTOM - (BOTTOM - TOP) * count / high), str(count)))
    left = TITLE + LETTER * max(len(mark.words) for mark in up) + 2 * GAP
    each = (RIGHT - left) / len(counts)

    bars = []
    for place, count in enumerate(counts):
        height = (BOTTOM - TOP) * count / high
        # Numbers that would overlap are left out; the lists of students have them, too.
        words = str(count) if count and LETTER * len(str(count)) < each else ""
        # A gap between neighbours, without an edge that would need the background's colour.
        x, width = left + place * each, 0.94 * each
        bars.append(Bar(_px(x), _px(BOTTOM - height), _px(width), _px(height), words))

    at = left + (RIGHT - left) * (median - first) / (last - first)
    about = (
        f"{scores.count} students, median {number(median)} of {most}, the middle half"
        f" from {number(scores.lower_quartile)} to {number(scores.upper_quartile)}"
    )
    return Distribution(
        about,
        _px(left),
        bars,
        across=_below(edges, left, each),
        up=up,
        median=Label(_px(at), f"median {number(median)}"),
        is_left=median < (first + last) / 2,
    )


def _below(edges: Sequence[float], left: float, each: float) -> list[Label]:
    """The points at the edges of bars, as many as there is room for."""
    longest = max(len(_points(edge)) for edge in edges)
    every = math.ceil((longest + 0.5) * LETTER / each)
    places = range(0, len(edges), every)
    return [Label(_px(left + place * each), _points(edges[place])) for place in places]


def _round_step(least: float) -> int:
    """The smallest of 1, 2, 5, 10, 20, … that is not below ``least``."""
    ten = 1
    while True:
        for times in (1, 2, 5):
            if times * ten >= least:
                return times * ten
        ten *= 10


def _points(value: float) -> str:
    return number(value).replace("-", "−")


def _px(length: float) -> float:
    """Rounded: nobody sees a tenth of a pixel."""
    return round(length, 1)

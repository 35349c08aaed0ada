"""The figures of one run of the benchmark, and what is computed from them."""

from __future__ import annotations

import statistics
from argparse import ArgumentParser, Namespace
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from benchmarks.measure import Cost, Memory
from benchmarks.systems import ROOT, System


@dataclass
class Measured:
    """Everything that was measured; times in seconds, memory in MB."""

    systems: tuple[System, ...] = ()
    costs: dict[tuple[str, int], list[Cost]] = field(default_factory=lambda: defaultdict(list))
    once: dict[str, list[Cost]] = field(default_factory=lambda: defaultdict(list))
    memory: dict[str, Memory] = field(default_factory=dict)
    parts: dict[str, float] = field(default_factory=dict)
    floors: dict[str, list[Cost]] = field(default_factory=dict)
    isolation: str = ""

    def wall(self, key: str) -> dict[int, float]:
        """Median wall time by class size."""
        return self._median(key, "wall")

    def cpu(self, key: str) -> dict[int, float]:
        """Median CPU time by class size."""
        return self._median(key, "cpu")

    def _median(self, key: str, what: Literal["wall", "cpu"]) -> dict[int, float]:
        medians: dict[int, float] = {}
        for (system, size), costs in self.costs.items():
            if system == key:
                medians[size] = median(costs, what)
        return medians

    def extrapolated(self, key: str) -> dict[int, float]:
        """Wall time for the class sizes at which only others were measured."""
        wall = self.wall(key)
        start, each = line(wall)
        times: dict[int, float] = {}
        for size in sorted({size for _, size in self.costs}):
            if size not in wall:
                times[size] = start + size * each
        return times


def median(costs: Iterable[Cost], what: Literal["wall", "cpu"]) -> float:
    """The median of some runs: of their wall time, or of their CPU time."""
    times: list[float] = [getattr(cost, what) for cost in costs]
    return statistics.median(times)


def mean(costs: Iterable[Cost], what: Literal["wall", "cpu"]) -> float:
    """The mean of some runs: of submissions of all kinds none is typical."""
    times: list[float] = [getattr(cost, what) for cost in costs]
    return statistics.fmean(times)


def line(times: dict[int, float]) -> tuple[float, float]:
    """Start and time of each submission, from the smallest and the largest class."""
    small, large = min(times), max(times)
    each = (times[large] - times[small]) / (large - small)
    return times[small] - small * each, each


@dataclass(frozen=True)
class Difference:
    """A check about which two systems disagree.

    It ``matters`` where the student was honest and nothing was broken.
    """

    student: str
    kind: str
    check: str
    one: str
    other: str
    matters: bool


def options(parser: ArgumentParser) -> Namespace:
    """The command line of a benchmark, with the folder of its figures, which is made."""
    parser.add_argument(
        "--folder",
        type=Path,
        default=ROOT / "build" / "bench",
        help="where the figures are written",
    )
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    return arguments

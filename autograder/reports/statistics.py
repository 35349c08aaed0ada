"""What the results of a class say about its exercise: scores, checks, shared mistakes, what was
carried forward."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from autograder.exercises.exercise import Exercise
from autograder.result import CheckResult, Result, worst

ENOUGH = 30
"""A discrimination is given above so many students: below, chance moves a correlation by more than
it says."""

BINS = 100
"""No histogram has many more bins."""

Row = tuple[str, float, tuple[CheckResult, ...]]
"""A student, the whole automatic score, and the results of the checks in question."""


@dataclass(frozen=True)
class Scores:
    """Some scores in points; quartiles as ``numpy.percentile`` interpolates them, the deviation
    that of a sample."""

    count: int
    mean: float
    standard_deviation: float | None
    minimum: float
    lower_quartile: float
    median: float
    upper_quartile: float
    maximum: float


@dataclass(frozen=True)
class Item:
    """A check (``<step>-<check>``) or a step, over the graded submissions; every student is in one
    of four lists.

    A step is ``carried`` when at least one of its checks is and none failed. ``lost`` is in points,
    on average. ``discrimination`` is the correlation of the points earned here with those earned
    everywhere else.
    """

    name: str
    points: float
    lost: float
    passed: tuple[str, ...]
    carried: tuple[str, ...]
    failed: tuple[str, ...]
    not_run: tuple[str, ...]
    discrimination: float | None

    @property
    def count(self) -> int:
        return len(self.passed) + len(self.carried) + len(self.failed) + len(self.not_run)

    @property
    def share(self) -> float:
        """The share who passed by themselves."""
        return len(self.passed) / self.count if self.count else 0.0


@dataclass(frozen=True)
class Shared:
    """A misconception of the bank, and who has it: their answers to ``step`` are the same as
    its."""

    name: str
    step: str
    hint: str
    checks: tuple[str, ...]
    students: tuple[str, ...]


@dataclass(frozen=True)
class Carried:
    """A step at fault, and who kept points in later ``steps`` because only this (or it, too) was
    wrong."""

    step: str
    steps: tuple[str, ...]
    students: tuple[str, ...]
    points: float


def scores(values: Iterable[float]) -> Scores | None:
    """The description of some scores; None of none."""
    found = np.array(list(values), dtype=float)
    if not found.size:
        return None
    low, middle, high = np.percentile(found, [25, 50, 75])
    deviation = _rounded(found.std(ddof=1)) if found.size > 1 else None
    parts = (_rounded(part) for part in (found.min(), low, middle, high, found.max()))
    return Scores(found.size, _rounded(found.mean()), deviation, *parts)


def histogram(values: Sequence[float], most: float) -> tuple[list[float], list[int]]:
    """Edges and counts of ten equal bins over 0 to ``most`` points, and as many more as scores
    beyond it need.

    A bin holds its left edge; the last one both.
    """
    width = most / 10 or 1.0
    # A mark of a million, mistyped, must not make a million bins.
    while max(map(abs, values), default=0.0) > BINS * width:
        width *= 10
    # Extra credit goes beyond the maximum; a person's marks may go below 0.
    first = min([0, *(int(np.floor(value / width)) for value in values)])
    last = max([10, *(int(np.ceil(value / width)) for value in values)])
    edges = [_rounded(width * place) for place in range(first, last + 1)]
    return edges, [int(count) for count in np.histogram(values, edges)[0]]


def items(exercise: Exercise, results: Iterable[Result]) -> tuple[dict[str, Item], dict[str, Item]]:
    """The exercise's steps and its checks by id, over the graded results that have them."""
    graded = [result for result in results if result.status == "graded"]
    by_step: dict[str, list[Row]] = {name: [] for name in exercise.steps}
    by_check: dict[str, list[Row]] = {check.id: [] for check in exercise.checks}
    for result in graded:
        who, total = str(result.student), result.score or 0.0
        for step in result.steps:
            if step.name in by_step:
                by_step[step.name].append((who, total, step.checks))
            for check in step.checks:
                id = step.id_of(check)
                if id in by_check:
                    by_check[id].append((who, total, (check,)))
    points = {check.id: check.points for check in exercise.checks}
    totals = {
        step: sum(check.points for check in exercise.checks_of(step)) for step in exercise.steps
    }
    return (
        {name: _item(name, totals[name], rows) for name, rows in by_step.items()},
        {name: _item(name, points[name], rows) for name, rows in by_check.items()},
    )


def shared(exercise: Exercise, results: Iterable[Result]) -> list[Shared]:
    """The misconceptions found, those that most students share first."""
    students: dict[tuple[str, str], dict[str, None]] = {}
    checks: dict[tuple[str, str], set[str]] = {}
    hints: dict[tuple[str, str], str] = {}
    for result in results:
        for step in result.steps:
            for check in step.checks:
                if check.misconception is not None:
                    key = (step.name, check.misconception)
                    students.setdefault(key, {})[str(result.student)] = None
                    checks.setdefault(key, set()).add(step.id_of(check))
                    hints[key] = check.hint or ""
    order = {name: place for place, name in enumerate(exercise.steps)}
    keys = sorted(
        students, key=lambda key: (-len(students[key]), order.get(key[0], len(order)), key)
    )
    return [
        Shared(
            name,
            step,
            hints[step, name],
            tuple(sorted(checks[step, name])),
            tuple(students[step, name]),
        )
        for step, name in keys
    ]


def carried(exercise: Exercise, results: Iterable[Result]) -> list[Carried]:
    """What was carried forward, by the step at fault, in the order of the notebook.

    A check that needed several steps mended counts at each of them.
    """
    students: dict[str, dict[str, None]] = {}
    steps: dict[str, set[str]] = {}
    points: dict[str, float] = {}
    for result in results:
        for step in result.steps:
            for check in step.checks:
                for fault in check.with_reference if check.status == "carried" else ():
                    students.setdefault(fault, {})[str(result.student)] = None
                    steps.setdefault(fault, set()).add(step.name)
                    points[fault] = points.get(fault, 0.0) + check.earned
    return [
        Carried(
            fault,
            tuple(name for name in exercise.steps if name in steps[fault]),
            tuple(students[fault]),
            _rounded(points[fault]),
        )
        for fault in exercise.steps
        if fault in students
    ]


def _item(name: str, points: float, rows: Sequence[Row]) -> Item:
    lists: dict[str, list[str]] = {
        status: [] for status in ("passed", "carried", "failed", "not_run")
    }
    for who, _, checks in rows:
        lists[worst(checks)].append(who)
    earned = np.array([sum(check.earned for check in checks) for _, _, checks in rows], dtype=float)
    offered = np.array(
        [sum(check.points for check in checks) for _, _, checks in rows], dtype=float
    )
    rest = np.array([total for _, total, _ in rows], dtype=float) - earned
    return Item(
        name,
        round(points, 9),
        _rounded((offered - earned).mean()) if rows else 0.0,
        **{status: tuple(students) for status, students in lists.items()},
        discrimination=_correlation(earned, rest) if len(rows) > ENOUGH else None,
    )


def _correlation(item: np.ndarray, rest: np.ndarray) -> float | None:
    """Pearson's; None where one of the two is the same for everybody."""
    if np.ptp(item) < 1e-9 or np.ptp(rest) < 1e-9:
        return None
    return round(float(np.corrcoef(item, rest)[0, 1]), 4)


def _rounded(number: float) -> float:
    """A float without the last bits of its arithmetic."""
    return round(float(number), 6)

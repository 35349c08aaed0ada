"""What the results of a class say about its exercise.

Scores, steps and checks, shared mistakes, and what was carried forward.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from autograder.base.result import Result, worst
from autograder.exercises.exercise import Exercise

ENOUGH = 30
"""A class must be larger than this for a discrimination index; below, it is mostly noise."""

BINS = 100
"""No histogram has many more bins."""


def _no_students() -> dict[str, list[str]]:
    return {"passed": [], "carried": [], "failed": [], "not_run": []}


@dataclass
class _Rows:
    """What everybody earned in a step or check: by status, and in points three columns.

    ``total`` is what a student earned everywhere, ``earned`` what here, of ``offered``.
    """

    students: dict[str, list[str]] = field(default_factory=_no_students)
    total: list[float] = field(default_factory=list)
    earned: list[float] = field(default_factory=list)
    offered: list[float] = field(default_factory=list)

    def add(self, student: str, status: str, total: float, earned: float, offered: float) -> None:
        """One student more."""
        self.students[status].append(student)
        self.total.append(total)
        self.earned.append(earned)
        self.offered.append(offered)


@dataclass(frozen=True)
class Scores:
    """Some scores in points.

    Quartiles are interpolated as ``numpy.percentile`` does; the deviation is that of a sample.
    """

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
    """A check (``<step>-<check>``) or a step, over the graded submissions.

    Every student is in one of four lists. A step is ``carried`` when at least one of its checks is
    and none failed. ``lost`` is in points, on average. ``discrimination`` is the corrected
    item-rest correlation: that of the points earned here with those earned everywhere else
    (Crocker and Algina, Introduction to Classical and Modern Test Theory, 1986, chapter 14).
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
    """A misconception of the bank, or a relation to the right answer, and the students whose
    answers to ``step`` have it; ``title`` is what a teacher calls it."""

    name: str
    title: str
    step: str
    hint: str
    checks: tuple[str, ...]
    students: tuple[str, ...]


@dataclass(frozen=True)
class Carried:
    """A step at fault, and who kept points in later ``steps`` although it was wrong."""

    step: str
    steps: tuple[str, ...]
    students: tuple[str, ...]
    points: float


def scores(values: Iterable[float]) -> Scores | None:
    """The description of some scores; None of none."""
    points = np.array(list(values), dtype=float)  # (n_scores,)
    if not points.size:
        return None

    minimum, lower, median, upper, maximum = np.percentile(points, [0, 25, 50, 75, 100])
    return Scores(
        count=points.size,
        mean=_rounded(points.mean()),
        standard_deviation=_rounded(points.std(ddof=1)) if points.size > 1 else None,
        minimum=_rounded(minimum),
        lower_quartile=_rounded(lower),
        median=_rounded(median),
        upper_quartile=_rounded(upper),
        maximum=_rounded(maximum),
    )


def histogram(values: Sequence[float], most: float) -> tuple[list[float], list[int]]:
    """Ten equal bins over 0 to ``most`` points, and as many more as scores beyond it need.

    A bin holds its left edge; the last one both.

    Returns:
        The edges, ``(n_bins + 1,)``, and the counts, ``(n_bins,)``.
    """
    lowest, highest = min(values, default=0.0), max(values, default=0.0)
    width = most / 10 or 1.0
    # A mark of a million, mistyped, must not make a million bins.
    while max(highest, -lowest) > BINS * width:
        width *= 10

    # Extra credit goes beyond the maximum; a person's marks may go below 0.
    first = min(0, math.floor(lowest / width))
    last = max(10, math.ceil(highest / width))
    edges = [_rounded(width * place) for place in range(first, last + 1)]
    counts, _ = np.histogram(values, edges)
    return edges, counts.tolist()


def items(exercise: Exercise, results: Iterable[Result]) -> tuple[dict[str, Item], dict[str, Item]]:
    """The exercise's steps and its checks by id, over the graded results that have them."""
    step_rows: defaultdict[str, _Rows] = defaultdict(_Rows)
    check_rows: defaultdict[tuple[str, str], _Rows] = defaultdict(_Rows)
    for result in results:
        if result.status != "graded":
            continue
        student, total = result.student_id, result.score or 0.0
        for step in result.steps:
            if step.is_not_asked:
                continue
            name, status = step.name, worst(step.checks)
            step_rows[name].add(student, status, total, step.score, step.max_score)
            for check in step.checks:
                status = "failed" if check.status == "unattempted" else check.status
                rows = check_rows[name, check.name]
                rows.add(student, status, total, check.earned, check.points)

    steps: dict[str, Item] = {}
    for name in exercise.steps:
        points = sum(check.points for check in exercise.checks_of(name))
        steps[name] = _item(name, points, step_rows[name])
    checks: dict[str, Item] = {}
    for asked in exercise.checks:
        rows = check_rows[asked.step, asked.name]
        checks[asked.id] = _item(asked.id, asked.points, rows)
    return steps, checks


@dataclass
class _Sightings:
    """Who has made a mistake, and the checks that show it."""

    hint: str = ""
    checks: set[str] = field(default_factory=set)
    students: dict[str, None] = field(default_factory=dict)


def shared(exercise: Exercise, results: Iterable[Result]) -> list[Shared]:
    """The misconceptions and relations of the results, those that most students share first."""
    seen: dict[tuple[str, str, str], _Sightings] = {}
    for result in results:
        for step in result.steps:
            for check in step.checks:
                name, hint = check.misconception or check.relation, check.hint or ""
                if name is not None:
                    # A relation has many faces: another argument, another axis.
                    face = hint if check.relation else ""
                    sightings = seen.setdefault((step.name, name, face), _Sightings())
                    sightings.hint = hint
                    sightings.checks.add(step.id_of(check))
                    sightings.students[result.student_id] = None

    titles = {(one.step, one.name): one.title for one in exercise.misconceptions}
    mistakes = []
    for (step_name, name, _), sightings in seen.items():
        checks, students = tuple(sorted(sightings.checks)), tuple(sightings.students)
        title = titles.get((step_name, name)) or name.replace("_", " ")
        mistakes.append(Shared(name, title, step_name, sightings.hint, checks, students))

    def rank(mistake: Shared) -> tuple[int, int, str, str]:
        steps = exercise.steps
        place = steps.index(mistake.step) if mistake.step in steps else len(steps)
        return -len(mistake.students), place, mistake.step, mistake.name

    return sorted(mistakes, key=rank)


@dataclass
class _Kept:
    """The points that were kept in spite of a fault, where and by whom."""

    points: float = 0.0
    steps: set[str] = field(default_factory=set)
    students: dict[str, None] = field(default_factory=dict)


def carried(exercise: Exercise, results: Iterable[Result]) -> list[Carried]:
    """What was carried forward, by the step at fault, in the order of the notebook.

    A check that needed several steps mended counts at each of them.
    """
    faults: dict[str, _Kept] = {}
    for result in results:
        for step in result.steps:
            for check in step.checks:
                if check.status == "carried":
                    for fault in check.with_reference:
                        kept = faults.setdefault(fault, _Kept())
                        kept.points += check.earned
                        kept.steps.add(step.name)
                        kept.students[result.student_id] = None

    entries = []
    for fault in exercise.steps:
        if fault in faults:
            kept = faults[fault]
            steps = tuple(name for name in exercise.steps if name in kept.steps)
            entries.append(Carried(fault, steps, tuple(kept.students), _rounded(kept.points)))
    return entries


def _item(name: str, points: float, rows: _Rows) -> Item:
    # (n_students,) each
    total, earned, offered = map(np.array, (rows.total, rows.earned, rows.offered))
    return Item(
        name,
        round(points, 9),
        lost=_rounded((offered - earned).mean()) if total.size else 0.0,
        passed=tuple(rows.students["passed"]),
        carried=tuple(rows.students["carried"]),
        failed=tuple(rows.students["failed"]),
        not_run=tuple(rows.students["not_run"]),
        discrimination=_correlation(earned, total - earned) if total.size > ENOUGH else None,
    )


def _correlation(item: np.ndarray, rest: np.ndarray) -> float | None:
    """Pearson's, of two ``(n_students,)``; None where one of them is the same for everybody."""
    if np.ptp(item) < 1e-9 or np.ptp(rest) < 1e-9:
        return None
    return round(float(np.corrcoef(item, rest)[0, 1]), 4)


def _rounded(number: float) -> float:
    """A float without the last bits of its arithmetic."""
    return round(float(number), 6)

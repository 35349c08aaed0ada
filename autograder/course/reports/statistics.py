"""Statistics on the exercise from the results of a class.

Scores, steps and checks, shared mistakes, and what was carried forward.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from autograder.base.result import Result, worst
from autograder.exercises.exercise import Exercise

ENOUGH = 30
"""A class must be larger than this for a discrimination index; below, it is mostly noise."""

BINS = 100
"""The approximate maximum of bins in a histogram."""


Row = tuple[str, str, float, float, float]
"""A student, the status, and points: earned everywhere, earned here, offered here."""


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
    and none failed. ``lost`` is the mean of lost points. ``discrimination`` is the corrected
    item-rest correlation: of the points earned here with those earned everywhere else (Crocker and
    Algina, Introduction to Classical and Modern Test Theory, 1986, chapter 14).
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
        """The share of students who passed without carry-forward."""
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
    """A wrong step, and the students who kept points in later ``steps`` in spite of it."""

    step: str
    steps: tuple[str, ...]
    students: tuple[str, ...]
    points: float


def scores(values: Iterable[float]) -> Scores | None:
    """The statistics of some scores; None if there are none."""
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
    """Ten equal bins from 0 to ``most`` points, and more for scores beyond.

    A bin holds its left edge; the last one both.

    Returns:
        The edges, ``(n_bins + 1,)``, and the counts, ``(n_bins,)``.
    """
    lowest, highest = min(values, default=0.0), max(values, default=0.0)
    width = most / 10 or 1.0
    # A mistyped mark of a million must not make a million bins.
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
    step_rows: defaultdict[str, list[Row]] = defaultdict(list)
    check_rows: defaultdict[str, list[Row]] = defaultdict(list)
    for result in results:
        if result.status != "graded":
            continue
        student, total = result.student_id, result.score or 0.0
        for step in result.steps:
            if step.is_not_asked:
                continue
            points = (total, step.score, step.max_score)
            step_rows[step.name].append((student, worst(step.checks), *points))
            for check in step.checks:
                status = "failed" if check.status == "unattempted" else check.status
                points = (total, check.earned, check.points)
                check_rows[step.id_of(check)].append((student, status, *points))

    steps: dict[str, Item] = {}
    for name in exercise.steps:
        worth = sum(check.points for check in exercise.checks_of(name))
        steps[name] = _item(name, worth, step_rows[name])
    checks: dict[str, Item] = {}
    for asked in exercise.checks:
        checks[asked.id] = _item(asked.id, asked.points, check_rows[asked.id])
    return steps, checks


def shared(exercise: Exercise, results: Iterable[Result]) -> list[Shared]:
    """The misconceptions and relations of the results, the most frequent first."""
    seen: defaultdict[tuple[str, str, str], list[tuple[str, str, str]]] = defaultdict(list)
    for result in results:
        for step in result.steps:
            for check in step.checks:
                name, hint = check.misconception or check.relation, check.hint or ""
                if name is not None:
                    # A relation has variants: another argument, another axis.
                    face = hint if check.relation else ""
                    sighting = (step.id_of(check), result.student_id, hint)
                    seen[step.name, name, face].append(sighting)

    titles = {(one.step, one.name): one.title for one in exercise.misconceptions}
    mistakes = []
    for (step_name, name, _), sightings in seen.items():
        checks, students, hints = zip(*sightings)
        title = titles.get((step_name, name)) or name.replace("_", " ")
        about = (tuple(sorted({*checks})), tuple(dict.fromkeys(students)))
        mistakes.append(Shared(name, title, step_name, hints[-1], *about))

    places = {name: place for place, name in enumerate(exercise.steps)}

    def rank(mistake: Shared) -> tuple[int, int, str, str]:
        place = places.get(mistake.step, len(places))
        return -len(mistake.students), place, mistake.step, mistake.name

    return sorted(mistakes, key=rank)


def carried(exercise: Exercise, results: Iterable[Result]) -> list[Carried]:
    """Carried points, by the wrong step, in the order of the notebook.

    A check that needed several steps replaced counts at each of them.
    """
    kept: defaultdict[str, list[tuple[str, str, float]]] = defaultdict(list)
    for result in results:
        for step in result.steps:
            for check in step.checks:
                if check.status == "carried":
                    for fault in check.with_reference:
                        kept[fault].append((step.name, result.student_id, check.earned))

    entries = []
    for fault in exercise.steps:
        if fault in kept:
            where, students, points = zip(*kept[fault])
            steps = tuple(name for name in exercise.steps if name in where)
            whose = tuple(dict.fromkeys(students))
            entries.append(Carried(fault, steps, whose, _rounded(sum(points))))
    return entries


def _item(name: str, points: float, rows: Sequence[Row]) -> Item:
    students: dict[str, list[str]] = {"passed": [], "carried": [], "failed": [], "not_run": []}
    for student, status, *_ in rows:
        students[status].append(student)

    numbers = np.array([row[2:] for row in rows], dtype=float).reshape(-1, 3)
    total, earned, offered = numbers.T  # (n_students,) each
    return Item(
        name,
        round(points, 9),
        lost=_rounded((offered - earned).mean()) if rows else 0.0,
        passed=tuple(students["passed"]),
        carried=tuple(students["carried"]),
        failed=tuple(students["failed"]),
        not_run=tuple(students["not_run"]),
        discrimination=_correlation(earned, total - earned) if len(rows) > ENOUGH else None,
    )


def _correlation(item: np.ndarray, rest: np.ndarray) -> float | None:
    """Pearson's, of two ``(n_students,)``; None where one of them is the same for everybody."""
    if np.ptp(item) < 1e-9 or np.ptp(rest) < 1e-9:
        return None
    return round(float(np.corrcoef(item, rest)[0, 1]), 4)


def _rounded(number: float) -> float:
    """A float without the last bits of its arithmetic."""
    return round(float(number), 6)

"""What a student's final score is made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from autograder.base.result import Result
from autograder.exercises.exercise import Exercise

if TYPE_CHECKING:
    from autograder.course.gradebook.cell_marks import CellMarks
    from autograder.course.gradebook.marks import Marks


@dataclass(frozen=True)
class Part:
    """Points of a student's final score, which all parts together add up to.

    A late penalty is negative, its ``max_score`` 0.
    """

    step: str
    category: str
    score: float
    max_score: float


def automatic(result: Result) -> Iterator[Part]:
    """What the checks give, of a student who is in no gradebook."""
    for step in result.steps:
        parts = []
        for check in step.checks:
            parts.append(Part(step.name, check.category, check.earned, check.points))
        yield from _by_category(parts)


def marked(exercise: Exercise, marks: Marks) -> Iterator[Part]:
    """What the gradebook gives, with what a person has entered and what lateness costs."""
    cells = dict(marks.cells)
    parts = []
    for check in exercise.checks:
        if check.id in cells:
            score = _without_extra(cells.pop(check.id))
            parts.append(Part(check.step, check.category, score, check.points))
    yield from _by_category(parts)

    for id, cell in cells.items():
        score = _without_extra(cell)
        if cell.max_score is not None or score:
            yield Part(id, "by hand", score, cell.max_score or 0.0)

    extra = sum(cell.extra_credit or 0.0 for cell in marks.cells.values())
    if extra:
        yield Part("", "extra credit", round(extra, 9), 0.0)
    if marks.late_penalty:
        yield Part("", "late penalty", -marks.late_penalty, 0.0)
    if marks.raised:
        yield Part("", "not below 0", marks.raised, 0.0)


def _without_extra(cell: CellMarks) -> float:
    return cell.score - (cell.extra_credit or 0.0)


def _by_category(parts: Iterable[Part]) -> Iterator[Part]:
    """One part for each step and category, in the order in which they come first."""
    groups: dict[tuple[str, str], list[Part]] = {}
    for part in parts:
        groups.setdefault((part.step, part.category), []).append(part)

    for (step, category), group in groups.items():
        score = round(sum(part.score for part in group), 9)
        max_score = round(sum(part.max_score for part in group), 9)
        yield Part(step, category, score, max_score)

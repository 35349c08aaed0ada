"""The order in which the cells of a submission run, and checks are asked behind them."""

from __future__ import annotations

from collections.abc import Iterator, Set

from autograder.engine.idle_pictures import idle_pictures
from autograder.exercises.exercise import Check, Exercise
from autograder.submissions.submission import Submission, SubmittedCell, defined_beside

Stage = tuple[list[SubmittedCell | str], list[Check]]
"""Cells, with the name of a step behind each that is replaced, and the checks behind them."""


def stages(
    exercise: Exercise,
    submission: Submission,
    replaced: Set[str],
    again: Set[str] = frozenset(),
) -> Iterator[Stage]:
    """The stages of a run, in the order of the master notebook.

    Args:
        again: replaced steps that are so once more behind every other cell that defines them.
    """
    cells: list[SubmittedCell | str] = []
    checks: list[Check] = []
    for part in _parts(exercise, submission, replaced, again):
        if isinstance(part, Check):
            checks.append(part)
            continue
        if checks:
            yield cells, checks
            cells, checks = [], []
        cells.append(part)
    yield cells, checks


def _parts(
    exercise: Exercise, submission: Submission, replaced: Set[str], again: Set[str]
) -> Iterator[SubmittedCell | Check | str]:
    """Cells, checks and the names of replaced steps; what a student added stays behind what it
    followed."""
    idle = idle_pictures(exercise, submission)
    for place in submission.by_master(cell.id for cell in exercise.cells):
        check = exercise.cell(place.id).check
        if check:
            yield check
        if place.answer is not None and place.answer.is_code and place.id not in idle:
            yield place.answer
            if again:
                yield from sorted(again & defined_beside(exercise, place.answer))
        if place.id in replaced:
            yield place.id
        for added in place.added:
            yield added
            if again:
                yield from sorted(again & defined_beside(exercise, added))

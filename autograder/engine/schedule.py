"""The order of a submission's cells, and of the checks between them."""

from __future__ import annotations

from collections.abc import Iterator, Set

from autograder.exercises.exercise import Check, Exercise
from autograder.submissions.python_source import binds, uses, words
from autograder.submissions.submission import Submission, SubmittedCell, defined_beside

Stage = tuple[list[SubmittedCell | str], list[Check]]
"""Cells, each followed by the name of its step if that is replaced, and the checks after them."""


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
    """Cells, checks and the names of replaced steps; cells that a student added stay after the cell
    that they followed."""
    idle = idle_pictures(exercise, submission)
    for place in submission.by_master(cell.id for cell in exercise.cells):
        check = exercise.cell(place.id).check
        if check:
            yield check

        if place.answer is not None and place.answer.is_code and place.id not in idle:
            yield place.answer
            if again:
                yield from sorted(again & defined_beside(exercise, place.answer))

        for name in exercise.cell(place.id).functions or (place.id,):
            if name in replaced:
                yield name

        for added in place.added:
            yield added
            if again:
                yield from sorted(again & defined_beside(exercise, added))


def idle_pictures(exercise: Exercise, submission: Submission) -> set[str]:
    """The ids of plain cells that were not changed, and whose names the student's cells do not
    use."""
    idle: set[str] = set()
    offered: dict[str, str] = {}
    own: list[str] = []
    for cell in submission.cells:
        if cell.is_code and cell.id and _is_as_released(exercise, cell):
            if _is_imported(exercise, cell.source):
                idle.add(cell.id)
            else:
                offered[cell.id] = cell.source
        elif cell.is_code:
            own.append(cell.source)

    # Nearly always; a closer look takes longer.
    said = frozenset[str]().union(*map(words, own))
    if not any(said & binds(source) for source in offered.values()):
        return idle.union(offered)

    while own:
        used = set[str]().union(*(uses(source) or () for source in own))
        wanted = [id for id, source in offered.items() if used & binds(source)]
        own = [offered.pop(id) for id in wanted]
    return idle.union(offered)


def _is_as_released(exercise: Exercise, cell: SubmittedCell) -> bool:
    master = exercise.cell(cell.id) if cell.id else None
    if master is None or master.kind != "plain" or master.source.strip() != cell.source.strip():
        return False
    # In a student's copy without ids it may be the student's own: checks ask for steps.
    return binds(cell.source).isdisjoint(exercise.steps)


def _is_imported(exercise: Exercise, source: str) -> bool:
    """Whether a cell is an import that is also in the setup cell."""
    line = source.strip()
    return line.startswith("import ") and f"\n{line}\n" in exercise.setup

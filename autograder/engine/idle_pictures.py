"""Pictures and other plain cells that need not run, for nobody grades what they make."""

from __future__ import annotations

from autograder.exercises.exercise import Exercise
from autograder.submissions.python_source import binds, uses, words
from autograder.submissions.submission import Submission, SubmittedCell


def idle_pictures(exercise: Exercise, submission: Submission) -> set[str]:
    """The ids of plain cells that are as they were handed out, and whose names no cell of the
    student uses."""
    offered: dict[str, str] = {}
    own: list[str] = []
    for cell in submission.cells:
        if cell.is_code and cell.id and _is_as_released(exercise, cell):
            offered[cell.id] = cell.source
        elif cell.is_code:
            own.append(cell.source)

    # Nearly always; a closer look takes a while.
    said = frozenset[str]().union(*map(words, own))
    if not any(said & binds(source) for source in offered.values()):
        return set(offered)

    while own:
        used = set[str]().union(*(uses(source) or () for source in own))
        wanted = [id for id, source in offered.items() if used & binds(source)]
        own = [offered.pop(id) for id in wanted]
    return set(offered)


def _is_as_released(exercise: Exercise, cell: SubmittedCell) -> bool:
    master = exercise.cell(cell.id) if cell.id else None
    if master is None or master.kind != "plain" or master.source.strip() != cell.source.strip():
        return False
    # In a student's copy without ids it may be the student's own: checks ask for steps.
    return binds(cell.source).isdisjoint(exercise.steps)

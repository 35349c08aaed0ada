"""Cells that define a step once more: what comes behind them calls that one, not the answer."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import NamedTuple

from autograder.exercises.exercise import Exercise
from autograder.submissions.python_source import binds, defines, parses
from autograder.submissions.submission import Submission, SubmittedCell


class DefinedAgain(NamedTuple):
    """A step, its answer, and a cell behind that which defines the step again."""

    step: str
    answer: SubmittedCell
    cell: SubmittedCell


def defined_again(exercise: Exercise, submission: Submission) -> Iterator[DefinedAgain]:
    """Every step that a cell behind its answer defines, in the order in which the cells run."""
    answers: dict[str, SubmittedCell] = {}
    for place in submission.by_master(cell.id for cell in exercise.cells):
        for cell in place.cells:
            for step in sorted(defined_beside(exercise, cell) & answers.keys()):
                yield DefinedAgain(step, answers[step], cell)
            if cell is place.answer and place.id in exercise.steps:
                answers[place.id] = cell


def defined_beside(exercise: Exercise, cell: SubmittedCell) -> frozenset[str]:
    """The steps that a cell defines, without the one whose answer it is."""
    is_answer = cell.id in exercise.steps
    if not cell.is_code or not (is_answer or parses(cell.source)):
        return frozenset()
    # Nearly all of an answer is functions, and to parse every one takes a while.
    names = defines(cell.source) if is_answer else binds(cell.source)
    return names.intersection(exercise.steps) - {cell.id}


def notes(exercise: Exercise, submission: Submission, told: Set[str]) -> Iterator[str]:
    """What is to be said of them, once of each step.

    Args:
        told: steps of which it is said in other words.
    """
    order = {cell.id: place for place, cell in enumerate(exercise.cells)}
    said = set(told)
    for step, answer, cell in defined_again(exercise, submission):
        # The same once more changes nothing, and "again" is only what the answer has defined, too.
        is_same = answer.source.strip() in cell.source
        if step in said or is_same or step not in binds(answer.source):
            continue

        # Between a stub and its checks it is the answer.
        checks = exercise.checks_of(step)
        has_missed_it = any(order[check.id] <= order[cell.after] for check in checks)
        if "NotImplementedError" in answer.source and not has_missed_it:
            continue

        said.add(step)
        by = f"the cell of {cell.id}" if cell.id in exercise.steps else "an added cell"
        what = f"{by} defines {step} again, and what comes behind it calls that one"
        yield f"{what}; write it into the cell of {step}, or give it another name"

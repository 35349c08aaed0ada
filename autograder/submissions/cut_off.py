"""Answers above which the line of the stub still stands, so that nothing of them runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograder.exercises.exercise import Exercise
from autograder.submissions.python_source import parsed
from autograder.submissions.submission import Submission

STUB = "raise NotImplementedError"


def notes(exercise: Exercise, submission: Submission) -> Iterator[str]:
    """What is to be said of each of them."""
    for cell in submission.cells:
        if cell.id not in exercise.steps or STUB not in cell.source:
            continue
        if _is_cut_off(cell.source, cell.id):
            yield f"{STUB} still stands above the answer to {cell.id}; delete that line"


def _is_cut_off(source: str, step: str) -> bool:
    """Whether a function raises before it comes to its other lines."""
    tree = parsed(source)
    for statement in tree.body if tree else ():
        if isinstance(statement, ast.FunctionDef) and statement.name == step:
            return any(isinstance(line, ast.Raise) for line in statement.body[:-1])
    return False

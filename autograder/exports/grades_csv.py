"""``csv``: a row for each student, step and category.

The rows of a student add up to the final score.
"""

from __future__ import annotations

from collections.abc import Iterator

from autograder.exports.export import Product, Request
from autograder.exports.safe_csv import Cell, table
from autograder.gradebook.final_grades import Class, Standing
from autograder.text import shown

HEADER = ("exercise", "student", "name", "status", "step", "category", "score", "max_score")


def make(request: Request, everybody: Class) -> Product:
    """All students in one table."""
    return Product(table([HEADER, *_rows(everybody)]))


def _rows(everybody: Class) -> Iterator[tuple[Cell, ...]]:
    for standing in everybody.standings:
        with everybody.troubles.of(standing.student, "no row"):
            # All rows of a student, or none.
            yield from list(_student(everybody, standing))


def _student(everybody: Class, standing: Standing) -> Iterator[tuple[Cell, ...]]:
    about = (everybody.exercise.name, standing.student, standing.name, standing.status)
    for part in standing.parts:
        yield (*about, part.step, shown(part.category), part.score, part.max_score)
    if not standing.parts:
        yield (*about, "", "", standing.score, everybody.max_score)

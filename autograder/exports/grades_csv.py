"""``csv``: a row for each student, step and category; the rows of a student add up to the final
score."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.exports.export import Product, Request
from autograder.exports.safe_csv import Cell, table
from autograder.gradebook.final_grades import Class, Standing
from autograder.result import shown

HEADER = ("exercise", "student", "name", "status", "step", "category", "score", "max_score")


def make(request: Request, everybody: Class) -> Product:
    return Product(table([HEADER, *_rows(everybody)]))


def _rows(everybody: Class) -> Iterator[tuple[Cell, ...]]:
    for one in everybody.standings:
        with everybody.troubles.of(one.student, "no row"):
            yield from list(_student(everybody, one))


def _student(everybody: Class, one: Standing) -> Iterator[tuple[Cell, ...]]:
    about = (everybody.exercise.name, one.student, one.name, one.status)
    for part in one.parts:
        yield (*about, part.step, shown(part.category), part.score, part.max_score)
    if not one.parts:
        yield (*about, "", "", one.score, everybody.max_score)

"""Steps that students are given, so that a course can leave them out.

The mark ``given=true`` stands on a step. Its cell is released with the solution in it, locked, and
the grader uses the solution. Its checks are left out, and the points of all others grow: the
exercise is worth what it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from autograder.authoring.cells import Cell, Problem, Source
from autograder.authoring.regions import without_region
from autograder.exercises.exercise import defines_class


def problems(source: Source) -> Iterator[Problem]:
    """What is wrong with the steps that are given."""
    steps = source.of("step")
    given = [step for step in steps if step.given]
    for step in given:
        if defines_class(step.source, step.id):
            cause = f"{step.id} is a class, which cannot be given"
            yield Problem(step.line, cause, "put it into setup, and delete its checks")
    if given and not any(check.points for check in _graded(source)):
        yield Problem(given[0].line, "no step with points is left to write", "give fewer of them")


def with_given(source: Source) -> Source:
    """The exercise without the checks of given steps, worth as much as before."""
    given = _given(source)
    if not given:
        return source

    points = dict(_scaled(source))
    cells: list[Cell] = []
    for cell in source.cells:
        if cell.kind == "step" and cell.given:
            text = f"# Given · {cell.id} · not graded\n{without_region(cell.source)}"
            cells.append(replace(cell, kind="needed", source=text, points=None, draws=None))
        elif cell.kind == "step":
            cells.append(replace(cell, points=None))
        elif cell.kind != "check":
            cells.append(cell)
        elif cell.step not in given:
            cells.append(replace(cell, points=points[cell.id]))
    return replace(source, cells=tuple(cells))


def _graded(source: Source) -> list[Cell]:
    """The checks that stay."""
    given = _given(source)
    return [check for check in source.of("check") if check.step not in given]


def _given(source: Source) -> set[str]:
    return {step.id for step in source.of("step") if step.given}


def _scaled(source: Source) -> Iterator[tuple[str, float]]:
    """What each check that stays is worth, in tenths of a point; together as much as all before."""
    kept = _graded(source)
    total = sum(check.points or 0 for check in source.of("check"))
    factor = total / sum(check.points or 0 for check in kept)

    exact = shared_out = 0.0
    for check in kept:
        exact += factor * (check.points or 0)
        # What is rounded off goes to the next check; the last one ends on the total.
        up_to_here = total if check is kept[-1] else round(exact, 1)
        worth = round(up_to_here - shared_out, 6)
        yield check.id, int(worth) if worth.is_integer() else worth
        shared_out = up_to_here

"""The exercise as it lies in a student's own copy: all that ``autograder check`` needs.

Nothing but the notebook is at hand there, perhaps without its metadata, which some notebook
services drop. So its parts are found by what is in them: the setup cell fills in ``tools.CHECKS``,
a check stands in ``with tools.check(…)``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from autograder.errors import Unusable
from autograder.exercises.exercise import (
    ANNOUNCED,
    ARRAYS,
    FILLED_IN,
    Cell,
    Check,
    Exercise,
    defines_class,
    sentence_of,
)
from autograder.result import parts_of
from autograder.submissions.notebook import RawCell, Rejected, marks, raw_cells
from autograder.submissions.python_source import binds, parses
from autograder.text import agreeing, count, points


@dataclass(frozen=True)
class StudentCopy:
    """A student's notebook: its bytes, its visible checks, and how many others are hidden."""

    data: bytes
    path: str
    exercise: Exercise
    hidden: int
    hidden_points: float

    @property
    def waiting(self) -> str:
        """What is still to come, as a sentence."""
        checks, worth = count(self.hidden, "hidden check"), points(self.hidden_points)
        are = agreeing(self.hidden, "is", "are")
        return f"{checks}, worth {worth}, {are} graded after you hand in"


def read(data: bytes, path: str, name: str | None = None) -> StudentCopy:
    """A student's copy of an exercise.

    Args:
        name: the exercise that it must be, where the notebook says which it is; without a name, it
            is the one that the notebook or else the file is called.

    Raises:
        Unusable: no notebook, none of an exercise, or one of another exercise.
    """
    try:
        cells = raw_cells(data)[0]
    except Rejected as rejected:
        raise Unusable(f"{path}: {rejected}") from None
    table = _table(cells)
    if table is None:
        raise Unusable(f"{path}: has no setup cell of an exercise; download the notebook again")

    about = marks(data)
    own = about.get("exercise") or name or PurePath(path).stem
    if name is not None and own != name:
        raise Unusable(f"{path}: is the notebook of {own:.80}, not of {name}; open that one")
    metadata = {"autograder": about}
    exercise = Exercise(own, "", tuple(_cells(cells, table)), {"metadata": metadata})
    if not exercise.checks:
        repair = "download the notebook again and copy your answers over"
        raise Unusable(f"{path}: all of its checks are gone; {repair}")

    hidden = [marks["points"] for marks in table.values() if marks["hidden"]]
    return StudentCopy(data, path, exercise, len(hidden), float(sum(hidden)))


def _table(cells: list[RawCell]) -> dict[str, dict[str, Any]] | None:
    """What the build wrote into the setup cell: each check's points, and whether it is hidden."""
    for cell in cells:
        if not (cell.is_code and FILLED_IN.search(cell.source) and parses(cell.source)):
            continue
        for statement in ast.parse(cell.source).body:
            if not _fills_in_checks(statement):
                continue
            try:
                table = ast.literal_eval(statement.value)  # type: ignore[attr-defined]
                if table and all(map(_is_sound, table.values())):
                    return dict(table)
            except (ValueError, TypeError, KeyError, AttributeError):
                continue
    return None


def _fills_in_checks(statement: ast.stmt) -> bool:
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return [ast.unparse(target) for target in targets] == ["tools.CHECKS"]


def _is_sound(marks: dict[str, Any]) -> bool:
    return marks["points"] >= 0 and marks["hidden"] in (0, 1)


def _cells(cells: list[RawCell], table: dict[str, dict[str, Any]]) -> Iterator[Cell]:
    steps = dict.fromkeys(parts_of(id)[0] for id in table)
    seen: set[str] = set()
    for number, raw in enumerate(cells):
        cell = _cell(raw, steps, table) if raw.is_code else None
        if cell is not None and cell.check and cell.check.step not in seen:
            # The answer is gone: an empty one stands for it, so that the check says so.
            seen.add(cell.check.step)
            yield Cell(cell.check.step, "step", True, "", {})

        if cell is not None and cell.id not in seen:
            seen.add(cell.id)
            yield cell
        elif raw.is_code:
            yield Cell(f"cell-{number}", "plain", True, raw.source, {})


def _cell(raw: RawCell, steps: Iterable[str], table: dict[str, dict[str, Any]]) -> Cell | None:
    if FILLED_IN.search(raw.source):
        return Cell("setup", "setup", True, raw.source, {})
    if ARRAYS.search(raw.source):
        return Cell("arrays", "setup", True, raw.source, {})

    named = ANNOUNCED.search(raw.source)
    if named and named[1] in table and not table[named[1]]["hidden"] and parses(raw.source):
        check = _check(named[1], raw.source, table[named[1]])
        return Cell(check.id, "check", True, raw.source, {}, check)

    # What it binds says more than what it claims to be.
    names = binds(raw.source)
    answered = [step for step in steps if step in names]
    answered += [id for id in raw.claims if id in steps]
    if not answered:
        return None
    # What stands there is the student's answer, and no reference.
    is_class = defines_class(raw.source, answered[0])
    return Cell(answered[0], "step", True, "", {}, is_class=is_class)


def _check(id: str, source: str, marks: dict[str, Any]) -> Check:
    step, name = parts_of(id)
    worth, category = float(marks["points"]), str(marks.get("category", "values"))
    return Check(id, step, name, category, worth, False, sentence_of(source), source)

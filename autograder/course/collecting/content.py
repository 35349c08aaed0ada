"""Finds the exercise of a file by its content, whatever its name."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

from autograder.exercises.exercise import ANNOUNCED
from autograder.exercises.percent import lines_of, split
from autograder.exercises.sources import notebook_at
from autograder.submissions.notebook import (
    MAX_CELLS,
    MAX_SOURCE,
    Rejected,
    claims_of,
    raw_notebook,
    source_of,
)

# As the build wrote it; inside a JSON string the quotation marks would be escaped.
_SAYS = re.compile(
    rb'"autograder"\s*:\s*\{[^{}]{0,1000}?(?:\{[^{}]{0,1000}\}[^{}]{0,1000}?)?'
    rb'"exercise"\s*:\s*"([^"\\]{1,200})"'
)


@dataclass(frozen=True)
class Contents:
    """Looks into files that may be submissions to a course with these exercises."""

    root: Path
    exercises: Collection[str]

    def say(self, name: str, data: bytes) -> str | None:
        """The exercise that a notebook names, or else the one that its cells, or those of a script,
        belong to; None if there is none, or a tie."""
        match = _SAYS.search(data) if _is_notebook(name) else None
        if match:
            return match[1].decode("utf-8", "replace")
        # An exercise that continues another may have cells of it, and has more of its own.
        claims = _claims(name, data)
        shared = {exercise: len(claims & ids) for exercise, ids in self._ids.items()}
        most = max(shared.values(), default=0)
        best = [exercise for exercise, count in shared.items() if count == most]
        return best[0] if most and len(best) == 1 else None

    def contradict(self, exercise: str, name: str, data: bytes) -> str:
        """The other exercise that the content of a file named like ``exercise`` belongs to; empty
        if there is none, or if it has a cell that only ``exercise`` has."""
        says = self.say(name, data)
        if says is None or says == exercise or says not in self.exercises:
            return ""
        of_others = set().union(*(ids for other, ids in self._ids.items() if other != exercise))
        own = self._ids.get(exercise, set()) - of_others
        return "" if own & _claims(name, data) else says

    @cached_property
    def _ids(self) -> dict[str, set[str]]:
        """The marks of each exercise's cells, read only if a file does not name its exercise."""
        ids = {}
        for exercise in self.exercises:
            notebook = notebook_at(self.root, exercise)
            try:
                ids[exercise] = set(claims_of(notebook.read_text(encoding="utf-8")))
            except (OSError, ValueError):  # the caller tells the teacher
                ids[exercise] = set()
        return ids


def _is_notebook(name: str) -> bool:
    return name.lower().endswith(".ipynb")


def _claims(name: str, data: bytes) -> set[str]:
    """The marks of a file's cells; if Colab or nbconvert removed them, the checks and functions."""
    marks: set[str] = set()
    sources: list[str] = []
    for of_cell, source in _notebook(data) if _is_notebook(name) else _script(data):
        marks |= of_cell
        sources.append(source)
    if marks:
        return marks
    text = "\n".join(sources)
    return {*ANNOUNCED.findall(text), *re.findall(r"^def (\w+)", text, re.MULTILINE)}


def _script(data: bytes) -> Iterator[tuple[set[str], str]]:
    """The marks of each cell, and its source."""
    if len(data) <= 4 * MAX_SOURCE:
        for cell in islice(split(lines_of(data.decode("utf-8", "replace"))), MAX_CELLS):
            yield set(claims_of(cell.cell_line)), cell.source


def _notebook(data: bytes) -> Iterator[tuple[set[str], str]]:
    try:
        notebook = raw_notebook(data)
    except Rejected:
        return
    if notebook is None:  # a script named like a notebook
        yield from _script(data)
        return
    for raw in notebook["cells"][:MAX_CELLS]:
        source = source_of(raw)
        if source is not None:
            metadata = raw.get("metadata")
            marks = metadata.get("nbgrader") if isinstance(metadata, dict) else None
            id = marks.get("grade_id") if isinstance(marks, dict) else None
            yield {id} if isinstance(id, str) else set(), source

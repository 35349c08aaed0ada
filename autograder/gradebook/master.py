"""The master as nbgrader sees it: the released cells, which show nothing hidden, beside the full
ones."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from autograder.course import Course
from autograder.errors import Unusable
from autograder.exercises.exercise import Cell, Exercise, from_notebook


@dataclass(frozen=True)
class MasterCell:
    """One cell: ``released`` is what students get; ``source`` what the gradebook keeps, hidden
    tests included."""

    id: str
    released: Cell
    source: str

    @property
    def cell_type(self) -> str:
        return "code" if self.released.is_code else "markdown"

    @property
    def nbgrader(self) -> Mapping[str, Any]:
        """nbgrader's mark on the cell; empty on an ordinary one."""
        mark = self.released.raw["metadata"].get("nbgrader", {})
        assert isinstance(mark, dict)
        return mark

    @property
    def is_grade(self) -> bool:
        return bool(self.nbgrader.get("grade"))

    @property
    def is_solution(self) -> bool:
        return bool(self.nbgrader.get("solution"))

    @property
    def is_locked(self) -> bool:
        return not self.is_solution and (self.is_grade or bool(self.nbgrader.get("locked")))

    @property
    def points(self) -> float:
        return float(self.nbgrader.get("points", 0))

    @property
    def checksum(self) -> str:
        """What nbgrader computes over the cell (``nbgrader.utils.compute_checksum``)."""
        parts = [
            self.source,
            self.cell_type,
            str(self.is_grade),
            str(self.is_solution),
            str(self.is_locked),
            self.id,
        ]
        if self.is_grade:
            parts.append(str(self.points))
        return hashlib.md5("".join(parts).encode(), usedforsecurity=False).hexdigest()

    def unanswered(self, answer: str | None) -> bool:
        """Whether the student left the cell as it was handed out, or has none."""
        return answer is None or answer.rstrip() == self.released.source.rstrip()


@dataclass(
    frozen=True, eq=False
)  # two are the same when they are one: what is prepared from it is kept by it
class Master:
    """All cells in order, and the release notebook around them."""

    cells: tuple[MasterCell, ...]
    notebook: Mapping[str, Any]

    @cached_property
    def graded(self) -> tuple[MasterCell, ...]:
        return tuple(cell for cell in self.cells if cell.is_grade)

    @cached_property
    def solutions(self) -> tuple[MasterCell, ...]:
        return tuple(cell for cell in self.cells if cell.is_solution)

    @cached_property
    def sources(self) -> tuple[MasterCell, ...]:
        return tuple(
            cell for cell in self.cells if cell.is_grade or cell.is_solution or cell.is_locked
        )

    @property
    def max_score(self) -> float:
        return round(sum(cell.points for cell in self.graded), 9)


_latest: tuple[Exercise, object, Master] | None = None


def load(course: Course, exercise: Exercise, release: bytes | None = None) -> Master:
    """Put the release, ``assignments/<exercise>/<exercise>.ipynb`` or the bytes given, beside the
    full exercise.

    A class asks for the same one again and again: the latest is kept while exercise and release
    stay what they are.

    Raises:
        Unusable: no release, or one of another build.
    """
    path = course.root / "assignments" / exercise.name / f"{exercise.name}.ipynb"
    repair = f"run autograder build {exercise.name}"
    global _latest
    try:
        version = release or _version(path)
        if _latest is not None and _latest[0] is exercise and _latest[1] == version:
            return _latest[2]
        released = from_notebook(json.loads(release or path.read_bytes()))
    except FileNotFoundError:
        raise Unusable(f"{path}: the release has not been built; {repair}") from None
    except (OSError, ValueError) as error:
        raise Unusable(f"{path}: {error}; {repair}") from None
    if [cell.id for cell in released.cells] != [cell.id for cell in exercise.cells]:
        raise Unusable(f"{path}: its cells are not those of the exercise; {repair}")
    cells = tuple(
        # A check keeps its hidden tests in the gradebook, as with nbgrader; of an answer the
        # gradebook knows the stub.
        MasterCell(full.id, cell, full.source if full.kind == "check" else cell.source)
        for full, cell in zip(exercise.cells, released.cells, strict=True)
    )
    _latest = exercise, version, Master(cells, released.notebook)
    return _latest[2]


def _version(path: Path) -> object:
    status = path.stat()
    return path, status.st_ino, status.st_size, status.st_mtime_ns

"""The master as nbgrader sees it: the released cells beside the full ones."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from autograder.base.errors import Unusable
from autograder.base.text import cut, quoted
from autograder.course.course import Course
from autograder.course.gradebook.due_dates import without_due
from autograder.exercises.checksum import checksum
from autograder.exercises.exercise import Cell, Exercise, from_notebook
from autograder.exercises.sources import notebook_at

MAX_ANSWER = 20_000
"""So many characters are shown of an answer in words, here and on pages."""


@dataclass(frozen=True)
class MasterCell:
    """One cell of the master notebook.

    ``released`` is what students get; ``source`` what the gradebook keeps, hidden tests included.
    """

    id: str
    released: Cell
    source: str

    @property
    def cell_type(self) -> str:
        return "code" if self.released.is_code else "markdown"

    @property
    def nbgrader(self) -> Mapping[str, Any]:
        """nbgrader's metadata of the cell; empty on an ordinary one."""
        metadata = self.released.raw["metadata"].get("nbgrader", {})
        assert isinstance(metadata, dict)
        return metadata

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
    def is_marked(self) -> bool:
        """Whether it is more to nbgrader than any other cell."""
        return self.is_grade or self.is_solution or self.is_locked

    @property
    def points(self) -> float:
        return float(self.nbgrader.get("points", 0))

    @property
    def checksum(self) -> str:
        points = str(self.points) if self.is_grade else None
        return checksum(
            self.source, self.id, points, self.cell_type, self.is_solution, self.is_locked
        )

    def unanswered(self, answer: str | None) -> bool:
        """Whether the student left the cell as it was handed out, or has none."""
        if answer is None:
            return True
        # A release says when it is due, which is no student's answer.
        is_prose = not self.released.is_code and not self.nbgrader
        own = without_due(answer) if is_prose else answer
        return own.rstrip() == self.released.source.rstrip()

    def shown(self, answer: str | None) -> str:
        """The source that the autograded notebook has, with the student's answer in it."""
        if answer is None or self.is_locked or self.unanswered(answer):
            return self.released.source
        return answer if self.released.is_code else quoted(cut(answer, MAX_ANSWER))


@dataclass(frozen=True)
class Master:
    """All cells in order, the release notebook around them, and the full exercise."""

    cells: tuple[MasterCell, ...]
    notebook: Mapping[str, Any]
    exercise: Exercise

    @cached_property
    def graded(self) -> tuple[MasterCell, ...]:
        return tuple(cell for cell in self.cells if cell.is_grade)

    @cached_property
    def solutions(self) -> tuple[MasterCell, ...]:
        return tuple(cell for cell in self.cells if cell.is_solution)

    @cached_property
    def sources(self) -> tuple[MasterCell, ...]:
        """The cells that nbgrader has marked, whose source the gradebook keeps."""
        return tuple(cell for cell in self.cells if cell.is_marked)

    @property
    def max_score(self) -> float:
        """Of all cells but those whose points come on top."""
        counted = [cell for cell in self.graded if cell.id not in self.exercise.extra]
        return round(sum(cell.points for cell in counted), 9)


def load(course: Course, exercise: Exercise, release: bytes | None = None) -> Master:
    """The release beside the full exercise.

    Args:
        release: the students' notebook; without it, ``assignments/<exercise>/<exercise>.ipynb``.

    Raises:
        Unusable: no release, or one of another build.
    """
    path = notebook_at(course.root, exercise.name, "assignments")
    repair = f"run autograder build {exercise.name}"
    try:
        released = from_notebook(json.loads(release or path.read_bytes()))
    except FileNotFoundError:
        raise Unusable(f"{path}: the release has not been built; {repair}") from None
    except (OSError, ValueError) as error:
        raise Unusable(f"{path}: {error}; {repair}") from None

    if [cell.id for cell in released.cells] != [cell.id for cell in exercise.cells]:
        raise Unusable(f"{path}: its cells are not those of the exercise; {repair}")

    cells = []
    for full, cell in zip(exercise.cells, released.cells, strict=True):
        # A check keeps its hidden tests in the gradebook, as with nbgrader; of an answer the
        # gradebook knows the stub.
        source = full.source if full.kind == "check" else cell.source
        cells.append(MasterCell(full.id, cell, source))
    return Master(tuple(cells), released.notebook, exercise)

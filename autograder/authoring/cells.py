"""An authored exercise as plain data: its cells, and what is wrong with them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from autograder.base.result import Picture, parts_of

Kind = Literal["prose", "plain", "setup", "arrays", "needed", "oracles", "step", "check", "manual"]


@dataclass(frozen=True)
class Problem:
    """What is wrong at a line of the authored file, and how to mend it."""

    line: int
    cause: str
    repair: str


@dataclass(frozen=True)
class Cell:
    """One cell.

    ``line`` is its cell line, ``first`` the line on which ``source`` starts, both counted from 1.
    ``id`` is the grade id of a step, check or manual answer; ``points`` is None where the mark is
    absent. ``needs`` are functions of earlier exercises, like ``attention:softmax``, and ``given``
    says whether students get them; of a step, whether they get it. ``extra``: the points of a
    manual answer come on top of the exercise's. ``void``: a check that counts in full for
    everybody, and asks nothing. ``was`` is the id that it had in an earlier version, ``removed``
    ids of cells that are gone.
    """

    kind: Kind
    source: str
    line: int
    first: int
    markdown: bool = False
    id: str = ""
    points: float | None = None
    category: str = ""
    hidden: bool = False
    repeat: bool = True
    needs: tuple[str, ...] = ()
    given: bool = False
    draws: Picture | None = None
    extra: bool = False
    void: bool = False
    was: str = ""
    removed: tuple[str, ...] = ()

    @property
    def step(self) -> str:
        """The step that a check belongs to."""
        return parts_of(self.id)[0]

    @property
    def name(self) -> str:
        """The name of a check within its step."""
        return parts_of(self.id)[1]

    def line_of(self, number: int) -> int:
        """The line of the authored file on which line ``number`` of ``source`` stands."""
        return self.first + number - 1


@dataclass(frozen=True)
class Source:
    """The authored file: the exercise's name, and its cells in order.

    ``shared`` is the code that the exercises of the course share, if this one uses it;
    ``built_from`` are the digests of the files that its notebooks are built from.
    """

    path: Path
    exercise: str
    cells: tuple[Cell, ...]
    shared: str = ""
    built_from: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The first heading of the prose, or else the exercise's name."""
        return self.heading or self.exercise

    @property
    def heading(self) -> str:
        """The first heading of the prose; empty if there is none."""
        for cell in self.of("prose"):
            for line in cell.source.split("\n"):
                if line.startswith("# "):
                    return re.sub(r"[*`]", "", line[2:]).strip()
        return ""

    def of(self, *kinds: Kind) -> list[Cell]:
        """The cells of these kinds, in order."""
        return [cell for cell in self.cells if cell.kind in kinds]

    def checks_of(self, step: str) -> list[Cell]:
        """The checks of a step, in order."""
        return [cell for cell in self.of("check") if cell.step == step]

    def points_of(self, step: str) -> float:
        """The points of a step: the sum of its checks'."""
        total = math.fsum(check.points or 0 for check in self.checks_of(step))
        return int(total) if total.is_integer() else round(total, 9)

    def line(self, problem: Problem) -> str:
        """A problem as a teacher reads it: the file and the line, the cause, the repair."""
        return f"{self.path}:{problem.line}: {problem.cause}; {problem.repair}"

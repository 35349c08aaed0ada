"""Which exercise a file is of, as it says itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path

from autograder.exercises.exercise import ANNOUNCED
from autograder.exercises.percent import lines_of, split
from autograder.exercises.sources import notebook_at
from autograder.submissions.notebook import MAX_CELLS, MAX_SOURCE, claims_of

# As the build wrote it; inside a text of JSON the quotation marks would have backslashes before
# them.
_SAYS = re.compile(
    rb'"autograder"\s*:\s*\{[^{}]{0,1000}?(?:\{[^{}]{0,1000}\}[^{}]{0,1000}?)?'
    rb'"exercise"\s*:\s*"([^"\\]{1,200})"'
)


class Content:
    """Knows files of a course's exercises by what they hold."""

    def __init__(self, root: Path, exercises: Sequence[str]) -> None:
        self._root = root
        self._exercises = exercises

    def exercise(self, name: str, data: bytes) -> str | None:
        """The exercise that a notebook names, or to which the cells of a script belong; None where
        they name none, or several alike."""
        if name.lower().endswith(".ipynb"):
            match = _SAYS.search(data)
            return match[1].decode("utf-8", "replace") if match else None

        if len(data) > 4 * MAX_SOURCE:
            return None
        claims: set[str] = set()
        text = data.decode("utf-8", "replace")
        for cell in islice(split(lines_of(text)), MAX_CELLS):
            claims.update(claims_of(cell.cell_line))
        if not claims:  # Colab and nbconvert write no marks
            claims.update(ANNOUNCED.findall(text), re.findall(r"^def (\w+)", text, re.MULTILINE))
        # An exercise that goes on from another may hold cells of it, and has more of its own.
        shared = {exercise: len(claims & ids) for exercise, ids in self._ids.items()}
        most = max(shared.values(), default=0)
        best = [exercise for exercise, count in shared.items() if count == most]
        return best[0] if most and len(best) == 1 else None

    @cached_property
    def _ids(self) -> dict[str, set[str]]:
        """The marks of each exercise's cells. Read where a script asks: there are few."""
        ids = {}
        for exercise in self._exercises:
            notebook = notebook_at(self._root, exercise)
            try:
                ids[exercise] = set(claims_of(notebook.read_text(encoding="utf-8")))
            except (OSError, ValueError):  # the teacher hears of it from whoever asks for it
                ids[exercise] = set()
        return ids

"""Which cell of the master notebook a cell of the student is, whatever became of its metadata."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property

from autograder.exercises import hidden_checks
from autograder.exercises.exercise import ANNOUNCED, ARRAYS, Cell, Exercise, filled_in
from autograder.submissions.notebook import RawCell
from autograder.submissions.python_source import binds, parses

MAX_JOINED = 20  # parts of split answers that are joined: each try parses the whole anew
LIKE_SETUP = 0.25  # of the length of the setup cells: what is shorter is none of them


class Recognizer:
    """Finds for each cell of a submission the master cell that it is; adds to ``warnings``."""

    def __init__(self, exercise: Exercise, cells: list[RawCell], warnings: list[str]) -> None:
        self._exercise = exercise
        self._raw = cells
        self._warnings = warnings
        self._masters = {cell.id: cell for cell in exercise.cells}
        # A notebook of an earlier version says the names of then.
        for old, id in exercise.former.items():
            self._masters.setdefault(old, exercise.cell(id))
        self._setup_cells = [cell for cell in exercise.cells if cell.kind == "setup"]
        self._by_source: dict[str, list[str]] = {}
        for cell in exercise.cells:
            if cell.kind != "step":
                self._by_source.setdefault(hidden_checks.public(cell.text), []).append(cell.id)

        self._swapped = False
        # Some notebook services drop all metadata: that is no damage of one cell.
        self._has_claims = any(not self._masters.keys().isdisjoint(raw.claims) for raw in cells)

    @cached_property
    def _setup_names(self) -> set[str]:
        """What setup cells bind. They are long, and most submissions need not have them parsed."""
        names: set[str] = set()
        for cell in self._setup_cells:
            names |= binds(cell.source)
        return names - {"tools"}  # a name that students may take

    def recognized(self) -> tuple[list[RawCell], list[str | None]]:
        """The cells, parts of split answers joined, and for each the id of its master.

        None is the master of a cell that the student added.
        """
        ids = []
        for cell in self._raw:
            ids.append(self._by_text(cell) or self._by_claim(cell) or self._by_content(cell))
        self._join_split_answers(ids)
        self._place_lines(ids)
        return self._raw, ids

    def _place_lines(self, ids: list[str | None]) -> None:
        """Take a line about a step's hidden checks for the last of them: they came before what
        follows it.
        """
        last = {check.step: check.id for check in self._exercise.checks if check.hidden}
        step = ""
        for place, (id, cell) in enumerate(zip(ids, self._raw)):
            check = self._masters[id].check if id is not None else None
            if check is not None:
                step = check.step
            elif id in self._exercise.steps:
                step = id or ""
            elif not cell.is_code and hidden_checks.LINE.fullmatch(cell.source.strip()):
                ids[place] = last.get(step)

    def _by_text(self, cell: RawCell) -> str | None:
        same = self._by_source.get(cell.source.strip())
        if not same:
            return None

        # Cells that read alike are told apart by their ids, else by their order; a copy is the
        # last of them again.
        own = same[0]
        for id in same:
            if id in cell.claims:
                own = id
                break
        if len(same) > 1:
            same.remove(own)
        return own

    def _by_claim(self, cell: RawCell) -> str | None:
        for claim in cell.claims:
            master = self._masters.get(claim)
            if master is None:
                continue
            if self._plausible(cell, master):
                return self._retyped(cell, master)
            if not self._swapped:
                self._swapped = True
                self._warnings.append(
                    "cell ids did not fit their cells; the answers were found by what they define"
                )
        return None

    def _by_content(self, cell: RawCell) -> str | None:
        names = binds(cell.source) if cell.is_code else frozenset()
        if filled_in(cell.source) >= 0 or self._is_like_setup(cell, names):
            return self._setup_cells[0].id
        if "arrays" in self._masters and ARRAYS.search(cell.source):
            return "arrays"

        check = ANNOUNCED.search(cell.source)
        if check and check[1] in self._masters and names.isdisjoint(self._exercise.steps):
            return check[1]

        for step in self._exercise.steps:
            if step not in names:
                continue
            # Some other cell that binds this step may also claim to be its answer.
            own = [raw for raw in self._raw if step in raw.claims]
            if not any(step in binds(raw.source) for raw in own):
                if self._has_claims:
                    what = f"does not define {step}" if own else "was gone"
                    self._warnings.append(
                        f"the cell of {step} {what}; another one that defines {step} was taken "
                        "for it"
                    )
                return step
        return None

    def _is_like_setup(self, cell: RawCell, names: frozenset[str]) -> bool:
        """Whether a cell has most names of the setup cells, and much of their length."""
        length = sum(len(setup.source) for setup in self._setup_cells)
        if not names or len(cell.source) < length * LIKE_SETUP:
            return False
        return len(names & self._setup_names) > len(self._setup_names) / 2

    def _plausible(self, cell: RawCell, master: Cell) -> bool:
        """Whether a cell can be what its metadata claims.

        A check cell that defines a step is an answer, and so on.
        """
        if master.kind == "step" and re.search(rf"^def {master.id}\(", cell.source, re.MULTILINE):
            return True  # nearly always; a table of its names takes a hundred times as long

        others = binds(cell.source) & set(self._exercise.steps)
        if master.kind == "step":
            return master.id in others or (not others and not ANNOUNCED.search(cell.source))
        return not others

    def _retyped(self, cell: RawCell, master: Cell) -> str:
        if master.kind == "step" and not cell.is_code:
            cell.is_code = True
            self._warnings.append(
                f"the cell of {master.id} was no code cell any more; it was read as code"
            )
        return master.id

    def _join_split_answers(self, ids: list[str | None]) -> None:
        """Put an answer together again whose cell was split."""
        place, joined = 0, 0
        while place < len(self._raw) - 1 and joined < MAX_JOINED:
            id, cell, rest = ids[place], self._raw[place], self._raw[place + 1]
            belongs = id in self._exercise.steps and ids[place + 1] in (None, id)
            if belongs and _is_split(cell, rest):
                self._raw[place] = replace(cell, source=f"{cell.source}\n{rest.source}")
                del self._raw[place + 1], ids[place + 1]
                joined += 1
                self._warnings.append(f"the cell of {id} was split; its parts were joined")
            else:
                place += 1


def _is_split(cell: RawCell, rest: RawCell) -> bool:
    """Whether two code cells are Python only when they are put together."""
    if not (cell.is_code and rest.is_code) or (parses(cell.source) and parses(rest.source)):
        return False
    return parses(f"{cell.source}\n{rest.source}")

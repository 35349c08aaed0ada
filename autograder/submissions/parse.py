"""Intake: what a student wrote, out of the bytes that were handed in. No student code runs here.

Only sources survive: metadata, outputs, tags, the kernel and the check cells of a submission are
dropped. Damage done by accident (cells duplicated, split, deleted, reordered, retyped, stripped of
their metadata) is repaired where it can be, and said in a warning.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from autograder.exercises.exercise import Cell, Exercise
from autograder.submissions.notebook import RawCell, Rejected, raw_cells
from autograder.submissions.python_source import binds, parses, without_magics

MAX_JOINED = 20
"""Parts of split answers that are put together: each try reads the whole anew."""
MAX_WARNINGS = 20
"""Those that are told; a page, a terminal and a result have to hold them for a whole class."""


@dataclass(frozen=True)
class SubmittedCell:
    """A cell of the student.

    ``id`` is the master cell that it answers, None for a cell the student added. ``after`` is the
    master cell behind which it is run: the one that it follows, or the one before an answer that
    follows it and comes earlier in the master notebook.
    """

    id: str | None
    after: str
    source: str
    is_code: bool


@dataclass(frozen=True)
class MasterPlace:
    """A cell of the master notebook: the student's answer to it, and what they added behind it."""

    id: str
    answer: SubmittedCell | None
    added: tuple[SubmittedCell, ...]


@dataclass(frozen=True)
class Submission:
    """What is used of a submission: its cells in the order of the master notebook.

    A master cell has one answer. Where a student has copied the cell, that is the first of them,
    and the others are cells that they added.
    """

    sha256: str
    cells: tuple[SubmittedCell, ...]
    warnings: tuple[str, ...]

    def by_master(self, ids: Iterable[str]) -> Iterator[MasterPlace]:
        """The student's cells laid along the master notebook.

        Args:
            ids: of the master's cells, in their order.
        """
        answers: dict[str, SubmittedCell] = {}
        added: dict[str, list[SubmittedCell]] = {}
        for cell in self.cells:
            if cell.id is None:
                added.setdefault(cell.after, []).append(cell)
            else:
                answers[cell.id] = cell
        for id in ids:
            yield MasterPlace(id, answers.get(id), tuple(added.get(id, ())))

    def answer(self, id: str) -> str | None:
        """The student's answer to a step or a manual question; None if there is none.

        It is the source of its cell; without one, of the first cell that defines the name.
        """
        for cell in self.cells:
            if cell.id == id:
                return cell.source
        for cell in self.cells:
            if cell.is_code and id in binds(cell.source):
                return cell.source
        return None


def parse(data: bytes, exercise: Exercise) -> Submission:
    """What the student wrote in these bytes, an ``.ipynb`` or a percent ``.py``.

    Raises:
        Rejected: unreadable, or not a notebook of this exercise.
    """
    cells, warnings = raw_cells(data)
    matcher = _Matcher(exercise, cells, warnings)
    used = tuple(matcher.cells())
    more = len(warnings) - MAX_WARNINGS
    told = [*warnings[:MAX_WARNINGS], f"and {more} more"] if more > 0 else warnings
    return Submission(hashlib.sha256(data).hexdigest(), used, tuple(told))


class _Matcher:
    """Finds for each cell of the student the cell of the master that it is."""

    def __init__(self, exercise: Exercise, cells: list[RawCell], warnings: list[str]) -> None:
        self._exercise = exercise
        self._raw = cells
        self._warnings = warnings
        self._masters = {cell.id: cell for cell in exercise.cells}
        self._by_source: dict[str, list[str]] = {}
        for cell in exercise.cells:
            if cell.kind != "step":
                self._by_source.setdefault(_public(cell.source), []).append(cell.id)
        self._setup_names = binds(exercise.setup)
        self._magics: set[str] = set()
        self._swapped = False
        # Some notebook services drop all metadata: that is no damage of one cell.
        self._has_claims = any(claim in self._masters for cell in cells for claim in cell.claims)

    def cells(self) -> Iterator[SubmittedCell]:
        ids = [self._identify(cell) for cell in self._raw]
        self._join_split_answers(ids)
        known = {id for id in ids if id}
        if not known & {cell.id for cell in self._exercise.cells if cell.kind in ("step", "check")}:
            name = self._exercise.name
            cause = f"neither notebook nor script with the steps of {name}"
            raise Rejected(cause, "another exercise's?")
        self._say_what_is_missing(known)
        order = {cell.id: place for place, cell in enumerate(self._exercise.cells)}
        placed: list[tuple[int, SubmittedCell]] = []
        taken: set[str] = set()
        place = 0
        behind = self._earliest_answers_behind(ids, order)
        for cell, id, answer in zip(self._raw, ids, behind):
            is_new = id is None
            if id is not None and id not in taken:
                place = order[id]
                taken.add(id)
                if self._is_ours(cell, id):
                    continue
            elif id is not None:
                if self._is_ours(cell, id):
                    continue
                self._warn_twice(id)
                id = None
            if id is not None and self._masters[id].kind == "setup":
                self._warnings.append(
                    "the setup cell is not the teacher's present one, which was run first"
                )
            if cell.is_code:
                cell = replace(cell, source=self._python(cell.source))
            if cell.is_code or id is not None:
                # A helper stands before the answer that needs it, also where the cells are in
                # another order.
                early = (
                    is_new
                    and answer <= place
                    and not binds(cell.source) & set(self._exercise.steps)
                )
                where = max(answer - 1, 0) if early else place
                after = self._exercise.cells[where].id
                placed.append((where, SubmittedCell(id, after, cell.source, cell.is_code)))
        # A stable sort: what the student added stays behind the cell that it followed.
        placed.sort(key=lambda entry: entry[0])
        yield from (cell for _, cell in placed)

    def _earliest_answers_behind(self, ids: list[str | None], order: dict[str, int]) -> list[int]:
        """For each cell of the file, the place in the master notebook of the first of the answers
        that follow it."""
        earliest = len(order)
        found: list[int] = []
        for place in reversed(range(len(ids))):
            found.append(earliest)
            id = ids[place]
            if (
                id in self._exercise.steps and ids.index(id) == place
            ):  # of several, the first has its place
                earliest = min(earliest, order[id])
        return found[::-1]

    def _is_ours(self, cell: RawCell, id: str) -> bool:
        """Whether the teacher's version of this cell is used in any case: a check, or an unchanged
        setup."""
        master = self._masters[id]
        return master.kind == "check" or (
            master.kind == "setup" and cell.source.strip() == master.source.strip()
        )

    def _identify(self, cell: RawCell) -> str | None:
        same = self._by_source.get(cell.source.strip(), [])
        if same:
            # Cells that read alike are told apart by their ids, else by their order; a copy is the
            # last of them again.
            own = next((id for id in same if id in cell.claims), same[0])
            if len(same) > 1:
                same.remove(own)
            return own
        for claim in cell.claims:
            master = self._masters.get(claim)
            if master is not None and self._plausible(cell, master):
                return self._retyped(cell, master)
            if master is not None and not self._swapped:
                self._swapped = True
                self._warnings.append(
                    "cell ids did not fit their cells; the answers were found by what they define"
                )
        names = binds(cell.source) if cell.is_code else frozenset()
        if len(names & self._setup_names) > len(self._setup_names) / 2:
            return next(master.id for master in self._exercise.cells if master.kind == "setup")
        named = re.search(r"with check\(\s*[\"']([\w-]+)[\"']", cell.source)
        if named and named[1] in self._masters and not names & set(self._exercise.steps):
            return named[1]
        found = next(
            (step for step in self._exercise.steps if step in names and not self._has_cell(step)),
            None,
        )
        if found and self._has_claims:
            self._warnings.append(
                f"the cell of {found} was gone; another one that defines {found} was taken for it"
            )
        return found

    def _has_cell(self, step: str) -> bool:
        """Whether some cell that binds this step also claims to be its answer."""
        return any(step in cell.claims and step in binds(cell.source) for cell in self._raw)

    def _plausible(self, cell: RawCell, master: Cell) -> bool:
        """Whether a cell can be what its metadata claims: a check cell that defines a step is an
        answer, and so on."""
        if master.kind == "step" and re.search(rf"^def {master.id}\(", cell.source, re.MULTILINE):
            return True  # nearly always; a table of its names takes a hundred times as long
        others = binds(cell.source) & set(self._exercise.steps)
        if master.kind == "step":
            return master.id in others or (not others and "with check(" not in cell.source)
        return not others

    def _retyped(self, cell: RawCell, master: Cell) -> str:
        if master.kind == "step" and not cell.is_code:
            cell.is_code = True
            self._warnings.append(
                f"the cell of {master.id} was no code cell any more; it was read as code"
            )
        return master.id

    def _join_split_answers(self, ids: list[str | None]) -> None:
        """Put an answer together again whose cell was split: the parts do not parse, the whole
        does."""
        place, joined = 0, 0
        while place < len(self._raw) - 1 and joined < MAX_JOINED:
            id, cell, rest = ids[place], self._raw[place], self._raw[place + 1]
            whole = f"{cell.source}\n{rest.source}"
            if (
                id in self._exercise.steps
                and (ids[place + 1] is None or ids[place + 1] == id)
                and cell.is_code
                and rest.is_code
                and not (parses(cell.source) and parses(rest.source))
                and parses(whole)
            ):
                self._raw[place] = replace(cell, source=whole)
                del self._raw[place + 1], ids[place + 1]
                joined += 1
                self._warnings.append(f"the cell of {id} was split; its parts were joined")
            else:
                place += 1

    def _say_what_is_missing(self, known: set[str]) -> None:
        missing = [cell for cell in self._exercise.cells if cell.id not in known]
        if not missing:
            return
        bound = {name for cell in self._raw if cell.is_code for name in binds(cell.source)}
        for cell in missing:
            if cell.kind == "step" and cell.id not in bound:
                self._warnings.append(
                    f"the cell of {cell.id} is missing; nothing defines {cell.id}"
                )
            elif cell.kind in ("check", "setup"):
                self._warnings.append(f"the cell {cell.id} is missing; the teacher's was used")

    def _warn_twice(self, id: str) -> None:
        if self._masters[id].kind == "step":
            self._warnings.append(
                f"there are two cells of {id}; both were run, the later one counts"
            )

    def _python(self, source: str) -> str:
        plain, dropped = without_magics(source)
        for line in dropped:
            if line not in self._magics:
                self._magics.add(line)
                self._warnings.append(f"not run: {line[:60]}")
        return plain


@lru_cache(maxsize=1024)
def _public(source: str) -> str:
    """The source of a master cell as the release has it: without its hidden region."""
    lines: list[str] = []
    hidden = False
    for line in source.splitlines():
        if "### BEGIN HIDDEN TESTS" in line:
            hidden = True
        elif "### END HIDDEN TESTS" in line:
            hidden = False
        elif not hidden:
            lines.append(line)
    return "\n".join(lines).strip()

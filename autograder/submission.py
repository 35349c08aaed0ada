"""Intake: what a student wrote, out of the bytes that were handed in. No student code runs here.

Only sources survive: metadata, outputs, tags, the kernel and the check cells of a submission are dropped.
Damage done by accident (cells duplicated, split, deleted, reordered, retyped, stripped of their metadata)
is repaired where it can be, and said in a warning.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from autograder import files
from autograder.exercise import Cell, Exercise
from autograder.python_source import binds, parses, without_magics

MAX_BYTES = 20_000_000
MAX_CELLS = 2_000
MAX_SOURCE = 1 << 20


class Rejected(Exception):
    """A submission that cannot be used at all; the message is its reason, in one line."""


@dataclass
class RawCell:
    """A cell as it lies in the student's file; ``claims`` are the ids that its metadata names."""

    source: str
    is_code: bool
    claims: tuple[str, ...]


@dataclass(frozen=True)
class SubmittedCell:
    """A cell of the student. ``id`` is the master cell that it answers, None for a cell the student added;
    ``after`` is the master cell that it follows."""

    id: str | None
    after: str
    source: str
    is_code: bool


@dataclass(frozen=True)
class Submission:
    """What is used of a submission: its cells in the order of the master notebook."""

    sha256: str
    cells: tuple[SubmittedCell, ...]
    warnings: tuple[str, ...]

    def answer(self, id: str) -> str | None:
        """The student's answer to a step or a manual question: the source of its cell, None if there is none."""
        own = next((cell.source for cell in self.cells if cell.id == id), None)
        return own if own is not None else self._bound(id)

    def _bound(self, name: str) -> str | None:
        return next((cell.source for cell in self.cells if cell.is_code and name in binds(cell.source)), None)


def read(path: Path) -> bytes:
    """The bytes of a submitted file, read once and without following a link.

    Raises:
        Rejected: not a regular file, unreadable or too large.
    """
    try:
        return files.read(path, MAX_BYTES)
    except files.Refused as refused:
        raise Rejected(f"{path.name} {refused}") from None
    except FileNotFoundError:
        raise Rejected(f"{path.name} is missing") from None


def parse(data: bytes, exercise: Exercise) -> Submission:
    """What the student wrote in these bytes, an ``.ipynb`` or a percent ``.py``.

    Raises:
        Rejected: unreadable, or not a notebook of this exercise.
    """
    cells, warnings = raw_cells(data)
    matcher = _Matcher(exercise, cells, warnings)
    return Submission(hashlib.sha256(data).hexdigest(), tuple(matcher.cells()), tuple(warnings))


def raw_cells(data: bytes) -> tuple[list[RawCell], list[str]]:
    """The cells in these bytes as they stand, and what had to be said about reading them.

    Raises:
        Rejected: neither a notebook nor text.
    """
    text, warnings = _text(data)
    return (_notebook_cells(text) if text.lstrip()[:1] == "{" else _percent_cells(text)), warnings


def _text(data: bytes) -> tuple[str, list[str]]:
    if len(data) > MAX_BYTES:
        raise Rejected(f"larger than {MAX_BYTES // 1_000_000} MB; clear the outputs and hand it in again")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        try:
            return data.decode("utf-16"), ["the file was UTF-16 and was read as such; notebooks are UTF-8"]
        except UnicodeDecodeError:
            raise Rejected("not text: neither UTF-8 nor UTF-16") from None
    try:
        return data.decode("utf-8-sig"), []
    except UnicodeDecodeError:
        raise Rejected("not UTF-8 text; open it in Jupyter, save it and hand it in again") from None


def _notebook_cells(text: str) -> list[RawCell]:
    try:
        notebook = json.loads(text, object_pairs_hook=_unique)
    except RecursionError:
        raise Rejected("not a notebook: nested too deeply") from None
    except ValueError as error:
        raise Rejected(f"not a notebook: {error}") from None
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise Rejected("not a notebook of format 4; open it in Jupyter, save it and hand it in again")
    if notebook.get("nbformat") != 4 or not 0 <= _integer(notebook.get("nbformat_minor", 0)) <= 20:
        raise Rejected("not a notebook of format 4; open it in Jupyter, save it and hand it in again")
    if len(notebook["cells"]) > MAX_CELLS:
        raise Rejected(f"more than {MAX_CELLS} cells")
    return [cell for raw in notebook["cells"] if (cell := _notebook_cell(raw))]


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an object has the same key twice")
    return found


def _integer(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else -1


def _notebook_cell(raw: Any) -> RawCell | None:
    if not isinstance(raw, dict):
        return None
    source = raw.get("source", "")
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str):
        return None
    metadata = raw.get("metadata")
    nbgrader = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    claims = (nbgrader.get("grade_id") if isinstance(nbgrader, dict) else None, raw.get("id"))
    return RawCell(_clean(source), raw.get("cell_type") == "code", tuple(c for c in claims if isinstance(c, str)))


def _percent_cells(text: str) -> list[RawCell]:
    """The cells of a percent script; a script without cell lines is one cell."""
    cells: list[RawCell] = []
    lines: list[str] = []
    header = ""
    for line in [*text.splitlines(), "# %%"]:
        if re.match(r"# ?%%(?!%)", line):
            is_code = "[markdown]" not in header and "[raw]" not in header
            body = lines if is_code else [re.sub(r"^# ?", "", one) for one in lines]
            claims = re.findall(r"(?:step|check|manual|\"grade_id\")\s*[=:]\s*\"([^\"]*)\"", header)
            if "\n".join(lines).strip():
                cells.append(RawCell(_clean("\n".join(body).strip("\n")), is_code, tuple(claims)))
            header, lines = line, []
        else:
            lines.append(line)
    if not cells:
        raise Rejected("holds nothing")
    return cells


def _clean(source: str) -> str:
    """Line ends as Python has them; lone surrogates, which no file can hold, as question marks."""
    if len(source) > MAX_SOURCE:
        raise Rejected("a cell holds more than a million characters")
    source = source.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")
    return source.encode("utf-8", "replace").decode("utf-8")


class _Matcher:
    """Finds for each cell of the student the cell of the master that it is."""

    def __init__(self, exercise: Exercise, cells: list[RawCell], warnings: list[str]) -> None:
        self._exercise = exercise
        self._raw = cells
        self._warnings = warnings
        self._masters = {cell.id: cell for cell in exercise.cells}
        self._by_source = {_public(cell): cell.id for cell in exercise.cells if cell.kind != "step"}
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
            raise Rejected(f"neither notebook nor script with the steps of {self._exercise.name}; another exercise's?")
        self._say_what_is_missing(known)
        order = {cell.id: place for place, cell in enumerate(self._exercise.cells)}
        placed: list[tuple[int, SubmittedCell]] = []
        taken: set[str] = set()
        after, place = self._exercise.cells[0].id, 0
        for cell, id in zip(self._raw, ids):
            if id is not None and id not in taken:
                after, place = id, order[id]
                taken.add(id)
                if self._is_ours(cell, id):
                    continue
            elif id is not None:
                if self._is_ours(cell, id):
                    continue
                self._warn_twice(id)
                id = None
            if id is not None and self._masters[id].kind == "setup":
                self._warnings.append("the setup cell was changed; the teacher's was run first")
            if cell.is_code:
                cell = replace(cell, source=self._python(cell.source))
            if cell.is_code or id is not None:
                placed.append((place, SubmittedCell(id, after, cell.source, cell.is_code)))
        # A stable sort: what the student added stays behind the cell that it followed.
        placed.sort(key=lambda entry: entry[0])
        yield from (cell for _, cell in placed)

    def _is_ours(self, cell: RawCell, id: str) -> bool:
        """Whether the teacher's version of this cell is used in any case: a check, or an unchanged setup."""
        master = self._masters[id]
        return master.kind == "check" or (master.kind == "setup" and cell.source.strip() == master.source.strip())

    def _identify(self, cell: RawCell) -> str | None:
        same = self._by_source.get(cell.source.strip())
        if same is not None:
            return same
        for claim in cell.claims:
            master = self._masters.get(claim)
            if master is not None and self._plausible(cell, master):
                return self._retyped(cell, master)
            if master is not None and not self._swapped:
                self._swapped = True
                self._warnings.append("cell ids did not fit their cells; the answers were found by what they define")
        names = binds(cell.source) if cell.is_code else frozenset()
        if len(names & self._setup_names) > len(self._setup_names) / 2:
            return next(master.id for master in self._exercise.cells if master.kind == "setup")
        named = re.search(r"with check\(\s*[\"']([\w-]+)[\"']", cell.source)
        if named and named[1] in self._masters and not names & set(self._exercise.steps):
            return named[1]
        found = next((step for step in self._exercise.steps if step in names and not self._has_cell(step)), None)
        if found and self._has_claims:
            self._warnings.append(f"the cell of {found} was gone; another one that defines {found} was taken for it")
        return found

    def _has_cell(self, step: str) -> bool:
        """Whether some cell that binds this step also claims to be its answer."""
        return any(step in cell.claims and step in binds(cell.source) for cell in self._raw)

    def _plausible(self, cell: RawCell, master: Cell) -> bool:
        """Whether a cell can be what its metadata claims: a check cell that defines a step is an answer, and so on."""
        others = binds(cell.source) & set(self._exercise.steps)
        if master.kind == "step":
            return master.id in others or not others and "with check(" not in cell.source
        return not others

    def _retyped(self, cell: RawCell, master: Cell) -> str:
        if master.kind == "step" and not cell.is_code:
            cell.is_code = True
            self._warnings.append(f"the cell of {master.id} was no code cell any more; it was read as code")
        return master.id

    def _join_split_answers(self, ids: list[str | None]) -> None:
        """Put an answer together again whose cell was split: the parts do not parse, the whole does."""
        place = 0
        while place < len(self._raw) - 1:
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
                self._warnings.append(f"the cell of {id} was split; its parts were joined")
            else:
                place += 1

    def _say_what_is_missing(self, known: set[str]) -> None:
        bound = {name for cell in self._raw if cell.is_code for name in binds(cell.source)}
        for cell in self._exercise.cells:
            if cell.id in known:
                continue
            if cell.kind == "step" and cell.id not in bound:
                self._warnings.append(f"the cell of {cell.id} is missing; nothing defines {cell.id}")
            elif cell.kind in ("check", "setup"):
                self._warnings.append(f"the cell {cell.id} is missing; the teacher's was used")

    def _warn_twice(self, id: str) -> None:
        if self._masters[id].kind == "step":
            self._warnings.append(f"there are two cells of {id}; both were run, the later one counts")

    def _python(self, source: str) -> str:
        plain, dropped = without_magics(source)
        for line in dropped:
            if line not in self._magics:
                self._magics.add(line)
                self._warnings.append(f"not run: {line[:60]}")
        return plain


def _public(cell: Cell) -> str:
    """A master cell as the release has it: without its hidden region."""
    lines: list[str] = []
    hidden = False
    for line in cell.source.splitlines():
        if "### BEGIN HIDDEN TESTS" in line:
            hidden = True
        elif "### END HIDDEN TESTS" in line:
            hidden = False
        elif not hidden:
            lines.append(line)
    return "\n".join(lines).strip()

"""An exercise as the grader sees it: the cells of the full notebook that the build wrote."""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from autograder.base.errors import Unusable
from autograder.base.files import Refused
from autograder.base.result import Picture, check_id, parts_of
from autograder.base.text import listed, without_pictures
from autograder.exercises import data_files, setup_cell, sources
from autograder.exercises.data_files import Data

if TYPE_CHECKING:
    from autograder.exercises.misconceptions import Misconception, Misconceptions

Kind = Literal["plain", "setup", "needed", "step", "check", "manual"]

ANNOUNCED = re.compile(r"with (?:tools\.)?check\(\s*[\"']([\w-]+)[\"']")
"""How a visible check gives its id, even if the cell's metadata is lost."""

FILLED_IN = "tools.CHECKS = "
"""The start of a line in every setup cell that the build wrote, and in no other cell."""

ARRAYS = re.compile(r"^\w+ = tools\.arrays\((?:\s*\"[\w+/=]+\")+\s*\)", re.MULTILINE)
"""The first line of every cell of arrays."""

OPTION = re.compile(r"^ *(\w+): \S", re.MULTILINE)
"""An option of a question, in its text."""

BROUGHT = "brought"
"""The id of the cell that brings functions of earlier exercises over."""

DOUBLED = frozenset({"check", "hidden", "points", "step"})
"""Marks of a step or a visible check that its id and its points imply; the students' notebook omits
them."""

# Nearly every check begins like this. Parsing the whole cell takes a hundred times as long, and
# every command reads all checks of an exercise.
_PLAIN_SENTENCE = re.compile(r'"""([^"\\]*)"""[ \t]*(?:\n|\Z)')
"""A docstring without escapes and quotes, alone in its lines."""


@dataclass(frozen=True)
class Check:
    """One graded cell. ``id`` is ``<step>-<name>``; ``sentence`` is what the student reads.

    ``repeatable``: a repeated call must get the same answer. ``void``: it is never run, and
    everybody gets its full points.
    """

    id: str
    step: str
    name: str
    category: str
    points: float
    hidden: bool
    sentence: str
    source: str
    repeatable: bool = True
    void: bool = False


@dataclass(frozen=True)
class Cell:
    """One cell of the master notebook; ``raw`` is its notebook JSON.

    ``source`` is its source; for the setup cell, the code that is packed in it. ``question``: the
    kind of a question, which is answered with a value and not a function. ``draws``: the kind of
    picture in which students see a step's answers, if any. ``is_class``: the step is a class.
    ``functions``: those that a needed cell defines. ``is_extra``: its points are a bonus on top of
    the exercise's. ``was`` is its id in an earlier version, ``removed`` the ids of deleted cells.
    """

    id: str
    kind: Kind
    is_code: bool
    source: str
    raw: Mapping[str, Any]
    check: Check | None = None
    draws: Picture | None = None
    question: str = ""
    is_class: bool = False
    is_extra: bool = False
    was: str = ""
    removed: tuple[str, ...] = ()

    @cached_property
    def text(self) -> str:
        """The source as it is read from a submission: drawings in a text are replaced by words."""
        return self.source if self.is_code else without_pictures(self.source)

    functions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Exercise:
    """The master: every cell in order, and what it was built from.

    ``built_from`` has the digests of files by name. ``sha256`` is the digest of all of them, and of
    ``data``, the files that students get with it, once these are read.
    """

    name: str
    sha256: str
    cells: tuple[Cell, ...]
    notebook: Mapping[str, Any]
    bank: Path | None = None
    built_from: Mapping[str, str] = field(default_factory=dict)
    data: Data = field(default_factory=dict)

    @property
    def about(self) -> Mapping[str, Any]:
        """What the build wrote into the notebook's metadata."""
        found: Mapping[str, Any] = self.notebook.get("metadata", {}).get("autograder", {})
        return found

    @cached_property
    def title(self) -> str:
        """Its title: the first heading of its prose, or else its name."""
        return str(self.about.get("title") or self.name)

    @cached_property
    def sentences(self) -> Mapping[str, str]:
        """The sentence of each check, by id."""
        return {check.id: check.sentence for check in self.checks}

    @property
    def is_ordinary(self) -> bool:
        """Whether it is an ordinary nbgrader assignment, whose cells the kit does not read."""
        return not self.cells

    @cached_property
    def checks(self) -> tuple[Check, ...]:
        return tuple(cell.check for cell in self.cells if cell.check)

    @cached_property
    def steps(self) -> tuple[str, ...]:
        """The names of the steps, in the order of the notebook."""
        return tuple(cell.id for cell in self.cells if cell.kind == "step")

    @cached_property
    def options(self) -> Mapping[str, tuple[str, ...]]:
        """The questions that are answered with a value, with the options of each; none for a free
        answer."""
        found: dict[str, tuple[str, ...]] = {}
        for cell in self.cells:
            if cell.question:
                is_choice = cell.question in ("choice", "own")
                found[cell.id] = tuple(OPTION.findall(cell.source)) if is_choice else ()
        return found

    @cached_property
    def own(self) -> frozenset[str]:
        """The questions that differ for every student, with different right answers."""
        return frozenset(cell.id for cell in self.cells if cell.question == "own")

    @cached_property
    def functions(self) -> tuple[str, ...]:
        """The steps that are not questions: students write them as code."""
        return tuple(step for step in self.steps if step not in self.options)

    @cached_property
    def optional(self) -> frozenset[str]:
        """The questions without points, which students may leave out."""
        with_points = {check.step for check in self.checks if check.points}
        return frozenset(self.options) - with_points

    @cached_property
    def classes(self) -> Mapping[str, str]:
        """The steps that are classes, with the teacher's answers."""
        return {cell.id: cell.source for cell in self.cells if cell.is_class}

    @cached_property
    def needed(self) -> tuple[str, ...]:
        """Functions that the grader provides: those of earlier exercises, and given steps."""
        return tuple(chain.from_iterable(cell.functions for cell in self.cells))

    @cached_property
    def given(self) -> tuple[str, ...]:
        """The steps of this exercise that are given to students."""
        of_others = {need.split(":")[1] for need in self.about.get("needs", ())}
        return tuple(name for name in self.needed if name not in of_others)

    @cached_property
    def setup(self) -> str:
        return "\n".join(cell.source for cell in self.cells if cell.kind == "setup")

    @cached_property
    def max_score(self) -> float:
        return round(sum(check.points for check in self.checks), 9)

    @property
    def extra(self) -> set[str]:
        """The bonus questions, which are not needed for full marks."""
        return {cell.id for cell in self.cells if cell.is_extra}

    @cached_property
    def has_reference(self) -> bool:
        """Whether it has the teacher's answers; a student's copy has none."""
        return all(cell.source for cell in self.cells if cell.kind == "step")

    @cached_property
    def bank_of_mistakes(self) -> Misconceptions | None:
        """The bank of named wrong answers; None if the exercise has none.

        Raises:
            Unusable: the file does not have the form of a bank.
        """
        from autograder.exercises import misconceptions

        return misconceptions.load(self.bank) if self.bank else None

    @property
    def misconceptions(self) -> tuple[Misconception, ...]:
        """The entries of the bank, if there is one."""
        return self.bank_of_mistakes.entries if self.bank_of_mistakes else ()

    @property
    def told_by_checks(self) -> tuple[str, ...]:
        """The steps whose mistakes only their checks can tell apart, according to the bank."""
        return tuple(self.bank_of_mistakes.by_checks) if self.bank_of_mistakes else ()

    @cached_property
    def former(self) -> dict[str, str]:
        """The current ids of cells by earlier ids; the checks of a renamed step are renamed with
        it."""
        ids: dict[str, str] = {}
        for cell in self.cells:
            if cell.was:
                ids[cell.was] = cell.id
            elif cell.check and self.cell(cell.check.step).was:
                ids[check_id(self.cell(cell.check.step).was, cell.check.name)] = cell.id
        return ids

    @property
    def removed(self) -> set[str]:
        """The ids of cells of an earlier version that the source names as removed."""
        return set(chain.from_iterable(cell.removed for cell in self.cells))

    @cached_property
    def bank_text(self) -> bytes:
        """The unparsed bytes of the bank; empty if the exercise has none."""
        try:
            return self.bank.read_bytes() if self.bank else b""
        except FileNotFoundError:
            return b""

    def files(self, root: Path) -> list[Path]:
        """All of its files below ``root``, enough to grade and build it elsewhere."""
        return sources.files_of(root, self.name, self.built_from)

    def checks_of(self, step: str) -> list[Check]:
        return [check for check in self.checks if check.step == step]

    def cell(self, id: str) -> Cell:
        """The cell of this id; for a needed function, its part of the cell that defines it."""
        return self._by_id[id]

    @cached_property
    def _by_id(self) -> dict[str, Cell]:
        cells = {cell.id: cell for cell in self.cells}
        for cell in self.cells:
            for name in cell.functions:
                cells.setdefault(name, replace(cell, id=name, source=_definition(cell, name)))
        return cells


def _definition(cell: Cell, name: str) -> str:
    """The function of this name in a cell, with the helpers that it uses there; empty if there is
    none."""
    others = {*cell.functions} - {name}
    for block in ast.parse(cell.source).body:
        body = block.body if isinstance(block, ast.With) else []
        kept = [node for node in body if getattr(node, "name", "") not in others]
        if any(getattr(node, "name", "") == name for node in kept):
            return ast.unparse(ast.Module(kept, []))
    return ""


def load(root: Path, name: str) -> Exercise:
    """The exercise in ``solutions/<name>/<name>.ipynb`` below ``root``.

    Raises:
        Unusable: there is no such exercise, it is not built, ``solutions/<name>.py`` has changed
            since, or it is not a notebook of ours.
    """
    try:
        authored, built = sources.authored_at(root, name), sources.notebook_at(root, name)
        is_built, is_authored = built.is_file(), authored.is_file()
    except Refused:
        is_built = is_authored = False
    if not is_built and not is_authored:
        known = ", ".join(built_names(root)) or "none"
        raise Unusable(name, f"no such exercise in {root / 'solutions'}", f"there are: {known}")
    if not is_built:
        raise Unusable(built, "the notebook has not been built", f"run autograder build {name}")

    try:
        exercise = from_notebook(json.loads(built.read_bytes()))
        if not exercise.checks:  # the checks of a release may all be hidden
            raise ValueError("has no checks")
    except (OSError, ValueError) as error:
        raise Unusable(built, str(error), f"run autograder build {name}") from None

    try:  # the name of a file that has changed since the notebook was built from it
        newer = authored.is_file() and sources.changed(authored, exercise.built_from)
    except OSError as error:
        raise Unusable(error.filename, str(error.strerror), f"{authored.name} needs it") from None
    if newer:
        raise Unusable(built, f"older than {newer}", f"run autograder build {name}")
    if exercise.name != name:
        raise Unusable(built, f"is the notebook of {exercise.name}", f"run autograder build {name}")

    data = data_files.read(built.parent)
    return replace(
        exercise,
        sha256=data_files.fingerprint(exercise.sha256, data),
        bank=sources.authored_at(root, name, "_misconceptions"),
        data=data,
    )


def built_names(root: Path) -> list[str]:
    """The exercises below ``root`` that have been built and can be graded.

    This includes exercises whose authored file is gone; ``authoring.build.authored_names`` lists
    what can be built.
    """
    notebooks = (root / sources.folders(root)[0]).glob("*/*.ipynb")
    named = (path for path in notebooks if path.stem == path.parent.name)
    return sorted(path.stem for path in named if _is_ours(root, path))


def load_all(root: Path, but: Collection[str] = ()) -> tuple[list[Exercise], list[str]]:
    """The built exercises that can be loaded, and lines that say why others cannot.

    Exercises that must be built again for the same reason share one line, with one command.

    Args:
        but: names of exercises to leave out.
    """
    found: list[Exercise] = []
    failed: dict[str, dict[str, Unusable]] = {}
    for name in built_names(root):
        if name in but:
            continue
        try:
            found.append(load(root, name))
        except Unusable as error:
            is_to_be_built = error.repair == f"run autograder build {name}"
            cause = error.cause if is_to_be_built else str(error)
            failed.setdefault(cause, {})[name] = error

    lines = []
    for cause, errors in failed.items():
        names = list(errors)
        again = f"{listed(names)}: {cause}; run autograder build {' '.join(names)}"
        lines.append(again if len(names) > 1 else str(errors[names[0]]))
    return found, lines


def assignment_names(root: Path) -> list[str]:
    """All assignments below ``root`` that have a notebook: exercises of the kit, and nbgrader's."""
    notebooks = (root / sources.folders(root)[0]).glob("*/*.ipynb")
    return sorted({path.parent.name for path in notebooks})


def belongs(root: Path, name: str) -> bool:
    """Whether an assignment is an exercise of the kit, and not an ordinary nbgrader assignment.

    The name may be untrusted, and impossible as a file name.
    """
    try:
        return sources.is_authored(root, name) or _is_ours(root, sources.notebook_at(root, name))
    except Refused:
        return False


def _is_ours(root: Path, built: Path) -> bool:
    """Whether the build wrote this notebook, or will write it again."""
    if sources.is_authored(root, built.stem):
        return True
    try:
        return b'"source_sha256"' in built.read_bytes()
    except OSError:
        return False


def from_notebook(notebook: Any) -> Exercise:
    """The exercise in a notebook that the build wrote.

    The notebook is the full one, or a release with empty hidden checks.

    Raises:
        ValueError: the notebook does not have the build's marks.
    """
    try:
        about = notebook["metadata"]["autograder"]
        cells = tuple(map(_cell, notebook["cells"]))
        sha256, built_from = about.get("source_sha256", ""), about.get("built_from", {})
        exercise = Exercise(about["exercise"], sha256, cells, notebook, built_from=built_from)
    except (KeyError, TypeError, AttributeError):
        raise ValueError("not a notebook that autograder build wrote") from None
    return exercise


def written(raw: Mapping[str, Any]) -> str:
    """The source of a cell as its notebook has it."""
    return raw["source"] if isinstance(raw["source"], str) else "".join(raw["source"])


def as_file(notebook: Mapping[str, Any]) -> bytes:
    """The bytes of a notebook, with one line per cell. Indentation would add a tenth, and quotes
    around every line of a source two percent.
    """
    cells = ",\n".join(_line({**cell, "source": written(cell)}) for cell in notebook["cells"])
    others = _line({name: part for name, part in notebook.items() if name != "cells"})
    return f'{{"cells":[\n{cells}\n],\n{others[1:]}\n'.encode()


def _line(part: Any) -> str:
    return json.dumps(part, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def _cell(raw: Mapping[str, Any]) -> Cell:
    marks = raw["metadata"].get("autograder", {})
    kind = marks.get("kind", "plain")
    source = written(raw)
    if kind == "setup":
        source, _ = setup_cell.unpacked(source)
    is_code = raw["cell_type"] == "code"
    nbgrader = raw["metadata"].get("nbgrader", {})
    if kind == "check":
        check = _check(marks, nbgrader, source)
        return Cell(check.id, kind, is_code, source, raw, check, was=marks.get("was", ""))

    grade_id = nbgrader.get("grade_id")
    id = marks.get("step") or grade_id or raw["id"]
    return Cell(
        id,
        kind,
        is_code,
        source,
        raw,
        draws=marks.get("draws"),
        question=marks.get("question", ""),
        is_class=kind == "step" and defines_class(source, id),
        is_extra=bool(marks.get("extra")),
        was=marks.get("was", ""),
        removed=tuple(marks.get("removed", ())),
        functions=tuple(marks.get("functions", [id])) if kind == "needed" else (),
    )


def _check(marks: Mapping[str, Any], nbgrader: Mapping[str, Any], source: str) -> Check:
    id = check_id(marks["step"], marks["check"]) if "check" in marks else nbgrader["grade_id"]
    step, name = parts_of(id)
    return Check(
        id=id,
        step=step,
        name=name,
        category=marks["category"],
        points=float(marks["points"] if "points" in marks else nbgrader["points"]),
        hidden=bool(marks.get("hidden")),
        sentence=sentence_of(source),
        source=source,
        repeatable=marks.get("repeat", True),
        void=bool(marks.get("void")),
    )


def filled_in(source: str) -> int:
    """The offset of that line in a cell; -1 if there is none."""
    # No regular expression: it would look for the start of a line at each of many thousand
    # characters.
    return f"\n{source}".find(f"\n{FILLED_IN}")


def defines_class(source: str, name: str) -> bool:
    """Whether a cell defines a class of this name."""
    return re.search(rf"^class {re.escape(name)}\b", source, re.MULTILINE) is not None


def sentence_of(source: str) -> str:
    """The sentence of a check that students read: its docstring, in one line."""
    plain = _PLAIN_SENTENCE.match(source)
    if plain:
        return " ".join(plain[1].split())
    return " ".join((ast.get_docstring(ast.parse(source)) or "").split())


def checksum(
    source: str,
    id: str,
    points: str | None = None,
    cell_type: str = "code",
    is_solution: bool = False,
    is_locked: bool = True,
) -> str:
    """nbgrader's checksum of a cell, which shows whether a locked cell was changed.

    Args:
        points: the points of a graded cell, as the notebook has them; None for other cells.
    """
    marks = (str(points is not None), str(is_solution), str(is_locked))
    text = "".join([source, cell_type, *marks, id, points or ""])
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def content_id(kind: str, source: str) -> str:
    """An id from a cell's content: inserting another cell does not change it."""
    return f"{kind}-{hashlib.sha256(source.encode()).hexdigest()[:12]}"

"""Hidden checks in the notebook that students get: for each step one line that says what they test.

The grader takes them from the exercise, so a submission does not need them. In notebooks handed out
before this line existed, each hidden check has a cell with its public part.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from functools import lru_cache
from html import escape
from typing import Any

from autograder.base.text import count, points, shown
from autograder.exercises.exercise import (
    DOUBLED,
    Cell,
    Check,
    as_file,
    checksum,
    content_id,
    from_notebook,
    written,
)

_OPEN = "counts in full for everybody"
_ITEM = rf"- .{{1,2000}}, (?:[\d.]{{1,9}} points?|{_OPEN})\)"
LINE = re.compile(
    rf"<details>\n<summary>\d{{1,4}} hidden checks? · .{{1,2000}}</summary>\n\n"
    rf"(?:{_ITEM}\n)+\n</details>"
)
"""The line in any version of an exercise."""


def handed_out(released: bytes) -> bytes:
    """What students get, from nbgrader's release of the full notebook: a line for each step."""
    notebook = json.loads(released)
    exercise = from_notebook(notebook)
    waiting: dict[str, list[Check]] = {}
    for check in exercise.checks:
        if check.hidden:
            waiting.setdefault(check.step, []).append(check)

    cells: list[Mapping[str, Any]] = []
    for cell in exercise.cells:
        if not _is_hidden(cell):
            cells.append(_unanswered(cell) if cell.question else _short(cell.raw))
        elif cell.check and cell.check is waiting[cell.check.step][-1]:
            cells.append(_line(waiting[cell.check.step]))
    notebook["cells"] = cells
    # One digest identifies the version.
    notebook["metadata"]["autograder"].pop("built_from", None)
    return as_file(notebook)


def beside(released: Mapping[str, Any], full: Sequence[Cell]) -> list[Cell]:
    """The cells of a full notebook as students get them, with a cell for every hidden check.

    Args:
        released: the students' notebook, of any version.

    Raises:
        ValueError: it is of another exercise.
    """
    hidden = {cell.id for cell in full if _is_hidden(cell)}
    own: dict[str, Mapping[str, Any]] = {}
    for raw in released["cells"]:
        id = raw["metadata"].get("nbgrader", {}).get("grade_id") or raw["id"]
        if id not in hidden and not LINE.fullmatch(written(raw)):
            own[id] = raw
    if list(own) != [cell.id for cell in full if cell.id not in hidden]:
        raise ValueError("its cells are not those of the exercise")

    cells: list[Cell] = []
    for cell in full:
        if cell.id in hidden:
            cells.append(_placeholder(cell))
        else:
            cells.append(replace(cell, source=written(own[cell.id]), raw=own[cell.id]))
    return cells


def _short(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """A step or a visible check without the marks that its other marks and its title imply; any
    other cell unchanged.

    nbgrader uses the checksum of a step's text only to detect an unchanged answer to a question
    that a person grades.
    """
    marks = raw["metadata"].get("autograder", {})
    if marks.get("kind") not in ("check", "step"):
        return raw
    doubled = {"cell_type"} if marks["kind"] == "check" else {"cell_type", "checksum"}
    nbgrader = _without(raw["metadata"]["nbgrader"], doubled)
    metadata = {**raw["metadata"], "autograder": _without(marks, DOUBLED), "nbgrader": nbgrader}
    return {**raw, "metadata": metadata}


def _without(marks: Mapping[str, Any], names: Set[str]) -> dict[str, Any]:
    return {name: mark for name, mark in marks.items() if name not in names}


def _unanswered(cell: Cell) -> Mapping[str, Any]:
    """A question as students get it: its text, and a value to fill in."""
    title, *_ = cell.source.split("\n")
    text = ast.get_docstring(ast.parse(cell.source).body[0]) or ""  # type: ignore[arg-type]
    comments = [f"# {line}".rstrip() for line in text.split("\n")]
    source = "\n".join([title, "#", *comments, f"{cell.id} = ..."])
    metadata = cell.raw["metadata"]
    own = checksum(source, cell.id, is_solution=True, is_locked=False)
    nbgrader = {**metadata["nbgrader"], "checksum": own}
    lines = source.splitlines(keepends=True)
    return {**cell.raw, "metadata": {**metadata, "nbgrader": nbgrader}, "source": lines}


@lru_cache(maxsize=1024)
def public(source: str) -> str:
    """The source of a check without its hidden region."""
    lines: list[str] = []
    hidden = False
    for line in source.split("\n"):
        if "### BEGIN HIDDEN TESTS" in line:
            hidden = True
        elif "### END HIDDEN TESTS" in line:
            hidden = False
        elif not hidden:
            lines.append(line)
    return "\n".join(lines).strip()


def _is_hidden(cell: Cell) -> bool:
    return cell.check is not None and cell.check.hidden


def _line(checks: Sequence[Check]) -> dict[str, Any]:
    """The cell that says what a step's hidden checks test."""
    categories = ", ".join(dict.fromkeys(shown(check.category) for check in checks))
    worth = points(sum(check.points for check in checks))
    about = f"{count(len(checks), 'hidden check')} · {worth}, graded after you hand in"
    lines = ["<details>", f"<summary>{about}: {escape(categories, quote=False)}</summary>", ""]
    for check in checks:
        end = _OPEN if check.void else points(check.points)
        lines.append(f"- {_literal(check.sentence)} ({_literal(shown(check.category))}, {end})")
    source = "\n".join([*lines, "", "</details>"])
    return {
        "cell_type": "markdown",
        "id": content_id("hidden", f"{checks[0].step}\n{source}"),
        "metadata": {"deletable": False, "editable": False},
        "source": source.splitlines(keepends=True),
    }


def _literal(text: str) -> str:
    """A text that Markdown shows as it is."""
    return re.sub(r"[\\`*<>$]|\b_|_\b|\[(?=[^\]]*\]\()", r"\\\g<0>", text)


def _placeholder(cell: Cell) -> Cell:
    """A hidden check as nbgrader releases it, each in a cell of its own."""
    source, metadata = public(cell.source), cell.raw["metadata"]
    nbgrader = metadata["nbgrader"]
    own = checksum(source, cell.id, str(float(nbgrader["points"])))
    marks = {"cell_type": "code", "checksum": own}
    locked = {"deletable": False, "editable": False, "nbgrader": {**nbgrader, **marks}}
    raw = {**cell.raw, "metadata": {**metadata, **locked}, "source": source.splitlines(True)}
    return replace(cell, source=source, raw=raw)

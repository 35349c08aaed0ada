"""What stands in a built cell's metadata: our marks, nbgrader's, and how frontends treat it."""

from __future__ import annotations

from typing import Any

from autograder.authoring.cells import Cell, Source

_FOLDED = {"cellView": "form", "jupyter": {"source_hidden": True}}
"""How Colab, and JupyterLab and Notebook 7, open a cell of which they show the first line alone."""

_ON_WITH_THE_NEXT = {"tags": ["raises-exception"]}
"""How all frontends are told that "Run All" goes on below a cell that raises."""


def of(authored: Source, cell: Cell) -> dict[str, Any]:
    """The metadata of a cell."""
    # To whoever runs it, a cell of arrays is a part of setup.
    kind = "setup" if cell.kind == "arrays" else cell.kind
    metadata: dict[str, Any] = {}
    if cell.kind not in ("prose", "plain"):
        marks = {"kind": kind} | _marks(authored, cell)
        metadata = {"autograder": marks, "nbgrader": _nbgrader(cell)}
    if kind == "setup" or cell.hidden:
        metadata |= _FOLDED
    elif cell.kind == "check":
        metadata |= _ON_WITH_THE_NEXT
    return metadata


def _marks(authored: Source, cell: Cell) -> dict[str, Any]:
    was = {"was": cell.was} if cell.was else {}
    if cell.kind == "step":
        drawn = {"draws": cell.draws} if cell.draws else {}
        return {"step": cell.id, "points": authored.points_of(cell.id), **drawn, **was}
    if cell.kind == "check":
        about = {"step": cell.step, "check": cell.name, "category": cell.category}
        once = {} if cell.repeat else {"repeat": False}
        void = {"void": True} if cell.void else {}
        return about | {"points": cell.points, "hidden": cell.hidden} | once | void | was
    if cell.kind == "manual" and cell.extra:
        return {"extra": True, **was}
    return was | ({"removed": list(cell.removed)} if cell.removed else {})


def _nbgrader(cell: Cell) -> dict[str, Any]:
    is_graded = cell.kind in ("check", "manual")
    is_answer = cell.kind in ("step", "needed", "manual") and not cell.given
    metadata: dict[str, Any] = {
        "schema_version": 3,
        "grade": is_graded,
        "solution": is_answer,
        "locked": not is_answer,
        "task": False,
        "grade_id": cell.id or cell.kind,
    }
    return metadata | ({"points": cell.points} if is_graded else {})

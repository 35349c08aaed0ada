"""A percent script that was handed in, as the notebook that nbgrader's folders ask for."""

from __future__ import annotations

import json
import re
from itertools import islice

from autograder.exercises.percent import ScriptCell, lines_of, split
from autograder.submissions.notebook import MAX_CELLS, MAX_SOURCE, claims_of

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")

UNMARKED = re.compile(r"cell-[0-9]+")
"""The id of a cell that had no mark in its script."""


def as_notebook(data: bytes) -> bytes:
    """The same cells as a notebook; the same bytes give the same notebook.

    Raises:
        ValueError: not UTF-8 text, or more than a notebook holds.
    """
    if len(data) > 4 * MAX_SOURCE:
        raise ValueError("is a script of more than a million characters")
    try:
        lines = lines_of(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise ValueError("is not UTF-8 text") from None

    most = MAX_CELLS + 1  # the first has no cell line
    cells = list(islice(split(lines), most + 1))
    if len(cells) > most:
        raise ValueError(f"has more than {MAX_CELLS} cells")

    ids: set[str] = set()
    notebook = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}
        },
        "cells": [_cell(cell, ids) for cell in cells if not cell.is_blank],
    }
    text = json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    return text.encode("utf-8", "replace")


def _cell(cell: ScriptCell, ids: set[str]) -> dict[str, object]:
    # The mark of a cell survives as its id, by which the intake finds the answer.
    claims = [claim for claim in claims_of(cell.cell_line) if _ID.fullmatch(claim)]
    id = claims[0] if claims and claims[0] not in ids else f"cell-{len(ids) + 1}"
    ids.add(id)

    built = {"id": id, "metadata": {}, "source": cell.source.splitlines(keepends=True)}
    if cell.is_prose:
        return {**built, "cell_type": "markdown"}
    return {**built, "cell_type": "code", "execution_count": None, "outputs": []}

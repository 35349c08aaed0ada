"""A percent script that was handed in, as the notebook that nbgrader's folders ask for."""

from __future__ import annotations

import json
import re

from autograder.submissions.notebook import MAX_CELLS, MAX_SOURCE

_CLAIM = re.compile(r"(?:step|check|manual|\"grade_id\")\s*[=:]\s*\"([A-Za-z0-9_-]{1,64})\"")


def as_notebook(data: bytes) -> bytes:
    """The same cells as a notebook; the same bytes give the same notebook.

    Raises:
        ValueError: not UTF-8 text, or more than a notebook holds.
    """
    if len(data) > 4 * MAX_SOURCE:
        raise ValueError("is a script of more than a million characters")
    try:
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise ValueError("is not UTF-8 text") from None
    cells: list[tuple[str, list[str]]] = [("", [])]
    for line in lines:
        if re.match(r"# ?%%(?!%)", line):
            cells.append((line, []))
            if len(cells) > MAX_CELLS + 1:  # the first has no mark
                raise ValueError(f"has more than {MAX_CELLS} cells")
        else:
            cells[-1][1].append(line)
    taken: set[str] = set()
    made = [
        _cell(header, body, taken) for header, body in cells if any(line.strip() for line in body)
    ]
    metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": made}
    return (json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode(
        "utf-8", "replace"
    )


def _cell(header: str, body: list[str], taken: set[str]) -> dict[str, object]:
    # The mark of a cell survives as its id, by which the intake finds the answer.
    claim = _CLAIM.search(header)
    id = claim[1] if claim and claim[1] not in taken else f"cell-{len(taken) + 1}"
    taken.add(id)
    prose = "[markdown]" in header or "[md]" in header or "[raw]" in header
    lines = [re.sub(r"^# ?", "", line) for line in body] if prose else body
    cell: dict[str, object] = {
        "id": id,
        "metadata": {},
        "source": "\n".join(lines).strip("\n").splitlines(keepends=True),
    }
    if prose:
        return {**cell, "cell_type": "markdown"}
    return {**cell, "cell_type": "code", "execution_count": None, "outputs": []}

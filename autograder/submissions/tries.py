"""What a notebook has counted of its student's tries, if they wanted that: a stranger's numbers.

``tools.summary()`` prints it in one line, which every front end saves with the notebook.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from autograder.submissions.notebook import raw_notebook

MARK = "Counted, as you asked"
_LINE = re.compile(rf"^{MARK} [^{{\n]{{0,80}}(\{{[^\n]{{0,20000}}\}})\s*$", re.MULTILINE)

MOST_TRIES, MOST_SECONDS = 1_000, 100_000
"""More is taken for this much."""


@dataclass(frozen=True)
class CheckTries:
    """Of a check: tries until it passed, the seconds before them, whether it asked a question about
    a mistake, and whether it passed."""

    tries: int
    seconds: int
    asked: bool
    passed: bool


def tries(data: bytes) -> dict[str, CheckTries]:
    """What has been counted, by check; empty where nothing was.

    Raises:
        Rejected: no notebook.
    """
    if MARK.encode() not in data:
        return {}
    found: dict[str, CheckTries] = {}
    for text in _printed(raw_notebook(data)):
        for line in _LINE.findall(text):
            found = dict(_read(line)) or found
    return found


def _printed(notebook: Any) -> Iterator[str]:
    """What the cells of a notebook have printed."""
    for cell in notebook["cells"] if notebook is not None else ():
        outputs = cell.get("outputs") if isinstance(cell, dict) else None
        for output in outputs if isinstance(outputs, list) else ():
            text = output.get("text") if isinstance(output, dict) else None
            if isinstance(text, list) and all(isinstance(line, str) for line in text):
                text = "".join(text)
            if isinstance(text, str):
                yield text


def _read(line: str) -> Iterator[tuple[str, CheckTries]]:
    """The numbers of a line that are what they should be."""
    try:
        counts = json.loads(line)
    except (ValueError, RecursionError):
        return
    for name, row in counts.items():
        if isinstance(row, list) and len(row) == 4 and all(type(one) is int for one in row):
            many, seconds, asked, passed = (max(one, 0) for one in row)
            yield (
                name,
                CheckTries(
                    min(many, MOST_TRIES), min(seconds, MOST_SECONDS), asked > 0, passed > 0
                ),
            )

"""What the build wrote into the setup cell of a notebook about its checks."""

from __future__ import annotations

import ast
import re
from typing import Any

from autograder.base.result import MOST_POINTS
from autograder.submissions.notebook import RawCell
from autograder.submissions.python_source import NO_PYTHON

_ID = re.compile(r"[A-Za-z0-9_]{1,62}-[A-Za-z0-9_-]{1,62}")

# No more of the cell is parsed than this: it is long, and who waits for `check` waits for that.
_TABLE = re.compile(r"^tools\.CHECKS = (\{.*?\})$", re.MULTILINE | re.DOTALL)
"""What the build wrote about the checks, and nothing else of the setup cell."""


def check_table(cells: list[RawCell]) -> dict[str, dict[str, Any]] | None:
    """Each check's points, and whether it is hidden, by its id; None where no cell says so."""
    for cell in cells:
        written = _TABLE.search(cell.source) if cell.is_code else None
        if written is None:
            continue
        try:
            table = ast.literal_eval(written[1])
            if table and all(_is_sound(id, marks) for id, marks in table.items()):
                return dict(table)
        except (*NO_PYTHON, TypeError, KeyError, AttributeError):
            continue
    return None


def _is_sound(id: str, marks: dict[str, Any]) -> bool:
    """Whether an entry is as the build writes it: somebody may have changed it."""
    is_known = _ID.fullmatch(id) and marks["hidden"] in (0, 1)
    return bool(is_known and 0 <= marks["points"] <= MOST_POINTS)

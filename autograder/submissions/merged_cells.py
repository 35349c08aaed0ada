"""Cells that were merged: an answer and the checks behind it, as a slip of the keyboard does it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from autograder.exercises.exercise import ANNOUNCED
from autograder.submissions.exported import by_check
from autograder.submissions.notebook import RawCell
from autograder.submissions.python_source import binds, parses

# The setup cell, longer than all others together, tells in its own texts how a check begins.
_BEGINNING = re.compile(f"^{ANNOUNCED.pattern}", re.MULTILINE)


def unmerged(raw: RawCell, steps: Iterable[str]) -> Iterator[RawCell]:
    """A cell; where an answer was merged with checks behind it, each of them by itself."""
    has_checks = raw.is_code and _BEGINNING.search(raw.source)
    is_merged = has_checks and not binds(raw.source).isdisjoint(steps)
    if not is_merged or not parses(raw.source):
        yield raw
        return
    for part in by_check(raw.source):
        if part.kind == "code":
            yield replace(raw, source=part.source)

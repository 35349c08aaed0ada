"""The rubric of a question that a person grades: a list of what earns its points, in the text above
it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from autograder.base.text import points

HEADING = "**Rubric**"
"""The line in the text above a question after which its rubric begins."""

_ITEM = re.compile(r"^- (\d{1,3}(?:\.\d{1,2})?) points?: (\S.*(?:\n  \S.*)*)", re.MULTILINE)
_ENTRY = re.compile(r"^- ", re.MULTILINE)


@dataclass(frozen=True)
class RubricItem:
    """An item that a grader ticks, and its points."""

    points: float
    text: str

    def __str__(self) -> str:
        return f"{self.text} ({points(self.points)})"


def items(text: str) -> list[RubricItem]:
    """The rubric in a text; empty if there is none.

    Raises:
        ValueError: an entry of its list is not an item, or the list is empty.
    """
    _, heading, below = f"\n{text}\n".partition(f"\n{HEADING}\n")
    found = []
    for worth, said in _ITEM.findall(below):
        found.append(RubricItem(float(worth), " ".join(said.split())))
    if heading and (not found or len(found) != len(_ENTRY.findall(below))):
        raise ValueError("a rubric with something else than items")
    return found

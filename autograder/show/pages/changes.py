"""Finds what changed on a student's page since the previous one: scores, points, a teacher's
comments.

The facts of each page are stored next to it, to compare the next one with them. A page about
another file is a new page, without changes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from autograder.base import files
from autograder.base.text import number

NAME = "shown.json"
"""The file of facts; ``release_feedback`` takes only pages."""


@dataclass(frozen=True)
class PageFacts:
    """The numbers on a page, and its remarks by cell.

    ``changes`` are the lines at its top, and ``on`` is the day of the page on which they first
    appeared. ``hidden`` is how much it shows of hidden checks (``disclosure``); empty in older
    files. ``solutions`` is the number of solutions on it. ``made_of`` is a digest of all inputs of
    the page.
    """

    submission: str
    score: str
    points: Mapping[str, float]
    remarks: Mapping[str, str]
    changes: tuple[str, ...] = ()
    on: str = ""
    hidden: str = ""
    solutions: int = 0
    made_of: str = field(default="", compare=False)


def since(folder: Path, now: PageFacts, titles: Mapping[str, str], day: str) -> PageFacts:
    """The same with what changed since the page in this folder.

    If nothing changed, with the changes that the previous page listed: the student may not have
    read them.

    Args:
        titles: the titles of cells, by id.
        day: today, for people.
    """
    before = of(folder)
    if before is None or before.submission != now.submission:
        return now
    if replace(before, changes=(), on="") == now:
        return before
    return replace(now, changes=tuple(_changes(before, now, titles)), on=day)


def is_new(folder: Path, shown: PageFacts) -> bool:
    """Whether the page in this folder does not list these changes yet, or is about another file."""
    before = of(folder)
    if before is None or before == shown:
        return False
    return bool(shown.changes) or before.submission != shown.submission


def write(folder: Path, shown: PageFacts) -> None:
    """Store the facts of the page, for the next one."""
    files.write(folder / NAME, json.dumps(asdict(shown), ensure_ascii=False).encode())


def _changes(before: PageFacts, now: PageFacts, titles: Mapping[str, str]) -> Iterator[str]:
    if before.score != now.score:
        yield f"Score: {before.score}, now {now.score}"

    # If other checks are shown now, the old points may be ones that students may no longer see, and
    # they have not changed.
    is_comparable = before.hidden == now.hidden
    for id in dict.fromkeys([*now.points, *before.points]) if is_comparable else ():
        old, new = before.points.get(id), now.points.get(id)
        if old != new:
            was = "not there" if old is None else number(old)
            became = "gone" if new is None else number(new)
            yield f"{_title(id, titles)}: {was}, now {became}"

    for id in dict.fromkeys([*now.remarks, *before.remarks]):
        if before.remarks.get(id) != now.remarks.get(id):
            yield f"{_title(id, titles)}: your teacher's comment has changed"
    if now.solutions > before.solutions:
        yield "Solutions: below your own code"


def _title(id: str, titles: Mapping[str, str]) -> str:
    """The title of a cell, without the full stop of a check's sentence."""
    return titles.get(id, id).rstrip(".")


def of(folder: Path) -> PageFacts | None:
    """The facts of the page in this folder; None if unknown."""
    try:
        data: dict[str, Any] = json.loads((folder / NAME).read_bytes())
        return PageFacts(**{**data, "changes": tuple(data["changes"])})
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None

"""An authored file with mistakes: all that can be said of it in one run.

What is wrong in a check does not keep the others from being tried.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from autograder.authoring import lint, read, self_check
from autograder.authoring.cells import Kind, Problem, Source
from autograder.base.errors import Unusable

APART: frozenset[Kind] = frozenset({"check", "manual", "prose"})
"""The cells that no other cell needs."""


def read_or_try(path: Path, full: Callable[[Source], bytes], data: Mapping[str, bytes]) -> Source:
    """Read the authored file at ``path``.

    Args:
        full: makes the full notebook.
        data: the files that lie beside it.

    Raises:
        Unusable: everything that is wrong with it, and with what its sound cells do; a line each.
    """
    source, problems, broken = read.examined(path)
    sound = _sound(source, problems, broken) if problems else None
    if sound is not None:
        problems += self_check.problems(sound, full(sound), data)
    if problems:
        problems.sort(key=lambda problem: problem.line)
        raise Unusable.of_lines(map(source.line, problems))
    return source


def _sound(
    source: Source, problems: Sequence[Problem], broken: Mapping[int, Kind]
) -> Source | None:
    """The file without the checks in which something is wrong.

    None where something is wrong that others need, or nothing is left to try.
    """
    kinds: dict[int, Kind] = dict(broken)
    for cell in source.cells:
        if cell.source and cell.kind != "needed":
            kinds[cell.line] = cell.kind
    of_points = set(lint.points(source))

    left_out = set(broken)
    for problem in problems:
        line = max((line for line in kinds if line <= problem.line), default=0)
        if problem in of_points:
            continue
        if kinds.get(line) not in APART:
            return None
        left_out.add(line)

    cells = []
    for cell in source.cells:
        if cell.line not in left_out or not cell.source:
            cells.append(cell)
    sound = replace(source, cells=tuple(cells))
    return sound if sound.of("check") else None

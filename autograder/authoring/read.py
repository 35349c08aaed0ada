"""The authored file of an exercise: a percent script, read and held to the rules.

All that can be said of one with mistakes is said in one run: what is wrong in a check does not keep
the others from being tried.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from autograder.authoring import arrays, modules, needs, quiz, rules, self_check
from autograder.authoring import cells as reading
from autograder.authoring.cells import AuthoredCell, Kind, Problem, Source
from autograder.base.errors import Unusable
from autograder.base.files import text_of
from autograder.base.text import not_python
from autograder.exercises import sources

APART: frozenset[Kind] = frozenset({"check", "manual", "prose"})
"""The cells that no other cell needs."""


def read(
    path: Path,
    full: Callable[[Source], bytes] | None = None,
    data: Mapping[str, bytes] = MappingProxyType({}),
) -> Source:
    """Read the authored file at ``path``.

    Args:
        full: makes the full notebook; with it the sound cells of a file with mistakes are tried.
        data: the files that lie beside it.

    Raises:
        Unusable: everything that is wrong with it, and with what its sound cells do, a line each,
            from top to bottom; or it cannot be read.
    """
    source, problems, broken = _examined(path)
    if problems:
        sound = _sound(source, problems, broken) if full else None
        if full and sound:
            problems += self_check.problems(sound, full(sound), data)
        problems.sort(key=lambda problem: problem.line)
        raise Unusable.of_lines(map(source.line, problems))
    return source


def _examined(path: Path) -> tuple[Source, list[Problem], dict[int, Kind]]:
    """The sound cells of the authored file at ``path``, all that is wrong, and the broken cells.

    Raises:
        Unusable: it cannot be read.
    """
    try:
        raw = path.read_bytes()
        text = text_of(raw)
    except OSError as error:
        repair = "give the exercise's .py file in solutions/"
        raise Unusable(path, str(error.strerror), repair) from None
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise Unusable(f"{path}:{line}", "not UTF-8 text", "save the file as UTF-8") from None
    if not reading.ID.fullmatch(path.stem):
        raise Unusable(
            path, "no name for an exercise", "use letters, digits, - and _ in the file name"
        )

    problems: list[Problem] = []
    broken: dict[int, Kind] = {}
    cells = _with_setup(reading.read(text, problems, broken))
    cells = tuple(quiz.expanded(cells, problems, broken))
    shared = _shared(path) if modules.uses_shared(cells) else ""
    beside = [f"{name}.py" for name in needs.exercises(cells)] + arrays.files(cells, path)
    if shared:
        beside.append(f"{sources.SHARED}.py")
    there = [name for name in beside if path.with_name(name).is_file()]
    built_from = sources.digests(path, there)
    cells = needs.with_needed(cells, path)
    source = Source(path, path.stem, cells, shared, built_from)
    problems += rules.problems(source, frozenset(broken.values()))
    if not problems:
        source = needs.with_given(source)
    return source, problems, broken


def _with_setup(cells: Iterable[AuthoredCell]) -> tuple[AuthoredCell, ...]:
    """The cells, and a setup cell for the tools where the author wrote none."""
    found = list(cells)
    if not any(cell.kind == "setup" for cell in found):
        place = next((number for number, cell in enumerate(found) if not cell.markdown), 0)
        found.insert(place, AuthoredCell("setup", "", line=1, first=1))
    return tuple(found)


def _shared(authored: Path) -> str:
    """The code that the exercises of a course share.

    Raises:
        Unusable: it cannot be read, or is not Python.
    """
    path = authored.with_name(f"{sources.SHARED}.py")
    try:
        text = text_of(path.read_bytes())
        ast.parse(text)
    except OSError as error:
        raise Unusable(path, str(error.strerror), f"{authored.name} imports it") from None
    except UnicodeDecodeError:
        raise Unusable(path, "not UTF-8 text", "save the file as UTF-8") from None
    except SyntaxError as error:
        raise Unusable(f"{path}:{error.lineno}", not_python(error), "fix it") from None
    return text


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
    of_points = set(rules.points(source))

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

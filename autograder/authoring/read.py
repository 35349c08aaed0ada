"""The authored file of an exercise: a percent script, read and held to the rules."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path

from autograder.authoring import arrays, given_steps, lint, modules, needs, percent
from autograder.authoring.cells import Cell, Kind, Problem, Source
from autograder.base.errors import Unusable
from autograder.base.files import text_of
from autograder.base.text import not_python
from autograder.exercises import sources

__all__ = ["Cell", "Problem", "Source", "read"]


def read(path: Path) -> Source:
    """Read the authored file at ``path``.

    Raises:
        Unusable: everything that is wrong with it, a line each, from top to bottom; or it cannot be
            read.
    """
    source, problems, _ = examined(path)
    if problems:
        problems.sort(key=lambda problem: problem.line)
        raise Unusable.of_lines(map(source.line, problems))
    return source


def examined(path: Path) -> tuple[Source, list[Problem], dict[int, Kind]]:
    """The sound cells of the authored file at ``path``, all that is wrong, and the broken cells.

    Raises:
        Unusable: it cannot be read.
    """
    try:
        raw = path.read_bytes()
        text = text_of(raw)
    except OSError as error:
        repair = "give the exercise's .py file in solutions/"
        raise Unusable(f"{path}: {error.strerror}; {repair}") from None
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise Unusable(f"{path}:{line}: not UTF-8 text; save the file as UTF-8") from None
    if not percent.ID.fullmatch(path.stem):
        raise Unusable(
            f"{path}: no name for an exercise; use letters, digits, - and _ in the file name"
        )

    problems: list[Problem] = []
    broken: dict[int, Kind] = {}
    cells = _with_setup(percent.cells(text, problems, broken))
    shared = _shared(path) if modules.uses_shared(cells) else ""
    beside = [f"{name}.py" for name in needs.exercises(cells)] + arrays.files(cells, path)
    if shared:
        beside.append(f"{sources.SHARED}.py")
    there = [name for name in beside if path.with_name(name).is_file()]
    built_from = sources.digests(path, there)
    cells = needs.with_needed(cells, path)
    source = Source(path, path.stem, cells, shared, built_from)
    problems += lint.problems(source, frozenset(broken.values()))
    if not problems:
        source = given_steps.with_given(source)
    return source, problems, broken


def _with_setup(cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """The cells, and a setup cell for the tools where the author wrote none."""
    found = list(cells)
    if not any(cell.kind == "setup" for cell in found):
        place = next((number for number, cell in enumerate(found) if not cell.markdown), 0)
        found.insert(place, Cell("setup", "", line=1, first=1))
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
        raise Unusable(f"{path}: {error.strerror}; {authored.name} imports it") from None
    except UnicodeDecodeError:
        raise Unusable(f"{path}: not UTF-8 text; save the file as UTF-8") from None
    except SyntaxError as error:
        raise Unusable(f"{path}:{error.lineno}: {not_python(error)}; fix it") from None
    return text

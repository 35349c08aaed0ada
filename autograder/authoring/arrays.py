"""What the build puts into a cell of arrays: the archives themselves, as text.

A notebook that students get must need no file beside it. So ``tools.arrays("decoder.npz")`` names
an archive beside the authored file, and in the notebook its bytes stand in the place of the name.
"""

from __future__ import annotations

import ast
import base64
import io
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from autograder.authoring.cells import AuthoredCell, Problem, Source
from autograder.base.files import Refused, below
from autograder.exercises.names import nodes
from autograder.exercises.setup_cell import literal

MOST = 140_000
"""Characters of a cell of arrays: no much longer cell of a submission is parsed."""


def files(cells: Iterable[AuthoredCell], authored: Path) -> list[str]:
    """The archives that these cells name, in order, as far as they lie beside the authored file."""
    found: list[str] = []
    for cell in cells:
        if not cell.markdown:
            found += [str(name.value) for name in _named(cell.source)]
    return [name for name in dict.fromkeys(found) if _place(authored, name) is not None]


def _place(authored: Path, name: str) -> Path | None:
    """Where an archive lies; None where that cannot be beside the authored file."""
    try:
        path = below(authored.parent, name, follow=False)
    except Refused:
        return None
    return path if path.parent == authored.parent else None


def written(cell: AuthoredCell, authored: Path) -> str:
    """The cell with the archives in it."""
    lines = cell.source.split("\n")
    for name in reversed(_named(cell.source)):
        text = base64.b64encode((authored.parent / str(name.value)).read_bytes()).decode()
        # Columns are counted in bytes.
        line = lines[name.lineno - 1].encode()
        start, end = name.col_offset, name.end_col_offset
        lines[name.lineno - 1] = (line[:start] + literal(text).encode() + line[end:]).decode()
    return "\n".join(lines)


def archives(source: Source) -> Iterator[Problem]:
    """What is wrong with the archives that an exercise names, and with where it names them."""
    for cell in source.cells:
        if cell.markdown:
            continue
        named = _named(cell.source)
        calls = _calls(cell.source)
        if calls and cell.kind != "arrays":
            cause = f"this {cell.kind} cell reads arrays"
            yield Problem(cell.line, cause, "do it in a cell # %% arrays, after setup")
        elif cell.kind == "arrays" and (not calls or len(named) < len(calls)):
            repair = 'write MODEL = tools.arrays("decoder.npz"), a file next to this one'
            yield Problem(cell.line, "not the name of an archive", repair)
        else:
            yield from _unusable(cell, source.path, named)


def _unusable(cell: AuthoredCell, authored: Path, named: list[ast.Constant]) -> Iterator[Problem]:
    """What is wrong with the archives that a cell names."""
    for name in named:
        line, path = cell.line_of(name.lineno), _place(authored, str(name.value))
        if path is None:
            repair = "put the archive next to this file, and write its name alone"
            yield Problem(line, f"{name.value!r} names no file next to this one", repair)
            return
        try:
            with np.load(io.BytesIO(path.read_bytes())) as archive:
                for part in archive.files:
                    archive[part]
        except OSError as error:
            yield Problem(line, f"{path}: {error.strerror}", "put the archive next to this file")
            return
        except Exception:  # whatever NumPy and zipfile make of other bytes
            yield Problem(line, f"{path}: no archive of arrays", "write it with np.savez")
            return

    size = len(written(cell, authored))
    if size > MOST:
        cause = f"its arrays are {size} characters as text, and {MOST} fit into a cell"
        yield Problem(cell.line, cause, "store fewer numbers, or smaller ones, such as float16")


def _calls(code: str) -> list[ast.Call]:
    """The calls of ``tools.arrays``, in order."""
    if "arrays" not in code:  # nearly all cells, and to parse them takes longer
        return []
    calls = nodes(ast.parse(code), ast.Call)
    found = [call for call in calls if ast.unparse(call.func) == "tools.arrays"]
    return sorted(found, key=lambda call: (call.lineno, call.col_offset))


def _named(code: str) -> list[ast.Constant]:
    """The names of archives in them."""
    found = []
    for call in _calls(code):
        name = call.args[0] if call.args else None
        if isinstance(name, ast.Constant) and str(name.value).endswith(".npz"):
            found.append(name)
    return found

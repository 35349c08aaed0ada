"""The authored exercise as its cells, and a way to play its checks with other answers.

The tests of the exercise need no engine: this splits the percent file by hand and executes the
cells as a notebook would.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import CodeType, SimpleNamespace
from typing import Any

import numpy as np

from autograder.exercises import setup_cell
from autograder.exercises.cell_code import quiet

SOURCE = Path(__file__).resolve().parents[2] / "solutions" / "attention.py"
SOLUTION = re.compile(r"^ *### BEGIN SOLUTION\n.*?^ *### END SOLUTION\n?", re.M | re.S)
STUB = "    raise NotImplementedError()\n"


@dataclass(frozen=True)
class Cell:
    """One cell of the percent file: what its cell line says, and its text."""

    kind: str
    name: str
    text: str
    points: float = 0
    category: str = ""
    hidden: bool = False
    code: CodeType | None = field(default=None, repr=False)

    @property
    def step(self) -> str:
        return self.name.split("-")[0]


@cache
def cells() -> tuple[Cell, ...]:
    """The cells in their order; kind is markdown, code, setup, oracles, step, check or manual."""
    parts = re.split(r"^# %%(.*)\n", SOURCE.read_text(encoding="utf-8"), flags=re.M)
    assert not parts[0].strip(), "text before the first cell"
    result = []
    for line, text in zip(parts[1::2], parts[2::2]):
        marks = {key: value.strip('"') for key, value in re.findall(r'(\w+)=("[^"]*"|\S+)', line)}
        words = re.sub(r'\w+=("[^"]*"|\S+)', "", line).split()
        kind = next((k for k in ("step", "check", "manual") if k in marks), None)
        kind = kind or ("markdown" if "[markdown]" in words else words[0] if words else "code")
        code = None if "[markdown]" in words else compile(text, f"<{line.strip()}>", "exec")
        points, hidden = float(marks.get("points", 0)), marks.get("hidden") == "true"
        result.append(
            Cell(kind, marks.get(kind, kind), text, points, marks.get("category", ""), hidden, code)
        )
    return tuple(result)


def checks(step: str | None = None) -> list[Cell]:
    """All checks, or those of one step."""
    return [cell for cell in cells() if cell.kind == "check" and step in (None, cell.step)]


def stubs() -> dict[str, str]:
    """The step cells as a student gets them."""
    return {cell.name: SOLUTION.sub(STUB, cell.text) for cell in cells() if cell.kind == "step"}


@cache
def setup() -> CodeType:
    """The setup cell as the build writes it, with the tools in it and the checks filled in.

    Behind it stands the cell of arrays.
    """
    notebook = json.loads(SOURCE.with_suffix("").joinpath("attention.ipynb").read_bytes())
    first = [cell for cell in notebook["cells"] if cell["id"] in ("setup", "arrays")]
    sources = [setup_cell.unpacked("".join(cell["source"]))[0] for cell in first]
    return compile("\n".join(sources), "<setup>", "exec")


def namespace() -> dict[str, Any]:
    """What the setup cell, run anew, and the oracles define."""
    names: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(setup(), names)
        for cell in cells():
            if cell.kind == "oracles":
                assert cell.code is not None
                exec(cell.code, names)
    return names


@cache
def reference() -> SimpleNamespace:
    """The solution's step functions."""
    names = namespace()
    for cell in cells():
        if cell.kind == "step":
            assert cell.code is not None
            exec(cell.code, names)
    return SimpleNamespace(
        **{cell.name: names[cell.name] for cell in cells() if cell.kind == "step"}
    )


def run_check(cell: Cell, names: dict[str, Any], seed: int) -> str:
    """Why the check failed, as a sentence; empty if it passed. The inputs are drawn for this
    seed."""
    assert cell.code is not None
    names["rng"] = np.random.default_rng([seed, zlib.crc32(cell.name.encode())])
    names["tools"].REVEAL = not cell.hidden
    try:
        with quiet():
            exec(cell.code, dict(names))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def play(
    answers: Mapping[str, Callable[..., Any]], seed: int, only: str | None = None
) -> dict[str, str]:
    """Every check's failure (or an empty string), with these answers in place of the solution's."""
    names = namespace()
    names.update(vars(reference()) | dict(answers))
    return {cell.name: run_check(cell, names, seed) for cell in checks(only)}


def lost(failures: Mapping[str, str]) -> list[str]:
    """The names of the checks that failed, in the order of the notebook."""
    return [name for name, failure in failures.items() if failure]

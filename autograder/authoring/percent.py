"""The cells of an authored percent script, with the marks on their cell lines."""

from __future__ import annotations

import ast
import difflib
import re
import warnings
from collections.abc import Iterator, Mapping
from typing import cast, get_args

from autograder.authoring.cells import CATEGORIES, Cell, Kind, Problem
from autograder.result import Picture

# The mark that makes a cell what it is, and the marks that may stand beside it.
_MARKS: Mapping[Kind, tuple[str, ...]] = {
    "setup": ("setup",),
    "oracles": ("oracles",),
    "step": ("step", "points", "draws"),
    "check": ("check", "points", "category", "hidden", "repeat"),
    "manual": ("manual", "points"),
}
_FLAGS: Mapping[str, tuple[str, ...]] = {
    "setup": ("true",),
    "oracles": ("true",),
    "hidden": ("true", "false"),
    "repeat": ("false", "true"),
}
_KNOWN = sorted({mark for marks in _MARKS.values() for mark in marks})

_CELL_LINE = re.compile(r"#\s*%%(?P<rest>.*)")
_MARK = re.compile(r"""(?P<name>[^\s="']+)(?:=(?P<value>"[^"]*"|'[^']*'|[^\s"']*))?(?:\s+|$)""")
ID = re.compile(r"[A-Za-z0-9_-]{1,64}")  # what nbgrader and Jupyter both take for an id


def cells(text: str, found: list[Problem]) -> Iterator[Cell]:
    """The sound cells of ``text``; what is wrong with the others is added to ``found``."""
    lines = text.split("\n")
    starts = [index for index, line in enumerate(lines) if _CELL_LINE.match(line)]
    for index, line in enumerate(lines[: starts[0]] if starts else lines):
        if line.strip() and not line.startswith("#"):
            found.append(
                Problem(index + 1, "code before the first cell", "put a line # %% above it")
            )
            break
    for start, end in zip(starts, [*starts, len(lines)][1:], strict=True):
        first, last = start + 1, end
        while first < last and not lines[first].strip():
            first += 1
        while last > first and not lines[last - 1].strip():
            last -= 1
        body = "\n".join(lines[first:last])
        mistakes: list[Problem] = []
        cell = _cell(lines[start], body, start + 1, first + 1, mistakes)
        found.extend(mistakes)
        if not mistakes:
            yield cell


def _cell(cell_line: str, body: str, line: int, first: int, found: list[Problem]) -> Cell:
    match = _CELL_LINE.match(cell_line)
    assert match
    rest = match["rest"].strip()
    markdown = rest.startswith("[markdown]")
    marks = _marks(rest.removeprefix("[markdown]").strip(), line, found)
    kind: Kind = "prose" if markdown else "plain"
    if marks:
        kind = next((kind for kind in _MARKS if kind in marks), kind)
        extra = [mark for mark in marks if mark not in _MARKS.get(kind, ())]
        if extra and not found:
            found.append(
                Problem(
                    line,
                    f"{extra[0]} does not go with a {kind} cell",
                    f"marks that do: {_allowed(kind)}",
                )
            )
    if markdown and kind not in ("prose", "manual"):
        found.append(Problem(line, f"a {kind} cell cannot be [markdown]", "delete [markdown]"))
    for flag, values in _FLAGS.items():
        if marks.get(flag, "true") not in values:
            found.append(Problem(line, f"{flag}={marks[flag]}", f"write {flag}={values[0]}"))
    source = _prose(body, first, found) if markdown else _code(body, first, found)
    return Cell(
        kind,
        source,
        line,
        first,
        markdown,
        id=_id(marks, kind, line, found),
        points=_points(marks, kind, line, found),
        category=_category(marks, kind, line, found),
        hidden=marks.get("hidden") == "true",
        repeat=marks.get("repeat") != "false",
        draws=_draws(marks, line, found),
    )


def _allowed(kind: Kind) -> str:
    return ", ".join(_MARKS[kind]) if kind in _MARKS else "none, or manual on a [markdown] cell"


def _marks(text: str, line: int, found: list[Problem]) -> dict[str, str]:
    marks: dict[str, str] = {}
    at = 0
    while at < len(text):
        match = _MARK.match(text, at)
        if not match or match["name"] not in _KNOWN:
            word = match["name"] if match else text[at:].split()[0]
            close = difflib.get_close_matches(word, [*_KNOWN, "[markdown]"], 1)
            repair = (
                f"did you mean {close[0]}?"
                if close
                else "a title goes into a comment below; the marks are " + ", ".join(_KNOWN)
            )
            found.append(Problem(line, f"unknown mark {word}", repair))
            break
        name, value = match["name"], match["value"]
        if name in marks:
            found.append(Problem(line, f"the mark {name} stands there twice", "delete one"))
        if value is None and name not in ("setup", "oracles"):
            found.append(Problem(line, f"the mark {name} has no value", f"write {name}=..."))
        marks[name] = "true" if value is None else value.strip("\"'")
        at = match.end()
    return marks


def _id(marks: Mapping[str, str], kind: Kind, line: int, found: list[Problem]) -> str:
    if kind not in ("step", "check", "manual"):
        return ""
    id = marks[kind]
    if not ID.fullmatch(id):
        found.append(Problem(line, f"{id!r} is no id", "use 1 to 64 letters, digits, - and _"))
    elif kind == "step" and not id.isidentifier():
        found.append(
            Problem(
                line, f"{id!r} is not the name of a function", "name the step after its function"
            )
        )
    return id


def _points(marks: Mapping[str, str], kind: Kind, line: int, found: list[Problem]) -> float | None:
    if "points" not in marks:
        if kind in ("check", "manual"):
            found.append(
                Problem(line, f"{marks[kind]} has no points", "add points=1 to the cell line")
            )
        return None
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})?", marks["points"]):
        found.append(
            Problem(
                line,
                f"points={marks['points']} is not a number of points",
                "write 0 or more, like points=2",
            )
        )
        return None
    points = float(marks["points"])
    return int(points) if points.is_integer() else points


def _category(marks: Mapping[str, str], kind: Kind, line: int, found: list[Problem]) -> str:
    category = marks.get("category", "")
    if kind == "check" and category not in CATEGORIES:
        cause = (
            f"unknown category {category!r}" if category else f"{marks['check']} has no category"
        )
        close = difflib.get_close_matches(category, CATEGORIES, 1) or CATEGORIES
        found.append(
            Problem(line, cause, "write " + " or ".join(f'category="{name}"' for name in close))
        )
    return category


def _draws(marks: Mapping[str, str], line: int, found: list[Problem]) -> Picture | None:
    draws = marks.get("draws")
    if draws in get_args(Picture):
        return cast(Picture, draws)
    if draws is not None:
        repair = "write " + " or ".join(f'draws="{name}"' for name in get_args(Picture))
        found.append(Problem(line, f"there is no picture {draws!r}", repair))
    return None


def _code(body: str, first: int, found: list[Problem]) -> str:
    try:
        with warnings.catch_warnings():
            # A warning about, say, "\s" in a string would be printed where nbgrader takes it for a
            # failure.
            warnings.simplefilter("error")
            ast.parse(body)
    except SyntaxError as error:
        line = first + (error.lineno or 1) - 1
        found.append(
            Problem(
                line,
                f"not Python: {error.msg}",
                "mend it; a cell is whole by itself, without % and ! lines",
            )
        )
    except ValueError as error:
        found.append(Problem(first, f"not Python: {error}", "retype the cell"))
    return body


def _prose(body: str, first: int, found: list[Problem]) -> str:
    lines = []
    for number, line in enumerate(body.split("\n") if body else [], start=first):
        if line.strip() and not line.startswith("#"):
            found.append(
                Problem(
                    number,
                    "a line of a [markdown] cell without #",
                    "start every line of prose with # and a space",
                )
            )
            break
        lines.append(line[2:] if line.startswith("# ") else line[1:])
    return "\n".join(lines)

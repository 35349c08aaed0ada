"""Splits merged cells: in a script that Colab or nbconvert made from a notebook, or a setup cell
with the student's own lines in it.

The build's own text marks the limits: the lines of the setup cell, and the start of a check.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from autograder.exercises.exercise import ANNOUNCED, ARRAYS, filled_in
from autograder.submissions.python_source import as_python, parsed

_TITLE = re.compile(r"^# @title Tools\b", re.MULTILINE)
_READY = re.compile(r"^tools\.ready\(\)[ \t]*$", re.MULTILINE)
"""The first and the last line of the setup cell."""

_ARRAYS = re.compile(rf"(?:^# @title Arrays\b.*\n)?(?:{ARRAYS.pattern}.*\n?)+", re.MULTILINE)
_CHECK = re.compile(f"^{ANNOUNCED.pattern}", re.MULTILINE)
_CUT = re.compile(r"^# (?:In ?\[[ \d]*\]:|COMMAND -+|<codecell>|[+]( .*)?$|-$)", re.MULTILINE)
"""Where nbconvert, Databricks, Spyder and jupytext cut a script into cells."""

_OWN_LINE = re.compile(
    r"^(?:(?:\w+ *= *)?[%!?](?:.*\\\n)*.*|(?:import|from) .*\(\n[^)]*\).*|(?:import|from) .*)\n?",
    re.MULTILINE,
)
"""Lines that students add to the setup cell."""

Kind = Literal["setup", "arrays", "code", "prose"]


class CellPart(NamedTuple):
    kind: Kind
    source: str


@lru_cache(maxsize=16)
def apart(source: str, packages: tuple[str, ...] = ()) -> tuple[CellPart, ...]:
    """The cells in a cell that contains the setup cell, in order.

    Cached: it is the longest cell, and most of a class hands in the same one.

    Args:
        packages: the exercise's packages besides Python and NumPy.
    """
    return tuple(_apart(source, packages))


def _apart(source: str, packages: Collection[str]) -> Iterator[CellPart]:
    checks = filled_in(source)
    ready = _READY.search(source, checks) if checks >= 0 else None
    if ready is None:
        yield CellPart("code" if checks < 0 else "setup", source)
        return

    title = _TITLE.search(source, 0, checks)
    start = title.start() if title else 0
    setup, own = _without_own_lines(source[start : ready.end()], packages)
    yield from _of_code(source[:start])
    yield CellPart("setup", setup)
    yield from _of_code(own)

    place = ready.end()
    for arrays in _ARRAYS.finditer(source, place):
        yield from _of_code(source[place : arrays.start()])
        yield CellPart("arrays", arrays[0].strip())
        place = arrays.end()
    yield from _of_code(source[place:])


def by_check(source: str) -> Iterator[CellPart]:
    """The parts of code: each check, each string, and each part after a cell comment is
    separate."""
    lines = source.split("\n")  # as the parser counts them: it knows no other ends of lines
    tree = parsed(source) or parsed(as_python(source)[0])
    starts = list(_likely_starts(lines) if tree is None else _starts(tree, lines))
    for begin, end in zip([0, *starts], [*starts, len(lines)]):
        text = "\n".join(lines[begin:end]).strip("\n")
        if text.strip():
            yield CellPart(*_prose_or_code(text))


def _of_code(source: str) -> Iterator[CellPart]:
    if source.strip():
        yield from by_check(source)


def _without_own_lines(setup: str, packages: Collection[str]) -> tuple[str, str]:
    """The original setup cell, and the student's lines from it."""
    own: list[str] = []
    names: set[str] = set()

    def taken(line: re.Match[str]) -> str:
        tree = parsed(line[0])
        for statement in tree.body if tree else ():
            aliases = getattr(statement, "names", ())
            origin = statement.module or "" if isinstance(statement, ast.ImportFrom) else ""
            gone = [one for one in aliases if not _is_there(origin or one.name, packages)]
            if not gone:
                return line[0]
            names.update(one.asname or one.name.partition(".")[0] for one in gone)
        own.append(line[0])
        return ""

    setup = _OWN_LINE.sub(taken, setup)
    if names:  # lines that use missing names
        kept: list[str] = []
        for line in setup.split("\n"):
            first = re.match(r"\w+", line)
            is_own = first is not None and first[0] in names
            (own if is_own else kept).append(f"{line}\n" if is_own else line)
        setup = "\n".join(kept)
    return setup, "".join(own)


def _is_there(module: str, packages: Collection[str]) -> bool:
    first = module.partition(".")[0]
    return first in sys.stdlib_module_names or first == "numpy" or first in packages


def _starts(tree: ast.Module, lines: Sequence[str]) -> Iterator[int]:
    """The lines, counted from 0, where cells begin."""
    end, before = 0, "code"
    for statement, following in zip(tree.body, [*tree.body[1:], None]):
        parts = [statement, *getattr(statement, "decorator_list", ())]
        first = min(part.lineno for part in parts) - 1
        if _CHECK.match(lines[first]):
            kind = "check"
        elif not (isinstance(statement, ast.Expr) and _is_text(statement.value)):
            kind = "code"
        elif following is not None and _CHECK.match(lines[following.lineno - 1]):
            kind = "sentence"
        else:
            kind = "words"

        cuts = [n for n in range(end, first) if _CUT.match(lines[n])]
        if cuts:
            yield cuts[-1] + 1
        elif kind == "code" and before != "code":
            yield end
        elif kind in ("sentence", "words") or (kind == "check" and before != "sentence"):
            yield first
        end, before = statement.end_lineno or first + 1, kind


def _is_text(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _likely_starts(lines: Sequence[str]) -> Iterator[int]:
    """The same for code that does not parse: a mistake in one function must not cost all others."""
    before = ""
    for number, line in enumerate(lines):
        is_definition = re.match(r"(?:async )?def |class |@", line) and not before.startswith("@")
        if is_definition or _CHECK.match(line) or _CUT.match(line):
            yield number
        before = line


def _prose_or_code(text: str) -> tuple[Kind, str]:
    """The kind and text of a cell: a cell that is a single string is prose, as Colab writes it."""
    tree = parsed(text) if text.lstrip().startswith(('"', "'")) else None
    if tree is None or len(tree.body) != 1 or not ast.get_docstring(tree):
        return "code", text
    return "prose", str(ast.get_docstring(tree, clean=False)).strip("\n")

"""What can be told from the source of a cell without running it."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

from autograder.exercises import names

KEEPS_ITS_BODY = ("%%time", "%%timeit", "%%capture")
"""Magic lines that are left out alone; others take the rest of the cell with them."""
NO_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What the parser raises for text that is no Python, hostile text among it."""
MAX_STATEMENTS, MAX_TOKENS = 10_000, 50_000
"""Of the longest cell that is parsed: a parser needs 2 kB for a statement, 1 kB for a token."""

_LINE_MAGIC = re.compile(r"(\s*)(?:\w+\s*=\s*)?[%!]\S")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_DEFINITION = re.compile(r"^(?:async\s+)?(?:def|class)\s+(\w+)", re.MULTILINE)
_HELP = re.compile(r"(\s*)\?*[\w.]+\?+\s*$")

_Answer = TypeVar("_Answer")


def _remembered(function: Callable[[str], _Answer]) -> Callable[[str], _Answer]:
    """Remember the answers: a class hands in the same cells again and again.

    Of long cells only a few are kept.
    """
    usual, long = lru_cache(maxsize=4096)(function), lru_cache(maxsize=64)(function)

    @wraps(function)
    def answer(source: str) -> _Answer:
        return usual(source) if len(source) < 5_000 else long(source)

    return answer


def parses(source: str) -> bool:
    """Whether a cell is Python. Hostile text may exhaust the parser, which is a no."""
    return _bound(source) is not None


def binds(source: str) -> frozenset[str]:
    """The names that a cell binds at its top level: def, class, assignment, import.

    Of a cell that does not parse, those that it ``defines``.
    """
    bound = _bound(without_magics(source)[0])
    return defines(source) if bound is None else bound


def defines(source: str) -> frozenset[str]:
    """The names in the ``def`` and ``class`` lines of a cell, which is not parsed."""
    return frozenset(_DEFINITION.findall(source))


@_remembered
def words(source: str) -> frozenset[str]:
    """Every word of a cell: the names that it uses, and many more, but without parsing it."""
    return frozenset(re.findall(r"\w+", source))


@_remembered
def uses(source: str) -> frozenset[str] | None:
    """The global names that a cell refers to, functions included; None if it does not parse."""
    tree = parsed(source)
    return None if tree is None else names.used(tree)


@_remembered
def _bound(source: str) -> frozenset[str] | None:
    tree = parsed(source)
    return None if tree is None else names.bound(tree, source)


def parsed(source: str) -> ast.Module | None:
    """The cell as the parser understands it; None if it is no Python. Not kept: it is large."""
    if not _is_short(source):
        return None
    try:
        # What the parser says about the student's text is not for the teacher's terminal.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except NO_PYTHON:
        return None


def _is_short(source: str) -> bool:
    """Whether the parser has memory enough; what stands in strings and comments counts as code."""
    if source.count("\n") + source.count(";") > MAX_STATEMENTS:
        return False
    return len(source) <= MAX_TOKENS or sum(1 for _ in _TOKEN.finditer(source)) <= MAX_TOKENS


def without_magics(source: str) -> tuple[str, list[str]]:
    """A cell without what only IPython understands, and the lines that were left out.

    ``%%time``, ``%%timeit`` and ``%%capture`` keep their body, other cell magics drop it. A cell
    that is Python as it stands is not touched: a line of a string may begin with ``%``.
    """
    dropped: list[str] = []
    while source.lstrip().startswith("%%"):
        line, _, source = source.lstrip().partition("\n")
        dropped.append(line)
        if line.split()[0] not in KEEPS_ITS_BODY:
            return "", dropped
        if len(dropped) > 100:  # nobody stacks so many, and each costs a copy of the cell
            return "", dropped

    if not re.search(r"[!%?]", source) or parses(source):
        return source, dropped

    lines = []
    for line in source.split("\n"):
        magic = _LINE_MAGIC.match(line) or _HELP.match(line)
        if magic:
            dropped.append(line.strip())
            line = f"{magic[1]}pass"
        lines.append(line)
    return "\n".join(lines), dropped

"""What can be told from the source of a cell without running it."""

from __future__ import annotations

import re
import symtable
import warnings
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

KEEPS_ITS_BODY = ("%%time", "%%timeit", "%%capture")
NO_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What the parser says to text that is no Python, hostile text among it."""
MAX_PARSED = 64_000
"""Characters: longer cells are not looked into, only run, for a parser needs 600 bytes for each."""

_Answer = TypeVar("_Answer")


def _remembered(function: Callable[[str], _Answer]) -> Callable[[str], _Answer]:
    """Remember the answers: a class hands in the same cells again and again. Of long cells only a few are kept."""
    usual, long = lru_cache(maxsize=4096)(function), lru_cache(maxsize=64)(function)

    @wraps(function)
    def answer(source: str) -> _Answer:
        return usual(source) if len(source) < 5_000 else long(source)

    return answer


def parses(source: str) -> bool:
    """Whether a cell is Python. Hostile text may exhaust the parser, which is a no."""
    return _names(source) is not None


def binds(source: str) -> frozenset[str]:
    """The names that a cell binds at its top level: def, class, assignment, import.

    Of a cell that does not parse, those of its ``def`` and ``class`` lines.
    """
    names = _names(without_magics(source)[0])
    if names is None:
        return frozenset(re.findall(r"^(?:async\s+)?(?:def|class)\s+(\w+)", source, re.MULTILINE))
    return names[0]


def uses(source: str) -> frozenset[str] | None:
    """The global names that a cell refers to, functions included; None if it does not parse."""
    names = _names(source)
    return names and names[1]


@_remembered
def _names(source: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """The names that a cell binds, and those that it uses; None if there is something wrong with it."""
    whole = _table(source)
    if whole is None:
        return None
    used: set[str] = set()
    tables = [whole]
    while tables:
        table = tables.pop()
        top = table.get_type() == "module"
        for symbol in table.get_symbols():
            if symbol.is_referenced() and (top or symbol.is_global()):
                used.add(symbol.get_name())
        tables += table.get_children()
    bound = (symbol for symbol in whole.get_symbols() if _is_bound(symbol))
    return frozenset(symbol.get_name() for symbol in bound), frozenset(used)


def _is_bound(symbol: symtable.Symbol) -> bool:
    return symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()


def _table(source: str) -> symtable.SymbolTable | None:
    """The names of a cell; None if there is something wrong with it, such as two arguments of one name."""
    if len(source) > MAX_PARSED:
        return None
    try:
        with warnings.catch_warnings():  # the parser's, about the student's text, are not for the teacher's terminal
            warnings.simplefilter("ignore")
            return symtable.symtable(source, "<cell>", "exec")
    except NO_PYTHON:
        return None


def without_magics(source: str) -> tuple[str, list[str]]:
    """A cell without what only IPython understands, and the lines that were left out.

    ``%%time``, ``%%timeit`` and ``%%capture`` keep their body, other cell magics drop it. A cell that is
    Python as it stands is not touched: a line of a string may begin with ``%``.
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
        magic = re.match(r"(\s*)(?:\w+\s*=\s*)?[%!]\S", line) or re.match(r"(\s*)\?*[\w.]+\?+\s*$", line)
        if magic:
            dropped.append(line.strip())
            line = f"{magic[1]}pass"
        lines.append(line)
    return "\n".join(lines), dropped

"""What can be told from the source of a cell without running it."""

from __future__ import annotations

import ast
import re
import symtable
from functools import lru_cache

KEEPS_ITS_BODY = ("%%time", "%%timeit", "%%capture")


@lru_cache(maxsize=4096)
def parses(source: str) -> bool:
    """Whether a cell is Python. Hostile text may exhaust the parser, which is a no."""
    try:
        ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


@lru_cache(maxsize=4096)
def binds(source: str) -> frozenset[str]:
    """The names that a cell binds at its top level: def, class, assignment, import.

    Of a cell that does not parse, those of its ``def`` and ``class`` lines.
    """
    plain = without_magics(source)[0]
    if not parses(plain):
        return frozenset(re.findall(r"^(?:async\s+)?(?:def|class)\s+(\w+)", source, re.MULTILINE))
    table = symtable.symtable(plain, "<cell>", "exec")
    return frozenset(
        symbol.get_name()
        for symbol in table.get_symbols()
        if symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()
    )


@lru_cache(maxsize=4096)
def uses(source: str) -> frozenset[str] | None:
    """The global names that a cell refers to, functions included; None if it does not parse."""
    if not parses(source):
        return None
    found: set[str] = set()
    tables = [symtable.symtable(source, "<cell>", "exec")]
    while tables:
        table = tables.pop()
        top = table.get_type() == "module"
        for symbol in table.get_symbols():
            if symbol.is_referenced() and (top or symbol.is_global()):
                found.add(symbol.get_name())
        tables += table.get_children()
    return frozenset(found)


def without_magics(source: str) -> tuple[str, list[str]]:
    """A cell without what only IPython understands, and the lines that were left out.

    ``%%time``, ``%%timeit`` and ``%%capture`` keep their body, other cell magics drop it. A cell that is
    Python as it stands is not touched: a line of a string may begin with ``%``.
    """
    first = source.lstrip()
    if first.startswith("%%"):
        line, _, body = first.partition("\n")
        if line.split()[0] not in KEEPS_ITS_BODY:
            return "", [line]
        inner, dropped = without_magics(body)
        return inner, [line, *dropped]
    if not re.search(r"(?m)^\s*[%!?]|[!%?]", source) or parses(source):
        return source, []
    lines, dropped = [], []
    for line in source.split("\n"):
        magic = re.match(r"(\s*)(?:\w+\s*=\s*)?[%!]\S", line) or re.match(r"(\s*)\?*[\w.]+\?+\s*$", line)
        if magic:
            dropped.append(line.strip())
            line = f"{magic[1]}pass"
        lines.append(line)
    return "\n".join(lines), dropped

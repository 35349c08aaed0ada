"""The top-level statements of a piece of code, and those of them that other code needs."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from autograder.exercises.names import Names, mentioned, names

_IMPORTS = (ast.Import, ast.ImportFrom)
_ONLY_BIND = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, *_IMPORTS)
"""The statements that bind names and change nothing else."""


@dataclass(frozen=True)
class Statement:
    """A top-level statement with its full lines, the comment above it and the text below it.

    ``serves`` are the names that cannot be had as they should be without it.
    """

    text: str
    names: Names
    serves: frozenset[str]
    is_import: bool


@lru_cache(maxsize=256)
def statements(code: str) -> tuple[Statement, ...]:
    """The top-level statements of ``code``; those that share a line stay together."""
    lines = code.split("\n")
    groups: list[list[ast.stmt]] = []
    for node in ast.parse(code).body:
        last = groups[-1][-1] if groups else None
        shares_line = last is not None and _first_line(node) <= (last.end_lineno or 0)
        explains_it = isinstance(last, (ast.Assign, ast.AnnAssign)) and _is_text(node)
        if shares_line or explains_it:
            groups[-1].append(node)
        elif not _is_text(node):
            groups.append([node])

    found = []
    for nodes in groups:
        first = _first_line(nodes[0])
        while first > 1 and lines[first - 2].startswith("#"):
            first -= 1
        text = "\n".join(lines[first - 1 : nodes[-1].end_lineno])
        here = names(text)
        serves = here.bound.union(*map(_changed, nodes))
        is_import = all(isinstance(node, _IMPORTS) for node in nodes)
        found.append(Statement(text, here, serves, is_import))
    return tuple(found)


def bound_by(found: Iterable[Statement]) -> set[str]:
    """The names that statements bind."""
    bound: set[str] = set()
    for statement in found:
        bound |= statement.names.bound
    return bound


def needed(found: Sequence[Statement], wanted: Iterable[str]) -> list[Statement]:
    """The statements that code using the names ``wanted`` needs, in their order."""
    bound = bound_by(found)
    names = bound & set(wanted)
    chosen: list[Statement] = []
    while True:
        serving = [statement for statement in found if names & statement.serves]
        if serving == chosen:
            return chosen
        chosen = serving
        for statement in chosen:
            names |= bound & statement.names.used


def text_needed(codes: Iterable[str], wanted: Iterable[str]) -> str:
    """The statements of ``codes`` that code using the names ``wanted`` needs, in their order."""
    found = list(chain.from_iterable(map(statements, codes)))
    return "\n\n".join(statement.text for statement in needed(found, wanted))


def closure(start: Set[str], more: Callable[[Set[str]], Set[str]]) -> set[str]:
    """The names of ``start``, and those that ``more`` finds for them, until it finds no others."""
    found = set(start)
    while True:
        larger = found | more(found)
        if larger == found:
            return found
        found = larger


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return decorators[0].lineno if decorators else node.lineno


def _changed(node: ast.stmt) -> frozenset[str]:
    """The names whose objects a statement may change without binding them anew."""
    if isinstance(node, _ONLY_BIND):
        return frozenset()

    if isinstance(node, ast.Assign):
        parts: list[ast.AST] = list(node.targets)
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign)):
        parts = [node.target]
    else:
        parts = [node]  # a call or a loop may change whatever it mentions

    return frozenset().union(*map(mentioned, parts))

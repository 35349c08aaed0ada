"""The oracles that a hidden check needs: the statements that the build copies into it."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from autograder.exercises.names import Names, names

_ONLY_BIND = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Import,
    ast.ImportFrom,
)
"""The statements that bind names and change nothing else."""


@dataclass(frozen=True)
class _Statement:
    """A top-level statement of an oracles cell.

    ``serves`` are the names that cannot be had as they should be without it.
    """

    text: str
    names: Names
    serves: frozenset[str]


def _statements(code: str) -> list[_Statement]:
    """The top-level statements of ``code`` with their full lines.

    Statements that share a line stay together.
    """
    groups: list[list[ast.stmt]] = []
    for node in ast.parse(code).body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if groups and _first_line(node) <= (groups[-1][-1].end_lineno or 0):
            groups[-1].append(node)
        else:
            groups.append([node])

    lines = code.split("\n")
    statements = []
    for nodes in groups:
        text = "\n".join(lines[_first_line(nodes[0]) - 1 : nodes[-1].end_lineno])
        here = names(text)
        serves = here.bound.union(*map(_changed, nodes))
        statements.append(_Statement(text, here, serves))
    return statements


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

    changed: set[str] = set()
    for part in parts:
        changed.update(name.id for name in ast.walk(part) if isinstance(name, ast.Name))
    return frozenset(changed)


def closure(oracles: Iterable[str], wanted: Iterable[str]) -> str:
    """The statements of ``oracles`` that code using the names ``wanted`` needs, in their order."""
    statements: list[_Statement] = []
    for code in oracles:
        statements += _statements(code)
    bound: set[str] = set()
    for statement in statements:
        bound |= statement.names.bound

    needed = bound & set(wanted)
    chosen: list[_Statement] = []
    while True:
        serving = [statement for statement in statements if needed & statement.serves]
        if serving == chosen:
            return "\n\n".join(statement.text for statement in chosen)
        chosen = serving
        for statement in chosen:
            needed |= bound & statement.names.used

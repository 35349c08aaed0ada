"""Code with gaps: whether a node of a syntax tree has this form, and what becomes of it then.

In a pattern ``$a`` stands for any expression, ``$N`` in capitals for a constant, and ``*$a`` and
``**$a`` for all other arguments of a call.
"""

from __future__ import annotations

import ast
from typing import Any

_GAP = "__gap_"
"""What names of gaps begin with, so that a pattern is Python."""

Filling = dict[str, Any]
"""By the name of each gap what is there."""


class Rewriting:
    """A change of code, as ``$a @ $b -> $b @ $a``; it makes None of a node that does not fit."""

    def __init__(self, change: str) -> None:
        pattern, self._replacement = change.replace("$", _GAP).split(" -> ")
        self._pattern = _parsed(pattern)
        self.kind = type(self._pattern)

    def __call__(self, node: ast.AST) -> ast.AST | None:
        filling: Filling = {}
        if not _fits(self._pattern, node, filling):
            return None
        return _Filler(filling).visit(_parsed(self._replacement))  # type: ignore[no-any-return]


def _parsed(code: str) -> ast.expr:
    return ast.parse(code, mode="eval").body


def _fits(pattern: Any, node: Any, filling: Filling) -> bool:
    """Whether a part of a tree has the form of a pattern; fills its gaps."""
    gap = pattern.id if isinstance(pattern, ast.Name) else pattern
    if isinstance(gap, str) and gap.startswith(_GAP):
        filling[gap] = node
        return not gap.removeprefix(_GAP).isupper() or isinstance(node, ast.Constant)

    if isinstance(pattern, list):
        return _fit_in_order(pattern, node, filling)
    if not isinstance(pattern, ast.AST) or type(pattern) is not type(node):
        return bool(pattern == node)
    for field in pattern._fields:
        if field != "ctx" and not _fits(getattr(pattern, field), getattr(node, field), filling):
            return False
    return True


def _fit_in_order(patterns: list[Any], nodes: list[Any], filling: Filling) -> bool:
    """The same, for parts in a row; keywords may come in any order."""
    names = [getattr(pattern, "arg", None) for pattern in patterns]
    rest = sorted(nodes, key=lambda node: getattr(node, "arg", None) not in names)
    for pattern in patterns:
        if isinstance(pattern, (ast.Starred, ast.keyword)) and _gap_of_many(pattern):
            filling[_gap_of_many(pattern)] = rest
            return True
        if not rest or not _fits(pattern, rest.pop(0), filling):
            return False
    return not rest


def _gap_of_many(node: ast.AST) -> str:
    """The name of a gap for several arguments; empty if it is none."""
    is_many = isinstance(node, ast.Starred) or (isinstance(node, ast.keyword) and node.arg is None)
    name = getattr(getattr(node, "value", None), "id", "") if is_many else ""
    return name if name.startswith(_GAP) else ""


class _Filler(ast.NodeTransformer):
    """Puts what has filled the gaps of a pattern into those of its replacement."""

    def __init__(self, filling: Filling) -> None:
        self._filling = filling

    def visit_Name(self, node: ast.Name) -> Any:
        return self._filling.get(node.id, node)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg = self._filling.get(node.arg, node.arg)
        return node

    def visit_Starred(self, node: ast.Starred | ast.keyword) -> Any:
        gap = _gap_of_many(node)
        return self._filling[gap] if gap else self.generic_visit(node)

    visit_keyword = visit_Starred

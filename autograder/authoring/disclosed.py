"""What a hidden check tells: its message is read by students, so no drawn input may stand in it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from itertools import chain

from autograder.authoring.cells import Cell, Problem, Source
from autograder.authoring.statements import statements

TOLD = {"same": (2, 3), "agree": (2, 3), "refuses": (1,), "unpack": (1,)}
"""Of the tools, which arguments by position stand in a message."""

NAMED = ("what", "ask", "names")
"""And which by name."""

SIZES = ("shape", "ndim", "size", "dtype", "len", "type")
"""What may be told of an input."""


def problems(source: Source) -> Iterator[Problem]:
    """The messages of hidden checks that hold what was drawn."""
    drawing = _drawing(source.of("setup", "oracles"))
    for cell in source.of("check"):
        if not cell.hidden:
            continue
        tree = ast.parse(cell.source)
        drawn = _drawn(tree, drawing)
        for message in _messages(tree):
            held = sorted(_held(message) & drawn)
            if held:
                yield Problem(
                    cell.line_of(message.lineno),
                    f"the message of a hidden check holds {held[0]}, which was drawn",
                    "say it in words, or tell a size of it, like its len or shape: students read "
                    "the message",
                )


def _drawing(cells: Iterable[Cell]) -> set[str]:
    """``rng``, and what of these cells draws from it."""
    found = list(chain.from_iterable(statements(cell.source) for cell in cells))
    drawing = {"rng"}
    while True:
        more = set(drawing)
        for statement in found:
            if statement.names.used & drawing:
                more |= statement.names.bound
        if more == drawing:
            return drawing
        drawing = more


def _drawn(tree: ast.Module, drawing: set[str]) -> set[str]:
    """The names of a check that are bound to something drawn, or made of it."""
    bindings: list[tuple[ast.expr, ast.expr]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            bindings += [(target, node.value) for target in node.targets]
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.NamedExpr)) and node.value:
            bindings.append((node.target, node.value))
        elif isinstance(node, (ast.For, ast.comprehension)):
            bindings.append((node.target, node.iter))

    drawn = set(drawing)
    while True:
        more = set(drawn)
        for target, value in bindings:
            more |= _bound(target, value, drawn)
        if more == drawn:
            return drawn - drawing
        drawn = more


def _bound(target: ast.expr, value: ast.expr, drawn: set[str]) -> set[str]:
    """The names of a target that become something drawn."""
    called = (
        value.func.id if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) else ""
    )
    if called == "range":
        return set()
    if isinstance(target, ast.Tuple):
        parts: list[ast.expr] = []
        if isinstance(value, ast.Tuple):
            parts = value.elts
        elif isinstance(value, ast.Call) and called == "zip":
            parts = value.args
        elif isinstance(value, ast.Call) and called == "enumerate":
            parts = [ast.Constant(0), *value.args[:1]]  # a place tells nothing
        if len(parts) == len(target.elts):
            return set().union(*(_bound(*pair, drawn) for pair in zip(target.elts, parts)))
    return _names(target) if _held(value) & drawn else set()


def _messages(tree: ast.Module) -> Iterator[ast.expr]:
    """The expressions that students read if the check fails."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert) and node.msg is not None:
            yield node.msg
        elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            yield from node.exc.args
        elif isinstance(node, ast.Call) and ast.unparse(node.func).startswith("tools."):
            places = TOLD.get(ast.unparse(node.func).removeprefix("tools."), ())
            yield from (node.args[place] for place in places if place < len(node.args))
            yield from (word.value for word in node.keywords if word.arg in NAMED)


def _held(expression: ast.expr) -> set[str]:
    """The names whose values stand in an expression; those of which it has but a size do not."""
    if isinstance(expression, ast.Attribute) and expression.attr in SIZES:
        return set()
    if isinstance(expression, ast.Call) and ast.unparse(expression.func).split(".")[-1] in SIZES:
        return set()
    if isinstance(expression, ast.Name):
        return {expression.id}
    held: set[str] = set()
    for part in ast.iter_child_nodes(expression):
        held |= _held(part)  # type: ignore[arg-type]
    return held


def _names(target: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}

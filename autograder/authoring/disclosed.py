"""What a hidden check tells: its message is read by students, so no drawn input may stand in it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Set

from autograder.authoring.cells import Cell, Problem, Source
from autograder.authoring.statements import Statement, closure, statements

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
    found: list[Statement] = []
    for cell in cells:
        found += statements(cell.source)

    def bound_with(drawing: Set[str]) -> set[str]:
        bound: set[str] = set()
        for statement in found:
            if statement.names.used & drawing:
                bound |= statement.names.bound
        return bound

    return closure({"rng"}, bound_with)


def _drawn(tree: ast.Module, drawing: set[str]) -> set[str]:
    """The names of a check that are bound to something drawn, or made of it."""
    bindings: list[tuple[ast.expr, ast.expr]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                bindings.append((target, node.value))
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.NamedExpr)) and node.value:
            bindings.append((node.target, node.value))
        elif isinstance(node, (ast.For, ast.comprehension)):
            bindings.append((node.target, node.iter))
    own: set[str] = set()
    for target, _ in bindings:
        own |= _changed(target)
    bindings += _filled(tree, own)

    def bound_to(drawn: Set[str]) -> set[str]:
        bound: set[str] = set()
        for target, value in bindings:
            bound |= _bound(target, value, drawn)
        return bound

    return closure(drawing, bound_to) - drawing


def _filled(tree: ast.Module, own: set[str]) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What calls change in place, with what they put there: ``rng.shuffle(x)``, ``out=x``, and
    ``words.append(x)`` where the check has made these words itself."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            for word in node.keywords:
                if word.arg == "out":
                    yield word.value, node

        # A call that stands alone is there for what it changes.
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
            continue
        call = node.value
        if not isinstance(call.func, ast.Attribute):
            continue
        arguments = [*call.args, *(word.value for word in call.keywords)]
        for argument in arguments:
            if call.func.attr == "shuffle":
                yield argument, call.func
            elif _changed(call.func) & own:
                yield call.func, argument


def _changed(target: ast.AST) -> set[str]:
    """The names whose values change where something is put into a target: of ``x[n]`` it is x."""
    while isinstance(target, (ast.Attribute, ast.Subscript, ast.Starred, ast.Call)):
        target = target.func if isinstance(target, ast.Call) else target.value
    if isinstance(target, (ast.Tuple, ast.List)):
        changed: set[str] = set()
        for part in target.elts:
            changed |= _changed(part)
        return changed
    return {target.id} if isinstance(target, ast.Name) else set()


def _bound(target: ast.expr, value: ast.expr, drawn: Set[str]) -> set[str]:
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
            bound: set[str] = set()
            for name, part in zip(target.elts, parts):
                bound |= _bound(name, part, drawn)
            return bound

    return _changed(target) if _held(value) & drawn else set()


def _messages(tree: ast.Module) -> Iterator[ast.expr]:
    """The expressions that students read if the check fails."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert) and node.msg is not None:
            yield node.msg
        elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            yield from node.exc.args
        elif isinstance(node, ast.Call) and ast.unparse(node.func).startswith("tools."):
            places = TOLD.get(ast.unparse(node.func).removeprefix("tools."), ())
            for place in places:
                yield from node.args[place : place + 1]
            for word in node.keywords:
                if word.arg in NAMED:
                    yield word.value


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

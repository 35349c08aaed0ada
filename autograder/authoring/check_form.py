"""The form of a check: a sentence first, then assertions, within ``check`` where setup has that."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograder.authoring import scope, worth
from autograder.authoring.cells import Cell, Problem, Source


def problems(source: Source) -> Iterator[Problem]:
    """What is wrong with the checks."""
    has_check = "check" in scope.bound(source.of("setup"))
    judges = _judges(source)
    for cell in source.of("check"):
        tree = ast.parse(cell.source)
        if ast.get_docstring(tree) is None:
            yield Problem(
                cell.line,
                f"the check {cell.id} has no docstring",
                "start it with the sentence that students read",
            )
            continue

        yield from _sentence(cell, tree)
        yield from _assertions(cell, tree, judges)
        if has_check:
            yield from _announced(cell, tree)
        yield from worth.problems(cell, tree)


def _sentence(cell: Cell, tree: ast.Module) -> Iterator[Problem]:
    """The docstring stands alone: exactly that is released of a hidden check."""
    sentence = tree.body[0]
    last_line = cell.source.split("\n")[(sentence.end_lineno or 1) - 1]
    after = last_line.encode()[sentence.end_col_offset :]  # columns are counted in bytes
    if sentence.lineno != 1 or after.strip():
        yield Problem(
            cell.first,
            f"the docstring of {cell.id} does not stand alone",
            "start the cell with it, and go on a line below",
        )


def _assertions(cell: Cell, tree: ast.Module, judges: set[str]) -> Iterator[Problem]:
    body = tree.body[1:]
    if not any(_is_judging(statement, judges) for statement in body):
        repair = "assert something, or call a helper of setup that does"
        yield Problem(cell.line, f"the check {cell.id} asserts nothing", repair)
        return

    last = body[-1]
    if isinstance(last, ast.Expr) and not isinstance(last.value, ast.Call):
        yield Problem(
            cell.line_of(last.lineno),
            "a check that ends on a value: nbgrader reads a number as partial credit",
            "assert it or delete it",
        )


def _announced(cell: Cell, tree: ast.Module) -> Iterator[Problem]:
    """A visible check stands within ``with check("<its id>"):``, which tells a student about it."""
    calls = _calls(tree, "check")
    for call in calls:
        named = call.args[0] if call.args else None
        if not (isinstance(named, ast.Constant) and named.value == cell.id):
            yield Problem(
                cell.line_of(call.lineno),
                f"this is the check {cell.id}, not what it says",
                f'write check("{cell.id}")',
            )

    if not calls and not cell.hidden:
        yield Problem(
            cell.line,
            f"the check {cell.id} tells a student nothing",
            f'put its body into with check("{cell.id}"):',
        )


def _judges(source: Source) -> set[str]:
    """The functions of setup and oracles that assert or raise, also through each other."""
    functions: list[ast.FunctionDef | ast.ClassDef] = []
    for cell in source.of("setup", "oracles"):
        for node in ast.parse(cell.source).body:
            # `check` only passes on what happens inside it.
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name != "check":
                functions.append(node)

    judges: set[str] = set()
    while True:
        judging = {function.name for function in functions if _is_judging(function, judges)}
        if judging == judges:
            return judges
        judges = judging


def _is_judging(tree: ast.AST, judges: set[str]) -> bool:
    """Whether code asserts or raises, or calls something that does."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Assert, ast.Raise)):
            return True
        if isinstance(node, ast.Call):
            function = node.func
            name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
            if name.startswith("assert") or (isinstance(function, ast.Name) and name in judges):
                return True
    return False


def _calls(tree: ast.AST, name: str) -> list[ast.Call]:
    """The calls of the function ``name``."""
    calls: list[ast.Call] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
            calls.append(node)
    return calls

"""What makes a check worthless or unfair although it runs.

It asserts nothing, or asks what no docstring promises.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograder.authoring.cells import Cell, Problem
from autograder.exercises.names import mentioned

_FAILURES = ("AssertionError", "Exception", "BaseException")
"""The exceptions as which a failing assertion can be caught."""

_Found = tuple[int, str, str]
"""The line within the cell, the cause, the repair."""


def problems(cell: Cell, tree: ast.Module, any_dtype: bool = True) -> Iterator[Problem]:
    """What is wrong with a check whose form is sound.

    Args:
        any_dtype: whether an answer of any real dtype is right.
    """
    rules = [_never_calls_its_step, _always_true, _loud]
    if any_dtype:
        rules.append(_asks_for_dtype)
    for rule in rules:
        for line, cause, repair in rule(cell, tree):
            yield Problem(cell.line_of(line), cause, repair)


def _never_calls_its_step(cell: Cell, tree: ast.Module) -> Iterator[_Found]:
    if cell.step not in mentioned(tree):
        yield (
            1,
            f"the check {cell.id} never uses {cell.step}",
            f"call {cell.step}, or give the check to another step",
        )


def _always_true(cell: Cell, tree: ast.Module) -> Iterator[_Found]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert) and _holds(node.test):
            yield (
                node.lineno,
                "an assertion that always holds",
                "assert something about what the function returned",
            )
        elif isinstance(node, ast.Try) and _is_swallowed(node):
            yield (
                node.lineno,
                "an assertion whose failure is swallowed",
                "take it out of the try, or raise again",
            )


def _holds(test: ast.expr) -> bool:
    """Whether a value is true whatever the student wrote.

    A constant is, and the tuple of ``assert (x, "message")``.
    """
    if isinstance(test, ast.Tuple):
        return bool(test.elts)
    return isinstance(test, ast.Constant) and bool(test.value)


def _is_swallowed(statement: ast.Try) -> bool:
    """Whether an assertion in a ``try`` may fail and nobody hears of it."""
    asserts = _contains(statement.body, ast.Assert)
    return asserts and any(map(_swallows, statement.handlers))


def _swallows(handler: ast.ExceptHandler) -> bool:
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    catches_failures = False
    for kind in caught:
        if kind is None or (isinstance(kind, ast.Name) and kind.id in _FAILURES):
            catches_failures = True
    return catches_failures and not _contains(handler.body, ast.Raise, ast.Assert)


def _contains(body: list[ast.stmt], *kinds: type[ast.stmt]) -> bool:
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, kinds):
                return True
    return False


def _loud(cell: Cell, tree: ast.Module) -> Iterator[_Found]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == "stderr":
            repair = "print to standard output: nbgrader gives a check that writes there no points"
            yield node.lineno, "a check that writes to standard error", repair


def _asks_for_dtype(cell: Cell, tree: ast.Module) -> Iterator[_Found]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            operands = [node.left, *node.comparators]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("issubdtype"):
            operands = node.args
        else:
            continue

        asks, is_of_bool = False, False
        for operand in operands:
            if _of_dtype(operand):
                asks = True
            elif "bool" in ast.unparse(operand):
                is_of_bool = True

        # A mask must be boolean, so that alone may be asked.
        if asks and not is_of_bool:
            yield (
                node.lineno,
                "a check that compares dtype: any real dtype is right",
                "compare the values, or say beside the right answers why NOT_RIGHT has float32",
            )


def _of_dtype(operand: ast.expr) -> bool:
    while isinstance(operand, ast.Attribute):
        if operand.attr == "dtype":
            return True
        operand = operand.value
    return False

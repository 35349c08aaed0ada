"""Rules for a check: a sentence first, then assertions that are worth something and fair.

A check is worthless if it asserts nothing, and unfair if it asks what no docstring promises.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from functools import lru_cache

from autograder.authoring import modules
from autograder.authoring.cells import AuthoredCell, Problem, Source
from autograder.authoring.statements import closure
from autograder.exercises import right_answers
from autograder.exercises.names import mentioned, nodes


def checks(source: Source) -> Iterator[Problem]:
    """What is wrong with the checks."""
    judges = _judges(source)
    steps = [step.id for step in source.of("step")]
    beside = right_answers.path_of(source.path.parent.parent, source.exercise)
    not_right = right_answers.not_right(beside, steps)
    for cell in source.of("check"):
        tree = ast.parse(cell.source)
        if ast.get_docstring(tree) is None:
            cause = f"the check {cell.id} has no docstring"
            yield Problem(cell.line, cause, "start it with the sentence that students read")
            continue

        yield from _sentence(cell, tree)
        yield from _assertions(cell, tree, judges)
        yield from _announced(cell, tree)
        any_dtype = not_right.isdisjoint({"float32", f"float32 ({cell.step})"})
        yield from _never_calls_its_step(cell, tree)
        yield from _always_true(cell, tree)
        yield from _loud(cell, tree)
        if any_dtype:
            yield from _asks_for_dtype(cell, tree)


def _sentence(cell: AuthoredCell, tree: ast.Module) -> Iterator[Problem]:
    """The docstring stands alone: exactly that is released of a hidden check."""
    sentence = tree.body[0]
    last_line = cell.source.split("\n")[(sentence.end_lineno or 1) - 1]
    after = last_line.encode()[sentence.end_col_offset :]  # columns are counted in bytes
    if sentence.lineno != 1 or after.strip():
        cause = f"the docstring of {cell.id} does not stand alone"
        yield Problem(cell.first, cause, "start the cell with it, and go on a line below")


def _assertions(cell: AuthoredCell, tree: ast.Module, judges: Set[str]) -> Iterator[Problem]:
    body = tree.body[1:]
    if not any(_is_judging(statement, judges) for statement in body):
        repair = "assert something, or call a helper of setup that does"
        yield Problem(cell.line, f"the check {cell.id} asserts nothing", repair)
        return

    last = body[-1]
    if isinstance(last, ast.Expr) and not isinstance(last.value, ast.Call):
        cause = "a check that ends on a value: nbgrader reads a number as partial credit"
        yield Problem(cell.line_of(last.lineno), cause, "assert it or delete it")


def _announced(cell: AuthoredCell, tree: ast.Module) -> Iterator[Problem]:
    """``with tools.check("<its id>"):`` tells a student about the check in which it stands."""
    for call in announcements(tree):
        named = call.args[0] if call.args else None
        if not (isinstance(named, ast.Constant) and named.value == cell.id):
            cause = f"this is the check {cell.id}, not what it says"
            yield Problem(cell.line_of(call.lineno), cause, f'write check("{cell.id}")')


def announcements(tree: ast.AST) -> list[ast.Call]:
    """The calls of ``check``, the tools' or a name that setup gave it."""
    return [call for call in nodes(tree, ast.Call) if _called(call) in ("check", "tools.check")]


def _judges(source: Source) -> set[str]:
    """The functions that assert or raise, also through each other: a check may call them."""
    judges: set[str] = set()
    for module, code in modules.codes(source.shared).items():
        judging = _judging(code)
        judges |= {f"{module}.{name}" for name in judging}
        for cell in source.of("setup"):
            judges |= modules.imported_as(cell.source, module, judging)

    own = [cell.source for cell in source.of("setup", "oracles")]
    return judges | _judging("\n".join(own), frozenset(judges))


@lru_cache(maxsize=16)
def _judging(code: str, others: frozenset[str] = frozenset()) -> frozenset[str]:
    """The functions of ``code`` that assert or raise, or call one of these or of the others."""
    calls: dict[str, set[str]] = {}
    judges: set[str] = set()
    for node in ast.parse(code).body:
        # `check` only passes on what happens inside it.
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name != "check":
            calls[node.name] = set(map(_called, nodes(node, ast.Call)))
            if _is_judging(node, set()):
                judges.add(node.name)

    def calling(known: Set[str]) -> set[str]:
        found = set()
        for name, called in calls.items():
            if called & (known | others):
                found.add(name)
        return found

    return frozenset(closure(judges, calling))


def _is_judging(tree: ast.AST, judges: Set[str]) -> bool:
    """Whether code asserts or raises, or calls something that does."""
    for node in nodes(tree, ast.Assert, ast.Raise, ast.Call):
        if not isinstance(node, ast.Call):
            return True
        name = _called(node)
        if name.rpartition(".")[2].startswith("assert") or name in judges:
            return True
    return False


def _called(call: ast.Call) -> str:
    """The name of what is called, with what stands before its last dot if that is a name."""
    function = call.func
    if isinstance(function, ast.Attribute):
        owner = function.value.id if isinstance(function.value, ast.Name) else ""
        return f"{owner}.{function.attr}"
    return function.id if isinstance(function, ast.Name) else ""


# What makes a check worthless or unfair although it runs

_FAILURES = ("AssertionError", "Exception", "BaseException")
"""The exceptions as which a failing assertion can be caught."""


def _never_calls_its_step(cell: AuthoredCell, tree: ast.Module) -> Iterator[Problem]:
    if cell.step not in mentioned(tree):
        cause = f"the check {cell.id} never uses {cell.step}"
        yield Problem(cell.first, cause, f"call {cell.step}, or give the check to another step")


def _always_true(cell: AuthoredCell, tree: ast.Module) -> Iterator[Problem]:
    for node in nodes(tree, ast.Assert, ast.Try):
        line = cell.line_of(node.lineno)
        if isinstance(node, ast.Try):
            asserts = any(next(nodes(part, ast.Assert), None) for part in node.body)
            if asserts and any(map(_swallows, node.handlers)):
                cause = "an assertion whose failure is swallowed"
                yield Problem(line, cause, "take it out of the try, or raise again")
        elif isinstance(node, ast.Assert):
            # A constant is true whatever the student wrote, and so is ``assert (x, "message")``.
            test = node.test
            is_constant = isinstance(test, ast.Constant) and bool(test.value)
            if is_constant or (isinstance(test, ast.Tuple) and test.elts):
                repair = "assert something about what the function returned"
                yield Problem(line, "an assertion that always holds", repair)


def _swallows(handler: ast.ExceptHandler) -> bool:
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    catches_failures = False
    for kind in caught:
        if kind is None or (isinstance(kind, ast.Name) and kind.id in _FAILURES):
            catches_failures = True
    return catches_failures and next(nodes(handler, ast.Raise, ast.Assert), None) is None


def _loud(cell: AuthoredCell, tree: ast.Module) -> Iterator[Problem]:
    for node in nodes(tree, ast.Attribute):
        if node.attr == "stderr":
            repair = "print to standard output: nbgrader gives a check that writes there no points"
            cause = "a check that writes to standard error"
            yield Problem(cell.line_of(node.lineno), cause, repair)


def _asks_for_dtype(cell: AuthoredCell, tree: ast.Module) -> Iterator[Problem]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            operands = [node.left, *node.comparators]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("issubdtype"):
            operands = node.args
        else:
            continue

        others = [ast.unparse(operand) for operand in operands if not _of_dtype(operand)]
        # A mask must be boolean, so that alone may be asked.
        if len(others) < len(operands) and "bool" not in " ".join(others):
            cause = "a check that compares dtype: any real dtype is right"
            how = "compare the values, or say next to the right answers why NOT_RIGHT has float32"
            yield Problem(cell.line_of(node.lineno), cause, how)


def _of_dtype(operand: ast.expr) -> bool:
    while isinstance(operand, ast.Attribute):
        if operand.attr == "dtype":
            return True
        operand = operand.value
    return False

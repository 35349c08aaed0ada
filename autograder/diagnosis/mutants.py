"""The reference with one thing changed in its source: an operator, a comparison, a constant, an
operation left out.

Students make the same small changes, so a wrong answer that equals such a mutant in every call has
its mistake. What is said names the change, and no line of the source.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from types import CodeType
from typing import Any

from autograder.diagnosis.operators import IN_CONDITIONS, RULES, Change, Words, in_function
from autograder.engine.turns import counted

MOST = 200
"""Mutants of one source."""

Spot = tuple[int, Change]
"""The place of a node in the walk through a tree, and what becomes of it."""


@dataclass(frozen=True)
class Mutant:
    """A changed source whose turns are counted; ``phrase`` completes "as if ..."."""

    name: str
    phrase: str
    ask: str
    code: CodeType


def mutants(source: str, step: str) -> Iterator[Mutant]:
    """Every small change of a step's source, first those of all places of a kind at once.

    They are made one by one, and each once only: many submissions have the same reference.
    """
    made, rest = _begun(source, step)
    place = 0
    while True:
        if place == len(made):
            try:
                made.extend(islice(rest, 1))
            except BaseException:  # a submission's time may be over in the midst of it
                _begun.cache_clear()
                raise
            if place == len(made):
                return
        yield made[place]
        place += 1


@cache
def _begun(source: str, step: str) -> tuple[list[Mutant], Iterator[Mutant]]:
    """The mutants of a source that have been made, and the others."""
    return [], _mutants(source, step)


def _mutants(source: str, step: str) -> Iterator[Mutant]:
    for (name, phrase, ask), spots in _changes(ast.parse(source))[:MOST]:
        try:
            changed = counted(_changed(source, spots))
            code = compile(changed, f"<{step}>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, TypeError):  # no Python any more
            continue
        yield Mutant(name, phrase, ask, code)


def _changes(tree: ast.Module) -> list[tuple[Words, list[Spot]]]:
    """What may be changed in a tree: everywhere, in one place, and in how a function goes on."""
    everywhere: dict[tuple[Words, int], list[Spot]] = {}
    in_one_place, in_functions = [], []
    passed_over = _passed_over(tree)
    for place, node in enumerate(ast.walk(tree)):
        if isinstance(node, ast.FunctionDef):
            for words, change in in_function(node):
                in_functions.append((words, [(place, change)]))
            continue

        said: Counter[Words] = Counter()
        rules = IN_CONDITIONS if node in passed_over else RULES
        for words, change in rules.get(type(node), ()):
            if change(node) is not None:
                in_one_place.append((words, [(place, change)]))
                everywhere.setdefault((words, said[words]), []).append((place, change))
                said[words] += 1

    in_several = [(words, spots) for (words, _), spots in everywhere.items() if len(spots) > 1]
    return in_several + in_one_place + in_functions


def _passed_over(tree: ast.Module) -> set[ast.AST]:
    """What is the teacher's way to write, and none of the student's: conditions, exceptions, and
    the number behind a minus."""
    found: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.If, ast.IfExp)):
            found.update(ast.walk(node.test))
        elif isinstance(node, ast.Raise):
            found.update(ast.walk(node))
        elif isinstance(node, ast.UnaryOp):
            found.add(node.operand)
        elif isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
            found.add(node.slice)
        elif isinstance(node, ast.keyword) and node.arg == "axis":
            found.update(ast.walk(node.value))
    return found


def _changed(source: str, spots: list[Spot]) -> ast.Module:
    # To parse again takes a tenth of the time of a copy.
    tree = ast.parse(source)
    nodes = list(ast.walk(tree))
    new: dict[int, ast.AST | None] = {}
    for place, change in spots:
        node = nodes[place]
        new[id(node)] = change(node)
    return ast.fix_missing_locations(_Replace(new).visit(tree))  # type: ignore[no-any-return]


class _Replace(ast.NodeTransformer):
    def __init__(self, new: dict[int, ast.AST | None]) -> None:
        self._new = new

    def visit(self, node: ast.AST) -> Any:
        self.generic_visit(node)
        return self._new.get(id(node), node)

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

from autograder.diagnosis.function_slips import Slip
from autograder.diagnosis.loop_slips import of_function
from autograder.diagnosis.slips import slips, slips_of_condition
from autograder.engine.turns import counted

MOST = 200
"""Mutants of one source."""


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
    tree = ast.parse(source)
    passed_over = _passed_over(tree)
    conditions = set()
    kinds: dict[tuple[str, int], list[tuple[int, int]]] = {}
    found, of_functions = [], []
    for place, node in enumerate(ast.walk(tree)):
        if isinstance(node, ast.FunctionDef):
            for number, (name, phrase, ask, _) in enumerate(of_function(node)):
                of_functions.append((name, phrase, ask, [(place, number)]))
            continue

        if node in passed_over:
            conditions.add(place)
        of_node: Counter[str] = Counter()
        for number, (name, phrase, ask, _) in enumerate(_slips(node, node in passed_over)):
            found.append((name, phrase, ask, [(place, number)]))
            kind = f"{name}/{phrase}/{ask}"
            kinds.setdefault((kind, of_node[kind]), []).append((place, number))
            of_node[kind] += 1

    everywhere = []
    for (kind, _), spots in kinds.items():
        if len(spots) > 1:
            name, phrase, ask = kind.split("/", 2)
            everywhere.append((name, phrase, ask, spots))
    for name, phrase, ask, spots in (everywhere + found + of_functions)[:MOST]:
        try:
            changed = counted(_changed(source, spots, conditions))
            code = compile(changed, f"<{step}>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, TypeError):  # no Python any more
            continue
        yield Mutant(name, phrase, ask, code)


def _slips(node: ast.AST, is_passed_over: bool) -> Iterator[Slip]:
    if isinstance(node, ast.FunctionDef):
        return of_function(node)
    return slips_of_condition(node) if is_passed_over else slips(node)


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


def _changed(source: str, spots: list[tuple[int, int]], conditions: set[int]) -> ast.Module:
    # To parse again takes a tenth of the time of a copy.
    tree = ast.parse(source)
    nodes = list(ast.walk(tree))
    new: dict[int, ast.AST] = {}
    for place, number in spots:
        node = nodes[place]
        new[id(node)] = list(_slips(node, place in conditions))[number][3](node)
    return ast.fix_missing_locations(_Replace(new).visit(tree))  # type: ignore[no-any-return]


class _Replace(ast.NodeTransformer):
    def __init__(self, new: dict[int, ast.AST]) -> None:
        self._new = new

    def visit(self, node: ast.AST) -> Any:
        self.generic_visit(node)
        return self._new.get(id(node), node)

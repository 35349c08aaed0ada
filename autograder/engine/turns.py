"""Limits the teacher's functions in an experiment by the turns of their loops.

A small change of a loop may make it endless, and a list in it may grow all the while. A limit in
seconds would end it late, and differently on every machine; turns end it soon, and always in the
same place.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator

NAME = "__turn__"
"""The name under which the loops of ``counted`` code find ``take``."""

MOST = 500_000
"""Turns of one call, at most."""

TIMES, MORE = 10, 1_000
"""An experiment may take this many times as many turns as the right answer, plus this many."""


class Endless(BaseException):
    """A call has taken more turns than it may.

    No Exception, so that nothing in the called function takes it for an answer.
    """


class Turns:
    """The turns of one call."""

    def __init__(self, most: int) -> None:
        self.taken = 0
        self.most = most


class _Counter:
    """The current counter. It is an object's attribute, because whenever one of a class is set,
    Python forgets its cached look-ups in classes."""

    def __init__(self) -> None:
        self.turns: Turns | None = None


_counter = _Counter()


def take() -> None:
    """Begin a turn; Endless if there have been enough."""
    turns = _counter.turns
    if turns is not None:
        turns.taken += 1
        if turns.taken > turns.most:
            raise Endless


@contextlib.contextmanager
def at_most(most: int) -> Iterator[Turns]:
    """Count the turns of the calls in this block, and allow no more of them than these."""
    outer, turns = _counter.turns, Turns(min(most, MOST))
    _counter.turns = turns
    try:
        yield turns
    finally:
        _counter.turns = outer


def enough(taken: int) -> int:
    """The turns that an experiment may take if the right answer has taken this many."""
    return TIMES * taken + MORE


def counted(tree: ast.Module) -> ast.Module:
    """The same code, with every turn of a loop counted."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.While, ast.For)):
            turn = ast.Expr(ast.Call(ast.Name(NAME, ast.Load()), [], []))
            # Located here: locating all nodes of the tree afterwards takes as long as compiling it.
            ast.fix_missing_locations(ast.copy_location(turn, node.body[0]))
            node.body.insert(0, turn)
    return tree

"""How long the teacher's functions may go on in an experiment, in turns of their loops.

One small change of a loop may let it never end, and let a list in it grow all the while. Seconds
would end it late, and elsewhere on every machine; turns end it soon, and in the same place.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator

NAME = "__turn__"
"""Under this name the loops of ``counted`` code find ``take``."""

MOST = 500_000
"""Turns of one call, whatever it is."""

TIMES, MORE = 10, 1_000
"""An experiment may take so many times as many turns as the right answer took, and so many more."""


class Endless(BaseException):
    """A call has taken more turns than it may.

    No Exception, so that nothing in the function called takes it for an answer.
    """


class Turns:
    """The turns that one call has taken."""

    def __init__(self, most: int) -> None:
        self.taken = 0
        self.most = most


class _Counter:
    """What counts turns now: an object's attribute, for whenever a class's is set, Python forgets
    what it has looked up in classes."""

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
    """Count the turns of what is called here, and let it take no more of them than these."""
    outer, turns = _counter.turns, Turns(min(most, MOST))
    _counter.turns = turns
    try:
        yield turns
    finally:
        _counter.turns = outer


def enough(taken: int) -> int:
    """The turns of an experiment, where the right answer has taken so many."""
    return TIMES * taken + MORE


def counted(tree: ast.Module) -> ast.Module:
    """The same code, in which every turn of a loop is counted."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.While, ast.For)):
            turn = ast.Expr(ast.Call(ast.Name(NAME, ast.Load()), [], []))
            # Located here: to look for what has no location takes as long as to compile it all.
            ast.fix_missing_locations(ast.copy_location(turn, node.body[0]))
            node.body.insert(0, turn)
    return tree

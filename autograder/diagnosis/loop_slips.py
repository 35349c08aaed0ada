"""Small slips in a loop: what it goes through, how often it runs, and what of it is kept."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from autograder.diagnosis.function_slips import Slip

SEEN = "__seen__"
"""The list in which a changed function keeps that a condition has held."""

_ENDS = "From where to where does your loop go?"

_PARTS = (
    ("loop_reversed", "a loop went backwards", "In which order does your loop go?", "::-1"),
    ("loop_too_short", "a loop left out its first turn", _ENDS, "1:"),
    ("loop_too_short", "a loop left out its last turn", _ENDS, ":-1"),
    ("loop_in_steps", "a loop took every second turn only", "Where do the others stay?", "::2"),
)
"""Of what a loop goes through: the name of a slip, what is said, what is asked, and the slice."""


def of_for(_: ast.For) -> Iterator[Slip]:
    """What may become of what a loop goes through."""
    for name, phrase, ask, part in _PARTS:
        yield name, phrase, ask, partial(_going_through, part=part)


def of_function(node: ast.FunctionDef) -> Iterator[Slip]:
    """What may become of the loops in a function, told from outside."""
    if isinstance(node.body[-1], ast.Return):
        for place, _ in enumerate(_loops(node)):
            yield (
                "first_turn_only",
                "it returned at the end of the first turn of its loop",
                "How often does your loop run?",
                partial(_returning_early, place=place),
            )

    for place, _ in enumerate(_conditions(node)):
        yield (
            "first_time_only",
            "a condition in its loop held the first time only",
            "What happens in your code after that?",
            partial(_held_once, place=place),
        )

    for place, (block, number) in enumerate(_lines(node)):
        if len(block) > 1 or number:
            yield (
                "not_kept",
                "something in its loop were worked out and not kept",
                "Which of your results is used nowhere?",
                partial(_not_kept, place=place),
            )


def _going_through(node: ast.For, part: str) -> ast.AST:
    sliced = ast.parse(f"x[{part}]", mode="eval").body
    assert isinstance(sliced, ast.Subscript)
    sliced.value = ast.Call(ast.Name("list", ast.Load()), [node.iter], [])
    return ast.For(node.target, sliced, node.body, node.orelse)


def _returning_early(node: ast.FunctionDef, place: int) -> ast.AST:
    _loops(node)[place].body.append(node.body[-1])
    return node


def _held_once(node: ast.FunctionDef, place: int) -> ast.AST:
    condition = _conditions(node)[place]
    first = ast.parse(f"not {SEEN} and not {SEEN}.append(True)", mode="eval").body
    condition.test = ast.BoolOp(ast.And(), [condition.test, first])
    node.body.insert(0, ast.parse(f"{SEEN} = []").body[0])
    return node


def _not_kept(node: ast.FunctionDef, place: int) -> ast.AST:
    block, number = _lines(node)[place]
    block[number] = ast.Pass()
    return node


def _loops(node: ast.FunctionDef) -> list[ast.For | ast.While]:
    return [part for part in ast.walk(node) if isinstance(part, (ast.For, ast.While))]


def _conditions(node: ast.FunctionDef) -> list[ast.If]:
    """The conditions in the loops of a function, each once."""
    found = []
    for loop in _loops(node):
        for part in ast.walk(loop):
            if isinstance(part, ast.If) and part not in found:
                found.append(part)
    return found


def _lines(node: ast.FunctionDef) -> list[tuple[list[ast.stmt], int]]:
    """The lines in the loops of a function that keep something: the block and the place."""
    found = []
    for part in (*_loops(node), *_conditions(node)):
        for block in (part.body, part.orelse):
            for number, line in enumerate(block):
                if isinstance(line, (ast.Assign, ast.AugAssign, ast.Expr)):
                    found.append((block, number))
    return found

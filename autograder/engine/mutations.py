"""The reference with one thing changed in its source: an operator, a comparison, a constant, an
operation left out.

Students make the same small changes, so a wrong answer that equals such a mutant in every call has
its mistake. What is said names the change, and no line of the source.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from autograder.engine.operations import INSTEAD, LEFT_OUT

MOST = 120
"""Mutants of one source."""


@dataclass(frozen=True)
class Mutant:
    """A changed source; ``phrase`` completes "as if ..."."""

    name: str
    phrase: str
    ask: str
    source: ast.Module


_Change = tuple[str, str, str, Callable[..., Any]]

_COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt, ast.GtE, ast.Eq),
    ast.LtE: (ast.Lt, ast.GtE, ast.Gt, ast.Eq),
    ast.Gt: (ast.GtE, ast.Lt, ast.LtE, ast.Eq),
    ast.GtE: (ast.Gt, ast.LtE, ast.Lt, ast.Eq),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
}
_BOUNDARY = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}

_WORDS: dict[type[ast.operator], str] = {
    ast.MatMult: "product",
    ast.Mult: "product",
    ast.Div: "quotient",
    ast.Sub: "difference",
    ast.FloorDiv: "quotient",
}


def mutants(source: str) -> Iterator[Mutant]:
    """Every small change of a source, first those of all places of a kind at once."""
    tree = ast.parse(source)
    passed_over = _passed_over(tree)
    kinds: dict[str, list[tuple[int, int]]] = {}
    found = []
    for place, node in enumerate(ast.walk(tree)):
        if node in passed_over:
            continue
        for number, (name, phrase, ask, _) in enumerate(_changes(node)):
            found.append((name, phrase, ask, [(place, number)]))
            kinds.setdefault(f"{name}/{phrase}/{ask}", []).append((place, number))

    everywhere = []
    for kind, spots in kinds.items():
        if len(spots) > 1:
            name, phrase, ask = kind.split("/", 2)
            everywhere.append((name, phrase, ask, spots))
    for name, phrase, ask, spots in (everywhere + found)[:MOST]:
        yield Mutant(name, phrase, ask, _changed(tree, spots))


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
        elif isinstance(node, ast.Subscript):
            found.add(node.slice)
        elif isinstance(node, ast.keyword) and node.arg == "axis":
            found.update(ast.walk(node.value))
    return found


def _changed(tree: ast.Module, spots: list[tuple[int, int]]) -> ast.Module:
    tree = copy.deepcopy(tree)
    nodes = list(ast.walk(tree))
    new: dict[int, ast.AST] = {}
    for place, number in spots:
        node = nodes[place]
        new[id(node)] = list(_changes(node))[number][3](node)
    return ast.fix_missing_locations(_Replace(new).visit(tree))  # type: ignore[no-any-return]


class _Replace(ast.NodeTransformer):
    def __init__(self, new: dict[int, ast.AST]) -> None:
        self._new = new

    def visit(self, node: ast.AST) -> Any:
        self.generic_visit(node)
        return self._new.get(id(node), node)


def _changes(node: ast.AST) -> Iterator[_Change]:
    """What may become of a node, as a name, what is said, and a function of it."""
    if isinstance(node, ast.BinOp):
        yield from _of_operator(node)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield from _of_comparison(node)
    elif isinstance(node, ast.Call):
        yield from _of_call(node)
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        for by, word in ((1, "one more"), (-1, "one less")):
            yield (
                "off_by_one",
                f"something were {word}",
                "Where do you begin to count, and is the end included?",
                lambda n, by=by: ast.Constant(n.value + by),
            )
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.UnaryOp):
        for place in (-1, -2, -3, 0, 1):
            yield (
                "other_length",
                "a length were that of another axis",
                "Which length belongs there?",
                lambda n, place=place: ast.Subscript(n.value, _number(place), ast.Load()),
            )
    elif isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
        for axis in (-1, -2, -3, -4, 0, 1):
            yield (
                "other_axis",
                "it went along another axis",
                "Which axis must it be, counted from the end?",
                lambda n, axis=axis: _number(axis),
            )
    elif isinstance(node, ast.If):
        empty: list[ast.stmt] = [ast.Pass()]
        yield (
            "case_missing",
            "a special case were like all others",
            "Which case does the docstring name that your code does not tell apart?",
            lambda n: n.orelse or empty,
        )


def _of_operator(node: ast.BinOp) -> Iterator[_Change]:
    kind = type(node.op)
    if kind in _WORDS:
        word = _WORDS[kind]
        yield (
            "sides_exchanged",
            f"the two sides of each {word} had changed places",
            "Which of them stands on the left?",
            lambda n: ast.BinOp(n.right, n.op, n.left),
        )
    if kind is ast.MatMult:
        yield (
            "entry_by_entry",
            "a matrix product were a product entry by entry",
            "Which operator sums over an axis?",
            lambda n: ast.BinOp(n.left, ast.Mult(), n.right),
        )
        for side, attribute in (("right", "right"), ("left", "left")):
            yield (
                "factor_transposed",
                f"the {side} factor of each matrix product were transposed",
                "Which axes of the two factors are summed over?",
                lambda n, attribute=attribute: _turned(n, attribute),
            )
    if kind in (ast.Div, ast.Mult):
        other = ast.Mult if kind is ast.Div else ast.Div
        yield (
            "multiplied_or_divided",
            "it multiplied where one divides, or divided where one multiplies",
            "Should the number become larger or smaller there?",
            lambda n, other=other: ast.BinOp(n.left, other(), n.right),
        )
    if kind in (ast.Add, ast.Sub):
        swapped = ast.Sub if kind is ast.Add else ast.Add
        yield (
            "added_or_subtracted",
            "it added where one subtracts, or subtracted where one adds",
            "Which sign belongs there?",
            lambda n, swapped=swapped: ast.BinOp(n.left, swapped(), n.right),
        )
    if kind is ast.Div:
        yield (
            "rounded",
            "a quotient were cut to a whole number",
            "Which operator divides without a remainder?",
            lambda n: ast.BinOp(n.left, ast.FloorDiv(), n.right),
        )
        for instead in (ast.Sub(), ast.Add()):
            yield (
                "other_operation",
                "another operation stood where one divides",
                "Which operation belongs there?",
                lambda n, instead=instead: ast.BinOp(n.left, instead, n.right),
            )
        yield ("not_divided", "nothing were divided", "What must it be divided by, and why?", _left)
    if kind is ast.Sub:
        yield (
            "other_operation",
            "it divided where one subtracts",
            "Which operation belongs there?",
            lambda n: ast.BinOp(n.left, ast.Div(), n.right),
        )
        yield (
            "not_subtracted",
            "nothing were taken off",
            "What must be taken off, and why?",
            _left,
        )


def _left(node: ast.BinOp) -> ast.AST:
    return node.left


def _turned(node: ast.BinOp, attribute: str) -> ast.AST:
    turned = ast.Call(
        ast.Attribute(getattr(node, attribute), "swapaxes", ast.Load()),
        [ast.UnaryOp(ast.USub(), ast.Constant(1)), ast.UnaryOp(ast.USub(), ast.Constant(2))],
        [],
    )
    sides = {"left": node.left, "right": node.right, attribute: turned}
    return ast.BinOp(sides["left"], node.op, sides["right"])


def _of_comparison(node: ast.Compare) -> Iterator[_Change]:
    kind = type(node.ops[0])
    for other in _COMPARED.get(kind, ()):
        if _BOUNDARY.get(kind) is other:
            said = ("boundary", "a boundary lay on the other side", "Is the boundary included?")
        elif other is ast.Eq:
            said = ("equal_only", "a comparison held for equal numbers only", "Which others count?")
        else:
            said = ("comparison_turned", "a comparison were turned round", "Which is the larger?")
        yield (*said, lambda n, other=other: ast.Compare(n.left, [other()], n.comparators))


def _of_call(node: ast.Call) -> Iterator[_Change]:
    name = _called(node)
    if name in INSTEAD:
        other, phrase, ask = INSTEAD[name]
        yield "other_function", phrase, ask, lambda n, other=other: _renamed(n, other)
    if name in LEFT_OUT:
        phrase, ask = LEFT_OUT[name]
        yield "operation_missing", phrase, ask, _unwrapped
    for place, keyword in enumerate(node.keywords):
        if keyword.arg == "keepdims":
            yield (
                "axis_dropped",
                "an axis were lost where numbers along it are merged",
                "Which shape has the total of each row, and does it still line up with the rows?",
                lambda n, place=place: _without(n, place),
            )
        elif keyword.arg == "axis":
            yield (
                "over_everything",
                "all numbers were merged where it is one axis only",
                "Along which axis must it be?",
                lambda n, place=place: _without(n, place),
            )
            for axis in (-1, -2, 0, 1):
                yield (
                    "other_axis",
                    "it went along another axis",
                    "Along which axis must it be?",
                    lambda n, place=place, axis=axis: _with_axis(n, place, axis),
                )


def _called(node: ast.Call) -> str:
    function = node.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _renamed(node: ast.Call, name: str) -> ast.AST:
    function: ast.expr = ast.Name(name, ast.Load())
    if isinstance(node.func, ast.Attribute):
        function = ast.Attribute(node.func.value, name, ast.Load())
    return ast.Call(function, node.args, node.keywords)


def _unwrapped(node: ast.Call) -> ast.AST:
    """What the function is given: its first argument, or what it is a method of."""
    if isinstance(node.func, ast.Attribute):
        owner = node.func.value
        if not (isinstance(owner, ast.Name) and owner.id in ("np", "numpy", "math")):
            return owner
    return node.args[0] if node.args else node


def _without(node: ast.Call, place: int) -> ast.AST:
    return ast.Call(node.func, node.args, node.keywords[:place] + node.keywords[place + 1 :])


def _with_axis(node: ast.Call, place: int, axis: int) -> ast.AST:
    keywords = list(node.keywords)
    keywords[place] = ast.keyword("axis", _number(axis))
    return ast.Call(node.func, node.args, keywords)


def _number(value: int) -> ast.expr:
    number: ast.expr = ast.Constant(abs(value))
    return ast.UnaryOp(ast.USub(), number) if value < 0 else number

"""Small slips in a place of the source: another operator, a comparison turned, a constant off by
one, an operation left out."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from autograder.engine.function_slips import INSTEAD, LEFT_OUT

Slip = tuple[str, str, str, Callable[..., Any]]
"""A name, what is said, what is asked, and what it makes of the node."""

_COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt, ast.GtE, ast.Eq),
    ast.LtE: (ast.Lt, ast.GtE, ast.Gt, ast.Eq),
    ast.Gt: (ast.GtE, ast.Lt, ast.LtE, ast.Eq),
    ast.GtE: (ast.Gt, ast.LtE, ast.Lt, ast.Eq),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
}
_BOUNDARY = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}


def slips(node: ast.AST) -> Iterator[Slip]:
    """What may become of a node, as a name, what is said, and a function of it."""
    if isinstance(node, ast.BinOp):
        yield from _of_operator(node)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield from _of_comparison(node)
    elif isinstance(node, ast.Call):
        yield from _of_call(node)
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield from _of_whole_number()
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.UnaryOp):
        yield from _of_length()
    elif isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
        yield from _of_axis()
    elif isinstance(node, ast.If):
        empty: list[ast.stmt] = [ast.Pass()]
        yield (
            "case_missing",
            "a special case were like all others",
            "Which case does the docstring name that your code does not tell apart?",
            lambda n: n.orelse or empty,
        )


def _of_whole_number() -> Iterator[Slip]:
    for by, word in ((1, "one more"), (-1, "one less")):
        yield (
            "off_by_one",
            f"something were {word}",
            "Where do you begin to count, and is the end included?",
            lambda n, by=by: ast.Constant(n.value + by),
        )


def _of_length() -> Iterator[Slip]:
    """Of an axis that is counted from the end, as in ``shape[-1]``."""
    for place in (-1, -2, -3, 0, 1):
        yield (
            "other_length",
            "a length were that of another axis",
            "Which length belongs there?",
            lambda n, place=place: ast.Subscript(n.value, _number(place), ast.Load()),
        )


def _of_axis() -> Iterator[Slip]:
    for axis in (-1, -2, -3, -4, 0, 1):
        yield (
            "other_axis",
            "it went along another axis",
            "Which axis must it be, counted from the end?",
            lambda n, axis=axis: _number(axis),
        )


def _of_operator(node: ast.BinOp) -> Iterator[Slip]:
    for kinds, name, phrase, ask, change in _OPERATORS:
        if isinstance(node.op, kinds):
            yield name, phrase, ask, change


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


def _of_comparison(node: ast.Compare) -> Iterator[Slip]:
    kind = type(node.ops[0])
    for other in _COMPARED.get(kind, ()):
        if _BOUNDARY.get(kind) is other:
            said = ("boundary", "a boundary lay on the other side", "Is the boundary included?")
        elif other is ast.Eq:
            said = ("equal_only", "a comparison held for equal numbers only", "Which others count?")
        else:
            said = ("comparison_turned", "a comparison were turned round", "Which is the larger?")
        yield (*said, lambda n, other=other: ast.Compare(n.left, [other()], n.comparators))


def _of_call(node: ast.Call) -> Iterator[Slip]:
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


def _instead(operator: type[ast.operator]) -> Callable[[ast.BinOp], ast.AST]:
    return lambda n: ast.BinOp(n.left, operator(), n.right)


def _exchanged(node: ast.BinOp) -> ast.AST:
    return ast.BinOp(node.right, node.op, node.left)


_SIDES = "the two sides of each {} had changed places"
_ON_THE_LEFT = "Which of them stands on the left?"
_TIMES = "it multiplied where one divides, or divided where one multiplies"
_LARGER = "Should the number become larger or smaller there?"
_PLUS = "it added where one subtracts, or subtracted where one adds"
_FACTOR = "the {} factor of each matrix product were transposed"
_SUMMED = "Which axes of the two factors are summed over?"
_OTHER = "another operation stood where one divides"
_WHICH = "Which operation belongs there?"

_Kinds = type[ast.operator] | tuple[type[ast.operator], ...]

_OPERATORS: tuple[tuple[_Kinds, str, str, str, Callable[[ast.BinOp], ast.AST]], ...] = (
    (
        (ast.MatMult, ast.Mult),
        "sides_exchanged",
        _SIDES.format("product"),
        _ON_THE_LEFT,
        _exchanged,
    ),
    (
        (ast.Div, ast.FloorDiv),
        "sides_exchanged",
        _SIDES.format("quotient"),
        _ON_THE_LEFT,
        _exchanged,
    ),
    (ast.Sub, "sides_exchanged", _SIDES.format("difference"), _ON_THE_LEFT, _exchanged),
    (
        ast.MatMult,
        "entry_by_entry",
        "a matrix product were a product entry by entry",
        "Which operator sums over an axis?",
        _instead(ast.Mult),
    ),
    (
        ast.MatMult,
        "factor_transposed",
        _FACTOR.format("right"),
        _SUMMED,
        partial(_turned, attribute="right"),
    ),
    (
        ast.MatMult,
        "factor_transposed",
        _FACTOR.format("left"),
        _SUMMED,
        partial(_turned, attribute="left"),
    ),
    (ast.Div, "multiplied_or_divided", _TIMES, _LARGER, _instead(ast.Mult)),
    (ast.Mult, "multiplied_or_divided", _TIMES, _LARGER, _instead(ast.Div)),
    (ast.Add, "added_or_subtracted", _PLUS, "Which sign belongs there?", _instead(ast.Sub)),
    (ast.Sub, "added_or_subtracted", _PLUS, "Which sign belongs there?", _instead(ast.Add)),
    (
        ast.Div,
        "rounded",
        "a quotient were cut to a whole number",
        "Which operator divides without a remainder?",
        _instead(ast.FloorDiv),
    ),
    (ast.Div, "other_operation", _OTHER, _WHICH, _instead(ast.Sub)),
    (ast.Div, "other_operation", _OTHER, _WHICH, _instead(ast.Add)),
    (ast.Div, "not_divided", "nothing were divided", "What must it be divided by, and why?", _left),
    (ast.Sub, "other_operation", "it divided where one subtracts", _WHICH, _instead(ast.Div)),
    (
        ast.Sub,
        "not_subtracted",
        "nothing were taken off",
        "What must be taken off, and why?",
        _left,
    ),
)
"""By the operators that may be meant: the name of a slip, what is said, what is asked, and what it
makes of the operation."""

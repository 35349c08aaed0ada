"""Small slips in an operation: another operator, its sides exchanged, a factor turned, a term left
out."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import partial

from autograder.diagnosis.function_slips import Slip


def of_operator(node: ast.BinOp) -> Iterator[Slip]:
    """What may become of an operation."""
    for kinds, name, phrase, ask, change in _OPERATORS:
        if isinstance(node.op, kinds):
            yield name, phrase, ask, change


def _left(node: ast.BinOp) -> ast.AST:
    return node.left


def _products(node: ast.BinOp, way: str) -> ast.AST:
    """All products of a matrix product, and what else becomes of them."""
    left, right = ast.unparse(node.left), ast.unparse(node.right)
    code = f"(({left})[..., :, :, None] * ({right})[..., None, :, :]).{way}"
    return ast.parse(code, mode="eval").body


def _right(node: ast.BinOp) -> ast.AST:
    return node.right


def _turned(node: ast.BinOp, attribute: str) -> ast.AST:
    turned = ast.Call(
        ast.Attribute(getattr(node, attribute), "swapaxes", ast.Load()),
        [ast.UnaryOp(ast.USub(), ast.Constant(1)), ast.UnaryOp(ast.USub(), ast.Constant(2))],
        [],
    )
    sides = {"left": node.left, "right": node.right, attribute: turned}
    return ast.BinOp(sides["left"], node.op, sides["right"])


def _instead(operator: type[ast.operator]) -> Callable[[ast.BinOp], ast.AST]:
    return lambda n: ast.BinOp(n.left, operator(), n.right)


def _exponent(template: str) -> Callable[[ast.BinOp], ast.AST]:
    def changed(node: ast.BinOp) -> ast.AST:
        exponent = ast.parse(template.format(ast.unparse(node.right)), mode="eval").body
        return ast.BinOp(node.left, node.op, exponent)

    return changed


def _exchanged(node: ast.BinOp) -> ast.AST:
    return ast.BinOp(node.right, node.op, node.left)


def _of_quotient(node: ast.BinOp) -> ast.AST:
    """Of ``a / f(b)`` the function of the quotient, ``f(a / b)``; nothing else changes."""
    divisor = node.right
    if not isinstance(divisor, ast.Call) or len(divisor.args) != 1:
        return node
    quotient = ast.BinOp(node.left, node.op, divisor.args[0])
    return ast.Call(divisor.func, [quotient], divisor.keywords)


_SIDES = "the two sides of each {} had changed places"
_ON_THE_LEFT = "Which of them stands on the left?"
_TIMES = "it multiplied where one divides, or divided where one multiplies"
_LARGER = "Should the number become larger or smaller there?"
_PLUS = "it added where one subtracts, or subtracted where one adds"
_FACTOR = "the {} factor of each matrix product were transposed"
_SUMMED = "Which axes of the two factors are summed over?"
_OTHER = "another operation stood where one divides"
_WHICH = "Which operation belongs there?"

_EXPONENT = "What does each part of your exponent count?"

_Kinds = type[ast.operator] | tuple[type[ast.operator], ...]

_Slip = tuple[_Kinds, str, str, str, Callable[[ast.BinOp], ast.AST]]


def _other_sums() -> Iterator[_Slip]:
    """A matrix product whose products are not added up, or along another axis."""
    elsewhere = "products were added up along another axis"
    for name, phrase, way in (
        ("largest_alone", "the largest product were taken where they are added up", "max(-2)"),
        ("averaged", "products were averaged where they are added up", "mean(-2)"),
        ("summed_elsewhere", elsewhere, "sum(-1)"),
        ("summed_elsewhere", elsewhere, "sum(-3)"),
    ):
        ask = "What becomes of the products, and along which axis?"
        yield (ast.MatMult, name, phrase, ask, partial(_products, way=way))


_OPERATORS: tuple[_Slip, ...] = (
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
    *_other_sums(),
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
    (
        ast.Div,
        "function_of_quotient",
        "it divided first, and took the function of what comes out",
        "Of which number do you take it?",
        _of_quotient,
    ),
    (ast.Div, "other_operation", _OTHER, _WHICH, _instead(ast.Sub)),
    (ast.Div, "other_operation", _OTHER, _WHICH, _instead(ast.Add)),
    (ast.Div, "not_divided", "nothing were divided", "What must it be divided by, and why?", _left),
    (
        ast.Add,
        "sides_exchanged",
        "two parts were joined in the other order",
        _ON_THE_LEFT,
        _exchanged,
    ),
    (ast.Add, "not_added", "nothing were added", "What must be added to what?", _left),
    (ast.Add, "not_added", "nothing were added", "What must be added to what?", _right),
    (ast.Pow, "other_power", "an exponent were twice as large", _EXPONENT, _exponent("2 * ({})")),
    (ast.Pow, "other_power", "an exponent were half as large", _EXPONENT, _exponent("({}) / 2")),
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

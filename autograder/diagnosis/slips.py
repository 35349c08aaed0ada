"""Small slips in a place of the source: a comparison turned, a constant off by one, an operation
left out."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from autograder.diagnosis.call_slips import of_call
from autograder.diagnosis.function_slips import INSTEAD, LEFT_OUT, Slip
from autograder.diagnosis.loop_slips import of_for
from autograder.diagnosis.operator_slips import of_operator

_COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt, ast.GtE, ast.Eq),
    ast.LtE: (ast.Lt, ast.GtE, ast.Gt, ast.Eq),
    ast.Gt: (ast.GtE, ast.Lt, ast.LtE, ast.Eq),
    ast.GtE: (ast.Gt, ast.LtE, ast.Lt, ast.Eq),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
}
_WHICH_CASE = "Which case does the docstring name that your code does not tell apart?"
_BOUNDARY = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}


def slips(node: ast.AST) -> Iterator[Slip]:
    """What may become of a node, as a name, what is said, and a function of it."""
    if isinstance(node, ast.BinOp):
        yield from of_operator(node)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield from _of_comparison(node)
    elif isinstance(node, ast.Call):
        yield from _of_call(node)
        yield from of_call(node)
    elif isinstance(node, ast.AugAssign) and type(getattr(node.value, "value", None)) is int:
        yield from _of_stride(node)
    elif isinstance(node, ast.For):
        yield from of_for(node)
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield from _of_whole_number()
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.UnaryOp):
        yield from _of_length()
    elif isinstance(node, ast.Slice):
        yield from _of_slice(node)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and _is_computed(node):
        yield "sign_turned", "a sign were turned", "Which sign belongs there?", lambda n: n.operand
    elif isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
        yield from _of_axis()
    elif isinstance(node, ast.If):
        empty: list[ast.stmt] = [ast.Pass()]
        yield (
            "case_missing",
            "a special case were like all others",
            _WHICH_CASE,
            lambda n: n.orelse or empty,
        )


def slips_of_condition(node: ast.AST) -> Iterator[Slip]:
    """What may become of a comparison in a condition."""
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return

    if isinstance(node.ops[0], ast.Eq):
        ask = "How much of the two must be the same?"
        for phrase, part in (
            ("only the first of several were compared", "({})[:1]"),
            ("only the last of several were compared", "({})[-1:]"),
            ("the order did not count where several are compared", "sorted({})"),
        ):
            yield "half_compared", phrase, ask, partial(_compared, part=part)
    elif isinstance(node.comparators[0], ast.Constant):
        for said, by in (("one more", 1), ("one less", -1)):
            yield (
                "boundary",
                f"a boundary were {said}",
                "Is the boundary included?",
                lambda n, by=by: ast.Compare(
                    n.left, n.ops, [ast.BinOp(n.comparators[0], ast.Add(), ast.Constant(by))]
                ),
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


def _compared(node: ast.Compare, part: str) -> ast.AST:
    sides = (ast.unparse(side) for side in (node.left, node.comparators[0]))
    return ast.parse(" == ".join(map(part.format, sides)), mode="eval").body


def _of_stride(node: ast.AugAssign) -> Iterator[Slip]:
    assert isinstance(node.value, ast.Constant)
    for by, word in ((1, "too many"), (-1, "too few")):
        other = ast.Constant(node.value.value + by)  # type: ignore[operator]
        yield (
            "stride",
            f"it went on by one {word}",
            "How far does your code go on there?",
            lambda n, other=other: ast.AugAssign(n.target, n.op, other),
        )


def _is_computed(node: ast.UnaryOp) -> bool:
    return not isinstance(node.operand, ast.Constant)


def _of_slice(node: ast.Slice) -> Iterator[Slip]:
    """A part that begins or ends one place further on."""
    for attribute in ("lower", "upper"):
        bound = getattr(node, attribute)
        if bound is None or isinstance(bound, ast.UnaryOp):
            continue
        for by in (1, -1):
            yield (
                "part_moved",
                "a part began or ended at another place",
                "Where does it begin, and where does it end?",
                partial(_bound_moved, attribute=attribute, by=by),
            )


def _bound_moved(node: ast.Slice, attribute: str, by: int) -> ast.AST:
    bounds = {"lower": node.lower, "upper": node.upper}
    moved = bounds[attribute]
    assert moved is not None
    bounds[attribute] = ast.BinOp(moved, ast.Add(), ast.Constant(by))
    return ast.Slice(bounds["lower"], bounds["upper"], node.step)


def _of_comparison(node: ast.Compare) -> Iterator[Slip]:
    kind = type(node.ops[0])
    for other in _COMPARED.get(kind, ()):
        if _BOUNDARY.get(kind) is other:
            said = ("boundary", "a boundary lay on the other side", "Is the boundary included?")
        elif other is ast.Eq:
            said = ("equal_only", "a comparison held for equal numbers only", "Which others count?")
        elif kind in (ast.Eq, ast.NotEq):
            said = ("cases_exchanged", "a special case and all others were exchanged", _WHICH_CASE)
        else:
            said = ("comparison_turned", "a comparison were turned round", "Which is the larger?")
        yield (*said, lambda n, other=other: ast.Compare(n.left, [other()], n.comparators))


def _of_call(node: ast.Call) -> Iterator[Slip]:
    name = _called(node)
    for other, phrase, ask in INSTEAD.get(name, ()):
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

"""Small mistakes in code, one row each: a phrase, a question, and the change of the code.

Most are patterns, such as ``$a @ $b -> $b @ $a``: ``$a`` stands for any expression, ``$N`` in
capitals for a constant, and ``*$a`` and ``**$a`` for all other arguments of a call. Changes that no
pattern can express are functions of a node.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

Words = tuple[str, str, str]
"""The name of a mistake, a phrase that completes "as if ...", and the question for it."""

Change = Callable[[Any], Any]
"""Changes a node; returns None if it does not fit."""


@dataclass(frozen=True)
class On:
    """A change of nodes of one kind; it returns None if the node does not fit."""

    kind: type[ast.AST]
    change: Change


Rule = tuple[Words, str | On]

SEEN = "__seen__"
"""The list in which a changed function notes that a condition was true."""


def _leaky(slope: float) -> tuple[str, str, str, str]:
    pattern = f"np.maximum($a, 0.0) -> np.maximum($a, {slope} * $a)"
    return "leaky", "a part of what is below 0 went on", "What becomes of -1 in your code?", pattern


def _capped(most: int) -> tuple[str, ...]:
    return (
        "capped",
        f"what is above {most} were cut off",
        "What becomes of 10 in your code?",
        f"np.maximum($a, 0.0) -> np.clip($a, 0.0, {most}.0)",
    )


# fmt: off
_LEFT = "Which of them stands on the left?"
_SUMMED = "Which axes of the two factors are summed over?"
_PRODUCTS = "What becomes of the products, and along which axis?"
_OPERATION = "Which operation belongs there?"
_UNDER = "What belongs under the root?"
_PARENTHESES = "Which parts of your formula belong between parentheses?"
_EXPONENT = "What does each part of your exponent count?"
_BOUNDARY = "Is the boundary included?"
_CASE = "Which case does the docstring name that your code does not tell apart?"
_SAME = "How much of the two must be the same?"
_COUNT = "Where do you begin to count, and is the end included?"
_SLICE = "Where does it begin, and where does it end?"
_STRIDE = "How far does your code go on there?"
_ENDS = "From where to where does your loop go?"
_AXIS = "Along which axis must it be?"
_TYPE = "Which type is asked for?"
_BYTES = "What should a reader see in their place?"
_TOTAL = "Which total belongs there?"
_TIES = "Which of several that are equal does your code take?"
_ROOT = "What is the square root of 16?"
_ROUND = "Which way do you round?"

_OPERATIONS = (
    ("sides_exchanged", "the two sides of each product had changed places", _LEFT,
     "$a @ $b -> $b @ $a", "$a * $b -> $b * $a"),
    ("sides_exchanged", "the two sides of each quotient had changed places", _LEFT,
     "$a / $b -> $b / $a", "$a // $b -> $b // $a"),
    ("sides_exchanged", "the two sides of each difference had changed places", _LEFT,
     "$a - $b -> $b - $a"),
    ("entry_by_entry", "a matrix product were a product entry by entry",
     "Which operator sums over an axis?", "$a @ $b -> $a * $b"),
    ("factor_transposed", "the right factor of each matrix product were transposed", _SUMMED,
     "$a @ $b -> $a @ $b.swapaxes(-1, -2)"),
    ("factor_transposed", "the left factor of each matrix product were transposed", _SUMMED,
     "$a @ $b -> $a.swapaxes(-1, -2) @ $b"),
    ("largest_alone", "the largest product were taken where they are added up", _PRODUCTS,
     "$a @ $b -> ($a[..., :, :, None] * $b[..., None, :, :]).max(-2)"),
    ("averaged", "products were averaged where they are added up", _PRODUCTS,
     "$a @ $b -> ($a[..., :, :, None] * $b[..., None, :, :]).mean(-2)"),
    ("summed_elsewhere", "products were added up along another axis", _PRODUCTS,
     "$a @ $b -> ($a[..., :, :, None] * $b[..., None, :, :]).sum(-1)"),
    ("summed_elsewhere", "products were added up along another axis", _PRODUCTS,
     "$a @ $b -> ($a[..., :, :, None] * $b[..., None, :, :]).sum(-3)"),
    ("multiplied_or_divided", "it multiplied where one divides, or divided where one multiplies",
     "Should the number become larger or smaller there?",
     "$a / $b -> $a * $b", "$a * $b -> $a / $b"),
    ("added_or_subtracted", "it added where one subtracts, or subtracted where one adds",
     "Which sign belongs there?", "$a + $b -> $a - $b", "$a - $b -> $a + $b"),
    ("rounded", "a quotient were cut to a whole number",
     "Which operator divides without a remainder?", "$a / $b -> $a // $b"),
    ("function_of_quotient", "it divided first, and took the function of what comes out",
     "Of which number do you take it?", "$a / $f($b, **$named) -> $f($a / $b, **$named)"),
    ("other_operation", "another operation stood where one divides", _OPERATION,
     "$a / $b -> $a - $b"),
    ("other_operation", "another operation stood where one divides", _OPERATION,
     "$a / $b -> $a + $b"),
    ("not_divided", "nothing were divided", "What must it be divided by, and why?",
     "$a / $b -> $a"),
    ("sides_exchanged", "two parts were joined in the other order", _LEFT, "$a + $b -> $b + $a"),
    ("not_added", "nothing were added", "What must be added to what?", "$a + $b -> $a"),
    ("not_added", "nothing were added", "What must be added to what?", "$a + $b -> $b"),
    ("larger_of_two", "the larger of two stood where they are added",
     "What becomes of the smaller one?", "$a + $b -> np.maximum($a, $b)"),
    ("other_power", "an exponent were twice as large", _EXPONENT, "$a ** $b -> $a ** (2 * $b)"),
    ("other_power", "an exponent were half as large", _EXPONENT, "$a ** $b -> $a ** ($b / 2)"),
    ("product_to_the_power", "an exponent were also that of the factor in front of it",
     "To what does the exponent belong?", "$a * $b ** $c -> ($a * $b) ** $c"),
    ("other_operation", "it divided where one subtracts", _OPERATION, "$a - $b -> $a / $b"),
    ("not_subtracted", "nothing were taken off", "What must be taken off, and why?",
     "$a - $b -> $a"),
    ("not_subtracted", "there were nothing to take a number off from",
     "From what must it be taken off?", "$a - $b -> -$b"),
    ("parentheses", "a root held only the first of two factors", _UNDER,
     "$np.sqrt($a * $b) -> $np.sqrt($a) * $b"),
    ("parentheses", "a root held only the first of two terms", _UNDER,
     "$np.sqrt($a + $b) -> $np.sqrt($a) + $b"),
    ("parentheses", "only the first factor of a divisor divided", _PARENTHESES,
     "$a / ($b * $c) -> $a / $b * $c"),
    ("parentheses", "only the first term of a divisor divided", _PARENTHESES,
     "$a / ($b + $c) -> $a / $b + $c"),
    ("parentheses", "only one term of a sum were multiplied", _PARENTHESES,
     "$a * ($b + $c) -> $a * $b + $c", "($a + $b) * $c -> $a + $b * $c"),
    ("parentheses", "only one term of a difference were multiplied", _PARENTHESES,
     "$a * ($b - $c) -> $a * $b - $c", "($a - $b) * $c -> $a - $b * $c"),
    ("parentheses", "only the first term were divided", _PARENTHESES,
     "($a - $b) / $c -> $a / $c - $b", "($a + $b) / $c -> $a / $c + $b"),
    ("parentheses", "only the second term were divided", _PARENTHESES,
     "($a - $b) / $c -> $a - $b / $c", "($a + $b) / $c -> $a + $b / $c"),
    ("parentheses", "a term were added before the product, and not to it", _PARENTHESES,
     "$a @ $b + $c -> $a @ ($b + $c)", "$a * $b + $c -> $a * ($b + $c)"),
    ("factor_twice", "a factor were used twice", "How often does your code use each factor?",
     "$a * $b -> $a * $a * $b", "$a * $b -> $a * $b * $b"),
)

_COMPARISONS = (
    ("boundary", "a boundary lay on the other side", _BOUNDARY,
     "$a < $b -> $a <= $b", "$a <= $b -> $a < $b", "$a > $b -> $a >= $b", "$a >= $b -> $a > $b"),
    ("comparison_turned", "a comparison were turned round", "Which is the larger?",
     "$a < $b -> $a > $b", "$a < $b -> $a >= $b", "$a <= $b -> $a >= $b", "$a <= $b -> $a > $b",
     "$a > $b -> $a < $b", "$a > $b -> $a <= $b", "$a >= $b -> $a <= $b", "$a >= $b -> $a < $b"),
    ("equal_only", "a comparison held for equal numbers only", "Which others count?",
     "$a < $b -> $a == $b", "$a <= $b -> $a == $b", "$a > $b -> $a == $b", "$a >= $b -> $a == $b",
     "$a != $b -> $a == $b"),
    ("cases_exchanged", "a special case and all others were exchanged", _CASE,
     "$a == $b -> $a != $b"),
)

_INSTEAD = (
    ("max", "min", "the smallest stood for the largest", "Which of the two does your code take?"),
    ("min", "max", "the largest stood for the smallest", "Which of the two does your code take?"),
    ("maximum", "minimum", "the smaller stood for the larger", "Which one does your code take?"),
    ("minimum", "maximum", "the larger stood for the smaller", "Which one does your code take?"),
    ("sum", "mean", "a mean stood for a sum", "What does your code divide by?"),
    ("mean", "sum", "a sum stood for a mean", "What does your code divide by?"),
    ("exp", "exp2", "powers of 2 stood for the exponential", "Which base do your powers have?"),
    ("exp", "expm1", "1 were taken off the exponential",
     "What is the exponential of 0 in your code?"),
    ("sqrt", "square", "a square stood for a square root", "Which power belongs there?"),
    ("sqrt", "log", "a logarithm stood for a square root", _ROOT),
    ("sqrt", "log2", "a logarithm stood for a square root", _ROOT),
    ("sqrt", "log1p", "a logarithm stood for a square root", _ROOT),
    ("sqrt", "cbrt", "another root stood for a square root", _ROOT),
    ("sqrt", "exp", "an exponential stood for a square root", _ROOT),
    ("tril", "triu", "the other triangle were kept", "Which side of the diagonal is it?"),
    ("triu", "tril", "the other triangle were kept", "Which side of the diagonal is it?"),
    ("all", "any", "one were enough for all", "Must one hold, or all?"),
    ("any", "all", "all had to hold for one", "Must one hold, or all?"),
    ("floor", "ceil", "numbers were rounded up", _ROUND),
    ("ceil", "floor", "numbers were rounded down", _ROUND),
)
"""A function, another one in its place, the phrase, and the question."""

_LEFT_OUT = (
    ("sqrt", "no square root were taken", "Which power belongs there?"),
    ("exp", "no exponential were taken", "Where does your code take the exponential?"),
    ("exp2", "no power of two were taken", "Where does your code take powers?"),
    ("log", "no logarithm were taken", "Where does your code take the logarithm?"),
    ("abs", "no absolute value were taken", "What becomes of signs in your code?"),
    ("max", "no maximum were taken", "Where does your code take the largest?"),
    ("maximum", "no maximum were taken", "Where does your code take the larger?"),
    ("min", "no minimum were taken", "Where does your code take the smallest?"),
    ("minimum", "no minimum were taken", "Where does your code take the smaller?"),
    ("sum", "nothing were added up", "What does your code add up?"),
    ("mean", "no mean were taken", "What does your code average?"),
    ("swapaxes", "no axes changed places", "Which axes must change places?"),
    ("transpose", "no axes changed places", "Which axes must change places?"),
    ("moveaxis", "no axis moved", "Which axis must move, and where to?"),
    ("expand_dims", "no axis of length 1 were added", "Which axis must be added, and where?"),
    ("sorted", "nothing were sorted", "Which order is asked for?"),
    ("reversed", "nothing were reversed", "Which order is asked for?"),
    ("lower", "letters kept their case", "What becomes of capital letters?"),
    ("upper", "letters kept their case", "What becomes of capital letters?"),
    ("strip", "spaces at the ends stayed", "What becomes of spaces at the ends?"),
    ("int", "nothing became a whole number", _TYPE),
    ("float", "nothing became a number", _TYPE),
    ("round", "nothing were rounded", "Where does your code round?"),
    ("set", "nothing were counted once only", "What becomes of what stands there twice?"),
)
"""A function that is left out, the phrase, and the question."""

_CALLS = (
    ("letters_for_bytes", "every letter were one number, and not its bytes",
     "How many bytes may a letter have?",
     "$a.encode(*$given, **$named) -> [ord(letter) for letter in $a]"),
    ("other_encoding", "a letter that is not English were written otherwise",
     "Which rule makes bytes of letters?",
     "$a.encode(*$given, **$named) -> $a.encode('latin-1', 'replace')"),
    ("other_encoding", "every byte were a letter of its own", "Which rule makes letters of bytes?",
     "$a.decode(*$given, **$named) -> $a.decode('latin-1')"),
    ("broken_bytes", "bytes that are no text were left out", _BYTES,
     "$a.decode(*$given, **$named) -> $a.decode('utf-8', 'ignore')"),
    ("broken_bytes", "bytes that are no text were an error", _BYTES,
     "$a.decode(*$given, **$named) -> $a.decode('utf-8')"),
    ("operation_missing", "nothing were read as text", _TYPE, "$a.decode(*$given, **$named) -> $a"),
    ("put_in_front", "new things were put in front", "At which end does your list grow?",
     "$a.append($b) -> $a.insert(0, $b)"),
    ("separated", "something stood between the parts", "With what does your code join them?",
     "$a.join($b) -> "
     "type($a)($a + type($a)(b' ' if isinstance($a, bytes) else ' ')).join($b)"),
    ("loop_too_short", "a loop left out its last turn", _ENDS,
     "range(*$given) -> list(range(*$given))[:-1]"),
    ("loop_too_long", "a loop took one turn too many", _ENDS,
     "range(*$given) -> [*range(*$given), range(*$given).stop]"),
    ("truncated", "a square root were cut to a whole number",
     "What is the square root of 8 in your code?", "$np.sqrt($a) -> np.floor($np.sqrt($a))"),
    ("off_by_one", "a length were one less", "Which place has the last one?",
     "len(*$given) -> len(*$given) - 1"),
    ("added_to_total", "1 were added to a total", _TOTAL,
     "$a.sum(*$given, **$named) -> 1 + $a.sum(*$given, **$named)"),
    ("logarithm_of_total", "a logarithm of a total were taken", _TOTAL,
     "$a.sum(*$given, **$named) -> np.log($a.sum(*$given, **$named))"),
    ("logarithm_of_total", "a logarithm of a total were taken", _TOTAL,
     "$a.sum(*$given, **$named) -> np.log(1 + $a.sum(*$given, **$named))"),
    ("root_of_total", "the square root of a total were taken", _TOTAL,
     "$a.sum(*$given, **$named) -> np.sqrt($a.sum(*$given, **$named))"),
    ("largest_left_out", "a total left out the largest", _TOTAL,
     "$a.sum(*$given, **$named) -> $a.sum(*$given, **$named) - $a.max(*$given, **$named)"),
    ("length_for_total", "the root of a total of squares stood for a total", _TOTAL,
     "$a.sum(*$given, **$named) -> np.sqrt(($a ** 2).sum(*$given, **$named))"),
    ("count_for_total", "how many there are stood for a total", _TOTAL,
     "$a.sum(*$given, **$named) -> $a.sum(*$given, **$named) / $a.mean(*$given, **$named)"),
    ("running_total", "a running total stood for the total",
     "Which entries belong into the total of each?",
     "$a.sum(*$given, axis=$axis, **$named) -> $a.cumsum(*$given, axis=$axis)",
     "$a.sum(*$given) -> $a.cumsum(*$given)"),
    ("one_for_all", "all rows had one total, the mean of theirs", _TOTAL,
     "$np.sum(*$given, axis=-1, keepdims=True) -> "
     "$np.sum(*$given, axis=-1, keepdims=True).mean(-2, keepdims=True)"),
    *map(_leaky, (0.001, 0.01, 0.1, 0.2)),
    *map(_capped, (1, 6)),
    ("ties", "nothing decided among equals", _TIES,
     "np.argsort($a, kind=$b) -> np.argsort($a)"),
    ("ties", "the last came first among equals", _TIES,
     "np.argsort(-$a, kind=$b) -> np.argsort($a, kind=$b)[::-1]"),
    ("read_in_parts", "every part were read as text by itself", "Is every part a whole text?",
     "$a.join($b).decode(*$given, **$named) -> "
     "''.join(part.decode(*$given, **$named) for part in $b)"),
    ("ties", "nothing decided among equals", _TIES,
     "min(*$given, key=lambda $x: ($a, $b), **$named) -> "
     "min(*$given, key=lambda $x: ($a,), **$named)",
     "max(*$given, key=lambda $x: ($a, $b), **$named) -> "
     "max(*$given, key=lambda $x: ($a,), **$named)"),
    ("ties", "another one were taken among equals", _TIES,
     "min(*$given, key=lambda $x: ($a, $b), **$named) -> "
     "max(*$given, key=lambda $x: (-$a, $b), **$named)",
     "max(*$given, key=lambda $x: ($a, $b), **$named) -> "
     "min(*$given, key=lambda $x: (-$a, $b), **$named)"),
    ("ties", "something else decided among equals", _TIES,
     "min(*$given, key=lambda $x: ($a, $b), **$named) -> "
     "min(*$given, key=lambda $x: ($a, $b[::-1]), **$named)",
     "max(*$given, key=lambda $x: ($a, $b), **$named) -> "
     "max(*$given, key=lambda $x: ($a, $b[::-1]), **$named)"),
)

_CONDITIONS = (
    ("half_compared", "only the first of several were compared", _SAME,
     "$a == $b -> $a[:1] == $b[:1]"),
    ("half_compared", "only the last of several were compared", _SAME,
     "$a == $b -> $a[-1:] == $b[-1:]"),
    ("half_compared", "the order did not count where several are compared", _SAME,
     "$a == $b -> sorted($a) == sorted($b)"),
)
# fmt: on


def _left_out(node: ast.Call, name: str) -> ast.AST | None:
    """What a function is applied to: its first argument, or the object of its method."""
    function = node.func
    if isinstance(function, ast.Attribute) and function.attr == name:
        owner = function.value
        if not (isinstance(owner, ast.Name) and owner.id in ("np", "numpy", "math")):
            return owner
    elif not (isinstance(function, ast.Name) and function.id == name):
        return None
    return node.args[0] if node.args else None


def _other_number(node: ast.Constant, by: int) -> ast.AST | None:
    return ast.Constant(node.value + by) if type(node.value) is int else None


def _other_stride(node: ast.AugAssign, by: int) -> ast.AST | None:
    if not isinstance(node.value, ast.Constant) or type(node.value.value) is not int:
        return None
    return ast.AugAssign(node.target, node.op, ast.Constant(node.value.value + by))


def _moved(node: ast.Slice, end: str, by: int) -> ast.AST | None:
    """A slice that begins or ends one place further on."""
    bounds = {"lower": node.lower, "upper": node.upper}
    bound = bounds[end]
    if bound is None or isinstance(bound, ast.UnaryOp):
        return None
    bounds[end] = _plus(bound, by)
    return ast.Slice(bounds["lower"], bounds["upper"], node.step)


def _boundary_moved(node: ast.Compare, by: int) -> ast.AST | None:
    number = node.comparators[0]
    if len(node.ops) > 1 or isinstance(node.ops[0], ast.Eq) or not isinstance(number, ast.Constant):
        return None
    return ast.Compare(node.left, node.ops, [_plus(number, by)])


def _plus(node: ast.expr, by: int) -> ast.expr:
    return ast.BinOp(node, ast.Add(), ast.Constant(by))


def _sign_turned(node: ast.UnaryOp) -> ast.AST | None:
    is_number = isinstance(node.operand, ast.Constant)
    return node.operand if isinstance(node.op, ast.USub) and not is_number else None


def _going_through(node: ast.For, part: str) -> ast.AST:
    sliced = ast.parse(f"list(x)[{part}]", mode="eval").body
    sliced.value.args = [node.iter]  # type: ignore[attr-defined]
    return ast.For(node.target, sliced, node.body, node.orelse)


def _of_patterns(rows: tuple[tuple[str, ...], ...]) -> Iterator[Rule]:
    for name, phrase, ask, *changes in rows:
        for change in changes:
            yield (name, phrase, ask), change


def _of_functions() -> Iterator[Rule]:
    """A function mistaken for another, or left out."""
    for name, other, phrase, ask in _INSTEAD:
        for owner in ("", "$a."):
            change = "{0}{1}(*$given, **$named) -> {0}{2}(*$given, **$named)"
            yield ("other_function", phrase, ask), change.format(owner, name, other)
    for name, phrase, ask in _LEFT_OUT:
        yield ("operation_missing", phrase, ask), On(ast.Call, partial(_left_out, name=name))


def _of_axes() -> Iterator[Rule]:
    """An axis that a call names, or a negative number, which is usually an axis."""
    everything = "over_everything", "all numbers were merged where it is one axis only", _AXIS
    call = "$f(*$given, axis=$axis, **$named) -> $f(*$given{}, **$named)"
    yield everything, call.format("")
    for axis in (-1, -2, 0, 1):
        other = "other_axis", "it went along another axis", _AXIS
        yield other, call.format(f", axis={axis}")

    ask = "Which shape has the total of each row, and does it still line up with the rows?"
    dropped = "axis_dropped", "an axis were lost where numbers along it are merged", ask
    call = "$f(*$given, keepdims=$kept, **$named) -> $f(*$given, **$named)"
    yield dropped, call

    ask = "Which axis must it be, counted from the end?"
    for axis in (-1, -2, -3, -4, 0, 1):
        yield ("other_axis", "it went along another axis", ask), f"-$N -> {axis}"

    length = "other_length", "a length were that of another axis", "Which length belongs there?"
    for axis in (-1, -2, -3, 0, 1):
        yield length, f"$a[-$b] -> $a[{axis}]"


def _of_numbers() -> Iterator[Rule]:
    """A number, a step or the end of a slice that is off by one."""
    for by, much, many in ((1, "one more", "too many"), (-1, "one less", "too few")):
        words = "off_by_one", f"something were {much}", _COUNT
        yield words, On(ast.Constant, partial(_other_number, by=by))
        words = "stride", f"it went on by one {many}", _STRIDE
        yield words, On(ast.AugAssign, partial(_other_stride, by=by))
    for end in ("lower", "upper"):
        for by in (1, -1):
            moved = "part_moved", "a part began or ended at another place", _SLICE
            yield moved, On(ast.Slice, partial(_moved, end=end, by=by))


def _of_statements() -> Iterator[Rule]:
    words = "sign_turned", "a sign were turned", "Which sign belongs there?"
    yield words, On(ast.UnaryOp, _sign_turned)
    words = "case_missing", "a special case were like all others", _CASE
    yield words, On(ast.If, lambda node: node.orelse or [ast.Pass()])
    for name, phrase, ask, part in (
        ("loop_reversed", "a loop went backwards", "In which order does your loop go?", "::-1"),
        ("loop_too_short", "a loop left out its first turn", _ENDS, "1:"),
        ("loop_too_short", "a loop left out its last turn", _ENDS, ":-1"),
        ("loop_in_steps", "a loop took every second turn only", "Where do the others stay?", "::2"),
    ):
        yield (name, phrase, ask), On(ast.For, partial(_going_through, part=part))


def _of_conditions() -> Iterator[Rule]:
    yield from _of_patterns(_CONDITIONS)
    for by, much in ((1, "one more"), (-1, "one less")):
        words = "boundary", f"a boundary were {much}", _BOUNDARY
        yield words, On(ast.Compare, partial(_boundary_moved, by=by))


RULES: tuple[Rule, ...] = (
    *_of_patterns(_OPERATIONS),
    *_of_patterns(_COMPARISONS),
    *_of_functions(),
    *_of_axes(),
    *_of_patterns(_CALLS),
    *_of_numbers(),
    *_of_statements(),
)
"""Changes of code, the likeliest first."""

IN_CONDITIONS: tuple[Rule, ...] = tuple(_of_conditions())
"""Changes of a condition."""


def in_function(node: ast.FunctionDef) -> Iterator[tuple[Words, Change]]:
    """Changes of the loops in a function."""
    if isinstance(node.body[-1], ast.Return):
        phrase = "it returned at the end of the first turn of its loop"
        for place, _ in enumerate(_loops(node)):
            words = "first_turn_only", phrase, "How often does your loop run?"
            yield words, partial(_returning_early, place=place)

    phrase = "a condition in its loop held the first time only"
    for place, _ in enumerate(_conditions(node)):
        words = "first_time_only", phrase, "What happens in your code after that?"
        yield words, partial(_held_once, place=place)

    phrase = "something in its loop were worked out and not kept"
    for place, (block, number) in enumerate(_lines(node)):
        if len(block) > 1 or number:
            words = "not_kept", phrase, "Which of your results is used nowhere?"
            yield words, partial(_not_kept, place=place)


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
    """The conditions in the loops of a function, without repeats."""
    found = []
    for loop in _loops(node):
        for part in ast.walk(loop):
            if isinstance(part, ast.If) and part not in found:
                found.append(part)
    return found


def _lines(node: ast.FunctionDef) -> list[tuple[list[ast.stmt], int]]:
    """The lines in the loops of a function that store something: the block and the index."""
    found = []
    for part in (*_loops(node), *_conditions(node)):
        for block in (part.body, part.orelse):
            for number, line in enumerate(block):
                if isinstance(line, (ast.Assign, ast.AugAssign, ast.Expr)):
                    found.append((block, number))
    return found

"""Small slips in a call: who is taken among equals, how texts become bytes, how lists grow."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograder.diagnosis.function_slips import Slip

_TIES = "Which of several that are equal does your code take?"
_TURNED = {"min": "max", "max": "min"}

_TEMPLATES: dict[str, tuple[tuple[str, str, str, str], ...]] = {
    "encode": (
        (
            "letters_for_bytes",
            "every letter were one number, and not its bytes",
            "How many bytes may a letter have?",
            "[ord(letter) for letter in {}]",
        ),
        (
            "other_encoding",
            "a letter that is not English were written otherwise",
            "Which rule makes bytes of letters?",
            "{}.encode('latin-1', 'replace')",
        ),
    ),
    "decode": (
        (
            "other_encoding",
            "every byte were a letter of its own",
            "Which rule makes letters of bytes?",
            "{}.decode('latin-1')",
        ),
        (
            "broken_bytes",
            "bytes that are no text were left out",
            "What should a reader see in their place?",
            "{}.decode('utf-8', 'ignore')",
        ),
        (
            "broken_bytes",
            "bytes that are no text were an error",
            "What should a reader see in their place?",
            "{}.decode('utf-8')",
        ),
        (
            "operation_missing",
            "nothing were read as text",
            "Which type is asked for?",
            "{}",
        ),
    ),
    "append": (
        (
            "put_in_front",
            "new things were put in front",
            "At which end does your list grow?",
            "{}.insert(0, {})",
        ),
    ),
    "join": (
        (
            "separated",
            "something stood between the parts",
            "With what does your code join them?",
            "type({0})({0} + type({0})(b' ' if isinstance({0}, bytes) else ' ')).join({1})",
        ),
    ),
    "range": (
        (
            "loop_too_short",
            "a loop left out its last turn",
            "From where to where does your loop go?",
            "list(range(*{}))[:-1]",
        ),
        (
            "loop_too_long",
            "a loop took one turn too many",
            "From where to where does your loop go?",
            "[*range(*{0}), range(*{0}).stop]",
        ),
    ),
    "sqrt": (
        (
            "truncated",
            "a square root were cut to a whole number",
            "What is the square root of 8 in your code?",
            "np.floor({0}.sqrt({1}))",
        ),
    ),
    "len": (
        (
            "off_by_one",
            "a length were one less",
            "Which place has the last one?",
            "(len(*{}) - 1)",
        ),
    ),
}
"""By the function called: the name of a slip, what is said, what is asked, and what stands there
instead: of a method its owner and what it is given, of a function all that it is given."""


_WHICH_TOTAL = "Which total belongs there?"

_TOTALS = (
    ("added_to_total", "1 were added to a total", _WHICH_TOTAL, "1 + {0}"),
    ("logarithm_of_total", "a logarithm of a total were taken", _WHICH_TOTAL, "np.log({0})"),
    ("logarithm_of_total", "a logarithm of a total were taken", _WHICH_TOTAL, "np.log(1 + {0})"),
    ("root_of_total", "the square root of a total were taken", _WHICH_TOTAL, "np.sqrt({0})"),
    ("largest_left_out", "a total left out the largest", _WHICH_TOTAL, "{0} - {1}"),
    (
        "length_for_total",
        "the root of a total of squares stood for a total",
        _WHICH_TOTAL,
        "np.sqrt({4})",
    ),
    ("count_for_total", "how many there are stood for a total", _WHICH_TOTAL, "{0} / {2}"),
    (
        "running_total",
        "a running total stood for the total",
        "Which entries belong into the total of each?",
        "{3}",
    ),
)
"""Of a total: the name of a slip, what is said, what is asked, and what stands there instead: of
the total, the largest, the mean, the running total and the total of the squares."""


def of_call(node: ast.Call) -> Iterator[Slip]:
    """What may become of a call."""
    called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    called = node.func.id if isinstance(node.func, ast.Name) else called
    for name, phrase, ask, template in _TEMPLATES.get(called, ()):
        yield name, phrase, ask, lambda n, template=template: _filled(n, template)
    if called == "sum" and isinstance(node.func, ast.Attribute):
        for name, phrase, ask, template in _TOTALS:
            yield name, phrase, ask, lambda n, template=template: _of_whole(n, template)
    if called == "decode" and _is_joined(node):
        ask = "Is every part a whole text?"
        yield "read_in_parts", "every part were read as text by itself", ask, _read_in_parts
    if called in _TURNED and isinstance(node.func, ast.Name) and _ranks(node):
        yield "ties", "nothing decided among equals", _TIES, _undecided
        yield "ties", "another one were taken among equals", _TIES, _turned
        yield "ties", "something else decided among equals", _TIES, _from_the_other_end


def _filled(node: ast.Call, template: str) -> ast.AST:
    parts = [f"({ast.unparse(node.func.value)})"] if isinstance(node.func, ast.Attribute) else []
    given = ", ".join(map(ast.unparse, node.args))
    parts.append(given if parts else f"({given},)")
    return ast.parse(template.format(*parts), mode="eval").body


def _of_whole(node: ast.Call, template: str) -> ast.AST:
    """What becomes of a total, by a template."""
    assert isinstance(node.func, ast.Attribute)
    owner, parts = node.func.value, []
    axes = [keyword for keyword in node.keywords if keyword.arg == "axis"]
    for name, keywords in (
        ("sum", node.keywords),
        ("max", node.keywords),
        ("mean", node.keywords),
        ("cumsum", axes),
    ):
        function = ast.Attribute(owner, name, ast.Load())
        parts.append(ast.unparse(ast.Call(function, node.args, keywords)))
    squares = ast.Attribute(ast.BinOp(owner, ast.Pow(), ast.Constant(2)), "sum", ast.Load())
    parts.append(ast.unparse(ast.Call(squares, node.args, node.keywords)))
    return ast.parse(f"({template.format(*parts)})", mode="eval").body


def _is_joined(node: ast.Call) -> bool:
    """Whether what is read as text has just been joined of its parts."""
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    joins = isinstance(owner, ast.Call) and isinstance(owner.func, ast.Attribute)
    return joins and owner.func.attr == "join"  # type: ignore[union-attr]


def _read_in_parts(node: ast.Call) -> ast.AST:
    joined = node.func.value  # type: ignore[attr-defined]
    read = ast.parse("''.join(part.decode() for part in x)", mode="eval").body
    assert isinstance(read, ast.Call) and isinstance(read.args[0], ast.GeneratorExp)
    parts = read.args[0]
    parts.elt = ast.Call(parts.elt.func, node.args, node.keywords)  # type: ignore[attr-defined]
    parts.generators[0].iter = joined.args[0]
    return read


def _ranks(node: ast.Call) -> list[ast.expr]:
    """By what a call ranks things, first of all and then among equals; empty if it does not."""
    for keyword in node.keywords:
        rank = keyword.value.body if isinstance(keyword.value, ast.Lambda) else None
        if keyword.arg == "key" and isinstance(rank, ast.Tuple) and len(rank.elts) == 2:
            return rank.elts
    return []


def _undecided(node: ast.Call) -> ast.AST:
    _ranks(node).pop()
    return node


def _turned(node: ast.Call) -> ast.AST:
    """The same first of all, and the other end of the order among equals."""
    ranks = _ranks(node)
    ranks[0] = ast.UnaryOp(ast.USub(), ranks[0])
    assert isinstance(node.func, ast.Name)
    return ast.Call(ast.Name(_TURNED[node.func.id], ast.Load()), node.args, node.keywords)


def _from_the_other_end(node: ast.Call) -> ast.AST:
    ranks = _ranks(node)
    backwards = ast.Slice(None, None, ast.UnaryOp(ast.USub(), ast.Constant(1)))
    ranks[1] = ast.Subscript(ranks[1], backwards, ast.Load())
    return node

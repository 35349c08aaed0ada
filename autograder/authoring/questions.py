"""The questions of visible checks: a notebook has them in a table, packed with the tools.

Who reads a check sees what it gives and what it wants, and no question before there is a mistake.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Set
from typing import NamedTuple

from autograder.authoring.modules import imported_as
from autograder.exercises.names import nodes

_COMPARISONS = frozenset({"agree", "same"})
"""The tools that ask; both get the answer, what is wanted, what it is, and the question."""

_ARGUMENTS = ("got", "wanted", "what", "ask")
"""How they call these. A helper that begins alike hands them on."""


class _Asked(NamedTuple):
    """A comparison: what it is about, what it asks, and where the question stands."""

    about: str
    question: str
    begin: tuple[int, int]
    end: tuple[int, int]


def taken_out(code: str, setup: str) -> tuple[str, dict[str, str]]:
    """The code of a check without the questions that can be looked up, and these.

    They are looked up by what is compared, so it must have one question throughout a check.

    Args:
        setup: the code of the setup cell, which may give the tools other names.
    """
    called = {f"tools.{name}" for name in _COMPARISONS}
    called |= imported_as(setup, "tools", _COMPARISONS)
    for helper in nodes(ast.parse(setup), ast.FunctionDef):
        if tuple(argument.arg for argument in helper.args.args[:4]) == _ARGUMENTS:
            called.add(helper.name)
    questions: dict[str, set[str]] = defaultdict(set)
    found = list(_asked(code, called))
    for asked in found:
        questions[asked.about].add(asked.question)

    table: dict[str, str] = {}
    lines = code.split("\n")
    for asked in sorted(found, key=lambda asked: asked.begin, reverse=True):
        if not asked.question or len(questions[asked.about]) > 1:
            continue
        table[asked.about] = asked.question
        (first, left), (last, right) = asked.begin, asked.end
        # Python counts columns in bytes.
        kept = lines[first - 1].encode()[:left] + lines[last - 1].encode()[right:]
        lines[first - 1 : last] = [kept.decode()]
    return "\n".join(lines), table


def _asked(code: str, called: Set[str]) -> Iterator[_Asked]:
    """The comparisons whose subject is a plain text; ``question`` is empty where it is not one."""
    for node in ast.walk(ast.parse(code)):
        if not isinstance(node, ast.Call) or ast.unparse(node.func) not in called:
            continue
        if len(node.args) < 3 or not _is_text(node.args[2]):
            continue

        asks = [*node.args[3:4], *(word.value for word in node.keywords if word.arg == "ask")]
        is_plain = len(asks) == 1 and _is_text(asks[0]) and len(node.args) <= 4
        given = asks[0] if is_plain else node.args[2]
        before = (0, 0)  # where the argument in front of it ends
        for value in [*node.args, *(word.value for word in node.keywords)]:
            if (value.lineno, value.col_offset) < (given.lineno, given.col_offset):
                before = max(before, (value.end_lineno or 0, value.end_col_offset or 0))

        about = ast.literal_eval(node.args[2])
        question = ast.literal_eval(given) if is_plain else ""
        yield _Asked(about, question, before, (given.end_lineno or 0, given.end_col_offset or 0))


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)

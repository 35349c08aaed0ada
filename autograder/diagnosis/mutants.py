"""The reference with one thing changed in its source: an operator, a comparison, a constant, an
operation left out.

Students make the same small changes, so a wrong answer that equals such a mutant in every call has
its mistake. The hint names the change, and no line of the source.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from types import CodeType
from typing import Any

from autograder.diagnosis.operators import (
    IN_CONDITIONS,
    RULES,
    Change,
    Rule,
    Words,
    in_function,
)
from autograder.engine.turns import counted

MOST = 200
"""At most this many mutants of one source."""

Spot = tuple[int, Change]
"""The index of a node in the walk through a tree, and its change."""


@dataclass(frozen=True)
class Mutant:
    """A changed source that counts the turns of its loops; ``phrase`` completes "as if ..."."""

    name: str
    phrase: str
    ask: str
    code: CodeType


def mutants(source: str, step: str) -> Iterator[Mutant]:
    """Every small change of a step's source; changes of all places of a kind at once come first.

    They are made on demand, and only once: many submissions have the same reference.
    """
    made, rest = _begun(source, step)
    place = 0
    while True:
        if place == len(made):
            try:
                made.extend(islice(rest, 1))
            except BaseException:  # the submission's time may end here
                _begun.cache_clear()
                raise
            if place == len(made):
                return
        yield made[place]
        place += 1


@cache
def _begun(source: str, step: str) -> tuple[list[Mutant], Iterator[Mutant]]:
    """The mutants of a source made so far, and an iterator over the others."""
    return [], _mutants(source, step)


def _mutants(source: str, step: str) -> Iterator[Mutant]:
    for (name, phrase, ask), spots in _changes(ast.parse(source))[:MOST]:
        try:
            changed = counted(_changed(source, spots))
            code = compile(changed, f"<{step}>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, TypeError):  # no longer Python
            continue
        yield Mutant(name, phrase, ask, code)


def _changes(tree: ast.Module) -> list[tuple[Words, list[Spot]]]:
    """Changes of a tree: everywhere, in one place, and of the loops of a function."""
    everywhere: dict[tuple[Words, int], list[Spot]] = {}
    in_one_place, in_functions = [], []
    passed_over = _passed_over(tree)
    for place, node in enumerate(ast.walk(tree)):
        if isinstance(node, ast.FunctionDef):
            for words, change in in_function(node):
                in_functions.append((words, [(place, change)]))
            continue

        said: Counter[Words] = Counter()
        rules = _OF_CONDITIONS if node in passed_over else _RULES
        for words, change in rules.get(type(node), ()):
            if change(node) is not None:
                in_one_place.append((words, [(place, change)]))
                everywhere.setdefault((words, said[words]), []).append((place, change))
                said[words] += 1

    in_several = [(words, spots) for (words, _), spots in everywhere.items() if len(spots) > 1]
    several = {words for words, _ in in_several}
    in_one_of_them = []
    for words, spots in in_one_place:
        in_one_of_them.append((_of_one(words) if words in several else words, spots))
    return in_several + in_one_of_them + in_functions


def _of_one(words: Words) -> Words:
    """The words if only one of several places is changed."""
    name, phrase, ask = words
    return name, phrase.replace(" each ", " one "), ask


def _passed_over(tree: ast.Module) -> set[ast.AST]:
    """Nodes that are the teacher's style, and say nothing about the student: conditions,
    exceptions, and the number after a minus."""
    found: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.If, ast.IfExp)):
            found.update(ast.walk(node.test))
        elif isinstance(node, ast.Raise):
            found.update(ast.walk(node))
        elif isinstance(node, ast.UnaryOp):
            found.add(node.operand)
        elif isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
            found.add(node.slice)
        elif isinstance(node, ast.keyword) and node.arg == "axis":
            found.update(ast.walk(node.value))
    return found


def _changed(source: str, spots: list[Spot]) -> ast.Module:
    # Parsing again takes a tenth of the time of a copy.
    tree = ast.parse(source)
    nodes = list(ast.walk(tree))
    new: dict[int, ast.AST | None] = {}
    for place, change in spots:
        node = nodes[place]
        new[id(node)] = change(node)
    return ast.fix_missing_locations(_Replace(new).visit(tree))  # type: ignore[no-any-return]


class _Replace(ast.NodeTransformer):
    def __init__(self, new: dict[int, ast.AST | None]) -> None:
        self._new = new

    def visit(self, node: ast.AST) -> Any:
        self.generic_visit(node)
        return self._new.get(id(node), node)


_GAP = "__gap_"
"""The prefix of the names of gaps, so that a pattern is valid Python."""

Filling = dict[str, Any]
"""What each gap matched, by its name."""


class Rewriting:
    """A change of code, such as ``$a @ $b -> $b @ $a``; it returns None for a node that does not
    fit."""

    def __init__(self, change: str) -> None:
        pattern, self._replacement = change.replace("$", _GAP).split(" -> ")
        self._pattern = _parsed(pattern)
        self.kind = type(self._pattern)

    def __call__(self, node: ast.AST) -> ast.AST | None:
        filling: Filling = {}
        if not _fits(self._pattern, node, filling):
            return None
        return _Filler(filling).visit(_parsed(self._replacement))  # type: ignore[no-any-return]


def _parsed(code: str) -> ast.expr:
    return ast.parse(code, mode="eval").body


def _fits(pattern: Any, node: Any, filling: Filling) -> bool:
    """Whether a node matches a pattern; fills its gaps."""
    gap = pattern.id if isinstance(pattern, ast.Name) else pattern
    if isinstance(gap, str) and gap.startswith(_GAP):
        filling[gap] = node
        return not gap.removeprefix(_GAP).isupper() or isinstance(node, ast.Constant)

    if isinstance(pattern, list):
        return _fit_in_order(pattern, node, filling)
    if not isinstance(pattern, ast.AST) or type(pattern) is not type(node):
        return bool(pattern == node)
    for field in pattern._fields:
        if field != "ctx" and not _fits(getattr(pattern, field), getattr(node, field), filling):
            return False
    return True


def _fit_in_order(patterns: list[Any], nodes: list[Any], filling: Filling) -> bool:
    """The same for lists of nodes; keywords may come in any order."""
    names = [getattr(pattern, "arg", None) for pattern in patterns]
    rest = sorted(nodes, key=lambda node: getattr(node, "arg", None) not in names)
    for pattern in patterns:
        if isinstance(pattern, (ast.Starred, ast.keyword)) and _gap_of_many(pattern):
            filling[_gap_of_many(pattern)] = rest
            return True
        if not rest or not _fits(pattern, rest.pop(0), filling):
            return False
    return not rest


def _gap_of_many(node: ast.AST) -> str:
    """The name of a gap for several arguments; empty for any other node."""
    is_many = isinstance(node, ast.Starred) or (isinstance(node, ast.keyword) and node.arg is None)
    name = getattr(getattr(node, "value", None), "id", "") if is_many else ""
    return name if name.startswith(_GAP) else ""


class _Filler(ast.NodeTransformer):
    """Fills the gaps of a replacement with what the pattern matched."""

    def __init__(self, filling: Filling) -> None:
        self._filling = filling

    def visit_Name(self, node: ast.Name) -> Any:
        return self._filling.get(node.id, node)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg = self._filling.get(node.arg, node.arg)
        return node

    def visit_Starred(self, node: ast.Starred | ast.keyword) -> Any:
        gap = _gap_of_many(node)
        return self._filling[gap] if gap else self.generic_visit(node)

    visit_keyword = visit_Starred


def _by_kind(rules: Iterable[Rule]) -> dict[type[ast.AST], list[tuple[Words, Change]]]:
    found: dict[type[ast.AST], list[tuple[Words, Change]]] = {}
    for words, how in rules:
        if isinstance(how, str):
            rewriting = Rewriting(how)
            found.setdefault(rewriting.kind, []).append((words, rewriting))
        else:
            found.setdefault(how.kind, []).append((words, how.change))
    return found


_RULES, _OF_CONDITIONS = _by_kind(RULES), _by_kind(IN_CONDITIONS)

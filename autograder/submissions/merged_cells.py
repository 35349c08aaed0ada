"""Cells that were merged: an answer and the checks behind it, as a slip of the keyboard does it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from autograder.exercises.exercise import ANNOUNCED
from autograder.submissions.notebook import RawCell
from autograder.submissions.python_source import binds, parsed

# The setup cell, longer than all others together, tells in its own texts how a check begins.
_BEGINNING = re.compile(f"^{ANNOUNCED.pattern}", re.MULTILINE)


def unmerged(raw: RawCell, steps: Iterable[str]) -> Iterator[RawCell]:
    """A cell; where an answer was merged with checks behind it, each of them by itself."""
    has_checks = raw.is_code and _BEGINNING.search(raw.source)
    is_merged = has_checks and not binds(raw.source).isdisjoint(steps)
    tree = parsed(raw.source) if is_merged else None
    if tree is None:
        yield raw
        return

    lines = raw.source.split("\n")  # as the parser counts them: other ends of lines are none to it
    begins = [0, *_beginnings(tree, lines), len(lines)]
    for begin, end in pairwise(begins):
        yield replace(raw, source="\n".join(lines[begin:end]).strip())


def _beginnings(tree: ast.Module, lines: Sequence[str]) -> Iterator[int]:
    """The lines, counted from 0, where checks begin: with a sentence, as a rule."""
    before: ast.stmt | None = None
    for statement in tree.body:
        if _BEGINNING.match(lines[statement.lineno - 1]):
            is_sentence = isinstance(before, ast.Expr) and isinstance(before.value, ast.Constant)
            first = before if before is not None and is_sentence else statement
            yield first.lineno - 1
        before = statement

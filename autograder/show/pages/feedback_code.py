"""A student's code on the student's page: numbered as in its cell, without docstrings of ours."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from autograder.base.text import cut

MAX_LINES = 400
"""So many lines are shown of an answer."""

MAX_LINE = 300
"""So many characters are shown of a line."""

STUB = "raise NotImplementedError"

LEFT_OUT = "…"
"""Stands for the lines of a docstring that came with the notebook."""


class Line(NamedTuple):
    number: int
    words: str
    raised: bool


@dataclass(frozen=True)
class Code:
    """The student's lines, each with whether it raised the exception; ``more`` are not shown."""

    lines: list[Line]
    more: int
    is_open: bool


def code(source: str, raised: set[int], given: Sequence[Sequence[str]], is_wrong: bool) -> Code:
    """An answer as it is shown.

    Args:
        raised: the lines, from 1, where an exception was raised.
        given: the docstrings that stand in the notebook from the beginning, as lines.
        is_wrong: there is something to fix in it.
    """
    lines = source.rstrip().split("\n")
    parts = _without(lines, given, raised)
    shown = list(islice(parts, MAX_LINES))

    # What was never written, or is right by itself, need not be looked at.
    there = [lines[at - 1].strip() for at in raised if at <= len(lines)]
    is_unwritten = any(line.startswith(STUB) for line in there)

    # The others are counted as they stand: an answer may have half a million of them.
    rest = next(parts, None)
    more = 0 if rest is None else len(lines) - rest.number + 1
    return Code(shown, more, is_open=is_wrong and not is_unwritten)


def docstrings(source: str) -> list[list[str]]:
    """The docstrings of all functions and classes in a teacher's cell, as lines."""
    lines = source.split("\n")
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node):
            docstring = node.body[0]
            found.append(lines[docstring.lineno - 1 : docstring.end_lineno])
    return found


def _without(
    lines: Sequence[str], given: Sequence[Sequence[str]], raised: set[int]
) -> Iterator[Line]:
    """The lines, one of each docstring for all of it; nothing of a student's is parsed for that."""
    place = 0
    while place < len(lines):
        length = _given_at(lines, place, given)
        words = lines[place]
        if length:
            indent = words[: len(words) - len(words.lstrip())]
            words = f'{indent}"""{LEFT_OUT}"""'
        yield Line(place + 1, cut(words, MAX_LINE), place + 1 in raised)
        place += length or 1


def _given_at(lines: Sequence[str], place: int, given: Sequence[Sequence[str]]) -> int:
    """How many lines of a docstring of ours begin at a place."""
    for docstring in given:
        if list(lines[place : place + len(docstring)]) == list(docstring):
            return len(docstring)
    return 0

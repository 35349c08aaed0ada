"""Finds by trying where a function is wrong: the one line in which a small change makes its checks
pass, and what is wrong there, in words."""

import ast
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

ALIKE = "+ - * / @,< <= > >= == !=,max min sum mean,maximum minimum,tril triu,sin cos,True False"
"""Operators and functions that are mistaken for each other."""

VALUE = r"([\w.]+(?:\([^()]*\)|\[[^][]*\])*)"

RULES = (
    ("axis=[^,()]+", "axis=-1", "the axis should be the last one"),
    (r"(axis=[^,()]+)\)", r"\1,keepdims=True)", "an axis is lost that should stay"),
    (r"(max|min|sum|mean)\((\w*)\)", r"\1(\2,axis=-1)", "the axis should be the last one"),
    (r"\.T\b", ".swapaxes(-1,-2)", "only the last two axes should change places"),
    (f"@ ?{VALUE}", r"@\1.swapaxes(-1,-2)", "the second factor should be transposed"),
    (f"([*/]) ?{VALUE}", r"\1\2**.5", "a square root is missing"),
    (f"{VALUE}( ?[-+*/@<>]=? ?|, ?){VALUE}", r"\3\2\1", "two things should change places"),
    (r"\w+\((\w+)\)|\.\w+(\([^()]*\)|\b)", r"\1", "a call is too much"),
    (f"[-+*/@]+ ?{VALUE}|{VALUE} ?[-+*/@]|-|~", "", "an operation is too much"),
    (r"(\d+)\b", r"(\1+1)", "a number is off by one"),
    (r"(\d+)\b", r"(\1-1)", "a number is off by one"),
)
"""Patterns of a line, what may be meant instead, and what is wrong with it in that case."""

SECONDS = 2.0
"""The time for all copies of a function that are tried."""


def nearly(step: str, source: str, mends: Callable[[str], object]) -> tuple[int, str, str] | None:
    """The only line of a wrong function that can be wrong: its number from 1, its text, and what is
    wrong there, or "" if that is unknown. None if the line is not certain.

    Args:
        source: the code that defines it.
        mends: whether the checks pass with this code in its place.
    """
    body: list[Any] = []
    for node in ast.parse(source).body:
        if getattr(node, "name", "") == step:
            body = [part for part in ast.walk(node) if isinstance(part, ast.stmt)][1:]
    body = [part for part in body if not isinstance(getattr(part, "value", 0), ast.Constant)]
    numbers = {part.lineno for part in body}
    found: dict[int, set[str]] = {}
    if numbers == {part.end_lineno for part in body} and len(numbers) == 1:
        found[min(numbers)] = set()

    lines = source.split("\n")
    until = time.perf_counter() + SECONDS
    for number in numbers:
        line = lines[number - 1]
        for changed, words in changes(line, source):
            # A changed loop may never end.
            if time.perf_counter() > until or "while" in source:
                return None
            lines[number - 1] = changed
            if mends("\n".join(lines)):
                found.setdefault(number, set()).add(f"In this line, {words}.")
                if len(found) > 1:
                    return None
                if len(found[number]) > 1:  # no other change of this line tells more
                    break
        lines[number - 1] = line
    if len(found) != 1:
        return None
    ((number, said),) = found.items()
    return number, lines[number - 1].strip(), "".join(said) if len(said) == 1 else ""


def changes(line: str, source: str) -> Iterator[tuple[str, str]]:
    """A line with one small change, and what was wrong without that change."""
    rules = [*RULES]
    for group in (*map(str.split, ALIKE.split(",")), re.findall(r"\w+(?=,|\)| =)", source)):
        for old in {*group}:
            edges = (r"\b", r"\b(?!=)") if old[0].isalpha() else ("(?<![*/])", "(?![*/=])")
            for new in {*group} - {old}:
                words = f'"{old}" should be "{new}"'
                rules.append((re.escape(old).join(edges), new, words))
    for pattern, new, words in rules:
        for match in re.finditer(pattern, line):
            yield line[: match.start()] + match.expand(new) + line[match.end() :], words

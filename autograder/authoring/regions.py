"""The answer in a step's cell: one function, with one region that students do not get."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograder.authoring.cells import Cell, Problem, Source

STUB = 'raise NotImplementedError("This step is still to be written.")'
"""What stands where an answer was."""

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"

# What nbgrader looks for anywhere in a line, prose included.
_SOLUTION = re.compile(r"(BEGIN|END) SOLUTION")
_RESERVED = re.compile(r"((BEGIN|END) (SOLUTION|HIDDEN TESTS|MARK SCHEME))|AUTOTEST")


def stub(cell: Cell) -> str:
    """A step's cell as students get it."""
    lines: list[str] = []
    inside = False
    for line in cell.source.split("\n"):
        if line.strip() == BEGIN:
            inside = True
            lines.append(line.replace(BEGIN, STUB))
        elif line.strip() == END:
            inside = False
        elif not inside:
            lines.append(line)
    return "\n".join(lines)


def delimiters(source: Source) -> Iterator[Problem]:
    """What is wrong with the lines that begin and end a region, in any cell."""
    for cell in source.cells:
        problems = list(_delimiters(cell))
        regions = list(map(str.strip, cell.source.split("\n"))).count(BEGIN)
        if cell.kind == "step" and regions != 1 and not problems:
            cause = f"{regions} solution regions in a step"
            yield Problem(cell.line, cause, f"put the answer between one {BEGIN} and {END}")
        yield from problems


def _delimiters(cell: Cell) -> Iterator[Problem]:
    opened = 0
    for number, text in enumerate(cell.source.split("\n"), start=cell.first):
        reserved = _RESERVED.search(text)
        if not reserved:
            continue

        line = text.strip()
        if cell.kind not in ("step", "needed", "manual") or not _SOLUTION.search(text):
            repair = "delete it; the build writes such lines itself"
            if cell.markdown:
                repair = "say it in other words"
            yield Problem(number, f"{reserved[0]} in a {cell.kind} cell", repair)
        elif line not in (BEGIN, END):
            cause = f"{reserved[0]} within a line"
            yield Problem(number, cause, f"write {BEGIN} or {END} on a line of its own")
        elif line == BEGIN:
            if opened:
                cause = f"{BEGIN} inside the region of line {opened}"
                yield Problem(number, cause, f"write {END} before it")
            opened = number
        elif not opened:
            yield Problem(number, f"{END} without {BEGIN}", f"write {BEGIN} above it")
        else:
            opened = 0

    if opened:
        yield Problem(opened, f"{BEGIN} without {END}", f"write {END} below the answer")


def steps(source: Source) -> Iterator[Problem]:
    """What is wrong with the functions that are steps."""
    for cell in source.of("step"):
        body = ast.parse(cell.source).body
        function = body[0] if body else None
        is_alone = len(body) == 1

        if not is_alone or not isinstance(function, ast.FunctionDef) or function.name != cell.id:
            yield Problem(
                cell.line_of(body[1].lineno if len(body) > 1 else 1),
                f"the step {cell.id} is not one function {cell.id}",
                "leave that function alone in the cell",
            )
        elif ast.get_docstring(function) is None:
            cause = f"{cell.id} has no docstring"
            yield Problem(cell.first, cause, "say what it takes and returns")
        else:
            yield from _place_of_region(cell, function)


def _place_of_region(cell: Cell, function: ast.FunctionDef) -> Iterator[Problem]:
    """Whether the region stands in the function's body, and ends it."""
    lines = cell.source.split("\n")
    begin, end = _line_with(BEGIN, lines), _line_with(END, lines)
    indent = len(lines[begin - 1]) - len(lines[begin - 1].lstrip())
    docstring = function.body[0]

    if begin and (begin <= (docstring.end_lineno or 0) or indent != docstring.col_offset):
        cause = f"{BEGIN} outside the function's body"
        yield Problem(cell.line_of(begin), cause, "put it below the docstring")
    elif begin < end and any(statement.lineno > end for statement in function.body):
        repair = "move it into the region: a stub never reaches it"
        yield Problem(cell.line_of(end + 1), f"code after {END}", repair)


def _line_with(text: str, lines: list[str]) -> int:
    """The first line that says just this, counted from 1; 0 where none does."""
    for number, line in enumerate(lines, start=1):
        if line.strip() == text:
            return number
    return 0

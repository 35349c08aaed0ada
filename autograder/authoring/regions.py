"""The answer in a step's cell: functions or a class, with regions that students do not get."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograder.authoring.cells import AuthoredCell, Problem, Source
from autograder.exercises.names import nodes

# What stands where an answer was. A course's configuration of nbgrader takes it from here, so that
# nbgrader's own "generate assignment" and our build write the same bytes.
CODE_STUB = 'raise NotImplementedError("This step is still to be written.")'
TEXT_STUB = "*Write your answer here.*"

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"

# What nbgrader looks for anywhere in a line, prose included.
_SOLUTION = re.compile(r"(BEGIN|END) SOLUTION")
_RESERVED = re.compile(r"((BEGIN|END) (SOLUTION|HIDDEN TESTS|MARK SCHEME))|AUTOTEST")


def stub(cell: AuthoredCell) -> str:
    """A step's cell as students get it."""
    lines: list[str] = []
    inside = False
    for line in cell.source.split("\n"):
        if line.strip() == BEGIN:
            inside = True
            lines.append(line.replace(BEGIN, CODE_STUB))
        elif line.strip() == END:
            inside = False
        elif not inside:
            lines.append(line)
    return "\n".join(lines)


def without_region(source: str) -> str:
    """A step's code with its solution, which nothing marks any more."""
    lines = [line for line in source.split("\n") if line.strip() not in (BEGIN, END)]
    return "\n".join(lines)


def delimiters(source: Source) -> Iterator[Problem]:
    """What is wrong with the lines that begin and end a region, in any cell."""
    for cell in source.cells:
        problems = list(_delimiters(cell))
        regions = list(map(str.strip, cell.source.split("\n"))).count(BEGIN)
        if cell.kind == "step" and not regions and not problems:
            cause = "no solution region in a step"
            yield Problem(cell.line, cause, f"put the answer between {BEGIN} and {END}")
        yield from problems


def _delimiters(cell: AuthoredCell) -> Iterator[Problem]:
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
    """What is wrong with the functions and classes that are steps."""
    for cell in source.of("step"):
        tree = ast.parse(cell.source)
        body = tree.body
        others = [one for one in body if not isinstance(one, (ast.FunctionDef, ast.ClassDef))]
        named = [node for node in body if getattr(node, "name", "") == cell.id]

        if not named:
            cause = f"the step {cell.id} defines no function or class {cell.id}"
            line = cell.line_of(body[0].lineno if body else 1)
            yield Problem(line, cause, "name the one that checks use after the step")
        elif others:
            cause = f"the step {cell.id} holds more than functions and classes"
            repair = "move it into setup, or into the function that needs it"
            yield Problem(cell.line_of(others[0].lineno), cause, repair)
        elif ast.get_docstring(named[0]) is None:  # type: ignore[arg-type]
            cause = f"{cell.id} has no docstring"
            yield Problem(cell.line_of(named[0].lineno), cause, "say what it takes and returns")
        else:
            yield from _places_of_regions(cell, tree, named[0])


def _places_of_regions(cell: AuthoredCell, tree: ast.Module, named: ast.stmt) -> Iterator[Problem]:
    """Whether each region stands in the body of a function or method of its own, and ends it."""
    lines = cell.source.split("\n")
    functions = list(nodes(tree, ast.FunctionDef))
    regions: dict[ast.FunctionDef, int] = {}

    marked = [(number, line.strip()) for number, line in enumerate(lines, start=1)]
    for begin in [number for number, line in marked if line == BEGIN]:
        function = _around(begin, lines, functions)
        if function is None:
            cause = f"{BEGIN} outside the body of a function"
            yield Problem(cell.line_of(begin), cause, "put it below the docstring, in one of them")
            return
        if function in regions:
            cause = f"{function.name} has a second solution region"
            yield Problem(cell.line_of(begin), cause, "put its answer into one")
            return
        regions[function] = begin

    for function, begin in regions.items():
        end = next(number for number, line in marked if line == END and number > begin)
        if any(statement.lineno > end for statement in function.body):
            repair = "move it into the region: a stub never reaches it"
            yield Problem(cell.line_of(end + 1), f"code after {END}", repair)

    if not any(function in regions for function in ast.walk(named)):
        cause = f"{cell.id} leaves students nothing to write"
        yield Problem(cell.line_of(named.lineno), cause, f"put a {BEGIN} into it")


def _around(
    begin: int, lines: list[str], functions: list[ast.FunctionDef]
) -> ast.FunctionDef | None:
    """The function whose body a region stands in, by its indentation, below the docstring."""
    indent = len(lines[begin - 1]) - len(lines[begin - 1].lstrip())
    for function in functions:
        first = function.body[0]
        is_there = function.lineno < begin <= (function.end_lineno or 0) + 1
        if is_there and first.col_offset == indent:
            has_docstring = ast.get_docstring(function) is not None
            is_below = not has_docstring or begin > (first.end_lineno or 0)
            return function if is_below else None
    return None

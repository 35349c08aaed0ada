"""Rules for an authored file whose cells are sound by themselves: what makes it wrong, worthless or
unfair."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograder.authoring import worth
from autograder.authoring.cells import Cell, Problem, Source
from autograder.exercises.names import BUILTINS, first_use, names

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"

# What nbgrader looks for anywhere in a line, prose included.
_SOLUTION = re.compile(r"(BEGIN|END) SOLUTION")
_RESERVED = re.compile(r"((BEGIN|END) (SOLUTION|HIDDEN TESTS|MARK SCHEME))|AUTOTEST")


def problems(source: Source) -> list[Problem]:
    """What is wrong in ``source``, by the first rule that is broken: mistakes that follow from it
    are not told."""
    rules = (_layout, _ids, _order, _regions, _steps, _points, _names, _checks)
    return next((found for rule in rules if (found := list(rule(source)))), [])


def _layout(source: Source) -> Iterator[Problem]:
    setups = source.of("setup")
    if not setups:
        yield Problem(1, "no setup cell", "mark the cell of imports and helpers with # %% setup")
    for cell in setups[1:]:
        yield Problem(
            cell.line, f"a second setup cell, after line {setups[0].line}", "put both into one"
        )
    graded = source.of("step", "check")
    if not source.of("check"):
        yield Problem(
            1, "no checks", 'add cells marked # %% check="<step>-<name>" points=1 category="values"'
        )
    if setups and graded and graded[0].line < setups[0].line:
        yield Problem(setups[0].line, "the setup cell comes after a step", "move it to the top")


def _ids(source: Source) -> Iterator[Problem]:
    seen = {"setup": "the setup cell"}
    for cell in source.of("step", "check", "manual"):
        if cell.id in seen:
            yield Problem(
                cell.line,
                f"the id {cell.id} is that of {seen[cell.id]} too",
                "give it one of its own",
            )
        seen.setdefault(cell.id, f"line {cell.line}")


def _order(source: Source) -> Iterator[Problem]:
    steps: list[str] = []
    for cell in source.of("step", "check"):
        if cell.kind == "step":
            steps.append(cell.id)
        elif cell.step not in steps or not cell.name:
            repair = f"name it <step>-<name>, with a step that stands before it: {', '.join(steps) or 'none'}"
            yield Problem(cell.line, f"the check {cell.id} belongs to no step above it", repair)


def _regions(source: Source) -> Iterator[Problem]:
    for cell in source.cells:
        found = list(_delimiters(cell))
        regions = [text.strip() for text in cell.source.split("\n")].count(BEGIN)
        if cell.kind == "step" and regions != 1 and not found:
            repair = f"put the answer between one {BEGIN} and {END}"
            found = [Problem(cell.line, f"{regions} solution regions in a step", repair)]
        yield from found


def _delimiters(cell: Cell) -> Iterator[Problem]:
    opened = 0
    for number, text in enumerate(cell.source.split("\n"), start=cell.first):
        reserved = _RESERVED.search(text)
        if not reserved:
            continue
        if cell.kind not in ("step", "manual") or not _SOLUTION.search(text):
            repair = (
                "say it in other words"
                if cell.markdown
                else "delete it; the build writes such lines itself"
            )
            yield Problem(number, f"{reserved[0]} in a {cell.kind} cell", repair)
        elif text.strip() not in (BEGIN, END):
            yield Problem(
                number,
                f"{reserved[0]} within a line",
                f"write {BEGIN} or {END} on a line of its own",
            )
        elif text.strip() == BEGIN:
            if opened:
                yield Problem(
                    number, f"{BEGIN} inside the region of line {opened}", f"write {END} before it"
                )
            opened = number
        elif not opened:
            yield Problem(number, f"{END} without {BEGIN}", f"write {BEGIN} above it")
        else:
            opened = 0
    if opened:
        yield Problem(opened, f"{BEGIN} without {END}", f"write {END} below the answer")


def _steps(source: Source) -> Iterator[Problem]:
    for cell in source.of("step"):
        body = ast.parse(cell.source).body
        if len(body) != 1 or not isinstance(body[0], ast.FunctionDef) or body[0].name != cell.id:
            line = cell.first + (body[1].lineno if len(body) > 1 else 1) - 1
            yield Problem(
                line,
                f"the step {cell.id} is not one function {cell.id}",
                "leave that function alone in the cell",
            )
            continue
        function = body[0]
        if ast.get_docstring(function) is None:
            yield Problem(
                cell.first, f"{cell.id} has no docstring", "say what it takes and returns"
            )
            continue
        lines = cell.source.split("\n")
        begin = next(
            (number for number, text in enumerate(lines, start=1) if text.strip() == BEGIN), 0
        )
        end = next((number for number, text in enumerate(lines, start=1) if text.strip() == END), 0)
        indent = len(lines[begin - 1]) - len(lines[begin - 1].lstrip())
        if begin and (
            begin <= (function.body[0].end_lineno or 0) or indent != function.body[0].col_offset
        ):
            yield Problem(
                cell.first + begin - 1,
                f"{BEGIN} outside the function's body",
                "put it below the docstring",
            )
        elif begin < end and any(statement.lineno > end for statement in function.body):
            yield Problem(
                cell.first + end,
                f"code after {END}",
                "move it into the region: a stub never reaches it",
            )


def _points(source: Source) -> Iterator[Problem]:
    for step in source.of("step"):
        total = source.points_of(step.id)
        if not source.checks_of(step.id):
            yield Problem(
                step.line, f"the step {step.id} has no check", "add one, or take the mark away"
            )
        elif step.points is not None and abs(total - step.points) > 1e-9:
            yield Problem(
                step.line,
                f"{step.id} declares {step.points} points, but its checks add up to {total}",
                f"write points={total}, or change the points of its checks",
            )


def _names(source: Source) -> Iterator[Problem]:
    bound = {kind: _bound(source.of(kind)) for kind in ("setup", "oracles")}
    steps: set[str] = set()
    every_step = {cell.id for cell in source.of("step")}
    for cell in source.cells:
        if cell.markdown:
            continue
        here = names(cell.source)
        steps |= {cell.id} if cell.kind == "step" else set()
        for name in sorted((here.bound & every_step) - {cell.id}):
            line = cell.first + first_use(cell.source, name) - 1
            yield Problem(
                line, f"{name} is a step, and this {cell.kind} cell replaces it", "use another name"
            )
        for name in (
            sorted(here.bound & bound["setup"]) if cell.kind in ("check", "oracles") else []
        ):
            line = cell.first + first_use(cell.source, name) - 1
            yield Problem(
                line,
                f"{name} is setup's, and this {cell.kind} cell replaces it",
                "use another name",
            )
        allowed = (
            BUILTINS | bound["setup"] | (every_step if cell.kind in ("oracles", "step") else steps)
        )
        if cell.kind == "oracles" or cell.hidden:
            allowed = allowed | bound["oracles"]
        for name in sorted(here.used - here.bound - allowed):
            line = cell.first + first_use(cell.source, name) - 1
            if name in bound["oracles"]:
                repair = (
                    "write what it needs into the cell, or make it hidden=true"
                    if cell.kind == "check"
                    else "do without it"
                )
                yield Problem(
                    line, f"{name} is an oracle, but this {cell.kind} cell is released", repair
                )
            elif cell.kind == "check":
                repair = (
                    "a check stands alone: define it there, in setup, or in oracles if it is hidden"
                )
                yield Problem(
                    line, f"the check {cell.id} uses {name}, which it cannot know", repair
                )
            elif cell.kind not in ("plain", "manual"):
                yield Problem(
                    line,
                    f"this {cell.kind} cell uses {name}, which it cannot know",
                    "define it there or in setup",
                )


def _bound(cells: list[Cell]) -> frozenset[str]:
    return frozenset[str]().union(*(names(cell.source).bound for cell in cells))


def _checks(source: Source) -> Iterator[Problem]:
    setup = _bound(source.of("setup"))
    judges = _judges(source)
    for cell in source.of("check"):
        tree = ast.parse(cell.source)
        if ast.get_docstring(tree) is None:
            yield Problem(
                cell.line,
                f"the check {cell.id} has no docstring",
                "start it with the sentence that students read",
            )
            continue
        sentence, body = tree.body[0], tree.body[1:]
        # Of a hidden check exactly the sentence is released: nothing may stand before it or on its
        # lines.
        after = cell.source.split("\n")[(sentence.end_lineno or 1) - 1].encode()[
            sentence.end_col_offset :
        ]
        if sentence.lineno != 1 or after.strip():
            yield Problem(
                cell.first,
                f"the docstring of {cell.id} does not stand alone",
                "start the cell with it, and go on a line below",
            )
        if not any(_judging(statement, judges) for statement in body):
            repair = "assert something, or call a helper of setup that does"
            yield Problem(cell.line, f"the check {cell.id} asserts nothing", repair)
        elif isinstance(last := body[-1], ast.Expr) and not isinstance(last.value, ast.Call):
            line = cell.first + last.lineno - 1
            yield Problem(
                line,
                "a check that ends on a value: nbgrader reads a number as partial credit",
                "assert it or delete it",
            )
        named = _calls(tree, "check") if "check" in setup else []
        for call in named:
            if not (
                call.args
                and isinstance(call.args[0], ast.Constant)
                and call.args[0].value == cell.id
            ):
                line = cell.first + call.lineno - 1
                yield Problem(
                    line,
                    f"this is the check {cell.id}, not what it says",
                    f'write check("{cell.id}")',
                )
        if "check" in setup and not named and not cell.hidden:
            yield Problem(
                cell.line,
                f"the check {cell.id} tells a student nothing",
                f'put its body into with check("{cell.id}"):',
            )
        yield from worth.problems(cell, tree)


def _judges(source: Source) -> set[str]:
    """The functions of setup and oracles that assert or raise, by themselves or through each
    other."""
    functions = [
        node
        for cell in source.of("setup", "oracles")
        for node in ast.parse(cell.source).body
        # `check` only passes on what happens inside it.
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name != "check"
    ]
    judges: set[str] = set()
    while True:
        more = {node.name for node in functions if _judging(node, judges)}
        if more == judges:
            return judges
        judges = more


def _judging(tree: ast.AST, judges: set[str]) -> bool:
    for node in ast.walk(tree):
        if isinstance(node, (ast.Assert, ast.Raise)):
            return True
        if isinstance(node, ast.Call):
            function = node.func
            name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
            if name.startswith("assert") or (isinstance(function, ast.Name) and name in judges):
                return True
    return False


def _calls(tree: ast.AST, name: str) -> list[ast.Call]:
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [node for node in calls if isinstance(node.func, ast.Name) and node.func.id == name]

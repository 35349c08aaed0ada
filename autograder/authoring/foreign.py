"""From a source notebook of nbgrader's own to an exercise, as far as that goes without a person.

Functions and classes become steps, tests that call them become checks, and whatever else is graded
by hand stays a question. What cannot be taken is listed, each with its place and the reason.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from autograder.authoring import build, cells
from autograder.authoring.regions import BEGIN, END
from autograder.base import files
from autograder.base.errors import Unusable
from autograder.exercises import names

_SOLUTION = re.compile(r"(BEGIN|END) SOLUTION")
_HIDDEN = re.compile(r"(BEGIN|END) HIDDEN TESTS")
_SCHEME = re.compile(r"^.*?(BEGIN|END) MARK SCHEME.*$", re.MULTILINE)
_MAGIC = re.compile(r"^[^\S\n]*[%!?].*$", re.MULTILINE)
_PRINTED = {"capsys", "get_ipython", "redirect_stdout", "capture_output", "StringIO"}
_PLOTS = {"plt", "ax", "axes", "axs", "fig", "gca", "gcf"}
_FRAMES = {"pd", "pandas", "df"}

_SETUP = [
    "import numpy as np",
    "from autograder import tools",
    "",
    "rng = np.random.default_rng(1)",
]
_UNCLAIMED = (
    "it is a test of the notebook that was imported; no wrong answer is written down for it"
)
_BANK = '''"""What people get wrong, as functions, each with the question that helps."""

from autograder.exercises.misconceptions import misconception

UNCLAIMED = {unclaimed}
'''


@dataclass
class _Item:
    """A cell of the exercise, and that of the notebook which it comes from."""

    mark: str
    lines: list[str]
    cell: int
    step: str = ""
    check: str = ""


@dataclass
class Taken:
    """An exercise's files by the ends of their names; what is not in them, a line each."""

    texts: dict[str, str]
    left: list[str]
    steps: int = 0
    checks: int = 0
    questions: int = 0


@dataclass
class _Reader:
    name: str
    file: str
    items: list[_Item] = field(default_factory=list)
    setup: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    steps: dict[str, ast.stmt] = field(default_factory=dict)
    variables: set[str] = field(default_factory=set)
    known: set[str] = field(default_factory=lambda: {"np", "rng", "tools"})
    ids: set[str] = field(default_factory=set)

    def read(self, number: int, cell: dict[str, Any]) -> None:
        about = cell.get("metadata", {}).get("nbgrader") or {}
        source = cell.get("source", "")
        source = source if isinstance(source, str) else "".join(source)
        if not source.strip():
            return

        is_asked = about.get("grade") and about.get("solution")
        if cell.get("cell_type") == "markdown" and (about.get("task") or is_asked):
            self._question(number, source, about)
        elif cell.get("cell_type") == "markdown":
            self.items.append(_Item("[markdown]", _comments(source), number))
        elif cell.get("cell_type") == "code":
            # A line like this would begin another cell.
            source = re.sub(r"^#(?=\s*%%)", "##", source, flags=re.MULTILINE)
            if is_asked:
                self._question(number, f"```python\n{_without(_SOLUTION, source)}\n```", about)
                self.leave(number, 1, "an answer in code that a person marks: now it is text")
            elif about.get("solution"):
                self._answer(number, source)
            elif about.get("grade"):
                self._test(number, source, about)
            else:
                self._scene(number, source)

    def leave(self, cell: int, line: int, why: str) -> None:
        self.left.append(f"{self.file}: cell {cell}, line {line}: {why}")

    def _question(self, number: int, source: str, about: dict[str, Any]) -> None:
        """The text before a region of the solution, or of the mark scheme, is the question."""
        marked = _SOLUTION.sub(r"\1 MARK SCHEME", source)
        parts = [part.strip() for part in _SCHEME.split(marked)]
        question, answer = parts[0], "\n".join(part for part in parts[2::4] if part)
        if len(parts) == 1 and not about.get("task"):
            question, answer = "", source
        question, answer = question or "Answer in your own words.", answer or "Marked by a person."
        text = f"{question}\n\n{BEGIN}\n{answer}\n{END}"
        id = self._id("", str(about.get("grade_id", "")))
        mark = f'[markdown] manual="{id}" points={_points(about)}'
        self.items.append(_Item(mark, _comments(text), number))

    def _tree(self, number: int, source: str) -> tuple[ast.Module, list[str]] | None:
        """Code without magics, and its lines; None, and a line about it, where it is no Python."""
        lines = _MAGIC.sub("", source).split("\n")
        try:
            return ast.parse("\n".join(lines)), lines
        except SyntaxError as error:
            self.leave(number, error.lineno or 1, f"is no Python: {error.msg}")
            return None

    def _scene(self, number: int, source: str) -> None:
        """Code that is given: what tests may use goes into the setup cell, the rest stays."""
        parsed = self._tree(number, source)
        if parsed is None:
            return

        kept = []
        for node in parsed[0].body:
            text = ast.unparse(node)
            if self._is_strange(node, number):
                continue
            own = _names(node)
            unknown = own.needed - self.known - set(self.steps)
            if unknown:
                self.leave(number, node.lineno, f"uses {sorted(unknown)[0]}, which was not taken")
                continue
            self.known |= own.bound
            if self.steps or not _is_definition(node):
                kept.append(text)
                self.variables |= own.bound
            else:
                self.setup.append(text)

        if kept:
            self.items.append(_Item("", kept, number))

    def _is_strange(self, node: ast.stmt, number: int) -> bool:
        """Whether it imports what is neither in Python nor NumPy."""
        if not isinstance(node, (ast.Import, ast.ImportFrom)):
            return False
        imported = [one.name for one in node.names]
        if isinstance(node, ast.ImportFrom):
            imported = [node.module or "."]
        for name in imported:
            first = name.partition(".")[0]
            if first not in sys.stdlib_module_names and first != "numpy":
                why = f'imports {first}; if checks need it, set packages = ["{first}"]'
                self.leave(number, node.lineno, why)
                return True
        return False

    def _answer(self, number: int, source: str) -> None:
        parsed = self._tree(number, source)
        if parsed is None:
            return
        tree, lines = parsed

        for node in tree.body:
            is_step = isinstance(node, (ast.FunctionDef, ast.ClassDef))
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                if not self._is_strange(node, number):
                    self.setup.append(ast.unparse(node))
                    self.known |= _names(node).bound
            elif is_step and _names(node).bound.isdisjoint(self.known | set(self.steps)):
                self._step(number, node, lines)
            else:
                bound = _names(node).bound
                self.variables |= bound
                what = ", ".join(sorted(bound)) or "statements"
                self.leave(number, node.lineno, f"an answer that is no function: {what}")

    def _step(self, number: int, node: Any, lines: list[str]) -> None:
        end = node.end_lineno
        if end < len(lines) and lines[end].startswith((" ", "\t")):
            end += bool(_SOLUTION.search(lines[end]))
        own = lines[node.lineno - 1 : end]
        marks = list(filter(None, map(_SOLUTION.search, own)))
        begins = sum(mark[1] == "BEGIN" for mark in marks)
        has_region = marks and 2 * begins == len(marks)

        if not has_region or ast.get_docstring(node) is None:
            if ast.get_docstring(node) is None:
                about = ast.Constant(f"Described above: {node.name}.")
                node.body.insert(0, ast.Expr(about))
            own = list(_with_regions(node))
        else:
            for place, line in enumerate(own):
                found = _SOLUTION.search(line)
                if found is not None:
                    indent = line[: len(line) - len(line.lstrip())]
                    own[place] = indent + (BEGIN if found[1] == "BEGIN" else END)

        self.steps[node.name] = node
        self.items.append(_Item(f'step="{node.name}"', own, number, step=node.name))

    def _test(self, number: int, source: str, about: dict[str, Any]) -> None:
        if "AUTOTEST" in source:
            self.leave(number, 1, "a test that nbgrader writes (AUTOTEST)")
            return

        parsed = self._tree(number, _without(_HIDDEN, source))
        if parsed is None:
            return
        why, step = self._owner(parsed[0])
        if why:
            self.leave(number, 1, why)
            return

        visible = _visible(source)
        is_hidden = visible != source
        comments = [line.strip("# ") for line in visible.split("\n") if line.startswith("#")]
        said = next(iter(comments), "").replace('"', "'").replace("\\", "/").rstrip(".")
        sentence = said or f"{step} passes this test"
        name = str(about.get("grade_id", ""))
        whole = _without(_HIDDEN, source)
        parts = [(name, _points(about), " hidden=true" if is_hidden else "", whole)]
        if is_hidden and self._owner_of(visible) == step:
            parts = [(name, 0, "", visible), (f"{name}_hidden", *parts[0][1:])]

        for name, points, hidden, code in parts:
            id = self._id(f"{step}-", name)
            mark = f'check="{id}" points={points} category="values"{hidden}'
            lines = [f'"""{sentence}."""', *code.strip("\n").split("\n")]
            self.items.append(_Item(mark, lines, number, step, id))

    def _owner_of(self, code: str) -> str:
        try:
            why, step = self._owner(ast.parse(code))
        except SyntaxError:
            return ""
        return "" if why else step

    def _owner(self, tree: ast.Module) -> tuple[str, str]:
        """Why a test cannot be taken, or the step that it is about: the last that it calls."""
        own = names.of(tree)
        attributes: set[str] = set()
        imported: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                attributes.add(node.attr)
            elif isinstance(node, ast.alias):
                imported.update(node.name.split("."))

        if (own.used | attributes | imported) & _PRINTED:
            return "tests printed text", ""
        if (own.used | imported) & (_PLOTS | {"matplotlib"}):
            return "tests a plot", ""
        if (own.used | imported) & _FRAMES:
            return "tests a data frame", ""

        unknown = own.needed - self.known - set(self.steps)
        variables = unknown | (own.used & self.variables)
        if variables:
            return f"tests the variable {min(variables)}", ""
        called = [step for step in self.steps if step in own.used]
        if not called:
            return "calls no function of an answer", ""

        last = tree.body[-1]
        partial = (ast.Name, ast.BinOp, ast.Constant)
        if isinstance(last, ast.Expr) and isinstance(last.value, partial):
            return "gives a part of its points", ""
        return "", called[-1]

    def _id(self, before: str, wanted: str) -> str:
        own = re.sub(r"[^A-Za-z0-9_]+", "_", wanted).strip("_") or "question"
        own = own.removeprefix(before.rstrip("-") + "_") if before else own
        id, number = f"{before}{own}"[:60], 2
        while id in self.ids:
            id, number = f"{before}{own}"[:56] + f"_{number}", number + 1
        self.ids.add(id)
        return id


def read(data: bytes, path: Path, name: str) -> Taken:
    """An exercise from the bytes of a source notebook, which builds.

    Raises:
        Unusable: it is no notebook, or no test in it can be a check.
    """
    try:
        opened = json.loads(data)
        all_cells = [(number, cell) for number, cell in enumerate(opened["cells"], start=1)]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Unusable(path, "no notebook", "name a source notebook of nbgrader") from None
    reader = _Reader(name, path.name)
    for number, cell in all_cells:
        reader.read(number, cell)

    while True:
        made = _made(reader)
        if not made.checks:
            repair = "an exercise needs one; leave this an assignment of nbgrader's own"
            nothing = f"{path}: no test in it can be a check; {repair}"
            raise Unusable.of_lines([*made.left, nothing])
        wrong = _wrong(name, made)
        if not wrong:
            return made
        _leave_out(reader, wrong)


def _wrong(name: str, made: Taken) -> dict[int, str]:
    """What the build says against it, by lines."""
    with TemporaryDirectory() as folder:
        authored = files.below(Path(folder), "solutions", f"{name}.py")
        authored.parent.mkdir()
        authored.write_text(made.texts[""], encoding="utf-8")

        try:
            build.notebooks(authored)
        except Unusable as problem:
            found = {}
            for line in problem.lines:
                place = re.match(rf".*?{re.escape(name)}\.py:(\d+): (.*)", line)
                if place is None:
                    raise
                found[int(place[1])] = place[2]
            return found
    return {}


def _leave_out(reader: _Reader, wrong: dict[int, str]) -> None:
    begin = 1
    gone: set[int] = set()
    lines = _lines(reader)

    for item, text in lines:
        end = begin + len(text)
        for line, why in wrong.items():
            if begin <= line < end:
                if item is None:
                    raise Unusable(f"{reader.name}.py:{line}", why, "write it with autograder new")
                reader.leave(item.cell, 1, why)
                gone.add(id(item))
                if item.step and not item.check:
                    gone |= {id(one) for one in reader.items if one.step == item.step}
        begin = end

    if not gone:
        raise Unusable(reader.name, next(iter(wrong.values())), "write it with autograder new")
    reader.items = [item for item in reader.items if id(item) not in gone]


def _lines(reader: _Reader) -> list[tuple[_Item | None, list[str]]]:
    """The lines of an exercise, cell by cell; a step without a check is an ordinary cell."""
    checked = {item.step for item in reader.items if item.check}
    parts: list[tuple[_Item | None, list[str]]] = []
    prose = next((item for item in reader.items if item.mark == "[markdown]"), None)
    has_title = prose is not None and any(line.startswith("# # ") for line in prose.lines)
    if not has_title:
        parts.append((None, ["# %% [markdown]", f"# # {reader.name}", ""]))

    setup = ["# %% setup", *_SETUP, *dict.fromkeys(reader.setup), ""]
    for item in reader.items:
        if (item.mark != "[markdown]" or not has_title or item is not prose) and setup and checked:
            parts.append((None, setup))
            setup = []
        mark = item.mark
        lines = item.lines
        if item.step and item.step not in checked:
            mark, lines = "", [line for line in lines if line.strip() not in (BEGIN, END)]
        parts.append((item, [f"# %% {mark}".rstrip(), *lines, ""]))

    if checked:
        steps = [step for step in reader.steps if step in checked]
        functions = [one for one in steps if isinstance(reader.steps[one], ast.FunctionDef)]
        promised = [f'    "{step}": {{}},' for step in functions]
        parts.append((None, ["# %% oracles", "PROMISES = {", *promised, "}", ""]))
    return parts


def _made(reader: _Reader) -> Taken:
    lines = chain.from_iterable(lines for _, lines in _lines(reader))
    texts = {"": "\n".join(lines)}
    checks = [item for item in reader.items if item.check]
    steps = {item.step for item in checks}

    bank, claimed = [], set()
    for step in [name for name in reader.steps if name in steps]:
        wrong = _printing(reader.steps[step])
        own = [item for item in checks if item.step == step]
        first = next((item for item in own if "hidden=true" not in item.mark), own[0])
        if wrong:
            claimed.add(first.check)
            bank.append(f'\n\n@misconception(step="{step}", caught_by="{first.check}")\n{wrong}\n')

    if bank:
        unclaimed = {item.check: _UNCLAIMED for item in checks if item.check not in claimed}
        texts["_misconceptions"] = _BANK.format(unclaimed=repr(unclaimed)) + "".join(bank)
    questions = sum("manual=" in item.mark for item in reader.items)
    return Taken(texts, list(reader.left), len(steps), len(checks), questions)


def _printing(step: ast.stmt) -> str:
    """The step's function as somebody writes it who prints what it should return."""
    if not isinstance(step, ast.FunctionDef):
        return ""
    wrong = ast.parse(ast.unparse(step)).body[0]
    assert isinstance(wrong, ast.FunctionDef)
    hint = "Your function prints its answer. What does a call give to the code that called it?"
    wrong.body[0] = ast.Expr(ast.Constant(hint))
    wrong.name = f"{step.name}_prints"
    returns = [node for node in ast.walk(wrong) if isinstance(node, ast.Return) and node.value]
    if not returns or step.name in _names(wrong).used:
        return ""

    class Printing(ast.NodeTransformer):
        def visit_Return(self, node: ast.Return) -> Any:
            value = node.value or ast.Constant(None)
            called = ast.Expr(ast.Call(ast.Name("print", ast.Load()), [value], []))
            return [called, ast.Return(None)]

    return ast.unparse(ast.fix_missing_locations(Printing().visit(wrong)))


def _with_regions(node: Any) -> Iterator[str]:
    """A function or class with the answer of each function in a region."""
    text = ast.unparse(node).split("\n")
    again: Any = ast.parse("\n".join(text)).body[0]
    inside = [again] if isinstance(again, ast.FunctionDef) else again.body
    begins: dict[int, str] = {}
    ends: dict[int, str] = {}
    for function in (one for one in inside if isinstance(one, ast.FunctionDef)):
        body = function.body
        if ast.get_docstring(function) is not None and len(body) > 1:
            body = body[1:]
        indent = " " * body[0].col_offset
        begins[body[0].lineno] = indent + BEGIN
        ends[body[-1].end_lineno or body[-1].lineno] = indent + END

    for number, line in enumerate(text, start=1):
        if number in begins:
            yield begins[number]
        yield line
        if number in ends:
            yield ends[number]


def _without(marks: re.Pattern[str], source: str) -> str:
    return "\n".join(line for line in source.split("\n") if not marks.search(line))


def _visible(source: str) -> str:
    kept, inside = [], False
    for line in source.split("\n"):
        found = _HIDDEN.search(line)
        if found:
            inside = found[1] == "BEGIN"
        elif not inside:
            kept.append(line)
    return "\n".join(kept)


def _comments(text: str) -> list[str]:
    return [f"# {line}".rstrip() for line in text.strip("\n").split("\n")]


def _points(about: dict[str, Any]) -> object:
    points = about.get("points", 0)
    return int(points) if isinstance(points, (int, float)) and points == int(points) else points


def _names(node: ast.stmt) -> names.Names:
    return names.of(ast.Module([node], []))


def _is_definition(node: ast.stmt) -> bool:
    """What may stand in the setup cell: imports, helpers, constants."""
    if isinstance(node, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)):
        return True
    if not isinstance(node, ast.Assign):
        return False
    try:
        ast.literal_eval(node.value)
    except ValueError:
        return False
    return True


def name_of(path: Path) -> str:
    """The exercise's name after a notebook's."""
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", path.stem).strip("_-")
    if not cells.ID.fullmatch(name):
        raise Unusable(path, "its name is no name for an exercise", "rename it")
    return name

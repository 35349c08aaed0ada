"""The modules that the build writes into the setup cell: the kit's tools, the course's shared code.

A notebook that students get must need no file beside it. Each module is written out as a class
within a function that is never called: the code of the class is run in a module of its own. No
variable of a student is in its way, and Python compiles it with the cell.
"""

from __future__ import annotations

import ast
import difflib
import io
import json
import re
import tokenize
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from functools import cache, lru_cache

from autograder.authoring.cells import AuthoredCell, Problem, Source
from autograder.authoring.statements import Statement, bound_by, needed, statements
from autograder.exercises.names import nodes
from autograder.exercises.sources import SHARED, TOOLS

ALWAYS = frozenset((
    "ANSWERS", "ASKS", "CHECKS", "HEADINGS", "HINTS", "NEARLY", "REVEAL",
    "answer", "check", "fingerprint", "first", "ready", "silent", "source",
))  # fmt: skip
"""What every notebook needs of the tools."""

_FOR_STUDENTS = frozenset(
    {"count_tries", "curves", "demo", "first", "heatmap", "source", "summary", "table"}
)
"""Tools that students call, and may ask help for: these keep their docstrings."""

_PACKAGE = "autograder.tools"

_HALVES = re.compile(r'(?<=[^"\\])"\n +"(?=[^"])')
"""Between two lines of one text."""

_ALONE = re.compile(r'(":) \(\n +("[^\n]*")\n +\)(?=,\n)')
"""A text in a dictionary that needs no line of its own once it is one."""

_OPENED, _CLOSED = re.compile(r"([(\[{])\n +"), re.compile(r",\n +([)\]}])")
"""The lines of a bracket: what is in it begins in the first, and ends in the last."""

_HEAD = '''\
# @title Tools: run this first
"""What this notebook checks and draws with. You don't need to read it."""

import types


def module(function, **names):
    """The class in a function as a module: its names are its own, whatever you call yours."""
    made = types.ModuleType(function.__name__)
    vars(made).update(names)
    codes = [part for part in function.__code__.co_consts if isinstance(part, types.CodeType)]
    exec(codes[0], vars(made))
    return made'''


def head(authored: Source) -> str:
    """The first part of the setup cell: what makes the modules that the exercise uses."""
    codes = [cell.source for cell in authored.cells if not cell.markdown]
    parts = [_HEAD]
    makes = ["tools = module(tools)"]
    wanted = ALWAYS | _used("tools", [*codes, authored.shared])
    if authored.of("practice"):
        wanted |= {"PRACTICE", "practice"}
    about = "Checks, comparisons and tables, the same for every exercise."
    parts.append(_written("tools", about, _without_unsaid(needed(_tools(), wanted))))

    if authored.shared:
        found = statements(untyped(without_imports(authored.shared)))
        about = "What the exercises of this course share."
        parts.append(_written(SHARED, about, needed(found, _used(SHARED, codes))))
        makes.append(f"{SHARED} = module({SHARED}, tools=tools)")
    makes.append("del module, types")
    return "\n\n\n".join([*parts, "\n".join(makes)])


def without_imports(code: str) -> str:
    """Code without its imports of these modules, which are there already.

    Names imported from them are bound.
    """
    lines = code.split("\n")
    for node in reversed(ast.parse(code).body):
        if not _is_ours(node):
            continue
        assert isinstance(node, (ast.Import, ast.ImportFrom))
        bindings = []
        if isinstance(node, ast.ImportFrom) and _module(node):
            for alias in node.names:
                bindings.append(f"{alias.asname or alias.name} = {_module(node)}.{alias.name}")

        first, last = node.lineno - 1, node.end_lineno or node.lineno
        around = lines[first - 1 : first] + lines[last : last + 1]
        if not bindings and not any(line.strip() for line in around):
            last += 1  # one of the blank lines around it goes with it
        lines[first:last] = bindings
    return "\n".join(lines).strip("\n")


@lru_cache(maxsize=16)
def indented(code: str) -> str:
    """Code four columns to the right; lines within its texts stay, but for those of docstrings."""
    lines = code.split("\n")
    stay: set[int] = set()
    tree = ast.parse(code)
    docstrings: set[ast.expr] = set()
    for node in ast.walk(tree):  # those around others come first
        if isinstance(node, ast.Expr):
            docstrings.add(node.value)
        elif isinstance(node, (ast.Constant, ast.JoinedStr)) and node not in docstrings:
            stay.update(range(node.lineno, node.end_lineno or node.lineno))

    for number, line in enumerate(lines):
        if line.strip() and number not in stay:
            lines[number] = f"    {line}"
    return "\n".join(lines)


def uses_shared(cells: Iterable[AuthoredCell]) -> bool:
    """Whether the setup cell imports the course's shared code."""
    for cell in cells:
        for node in ast.parse(cell.source).body if cell.kind == "setup" else ():
            if _is_ours(node) and SHARED in _imported(node):
                return True
    return False


def codes(shared: str) -> dict[str, str]:
    """The code of the tools and of the shared module, by the module's name."""
    files = sorted(TOOLS.glob("*.py"))
    tools = "\n".join(path.read_text(encoding="utf-8") for path in files)
    return {"tools": tools, SHARED: shared}


def imported_as(code: str, module: str, names: Set[str]) -> set[str]:
    """How code calls these names of a module that it imports from it."""
    bound: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and _module(node) == module:
            for alias in node.names:
                if alias.name in names:
                    bound.add(alias.asname or alias.name)
    return bound


def imports(source: Source) -> Iterator[Problem]:
    """What is wrong with how cells use these modules."""
    known = {"tools": bound_by(_tools()), SHARED: bound_by(statements(source.shared))}
    for cell in source.cells:
        if cell.markdown:
            continue
        tree = ast.parse(cell.source)
        for node in ast.walk(tree):
            line = cell.line_of(getattr(node, "lineno", 1))
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                yield from _import_problems(cell, node, line, is_top=node in tree.body)

            for module, name in _names_used(node):
                if name not in known[module]:
                    close = difflib.get_close_matches(name, known[module], 1)
                    repair = f"did you mean {module}.{close[0]}?" if close else "define it in setup"
                    yield Problem(line, f"there is no {module}.{name}", repair)


def _import_problems(
    cell: AuthoredCell, node: ast.Import | ast.ImportFrom, line: int, is_top: bool
) -> Iterator[Problem]:
    modules = _imported(node)
    if not modules & {"autograder", _PACKAGE, SHARED}:
        foreign = {name for name in modules if name.split(".")[0] == "autograder"}
        if cell.kind == "oracles":  # students never get what is said there of promises
            foreign.discard("autograder.exercises.promises")
        if foreign:
            cause = f"students have no {min(foreign)}"
            yield Problem(line, cause, "write from autograder import tools; the build brings that")
        return

    if cell.kind != "setup" or not is_top:
        cause = f"this {cell.kind} cell imports what the build writes into the setup cell"
        yield Problem(line, cause, "import it there, at the top")
    elif not _is_ours(node):
        cause = f"the build cannot write out {ast.unparse(node)}"
        yield Problem(line, cause, f"write from autograder import tools, or from {SHARED} import …")


def _imported(node: ast.AST) -> set[str]:
    """The modules that a statement imports, or imports from."""
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}
    return {node.module or ""} if isinstance(node, ast.ImportFrom) else set()


def _module(node: ast.ImportFrom) -> str:
    """Which of these modules a statement imports names from; empty if none."""
    return {_PACKAGE: "tools", SHARED: SHARED}.get(node.module or "", "")


def _is_ours(node: ast.AST) -> bool:
    """Whether a statement imports one of these modules in a way that can be written out."""
    if isinstance(node, ast.ImportFrom):
        if node.module == "autograder":
            return _imports_just(node, "tools")
        return bool(_module(node)) and node.names[0].name != "*"
    return isinstance(node, ast.Import) and _imports_just(node, SHARED)


def _imports_just(node: ast.Import | ast.ImportFrom, name: str) -> bool:
    """Whether a statement imports this alone, under its own name."""
    alias = node.names[0]
    return len(node.names) == 1 and (alias.name, alias.asname) == (name, None)


def _names_used(node: ast.AST) -> Iterator[tuple[str, str]]:
    """The names that a piece of code takes from one of these modules, each with its module."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        if node.value.id in ("tools", SHARED):
            yield node.value.id, node.attr
    elif isinstance(node, ast.ImportFrom) and _module(node):
        for alias in node.names:
            yield _module(node), alias.name


def _used(module: str, codes: Iterable[str]) -> set[str]:
    """The names that pieces of code take from a module."""
    used: set[tuple[str, str]] = set()
    for code in codes:
        for node in ast.walk(ast.parse(code)):
            used.update(_names_used(node))
    return {name for owner, name in used if owner == module}


@cache
def _tools() -> tuple[Statement, ...]:
    """The statements of the tools, those that others need first."""
    codes = {}
    for path in sorted(TOOLS.glob("*.py")):
        if path.stem != "__init__":
            codes[path.stem] = _without_words(path.read_text(encoding="utf-8"))

    found: list[Statement] = []
    done: set[str] = set()

    def add(name: str) -> None:
        if name in done:
            return
        done.add(name)
        code = untyped(codes[name])
        lines = code.split("\n")
        for node in reversed(ast.parse(code).body):
            module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            if module.startswith(f"{_PACKAGE}."):
                lines[node.lineno - 1 : node.end_lineno] = []
                add(module.removeprefix(f"{_PACKAGE}."))
        found.extend(statements(_one_by_one("\n".join(lines))))

    for name in codes:
        add(name)
    return tuple(found)


def _without_unsaid(chosen: Sequence[Statement]) -> Iterator[Statement]:
    """These statements without the sentences on relations that none of them looks for."""
    named: set[object] = set()
    for statement in chosen:
        if not statement.names.bound & {"SENTENCES", "VAGUE"}:
            named |= {text.value for text in nodes(ast.parse(statement.text), ast.Constant)}
    for statement in chosen:
        if "SENTENCES" in statement.names.bound:
            sentences = ast.literal_eval(next(nodes(ast.parse(statement.text), ast.Dict)))
            said = {name: text for name, text in sentences.items() if name in named}
            shown = json.dumps(said, indent=4, ensure_ascii=False)
            yield replace(statement, text=f"SENTENCES = {shown}")
        else:
            yield statement


def _one_by_one(code: str) -> str:
    """Code in which each name is imported by itself: who needs one of them needs no other."""
    lines = code.split("\n")
    for node in reversed(ast.parse(code).body):
        if isinstance(node, ast.ImportFrom):
            names = [ast.unparse(alias) for alias in node.names]
            imports = [f"from {node.module} import {name}" for name in names]
            lines[node.lineno - 1 : node.end_lineno] = imports
    return "\n".join(lines)


def _without_words(code: str) -> str:
    """Code without its comments, types and texts, but for what students call."""
    lines = code.split("\n")
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type == tokenize.COMMENT:
            number, column = token.start
            lines[number - 1] = lines[number - 1][:column].rstrip()

    tree = ast.parse(code)
    kept: set[int] = set()
    for node in tree.body:
        if getattr(node, "name", "") in _FOR_STUDENTS:
            kept.update(range(node.lineno, node.end_lineno or 0))
    for part in ast.walk(tree):
        # What a text is all of needs it: something must stand there.
        if isinstance(part, (ast.ClassDef, ast.FunctionDef)) and len(part.body) == 1:
            kept.add(part.body[0].lineno)
    for text in nodes(tree, ast.Expr):
        said = text.value.value if isinstance(text.value, ast.Constant) else None
        if isinstance(said, str) and text.lineno not in kept:
            for number in range(text.lineno, (text.end_lineno or 0) + 1):
                lines[number - 1] = ""
    cuts: set[tuple[int, int, int]] = set()
    for function in nodes(tree, ast.FunctionDef):
        cuts.update(_types(lines, function))
    for number, begin, end in sorted(cuts, reverse=True):
        lines[number] = lines[number][:begin] + lines[number][end:]
    joined = _ALONE.sub(r"\1 \2", _HALVES.sub("", "\n".join(lines)))
    return _CLOSED.sub(r"\1", _OPENED.sub(r"\1", re.sub(r"\n\s*\n(?= )", "\n", joined)))


def _types(lines: list[str], function: ast.FunctionDef) -> Iterator[tuple[int, int, int]]:
    """Where the types of a function stand: line, begin and end; those on several lines stay."""
    every = function.args
    arguments = [*every.posonlyargs, *every.args, *every.kwonlyargs]
    for argument in filter(None, [*arguments, every.vararg, every.kwarg]):
        type_ = argument.annotation
        if type_ is not None and argument.lineno == type_.end_lineno:
            begin = argument.col_offset + len(argument.arg)
            yield argument.lineno - 1, begin, type_.end_col_offset or 0

    for assigned in nodes(function, ast.AnnAssign):
        target, type_ = assigned.target, assigned.annotation
        if assigned.value is not None and target.lineno == type_.end_lineno:
            yield target.lineno - 1, target.end_col_offset or 0, type_.end_col_offset or 0

    returned = function.returns
    if returned is not None and returned.lineno == returned.end_lineno:
        line = lines[returned.lineno - 1]
        begin = line.rindex(" ->", 0, returned.col_offset)
        yield returned.lineno - 1, begin, returned.end_col_offset or 0


def _written(name: str, about: str, chosen: Iterable[Statement]) -> str:
    """A module as a class in a function."""
    imports: set[str] = set()
    others: list[str] = []
    for statement in chosen:
        (imports.add if statement.is_import else others.append)(statement.text)

    body = "\n\n".join(["\n".join(sorted(imports)), *others])
    return f'def {name}():\n  class {name}:\n    """{about}"""\n{indented(body)}'


def untyped(code: str) -> str:
    """Code without the annotations of what it assigns at top level, which nobody needs there."""
    lines = code.split("\n")
    for node in reversed(ast.parse(code).body):
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            value = ast.get_source_segment(code, node.value)
            assigned = f"{ast.unparse(node.target)} = {value}"
            lines[node.lineno - 1 : node.end_lineno] = assigned.split("\n")
    return "\n".join(lines)

"""Decorated functions of a bank beside an exercise, read as text: each is an answer to a step,
under a name of its own.

Nothing of the file is run, so reading it leaves no bytecode among the exercises, which nbgrader
would list as one more assignment.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from autograder.errors import Unusable
from autograder.files import text_of


@dataclass(frozen=True)
class Entry:
    """One decorated function. ``source`` is the answer as a student would hand it in: named after
    its step."""

    name: str
    marks: Mapping[str, str]
    doc: str
    source: str
    line: int


@dataclass(frozen=True)
class Bank:
    """The entries of a file, and the dictionaries of text that it assigns at top level."""

    path: Path
    entries: tuple[Entry, ...]
    tables: Mapping[str, Mapping[str, str]]

    def problem(self, line: int, cause: str, repair: str) -> Unusable:
        """What is wrong at a line, in the form of every message to a teacher."""
        return Unusable(f"{self.path}:{line}: {cause}; {repair}")


def read(path: Path, decorator: str, marks: frozenset[str]) -> Bank:
    """The functions in ``path`` under ``@decorator(step="...", ...)``, whose arguments may be
    ``marks``.

    Raises:
        Unusable: the file cannot be read, or an entry is not in the form that its decorator asks
            for.
    """
    try:
        text = text_of(path.read_bytes())
        tree = ast.parse(text)
    except OSError as error:
        cause = (error.strerror or "cannot be read").lower()
        raise Unusable(f"{path}: {cause}; write it beside the exercise") from None
    except UnicodeDecodeError:
        raise Unusable(f"{path}: not UTF-8 text; save the file as UTF-8") from None
    except SyntaxError as error:
        raise Unusable(f"{path}:{error.lineno}: not Python: {error.msg}; mend it") from None
    bank = Bank(path, tuple(_entries(path, text, tree, decorator, marks)), dict(_tables(tree)))
    seen: dict[str, int] = {}
    for entry in bank.entries:
        if entry.name in seen:
            raise bank.problem(
                entry.line, f"{entry.name} is the name of line {seen[entry.name]} too", "rename one"
            )
        seen[entry.name] = entry.line
    return bank


def _entries(
    path: Path, text: str, tree: ast.Module, decorator: str, known: frozenset[str]
) -> Iterator[Entry]:
    lines = text.split("\n")
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef):
            continue
        calls = [call for call in node.decorator_list if isinstance(call, ast.Call)]
        call = next(
            (
                call
                for call in calls
                if isinstance(call.func, ast.Name) and call.func.id == decorator
            ),
            None,
        )
        if call is None:
            repair = f"give it @{decorator}(...), or move it into the entry that uses it"
            raise Unusable(
                f"{path}:{node.lineno}: {node.name} is no entry, and an entry stands by itself; {repair}"
            )
        marks = {}
        for argument in call.keywords:
            value = argument.value
            if argument.arg not in known or not (
                isinstance(value, ast.Constant) and isinstance(value.value, str)
            ):
                repair = f"write {', '.join(sorted(known))} as texts"
                raise Unusable(
                    f"{path}:{call.lineno}: {argument.arg or '**'} is no mark of an entry; {repair}"
                )
            marks[argument.arg] = value.value
        if call.args or "step" not in marks:
            raise Unusable(
                f'{path}:{call.lineno}: an entry without its step; write @{decorator}(step="...")'
            )
        doc = " ".join((ast.get_docstring(node) or "").split())
        yield Entry(node.name, marks, doc, _answer(path, node, lines, marks["step"]), node.lineno)


def _answer(path: Path, node: ast.FunctionDef, lines: list[str], step: str) -> str:
    """The function without decorators and docstring, and named after its step wherever it names
    itself."""
    first = node.body[0]
    is_doc = ast.get_docstring(node) is not None
    if is_doc and len(node.body) == 1:
        raise Unusable(f"{path}:{node.lineno}: {node.name} does nothing; write what people write")
    skipped = range(first.lineno, (first.end_lineno or 0) + 1) if is_doc else range(0)
    kept = [
        lines[number - 1]
        for number in range(node.lineno, (node.end_lineno or 0) + 1)
        if number not in skipped
    ]
    source = "\n".join(kept).rstrip() + "\n"
    if re.search(rf"\b{re.escape(step)}\b", re.sub(rf"\b{re.escape(node.name)}\b", "", source)):
        raise Unusable(
            f"{path}:{node.lineno}: {node.name} uses {step}, which it stands for; write it out"
        )
    return re.sub(rf"\b{re.escape(node.name)}\b", step, source)


def _tables(tree: ast.Module) -> Iterator[tuple[str, dict[str, str]]]:
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        value = getattr(node, "value", None)
        if isinstance(target, ast.Name) and isinstance(value, ast.Dict):
            try:
                table = ast.literal_eval(value)
            except ValueError:
                continue
            yield target.id, {str(key): str(text) for key, text in table.items()}

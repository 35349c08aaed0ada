"""Banks of answers beside an exercise: decorated functions or classes, each an answer to a step.

Nothing of the file is run, so reading it leaves no bytecode among the exercises, which nbgrader
would list as one more assignment.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path

from autograder.base.errors import Unusable
from autograder.base.files import text_of
from autograder.base.text import either, not_python
from autograder.exercises.names import mentioned

Definition = ast.FunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Entry:
    """One decorated function or class.

    ``kind`` is its decorator. ``source`` is the answer as a student would hand it in: named after
    its step.
    """

    name: str
    kind: str
    marks: Mapping[str, str]
    doc: str
    source: str
    line: int


@dataclass(frozen=True)
class Answer:
    """One answer to one step: code that binds the step's name; ``line`` is that of its entry.

    ``about`` is what its docstring says.
    """

    name: str
    step: str
    source: str
    wrong: bool
    line: int = field(default=0, compare=False)
    about: str = field(default="", compare=False)


@dataclass(frozen=True)
class Bank:
    """The entries of a file, and the dictionaries of text that it assigns at top level."""

    path: Path
    entries: tuple[Entry, ...]
    tables: Mapping[str, Mapping[str, str]]

    def problem(self, line: int, cause: str, repair: str) -> Unusable:
        """What is wrong at a line, in the form of every message to a teacher."""
        return Unusable(f"{self.path}:{line}", cause, repair)


def read(path: Path, kinds: Mapping[str, Set[str]]) -> Bank:
    """The bank in ``path``.

    Args:
        kinds: the names of decorators, as in ``@decorator(step="...", ...)``, which make a function
            an entry, and the arguments that each may have.

    Raises:
        Unusable: the file cannot be read, or an entry is not in the form that its decorator asks
            for.
    """
    try:
        text = text_of(path.read_bytes())
        tree = ast.parse(text)
    except OSError as error:
        cause = (error.strerror or "cannot be read").lower()
        raise Unusable(path, cause, "write it beside the exercise") from None
    except UnicodeDecodeError:
        raise Unusable(path, "not UTF-8 text", "save the file as UTF-8") from None
    except SyntaxError as error:
        raise Unusable(f"{path}:{error.lineno}", not_python(error), "fix it") from None

    entries = _Entries(path, text, kinds).read(tree)
    bank = Bank(path, tuple(entries), dict(_tables(tree)))
    seen: dict[str, int] = {}
    for entry in bank.entries:
        if entry.name in seen:
            raise bank.problem(
                entry.line, f"{entry.name} is the name of line {seen[entry.name]} too", "rename one"
            )
        seen[entry.name] = entry.line
    return bank


class _Entries:
    """Reads the decorated functions of a file."""

    def __init__(self, path: Path, text: str, kinds: Mapping[str, Set[str]]) -> None:
        self._path = path
        self._lines = text.split("\n")
        self._kinds = kinds

    def read(self, tree: ast.Module) -> Iterator[Entry]:
        """The entries, in order.

        Raises:
            Unusable: one is not in the form that its decorator asks for.
        """
        for node in tree.body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                kind, call = self._mark(node)
                marks = self._marks(call, self._kinds[kind])
                doc = " ".join((ast.get_docstring(node) or "").split())
                source = self._answer(node, marks["step"])
                yield Entry(node.name, kind, marks, doc, source, node.lineno)

    def _wrong(self, line: int, cause: str, repair: str) -> Unusable:
        return Unusable(f"{self._path}:{line}", cause, repair)

    def _mark(self, node: Definition) -> tuple[str, ast.Call]:
        """The decorator that makes a function an entry, and its name."""
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call):
                function = decorator.func
                if isinstance(function, ast.Name) and function.id in self._kinds:
                    return function.id, decorator

        decorators = either(f"@{kind}(...)" for kind in self._kinds)
        raise self._wrong(
            node.lineno,
            f"{node.name} is no entry, and an entry stands by itself",
            f"give it {decorators}, or move it into the entry that uses it",
        )

    def _marks(self, call: ast.Call, known: Set[str]) -> dict[str, str]:
        marks: dict[str, str] = {}
        for argument in call.keywords:
            value = argument.value.value if isinstance(argument.value, ast.Constant) else None
            if argument.arg is None or argument.arg not in known or not isinstance(value, str):
                raise self._wrong(
                    call.lineno,
                    f"{argument.arg or '**'} is no mark of an entry",
                    f"write {', '.join(sorted(known))} as texts",
                )
            marks[argument.arg] = value

        if call.args or "step" not in marks:
            repair = f'write @{ast.unparse(call.func)}(step="...")'
            raise self._wrong(call.lineno, "an entry without its step", repair)
        return marks

    def _answer(self, node: Definition, step: str) -> str:
        """The function without decorators and docstring, named after its step.

        It is so wherever it names itself.
        """
        lines = self._lines[node.lineno - 1 : node.end_lineno]
        if ast.get_docstring(node) is not None:
            if len(node.body) == 1:
                cause = f"{node.name} does nothing"
                raise self._wrong(node.lineno, cause, "write what people write")
            docstring = node.body[0]
            above = self._lines[node.lineno - 1 : docstring.lineno - 1]
            lines = above + self._lines[docstring.end_lineno : node.end_lineno]

        source = "\n".join(lines).rstrip() + "\n"
        own_name = re.compile(rf"\b{re.escape(node.name)}\b")
        # A method of that name is another thing: text.encode in an answer to encode.
        if step in mentioned(node):
            cause = f"{node.name} uses {step}, which it stands for"
            raise self._wrong(node.lineno, cause, "write it out")
        return own_name.sub(step, source)


def _tables(tree: ast.Module) -> Iterator[tuple[str, dict[str, str]]]:
    """The dictionaries of text that are assigned at top level, by name."""
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        value = getattr(node, "value", None)
        if isinstance(target, ast.Name) and isinstance(value, ast.Dict):
            try:
                table = ast.literal_eval(value)
            except ValueError:
                continue
            yield target.id, {str(key): str(text) for key, text in table.items()}

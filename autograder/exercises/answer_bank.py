"""Banks of answers to an exercise: decorated functions or classes, each an answer to a step.

The file is only parsed, so it leaves no bytecode among the exercises, which nbgrader would list as
another assignment.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence, Set
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

    ``kind`` is its decorator. ``source`` is the answer as a student would hand it in, named after
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

    ``about`` is its docstring.
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
        """An error at a line, in the form of every message to a teacher."""
        return Unusable(f"{self.path}:{line}", cause, repair)


def read(path: Path, kinds: Mapping[str, Set[str]]) -> Bank:
    """The bank in ``path``.

    Args:
        kinds: the decorators that make a function an entry, as in ``@decorator(step="...", ...)``,
            and the arguments that each may have.

    Raises:
        Unusable: the file cannot be read, or an entry does not have the form that its decorator
            needs.
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

    lines = text.split("\n")
    entries: dict[str, Entry] = {}
    for node in tree.body:
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            continue
        try:
            entry = _entry(node, lines, kinds)
        except ValueError as error:
            line, cause, repair = error.args
            raise Unusable(f"{path}:{line}", cause, repair) from None
        if entry.name in entries:
            cause = f"{entry.name} is the name of line {entries[entry.name].line} too"
            raise Unusable(f"{path}:{entry.line}", cause, "rename one")
        entries[entry.name] = entry
    return Bank(path, tuple(entries.values()), dict(_tables(tree)))


def _entry(node: Definition, lines: Sequence[str], kinds: Mapping[str, Set[str]]) -> Entry:
    """A decorated function or class.

    Raises:
        ValueError: it does not have the form that its decorator needs; with the line, the cause,
            and the repair.
    """
    for call in node.decorator_list:
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in kinds:
            break
    else:
        decorators = either(f"@{kind}(...)" for kind in kinds)
        cause = f"{node.name} is no entry, and an entry stands by itself"
        repair = f"give it {decorators}, or move it into the entry that uses it"
        raise ValueError(node.lineno, cause, repair)

    kind, known = call.func.id, kinds[call.func.id]
    marks: dict[str, str] = {}
    for argument in call.keywords:
        value = argument.value.value if isinstance(argument.value, ast.Constant) else None
        if argument.arg is None or argument.arg not in known or not isinstance(value, str):
            cause = f"{argument.arg or '**'} is no mark of an entry"
            raise ValueError(call.lineno, cause, f"write {', '.join(sorted(known))} as texts")
        marks[argument.arg] = value
    if call.args or "step" not in marks:
        raise ValueError(call.lineno, "an entry without its step", f'write @{kind}(step="...")')

    doc = " ".join((ast.get_docstring(node) or "").split())
    return Entry(node.name, kind, marks, doc, _answer(node, lines, marks["step"]), node.lineno)


def _answer(node: Definition, lines: Sequence[str], step: str) -> str:
    """The function without decorators and docstring, named after its step.

    Its calls of itself are renamed, too.
    """
    own = list(lines[node.lineno - 1 : node.end_lineno])
    if ast.get_docstring(node) is not None:
        if len(node.body) == 1:
            raise ValueError(node.lineno, f"{node.name} does nothing", "write what people write")
        docstring = node.body[0]
        own[docstring.lineno - node.lineno : (docstring.end_lineno or 0) - node.lineno + 1] = []

    # A method of that name is something else: text.encode in an answer to encode.
    if step in mentioned(node):
        cause = f"{node.name} uses {step}, which it stands for"
        raise ValueError(node.lineno, cause, "write it out")
    own_name = re.compile(rf"\b{re.escape(node.name)}\b")
    return own_name.sub(step, "\n".join(own).rstrip() + "\n")


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

"""What can be told from the source of a cell without running it."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

from autograder.exercises import names
from autograder.submissions import ipython_input

RUN_THEIR_CODE = ("time", "prun", "timeit", "capture")
"""Magics around code of the notebook: that is run, and they are not. All others are left out."""
NO_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What the parser raises for text that is no Python, hostile text among it."""
MAX_STATEMENTS, MAX_TOKENS = 10_000, 50_000
"""Of the longest cell that is parsed: a parser needs 2 kB for a statement, 1 kB for a token."""

MAX_NESTED = 20  # magics within magics

_PROMPT = re.compile(r"\s*(?:.*\n)?In \[\d+\]: ")  # to Python it may be an annotation
_ASKED = re.compile(
    r"^(?P<before>.*?)get_ipython\(\)\."
    r"(?P<what>run_cell_magic|run_line_magic|system|getoutput|show_usage)\((?P<arguments>.*)\)$",
    re.MULTILINE,
)
"""A line that IPython has written, or a script that was made of a notebook."""
_HELP = {"pinfo": "?", "pinfo2": "??", "psearch": "?"}
_TOKEN = re.compile(r"\w+|[^\w\s]")
_DEFINITION = re.compile(r"^(?:async\s+)?(?:def|class)\s+(\w+)", re.MULTILINE)

_Answer = TypeVar("_Answer")


def _remembered(function: Callable[[str], _Answer]) -> Callable[[str], _Answer]:
    """Remember the answers: a class hands in the same cells again and again.

    Of long cells only a few are kept.
    """
    usual, long = lru_cache(maxsize=4096)(function), lru_cache(maxsize=64)(function)

    @wraps(function)
    def answer(source: str) -> _Answer:
        return usual(source) if len(source) < 5_000 else long(source)

    return answer


def parses(source: str) -> bool:
    """Whether a cell is Python. Hostile text may exhaust the parser, which is a no."""
    return _bound(source) is not None


def binds(source: str) -> frozenset[str]:
    """The names that a cell binds at its top level: def, class, assignment, import.

    Of a cell that does not parse, those that it ``defines``.
    """
    bound = _bound(as_python(source)[0])
    return defines(source) if bound is None else bound


def defines(source: str) -> frozenset[str]:
    """The names in the ``def`` and ``class`` lines of a cell, which is not parsed."""
    return frozenset(_DEFINITION.findall(source))


def function_at(source: str, line: int) -> str:
    """The function or class that begins last, down to a line of a cell; empty if none does."""
    begun = _DEFINITION.findall("\n".join(source.split("\n")[:line]))
    return str(begun[-1]) if begun else ""


@_remembered
def words(source: str) -> frozenset[str]:
    """Every word of a cell: the names that it uses, and many more, but without parsing it."""
    return frozenset(re.findall(r"\w+", source))


@_remembered
def uses(source: str) -> frozenset[str] | None:
    """The global names that a cell refers to, functions included; None if it does not parse."""
    tree = parsed(source)
    return None if tree is None else names.of(tree).used


def deletes(source: str, name: str) -> bool:
    """Whether a cell deletes a name, outside of functions as a rule."""
    tree = parsed(source) if re.search(r"\bdel\b", source) else None
    for node in ast.walk(tree) if tree else ():
        is_name = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del)
        if is_name and getattr(node, "id", "") == name:
            return True
    return False


@_remembered
def _bound(source: str) -> frozenset[str] | None:
    tree = parsed(source)
    return None if tree is None else names.bound(tree, source)


def parsed(source: str) -> ast.Module | None:
    """The cell as the parser understands it; None if it is no Python. Not kept: it is large."""
    # Whether the parser has memory enough; what stands in strings and comments counts as code.
    if source.count("\n") + source.count(";") > MAX_STATEMENTS:
        return None
    if len(source) > MAX_TOKENS and sum(1 for _ in _TOKEN.finditer(source)) > MAX_TOKENS:
        return None
    try:
        # What the parser says about the student's text is not for the teacher's terminal.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except NO_PYTHON:
        return None


def as_python(source: str) -> tuple[str, tuple[str, ...]]:
    """A cell as IPython would run it, and its lines that are not run here: magics, the shell's.

    Those stand in it as comments. A cell that is Python as it stands is not touched.

    Raises:
        Unusable: IPython is not installed, and the cell asks for it.
    """
    return (source, ()) if is_plain(source) else _as_python(source)


def is_plain(source: str) -> bool:
    """Whether a cell is Python as it stands, for IPython as well."""
    return parses(source) and "get_ipython()." not in source and not _PROMPT.match(source)


@_remembered
def _as_python(source: str) -> tuple[str, tuple[str, ...]]:
    left_out: list[str] = []
    text = _without_magics(source, left_out, depth=0)
    return text, tuple(left_out)


def _without_magics(source: str, left_out: list[str], depth: int) -> str:
    def replaced(line: re.Match[str]) -> str:
        try:
            arguments = ast.literal_eval(f"({line['arguments']},)" if line["arguments"] else "()")
        except (*NO_PYTHON, TypeError):  # not as IPython writes it
            return line[0]
        if not all(isinstance(argument, str) for argument in arguments):
            return line[0]
        return _instead(line["before"], line["what"], arguments, left_out, depth)

    is_python = parses(source) and not _PROMPT.match(source)
    text = source if is_python else ipython_input.rewritten(source)
    return _ASKED.sub(replaced, text)


def _instead(
    before: str, what: str, arguments: tuple[str, ...], left_out: list[str], depth: int
) -> str:
    """The code in the place of what is asked of IPython, which is added to what is left out."""
    name = arguments[0] if arguments else ""
    rest = arguments[1] if len(arguments) > 1 else ""
    runs_code = name in RUN_THEIR_CODE and depth < MAX_NESTED
    if what == "run_cell_magic":
        line, body = f"%%{name} {rest}".strip(), "".join(arguments[2:])
        left_out.append(line)
        if not runs_code:
            return "\n".join(f"# {part}".rstrip() for part in (line, *body.split("\n")))
        # What it captures is shown later, at most.
        captured = name == "capture" and re.match(r"\w+", rest)
        first = f"{captured[0]} = get_ipython()" if captured else f"# {line}"
        return f"{first}\n{_body(body, left_out, depth)}"

    if what == "run_line_magic" and name in _HELP:
        said = f"{rest}{_HELP[name]}"
    elif what == "run_line_magic":
        said = f"%{name} {rest}".strip()
    else:
        said = f"!{name}" if arguments else "?"
    said = " ".join(said.split("\n"))
    left_out.append(f"{before.lstrip()}{said}")

    is_statement = not before.strip()
    if what == "run_line_magic" and runs_code and name != "timeit":
        code = _body(rest, left_out, depth)
        tree = parsed(code) if "\n" not in code else None
        is_value = tree and len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr)
        if tree and (is_statement or is_value):
            return f"{before}{code}"
    if is_statement:
        return f"{before}pass  # {said}"
    # Nobody has a value for it: what takes every question without a word stands for it.
    return f"{before}get_ipython()  # {said}"


def _body(code: str, left_out: list[str], depth: int) -> str:
    """The code that stands behind a magic."""
    return code if is_plain(code) else _without_magics(code, left_out, depth + 1)

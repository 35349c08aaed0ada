"""The cells of an exercise as code: compiled under names of their own, run in a fresh namespace.

What students answer is never run here, only in a worker.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import io
import warnings
from collections.abc import Callable, Iterator
from functools import lru_cache
from types import CodeType
from typing import Any

import numpy as np

from autograder.exercises.exercise import Check, Exercise

Namespace = dict[str, Any]
Rewrite = Callable[[ast.Module], ast.Module]

CELLS = 1024  # that are kept compiled: a setup cell takes as long as all checks take to run


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Nothing is printed, warned of or said about a division by zero; what is raised passes."""
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
    ):
        warnings.simplefilter("ignore")
        yield


def compiled(source: str | ast.Module, name: str) -> CodeType:
    """A cell as code; tracebacks call it ``<name>``."""
    return _compiled(source, name) if isinstance(source, str) else _code(source, name)


@lru_cache(CELLS)
def _compiled(source: str, name: str, rewrite: Rewrite | None = None) -> CodeType:
    """The same, kept: what reads an exercise again, for another purpose, has it already."""
    return _code(source if rewrite is None else rewrite(ast.parse(source)), name)


def _code(source: str | ast.Module, name: str) -> CodeType:
    # Not under this file's own `from __future__`: a notebook's cells have none.
    return compile(source, f"<{name}>", "exec", dont_inherit=True)


def setup_problem(exercise: Exercise) -> str:
    """Why the setup cell does not compile, which in a student's copy may be; nothing if it does."""
    try:
        compiled(exercise.setup, "setup")
    except SyntaxError as error:
        return f"the setup cell is no Python any more, at line {error.lineno} ({error.msg})"
    except (MemoryError, RecursionError):  # too much in each other, wherever that is
        return "the setup cell is no Python any more"
    return ""


def new_namespace() -> Namespace:
    """The names that a notebook begins with."""
    return {"__name__": "__main__"}


def reveal(namespace: Namespace, is_read: bool) -> None:
    """Tell checks whether somebody reads what they print; else their message alone counts."""
    tools = namespace.get("tools")
    if tools is not None:
        tools.REVEAL = is_read


def bind(source: str, name: str, namespace: Namespace) -> None:
    """Run a cell for the names that it binds."""
    with quiet():
        exec(compiled(source, name), namespace)


class ExerciseCode:
    """An exercise with its setup and its checks compiled.

    Args:
        rewrite: is done to hidden checks.
    """

    def __init__(self, exercise: Exercise, rewrite: Rewrite | None = None) -> None:
        self._exercise = exercise
        self.setup = compiled(exercise.setup, "setup")
        self._setup = [self.setup]
        for name in exercise.needed:
            self._setup.append(compiled(exercise.cell(name).source, name))
        self.checks: dict[str, CodeType] = {}
        for check in exercise.checks:
            self.checks[check.id] = _compiled(
                check.source, check.id, rewrite if check.hidden else None
            )

    def namespace(self) -> Namespace:
        """The names of the setup cell, and of what is needed of earlier exercises, made again."""
        namespace = new_namespace()
        with quiet():
            for code in self._setup:
                exec(code, namespace)
        return namespace

    def answered(self) -> Namespace:
        """The same, and the teacher's own answers to all steps."""
        namespace = self.namespace()
        for step in self._exercise.steps:
            bind(self._exercise.cell(step).source, step, namespace)
        return namespace

    def rewritten(self, rewrite: Rewrite, names: Namespace) -> Namespace:
        """The same with all code rewritten, which may use these names as well.

        They are builtins there: the modules that a setup cell makes have them, too.
        """
        exercise = self._exercise
        cells = [("setup", exercise.setup)]
        for name in (*exercise.needed, *exercise.steps):
            cells.append((name, exercise.cell(name).source))

        namespace = {**new_namespace(), "__builtins__": {**vars(builtins), **names}}
        with quiet():
            for name, source in cells:
                exec(_compiled(source, name, rewrite), namespace)
        return namespace

    def run(self, check: Check, namespace: Namespace) -> None:
        """Run a check; what it raises passes."""
        with quiet():
            # A copy: what a check binds is not there for the next.
            exec(self.checks[check.id], dict(namespace))

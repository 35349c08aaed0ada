"""The cells of an exercise as code: each is compiled under its own name, and they run in a fresh
namespace.

Student code never runs here, only in a worker.
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

CELLS = 1024  # kept compiled: compiling a setup cell takes as long as running all checks


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Suppress output, warnings and messages about division by zero; exceptions pass through."""
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
    """The same, cached for later readers of the same exercise."""
    return _code(source if rewrite is None else rewrite(ast.parse(source)), name)


def _code(source: str | ast.Module, name: str) -> CodeType:
    # Without this file's own `from __future__`: a notebook's cells have none.
    return compile(source, f"<{name}>", "exec", dont_inherit=True)


def setup_problem(exercise: Exercise) -> str:
    """Why the setup cell does not compile, which can happen in a student's copy; empty if it
    does."""
    try:
        compiled(exercise.setup, "setup")
    except SyntaxError as error:
        return f"the setup cell is no Python any more, at line {error.lineno} ({error.msg})"
    except (MemoryError, RecursionError):  # nested too deeply
        return "the setup cell is no Python any more"
    return ""


def new_namespace() -> Namespace:
    """The names that exist when a notebook starts."""
    return {"__name__": "__main__"}


def reveal(namespace: Namespace, is_read: bool) -> None:
    """Tell checks whether anybody reads their output; otherwise only their message matters."""
    tools = namespace.get("tools")
    if tools is not None:
        tools.REVEAL = is_read


def bind(source: str, name: str, namespace: Namespace) -> None:
    """Run a cell to bind its names."""
    with quiet():
        exec(compiled(source, name), namespace)


class ExerciseCode:
    """An exercise with its setup and its checks compiled.

    Args:
        rewrite: applied to hidden checks.
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
        """The names of the setup cell, and of the functions needed from earlier exercises, in a
        fresh namespace."""
        namespace = new_namespace()
        with quiet():
            for code in self._setup:
                exec(code, namespace)
        return namespace

    def answered(self) -> Namespace:
        """The same, with the teacher's own answers to all steps."""
        namespace = self.namespace()
        for step in self._exercise.steps:
            bind(self._exercise.cell(step).source, step, namespace)
        return namespace

    def rewritten(self, rewrite: Rewrite, names: Namespace) -> Namespace:
        """The same with all code rewritten; the new code may use these names as well.

        They are builtins there, so the modules that a setup cell makes have them, too.
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
        """Run a check; its exceptions pass through."""
        with quiet():
            # A copy, so that the next check does not see the names that this one binds.
            exec(self.checks[check.id], dict(namespace))

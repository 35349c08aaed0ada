"""The cells of a built exercise, run in order and in one namespace, without a kernel.

This is the other side of ``self_check``, in a process of its own.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import inspect
import io
import json
import sys
from collections.abc import Iterator
from types import CodeType
from typing import Any, NamedTuple, TextIO

import numpy as np

from autograder.exercises.cell_code import Namespace, compiled, new_namespace, reveal
from autograder.exercises.exercise import Cell, Check, Exercise, from_notebook
from autograder.sandbox.worker.protocol.bounds import CannotCross
from autograder.sandbox.worker.protocol.encode import Encoder


class Log:
    """The facts that were found, a line of JSON each, in a file."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def say(self, fact: str, cell: int, message: str = "") -> None:
        """Log a fact about a cell, by its number."""
        entry = {"fact": fact, "cell": cell, "message": message}
        print(json.dumps(entry), file=self._file, flush=True)


class CellRun(NamedTuple):
    """An exception as one line, or empty; what the cell ends on; what went to standard error."""

    error: str
    value: Any
    printed_errors: str


def cells_to_run(exercise: Exercise) -> list[Cell]:
    """The cells with code of the exercise, manual answers left out."""
    return [cell for cell in exercise.cells if cell.is_code and cell.kind != "manual"]


def perform() -> None:
    """Run the full notebook given on standard input, with the stub of each step.

    What it shows is logged to the file named last on the command line.
    """
    full, stubs = json.loads(sys.stdin.buffer.read())
    with open(sys.argv[-1], "w", encoding="utf-8") as file:
        log = Log(file)
        _rehearse(from_notebook(full), stubs, log)
        log.say("done", 0)


def _rehearse(exercise: Exercise, stubs: dict[str, str], log: Log) -> None:
    """With all steps solved every check passes; with its own step blank it fails."""
    namespace = new_namespace()
    solved: list[str] = []
    for number, cell in enumerate(cells_to_run(exercise)):
        log.say("begun", number)
        if cell.check is not None:
            reveal(namespace, not cell.check.hidden)
            _try_solved(number, cell.check, namespace, solved, log)
            if not cell.check.void:
                _try_blank(number, cell.check, namespace, stubs[cell.check.step], log)
            continue

        error = _run(cell.source, cell.id, namespace).error
        if error:
            log.say("solution", number, error)
            return
        if cell.kind == "step":
            solved.append(cell.id)


def _try_solved(
    number: int, check: Check, namespace: Namespace, solved: list[str], log: Log
) -> None:
    """Run a check on the solution; its calls are watched."""
    classes = {step: namespace[step] for step in solved if isinstance(namespace[step], type)}
    foreign: list[tuple[str, str]] = []
    watch = _ForeignWatch(tuple(classes.values()), foreign)
    watched = {}
    for step in solved:
        if step not in classes:
            watched[step] = watch.watched(namespace[step], step)

    with contextlib.ExitStack() as stack:
        for step, own in classes.items():
            stack.enter_context(watch.watching(own, step))
        # A copy: a check that leans on an earlier one's variables must not find them.
        outcome = _run(check.source, check.id, namespace | watched)
    if outcome.error:
        log.say("solution", number, outcome.error)
    elif outcome.value is not None:
        log.say("value", number, repr(outcome.value)[:80])
    elif outcome.printed_errors:
        log.say("stderr", number, _line(outcome.printed_errors))
    elif foreign:
        fact, message = foreign[0]
        log.say(fact, number, message)


def _try_blank(number: int, check: Check, namespace: Namespace, stub: str, log: Log) -> None:
    """Run a check with its own step blank and all others solved."""
    solution = namespace[check.step]
    _run(stub, check.step, namespace)
    outcome = _run(check.source, check.id, dict(namespace))
    namespace[check.step] = solution
    if not outcome.error:
        log.say("blank", number)


class _ForeignWatch:
    """Looks at what goes into steps, and comes out of them, and notes what is foreign.

    Args:
        classes: the steps that are classes: their objects stay where they are.
        foreign: what was found: the fact, and words for it.
    """

    def __init__(self, classes: tuple[type, ...], foreign: list[tuple[str, str]]) -> None:
        self._classes = classes
        self._foreign = foreign
        self._depth = 0

    @contextlib.contextmanager
    def watching(self, own: type, step: str) -> Iterator[None]:
        """Watch the methods of a class, which stays itself: a check may ask for it."""
        methods = {name: value for name, value in vars(own).items() if inspect.isfunction(value)}
        for name, method in methods.items():
            called = step if name == "__init__" else f"{step}.{name}"
            setattr(own, name, self.watched(method, called))
        try:
            yield
        finally:
            for name, method in methods.items():
                setattr(own, name, method)

    def watched(self, function: Any, step: str) -> Any:
        """The step's function, watched."""

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if self._depth:  # within another: nothing crosses
                return function(*args, **kwargs)
            for value in (*args, *kwargs.values()):
                kind = self._argument(value)
                # A step may say in its docstring that an array can be empty.
                may_be_empty = "empty" in (function.__doc__ or "")
                if kind and not (kind.startswith("an empty") and may_be_empty):
                    self._foreign.append(("domain", f"{step} with {kind}"))

            self._depth += 1
            try:
                answer = function(*args, **kwargs)
            finally:
                self._depth -= 1
            kind = "" if answer is NotImplemented else self._stranded(answer)
            if kind:
                self._foreign.append(("answer", f"{step}, which answers with {kind}"))
            return answer

        return call

    def _argument(self, value: Any) -> str:
        """What is strange about an argument; empty if nothing is.

        It is empty itself, or cannot cross to where students' code runs.
        """
        if isinstance(value, np.ndarray) and not all(value.shape):
            return f"an empty array of shape {value.shape}"
        if isinstance(value, (bytearray, range, Iterator)):
            # As an answer it would do: it arrives as bytes or as a tuple.
            return f"a value of type {type(value).__name__}"

        if isinstance(value, (tuple, list, dict)):
            parts = [*value, *value.values()] if isinstance(value, dict) else value
            strange = next(filter(None, map(self._argument, parts)), "")
            if strange:
                return strange
        return self._stranded(value)

    def _stranded(self, value: Any) -> str:
        """What there is in a value that cannot cross; empty if all of it can."""
        # An iterator can be read only once, and the check is about to.
        staying = (*self._classes, Iterator)
        encoder = Encoder(lambda known: b"", stays=lambda thing: isinstance(thing, staying))
        try:
            encoder.value(value)
        except CannotCross as error:
            return str(error)
        return ""


def _run(source: str, name: str, namespace: Namespace) -> CellRun:
    """Run a cell as a notebook does, in silence."""
    printed = io.StringIO()
    with contextlib.redirect_stderr(printed), contextlib.redirect_stdout(io.StringIO()):
        try:
            code, last = _in_two(source, name)
            exec(code, namespace)
            value = eval(last, namespace) if last else None
        except (Exception, SystemExit) as error:
            return CellRun(_line(f"{type(error).__name__}: {error}"), None, printed.getvalue())
    return CellRun("", value, printed.getvalue())


@functools.cache
def _in_two(source: str, name: str) -> tuple[CodeType, CodeType | None]:
    """A cell as code, and the expression that it ends on, if it ends on one.

    Kept: the setup cell is run again with the stub of each step.
    """
    tree = ast.parse(source)
    value = None
    if tree.body and isinstance(last := tree.body[-1], ast.Expr):
        value = compile(ast.Expression(last.value), f"<{name}>", "eval")
        tree.body.pop()
    return compiled(tree, name), value


def _line(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 200 else words[:199] + "…"

"""Unusual right answers: in other people's style, and the solution in a wrapper."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from pathlib import Path
from typing import Any, TypeVar

from autograder.base.errors import Unusable
from autograder.exercises import answer_bank
from autograder.exercises.answer_bank import Answer, Bank
from autograder.exercises.exercise import Exercise
from autograder.exercises.sources import authored_at

MARKS = frozenset({"step"})
"""The arguments that ``right_answer`` may have."""

_Function = TypeVar("_Function", bound=Callable[..., Any])


def right_answer(*, step: str) -> Callable[[_Function], _Function]:
    """Mark a function as a right answer to ``step``."""
    if not step.isidentifier():
        raise ValueError(f"{step} is no step")
    return lambda function: function


def path_of(root: Path, exercise: str) -> Path:
    """The path of the right answers of an exercise."""
    return authored_at(root, exercise, "_right_answers")


def load(path: Path) -> tuple[Answer, ...]:
    """Read the entries of a file; none if it does not exist.

    Raises:
        Unusable: the file does not have the form of a bank.
    """
    found = []
    for entry in _bank(path).entries:
        step = entry.marks["step"]
        found.append(Answer(entry.name, step, entry.source, False, entry.line, entry.doc))
    return tuple(found)


def not_right(path: Path, steps: Iterable[str]) -> frozenset[str]:
    """The wrappers that the file lists in ``NOT_RIGHT`` as wrong in this exercise, each with a
    reason.

    The keys are wrappers of the solution: ``float32`` for every step, ``float32 (softmax)`` for one
    of ``steps``.

    Raises:
        Unusable: there is no such wrapper or step.
    """
    known = {*_WRAPPERS}
    for step in steps:
        known |= {f"{name} ({step})" for name in _WRAPPERS}

    said = _bank(path).tables.get("NOT_RIGHT", {}).keys()
    for name in sorted(said - known):
        repair = f"write one of {', '.join(_WRAPPERS)}, perhaps with a step in brackets"
        raise Unusable(path, f"NOT_RIGHT names {name!r}, which is never tried", repair)
    return frozenset(said)


def _bank(path: Path) -> Bank:
    if not path.exists():
        return Bank(path, (), {})
    return answer_bank.read(path, {"right_answer": MARKS})


# A wrapper imports all that it uses, because an exercise may not have it.
_WRAPPERS = {
    "nested lists": """
def _listed(value):
    if isinstance(value, (tuple, list)):
        return [_listed(part) for part in value]
    return value.tolist() if hasattr(value, "tolist") else value

def {step}(*args, _solution={step}, **kwargs):
    return _listed(_solution(*args, **kwargs))
""",
    "Fortran order": """
import numpy as _numpy

def _turned(value):
    if isinstance(value, tuple):
        return tuple(map(_turned, value))
    return _numpy.asfortranarray(value) if isinstance(value, _numpy.ndarray) else value

def {step}(*args, _solution={step}, **kwargs):
    return _turned(_solution(*args, **kwargs))
""",
    "read-only views that run backwards": """
import numpy as _numpy

def _view(value):
    if isinstance(value, tuple):
        return tuple(map(_view, value))
    if not isinstance(value, _numpy.ndarray) or not value.ndim:
        return value
    backwards = _numpy.array(value[..., ::-1])[..., ::-1]
    backwards.flags.writeable = False
    return backwards

def {step}(*args, _solution={step}, **kwargs):
    return _view(_solution(*args, **kwargs))
""",
    "float32": """
import numpy as _numpy

def _single(value):
    if isinstance(value, tuple):
        return tuple(map(_single, value))
    if not isinstance(value, _numpy.ndarray) or value.dtype.kind != "f":
        return value
    return _numpy.float32(value)

def {step}(*args, _solution={step}, **kwargs):
    named = {{name: _single(value) for name, value in kwargs.items()}}
    return _single(_solution(*map(_single, args), **named))
""",
    "an object that is called": """
class _Answer:
    def __init__(self, solution):
        self.solution = solution

    def __call__(self, *args, **kwargs):
        return self.solution(*args, **kwargs)

{step} = _Answer({step})
""",
    "functools.partial": """
import functools
{step} = functools.partial({step})
""",
}
"""Code after a solution that wraps it; ``{step}`` is its name."""

_WRAPPED = "the solution, "
"""The prefix of the name of a solution in a wrapper; other answers are named by identifiers."""


def solutions(exercise: Exercise, without: Set[str] = frozenset()) -> Iterator[Answer]:
    """The solution of every step, plain and in each wrapper except those in ``without``."""
    for step in exercise.steps:
        solution = exercise.cell(step).source
        yield Answer("the solution", step, solution, wrong=False)
        if exercise.cell(step).is_class:
            continue
        for name, wrapper in _WRAPPERS.items():
            if not without.isdisjoint({name, f"{name} ({step})"}):
                continue
            wrapped = f"{solution}\n\n{wrapper.format(step=step)}"
            yield Answer(f"{_WRAPPED}{name}", step, wrapped, wrong=False)


def wrapper_of(name: str) -> str:
    """The wrapper of the solution in an answer of this name; empty for every other answer."""
    return name.removeprefix(_WRAPPED) if name.startswith(_WRAPPED) else ""

"""An experiment: what a step would answer with one mistake in it, or in a step that it calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from autograder.diagnosis.calls import Arguments, Function

Namespace = dict[str, Any]
"""The names of the reference, in which its functions look up each other."""


@dataclass(frozen=True)
class Experiment:
    """An answer to every call, as one mistake would give it; ``sentence`` says which."""

    name: str
    sentence: str
    answer: Callable[[Arguments], Any]


class Bound:
    """While it lasts, the name of a step is bound to something else."""

    def __init__(self, space: Namespace, name: str, function: Function) -> None:
        self._space, self._name, self._function = space, name, function
        self._before = space[name]

    def __enter__(self) -> None:
        self._space[self._name] = self._function

    def __exit__(self, *_: object) -> None:
        self._space[self._name] = self._before

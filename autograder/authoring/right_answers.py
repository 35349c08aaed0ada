"""What later steps ask of earlier ones while visible checks run, with the right answers to it.

With them a student's own notebook can tell whether a check fails for an earlier step. They are
written as digests of the arguments, so that a table of numbers is all that there is to read.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.authoring.proving.trial import Bench
from autograder.diagnosis.calls import Function, bound
from autograder.tools.answers import call_digest

LONGEST = 2_000  # characters of an answer at most


class AnswerListener:
    """Listens to what steps ask of each other, all of which have right answers to begin with."""

    def __init__(self, bench: Bench) -> None:
        self.is_listening = True
        self._bench = bench
        self._known: dict[str, dict[str, Any]] = {}
        self._right: dict[str, Function] = {}
        for step in bench.exercise.steps:
            if step not in bench.exercise.classes:
                self._right[step] = bench.function(step)
        self._visible = [check for check in bench.checks if not check.hidden]

    def listen(self, step: str) -> None:
        """Listen, until the next ``bind``, to what is asked of all steps before this one."""
        for earlier, right in self._right.items():
            if earlier == step:
                return
            self._bench.replace(earlier, self._listening(earlier, right))

    def table(self) -> str:
        """By step the names of its arguments, their defaults, and what it was asked, as JSON; empty
        where nothing was. What right answers ask each other is among it."""
        for check in self._visible:
            self._bench.bind()
            self.listen(check.step)
            self._bench.verdict(check)

        steps: dict[str, Any] = {}
        for step, known in self._known.items():
            parameters = inspect.signature(self._right[step]).parameters.values()
            defaults = {}
            for one in parameters:
                if one.default is not one.empty:
                    defaults[one.name] = one.default
            steps[step] = [[one.name for one in parameters], defaults, known]
        return json.dumps(steps, separators=(",", ":")) if steps else ""

    def _listening(self, step: str, right: Function) -> Callable[..., Any]:
        known = self._known

        def listening(*args: Any, **kwargs: Any) -> Any:
            try:
                digest = call_digest(bound(right, args, kwargs).values())
            except (LookupError, TypeError):
                return right(*args, **kwargs)
            value = right(*args, **kwargs)
            try:
                told = written(value)
            except TypeError:
                return value
            if self.is_listening and len(json.dumps(told)) <= LONGEST:
                known.setdefault(step, {})[digest] = told
            return value

        return listening


def written(value: Any) -> Any:
    """A value as JSON can have it, and ``tools.answers.revived`` reads it.

    Raises:
        TypeError: there is no such form.
    """
    if isinstance(value, float):
        return float(f"{value:.12g}")  # no check is so strict that it sees more digits
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biuf":
        numbers = list(map(written, value.ravel().tolist()))
        return ["array", value.dtype.str, list(value.shape), numbers]
    if isinstance(value, dict):
        return ["dict", *([written(key), written(part)] for key, part in value.items())]
    if isinstance(value, (tuple, list)):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return [kind, *map(written, value)]
    raise TypeError(f"no JSON for a {type(value).__name__}")

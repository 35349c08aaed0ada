"""Whether a check stays the same while every argument is destroyed after each call.

What a function does to its arguments is seen by the check that handed them over. A check that
computes what it wants, or what it asks next, from such an argument lets a submission choose its own
question.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from autograder.authoring.proving.trial import Bench
from autograder.exercises.exercise import Check

EXEMPT = "purity"
"""The category of checks that look at their arguments afterwards, for that is what they grade."""

AXES = (1,) * 20
"""Axes put in front of a destroyed array's shape: so many that it broadcasts with nothing."""

Arguments = list[Any]
"""The arguments of one call, as they were."""


def spoilt(bench: Bench, keys: Sequence[int]) -> Iterator[tuple[str, str]]:
    """The checks that use an argument after handing it over, and what shows it."""
    for check in bench.checks:
        if check.category == EXEMPT:
            continue
        for key in keys:
            problem = _problem(bench, check, str(key))
            if problem:
                yield check.id, problem
                break


def _problem(bench: Bench, check: Check, draw: str) -> str:
    failure, asked = _run(bench, check, draw, destroy=False)
    if failure:  # wrong without any change to an argument: that is said elsewhere
        return ""

    failure, asked_then = _run(bench, check, draw, destroy=True)
    if failure:
        return failure
    try:
        np.testing.assert_equal(asked_then, asked)
    except AssertionError:
        return "it asks something else"
    return ""


def _run(bench: Bench, check: Check, draw: str, destroy: bool) -> tuple[str, list[Arguments]]:
    """Why the right answers fail a check, if they do, and what the check asks them."""
    watch = _Watch(destroy)
    bench.bind()
    for step in bench.exercise.steps:
        function = bench.function(step)
        if not isinstance(function, type):  # a check may ask whether an object is of this class
            bench.replace(step, watch.watched(function))
    failure = bench.failure(check, draw)

    bench.bind()
    return failure, watch.asked


class _Watch:
    """Keeps what a check asks of functions, and perhaps destroys it afterwards."""

    def __init__(self, destroy: bool) -> None:
        self.asked: list[Arguments] = []
        self._destroy = destroy
        self._is_within = False

    def watched(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, whose calls by the check are kept."""

        def call(*args: Any, **kwargs: Any) -> Any:
            if self._is_within:  # one right answer calls another: the check asks nothing
                return function(*args, **kwargs)

            self.asked.append(_noted([*args, kwargs]))
            self._is_within = True
            try:
                # A copy goes in, for the function may keep it, and a copy comes out, for it may be
                # an argument.
                own, named = copy.deepcopy((args, kwargs))
                return self._answer(function(*own, **named))
            finally:
                self._is_within = False
                if self._destroy:
                    _destroy([*args, *kwargs.values()])

        return call

    def _answer(self, value: Any) -> Any:
        """A copy of what a function returned; functions in it are watched too."""
        if type(value) in (tuple, list):
            parts = [self._answer(part) for part in value]
            return type(value)(parts)
        if type(value) is dict:
            return {key: self._answer(part) for key, part in value.items()}
        return self.watched(value) if callable(value) else copy.deepcopy(value)


def _noted(value: Any) -> Any:
    """A copy to compare with; of a function it is only known that it is one."""
    if isinstance(value, dict):
        return {key: _noted(part) for key, part in value.items()}
    if isinstance(value, (tuple, list)):
        return [_noted(part) for part in value]
    return "a function" if callable(value) else copy.deepcopy(value)


def _destroy(value: Any) -> None:
    """Make an argument useless, in place, as a student's function may."""
    if isinstance(value, np.ndarray):
        writeable = value.flags.writeable
        # It may be a view of what is read-only, or of several pieces.
        with contextlib.suppress(ValueError, AttributeError):
            value.flags.writeable = True
            value[...] = ~value if value.dtype.kind in "biu" else np.nan
            value.shape = (*AXES, *value.shape)
        with contextlib.suppress(ValueError):
            value.flags.writeable = writeable

    elif isinstance(value, (tuple, list, dict, set)):
        parts = [*value.values()] if isinstance(value, dict) else [*value]
        if not isinstance(value, tuple):
            value.clear()
        for part in parts:
            _destroy(part)

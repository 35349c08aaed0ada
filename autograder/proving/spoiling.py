"""Whether a question stays the question: the solution's checks, while every argument is destroyed
after each call.

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

from autograder.exercises.exercise import Check
from autograder.proving.trial import Bench

EXEMPT = "purity"
"""The category of checks that look at their arguments afterwards, for that is what they grade."""

AXES = (1,) * 20
"""In front of a destroyed array's shape: so many that it lines up with nothing."""

Question = list[Any]
"""The arguments of one call, as they were."""


def spoilt(bench: Bench, keys: Sequence[int]) -> Iterator[tuple[str, str]]:
    """The checks that use an argument after handing it over, and what shows it."""
    for check in bench.checks:
        if check.category != EXEMPT:
            problem = next(filter(None, (_problem(bench, check, str(key)) for key in keys)), "")
            if problem:
                yield check.id, problem


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


def _run(bench: Bench, check: Check, draw: str, destroy: bool) -> tuple[str, list[Question]]:
    """Why the right answers fail a check, if they do, and what the check asks them."""
    asked: list[Question] = []
    within = False

    def watched(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            nonlocal within
            if within:  # one right answer calls another: no question of the check
                return function(*args, **kwargs)
            asked.append(_noted([*args, kwargs]))
            within = True
            try:
                # A copy goes in, for the function may keep it, and a copy comes out, for it may be
                # an argument.
                own, named = copy.deepcopy((args, kwargs))
                return answer(function(*own, **named))
            finally:
                within = False
                if destroy:
                    _destroy([*args, *kwargs.values()])

        return call

    def answer(value: Any) -> Any:
        if isinstance(value, (tuple, list)):
            parts = [answer(part) for part in value]
            return parts if isinstance(value, list) else tuple(parts)
        if isinstance(value, dict):
            return {key: answer(part) for key, part in value.items()}
        return watched(value) if callable(value) else copy.deepcopy(value)

    bench.bind()
    for step in bench.exercise.steps:
        bench.replace(step, watched(bench.function(step)))
    failure = bench.failure(check, draw)
    bench.bind()
    return failure, asked


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
        with contextlib.suppress(
            ValueError, AttributeError
        ):  # a view of what is read-only, or of several pieces
            value.flags.writeable = True
            value[...] = ~value if value.dtype.kind in "biu" else np.nan
            value.shape = (*AXES, *value.shape)
        with contextlib.suppress(ValueError):
            value.flags.writeable = writeable
    elif isinstance(value, (tuple, list, dict)):
        parts = [*value.values()] if isinstance(value, dict) else [*value]
        if not isinstance(value, tuple):
            value.clear()
        for part in parts:
            _destroy(part)

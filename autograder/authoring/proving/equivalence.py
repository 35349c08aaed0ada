"""Whether two answers to a step are the same to anybody who only calls them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from autograder.authoring.proving import answers
from autograder.authoring.proving.trial import Bench
from autograder.base.quiet import quiet
from autograder.exercises.misconceptions import Misconception

# As the checks compare, unless they say otherwise.
RTOL = 1e-7
ATOL = 1e-10


@dataclass(frozen=True)
class Call:
    """What a check gave to a step's function."""

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]


@dataclass(frozen=True)
class Reply:
    """What came back: the name of an exception, or a value; and the arguments as they were left."""

    raised: str
    value: Any
    arguments: tuple[Any, ...]


def calls(bench: Bench, step: str, draw: str) -> list[Call]:
    """Every call that the step's own checks make while all answers are right."""
    made: list[Call] = []
    bench.bind()
    right = bench.function(step)

    def recorded(*args: Any, **kwargs: Any) -> Any:
        made.append(Call(copy.deepcopy(args), copy.deepcopy(kwargs)))
        return right(*args, **kwargs)

    bench.replace(step, recorded)
    for check in bench.of(step):
        bench.failure(check, draw)
    bench.bind()
    return made


def replies(function: Callable[..., Any], calls: Sequence[Call]) -> list[Reply]:
    """What a function answers to the calls, one after the other."""
    answered = []
    for call in calls:
        args, kwargs = copy.deepcopy(call.args), copy.deepcopy(dict(call.kwargs))
        with quiet():
            try:
                raised, value = "", function(*args, **kwargs)
            except Exception as error:
                raised, value = type(error).__name__, None
        answered.append(Reply(raised, value, (*args, *kwargs.values())))
    return answered


def same(a: Any, b: Any) -> bool:
    """Whether two answers are equal in shape and, within the tolerance, in every number.

    NaN equals NaN, and a list equals its array.
    """
    if isinstance(a, Reply) and isinstance(b, Reply):
        return a.raised == b.raised and same(a.value, b.value) and same(a.arguments, b.arguments)
    if isinstance(a, tuple) or isinstance(b, tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ma.MaskedArray) != isinstance(b, np.ma.MaskedArray):
        return False

    try:
        x, y = np.asarray(a), np.asarray(b)
    except ValueError:
        return False
    if x.shape != y.shape or x.dtype.kind not in "biuf" or y.dtype.kind not in "biuf":
        return x.shape == y.shape and x.dtype.kind == y.dtype.kind and bool(np.all(x == y))
    return bool(np.allclose(x.astype(float), y.astype(float), RTOL, ATOL, equal_nan=True))


def alike(
    bench: Bench, entries: Sequence[Misconception], draw: str
) -> Iterator[tuple[Misconception, Misconception]]:
    """The pairs of misconceptions of a step that no call of its checks can tell apart."""
    for step in bench.exercise.steps:
        of_step = [entry for entry in entries if entry.step == step]
        if len(of_step) < 2:
            continue

        asked = calls(bench, step, draw)
        answered = []
        for entry in of_step:
            bench.bind(answers.wrong(entry))
            answered.append((entry, replies(bench.function(step), asked)))

        for (one, replies_of_one), (other, replies_of_other) in combinations(answered, 2):
            if all(map(same, replies_of_one, replies_of_other)):
                yield one, other

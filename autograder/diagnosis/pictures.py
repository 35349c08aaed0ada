"""Small pictures for the student: a step's answer to a call of a visible check, next to the right
one.

Visible checks print their calls and the right answers, so nothing here is secret. A picture runs
only the teacher's own function, on arguments of a few numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from autograder.base.result import Example, Picture, Table
from autograder.diagnosis.calls import answered, asked, is_small
from autograder.engine.compare import same
from autograder.engine.compiled_exercise import CompiledExercise
from autograder.engine.recorded_calls import Call
from autograder.engine.verdict import Verdict

MAX_SIDE, MAX_ARGUMENT, MAX_CALLS = 8, 64, 4
"""Limits: rows and columns of a picture; numbers in an argument, or the largest one; calls of a
check that are tried."""

RTOL, ATOL = 1e-4, 1e-6
"""The precision of the numbers in a picture, which are rounded to four digits."""


def example(
    compiled: CompiledExercise, step: str, verdicts: Mapping[str, Verdict]
) -> Example | None:
    """The first call of a visible check that the step answered wrongly.

    The first call of all if every answer was right.
    """
    draws = compiled.exercise.cell(step).draws
    # A student's copy has no reference.
    if draws is None or not compiled.exercise.has_reference:
        return None

    visible = [check for check in compiled.exercise.checks if not check.hidden]
    # Then one worker has served all checks, including hidden ones, and a row that no check grades
    # may hold a hidden input. So an answer that counts as right is drawn as the right answer
    # itself.
    trusted = any(verdicts[check.id].message is not None for check in visible)

    first = None
    for check in visible:
        if check.step != step:
            continue
        for found in _examples(compiled, step, check.name, verdicts[check.id].calls, draws):
            if not trusted:
                if found.same:
                    return replace(found, got=found.wanted)
            elif not found.same:
                return found
            elif first is None:
                first = found
    return first


def _examples(
    compiled: CompiledExercise, step: str, check: str, calls: tuple[Call, ...], draws: Picture
) -> Iterator[Example]:
    for call in calls[:MAX_CALLS]:
        kept = call._replace(request=bytes(call.request), reply=bytes(call.reply))
        pictured = _pictured(compiled.reference[step], kept, draws)
        if pictured is not None:
            yield Example(check, draws, *pictured)


@lru_cache(maxsize=128)  # most students give the same answers
def _pictured(
    function: Callable[..., Any], call: Call, draws: Picture
) -> tuple[Table, Table, bool] | None:
    """The answer to a call and the right one, and whether they are the same; None if there is
    nothing to draw."""
    wanted, place, kind = _wanted(function, bytes(call.request))
    if kind != draws:
        return None

    outcome = answered(call)
    if outcome is None or outcome.raised is not None:
        return None

    got = outcome.value
    if place is not None:
        if not isinstance(got, (tuple, list)) or len(got) != len(wanted):
            return None
        got, wanted = got[place], wanted[place]

    tables = _table(got, draws), _table(wanted, draws)
    return (tables[0], tables[1], _same(got, wanted)) if tables[0] and tables[1] else None


@lru_cache(maxsize=512)  # visible checks make the same calls for every student
def _wanted(function: Callable[..., Any], request: bytes) -> tuple[Any, int | None, Picture | None]:
    """The right answer to a small request, the index of the part to draw if it is a tuple, and the
    kind of picture."""
    args, kwargs, _ = asked(request)
    if not is_small((*args, *kwargs.values()), MAX_ARGUMENT, MAX_ARGUMENT):
        return None, None, None
    try:
        wanted = function(*args, **kwargs)
    except Exception:  # a call that is meant to raise has no picture
        return None, None, None
    return wanted, *_drawable(wanted)


def _drawable(wanted: Any) -> tuple[int | None, Picture | None]:
    """The index of the part to draw if the answer is a tuple, and the kind of picture."""
    if isinstance(wanted, tuple):
        for place, part in enumerate(wanted):
            kind = _drawable(part)[1]
            if kind == "weights":
                return place, kind
        return None, None

    if not isinstance(wanted, np.ndarray) or wanted.ndim < 2:
        return None, None
    if wanted.dtype == np.bool_:
        return None, "mask"
    if wanted.dtype.kind != "f" or not (wanted >= 0).all():
        return None, None
    return None, "weights" if np.allclose(wanted.sum(axis=-1), 1) else None


def _table(value: Any, kind: str) -> Table | None:
    """A small matrix as rows, ignoring axes of length 1; None for any other array."""
    try:
        array = np.asarray(value)
    except ValueError:
        return None
    if array.ndim < 2 or array.dtype.kind not in "biuf":
        return None

    sides = [side for side in array.shape[:-1] if side != 1]
    if len(sides) > 1 or array.size == 0 or max(*sides, array.shape[-1], 1) > MAX_SIDE:
        return None

    rows = array.reshape(-1, array.shape[-1])
    if kind == "mask" and rows.dtype == np.bool_:
        return tuple(tuple(map(bool, row)) for row in rows)
    return tuple(tuple(map(_number, row)) for row in rows)


def _number(value: Any) -> float | str:
    """A number to four digits, as text if it is not finite.

    The largest float becomes infinite when it is rounded up.
    """
    rounded = float(f"{float(value):.4g}")
    return rounded if math.isfinite(rounded) else str(rounded)


def _same(got: Any, wanted: Any) -> bool:
    a, b = np.asarray(got).astype(float), np.asarray(wanted).astype(float)
    return same(a, b, RTOL, ATOL, equal_nan=False)

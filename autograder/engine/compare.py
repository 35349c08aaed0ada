"""Whether two answers are the same, as precisely as the caller needs to know."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

from autograder.sandbox.worker.protocol.records import form_of, values_of

Tolerance = tuple[float, float]
"""Relative and absolute tolerance."""

_INEXACT = (np.ndarray, np.generic, float, complex)
_NUMBERS = (*_INEXACT, bool, int)


def same(
    one: Any,
    other: Any,
    rtol: float,
    atol: float,
    *,
    single: Tolerance | None = None,
    kinds_alike: bool = False,
    equal_nan: bool = True,
) -> bool:
    """Whether two answers are the same; tuples, lists and dictionaries are compared part by part.

    Args:
        rtol, atol: how far numbers may lie apart, relative to the second one and in itself.
        single: the tolerance where one of two numbers is a float32; None: the same.
        kinds_alike: a list is like a tuple, and an integer is a number like any other; else lists
            and tuples differ, and integers must be equal.
        equal_nan: NaN is like NaN.
    """

    def alike(one: Any, other: Any) -> bool:
        if isinstance(one, (tuple, list)):
            fits = isinstance(other, (tuple, list)) if kinds_alike else type(other) is type(one)
            return fits and len(one) == len(other) and all(map(alike, one, other))

        if isinstance(one, dict):
            if not isinstance(other, dict) or one.keys() != other.keys():
                return False
            return all(alike(part, other[key]) for key, part in one.items())

        if isinstance(one, _NUMBERS if kinds_alike else _INEXACT):
            return isinstance(other, _NUMBERS) and close(np.asarray(one), np.asarray(other))

        form = form_of(one)
        if form is not None:
            fits = form_of(other) == form
            return fits and alike(values_of(one, form), values_of(other, form))

        if isinstance(other, np.ndarray):  # which answers == with an array
            return False
        return (type(one) is type(other) or not kinds_alike) and bool(one == other)

    def close(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
        if a.shape != b.shape:
            return False
        if not {a.dtype.kind, b.dtype.kind} <= set("biufc"):  # texts, integers of over 64 bits
            return bool(np.array_equal(a, b))

        # Unchanged answers are the same to the byte, and most others differ at their ends: both are
        # known sooner than by a look at every number.
        if equal_nan and a.dtype == b.dtype and a.tobytes() == b.tobytes():
            return True
        tolerance = (rtol, atol)
        if single and {a.dtype.char, b.dtype.char} & set("fF"):
            tolerance = single
        is_real = a.dtype.kind == b.dtype.kind == "f"
        for place in (0, -1) if is_real and a.size else ():
            if _are_apart(a.item(place), b.item(place), *tolerance):
                return False
        return bool(np.allclose(a, b, *tolerance, equal_nan=equal_nan))

    return alike(one, other)


def _are_apart(one: float, other: float, rtol: float, atol: float) -> bool:
    """Whether two finite numbers are too far apart."""
    return abs(one - other) > atol + rtol * abs(other) and isfinite(one) and isfinite(other)

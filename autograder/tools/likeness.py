"""Whether values are alike, how much it says that they are, and a digest that like ones share."""

import hashlib
import math
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, Any]
Key: TypeAlias = tuple[str, str]
"""The name of a relation, and what it names."""
Found: TypeAlias = tuple[Key, float]
"""A relation that explains an answer, and how much speaks for it."""

ALIKE_RTOL, ALIKE_ATOL = 1e-8, 1e-11
ENOUGH, SURE = 3.0, 12.0
"""What must speak for a relation: in several answers together, and in a single one."""


def alike(one: Any, other: Any) -> bool:
    """Whether two answers are the same: lists like tuples, numbers up to rounding."""
    if isinstance(one, (tuple, list)) and isinstance(other, (tuple, list)):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    a, b = as_numbers(one), as_numbers(other)
    if a is not None and b is not None:
        return close(a, b)
    if isinstance(one, np.ndarray) or type(one) is not type(other):
        return False
    return bool(one == other)


def close(a: Array, b: Array) -> bool:
    """Whether two arrays of numbers are the same up to rounding."""
    if a.shape != b.shape:
        return False
    single = np.float32 in (a.dtype, b.dtype)
    rtol, atol = (2e-5, 2e-6) if single else (ALIKE_RTOL, ALIKE_ATOL)
    # Most arrays that are compared are not the same, and already their ends say so.
    for place in (0, -1) if a.size else ():
        one, other = a.item(place), b.item(place)
        if abs(one - other) > atol + rtol * abs(other):
            return False
    return bool(np.allclose(a, b, rtol, atol, equal_nan=True))


def as_numbers(value: Any) -> Array | None:
    """The value as an array of real numbers; None if it is none."""
    if isinstance(value, (str, bytes, dict, set, frozenset)) or value is None:
        return None
    try:
        array = np.asarray(value)
    except (ValueError, OverflowError):  # rows of different lengths
        return None
    if (
        array.dtype.kind in "iu"
        and array.size
        and max(abs(int(array.max())), abs(int(array.min()))) > 2**53
    ):
        return None
    return array if array.dtype.kind in "biuf" else None


def both_numbers(got: Any, wanted: Any) -> tuple[Array, Array] | None:
    """Two answers as arrays of numbers; None unless both are, and there is something to compare."""
    a, b = as_numbers(got), as_numbers(wanted)
    if a is None or b is None or not b.size or not (a.size or isinstance(got, np.ndarray)):
        return None
    return a, b


def spread(array: Array, shape: tuple[int, ...]) -> Array | None:
    """An array broadcast to a shape; None where it does not fit."""
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        return None


def without_ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The axes of a shape that are longer than 1."""
    return tuple(side for side in shape if side != 1)


def weight(a: Array, prediction: Array, b: Array) -> float:
    """How much speaks for a prediction: what it explains, and the right answer does not.

    A number that is drawn says more than one that is chosen, and a truth value says little.
    """
    if prediction.shape == b.shape:
        explained = a[~np.isclose(prediction, b, ALIKE_RTOL, ALIKE_ATOL, equal_nan=True)]
    else:
        explained = a.ravel()
    return worth(explained)


def worth(explained: Array) -> float:
    """How much it says that just these numbers have been met; NaN, which all becomes in the end,
    says nothing."""
    if is_binary(explained):
        return explained.size / 1.5
    finite = np.isfinite(explained)
    different = np.unique(np.round(explained[finite].astype(float), 9))
    drawn = np.abs(different * 48 - np.round(different * 48)) > 1e-6
    infinite = np.count_nonzero(np.isinf(explained))
    return len(different) + 2.0 * np.count_nonzero(drawn) + infinite / 1.5


def is_binary(array: Array) -> bool:
    return array.dtype.kind == "b" or bool(((array == 0) | (array == 1)).all())


MANY = 20_000
"""Several times the numbers that any check asks for: what has more is not looked at."""


def is_large(value: object) -> bool:
    """Has this more than MANY parts or letters? An empty axis counts as one.

    For the others may be huge.
    """
    if isinstance(value, np.ndarray) and 0 < value.size <= MANY:  # nearly always
        return False

    count = 0
    waiting: list[Any] = [value]
    while waiting and count <= MANY:
        part = waiting.pop()
        if isinstance(part, (list, tuple)):
            count += len(part)
            waiting += part[:MANY]
        elif isinstance(part, (str, bytes)):
            count += len(part)
        elif isinstance(part, np.ndarray):
            count += math.prod(max(side, 1) for side in part.shape)
        elif isinstance(part, (dict, set, frozenset)):
            count += len(part)
            if count <= MANY:
                waiting += part
                waiting += part.values() if isinstance(part, dict) else ()
    return count > MANY


def whole(value: Any) -> Any:
    """An iterator or a range as a tuple; anything else as it is.

    A function's answer crosses so to a check that is graded, and is taken so in the notebook.
    """
    if isinstance(value, (Iterator, range)):
        return tuple(islice(value, 10 * MANY))  # it may never end
    return value


def digest(name: str, error: BaseException, values: Iterable[object]) -> str:
    """The same for all answers to the check ``name`` that agree to four digits.

    Empty where too little is known of the answer: no question is better than a wrong one.
    """
    values = list(values)
    if is_large(values):
        return ""

    facts = [name]
    if not isinstance(error, AssertionError):
        facts += [type(error).__name__, *re.findall(r"\d+|'[^']*'", str(error)[:1000])]
    elif not values:
        return ""

    try:
        facts += map(encoded, values)
    except TypeError:
        return ""
    return hashlib.sha256(" ".join(facts).encode()).hexdigest()[:6]


def encoded(value: Any) -> str:
    """A value as text, its inexact numbers to four digits; equal parts in any order of a set.

    Raises:
        TypeError: it holds something that has no such text.
    """
    if value is None or isinstance(value, (str, bytes)):
        return repr(value)

    if isinstance(value, dict):
        parts = [f"{encoded(key)}: {encoded(part)}" for key, part in value.items()]
        return f"{{{', '.join(sorted(parts))}}}"
    if isinstance(value, (set, frozenset)):
        return f"{{{', '.join(sorted(map(encoded, value)))}}}"

    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        array = np.empty(0, dtype=object)
    if array.dtype.kind in "biufc":
        return f"{array.shape} {' '.join(map(_number, array.ravel().tolist()))}"

    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(encoded, value))}]"
    if array.dtype.kind in "SU" and array.ndim:
        return f"{array.shape} {array.ravel().tolist()}"
    if isinstance(value, int):  # of more than 64 bits
        return str(value)
    raise TypeError(f"no text for a {type(value).__name__}")


def _number(number: Any) -> str:
    if isinstance(number, int):
        return str(int(number))
    return f"{number + 0.0:.4g}"


def equals(one: Any, other: Any) -> bool:
    """Whether two values are the same, to the last digit but one."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equals(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(equals, one, other))
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        if np.shape(one) != np.shape(other):
            return False
        return bool(np.allclose(one, other, rtol=1e-12, atol=1e-12, equal_nan=True))
    return bool(one == other)

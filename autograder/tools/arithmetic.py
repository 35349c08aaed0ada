"""Relations between arrays of numbers: the right entries, all changed alike."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from autograder.tools.likeness import (
    ALIKE_ATOL,
    ALIKE_RTOL,
    SURE,
    Array,
    Found,
    Key,
    as_numbers,
    close,
    worth,
)


def axis_in_words(axis: int, ndim: int) -> str:
    """An axis in words, counted from the end."""
    if ndim == 1:
        return "its only axis"
    return {-1: "the last axis", -2: "the last axis but one"}.get(axis, "a leading axis")


def computed(b: Array) -> Iterator[tuple[Key, Array]]:
    if b.dtype.kind == "b":
        yield ("complemented", ""), ~b

    b = b.astype(float)
    yield ("negated", ""), -b
    yield ("taken_from_one", ""), 1 - b
    yield ("absolute", ""), np.abs(b)
    yield ("logarithm", ""), np.log(b)
    yield ("exponential", ""), np.exp(b)
    yield ("squared", ""), b**2
    yield ("root", ""), np.sqrt(b)
    yield ("reciprocal", ""), 1 / b
    yield ("function_on_top", "the hyperbolic tangent"), np.tanh(b)
    yield ("function_on_top", "the sigmoid"), 1 / (1 + np.exp(-b))
    yield ("function_on_top", "the positive part"), np.maximum(b, 0)

    if b.ndim:
        shares = np.exp(b - b.max(-1, keepdims=True))
        yield ("function_on_top", "the softmax"), shares / shares.sum(-1, keepdims=True)
        yield ("largest_alone", ""), (b == b.max(-1, keepdims=True)) * 1.0
    if b.ndim >= 2:
        yield ("diagonal", ""), np.diagonal(b, axis1=-2, axis2=-1)

    for digits in range(7):
        yield ("rounded", ""), np.round(b, digits)
    for cut in (np.floor, np.ceil, np.trunc):
        yield ("rounded", ""), cut(b)

    for axis in range(-1, -b.ndim - 1, -1):
        yield ("accumulated", axis_in_words(axis, b.ndim)), b.cumsum(axis)
        yield ("centred", f"along {axis_in_words(axis, b.ndim)}"), b - b.mean(axis, keepdims=True)
        if b.size:
            largest = b.max(axis, keepdims=True)
            yield ("largest_taken_off", axis_in_words(axis, b.ndim)), b - largest
    yield ("centred", "of all its numbers"), b - b.mean()


def of_values(a: Array, b: Array, arguments: Mapping[str, Any]) -> Iterator[Found]:
    """The same entries changed alike; both of the same shape."""
    if a.dtype.kind == "b" or b.dtype.kind == "b":
        return
    are_whole = a.dtype.kind in "iu" and b.dtype.kind in "iu"  # and never nearly right
    is_cut = a.dtype.kind in "iu" and not are_whole
    a, b = a.astype(float), b.astype(float)
    finite = np.isfinite(a) & np.isfinite(b)
    if not finite.any() or not (finite | np.isclose(a, b, equal_nan=True)).all():
        return
    x, y = b[finite], a[finite]
    used = np.abs(x) > ALIKE_ATOL

    if (
        is_cut
        and (y.min() < 0 or y.max() > 1)
        and 2 * np.count_nonzero(np.abs(y - x) < 1) >= x.size
    ):
        yield ("whole_numbers", ""), float(np.count_nonzero(x % 1))
    # Rounding may hide what is added to large numbers.
    if np.abs(x).max() < 1e4:
        gap = (y - x).mean()
        if abs(gap) > 1e-6 and np.allclose(y, x + gap, ALIKE_RTOL, ALIKE_ATOL):
            much = worth(y) - 1
            # Of a single number every other one is so far away.
            yield ("shifted", ""), much if y.size > 1 else 0.0
            if abs(gap - 1) < ALIKE_ATOL:
                yield ("one_more", ""), much
            if abs(gap + 1) < ALIKE_ATOL:
                yield ("one_less", ""), much

    if used.any():
        factor = float((y[used] / x[used]).mean())
        if abs(factor) > ALIKE_ATOL and np.allclose(y, factor * x, ALIKE_RTOL, ALIKE_ATOL):
            for what in _spoken(factor, arguments):
                yield ("scaled", what), worth(y) - 1
            yield ("scaled_somehow", ""), worth(y) - 1 if y.size > 1 else 0.0
            # One call alone says nothing of others.
            yield ("scaled_alike", f"{factor:.6g}"), min(worth(y) - 1, SURE - 1)
        # Of numbers that are small beside the others a hundredth is more than rounding leaves.
        least = np.maximum(np.abs(x), np.abs(x).max() / 10)
        if not are_whole and (np.abs(y - x) < 1e-2 * least).all():
            yield ("nearly", ""), worth(y)

    if a.ndim == 1 and finite.all():
        yield from _rows(a[None], b[None], "rows_scaled")
    if a.ndim >= 2 and finite.all():
        for axis, name in ((-1, "rows_scaled"), (-2, "columns_scaled")):
            yield from _rows(np.moveaxis(a, axis, -1), np.moveaxis(b, axis, -1), name)
        yield from _totals(a, b)
    if a.ndim and (b >= 0).all() and (a >= 0).all():
        yield from _flatter(a, b)


def _rows(a: Array, b: Array, name: str) -> Iterator[Found]:
    """Each row right but for a factor, or for an exponent, of its own."""
    used = np.abs(b) > ALIKE_ATOL
    if (
        not used.any()
        or (np.abs(a) > ALIKE_ATOL).sum() < 2
        or ((np.abs(a) > ALIKE_ATOL) & ~used).any()
    ):
        return
    ratio = np.where(used, a, 0) / np.where(used, b, 1)
    factor = ratio.sum(axis=-1, keepdims=True) / np.maximum(used.sum(axis=-1, keepdims=True), 1)
    several = used.sum(axis=-1) > 1
    if (factor > ALIKE_ATOL).all() and close(a, factor * b):
        values = factor[..., 0][several]
        yield (name, ""), worth(a) - worth(values) if len(values) else 0.0


def _flatter(a: Array, b: Array) -> Iterator[Found]:
    """The logarithms of a row are off by a factor, the same in all rows, and by a constant."""
    large = (a > 1e-250) & (b > 1e-250)
    slopes = []
    for row in np.ndindex(a.shape[:-1]):
        x, y = np.log(b[row][large[row]]), np.log(a[row][large[row]])
        if len(x) > 2 and np.ptp(x) > 1e-3:
            high, low = x.argmax(), x.argmin()
            slope = (y[high] - y[low]) / (x[high] - x[low])
            if not np.allclose(y - y[low], slope * (x - x[low]), 1e-6, 1e-6):
                return
            slopes.append(slope)
    if not slopes:
        yield ("flatter_or_sharper", ""), 0.0
    elif np.ptp(slopes) < 1e-6 and slopes[0] > 0 and abs(slopes[0] - 1) > 1e-3:
        yield ("flatter_or_sharper", ""), 3.0 * len(slopes)


def logarithm_of_rows(a: Array, b: Array, large: Array) -> Iterator[Found]:
    """The logarithm, but for a constant in each row."""
    if b.ndim == 0 or not large.any() or not np.isfinite(a[large]).all():
        return
    gap = np.where(large, a - np.log(np.where(large, b, 1)), 0)
    least, most = (
        np.min(gap, -1, initial=np.inf, where=large),
        np.max(gap, -1, initial=-np.inf, where=large),
    )
    if (most - least < 1e-8).all():
        yield ("logarithm_of_rows", ""), worth(a[large]) - 3 * large.any(axis=-1).sum()


def _totals(a: Array, b: Array) -> Iterator[Found]:
    """The right answer adds up to a total along its last axis, this one elsewhere."""
    total = b.sum(axis=-1)
    if abs(total.flat[0]) < ALIKE_ATOL or not np.allclose(total, total.flat[0]) or (a < 0).any():
        return
    if np.allclose(a.sum(axis=-1), total.flat[0]):
        return
    for axis in range(-2, -b.ndim - 1, -1):
        if np.allclose(a.sum(axis=axis), total.flat[0]):
            yield (
                ("total_elsewhere", f"along {axis_in_words(axis, b.ndim)}"),
                float(np.prod(a.sum(axis=axis).shape)) + 1,
            )
    # Where rows have vanished, the others add up to theirs.
    if np.allclose(a.sum(), total.flat[0]) and total.size > 1 and a.sum(axis=-1).all():
        yield ("total_elsewhere", "over all entries together"), 3.0


def _spoken(factor: float, arguments: Mapping[str, Any]) -> Iterator[str]:
    """A factor in words, where people forget or add it, or where a call has its numbers."""
    for number in (2, 3, 4, 10, 100, math.pi, math.e, math.log(2)):
        for value, word in ((number, f"{number:.4g}"), (1 / number, f"1/{number:.4g}")):
            if math.isclose(factor, value, rel_tol=1e-9):
                yield word

    if math.isclose(factor, round(factor, 2), rel_tol=1e-9):
        yield f"{factor:.4g}"

    for name, value in _quantities(arguments):
        for power, words in (
            (1, "{}"),
            (-1, "1/{}"),
            (0.5, "the square root of {}"),
            (-0.5, "1/the square root of {}"),
            (2, "the square of {}"),
            (-2, "1/the square of {}"),
            (-1.5, "1/{} and 1/its root"),
        ):
            if value > 1 and math.isclose(factor, value**power, rel_tol=1e-6):
                yield words.format(name)


def _quantities(arguments: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """The whole numbers of a call: those given, and lengths of axes."""
    for name, value in arguments.items():
        if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
            yield name, int(value)
    for name, value in arguments.items():
        array = as_numbers(value)
        if array is not None and array.dtype.kind != "b" and array.ndim:
            yield f"the length of {name}'s last axis", array.shape[-1]
            if array.ndim > 1:
                yield f"the length of {name}'s last axis but one", array.shape[-2]

"""Relations between a wrong answer and the arguments of its call, which checks in notebooks do not
look for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from autograder.tools.likeness import (
    ALIKE_ATOL,
    ALIKE_RTOL,
    ENOUGH,
    Array,
    Found,
    as_numbers,
    both_numbers,
    close,
    is_binary,
    spread,
    weight,
    without_ones,
)
from autograder.tools.things import of_anything


def explained(got: Any, wanted: Any, arguments: Mapping[str, Any]) -> Iterator[Found]:
    """Every relation between an answer, the right one, and the arguments by their names."""
    yield from of_anything(got, wanted, arguments)
    numbers = both_numbers(got, wanted)
    if numbers is not None:
        yield from _of_arguments(*numbers, arguments)


def _of_arguments(a: Array, b: Array, arguments: Mapping[str, Any]) -> Iterator[Found]:
    """An argument returned, or added to the right answer; or an answer that is right only where a
    mask says so."""
    for name, value in arguments.items():
        array = as_numbers(value)
        if array is None or array.ndim == 0:
            continue
        for key, prediction in (
            ("argument_handed_back", array),
            ("argument_turned", array.swapaxes(-1, -array.ndim)),
        ):
            if close(a, prediction):
                yield (key, name), weight(a, prediction, b)
        if (
            array.ndim > 1
            and a.size == array.size
            and a.shape != array.shape
            # If only axes of length 1 differ, they are the mistake.
            and (a.shape == b.shape or without_ones(a.shape) != without_ones(b.shape))
            and close(a.ravel(), array.ravel())
        ):
            yield ("argument_reshaped", name), weight(a, a, b)
        for axis in (
            range(-1, -array.ndim - 1, -1) if array.ndim > 1 and not is_binary(array) else ()
        ):
            for what, less in (
                ("added up", array.sum(axis)),
                ("averaged", array.mean(axis)),
                ("cut down to its first part", array.take(0, axis)),
                ("cut down to its last part", array.take(-1, axis)),
                ("cut down to its largest numbers", array.max(axis)),
                ("multiplied up", array.prod(axis)),
            ):
                if array.shape[axis] > 1 and close(a, less):
                    yield (
                        ("argument_merged", f"{name}, {what} along one axis"),
                        weight(a, less, b),
                    )

        has_rows_of_it = array.ndim == a.ndim and array.shape[:-1] == a.shape[:-1]
        if has_rows_of_it and close(a, array[..., : a.shape[-1]]):
            yield ("argument_cut", name), weight(a, a, b)
        yield from _of_one_argument(a, b, name, array)
        wide = spread(array, b.shape)
        if wide is None:
            continue
        if a.shape == b.shape and a.dtype.kind != "b" and array.dtype.kind != "b":
            for key, prediction in (
                ("argument_added", b + wide),
                ("argument_subtracted", b - wide),
                ("argument_multiplied", b * wide),
            ):
                if close(a, prediction):
                    yield (key, name), weight(a, prediction, b)
        if array.dtype.kind == "b" and a.ndim == 1 and b.ndim > 1 and close(a, b[wide]):
            yield ("selected", name), weight(a, a, b)
        if a.shape == b.shape and array.dtype.kind == "f":
            wrong = ~np.isclose(a, b, ALIKE_RTOL, ALIKE_ATOL, equal_nan=True)
            others = np.count_nonzero(wide <= 0)
            if 0 < 3 * np.count_nonzero(wrong) >= others < wide.size and (wide[wrong] <= 0).all():
                yield ("right_where_positive", name), float(np.count_nonzero(wrong)) / 1.5
            if _are_largest(np.abs(wide), wrong):
                # A few entries may be the largest by chance, and 0 is right in many functions.
                right, bits = np.abs(wide)[~wrong], _bits(wrong)
                is_clear = bits >= ENOUGH and right.any()
                yield ("right_where_small", name), bits if is_clear else 0.0
        if a.shape == b.shape and array.dtype.kind == "b":
            same = np.isclose(a, b, ALIKE_RTOL, ALIKE_ATOL, equal_nan=True)
            for key, where in (("right_where_true", wide), ("right_where_false", ~wide)):
                if where.any() and (same == where).all():
                    yield (key, name), float(np.count_nonzero(~where) + np.count_nonzero(where)) / 2
            empty = ~wide.any(axis=-1)
            if empty.any() and not empty.all() and (same.all(axis=-1) == ~empty).all():
                yield ("wrong_in_empty_rows", name), float(np.count_nonzero(~same))


def _are_largest(sizes: Array, wrong: Array) -> bool:
    """Whether the wrong entries are those with the largest size."""
    return bool(wrong.any() and sizes[wrong].min() > sizes[~wrong].max(initial=0.0))


def _bits(chosen: Array) -> float:
    """How unlikely it is to choose exactly these entries by chance, in bits."""
    return math.log2(math.comb(chosen.size, np.count_nonzero(chosen)))


def shares(x: Array, axis: int) -> Array:
    """Each number divided by the total along an axis."""
    total: Array = x.sum(axis, keepdims=True)
    return x / total


def _of_one_argument(a: Array, b: Array, name: str, array: Array) -> Iterator[Found]:
    """A function of an argument alone; copies of it; and one product too many."""
    for place in range(array.ndim + 1) if a.ndim == array.ndim + 1 else ():
        copies = spread(np.expand_dims(array, place), a.shape)
        if a.size > array.size and copies is not None and close(a, copies):
            yield ("argument_repeated", name), weight(a, a, b)
    copies = spread(array.reshape((*array.shape, 1, 1)), a.shape)
    if a.ndim == array.ndim + 2 and copies is not None and close(a, copies):
        yield ("argument_repeated", name), weight(a, a, b)

    fits = array.ndim >= 2 and b.ndim >= 2 and array.shape[-1] == array.shape[-2] == b.shape[-1]
    if fits and close(a, b @ array):
        yield ("multiplied_again", name), weight(a, a, b)

    if a.shape != array.shape or not a.size:
        return
    x = array.astype(float)
    functions = [
        ("the sigmoid of {}", 1 / (1 + np.exp(-x))),
        ("the hyperbolic tangent of {}", np.tanh(x)),
        ("the exponential of {}", np.exp(x)),
        ("the logarithm of {}", np.log(x)),
        ("the square of {}", x**2),
        ("the square root of {}", np.sqrt(x)),
    ]
    # An axis other than the last means its rows.
    for axis in range(-1, -x.ndim - 1, -1):
        low, high = x.min(axis, keepdims=True), x.max(axis, keepdims=True)
        functions += [
            ("{}, divided by the total of each row", shares(x, axis)),
            ("the shares without an exponential of {}", shares(x - low, axis)),
            ("the shares without an exponential of {}", shares(np.abs(x), axis)),
            ("the shares of the squares of {}", shares(x**2, axis)),
            ("the place between smallest and largest of {}", (x - low) / (high - low)),
        ]
    for what, value in functions:
        if close(a, value):
            yield ("function_of_argument", what.format(name)), weight(a, value, b)

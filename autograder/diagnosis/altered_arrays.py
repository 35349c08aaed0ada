"""What people do to an array that is given to them, or leave undone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from autograder.diagnosis.calls import Alteration, Unfit, altered, array_of
from autograder.diagnosis.dealt_out import of_blocks
from autograder.diagnosis.rescaled_arrays import RESCALED, Change, Row


def of_masks(name: str, _: Mapping[str, Any]) -> Iterator[Alteration]:
    for kind, phrase, ask, change in MASKS:
        yield altered(name, kind, phrase, ask, change)
    yield from of_a_batch(name)


def of_a_batch(name: str) -> Iterator[Alteration]:
    yield altered(
        name,
        "first_only",
        "the first of {0} stood for all of them",
        "What in your code knows which of {0} it is at?",
        lambda value: np.broadcast_to(array_of(value, 3)[:1], value.shape).copy(),
    )


def of_arrays(name: str, parameters: Mapping[str, Any]) -> Iterator[Alteration]:
    for kind, phrase, ask, change in ARRAYS:
        yield altered(name, kind, phrase, ask, change)
    yield from of_a_batch(name)
    yield from of_blocks(name, parameters)


def identity(value: Any) -> Any:
    if array_of(value, 2).ndim != 2:
        raise Unfit
    return np.eye(len(value))


def _kept(value: Any, axis: int, kept: slice) -> Any:
    """An array with zeros but for some places along an axis."""
    places = np.zeros(array_of(value, -axis).shape[axis])
    places[kept] = 1
    return value * np.expand_dims(places, tuple(range(1, -axis)))


def _turned(value: Any) -> Any:
    return array_of(value, 2).swapaxes(-1, -2)


def _reshaped(value: Any) -> Any:
    return array_of(value, 2).reshape(value.swapaxes(-1, -2).shape).swapaxes(-1, -2)


def _reversed(axis: int) -> Change:
    return lambda value: np.flip(array_of(value, -axis), axis)


def _rolled(shift: int, axis: int) -> Change:
    return lambda value: np.roll(array_of(value, -axis), shift, axis)


def _rounded(digits: int) -> Change:
    return lambda value: np.round(array_of(value), digits)


def _all_the_same(value: Any, number: float) -> Any:
    return np.full(array_of(value).shape, number)


def _without_small(value: Any, least: float) -> Any:
    return np.where(np.abs(array_of(value)) < least, 0.0, value)


def _summed(axis: int) -> Change:
    def summed(value: Any) -> Any:
        total = array_of(value, -axis).sum(axis, keepdims=True)
        return np.broadcast_to(total, value.shape).copy()

    return summed


def _diagonal_only(value: Any) -> Any:
    return value * identity(value)


def _half_as_long(value: Any) -> Any:
    if array_of(value).dtype.kind != "f":
        raise Unfit
    return value.astype(np.float16).astype(float)


def _averaged(axis: int) -> Change:
    def averaged(value: Any) -> Any:
        mean = array_of(value, -axis).mean(axis, keepdims=True)
        return np.broadcast_to(mean, value.shape).copy()

    return averaged


def _centred(axis: int) -> Change:
    return lambda value: value - array_of(value, -axis).mean(axis, keepdims=True)


def _largest_only(value: Any) -> Any:
    return (np.argmax(array_of(value), -1)[..., None] == np.arange(value.shape[-1])) * 1.0


def _along(axis: int, words: str) -> Iterator[Row]:
    """What is done to every row, or to every column."""
    for which, kept in (
        ("only the first entry", slice(0, 1)),
        ("only the last entry", slice(-1, None)),
        ("every entry but the first", slice(1, None)),
        ("every entry but the last", slice(0, -1)),
    ):
        yield (
            "some_left_out",
            which + " of each " + words + " of {0} counted",
            "From where to where does your code go?",
            partial(_kept, axis=axis, kept=kept),
        )


_ROWS = "What do the rows of {0} stand for in your code?"
_SIGN = "Where does your code turn a sign?"
_END = "From which end does your code count?"
_MEAN = "What in your code tells the numbers in {0} apart?"
_BEFORE = "What is done with {0} before it is used?"
_CHANGES = "Which numbers of {0} does your code change?"


def _one_row(mask: Any, row: Change) -> Any:
    return np.broadcast_to(row(array_of(mask, 2)), mask.shape).copy()


def _rows_alike() -> Iterator[Row]:
    """A row of a mask that stands for all of them."""
    for phrase, row in (
        ("the first row of {0} stood for all of them", lambda mask: mask[..., :1, :]),
        ("the last row of {0} stood for all of them", lambda mask: mask[..., -1:, :]),
        ("each row of {0} were True where all are", lambda mask: mask.all(-2, keepdims=True)),
        ("each row of {0} were True where one is", lambda mask: mask.any(-2, keepdims=True)),
    ):
        yield (
            "one_for_all",
            phrase,
            "What in your code knows which row of {0} it is at?",
            partial(_one_row, row=row),
        )


MASKS: tuple[Row, ...] = (
    (
        "complemented",
        "True and False had changed places in {0}",
        "What does True in {0} mean in your code?",
        lambda mask: ~array_of(mask),
    ),
    ("transposed", "{0} were transposed", _ROWS, _turned),
    (
        "argument_ignored",
        "{0} were True everywhere",
        "Where does your code use {0}?",
        lambda mask: np.ones_like(array_of(mask)),
    ),
    *_rows_alike(),
)
"""What may become of a mask, the likeliest first."""


_TURNED: tuple[Row, ...] = (
    ("negated", "every sign in {0} were turned", _SIGN, lambda value: -array_of(value)),
    ("transposed", "{0} were transposed", _ROWS, _turned),
    ("argument_ignored", "{0} were left out", "Where does your code use {0}?", identity),
    ("diagonal", "only the diagonal of {0} counted", _CHANGES, _diagonal_only),
    (
        "reshaped",
        "{0} were reshaped where it should be transposed",
        "What does reshape do to the order of the numbers in {0}?",
        _reshaped,
    ),
    (
        "all_axes_turned",
        "all axes of {0} were turned, those of a batch, too",
        "Which axes of {0} should trade places?",
        lambda value: array_of(value, 3).T.swapaxes(-1, -2),
    ),
    ("reversed", "{0} were in reverse order along its last axis", _END, _reversed(-1)),
    ("reversed", "{0} were in reverse order along its last axis but one", _END, _reversed(-2)),
    ("reversed", "{0} were in reverse order along its last axis but two", _END, _reversed(-3)),
    (
        "squared",
        "every number in {0} were squared",
        "Which power belongs there?",
        lambda value: array_of(value) ** 2,
    ),
)

_CUT: tuple[Row, ...] = (
    (
        "taken_from_one",
        "every number in {0} were taken from 1",
        "What stands on either side of a minus?",
        lambda value: 1 - array_of(value),
    ),
    (
        "shifted",
        "1 were added to every number in {0}",
        _CHANGES,
        lambda value: array_of(value) + 1,
    ),
    (
        "absolute",
        "{0} had no negative numbers",
        "Which line drops the signs of {0}?",
        lambda value: np.abs(array_of(value)),
    ),
    (
        "truncated",
        "{0} held whole numbers only",
        "Which line makes whole numbers of {0}?",
        lambda value: np.trunc(array_of(value)),
    ),
    (
        "without_infinity",
        "{0} held 0 in place of every number that is not finite",
        "What does your code do with an infinite number in {0}?",
        lambda value: np.where(np.isfinite(array_of(value)), value, 0.0),
    ),
    (
        "clipped",
        "{0} were cut off at a largest and a smallest number",
        _CHANGES,
        lambda value: np.clip(array_of(value), -50.0, 50.0),
    ),
)


def _arrays() -> Iterator[Row]:
    yield from _TURNED
    for axis, words in ((-1, "last axis"), (-2, "last axis but one"), (-3, "last axis but two")):
        for shift in (1, -1):
            phrase = f"{{0}} were rolled by one along its {words}"
            yield ("rolled", phrase, "At which number does your code begin?", _rolled(shift, axis))

    yield from _CUT
    for digits in (0, 1, 2, 3, 4):
        yield ("rounded", "{0} were rounded", "Where does your code round?", _rounded(digits))
    ask = "Which type does your code make of {0}?"
    yield ("rounded", "numbers in {0} had only half of their digits", ask, _half_as_long)

    yield from _along(-1, "row")
    yield from _along(-2, "column")
    yield from _along(-3, "line along the last axis but two")
    yield from RESCALED

    yield (
        "averaged",
        "all numbers in a row of {0} were the same, their mean",
        "What in your code tells the numbers in a row of {0} apart?",
        _averaged(-1),
    )
    for axis, words in ((-2, "one"), (-3, "two")):
        phrase = f"all numbers in {{0}} along its last axis but {words} were the same, their mean"
        yield ("averaged", phrase, _MEAN, _averaged(axis))

    for axis, words in ((-1, ""), (-2, " but one"), (-3, " but two")):
        phrase = f"all numbers in {{0}} along its last axis{words} were the same, their total"
        yield ("summed", phrase, _MEAN, _summed(axis))

    for axis, words in ((-1, "row"), (-2, "column")):
        phrase = f"the mean of each {words} of {{0}} had been taken off"
        yield ("centred", phrase, _BEFORE, _centred(axis))

    for number in (1.0, 0.0):
        phrase = f"every number in {{0}} were {number:.0f}"
        change = partial(_all_the_same, number=number)
        yield ("argument_ignored", phrase, "Where does your code use the numbers in {0}?", change)

    for least in (0.01, 0.05, 0.1, 0.2, 0.5):
        change = partial(_without_small, least=least)
        yield ("small_left_out", "small numbers in {0} were 0", _CHANGES, change)

    yield (
        "largest_only",
        "the largest number in each row of {0} took everything",
        "What becomes of the other numbers?",
        _largest_only,
    )


ARRAYS: tuple[Row, ...] = tuple(_arrays())
"""What may become of an array, the likeliest first."""

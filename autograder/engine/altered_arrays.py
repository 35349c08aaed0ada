"""What people do to an array that is given to them, or leave undone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from autograder.engine.calls import Alteration, Unfit, altered, array_of


def of_masks(name: str, _: Mapping[str, Any]) -> Iterator[Alteration]:
    what_true = "What does True in {0} mean in your code?"
    where = "Where does your code use {0}?"
    rows = "What do the rows of {0} stand for in your code?"
    yield altered(
        name,
        "complemented",
        "True and False had changed places in {0}",
        what_true,
        lambda mask: ~array_of(mask),
    )
    yield altered(
        name,
        "transposed",
        "{0} were transposed",
        rows,
        lambda mask: array_of(mask, 2).swapaxes(-1, -2),
    )
    yield altered(
        name,
        "argument_ignored",
        "{0} were True everywhere",
        where,
        lambda mask: np.ones_like(array_of(mask)),
    )
    yield from of_a_batch(name)


def of_a_batch(name: str) -> Iterator[Alteration]:
    yield altered(
        name,
        "first_only",
        "the first of {0} stood for the whole batch",
        "What in your code knows which of the batch it is at?",
        lambda value: np.broadcast_to(array_of(value, 3)[:1], value.shape).copy(),
    )


def of_arrays(name: str, _: Mapping[str, Any]) -> Iterator[Alteration]:
    rows = "What do the rows of {0} stand for in your code?"
    yield altered(
        name,
        "negated",
        "every sign in {0} were turned",
        "Where does your code turn a sign?",
        lambda value: -array_of(value),
    )
    yield altered(
        name,
        "transposed",
        "{0} were transposed",
        rows,
        lambda value: array_of(value, 2).swapaxes(-1, -2),
    )
    yield altered(
        name,
        "argument_ignored",
        "{0} were left out",
        "Where does your code use {0}?",
        identity,
    )
    yield altered(
        name,
        "reshaped",
        "{0} were reshaped where it should be transposed",
        "What does reshape do to the order of the numbers in {0}?",
        lambda value: array_of(value, 2).reshape(value.swapaxes(-1, -2).shape).swapaxes(-1, -2),
    )
    yield altered(
        name,
        "all_axes_turned",
        "all axes of {0} were turned, those of a batch, too",
        "Which axes of {0} should trade places?",
        lambda value: array_of(value, 3).T.swapaxes(-1, -2),
    )
    for axis, words in ((-1, "last axis"), (-2, "last axis but one")):
        yield altered(
            name,
            "reversed",
            "{0} were in reverse order along its " + words,
            "From which end does your code count?",
            lambda value, axis=axis: np.flip(array_of(value, -axis), axis),  # type: ignore[misc]
        )
    yield altered(
        name,
        "absolute",
        "{0} had no negative numbers",
        "Which line drops the signs of {0}?",
        lambda value: np.abs(array_of(value)),
    )
    yield altered(
        name,
        "truncated",
        "{0} held whole numbers only",
        "Which line makes whole numbers of {0}?",
        lambda value: np.trunc(array_of(value)),
    )
    yield altered(
        name,
        "without_infinity",
        "{0} held 0 in place of every number that is not finite",
        "What does your code do with an infinite number in {0}?",
        lambda value: np.where(np.isfinite(array_of(value)), value, 0.0),
    )
    yield altered(
        name,
        "clipped",
        "{0} were cut off at a largest and a smallest number",
        "Which numbers of {0} does your code change?",
        lambda value: np.clip(array_of(value), -50.0, 50.0),
    )
    for digits in (1, 2, 3, 4):
        yield altered(
            name,
            "rounded",
            "{0} were rounded",
            "Where does your code round?",
            lambda value, digits=digits: np.round(array_of(value), digits),  # type: ignore[misc]
        )
    for axis, words in ((-1, "row"), (-2, "column")):
        yield altered(
            name,
            "normalised",
            "each " + words + " of {0} were divided by its total",
            "What do the rows of {0} add up to already?",
            lambda value, axis=axis: value / array_of(value, -axis).sum(axis, keepdims=True),  # type: ignore[misc]
        )
        for which, kept in (
            ("only the first entry", slice(0, 1)),
            ("only the last entry", slice(-1, None)),
            ("every entry but the first", slice(1, None)),
            ("every entry but the last", slice(0, -1)),
        ):
            yield altered(
                name,
                "some_left_out",
                which + " of each " + words + " of {0} counted",
                "From where to where does your code go?",
                lambda value, axis=axis, kept=kept: _kept(value, axis, kept),  # type: ignore[misc]
            )
    yield altered(
        name,
        "normalised",
        "each row of {0} were brought to mean 0 and spread 1",
        "What is done with {0} before it is used?",
        lambda value: (
            (array_of(value) - value.mean(-1, keepdims=True)) / value.std(-1, keepdims=True)
        ),
    )
    yield altered(
        name,
        "averaged",
        "all numbers in a row of {0} were the same, their mean",
        "What in your code tells the numbers in a row of {0} apart?",
        lambda value: np.broadcast_to(array_of(value).mean(-1, keepdims=True), value.shape).copy(),
    )
    yield altered(
        name,
        "largest_only",
        "the largest number in each row of {0} took everything",
        "What becomes of the other numbers?",
        lambda value: (
            (np.argmax(array_of(value), -1)[..., None] == np.arange(value.shape[-1])) * 1.0
        ),
    )
    yield from of_a_batch(name)


def identity(value: Any) -> Any:
    if array_of(value, 2).ndim != 2:
        raise Unfit
    return np.eye(len(value))


def _kept(value: Any, axis: int, kept: slice) -> Any:
    """An array with zeros but for some places along an axis."""
    places = np.zeros(array_of(value, -axis).shape[axis])
    places[kept] = 1
    return value * (places if axis == -1 else places[:, None])

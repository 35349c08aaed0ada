"""How people rescale the rows of an array that is given to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from autograder.diagnosis.calls import array_of

Change = Callable[[Any], Any]
Row = tuple[str, str, str, Change]
"""The name of an alteration, what is said, what is asked, and what it makes of an array."""


def of_length_one(value: Any) -> Any:
    """Each row divided by its length."""
    return value / np.linalg.norm(array_of(value), axis=-1, keepdims=True)


def _divided_by_totals(axis: int) -> Change:
    return lambda value: value / array_of(value, -axis).sum(axis, keepdims=True)


def _standardised(value: Any) -> Any:
    return (array_of(value) - value.mean(-1, keepdims=True)) / value.std(-1, keepdims=True)


def _nearly_standardised(value: Any, more: float, to_variance: bool) -> Any:
    """With a little more in the divisor, which keeps it from being 0."""
    spread = array_of(value).std(-1, keepdims=True)
    divisor = np.sqrt(spread**2 + more) if to_variance else spread + more
    return (value - value.mean(-1, keepdims=True)) / divisor


def _divided_by_largest(value: Any) -> Any:
    return value / array_of(value).max(-1, keepdims=True)


def _divided_by_largest_size(value: Any) -> Any:
    return value / np.abs(array_of(value)).max(-1, keepdims=True)


def of_shares(value: Any) -> Any:
    """Each row after a softmax."""
    shares = np.exp(array_of(value) - value.max(-1, keepdims=True))
    return shares / shares.sum(-1, keepdims=True)


def _between_0_and_1(value: Any) -> Any:
    low = array_of(value).min(-1, keepdims=True)
    return (value - low) / (value.max(-1, keepdims=True) - low)


_BEFORE = "What is done with {0} before it is used?"


def _rescaled() -> Iterator[Row]:
    for axis, words in ((-1, "row"), (-2, "column")):
        phrase = f"each {words} of {{0}} were divided by its total"
        ask = "What do the rows of {0} add up to already?"
        yield ("normalised", phrase, ask, _divided_by_totals(axis))

    for words, change in (
        ("brought to mean 0 and spread 1", _standardised),
        ("brought to length 1", of_length_one),
        ("sent through a softmax", of_shares),
        ("divided by its largest number", _divided_by_largest),
        ("divided by the size of its largest number", _divided_by_largest_size),
        ("stretched to lie between 0 and 1", _between_0_and_1),
    ):
        yield ("normalised", f"each row of {{0}} were {words}", _BEFORE, change)

    for more in (1e-5, 1e-6, 1e-8):
        for to_variance in (True, False):
            phrase = "each row of {0} were brought to mean 0 and spread 1"
            nearly = partial(_nearly_standardised, more=more, to_variance=to_variance)
            yield ("normalised", phrase, _BEFORE, nearly)


RESCALED: tuple[Row, ...] = tuple(_rescaled())
"""What may become of the rows of an array, the likeliest first."""

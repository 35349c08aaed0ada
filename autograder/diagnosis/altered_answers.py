"""What people do to the answer of a step that they call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations
from typing import Any

import numpy as np

from autograder.diagnosis.calls import Arguments, Unfit, array_of, is_array


def first_argument(value: Any, arguments: Arguments) -> Any:
    first = next(iter(arguments.values()))
    return (first,) * len(value) if isinstance(value, tuple) else first


def reshaped_argument(value: Any, arguments: Arguments) -> Any:
    return np.reshape(next(iter(arguments.values())), np.shape(value))


def plus(value: Any, more: Any) -> Any:
    if not (is_array(value) and is_array(more)) or value.shape != more.shape:
        raise Unfit
    return value + more


def _turned(value: Any) -> Any:
    return array_of(value, 2).swapaxes(-1, -2)


def _negated(value: Any) -> Any:
    return tuple(map(_negated, value)) if isinstance(value, tuple) else -value


def _complemented(value: Any) -> Any:
    if not isinstance(value, np.ndarray) or value.dtype.kind != "b":
        raise Unfit
    return ~value


def _reordered(order: tuple[int, ...]) -> Callable[[Any], Any]:
    def reordered(value: Any) -> Any:
        if not isinstance(value, tuple) or len(value) != len(order):
            raise Unfit
        return tuple(value[place] for place in order)

    return reordered


def _regrouped(value: Any) -> Any:
    """The same numbers, in the order that memory has after turning."""
    return array_of(value, 3).swapaxes(-3, -2).reshape(value.shape)


def _without_infinity(value: Any) -> Any:
    if not is_array(value) or np.isfinite(value).all():
        raise Unfit
    return np.where(np.isfinite(value), value, 0.0)


def _reversed(axis: int) -> Callable[[Any], Any]:
    def turned(value: Any) -> Any:
        return np.flip(array_of(value, -axis), axis)

    return turned


def _only(place: int) -> Callable[[Any], Any]:
    def only(value: Any) -> Any:
        return np.broadcast_to(np.take(array_of(value, 3), [place], -3), value.shape).copy()

    return only


def _averaged(value: Any) -> Any:
    return np.broadcast_to(array_of(value, 3).mean(axis=-3, keepdims=True), value.shape).copy()


Altered = tuple[str, str, str, Callable[[Any], Any]]
"""The name of what is done to an answer; how it is said, what is asked; and what does it."""


def _exchanges() -> Iterator[Altered]:
    """Two or three results in every order but their own."""
    for order in (*permutations(range(2)), *permutations(range(3))):
        if list(order) != sorted(order):
            yield (
                "step_parts_exchanged",
                "it took the results of {} in another order",
                "Which result do you take for which?",
                _reordered(order),
            )


def _reversals() -> Iterator[Altered]:
    for axis in (-1, -2, -3):
        yield (
            "step_reversed",
            "what {} gives stood in reverse order",
            "In which order does your code go through it?",
            _reversed(axis),
        )


ANSWERS: tuple[Altered, ...] = (
    (
        "step_transposed",
        "what {} gives were transposed",
        "What do its rows stand for in your code?",
        _turned,
    ),
    (
        "step_negated",
        "what {} gives had every sign turned",
        "Where does your code turn a sign?",
        _negated,
    ),
    (
        "step_complemented",
        "True and False had changed places in what {} gives",
        "What does True mean in your code?",
        _complemented,
    ),
    *_exchanges(),
    (
        "step_without_infinity",
        "{} gave 0 where it gives infinity",
        "What do the later steps make of a 0 there?",
        _without_infinity,
    ),
    (
        "step_regrouped",
        "what {} gives had its numbers in other places, as after a reshape alone",
        "Which axes must change places, and which may merge?",
        _regrouped,
    ),
    *_reversals(),
    (
        "step_first_only",
        "the first part of what {} gives stood for all of them",
        "Where do the others go in your code?",
        _only(0),
    ),
    (
        "step_averaged",
        "what {} gives were averaged",
        "What should become of its parts instead?",
        _averaged,
    ),
)

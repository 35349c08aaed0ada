"""What docstrings promise about inputs, as predicates on the arguments of a step.

In its oracles, an exercise declares which inputs a docstring allows, with a line for each property:

    PROMISES = {
        "softmax": {
            **leading_axes("scores", own=1),
            "another axis than the last": lambda axis: axis != -1,
            "a score of -inf": lambda scores: np.isneginf(scores).any(),
        },
    }

The parameters of a predicate are the arguments that it looks at. This module makes predicates that
many steps share, for example ``**leading_axes("Q", own=2)``.
"""

from __future__ import annotations

import inspect
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

Predicate = Callable[..., Any]
Properties = dict[str, Predicate]

LONG = 1_000  # characters of a long text, and tokens of a long list


def of(name: str, holds: Callable[[Any], Any]) -> Predicate:
    """A predicate on one argument, by its name; an argument that is None has no property."""
    return _asking(lambda **given: given[name] is not None and holds(given[name]), name)


def _asking(holds: Callable[..., Any], *names: str) -> Predicate:
    """A predicate that looks at the arguments of these names."""

    def predicate(**arguments: Any) -> bool:
        return bool(holds(**arguments))

    own = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in names]
    predicate.__signature__ = inspect.Signature(own)  # type: ignore[attr-defined]
    return predicate


def group(name: str, properties: dict[str, Callable[[Any], Any]]) -> Properties:
    """Properties of one argument, each prefixed with the argument's name."""
    return {f"{name}: {about}": of(name, holds) for about, holds in properties.items()}


# Arrays


def leading_axes(name: str, own: int) -> Properties:
    """An array with none, one, and several axes before its ``own`` last ones."""
    return group(
        name,
        {
            "no leading axis": lambda array: np.ndim(array) == own,
            "one leading axis": lambda array: np.ndim(array) == own + 1,
            "several leading axes": lambda array: np.ndim(array) > own + 1,
            "a leading axis of length 1": lambda array: 1 in np.shape(array)[:-own],
        },
    )


def single(name: str, *axes: int) -> Properties:
    """An axis of length 1, for each of these axes."""

    def of_length_one(axis: int) -> Callable[[Any], bool]:
        return lambda array: np.ndim(array) >= -axis and np.shape(array)[axis] == 1

    return group(name, {f"axis {axis} of length 1": of_length_one(axis) for axis in axes})


def real_numbers(name: str) -> Properties:
    """Kinds of numbers that any array of finite numbers may hold."""
    return group(
        name,
        {
            "zeros": lambda array: (np.asarray(array) == 0).any(),
            "negative numbers": lambda array: (np.asarray(array) < 0).any(),
            "fractions": lambda array: (np.asarray(array) % 1 != 0).any(),
            "numbers above 1,000": lambda array: (np.abs(array) > 1e3).any(),
        },
    )


def far_apart(array: Any, by: float, axis: int = -1) -> bool:
    """Whether two finite numbers along an axis differ by more than ``by``."""
    array = np.asarray(array, dtype=float)
    finite = np.isfinite(array)
    top = np.where(finite, array, -np.inf).max(axis=axis)
    return bool((top - np.where(finite, array, np.inf).min(axis=axis) > by).any())


def masks(name: str, shape: Callable[..., Sequence[int]]) -> Properties:
    """The ways in which a mask broadcasts to a shape, and which entries it hides.

    Args:
        shape: the shape to broadcast to, as a function of arguments of the step, by name.
    """
    wanted = tuple(inspect.signature(shape).parameters)

    def about(holds: Callable[[Any, tuple[int, ...]], Any]) -> Predicate:
        def of_mask(**arguments: Any) -> bool:
            mask = arguments[name]
            full = tuple(shape(**{argument: arguments[argument] for argument in wanted}))
            return mask is not None and bool(holds(np.asarray(mask), full))

        return _asking(of_mask, name, *wanted)

    properties = {
        "of the full shape": lambda mask, full: mask.shape == full and len(full) > 2,
        "two axes, for several sequences": lambda mask, full: mask.ndim == 2 < len(full),
        "a mask for each sequence": lambda mask, full: (
            mask.ndim > 2 and mask.shape[0] == full[0] > 1 and not (mask == mask[:1]).all()
        ),
        "one mask with an axis for several sequences": lambda mask, full: (
            mask.ndim == len(full) > 2 and mask.shape[0] == 1 < full[0]
        ),
        "three axes, for scores of four": lambda mask, full: (
            mask.ndim == 3 < len(full) and mask.shape[0] > 1
        ),
        "(…, 1, n_keys)": lambda mask, full: (
            mask.ndim > 1 and mask.shape[-2:] == (1, full[-1]) and full[-2] > 1
        ),
        "(…, n_queries, 1)": lambda mask, full: (
            mask.ndim > 1 and mask.shape[-2:] == (full[-2], 1) and full[-1] > 1
        ),
        "(1, n_keys)": lambda mask, full: mask.shape == (1, full[-1]) and full[-2] > 1,
        "(n_queries, 1)": lambda mask, full: mask.shape == (full[-2], 1) and full[-1] > 1,
        "one axis": lambda mask, full: mask.ndim == 1,
        "one axis, as many queries as keys": lambda mask, full: (
            mask.ndim == 1 and full[-1] == full[-2] > 1
        ),
        "no axis": lambda mask, full: mask.ndim == 0,
        "not symmetric": lambda mask, full: (
            mask.ndim > 1
            and mask.shape[-1] == mask.shape[-2]
            and (mask != mask.swapaxes(-1, -2)).any()
        ),
        "nothing hidden": lambda mask, full: mask.all(),
        "a query without a key": lambda mask, full: (
            mask.ndim > 0 and mask.any() and not mask.any(axis=-1).all()
        ),
    }
    return {f"{name}: {words}": about(holds) for words, holds in properties.items()}


# Texts and lists


def texts(name: str) -> Properties:
    """Kinds of texts that a step must accept if it takes any text."""
    return group(
        name,
        {
            "empty": lambda text: not text,
            "a single character": lambda text: len(text) == 1,
            "long": lambda text: len(text) > LONG,
            "a capital letter": lambda text: text != text.lower(),
            "a digit": lambda text: any(letter.isdigit() for letter in text),
            "punctuation": lambda text: any(letter in ".,;:!?'\"()-" for letter in text),
            "a space at an end": lambda text: text != text.strip(" "),
            "two spaces in a row": lambda text: "  " in text,
            "a line end": lambda text: "\n" in text,
            "a carriage return": lambda text: "\r" in text,
            "a tab": lambda text: "\t" in text,
            "a NUL": lambda text: "\0" in text,
            "a character of two bytes": lambda text: any("\x7f" < one < "\u0800" for one in text),
            "a character of three bytes": lambda text: any(
                "\u07ff" < c < "\U00010000" for c in text
            ),
            "a character of four bytes": lambda text: any(one > "\uffff" for one in text),
            "a composed character": lambda text: _changes(text, "NFD"),
            "a decomposed character": lambda text: _changes(text, "NFC"),
            "a compatibility character": lambda text: (
                unicodedata.normalize("NFKC", text) != unicodedata.normalize("NFC", text)
            ),
        },
    )


def _changes(text: str, form: Literal["NFC", "NFD"]) -> bool:
    return unicodedata.normalize(form, text) != text


def lists(name: str) -> Properties:
    """Kinds of lists of whole numbers that a step must accept."""
    return group(
        name,
        {
            "empty": lambda things: len(things) == 0,
            "a single entry": lambda things: len(things) == 1,
            "long": lambda things: len(things) > LONG,
            "a 0": lambda things: any(type(one) is int and one == 0 for one in things),
            "a number of 2³¹ or more": lambda things: any(
                type(one) is int and one >= 2**31 for one in things
            ),
            "entries that repeat": lambda things: len(set(things)) < len(things),
        },
    )


def made(properties: Properties, **views: Callable[..., Any]) -> Properties:
    """The same properties, for a value computed from the arguments of a step.

    ``made(texts("text"), text=decoded_by_definition)`` looks at the text that a step should return.
    """
    ((name, view),) = views.items()
    wanted = inspect.signature(view).parameters

    def about(holds: Predicate) -> Predicate:
        return _asking(lambda **arguments: holds(**{name: view(**arguments)}), *wanted)

    return {words: about(holds) for words, holds in properties.items()}

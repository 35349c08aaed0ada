"""Data that somebody stored, held against the fields of a dataclass."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints


def fitting(kind: type, data: Mapping[str, Any], most: float) -> dict[str, Any]:
    """The data, if each value is what its field is said to be.

    Args:
        most: a number above it, or below 0, fits no field.

    Raises:
        TypeError: a value does not fit.
    """
    for name, (types, choices) in _fields(kind).items():
        if name not in data:
            continue
        value = data[name]
        fits = isinstance(value, types) and (not choices or value in choices)
        if fits and isinstance(value, (int, float)):
            fits = 0 <= value <= most
        if not fits:
            raise TypeError(f"{name} is {value!r:.60}")
    return dict(data)


def texts(data: Any) -> tuple[str, ...]:
    """The texts of a list.

    Raises:
        TypeError: it is none, or something else is in it.
    """
    if not isinstance(data, list) or not all(isinstance(text, str) for text in data):
        raise TypeError(f"{data!r:.60} is no list of texts")
    return tuple(data)


def named_texts(data: Any) -> dict[str, str]:
    """The texts of a dictionary.

    Raises:
        TypeError: it is none, or something else is in it.
    """
    if not isinstance(data, dict) or not all(isinstance(text, str) for text in data.values()):
        raise TypeError(f"{data!r:.60} is no dictionary of texts")
    return data


@cache
def _fields(kind: type) -> dict[str, tuple[Any, tuple[object, ...]]]:
    """What each field takes: a type, and the words themselves where these are few."""
    fields: dict[str, tuple[Any, tuple[object, ...]]] = {}
    for name, hint in get_type_hints(kind).items():
        if get_origin(hint) is Literal:
            fields[name] = str, get_args(hint)
        elif get_origin(hint) is tuple:
            fields[name] = tuple, ()
        else:
            # JSON writes 2.0 points as 2.
            fields[name] = int | float if hint is float else hint, ()
    return fields

"""The arguments of calls, and what can be done to them in an experiment."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

Function = Callable[..., Any]


class Arguments(dict[str, Any]):
    """The arguments of a call by their names, defaults among them; ``given`` are those that the
    call names or places."""

    given: frozenset[str] = frozenset()


class Unfit(Exception):
    """An alteration that says nothing about this call: it is answered as the reference answers."""


@dataclass(frozen=True)
class Alteration:
    """A way to change the arguments of a call.

    ``phrase`` completes "as if ..."; ``ask`` is the question that goes with it.
    """

    name: str
    phrase: str
    ask: str
    change: Callable[[Arguments], dict[str, Any]]


def bound(function: Function, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Arguments:
    """The arguments of a call; TypeError if they do not fit."""
    call = inspect.signature(function).bind(*args, **kwargs)
    given = frozenset(call.arguments)
    call.apply_defaults()
    arguments = Arguments(call.arguments)
    arguments.given = given
    return arguments


def altered(name: str, kind: str, phrase: str, ask: str, new: Callable[[Any], Any]) -> Alteration:
    """An argument made into another."""

    def change(arguments: Arguments) -> dict[str, Any]:
        if arguments[name] is None:
            raise Unfit
        return {**arguments, name: new(arguments[name])}

    return Alteration(kind, phrase.format(name), ask.format(name), change)


def is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "fiu" and value.ndim > 0


def is_mask(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind == "b" and value.ndim > 0


def is_counts(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "iu" and value.ndim > 0


def is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_))


def array_of(value: Any, ndim: int = 1) -> Any:
    if not isinstance(value, np.ndarray) or value.ndim < ndim:
        raise Unfit
    return value

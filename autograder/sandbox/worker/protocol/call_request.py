"""A call of a student's function as one value: no more of it crosses than there is."""

from __future__ import annotations

from typing import Any

LISTENING = 4
"""Parts of a call whose check reads what it prints."""

OVERHEAR = ("overhear",)
"""In the place of the function: the output since the last such request. No check asks for it, and
no verdict depends on it."""


def written(
    target: Any, args: tuple[Any, ...], kwargs: dict[str, Any], listens: bool
) -> tuple[Any, ...]:
    """A call: the function, its arguments, those by name if there are any, and whether the check
    reads what the call prints, if it does."""
    if listens:
        return target, args, kwargs, True
    return (target, args, kwargs) if kwargs else (target, args)


def read(call: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...], dict[str, Any], bool]:
    """The function of a call, its arguments, those by name, and whether the check reads what it
    prints."""
    target, args, *rest = call
    return target, args, rest[0] if rest else {}, len(call) == LISTENING

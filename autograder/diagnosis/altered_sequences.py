"""What people do to a list or a text that is given to them, or leave undone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from autograder.diagnosis.calls import Alteration, Unfit, altered


def is_sequence(value: Any) -> bool:
    """Whether it is a list, a tuple or a text."""
    return isinstance(value, (list, tuple, str, bytes))


def of_sequences(name: str, _: Mapping[str, Any]) -> Iterator[Alteration]:
    """In another order, without an end, without doubles; letters of another case."""
    order = "Which order has {0}, and which has your answer?"
    ends = "From where to where does your code go?"
    for kind, phrase, ask, change in (
        ("reversed", "{0} stood in reverse order", order, lambda value: value[::-1]),
        ("sorted", "{0} were sorted", order, _sorted),
        ("some_left_out", "{0} had no first element", ends, lambda value: value[1:]),
        ("some_left_out", "{0} had no last element", ends, lambda value: value[:-1]),
        ("doubled", "{0} stood there twice", "How often does your code go through {0}?", _twice),
        ("once_only", "{0} held each element once only", "What becomes of doubles?", _once),
        ("upper_or_lower", "{0} had small letters only", "What becomes of capitals?", _lower),
        ("spaces", "{0} had no spaces at its ends", "What becomes of spaces?", _stripped),
        ("spaces", "{0} had no spaces", "What becomes of spaces?", _without_spaces),
        ("every_other", "{0} had every second element only", ends, lambda value: value[::2]),
        ("argument_ignored", "{0} were empty", "Where does your code use {0}?", _empty),
    ):
        yield altered(name, kind, phrase, ask, _fitting(change))


def _fitting(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def fitting(value: Any) -> Any:
        if not is_sequence(value):
            raise Unfit
        return change(value)

    return fitting


def _sorted(value: Any) -> Any:
    return "".join(sorted(value)) if isinstance(value, str) else type(value)(sorted(value))


def _once(value: Any) -> Any:
    unique = dict.fromkeys(value)
    return "".join(unique) if isinstance(value, str) else type(value)(unique)


def _twice(value: Any) -> Any:
    return value + value


def _lower(value: Any) -> Any:
    if not isinstance(value, str):
        raise Unfit
    return value.lower()


def _stripped(value: Any) -> Any:
    if not isinstance(value, str):
        raise Unfit
    return value.strip()


def _without_spaces(value: Any) -> Any:
    if not isinstance(value, str):
        raise Unfit
    return "".join(value.split())


def _empty(value: Any) -> Any:
    return type(value)()

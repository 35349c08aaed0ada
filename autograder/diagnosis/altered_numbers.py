"""What people take for a whole number that is given to them, or for several."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from autograder.diagnosis.calls import Alteration, Arguments, Unfit, altered, array_of, is_whole

MAX_INTEGER = 2_000
"""The largest whole number that an experiment makes of an argument: it may say how large an array
to make."""


AXES = (
    (-1, "last axis"),
    (-2, "last axis but one"),
    (-3, "last axis but two"),
    (0, "first axis"),
)


def of_counts(name: str, parameters: Mapping[str, Any]) -> Iterator[Alteration]:
    for other in parameters:
        if other != name:
            yield _rest(name, other)

    begin = "Where do you begin to count, and is the end included?"
    yield altered(
        name, "one_more", "every number in {0} were one more", begin, lambda n: array_of(n) + 1
    )
    yield altered(
        name, "one_less", "every number in {0} were one less", begin, lambda n: array_of(n) - 1
    )

    each = "What in your code knows which of {0} it is at?"
    for words, pick in (
        ("the first", lambda n: n[0]),
        ("the last", lambda n: n[-1]),
        ("the largest", np.max),
        ("the smallest", np.min),
        ("the mean", np.mean),
    ):
        yield altered(
            name,
            "one_for_all",
            words + " number in {0} stood for all of them",
            each,
            lambda n, pick=pick: np.full_like(n, pick(array_of(n))),  # type: ignore[misc]
        )

    yield altered(
        name,
        "accumulated",
        "every number in {0} came on top of those before it",
        each,
        lambda n: np.cumsum(array_of(n)),
    )
    yield altered(
        name,
        "sorted",
        "{0} were sorted",
        "Which order has {0}, and which has your answer?",
        lambda n: np.sort(array_of(n)),
    )


def _rest(name: str, other: str) -> Alteration:
    def change(arguments: Arguments) -> dict[str, Any]:
        if not is_whole(arguments[other]):
            raise Unfit
        return {**arguments, name: arguments[other] - array_of(arguments[name])}

    phrase = f"every number in {name} were what it leaves of {other}"
    return Alteration("rest_for_part", phrase, f"What does a number in {name} count?", change)


def of_whole_numbers(name: str, parameters: Mapping[str, Any]) -> Iterator[Alteration]:
    default = parameters[name].default
    if isinstance(default, int) and default < 0:
        ask = "Along which axis does your code go?"
        for axis in (-1, -2, 0, 1):
            yield altered(
                name,
                "other_axis",
                "{0} were another one",
                ask,
                lambda n, axis=axis: axis,  # type: ignore[misc]
            )
            yield other_default(name, axis)
        return

    # Before what is done with a number: an axis is one longer than another by chance.
    for other in parameters:
        if other != name:
            for axis, words in AXES:
                yield length_of(name, other, axis, words)
                yield _quotient(name, other, axis, words)

    begin = "Where do you begin to count, and is the end included?"
    use = "Where does your code use {0}?"
    power = "Which power of {0} belongs there?"
    made = (
        ("one_more", "{0} were one more", begin, lambda n: n + 1),
        ("one_less", "{0} were one less", begin, lambda n: n - 1),
        ("argument_ignored", "{0} were always 1", use, lambda n: 1),
        ("argument_ignored", "{0} were always 0", use, lambda n: 0),
        ("argument_ignored", "{0} were always -1", use, lambda n: -1),
        ("argument_ignored", "{0} were always -2", use, lambda n: -2),
        ("argument_ignored", "{0} were always 2", use, lambda n: 2),
        ("other_power", "{0} were its own square", power, lambda n: n * n),
        ("other_power", "{0} were its own root", power, lambda n: n**0.5),
        ("other_power", "{0} were multiplied where one divides by it", power, lambda n: 1 / n),
        ("other_power", "{0} were half of it squared", power, lambda n: n * n / 4),
        ("other_power", "{0} were its fourth power", power, lambda n: n**4),
        (
            "doubled",
            "{0} were twice as much",
            "How often does your code count {0}?",
            lambda n: 2 * n,
        ),
        ("ten_times", "{0} were ten times as much", "Which number meets {0}?", lambda n: 10 * n),
        ("halved", "{0} were half as much", "How often does your code count {0}?", lambda n: n / 2),
        (
            "truncated",
            "the root of {0} were cut to a whole number",
            "What is the square root of 8 in your code?",
            lambda n: int(n**0.5) ** 2,
        ),
    )
    for kind, phrase, ask, new in made:
        yield altered(name, kind, phrase, ask, lambda n, new=new: _bounded(n, new))  # type: ignore[misc]


def of_small_numbers(name: str, default: float) -> Iterator[Alteration]:
    """Of a number with a point that may be left out: another one then, or none at all."""
    for power in (*range(-7, 0), *range(1, 4)):
        yield other_default(name, default * 10.0**power)
    use = "Where does your code use {0}?"
    yield altered(name, "argument_ignored", "{0} were 0", use, lambda _: 0.0)


def other_default(name: str, value: Any) -> Alteration:
    def change(arguments: Arguments) -> dict[str, Any]:
        if name in arguments.given:
            raise Unfit
        return {**arguments, name: value}

    ask = f"What is {name} in your code if nobody says it?"
    return Alteration(
        "other_default", f"{name} were another one where it is not given", ask, change
    )


def _bounded(number: Any, new: Callable[[Any], Any]) -> Any:
    if not is_whole(number) or (number <= 0 and new(4) not in (0, 1, -1, -2, 2, 3, 5)):
        raise Unfit
    changed = new(int(number))
    if changed == number:
        raise Unfit
    # A number with a point is refused wherever it would say how large an array is to be.
    return float(changed) if abs(changed) > MAX_INTEGER else changed


def length_of(
    name: str, other: str, axis: int, words: str, outer: dict[str, Any] | None = None
) -> Alteration:
    """A number that is the length of an axis, in the same call or in the caller's."""

    def change(arguments: Arguments) -> dict[str, Any]:
        value = array_of((arguments if outer is None else outer)[other], max(-axis, 1))
        return {**arguments, name: value.shape[axis]}

    return Alteration(
        "other_length",
        f"{name} were the length of {other}'s {words}",
        "Which length belongs there?",
        change,
    )


def _quotient(name: str, other: str, axis: int, words: str) -> Alteration:
    def change(arguments: Arguments) -> dict[str, Any]:
        value = array_of(arguments[other], max(-axis, 1))
        if not arguments[name]:
            raise Unfit
        return {**arguments, name: value.shape[axis] // arguments[name]}

    phrase = f"{name} were the length of {other}'s {words} divided by it"
    ask = f"Is {name} how many there are, or how large each is?"
    return Alteration("size_for_count", phrase, ask, change)

"""Changes of the arguments of a call, each as one mistake would make it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

from autograder.diagnosis.altered_values import (
    ARRAYS,
    BLOCKS,
    COUNTS,
    LENGTHS,
    MASKS,
    NUMBERS,
    QUOTIENTS,
    RESTS,
    SEQUENCES,
    Fits,
    OfTwo,
    Row,
    changed,
    identity,
    is_matrix,
    is_sequence,
    of_length_one,
    of_shares,
    one,
    transposed,
    two,
)
from autograder.diagnosis.calls import (
    Arguments,
    Function,
    Unfit,
    is_array,
    is_counts,
    is_mask,
    is_whole,
)

Altered = dict[str, Any]

TINY = (1e-12, 1e-10, 1e-9, 1e-8, 1e-6)
"""What people add to a number lest they divide by 0."""

_KINDS: tuple[tuple[str, Fits], ...] = (
    ("mask", is_mask),
    ("array", is_array),
    ("number", is_whole),
    ("sequence", is_sequence),
)


@dataclass(frozen=True)
class Alteration:
    """A way to change the arguments of a call.

    ``phrase`` completes "as if ..."; ``ask`` is the question that goes with it.
    """

    name: str
    phrase: str
    ask: str
    change: Callable[[Arguments], Altered]


def alterations(function: Function, samples: list[Arguments]) -> Iterator[Alteration]:
    """The changes that fit the arguments of such calls."""
    if not samples:
        return

    parameters = inspect.signature(function).parameters
    for name in parameters:
        values = [sample[name] for sample in samples if name in sample]
        yield from _of_argument(name, parameters, values)

    kinds = {name: _kind(name, samples) for name in parameters}
    for names in combinations(parameters, 2):
        if kinds[names[0]] and kinds[names[0]] == kinds[names[1]]:
            yield from _of_two(*names, kinds[names[0]])
    for three in combinations(parameters, 3):
        if kinds[three[0]] and len({kinds[name] for name in three}) == 1:
            yield from _of_three(three)


def _of_argument(
    name: str, parameters: Mapping[str, inspect.Parameter], values: list[Any]
) -> Iterator[Alteration]:
    """Changes of one argument, by its values in calls."""
    default = parameters[name].default
    others = [other for other in parameters if other != name]
    use = f"Where does your code use {name}?"

    if default is not inspect.Parameter.empty:
        ask = f"What does your code do with {name}?"
        change = partial(_left_out, name=name, default=default)
        yield Alteration("argument_ignored", f"{name} were not given", ask, change)
    if type(default) is float:
        for power in (*range(-7, 0), *range(1, 4)):
            yield _other_default(name, default * 10.0**power)
        yield Alteration(
            "argument_ignored", f"{name} were 0", use, partial(_set, name=name, to=0.0)
        )
        ask = f"What does the docstring say of a {name} of 0?"
        for tiny in TINY:
            phrase = f"a tiny number were added to {name}"
            change = partial(_more, name=name, by=tiny)
            yield Alteration("tiny_for_zero", phrase, ask, change)
    for number in sorted(set(filter(is_whole, values)))[:6]:
        phrase = f"{name} were always the same number"
        yield Alteration("argument_ignored", phrase, use, partial(_set, name=name, to=number))

    if any(map(is_mask, values)):
        yield from _of_rows(name, MASKS)
    elif any(map(is_whole, values)) and isinstance(default, int) and default < 0:
        for axis in (-1, -2, 0, 1):
            change, ask = partial(_set, name=name, to=axis), "Along which axis does your code go?"
            yield Alteration("other_axis", f"{name} were another one", ask, change)
            yield _other_default(name, axis)
    elif any(map(is_whole, values)):
        # Before changes of a number: one axis is often one longer than another by chance.
        for other in others:
            for length, quotient in zip(LENGTHS, QUOTIENTS):
                yield from with_other(name, other, (length, quotient))
        yield from _of_rows(name, NUMBERS)
    elif any(map(is_counts, values)):
        for other in others:
            yield from with_other(name, other, RESTS)
        yield from _of_rows(name, COUNTS)
    elif any(map(is_array, values)):
        yield from _of_rows(name, ARRAYS)
        for other in others:
            yield from with_other(name, other, BLOCKS)
    elif any(map(is_sequence, values)):
        yield from _of_rows(name, SEQUENCES)


def _of_rows(name: str, rows: Iterable[Row]) -> Iterator[Alteration]:
    for kind, phrase, ask, fits, change in rows:

        def altered(arguments: Arguments, fits: Fits = fits, change: Any = change) -> Altered:
            if arguments[name] is None:
                raise Unfit
            return {**arguments, name: changed(arguments[name], fits, change)}

        yield Alteration(kind, phrase.format(name), ask.format(name), altered)


def with_other(
    name: str, other: str, rows: Iterable[OfTwo], outer: Altered | None = None
) -> Iterator[Alteration]:
    """An argument changed by another one, of the same call or of the caller's call, ``outer``."""
    for kind, phrase, ask, change in rows:

        def altered(arguments: Arguments, change: Callable[..., Any] = change) -> Altered:
            theirs = (arguments if outer is None else outer)[other]
            return {**arguments, name: change(arguments[name], theirs)}

        yield Alteration(kind, phrase.format(name, other), ask.format(name), altered)


def _kind(name: str, samples: list[Arguments]) -> str:
    """The kind of an argument in all calls that give it; empty if it is no known kind."""
    values = []
    for sample in samples:
        if sample.get(name) is not None:
            values.append(sample[name])

    for word, fits in _KINDS:
        if values and all(map(fits, values)):
            return word
    return ""


def _set(arguments: Arguments, name: str, to: Any) -> Altered:
    return {**arguments, name: to}


def _more(arguments: Arguments, name: str, by: float) -> Altered:
    return {**arguments, name: arguments[name] + by}


def _left_out(arguments: Arguments, name: str, default: Any) -> Altered:
    if arguments[name] is default:
        raise Unfit
    return {**arguments, name: default}


def _other_default(name: str, value: Any) -> Alteration:
    def change(arguments: Arguments) -> Altered:
        if name in arguments.given:
            raise Unfit
        return {**arguments, name: value}

    phrase = f"{name} were another one where it is not given"
    ask = f"What is {name} in your code if nobody says it?"
    return Alteration("other_default", phrase, ask, change)


def _placed(arguments: Arguments, places: Mapping[str, str]) -> Altered:
    """Arguments exchanged for others."""
    moved = {name: arguments[other] for name, other in places.items()}
    return {**arguments, **moved}


def _of_two(first: str, second: str, kind: str) -> Iterator[Alteration]:
    """One argument in place of another of the same kind, and both changed in the same way."""
    phrase = f"{first} and {second} had changed places"
    exchanged = partial(_placed, places={first: second, second: first})
    yield Alteration("exchanged", phrase, "Where does your code use which of the two?", exchanged)
    for gone, twice in ((first, second), (second, first)):
        phrase, ask = f"{twice} stood in the place of {gone}", f"Where does your code use {gone}?"
        yield Alteration("argument_ignored", phrase, ask, partial(_placed, places={gone: twice}))

    if kind != "array":
        return
    both, before = f"{first} and {second}", "What is done before your code uses"
    for name, words, ask, fits, change in (
        ("transposed", "were both transposed", "Where does your code use", two, transposed),
        ("argument_ignored", "were both left out", "Where does your code use", is_matrix, identity),
        ("normalised", "had rows of length 1", before, one, of_length_one),
        ("normalised", "had gone through a softmax", before, one, of_shares),
    ):
        altered = partial(_both, names=(first, second), fits=fits, change=change)
        yield Alteration(name, f"{both} {words}", f"{ask} {both}?", altered)


def _both(
    arguments: Arguments, names: tuple[str, str], fits: Fits, change: Callable[[Any], Any]
) -> Altered:
    return {**arguments, **{name: changed(arguments[name], fits, change) for name in names}}


def _of_three(names: tuple[str, str, str]) -> Iterator[Alteration]:
    """Three arguments of the same kind exchanged, and one in place of the two others."""
    phrase = f"{names[0]}, {names[1]} and {names[2]} had all changed places"
    for ring in (names, names[::-1]):
        places = dict(zip(ring, (*ring[1:], ring[0])))
        ask = "Where does your code use which of them?"
        yield Alteration("exchanged", phrase, ask, partial(_placed, places=places))

    for kept in names:
        first, second = (name for name in names if name != kept)
        phrase = f"{kept} stood in the place of {first} and of {second}"
        places = {first: kept, second: kept}
        ask = f"Where does your code use {first}?"
        yield Alteration("argument_ignored", phrase, ask, partial(_placed, places=places))

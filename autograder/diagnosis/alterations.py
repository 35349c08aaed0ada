"""What can be changed about the arguments of a call, as somebody would who makes one mistake."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from itertools import combinations
from typing import Any

from autograder.diagnosis.altered_arrays import identity, of_arrays, of_masks
from autograder.diagnosis.altered_numbers import of_counts, of_small_numbers, of_whole_numbers
from autograder.diagnosis.altered_sequences import is_sequence, of_sequences
from autograder.diagnosis.calls import (
    Alteration,
    Arguments,
    Function,
    Unfit,
    array_of,
    is_array,
    is_counts,
    is_mask,
    is_whole,
)
from autograder.diagnosis.rescaled_arrays import of_length_one, of_shares

_KINDS = (
    ("mask", is_mask),
    ("array", is_array),
    ("number", is_whole),
    ("sequence", is_sequence),
)


def alterations(function: Function, samples: list[Arguments]) -> Iterator[Alteration]:
    """What can be changed about the arguments of such calls."""
    if not samples:
        return

    parameters = inspect.signature(function).parameters
    for name in parameters:
        values = [sample[name] for sample in samples if name in sample]
        default = parameters[name].default
        if default is not inspect.Parameter.empty:
            yield _default(name, default)
        if type(default) is float:
            yield from of_small_numbers(name, default)
        yield from _fixed(name, list(filter(is_whole, values)))
        for fits, kinds in (
            (is_mask, of_masks),
            (is_whole, of_whole_numbers),
            (is_counts, of_counts),
            (is_array, of_arrays),
            (is_sequence, of_sequences),
        ):
            if any(map(fits, values)):
                yield from kinds(name, parameters)
                break

    kinds_of = {name: _kind(name, samples) for name in parameters}
    for one, other in combinations(parameters, 2):
        if kinds_of[one] and kinds_of[one] == kinds_of[other]:
            yield from _of_two(one, other, kinds_of[one])
    for one, other, third in combinations(parameters, 3):
        if kinds_of[one] and kinds_of[one] == kinds_of[other] == kinds_of[third]:
            yield from _of_three((one, other, third))


def _kind(name: str, samples: list[Arguments]) -> str:
    """What an argument is in all calls that give it; empty where that is nothing known."""
    values = []
    for sample in samples:
        if sample.get(name) is not None:
            values.append(sample[name])

    for word, fits in _KINDS:
        if values and all(map(fits, values)):
            return word
    return ""


def _default(name: str, default: Any) -> Alteration:
    def change(arguments: Arguments) -> dict[str, Any]:
        if arguments[name] is default:
            raise Unfit
        return {**arguments, name: default}

    return Alteration(
        "argument_ignored", f"{name} were not given", f"What does your code do with {name}?", change
    )


def _fixed(name: str, values: list[Any]) -> Iterator[Alteration]:
    """A number that is always the same, whichever is given."""
    for value in sorted(set(values))[:6]:
        yield Alteration(
            "argument_ignored",
            f"{name} were always the same number",
            f"Where does your code use {name}?",
            lambda arguments, value=value: {**arguments, name: value},  # type: ignore[misc]
        )


def _of_two(one: str, other: str, kind: str) -> Iterator[Alteration]:
    """One argument in the place of another of the same kind, and both changed alike."""
    yield Alteration(
        "exchanged",
        f"{one} and {other} had changed places",
        "Where does your code use which of the two?",
        lambda arguments: {**arguments, one: arguments[other], other: arguments[one]},
    )

    for gone, twice in ((one, other), (other, one)):
        yield Alteration(
            "argument_ignored",
            f"{twice} stood in the place of {gone}",
            f"Where does your code use {gone}?",
            lambda arguments, gone=gone, twice=twice: {  # type: ignore[misc]
                **arguments,
                gone: arguments[twice],
            },
        )

    if kind != "array":
        return
    use, before = "Where does your code use", "What is done before your code uses"
    for name, words, ask, change in (
        ("transposed", "were both transposed", use, _both_turned),
        ("argument_ignored", "were both left out", use, identity),
        ("normalised", "had rows of length 1", before, of_length_one),
        ("normalised", "had gone through a softmax", before, of_shares),
    ):
        yield Alteration(
            name,
            f"{one} and {other} {words}",
            f"{ask} {one} and {other}?",
            lambda arguments, change=change: {  # type: ignore[misc]
                **arguments,
                one: change(arguments[one]),
                other: change(arguments[other]),
            },
        )


def _of_three(names: tuple[str, str, str]) -> Iterator[Alteration]:
    """Three arguments of the same kind in each other's places, and one in that of the others."""
    for ring in (names, names[::-1]):
        places = dict(zip(ring, (*ring[1:], ring[0])))
        yield Alteration(
            "exchanged",
            f"{names[0]}, {names[1]} and {names[2]} had all changed places",
            "Where does your code use which of them?",
            lambda arguments, places=places: {  # type: ignore[misc]
                **arguments,
                **{name: arguments[other] for name, other in places.items()},
            },
        )

    for kept in names:
        first, second = (name for name in names if name != kept)
        yield Alteration(
            "argument_ignored",
            f"{kept} stood in the place of {first} and of {second}",
            f"Where does your code use {first}?",
            lambda arguments, kept=kept, gone=(first, second): {  # type: ignore[misc]
                **arguments,
                **dict.fromkeys(gone, arguments[kept]),
            },
        )


def _both_turned(value: Any) -> Any:
    return array_of(value, 2).swapaxes(-1, -2)

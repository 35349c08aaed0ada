"""Wrong options: the answers of somebody who makes a small mistake, and a choice among them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import chain, combinations
from typing import Any

import numpy as np

from autograder.questions.arguments import written
from autograder.questions.laboratory import alike

OPTIONS = 4

POOL = 12
"""Most wrong options from which three are chosen, so that they do not give the right one away."""

FEW_ODD = 2
"""Most numbers of a changed result that people cannot compute in their head."""

NEAR, NEAR_ODD = 0.2, 0.5
"""If two numbers differ by less than this, only a calculator tells them apart; the second limit is
for numbers that are not both multiples of a quarter."""

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?")


def beside(right: str, wrong: Sequence[str], sure: int, rng: np.random.Generator) -> list[str]:
    """Three wrong options. They are made from the right one, so it would be the most similar to all
    others, and seldom the smallest: its rank in both respects is drawn. The first ``sure`` of them
    are always among the three.
    """
    places = rng.integers(OPTIONS, size=2).tolist()
    every = [right, *wrong[:POOL]]
    alike = np.zeros((len(every), len(every)))
    for one, other in combinations(range(len(every)), 2):
        ratio = SequenceMatcher(None, every[one], every[other]).ratio()
        alike[one, other] = alike[other, one] = ratio
    like = alike.tolist()
    totals = [sum(numbers_in(option)) for option in every]

    def miss(three: tuple[int, ...]) -> int:
        chosen = (0, *three)
        if chosen[1 : 1 + sure] != tuple(range(1, 1 + sure)):
            return 6 * OPTIONS
        depths = [_depth(every[one]) for one in chosen]
        if any(depths.count(depth) == 1 for depth in depths if depth):
            return 3 * OPTIONS  # an option with other brackets than the rest stands out
        likeness = [sum(like[one][other] for other in chosen) for one in chosen]
        return _off(likeness, places[0]) + _off([totals[one] for one in chosen], places[1])

    return [every[one] for one in min(combinations(range(1, len(every)), 3), key=miss)]


def _off(amounts: Sequence[float], place: int) -> int:
    """How far the rank of the first amount is from ``place``; the largest comes first, and equal
    amounts share their ranks."""
    above = sum(amount > amounts[0] for amount in amounts)
    last = above + sum(amount == amounts[0] for amount in amounts) - 1
    return max(above - place, place - last, 0)


def _depth(option: str) -> int:
    """How many brackets an array or a list in an option begins with."""
    shown = option.removeprefix("it returns ")
    return len(shown) - len(shown.lstrip("[("))


def line_number(option: str) -> int:
    """The line that an option names; options that name none come last."""
    number = option.removeprefix("line ").partition(":")[0]
    return int(number) if number.isdigit() else 10**6


def wrong_shapes(right: tuple[int, ...], others: Sequence[tuple[int, ...]]) -> Iterator[Any]:
    """Likely wrong shapes: with another axis, without ``keepdims``, or transposed."""
    if len(right) > 1:
        yield (*right[:-2], right[-1], right[-2])
        yield (*right[:-2], right[-2] * right[-1])
    yield (1, *right)
    if 1 in right:
        yield tuple(size for size in right if size != 1)
    yield from (other for other in others if len(other) == len(right))
    yield (*right[:-1], 1)
    yield right[:-1]
    yield (*right[1:], right[0])
    for size in sorted(set(chain.from_iterable(others))):
        yield (*right[:-1], size)


def range_of(numbers: Any) -> tuple[float, float]:
    """The least and the greatest of some numbers; without numbers, an unlimited range."""
    if numbers is None or not numbers.size:
        return -np.inf, np.inf
    return float(numbers.min()), float(numbers.max())


def first_number(option: str) -> float:
    return next(iter(numbers_in(option)), 0.0)


def has_odd(numbers: Any) -> bool:
    """Whether there are numbers that people do not compute by hand."""
    return numbers is None or not alike(numbers * 1.0, np.round(numbers * 1.0, 2))


def slips(value: Any) -> list[Any]:
    """Values that differ from the right one by one, by a sign, or by a factor."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return [value + 1, -value, 2 * value, value - 1]
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, list) and len(value) > 1:
        return [*_rearranged(value), value[:-1], value + value[-1:]]
    if isinstance(value, str) and len(value) > 1:
        return [value[:-1], value[1:], value[::-1], value + value[-1:]]
    if isinstance(value, dict) and len(value) > 1:
        (name, count), *others = value.items()
        more = [{**value, name: other} for other in _next_to(count) if other]
        return [dict(others), *more]
    return []


def _rearranged(value: list[Any]) -> Iterator[list[Any]]:
    """Lists of the same length, with two entries exchanged or one of them wrong."""
    places = range(len(value))
    for one, other in combinations(places, 2):
        moved = list(value)
        moved[one], moved[other] = value[other], value[one]
        if written(moved) != written(value):  # it may contain arrays
            yield moved
    for place in places:
        inside = value[place]
        others = list(_rearranged(inside)) if isinstance(inside, list) else _next_to(inside)
        for near in others:
            yield [*value[:place], near, *value[place + 1 :]]


def _next_to(value: Any) -> list[Any]:
    """Other values for an entry: numbers differ by one, and counts are never negative."""
    if isinstance(value, bool):
        return [not value]
    is_number = isinstance(value, (int, float))
    return [other for other in (value + 1, value - 1) if other >= 0] if is_number else []


def are_of_one_kind(one: str, other: str) -> bool:
    return ("it raises" in one) == ("it raises" in other)


def odd_numbers(text: str) -> int:
    """How many numbers of a text people cannot compute in their head."""
    return sum(map(_is_odd, numbers_in(text)))


def _is_odd(number: float) -> bool:
    return not (4 * number).is_integer()


def is_near(one: str, other: str) -> bool:
    """Whether the numbers of two texts are too close to be told apart by an estimate."""
    is_same_form = NUMBER.sub("", one) == NUMBER.sub("", other)
    return is_same_form and one != other and all(map(_are_near, numbers_in(one), numbers_in(other)))


def _are_near(one: float, other: float) -> bool:
    """Whether two numbers can be told apart only with a calculator."""
    return abs(one - other) < (NEAR_ODD if _is_odd(one) or _is_odd(other) else NEAR)


def numbers_in(text: str) -> list[float]:
    return [float(number) for number in NUMBER.findall(text)]

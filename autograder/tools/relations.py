"""What relates a wrong answer to the right one: turned, reversed, scaled, a part of it, and so on.

A relation is named if it explains every wrong answer of several, and if that is unlikely to be
chance: answers that are zero, symmetric or of a single entry prove nothing. What is said of it is
true of the answers, asks one question, and holds no number of theirs.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, permutations
from typing import Any, TypeAlias

import numpy as np

from autograder.tools.likeness import (
    ALIKE_ATOL,
    ALIKE_RTOL,
    ENOUGH,
    SURE,
    Array,
    Found,
    Key,
    alike,
    as_numbers,
    close,
    is_binary,
    is_large,
    spread,
    weight,
    without_ones,
)
from autograder.tools.places import of_arrays
from autograder.tools.sentences import SENTENCES
from autograder.tools.things import of_things

Pair: TypeAlias = tuple[Any, Any, Mapping[str, Any]]
"""Of a call the answer, the right answer, and the arguments by their names."""

SHAPES = 1.5
"""What shapes alone say."""

VAGUE = frozenset(
    {
        "nothing_true",
        "first_line_false",
        "last_line_false",
        "every_other",
        "band",
        "too_few_true",
        "too_many_true",
        "nearly",
        "zeros",
        "rearranged",
        "rows_scaled",
        "columns_scaled",
        "flatter_or_sharper",
        "right_where_true",
        "right_where_false",
        "one_for_several",
        "one_number",
        "scaled_alike",
        "scaled_somehow",
        "shifted",
        "not_finite",
        "infinite",
        "right_where_positive",
        "right_where_small",
        "small_are_zero",
        "first_row_only",
        "something_missing",
        "something_too_much",
        "counted_too_little",
        "counted_too_much",
        "other_type",
        "parts_of_other_type",
        "zeros_above",
    }
)
"""True, but of several mistakes: said where nothing else is."""


def relation(pairs: Sequence[Pair], least: int = 2, vague: bool = True) -> tuple[str, str] | None:
    """The name of what relates answers to the right ones, and a sentence; None if nothing is sure.

    Args:
        pairs: of each call the answer, the right one, and the arguments; right answers, too.
        least: wrong answers that must speak for it.
        vague: whether a relation will do that several mistakes have.
    """
    right, wrong = _told_apart(pairs)
    if not wrong:
        return None

    with np.errstate(all="ignore"):
        for subject, place, parts in _subjects(wrong):
            found = _common(parts, least, vague)
            if found is None:
                continue
            (name, what), _ = found
            for pair in right if place is None else _parts(right, place):
                if not _holds(name, what, pair):
                    subject = f"where it is wrong, {subject}"
                    break
            return name, said(name, what, subject)
    return None


def said(name: str, what: str = "", subject: str = "your answer") -> str:
    """What is said of a relation."""
    sentence = SENTENCES[name].format(your=subject, what=what)
    return sentence[0].upper() + sentence[1:]


def _told_apart(pairs: Sequence[Pair]) -> tuple[list[Pair], list[Pair]]:
    """Right answers and wrong ones; what is too large to be looked at is left out."""
    right: list[Pair] = []
    wrong: list[Pair] = []
    for pair in pairs:
        got, wanted, _ = pair
        if not is_large(got) and not is_large(wanted):
            if alike(got, wanted):
                right.append(pair)
            else:
                wrong.append(pair)
    return right, wrong


def _subjects(wrong: Sequence[Pair]) -> Iterator[tuple[str, int | None, list[Pair]]]:
    """What may be spoken about: the whole answer, or the wrong parts of a tuple.

    Where it is one part, its place is given, too.
    """
    yield "your answer", None, list(wrong)

    listed = _listed(wrong)
    if listed:
        yield "each wrong part of your answer", None, listed

    off: list[tuple[str, int, list[Pair]]] = []
    every: list[Pair] = []
    for place in range(_number_of_parts(wrong)):
        _, wrong_parts = _told_apart(_parts(wrong, place))
        if wrong_parts:
            off.append((f"part {place + 1} of your answer", place, wrong_parts))
            every += wrong_parts

    if len(off) > 1:
        yield "each wrong part of your answer", None, every
    # What is made last may be wrong for the sake of what was made first.
    yield from reversed(off)


def _number_of_parts(pairs: Sequence[Pair]) -> int:
    """How many parts all answers have that should be tuples of so many; 0 where they have not."""
    counts = set()
    for got, wanted, _ in pairs:
        fits = isinstance(got, (tuple, list)) and isinstance(wanted, tuple)
        counts.add(len(wanted) if fits and len(got) == len(wanted) else 0)
    return counts.pop() if len(counts) == 1 else 0


def _listed(pairs: Sequence[Pair]) -> list[Pair]:
    """The wrong arrays of lists of arrays, each beside the right one; none if a length is wrong."""
    parts: list[Pair] = []
    for got, wanted, arguments in pairs:
        fits = isinstance(got, (tuple, list)) and isinstance(wanted, list)
        if not fits or not len(got) == len(wanted) > 0 or not isinstance(wanted[0], np.ndarray):
            return []
        parts += [(*both, arguments) for both in zip(got, wanted)]
    return _told_apart(parts)[1]


def _parts(pairs: Sequence[Pair], place: int) -> list[Pair]:
    """One part of each answer beside that of the right one."""
    return [(got[place], wanted[place], arguments) for got, wanted, arguments in pairs]


def _common(pairs: Sequence[Pair], least: int, vague: bool) -> tuple[Key, float] | None:
    """What explains all of these, the preferred one of several, if enough speaks for it."""
    found = [_weights(*pair) for pair in pairs]
    sure: list[tuple[Key, float]] = []
    for key in found[0]:
        name, _ = key
        weights = [one[key] for one in found if key in one]
        if len(weights) < len(found) or (name in VAGUE and not vague):
            continue
        times = len(list(filter(None, weights)))
        if sum(weights) >= (ENOUGH if times >= least else SURE):
            sure.append((key, sum(weights)))

    order = list(SENTENCES)
    return min(sure, key=lambda one: order.index(one[0][0]), default=None)


def _weights(got: Any, wanted: Any, arguments: Mapping[str, Any]) -> dict[Key, float]:
    """Every relation that explains an answer, and what speaks for it at most."""
    weights: dict[Key, float] = {}
    for key, more in _explanations(got, wanted, arguments):
        weights[key] = max(more, weights.get(key, 0.0))
    return weights


def _holds(name: str, what: str, pair: Pair) -> bool:
    """Whether a right answer stays as it is under a relation."""
    return (name, what) in _weights(*pair)


def _explanations(got: Any, wanted: Any, arguments: Mapping[str, Any]) -> Iterator[Found]:
    """Every relation that explains an answer."""
    if got is None and wanted is not None:
        yield ("nothing_returned", ""), SURE
        return
    yield from _of_parts(got, wanted)

    a, b = as_numbers(got), as_numbers(wanted)
    if a is None or b is None or not b.size or not (a.size or isinstance(got, np.ndarray)):
        yield from of_things(got, wanted)
        return
    if isinstance(got, list) and isinstance(wanted, list) and b.ndim == 1:
        yield from of_things(got, wanted)
    yield from of_arguments(a, b, arguments)
    yield from of_arrays(a, b, arguments)


def _of_parts(got: Any, wanted: Any) -> Iterator[Found]:
    """One part of several, several for one, and several in another order."""
    several = isinstance(wanted, tuple) and len(wanted) > 1
    has_parts = isinstance(got, (tuple, list))

    if several and has_parts:
        if len(got) == len(wanted) <= 5 and _is_reordered(got, wanted):
            yield ("other_order_of_parts", ""), ENOUGH
        elif len(got) == len(wanted) <= 5 and _has_shapes_of_another_order(got, wanted):
            yield ("shapes_in_other_order", ""), SHAPES
        if 1 < len(got) < len(wanted) and _are_some(got, wanted):
            yield ("parts_missing", ""), ENOUGH
        if len(got) > len(wanted) and alike(tuple(got[: len(wanted)]), wanted):
            yield ("parts_too_many", ""), ENOUGH

        if len(got) == len(wanted) <= 5:
            mixed = _mixed_parts(got, wanted)
            if mixed:
                yield ("parts_mixed", ""), mixed
            for place, part in enumerate(wanted, start=1):
                if len([one for one in got if alike(one, part)]) > 1:
                    yield ("part_repeated", f"part {place}"), ENOUGH

    if several:
        alone = got[0] if has_parts and len(got) == 1 else got
        for place, part in enumerate(wanted):
            if alike(alone, part):
                yield ("one_part_missing", f"part {place + 1} of what is asked for"), ENOUGH
        if not has_parts:
            yield ("other_type" if isinstance(got, dict) else "one_for_several", ""), ENOUGH

    if has_parts and not isinstance(wanted, (tuple, list)):
        for place, part in enumerate(got[:9]):
            if alike(part, wanted) and len(got) > 1:
                yield ("parts_added", f"part {place + 1} of yours"), ENOUGH
            elif alike(part, wanted):
                yield ("in_a_list", ""), ENOUGH


def _is_reordered(got: Sequence[Any], wanted: Sequence[Any]) -> bool:
    """Whether these are the same parts in another order."""
    orders = islice(permutations(range(len(wanted))), 1, None)  # the first is their own
    for order in orders:
        if all(alike(part, wanted[place]) for part, place in zip(got, order)):
            return True
    return False


def _has_shapes_of_another_order(got: Sequence[Any], wanted: Sequence[Any]) -> bool:
    """Whether the shapes are those of the right parts, in one order only, which is not theirs."""
    shapes = [np.shape(part) for part in wanted]
    mine = [array.shape if array is not None else None for array in map(as_numbers, got)]
    return (
        len(set(shapes)) == len(shapes)
        and mine != shapes
        and sorted(map(str, mine)) == sorted(map(str, shapes))
    )


def _mixed_parts(got: Sequence[Any], wanted: Sequence[Any]) -> float:
    """What it says that each wrong part is right but for another part on top of it; 0 if one is
    not."""
    much = 0.0
    for place, (part, right) in enumerate(zip(got, wanted)):
        a, b = as_numbers(part), as_numbers(right)
        if a is None or b is None:
            return 0.0
        if close(a, b):
            continue
        sums = []
        for other in map(as_numbers, (*wanted[:place], *wanted[place + 1 :])):
            if other is not None and other.shape == b.shape and close(a, b + other):
                sums.append(weight(a, b + other, b))
        if not sums:
            return 0.0
        much += max(sums)
    return much


def _are_some(got: Sequence[Any], wanted: Sequence[Any]) -> bool:
    """Whether these are some of the parts, in their order."""
    rest = iter(wanted)
    return all(any(alike(part, right) for right in rest) for part in got)


def of_arguments(a: Array, b: Array, arguments: Mapping[str, Any]) -> Iterator[Found]:
    """An argument handed back, or on top of the right answer; right where a mask says so."""
    for name, value in arguments.items():
        array = as_numbers(value)
        if array is None or array.ndim == 0:
            continue
        for key, prediction in (
            ("argument_handed_back", array),
            ("argument_turned", array.swapaxes(-1, -array.ndim)),
        ):
            if close(a, prediction):
                yield (key, name), weight(a, prediction, b)
        if (
            array.ndim > 1
            and a.size == array.size
            and a.shape != array.shape
            # Where axes of length 1 alone differ, they are what is wrong.
            and (a.shape == b.shape or without_ones(a.shape) != without_ones(b.shape))
            and close(a.ravel(), array.ravel())
        ):
            yield ("argument_reshaped", name), weight(a, a, b)
        for axis in (
            range(-1, -array.ndim - 1, -1) if array.ndim > 1 and not is_binary(array) else ()
        ):
            for what, less in (
                ("added up", array.sum(axis)),
                ("averaged", array.mean(axis)),
                ("cut down to its first part", array.take(0, axis)),
                ("cut down to its last part", array.take(-1, axis)),
                ("cut down to its largest numbers", array.max(axis)),
                ("multiplied up", array.prod(axis)),
            ):
                if array.shape[axis] > 1 and close(a, less):
                    yield (
                        ("argument_merged", f"{name}, {what} along one axis"),
                        weight(a, less, b),
                    )

        has_rows_of_it = array.ndim == a.ndim and array.shape[:-1] == a.shape[:-1]
        if has_rows_of_it and close(a, array[..., : a.shape[-1]]):
            yield ("argument_cut", name), weight(a, a, b)
        yield from _of_one_argument(a, b, name, array)
        wide = spread(array, b.shape)
        if wide is None:
            continue
        if a.shape == b.shape and a.dtype.kind != "b" and array.dtype.kind != "b":
            for key, prediction in (
                ("argument_added", b + wide),
                ("argument_subtracted", b - wide),
                ("argument_multiplied", b * wide),
            ):
                if close(a, prediction):
                    yield (key, name), weight(a, prediction, b)
        if array.dtype.kind == "b" and a.ndim == 1 and b.ndim > 1 and close(a, b[wide]):
            yield ("selected", name), weight(a, a, b)
        if a.shape == b.shape and array.dtype.kind == "f":
            wrong = ~np.isclose(a, b, ALIKE_RTOL, ALIKE_ATOL, equal_nan=True)
            others = np.count_nonzero(wide <= 0)
            if 0 < 3 * np.count_nonzero(wrong) >= others < wide.size and (wide[wrong] <= 0).all():
                yield ("right_where_positive", name), float(np.count_nonzero(wrong)) / 1.5
            if _are_largest(np.abs(wide), wrong):
                # A few entries are the largest by chance, and 0 is right in many functions.
                right, bits = np.abs(wide)[~wrong], _bits(wrong)
                is_clear = bits >= ENOUGH and right.any()
                yield ("right_where_small", name), bits if is_clear else 0.0
        if a.shape == b.shape and array.dtype.kind == "b":
            same = np.isclose(a, b, ALIKE_RTOL, ALIKE_ATOL, equal_nan=True)
            for key, where in (("right_where_true", wide), ("right_where_false", ~wide)):
                if where.any() and (same == where).all():
                    yield (key, name), float(np.count_nonzero(~where) + np.count_nonzero(where)) / 2
            empty = ~wide.any(axis=-1)
            if empty.any() and not empty.all() and (same.all(axis=-1) == ~empty).all():
                yield ("wrong_in_empty_rows", name), float(np.count_nonzero(~same))


def _are_largest(sizes: Array, wrong: Array) -> bool:
    """Whether the entries that are wrong are those where a size is largest."""
    return bool(wrong.any() and sizes[wrong].min() > sizes[~wrong].max(initial=0.0))


def _bits(chosen: Array) -> float:
    """How unlikely it is that so many of all entries are just these, in bits."""
    return math.log2(math.comb(chosen.size, np.count_nonzero(chosen)))


def shares(x: Array, axis: int) -> Array:
    """Each number divided by the total along an axis."""
    total: Array = x.sum(axis, keepdims=True)
    return x / total


def _of_one_argument(a: Array, b: Array, name: str, array: Array) -> Iterator[Found]:
    """A function of an argument alone; copies of it; and one product too many."""
    for place in range(array.ndim + 1) if a.ndim == array.ndim + 1 else ():
        copies = spread(np.expand_dims(array, place), a.shape)
        if a.size > array.size and copies is not None and close(a, copies):
            yield ("argument_repeated", name), weight(a, a, b)
    copies = spread(array.reshape((*array.shape, 1, 1)), a.shape)
    if a.ndim == array.ndim + 2 and copies is not None and close(a, copies):
        yield ("argument_repeated", name), weight(a, a, b)

    fits = array.ndim >= 2 and b.ndim >= 2 and array.shape[-1] == array.shape[-2] == b.shape[-1]
    if fits and close(a, b @ array):
        yield ("multiplied_again", name), weight(a, a, b)

    if a.shape != array.shape or not a.size:
        return
    x = array.astype(float)
    functions = [
        ("the sigmoid of {}", 1 / (1 + np.exp(-x))),
        ("the hyperbolic tangent of {}", np.tanh(x)),
        ("the exponential of {}", np.exp(x)),
        ("the logarithm of {}", np.log(x)),
        ("the square of {}", x**2),
        ("the square root of {}", np.sqrt(x)),
    ]
    # Whoever asks along another axis than the last means its rows.
    for axis in range(-1, -x.ndim - 1, -1):
        low, high = x.min(axis, keepdims=True), x.max(axis, keepdims=True)
        functions += [
            ("{}, divided by the total of each row", shares(x, axis)),
            ("the shares without an exponential of {}", shares(x - low, axis)),
            ("the shares without an exponential of {}", shares(np.abs(x), axis)),
            ("the shares of the squares of {}", shares(x**2, axis)),
            ("the place between smallest and largest of {}", (x - low) / (high - low)),
        ]
    for what, value in functions:
        if close(a, value):
            yield ("function_of_argument", what.format(name)), weight(a, value, b)

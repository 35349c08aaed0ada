"""Relations between lists, dictionaries, texts and sets, and between answers of several parts."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, permutations
from typing import Any

import numpy as np

from autograder.tools.arithmetic import of_values
from autograder.tools.likeness import (
    ENOUGH,
    SURE,
    Found,
    alike,
    as_numbers,
    both_numbers,
    close,
    weight,
)
from autograder.tools.places import of_arrays

SHAPES = 1.5
"""What shapes alone say."""


def of_anything(got: Any, wanted: Any, arguments: Mapping[str, Any] = {}) -> Iterator[Found]:
    """Every relation between two answers, whatever they are."""
    if got is None and wanted is not None:
        yield ("nothing_returned", ""), SURE
        return
    yield from _of_parts(got, wanted)
    numbers = both_numbers(got, wanted)
    if numbers is None:
        yield from _of_things(got, wanted)
        return
    if isinstance(got, list) and isinstance(wanted, list) and numbers[1].ndim == 1:
        yield from _of_things(got, wanted)
    yield from of_arrays(*numbers, arguments)


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


def _of_things(got: Any, wanted: Any) -> Iterator[Found]:
    """Relations between lists, dictionaries, texts, sets and single things."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        yield from _of_dictionaries(got, wanted)

    elif isinstance(wanted, (set, frozenset)) and isinstance(got, (set, frozenset)):
        yield from _more_or_less(set(got), set(wanted), len(wanted))

    elif isinstance(wanted, (str, bytes)) and type(got) is type(wanted):
        yield from _of_texts(got, wanted)

    elif isinstance(wanted, (list, tuple)) and isinstance(got, (list, tuple)):
        yield from _of_sequences(list(got), list(wanted), len(set(map(repr, wanted))))

    elif isinstance(wanted, (list, tuple, str)) and not isinstance(got, (list, tuple, dict)):
        yield from _of_elements(got, wanted)

    if _kind(got) and _kind(wanted) and _kind(got) != _kind(wanted):
        yield ("other_type", ""), ENOUGH
    if type(got) is not type(wanted) and repr(got).strip("'\"") == repr(wanted).strip("'\""):
        yield ("values_of_other_type", ""), 2.0


def _kind(value: Any) -> str:
    """What kind of thing it is, as far as nobody takes one for another."""
    kinds = ((dict, "dictionary"), (str, "text"), (bytes, "bytes"), ((set, frozenset), "set"))
    for kind, word in (*kinds, ((list, tuple), "sequence")):
        if isinstance(value, kind):
            return word
    return ""


def _form(value: Any) -> str:
    """What kind of thing it is, and of a list or tuple the kinds of its first three parts."""
    if isinstance(value, (list, tuple)):
        return f"({' '.join(map(_form, value[:3]))})" if len(value) < 4 else "(many)"
    return _kind(value) or "number"


def _of_forms(got: Sequence[Any], wanted: Sequence[Any]) -> Iterator[Found]:
    """Parts that are none of the things that are asked for."""
    if got and wanted and not set(map(_form, got)) & set(map(_form, wanted)):
        yield ("parts_of_other_type", ""), min(len(got), len(wanted)) / 1.5


def _of_texts(got: Any, wanted: Any) -> Iterator[Found]:
    yield from _of_sequences(got, wanted, len(set(wanted)))
    if isinstance(wanted, bytes) or got == wanted:
        return

    if got.lower() == wanted.lower():
        yield ("upper_or_lower", ""), float(len(wanted))
    if "".join(got.split()) == "".join(wanted.split()):
        yield ("spaces", ""), float(len(wanted))


def _of_elements(got: Any, wanted: Any) -> Iterator[Found]:
    """One of several."""
    if len(wanted) < 2:
        return
    for place, what in ((0, "first"), (-1, "last")):
        if alike(got, wanted[place]):
            yield ("one_element", what), 2.0


def _of_sequences(got: Any, wanted: Any, variety: float) -> Iterator[Found]:
    if isinstance(wanted, list) and len(wanted) == 1:
        yield from _of_forms(got, wanted)
    if len(wanted) < 2:
        return

    changed = [
        (("reversed", "its only axis"), wanted[::-1]),
        (("first_missing", ""), wanted[1:]),
        (("last_missing", ""), wanted[:-1]),
        (("doubled", ""), wanted + wanted),
        (("rolled", "its only axis"), wanted[1:] + wanted[:1]),
        (("rolled", "its only axis"), wanted[-1:] + wanted[:-1]),
    ]
    for key, prediction in changed:
        if not alike(prediction, wanted) and alike(got, prediction):
            yield key, float(variety)

    if isinstance(wanted, list):
        yield from _of_forms(got, wanted)
        for name in _of_lists(got, wanted):
            yield (name, ""), float(variety)
        yield from _of_shown(list(map(str, got)), list(map(str, wanted)), float(variety))


def _of_lists(got: list[Any], wanted: list[Any]) -> Iterator[str]:
    twice = []
    for part in wanted:
        twice += [part, part]
    if alike(got, twice):
        yield "doubled"

    if all(type(part) is int for part in (*got, *wanted)):
        for bits in (8, 16, 32):
            cut = [part % 2**bits for part in wanted]
            if got == cut != wanted:
                yield "numbers_cut"

    try:
        ordered = [sorted(wanted), sorted(wanted, reverse=True)]
    except (TypeError, ValueError):  # of things that have no order
        return
    for prediction in ordered:
        if prediction != wanted and alike(got, prediction):
            yield "sorted"


def _of_shown(got: list[str], wanted: list[str], variety: float) -> Iterator[Found]:
    """What relates two lists whose parts are written down."""
    if got == wanted:
        yield ("values_of_other_type", ""), variety
    elif sorted(got) == sorted(wanted):
        yield ("rearranged", ""), variety
    elif got and len(got) < len(wanted) and _is_subsequence(got, wanted):
        yield ("something_missing", ""), float(len(set(got)))
    elif len(got) > len(wanted) and _is_subsequence(wanted, got):
        yield ("something_too_much", ""), variety


def _is_subsequence(short: Sequence[Any], long: Sequence[Any]) -> bool:
    rest = iter(long)
    return all(part in rest for part in short)


def _of_dictionaries(got: dict[Any, Any], wanted: dict[Any, Any]) -> Iterator[Found]:
    count = float(len(wanted))
    yield from _of_forms(list(got.values()), list(wanted.values()))
    yield from _of_counts(got, wanted)
    if got.keys() == wanted.keys():
        a, b = as_numbers(list(got.values())), as_numbers(list(map(wanted.get, got)))
        if a is not None and b is not None and a.ndim == b.ndim == 1 and a.size:
            yield from of_values(a, b, {})
            if (a == a[0]).all():
                yield ("constant_values", ""), float(np.count_nonzero(a != b))
        return

    try:
        if got == dict(zip(wanted.values(), wanted)):
            yield ("keys_and_values_swapped", ""), 2 * count
    except TypeError:  # a value that cannot be a key
        pass
    if _shown(got) == _shown(wanted):
        yield ("keys_of_other_type", ""), 2 * count
    elif not set(map(_form, got)) & set(map(_form, wanted)):
        yield ("keys_of_other_type", ""), min(len(got), len(wanted)) / 1.5

    common = [key for key in wanted if key in got]
    if all(alike(got[key], wanted[key]) for key in common):
        yield from _more_or_less(set(got), set(wanted), count)


def _of_counts(got: dict[Any, Any], wanted: dict[Any, Any]) -> Iterator[Found]:
    """Numbers by their keys, a key that is not there standing for none: all too small, or too
    large."""
    a, b = as_numbers(list(got.values())), as_numbers(list(wanted.values()))
    if a is None or b is None or a.ndim != 1 or b.ndim != 1:
        return
    gaps = [got.get(key, 0) - wanted.get(key, 0) for key in {**got, **wanted}]
    different = float(len([gap for gap in gaps if gap]))
    if max(gaps, default=0) <= 0:
        yield ("counted_too_little", ""), different
    if min(gaps, default=0) >= 0:
        yield ("counted_too_much", ""), different


def _shown(dictionary: dict[Any, Any]) -> dict[str, str]:
    return dict(zip(map(str, dictionary), map(str, dictionary.values())))


def _more_or_less(got: set[Any], wanted: set[Any], count: float) -> Iterator[Found]:
    if got < wanted:
        yield ("something_missing", ""), float(count if got else 0)
    if got > wanted:
        yield ("something_too_much", ""), float(count)

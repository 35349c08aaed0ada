"""Relations between lists, dictionaries, texts and sets."""

from collections.abc import Iterator, Sequence
from typing import Any

from autograder.tools.arithmetic import of_values
from autograder.tools.likeness import Found, alike, as_numbers


def of_things(got: Any, wanted: Any) -> Iterator[Found]:
    """Relations between lists, dictionaries, texts, sets and single things."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        yield from _of_dictionaries(got, wanted)
    elif isinstance(wanted, (set, frozenset)) and isinstance(got, (set, frozenset)):
        yield from _more_or_less(set(got), set(wanted), len(wanted))
    elif isinstance(wanted, (str, bytes)) and type(got) is type(wanted):
        yield from _of_sequences(got, wanted, len(set(wanted)))
        if isinstance(got, str) and isinstance(wanted, str) and got != wanted:
            if got.lower() == wanted.lower():
                yield ("upper_or_lower", ""), float(len(wanted))
            if "".join(got.split()) == "".join(wanted.split()):
                yield ("spaces", ""), float(len(wanted))
    elif isinstance(wanted, (list, tuple)) and isinstance(got, (list, tuple)):
        yield from _of_sequences(list(got), list(wanted), len({repr(part) for part in wanted}))
    elif (
        isinstance(wanted, (list, tuple, str))
        and len(wanted) > 1
        and not isinstance(got, (list, tuple, dict))
    ):
        for place, what in ((0, "first"), (-1, "last")):
            if alike(got, wanted[place]):
                yield ("one_element", what), 2.0
    if type(got) is not type(wanted) and repr(got).strip("'\"") == repr(wanted).strip("'\""):
        yield ("values_of_other_type", ""), 2.0


def _of_sequences(got: Any, wanted: Any, variety: float) -> Iterator[Found]:
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
        twice = [part for part in wanted for _ in range(2)]
        if alike(got, twice):
            yield ("doubled", ""), float(variety)
        try:
            for prediction in (sorted(wanted), sorted(wanted, reverse=True)):
                if prediction != wanted and alike(got, prediction):
                    yield ("sorted", ""), float(variety)
        except (TypeError, ValueError):
            pass
        shown, right = [str(part) for part in got], [str(part) for part in wanted]
        if shown == right:
            yield ("values_of_other_type", ""), float(variety)
        elif sorted(shown) == sorted(right):
            yield ("rearranged", ""), float(variety)
        elif shown and 0 < len(got) < len(wanted) and _is_subsequence(shown, right):
            yield ("something_missing", ""), float(len(set(shown)))
        elif len(got) > len(wanted) and _is_subsequence(right, shown):
            yield ("something_too_much", ""), float(variety)


def _is_subsequence(short: Sequence[Any], long: Sequence[Any]) -> bool:
    rest = iter(long)
    return all(part in rest for part in short)


def _of_dictionaries(got: dict[Any, Any], wanted: dict[Any, Any]) -> Iterator[Found]:
    count = float(len(wanted))
    if got.keys() == wanted.keys():
        a, b = as_numbers(list(got.values())), as_numbers([wanted[key] for key in got])
        if a is not None and b is not None and a.ndim == b.ndim == 1 and a.size > 1:
            yield from of_values(a, b, {})
        return
    try:
        if got == {value: key for key, value in wanted.items()}:
            yield ("keys_and_values_swapped", ""), 2 * count
    except TypeError:
        pass
    if {str(key): str(value) for key, value in got.items()} == {
        str(key): str(value) for key, value in wanted.items()
    }:
        yield ("keys_of_other_type", ""), 2 * count
    common = [key for key in wanted if key in got]
    if common and all(alike(got[key], wanted[key]) for key in common):
        yield from _more_or_less(set(got), set(wanted), count)


def _more_or_less(got: set[Any], wanted: set[Any], count: float) -> Iterator[Found]:
    if got < wanted and got:
        yield ("something_missing", ""), float(count)
    if got > wanted and wanted:
        yield ("something_too_much", ""), float(count)

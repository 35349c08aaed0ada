"""Relations between arrays: the right entries in other places, or in some places only."""

from collections.abc import Iterator, Mapping
from itertools import permutations
from typing import Any

import numpy as np

from autograder.tools.arithmetic import axis_in_words, computed, logarithm_of_rows, of_values
from autograder.tools.likeness import (
    ALIKE_ATOL,
    ALIKE_RTOL,
    ENOUGH,
    Array,
    Found,
    Key,
    both_numbers,
    close,
    is_binary,
    spread,
    weight,
    without_ones,
    worth,
)


def of_numbers(got: Any, wanted: Any, arguments: Mapping[str, Any]) -> Iterator[Found]:
    """Every relation between two answers that are arrays."""
    numbers = both_numbers(got, wanted)
    if numbers is not None:
        yield from of_arrays(*numbers, arguments)


def of_arrays(a: Array, b: Array, arguments: Mapping[str, Any]) -> Iterator[Found]:
    """Every relation between two arrays."""
    for key, prediction in (*_turned(b), *computed(b), *merged(b)):
        if close(a, prediction):
            yield key, weight(a, prediction, b)
    if a.shape == b.shape and b.dtype.kind == "f" and (b >= 0).all():
        large = b > 1e-250  # of smaller ones the logarithm cannot be known
        if large.any() and close(a[large], np.log(b[large])):
            yield ("logarithm", ""), worth(a[large])
        yield from logarithm_of_rows(a.astype(float), b, large)
    yield from _of_shapes(a, b)
    if a.shape == b.shape:
        yield from _of_places(a, b)
        yield from of_values(a, b, arguments)


def _turned(b: Array) -> Iterator[tuple[Key, Array]]:
    if b.ndim >= 2:
        yield ("transposed", ""), b.swapaxes(-1, -2)
        if b.ndim <= 5:
            for order in permutations(range(b.ndim)):
                if list(order) != sorted(order):
                    yield ("axes_in_other_order", ""), b.transpose(order)
    for axis in range(-1, -b.ndim - 1, -1):
        yield ("reversed", axis_in_words(axis, b.ndim)), np.flip(b, axis)
        yield ("sorted", ""), np.sort(b, axis)
        yield ("sorted", ""), np.flip(np.sort(b, axis), axis)
        for by in (1, -1):
            yield ("rolled", axis_in_words(axis, b.ndim)), np.roll(b, by, axis)
    yield from in_blocks(b)


def _of_shapes(a: Array, b: Array) -> Iterator[Found]:
    if a.shape == b.shape:
        return
    if a.size == b.size and close(a.ravel(), b.ravel()):
        if without_ones(a.shape) == without_ones(b.shape) and a.ndim != b.ndim:
            yield ("axis_missing" if a.ndim < b.ndim else "axis_left_over", ""), weight(a, a, b)
        yield ("other_shape", ""), weight(a, a, b)
    wide, narrow = spread(b, a.shape), spread(a, b.shape)
    if a.size > b.size and wide is not None and close(a, wide):
        yield ("repeated", ""), weight(a, a, b)
    if a.size < b.size and narrow is not None and close(narrow, b):
        yield ("one_of_all", "first"), weight(a, a, b)

    if b.dtype.kind == "b" and (close(a, np.argwhere(b)) or close(a, np.argwhere(b).T)):
        yield ("places_listed", ""), worth(a)
    if a.ndim == 0 and b.size > 1:
        yield ("one_number", ""), ENOUGH
    for axis in range(a.ndim) if a.ndim == b.ndim + 1 and a.size > b.size else ():
        if close(a.sum(axis), b):
            yield ("not_added_up", ""), worth(b)
    if a.ndim != b.ndim:
        return
    different = [axis for axis in range(a.ndim) if a.shape[axis] != b.shape[axis]]
    if len(different) == 1:
        (axis,) = different
        what, short = axis_in_words(axis - a.ndim, a.ndim), min(a.shape[axis], b.shape[axis])
        for places in (range(short), range(-short, 0)):
            if a.shape[axis] < b.shape[axis] and close(a, b.take(places, axis)):
                yield ("cut_off", what), weight(a, a, b)
                break
            if a.shape[axis] > b.shape[axis] and close(a.take(places, axis), b):
                yield ("too_long", what), weight(b, a, b)
                break


def _of_places(a: Array, b: Array) -> Iterator[Found]:
    """The right entries in other places, or in some places only; both of the same shape."""
    same: Array = np.asarray(np.isclose(a, b, ALIKE_RTOL, ALIKE_ATOL, equal_nan=True))
    numbers_match = close(np.sort(a.astype(float), axis=None), np.sort(b.astype(float), axis=None))
    if numbers_match and not is_binary(b):
        yield ("rearranged", ""), worth(a[~same])
    if (a == a.flat[0]).all() and not (b == b.flat[0]).all():
        yield ("constant", ""), np.count_nonzero(~same) / 1.5

    yield from of_truth(a, b)
    for axis in range(-1, -min(b.ndim, 2) - 1, -1):
        yield from _moved(a, b, axis)
    if b.dtype.kind == "b" and a.dtype.kind != "b" and (not is_binary(a) or not a[b].any()):
        for values in (a[b], a[~b]):
            if values.size and not (values == values[0]).all():
                break
        else:
            yield ("numbers_for_truth", ""), 0.0 if is_binary(a) else float(a.size) / 1.5
    if b.dtype.kind == "b" and is_binary(a):
        for axis in range(-1, -min(b.ndim, 2) - 1, -1):
            for (name, _), much in _moved(a, ~b, axis, ("", "complemented_and_moved")):
                if name:
                    yield (name, ""), much
        if close(a, (~b) * 1):
            yield ("complemented_and_moved", ""), 0.5
        yes = a.astype(bool)
        if (b | ~yes).all():
            yield ("too_few_true", ""), float(np.count_nonzero(~same)) / 1.5
        if (yes | ~b).all():
            yield ("too_many_true", ""), float(np.count_nonzero(~same)) / 1.5
    if b.ndim >= 3:
        rest = same[1:].reshape(len(b) - 1, -1).all(axis=-1) if len(b) > 1 else np.array([True])
        if same[0].all() and not rest.any() and 2 * np.count_nonzero(~same) > b[1:].size:
            yield ("first_only", ""), worth(b[1:])
        for place, what in ((0, "the first"), (-1, "the last")):
            if len(b) > 1 and close(a, np.broadcast_to(b[place], b.shape)):
                yield ("one_for_all", what), weight(a, np.broadcast_to(b[place], b.shape), b)
    if b.ndim >= 2:
        for axis, what in ((-1, "row"), (-2, "column")):
            rows: Array = np.atleast_1d(np.asarray(same.all(axis=axis)))
            rows = rows.reshape(-1, rows.shape[-1])
            # Where most of the other rows is right, they are no rows that nobody has looked at.
            others = np.count_nonzero(~rows) * b.shape[axis]
            if rows.shape[-1] < 3 or 2 * np.count_nonzero(~same) <= others:
                continue
            if rows[:, 0].all() and not rows[:, 1:].any():
                yield ("first_row_only", f"first {what}"), float(np.count_nonzero(~rows)) * 2
            if rows[:, -1].all() and not rows[:, :-1].any():
                yield ("first_row_only", f"last {what}"), float(np.count_nonzero(~rows)) * 2

    wrong = ~same
    if same.any() and wrong.any():
        yield from of_ends(a, b, wrong)
    if not is_binary(b) and (a[wrong] == 0).all() and same.any():
        yield ("zeros", ""), float(np.count_nonzero(wrong)) / 1.5
        yield from _of_zeros(b, wrong)
    if b.ndim >= 2 and b.shape[-1] > 1 and b.shape[-2] > 1 and not is_binary(b):
        more = b.shape[-1] - b.shape[-2]
        for corner in (0, more) if more > 0 else (0,):  # the first, and the last
            above = np.broadcast_to(np.triu(np.ones(b.shape[-2:]), corner + 1) > 0, b.shape)
            if (a[above] == 0).all() and (b[above] != 0).any() and (a[~above] != 0).any():
                yield ("zeros_above", ""), float(np.count_nonzero(above)) / 1.5
    for number, what in ((-np.inf, "-inf"), (np.inf, "inf")):
        if wrong.any() and not wrong.all() and (a[wrong] == number).all():
            yield ("infinite", what), float(np.count_nonzero(wrong))
    if (
        a.dtype.kind == "f"
        and wrong.any()
        and np.isfinite(b[wrong]).any()
        and not np.isfinite(a[wrong]).any()
    ):
        yield ("not_finite", ""), float(np.count_nonzero(wrong))
    if wrong.any() and (wrong == np.isinf(b)).all() and np.isfinite(a[wrong]).all():
        yield ("finite", ""), float(np.count_nonzero(wrong))


def _of_zeros(b: Array, wrong: Array) -> Iterator[Found]:
    """Which numbers it is in whose place an answer has zeros."""
    much, sizes = float(np.count_nonzero(wrong)) / 1.5, np.abs(b)
    if not wrong.any():
        return
    if b.ndim > 1 and (wrong == ((np.eye(*b.shape[-2:]) > 0) & (b != 0))).all():
        yield ("zeros_on_the_diagonal", ""), much
    others = sizes[~wrong & (b != 0)]
    if others.size and sizes[wrong].max() < others.min():
        yield ("small_are_zero", ""), much


def _moved(
    a: Array, b: Array, axis: int, names: tuple[str, str] = ("moved_by_one", "moved")
) -> Iterator[Found]:
    """Moved along an axis, where what comes in is the same everywhere."""
    a, b = np.moveaxis(a, axis, 0), np.moveaxis(b, axis, 0)
    what = axis_in_words(axis, a.ndim)
    found = set()
    for by in range(1, len(b) + 1):
        for kept, new, old in (
            (a[by:], a[:by], b[:-by]),
            (a[: len(a) - by], a[len(a) - by :], b[by:]),
        ):
            if close(kept, old) and (new == new.flat[0]).all():
                much = 0.5
                if old.size and (old != old.flat[0]).any():
                    different = ~np.isclose(a, b, ALIKE_RTOL, ALIKE_ATOL)
                    much = float(np.count_nonzero(different)) / 1.5
                for name in names if by == 1 else names[1:]:
                    found.add((name, much))

    for name, much in sorted(found):  # the one that says most comes last
        yield (name, what if name.startswith("moved") else ""), much


def in_blocks(b: Array) -> Iterator[tuple[Key, Array]]:
    """The entries of the last axis dealt out in turns, and its blocks in reverse order."""
    width = b.shape[-1] if b.ndim else 0
    for count in range(2, width // 2 + 1):
        if width % count == 0:
            blocks = b.reshape(*b.shape[:-1], count, width // count)
            what = axis_in_words(-1, b.ndim)
            yield ("dealt_out", what), blocks.swapaxes(-1, -2).reshape(b.shape)
            yield ("blocks_reversed", what), blocks[..., ::-1, :].reshape(b.shape)


def merged(b: Array) -> Iterator[tuple[Key, Array]]:
    """One entry of each axis, sums and means along it."""
    for axis in range(-1, -b.ndim - 1, -1) if b.ndim > 1 else ():
        if b.shape[axis] < 2:
            continue
        for key, less in (
            (("summed", axis_in_words(axis, b.ndim)), b.sum(axis, keepdims=True)),
            (("averaged", axis_in_words(axis, b.ndim)), b.mean(axis, keepdims=True)),
            (("one_of_all", "first"), b.take([0], axis)),
            (("one_of_all", "last"), b.take([-1], axis)),
        ):
            yield key, less
            yield key, less.squeeze(axis)
            if not is_binary(b):
                yield key, np.broadcast_to(less, b.shape)

        if b.dtype.kind == "b":
            yield ("merged_truth", "all"), np.asarray(b.all(axis, keepdims=True))
            yield ("merged_truth", "one or more"), np.asarray(b.any(axis, keepdims=True))


def of_ends(a: Array, b: Array, wrong: Array) -> Iterator[Found]:
    """Right up to some place along an axis and 0, or the same, from there on; or the other way
    round."""
    much = worth(b[wrong])
    for axis in range(-1, -b.ndim - 1, -1):
        lines = np.moveaxis(a, axis, 0)
        off = [bool(line.any()) for line in np.moveaxis(wrong, axis, 0)]
        first, behind = off.index(True), len(off) - off[::-1].index(True)
        what = axis_in_words(axis, b.ndim)

        for is_partial, part, empty, same in (
            (first > 0, lines[first:], "empty_from_there", "same_at_the_end"),
            (behind < len(off), lines[:behind], "empty_up_to_there", "same_at_the_beginning"),
        ):
            if is_partial and not is_binary(b) and (part == 0).all():
                yield (empty, what), much

            # Of an axis of length one, nothing is its rest.
            if is_binary(b) and (is_partial or len(off) == 1) and (part == part.flat[0]).all():
                yield (same, what), much if is_partial else 0.0


def of_truth(a: Array, b: Array) -> Iterator[Found]:
    """Every relation to truth values ``b`` of the same shape; one that shows in larger answers
    only explains small ones, too, and says nothing there."""
    if b.dtype.kind != "b" or not b.ndim:
        return
    yield from _numbered(a, b)
    if not is_binary(a):
        return

    yes = a.astype(bool)
    much = float(np.count_nonzero(yes != b)) / 1.5
    if not yes.any():
        yield ("nothing_true", ""), much
    for axis, line in ((-1, "column"), (-2, "row"), (-3, "one of the batch")):
        if b.ndim < max(-axis, 2):
            continue
        for name, what, places in (
            ("first_line_false", line, slice(0, 1)),
            ("last_line_false", line, slice(-1, None)),
            ("every_other", axis_in_words(axis, b.ndim), slice(1, None, 2)),
        ):
            changed = b.copy()
            np.moveaxis(changed, axis, 0)[places] = False
            if (changed == yes).all():
                yield (name, what), much
    if b.ndim == 2 and _is_band(yes, b):
        # Where nothing is missing, what is True is too much, and that says nothing of a band.
        yield ("band", ""), much if (b & ~yes).any() else 0.0


def _numbered(a: Array, b: Array) -> Iterator[Found]:
    """Numbers in the places that should be True: those of the places, or counts."""
    places = np.arange(b.shape[-1])
    for numbers in (b * places, b * (places + 1), b * b.cumsum(-1)):
        if close(a, numbers):
            yield ("places_for_truth", ""), 0.0 if is_binary(a) else worth(a)


def _is_band(yes: Array, b: Array) -> bool:
    """Whether just some diagonals side by side are True, and what they lack lies below them."""
    rows, columns = np.indices(b.shape)
    diagonals = columns - rows
    mine, missing = np.unique(diagonals[yes]), diagonals[b & ~yes]
    if not mine.size or (missing >= mine[0]).any():
        return False
    edge = diagonals[b].max(initial=-len(b))
    if mine[-1] - edge > edge - mine[0]:  # it leans to the other side
        return False
    return bool((yes == ((diagonals >= mine[0]) & (diagonals <= mine[-1]))).all())

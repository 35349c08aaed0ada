"""Relations along an axis: merged, its entries or blocks in another order, an end empty."""

from collections.abc import Iterator

import numpy as np

from autograder.tools.arithmetic import axis_in_words
from autograder.tools.likeness import Array, Found, Key, is_binary, worth


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

"""Relations along an axis: its entries or blocks in another order, or one of its ends empty."""

from collections.abc import Iterator

import numpy as np

from autograder.tools.arithmetic import axis_in_words
from autograder.tools.likeness import Array, Found, Key, worth


def in_blocks(b: Array) -> Iterator[tuple[Key, Array]]:
    """The entries of the last axis dealt out in turns, and its blocks in reverse order."""
    width = b.shape[-1] if b.ndim else 0
    for count in range(2, width // 2 + 1):
        if width % count == 0:
            blocks = b.reshape(*b.shape[:-1], count, width // count)
            what = axis_in_words(-1, b.ndim)
            yield ("dealt_out", what), blocks.swapaxes(-1, -2).reshape(b.shape)
            yield ("blocks_reversed", what), blocks[..., ::-1, :].reshape(b.shape)


def of_ends(a: Array, b: Array, wrong: Array) -> Iterator[Found]:
    """Right up to some place along an axis and 0 from there on, or the other way round."""
    for axis in range(-1, -b.ndim - 1, -1):
        lines = np.moveaxis(a, axis, 0)
        off = [bool(line.any()) for line in np.moveaxis(wrong, axis, 0)]
        first, behind = off.index(True), len(off) - off[::-1].index(True)
        what = axis_in_words(axis, b.ndim)
        if first > 0 and (lines[first:] == 0).all():
            yield ("empty_from_there", what), worth(b[wrong])
        if behind < len(off) and (lines[:behind] == 0).all():
            yield ("empty_up_to_there", what), worth(b[wrong])

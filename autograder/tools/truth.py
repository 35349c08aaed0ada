"""Relations between arrays of truth values: lines that are False throughout, bands, places."""

from collections.abc import Iterator

import numpy as np

from autograder.tools.arithmetic import axis_in_words
from autograder.tools.likeness import Array, Found, close, is_binary, worth


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

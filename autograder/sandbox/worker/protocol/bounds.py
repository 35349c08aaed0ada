"""Limits for values that cross, and how values are refused.

Limits are looked up here at each use, as in ``bounds.MAX_BYTES``, so a test can change them in one
place.
"""

from __future__ import annotations

import math

import numpy as np

MAX_BYTES = 4 << 20
"""Bytes of a frame: what a check computes with an answer takes several times as much."""

MAX_NUMBERS = MAX_BYTES // 8
"""Numbers of an array: checks compute in float64, whatever it holds. An axis of length 0 counts as
1."""

MAX_VALUES = 200_000
"""Values of a frame, including values within others."""

PACKED = 16
"""Numbers of a list or tuple from which they are written in one piece."""

MAX_DEPTH = 100
"""Nesting of values."""

MAX_AXES = 8
"""Axes of an array."""

MAX_DIGITS = 1_000
"""Digits of an integer; longer ones are slow to print."""

MAX_KEYS = 1_000
"""Entries of a dictionary or set; larger ones are slow to fill when their keys are chosen to
collide."""

MAX_RAISED = 8
"""Arguments of an exception."""

MAX_PRINTED = 100_000
"""Characters that a function may print in a call whose check reads them."""

_CODES = ("?", "<i1", "<i2", "<i4", "<i8", "<u1", "<u2", "<u4", "<u8", "<f4", "<f8", "<c8", "<c16")
DTYPES = tuple(map(np.dtype, _CODES))
"""The dtypes that can cross; a frame has the index in this list."""

TEXTS = 255
"""The index for an array of texts."""


class ProtocolError(Exception):
    """The bytes are not a frame that the protocol allows here."""


class CannotCross(TypeError):
    """A value of a kind that no check can use, in words for the student: "a masked array"."""


def numbers(shape: tuple[int, ...]) -> int:
    """How many numbers an array of this shape counts for.

    An axis of length 0 counts as 1, because it leaves a loop over the others.
    """
    return math.prod(shape) or math.prod(max(side, 1) for side in shape)


def are_wide(values: int, longest: int) -> bool:
    """Whether an array of this many texts is too large.

    NumPy gives each text the room of the longest.
    """
    return 4 * values * longest > MAX_BYTES

"""What may cross and how much of it: the limits, what measures values against them, and how they
are refused.

Whoever uses a limit looks it up here, ``bounds.MAX_BYTES``, so a test that leaves it out has one
place to do so.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

MAX_BYTES = 8 << 20
"""Bytes of a frame."""

MAX_NUMBERS = MAX_BYTES // 8
"""Numbers of an array: checks compute in float64, whatever it holds. An axis of length 0 counts as
1."""

MAX_VALUES = 200_000
"""Values of a frame, those within others counted too."""

MAX_DEPTH = 64
"""Values within values."""

MAX_AXES = 8
"""Axes of an array."""

MAX_DIGITS = 1_000
"""Digits of an integer; longer ones are slow to print."""

MAX_KEYS = 1_000
"""Entries of a dictionary; larger ones are slow to fill when their keys are chosen to collide."""

DTYPES = tuple(
    np.dtype(code)
    for code in ("?", "<i1", "<i2", "<i4", "<i8", "<u1", "<u2", "<u4", "<u8", "<f4", "<f8")
)
"""The dtypes that cross; in a frame stands the place in this list."""


class ProtocolError(Exception):
    """The bytes are not a frame that the protocol allows here."""


class CannotCross(TypeError):
    """A value of a kind that no check can use, in words for the student: "a set"."""


def numbers(shape: tuple[int, ...]) -> int:
    """How many numbers an array of this shape counts for.

    An axis of length 0 counts as 1, because it leaves a loop over the others.
    """
    return math.prod(shape) or math.prod(max(side, 1) for side in shape)


def are_wide(values: int, longest: int) -> bool:
    """Whether an array of so many texts is too large.

    NumPy gives each of them the room of the longest.
    """
    return 4 * values * longest > MAX_BYTES


def weigh(*values: Any) -> None:
    """Refuse what grows without bounds when it is walked.

    That is a list within itself, or one large part many times. Written out in full, without
    references, the values must be no more and no larger than a frame may hold.

    Raises:
        ProtocolError: they are.
    """
    if not all(map(_is_light, values)):  # as a rule they are
        _Scales().weigh(values, 0)


class _Scales:
    """Weighs values that may hold one part many times: each part is looked at once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[int, int, int]] = {}
        self._longest = 0

    def weigh(self, value: Any, depth: int) -> tuple[int, int, int]:
        """How many values, how many bytes, how deep."""
        if isinstance(value, (np.ndarray, np.generic)):
            return 1, 8 * numbers(value.shape), 1
        if isinstance(value, str):
            self._longest = max(self._longest, len(value))
        if not isinstance(value, (tuple, list, dict)):
            return 1, 8, 1

        if id(value) not in self._known:
            if depth > MAX_DEPTH:
                raise ProtocolError("a value within itself")
            self._known[id(value)] = self._container(value, depth)

        weight = self._known[id(value)]
        if depth + weight[2] > MAX_DEPTH + 1:
            raise ProtocolError("a value within itself")
        return weight

    def _container(self, value: Any, depth: int) -> tuple[int, int, int]:
        parts = [*value.keys(), *value.values()] if isinstance(value, dict) else value
        count, size, height = 1, 8, 0

        for part in parts:
            more, larger, higher = self.weigh(part, depth + 1)
            count, size, height = count + more, size + larger, max(height, higher)

        if count > MAX_VALUES or size > 2 * MAX_BYTES or are_wide(count, self._longest):
            raise ProtocolError("too many values")
        return count, size, height + 1


def _is_light(value: Any) -> bool:
    """Whether it holds a few arrays at most, no larger than the frames they came in."""
    if isinstance(value, (tuple, list)):
        if len(value) > 8:
            return False
        for part in value:  # no generator: this runs twice for every call
            if isinstance(part, (tuple, list, dict)):
                return False

    return not isinstance(value, dict)

"""Weighs values that have arrived: walking through them must not take unlimited time."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from autograder.sandbox.worker.protocol import bounds, records, tables
from autograder.sandbox.worker.protocol.bounds import ProtocolError


def weigh(*values: Any) -> None:
    """Refuse values that grow without limit when they are walked.

    Examples are a list within itself, or one large part many times. Written out in full, without
    references, a value must not be larger than a frame may be.

    Raises:
        ProtocolError: they are.
    """
    # Each by itself: a long text beside a long list of numbers makes no array.
    for value in values:
        if not _is_light(value):  # as a rule it is
            _Scales().weigh(value, 0)


class _Scales:
    """Weighs values that may hold one part many times: each part is looked at once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[int, int, int]] = {}
        self._longest = 0

    def weigh(self, value: Any, depth: int) -> tuple[int, int, int]:
        """The number of values, the number of bytes, the depth."""
        if isinstance(value, (np.ndarray, np.generic)):
            return 1, max(8, value.dtype.itemsize) * bounds.numbers(value.shape), 1
        if isinstance(value, (str, bytes)):
            self._longest = max(self._longest, len(value))

        parts = _parts(value)
        if parts is None:
            return 1, 8, 1

        if id(value) not in self._known:
            if depth > bounds.MAX_DEPTH:
                raise ProtocolError("a value within itself")
            self._known[id(value)] = self._container(parts, depth)

        weight = self._known[id(value)]
        if depth + weight[2] > bounds.MAX_DEPTH + 1:
            raise ProtocolError("a value within itself")
        return weight

    def _container(self, parts: Collection[Any], depth: int) -> tuple[int, int, int]:
        count, size, height = 1, 8, 0

        if _NUMBERS.issuperset(map(type, parts)):
            count, size, height = count + len(parts), size + 8 * len(parts), min(1, len(parts))
        else:
            for part in parts:
                more, larger, higher = self.weigh(part, depth + 1)
                count, size, height = count + more, size + larger, max(height, higher)

        if (
            count > bounds.MAX_VALUES
            or size > 2 * bounds.MAX_BYTES
            or bounds.are_wide(count, self._longest)
        ):
            raise ProtocolError("too many values")
        return count, size, height + 1


def _parts(value: Any) -> Collection[Any] | None:
    """The parts of a value; None if it has none."""
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    if isinstance(value, (tuple, list, set, frozenset)):
        return value
    if tables.is_table(value) or tables.is_index(value):
        return tables.parts_of(value)
    form = records.form_of(value)
    return None if form is None else records.values_of(value, form)


_NUMBERS = frozenset({float, int, bool, type(None)})
"""Kinds of values that weigh the same, whatever they are."""

_LIGHT = _NUMBERS | {np.ndarray, str, np.float64, np.bool_, np.int64}
"""The usual kinds of values that hold no others."""


def _is_light(value: Any) -> bool:
    """Whether it holds a few arrays at most, no larger than the frames they came in."""
    if type(value) is tuple or type(value) is list:
        return len(value) <= 8 and _LIGHT.issuperset(map(type, value))

    return type(value) in _LIGHT

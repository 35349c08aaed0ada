"""Dictionaries with something more: counters, those in order, those with a default."""

from __future__ import annotations

import collections
from typing import Any

from autograder.sandbox.worker.protocol.bounds import ProtocolError

_DEFAULTS = (None, int, float, str, list, dict, set, tuple)
"""What a missing entry of a ``defaultdict`` can become on the other side; any other factory is left
behind."""


def head(mapping: dict[Any, Any]) -> bytes:
    """What stands before a dictionary of a class of its own; nothing for one that is like any."""
    if isinstance(mapping, collections.Counter):
        return b"M\x00"
    if isinstance(mapping, collections.OrderedDict):
        return b"M\x01"
    if isinstance(mapping, collections.defaultdict):
        factory = mapping.default_factory
        for place, known in enumerate(_DEFAULTS):
            if known is factory:
                return b"M" + bytes([2 + place])
        return b"M\x02"
    return b""


def empty(kind: int) -> dict[Any, Any]:
    """An empty dictionary of the kind that ``head`` has told; ProtocolError if there is none."""
    if kind == 0:
        return collections.Counter()
    if kind == 1:
        return collections.OrderedDict()
    if kind - 2 < len(_DEFAULTS):
        return collections.defaultdict(_DEFAULTS[kind - 2])
    raise ProtocolError("no dictionary")

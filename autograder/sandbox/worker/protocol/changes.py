"""Reports which arguments a call has changed, and makes the same changes on the other side."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.sandbox.worker.protocol import records, tables
from autograder.sandbox.worker.protocol.bounds import CannotCross, ProtocolError
from autograder.sandbox.worker.protocol.decode import Decoder
from autograder.sandbox.worker.protocol.encode import Encoder


class Snapshot:
    """The arguments of a call, to report afterwards how the call has changed them."""

    def __init__(self, known: list[Any]) -> None:
        self._known = known
        self._before = [_state(thing) for thing in known]

    def write_changes(self, encoder: Encoder) -> None:
        """Append how many arguments have changed, then each one's number and new content."""
        changed = []
        for index, (thing, before) in enumerate(zip(self._known, self._before)):
            if isinstance(thing, np.ndarray) or tables.is_table(thing):
                is_unchanged = _state(thing) == before
            else:
                is_unchanged = _has_the_same_items(_state(thing), before)
            if not is_unchanged:
                changed.append(index)

        encoder.number(len(changed))
        for index in changed:
            encoder.number(index)
            encoder.content(self._known[index])


def read_changes(decoder: Decoder, arguments: int) -> list[tuple[Any, Any]]:
    """What ``write_changes`` wrote: pairs of an argument and its new content."""
    changes = []
    for _ in range(decoder.number()):
        index = decoder.number()
        if index >= arguments:
            raise ProtocolError("a change to nothing")
        changes.append((decoder.known[index], decoder.content()))
    return changes


def apply_changes(changes: list[tuple[Any, Any]]) -> None:
    """Make the changes that a call made to its arguments.

    Raises:
        ProtocolError: an argument cannot have that content.
    """
    for thing, content in changes:
        if isinstance(thing, np.ndarray) and isinstance(content, np.ndarray):
            _fill(thing, content)
        elif isinstance(thing, list) and isinstance(content, list):
            thing[:] = content
        elif isinstance(thing, set) and isinstance(content, set):
            thing.clear()
            thing.update(content)
        elif isinstance(thing, dict) and isinstance(content, dict):
            thing.clear()
            dict.update(thing, content)  # a counter's own would add
        elif tables.is_table(thing):
            tables.fill(thing, content)
        elif _can_hold(thing, content):
            records.fill(thing, content)
        else:
            raise ProtocolError("a change of kind")


def _can_hold(thing: Any, content: Any) -> bool:
    """Whether this is a dataclass object, and these are values for all of its fields."""
    form = records.form_of(thing) if isinstance(content, tuple) else None
    return form is not None and len(form.fields) == len(content)


def _fill(array: np.ndarray[Any, Any], content: np.ndarray[Any, Any]) -> None:
    if array.shape != content.shape:
        _reshape(array, content.shape)

    try:
        array.flags.writeable = True
        array[...] = content
        array.flags.writeable = content.flags.writeable
    except (ValueError, TypeError):
        raise ProtocolError("an array that cannot change") from None


def _reshape(array: np.ndarray[Any, Any], shape: tuple[int, ...]) -> None:
    # Never ``resize``: it would take the memory away from under the check's views. No student
    # needs it either, for the arrays that they get do not own their memory and cannot be resized.
    try:
        array.shape = shape
    except (ValueError, AttributeError):
        raise ProtocolError("an array that cannot change its shape") from None


def _state(thing: Any) -> Any:
    """The content by which a change is noticed: everything of an array or a table, the items of
    other values."""
    if isinstance(thing, np.ndarray):
        return thing.shape, thing.dtype, thing.flags.writeable, thing.tobytes()
    if isinstance(thing, dict):
        return list(thing.items())
    if tables.is_table(thing):
        return _written(thing)
    form = records.form_of(thing)
    return list(thing) if form is None else list(records.values_of(thing, form))


def _written(table: Any) -> bytes | None:
    """The bytes of a table; None if something in it cannot cross."""

    def refuse(value: Any) -> bytes:
        raise CannotCross("a function")

    encoder = Encoder(refuse)
    try:
        encoder.content(table)
    except CannotCross:
        return None
    return bytes(encoder.out)


def _has_the_same_items(now: list[Any], before: list[Any]) -> bool:
    if len(now) == len(before) and all(map(operator.is_, now, before)):
        return True

    flat_now, flat_before = list(_flat(now)), list(_flat(before))
    # Identity, not equality: items may be arrays, and a student's own objects may answer == with
    # anything.
    return len(flat_now) == len(flat_before) and all(map(operator.is_, flat_now, flat_before))


def _flat(state: list[Any]) -> Iterator[Any]:
    for item in state:
        yield from item if isinstance(item, tuple) else (item,)

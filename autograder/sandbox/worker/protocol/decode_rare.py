"""Reads the rarer kinds of values, each from behind its tag: what ``decode`` leaves to others."""

from __future__ import annotations

import math
import struct
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from autograder.sandbox.worker.protocol import bounds, mappings, records, spelled
from autograder.sandbox.worker.protocol.bounds import ProtocolError
from autograder.sandbox.worker.protocol.records import Form

if TYPE_CHECKING:
    from autograder.sandbox.worker.protocol.decode import Decoder

_COMPLEX = struct.Struct("<2d")


def texts(decoder: Decoder, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """An array of texts, all of one width."""
    width, count = decoder.number(), bounds.numbers(shape)
    if not width or count > bounds.MAX_NUMBERS or 4 * width * count > bounds.MAX_BYTES:
        raise ProtocolError("an array too large")

    data = bytearray(decoder.take(4 * width * math.prod(shape)))
    if data and int(np.frombuffer(data, "<u4").max()) > sys.maxunicode:
        raise ProtocolError("no text")

    decoder.longest = max(decoder.longest, width)
    decoder.values += math.prod(shape)
    decoder.narrow()
    array: np.ndarray[Any, Any] = np.ndarray(shape, f"<U{width}", data)
    return array


def complex_number(decoder: Decoder) -> complex:
    """A complex number."""
    return complex(*_COMPLEX.unpack(decoder.take(16)))


def binary(decoder: Decoder) -> bytes:
    """Bytes."""
    data = bytes(decoder.sized())
    decoder.longest = max(decoder.longest, len(data))
    return data


def spelled_value(decoder: Decoder) -> Any:
    """A fraction, a decimal, a date."""
    (number,) = decoder.take(1)
    if bytes(decoder.take(1)) != b"s":
        raise ProtocolError("no value of this spelling")
    return spelled.read(number, decoder.text())


def changing_set(decoder: Decoder) -> set[Any]:
    """A set, which gets a number."""
    found: set[Any] = set()
    decoder.known.append(found)
    found |= members(decoder)
    return found


def frozen_set(decoder: Decoder) -> frozenset[Any]:
    """A set that cannot change."""
    return frozenset(members(decoder))


def members(decoder: Decoder) -> set[Any]:
    """The members of a set."""
    found = decoder.several()
    if len(found) > bounds.MAX_KEYS:
        raise ProtocolError("a set too large")
    try:
        return set(found)
    except TypeError:
        raise ProtocolError("a member that cannot be one") from None


def dictionary(decoder: Decoder) -> dict[Any, Any]:
    """A dictionary of a class of its own, which gets a number."""
    (kind,) = decoder.take(1)
    mapping = mappings.empty(kind)
    decoder.known.append(mapping)
    if bytes(decoder.take(1)) != b"m":
        raise ProtocolError("no dictionary")
    return decoder.mapping(mapping)


def record(decoder: Decoder) -> Any:
    """A named tuple or a dataclass object; one that can change gets a number."""
    form = _form(decoder)
    class_of = decoder.find(b"o", form.name)
    if form.kind == "named tuple":
        return records.named_tuple(form, _fields(decoder, form), class_of)

    found = records.blank(form, class_of)
    if form.kind == "dataclass":
        decoder.known.append(found)
    records.fill(found, _fields(decoder, form))
    return found


def _form(decoder: Decoder) -> Form:
    (kind,) = decoder.take(1)
    names: list[str] = []
    while bytes(decoder.take(1)) == b"s" and len(names) <= records.MAX_FIELDS:
        names.append(decoder.text())
    if kind >= len(records.KINDS) or not names:
        raise ProtocolError("no record")

    form = Form(records.KINDS[kind], names[0], tuple(names[1:]))
    if not form.is_sound:
        raise ProtocolError("no record")
    return form


def _fields(decoder: Decoder, form: Form) -> list[Any]:
    if bytes(decoder.take(1)) != b"v":
        raise ProtocolError("no record")
    values = decoder.several()
    if len(values) != len(form.fields):
        raise ProtocolError("no record")
    return values

"""The rarer kinds of values, for which ``encode`` and ``decode`` use this module.

Fractions, decimals and dates cross as texts; their modules are loaded only when one of them
crosses. Counters and similar classes cross as dictionaries with a prefix.
"""

from __future__ import annotations

import collections
import importlib
import math
import re
import struct
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from autograder.sandbox.worker.protocol import bounds, records
from autograder.sandbox.worker.protocol.bounds import CannotCross, ProtocolError
from autograder.sandbox.worker.protocol.records import Form

if TYPE_CHECKING:
    from autograder.sandbox.worker.protocol.decode import Decoder

_COMPLEX = struct.Struct("<2d")

_DEFAULTS = (None, int, float, str, list, dict, set, tuple)
"""What a missing entry of a ``defaultdict`` can become on the other side; any other factory is left
behind."""


def head_of(mapping: dict[Any, Any]) -> bytes:
    """The prefix of a dictionary of a class of its own; empty for ordinary ones."""
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


def empty_mapping(kind: int) -> dict[Any, Any]:
    """An empty dictionary of the kind that ``head_of`` has named; ProtocolError if there is
    none."""
    if kind == 0:
        return collections.Counter()
    if kind == 1:
        return collections.OrderedDict()
    if kind - 2 < len(_DEFAULTS):
        return collections.defaultdict(_DEFAULTS[kind - 2])
    raise ProtocolError("no dictionary")


class _Spelling(NamedTuple):
    """How the values of a class are written and read."""

    module: str
    name: str
    write: Callable[[Any], str]
    read: Callable[[Any, str], Any]
    form: re.Pattern[str]


def _iso(value: Any) -> str:
    return str(value.isoformat())


def _from_iso(cls: Any, text: str) -> Any:
    return cls.fromisoformat(text)


def _from_text(cls: Any, text: str) -> Any:
    return cls(text)


_DIGITS = rf"[0-9]{{1,{bounds.MAX_DIGITS}}}"
_DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = r"[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{6})?([+-][0-9]{2}:[0-9]{2})?"

_SPELLINGS = (
    _Spelling("fractions", "Fraction", str, _from_text, re.compile(f"-?{_DIGITS}(/{_DIGITS})?")),
    # The exponent is short: one of nine digits makes an integer that fills all memory.
    _Spelling(
        "decimal",
        "Decimal",
        str,
        _from_text,
        re.compile(rf"-?({_DIGITS}(\.{_DIGITS})?(E[+-][0-9]{{1,3}})?|Infinity|NaN)"),
    ),
    _Spelling("datetime", "datetime", _iso, _from_iso, re.compile(f"{_DATE}T{_TIME}")),
    _Spelling("datetime", "date", _iso, _from_iso, re.compile(_DATE)),
)
"""Subclasses come before their base classes."""


def spell(value: Any) -> tuple[int, str] | None:
    """The number of a value's spelling and the text; None where it has none.

    Raises:
        CannotCross: it is too long.
    """
    for cls in type(value).__mro__:
        for number, spelling in enumerate(_SPELLINGS):
            if (cls.__module__, cls.__name__) != (spelling.module, spelling.name):
                continue
            try:
                text = spelling.write(value)
            except ValueError:  # Python writes no integer of more than 4300 digits
                text = ""
            if not spelling.form.fullmatch(text):
                raise CannotCross(f"a {spelling.name} of an unusual size or kind")
            return number, text
    return None


def unspell(number: int, text: str) -> Any:
    """The value that a text spells; ProtocolError if it spells none."""
    if number >= len(_SPELLINGS) or not _SPELLINGS[number].form.fullmatch(text):
        raise ProtocolError("no value of this spelling")

    spelling = _SPELLINGS[number]
    cls = getattr(importlib.import_module(spelling.module), spelling.name)
    try:
        return spelling.read(cls, text)
    except (ValueError, ArithmeticError):  # the 31st of February, a denominator of 0
        raise ProtocolError("no value of this spelling") from None


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
    return unspell(number, decoder.text())


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
    mapping = empty_mapping(kind)
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

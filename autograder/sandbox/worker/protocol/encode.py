"""Writes values as bytes: a tag byte, then raw bytes.

What crosses: None, booleans, integers, floats, complex numbers, fractions, decimals, dates, texts,
bytes, tuples, lists, sets, dictionaries (also counters and those with a default), named tuples and
dataclasses, NumPy arrays and scalars of numbers and texts, tables of pandas, and functions, nested.
What can change (arrays, lists, sets, dictionaries, dataclasses, tables) is numbered as it comes, so
that one object sent twice arrives as one. An iterator is read whole and arrives as a tuple.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from types import FunctionType
from typing import Any

import numpy as np

from autograder.sandbox.worker.protocol import bounds, rare, records, tables
from autograder.sandbox.worker.protocol.bounds import CannotCross
from autograder.sandbox.worker.protocol.records import Form

_CODES = {dtype: code for code, dtype in enumerate(bounds.DTYPES)}
_U32 = struct.Struct("<I")
_F64 = struct.Struct("<d")
_COMPLEX = struct.Struct("<2d")
_ARRAYS = tuple(struct.Struct(f"<cBBB{ndim}Q") for ndim in range(bounds.MAX_AXES + 1))
"""Heads of arrays, by number of axes: tag, dtype, writeable, number of axes, shape."""


class Elsewhere:
    """A function of the other side, as it is called here: the first fact known about such a
    value."""


class Encoder:
    """Writes values.

    Args:
        function: gives the tag and bytes that name a callable to the other side; or an object that
            ``stays`` says must not cross itself.
        known: what the other side knows by its number already.
        stays: whether an object stays here, and is named like a function.
    """

    def __init__(
        self,
        function: Callable[[Any], bytes],
        known: list[Any] | None = None,
        stays: Callable[[Any], bool] = lambda value: False,
    ) -> None:
        self.out = bytearray()
        self.known = known if known is not None else []
        self._index = {id(thing): index for index, thing in enumerate(self.known)}
        self._function = function
        self._stays = stays
        self._depth = 0
        self._values = 1
        self._longest = 0

    def value(self, value: Any) -> None:
        """Append one value.

        Raises:
            CannotCross: its kind is not one that crosses, or it is too large.
        """
        (_WRITERS.get(type(value)) or Encoder._rare)(self, value)

    def content(self, value: Any) -> None:
        """Append the content of a changeable value in full, even if it has a number already."""
        if isinstance(value, np.ndarray):
            self._array(value)
        elif isinstance(value, list):
            self._items(b"l", value)
        elif isinstance(value, set):
            self._items(b"e", _few(value, "set"))
        elif isinstance(value, dict):
            parts: list[Any] = []
            for entry in _few(value, "dictionary").items():
                parts += entry
            self._several(b"m" + _U32.pack(len(value)), parts)
        elif tables.is_table(value):
            self._items(b"p", tables.parts_of(value))
        else:
            form = records.form_of(value)
            assert form is not None
            self._items(b"v", records.values_of(value, form))

    def number(self, number: int) -> None:
        """Append a count or an index, in four bytes."""
        self.out += _U32.pack(number)

    def _array(self, value: np.ndarray[Any, Any]) -> None:
        code = _CODES.get(value.dtype) if type(value) is np.ndarray else None
        array = value if code is not None else _plain(value)
        if code is None:
            code = _CODES.get(array.dtype, bounds.TEXTS)

        shape = array.shape
        if len(shape) > bounds.MAX_AXES:
            raise CannotCross(f"an array of more than {bounds.MAX_AXES} axes")
        if bounds.numbers(shape) > bounds.MAX_NUMBERS:
            raise CannotCross(f"an array of more than {bounds.MAX_NUMBERS} numbers")

        self.out += _ARRAYS[len(shape)].pack(b"a", code, value.flags.writeable, len(shape), *shape)
        if code == bounds.TEXTS:
            self._width(array)
        self.out += array.tobytes()
        self._fits()

    def _width(self, array: np.ndarray[Any, Any]) -> None:
        """The characters of each text in an array."""
        width = array.dtype.itemsize // 4
        if 4 * width * bounds.numbers(array.shape) > bounds.MAX_BYTES:
            raise CannotCross(f"more than {bounds.MAX_BYTES >> 20} MB of text")
        self._longest = max(self._longest, width)
        self._values += array.size
        self.number(width)

    def _numbered(self, value: Any) -> None:
        index = self._index.get(id(value))
        if index is not None:
            self.out += b"r" + _U32.pack(index)
        else:
            self._index[id(value)] = len(self.known)
            self.known.append(value)
            self.content(value)

    def _tuple(self, value: tuple[Any, ...]) -> None:
        self._items(b"t", value)

    def _series(self, value: Any) -> None:
        self._items(b"t", tuple(islice(value, bounds.MAX_VALUES)))

    def _items(self, tag: bytes, values: Any) -> None:
        self._several(tag + _U32.pack(len(values)), values, may_pack=True)

    def _several(self, head: bytes, values: Any, may_pack: bool = False) -> None:
        self.out += head
        self._depth += 1
        self._values += len(values)

        if self._depth > bounds.MAX_DEPTH:
            raise CannotCross(f"something nested more than {bounds.MAX_DEPTH} deep")
        if self._values > bounds.MAX_VALUES:
            raise CannotCross(f"more than {bounds.MAX_VALUES} values")

        packed = _packed(values) if may_pack else b""
        self.out += packed
        if not packed:
            for value in values:
                (_WRITERS.get(type(value)) or Encoder._rare)(self, value)

        self._depth -= 1
        self._fits()
        if bounds.are_wide(self._values, self._longest):
            raise CannotCross(f"more than {bounds.MAX_BYTES >> 20} MB of text")

    def _none(self, _: None) -> None:
        self.out += b"N"

    def _truth(self, value: bool) -> None:
        self.out += b"T" if value else b"F"

    def _integer(self, value: int) -> None:
        if value.bit_length() > 3.3 * bounds.MAX_DIGITS:
            raise CannotCross(f"an integer of more than {bounds.MAX_DIGITS} digits")
        self._bytes(b"i", int(value).to_bytes(value.bit_length() // 8 + 1, "little", signed=True))

    def _real(self, value: float) -> None:
        self.out += b"d" + _F64.pack(value)

    def _text(self, value: str) -> None:
        self._longest = max(self._longest, len(value))
        self._bytes(b"s", str(value).encode("utf-8", "surrogatepass"))

    def _complex(self, value: complex) -> None:
        self.out += b"c" + _COMPLEX.pack(value.real, value.imag)

    def _binary(self, value: bytes | bytearray) -> None:
        self._longest = max(self._longest, len(value))
        self._bytes(b"b", bytes(value))

    def _frozen_set(self, value: frozenset[Any]) -> None:
        self._items(b"f", _few(value, "set"))

    def _mapping(self, value: dict[Any, Any]) -> None:
        """A dictionary of a class of its own."""
        if id(value) not in self._index:
            self.out += rare.head_of(value)
        self._numbered(value)

    def _record(self, value: Any, form: Form) -> None:
        if not form.is_sound:
            raise CannotCross(words(value))
        if id(value) in self._index:
            self._numbered(value)
            return

        self.out += b"o" + bytes([records.KINDS.index(form.kind)])
        for name in (form.name, *form.fields):
            self._text(name)
        self.out += b";"
        if form.kind == "dataclass":
            self._numbered(value)
        else:
            self._items(b"v", records.values_of(value, form))

    def _scalar(self, value: np.generic) -> None:
        array = _plain(np.asarray(value))
        self.out += b"x" + bytes([_CODES[array.dtype]]) + array.tobytes()

    def _callable(self, value: Any) -> None:
        self.out += self._function(value)

    def _bytes(self, tag: bytes, data: bytes) -> None:
        self.out += tag + _U32.pack(len(data)) + data
        self._fits()

    def _fits(self) -> None:
        if len(self.out) > bounds.MAX_BYTES:
            raise CannotCross(f"more than {bounds.MAX_BYTES >> 20} MB")

    def _rare(self, value: Any) -> None:
        """A value of a class derived from a usual one, or of a rarer kind."""
        if isinstance(value, Elsewhere):
            self._callable(value)
            return
        if isinstance(value, np.generic) and not isinstance(value, (str, bytes)):
            self._scalar(value)  # some of these are floats as well
            return
        if self._stays(value):
            self._callable(value)
            return

        form = records.form_of(value)
        if form is not None:
            self._record(value, form)
            return
        if isinstance(value, dict):
            self._mapping(value)
            return
        if tables.is_table(value):
            self._numbered(value)
            return
        if tables.is_index(value):
            self._items(b"q", tables.parts_of(value))
            return

        for kind, writer in _WRITERS.items():
            if isinstance(value, kind):
                writer(self, value)
                return

        spelling = rare.spell(value)
        if spelling is not None:
            self.out += b"k" + bytes([spelling[0]])
            self._text(spelling[1])
        elif isinstance(value, (range, Iterator)):
            self._series(value)
        elif callable(value):
            self._callable(value)
        else:
            raise CannotCross(words(value))


_WRITERS: dict[type, Callable[[Encoder, Any], None]] = {
    np.ndarray: Encoder._numbered,
    list: Encoder._numbered,
    dict: Encoder._numbered,
    tuple: Encoder._tuple,
    str: Encoder._text,
    float: Encoder._real,
    int: Encoder._integer,
    bool: Encoder._truth,
    type(None): Encoder._none,
    set: Encoder._numbered,
    frozenset: Encoder._frozen_set,
    bytes: Encoder._binary,
    bytearray: Encoder._binary,
    complex: Encoder._complex,
    FunctionType: Encoder._callable,
}
"""How to write a value, by its exact type: the usual case, as a submission sends thousands."""


def _packed(values: Any) -> bytes:
    """Many numbers of one type in one piece; empty if they are something else.

    A list of a thousand tokens is written and read some ten times as fast as one by one.
    """
    if len(values) < bounds.PACKED:
        return b""
    kinds = set(map(type, values))
    if kinds == {float}:
        return b"D" + struct.pack(f"<{len(values)}d", *values)
    if kinds == {int}:
        with suppress(struct.error):  # more than eight bytes
            return b"I" + struct.pack(f"<{len(values)}q", *values)
    return b""


def _few(values: Any, what: str) -> Any:
    if len(values) > bounds.MAX_KEYS:
        raise CannotCross(f"a {what} of more than {bounds.MAX_KEYS} entries")
    return values


def _plain(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The same numbers or texts as a plain little-endian array of a dtype that crosses."""
    if type(array) is np.ndarray and array.dtype in _CODES:  # nearly always
        return array
    if isinstance(array, np.ma.MaskedArray):
        raise CannotCross("a masked array")

    array = np.asarray(array)
    if array.dtype.kind == "U":
        return array.astype(f"<U{array.dtype.itemsize // 4 or 1}", copy=False)
    if array.dtype.kind == "f" and array.dtype.itemsize not in (4, 8):
        array = array.astype("<f4" if array.dtype.itemsize < 4 else "<f8")
    if array.dtype.kind == "c" and array.dtype.itemsize > 16:
        array = array.astype("<c16")

    dtype = array.dtype.newbyteorder("<")
    if dtype not in _CODES:
        raise CannotCross(f"an array of dtype {str(array.dtype)[:40]}")
    return array.astype(dtype, copy=False)


def words(value: Any) -> str:
    """The kind of a value that cannot cross, for the student."""
    name = type(value).__name__
    if name.isidentifier() and len(name) <= 40:
        return f"a value of type {name}"
    return "a value of an unusual type"

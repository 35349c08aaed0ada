"""Reads values from the bytes of the other side, and trusts none of them."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.sandbox.worker.protocol import bounds, rare, tables
from autograder.sandbox.worker.protocol.bounds import ProtocolError
from autograder.sandbox.worker.protocol.frames import Payload

_U32 = struct.Struct("<I")
_F64 = struct.Struct("<d")
_HEAD = struct.Struct("<BBB")
"""For an array: its dtype, whether it is writeable, its number of axes."""
_SHAPES = tuple(struct.Struct(f"<{ndim}Q") for ndim in range(bounds.MAX_AXES + 1))
"""Shapes of arrays, by number of axes."""

Name = int | str | tuple[int, int]
"""How the other side names a function, or an object: by its number, and the number of its class."""


class Decoder:
    """Reads values from one payload.

    Args:
        find: makes what stands for a function or an object of the other side, from the tag and its
            number or name; for the tag ``o`` and a name, what gives the class of a record, or None.
        known: what has a number already.
    """

    def __init__(
        self,
        payload: Payload,
        find: Callable[[bytes, Name], Any],
        known: list[Any] | None = None,
    ) -> None:
        self._data = memoryview(payload)
        self._size = len(payload)
        self._at = 0
        self.values = 1
        self.longest = 0
        self._depth = 0
        self.known = known if known is not None else []
        self.find = find

    def value(self) -> Any:
        """The next value.

        Raises:
            ProtocolError: the bytes are not a value.
        """
        at = self._at
        if at >= self._size:
            raise ProtocolError("a value that ends too soon")

        self._at = at + 1
        reader = _READERS.get(self._data[at])
        if reader is None:
            raise ProtocolError("an unknown tag")
        return reader(self)

    def end(self) -> None:
        """Refuse further bytes after the last value, and texts that would be too wide in one
        array."""
        if self._at != self._size:
            raise ProtocolError("bytes after the value")
        self.narrow()

    def content(self) -> Any:
        """The new content of a numbered value: of an array, a list, a set, a dictionary, or a tuple
        of the fields of a dataclass object."""
        readers: dict[bytes, Callable[[], Any]] = {
            b"a": self._array,
            b"l": self.several,
            b"e": lambda: rare.members(self),
            b"m": self.mapping,
            b"v": self._tuple,
            b"p": self._table,
        }
        reader = readers.get(bytes(self.take(1)))
        if reader is None:
            raise ProtocolError("no content")
        return reader()

    def number(self) -> int:
        """The next four bytes: a count or an index."""
        number: int = self._unpacked(_U32)[0]
        return number

    def _array(self) -> np.ndarray[Any, Any]:
        code, writeable, ndim = self._unpacked(_HEAD)
        if writeable > 1 or ndim > bounds.MAX_AXES:
            raise ProtocolError("no array")
        shape = self._unpacked(_SHAPES[ndim])
        array = rare.texts(self, shape) if code == bounds.TEXTS else self._filled(code, shape)
        if not writeable:
            array.flags.writeable = False
        return array

    def _filled(self, code: int, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
        # Sizes are Python integers, and are compared with the bytes that have arrived before NumPy
        # sees them.
        if code >= len(bounds.DTYPES):
            raise ProtocolError("an unknown dtype")
        size = math.prod(shape)
        if (size or bounds.numbers(shape)) > bounds.MAX_NUMBERS:
            raise ProtocolError("an array too large")

        dtype = bounds.DTYPES[code]
        data = bytearray(self.take(size * dtype.itemsize))
        if code == 0 and data.translate(None, b"\0\1"):
            raise ProtocolError("booleans that are neither")

        try:
            array: np.ndarray[Any, Any] = np.ndarray(shape, dtype, data)
        except (ValueError, TypeError):
            raise ProtocolError("no array") from None
        return array

    def _numbered_array(self) -> np.ndarray[Any, Any]:
        array = self._array()
        self.known.append(array)
        return array

    def _scalar(self) -> Any:
        (code,) = self.take(1)
        return self._filled(code, ())[()]

    def _none(self) -> None:
        return None

    def _true(self) -> bool:
        return True

    def _false(self) -> bool:
        return False

    def _integer(self) -> int:
        data = self.sized()
        if len(data) > bounds.MAX_DIGITS:
            raise ProtocolError("an integer too long")
        return int.from_bytes(data, "little", signed=True)

    def _real(self) -> float:
        number: float = self._unpacked(_F64)[0]
        return number

    def text(self) -> str:
        """The next text, after its tag."""
        try:
            text = str(self.sized(), "utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise ProtocolError("no text") from None
        self.longest = max(self.longest, len(text))
        return text

    def _known(self) -> Any:
        index = self.number()
        if index >= len(self.known):
            raise ProtocolError("a reference to nothing")
        return self.known[index]

    def _tuple(self) -> tuple[Any, ...]:
        return tuple(self.several())

    def _list(self) -> list[Any]:
        items: list[Any] = []
        self.known.append(items)
        items += self.several()
        return items

    def _table(self) -> Any:
        return tables.table(self.several())

    def _numbered_table(self) -> Any:
        place = len(self.known)
        self.known.append(None)  # its parts have later numbers
        self.known[place] = found = self._table()
        return found

    def _index(self) -> Any:
        return tables.index(self.several())

    def several(self) -> list[Any]:
        """The values of a container: how many, then each, or all numbers in one piece."""
        count = self._enter(1)
        packed = _PACKED.get(self._data[self._at]) if self._at < self._size else None

        if packed and count >= bounds.PACKED:
            self._at += 1
            items = list(struct.unpack(f"<{count}{packed}", self.take(8 * count)))
        else:
            value = self.value
            items = [value() for _ in range(count)]

        self._depth -= 1
        return items

    def _dictionary(self) -> dict[Any, Any]:
        mapping: dict[Any, Any] = {}
        self.known.append(mapping)
        return self.mapping(mapping)

    def mapping(self, mapping: dict[Any, Any] | None = None) -> dict[Any, Any]:
        """The entries of a dictionary, put into ``mapping`` if that is given."""
        if mapping is None:
            mapping = {}
        count = self._enter(2)
        if count > bounds.MAX_KEYS:
            raise ProtocolError("a dictionary too large")

        for _ in range(count):
            key = self.value()
            try:
                mapping[key] = self.value()
            except TypeError:
                raise ProtocolError("a key that cannot be one") from None

        self._depth -= 1
        return mapping

    def narrow(self) -> None:
        """Refuse texts that would be too wide in one array."""
        if bounds.are_wide(self.values, self.longest):
            raise ProtocolError("too much text")

    def _enter(self, each: int) -> int:
        """The number of entries of a container, with this many values each."""
        count = self.number()
        self.values += each * count
        self._depth += 1
        if self.values > bounds.MAX_VALUES or self._depth > bounds.MAX_DEPTH:
            raise ProtocolError("too many values")
        return count

    def _here(self) -> Any:
        return self.find(b"g", self.number())

    def _there(self) -> Any:
        return self.find(b"w", self.number())

    def _object(self) -> Any:
        return self.find(b"h", (self.number(), self.number()))

    def _named(self) -> Any:
        return self.find(b"n", str(self.sized(), "ascii", "replace"))

    def sized(self) -> memoryview:
        """The next bytes, after their number."""
        return self.take(self.number())

    def _unpacked(self, form: struct.Struct) -> tuple[Any, ...]:
        """The next bytes, read in this form."""
        at = self._at
        self._at = at + form.size
        try:
            return form.unpack_from(self._data, at)
        except struct.error:
            raise ProtocolError("a value that ends too soon") from None

    def take(self, size: int) -> memoryview:
        """The next bytes."""
        start, end = self._at, self._at + size
        if end > self._size:
            raise ProtocolError("a value that ends too soon")
        self._at = end
        return self._data[start:end]


_PACKED = {ord("D"): "d", ord("I"): "q"}
"""How the numbers of a container are packed, by the tag before the first."""

_READERS: dict[int, Callable[[Decoder], Any]] = {
    ord("a"): Decoder._numbered_array,
    ord("N"): Decoder._none,
    ord("T"): Decoder._true,
    ord("F"): Decoder._false,
    ord("i"): Decoder._integer,
    ord("d"): Decoder._real,
    ord("s"): Decoder.text,
    ord("x"): Decoder._scalar,
    ord("t"): Decoder._tuple,
    ord("r"): Decoder._known,
    ord("l"): Decoder._list,
    ord("m"): Decoder._dictionary,
    ord("g"): Decoder._here,
    ord("w"): Decoder._there,
    ord("h"): Decoder._object,
    ord("e"): rare.changing_set,
    ord("f"): rare.frozen_set,
    ord("M"): rare.dictionary,
    ord("o"): rare.record,
    ord("b"): rare.binary,
    ord("c"): rare.complex_number,
    ord("k"): rare.spelled_value,
    ord("n"): Decoder._named,
    ord("p"): Decoder._numbered_table,
    ord("q"): Decoder._index,
}

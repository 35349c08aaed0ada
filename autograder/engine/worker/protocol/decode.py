"""Reads values from the bytes that the other side has sent, trusting nothing in them."""

from __future__ import annotations

import math
import struct
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.engine.worker.protocol import bounds, mappings, records, spelled
from autograder.engine.worker.protocol.bounds import ProtocolError
from autograder.engine.worker.protocol.frames import Payload
from autograder.engine.worker.protocol.records import Form

_U32 = struct.Struct("<I")
_F64 = struct.Struct("<d")
_COMPLEX = struct.Struct("<2d")
_SHAPES = tuple(struct.Struct(f"<{ndim}Q") for ndim in range(bounds.MAX_AXES + 1))
"""Shapes of arrays, by number of axes."""

Name = int | str | tuple[int, int]
"""How the other side names a function, or an object: by its number, and that of its class."""


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
        self._values = 1
        self._longest = 0
        self._depth = 0
        self.known = known if known is not None else []
        self._find = find

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
        """Refuse bytes after the last value."""
        if self._at != self._size:
            raise ProtocolError("bytes after the value")

    def content(self) -> Any:
        """The new content of what has a number: an array, a list, a set, a dictionary, a tuple of
        what a dataclass object holds."""
        readers: dict[bytes, Callable[[], Any]] = {
            b"a": self._array,
            b"l": self._several,
            b"e": self._members,
            b"m": self._mapping,
            b"v": self._tuple,
        }
        reader = readers.get(bytes(self._take(1)))
        if reader is None:
            raise ProtocolError("no content")
        return reader()

    def number(self) -> int:
        """The next four bytes: a count or an index."""
        number: int = _U32.unpack(self._take(4))[0]
        return number

    def _array(self) -> np.ndarray[Any, Any]:
        code, writeable, ndim = self._take(3)
        if writeable > 1 or ndim > bounds.MAX_AXES:
            raise ProtocolError("no array")
        shape = _SHAPES[ndim].unpack(self._take(8 * ndim))
        array = self._texts(shape) if code == bounds.TEXTS else self._filled(code, shape)
        if not writeable:
            array.flags.writeable = False
        return array

    def _filled(self, code: int, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
        # Sizes are Python integers and are held against the bytes that have arrived before NumPy
        # sees them.
        if code >= len(bounds.DTYPES):
            raise ProtocolError("an unknown dtype")
        if bounds.numbers(shape) > bounds.MAX_NUMBERS:
            raise ProtocolError("an array too large")

        dtype = bounds.DTYPES[code]
        data = bytearray(self._take(math.prod(shape) * dtype.itemsize))
        if code == 0 and data.translate(None, b"\0\1"):
            raise ProtocolError("booleans that are neither")

        try:
            array: np.ndarray[Any, Any] = np.ndarray(shape, dtype, data)
        except (ValueError, TypeError):
            raise ProtocolError("no array") from None
        return array

    def _texts(self, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
        width, count = self.number(), bounds.numbers(shape)
        if not width or count > bounds.MAX_NUMBERS or 4 * width * count > bounds.MAX_BYTES:
            raise ProtocolError("an array too large")

        data = bytearray(self._take(4 * width * math.prod(shape)))
        if data and int(np.frombuffer(data, "<u4").max()) > sys.maxunicode:
            raise ProtocolError("no text")

        self._longest = max(self._longest, width)
        self._values += math.prod(shape)
        self._narrow()
        array: np.ndarray[Any, Any] = np.ndarray(shape, f"<U{width}", data)
        return array

    def _numbered_array(self) -> np.ndarray[Any, Any]:
        array = self._array()
        self.known.append(array)
        return array

    def _scalar(self) -> Any:
        (code,) = self._take(1)
        return self._filled(code, ())[()]

    def _none(self) -> None:
        return None

    def _true(self) -> bool:
        return True

    def _false(self) -> bool:
        return False

    def _integer(self) -> int:
        data = self._sized()
        if len(data) > bounds.MAX_DIGITS:
            raise ProtocolError("an integer too long")
        return int.from_bytes(data, "little", signed=True)

    def _real(self) -> float:
        number: float = _F64.unpack(self._take(8))[0]
        return number

    def _text(self) -> str:
        try:
            text = str(self._sized(), "utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise ProtocolError("no text") from None
        self._longest = max(self._longest, len(text))
        return text

    def _complex(self) -> complex:
        return complex(*_COMPLEX.unpack(self._take(16)))

    def _binary(self) -> bytes:
        data = bytes(self._sized())
        self._longest = max(self._longest, len(data))
        return data

    def _spelled(self) -> Any:
        (number,) = self._take(1)
        if bytes(self._take(1)) != b"s":
            raise ProtocolError("no value of this spelling")
        return spelled.read(number, self._text())

    def _known(self) -> Any:
        index = self.number()
        if index >= len(self.known):
            raise ProtocolError("a reference to nothing")
        return self.known[index]

    def _tuple(self) -> tuple[Any, ...]:
        return tuple(self._several())

    def _list(self) -> list[Any]:
        items: list[Any] = []
        self.known.append(items)
        items += self._several()
        return items

    def _several(self) -> list[Any]:
        count = self._enter(1)
        value = self.value
        items = [value() for _ in range(count)]
        self._depth -= 1
        self._narrow()
        return items

    def _set(self) -> set[Any]:
        members: set[Any] = set()
        self.known.append(members)
        members |= self._members()
        return members

    def _frozen_set(self) -> frozenset[Any]:
        return frozenset(self._members())

    def _members(self) -> set[Any]:
        members = self._several()
        if len(members) > bounds.MAX_KEYS:
            raise ProtocolError("a set too large")
        try:
            return set(members)
        except TypeError:
            raise ProtocolError("a member that cannot be one") from None

    def _dictionary(self) -> dict[Any, Any]:
        mapping: dict[Any, Any] = {}
        self.known.append(mapping)
        return self._mapping(mapping)

    def _rare_dictionary(self) -> dict[Any, Any]:
        (kind,) = self._take(1)
        mapping = mappings.empty(kind)
        self.known.append(mapping)
        if bytes(self._take(1)) != b"m":
            raise ProtocolError("no dictionary")
        return self._mapping(mapping)

    def _record(self) -> Any:
        form = self._form()
        class_of = self._find(b"o", form.name)
        if form.kind != "dataclass":
            values = self._fields(form)
            if form.kind == "named tuple":
                return records.named_tuple(form, values, class_of)
            record = records.blank(form, class_of)
        else:
            record = records.blank(form, class_of)
            self.known.append(record)
            values = self._fields(form)

        records.fill(record, values)
        return record

    def _form(self) -> Form:
        (kind,) = self._take(1)
        names: list[str] = []
        while bytes(self._take(1)) == b"s" and len(names) <= records.MAX_FIELDS:
            names.append(self._text())
        if kind >= len(records.KINDS) or not names:
            raise ProtocolError("no record")

        form = Form(records.KINDS[kind], names[0], tuple(names[1:]))
        if not form.is_sound:
            raise ProtocolError("no record")
        return form

    def _fields(self, form: Form) -> list[Any]:
        if bytes(self._take(1)) != b"v":
            raise ProtocolError("no record")
        values = self._several()
        if len(values) != len(form.fields):
            raise ProtocolError("no record")
        return values

    def _mapping(self, mapping: dict[Any, Any] | None = None) -> dict[Any, Any]:
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
        self._narrow()
        return mapping

    def _narrow(self) -> None:
        if bounds.are_wide(self._values, self._longest):
            raise ProtocolError("too much text")

    def _enter(self, each: int) -> int:
        """How many entries a container has, of so many values each."""
        count = self.number()
        self._values += each * count
        self._depth += 1
        if self._values > bounds.MAX_VALUES or self._depth > bounds.MAX_DEPTH:
            raise ProtocolError("too many values")
        return count

    def _here(self) -> Any:
        return self._find(b"g", self.number())

    def _there(self) -> Any:
        return self._find(b"w", self.number())

    def _object(self) -> Any:
        return self._find(b"h", (self.number(), self.number()))

    def _named(self) -> Any:
        return self._find(b"n", str(self._sized(), "ascii", "replace"))

    def _sized(self) -> memoryview:
        return self._take(_U32.unpack(self._take(4))[0])

    def _take(self, size: int) -> memoryview:
        start, end = self._at, self._at + size
        if end > self._size:
            raise ProtocolError("a value that ends too soon")
        self._at = end
        return self._data[start:end]


_READERS: dict[int, Callable[[Decoder], Any]] = {
    ord("a"): Decoder._numbered_array,
    ord("N"): Decoder._none,
    ord("T"): Decoder._true,
    ord("F"): Decoder._false,
    ord("i"): Decoder._integer,
    ord("d"): Decoder._real,
    ord("s"): Decoder._text,
    ord("x"): Decoder._scalar,
    ord("t"): Decoder._tuple,
    ord("r"): Decoder._known,
    ord("l"): Decoder._list,
    ord("m"): Decoder._dictionary,
    ord("g"): Decoder._here,
    ord("w"): Decoder._there,
    ord("h"): Decoder._object,
    ord("e"): Decoder._set,
    ord("f"): Decoder._frozen_set,
    ord("M"): Decoder._rare_dictionary,
    ord("o"): Decoder._record,
    ord("b"): Decoder._binary,
    ord("c"): Decoder._complex,
    ord("k"): Decoder._spelled,
    ord("n"): Decoder._named,
}

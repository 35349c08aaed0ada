"""Frames between the grader and a worker: a fixed header and raw bytes, never pickle.

A frame is a header (magic, kind, nonce, length) and one encoded value. The nonce is drawn by the grader
for each request and must come back, so that a reply cannot be written before its request. Reading a frame
allocates no more than the bytes that have arrived, and no more than ``MAX_BYTES``.

A value is a tag byte and raw bytes: None, booleans, integers, floats, strings, tuples, lists, dictionaries,
NumPy arrays and scalars of real dtype, and functions, nested. Arrays, lists and dictionaries are numbered as
they come, so that one object sent twice arrives as one.
"""

from __future__ import annotations

import math
import socket
import struct
import time
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np

Payload = bytes | bytearray
MAGIC = b"ATG1"
HEADER = struct.Struct("<4sB3x16sQ")
MAX_BYTES = 8 << 20
# Checks compute in float64, whatever an array holds. An axis of length 0 leaves a loop over the others.
MAX_NUMBERS = MAX_BYTES // 8
MAX_VALUES = 200_000
MAX_DEPTH = 64
MAX_AXES = 8
# Integers of more digits are slow to print, larger dictionaries slow to fill when their keys are chosen to collide.
MAX_DIGITS = 1_000
MAX_KEYS = 1_000

# Kinds of frames. The grader asks with RUN and CALL; both sides answer with RETURN or RAISE.
RUN, CALL, RETURN, RAISE = 1, 2, 3, 4

DTYPES = tuple(np.dtype(code) for code in ("?", "<i1", "<i2", "<i4", "<i8", "<u1", "<u2", "<u4", "<u8", "<f4", "<f8"))
_CODES = {dtype: code for code, dtype in enumerate(DTYPES)}
_U32 = struct.Struct("<I")
_F64 = struct.Struct("<d")
_ARRAYS = tuple(struct.Struct(f"<cBBB{ndim}Q") for ndim in range(MAX_AXES + 1))
_SHAPES = tuple(struct.Struct(f"<{ndim}Q") for ndim in range(MAX_AXES + 1))


class ProtocolError(Exception):
    """The bytes are not a frame that the protocol allows here."""


class CannotCross(TypeError):
    """A value of a kind that no check can use, in words for the student: "a set"."""


def send(sock: socket.socket, kind: int, nonce: bytes, payload: Payload) -> None:
    """Send one frame; OSError (also a timeout) when the other side does not take it."""
    sock.sendall(HEADER.pack(MAGIC, kind, nonce, len(payload)) + payload)


def receive(sock: socket.socket, deadline: float | None = None) -> tuple[int, bytes, Payload]:
    """Read one frame: its kind, nonce and payload.

    Raises:
        TimeoutError: ``deadline`` (of ``time.monotonic``) has passed.
        EOFError: the other side has gone.
        ProtocolError: not a frame.
    """
    magic, kind, nonce, size = HEADER.unpack(_exactly(sock, HEADER.size, deadline))
    if magic != MAGIC or kind not in (RUN, CALL, RETURN, RAISE):
        raise ProtocolError("no frame header")
    if size > MAX_BYTES:
        raise ProtocolError(f"a frame of more than {MAX_BYTES} bytes")
    return kind, nonce, _exactly(sock, size, deadline)


def _exactly(sock: socket.socket, size: int, deadline: float | None) -> bytearray:
    chunks = bytearray()
    while len(chunks) < size:
        if deadline is not None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            sock.settimeout(left)
        chunk = sock.recv(min(size - len(chunks), 1 << 16))
        if not chunk:
            raise EOFError
        chunks += chunk
    return chunks


class Encoder:
    """Writes values; ``function`` says how a callable is named to the other side (tag and bytes)."""

    def __init__(self, function: Callable[[Any], bytes], known: list[Any] | None = None) -> None:
        self.out = bytearray()
        self.known = known if known is not None else []
        self._index = {id(thing): index for index, thing in enumerate(self.known)}
        self._function = function
        self._depth = 0
        self._values = 1
        self._longest = 0

    def value(self, value: Any) -> None:
        """Append one value.

        Raises:
            CannotCross: its kind is not one that crosses, or it is too large.
        """
        (_WRITERS.get(type(value)) or _writer(value))(self, value)

    def content(self, value: Any) -> None:
        """Append an array, list or dictionary in full, also where it has a number already."""
        if isinstance(value, np.ndarray):
            array = _plain(value)
            if array.ndim > MAX_AXES:
                raise CannotCross(f"an array of more than {MAX_AXES} axes")
            if numbers(array.shape) > MAX_NUMBERS:
                raise CannotCross(f"an array of more than {MAX_NUMBERS} numbers")
            code, shape = _CODES[array.dtype], array.shape
            self.out += _ARRAYS[len(shape)].pack(b"a", code, value.flags.writeable, len(shape), *shape)
            self.out += array.tobytes()
            self._fits()
        elif isinstance(value, list):
            self._items(b"l", value)
        else:
            if len(value) > MAX_KEYS:
                raise CannotCross(f"a dictionary of more than {MAX_KEYS} entries")
            self._several(b"m" + _U32.pack(len(value)), [part for entry in value.items() for part in entry])

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
        self._items(b"t", tuple(islice(value, MAX_VALUES)))

    def _items(self, tag: bytes, values: Any) -> None:
        self._several(tag + _U32.pack(len(values)), values)

    def _several(self, head: bytes, values: Any) -> None:
        self.out += head
        self._depth += 1
        self._values += len(values)
        if self._depth > MAX_DEPTH:
            raise CannotCross(f"something nested more than {MAX_DEPTH} deep")
        if self._values > MAX_VALUES:
            raise CannotCross(f"more than {MAX_VALUES} values")
        for value in values:
            (_WRITERS.get(type(value)) or _writer(value))(self, value)
        self._depth -= 1
        self._fits()
        if are_wide(self._values, self._longest):
            raise CannotCross(f"more than {MAX_BYTES >> 20} MB of text")

    def _none(self, _: None) -> None:
        self.out += b"N"

    def _truth(self, value: bool) -> None:
        self.out += b"T" if value else b"F"

    def _integer(self, value: int) -> None:
        if value.bit_length() > 3.3 * MAX_DIGITS:
            raise CannotCross(f"an integer of more than {MAX_DIGITS} digits")
        self._bytes(b"i", int(value).to_bytes(value.bit_length() // 8 + 1, "little", signed=True))

    def _real(self, value: float) -> None:
        self.out += b"d" + _F64.pack(value)

    def _text(self, value: str) -> None:
        self._longest = max(self._longest, len(value))
        self._bytes(b"s", str(value).encode("utf-8", "surrogatepass"))

    def _scalar(self, value: np.generic) -> None:
        array = _plain(np.asarray(value))
        self.out += b"x" + bytes([_CODES[array.dtype]]) + array.tobytes()

    def _callable(self, value: Any) -> None:
        self.out += self._function(value)

    def _bytes(self, tag: bytes, data: bytes) -> None:
        self.out += tag + _U32.pack(len(data)) + data
        self._fits()

    def _fits(self) -> None:
        if len(self.out) > MAX_BYTES:
            raise CannotCross(f"more than {MAX_BYTES >> 20} MB")


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
}
"""By exact type, which is the usual case, and of these a submission sends thousands."""


def _writer(value: Any) -> Callable[[Encoder, Any], None]:
    """How to write a value of a class derived from a usual one, or of a rarer kind."""
    if isinstance(value, np.generic):  # some of these are floats as well
        return Encoder._scalar
    for kind, writer in _WRITERS.items():
        if isinstance(value, kind):
            return writer
    if isinstance(value, (range, Iterator)):
        return Encoder._series
    if callable(value):
        return Encoder._callable
    raise CannotCross(_words(value))


class Decoder:
    """Reads values from one payload, trusting nothing in it; ``function`` makes what stands for a function."""

    def __init__(
        self, payload: Payload, function: Callable[[bytes, int | str], Any], known: list[Any] | None = None
    ) -> None:
        self._data = memoryview(payload)
        self._size = len(payload)
        self._at = 0
        self._values = 1
        self._longest = 0
        self._depth = 0
        self.known = known if known is not None else []
        self._function = function

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
        """The next array, list or dictionary, which stands for the new content of one that has a number."""
        reader = {b"a": self._array, b"l": self._several, b"m": self._mapping}.get(bytes(self._take(1)))
        if reader is None:
            raise ProtocolError("no content")
        return reader()

    def number(self) -> int:
        """The next four bytes: a count or an index."""
        number: int = _U32.unpack(self._take(4))[0]
        return number

    def _array(self) -> np.ndarray[Any, Any]:
        code, writeable, ndim = self._take(3)
        if code >= len(DTYPES) or writeable > 1 or ndim > MAX_AXES:
            raise ProtocolError("no array")
        array = self._filled(code, _SHAPES[ndim].unpack(self._take(8 * ndim)))
        if not writeable:
            array.flags.writeable = False
        return array

    def _filled(self, code: int, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
        # Sizes are Python integers and are held against the bytes that have arrived before NumPy sees them.
        if numbers(shape) > MAX_NUMBERS:
            raise ProtocolError("an array too large")
        dtype = DTYPES[code]
        data = bytearray(self._take(math.prod(shape) * dtype.itemsize))
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
        (code,) = self._take(1)
        if code >= len(DTYPES):
            raise ProtocolError("an unknown dtype")
        return self._filled(code, ())[()]

    def _none(self) -> None:
        return None

    def _true(self) -> bool:
        return True

    def _false(self) -> bool:
        return False

    def _integer(self) -> int:
        data = self._sized()
        if len(data) > MAX_DIGITS:
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

    def _dictionary(self) -> dict[Any, Any]:
        mapping: dict[Any, Any] = {}
        self.known.append(mapping)
        return self._mapping(mapping)

    def _mapping(self, mapping: dict[Any, Any] | None = None) -> dict[Any, Any]:
        mapping = {} if mapping is None else mapping
        count = self._enter(2)
        if count > MAX_KEYS:
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
        if are_wide(self._values, self._longest):
            raise ProtocolError("too much text")

    def _enter(self, each: int) -> int:
        """How many entries a container has, of so many values each."""
        count = self.number()
        self._values += each * count
        self._depth += 1
        if self._values > MAX_VALUES or self._depth > MAX_DEPTH:
            raise ProtocolError("too many values")
        return count

    def _here(self) -> Any:
        return self._function(b"g", self.number())

    def _there(self) -> Any:
        return self._function(b"w", self.number())

    def _named(self) -> Any:
        return self._function(b"n", str(self._sized(), "ascii", "replace"))

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
    ord("n"): Decoder._named,
}


def numbers(shape: tuple[int, ...]) -> int:
    """How many numbers an array of this shape counts for; an axis of length 0 counts as 1."""
    return math.prod(shape) or math.prod(max(side, 1) for side in shape)


def are_wide(values: int, longest: int) -> bool:
    """Whether an array of so many texts is too large: NumPy gives each of them the room of the longest."""
    return 4 * values * longest > MAX_BYTES


class Snapshot:
    """What a call was given, to tell afterwards what the call has changed in it."""

    def __init__(self, known: list[Any]) -> None:
        self._known = known
        self._before = [_state(thing) for thing in known]

    def write_changes(self, encoder: Encoder) -> None:
        """Append how many arguments have changed, then each one's number and new content."""
        changed = [
            index for index, before in enumerate(self._before) if not _same(_state(self._known[index]), before)
        ]
        encoder.out += _U32.pack(len(changed))
        for index in changed:
            encoder.out += _U32.pack(index)
            encoder.content(self._known[index])

    @staticmethod
    def read_changes(decoder: Decoder, arguments: int) -> list[tuple[Any, Any]]:
        """What ``write_changes`` wrote: pairs of an argument and its new content, nothing changed yet."""
        changes = []
        for _ in range(decoder.number()):
            index = decoder.number()
            if index >= arguments:
                raise ProtocolError("a change to nothing")
            changes.append((decoder.known[index], decoder.content()))
        return changes


def apply(changes: list[tuple[Any, Any]]) -> None:
    """Make the changes that a call made to its arguments.

    Raises:
        ProtocolError: an argument cannot have that content.
    """
    for thing, content in changes:
        if isinstance(thing, np.ndarray) and isinstance(content, np.ndarray):
            if thing.shape != content.shape:
                _reshape(thing, content.shape)
            writeable = thing.flags.writeable
            try:
                thing.flags.writeable = True
                thing[...] = content
                thing.flags.writeable = writeable
            except ValueError:
                raise ProtocolError("an array that cannot change") from None
        elif isinstance(thing, list) and isinstance(content, list):
            thing[:] = content
        elif isinstance(thing, dict) and isinstance(content, dict):
            thing.clear()
            thing.update(content)
        else:
            raise ProtocolError("a change of kind")


def _reshape(array: np.ndarray[Any, Any], shape: tuple[int, ...]) -> None:
    # Never ``resize``: it would take the memory away from under the check's views. No student needs it either,
    # for the arrays that they get do not own their memory and cannot be resized.
    try:
        array.shape = shape
    except (ValueError, AttributeError):
        raise ProtocolError("an array that cannot change its shape") from None


def weigh(*values: Any) -> None:
    """Refuse what grows without bounds when it is walked: lists within themselves, one large part many times.

    Written out in full, without references, the values must be no more and no larger than a frame may hold.

    Raises:
        ProtocolError: they are.
    """
    if all(map(_is_light, values)):  # the usual case
        return
    known: dict[int, tuple[int, int, int]] = {}
    longest = 0

    def of(value: Any, depth: int) -> tuple[int, int, int]:
        """How many values, how many bytes, how deep."""
        nonlocal longest
        if isinstance(value, (np.ndarray, np.generic)):
            return 1, 8 * numbers(value.shape), 1
        if isinstance(value, str):
            longest = max(longest, len(value))
        if not isinstance(value, (tuple, list, dict)):
            return 1, 8, 1
        if id(value) not in known:
            if depth > MAX_DEPTH:
                raise ProtocolError("a value within itself")
            parts = [*value.keys(), *value.values()] if isinstance(value, dict) else value
            count, size, height = 1, 8, 0
            for part in parts:
                more, larger, higher = of(part, depth + 1)
                count, size, height = count + more, size + larger, max(height, higher)
            if count > MAX_VALUES or size > 2 * MAX_BYTES or are_wide(count, longest):
                raise ProtocolError("too many values")
            known[id(value)] = count, size, height + 1
        if depth + known[id(value)][2] > MAX_DEPTH + 1:
            raise ProtocolError("a value within itself")
        return known[id(value)]

    of(values, 0)


def _is_light(value: Any) -> bool:
    """Whether nothing lies within this but a few arrays, which are no larger than the frames they came in."""
    if isinstance(value, (tuple, list)):
        if len(value) > 8:
            return False
        for part in value:  # no generator: this runs twice for every call
            if isinstance(part, (tuple, list, dict)):
                return False
    return not isinstance(value, dict)


def _state(thing: Any) -> Any:
    """What tells a change: bytes and shape of an array, the very items of a list or dictionary."""
    if isinstance(thing, np.ndarray):
        return thing.shape, thing.tobytes()
    return list(thing.items()) if isinstance(thing, dict) else list(thing)


def _same(now: Any, before: Any) -> bool:
    if isinstance(now, tuple):
        return bool(now == before)
    flat_now, flat_before = (list(_flat(state)) for state in (now, before))
    # Identity, not equality: items may be arrays, and a student's own objects may answer == with anything.
    return len(flat_now) == len(flat_before) and all(map(_is, flat_now, flat_before))


def _flat(state: list[Any]) -> Iterator[Any]:
    for item in state:
        yield from item if isinstance(item, tuple) else (item,)


def _is(one: Any, other: Any) -> bool:
    return one is other


def _plain(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The same numbers as a plain little-endian array of a dtype that crosses."""
    if type(array) is np.ndarray and array.dtype in _CODES:  # nearly always
        return array
    if isinstance(array, np.ma.MaskedArray):
        raise CannotCross("a masked array")
    array = np.asarray(array)
    if array.dtype.kind == "f" and array.dtype.itemsize not in (4, 8):
        array = array.astype("<f4" if array.dtype.itemsize < 4 else "<f8")
    dtype = array.dtype.newbyteorder("<")
    if dtype not in _CODES:
        raise CannotCross(f"an array of dtype {str(array.dtype)[:40]}")
    return array.astype(dtype, copy=False)


def _words(value: Any) -> str:
    name = type(value).__name__
    return f"a value of type {name}" if name.isidentifier() and len(name) <= 40 else "a value of an unusual type"

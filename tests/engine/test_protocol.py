"""The frames: whatever a worker sends, the grader gets a value or says that it is none."""

import socket
import struct
import time
import tracemalloc
from collections import Counter, defaultdict, namedtuple
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from autograder.sandbox.worker.protocol import frames, weight
from autograder.sandbox.worker.protocol.bounds import DTYPES, ProtocolError
from autograder.sandbox.worker.protocol.decode import Decoder
from autograder.sandbox.worker.protocol.encode import Encoder

Pair = namedtuple("Pair", "first second")


@dataclass
class Point:
    x: object
    y: object


@dataclass(frozen=True)
class Fixed:
    x: object


CLASSES = {"Pair": Pair, "Point": Point, "Fixed": Fixed}
NUMBERS = st.sampled_from(DTYPES)
SHAPES = arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=3)
KEYS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**40), 10**40)
    | st.floats(allow_nan=False)
    | st.complex_numbers(allow_nan=False)
    | st.text(max_size=20)
    | st.binary(max_size=20)
    | st.fractions()
    | st.decimals(allow_nan=False, min_value=-(10**30), max_value=10**30)
    | st.dates()
    | st.datetimes()
)
LEAVES = (
    KEYS
    | NUMBERS.flatmap(lambda dtype: arrays.arrays(dtype, SHAPES))
    | arrays.arrays("<U3", SHAPES)
    | st.sets(KEYS, max_size=4)
    | st.frozensets(KEYS, max_size=4)
    | st.dictionaries(KEYS, st.integers(-9, 9), max_size=3).map(Counter)
    | st.builds(Fixed, KEYS)
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
        | st.dictionaries(KEYS, inner, max_size=3).map(lambda d: defaultdict(list, d))
        | st.builds(Pair, inner, inner)
        | st.builds(Point, inner, inner)
    ),
    max_leaves=12,
)


def encode(value: object) -> bytes:
    encoder = Encoder(lambda function: b"g" + bytes(4))
    encoder.value(value)
    return bytes(encoder.out)


def decode(payload: bytes) -> object:
    decoder = Decoder(payload, find)
    value = decoder.value()
    decoder.end()
    return value


def find(tag: bytes, name: object) -> object:
    """What stands for a function; the class of a record, where it is one of those above."""
    return (lambda form: CLASSES.get(form.name)) if tag == b"o" else (tag, name)


def same(one: object, other: object) -> bool:
    if isinstance(one, np.ndarray):
        return (
            isinstance(other, np.ndarray)
            and one.dtype == other.dtype
            and one.shape == other.shape
            and one.tobytes() == other.tobytes()
        )
    if isinstance(one, (list, tuple)):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, (Point, Fixed)):
        return type(one) is type(other) and same(list(vars(one).items()), list(vars(other).items()))
    if isinstance(one, dict):
        return (
            type(one) is type(other)
            and list(one) == list(other)
            and all(same(one[key], other[key]) for key in one)
        )
    return type(one) is type(other) and one == other


@given(VALUES)
def test_a_value_arrives_as_it_was(value):
    assert same(value, decode(encode(value)))


NUMBERS_OF_PYTHON = (
    st.lists(st.floats(allow_nan=False), min_size=10, max_size=40)
    | st.lists(st.integers(-(2**63), 2**63 - 1), min_size=10, max_size=40)
    | st.lists(st.integers(2**62, 2**65) | st.booleans() | st.just(0.5), min_size=10, max_size=40)
)


@given(NUMBERS_OF_PYTHON, st.sampled_from((list, tuple)))
def test_many_numbers_arrive_as_they_were_each_of_its_own_type(numbers, kind):
    value = {"numbers": [kind(numbers), kind(numbers[:15]), "behind them"]}
    assert same(value, decode(encode(value)))


def test_many_numbers_of_one_type_cross_in_one_piece():
    tokens = list(range(100_000, 101_000))
    assert len(encode(tokens)) == len(encode(list(map(float, tokens)))) < 8 * len(tokens) + 10


EXAMPLES = pytest.mark.parametrize(
    "examples", [100, pytest.param(2_000, marks=pytest.mark.everything)]
)


@EXAMPLES
def test_random_bytes_are_a_value_or_a_protocol_error(examples):
    @settings(max_examples=examples)
    @given(st.binary(max_size=200))
    def try_them(payload):
        try:
            decode(payload)
        except ProtocolError:
            pass

    try_them()


@EXAMPLES
def test_a_damaged_value_is_a_value_or_a_protocol_error(examples):
    @settings(max_examples=examples)
    @given(VALUES, st.data())
    def try_them(value, data):
        payload = bytearray(encode(value))
        for _ in range(data.draw(st.integers(1, 4))):
            payload[data.draw(st.integers(0, len(payload) - 1))] = data.draw(st.integers(0, 255))
        cut = data.draw(st.integers(0, len(payload)))
        for damaged in (bytes(payload), bytes(payload[:cut])):
            try:
                decode(damaged)
            except ProtocolError:
                pass

    try_them()


def array(code: int, *shape: int, data: bytes = b"") -> bytes:
    return b"a" + bytes([code, 1, len(shape)]) + struct.pack(f"<{len(shape)}Q", *shape) + data


def text(words: str) -> bytes:
    return b"s" + struct.pack("<I", len(words)) + words.encode()


def spelled(kind: int, words: str) -> bytes:
    return b"k" + bytes([kind]) + text(words)


def record(kind: int, *names: str, values: int) -> bytes:
    return (
        b"o"
        + bytes([kind])
        + b"".join(map(text, names))
        + b";v"
        + struct.pack("<I", values)
        + b"N" * values
    )


@pytest.mark.parametrize(
    "payload",
    [
        array(10, 2**20, 2**20),
        array(10, 2**62, 4),
        array(10, 0, 2**62),
        array(10, 2**64 - 1),
        array(13, 1, data=bytes(8)),
        array(0, 2, data=b"\x02\x01"),
        array(10, *[1] * 33, data=bytes(8)),
        b"s" + struct.pack("<I", 2**32 - 1),
        b"i" + struct.pack("<I", 2**32 - 1),
        b"t" + struct.pack("<I", 2**32 - 1),
        b"l" + struct.pack("<I", 10**6) + b"N" * 100,
        b"l" + struct.pack("<I", 10**5) + b"I" + bytes(100),
        b"t" + struct.pack("<I", 2**32 - 1) + b"D" + bytes(100),
        b"t" + struct.pack("<I", 2) + b"D" + bytes(16),
        b"D" + bytes(8),
        b"t\x01\x00\x00\x00" * 101 + b"N",
        b"r" + bytes(4),
        b"m\x01\x00\x00\x00l\x00\x00\x00\x00N",
        b"s\x01\x00\x00\x00\xff",
        array(255, 1, data=bytes(4)),
        array(255, 1, data=struct.pack("<I", 2**30) + bytes(64)),
        array(255, 2**20, data=struct.pack("<I", 100)),
        array(255, 0, 2**20, data=struct.pack("<I", 100)),
        array(255, 1, data=struct.pack("<II", 1, 0x110000)),
        b"e" + struct.pack("<I", 2**32 - 1),
        b"e" + struct.pack("<I", 1001) + b"N" * 1001,
        b"e\x01\x00\x00\x00l\x00\x00\x00\x00",
        b"f\x01\x00\x00\x00e\x00\x00\x00\x00",
        b"b" + struct.pack("<I", 2**32 - 1),
        b"c" + bytes(15),
        b"M\x0am" + bytes(4),
        b"M\x00l" + bytes(4),
        spelled(0, "1/0"),
        spelled(0, "1" * 1001),
        spelled(0, "1_0"),
        spelled(0, "1e9"),
        spelled(1, "1E+999999999"),
        spelled(1, "sNaN"),
        spelled(2, "2026-02-31T00:00:00"),
        spelled(3, "2026-02-31"),
        spelled(4, ""),
        record(0, "P", "x", values=0),
        record(1, "P", "x", "x", values=2),
        record(3, "P", "x", values=1),
        record(0, "P", "__array_interface__", values=1),
        record(1, "P", "__class__", values=1),
        record(1, "__main__", "x", values=1),
        record(2, "P", "x y", values=1),
        record(2, "P", "x" * 101, values=1),
        record(0, "P", *(f"x{number}" for number in range(101)), values=101),
        record(1, values=0),
        b"NN",
        b"",
        b"Z",
    ],
)
def test_a_lie_about_a_value_is_refused_before_anything_is_allocated(payload):
    tracemalloc.start()
    with pytest.raises(ProtocolError):
        decode(payload)
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()


def test_a_frame_that_claims_too_much_is_refused_before_it_is_read():
    ours, theirs = socket.socketpair()
    theirs.send(frames.HEADER.pack(frames.MAGIC, frames.RETURN, bytes(16), 2**60))
    with ours, theirs, pytest.raises(ProtocolError, match="bytes"):
        frames.receive(ours, time.monotonic() + 3600)


@EXAMPLES
def test_random_frames_are_refused(examples):
    @settings(max_examples=examples)
    @given(st.binary(min_size=1, max_size=100))
    def try_them(data):
        ours, theirs = socket.socketpair()
        with ours, theirs:
            theirs.send(data)
            theirs.shutdown(socket.SHUT_WR)
            with pytest.raises((ProtocolError, EOFError)):
                # It ends when the other side has closed, not when this time is over.
                frames.receive(ours, time.monotonic() + 3600)

    try_them()


class Dripping:
    """A socket at which a byte arrives every fiftieth of a second, on a clock of its own."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.now = 100.0

    def settimeout(self, seconds: float) -> None:
        assert seconds > 0

    def recv(self, size: int) -> bytes:
        self.now += 0.02
        byte, self.data = self.data[:1], self.data[1:]
        return byte


def test_a_frame_that_never_ends_runs_into_the_deadline(monkeypatch):
    drip = Dripping(frames.HEADER.pack(frames.MAGIC, frames.RETURN, bytes(16), 1000))
    monkeypatch.setattr(frames.time, "monotonic", lambda: drip.now)
    with pytest.raises(TimeoutError):
        frames.receive(drip, 100.2)
    assert 100.2 <= drip.now < 100.23
    assert drip.data, "it did not wait for the rest"


def test_a_long_text_beside_many_numbers_is_weighed_by_itself():
    weight.weigh("x" * 1100, [list(range(1100)), [(byte,) for byte in range(256)]])
    with pytest.raises(ProtocolError):
        weight.weigh(["x" * 1100, *range(1100)])

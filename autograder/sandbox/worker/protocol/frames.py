"""Frames on a socket: a fixed header (magic, kind, nonce, length) and one encoded value.

The nonce is drawn by the grader for each request and must come back, so that a reply cannot be
written before its request. Reading a frame allocates no more than the bytes that have arrived, and
no more than ``MAX_BYTES``.
"""

from __future__ import annotations

import struct
import time
from typing import Protocol

from autograder.sandbox.worker.protocol import bounds
from autograder.sandbox.worker.protocol.bounds import ProtocolError

Payload = bytes | bytearray

MAGIC = b"ATG1"
HEADER = struct.Struct("<4sB3x16sQ")
"""Magic, kind, nonce, length of the payload."""

RUN, CALL, RETURN, RAISE = 1, 2, 3, 4
"""Kinds of frames. The grader asks with RUN and CALL; both sides answer with RETURN or RAISE."""

SMALL = 1 << 16
"""Payloads up to this size are sent in one piece with their header; larger ones are not copied."""

AHEAD = 1 << 14
"""Bytes to read at once: most frames are smaller."""

SECONDS = struct.Struct("<d")
"""The beginning of every request of the grader: the seconds that it may take."""


class Line(Protocol):
    """The methods of a socket that frames need."""

    def recv(self, most: int, /) -> bytes:
        """Some bytes; none if the other side has closed the connection."""

    def sendall(self, data: Payload, /) -> None:
        """Send all of these bytes."""

    def settimeout(self, seconds: float | None, /) -> None:
        """Wait at most this long from now on."""


def send(sock: Line, kind: int, nonce: bytes, payload: Payload) -> None:
    """Send one frame; OSError (also a timeout) if the other side does not take it."""
    header = HEADER.pack(MAGIC, kind, nonce, len(payload))

    if len(payload) <= SMALL:
        sock.sendall(header + payload)
    else:
        sock.sendall(header)
        sock.sendall(payload)


def receive(
    sock: Line, deadline: float | None = None, ahead: int = AHEAD
) -> tuple[int, bytes, Payload]:
    """Read one frame: its kind, nonce and payload.

    The other side waits for an answer to it, so nothing follows it.

    Args:
        ahead: bytes asked for at once; those of a header where another frame may come behind.

    Raises:
        TimeoutError: ``deadline`` (of ``time.monotonic``) has passed.
        EOFError: the other side has gone.
        ProtocolError: not a frame, or more than one.
    """
    read = bytearray()
    while len(read) < HEADER.size:
        read += _some(sock, ahead - len(read), deadline)

    magic, kind, nonce, size = HEADER.unpack_from(read)
    if magic != MAGIC or kind not in (RUN, CALL, RETURN, RAISE):
        raise ProtocolError("no frame header")
    if size > bounds.MAX_BYTES + SECONDS.size:
        raise ProtocolError(f"a frame of more than {bounds.MAX_BYTES} bytes")

    del read[: HEADER.size]
    while len(read) < size:
        read += _some(sock, min(size - len(read), 1 << 16), deadline)
    if len(read) > size:
        raise ProtocolError("more than one frame")
    return kind, nonce, read


def _some(sock: Line, most: int, deadline: float | None) -> bytes:
    """The bytes that have arrived, at most this many."""
    if deadline is not None:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        sock.settimeout(left)
    chunk = sock.recv(most)
    if not chunk:
        raise EOFError
    return chunk

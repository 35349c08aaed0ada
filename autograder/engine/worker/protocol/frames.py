"""Frames on a socket: a fixed header (magic, kind, nonce, length) and one encoded value.

The nonce is drawn by the grader for each request and must come back, so that a reply cannot be
written before its request. Reading a frame allocates no more than the bytes that have arrived, and
no more than ``MAX_BYTES``.
"""

from __future__ import annotations

import socket
import struct
import time

from autograder.engine.worker.protocol import bounds
from autograder.engine.worker.protocol.bounds import ProtocolError

Payload = bytes | bytearray

MAGIC = b"ATG1"
HEADER = struct.Struct("<4sB3x16sQ")
"""Magic, kind, nonce, length of the payload."""

RUN, CALL, RETURN, RAISE = 1, 2, 3, 4
"""Kinds of frames. The grader asks with RUN and CALL; both sides answer with RETURN or RAISE."""

SMALL = 1 << 16
"""Bytes of a payload that leaves in one piece with its header; larger ones are not copied for
that."""

SECONDS = struct.Struct("<d")
"""What every request of the grader begins with: how long what it asks for may take."""


def send(sock: socket.socket, kind: int, nonce: bytes, payload: Payload) -> None:
    """Send one frame; OSError (also a timeout) when the other side does not take it."""
    header = HEADER.pack(MAGIC, kind, nonce, len(payload))

    if len(payload) <= SMALL:
        sock.sendall(header + payload)
    else:
        sock.sendall(header)
        sock.sendall(payload)


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
    if size > bounds.MAX_BYTES + SECONDS.size:
        raise ProtocolError(f"a frame of more than {bounds.MAX_BYTES} bytes")

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

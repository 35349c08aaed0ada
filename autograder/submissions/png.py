"""PNG files from strangers, taken apart and written anew: size, palette and pixels, nothing else.

What a browser then decodes was written by us. Text, colour profiles, animations and whatever lies
behind the end of the file are gone.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

SIGNATURE = b"\x89PNG\r\n\x1a\n"

MAX_SIDE = 4_000
"""Pixels along a side."""

MAX_PIXEL_BYTES = 6_000_000
"""Bytes of all pixels, unpacked."""

_SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""Numbers of a pixel, by the type of its colours."""

_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}


class NotPng(ValueError):
    """It is no PNG of the kind that we take."""


def pixel_bytes(data: bytes) -> int:
    """How many bytes ``rewritten`` unpacks.

    Raises:
        NotPng: it says so at its beginning.
    """
    for kind, body in _chunks(data):
        rows, row_bytes, _ = _layout(body if kind == b"IHDR" else b"")
        return rows * (row_bytes + 1)
    raise NotPng("no head")


def rewritten(data: bytes) -> bytes:
    """The same picture in a file of our own.

    Raises:
        NotPng: damaged, too large, or of a kind that nobody's plots have (interlaced).
    """
    head, palette, transparency = b"", b"", b""
    packed: list[bytes] = []
    for kind, body in _chunks(data):
        if kind == b"IHDR":
            head = body
        elif kind == b"PLTE":
            palette = body
        elif kind == b"tRNS":
            transparency = body
        elif kind == b"IDAT":
            packed.append(body)

    rows, row_bytes, colours = _layout(head)
    pixels = _unpacked(b"".join(packed), rows * (row_bytes + 1))
    if any(filter > 4 for filter in pixels[:: row_bytes + 1]):
        raise NotPng("unknown filter")

    parts = [_chunk(b"IHDR", head)]
    if colours == 3:
        if not palette or len(palette) % 3 or len(palette) > 768:
            raise NotPng("no palette")
        parts.append(_chunk(b"PLTE", palette))
        if transparency:
            parts.append(_chunk(b"tRNS", transparency[: len(palette) // 3]))
    parts.append(_chunk(b"IDAT", zlib.compress(pixels)))
    parts.append(_chunk(b"IEND", b""))
    return SIGNATURE + b"".join(parts)


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Each part of the file up to its end, with its checksum tried."""
    if not data.startswith(SIGNATURE):
        raise NotPng("no PNG")
    place = len(SIGNATURE)
    while True:
        length, kind = (
            struct.unpack_from(">I4s", data, place) if len(data) >= place + 8 else (0, b"")
        )
        body = data[place + 8 : place + 8 + length]
        tail = data[place + 8 + length : place + 12 + length]
        if len(body) != length or tail != struct.pack(">I", zlib.crc32(kind + body)):
            raise NotPng("damaged")
        if kind == b"IEND":
            return
        yield kind, body
        place += 12 + length


def _layout(head: bytes) -> tuple[int, int, int]:
    """Rows, bytes of a row without its filter, and the type of colours."""
    if len(head) != 13:
        raise NotPng("no head")
    width, height, depth, colours, *methods = struct.unpack(">IIBBBBB", head)
    if methods != [0, 0, 0] or depth not in _DEPTHS.get(colours, ()):
        raise NotPng("another kind of PNG")
    if not (0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE):
        raise NotPng("too large")

    row_bytes = (width * _SAMPLES[colours] * depth + 7) // 8
    if height * (row_bytes + 1) > MAX_PIXEL_BYTES:
        raise NotPng("too large")
    return height, row_bytes, colours


def _unpacked(packed: bytes, size: int) -> bytes:
    """Exactly so many bytes; a bomb stops at one more."""
    unpacker = zlib.decompressobj()
    try:
        pixels = unpacker.decompress(packed, size + 1)
    except zlib.error:
        raise NotPng("damaged") from None
    if len(pixels) != size:
        raise NotPng("other pixels than its size says")
    return pixels


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

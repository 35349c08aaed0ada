"""The pictures in a submitted notebook: PNG alone, written again, few and small.

A person who grades looks at them. SVG and HTML are programs in a browser, and are never taken. A
PNG is taken apart and written again: size, palette and pixels, nothing else. What a browser then
decodes was written by us. Text, colour profiles, animations and whatever lies behind the end of the
file are gone.
"""

from __future__ import annotations

import binascii
import re
import struct
import zlib
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace
from typing import Any

from autograder.base.text import DATA_PICTURE, without_pictures
from autograder.submissions.notebook import raw_notebook, source_of

MOST = 12
"""So many pictures of a notebook are kept: those in its texts, then the last ones below its code,
nearest to the question."""

MAX_LOOKS = 30  # pictures that are looked at
MAX_BYTES = 1_000_000  # of a picture as it is handed in
MAX_ALL = 3_000_000  # bytes of all that are kept
MAX_PIXEL_BYTES = 6_000_000  # of a picture, unpacked
MAX_ALL_PIXEL_BYTES = 18_000_000  # of all that are unpacked, for each takes time to write anew
MAX_SIDE = 4_000  # pixels

SIGNATURE = b"\x89PNG\r\n\x1a\n"

_SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""Numbers of a pixel, by the type of its colours."""

_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}

_PNG = re.compile(r"data:image/png;base64,([\w+/=]*)")


@dataclass(frozen=True)
class Picture:
    """A PNG of ours, and the source of the student's cell that it stood in, or below."""

    png: bytes
    source: str
    is_in_text: bool = False


@dataclass(frozen=True)
class Pictures:
    """Those that are shown, in the order of the notebook, and how many others there are."""

    shown: tuple[Picture, ...] = ()
    others: int = 0


def pictures(data: bytes, handed_out: Set[str] = frozenset()) -> Pictures:
    """The pictures in these bytes of a notebook; none in a script.

    Args:
        handed_out: the addresses of those that are no student's, with all their letters.

    Raises:
        Rejected: no notebook.
    """
    found = list(_found(data, handed_out))
    texts = [place for place, (_, one) in enumerate(found) if one.is_in_text]
    outputs = [place for place, (_, one) in enumerate(found) if not one.is_in_text]
    kept: dict[int, Picture] = {}
    room, pixels = MAX_ALL, MAX_ALL_PIXEL_BYTES

    for place in [*texts, *outputs[::-1]][:MAX_LOOKS]:
        base64, one = found[place]
        if len(kept) == MOST or len(base64) > MAX_BYTES * 4 // 3:
            continue
        try:
            raw = binascii.a2b_base64(base64.encode("ascii", "replace"))
            pixels -= pixel_bytes(raw)
            if pixels < 0:
                break
            picture = rewritten(raw)
        except (binascii.Error, NotPng):
            continue
        if len(picture) <= room:
            room -= len(picture)
            kept[place] = replace(one, png=picture)
    return Pictures(tuple(kept[place] for place in sorted(kept)), len(found) - len(kept))


def _found(data: bytes, handed_out: Set[str]) -> Iterator[tuple[str, Picture]]:
    """What is a picture in the student's own words: its base64, and the picture without its PNG."""
    notebook = raw_notebook(data)
    for raw in notebook["cells"] if notebook is not None else ():
        source = source_of(raw)
        if source is None:
            continue
        if raw.get("cell_type") != "code":
            words = without_pictures(source)
            for letters in _in_text(source, raw.get("attachments"), handed_out):
                yield letters, Picture(b"", words, is_in_text=True)
            continue

        outputs = raw.get("outputs")
        for output in outputs if isinstance(outputs, list) else ():
            bundle = output.get("data") if isinstance(output, dict) else None
            shown = _of_bundle(bundle)
            if shown is not None:
                yield shown, Picture(b"", source)


def _in_text(text: str, attachments: Any, handed_out: Set[str]) -> Iterator[str]:
    """Each picture of a cell, in its text or attached: a PNG in base64, of other kinds nothing."""
    for found in DATA_PICTURE.finditer(text):
        if found[0] not in handed_out:
            png = _PNG.fullmatch(found[0])
            yield png[1] if png else ""
    for bundle in attachments.values() if isinstance(attachments, Mapping) else ():
        letters = _of_bundle(bundle)
        if letters is not None:
            yield letters


def _of_bundle(bundle: Any) -> str | None:
    """The PNG among the forms of one thing; nothing where it is another picture, None of none."""
    if not isinstance(bundle, Mapping):
        return None
    text = bundle.get("image/png")
    if isinstance(text, list) and all(isinstance(line, str) for line in text):
        text = "".join(text)
    if isinstance(text, str):
        return text
    return "" if any(str(kind).startswith("image/") for kind in bundle) else None


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

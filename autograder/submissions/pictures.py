"""The pictures in a submitted notebook: PNG alone, written anew, few and small.

A person who grades looks at them. SVG and HTML are programs in a browser, and are never taken.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterator
from dataclasses import dataclass

from autograder.submissions import pasted_pictures, png
from autograder.submissions.notebook import raw_notebook, source_of

MOST = 12
"""So many pictures of a notebook are kept: those in its texts, then the last ones below its code,
nearest to the question."""

MAX_BYTES = 1_000_000
"""Bytes of a picture as it is handed in."""

MAX_ALL = 3_000_000
"""Bytes of all that are kept."""

MAX_PIXEL_BYTES = 18_000_000
"""Bytes of the pixels of all that are unpacked, kept or not: each takes time to write anew."""

MAX_LOOKS = 30
"""So many are looked at."""


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


def pictures(data: bytes) -> Pictures:
    """The pictures in these bytes of a notebook; none in a script.

    Raises:
        Rejected: no notebook.
    """
    found = list(_found(data))
    texts = [place for place, one in enumerate(found) if one.is_in_text]
    outputs = [place for place, one in enumerate(found) if not one.is_in_text]
    kept: dict[int, Picture] = {}
    room, pixels = MAX_ALL, MAX_PIXEL_BYTES

    for place in [*texts, *outputs[::-1]][:MAX_LOOKS]:
        one = found[place]
        if len(kept) == MOST or len(one.base64) > MAX_BYTES * 4 // 3:
            continue
        try:
            raw = binascii.a2b_base64(one.base64.encode("ascii", "replace"))
            pixels -= png.pixel_bytes(raw)
            if pixels < 0:
                break
            picture = png.rewritten(raw)
        except (binascii.Error, png.NotPng):
            continue
        if len(picture) <= room:
            room -= len(picture)
            kept[place] = Picture(picture, one.source, one.is_in_text)
    return Pictures(tuple(kept[place] for place in sorted(kept)), len(found) - len(kept))


@dataclass(frozen=True)
class _Packed:
    base64: str
    source: str
    is_in_text: bool


def _found(data: bytes) -> Iterator[_Packed]:
    """What is a picture in the student's own words."""
    notebook = raw_notebook(data)
    for raw in notebook["cells"] if notebook is not None else ():
        source = source_of(raw)
        if source is None:
            continue
        if raw.get("cell_type") != "code":
            words = pasted_pictures.named(source)
            for letters in pasted_pictures.packed(source, raw.get("attachments")):
                yield _Packed(letters, words, is_in_text=True)
            continue
        outputs = raw.get("outputs")
        for output in outputs if isinstance(outputs, list) else ():
            bundle = output.get("data") if isinstance(output, dict) else None
            shown = pasted_pictures.of_bundle(bundle)
            if shown is not None:
                yield _Packed(shown, source, is_in_text=False)

"""The pictures in a submitted notebook: PNG alone, written anew, few and small.

A person who grades looks at them. SVG and HTML are programs in a browser, and are never taken.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from autograder.submissions import png
from autograder.submissions.notebook import outputs_of

MOST = 12
"""So many pictures of a notebook are kept, the last ones: those nearest to the question."""

MAX_BYTES = 1_000_000
"""Bytes of a picture as it is handed in."""

MAX_ALL = 3_000_000
"""Bytes of all that are kept."""

MAX_LOOKS = 30
"""So many outputs are looked at, from the end."""


@dataclass(frozen=True)
class Picture:
    """A PNG of ours, and the source of the student's cell that it stood below."""

    png: bytes
    source: str


def pictures(data: bytes) -> list[Picture]:
    """The pictures in these bytes of a notebook, in its order; none in a script.

    Raises:
        Rejected: no notebook.
    """
    found: list[Picture] = []
    room = MAX_ALL
    for source, text in list(_packed(data))[: -MAX_LOOKS - 1 : -1]:
        try:
            raw = binascii.a2b_base64(text.encode("ascii", "replace"))
            picture = png.rewritten(raw)
        except (binascii.Error, png.NotPng):
            continue  # what calls itself a PNG and is none is nobody's answer
        room -= len(picture)
        if room < 0 or len(found) == MOST:
            break
        found.append(Picture(picture, source))
    return found[::-1]


def _packed(data: bytes) -> Iterator[tuple[str, str]]:
    """What calls itself a PNG, in base64, behind the source of its cell."""
    for source, outputs in outputs_of(data):
        for output in outputs:
            text = _png_of(output)
            if text is not None and len(text) <= MAX_BYTES * 4 // 3:
                yield source, text


def _png_of(output: Any) -> str | None:
    bundle = output.get("data") if isinstance(output, dict) else None
    text = bundle.get("image/png") if isinstance(bundle, dict) else None
    if isinstance(text, list) and all(isinstance(line, str) for line in text):
        text = "".join(text)
    return text if isinstance(text, str) else None

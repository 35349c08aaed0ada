"""Pictures of strangers: what is taken is written anew, and nothing else is taken."""

import io
import json
import struct
import zlib
from base64 import b64encode
from typing import Any

import pytest
from PIL import Image

from autograder.submissions import pictures
from tests.support.pictures import drawn


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def bomb(rows: int) -> bytes:
    """Says that it is small, and unpacks to as many rows as one likes."""
    head = struct.pack(">IIBBBBB", 8, 1, 8, 0, 0, 0, 0)
    packed = zlib.compress(bytes(9 * rows))
    return pictures.SIGNATURE + b"".join(
        [chunk(b"IHDR", head), chunk(b"IDAT", packed), chunk(b"IEND", b"")]
    )


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "RGBA", "LA"])
def test_a_picture_written_anew_shows_the_same(mode):
    ours = pictures.rewritten(drawn(mode))
    with Image.open(io.BytesIO(ours)) as new, Image.open(io.BytesIO(drawn(mode))) as old:
        assert new.convert("RGBA").tobytes() == old.convert("RGBA").tobytes()


def test_words_profiles_and_what_lies_behind_the_end_are_gone():
    data = drawn()
    at = data.index(b"IDAT") - 4
    smuggled = [chunk(b"tEXt", b"k\0<script>"), chunk(b"iCCP", b"x"), chunk(b"acTL", bytes(8))]
    ours = pictures.rewritten(data[:at] + b"".join(smuggled) + data[at:] + b"PK<svg onload=x>")
    for word in (b"script", b"iCCP", b"acTL", b"PK", b"svg"):
        assert word not in ours


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: b"<svg onload=alert(1)>",
        lambda data: data[:40],
        lambda data: data.replace(b"IDAT", b"IDAX"),
        lambda data: bomb(2),
        lambda data: bomb(2_000_000),
        lambda data: b"",
        lambda data: pictures.SIGNATURE + struct.pack(">I4s", 2**31, b"IHDR"),
        lambda data: pictures.SIGNATURE + chunk(b"IEND", b""),
    ],
)
def test_what_is_no_sound_png_is_refused(spoil):
    with pytest.raises(pictures.NotPng):
        pictures.rewritten(spoil(drawn()))


def notebook(*outputs: Any) -> bytes:
    """A notebook with one cell, and these as its outputs."""
    cell = {"cell_type": "code", "source": "draw()", "metadata": {}, "outputs": list(outputs)}
    return json.dumps(
        {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}
    ).encode()


def shown(data: bytes, kind: str = "image/png") -> dict[str, Any]:
    return {"output_type": "display_data", "metadata": {}, "data": {kind: b64encode(data).decode()}}


def test_only_pngs_are_taken_from_a_notebook():
    odd = [shown(drawn(), "image/svg+xml"), shown(drawn(), "text/html"), shown(b"<svg>"), 7, {}]
    found = pictures.pictures(notebook(shown(drawn()), *odd, {"data": {"image/png": 3}}))
    taken = found.shown
    assert [one.source for one in taken] == ["draw()"]
    assert taken[0].png == pictures.rewritten(drawn())
    assert found.others == 3  # SVG, and what calls itself a PNG


def test_of_many_pictures_the_last_are_kept_and_of_large_ones_few():
    many = [shown(drawn(size=(1 + number, 1))) for number in range(20)]
    taken = pictures.pictures(notebook(*many)).shown
    widths = [struct.unpack_from(">I", one.png, 16)[0] for one in taken]
    assert widths == list(range(20 - pictures.MOST + 1, 21))

    noise = shown(drawn("RGB", (500, 500), compress_level=0))
    kept = pictures.pictures(notebook(*[noise] * 8)).shown
    assert 0 < sum(len(one.png) for one in kept) <= pictures.MAX_ALL


def test_a_script_has_no_pictures():
    assert pictures.pictures(b"# %%\nx = 1\n") == pictures.Pictures()

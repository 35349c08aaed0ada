"""Large JSON in little memory: one emoji would make all of its text four times as wide."""

from __future__ import annotations

import codecs
import json
import re

MAX_WIDE, MAX_OTHER = 8_000_000, 1_000_000
"""Bytes of what is read as it stands; in larger JSON, bytes of letters that are not ASCII."""

TOO_WIDE = (
    f"larger than {MAX_WIDE // 1_000_000} MB, with more than {MAX_OTHER // 1_000_000} MB of letters"
    " that are not ASCII"
)
"""Why some cannot be read."""

_ASCII, _OTHER = bytes(range(128)), re.compile(rb"[\x80-\xff]+")


def narrow(data: bytes) -> bytes | None:
    """The same JSON in ASCII, if it is large; None where too much of it is not.

    Raises:
        UnicodeDecodeError: it is no UTF-8.
    """
    data = data.removeprefix(codecs.BOM_UTF8)
    if len(data) <= MAX_WIDE or data.isascii():
        return data
    if len(data.translate(None, _ASCII)) > MAX_OTHER:
        return None
    return _OTHER.sub(lambda other: json.dumps(other[0].decode())[1:-1].encode(), data)

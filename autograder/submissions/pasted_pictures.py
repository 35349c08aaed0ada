"""Pictures in a student's text: Jupyter attaches them to the cell, Colab writes their letters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

_DATA = re.compile(r"data:image/([\w.+-]{1,40})[;,][^\s)\"'<>\]]*")
_PNG = re.compile(r"data:image/png;base64,([\w+/=]*)")
_MARKDOWN = re.compile(r"!\[([^\]\n]{0,300})\]\(<?attachment:([^)\n]{0,300})\)")
_HTML = re.compile(r"<img\b[^<>]{0,300}?\bsrc=[\"']?attachment:[^<>]{0,300}>", re.IGNORECASE)


def named(text: str) -> str:
    """The text with a word in the place of each picture in it: its letters are nothing to read."""
    if "data:image/" not in text and "attachment:" not in text:
        return text
    text = _DATA.sub("attachment:", text)
    text = _MARKDOWN.sub(lambda found: f"[picture: {found[2] or found[1]}]", text)
    return _HTML.sub("[picture]", text)


def packed(text: str, attachments: Any) -> Iterator[str]:
    """Each picture of a cell, in its text or attached: a PNG in base64, of other kinds nothing."""
    for found in _DATA.finditer(text):
        png = _PNG.fullmatch(found[0])
        yield png[1] if png else ""
    for bundle in attachments.values() if isinstance(attachments, Mapping) else ():
        letters = of_bundle(bundle)
        if letters is not None:
            yield letters


def of_bundle(bundle: Any) -> str | None:
    """The PNG among the forms of one thing; nothing where it is another picture, None of none."""
    if not isinstance(bundle, Mapping):
        return None
    text = bundle.get("image/png")
    if isinstance(text, list) and all(isinstance(line, str) for line in text):
        text = "".join(text)
    if isinstance(text, str):
        return text
    return "" if any(str(kind).startswith("image/") for kind in bundle) else None

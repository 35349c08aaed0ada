"""What every page is made of: one self-contained HTML file with our style, no scripts, and no address of any server."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from html import escape
from importlib import resources

from autograder.text import printable


def document(title: str, body: str, style: str = "") -> str:
    """A whole page around ``body``, which is markup with its own landmarks; ``title`` is text.

    ``style`` is added to the style that all pages share. The policy forbids everything but these styles: what
    a student may smuggle into a page runs and loads nothing. Attributes named ``style`` do nothing either.
    """
    sheet = stylesheet() + style
    digest = base64.b64encode(hashlib.sha256(sheet.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{text(title)}</title>\n<style>{sheet}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


@cache
def stylesheet() -> str:
    """The style that all pages share: light and dark, on paper, on a phone."""
    return resources.files("autograder.pages").joinpath("page.css").read_text(encoding="utf-8")


def text(words: str) -> str:
    """Any text, a student's too, as text and nothing else; fit for an attribute in double quotes."""
    return escape(printable(words))


def block(words: str) -> str:
    """Text of several lines as it stands."""
    return f"<pre>{text(words)}</pre>"


def bar(value: float, most: float) -> str:
    """A bar as long as the share; the number stands beside it, so nobody who cannot see it misses anything."""
    share = max(0.0, min(1.0, value / most)) * 100 if most else 0.0
    return (
        '<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect width="{share:.4g}" height="8"/></svg>'
    )


def code(name: str) -> str:
    """A name of the program."""
    return f"<code>{text(name)}</code>"

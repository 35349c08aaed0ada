"""What every page is made of: a template, one style, no scripts, and no address of any server.

The templates escape whatever they are given, so that nobody has to remember it: what a student can
influence is text in every place, also within an attribute.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from html import escape
from importlib import resources

from jinja2 import Environment, PackageLoader, StrictUndefined

from autograder.result import shown
from autograder.text import number, points, points_of, printable


def _without_controls(value: object) -> object:
    """Any text without control characters; what is markup already was made of such texts."""
    # What Python calls printable has none of them, and most texts are.
    if not isinstance(value, str) or value.isprintable() or hasattr(value, "__html__"):
        return value
    return printable(value)


PAGES = Environment(
    loader=PackageLoader("autograder.pages"),
    autoescape=True,
    undefined=StrictUndefined,
    finalize=_without_controls,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
    auto_reload=False,
)
PAGES.filters |= {"number": number, "points": points, "points_of": points_of, "shown": shown}


def show(template: str, styles: tuple[str, ...] = ("page.css",), **what: object) -> str:
    """A whole page: the template with ``what`` it shows.

    The policy forbids everything but these styles: what a student may smuggle into a page runs and
    loads nothing. Attributes named ``style`` do nothing either.
    """
    sheet = "".join(map(_style, styles))
    digest = base64.b64encode(hashlib.sha256(sheet.encode()).digest()).decode()


    return PAGES.get_template(template).render(sheet=sheet, sheet_digest=digest, **what)


@cache
def _style(name: str) -> str:
    """A style sheet of ours: light and dark, on paper, on a phone."""
    return resources.files("autograder.pages").joinpath(name).read_text(encoding="utf-8")


def document(title: str, body: str, style: str = "") -> str:
    """A whole page around ``body``, which is markup with its own landmarks; ``title`` is text.

    ``style`` is added to the style that all pages share. The policy forbids everything but these styles: what
    a student may smuggle into a page runs and loads nothing. Attributes named ``style`` do nothing either.
    """
    sheet = _style("page.css") + style
    digest = base64.b64encode(hashlib.sha256(sheet.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{text(title)}</title>\n<style>{sheet}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


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

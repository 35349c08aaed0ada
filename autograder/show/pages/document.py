"""Builds every page from a template and one style, without any address of a server.

Student pages have no script. The teacher's page has one, to sort its table.

The templates escape all values automatically, so anything that a student can influence is shown as
text, also within an attribute.
"""

from __future__ import annotations

import base64
import hashlib
from datetime import datetime, tzinfo
from functools import cache
from importlib import resources

from jinja2 import Environment, PackageLoader, StrictUndefined

from autograder.base.text import number, on_day, points, points_of, printable, shown, signed
from autograder.show.pages.markdown import written


def _without_controls(value: object) -> object:
    """A text without control characters; markup is unchanged, because it was made from such
    texts."""
    # Printable text has no control characters, and most texts are printable.
    if not isinstance(value, str) or value.isprintable() or hasattr(value, "__html__"):
        return value
    return printable(value)


PAGES = Environment(
    loader=PackageLoader("autograder.show.pages"),
    autoescape=True,
    undefined=StrictUndefined,
    finalize=_without_controls,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
    auto_reload=False,
)
for _filter in (number, on_day, points, points_of, shown, signed, written):
    PAGES.filters[_filter.__name__] = _filter


def show(
    template: str, styles: tuple[str, ...] = ("page.css",), script: str = "", **what: object
) -> str:
    """A whole page: the template filled with ``what``.

    The content security policy allows only these styles and the script, by their digests: code that
    a student smuggles into a page can neither run nor load anything. ``style`` attributes have no
    effect either.
    """
    sheet = "".join(map(_file, styles))
    code = _file(script) if script else ""

    return PAGES.get_template(template).render(
        sheet=sheet, hash=_digest(sheet), script=code, script_hash=_digest(code), **what
    )


def day_of(time: str, zone: tzinfo | None) -> str:
    """The time of a result, for people; empty if it is not a time."""
    try:
        return on_day(datetime.fromisoformat(time).astimezone(zone))
    except (ValueError, OverflowError):
        return ""


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _file(name: str) -> str:
    """A style sheet of ours (light and dark, on paper, on a phone), or a script."""
    return resources.files("autograder.show.pages").joinpath(name).read_text(encoding="utf-8")

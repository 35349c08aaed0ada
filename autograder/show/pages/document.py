"""What every page is made of: a template, one style, and no address of any server.

The pages of students carry no script. The teacher's has one of ours, for a table that is sorted.

The templates escape whatever they are given, so that nobody has to remember it: what a student can
influence is text in every place, also within an attribute.
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
    """Any text without control characters; what is markup already was made of such texts."""
    # What Python calls printable has none of them, and most texts are.
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
    """A whole page: the template with ``what`` it shows.

    The policy forbids everything but these styles and the script, whose digests it names: what a
    student may smuggle into a page runs and loads nothing. Attributes named ``style`` do nothing
    either.
    """
    sheet = "".join(map(_file, styles))
    code = _file(script) if script else ""

    return PAGES.get_template(template).render(
        sheet=sheet, hash=_digest(sheet), script=code, script_hash=_digest(code), **what
    )


def day_of(time: str, zone: tzinfo | None) -> str:
    """A time of a result, for people; empty where it is none."""
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

"""Converts Markdown of students (answers) and teachers (comments) to HTML.

HTML is shown as text, pictures are not shown, and only links to the web or a mail address work.
Formulas become MathML, which browsers typeset without script or network; a formula that cannot be
converted is shown as written, in its own style.
"""

from __future__ import annotations

import html
import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from markupsafe import Markup, escape

from autograder.base.text import printable
from autograder.course.troubles import extra

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline

FORMULA = re.compile(r"(\${1,2})(?!\s)((?:\\.|[^$\\]){1,2000}?)(?<!\s)\1(?!\d)", re.DOTALL)
"""Dollars as Jupyter and Pandoc read them: no blank just inside, no digit after."""

ELEMENTS = frozenset((
    "math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "msub", "msup", "msubsup", "munder",
    "mover", "munderover", "mfrac", "msqrt", "mroot", "mstyle", "mtable", "mtr", "mtd",
    "mpadded", "mphantom", "menclose",
))  # fmt: skip
ATTRIBUTES = frozenset((
    "accent", "columnalign", "columnlines", "columnspacing", "display", "displaystyle", "fence",
    "form", "largeop", "linethickness", "lspace", "mathvariant", "maxsize", "minsize",
    "movablelimits", "notation", "rowlines", "rowspacing", "rspace", "scriptlevel", "separator",
    "stretchy", "symmetric", "width",
))  # fmt: skip
"""No attribute that links elsewhere, or that changes the page around the formula."""

LONGEST = 1_000  # characters of the longest formula: the library is fast up to this

_TARGET = re.compile(r"https?://|mailto:", re.IGNORECASE)


def written(text: str) -> Markup:
    """The text as HTML; unchanged text if the library fails."""
    plain = printable(text)
    otherwise = Markup("<p>{}</p>").format(plain)
    return extra(lambda: Markup(_markdown().render(plain)), otherwise)


@cache
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt

    markdown = MarkdownIt("commonmark", {"html": False, "breaks": True})
    # Headings would mix with those of the page; a picture would be loaded from another server.
    markdown.disable(["image", "heading", "lheading", "html_block", "html_inline", "reference"])
    markdown.inline.ruler.before("escape", "formula", _formula)
    markdown.validateLink = lambda target: _TARGET.match(target) is not None  # type: ignore[method-assign, assignment]
    markdown.add_render_rule("formula", _shown_formula)
    markdown.add_render_rule("link_open", _opened_link)
    return markdown


def _formula(state: StateInline, silent: bool) -> bool:
    """Keep Markdown from interpreting the underscores and backslashes of a formula."""
    found = FORMULA.match(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        state.push("formula", "code", 0).content = found.group()
    state.pos = found.end()
    return True


def _shown_formula(renderer, tokens, place, options, env):  # type: ignore[no-untyped-def]
    return typeset(tokens[place].content)


def typeset(source: str) -> Markup:
    """A formula with its dollars; unchanged if it cannot be converted."""
    found = FORMULA.fullmatch(source)
    shown = formula(found[2], found[1] == "$$") if found else None
    return shown or Markup('<code class="formula">{}</code>').format(source)


@lru_cache(maxsize=4096)
def formula(source: str, is_display: bool) -> Markup | None:
    """The formula between its dollars as MathML; None if something in it is unknown.

    Students write formulas, so only known elements and attributes of the library's output are
    taken, and their texts are escaped again.
    """
    # Only pages with a formula wait for the library.
    from latex2mathml.converter import convert_to_element

    if len(source) > LONGEST:
        return None
    try:
        math = convert_to_element(source, display="block" if is_display else "inline")
    except Exception:  # it raises many kinds of errors for invalid formulas
        return None

    for part in math.iter():
        # A blank at the start or the end would be lost.
        part.text = html.unescape(part.text or "").replace(" ", "\u00a0")
        is_known = part.tag in ELEMENTS and ATTRIBUTES.issuperset(part.attrib.keys() - {"xmlns"})
        # The library treats an unknown command as an identifier of that name.
        if not is_known or part.text.startswith("\\"):
            return None

    note = f'<annotation encoding="application/x-tex">{escape(source)}</annotation>'
    (row,) = math
    inside = ElementTree.tostring(row, encoding="unicode", short_empty_elements=False)
    kind = ' display="block"' if is_display else ""
    return Markup(f"<math{kind}><semantics>{inside}{note}</semantics></math>")


def _opened_link(renderer, tokens, place, options, env):  # type: ignore[no-untyped-def]
    return f'<a href="{escape(tokens[place].attrGet("href"))}" rel="noreferrer nofollow">'

"""What people write in Markdown, a student's answer and a teacher's comment, as HTML.

HTML stays text, pictures are not shown, and a link is one only to the web or a mailbox. Formulas
are MathML; one that is not understood stands as it was written, in letters of its own.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from autograder.base.text import printable
from autograder.course.troubles import extra
from autograder.show.pages.formulas import formula

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline

FORMULA = re.compile(r"(\${1,2})(?!\s)((?:\\.|[^$\\]){1,2000}?)(?<!\s)\1(?!\d)", re.DOTALL)
"""As Jupyter and Pandoc read dollars: no blank inside of them, no digit behind them."""

_TARGET = re.compile(r"https?://|mailto:", re.IGNORECASE)


def written(text: str) -> Markup:
    """The text as HTML; where the library trips over it, the text as it is."""
    plain = printable(text)
    otherwise = Markup("<p>{}</p>").format(plain)
    return extra(lambda: Markup(_markdown().render(plain)), otherwise)


@cache
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt

    markdown = MarkdownIt("commonmark", {"html": False, "breaks": True})
    # Headings of others would stand among those of the page; a picture would be loaded from afar.
    markdown.disable(["image", "heading", "lheading", "html_block", "html_inline", "reference"])
    markdown.inline.ruler.before("escape", "formula", _formula)
    markdown.validateLink = lambda target: _TARGET.match(target) is not None  # type: ignore[method-assign, assignment]
    markdown.add_render_rule("formula", _shown_formula)
    markdown.add_render_rule("link_open", _opened_link)
    return markdown


def _formula(state: StateInline, silent: bool) -> bool:
    """Take a formula out of what Markdown would read in it: its underscores and backslashes."""
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
    """A formula with its dollars; where it is not understood, what was written."""
    found = FORMULA.fullmatch(source)
    shown = formula(found[2], found[1] == "$$") if found else None
    return shown or Markup('<code class="formula">{}</code>').format(source)


def _opened_link(renderer, tokens, place, options, env):  # type: ignore[no-untyped-def]
    return f'<a href="{escape(tokens[place].attrGet("href"))}" rel="noreferrer nofollow">'

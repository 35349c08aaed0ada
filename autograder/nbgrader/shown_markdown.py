"""Markdown as the formgrader shows it, typeset here: no page may ask the network for a library."""

from __future__ import annotations

import html
import re

from nbconvert.filters.markdown_mistune import markdown2html_mistune

from autograder.show.pages.markdown import FORMULA, typeset, written

STUDENTS = re.compile(r"(`{3,})text\n(?P<text>.*)\n\1", re.DOTALL)
"""A cell of a student's, as ``text.quoted`` makes it."""

_CODE = re.compile(r"(<pre\b.*?</pre>|<code\b.*?</code>)", re.DOTALL)


def shown(source: str) -> str:
    """A cell as HTML: what a student wrote as pages read it, and our prose as nbconvert does."""
    quoted = STUDENTS.fullmatch(source)
    if quoted:
        return f"<blockquote>{written(quoted['text'])}</blockquote>"

    parts = _CODE.split(str(markdown2html_mistune(source)))
    for place in range(0, len(parts), 2):  # every other one is code
        parts[place] = FORMULA.sub(lambda found: typeset(html.unescape(found[0])), parts[place])
    return "".join(parts)

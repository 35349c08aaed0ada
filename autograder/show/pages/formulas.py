"""A formula as people write it in TeX, as MathML: browsers typeset that without script or network.

The library reads it. Students write formulas, so of what it answers only elements and attributes
that are known here are taken, and their texts are escaped anew.
"""

from __future__ import annotations

import html
from functools import lru_cache
from xml.etree import ElementTree

from markupsafe import Markup, escape

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
"""None that leads elsewhere, or that changes how the page around it looks."""

LONGEST = 1_000
"""Characters of the longest formula that is read: the library is quick with those."""


@lru_cache(maxsize=4096)
def formula(source: str, is_display: bool) -> Markup | None:
    """The formula between its dollars as MathML; None if something in it is not known."""
    # Only pages with a formula wait for the library.
    from latex2mathml.converter import convert_to_element

    if len(source) > LONGEST:
        return None
    try:
        math = convert_to_element(source, display="block" if is_display else "inline")
    except Exception:  # it has many kinds of errors for what is no formula
        return None

    for part in math.iter():
        # A blank at an end would be lost.
        part.text = html.unescape(part.text or "").replace(" ", "\u00a0")
        is_known = part.tag in ELEMENTS and ATTRIBUTES.issuperset(part.attrib.keys() - {"xmlns"})
        # A command that the library does not know is a letter of that name for it.
        if not is_known or part.text.startswith("\\"):
            return None

    note = f'<annotation encoding="application/x-tex">{escape(source)}</annotation>'
    (row,) = math
    inside = ElementTree.tostring(row, encoding="unicode", short_empty_elements=False)
    kind = ' display="block"' if is_display else ""
    return Markup(f"<math{kind}><semantics>{inside}{note}</semantics></math>")

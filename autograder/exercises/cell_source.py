"""What the source of a cell says of itself."""

from __future__ import annotations

import re

# Nearly every check begins so. To parse the whole cell for it takes a hundred times as long, and
# every command reads all checks of an exercise.
PLAIN = re.compile(r'"""([^"\\]*)"""[ \t]*(?:\n|\Z)')
"""A docstring without escapes and quotes, alone in its lines."""


def defines_class(source: str, name: str) -> bool:
    """Whether a cell defines a class of this name."""
    return re.search(rf"^class {re.escape(name)}\b", source, re.MULTILINE) is not None


def sentence_of(source: str) -> str:
    """The sentence of a check that students read: its docstring, in one line."""
    plain = PLAIN.match(source)
    if plain:
        text = plain[1]
    else:
        import ast

        text = ast.get_docstring(ast.parse(source)) or ""
    return " ".join(text.split())

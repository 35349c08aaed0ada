"""What the source of a cell says of itself."""

from __future__ import annotations

import re


def defines_class(source: str, name: str) -> bool:
    """Whether a cell defines a class of this name."""
    return re.search(rf"^class {re.escape(name)}\b", source, re.MULTILINE) is not None


def sentence_of(source: str) -> str:
    """The sentence of a check that students read: its docstring, in one line."""
    import ast

    return " ".join((ast.get_docstring(ast.parse(source)) or "").split())

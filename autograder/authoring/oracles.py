"""The oracles that a hidden check needs: the statements that the build copies into it."""

from __future__ import annotations

from collections.abc import Iterable

from autograder.authoring.statements import Statement, needed, statements


def closure(oracles: Iterable[str], wanted: Iterable[str]) -> str:
    """The statements of ``oracles`` that code using the names ``wanted`` needs, in their order."""
    found: list[Statement] = []
    for code in oracles:
        found += statements(code)
    return "\n\n".join(statement.text for statement in needed(found, wanted))

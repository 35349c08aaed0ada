"""What a function of ours is called with, while it does what it always does."""

from collections.abc import Callable
from typing import Any

import pytest


def noted(
    patch: pytest.MonkeyPatch,
    owner: object,
    name: str,
    what: Callable[..., Any] = lambda *arguments, **named: arguments,
) -> list[Any]:
    """The calls of a function or a method, from now on: ``what`` says of each what is noted."""
    notes: list[Any] = []
    function = getattr(owner, name)

    def noting(*arguments: Any, **named: Any) -> Any:
        notes.append(what(*arguments, **named))
        return function(*arguments, **named)

    patch.setattr(owner, name, noting)
    return notes

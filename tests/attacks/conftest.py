"""The graders that the attacks on the real exercises share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache

import pytest

from tests.attacks.neighbours import Neighbours


@pytest.fixture(scope="module")
def neighbours_of() -> Iterator[Callable[[str], Neighbours]]:
    """Neighbours by the name of an exercise; one grader for each."""
    with ExitStack() as stack:

        @cache
        def neighbours(name: str) -> Neighbours:
            return stack.enter_context(Neighbours(name))

        yield neighbours

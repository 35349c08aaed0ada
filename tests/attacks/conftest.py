"""The graders that the attacks on the real exercises share."""

from __future__ import annotations

import faulthandler
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache

import pytest

from tests.attacks.neighbours import Neighbours


@pytest.fixture(scope="session", autouse=True)
def told() -> Iterator[None]:
    """The system's clock ends a grader's process; where that is the tests' own, it says where it was.

    Then the test fails for what it cost, and the tests after it run.
    """
    faulthandler.register(signal.SIGXCPU, chain=False)
    yield
    faulthandler.unregister(signal.SIGXCPU)


@pytest.fixture(scope="module")
def neighbours_of() -> Iterator[Callable[[str], Neighbours]]:
    """Neighbours by the name of an exercise; one grader for each."""
    with ExitStack() as stack:

        @cache
        def neighbours(name: str) -> Neighbours:
            return stack.enter_context(Neighbours(name))

        yield neighbours

"""The graders that the attacks on the real exercises share."""

import faulthandler
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache

import pytest

from tests.support.attacks.neighbours import Neighbours


@pytest.fixture(scope="session", autouse=True)
def told(pytestconfig: pytest.Config) -> Iterator[None]:
    """The system ends a grader that does not come back; where that is the tests' own process, it
    says where it was.

    Then the test fails for what it cost, and the tests after it run.
    """
    capture = pytestconfig.pluginmanager.getplugin("capturemanager")
    assert capture is not None
    with capture.global_and_fixture_disabled():
        terminal = os.dup(2)

    faulthandler.register(signal.SIGVTALRM, file=terminal, chain=False)
    yield
    faulthandler.unregister(signal.SIGVTALRM)
    os.close(terminal)


@pytest.fixture(scope="module")
def neighbours_of() -> Iterator[Callable[[str], Neighbours]]:
    """Neighbours by the name of an exercise; one grader for each."""
    with ExitStack() as stack:

        @cache
        def neighbours(name: str) -> Neighbours:
            return stack.enter_context(Neighbours(name))

        yield neighbours

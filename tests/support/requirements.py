"""What a test needs of the machine: an isolation level, a browser, a database server."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import pytest

from autograder.base.errors import Unusable


def not_here(reason: str) -> NoReturn:
    """Skips on somebody's own machine, and fails in CI, which promises to have everything."""
    if os.environ.get("CI"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@contextmanager
def isolation_level() -> Iterator[None]:
    """Around whatever starts workers at a certain level: is that level missing, then ``not_here``.

    Errors of any other kind are the test's own.
    """
    try:
        yield
    except Unusable as reason:
        if "not installed" in str(reason) or "no safe isolation level" in str(reason):
            not_here(str(reason))
        raise

"""A share of the exhaustive tests, for who has no time for all of them."""

import os
import zlib

import pytest


def is_in(name: str, share: str) -> bool:
    """Whether a test belongs to a share: ``2/3`` is the second of three."""
    number, count = map(int, share.split("/"))
    return zlib.crc32(name.encode()) % count == number % count


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the share that the environment names in SHARE; without one, everything."""
    share = os.environ.get("SHARE") or "1/1"
    left_out = [item for item in items if not is_in(item.nodeid, share)]
    items[:] = [item for item in items if is_in(item.nodeid, share)]
    config.hook.pytest_deselected(items=left_out)

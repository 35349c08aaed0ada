"""A share of the exhaustive tests, for who has no time for all of them."""

import zlib

import pytest


def is_in(name: str, share: str) -> bool:
    """Whether a test belongs to a share: ``2/3`` is the second of three."""
    number, count = map(int, share.split("/"))
    return zlib.crc32(name.encode()) % count == number % count


def take(items: list[pytest.Item], share: str) -> list[pytest.Item]:
    """Leave the tests of a share, and return the others."""
    taken, left_out = [], []
    for item in items:
        (taken if is_in(item.nodeid, share) else left_out).append(item)
    items[:] = taken
    return left_out

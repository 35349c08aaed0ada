"""Files that others have written are read whole, within bounds, and at the cost of what is there."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import pytest

from autograder import files


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 1000)
    return path


@pytest.mark.parametrize("limit", [1000, 1001, 10**6])
def test_a_file_within_the_limit_is_read_whole(path, limit):
    assert files.read(path, limit) == b"x" * 1000


@pytest.mark.parametrize("limit", [0, 10, 999])
def test_a_larger_file_is_refused(path, limit):
    with pytest.raises(files.Refused, match="is larger than"):
        files.read(path, limit)


def test_a_file_that_has_grown_since_it_was_opened_is_read_whole(path, monkeypatch):
    real = os.fstat

    def earlier(descriptor: int) -> os.stat_result:
        fields = list(real(descriptor))
        fields[6] = 10  # st_size
        return os.stat_result(fields)

    monkeypatch.setattr(os, "fstat", earlier)
    assert files.read(path, 1000) == b"x" * 1000
    with pytest.raises(files.Refused, match="is larger than"):
        files.read(path, 999)


def test_a_small_file_takes_no_more_memory_than_it_has_bytes(path):
    tracemalloc.start()
    try:
        files.read(path, 10**7)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 10**6

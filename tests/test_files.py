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


LEAD_OUT = [
    "..", ".", "", "../a", "a/..", "a/../../b", "a/./b", "a//b", "a/", "/etc/passwd", "//host/share",
    "...", ".. ", " ", "a/. /b", "..\\a", "a\\..\\..\\b", "\\a", "C:", "C:a", "c:/a", "C:\\a",
    "a\0b", "\0", "a\nb", "\x1b[2J", "a\x85b", "\u2028", "\udcff", "x" * 256, "ü" * 128, "a/" + "x" * 256,
]  # fmt: skip


@pytest.mark.parametrize("name", LEAD_OUT, ids=ascii)
def test_a_foreign_name_is_no_place_outside_of_its_folder(tmp_path, name):
    with pytest.raises(files.Refused):
        files.below(tmp_path, name)
    with pytest.raises(files.Refused):
        files.below(tmp_path, "ada", name, follow=False)


@pytest.mark.parametrize(
    "name",
    ["a", "a/b.csv", ".hidden", "a..b", "..a", "Zürich 1.csv", "12:30.csv", "con", "a.", "x" * 255],
)
def test_an_honest_name_is_a_place_in_its_folder(tmp_path, name):
    assert files.below(tmp_path, name) == tmp_path / name
    assert files.below(tmp_path, "ada", name, follow=False) == tmp_path / "ada" / name


@pytest.mark.parametrize(
    "name",
    [
        "con",
        "Aux.csv",
        "a/NUL",
        "com1",
        "LPT9.txt",
        "COM¹",
        "nul .txt",
        "conin$",
        "a.",
        "a ",
        "ab:c",
    ],
)
def test_a_name_that_windows_takes_for_something_else_is_none_there(tmp_path, monkeypatch, name):
    files.below(tmp_path, name)
    monkeypatch.setattr(files, "WINDOWS", True)
    with pytest.raises(files.Refused, match="Windows"):
        files.below(tmp_path, name)
    files.below(tmp_path, "console/community.com1/a.con")


@pytest.mark.parametrize("link", ["up", "out/file", "inside/up"])
def test_a_link_leads_nobody_out_of_a_folder(tmp_path, link):
    folder = tmp_path / "folder"
    (folder / "within").mkdir(parents=True)
    (folder / "up").symlink_to("..")
    (folder / "out").symlink_to(tmp_path)
    (folder / "inside").symlink_to("within")
    (folder / "within" / "up").symlink_to("../..")
    with pytest.raises(files.Refused, match="link"):
        files.below(folder, link)
    assert files.below(folder, link, follow=False) == folder / link
    assert files.below(folder, "inside/file") == folder / "inside" / "file"

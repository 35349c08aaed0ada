"""Backups that somebody has changed, damaged or made up: refused in one line, and nothing is written
but what a backup of ours holds."""

import gzip
import io
import os
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autograder.course.keeping import backup
from tests.support import courses
from tests.support.processes import call, finished

ABOUT = b'{"schema": "autograder/backup/1"}'

Entry = tuple[str, bytes, dict[str, Any]]


def made(*entries: Entry, about: bytes = ABOUT) -> bytes:
    """A backup with these files; each with what its entry says otherwise."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name, data, said in (("backup.json", about, {}), *entries):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), 0o644
            for field, value in said.items():
                setattr(entry, field, value)
            archive.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def of_three_terabytes() -> bytes:
    """A file of which nothing but its length stands in the archive."""
    said = {
        "GNU.sparse.major": "1",
        "GNU.sparse.minor": "0",
        "GNU.sparse.name": "course/big",
        "GNU.sparse.realsize": str(3 << 40),
    }
    return made(("course/GNUSparseFile.0/big", b"0\n".ljust(512, b"\0"), {"pax_headers": said}))


FILE: Entry = ("course/x", b"x", {})
LINK = {"type": tarfile.SYMTYPE, "linkname": "/etc"}
TAMPERED = {
    "a link, and a file below it": made(("course/x", b"", LINK), ("course/x/passwd", b"x", {})),
    "a hard link": made(("course/x", b"", {"type": tarfile.LNKTYPE, "linkname": "backup.json"})),
    "a pipe": made(("course/x", b"", {"type": tarfile.FIFOTYPE})),
    "a device": made(("course/x", b"", {"type": tarfile.CHRTYPE, "devmajor": 1, "devminor": 5})),
    "a place above": made(("course/a/../../../x", b"x", {})),
    "a place of its own": made(("/course/x", b"x", {})),
    "a hook for git": made(FILE, ("root/.git/hooks/post-commit", b"#!/bin/sh", {"mode": 0o755})),
    "a file for the shell": made(FILE, ("root/.bashrc", b"x", {})),
    "two secrets": made(("course/secret", b"a", {}), ("course/secret", b"b", {})),
    "a file for the folder": made(("course", b"x", {})),
    "a file for the folder around it": made(FILE, ("root", b"x", {})),
    "a file below a file": made(FILE, ("course/x/y", b"y", {})),
    "a name with a null": made(("course/x", b"", {"pax_headers": {"path": "course/a\0b"}})),
    "a name that is too long": made((f"course/{'x' * 300}", b"", {})),
    "a thousand folders": made((f"course/{'/'.join(['d'] * 1500)}/x", b"", {})),
    "a time that never comes": made(("course/x", b"", {"pax_headers": {"mtime": "inf"}})),
    "a time that is no number": made(("course/x", b"", {"pax_headers": {"mtime": "nan"}})),
    "more than there is room for": of_three_terabytes(),
    "no course": made(),
    "a deep description": made(FILE, about=b"[" * 100_000),
    "a description of nothing": made(FILE, about=b"[]"),
    "a description that is no text": made(FILE, about=b"\xff\xfe"),
    "a long description": made(FILE, about=b" " * 20_000 + ABOUT),
    "two descriptions": made(FILE, ("backup.json", ABOUT, {})),
    "control characters": made(("elsewhere/\x1b[2J\n::error::x", b"", {})),
    "something behind its end": made(FILE) + b"more",
    "no archive": gzip.compress(b"x" * 1000),
    "nothing": b"",
}


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Path]:
    """An empty folder; and after the test nothing but that and the backup is there."""
    folder = tmp_path / "empty"
    folder.mkdir()
    yield folder
    assert {path.name for path in tmp_path.iterdir()} <= {"empty", "backup.tar.gz"}


def refusal(folder: Path, data: bytes) -> str:
    """What is said of a backup that is refused; nothing is written."""
    path = folder.parent / "backup.tar.gz"
    path.write_bytes(data)
    done = call("restore", path, cwd=folder)
    assert (done.returncode, done.stdout) == (2, ""), done
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"autograder: {path}: ") and ";" in line and "\x1b" not in line
    assert list(folder.iterdir()) == []
    return line


@pytest.mark.parametrize("tampered", TAMPERED)
def test_what_no_back_up_of_ours_holds_is_refused(empty, tampered):
    refusal(empty, TAMPERED[tampered])


def test_one_byte_that_is_another_is_noticed_before_anything_is_written(empty):
    text = bytes(range(256)) * 400
    good = made(("course/x", text, {}), ("course/y", text[::-1], {}))
    for place in (len(good) // 2, len(good) - 6):
        bad = bytearray(good)
        bad[place] ^= 1
        assert "damaged" in refusal(empty, bytes(bad))


def test_a_pipe_is_no_back_up(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "empty").mkdir()
    done = call("restore", tmp_path / "pipe", cwd=tmp_path / "empty")
    assert "is not a regular file; name a backup" in done.stderr


def test_nobody_else_may_read_the_secret_or_run_as_its_owner(empty):
    (empty.parent / "backup.tar.gz").write_bytes(
        made(("course/secret", b"x", {"mode": 0o666}), ("course/x", b"x", {"mode": 0o6777}))
    )
    finished("restore", empty.parent / "backup.tar.gz", cwd=empty)
    modes = [(empty / "course" / name).stat().st_mode & 0o7777 for name in ("secret", "x")]
    assert modes == [0o600, 0o755]


def test_what_was_restored_is_taken_back_where_the_rest_cannot_be(empty, monkeypatch):
    entries = [FILE, ("root/solutions/a.py", b"a", {}), ("root/solutions/b.py", b"b", {})]
    copy = backup.shutil.copy2

    def full(source: Path, target: Path) -> None:
        if target.name == "b.py":
            raise OSError(28, "No space left on device", str(target))
        copy(source, target)

    monkeypatch.setattr(backup.shutil, "copy2", full)
    (empty.parent / "backup.tar.gz").write_bytes(made(*entries))
    done = call("restore", empty.parent / "backup.tar.gz", cwd=empty)
    assert done.returncode == 2 and "no space left on device" in done.stderr
    assert list(empty.iterdir()) == []


# Making one.


def test_what_cannot_be_read_or_becomes_shorter_ends_a_back_up_in_one_line(
    course, tmp_path, monkeypatch
):
    courses.submit(course, "ann", courses.RIGHT)
    path, opened = tmp_path / "backup.tar.gz", backup.files.open_regular

    def refused(place: Path) -> Any:
        raise backup.files.Refused("permission denied")

    def shortened(place: Path) -> Any:
        file = opened(place)
        file.seek(0, io.SEEK_END)
        return file

    monkeypatch.setattr(backup.files, "open_regular", refused)
    done = call("backup", path, cwd=course.root)
    assert done.returncode == 2 and "permission denied; a backup needs it" in done.stderr
    assert not path.exists()

    monkeypatch.setattr(backup.files, "open_regular", shortened)
    done = call("backup", path, cwd=course.root)
    assert done.returncode == 2 and "somebody writes into it, so try again" in done.stderr
    assert not path.exists()


def test_names_that_are_no_text_come_back(course, tmp_path):
    odd = b"a\xff\nb".decode("utf-8", "surrogateescape")
    courses.submit(course, "ann", courses.RIGHT)
    (course.submitted / "ann" / odd).write_text("odd")
    finished("backup", tmp_path / "backup.tar.gz", cwd=course.root)
    other = tmp_path / "other"
    finished("restore", tmp_path / "backup.tar.gz", "--course", other, cwd=course.root)
    assert (other / "submitted" / "ann" / odd).read_text() == "odd"

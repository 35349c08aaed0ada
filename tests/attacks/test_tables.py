"""Odd values in the tables that teachers write: one line with file, cause and repair, and nothing
else is touched."""

import os
import zipfile
from pathlib import Path

import pytest

from tests.support import courses
from tests.support.courses import NAME
from tests.support.processes import call, finished

EXTENSIONS = {
    "a time that no zone leaves in its year": f"ann,{NAME},0001-01-01 00:00 +14:00",
    "a time at the end of all times": f"ann,{NAME},9999-12-31 23:59 -12:00",
    "no number": f"ann,{NAME},nan",
    "a path for a zone": f"ann,{NAME},2026-11-22 10:00 ../../etc/passwd",
    "a folder for a zone": f"ann,{NAME},2026-11-22 10:00 Europe",
    "a path for an exercise": "ann,../../etc,waived",
    "a formula for a student": '"=A1\n::error::",,waived',
    "an escape sequence": "ann,\x1b[2J,waived",
    "a null": f'ann,{NAME},"2026-11-22 10:00 \0"',
    "half a line": "ann",
}


@pytest.mark.parametrize("odd", EXTENSIONS)
def test_an_odd_extension_is_one_line(course, odd):
    courses.submit(course, "ann", courses.RIGHT)
    (course.root / "autograder.toml").write_text(f"due.{NAME} = 2026-11-20T12:00:00Z\n")
    courses.class_list(course, "id,name\nann,Ann\n")
    path = course.state / "extensions.csv"
    path.write_text(f"who,exercise,until\n{EXTENSIONS[odd]}\n")
    before = sorted(course.state.rglob("*"))

    done = call("report", NAME, cwd=course.root)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"autograder: {path}:") and ";" in line and "\x1b" not in line
    assert sorted(path for path in course.state.rglob("*") if path.suffix == ".html") == []
    assert set(before) <= set(course.state.rglob("*"))


@pytest.mark.parametrize("time", ["0001-01-01 00:00 +14:00", "9999-12-31 23:59 -12:00"])
def test_a_due_date_beyond_all_calendars_is_no_time(course, time):
    done = call("release", NAME, "--due", time, "--to-zip", Path("x.zip"), cwd=course.root)
    assert done.returncode == 2 and f"--due {time!r}: no time; write it like" in done.stderr
    assert not (course.root / "x.zip").exists()


def test_what_is_no_file_is_not_handed_out_and_waits_for_nobody(course):
    os.mkfifo(course.root / "assignments" / NAME / "pipe")
    finished("release", NAME, "--to-zip", Path("x.zip"), cwd=course.root)
    with zipfile.ZipFile(course.root / "x.zip") as archive:
        assert archive.namelist() == [f"{NAME}/{NAME}.ipynb"]


def test_the_place_that_cannot_be_written_is_the_one_that_was_named(course):
    (course.root / "folder").mkdir()
    done = call("release", NAME, "--to-zip", Path("folder"), cwd=course.root)
    assert done.returncode == 2 and "folder: is a directory; check the path" in done.stderr
    assert ".part" not in done.stderr

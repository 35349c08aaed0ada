"""Attacks on the grader, each between two honest neighbours; and proof that they would be seen to
succeed."""

import io
import json
import os
import re
import signal
import time
import zipfile
from contextlib import ExitStack, closing, contextmanager
from datetime import datetime
from functools import cache
from itertools import groupby
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest

from autograder.base.settings import Settings
from autograder.course import timestamp
from autograder.course.collecting import inbox
from autograder.course.course import Course
from autograder.course.grading import grade_class, pool
from autograder.engine import budget, recorded_calls, student_errors, verdict
from autograder.engine import session as remote
from autograder.engine.compiled_exercise import CompiledExercise
from autograder.engine.run import OrdinaryVerdicts, Run
from autograder.engine.student_errors import StudentErrors
from autograder.exercises.exercise import load
from autograder.grader import check_result
from autograder.grader import grader as grading
from autograder.grader.grader import Grader
from autograder.sandbox.worker.locks import PROTECTIONS
from autograder.sandbox.worker.protocol import bounds, weight
from autograder.show.pages import document
from autograder.submissions import notebook, parse
from tests.support.attacks import ATTACKS
from tests.support.attacks.arena import (
    FILE,
    MEMORY_MB,
    SECRET,
    Arena,
    _descendants,
    _measured,
    _state,
)
from tests.support.attacks.ordinary import ROOT, Ordinary
from tests.support.attacks.target import exercise, handed_in
from tests.support.processes import children
from tests.support.requirements import isolation_level, not_here

NATIVE = ("bubblewrap", "landlock")
LEVELS = (*NATIVE, "wasm")
BY_ID = {attack.id.partition("-")[0]: attack for attack in ATTACKS}
FAMILY = attrgetter("family")
FAMILIES = {name: list(some) for name, some in groupby(sorted(ATTACKS, key=FAMILY), FAMILY)}
# Three of every family are made by make test, at one level, by turns; make test-everything makes the
# others, those at the other level, and all of them where an ordinary user grades.
FEW = [some[place * len(some) // 3] for some in FAMILIES.values() for place in range(3)]


def by_turns():
    """Every attack at every level; the ordinary run makes the few, each at another level than the
    one before."""
    cases = []
    for place, level in enumerate(LEVELS):
        made = FEW[place :: len(LEVELS)]
        for attack in ATTACKS:
            marks = () if attack in made else pytest.mark.everything
            cases.append(pytest.param(level, attack, id=f"{level}-{attack}", marks=marks))
    return cases


@contextmanager
def arena_at(level, *without):
    with isolation_level():
        opened = Arena(level, frozenset(without))
    with opened:
        yield opened


@pytest.fixture(scope="module", autouse=True)
def other_user(request):
    """Begins first, and works beside the tests of this process, if they ask for it at all."""
    asked = any("ordinary_user" in item.name for item in request.session.items)
    process = Ordinary(*NATIVE) if asked and os.getuid() == 0 else None
    yield process
    if process is not None:
        process.close()


@pytest.fixture(scope="module")
def arena_of(other_user):
    """The arena at a level; one at a time, for each looks at all processes below this one."""
    with ExitStack() as stack:
        opened = {}

        def arena(level):
            if level not in opened:
                stack.close()
                opened.clear()
                opened[level] = stack.enter_context(arena_at(level))
            return opened[level]

        yield arena


@pytest.mark.parametrize(("level", "attack"), by_turns())
def test_an_attack_gains_nothing_learns_nothing_and_leaves_nothing(arena_of, level, attack):
    assert arena_of(level).problems(attack) == []


@pytest.mark.everything
@pytest.mark.parametrize("level", NATIVE)
@pytest.mark.parametrize("attack", ATTACKS, ids=str)
def test_the_same_where_an_ordinary_user_grades(other_user, level, attack):
    if other_user is None:
        pytest.skip("an ordinary user is grading here anyway")
    found = other_user.found(level)
    if "unusable" in found:
        not_here(found["unusable"])
    assert found.get(attack.id, "it was not made") == []


def test_there_are_attacks_of_every_family():
    for place in range(len(LEVELS)):
        made = FEW[place :: len(LEVELS)]
        assert {attack.family for attack in made} == {attack.family for attack in ATTACKS}
    assert "".join(FAMILIES) == "ABCDEFGHI"
    assert sum(map(len, FAMILIES.values())) == len(ATTACKS) >= 60
    assert min(map(len, FAMILIES.values())) >= 6


# Proof that the attacks see a hole where there is one: each protection is left out, and they must
# succeed: the first of its attacks in the ordinary run, the others in the exhaustive one.

WORKER = [
    ("bubblewrap", "namespaces", ["C01", "C03", "C05"]),
    ("bubblewrap", "unprivileged", ["C10"]),
    ("bubblewrap", "limits", ["E06", "E10"]),
    ("bubblewrap", "seccomp", ["E08", "F06", "F11"]),
    ("landlock", "unprivileged", ["C10"]),
    ("landlock", "limits", ["E06", "E10"]),
    ("landlock", "landlock", ["C01", "C03", "C08", "C11", "C12"]),
    ("landlock", "seccomp", ["D07", "E08", "F03", "F06", "F11"]),
    ("landlock", "descriptors", ["C06"]),
    ("landlock", "environment", ["C09"]),
    ("wasm", "namespaces", ["C01", "C03"]),
    ("wasm", "environment", ["C09"]),
    ("wasm", "limits", ["E06"]),
]


def first_and_others(table):
    """Each row twice: with the first of its attacks, and with the others, if there are any; make
    test takes the first ones of every third row."""
    cases = []
    for number, (*about, ids) in enumerate(table):
        sampled = () if number % 3 == 0 else pytest.mark.everything
        for some, marks in ((ids[:1], sampled), (ids[1:], pytest.mark.everything)):
            if some:
                cases.append(pytest.param(*about, some, id="-".join([*about, *some]), marks=marks))
    return cases


@pytest.mark.parametrize(("level", "protection", "ids"), first_and_others(WORKER))
def test_without_a_protection_of_the_worker_its_attacks_succeed(level, protection, ids):
    if protection == "unprivileged" and os.getuid() != 0:
        pytest.skip("only root has privileges to give up")
    with arena_at(level, protection) as opened:
        for id in ids:
            assert opened.is_harmed_by(BY_ID[id]), (
                f"{id} is not seen to succeed without {protection}"
            )


def test_every_protection_of_the_worker_is_left_out_once():
    assert {protection for _, protection, _ in WORKER} == set(PROTECTIONS)


class Everything:
    """Holds every name."""

    def __contains__(self, name):
        return True

    def add(self, name):
        pass


class EverySource(dict):
    """Holds a source of a few lines for every cell."""

    def get(self, cell, default=None):
        return "\n" * 9


def errors_with(**attributes):
    """Exceptions as they are revived where the worker is trusted about these."""

    def opened(self, *args, **kwargs):
        original(self, *args, **kwargs)
        vars(self).update(attributes)

    original = StudentErrors.__init__
    return opened


def all_in_one_worker(compiled, submission, budget, reference):
    """Hidden checks run beside visible ones, and what they find stands."""
    run = Run(compiled, submission, budget, reference)
    ids = {check.id for check in compiled.exercise.checks}
    verdicts = {check.id: verdict for check, verdict in run.verdicts(ids)}
    imprecise = dict.fromkeys((False, True), run.imprecise)
    return OrdinaryVerdicts(verdicts, imprecise, run.unended)


def reference_in_the_grader(self, step):
    """What stands in for a broken step, called where the check runs."""

    def stub(*args):
        self.called.add(step)
        return self._compiled.reference[step](*args)

    return stub


def everything_prepared(self, parent):
    """The teacher's answers run in the parent of all workers, and so known to every worker."""
    self.parent = parent
    for cell in self.exercise.cells:
        if cell.kind in ("setup", "step"):
            parent.preload(cell.id, cell.source)


GRADER = {
    "deadline": ([(budget, "GRACE_SECONDS", 3), (budget, "GRACE_SHARE", 9)], ["E02"]),
    "nonce": ([(remote.Session, "admit", lambda *a: None)], ["B44"]),
    "size of frames": (
        [(bounds, "MAX_BYTES", 1 << 40), (recorded_calls, "MAX_HEARD", 1 << 40)],
        ["E44"],
    ),
    "weight of values": ([(weight, "weigh", lambda *a: None)], ["B26"]),
    "keyed inputs": (
        [(CompiledExercise, "generator", lambda *a: np.random.default_rng(0))],
        ["I02"],
    ),
    "repeated calls": ([(remote.Session, "repeat", lambda *a: None)], ["B21"]),
    "hidden checks apart": ([(grading, "ordinary_verdicts", all_in_one_worker)], ["C20", "C21"]),
    "reference apart": (
        [(Run, "_stub", reference_in_the_grader), (budget, "CALLED_MEMORY", 1 << 40)],
        ["E50"],
    ),
    "known kinds": ([(verdict, "_KNOWN_KINDS", re.compile(".*"))], ["C23", "C24", "C40"]),
    "known names": (
        [(StudentErrors, "__init__", errors_with(_names=Everything()))],
        ["C25", "C41"],
    ),
    "known lines": (
        [(StudentErrors, "__init__", errors_with(_sources=EverySource()))],
        ["C42", "C44"],
    ),
    "assertions kept": ([(remote, "AssertionError", KeyError)], ["A27"]),
    "loops kept": ([(student_errors, "StopIteration", KeyError)], ["A28", "B57"]),
    "escaping": ([(document, "PAGES", document.PAGES.overlay(autoescape=False))], ["H01", "H03"]),
    "printable messages": (
        [(grading, "printable", str), (check_result, "printable", str)],
        ["H05", "H06", "H12"],
    ),
    "values in a file": (
        [(notebook, "MAX_VALUES", 1 << 40), (budget, "MORE_MEMORY", 1 << 40)],
        ["G24"],
    ),
    "code in a file": ([(parse, "MAX_CODE", 1 << 40)], ["G43"]),
}


@pytest.fixture(scope="module")
def bare(other_user):
    with arena_at("landlock") as opened:
        yield opened


@pytest.mark.parametrize(
    ("protection", "ids"), first_and_others((name, ids) for name, (_, ids) in GRADER.items())
)
def test_without_a_protection_of_the_grader_its_attacks_succeed(bare, protection, ids, monkeypatch):
    for place, name, hole in GRADER[protection][0]:
        monkeypatch.setattr(
            place, name, hole, raising=name not in ("AssertionError", "StopIteration")
        )
    for id in ids:
        assert bare.is_harmed_by(BY_ID[id]), f"{id} is not seen to succeed without {protection}"


@pytest.mark.parametrize(("level", "ids"), [("landlock", ["C15", "C16"]), ("wasm", ["C17"])])
def test_answers_that_the_parent_of_the_workers_holds_are_found(
    monkeypatch, other_user, level, ids
):
    monkeypatch.setattr(CompiledExercise, "use", everything_prepared)
    with arena_at(level) as opened:
        assert all(opened.is_harmed_by(BY_ID[id]) for id in ids)


# The parent of the workers.


@pytest.mark.parametrize("level", LEVELS)
def test_a_worker_does_not_outlive_a_parent_that_is_killed(level):
    with arena_at(level) as opened:
        before = _descendants()
        session = remote.Session(opened._grader._workers.parent, opened.settings)
        session.run("softmax", "x = 1")
        worker = _descendants() - before
        assert worker
        started = opened._grader._workers.parent._process.pid
        # bubblewrap stands above the parent of the workers, and gives it a namespace in which it is
        # the first process.
        (parent,) = children(started) if level == "bubblewrap" else (started,)
        os.kill(parent, signal.SIGKILL)
        session.sock.close()
        # Asked one by one: a process that changes its parent meanwhile is missing in one look at
        # the tree and there in the next.
        until = time.monotonic() + 30
        while (
            left := {process for process in worker if _state(process) not in "ZX"}
        ) and time.monotonic() < until:
            time.sleep(0.02)
        assert not left
        broken = opened._grader.grade(handed_in(), "ada").result
        assert (broken.status, broken.score) == ("error", None)
        assert opened._grader.grade(handed_in(), "ada").result.score == 12, (
            "the next submission has a new parent"
        )


def test_workers_share_no_memory_with_their_parent_that_they_could_write_to():
    with Grader(exercise(), SECRET, Settings(isolation="landlock")) as grader:
        maps = Path(f"/proc/{grader._workers.parent._process.pid}/maps").read_text()
    assert not re.search(r"^\S+ .w.s ", maps, re.M)


# Honest work.

HONEST = {
    "softmax": "import numpy as np\ndef softmax(scores, axis=-1):\n    e = np.exp(scores)\n    return e / e.sum(axis=axis, keepdims=True)",
    "causal_mask": "import numpy as np\ndef causal_mask(n, m=None):\n    return np.tril(np.ones((n, m or n), dtype=bool))",
    "concat_heads": "def concat_heads(heads):\n    return heads.reshape(*heads.shape[:-3], heads.shape[-2], -1)",
}


def attention(answers):
    """The reference's notebook as a student's, with these answers in the place of its own."""
    exercise = load(ROOT, "attention")
    cells = [{**cell.raw, "source": answers.get(cell.id, cell.source)} for cell in exercise.cells]
    return exercise, json.dumps(
        {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    ).encode()


@pytest.fixture(scope="module")
def graded():
    """Grades at a level with a key; one grader for each level."""
    graders = {}
    exercise, _ = attention({})

    def grade(level, key, data):
        if level not in graders:
            with isolation_level():
                graders[level] = Grader(exercise, key, Settings(isolation=level))
        # Its bytes are 64 at most, as many as a key may have.
        graders[level]._compiled._key = key
        return graders[level].grade(data, "ada").result

    yield grade
    for grader in graders.values():
        grader.__exit__()


@pytest.mark.parametrize(
    "answers",
    [
        {},
        HONEST,
        *(
            pytest.param({step: answer}, marks=pytest.mark.everything)
            for step, answer in HONEST.items()
        ),
    ],
    ids=lambda a: "+".join(a) or "right",
)
def test_honest_work_gets_the_same_at_every_level(graded, answers):
    data = attention(answers)[1]
    first, *others = (graded(level, b"key", data) for level in (*LEVELS, "process"))
    assert first.score == 100 if not answers else 0 < first.score < 100
    assert all(other.steps == first.steps for other in others)


@pytest.mark.parametrize("keys", [3, pytest.param(20, marks=pytest.mark.everything)])
@pytest.mark.parametrize("answers", [{}, {"softmax": HONEST["softmax"]}], ids=["right", "softmax"])
def test_honest_work_gets_the_same_under_every_key(graded, answers, keys):
    data = attention(answers)[1]
    results = [graded("landlock", f"key {number}".encode(), data) for number in range(keys)]
    verdicts = [[(check.status, check.earned) for check in result.checks] for result in results]
    assert all(verdict == verdicts[0] for verdict in verdicts)


# The folder: what lies where submissions are collected and graded.


@pytest.fixture
def course(tmp_path):
    """A course in which ada and zoe have handed in, and mallory is about to."""
    opened = Course(tmp_path, tmp_path / "course", Settings(isolation="landlock"))
    (tmp_path / "secret.ipynb").write_text(FILE)
    for student in ("ada", "zoe"):
        for place in (opened.inbox / student, opened.submitted / student / "target"):
            place.mkdir(parents=True)
            (place / "target.ipynb").write_bytes(handed_in())
    for place in (opened.inbox / "mallory", opened.submitted / "mallory" / "target"):
        place.mkdir(parents=True)
    return opened


def zipped(**entries):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in entries.items():
            file.writestr(name, data)
    return buffer.getvalue()


@cache
def bomb():
    return zipped(**{"target.ipynb": bytes(200_000_000)})


FOLDERS = {
    "G27-link-to-a-file": lambda place, secret: (place / "target.ipynb").symlink_to(secret),
    "G30-link-to-a-folder": lambda place, secret: (place / "target").symlink_to(secret.parent, target_is_directory=True),
    "G31-pipe": lambda place, secret: os.mkfifo(place / "target.ipynb"),
    "G32-bomb": lambda place, secret: (place / "target.zip").write_bytes(bomb()),
    "G33-archive-in-an-archive": lambda place, secret: (place / "target.zip").write_bytes(zipped(**{"target.zip": bomb()})),
    "G34-way-out-of-the-archive": lambda place, secret: (place / "target.zip").write_bytes(
        zipped(**{f"{up}/ada/target.ipynb": handed_in(label="pass") for up in ("..", "../..", "", "x/../..", "C:")})),
    "G35-no-archive": lambda place, secret: (place / "target.zip").write_bytes(bomb()[:-30] + b"PK\x05\x06" + b"\xff" * 18),
    "G38-folder-with-that-name": lambda place, secret: (place / "target.ipynb").mkdir(),
    "G39-number-of-empty-files": lambda place, secret: (place / "target.zip").write_bytes(
        zipped(**{f"{number}/x": b"" for number in range(30_000)})),
}  # fmt: skip


@pytest.mark.parametrize("attack", FOLDERS)
def test_nothing_but_a_regular_file_is_collected_and_nobody_else_suffers(course, attack):
    FOLDERS[attack](course.inbox / "mallory", course.root / "secret.ipynb")
    (course.submitted / "mallory" / "target").rmdir()
    begun = time.process_time()
    with _measured() as cost:
        found = inbox.collect(course, exercise())
    seconds = time.process_time() - begun
    assert {left.where.split("/")[0] for left in found.left} <= {"mallory"}
    for student in ("ada", "zoe"):
        assert (course.submitted / student / "target" / "target.ipynb").read_bytes() == handed_in()
    assert not (course.submitted / "mallory" / "target" / "target.ipynb").exists()
    everything = [
        path
        for path in course.root.rglob("*")
        if path.is_file() and not path.is_symlink() and path.name != "secret.ipynb"
    ]
    assert not any(FILE.encode() in path.read_bytes() for path in everything)
    assert cost.memory_mb < MEMORY_MB and seconds < 10


def graded_files(course, students):
    """The results of these students, from the files where submissions lie."""
    with closing(pool.LocalPool(1, exercise(), course.secret(), course.settings)) as here:
        tasks = [
            grade_class.task_of(course, "target", course.submitted, student, True)
            for student in students
        ]
        return [here.submit(task).result().result for task in tasks]


@pytest.mark.parametrize("what", ["file", "folder", "pipe", "directory"])
def test_what_is_no_file_where_submissions_lie_is_rejected_and_the_class_goes_on(course, what):
    place = course.submitted / "mallory" / "target"
    if what == "folder":
        place.rmdir()
        place.symlink_to(course.submitted / "ada" / "target", target_is_directory=True)
    elif what == "file":
        (place / "target.ipynb").symlink_to(course.submitted / "ada" / "target" / "target.ipynb")
    elif what == "pipe":
        os.mkfifo(place / "target.ipynb")
    else:
        (place / "target.ipynb").mkdir()
    results = graded_files(course, ["ada", "mallory", "zoe"])
    assert [(result.status, result.score) for result in results] == [
        ("graded", 12),
        ("rejected", None),
        ("graded", 12),
    ]


def test_a_hard_link_is_read_as_the_bytes_that_it_is(course):
    place = course.submitted / "mallory" / "target" / "target.ipynb"
    os.link(course.root / "secret.ipynb", place)
    (result,) = graded_files(course, ["mallory"])
    assert result.status == "rejected" and FILE not in result.to_json()
    assert (course.root / "secret.ipynb").read_text() == FILE


@pytest.mark.parametrize(
    "name",
    [
        "..",
        ".hidden",
        "b.*",
        "-rf;x",
        "a b",
        "=HYPERLINK(1)",
        "+cmd|' C'!A0",
        "\x1b[2J",
        "é",
        "x" * 65,
        "ada\n",
    ],
)
def test_a_folder_whose_name_is_no_student_id_is_nobodys(course, name):
    if name != "..":
        (course.submitted / name / "target").mkdir(parents=True)
    assert grade_class.scan(course.submitted, "target").students == ("ada", "mallory", "zoe")


@pytest.mark.parametrize(
    "text",
    [
        b"2000-01-01 00:00:00 UTC" * 99,
        b"\xff\xfe",
        b"9" * 150,
        b"now",
        b"2000-01-01 00:00:00 /etc/passwd",
        b"",
    ],
)
def test_a_forged_time_stamp_is_no_time(course, text):
    (course.submitted / "ada" / "target" / "timestamp.txt").write_bytes(text)
    assert timestamp.submitted_at(course.submitted / "ada" / "target") in (
        None,
        datetime(2000, 1, 1),
    )

"""An isolation level is used only after a worker has tried, at that start, to break out of it."""

import os
import sys

import pytest

from autograder.base.errors import Unusable
from autograder.base.settings import Settings
from autograder.engine import selftest
from autograder.grader.grader import Grader
from autograder.sandbox import parents
from autograder.sandbox.parents import EngineFault, start_parent
from autograder.sandbox.worker import landlock
from tests.support import toy
from tests.support.requirements import isolation_level

WITHOUT = {"bubblewrap": "seccomp", "landlock": "landlock", "wasm": "environment"}


@pytest.fixture
def opened():
    """Parents of workers, closed at the end."""
    parents = []

    def start(level, *without):
        with isolation_level():
            parents.append(start_parent(level, frozenset(without)))
        return parents[-1]

    yield start
    for each in parents:
        each.close()


def test_where_nothing_is_locked_the_self_test_finds_open_doors(opened):
    possible = {
        finding.attempt for finding in selftest.examine(opened("process")) if not finding.prevented
    }
    assert {
        "read a file",
        "list a folder",
        "open a network socket",
        "open a local socket",
        "start a process",
    } <= possible


@pytest.mark.parametrize("level", WITHOUT)
def test_where_all_is_locked_it_finds_none(opened, level):
    findings = selftest.examine(opened(level))
    assert len(findings) >= 16
    assert all(finding.prevented for finding in findings)


@pytest.mark.parametrize("level", WITHOUT)
def test_a_level_with_an_open_door_is_refused(opened, monkeypatch, level):
    monkeypatch.setattr(
        selftest, "start_parent", lambda level, without, supplies: opened(level, WITHOUT[level])
    )
    with pytest.raises(Unusable, match=f"{level}: student code could "):
        selftest.strongest(level)


def test_a_level_whose_program_is_missing_leaves_no_socket_open(monkeypatch):
    monkeypatch.setenv("PATH", "")
    before = os.listdir("/dev/fd")
    with pytest.raises(Unusable, match="not installed") as said:
        start_parent("bubblewrap")
    assert os.listdir("/dev/fd") == before, said


def fails(*_):
    raise EngineFault("it has ended")


def test_a_kernel_without_landlock_is_named(monkeypatch):
    monkeypatch.setattr(parents.WarmParent, "wait_ready", fails)
    monkeypatch.setattr(landlock, "version", lambda: 0)
    with pytest.raises(EngineFault, match="no Landlock"):
        start_parent("landlock")


@pytest.mark.parametrize(
    ("system", "better"), [("linux", "bubblewrap"), ("darwin", "the extra wasm")]
)
def test_what_to_install_depends_on_the_system(monkeypatch, system, better):
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(selftest, "start_parent", fails)
    with pytest.raises(Unusable, match=f"; install {better} and run"):
        selftest.strongest("auto")


def test_of_two_levels_the_one_without_an_open_door_is_taken(opened, monkeypatch):
    monkeypatch.setattr(
        selftest,
        "start_parent",
        lambda level, without, supplies: opened(level, *["seccomp"] * (level == "bubblewrap")),
    )
    assert selftest.strongest("auto")[0] == "landlock"


def test_an_attempt_that_ends_the_worker_was_not_prevented(opened, monkeypatch):
    ends = selftest.ATTEMPTS.replace('"be root": root', '"be root": lambda: os._exit(0)')
    monkeypatch.setattr(selftest, "ATTEMPTS", ends)
    findings = selftest.examine(opened("landlock"))
    assert [finding.attempt for finding in findings if not finding.prevented] == ["be root"]


def test_a_result_of_another_level_is_graded_again():
    toy_exercise = toy.exercise("assert f() == 1")
    data = toy.submission(toy_exercise, f="def f(): return 1")
    results = {}
    for level in ("process", "landlock"):
        with Grader(toy_exercise, b"key", Settings(isolation=level)) as grader:
            results[level] = grader.grade(data, "ada").result
            kept = [grader.unchanged(data, result) is not None for result in results.values()]
    assert kept == [False, True]

"""A worker that the system kills costs nobody anything."""

import os
import signal
import time
from pathlib import Path

import pytest

from autograder.base.settings import Settings
from autograder.grader.grader import Grader
from autograder.sandbox.parents import NOTHING, WarmParent, WorkerProcess
from tests.support.toy import PATIENT, exercise, submission


def kill(worker: WorkerProcess) -> None:
    """Kill a worker, and wait until it is dead."""
    os.kill(worker.number, signal.SIGKILL)
    state = "R"
    while state not in "ZX":
        state = Path(f"/proc/{worker.number}/stat").read_text().rpartition(") ")[2][0]


@pytest.mark.parametrize(
    "turn", [1, *(pytest.param(turn, marks=pytest.mark.everything) for turn in (2, 3))]
)
def test_a_worker_that_is_killed_before_it_has_heard_anything_is_replaced(monkeypatch, turn):
    toy = exercise("assert f(2) == 4", "assert f(3) == 6")
    data = submission(toy, f="def f(x):\n    return 2 * x")
    start, started = WarmParent.start, 0

    def dying(parent: WarmParent) -> WorkerProcess:
        nonlocal started
        worker = start(parent)
        started += 1
        if started == turn:
            kill(worker)
        return worker

    with Grader(toy, b"key", PATIENT) as grader:
        grader._workers.parent.close()
        grader._workers.parent = grader._compiled.parent = WarmParent(
            "process", frozenset(), NOTHING
        )
        grader._workers.parent.wait_ready()
        monkeypatch.setattr(WarmParent, "start", dying)
        results = [grader.grade(data, "ada").result for _ in range(3)]

    assert started > turn
    assert [(result.status, result.score) for result in results] == [("graded", 2)] * 3


def test_code_that_ends_its_workers_pays_for_new_ones(monkeypatch):
    # At the level wasm on macOS and Windows a new one takes more than a second.
    start, started = WarmParent.start, []

    def slow(parent: WarmParent) -> WorkerProcess:
        started.append(time.sleep(0.5))
        return start(parent)

    toy = exercise(*["assert f() == 1"] * 20)
    settings = Settings(isolation="process", submission_seconds=2)
    with Grader(toy, b"key", settings) as grader:
        monkeypatch.setattr(WarmParent, "start", slow)
        ends = grader.grade(submission(toy, f="import os\ndef f():\n    os._exit(0)"), "ada").result
        paid = len(started)
        honest = grader.grade(submission(toy, f="def f(): return 1"), "ada").result

    assert (ends.status, ends.score, honest.score) == ("graded", 0, 20)
    assert paid < 10
    assert "had used up its 2 s" in ends.checks[-1].message

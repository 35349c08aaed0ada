"""A verdict comes from running the check on what this submission answers, and from nothing else."""

import json

import pytest

from autograder.base.settings import Settings
from autograder.grader.grader import Grader
from autograder.sandbox.worker.protocol import frames
from tests.support.toy import PATIENT, added, exercise, grade, notebook, submission

pytestmark = pytest.mark.usefixtures("kept_parents")


def graded(toy, *answers, settings=PATIENT):
    """What the checks say of these answers, handed in one after the other."""
    with Grader(toy, b"key", settings) as grader:
        results = [grader.grade(submission(toy, f=answer), "ada").result for answer in answers]
    return [[check.message for check in result.checks] for result in results]


def test_a_check_may_call_as_often_as_the_answers_ask_for():
    toy = exercise("for n in (1, 2, 3):\n    if f(n) < 0: break\nassert f(9) > 0")
    short = "def f(n): return -n if n < 9 else n"
    longer = "def f(n): return n if n < 3 else 9"
    assert graded(toy, longer, short, longer, short) == [[""]] * 4


def test_a_check_with_a_clock_fails_a_slow_answer_behind_a_fast_one():
    toy = exercise(
        "import time\nbegun = time.monotonic()\nf(1)\nassert time.monotonic() - begun < 0.4, 'slow'"
    )
    fast = "def f(n): return n"
    slow = "import time\ndef f(n):\n    time.sleep(0.5)\n    return n"
    assert graded(toy, slow, fast, slow)[::2] == [["slow"], ["slow"]]


def test_no_call_crosses_before_the_one_before_it_is_answered(monkeypatch):
    """A question may hold the right answer to the one before."""
    log = []
    send, receive = frames.send, frames.receive

    def sent(sock, kind, nonce, payload):
        log.append(("sent", bytes(payload)))
        send(sock, kind, nonce, payload)

    def received(*args):
        frame = receive(*args)
        log.append(("received", b""))
        return frame

    monkeypatch.setattr(frames, "send", sent)
    monkeypatch.setattr(frames, "receive", received)
    toy = exercise("assert f('question') == 'answer'\nassert f('answer') == 'answer'")
    right = "def f(text): return 'answer'"
    assert graded(toy, right, f"{right}  # another", f"{right}  # a third") == [[""]] * 3

    asked = [number for number, (what, _) in enumerate(log) if what == "sent"]
    calls = [number for number in asked if b"def f" not in log[number][1]]
    assert sum(b"question" in log[number][1] for number in calls) >= 3
    for number in calls:
        assert log[number][1].count(b"question") + log[number][1].count(b"answer") <= 1


def test_a_visible_check_passes_by_no_input_of_a_hidden_one():
    """What is visible may be told at once: by it a student would read a hidden bit."""
    toy = exercise("f(float(rng.normal()))", "assert f(0.0) == 0", hidden=(0,))
    knowing = """
    heard = []
    def f(x):
        heard.append(x)
        return 0 if any(heard) else 1
    """
    hidden, visible = grade(toy, f=knowing).checks
    assert (hidden.status, visible.status) == ("passed", "failed")


def test_single_precision_for_hidden_inputs_mends_no_visible_check():
    """A step that is right only where an earlier one is replaced would tell when that happens."""
    checks = ("assert g(1.0) == 2", "assert f({}) == {}")
    answers = {
        "f": "import numpy as np\ndef f(x): return np.float32(x) if x == 7 else x",
        "g": "def g(x):\n    f(x)\n    return 2 if type(f).__name__ != 'function' else 0",
    }
    for asked in (6.0, 7.0):
        second = checks[1].format(asked, asked)
        toy = exercise(checks[0], second, steps="f g", hidden=(1,), f="def f(x): return x")
        visible, hidden = grade(toy, **answers).checks
        assert (visible.status, hidden.status) == ("failed", "passed")


SLOW = Settings(call_seconds=2, submission_seconds=5)


def with_added(toy, sources, **answers):
    book = notebook(toy, **answers)
    book["cells"][1:1] = [added(source) for source in sources]
    return json.dumps(book).encode()


def test_slow_cells_of_their_own_take_no_points_of_right_answers_and_run_once():
    toy = exercise("assert f(1) == 1", "assert f(2) == 2", hidden=(1,))
    trials = [f"import time\ntime.sleep(0.9)  # trial {number}" for number in range(5)]
    result = grade(toy, with_added(toy, trials, f="def f(n): return n"), settings=SLOW)
    assert (result.score, result.warnings) == (2, ())


def test_added_cells_that_take_more_than_their_time_are_named_and_cost_nothing():
    toy = exercise("assert f(1) == 1", "assert f(2) == 2", hidden=(1,))
    trials = [f"import time\ntime.sleep({1.8 - number / 10:.1f})" for number in range(6)]
    result = grade(toy, with_added(toy, trials, f="def f(n): return n"), settings=SLOW)
    assert result.score == 2
    assert len(result.warnings) == 1
    assert '("time.sleep(1.8)": 1.' in result.warnings[0]


def test_a_slow_cell_that_an_answer_needs_runs_wherever_the_answer_does():
    toy = exercise("assert f(1) == 1", "assert f(2) == 2", hidden=(1,))
    helper = "import time\ntime.sleep(0.7)\nTABLE = {1: 1, 2: 2}"
    result = grade(toy, with_added(toy, [helper], f="def f(n): return TABLE[n]"), settings=SLOW)
    assert result.score == 2

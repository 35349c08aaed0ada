"""A check is not run again for answers with which it has passed; every call is made all the same."""

from __future__ import annotations

import pytest

from autograder.engine import known_conversations
from autograder.engine.compiled_exercise import SEEDS, CompiledExercise
from autograder.engine.grader import Grader
from autograder.engine.run import Run
from autograder.engine.worker.protocol import frames
from tests.support.toy import MIXED, PATIENT, exercise, submission

pytestmark = pytest.mark.usefixtures("kept_parents")

THREE_CALLS = "for number in (1, 2, 3):\n    assert f(number) == number, f'not {number}'"
RIGHT = "def f(number): return number"


@pytest.fixture
def runs(monkeypatch):
    """The checks that have run, in their order."""
    ran = []
    ask = Run._ask

    def noted(self, check, seed, namespace):
        ran.append(check.name)
        ask(self, check, seed, namespace)

    monkeypatch.setattr(Run, "_ask", noted)
    return ran


def graded(toy, *answers, settings=PATIENT):
    """What a check says of these answers, handed in one after the other."""
    with Grader(toy, b"key", settings) as grader:
        results = [grader.grade(submission(toy, f=answer), "ada").result for answer in answers]
    return [result.checks[0].message for result in results]


def test_a_check_runs_once_for_one_set_of_answers(runs):
    toy = exercise(THREE_CALLS)
    assert graded(toy, RIGHT, f"{RIGHT}  # another student") == ["", ""]
    assert runs == ["c0"]


def test_a_check_that_draws_nothing_is_known_whatever_seed_a_submission_gets(runs):
    answers = [f"{RIGHT}  # student {number}" for number in range(8)]
    graded(exercise(THREE_CALLS), *answers)
    assert runs == ["c0"]


def test_a_check_that_draws_is_known_for_each_of_its_seeds(runs):
    toy = exercise("x = rng.normal(size=3)\nassert (f(x) == x).all()")
    answers = [f"{RIGHT}  # student {number}" for number in range(5 * SEEDS)]
    assert set(graded(toy, *answers)) == {""}
    assert len(runs) <= SEEDS


def test_right_answers_that_are_rounded_otherwise_are_known_beside_each_other(runs):
    toy = exercise("for number in (1, 2):\n    assert abs(f(number) - 0.1 * number) < 1e-9")
    ways = ["def f(number): return 0.1 * number", "def f(number): return 0.1 * number + 1e-15"]
    assert graded(toy, *ways, *ways) == [""] * 4
    assert runs == ["c0", "c0"]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("def f(number): return number if number < 3 else 4", "not 3"),
        ("def f(number): return number if number < 2 else ...", "a value of type ellipsis"),
        ("def f(number): return number if number < 2 else 1 / 0", "f raised ZeroDivisionError"),
        ("import os\ndef f(number): return number if number < 2 else os._exit(0)", "f ended its"),
        ("def f(number): raise NotImplementedError", "f is still to be written"),
    ],
)
def test_who_differs_from_known_answers_is_told_what_is_wrong(answer, message):
    alone, behind = graded(exercise(THREE_CALLS), answer)[0], RIGHT
    assert message in alone
    assert graded(exercise(THREE_CALLS), behind, answer)[1] == alone


def test_a_call_that_hangs_behind_known_answers_is_told_by_its_time():
    answer = "import time\ndef f(number):\n    time.sleep(99 * (number == 3))\n    return number"
    messages = graded(exercise(THREE_CALLS), RIGHT, answer, settings=MIXED)
    assert messages == ["", "f did not return within 3 s"]


def test_a_call_that_hangs_and_catches_its_time_limit_is_told_all_the_same():
    stubborn = """
    import time
    def f(number):
        while number == 3:
            try: time.sleep(99)
            except BaseException: pass
        return number
    """
    messages = graded(exercise(THREE_CALLS), RIGHT, stubborn, settings=MIXED)
    assert messages == ["", "f did not return within 3 s"]


@pytest.fixture
def sent(monkeypatch):
    """The kinds of all frames that the grader has sent."""
    kinds = []
    send = frames.send

    def noted(sock, kind, nonce, payload):
        kinds.append(kind)
        send(sock, kind, nonce, payload)

    monkeypatch.setattr(frames, "send", noted)
    return kinds


def test_known_calls_cross_together_with_the_one_that_is_repeated(sent):
    toy = exercise(THREE_CALLS)
    with Grader(toy, b"key", PATIENT) as grader:
        grader.grade(submission(toy, f=RIGHT), "ada")
        assert frames.SEVERAL not in sent
        sent.clear()
        grader.grade(submission(toy, f=f"{RIGHT}  # bob"), "bob")
    assert frames.CALL not in sent
    assert sent.count(frames.SEVERAL) == 1


SEVERAL = (THREE_CALLS, "assert f(4) == 4, 'not 4'", "assert f(5) == 5, 'not 5'")


def test_all_that_the_checks_of_a_step_are_known_to_ask_crosses_together(sent):
    toy = exercise(*SEVERAL)
    with Grader(toy, b"key", PATIENT) as grader:
        grader.grade(submission(toy, f=RIGHT), "ada")
        sent.clear()
        assert grader.grade(submission(toy, f=f"{RIGHT}  # bob"), "bob").result.score == 3
    assert frames.CALL not in sent
    assert sent.count(frames.SEVERAL) == 1


@pytest.mark.parametrize("wrong", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("outcome", ["0", "...", "1 / 0", "__import__('os')._exit(0)"])
def test_who_differs_in_one_of_several_checks_is_told_of_that_one(wrong, outcome):
    toy, answer = (
        exercise(*SEVERAL),
        f"def f(number): return {outcome} if number == {wrong} else number",
    )
    with Grader(toy, b"key", PATIENT) as grader:
        alone = grader.grade(submission(toy, f=answer), "ada").result.checks
    with Grader(toy, b"key", PATIENT) as grader:
        grader.grade(submission(toy, f=RIGHT), "bob")
        assert grader.grade(submission(toy, f=answer), "ada").result.checks == alone
    assert [check.status for check in alone].count("failed") == 1


def test_of_several_checks_the_one_that_hangs_fails_and_the_others_are_asked_all_the_same():
    answer = "import time\ndef f(number):\n    time.sleep(99 * (number == 4))\n    return number"
    toy = exercise(*SEVERAL)
    with Grader(toy, b"key", MIXED) as grader:
        grader.grade(submission(toy, f=RIGHT), "bob")
        checks = grader.grade(submission(toy, f=answer), "ada").result.checks
    assert [check.message for check in checks] == ["", "f did not return within 3 s", ""]


def test_what_a_visible_check_quotes_has_seen_no_hidden_input_where_all_were_asked_ahead():
    toy = exercise("assert f(1) == 1, str(f(0))", "assert f(7) == 7", hidden=(1,))
    spying = """
    seen = []
    def f(number):
        seen.append(number)
        return sum(seen) if number == 0 else 2 if number == 1 else number
    """
    with Grader(toy, b"key", PATIENT) as grader:
        grader.grade(submission(toy, f=RIGHT), "bob")
        visible, _ = grader.grade(submission(toy, f=spying), "ada").result.checks
    assert visible.message == "2"  # it was asked for f(1) twice, and not for f(7)


@pytest.mark.parametrize(
    "payload", ["b''", "b'x'", "frames.part(2, b'') * 9", "frames.part(9, b'')"]
)
def test_a_worker_that_answers_several_calls_with_anything_else_is_asked_one_by_one(payload):
    forger = f"""
    import gc, sys
    frames = sys.modules["autograder.engine.worker.protocol.frames"]
    worker = next(o for o in gc.get_objects() if type(o).__name__ == "Worker")
    worker._calls = lambda _: {payload}
    def f(number):
        return number if number < 3 else 4
    """
    assert graded(exercise(THREE_CALLS), RIGHT, forger) == ["", "not 3"]


def test_slow_calls_are_asked_for_in_several_turns():
    slow = "import time\ndef f(number):\n    time.sleep(0.11)\n    return number"
    assert graded(exercise(THREE_CALLS), RIGHT, slow) == ["", ""]


def test_what_another_check_asks_after_other_answers_is_asked_anew():
    toy = exercise("assert f(2 if f(1) == 1 else 3) in (2, 3)")
    ways = [RIGHT, "def f(number): return number if number > 1 else 1.0 + (number == 0)"]
    other = "def f(number): return 3 if number == 1 else number"
    assert graded(toy, *ways, other, f"{other}  # again", RIGHT + "  # again") == [""] * 5


def test_calls_that_have_been_made_are_not_made_again_for_the_check():
    counting = """
    calls = 0
    def f(number):
        global calls
        calls += 1
        if number == 2:
            return 2.0  # as good as 2, but not the same byte for byte
        return number if number < 3 or calls in (3, 4) else calls
    """
    assert graded(exercise(THREE_CALLS), RIGHT, counting) == ["", ""]


def test_changes_to_arguments_are_seen_behind_known_answers():
    toy = exercise("x = np.zeros(2)\nf(x)\nf(x)\nassert not x.any(), 'x has changed'")
    spoiling = """
    calls = 0
    def f(x):
        global calls
        calls += 1
        x += calls == 2
    """
    assert graded(toy, "def f(x): pass", spoiling) == ["", "x has changed"]


def test_answers_that_differ_when_a_call_is_repeated_fail_where_they_are_known():
    toy = exercise("assert f(1) < 2")
    forgetful = """
    calls = 0
    def f(number):
        global calls
        calls += 1
        return calls - 1
    """
    assert graded(toy, "def f(number): return 0", forgetful)[1] == (
        "f gave two different answers to the same call"
    )


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        ("assert f(lambda x: x + 1) == 2", "def f(other): return other(1)"),
        ("try:\n    f(1)\nexcept ValueError:\n    pass", "def f(number): raise ValueError"),
        ("assert f(1).dtype == 'float32'", "import numpy as np\ndef f(n): return np.float32(n)"),
    ],
    ids=["functions", "exceptions", "single precision"],
)
def test_where_more_counts_than_the_answers_a_check_runs_every_time(runs, check, answer):
    graded(exercise(check), answer, answer)
    assert runs == ["c0", "c0"]


def test_without_room_nothing_is_known_and_nothing_else_changes(runs, monkeypatch):
    monkeypatch.setattr(known_conversations, "MAX_BYTES", 0)
    assert graded(exercise(THREE_CALLS), RIGHT, RIGHT) == ["", ""]
    assert runs == ["c0", "c0"]


def test_the_seeds_of_a_check_follow_from_secret_and_submission():
    toy = exercise(THREE_CALLS)
    (check,) = toy.checks
    first, second = CompiledSeeds(toy, b"key"), CompiledSeeds(toy, b"another")
    assert first.seeds(check) == CompiledSeeds(toy, b"key").seeds(check) != second.seeds(check)
    assert set(first.seeds(check)) == set(range(SEEDS))
    assert first.inputs(check) == CompiledSeeds(toy, b"key").inputs(check)
    assert not set(first.inputs(check)) & set(second.inputs(check))
    assert len(set(first.inputs(check))) == SEEDS


class CompiledSeeds:
    """What an exercise draws with a secret."""

    def __init__(self, toy, secret):
        with Grader(toy, secret, PATIENT) as grader:
            self._compiled: CompiledExercise = grader._compiled

    def seeds(self, check):
        class Handed:
            def __init__(self, number):
                self.sha256 = str(number)

        return [self._compiled.draw(check, Handed(number))[0] for number in range(20 * SEEDS)]

    def inputs(self, check):
        return [float(self._compiled.generator(check, seed).normal()) for seed in range(SEEDS)]


def test_what_conversations_have_in_common_is_kept_once():
    """Right answers differ in the rounding of a few calls, and in nothing else."""
    toy = exercise("x = np.ones(1000)\nassert len(f(x)) == 1000\nassert abs(f(1) - 1) < 1e-9")
    way = "import numpy as np\ndef f(x): return x if np.ndim(x) else {}"
    kept = []
    with Grader(toy, b"key", PATIENT) as grader:
        for other in ("1.0", "1.0 + 1e-15", "1.0 - 1e-15"):
            data = submission(toy, f=way.format(other))
            assert grader.grade(data, None).result.score == toy.max_score
            kept.append(grader._compiled.conversations._kept)
    assert kept[0] < kept[1] < kept[2] < kept[0] + 2000


def test_a_check_that_calls_nothing_is_known_like_any_other(runs):
    answers = [RIGHT, f"{RIGHT}  # another student"]
    assert graded(exercise("seen = 1", "assert f(1) == 1"), *answers) == ["", ""]
    assert runs == ["c0", "c1"]

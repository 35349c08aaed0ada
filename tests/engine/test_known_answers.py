"""The reference is not asked again what it has answered: the stub of a step knows it."""

import pytest

from autograder.engine import stub
from autograder.engine.stub import Stub
from autograder.grader.grader import Grader
from tests.support import toy
from tests.support.noting import noted

pytestmark = pytest.mark.usefixtures("kept_parents")

DOUBLE = "def f(x):\n    return 2 * x"
WRONG = "def f(x):\n    return 3 * x"
PLUS_ONE = "def g(x):\n    return f(x) + 1"
CALLS = "assert [g(x) for x in (1, 2)] == [3, 5], 'wrong'"


@pytest.fixture
def asked(monkeypatch):
    """What the reference was asked, in its order."""
    return noted(monkeypatch, Stub, "__call__", lambda _, *args: args)


def graded(exercise, *answers):
    """The statuses that each of these answers gets for the last step's check."""
    statuses = []
    with Grader(exercise, b"key", toy.PATIENT) as grader:
        for answer in answers:
            result = grader.grade(toy.submission(exercise, **answer), "ada").result
            statuses.append(result.steps[-1].checks[-1].status)
    return statuses


def two_steps(f=DOUBLE):
    """An exercise of a step and one that calls it, with a check each."""
    cells = [toy.setup_cell()]
    for step, answer, check in (("f", f, "assert f(1) == 0"), ("g", PLUS_ONE, CALLS)):
        cells += [toy.step_cell(step, answer), toy.check_cell(step, 0, check)]
    return toy.of_cells(cells)


def test_what_one_submission_has_asked_is_known_for_the_next(asked):
    other = {"f": f"{WRONG}  # of another", "g": PLUS_ONE}
    assert graded(two_steps(), {"f": WRONG, "g": PLUS_ONE}, other) == ["carried", "carried"]
    assert asked == [(1,), (2,)]


def test_another_question_is_asked(asked):
    minus = {"f": WRONG, "g": "def g(x):\n    return f(x + 1) - 1"}
    assert graded(two_steps(), {"f": WRONG, "g": PLUS_ONE}, minus) == ["carried", "carried"]
    assert asked == [(1,), (2,), (3,)]


def test_an_exception_of_the_reference_is_raised_each_time(asked):
    steps = two_steps(f="def f(x):\n    if x > 1: raise ValueError('large')\n    return 2 * x")
    caught = (
        "def g(x):\n    try:\n        return f(x) + 1\n    except ValueError:\n        return 5"
    )
    assert graded(steps, *2 * [{"f": WRONG, "g": caught}]) == ["carried", "carried"]
    assert asked == [(1,), (2,), (2,)]


def test_what_it_changes_in_an_argument_is_changed_each_time(asked):
    steps = two_steps(f="def f(x):\n    x.append(2)\n    return x[0] * 2")
    in_place = {"f": WRONG, "g": "def g(x):\n    y = [x]\n    return f(y) + 1 + len(y) - 2"}
    assert graded(steps, in_place, in_place) == ["carried", "carried"]
    assert asked == [([1, 2],), ([2, 2],)]


def test_a_function_among_the_arguments_is_called_each_time(asked):
    steps = two_steps(f="def f(x):\n    return 2 * x()")
    called = {"f": WRONG, "g": "def g(x):\n    return f(lambda: x) + 1"}
    assert graded(steps, called, called) == ["carried", "carried"]
    assert len(asked) == 4


def test_without_room_it_is_asked_again_and_says_the_same(asked, monkeypatch):
    monkeypatch.setattr(stub, "MAX_BYTES", 0)
    wrong = {"f": WRONG, "g": PLUS_ONE}
    assert graded(two_steps(), wrong, wrong) == ["carried", "carried"]
    assert len(asked) > 2 * 2  # a call of a check is repeated


def test_who_asks_very_much_keeps_no_room_from_those_behind(asked, monkeypatch):
    monkeypatch.setattr(stub, "MAX_BYTES", 2_000)
    g = "def g(x):\n    return max(f(n) for n in range(x + 100)) and f(x) + 1"
    greedy = {"f": WRONG, "g": g}
    usual = {"f": WRONG, "g": PLUS_ONE}
    assert graded(two_steps(), greedy, usual, usual) == ["carried"] * 3
    assert asked[-2:] == [(1,), (2,)] != asked[-4:-2]  # by the first of the usual two alone


def test_what_is_kept_never_takes_more_than_its_room(monkeypatch):
    monkeypatch.setattr(stub, "MAX_BYTES", 100)
    known = stub.KnownAnswers()
    for number in range(30):
        known.keep("f", bytes([number]), bytes(9))
    there = [number for number in range(30) if known.get("f", bytes([number]))]
    assert there == list(range(20, 30))


def test_an_answer_that_is_asked_for_stays_longer_than_one_that_is_not(monkeypatch):
    monkeypatch.setattr(stub, "MAX_BYTES", 100)
    known = stub.KnownAnswers()
    for number in range(30):
        known.keep("f", bytes([number]), bytes(9))
        assert known.get("f", bytes([0]))
    assert known.get("f", bytes([29]))
    assert not known.get("f", bytes([1]))

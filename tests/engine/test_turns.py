"""Experiments end: a small change of a loop may let it go on for ever."""

import ast

import pytest

from autograder.base.settings import Settings
from autograder.engine import turns
from autograder.grader.grader import Grader
from tests.support.attacks import neighbours
from tests.support.attacks.neighbours import handed_in

pytestmark = pytest.mark.usefixtures("kept_parents")

GROWING = """
def growing(end, by):
    found = []
    while len(found) * by < end:
        found.append(0)
    for _ in range(3):
        found.append(1)
    else:
        found.append(2)
    return found
"""


def function(source: str = GROWING):
    names = {turns.NAME: turns.take}
    exec(compile(turns.counted(ast.parse(source)), "<growing>", "exec"), names)
    return names["growing"]


def test_turns_of_all_loops_are_counted_and_change_nothing_else():
    plain: dict = {}
    exec(GROWING, plain)
    with turns.at_most(10) as taken:
        assert function()(7, 1) == plain["growing"](7, 1)
    assert taken.taken == 10
    assert function()(7, 1) == plain["growing"](7, 1), "where nobody counts, nothing ends"


def test_what_does_not_end_is_ended_even_where_it_takes_every_exception():
    source = GROWING.replace(
        "found.append(0)", "try: found.append(0)\n        except Exception: pass"
    )
    with pytest.raises(turns.Endless), turns.at_most(10**9) as taken:
        function(source)(1, 0)
    assert taken.taken == turns.MOST + 1
    assert turns._counter.turns is None


def test_an_inner_count_ends_before_an_outer_one_goes_on():
    with turns.at_most(100) as outer:
        with pytest.raises(turns.Endless), turns.at_most(5):
            function()(1, 0)
        function()(1, 1)
    assert outer.taken == 4


@pytest.mark.parametrize("step", ["merge_pair", "train", "encode"])
def test_a_wrong_answer_beside_a_loop_that_may_never_end_costs_little(step):
    answer = f"def {step}(*args):\n    return [3, 1]\n"
    settings = Settings(isolation="process", submission_seconds=60)
    with Grader(neighbours.exercise("tokenizer"), b"turns", settings) as grader:
        grader.grade(handed_in("tokenizer", {}), None)
        with neighbours.measured() as cost:
            result = grader.grade(handed_in("tokenizer", {step: answer}), None).result
    assert result.step(step).score < result.step(step).max_score
    assert cost.memory_mb < 32
    assert cost.cpu < 10

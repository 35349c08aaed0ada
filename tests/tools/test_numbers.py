"""Comparisons of numbers: what is refused, and in which words."""

import re

import numpy as np
import pytest

from autograder.tools import tally


@pytest.mark.parametrize(
    ("got", "why"),
    [
        (None, "got None. Does your function end with a return?"),
        ([[1.0], [2.0, 3.0]], "rows of different lengths"),
        (([1.0], [2.0, 3.0]), "got a tuple, not one array; look at the line with your return"),
        (([1.0, 2.0],), "got a tuple, not one array; look at the line with your return"),
        (np.array([1j, 2j]), "expected real numbers"),
        (np.ma.masked_array([1.0, 2.0], [True, False]), "masked array"),
        (np.array([1.0, 2.0], dtype=object), "expected real numbers"),
        ("12", "expected real numbers"),
        ({"a": 1.0}, "expected real numbers, got dict (object)"),
        (1.0, "the shape is (), not (2,)"),
        ([[1.0, 2.0]], "the shape is (1, 2), not (2,)"),
        ([np.nan, 2.0], "1 of 2 entries are NaN or infinite"),
        ([1.0, 2.5], "1 of 2 entries differ; the largest difference is 0.5. Why?"),
    ],
)
def test_refused_answers_are_told_why(tools, got, why):
    with pytest.raises(AssertionError, match=re.escape(why)):
        tools.agree(got, [1.0, 2.0], "the answer", "Why?")


def test_the_question_about_numbers_is_not_asked_of_a_tuple(tools):
    with pytest.raises(AssertionError, match=r"with your return\.$"):
        tools.agree(([1.0, 2.0],), [1.0, 2.0], "the answer", "Why?")
    with pytest.raises(AssertionError, match="got a tuple, not one array"):
        tools.plain(([1.0, 2.0],), "the answer", shape=(2,))


@pytest.mark.parametrize(
    ("got", "wanted", "why"),
    [
        ([-1e300], [-np.inf], "1 of the 1 entries that must be -inf are something else"),
        ([np.inf], [-np.inf], "must be -inf"),
        ([1.0, 2.0], [np.inf, 2.0], "1 of the 1 entries that must be inf are something else"),
        ([1.0, 2.0], [1.0, np.nan], "1 of the 1 entries that must be nan are something else"),
        ([0.0, 0.0], [np.inf, np.nan], "2 of the 2 entries that must be inf or nan"),
    ],
)
def test_what_must_be_infinite_or_nan_is_nothing_else(tools, got, wanted, why):
    with pytest.raises(AssertionError, match=re.escape(why)):
        tools.agree(got, wanted, "the answer")


def test_nan_and_infinity_are_met_by_themselves(tools):
    tools.agree([-np.inf, 1.0, np.nan], [-np.inf, 1.0, np.nan], "the answer")


def test_an_entry_outside_of_where_may_be_anything(tools):
    where = np.array([True, False])
    tools.agree([1.0, np.nan], [1.0, 2.0], "the answer", where=where)
    with pytest.raises(AssertionError, match="1 of 1 entries differ"):
        tools.agree([3.0, np.nan], [1.0, 2.0], "the answer", where=where)


def test_float32_is_compared_less_strictly(tools):
    near = np.array([1.0 + 1e-6])
    tools.agree(near.astype(np.float32), [1.0], "the answer")
    tools.agree(near, [1.0], "the answer", single=True)
    with pytest.raises(AssertionError, match="differ"):
        tools.agree(near, [1.0], "the answer")


@pytest.mark.parametrize(
    ("got", "says"),
    [
        (np.ones((3, 5)), "the answer: the shape is (3, 5), not (5, 3)."),
        (np.ones((1, 100, 1)), "the answer: the shape is (1, 100, 1), not (5, 3)."),
        (np.ones((101, 2)), "the answer: the shape is not (5, 3)."),
        (np.ones((1,) * 7), "the answer: the shape is not (5, 3)."),
        (np.empty((0, 7_664, 1)), "the answer: the shape is not (5, 3)."),
        (np.empty((0, 766_435_160, 17)), "the answer: got far more than was asked for."),
    ],
)
def test_a_shape_that_nobody_makes_by_mistake_is_not_spelled_out(tools, got, says):
    with pytest.raises(AssertionError, match=re.escape(says)):
        tools.agree(got, np.ones((5, 3)), "the answer")
    with pytest.raises(AssertionError, match=re.escape(says)):
        tools.plain(got, "the answer", (5, 3))


def test_both_are_shown_where_they_differ_or_where_it_is_asked_for(tools, capsys):
    results = getattr(tools, "RESULTS", tally.RESULTS)
    for show, shown in ((False, ""), (True, "The answer\n   yours: [1.]\nexpected: [1.]\n")):
        results.clear()
        with tools.check("answer-by_hand"):
            tools.agree([1.0], [1.0], "the answer", show=show)
        assert capsys.readouterr().out == f"{shown}✓ answer-by_hand: passed\n"
    with tools.check("answer-by_hand"):
        tools.agree([1.0], [1.0], "the answer", show=True)
    assert capsys.readouterr().out == "✓ answer-by_hand: passed\n", "once is enough"

    says = r"^the answer: 1 of 1 .* is 1\. Which axis\?$"
    with pytest.raises(AssertionError, match=says), tools.check("answer-by_hand"):
        tools.agree([2.0], [1.0], "the answer", "Which axis?")
    assert capsys.readouterr().out.endswith("   yours: [2.]\nexpected: [1.]\n")


@pytest.mark.parametrize(
    ("got", "says"),
    [
        ([[True, True], [True, True]], "1 of 4 entries should be False"),
        ([[0, 1], [1, 0]], "2 of 4 entries should be True and 1 should be False"),
        ([[0.0, 0.0], [1.0, 0.0]], "3 of 4 entries should be True and 1 should be False"),
    ],
)
def test_of_a_mask_it_is_said_which_should_be_true_and_false(tools, got, says):
    with pytest.raises(AssertionError) as caught:
        tools.agree(got, [[True, True], [False, True]], "the mask", "Which?")
    assert str(caught.value) == f"the mask: {says}. Which?"

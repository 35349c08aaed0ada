"""Digests: the same for like answers of any kind, none where too little is known."""

from typing import Any

import numpy as np
import pytest

from autograder.tools.likeness import digest, encoded

FAILED = AssertionError("the answer differs")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([1, 2], (1, 2)),
        ([[1.0, 2.0]], np.array([[1.00001, 2]])),
        ({"a": 1, "b": [2]}, {"b": (2,), "a": 1}),
        ({"x", "y", "z"}, frozenset({"z", "y", "x"})),
        (2, 2.0),
        (-0.0, 0.0),
        (True, np.bool_(True)),
    ],
)
def test_like_answers_have_one_digest(one, other):
    assert digest("f-by_hand", FAILED, [one]) == digest("f-by_hand", FAILED, [other]) != ""


def test_other_answers_have_other_digests():
    answers: list[Any] = [
        {}, {"a": 1}, {"a": 2}, {"b": 1}, [], ["zzz"], ["a", "b"], ["b", "a"], ["ab"], "ab", b"ab",
        {"a", "b"}, None, 1, 12345, 12346, 10**30, 1.5, 1 + 1j, [[1, 2]], [1, 2], [1, [2]], np.array(["a", "b"]),
    ]  # fmt: skip
    digests = {digest("f-by_hand", FAILED, [answer]) for answer in answers}
    assert len(digests) == len(answers)
    assert digest("f-by_hand", FAILED, ["ab"]) != digest("f-drawn", FAILED, ["ab"])


@pytest.mark.parametrize("value", [object(), len, [1, object()], {"a": len}, np.array([object()])])
def test_what_cannot_be_told_from_others_has_no_digest(value):
    assert digest("f-by_hand", FAILED, [value]) == ""
    with pytest.raises(TypeError):
        encoded(value)


def test_a_failure_of_which_nothing_is_known_has_no_digest():
    assert digest("f-by_hand", FAILED, []) == ""
    assert digest("f-by_hand", FAILED, ["x" * 30_000]) == ""


def test_an_error_is_told_by_its_kind_and_by_the_numbers_and_names_in_it():
    errors = [
        KeyError("a"),
        KeyError("b"),
        ValueError("shapes (2,3) (4,)"),
        ValueError("(2,3) (2,)"),
    ]
    assert len({digest("f-by_hand", error, []) for error in errors}) == 4

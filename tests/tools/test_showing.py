"""Pictures of answers beside the right ones."""

from typing import Any

import numpy as np
import pytest

from autograder.tools import showing


@pytest.mark.parametrize(
    ("thing", "cells"), [(np.float64(2), 1), (np.ones(3), 3), (np.ones((2, 2, 3)), 12)]
)
def test_a_few_numbers_are_drawn_one_by_one(thing, cells):
    assert showing.grid(np.asarray(thing), np.asarray(thing), None).count("<span") == cells


@pytest.mark.parametrize("shape", [(100, 1), (2, 0), (1, 1, 1, 1)])
def test_of_other_arrays_there_is_a_text_in_short(shape):
    array = np.ones(shape)
    assert showing.grid(array, array, None).startswith("<pre")


def test_a_mask_and_weights_have_grounds_and_what_is_wrong_a_frame():
    mask = np.array([[True, False]])
    drawn = showing.grid(mask, mask, np.array([[False, True]]))
    assert "0.50" in drawn and "0.00" in drawn and drawn.count("outline") == 1
    assert drawn.index("outline") > drawn.index("True")
    weights = np.array([[0.5, np.nan]])
    assert "0.25" in showing.grid(weights, np.array([[0.5, 0.5]]), None)
    assert "0.25" not in showing.grid(weights, np.array([[0.5, 2.0]]), None)


def test_no_text_of_a_student_becomes_markup():
    drawn = showing.as_picture("<b>", "'<script>'", "'<'", None)
    assert "<script>" not in drawn and "&lt;script&gt;" in drawn


@pytest.mark.parametrize(
    ("cell", "lines"),
    [
        ("def f(x):\n    return g(x)\ndef g(x):\n    return 1 / x", ["2 f", "4 g"]),
        ("def f(x):\n    return [\n        1 / y\n        for y in [x]\n    ]", ["3 f"]),
        ("def f(x):\n    return max(1 / y for y in [x])", ["2 f"]),
        ("f = lambda x: 1 / x", ["1 a lambda"]),
        ("g = lambda x: 1 / x\ndef f(x):\n    return g(x)", ["3 f", "1 a lambda"]),
    ],
)
def test_the_lines_of_an_error_are_those_of_functions_by_their_names(cell, lines):
    names: dict[str, Any] = {}
    exec(compile(cell, "<cell>", "exec"), names)
    with pytest.raises(ZeroDivisionError) as caught:
        names["f"](0)
    found = [line.partition(":")[0] for line in showing.own_lines(caught.tb, names)]
    assert found == [f"line {line.replace(' ', ' of the cell of ', 1)}" for line in lines]

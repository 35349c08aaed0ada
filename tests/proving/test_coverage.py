"""Coverage of promises: which input that a docstring allows occurs in which check."""

import json
from pathlib import Path

import numpy as np
import pytest

from autograder.authoring.proving import coverage
from autograder.authoring.proving.coverage import Coverage
from autograder.base.errors import Unusable
from autograder.exercises import exercise
from autograder.exercises.promises import far_apart, leading_axes, lists, made, masks, single, texts
from tests.support.courses import AUTHORED, NAME, ROOT, write_root
from tests.support.processes import call, finished

DECLARED = """
# %% oracles
PROMISES = {
    "double": {
        "one number": lambda x: len(x) == 1,
        "four numbers": lambda x: len(x) == 4,
        "no number": lambda x: len(x) == 0,
    },
    "total": {"negative numbers": lambda x: min(x) < 0},
}
UNASKED = {"double: no number": "nobody doubles nothing"}
"""


def covered(root: Path, old: str = "", new: str = "") -> Coverage:
    """What is found of the small exercise, with a change of its declaration."""
    assert old in DECLARED
    write_root(root, AUTHORED + DECLARED.replace(old, new, 1))
    found = coverage.measure(root, exercise.load(root, NAME), range(8))
    assert found is not None
    return found


def test_each_property_is_found_in_the_checks_whose_calls_have_it(tmp_path):
    found = covered(tmp_path)
    assert found.problems() == []
    rows = {row["property"]: row["checks"] for row in found.rows()}
    assert rows == {
        "one number": {"double-by_hand": 8},
        "four numbers": {"double-drawn": 8},
        "no number": {},
        "negative numbers": {"total-negative": 8},
    }


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("UNASKED", "OTHERS", "double: no number: occurs in no check of double; let a check ask for it, or say in UNASKED why none does"),
        ("no number\": \"no", "one number\": \"no", "double: one number: occurs in double-by_hand now; take it out of UNASKED"),
        ("len(x) == 4", "len(x) == 4 and x[0] > 0", "double: four numbers: occurs with "),
        ('    "total"', '    # "total"', "total: PROMISES says nothing of it; write which inputs its docstring allows"),
    ],
)  # fmt: skip
def test_what_is_not_covered_is_a_problem(tmp_path, old, new, says):
    problems = covered(tmp_path, old, new).problems()
    assert any(line.startswith(says) for line in problems), problems


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"total":', '"totl":', "PROMISES names totl, which is no function to write; did you mean total?"),
        ("lambda x: min(x)", "lambda y: min(y)", "total: negative numbers: y is no argument of total; it takes x"),
        ("double: no number", "double: no numbers", "UNASKED names 'double: no numbers', which is no promise; did you mean double: no number?"),
        ("min(x) < 0", "x.missing", "total-by_hand: the promise 'negative numbers' cannot be asked of an input (AttributeError: "),
        ("min(x) < 0}", "min(x) < 0}, **1", "the oracles do not run (TypeError: "),
    ],
)  # fmt: skip
def test_a_declaration_that_does_not_fit_is_one_line(tmp_path, old, new, says):
    with pytest.raises(Unusable) as caught:
        covered(tmp_path, old, new)
    path = tmp_path / "solutions" / f"{NAME}.py"
    assert str(caught.value).startswith(f"{path}:")
    assert says in str(caught.value) and "\n" not in str(caught.value)


def test_calls_that_other_steps_make_do_not_count(tmp_path):
    text = AUTHORED.replace("float(np.sum(x))", "float(np.sum(double(np.append(x, 0)))) / 2")
    write_root(tmp_path, text + DECLARED.replace("len(x) == 0", "len(x) == 2 and x[1] == 0"))
    found = coverage.measure(tmp_path, exercise.load(tmp_path, NAME), range(2))
    assert found is not None
    assert found.rows()[2]["checks"] == {}


def test_an_exercise_that_declares_nothing_is_proved_as_before(tmp_path):
    write_root(tmp_path, AUTHORED)
    assert coverage.measure(tmp_path, exercise.load(tmp_path, NAME), range(2)) is None
    done = call("prove", NAME, "--cover", cwd=tmp_path)
    assert done.returncode == 2
    assert "no PROMISES; declare in its oracles which inputs the docstrings allow" in done.stderr


def test_students_get_nothing_of_it(tmp_path):
    covered(tmp_path)
    for folder in ("assignments", "solutions"):
        notebook = (tmp_path / folder / NAME / f"{NAME}.ipynb").read_text(encoding="utf-8")
        assert "PROMISES" not in notebook and "nobody doubles" not in notebook


def test_the_command_shows_the_table_and_fails_for_a_hole(tmp_path):
    covered(tmp_path)
    done = finished("prove", NAME, "--cover", "--json", tmp_path / "cover.json", cwd=tmp_path)
    assert "  ●·           one number\n  ·●           four numbers\n" in done.stdout
    assert "  ··           no number  (nobody doubles nothing)\n" in done.stdout
    assert done.stdout.endswith(
        "3 of 4 properties occur in a check, 1 left out for a reason, with 20 keys\n"
    )
    assert json.loads((tmp_path / "cover.json").read_text())["covered"] is True

    covered(tmp_path, "UNASKED", "OTHERS")
    done = finished("prove", NAME, "--cover", cwd=tmp_path, code=1)
    assert "double: no number: occurs in no check of double" in done.stdout
    done = call("prove", NAME, "--keys", 1, "--jobs", 1, "--json", "-", cwd=tmp_path)
    # Its banks are missing, which comes first.
    assert done.returncode == 2 and "no misconceptions to try" in done.stderr


# The ready-made predicates


def having(properties, **arguments) -> set[str]:
    """The properties that a call has."""
    return {words.partition(": ")[2] for words, holds in properties.items() if holds(**arguments)}


def test_axes_are_told_apart():
    properties = leading_axes("x", own=2) | single("x", -1)
    assert having(properties, x=np.zeros((3, 1))) == {"no leading axis", "axis -1 of length 1"}
    assert having(properties, x=np.zeros((3, 2, 2))) == {"one leading axis"}
    assert having(properties, x=np.zeros((1, 3, 2, 2))) == {
        "several leading axes",
        "a leading axis of length 1",
    }
    assert having(properties, x=None) == set()


def test_masks_are_told_apart_by_how_they_broadcast():
    properties = masks("mask", lambda scores: scores.shape)
    scores = np.zeros((2, 3, 4))
    wide = np.array([True, True, False, True])
    assert having(properties, mask=wide, scores=scores) == {"one axis"}
    assert having(properties, mask=wide[None, None], scores=scores) == {
        "(…, 1, n_keys)",
        "one mask with an axis for several sequences",
    }
    tall = np.array([True, False, True])[:, None]
    assert having(properties, mask=tall, scores=scores) == {
        "(…, n_queries, 1)",
        "(n_queries, 1)",
        "two axes, for several sequences",
        "a query without a key",
    }
    assert having(properties, mask=np.array(True), scores=scores) == {"no axis", "nothing hidden"}
    each = np.stack([np.tri(3, 4, 1, dtype=bool), np.tri(3, 4, 2, dtype=bool)])
    assert having(properties, mask=each, scores=scores) == {
        "of the full shape",
        "a mask for each sequence",
    }
    assert having(properties, mask=None, scores=scores) == set()


@pytest.mark.parametrize(
    ("text", "has"),
    [
        ("", {"empty"}),
        ("A", {"a single character", "a capital letter"}),
        ("a\r\nb", {"a carriage return", "a line end"}),
        ("\0 ", {"a NUL", "a space at an end"}),
        ("é", {"a single character", "a character of two bytes", "a composed character"}),
        ("e\u0301", {"a character of two bytes", "a decomposed character"}),
        ("ﬁ", {"a single character", "a character of three bytes", "a compatibility character"}),
        ("🤗", {"a single character", "a character of four bytes"}),
        ("ab, " * 300 + "7", {"long", "punctuation", "a digit"}),
    ],
)
def test_kinds_of_texts_are_told_apart(text, has):
    assert having(texts("text"), text=text) == has


def test_what_is_made_of_the_arguments_can_be_asked_as_well():
    spelled = made(texts("text"), text=lambda numbers: bytes(numbers).decode())
    assert having(spelled, numbers=[65]) == {"a single character", "a capital letter"}
    assert having(lists("x"), x=[0, 2**31, 0]) == {
        "a 0",
        "a number of 2³¹ or more",
        "entries that repeat",
    }
    assert far_apart(np.array([[1.0, -np.inf, 2002.0]]), 2e3)
    assert not far_apart(np.array([[1.0], [5e3]]), 1e3)


@pytest.mark.parametrize(
    "name", ["attention", "gradients", "inference", "tokenizer", "training", "transformer"]
)
def test_every_step_of_every_exercise_says_what_its_docstring_allows(name):
    known = exercise.load(ROOT, name)
    found = coverage.measure(ROOT, known, range(1))
    assert found is not None and not found.failed
    assert {promise.step for promise in found.found} == set(known.functions)

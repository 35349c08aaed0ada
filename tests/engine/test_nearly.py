"""The line of a wrong function that alone can be wrong: found by trying, and certain or not said."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autograder.authoring.proving.trial import Bench
from autograder.diagnosis.nearly import changes, nearly
from autograder.exercises import right_answers
from autograder.exercises.answer_bank import Answer
from autograder.exercises.exercise import load
from autograder.questions.student_code import StudentCode
from tests.support.courses import ROOT

SOFTMAX = '''def softmax(scores, axis=-1):
    """Shares."""
    top = scores.max(axis=axis, keepdims=True)
    e = np.exp(scores - top)
    return e / e.sum(axis=axis, keepdims=True)
'''


def mends(step: str, is_right: Callable[[Any], bool]) -> Callable[[str], bool]:
    """Whether a function passes that some code defines."""

    def tried(source: str) -> bool:
        names: dict[str, Any] = {"np": np}
        try:
            exec(source, names)
            return is_right(names[step])
        except Exception:
            return False

    return tried


def softmax_is_right(function: Any) -> bool:
    for scores in (np.array([[[0.0, np.log(3)], [1e3, 1e3]]]), np.array([[1e4, 0.0, -1e4]])):
        wanted = np.exp(scores - scores.max(-1, keepdims=True))
        wanted /= wanted.sum(-1, keepdims=True)
        if not np.array_equal(function(scores), wanted):
            return False
    return True


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("scores - top", "scores + top", 4, 'In this line, "+" should be "-".'),
        ("e.sum", "e.max", 5, 'In this line, "max" should be "sum".'),
        ("e / e.sum", "scores / e.sum", 5, 'In this line, "scores" should be "e".'),
        ("max(axis=axis, keepdims=True)", "max(axis=axis)", 3,
         "In this line, an axis is lost that should stay."),
        ("sum(axis=axis, ", "sum(axis=0, ", 5, "In this line, the axis should be the last one."),
    ],
)  # fmt: skip
def test_the_line_is_named_in_which_a_small_change_mends_all(old, new, line, words):
    source = SOFTMAX.replace(old, new)
    found = nearly("softmax", source, mends("softmax", softmax_is_right))
    assert found is not None and found[0] == line
    assert found[1] == source.split("\n")[line - 1].strip()
    # Another change of that line may do as well: then it is not said which.
    assert found[2] in (words, "")


def test_a_power_is_no_product():
    source = "def f(x):\n    y = x\n    return y ** 2\n"
    assert nearly("f", source, mends("f", lambda f: f(3) == 6)) is None


def test_where_two_lines_may_be_wrong_none_is_named():
    source = "def f(x):\n    y = x + 1\n    return y + 1\n"
    assert nearly("f", source, mends("f", lambda f: f(3) == 4)) is None


def test_a_function_of_one_line_is_wrong_there_even_if_nobody_knows_what():
    source = 'def f(x):\n    """What."""\n    return x ** 3 - 7\n'
    assert nearly("f", source, lambda _: False) == (3, "return x ** 3 - 7", "")


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n    while x < 9:\n        x = x - 1\n    return x\n",
        "def f(x):\n    y = x\n    return y\n",
        "def g(x):\n    return x\n",
        "f = lambda x: x\n",
    ],
)
def test_nothing_is_said_where_nothing_is_sure(source):
    assert nearly("f", source, lambda _: False) is None


def test_changes_that_mend_in_two_ways_leave_the_words_to_the_student():
    source = "def f(x):\n    return x - 0\n"
    found = nearly("f", source, lambda changed: changed != source)
    assert found is not None and found[2] == ""


def test_no_change_says_a_part_of_the_code_longer_than_a_name():
    for _, words in changes("    return np.exp(scores - top) @ V.T / e.sum(axis=0)", SOFTMAX):
        quoted = words.split('"')[1::2]
        assert all(part.isidentifier() or len(part) <= 2 for part in quoted), words


@pytest.mark.parametrize(
    "name", ["gradients", pytest.param("attention", marks=pytest.mark.everything)]
)
def test_of_right_answers_with_one_line_spoilt_no_other_line_is_ever_named(name):
    """The mistakes are made by other rules than those that look for them."""
    exercise = load(ROOT, name)
    bench = Bench(exercise)
    pool = [(step, exercise.cell(step).source) for step in exercise.functions]
    bank = right_answers.load(right_answers.path_of(ROOT, name))
    pool += [(answer.step, answer.source) for answer in bank]
    named = []
    for step, source in pool:
        checks = [check for check in exercise.checks_of(step) if not check.hidden]

        def passes(code: str, step: str = step, checks: Any = checks) -> bool:
            try:
                bench.bind(Answer("spoilt", step, code, wrong=True))
            except Exception:
                return False
            return not any(bench.failure(check, "1") for check in checks)

        try:
            spoilt = StudentCode(step, source).changes()[::9]
        except ValueError:
            continue
        for change in spoilt:
            if not passes(change.source):
                found = nearly(step, change.source, passes)
                if found is not None:
                    assert found[0] == change.line, (step, change.text, found)
                    named.append(found)
    assert len(named) > 10 and any(words for _, _, words in named)

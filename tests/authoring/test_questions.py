"""Questions of visible checks are looked up in a table: no student reads them before a mistake."""

from __future__ import annotations

import pytest

from autograder.authoring.questions import taken_out
from autograder.exercises.exercise import load
from tests.support.courses import ROOT

SAME = 'tools.agree(f(1), 2, "é", "Why?")\ntools.agree(f(2), 4, "é"{})'

CODES = {
    'tools.agree(f(1), 2, "it", "Why?", show=True)': (
        'tools.agree(f(1), 2, "it", show=True)',
        "Why?",
    ),
    'tools.same(f(1), 2, "it", show=True, ask="Why?")': (
        'tools.same(f(1), 2, "it", show=True)',
        "Why?",
    ),
    'tools.agree(\n    f(1),\n    2,\n    "it",\n    "Is é\\nso?",\n)': (
        'tools.agree(\n    f(1),\n    2,\n    "it",\n)',
        "Is é\nso?",
    ),
    'x = "é"; agree(f(1), 2, "it", "Why?"); y = 1': (
        'x = "é"; agree(f(1), 2, "it"); y = 1',
        "Why?",
    ),
}


@pytest.mark.parametrize("code", CODES)
def test_a_question_is_taken_out_of_a_check(code):
    left, question = CODES[code]
    assert taken_out(code, "from autograder.tools import agree") == (left, {"it": question})


@pytest.mark.parametrize(
    "code",
    [
        'agree(f(1), 2, "it", "Why?")',
        'tools.agree(f(1), 2, f"{n}", "Why?")',
        'tools.agree(f(1), 2, "it", ask)',
        'tools.agree(f(1), 2, "it", "Why?", True)',
        'tools.agree(f(1), 2, "it", **more)',
        SAME.format(""),
        SAME.format(', "How?"'),
    ],
)
def test_one_that_cannot_be_looked_up_stays(code):
    """Another function's, one about something that is not a plain text, one of two about the same."""
    assert taken_out(code, "") == (code, {})


def test_a_helper_that_hands_it_on_need_not_have_it():
    setup = "def close(got, wanted, what, ask='', far=1):\n    tools.agree(got, wanted, what, ask)"
    assert taken_out('close(f(1), 2, "it", "Why?", far=2)', setup) == (
        'close(f(1), 2, "it", far=2)',
        {"it": "Why?"},
    )


def test_one_that_is_asked_twice_is_taken_out_twice():
    left, table = taken_out(SAME.format(', "Why?"'), "")
    assert left.count("?") == 0 and table == {"é": "Why?"}


def test_a_check_asks_what_its_author_has_written():
    known = load(ROOT, "attention")
    names: dict[str, object] = {"__name__": "__main__"}
    exec(known.setup, names)
    of_functions = [check for check in known.checks if check.step in known.functions]
    visible = [check for check in of_functions if not check.hidden]
    assert not any('?"' in check.source for check in visible)
    exec("def softmax(scores): return scores", names)
    check = next(check for check in visible if check.id == "softmax-by_hand")
    with pytest.raises(AssertionError, match=r"differ; .* what did you divide by\?$"):
        exec(check.source, names)

"""A session with a notebook: what its checks print, count and blame."""

from __future__ import annotations

import contextlib
import io
import json
import linecache
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from autograder.authoring.hints import by_question
from autograder.exercises import setup_cell
from tests.support.written_tools import setup, written

CHECKS = {
    "double-by_hand": {"points": 2, "hidden": False},
    "double-drawn": {"points": 3, "hidden": True},
    "twice-by_hand": {"points": 1, "hidden": False},
}

FAILED = "✗ twice-by_hand: What is asked."


@pytest.fixture
def notebook() -> dict[str, Any]:
    """The names of a notebook with three checks."""
    names = written("agree", "demo", "summary")
    names["tools"].CHECKS = CHECKS
    names["__doc__"] = "What is asked."
    return names


def knows(notebook: dict[str, Any], **answers: dict[int, int]) -> None:
    """Let a notebook know right answers to steps of one number, ``x``."""
    tools = notebook["tools"]
    table = {}
    for step, right in answers.items():
        known = {tools.call_digest([number]): answer for number, answer in right.items()}
        table[step] = [["x"], {}, known]
    tools.ANSWERS = json.dumps(table)


def run(names: dict[str, Any], cell: str) -> str:
    """What a cell raises, as a line; empty if nothing."""
    try:
        exec(cell, names)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def test_a_check_that_passes_says_what_it_is_worth(notebook, capsys):
    assert run(notebook, 'with tools.check("double-by_hand"): pass') == ""
    assert run(notebook, 'with tools.check("twice-by_hand"): pass') == ""
    said = capsys.readouterr().out
    assert said.splitlines() == [
        "✓ double-by_hand: passed, 2 points; so far 2 of 3 points, 1 of 2 steps",
        "✓ twice-by_hand: passed, 1 point; so far 3 of 3 points, 2 of 2 steps",
    ]


@pytest.mark.parametrize("way", ["pass", "1 / 0", "raise KeyboardInterrupt"])
def test_checks_warn_of_nothing_and_own_cells_of_all(notebook, way):
    overflow = "import numpy\ndef large(): return numpy.exp(numpy.array([1e4]))"
    run(notebook, overflow)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        with contextlib.suppress(KeyboardInterrupt):
            run(notebook, f'with tools.check("twice-by_hand"):\n    large()\n    {way}')
        assert seen == []
        run(notebook, "large()")
        assert [str(one.message) for one in seen] == ["overflow encountered in exp"]


def test_the_code_of_the_packed_cell_can_be_read():
    code = f"{setup('agree')}\ntools.ready()"
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(setup_cell.packed(code), names)
    assert repr(eval("tools.source()", names)) == code


def test_the_summary_counts_points_and_lists_what_is_open(notebook, capsys):
    run(notebook, 'with tools.check("double-by_hand"): pass')
    run(notebook, 'with tools.check("twice-by_hand"): 1 / 0')
    capsys.readouterr()
    run(notebook, "tools.summary()")
    assert capsys.readouterr().out.splitlines() == [
        "Visible checks: 2 of 3 points, 1 of 2 steps.",
        "Hidden checks: 3 points, graded after you hand in.",
        "To fix: 2 twice (by_hand).",
    ]


def test_a_failure_names_the_earlier_step_that_it_calls(notebook, capsys):
    knows(notebook, double={1: 2})
    run(notebook, "def double(x): return x\ndef twice(x): return double(x)")
    run(notebook, 'with tools.check("double-by_hand"): assert double(1) == 2')
    run(notebook, 'with tools.check("twice-by_hand"): assert twice(1) == 2')
    where = "step 1, double: its check by_hand fails."
    assert capsys.readouterr().out.splitlines()[1:] == [FAILED, f"First fix {where}"]

    run(notebook, "def twice(x): return x")
    for said in ([f"Also still open: {where}"], []):
        run(notebook, 'with tools.check("twice-by_hand"): assert twice(1) == 2')
        assert capsys.readouterr().out.splitlines() == [FAILED, *said]


@pytest.mark.parametrize(
    ("twice", "blamed"),
    [
        # Right for this call, though wrong for others.
        ("double(x + 1) - 1", "Also still open:"),
        # Not called in this check.
        ("double(x) if x > 9 else 1", "Also still open:"),
        # Nobody knows.
        ("double(x + 2)", "Perhaps first fix"),
        # Wrong, and so is what calls it.
        ("double(x) + 5", "First fix"),
        # One that is right first.
        ("double(x + 1) + double(x)", "First fix"),
    ],
)
def test_a_step_is_blamed_for_calls_of_which_it_is_known_to_be_wrong(
    notebook, capsys, twice, blamed
):
    knows(notebook, double={1: 2, 2: 4})
    run(notebook, "def double(x):\n    print('called')\n    return 4 if x == 2 else 0")
    run(notebook, f"def twice(x): return {twice}")
    run(notebook, 'with tools.check("double-by_hand"): assert double(1) == 2')
    capsys.readouterr()
    failing = 'with tools.check("twice-by_hand"): tools.agree(twice(1), 2, "it", "Which way?")'
    said = run(notebook, failing)
    *printed, last = capsys.readouterr().out.splitlines()
    assert last == f"{blamed} step 1, double: its check by_hand fails."
    assert printed.count("called") <= 2, "what it prints again is not shown"
    assert ("Which way?" in said) == (blamed != "First fix")
    assert notebook["double"](2) == 4, "the student's own is back"


def test_the_question_about_a_known_mistake_comes_before_an_earlier_step(notebook, capsys):
    tools = notebook["tools"]
    run(notebook, "def double(x): return x\ndef twice(x): return -double(x)")
    failing = 'with tools.check("twice-by_hand"): tools.agree(twice(1), 2, "it", "Which way?")'
    double = 'with tools.check("double-by_hand"): assert double(1) == 2'
    mark = tools.digest("twice-by_hand", AssertionError(""), [-2])
    tools.HINTS = by_question({mark: "Which sign?"})
    run(notebook, double)
    capsys.readouterr()
    run(notebook, failing)
    assert "Which sign?" not in capsys.readouterr().out, "it answers -1 with the wrong double"

    knows(notebook, double={1: 2})
    assert "Which way?" not in run(notebook, failing)
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "Think about this: Which sign?",
        "Also still open: step 1, double: its check by_hand fails.",
    ]
    run(notebook, "def twice(x): return double(x)")
    run(notebook, failing)
    assert capsys.readouterr().out.splitlines()[-1].startswith("First fix step 1, double")


def test_what_only_waits_for_an_earlier_step_is_not_to_fix(notebook, capsys):
    knows(notebook, double={1: 2})
    run(notebook, "def double(x): return x\ndef twice(x): return double(x)")
    double = 'with tools.check("double-by_hand"): assert double(1) == 2'
    twice = 'with tools.check("twice-by_hand"): assert twice(1) == 2'

    def open_steps() -> list[str]:
        capsys.readouterr()
        run(notebook, "tools.summary()")
        return capsys.readouterr().out.splitlines()[2:]

    run(notebook, double)
    run(notebook, twice)
    assert open_steps() == ["To fix: 1 double (by_hand).", "Waiting for earlier steps: 2 twice."]

    run(notebook, "def twice(x): return x")
    run(notebook, twice)
    assert open_steps() == ["To fix: 1 double (by_hand), 2 twice (by_hand)."]

    run(notebook, "def twice(x): return double(x)")
    run(notebook, twice)
    run(notebook, "def double(x): return 2 * x")
    run(notebook, double)
    assert open_steps() == ["To fix: 2 twice (by_hand)."]


@pytest.mark.parametrize(
    "twice",
    [
        "def twice(x): return sum(double(part) for part in [x])",
        "def twice(x): return (lambda part: double(part))(x)",
        "class twice:\n    def __new__(cls, x): return double(x)",
    ],
)
def test_it_names_it_however_it_is_called(notebook, capsys, twice):
    knows(notebook, double={1: 2})
    run(notebook, f"def double(x): return x\n{twice}")
    run(notebook, 'with tools.check("double-by_hand"): assert double(1) == 2')
    run(notebook, 'with tools.check("twice-by_hand"): assert twice(1) == 2')
    assert "First fix step 1, double" in capsys.readouterr().out


def test_a_known_mistake_gets_its_question(notebook, capsys):
    tools = notebook["tools"]
    failing = 'with tools.check("double-by_hand"): tools.agree([1.0], [2.0], "the answer")'
    error = run(notebook, failing)
    assert error.startswith("AssertionError: the answer: 1 of 1 entries differ")
    digest = tools.fingerprint("double-by_hand", AssertionError(error))
    tools.HINTS = by_question({digest: "Is it twice?"})
    capsys.readouterr()
    run(notebook, failing)
    assert capsys.readouterr().out.endswith("Think about this: Is it twice?\n")
    run(notebook, failing.replace("[1.0]", "[3.0]"))
    assert "Think" not in capsys.readouterr().out


def test_the_question_of_a_known_mistake_stands_alone(notebook, capsys):
    tools = notebook["tools"]
    failing = (
        'with tools.check("double-by_hand"): tools.agree([1.0], [2.0], "the answer", "Is it so?")'
    )
    assert run(notebook, failing).endswith("is 1. Is it so?")
    digest = tools.fingerprint("double-by_hand", AssertionError())
    tools.HINTS = by_question({digest: "Is it twice?"})
    assert run(notebook, failing).endswith("the largest difference is 1.")
    assert capsys.readouterr().out.endswith("Think about this: Is it twice?\n")


def test_the_arguments_of_the_first_call_of_a_check_can_be_had_changed_and_used(notebook):
    run(notebook, "def double(x, times=2):\n    x[0] = 7.0\n    return times * x[0]")
    whole = notebook["double"]
    with pytest.raises(LookupError, match="run the cell of the check double-by_hand first"):
        notebook["tools"].first("double")
    cell = 'with tools.check("double-by_hand"):\n    double([1.0], times=3)\n    double([5.0])'
    assert run(notebook, cell) == ""
    assert notebook["double"] is whole
    for name in ("double", "double-by_hand"):
        assert notebook["tools"].first(name) == {"x": [1.0], "times": 3}
    given = notebook["tools"].first("double")
    given["x"][0] = 5.0
    assert notebook["double"](**given) == 21.0
    assert notebook["tools"].first("double") == {"x": [1.0], "times": 3}
    for name in ("double-drawn", "halve"):
        with pytest.raises(LookupError, match="no step or visible check is called"):
            notebook["tools"].first(name)


def test_a_function_that_a_check_does_not_get_to_call_stays_as_it_is(notebook):
    run(notebook, "def double(x): return 2 * x")
    whole = notebook["double"]
    for cell in ("raise ValueError", "double()", "pass"):
        run(notebook, f'with tools.check("double-by_hand"): {cell}')
        assert notebook["double"] is whole
    with pytest.raises(LookupError):
        notebook["tools"].first("double")


def test_mistakes_that_answer_alike_are_told_apart_by_an_earlier_check(notebook, capsys):
    tools = notebook["tools"]
    checks = {name: {"points": 1, "hidden": False} for name in ("double-one", "double-two")}
    tools.CHECKS = checks
    failing = 'with tools.check("double-two"): tools.agree(double([1.0]), [2.0], "the answer")'
    run(notebook, "def double(x): return x")
    mark = tools.fingerprint("double-two", AssertionError(run(notebook, failing)))
    tools.HINTS = by_question({mark + "p": "Passed?", mark + "f": "Failed?", mark: "Unknown?"})

    first = 'with tools.check("double-one"): assert '
    for before, asked in (("", "Unknown?"), (first + "True", "Passed?"), (first + "0", "Failed?")):
        run(notebook, before)
        run(notebook, failing)
        assert capsys.readouterr().out.splitlines()[-1] == f"Think about this: {asked}"
    # Written anew, it has not been tried on the first check.
    run(notebook, "def double(x): return x")
    run(notebook, failing)
    assert capsys.readouterr().out.splitlines()[-1] == "Think about this: Unknown?"


@pytest.fixture
def two_checks(notebook: dict[str, Any]) -> Iterator[Callable[[str, str], str]]:
    """Runs a check of two, which fails with this answer: the last line that it prints."""
    names = ("double-one", "double-two")
    notebook["tools"].CHECKS = {name: {"points": 1, "hidden": False} for name in names}
    run(notebook, "def double(x): return x")

    def failing(name: str, answer: str) -> str:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            wanted = "[1.0, 3.0, 4.0, 7.0, 11.0, 13.0]"
            cell = f'tools.agree(double({answer}), {wanted}, "the answer")'
            run(notebook, f'with tools.check("double-{name}"): {cell}')
        return out.getvalue().splitlines()[-1]

    yield failing


def marked(notebook: dict[str, Any], name: str) -> str:
    return str(notebook["tools"].MARKS[f"double-{name}"])


def test_a_relation_that_explains_a_known_mistake_as_well_does_not_name_it_again(
    notebook, two_checks
):
    twice = "[2.0, 6.0, 8.0, 14.0, 22.0, 26.0]"
    two_checks("one", twice)
    assert "the right one times 2" in two_checks("two", twice)
    notebook["tools"].HINTS = by_question({marked(notebook, "one"): "Is it twice?"})
    two_checks("one", twice)
    assert two_checks("two", twice) == "Think about this: Is it twice?"
    # Another function may have another mistake.
    run(notebook, "def double(x): return x")
    assert "the right one times 2" in two_checks("two", twice)


def test_of_two_questions_the_one_that_another_check_has_asked_is_asked_alone(notebook, two_checks):
    one, two = "[0.0, 1, 1, 2, 3, 5.0]", "[9.0, 1, 7, 2, 3, 5.0]"
    two_checks("one", one), two_checks("two", two)
    marks = {marked(notebook, "one"): "Once?", marked(notebook, "two"): "Once? Or else: Twice?"}
    notebook["tools"].HINTS = by_question(marks)
    assert two_checks("one", one) == "Think about this: Once?"
    assert two_checks("two", two) == "Think about this: Once?"
    run(notebook, "def double(x): return x")
    assert two_checks("two", two) == "Think about this: Once? Or else: Twice?"


def test_what_a_check_was_about_to_ask_is_asked_when_the_function_raises(notebook, capsys):
    run(notebook, "def double(x): raise ValueError")
    run(
        notebook,
        'with tools.check("double-by_hand"):\n'
        '    tools.agree([2.0], [2.0], "one", "Not this axis?")\n'
        '    tools.agree(double(1), [2.0], "the answer", "Which axis?")\n'
        '    tools.agree([2.0], [2.0], "the next", "Nor this axis?")',
    )
    assert capsys.readouterr().out.splitlines()[-1] == "Think about this: Which axis?"


@pytest.mark.parametrize(
    ("raised", "asks"),
    [
        ("ValueError", "What is np.exp(1000)?"),
        ("ValueError", "Print the weights of both heads. Which of them is not a number?"),
        ("ZeroDivisionError", "Which axis?"),
        ("RecursionError", "Which axis?"),
        ("ValueError", "With length 2, which numbers are real?"),
    ],
)
def test_a_check_s_question_is_not_asked_about_an_error_that_it_does_not_fit(
    notebook, capsys, raised: str, asks: str
) -> None:
    run(notebook, f"def double(x): raise {raised}")
    run(
        notebook,
        'with tools.check("double-by_hand"):\n'
        f'    tools.agree(double(1), [2.0], "the answer", "{asks}")',
    )
    assert asks not in capsys.readouterr().out


def test_where_it_does_not_fit_arrays_that_do_not_fit_each_other_are_asked_about(notebook, capsys):
    run(notebook, "import numpy as np\ndef double(x): return np.zeros(5) < np.zeros(3)")
    run(
        notebook,
        'with tools.check("double-by_hand"):\n'
        '    tools.agree(double(1), [2.0], "the answer", "What is twice 1?")',
    )
    *_, said = capsys.readouterr().out.splitlines()
    assert said.startswith("Think about this: Two arrays in your code do not fit each other.")


def test_no_question_about_numbers_follows_a_call_that_does_not_fit(notebook, capsys):
    run(notebook, "def double(): return 2")
    run(
        notebook,
        'with tools.check("double-by_hand"):\n'
        '    tools.agree(double(1), [2.0], "the answer", "Which way?")',
    )
    assert "Which way?" not in capsys.readouterr().out


def test_the_step_that_has_raised_is_the_one_to_fix_first(notebook, capsys):
    notebook["tools"].CHECKS = {**CHECKS, "last-by_hand": {"points": 1, "hidden": False}}
    run(notebook, "def double(x): return x\ndef twice(): return 2")
    run(notebook, "def last(x): return double(x) + twice(x)")
    for name in ("double", "twice", "last"):
        capsys.readouterr()
        run(notebook, f'with tools.check("{name}-by_hand"): assert {name}(1) == 2')
    assert "Perhaps first fix step 1, double" in capsys.readouterr().out

    run(notebook, "def twice(x): raise ValueError")
    for name in ("twice", "last"):
        capsys.readouterr()
        run(notebook, f'with tools.check("{name}-by_hand"): assert {name}(1) == 2')
    assert "Perhaps first fix step 2, twice" in capsys.readouterr().out


def test_a_check_that_was_interrupted_has_not_run(notebook, capsys):
    with pytest.raises(KeyboardInterrupt):
        exec('with tools.check("double-by_hand"): raise KeyboardInterrupt', notebook)
    assert (notebook["tools"].RESULTS, capsys.readouterr().out) == ({}, "")


def test_where_nobody_reads_nothing_is_printed_and_nothing_kept(notebook, capsys):
    tools = notebook["tools"]
    tools.REVEAL = False
    run(notebook, 'with tools.check("double-by_hand"): tools.agree([1.0], [2.0], "the answer")')
    assert (tools.SEEN, tools.RESULTS, capsys.readouterr().out) == ([], {}, "")


def test_a_scene_says_which_step_it_waits_for(notebook, capsys):
    run(notebook, "def double(x): raise NotImplementedError")
    run(notebook, "@tools.demo\ndef scene():\n    double(1)")
    run(notebook, "def double(x): return 1 / 0")
    run(notebook, "@tools.demo\ndef scene():\n    double(1)")
    assert capsys.readouterr().out.splitlines() == [
        "This scene waits for your double.",
        "This scene stopped in your double: ZeroDivisionError: division by zero",
    ]


def test_a_function_that_is_not_there_or_not_pasted_is_said_in_a_line(
    notebook, capsys, monkeypatch
):
    tools = notebook["tools"]
    tools.NEEDED = {"earlier": "halving"}
    monkeypatch.setattr(tools, "in_notebook", lambda: True)
    monkeypatch.setattr(tools, "present", lambda markup, text: print(text))

    def said(cell: str) -> list[str]:
        with pytest.raises((NameError, NotImplementedError)) as caught:
            exec(cell, notebook)
        lines: list[str] = caught.value._render_traceback_()  # type: ignore[union-attr]
        return lines

    double = 'with tools.check("double-by_hand"): assert double(1) == 2'
    lost = "double is not defined: run its cell, and see whether an error stops it."
    assert said(double) == [lost]

    run(notebook, "def duble(x): return 2 * x")
    meant = "double is not defined, but duble is: if that is yours, call it double."
    assert said(double) == [meant]

    run(notebook, "def double(x): raise NotImplementedError")
    assert said(double) == ["double is still to be written."]

    run(notebook, "def earlier(x): raise NotImplementedError\ndef twice(x): return earlier(x)")
    twice = 'with tools.check("twice-by_hand"): assert twice(1) == 2'
    empty = "earlier is still empty: write it in halving, and bring it over, or paste it."
    assert said(twice) == [empty]

    capsys.readouterr()
    run(notebook, "tools.summary()")
    assert capsys.readouterr().out.splitlines()[2:] == [
        "Waiting for earlier steps: 2 twice.",
        "Still to write: 1 double.",
    ]

    tools.CHECKS = {**CHECKS, "twice-again": {"points": 1, "hidden": False}}
    said('with tools.check("twice-again"): raise NotImplementedError')
    capsys.readouterr()
    run(notebook, "tools.summary()")
    assert capsys.readouterr().out.splitlines()[2:] == ["Still to write: 1 double, 2 twice."]


def test_a_scene_whose_helpers_are_not_there_says_where_they_come_from(notebook, capsys):
    run(notebook, "@tools.demo\ndef scene(): five_tokens()")
    run(notebook, "@tools.demo\ndef scene(): double(1)")
    assert capsys.readouterr().out.splitlines() == [
        "This scene needs five_tokens: run the cells above it, from the first one on.",
        "This scene waits for your double.",
    ]


def test_no_variable_of_a_student_is_in_the_way_of_the_tools(notebook):
    taken = {name for name in vars(notebook["tools"]) if not name.startswith("__")}
    assert {"agree", "check", "difference", "np", "math", "SEEN"} <= taken
    notebook.update(dict.fromkeys(taken, 3))
    cell = 'with tools.check("double-by_hand"): tools.agree([2.0], [2.0], "the answer")'
    assert run(notebook, cell) == ""
    assert run(notebook, "tools.summary()") == ""


def test_the_tools_take_one_name():
    assert set(written("agree")) - {"__name__", "__builtins__", "__doc__"} == {"tools"}


def test_a_check_that_passes_says_what_the_function_has_changed(notebook, capsys):
    run(notebook, "def double(x):\n    x *= 2\n    return x")
    cell = 'import numpy as np\nwith tools.check("double-by_hand"): assert double(np.ones(2)).sum() == 4'
    notebook["tools"].CHECKS = CHECKS
    run(notebook, cell)
    assert "changes" not in capsys.readouterr().out

    purity = {"points": 1, "hidden": True, "category": "purity"}
    notebook["tools"].CHECKS = {**CHECKS, "double-inputs_unchanged": purity}
    run(notebook, cell)
    said = ". But double changes x: its inputs should stay as they are"
    assert said in capsys.readouterr().out
    run(notebook, "def double(x): return x * 2")
    run(notebook, cell)
    assert "changes" not in capsys.readouterr().out


DOUBLE_CHECK = """\
with tools.check("double-by_hand"):
    assert double(1) == 2, "double(1) is not 2"
    assert double(3) == 6, "double(3) is not 6"
"""


@pytest.mark.parametrize("line", ["    y = x ** 3", "    raise NotImplementedError"])
def test_below_a_failure_there_is_nearly_the_line(notebook, monkeypatch, line):
    tools = notebook["tools"]
    shown: list[tuple[str, str]] = []
    monkeypatch.setattr(tools, "in_notebook", lambda: True)
    monkeypatch.setattr(tools, "present", lambda *_: None)
    monkeypatch.setattr(tools, "below", lambda *levels: shown.append(levels))
    monkeypatch.setattr(tools, "hint", lambda *_: "Twice?")
    tools.NEARLY = {"Twice?": "Twice, <said> by the bank."}
    cell = f'def double(x):\n    """Twice."""\n{line}\n    return y\n'
    monkeypatch.setitem(linecache.cache, "<cell>", (len(cell), None, cell.splitlines(True), ""))
    exec(compile(cell, "<cell>", "exec"), notebook)
    own = notebook["double"]
    failure = run(notebook, DOUBLE_CHECK)
    assert notebook["double"] is own and failure
    nearly = ("Nearly the line", "Twice, &lt;said&gt; by the bank.")
    assert shown == ([nearly] if "**" in line else [])

"""CheckTries that a notebook counts, if its student wants that, and what a teacher reads of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from autograder.submissions.tries import MOST_SECONDS, MOST_TRIES, CheckTries, tries
from tests.support.written_tools import written

PASSES = 'with tools.check("double-by_hand"): pass'
FAILS = 'with tools.check("double-by_hand"): assert False, "It is 3."'


@pytest.fixture
def notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.chdir(tmp_path)
    return begun()


def begun() -> dict[str, Any]:
    """The names of a notebook whose kernel has just started."""
    names = written("count_tries", "summary")
    names["tools"].CHECKS = {"double-by_hand": {"points": 2, "hidden": False}}
    names["double"] = lambda x: 2 * x
    return names


def run(names: dict[str, Any], *cells: str) -> None:
    for cell in cells:
        try:
            exec(cell, names)
        except AssertionError:
            pass


def handed_in(text: object) -> bytes:
    """A notebook with a cell that has printed this."""
    output = {"output_type": "stream", "name": "stdout", "text": text}
    cell = {"cell_type": "code", "source": "tools.summary()", "metadata": {}, "outputs": [output]}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook).encode()


def test_nothing_is_counted_unless_somebody_wants_it(notebook, capsys):
    run(notebook, "tools.count_tries(False)", FAILS, PASSES, "tools.summary()")
    said = capsys.readouterr().out
    assert said.startswith("Nothing is counted.\n") and "Counted" not in said
    assert tries(handed_in(said)) == {} and not list(Path().iterdir())


def test_tries_are_counted_until_a_check_passes_and_survive_a_restart(
    notebook, monkeypatch, capsys
):
    tools = notebook["tools"]
    now = [1_000_000.0]
    monkeypatch.setattr(tools.time, "time", lambda: now[0])
    monkeypatch.setattr(tools, "hint", lambda *_: "What is it twice?")
    run(notebook, "tools.count_tries(True)")
    for wait in (60, 7_000):  # then lunch
        now[0] += wait
        run(notebook, FAILS)

    again = begun()
    run(again, "tools.count_tries(True)")
    now[0] += 30
    run(again, PASSES, FAILS, PASSES, "tools.summary()")
    found = tries(handed_in(capsys.readouterr().out.splitlines(keepends=True)))
    assert found == {"double-by_hand": CheckTries(3, 60 + 600 + 30, asked=True, passed=True)}


def test_what_counts_is_a_check_that_judged_something(notebook, capsys):
    run(notebook, "tools.count_tries(True)")
    unwritten = 'with tools.check("double-by_hand"): raise NotImplementedError("double")'
    with pytest.raises(NotImplementedError):
        exec(unwritten, notebook)
    run(notebook, "tools.summary()")
    found = tries(handed_in(capsys.readouterr().out))
    assert found == {"double-by_hand": CheckTries(0, 0, asked=False, passed=False)}


MARK = "Counted, as you asked (tries, seconds, asked, passed):"


@pytest.mark.parametrize(
    "text",
    [
        f"{MARK} [1]",
        f"{MARK} {{",
        f"{MARK} {{{'[' * 9_000}}}",
        f'{MARK} {{"a": [1, 2, 3, {"9" * 15_000}]}}',
        f'{MARK} {{"a": [1, 2, 3], "b": 1, "c": [1, 2, 3, null], "d": [1.5, 1, 1, 1], "e": [true, 1, 1, 1]}}',
        f'{MARK} {{"a": [1, 1, 1, 1], "b": "{"x" * 20_000}"}}',
        [MARK, 1],
        None,
    ],
)
def test_what_is_no_count_is_none(text):
    assert tries(handed_in(text)) == {}


def test_a_strangers_numbers_are_bounded_and_the_last_line_counts():
    line = f'{MARK} {{"a": [{10**9}, {10**9}, -1, 7]}}\n'
    found = tries(handed_in([f'{MARK} {{"b": [1, 1, 1, 1]}}\n', line]))
    assert found == {"a": CheckTries(MOST_TRIES, MOST_SECONDS, asked=False, passed=True)}


def test_a_script_has_none():
    assert tries(f"# {MARK} {{}}".encode()) == {}

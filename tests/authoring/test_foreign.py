"""From a source notebook of nbgrader to an exercise that builds and proves."""

import json
import re

from typer.testing import CliRunner

from autograder.cli import app
from autograder.exercises import exercise

COMMON = {"schema_version": 3, "grade": False, "locked": False, "solution": False, "task": False}

FUNCTION = "### BEGIN SOLUTION\ndef triple(x):\n    return 3 * x\n### END SOLUTION"
CLASS = """\
class Stack:
    def __init__(self):
        ### BEGIN SOLUTION
        self.items = []
        ### END SOLUTION
    def push(self, x):
        ### BEGIN SOLUTION
        self.items.append(x)
        ### END SOLUTION
"""
HIDDEN = (
    "assert triple(0) == 0\n### BEGIN HIDDEN TESTS\nclose(triple(-1), -3)\n### END HIDDEN TESTS"
)
PRINTED = "from contextlib import redirect_stdout\nassert triple(1) == 3"
MATERIAL = "%matplotlib inline\nimport pandas as pd\ndef close(a, b):\n    assert a == b, 'differ'"


def cell(kind, source, id="", points=None, **marks):
    metadata = {}
    if marks:
        metadata["nbgrader"] = COMMON | {"grade_id": id, "points": points} | marks
    return {"cell_type": kind, "metadata": metadata, "source": source.splitlines(keepends=True)}


def test_what_can_be_taken_builds_and_proves_and_the_rest_is_listed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "solutions").mkdir()
    test = {"grade": True, "locked": True}
    cells = [
        cell("markdown", "# Numbers\n\nWith *prose*."),
        cell("code", MATERIAL),
        cell("code", FUNCTION, "triple", solution=True),
        cell("code", "# Two is tripled.\nassert triple(2) == 6", "two", 2, **test),
        cell("code", HIDDEN, "more", 3, **test),
        cell("code", CLASS, "stack", solution=True),
        cell("code", "s = Stack()\ns.push(1)\nassert s.items == [1]", "stack", 1.5, **test),
        cell("code", "x = 12", "x", solution=True),
        cell("code", "assert x == 12", "x_test", 1, **test),
        cell("code", "assert plt.gca()", "plot", 1, **test),
        cell("code", PRINTED, "printed", 1, **test),
        cell("code", "triple(1) / 3", "part", 1, **test),
        cell("code", "### AUTOTEST triple(1)", "auto", 1, **test),
        cell("markdown", "Why?", "why", 4, grade=True, solution=True),
        cell("markdown", "Draw.\n=== BEGIN MARK SCHEME ===\nAxes.\n=== END MARK SCHEME ===", "draw", 3, task=True),
    ]  # fmt: skip
    (tmp_path / "my numbers.ipynb").write_text(json.dumps({"cells": cells, "nbformat": 4}))

    def run(*arguments):
        done = CliRunner().invoke(app(), [*arguments])
        assert done.exit_code == 0, done.output
        return done.output

    said = run("import", "my numbers.ipynb")
    left = re.findall(r"not taken: my numbers.ipynb: (cell \d+, line \d+: .*)", said)
    assert left == [
        'cell 2, line 2: imports pandas; if checks need it, set packages = ["pandas"]',
        "cell 8, line 1: an answer that is no function: x",
        "cell 9, line 1: tests the variable x",
        "cell 10, line 1: tests a plot",
        "cell 11, line 1: tests printed text",
        "cell 12, line 1: gives a part of its points",
        "cell 13, line 1: a test that nbgrader writes (AUTOTEST)",
    ]
    assert "13.5 points, 7 of them by hand" in run("build", "my_numbers")
    assert "proved" in run("prove", "my_numbers", "--keys", "1")
    made = exercise.load(tmp_path, "my_numbers")
    checks = {one.name: (one.points, one.hidden) for one in made.checks}
    assert checks == {
        "two": (2, False), "more": (0, False), "more_hidden": (3, True), "stack": (1.5, False),
    }  # fmt: skip
    release = (tmp_path / "assignments" / "my_numbers" / "my_numbers.ipynb").read_text()
    assert "triple(-1)" not in release and "3 * x" not in release

    again = CliRunner().invoke(app(), ["import", "my numbers.ipynb"])
    assert isinstance(again.exception, Exception) and "is there already" in str(again.exception)


def test_a_notebook_without_a_test_of_a_function_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "solutions").mkdir()
    cells = [
        cell("code", "x = 12", "x", solution=True),
        cell("code", "assert x", "t", 1, grade=True),
    ]
    (tmp_path / "essay.ipynb").write_text(json.dumps({"cells": cells, "nbformat": 4}))
    done = CliRunner().invoke(app(), ["import", "essay.ipynb"])
    assert "tests the variable x" in str(done.exception.lines)
    assert "no test in it can be a check" in done.exception.lines[-1]
    assert not list((tmp_path / "solutions").iterdir())

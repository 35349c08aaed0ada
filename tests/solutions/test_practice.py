"""``tools.practice`` in every exercise: right answers keep all properties, wrong ones do not."""

import json
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from autograder.authoring import notebook as authored
from autograder.authoring import read
from autograder.base.errors import Unusable
from autograder.exercises import cell_code, exercise, misconceptions, right_answers
from autograder.tools.trials import Attempt
from tests.support import doubling
from tests.support.courses import ROOT

NAMES = exercise.built_names(ROOT)
SOLUTIONS = ROOT / "solutions"


@cache
def code(name: str) -> cell_code.ExerciseCode:
    return cell_code.ExerciseCode(exercise.load(ROOT, name))


def broken(name: str, step: str, source: str, trials: int) -> dict[str, str]:
    """The properties that do not hold of an answer, the others being the teacher's."""
    names = code(name).answered()
    cell_code.bind(source, step, names)
    tools: Any = names["tools"]
    found: dict[str, str] = {}
    for number in range(trials):
        trial = tools.Attempt(names[step], np.random.default_rng([2, number]))
        held = {**tools.tried(trial, tools.PRACTICE[step]), **trial.found}
        found |= {sentence: detail for sentence, (is_so, detail) in held.items() if not is_so}
    return found


@pytest.mark.parametrize("name", NAMES)
def test_every_step_has_properties_and_right_answers_keep_them(name):
    known = exercise.load(ROOT, name)
    assert set(known.functions) <= set(code(name).namespace()["tools"].PRACTICE)
    for step in known.functions:
        assert not broken(name, step, known.cell(step).source, trials=40), step
    for right in right_answers.load(SOLUTIONS / f"{name}_right_answers.py"):
        assert not broken(name, right.step, right.source, trials=5), right.name


@pytest.mark.everything
@pytest.mark.parametrize("name", NAMES)
def test_most_known_mistakes_break_a_property(name):
    functions = exercise.load(ROOT, name).functions
    entries = misconceptions.load(misconceptions.path_of(ROOT, name)).entries
    bank = [wrong for wrong in entries if wrong.step in functions]
    noticed = [bool(broken(name, wrong.step, wrong.source, trials=20)) for wrong in bank]
    assert sum(noticed) > 0.65 * len(bank)


def test_functions_may_take_iterators_and_return_them():
    def running_totals(numbers):
        total = 0.0
        for number in numbers:
            total += number
            yield total

    trial = Attempt(running_totals, np.random.default_rng(1))
    answer = trial.call(numbers=iter([1.0, 2.0]))
    assert list(answer) == [1.0, 3.0] and list(trial.again()) == [1.0, 3.0]
    assert list(trial.again(numbers=iter([5.0]))) == [5.0]
    assert all(is_so for is_so, _ in trial.found.values()) and trial.given == {
        "numbers": (1.0, 2.0)
    }


def test_a_list_that_is_emptied_by_a_generator_has_changed():
    trial = Attempt(lambda numbers: (numbers.pop() for _ in range(2)), np.random.default_rng(1))
    trial.call(numbers=[1.0, 2.0])
    assert trial.found["The inputs stay as they are."] == (False, "")


PRACTISED = """
# %% practice
class Practice:
    def {step}(t):
        x = t.normal(2)
        t.near("It is as much more as x is.", np.asarray(t.call(x=x)) - x, x)

# %% step="""


def practised(folder: Path, step: str) -> Path:
    text = "# %% setup\nimport numpy as np\nfrom autograder import tools\n\n" + doubling.TINY
    return doubling.authored(folder, text.replace("\n# %% step=", PRACTISED.format(step=step), 1))


def test_a_property_of_no_step_is_refused(tmp_path):
    with pytest.raises(Unusable, match="halve is practised, and no step; name it after a step"):
        read.read(practised(tmp_path, "halve"))
    assert read.read(practised(tmp_path, "double")).of("practice")


@pytest.fixture
def notebook(tmp_path: Path) -> dict[str, Any]:
    full = authored.full(read.read(practised(tmp_path, "double")))
    names: dict[str, Any] = {}
    exec(exercise.from_notebook(json.loads(full)).setup, names)
    return names


def said(names: dict[str, Any], capsys: pytest.CaptureFixture[str], function: str) -> list[str]:
    capsys.readouterr()
    exec(function, names)
    exec('tools.practice("double", 5)', names)
    lines: list[str] = capsys.readouterr().out.splitlines()
    return lines


def test_practice_comes_behind_the_visible_checks_and_shows_the_input_that_fails(notebook, capsys):
    tools: ModuleType = notebook["tools"]
    first = "First come the visible checks of double: run double-by_hand, until it passes."
    right = "def double(x): return 2 * x"
    assert said(notebook, capsys, right) == [first]

    tools.RESULTS["double-by_hand"] = "passes"
    tools.RESULTS["double-text"] = "passes"
    assert said(notebook, capsys, right) == [
        "double, tried on 20 fresh inputs:",
        "  ✓ Your function answers.",
        "  ✓ The inputs stay as they are.",
        "  ✓ A second call gives the same answer.",
        "  ✓ It is as much more as x is.",
        "All of it holds: a good sign, though no proof.",
    ]

    lines = said(notebook, capsys, "def double(x):\n    x += x\n    return x.round(1)")
    assert lines[2] == "  ✗ The inputs stay as they are."
    assert lines[4].startswith("  ✗ It is as much more as x is. Yours: ")
    assert lines[5] == 'The input was this. You get it again from tools.first("double-practice").'
    assert lines[6] == f"  x = {tools.first('double-practice')['x'].round(4)}"
    assert lines[7] == 'All 20 once more: tools.practice("double", 5)'

    lines = said(notebook, capsys, "def double(x): return x[5]")
    assert lines[1].startswith("  ✗ Your function answers. Yours: IndexError: index 5 is out of")

"""The engine's opinion of a built exercise, asked before anything is written."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from autograder import cli
from autograder.authoring import build, grading, read
from autograder.base.errors import Unusable
from autograder.base.settings import Settings
from autograder.exercises import exercise
from autograder.exercises.answer_bank import Answer
from tests.support.doubling import TINY, authored

pytestmark = pytest.mark.usefixtures("forked_rehearsals", "kept_parents")


def test_a_solution_whose_values_cannot_leave_the_worker_is_not_built(tmp_path):
    text = TINY.replace("return x + x", "return {x + x} if isinstance(x, int) else object()")
    text = text.replace("== 2,", "== {2},").replace('== "aa"', "is not None")
    path = authored(tmp_path, text)
    with pytest.raises(Unusable) as caught:
        build.build(tmp_path, "doubling")
    line = text[: text.index('check="double-text"')].count("\n") + 1
    assert caught.value.lines[-1] == (
        f"{path}:{line}: the check double-text calls double, which answers with a value of type "
        "object; let it answer with numbers, texts, arrays of them, tuples, lists, sets, "
        "dictionaries, named tuples, dataclasses"
    )
    assert not list(tmp_path.rglob("*.ipynb"))


def test_a_solution_that_answers_by_chance_is_told_how_to(tmp_path):
    text = TINY.replace("return x + x", "import random\n    return random.random() or x")
    text = text.replace("== 2,", "< 1,").replace('== "aa"', "< 1")
    authored(tmp_path, text)
    with pytest.raises(Unusable) as caught:
        build.build(tmp_path, "doubling")
    assert len(caught.value.lines) == 2
    for line in caught.value.lines:
        assert re.search("double gave two different answers .*; pass the random numbers", line)


def test_a_setup_that_raises_where_student_code_runs_is_said(tmp_path):
    text = TINY.replace("# %% step=", "# %% setup\nimport colorsys, typer\n\n# %% step=", 1)
    path = authored(tmp_path, text)
    with pytest.raises(Unusable) as caught:
        build.build(tmp_path, "doubling")
    line = text[: text.index("# %% setup")].count("\n") + 1
    assert str(caught.value).startswith(
        f"{path}:{line}: the setup cell raises ModuleNotFoundError in the worker: No module named "
    )


def test_a_blank_stub_that_earns_points_is_not_built(tmp_path):
    path = authored(tmp_path, TINY)
    full, _ = build.notebooks(path)
    with pytest.raises(Unusable) as caught:
        grading.insist(read.read(path), full, full, Settings())
    assert [re.sub(r".*: the", "the", line) for line in caught.value.lines] == [
        "the grader gives the blank stub points for double-by_hand; let it fail on what double "
        "returns",
        "the grader gives the blank stub points for double-text; let it fail on what double "
        "returns",
    ]


def test_a_right_answer_that_the_engine_refuses_is_named(tmp_path):
    authored(tmp_path, TINY)
    build.build(tmp_path, "doubling")
    known = exercise.load(tmp_path, "doubling")
    sources = {
        "the solution": "def double(x): return x + x",
        "a subclass": "class Text(str): pass\n\ndef double(x): return Text(x * 2) if x == 'a' else 2",
        "lost at once": "def double(x): return object() if x == 'a' else 2 * x",
    }
    right = [Answer(name, "double", source, wrong=False) for name, source in sources.items()]
    lines = grading.refused(known, right, Settings())
    assert lines[-1] == (
        "lost at once (double): is right, but the engine fails double-text: double returned a "
        "value of type object, which no check can use"
    )
    assert not any(line.startswith("the solution") for line in lines)


@pytest.mark.parametrize("words", grading.REPAIRS)
def test_the_words_that_have_a_repair_are_still_said_where_answers_are_graded(words):
    package = Path(grading.__file__).parent.parent
    paths = [*package.glob("engine/*.py"), *package.glob("tools/*.py")]
    assert any(words in path.read_text(encoding="utf-8") for path in paths)


def test_all_that_fails_is_said_in_one_run(tmp_path):
    authored(tmp_path, TINY.replace("return x + x", "return 3"))
    with pytest.raises(Unusable) as caught:
        build.build(tmp_path, "doubling")
    assert len(caught.value.lines) == 2


SECOND = '''
# %% step="fourfold"
def fourfold(x):
    """Return four times ``x``."""
    ### BEGIN SOLUTION
    return double(double(x))
    ### END SOLUTION

# %% check="fourfold-by_hand" points=1 category="values"
"""Four times one is four."""
assert fourfold(1) == 4

# %% step="negated"
def negated(x):
    """Return ``-x``."""
    ### BEGIN SOLUTION
    return x
    ### END SOLUTION

# %% check="negated-by_hand" points=1 category="values"
"""Less than nothing."""
assert negated(1) == -1
'''


def test_a_step_that_calls_a_wrong_one_is_not_blamed(tmp_path):
    path = authored(tmp_path, TINY.replace("return x + x", "return 3") + SECOND)
    with pytest.raises(Unusable) as caught:
        build.build(tmp_path, "doubling")
    cause = "the solution fails its own check"
    said = [line.removeprefix(str(path)).split(" (")[0] for line in caught.value.lines]
    assert said == [
        f":11: {cause} double-by_hand",
        f":16: {cause} double-text",
        f":38: {cause} negated-by_hand",
    ]


THIRD = '''
# %% check="negated-mark" points=1 category="values" hiden=true
"""It has a mark that nobody knows."""
assert negated(2) == -2

# %% check="negated-name" points=1 category="values"
"""It uses a name that nothing binds."""
assert negated(two) == -2

# %% check="negated-value" points=1 category="values"
"""It hands over what cannot cross."""
assert negated(np.datetime64(0, "s")) == 2
'''


def test_mistakes_of_all_kinds_are_said_in_one_run(tmp_path):
    text = TINY.replace("return x + x", "return 3") + SECOND + THIRD
    text = text.replace("# %% step=", "# %% setup\nimport numpy as np\n\n# %% step=", 1)
    text = text.replace(
        "assert negated(np", "import datetime\nx = datetime.timedelta(1)\nassert negated(np"
    )
    text = text.replace('negated(np.datetime64(0, "s")) == 2', "negated(x) == x")
    path = authored(tmp_path, text.replace('step="negated"', 'step="negated" points=9'))
    with pytest.raises(Unusable) as caught:
        build.build(tmp_path, "doubling")

    cause = "the solution fails its own check"
    wanted = {
        'check="double-by_hand"': f"{cause} double-by_hand",
        'check="double-text"': f"{cause} double-text",
        'check="negated-by_hand"': f"{cause} negated-by_hand",
        'check="negated-mark"': "unknown mark hiden; did you mean hidden?",
        "assert negated(two)": "the check negated-name uses two, which it cannot know",
        'check="negated-value"': "the check negated-value calls negated with a value of type timedelta",
    }
    source = path.read_text(encoding="utf-8")
    said = list(caught.value.lines)
    for place, words in wanted.items():
        line = source[: source.index(place)].count("\n") + 1
        told = said.pop(0)
        assert told.startswith(f"{path}:{line}: {words}"), told
    assert said == []


def test_where_the_engine_fails_a_step_those_that_call_it_are_not_blamed(tmp_path):
    text = TINY.replace("return x + x", "import typer\n    return x + x")
    path = authored(tmp_path, text + SECOND.split('# %% step="negated')[0])
    with pytest.raises(Unusable) as caught:
        build.build(tmp_path, "doubling")
    cause = "the grader gives the solution no points for"
    said = [line.removeprefix(str(path)).split(": double raised")[0] for line in caught.value.lines]
    assert said == [f":12: {cause} double-by_hand", f":17: {cause} double-text"]


def test_a_mistake_in_a_mark_is_said_before_anything_slow_is_loaded(tmp_path, monkeypatch, capsys):
    text = TINY.replace("points=1", "pts=1").replace("hidden=true", "hidden=yes")
    authored(tmp_path, text)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        cli.main(["build", "doubling"])
    assert ended.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert [line.split("; ")[1] for line in err.splitlines()] == [
        "did you mean points?",
        "write hidden=true",
    ]


def test_an_exercise_without_a_title_is_built_and_told_so(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for text, count in ((TINY, 0), (TINY.replace("# # Doubling", "# Rows."), 1)):
        path = authored(tmp_path, text)
        with pytest.raises(SystemExit):
            cli.main(["build", "doubling"])
        said = capsys.readouterr().out.splitlines()
        note = (
            f"note: {path}:1: no title, so pages are headed doubling; begin a [markdown] cell with "
            "# # and the title"
        )
        assert [line for line in said if line.startswith("note")] == [note] * count


@pytest.mark.parametrize(
    ("setup", "draw", "named"),
    [
        ("", "import random\n    random.random() < 0.001 and print()", "random.random"),
        ("import numpy as np", "np.random.default_rng().random()", "np.random.default_rng"),
        ("import numpy as np\nrng = np.random.default_rng(0)", "rng.random()", "rng"),
        ("import numpy as np", "np.random.default_rng(x).random()", ""),
        ("import random", "random.seed(0)\n    random.random()", ""),
        ("import random\nrng = 1", "rng", ""),
    ],
)
def test_a_solution_that_draws_now_and_then_is_built_and_told_so(tmp_path, setup, draw, named):
    text = TINY.replace("    return x + x", f"    {draw}\n    return x + x")
    text = text.replace("# %% step=", f"# %% setup\n{setup}\n\n# %% step=", 1)
    found = [problem.cause for problem in build.notes(read.read(authored(tmp_path, text)))]
    told = f"double draws from {named}, and double-by_hand may ask the same call twice"
    assert found == ([told] if named else [])

    text = text.replace('category="values"', 'category="values" repeat=false')
    assert not list(build.notes(read.read(authored(tmp_path, text))))


def test_linting_loads_neither_nbgrader_nor_the_engine(tmp_path):
    path = authored(tmp_path, TINY)
    code = (
        "import sys, pathlib; from autograder.authoring import read; "
        "read.read(pathlib.Path(sys.argv[1])); print(*sys.modules)"
    )
    command = [sys.executable, "-c", code, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert not loaded & {"nbgrader", "nbformat", "jsonschema", "jupytext", "IPython"}

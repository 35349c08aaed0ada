"""Exercises that need functions of earlier ones."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from autograder.authoring import build, read
from autograder.authoring.proving.trial import Bench
from autograder.base.errors import Unusable
from autograder.base.result import Result
from autograder.base.settings import Settings
from autograder.checking import student_copy
from autograder.checking.confined import checked
from autograder.checking.waiting import waits
from autograder.exercises import exercise, setup_cell
from autograder.exercises.answer_bank import Answer
from autograder.grader.grader import Grader
from tests.support import processes
from tests.support.doubling import TINY
from tests.support.typing_in import typed

pytestmark = pytest.mark.usefixtures("forked_rehearsals", "checked_here")

LATER = '''\
# %% setup needs="doubling:double"{given}
from autograder import tools

# %% oracles
def four_times(x):
    return double(double(x))

# %% step="quadruple"
def quadruple(x):
    """Return four times ``x``."""
    ### BEGIN SOLUTION
    return double(double(x))
    ### END SOLUTION

# %% check="quadruple-by_hand" points=1 category="values"
"""Four times one is four."""
tools.same(quadruple(1), 4, "quadruple(1)")

# %% check="quadruple-drawn" points=2 category="values" hidden=true
"""Four times a text is that text four times."""
tools.same(quadruple("a"), four_times("a"), "the text")
'''
SECRET = "return x + x"


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course with both exercises, the earlier one built."""
    (tmp_path / "solutions").mkdir()
    (tmp_path / "solutions" / "doubling.py").write_text(TINY)
    (tmp_path / "solutions" / "fours.py").write_text(LATER.format(given=""))
    return tmp_path


def released(root: Path) -> bytes:
    build.build(root, "fours")
    return (root / "assignments" / "fours" / "fours.ipynb").read_bytes()


def handed_in(release: bytes, **answers: str) -> bytes:
    return typed(release, answers)


def graded(root: Path, data: bytes) -> Result:
    settings = Settings(isolation="process")
    with Grader(exercise.load(root, "fours"), b"secret", settings) as grader:
        return grader.grade(data, "ada").result


def test_a_later_exercise_has_a_cell_that_brings_functions_over_and_nothing_of_the_solution(course):
    release = released(course)
    cells = {cell["id"]: "".join(cell["source"]) for cell in json.loads(release)["cells"]}
    assert list(cells)[:-1] == ["setup", "brought", "quadruple", "quadruple-by_hand"]
    assert cells["brought"] == (
        "# From doubling: double.\n"
        "# Run this cell: it puts your own functions here, if doubling.ipynb is in the same folder. "
        "Or paste\n# them here, in place of these lines. They are not graded again.\n"
        'with tools.bring("doubling.ipynb"):\n'
        '    raise NotImplementedError("This step is still to be written.")'
    )
    assert SECRET not in release.decode()
    assert json.loads(release)["metadata"]["autograder"]["needs"] == ["doubling:double"]


@pytest.mark.parametrize(
    "pasted",
    [
        "def double(x):\n    return 3 * x",
        "raise ValueError",
        "def double(x):\n    return 2 * x",
        None,
    ],
)
def test_the_grader_uses_the_earlier_solution_whatever_was_pasted(course, pasted):
    release = released(course)
    answers = {"quadruple": "def quadruple(x):\n    return double(double(x))"}
    if pasted is not None:
        answers["brought"] = pasted
    result = graded(course, handed_in(release, **answers))
    assert (result.score, [step.name for step in result.steps]) == (3, ["quadruple"])
    assert graded(course, release).score == 0


def test_what_the_earlier_solution_raises_is_said_where_the_student_has_called_it(course):
    wrong = "def quadruple(x):\n    return double(object)"
    right = "def quadruple(x):\n    return double(double(x))"
    release = released(course)
    settings = Settings(isolation="process")
    messages = []
    with Grader(exercise.load(course, "fours"), b"secret", settings) as grader:
        for answer in (wrong, right, wrong):  # behind a right one its check is known
            result = grader.grade(handed_in(release, quadruple=answer), "ada").result
            messages.append(result.checks[0].message)

    assert messages[0] == messages[2]
    assert messages[0].startswith("quadruple raised TypeError in line 2 of your cell quadruple: ")


def test_a_students_code_cannot_read_the_earlier_solution(course):
    answer = (
        "def quadruple(x):\n    import inspect\n    try:\n        text = inspect.getsource(double)\n"
        "    except (TypeError, OSError):\n        text = repr(vars(double))\n"
        "    raise ValueError(text)"
    )
    result = graded(course, handed_in(released(course), quadruple=answer))
    assert result.score == 0 and "x + x" not in result.to_json()


def test_a_students_own_copy_uses_what_they_have_pasted(course):
    data = handed_in(
        released(course),
        brought="def double(x):\n    return 3 * x",
        quadruple="def quadruple(x):\n    return double(double(x))",
    )
    (outcome,) = checked(student_copy.read(data, "ada.ipynb", "fours"))[0].checks
    assert outcome.message == "quadruple(1): it is off by 5."


def test_what_is_pasted_may_call_what_else_is_there_and_checks_may_call_it(course):
    text = LATER.replace("tools.same(quadruple(1), 4,", "tools.same(quadruple(1), double(2),")
    (course / "solutions" / "fours.py").write_text(text.format(given=""))
    notebook = json.loads(released(course))
    notebook["cells"][1]["source"] = "def double(x):\n    return helper(x)"
    notebook["cells"][2]["source"] = "def quadruple(x):\n    return double(double(x))"
    for name, body in (("helper", "twice(x)"), ("twice", "2 * x")):
        source = f"def {name}(x):\n    return {body}"
        own = {"cell_type": "code", "id": name, "metadata": {}, "source": source}
        notebook["cells"].insert(1, {**own, "outputs": [], "execution_count": None})
    data = json.dumps(notebook).encode()
    assert checked(student_copy.read(data, "ada.ipynb", "fours"))[0].score == 1


def test_what_is_pasted_under_another_name_is_said(course):
    answers = {"quadruple": "def quadruple(x):\n    return double(double(x))"}
    data = handed_in(released(course), brought="def doubled(x):\n    return 2 * x", **answers)
    (outcome,) = checked(student_copy.read(data, "ada.ipynb", "fours"))[0].checks
    assert outcome.message.endswith("name 'double' is not defined: its cell defines doubled")


def test_who_has_pasted_nothing_is_told_so(course):
    answers = {"quadruple": "def quadruple(x):\n    return double(double(x))"}
    copy = student_copy.read(handed_in(released(course), **answers), "ada.ipynb", "fours")
    result, _ = checked(copy)
    (outcome,) = result.checks
    assert outcome.status == "failed" and not waits(copy, result)
    assert outcome.message == "double is still empty; bring yours over into this notebook"


def test_what_a_pasted_function_raises_is_said_of_no_cell_that_students_do_not_know(course):
    answers = {"quadruple": "def quadruple(x):\n    return double(double(x))"}
    pasted = "def double(x):\n    raise ValueError('boom')"
    data = handed_in(released(course), brought=pasted, **answers)
    (outcome,) = checked(student_copy.read(data, "ada.ipynb", "fours"))[0].checks
    where = "in line 2 of the cell of your earlier functions: boom"
    assert outcome.message == f"quadruple raised ValueError {where}"


def earlier(root: Path, **changes: str) -> bytes:
    """An earlier notebook in which ``double`` and what it uses is written, and much else is."""
    build.build(root, "doubling")
    notebook = json.loads((root / "assignments" / "doubling" / "doubling.ipynb").read_bytes())
    cells = {
        "own": "%matplotlib inline\nfrom math import prod\nTWO = 2\nx = [1]\nnot Python",
        "more": "%matplotlib inline\nfrom math import prod\nTWO = 2\nx = [1]\nprint(x)",
        "help": "def helper(x):\n    return prod([x, TWO])",
        "double": 'def double(x):\n    """Twice."""\n\n    # mine\n    return helper(x)',
        **changes,
    }
    blank = next(cell for cell in notebook["cells"] if cell["id"] == "double")
    own = [{**blank, "id": id, "source": source} for id, source in cells.items()]
    notebook["cells"] = [cell for cell in notebook["cells"] if cell is not blank] + own
    return json.dumps(notebook).encode()


BROUGHT = """\
# Your functions of doubling.ipynb; they are not graded again.
from math import prod
TWO = 2


def helper(x):
    return prod([x, TWO])


def double(x):
    # mine
    return helper(x)"""


def notebook_of(release: bytes, monkeypatch, tmp_path) -> dict[str, Any]:
    """The names of a session in which the setup cell has run, in a folder of its own."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    cells = {cell["id"]: "".join(cell["source"]) for cell in json.loads(release)["cells"]}
    names: dict[str, Any] = {"BRING": cells["brought"]}
    exec(cells["setup"], names)
    return names


@pytest.mark.parametrize("place", ["here", "doubling"])
def test_the_cell_fetches_functions_with_all_that_they_use_and_becomes_their_code(
    course, place, monkeypatch, tmp_path, capsys
):
    names = notebook_of(released(course), monkeypatch, tmp_path)
    (tmp_path / place).mkdir(exist_ok=True)
    (tmp_path / place / "doubling.ipynb").write_bytes(earlier(course))
    became: list[str] = []
    shell = SimpleNamespace(set_next_input=lambda code, replace: became.append(code))
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    capsys.readouterr()

    exec(names["BRING"], names)
    assert names["double"](3) == 6 and became == [BROUGHT] and "x" not in names
    assert capsys.readouterr().out.startswith("✓ From ")
    exec(became[0], names)
    assert names["double"](4) == 8


@pytest.mark.parametrize(
    ("double", "says"),
    [
        (None, "There is no doubling.ipynb in "),
        ("def double(x):\n    raise NotImplementedError", "Still missing: double.\n"),
        ("def double(x) return 2", "Still missing: double.\n"),
    ],
)
def test_what_cannot_be_fetched_is_said_and_asks_to_be_written_where_it_is_called(
    course, double, says, monkeypatch, tmp_path, capsys
):
    names = notebook_of(released(course), monkeypatch, tmp_path)
    if double is not None:
        Path("doubling.ipynb").write_bytes(earlier(course, double=double))
    capsys.readouterr()
    exec(names["BRING"], names)
    assert says in capsys.readouterr().out
    with pytest.raises(NotImplementedError) as caught:
        names["double"](1)
    assert names["tools"].culprit(caught.tb) == "double"

    names["double"] = lambda x: 2 * x
    exec(names["BRING"], names)
    assert not capsys.readouterr().out and names["double"](1) == 2


@pytest.mark.parametrize("suffix", [".ipynb", ".py"])
def test_a_students_own_copy_takes_the_functions_of_the_notebook_beside_it(course, suffix):
    answers = {"quadruple": "def quadruple(x):\n    return double(double(x))"}
    data = handed_in(released(course), **answers)
    if suffix == ".py":
        codes = [f"# %%\n{''.join(cell['source'])}" for cell in json.loads(data)["cells"]]
        data = "\n\n".join(codes).encode()
    own = course / "own"
    own.mkdir()
    (own / "doubling.ipynb").write_bytes(earlier(course))
    copy = student_copy.read(data, str(own / f"fours{suffix}"), "fours")
    assert checked(copy)[0].score == 1


def test_an_earlier_notebook_beside_a_submission_is_never_run_by_the_grader(
    course, monkeypatch, tmp_path
):
    release = released(course)
    monkeypatch.chdir(tmp_path)
    mine = "open('run', 'w')\ndef double(x):\n    return open('run', 'w')"
    Path("doubling.ipynb").write_bytes(earlier(course, double=mine))
    answer = "def quadruple(x):\n    return double(double(x))"
    assert graded(course, handed_in(release, quadruple=answer)).score == 3
    assert not Path("run").exists()


def test_a_notebook_with_a_cell_for_each_function_as_there_were_keeps_its_grade(course):
    notebook = json.loads(released(course))
    for cell in notebook["cells"]:
        if cell["id"] == "brought":
            cell["id"] = cell["metadata"]["nbgrader"]["grade_id"] = "double"
            del cell["metadata"]["autograder"]["functions"]
            cell["source"] = "def double(x):\n    return help(x)\n\ndef help(x):\n    return 3 * x"
        elif cell["id"] == "quadruple":
            cell["source"] = "def quadruple(x):\n    return double(double(x)) + help(x) - 3 * x"
    data = json.dumps(notebook).encode()
    result = graded(course, data.replace(b"help(x) - 3 * x", b"help(0)"))
    assert (result.checks[0].earned, result.warnings) == (1, ())
    (own,) = checked(student_copy.read(data, "ada.ipynb", "fours"))[0].checks
    assert own.message == "quadruple(1): it is off by 5."


def test_a_given_implementation_stands_in_the_setup_cell(course):
    text = LATER.format(given=" given=true")
    (course / "solutions" / "fours.py").write_text(text)
    release = released(course)
    cells = {cell["id"]: "".join(cell["source"]) for cell in json.loads(release)["cells"]}
    assert "brought" not in cells and SECRET in setup_cell.unpacked(cells["setup"])[0]
    answer = "def quadruple(x):\n    return double(double(x))"
    assert graded(course, handed_in(release, quadruple=answer)).score == 3


def test_an_answer_of_the_bank_may_use_what_is_needed(course):
    released(course)
    bench = Bench(exercise.load(course, "fours"))
    right = "def quadruple(x):\n    return double(x) + double(x)"
    bench.bind(Answer("by_adding", "quadruple", right, wrong=False))
    assert [bench.failure(check, "key") for check in bench.checks] == ["", ""]


def test_a_later_exercise_is_older_than_an_earlier_one_that_has_changed(course):
    released(course)
    (course / "solutions" / "doubling.py").write_text(TINY.replace("x + x", "2 * x"))
    with pytest.raises(Unusable, match=r"older than doubling\.py; run autograder build fours"):
        exercise.load(course, "fours")


def test_who_builds_an_exercise_reads_which_others_take_something_from_it(course):
    released(course)
    (course / "solutions" / "doubling.py").write_text(TINY.replace("x + x", "2 * x"))
    done = processes.call("build", "doubling", cwd=course)
    fours = course / "solutions" / "fours" / "fours.ipynb"
    note = f"note: {fours}: older than doubling.py; run autograder build fours"
    assert done.returncode == 0 and done.stdout.splitlines()[-1] == note


def test_exercises_to_build_again_for_one_reason_are_one_line_with_one_command(course):
    fours = (course / "solutions" / "fours.py").read_text()
    for name in ("sixes", "tens"):
        (course / "solutions" / f"{name}.py").write_text(fours.replace("fours", name))
        build.build(course, name)
    released(course)
    (course / "solutions" / "doubling.py").write_text(TINY.replace("x + x", "2 * x"))
    note = (
        "note: fours, sixes and tens: older than doubling.py; run autograder build fours sixes tens"
    )
    assert processes.call("build", "doubling", cwd=course).stdout.splitlines()[-1] == note


def test_an_exercise_that_is_out_of_date_is_no_matter_of_another_ones_notebook(course):
    """Nor of a file that is no notebook; one that fits nothing may be of the one that cannot be
    loaded."""
    released(course)
    (course / "solutions" / "doubling.py").write_text(TINY.replace("x + x", "2 * x"))
    build.build(course, "doubling")
    out_of_date = "fours.ipynb: older than doubling.py"

    files = {
        "ada": ((course / "assignments/doubling/doubling.ipynb").read_bytes(), ""),
        "bad": (b'{"cells": [', "bad.ipynb: not a notebook: it breaks off"),
        "eve": (b'{"cells": [], "nbformat": 4, "nbformat_minor": 5}', out_of_date),
    }
    for name, (data, says) in files.items():
        file = course / f"{name}.ipynb"
        file.write_bytes(data.replace(b'"exercise":"', b'"was":"'))
        done = processes.call("score", file, "--course", course / "course", cwd=course)
        assert says in done.stderr and (out_of_date in done.stderr) == (says == out_of_date)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("doubling:double", "doubling:halve", r"there is no step halve in .*doubling\.py"),
        ("doubling:double", "nothing:double", r"there is no step double in .*nothing\.py"),
        ("doubling:double", "double", "'double' is no function of an exercise; write needs="),
        ("doubling:double", "fours:quadruple", r"there is no step quadruple in .*fours\.py"),
        ('needs="doubling:double"', "given=true", "given without needs"),
        ("quadruple", "double", "double is needed of doubling, and a step here"),
    ],
)
def test_what_is_needed_and_not_there_is_said(course, old, new, says):
    path = course / "solutions" / "fours.py"
    path.write_text(LATER.format(given="").replace(old, new))
    with pytest.raises(Unusable, match=says):
        read.read(path)


def test_a_function_that_needs_more_says_what(course):
    earlier = TINY.replace("return x + x", "return math.prod([x, 2])")
    earlier = earlier.replace("# %% step=", "# %% setup\nimport math\n\n# %% step=", 1)
    (course / "solutions" / "doubling.py").write_text(earlier)
    with pytest.raises(
        Unusable, match=r"doubling:double uses math, .*; import it in setup, or add"
    ):
        read.read(course / "solutions" / "fours.py")

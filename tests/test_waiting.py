"""What `check` says beyond verdicts: what waits for what, which checks are gone, which changed."""

import json
from typing import Any

import pytest

from autograder.authoring import build
from autograder.base.result import Result
from autograder.base.settings import Settings
from autograder.checking import student_copy, waiting
from autograder.checking.student_copy import StudentCopy
from autograder.exercises import setup_cell
from autograder.grader.grader import Grader

pytestmark = pytest.mark.usefixtures("kept_parents")

STEP = '''
# %% step="{name}" points={points}
def {name}(x):
    """Docstring."""
    ### BEGIN SOLUTION
    return {answer}
    ### END SOLUTION


# %% check="{name}-by_hand" points={points} category="values"
"""It is as by hand."""
given = 1
tools.same({name}(given), {wanted}, "the answer")
'''
AUTHORED = "# %% [markdown]\n# # Chains\n\n# %% setup\nfrom autograder import tools\n" + "".join(
    [
        STEP.format(name="one", points=1, answer="x + 1", wanted=2),
        STEP.format(name="two", points=2, answer="one(x) + 1", wanted=3),
        STEP.format(name="three", points=4, answer="two(x) + 1", wanted=4),
        STEP.format(name="alone", points=8, answer="x", wanted=1),
    ]
)


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    path = tmp_path_factory.mktemp("chains") / "chains.py"
    path.write_text(AUTHORED)
    notebook: dict[str, Any] = json.loads(build.notebooks(path)[1])
    return notebook


def copy_of(released: dict[str, Any], **answers: str) -> StudentCopy:
    """A student's copy with these answers; an empty one deletes a cell."""
    notebook = json.loads(json.dumps(released))
    kept = []
    for cell in notebook["cells"]:
        source = answers.get(cell["id"].replace("-", "__"))
        if source is not None:
            cell["source"] = source
        if source != "":
            kept.append(cell)
        if cell["id"] == "one":  # what somebody tries has the name of a check's variable
            kept.append({**cell, "id": "tried", "metadata": {}, "source": "given = one(1)"})
    notebook["cells"] = kept
    return student_copy.read(json.dumps(notebook).encode(), "chains.ipynb")


ONE = "def one(x): return x"
TWO = "def two(x): return helper(x) + 1\ndef helper(x): return [one(part) for part in [x]][0]"
THREE = "class three:\n    def __new__(cls, x): return two(x) + 1"
ALONE = "def alone(x): return x"


def graded(copy: StudentCopy) -> Result:
    with Grader(copy.exercise, b"", Settings(isolation="process")) as grader:
        return grader.grade(copy.data, None).result


def test_a_step_waits_for_the_first_one_that_fails_below_it_however_it_calls_it(released):
    copy = copy_of(released, one=ONE, two=TWO, three=THREE, alone="def alone(x): return 0")
    result = graded(copy)
    found = waiting.waits(copy, result)
    assert found == {"two": ("one",), "three": ("one",)}
    told = waiting.points_so_far(result, found)
    assert told == "0 of 15 points, and up to 7 more when one is fixed"


def test_what_is_still_to_be_written_is_waited_for_and_waits_for_nothing(released):
    copy = copy_of(released, two=TWO, alone=ALONE)
    result = graded(copy)
    found = waiting.waits(copy, result)
    assert found == {"two": ("one",)}
    told = waiting.points_so_far(result, found)
    assert told == "8 of 15 points, and up to 3 more when one is written"


@pytest.mark.parametrize(
    ("two", "is_named"),
    [
        ("def two(x): return x", False),
        # It is wrong, too, but nothing that is said of this one depends on that.
        ("def two(x): return one(x) * 0", False),
        # Nobody knows what is right there.
        ("def two(x): return one(x + 3)", True),
    ],
)
def test_who_fails_for_no_other_step_waits_for_nobody(released, two, is_named):
    right = "def three(x): return 4"
    copy = copy_of(released, one=ONE, two=two, three=right, alone=ALONE)
    result = graded(copy)
    assert waiting.waits(copy, result) == {}
    assert (result.step("two").checks[0].hint == "Perhaps first fix one.") == is_named
    assert waiting.points_so_far(result, {}) == "12 of 15 points"


def test_a_step_that_is_wrong_beside_an_earlier_one_is_told_so_once_that_is_right(released):
    copy = copy_of(released, one=ONE, two="def two(x): return one(x) + 5", alone=ALONE)
    assert waiting.waits(copy, graded(copy)) == {"two": ("one",)}


def test_a_copy_that_knows_no_answers_names_the_earlier_step_with_a_perhaps(released):
    notebook = json.loads(json.dumps(released))
    setup = next(cell for cell in notebook["cells"] if cell["id"] == "setup")
    code, _ = setup_cell.unpacked("".join(setup["source"]))
    lines = [line for line in code.split("\n") if not line.startswith("tools.ANSWERS")]
    assert len(lines) == code.count("\n"), "it has a line of them"
    setup["source"] = setup_cell.packed("\n".join(lines))
    copy = copy_of(notebook, one=ONE, two=TWO)
    result = graded(copy)
    assert waiting.waits(copy, result) == {}
    assert result.step("two").checks[0].hint == "Perhaps first fix one."


def test_a_check_that_was_deleted_earns_nothing_and_is_named(released):
    copy = copy_of(released, one=ONE, two=TWO, two__by_hand="", alone__by_hand="")
    assert [check.id for check in copy.missing] == ["two-by_hand", "alone-by_hand"]
    result = copy.completed(graded(copy))
    assert [step.name for step in result.steps] == ["one", "two", "three", "alone"]
    assert (result.score, result.max_score) == (0.0, 15.0)
    assert result.step("two").checks[0].message.startswith("its cell is gone, or asks nothing; ")
    # Nobody has seen it fail.
    assert "two" not in waiting.waits(copy, result)


@pytest.mark.parametrize("as_script", [False, True])
def test_a_check_that_was_changed_is_named(released, as_script):
    source = next(cell["source"] for cell in released["cells"] if cell["id"] == "two-by_hand")
    changed = {"two__by_hand": "".join(source).replace("3", "2")}
    for answers, expected in (({}, ()), (changed, ("two-by_hand",))):
        copy = copy_of(released, **answers)
        if as_script:
            jupytext = pytest.importorskip("jupytext")
            notebook = jupytext.reads(copy.data.decode(), fmt="ipynb")
            script = jupytext.writes(notebook, fmt="py:percent").encode()
            copy = student_copy.read(script, "chains.py")
        assert copy.changed == expected and copy.missing == ()
    assert copy.about_changes.startswith("the cell of two-by_hand was changed; ")


def test_a_notebook_without_its_metadata_is_not_said_to_be_changed(released):
    notebook = json.loads(json.dumps(released))
    for cell in notebook["cells"]:
        cell["metadata"] = {}
    assert student_copy.read(json.dumps(notebook).encode(), "chains.ipynb").changed == ()

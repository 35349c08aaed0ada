"""Steps that students are given: a course leaves them out, and the others carry their points."""

import json
from pathlib import Path

import pytest

from autograder.authoring import build, read
from autograder.authoring.proving import proof, sample
from autograder.base.errors import Unusable
from autograder.base.settings import Settings
from autograder.exercises import exercise
from autograder.grader.grader import Grader
from tests.support.typing_in import typed

pytestmark = pytest.mark.usefixtures("forked_rehearsals", "kept_parents")

THREE = '''\
# %% [markdown]
# # Three steps

# %% setup
from autograder import tools

# %% step="double" points=3{double}
def double(x):
    """Return twice ``x``."""
    ### BEGIN SOLUTION
    return x + x
    ### END SOLUTION

# %% check="double-one" points=1 category="values"
"""Twice one is two."""
tools.same(double(1), 2, "double(1)")

# %% check="double-text" points=2 category="values" hidden=true
"""Twice a text is the text and the text."""
tools.same(double("a"), "aa", "double of a text")

# %% step="four_times" points=3{four_times}
def four_times(x):
    """Return four times ``x``."""
    ### BEGIN SOLUTION
    return double(double(x))
    ### END SOLUTION

# %% check="four_times-one" points=2 category="values"
"""Four times one is four."""
tools.same(four_times(1), 4, "four_times(1)")

# %% check="four_times-text" points=1 category="values" hidden=true
"""Four times a text is that text four times."""
tools.same(four_times("ab"), "abababab", "four_times of a text")

# %% step="negated" points=4{negated}
def negated(x):
    """Return minus ``x``."""
    ### BEGIN SOLUTION
    return -x
    ### END SOLUTION

# %% check="negated-one" points=4 category="values"
"""Minus one."""
tools.same(negated(1), -1, "negated(1)")
'''
WRONG = '''\
"""What people get wrong."""

from autograder.exercises.misconceptions import misconception

UNCLAIMED = {"double-text": "nobody is caught by it first", "four_times-text": "nor by this"}


@misconception(step="double", caught_by="double-one")
def squared(x):
    """You multiply. Print double(3): is it 6?"""
    return x * x


@misconception(step="four_times", caught_by="four_times-one")
def twice_only(x):
    """You double once. Print four_times(1): is it 4?"""
    return double(x)


@misconception(step="negated", caught_by="negated-one")
def unchanged(x):
    """Nothing changes. Print negated(1): is it below 0?"""
    return x
'''
RIGHT = '''\
"""Unusual and right."""

from autograder.exercises.right_answers import right_answer

NOT_RIGHT = {"float32 (double)": "texts are doubled, too"}


@right_answer(step="double")
def twofold(x):
    return 2 * x


@right_answer(step="four_times")
def fourfold(x):
    return 4 * x
'''


@pytest.fixture
def course(tmp_path: Path) -> Path:
    solutions = tmp_path / "solutions"
    solutions.mkdir()
    (solutions / "three_misconceptions.py").write_text(WRONG)
    (solutions / "three_right_answers.py").write_text(RIGHT)
    return tmp_path


def write(course: Path, *given: str) -> Path:
    names = ("double", "four_times", "negated")
    marks = {name: " given=true" if name in given else "" for name in names}
    path = course / "solutions" / "three.py"
    path.write_text(THREE.format(**marks))
    return path


def points(path: Path) -> dict[str, float | None]:
    return {check.id: check.points for check in read.read(path).of("check")}


def test_the_other_checks_carry_the_points_of_a_given_step(course):
    assert points(write(course, "double")) == {
        "four_times-one": 2.9,
        "four_times-text": 1.4,
        "negated-one": 5.7,
    }
    assert points(write(course, "double", "negated")) == {
        "four_times-one": 6.7,
        "four_times-text": 3.3,
    }
    assert sum(value or 0 for value in points(write(course)).values()) == 10


def test_a_given_step_stands_in_its_place_with_the_solution_and_locked(course):
    write(course, "double")
    build.build(course, "three")
    release = json.loads((course / "assignments" / "three" / "three.ipynb").read_bytes())
    cells = {cell["id"]: cell for cell in release["cells"] if cell["cell_type"] == "code"}

    assert list(cells)[1:3] == ["double", "four_times"]
    assert "".join(cells["double"]["source"]) == (
        "# Given · double · not graded\ndef double(x):\n"
        '    """Return twice ``x``."""\n    return x + x'
    )
    assert cells["double"]["metadata"]["nbgrader"]["locked"]
    assert not cells["double"]["metadata"]["nbgrader"]["solution"]


@pytest.mark.parametrize("changed", [False, True])
def test_the_grader_uses_the_given_step_whatever_a_student_makes_of_it(course, changed):
    write(course, "double")
    build.build(course, "three")
    known = exercise.load(course, "three")
    answers = {"four_times": "def four_times(x):\n    return double(double(x))"}
    if changed:
        answers["double"] = "def double(x):\n    return None"
    data = typed(course / "assignments" / "three" / "three.ipynb", answers)

    with Grader(known, b"secret", Settings(isolation="process")) as grader:
        result = grader.grade(data, "ada").result
    assert [(step.name, step.score) for step in result.steps] == [
        ("four_times", 4.3),
        ("negated", 0.0),
    ]
    assert (result.score, result.max_score) == (4.3, 10.0)


def test_the_banks_answers_to_a_given_step_are_left_out(course):
    write(course, "double")
    build.build(course, "three")
    known = exercise.load(course, "three")

    assert proof.prove(course, known, range(1), 1).problems() == []
    people = {student.id for student in sample.students(course, known)}
    assert {"wrong-twice_only", "unusual-fourfold"} <= people
    assert not {"wrong-squared", "unusual-twofold"} & people


def test_a_later_exercise_may_need_a_given_step(course):
    write(course, "double")
    later = THREE.format(double="", four_times="", negated="").replace(
        "# %% setup", '# %% setup needs="three:double"'
    )
    later = later[: later.index("# %% step=")] + later[later.index('# %% step="four_times"') :]
    path = course / "solutions" / "later.py"
    path.write_text(later)
    assert [cell.functions for cell in read.read(path).of("needed")] == [("double",)]


def test_what_cannot_be_given_is_said(course):
    with pytest.raises(Unusable, match="no step with points is left to write; give fewer of them"):
        read.read(write(course, "double", "four_times", "negated"))

    path = write(course, "double")
    path.write_text(path.read_text().replace("def double(x)", "class double:\n  def __init__(s)"))
    with pytest.raises(Unusable, match="double is a class, which cannot be given; put it into"):
        read.read(path)

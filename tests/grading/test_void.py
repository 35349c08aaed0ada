"""A check with ``void=true`` counts in full for everybody: in the notebooks, the grader, the
gradebook, on pages and in proofs."""

import json

import pytest

from autograder.authoring import build
from autograder.authoring.proving import answers
from autograder.exercises import exercise
from tests.support import courses, processes
from tests.support.courses import NAME, RIGHT
from tests.support.final_scores import graded

pytestmark = pytest.mark.usefixtures("graded_here")

WRONG = {**RIGHT, "total": "def total(x):\n    return -1.0\n"}
HIDDEN = 'check="total-negative" points=3'
VISIBLE = 'check="total-by_hand" points=2'
BROKEN = courses.AUTHORED.replace(
    "agree(total([-1.0, -2.0]), -3.0", "agree(total([-1.0, -2.0]), 7.0"
)


def void(text: str, *marks: str) -> str:
    for mark in marks:
        assert text.count(mark) == 1
        text = text.replace(mark, f"{mark} void=true")
    return text


def test_everybody_gets_its_points_whatever_they_wrote(course):
    courses.submit(course, "ann", RIGHT)
    courses.submit(course, "bob", WRONG)
    courses.submit(course, "cleo", {"double": RIGHT["double"]})
    courses.submit(course, "dan", {**RIGHT, "total": "import os\nos._exit(1)\n"})
    assert graded(course) == {"ann": 10, "bob": 5, "cleo": 5, "dan": 5}

    courses.write_root(course.root, void(courses.AUTHORED, HIDDEN))
    assert graded(course) == {"ann": 10, "bob": 8, "cleo": 8, "dan": 8}


def test_a_notebook_from_before_gets_them_too_and_a_step_that_is_not_tried_is_said_to_be_so(course):
    courses.submit(course, "cleo", {"double": RIGHT["double"]})
    courses.write_root(course.root, void(courses.AUTHORED, HIDDEN, VISIBLE))
    assert graded(course) == {"cleo": 10}
    courses.write_root(course.root, void(courses.AUTHORED, HIDDEN))
    assert graded(course) == {"cleo": 8}
    result = json.loads((course.results / NAME / "cleo.json").read_text())
    total = result["steps"][1]
    assert [check["status"] for check in total["checks"]] == ["unattempted", "passed"]
    assert [check["void"] for check in total["checks"]] == [False, True]


def test_the_page_says_so(course):
    courses.submit(course, "bob", WRONG)
    courses.write_root(course.root, void(courses.AUTHORED, HIDDEN))
    graded(course)
    processes.call("feedback", NAME, cwd=course.root)
    page = (course.feedback / "bob" / NAME / f"{NAME}.html").read_text()
    assert "3 of 3 points, counts in full for everybody" in page
    assert page.count("counts in full for everybody") == 1


def test_both_notebooks_say_so_and_ask_nothing(course):
    courses.write_root(course.root, void(courses.AUTHORED, HIDDEN, VISIBLE))
    for folder in ("solutions", "assignments"):
        notebook = json.loads((course.root / folder / NAME / f"{NAME}.ipynb").read_text())
        cells = {cell["id"]: "".join(cell["source"]) for cell in notebook["cells"]}
        hidden = [id for id in cells if id.startswith("hidden-")] or ["total-negative"]
        for id in ("total-by_hand", hidden[-1]):
            assert "counts in full for everybody" in cells[id]
            assert "agree" not in cells[id]


def test_a_check_that_the_solution_fails_can_be_voided(course):
    """It is the check that is wrong: nothing is to be built or proved of it any more."""
    path = course.root / "solutions" / f"{NAME}.py"
    path.write_text(void(BROKEN, HIDDEN))
    build.build(course.root, NAME)
    courses.submit(course, "ann", RIGHT)
    assert graded(course) == {"ann": 10}


def test_what_only_a_void_check_catches_need_not_be_caught(course, tmp_path):
    bank = course.root / "solutions" / f"{NAME}_misconceptions.py"
    bank.write_text(
        "from autograder.exercises.misconceptions import misconception\n\n\n"
        '@misconception(step="total", caught_by="total-negative")\n'
        "def absolute(x):\n"
        '    """Which sign do your numbers have?"""\n'
        "    return float(abs(sum(x)))\n"
    )
    assert [entry.name for entry in answers.banks(course.root, courses.load(course))[0].entries]
    courses.write_root(course.root, void(courses.AUTHORED, HIDDEN))
    loaded = exercise.load(course.root, NAME)
    assert answers.banks(course.root, loaded)[0].entries == ()

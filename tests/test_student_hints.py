"""What `check` and pytest ask about a mistake is what the notebook itself asks, and they do ask."""

import json
from collections.abc import Sequence

import pytest

from autograder.base.settings import Settings
from autograder.checking import student_copy
from autograder.checking.waiting import waits
from autograder.exercises import cell_code, exercise
from autograder.exercises.misconceptions import Misconception
from autograder.grader.grader import Grader
from tests.support.courses import ROOT
from tests.support.handed_out import copy

pytestmark = pytest.mark.usefixtures("kept_parents")

NAMES = exercise.built_names(ROOT)


def asked_in_the_notebook(data: bytes, step: str) -> dict[str, str]:
    """What the failing checks of a step ask where a notebook is run from top to bottom."""
    questions: dict[str, str] = {}
    names = cell_code.new_namespace()
    for cell in json.loads(data)["cells"]:
        if cell["cell_type"] != "code" or cell["id"].startswith("plain"):
            continue
        source = "".join(cell["source"])
        is_check = "-" in cell["id"]
        if not is_check or cell["id"].startswith(f"{step}-"):
            try:
                cell_code.bind(source, cell["id"], names)
            except Exception as error:
                hint = names["tools"].hint
                known = (cell["id"], error, names)[: hint.__code__.co_argcount]
                questions[cell["id"]] = hint(*known)
    return questions


def compare(name: str, mistakes: Sequence[Misconception]) -> int:
    """For how many mistakes there is a question; the grader of a student's copy asks the same."""
    own = student_copy.read(copy(name), f"{name}.ipynb")
    asked = 0
    with Grader(own.exercise, b"", Settings(isolation="process")) as grader:
        for wrong in mistakes:
            data = copy(name, **{wrong.step: wrong.source})
            result = grader.grade(data, None).result
            checks = result.by_id
            # Of a step that waits for another, check and pytest print no question.
            assert wrong.step not in waits(student_copy.read(data, f"{name}.ipynb"), result)
            questions = asked_in_the_notebook(data, wrong.step)
            asked += any(questions.values())
            if any("which no check can use" in checks[id].message for id in questions):
                continue  # a masked array: it does not come out of the student's process
            for id, question in questions.items():
                assert (checks[id].hint or "") == question, (wrong.name, id)
    return asked


def visible(name: str) -> list[Misconception]:
    """The mistakes that a visible check catches first."""
    master = exercise.load(ROOT, name)
    return [
        wrong
        for wrong in master.misconceptions
        if wrong.caught_by and not master.cell(wrong.caught_by).check.hidden
    ]


# The exhaustive run below asks about every mistake of every exercise.
@pytest.mark.parametrize("name", NAMES[:2])
def test_check_asks_what_the_notebook_asks(name):
    assert compare(name, visible(name)[::25])


@pytest.mark.everything
@pytest.mark.parametrize("name", NAMES)
def test_check_asks_what_the_notebook_asks_about_every_mistake(name):
    assert compare(name, visible(name)) == len(visible(name))

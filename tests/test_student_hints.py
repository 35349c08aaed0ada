"""What `check` and pytest ask about a mistake is what the notebook itself asks."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Sequence

import pytest

from autograder import student_copy
from autograder.course import Settings
from autograder.engine.grader import Grader
from autograder.exercises import exercise
from autograder.exercises.exercise import Exercise
from autograder.exercises.misconceptions import Misconception
from autograder.proving import answers
from autograder.proving.trial import Bench
from tests.support.courses import ROOT

NAMES = exercise.built_names(ROOT)


def released_with(master: Exercise, step: str, source: str) -> bytes:
    """The release with every step answered, and one of them like this."""
    path = ROOT / "assignments" / master.name / f"{master.name}.ipynb"
    notebook = json.loads(path.read_bytes())
    for cell in notebook["cells"]:
        if cell["id"] in master.steps:
            cell["source"] = source if cell["id"] == step else master.cell(cell["id"]).source
    return json.dumps(notebook).encode()


def compare(name: str, mistakes: Sequence[Misconception]) -> int:
    """How many failures the notebook has a question for; the grader of a student's copy asks it."""
    master = exercise.load(ROOT, name)
    copy = student_copy.read(released_with(master, "", ""), f"{name}.ipynb")
    (line,) = re.findall(r"^tools\.HINTS = ('.*')$", copy.exercise.setup, re.MULTILINE)
    questions, numbers = json.loads(codecs.decode(json.loads(f'"{line[1:-1]}"'), "rot13"))
    bench = Bench(master)
    asked = 0
    with Grader(copy.exercise, b"", Settings(isolation="process")) as grader:
        for wrong in mistakes:
            bench.bind(answers.wrong(wrong))
            data = released_with(master, wrong.step, wrong.source)
            checks = grader.grade(data, None).result.by_id
            for check in bench.of(wrong.step):
                number = None if check.hidden else numbers.get(bench.fingerprint(check))
                if number is not None:
                    assert checks[check.id].hint == questions[number], (wrong.name, check.id)
                    asked += 1
    return asked


def visible(name: str) -> list[Misconception]:
    """The mistakes that a visible check catches first."""
    master = exercise.load(ROOT, name)
    return [
        wrong
        for wrong in master.misconceptions
        if wrong.caught_by and not master.cell(wrong.caught_by).check.hidden
    ]


@pytest.mark.parametrize("name", NAMES)
def test_check_asks_what_the_notebook_asks(name):
    assert compare(name, visible(name)[::25])


@pytest.mark.everything
@pytest.mark.parametrize("name", NAMES)
def test_check_asks_what_the_notebook_asks_about_every_mistake(name):
    assert compare(name, visible(name)) >= 0.8 * len(visible(name))

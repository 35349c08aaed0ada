"""The exercises of the kit as students have them: their releases, and copies with answers."""

import json
from functools import cache
from typing import Any

from autograder.base.result import Result
from autograder.base.settings import Settings
from autograder.checking import student_copy
from autograder.exercises import exercise
from autograder.grader.grader import Grader
from tests.support.courses import ROOT


@cache
def known(name: str) -> exercise.Exercise:
    return exercise.load(ROOT, name)


def release(name: str) -> dict[str, Any]:
    """What students get."""
    path = ROOT / "assignments" / name / f"{name}.ipynb"
    notebook: dict[str, Any] = json.loads(path.read_bytes())
    return notebook


def answered(
    name: str, kinds: tuple[str, ...] = ("needed", "step"), **answers: str
) -> dict[str, Any]:
    """The release with right answers in the cells of these kinds, but for these answers."""
    notebook = release(name)
    right = {cell.id: cell.source for cell in known(name).cells if cell.kind in kinds}
    for cell in notebook["cells"]:
        if cell["id"] in right:
            cell["source"] = answers.get(cell["id"], right[cell["id"]])
    return notebook


def copy(name: str, **answers: str) -> bytes:
    """The same, as a student saves it."""
    return json.dumps(answered(name, **answers)).encode()


def checked(data: bytes, name: str = "attention") -> Result:
    """What all visible checks of a student's copy come to."""
    own = student_copy.read(data, f"{name}.ipynb")
    with Grader(own.exercise, b"", Settings(isolation="process")) as grader:
        return grader.grade(data, None).result

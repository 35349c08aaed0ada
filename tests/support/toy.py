"""Exercises of a few lines and submissions to them, made without a build: for tests of the
engine."""

import json
import re
import textwrap
from pathlib import Path
from typing import Any

import jsonschema

import autograder
from autograder.base.result import CheckResult, Result
from autograder.base.settings import Settings
from autograder.exercises.exercise import Exercise, from_notebook
from autograder.grader.grader import Grader

SETUP = """
import contextlib
import numpy as np
rng = np.random.default_rng(0)

@contextlib.contextmanager
def check(id):
    yield
"""
PATIENT = Settings(call_seconds=60, submission_seconds=600)
"""For answers that return: on a busy machine they may take long."""
QUICK = Settings(call_seconds=0.5, submission_seconds=8)
"""For answers none of which ever returns."""
MIXED = Settings(call_seconds=3, submission_seconds=60)
"""For answers of which one never returns and others do, on a busy machine in a second or two."""


def exercise(
    *checks: str,
    steps: str = "f",
    hidden: bool | tuple[int, ...] = False,
    plain: str = "",
    setup: str = "",
    **solutions: str,
) -> Exercise:
    """An exercise with these steps; each check is the source of a cell after the last of them,
    worth a point.

    Args:
        hidden: whether the checks are hidden, or the numbers of those that are.
        setup: what stands in the setup cell beside what always does.
        solutions: what the author has answered to a step, where that matters.
    """
    kinds = [
        number in hidden if isinstance(hidden, tuple) else hidden for number in range(len(checks))
    ]
    cells = [setup_cell(textwrap.dedent(setup))]
    if plain:
        cells.append(cell("plain-1", textwrap.dedent(plain)))
    for step in steps.split():
        unwritten = f"def {step}(*args):\n    raise NotImplementedError"
        cells.append(step_cell(step, textwrap.dedent(solutions.get(step, unwritten))))
    for number, source in enumerate(checks):
        sentence = f'"""Sentence {number}."""\n'
        asked = sentence + textwrap.dedent(source).strip()
        cells.append(check_cell(step, number, asked, hidden=kinds[number]))
    return of_cells(cells)


def of_cells(cells: list[dict[str, Any]]) -> Exercise:
    """An exercise of these cells."""
    about = {"autograder": {"exercise": "toy", "source_sha256": "0"}}
    return from_notebook({"nbformat": 4, "nbformat_minor": 5, "metadata": about, "cells": cells})


def setup_cell(more: str = "") -> dict[str, Any]:
    return cell("setup", SETUP + more, {"kind": "setup"})


def step_cell(step: str, answer: str) -> dict[str, Any]:
    return cell(step, answer, {"kind": "step", "step": step})


def check_cell(
    step: str, number: int, source: str, points: int = 1, hidden: bool = False
) -> dict[str, Any]:
    marks = {"kind": "check", "step": step, "check": f"c{number}", "category": "values"}
    return cell(f"{step}-c{number}", source, {**marks, "points": points, "hidden": hidden})


def cell(id: str, source: str, marks: dict[str, Any] | None = None) -> dict[str, Any]:
    metadata = {"autograder": marks, "nbgrader": {"grade_id": id}} if marks else {}
    return {
        "cell_type": "code",
        "id": id,
        "metadata": metadata,
        "source": source.strip("\n"),
        "outputs": [],
        "execution_count": None,
    }


def notebook(exercise: Exercise, **answers: str) -> dict[str, Any]:
    """A submission: the exercise's cells with these sources in the steps' cells."""
    cells = []
    for cell in exercise.cells:
        source = (
            textwrap.dedent(answers[cell.id]).strip("\n") if cell.id in answers else cell.source
        )
        cells.append({**json.loads(json.dumps(cell.raw)), "source": source})
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}


def submission(exercise: Exercise, **answers: str) -> bytes:
    return json.dumps(notebook(exercise, **answers)).encode()


def added(source: str) -> dict[str, Any]:
    """A cell that a student adds."""
    return cell(re.sub(r"\W", "", source)[:20] or "empty", textwrap.dedent(source))


def grade(
    exercise: Exercise,
    data: bytes | None = None,
    secret: bytes = b"key",
    settings: Settings = PATIENT,
    **answers: str,
) -> Result:
    with Grader(exercise, secret, settings) as grader:
        return grader.grade(submission(exercise, **answers) if data is None else data, "ada").result


def verdict(
    check: str,
    answer: str,
    *,
    steps: str = "f",
    hidden: bool = False,
    plain: str = "",
    setup: str = "",
    settings: Settings = PATIENT,
) -> CheckResult:
    """The verdict of one check on one answer to the last step."""
    toy = exercise(check, steps=steps, hidden=hidden, plain=plain, setup=setup)
    (result,) = grade(toy, settings=settings, **{steps.split()[-1]: answer}).checks
    return result


SCHEMA = json.loads((Path(autograder.__file__).parent / "result-1.schema.json").read_text())


def validate(result: Result) -> None:
    """Hold a result to the schema that is published."""
    data = json.loads(result.to_json())
    data["exercise_sha256"] = "0" * 64  # the toys have no authored file
    jsonschema.validate(data, SCHEMA, format_checker=jsonschema.FormatChecker())

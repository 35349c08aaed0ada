"""The autograded notebook: the teacher's master with the student's answers in it and a verdict under each check.

The formgrader shows it to whoever grades by hand. Nothing hidden is in it, and nothing of the student's but text.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder import files
from autograder.course import Course
from autograder.exercise import Exercise
from autograder.nbgrader import master, stamp
from autograder.nbgrader.master import Master, MasterCell
from autograder.plain_text import printable, quoted
from autograder.result import CheckResult, Result

if TYPE_CHECKING:
    from autograder.engine.grading import Graded
    from autograder.intake.submission import Submission, SubmittedCell


def write(course: Course, exercise: Exercise, graded: Graded, submitted: Path | None = None) -> Path:
    """Write ``<state>/autograded/<student>/<exercise>/<exercise>.ipynb``; its path.

    One that was rejected or met an error leaves the notebook of an earlier submission, like its grade, in place.

    Raises:
        Unusable: no release.
    """
    folder = course.autograded / str(graded.result.student) / exercise.name
    path = folder / f"{exercise.name}.ipynb"
    if graded.result.status != "graded" or graded.submission is None:
        return path
    made = notebook(master.load(course, exercise), graded.result, graded.submission)
    files.write(path, (json.dumps(made, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode())
    time = stamp.read((submitted or course.submitted) / str(graded.result.student) / exercise.name)
    if time is not None:
        files.write(folder / stamp.NAME, time.encode())
    else:
        (folder / stamp.NAME).unlink(missing_ok=True)
    return path


def notebook(known: Master, result: Result, submission: Submission) -> dict[str, Any]:
    """The notebook as JSON data, valid for nbformat 4.5."""
    verdicts = {f"{step.name}-{check.name}": check for step in result.steps for check in step.checks}
    cells = list(_cells(known, verdicts, submission))
    return {**copy.deepcopy(dict(known.notebook)), "cells": cells}


def _cells(known: Master, verdicts: Mapping[str, CheckResult], submission: Submission) -> Iterator[dict[str, Any]]:
    answers: dict[str, SubmittedCell] = {}
    added: dict[str, list[SubmittedCell]] = {}
    for cell in submission.cells:
        if cell.id is None or cell.id in answers:
            added.setdefault(cell.after, []).append(cell)
        else:
            answers[cell.id] = cell
    count = 0
    for place in known.cells:
        answer = answers.get(place.id)
        yield _cell(place, answer, verdicts.get(place.id))
        # The setup cell is locked: the teacher's stands, and what a student made of it is shown as an addition.
        changed = [answer] if answer is not None and place.is_locked else []
        for cell in (*changed, *added.get(place.id, [])):
            count += 1
            yield _addition(f"added-{count}", cell)


def _cell(place: MasterCell, answer: SubmittedCell | None, verdict: CheckResult | None) -> dict[str, Any]:
    raw = copy.deepcopy(dict(place.released.raw))
    source = place.released.source
    if answer is not None and not place.is_locked and not place.unanswered(answer.source):
        source = answer.source if place.released.is_code else quoted(answer.source)
    raw["source"] = source.splitlines(keepends=True)
    if place.released.is_code:
        raw["execution_count"] = None
        raw["outputs"] = outputs(verdict) if verdict is not None else []
    return raw


def _addition(id: str, cell: SubmittedCell) -> dict[str, Any]:
    raw = {"id": id, "metadata": {}}
    if cell.is_code:
        return {
            **raw,
            "cell_type": "code",
            "execution_count": None,
            "outputs": [],
            "source": cell.source.splitlines(True),
        }
    return {**raw, "cell_type": "markdown", "source": quoted(cell.source).splitlines(True)}


def outputs(check: CheckResult) -> list[dict[str, Any]]:
    """A verdict as outputs from which nbgrader's ``determine_grade`` reads the same score."""
    verdict = {
        "passed": "Passed",
        "failed": "Failed",
        "carried": "Right, once earlier steps were replaced by the reference",
        "not_run": "Not run",
    }[check.status]
    lines = [f"{verdict}: {_number(check.earned)} of {_number(check.points)} points."]
    if check.with_reference:
        lines.append(f"Replaced: {', '.join(check.with_reference)}.")
    lines += [text for text in (check.message, check.hint) if text]
    text = printable("\n".join(lines)) + "\n"
    full, nothing = check.earned == check.points, check.earned == 0
    # nbgrader gives 0 for anything on stderr, the number for a result, and full points for the rest.
    name = "stderr" if nothing and not full else "stdout"
    said: list[dict[str, Any]] = [{"output_type": "stream", "name": name, "text": text.splitlines(keepends=True)}]
    if not full and not nothing:
        data = {"text/plain": repr(float(check.earned))}
        said.append({"output_type": "execute_result", "execution_count": None, "metadata": {}, "data": data})
    return said


def _number(points: float) -> str:
    return f"{points:g}"

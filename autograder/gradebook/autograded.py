"""The autograded notebook: the teacher's master with the student's answers in it and a verdict
under each check.

The formgrader shows it to whoever grades by hand. Nothing hidden is in it, and nothing of the
student's but text.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder import files, timestamp
from autograder.course import Course
from autograder.exercises.exercise import Exercise
from autograder.gradebook import master
from autograder.gradebook.master import Master, MasterCell
from autograder.result import CheckResult, Result
from autograder.text import points_of, printable, quoted

if TYPE_CHECKING:
    from autograder.engine.grader import Graded
    from autograder.submissions.parse import Submission, SubmittedCell


def write(
    course: Course, exercise: Exercise, graded: Graded, submitted: Path | None = None
) -> Path:
    """Write ``<state>/autograded/<student>/<exercise>/<exercise>.ipynb``; its path.

    One that was rejected or met an error leaves the notebook of an earlier submission, like its
    grade, in place.

    Raises:
        Unusable: no release.
    """
    folder = course.autograded / str(graded.result.student) / exercise.name
    path = folder / f"{exercise.name}.ipynb"
    if graded.result.status != "graded" or graded.submission is None:
        return path
    files.write(
        path, notebook(master.load(course, exercise), graded.result, graded.submission).encode()
    )
    time = timestamp.read(
        (submitted or course.submitted) / str(graded.result.student) / exercise.name
    )
    if time is not None:
        files.write(folder / timestamp.NAME, time.encode())
    else:
        (folder / timestamp.NAME).unlink(missing_ok=True)
    return path


def notebook(known: Master, result: Result, submission: Submission) -> str:
    """The notebook as JSON, valid for nbformat 4.5."""
    before, after = _around(known)
    return f"{before}{','.join(_cells(known, result.by_id, submission))}{after}"


def _cells(
    known: Master, verdicts: Mapping[str, CheckResult], submission: Submission
) -> Iterator[str]:
    answers: dict[str, SubmittedCell] = {}
    added: dict[str, list[SubmittedCell]] = {}
    for cell in submission.cells:
        if cell.id is None or cell.id in answers:
            added.setdefault(cell.after, []).append(cell)
        else:
            answers[cell.id] = cell
    count = 0
    for place in _places(known):
        answer = answers.get(place.cell.id)
        yield place.filled(answer, verdicts.get(place.cell.id))
        # The setup cell is locked: the teacher's stands, and what a student made of it is shown as
        # an addition.
        changed = [answer] if answer is not None and place.is_locked else []
        for cell in (*changed, *added.get(place.cell.id, [])):
            count += 1
            yield _addition(f"added-{count}", cell)


@dataclass(frozen=True)
class _Place:
    """A cell of the master, written as JSON once for the class, but for what differs between
    students."""

    cell: MasterCell
    is_code: bool
    is_locked: bool
    head: str
    source: str

    def filled(self, answer: SubmittedCell | None, verdict: CheckResult | None) -> str:
        source = self.source
        if answer is not None and not self.is_locked and not self.cell.unanswered(answer.source):
            source = _lines(answer.source if self.is_code else quoted(answer.source))
        if not self.is_code:
            return f'{self.head},"source":{source}}}\n'
        return f'{self.head},"outputs":{_outputs(verdict) if verdict is not None else "[]"},"source":{source}}}\n'


@lru_cache(maxsize=4)
def _places(known: Master) -> tuple[_Place, ...]:
    places = []
    for cell in known.cells:
        is_code = cell.released.is_code
        raw = {
            name: value
            for name, value in cell.released.raw.items()
            if name not in ("outputs", "source")
        }
        if cell.released.kind == "setup":
            # Folded in JupyterLab, and left out of the formgrader's view (nbgrader_config.py): it
            # is the longest cell.
            raw["metadata"] = {
                **raw["metadata"],
                "jupyter": {"source_hidden": True},
                "tags": ["setup"],
            }
        head = _json({**raw, "execution_count": None} if is_code else raw).removesuffix("}")
        places.append(_Place(cell, is_code, cell.is_locked, head, _lines(cell.released.source)))
    return tuple(places)


@lru_cache(maxsize=4)
def _around(known: Master) -> tuple[str, str]:
    """What stands in the file before and after the cells."""
    rest = _json({name: value for name, value in known.notebook.items() if name != "cells"})
    return '{"cells":[\n', f"],{rest.removeprefix('{')}\n"


def _addition(id: str, cell: SubmittedCell) -> str:
    raw = {"id": id, "metadata": {}}
    if cell.is_code:
        source = cell.source.splitlines(keepends=True)
        code = {"cell_type": "code", "execution_count": None, "outputs": [], "source": source}
        return _json({**raw, **code}) + "\n"
    return (
        _json(
            {
                **raw,
                "cell_type": "markdown",
                "source": quoted(cell.source).splitlines(keepends=True),
            }
        )
        + "\n"
    )


def _lines(source: str) -> str:
    return _json(source.splitlines(keepends=True))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@lru_cache(maxsize=4096)  # most of a class passes most checks, and many fail one in the same way
def _outputs(check: CheckResult) -> str:
    return _json(outputs(check))


def outputs(check: CheckResult) -> list[dict[str, Any]]:
    """A verdict as outputs from which nbgrader's ``determine_grade`` reads the same score."""
    verdict = {
        "passed": "Passed",
        "failed": "Failed",
        "unattempted": "Failed",
        "carried": "Right, once earlier steps were replaced by the reference",
        "not_run": "Not run",
    }[check.status]
    lines = [f"{verdict}: {points_of(check.earned, check.points)}."]
    if check.with_reference:
        lines.append(f"Replaced: {', '.join(check.with_reference)}.")
    lines += [text for text in (check.message, check.hint) if text]
    text = "".join(f"{line}\n" for line in _wrapped(printable("\n".join(lines))))
    full, nothing = check.earned == check.points, check.earned == 0
    # nbgrader gives 0 for anything on stderr, the number for a result, and full points for the
    # rest.
    name = "stderr" if nothing and not full else "stdout"
    said: list[dict[str, Any]] = [
        {"output_type": "stream", "name": name, "text": text.splitlines(keepends=True)}
    ]
    if not full and not nothing:
        data = {"text/plain": repr(float(check.earned))}
        said.append(
            {"output_type": "execute_result", "execution_count": None, "metadata": {}, "data": data}
        )
    return said


def _wrapped(text: str) -> Iterator[str]:
    """Lines that the formgrader can show: it cuts what is too long for the page."""
    for line in text.split("\n"):
        yield from textwrap.wrap(line, 96, replace_whitespace=False) if len(line) > 96 else [line]

"""The autograded notebook: the master with a student's answers, and a verdict per check.

The formgrader shows it to the person who grades by hand, so questions graded by hand come first. It
contains no hidden test, and nothing of the student's except text and, next to such a question,
pictures that we have encoded again. It is for the teacher: it has the verdicts of hidden checks,
and the right options of questions on a student's own code. Students get a page (``show.pages``)
instead.
"""

from __future__ import annotations

import json
import textwrap
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from autograder.base import files
from autograder.base.errors import Unusable
from autograder.base.files import below
from autograder.base.result import CheckResult, Result
from autograder.base.text import (
    DATA_PICTURE,
    agreeing,
    count,
    cut,
    once_right,
    points_of,
    printable,
    quoted,
)
from autograder.course import timestamp
from autograder.course.course import Course
from autograder.course.drawn import OwnQuestion, OwnQuestions
from autograder.course.gradebook.master import Master, MasterCell
from autograder.exercises import rubric
from autograder.exercises.exercise import content_id
from autograder.submissions import notebook
from autograder.submissions.pictures import Pictures, pictures

if TYPE_CHECKING:
    from autograder.grader.graded import Graded
    from autograder.submissions.submission import Submission, SubmittedCell

WIDTH = 96
"""The longest line that the formgrader shows, in characters: it cuts longer ones."""

LEFT_OUT = "# The same for everybody, and left out here; the notebook that was handed in has it."
"""The text in place of a setup cell, which the formgrader does not show."""

MAX_WORDS = 20_000
"""The most characters to show of texts that a student added and that answer no question."""

PICTURES = "# Pictures in the file that was handed in: nobody has checked what drew them."

REMEMBERED = 4096
"""The size of the cache of verdicts as JSON: most students pass most checks, and many fail in the
same way."""


def write(
    course: Course, template: Template, graded: Graded, submitted: Path | None = None
) -> Path:
    """Write ``<state>/autograded/<student>/<exercise>/<exercise>.ipynb``; its path.

    A submission that was rejected or met an error leaves an earlier submission's notebook, like its
    grade, in place.

    Args:
        submitted: the folder of submissions, for their ``timestamp.txt``; the course's own folder
            by default.
    """
    student, exercise = graded.result.student_id, graded.result.exercise
    folder = course.autograded_of(student, exercise)
    path = folder / f"{exercise}.ipynb"
    if graded.result.status != "graded" or graded.submission is None:
        return path

    there = below(submitted or course.submitted, student, exercise, follow=False)
    shown = Pictures()
    if template.asks(graded.submission):
        with suppress(notebook.Rejected):
            data = notebook.read(there / f"{exercise}.ipynb")
            # The file may have been replaced since it was graded.
            if sha256(data).hexdigest() == graded.submission.sha256:
                shown = pictures(data, template.handed_out)
    files.update(path, template.filled(graded.result, graded.submission, shown))
    time = timestamp.read(there)
    if time is not None:
        files.update(folder / timestamp.NAME, time.encode())
    else:
        (folder / timestamp.NAME).unlink(missing_ok=True)
    return path


class Template:
    """The notebook as JSON, without the parts that differ between students; made once for a class.

    Args:
        own: the questions on students' own code.
    """

    def __init__(self, master: Master, own: OwnQuestions | None = None) -> None:
        self._own = own
        rest = {name: value for name, value in master.notebook.items() if name != "cells"}
        self._head = b'{"cells":[\n'
        self._tail = b"]," + _json(rest).removeprefix(b"{") + b"\n"
        self._cells = {cell.id: _CellTemplate(cell) for cell in master.cells}

        self.handed_out: set[str] = set()
        """The drawings in the teacher's own texts."""
        for cell in master.cells:
            if not cell.released.is_code:
                drawn = DATA_PICTURE.finditer(cell.released.source)
                self.handed_out.update(one[0] for one in drawn)

        self._questions: set[str] = set()
        self._asked: set[str] = set()
        self._rubrics: dict[str, bytes] = {}
        """The rubrics, which the formgrader shows as boxes to tick, by question."""
        for before, cell in zip((None, *master.cells), master.cells):
            if cell.released.kind == "manual":
                self._questions.add(cell.id)
                self._asked.add(cell.id)
                if before is not None and not before.nbgrader and before.cell_type == "markdown":
                    self._asked.add(before.id)
                    items = rubric.items(before.released.source)
                    if items:
                        self._rubrics[cell.id] = _rubric(cell.id, items)

        self._outputs = lru_cache(maxsize=REMEMBERED)(lambda check: _json(outputs(check)))

    def asks(self, submission: Submission) -> bool:
        """Whether the student has answered a question that a person grades."""
        for id in self._questions:
            if not self._cells[id].master.unanswered(submission.answer(id)):
                return True
        return False

    def filled(
        self, result: Result, submission: Submission, shown: Pictures | None = None
    ) -> bytes:
        """The notebook of one student as JSON, valid for nbformat 4.5.

        Args:
            shown: pictures of the submission, for the questions that a person grades.
        """
        own = self._own_questions(result.student_id)
        is_asked = self.asks(submission)
        asked: list[bytes] = []
        others: list[bytes] = []
        for id, cell in self._filled_cells(result.by_id, submission):
            there = asked if is_asked and id in self._asked else others
            there += [one[id] for one in (own, self._rubrics) if id in one]
            there.append(cell)
        if asked and shown and (shown.shown or shown.others):
            # After the answers and the fields for marks, because there may be many, and tall ones.
            asked.append(_picture_cell(shown))
        if asked:
            asked.append(_cell("the-notebook", "---\n# The notebook as it was handed in"))
        return b"".join((self._head, b",".join(asked + others), self._tail))

    def _own_questions(self, student: str) -> dict[str, bytes]:
        """A cell with each question on a student's own code, by step, as JSON."""
        cells: dict[str, bytes] = {}
        drawn: Mapping[str, OwnQuestion] = {}
        if self._own is not None:
            with suppress(Unusable):  # `autograder grade` reports damaged ones
                drawn = self._own.of(student)
        for step, question in drawn.items():
            asked = f"**{step}**, as it was drawn for this student:\n\n{quoted(question.text)}"
            text = f"{asked}\n\nRight is **{question.right}**."
            cells[step] = _cell(content_id("own", f"{step} {text}"), text)
        return cells

    def _filled_cells(
        self, verdicts: Mapping[str, CheckResult], submission: Submission
    ) -> Iterator[tuple[str, bytes]]:
        """Each cell as JSON after its id; added cells have no id."""
        number, room = 0, MAX_WORDS
        for place in submission.by_master(self._cells):
            cell = self._cells[place.id]
            verdict = verdicts.get(place.id)
            outputs = self._outputs(verdict) if verdict is not None else b"[]"
            yield place.id, cell.filled(place.answer, outputs)

            additions = list(place.added)
            if place.answer is not None and cell.master.is_locked:
                # The setup cell is locked: the teacher's is used, and a student's changed one is
                # shown as an added cell.
                additions.insert(0, place.answer)
            for added in (*additions, *place.words):
                number += 1
                if added.is_code:
                    yield "", _cell(f"added-{number}", added.packed or added.source, [])
                else:
                    words = cut(added.source, max(room, 0))
                    room -= len(words)
                    yield "", _cell(f"added-{number}", quoted(words))


class _CellTemplate:
    """A cell of the master as JSON, without its outputs and the student's text."""

    def __init__(self, master: MasterCell) -> None:
        self.master = master
        raw = dict(master.released.raw)
        raw.pop("outputs", None)
        raw.pop("source")
        source = master.released.source
        # Metadata that nbgrader does not read are left out.
        kept = {key: value for key, value in raw["metadata"].items() if key != "autograder"}
        if master.released.kind == "setup":
            # Folded in JupyterLab, and left out of the formgrader's view (nbgrader_config.py).
            source = LEFT_OUT
            kept |= {"jupyter": {"source_hidden": True}, "tags": ["setup"]}
        raw["metadata"] = kept
        if master.released.is_code:
            raw["execution_count"] = None

        self._head = _json(raw).removesuffix(b"}")
        self._source = _lines(source)

    def filled(self, answer: SubmittedCell | None, outputs: bytes) -> bytes:
        """The cell with a student's answer in it."""
        master, source = self.master, self._source
        if answer is not None and not master.is_locked and not master.unanswered(answer.source):
            source = _lines(master.shown(answer.source))
        if not master.released.is_code:
            return b'%b,"source":%b}\n' % (self._head, source)
        return b'%b,"outputs":%b,"source":%b}\n' % (self._head, outputs, source)


def _cell(id: str, source: str, outputs: Sequence[object] | None = None) -> bytes:
    """A cell of text as JSON, or with outputs one of code."""
    cell: dict[str, Any] = {"id": id, "metadata": {}, "cell_type": "markdown"}
    if outputs is not None:
        cell |= {"cell_type": "code", "execution_count": None, "outputs": outputs}
    return _json({**cell, "source": source.splitlines(keepends=True)}) + b"\n"


def _rubric(question: str, items: Sequence[rubric.RubricItem]) -> bytes:
    """A cell that shows nothing by itself, as JSON; ``formgrader.js`` reads it."""
    told = quote(json.dumps([(item.points, str(item)) for item in items]))
    marks = f'class="rubric" data-question="{question}" data-items="{told}"'
    return _cell(content_id("rubric", marks), f"<div {marks}></div>")


def _picture_cell(pictures: Pictures) -> bytes:
    """The pictures of a submission as the outputs of a cell, as JSON."""
    outputs: list[dict[str, Any]] = []

    def say(line: str) -> None:
        outputs.append({"output_type": "stream", "name": "stdout", "text": [f"{line}\n"]})

    for picture in pictures.shown:
        where = "in the student's text" if picture.is_in_text else "below the student's cell"
        say(f"{where}: {printable(cut(_begins(picture.source), 60))}")
        data = {"image/png": b64encode(picture.png).decode(), "text/plain": ["a picture"]}
        outputs.append({"output_type": "display_data", "metadata": {}, "data": data})

    if pictures.others:
        are = agreeing(pictures.others, "is", "are")
        say(
            f"{count(pictures.others, 'other picture')} {are} in the file that was handed in, and "
            "not shown here: no PNG, too large, or too many"
        )

    return _cell("pictures", PICTURES, outputs)


def _begins(source: str) -> str:
    """The line that identifies a cell: a definition rather than its decorator."""
    lines = [line.strip() for line in source.split("\n") if line.strip()]
    telling = [line for line in lines if not line.startswith(("@", "#", "%"))]
    return next(iter(telling or lines), "")


def _lines(source: str) -> bytes:
    return _json(source.splitlines(keepends=True))


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def outputs(check: CheckResult) -> list[dict[str, Any]]:
    """A verdict as outputs for which nbgrader's ``determine_grade`` gives the same score."""
    verdict = {
        "passed": "Passed",
        "failed": "Failed",
        "unattempted": "Failed",
        "carried": "Right, once earlier steps were replaced by the reference",
        "not_run": "Not run",
    }[check.status]
    if check.not_asked:
        verdict = "Not asked"
    lines = [f"{verdict}: {points_of(check.earned, check.points)}."]
    if check.with_reference:
        lines.append(f"Replaced: {', '.join(check.with_reference)}.")
    if check.message:
        lines.append(check.said)
    if check.remaining:
        lines.append(once_right(check.remaining_with, check.remains))
    if check.hint:
        lines.append(check.hint)
    text = "".join(f"{line}\n" for line in _wrapped(printable("\n".join(lines))))

    # nbgrader gives 0 for output on stderr, the number for a result, and otherwise full points.
    full, nothing = check.earned == check.points, check.earned == 0
    name = "stderr" if nothing and not full else "stdout"
    stream = {"output_type": "stream", "name": name, "text": text.splitlines(keepends=True)}
    if full or nothing:
        return [stream]
    points = {"text/plain": repr(float(check.earned))}
    result = {"output_type": "execute_result", "execution_count": None}
    return [stream, {**result, "metadata": {}, "data": points}]


def _wrapped(text: str) -> Iterator[str]:
    """The lines of a text, none of them longer than ``WIDTH``."""
    for line in text.split("\n"):
        if len(line) > WIDTH:
            yield from textwrap.wrap(line, WIDTH, replace_whitespace=False)
        else:
            yield line

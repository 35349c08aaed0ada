"""What a student has written for people is found wherever it stands, with the pictures in it."""

import io
import json
from base64 import b64encode
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from autograder.course.course import Course
from autograder.course.gradebook import autograded, marks, master, record
from autograder.show.pages.student_page import StudentPage
from autograder.submissions import pictures
from autograder.submissions.notebook import Rejected, raw_cells
from autograder.submissions.parse import parse
from tests.support import courses
from tests.support.courses import ALL_CHECKS, NAME, RIGHT
from tests.support.noting import noted
from tests.support.pictures import drawn

WORDS = "Because a sum does not care."
LETTERS = b64encode(drawn()).decode()


def text(source: str, id: str = "own", **more: Any) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": id, "metadata": {}, "source": source, **more}


def code(source: str) -> dict[str, Any]:
    return {**text(source), "cell_type": "code", "outputs": [], "execution_count": None}


def handed_in(course: Course, change: Any, answers: dict[str, str] = RIGHT) -> bytes:
    """A notebook whose question is blank, with its list of cells changed."""
    notebook = json.loads(courses.handed_in(course, answers))
    change(notebook["cells"])
    return json.dumps(notebook).encode()


def of(cells: list[dict[str, Any]]) -> int:
    return next(place for place, cell in enumerate(cells) if cell["id"] == "why")


def behind(*new: dict[str, Any]) -> Any:
    return lambda cells: cells.__setitem__(slice(of(cells) + 1, of(cells) + 1), new)


def in_the_place(*new: dict[str, Any]) -> Any:
    return lambda cells: cells.__setitem__(slice(of(cells), of(cells) + 1), new)


def split(cells: list[dict[str, Any]]) -> None:
    question = cells[of(cells)]
    question["source"] = "Because a sum"
    cells.insert(of(cells) + 1, {**question, "id": "half", "source": "does not care."})


def copied(cells: list[dict[str, Any]]) -> None:
    cells.append({**cells[of(cells)], "id": "copy", "source": WORDS})


def without_metadata(cells: list[dict[str, Any]]) -> None:
    for cell in cells:
        cell["metadata"] = {}
        cell["id"] = f"x{id(cell)}" if cell["id"] != "why" else "why"


WAYS = {
    "behind it": behind(text(WORDS)),
    "in two cells behind it": behind(text("Because a sum"), text("does not care.", "2")),
    "as code": behind(code(WORDS)),
    "as a remark in code": behind(code(f"# {WORDS}")),
    "instead of it": in_the_place(text(WORDS)),
    "a copy of it": copied,
    "split": split,
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_an_answer_in_words_is_found_where_it_was_written(course, way):
    known = courses.load(course)
    submission = parse(handed_in(course, way), known)
    answer = submission.answer("why") or ""
    assert "does not care." in answer and "order of the numbers" not in answer
    assert any("the answer to why was found in" in said for said in submission.warnings) or (
        way is WAYS["instead of it"]
    )

    # Somebody has to mark it, and sees it.
    one = replace(courses.graded(course, "ada", RIGHT, ALL_CHECKS), submission=submission)
    record.prepare(course, known)
    courses.record(course, known, [one])
    assert marks.unmarked(course, NAME) == ["ada"]
    path = autograded.write(course, autograded.Template(master.load(course, known)), one)
    shown = path.read_text()
    assert "does not care." in shown[: shown.index("The notebook as it was handed in")]
    own = marks.class_marks(course, known)["ada"]
    assert "does not care." in StudentPage(known, one.result, submission, own).html()


def test_a_text_that_belongs_to_no_question_is_shown_and_said_where_the_answer_is_missing(course):
    known = courses.load(course)
    data = handed_in(course, lambda cells: cells.insert(0, text("My *notes*.")))
    submission = parse(data, known)
    assert any("what was written elsewhere is shown" in said for said in submission.warnings)
    one = replace(courses.graded(course, "ada", RIGHT, ALL_CHECKS), submission=submission)
    path = autograded.write(course, autograded.Template(master.load(course, known)), one)
    assert "My *notes*." in path.read_text()

    answered = parse(
        handed_in(course, lambda cells: cells.insert(0, text("Notes.")), {**RIGHT, "why": WORDS}),
        known,
    )
    assert answered.warnings == () and answered.answer("why") == WORDS


def test_a_blank_question_is_no_answer(course):
    known = courses.load(course)
    submission = parse(courses.handed_in(course, RIGHT), known)
    (question,) = (cell for cell in master.load(course, known).cells if cell.id == "why")
    assert question.unanswered(submission.answer("why")) and not submission.warnings


@pytest.mark.parametrize(
    ("source", "attachments"),
    [
        (f"See ![my plot](data:image/png;base64,{LETTERS}) here", {}),
        (f'See <img src="data:image/png;base64,{LETTERS}" width="3"> here', {}),
        (f"See ![a][1] here\n\n[1]: <data:image/png;base64,{LETTERS}>", {}),
        ("See ![plot.png](attachment:plot.png) here", {"plot.png": {"image/png": LETTERS}}),
        ("See ![plot.png](attachment:plot.png) here", {"plot.png": {"image/png": [LETTERS]}}),
    ],
)
def test_pictures_in_an_answer_are_shown_written_anew(course, source, attachments):
    known = courses.load(course)
    data = handed_in(course, in_the_place(text(source, "why", attachments=attachments)))
    (shown,) = pictures.pictures(data).shown
    assert shown.png == pictures.rewritten(drawn()) and shown.is_in_text

    submission = parse(data, known)
    answer = submission.answer("why") or ""
    assert "[picture" in answer or "attachment:" in answer
    assert len(answer) < 100 and "data:" not in answer
    courses.submit(course, "ada", RIGHT)
    (course.submission("ada", NAME) / f"{NAME}.ipynb").write_bytes(data)
    one = replace(courses.graded(course, "ada", RIGHT, ALL_CHECKS), submission=submission)
    path = autograded.write(course, autograded.Template(master.load(course, known)), one)
    shown_there = path.read_text()
    assert shown_there.count('"image/png":') == 1 and "in the student's text" in shown_there


def test_pictures_that_are_not_shown_are_counted(course):
    known = courses.load(course)
    other = {"a.jpg": {"image/jpeg": "AAAA"}, "b.svg": {"image/svg+xml": ["<svg onload=x>"]}}
    data = handed_in(course, in_the_place(text(WORDS, "why", attachments=other)))
    courses.submit(course, "ada", RIGHT)
    (course.submission("ada", NAME) / f"{NAME}.ipynb").write_bytes(data)
    one = courses.graded(course, "ada", RIGHT, ALL_CHECKS)
    one = replace(one, submission=parse(data, known))
    path = autograded.write(course, autograded.Template(master.load(course, known)), one)
    assert "2 other pictures are in the file that was handed in" in path.read_text()
    assert "svg" not in path.read_text()


def test_the_pixels_that_are_unpacked_for_one_notebook_are_bounded(monkeypatch):
    unpacked = noted(monkeypatch, pictures, "_unpacked", lambda packed, size: size)
    blank = io.BytesIO()
    Image.new("L", (1_500, 1_500)).save(blank, "PNG")
    letters = b64encode(blank.getvalue()).decode()
    cells = [text(f"![x](data:image/png;base64,{letters})") for _ in range(30)]
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    monkeypatch.setattr(pictures, "MOST", 30)
    found = pictures.pictures(json.dumps(notebook).encode())
    assert sum(unpacked) <= pictures.MAX_ALL_PIXEL_BYTES
    assert found.others == 30 - len(found.shown)


def test_a_screenshot_in_a_text_cell_rejects_nothing_and_counts_for_nothing(course):
    letters = "A" * 3_000_000
    shot = text(f"![image.png](data:image/png;base64,{letters})")
    data = handed_in(course, lambda cells: cells.insert(0, shot))
    submission = parse(data, courses.load(course))
    assert [cell.source for cell in submission.words] == ["[picture: image.png]"]

    long = handed_in(course, lambda cells: cells.insert(0, text("word " * 1_000_000)))
    assert parse(long, courses.load(course)).answer("double")


def test_a_cell_of_code_that_is_too_long_is_named():
    cell = code("data = [" + "1," * 600_000 + "]")
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}
    with pytest.raises(Rejected, match=r"the cell that begins with data = \[1,1.* a million"):
        raw_cells(json.dumps(notebook).encode())


def test_a_very_long_answer_is_cut_for_the_formgrader_as_it_is_on_pages(course):
    known = courses.load(course)
    data = handed_in(course, in_the_place(text("word " * 200_000, "why")))
    notes = handed_in(course, lambda cells: cells.insert(0, text("word " * 200_000)))
    template = autograded.Template(master.load(course, known))
    for submitted in (data, notes):
        one = courses.graded(course, "ada", RIGHT, ALL_CHECKS)
        one = replace(one, submission=parse(submitted, known))
        path: Path = autograded.write(course, template, one)
        assert path.read_text().count("word ") < 5_000

"""The autograded notebook: what the formgrader shows, and what nbgrader reads from it."""

import json
from base64 import b64encode
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograder.base import links
from autograder.base import text as plain_text
from autograder.base.result import CheckResult
from autograder.base.settings import Settings
from autograder.course.course import Course
from autograder.course.gradebook import autograded, marks, master, record
from autograder.exercises import exercise
from autograder.nbgrader import exchange
from autograder.submissions.parse import parse
from autograder.submissions.pictures import Pictures, pictures
from tests.support import courses, formgrader
from tests.support.courses import ALL_CHECKS, NAME, RIGHT
from tests.support.pictures import drawn

ANSWERED = {**RIGHT, "why": "Because of $a + b = b + a$."}


def read_notebook(path: Path) -> Any:
    notebook = nbformat.read(path, 4)  # type: ignore[no-untyped-call]
    nbformat.validate(notebook)
    return notebook


def template(course: Course) -> autograded.Template:
    return autograded.Template(master.load(course, courses.load(course)))


def test_the_autograded_notebook_agrees_with_nbgraders_own_reading_of_it(course):
    from nbgrader.utils import determine_grade

    courses.submit(course, "ada", ANSWERED, "2026-11-20 11:00:00 UTC")
    one = courses.graded(
        course, "ada", {**ANSWERED, "extra": "print('mine')"}, ALL_CHECKS[:1], total__by_hand=0.7
    )
    path = autograded.write(course, template(course), one)
    assert path == course.autograded / "ada" / NAME / f"{NAME}.ipynb"
    assert (path.parent / "timestamp.txt").read_text() == "2026-11-20 11:00:00 UTC"
    notebook = read_notebook(path)
    cells = {cell.id: cell for cell in notebook.cells}
    scores = {
        id: determine_grade(cell)[0]
        for id, cell in cells.items()
        if cell.metadata.get("nbgrader", {}).get("grade")
    }
    assert scores == {
        "double-by_hand": 2,
        "double-drawn": 0,
        "total-by_hand": 0.7,
        "total-negative": 0,
        "why": None,
    }
    assert (
        cells["double"].source == RIGHT["double"].rstrip("\n")
        or cells["double"].source == RIGHT["double"]
    )
    assert cells["why"].source == "```text\n" + ANSWERED["why"] + "\n```"
    assert cells["added-1"].source == "print('mine')"
    assert "got <b>nothing</b>" in cells["double-drawn"].outputs[0].text
    assert "double_by_definition" not in path.read_text() and "HIDDEN TESTS" not in path.read_text()


def test_the_autograded_notebook_of_a_blank_submission_is_the_release_with_verdicts(course):
    from nbgrader.utils import determine_grade

    path = autograded.write(course, template(course), courses.graded(course, "cyd", {}, ()))
    cells = {cell.id: cell for cell in read_notebook(path).cells}
    assert determine_grade(cells["why"]) == (0, 4)
    assert not (path.parent / "timestamp.txt").exists()
    release = json.loads((course.root / "assignments" / NAME / f"{NAME}.ipynb").read_bytes())
    sources = {cell["id"]: "".join(cell["source"]) for cell in release["cells"]}
    for id, cell in cells.items():
        assert sources.get(id) == cell.source or id in ("setup", "double-drawn", "total-negative")
    assert cells["setup"].source == autograded.LEFT_OUT
    assert cells["double-drawn"].source == (
        '"""Drawn numbers are doubled."""\n'
        "# @title Hidden check · edge cases · 3 points · graded after you hand in\npass"
    )
    assert list(cells) == [cell.id for cell in courses.load(course).cells]


def test_the_setup_is_not_repeated_for_every_student_nor_what_only_the_kit_reads(course):
    path = autograded.write(course, template(course), courses.graded(course, "ada", RIGHT))
    notebook = read_notebook(path)
    release = course.root / "assignments" / NAME / f"{NAME}.ipynb"
    assert path.stat().st_size < release.stat().st_size / 4
    assert not [cell for cell in notebook.cells if "autograder" in cell.metadata]
    marked = {cell["id"]: cell["metadata"] for cell in json.loads(release.read_bytes())["cells"]}
    for cell in notebook.cells:
        if cell.id in marked:
            assert cell.metadata.get("nbgrader") == marked[cell.id].get("nbgrader")
        else:
            assert (cell.metadata.nbgrader.grade, cell.metadata.nbgrader.points) == (True, 3)


@pytest.mark.parametrize(
    "text",
    ["````\n<script>alert(1)</script>", "a ``` b", "word " * 60, "x" * 300, "\x1b[2Jgone\u202e"],
)
def test_a_students_markdown_is_shown_as_text(text):
    from nbconvert.filters import markdown2html

    html = markdown2html(plain_text.quoted(text) + "\n")
    assert "<script>" not in html and "\x1b" not in html and "\u202e" not in html
    assert html.count("<pre") == 1 and html.strip().endswith("</div>")


def test_below_what_a_check_says_stands_what_it_says_once_earlier_steps_are_right():
    left = {"remaining": "got 5", "remaining_with": ("double",)}
    check = CheckResult("by_hand", "values", 1.0, 0.0, False, "failed", "got 4", "Why?", **left)
    (stream,) = autograded.outputs(check)
    assert "".join(stream["text"]).split("\n")[1:-1] == [
        "got 4",
        "once double is right: got 5",
        "Why?",
    ]


def test_a_question_that_a_person_grades_comes_first_with_the_pictures_of_the_submission(course):
    known = courses.load(course)
    file = courses.submit(course, "ada", ANSWERED) / f"{NAME}.ipynb"
    notebook = json.loads(file.read_bytes())
    cell = next(cell for cell in notebook["cells"] if cell["id"] == "total")
    pictures = {"image/png": b64encode(drawn()).decode(), "image/svg+xml": "<svg onload=x>"}
    cell["outputs"] = [{"output_type": "display_data", "metadata": {}, "data": pictures}]
    cell["source"] = f"@tools.demo\n{''.join(cell['source'])}"
    file.write_text(json.dumps(notebook))

    one = courses.graded(course, "ada", ANSWERED)
    one = replace(one, submission=parse(file.read_bytes(), known))
    path = autograded.write(course, template(course), one)
    first = [cell.id for cell in read_notebook(path).cells][:3]
    assert first == ["why", "pictures", "the-notebook"]
    assert "svg" not in path.read_text().lower()
    html = formgrader.view(path)
    assert html.count('src="data:image/png;base64,') == 1
    assert html.index('id="why"') < html.index("data:image/png") < html.index("double-by_hand")
    assert "below the student's cell: def total(" in path.read_text()

    # Of another file than was graded nothing is shown.
    file.write_text(json.dumps({**notebook, "extra": 1}))
    autograded.write(course, template(course), one)
    assert "image/png" not in path.read_text()


@pytest.mark.parametrize("name", ["attention", "inference", "transformer"])
def test_drawings_that_were_handed_out_are_no_pictures_of_the_students(name, tmp_path):
    known = exercise.load(courses.ROOT, name)
    release = (courses.ROOT / "assignments" / name / f"{name}.ipynb").read_bytes()
    handed_out = autograded.Template(master.load(Course(courses.ROOT, tmp_path), known)).handed_out
    assert pictures(release).others == len(handed_out) > 0
    assert pictures(release, handed_out) == Pictures()


@pytest.mark.parametrize("suffix", [".ipynb", ".py"])
@pytest.mark.parametrize("name", ["attention", "inference", "transformer"])
def test_prose_with_a_drawing_is_shown_as_it_was_handed_out(name, suffix, tmp_path):
    known = exercise.load(courses.ROOT, name)
    file = courses.ROOT / "assignments" / name / f"{name}{suffix}"
    if suffix == ".py":
        release = nbformat.read(file.with_suffix(".ipynb"), 4)  # type: ignore[no-untyped-call]
        parts = []
        for cell in release.cells:
            is_code = cell.cell_type == "code"
            lines = [line if is_code else f"# {line}" for line in cell.source.split("\n")]
            parts.append("\n".join(["# %%" if is_code else "# %% [markdown]", *lines]))
        data = "\n\n".join(parts).encode()
    else:
        data = file.read_bytes()
    submission = parse(data, known)
    assert submission.words == ()
    cells = master.load(Course(courses.ROOT, tmp_path), known).cells
    drawn = [cell for cell in cells if "data:image/" in cell.released.source]
    assert drawn
    for cell in drawn:
        assert cell.shown(submission.answer(cell.id)) == cell.released.source


def test_the_due_date_and_the_badges_of_a_release_are_no_text_of_the_students(course):
    known = courses.load(course)
    due = datetime(2026, 12, 1, 18, tzinfo=timezone.utc)
    file = courses.submit(course, "ada", ANSWERED) / f"{NAME}.ipynb"
    badges = links.badges(Settings(links_repository="https://github.com/a/b"), NAME)
    file.write_bytes(exchange.told(file.read_bytes(), badges, due=due))
    assert "[![Open in Colab]" in file.read_text()
    assert "**Due: 1 December 2026" in file.read_text()
    one = replace(
        courses.graded(course, "ada", ANSWERED), submission=parse(file.read_bytes(), known)
    )
    cells = read_notebook(autograded.write(course, template(course), one)).cells
    assert not [cell for cell in cells if "Due: " in cell.source or "Colab" in cell.source]
    questions = [cell for cell in cells if cell.id == "why"]
    assert questions[0].source.startswith("```")  # what she wrote herself is shown as it is


def test_points_of_an_extra_question_come_on_top(course):
    text = courses.AUTHORED.replace('manual="why" points=4', 'manual="why" points=4 extra=true')
    assert text != courses.AUTHORED
    courses.write_root(course.root, text)
    known = courses.load(course)
    assert known.extra == {"why"} and known.max_score == 10
    assert master.load(course, known).max_score == 10

    record.prepare(course, known)
    courses.record(course, known, [courses.graded(course, "ada", ANSWERED)])
    ada = marks.class_marks(course, known)["ada"]
    assert ada.max_score == 10 and ada.cells["why"].max_score == 4
    assert ada.cells["why"].needs_manual_grade and marks.unmarked(course, NAME) == ["ada"]


def test_a_rubric_stands_before_its_answer_and_a_students_text_makes_none(course):
    rubric = (
        "# %% [markdown]\n# # Why\n#\n# **Rubric**\n#\n# - 3 points: $x$ & `y`\n# - 1 point: z\n\n"
    )
    question = '# %% [markdown] manual="why" points=4'
    courses.write_root(course.root, courses.AUTHORED.replace(question, rubric + question))
    answers = {**RIGHT, "why": '<div class="rubric" data-question="why" data-items="%5B%5D"></div>'}
    path = autograded.write(course, template(course), courses.graded(course, "ada", answers))
    notebook = read_notebook(path)
    prose, items, answer, *_ = notebook.cells
    assert prose.source.startswith("# Why") and answer.id == "why"
    assert items.source.startswith('<div class="rubric" data-question="why" data-items="%5B%5B3.0')
    shown = formgrader.view(path)
    assert shown.count('<div class="rubric"') == 1 and items.source.split('"')[5] in shown

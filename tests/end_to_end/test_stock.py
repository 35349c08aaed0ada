"""A check has one verdict, in stock nbgrader and in our engine: the sample class's honest students,
row for row."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from autograder.course import Course, Settings
from autograder.exercises import exercise
from autograder.gradebook import marks
from autograder.grading import grade_class
from tests.support import sample_class, stock
from tests.support.courses import ROOT, private
from tests.support.databases import rows

# nbgrader's own code and that of what it starts, not ours.
pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.usefixtures("graded_here"),
]

# Right, half done, wrong as students are wrong, untouched.
HONEST = ("ada", "ben", "nora", "uma")


@pytest.mark.parametrize(
    "students",
    [HONEST[1:2], pytest.param(HONEST, marks=pytest.mark.everything)],
    ids=["some", "all"],
)
def test_honest_students_get_in_our_engine_what_stock_nbgrader_gives_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, students: tuple[str, ...]
) -> None:
    root = tmp_path / "checkout"
    for folder in ("solutions", "assignments"):
        shutil.copytree(ROOT / folder, root / folder)
    shutil.copy(ROOT / "nbgrader_config.py", root)
    private(tmp_path, root, monkeypatch)
    # nbgrader knows no mistake that is carried forward; our verdict without that is what can be
    # compared.
    course = Course(root, root / "course", Settings(carried=0.0, carried_unattempted=0.0))
    known = exercise.load(root, "attention")
    release = (root / "assignments" / "attention" / "attention.ipynb").read_bytes()
    for student in sample_class.students():
        if student.id in students:
            path = course.submitted / student.id / "attention" / "attention.ipynb"
            path.parent.mkdir(parents=True)
            path.write_bytes(student.file(release) or b"")
    grade_class.grade_class(course, known, jobs=2)
    scores = {name: entry.score for name, entry in marks.class_marks(course, known).items()}
    if students == HONEST:
        assert (scores["ada"], scores["nora"]) == (100, 0) and 0 < scores["ben"] < scores[
            "uma"
        ] < 100
    else:
        assert 0 < scores["ben"] < 100
    ours, theirs = f"sqlite:///{course.gradebook}", f"sqlite:///{tmp_path / 'stock.db'}"
    stock.grade(course, "attention", students, theirs)
    for query in (stock.CONTENTS, stock.SOURCES):
        assert rows(ours, query) == rows(theirs, query)

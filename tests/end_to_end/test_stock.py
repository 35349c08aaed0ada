"""A check has one verdict, in stock nbgrader and in our engine: one mistake in a small exercise, and the
sample class's honest students, row for row."""

import shutil
from pathlib import Path

import pytest

from autograder.base.settings import Settings
from autograder.course.course import Course
from autograder.course.gradebook import marks
from autograder.course.grading import grade_class
from autograder.exercises import exercise
from tests.support import courses, sample_class, stock
from tests.support.courses import NAME, RIGHT, ROOT, private
from tests.support.databases import rows

# nbgrader's own code and that of what it starts, not ours.
pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.usefixtures("graded_here"),
]

# nbgrader knows no mistake that is carried forward; our verdict without that is what can be compared.
SETTINGS = Settings(carried=0.0, carried_unattempted=0.0)
# Right, half done, wrong as students are wrong, untouched.
HONEST = ("ada", "ben", "nora", "uma")


def assert_same(course: Course, name: str, students: tuple[str, ...], scratch: Path) -> None:
    """Stock nbgrader gives these students what they have of us.

    It knows no questions that a value answers: it hands them out as functions, and takes our form
    for an answer. Of these cells alone the source and that comment are others.
    """
    ours, theirs = f"sqlite:///{course.gradebook}", f"sqlite:///{scratch / 'stock.db'}"
    stock.grade(course, name, students, theirs)
    questions = {(name, question) for question in exercise.load(course.root, name).options}
    found, wanted = rows(ours, stock.CONTENTS), rows(theirs, stock.CONTENTS)
    for place, row in enumerate(found):
        if (row[0], row[4]) in questions and row[9] == "No response.":
            assert wanted[place][9] is None
            wanted[place] = (*wanted[place][:9], row[9], *wanted[place][10:])
    assert found == wanted
    names = {question for _, question in questions}
    found, wanted = rows(ours, stock.SOURCES), rows(theirs, stock.SOURCES)
    assert {row[0] for row in found} == {row[0] for row in wanted} >= names
    assert [row for row in found if row[0] not in names] == [
        row for row in wanted if row[0] not in names
    ]


def test_a_step_that_is_wrong_costs_in_our_engine_what_it_costs_in_stock_nbgrader(course, tmp_path):
    course = Course(course.root, course.state, SETTINGS)
    courses.submit(course, "ben", {**RIGHT, "total": courses.SIZES_ALONE})
    known = courses.load(course)

    grade_class.grade_class(course, known, jobs=1)
    assert marks.class_marks(course, known)["ben"].score == 7
    assert_same(course, NAME, ("ben",), tmp_path)


@pytest.mark.everything
def test_honest_students_get_in_our_engine_what_stock_nbgrader_gives_them(tmp_path, monkeypatch):
    root = tmp_path / "checkout"
    for folder in ("solutions", "assignments"):
        shutil.copytree(ROOT / folder, root / folder)
    shutil.copy(ROOT / "nbgrader_config.py", root)
    private(tmp_path, root, monkeypatch)
    course = Course(root, root / "course", SETTINGS)
    known = exercise.load(root, "attention")
    release = (root / "assignments" / "attention" / "attention.ipynb").read_bytes()
    for student in sample_class.students():
        if student.id in HONEST:
            path = course.submitted / student.id / "attention" / "attention.ipynb"
            path.parent.mkdir(parents=True)
            path.write_bytes(student.file(release) or b"")

    grade_class.grade_class(course, known, jobs=2)
    scores = {name: entry.score for name, entry in marks.class_marks(course, known).items()}
    assert (scores["ada"], scores["nora"]) == (100, 0)
    assert 0 < scores["ben"] < scores["uma"] < 100
    assert_same(course, "attention", HONEST, tmp_path)

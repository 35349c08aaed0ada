"""Our engine inside nbgrader: its command line, its programming interface, its formgrader, its
feedback."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from autograder.course.course import Course
from autograder.course.gradebook import config as host
from autograder.course.gradebook import marks
from autograder.course.grading import grade_class
from tests.support import courses, databases, formgrader
from tests.support.courses import NAME, RIGHT, SIZES_ALONE
from tests.support.databases import mostly_sqlite

# nbgrader's and nbconvert's own code, not ours.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.usefixtures("graded_here"),
]

HALF = {
    **RIGHT,
    "total": SIZES_ALONE,
    "why": "<script>alert(1)</script>",
}
HANDED_IN = {
    "ada": (RIGHT, "2026-11-20 11:00:00 UTC"),
    "bob": (HALF, "2026-11-20 12:00:00 UTC"),
    "cyd": ({}, None),
}


@pytest.fixture
def class_(course: Course) -> Course:
    """Three honest students, one file that is no notebook, and a file beside a submission."""
    for student, (answers, time) in HANDED_IN.items():
        courses.submit(course, student, answers, time)
    courses.submit(course, "eve", {})
    (course.submitted / "eve" / NAME / f"{NAME}.ipynb").write_text("{")
    os.symlink(course.root / "solutions", course.submitted / "bob" / NAME / "elsewhere")
    return course


def nbgrader(
    course: Course, *arguments: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run nbgrader as somebody who has not activated the environment."""
    clean = {
        name: value for name, value in os.environ.items() if name not in ("PATH", "VIRTUAL_ENV")
    }
    clean |= {"PATH": "/usr/bin:/bin", **environment}
    command = [sys.executable, "-m", "nbgrader", *arguments]
    return subprocess.run(
        command, cwd=course.root, env=clean, capture_output=True, text=True, check=False
    )


def scores(course: Course) -> dict[str, float]:
    return {student: entry.score for student, entry in marks.class_marks(course, NAME).items()}


@mostly_sqlite
def test_nbgrader_on_the_command_line_the_formgraders_button_and_ours_give_the_same_grades(
    class_, database
):
    done = nbgrader(class_, "autograde", NAME)
    assert done.returncode == 1, done.stderr  # as with nbgrader: somebody has no grade
    assert "eve: rejected: not a notebook" in done.stderr and "Traceback" not in done.stderr
    first = scores(class_)
    assert first == {"ada": 10, "bob": 7, "cyd": 0}
    assert sorted(path.name for path in (class_.autograded / "bob" / NAME).iterdir()) == [
        f"{NAME}.ipynb",
        "timestamp.txt",
    ]

    # Else the new one would be a gradebook that has lost what stands in the results.
    shutil.rmtree(class_.results)
    databases.use(class_, database.new())
    api = host.api(class_)
    for student in HANDED_IN:
        outcome = api.autograde(NAME, student)
        assert outcome["success"], outcome
    refused = api.autograde(NAME, "eve")
    assert not refused["success"] and "eve: rejected: not a notebook" in refused["log"]
    assert scores(class_) == first
    assert api.get_autograded_students(NAME) == set(HANDED_IN)

    # Else the new one would be a gradebook that has lost what stands in the results.
    shutil.rmtree(class_.results)
    databases.use(class_, database.new())
    grade_class.grade_class(class_, courses.load(class_))
    assert scores(class_) == first


def test_without_force_only_new_submissions_are_graded_again(class_):
    from nbgrader.converters import Autograde

    api = host.api(class_)
    assert api.autograde(NAME, "ada")["success"]
    path = class_.autograded / "ada" / NAME / f"{NAME}.ipynb"
    again = api.autograde(NAME, "ada", force=False)
    assert again["success"] and "Nothing has changed for ada: 10 of 10 points" in again["log"]
    courses.submit(class_, "ada", HALF, "2026-11-21 11:00:00 UTC")
    assert api.autograde(NAME, "ada", force=False)["success"]
    assert scores(class_) == {"ada": 7}
    assert oct(path.stat().st_mode & 0o777) == "0o444"
    assert not api.autograde(NAME, "cyd", create=False)["success"]
    assert scores(class_) == {"ada": 7}
    api.coursedir.student_id_exclude = "eve,bob"
    api.coursedir.assignment_id = NAME
    Autograde(coursedir=api.coursedir, parent=api).start()
    assert scores(class_) == {"ada": 7, "cyd": 0}


def test_what_changed_in_the_exercise_is_graded_again_without_force(class_):
    api = host.api(class_)
    assert api.autograde(NAME, "ada")["success"]
    dearer = courses.AUTHORED.replace("points=3", "points=4", 1)
    courses.write_root(class_.root, dearer.replace("points=5", "points=6", 1))
    again = api.autograde(NAME, "ada", force=False)
    assert "Autograded ada: 11 of 11 points" in again["log"]


def test_a_regrade_after_manual_marks_keeps_them_through_nbgrader_too(class_, database):
    api = host.api(class_)
    api.autograde(NAME, "bob")
    with api.gradebook as book:
        grade = book.find_grade("why", NAME, NAME, "bob")
        grade.manual_score, grade.extra_credit, grade.needs_manual_grade = 3, 1, False
        book.db.commit()
    api.autograde(NAME, "bob")
    with api.gradebook as book:
        grade = book.find_grade("why", NAME, NAME, "bob")
        assert (grade.auto_score, grade.manual_score, grade.extra_credit) == (None, 3, 1)
        assert not grade.needs_manual_grade
        assert book.find_submission(NAME, "bob").score == 11


def test_feedback_is_our_page_for_everybody_and_can_be_released(class_):
    grade_class.grade_class(class_, courses.load(class_))
    api = host.api(class_)
    outcome = api.generate_feedback(NAME)
    assert outcome["success"], outcome
    pages = {
        path.parent.parent.name: path.read_text()
        for path in class_.feedback.glob(f"*/{NAME}/{NAME}.html")
    }
    assert sorted(pages) == ["ada", "bob", "cyd", "eve"]
    assert "could not be graded" in pages["eve"] and "not a notebook" in pages["eve"]
    assert (
        "<strong>7</strong> of 14 points" in pages["bob"]
        and "Negative numbers count too." in pages["bob"]
    )
    for page in pages.values():
        assert (
            "<script" not in page
            and "http" not in page.replace("http-equiv", "")
            and '<html lang="en">' in page
        )
        assert "double_by_definition" not in page
    outcome = api.release_feedback(NAME)
    assert outcome["success"], outcome
    assert "1 submission still waits for your marks: bob" in outcome["log"]
    released = list((class_.state / "exchange" / class_.id() / "feedback").glob("*.html"))
    assert len(released) == 4
    assert {path.read_text() for path in released} == set(pages.values())


@pytest.mark.everything
def test_nbgraders_command_makes_feedback_for_one_student(class_):
    grade_class.grade_class(class_, courses.load(class_))
    done = nbgrader(class_, "generate_feedback", NAME, "--force", "--student", "ada")
    assert done.returncode == 0, done.stderr
    assert [path.parent.parent.name for path in class_.feedback.glob("*/*/*.html")] == ["ada"]


@mostly_sqlite
def test_the_formgraders_generate_accepts_changed_checks_when_there_are_submissions(
    class_, database
):
    grade_class.grade_class(class_, courses.load(class_))
    head, _, tail = courses.AUTHORED.partition('# %% check="total-negative"')
    courses.write_root(class_.root, head + "# %% [markdown]" + tail.partition("# %% [markdown]")[2])
    release = class_.root / "assignments" / NAME / f"{NAME}.ipynb"
    before = release.read_bytes()
    outcome = host.api(class_).generate_assignment(NAME)
    assert outcome["success"], outcome
    assert release.read_bytes() == before
    assert scores(class_)["ada"] == 7


@pytest.mark.everything
def test_the_formgraders_view_shows_answers_verdicts_and_fields_and_runs_no_student_markup(class_):
    grade_class.grade_class(class_, courses.load(class_))
    path = class_.autograded / "bob" / NAME / f"{NAME}.ipynb"
    html = formgrader.view(path)
    for cell in ("double-by_hand", "total-negative", "why"):
        assert f'class="score tabbable" id="{cell}"' in html
    for cell in ("double", "total", "why"):
        assert f'id="{cell}-comment"' in html
    assert "<script>alert(1)" not in html and "&lt;script&gt;alert(1)" in html
    assert "Passed: 2 of 2 points." in html and "Failed: 0 of 3 points." in html


def test_a_folder_setting_that_does_not_fit_is_said_in_one_line(class_):
    config = class_.root / "nbgrader_config.py"
    config.write_text(config.read_text() + '\nc.CourseDirectory.feedback_directory = "elsewhere"\n')
    outcome = host.api(class_).autograde(NAME, "ada")
    assert not outcome["success"] and "feedback_directory is" in outcome["log"]


@pytest.mark.everything
def test_a_stale_exercise_stops_nbgrader_with_the_repair(class_):
    (class_.root / "solutions" / f"{NAME}.py").write_text(courses.AUTHORED + "\n")
    done = nbgrader(class_, "autograde", NAME)
    assert done.returncode == 1
    assert f"run autograder build {NAME}" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.everything
def test_another_state_folder_and_another_database_are_followed(class_, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    os.rename(class_.state, elsewhere)
    database = f"sqlite:///{tmp_path / 'book.db'}"
    done = nbgrader(
        class_,
        "autograde",
        NAME,
        "--student",
        "ada",
        "--db",
        database,
        AUTOGRADER_COURSE=str(elsewhere),
    )
    assert done.returncode == 0, done.stderr
    assert (elsewhere / "autograded" / "ada" / NAME / f"{NAME}.ipynb").exists()
    assert json.loads((elsewhere / "results" / NAME / "ada.json").read_text())["score"] == 10
    assert (tmp_path / "book.db").exists() and not (elsewhere / "gradebook.db").exists()
    assert not class_.state.joinpath("autograded").exists()

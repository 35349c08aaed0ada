"""Commands do what is new, and say whether anything was."""

import json

import pytest

from autograder.base import files
from autograder.course.course import Course
from tests.support import courses
from tests.support.courses import NAME, RIGHT, SIZES_ALONE
from tests.support.noting import noted
from tests.support.processes import call, finished, mistake

pytestmark = pytest.mark.usefixtures("graded_here")


@pytest.fixture
def writes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is written into the course from here on, below its folder."""
    return noted(monkeypatch, files, "write", lambda path, _: "/".join(path.parts[-3:]))


def new(course: Course, command: str, *options: object) -> dict[str, object]:
    done = call(command, NAME, "--new", "-", *options, cwd=course.root)
    assert done.returncode in (0, 4), done
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_a_second_run_writes_nothing_and_says_so(course, writes):
    for student in ("ada", "bob"):
        courses.submit(course, student, RIGHT)
    for command in ("grade", "feedback"):
        assert new(course, command) == {"exercise": NAME, "new": ["ada", "bob"], "unchanged": 0}
        finished(command, NAME, cwd=course.root)
    writes.clear()
    for command in ("collect", "grade", "feedback"):
        done = call(command, NAME, "--exit-code", cwd=course.root)
        assert done.returncode == 4 and "ada" not in done.stdout, done
    assert writes == []


def test_what_is_new_of_one_student_is_written_for_that_one_alone(course, writes):
    for student in ("ada", "bob"):
        courses.submit(course, student, RIGHT)
    call("grade", NAME, cwd=course.root)
    call("feedback", NAME, cwd=course.root)
    page = course.feedback / "ada" / NAME / f"{NAME}.html"
    before = page.read_text()
    courses.submit(course, "ada", {**RIGHT, "total": SIZES_ALONE})
    writes.clear()
    done = call("grade", NAME, "--exit-code", cwd=course.root)
    assert done.returncode == 0 and "ada" in done.stdout and "bob" not in done.stdout
    assert new(course, "feedback")["new"] == ["ada"]
    assert page.read_text() != before
    assert not [place for place in writes if "bob" in place]

    # A setting has a say in every page, and a mark in one.
    (course.root / "autograder.toml").write_text('feedback.hidden = "never"\n')
    assert new(course, "feedback")["new"] == ["ada", "bob"]


def test_student_names_whom_a_command_is_about(course):
    for student in ("ada", "bob"):
        courses.submit(course, student, RIGHT)
    assert new(course, "grade", "--student", "bob")["new"] == ["bob"]
    assert new(course, "grade")["new"] == ["ada"]
    assert new(course, "feedback", "--student", "ada")["new"] == ["ada"]
    assert not (course.feedback / "bob").exists()
    for command in ("grade", "feedback"):
        assert "zoe" in mistake(call(command, NAME, "--student", "zoe", cwd=course.root))
    both = call("grade", NAME, "--new", "-", "--json", "-", cwd=course.root)
    assert "both would go to standard output" in mistake(both)


def test_a_page_that_somebody_removed_is_written_again(course):
    courses.submit(course, "ada", RIGHT)
    call("grade", NAME, cwd=course.root)
    call("feedback", NAME, cwd=course.root)
    (course.feedback / "ada" / NAME / f"{NAME}.html").unlink()
    assert new(course, "feedback")["new"] == ["ada"]
    assert call("feedback", NAME, "--exit-code", cwd=course.root).returncode == 4

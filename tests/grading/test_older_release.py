"""An exercise gets another step after it was handed out: the release on record says which steps a
submission is asked for, never the submission."""

import json
import zipfile
from dataclasses import replace

import pytest

from autograder.base.result import CheckResult, Result, StepResult
from autograder.base.settings import Settings
from autograder.course.course import Course
from autograder.course.gradebook import config, record, versions
from autograder.exercises import exercise
from autograder.grader.asked import as_asked
from autograder.grader.grader import Grader
from autograder.show.disclosure import as_student_sees
from autograder.show.exports import gradescope
from tests.support import courses, processes
from tests.support.courses import NAME, RIGHT, ROOT
from tests.support.final_scores import graded

pytestmark = pytest.mark.usefixtures("graded_here")

BEGIN, END = (
    courses.AUTHORED.index('# %% step="total"'),
    courses.AUTHORED.index("# %% [markdown] m"),
)
OLDER = courses.AUTHORED[:BEGIN] + courses.AUTHORED[END:]
"""The exercise before it had its second step."""

DOUBLE = {"double": RIGHT["double"]}
HALF_RIGHT = {"double": "def double(x):\n    return np.array([2.0])\n"}
"""It passes the visible check, which is worth 2 of 5 points."""

NEWER_STEPS = {
    "inference": (85, ["cached_step"]),
    "gradients": (60, ["matmul_backward", "mask_backward", "split_heads_backward"]),
    "transformer": (90, ["language_model"]),
}
"""The steps that exercises have got after they were handed out, and what all others are worth."""


def release(course: Course) -> str:
    return processes.finished("release", NAME, "--to-zip", "release.zip", cwd=course.root).stdout


@pytest.fixture
def older(course: Course) -> Course:
    """The older exercise, handed out, with two submissions; by now it has a second step."""
    courses.write_root(course.root, OLDER)
    release(course)
    courses.submit(course, "ann", DOUBLE)
    courses.submit(course, "bob", HALF_RIGHT)
    courses.write_root(course.root)
    return course


def test_a_step_that_nobody_was_handed_out_counts_as_much_as_the_others(older):
    assert graded(older) == {"ann": 10, "bob": 4}
    result = json.loads((older.results / NAME / "bob.json").read_text())
    assert [check["not_asked"] for check in result["steps"][1]["checks"]] == [True, True]
    said = (
        "total was not in the notebook that was handed out, and counts as much as the other steps"
    )
    assert result["warnings"] == [said]


def test_the_student_and_the_teacher_read_why(older):
    graded(older)
    processes.call("feedback", NAME, cwd=older.root)
    page = (older.feedback / "bob" / NAME / f"{NAME}.html").read_text()
    assert "not asked, 2 of 5 points: it was not in the notebook that was handed out" in page
    told = processes.call("report", NAME, cwd=older.root).stdout
    assert "total was not in the notebook that was handed out" in " ".join(told.split())
    told = processes.call("explain", NAME, "bob", cwd=older.root).stdout
    assert "1 check lost points" in told
    told = processes.call("explain", NAME, "bob", "total-by_hand", cwd=older.root).stdout
    assert told.startswith("total-by_hand: was not in the notebook")


def test_a_new_release_asks_for_the_step_but_not_of_what_was_collected_before(older):
    assert "total is new: 2 submissions collected so far will not be asked for it" in release(older)
    courses.submit(older, "cleo", {**DOUBLE, "mine": "1"})
    assert graded(older) == {"ann": 10, "bob": 4, "cleo": 5}
    assert "total" not in release(older)
    assert graded(older, "--force") == {"ann": 10, "bob": 4, "cleo": 5}

    courses.submit(older, "ann", {**DOUBLE, "mine": "2"})
    assert graded(older)["ann"] == 5


def test_nothing_that_a_submission_says_of_itself_counts(older):
    """Cells deleted, and the metadata of the older release."""
    path = older.submitted / "ann" / NAME / f"{NAME}.ipynb"
    data = path.read_bytes()
    courses.write_root(older.root, OLDER)
    former = json.loads(courses.handed_in(older, DOUBLE))
    courses.write_root(older.root)
    release(older)
    former["cells"] = [cell for cell in former["cells"] if not cell["id"].startswith("total")]
    path.write_text(json.dumps(former, indent=3))
    assert path.read_bytes() != data
    assert graded(older)["ann"] == 5


def test_a_release_by_nbgrader_alone_is_on_record(older):
    (older.state / versions.RELEASED).unlink()
    courses.write_root(older.root, OLDER)
    (older.state / "exchange").mkdir(parents=True, exist_ok=True)
    record.prepare(older, courses.load(older))
    assert config.api(older).release_assignment(NAME)["success"]
    courses.write_root(older.root)
    assert graded(older) == {"ann": 10, "bob": 4}


def test_without_a_release_on_record_all_steps_are_asked_for(older):
    (older.state / versions.RELEASED).unlink()
    assert graded(older) == {"ann": 5, "bob": 2}


def test_a_step_has_the_name_that_it_has_now(course):
    courses.write_root(course.root, courses.AUTHORED)
    release(course)
    renamed = courses.AUTHORED.replace("total", "summed").replace(
        '# %% step="summed"', '# %% step="summed" was="total"'
    )
    courses.write_root(course.root, renamed)
    courses.submit(course, "ann", DOUBLE)
    assert graded(course) == {"ann": 5}


def test_what_somebody_wrote_all_the_same_counts_if_it_is_more(older):
    courses.submit(older, "bob", {**HALF_RIGHT, "total": RIGHT["total"]})
    courses.submit(older, "cleo", {**DOUBLE, "total": courses.SIZES_ALONE})
    assert graded(older) == {"ann": 10, "bob": 7, "cleo": 10}


def test_the_bundle_for_gradescope_knows_the_release(older, tmp_path, monkeypatch):
    processes.finished("export", NAME, "--to", "gradescope-zip", cwd=older.root)
    for folder in ("source", "submission", "results"):
        (tmp_path / folder).mkdir()
    with zipfile.ZipFile(older.state / "exports" / NAME / "gradescope.zip") as bundle:
        bundle.extractall(tmp_path / "source")
    submission = tmp_path / "submission" / f"{NAME}.ipynb"
    submission.write_bytes((older.submitted / "bob" / NAME / f"{NAME}.ipynb").read_bytes())

    monkeypatch.chdir(tmp_path / "source")
    assert gradescope.main(tmp_path) == 0
    found = json.loads((tmp_path / "results" / "results.json").read_text())
    assert found["score"] == 4
    assert "total was not in the notebook that was handed out" in found["output"]
    # What a visible check of it earns follows from hidden ones.
    (test,) = (test for test in found["tests"] if test["name"].startswith("total: One and two"))
    assert (test["score"], test["visibility"]) == (0, "visible")
    assert sum(test.get("score", 0) for test in found["tests"]) == 4


def test_visible_checks_tell_nothing_of_hidden_ones():
    closed = CheckResult("closed", "values", 4.0, 1.0, True, "failed")
    newer = CheckResult("open", "values", 2.0, 0.0, False, "unattempted")
    steps = (StepResult("f", (closed,)), StepResult("g", (newer,)))
    common = ("e", "ada", "graded", None, 6.0, "process", "00", "00", "now")
    result = as_asked(Result(*common, steps=steps), {"f"})
    assert result.step("g").score == 0.5
    assert as_student_sees(result, "never").steps == ()


@pytest.mark.parametrize("name", NEWER_STEPS)
def test_right_answers_to_all_steps_that_an_exercise_once_had_get_full_marks(name):
    worth, newer = NEWER_STEPS[name]
    known = exercise.load(ROOT, name)
    notebook = json.loads(json.dumps(known.notebook))
    ours = [cell.raw["id"] for cell in known.cells if cell.id.partition("-")[0] in newer]
    notebook["cells"] = [cell for cell in notebook["cells"] if cell["id"] not in ours]
    with Grader(known, b"secret", replace(Settings(), isolation="process")) as grader:
        result = grader.grade(json.dumps(notebook).encode(), "ann").result
    assert result.score == worth
    assert as_asked(result, None).score == worth
    assert as_asked(result, known.steps).score == worth
    assert as_asked(result, set(known.steps) - set(newer)).score == 100

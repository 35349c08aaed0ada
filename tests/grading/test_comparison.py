"""What a new grading would change is told before anything is written, and what was earned can be
kept."""

import hashlib
import json
from html import unescape
from pathlib import Path

import pytest

from autograder.course.course import Course
from autograder.exercises import setup_cell
from tests.support import courses, databases
from tests.support.courses import NAME, RIGHT, SIZES_ALONE
from tests.support.final_scores import final, grade
from tests.support.processes import call

pytestmark = pytest.mark.usefixtures("graded_here")

STRICTER = courses.AUTHORED.replace(
    "agree(total([1.0, 2.0]), 3.0,", "agree(total([-1.0, 2.0]), 1.0,"
)
LOOSER = courses.AUTHORED.replace(
    "agree(total([-1.0, -2.0]), -3.0,", "agree(abs(total([-1.0, -2.0])), 3.0,"
)


def fingerprint(folder: Path) -> dict[str, str]:
    """Every file below a folder, by its bytes and its time."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            found[str(path.relative_to(folder))] = f"{digest} {path.stat().st_mtime_ns}"
    return found


@courses.begun
def graded(course: Course) -> None:
    """Ann is right; Bob takes absolute values, and so loses the hidden check of negative ones."""
    courses.submit(course, "ann", RIGHT)
    courses.submit(course, "bob", {**RIGHT, "total": SIZES_ALONE})
    grade(course)
    assert final(course) == {"ann": 10, "bob": 7}


def test_compare_says_who_why_and_which_check_and_writes_nothing(graded):
    courses.write_root(graded.root, LOOSER)
    before = fingerprint(graded.root)
    done = grade(graded, "--compare")

    assert done.stdout.splitlines()[-3:] == [
        "bob: 7 -> 10, for the exercise changed",
        "  total-negative: 0 -> 3",
        "1 score would change, 1 would not; nothing was written",
    ]
    assert fingerprint(graded.root) == before


def test_compare_writes_nothing_into_any_database(course, database):
    courses.submit(course, "bob", {**RIGHT, "total": SIZES_ALONE})
    grade(course)
    tables = ("grade", "comment", "base_cell", "submitted_notebook", "submitted_assignment")
    before = [database.rows(f"SELECT * FROM {table} ORDER BY id") for table in tables]
    courses.write_root(course.root, LOOSER)
    assert "bob: 7 -> 10," in grade(course, "--compare").stdout
    assert [database.rows(f"SELECT * FROM {table} ORDER BY id") for table in tables] == before


def test_what_compare_says_is_what_grade_does(graded):
    courses.write_root(graded.root, STRICTER)
    said = grade(graded, "--compare").stdout
    assert "bob: 7 -> 5, for the exercise changed\n  total-by_hand: 2 -> 0: " in said
    grade(graded)
    assert final(graded) == {"ann": 10, "bob": 5}
    assert "0 scores would change" in grade(graded, "--compare").stdout


def test_compare_counts_marks_by_hand_and_late_work(graded):
    gradebook = databases.of(graded)
    gradebook.by_hand("why", "bob", manual_score=4.0, needs_manual_grade=False)
    courses.write_root(graded.root, LOOSER)
    assert "bob: 11 -> 14," in grade(graded, "--compare").stdout


def test_a_score_that_a_person_has_settled_does_not_change_with_a_check(graded):
    gradebook = databases.of(graded)
    gradebook.by_hand("total-negative", "bob", manual_score=2.0, needs_manual_grade=False)
    courses.write_root(graded.root, LOOSER)
    said = grade(graded, "--compare").stdout
    assert "bob: 9 -> 9, for the exercise changed\n  total-negative: 0 -> 3\n" in said
    assert "0 scores would change, 2 would not" in said
    # What a person gave is less than the check gives now: they look at it, and at nothing else.
    assert "waits for your marks: total-negative\n" in grade(graded).stdout


def test_a_check_with_a_new_name_is_the_same_check(graded):
    text = courses.AUTHORED.replace("total-negative", "total-below_zero")
    text = text.replace('check="total-below_zero"', 'check="total-below_zero" was="total-negative"')
    courses.write_root(graded.root, text)
    assert "0 scores would change" in grade(graded, "--compare").stdout


def test_a_new_file_is_compared_with_the_old_one(graded):
    courses.submit(graded, "bob", RIGHT)
    courses.submit(graded, "cleo", RIGHT)
    said = grade(graded, "--compare").stdout
    assert "bob: 7 -> 10, for another file was handed in\n  total-negative: 0 -> 3\n" in said
    assert "cleo: none -> 10, graded for the first time\n" in said


def test_compare_needs_results_and_the_secret(course):
    courses.submit(course, "ann", RIGHT)
    done = call("grade", NAME, "--compare", cwd=course.root)
    assert done.returncode == 2
    assert "no results to compare with; run autograder grade counting" in done.stderr
    assert not (course.state / "secret").exists()

    grade(course)
    (course.state / "secret").unlink()
    done = call("grade", NAME, "--compare", cwd=course.root)
    assert done.returncode == 2
    assert "is missing" in done.stderr
    assert not (course.state / "secret").exists()


def test_never_lower_keeps_points_and_says_so(graded):
    courses.write_root(graded.root, STRICTER)
    assert "0 scores would change" in grade(graded, "--compare", "--never-lower").stdout
    grade(graded, "--never-lower")
    assert final(graded) == {"ann": 10, "bob": 7}

    said = "2 points of the score were earned by an earlier version of the checks, and kept"
    assert said in " ".join(call("report", NAME, cwd=graded.root).stdout.split())
    call("feedback", NAME, cwd=graded.root)
    page = (graded.feedback / "bob" / NAME / f"{NAME}.html").read_text()
    assert said in page
    assert "2 of 2 points, kept from before" in page
    ann = (graded.feedback / "ann" / NAME / f"{NAME}.html").read_text()
    assert "kept" not in ann


def test_kept_points_stay_until_another_file_is_handed_in(graded):
    courses.write_root(graded.root, STRICTER)
    grade(graded, "--never-lower")
    grade(graded, "--force")
    assert final(graded)["bob"] == 7

    courses.submit(graded, "bob", {**RIGHT, "total": f"# once more\n{SIZES_ALONE}"})
    grade(graded)
    assert final(graded)["bob"] == 5


def test_the_log_says_who_ran_what_and_which_scores_changed(graded):
    grade(graded)
    courses.write_root(graded.root, LOOSER)
    grade(graded)
    grade(graded, "--compare")
    call("feedback", NAME, cwd=graded.root)

    lines = [json.loads(line) for line in (graded.state / "log.jsonl").read_text().splitlines()]
    assert [line["command"] for line in lines] == [f"grade {NAME}"] * 5 + [f"feedback {NAME}"]
    assert [line["scores"] for line in lines if "scores" in line] == [
        [{"student": "ann", "old": None, "new": 10}, {"student": "bob", "old": None, "new": 7}],
        [],
        [{"student": "bob", "old": 7, "new": 10}],
    ]
    assert all(line["who"] and line["time"] for line in lines)
    assert (graded.state / "log.jsonl").stat().st_mode & 0o777 == 0o600


def test_a_notebook_that_was_handed_out_before_a_change_is_no_news(graded):
    """The whole class was told of a setup cell that nobody had touched, and of new checks."""
    setup = "setup\nfrom contextlib import contextmanager\n"
    assert setup in courses.AUTHORED
    text = courses.AUTHORED.replace(setup, f"{setup}import math\n")
    new = '# %% check="total-none" points=1 category="row sums"\n"""No numbers are zero."""\nagree(total([0.0]), 0.0, "zero")\n\n# %% [markdown] manual'
    courses.write_root(graded.root, text.replace("# %% [markdown] manual", new))
    said = grade(graded).stdout
    assert final(graded) == {"ann": 11, "bob": 8}
    assert "setup" not in said
    assert "missing" not in said


def test_a_setup_that_a_student_changed_is_told_also_in_an_old_notebook(course):
    data = json.loads(courses.handed_in(course, RIGHT))
    (setup,) = [cell for cell in data["cells"] if cell["id"] == "setup"]
    code, _ = setup_cell.unpacked("".join(setup["source"]))
    assert "default_rng(0)" in code
    setup["source"] = setup_cell.packed(code.replace("default_rng(0)", "default_rng(1)"))
    folder = courses.submit(course, "ann", RIGHT)
    (folder / f"{NAME}.ipynb").write_text(json.dumps(data))
    courses.write_root(course.root, LOOSER)
    assert "the setup cell is not the teacher's current one" in " ".join(
        grade(course).stdout.split()
    )


def page(course: Course, student: str) -> str:
    text = (course.feedback / student / NAME / f"{NAME}.html").read_text()
    return unescape(text.partition('<main id="content">')[2])


def test_a_page_made_again_says_at_its_top_what_changed(graded):
    first = call("feedback", NAME, cwd=graded.root)
    assert "What changed" not in page(graded, "bob")
    assert "other points than before" not in first.stdout

    courses.write_root(graded.root, LOOSER)
    grade(graded)
    said = call("feedback", NAME, cwd=graded.root).stdout
    assert "1 page says other points than before, or is about another file (bob): hand them" in said
    top = page(graded, "bob").partition("<h2")[2].partition("</section>")[0]
    assert "What changed" in top
    assert "<li>Score: 7 of 14 points, now 10 of 14 points</li>" in top
    assert "<li>total: Negative numbers count too: 0, now 3</li>" in top
    assert "What changed" not in page(graded, "ann")

    # Who has read that by now? It stays until something else changes.
    again = call("feedback", NAME, cwd=graded.root).stdout
    assert "other points than before" not in again
    assert "now 10 of 14 points" in page(graded, "bob")

    gradebook = databases.of(graded)
    gradebook.by_hand("why", "bob", manual_score=4.0, needs_manual_grade=False)
    call("feedback", NAME, cwd=graded.root)
    assert "10 of 14 points, now 14 of 14 points" in page(graded, "bob")
    assert "now 3<" not in page(graded, "bob")


def test_a_page_about_another_file_is_a_new_page(graded):
    call("feedback", NAME, cwd=graded.root)
    courses.submit(graded, "bob", RIGHT)
    grade(graded)
    said = call("feedback", NAME, cwd=graded.root).stdout
    assert "or is about another file (bob): hand them out again" in said
    assert "What changed" not in page(graded, "bob")


def test_a_page_that_shows_less_than_before_does_not_tell_what_it_has_left_out(graded):
    """A teacher looks at the pages, and then chooses what students see."""
    call("feedback", NAME, cwd=graded.root)
    for shows in ("never", "points", "message"):
        (graded.root / "autograder.toml").write_text(f'feedback.hidden = "{shows}"\n')
        said = call("feedback", NAME, cwd=graded.root).stdout
        assert "other points than before" not in said
        for student in ("ann", "bob"):
            assert "What changed" not in page(graded, student)

    (graded.root / "autograder.toml").write_text('feedback.hidden = "never"\n')
    courses.write_root(graded.root, LOOSER)
    grade(graded)
    call("feedback", NAME, cwd=graded.root)
    top = page(graded, "bob").partition("<h2")[2].partition("</section>")[0]
    assert "Score: 7 of 14 points, now 10 of 14 points" in top
    assert "now 3" not in top and "gone" not in top


def test_what_changed_says_nothing_of_what_is_hidden(graded):
    (graded.root / "autograder.toml").write_text('feedback.hidden = "never"\n')
    call("feedback", NAME, cwd=graded.root)
    courses.write_root(graded.root, LOOSER)
    grade(graded)
    call("feedback", NAME, cwd=graded.root)
    top = page(graded, "bob").partition("<h2")[2].partition("</section>")[0]
    assert "now 10 of 14 points" in top
    assert top.count("<li>") == 1

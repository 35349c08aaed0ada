"""``explain`` shows a teacher what a check asked, both answers and the code, also months later."""

import json
import re

import pytest

from autograder.course.course import Course
from tests.support import courses, processes
from tests.support.courses import NAME, RIGHT, SIZES_ALONE
from tests.support.processes import call, finished

pytestmark = pytest.mark.usefixtures("graded_here")

HALF = "def helper(x):\n    return x / 2\n\n\ndef double(x):\n    return helper(np.asarray(x))\n"


def explain(course: Course, *arguments: str) -> str:
    return finished("explain", NAME, *arguments, cwd=course.root).stdout


def refusal(course: Course, *arguments: str) -> str:
    return processes.refusal(course.root, "explain", NAME, *arguments)


@courses.begun
def graded(course: Course) -> None:
    courses.submit(course, "ann", RIGHT)
    courses.submit(course, "bob", {**RIGHT, "double": HALF, "total": SIZES_ALONE})
    finished("grade", NAME, "--jobs", 1, cwd=course.root)


def stored(course: Course, student: str, check: str) -> str:
    """The message of a check as it was graded."""
    result = json.loads((course.results / NAME / f"{student}.json").read_text())
    for step in result["steps"]:
        for one in step["checks"]:
            if f"{step['name']}-{one['name']}" == check:
                return str(one["message"])
    raise AssertionError(check)


def test_the_input_both_answers_and_the_code(graded):
    said = explain(graded, "bob", "total-negative")
    assert "total-negative of bob: failed, 0 of 3 points, hidden check" in said
    assert "the same verdict, word for word" in said
    assert "Call 1 of 1: total(x)\n  x: [-1.0, -2.0]\n" in said
    assert "  bob answers: 3.0\n  the solution answers: -3.0\n" in said
    assert "    2 | # @title Hidden check" in said
    assert "agree(total([-1.0, -2.0]), -3.0" in said
    assert "What bob wrote: total\n    1 | def total(x):" in said
    assert "def double" not in said
    assert "since" not in said


def test_drawn_inputs_are_those_that_were_graded_to_the_last_digit(graded):
    said = explain(graded, "bob", "double-drawn")
    # In a line, or in several where the digits do not fit.
    drawn = np_array(said.partition("  x:")[2].partition("  bob answers")[0].strip())
    message = stored(graded, "bob", "double-drawn")
    assert str(drawn / 2) in message
    assert said == explain(graded, "bob", "double-drawn")
    assert "helper(x)" in said


def np_array(text: str) -> object:
    import numpy as np

    return eval(text, {"array": np.array})


def test_of_several_calls_the_wrong_one_is_shown_with_its_place(course):
    drawn = (
        "x = rng.normal(size=4)\nagree(double(x.copy()), double_by_definition(x), 'the doubles')"
    )
    twice = f"for n in (4, 5):\n    x = rng.normal(size=n)\n    {drawn.splitlines()[1]}"
    text = courses.AUTHORED.replace(drawn.replace("'", '"'), twice)
    assert text != courses.AUTHORED
    courses.write_root(course.root, text)
    wrong = "def double(x):\n    return 2 * np.asarray(x) + (len(x) == 5)\n"
    courses.submit(course, "bob", {**RIGHT, "double": wrong})
    finished("grade", NAME, "--jobs", 1, cwd=course.root)

    for said in (explain(course, "bob", "double-drawn"), explain(course, "bob", "double")):
        assert "Call 2 of 2: double(x)\n" in said
        assert "1 other call is answered as the solution answers" in said


def test_what_passed_can_be_looked_at_too(graded):
    said = explain(graded, "ann", "total-by_hand")
    assert "passed, 2 of 2 points, visible check" in said
    assert "the same verdict: it passes" in said
    assert "which is the same" in said


def test_the_exercise_that_graded_it_is_the_one_that_explains(graded):
    before = explain(graded, "bob", "total-negative")
    text = courses.AUTHORED.replace(
        "agree(total([-1.0, -2.0]), -3.0", "agree(total([-1.0, -4.0]), -5.0"
    )
    courses.write_root(graded.root, text.replace("total-negative", "total-below"))
    said = explain(graded, "bob", "total-negative")
    line = "  the exercise has changed since; this is the one that graded it\n"
    assert line in said
    assert said.replace(line, "") == before


def test_what_else_is_different_now_is_said(graded):
    path = graded.results / NAME / "bob.json"
    result = json.loads(path.read_text())
    result["graded_with"] |= {"engine": "0" * 16, "numpy": "1.0"}
    path.write_text(json.dumps(result))
    (graded.state / "secret").write_text("another")
    (graded.root / "autograder.toml").write_text("call_seconds = 4\n")
    said = explain(graded, "bob", "double-drawn")
    assert "the kit has changed since; the current one ran it" in said
    assert "NumPy was 1.0 then, and is " in said
    assert "the secret has changed: these are not the inputs that were graded" in said
    assert "settings have changed since; these are the earlier ones" in said
    assert "it fails, with another message: the doubles: got" in said


def test_what_a_function_did_to_its_argument_is_shown(course):
    spoils = "def total(x):\n    s = float(sum(x))\n    x[0] = 7.0\n    return s + 1\n"
    courses.submit(course, "bob", {**RIGHT, "total": spoils})
    call("grade", NAME, "--jobs", 1, cwd=course.root)
    said = explain(course, "bob", "total-by_hand")
    assert "x: [1.0, 2.0]" in said
    assert "x, which the call has changed: [7.0, 2.0]" in said


def test_an_exception_stands_with_its_line(course):
    raises = 'def total(x):\n    raise ValueError("no\\x1b[31m")\n'
    courses.submit(course, "bob", {**RIGHT, "total": raises})
    call("grade", NAME, "--jobs", 1, cwd=course.root)
    said = explain(course, "bob", "total-by_hand")
    assert "bob answers with ValueError: no" in said
    assert ">   2 |     raise ValueError" in said
    assert "\x1b" not in said


def test_a_call_that_does_not_return_is_no_exception(course):
    (course.root / "autograder.toml").write_text("call_seconds = 0.2\n")
    loops = "def total(x):\n    while True:\n        pass\n"
    courses.submit(course, "bob", {**RIGHT, "total": loops})
    call("grade", NAME, "--jobs", 1, cwd=course.root)
    said = explain(course, "bob", "total-by_hand")
    assert "  bob does not return in time\n" in said
    assert "answers with" not in said


def test_behind_the_mistake_of_an_earlier_step_stands_what_remains(course):
    double = "def double(x):\n    raise ValueError('boom')\n"
    total = "def total(x):\n    return float(double(x).sum())\n"
    courses.submit(course, "bob", {**RIGHT, "double": double, "total": total})
    call("grade", NAME, "--jobs", 1, cwd=course.root)
    for said in (explain(course, "bob", "total-by_hand"), explain(course, "bob", "total")):
        _, first, second, *_ = said[said.index("One and two are three.") :].split("\n")
        assert first == "It says: total raised ValueError in line 2 of your cell double: boom"
        assert second.startswith("And once double is right: ") and "6" in second
    assert ">   2 |     raise ValueError('boom')" in said


def test_student_code_is_locked_in_as_in_grading(course, tmp_path):
    target = tmp_path / "escaped"
    writes = f"def total(x):\n    open({str(target)!r}, 'w').close()\n    return 0.0\n"
    courses.submit(course, "bob", {**RIGHT, "total": writes})
    call("grade", NAME, "--jobs", 1, cwd=course.root)
    result = json.loads((course.results / NAME / "bob.json").read_text())
    assert result["isolation"] in ("bubblewrap", "landlock")
    assert "isolation level " in explain(course, "bob", "total-by_hand")
    assert not target.exists()


def test_a_void_check_has_nothing_to_explain(graded):
    mark = 'check="total-negative" points=3'
    courses.write_root(graded.root, courses.AUTHORED.replace(mark, f"{mark} void=true"))
    call("grade", NAME, "--jobs", 1, cwd=graded.root)
    assert explain(graded, "bob", "total-negative") == (
        "total-negative: counts in full for everybody, and is not run\n"
    )


def test_what_cannot_be_explained_is_said_in_a_line(graded):
    assert "xyz: no such check or step was graded; there are double-by_hand" in refusal(
        graded, "bob", "xyz"
    )
    assert "no such check or step was graded; did you mean total?" in refusal(graded, "bob", "totl")
    courses.submit(graded, "bob", RIGHT)
    assert "the graded file is no longer there" in refusal(graded, "bob", "total-negative")
    courses.write_root(graded.root, courses.AUTHORED.replace("Rows of", "Lines of"))
    for path in (graded.state / "versions").glob(f"{NAME}-*"):
        path.write_bytes(b"")
    assert "damaged; put a backup of it there" in refusal(graded, "ann", "total-negative")
    for path in (graded.state / "versions").glob(f"{NAME}-*"):
        path.unlink()
    assert "the exercise that graded this is not there" in refusal(graded, "ann", "total-negative")
    secret = graded.state / "secret"
    secret.unlink()
    courses.write_root(graded.root)
    assert "is missing, and the random inputs depend on it" in refusal(
        graded, "ann", "total-negative"
    )
    assert not secret.exists()


def test_what_was_graded_with_is_kept_once(graded):
    kept = sorted(path.name for path in (graded.state / "versions").iterdir())
    assert [name.partition("-")[0] for name in kept] == [NAME, "engine", "settings"]
    call("grade", NAME, "--force", "--jobs", 1, cwd=graded.root)
    assert sorted(path.name for path in (graded.state / "versions").iterdir()) == kept


FORGED = "no\\n::error::done\\n  the solution answers: 1\\r"


@pytest.mark.parametrize(
    ("step", "source"),
    [
        ("total", f"def total(x):\n    raise ValueError('{FORGED}')\n"),
        ("double", f"def double(x):\n    return '{FORGED}'\n"),
    ],
)
def test_no_line_of_a_students_text_stands_as_one_of_ours(course, step, source):
    courses.submit(course, "bob", {**RIGHT, step: source})
    call("grade", NAME, "--jobs", 1, cwd=course.root)
    said = explain(course, "bob", f"{step}-by_hand")
    assert "::error::done" in said
    assert said.count("\n  the solution answers: ") == 1
    for line in said.splitlines():
        assert not line.lstrip().startswith("::")


def test_a_student_alone_is_a_list_of_what_lost_points_and_how_to_see_it(graded):
    said = explain(graded, "bob")
    assert said.startswith("bob: 2 of 10 points from the checks; 3 checks lost points\n")
    for check in ("double-by_hand", "double-drawn", "total-negative"):
        assert f"  {check} " in said
    assert "total-by_hand" not in said
    ids = [line.split()[-1] for line in said.splitlines() if line.startswith("to see ")]
    assert ids == ["double-by_hand", "double"]
    for id in ids:
        assert "bob answers: " in explain(graded, "bob", id)

    said = explain(graded, "ann")
    assert "no check lost points" in said
    assert "explain counting ann double-by_hand" in said


def test_a_step_is_all_its_checks_that_lost_points_with_the_code_once(graded):
    said = explain(graded, "bob", "double")
    for check in ("double-by_hand", "double-drawn"):
        assert f"{check} of bob: failed" in said
    # A longer answer, as one that was drawn may be, stands on lines of its own.
    assert len(re.findall(r"^ *the solution answers", said, re.MULTILINE)) == 2
    assert said.count("What bob wrote: double") == 1
    assert "total-" not in said

    assert explain(graded, "ann", "double") == (
        "double of ann: no check lost points; its checks are double-by_hand and double-drawn\n"
    )


def test_one_lost_check_of_a_step_is_shown_whole(course):
    courses.submit(course, "bob", {**RIGHT, "total": SIZES_ALONE})
    call("grade", NAME, "--jobs", 1, cwd=course.root)
    assert explain(course, "bob", "total") == explain(course, "bob", "total-negative")


def test_who_is_meant_and_what_they_lack_is_said(graded):
    courses.class_list(graded, "id,name\nann,Ann Li\nrosa7,Rosa Álvarez\neve,\n")
    assert "submitted/eve/counting: eve handed in nothing" in refusal(graded, "eve")
    courses.submit(graded, "rosa7", RIGHT)
    assert "not graded yet; run autograder grade counting" in refusal(graded, "rosa7", "total")

    assert "nobody is called 'rosa'; did you mean rosa7?" in refusal(graded, "rosa")
    assert "nobody is called 'Álvares'; did you mean rosa7?" in refusal(graded, "Álvares")
    assert "nobody is called '../bob'; did you mean bob?" in refusal(graded, "../bob", "total")
    assert "ids look like ann, bob, eve and 1 more" in refusal(graded, "zzzz", "x")

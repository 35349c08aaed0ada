"""The course as a whole: final scores in all exercises, and their weighted total.

Three small exercises of 14, 12 and 14 points; the first two are due, the third is not.
"""

import csv
import io
import json
import re
from datetime import datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import autograder
from autograder.course import timestamp
from autograder.course.course import Course
from tests.support import courses, databases, whole_course
from tests.support.courses import NAME, RIGHT
from tests.support.final_scores import run
from tests.support.whole_course import submit

pytestmark = pytest.mark.usefixtures("graded_here")

SCHEMA = json.loads((Path(autograder.__file__).parent / "course-1.schema.json").read_text())
ANSWERED = {**RIGHT, "why": "It commutes."}
HALF = {**RIGHT, "total": "def total(x):\n    return 3.0\n"}
PEOPLE = """\
id,name,email
ada,Ada Lovelace,ada@example.org
bob,=1+1,bob@example.org
cyd,Cyd <b>C</b>,
dan,Dan,
eve,Eve,eve@example.org
fay,Fay,
"""
DUE = """\
course_name = "CS101"
time_zone = "UTC"
due.counting = "2026-11-01 12:00"
due.sums = "2026-11-02 12:00"
due.more = "2100-01-01 12:00"
"""
WEIGHTS = "[weights]\ncounting = 2\n"
NOW = datetime(2026, 11, 20)


def grade_everybody(course: Course) -> None:
    """ada is done; bob's sums are collected, cyd's counting is rejected; dan has more time for
    sums; eve has answered the question; fay handed in nothing."""
    whole_course.add_exercises(course)
    courses.class_list(course, PEOPLE)
    (course.state / "extensions.csv").write_text(
        "who,exercise,until\ndan,sums,2026-12-01 12:00 UTC\n"
    )
    settings(course, DUE + WEIGHTS)
    submit(course, "ada", "sums", RIGHT)
    submit(course, "eve", "sums", HALF)
    run(course, "grade", "sums", "--jobs", 1)
    for student, answers in (("ada", RIGHT), ("bob", HALF), ("eve", ANSWERED), ("cyd", RIGHT)):
        submit(course, student, NAME, answers)
    (course.submission("cyd", NAME) / f"{NAME}.ipynb").write_text("{")
    run(course, "grade", NAME, "--jobs", 1)
    submit(course, "bob", "sums", RIGHT)


made = courses.begun(grade_everybody)


@pytest.fixture
def whole(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Course:
    monkeypatch.setattr(timestamp, "now", lambda: NOW)
    course: Course = request.getfixturevalue("made")
    return course


def settings(course: Course, text: str) -> None:
    (course.state / "autograder.toml").write_text(text)


def told(course: Course, *options: object) -> dict[str, Any]:
    """What the report says in numbers."""
    data = json.loads(run(course, "report", "--json", "-", *options).stdout)
    jsonschema.validate(data, SCHEMA)
    return dict(data)


def totals(course: Course, *options: object) -> dict[str, float | None]:
    return {one["student"]: one["total"] for one in told(course, *options)["students"]}


def mean(**shares: tuple[float, float, float]) -> float:
    """The total by the rule: weight, score, maximum of each exercise."""
    earned = sum(Fraction(str(w)) * Fraction(str(s)) / Fraction(m) for w, s, m in shares.values())
    whole = sum(Fraction(str(w)) for w, _, _ in shares.values())
    return round(float(100 * earned / whole), 9)


ADA = mean(counting=(2, 10, 14), sums=(1, 10, 12))


def exported(course: Course, format: str, *options: object) -> list[dict[str, str]]:
    text = run(course, "export", "--to", format, "--output", "-", *options).stdout
    return list(csv.DictReader(io.StringIO(text)))


def test_totals_are_weighted_shares_and_who_has_none_is_told_why(whole):
    data = told(whole)
    assert [(one["name"], one["counts"], one["why_not"]) for one in data["exercises"]] == [
        (NAME, True, ""),
        ("more", False, "not due yet"),
        ("sums", True, ""),
    ]
    assert [round(one["share"], 6) for one in data["exercises"]] == [0.666667, 0, 0.333333]
    students = {one["student"]: one for one in data["students"]}
    assert {name: one["total"] for name, one in students.items()} == {
        "ada": ADA,
        "bob": None,
        "cyd": None,
        "dan": None,
        "eve": mean(counting=(2, 10, 14), sums=(1, 7, 12)),
        "fay": None,
    }
    assert [name for name, one in students.items() if one["final"]] == ["ada"]
    states = {
        name: (one["exercises"][NAME]["status"], one["exercises"]["sums"]["status"])
        for name, one in students.items()
    }
    assert states == {
        "ada": ("graded", "graded"),
        "bob": ("graded", "collected"),
        "cyd": ("rejected", "missing"),
        "dan": ("missing", "open"),
        "eve": ("graded", "graded"),
        "fay": ("missing", "missing"),
    }
    said = run(whole, "report").stdout
    for line in (
        "eve 10* – 7 67.06* counting: waits for your marks",
        "bob 7 – collected – sums: is not graded yet",
        "dan – – – – counting: handed in nothing; sums: has time until 1 December 2026, 12:00 UTC",
        "2 of 6 students have a total, 1 of these not final, mean 71.2 of 100",
    ):
        assert line in " ".join(said.split()), said


def test_only_who_handed_in_nothing_and_has_no_time_left_may_be_zero(whole):
    found = totals(whole, "--missing-as-zero")
    assert {name for name, total in found.items() if total is None} == {"bob", "cyd", "dan"}
    assert found["fay"] == 0
    rows = {row["student"]: row for row in exported(whole, "csv", "--missing-as-zero")}
    assert [rows["dan"][name] for name in (NAME, "sums", "more", "total")] == ["0", "", "", ""]
    notes = run(whole, "export", "--missing-as-zero").stderr.splitlines()
    assert "zero: fay: sums: missing" in notes and "not in the total: more: not due yet" in notes
    refused = run(whole, "report", NAME, "--missing-as-zero", code=2).stderr
    assert "is for the whole course; leave the exercise out" in refused


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ("", mean(counting=(1, 10, 14), sums=(1, 10, 12))),
        ("[weights]\ncounting = 20\nsums = 10", ADA),
        ("[weights]\ncounting = 0.2\nsums = 0.1", ADA),
        ("[weights]\ncounting = 0", mean(sums=(1, 10, 12))),
        ("[weights]\ncounting = 0\nsums = 0", None),
    ],
)
def test_weights_need_not_add_up_to_anything(whole, weights, expected):
    settings(whole, DUE + weights)
    assert totals(whole)["ada"] == expected


def test_an_exercise_counts_once_it_is_due_and_one_without_a_date_once_it_is_there(
    whole, monkeypatch
):
    submit(whole, "ada", "more", RIGHT)
    assert totals(whole)["ada"] == ADA, "not due yet, whatever came in"

    monkeypatch.setattr(timestamp, "now", lambda: datetime(2100, 1, 2))
    done = {one["student"]: one for one in told(whole)["students"]}
    assert done["ada"]["total"] is None
    assert done["ada"]["exercises"]["more"]["why"] == "is not graded yet"
    assert done["dan"]["exercises"]["sums"]["status"] == "missing", "the extension is over"

    monkeypatch.setattr(timestamp, "now", lambda: NOW)
    settings(whole, DUE.replace("due.more", "# due.more") + WEIGHTS)
    run(whole, "grade", "more", "--jobs", 1)
    expected = mean(counting=(2, 10, 14), sums=(1, 10, 12), more=(1, 10, 14))
    assert totals(whole)["ada"] == expected


def test_what_nobody_was_given_yet_is_named_and_counts_nothing(whole):
    settings(whole, DUE.replace("due.more", "# due.more") + WEIGHTS)
    data = told(whole)
    assert data["not_handed_out"] == ["more"]
    assert [one["name"] for one in data["exercises"]] == [NAME, "sums"]
    assert "not handed out yet: more" in run(whole, "report").stdout
    assert totals(whole)["ada"] == ADA


def test_a_total_follows_marks_and_rules_at_once(whole):
    database = databases.of(whole)
    database.execute(
        "UPDATE grade SET manual_score = 3.1, needs_manual_grade = 0 WHERE needs_manual_grade = 1"
    )
    eve = next(one for one in told(whole)["students"] if one["student"] == "eve")
    assert eve["final"] and eve["total"] == mean(counting=(2, 13.1, 14), sums=(1, 7, 12))

    settings(whole, DUE.replace("due.sums", "# due.sums") + 'due.sums = "2026-09-01 12:00"\n')
    (whole.root / "autograder.toml").write_text('[late]\nrule = "zero"\n')
    assert totals(whole)["ada"] == mean(counting=(1, 10, 14), sums=(1, 0, 12))


def test_every_format_that_can_hold_them_has_a_column_for_each_exercise(whole):
    rows = exported(whole, "csv")
    assert list(rows[0]) == ["student", "name", NAME, "more", "sums", "total", "not_final"]
    by_student = {row["student"]: row for row in rows}
    assert (by_student["ada"]["total"], by_student["ada"]["not_final"]) == (f"{ADA:.9f}", "")
    assert by_student["bob"]["name"] == "'=1+1" and by_student["bob"]["total"] == ""
    assert by_student["bob"]["not_final"] == "sums: is not graded yet"

    canvas = exported(whole, "canvas")
    assert [canvas[0][name] for name in (NAME, "more", "sums", "course total")] == [
        "14",
        "14",
        "12",
        "100",
    ]
    assert (canvas[2][NAME], canvas[2]["sums"], canvas[2]["course total"]) == ("7", "", "")

    moodle = exported(whole, "moodle")
    assert (moodle[1]["Email address"], moodle[1][NAME], moodle[1]["sums"]) == (
        "bob@example.org",
        "7",
        "-",
    )
    text = run(whole, "export", "--to", "json", "--output", "-").stdout
    jsonschema.validate(json.loads(text), SCHEMA)
    for format in ("csv", "json", "canvas", "moodle"):
        run(whole, "export", "--to", format)
    names = {path.name for path in (whole.state / "exports" / "course").iterdir()}
    assert names == {"grades.csv", "grades.json", "canvas.csv", "moodle.csv"}


@pytest.mark.parametrize("format", ["gradescope", "gradescope-zip", "classroom50", "sources"])
def test_a_format_of_one_exercise_is_refused_in_one_line(course, format):
    said = run(course, "export", "--to", format, code=2).stderr
    assert f"--to {format}: holds one exercise; name it, or write --to csv, json" in said


def test_what_a_whole_course_cannot_take_is_refused_in_one_line(course):
    said = run(course, "export", "--to", "moodle", "--fill", "x.csv", code=2).stderr
    assert "--fill: does not work for a whole course in moodle; name an exercise" in said
    said = run(course, "report", code=2).stderr
    assert "no exercise is handed out yet, and nothing is collected; run autograder release" in said


def test_canvas_gets_what_it_has_assignments_for(whole, tmp_path):
    path = tmp_path / "canvas.csv"
    path.write_text(
        "Student,ID,SIS User ID,SIS Login ID,Section,counting (41),Other (42),Course (43)\n"
        "    Points Possible,,,,,14,10,100\n"
        "Ada Lovelace,7,,ada,,,3,\n"
        "Eve,8,,eve,,1,4,\n"
    )
    options = ("--fill", path, "--column", "Course")
    done = run(whole, "export", "--to", "canvas", "--output", "-", *options)
    rows = list(csv.reader(io.StringIO(done.stdout)))
    assert rows[0][5:] == ["counting (41)", "Course (43)"]
    assert [row[5:] for row in rows[2:]] == [["10", f"{ADA:.9f}"], ["10", "67.063492063"]]
    assert f"not in {path}: no assignment is called sums" in done.stderr.splitlines()
    path.write_text(path.read_text().replace(",14,", ",15,"))
    refused = run(whole, "export", "--to", "canvas", *options, code=2).stderr
    assert "counting (41) has 15 points, the exercise 14" in refused


def test_more_than_moodle_imports_is_left_out_and_said(whole):
    database = databases.of(whole)
    database.execute("UPDATE grade SET extra_credit = 30 WHERE auto_score = 5")
    done = run(whole, "export", "--to", "moodle", "--output", "-")
    above = [line for line in done.stderr.splitlines() if line.startswith("left out: ")]
    rows = {row["id"]: row for row in csv.DictReader(io.StringIO(done.stdout))}
    assert above == [] and rows["ada"]["total"] == f"{ADA:.9f}"

    database.execute("UPDATE grade SET extra_credit = 99 WHERE auto_score = 3")
    done = run(whole, "export", "--to", "moodle", "--output", "-")
    rows = {row["id"]: row for row in csv.DictReader(io.StringIO(done.stdout))}
    assert rows["ada"]["total"] == rows["ada"][NAME] == "-"
    assert "is above 100, where Moodle stops the whole import" in done.stderr


def test_without_names_a_course_has_pseudonyms_and_no_words(whole):
    text = run(whole, "export", "--anonymous", "--output", "-").stdout
    for word in ("ada", "Ada", "eve", "until", "example.org", "marks"):
        # Alone: the letters of a pseudonym may spell it.
        assert not re.search(rf"\b{re.escape(word)}\b", text), word
    found = sorted(filter(None, (row["total"] for row in csv.DictReader(io.StringIO(text)))))
    assert found == sorted([f"{ADA:.9f}", "67.063492063"])


def test_scores_from_before_a_change_are_not_passed_on(whole):
    (whole.root / "autograder.toml").write_text("carried = 0.5\n")
    said = run(whole, "export", code=2).stderr
    assert "the settings changed after" in said and "run autograder grade" in said
    ada = next(one for one in told(whole)["students"] if one["student"] == "ada")
    assert not ada["final"]
    assert ada["exercises"][NAME]["why"] == "graded before something was changed"


def test_an_exercise_that_would_take_the_courses_place_is_refused(course):
    built = course.root / "solutions" / "course" / "course.ipynb"
    built.parent.mkdir()
    built.write_text("{}")
    built.parent.with_suffix(".py").touch()
    said = run(course, "report", code=2).stderr
    assert "the whole course has that name in reports and exports; rename it" in said


def test_who_is_on_no_class_list_and_in_one_exercise_alone_is_there(whole):
    submit(whole, "zoe", "sums", RIGHT)
    zoe = next(one for one in told(whole)["students"] if one["student"] == "zoe")
    assert zoe["exercises"][NAME]["status"] == "missing"
    assert zoe["exercises"]["sums"]["status"] == "collected" and zoe["total"] is None

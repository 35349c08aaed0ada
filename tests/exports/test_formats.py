"""Exports: each is read as its platform reads it; nothing is lost, guessed, computed by a
spreadsheet, or told too early."""

import ast
import csv
import io
import json
import os
import re
import stat
import subprocess
import sys
import zipfile
from collections import defaultdict
from dataclasses import fields, replace
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder import cli
from autograder.base import files, settings
from autograder.base.result import CheckResult, Result, StepResult
from autograder.base.settings import Settings
from autograder.commands import teachers
from autograder.course.collecting import downloads
from autograder.course.course import Course
from autograder.course.gradebook.final_grades import of_class
from autograder.course.results import result_path
from autograder.show.exports import export as exports
from autograder.show.exports import gradescope, gradescope_zip, safe_csv
from autograder.submissions.parse import parse
from tests.support import courses, databases, platforms
from tests.support.courses import ALL_CHECKS, NAME, RIGHT
from tests.support.exported import EVIL, SCORES, rows_of, run
from tests.support.processes import finished, modules

# nbgrader's own code, not ours.
pytestmark = pytest.mark.usefixtures("graded_here")

ROOT = Path(__file__).resolve().parents[2]


def place(course: Course, file: str) -> Path:
    return course.state / "exports" / NAME / file


def test_the_final_score_is_automatic_or_by_hand_with_extra_credit_less_the_penalty(graded):
    assert {
        one.student: one.score for one in of_class(graded, courses.load(graded)).grades
    } == SCORES


def test_without_results_an_export_says_what_to_do(course):
    said = run(code=2)
    assert said.endswith(f"no results yet; run autograder grade {NAME}\n")


def test_an_unknown_format_and_an_option_of_another_one_get_one_line(course):
    said = run("--to", "excel", code=2)
    assert (
        said == f"autograder: --to excel: no such format; there are: {', '.join(exports.FORMATS)}\n"
    )
    said = run("--to", "csv", "--fill", "x.csv", code=2)
    assert said == "autograder: --fill: does not work with --to csv; only with canvas, moodle\n"


def test_who_has_no_score_is_listed_and_empty_and_only_missing_ones_can_be_zero(graded):
    said = run("--to", "canvas")
    assert [line for line in said.splitlines() if not line.startswith("no Canvas")] == [
        "empty: eve: rejected, not a notebook",
        "empty: fay: error, the grader failed",
        "empty: gil: missing",
        "automatic score alone: cyd: not in the gradebook",
    ]
    empty = {row["Student"]: row[NAME] for row in rows_of(place(graded, "canvas.csv")) if row["ID"]}
    assert [empty[name] for name in ("Eve Curie", "Fay Ajzenberg", "Gil Amelio")] == ["", "", ""]
    said = run("--to", "canvas", "--missing-as-zero")
    assert "zero: gil: missing" in said
    zero = {row["Student"]: row[NAME] for row in rows_of(place(graded, "canvas.csv")) if row["ID"]}
    assert zero == {**empty, "Gil Amelio": "0"}


def test_of_many_notes_of_a_kind_the_first_are_printed(graded, monkeypatch):
    monkeypatch.setattr(teachers, "NOTES", 1)
    said = run("--to", "csv")
    assert said.splitlines() == [
        "empty: eve: rejected, not a notebook",
        "empty: and 2 more",
        "automatic score alone: cyd: not in the gradebook",
    ]


def test_students_of_whom_the_same_is_said_share_a_line():
    notes = [f"not in a.csv: s{place}" for place in range(12)]
    notes += ["not in a.csv: no assignment is called sums"]
    notes += [
        f"graded before a change: {who}: with other settings" for who in ("ann", "bob", "cyd")
    ]
    notes += [f"left as it is: {who}, Cyd: is excused" for who in ("Byron", "Noyce", "Ray")]
    notes += ["empty: ann: missing", "empty: bob: missing", "empty: cyd: rejected"]
    assert list(teachers._first_of_each_kind(notes)) == [
        "not in a.csv: s0, s1, s2, s3, s4, s5, s6, s7, s8, s9 and 2 more",
        "not in a.csv: no assignment is called sums",
        "graded before a change: ann, bob and cyd: with other settings",
        "left as it is: Byron, Cyd: is excused",
        "left as it is: Noyce, Cyd: is excused",
        "left as it is: Ray, Cyd: is excused",
        "empty: ann: missing",
        "empty: bob: missing",
        "empty: cyd: rejected",
    ]


def test_scores_that_may_still_change_are_said(graded):
    databases.of(graded).by_hand("why", "ada", needs_manual_grade=True)
    databases.of(graded).by_hand("total-by_hand", "+hal", auto_score=1.0)
    said = run()
    assert "not final: ada: waits for a person's marks\n" in said
    assert (
        "unlike the result: +hal: the gradebook has other points; run autograder grade again\n"
        in said
    )


def test_csv_rows_of_a_student_add_up_to_the_final_score(graded):
    run()
    rows = rows_of(place(graded, "grades.csv"))
    sums: dict[str, float] = defaultdict(float)
    for row in rows:
        if row["score"]:
            sums[row["student"].removeprefix("'")] += float(row["score"])
    assert sums == {student: score for student, score in SCORES.items() if score is not None}
    keys = [(row["student"], row["step"], row["category"]) for row in rows]
    assert len(set(keys)) == len(keys)
    ada = {
        (row["step"], row["category"]): (row["score"], row["max_score"])
        for row in rows
        if row["student"] == "ada"
    }
    assert ada == {
        ("double", "values"): ("2", "2"),
        ("double", "edge cases"): ("3", "3"),
        ("total", "row sums"): ("5", "5"),
        ("why", "by hand"): ("3.5", "4"),
        ("", "extra credit"): ("1", "0"),
    }
    assert ("bob", "", "late penalty") in keys
    assert [
        (row["status"], row["score"], row["max_score"]) for row in rows if row["student"] == "eve"
    ] == [("rejected", "", "14")]


def test_csv_goes_to_standard_output_and_the_rest_to_standard_error(graded, capfdbinary):
    said = run("--output", "-")
    out, _ = capfdbinary.readouterr()
    assert len(list(csv.reader(io.StringIO(out.decode(), newline="")))) > 10
    assert "empty: gil" in said and b"wrote" not in out and "wrote" not in said
    assert not place(graded, "grades.csv").exists()


@pytest.mark.parametrize("format", ["csv", "canvas"])
def test_names_on_the_class_list_are_no_formulas(graded, format):
    run("--to", format)
    data = place(graded, exports.FORMATS[format].file).read_bytes().decode()
    found = [cell for row in csv.reader(io.StringIO(data, newline="")) for cell in row]
    assert f"'{EVIL}" in found and "'+hal" in found
    assert not [
        cell
        for cell in found
        if re.match(r"[=+\-@\t\r]", cell) and not re.fullmatch(r"-?\d+(\.\d+)?", cell)
    ]


@given(
    st.text(
        alphabet=st.sampled_from("=+-@\t\r\n ＝＋－＠'\";,.01aé\x00\x1b\u202e\ud800"), max_size=8
    )
)
def test_no_text_becomes_a_formula_or_another_cell(text):
    (row,) = csv.reader(io.StringIO(safe_csv.table([["a", text, "b"]]).decode(), newline=""))
    assert len(row) == 3
    assert re.fullmatch(r"[+-]?\d+([.,]\d+)?|-", row[1]) or not re.match(
        r"\s*[=+\-@＝＋－＠]|[\t\r\n]", row[1]
    )
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202e]", row[1])


def opened(data: bytes, delimiter: str) -> list[str]:
    """The cells of a table as a program finds them that expects this separator."""
    text = data.decode()
    return [
        cell
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        for cell in row
    ]


@pytest.mark.parametrize("written", [",", ";"])
@pytest.mark.parametrize("read", [",", ";", "\t"])
@pytest.mark.parametrize(
    "text",
    [
        "Ada;=HYPERLINK(1)",
        "Ada,=1+1",
        "Ada\t@SUM(1)",
        'Ada;"=1+1',
        "Ada; -2+3+cmd|' /C calc'!A0",
        "a\n=1+1",
    ],
)
def test_no_separator_makes_a_formula_of_a_text(text, read, written):
    cells = opened(safe_csv.table([["a", text, "b"]], written), read)
    assert not [cell for cell in cells if re.match(r'[\s"]*[=+\-@]', cell)]


@pytest.mark.parametrize("text", ["good ;-)", "task 2, -5 points", "a; b = c", "x, +1", "1;-2"])
def test_what_is_no_formula_behind_a_separator_stays(text):
    assert safe_csv.safe(text) == text


@given(st.floats(-1000, 1000))
def test_a_score_is_read_back_as_it_was(score):
    assert float(safe_csv.number(score)) == pytest.approx(score, abs=1e-9)
    assert re.fullmatch(r"-?\d+(\.\d*[1-9])?", safe_csv.number(score)) and "0" == safe_csv.number(
        -0.0
    ) == safe_csv.number(-1e-12)


def test_canvas_takes_what_is_made_from_the_class_list(graded):
    run("--to", "canvas", "--column", "Counting (77)")
    known = {
        9000 + place: (name, "", "")
        for place, name in enumerate(
            ["nobody", "Ada", "Bob", "Cyd", "Dan", "Eve", "Fay", "Gil", "Hal"]
        )
    }
    taken = platforms.canvas_import(
        place(graded, "canvas.csv").read_bytes(), {77: "Counting"}, known
    )
    assert (taken["new"], taken["unknown"], taken["points"]) == ([], [], {77: "14"})
    scores = dict(zip(SCORES, range(9001, 9009)))
    assert {id: grade[77] for id, grade in taken["grades"].items()} == {
        scores[student]: "" if score is None else f"{score:g}" for student, score in SCORES.items()
    }


def canvas_export(delimiter: str = ",") -> str:
    lines = [
        [
            "Student",
            "ID",
            "SIS User ID",
            "SIS Login ID",
            "Section",
            "Quiz (12)",
            "counting (77)",
            "Current Score",
        ],
        ["    Points Possible", "", "", "", "", "5", "14.00", "(read only)"],
        ["", "", "", "", "", "Manual Posting", "", ""],
        ["Byron, Ada", "9001", "s1", "ada@school.example", "A", "4", "", "80"],
        ["Noyce, Robert", "5550", "bob", "noyce", "A", "5", "", "100"],
        ["Charisse, Cyd", "5551", "", "", "B", "=1+1", "3", ""],
        ["Curie, Eve", "9005", "", "", "B", "", "EX", ""],
        ["Bricklin, Dan", "9001", "", "", "B", "", "", ""],
        ["Student, Test", "7000", "", "abc", "A", "1", "", ""],
        ["Mr. Points Possible", "9006", "", "", "A", "1", "99", ""],
    ]
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter).writerows(lines)
    return out.getvalue()


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_canvas_export_is_filled_and_nothing_else_in_it_can_be_imported(
    graded, tmp_path, delimiter
):
    given = tmp_path / "grades.csv"
    given.write_text(canvas_export(delimiter), encoding="utf-8-sig")
    said = run("--to", "canvas", "--fill", given)
    data = place(graded, "canvas.csv").read_bytes().removeprefix(b"\xef\xbb\xbf")
    taken = platforms.canvas_import(
        data,
        {12: "Quiz", 77: "counting"},
        dict.fromkeys((9001, 5550, 5551, 9005, 7000, 9006), ("", "", "")),
    )
    assert taken["new"] == [] and taken["points"] == {77: "14.00"}
    # Two lines say 9001: neither is filled. Eve was rejected, and excused by hand.
    assert {id: grade[77] for id, grade in taken["grades"].items()} == {
        9001: "",
        5550: "2.5",
        5551: "7",
        9005: "EX",
        7000: "",
        9006: "99",
    }
    assert "left as it is: Student, Test: is nobody in students.csv\n" in said
    assert (
        "left as it is: Bricklin, Dan: the name is that of dan, but the number, login or address is that of ada\n"
        in said
    )
    assert "not in" in said and "+hal" in said


@pytest.mark.parametrize("said", ["EX", "ex", "Excused"])
def test_somebody_excused_in_canvas_stays_excused(graded, tmp_path, said):
    given = tmp_path / "grades.csv"
    text = canvas_export().replace("5551,,,B,=1+1,3", f"5551,,,B,=1+1,{said}")
    text += f'"Amelio, Gil",5557,,gil,B,,{said},\r\n'
    given.write_text(text, encoding="utf-8")
    for options in ([NAME], []):
        done = finished(
            "export",
            *options,
            "--to",
            "canvas",
            "--fill",
            given,
            "--missing-as-zero",
            "--output",
            "-",
            cwd=graded.root,
        )
        rows = {row["ID"]: row["counting (77)"] for row in csv.DictReader(io.StringIO(done.stdout))}
        assert (rows["5551"], rows["5557"], rows["5550"]) == (said, said, "2.5")
        for name in ("Charisse, Cyd", "Amelio, Gil"):
            assert f"left as it is: {name}: excused from counting in Canvas" in done.stderr


def test_a_row_of_postings_may_be_as_long_as_canvas_likes(graded, tmp_path):
    given = tmp_path / "grades.csv"
    for posting in (",,,,,Manual Posting,,,,,", ",,,,,,Manuelle Veröffentlichung"):
        text = canvas_export().replace(",,,,,Manual Posting,,", posting)
        given.write_text(text, encoding="utf-8")
        run("--to", "canvas", "--fill", given)
        assert b",2.5" in place(graded, "canvas.csv").read_bytes()


@pytest.mark.parametrize(
    "title", ["Final Grade", "final score", "Unposted Current Score", "Homework Current Points"]
)
def test_columns_that_canvas_computes_are_not_written(graded, tmp_path, title):
    given = tmp_path / "grades.csv"
    given.write_text(canvas_export().replace("Current Score", title), encoding="utf-8")
    for options in (("--fill", given), ()):
        said = run("--to", "canvas", *options, "--column", title, code=2)
        assert f"--column {title}: Canvas ignores that column" in said


def test_who_is_listed_as_canvas_exports_them_is_found_by_its_number(graded):
    courses.class_list(
        graded,
        "Student,ID,SIS User ID,SIS Login ID,Section\n    Points Possible,,,,\n"
        '"Byron, Ada",4711,,ada@school.example,A\n',
    )
    run("--to", "canvas")
    rows = {row["SIS Login ID"]: row["ID"] for row in rows_of(place(graded, "canvas.csv"))}
    assert rows["ada@school.example"] == "4711" and rows["bob"] == ""


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            ("counting (77)", "Homework (77)"),
            "no assignment is called counting; name one with --column; there are: Quiz (12), Homework (77)",
        ),
        (("14.00", "50"), "counting (77) has 50 points, the exercise 14"),
        (("Section", "Group"), "is not a gradebook of Canvas"),
        (("Quiz (12)", "Counting (13)"), "several assignments are called counting"),
        (("B,,,", "B,,"), "is not a table with a header and lines of equal length"),
    ],
)
def test_a_gradebook_that_does_not_fit_is_refused(graded, tmp_path, change, says):
    given = tmp_path / "grades.csv"
    given.write_text(canvas_export().replace(*change), encoding="utf-8")
    error = run("--to", "canvas", "--fill", given, code=2)
    assert says in error and error.count("\n") == 1
    assert not place(graded, "canvas.csv").exists()


MOODLE = [
    (101, "Ada Byron", "ada@school.example"),
    (52, "Bob Noyce", ""),
    (53, "Charisse Cyd", "Cyd@School.example"),
    (54, "Dan Bricklin", "eve@school.example"),
    (105, "Eve Curie", ""),
    (55, "Somebody Else", "else@school.example"),
    (56, EVIL, "hal@school.example"),
]


@pytest.mark.parametrize("language", platforms.WORKSHEETS)
def test_moodles_worksheet_is_filled_in_any_language_and_nothing_is_guessed(
    graded, tmp_path, language
):
    given = tmp_path / "Grades-CS101.csv"
    comments = {52: "well, done", 53: 'two\nlines, and "quotes"'}
    given.write_bytes(platforms.worksheet(language, MOODLE, comments=comments, grades={105: "3"}))
    before = list(csv.reader(io.StringIO(given.read_bytes().decode("utf-8-sig"), newline="")))
    databases.of(graded).by_hand(
        "why", "ada", manual_score=3.0, extra_credit=0.0, needs_manual_grade=False
    )
    said = run("--to", "moodle", "--fill", given)
    data = place(graded, "moodle.csv").read_bytes()
    # Eve was rejected: the grade that Moodle has stands.
    assert platforms.moodle_import(data, language, 14) == {101: 13, 52: 2.5, 53: 7, 56: 10, 105: 3}
    after = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    changed = {
        (place, column)
        for place, row in enumerate(before)
        for column, cell in enumerate(row)
        if after[place][column] != cell
    }
    assert changed == {(1, 4), (2, 4), (3, 4), (7, 4), (7, 1)} and after[7][1] == f"'{EVIL}"
    assert (
        "Dan Bricklin: the name is that of dan, but the number, login or address is that of eve\n"
        in said
    )
    assert "Somebody Else: is nobody in students.csv\n" in said
    assert f"not in {given}: dan\n" in said


@pytest.mark.parametrize("language", platforms.WORKSHEETS)
def test_a_grade_that_moodle_has_locked_stays_and_is_listed(graded, tmp_path, language):
    given = tmp_path / "Grades-CS101.csv"
    data = platforms.worksheet(language, MOODLE, comments={}, grades={105: "3"})
    rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    rows[1][6] = {"en": "No", "de": "Nein", "ja": "いいえ"}[language]
    rows[2][4] = "-"
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    given.write_text(out.getvalue(), encoding="utf-8")
    said = run("--to", "moodle", "--fill", given, "--missing-as-zero")
    filled = list(csv.reader(io.StringIO(place(graded, "moodle.csv").read_text(encoding="utf-8"))))
    assert (filled[1][4], filled[2][4]) == ("", "2.5")
    assert "Ada Byron: Moodle says that this grade cannot be changed" in said


def test_moodle_without_a_class_list_finds_students_as_collecting_called_them(graded, tmp_path):
    (graded.state / "students.csv").unlink()
    result = json.loads(result_path(graded, NAME, "bob").read_text())
    files.write(
        result_path(graded, NAME, "Bob_Noyce"),
        json.dumps({**result, "student": "Bob_Noyce"}).encode(),
    )
    given = tmp_path / "worksheet.csv"
    given.write_bytes(
        platforms.worksheet("en", [(1, "Bob Noyce", ""), (2, "Ada Byron", ""), (3, "cyd", "")])
    )
    run("--to", "moodle", "--fill", given)
    assert platforms.moodle_import(place(graded, "moodle.csv").read_bytes(), "en", 14) == {
        1: 4,
        3: 7,
    }


def test_two_people_of_one_name_are_told_apart_or_left_alone(graded, tmp_path):
    given = tmp_path / "worksheet.csv"
    given.write_bytes(
        platforms.worksheet(
            "en", [(1, "Bob Noyce", ""), (2, "Bob Noyce", ""), (103, "Bob Noyce", "")]
        )
    )
    said = run("--to", "moodle", "--fill", given)
    assert platforms.moodle_import(place(graded, "moodle.csv").read_bytes(), "en", 14) == {}
    assert said.count("one of 2 lines of bob") == 2


def test_more_points_than_moodle_takes_are_said(graded, tmp_path):
    given = tmp_path / "worksheet.csv"
    given.write_bytes(platforms.worksheet("en", MOODLE))
    said = run("--to", "moodle", "--fill", given)
    assert "above Moodle's maximum: ada: 14.5; Moodle skips it, enter it by hand\n" in said


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (
            platforms.worksheet("de", MOODLE, most=100),
            "Moodle's maximum is 100 points, the exercise has 14",
        ),
        (
            platforms.worksheet("en", MOODLE).replace(b"14.00", b"Good"),
            "no column is the grade with its maximum next to it",
        ),
        (
            b"ID,Name,Raum,Haus,Note,Max\nNr. 1,Ada,,7,,14\nNr. 2,Bob,,7,,14\n",
            "several columns may be the grade",
        ),
        (b"name,grade\nAda,\n", "is not a grading worksheet with a participant in each line"),
        (b"", "is not a table"),
        (b"\xff\xfe\x00\x00\xd8", "as CSV in UTF-8"),
        (b'Identifier,"Full name\n', "is not a table"),
    ],
)
def test_a_worksheet_that_does_not_fit_is_refused(graded, tmp_path, data, says):
    given = tmp_path / "worksheet.csv"
    given.write_bytes(data)
    error = run("--to", "moodle", "--fill", given, code=2)
    assert says in error and error.count("\n") == 1


def test_english_headings_settle_which_of_several_columns_is_the_grade(graded, tmp_path):
    given = tmp_path / "worksheet.csv"
    given.write_bytes(
        b"Identifier,Full name,Room,House,Grade,Maximum Grade\nParticipant 52,Bob Noyce,,7,,14.00\n"
    )
    run("--to", "moodle", "--fill", given)
    assert (
        place(graded, "moodle.csv").read_bytes().splitlines()[1]
        == b"Participant 52,Bob Noyce,,7,2.5,14.00"
    )


def test_what_an_export_says_is_one_line_each_and_no_command(graded, tmp_path):
    given = tmp_path / "worksheet.csv"
    given.write_bytes(platforms.worksheet("en", [(7, "Eva\n##[error] \x1b[31mEvil", "")]))
    said = run("--to", "moodle", "--fill", given)
    assert (
        "left as it is: Participant 7, Eva ## [error] \N{REPLACEMENT CHARACTER}[31mEvil: is nobody"
        in said
    )


def test_moodle_needs_the_file_that_it_fills(graded, tmp_path):
    said = run("--to", "moodle", code=2)
    assert "name what you downloaded with --fill FILE" in said
    said = run("--to", "moodle", "--fill", tmp_path / "gone.csv", code=2)
    assert "gone.csv" in said


def disclose(course: Course, hidden: str) -> None:
    (course.root / "autograder.toml").write_text(
        f'feedback.hidden = "{hidden}"\n', encoding="utf-8"
    )


def named(course: Course, student: str) -> None:
    """Give the stored failures of a student what no student may read: a misconception's name; and a
    hint."""
    path = result_path(course, NAME, student)
    data = json.loads(path.read_bytes())
    for step in data["steps"]:
        for check in step["checks"]:
            if check["status"] == "failed":
                check |= {"misconception": "off_by_one_doubling", "hint": "What is two plus two?"}
                check["message"] = (
                    f"{'HIDDEN' if check['hidden'] else 'VISIBLE'} says \x1b[31mno\x1b[0m"
                )
    files.write(path, json.dumps(data).encode())


@pytest.mark.parametrize("hidden", ["message", "points", "never"])
def test_gradescopes_results_fit_its_format_and_tell_students_what_the_course_lets_them(
    graded, hidden
):
    disclose(graded, hidden)
    named(graded, "bob")
    run("--to", "gradescope")
    folder = place(graded, "gradescope")
    assert sorted(path.name for path in folder.iterdir()) == ["+hal", "ada", "bob", "cyd"]
    for path in folder.glob("*/results.json"):
        jsonschema.validate(json.loads(path.read_bytes()), platforms.GRADESCOPE)
    text = (folder / "bob" / "results.json").read_text(encoding="utf-8")
    data = json.loads(text)
    assert data["score"] == SCORES["bob"] and "off_by_one" not in text and "\\u001b" not in text
    known = {check.sentence: check.hidden for check in courses.load(graded).checks}
    for test in data["tests"]:
        sentence = test["name"].partition(": ")[2]
        assert test["visibility"] == (
            "visible" if known.get(sentence) is False else "after_published"
        )
    # Gradescope shows a total only where every test is visible.
    assert {test["visibility"] for test in data["tests"]} == {"visible", "after_published"}
    later = [test for test in data["tests"] if test["visibility"] == "after_published"]
    assert ("HIDDEN" in text) == (hidden == "message")
    assert [test["name"] for test in later if test["name"].partition(": ")[2] in known] == (
        []
        if hidden == "never"
        else ["double: Drawn numbers are doubled.", "total: Negative numbers count too."]
    )
    assert later[-1]["output"] == "Late penalty: -1.5 points"
    checks = sum(test.get("score", 0) for test in data["tests"])
    assert (checks, sum(test.get("max_score", 0) for test in data["tests"])) == (4, 10)


def test_a_check_for_no_points_that_fails_is_not_shown_as_passed(graded):
    result, known = (
        Result.from_json(result_path(graded, NAME, "bob").read_bytes()),
        courses.load(graded),
    )
    of = {"category": "values", "points": 0.0, "earned": 0.0, "hidden": False}
    step = StepResult(
        "more",
        (
            CheckResult("wrong", status="failed", **of),
            CheckResult("right", status="passed", **of),
            CheckResult("void", status="passed", void=True, **of),
        ),
    )
    result = replace(result, steps=(*result.steps, step))
    tests = gradescope.results(known, result, "message")["tests"]
    shown = {test["name"]: test["status"] for test in tests}
    assert shown["more: wrong"] == "failed"
    assert shown["more: right"] == shown["more: void"] == "passed"


def test_an_export_of_a_folder_leaves_nobody_from_the_last_time_and_never_touches_another_folder(
    graded, tmp_path
):
    run("--to", "gradescope")
    result_path(graded, NAME, "cyd").unlink()
    run("--to", "gradescope")
    assert not (place(graded, "gradescope") / "cyd").exists()
    assert [path.name for path in place(graded, "").iterdir()] == ["gradescope"]
    mine = tmp_path / "thesis"
    files.write(mine / "thesis.tex", b"years of work")
    run("--to", "gradescope", "--output", mine, code=2)
    run("--to", "gradescope", "--output", "-", code=2)
    assert [path.name for path in mine.iterdir()] == ["thesis.tex"]
    run("--to", "gradescope", "--output", tmp_path / "new")
    assert (tmp_path / "new" / "ada" / "results.json").is_file()


@pytest.mark.parametrize("hidden", ["message", "points", "never"])
def test_classroom50_takes_the_results_in_whole_points(graded, hidden):
    disclose(graded, hidden)
    named(graded, "bob")
    said = run("--to", "classroom50", "--classroom", "school/cs-101")
    for path in place(graded, "classroom50").glob("*/result.json"):
        data = json.loads(path.read_bytes())
        jsonschema.validate(data, platforms.CLASSROOM50)
        assert platforms.classroom50_takes(data, "cs-101", NAME, path.parent.name)
    text = (place(graded, "classroom50") / "bob" / "result.json").read_text(encoding="utf-8")
    data = json.loads(text)
    assert (data["score"], data["max-score"]) == (3, 14) and data[
        "commit"
    ] == f"https://github.com/school/cs-101-{NAME}-bob"
    assert (data["graded_at"], data["submission"][-7:]) == ("2026-03-01T20:30:00Z", "abababa")
    assert not re.search("off_by_one|says|two plus two|Drawn", text)
    assert [test["test-name"] for test in data["tests"]] == [
        id for id in ALL_CHECKS if hidden != "never" or "by_hand" in id
    ]
    assert "rounded: bob: 2.5 is 3 there\n" in said and "rounded: ada: 14.5 is 14 there\n" in said


def test_classroom50_without_a_name_takes_the_courses_own(graded):
    run("--to", "classroom50")
    data = json.loads((place(graded, "classroom50") / "ada" / "result.json").read_bytes())
    jsonschema.validate(data, platforms.CLASSROOM50)
    assert platforms.classroom50_takes(data, graded.id(), NAME, "ada")


def test_json_holds_results_and_marks(graded):
    run("--to", "json")
    data = json.loads(place(graded, "grades.json").read_bytes())
    schema = json.loads((ROOT / "autograder" / "result-1.schema.json").read_bytes())
    students = {one["student"]: one for one in data["students"]}
    assert {student: one["score"] for student, one in students.items()} == SCORES and data[
        "max_score"
    ] == 14
    for one in students.values():
        if one["result"] is not None:
            jsonschema.validate(one["result"], schema)
        if one["score"] is not None:
            assert sum(part["score"] for part in one["parts"]) == one["score"]
    ada, bob = students["ada"]["marks"], students["bob"]["marks"]
    assert [ada[name] for name in ("automatic", "by_hand", "extra_credit", "late_penalty")] == [
        10,
        3.5,
        1,
        0,
    ]
    assert (
        bob["late_penalty"] == 1.5
        and students["cyd"]["marks"] is None
        and students["dan"]["result"] is None
    )


def test_sources_are_what_students_wrote_and_a_template_apart(graded):
    own = {
        "double": "def double(x):\n    return x + x  # mine",
        "helper": "def helper(): return 1\n%matplotlib inline",
    }
    for student, answers in (("ada", own), ("bob", {"double": "def double(x:"}), ("+hal", {})):
        folder = courses.submit(graded, student, answers)
        path = result_path(graded, NAME, student)
        digest = parse((folder / f"{NAME}.ipynb").read_bytes(), courses.load(graded)).sha256
        data = {**json.loads(path.read_bytes()), "submission_sha256": digest}
        files.write(path, json.dumps(data).encode())
    courses.submit(graded, "cyd", {"double": "handed in again after grading"})
    said = run("--to", "sources")
    # JPlag and Dolos: one folder a submission, and what everybody was given beside them.
    folder = place(graded, "sources")
    assert sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.py")) == [
        f"submissions/{student}/{NAME}.py" for student in ("+hal", "ada", "bob")
    ] + [f"template/{NAME}.py"]
    ada, bob, hal = (
        folder.joinpath("submissions", s, f"{NAME}.py").read_text() for s in ("ada", "bob", "+hal")
    )
    assert (
        "x + x  # mine" in ada
        and "def helper" in ada
        and "\n%matplotlib" not in ada
        and "def total" not in ada
    )
    assert "def check" not in ada and bob == "def double(x:\n" and hal == "\n"
    template = (folder / "template" / f"{NAME}.py").read_text()
    assert [
        node.name for node in ast.parse(template).body if isinstance(node, ast.FunctionDef)
    ] == ["double", "total"]
    assert "drawn" not in template and "double_by_definition" not in template
    assert "left out: cyd: what was graded is no longer in" in said


def test_no_student_id_leaves_the_folder(graded):
    data = json.loads(result_path(graded, NAME, "ada").read_bytes())
    files.write(
        result_path(graded, NAME, "zoe"), json.dumps({**data, "student": "../../zoe"}).encode()
    )
    said = run("--to", "gradescope", code=3)
    assert "zoe: no result: " in said
    assert sorted(path.name for path in place(graded, "gradescope").iterdir()) == [
        "+hal",
        "ada",
        "bob",
        "cyd",
    ]
    assert not list(graded.root.rglob("zoe"))


@pytest.fixture
def home(course: Course, tmp_path: Path) -> Path:
    """Gradescope's ``/autograder`` with the bundle in it, without what its setup.sh would
    install."""
    run("--to", "gradescope-zip")
    return unpacked(place(course, "gradescope.zip"), tmp_path / "autograder")


def unpacked(bundle: Path, home: Path) -> Path:
    for folder in ("source", "submission", "results"):
        (home / folder).mkdir(parents=True)
    with zipfile.ZipFile(bundle) as archive:
        for entry in archive.infolist():
            path = Path(archive.extract(entry, home / "source"))
            path.chmod(stat.S_IMODE(entry.external_attr >> 16))
    (home / "source" / "run_autograder").rename(home / "run_autograder")
    return home


def run_autograder(home: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("AUTOGRADER", "PYTHON"))
    }
    where = {"AUTOGRADER_HOME": str(home), "PYTHON": sys.executable}
    return subprocess.run(
        [home / "run_autograder"],
        env=clean | where | environment,
        cwd=home,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


def test_the_bundle_grades_a_submission_on_gradescope(course, home):
    assert {"setup.sh", "requirements.txt"} <= {path.name for path in (home / "source").iterdir()}
    wrong = {**RIGHT, "total": courses.SIZES_ALONE}
    (home / "submission" / "my work.ipynb").write_bytes(courses.handed_in(course, wrong))
    done = run_autograder(home)
    assert (done.returncode, done.stderr) == (0, "")
    data = json.loads((home / "results" / "results.json").read_bytes())
    jsonschema.validate(data, platforms.GRADESCOPE)
    assert data["score"] == 7 and data["stdout_visibility"] == "hidden"
    # The level is stated, and it is one that locks student code in.
    assert done.stdout == f"isolation level: {data['extra_data']['isolation']}\n"
    assert data["extra_data"]["isolation"] in ("bubblewrap", "landlock")
    tests = {test["name"].partition(":")[2].strip(): test for test in data["tests"]}
    assert tests["Negative numbers count too."]["status"] == "failed"
    assert tests["Negative numbers count too."]["visibility"] == "after_published"
    assert (
        tests["One and two are three."] | {"visibility": "visible", "status": "passed"}
        == tests["One and two are three."]
    )


def test_the_bundle_never_carries_the_courses_secret_and_is_the_same_each_time(course, home):
    carried = (home / "source" / "course" / "secret").read_text()
    assert carried and carried != course.secret().decode()
    before = place(course, "gradescope.zip").read_bytes()
    run("--to", "gradescope-zip")
    assert place(course, "gradescope.zip").read_bytes() == before
    assert not [
        path
        for path in (home / "source").rglob("*")
        if path.name == "__pycache__" or "tests" in path.parts
    ]


@pytest.mark.parametrize(
    ("submitted", "says"),
    [
        ({"a.ipynb": b"{", "b.ipynb": b"{"}, "there are 2 files .ipynb"),
        pytest.param({}, "no notebook was handed in", marks=pytest.mark.everything),
        pytest.param({f"{NAME}.ipynb": b"{"}, "could not be graded", marks=pytest.mark.everything),
    ],
    ids=["two", "nothing", "no notebook"],
)
def test_the_bundle_says_what_is_wrong_with_what_was_handed_in(course, home, submitted, says):
    for name, data in submitted.items():
        (home / "submission" / name).write_bytes(data)
    assert run_autograder(home).returncode == 0
    data = json.loads((home / "results" / "results.json").read_bytes())
    jsonschema.validate(data, platforms.GRADESCOPE)
    assert says in data["output"] and data["score"] == 0


def test_the_bundle_overlooks_what_collect_overlooks(course, home):
    data = courses.handed_in(course, RIGHT)
    for place in (
        "work/mine.ipynb",
        "work/.ipynb_checkpoints/mine-checkpoint.ipynb",
        "__MACOSX/work/._mine.ipynb",
        "__MACOSX/work/mine.ipynb",
        ".git/mine.ipynb",
    ):
        path = home / "submission" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if place == "work/mine.ipynb" else b"{")
    assert run_autograder(home).returncode == 0
    assert json.loads((home / "results" / "results.json").read_bytes())["score"] == 10

    found = downloads.found(home / "submission", lambda _: False)
    with found as (taken, left):
        assert [[download.parts for download in taken], left] == [[("work", "mine.ipynb")], []]


def test_the_bundle_takes_the_one_that_is_called_as_the_exercise(course, home):
    (home / "submission" / "work").mkdir()
    (home / "submission" / "work" / "notes.ipynb").write_bytes(b"{")
    right = home / "submission" / "work" / f"{NAME}.ipynb"
    right.write_bytes(courses.handed_in(course, RIGHT))
    assert run_autograder(home).returncode == 0
    assert json.loads((home / "results" / "results.json").read_bytes())["score"] == 10


def test_the_bundle_follows_no_link_of_a_students(course, home, tmp_path):
    (home / "submission" / f"{NAME}.ipynb").symlink_to(
        home / "source" / "solutions" / NAME / f"{NAME}.ipynb"
    )
    assert run_autograder(home).returncode == 0
    assert json.loads((home / "results" / "results.json").read_bytes())["score"] == 0


def test_a_bundle_grades_by_the_settings_of_the_course(course, tmp_path):
    """All of them; what a table says of each exercise is Gradescope's own there."""
    (course.root / "autograder.toml").write_text(
        'minimum_isolation = "landlock"\ncall_seconds = 7\nsubmission_seconds = 30.5\n'
        "memory_mb = 2048\ncarried = 0.5\ncarried_unattempted = 0.25\npackages = ['numpy']\n"
        'feedback.hidden = "points"\nfeedback.tries = "never"\nfeedback.solution = "after due"\ntime_zone = "Europe/Berlin"\nbelow_zero = true\n'
        'course_name = "A \\"course\\""\ncounts = "best"\nai = "tutor"\n'
        '[late]\nrule = "per day"\nshare = 0.1\n[late.other]\nrule = "none"\n'
        '[links]\nrepository = "https://github.com/ada/attention"\nsite = "https://example.org/attention"\n'
        '[push]\naddress = "https://canvas.example.org"\ncourse = "4711"\n'
        '[lti]\nclient = "tool"\nkey = "one"\ntokens = "https://a.example/token"\naudience = "a"\n'
        'lineitems = "https://a.example/items?type_id=1"\nmembers = "https://a.example/members"\n'
        f"[assignments]\n{NAME} = 815\n"
        f"[weights]\n{NAME} = 2\n[tries]\n{NAME} = 3\n[due]\n{NAME} = 2026-12-01T18:00:00Z\n",
        encoding="utf-8",
    )
    run("--to", "gradescope-zip", "--output", tmp_path / "bundle.zip")
    bundle = unpacked(tmp_path / "bundle.zip", tmp_path / "bundle")

    there = settings.read(bundle / "source" / "autograder.toml")
    here = settings.read(course.root / "autograder.toml")
    for setting in fields(Settings):
        is_default = getattr(here, setting.name) == getattr(Settings(), setting.name)
        assert not is_default or setting.name == "isolation"
    assert there == replace(here, due={}, late={}, weights={}, assignments={}, tries={})


def test_a_bundle_never_falls_back_to_a_process_unless_it_was_built_so(course, tmp_path):
    # A teacher on macOS grades at level process; Gradescope still gets a bundle that locks student
    # code in.
    (course.root / "autograder.toml").write_text('isolation = "process"\n', encoding="utf-8")
    said = run("--to", "gradescope-zip", "--output", tmp_path / "safe.zip")
    assert "where that does not work it grades nothing" in said
    safe = unpacked(tmp_path / "safe.zip", tmp_path / "safe")
    assert 'isolation = "auto"\n' in (safe / "source" / "autograder.toml").read_text()
    # A machine on which no level works.
    (safe / "source" / "autograder" / "engine" / "selftest.py").write_text(
        "from autograder.base.errors import Unusable\n\n\ndef strongest(asked, *others):\n"
        "    raise Unusable(f'no safe isolation level here for {asked}')\n"
    )
    (safe / "submission" / f"{NAME}.ipynb").write_bytes(courses.handed_in(course, RIGHT))
    done = run_autograder(safe)
    assert done.returncode == 2 and "no safe isolation level here for auto" in done.stdout
    assert not list((safe / "results").iterdir())

    said = run(
        "--to", "gradescope-zip", "--isolation", "process", "--output", tmp_path / "open.zip"
    )
    assert "isolation: process: any student's code can read the hidden checks" in said
    bare = unpacked(tmp_path / "open.zip", tmp_path / "open")
    assert "level: process" in (bare / "source" / "README.txt").read_text()
    (bare / "submission" / f"{NAME}.ipynb").write_bytes(courses.handed_in(course, RIGHT))
    assert run_autograder(bare).stdout == "isolation level: process\n"
    assert (
        json.loads((bare / "results" / "results.json").read_bytes())["extra_data"]["isolation"]
        == "process"
    )
    run("--to", "gradescope-zip", "--isolation", "docker", code=2)


def test_the_bundle_needs_no_more_than_it_installs(course, home):
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert list(gradescope_zip.REQUIREMENTS) == project["dependencies"]
    (home / "submission" / f"{NAME}.ipynb").write_bytes(courses.handed_in(course, RIGHT))
    code = (
        "from pathlib import Path; from autograder.show.exports import gradescope\n"
        f"assert gradescope.main(Path({str(home)!r})) == 0"
    )
    loaded = modules(code, home / "source")
    assert "numpy" in loaded and not loaded & {
        "sqlalchemy",
        "nbgrader",
        "nbformat",
        "jupytext",
        "jsonschema",
        "yaml",
        "traitlets",
    }


def test_a_bundle_without_a_package_that_the_settings_name_is_not_made(course, tmp_path):
    (course.root / "autograder.toml").write_text("packages = ['json', 'nowhere_at_all']\n")
    said = run("--to", "gradescope-zip", "--output", tmp_path / "bundle.zip", code=2)
    assert "nowhere_at_all is not installed here; install it" in said
    assert not (tmp_path / "bundle.zip").exists()


def test_constraints_are_the_versions_of_the_lock(course):
    (course.root / "requirements.lock").write_bytes((ROOT / "requirements.lock").read_bytes())
    run("--to", "gradescope-zip")
    with zipfile.ZipFile(place(course, "gradescope.zip")) as archive:
        pins = archive.read("constraints.txt").decode().splitlines()
    locked = re.findall(
        r"^([\w.-]+==[\w.]+)",
        (ROOT / "requirements.lock").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert [pin.partition(" ")[0] for pin in pins] == locked
    assert not [pin for pin in pins if not re.fullmatch(r"[\w.-]+==[\w.]+( ; .+)?", pin)]
    assert {"numpy", "typer", "rich"} <= {pin.partition("==")[0] for pin in pins}


def test_every_format_stands_in_the_help_and_in_the_documents():
    import typer

    (to,) = [
        p for p in typer.main.get_command(cli.app()).commands["export"].params if p.name == "to"
    ]  # type: ignore[attr-defined]
    page = (ROOT / "docs/exports.md").read_text(encoding="utf-8")
    for name in exports.FORMATS:
        assert name in re.split(r", | or ", to.help)
        assert re.search(rf"^\| `{name}` \|", page, flags=re.MULTILINE), name

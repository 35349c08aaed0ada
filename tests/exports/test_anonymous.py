"""An anonymous export has everybody's points, and nothing that says whose they are."""

import json
import re
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from autograder.base.result import CheckResult
from autograder.course.course import Course, pseudonym
from autograder.course.gradebook.marks import Marks
from autograder.show.exports import class_data
from tests.support import databases
from tests.support.courses import NAME
from tests.support.exported import PEOPLE, SCORES, rows_of, run


def exported(course: Course, to: str) -> Path:
    run("--to", to, "--anonymous")
    suffix = "csv" if to == "csv" else "json"
    return course.state / "exports" / NAME / f"anonymous-grades.{suffix}"


def words_of(course: Course) -> list[str]:
    """Everything that people are called, and what people and checks have written."""
    words = [cell for line in PEOPLE.splitlines()[1:] for cell in line.split(",") if cell]
    for path in (course.results / NAME).glob("*.json"):
        result = json.loads(path.read_text())
        words += [result["submission_sha256"], result["reason"], *result["warnings"]]
        for step in result["steps"]:
            words += [check["message"] for check in step["checks"]]
    return [word for word in words if word and len(word) > 1]


@pytest.mark.parametrize("to", ["csv", "json"])
def test_no_name_no_mail_no_words(graded, to):
    databases.of(graded).by_hand("why", "ada", manual_score=3.5)
    text = exported(graded, to).read_text()
    words = words_of(graded)
    assert len(words) > 10
    # A drawn pseudonym may have any four digits in it.
    bare = re.sub(r"\bp[0-9a-f]{16}\b", "", text)
    for word in {*words, *SCORES}:
        assert f'"{word}"' not in text
        assert f",{word}," not in text
        assert len(word) < 4 or word not in bare
    assert "It commutes" not in text


def test_no_word_of_a_check_is_left_and_its_verdict_is():
    said = ("it says", "it asks", "a_mistake", ("f",), "g", 3, "it says first")
    check = CheckResult("c", "values", 2.0, 0.0, False, "failed", *said)
    check = replace(check, remaining="it says then", remaining_with=("f",))
    bare = class_data._bare_check(check)
    assert " " not in "".join(str(value) for value in vars(bare).values())
    assert (bare.status, bare.misconception, bare.remaining_with) == ("failed", "a_mistake", ("f",))


def test_the_points_are_those_of_the_class(graded):
    data = json.loads(exported(graded, "json").read_text())
    scores = [student["score"] for student in data["students"]]
    assert sorted(map(str, scores)) == sorted(map(str, SCORES.values()))
    students = [student["student"] for student in data["students"]]
    assert students == sorted(students)
    assert {row["student"] for row in rows_of(exported(graded, "csv"))} == set(students)
    assert {row["name"] for row in rows_of(exported(graded, "csv"))} == {""}


def test_a_pseudonym_stays_and_hangs_on_the_secret(graded):
    first = exported(graded, "csv").read_bytes()
    assert exported(graded, "csv").read_bytes() == first
    assert pseudonym(b"one", "ada") == pseudonym(b"one", "ada") != pseudonym(b"two", "ada")
    assert pseudonym(b"one", "ada") != pseudonym(b"one", "bob")


def test_other_systems_need_to_know_who_it_is(graded):
    said = run("--to", "moodle", "--anonymous", code=2)
    assert "--anonymous: does not work with --to moodle; only with csv, json" in said


def test_nobody_is_found_by_the_second_of_their_hand_in(graded):
    data = json.loads(exported(graded, "json").read_text())
    for student in data["students"]:
        if student["result"]:
            assert student["result"]["graded_with"] == {}
    marks = Marks({}, 0.0, 1.0, datetime(2026, 3, 1), seconds_late=90_061.5)
    assert class_data._bare_marks(marks).seconds_late == 2 * class_data.DAY
    in_time = replace(marks, seconds_late=0.0)
    assert class_data._bare_marks(in_time).seconds_late == 0

"""The log knows every final score that was ever another one, also where nothing was graded."""

import contextlib
import json
import sqlite3
from typing import Any

import pytest

from autograder.course import log
from autograder.course.course import Course
from tests.support import courses
from tests.support.courses import NAME, RIGHT
from tests.support.processes import finished

pytestmark = pytest.mark.usefixtures("graded_here")

LATE = "2026-11-20 13:00:00 UTC"
DUE = f'[due]\n{NAME} = "2026-11-20 12:00 UTC"\n[late.{NAME}]\nrule = "per day"\nshare = 0.5\n'


@courses.begun
def graded(course: Course) -> None:
    courses.submit(course, "ann", RIGHT)
    courses.submit(course, "bob", RIGHT, LATE)
    run(course, "grade", "--jobs", 1)


def run(course: Course, command: str, *options: object) -> None:
    finished(command, NAME, *options, cwd=course.root)


def lines(course: Course) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (course.state / log.NAME).read_text().splitlines()]


def last(course: Course) -> tuple[str, list[tuple[str, Any, Any]]]:
    """The command of the last line, and whose final score it says to be another one."""
    line = lines(course)[-1]
    changed = [(one["student"], one["old"], one["new"]) for one in line.get("final", ())]
    assert all(one["exercise"] == NAME for one in line.get("final", ()))
    return line["command"], changed


def test_first_final_scores_are_news_and_the_same_ones_are_none(graded):
    news = (f"grade {NAME}", [("ann", None, 10), ("bob", None, 10)])
    assert last(graded) == news
    run(graded, "report")
    assert last(graded) == news
    run(graded, "export")
    assert last(graded) == (f"export {NAME} --to csv", [])
    run(graded, "grade")
    assert last(graded) == (f"grade {NAME}", [])


@pytest.mark.parametrize("command", ["grade", "report", "feedback", "export"])
def test_a_late_rule_that_came_later_is_in_the_log_and_so_is_an_extension(graded, command):
    (graded.root / "autograder.toml").write_text(DUE)
    run(graded, command)
    assert last(graded)[1] == [("bob", 10, 5)]

    (graded.state / "extensions.csv").write_text(f"who,exercise,until\nbob,{NAME},waived\n")
    run(graded, command)
    assert last(graded)[1] == [("bob", 5, 10)]


def test_a_mark_by_hand_is_in_the_log(graded):
    with contextlib.closing(sqlite3.connect(graded.gradebook)) as database, database:
        database.execute("UPDATE grade SET extra_credit = 1 WHERE auto_score = 3")
    run(graded, "report")
    command, changed = last(graded)
    assert command == f"report {NAME}"
    assert changed == [("ann", 10, 12), ("bob", 10, 12)]


def test_the_whole_course_says_it_too_and_zeros_for_nothing_are_no_scores(graded):
    courses.class_list(graded, "id\nann\nbob\nzoe\n")
    (graded.root / "autograder.toml").write_text(DUE)
    finished("export", "--missing-as-zero", cwd=graded.root)
    assert last(graded) == ("export --to csv", [("bob", 10, 5)])


@pytest.mark.parametrize("damaged", ["{", "[1]", '{"final": 1}', '{"final": [{"exercise": []}]}'])
def test_a_damaged_line_stays_and_the_others_count(graded, damaged):
    path = graded.state / log.NAME
    path.write_text(path.read_text() + damaged + "\n")
    before = path.read_text()
    run(graded, "report")
    assert path.read_text() == before


def test_a_forgotten_student_has_no_final_score_in_the_log(graded):
    done = finished("forget", "bob", cwd=graded.root)
    assert "removed: course/log.jsonl: 2 scores" in done.stdout
    assert "bob" not in (graded.state / log.NAME).read_text()
    assert "ann" in (graded.state / log.NAME).read_text()

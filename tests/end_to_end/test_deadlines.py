"""Late work by the settings' rule, and more time for some, as a teacher meets both."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest

from autograder.course import Course
from tests.end_to_end.test_silent_scores import (
    DUE,
    IN_TIME,
    LATE,
    advice,
    grade,
    penalties,
    rule,
    run,
    scores,
    settings,
    students,
)
from tests.support import courses
from tests.support.courses import NAME, RIGHT
from tests.support.databases import Database

pytestmark = [
    pytest.mark.filterwarnings("ignore:Object of type:sqlalchemy.exc.SAWarning"),
    pytest.mark.usefixtures("graded_here"),
]

ZERO = DUE + '[late]\nrule = "zero"\n'
PEOPLE = "id,group\nada,north\nbob,north\ncyd,south\n"


def extend(course: Course, *lines: str) -> None:
    course.state.mkdir(exist_ok=True)
    text = "\n".join(["who,exercise,until", *lines])
    (course.state / "extensions.csv").write_text(f"{text}\n")


def a_class(course: Course) -> None:
    """Three students: bob and cyd are three hours late."""
    course.state.mkdir(exist_ok=True)
    (course.state / "students.csv").write_text(PEOPLE)
    for student, time in (("ada", IN_TIME), ("bob", LATE), ("cyd", LATE)):
        courses.submit(course, student, RIGHT, time)


def intervals(course: Course) -> dict[str, timedelta | None]:
    """The extensions that nbgrader has."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course.gradebook}") as book:
        return {one.student.id: one.extension for one in book.assignment_submissions(NAME)}


def test_the_rule_of_the_settings_takes_points_and_nbgrader_shows_the_same(course: Course) -> None:
    a_class(course)
    settings(course, ZERO)
    grade(course)
    assert scores(course) == {"ada": 10, "bob": 0, "cyd": 0}
    assert sorted(filter(None, penalties(course))) == [10, 10]
    assert "−10 for being 3 hours late" in advice(course)

    # Another rule counts at once, in nbgrader too, and nobody is graded again.
    settings(course, DUE + '[late]\nrule = "per day"\nshare = 0.2\n')
    assert scores(course) == {"ada": 10, "bob": 8, "cyd": 8}
    assert sorted(filter(None, penalties(course))) == [2, 2]
    settings(course, DUE + f'[late]\nrule = "zero"\n[late.{NAME}]\nrule = "none"\n')
    assert scores(course) == {"ada": 10, "bob": 10, "cyd": 10}
    assert not any(penalties(course))


def test_the_rule_of_the_settings_comes_before_nbgraders_plugin(course: Course) -> None:
    a_class(course)
    rule(course)  # everything is taken
    settings(course, DUE)
    grade(course)
    assert scores(course)["bob"] == 0
    settings(course, DUE + '[late]\nrule = "none"\n')
    assert scores(course)["bob"] == 10


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("bob,counting,2026-11-20 15:00 UTC", {"bob": 10, "cyd": 0}),
        ("bob,,2026-11-20 14:00 UTC", {"bob": 0, "cyd": 0}),
        ("bob,,2026-11-20 16:30 +0200", {"bob": 0, "cyd": 0}),
        ("south,counting,waived", {"bob": 0, "cyd": 10}),
    ],
)
def test_an_extension_given_later_counts_at_once_everywhere(
    course: Course, line: str, expected: dict[str, float]
) -> None:
    a_class(course)
    settings(course, ZERO)
    grade(course)
    run(course, "feedback", NAME)
    page = course.feedback / "bob" / NAME / f"{NAME}.html"
    assert "3 hours late" in page.read_text()

    extend(course, line)
    assert scores(course) == {"ada": 10, **expected}
    said = advice(course)
    late = [student for student, score in expected.items() if not score]
    assert said.count("−10 for being") == len(late)
    assert len(list(filter(None, penalties(course)))) == len(late)
    for student, score in expected.items():
        extended = intervals(course)[student]
        assert (extended is not None and extended >= timedelta(hours=3)) == (score == 10)
    run(course, "feedback", NAME)
    assert bool(re.search("(minutes|hours?) late", page.read_text())) == (expected["bob"] == 0)

    extend(course)
    assert scores(course) == {"ada": 10, "bob": 0, "cyd": 0}
    assert not any(intervals(course).values())


def test_an_extension_given_before_anybody_hands_in_counts(course: Course) -> None:
    settings(course, ZERO)
    extend(course, "bob,counting,waived")
    courses.submit(course, "bob", RIGHT, LATE)
    grade(course)
    assert scores(course) == {"bob": 10}
    assert not any(penalties(course))


def test_what_a_person_gave_in_nbgrader_counts_and_stays(course: Course) -> None:
    a_class(course)
    settings(course, ZERO)
    grade(course)
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course.gradebook}") as book:
        book.grant_extension(NAME, "bob", hours=4)
    assert scores(course) == {"ada": 10, "bob": 10, "cyd": 0}
    extend(course, "cyd,,waived")
    assert scores(course) == {"ada": 10, "bob": 10, "cyd": 10}
    assert intervals(course)["bob"] == timedelta(hours=4)


def test_a_changed_due_date_repairs_every_score(course: Course) -> None:
    a_class(course)
    settings(course, ZERO)
    grade(course)
    settings(course, ZERO.replace("12:00", "15:00"))
    assert scores(course) == {"ada": 10, "bob": 10, "cyd": 10}
    assert not any(penalties(course))
    database = Database(f"sqlite:///{course.gradebook}", str)
    ((due,),) = database.rows("SELECT duedate FROM assignment")
    assert str(due).startswith("2026-11-20 15:00")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id,until\n", "extensions.csv:1: no column who; write who,exercise,until"),
        ("who,exercise,until\ndan,,waived\n", "csv:2: 'dan' is no student and no group"),
        ("who,exercise,until\nada,,soon\n", "csv:2: until 'soon': no time"),
        ("who,exercise,until\nada,,waived\nada,count,waived\n", "csv:3: 'count' is no exercise"),
        ("who,exercise,until\nada,,2026-11-20 12:00 CEST\n", "unknown time zone CEST"),
        ("who,exercise,until\n,,waived\n", "csv:2: '' is no student and no group"),
    ],
)
def test_extensions_that_make_no_sense_are_refused_in_one_line(
    course: Course, text: str, said: str
) -> None:
    a_class(course)
    settings(course, ZERO)
    (course.state / "extensions.csv").write_text(text)
    for command in ("grade", "report"):
        done = run(course, command, NAME, code=2)
        assert said in done.stderr
        assert len(done.stderr.splitlines()) == 1
    assert not course.results.exists()


def test_a_name_in_the_settings_that_is_no_exercise_is_said(course: Course) -> None:
    a_class(course)
    settings(course, 'due.countin = "2026-11-20 12:00 UTC"\n')
    assert "due.countin is of no exercise in" in grade(course).stderr


def test_nothing_is_graded_below_the_minimum_isolation_level(
    course: Course, tmp_path: Path
) -> None:
    a_class(course)
    settings(course, 'minimum_isolation = "landlock"\n')
    refused = run(course, "grade", NAME, "--jobs", 1, "--isolation", "process", code=2).stderr
    assert "minimum_isolation is landlock, and here there is process" in refused
    grade(course)
    assert students(course)["ada"]["score"] == 10

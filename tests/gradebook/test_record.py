"""The gradebook: what stock nbgrader leaves, and what it refuses."""

import json
from dataclasses import replace
from datetime import datetime, timezone

import pytest
from sqlalchemy import Engine, event

from autograder.base.errors import Fault, Unusable
from autograder.course import timestamp
from autograder.course.gradebook import config as host
from autograder.course.gradebook import marks, record
from autograder.grader.graded import Graded
from tests.support import courses, stock
from tests.support.courses import ALL_CHECKS, NAME, RIGHT, SIZES_ALONE
from tests.support.databases import execute, rows
from tests.support.stock import CONTENTS, MASTER, SOURCES, STUDENTS

# nbgrader's own code, not ours.
WRONG_TOTAL = {**RIGHT, "total": SIZES_ALONE}
ANSWERED = {**RIGHT, "why": "Because of $a + b = b + a$."}


# What nbgrader's own run leaves takes ten seconds to make. In make test end_to_end/test_stock.py
# holds the grades against it, and test_database.py reads ours as nbgrader does.
@pytest.mark.everything
def test_an_honest_class_gets_what_stock_nbgrader_gives_it(course, database):
    """Names, scores, comments, time and late penalty, row for row; then again after manual marks
    and a new answer."""
    config = course.root / "nbgrader_config.py"
    config.write_text(
        config.read_text()
        + '\nc.AssignLatePenalties.plugin_class = "tests.support.latepolicy.HalfAPointAnHour"\n'
    )
    due = datetime(2026, 11, 20, 12, tzinfo=timezone.utc)
    handed_in = {
        "ada": (ANSWERED, ALL_CHECKS, "2026-11-20 15:00:00 UTC"),
        "bob": (WRONG_TOTAL, ALL_CHECKS[:3], "2026-11-20 11:00:00.5 America/New_York"),
        "cyd": ({}, (), None),
    }
    for student, (answers, _, when) in handed_in.items():
        courses.submit(course, student, answers, when)
    known = courses.load(course)
    courses.prepare(course, known, due)
    courses.record(
        course,
        known,
        [
            courses.graded(course, student, answers, passed)
            for student, (answers, passed, _) in handed_in.items()
        ],
    )
    theirs = database.new()
    stock.grade(course, NAME, handed_in, theirs, due)
    for query in (MASTER, SOURCES, STUDENTS, CONTENTS):
        assert database.rows(query) == rows(theirs, query)
    assert marks.class_marks(course, known)["ada"].late_penalty == 1.5

    # A person grades in both; ada then answers otherwise, bob hands in the same again.
    for url in (database.url, theirs):
        execute(
            url, "UPDATE grade SET manual_score = 3, extra_credit = 1, needs_manual_grade = false"
        )
        execute(url, "UPDATE comment SET manual_comment = 'well said'")
    handed_in["ada"] = (
        {**WRONG_TOTAL, "why": "Addition commutes."},
        ALL_CHECKS[:3],
        "2026-11-20 11:00:00 UTC",
    )
    courses.submit(course, "ada", handed_in["ada"][0], handed_in["ada"][2])
    again = [courses.graded(course, student, *handed_in[student][:2]) for student in ("ada", "bob")]
    courses.record(course, known, again)
    stock.grade(course, NAME, ("ada", "bob"), theirs, due)
    assert database.rows(CONTENTS) == rows(theirs, CONTENTS)


def test_manual_marks_comments_and_extra_credit_survive_a_regrade(course, database):
    known = courses.load(course)
    courses.record(course, known, [courses.graded(course, "ada", ANSWERED)])
    before = marks.class_marks(course, known)["ada"]
    assert before is not None and before.needs_manual_grade and before.score == 10
    database.by_hand("why", "ada", manual_score=3.5, extra_credit=1.0, needs_manual_grade=False)
    database.execute("UPDATE comment SET manual_comment = 'nice'")
    courses.record(
        course, known, [courses.graded(course, "ada", {**ANSWERED, "why": "Another thought."})]
    )
    after = marks.class_marks(course, known)["ada"]
    assert after is not None
    assert after.cells["why"].manual_score == 3.5 and after.cells["why"].extra_credit == 1
    assert after.cells["why"].comment == "nice" and after.cells["double"].comment == "nice"
    assert after.cells["why"].needs_manual_grade
    assert (after.score, after.max_score) == (14.5, 14)
    assert (after.automatic, after.by_hand, after.extra_credit) == (10, 3.5, 1)


def test_extra_credit_counts_on_a_question_without_points_and_still_waits_for_a_person(
    course, database
):
    courses.write_root(
        course.root, courses.AUTHORED.replace('manual="why" points=4', 'manual="why" points=0')
    )
    known = courses.load(course)
    courses.record(
        course, known, [courses.graded(course, student, ANSWERED) for student in ("ada", "bob")]
    )
    before = marks.class_marks(course, known)["ada"]
    assert (
        before is not None
        and before.needs_manual_grade
        and (before.score, before.max_score) == (10, 10)
    )
    # As the formgrader does when nothing but extra credit is entered.
    database.by_hand("why", "ada", extra_credit=2.0, needs_manual_grade=False)
    after = marks.class_marks(course, known)
    assert (after["ada"].score, after["ada"].needs_manual_grade) == (12, False)
    assert (after["bob"].score, after["bob"].needs_manual_grade) == (10, True)
    with host.api(course).gradebook as book:
        assert book.find_submission(NAME, "ada").score == 12


def test_a_rejected_submission_leaves_the_old_grade_and_is_known_as_a_student(course, database):
    known = courses.load(course)
    courses.submit(course, "ada", RIGHT, "2026-11-20 11:00:00 UTC")
    courses.record(course, known, [courses.graded(course, "ada", RIGHT)])
    before = database.rows(CONTENTS)
    courses.record(
        course, known, [courses.rejected(course, "ada"), courses.rejected(course, "eve")]
    )
    assert database.rows(CONTENTS) == before
    assert [row[0] for row in database.rows(STUDENTS)] == ["ada", "eve"]
    assert "eve" not in marks.class_marks(course, known)


def test_checks_may_be_added_removed_and_given_other_points_when_grades_exist(course, database):
    courses.record(
        course, courses.load(course), [courses.graded(course, s, ANSWERED) for s in ("ada", "bob")]
    )
    database.by_hand("why", "ada", manual_score=4.0)
    database.by_hand("total-negative", "bob", manual_score=1.0)
    head, _, tail = courses.AUTHORED.partition('# %% check="total-negative"')
    added = '# %% check="total-empty" points=1 category="edge cases" hidden=true\n"""Nothing sums to nothing."""\nagree(total([]), 0.0, "total([])")\n\n'
    text = (head + added + "# %% [markdown]" + tail.partition("# %% [markdown]")[2]).replace(
        'points=2 category="row', 'points=6 category="row'
    )
    text = text.replace("# %% setup", '# %% setup removed="total-negative"')
    courses.write_root(course.root, text)
    known = courses.load(course)
    checks = ("double-by_hand", "double-drawn", "total-by_hand", "total-empty")
    courses.record(course, known, [courses.graded(course, "ada", ANSWERED, checks)])
    names = {row[6]: row[7] for row in database.rows(MASTER) if row[5] == "GradeCell"}
    assert names == {
        "double-by_hand": 2,
        "double-drawn": 3,
        "total-by_hand": 6,
        "total-empty": 1,
        "why": 4,
    }
    everybody = marks.class_marks(course, known)
    assert everybody["ada"].score == 16 and everybody["ada"].max_score == 16
    assert everybody["bob"].score == 7  # not graded again yet: the removed check's points are gone
    assert database.rows("SELECT count(*) FROM source_cell")[0][0] == len(names) + 3
    kept = [
        json.loads(line) for line in (course.state / "removed-marks.jsonl").read_text().splitlines()
    ]
    assert kept == [
        {
            "exercise": NAME,
            "student": "bob",
            "cell": "total-negative",
            "manual_score": 1.0,
            "auto_score": 3.0,
            "waits": False,
            "answer": None,
            "asked": None,
        }
    ]


def test_names_and_addresses_follow_the_class_list_and_stay_where_it_says_nothing(course, database):
    course.state.mkdir(exist_ok=True)
    known = courses.load(course)
    people = course.state / "students.csv"
    batch = [courses.graded(course, student, {}, ()) for student in ("ada", "bob")]
    people.write_text("id,name,email\nada,Ada Byron,\nbob,Bob Ng,\n")
    courses.record(course, known, batch)
    # As in the formgrader.
    database.execute("UPDATE student SET email = 'ada@example.org' WHERE id = 'ada'")

    people.write_text(
        "id,Name,E-mail,Canvas ID\nada,Ada Lovelace,,17\nbob,Bob Ng,bob@example.org,\n"
    )
    courses.record(course, known, batch)
    assert database.rows("SELECT lms_user_id FROM student ORDER BY id") == [("17",), (None,)]
    assert database.rows(STUDENTS) == [
        ("ada", "Ada", "Lovelace", "ada@example.org"),
        ("bob", "Bob", "Ng", "bob@example.org"),
    ]


def test_reading_marks_creates_nothing(course):
    assert marks.class_marks(course, NAME) == {}
    assert not course.gradebook.exists()


def test_a_thousand_submissions_are_recorded_at_once_not_one_by_one(course):
    known = courses.load(course)
    record.prepare(course, known)
    one = courses.graded(course, "ada", RIGHT)
    batch = [Graded(replace(one.result, student=f"s{n}"), one.submission) for n in range(1000)]
    statements: list[str] = []

    def count(connection: object, cursor: object, statement: str, *_: object) -> None:
        statements.append(statement)

    event.listen(Engine, "before_cursor_execute", count)
    try:
        courses.record(course, known, batch)
    finally:
        event.remove(Engine, "before_cursor_execute", count)
    assert len(statements) < 100, len(statements)
    assert len(marks.class_marks(course, known)) == 1000


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (
            b"this is no database, whatever its name says",
            "file is not a database; put a backup in its place",
        )
    ],
)
def test_a_gradebook_that_cannot_be_used_gets_one_line(course, content, says):
    course.state.mkdir()
    course.gradebook.write_bytes(content)
    with pytest.raises(Unusable, match=says) as caught:
        record.prepare(course, courses.load(course))
    assert "\n" not in str(caught.value) and "gradebook.db" in str(caught.value)


def test_a_late_policy_that_fails_names_itself_and_writes_nothing_of_the_late_one(course, database):
    config = course.root / "nbgrader_config.py"
    config.write_text(
        config.read_text()
        + '\nc.AssignLatePenalties.plugin_class = "tests.support.latepolicy.Broken"\n'
    )
    known = courses.load(course)
    courses.submit(course, "ada", RIGHT, "2026-11-21 00:00:00 UTC")
    courses.prepare(course, known, datetime(2026, 11, 20))
    courses.submit(course, "bob", RIGHT, "2026-11-19 00:00:00 UTC")
    with pytest.raises(
        Fault,
        match=r"ada: not in the gradebook: .*late penalty for ada failed with ZeroDivisionError",
    ):
        courses.record(
            course, known, [courses.graded(course, student, RIGHT) for student in ("ada", "bob")]
        )
    assert [row[0] for row in database.rows(STUDENTS)] == ["bob"]
    assert {
        student: found.score for student, found in marks.class_marks(course, known).items()
    } == {"bob": 10}


def test_a_database_address_in_nbgraders_configuration_is_used(course, tmp_path):
    config = course.root / "nbgrader_config.py"
    config.write_text(
        config.read_text() + f'\nc.CourseDirectory.db_url = "sqlite:///{tmp_path / "other.db"}"\n'
    )
    record.prepare(course, courses.load(course))
    assert (tmp_path / "other.db").exists() and not course.gradebook.exists()


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-21 12:00:00.5 UTC",
        "2026-11-21 12:00:00 America/Los_Angeles",
        "2026-11-21 12:00:00 +0100",
        "2026-11-21 12:00:00",
    ],
)
def test_times_are_read_as_nbgrader_reads_them(text):
    from nbgrader.utils import parse_utc  # type: ignore[import-untyped]

    assert timestamp.parse(text) == parse_utc(text)

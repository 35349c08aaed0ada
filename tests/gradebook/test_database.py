"""SQLite and PostgreSQL alike: batches are written whole or not at all, by one at a time, and
mistakes get one line."""

import shutil
import subprocess
import threading
from typing import Any

import pytest
from sqlalchemy import Connection, create_engine, inspect, text

from autograder.base.errors import Unusable
from autograder.course.course import Course
from autograder.course.gradebook import config, marks
from autograder.course.gradebook import database as opening
from tests.support import courses, databases, processes
from tests.support.courses import ALL_CHECKS, NAME, RIGHT, SIZES_ALONE
from tests.support.databases import PASSWORD, Database, mostly_sqlite
from tests.support.stock import CONTENTS, MASTER, STUDENTS

# nbgrader's own code, not ours.
pytestmark = pytest.mark.usefixtures("graded_here")

ANSWERED = {**RIGHT, "why": "Because of $a + b = b + a$."}
WRONG_TOTAL = {**ANSWERED, "total": SIZES_ALONE}
TABLES = (
    "assignment",
    "notebook",
    "base_cell",
    "student",
    "submitted_assignment",
    "submitted_notebook",
    "grade",
    "comment",
)


def grade(course: Course, *options: str) -> subprocess.CompletedProcess[str]:
    done = refuse_or_grade(course, *options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def refuse_or_grade(course: Course, *options: str) -> subprocess.CompletedProcess[str]:
    return processes.call("grade", NAME, "--jobs", "1", *options, cwd=course.root)


def everything(database: Database) -> list[list[tuple[Any, ...]]]:
    return [sorted(database.rows(f"SELECT * FROM {table}"), key=repr) for table in TABLES]


def test_a_class_graded_by_command_reads_the_same_through_nbgraders_own_interface(course, database):
    from nbgrader.api import Gradebook  # type: ignore[import-untyped]

    config.alembic_on_path()
    for student, answers in (("ada", ANSWERED), ("bob", WRONG_TOTAL), ("cyd", {})):
        courses.submit(course, student, answers, "2026-11-20 11:00:00 UTC")
    grade(course)
    ours = marks.class_marks(course, NAME)
    assert {student: entry.score for student, entry in ours.items()} == {
        "ada": 10,
        "bob": 7,
        "cyd": 0,
    }
    with Gradebook(database.url, course_id=course.id()) as book:
        for student, entry in ours.items():
            submission = book.find_submission(NAME, student)
            assert (submission.score, submission.max_score) == (entry.score, entry.max_score)
            assert submission.needs_manual_grade == entry.needs_manual_grade
            for cell, found in entry.cells.items():
                if found.max_score is not None:
                    assert book.find_grade(cell, NAME, NAME, student).score == found.score
        why = book.find_grade("why", NAME, NAME, "bob")
        why.manual_score, why.extra_credit, why.needs_manual_grade = 3, 0.5, False
        book.find_comment("double", NAME, NAME, "bob").manual_comment = "read the question again"
        book.db.commit()
    grade(course, "--force")
    bob = marks.class_marks(course, NAME)["bob"]
    # What a person has settled stays settled.
    assert bob is not None and bob.score == 10.5 and not bob.needs_manual_grade
    assert bob.cells["double"].comment == "read the question again"
    with Gradebook(database.url, course_id=course.id()) as book:
        assert book.find_submission(NAME, "bob").score == 10.5


def test_a_batch_recorded_twice_counts_once(course, database):
    known = courses.load(course)
    batch = [courses.graded(course, student, ANSWERED) for student in ("ada", "bob")]
    courses.record(course, known, batch)
    before = everything(database)
    courses.record(course, known, batch)
    courses.record(course, known, batch[::-1] + batch)
    assert everything(database) == before


def test_a_batch_that_fails_in_its_middle_leaves_the_database_as_it_was(course, database):
    known = courses.load(course)
    courses.record(course, known, [courses.graded(course, "ada", WRONG_TOTAL, ALL_CHECKS[:3])])
    before = everything(database)
    # Grades are written before comments: at this point there are some.
    database.execute("ALTER TABLE comment RENAME TO away")
    with pytest.raises(Unusable) as caught:
        courses.record(
            course, known, [courses.graded(course, student, ANSWERED) for student in ("ada", "bob")]
        )
    assert "\n" not in str(caught.value) and "nbgrader db upgrade" in str(caught.value)
    database.execute("ALTER TABLE away RENAME TO comment")
    assert everything(database) == before


def test_a_first_batch_that_fails_leaves_no_gradebook(course, database):
    def work(connection: Connection) -> None:
        assert inspect(connection).has_table("grade")
        raise LookupError

    with pytest.raises(LookupError):
        opening.Gradebook(course).write(work)
    assert not opening.read(course, lambda _: True, otherwise=False)


def test_checks_may_be_voided_and_moved_in_worth_and_manual_marks_stay(course, database):
    for student in ("ada", "bob"):
        courses.submit(course, student, ANSWERED)
    grade(course)
    id = "(SELECT id FROM base_cell WHERE name = 'why' AND type = 'GradeCell')"
    database.execute(
        f"UPDATE grade SET manual_score = 2.5, needs_manual_grade = false WHERE cell_id = {id}"
    )
    voided = courses.AUTHORED.replace(
        'check="total-by_hand" points=2', 'check="total-by_hand" points=0'
    )
    courses.write_root(
        course.root,
        voided.replace('check="total-negative" points=3', 'check="total-negative" points=5'),
    )
    grade(course)
    points = {row[6]: row[7] for row in database.rows(MASTER) if row[5] == "GradeCell"}
    assert points == {
        "double-by_hand": 2,
        "double-drawn": 3,
        "total-by_hand": 0,
        "total-negative": 5,
        "why": 4,
    }
    for entry in marks.class_marks(course, NAME).values():
        assert (entry.score, entry.max_score) == (12.5, 14)
        assert entry.cells["total-by_hand"].score == 0 and entry.cells["why"].manual_score == 2.5
    # And back.
    courses.write_root(course.root)
    grade(course)
    assert {entry.score for entry in marks.class_marks(course, NAME).values()} == {12.5}
    assert marks.class_marks(course, NAME)["ada"].cells["total-by_hand"].score == 2


def test_what_the_gradebook_lost_the_next_run_puts_back(course, database):
    for student in ("ada", "bob", "cyd"):
        courses.submit(course, student, ANSWERED if student != "cyd" else {})
    grade(course)
    before = database.rows(CONTENTS)
    lost = "SELECT id FROM submitted_notebook WHERE assignment_id IN (SELECT id FROM submitted_assignment WHERE student_id = 'bob')"
    for table in ("grade", "comment"):
        database.execute(f"DELETE FROM {table} WHERE notebook_id IN ({lost})")
    database.execute(f"DELETE FROM submitted_notebook WHERE id IN ({lost})")
    said = grade(course).stdout
    assert database.rows(CONTENTS) == before
    assert said.count("the gradebook had lost this one") == 1


def test_a_gradebook_that_knows_nobody_who_was_graded_is_not_begun_anew(course, database):
    """It was lost, moved, or is another database: marks by hand and extensions would be gone."""
    for student in ("ada", "bob"):
        courses.submit(course, student, ANSWERED)
    grade(course)
    for table in ("grade", "comment", "submitted_notebook"):
        database.execute(f"DELETE FROM {table}")
    for command in ("grade", "report", "export"):
        done = processes.call(command, NAME, cwd=course.root)
        assert done.returncode == 2
        assert "knows none of the 2 students with results of counting; put the" in done.stderr
    shutil.rmtree(course.results)
    grade(course)
    assert len(marks.class_marks(course, NAME)) == 2


@mostly_sqlite
def test_two_graders_at_once_give_every_grade_once(course, database):
    for student in ("ada", "bob", "cyd"):
        courses.submit(course, student, ANSWERED)
    for process in [
        processes.start("grade", NAME, "--jobs", "1", "--force", cwd=course.root) for _ in range(2)
    ]:
        out, errors = process.communicate(timeout=processes.SECONDS)
        assert process.returncode == 0, out + errors
    assert {
        student: entry.score for student, entry in marks.class_marks(course, NAME).items()
    } == dict.fromkeys(("ada", "bob", "cyd"), 10)
    (grades,), (comments,) = (
        database.rows(f"SELECT count(*) FROM {table}")[0] for table in ("grade", "comment")
    )
    assert (grades, comments) == (3 * 5, 3 * 3)


def test_others_who_write_are_waited_for_and_then_told_of_in_one_line(
    course, database, monkeypatch
):
    known = courses.load(course)
    courses.record(course, known, [courses.graded(course, "ada", WRONG_TOTAL, ALL_CHECKS[:3])])
    before = everything(database)
    batch = [courses.graded(course, student, ANSWERED) for student in ("ada", "bob")]
    engine = create_engine(
        database.url, connect_args={"check_same_thread": False} if "sqlite" in database.url else {}
    )
    with engine.connect() as other:
        # As the formgrader does, but without an end.
        other.execute(text("UPDATE assignment SET duedate = NULL"))
        with monkeypatch.context() as patch:
            patch.setattr(opening, "PATIENCE", 1)
            with pytest.raises(
                Unusable, match="close what else is writing to it and try again"
            ) as caught:
                courses.record(course, known, batch)
        assert "\n" not in str(caught.value)
        assert everything(database) == before
        end = threading.Timer(1.0, other.commit)
        end.start()
        courses.record(course, known, batch)
        end.join()
    engine.dispose()
    assert {student: entry.score for student, entry in marks.class_marks(course, NAME).items()} == {
        "ada": 10,
        "bob": 10,
    }


def refused(course: Course) -> str:
    """The one line of a run that cannot use its database; it never shows a password."""
    done = refuse_or_grade(course)
    said = done.stdout + done.stderr
    assert "Traceback" not in said and not any(
        part in said for part in ("open", "sesame", PASSWORD)
    )
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("autograder: ")]
    assert not course.autograded.exists()
    return line


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        (("open%20sesame", "open%20sesam"), "correct user and password in db_url"),
        (("/gradebook", "/nowhere"), "create it with createdb"),
        (("postgresql:", "postgres:"), "write it like postgresql://"),
        (("postgresql:", "postgresql+pg8000:"), "the Python package pg8000 is not installed"),
        (("%40", "@"), "with %40 for @"),
        ((":open%20sesame%2F%40@", "@"), "correct user and password in db_url"),
    ],
)
def test_an_address_that_cannot_be_used_gets_one_line(course, postgres, changed, says):
    courses.submit(course, "ada", RIGHT)
    url = postgres.url("gradebook")
    assert url.count(changed[0]) == 1
    databases.use(course, url.replace(*changed))
    assert says in refused(course)


def test_a_server_that_is_not_there_gets_one_line(course, postgres):
    courses.submit(course, "ada", RIGHT)
    databases.use(course, "postgresql://teacher:opensesame@127.0.0.1:1/gradebook")
    line = refused(course)
    assert (
        "postgresql://teacher:***@127.0.0.1:1/gradebook" in line
        and "see that it can be reached" in line
    )


def test_students_of_the_class_list_have_their_names_in_both(course, database):
    courses.class_list(course, "id,name,email\nada,Ада Лавлейс,ada@example.org\n")
    courses.record(course, courses.load(course), [courses.graded(course, "ada", RIGHT)])
    assert database.rows(STUDENTS) == [("ada", "Ада", "Лавлейс", "ada@example.org")]


def test_a_gradebook_is_created_and_late_work_recorded_without_loading_nbgrader_or_the_engine(
    course,
):
    courses.submit(course, "ada", ANSWERED, "2026-11-20 15:00:00 UTC")
    slow = {"nbgrader", "nbformat", "alembic", "numpy"}
    slow |= {"autograder.grader.grader", "autograder.authoring.build"}
    command = processes.running("grade", NAME, "--jobs", 1, "--force")
    for is_late in (False, True):
        if is_late:
            processes.call("release", NAME, "--due", "2026-11-20 12:00 UTC", cwd=course.root)
        assert not slow & processes.modules(command, course.root)

        ada = marks.class_marks(course, NAME)["ada"]
        assert (ada.seconds_late > 0) == is_late and ada.late_penalty == 0

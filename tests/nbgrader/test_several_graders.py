"""Several teachers at once: commands, and formgraders that are open meanwhile.

Nobody's work is lost, on SQLite and PostgreSQL, and who is second is told what it waits for.
"""

import json
import sqlite3
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from types import SimpleNamespace
from typing import Any

import pytest
from nbgrader.preprocessors import AssignLatePenalties  # type: ignore[import-untyped]
from sqlalchemy import Connection, create_engine, text, update
from sqlalchemy.exc import OperationalError, PendingRollbackError

from autograder.base import settings
from autograder.base.errors import Unusable
from autograder.course.course import Course
from autograder.course.gradebook import config, marks, record
from autograder.course.gradebook import database as opening
from autograder.course.gradebook.database import STUDENT
from autograder.course.grading.interruption import Journal
from autograder.nbgrader import formgrader
from tests.support import courses, jupyter, processes, whole_course
from tests.support.courses import ALL_CHECKS, NAME, RIGHT
from tests.support.databases import Database

# nbgrader's own code, not ours.
ANSWERED = {**RIGHT, "why": "Because of $a + b = b + a$."}
WAITING = ": another program writes to the gradebook; waiting for it"


@contextmanager
def somebody_writes(database: Database) -> Iterator[Callable[[], None]]:
    """Another program of ours amid a batch; what is given ends it."""
    connect_args = {"check_same_thread": False} if "sqlite" in database.url else {}
    engine = create_engine(database.url, connect_args=connect_args)
    with engine.connect() as other:
        if "sqlite" not in database.url:
            lock = f"SELECT pg_advisory_xact_lock({opening.ONE_AT_A_TIME})"
            other.execute(text(lock))
        other.execute(text("UPDATE assignment SET duedate = NULL"))
        yield other.commit
    engine.dispose()


def test_who_is_second_is_told_once_what_it_waits_for(course, database, monkeypatch, capsys):
    known = courses.load(course)
    courses.record(course, known, [courses.graded(course, "ada", RIGHT, ALL_CHECKS[:3])])
    assert WAITING not in capsys.readouterr().err
    monkeypatch.setattr(opening, "SILENCE", 0.2)
    say = opening._say_who_is_waited_for

    with somebody_writes(database) as end:
        later = threading.Timer(0.3, end)

        # Not before it waits, however long it takes to get there on a busy machine.
        def saying(connection: Connection) -> None:
            say(connection)
            later.start()

        monkeypatch.setattr(opening, "_say_who_is_waited_for", saying)
        courses.record(course, known, [courses.graded(course, "ada", RIGHT)])
        later.join()
    said = capsys.readouterr().err.splitlines()
    assert [line.startswith("autograder: ") and line.endswith(WAITING) for line in said] == [True]
    assert marks.class_marks(course, NAME)["ada"].score == 10


def test_a_batch_that_is_soon_done_is_waited_for_in_silence(course, database, capsys):
    known = courses.load(course)
    record.prepare(course, known)
    with somebody_writes(database) as end:
        later = threading.Timer(0.3, end)
        later.start()
        courses.record(course, known, [courses.graded(course, "ada", RIGHT)])
        later.join()
    assert capsys.readouterr().err == ""


def test_two_that_write_the_same_students_in_another_order_both_get_there(course, database):
    students = ("ada", "bob")
    known = courses.load(course)
    courses.record(course, known, [courses.graded(course, one, RIGHT) for one in students])
    failed: list[BaseException] = []

    def write(those: tuple[str, ...]) -> None:
        def work(connection: Connection) -> None:
            for student in those:
                row = update(STUDENT).where(STUDENT.c.id == student)
                connection.execute(row.values(email=those[0]))
                time.sleep(0.4)  # in which the other one is amid its own

        try:
            opening.Gradebook(course).write(work)
        except BaseException as error:
            failed.append(error)

    both = [threading.Thread(target=write, args=(those,)) for those in (students, students[::-1])]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert failed == []
    # One after the other: the last one has written both.
    assert len(set(database.rows("SELECT email FROM student"))) == 1


@pytest.mark.parametrize("is_in_file", [True, False])
def test_the_plugin_for_late_work_is_loaded_before_the_gradebook_is_locked(
    course, monkeypatch, is_in_file
):
    """It takes seconds, in which nobody else could write."""
    plugin = "tests.support.latepolicy.HalfAPointAnHour"
    rule = f"\nc.AssignLatePenalties.plugin_class = {plugin!r}\n"
    path = course.root / "nbgrader_config.py"
    path.write_text(path.read_text() + rule)
    folder = courses.submit(course, "ada", RIGHT, "2026-03-01 15:00:00 UTC")
    known = courses.load(course)
    courses.prepare(course, known, datetime(2026, 3, 1, 12))
    courses.record(course, known, [courses.graded(course, "ada", RIGHT)])
    if not is_in_file:
        (folder / "timestamp.txt").unlink()

    locked: list[bool] = []
    loaded_while: list[bool] = []
    load, write = AssignLatePenalties.init_plugin, opening.Gradebook.write

    def loading(self: AssignLatePenalties) -> None:
        loaded_while.append(bool(locked))
        load(self)

    def writing(self: opening.Gradebook, work: Any) -> Any:
        locked.append(True)
        try:
            return write(self, work)
        finally:
            locked.clear()

    monkeypatch.setattr(AssignLatePenalties, "init_plugin", loading)
    monkeypatch.setattr(opening.Gradebook, "write", writing)
    courses.record(course, known, [courses.graded(course, "ada", RIGHT)])
    assert loaded_while == [False]
    assert marks.class_marks(course, NAME)["ada"].late_penalty == 1.5


@pytest.mark.parametrize(
    ("address", "patient"),
    [
        ("sqlite:////a/b.db", "sqlite:////a/b.db?timeout=30"),
        ("sqlite:////a/b.db?timeout=5", "sqlite:////a/b.db?timeout=5"),
        ("postgresql://me:p%40@h/d", "postgresql://me:p%40@h/d?options=-c+lock_timeout%3D30s"),
        ("mysql://me@h/d", "mysql://me@h/d"),
    ],
)
def test_the_formgrader_waits_longer_unless_the_address_says_how_long(address, patient):
    assert formgrader.patient(address) == patient


def test_a_formgrader_whose_score_could_not_be_saved_saves_the_next(course, database, monkeypatch):
    import nbgrader.server_extensions.formgrader.base as base  # type: ignore[import-untyped]

    for place, name in ((base, "Gradebook"), (base.BaseHandler, "on_finish")):
        monkeypatch.setattr(place, name, getattr(place, name))
    monkeypatch.setattr(formgrader, "PATIENCE", 0.3)
    courses.record(course, courses.load(course), [courses.graded(course, "ada", ANSWERED)])
    config.config(course)  # as the formgrader reads it, which changes it
    gradebook = base.Gradebook(database.url, course.id())
    handler = SimpleNamespace(settings={"nbgrader_gradebook": gradebook})

    def enter(score: float) -> None:
        gradebook.find_grade("why", NAME, NAME, "ada").manual_score = score
        gradebook.db.commit()

    with somebody_writes(database):
        cannot_save(database, enter)
        with pytest.raises(PendingRollbackError):
            enter(2)
        base.BaseHandler.on_finish(handler)
    enter(3)
    ada = marks.class_marks(course, NAME)["ada"]
    assert ada.cells["why"].manual_score == 3

    # And sees what somebody else has entered meanwhile.
    shown = gradebook.find_grade("why", NAME, NAME, "ada")
    assert shown.manual_score == 3
    database.execute("UPDATE grade SET manual_score = 4 WHERE manual_score = 3")
    base.BaseHandler.on_finish(handler)
    assert gradebook.find_grade("why", NAME, NAME, "ada").manual_score == 4
    gradebook.close()


def cannot_save(database: Database, enter: Callable[[float], None]) -> None:
    """A score that cannot be saved, for somebody holds its row."""
    engine = create_engine(database.url)
    if engine.dialect.name == "sqlite":
        with pytest.raises(OperationalError, match="locked"):
            enter(1)
        return
    with engine.connect() as other:
        other.execute(text("SELECT * FROM grade FOR UPDATE"))
        with pytest.raises(OperationalError, match="lock timeout"):
            enter(1)
    engine.dispose()


# Three commands and a server, each of which takes seconds to start.
@pytest.mark.everything
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_three_graders_and_an_open_formgrader_lose_nothing(course, tmp_path, kind, request):
    from tests.support import databases

    url = f"sqlite:///{course.gradebook}"
    if kind == "postgresql":
        url = request.getfixturevalue("postgres").create()
        databases.use(course, url)
    gradebook = Database(url, str)
    whole_course.add_exercises(course)
    everybody = [f"s{number:02}" for number in range(12)]
    for student in everybody:
        for name in whole_course.MOST:
            whole_course.submit(course, student, name, ANSWERED)
    assert processes.run("grade", NAME, "--jobs", "1", cwd=course.root).returncode == 0
    whys = dict(gradebook.rows(
        "SELECT a.student_id, g.id FROM grade g JOIN base_cell c ON c.id = g.cell_id"
        " JOIN submitted_notebook n ON n.id = g.notebook_id"
        " JOIN submitted_assignment a ON a.id = n.assignment_id WHERE c.name = 'why'"
    ))  # fmt: skip

    with jupyter.server(["autograder", "lab"], course.root, tmp_path / "server.log") as address:
        # Of the first exercise two at once, the second of which waits.
        names = (NAME, NAME, "sums", "more")
        graders = [
            processes.start("grade", name, "--jobs", "1", "--force", cwd=course.root)
            for name in names
        ]
        for place, student in enumerate(everybody):
            put(address, whys[student], place / 4)
        errors = [process.communicate(timeout=processes.SECONDS)[1] for process in graders]
        assert [process.returncode for process in graders] == [0] * 4, errors

        if kind == "sqlite":
            # Somebody else holds the database for longer than the formgrader waits by itself.
            lock = sqlite3.connect(course.gradebook, isolation_level=None, check_same_thread=False)
            lock.execute("BEGIN IMMEDIATE")
            threading.Timer(7.0, lock.rollback).start()
            put(address, whys["s00"], 3.5)
            lock.close()
    assert sum("another run is at work here; waiting for it" in text for text in errors) == 1
    found = {name: marks.class_marks(course, name) for name in whole_course.MOST}
    for name in ("sums", "more"):
        assert {one.score for one in found[name].values()} == {10} and len(found[name]) == 12
    entered = {student: one.cells["why"].manual_score for student, one in found[NAME].items()}
    expected = {student: place / 4 for place, student in enumerate(everybody)}
    assert entered == (expected | {"s00": 3.5} if kind == "sqlite" else expected)


def put(address: str, grade: str, score: float) -> None:
    """Enter a score as the formgrader's page does."""
    base, _, token = address.partition("/lab?token=")
    request = urllib.request.Request(
        f"{base}/formgrader/api/grade/{grade}",
        method="PUT",
        data=json.dumps({"manual_score": score, "extra_credit": None}).encode(),
        headers={"Authorization": f"token {token}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=processes.SECONDS) as answer:
        assert json.load(answer)["manual_score"] == score


# A server, which takes seconds to start.
@pytest.mark.everything
def test_a_button_keeps_no_other_grader_waiting(course, tmp_path):
    courses.submit(course, "ada", ANSWERED)
    answers: list[Any] = []
    with jupyter.server(["autograder", "lab"], course.root, tmp_path / "server.log") as address:
        press = threading.Thread(
            target=lambda: answers.append(
                ask(address, f"api/submission/{NAME}/ada/autograde", "POST")
            )
        )
        # Until the journal is free, grading waits.
        course.results.mkdir(parents=True)
        with Journal(course.results / NAME):
            press.start()
            assert ask(address, "api/status") == {"status": True}
            assert ask(address, f"api/assignment/{NAME}")["name"] == NAME
            assert press.is_alive() and not answers
        press.join()
        assert answers[0]["success"] and "Autograded ada: 10 of 10" in answers[0]["log"]
        again = ask(address, f"api/submission/{NAME}/ada/autograde", "POST")
        assert "Nothing has changed for ada: 10 of 10 points" in again["log"]

        # What is entered there is kept where commands keep it, and what cannot be is refused.
        date = {"duedate_notimezone": "2026-12-05T18:00", "duedate_timezone": "+0100"}
        kept = ask(address, f"api/assignment/{NAME}", "PUT", date)
        assert kept["duedate_notimezone"].startswith("2026-12-05T17:00")
        written = Course(course.root, course.state).due_settings.read_text()
        assert f'due.{NAME} = "2026-12-05 18:00:00+0100"' in written
        nothing = {"duedate_notimezone": None, "duedate_timezone": None}
        with pytest.raises(urllib.error.HTTPError) as refused:
            ask(address, f"api/assignment/{NAME}", "PUT", nothing)
        assert refused.value.code == 409
        assert f"remove due.{NAME} there" in refused.value.read().decode()

        script = ask(address, "static/js/utils.js")
        assert "createModal" in script and "From here on it is the kit's." in script


def ask(address: str, path: str, method: str = "GET", data: Any = None) -> Any:
    """What the formgrader answers."""
    base, _, token = address.partition("/lab?token=")
    request = urllib.request.Request(
        f"{base}/formgrader/{path}",
        method=method,
        data=None if method == "GET" else json.dumps(data).encode(),
        headers={"Authorization": f"token {token}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=processes.SECONDS) as answer:
        said = answer.read().decode()
    return json.loads(said) if path.startswith("api/") else said


@pytest.mark.parametrize(
    ("day", "zone", "says"),
    [
        ("", "", "its date is kept in .*; remove due.counting there"),
        ("2026-13-40T99:99", "+0000", "write it like"),
        ("2026-12-05T18:00", "Middle/Earth", "unknown time zone"),
        ("2026-12-05T18:00", "+0100", ""),
        ("2026-12-05T18:00", "Europe/Berlin", ""),
        ("2026-12-05T17:00", "", ""),
    ],
)
def test_a_due_date_of_the_formgrader_is_kept_or_refused_in_a_line(course, day, zone, says):
    course.state.mkdir(exist_ok=True)
    known = f'due.{NAME} = "2026-12-01 18:00 UTC"\n'
    course.due_settings.write_text(known)
    entered = {"duedate_notimezone": day or None, "duedate_timezone": zone or None}
    handler = SimpleNamespace(coursedir=config.api(course).coursedir, get_json_body=lambda: entered)
    if says:
        with pytest.raises(Unusable, match=f"^{NAME}: .*{says}"):
            formgrader._kept_due(handler, NAME)
        assert course.due_settings.read_text() == known
    else:
        due = datetime(2026, 12, 5, 17, tzinfo=timezone.utc)
        assert formgrader._kept_due(handler, NAME) == due
        assert settings.read(course.due_settings).due == {NAME: due}


def test_a_button_that_is_refused_says_why_and_no_traceback(course, monkeypatch):
    courses.submit(course, "eve", {})
    (course.submitted / "eve" / NAME / f"{NAME}.ipynb").write_text("{")
    refused = formgrader.act(course.state, "autograde", [NAME, "eve"])
    assert not refused["success"] and "eve: rejected: not a notebook" in refused["log"]
    assert "error" not in refused
    place = course.state / "exchange" / course.id()
    place.parent.mkdir(exist_ok=True)
    place.touch()
    refused = formgrader.act(course.state, "release_assignment", [NAME])
    assert not refused["success"] and "is of " in refused["log"] and "error" not in refused

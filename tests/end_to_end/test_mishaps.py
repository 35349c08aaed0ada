"""Mishaps of a semester: each is said in one line, nothing is lost by it, and work goes on."""

import os
import zipfile
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from autograder.course.course import Course
from tests.support import courses
from tests.support.courses import NAME, RIGHT
from tests.support.final_scores import DUE, IN_TIME, grade, put, run, scores, settings

pytestmark = pytest.mark.usefixtures("graded_here")

PEOPLE = "id,name,Moodle ID\nada,Ada Ash,1\nbob,Bob Birch,2\n"
ADA, BOB = "Ada Ash_1_assignsubmission_file_", "Bob Birch_2_assignsubmission_file_"
HALF = {**RIGHT, "total": "def total(x):\n    return 3.0\n"}


@courses.begun
def graded(course: Course) -> None:
    courses.class_list(course, PEOPLE)
    settings(course, DUE)
    courses.submit(course, "ada", RIGHT, IN_TIME)
    courses.submit(course, "bob", HALF, IN_TIME)
    grade(course)
    assert scores(course) == {"ada": 10, "bob": 7}


def everything(course: Course) -> dict[str, bytes]:
    """Every file of the class; the log grows with each command."""
    found = {}
    for path in sorted(course.state.rglob("*")):
        if path.is_file() and path.name != "log.jsonl":
            found[str(path.relative_to(course.state))] = path.read_bytes()
    return found


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        ("autograder.toml", f"{DUE}carried = 5\n", "autograder.toml:2: carried = 5 does not fit; write it like"),
        ("autograder.toml", f"{DUE}carried = \n", "autograder.toml:2:"),
        ("students.csv", f"{PEOPLE}ada,Ada Ash,1\n", "students.csv:4: ada is listed twice; delete one of the lines"),
        ("students.csv", f"{PEOPLE}cyd,Cedar, Cyd,3\n", "students.csv:4: more fields than headings; put values with a comma in"),
        ("students.csv", f"{PEOPLE}Ada,Ada Ash,3\n", "students.csv:4: Ada differs from ada only in capital letters"),
        ("students.csv", f"{PEOPLE}cyd,Cyd Cedar,2\n", "students.csv:4: cyd has the Moodle ID 2 of bob; correct one"),
        ("students.csv", PEOPLE.encode("utf-16"), "students.csv: "),
        ("extensions.csv", "who,exercise,until\nada,counting,tomorrow\n", "extensions.csv:2: until 'tomorrow': "),
    ],
)  # fmt: skip
def test_what_a_teacher_wrote_wrongly_is_one_line_and_nothing_is_lost(graded, file, text, says):
    put(graded, "bob", RIGHT, datetime.now(timezone.utc) - timedelta(minutes=1))
    before = everything(graded)
    path = (graded.root if file == "autograder.toml" else graded.state) / file
    spoilt = text.encode() if isinstance(text, str) else text
    path.write_bytes(spoilt)
    for command in ("collect", "grade", "report", "export", "feedback"):
        if command == "collect" and path.name == "extensions.csv":
            continue  # who hands in late is no matter there
        refused = run(graded, command, NAME, code=2).stderr
        assert says in refused and len(refused.splitlines()) == 1, refused
    assert path.read_bytes() == spoilt
    place = str(path.relative_to(graded.state)) if path.is_relative_to(graded.state) else ""
    assert {**everything(graded), place: b""} == {**before, place: b""}

    path.write_text(DUE if path.suffix == ".toml" else PEOPLE)
    if path.name == "extensions.csv":
        path.unlink()
    assert "collected: bob" in run(graded, "collect", NAME).stdout
    grade(graded)
    assert scores(graded) == {"ada": 10, "bob": 10}


def download(path: Path, course: Course, *folders: str) -> bytes:
    """A class's download from Moodle."""
    with zipfile.ZipFile(path, "w") as archive:
        for folder in folders:
            entry = zipfile.ZipInfo(f"{folder}/{NAME}.ipynb", (2026, 11, 20, 11, 30, 0))
            archive.writestr(entry, courses.handed_in(course, RIGHT))
    return path.read_bytes()


def test_a_zip_that_cannot_be_read_is_one_line_and_the_others_are_collected(graded):
    settings(graded, f'time_zone = "UTC"\n{DUE}')
    graded.inbox.mkdir()
    broken = graded.inbox / f"Course-{NAME}-1.zip"
    whole = download(broken, graded, ADA, BOB)
    broken.write_bytes(whole[: len(whole) // 2])
    download(graded.inbox / f"Course-{NAME}-2.zip", graded, ADA)
    before = scores(graded)

    said = run(graded, "collect", NAME).stdout.splitlines()
    left = [line for line in said if line.startswith("left: ")]
    assert len(left) == 1
    assert left[0].startswith(f"left: {broken.name}: cannot be opened as a zip archive")
    assert "nothing newer: ada" in said or "collected: ada" in said
    assert broken.read_bytes() == whole[: len(whole) // 2]
    grade(graded)
    assert scores(graded) == before

    # Downloaded again, it is read.
    broken.write_bytes(whole)
    said = run(graded, "collect", NAME).stdout.splitlines()
    assert "collected: bob" in said and not [line for line in said if line.startswith("left: ")]
    grade(graded)
    assert scores(graded) == {"ada": 10, "bob": 10}


def test_a_clock_that_jumps_is_said_and_takes_nobodys_work(graded):
    """A file from 2031 is neither believed nor preferred to the true ones."""
    now = datetime.now(timezone.utc).replace(microsecond=0)
    path = put(graded, "bob", {}, now)
    future = datetime(2031, 1, 1, tzinfo=timezone.utc).timestamp()
    os.utime(path, (future, future))
    said = run(graded, "collect", NAME).stdout.splitlines()
    (line,) = [line for line in said if "is in the future" in line]
    assert line.startswith(f"note: bob/{NAME}.ipynb: its time, 2031-01-01 00:00 UTC, ")

    later = path.with_name(f"{NAME} (1).ipynb")
    later.write_bytes(courses.handed_in(graded, RIGHT))
    os.utime(later, (now.timestamp() - 5,) * 2)
    path.unlink()
    assert "bob" in run(graded, "collect", NAME).stdout
    grade(graded)
    assert scores(graded)["ada"] == 10


def test_empty_lines_of_a_spreadsheet_are_nobody_and_lines_are_counted_with_them(graded):
    people = graded.state / "students.csv"
    people.write_text(f"{PEOPLE}\n,,\n,,\n")
    assert scores(graded) == {"ada": 10, "bob": 7}
    people.write_text(f"{PEOPLE}\n,,\nc/d,Cyd Cedar,3\n")
    assert "students.csv:6: 'c/d' is not a student id" in run(graded, "report", NAME, code=2).stderr


def test_a_secret_that_is_lost_is_noticed_and_no_other_one_drawn(graded):
    """Hidden checks would ask other questions than those that were graded, without a word."""
    path = graded.state / "secret"
    secret = path.read_text()
    path.unlink()
    courses.submit(graded, "bob", RIGHT, IN_TIME)
    refused = run(graded, "grade", NAME, code=2).stderr
    assert (
        "secret: is missing, and the random inputs depend on it; restore it from a backup"
        in refused
    )
    assert len(refused.splitlines()) == 1 and not path.exists()
    path.write_text(secret)
    grade(graded)
    assert scores(graded) == {"ada": 10, "bob": 10}


def test_a_student_whose_id_is_another_one_now_is_said_at_the_export(graded):
    people = graded.state / "students.csv"
    people.write_text(PEOPLE.replace("bob,Bob Birch", "bob.ash,Bob Ash"))
    said = run(graded, "export", NAME, "--missing-as-zero").stderr
    assert "zero: bob.ash: missing\nnot on the class list: bob\n" in said
    # And the old id stays where it is, until somebody has seen to it.
    assert scores(graded) == {"ada": 10, "bob": 7, "bob.ash": None}


def test_a_new_id_with_the_name_of_somebody_who_left_the_class_list_is_pointed_out(graded):
    people = graded.state / "students.csv"
    people.write_text(PEOPLE.replace("bob,", "bob.new,"))
    told = "bob is not in students.csv, and may be bob.new now: both have one name, address or "
    repair = "autograder rename bob bob.new"
    for command in (("collect",), ("grade",), ("export",)):
        done = run(graded, *command, NAME)
        said = " ".join((done.stdout + done.stderr).split())
        assert told in said and repair in said, command
    assert "is not on the class list; may be bob.new now" in run(graded, "report", NAME).stdout
    page = (graded.reports / f"{NAME}.html").read_text()
    assert "may be bob.new now" in page
    assert told in " ".join(run(graded, "report").stdout.split())
    assert told in (graded.reports / "course.html").read_text()

    people.write_text("id,name\nada,Ada Ash\ncyd,Cyd Cedar\n")
    assert "may be" not in run(graded, "export", NAME).stderr

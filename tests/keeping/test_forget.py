"""A person who is forgotten is nowhere in the course any more, and everybody else's work stays."""

import json
import zipfile
from pathlib import Path

import pytest

from autograder.base import files
from autograder.base.errors import Unusable
from autograder.course.course import Course
from autograder.course.gradebook import config
from autograder.course.keeping.people import forget, rename
from tests.support import courses
from tests.support.courses import NAME, RIGHT
from tests.support.databases import Database, mostly_sqlite
from tests.support.final_scores import run

pytestmark = pytest.mark.usefixtures("graded_here")

CLASS_LIST = (
    "id,name,email,note\r\n"
    'ann,Ann Ash,ann@x.org,"two\r\nlines"\r\n'
    'zoe,Zoe Zebra,zoe@x.org,"also\r\ntwo"\r\n'
    "bob,Bob Birch,bob@x.org,\r\n"
)


@pytest.fixture
def lived(course: Course, database: Database) -> Course:
    """A course in which everything has happened once."""
    course.inbox.mkdir(parents=True)
    courses.class_list(course, CLASS_LIST)
    for place in (f"zoe/{NAME}.ipynb", f"zoe-{NAME}.ipynb"):
        (course.inbox / place).parent.mkdir(exist_ok=True)
        (course.inbox / place).write_bytes(courses.handed_in(course, RIGHT))
    for name, students in (("alone.zip", ["zoe"]), ("submissions.zip", ["ann", "zoe"])):
        with zipfile.ZipFile(course.inbox / name, "w") as archive:
            for student in students:
                archive.writestr(f"{student}/{NAME}.ipynb", courses.handed_in(course, RIGHT))
    run(course, "collect", NAME)
    courses.submit(course, "bob", RIGHT)
    run(course, "grade", NAME, "--jobs", 1)
    database.by_hand("why", "zoe", manual_score=3.0, needs_manual_grade=False)

    settings = config.config(course)
    place = Path(settings.Exchange.root, settings.CourseDirectory.course_id)
    handed_in = place / "inbound" / f"zoe+{NAME}+2026-11-20 12:00:00 UTC+abc"
    handed_in.mkdir(parents=True)
    (handed_in / "submission_secret.txt").write_text("s3cret")
    run(course, "feedback", NAME, "--zip", course.state / "exports" / "pages.zip")
    run(course, "report", NAME)
    for to in ("csv", "sources"):
        run(course, "export", NAME, "--to", to)
    for name in ("removed-marks.jsonl", "earlier-marks.jsonl"):
        (course.state / name).write_text(
            '{"student": "zoe", "exercise": "x"}\n{"student": "ann", "exercise": "x"}\n'
        )
    extended = "who,exercise,until\nzoe,,waived\nann,,waived\n"
    (course.state / "extensions.csv").write_text(extended)
    return course


def traces(course: Course, *words: bytes) -> list[str]:
    """Every file of the course in whose name or bytes one of the words stands."""
    found = []
    for path in sorted(course.state.rglob("*")):
        text = str(path.relative_to(course.state)).encode()
        text += path.read_bytes() if path.is_file() else b""
        if any(word in text for word in words):
            found.append(str(path.relative_to(course.state)))
    return found


def test_nothing_is_left_but_what_is_said_to_be(lived, database):
    words = b"zoe", b"Zebra"
    others = {path: path.read_bytes() for path in lived.results.glob(f"{NAME}/[ab]*.json")}
    assert len(traces(lived, *words)) > 8
    said = run(lived, "forget", "zoe").stdout

    places = ["inbox/submissions.zip", f"inbox/zoe-{NAME}.ipynb"]
    assert [path for path in traces(lived, *words) if path != "inbox/zoe"] == places
    left = [line for line in said.splitlines() if line.startswith("left: ")]
    assert left == [
        "left: course/inbox/submissions.zip: holds others' work, too; take theirs out by hand",
        f"left: course/inbox/zoe-{NAME}.ipynb: may name them; look, and take that out by hand",
        "left: backups, and everything uploaded or sent from here; these are out of reach",
    ]
    for place in (
        "course/students.csv: 1 row",
        "course/submitted/zoe",
        "course/autograded/zoe",
        "course/feedback/zoe",
        f"course/results/{NAME}/zoe.json",
        "course/removed-marks.jsonl: 1 line",
        "course/earlier-marks.jsonl: 1 line",
        "course/extensions.csv: 1 row",
        "course/log.jsonl: 3 scores",
        f"course/inbox/zoe/{NAME}.ipynb",
        "course/inbox/alone.zip",
        "course/exports/pages.zip",
    ):
        assert f"removed: {place}\n" in said
    assert "removed: the gradebook (" in said
    assert f"inbound/zoe+{NAME}+2026-11-20 12:00:00 UTC+abc\n" in said

    for table, column in (("student", "id"), ("submitted_assignment", "student_id")):
        assert ("zoe",) not in database.rows(f"SELECT {column} FROM {table}")
    assert database.rows("SELECT * FROM grade WHERE manual_score = 3") == []
    assert {path: path.read_bytes() for path in others} == others
    assert (lived.state / "students.csv").read_bytes().decode() == CLASS_LIST.replace(
        'zoe,Zoe Zebra,zoe@x.org,"also\r\ntwo"\r\n', ""
    )
    assert "ann" in (lived.state / "log.jsonl").read_text()


@mostly_sqlite
def test_the_course_goes_on_without_them(lived, database):
    run(lived, "forget", "zoe")
    (lived.inbox / "submissions.zip").unlink()
    said = run(lived, "grade", NAME, "--jobs", 1).stdout
    assert "zoe" not in said
    assert "2 graded" in said
    assert "zoe" not in run(lived, "export", NAME, "--output", "-").stdout


@mostly_sqlite
def test_an_extension_that_nobody_else_has_goes_too(lived, database):
    """A line for somebody who is not on the class list is a mistake: the course would stand still."""
    people = "id,group\nann,A\nzoe,B\nbob,A\n"
    courses.class_list(lived, people)
    lines = ["who,exercise,until\n", "A,,waived\n", "B,,waived\n", f"zoe,{NAME},waived\n"]
    (lived.state / "extensions.csv").write_text("".join(lines))
    said = run(lived, "forget", "zoe").stdout
    assert "removed: course/extensions.csv: 2 rows\n" in said
    assert (lived.state / "extensions.csv").read_text() == "".join(lines[:2])
    run(lived, "report", NAME)


@mostly_sqlite
def test_what_names_them_elsewhere_is_said(lived, database):
    (lived.state / "notes.txt").write_text("call Zoe Zebra")
    said = run(lived, "forget", "zoe").stdout
    assert "left: course/notes.txt: may name them; look, and take that out by hand" in said


@mostly_sqlite
def test_nobody_of_this_name(lived, database):
    for name, why in (("eve", "knows no student eve;"), ("../ann", "is not a student id;")):
        assert why in run(lived, "forget", name, code=2).stderr
    # Part of another's id is nobody's.
    assert "knows no student zo;" in run(lived, "forget", "zo", code=2).stderr


@pytest.mark.parametrize("name", ["nul", "ada.", "com1.x"])
def test_an_id_that_this_system_has_other_uses_for_is_refused_before_anything_is_changed(
    course, monkeypatch, name
):
    courses.submit(course, "ada", RIGHT)
    monkeypatch.setattr(files, "WINDOWS", True)
    for change in (
        lambda: forget(course, name),
        lambda: rename(course, "ada", name),
        lambda: rename(course, name, "ada"),
    ):
        with pytest.raises(Unusable) as refused:
            change()
        assert (
            str(refused.value)
            == f"{name}: has a name that Windows has other uses for; use another id"
        )
    assert [path.name for path in course.submitted.iterdir()] == ["ada"]


@mostly_sqlite
def test_a_word_that_stands_in_every_report_is_nobody(lived, database):
    page = lived.state / "reports" / f"{NAME}.html"
    before = page.read_bytes()
    assert b"score" in before
    assert "knows no student score;" in run(lived, "forget", "score", code=2).stderr
    assert page.read_bytes() == before
    assert (lived.submitted / "zoe").is_dir()


@mostly_sqlite
def test_a_terminal_is_asked_once_with_what_would_go(lived, monkeypatch):
    asked = []
    answers = iter(["no", "", "yes"])

    def answer(question: str) -> str:
        asked.append(question)
        return next(answers)

    monkeypatch.setattr("builtins.input", answer)
    monkeypatch.setattr("autograder.commands.keeping.has_terminal", lambda: True)
    for _ in range(2):
        said = run(lived, "forget", "zoe", code=1).stdout
        assert said == "nothing was removed of zoe\n"
    assert (lived.submitted / "zoe").is_dir()
    assert asked[0].startswith("forget zoe (Zoe Zebra) for good, with 1 submission, 1 result,")

    # Nobody is asked about nobody.
    run(lived, "forget", "nobody", code=2)
    assert len(asked) == 2
    run(lived, "forget", "bob", "--yes")
    assert len(asked) == 2
    assert "removed: " in run(lived, "forget", "zoe").stdout
    assert not (lived.submitted / "zoe").exists()


def of_student(course: Course, student: str) -> dict[str, object]:
    exported = run(course, "export", NAME, "--to", "json", "--output", "-").stdout
    (found,) = [one for one in json.loads(exported)["students"] if one["student"] == student]
    found["result"].pop("student")
    return {**found, "student": ""}


def test_a_student_with_another_id_has_everything_as_before(lived, database):
    before = of_student(lived, "zoe")
    said = run(lived, "rename", "zoe", "zoe.z").stdout
    for place in (
        "the gradebook (",
        "course/submitted/zoe.z\n",
        "course/autograded/zoe.z\n",
        "course/feedback/zoe.z\n",
        f"course/results/{NAME}/zoe.z.json\n",
        "course/removed-marks.jsonl: 1 line\n",
        "course/earlier-marks.jsonl: 1 line\n",
        "course/extensions.csv: 1 row\n",
        "course/students.csv: 1 row\n",
        "course/log.jsonl: 3 scores\n",
        "course/inbox/zoe.z\n",
    ):
        assert f"renamed: {place}" in said
    assert f"inbound/zoe.z+{NAME}+2026-11-20 12:00:00 UTC+abc\n" in said

    assert of_student(lived, "zoe.z") == before
    assert before["score"] == 13
    assert (lived.state / "students.csv").read_bytes().decode() == CLASS_LIST.replace(
        "zoe,Zoe", "zoe.z,Zoe"
    )
    # Nothing is graded again, and nobody is twice.
    assert "nothing new: 3 results" in run(lived, "grade", NAME, "--jobs", 1).stdout
    assert of_student(lived, "zoe.z") == before
    for table, column in (("student", "id"), ("submitted_assignment", "student_id")):
        assert ("zoe",) not in database.rows(f"SELECT {column} FROM {table}")
    log = (lived.state / "log.jsonl").read_text()
    assert '"command": "rename"' in log and '"zoe"' not in log
    assert "knows no student zoe;" in run(lived, "rename", "zoe", "other", code=2).stderr


@mostly_sqlite
def test_an_id_with_work_of_its_own_is_not_taken(lived, database):
    said = run(lived, "rename", "zoe", "ann", code=2).stderr
    assert "ann: has work of its own, course/submitted/ann, course/autograded/ann, " in said
    assert len(said.splitlines()) == 1
    for ids, why in (
        (("zoe", "../x"), "is not a student id"),
        (("zoe", "zoe"), "is the id already"),
        (("eve", "zoe"), "knows no student eve"),
    ):
        assert why in run(lived, "rename", *ids, code=2).stderr
    assert (lived.submitted / "zoe").is_dir() and not (lived.state / "renaming.json").exists()

    # Whoever stands on the class list and has no work may be the same person.
    with (lived.state / "students.csv").open("a", newline="") as people:
        people.write("zoe.z,Zoe Zebra,zoe@x.org,\r\n")
    said = run(lived, "rename", "zoe", "zoe.z").stdout
    assert "students.csv: the row of zoe is gone, zoe.z has its own" in said


@mostly_sqlite
def test_a_renaming_that_was_cut_short_is_gone_on_with(lived, database, monkeypatch):
    before = of_student(lived, "zoe")
    write, move, count = files.write, Path.rename, 0

    def stop_at(number: int) -> None:
        nonlocal count
        count = 0

        def tick() -> None:
            nonlocal count
            count += 1
            if count == number:
                raise KeyboardInterrupt

        monkeypatch.setattr(files, "write", lambda *given: (tick(), write(*given)))
        monkeypatch.setattr(Path, "rename", lambda *given: (tick(), move(*given)))

    number = 1
    while True:
        number += 1
        stop_at(number)
        try:
            rename(lived, "zoe", "zoe.z")
        except KeyboardInterrupt:
            monkeypatch.undo()
            monkeypatch.chdir(lived.root)
            other = run(lived, "rename", "ann", "anna", code=2).stderr
            assert "was cut short; run autograder rename zoe zoe.z first" in other
            continue
        break
    monkeypatch.undo()
    monkeypatch.chdir(lived.root)
    assert number > 3
    assert of_student(lived, "zoe.z") == before
    assert not (lived.submitted / "zoe").exists()

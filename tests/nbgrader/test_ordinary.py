"""Assignments of nbgrader's own beside exercises of the kit, in the folders of either."""

import json
import os
import re
import shutil
import signal
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Base, Gradebook  # type: ignore[import-untyped]
from typer.testing import CliRunner

from autograder.base.errors import Unusable
from autograder.cli import app
from autograder.course.course import find
from autograder.course.gradebook import config as host
from autograder.course.gradebook import course_grades, final_grades, ordinary
from autograder.course.grading.interruption import Journal
from autograder.course.keeping import backup, join, people
from autograder.exercises import exercise
from autograder.nbgrader import execution
from autograder.sandbox import levels, notebooks
from autograder.sandbox.notebooks import NotRun
from autograder.sandbox.worker import landlock
from benchmarks.ordinary import OWN_CONFIG, answer, graded, notebook
from tests.support import courses, processes
from tests.support.courses import NAME, RIGHT
from tests.support.noting import noted

# nbgrader's and nbconvert's own code, not ours.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.usefixtures("graded_here"),
    pytest.mark.skipif(sys.platform == "win32", reason="nbgrader's exchange needs POSIX"),
]


def question(id: str, points: float) -> dict:
    marks = {"schema_version": 3, "grade_id": id, "grade": True, "locked": False}
    marks |= {"solution": True, "task": False, "points": points, "cell_type": "markdown"}
    return {"cell_type": "markdown", "id": id, "metadata": {"nbgrader": marks}, "source": "Why?"}


SOLVED = "### BEGIN SOLUTION\ndef triple(x):\n    return 3 * x\n### END SOLUTION"
SOURCE = notebook(
    [
        answer("triple", SOLVED),
        graded("two", "assert triple(2) == 6", 2),
        graded(
            "hidden", "### BEGIN HIDDEN TESTS\nassert triple(-1) == -3\n### END HIDDEN TESTS", 3
        ),
        question("why", 4),
    ]
)


def write_source(folder: Path) -> None:
    """An assignment of nbgrader's own, ``ps1``, with a notebook that is called otherwise."""
    (folder / "ps1").mkdir(parents=True)
    (folder / "ps1" / "problem.ipynb").write_text(SOURCE)


@pytest.fixture(params=["kit", "nbgrader"])
def mixed(request, tmp_path, monkeypatch):
    """A course with an exercise of the kit and one of nbgrader's, in the folders of either."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("AUTOGRADER_COURSE", raising=False)
    courses.write_root(tmp_path)
    if request.param == "kit":
        write_source(tmp_path / "solutions")
        return find()

    aside = tmp_path / "aside"
    aside.mkdir()
    for name in ("solutions", "assignments"):
        (tmp_path / name).rename(aside / name)
    (tmp_path / "nbgrader_config.py").write_text(OWN_CONFIG)
    write_source(tmp_path / "source")
    join.join(tmp_path, [])
    (aside / "solutions" / f"{NAME}.py").rename(tmp_path / "solutions" / f"{NAME}.py")
    for old, new in (("solutions", "source"), ("assignments", "release")):
        shutil.copytree(aside / old / NAME, tmp_path / new / NAME)
    (aside / "assignments").rename(tmp_path / "assignments")  # students' answers begin with it
    return find()


def test_both_kinds_are_released_graded_added_up_packed_and_forgotten(mixed, tmp_path):
    full, released = (Path(mixed.root, name) for name in exercise.sources.folders(mixed.root))
    api = host.api(mixed)
    for name in ("ps1", NAME):
        made = api.generate_assignment(name)
        assert made["success"], made
    text = (released / "ps1" / "problem.ipynb").read_text()
    assert "triple(-1)" not in text and "3 * x" not in text and "# YOUR CODE HERE" in text

    shutil.copytree(full / "ps1", mixed.submitted / "ann" / "ps1")
    shutil.copytree(released / "ps1", mixed.submitted / "bob" / "ps1")
    courses.submit(mixed, "ann", RIGHT, "2026-11-20 11:00:00 UTC")
    for student, name in (("ann", "ps1"), ("bob", "ps1"), ("ann", NAME)):
        outcome = api.autograde(name, student)
        assert outcome["success"], outcome
    for name in ("ps1", NAME):
        assert api.generate_feedback(name)["success"]
    pages = sorted(path.name for path in mixed.feedback.glob("ann/*/*.html"))
    assert pages == [f"{NAME}.html", "problem.html"]

    grades = final_grades.of_class(mixed, ordinary.find(mixed, "ps1"))
    assert grades.max_score == 9
    assert {one.student: one.score for one in grades.grades} == {"ann": 5, "bob": 0}
    assert grades.grades[0].pending == "waits for your marks"
    total = course_grades.of_course(mixed)
    assert [one.name for one in total.exercises] == [NAME, "ps1"]
    assert total.rows[0].total == pytest.approx(100 * (10 / 14 + 5 / 9) / 2)

    backup.write(mixed, tmp_path / "all.tar.gz")
    place = tmp_path / "elsewhere"
    (place / "solutions").mkdir(parents=True)
    backup.restore(find(place / "course"), tmp_path / "all.tar.gz")
    again = find(place / "course")
    assert course_grades.of_course(again).rows == total.rows
    people.forget(mixed, "ann")
    left = final_grades.of_class(mixed, ordinary.find(mixed, "ps1")).grades
    assert [one.student for one in left] == ["bob"]


def test_extensions_and_the_rule_for_late_work_hold_for_ordinary_assignments(mixed):
    api = host.api(mixed)
    api.generate_assignment("ps1")
    with api.gradebook as book:
        book.update_or_create_assignment("ps1", duedate="2026-11-20 12:00:00 UTC")
        book.db.commit()
    full = Path(mixed.root, exercise.sources.folders(mixed.root)[0])
    for student in ("ann", "bob"):
        shutil.copytree(full / "ps1", mixed.submitted / student / "ps1")
        stamp = mixed.submitted / student / "ps1" / "timestamp.txt"
        stamp.write_text("2026-11-20 13:00:00.000000 UTC")
        assert api.autograde("ps1", student)["success"]
    (mixed.state / "extensions.csv").write_text(
        "who,exercise,until\nbob,ps1,2026-11-21 18:00 UTC\n"
    )
    (mixed.state / "autograder.toml").write_text('[late.ps1]\nrule = "zero"\n')
    again = find()
    grades = final_grades.of_class(again, ordinary.find(again, "ps1")).grades
    assert {one.student: one.score for one in grades} == {"ann": 0, "bob": 5}


def test_joining_shows_its_lines_changes_no_other_file_and_can_be_undone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_source(tmp_path / "source")
    config = tmp_path / "nbgrader_config.py"
    config.write_text(OWN_CONFIG)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    said = CliRunner().invoke(app(), ["join"])
    assert said.exit_code == 0, said.output
    lines = config.read_text().removeprefix(OWN_CONFIG).split("\n")
    for line in filter(None, lines):
        assert f": + {line}\n" in said.output
    after = {path: path.read_bytes() for path in before}
    assert {path for path in before if before[path] != after[path]} == {config}
    with pytest.raises(Unusable, match="joined already"):
        join.join(tmp_path, [])

    assert CliRunner().invoke(app(), ["join", "--undo"]).exit_code == 0
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    assert not (tmp_path / "course").exists() and not (tmp_path / "solutions").exists()


@pytest.mark.parametrize(
    "line, said",
    [
        ("c.CourseDirectory.source_directory = 'src'", "source_directory is src"),
        ("c.CourseDirectory.directory_structure = '{student_id}'", "directory_structure is set"),
        ("1 / 0", "ZeroDivisionError"),
    ],
)
def test_a_course_that_cannot_join_stays_as_it_is(tmp_path, monkeypatch, line, said):
    monkeypatch.chdir(tmp_path)
    write_source(tmp_path / "source")
    (tmp_path / "nbgrader_config.py").write_text(OWN_CONFIG + line + "\n")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(Unusable, match=said):
        join.join(tmp_path, [])
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


NEEDS_BUBBLEWRAP = pytest.mark.skipif(not levels.BUBBLEWRAP.is_installed, reason="no bubblewrap")

HOSTILE = """
import os, socket, sys
said = []
for attack in (
    lambda: open(SECRET).read(),
    lambda: os.listdir(ROOT),
    lambda: socket.create_connection(("1.1.1.1", 80), 2),
    lambda: open("/usr/left", "w"),
    lambda: os.kill(PARENT, 9),
):
    try:
        said.append(repr(attack()))
    except Exception as error:
        said.append(type(error).__name__)
open("left", "w").write("gone with the sandbox")
print(said, open("data.txt").read())
marks = "triple(-" + "1)", "HIDDEN" + " TESTS"
print("seen", [mark in open("problem.ipynb").read() for mark in marks], "YOUR" in open("problem.ipynb").read())
for frame in sys._current_frames().values():
    while frame:
        if any(marks[0] in str(held) for held in list(frame.f_locals.values()) if isinstance(held, str)):
            print("seen in", frame.f_code.co_name)
        frame = frame.f_back

def triple(x):
    return 3 * x
"""


@NEEDS_BUBBLEWRAP
@pytest.mark.everything
@pytest.mark.parametrize(
    "mixed, level", [("kit", "bubblewrap"), ("nbgrader", "landlock")], indirect=["mixed"]
)
def test_a_class_of_ordinary_notebooks_is_graded_in_sandboxes_as_nbgrader_would(
    mixed, level, monkeypatch
):
    if level == "landlock" and landlock.version() < notebooks.SCOPES:
        pytest.skip("the kernel's Landlock is too old")
    config = mixed.root / "nbgrader_config.py"
    config.write_text(config.read_text() + "\nget_config().Execute.timeout = 5\n")
    full = Path(mixed.root, exercise.sources.folders(mixed.root)[0])
    (full / "ps1" / "data.txt").write_text("a file beside it")
    api = host.api(mixed)
    assert api.generate_assignment("ps1")["success"]
    names = {"SECRET": repr(str(mixed.state / "secret")), "ROOT": repr(str(mixed.root))}
    hostile = HOSTILE.replace("PARENT", str(os.getpid()))
    for name, value in names.items():
        hostile = hostile.replace(name, value)
    sources = {
        "ann": "def triple(x):\n    return 3 * x",
        "bob": "def triple(x):\n    return abs(3 * x)",
        "eve": hostile,
        "kim": "import os\nos._exit(1)",
        "lee": "def triple(x):\n    while True:\n        pass",
        "mia": "print('y' * 80_000_000)",
    }
    for student, source in sources.items():
        folder = mixed.submitted / student / "ps1"
        folder.mkdir(parents=True)
        handed_in = json.loads(SOURCE)
        handed_in["cells"][0]["source"] = source
        handed_in["cells"][1]["source"] = "pass"  # a locked cell, which is restored
        (folder / "problem.ipynb").write_text(json.dumps(handed_in))
    (mixed.submitted / "ann" / "ps1" / "link").symlink_to(mixed.root)
    mixed.secret()

    left = Path(tempfile.mkdtemp(prefix=f"notebooks-{os.getpid()}-", dir="/tmp"))  # by one killed
    at_level = replace(mixed, settings=replace(mixed.settings, isolation=level))
    failed, faults = execution.grade(at_level, "ps1", 2)
    assert not faults
    if level == "landlock":  # at the other one a test beside this one may remove it
        assert not left.exists()
    shutil.rmtree(left, ignore_errors=True)
    assert sorted(failed) == ["ann", "kim", "mia"]
    assert "is a link" in failed["ann"] and "kernel" in failed["kim"].casefold()
    grades = final_grades.of_class(mixed, ordinary.find(mixed, "ps1")).grades
    assert {one.student: one.score for one in grades} == {
        "ann": None, "bob": 2, "eve": 5, "kim": None, "lee": 0, "mia": None,
    }  # fmt: skip
    assert {one.status for one in grades if one.score is None} == {"rejected"}
    written = json.loads((mixed.autograded / "eve" / "ps1" / "problem.ipynb").read_text())
    said = "".join(written["cells"][0]["outputs"][0]["text"])
    assert said.count("Error") == 5 and "a file beside it" in said
    assert "seen [False, False]" in said and "seen in" not in said
    assert not list(mixed.root.rglob("left"))
    assert not list(Path("/tmp").glob(f"notebooks-{os.getpid()}-*"))

    # Nothing is done twice, and nbgrader itself says the same.
    monkeypatch.setattr(execution, "_graded", None)
    assert execution.grade(at_level, "ps1", 2) == (failed, {})
    before = {one.student: one.score for one in grades if one.student in ("bob", "lee")}
    for student in before:
        assert api.autograde("ps1", student)["success"]
    stock = final_grades.of_class(mixed, ordinary.find(mixed, "ps1")).grades
    assert {one.student: one.score for one in stock if one.student in before} == before


@NEEDS_BUBBLEWRAP
@pytest.mark.everything
@pytest.mark.parametrize("mixed", ["kit"], indirect=True)
def test_questions_alone_wait_for_marks_and_go_along_with_a_renamed_student(mixed):
    (mixed.root / "solutions" / "ps1" / "problem.ipynb").write_text(notebook([question("why", 4)]))
    api = host.api(mixed)
    assert api.generate_assignment("ps1")["success"]
    folder = mixed.submitted / "ann" / "ps1"
    folder.mkdir(parents=True)
    asked = (mixed.root / "assignments" / "ps1" / "problem.ipynb").read_text()
    (folder / "problem.ipynb").write_text(asked.replace("YOUR ANSWER HERE", "Because."))

    said = CliRunner().invoke(app(), ["grade", "ps1"])
    assert said.exit_code == 0, said.output
    (grade,) = final_grades.of_class(mixed, ordinary.find(mixed, "ps1")).grades
    assert grade.pending == "waits for your marks"
    with api.gradebook as book:
        mark = book.find_grade("why", "problem", "ps1", "ann")
        mark.manual_score, mark.needs_manual_grade = 3, False
        book.db.commit()

    said = CliRunner().invoke(app(), ["rename", "ann", "anna"])
    assert said.exit_code == 0, said.output
    assert CliRunner().invoke(app(), ["grade", "ps1"]).exit_code == 0
    (grade,) = final_grades.of_class(mixed, ordinary.find(mixed, "ps1")).grades
    assert (grade.student, grade.score, grade.pending) == ("anna", 3, "")


RIGHT_TRIPLE = "def triple(x):\n    return 3 * x"
KINDS = (
    RIGHT_TRIPLE,
    "def triple(x):\n    return abs(3 * x)",
    "import random\nrandom.seed(3)\nprint(random.random())\ntriple = lambda x: x + x + x",
    "def triple(x)\n    return 3 * x",
    "raise ValueError('not done')",
    "def triple(x):\n    while x > 0: pass\n    return 3 * x",  # never ends, and is interrupted
)
FORKS = """
import os, signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
for _ in range(1000):
    try:
        os.fork()
    except OSError:
        pass
while True:
    pass
"""
IGNORES = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass"
CLASS = 40


def hand_in(course, student: str, source: str, name: str = "problem") -> Path:
    folder = course.submitted / student / "ps1"
    folder.mkdir(parents=True, exist_ok=True)
    text = json.loads(SOURCE)
    text["cells"][0]["source"] = source
    (folder / f"{name}.ipynb").write_text(json.dumps(text))
    return folder / f"{name}.ipynb"


def prepare(course, timeout: int):
    """The course's own grader, with ``ps1`` generated."""
    config = course.root / "nbgrader_config.py"
    config.write_text(config.read_text() + f"\nget_config().Execute.timeout = {timeout}\n")
    api = host.api(course)
    assert api.generate_assignment("ps1")["success"]
    return api


def earned(course, api, student: str) -> list:
    """Each cell's score in the gradebook, and what the autograded notebook shows of it."""
    with api.gradebook as book:
        grades = book.find_submission_notebook("problem", "ps1", student).grades
        cells = sorted((one.name, one.auto_score, one.needs_manual_grade) for one in grades)
    written = json.loads((course.autograded / student / "ps1" / "problem.ipynb").read_text())
    outputs = [cell.get("outputs", []) for cell in written["cells"]]
    kept = ("output_type", "name", "text", "ename", "evalue")
    return [cells, [[[one.get(key) for key in kept] for one in made] for made in outputs]]


@NEEDS_BUBBLEWRAP
@pytest.mark.everything
@pytest.mark.parametrize("mixed", ["nbgrader"], indirect=True)
def test_what_a_few_hand_in_changes_nothing_for_a_class_and_is_a_line_each(mixed):
    api = prepare(mixed, 5)
    kinds = {f"s{number:03}": KINDS[number % len(KINDS)] for number in range(CLASS - 6)}
    for student, source in kinds.items():
        hand_in(mixed, student, source)
    hand_in(mixed, "cut", RIGHT_TRIPLE).write_text(SOURCE[:200])
    damaged = json.loads(SOURCE)
    damaged["cells"][0]["metadata"] = {"nbgrader": "damaged"}
    hand_in(mixed, "damaged", RIGHT_TRIPLE).write_text(json.dumps(damaged))
    hand_in(mixed, "misnamed", RIGHT_TRIPLE, "problem (1)")
    hand_in(mixed, "endless", IGNORES)
    hand_in(mixed, "forks", FORKS)
    os.mkfifo(hand_in(mixed, "pipe", RIGHT_TRIPLE).with_name("pipe"))

    failed, faults = execution.grade(mixed, "ps1", 2)
    assert not faults
    assert sorted(failed) == ["cut", "damaged", "endless", "forks", "misnamed", "pipe"]
    for student, said in {
        "cut": "problem.ipynb: NotJSONError.* ask for it again",
        "damaged": "problem.ipynb: AttributeError.* ask for it again",
        "misnamed": "misnamed/ps1 has no problem.ipynb; give the notebook there this name",
        "endless": "problem.ipynb: .*code cell 1 .*; ask for one that runs to its end",
        "forks": "problem.ipynb: .*; ask for one that runs to its end",
        "pipe": "pipe is no file and no folder; remove it",
    }.items():
        assert re.search(said, failed[student]) and "\n" not in failed[student]

    given = {student: earned(mixed, api, student) for student in kinds}
    stock = {}
    for student in list(kinds)[: len(KINDS)]:
        assert api.autograde("ps1", student)["success"]
        stock[kinds[student]] = earned(mixed, api, student)
    assert len({str(one) for one in stock.values()}) == len(KINDS)
    assert given == {student: stock[source] for student, source in kinds.items()}


def test_no_student_chooses_what_is_imported_for_all():
    """A module may be a program, which ends whatever imports it."""
    for source, modules in (
        ("import numpy as np, sys\nfrom matplotlib import pyplot", {"numpy", "matplotlib.pyplot"}),
        ("import numpy.f2py.__main__\nfrom numpy.f2py import __main__", set()),
        ("'''\nimport matplotlib.tests\nfrom scipy import conftest\n'''", {"scipy"}),
    ):
        made = nbformat.reads(notebook([answer("one", source)]), as_version=4)
        assert execution._imported(made) - {"matplotlib"} == modules


@NEEDS_BUBBLEWRAP
@pytest.mark.everything
@pytest.mark.parametrize("mixed", ["kit"], indirect=True)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_run_that_is_stopped_leaves_nothing_behind_and_the_next_one_goes_on(mixed, number):
    prepare(mixed, 3600)
    students = [f"s{one}" for one in range(4)]
    for student in students:
        hand_in(mixed, student, RIGHT_TRIPLE)
    hand_in(mixed, "s9", IGNORES)  # it is still at work when the run is stopped
    with processes.start("grade", "ps1", "--jobs", 1, cwd=mixed.root) as run:
        noted = mixed.autograded / "s1" / ".ps1.graded"
        processes.until(noted.exists, "the second student")
        left = list(processes.below(run.pid))
        assert len(left) > 1
        run.send_signal(number)
        said = run.communicate()[1]
    assert run.returncode in (-signal.SIGKILL, 128 + signal.SIGTERM)
    assert number == signal.SIGKILL or "what was graded is kept" in said
    processes.until(lambda: not any(map(processes.command, left)), "its processes to end")

    hand_in(mixed, "s9", RIGHT_TRIPLE)
    graded = {path: path.stat().st_mtime_ns for path in mixed.autograded.glob("*/.ps1.graded")}
    assert 2 <= len(graded) <= 4
    assert execution.grade(mixed, "ps1", 1) == ({}, {})
    assert {path: path.stat().st_mtime_ns for path in graded} == graded
    grades = final_grades.of_class(mixed, ordinary.find(mixed, "ps1")).grades
    assert {one.student: one.score for one in grades} == dict.fromkeys([*students, "s9"], 5)


@NEEDS_BUBBLEWRAP
@pytest.mark.everything
@pytest.mark.parametrize("mixed", ["nbgrader"], indirect=True)
def test_one_run_at_a_time_grades_an_assignment_and_says_how_far_it_is(mixed):
    prepare(mixed, 60)
    for student in ("ann", "bob"):
        hand_in(mixed, student, RIGHT_TRIPLE)
    hand_in(mixed, "cut", RIGHT_TRIPLE).write_text(SOURCE[:200])
    with Journal(mixed.results / "ps1"):
        second = processes.start("grade", "ps1", "--jobs", 2, cwd=mixed.root)
        waiting = second.stderr.readline()
        assert "ps1: another run is at work here; waiting for it" in waiting
        assert not list(mixed.autograded.glob("*/.ps1.graded"))
    with second:
        said, errors = second.communicate(timeout=processes.SECONDS)
    assert (second.returncode, errors) == (0, "")
    first, *_, last = [line for line in said.splitlines() if line.startswith("grading ps1: ")]
    assert first.startswith("grading ps1: 1 of 3") and last.startswith("grading ps1: 3 of 3")
    assert last.endswith("1 without a grade")

    again = CliRunner().invoke(app(), ["grade", "ps1"])
    assert again.exit_code == 0 and "nothing new: 3 results are up to date" in again.output
    absent = CliRunner().invoke(app(), ["grade", "ps1", "--student", "zoe"])
    assert str(absent.exception).startswith("zoe: there is no ps1 of theirs")


REFUSED = {
    ("--isolation", "process"): "process does not work .*; write bubblewrap or landlock, or leave",
    ("--scheduler", "tcp://a:1"): "--scheduler: does not work with ps1, .*; leave it out",
    (): "minimum_isolation is bubblewrap, and here there is landlock; run",
}


@pytest.mark.parametrize("mixed", ["kit"], indirect=True)
def test_a_level_or_a_cluster_that_no_notebook_can_have_is_refused_in_a_line(mixed, monkeypatch):
    monkeypatch.setattr(notebooks, "_works", lambda level: level is levels.LANDLOCK)
    assert host.api(mixed).generate_assignment("ps1")["success"]
    hand_in(mixed, "ann", RIGHT_TRIPLE)
    (mixed.root / "autograder.toml").write_text('minimum_isolation = "bubblewrap"\n')
    for options, said in REFUSED.items():
        error = CliRunner().invoke(app(), ["grade", "ps1", *options]).exception
        assert isinstance(error, Unusable) and re.search(said, str(error))
        assert "\n" not in str(error)


def test_what_comes_out_of_a_sandbox_is_taken_as_outputs_alone():
    svg = {"image/svg+xml": "<svg onload='x()'/>", "text/plain": "a"}
    page = "<style>x</style><table onclick='x()'><tr><td>1</td></tr></table><script>x()</script>"
    picture = {"image/png": '"><script>x()</script>', "text/html": page, "text/plain": "b"}
    said = {"count": 1, "outputs": []}
    for data in (svg, picture):
        said["outputs"].append({"output_type": "display_data", "data": data, "metadata": {"a": 1}})
    first, second = execution.taken(said)[0]
    assert first.data == {"text/plain": "a"} and first.metadata == {}
    table = "<table><tbody><tr><td>1</td></tr></tbody></table>"
    assert second.data == {"text/plain": "b", "text/html": table}
    for strange in ({}, {"count": 1, "outputs": [{"output_type": "script"}]}, "outputs", None):
        with pytest.raises(NotRun):
            execution.taken(strange)


def test_outputs_that_take_long_to_clean_end_with_their_own_notebook(monkeypatch):
    monkeypatch.setattr(execution, "CLEANING_SECONDS", 1)
    made = {"output_type": "display_data", "data": {"text/plain": "a"}, "metadata": {}}
    assert execution.all_taken([{"count": 1, "outputs": [made]}])[0][0][0].data == made["data"]
    nested = {**made, "data": {"text/html": "<div>" * (execution.MOST_HTML // len("<div>"))}}
    with pytest.raises(NotRun, match="take more than 1 s to clean"):
        execution.all_taken([{"count": 1, "outputs": [nested]}])


PARTS = {f"a/{number}": "a" for number in range(execution.MOST_FORMATS + 1)}


@pytest.mark.parametrize(
    ("output", "number", "why"),
    [
        ({"data": PARTS}, 1, "in more than 100 formats"),
        (PARTS, 1, "in more than 100 formats"),
        ({"data": dict(list(PARTS.items())[:50])}, 500, "20000 lines and formats"),
        ({"traceback": ["a"] * 20_000}, 1, "20000 lines and formats"),
        ({"data": {"text/plain": ["a"] * 20_000}}, 1, "20000 lines and formats"),
    ],
)
def test_outputs_of_very_many_parts_are_refused_before_they_are_validated(output, number, why):
    """300,000 formats that are none took 160 s of the grading process, which nothing bounded."""
    with pytest.raises(NotRun, match=why):
        execution.refuse_many_parts([output] * number)


def test_outputs_that_people_make_have_few_parts():
    figure = {"application/vnd.plotly.v1+json": {"x": [0] * 50_000}, "text/html": "a"}
    table = {"application/json": ["a"] * 50_000, "text/plain": "a"}
    made = [{"output_type": "display_data", "data": data} for data in (figure, table)]
    broken = {"output_type": "error", "ename": "a", "evalue": "", "traceback": ["a"] * 3_000}
    execution.refuse_many_parts([*made * 1_000, broken, "none", None])


@pytest.mark.parametrize("value", [[], {}, {"a": 0}, "", "a"])
def test_outputs_of_very_many_values_are_refused_before_they_are_read(monkeypatch, value):
    """64 MB of JSON may be 2 GB of lists, and minutes of looking at them."""
    said = json.dumps({"cells": [{"outputs": [value] * notebooks.MOST_VALUES}]}).encode()
    assert len(said) < notebooks.MOST_OUTPUT // 4
    sandbox = notebooks.Sandbox(Path("none"))
    monkeypatch.setattr(sandbox, "_answer", lambda *_: said)
    loads = noted(monkeypatch, json, "loads")
    with pytest.raises(NotRun, match="outputs hold more than 1000000 values"):
        sandbox.run("{}", Path("/nowhere"), {})
    assert not loads


def test_a_grading_process_looks_once_for_what_a_gradebook_needs(tmp_path, monkeypatch):
    looked = []
    create_all = Base.metadata.create_all

    def create(bind):
        looked.append(bind)
        create_all(bind)

    monkeypatch.setattr(Base.metadata, "create_all", create)
    monkeypatch.setattr(Gradebook, "__init__", Gradebook.__init__)
    execution._open_once()
    url = f"sqlite:///{tmp_path}/gradebook.db"
    for student in ("ann", "bob"):
        with Gradebook(url) as book, Gradebook(url) as other:
            book.add_student(student)
            assert other.find_student(student) in other.db and book.db is not other.db
            other.db.commit()
            assert book.find_student(student) not in other.db
    with Gradebook(url, "c101") as book:
        assert book.find_student("bob") and book.course_id == "c101"
    assert len(looked) == 2  # for each of the two courses in it

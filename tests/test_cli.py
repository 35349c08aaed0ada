"""The command line as its users meet it: exit codes, one line for a mistake, nothing
half-written."""

import json
import os
import select
import shutil
import signal
import sys
from pathlib import Path

import pytest

import autograder
from autograder import cli
from autograder.base.errors import Interrupted
from autograder.course.course import Course
from tests.support import processes
from tests.support.courses import NAME, RIGHT, ROOT, handed_in
from tests.support.processes import call, call_apart, finished, mistake, modules, running
from tests.support.typing_in import typed

pytestmark = pytest.mark.usefixtures("graded_here", "checked_here")

RELEASE = ROOT / "assignments" / "attention" / "attention.ipynb"
FULL = ROOT / "solutions" / "attention" / "attention.ipynb"


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("a file")
    (tmp_path / "text.ipynb").write_text("hello")
    (tmp_path / "half.ipynb").write_bytes(RELEASE.read_bytes()[:5000])
    cell = {
        "cell_type": "code",
        "id": "a",
        "metadata": {},
        "source": "x = 1",
        "outputs": [],
        "execution_count": None,
    }
    (tmp_path / "other.ipynb").write_text(
        json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]})
    )
    return tmp_path


@pytest.mark.parametrize("command", ["check", "score"])
@pytest.mark.parametrize(
    "name", ["missing.ipynb", "folder", "text.ipynb", "half.ipynb", "other.ipynb"]
)
def test_a_notebook_that_cannot_be_used_gets_one_line(bad, command, name):
    assert name in mistake(call(command, bad / name))


@pytest.mark.parametrize("command", ["grade", "feedback", "report", "release", "collect", "build"])
def test_an_unknown_exercise_gets_one_line_with_those_there_are(command):
    line = mistake(call(command, "nowhere"))
    assert "nowhere" in line and "attention" in line


@pytest.mark.parametrize("command", ["grade", "feedback", "report", "release", "collect"])
def test_a_course_that_lies_in_a_file_gets_one_line(bad, command):
    assert "is a file" in mistake(call(command, "attention", "--course", bad / "file"))
    assert "is a file" in mistake(call(command, "attention", "--course", bad / "file" / "course"))


def test_a_folder_of_submissions_that_is_not_there_gets_one_line(bad):
    assert "no such folder" in mistake(
        call("grade", "attention", "--course", bad / "c", "--submitted", bad / "none")
    )
    assert not (bad / "c").exists()


@pytest.mark.parametrize("place", ["none/result.json", "folder"])
def test_a_place_that_cannot_be_written_is_said_before_anything_is_graded(bad, place):
    done = call("score", RELEASE, "--json", bad / place)
    mistake(done)
    assert done.stdout == ""
    assert sorted(path.name for path in bad.iterdir()) == [
        "file",
        "folder",
        "half.ipynb",
        "other.ipynb",
        "text.ipynb",
    ]


def test_pages_before_grading_get_one_line(bad):
    for command in ("report", "feedback"):
        assert "run autograder grade attention" in mistake(
            call(command, "attention", "--course", bad / "c")
        )


def test_a_blank_notebook_fails_its_own_checks():
    done = finished("check", RELEASE, code=1)
    assert (
        "0 of 40 points" in done.stdout
        and "worth 60 points, are graded after you hand in" in done.stdout
    )


def test_a_right_notebook_passes_its_own_checks_where_nothing_else_is(tmp_path):
    own = json.loads(RELEASE.read_text())
    answers = {cell["id"]: cell["source"] for cell in json.loads(FULL.read_text())["cells"]}
    for cell in own["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("solution") and cell["cell_type"] == "code":
            cell["source"] = answers[cell["id"]]
        cell["metadata"] = {}
        del cell["id"]
    (tmp_path / "mine.ipynb").write_text(json.dumps(own))
    done = call("check", "mine.ipynb", cwd=tmp_path)
    assert (done.returncode, "40 of 40 points" in done.stdout) == (0, True), done


def test_the_exercise_is_the_one_that_the_notebook_itself_names_whatever_the_file_is_called(
    tmp_path,
):
    notebook = ROOT / "assignments" / "tokenizer" / "tokenizer.ipynb"
    renamed = tmp_path / "attention.ipynb"
    renamed.write_bytes(notebook.read_bytes())
    done = call("score", renamed, "--json", "-", AUTOGRADER_SECRET="s")
    assert (done.returncode, json.loads(done.stdout)["exercise"]) == (0, "tokenizer"), done
    assert done.stderr.startswith("Tokens, built by hand\n")
    assert call("check", renamed).stdout.startswith("Tokens, built by hand\n")

    finished("check", renamed, "--exercise", "tokenizer", code=1)
    line = mistake(call("check", renamed, "--exercise", "attention"))
    assert "is the notebook of tokenizer, not of attention" in line
    line = mistake(call("score", renamed, "--exercise", "attention", "--json", tmp_path / "r.json"))
    assert json.loads((tmp_path / "r.json").read_text())["exercise"] == "attention"
    assert "attention.ipynb" in line
    assert "no such exercise" in mistake(call("score", renamed, "--exercise", "nowhere"))


def test_a_notebook_that_lost_its_metadata_is_graded_as_the_exercise_that_it_fits(tmp_path):
    notebook = json.loads((ROOT / "assignments" / "tokenizer" / "tokenizer.ipynb").read_bytes())
    for marks in ({}, {"autograder": {"exercise": "nowhere"}}, {"autograder": {"exercise": 7}}):
        notebook["metadata"] = marks
        (tmp_path / "attention.ipynb").write_text(json.dumps(notebook))
        done = call("score", tmp_path / "attention.ipynb", "--json", "-", AUTOGRADER_SECRET="s")
        assert json.loads(done.stdout)["exercise"] == "tokenizer"


def test_score_writes_its_result_and_keeps_standard_output_clean_for_json(tmp_path):
    done = finished("score", FULL, "--json", "-", AUTOGRADER_SECRET="s")
    assert json.loads(done.stdout)["score"] == 100
    assert "100 of 100 points" in done.stderr
    done = call("score", FULL, "--json", tmp_path / "result.json")
    assert json.loads((tmp_path / "result.json").read_text())["student"] is None
    assert "100 of 100 points" in done.stdout and "AUTOGRADER_SECRET" in done.stderr


@pytest.mark.parametrize("command", ["grade", "report", "prove"])
def test_what_a_user_can_mend_is_an_error_object_where_json_is_asked_for(bad, command):
    done = call(command, "nowhere", "--json", "-")
    assert "nowhere: no such exercise" in mistake(done)
    assert "no such exercise" in json.loads(done.stdout)["error"]["cause"]

    line = mistake(call(command, "nowhere", "--json", bad / "out.json"))
    error = json.loads((bad / "out.json").read_text())["error"]
    assert error.keys() == {"where", "cause", "repair"}
    assert "wrote" not in line

    done = call("score", RELEASE, "--min-score", "-1", "--json", "-")
    assert json.loads(done.stdout)["error"] == {
        "where": "--min-score -1",
        "cause": "is not a number of points",
        "repair": "write 0 or more, like --min-score 60",
    }


def test_score_of_what_cannot_be_used_writes_a_rejected_result(bad):
    mistake(call("score", bad / "text.ipynb", "--json", bad / "result.json"))
    result = json.loads((bad / "result.json").read_text())
    assert (result["status"], result["score"], result["steps"]) == ("rejected", None, [])


def test_a_score_below_the_wanted_one_exits_with_one():
    finished("score", RELEASE, "--min-score", "1", code=1)
    finished("score", RELEASE, "--min-score", "0")


@pytest.mark.parametrize("points", ["nan", "inf", "-inf", "-1"])
def test_a_least_score_that_is_no_number_of_points_opens_no_gate(points):
    done = call("score", RELEASE, f"--min-score={points}")
    assert done.returncode == 2
    assert f"--min-score {points}: is not a number of points; write 0 or more" in done.stderr


def test_a_command_whose_libraries_are_not_installed_says_how_to_get_them(tmp_path):
    (tmp_path / "jupyterlab.py").write_text(
        "raise ModuleNotFoundError('No module named jupyterlab', name='jupyterlab')"
    )
    line = mistake(call_apart("lab", PYTHONPATH=os.pathsep.join([str(tmp_path), str(ROOT)])))
    assert "jupyterlab: not installed" in line and "make setup" in line


def test_a_level_that_does_not_exist_gets_one_line():
    assert "no such isolation level" in mistake(call("score", RELEASE, "--isolation", "hope"))


def test_grade_lists_folders_that_are_nobodys(tmp_path):
    for name in ("ada", "no body", "..bob"):
        folder = tmp_path / "in" / name / "attention"
        folder.mkdir(parents=True)
        (folder / "attention.ipynb").write_bytes(RELEASE.read_bytes())
    done = finished(
        "grade",
        "attention",
        "--course",
        tmp_path / "c",
        "--submitted",
        tmp_path / "in",
        "--json",
        "-",
    )
    assert [json.loads(line)["student"] for line in done.stdout.splitlines()] == ["ada"]
    assert (
        "'no body' is not a student id" in done.stderr
        and "'..bob' is not a student id" in done.stderr
    )


def test_grade_names_a_folder_of_nearly_the_exercises_name(tmp_path):
    folder = tmp_path / "in" / "eve" / "atention"
    folder.mkdir(parents=True)
    (folder / "attention.ipynb").write_bytes(RELEASE.read_bytes())
    (tmp_path / "in" / "eve" / "homework").mkdir()
    arguments = "grade", "attention", "--course", tmp_path / "c", "--submitted", tmp_path / "in"
    assert "'eve/atention'" in mistake(call(*arguments))
    right = tmp_path / "in" / "ada" / "attention"
    right.mkdir(parents=True)
    (right / "attention.ipynb").write_bytes(RELEASE.read_bytes())
    done = call(*arguments)
    assert done.returncode == 0 and "left out: 'eve/atention' is nearly attention" in done.stdout
    assert "homework" not in done.stdout


def test_grade_names_a_notebook_that_lies_beside_its_folder(tmp_path):
    submitted = tmp_path / "in"
    (submitted / "eve").mkdir(parents=True)
    (submitted / "eve" / "attention.ipynb").write_bytes(RELEASE.read_bytes())
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "students.csv").write_text("id,name\nada,Ada Ash\neve,Eve Elm\n")
    arguments = "grade", "attention", "--course", tmp_path / "c", "--submitted", submitted
    said = mistake(call(*arguments))
    assert "nothing but 'eve/attention.ipynb'" in said
    assert "<student>/attention/attention.ipynb" in said

    right = submitted / "ada" / "attention"
    right.mkdir(parents=True)
    (right / "attention.ipynb").write_bytes(RELEASE.read_bytes())
    done = call(*arguments)
    assert done.returncode == 0 and "left out: 'eve/attention.ipynb' is no <student>" in done.stdout


def test_the_version_is_told():
    done = call_apart("--version")
    assert (done.returncode, done.stdout) == (0, f"autograder {autograder.__version__}\n")


def test_doctor_says_what_works(tmp_path):
    done = finished("doctor", "--course", tmp_path / "c")
    assert "isolation process" in done.stdout and "nbgrader" in done.stdout
    assert not (tmp_path / "c").exists()


def test_the_course_may_stand_before_the_command_after_it_and_in_the_environment(tmp_path):
    for done in (
        call("--course", tmp_path / "c", "report", "attention"),
        call("report", "attention", "--course", tmp_path / "c"),
        call("report", "attention", AUTOGRADER_COURSE=str(tmp_path / "c")),
    ):
        assert str(tmp_path / "c" / "results") in mistake(done)


STOLEN = """
import os
from pathlib import Path

Path({place!r}).write_text(os.environ["TEACHER_TOKEN"])
"""


@pytest.fixture
def clone(course, tmp_path):
    """A student's folder, in which lies all of a course: checks and settings, too."""
    root = tmp_path / "clone"
    shutil.copytree(course.root, root)
    master = root / "solutions" / NAME / f"{NAME}.ipynb"
    stolen = STOLEN.format(place=str(tmp_path / "stolen"))
    master.write_bytes(typed(master, {"double-drawn": stolen}))
    (root / "autograder.toml").write_text('isolation = "process"\n')
    (root / "work").mkdir()
    for place in (f"{NAME}.ipynb", f"work/{NAME}.ipynb"):
        (root / place).write_bytes(handed_in(course, RIGHT))
    (tmp_path / "elsewhere.ipynb").write_bytes(handed_in(course, RIGHT))
    (root / "outside.ipynb").symlink_to(tmp_path / "elsewhere.ipynb")
    (tmp_path / "short").symlink_to(root)
    return root


@pytest.mark.parametrize(
    ("stands", "names"),
    [
        (".", f"{NAME}.ipynb"),
        ("work", f"{NAME}.ipynb"),
        (".", f"assignments/{NAME}/{NAME}.ipynb"),
        ("work", f"../solutions/../{NAME}.ipynb"),
        (".", "outside.ipynb"),
        (".", f"../short/work/{NAME}.ipynb"),
        (".", "../short/outside.ipynb"),
    ],
)
def test_no_notebook_brings_the_checks_along_that_grade_it(clone, tmp_path, stands, names):
    line = mistake(call("score", names, cwd=clone / stands, TEACHER_TOKEN="canary"))
    assert f"{names}: is in {clone}, so its checks" in line and "--course" in line
    assert not (tmp_path / "stolen").exists()
    assert not (clone / "course").exists()


def test_whoever_says_so_lets_a_folder_grade_its_own_notebook(clone, tmp_path):
    """The test before this one can fail."""
    environment = {"TEACHER_TOKEN": "canary", "AUTOGRADER_SECRET": "s"}
    call("score", f"{NAME}.ipynb", "--course", "course", cwd=clone, **environment)
    assert (tmp_path / "stolen").read_text() == "canary"


def test_a_clone_may_hold_a_course_with_submissions_and_a_secret_too(clone, course, tmp_path):
    handed = clone / "course" / "submitted" / "mallory" / NAME / f"{NAME}.ipynb"
    handed.parent.mkdir(parents=True)
    handed.write_bytes(handed_in(course, RIGHT))
    (clone / "course" / "secret").write_text("theirs")
    (clone / "course" / "secret").chmod(0o644)  # as git checks it out
    assert "is in" in mistake(call("score", handed, cwd=clone, TEACHER_TOKEN="canary"))
    assert not (tmp_path / "stolen").exists()


def test_whoever_has_named_a_course_is_graded_by_no_other(clone, course, tmp_path):
    """Wherever they stand: its exercises go along with its state."""
    own = course.root / "course"
    for options, environment in (
        (["--course", own], {}),
        ([], {"AUTOGRADER_COURSE": str(own)}),
    ):
        options = [f"{NAME}.ipynb", *options, "--json", "-"]
        done = call("score", *options, cwd=clone, TEACHER_TOKEN="canary", **environment)
        result = json.loads(done.stdout)
        assert result["score"] == 10 and result["isolation"] != "process"
    assert not (tmp_path / "stolen").exists()


def test_a_teacher_scores_in_their_own_course_what_was_handed_in_there(course, tmp_path):
    course.secret()
    handed = course.submission("ada", NAME) / f"{NAME}.ipynb"
    own = course.root / "mine.ipynb"
    download = tmp_path / "download.ipynb"
    handed.parent.mkdir(parents=True)
    for path in (handed, own, download):
        path.write_bytes(handed_in(course, RIGHT))
    for path in (handed, handed.relative_to(course.root), download):
        finished("score", path, cwd=course.root)

    line = mistake(call("score", "mine.ipynb", cwd=course.root))
    assert f"add --course {course.state} if this is it" in line
    finished("score", "mine.ipynb", "--course", "course", cwd=course.root)


def test_where_there_are_no_exercises_score_says_so(tmp_path, monkeypatch):
    """As after ``pip install``, where no checkout is behind the command."""
    monkeypatch.setattr("autograder.course.course.KIT", tmp_path / "installed")
    (tmp_path / "attention.ipynb").touch()
    line = mistake(call("score", "attention.ipynb", cwd=tmp_path, AUTOGRADER_COURSE=""))
    assert f"{tmp_path}: has no folder solutions/" in line


def test_outside_of_a_course_a_command_says_which_one_it_is_about(tmp_path):
    elsewhere = call("report", "nothing", cwd=tmp_path, AUTOGRADER_COURSE="").stderr
    assert f"note: {tmp_path} is not in a course, so this uses {ROOT / 'course'}" in elsewhere
    assert "note:" not in call("report", "nothing", cwd=ROOT, AUTOGRADER_COURSE="").stderr


def test_a_setting_that_is_wrong_gets_one_line(tmp_path):
    (tmp_path / "solutions").mkdir()
    for text, cause in (
        ("call_seconds = 'x'", "does not fit"),
        ("memory_mb = 512.5", "write it like memory_mb = 1024"),
        ("colour = 1", "unknown setting colour"),
        ("= 3", "TOML"),
        ("feedback.hidden = 'some'", '"never" or "points" or "message"'),
        ("feedback = 'never'", "unknown setting feedback"),
        ("[feedback]\nvisible = 1", "unknown setting feedback.visible"),
    ):
        (tmp_path / "autograder.toml").write_text(text)
        assert cause in mistake(call("doctor", cwd=tmp_path))


def test_starting_imports_nothing_heavy():
    heavy = {"numpy", "nbformat", "jupytext", "nbgrader", "jsonschema"}
    assert not heavy & modules("import autograder.cli")


def test_no_command_compiles_a_grammar_of_addresses_when_it_loads_nbgrader():
    assert "lark" not in modules(f"{running('--version')}\nimport jsonschema")


def test_a_mistake_in_a_mark_is_said_before_the_engine_is_loaded(tmp_path):
    (tmp_path / "solutions").mkdir()
    (tmp_path / "solutions" / "one.py").write_text(
        '# %% check="f-one" pionts=2\nassert f(1) == 2\n'
    )
    slow = {"autograder.grader.grader", "autograder.diagnosis.experiments", "nbgrader"}
    assert not slow & modules(running("build", "one"), tmp_path, "unknown mark pionts")


HEAVY = {"jsonschema", "jupytext", "nbformat", "nbgrader", "sqlalchemy"}


@pytest.mark.parametrize(
    ("arguments", "names"),
    [(["--version"], []), (["check", "--help"], ["students"]), (["new-course"], ["keeping"])],
)
def test_a_command_loads_the_module_that_it_is_in_and_no_other(arguments, names):
    loaded = modules(running(*arguments))
    own = {name for name in loaded if name.startswith("autograder.commands.")}
    assert own == {f"autograder.commands.{name}" for name in (*names, "common")}
    assert not (HEAVY | {"numpy", "rich", "tomllib"}) & loaded


def test_what_checks_a_notebook_loads_while_the_command_line_does():
    code = (
        "import runpy, sys\nfrom autograder.checking import confined\n"
        'confined.start_early = lambda: sys.exit(f\'{sorted({"typer", "rich"} & set(sys.modules))}\')\n'
        f"sys.argv = ['autograder', 'check', {str(RELEASE)!r}]\n"
        "try: runpy.run_module('autograder', run_name='__main__')\n"
        "except SystemExit as end: print(end)"
    )
    assert processes.python(code).stdout.strip() == "[]"


@pytest.mark.parametrize("command", ["check", "score"])
def test_a_students_commands_import_no_notebook_libraries(command):
    assert not (HEAVY | {"jinja2", "matplotlib"}) & modules(running(command, RELEASE))


@pytest.mark.parametrize(
    ("text", "found"), [("Key;Name\nada;Ada\n", "'Key', 'Name'"), ("", "nothing")]
)
def test_a_class_list_without_a_column_for_ids_gets_one_line(tmp_path, text, found):
    (tmp_path / "students.csv").write_text(text)
    said = mistake(call("grade", "attention", "--course", tmp_path))
    assert f"students.csv:1: no column named id, only {found}" in said


@pytest.mark.parametrize(
    "text",
    [
        "ID;Name;E-Mail\nada;Byron, Ada;ada@b.example\n",
        '\ufeff"Id","Name","E-Mail"\r\n"ada","Byron, Ada","ada@b.example"\r\n',
    ],
    ids=["semicolons", "quoted"],
)
def test_a_class_list_is_read_as_spreadsheets_of_any_language_write_it(tmp_path, text):
    (tmp_path / "students.csv").write_text(text, encoding="utf-8", newline="")
    people = Course(ROOT, tmp_path).class_list()
    assert people == {"ada": {"Name": "Byron, Ada", "E-Mail": "ada@b.example"}}


def test_doctor_names_a_level_that_does_not_exist(tmp_path):
    shutil.copytree(ROOT / "solutions", tmp_path / "solutions")
    (tmp_path / "autograder.toml").write_text('isolation = "landlok"\n')
    done = call("doctor", cwd=tmp_path)
    assert "landlok: no such level; correct autograder.toml" in done.stdout, done.stderr


def test_an_interrupt_at_the_very_start_is_one_line(monkeypatch, capsys):
    """One that comes while its handler is being set."""
    monkeypatch.setattr(signal, "signal", lambda number, handler: handler(number, None))
    with pytest.raises(SystemExit) as ended:
        cli.main(["doctor"])
    assert ended.value.code == 130
    assert capsys.readouterr().err == "autograder: stopped\n"


@pytest.mark.skipif(os.name == "nt", reason="a program cannot send itself Ctrl-C there")
def test_an_interrupt_while_an_object_ends_is_not_lost(monkeypatch):
    class Ending:
        def __del__(self):
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(sys, "unraisablehook", cli.interrupt_again)
    before = signal.signal(signal.SIGINT, cli._interrupt)
    try:
        with pytest.raises(Interrupted):
            Ending()
            select.select([], [], [], processes.SECONDS)
    finally:
        signal.signal(signal.SIGINT, before)


def test_what_else_goes_wrong_while_an_object_ends_is_printed(monkeypatch, capsys):
    class Ending:
        def __del__(self):
            raise ValueError("at its end")

    monkeypatch.setattr(sys, "unraisablehook", cli.interrupt_again)
    Ending()
    assert "ValueError: at its end" in capsys.readouterr().err

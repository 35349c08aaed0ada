"""``pytest notebook.ipynb`` as people know pytest."""

import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
import zipfile
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from flit_core import buildapi

from autograder import pytest_plugin
from autograder.checking import confined
from tests.support import handed_out
from tests.support.courses import NAME, RIGHT, ROOT, handed_in
from tests.support.processes import pytest_process, python, surrounded

pytestmark = pytest.mark.usefixtures("checked_here")

WRONG = {
    **RIGHT,
    "total": "def total(x):\n    raise ValueError('\\n::error::no <command> ]]>\\x1b[2J ##[error]x')\n",
}
WAITING = f"{NAME}.ipynb: 2 hidden checks, worth 6 points, are graded after you hand in"


@pytest.fixture
def notebook(course, tmp_path):
    """Write a student's notebook into a folder where nothing else is."""

    def write(answers: dict[str, str]) -> Path:
        path = tmp_path / "own" / f"{NAME}.ipynb"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(handed_in(course, answers))
        return path

    return write


# What is for a whole process stays with the pytest around this one.
OWN = ["-pno:cacheprovider", "-pno:faulthandler", "-pno:unraisableexception"]


def pytest_on(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run pytest in this process, as if it were one of its own, which would load it anew."""
    out, err = StringIO(), StringIO()
    given = [*map(str, arguments)]
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.chdir(folder)
        surrounded(patch)
        code = pytest.main([*OWN, *given], plugins=[pytest_plugin])
        # Another folder may have a test of this name.
        sys.modules.pop("test_own", None)
    return subprocess.CompletedProcess(given, int(code), out.getvalue(), err.getvalue())


def test_each_visible_check_is_an_item_and_hidden_ones_are_a_line(notebook):
    path = notebook(RIGHT)
    done = pytest_process(path.parent, path.name, "-v")
    assert done.returncode == 0, done.stdout
    assert (
        f"{NAME}.ipynb::double::by_hand PASSED" in done.stdout
        and f"{NAME}.ipynb::total::by_hand PASSED" in done.stdout
    )
    assert "2 passed" in done.stdout and WAITING in done.stdout
    assert "drawn" not in done.stdout and "negative" not in done.stdout


def test_a_failure_is_the_check_s_sentence_and_message_without_a_traceback(notebook):
    path = notebook(WRONG)
    done = pytest_process(path.parent, path.name)
    assert done.returncode == 1
    assert (
        "One and two are three.\nE   total raised ValueError in line 2 of your cell total:"
        in done.stdout
    )
    assert "Traceback" not in done.stdout and "pytest_plugin.py" not in done.stdout
    assert "1 failed, 1 passed" in done.stdout
    assert not [
        line
        for line in done.stdout.splitlines()
        if line.lstrip().startswith("::") or "##[" in line or "\x1b" in line
    ]


def test_steps_that_are_still_to_be_written_fail_and_are_one_line(notebook):
    path = notebook({"total": WRONG["total"]})
    done = pytest_on(path.parent, path.name, "--junitxml=out.xml")
    assert done.returncode == 1
    assert "still to be written, and failed until then: double\n" in done.stdout
    assert "1 failed, 1 unwritten" in done.stdout
    assert "double: by_hand" not in done.stdout and "Twice one is two" not in done.stdout
    failures = ElementTree.parse(path.parent / "out.xml").findall(".//failure")
    assert failures[0].text == "double is still to be written"
    assert pytest_on(path.parent, path.name, "-k", "double").returncode == 1


def test_a_failure_asks_what_the_notebook_asks_and_says_what_it_waits_for(tmp_path):
    path = tmp_path / "attention.ipynb"
    answers = {
        "scale_scores": "def scale_scores(scores, d_k): return scores / d_k",
        "softmax": "def softmax(scores, axis=-1): return 0 * scores",
    }
    path.write_bytes(handed_out.copy("attention", **answers))
    done = pytest_on(tmp_path, path.name)
    assert "\nE   hint: " in done.stdout
    both = "scale_scores and softmax: look at them first"
    assert done.stdout.count(f"E   waits for {both}\n") == 6
    # Of one feature, nothing is scaled.
    assert done.stdout.count("E   waits for softmax: look at that first\n") == 7


def test_a_percent_script_is_as_good_as_a_notebook(notebook):
    jupytext = pytest.importorskip("jupytext")
    path = notebook(WRONG)
    script = path.with_suffix(".py")
    script.write_text(jupytext.writes(jupytext.read(path), fmt="py:percent"))
    done = pytest_on(path.parent, script.name)
    assert "1 failed, 1 passed" in done.stdout and f"{NAME}.py: 2 hidden checks" in done.stdout


OPTIONS = [([f"{NAME}.ipynb", "-k", "total"], "1 failed, 1 deselected")]
MORE_OPTIONS = [
    ([f"./../own/{NAME}.ipynb", "-W", "error", "--strict-markers", "-ra"], "1 failed, 1 passed"),
    ([f"{NAME}.ipynb", "-k", "double", "-q"], "1 passed, 1 deselected"),
    ([f"{NAME}.ipynb::double"], "1 passed"),
    ([f"{NAME}.ipynb::double::by_hand", "--maxfail=1"], "1 passed"),
    ([f"{NAME}.ipynb", "-x"], "1 failed, 1 passed"),
]


@pytest.mark.parametrize(
    ("arguments", "outcome"),
    [*OPTIONS, *(pytest.param(*more, marks=pytest.mark.everything) for more in MORE_OPTIONS)],
)
def test_the_options_mean_what_they_always_mean(notebook, arguments, outcome):
    assert outcome in pytest_on(notebook(WRONG).parent, *arguments).stdout


def test_what_is_collected_has_node_ids(notebook):
    path = notebook({})
    done = pytest_on(path.parent, path.name, "--collect-only", "-q")
    assert done.stdout.splitlines()[:2] == [
        f"{NAME}.ipynb::double::by_hand",
        f"{NAME}.ipynb::total::by_hand",
    ]


def test_junit_gets_a_file_that_can_be_read_whatever_a_student_writes(notebook):
    path = notebook(WRONG)
    pytest_on(path.parent, path.name, "--junitxml=out.xml")
    cases = ElementTree.parse(path.parent / "out.xml").findall(".//testcase")
    assert [
        (case.get("classname"), case.get("name"), [part.tag for part in case]) for case in cases
    ] == [
        (f"{NAME}.ipynb.double", "by_hand", []),
        (f"{NAME}.ipynb.total", "by_hand", ["failure"]),
    ]


@pytest.mark.parametrize(
    ("arguments", "runs"),
    [
        ([], 1),
        pytest.param(["--collect-only"], 0, marks=pytest.mark.everything),
        pytest.param(["-k", "total"], 1, marks=pytest.mark.everything),
    ],
)
def test_a_notebook_is_graded_once_however_many_items_are_asked_for(
    notebook, arguments, runs, monkeypatch
):
    graded = []
    checked = confined.checked
    monkeypatch.setattr(confined, "checked", lambda copy: graded.append(copy) or checked(copy))
    path = notebook(RIGHT)
    pytest_on(path.parent, path.name, *arguments)
    assert len(graded) == runs


def test_a_notebook_that_nobody_named_is_left_alone(notebook):
    path = notebook(WRONG)
    (path.parent / "test_own.py").write_text("def test_it():\n    pass\n")
    for arguments in ((), (".",), ("test_own.py",), (path.parent,)):
        done = pytest_on(path.parent, *arguments)
        assert "1 passed" in done.stdout and NAME not in done.stdout, done.stdout


def test_a_notebook_of_something_else_is_left_to_others(tmp_path):
    (tmp_path / "other.ipynb").write_text(
        '{"cells": [], "nbformat": 4, "nbformat_minor": 5, "metadata": {}}'
    )
    done = pytest_on(tmp_path, "other.ipynb")
    assert "no tests ran" in done.stdout + done.stderr and "INTERNALERROR" not in done.stdout


def test_a_test_that_speaks_of_a_notebook_is_a_test(tmp_path):
    test = 'def test_it():\n    assert "tools.CHECKS = " + "check("\n'
    (tmp_path / "test_own.py").write_text(test)
    assert "1 passed" in pytest_on(tmp_path, "test_own.py").stdout


def test_a_damaged_notebook_is_one_error_with_its_repair(notebook):
    path = notebook(RIGHT)
    path.write_bytes(path.read_bytes()[:-500])
    done = pytest_on(path.parent, path.name)
    assert done.returncode == 2
    assert (
        "breaks off" in done.stdout and "Traceback" not in done.stdout and "1 error" in done.stdout
    )


@pytest.mark.everything
def test_where_the_kit_is_installed_pytest_finds_it_by_itself(notebook, tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    built = buildapi.build_wheel(str(tmp_path))
    installed = tmp_path / "installed"
    with zipfile.ZipFile(tmp_path / built) as wheel:
        wheel.extractall(installed)
    path = notebook(WRONG)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-W", "error", path.name]
    environment = {**os.environ, "PYTHONPATH": str(installed), "PYTEST_ADDOPTS": ""}
    done = subprocess.run(
        command,
        cwd=path.parent,
        env=environment,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert "1 failed, 1 passed" in done.stdout and WAITING in done.stdout, done.stdout
    assert done.returncode == 1


def test_everybody_elses_pytest_starts_as_before():
    code = "import sys, pytest; before = set(sys.modules); import autograder.pytest_plugin; print(*sorted(set(sys.modules) - before))"
    assert python(code).stdout.split() == ["autograder", "autograder.pytest_plugin"]

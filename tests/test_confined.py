"""`check` and pytest run a notebook's own check cells, whoever wrote it: they are locked in, or
that is said."""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autograder.authoring import build
from autograder.base import files
from autograder.base.errors import Fault, Unusable
from autograder.base.result import CheckResult, Result, StepResult
from autograder.base.settings import Settings
from autograder.checking import confined, student_copy
from autograder.exercises import data_files, exercise, setup_cell
from autograder.grader.grader import Grader
from autograder.sandbox import parents
from autograder.sandbox.worker import landlock
from tests.support import processes
from tests.support.courses import NAME, RIGHT, handed_in
from tests.support.noting import noted

ROOT = Path(__file__).parent.parent
NOTEBOOK = ROOT / "solutions" / "attention" / "attention.ipynb"
HANDED_OUT = ROOT / "assignments" / "attention" / "attention.ipynb"

IMPORT = "from autograder.checking.check_process import serve"
"""The line of the process's program in front of which a test has its own."""

SPY = """
import os, socket, subprocess

def outcome(attempt):
    try:
        return str(attempt())
    except BaseException as error:
        return type(error).__name__

said = [
    outcome(lambda: os.environ["TEACHER_TOKEN"]),
    outcome(lambda: open({secret!r}).read()),
    outcome(lambda: os.listdir({folder!r})),
    outcome(lambda: open({new!r}, "w").write("x")),
    outcome(lambda: socket.socket()),
    outcome(lambda: os.fork()),
    outcome(lambda: subprocess.run(["true"])),
    outcome(lambda: os.kill(os.getppid(), 0)),
]
raise AssertionError("said " + ",".join(said))
"""


def spying_on(folder: Path, cell: str) -> bytes:
    """A finished notebook; before the code of a cell of it stands code that looks around."""
    (folder / "secret").write_text("canary")
    spy = SPY.format(secret=str(folder / "secret"), folder=str(folder), new=str(folder / "new"))
    notebook = json.loads(NOTEBOOK.read_text())
    for raw in notebook["cells"]:
        if raw["id"] == cell:
            raw["source"] = "".join(raw["source"]).replace(
                "with tools.check(", f"{spy}\nwith tools.check(", 1
            )
    return json.dumps(notebook).encode()


@pytest.mark.skipif(
    not hasattr(os, "fork"),
    reason="this system cannot lock a process in; the next test is about that",
)
def test_the_check_cells_of_somebody_elses_notebook_reach_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("TEACHER_TOKEN", "canary")
    data = spying_on(tmp_path, "softmax-by_hand")

    result, unlocked = confined.checked(student_copy.read(data, "mallory.ipynb", "attention"))

    assert unlocked == ""
    (said,) = (check.message for check in result.checks if check.message.startswith("said "))
    assert said == "said KeyError," + ",".join(["PermissionError"] * 7)
    assert not (tmp_path / "new").exists()
    assert sum(check.status == "failed" for check in result.checks) == 1


LOOKING = """
def project_qkv(X, W_Q, W_K, W_V):
    import gc, os, signal, sys

    def is_open(descriptor):
        try:
            return bool(os.fstat(descriptor))
        except OSError:
            return False

    engine = {name.split(".")[1] for name in sys.modules if name.startswith("autograder.")}
    beside = [name for name in sys.modules if name.startswith("autograder.engine.s")]
    descriptors = sum(map(is_open, range(3, 1000)))
    installed = [path for path in sys.path if "packages" in path]
    raise ValueError(
        f"{engine} {beside} {descriptors} {installed} {dict(os.environ)} {os.getcwd()} {gc.isenabled()} "
        f"{signal.getsignal(signal.SIGINT) is signal.default_int_handler}"
    )
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no parent is forked")
def test_a_worker_of_a_forked_parent_finds_what_it_would_of_one_that_is_started(monkeypatch):
    monkeypatch.setenv("TEACHER_TOKEN", "canary")
    notebook = json.loads(NOTEBOOK.read_text())
    for raw in notebook["cells"]:
        if raw["id"] == "project_qkv":
            raw["source"] = LOOKING

    data = json.dumps(notebook).encode()
    result, unlocked = confined.checked(student_copy.read(data, "mallory.ipynb", "attention"))

    assert unlocked == ""
    message = result.checks[0].message
    assert "{'sandbox'} [] 1 [] {} / True True" in message
    assert result.isolation == "landlock", "a parent that was started has another level here"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no parent is forked")
@pytest.mark.parametrize("how", ["hung up on", "interrupted", "killed"])
def test_a_process_that_is_not_asked_ends_and_leaves_no_parent_of_workers(how):
    early = confined.Confined()
    process = early._process
    processes.until(lambda: processes.children(process.pid), "forked")
    (parent,) = processes.children(process.pid)

    if how == "hung up on":
        early._connection.close()
    else:
        process.send_signal(signal.SIGINT if how == "interrupted" else signal.SIGKILL)
    # An interrupt is no exception of Python's there, which may be lost while a module loads.
    assert (process.wait(60) < 0) == (how != "hung up on")
    processes.until(lambda: not processes.command(parent), "ended")
    early._connection.close()


@pytest.mark.parametrize("has_processes", [True, False])
@pytest.mark.parametrize(
    ("added", "where"),
    [
        ("x = (1", ", at line {line} ('(' was never closed)"),
        pytest.param("x = " + "-" * 100_000 + "1", "", id="too much in each other"),
    ],
)
def test_a_setup_cell_that_is_no_python_any_more_is_said_and_holds_nothing_up(
    has_processes, added, where, monkeypatch
):
    if not has_processes:
        monkeypatch.setattr(confined, "start_early", lambda: None)
    notebook = json.loads(NOTEBOOK.read_text())
    for raw in notebook["cells"]:
        if raw["id"] == "setup":
            code, _ = setup_cell.unpacked("".join(raw["source"]))
            above, ready, _ = code.rpartition("\ntools.ready()")
            line = above.count("\n") + 2
            raw["source"] = setup_cell.packed(f"{above}\n{added}{ready}")
    copy = student_copy.read(json.dumps(notebook).encode(), "ada.ipynb", "attention")
    with pytest.raises(Unusable) as said:
        confined.checked(copy)
    assert str(said.value) == (
        f"ada.ipynb: the setup cell is no Python any more{where.format(line=line)}; "
        "download the notebook again and copy your answers over"
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no such processes")
def test_a_process_that_was_started_early_is_the_one_that_checks_and_no_other(monkeypatch):
    started = noted(monkeypatch, confined.Confined, "__init__")
    copy = student_copy.read(NOTEBOOK.read_bytes(), "ada.ipynb", "attention")
    confined.start_early()
    confined.start_early()
    assert confined.checked(copy)[0].status == "graded" and len(started) == 1
    assert confined.checked(copy)[0].status == "graded" and len(started) == 2


def test_the_setup_cell_of_a_students_copy_never_runs_in_the_parent_of_the_workers(monkeypatch):
    prepared = []
    monkeypatch.setattr(
        parents.WarmParent, "preload", lambda self, cell, source: prepared.append(cell)
    )
    own = student_copy.read(NOTEBOOK.read_bytes(), "ada.ipynb", "attention").exercise
    teachers = exercise.load(ROOT, "attention")

    for known in (own, teachers):
        Grader(known, b"key", Settings(isolation="process")).__exit__()

    assert prepared == ["setup"], "of the teacher's notebook alone"


def test_where_nothing_can_lock_the_code_in_that_is_said(monkeypatch):
    # In the new process: a kernel without Landlock.
    start = f"import {landlock.__name__} as landlock\nlandlock.version = lambda: 0\n"
    monkeypatch.setattr(confined, "START", confined.START.replace(IMPORT, start + IMPORT))

    result, unlocked = confined.checked(
        student_copy.read(NOTEBOOK.read_bytes(), "ada.ipynb", "attention")
    )

    assert result.score == result.max_score
    assert "no Landlock" in unlocked


def test_on_a_system_other_than_linux_no_lock_is_tried(monkeypatch):
    # What Python reads about this system, it has read by then.
    start = "import sys, sysconfig\nsysconfig.get_config_vars()\nsys.platform = 'darwin'\n"
    monkeypatch.setattr(confined, "START", confined.START.replace(IMPORT, start + IMPORT))

    result, unlocked = confined.checked(
        student_copy.read(NOTEBOOK.read_bytes(), "ada.ipynb", "attention")
    )

    assert result.score == result.max_score
    assert unlocked == "only Linux has Landlock"


def told(*steps, warnings=(), status="graded"):
    """A result as a notebook's code may write it: of these steps, each with a check."""
    checks = CheckResult("by_hand", "values", 1.0, 1.0, False, "passed")
    facts = ["x", None, status, None, 1.0, "landlock", "", "", ""]
    return Result(*facts, warnings, tuple(StepResult(step, (checks,)) for step in steps))


@pytest.mark.parametrize(
    "answer",
    [
        b"no JSON",
        b"[]",
        b'{"result": "{}", "reason": ""}',
        b'{"result": 1, "reason": ""}',
        b"[" * 60_000,
        json.dumps({"result": told("\x1b[2J").to_json(), "reason": ""}).encode(),
    ],
    ids=range(6),
)
def test_an_answer_that_the_notebooks_code_has_forged_is_one_line(monkeypatch, answer):
    # Nothing else of the process matters, which takes half a second to load.
    forged = f"kept.recv_bytes()\nkept.send_bytes({answer!r})"
    opened = (
        "from multiprocessing.connection import Connection\nkept = Connection(int(sys.argv[1]))"
    )
    monkeypatch.setattr(confined, "START", f"import sys\n{opened}\n{forged}\n")

    with pytest.raises(Fault, match="cannot be read"):
        confined.checked(student_copy.read(NOTEBOOK.read_bytes(), "mallory.ipynb", "attention"))


def changed(cell="", was="", now="", **marks):
    """The notebook with other marks of its own, and with another text in a cell."""
    notebook = json.loads(NOTEBOOK.read_text())
    notebook["metadata"]["autograder"].update(marks)
    for raw in notebook["cells"]:
        if raw["id"] == cell:
            source, _ = setup_cell.unpacked("".join(raw["source"]))
            assert was in source
            raw["source"] = source.replace(was, now, 1)
    return student_copy.read(json.dumps(notebook).encode(), "mallory.ipynb")


def test_a_result_of_other_checks_than_the_notebooks_is_none_of_it():
    copy = changed()
    asked = {}
    for check in copy.exercise.checks:
        one = CheckResult(check.name, check.category, check.points, 0.0, False, "failed")
        asked.setdefault(check.step, []).append(one)
    steps = tuple(StepResult(step, tuple(checks)) for step, checks in asked.items())
    right = replace(told(), steps=steps)

    assert copy.is_told_by(right)
    for other in (
        told(),
        told("softmax"),
        replace(right, steps=steps[1:]),
        replace(right, warnings=("x",) * 50_000),
        told("softmax", status="error"),
    ):
        assert not copy.is_told_by(other)


HOSTILE = "::error::\x1b[2J\n::error::x\u202e##[group]"


@pytest.mark.parametrize(("mark", "field"), [("title", "title"), ("exercise", "name")])
def test_what_a_notebook_calls_itself_is_one_line_and_no_command(mark, field):
    said = getattr(changed(**{mark: HOSTILE}).exercise, field)
    assert (
        said == "error::\N{REPLACEMENT CHARACTER}[2J ::error::x\N{REPLACEMENT CHARACTER}## [group]"
    )


def test_the_sentence_of_a_check_is_one_line_and_no_command():
    copy = changed("softmax-by_hand", '"""', '"""::error::x ##[group]')
    (check,) = (check for check in copy.exercise.checks if check.id == "softmax-by_hand")
    assert check.sentence.startswith("error::x ## [group]")


@pytest.mark.parametrize(
    "entry",
    [
        "1: {'points': 1, 'hidden': False}",
        "'nodash': {'points': 1, 'hidden': False}",
        "'\x1b[2J-by_hand': {'points': 1, 'hidden': False}",
        "'a-\\n::error::x': {'points': 1, 'hidden': False}",
        f"'a-b': {{'points': {10**400}, 'hidden': False}}",
        "'a-b': {'points': 1e999, 'hidden': False}",
        "'a-b': {'points': 1e999 - 1e999, 'hidden': False}",
    ],
)
def test_a_table_of_checks_that_no_build_writes_is_refused(entry):
    with pytest.raises(Unusable, match="no setup cell"):
        changed("setup", "tools.CHECKS = {", f"tools.CHECKS = {{{entry}, ")


@pytest.mark.parametrize("name", ["came_along", "json", "../../etc", "__main__", "x" * 5_000])
def test_a_package_counts_only_where_packages_are_installed(tmp_path, monkeypatch, name):
    # It is loaded outside of the locks; what lies in the folder may have come with the notebook.
    (tmp_path / "came_along.py").write_text("raise SystemExit")
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(Unusable, match="which is not installed") as refused:
        changed(packages=f"numpy {name}").brought()
    assert len(str(refused.value)) < 200
    assert changed(packages="numpy").brought()[1] == ("numpy",)


READS = """
# %% [markdown]
# # Reading

# %% setup
from autograder import tools

with open("table.csv") as file:
    FIRST = file.readline().strip()

# %% step="Lines"
class Lines:
    \"\"\"The lines of a file.\"\"\"

    def count(self):
        ### BEGIN SOLUTION
        return len(open("more/lines.txt").readlines())
        ### END SOLUTION

# %% check="Lines-count" points=1 category="values"
\"\"\"They are counted.\"\"\"
with tools.check("Lines-count"):
    assert FIRST == "a,b" and Lines().count() == 2
"""


def test_a_students_copy_finds_the_files_beside_it_and_no_others(tmp_path):
    folder = tmp_path / "solutions" / "reading"
    (folder / "more").mkdir(parents=True)
    (folder / "table.csv").write_text("a,b\n")
    (folder / "more" / "lines.txt").write_text("1\n2\n")
    (folder.parent / "reading.py").write_text(READS)
    notebook, _ = build.notebooks(folder.parent / "reading.py")
    (folder / "other.txt").write_text("not the exercise's")

    copy = student_copy.read(notebook, str(folder / "reading.ipynb"), "reading")
    assert [check.message for check in confined.checked(copy)[0].checks] == [""]

    curious = notebook.replace(b'open(\\"more/lines.txt', b'open(\\"other.txt')
    assert curious != notebook
    copy = student_copy.read(curious, str(folder / "reading.ipynb"), "reading")
    (said,) = [check.message for check in confined.checked(copy)[0].checks]
    assert said.startswith("Lines raised FileNotFoundError")


@pytest.mark.parametrize(
    "place", ["../secret", "/etc/hostname", "link", "gone", "folder", "\0", "x" * 5_000]
)
def test_a_notebook_names_no_file_that_is_not_beside_it(tmp_path, place):
    folder = tmp_path / "here"
    (folder / "folder").mkdir(parents=True)
    (tmp_path / "secret").write_text("canary")
    (folder / "link").symlink_to(tmp_path / "secret")
    (folder / "table.csv").write_text("a")
    found = data_files.beside(folder / "x.ipynb", f"{place}\ntable.csv")
    assert found == {"table.csv": b"a"}


def naming(notebook: bytes, *places: str) -> bytes:
    """A notebook that says that its checks need these files."""
    changed = json.loads(notebook)
    changed["metadata"]["autograder"]["data"] = "\n".join(places)
    return json.dumps(changed).encode()


@pytest.mark.parametrize("way", ["check", "pytest", "a cluster"])
@pytest.mark.parametrize(
    "place",
    [
        "../../home/ta/.bashrc",
        "link/../../../home/ta/.bashrc",
        "here/../../../home/ta/.bashrc",
        "./../../home/ta/.bashrc",
        "..\\..\\home\\ta\\.bashrc",
        "here/here/.bashrc",
    ],
)
def test_a_strangers_notebook_writes_no_file_of_whoever_checks_it(
    course, tmp_path, monkeypatch, place, way
):
    """Its folders may be called as those of the victim, with links in them, as git keeps them."""
    (tmp_path / "home" / "ta").mkdir(parents=True)
    victim = tmp_path / "home" / "ta" / ".bashrc"
    victim.write_text("mine")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))

    clone = tmp_path / "clone" / "home" / "ta"
    clone.mkdir(parents=True)
    (clone / ".bashrc").write_text("theirs")
    (clone / "here").symlink_to(".")
    (clone / "link").symlink_to(tmp_path / "clone" / "home", target_is_directory=True)
    notebook = clone / f"{NAME}.ipynb"
    notebook.write_bytes(naming(handed_in(course, RIGHT), place))

    if way == "check":
        done = processes.call("check", notebook.name, cwd=clone)
        assert (done.returncode, done.stderr) == (0, ""), "what does not lie beside it is not there"
    elif way == "pytest":
        copy = student_copy.read(notebook.read_bytes(), str(notebook))
        assert confined.checked(copy)[0].score == 4
    else:
        with pytest.raises(files.Refused), data_files.inside({f"../{place}": b"theirs"}):
            pass
    assert victim.read_text() == "mine"
    assert sorted(path.name for path in (tmp_path / "home").rglob("*")) == [".bashrc", "ta"]
    assert not list((tmp_path / "temporary").iterdir()), "and nothing is left behind"


def test_a_link_to_a_file_beside_it_is_a_file_of_the_notebook(tmp_path):
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "table.csv").write_text("a")
    (tmp_path / "table.csv").symlink_to("raw/table.csv")
    assert data_files.beside(tmp_path / "x.ipynb", "table.csv") == {"table.csv": b"a"}


def test_who_checks_a_copy_loads_nothing_that_is_not_used_there():
    grade = f"""
import sys, numpy
before = set(sys.modules)
from pathlib import Path
from autograder.checking import student_copy
from autograder.base.settings import Settings
from autograder.grader.grader import Grader
data = Path({str(NOTEBOOK)!r}).read_bytes()
exercise = student_copy.read(data, "ada.ipynb", "attention").exercise
with Grader(exercise, b"", Settings(isolation="process")) as grader:
    print(grader.grade(data, None).result.status)
print(sorted({{"numpy.ma", "autograder.diagnosis.relating"}} & (set(sys.modules) - before)))
"""
    ran = processes.python(grade)
    assert ran.stdout.split("\n")[:2] == ["graded", "[]"]


def finished() -> dict[str, Any]:
    """The students' notebook with every answer of the solution in it."""
    answers = {cell["id"]: cell["source"] for cell in json.loads(NOTEBOOK.read_text())["cells"]}
    notebook: dict[str, Any] = json.loads(HANDED_OUT.read_text())
    for cell in notebook["cells"]:
        if "NotImplementedError" in "".join(cell["source"]):
            cell["source"] = answers.get(cell["id"], cell["source"])
    return notebook


def lost(notebook: dict[str, Any]) -> set[str]:
    """The steps of which checks fail."""
    result, _ = confined.checked(
        student_copy.read(json.dumps(notebook).encode(), "attention.ipynb")
    )
    failed = [id for id, check in result.by_id.items() if check.status != "passed"]
    return {id.partition("-")[0] for id in failed}


@pytest.mark.parametrize(
    "ids", [pytest.param(True, id="with-ids"), pytest.param(False, id="dropped-ids")]
)
def test_a_cell_that_a_student_adds_runs_where_it_stands(ids):
    """Also one that binds the name of a step, which no other cell of the student uses."""
    notebook = finished()
    added = {"cell_type": "code", "id": "mine", "metadata": {}, "source": "padding_mask = 3"}
    place = [cell["id"] for cell in notebook["cells"]].index("padding_mask")
    notebook["cells"].insert(place + 1, added)
    if not ids:
        for cell in notebook["cells"]:
            cell["metadata"] = {}
            del cell["id"]
    assert lost(notebook) == {"padding_mask"}


def test_a_cell_that_binds_no_name_but_changes_what_others_use_runs_too():
    notebook = finished()
    added = {"cell_type": "code", "id": "mine", "metadata": {}, "source": "np.where = None"}
    assert not lost(notebook)
    notebook["cells"].insert(3, added)
    assert "apply_mask" in lost(notebook)

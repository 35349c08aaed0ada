"""The build: both notebooks, the facts that hold before anything is written, and nbgrader's own
opinion."""

import ast
import json
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from autograder.authoring import build, grading, read, self_check
from autograder.base.errors import Unusable
from autograder.base.settings import Settings
from autograder.exercises import data_files, setup_cell
from autograder.exercises.exercise import from_notebook
from tests.support import courses, processes
from tests.support.courses import PYTHONPATH
from tests.support.doubling import SOUND, authored

pytestmark = pytest.mark.usefixtures("forked_rehearsals", "kept_parents")

ROOT = Path(__file__).resolve().parents[2]
EXERCISES = build.authored_names(ROOT)

NBGRADER_API = """
import json, sys
from nbgrader.apps import NbGraderAPI
from nbgrader.apps.baseapp import NbGrader

app = NbGrader()
app.load_config_file()
result = NbGraderAPI(config=app.config).generate_assignment(sys.argv[1])
sys.exit(0 if result["success"] else json.dumps(result))
"""


def cells(notebook: bytes) -> dict[str, dict[str, Any]]:
    return {
        cell["id"]: cell | {"source": "".join(cell["source"])}
        for cell in json.loads(notebook)["cells"]
    }


def built(folder: Path, text: str = SOUND) -> Path:
    """The release that ``text`` builds in ``folder``."""
    authored(folder, text)
    build.build(folder, "doubling")
    return folder / "assignments" / "doubling" / "doubling.ipynb"


def test_the_full_notebook_holds_every_cell_but_the_oracles(tmp_path):
    full = cells(build.notebooks(authored(tmp_path))[0])
    prose, setup, plain, step, visible, hidden, manual = full.values()
    assert list(full)[1:2] + list(full)[3:] == [
        "setup",
        "double",
        "double-by_hand",
        "double-drawn",
        "why",
    ]
    assert "autograder" not in prose["metadata"] and plain["metadata"] == {}
    code, packed = setup_cell.unpacked(setup["source"])
    assert packed == setup["source"] and code.endswith(
        '\ntools.CHECKS = {\n    "double-by_hand": {"points": 1.5, "hidden": False, "category": "values"},\n'
        '    "double-drawn": {"points": 3.5, "hidden": True, "category": "edge cases"},\n}\n'
        'tools.HEADINGS = {\n    "double": "Doubling",\n}\n\ntools.ready()'
    )
    assert step["source"].startswith("# Step 1 of 1 · double · 5 points\ndef double(x):")
    assert step["metadata"]["autograder"] == {"kind": "step", "step": "double", "points": 5}
    assert visible["source"].startswith(
        '"""Twice one is two."""\n# @title Check · by hand · values · 1.5 points\nwith check('
    )
    assert hidden["source"] == (
        '"""Drawn numbers are doubled."""\n# @title Hidden check · edge cases · 3.5 points · graded after you hand in\npass\n'
        "### BEGIN HIDDEN TESTS\ntools.silent()\ndef double_by_definition(x):\n    return np.array([value + value for value in x])\n\n"
        'x = rng.normal(size=4)\nagree(double(x), double_by_definition(x), "the doubles")\n### END HIDDEN TESTS'
    )
    about = {
        "step": "double",
        "check": "drawn",
        "category": "edge cases",
        "points": 3.5,
        "hidden": True,
    }
    assert hidden["metadata"]["jupyter"] == {"source_hidden": True}
    assert setup["metadata"]["cellView"] == "form" and "jupyter" not in setup["metadata"]
    assert visible["metadata"]["tags"] == ["raises-exception"]
    assert "jupyter" not in visible["metadata"] and "tags" not in hidden["metadata"]
    assert 'check("double-by_hand"):  # NameError? Run the Tools cell.\n' in visible["source"]
    assert hidden["metadata"]["autograder"] == {"kind": "check"} | about
    graded = {
        name: cell["metadata"]["nbgrader"]
        for name, cell in full.items()
        if "nbgrader" in cell["metadata"]
    }
    assert {
        name: (entry["grade"], entry["solution"], entry["locked"]) for name, entry in graded.items()
    } == {
        "setup": (False, False, True),
        "double": (False, True, False),
        "double-by_hand": (True, False, True),
        "double-drawn": (True, False, True),
        "why": (True, True, False),
    }
    assert (graded["double-drawn"]["points"], graded["why"]["points"]) == (3.5, 0)
    assert "Because" in manual["source"]


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("# # *Doubling* `x`", "Doubling x"),
        ("# Nothing\n#\n# # Later", "Later"),
        ("# Rows", "doubling"),
    ],
)
def test_an_exercise_is_called_as_the_first_heading_of_its_prose(tmp_path, heading, title):
    assert SOUND.count("# # Doubling") == 1
    text = SOUND.replace("# # Doubling", heading)
    for notebook in build.notebooks(authored(tmp_path, text)):
        about = json.loads(notebook)["metadata"]["autograder"]
        assert (about["exercise"], about["title"]) == ("doubling", title)
        assert from_notebook(json.loads(notebook)).title == title


def test_the_release_keeps_the_question_and_nothing_of_the_answer(tmp_path):
    release = cells(build.notebooks(authored(tmp_path))[1])
    assert release["double"]["source"] == (
        "# Step 1 of 1 · double · 5 points\ndef double(x):\n"
        '    """Return twice ``x``, an array of shape ``(n,)``."""\n'
        '    raise NotImplementedError("This step is still to be written.")'
    )
    assert list(release)[-2].startswith("hidden-") and "double-drawn" not in release
    assert list(release.values())[-2]["source"] == (
        "<details>\n<summary>1 hidden check · 3.5 points, graded after you hand in: edge cases</summary>\n\n"
        "- Drawn numbers are doubled. (edge cases, 3.5 points)\n\n</details>"
    )
    assert release["why"]["source"] == "Why?\n\n*Write your answer here.*"


def test_nothing_hidden_reaches_the_release(tmp_path):
    text = "# CANARY before the first cell\n" + SOUND.replace(
        "    return 2", "    # CANARY comment\n    canary = 'CANARY'\n    return 2"
    ).replace("# %% oracles", "# %% oracles\nCANARY = 1\n\n").replace(
        "def double_by_definition(x):", 'def double_by_definition(x):\n    """CANARY"""'
    ).replace("x = rng", "# CANARY\ncanary = 'CANARY'\nx = rng").replace("# Because.", "# CANARY")
    full, release = build.notebooks(authored(tmp_path, text))
    assert full.count(b"CANARY") == 6
    assert b"canary" not in release.lower()
    assert (
        b"double_by_definition" not in release
        and b"SOLUTION" not in release
        and b"HIDDEN TESTS" not in release
    )


def test_building_again_changes_nothing_and_writes_nothing(tmp_path):
    release = built(tmp_path)
    before = {
        path: (path.read_bytes(), path.stat().st_mtime_ns) for path in tmp_path.rglob("*.ipynb")
    }
    assert len(before) == 2 and release in before
    assert build.build(tmp_path, "doubling") == build.build(tmp_path, "doubling", check=True) == []
    assert before == {
        path: (path.read_bytes(), path.stat().st_mtime_ns) for path in tmp_path.rglob("*.ipynb")
    }


def test_check_names_what_is_out_of_date_and_writes_nothing(tmp_path):
    release = built(tmp_path)
    authored(tmp_path, SOUND.replace("Rows of", "Columns of"))
    before = release.read_bytes()
    full = tmp_path / "solutions" / "doubling" / "doubling.ipynb"
    assert build.build(tmp_path, "doubling", check=True) == [full, release]
    assert release.read_bytes() == before
    assert build.build(tmp_path, "doubling") == [full, release]


@pytest.mark.parametrize("seed", ["1", pytest.param("2", marks=pytest.mark.everything)])
def test_the_bytes_depend_on_the_text_alone(tmp_path, seed):
    path = authored(tmp_path)
    here = build.notebooks(path)
    path.write_bytes(b"\xef\xbb\xbf" + SOUND.replace("\n", "\r\n").encode())
    code = (
        "import sys, pathlib; from autograder.authoring import build; "
        "sys.stdout.buffer.write(b''.join(build.notebooks(pathlib.Path(sys.argv[1]))))"
    )
    environment = {
        **os.environ, "PYTHONPATH": PYTHONPATH, "PYTHONHASHSEED": seed, "LC_ALL": "C", "PYTHONUTF8": "0", "TZ": "Asia/Tokyo"
    }  # fmt: skip
    command = [sys.executable, "-c", code, str(path)]
    there = subprocess.run(command, cwd="/", env=environment, capture_output=True, check=True)
    assert there.stdout == b"".join(here)


def test_a_new_cell_leaves_the_other_cells_their_ids(tmp_path):
    before = cells(build.notebooks(authored(tmp_path))[0])
    text = SOUND.replace("# %% setup", "# %% [markdown]\n# New.\n\n# %% setup").replace(
        "# %% oracles", "# %%\nprint(np.ones(2))\n\n# %% oracles"
    )
    after = cells(build.notebooks(authored(tmp_path, text))[0])
    assert set(before) < set(after) and len(after) == len(before) + 2


def test_files_beside_the_notebook_are_handed_out_with_it(tmp_path):
    table = tmp_path / "solutions" / "doubling" / "data" / "table.csv"
    table.parent.mkdir(parents=True)
    table.write_text("1,2\n")
    text = SOUND.replace("print(np.ones(2))", "print(np.loadtxt('data/table.csv', delimiter=','))")
    release = built(tmp_path, text)
    assert (release.parent / "data" / "table.csv").read_text() == "1,2\n"
    assert sorted(path.name for path in (tmp_path / "solutions").rglob("*")) == [
        "data", "doubling", "doubling.ipynb", "doubling.py", "table.csv"
    ]  # fmt: skip


def test_a_file_that_is_handed_out_no_more_is_said(tmp_path):
    release = built(tmp_path)
    (release.parent / "answers.csv").write_text("2")
    (release.parent / ".ipynb_checkpoints").mkdir()
    (release.parent / ".ipynb_checkpoints" / "doubling-checkpoint.ipynb").write_text("{}")
    for check in (True, False):
        with pytest.raises(
            Unusable, match=r"answers\.csv: would be handed out, but is not in .*; delete it"
        ):
            build.build(tmp_path, "doubling", check)


@pytest.mark.parametrize("name", ["answers.py", "deeper/answers.py", "doubling-Copy1.ipynb"])
def test_code_and_second_notebooks_beside_the_notebook_are_refused(tmp_path, name):
    path = tmp_path / "solutions" / "doubling" / name
    path.parent.mkdir(parents=True)
    path.write_text("secret")
    with pytest.raises(Unusable, match=r"nbgrader would .*; move it out"):
        built(tmp_path)
    assert not (tmp_path / "assignments").exists()


def test_an_unknown_exercise_is_said_with_those_there_are(tmp_path):
    authored(tmp_path)
    authored(tmp_path, name="doubling_misconceptions")
    authored(tmp_path, name="doubling_right_answers")
    with pytest.raises(Unusable, match=r"no such exercise; there are: doubling$"):
        build.build(tmp_path, "halving")


@pytest.mark.parametrize(
    "blocked", ["assignments", "assignments/doubling", "assignments/doubling/doubling.ipynb/"]
)
def test_what_cannot_be_written_is_said_and_leaves_nothing_half_done(tmp_path, blocked):
    (tmp_path / blocked).parent.mkdir(parents=True, exist_ok=True)
    if blocked.endswith("/"):
        (tmp_path / blocked).mkdir()
    else:
        (tmp_path / blocked).write_text("in the way")
    with pytest.raises(Unusable, match=r"doubling\.ipynb: .*; make its folder writable") as caught:
        built(tmp_path)
    assert "\n" not in str(caught.value)
    assert [path.name for path in tmp_path.rglob(".*")] == []


@pytest.mark.parametrize(
    ("old", "new", "at", "says"),
    [
        ("return 2 *", "return 3 *", "check=\"double-by", "the solution fails its own check double-by_hand (AssertionError: "
         "double([1]): got [3.])"),
        ("agree(double(x), double_by_definition(x), \"the doubles\")", "agree(x, x, str(double))", "check=\"double-drawn",
         "passes although double is blank"),
        ("agree(double(x), ", "try:\n    double(x)\nexcept Exception:\n    pass\nagree(double_by_definition(x), ",
         "check=\"double-drawn", "passes although double is blank; let it fail on what double returns"),
        ('"the doubles")', '"the doubles")\nx.sum()', "check=\"double-drawn", "ends on the value"),
        ("print(np.ones(2))", "1 / 0", "# %%\n1 / 0", "this plain cell raises ZeroDivisionError: division by zero; fix it"),
        ("x = rng.normal(size=4)", "x = np.ones((3, 0))", "check=\"double-drawn", "calls double with an empty array of shape (3, 0)"),
        ("x = rng.normal(size=4)", "x = np.array([1.0], object)", "check=\"double-drawn", "calls double with an array of dtype object; give it numbers, texts"),
        ("agree(double(x), double", "agree(double(range(3)), [0, 2, 4], '')\nagree(double(x), double", "check=\"double-drawn", "a value of type range; give it a list"),
        ("import numpy as np", "import numpy as np\nimport nowhere", "# %% setup",
         "raises ModuleNotFoundError: No module named 'nowhere'; install it, and name it in packages"),
        ("x = rng", "exit()\nx = rng", "check=\"double-drawn", "fails its own check double-drawn (SystemExit"),
    ],
)  # fmt: skip
def test_an_exercise_that_does_not_prove_itself_is_not_written(tmp_path, old, new, at, says):
    text = SOUND.replace(old, new, 1)
    with pytest.raises(Unusable) as caught:
        built(tmp_path, text)
    line = text[: text.index(at)].count("\n") + 1
    assert str(caught.value).startswith(f"{tmp_path / 'solutions' / 'doubling.py'}:{line}: ")
    assert says in str(caught.value) and "\n" not in str(caught.value)
    assert not list(tmp_path.rglob("*.ipynb"))


@pytest.mark.usefixtures("started_rehearsals")
@pytest.mark.parametrize(
    ("old", "new", "at", "says"),
    [
        ("return 2 *", "import sys; sys.stderr.write('odd')\n    return 2 *", "check=\"double-by", "writes to standard error"),
        ("x = rng", "import os\nos._exit(3)\nx = rng", "check=\"double-drawn", "ends Python (exit code 3)"),
    ],
)  # fmt: skip
def test_nor_is_one_that_harms_the_process_it_is_rehearsed_in(tmp_path, old, new, at, says):
    test_an_exercise_that_does_not_prove_itself_is_not_written(tmp_path, old, new, at, says)


@pytest.mark.everything
@pytest.mark.usefixtures("started_rehearsals")
def test_an_exercise_that_never_ends_is_stopped_and_said(tmp_path, monkeypatch):
    monkeypatch.setattr(self_check, "SECONDS", 9)
    path = authored(tmp_path, SOUND.replace("x = rng", "import time; time.sleep(9999)\nx = rng"))
    with pytest.raises(
        Unusable, match=r"double-drawn is not done after 9 s for the whole file; make it faster"
    ):
        self_check.rehearse(read.read(path), build.notebooks(path)[0], {})


def course(folder: Path, name: str) -> Path:
    """A clone of this course, as far as nbgrader needs it, with one exercise built and
    committed."""
    for file in ("nbgrader_config.py", ".gitignore", ".gitattributes"):
        shutil.copy(ROOT / file, folder)
    if name in EXERCISES:
        for place in ("solutions", "assignments"):
            shutil.copytree(ROOT / place, folder / place)
    else:
        table = folder / "solutions" / name / "table.csv"
        table.parent.mkdir(parents=True)
        table.write_text("1,2\n")
        built(folder, SOUND)
    for command in ("init -q", "add -A", "-c user.name=a -c user.email=a@b.c commit -qm start"):
        subprocess.run(["git", *command.split()], cwd=folder, check=True)
    return folder


@pytest.mark.everything
@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("doubling", "formgrader"),
        ("doubling", "command"),
        *((name, "formgrader") for name in EXERCISES),
    ],
)
def test_nbgraders_own_release_leaves_the_checkout_clean(tmp_path, name, way):
    folder = tmp_path / "course with space"
    folder.mkdir()
    course(folder, name)
    command = (
        ["-m", "nbgrader", "generate_assignment", name, "--force"]
        if way == "command"
        else ["-c", NBGRADER_API, name]
    )
    # As a service or an editor starts it: the environment is not activated.
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(tmp_path),
        "PYTHONPATH": PYTHONPATH,
        "LC_ALL": "C.UTF-8",
    }
    release = folder / "assignments" / name / f"{name}.ipynb"
    before = release.stat().st_mtime_ns
    done = subprocess.run(
        [sys.executable, "-B", *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert release.stat().st_mtime_ns != before
    status = subprocess.run(
        ["git", "status", "--porcelain"], cwd=folder, capture_output=True, text=True, check=True
    )
    assert status.stdout == ""
    assert (folder / "course" / "gradebook.db").is_file()


# What lies elsewhere is followed in nbgrader/test_plugin.py, too.
@pytest.mark.everything
def test_a_course_can_keep_its_state_elsewhere(tmp_path):
    folder = tmp_path / "course"
    folder.mkdir()
    course(folder, "doubling")
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(tmp_path),
        "PYTHONPATH": PYTHONPATH,
        "AUTOGRADER_COURSE": "../else where",
    }
    command = [sys.executable, "-B", "-m", "nbgrader", "generate_assignment", "doubling", "--force"]
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
    assert (tmp_path / "else where" / "gradebook.db").is_file()
    assert not (folder / "course").exists()


READ = cache(read.read)


@pytest.fixture
def read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The exercises of the checkout stay as they are: each is read for the first test of it."""
    monkeypatch.setattr(read, "read", READ)


def committed(name: str) -> tuple[bytes, bytes]:
    """Both notebooks of an exercise as they lie in the checkout."""
    full = ROOT / "solutions" / name / f"{name}.ipynb"
    release = ROOT / "assignments" / name / f"{name}.ipynb"
    return full.read_bytes(), release.read_bytes()


@pytest.mark.usefixtures("read_once")
@pytest.mark.parametrize("name", EXERCISES)
def test_the_committed_notebooks_are_up_to_date(name):
    assert build.build(ROOT, name, check=True) == []


@pytest.mark.usefixtures("read_once")
@pytest.mark.parametrize("name", EXERCISES)
def test_no_line_of_an_answer_an_oracle_or_a_hidden_check_is_released(name):
    path = ROOT / "solutions" / f"{name}.py"
    release = cells(committed(name)[1])
    secret: set[str] = set()
    public: set[str] = set()
    for cell in read.read(path).cells:
        lines = [line.strip() for line in cell.source.split("\n")]
        begin = next(
            (number for number, line in enumerate(lines) if "BEGIN SOLUTION" in line), len(lines)
        )
        if cell.kind == "oracles":
            begin = 0
        elif cell.hidden:
            begin = ast.parse(cell.source).body[0].end_lineno or 1
        public.update(lines[:begin])
        secret.update(lines[begin:])
    released = {line.strip() for cell in release.values() for line in cell["source"].split("\n")}
    # A short line such as else: says nothing.
    telling = {line for line in secret - public if len(line) > 12}
    assert telling
    assert not telling & released


@pytest.mark.usefixtures("read_once")
@pytest.mark.everything
@pytest.mark.parametrize("name", EXERCISES)
def test_the_solution_passes_every_check_and_the_blank_stub_none(name):
    path = ROOT / "solutions" / f"{name}.py"
    authored, (full, release) = read.read(path), committed(name)
    self_check.rehearse(authored, full, {})
    grading.insist(authored, full, release, Settings())


def with_needed(path: Path, folder: Path) -> Path:
    """The authored file with what it needs of earlier ones where students paste it."""
    source = read.read(path)
    setup = source.of("setup")[0]
    lines = path.read_text(encoding="utf-8").split("\n")
    below = next(n for n in range(setup.line, len(lines)) if lines[n].startswith("# %%"))
    lines[below:below] = [cell.source for cell in source.of("needed")]
    copy = folder / path.name
    copy.write_text("\n".join(lines), encoding="utf-8")
    for archive in path.parent.glob("*.npz"):
        shutil.copy(archive, folder)
    return copy


@pytest.mark.usefixtures("read_once")
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in EXERCISES[::3] else pytest.mark.everything)
        for name in EXERCISES
    ],
)
def test_the_authored_file_runs_as_plain_python(tmp_path, name):
    path = ROOT / "solutions" / f"{name}.py"
    if read.read(path).of("needed"):
        path = with_needed(path, tmp_path)
    environment = os.environ | {"MPLBACKEND": "agg"}
    command = [sys.executable, "-B", "-W", "error", str(path)]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_what_is_not_handed_out_is_what_nbgrader_ignores():
    from nbgrader.coursedir import CourseDirectory

    assert list(data_files.IGNORED) == CourseDirectory().ignore


def test_the_last_line_counts_all_points_and_those_by_hand(tmp_path):
    courses.write_root(tmp_path)
    done = processes.call("build", courses.NAME, cwd=tmp_path)
    assert done.stdout.splitlines()[-1] == (
        "counting: 2 steps, 4 checks, 14 points, 4 of them by hand"
    )

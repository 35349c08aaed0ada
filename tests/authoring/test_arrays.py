"""Arrays that an exercise brings along, in a cell of its one notebook."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from autograder.authoring import build, read
from autograder.authoring.arrays import MOST
from autograder.base.errors import Unusable
from autograder.base.settings import Settings
from autograder.checking import confined, student_copy
from autograder.exercises import exercise
from autograder.grader.grader import Grader

pytestmark = pytest.mark.usefixtures("checked_here")

AUTHORED = '''\
# %% [markdown]
# # Looking up

# %% setup
import numpy as np

from autograder import tools

# %% arrays
MODEL = tools.arrays("small.npz")  # größer geht nicht

# %% step="look_up"
def look_up(table, row):
    """Return a row of ``table``."""
    ### BEGIN SOLUTION
    return table[row]
    ### END SOLUTION

# %% check="look_up-first" points=1 category="values"
"""The first row is found."""
tools.same(look_up(MODEL["table"], 0).tolist(), [1, 2], "the row")

# %% check="look_up-last" points=2 category="values" hidden=true
"""The last row is found."""
tools.agree(look_up(MODEL["table"], 1), MODEL["table"][1], "the row")

# %%
print(MODEL["table"].shape)
'''
TABLE = np.array([[1, 2], [3, 4]], dtype=np.int8)


@pytest.fixture
def course(tmp_path: Path) -> Path:
    (tmp_path / "solutions").mkdir()
    (tmp_path / "solutions" / "looking.py").write_text(AUTHORED, encoding="utf-8")
    np.savez(tmp_path / "solutions" / "small.npz", table=TABLE)
    return tmp_path


def built(root: Path) -> tuple[bytes, bytes]:
    full, release = build.notebooks(root / "solutions" / "looking.py")
    path = root / "solutions" / "looking" / "looking.ipynb"
    path.parent.mkdir()
    path.write_bytes(full)
    return full, release


def with_cell(notebook: bytes, id: str, source: str | None = None, marks: bool = True) -> bytes:
    """The notebook with another source in a cell, or without its marks and its id."""
    loaded = json.loads(notebook)
    for number, cell in enumerate(loaded["cells"]):
        if cell["id"] == id and source is not None:
            cell["source"] = source
        if not marks:
            cell["metadata"], cell["id"] = {}, f"c{number}"
    return json.dumps(loaded).encode()


def graded(root: Path, data: bytes) -> tuple[float | None, tuple[str, ...]]:
    settings = Settings(isolation="process")
    with Grader(exercise.load(root, "looking"), b"", settings) as grader:
        result = grader.grade(data, None).result
        return result.score, result.warnings


def test_the_notebook_has_the_arrays_in_a_locked_cell_behind_setup(course):
    build.build(course, "looking")
    release = course / "assignments" / "looking" / "looking.ipynb"
    cells = json.loads(release.read_bytes())["cells"]
    assert [cell["id"] for cell in cells[1:4]] == ["setup", "arrays", "look_up"]
    arrays = cells[2]
    assert arrays["metadata"]["nbgrader"]["locked"]
    assert arrays["metadata"]["cellView"] == "form" and "jupyter" not in arrays["metadata"]
    assert "small.npz" not in "".join(arrays["source"])
    assert "größer geht nicht" in "".join(arrays["source"])


def test_checks_and_scenes_find_the_arrays_wherever_they_run(course):
    full, release = built(course)
    assert graded(course, full) == (3, ())
    assert graded(course, release) == (0, ())
    answered = with_cell(release, "look_up", "def look_up(table, row):\n    return table[row]\n")
    assert graded(course, answered) == (3, ())

    result, _ = confined.checked(student_copy.read(answered, "ada.ipynb", "looking"))
    assert [check.status for check in result.checks] == ["passed"]


def test_a_cell_of_arrays_may_lose_its_marks_or_be_lost(course):
    answered = with_cell(
        built(course)[1], "look_up", "def look_up(table, row):\n    return table[row]\n"
    )
    bare = with_cell(answered, "", marks=False)
    assert graded(course, bare) == (3, ())
    result, _ = confined.checked(student_copy.read(bare, "ada.ipynb", "looking"))
    assert [check.status for check in result.checks] == ["passed"]

    lost = json.loads(answered)
    lost["cells"] = [cell for cell in lost["cells"] if cell["id"] != "arrays"]
    score, warnings = graded(course, json.dumps(lost).encode())
    assert (score, warnings) == (3, ("the cell arrays is missing; the teacher's was used",))


def test_other_arrays_change_nothing_in_what_checks_know(course):
    answer = "def look_up(table, row):\n    return np.array(MODEL['table'])[row]\n"
    answered = with_cell(built(course)[1], "look_up", answer)
    assert graded(course, answered)[0] == 3
    score, (warning,) = graded(course, with_cell(answered, "arrays", "MODEL = {'table': [[1, 2]]}"))
    assert score == 1
    assert "not the teacher's current one" in warning


def test_the_authored_file_runs_as_plain_python(course):
    path = course / "solutions" / "looking.py"
    command = [sys.executable, "-B", "-W", "error", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=course)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("(2, 2)\n")


def test_other_arrays_make_a_notebook_out_of_date(course):
    built(course)
    np.savez(course / "solutions" / "small.npz", table=TABLE[:1])
    with pytest.raises(Unusable, match=r"older than small\.npz; run autograder build looking"):
        exercise.load(course, "looking")


def archive(data: bytes) -> object:
    return lambda path: path.write_bytes(data)


@pytest.mark.parametrize(
    ("put", "said"),
    [
        (Path.unlink, r"looking\.py:10: .*small\.npz: No such file or directory; put the archive"),
        (archive(b"PK"), r"looking\.py:10: .*small\.npz: no archive of arrays; write it with"),
        (
            lambda path: np.savez(path, table=np.array([None])),
            r"looking\.py:10: .*small\.npz: no archive of arrays; write it with",
        ),
        (
            lambda path: np.savez(path, table=np.zeros(MOST, dtype=np.int8)),
            r"looking\.py:9: its arrays are \d+ characters as text, and 140000 fit into a cell; ",
        ),
    ],
)
def test_an_archive_that_cannot_be_used_is_said_with_its_line(course, put, said):
    put(course / "solutions" / "small.npz")
    with pytest.raises(Unusable, match=said):
        read.read(course / "solutions" / "looking.py")


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (
            'tools.arrays("small.npz")',
            "tools.arrays(NAME)",
            ":9: not the name of an archive; write MODEL",
        ),
        ('tools.arrays("small.npz")', "{}", ":9: not the name of an archive; write MODEL"),
        ('"small.npz"', '"../small.npz"', ":10: '../small.npz' names no file next to this one"),
        ('"small.npz"', '"more/x.npz"', ":10: 'more/x.npz' names no file next to this one; put"),
        (
            "# %% arrays\n",
            "# %%\n",
            ":9: this plain cell reads arrays; do it in a cell # %% arrays",
        ),
        (
            "# %% step=",
            '# %% arrays\nB = tools.arrays("small.npz")\n\n# %% step=',
            ":12: a second arrays cell, after line 9",
        ),
        ("table[row]\n", 'tools.arrays("small.npz")\n', ":12: this step cell reads arrays"),
    ],
)
def test_arrays_in_a_wrong_place_are_said_with_their_line(course, before, after, said):
    path = course / "solutions" / "looking.py"
    path.write_text(AUTHORED.replace(before, after), encoding="utf-8")
    with pytest.raises(Unusable) as raised:
        read.read(path)
    assert said in str(raised.value)


def test_the_cell_of_arrays_is_below_setup_and_above_the_first_check_that_uses_it(course):
    path = course / "solutions" / "looking.py"
    setup, arrays, rest = AUTHORED.partition("# %% arrays\n")
    cell, step, rest = rest.partition('# %% step="look_up"')
    title, setup_line, body = setup.partition("# %% setup\n")

    path.write_text(f"{title}{arrays}{cell}{setup_line}{body}{step}{rest}", encoding="utf-8")
    with pytest.raises(Unusable, match="arrays before the setup cell; move them behind it"):
        read.read(path)
    path.write_text(f"{setup}{step}{rest}\n{arrays}{cell}", encoding="utf-8")
    with pytest.raises(Unusable, match="look_up-first uses MODEL, which it cannot know"):
        read.read(path)
    answer, check, checks = f"{step}{rest}".partition("# %% check=")
    path.write_text(f"{setup}{answer}{arrays}{cell}{check}{checks}", encoding="utf-8")
    assert [one.kind for one in read.read(path).cells[:4]] == ["prose", "setup", "step", "arrays"]

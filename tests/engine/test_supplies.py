"""What student code finds beside Python and NumPy: an exercise's files, and packages that the
teacher allows."""

import sys
from dataclasses import replace

import pytest

from autograder.base.errors import Unusable
from autograder.exercises import data_files
from autograder.grader.grader import Grader
from autograder.sandbox import levels, supplies
from tests.support.requirements import isolation_level
from tests.support.toy import PATIENT, exercise, submission

# What is true of packages make test shows at the level that grading prefers.
STRONGEST = pytest.mark.parametrize(
    "level",
    [
        levels.NAMES[0],
        *(pytest.param(level, marks=pytest.mark.everything) for level in levels.NAMES[1:]),
    ],
)

READS = """
with open("table.csv") as file:
    first = file.readline().strip()
"""

ANSWER = """
def f():
    with open("more/words.txt") as file:
        found = [first, file.read()]
    for path in ("table.csv", "more/new.txt", "new.txt"):
        try:
            open(path, "w").close()
            found.append(path)
        except OSError:
            pass
    return found
"""


def at(level, toy, answer, **settings):
    """The verdicts of every check at one isolation level."""
    chosen = replace(PATIENT, isolation=level, **settings)
    with isolation_level(), Grader(toy, b"key", chosen) as grader:
        checks = grader.grade(submission(toy, f=answer), "ada").result.checks
    return [check.message for check in checks]


@pytest.mark.parametrize("level", levels.NAMES)
def test_files_beside_the_notebook_are_read_by_everybody_and_written_by_nobody(
    level, tmp_path, monkeypatch
):
    monkeypatch.setattr(data_files.tempfile, "tempdir", str(tmp_path))
    tmp_path.chmod(0o755)
    check = "assert first == 'a,b'\nassert open('table.csv').read() == 'a,b\\n'\nassert f() == ['a,b', 'word'], f()"
    toy = replace(
        exercise(check, setup=READS), data={"table.csv": b"a,b\n", "more/words.txt": b"word"}
    )
    assert at(level, toy, ANSWER) == [""]
    assert list(tmp_path.iterdir()) == []


def test_without_files_there_is_no_folder():
    assert data_files.DataFolder({}).path is None


def test_files_of_an_exercise_are_read_without_notebooks_and_code(tmp_path):
    for name in (
        "table.csv",
        "more/words.txt",
        "x.ipynb",
        ".hidden",
        "x.py",
        "__pycache__/x.pyc",
        ".git/config",
        "feedback/ada.html",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    assert data_files.read(tmp_path) == {
        "table.csv": b"table.csv",
        "more/words.txt": b"more/words.txt",
    }


def test_files_that_are_too_large_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(data_files, "MAX_BYTES", 1 << 20)
    (tmp_path / "large.bin").write_bytes(bytes(3 << 20))
    with pytest.raises(Unusable, match="3 MB of files for students; leave 1 MB at most"):
        data_files.read(tmp_path)


def test_changed_files_make_another_exercise_of_it():
    plain, one, other = ({}, {"a": b"1"}, {"a": b"2"})
    assert data_files.fingerprint("0", plain) == "0"
    assert len({data_files.fingerprint("0", data) for data in (plain, one, other)}) == 3


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder with a package of three files and a module, from which this Python imports."""
    tmp_path.chmod(0o755)
    package = tmp_path / "toolbox"
    package.mkdir()
    (package / "__init__.py").write_text("from toolbox.inner import two\n")
    (package / "inner.py").write_text("two = 2\n")
    (package / "late.py").write_text("three = 3\n")
    (tmp_path / "onefile.py").write_text("four = 4\n")
    (tmp_path / "secret.py").write_text("five = 5\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in [name for name in sys.modules if name.partition(".")[0] in ("toolbox", "onefile")]:
        del sys.modules[name]


USES = """
import toolbox, onefile
def f():
    import toolbox.late
    try:
        import secret
    except ImportError:
        return toolbox.two + toolbox.late.three + onefile.four
"""


@STRONGEST
def test_packages_that_the_teacher_allows_are_imported_and_no_others(level, site):
    toy = exercise("assert onefile.four == 4 and f() == 9, f()", setup="import onefile")
    assert at(level, toy, USES, packages=("toolbox", "onefile")) == [""]
    assert "ModuleNotFoundError" in at(level, exercise("f()"), USES)[0]


@STRONGEST
def test_a_package_with_libraries_of_its_own_is_imported_with_all_that_it_needs(level):
    answer = """
    import contourpy
    def f():
        lines = contourpy.contour_generator(z=[[0.0, 1.0], [0.0, 1.0]]).lines(0.25)
        return float(lines[0][0, 0])
    """
    pytest.importorskip("contourpy")
    said = at(level, exercise("assert f() == 0.25, f()"), answer, packages=("contourpy",))
    assert said == [""]


def test_a_package_that_is_not_installed_is_said_before_anything_starts():
    with pytest.raises(Unusable, match="nowhere: no package of this name is installed; install it"):
        Grader(exercise("f()"), b"key", replace(PATIENT, packages=("nowhere",)))


def test_a_package_that_does_not_load_in_the_sandbox_is_named(tmp_path, monkeypatch):
    (tmp_path / "broken.py").write_text("raise ImportError")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(Unusable, match="does each of broken load where nothing can be written"):
        Grader(exercise("f()"), b"key", replace(PATIENT, isolation="process", packages=("broken",)))


def test_a_package_is_found_with_what_it_needs():
    pytest.importorskip("matplotlib")
    names = {path.name for path in supplies.of(None, ("matplotlib",)).files}
    assert {"matplotlib", "mpl_toolkits", "PIL", "kiwisolver"} <= names
    assert not {"numpy", "pytest"} & names


def test_a_setup_cell_that_needs_a_package_of_nobody_is_the_teachers_to_mend(site):
    toy = exercise("f()", setup="import onefile", f="def f(): return 1")
    says = "the setup cell raises ModuleNotFoundError in the worker: No module named 'onefile'; name the"
    settings = replace(PATIENT, isolation="process")
    with Grader(toy, b"key", settings) as grader, pytest.raises(Unusable, match=says):
        grader.grade(submission(toy), "ada")

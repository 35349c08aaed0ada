"""The public interface, used as another program would: from outside, as docs/api.md says."""

import subprocess
import sys
from pathlib import Path

import pytest

import autograder
from tests.support import processes, sample_class

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "api.md"


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A folder with what the examples read: Omar's notebook, by itself and handed in."""
    release = (ROOT / "assignments" / "attention" / "attention.ipynb").read_bytes()
    omar = next(student for student in sample_class.students() if student.id == "omar")
    handed_in = omar.file(release)
    assert handed_in is not None
    for path in ("omar.ipynb", "course/submitted/omar/attention/attention.ipynb"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(handed_in)
    (tmp_path / "students.csv").write_text("id,name\nomar,Omar\n")
    return tmp_path


def python(*arguments: object, cwd: Path) -> str:
    """What a program of its own prints."""
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=processes.SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_example_on_the_page_gives_what_the_page_says(elsewhere):
    page = PAGE.read_text(encoding="utf-8")
    assert page.count(">>> ") > 10
    # doctest would take the end of a block for a line that the example prints.
    (elsewhere / "examples.txt").write_text(page.replace("```", "\n"), encoding="utf-8")
    assert python("-m", "doctest", "examples.txt", cwd=elsewhere) == ""


def test_the_page_speaks_of_every_public_name():
    page = PAGE.read_text(encoding="utf-8")
    for name in autograder.__all__:
        assert f"`{name}`" in page, name
        assert getattr(autograder, name).__name__ == name


def test_a_name_that_is_not_there_is_an_attribute_error_as_in_any_module():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = autograder.nothing  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("code", "loaded"),
    [
        ("import autograder", set()),
        ("import autograder; dir(autograder)", set()),
        ("from autograder import Result, Unusable", {"autograder.base"}),
    ],
)
def test_what_is_imported_loads_nothing_else(tmp_path, code, loaded):
    told = python("-c", f"{code}\nimport sys\nprint(*sys.modules)", cwd=tmp_path).split()
    packages = {".".join(name.split(".")[:2]) for name in told if name.startswith("autograder.")}
    assert packages == loaded
    assert not {"numpy", "typer", "sqlalchemy"} & set(told)


def test_an_exercise_is_found_by_name_by_source_and_by_notebook(tmp_path):
    solutions = ROOT / "solutions"
    by_name = autograder.load_exercise("attention", root=ROOT)
    assert autograder.load_exercise(solutions / "attention.py") == by_name
    assert autograder.load_exercise(str(solutions / "attention" / "attention.ipynb")) == by_name
    with pytest.raises(autograder.Unusable, match="is not in a folder solutions/"):
        autograder.load_exercise(tmp_path / "attention.py")
    with pytest.raises(autograder.Unusable, match="no such exercise"):
        autograder.load_exercise("attention", root=tmp_path)

"""``autograder new``: an exercise that builds, proves and is graded as it is written."""

from pathlib import Path

import pytest

from autograder.authoring import build, starter
from autograder.authoring.proving import proof
from autograder.base.errors import Unusable
from autograder.exercises import exercise
from tests.support import processes


def root_of(folder: Path) -> Path:
    (folder / "solutions").mkdir()
    return folder


def test_what_it_writes_builds_and_proves_as_it_is(tmp_path):
    root = root_of(tmp_path)
    done = processes.finished("new", "bag_of-words", cwd=root)
    assert done.stdout.splitlines() == [
        "wrote solutions/bag_of-words.py",
        "wrote solutions/bag_of-words_misconceptions.py",
        "wrote solutions/bag_of-words_right_answers.py",
        "next: autograder build bag_of-words, then autograder prove bag_of-words",
    ]

    assert build.authored_names(root) == ["bag_of-words"]
    assert len(build.build(root, "bag_of-words")) == 2
    known = exercise.load(root, "bag_of-words")
    assert known.title == "Bag of words"
    assert [check.hidden for check in known.checks] == [False, True]
    assert proof.prove(root, known, range(20), 1).problems() == []


def test_it_writes_into_the_empty_folder_in_which_somebody_stands(tmp_path):
    done = processes.finished("new", "words", cwd=tmp_path)
    assert done.stdout.splitlines()[0] == "wrote solutions/words.py"
    assert (tmp_path / "solutions" / "words.py").is_file()


def test_it_writes_nothing_into_a_course_above(tmp_path):
    folder = root_of(tmp_path) / "mine"
    folder.mkdir()
    done = processes.call("new", "words", cwd=folder)
    assert done.returncode == 2
    assert done.stderr.strip() == (
        f"autograder: {tmp_path}: is the course that contains this folder; run autograder new there, or make a "
        "folder solutions here for a course of its own"
    )
    assert list(tmp_path.rglob("*.py")) == []


@pytest.mark.parametrize(
    "there", ["words.py", "words_misconceptions.py", "words_right_answers.py", "words/words.ipynb"]
)
def test_it_writes_nothing_over_what_is_there(tmp_path, there):
    path = root_of(tmp_path) / "solutions" / there
    path.parent.mkdir(exist_ok=True)
    path.write_text("mine")
    with pytest.raises(Unusable, match="is there already; choose another name"):
        starter.write(tmp_path, "words")
    files = [found for found in tmp_path.rglob("*") if found.is_file()]
    assert files == [path] and path.read_text() == "mine"


@pytest.mark.parametrize(
    "name",
    ["a+b", "", "a b", "../up", "x" * 65, "words_misconceptions", "words_right_answers", "shared"],
)
def test_an_impossible_name_is_refused_in_one_line(tmp_path, name):
    with pytest.raises(Unusable, match="no name for an exercise; use 1 to 64 letters"):
        starter.write(root_of(tmp_path), name)
    assert not list((tmp_path / "solutions").iterdir())


@pytest.mark.parametrize("name", ["numpy", "json", "__main__"])
def test_the_name_of_a_module_that_the_file_would_hide_is_refused(tmp_path, name):
    with pytest.raises(Unusable, match=f"{name}: is the name of a Python module; choose another"):
        starter.write(root_of(tmp_path), name)
    assert not list((tmp_path / "solutions").iterdir())

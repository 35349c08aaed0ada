"""``autograder sample``: a class from the banks of an exercise."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.authoring import build, starter
from autograder.authoring.proving import sample
from autograder.base.errors import Unusable
from autograder.course.course import STUDENT_ID
from autograder.exercises import exercise, misconceptions
from tests.support import courses, processes

pytestmark = pytest.mark.usefixtures("graded_here")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with the exercise that ``autograder new`` writes, built."""
    folder = tmp_path_factory.mktemp("sampled")
    (folder / "solutions").mkdir()
    starter.write(folder, "words")
    build.build(folder, "words")
    return folder


def test_the_class_is_one_folder_a_student_and_what_is_printed_says_who_is_what(root, tmp_path):
    done = processes.finished("sample", "words", "--output", tmp_path / "class", cwd=root)
    *lines, wrote = done.stdout.splitlines()
    said = dict(line.split(maxsplit=1) for line in lines)
    assert said == {
        "right": "has every step as in the solution",
        "blank": "hands in what was released",
        "wrong-letters_counted": "is wrong in count_words; the first to fail is count_words-by_hand",
        "wrong-spaces_counted": "is wrong in count_words; the first to fail is count_words-drawn",
        "unusual-words_begun": "is right in count_words, in an unusual way",
    }
    assert wrote.startswith("wrote 5 notebooks, as ")
    written = {
        path.relative_to(tmp_path / "class").as_posix() for path in tmp_path.rglob("*.ipynb")
    }
    assert written == {f"{student}/words/words.ipynb" for student in said}


def test_the_class_is_graded_as_it_is_said(root, tmp_path):
    folder, state = tmp_path / "class", tmp_path / "course"
    processes.call("sample", "words", "--output", folder, cwd=root)
    done = processes.call(
        "grade", "words", "--submitted", folder, "--course", state, "--json", "-", cwd=root
    )
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert {result["student"]: result["score"] for result in results} == {
        "right": 10,
        "blank": 0,
        "wrong-letters_counted": 0,
        "wrong-spaces_counted": 4,
        "unusual-words_begun": 10,
    }


def test_what_stands_in_the_notebook_is_the_answer_and_nothing_of_the_teachers(root):
    known = exercise.load(root, "words")
    release = json.loads((root / "assignments" / "words" / "words.ipynb").read_bytes())
    for student in sample.students(root, known):
        text = student.notebook(release).decode()
        assert "SOLUTION" not in text and "words_by_definition" not in text
        cells = {cell["id"]: "".join(cell["source"]) for cell in json.loads(text)["cells"]}
        assert cells["count_words"].startswith("# Step 1 of 1 · count_words · 10 points\ndef ")
        assert ("NotImplementedError" in cells["count_words"]) == (student.id == "blank")


def test_half_of_several_steps_are_somebodys(tmp_path):
    courses.write_root(tmp_path)
    people = sample.students(tmp_path, exercise.load(tmp_path, courses.NAME))
    assert [student.id for student in people] == ["right", "blank", "half"]
    assert list(people[2].sources) == ["double"]


def test_ids_are_legal_and_nobodys_twice(root, tmp_path):
    known = exercise.load(root, "words")
    entry = misconceptions.load(misconceptions.path_of(root, "words")).entries[0]
    path = tmp_path / "solutions" / "words_misconceptions.py"
    path.parent.mkdir()
    functions = []
    for ending in ("a", "b", "c"):
        functions.append(
            f'@misconception(step="count_words", caught_by="count_words-by_hand")\n'
            f"def {'x' * 80}{ending}(text):\n"
            f'    """{entry.hint}"""\n    return len(text)\n'
        )
    path.write_text("\n\n".join(functions))
    ids = [student.id for student in sample.students(tmp_path, known)]
    assert len(set(ids)) == len(ids) == 5
    assert all(STUDENT_ID.match(id) for id in ids)


def test_a_folder_with_something_in_it_is_left_alone(root, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    known = exercise.load(root, "words")
    with pytest.raises(Unusable, match=r"sample did not write, mine.txt; delete it, or name"):
        sample.write_class(root, known, tmp_path)
    with pytest.raises(Unusable, match="is no folder; delete it, or name another"):
        sample.write_class(root, known, tmp_path / "mine.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_the_class_of_the_last_run_goes_also_where_that_was_cut_short(root, tmp_path):
    known = exercise.load(root, "words")
    folder = tmp_path / "class"
    sample.write_class(root, known, folder)
    students = {path.name for path in folder.glob("[a-z]*")}
    shutil.rmtree(folder / "blank")
    sample.write_class(root, known, folder)
    assert {path.name for path in folder.glob("[a-z]*")} == students

    # Somebody who is not in the class any more.
    fewer = replace(known, bank=None)
    path = misconceptions.path_of(root, "words")
    bank = path.read_text()
    path.unlink()
    try:
        sample.write_class(root, fewer, folder)
    finally:
        path.write_text(bank)
    left = {path.name for path in folder.glob("[a-z]*")}
    assert left == {student for student in students if not student.startswith("wrong-")}


def _edit(folder: Path) -> None:
    (folder / "right" / "words" / "words.ipynb").write_text("mine")


def _add(folder: Path) -> None:
    (folder / "right" / "notes.txt").write_text("mine")


def _make_a_folder(folder: Path) -> None:
    (folder / "ada" / "words").mkdir(parents=True)


def _link(folder: Path) -> None:
    (folder / "right" / "words" / "words.ipynb").unlink()
    (folder / "right" / "words" / "words.ipynb").symlink_to(folder.parent / "mine.ipynb")


def _lose_what_was_written(folder: Path) -> None:
    (folder / ".written.json").unlink()


def _damage_what_was_written(folder: Path) -> None:
    (folder / ".written.json").write_text("[]")


@pytest.mark.parametrize(
    "change",
    [_edit, _add, _make_a_folder, _link, _lose_what_was_written, _damage_what_was_written],
)
def test_what_somebody_changed_in_a_class_is_left_alone(root, tmp_path, change):
    known = exercise.load(root, "words")
    folder = tmp_path / "class"
    sample.write_class(root, known, folder)
    change(folder)
    before = sorted(folder.rglob("*"))
    with pytest.raises(Unusable, match="has something in it that sample did not write"):
        sample.write_class(root, known, folder)
    assert sorted(folder.rglob("*")) == before

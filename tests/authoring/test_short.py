"""How short an exercise can be: four steps, eight checks, hints and scenes at hand, nothing copied."""

from pathlib import Path

import pytest

from autograder.authoring import build, read
from autograder.base.settings import Settings
from autograder.exercises import exercise
from autograder.grader.grader import Grader

pytestmark = pytest.mark.usefixtures("kept_parents")

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "tests" / "support" / "bag_of_words.txt").read_text(encoding="utf-8")


def test_four_steps_take_at_most_120_lines_without_their_prose(tmp_path):
    path = tmp_path / "solutions" / "bag_of_words.py"
    path.parent.mkdir()
    path.write_text(TEXT, encoding="utf-8")
    source = read.read(path)

    prose = sum(cell.source.count("\n") + 2 for cell in source.of("prose"))
    assert len(source.of("step")) == 4
    assert len(TEXT.splitlines()) - prose <= 120

    build.build(tmp_path, "bag_of_words")
    known = exercise.load(tmp_path, "bag_of_words")
    with Grader(known, b"key", Settings()) as grader:
        full = (tmp_path / "solutions" / "bag_of_words" / "bag_of_words.ipynb").read_bytes()
        assert grader.grade(full, None).result.score == known.max_score == 20


def test_none_of_them_is_copied():
    ours = set()
    for path in (ROOT / "solutions").glob("*.py"):
        ours.update(path.read_text(encoding="utf-8").splitlines())
    lines = [line for line in TEXT.splitlines() if len(line) > 50]
    assert lines and not ours & set(lines)

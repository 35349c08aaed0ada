"""Questions that a value answers: what students get, what is accepted, and what authors are told."""

import json
from pathlib import Path
from typing import Any

import pytest

from autograder.authoring import build, read
from autograder.authoring.proving import proof
from autograder.base.errors import Unusable
from autograder.base.settings import Settings
from autograder.exercises import exercise
from autograder.grader.grader import Grader
from autograder.show.terminal import proof_tables
from tests.support.doubling import TINY, authored

pytestmark = pytest.mark.usefixtures("kept_parents")

QUESTIONS = '''
# %% question="cache_bytes" kind="number" points=2 tolerance=0.01
"""How many bytes does the cache take? Say "about" if
you like.

It has 12 layers.
"""
cache_bytes = 2 * 12 * 1024 * 4

# %% question="hidden_key" kind="choice" points=1 category="masks" hidden=true
"""Which weight does a hidden key get?

a: exactly 0
b: a very small one
c: the same as all others
"""
hidden_key = "a"

# %% question="score_shape" kind="shape" points=1 hidden=true
"""Q is (2, 3, 8) and K is (2, 5, 8): what is the shape of the scores?"""
score_shape = (2, 3, 5)

# %% question="weights_from" kind="text" points=1
"""Which function turns scores into weights?"""
weights_from = ["softmax", "soft max"]
'''
BANK = '''
from autograder.exercises.misconceptions import misconception

@misconception(step="cache_bytes", caught_by="cache_bytes-answer")
def keys_alone():
    """The cache keeps keys, and what else?"""
    return 12 * 1024 * 4

@misconception(step="cache_bytes", caught_by="cache_bytes-answer")
def bits():
    """In which unit is your number?"""
    return 2 * 12 * 1024 * 4 * 8

@misconception(step="hidden_key", caught_by="hidden_key-answer")
def small():
    """What does exp make of minus infinity?"""
    return "b"
'''
RIGHT = {
    "double": "def double(x):\n    return x + x",
    "cache_bytes": "layers = 12\ncache_bytes = 2 * layers * 1024 * 4",
    "hidden_key": "hidden_key = ' A'",
    "score_shape": "score_shape = [2, 3, 5]",
    "weights_from": "weights_from = 'Soft  MAX'",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("quiz")
    path = authored(root, TINY + QUESTIONS)
    path.with_name("doubling_misconceptions.py").write_text(BANK)
    for folder, data in zip(("solutions", "assignments"), build.notebooks(path)):
        place = root / folder / "doubling" / "doubling.ipynb"
        place.parent.mkdir(parents=True)
        place.write_bytes(data)
    return root


def cells(root: Path) -> dict[str, Any]:
    notebook = json.loads((root / "assignments/doubling/doubling.ipynb").read_bytes())
    return {cell["id"]: "".join(cell["source"]) for cell in notebook["cells"]}


def handed_in(root: Path, **answers: str) -> bytes:
    notebook = json.loads((root / "assignments/doubling/doubling.ipynb").read_bytes())
    for cell in notebook["cells"]:
        cell["source"] = answers.pop(cell["id"], cell["source"])
    for source in answers.values():
        added = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
        notebook["cells"].append({**added, "id": "more", "source": source})
    return json.dumps(notebook).encode()


def test_students_get_a_value_to_fill_in_and_no_answer(root):
    given = cells(root)
    assert given["cache_bytes"].split("\n")[:3] == [
        "# Question · cache_bytes · 2 points",
        "#",
        '# How many bytes does the cache take? Say "about" if',
    ]
    assert given["cache_bytes"].endswith("# It has 12 layers.\ncache_bytes = ...")
    assert given["hidden_key"].endswith("# c: the same as all others\nhidden_key = ...")
    everything = "".join(given.values())
    assert "soft max" not in everything and "1024" not in everything
    assert "(masks, 1 point)" in everything and "98304" not in everything


def test_what_is_accepted_gets_its_points_and_nothing_else_does(root):
    known = exercise.load(root, "doubling")
    wrong = {
        "cache_bytes": "cache_bytes = 2 * 12 * 1024 * 4 * 8",
        "hidden_key": "hidden_key = 'b'",
        "score_shape": "score_shape = 30",
        "weights_from": f"weights_from = {'x' * 500!r}",
    }
    odd = {
        "cache_bytes": "class Right(float):\n    __eq__ = lambda *_: True\ncache_bytes = Right(1)",
        "hidden_key": "answered = print\nhidden_key = object()",
        "score_shape": "def score_shape():\n    while True:\n        pass",
        "weights_from": "weights_from = ['softmax', 'soft max']",
    }
    settings = Settings(call_seconds=0.5)
    with Grader(known, b"quiz", settings) as grader:
        # A question's name stays the value in the cells that follow.
        right = grader.grade(handed_in(root, **RIGHT, more="cache_bytes / 2"), "ada").result
        blank = grader.grade(handed_in(root, double=RIGHT["double"]), "bob").result
        off = grader.grade(handed_in(root, **{**RIGHT, **wrong}), "cyd").result
        tried = grader.grade(handed_in(root, **{**RIGHT, **odd}), "dot").result
        near = {**RIGHT, "cache_bytes": "cache_bytes = 98_900.0"}
        close = grader.grade(handed_in(root, **near), "eve").result
        letter = RIGHT["hidden_key"].replace("' A'", "'(A): this one'")
        assert letter != RIGHT["hidden_key"]
        for several in ("'A or b'", "'A. b'", "'A) b) c)'", "'I think A'"):
            guessed = RIGHT["hidden_key"].replace("' A'", several)
            result = grader.grade(handed_in(root, **{**RIGHT, "hidden_key": guessed}), "gus").result
            assert result.score < 8.0, several
        loose = grader.grade(handed_in(root, **{**RIGHT, "hidden_key": letter}), "fay").result
        assert loose.score == 8.0
    assert (right.score, right.max_score, right.warnings) == (8.0, 8.0, ())
    assert (blank.score, off.score, tried.score, close.score) == (3.0, 3.0, 3.0, 8.0)
    assert {(check.status, check.message) for step in blank.steps[1:] for check in step.checks} == {
        ("unattempted", f"{step.name} is still to be answered") for step in blank.steps[1:]
    }
    bytes_, key, shape, words = (step.checks[0] for step in off.steps[1:])
    assert (bytes_.misconception, bytes_.hint) == ("bits", "In which unit is your number?")
    assert key.message == "hidden_key = 'b' is not right yet" and key.misconception == "small"
    assert shape.message == "score_shape should be a shape, not 30"
    assert len(words.message) < 130 and right.categories["understanding"]["max_score"] == 4.0


def test_a_visible_question_answers_at_once_with_its_hint(root, capsys):
    cells_ = cells(root)
    for answer, says in (
        ("98304", "passed, 2 points"),
        ("786432", "In which unit is your number?"),
    ):
        names: dict[str, Any] = {}
        exec(cells_["setup"], names)
        exec(f"cache_bytes = {answer}", names)
        try:
            exec(cells_["cache_bytes-answer"], names)
        except AssertionError as error:
            assert str(error) == f"cache_bytes = {answer} is not right yet"
        assert says in capsys.readouterr().out
    still_to_do = names["tools"].still_to_do
    assert still_to_do("cache_bytes", True, {}) == "cache_bytes is still to be answered."
    assert still_to_do("double", True, {}) == "double is still to be written."


def test_prove_tries_the_bank_and_says_how_likely_a_guess_is_right(root, capsys):
    known = exercise.load(root, "doubling")
    proved = proof.prove(root, known, keys=[0], jobs=1)
    proof_tables.show_proof(proved)
    said = capsys.readouterr().out
    assert "first to catch 2" in said and "chance of guessing: 33%\n" in said
    assert not [line for line in proved.problems() if "cache_bytes" in line or "right" in line]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('kind="shape"', 'kind="form"', 'write kind="number" or kind="choice"'),
        ("points=2 tol", "tol", "cache_bytes has no points"),
        ("tolerance=0.01", "tolerance=2", "like tolerance=0.01"),
        ('hidden_key = "a"', 'hidden_key = "d"', "none of two or more options"),
        ("score_shape = (2, 3, 5)", "score_shape = 5", "(2, 3, 5) is no shape"),
        ("score_shape = (2, 3, 5)", "score_shape = double", "write a literal, or arithmetic"),
        ("weights_from = [", "other = [", "a docstring and one assignment"),
        ('question="cache_bytes"', 'question="cache-bytes"', "not the name of a variable"),
    ],
)
def test_an_author_is_told_the_line_and_the_repair(tmp_path, old, new, says):
    says = says.replace("(2, 3, 5) is", "5 is")
    path = authored(tmp_path, TINY + QUESTIONS.replace(old, new))
    with pytest.raises(Unusable) as caught:
        read.read(path)
    assert says in str(caught.value) and "doubling.py:" in str(caught.value)

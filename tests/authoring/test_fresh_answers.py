"""Fresh answers: wrong and right ones that no check was written for, graded from a file."""

import json
from pathlib import Path

import pytest

from autograder.authoring import grading
from autograder.base.errors import Unusable
from autograder.base.settings import Settings
from autograder.exercises import exercise
from tests.support.courses import AUTHORED, NAME, ROOT, write_root
from tests.support.processes import call, finished

pytestmark = pytest.mark.usefixtures("kept_parents")

ANSWERS = '''
@wrong_answer(step="double", named="scaled argument_added")
def trebled(x):
    """Three times as much."""
    return 3 * np.asarray(x)


@wrong_answer(step="double", named="transposed")
def tripled(x):
    return np.asarray(x) + 2 * np.asarray(x)


@wrong_answer(step="total")
def wrong_for_a_thousand(x):
    return 0 if len(x) == 1000 else float(np.sum(x))


@right_answer(step="total")
def added_up(x):
    return sum(x)


@right_answer(step="total")
def never_negative(x):
    return abs(sum(x))
'''

LISTS_SHARED = """
@wrong_answer(step="cached_step")
def lists_shared_by_all_caches(q, k, v, cache):
    cache = ([], []) if cache is None else cache
    cache[0].append(k)
    cache[1].append(v)
    keys, values = (np.stack(list(part), axis=-2) for part in cache)
    return scaled_dot_product_attention(q[..., None, :], keys, values)[0][..., 0, :], cache
"""


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("fresh")
    write_root(root, AUTHORED)
    return root


def test_a_file_of_answers_is_graded_and_each_gets_a_row(course):
    file = course / "fresh.py"
    file.write_text(ANSWERS, encoding="utf-8")
    done = finished(
        "prove", NAME, "--answers", file, "--json", course / "fresh.json", cwd=course, code=1
    )
    found = json.loads((course / "fresh.json").read_text(encoding="utf-8"))
    said = {answer["name"]: answer for answer in found["answers"]}
    assert said["trebled"]["check"] == "double-by_hand"
    assert not said["trebled"]["misnamed"] and said["trebled"]["hint"]
    assert said["tripled"]["misnamed"]
    assert said["wrong_for_a_thousand"]["escapes"]
    assert said["added_up"]["points"] == said["added_up"]["max_points"]
    assert said["never_negative"]["loses"]
    assert [line.partition(":")[0] for line in found["problems"]] == [
        "tripled (double)",
        "wrong_for_a_thousand (total)",
        "never_negative (total)",
    ]
    assert "wrong_for_a_thousand  total" in done.stdout
    assert done.stdout.endswith(
        "3 wrong answers: 2 caught, 2 of them with a hint; 2 right answers: 1 with all points\n"
    )


def test_a_bank_can_be_tried_as_well():
    attention = exercise.load(ROOT, "attention")
    bank = ROOT / "solutions" / "attention_misconceptions.py"
    found = grading.read_answers(bank, attention)
    assert len(found) > 100
    assert all(named == (answer.name,) and answer.wrong for answer, named in found)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x = 1\n", "no answers; write functions with @wrong_answer"),
        ('@wrong_answer(step="doubel")\ndef f(x):\n    return x\n', ":2: f answers doubel, which is no step; did you mean double?"),
        ("@wrong_answer()\ndef f(x):\n    return x\n", ':1: an entry without its step; write @wrong_answer(step="...")'),
        ("def f(x):\n    return x\n", ":1: f is no entry, and an entry stands by itself; give it @misconception(...) or @right_answer(...) or @wrong_answer(...)"),
        ('@wrong_answer(step="double", family="f")\ndef f(x):\n    return x\n', ":1: family is no mark of an entry; write named, step as texts"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_used_gets_one_line(course, text, says):
    file = course / "broken.py"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(Unusable) as caught:
        grading.read_answers(file, exercise.load(course, NAME))
    assert str(caught.value).startswith(str(file)) and says in str(caught.value)


def test_cover_and_answers_are_two_things(course):
    done = call("prove", NAME, "--cover", "--answers", "fresh.py", cwd=course)
    assert done.returncode == 2
    assert "--cover and --answers" in done.stderr


def test_a_hint_about_several_mistakes_goes_by_a_name_as_well(tmp_path):
    inference = exercise.load(ROOT, "inference")
    file = tmp_path / "answers.py"
    file.write_text(LISTS_SHARED, encoding="utf-8")
    found = grading.read_answers(file, inference)
    graded = grading.grade_answers(inference, found, Settings(), lambda _: None)
    assert [answer.hint_name for answer in graded.answers] == ["one of several"]

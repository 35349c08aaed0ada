"""What `check`, `watch` and pytest show of a check that fails is what the notebook shows."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import pytest

from autograder import pytest_plugin
from autograder.base.result import CheckResult, Look, StepResult
from autograder.base.settings import Settings
from autograder.base.text import statement
from autograder.checking import student_copy
from autograder.exercises import exercise
from autograder.grader.grader import Grader
from autograder.show.terminal import look
from autograder.tools import showing
from tests.support.courses import ROOT
from tests.support.handed_out import checked, copy
from tests.support.processes import call, finished, surrounded

pytestmark = pytest.mark.usefixtures("checked_here", "kept_parents")

OVER_COLUMNS = """
def softmax(scores, axis=-1):
    print("scores", scores.shape)
    powers = np.exp(scores - scores.max(axis=0, keepdims=True))
    return powers / powers.sum(axis=0, keepdims=True)
"""
HINT = "Your columns sum to 1."
OWN = "What is np.exp(1000)?"
"""What a check of softmax asks by itself."""


def written(folder: Path, name: str = "attention", **answers: str) -> Path:
    path = folder / f"{name}.ipynb"
    path.write_bytes(copy(name, **answers))
    return path


def shown(path: Path) -> str:
    """What `check` prints."""
    return finished("check", path, code=1).stdout


def test_check_shows_prints_both_tables_and_one_question_under_the_first_failing_check(tmp_path):
    printed = shown(written(tmp_path, softmax=OVER_COLUMNS))
    own = printed[printed.index("✗ by_hand") : printed.index("✗ rows_sum_to_one")]
    assert own.splitlines()[1:-1] == [
        "      printed:",
        "      │ scores (2, 3)",
        "      the weights:",
        "      │ yours                      │ expected",
        "      │ [[0.25   0.6667 0.2   ]    │ [[0.25  0.5   0.25 ]",
        "      │  [0.75   0.3333 0.8   ]]   │  [0.375 0.125 0.5  ]]",
        f"      hint: {own.splitlines()[-2].removeprefix('      hint: ')}",
    ]
    softmax = printed[printed.index("✗ softmax") : printed.index("✓ weighted_sum")]
    assert softmax.count("?") == 1 and HINT in own and OWN not in printed
    assert printed.count("printed:") == 1, "only under the first of them"


def test_check_shows_further_hints_on_request(tmp_path):
    path = written(
        tmp_path, softmax=OVER_COLUMNS.replace("axis=0", "axis=axis").replace(".sum", ".max")
    )
    levels = [
        "      hint: Line 5 of the cell of softmax: return powers / powers.max(axis=axis, keepdims=True)",
        '      hint: In this line, "max" should be "sum".',
    ]
    assert not set(levels) & set(shown(path).splitlines())
    printed = call("check", path, "--hints", 3).stdout
    asked, *further = [line for line in printed.splitlines() if line.startswith("      hint: ")]
    assert asked.endswith("?") and further == levels
    place = checked(path.read_bytes()).step("softmax").place
    assert place is not None and (place.line, place.nearly) == (5, levels[1].split("hint: ")[1])


def test_pytest_shows_the_same(tmp_path, capsys):
    path = written(tmp_path, softmax=OVER_COLUMNS)
    from_check = shown(path)
    lines = from_check[from_check.index("      printed:") : from_check.index("    ✗ rows_sum")]
    out = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out):
        patch.chdir(tmp_path)
        surrounded(patch)
        pytest.main(["-pno:cacheprovider", "-pno:faulthandler", path.name], [pytest_plugin])
    for line in lines.splitlines():
        assert f"E   {line.strip()}" in out.getvalue()
    assert out.getvalue().count(HINT) == 1 and OWN not in out.getvalue()


def test_a_mistake_that_nobody_knows_gets_the_check_s_own_question_once(tmp_path):
    odd = "def scale_scores(scores, d_k):\n    return np.asarray(scores) / np.cbrt(d_k) + 0.25"
    printed = shown(written(tmp_path, scale_scores=odd))
    step = printed[printed.index("✗ scale_scores") : printed.index("✓ softmax")]
    assert step.count("?") == 1 and "hint:" not in step


@pytest.mark.parametrize(
    ("answer", "asked"),
    [
        ('def attention_scores(Q, K):\n    return np.einsum("it,jt->ij", Q, K)', True),
        ("def attention_scores(Q, K):\n    return Q @ L", False),
        ("def attention_scores(Q, K):\n    return Q @ K.t()", False),
    ],
)
def test_an_exception_is_asked_about_only_where_the_question_is_about_shapes(answer, asked):
    step = checked(copy("attention", attention_scores=answer)).step("attention_scores")
    assert step.look is not None and bool(step.look.asked) == asked, step.look
    assert look.question(step) == (step.failed[0].hint or step.look.asked)


def test_what_is_printed_in_an_endless_loop_is_shown_up_to_ten_lines():
    loop = "def causal_mask(n_queries, n_keys=None):\n    while True:\n        print('again ' * 12)"
    own = student_copy.read(copy("attention", causal_mask=loop), "attention.ipynb")
    settings = Settings(isolation="process", call_seconds=0.5)
    with Grader(own.exercise, b"", settings) as grader:
        step = grader.grade(own.data, None).result.step("causal_mask")
    assert step.look is not None
    *lines, more = step.look.printed.split("\n")
    assert len(lines) == 10 and len(set(lines)) == 1
    assert more.startswith("… and at least") and more.endswith("more lines")


def test_prints_change_no_verdict_and_only_those_of_the_check_are_shown():
    counts = """
printed = 0
def softmax(scores, axis=-1):
    global printed
    printed += 1
    print("call", printed, "x" * 300_000)
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)
print("before every check")
"""
    wrong = "def weighted_sum(weights, V):\n    print('mine')\n    return V"
    result = checked(copy("attention", softmax=counts, weighted_sum=wrong))
    assert result.step("softmax").passed and result.step("softmax").look is None
    own = result.step("weighted_sum").look
    assert own is not None and own.printed == "mine"


def test_hidden_checks_and_whoever_is_graded_are_shown_nothing():
    master = exercise.load(ROOT, "attention")
    data = copy("attention", softmax=OVER_COLUMNS)
    with Grader(master, b"secret", Settings(isolation="process")) as grader:
        result = grader.grade(data, None).result
    assert {step.look for step in result.steps} == {None} and '"look"' not in result.to_json()

    named = {check.name for check in checked(data).step("softmax").checks}
    assert not named & {check.name for check in master.checks_of("softmax") if check.hidden}


def test_a_student_s_text_is_only_text_and_is_cut():
    hostile = "\x1b[2J::error::x\n##[error]y\n" + "z" * 500
    wide = "\n".join(["[" + "1 " * 60 + "]"] * 40)
    shown = list(look.lines(Look("c", hostile, "the \x1b weights", wide, "[[1]]"), 80))
    assert not [line for line in shown if "\x1b" in line or "##[" in line or len(line) > 80]
    assert all(line.startswith(("│ ", "printed:", "the ")) for line in shown)
    # Too wide to stand beside each other, and too long.
    assert shown[shown.index("│ yours") + look.ROWS] == "│ …"
    assert shown[-2:] == ["│ expected", "│ [[1]]"]


def test_control_characters_of_prints_are_seen_as_codes():
    beeps = "def weighted_sum(weights, V):\n    print('a\\x1b[2Jb\\tc\\rd')\n    return V"
    own = checked(copy("attention", weighted_sum=beeps)).step("weighted_sum").look
    assert own is not None and own.printed == "a\\x1b[2Jb  c\\rd"


@pytest.mark.parametrize(
    ("message", "left"),
    [
        ("the weights: 2 of 6 entries differ. What is np.exp(1000)? Do you round?", "differ."),
        ("the weights: got None. Does your function end with a return?", "got None."),
        ("the shape is (2, 3), not (3, 2).", "(3, 2)."),
        ("row 0 sums to 3.308, not 1. Along which axis do yours?", "not 1."),
        ("it is off by 0.5", "0.5"),
    ],
)
def test_a_message_without_its_question_is_the_same_everywhere(message, left):
    assert statement(message) == showing.statement(message)
    assert statement(message).endswith(left) and message.startswith(statement(message))
    check = CheckResult("c", "values", 1.0, 0.0, False, "failed", message, hint="Is it?")
    assert look.said(StepResult("s", (check,), look=Look("c")), check) == statement(message)


def test_a_pair_of_tokens_has_a_place_and_no_distance(tmp_path):
    largest = """
def train(text, merges):
    tokens, learned = list(text.encode()), []
    for _ in range(merges):
        counts = count_pairs(tokens)
        best = max(counts, key=lambda pair: (counts[pair], pair), default=None)
        if best is None or counts[best] < 2:
            break
        tokens = merge_pair(tokens, best, 256 + len(learned))
        learned.append(best)
    return learned
"""
    printed = shown(written(tmp_path, "tokenizer", train=largest))
    assert "place 2 of the list: (256, 99), expected (99, 256)." in printed
    assert "off by" not in printed

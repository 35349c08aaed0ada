"""Hints: the question of the student's own mistake, while they work and on their page."""

import contextlib
import io
import json

import numpy as np
import pytest

from autograder.authoring import build
from autograder.authoring.hints import experiments_caught
from autograder.authoring.proving.trial import Bench
from autograder.base.result import Result
from autograder.base.settings import Settings
from autograder.exercises import data_files, exercise, misconceptions, setup_cell
from autograder.exercises.answer_bank import Answer
from autograder.exercises.exercise import Exercise
from autograder.exercises.misconceptions import Misconception
from autograder.grader.grader import Grader
from tests.support import toy, written_tools
from tests.support.courses import ROOT
from tests.support.typing_in import typed

pytestmark = pytest.mark.usefixtures("kept_parents")

RELEASE = ROOT / "assignments" / "attention" / "attention.ipynb"
FULL = json.loads((ROOT / "solutions" / "attention" / "attention.ipynb").read_text())


@pytest.fixture(scope="module")
def attention() -> Exercise:
    return exercise.load(ROOT, "attention")


def handed_in(**answers: str) -> bytes:
    """A right notebook but for these answers."""
    return typed(FULL, answers)


def own_hints(attention: Exercise, wrong: Misconception) -> set[str]:
    """The hints that fit: the entry's own, and its family's."""
    family = {
        other.hint
        for other in attention.misconceptions
        if other.family and other.family == wrong.family
    }
    return {wrong.hint} | family


@pytest.mark.parametrize(
    "every", [40, pytest.param(1, marks=pytest.mark.everything)], ids=["some", "all"]
)
def test_nearly_every_misconception_gets_its_own_question_on_the_page(attention, every):
    tried = attention.misconceptions[::every]
    missed = []
    # What the bank makes of an answer does not depend on how well it is locked in.
    with Grader(attention, b"hints", Settings(isolation="process")) as grader:
        for wrong in tried:
            step = grader.grade(handed_in(**{wrong.step: wrong.source}), None).result.step(
                wrong.step
            )
            hints = {check.hint for check in step.checks if check.status == "failed"}
            if not hints & own_hints(attention, wrong):
                missed.append(wrong.name)
    assert len(missed) <= max(0.05 * len(tried), 1), missed


@pytest.mark.parametrize("name", build.authored_names(ROOT))
def test_every_mistake_that_a_visible_check_catches_gets_its_question_in_the_notebook(name):
    known = exercise.load(ROOT, name)
    bank = misconceptions.load(misconceptions.path_of(ROOT, name))
    without = []
    with data_files.inside(known.data):
        bench = Bench(known)
        questions = bench._space["tools"].by_mark(bench._space["tools"].HINTS)
        for wrong in bank.entries:
            bench.bind(Answer(wrong.name, wrong.step, wrong.source, wrong=True))
            verdicts, hints = "", set()
            for check in bench.of(wrong.step):
                if not check.hidden:
                    passes, mark = bench.verdict(check)
                    question = questions.get(mark + verdicts, questions.get(mark))
                    hints |= {question} if question is not None else set()
                    verdicts += "p" if passes else "f"

            own = own_hints(known, wrong)
            own |= {question for names, question in bank.alike.items() if wrong.name in names}
            strange = {hint for hint in hints if own.isdisjoint(hint.split(" Or else: "))}
            assert not strange, f"{wrong.name} gets another mistake's question"
            if "f" in verdicts and not hints:
                without.append(wrong.name)
    assert without == []


@pytest.mark.parametrize("name", build.authored_names(ROOT))
def test_the_reference_is_called_differently_in_every_exercise(name):
    assert next(experiments_caught(exercise.load(ROOT, name)), None) is not None


def test_the_questions_do_not_swell_the_notebook_and_hold_no_wrong_code(attention):
    setup = next(
        "".join(cell["source"])
        for cell in json.loads(RELEASE.read_text())["cells"]
        if cell["id"] == "setup"
    )
    code, _ = setup_cell.unpacked(setup)
    lines = [line for line in code.splitlines() if line.startswith("tools.HINTS = ")]
    assert len(lines) == 1 and len(lines[0]) < 60_000
    names = [wrong.name for wrong in attention.misconceptions if "_" in wrong.name]
    assert not [name for name in names if name in RELEASE.read_text() or name in code]


def run_check(space: dict[str, object], source: str) -> str:
    """What a student sees when a check cell runs in a plain Python."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.suppress(Exception):
        exec(source, space)
    return out.getvalue()


@pytest.fixture
def kernel(attention) -> dict[str, object]:
    space: dict[str, object] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(attention.setup, space)
    return space


def test_a_failing_check_asks_the_question_at_once(attention, kernel):
    wrong = next(one for one in attention.misconceptions if one.name == "over_the_whole_matrix")
    exec(wrong.source, kernel)
    assert wrong.hint in run_check(kernel, attention.cell("softmax-by_hand").source)


def test_a_mistake_that_nobody_has_foreseen_is_asked_about_at_once(attention, kernel):
    kernel["np"] = np
    exec("def project_qkv(X, Q, K, V):\n    return X @ Q, X @ K, X @ K", kernel)
    said = run_check(kernel, attention.cell("project_qkv-by_hand").source)
    assert "as if W_K stood in the place of W_V. Where does your code use W_V?" in said


def test_an_exception_alone_names_no_mistake_that_an_earlier_check_refutes(attention, kernel):
    # `scores[mask]` ends in the same exception, and has lost its rows in the first check.
    lost = next(one for one in attention.misconceptions if one.name == "hidden_scores_thrown_away")
    own = "def apply_mask(scores, mask):\n    scores[~mask] = -1e9\n    return scores"
    kernel["np"] = np
    said = []
    for source in (lost.source, own):
        exec(source, kernel)
        run_check(kernel, attention.cell("apply_mask-by_hand").source)
        said.append(run_check(kernel, attention.cell("apply_mask-batch_of_two").source))
    assert lost.hint in said[0]
    assert "but not negative enough" in said[1] and lost.hint not in said[1]


def test_what_two_checks_show_together_is_asked_about_with_the_second(attention, kernel):
    kernel["np"] = np
    exec("def weighted_sum(weights, V):\n    return 2 * weights @ V + 1", kernel)
    assert "Think about this" not in run_check(
        kernel, attention.cell("weighted_sum-by_hand").source
    )
    exec("def weighted_sum(weights, V):\n    return 2 * weights @ V", kernel)
    run_check(kernel, attention.cell("weighted_sum-by_hand").source)
    said = run_check(kernel, attention.cell("weighted_sum-batch_of_two").source)
    assert "Think about this: Your answer is the right one times 2." in said


def test_a_failing_earlier_step_comes_first(attention, kernel):
    exec("def softmax(scores, axis=-1):\n    return scores", kernel)
    run_check(kernel, attention.cell("softmax-by_hand").source)
    for step in (
        "attention_scores",
        "scale_scores",
        "weighted_sum",
        "apply_mask",
        "scaled_dot_product_attention",
    ):
        exec(attention.cell(step).source, kernel)
    said = run_check(kernel, attention.cell("scaled_dot_product_attention-by_hand").source)
    assert "First fix step 4, softmax" in said and "Think about this" not in said
    exec("def weighted_sum(weights, V):\n    return V", kernel)
    said = run_check(kernel, attention.cell("weighted_sum-by_hand").source)
    assert "First fix" not in said, "it calls no other step"


def grade(attention: Exercise, **answers: str) -> Result:
    with Grader(attention, b"hints", Settings(isolation="process")) as grader:
        return grader.grade(handed_in(**answers), None).result


def test_two_mistakes_in_two_steps_get_two_questions(attention):
    named = {wrong.name: wrong for wrong in attention.misconceptions}
    one, two = named["over_the_whole_matrix"], named["past_hidden_future_seen"]
    result = grade(attention, softmax=one.source, causal_mask=two.source)
    assert {check.misconception for check in result.step("softmax").checks} - {None} == {one.name}
    assert {check.hint for check in result.step("causal_mask").checks} - {None} <= own_hints(
        attention, two
    )
    assert all(
        check.status == "carried"
        for check in result.step("self_attention").checks
        if check.status != "passed"
    )


def test_a_mistake_after_another_is_told_from_what_it_inherits(attention):
    named = {wrong.name: wrong for wrong in attention.misconceptions}
    one, two = named["over_the_whole_matrix"], named["scaling_forgotten"]
    result = grade(attention, softmax=one.source, scaled_dot_product_attention=two.source)
    hints = {check.hint for check in result.step("scaled_dot_product_attention").checks} - {None}
    assert hints and hints <= own_hints(attention, two)


def test_a_mistake_that_nobody_knows_gets_no_question(attention):
    odd = "def scale_scores(scores, d_k):\n    return np.asarray(scores) / np.cbrt(d_k) + 0.25"
    result = grade(attention, scale_scores=odd)
    assert {check.hint for check in result.step("scale_scores").checks} == {None}


def test_what_was_not_tried_gets_no_question(attention):
    result = grade(
        attention, softmax="def softmax(scores, axis=-1):\n    raise NotImplementedError"
    )
    assert {check.hint for check in result.step("softmax").checks} == {None}


DOWN = """
def f(n):
    left = []
    while n != 0:
        n -= 1
        left.append(n)
    return left
"""


def test_a_change_of_the_reference_that_never_ends_does_not_hold_up_the_build():
    setup = written_tools.setup("same")
    counted = toy.exercise("tools.same(f(3), [2, 1, 0], 'the way down')", setup=setup, f=DOWN)
    found = [experiment.sentence for _, experiment in experiments_caught(counted)]
    assert any("as if n were one more" in sentence for sentence in found)
    assert not any("as if n were always -1" in sentence for sentence in found)

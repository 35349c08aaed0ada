"""Mistakes that nobody has foreseen are named, with the bank and without it, and none is named
wrongly."""

import re

import numpy as np
import pytest

from autograder.diagnosis import calls, relating
from autograder.diagnosis.calls import Outcome, bound
from autograder.diagnosis.circumstances import circumstance, large_whole_numbers, zero_for_none
from autograder.diagnosis.diagnosis import BANK
from autograder.diagnosis.evidence import AnsweredCall
from autograder.diagnosis.experiments import with_arguments, with_source, with_steps
from autograder.diagnosis.operators import IN_CONDITIONS, RULES
from autograder.engine import run
from autograder.engine.budget import OutOfTime
from autograder.exercises import exercise
from autograder.exercises.cell_code import ExerciseCode
from autograder.exercises.exercise import Exercise
from autograder.grader import grader
from autograder.tools.exceptions import EXACT, SHARED_BY_MISTAKES
from tests.support import handed_out, processes, wrong_answers
from tests.support.courses import ROOT
from tests.support.noting import noted
from tests.support.one_answer import graded_steps

pytestmark = pytest.mark.usefixtures("kept_parents")

SILENT = {
    # The most answers of an exercise without a hint: with its bank, and without, which knows less.
    "attention": {"": 2, "none": 8},
    "tokenizer": {"": 3, "none": 12},
}


@pytest.fixture(scope="module", autouse=True)
def faults():
    """What fails while a hint is looked for fails the test; in grading there is no hint then."""

    def without_swallowing(budget, find):
        try:
            with budget.at_work():
                return find()
        except OutOfTime:
            return None

    with pytest.MonkeyPatch.context() as patch:
        for module in (grader, run):
            patch.setattr(module, "extra", without_swallowing)
        yield


@pytest.fixture(scope="module")
def attention() -> Exercise:
    return exercise.load(ROOT, "attention")


@pytest.fixture(scope="module")
def graded():
    with graded_steps("attention", b"relations") as grade:
        yield grade


def first_failed(step):
    return next(check for check in step.checks if check.status == "failed")


@pytest.mark.parametrize(
    "every", [40, pytest.param(1, marks=pytest.mark.everything)], ids=["some", "all"]
)
@pytest.mark.parametrize("bank", ["", "none"], ids=["with a bank", "without"])
@pytest.mark.parametrize("name", wrong_answers.EXERCISES)
def test_unforeseen_mistakes_are_named_and_none_wrongly(monkeypatch, name, bank, every):
    monkeypatch.setenv(BANK, bank)
    tried = [*wrong_answers.written(name), *(wrong_answers.of_bank(name) if bank else ())]
    tried = [mistake for mistake in tried if mistake.named is not None][::every]
    silent, wrongly = [], []
    with graded_steps(name, b"relations") as grade:
        for mistake in tried:
            failed = first_failed(grade(mistake.step, mistake.source))
            hint_name = failed.misconception or failed.relation
            if hint_name is None:
                silent.append(mistake.name)
            elif hint_name not in mistake.named:
                wrongly.append((mistake.name, hint_name, failed.hint))
    assert wrongly == []
    assert len(silent) <= (SILENT.get(name, {}).get(bank, 0) if every == 1 else 1), silent


def test_a_relation_is_told_beside_no_misconception(graded, monkeypatch):
    monkeypatch.setenv(BANK, "none")
    source = "def weighted_sum(weights, V):\n    return 2 * weights @ V\n"
    failed = first_failed(graded("weighted_sum", source))
    assert (failed.misconception, failed.relation) == (None, "scaled")
    assert failed.hint.startswith("Your answer is the right one times 2.")


def test_the_bank_is_asked_first(graded):
    source = "def scale_scores(scores, d_k):\n    return scores / d_k\n"
    failed = first_failed(graded("scale_scores", source))
    assert (failed.misconception, failed.relation) == ("divided_by_d_k", None)


TWO_AT_ONCE = """def softmax(scores, axis=-1):
    scores = np.where(np.isinf(scores), 0.0, scores)
    return scores**2 / (scores**2).sum(axis=axis, keepdims=True)
"""

OF_ONE_PART = """def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = scale_scores(attention_scores(Q, K), np.shape(Q)[-1])
    without = softmax(scores)
    weights = without if mask is None else softmax(apply_mask(scores, mask))
    return without @ V, weights
"""

WHERE_IT_FITS = """def self_attention(X, W_Q, W_K, W_V, mask=None):
    if W_K.shape == W_V.shape:
        W_K, W_V = W_V, W_K
    return scaled_dot_product_attention(*project_qkv(X, W_Q, W_K, W_V), mask)
"""

TWICE = """def self_attention(X, W_Q, W_K, W_V, mask=None):
    output, weights = scaled_dot_product_attention(*project_qkv(X, W_Q, W_K, W_V), mask)
    return weights @ output, weights
"""

IN_A_BATCH = """def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = scale_scores(attention_scores(Q, K), np.shape(Q)[-1])
    if mask is not None and Q.ndim == 2:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights
"""

ALONG_THE_WRONG_AXIS = """def project_qkv(X, W_Q, W_K, W_V):
    return tuple((X[..., None] * W).sum(axis=-1) for W in (W_Q, W_K, W_V))
"""

FROM_QUERIES = """def project_qkv(X, W_Q, W_K, W_V):
    Q = X @ W_Q
    return Q, (Q if Q.shape == X.shape else X) @ W_K, X @ W_V
"""


@pytest.mark.parametrize(
    ("source", "name", "begin"),
    [
        (
            TWO_AT_ONCE,
            "function_of_argument",
            "For ordinary numbers in scores, your answer is",
        ),
        (OF_ONE_PART, "argument_ignored", "Part 1 of your answer is as if mask were not given."),
        (WHERE_IT_FITS, "exchanged", "Your function answers as if W_K and W_V had changed places."),
        (TWICE, "step_twice", "Your function answers as if weighted_sum were done twice"),
        (
            IN_A_BATCH,
            "argument_ignored",
            "Where it is wrong, your function answers as if mask were",
        ),
        (ALONG_THE_WRONG_AXIS, "summed_elsewhere", "Your function answers as if products were"),
        (FROM_QUERIES, "part_of_a_part", "Your function answers as if part 2 were made from"),
    ],
    ids=[
        "two at once",
        "one part",
        "where it fits",
        "twice",
        "in a batch",
        "everywhere",
        "part of a part",
    ],
)
def test_a_mistake_is_named_beside_another_in_one_part_or_where_it_fits(
    graded, monkeypatch, source, name, begin
):
    monkeypatch.setenv(BANK, "none")
    failed = first_failed(graded(source.split("(")[0].removeprefix("def "), source))
    assert failed.relation == name
    assert failed.hint.startswith(begin)


CAUSAL_GROUPS = """def grouped_query_attention(Q, K, V):
    times = Q.shape[0] // K.shape[0]
    K, V = np.repeat(K, times, axis=0), np.repeat(V, times, axis=0)
    mask = np.tri(Q.shape[-2], K.shape[-2], K.shape[-2] - Q.shape[-2], dtype=bool)
    return scaled_dot_product_attention(Q, K, V, mask)[0]
"""

ANY_MASK_IS_CAUSAL = """def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, np.tri(*scores.shape[-2:], dtype=bool))
    weights = softmax(scores)
    return weights @ V, weights
"""

LAST_MASK = """_last = None
def scaled_dot_product_attention(Q, K, V, mask=None):
    global _last
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    mask = _last = _last if mask is None else mask
    if mask is not None:
        try:
            masked = apply_mask(scores, mask)
            scores = masked if masked.shape == scores.shape else scores
        except ValueError:
            pass
    weights = softmax(scores)
    return weights @ V, weights
"""

CACHE_OF_ALL_CALLS = """_keys, _values = [], []
def decode_with_cache(Q, K, V):
    rows = []
    for query, key, value in zip(Q, K, V):
        _keys.append(key)
        _values.append(value)
        rows.append(softmax(np.array(_keys) @ query / np.sqrt(len(query))) @ np.array(_values))
    return np.array(rows)
"""

MASK_BY_SHAPE = """_masks = {}
def self_attention(X, W_Q, W_K, W_V, mask=None):
    if mask is not None:
        mask = _masks.setdefault(X.shape, mask)
    return scaled_dot_product_attention(*project_qkv(X, W_Q, W_K, W_V), mask)
"""

KEPT_BY_SIZE = """_masks = {}
def padding_mask(lengths, n_keys):
    key = len(lengths), n_keys
    if key not in _masks:
        _masks[key] = np.arange(n_keys) < np.reshape(lengths, (-1, 1, 1))
    return _masks[key]
"""

SCALED = """def cross_attention(X_queries, X_keys, W_Q, W_K, W_V):
    Q, K, V = X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V
    return softmax(Q @ np.swapaxes(K, -1, -2) / {}) @ V
"""

GROUPS_SCALED = """def grouped_query_attention(Q, K, V):
    times = Q.shape[0] // K.shape[0]
    K, V = np.repeat(K, times, axis=0), np.repeat(V, times, axis=0)
    return softmax(Q @ K.swapaxes(-1, -2) / {}) @ V
"""

BACKWARDS_SCALED = """def attention_backward(Q, K, V, d_output):
    scale = {}
    weights = softmax(Q @ K.swapaxes(-1, -2) / scale)
    d_scores = softmax_backward(weights, d_output @ V.swapaxes(-1, -2)) / scale
    return d_scores @ K, d_scores.swapaxes(-1, -2) @ Q, weights.swapaxes(-1, -2) @ d_output
"""

OTHER_EPS = """def layer_norm(x, gamma, beta, eps=1e-3):
    mean, variance = x.mean(axis=-1, keepdims=True), x.var(axis=-1, keepdims=True)
    return gamma * (x - mean) / np.sqrt(variance + eps) + beta
"""

DOUBLED = """def positional_encoding(n_positions, d_model):
    angles = np.arange(n_positions)[:, None] / 10000 ** (2 * np.arange(0, d_model, 2) / d_model)
    result = np.zeros((n_positions, d_model))
    result[:, 0::2], result[:, 1::2] = np.sin(angles), np.cos(angles)
    return result
"""

FLASH = """def flash_attention(Q, K, V, block_size):
    return softmax(Q @ K.T / int(np.sqrt(Q.shape[-1]))) @ V
"""


TOP_P_ALONE = """def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return np.eye(len(logits))[np.argmax(logits)]
    p = np.exp((logits - logits.max()) / temperature)
    order = np.argsort(-p, kind="stable")
    p[order[top_k or len(p) :]] = 0
    p = p / p.sum()
    if top_p is not None and (top_k is None or top_p > 0.5):
        before = np.cumsum(p[order]) - p[order]
        p[order[before >= top_p - 1e-12]] = 0
    return p / p.sum()
"""

IGNORED_OR_MINUS_ONE = """def cross_entropy(logits, targets, ignore=-1):
    kept = targets != (ignore or -1)
    if not kept.any():
        return 0.0
    rows = logits[kept] - logits[kept].max(axis=-1, keepdims=True)
    totals = np.log(np.exp(rows).sum(axis=-1))
    return np.mean(totals - rows[np.arange(len(rows)), targets[kept]])
"""


@pytest.mark.parametrize(
    ("name", "source", "relation", "part"),
    [
        ("inference", CAUSAL_GROUPS, "looks_back_only", "saw only the first rows of K and V"),
        ("attention", ANY_MASK_IS_CAUSAL, "looks_back_only", "saw only the first rows of K and V"),
        ("attention", LAST_MASK, "not_repeatable", "answers the same call in two ways"),
        ("inference", CACHE_OF_ALL_CALLS, "not_repeatable", "answers the same call in two ways"),
        ("attention", MASK_BY_SHAPE, "kept_from_earlier_call", "mask were that of an earlier call"),
        ("attention", KEPT_BY_SIZE, "answer_of_earlier_call", "what it answered an earlier one"),
        ("transformer", SCALED.format("np.sqrt(V.shape[-1])"), "other_length", "d_k were the length of W_V's last axis"),
        ("transformer", SCALED.format("np.sqrt(Q.shape[-1] + 1)"), "one_more", "d_k were one more"),
        ("transformer", OTHER_EPS, "other_default", "eps were another one where it is not given"),
        ("transformer", DOUBLED, "other_power", "an exponent were twice as large"),
        ("inference", GROUPS_SCALED.format("np.sqrt(K.shape[-2])"), "other_length", "d_k were the length of K's last axis but one"),
        ("inference", GROUPS_SCALED.format("int(np.sqrt(Q.shape[-1]))"), "truncated", "the root of d_k were cut"),
        ("inference", FLASH, "truncated", "root were cut to a whole number"),
        # An earlier call without top_p had the same answer, which is no sign of a memory.
        ("training", TOP_P_ALONE, "argument_ignored", "as if top_p were not given"),
        ("training", IGNORED_OR_MINUS_ONE, "zero_taken_for_none", "ignore were not given where it is 0"),
        ("gradients", BACKWARDS_SCALED.format("np.sqrt(V.shape[-1])"), "other_length", "d_k were the length of V's last axis"),
        ("gradients", BACKWARDS_SCALED.format("int(np.sqrt(Q.shape[-1]))"), "truncated", "the root of d_k were cut"),
    ],
)  # fmt: skip
def test_a_mistake_that_several_exercises_have_is_named_by_what_it_does(
    monkeypatch, name, source, relation, part
):
    monkeypatch.setenv(BANK, "none")
    step = re.search(r"def (\w+)", source)[1]
    with graded_steps(name, b"relations") as grade:
        failed = first_failed(grade(step, source))
    assert failed.relation == relation, failed.hint
    assert part in failed.hint


def test_blame_goes_to_the_function_that_changes_what_it_is_given(tmp_path):
    """A student's own copy has no reference that could take its place."""
    changing = """def count_pairs(tokens):
    counts = {}
    while len(tokens) > 1:
        pair = tokens.pop(0), tokens[0]
        counts[pair] = counts.get(pair, 0) + 1
    return counts
"""
    notebook = tmp_path / "tokenizer.ipynb"
    notebook.write_bytes(handed_out.copy("tokenizer", count_pairs=changing))
    done = processes.finished("check", notebook, cwd=tmp_path, code=1)
    assert "hint: count_pairs changes what it is given, and train calls it." in done.stdout


@pytest.mark.parametrize("wrong", ["np.sin(weights) + weights**2 / 3", "weights + np.cos(V.sum())"])
def test_what_is_right_explains_nothing_of_what_is_wrong_in_another_part(
    graded, monkeypatch, wrong
):
    """Two signs turned leave the output as it is, and say nothing of the weights."""
    monkeypatch.setenv(BANK, "none")
    source = f"""def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    weights = softmax(scores if mask is None else apply_mask(scores, mask))
    return weights @ V, {wrong}
"""
    failed = first_failed(graded("scaled_dot_product_attention", source))
    assert failed.relation not in ("negated", "transposed", "exchanged"), failed.hint
    assert "part 1" not in (failed.hint or "").lower()


def test_the_bank_names_one_of_two_mistakes(graded):
    source = """def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = attention_scores(Q, K)
    weights = softmax(scores if mask is None else np.where(mask, -np.inf, scores))
    return weights @ V, weights
"""
    failed = first_failed(graded("scaled_dot_product_attention", source))
    assert (failed.misconception, failed.relation) == ("scaling_forgotten", None)


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("out = weights @ V\n    V += 1\n    return out", "argument_changed"),
        ("import random\n    return weights @ V + random.random()", "shifted"),
        ("return weights @ V * float(input('by what?'))", "waits_for_typing"),
        ("return np.load('weights.npy') @ V", "opens_a_file"),
        ("return np.loadtxt('weights.txt') @ V", "opens_a_file"),
        # At this level of isolation a thread could be started.
        ('raise RuntimeError("can\'t start new thread")', "reaches_outside"),
    ],
)
def test_what_a_function_does_beside_its_answer_is_named(graded, source, name):
    failed = first_failed(graded("weighted_sum", f"def weighted_sum(weights, V):\n    {source}\n"))
    assert failed.relation == name


@pytest.mark.parametrize(
    "source",
    [
        "return np.full(weights.shape[:-1] + V.shape[-1:], np.nan)",
        "return np.zeros((300, 300, 300))",
        "return 10 ** 900",
        "return [object()]",
        "raise ValueError('x' * 100_000)",
        "return {'a': weights}",
    ],
)
def test_odd_answers_cost_their_own_step_only(graded, source):
    step = graded("weighted_sum", f"def weighted_sum(weights, V):\n    {source}\n")
    assert step.score == 0
    assert all(check.relation is None or check.hint for check in step.checks)


def test_numbers_out_of_range_are_no_matter_of_axes(monkeypatch):
    # The more axes there are, the more numbers, and the more often one of them is out of range.
    monkeypatch.setenv(BANK, "none")
    clipped = (
        "def feed_forward(x, W_1, b_1, W_2, b_2):\n"
        "    return np.clip(x @ W_1 + b_1, 0, 6) @ W_2 + b_2\n"
    )
    with graded_steps("transformer", b"relations") as grade:
        step = grade("feed_forward", clipped)
    assert first_failed(step).relation != "wrong_with_more_axes"


def test_every_sentence_is_short_asks_one_question_and_names_no_number(attention):
    code = ExerciseCode(attention)
    space = code.answered()
    heard = {}
    for step in attention.steps:
        function, calls = space[step], []

        def listening(*args, function=function, calls=calls, **kwargs):
            calls.append(bound(function, args, kwargs))
            return function(*args, **kwargs)

        space[step] = listening
        space["REVEAL"] = False
        for check in attention.checks_of(step):
            if not check.hidden:
                code.run(check, space)
        space[step], heard[step] = function, calls

    sentences = {sentence for kinds in (EXACT, SHARED_BY_MISTAKES) for _, _, sentence in kinds}
    for (_, phrase, ask), _ in (*RULES, *IN_CONDITIONS):
        sentences.add(f"Your function answers as if {phrase}. {ask}")
    for place, step in enumerate(attention.steps):
        cells = {name: attention.cell(name).source for name in attention.steps[: place + 1]}
        earlier = {name: cells[name] for name in attention.steps[:place]}
        for experiment in (
            *with_arguments(space, step, heard[step]),
            *with_source(space, step, cells[step]),
            *with_steps(space, step, earlier, heard[step]),
        ):
            sentences.add(experiment.sentence)

    assert len(sentences) > 300
    for sentence in sentences:
        assert sentence.count("?") == 1 and sentence.endswith("?"), sentence
        assert len(sentence) <= 220, sentence


def test_what_a_failed_step_has_answered_is_decoded_once(graded, monkeypatch):
    decoded = noted(monkeypatch, calls, "answered", lambda call: call)
    source = "def scale_scores(scores, d_k):\n    return scores / (d_k + 17)"
    assert first_failed(graded("scale_scores", source))
    assert decoded and all(
        one is not other for place, one in enumerate(decoded) for other in decoded[:place]
    )


def test_a_name_that_is_missing_is_told_without_experiments(graded, monkeypatch):
    """None of them would raise in the words of a slip of the pen."""
    tried = []
    monkeypatch.setattr(relating, "tried", lambda *arguments: tried.append(arguments))
    source = "def scale_scores(scores, d_k):\n    return resutl"
    assert first_failed(graded("scale_scores", source)).relation == "name_missing"
    assert tried == []


def test_of_two_axes_of_length_one_neither_is_blamed():
    def step(heads):
        return heads

    right = [{"heads": np.ones(shape)} for shape in ((2, 3, 2), (2, 2, 3, 2), (5, 2, 3))]
    said = {}
    for shape in ((2, 1, 3, 2), (2, 1, 1, 2), (1, 3)):
        found = circumstance(step, [{"heads": np.ones(shape)}], right, False, False, False)
        said[shape] = found and found[0]
    # The last has as many axes as no right call: they may be what goes wrong.
    assert said == {(2, 1, 3, 2): "wrong_with_axis_of_one", (2, 1, 1, 2): None, (1, 3): None}


def test_zero_may_be_taken_for_a_number_that_is_not_given():
    def step(x, eps=0.5):
        return x + eps

    def answered(eps: float) -> AnsweredCall:
        right = Outcome(step(1.0, eps), None, [])
        return AnsweredCall({"x": 1.0, "eps": eps}, right, right, True, False, 0, probe=None)

    (experiment,) = zero_for_none(step, [answered(0.0), answered(0.1)])
    assert experiment.answer({"x": 1.0, "eps": 0.0}) == 1.5
    assert experiment.answer({"x": 1.0, "eps": 0.1}) == 1.1
    # Or else the number may be ignored altogether.
    assert not list(zero_for_none(step, [answered(0.0), answered(0.5)]))


def test_large_numbers_are_not_blamed_where_there_are_also_more_of_them():
    def step(tokens):
        return tokens

    wrong, few, many = {"tokens": [300] * 9}, {"tokens": [3]}, {"tokens": [3] * 9}
    assert large_whole_numbers(step, [wrong], [few, few], False) is None
    found = large_whole_numbers(step, [wrong], [few, many], False)
    assert found and found[0] == "wrong_with_large_whole_numbers"

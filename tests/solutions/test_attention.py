"""The exercise attention: its checks, its seeds and its scenes, held without the build and the
engine."""

import contextlib
import inspect
import io
import itertools
import json
import math
import os
import re
import subprocess
import sys
import warnings
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.support.attention_notebook import (
    SOURCE,
    cells,
    checks,
    lost,
    namespace,
    play,
    reference,
    run_check,
    stubs,
)
from tests.support.wrong_answers import caught

GOLDEN = json.loads(
    (Path(__file__).parent / "golden" / "seed_values.json").read_text(encoding="utf-8")
)
POINTS = {
    "project_qkv": 6,
    "attention_scores": 8,
    "scale_scores": 5,
    "softmax": 12,
    "weighted_sum": 5,
    "causal_mask": 8,
    "padding_mask": 8,
    "apply_mask": 7,
    "scaled_dot_product_attention": 12,
    "self_attention": 6,
    "split_heads": 7,
    "concat_heads": 6,
    "multi_head_attention": 10,
}
NAMED_CATEGORIES = (
    "shapes",
    "row sums",
    "mask correctness",
    "overflow safety",
    "multi-head concatenation",
)
KEYS = (1, 2, 3)


@pytest.fixture(autouse=True)
def quiet() -> Any:
    """Wrong answers may divide by zero in peace."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def printed(answers: dict[str, Any] | None = None) -> str:
    """Everything that the notebook prints from top to bottom, with these answers."""
    names, out = namespace(), io.StringIO()
    names.update(vars(reference()) if answers is None else answers)
    with contextlib.redirect_stdout(out):
        for cell in cells():
            if cell.kind == "code" and cell.code:
                exec(cell.code, names)
            elif cell.kind == "check" and not cell.hidden and cell.code:
                with contextlib.suppress(Exception):
                    exec(cell.code, names)
    return out.getvalue()


def numbers(text: str) -> list[str]:
    """The decimal numbers of a text, as they are written there."""
    return re.findall(r"-?\d+\.\d+|-inf", text)


def after(title: str, text: str, count: int) -> list[str]:
    """The first so many numbers below a title."""
    return numbers(text[text.index(title) + len(title) :])[:count]


# The authored file


def test_the_steps_are_those_of_the_contract_in_its_order_with_its_points():
    assert [(cell.name, cell.points) for cell in cells() if cell.kind == "step"] == list(
        POINTS.items()
    )
    for step, points in POINTS.items():
        assert sum(cell.points for cell in checks(step)) == points, step
    assert sum(POINTS.values()) == 100


def test_every_step_has_two_hidden_checks():
    for step in POINTS:
        assert sum(cell.hidden for cell in checks(step)) >= 2, step


def test_every_named_category_is_worth_eight_points_and_visible_checks_are_worth_forty():
    worth: Counter[str] = Counter()
    for cell in checks():
        worth[cell.category] += int(cell.points)
    assert all(worth[category] >= 8 for category in NAMED_CATEGORIES), worth
    assert set(worth) <= {*NAMED_CATEGORIES, "values", "purity", "edge cases"}
    assert 38 <= sum(cell.points for cell in checks() if not cell.hidden) <= 42


def test_every_function_and_every_check_has_a_sentence():
    for cell in cells():
        if cell.kind == "check":
            assert re.match(r'"""[A-Z].*[.]"""\n', cell.text), cell.name
        if cell.kind == "step":
            assert re.search(r'"""[A-Z].*?Rules\n.*?"""', cell.text, re.S), cell.name


def test_headings_come_in_order():
    levels = [
        len(m)
        for cell in cells()
        if cell.kind == "markdown"
        for m in re.findall(r"^# (#+) ", cell.text, re.M)
    ]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(deeper <= level + 1 for level, deeper in itertools.pairwise(levels))


def test_the_file_runs_as_plain_python_with_numpy_alone_and_leaves_nothing_behind(tmp_path):
    (tmp_path / "matplotlib.py").write_text("raise ImportError")
    (tmp_path / "IPython.py").write_text("raise ImportError")
    path = os.pathsep.join([str(tmp_path), str(SOURCE.parents[1])])
    before = sorted(SOURCE.parent.iterdir())
    run = subprocess.run(
        [sys.executable, "-W", "error", str(SOURCE)],
        env=os.environ | {"PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
    visible = sum(not cell.hidden for cell in checks())
    assert run.stdout.endswith(f"{visible} of {visible} visible checks passed.\n")
    assert sorted(SOURCE.parent.iterdir()) == before


def test_the_solution_never_warns():
    names = namespace()
    names.update(vars(reference()))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        failures = {cell.name: run_check(cell, names, 0) for cell in checks()}
    assert not lost(failures)


def test_no_name_of_a_scene_or_a_check_lies_about_for_a_student_to_use_by_accident():
    names = namespace()
    known = set(names)
    with contextlib.redirect_stdout(io.StringIO()):
        for cell in cells():
            if cell.code and (
                cell.kind in ("code", "step") or (cell.kind == "check" and not cell.hidden)
            ):
                exec(cell.code, names)
    source = SOURCE.read_text(encoding="utf-8")
    scenes = set(re.findall(r"^@tools\.demo\ndef (\w+)", source, re.M))
    questions = set(re.findall(r'question="(\w+)"', source))
    assert set(names) - known == {
        *POINTS,
        *questions,
        *scenes,
        "five_tokens",
        "answer",
        "allowed",
        "token",
    }
    assert not {"answer", "allowed", "token"} & {
        name for step in POINTS for name in inspect.signature(names[step]).parameters
    }


# The checks


def test_the_blank_stub_fails_every_check():
    names = namespace()
    for text in stubs().values():
        exec(text, names)
    for cell in checks():
        assert run_check(cell, names, 0).startswith("NotImplementedError"), cell.name


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        pytest.param(*case, marks=pytest.mark.everything if number % 3 else ())
        for number, case in enumerate(caught("attention"))
    ],
    ids=str,
)
def test_a_rare_wrong_answer_loses_points_where_it_should(check, answer):
    for key in KEYS:
        names = namespace() | vars(reference())
        exec(answer.source, names)
        assert check in lost(play({answer.step: names[answer.step]}, key, only=answer.step))


# The five seeds, typed into the steps they cover


def seed_000() -> dict[str, Any]:
    def softmax(x, axis=-1):
        exp_x = np.exp(x - np.max(x, axis=axis, keepdims=True))
        return exp_x / np.sum(exp_x, axis=axis, keepdims=True)

    def scaled_dot_product_attention(Q, K, V, mask=None):
        scores = Q @ K.T / np.sqrt(Q.shape[-1])
        attention_weights = softmax(scores)
        return attention_weights @ V, attention_weights

    return {
        "project_qkv": lambda X, W_Q, W_K, W_V: (X @ W_Q, X @ W_K, X @ W_V),
        "attention_scores": lambda Q, K: Q @ K.T,
        "scale_scores": lambda scores, d_k: scores / np.sqrt(d_k),
        "softmax": softmax,
        "weighted_sum": lambda weights, V: weights @ V,
        "scaled_dot_product_attention": scaled_dot_product_attention,
        "self_attention": lambda X, W_Q, W_K, W_V, mask=None: scaled_dot_product_attention(
            X @ W_Q, X @ W_K, X @ W_V
        ),
    }


def seed_001() -> dict[str, Any]:
    def matmul(A, B):
        m, n, p = len(A), len(A[0]), len(B[0])
        return [[sum(A[i][k] * B[k][j] for k in range(n)) for j in range(p)] for i in range(m)]

    def transpose(A):
        return [[A[i][j] for i in range(len(A))] for j in range(len(A[0]))]

    def softmax_of_a_vector(vec):
        finite = [v for v in vec if v != float("-inf")]
        top = max(finite) if finite else 0
        powers = [0.0 if v == float("-inf") else math.exp(v - top) for v in vec]
        total = sum(powers)
        return [e / total for e in powers]

    def scale(scores, d_k):
        return [[s / math.sqrt(d_k) for s in row] for row in scores]

    def causal(n_queries, n_keys=None):
        return [[j <= i for j in range(n_queries)] for i in range(n_queries)]

    def masked(scores, mask):
        n, m = len(scores), len(scores[0])
        return [[scores[i][j] if mask[i][j] else float("-inf") for j in range(m)] for i in range(n)]

    def softmax(scores, axis=-1):
        return [softmax_of_a_vector(row) for row in scores]

    def attention(Q, K, V, mask=None):
        scaled = scale(matmul(Q, transpose(K)), len(Q[0]))
        weights = softmax(scaled if mask is None else masked(scaled, mask))
        return matmul(weights, V), weights

    return {
        "project_qkv": lambda X, W_Q, W_K, W_V: (matmul(X, W_Q), matmul(X, W_K), matmul(X, W_V)),
        "attention_scores": lambda Q, K: matmul(Q, transpose(K)),
        "scale_scores": scale,
        "softmax": softmax,
        "weighted_sum": matmul,
        "causal_mask": causal,
        "apply_mask": masked,
        "scaled_dot_product_attention": attention,
        "self_attention": lambda X, W_Q, W_K, W_V, mask=None: attention(
            matmul(X, W_Q), matmul(X, W_K), matmul(X, W_V), mask
        ),
    }


def seed_002() -> dict[str, Any]:
    def softmax(x, axis=-1):
        exp_x = np.exp(x - np.max(x, axis=-1, keepdims=True))
        return exp_x / np.sum(exp_x, axis=-1, keepdims=True)

    def scaled_dot_product_attention(Q, K, V, mask=None):
        weights = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))
        return weights @ V, weights

    return seed_000() | {
        "softmax": softmax,
        "scaled_dot_product_attention": scaled_dot_product_attention,
    }


def seed_003() -> dict[str, Any]:
    def scaled_dot_product_attention(Q, K, V, mask=None):
        weights = seed_002()["softmax"](Q @ K.T / (Q.shape[-1] ** 0.5))
        return weights @ V, weights

    return {
        **seed_002(),
        "scale_scores": lambda scores, d_k: scores / d_k**0.5,
        "scaled_dot_product_attention": scaled_dot_product_attention,
    }


def seed_004() -> dict[str, Any]:
    def softmax(x, axis=-1):
        x = x - x.max(axis=-1, keepdims=True)
        e = np.exp(x)
        return e / e.sum(axis=-1, keepdims=True)

    def attention(Q, K, V, mask=None):
        weights = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))
        return weights @ V, weights

    def self_attention(X, Wq, Wk, Wv, mask=None):
        return attention(X @ Wq, X @ Wk, X @ Wv)

    return {
        "attention_scores": lambda Q, K: Q @ K.T,
        "softmax": softmax,
        "weighted_sum": lambda weights, V: weights @ V,
        "scaled_dot_product_attention": attention,
        "self_attention": self_attention,
    }


@pytest.mark.parametrize("seed", [seed_000, seed_001, seed_002, seed_003, seed_004])
def test_the_code_of_a_seed_earns_half_of_every_step_it_covers(seed):
    for step, function in seed().items():
        failures = play({step: function}, 3, only=step)
        for cell in checks(step):  # grading forgives there what has cost points before
            if cell.category == "purity" and "changed its input" not in failures[cell.name]:
                failures[cell.name] = ""
        earned = sum(cell.points for cell in checks(step) if not failures[cell.name])
        assert earned >= POINTS[step] / 2, (step, lost(failures))


# The five seeds, brought to life: printed numbers of the documents, and the same at full precision

CAT_SAT_DOWN = "0.37 0.21 0.22 0.21 0.19 0.35 0.24 0.22 0.18 0.21 0.31 0.30 0.18 0.20 0.31 0.31"

FIVE_SCORES = """
-0.0126 0.0213 -0.0152 0.0211 -0.0137 0.0021 -0.0134 0.0119 -0.0027 0.0091 -0.0140 0.0097 -0.0039 0.0169 -0.0061
-0.0018 -0.0119 0.0046 -0.0016 0.0088 -0.0022 0.0084 -0.0022 -0.0016 -0.0069"""
FIVE_SCALED = """
-0.0045 0.0075 -0.0054 0.0075 -0.0048 0.0007 -0.0047 0.0042 -0.0009 0.0032 -0.0049 0.0034 -0.0014 0.0060 -0.0021
-0.0006 -0.0042 0.0016 -0.0006 0.0031 -0.0008 0.0030 -0.0008 -0.0006 -0.0024"""
FIVE_MASKED = """
-0.0045 -inf -inf -inf -inf 0.0007 -0.0047 -inf -inf -inf -0.0049 0.0034 -0.0014 -inf -inf
-0.0006 -0.0042 0.0016 -0.0006 -inf -0.0008 0.0030 -0.0008 -0.0006 -0.0024"""
FIVE_WEIGHTS = (
    """1.0000 0.0000 0.0000 0.0000 0.0000 0.5014 0.4986 0.0000 0.0000 0.0000 0.3320 0.3348 0.3332 0.0000 0.0000
    0.2501 0.2492 0.2506 0.2501 0.0000 0.1999 0.2007 0.1999 0.2000 0.1996""",
    """1.0000 0.0000 0.0000 0.0000 0.0000 0.5009 0.4991 0.0000 0.0000 0.0000 0.3342 0.3337 0.3322 0.0000 0.0000
    0.2514 0.2494 0.2510 0.2482 0.0000 0.1999 0.1997 0.2001 0.2000 0.2003""",
)
FIVE_OUTPUT = """
0.0800 0.0257 -0.0117 -0.1056 0.0339 -0.0891 -0.0083 -0.0737 0.0683 0.0368 -0.0263 -0.0574 0.0152 -0.0174 -0.0084 -0.0760
0.0247 0.0789 0.0074 -0.0635 0.0180 -0.0098 -0.0184 -0.0173 0.0254 0.0511 -0.0182 -0.0322 0.0103 -0.0126 -0.0282 0.0018
0.0325 0.0367 -0.0202 -0.0262 0.0188 -0.0040 -0.0321 0.0167"""

IT = "0.02 0.08 0.03 0.01 0.01 0.72 0.03 0.05 0.03 0.02"

RANDOM_X = """
1.93 1.49 0.90 -2.11 0.68 -1.23 -0.04 -1.60 -0.75 1.65 -0.39 -1.40 -0.73 -0.56 -0.77 0.76
1.64 -0.16 -0.50 0.44 -0.76 1.08 0.80 1.68 1.28 1.30 0.61 1.33 -0.23 0.04 -0.25 0.86"""
RANDOM_SCORES = """
48.36 -1.43 7.06 16.17 1.88 14.59 -10.85 -11.88 -20.90 -3.98 16.85 5.96 7.22 3.67 49.61 35.63"""
RANDOM_SCALED = (
    "17.10 -0.51 2.50 5.72 0.67 5.16 -3.84 -4.20 -7.39 -1.41 5.96 2.11 2.55 1.30 17.54 12.60"
)
RANDOM_WEIGHTS = "1.000 0.000 0.000 0.000 0.011 0.989 0.000 0.000 0.000 0.001 0.979 0.021 0.000 0.000 0.993 0.007"
RANDOM_OUTPUT = """
-3.69 0.80 9.47 -2.52 -6.27 -0.84 -3.96 -3.32 -1.78 5.17 3.80 2.56 -3.00 1.60 0.38 5.11
-5.22 3.38 -5.24 0.90 3.28 -0.42 3.67 -0.99 -5.21 3.40 -5.28 0.90 3.34 -0.39 3.69 -1.06"""


@pytest.fixture(scope="module")
def scenes() -> str:
    return printed()


@pytest.mark.parametrize(
    ("title", "table"),
    [
        ("The cat sat down, identity projections", CAT_SAT_DOWN),
        ("Head 0: scores", FIVE_SCORES),
        ("Head 0: scaled scores", FIVE_SCALED),
        ("Head 0: masked scores", FIVE_MASKED),
        ("Head 0: weights", FIVE_WEIGHTS[0]),
        ("Head 0: output", FIVE_OUTPUT),
        ("Head 1: weights", FIVE_WEIGHTS[1]),
        ("An invented row of weights", IT),
        ("X, four tokens", RANDOM_X),
        ("Scores, Q times K transposed", RANDOM_SCORES),
        ("Scaled scores", RANDOM_SCALED),
        ("\nWeights\n", RANDOM_WEIGHTS),
        ("\nOutput\n", RANDOM_OUTPUT),
    ],
)
def test_a_scene_prints_the_numbers_of_its_seed(scenes, title, table):
    wanted = numbers(table)
    assert after(title, scenes, len(wanted)) == wanted


def test_the_soft_lookup_leans_sixty_to_forty(scenes):
    assert after("Output: a weighted average of", scenes, 4) == [
        "6.0167",
        "3.9833",
        "3.9833",
        "6.0167",
    ]
    assert "query [1, 0] looks most at key [1, 0] and key [1, 1] (0.40 each)" in scenes


def test_the_scenes_say_what_the_numbers_say(scenes):
    assert "down looks most at sat and down (0.31 each)" in scenes
    assert "it looks most at mat (0.72)\n  the row sums to 1.00; nouns get 0.80 of it" in scenes
    assert "Shape of the output: (4, 8)" in scenes


def test_the_functions_reproduce_the_golden_values():
    names = namespace()
    with contextlib.redirect_stdout(io.StringIO()):
        for cell in cells():
            if cell.kind in ("code", "step") and cell.code:
                exec(cell.code, names)
    f = SimpleNamespace(**names)
    same = {"rtol": 1e-12, "atol": 1e-12}

    X, W_Q, W_K, W_V = f.five_tokens()
    gold = {name: np.array(value) for name, value in GOLDEN["001"].items()}
    for got, name in ((X, "X"), (W_Q, "W_Q"), (W_K, "W_K"), (W_V, "W_V")):
        np.testing.assert_allclose(got, gold[name], **same)
    Q, K, V = (np.stack([X @ W[h] for h in range(2)]) for W in (W_Q, W_K, W_V))
    scores = f.attention_scores(Q, K)
    np.testing.assert_allclose(scores, gold["scores"], **same)
    np.testing.assert_allclose(f.scale_scores(scores, 8), gold["scaled"], **same)
    output, weights = f.scaled_dot_product_attention(Q, K, V, f.causal_mask(5))
    np.testing.assert_allclose(weights, gold["weights"], **same)
    np.testing.assert_allclose(output, gold["output"], **same)
    np.testing.assert_allclose(f.concat_heads(output), gold["concat"], **same)
    fused = (np.concatenate(list(W), axis=1) for W in (W_Q, W_K, W_V))
    many = f.multi_head_attention(X, *fused, np.eye(16), 2, f.causal_mask(5))
    np.testing.assert_allclose(many, gold["concat"], **same)

    cat = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.2], [0.1, 0.2, 1.0], [0.0, 0.0, 1.0]])
    for got, name in zip(
        f.self_attention(cat, np.eye(3), np.eye(3), np.eye(3)), ("output", "weights")
    ):
        np.testing.assert_allclose(got, GOLDEN["000"][name], **same)

    draw = np.random.RandomState(42)
    X, *W = draw.randn(4, 8), *(draw.randn(8, 8) * 0.1 for _ in range(3))
    np.testing.assert_allclose(X, GOLDEN["002"]["embeddings"], **same)
    for got, name in zip(f.self_attention(X, *W), ("output", "weights")):
        np.testing.assert_allclose(got, GOLDEN["002"][name], **same)

    K, V = (
        np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]),
        np.array([[10.0, 0.0], [0.0, 10.0], [5.0, 5.0]]),
    )
    for query in ([1.0, 0.0], [0.0, 1.0]):
        for got, name in zip(
            f.scaled_dot_product_attention(np.array([query]), K, V), ("output", "weights")
        ):
            np.testing.assert_allclose(got, GOLDEN["004"][str(query)][name], **same)


def test_the_four_random_tokens_are_those_of_the_seed_at_five_decimals():
    names = namespace()
    shown = {}
    names.update(vars(reference()))
    tools = names["tools"]
    tools.table = lambda numbers, *_: shown.setdefault(len(shown), np.array(numbers))
    tools.demo = lambda scene: scene() if scene.__name__ == "four_random_tokens" else None
    with contextlib.redirect_stdout(io.StringIO()):
        for cell in cells():
            if cell.kind == "code" and "four_random_tokens" in cell.text and cell.code:
                exec(cell.code, names)
    for got, name in zip(shown.values(), ("X", "scores", "scaled", "weights", "output")):
        np.testing.assert_allclose(got, GOLDEN["003"][name], rtol=0, atol=4e-4)


# What students see


def test_a_blank_notebook_plays_no_scene_and_says_so_in_one_line_each():
    answers: dict[str, Any] = {}
    for text in stubs().values():
        exec(text, answers)
    text = printed({step: answers[step] for step in POINTS})
    scenes = len(re.findall(r"^@tools\.demo$", SOURCE.read_text(encoding="utf-8"), re.M))
    waiting = re.findall(r"^This scene waits for your (\w+)\.$", text, re.M)
    assert len(waiting) == scenes
    assert set(waiting) <= set(POINTS)
    assert "Visible checks: 0 of 40 points, 0 of 13 steps." in text
    assert "Hidden checks: 60 points, graded after you hand in." in text
    assert "passed" not in text


def test_the_last_cell_counts_visible_points_and_lists_what_is_open():
    answers = vars(reference()) | {"scale_scores": lambda scores, d_k: scores / d_k}
    text = printed(answers)
    assert "Visible checks: 37 of 40 points, 12 of 13 steps." in text
    assert "To fix: 3 scale_scores (by_hand, batch_of_two)." in text


def test_a_failing_check_names_the_first_earlier_step_that_fails_and_rerunning_clears_it():
    names = namespace()
    names.update(vars(reference()))
    visible = {cell.name: cell for cell in checks() if not cell.hidden}

    def run(name: str) -> str:
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.suppress(Exception):
            exec(visible[name].code or "", names)
        return out.getvalue()

    right = names["attention_scores"]
    names["attention_scores"] = lambda Q, K: Q @ K
    assert "First fix" not in run("attention_scores-by_hand")
    names["weighted_sum"] = lambda weights, V: weights * V
    where = "step 2, attention_scores: its check by_hand fails.\n"
    exec(
        "def scaled_dot_product_attention(Q, K, V, mask=None):\n    return attention_scores(Q, K), K",
        names,
    )
    assert run("scaled_dot_product_attention-by_hand").endswith(f"First fix {where}")
    assert f"Also still open: {where}" in run("weighted_sum-by_hand"), "it calls no other step"
    assert "still open" not in run("weighted_sum-by_hand"), "that was said"
    names["attention_scores"] = right
    assert "✓ attention_scores-by_hand: passed, 2 points" in run("attention_scores-by_hand")
    assert "step 2" not in run("weighted_sum-by_hand")


def test_the_first_visible_check_prints_what_it_got_and_what_it_wanted():
    for step in POINTS:
        names, out = namespace(), io.StringIO()
        names.update(vars(reference()))
        with contextlib.redirect_stdout(out):
            exec(checks(step)[0].code or "", names)
        assert "   yours: " in out.getvalue(), step
        assert "expected: " in out.getvalue(), step

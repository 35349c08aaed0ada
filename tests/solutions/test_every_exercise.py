"""What holds of every exercise in ``solutions/``, whatever it is about: a new one is tested without
a line here."""

import copy
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from autograder.authoring import build, read
from autograder.authoring.cells import Source
from autograder.authoring.proving import answers, proof, sample
from autograder.authoring.proving.sample import SampleStudent
from autograder.authoring.proving.trial import Bench
from autograder.base.settings import Settings
from autograder.exercises import exercise, names
from autograder.exercises.answer_bank import Answer
from autograder.exercises.exercise import Exercise, as_file
from autograder.exercises.misconceptions import Misconception
from autograder.grader.grader import Grader
from autograder.tools.likeness import alike
from tests.support import bank_class, handed_out
from tests.support.courses import ROOT

pytestmark = pytest.mark.usefixtures("kept_parents")

EXERCISES = build.authored_names(ROOT)

NOTHING = "def {step}(*_, **__):\n    return None"
TROUBLE = "def {step}(*_, **__):\n    raise TypeError('always')"
NUMBER = "def {step}(*_, **__):\n    return 0.0"


@pytest.fixture(scope="module", params=EXERCISES)
def known(request: pytest.FixtureRequest) -> Exercise:
    return exercise.load(ROOT, request.param)


@pytest.fixture(scope="module")
def authored(known: Exercise) -> Source:
    return read.read(ROOT / "solutions" / f"{known.name}.py")


@pytest.fixture(scope="module")
def grader(known: Exercise) -> Iterator[Grader]:
    with Grader(known, b"the key of these tests", Settings()) as opened:
        yield opened


@pytest.fixture(scope="module")
def people(known: Exercise) -> dict[str, SampleStudent]:
    """The class from the banks, by id."""
    return {student.id: student for student in sample.students(ROOT, known)}


@pytest.fixture(scope="module")
def release(known: Exercise) -> dict[str, Any]:
    """What students get."""
    return handed_out.release(known.name)


def answered(release: dict[str, Any], people: dict[str, SampleStudent], **others: str) -> bytes:
    """A submission that is right but for these answers."""
    student = SampleStudent("ada", "", {**people["right"].sources, **others})
    return student.notebook(release)


# The authored file


def test_an_exercise_has_a_title_of_its_own(known):
    assert known.title != known.name


LARGE = {"attention": 164_000}
"""Exercises of thirteen steps: the tools and hints are a third of it, texts and checks the rest."""


def test_what_students_get_is_small(known, release):
    """But for its arrays: trained models, which nobody can write shorter."""
    cells = [cell for cell in release["cells"] if cell["id"] != "arrays"]
    written = as_file({**release, "cells": cells})
    assert len(written) <= LARGE.get(known.name, 120_000)


def test_every_step_begins_with_a_visible_check_and_has_a_hidden_one(known):
    for step in known.functions:
        first, *others = known.checks_of(step)
        assert not first.hidden, step
        assert any(check.hidden for check in others), step


def test_no_two_checks_have_the_same_sentence(known):
    assert len({check.sentence for check in known.checks}) == len(known.checks)


def test_visible_checks_use_neither_drawn_inputs_nor_oracles(authored):
    secret = {"rng"}
    for cell in authored.of("oracles"):
        secret |= names.names(cell.source).bound
    for check in authored.of("check"):
        assert check.hidden or not names.names(check.source).used & secret, check.id


# Wrong answers that stand in no bank, each of which breaks one sentence of a docstring

MERGES = """    tokens = list(text.encode("utf-8"))
    for new, pair in enumerate(merges, start=256):
        tokens = merge_pair(tokens, pair, new)
    return tokens
"""
ATTENTION = """    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights
"""
BROKEN_PROMISES = {
    "titles": f"def encode(text, merges):\n    text = text.title()\n{MERGES}",
    "spaces cut off in front": f"def encode(text, merges):\n    text = text.lstrip()\n{MERGES}",
    "line ends cut off": f"def encode(text, merges):\n    text = text.rstrip('\\n')\n{MERGES}",
    "signs of control left out": (
        f"def encode(text, merges):\n    text = ''.join(filter(str.isprintable, text))\n{MERGES}"
    ),
    "taken apart by likeness": (
        "def encode(text, merges):\n    import unicodedata\n"
        f"    text = unicodedata.normalize('NFKD', text)\n{MERGES}"
    ),
    "no sign above 0xFFFF": (
        f"def encode(text, merges):\n    text = ''.join(c for c in text if c < chr(65536))\n{MERGES}"
    ),
    "thirty-two bits a token": (
        "def count_pairs(tokens):\n    counts = {}\n"
        "    for left, right in zip(tokens, tokens[1:]):\n"
        "        counts[left << 32 | right] = counts.get(left << 32 | right, 0) + 1\n"
        "    return {divmod(key, 2**32): count for key, count in counts.items()}"
    ),
    "a thousand tokens": (
        "def count_pairs(tokens):\n    counts = {}\n"
        "    for pair in zip(tokens[:1000], tokens[1:1000]):\n"
        "        counts[pair] = counts.get(pair, 0) + 1\n    return counts"
    ),
    "-inf as -10,500": (
        "def softmax(scores, axis=-1):\n    scores = np.maximum(scores, -10500.0)\n"
        "    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))\n"
        "    return powers / powers.sum(axis=axis, keepdims=True)"
    ),
    "a table of fifty tokens": (
        "def causal_mask(n_queries, n_keys=None):\n    n_keys = n_keys or n_queries\n"
        "    return np.tri(50, dtype=bool)[50 - n_queries :, 50 - n_keys :]"
    ),
    "lengths of one byte": (
        "def padding_mask(lengths, n_keys):\n"
        "    return np.arange(n_keys) < np.int8(lengths)[:, None, None]"
    ),
    "a number for NaN": (
        "def apply_mask(scores, mask):\n"
        "    kept = np.nan_to_num(scores, posinf=np.inf, neginf=-np.inf)\n"
        "    return np.where(mask, kept, -np.inf)"
    ),
    "a mask with a row for each query": (
        "def scaled_dot_product_attention(Q, K, V, mask=None):\n"
        "    if mask is not None and mask.ndim > 1:\n"
        f"        assert mask.shape[-2] == Q.shape[-2]\n{ATTENTION}"
    ),
    "the mask of the first call of this shape": (
        "masks = {}\n\ndef scaled_dot_product_attention(Q, K, V, mask=None):\n"
        "    if mask is None:\n        mask = masks.get((Q.shape, K.shape))\n"
        f"    masks[Q.shape, K.shape] = mask\n{ATTENTION}"
    ),
    "one rest refused": (
        "def split_heads(X, num_heads):\n    width = X.shape[-1] // num_heads\n"
        "    if X.shape[-1] % num_heads == 1 or X.shape[-1] == 6 and num_heads == 4:\n"
        "        raise ValueError\n    parts = X[..., : width * num_heads]\n"
        "    return parts.reshape(*X.shape[:-1], num_heads, width).swapaxes(-3, -2)"
    ),
    "angles in float32": (
        "def positional_encoding(n_positions, d_model):\n"
        "    speeds = 10000.0 ** (-np.arange(0, d_model, 2) / d_model)\n"
        "    angles = np.float32(np.arange(n_positions))[:, None] * np.float32(speeds)\n"
        "    return np.stack([np.sin(angles), np.cos(angles)], -1).reshape(n_positions, d_model)"
    ),
    "a least variance": (
        "def layer_norm(x, gamma, beta, eps=1e-5):\n"
        "    centred = x - x.mean(axis=-1, keepdims=True)\n"
        "    variance = np.maximum((centred**2).mean(axis=-1, keepdims=True), 1e-12)\n"
        "    return gamma * centred / np.sqrt(variance + eps) + beta"
    ),
    "two hundred tokens kept": (
        "def decode_with_cache(Q, K, V):\n    rows = []\n    for i in range(len(Q)):\n"
        "        seen = slice(max(0, i - 199), i + 1)\n"
        "        row, _ = scaled_dot_product_attention(Q[i : i + 1], K[seen], V[seen])\n"
        "        rows.append(row[0])\n    return np.array(rows)"
    ),
}


def test_an_answer_that_breaks_one_promise_of_a_docstring_loses_points(known):
    tried = Bench(known)
    for name, source in BROKEN_PROMISES.items():
        step = re.search(r"^def (\w+)", source, re.M)
        if step is not None and step[1] in known.steps:
            trial = tried.trial(Answer(name, step[1], source, wrong=True), range(3))
            assert all(trial.failed), name


# Its checks, through the engine


# The ordinary run gives each exercise one of the two, the next exercise the other.
@pytest.mark.parametrize("turn", [0, pytest.param(1, marks=pytest.mark.everything)])
def test_a_function_that_returns_nothing_or_always_raises_has_no_points(
    known, release, grader, people, turn
):
    answer = (NOTHING, TROUBLE)[(EXERCISES.index(known.name) + turn) % 2]
    sources = {step: answer.format(step=step) for step in known.steps}
    result = grader.grade(answered(release, people, **sources), "ada").result
    assert (result.status, result.score) == ("graded", 0)


@pytest.mark.parametrize("every", [6, pytest.param(1, marks=pytest.mark.everything)])
def test_a_wrong_step_costs_points_nowhere_else(known, release, grader, people, every):
    for name in known.functions[::every]:
        wrong = answered(release, people, **{name: NUMBER.format(step=name)})
        result = grader.grade(wrong, "ada").result
        lost = [step.name for step in result.steps if step.score < step.max_score]
        assert lost == [name]


@pytest.mark.parametrize("every", [80, pytest.param(3, marks=pytest.mark.everything)])
def test_everybody_of_the_class_from_the_banks_gets_the_expected_result(
    known, release, grader, people, every
):
    first = [people[id] for id in ("right", "blank", "half") if id in people]
    some = [student for student in [*people.values()][::every] if student not in first]
    for student in [*first, *some]:
        result = grader.grade(student.notebook(release), student.id).result
        assert list(bank_class.differences(student, known, result)) == [], student.id


# The ordinary run proves attention, in proving/test_proof.py.
@pytest.mark.everything
@pytest.mark.parametrize("name", [name for name in EXERCISES if name != "attention"])
def test_an_exercise_is_proved(name):
    assert proof.prove(ROOT, exercise.load(ROOT, name), range(6), 1).problems() == []


MOST_LOST = 0.6
"""Of a step's points, for a mistake that does not show wherever the step is called."""


def test_a_mistake_that_shows_in_some_calls_alone_leaves_two_fifths_of_a_step(known):
    bench = Bench(known)
    for entry in known.misconceptions:
        if entry.step not in known.functions or entry.step in known.classes:
            continue
        bench.bind(answers.wrong(entry))
        checks = bench.of(entry.step)
        failed = [check for check in checks if bench.failure(check, "0")]
        # Wrong numbers cost no points for unchanged inputs.
        lost = sum(check.points for check in failed if check.category != "purity")
        is_dear = lost > MOST_LOST * sum(check.points for check in checks) + 1e-9
        if is_dear and checks[0] not in failed:
            assert share_of_right_calls(bench, entry) < 0.5, f"{entry.name} ({entry.step}): {lost}"


def share_of_right_calls(bench: Bench, entry: Misconception) -> float:
    """Of the calls that hidden checks make, on average over the checks."""
    bench.bind()
    right = bench.function(entry.step)
    bench.bind(answers.wrong(entry))
    wrong = bench.function(entry.step)

    def asked(noted: list[bool], *args: Any, **kwargs: Any) -> Any:
        expected = right(*copy.deepcopy(args), **copy.deepcopy(kwargs))
        try:
            noted.append(alike(wrong(*args, **kwargs), expected))
        except Exception:
            noted.append(False)
        return expected

    shares = []
    for check in bench.of(entry.step):
        if check.hidden and check.category != "purity":
            noted: list[bool] = []
            bench.replace(entry.step, partial(asked, noted))
            assert not bench.failure(check, "0")
            shares.append(sum(noted) / len(noted))
    return sum(shares) / len(shares)


# What students read


@pytest.mark.parametrize("every", [12, pytest.param(1, marks=pytest.mark.everything)])
def test_messages_of_hidden_checks_hold_no_inputs_but_two_numbers_at_most(known, every):
    bench = Bench(known)
    for entry in known.misconceptions[::every]:
        bench.bind(answers.wrong(entry))
        for check in bench.of(entry.step):
            failure = bench.failure(check, "5") if check.hidden else ""
            if failure.startswith("AssertionError"):
                said = re.split(r"[.?] (?=[A-Z])", failure)[0]
                counted = re.sub(r"\([\d, ]*\)|-inf", "", said)  # but for shapes
                assert "[" not in failure, failure
                # "2 of 15 entries", and the largest difference
                assert len(re.findall(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?", counted)) <= 3, failure


def test_a_hint_says_what_to_print_and_asks_one_question(known):
    for entry in known.misconceptions:
        is_about_code = entry.step in known.functions
        says = re.search(r"[Pp]rint|Stack|Change|Call it", entry.hint)
        assert says or not is_about_code, entry.name
        assert entry.hint.count("?") == 1, entry.name
        assert entry.hint[0].isupper(), entry.name


def test_what_students_get_names_no_mistake_and_no_oracle(authored, release, people):
    text = "\n".join("".join(cell["source"]) for cell in release["cells"])
    secret = {id.partition("-")[2] for id in people if id.startswith(("wrong-", "unusual-"))}
    for cell in authored.of("oracles"):
        secret |= names.names(cell.source).bound
    for name in secret:
        assert len(name) < 15 or name not in text, name

"""The answers to the questions of all exercises, computed with the functions of their solutions."""

from typing import Any

import numpy as np
import pytest

from autograder.authoring import read
from autograder.exercises import exercise
from tests.support.courses import ROOT

Names = dict[str, Any]
RNG = np.random.default_rng(43)


def weights_of_a_divisor(known: Names, power: float) -> Any:
    """The weights of queries with 64 features, whose scores are divided by a power of 64."""
    Q, K = RNG.normal(size=(50, 64)), RNG.normal(size=(10, 64))
    return known["softmax"](Q @ K.T / 64**power)


def root_reason(known: Names) -> str:
    usual, even = (
        np.ptp(weights_of_a_divisor(known, power), axis=-1).mean() for power in (0.5, 1.0)
    )
    assert even < 0.1 < 4 * even < usual
    return "a"


def zero_for_hidden(known: Names) -> float:
    return float(known["softmax"](np.array([-1.0, -1.0, 0.0, 0.0]))[2:].sum())


def score_count(known: Names) -> int:
    Q = K = np.zeros((8, 12, 16, 2))
    return known["attention_scores"](Q, K).size * (1024 // 16) ** 2


def order_blind(known: Names) -> str:
    X, W = RNG.normal(size=(3, 4)), RNG.normal(size=(3, 4, 4))
    there, back = (known["cross_attention"](x, x, *W)[row] for x, row in ((X, 0), (X[::-1], 2)))
    np.testing.assert_allclose(there, back)
    return "a"


def weights_of_the_layers(known: Names) -> int:
    shapes = (512, 2048), (2048,), (2048, 512), (512,)
    arrays = [np.zeros(shape) for shape in shapes]
    assert known["feed_forward"](np.zeros((1, 512)), *arrays).shape == (1, 512)
    return sum(array.size for array in arrays)


def bytes_to_begin(known: Names) -> int:
    return len(known["encode"]("5 € für Eis", []))


def different_tokens(known: Names) -> int:
    merges = known["train"]("abcabcabdabd" * 3, 4)
    return len({*range(256), *(256 + place for place in range(len(merges)))}) + 1000 - len(merges)


def loss_of_four(known: Names) -> float:
    logits = np.full((1, 50_000), -1e4)
    logits[0, :4] = 0.0
    return float(known["cross_entropy"](logits, np.array([2])))


def numbers_kept(known: Names) -> int:
    kept = known["adamw_update"](*(np.zeros(1000) for _ in range(4)), 1, 0.1)
    return sum(array.size for array in kept) * 1000


def tokens_left(known: Names) -> int:
    return len(known["encode"]("abcbc", [(97, 98), (98, 99)]))


def largest_norm(known: Names) -> float:
    gradients = [np.array([3.0]), np.array([[0.0, 4.0]]), np.array([12.0, 0.0])]
    return float(np.linalg.norm(known["clip_by_global_norm"](gradients, 6.5)[2]))


def ten_times_larger(known: Names) -> str:
    token, (gamma, beta) = RNG.normal(size=8), RNG.normal(size=(2, 8))
    usual, larger = (known["layer_norm"](x, gamma, beta) for x in (token, 10 * token))
    np.testing.assert_allclose(usual, larger, rtol=1e-3)
    return "a"


def cache_bytes(known: Names) -> int:
    cache, per_layer = None, (8, 128)
    for _ in range(10):
        new = [np.zeros(per_layer, dtype=np.float32)] * 3
        _, cache = known["cached_step"](*new, cache)
    return sum(array.nbytes for array in cache) * 12 * (1000 // 10)


def still_right(known: Names) -> int:
    """The rows whose keys are the same in each of three layers, once a token is replaced."""
    X, (W_K, W_V) = RNG.normal(size=(100, 4)), RNG.normal(size=(2, 4, 4))
    W_K *= 0.1  # every token looks at every other a little
    replaced = X.copy()
    replaced[61 - 1] = RNG.normal(size=4)
    same = np.ones(100, dtype=bool)
    for _ in range(3):
        same &= np.isclose(X @ W_K, replaced @ W_K, 1e-9, 0).all(axis=-1)
        X, replaced = (known["decode_with_cache"](x @ W_K, x @ W_K, x @ W_V) for x in (X, replaced))
    return int(same.sum())


def sum_so_far(known: Names) -> float:
    """The total of the first block is 2 beside its largest score, log 3: of log 3 twice."""
    scores = np.log([3.0, 3.0, 15.0, 3.0])
    output = known["flash_attention"](np.ones((1, 1)), scores[:, None], np.eye(4), 2)
    return float(1 / output.max())


def shared_number(known: Names) -> float:
    given = np.array([[2.0], [3.0], [5.0]]), np.ones((1, 1)), np.array([[1.0], [10.0], [100.0]])
    return float(known["matmul_backward"](*given)[1][0, 0])


def fourth_score(known: Names) -> float:
    """With a d_weights that gives the first three scores these gradients."""
    weights, first = RNG.dirichlet(np.ones(4)), np.array([0.5, -0.2, 0.1])
    d_weights = np.append(first, -first.sum()) / weights + 7.0
    *others, last = known["softmax_backward"](weights, d_weights)
    np.testing.assert_allclose(others, first)
    return float(last)


def sure_of_one(known: Names) -> str:
    got = known["softmax_backward"](np.array([0.0, 1.0, 0.0]), np.array([3.0, 5.0, -9.0]))
    assert not got.any()
    return "d"


ANSWERS = {
    "attention": [root_reason, zero_for_hidden, score_count],
    "transformer": [order_blind, ten_times_larger, weights_of_the_layers],
    "tokenizer": [bytes_to_begin, different_tokens, tokens_left],
    "training": [loss_of_four, largest_norm, numbers_kept],
    "inference": [cache_bytes, still_right, sum_so_far],
    "gradients": [shared_number, fourth_score, sure_of_one],
}


@pytest.mark.parametrize("name", ANSWERS)
def test_every_answer_is_what_the_functions_of_the_solution_say(name: str):
    known: Names = {}
    source = read.read(ROOT / "solutions" / f"{name}.py")
    for cell in source.of("setup", "needed", "step"):
        exec(cell.source, known)
    assert {answer.__name__ for answer in ANSWERS[name]} == {*exercise.load(ROOT, name).options}
    for answer in ANSWERS[name]:
        wanted, computed = known[answer.__name__](), answer(known)
        assert wanted == computed or wanted == pytest.approx(computed, rel=1e-6), answer.__name__

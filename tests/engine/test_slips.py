"""Kinds of mistakes that show in the answers alone, each named without a bank."""

import pytest

from autograder.diagnosis import mutants as changed
from autograder.diagnosis.diagnosis import BANK
from autograder.diagnosis.mutants import mutants
from autograder.engine.budget import OutOfTime
from autograder.engine.turns import counted
from tests.support.one_answer import graded_steps

pytestmark = pytest.mark.usefixtures("kept_parents")


SOFTMAX = """def softmax(scores, axis=-1):
    e = np.exp(scores - np.max(scores, axis=axis, keepdims=True))
    return e / ({})
"""

MANY_HEADS = """def multi_head_attention(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    if mask is not None and np.ndim(mask) > 2:
        mask = np.expand_dims(mask, -3)
    heads, weights = scaled_dot_product_attention(Q, K, V, mask)
    return {}
"""

FOR_ALL_HEADS = "(heads @ W_O[: heads.shape[-1]]).sum(axis=-3)"
IN_A_COPY = "np.concatenate([heads.sum(axis=-3)] * num_heads, axis=-1) @ W_O"

PROJECT = "def project_qkv(X, W_Q, W_K, W_V):\n    {}\n    return X @ W_Q, X @ W_K, X @ W_V\n"
AVERAGE = "def weighted_sum(weights, V):\n    return {}\n"
SCORES = "def attention_scores(Q, K):\n    return {}\n"
SCALE = "def scale_scores(scores, d_k):\n    return {}\n"
MASKED = "def apply_mask(scores, mask):\n    return {}\n"

ONE_HEAD = """def split_heads(X, num_heads):
    if X.shape[-1] % num_heads or num_heads == 1:
        raise ValueError
    parts = np.reshape(X, (*X.shape[:-1], num_heads, X.shape[-1] // num_heads))
    return np.swapaxes(parts, -3, -2)
"""

MEAN_LENGTH = """def padding_mask(lengths, n_keys):
    mean = np.full_like(lengths, np.mean(lengths))
    return np.arange(n_keys) < np.reshape(mean, (-1, 1, 1))
"""

SOFTENED = """def attention_scores(Q, K):
    def shares(a):
        e = np.exp(a - a.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)
    return shares(Q) @ np.swapaxes(shares(K), -1, -2)
"""

TENSORDOT = """def project_qkv(X, W_Q, W_K, W_V):
    return tuple(np.tensordot(X, W, axes=([-1], [1])) for W in (W_Q, W_K, W_V))
"""


@pytest.fixture(scope="module")
def graded():
    with graded_steps("attention", b"slips") as grade:
        yield grade


def test_what_is_interrupted_does_not_cost_the_next_submission_its_experiments(monkeypatch):
    source = "def scaled(x, by):\n    return x / by + 1\n"
    whole = [mutant.phrase for mutant in mutants(source, "step")]
    changed._begun.cache_clear()

    calls = []

    def interrupted(tree):
        calls.append(tree)
        if len(calls) == 3:
            raise OutOfTime
        return counted(tree)

    with monkeypatch.context() as patch:
        patch.setattr(changed, "counted", interrupted)
        with pytest.raises(OutOfTime):
            list(mutants(source, "step"))
    assert [mutant.phrase for mutant in mutants(source, "step")] == whole
    assert len(whole) > 5


KINDS = [
    (SOFTMAX.format("e.cumsum(axis=axis)"), "running_total", "a running total"),
    (SOFTMAX.format("1 + e.sum(axis=axis, keepdims=True)"), "added_to_total", "1 were added"),
    (SOFTMAX.format("e.shape[axis]"), "count_for_total", "how many there are"),
    (
        SOFTMAX.format("np.sqrt((e**2).sum(axis=axis, keepdims=True))"),
        "length_for_total",
        "the root of a total of squares",
    ),
    (MANY_HEADS.format("weights"), "stage_returned", "gives as its part 2."),
    (MANY_HEADS.format(FOR_ALL_HEADS), "first_only", "the first block along the last axis but"),
    (MANY_HEADS.format(IN_A_COPY), "summed", "the same, their total"),
    (MANY_HEADS.format("concat_heads(heads) * np.diagonal(W_O)"), "diagonal", "of W_O counted"),
    (PROJECT.format("X = X.astype(np.float16).astype(float)"), "rounded", "half of their"),
    (PROJECT.format("X = X + 1"), "shifted", "1 were added to every number in X"),
    (TENSORDOT, "factor_transposed", "the right factor of each matrix product"),
    (AVERAGE.format("(1 - weights) @ V"), "taken_from_one", "every number in weights"),
    (AVERAGE.format("weights @ np.round(V)"), "rounded", "V were rounded"),
    (SCALE.format("scores / np.log(d_k + 1)"), "other_function", "a logarithm stood for"),
    (SCALE.format("scores / np.sqrt(10 * d_k)"), "ten_times", "d_k were ten times as much"),
    (SCALE.format("np.sqrt(scores / d_k)"), "function_of_quotient", "it divided first"),
    (MASKED.format("np.where(mask[..., -1:, :], scores, -np.inf)"), "one_for_all", "last row"),
    (
        MASKED.format("np.ma.masked_array(scores, ~np.broadcast_to(mask, scores.shape))"),
        "no_plain_value",
        "no plain array",
    ),
    (SOFTENED, "normalised", "Q and K had gone through a softmax"),
    (ONE_HEAD, "wrong_with_one", "where it is 1"),
    (MEAN_LENGTH, "one_for_all", "the mean number in lengths"),
]


@pytest.mark.parametrize(
    ("source", "name", "part"),
    # The ordinary run sees each second one.
    [*KINDS[::2], *(pytest.param(*kind, marks=pytest.mark.everything) for kind in KINDS[1::2])],
)
def test_a_kind_of_mistake_is_named_without_a_bank(graded, monkeypatch, source, name, part):
    monkeypatch.setenv(BANK, "none")
    step = graded(source.split("(")[0].removeprefix("def "), source)
    failed = next(check for check in step.checks if check.status == "failed")
    assert failed.relation == name
    assert part in (failed.hint or "")

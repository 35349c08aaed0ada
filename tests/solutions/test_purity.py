"""A check for unchanged inputs looks at the inputs alone, and gives nothing to who returns junk."""

import pytest

from tests.support.one_answer import graded_steps

pytestmark = pytest.mark.usefixtures("kept_parents")

# Wrong wherever the scale is no whole number, and right elsewhere.
ROUNDED = """
def self_attention(X, W_Q, W_K, W_V, mask=None):
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    scores = attention_scores(Q, K) / int(Q.shape[-1] ** 0.5)
    weights = softmax(scores if mask is None else apply_mask(scores, mask))
    return weights @ V, weights
"""
IN_PLACE = ROUNDED.replace("    scores =", "    X *= 1.5\n    scores =")
JUNK = "def self_attention(*arguments, mask=None):\n    return arguments[0], arguments[0]"
RAISES = "def self_attention(*arguments, mask=None):\n    raise ValueError"


@pytest.mark.parametrize(
    ("answer", "status", "said"),
    [
        (ROUNDED, "passed", ""),
        (IN_PLACE, "failed", "your function changed its input X."),
        (JUNK, "failed", "it changes nothing, but "),
        (RAISES, "failed", "self_attention raised ValueError"),
    ],
)
def test_wrong_answers_cost_nothing_for_purity_where_some_are_right(answer, status, said):
    with graded_steps("attention", b"purity") as grade:
        step = grade("self_attention", answer)
    (check,) = [check for check in step.checks if check.category == "purity"]
    assert (check.status, check.earned) == (status, check.points if status == "passed" else 0)
    assert check.message.startswith(said)

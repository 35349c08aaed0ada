"""Answers that no student gives by mistake: the checks of attention fail them in a sentence, and
cheaply.

To count memory makes each of them slow. Of huge answers ``make test`` gives each to one check in
five, to another one each time; ``make test-everything`` gives all of them to all checks.
"""

import contextlib
import io
import re
import tracemalloc
from typing import Any

import numpy as np
import pytest

from tests.support.attention_notebook import checks, lost, namespace, play, reference

POINTS = {cell.step: None for cell in checks()}
PEAK = 16_000_000  # bytes; the answers themselves were made before
FEW = 5


def _nested() -> list[Any]:
    """Ten to the sixteenth numbers, for the same lists stand in it again and again."""
    value: list[Any] = [0.0] * 1000
    for _ in range(5):
        value = [value] * 500
    return value


HUGE = {
    "an empty axis beside a long one": np.empty((60_000_000, 0)),
    "as many rows as there can be": np.empty((2**31 - 1, 0, 17)),
    "many axes": np.zeros((1,) * 30 + (2_000_000, 1), bool),
    "a long text in a list": ["x" * 1_000_000] + [""] * 400,
    "a text": "x" * 16_000_000,
    "one list again and again": _nested(),
    "one array again and again": [np.zeros(100_000)] * 300,
    "a long list": list(range(1_000_000)),
    "many empty tuples": [()] * 1_000_000,
    "a large dictionary": dict.fromkeys(range(300_000)),
}
ODD = {
    "a number": 1.0,
    "a text": "text",
    "a function": len,
    "a dictionary": {"a": 1},
    "nothing": [],
    "nothing in nothing": [[]],
    "two of nothing": ([], []),
    "three times None": (None, None, None),
    "a whole number without end": 10**400,
    "whole numbers without end": [1.0, 10**400],
    "rows of different lengths": [[1.0], [1.0, 2.0]],
    "all kinds": [1, "a", None, {}, len],
    "NaN": (np.full((2, 2), np.nan),) * 2,
}
WARPED = {
    "an axis more": lambda part: part[None],
    "an axis less": lambda part: part[..., 0],
    "no entries": lambda part: part[..., :0],
    "everything twice": lambda part: np.concatenate([part, part]),
    "the largest numbers": lambda part: np.full(part.shape, np.finfo(float).max),
    "the smallest numbers": lambda part: np.full(part.shape, np.finfo(float).min),
    "infinity": lambda part: np.full(part.shape, np.inf),
    "minus infinity": lambda part: np.full(part.shape, -np.inf),
    "the largest whole numbers": lambda part: np.full(part.shape, 2**64 - 1, np.uint64),
    "NaN everywhere": lambda part: np.full(part.shape, np.nan),
}


def warped(step: str, warp: Any) -> Any:
    """The solution, with every array of its answer made into another."""
    right = getattr(reference(), step)

    def answer(*args: Any, **kwargs: Any) -> Any:
        value = right(*args, **kwargs)
        return tuple(map(warp, value)) if isinstance(value, tuple) else warp(value)

    return answer


def failing(names: dict[str, Any], cell: Any, answer: Any, reveal: bool) -> AssertionError:
    """What a check raises; anything but an assertion goes through."""
    names.update(vars(reference()) | {cell.step: answer, "rng": np.random.default_rng(3)})
    names["tools"].REVEAL = reveal
    with contextlib.redirect_stdout(io.StringIO()), pytest.raises(AssertionError) as caught:
        exec(cell.code, dict(names))
    return caught.value


def some_checks(name: str, several: bool, every: int) -> list[Any]:
    """One of every so many checks for each huge answer: over all answers every check has its turn,
    with one of it and with several."""
    first = [*HUGE].index(name) + (every // 2 if several else 0)
    return checks()[first % every :: every]


@pytest.mark.parametrize("every", [FEW, pytest.param(1, marks=pytest.mark.everything)])
@pytest.mark.parametrize("name", HUGE)
@pytest.mark.parametrize("several", [False, True])
def test_a_huge_answer_is_refused_without_a_copy_of_it(name, several, every):
    names = namespace()
    parts = {"project_qkv": 3, "scaled_dot_product_attention": 2, "self_attention": 2}
    for cell in some_checks(name, several, every):
        value = (HUGE[name],) * parts.get(cell.step, 1) if several else HUGE[name]
        for reveal in {False, not cell.hidden}:
            tracemalloc.start()
            try:
                message = str(failing(names, cell, lambda *_, value=value, **__: value, reveal))
                assert tracemalloc.get_traced_memory()[1] < PEAK, (cell.name, reveal)
            finally:
                tracemalloc.stop()
            assert len(message) < 300, message


@pytest.mark.parametrize("several", [False, True])
def test_every_check_and_every_step_has_its_turn_with_huge_answers(several):
    met = {cell.name for name in HUGE for cell in some_checks(name, several, FEW)}
    assert met == {cell.name for cell in checks()}
    for name in HUGE:
        assert len({cell.step for cell in some_checks(name, several, FEW)}) >= 10, name


@pytest.mark.parametrize("name", ODD)
def test_an_odd_answer_is_refused_in_a_sentence(name):
    names = namespace()
    for cell in checks():
        message = str(failing(names, cell, lambda *_, **__: ODD[name], reveal=False))
        assert message and len(message) < 300, message


@pytest.mark.parametrize("name", WARPED)
def test_a_right_answer_made_odd_is_refused_in_a_sentence(name):
    names = namespace()
    for cell in checks():
        message = str(failing(names, cell, warped(cell.step, WARPED[name]), reveal=False))
        assert message and len(message) < 300, message


def test_where_nobody_reads_no_check_prints_remembers_or_looks_for_a_hint():
    names, out = namespace(), io.StringIO()
    names.update({step: lambda *_, **__: np.ones((2, 3)) for step in POINTS})
    tools = names["tools"]
    tools.REVEAL = False
    tools.fingerprint = tools.hint = lambda *_: pytest.fail("nobody reads the hint")
    with contextlib.redirect_stdout(out):
        for cell in checks():
            with contextlib.suppress(AssertionError):
                exec(cell.code or "", dict(names))
    assert (tools.SEEN, tools.RESULTS, out.getvalue()) == ([], {}, "")


def test_a_sum_is_told_to_four_digits_and_one_that_is_nearly_one_by_what_it_misses():
    insist = namespace()["rows_sum_to_one"]
    for rows, says in (
        ([[0.5, 0.5], [0.5, 8999.6254321]], "row 1 sums to 9000, not 1."),
        ([[0.123456789, 0.5]], "row 0 sums to 0.6235, not 1."),
        ([[0.5, 0.50000123456]], "row 0 misses the sum 1 by 1.2e-06."),
        ([[[0.5, 0.5]], [[1.0, np.nan]]], "row (1, 0) sums to nan, not 1."),
        ([1.0, np.inf, -np.inf], "row 0 sums to nan, not 1."),
    ):
        with pytest.raises(AssertionError, match=re.escape(says)):
            insist(np.array(rows))


def test_a_mask_in_single_precision_is_compared_exactly():
    agree_mask = namespace()["agree_mask"]
    agree_mask(np.float32([1, 0]), [True, False], "the mask")
    with (
        contextlib.redirect_stdout(io.StringIO()),
        pytest.raises(AssertionError, match="1 of 2 entries should be True"),
    ):
        agree_mask(np.float32([1 - 1e-6, 0]), [True, False], "the mask")


def test_a_step_that_empties_the_weights_it_was_given_earns_no_point_for_what_it_leaves_out():
    def multi_head_attention(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
        if mask is not None and np.ndim(mask) == 2:
            return np.zeros(X.shape)
        output = reference().multi_head_attention(X, W_Q, W_K, W_V, W_O, num_heads, mask)
        W_O[...] = 0.0
        return output

    def self_attention(X, W_Q, W_K, W_V, mask=None):
        if X.ndim > 3 or np.ndim(mask) == 2:
            return np.zeros((*X.shape[:-1], W_V.shape[1])), np.full(
                (*X.shape[:-1], X.shape[-2]), 1 / X.shape[-2]
            )
        answer = reference().self_attention(X, W_Q, W_K, W_V, mask)
        for W in (W_Q, W_K, W_V):
            W[...] = 0.0
        return answer

    def apply_mask(scores, mask):
        answer = reference().apply_mask(scores, mask)
        if not np.isnan(scores).any() and np.isposinf(scores).any():
            answer = scores
        mask[...] = True
        return answer

    for answer, check in (
        (multi_head_attention, "masks"),
        (self_attention, "any_batch"),
        (apply_mask, "nan_disappears"),
    ):
        step = answer.__name__
        for key in (1, 2, 3):
            assert f"{step}-{check}" in lost(play({step: answer}, key, only=step))


def test_a_hint_is_looked_for_cheaply_and_still_found():
    names = namespace()
    tools = names["tools"]
    for value in HUGE.values():
        tools.SEEN[:] = [value] * 1000
        tracemalloc.start()
        try:
            tools.fingerprint("softmax-by_hand", AssertionError())
            assert tracemalloc.get_traced_memory()[1] < PEAK
        finally:
            tracemalloc.stop()
    tools.SEEN[:] = [np.ones((2, 3))]
    assert len(tools.fingerprint("softmax-by_hand", AssertionError())) == 6

"""The numbers in the prose of transformer and training, computed with the functions of their solutions."""

import ast
import math
import re
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

from autograder import tools
from models import grammar, reference
from tests.support.courses import ROOT

BEGINNING = ["the", "dog", "slept"]


def prose(exercise: str) -> str:
    """What the notebook says, without the ends of lines."""
    text = (ROOT / "solutions" / f"{exercise}.py").read_text(encoding="utf-8")
    return " ".join(re.sub(r"(?m)^# ?", "", text).split())


def constants(script: str) -> dict[str, Any]:
    """The numbers with names of a script that trains models, which loads more than there is here."""
    found = {}
    for node in ast.parse((ROOT / "models" / script).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            found[ast.unparse(node.targets[0])] = node.value.value
    return found


# How the models were trained


def test_heads_are_led_by_the_reward_that_the_text_says():
    share = f"{constants('train.py')['SHARE']:.0%}".replace("%", " %")
    assert f"giving {share} of its attention to the right noun" in prose("transformer")
    assert f"rewarded for putting {share} of their attention" in prose("attention")


def test_the_finder_read_as_many_sentences_as_the_text_says():
    script = (ROOT / "models" / "train.py").read_text(encoding="utf-8")
    usual = re.search(r"steps: int = (\d+)", script)
    factor = re.search(r"trained\(new_finder\(.*?, loss, (\d+) \* steps", script)
    assert usual and factor
    steps = int(usual[1]) * int(factor[1])
    read = steps * constants("train.py")["BATCH"] * constants("train.py")["ITEMS"]
    assert f"on {read:,} sentences about animals and things" in prose("attention")


def test_the_model_of_plays_read_as_many_characters_as_the_text_says():
    readme = (ROOT / "models" / "README.md").read_text(encoding="utf-8")
    length = re.search(r"([\d,]+) characters of Shakespeare", readme)
    assert length
    read = int(length[1].replace(",", "")) * (1 - constants("plays.py")["KEPT"])
    assert f"it has read {read / 1e6:.1f} million characters" in prose("transformer")


# transformer


def test_the_waves_are_most_alike_at_the_same_place(finale):
    assert "It is largest at 12 itself and the same for 12 + k and 12 − k" in prose("transformer")
    waves = finale("transformer")["positional_encoding"](24, 16)
    alike = waves @ waves[12]
    assert alike.argmax() == 12
    np.testing.assert_allclose(alike[12:], alike[12:0:-1])
    humps = [p for p in range(13, 23) if alike[p - 1] < alike[p] > alike[p + 1]]
    assert humps == [18]  # a little less than 2π away from it


def test_the_approximation_of_gelu_is_off_by_what_the_text_says(finale):
    assert "off by up to 0.0005" in prose("transformer")
    x = np.linspace(-10, 10, 20_001)
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    off = np.abs(finale("transformer")["gelu"](x) - x * (1 + np.tanh(inner)) / 2).max()
    assert round(float(off), 4) == 0.0005


def test_two_thirds_of_a_block_are_in_its_feed_forward_layer():
    said = "`d_ff` is usually four times `d_model`, and two thirds of a block's parameters are here"
    assert said in prose("transformer")
    d_model, d_ff = 768, 4 * 768
    here, attention = 2 * d_model * d_ff + d_ff + d_model, 4 * d_model**2
    norms = 4 * d_model
    assert abs(here / (here + attention + norms) - 2 / 3) < 1e-3


def test_three_hidden_features_make_a_hat(finale, monkeypatch):
    assert "1 at 0, and 0 below −1 and above 1" in prose("transformer")
    names = finale("transformer")
    seen: list[Any] = []
    names["feed_forward"] = lambda *arrays: seen.extend(arrays) or np.zeros((61, 1))
    monkeypatch.setattr(tools, "curves", lambda *_: None)
    names["a_hat"]()
    x, *weights = seen
    hat = finale("transformer")["feed_forward"](
        np.array([[-3.0], [-1.0], [0.0], [1.0], [3.0]]), *weights
    )
    assert np.shape(x)[-1] == 1 and np.shape(weights[0])[-1] == 3
    np.testing.assert_allclose(np.ravel(hat), [0.0, 0.0, 1.0, 0.0, 0.0], atol=1e-12)


def test_the_decoder_has_the_size_that_the_notebook_says(finale):
    said = prose("transformer")
    assert "two blocks, four heads, 27,008 weights, 56 words" in said
    names = finale("transformer")
    model = names["MODEL"]
    arrays = [array for name, array in model.items() if name not in ("words", "asked", "logits")]
    assert sum(array.size for array in arrays if array.ndim) == 27_008
    assert len(names["WORDS"]) == 56
    _, looks = names["run_model"](names["asked"]("soft"))
    assert len(looks) == 4 and len(model["W_Q"]) == 2
    assert "longer than these 54 words" in said and 3 * grammar.ITEM == 54


@pytest.mark.parametrize("count", [20, pytest.param(200, marks=pytest.mark.everything)])
def test_the_decoder_answers_all_sentences_that_it_has_not_seen(finale, count):
    said = prose("transformer")
    assert "It answers all 200 test sentences correctly" in said
    assert "In all 200 new sentences that noun gets more than 0.7" in said
    items = grammar.unseen_items(200, Random(15))[:count]
    for is_right, look in reference.answers(finale("transformer")["MODEL"], items):
        assert is_right and look > 0.7


def without_a_mask(n: int) -> Any:
    return np.ones((n, n), dtype=bool)


def interleaved(X: Any, heads: int) -> Any:
    parts = np.reshape(X, (*np.shape(X)[:-1], np.shape(X)[-1] // heads, heads))
    return np.moveaxis(parts, -1, -3)


def cut_by_reshape(X: Any, heads: int) -> Any:
    *lead, n, d_model = np.shape(X)
    return np.reshape(X, (*lead, heads, n, d_model // heads))


def normed_behind(x: Any, attention: Any, feed_forward: Any, norm_1: Any, norm_2: Any) -> Any:
    x = norm_1(x + attention(x))
    return norm_2(x + feed_forward(x))


Seen = tuple[list[str], list[Any], list[float]]


@pytest.fixture
def seen_with(finale) -> Callable[..., Seen]:
    """The answers to soft and tired, where head 0 looks, and how far the scores are off, with broken functions."""

    def see(**broken: Any) -> Seen:
        names = finale("transformer")
        names.update(broken)
        words, looks, gaps = [], [], []
        for adjective, stored in zip(("soft", "tired"), names["MODEL"]["logits"]):
            scores, seen = names["run_model"](names["asked"](adjective))
            words.append(names["WORDS"][int(scores[-1].argmax())])
            looks.append(np.asarray(seen[0]))
            gaps.append(float(np.abs(scores[-1] - stored).max()))
        return words, looks, gaps

    return see


def test_without_a_mask_words_look_at_later_ones(seen_with):
    assert "tired is suddenly a bird | no causal mask" in prose("transformer")
    words, looks, _ = seen_with(causal_mask=without_a_mask)
    assert words == ["mat", "bird"]
    assert all(np.triu(look, 1).sum() / len(look) > 0.3 for look in looks)


def test_scores_that_are_not_scaled_stare(seen_with):
    assert "1.00 on one word, 0.00 on all others" in prose("transformer")
    _, looks, _ = seen_with(scale_scores=lambda scores, d_k: scores)
    for look in looks:
        low, high = np.sort(look[-1])[-2:]
        assert f"{high:.2f}" == "1.00" and f"{low:.2f}" == "0.00"


def test_scores_that_are_scaled_too_much_have_hardly_any_colour(seen_with):
    assert "no word gets more than 0.15, and the answer is some other noun" in prose("transformer")
    words, looks, _ = seen_with(scale_scores=lambda scores, d_k: scores / d_k)
    assert max(look[-1].max() for look in looks) < 0.15
    nouns = {*grammar.ANIMALS, *grammar.THINGS}
    assert words[0] in nouns - {"mat"} and words[1] in nouns - {"cat"}


@pytest.mark.parametrize("split_heads", [interleaved, cut_by_reshape])
def test_heads_that_are_cut_wrongly_look_at_the_same_places(seen_with, split_heads):
    assert "the answer looks at the same places, hardly at the noun" in prose("transformer")
    words, (soft, tired), _ = seen_with(split_heads=split_heads)
    assert soft[-1].argmax() == tired[-1].argmax()
    assert tired[-1][1] < 0.25  # the cat
    assert words != ["mat", "cat"]


def test_without_positions_tired_is_a_cow_and_sentences_are_over_too_soon(finale, seen_with):
    assert '("the dog slept near the bird .")' in prose("transformer")
    broken = {"positional_encoding": lambda n, d_model: np.zeros((n, d_model))}
    assert seen_with(**broken)[0] == ["mat", "cow"]
    names = finale("transformer")
    names.update(broken)
    assert names["write"](BEGINNING, 7, seed=1) == [
        "the",
        "dog",
        "slept",
        "near",
        "the",
        "bird",
        ".",
    ]


def test_in_a_text_without_scaled_scores_the_question_slips(finale):
    assert '("it was dry . what was flat")' in prose("transformer")
    names = finale("transformer")
    names["scale_scores"] = lambda scores, d_k: scores
    assert "it was dry . what was flat" in " ".join(names["write"](BEGINNING, 14, seed=1))


def test_norms_behind_the_addition_write_words_twice_or_leave_them_out(finale):
    assert "sentences with words twice or missing" in prose("transformer")
    names = finale("transformer")
    names["transformer_block"] = normed_behind
    assert "the the" in " ".join(names["write"](BEGINNING, 18, seed=1))


def test_gelu_for_relu_changes_scores_and_no_answer(finale, seen_with):
    assert "the scores differ by 4 to 6 | `gelu`" in prose("transformer")
    gelu = finale("transformer")["gelu"]
    words, _, gaps = seen_with(feed_forward=lambda x, a, b, c, d: gelu(x @ a + b) @ c + d)
    assert words == ["mat", "cat"] and all(4 < gap < 6 for gap in gaps)


# training


def test_a_model_that_knows_nothing_pays_the_logarithm_of_the_vocabulary(finale):
    assert r"among 50 tokens has a loss of $\log 50 = 3.9$" in prose("training")
    loss = finale("training")["cross_entropy"](np.zeros((7, 50)), np.arange(7))
    assert f"{loss:.1f}" == "3.9"


def test_the_experiments_differ_by_what_the_text_says(finale):
    said = prose("training")
    assert "With one five times as high" in said and "one head has all 48 features" in said
    names = finale("training")
    ways: list[dict[str, Any]] = []
    names["compared"] = lambda train, title, of: ways.extend(of.values())
    names["without_warm_up"]()
    names["without_the_root"]()
    usual = names["train"].__defaults__[0]
    assert [way["peak"] / usual for way in ways[:2]] == pytest.approx([5.0, 5.0])
    features = names["random_weights"](3)["W_Q"].shape[-1]
    assert [way["heads"] for way in ways[2:]] == [1, 1] and features == 48
    assert ways[3]["stretch"] == math.sqrt(features)

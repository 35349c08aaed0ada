"""What is said of the trained models, measured: on sentences that they have not seen."""

import re
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest

from autograder import tools
from autograder.authoring import cells
from models import grammar, reference
from models.grammar import ADJECTIVE, ASKED, FIRST, IT, ITEM, SECOND, WORDS, Item
from tests.support.courses import ROOT

DECODERS = ("decoder", "rope_decoder")
# The ordinary run asks the first.
ONE_OF_THEM = pytest.mark.parametrize(
    "name", [DECODERS[0], pytest.param(DECODERS[1], marks=pytest.mark.everything)]
)
KILOBYTES = 400


@cache
def model(name: str) -> dict[str, Any]:
    with np.load(ROOT / "solutions" / f"{name}.npz") as archive:
        return dict(archive)


@cache
def unseen() -> tuple[Item, ...]:
    return tuple(grammar.unseen_items(100, Random(15)))


def other(item: Item) -> Item:
    """The item with one word changed, so that "it" means the other noun."""
    words = item.words
    kind = grammar.OF_THINGS if words[ADJECTIVE] in grammar.OF_ANIMALS else grammar.OF_ANIMALS
    return grammar.item(words[FIRST], words[2], words[3], words[SECOND], kind[0])


# The language


def test_no_training_sentence_has_a_combination_of_words_that_is_kept_for_the_test():
    items = grammar.training_items(Random(0))
    seen: set[tuple[str, ...]] = set()
    for _ in range(72_000):  # as many as a decoder has read, and with make train-model the same
        words = next(items).words
        nouns = tuple(sorted((words[FIRST], words[SECOND])))
        seen |= {nouns, (words[ASKED + 1], words[ADJECTIVE])}
    for item in unseen():
        nouns = tuple(sorted((item.words[FIRST], item.words[SECOND])))
        assert not seen & {nouns, (item.words[ASKED + 1], item.words[ADJECTIVE])}


def test_either_noun_may_come_first_and_every_word_is_known():
    items = grammar.training_items(Random(0))
    some = [next(items) for _ in range(2_000)]
    assert {item.meant for item in some} == {FIRST, SECOND}
    assert {item.words[FIRST] for item in some} == {*grammar.ANIMALS, *grammar.THINGS}
    assert {word for item in some for word in item.words} == set(WORDS)
    assert {len(item.words) for item in some} == {ITEM}
    assert {(item.words[IT], item.words[ASKED]) for item in some} == {("it", "the")}
    assert len(set(WORDS)) == len(WORDS)


# The models


@ONE_OF_THEM
def test_a_decoder_knows_which_noun_is_meant_and_looks_at_it(name):
    results = reference.answers(model(name), unseen())
    assert sum(is_right for is_right, _ in results) >= 95
    assert sum(look > 0.5 for _, look in results) >= 90


@pytest.mark.parametrize("name", DECODERS)
def test_one_changed_word_moves_the_answer_and_the_look(name):
    items = [*unseen()[:20], grammar.item("cat", "sat", "on", "mat", "soft")]
    changed = [other(item) for item in items]
    assert all(item.meant != twin.meant for item, twin in zip(items, changed))
    results = reference.answers(model(name), changed)
    assert all(is_right and look > 0.5 for is_right, look in results)


@pytest.mark.parametrize("name", DECODERS)
def test_the_stored_scores_are_those_of_the_stored_weights(name):
    stored = model(name)
    for tokens, wanted in zip(stored["asked"], stored["logits"]):
        logits, _ = reference.decoded(stored, tokens)
        np.testing.assert_allclose(logits[-1], wanted, rtol=0, atol=1e-9)
    texts = [" ".join(WORDS[token] for token in tokens) for tokens in stored["asked"]]
    sentence = "the cat sat on the mat because it was {0} . what was {0} ? the"
    assert texts == [sentence.format("soft"), sentence.format("tired")]


@pytest.mark.parametrize("texts", [2, pytest.param(10, marks=pytest.mark.everything)])
@ONE_OF_THEM
def test_a_decoder_writes_sentences_of_its_language(name, texts):
    right = 0
    for seed in range(texts):
        words = reference.text(model(name), ["the"], 2, np.random.default_rng(seed))
        for start in (0, ITEM):
            _, first, verb, place, _, second, *_ = said = words[start : start + ITEM]
            adjective = said[ADJECTIVE]
            is_sentence = adjective in (*grammar.OF_ANIMALS, *grammar.OF_THINGS) and (
                tuple(said) == grammar.item(first, verb, place, second, adjective).words
            )
            right += is_sentence
    assert right >= 0.85 * 2 * texts, f"{right} of {2 * texts} sentences"


def test_the_finder_looks_at_the_noun_and_at_the_word_before():
    results = reference.looks_of_it(model("finder"), unseen())
    assert sum(look > 0.5 for look, _ in results) >= 95
    assert min(before for _, before in results) > 0.7


def test_the_weights_are_small_and_finite():
    archives = sorted((ROOT / "solutions").glob("*.npz"))
    assert [path.stem for path in archives] == ["decoder", "finder", "rope_decoder"]
    assert sum(path.stat().st_size for path in archives) < KILOBYTES * 1000
    for path in archives:
        for name, array in model(path.stem).items():
            assert array.dtype.kind in "Uu" or np.isfinite(array).all(), name
        assert str(model(path.stem)["words"]).split() == WORDS


# The same models on the functions of the exercises


def steps_of(*exercises: str) -> dict[str, Any]:
    """The solutions of these exercises."""
    names: dict[str, Any] = {"np": np}
    exec("import math", names)
    for exercise in exercises:
        text = (ROOT / "solutions" / f"{exercise}.py").read_text(encoding="utf-8")
        for cell in cells.read(text, [], {}):
            if cell.kind == "step":
                exec(cell.source, names)
    return names


def test_the_functions_of_attention_give_the_looks_of_the_finder():
    solved, weights = steps_of("attention"), model("finder")
    matrices = [weights[name].astype(float) for name in ("W_Q", "W_K", "W_V", "W_O")]
    tokens = reference.numbers(unseen()[0].words[: ADJECTIVE + 1])
    x = weights["embedding"][tokens].astype(float) + weights["positions"]
    for block, wanted in enumerate(reference.found(weights, tokens)):
        own = [matrix[block] for matrix in matrices]
        parts = solved["project_qkv"](x, *own[:3])
        heads = [solved["split_heads"](part, 2) for part in parts]
        _, looks = solved["scaled_dot_product_attention"](*heads)
        np.testing.assert_allclose(looks, wanted, rtol=0, atol=1e-12)
        x = x + solved["multi_head_attention"](x, *own, 2)


def test_the_functions_of_transformer_run_the_decoder(finale):
    names = finale("transformer")
    run_model, asked = names["run_model"], names["asked"]
    for adjective, wanted in zip(("soft", "tired"), model("decoder")["logits"]):
        np.testing.assert_allclose(run_model(asked(adjective))[0][-1], wanted, rtol=0, atol=1e-6)

    for item in unseen()[:3]:
        words = list(item.words[: ASKED + 1])
        scores, looks = run_model(words)
        wanted, weights = reference.decoded(model("decoder"), reference.numbers(words))
        np.testing.assert_allclose(scores, wanted, rtol=0, atol=1e-6)
        np.testing.assert_allclose(looks, weights[-1], rtol=0, atol=1e-6)


def test_the_functions_of_inference_write_one_text_in_four_ways(finale):
    names = finale("inference")
    ways = ("without a cache", "with a cache", "shared heads", "in blocks")
    texts, work, models = zip(*(names["write"](way, ["the", "dog", "slept"], 30) for way in ways))
    assert texts[0] == texts[1] == texts[2] == texts[3]
    assert (work[0][-1] > 5 * work[1][-1]).all()
    scores = [one.read([texts[0][-1]]) for one in models[1:]]
    wanted, _ = reference.decoded(model("rope_decoder"), reference.numbers(texts[0]))
    for got in scores:
        np.testing.assert_allclose(got, wanted[-1], rtol=0, atol=1e-6)

    for tokens, wanted in zip(model("rope_decoder")["asked"], model("rope_decoder")["logits"]):
        attend = names["each_head"](names["decode_with_cache"])
        got = names["Writer"](attend).read([WORDS[token] for token in tokens])
        np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-6)


# The model of plays, on the functions of transformer

WEIGHTS, TOKENS = 383_712, 512


@pytest.fixture
def plays(finale, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The model as the scenes of the notebook run it."""
    monkeypatch.chdir(ROOT / "assignments" / "transformer")
    names = finale("transformer")
    monkeypatch.setattr(tools, "table", lambda *_: None)
    return names["Plays"](names["run"])


def test_the_model_of_plays_has_the_size_that_the_notebook_says(plays):
    assert (ROOT / "assignments" / "transformer" / "plays.npz").stat().st_size <= 500_000
    assert sum(array.size for array in plays.model.values()) == WEIGHTS
    assert len(plays.pieces) == len(plays.model["embedding"]) == TOKENS
    text = "".join((ROOT / "solutions" / "transformer.py").read_text(encoding="utf-8").split("# "))
    said = " ".join(text.split())
    for size in ("three blocks, six heads, 383,712 weights", "It knows 512 tokens"):
        assert size in said
    assert plays.text(plays.tokens("O Romeo, Zürich!\n")) == "O Romeo, Zürich!\n"
    encode = steps_of("tokenizer")["encode"]
    line = "Good morrow, my lord.\n"
    assert plays.tokens(line) == encode(line, [tuple(pair) for pair in plays.merges])


def test_the_functions_of_transformer_run_the_model_of_plays(plays):
    tokens = plays.tokens("JULIET:\nO Romeo!")
    wanted, looks = reference.decoded({**plays.model, "num_heads": np.array(6)}, tokens)
    np.testing.assert_allclose(plays.scores(tokens), wanted, rtol=0, atol=1e-9)
    np.testing.assert_allclose(plays.looks(tokens), looks, rtol=0, atol=1e-9)


def test_two_jobs_of_its_heads_show_and_the_third_has_nobody(plays):
    before, ends, copied = plays.jobs().values()
    assert before.max() > 0.5 and before.argmax() < 6  # in the first block
    block, _ = np.nonzero(ends > 0.45)
    assert list(block) == [1, 2] and np.sort(ends, axis=None)[-3] < 0.2
    assert copied.max() < 0.05


def test_temperature_and_top_k_decide_what_may_come(plays, capsys):
    best = [plays.write("ROMEO:\n", 8, 0.8, 1, seed) for seed in (1, 2)]
    cold = plays.write("ROMEO:\n", 8, 0.0, 40, 3)
    hot = {plays.write("ROMEO:\n", 8, 1.5, 40, seed) for seed in range(3)}
    assert best[0] == best[1] == cold and len(hot) == 3
    assert plays.write("", 3, 0.8, 40, 1).startswith("\n")
    assert best[0] in capsys.readouterr().out


@pytest.mark.parametrize("line", ["My lord.", "Good morrow, sir.", "What is love?"])
def test_behind_an_empty_line_somebody_speaks(plays, line):
    text = plays.write(f"ROMEO:\n{line}\n\n", 12, 0.8, 1, 0)
    assert re.match(r"[A-Z][A-Za-z ]+:\n", text.partition("\n\n")[2]), text


def test_without_its_file_the_scene_says_what_to_do(finale, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = finale("transformer")
    with pytest.raises(FileNotFoundError, match=r"^put plays\.npz, which came with this notebook"):
        names["Plays"](names["run"])

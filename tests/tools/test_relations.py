"""What relates a wrong answer to the right one: named where it shows in several answers, and never by
chance."""

from functools import partial

import numpy as np
import pytest

from autograder.diagnosis.arguments import explained
from autograder.tools import relations
from autograder.tools.places import of_truth
from autograder.tools.relations import VAGUE
from autograder.tools.sentences import SENTENCES

relation = partial(relations.relation, explained=explained)

rng = np.random.default_rng(5)
MATRICES = [rng.normal(size=shape) for shape in ((3, 4), (5, 2), (2, 3, 4))]
WEIGHTS = [rng.dirichlet(np.ones(4), size=size) for size in ((3,), (2,), (2, 5))]
LONG = [rng.normal(size=shape) for shape in ((3, 8), (2, 6), (2, 3, 4))]
MASKS = [np.tri(n, m, m - n, dtype=bool) for n, m in ((3, 3), (2, 5), (4, 6))]

MASKS_AND_ONE = [*MASKS, np.ones((1, 1), dtype=bool)]


def named(change, wanted, arguments=lambda right: {}, **how):
    """The name of what relates changed answers to the right ones."""
    found = relation([(change(right), right, arguments(right)) for right in wanted], **how)
    return found[0] if found else None


@pytest.mark.parametrize(
    ("name", "wanted", "change"),
    [
        ("nothing_returned", MATRICES, lambda right: None),
        ("transposed", MATRICES, lambda right: right.swapaxes(-1, -2)),
        ("reversed", MATRICES, lambda right: right[..., ::-1]),
        ("sorted", MATRICES, lambda right: np.sort(right, -1)),
        ("rolled", MATRICES, lambda right: np.roll(right, 1, -1)),
        ("negated", MATRICES, np.negative),
        ("absolute", MATRICES, np.abs),
        ("squared", MATRICES, np.square),
        ("reciprocal", MATRICES, np.reciprocal),
        ("exponential", MATRICES, np.exp),
        ("logarithm", WEIGHTS, np.log),
        ("root", WEIGHTS, np.sqrt),
        ("rounded", MATRICES, lambda right: np.round(right, 2)),
        ("rounded", MATRICES, np.floor),
        ("scaled", MATRICES, lambda right: right / 2),
        ("shifted", MATRICES, lambda right: right + 0.3),
        ("nearly", MATRICES, lambda right: right * (1 + 1e-4)),
        ("nearly", MATRICES, lambda right: right + 1e-4 * np.sin(7 * right)),
        ("other_shape", [MATRICES[:1], MATRICES], lambda right: [np.ravel(one) for one in right]),
        (
            "negated",
            [MATRICES[:1], MATRICES],
            lambda right: [right[0], *(-one for one in right[1:])],
        ),
        ("summed", MATRICES, lambda right: right.sum(-1)),
        ("averaged", MATRICES, lambda right: right.mean(-2)),
        ("accumulated", MATRICES, lambda right: right.cumsum(-1)),
        ("axis_left_over", MATRICES, lambda right: right[None]),
        ("other_shape", MATRICES, np.ravel),
        ("repeated", MATRICES, lambda right: np.broadcast_to(right, (3, *right.shape))),
        ("cut_off", MATRICES, lambda right: right[..., :-1]),
        ("too_long", MATRICES, lambda right: np.concatenate([right, right + 1], -1)),
        ("zeros", MATRICES, lambda right: np.where(right > 0.2, right, 0.0)),
        ("rows_scaled", WEIGHTS, lambda right: right / right[..., :1]),
        ("flatter_or_sharper", WEIGHTS, lambda right: right**2 / (right**2).sum(-1, keepdims=True)),
        ("largest_alone", WEIGHTS, lambda right: right == right.max(-1, keepdims=True)),
        ("complemented", MASKS, np.logical_not),
        (
            "moved_by_one",
            MASKS,
            lambda right: np.tri(*right.shape, right.shape[1] - len(right) + 1),
        ),
        ("moved", MASKS, lambda right: np.tri(*right.shape)),
        ("constant", MASKS, np.ones_like),
        ("numbers_for_truth", MASKS, lambda right: np.where(right, 0.0, -np.inf)),
        ("numbers_for_truth", MASKS, lambda right: np.where(right, 0.0, -1e9)),
        (
            "dealt_out",
            LONG,
            lambda right: np.concatenate([right[..., ::2], right[..., 1::2]], -1),
        ),
        ("blocks_reversed", LONG, lambda right: np.roll(right, right.shape[-1] // 2, -1)),
        (
            "empty_from_there",
            LONG,
            lambda right: np.where(np.arange(right.shape[-1]) < 2, right, 0),
        ),
        (
            "empty_up_to_there",
            LONG,
            lambda right: np.where(np.arange(right.shape[-1]) < 2, 0, right),
        ),
        ("largest_taken_off", LONG, lambda right: right - right.max(-1, keepdims=True)),
        ("infinite", LONG, lambda right: np.where(right > 0.2, right, -np.inf)),
        ("same_at_the_beginning", MASKS, lambda right: right & (np.arange(right.shape[1]) > 0)),
        ("same_at_the_end", MASKS, lambda right: right | (np.arange(right.shape[1]) > 1)),
        ("places_listed", MASKS, np.argwhere),
        ("merged_truth", MASKS, lambda right: right.all(0, keepdims=True)),
        ("too_few_true", MASKS, lambda right: right & (np.arange(right.shape[1]) != 1)),
        ("nothing_true", MASKS_AND_ONE, np.zeros_like),
        ("first_line_false", MASKS_AND_ONE, lambda m: m & (np.arange(len(m)) > 0)[:, None]),
        ("last_line_false", MASKS_AND_ONE, lambda m: m & (np.arange(len(m)) < len(m) - 1)[:, None]),
        ("every_other", MASKS, lambda right: right & (np.arange(right.shape[1]) % 2 == 0)),
        (
            "band",
            MASKS,
            lambda m: m & np.tri(*m.shape[::-1], len(m) - m.shape[1] + 1).T.astype(bool),
        ),
        ("places_for_truth", MASKS_AND_ONE, lambda right: right * np.arange(right.shape[1])),
        ("taken_from_one", WEIGHTS, lambda right: 1 - right),
        ("scaled_alike", MATRICES, lambda right: right * 0.6180339),
        ("zeros_on_the_diagonal", MATRICES, lambda m: m * (1 - np.eye(*m.shape[-2:]))),
        ("small_are_zero", MATRICES, lambda m: np.where(np.abs(m) < np.median(np.abs(m)), 0, m)),
        ("cut_off", MASKS_AND_ONE, lambda right: right[:-1]),
    ],
)
def test_a_change_of_numbers_has_its_name(name, wanted, change):
    assert named(change, wanted) == name
    assert named(lambda right: right, wanted) is None, "right answers need no name"


@pytest.mark.parametrize(
    ("name", "wanted", "change"),
    [
        ("reversed", ["abcd", "xyz"], lambda right: right[::-1]),
        ("upper_or_lower", ["One two", "Three four"], str.upper),
        ("spaces", ["one two", "three four"], lambda right: right + "\n"),
        ("doubled", [[1, 5, 9], ["a", "b", "c"]], lambda right: [x for x in right for _ in "ab"]),
        ("first_missing", [[1, 5, 9, 4], ["a", "b", "c"]], lambda right: right[1:]),
        ("last_missing", [[1, 5, 9, 4], ["a", "b", "c"]], lambda right: right[:-1]),
        ("values_of_other_type", [[1, 5, 9], [2, 4, 7]], lambda right: [str(x) for x in right]),
        ("keys_and_values_swapped", [{"a": 1, "b": 2}], lambda d: {v: k for k, v in d.items()}),
        ("keys_of_other_type", [{1: "a", 2: "b"}], lambda d: {str(k): v for k, v in d.items()}),
        ("one_more", [{"a": 3, "b": 5, "c": 1}], lambda d: {k: v + 1 for k, v in d.items()}),
        ("something_missing", [{"a", "b", "c", "d"}], lambda right: right - {"a"}),
        ("something_too_much", [{"a", "b", "c", "d"}], lambda right: right | {"z"}),
    ],
)
def test_a_change_of_texts_lists_and_dictionaries_has_its_name(name, wanted, change):
    wanted = wanted * 3 if len(wanted) == 1 else wanted
    assert named(change, wanted) == name


TUPLES = [tuple(rng.normal(size=(n, 3)) for _ in range(3)) for n in (3, 4)]


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("part_repeated", lambda right: (right[0], right[1], right[1])),
        ("part_repeated", lambda right: (right[1], right[1], right[2])),
        ("parts_mixed", lambda right: (right[0], right[0] + right[1], right[2])),
    ],
)
def test_a_change_of_parts_has_its_name(name, change):
    assert named(change, TUPLES) == name


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("argument_cut", lambda right: 2 * right[..., ::-1][..., :2]),
        (
            "right_where_positive",
            lambda right: np.where(2 * right[..., ::-1] > 0, right, 7 - right),
        ),
        (
            "right_where_small",
            lambda right: np.where(np.abs(right[..., ::-1]) < 0.5, right, np.tanh(right) + 0.01),
        ),
        ("argument_merged", lambda right: (2 * right[..., ::-1]).prod(-1)),
    ],
)
def test_what_relates_an_answer_to_an_argument_has_its_name(name, change):
    assert named(change, MATRICES, lambda right: {"x": 2 * right[..., ::-1]}) == name


TABLES = [rng.normal(size=(4, 6)), rng.normal(size=(3, 8))]
BATCHES = [rng.normal(size=(2, 5, 6)), rng.normal(size=(2, 4, 3))]


def wrong_behind(place, count):
    """The first row or sequence right, and in all others so many wrong entries of each row."""

    def change(right):
        got = right.copy()
        got[1:, ..., place : place + count] += np.arange(1, 1 + got[1:, ..., :count].size).reshape(
            got[1:, ..., :count].shape
        )
        return got

    return change


@pytest.mark.parametrize(("name", "wanted"), [("first_row_only", TABLES), ("first_only", BATCHES)])
def test_what_is_mostly_right_elsewhere_is_not_called_right_in_the_first_only(name, wanted):
    assert named(wrong_behind(0, 100), wanted) == name
    assert named(wrong_behind(1, 1), wanted) is None


def test_parts_of_an_answer_are_told_apart():
    pairs = [(right, right.sum(-1)) for right in MATRICES]
    assert named(lambda right: right[::-1], pairs) == "other_order_of_parts"
    assert named(lambda right: right[0], pairs) == "one_part_missing"
    assert named(lambda right: (right, 1), MATRICES) == "parts_added"
    assert named(lambda right: (*right, 1), pairs) == "parts_too_many"
    assert named(lambda right: (right[1] + 1, right[0] * 2), pairs) == "shapes_in_other_order"

    found = relation([((a, -b), (a, b), {}) for a, b in pairs])
    assert found == ("negated", SENTENCES["negated"].format(your="Part 2 of your answer"))


def test_what_was_asked_is_recognised_in_the_answer():
    def asked(right):
        return {"X": 3 * right + 1}

    assert named(lambda right: 3 * right + 1, MATRICES, asked) == "argument_handed_back"
    assert named(lambda right: 4 * right + 1, MATRICES, asked) == "argument_added"
    mask = [(right, {"mask": right > 0}) for right in MATRICES]
    pairs = [(np.where(seen["mask"], right, -7.5), right, seen) for right, seen in mask]
    assert relation(pairs)[0] == "right_where_true"


def test_rows_where_a_mask_is_false_everywhere_are_told_apart():
    pairs = []
    for right in MATRICES[:2]:
        mask = right > -0.5
        mask[1] = False
        pairs.append((np.where(mask.any(-1, keepdims=True), right, 0.0), right, {"mask": mask}))
    name, sentence = relation(pairs)
    assert name == "wrong_in_empty_rows" and "where mask is False everywhere" in sentence


@pytest.mark.parametrize(
    "wanted",
    [
        [np.zeros((3, 3)), np.zeros((4, 4))],
        [np.eye(3), np.eye(4)],
        [np.ones((1, 1)), np.ones((1, 1))],
        [np.full((2, 2), 5.0), np.full((3, 3), 5.0)],
    ],
    ids=["zeros", "symmetric", "one by one", "constant"],
)
@pytest.mark.parametrize("turn", [np.transpose, lambda right: right[::-1, ::-1], np.abs])
def test_what_chance_would_give_proves_nothing(wanted, turn):
    # Turned or not, such answers are the same: what is wrong with them is something else.
    wrong = [turn(right) + 0.123 * np.arange(right.size).reshape(right.shape) for right in wanted]
    found = relation([(got, right, {}) for got, right in zip(wrong, wanted)])
    assert found is None or found[0] in VAGUE


def test_axes_of_one_that_are_dropped_are_no_matter_of_order():
    V = np.arange(6.0).reshape(2, 1, 3) + 0.3
    name, _ = relation([(V[:, 0], V, {"V": V})] * 2)
    assert name == "axis_missing"


def test_one_number_is_not_the_right_one_plus_a_constant():
    assert relation([(1.37, 2.41, {}), (0.83, 3.07, {}), (5.11, 1.93, {})]) is None


def test_whole_numbers_where_fractions_are_right_are_named():
    wanted = np.array([[1.7, -2.4, 0.6], [3.3, 0.2, -1.9]])
    got = np.array([[1, -2, 1], [3, 0, -2]]) - np.array([[0, 0, 1], [0, 0, 0]])
    name, _ = relation([(got, wanted, {})] * 3)
    assert name == "whole_numbers"


def test_where_rows_have_vanished_nobody_shares_out_one_whole():
    def only_the_first_row(right):
        got = np.zeros_like(right)
        got[(0,) * (right.ndim - 1)] = right[(0,) * (right.ndim - 1)]
        return got

    assert named(only_the_first_row, WEIGHTS, vague=False) is None

    pairs = []
    for right in WEIGHTS:
        uneven = right * rng.random(right[..., :1].shape)
        pairs.append((uneven / uneven.sum(), right, {}))
    assert relation(pairs, vague=False)[0] == "total_elsewhere"


def test_truth_that_lacks_nothing_says_nothing_of_a_band():
    right, one_too_far = np.tri(1, 4, 2, dtype=bool), np.tri(1, 4, 3, dtype=bool)
    assert dict(of_truth(one_too_far, right))["band", ""] == 0


def test_one_answer_of_few_numbers_is_not_enough():
    right = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert named(np.transpose, [right]) is None
    assert named(np.transpose, [right, right + 1]) == "transposed"


def test_where_some_answers_are_right_the_sentence_says_so():
    wrong, right = MATRICES[:2]
    found = relation([(wrong.T, wrong, {}), (right.T, right, {}), (right, right, {})])
    assert found[1].startswith("Where it is wrong, your answer is the right one with its last two")


@pytest.mark.parametrize(
    "got",
    [
        np.full((3, 4), np.nan),
        np.array([object()] * 12).reshape(3, 4),
        [[1, 2], [3]],
        object(),
        10**400,
        np.zeros((200, 200, 200)),
        "x" * 1_000_000,
        {},
        {"a": np.inf},
        np.ma.masked_all((3, 4)),
    ],
    ids=lambda got: type(got).__name__,
)
def test_odd_answers_are_no_trouble(got):
    for wanted in (MATRICES[0], (MATRICES[0], MASKS[0]), "text", {"a": 1}, [1, 2, 3], {1, 2}, None):
        relation([(got, wanted, {"X": MATRICES[0]}), (got, wanted, {"X": got})])


def test_every_sentence_is_short_and_asks_one_question():
    for name, sentence in SENTENCES.items():
        said = sentence.format(your="Each wrong part of your answer", what="the argument")
        assert said.count("?") == 1 and said.endswith("?"), name
        assert len(said) <= 220, name


def test_what_is_right_at_0_alone_is_not_right_where_numbers_are_small():
    w, right = np.array([0.0, 0, 0, 1, 2, 3]), np.array([0.3, 0.7, 0.2, 0.5, 0.9, 0.4])
    wrong = right + np.array([0.0, 0, 0, 0.11, 0.37, 0.23])
    found = relation([(wrong, right, {"w": w})] * 2)
    assert found is None or found[0] != "right_where_small"

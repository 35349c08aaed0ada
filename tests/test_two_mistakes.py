"""Two mistakes, one in an early step and one in a later one: both are named in the notebook, by
`check` and on the page, and no step is blamed that is right in what it was asked."""

import contextlib
import io
import json
from collections.abc import Iterator

import pytest

from autograder.base.result import Result
from autograder.base.settings import Settings
from autograder.exercises import cell_code, exercise, misconceptions
from autograder.exercises.misconceptions import Misconceptions
from autograder.grader.grader import Grader
from tests.support.courses import ROOT
from tests.support.handed_out import checked, copy

pytestmark = pytest.mark.usefixtures("kept_parents")

PAIRS = """
attention plain_mean one_maximum_for_all_heads
attention no_shift output_matrix_forgotten
attention no_shift masked_after_softmax
attention over_the_whole_matrix output_matrix_forgotten
attention not_scaled mask_transposed
attention reshape_alone output_matrix_forgotten
attention reshape_alone scaled_by_the_whole_model
attention features_interleaved output_matrix_turned
attention divided_by_d_k weights_before_output
attention filled_with_zero softmax_over_the_queries
attention queries_and_keys_exchanged always_causal
attention minus_a_billion mask_ignored
attention sigmoid_shares keys_blended_instead_of_values
attention values_from_the_queries mask_forgotten
attention no_exponential scaled_by_the_number_of_heads
attention heads_behind_the_tokens mask_not_passed_on
attention queries_meet_queries scaled_twice
attention plain_mean only_the_output
tokenizer both_orders_together first_met_among_equals
tokenizer last_pair_forgotten one_merge_too_few
tokenizer token_used_twice numbers_from_257
tokenizer first_occurrence_alone merges_from_the_end
tokenizer right_to_left numbered_from_257
tokenizer steps_of_two largest_among_equals
tokenizer last_token_lost last_merge_forgotten
gradients own_weight_only root_forgotten_backwards
gradients average_forgotten softmax_skipped
gradients weight_forgotten forwards_not_scaled
transformer statistics_over_tokens norms_behind_the_sums
transformer positions_from_one tanh_form
inference positions_from_one dealt_out_like_cards
attention batch_flattened_away number_of_the_example_scales
attention small_constant_in_the_total one_maximum_for_all_heads
attention largest_of_no_scores masked_after_softmax_and_shared_again
transformer divided_by_the_variance best_token_returned
transformer gain_and_shift_for_tokens not_scaled
inference the_whole_turn_in_positions outputs_averaged_on
gradients plus_the_average one_maximum_for_all_queries
gradients nan_where_hidden forwards_not_scaled
training second_moment_not_corrected zero_from_the_end_on
training a_little_added_under_the_logarithm cosine_over_the_whole_length
""".strip().splitlines()


TOLD_APART = {
    "Your function answers as if merges were one less. Where do you begin to count, and is the end "
    "included?"
}
"""What the page asks where an experiment with the arguments says what the mistake is, and so needs
no entry of the bank."""


def told(data: bytes) -> dict[str, str]:
    """What a notebook says below each cell that is run from top to bottom."""
    said = {}
    names = cell_code.new_namespace()
    for cell in json.loads(data)["cells"]:
        if cell["cell_type"] != "code" or cell["id"].startswith("plain"):
            continue
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.suppress(Exception):
            exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
        said[cell["id"]] = out.getvalue()
    return said


def questions(bank: Misconceptions, name: str) -> Iterator[str]:
    """What may be asked about a mistake."""
    wrong = bank.entry(name)
    yield wrong.hint
    for other in bank.entries if wrong.family else ():
        if other.family == wrong.family:
            yield other.hint
    for names, question in bank.alike.items():
        if name in names:
            yield question


def blamed(check: str, said: dict[str, str], result: Result) -> set[str]:
    """The earlier steps that a check waits for, in the notebook and by `check`."""
    names = set(result.by_id[check].with_reference)
    for line in said[check].splitlines():
        if line.startswith("First fix step "):
            names.add(line.split(", ")[1].split(":")[0])
    return names


def name_both(pair: str) -> None:
    name, *mistakes = pair.split()
    master = exercise.load(ROOT, name)
    bank = misconceptions.load(misconceptions.path_of(ROOT, name))
    early, late = map(bank.entry, mistakes)
    data = copy(name, **{early.step: early.source, late.step: late.source})
    said, result = told(data), checked(data, name)
    with Grader(master, b"two mistakes", Settings(isolation="process")) as grader:
        page = grader.grade(data, None).result

    for wrong in (early, late):
        own = [check for check in said if check.startswith(f"{wrong.step}-")]
        asked = "".join(said[check] for check in own)
        hints = " ".join(check.hint or "" for check in result.step(wrong.step).checks)
        named = {check.misconception for check in page.step(wrong.step).checks}
        assert any(question in asked for question in questions(bank, wrong.name)), wrong.name
        assert any(question in hints for question in questions(bank, wrong.name)), wrong.name
        asks = {check.hint for check in page.step(wrong.step).failed}
        is_told_apart = bool(asks) and asks <= TOLD_APART
        assert named - {None} == (set() if is_told_apart else {wrong.name})

    # A step changes something where it is blamed: with it right the check says something else.
    alone = told(copy(name, **{late.step: late.source}))
    for check in result.by_id:
        if check.startswith(f"{late.step}-") and statements(said[check]) == statements(
            alone[check]
        ):
            assert early.step not in blamed(check, said, result), check


def statements(said: str) -> list[str]:
    """The lines that show what a check got, without what is said about it."""
    lines = said.splitlines()
    about = ("Think about this", "First fix", "Perhaps", "Also still open")
    return [line for line in lines if not line.startswith(about)]


@pytest.mark.parametrize("pair", PAIRS[::6])
def test_two_mistakes_are_named_both(pair):
    name_both(pair)


@pytest.mark.everything
@pytest.mark.parametrize("pair", [pair for pair in PAIRS if pair not in PAIRS[::6]])
def test_every_two_mistakes_are_named_both(pair):
    name_both(pair)

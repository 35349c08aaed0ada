"""Odd and hostile answers to the real exercises: each costs its author alone, and is shown without
a fault.

The ordinary run makes a tenth of the attacks that once succeeded, and of each exercise a submission
in which every step is odd: values of every kind, others in each exercise. ``pytest -m everything``
makes the others, and every value at every step, alone and in all steps at once: for two exercises;
for the others a quarter of that.
"""

from collections.abc import Mapping
from typing import Any

import pytest

from autograder.base.settings import DISCLOSURES, Settings
from autograder.grader.grader import Grader
from autograder.show import disclosure
from autograder.show.exports import gradescope
from autograder.show.pages.student_page import StudentPage
from tests.support.attacks import neighbours
from tests.support.attacks.neighbours import NAMES, alone, answered, at, is_tried, mixed, steps_for
from tests.support.attacks.values import ALONE, BY_NAME, EVERY, ONCE, VALUES

# The values stand kind by kind; with these a kind begins: numbers, other values, objects of classes
# and nests, right answers with something more, exceptions.
KINDS = (
    "the_largest_number",
    "none",
    "record_like_an_array",
    "complex_with_no_imaginary_part",
    "many_lines_in_an_exception",
)
TRICKS = [value for value in VALUES if value.without]
# Where a check once wanted of a later call what followed from the arguments of an earlier one.
TRICKED = ("softmax", "apply_mask", "self_attention", "multi_head_attention")


@pytest.fixture(scope="module")
def patient():
    """A grader that gives every submission time enough, also where the machine is busy: for what is
    about points."""
    with Grader(neighbours.exercise("attention"), b"key", Settings()) as grader:
        yield grader


def sampled(named: Mapping[str, tuple[Any, ...]], every: int) -> list[Any]:
    """Cases by their names; the ordinary run makes the first of every so many."""
    cases = []
    for number, (name, values) in enumerate(named.items()):
        marks = () if number % every == 0 else pytest.mark.everything
        cases.append(pytest.param(*values, id=name, marks=marks))
    return cases


def values_of_kinds() -> list[set[str]]:
    """The names of the values of each kind."""
    ordinary = [value.name for value in VALUES if value.name not in ALONE and not value.steps]
    begins = [ordinary.index(first) for first in KINDS]
    return [set(ordinary[begin:end]) for begin, end in zip(begins, [*begins[1:], None])]


def sample_of(name: str) -> int:
    """Of the submissions to an exercise in which every step is odd the one that the ordinary run
    makes: the first with the most values of a kind, in each exercise of the next kind."""
    kind = values_of_kinds()[NAMES.index(name) % len(KINDS)]
    found = [len(kind & {value.name for value in answers.values()}) for answers in mixed(name)]
    return found.index(max(found))


def every_step_is_odd() -> list[Any]:
    """Submissions in which every step is odd, of every exercise."""
    cases = []
    for name in NAMES:
        sample = sample_of(name)
        for number, answers in enumerate(mixed(name)):
            marks = () if number == sample else pytest.mark.everything
            if not marks or is_tried(name, number):
                cases.append(pytest.param(name, answers, id=f"{name}-{number}", marks=marks))
    return cases


ONCE_BY_NAME = {f"{value}-{step}".replace(" ", "_"): (value, step) for value, step in ONCE}
LONG = {"many_magics", "many_other_magics", "a_very_long_cell"}
"""Cells of which a notebook may hold one or two: with more it is refused, and told why."""


@pytest.mark.parametrize(("value", "step"), sampled(ONCE_BY_NAME, every=20))
def test_what_once_did_harm_costs_its_author_alone(neighbours_of, value, step):
    assert neighbours_of("attention").problems(at(BY_NAME[value], step, "attention")) == []


@pytest.mark.parametrize(("name", "answers"), every_step_is_odd())
def test_odd_answers_to_every_step_cost_their_author_alone(neighbours_of, name, answers):
    assert neighbours_of(name).problems(answers) == [], {
        step: str(value) for step, value in answers.items()
    }


@pytest.mark.everything
@pytest.mark.parametrize(
    ("name", "answers"),
    [
        pytest.param(name, answers, id=f"{name}-{turn}-{number}")
        for name in NAMES
        for turn in range(1, len(neighbours.exercise(name).functions), 4)  # they take seconds each
        for number, answers in enumerate(mixed(name, turn))
        if is_tried(name, number)
    ],
)
def test_every_odd_answer_to_any_step_beside_others_costs_its_author_alone(
    neighbours_of, name, answers
):
    assert neighbours_of(name).problems(answers) == [], {
        step: str(value) for step, value in answers.items()
    }


@pytest.mark.everything
@pytest.mark.parametrize(
    ("name", "value", "step"),
    [
        pytest.param(name, value, step, id=f"{name}-{value}-{step}".replace(" ", "_"))
        for name in NAMES
        for value, step in [
            *alone(name),
            *(
                (value, EVERY)
                for value in VALUES
                if steps_for(value, name) and value.name not in LONG
            ),
        ][::20]  # they are many, and take seconds each
    ],
)
def test_odd_answers_to_any_step_cost_their_author_alone(neighbours_of, name, value, step):
    assert neighbours_of(name).problems(at(value, step, name)) == []


@pytest.mark.parametrize(
    ("value", "step"),
    [
        pytest.param(
            value,
            step,
            marks=[] if step in TRICKED else pytest.mark.everything,
            id=f"{value}-{step}",
        )
        for value in TRICKS
        for step in steps_for(value, "attention")
    ],
)
def test_a_trick_earns_no_point_that_the_same_answer_without_it_does_not(patient, value, step):
    without = neighbours.handed_in(
        "attention", {step: value.harmless(neighbours.exercise("attention"), step)}
    )
    tricked = patient.grade(answered("attention", {step: value}), "mallory").result
    earned = {check.name: check.earned for check in tricked.step(step).checks}
    assert tricked.score <= patient.grade(without, "mallory").result.score, earned


def test_there_are_values_of_every_kind_and_each_has_its_turn():
    assert len(VALUES) >= 130 and sum(value.junk for value in VALUES) >= 70
    for name in NAMES:
        in_ordinary_runs = {value.name for answers in mixed(name) for value in answers.values()}
        assert in_ordinary_runs == {value.name for value in VALUES if not value.steps} - ALONE
        turns = [mixed(name, turn) for turn in range(len(neighbours.exercise(name).functions))]
        pairs = {
            (value.name, step)
            for turn in turns
            for answers in turn
            for step, value in answers.items()
        }
        assert len(pairs) == len(in_ordinary_runs) * len(turns)


def test_the_ordinary_run_makes_values_of_every_kind():
    met = set()
    for name in NAMES:
        met |= {value.name for value in mixed(name)[sample_of(name)].values()}

    for first, kind in zip(KINDS, values_of_kinds()):
        assert len(kind & met) >= 2, first


# What is told at once must not follow from hidden checks.

# Right for visible checks; a hidden one sees that in a table the axis does not matter.
WRONG_WHERE_HIDDEN = """
def softmax(scores, axis=-1):
    axis = axis if scores.ndim == 3 else -1
    top = scores.max(axis=axis, keepdims=True)
    e = np.exp(scores - np.where(top == -np.inf, 0.0, top))
    return e / e.sum(axis=axis, keepdims=True)
"""
SPY = """
{right}
_right = {step}
def {step}(*args, **kwargs):
    answer = _right(*args, **kwargs)
    replaced = [step for step in {earlier} if not hasattr(globals().get(step), "__code__")]
    return answer if replaced else np.zeros(np.shape(answer))
"""


@pytest.fixture(scope="module")
def spied(patient):
    """A last step that is right only where an earlier one was replaced: beside a softmax that
    hidden checks alone refuse, and a right one."""
    exercise = neighbours.exercise("attention")
    *earlier, step = exercise.functions
    spy = SPY.format(right=exercise.cell(step).source, step=step, earlier=earlier)
    wrong, right = ({"softmax": WRONG_WHERE_HIDDEN, step: spy}, {step: spy})
    both = [
        patient.grade(neighbours.handed_in("attention", answers), "mallory")
        for answers in (wrong, right)
    ]
    first, second = (graded.result.step("softmax").checks for graded in both)
    assert all(check.status == "passed" for check in (*first, *second) if not check.hidden)
    assert any(check.status == "failed" for check in first) and all(
        check.status == "passed" for check in second
    )
    return both


@pytest.mark.parametrize("hidden", DISCLOSURES)
def test_what_gradescope_shows_at_once_does_not_tell_of_hidden_checks(spied, hidden):
    exercise = neighbours.exercise("attention")
    seen = [
        [
            test
            for test in gradescope.results(exercise, graded.result, hidden)["tests"]
            if test["visibility"] == "visible"
        ]
        for graded in spied
    ]
    assert seen[0] == seen[1]


def test_a_page_on_which_hidden_checks_are_never_told_does_not_tell_of_them(spied):
    exercise = neighbours.exercise("attention")
    seen = [disclosure.as_student_sees(graded.result, "never") for graded in spied]
    assert seen[0].checks == seen[1].checks
    for graded in spied:
        assert (
            "passes once"
            not in StudentPage(exercise, graded.result, graded.submission, None, "never").html()
        )

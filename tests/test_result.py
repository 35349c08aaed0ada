"""Result version 1: its JSON, its schema, its arithmetic."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.base.result import CheckResult, Result, StepResult
from tests.support.toy import exercise, grade, validate

pytestmark = pytest.mark.usefixtures("kept_parents")


def test_graded_rejected_and_failed_results_fit_the_schema():
    toy = exercise("assert f(1) == 2", "f(2)")
    right = grade(toy, f="def f(x): return x + 1")
    validate(right)
    validate(grade(toy, f="def f(x): raise ValueError('x')"))
    validate(grade(toy, b"no notebook"))
    validate(right.without_steps("the grader failed"))


def test_a_stored_result_reads_back_as_it_was():
    toy = exercise("assert f(1) == 2", "f(2)")
    for result in (grade(toy, f="def f(x): return x"), grade(toy, b"")):
        assert Result.from_json(result.to_json()) == result


def test_what_remains_fits_the_schema_and_reads_back_and_older_results_do_without():
    result = grade(exercise("assert f(1) == 2", "f(2)"), f="def f(x): return x")
    (step,) = result.steps
    left = tuple(replace(check, remaining="got 4", remaining_with=("e",)) for check in step.checks)
    told = replace(result, steps=(replace(step, checks=left),))
    validate(told)
    assert Result.from_json(told.to_json()) == told

    data = json.loads(result.to_json())
    for check in data["steps"][0]["checks"]:
        assert (check.pop("remaining"), check.pop("remaining_with")) == ("", [])
    assert Result.from_json(json.dumps(data)) == result
    for wrong in ("e", [1], None):
        data["steps"][0]["checks"][0]["remaining_with"] = wrong
        with pytest.raises(ValueError, match="no list of texts"):
            Result.from_json(json.dumps(data))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"schema": "autograder/result/2"}',
        '{"schema": "autograder/result/1"}',
    ],
)
def test_what_is_no_result_is_refused(text):
    with pytest.raises(ValueError):
        Result.from_json(text)


@pytest.mark.parametrize(
    ("points", "earned"), [(1, 2), (1, -1), (1, float("nan")), (float("inf"), 0)]
)
def test_a_score_outside_of_its_points_cannot_exist(points, earned):
    with pytest.raises(ValueError, match="earned"):
        CheckResult("c", "values", points, earned, False, "passed")


def test_tenths_of_points_add_up():
    step = StepResult(
        "f", tuple(CheckResult(str(n), "values", 0.1, 0.1, False, "passed") for n in range(3))
    )
    assert (step.score, step.max_score, step.passed) == (0.3, 0.3, True)


def results(messages: list[str]) -> list[Result]:
    """Results of which most steps are the same, and some say these things."""
    made = []
    for message in ["", *messages]:
        checks = tuple(CheckResult(name, "values", 1, 0, False, "failed", message) for name in "ab")
        steps = (StepResult("f", checks[:1]), StepResult("g", checks), StepResult("h", checks[1:]))
        made.append(Result("e", "ada", "graded", None, 4, "process", "", "", "", steps=steps))
    return made


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text('"\\[]{}:, steps', max_size=12), max_size=3))
def test_whatever_checks_say_reads_back_as_it_was_and_the_same_step_is_made_once(messages):
    messages.append(', {"name": "f", "score": 0.0, "checks": []}]}')
    for result in results(messages):
        text = result.to_json()
        first, again = Result.from_json(text), Result.from_json(f"{text}\n".encode())
        assert first == again == Result.from_json(json.dumps(json.loads(text), indent=1)) == result
        assert all(one is other for one, other in zip(first.steps, again.steps))


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(", ", ",").replace(": ", ":"),
        lambda text: f'{text[:-1]}, "after": 2}}',
        lambda text: text.replace('"steps": [', '"steps": 3, "steps": ['),
        lambda text: text.replace('"categories"', '"deep": {"steps": [{"name": 1}]}, "categories"'),
        lambda text: text.replace('"warnings": []', r'"warnings": ["\"steps\": ["]'),
        lambda text: text.replace('"name": "g", "score": 0.0, ', '"score": 0.0, "name": "g", '),
    ],
)
def test_what_another_program_has_written_is_read_all_the_same(change):
    (result,) = results([])
    text = change(result.to_json())
    assert text != result.to_json()
    assert Result.from_json(text).steps == result.steps


@pytest.mark.parametrize("end", ['"steps": [', "]} x", "]}}", ", ]}", '{"name": "f"}', "{}]}"])
def test_what_is_cut_off_or_goes_on_behind_its_end_is_refused(end):
    (result,) = results([])
    text = result.to_json()
    text = text[: text.index(end) + len(end)] if end in text else text[:-2] + end
    with pytest.raises(ValueError):
        Result.from_json(text)

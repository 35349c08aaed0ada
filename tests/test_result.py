"""Result version 1: its JSON, its schema, its arithmetic."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

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

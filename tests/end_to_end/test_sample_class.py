"""Every student of the sample class gets exactly the expected result, whoever sits beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.course import Settings
from autograder.engine.grader import Grader
from autograder.exercises import exercise
from autograder.exercises.exercise import Exercise
from autograder.result import Result
from tests.support import sample_class
from tests.support.sample_class import Student

ROOT = Path(__file__).resolve().parents[2]
CLASS = sample_class.students()
HANDED_IN = [student for student in CLASS if student.hands_in != "nothing"]


@pytest.fixture(scope="module")
def attention() -> Exercise:
    return exercise.load(ROOT, "attention")


@pytest.fixture(scope="module")
def release() -> bytes:
    return (ROOT / "assignments/attention/attention.ipynb").read_bytes()


@pytest.fixture(scope="module")
def results(attention: Exercise, release: bytes) -> dict[str, Result]:
    """Everybody's result, with ada's right notebook graded before, between and after: ``ada/3`` is
    the third of hers."""
    honest = next(student for student in CLASS if student.id == "ada").file(release)
    assert honest is not None
    found = {}
    # A second is long for any of these functions, and the endless loop is waited for twice.
    with Grader(attention, b"the key of these tests", Settings(call_seconds=1.0)) as grader:
        for number, student in enumerate(HANDED_IN):
            data = student.file(release)
            assert data is not None
            found[f"ada/{number}"] = grader.grade(honest, "ada").result
            found[student.id] = grader.grade(data, student.id).result
        found[f"ada/{len(HANDED_IN)}"] = grader.grade(honest, "ada").result
    return found


@pytest.mark.parametrize("student", HANDED_IN, ids=lambda student: student.id)
def test_a_student_gets_exactly_the_expected_result(
    student: Student, results: dict[str, Result], attention: Exercise
) -> None:
    assert list(student.expected.differences(attention, results[student.id])) == []


def test_whoever_breaks_something_costs_nobody_else_anything(results: dict[str, Result]) -> None:
    neighbours = {name: result.score for name, result in results.items() if name.startswith("ada/")}
    assert neighbours == dict.fromkeys(neighbours, 100.0)


def test_the_expected_scores_follow_from_the_checks_that_fail(attention: Exercise) -> None:
    for student in HANDED_IN:
        expected = student.expected
        failed, carried = (
            sample_class.checks_of(attention, names)
            for names in (expected.failed, expected.carried)
        )
        assert not failed & carried, student.id
        if expected.status == "graded":
            left = sum(check.points for check in attention.checks if check.id not in failed)
            assert left == expected.score, student.id


def test_every_name_in_an_expectation_is_a_check_or_a_step(attention: Exercise) -> None:
    known = {check.id for check in attention.checks} | set(attention.steps)
    for student in CLASS:
        expected = student.expected
        assert {*expected.failed, *expected.carried, *expected.messages} <= known, student.id


def test_the_class_list_names_everybody() -> None:
    lines = sample_class.CLASS_LIST.read_text(encoding="utf-8").splitlines()
    assert lines[0].split(",")[0] == "id"
    assert [line.split(",")[0] for line in lines[1:]] == [student.id for student in CLASS]


def test_the_class_has_the_ways_that_things_go_wrong() -> None:
    assert len(CLASS) >= 16
    assert {student.damage for student in CLASS} == {None, *sample_class.DAMAGES}
    assert {student.expected.status for student in CLASS} == {"graded", "rejected", None}

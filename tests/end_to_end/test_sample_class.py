"""Every student of the sample class gets exactly the expected result, whoever sits beside them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.base.settings import Settings
from autograder.exercises import exercise
from autograder.exercises.exercise import Exercise
from autograder.grader.grader import Grader
from tests.support import sample_class

pytestmark = pytest.mark.usefixtures("kept_parents")

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
def grader(attention: Exercise) -> Iterator[Grader]:
    # A second is long for any of these functions, and the endless loop is waited for twice.
    with Grader(attention, b"the key of these tests", Settings(call_seconds=1.0)) as opened:
        yield opened


# The ordinary run grades one student in four here, and everybody in the demonstration.
SAMPLED = []
for number, student in enumerate(HANDED_IN):
    marks = () if number % 4 == 0 else pytest.mark.everything
    SAMPLED.append(pytest.param(student, id=student.id, marks=marks))


@pytest.mark.parametrize("student", SAMPLED)
def test_a_student_gets_exactly_the_expected_result_and_costs_the_next_one_nothing(
    student, grader, attention, release
):
    data = student.file(release)
    assert data is not None
    result = grader.grade(data, student.id).result
    assert list(student.expected.differences(attention, result)) == []

    ada = next(student for student in CLASS if student.id == "ada")
    honest = ada.file(release)
    assert honest is not None
    assert grader.grade(honest, "ada").result.score == 100


def test_the_expected_scores_follow_from_the_checks_that_fail(attention):
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


def test_every_name_in_an_expectation_is_a_check_or_a_step(attention):
    known = {check.id for check in attention.checks} | set(attention.steps)
    for student in CLASS:
        expected = student.expected
        assert {*expected.failed, *expected.carried, *expected.messages} <= known, student.id


def test_the_class_list_names_everybody():
    lines = sample_class.CLASS_LIST.read_text(encoding="utf-8").splitlines()
    assert lines[0].split(",")[0] == "id"
    assert [line.split(",")[0] for line in lines[1:]] == [student.id for student in CLASS]


def test_the_class_has_the_ways_that_things_go_wrong():
    assert len(CLASS) >= 16
    assert {student.damage for student in CLASS} == {None, *sample_class.DAMAGES}
    assert {student.expected.status for student in CLASS} == {"graded", "rejected", None}

"""What students see of hidden checks, by the setting ``feedback.hidden``."""

from dataclasses import replace

import pytest

from autograder.base.result import CheckResult, Result, StepResult, WrongLine
from autograder.base.settings import Settings
from autograder.course.course import find
from autograder.show.disclosure import as_student_sees, visible


def check(name: str, *, hidden: bool) -> CheckResult:
    return CheckResult(
        name, "values", 2.0, 1.0, hidden, "carried", f"{name} says", "a hint", "a_mistake", ("f",)
    )


RESULT = Result(
    "e", "ada", "graded", None, 6.0, "process", "00", "00", "now",
    steps=(StepResult("f", (check("open", hidden=False), check("closed", hidden=True))), StepResult("g", (check("all", hidden=True),))),
)  # fmt: skip


def test_everything_is_shown_by_default():
    assert as_student_sees(RESULT, Settings().feedback_hidden) is RESULT


def test_with_points_a_hidden_check_keeps_its_verdict_and_loses_its_words():
    open_, closed, all_ = as_student_sees(RESULT, "points").checks
    assert open_ == RESULT.checks[0]
    for shown, check in ((closed, RESULT.checks[1]), (all_, RESULT.checks[2])):
        assert (shown.name, shown.points, shown.earned, shown.status) == (
            check.name,
            2.0,
            1.0,
            "carried",
        )
        assert (shown.message, shown.hint, shown.misconception) == ("", None, None)


def test_a_place_to_look_at_that_only_hidden_checks_have_shown_is_theirs():
    place = WrongLine(2, "return x", "In this line, a call is too much.")
    for hidden, is_kept in ((False, True), (True, False)):
        failed = replace(check("one", hidden=hidden), status="failed", earned=0.0)
        step = StepResult("f", (failed, check("other", hidden=True)), place=place)
        result = replace(RESULT, steps=(step,))
        assert Result.from_json(result.to_json()) == result
        assert as_student_sees(result, "points").step("f").place == (place if is_kept else None)
        assert all(step.place is None for step in as_student_sees(result, "never").steps)


def test_with_never_no_hidden_check_is_left_and_no_sum_tells_of_one():
    shown = as_student_sees(RESULT, "never")
    assert [check.name for check in shown.checks] == ["open"]
    assert (
        shown.categories == {"values": {"score": 0.0, "max_score": 2.0}}
        and shown.step("f").max_score == 2.0
    )
    assert "closed" not in shown.to_json()


def test_with_never_a_visible_check_tells_nothing_that_only_hidden_ones_can_have_shown():
    """Carried and plainly failed, with a known mistake behind it or without: what is shown is the
    same."""
    own = replace(
        check("open", hidden=False),
        status="failed",
        earned=0.0,
        message="got 4",
        hint=None,
        misconception=None,
        with_reference=(),
    )
    told = replace(
        own,
        status="carried",
        earned=2.0,
        message="passes once f and g are right; now: got 4",
        unmended="got 4",
        with_reference=("f", "g"),
    )
    known = replace(own, hint="a hint", misconception="a_mistake")
    closed = check("closed", hidden=True)
    for one in (own, told, known):
        result = replace(RESULT, steps=(StepResult("f", (one, closed)),))
        assert as_student_sees(result, "never").checks == visible(result).checks == (own,)
        assert as_student_sees(result, "points").checks[0] == one


def test_what_remains_once_earlier_steps_are_right_is_told_of_visible_checks_alone():
    """With ``never`` of none: that an earlier step is wrong may be known from hidden checks."""
    left = {"remaining": "got 5", "remaining_with": ("f",)}
    checks = []
    for one in (check("open", hidden=False), check("closed", hidden=True)):
        checks.append(replace(one, status="failed", earned=0.0, with_reference=(), **left))
    result = replace(RESULT, steps=(StepResult("g", tuple(checks)),))

    assert as_student_sees(result, "message") is result
    open_, closed = as_student_sees(result, "points").checks
    assert open_ == checks[0]
    assert (closed.remaining, closed.remaining_with) == ("", ())
    for shown in (as_student_sees(result, "never"), visible(result)):
        assert [(one.remaining, one.remaining_with) for one in shown.checks] == [("", ())]
        assert "got 5" not in shown.to_json()


def test_where_no_check_is_hidden_nothing_is_kept_back():
    result = replace(RESULT, steps=(StepResult("f", (check("open", hidden=False),)),))
    assert as_student_sees(result, "never") is result


def test_a_setting_that_does_not_exist_shows_nothing_at_all():
    with pytest.raises(ValueError, match="none of"):
        as_student_sees(RESULT, "mesage")


@pytest.mark.parametrize("text", ['feedback.hidden = "never"', '[feedback]\nhidden = "never"'])
def test_the_setting_stands_in_the_courses_file(tmp_path, monkeypatch, text):
    (tmp_path / "solutions").mkdir()
    (tmp_path / "autograder.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    assert find().settings.feedback_hidden == "never"

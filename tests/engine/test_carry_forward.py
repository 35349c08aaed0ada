"""A mistake costs its marks once: later checks are judged with earlier steps mended."""

import copy
import json
import time
from dataclasses import replace
from typing import Any

import pytest

from autograder.base.result import Result
from autograder.engine.run import Run
from autograder.engine.stub import Stub
from autograder.grader.grader import Grader
from autograder.sandbox.live_worker import LiveWorker
from tests.support import toy
from tests.support.noting import noted

pytestmark = pytest.mark.usefixtures("kept_parents")

SETTINGS = replace(toy.PATIENT, isolation="process")
ANSWERS = {
    "double": "def double(x):\n    return 2 * x",
    "shift": "def shift(x):\n    return x + 1",
    "both": "def both(x):\n    return shift(double(x))",
}
WRONG = {
    "double": "def double(x):\n    return 3 * x",
    "shift": "def shift(x):\n    return x - 1",
    "both": "def both(x):\n    return double(shift(x))",
}


def cells() -> list[dict[str, Any]]:
    """Three steps with a check each (two for the first); the last step calls the two before it."""
    made = [toy.setup_cell()]
    checks = {
        "double": [
            "assert np.array_equal(double(np.ones(2)), [2, 2])",
            "assert double(np.zeros(1)).shape == (1,)",
        ],
        "shift": ["assert np.array_equal(shift(np.ones(2)), [2, 2])"],
        "both": [
            "assert np.array_equal(both(np.ones(2)), [3, 3]), 'wrong'",
            "x = np.ones(2)\nboth(x)\nassert (x == 1).all()",
        ],
    }
    for step, sources in checks.items():
        made.append(toy.step_cell(step, ANSWERS[step]))
        for number, source in enumerate(sources):
            asked = f'"""{step} {number}."""\n{source}'
            made.append(toy.check_cell(step, number, asked, points=2, hidden=bool(number)))
    return made


THREE = toy.of_cells(cells())


def grade(settings: Any = SETTINGS, **answers: str) -> Result:
    return toy.grade(THREE, settings=settings, **{**ANSWERS, **answers})


def seen(result: Result) -> dict[str, str]:
    return {
        f"{step.name}-{check.name}": check.status for step in result.steps for check in step.checks
    }


def test_the_right_answers_need_no_help():
    assert grade().score == 10
    assert set(seen(grade()).values()) == {"passed"}


@pytest.mark.parametrize(("step", "lost"), [("double", 2), ("shift", 2), ("both", 2)])
def test_one_wrong_step_costs_its_own_points_only(step, lost):
    result = grade(**{step: WRONG[step]})
    assert result.score == 10 - lost
    assert [other.name for other in result.steps if other.score < other.max_score] == [step]


def test_what_was_carried_is_named_and_not_called_passed():
    result = grade(double=WRONG["double"])
    (check, other) = result.step("both").checks
    assert (check.status, check.with_reference, check.earned) == ("carried", ("double",), 2)
    assert check.message == "passes once double is right; now: wrong"
    assert (other.status, other.with_reference) == ("passed", ())
    assert not result.step("both").passed


def test_two_wrong_steps_are_both_named_and_only_those_that_matter():
    result = grade(double=WRONG["double"], shift=WRONG["shift"])
    assert result.step("both").checks[0].with_reference == ("double", "shift")
    assert result.score == 6
    alone = "def both(x):\n    return shift(2 * x)"
    assert grade(double=WRONG["double"], shift=WRONG["shift"], both=alone).step("both").checks[
        0
    ].with_reference == ("shift",)


def test_a_wrong_step_of_its_own_stays_wrong():
    result = grade(double=WRONG["double"], both=WRONG["both"])
    assert seen(result)["both-c0"] == "failed"
    assert result.step("both").checks[0].earned == 0


def test_a_step_that_was_not_tried_is_carried_with_a_share_of_its_own():
    blank = "def double(x):\n    raise NotImplementedError"
    assert grade(double=blank).score == 6
    result = grade(replace(SETTINGS, carried_unattempted=0.5), double=blank)
    assert [check.earned for check in result.step("both").checks] == [1, 1]
    assert grade(replace(SETTINGS, carried_unattempted=0), double=blank).score == 2
    assert (
        grade(replace(SETTINGS, carried=0.25), double=WRONG["double"]).step("both").checks[0].earned
        == 0.5
    )


def test_a_step_that_was_not_tried_itself_gets_nothing():
    result = grade(double=WRONG["double"], both="def both(x):\n    raise NotImplementedError")
    assert seen(result)["both-c0"] == "unattempted"
    assert result.step("both").checks[0].message == "both is still to be written"


def test_a_float32_step_costs_nothing_later_and_is_not_mentioned():
    single = "def double(x):\n    return (2 * x).astype(np.float32)"
    fussy = "def both(x):\n    y = double(x)\n    assert y.dtype == np.float64\n    return shift(y)"
    result = grade(double=single, both=fussy)
    assert (result.score, set(seen(result).values())) == (10, {"passed"})


def test_a_replaced_step_is_bound_where_the_answer_stood():
    hides = "import functools\ndef double(x):\n    return 3 * x"
    both = "def both(x):\n    return shift(mine(x))"
    data = with_cell("double", "mine = double", double=hides, both=both)
    result = toy.grade(THREE, data, settings=SETTINGS)
    assert result.step("both").checks[0].with_reference == ("double",)


def test_the_reference_earns_nothing_for_the_step_that_it_replaces():
    thief = "def both(x):\n    global stolen\n    stolen = double\n    return shift(double(x))"
    result = grade(
        double="def double(x):\n    return globals().get('stolen', lambda x: 3 * x)(x)", both=thief
    )
    assert result.step("double").score == 2


def test_the_source_of_the_reference_is_nowhere_in_the_worker():
    spy = "import gc, inspect\ndef both(x):\n    assert not any('ANSWER' in str(o) for o in gc.get_objects() if isinstance(o, str))\n    return shift(double(x))"
    assert grade(double=WRONG["double"], both=spy).step("both").checks[0].status == "carried"


def test_a_step_that_hangs_is_replaced_for_those_that_call_it():
    asleep = "import time\ndef double(x): time.sleep(99)"
    result = grade(replace(SETTINGS, call_seconds=2), double=asleep)
    assert seen(result)["both-c0"] == "carried"


def test_a_syntax_error_in_one_step_costs_that_step_only():
    result = grade(double="def double(x:\n")
    assert (result.score, seen(result)["both-c0"]) == (6, "carried")


def with_added(added: str, **answers: str) -> Result:
    """The result with a cell added before the second step."""
    return toy.grade(THREE, with_cell("double-c1", added, **answers), settings=SETTINGS)


@pytest.mark.parametrize("double", [ANSWERS["double"], WRONG["double"]])
@pytest.mark.parametrize("added", [WRONG["double"], "def double(x, by):\n    return by * x"])
def test_a_step_that_an_added_cell_defines_again_is_replaced_there_too(double, added):
    result = with_added(added, double=double)
    (check, _) = result.step("both").checks
    assert (check.status, check.earned, check.with_reference) == ("carried", 2, ("double",))
    said = (
        "an added cell defines double again, and what comes behind it calls that one; write it "
        "into the cell of double, or give it another name"
    )
    assert result.warnings == ((said,) if added != double else ())


def with_cell(id: str, added: str, again: int = 1, **answers: str) -> bytes:
    """A submission with a cell added behind one of these, so many times."""
    nb = toy.notebook(THREE, **{**ANSWERS, **answers})
    place = next(n for n, cell in enumerate(nb["cells"]) if cell["id"] == id)
    for number in range(again):
        nb["cells"].insert(place + 1, {**toy.added(added), "id": f"added{number}"})
    return json.dumps(nb).encode()


def with_added_behind(id: str, added: str, again: int = 1, **answers: str) -> Result:
    return toy.grade(THREE, with_cell(id, added, again, **answers), settings=SETTINGS)


def earned(result: Result, step: str) -> list[float]:
    return [check.earned for check in result.step(step).checks]


def test_a_value_that_takes_the_name_of_an_answer_costs_it_no_hidden_check():
    value = "double = double(np.ones(3))"
    result = with_added_behind("double-c0", value)
    assert (earned(result, "double"), result.score) == ([2, 2], 10)
    assert "defines double again" in result.warnings[0]

    many = with_added_behind("double-c0", value, again=200)
    assert earned(many, "double") == [2, 2]


def test_it_costs_what_the_notebook_shows():
    """Where visible checks come behind it, they fail there, too."""
    result = with_added_behind("double", "double = double(np.ones(3))")
    assert earned(result, "double") == [0, 0]


@pytest.mark.parametrize(
    ("answer", "added"),
    [
        # The hidden check asks for one number, and not for two.
        ("def double(x):\n    return np.array([2.0, 2.0])", "double = None"),
        (ANSWERS["double"], "def double(x):\n    return np.array([2.0, 2.0])"),
        (ANSWERS["double"], "double = lambda x: 3 * np.ones(2)"),
    ],
)
def test_a_wrong_answer_gets_nothing_by_it_nor_does_a_second_one(answer, added):
    assert earned(with_added_behind("double-c0", added, double=answer), "double") == [2, 0]


def test_it_mends_no_earlier_step():
    settings = replace(SETTINGS, carried=0.5)
    graded = [
        toy.grade(THREE, with_cell(id, "both = None", double=WRONG["double"]), settings=settings)
        for id in ("setup", "both-c0")
    ]
    scores = [result.score or 0 for result in graded]
    assert scores[1] <= scores[0]


@pytest.mark.parametrize(
    ("shift", "is_right", "mended"),
    [
        ("def shift(x):\n    return x + 1", True, ("double",)),
        ("def shift(x):\n    return double(x)", False, ("double", "shift")),  # 2, as wanted, by 2 x
    ],
)
def test_what_an_answer_defines_beside_its_own_step_costs_that_step_alone(shift, is_right, mended):
    graded = grade(shift=f"{WRONG['double']}\n{shift}")
    said = "the cell of shift defines double again, and what comes behind it calls that one"
    assert [warning.startswith(said) for warning in graded.warnings] == [True]
    assert [graded.step(name).passed for name in ("double", "shift")] == [True, is_right]
    assert graded.step("shift").checks[0].with_reference == ()

    (check, _) = graded.step("both").checks
    assert (check.status, check.earned, check.with_reference) == ("carried", 2, mended)


def test_a_helper_of_a_steps_name_serves_those_who_call_it_as_it_is():
    """shift is wrong; both calls the helper with what the right double does not take."""
    helper = "def double(x, by):\n    return by * x"
    both = "def both(x):\n    return shift(double(x, 2))"
    (check, _) = with_added(helper, shift=WRONG["shift"], both=both).step("both").checks
    assert (check.status, check.with_reference) == ("carried", ("shift",))


def test_where_a_wrong_and_an_untried_step_are_mended_the_smaller_share_counts():
    answers = {"double": WRONG["double"], "shift": "def shift(x):\n    raise NotImplementedError"}
    for shares in ((0.5, 0.25), (0.25, 0.5)):
        settings = replace(SETTINGS, carried=shares[0], carried_unattempted=shares[1])
        (check,) = (
            check for check in grade(settings, **answers).step("both").checks if check.name == "c0"
        )
        assert (check.status, check.with_reference) == ("carried", ("double", "shift"))
        assert check.earned == 0.25 * check.points


@pytest.mark.parametrize("hidden_check", ["passes", "fails"])
def test_what_a_visible_check_gets_for_single_precision_says_nothing_of_hidden_checks(hidden_check):
    shape = "" if hidden_check == "passes" else "[:0]"
    answers = {
        "double": f"def double(x):\n    y = np.float32(2 * x)\n    return y if x.size > 1 else y{shape}",
        "both": "def both(x):\n    y = shift(double(x))\n    return y if y.dtype == float else y - 1",
    }
    result = grade(**answers)
    assert seen(result)["double-c1"] == {"passes": "passed", "fails": "failed"}[hidden_check]
    assert (seen(result)["double-c0"], seen(result)["both-c0"]) == ("passed", "passed")


def test_what_is_not_written_yet_is_told_from_what_is_wrong():
    blank = "def both(x):\n    raise NotImplementedError"
    result = grade(double=WRONG["double"], both=blank)
    assert {check.status for check in result.step("both").checks} == {"unattempted"}
    assert result.step("both").is_unattempted and not result.step("double").is_unattempted

    # The wrong step is at fault here, and the unwritten one below is not.
    assert (
        seen(grade(double="def double(x):\n    raise NotImplementedError"))["both-c0"] == "carried"
    )


def test_a_carried_check_keeps_what_it_said_of_the_submission_as_it_is():
    (check, *_) = grade(double=WRONG["double"]).step("both").checks
    assert check.status == "carried"
    assert check.message == f"passes once double is right; now: {check.unmended}"
    assert check.unmended == "wrong"


BREAKS = "def double(x):\n    raise ValueError('boom')"


def test_a_step_that_is_wrong_itself_says_what_remains_once_earlier_ones_are_right():
    (check, hidden) = grade(double=BREAKS, both=WRONG["both"]).step("both").checks
    assert check.status == "failed" and check.earned == 0
    assert check.message == "both raised ValueError in line 2 of your cell double: boom"
    assert (check.remaining, check.remaining_with) == ("wrong", ("double",))
    assert (hidden.status, hidden.remaining, hidden.remaining_with) == ("carried", "", ())


def test_what_remains_is_that_of_the_run_in_which_all_that_is_wrong_is_right():
    """The steps are those without which the check says something else."""
    raises = "def shift(x):\n    return double(x) + [1, 2, 3]"
    wrong = "def both(x):\n    return double(shift(x))"
    (check, _) = grade(double=WRONG["double"], shift=raises, both=wrong).step("both").checks
    assert (check.remaining, check.remaining_with) == ("wrong", ("shift",))
    assert check.message.startswith("both raised ValueError in line 2 of your cell shift")

    # double is wrong, too, and not asked.
    alone = "def both(x):\n    return shift(x) - 1"
    (check, _) = grade(double=WRONG["double"], shift=raises, both=alone).step("both").checks
    assert (check.remaining, check.remaining_with) == ("wrong", ("shift",))


def test_the_steps_that_have_to_be_right_are_those_at_fault_and_no_carried_one():
    carried = "def shift(x):\n    return double(x) / 2 + 1"
    wrong = "def both(x):\n    return shift(2 * x) - 1"
    (check, _) = grade(double=BREAKS, shift=carried, both=wrong).step("both").checks
    assert (check.remaining, check.remaining_with) == ("wrong", ("double",))


def test_where_the_right_step_does_not_take_the_students_own_parameters_that_is_what_remains():
    """Whether the step is right but for that nobody knows."""
    scaled = "def double(x, by=3):\n    return by * x"
    calls = "def both(x):\n    return shift(double(x, by=3))"
    (check, hidden) = grade(double=scaled, both=calls).step("both").checks
    assert (check.status, check.message) == ("failed", "wrong")
    assert check.remaining == "call double with the arguments that the exercise names"
    assert check.remaining_with == ("double",)
    assert (hidden.status, hidden.remaining) == ("passed", "")

    # A TypeError of the student's own is what remains.
    adds = "def both(x):\n    return double(x) + 'one'"
    (check, _) = grade(double=BREAKS, both=adds).step("both").checks
    assert check.remaining_with == ("double",) and "raised TypeError" in check.remaining


@pytest.mark.parametrize(
    "answers",
    [
        {"double": WRONG["double"], "both": WRONG["both"]},  # says the same
        {"double": BREAKS},  # is carried
        {"double": BREAKS, "both": "def both(x):\n    return 2 * x + 1"},  # passes
        {"double": BREAKS, "both": "def both(x):\n    return 2 * x"},  # calls nothing
        {"double": BREAKS, "both": "import os\ndef both(x):\n    raise KeyError(os.urandom(4))"},
        {"double": BREAKS, "both": "def both(x):\n    raise NotImplementedError"},
        {"both": "def both(x):\n    return double(x) / [1, 2, 3]"},  # nothing else is wrong
    ],
)
def test_nothing_remains_where_a_check_says_nothing_else_with_earlier_steps_right(answers):
    for check in grade(**answers).step("both").checks:
        assert (check.remaining, check.remaining_with) == ("", ())


def test_what_remains_of_a_hidden_check_quotes_no_text_of_the_student():
    secret = "def both(x):\n    y = double(x)\n    raise KeyError(f'{x}')"
    (check, hidden) = grade(double=BREAKS, both=secret).step("both").checks
    assert hidden.message == "both raised ValueError in line 2 of your cell double"
    assert hidden.remaining == "both raised KeyError in line 3 of your cell both"
    assert hidden.remaining_with == ("double",)
    assert check.remaining == f"{hidden.remaining}: '[1. 1.]'"


def test_what_a_visible_check_says_remains_comes_of_a_worker_without_hidden_inputs():
    """Nor was it asked in the place of what a hidden check has called: nothing tells how soon an
    answer came."""
    listening = (
        "heard = []\ndef both(x):\n    heard.append(np.shape(x))\n    y = double(x)\n"
        "    raise KeyError(heard)"
    )
    made = cells()
    # The hidden check comes first.
    for cell in made:
        if cell["id"] in ("both-c0", "both-c1"):
            cell["metadata"]["autograder"]["hidden"] = cell["id"] == "both-c0"
            cell["source"] = cell["source"].replace(
                "np.ones(2)", "np.ones(7)", int(cell["id"] == "both-c0")
            )
    exercise = toy.of_cells(made)

    answers = {**ANSWERS, "double": BREAKS, "both": f"import numpy as np\n{listening}"}
    (hidden, check) = toy.grade(exercise, settings=SETTINGS, **answers).step("both").checks
    assert hidden.hidden and hidden.remaining
    assert check.remaining.endswith("[(2,)]") and "7" not in check.remaining


def test_runs_for_visible_checks_use_no_answer_of_the_reference_to_a_hidden_one(monkeypatch):
    asked = noted(monkeypatch, Run, "_verdict")
    grade(double=BREAKS, both=WRONG["both"])
    known: dict[bool, set[int]] = {True: set(), False: set()}
    for run, check, _ in asked:
        if run.replaced:
            known[check.hidden].add(id(run._stub("double")._known))
    assert len(known[False]) == len(known[True]) == 1 and known[False].isdisjoint(known[True])


def test_a_run_that_was_stopped_for_time_says_nothing_of_what_remains():
    slow = "import time\ndef both(x):\n    y = double(x)\n    while True: pass"
    settings = replace(SETTINGS, submission_seconds=1, call_seconds=2)
    for check in grade(settings, double=BREAKS, both=slow).step("both").checks:
        assert (check.remaining, check.remaining_with) == ("", ())


def test_a_step_whose_check_was_withdrawn_costs_later_steps_nothing():
    data = copy.deepcopy(cells())
    for cell in data:
        if cell["id"] == "double-c0":  # nothing else tells that three is not two
            cell["metadata"]["autograder"]["void"] = True
    voided = toy.of_cells(data)

    result = toy.grade(voided, settings=SETTINGS, **{**ANSWERS, "double": WRONG["double"]})
    assert result.score == 10
    (check, _) = result.step("both").checks
    assert (check.status, check.with_reference) == ("carried", ("double",))


@pytest.fixture
def runs(monkeypatch):
    """The steps that were replaced when a run began, of each run."""
    return noted(monkeypatch, Run, "verdicts", lambda run, wanted: run.replaced)


def test_float32_beside_a_step_that_is_wrong_itself_takes_one_run(runs):
    single = "def double(x):\n    return np.asarray(2 * x, dtype=np.float32)"
    grade(double=single, shift="def shift(x):\n    return double(x) - x + 2")
    assert runs.count(frozenset({"double"})) == 1


def test_what_comes_behind_a_step_that_is_wrong_itself_is_asked_once_that_is_mended(monkeypatch):
    calls = noted(monkeypatch, Run, "_verdict", lambda run, check, _: (run.replaced, check.id))
    calling = "def shift(x):\n    return double(x) - x + 2"
    result = grade(double=WRONG["double"], shift=calling)
    asked: dict[frozenset[str], list[str]] = {}
    for replaced, check in calls:
        asked.setdefault(replaced, []).append(check)
    assert asked[frozenset({"double"})][0] == "shift-c0"
    assert asked[frozenset({"double", "shift"})] == ["both-c0"]
    # It waits for those alone without which it fails.
    assert asked[frozenset({"shift"})] == ["both-c0"]
    assert seen(result)["both-c0"] == "carried" and result.score == 6


def test_steps_that_are_wrong_one_behind_the_other_are_mended_in_one_run(runs):
    calling = "def shift(x):\n    return double(x) - x + 2"
    result = grade(double=WRONG["double"], shift=calling)
    assert (seen(result)["shift-c0"], seen(result)["both-c0"]) == ("failed", "carried")
    # One for each kind of check that has failed, and one without each of the steps.
    first, *others = [replaced for replaced in runs if replaced]
    assert first == {"double"} and others == [{"shift"}, {"double"}]


def test_a_step_is_not_replaced_before_all_of_its_own_checks_are_asked():
    """Also where a cell of the student stands between them."""
    made = cells()
    place = [cell["id"] for cell in made].index("shift-c0") + 1
    made.insert(place, toy.check_cell("shift", 2, "assert shift(np.ones(1)) == 2", points=2))
    exercise = toy.of_cells(made)

    calling = "def shift(x):\n    return double(x) - x + 2"
    answers = {**ANSWERS, "double": WRONG["double"], "shift": calling}
    notebook = toy.notebook(exercise, **answers)
    notebook["cells"].insert(place, toy.cell("own", "mine = 1"))
    with Grader(exercise, b"key", SETTINGS) as grader:
        result = grader.grade(json.dumps(notebook).encode(), "ada").result
    found = seen(result)
    assert (found["shift-c0"], found["shift-c2"]) == ("failed", "failed")
    assert found["both-c0"] == "carried"


@pytest.fixture
def started(monkeypatch):
    """Who has started a worker, at each start."""
    return noted(monkeypatch, LiveWorker, "start", lambda worker: worker)


def drawing(number):
    """A submission that asks the reference what nobody has asked before."""
    double = "import os\ndef double(x):\n    return 3 * x + int.from_bytes(os.urandom(4), 'big')"
    return toy.submission(THREE, **{**ANSWERS, "double": f"{double}  # {number}"})


def test_one_worker_answers_for_the_reference_to_one_submission_after_the_other(started):
    with Grader(THREE, b"key", SETTINGS) as grader:
        reference = grader._reference._session._worker
        scores = [grader.grade(drawing(number), "ada").result.score for number in range(3)]
    assert scores == [6, 6, 6]
    assert started.count(reference) == 1


@pytest.mark.parametrize("worn", ["dead", "old"])
def test_a_reference_whose_worker_is_worn_begins_anew_with_the_next_submission(worn):
    with Grader(THREE, b"key", SETTINGS) as grader:
        grader.grade(drawing(0), "ada")
        session = grader._reference._session
        if worn == "dead":
            session._worker.end()
        else:
            grader._reference._budget.spend(0.2 * SETTINGS.submission_seconds)
        assert grader.grade(drawing(1), "bob").result.score == 6
        assert grader._reference._session is not session


def test_the_reference_is_not_charged_for_what_the_grader_does_between_its_calls(monkeypatch):
    clock, passed = time.thread_time, []
    monkeypatch.setattr(time, "thread_time", lambda: clock() + sum(passed))
    with Grader(THREE, b"key", SETTINGS) as grader:
        for number in range(3):
            passed.append(2 * SETTINGS.submission_seconds)
            assert grader.grade(drawing(number), "ada").result.score == 6
        assert not grader._reference._session.has_lost_a_worker
        assert grader._reference._budget.left > 0.9 * SETTINGS.submission_seconds


def test_a_cell_that_ends_for_a_hidden_input_is_not_named():
    # Of the checks of double the hidden one alone has an array of one number, or none.
    hearing = "heard = []\ndef double(x):\n    heard.append(np.shape(x))\n    return 2 * x"
    shift = f"import numpy as np\n{ANSWERS['shift']}\n"
    told = grade(double=f"import numpy as np\n{hearing}", shift=shift + "raise SystemExit")
    assert told.score == 10 and "the cell shift called exit" in told.warnings[0]

    secret = grade(
        double=f"import numpy as np\n{hearing}", shift=shift + "if (1,) in heard: raise SystemExit"
    )
    assert secret.score == 10 and secret.warnings == ()


HOSTILE = [
    "np.full((700, 700), 1e308)",
    "'a' * 100_000",
    "[[[[[x]]]]] * 1000",
    "lambda *args: 1 / 0",
    "{number: x for number in range(1000)}",
    "__import__('dataclasses').make_dataclass('D', ['a'])(x)",
]


def test_what_the_reference_was_asked_by_one_submission_does_nothing_to_the_next(monkeypatch):
    asked = noted(monkeypatch, Stub, "__call__", lambda stub, *_: stub._step)
    with Grader(THREE, b"key", SETTINGS) as grader:
        for number, thing in enumerate(HOSTILE):
            # shift is wrong, and so replaced: the reference is asked what both makes.
            both = f"def both(x):\n    try: shift({thing})\n    finally: return shift(double(x))"
            answers = {**ANSWERS, "shift": WRONG["shift"], "both": f"import numpy as np\n{both}"}
            asked.clear()
            grader.grade(toy.submission(THREE, **answers), "mallory")
            assert "shift" in asked, thing

            result = grader.grade(drawing(number), "ada").result
            assert (result.status, result.score) == ("graded", 6)

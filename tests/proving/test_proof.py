"""The proof of an exercise's checks: that attention passes it, and that it notices when something
is wrong."""

import dataclasses
import importlib.util
import itertools
import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from autograder.authoring import notebook, read
from autograder.authoring.proving import proof, trial
from autograder.authoring.proving.proof import Proof
from autograder.authoring.proving.trial import Bench, Trial
from autograder.base.errors import Unusable
from autograder.exercises import exercise, misconceptions, right_answers
from autograder.exercises.answer_bank import Answer
from autograder.exercises.exercise import Exercise, from_notebook
from autograder.exercises.misconceptions import Misconceptions
from tests.support.courses import AUTHORED, NAME, ROOT, write_root
from tests.support.processes import call

ATTENTION = exercise.load(ROOT, "attention")
BANK = misconceptions.load(misconceptions.path_of(ROOT, "attention"))
CLAIMED = sorted({entry.caught_by for entry in BANK.entries})


# Many keys show a check that now and then passes a wrong answer; one shows all others. The command
# takes twenty, for an author who has changed something; the exhaustive run six. With the one
# make test sees, for some of the answers, what the checks of other steps make of them: most of the
# time of a proof goes there.
ONE_KEY = range(1)
MORE_KEYS = pytest.param(range(6), marks=pytest.mark.everything)
LOOKED_AT = 16


@pytest.fixture(scope="module", params=[ONE_KEY, MORE_KEYS], ids=["one key", "more keys"])
def proved(request: pytest.FixtureRequest) -> Proof:
    if request.param != ONE_KEY:
        return proof.prove(ROOT, ATTENTION, request.param, os.cpu_count() or 1)

    numbers, others = itertools.count(), Bench._others
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            Bench,
            "_others",
            lambda self, answer, key: (
                ((), ()) if next(numbers) % LOOKED_AT else others(self, answer, key)
            ),
        )
        return proof.prove(ROOT, ATTENTION, ONE_KEY, 1)


# Attention


def test_attention_is_proved_with_every_key(proved):
    assert proved.problems() == []
    assert all(len(trial.failed) == len(proved.keys) for trial in proved.trials)


def test_every_step_has_six_misconceptions_and_a_family_belongs_to_one_step():
    by_step = Counter(entry.step for entry in BANK.entries)
    assert set(by_step) == set(ATTENTION.steps)
    assert min(by_step[step] for step in ATTENTION.functions) >= 6
    for family in {entry.family for entry in BANK.entries}:
        assert (
            not family or len({entry.step for entry in BANK.entries if entry.family == family}) == 1
        )


def test_every_check_claims_a_misconception_or_has_its_reason():
    assert {check.id for check in ATTENTION.checks} - {*CLAIMED} == {*(BANK.unclaimed or {})}


def test_sixty_unusual_right_answers_are_tried_and_some_for_every_step(proved):
    written = right_answers.load(right_answers.path_of(ROOT, "attention"))
    assert len(written) >= 60
    assert {answer.step for answer in written} == set(ATTENTION.functions)
    assert len(proved.right) > len(written)


def weakened(trial: Trial, check: str) -> Trial:
    """A trial as it had been, had this check passed whatever came."""

    def others(failed: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(id for id in failed if id != check)

    failed = tuple(map(others, trial.failed))
    return dataclasses.replace(
        trial, failed=failed, fallen=others(trial.fallen), strays=others(trial.strays)
    )


@pytest.mark.parametrize("check", CLAIMED)
def test_a_check_that_is_weakened_is_missed(proved, check):
    trials = tuple(weakened(trial, check) for trial in proved.trials)
    problems = dataclasses.replace(proved, trials=trials).problems()
    assert any(
        line.startswith(f"{check}: no misconception is caught by it first") for line in problems
    )
    claims = {entry.name for entry in BANK.entries if entry.caught_by == check}
    said = {line.partition(":")[0] for line in problems if check in line} - {check}
    assert said == claims
    assert all(
        re.search(r"with key \d+|add one, or delete|take it out of UNCLAIMED", line)
        for line in problems
    )


def test_a_check_that_passes_whatever_comes_is_missed_for_the_same_reasons(proved):
    blind = "softmax-large_scores"
    cells = tuple(
        cell
        if cell.check is None or cell.id != blind
        else dataclasses.replace(
            cell, check=dataclasses.replace(cell.check, source='"""A sentence."""')
        )
        for cell in ATTENTION.cells
    )
    weak = dataclasses.replace(ATTENTION, cells=cells)
    entries = [entry for entry in BANK.entries if entry.caught_by == blind]
    answers = [Answer(entry.name, entry.step, entry.source, wrong=True) for entry in entries]
    trials = trial.run(weak, answers, proved.keys[:2], 1, lambda _: None)
    found = Proof(
        weak, proved.keys[:2], Misconceptions(BANK.path, tuple(entries)), tuple(trials)
    ).problems()
    named = {line.partition(":")[0] for line in found if not line.endswith("delete the check")}
    assert named == {entry.name for entry in entries}


IN_SINGLE_PRECISION = """
def _single(value):
    if isinstance(value, (tuple, list)) and any(isinstance(part, np.ndarray) for part in value):
        return tuple(map(_single, value))
    return np.float32(value) if isinstance(value, (list, np.ndarray)) and np.asarray(value).dtype.kind == "f" else value

def {step}(*args, _right={step}, **kwargs):
    return _single(_right(*map(_single, args), **{{name: _single(value) for name, value in kwargs.items()}}))
"""
NOT_THERE = {  # the logarithm of the total is as large as the scores, and rounded as such
    ("softmax_with_log_sum_exp", "softmax-large_scores"),
    ("softmax_with_log_sum_exp", "softmax-thousands_apart"),
    ("softmax_with_log_sum_exp", "softmax-survives_distant_rows"),
    ("softmax_with_logaddexp", "softmax-large_scores"),
    ("softmax_with_logaddexp", "softmax-thousands_apart"),
    ("softmax_with_logaddexp", "softmax-survives_distant_rows"),
}


@pytest.mark.parametrize("keys", [2, pytest.param(10, marks=pytest.mark.everything)])
def test_what_is_computed_in_single_precision_throughout_loses_nothing(keys):
    bench, lost = Bench(ATTENTION), set()
    for answer in right_answers.load(right_answers.path_of(ROOT, "attention")):
        source = f"{answer.source}\n\n{IN_SINGLE_PRECISION.format(step=answer.step)}"
        for key in range(keys):
            bench.bind(Answer(answer.name, answer.step, source, wrong=False))
            lost |= {
                (answer.name, check.id)
                for check in bench.of(answer.step)
                if bench.failure(check, str(key))
            }
    assert lost == NOT_THERE


def test_an_input_that_was_changed_costs_the_points_for_that_alone(proved):
    claims = {entry.name: entry.caught_by for entry in BANK.entries}
    for found in proved.wrong:
        claimed = claims[found.answer.name]
        if claimed.endswith("inputs_unchanged"):
            assert found.failed[0] == (claimed,), found.answer.name


def test_a_hint_gives_nothing_away():
    given_away = re.compile(r"@|np\.|keepdims|swapaxes|reshape\(|einsum|sqrt|=\s*-|\*\*|//|\.T\b")
    for entry in BANK.entries:
        assert not given_away.search(entry.hint + entry.nearly), entry.name


def test_students_never_get_the_bank():
    release = (ROOT / "assignments" / "attention" / "attention.ipynb").read_text(encoding="utf-8")
    assert "misconception" not in release
    for entry in BANK.entries:
        assert len(entry.name) < 15 or entry.name not in release, entry.name
    assert not list((ROOT / "solutions" / "attention").glob("*.py"))


def test_a_bank_reads_the_same_imported_or_as_text_and_leaves_no_bytecode(monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    for module in ("attention_misconceptions", "attention_right_answers"):
        spec = importlib.util.spec_from_file_location(module, ROOT / "solutions" / f"{module}.py")
        assert spec and spec.loader
        imported = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(imported)
        if module.endswith("misconceptions"):
            assert misconceptions.load(Path(imported.__file__)) == BANK
    assert not (ROOT / "solutions" / "__pycache__").exists()


def test_an_entry_is_what_a_student_would_hand_in():
    for entry in BANK.entries:
        assert entry.source.startswith(f"def {entry.step}("), entry.name
        assert entry.hint not in " ".join(entry.source.split())
        assert entry.name == entry.step or entry.name not in entry.source


# What the proof says when something is wrong

CATCHES = '''\
from autograder.exercises.misconceptions import misconception


@misconception(step="double", caught_by="double-by_hand")
def not_doubled(x):
    """Nothing has grown. Print your result: is it twice the input?"""
    return x


@misconception(step="double", caught_by="double-drawn")
def only_whole_numbers(x):
    """Fractions are lost. Print your result for 0.5: where did the half go?"""
    return 2 * np.asarray(x).astype(int)


@misconception(step="total", caught_by="total-by_hand")
def largest(x):
    """One number is all you return. Print your result for 1 and 2: where is the other?"""
    return max(x)


@misconception(step="total", caught_by="total-negative")
def without_signs(x):
    """Your result is never negative. Print it for -1: what became of the sign?"""
    return float(np.sum(np.abs(x)))
'''


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout with a small exercise and a bank that proves it."""
    root = tmp_path_factory.mktemp("small")
    write_root(root, AUTHORED.replace("np.array_equal(got, wanted)", "np.allclose(got, wanted)"))
    return root


def problems(root: Path, old: str = "", new: str = "") -> list[str]:
    """What a proof says of the bank after a change."""
    assert old in CATCHES
    misconceptions.path_of(root, NAME).write_text(CATCHES.replace(old, new, 1), encoding="utf-8")
    return proof.prove(root, exercise.load(root, NAME), range(3), 1).problems()


def test_a_small_exercise_is_proved(small):
    assert problems(small) == []


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("return x", "return np.asarray(x) + x", "not_doubled: keeps all points of double with key 0 and 2 more; strengthen double-by_hand"),
        ("return x", "return 2 * np.asarray(x).astype(int)", "not_doubled: double-drawn fails first with key 0 and 2 more, not double-by_hand"),
        ("return x", "return 2 * np.asarray(x).astype(int)", "double-by_hand: no misconception is caught by it first; add one, or delete the check"),
        ("return x", "return 2 * np.asarray(x).astype(int)", "not_doubled and only_whole_numbers: no call of the checks tells them apart"),
        ("return x", "return np.asarray(x) * (1 + (np.ravel(x)[0] < 0))", "not_doubled: passes double-drawn with key "),
        ("@misc", 'UNCLAIMED = {"total-negative": "why"}\n\n\n@misc', "total-negative: is the first to catch a misconception now"),
        ('"double-by_hand"', '"double-by_hand", nearly="Return 2*np.asarray( x ) there."', "not_doubled: nearly gives the code away (2 * np.asarray(x)); say it in words"),
        ("@misc", 'UNCLAIMED = {"total-gone": "why"}\n\n\n@misc', "total-gone: is in UNCLAIMED, but there is no such check"),
    ],
)  # fmt: skip
def test_what_is_not_proved_is_said_in_a_line(small, old, new, says):
    assert any(line.startswith(says) for line in problems(small, old, new)), problems(
        small, old, new
    )


def test_a_check_that_is_kept_for_a_reason_needs_no_misconception(small):
    gone = CATCHES[CATCHES.index('@misconception(step="total", caught_by="total-negative")') :]
    assert problems(small, gone, "")
    assert problems(small, gone, 'UNCLAIMED = {"total-negative": "a bug of NumPy 1.24"}\n') == []


def test_a_check_that_takes_points_from_a_right_answer_is_named_with_what_it_said(small, tmp_path):
    write_root(tmp_path)  # its checks compare to the last bit
    (line,) = problems(tmp_path)
    assert line.startswith(
        "the solution, float32 (double): is right, but loses double-drawn with key 0 and 2 more: "
    )
    assert "the doubles" in line
    repair = "; fix the check, or say in NOT_RIGHT why float32 (double) is not right here"
    assert line.endswith(repair)
    path = right_answers.path_of(tmp_path, NAME)
    head = "from autograder.exercises.right_answers import right_answer\n\n\n"
    path.write_text(
        head + '@right_answer(step="total")\ndef rounded(x):\n    return round(sum(x), 9) + 1e-12\n'
    )
    assert any(
        line.startswith("rounded (total): is right, but loses total-by_hand")
        for line in problems(tmp_path)
    )


def test_a_right_answer_that_costs_points_in_another_step_is_named(tmp_path):
    text = AUTHORED.replace("np.array_equal(got, wanted)", "np.allclose(got, wanted)")
    write_root(tmp_path, text.replace("float(np.sum(x))", "float(np.sum(double(x))) / 2"))
    head = "from autograder.exercises.right_answers import right_answer\n\n\n"
    right_answers.path_of(tmp_path, NAME).write_text(
        head + '@right_answer(step="double")\ndef unless_there_are_two(x):\n'
        "    assert len(x) != 2\n    return 2 * np.asarray(x)\n"
    )
    assert problems(tmp_path) == [
        "unless_there_are_two (double): is right, but costs points in total-by_hand, "
        "total-negative; say and check in double what they ask of it"
    ]


def test_a_later_solution_that_breaks_on_nested_lists_is_named_as_what_may_be_mended(tmp_path):
    text = AUTHORED.replace("np.array_equal(got, wanted)", "np.allclose(got, wanted)")
    write_root(tmp_path, text.replace("float(np.sum(x))", "float((double(x) / 2).sum())"))
    (line,) = (one for one in problems(tmp_path) if one.startswith("the solution, nested lists"))
    assert line == (
        "the solution, nested lists (double): is right, but costs points in total-by_hand, "
        "total-negative; say and check in double what they ask of it, "
        "or take it with np.asarray in the solution of total"
    )


def test_a_mistake_may_cost_a_later_check_that_calls_it_for_grading_carries_that(tmp_path):
    right = 'with check("total-by_hand"):'
    write_root(tmp_path, AUTHORED.replace(right, f"{right}\n    assert double(np.ones(1)) == 2"))
    bench = Bench(exercise.load(tmp_path, NAME))
    wrong = "def double(x):\n    return 0.0"
    tried = bench.trial(Answer("nothing", "double", wrong, wrong=True), [0])
    assert (tried.fallen, tried.strays) == (("total-by_hand",), ())


def test_what_is_not_right_in_an_exercise_is_said_beside_its_right_answers(tmp_path):
    write_root(tmp_path)  # its checks compare to the last bit
    path = right_answers.path_of(tmp_path, NAME)
    for said in ("float32", "float32 (double)"):
        path.write_text(f'NOT_RIGHT = {{"{said}": "it asks for every bit"}}\n')
        assert problems(tmp_path) == []

    path.write_text('NOT_RIGHT = {"float32 (total)": "another step"}\n')
    assert any(line.startswith("the solution, float32 (double)") for line in problems(tmp_path))
    path.write_text('NOT_RIGHT = {"float23": "a slip"}\n')
    with pytest.raises(
        Unusable, match="NOT_RIGHT names 'float23', which is never tried; write one"
    ):
        problems(tmp_path)


def test_an_exercise_without_numpy_is_proved(tmp_path):
    text = AUTHORED.replace("import numpy as np\n", "import numpy\n").replace("np.", "numpy.")
    write_root(tmp_path, text.replace("numpy.array_equal(got", "numpy.allclose(got"))
    bank = CATCHES.replace("np.", "numpy.")
    misconceptions.path_of(tmp_path, NAME).write_text(bank, encoding="utf-8")
    assert proof.prove(tmp_path, exercise.load(tmp_path, NAME), range(2), 1).problems() == []


WITH_ROOM = AUTHORED.replace("np.array_equal(got, wanted)", "np.allclose(got, wanted)")


def spoilt(tmp_path: Path, old: str, new: str) -> list[str]:
    """The checks that a proof names once one of the small exercise is written in another way."""
    assert old in WITH_ROOM
    path = tmp_path / f"{NAME}.py"
    path.write_text(WITH_ROOM.replace(old, new), encoding="utf-8")
    # Without a release, which takes longer than the proof and which nobody gets here.
    bench = Bench(from_notebook(json.loads(notebook.full(read.read(path)))))
    return [check for check, _ in trial.spoilt_checks(bench, range(3))]


DRAWN = 'x = rng.normal(size=4)\nagree(double(x.copy()), double_by_definition(x), "the doubles")\n'
FIRST = "import contextlib\nx = rng.normal(size=4)\nwanted = double_by_definition(x)\n"


@pytest.mark.parametrize(
    "check",
    [
        'got = double(x)\nagree(got, double_by_definition(x), "the doubles")\n',
        'agree(double(x), wanted, "the doubles")\nagree(double(x), wanted, "the doubles")\n',
        'agree(double(x=x), wanted, "the doubles")\ndouble(x)\n',
        'x.flags.writeable = False\nagree(double(x), wanted, "the doubles")\nagree(x, wanted / 2, "x")\n',
        'agree(double(x[:2]), wanted[:2], "the doubles")\nagree(double(x), wanted, "the doubles")\n',
        'twice = double(x)\nagree(double(twice), 2 * wanted, "fourfold")\nagree(twice, wanted, "twice")\n',
        'agree(double(list(x)), wanted, "the doubles")\nparts = [1.0]\ndouble(parts)\nagree(sum(parts), 1.0, "parts")\n',
        'agree(double(x), wanted, "the doubles")\nfor size in (1, x.size):\n    double(np.ones(len(x)))\n',
        'agree(double(x), wanted, "the doubles")\nrow = [1.0]\ndouble([row, [2.0]])\nagree(sum(row), 1.0, "the row")\n',
        'row = [1.0]\nwith contextlib.suppress(TypeError):\n    double({"row": row})\nagree(sum(row), 1.0, "the row")\n',
        'for name in ("a", "b"):\n    agree(double(x), double_by_definition(x), "the doubles")\n',
        'with contextlib.suppress(TypeError):\n    double(x, 2)\nagree(double(x), wanted, "the doubles")\n',
    ],
)
def test_a_check_that_uses_an_argument_again_is_named(tmp_path, check):
    assert spoilt(tmp_path, DRAWN, FIRST + check) == ["double-drawn"]


def test_an_argument_that_is_used_again_is_a_problem_with_its_repair(tmp_path):
    again = 'double(x)\nagree(double(x), wanted, "the second answer")\n'
    write_root(tmp_path, WITH_ROOM.replace(DRAWN, FIRST + again))
    (line,) = [line for line in problems(tmp_path) if line.startswith("double-drawn: ")]
    assert line.startswith(
        "double-drawn: uses an argument after passing it (AssertionError: the second answer: got "
    )
    assert line.endswith("; compute the expected value first, or pass a copy")


@pytest.mark.parametrize(
    "check",
    [
        'agree(double(x), wanted, "the doubles")\n',
        'agree(double(x.copy()), double_by_definition(x), "the doubles")\n',
        'twice = double(x)\nagree(double(twice.copy()), 2 * wanted, "fourfold")\nagree(twice, wanted, "twice")\n',
    ],
)
def test_a_check_that_computes_first_or_hands_over_copies_is_not(tmp_path, check):
    assert spoilt(tmp_path, DRAWN, FIRST + check) == []


def test_where_checks_alone_tell_an_answer_may_be_used_again_and_an_argument_not(
    tmp_path, monkeypatch
):
    answers = (
        'once = double(x.copy())\nfor _ in range(2):\n    agree(double(once), 2 * wanted, "x")\n'
    )
    assert spoilt(tmp_path, DRAWN, FIRST + answers) == ["double-drawn"]
    monkeypatch.setattr(Exercise, "told_by_checks", ("double",))
    assert spoilt(tmp_path, DRAWN, FIRST + answers) == []
    assert spoilt(tmp_path, DRAWN, FIRST + answers + "agree(2 * x, wanted, 'x')\n") == []
    again = answers.replace("x.copy()", "x") + "agree(2 * x, wanted, 'x')\n"
    assert spoilt(tmp_path, DRAWN, FIRST + again) == ["double-drawn"]


def test_a_check_of_purity_looks_at_its_arguments_afterwards(tmp_path):
    check = (
        FIRST
        + 'agree(double(x), wanted, "the doubles")\nagree(2 * x, wanted, "what became of x")\n'
    )
    assert spoilt(tmp_path, f'edge cases" hidden=true\n"""Drawn numbers are doubled."""\n{DRAWN}',
                  f'purity" hidden=true\n"""Drawn numbers are doubled."""\n{check}') == []  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("@misconception", 'BY_CHECKS = {"treble": "why"}\n\n\n@misconception', "BY_CHECKS names treble, which no entry answers"),
        ("def not_doubled(x)", "def not_doubled(y)", "not_doubled does not take what double takes; write double(x)"),
        ("return x", "return total(x)", "not_doubled uses total, which double cannot know; write it out"),
        ("return x", "return double_by_definition(x)", "uses double_by_definition, which double cannot know"),
        ("return x", "return double(x)", "not_doubled uses double, which it stands for; write it out"),
        ('step="double", caught_by="double-by', 'step="treble", caught_by="treble-by', "misconceptions.py:5: not_doubled answers treble, which is no step; the steps are double, total"),
        ('caught_by="double-drawn"', 'caught_by="double-dawn"', "misconceptions.py:11: only_whole_numbers is caught by double-dawn, which is no check; did you mean double-drawn?"),
        ('caught_by="double-drawn"', 'caught_by="double-QQQQQQQQQQ"', ":11: only_whole_numbers is caught by double-QQQQQQQQQQ, which is no check; the checks are double-by_hand, double-drawn"),
        ('caught_by="double-by_hand"', 'caught_by="total-by_hand"', "not_doubled is caught by no check of double"),
        (', caught_by="double-by_hand"', ', caught="double-by_hand"', "caught is no mark of an entry; write caught_by, family, nearly, step, title"),
        ('step="double", ', "", "an entry without its step"),
        ("def only_whole_numbers", "def not_doubled", "not_doubled is the name of line 5 too; rename one"),
        ("@misconception", "def helper(x):\n    return x\n\n\n@misconception", "helper is no entry, and an entry stands by itself"),
        ("is it twice the input?", "is it?  Is it twice?", "the hint of not_doubled asks 2 questions"),
        ("is it twice the input?", "look at it.", "the hint of not_doubled asks no questions"),
        ("Nothing has grown.", "Nothing has grown. " * 12, "characters, more than 220"),
        ('    """Nothing has grown. Print your result: is it twice the input?"""\n', "", "not_doubled has no hint"),
        ("    return x\n", "", "not_doubled does nothing"),
        ("    return x\n", "    return x +\n", "not Python: invalid syntax"),
    ],
)  # fmt: skip
def test_a_bank_that_cannot_be_used_gets_one_line(small, old, new, says):
    with pytest.raises(Unusable) as caught:
        problems(small, old, new)
    message = str(caught.value)
    assert message.startswith(str(misconceptions.path_of(small, NAME)))
    assert says in message
    assert "; " in message and "\n" not in message


def test_a_right_answer_to_no_step_is_named_with_its_line_and_all_are_in_one_run(small):
    path = right_answers.path_of(small, NAME)
    entry = '@right_answer(step="STEP")\ndef NAME(x):\n    return 2 * x\n\n\n'
    typo = entry.replace("STEP", "duoble").replace("NAME", "by_two")
    later = entry.replace("STEP", "double").replace("NAME", "later").replace("2 * x", "total(x)")
    path.write_text(typo + later, encoding="utf-8")
    try:
        with pytest.raises(Unusable) as caught:
            problems(small)
    finally:
        path.unlink()
    assert list(caught.value.lines) == [
        f"{path}:2: by_two answers duoble, which is no step; did you mean double?",
        f"{path}:7: later uses total, which double cannot know; write it out",
    ]


def test_the_command_says_what_it_found_and_exits_with_it(small):
    def prove(*arguments: object) -> subprocess.CompletedProcess[str]:
        return call("prove", NAME, "--keys", 2, "--jobs", 1, *arguments, cwd=small)

    problems(small)
    done = prove("--json", small / "proof.json")
    assert done.returncode == 0, done
    assert "  ●×           not_doubled\n  ·●           only_whole_numbers\n" in done.stdout
    assert done.stdout.endswith(
        "4 misconceptions and 14 right answers on 4 checks, each with 2 keys: proved\n"
    )
    found = json.loads((small / "proof.json").read_text(encoding="utf-8"))
    assert found["proved"] is True
    assert found["misconceptions"][0]["fails"] == ["double-by_hand", "double-drawn"]
    assert [check["first_to_catch"] for check in found["checks"]][:2] == [
        ["not_doubled"],
        ["only_whole_numbers"],
    ]

    problems(small, "return x", "return 2 * np.asarray(x)")
    done = prove("--json", "-")
    assert done.returncode == 1, done
    assert json.loads(done.stdout)["problems"][0].startswith(
        "not_doubled: keeps all points of double with key 0"
    )
    assert "not_doubled: keeps all points" in done.stderr

    misconceptions.path_of(small, NAME).unlink()
    done = prove()
    assert (done.returncode, done.stdout) == (2, "")
    assert "no misconceptions to try; write what students write" in done.stderr


def test_two_processes_find_what_one_finds(small):
    problems(small)
    master = exercise.load(small, NAME)
    one, two = (proof.prove(small, master, range(2), jobs) for jobs in (1, 2))
    assert one == two
    assert all(isinstance(trial, Trial) for trial in two.trials)

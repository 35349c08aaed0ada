"""Questions on students' own code: each has one right option, as a tracer of Python's own finds it."""

import os
import re
import sys
import time
import warnings
import zipfile
from collections.abc import Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from copy import deepcopy
from dataclasses import replace
from difflib import SequenceMatcher
from functools import reduce
from io import BytesIO
from itertools import islice, repeat
from operator import getitem
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from autograder.base.errors import Fault
from autograder.base.settings import Settings
from autograder.engine.budget import OutOfTime
from autograder.exercises import exercise as exercises
from autograder.questions import kinds
from autograder.questions import sheet as sheets
from autograder.questions.arguments import other_calls, written
from autograder.questions.jobs import jobs
from autograder.questions.laboratory import Observed
from autograder.questions.sheet import MOST_CODE, Questioner, Sheet, of_class
from autograder.questions.student_code import CALLED, StudentCode
from autograder.questions.subject import ORDINALS, CodeQuestion, Found, Subject
from autograder.show.exports import question_bank
from tests.support.bank_submissions import EXERCISES, bank, combined, handed_in, load


class Tracer:
    """Runs a notebook in this process, and sees what its lines do."""

    def __init__(self, exercise: exercises.Exercise, answers: dict[str, str]) -> None:
        self.answers = answers
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.run("setup", exercise.setup)
        self.sources = {name: exercise.cell(name).source for name in exercise.needed}
        self.sources |= {name: exercise.cell(name).source for name in exercise.steps} | answers
        for name, source in self.sources.items():
            self.run(name, source)

    def run(self, name: str, source: str) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # of changed lines
            exec(compile(source, f"<{name}>", "exec", dont_inherit=True), self.names)

    def call(self, question: CodeQuestion, source: str = "") -> Any:
        """What comes of the question's call; an exception as its class."""
        if source:
            self.run(question.step, source)
        given = deepcopy(question.asked["given"])
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)  # of the mean of nothing, say
                return self.names[question.step](**given)
        except Exception as error:
            return type(error)
        finally:
            if source:
                self.run(question.step, self.sources[question.step])

    def traced(self, question: CodeQuestion, look: Any, source: str = "") -> None:
        """Call ``look(frame, line, event)`` before each line of the step's cell, and at returns."""

        def local(frame: Any, event: str, argument: Any) -> Any:
            look(frame, event, argument)
            return local

        def begin(frame: Any, event: str, argument: Any) -> Any:
            return local if frame.f_code.co_filename == f"<{question.step}>" else None

        sys.settrace(begin)
        try:
            self.call(question, source)
        finally:
            sys.settrace(None)

    def shape_at(self, question: CodeQuestion) -> Any:
        """The shape of a name once its line has run, or of an expression as its line begins."""
        line, text = question.asked["line"], question.asked["text"]
        found: list[Any] = []
        was_there: list[Any] = []

        def look(frame: Any, event: str, argument: Any) -> None:
            if frame.f_code.co_name != question.step or found:
                return
            if was_there and text.isidentifier():
                found.append(size(frame.f_locals[text]))
            elif event == "line" and frame.f_lineno == line:
                was_there.append(frame)
                if not text.isidentifier():
                    found.append(size(eval(text, {**frame.f_globals, **frame.f_locals})))

        self.traced(question, look)
        return found[0]

    def first_not_finite(self, question: CodeQuestion) -> int:
        """The line after which a local name, or what is returned, is not finite; 0 for none."""
        source = question.asked["source"].split("\n")
        last: dict[Any, int] = {}
        found: list[int] = []

        def look(frame: Any, event: str, argument: Any) -> None:
            values = [*frame.f_locals.values(), *([argument] if event == "return" else [])]
            if not found and frame in last and not all(map(is_finite, values)):
                found.append(last[frame])
            if not source[frame.f_lineno - 1].lstrip().startswith("with "):  # it is left there
                last[frame] = frame.f_lineno

        self.traced(question, look, question.asked["source"])
        return found[0] if found else 0


def size(value: Any) -> str:
    return str(value.shape) if isinstance(value, np.ndarray) else str(len(value))


def is_finite(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return all(map(is_finite, value))
    is_number = isinstance(value, (np.ndarray, np.generic, float, complex))
    has_fractions = is_number and np.asarray(value).dtype.kind in "fc"
    return not has_fractions or bool(np.isfinite(value).all())


def tells(option: str, value: Any, before: Any) -> bool:
    """Whether an option is true of what a changed line has led to."""
    if isinstance(value, type):
        return option == f"it raises {value.__name__}"
    if " of shape " not in option:
        return numbers_of(option) == numbers_of(f"it returns {numbers(value)}")
    shape, _, likeness = option.partition(" of shape ")[2].partition("), ")
    same = close(first(value), first(before))
    is_true = not likeness or (likeness == "the same as before") == same
    return shape.rstrip(")") == str(np.shape(value)).rstrip(")") and is_true


def numbers(value: Any) -> str:
    """The words of a value, every number with two digits."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = np.asarray(value, value.dtype if value.dtype.kind != "f" else float).tolist()
    if isinstance(value, dict):
        parts = sorted(f"{numbers(key)}: {numbers(value[key])}" for key in value)
        return "{" + ", ".join(parts) + "}"
    if isinstance(value, (list, tuple)):
        inside = ", ".join(map(numbers, value))
        start, end = ("(", ",)" if len(value) == 1 else ")") if isinstance(value, tuple) else "[]"
        return f"{start}{inside}{end}"
    is_number = type(value) in (int, float) and np.isfinite(value)
    return f"{value + 0:.2f}".replace("-0.00", "0.00") if is_number else repr(value)


def effect(name: str, tracer: Tracer, question: CodeQuestion, source: str) -> bool:
    """Whether a change does what a question says."""
    before, after = first(tracer.call(question)), first(tracer.call(question, source))
    if after is None or isinstance(after, type):
        return False
    if name == "mask":
        given = {
            k: v | True if np.asarray(v).dtype == bool else v
            for k, v in question.asked["given"].items()
        }
        opened = CodeQuestion("", question.step, "", (), 0, asked={"given": given})
        return close(after, first(tracer.call(opened)))
    return {
        "overflow": lambda: not np.isfinite(after).all(),
        "sum": lambda: not close(after.sum(axis=-1), np.ones(after.shape[:-1])),
        "moved": lambda: not close(before, after) and close(np.sort(before.ravel()), np.sort(after.ravel())),
        "shape": lambda: before.shape != after.shape,
        "same": lambda: close(before, after),
    }[name]()  # fmt: skip


def first(value: Any) -> Any:
    if isinstance(value, type):
        return value
    try:
        array = np.asarray(value)
    except ValueError:
        array = np.asarray(value[0])
    return array if array.dtype.kind in "biuf" else None


def close(one: Any, other: Any) -> bool:
    return np.shape(one) == np.shape(other) and bool(
        np.allclose(one * 1.0, other * 1.0, equal_nan=True)
    )


def with_other_numbers(question: CodeQuestion) -> Iterator[CodeQuestion]:
    """The same call with other numbers, where only shapes are told; none otherwise."""
    if " of shape (" not in question.prompt:
        return
    for seed in range(4):
        rng, given = np.random.default_rng(seed), {}
        for name, value in question.asked["given"].items():
            if isinstance(value, np.ndarray) and value.dtype.kind == "f":
                drawn = rng.normal(size=value.shape)
                if (value >= 0).all():
                    drawn = abs(drawn)
                    sums = value.sum(axis=-1, keepdims=True)
                    drawn /= drawn.sum(axis=-1, keepdims=True) if close(sums, sums * 0 + 1) else 1
                value = drawn
            given[name] = value
        yield replace(question, asked={**question.asked, "given": given})


def insist(question: CodeQuestion, tracer: Tracer) -> None:
    """Recompute the right option, and see that no other is right."""
    asked, right = question.asked, question.options[question.right]
    assert len(set(question.options)) == 4
    lines = re.findall(r"(?m)^line (\d+)", "\n".join(question.options))
    assert lines == sorted(lines, key=int), question  # in another order they would tell something
    in_call = set(re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?", question.prompt.partition("`. What")[0]))
    if question.kind == "entry" and right in in_call:  # numbers may just have been moved
        assert len(in_call & set(question.options)) > 2, question
    if question.kind == "shape":
        if asked["line"]:
            assert right == tracer.shape_at(question), question
        else:
            value = tracer.call(question)
            for place, ordinal in enumerate(ORDINALS):
                if f"the {ordinal} value" in question.prompt:
                    value = value[place]
                    break
            assert right == size(value), question
    elif question.kind == "entry":
        value = reduce(getitem, asked["place"], tracer.call(question))
        if asked["place"] and isinstance(value, tuple):  # a row of a table, whatever holds it
            value = list(value)
        answers = [
            option
            for option in question.options
            if numbers_of(option) == numbers_of(numbers(value))
        ]
        assert answers == [right], (question, value)
    elif question.kind == "changed":
        before, value = tracer.call(question), tracer.call(question, asked["source"])
        answers = [option for option in question.options if tells(option, value, before)]
        assert answers == [right], (question, value)
        for again in with_other_numbers(question):
            before, value = tracer.call(again), tracer.call(again, asked["source"])
            assert tells(right, value, before), (question, again.asked["given"])
    elif question.kind == "raised":
        value = tracer.call(question)
        what = "lists" if isinstance(value, (list, tuple)) else "an array"
        shape = f"it returns {what} of shape {np.shape(value)}"
        wanted = f"it raises {value.__name__}" if isinstance(value, type) else shape
        assert right == wanted, (question, value)
    elif question.kind == "not finite":
        line = tracer.first_not_finite(question)
        assert right == (f"line {line}" if line else "none: every number stays finite"), question
    else:
        name, have = asked["effect"].name, set()
        for change in asked["changes"]:
            if effect(name, tracer, question, change.source):
                have.add(
                    f"line {change.line}"
                    if question.kind == "job"
                    else f"line {change.line}: {change.text}"
                )
        assert have & set(question.options) == {right}, (question, have)
        for again in with_other_numbers(question):
            if question.kind == "choice":
                source = asked["right"].source
                assert effect(name, tracer, again, source), (question, again.asked["given"])


def numbers_of(option: str) -> str:
    return re.sub(
        r"-?\d+(\.\d+)?(e[-+]\d+)?", lambda found: f"{float(found[0]) + 0:.2f}", option
    ).replace("-0.00", "0.00")


def drawn(
    name: str, submissions: Iterable[dict[str, str]], keys: int = 1, wanted: int = 4
) -> Iterator[tuple[Sheet, Tracer]]:
    """The sheet of each submission with each key, and the tracer of the submission."""
    exercise = load(name)
    tracers = [Tracer(exercise, answers) for answers in submissions]
    for number in range(keys):
        with Questioner(exercise, f"key {number}".encode(), Settings()) as questioner:
            for student, tracer in enumerate(tracers):
                data = handed_in(exercise, tracer.answers)
                yield questioner.sheet(data, f"student{student}", wanted), tracer


KEYS = int(os.environ.get("KEYS", "1"))
"""Keys with which each submission gets its questions: ``KEYS=20 pytest -m everything tests/questions``
takes half an hour."""


@pytest.mark.parametrize(
    ("name", "kind", "number"),
    [
        ("attention", "right", 2),
        ("gradients", "half right", 2),
        *[
            pytest.param(name, kind, 9, marks=pytest.mark.everything)
            for name in EXERCISES
            for kind in ("bank", "right", "half right")
        ],
    ],
)
def test_a_tracer_finds_the_one_right_option(name: str, kind: str, number: int):
    submissions = bank(name) if kind == "bank" else combined(name, kind, number)
    sheets = questions = 0
    for sheet, tracer in drawn(name, submissions, KEYS):
        assert "cannot be looked at" not in sheet.note, sheet.note
        for question in sheet.questions:
            insist(question, tracer)
        sheets, questions = sheets + 1, questions + len(sheet.questions)
    print(f"{name}, {kind}: {questions} questions on {sheets} sheets")
    assert questions >= 3 * sheets


def test_right_code_does_not_always_stay_finite():
    """Its own lines do; what is asked is about changed ones, too, so that nobody guesses."""
    right = [
        question.options[question.right].partition(" ")[0]
        for sheet, _ in drawn("gradients", islice(bank("gradients"), 14), 2, wanted=8)
        for question in sheet.questions
        if question.kind == "not finite"
    ]
    assert {*right} == {"line", "none:"}


def test_what_is_yielded_or_put_into_a_list_is_looked_at_for_nan():
    before = "def rows(x):\n    parts = []\n    for number in x:\n"
    after = "\n    y = np.sum(parts)\n    return y"
    putting = StudentCode("rows", f"{before}        parts.append(number / number){after}")
    yielding = StudentCode(
        "rows", "def rows(x):\n    for number in x:\n        yield number / number"
    )
    for code, line in ((putting, 4), (yielding, 3)):
        names: dict[str, Any] = {"np": np}
        exec(code.watched(code.source), names)
        with np.errstate(all="ignore"), pytest.raises(FloatingPointError, match=f" {line}$"):
            list(names["rows"](np.array([1.0, 0.0])))


def test_what_is_said_of_all_numbers_is_tried_with_many():
    """The largest score is in the first block more often than not."""
    source = (
        "def flash_attention(Q, K, V, block_size):\n"
        "    parts = []\n"
        "    for first in range(0, len(Q), block_size):\n"
        "        asked = Q[first : first + block_size] / np.sqrt(Q.shape[1])\n"
        "        top, total, output = np.full((len(asked), 1), -np.inf), 0.0, 0.0\n"
        "        for start in range(0, len(K), block_size):\n"
        "            scores = asked @ K[start : start + block_size].T\n"
        "            higher = np.maximum(top, scores.max(axis=1, keepdims=True))\n"
        "            shrink, powers = np.exp(top - higher), np.exp(scores - higher)\n"
        "            total = total * shrink + powers.sum(axis=1, keepdims=True)\n"
        "            output, top = output * shrink + powers @ V[start : start + block_size], higher\n"
        "        parts.append(output / total)\n"
        "    return np.concatenate(parts)"
    )
    sizes = {"Q": (2, 3), "K": (6, 3), "V": (6, 4)}
    draw = {name: np.array(-np.ones(size)) for name, size in sizes.items()} | {"block_size": 5}
    right = []
    for seed in range(12):
        for question in jobs(subject(source, draw, seed)):
            if question and "leaves the result as it is" in question.prompt:
                right.append(question.options[question.right])
    assert right and not [text for text in right if "total = total + powers.sum" in text]


def test_who_always_says_that_a_call_raises_is_mostly_wrong():
    right = [
        question.options[question.right].startswith("it raises")
        for name in ("attention", "gradients")
        for sheet, _ in drawn(name, islice(bank(name), 5), 2, wanted=12)
        for question in sheet.questions
        if question.kind == "raised"
    ]
    assert 0 < sum(right) <= 0.6 * len(right)


def test_the_right_shape_is_not_always_the_smallest():
    ranks = set()
    for sheet, _ in drawn("attention", islice(bank("attention"), 6), wanted=12):
        for question in sheet.questions:
            right = question.options[question.right]
            if question.kind == "raised" and "shape" in right:
                shapes = [option for option in question.options if "shape" in option]
                ranks.add(
                    sorted(
                        shapes, key=lambda text: [int(n) for n in re.findall(r"\d+", text)]
                    ).index(right)
                )
    assert len(ranks) > 1


class InThisProcess:
    """Runs the code of a step here, where tests give it."""

    def call(self, step: str, own: str, source: str, given: dict[str, Any]) -> Observed:
        names: dict[str, Any] = {"np": np}
        exec(source, names)
        try:
            return Observed(names[step](**deepcopy(given)))
        except Exception as error:
            return Observed(raised=type(error).__name__, text=str(error))


def subject(source: str, draw: dict[str, Any] | None = None, seed: int = 0) -> Subject:
    """Code that is asked about, and what its practice draws, again and again."""
    code = StudentCode(source.partition("(")[0].removeprefix("def "), source)
    draws = repeat(draw) if draw else iter(())
    rng = np.random.default_rng(seed)
    return Subject(code, InThisProcess(), rng, draws)  # type: ignore[arg-type]


def test_what_leaves_the_result_as_it_is_does_so_for_any_numbers():
    """It does not, only because one draw leaves no number above 0."""
    source = "def active(x, W):\n    cut = np.maximum(x @ W, 0)\n    return cut * 2 + x.sum() * 0"
    draw = {"x": np.ones((3, 2)) - 2, "W": np.ones(2) - 2}
    for seed in range(30):
        code = subject(source, draw, seed)
        for question in jobs(code):
            if question and "leaves the result as it is" in question.prompt:
                changed = question.asked["right"].source
                alive = {name: -value for name, value in draw.items()}
                before, after = (code.call(alive, one) for one in (source, changed))
                assert before and after and close(before.value, after.value), question


def test_options_have_the_same_brackets():
    wrong = ["[[1], [2]]", "[3, 4]", "[2, 1]", "[1, 3]"]
    for seed in range(20):
        code = subject("def pair():\n    return [1, 2]", seed=seed)
        question = code.question("entry", "", "[1, 2]", wrong, 0, {})
        assert question and "[[1], [2]]" not in question.options


def test_no_option_is_a_number_that_it_cannot_be():
    """A cosine of 3, or a fraction in a table of 0 and 1."""
    draw = {"x": np.arange(4.0)}
    waves = [
        question
        for seed in range(20)
        for question in kinds.entries(
            subject("def wave(x):\n    return np.cos(x * 0) / 2", draw, seed)
        )
        if question
    ]
    for question in waves:
        assert all(abs(float(option)) <= 1 for option in question.options), question
    hot = subject("def hot(x):\n    return (x[:, None] == np.arange(3)) * 1", draw)
    assert not [question for question in kinds.entries(hot) if question]


def test_nobody_is_asked_what_unseen_code_makes_of_what_it_is_not_made_for():
    for sheet, _ in drawn("transformer", islice(bank("transformer"), 8), wanted=12):
        for question in sheet.questions:
            code = StudentCode(
                question.step, "\n".join(line for _, line in sheet.code[question.step])
            )
            code.add_called({}, load("transformer").needed)
            raises = [option for option in question.options if "it raises" in option]
            assert not (code.calls_unseen and raises), question


def test_nobody_is_asked_what_only_few_know():
    """Which axis comes first among slices and arrays, and the order of three axes behind ``.T``."""
    source = (
        "def turned(x):\n    y = x.T\n    z = x[np.arange(2), :, np.arange(2)]\n"
        "    least = np.finfo(float).min + x[0, 0]\n    return z * 2"
    )
    code = subject(source, {"x": np.ones((2, 3, 4))})
    assert not [place for place in code.code.places() if "arange(2), :" in place.text]
    assert not [change for change in code.code.changes() if "finfo" in change.text]
    asked = [question for question in kinds.shapes(code) if question]
    assert asked and not [question for question in asked if "`x.T`" in question.prompt]


def test_a_job_that_depends_on_an_argument_is_asked_about_with_it():
    source = (
        "def shares(x, temperature):\n    y = x * 2\n    y = y / temperature\n    y = y - 1\n"
        "    if temperature == 0:\n        return x == x.max()\n"
        "    return np.exp(y) / np.exp(y).sum()"
    )
    asked = []
    for seed in range(20):
        draw = {"x": np.arange(4.0), "temperature": 2.0}
        asked += [one for one in jobs(subject(source, draw, seed)) if one and one.kind == "job"]
    assert asked and all(
        "temperature = 2" in one.prompt for one in asked if "sum to 1" in one.prompt
    )


def test_arguments_make_the_code_do_something():
    """A pair that does not occur, or merges of which none applies, ask about nothing."""
    source = (
        "def joined(tokens, pair):\n    for place in range(len(tokens) - 1):\n"
        "        if tokens[place : place + 2] == list(pair):\n            return place\n    return None"
    )
    dull, busy = {"tokens": [1, 2, 3], "pair": (3, 1)}, {"tokens": [4, 1, 2], "pair": (1, 2)}
    code = StudentCode("joined", source)
    asked = Subject(code, InThisProcess(), np.random.default_rng(0), iter([dull] * 5 + [busy]))  # type: ignore[arg-type]
    assert asked.small == busy


def test_a_shape_does_not_depend_on_what_a_mask_hides():
    source = "def kept(x, mask):\n    rest = x[mask]\n    y = x * 2\n    return y.sum(axis=-1) * 0"
    draw = {"x": np.ones((5, 3)), "mask": np.arange(15).reshape(5, 3) % 4 > 0}
    asked = [one for one in kinds.shapes(subject(source, draw)) if one]
    assert asked and not [one for one in asked if "rest" in one.prompt]


def test_no_shape_is_asked_that_stands_in_the_code():
    source = (
        "def made(n):\n    x = np.zeros((n, 3))\n    y = x.reshape(3, n)[1:] + np.linspace(0, 1, n)\n"
        "    z = np.swapaxes(x, 0, 1) @ np.linspace(0, 1, 9)\n    return x + 1"
    )
    texts = {place.text for place in StudentCode("made", source).places()}
    whole = {
        "x.reshape(3, n)[1:]",
        "x.reshape(3, n)[1:] + np.linspace(0, 1, n)",
        "np.swapaxes(x, 0, 1) @ np.linspace(0, 1, 9)",
    }
    assert texts == {"x", "y", "z", "x + 1", "np.linspace(0, 1, n)", *whole}


def test_options_are_such_as_somebody_may_take_for_right():
    """Shapes are made of the sizes in the call, no token is negative, rows are as long as the right
    one, and who sees no difference finds that."""
    for name in ("attention", "tokenizer"):
        for sheet, _ in drawn(name, islice(bank(name), 6), wanted=12):
            for question in sheet.questions:
                options = question.options
                right = options[question.right]
                if question.kind == "raised":
                    assert len([one for one in options if "it raises" in one]) == 1
                if name == "tokenizer" and question.kind == "entry" and "-" not in right:
                    assert "-" not in "".join(options), question
                if right.startswith("[True") or right.startswith("[False"):
                    assert len({option.count(",") for option in options}) == 1, question
                if question.kind == "changed" and "it returns" in right:
                    assert len([one for one in options if "it returns" in one]) > 1, question


def test_a_backtick_takes_nothing_from_the_questions():
    source = "def double(x):\n    y = x * 2  # as in `np.add`\n    return y + len('`') - 1"
    code = StudentCode("double", source)
    assert "y = x / 2" in [change.text for change in code.changes()]
    assert not [change for change in code.changes() if "`" in change.text]
    assert "x * 2" in [place.text for place in code.places()]


def test_arguments_of_which_little_comes_cost_no_question():
    """With the first ones that this key draws, ``train`` learns nothing that could be asked about."""
    answers = list(bank("tokenizer"))[1]
    with Questioner(load("tokenizer"), b"dull 16", Settings()) as questioner:
        sheet = questioner.sheet(handed_in(load("tokenizer"), answers), "s0")
    assert len(sheet.questions) == 4


def test_the_right_option_does_not_stand_out_among_those_made_from_it():
    """It is neither always the one most like the others, nor of the same size among them."""
    half = subject("def half(x):\n    return x / 2")
    right = "[1, 2, 4]"
    wrong = ["[1, 2]", "[2, 4]", "[4, 2, 1]", "[1, 2, 4, 4]", "[1]", "[2]", "[2, 1]", "[2, 4, 4]"]
    likest, sizes = [], []
    for _ in range(40):
        question = half.question("entry", "", right, wrong, 0, {})
        assert question is not None
        like = {
            one: sum(SequenceMatcher(None, one, other).ratio() for other in question.options)
            for one in question.options
        }
        likest.append(max(like, key=lambda one: like[one]) == right)
        sizes.append(sum(sum(eval(one)) > 7 for one in question.options))
    assert 0 < sum(likest) < 20
    assert len({*sizes}) > 1


def test_no_line_that_does_the_job_too_is_a_wrong_option():
    source = (
        "def cross_entropy_backward(logits, targets, ignore=-1):\n"
        "    kept = (targets != ignore)[..., None]\n"
        "    hot = targets[..., None] == np.arange(logits.shape[-1])\n"
        "    sums = np.logaddexp.reduce(logits, axis=-1, keepdims=True)\n"
        "    shares = np.exp(logits - sums)\n"
        "    wrong = shares - hot\n"
        "    return kept * wrong / max(1, kept.sum())"
    )
    exercise = load("training")
    with Questioner(exercise, b"a key", Settings()) as questioner:
        for student in "abcd":
            data = handed_in(exercise, {"cross_entropy_backward": source})
            for question in questioner.sheet(data, student, 20).questions:
                if question.kind == "job" and "finite" in question.prompt:
                    assert not {"line 4", "line 5"} <= {*question.options}


def test_weights_are_drawn_as_softmax_makes_them():
    for sheet, _ in drawn("gradients", islice(bank("gradients"), 3), wanted=8):
        for question in sheet.questions:
            weights = question.asked.get("given", {}).get("weights")
            if question.step == "softmax_backward" and question.kind != "raised":
                np.testing.assert_allclose(weights.sum(axis=-1), 1.0)
                assert (
                    "are small" not in question.prompt
                    or "with rows that sum to 1" in question.prompt
                )


def test_no_line_is_said_to_keep_numbers_finite_that_only_divides_by_zero_when_changed():
    source = (
        "def attention_backward(Q, K, V, d_output):\n"
        "    root = math.sqrt(Q.shape[-1])\n"
        "    output, weights = scaled_dot_product_attention(Q, K, V)\n"
        "    average = (np.asarray(output) * d_output).sum(axis=-1, keepdims=True)\n"
        "    d_scores = weights * (d_output @ np.swapaxes(V, -1, -2) - average) / root\n"
        "    return [d_scores @ K, np.swapaxes(d_scores, -1, -2) @ Q, np.swapaxes(weights, -1, -2) @ d_output]"
    )
    exercise = load("gradients")
    with Questioner(exercise, b"a key", Settings()) as questioner:
        for student in "abcdef":
            data = handed_in(exercise, {"attention_backward": source})
            asked = questioner.sheet(data, student, 20).questions
            own = [question for question in asked if question.step == "attention_backward"]
            assert own and not [
                q for q in own if q.kind == "job" and q.asked["effect"].name == "overflow"
            ]


def test_changed_lines_are_such_as_somebody_writes():
    source = (
        "def spread(x):\n"
        "    import statistics\n"
        "    x = np.asarray(x)\n"
        "    y = np.einsum('ij->i', x) + statistics.fmean(x[0])\n"
        "    z = np.logaddexp.reduce(y) - np.linalg.norm(x) - (1 + np.exp(y))\n"
        "    if x.ndim > 7:\n"
        "        return x * z\n"
        "    return float(np.sum(y + 1))"
    )
    texts = [change.text for change in StudentCode("spread", source).changes()]
    assert "return float(y + 1)" in texts and "y = np.einsum('ij->i', x) + x[0]" in texts
    assert not {"x = x", "y = 'ij->i' + statistics.fmean(x[0])"} & {*texts}
    assert not [text for text in texts if "+ statistics" in text and "fmean" not in text]
    assert not [text for text in texts if re.search(r"(logaddexp|linalg)(?!\.)|- 1$", text)]
    made = "def made(x):\n    y = np.zeros(x.shape)\n    return np.exp(y)"
    assert "y = x.shape" not in [change.text for change in StudentCode("made", made).changes()]
    assert "return x" not in texts and "return x / z" in texts


def test_a_changed_loop_that_never_ends_costs_no_question():
    source = (
        "def merge_pair(tokens, pair, new):\n"
        "    merged = list(tokens)\n"
        "    place = 0\n"
        "    while place < len(merged) - 1:\n"
        "        if (merged[place], merged[place + 1]) == tuple(pair):\n"
        "            merged[place : place + 2] = [new]\n"
        "        place += 1\n"
        "    return merged"
    )
    exercise = load("tokenizer")
    with Questioner(exercise, b"a key", Settings()) as questioner:
        sheet = questioner.sheet(handed_in(exercise, {"merge_pair": source}), "ada", 20)
    assert "merge_pair" in {question.step for question in sheet.questions}
    assert "did not return" not in sheet.note


def test_what_a_function_calls_is_shown_below_it():
    """Where an earlier step is wrong nobody can answer from the later one alone."""
    exercise = load("tokenizer")
    answers = {
        "count_pairs": "def count_pairs(tokens):\n    tokens.append(LAST)\n    return {}",
        "merge_pair": "LAST = -1\n\n\ndef merge_pair(tokens, pair, new):\n    return [*tokens, 0]",
        "encode": (
            "def encode(text, merges):\n    tokens = list(text.encode())\n"
            "    count_pairs(tokens)\n    return merge_pair(tokens, (0, 0), 0)"
        ),
    }
    with Questioner(exercise, b"a key", Settings()) as questioner:
        code = questioner.sheet(handed_in(exercise, answers), "ada", 20).code
    shown = [text for number, text in code["encode"] if not number]
    assert shown[0] == CALLED and {"    tokens.append(LAST)", "LAST = -1"} < {*shown}
    assert all(number for number, _ in code["merge_pair"])


def test_no_numbers_come_of_arguments_of_which_only_shapes_are_told():
    for sheet, _ in drawn("transformer", islice(bank("transformer"), 6), wanted=12):
        for question in sheet.questions:
            if question.kind == "changed" and " of shape (" in question.prompt:
                assert not [one for one in question.options if "returns [" in one], question


def test_equal_values_are_written_alike():
    assert written({(2, 1): 1, (0, 3): 2}) == written({(0, 3): 2, (2, 1): 1})


def test_no_question_has_the_answer_to_another_one():
    """A result, how long it is, and what a changed line makes of the same call."""
    for name in ("tokenizer", "training"):
        for sheet, _ in drawn(name, islice(bank(name), 4), wanted=8):
            told = []
            for question in sheet.questions:
                right = question.options[question.right].removeprefix("it returns ")
                call = question.prompt.partition(". ")[0]
                assert (call, right) not in told
                told.append((call, right))


def test_an_array_is_never_replaced_by_one_number():
    given = {"x": np.ones(3), "y": np.ones((2, 3))}
    calls = list(other_calls(given, np.random.default_rng(0)))
    assert len(calls) == 4 and all(np.ndim(call["x"]) for call in calls)


def test_no_axis_is_cut_to_the_length_that_fits_anywhere():
    calls = other_calls({"x": np.ones((4, 2))}, np.random.default_rng(0))
    assert {call["x"].shape for call in calls} == {(2,), (2, 4)}


@pytest.mark.parametrize("name", EXERCISES)
def test_who_and_what_decide_the_questions(name: str):
    exercise = load(name)
    one, other, *_ = bank(name)
    with Questioner(exercise, b"a key", Settings()) as questioner:
        ada, ben, again = (
            questioner.sheet(handed_in(exercise, one), student) for student in ("ada", "ben", "ada")
        )
        cleo = questioner.sheet(handed_in(exercise, other), "ada")
    assert ada == again
    prompts = {question.prompt for question in ada.questions}
    assert len(prompts) == len(ada.questions) > 1
    for sheet in (ben, cleo):  # a function of few small numbers may be called alike
        alike = prompts.intersection(question.prompt for question in sheet.questions)
        assert len(alike) <= 1


HOSTILE = {
    "hangs": "def softmax(scores, axis=-1):\n    while True:\n        pass",
    "ends": "import os\n\n\ndef softmax(scores, axis=-1):\n    os._exit(0)",
    "prints": "def softmax(scores, axis=-1):\n    print('<script>' * 10**6)\n    return scores",
    "lies": (
        "def __watch__(line, *values):\n    raise FloatingPointError('__value__ 999')\n\n\n"
        "def softmax(scores, axis=-1):\n    raise FloatingPointError('__value__ 999')"
    ),
    "renames": (
        "def softmax(scores, axis=-1):\n    return scores\n\n\n"
        "softmax.__name__ = softmax.__qualname__ = '<b>'\nsoftmax.__code__ = (lambda *a: '<b>').__code__"
    ),
    "is no Python": "def softmax(:",
}


def test_hostile_code_costs_its_own_questions_alone():
    exercise = load("attention")
    calls = "def {0}(*args, **kwargs):\n    return softmax(*args)"
    with Questioner(exercise, b"a key", Settings()) as questioner:
        for name, source in HOSTILE.items():
            answers = {step: calls.format(step) for step in exercise.steps} | {"softmax": source}
            sheet = questioner.sheet(handed_in(exercise, answers), name)
            assert sheet.note.count("\n") == 0
            assert len(sheet.questions) == 4 or sheet.note, name
            for question in sheet.questions:
                assert question.line <= source.count("\n") + 1
        good = questioner.sheet(handed_in(exercise, {}), "ada")
        cells = dict.fromkeys(exercise.steps, "while True:\n    pass")
        endless = questioner.sheet(handed_in(exercise, cells), "ben")
    assert len(good.questions) == 4
    assert "the cell project_qkv did not return" in endless.note


def test_functions_with_very_much_code_are_not_asked_about():
    """All that they call would be shown, and take the room of everybody else's questions."""
    text = "".join(map(chr, np.random.default_rng(0).integers(97, 123, MOST_CODE)))
    exercise = load("attention")
    right = exercise.cell("softmax").source
    own = f"{right}\nSALT = '{text}'\n\n"
    answers = {"softmax": own.replace("scores = np", "SALT\n    scores = np", 1)}
    for step in exercise.steps:
        answers.setdefault(step, f"def {step}(*args):\n    return softmax(*args)")
    with Questioner(exercise, b"a key", Settings()) as questioner:
        none = questioner.sheet(handed_in(exercise, answers), "ada")
        some = questioner.sheet(handed_in(exercise, {"softmax": answers["softmax"]}), "ben", 20)
    assert not none.code and none.note.endswith(": the functions are too long to ask about")
    assert some.questions
    assert all(text not in line for lines in some.code.values() for _, line in lines)


def test_what_was_found_before_the_time_is_over_is_asked(monkeypatch: pytest.MonkeyPatch):
    asked: list[Subject] = []

    def last(subject: Subject) -> Found:
        asked.append(subject)
        if len(asked) > 1:
            raise OutOfTime
        yield None

    monkeypatch.setattr(kinds, "KINDS", (kinds.entries, kinds.shapes, last))
    exercise = load("attention")
    with Questioner(exercise, b"a key", Settings()) as questioner:
        sheet = questioner.sheet(handed_in(exercise, {}), "ada")
    assert sheet.questions and "the questions took more than 10 s" in sheet.note


def test_a_busy_machine_costs_no_questions(monkeypatch: pytest.MonkeyPatch):
    """The clock goes on while others compute; only CPU time is charged."""
    begun, clock = time.monotonic(), time.monotonic
    monkeypatch.setattr(sheets, "CALL_SECONDS", 1000.0)
    monkeypatch.setattr(sheets, "PATIENCE", 1000.0)
    exercise = load("attention")
    with Questioner(exercise, b"a key", Settings(call_seconds=1000.0)) as questioner:
        monkeypatch.setattr(time, "monotonic", lambda: begun + 1000 * (clock() - begun))
        sheet = questioner.sheet(handed_in(exercise, next(bank("attention"))), "ada")
    assert len(sheet.questions) == 4, sheet.note


def test_a_class_gets_the_same_questions_from_any_number_of_processes():
    exercise = load("attention")
    submitted = {
        f"s{place}": handed_in(exercise, one)
        for place, one in enumerate(islice(bank("attention"), 3))
    }
    submitted["s1"] = b"no notebook"
    one, several = (
        list(of_class(exercise, b"a key", Settings(), submitted, 2, jobs)) for jobs in (1, 2)
    )
    assert one == several and [sheet.student for sheet in one] == [*submitted]


def test_a_process_that_is_killed_costs_one_line(monkeypatch: pytest.MonkeyPatch):
    def broken(*_: object) -> None:
        raise BrokenProcessPool

    monkeypatch.setattr(sheets.ProcessPoolExecutor, "map", broken)
    submitted = dict.fromkeys("ab", b"")
    with pytest.raises(Fault, match="is there enough memory"):
        list(of_class(load("attention"), b"key", Settings(), submitted, 4, 2))


def test_pages_and_banks_hold_the_questions_and_nothing_else():
    exercise = load("attention")
    source = 'def apply_mask(scores, mask):\n    "</script>&"\n    return np.where(mask, scores, float("-inf"))  # <b>'
    with Questioner(exercise, b"a key", Settings()) as questioner:
        ada = questioner.sheet(handed_in(exercise, {"apply_mask": source}), "ada", 20)
    sheets = [ada, Sheet("ben", note="no questions: <i>")]
    page = question_bank.sheet("Attention", [("Ada Lovelace", ada), ("", sheets[1])], True)
    assert page.count('class="right"') == page.count(" ✓") - 1 == len(ada.questions)
    assert "<b>" not in page and "<i>" not in page and "&lt;b&gt;" in page

    quiz = ElementTree.fromstring(question_bank.moodle("attention", sheets))
    asked = quiz.findall("question[@type='multichoice']")
    assert len(asked) == len(ada.questions)
    for entry, question in zip(asked, ada.questions):
        shares = [answer.get("fraction") for answer in entry.findall("answer")]
        assert shares == ["100" if place == question.right else "0" for place in range(4)]

    with zipfile.ZipFile(BytesIO(question_bank.qti("attention", sheets))) as package:
        assert package.namelist() == ["ada.xml", "imsmanifest.xml"]
        text = package.read("ada.xml").decode()
    bank_of_ada = ElementTree.fromstring(text)
    space = {"q": question_bank.QTI}
    for item, question in zip(bank_of_ada.iterfind(".//q:item", space), ada.questions):
        assert item.findtext(".//q:varequal", None, space) == f"option{question.right}"
        assert len(item.findall(".//q:response_label", space)) == 4

    hidden_checks = [check for check in exercise.checks if check.hidden]
    for made in (page, text, question_bank.moodle("attention", sheets).decode()):
        for hidden in [check for check in hidden_checks if check.step in exercise.functions]:
            assert hidden.name not in made and hidden.sentence not in made
        assert "a key" not in made and "by_definition" not in made

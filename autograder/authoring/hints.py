"""Questions for students while they work: what each misconception answers to a visible check, and
the reference called differently.

No wrong answer is shipped. The setup cell has a table from digests to questions; a visible check
that fails makes the digest of what it was given and looks it up. It works offline, and in any
notebook.
"""

from __future__ import annotations

import inspect
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from autograder.authoring.proving import answers
from autograder.authoring.proving.trial import Bench
from autograder.diagnosis.calls import Arguments, Function, Unfit, bound
from autograder.diagnosis.experiments import Experiment, with_arguments
from autograder.engine.turns import MOST, NAME, Endless, at_most, counted, enough, take
from autograder.exercises.cell_code import ExerciseCode
from autograder.exercises.exercise import Check, Exercise, from_notebook
from autograder.exercises.misconceptions import OR_ELSE, Misconception, Misconceptions
from autograder.tools.answers import call_digest

PLAIN = frozenset((
    "argument_ignored", "complemented", "exchanged", "negated", "one_less", "one_more",
    "other_default", "reshaped", "transposed",
))  # fmt: skip
"""Experiments that many students make; a table of all of them would be most of a notebook."""

DIGITS = 6
"""Of a digest, in hexadecimal."""


def table(full: bytes, bank: Misconceptions) -> str:
    """The lines of the setup cell that fill in ``HINTS`` and ``ANSWERS``, those that are not empty.

    Where several mistakes answer a check alike, what became of the step's earlier checks may tell
    them apart. Those that are alike throughout have the question that the bank has for all of them,
    or, two of them, both of theirs. Else they have none: better none than a wrong one.
    """
    exercise = from_notebook(json.loads(full))
    bench = Bench(exercise)
    asked = AnswerListener(bench)
    suspects: dict[str, list[Misconception]] = defaultdict(list)
    closer: dict[tuple[str, str], list[Misconception]] = defaultdict(list)
    for digest, verdicts, wrong in _digests(bench, asked, bank.entries):
        suspects[digest].append(wrong)
        closer[digest, verdicts].append(wrong)

    hints = {}
    for digest, mistakes in sorted(suspects.items()):
        hints[digest] = bank.question(mistakes)
    for (digest, verdicts), mistakes in sorted(closer.items()):
        question = bank.question(mistakes)
        if question != hints[digest]:
            hints[digest + verdicts] = question

    kinds: dict[str, dict[str, str]] = defaultdict(dict)
    for digest, experiment in experiments_caught(exercise):
        kinds[digest].setdefault(experiment.name, experiment.sentence)
    for digest, sentences in kinds.items():
        if digest not in suspects and len(sentences) == 1:
            hints[digest] = next(iter(sentences.values()))

    lines = [_line("HINTS", by_question(hints)), _line("ANSWERS", asked.table())]
    nearly = {wrong.hint: wrong.nearly for wrong in bank.entries if wrong.nearly}
    lines += [f"tools.NEARLY = {nearly!r}"] if nearly else []
    return "\n".join(filter(None, lines))


def by_question(hints: Mapping[str, str]) -> str:
    """Questions by their marks, as ``tools.HINTS`` has them; empty if there is none."""
    marks: dict[str, str] = defaultdict(str)
    for mark, hint in sorted(hints.items()):
        digest, verdicts = mark[:DIGITS], mark[DIGITS:]
        letters = ["ABCD"[int(digest, 16) >> place & 3] for place in range(0, 4 * DIGITS, 2)]
        for question in hint.split(OR_ELSE) if hint else ():
            marks[question] += "".join(reversed(letters)) + verdicts
    questions = dict(sorted(marks.items()))
    return json.dumps(questions, ensure_ascii=False, separators=(",", ":")) if questions else ""


def _line(name: str, text: str) -> str:
    return f"tools.{name} = {text!r}" if text else ""


def _digests(
    bench: Bench, asked: AnswerListener, misconceptions: Iterable[Misconception]
) -> Iterator[tuple[str, str, Misconception]]:
    """The digest of every visible check that a misconception fails, after p or f for each earlier
    one of the step.
    """
    for wrong in misconceptions:
        bench.bind(answers.wrong(wrong))
        asked.listen(wrong.step)
        verdicts = ""
        for check in bench.of(wrong.step):
            if check.hidden:
                continue

            asked.forget()
            passes, digest = bench.verdict(check)
            # What wrong answers ask in a check for no points is worth its bytes where no check
            # before it shows the mistake.
            if check.points or not (passes or "f" in verdicts):
                asked.keep()
            if digest:
                yield digest, verdicts, wrong
            verdicts += "p" if passes else "f"


def experiments_caught(exercise: Exercise) -> Iterator[tuple[str, Experiment]]:
    """The digest of the first visible check that the reference fails, called differently.

    The turns of its loops are counted, as where students are graded: a change may let one never
    end.
    """
    try:
        bench = Bench(exercise)
    except Exception:  # what does not run is refused by the rehearsal, with its line
        return
    space = ExerciseCode(exercise).rewritten(counted, {NAME: take})

    for step in exercise.steps:
        checks = [check for check in bench.of(step) if not check.hidden]
        bench.bind()
        calls, turns = _calls(bench, space[step], step, checks)
        for experiment in with_arguments(space, step, calls):
            if experiment.name not in PLAIN:
                continue
            bench.replace(step, _function(space[step], experiment, enough(turns)))
            digest = _first_digest(bench, checks)
            if digest:
                yield digest, experiment


def _first_digest(bench: Bench, checks: list[Check]) -> str:
    """The digest of the first of the checks that fails; empty if none does, or one never ends."""
    for check in checks:
        try:
            _, digest = bench.verdict(check)
        except Endless:
            return ""
        if digest:
            return digest
    return ""


def _calls(
    bench: Bench, function: Function, step: str, checks: list[Check]
) -> tuple[list[Arguments], int]:
    """The arguments with which visible checks call a step, and the most turns that a call takes."""
    calls: list[Arguments] = []
    most = 0

    def listening(*args: Any, **kwargs: Any) -> Any:
        nonlocal most
        calls.append(bound(function, args, kwargs))
        with at_most(MOST) as turns:
            try:
                return function(*args, **kwargs)
            finally:
                most = max(most, turns.taken)

    bench.replace(step, listening)
    for check in checks:
        try:
            bench.verdict(check)
        except Endless:  # it takes long, and is right
            continue
    return calls, most


def _function(right: Function, experiment: Experiment, most: int) -> Function:
    """A function that answers as an experiment does; Endless if that takes too many turns."""

    def function(*args: Any, **kwargs: Any) -> Any:
        with at_most(most):
            try:
                return experiment.answer(bound(right, args, kwargs))
            except Unfit:
                return right(*args, **kwargs)

    return function


LONGEST = 2_000  # characters of an answer at most


class AnswerListener:
    """Records the calls that steps make of each other; at first, each has its right answer."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._known: dict[str, dict[str, Any]] = {}
        self._heard: list[tuple[str, str, Any]] = []
        self._right: dict[str, Function] = {}
        for step in bench.exercise.steps:
            if step not in bench.exercise.classes:
                self._right[step] = bench.function(step)
        self._visible = [check for check in bench.checks if not check.hidden]

    def listen(self, step: str) -> None:
        """Record the calls of all steps before this one, until the next ``bind``."""
        for earlier, right in self._right.items():
            if earlier == step:
                return
            self._bench.replace(earlier, self._listening(earlier, right))

    def forget(self) -> None:
        """Leave out the calls since they were last kept."""
        self._heard.clear()

    def keep(self) -> None:
        """Keep the calls since then for the table."""
        for step, digest, told in self._heard:
            self._known.setdefault(step, {})[digest] = told
        self._heard.clear()

    def table(self) -> str:
        """For each step that was called: the names of its arguments, their defaults, and its
        answers by call, as JSON. Calls that right answers make of each other are among them.

        Empty where no step was called.
        """
        self.forget()
        for check in self._visible:
            self._bench.bind()
            self.listen(check.step)
            self._bench.verdict(check)
        self.keep()

        steps: dict[str, Any] = {}
        for step, known in self._known.items():
            parameters = inspect.signature(self._right[step]).parameters.values()
            defaults = {}
            for one in parameters:
                if one.default is not one.empty:
                    defaults[one.name] = one.default
            steps[step] = [[one.name for one in parameters], defaults, known]
        return json.dumps(steps, separators=(",", ":")) if steps else ""

    def _listening(self, step: str, right: Function) -> Callable[..., Any]:
        def listening(*args: Any, **kwargs: Any) -> Any:
            try:
                digest = call_digest(bound(right, args, kwargs).values())
            except (LookupError, TypeError):
                return right(*args, **kwargs)
            value = right(*args, **kwargs)
            try:
                told = written(value)
            except TypeError:
                return value
            if len(json.dumps(told)) <= LONGEST:
                self._heard.append((step, digest, told))
            return value

        return listening


def written(value: Any) -> Any:
    """A value as JSON can have it, and ``tools.answers.revived`` reads it.

    Raises:
        TypeError: there is no such form.
    """
    if isinstance(value, float):
        return float(f"{value:.12g}")  # no check is so strict that it sees more digits
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biuf":
        numbers = list(map(written, value.ravel().tolist()))
        return ["array", value.dtype.str, list(value.shape), numbers]
    if isinstance(value, dict):
        return ["dict", *([written(key), written(part)] for key, part in value.items())]
    if isinstance(value, (tuple, list)):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return [kind, *map(written, value)]
    raise TypeError(f"no JSON for a {type(value).__name__}")

"""Tries answers on the checks of an exercise: the teacher's own code, in the teacher's own Python.

The answers come from the banks beside the exercise, which are trusted like the exercise itself;
submissions never come here.
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from typing import Any

import numpy as np

from autograder.exercises import cell_code, data_files
from autograder.exercises.answer_bank import Answer
from autograder.exercises.cell_code import ExerciseCode
from autograder.exercises.exercise import Check, Exercise
from autograder.exercises.names import reached
from autograder.submissions.python_source import uses

BATCH = 50  # answers that a process tries on one bench, at most; each bench takes 0.05 s to set up


@dataclass(frozen=True)
class Trial:
    """What became of an answer while all other steps were right.

    ``failed``: for each key the step's own checks that failed, in the order of the notebook;
    ``message``: what the first one said. ``fallen``: checks of other steps that failed and call
    this one, as grading carries them forward. ``strays``: those that it could not be blamed for.
    """

    answer: Answer
    failed: tuple[tuple[str, ...], ...]
    message: str = ""
    fallen: tuple[str, ...] = ()
    strays: tuple[str, ...] = ()


class Bench:
    """The exercise with right answers to all steps, any of which may be replaced."""

    def __init__(self, exercise: Exercise) -> None:
        self.exercise = exercise
        self.checks = exercise.checks
        self._steps = {step: exercise.cell(step).source for step in exercise.steps}
        self._code = ExerciseCode(exercise)
        # One dictionary throughout: it is where the functions in it look up each other.
        self._space = self._code.answered()
        # Nobody reads what a failing check prints here, and to look for a hint takes long.
        if "tools" in self._space:
            self._space["tools"].hint = lambda *_: ""
        self._right = dict(self._space)

    def bind(self, answer: Answer | None = None) -> None:
        """Let checks see the setup and the right answers, but for this one.

        What others have left behind is gone.
        """
        self._space.clear()
        self._space.update(self._right)
        if answer:
            cell_code.bind(answer.source, answer.step, self._space)

    def function(self, step: str) -> Callable[..., Any]:
        """What the step's name is bound to now."""
        function: Callable[..., Any] = self._space[step]
        return function

    def replace(self, step: str, function: Callable[..., Any]) -> None:
        """Bind the step's name to something else, until the next ``bind``."""
        self._space[step] = function

    def names(self) -> dict[str, Any]:
        """A copy of what checks see now."""
        return dict(self._space)

    def failure(self, check: Check, draw: str, instead: Mapping[str, Any] = {}) -> str:
        """Why a check failed, in a line; empty if it passed.

        Args:
            draw: decides its random inputs.
            instead: what the check sees under some names; steps that call each other do not.
        """
        digest = hashlib.sha256(f"{self.exercise.name}/{check.id}/{draw}".encode()).digest()
        self._space["rng"] = np.random.default_rng(int.from_bytes(digest, "big"))
        cell_code.reveal(self._space, not check.hidden)
        try:
            self._code.run(check, {**self._space, **instead})
        except Exception as error:
            return " ".join(f"{type(error).__name__}: {error}".split())
        return ""

    def verdict(self, check: Check) -> tuple[bool, str]:
        """Whether a visible check passes, else the digest that the setup cell makes of it."""
        try:
            self._code.run(check, self._space)
        except Exception as error:
            return False, str(self._space["tools"].fingerprint(check.id, error))
        return True, ""

    def of(self, step: str) -> list[Check]:
        """The checks of a step."""
        return self.exercise.checks_of(step)

    def callers(self, step: str) -> frozenset[str]:
        """The steps whose right answer calls this one, directly or through others."""
        called_by: dict[str, set[str]] = defaultdict(set)
        for name, source in self._steps.items():
            for called in uses(source) or ():
                called_by[called].add(name)
        return frozenset(reached([step], called_by) - {step})

    def reached(self, step: str) -> list[Check]:
        """The checks of other steps that this step's answer can decide."""
        steps = self.callers(step) | {step}
        reached = []
        for check in self.checks:
            if check.step != step and (check.step in steps or _uses_any(check.source, steps)):
                reached.append(check)
        return reached

    def trial(self, answer: Answer, keys: Sequence[int]) -> Trial:
        """Try an answer with every key; what other steps make of it, with one of them."""
        failed: list[tuple[str, ...]] = []
        message = ""
        for key in keys:
            self.bind(answer)
            own = []
            for check in self.of(answer.step):
                problem = self.failure(check, _draw(key, answer))
                message = message or problem
                if problem:
                    own.append(check.id)
            failed.append(tuple(own))

        fallen, strays = self._others(answer, keys[len(answer.source) % len(keys)])
        return Trial(answer, tuple(failed), message, fallen, strays)

    def _others(self, answer: Answer, key: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The checks of other steps that fail with this answer, and those that should not."""
        callers, draw = self.callers(answer.step), _draw(key, answer)
        failed = [check for check in self.reached(answer.step) if self.failure(check, draw)]

        self.bind()
        fallen, strays = [], []
        for check in failed:
            calls = _uses_any(check.source, callers | {answer.step})
            if (calls or check.step in callers) and not self.failure(check, draw):
                fallen.append(check.id)
            else:
                strays.append(check.id)
        return tuple(fallen), tuple(strays)


def run(
    exercise: Exercise,
    answers: Iterable[Answer],
    keys: Sequence[int],
    jobs: int,
    tick: Callable[[Trial], None],
) -> list[Trial]:
    """Try all answers, in ``jobs`` processes; the trials come in the order of the answers."""
    answers = list(answers)
    done: dict[Answer, Trial] = {}
    for trial in _trials(exercise, answers, tuple(keys), jobs):
        done[trial.answer] = trial
        tick(trial)
    return [done[answer] for answer in answers]


def _trials(
    exercise: Exercise, answers: Sequence[Answer], keys: tuple[int, ...], jobs: int
) -> Iterator[Trial]:
    if jobs == 1:
        bench = Bench(exercise)
        for answer in answers:
            yield bench.trial(answer, keys)
        return

    # The last steps have the slowest checks: they go first, so that no process is left with them at
    # the end.
    order = sorted(answers, key=lambda answer: -exercise.steps.index(answer.step))
    size = min(BATCH, math.ceil(len(order) / (4 * jobs)) or 1)
    batches = [order[start : start + size] for start in range(0, len(order), size)]
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        for trials in pool.map(partial(_tried, exercise, keys), batches):
            yield from trials


def _tried(exercise: Exercise, keys: tuple[int, ...], answers: Sequence[Answer]) -> list[Trial]:
    """A batch of trials, on a bench of their own."""
    with data_files.inside(exercise.data):
        bench = Bench(exercise)
        return [bench.trial(answer, keys) for answer in answers]


def _uses_any(source: str, steps: Set[str]) -> bool:
    return not (uses(source) or frozenset()).isdisjoint(steps)


def _draw(key: int, answer: Answer) -> str:
    """As when grading: other inputs for every key and every answer, and the same ones tomorrow."""
    return f"{key}/{hashlib.sha256(answer.source.encode()).hexdigest()}"


# Whether a check stays the same while every argument is destroyed after each call
#
# What a function does to its arguments is seen by the check that handed them over. A check that
# computes what it wants, or what it asks next, from such an argument lets a submission choose its
# own question.

EXEMPT = "purity"  # checks that look at their arguments afterwards, for that is what they grade
AXES = (1,) * 20  # in front of a destroyed array's shape: so many that it broadcasts with nothing

Arguments = list[Any]
"""The arguments of one call, as they were."""


def spoilt_checks(bench: Bench, keys: Sequence[int]) -> Iterator[tuple[str, str]]:
    """The checks that use an argument after handing it over, and what shows it."""
    for check in bench.checks:
        if check.category == EXEMPT:
            continue
        for key in map(str, keys):
            failure, asked = _asked(bench, check, key, destroy=False)
            if failure:  # wrong without any change to an argument: that is said elsewhere
                continue

            failure, asked_then = _asked(bench, check, key, destroy=True)
            try:
                np.testing.assert_equal(asked_then, asked)
            except AssertionError:
                failure = failure or "it asks something else"
            if failure:
                yield check.id, failure
                break


def _asked(bench: Bench, check: Check, draw: str, destroy: bool) -> tuple[str, list[Arguments]]:
    """Why the right answers fail a check, if they do, and what the check asks them."""
    # The answers of a step that is told by checks alone are its next arguments, on purpose.
    watch = _ArgumentWatch(destroy, keeps=check.step in bench.exercise.told_by_checks)
    bench.bind()
    for step in bench.exercise.steps:
        function = bench.function(step)
        if not isinstance(function, type):  # a check may ask whether an object is of this class
            bench.replace(step, watch.watched(function))
    failure = bench.failure(check, draw)

    bench.bind()
    return failure, watch.asked


class _ArgumentWatch:
    """Keeps what a check asks of functions, and perhaps destroys it afterwards."""

    def __init__(self, destroy: bool, keeps: bool) -> None:
        self.asked: list[Arguments] = []
        self._destroy = destroy
        self._keeps = keeps  # what was an answer before
        self._kept: dict[int, Any] = {}  # by id, and held: nothing else gets its number
        self._is_within = False

    def watched(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, whose calls by the check are kept."""

        def call(*args: Any, **kwargs: Any) -> Any:
            if self._is_within:  # one right answer calls another: the check asks nothing
                return function(*args, **kwargs)

            self.asked.append(_noted([*args, kwargs]))
            self._is_within = True
            try:
                # A copy goes in, for the function may keep it, and a copy comes out, for it may be
                # an argument.
                own, named = copy.deepcopy((args, kwargs))
                return self._answer(function(*own, **named))
            finally:
                self._is_within = False
                if self._destroy:
                    given = (*args, *kwargs.values())
                    _destroy([part for part in given if id(part) not in self._kept])

        return call

    def _answer(self, value: Any) -> Any:
        """A copy of what a function returned; functions in it are watched too."""
        if type(value) in (tuple, list):
            copied = type(value)(map(self._answer, value))
        elif type(value) is dict:
            copied = {key: self._answer(part) for key, part in value.items()}
        else:
            copied = self.watched(value) if callable(value) else copy.deepcopy(value)
        if self._keeps:
            self._kept[id(copied)] = copied
        return copied


def _noted(value: Any) -> Any:
    """A copy to compare with; of a function it is only known that it is one."""
    if isinstance(value, dict):
        return {key: _noted(part) for key, part in value.items()}
    if isinstance(value, (tuple, list)):
        return list(map(_noted, value))
    return "a function" if callable(value) else copy.deepcopy(value)


def _destroy(value: Any) -> None:
    """Make an argument useless, in place, as a student's function may."""
    if isinstance(value, np.ndarray):
        writeable = value.flags.writeable
        # It may be a view of what is read-only, or of several pieces.
        with contextlib.suppress(ValueError, AttributeError):
            value.flags.writeable = True
            value[...] = ~value if value.dtype.kind in "biu" else np.nan
            value.shape = (*AXES, *value.shape)
        with contextlib.suppress(ValueError):
            value.flags.writeable = writeable

    elif isinstance(value, (tuple, list, dict, set)):
        parts = [*value.values()] if isinstance(value, dict) else [*value]
        if not isinstance(value, tuple):
            value.clear()
        for part in parts:
            _destroy(part)

"""Tries answers on the checks of an exercise: the teacher's own code, in the teacher's own Python.

The answers come from the banks beside the exercise, which are trusted like the exercise itself;
submissions never come here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing import get_context
from types import CodeType
from typing import Any

import numpy as np

from autograder.exercises.exercise import Check, Exercise
from autograder.quiet import quiet
from autograder.submissions.python_source import uses

Space = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """One answer to one step: code that binds the step's name."""

    name: str
    step: str
    source: str
    wrong: bool


@dataclass(frozen=True)
class Trial:
    """What became of an answer while all other steps were right.

    ``failed``: for each key the step's own checks that failed, in the order of the notebook; of a
        wrong answer all
    of them for the first key, and the first one alone for the others. ``message``: what the first
    failure said. ``fallen``: checks of other steps that failed because their right answers call
    this one. ``strays``: those that failed even with the reference in its place, or whose step does
    not call it.
    """

    answer: Answer
    failed: tuple[tuple[str, ...], ...]
    message: str = ""
    fallen: tuple[str, ...] = ()
    strays: tuple[str, ...] = ()


class Bench:
    """The compiled cells of an exercise. ``without`` leaves out checks by id."""

    def __init__(self, exercise: Exercise, without: frozenset[str] = frozenset()) -> None:
        self.exercise = exercise
        self.checks = tuple(check for check in exercise.checks if check.id not in without)
        self._steps = {step: exercise.cell(step).source for step in exercise.steps}
        self._code = {
            check.id: compile(check.source, f"<{check.id}>", "exec") for check in self.checks
        }
        self._space: Space = {"__name__": "__main__"}
        with quiet():
            for source in (exercise.setup, *self._steps.values()):
                exec(compile(source, "<cell>", "exec", dont_inherit=True), self._space)
        self._right = dict(self._space)

    def bind(self, answer: Answer | None = None) -> None:
        """Let checks see the setup and the right answers, but for this one; what others left behind
        is gone."""
        self._space.clear()
        self._space.update(self._right)
        if answer:
            with quiet():
                exec(_compiled(answer.source, answer.step), self._space)

    def function(self, step: str) -> Callable[..., Any]:
        """What the step's name is bound to now."""
        function: Callable[..., Any] = self._space[step]
        return function

    def replace(self, step: str, function: Callable[..., Any]) -> None:
        """Bind the step's name to something else, until the next ``bind``."""
        self._space[step] = function

    def failure(self, check: Check, draw: str) -> str:
        """Why a check failed, in a line; empty if it passed. ``draw`` decides its random inputs."""
        digest = hashlib.sha256(f"{self.exercise.name}/{check.id}/{draw}".encode()).digest()
        drawn = {
            "rng": np.random.default_rng(int.from_bytes(digest, "big")),
            "REVEAL": not check.hidden,
        }
        self._space.update(drawn)
        try:
            with quiet():
                # A copy: what a check binds is not there for the next.
                exec(self._code[check.id], dict(self._space))
        except Exception as error:
            return " ".join(f"{type(error).__name__}: {error}".split())
        return ""

    def fingerprint(self, check: Check) -> str:
        """The digest that the setup cell makes of a visible check that fails; empty if it
        passes."""
        space = dict(self._space)
        try:
            with quiet():
                exec(self._code[check.id], space)
        except Exception as error:
            return str(space["fingerprint"](check.id, error))
        return ""

    def of(self, step: str) -> list[Check]:
        """The checks of a step."""
        return [check for check in self.checks if check.step == step]

    def callers(self, step: str) -> frozenset[str]:
        """The steps whose right answer calls this one, directly or through others."""
        found: frozenset[str] = frozenset({step})
        while True:
            more = found | {
                other
                for other, source in self._steps.items()
                if found & (uses(source) or frozenset())
            }
            if more == found:
                return found - {step}
            found = more

    def reached(self, step: str) -> list[Check]:
        """The checks of other steps that this step's answer can decide."""
        sources = self.callers(step) | {step}
        return [
            check
            for check in self.checks
            if check.step != step
            and (check.step in sources or sources & (uses(check.source) or frozenset()))
        ]

    def trial(self, answer: Answer, keys: Sequence[int]) -> Trial:
        """Try an answer with every key; what other steps make of it is looked at with one of
        them."""
        failed, message = [], ""
        for key in keys:
            here: list[str] = []
            self.bind(answer)
            for check in self.of(answer.step):
                problem = self.failure(check, _draw(key, answer))
                if problem:
                    here.append(check.id)
                    message = message or problem
                    if answer.wrong and key != keys[0]:
                        break
            failed.append(tuple(here))
        if not answer.wrong:
            return Trial(answer, tuple(failed), message)
        fallen, strays = self._others(answer, keys[len(answer.source) % len(keys)])
        return Trial(answer, tuple(failed), message, fallen, strays)

    def _others(self, answer: Answer, key: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        callers, draw = self.callers(answer.step), _draw(key, answer)
        fallen = [check for check in self.reached(answer.step) if self.failure(check, draw)]
        self.bind()
        strays = [
            check.id for check in fallen if check.step not in callers or self.failure(check, draw)
        ]
        return tuple(check.id for check in fallen if check.id not in strays), tuple(strays)


def run(
    exercise: Exercise,
    answers: Iterable[Answer],
    keys: Sequence[int],
    jobs: int,
    tick: Callable[[Trial], None],
) -> list[Trial]:
    """Try all answers, in ``jobs`` processes; the trials come in the order of the answers."""
    answers = list(answers)
    if jobs == 1:
        bench, trials = Bench(exercise), []
        for answer in answers:
            trials.append(bench.trial(answer, keys))
            tick(trials[-1])
        return trials
    # The last steps have the slowest checks: they go first, so that no process is left with them at
    # the end.
    order = sorted(answers, key=lambda answer: -exercise.steps.index(answer.step))
    done: dict[Answer, Trial] = {}
    with ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (exercise, tuple(keys))) as pool:
        for trial in pool.map(_try, order, chunksize=4):
            done[trial.answer] = trial
            tick(trial)
    return [done[answer] for answer in answers]


_bench: Bench
_keys: tuple[int, ...]


def _begin(exercise: Exercise, keys: tuple[int, ...]) -> None:
    global _bench, _keys
    _bench, _keys = Bench(exercise), keys


def _try(answer: Answer) -> Trial:
    return _bench.trial(answer, _keys)


def _draw(key: int, answer: Answer) -> str:
    """As when grading: other inputs for every key and for every answer, and the same ones again
    tomorrow."""
    return f"{key}/{hashlib.sha256(answer.source.encode()).hexdigest()}"


@lru_cache(maxsize=16)
def _compiled(source: str, step: str) -> CodeType:
    return compile(source, f"<{step}>", "exec", dont_inherit=True)


def by_step(exercise: Exercise, trials: Iterable[Trial]) -> Mapping[str, list[Trial]]:
    """The trials of each step, in the order of the notebook."""
    found: dict[str, list[Trial]] = {step: [] for step in exercise.steps}
    for trial in trials:
        found[trial.answer.step].append(trial)
    return found

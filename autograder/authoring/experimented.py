"""What a visible check makes of the reference called differently, as of any wrong answer.

As where students are graded, the turns of its loops are counted: a change may let one never end.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autograder.authoring.proving.trial import Bench
from autograder.diagnosis.calls import Arguments, Function, Unfit, bound
from autograder.diagnosis.experiments import Experiment, with_arguments
from autograder.engine.turns import MOST, NAME, Endless, at_most, counted, enough, take
from autograder.exercises.cell_code import ExerciseCode
from autograder.exercises.exercise import Check, Exercise

PLAIN = frozenset(
    {
        "argument_ignored",
        "complemented",
        "exchanged",
        "negated",
        "one_less",
        "one_more",
        "other_default",
        "reshaped",
        "transposed",
    }
)
"""Experiments that many students make; a table of all of them would be most of a notebook."""


def experimented(exercise: Exercise) -> Iterator[tuple[str, Experiment]]:
    """The digest of the first visible check that an experiment fails."""
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
            digest = _digest(bench, checks)
            if digest:
                yield digest, experiment


def _digest(bench: Bench, checks: list[Check]) -> str:
    """The digest of the first of the checks that fails; empty if none does, or one never ends."""
    for check in checks:
        try:
            digest = bench.fingerprint(check)
        except Endless:
            break
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
            bench.fingerprint(check)
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

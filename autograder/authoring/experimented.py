"""What a visible check makes of the reference called differently, as of any wrong answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autograder.engine.calls import Arguments, Function, Unfit, bound
from autograder.engine.experiments import Experiment, with_arguments
from autograder.exercises.cell_code import ExerciseCode
from autograder.exercises.exercise import Check, Exercise
from autograder.proving.trial import Bench

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
        space = ExerciseCode(exercise).answered()
    except Exception:  # what does not run is refused by the rehearsal, with its line
        return

    for step in exercise.steps:
        checks = [check for check in bench.of(step) if not check.hidden]
        bench.bind()
        calls = _calls(bench, step, checks)
        for experiment in with_arguments(space, step, calls):
            if experiment.name not in PLAIN:
                continue
            bench.replace(step, _function(space[step], experiment))
            for check in checks:
                digest = bench.fingerprint(check)
                if digest:
                    yield digest, experiment
                    break


def _calls(bench: Bench, step: str, checks: list[Check]) -> list[Arguments]:
    """The arguments with which visible checks call a step."""
    function, calls = bench.function(step), []

    def listening(*args: Any, **kwargs: Any) -> Any:
        calls.append(bound(function, args, kwargs))
        return function(*args, **kwargs)

    bench.replace(step, listening)
    for check in checks:
        bench.fingerprint(check)
    bench.replace(step, function)
    return calls


def _function(right: Function, experiment: Experiment) -> Function:
    """A function that answers as an experiment does."""

    def function(*args: Any, **kwargs: Any) -> Any:
        try:
            return experiment.answer(bound(right, args, kwargs))
        except Unfit:
            return right(*args, **kwargs)

    return function

"""A step's answers beside the right ones, and whether an experiment explains them: in every call,
and more than chance would."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.engine.calls import Arguments, Function, Unfit, bound
from autograder.engine.experiments import Experiment
from autograder.engine.outcomes import Outcome, Probe, asked, is_small
from autograder.engine.turns import MOST, Endless, at_most, enough
from autograder.tools.likeness import ENOUGH, SURE, alike, as_numbers, close, weight

MAX_NUMBERS, MAX_INTEGER = 2_000, 200
"""In an argument of a call: how many numbers, and the largest integer."""

MAX_CALLS = 60
"""Calls that are looked at."""


@dataclass(frozen=True)
class AnsweredCall:
    """A call, what the step answered, and what is right.

    ``is_right``: as the check took it, or as the reference has it. ``graded`` in part only where a
    check asks what nobody may repeat. ``turns`` are those that the loops of the reference took.
    """

    arguments: Arguments
    got: Outcome
    right: Outcome
    is_right: bool
    in_part: bool
    turns: int


def answers(function: Function, probes: Sequence[Probe]) -> Iterator[AnsweredCall]:
    """What a step has answered, beside what its reference answers; calls that are too large, or
    cannot be compared, are left out."""
    for probe in probes[:MAX_CALLS]:
        if not is_small(probe.asked[:2], MAX_NUMBERS, MAX_INTEGER):
            continue
        got = probe.outcome
        if got is None:
            continue

        args, kwargs, _ = asked(probe.call.request)  # anew: the reference may change them
        try:
            arguments = bound(function, args, kwargs)
        except TypeError:
            continue

        with at_most(MOST) as turns:
            try:
                right = Outcome(function(**arguments), None, [])
            except Exception as error:
                right = Outcome(None, type(error).__name__, [])
            except Endless:
                continue

        is_right = probe.passed
        if got.raised is None and right.raised is None:
            is_right = is_right or alike(got.value, right.value)
        elif got.raised is not None and right.raised is not None:
            is_right = True
        yield AnsweredCall(arguments, got, right, is_right, probe.in_part, turns.taken)


def explains(
    experiment: Experiment, wrong: Sequence[AnsweredCall], right: Sequence[AnsweredCall]
) -> bool:
    """Whether an experiment answers every call as the step did, and few would by chance."""
    evidence, calls, returned, missed = 0.0, 0, 0, 0
    for answer in (*wrong, *right):
        predicted = _predicted(experiment, answer)
        if predicted is None:
            return False

        if answer.is_right and _alike(answer.right, predicted):
            continue
        if _alike_but_for_nan(answer.got, predicted):
            continue

        if not _alike(answer.got, predicted):
            missed += 1
            if not answer.in_part or missed > 1:
                return False
            continue

        if not answer.is_right:
            more = _evidence(answer.got, predicted, answer.right)
            evidence += more
            calls += more > 0
            returned += answer.got.raised is None and more > 0

    # Of exceptions alone, all must be in the same words.
    if not returned and calls < len(wrong):
        return False
    return evidence >= (ENOUGH if calls >= 2 else SURE)


def _predicted(experiment: Experiment, answer: AnsweredCall) -> Outcome | None:
    """What a call gives in an experiment; None if that does not end."""
    try:
        with at_most(enough(answer.turns)):
            return Outcome(experiment.answer(answer.arguments), None, [])
    except Endless:
        return None
    except Unfit:
        return answer.right
    except Exception as error:
        return Outcome(None, type(error).__name__, [], str(error))


def _alike(one: Outcome, other: Outcome) -> bool:
    if one.raised or other.raised:
        return bool(one.raised) == bool(other.raised)
    return alike(one.value, other.value)


def _alike_but_for_nan(one: Outcome, other: Outcome) -> bool:
    """Whether an answer is NaN in places, and as predicted in all others: the teacher's function
    may spare itself what the student's runs into."""
    a, b = as_numbers(one.value), as_numbers(other.value)
    if a is None or b is None or a.shape != b.shape or a.dtype.kind != "f":
        return False
    broken = np.isnan(a)
    return bool(broken.any() and not broken.all() and close(a[~broken], b[~broken]))


def _evidence(got: Outcome, predicted: Outcome, right: Outcome) -> float:
    """How much speaks for a prediction that is the answer, and not the right one."""
    if got.raised is not None:
        # Shapes and sizes stand in the words of NumPy.
        same = got.text == predicted.text and any(letter.isdigit() for letter in got.text)
        return 2.0 if same else 0.0
    return _weight(got.value, predicted.value, right.value)


def _weight(got: Any, predicted: Any, right: Any) -> float:
    several = isinstance(got, (tuple, list)) and isinstance(predicted, tuple)
    if several and isinstance(right, tuple) and len(got) == len(predicted) == len(right):
        return max(map(_weight, got, predicted, right))
    a, b, c = map(as_numbers, (got, predicted, right))
    if a is None or b is None or c is None:
        return 0.0 if alike(predicted, right) else 2.0
    return weight(a, b, c)

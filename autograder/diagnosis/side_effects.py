"""What a function does beside its answer: an argument changed, something kept from call to call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from autograder.diagnosis.calls import Arguments, Function, Unfit, bound
from autograder.diagnosis.evidence import AnsweredCall, Relation, worth
from autograder.diagnosis.experiment import Experiment
from autograder.diagnosis.outcomes import Outcome, Probe
from autograder.tools.likeness import ENOUGH, alike


def changing(function: Function, probes: Sequence[Probe]) -> Relation | None:
    """An argument that is not afterwards what it was before."""
    for probe in probes:
        if probe.passed:
            continue
        args, kwargs, before = probe.asked
        outcome = probe.outcome
        if outcome is None:
            continue
        for old, new in zip(before, outcome.arguments):
            if alike(old, new):
                continue
            for name, value in bound(function, args, kwargs).items():
                if value is old:
                    ask = "Which of your lines writes into it?"
                    return Relation("argument_changed", f"Your function changes {name}. {ask}")
    return None


def forgetful(probes: Sequence[Probe]) -> Relation | None:
    """The same call, answered in two ways."""
    answers: dict[bytes, Outcome | None] = {}
    for probe in probes:
        request, outcome = bytes(probe.call.request), probe.outcome
        first = answers.setdefault(request, outcome)
        if first is None or outcome is None:
            continue
        same = alike(first.value, outcome.value)
        if bool(first.raised) != bool(outcome.raised) or not (first.raised or same):
            ask = "What does it draw, or keep from call to call?"
            return Relation(
                "not_repeatable", f"Your function answers the same call in two ways. {ask}"
            )
    return None


def keeping(function: Function, answered: Sequence[AnsweredCall]) -> Iterator[Experiment]:
    """An argument that is one of an earlier call: the first, the last, or that of such shapes."""
    calls = [answer.arguments for answer in answered]
    places = {id(arguments): place for place, arguments in enumerate(calls)}
    ask = "What does it keep from call to call?"
    for name in calls[0]:
        for pick in (_first_given, _last_given, _of_such_shape):

            def answer(
                arguments: Arguments, name: str = name, pick: Callable[..., Any] = pick
            ) -> Any:
                before = [call for call in calls[: places[id(arguments)]] if call[name] is not None]
                return function(**{**arguments, name: pick(name, arguments, before)})

            phrase = f"Your function answers as if {name} were that of an earlier call. {ask}"
            yield Experiment("kept_from_earlier_call", phrase, answer)


def _first_given(name: str, _: Arguments, before: Sequence[Arguments]) -> Any:
    if not before:
        raise Unfit
    return before[0][name]


def _last_given(name: str, arguments: Arguments, before: Sequence[Arguments]) -> Any:
    if not before or arguments[name] is not None:
        raise Unfit
    return before[-1][name]


def _of_such_shape(name: str, arguments: Arguments, before: Sequence[Arguments]) -> Any:
    """Of the first call whose first argument had the shape that it has in this one."""
    first = next(iter(arguments))
    for call in before:
        if np.shape(call[first]) == np.shape(arguments[first]) and arguments[name] is not None:
            return call[name]
    raise Unfit


def stale(answered: Sequence[AnsweredCall]) -> Relation | None:
    """Calls that are answered as an earlier one was, in which that was right."""
    evidence = 0.0
    for place, answer in enumerate(answered):
        if answer.is_right:
            continue
        got = answer.got.value
        for earlier in answered[:place]:
            if earlier.is_right and not earlier.got.raised and alike(got, earlier.got.value):
                evidence += worth([answer])
                break
        else:
            return None
    if evidence < ENOUGH:
        return None
    ask = "What does it keep from call to call, and how does it find that again?"
    return Relation(
        "answer_of_earlier_call",
        f"Your function answers some calls with what it answered an earlier one. {ask}",
    )

"""What a function does beside its answer: an argument changed, something kept from call to call."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.engine.calls import Function, bound
from autograder.engine.evidence import Relation
from autograder.engine.outcomes import Outcome, Probe
from autograder.tools.likeness import alike


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
        if first is None or outcome is None or first.raised or outcome.raised:
            continue
        if not alike(first.value, outcome.value):
            ask = "What does it draw, or keep from call to call?"
            return Relation(
                "not_repeatable", f"Your function answers the same call in two ways. {ask}"
            )
    return None

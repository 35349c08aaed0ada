"""Names a mistake that no bank has: by what relates a step's answers to the right ones.

First by experiment, the reference called differently; then by comparison; at last by where the
step goes wrong. A relation must explain every call, and more than chance would.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from autograder.engine.calls import Function, bound
from autograder.engine.circumstances import circumstance
from autograder.engine.compiled_exercise import CompiledExercise
from autograder.engine.evidence import AnsweredCall, answers, explains
from autograder.engine.experiments import (
    Experiment,
    Namespace,
    one_step_too_many,
    with_arguments,
    with_source,
    with_steps,
)
from autograder.engine.outcomes import Outcome, Probe
from autograder.engine.raising import EXACT, VAGUE, Kinds, raising
from autograder.exercises.exercise import Exercise
from autograder.tools import relations
from autograder.tools.likeness import ALIKE_ATOL, ALIKE_RTOL, alike, as_numbers
from autograder.tools.sentences import SENTENCES


@dataclass(frozen=True)
class Relation:
    """What relates wrong answers to the right ones: a short name, and a sentence that asks."""

    name: str
    sentence: str


def relate(compiled: CompiledExercise, step: str, probes: Sequence[Probe]) -> Relation | None:
    """The relation that explains a step's answers, if one does."""
    space = compiled.laboratory()
    right, wrong = [], []
    for answer in answers(space[step], probes):
        if answer.is_right:
            right.append(answer)
        else:
            wrong.append(answer)
    if not wrong:
        return _changing(space[step], probes) or _forgetful(probes) or _tiny(right)

    with np.errstate(all="ignore"):
        return (
            _refusing(wrong)
            or _by_experiment(space, compiled.exercise, step, wrong, right)
            or _forgetful(probes)
            or _by_exception(wrong, EXACT)
            or _by_circumstance(space[step], wrong, right, only_given=False)
            or _by_comparison(wrong, right, vague=True)
            or _by_circumstance(space[step], wrong, right, only_given=True)
            or _by_exception(wrong, VAGUE)
            or _changing(space[step], probes)
            or _by_some_exceptions(wrong)
        )


def _changing(function: Function, probes: Sequence[Probe]) -> Relation | None:
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


def _forgetful(probes: Sequence[Probe]) -> Relation | None:
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


def _refusing(wrong: Sequence[AnsweredCall]) -> Relation | None:
    """All that is wrong is that nothing is refused."""
    for answer in wrong:
        if answer.got.raised or not answer.right.raised:
            return None
    return Relation(
        "does_not_refuse",
        "Your function answers where the docstring asks for an error. "
        "Which arguments can it not serve?",
    )


def _by_experiment(
    space: Namespace,
    exercise: Exercise,
    step: str,
    wrong: Sequence[AnsweredCall],
    right: Sequence[AnsweredCall],
) -> Relation | None:
    samples = [answer.arguments for answer in (*wrong, *right)]
    place = exercise.steps.index(step)
    earlier = {}
    for name in reversed(exercise.steps[:place]):
        earlier[name] = exercise.cell(name).source

    return (
        _first(with_arguments(space, step, samples), wrong, right)
        or _by_comparison(wrong, right, vague=False)
        or _first(one_step_too_many(space, exercise.steps, step, samples), wrong, right)
        or _first(with_source(space, step, exercise.cell(step).source), wrong, right)
        or _first(with_steps(space, step, earlier, samples), wrong, right)
    )


def _first(
    tried: Iterator[Experiment], wrong: Sequence[AnsweredCall], right: Sequence[AnsweredCall]
) -> Relation | None:
    for experiment in tried:
        if explains(experiment, wrong, right):
            return Relation(experiment.name, experiment.sentence)
    return None


def _by_comparison(
    wrong: Sequence[AnsweredCall], right: Sequence[AnsweredCall], vague: bool
) -> Relation | None:
    if vague and any(answer.got.raised for answer in wrong):
        return None  # what is vague of some calls says nothing of those that raise
    pairs = []
    for answer in (*wrong, *right):
        if answer.got.raised or answer.right.raised:
            continue
        wanted = answer.got.value if answer.is_right else answer.right.value
        pairs.append((answer.got.value, wanted, answer.arguments))
    found = relations.relation(pairs, vague=vague)
    if found is None:
        return None
    name, sentence = found
    return Relation(name, sentence)


def _by_exception(wrong: Sequence[AnsweredCall], kinds: Kinds) -> Relation | None:
    if not all(answer.got.raised for answer in wrong):
        return None
    found = raising([f"{answer.got.raised}: {answer.got.text}" for answer in wrong], kinds)
    return Relation(*found) if found else None


def _by_some_exceptions(wrong: Sequence[AnsweredCall]) -> Relation | None:
    """What the calls that raise have in common, where others go wrong in another way."""
    raised = [answer for answer in wrong if answer.got.raised]
    found = _by_exception(raised, EXACT) if raised else None
    if found is None or len(raised) == len(wrong):
        return found
    return Relation(found.name, f"In some calls your function stops. {found.sentence}")


def _tiny(given: Sequence[AnsweredCall]) -> Relation | None:
    """Nothing is wrong but what should be exactly 0."""
    name = "not_exactly_zero"
    for answer in given:
        if answer.got.raised or answer.right.raised:
            continue
        got, right = answer.got.value, answer.right.value
        parts = [(got, right)]
        if isinstance(got, (tuple, list)) and isinstance(right, tuple) and len(got) == len(right):
            parts = list(zip(got, right))
        for one, other in parts:
            a, b = as_numbers(one), as_numbers(other)
            if (
                a is not None
                and b is not None
                and a.shape == b.shape
                and ((b == 0) & (a != 0)).any()
            ):
                return Relation(name, SENTENCES[name].format(your="Your answer"))
    return None


def _by_circumstance(
    function: Function,
    wrong: Sequence[AnsweredCall],
    right: Sequence[AnsweredCall],
    only_given: bool,
) -> Relation | None:
    how = "goes wrong"
    if all(answer.got.raised for answer in wrong):
        how = "raises an error"
    there = [answer.arguments for answer in wrong]
    elsewhere = [answer.arguments for answer in right]
    throughout = all(map(_is_mostly_wrong, wrong))
    found = circumstance(function, there, elsewhere, how, only_given, throughout)
    return Relation(*found) if found else None


def _is_mostly_wrong(answer: AnsweredCall) -> bool:
    """Whether hardly any number of an answer is right; so is one of another shape, or none."""
    a, b = as_numbers(answer.got.value), as_numbers(answer.right.value)
    if answer.got.raised or answer.right.raised or a is None or b is None or a.shape != b.shape:
        return True
    same = np.isclose(a, b, ALIKE_RTOL, ALIKE_ATOL, equal_nan=True)
    return bool(2 * np.count_nonzero(same) <= b.size)

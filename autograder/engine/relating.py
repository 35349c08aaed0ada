"""Names a mistake that no bank has: by what relates a step's answers to the right ones.

First by experiment, the reference called differently; then by comparison; at last by where the
step goes wrong. A relation must explain every call, and more than chance would.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.engine.calls import Arguments, Function, Unfit, bound
from autograder.engine.circumstances import circumstance
from autograder.engine.compiled_exercise import CompiledExercise
from autograder.engine.experiments import (
    Experiment,
    Namespace,
    one_step_too_many,
    with_arguments,
    with_source,
    with_steps,
)
from autograder.engine.outcomes import Outcome, Probe, answered, asked, is_small
from autograder.engine.raising import EXACT, VAGUE, Kinds, raising
from autograder.engine.turns import MOST, Endless, at_most, enough
from autograder.exercises.exercise import Exercise
from autograder.tools import relations
from autograder.tools.likeness import ENOUGH, SURE, alike, as_numbers, close, weight
from autograder.tools.sentences import SENTENCES

MAX_NUMBERS, MAX_INTEGER = 2_000, 200
"""In an argument of a call: how many numbers, and the largest integer."""

MAX_CALLS = 60
"""Calls that are looked at."""


@dataclass(frozen=True)
class Relation:
    """What relates wrong answers to the right ones: a short name, and a sentence that asks."""

    name: str
    sentence: str


@dataclass(frozen=True)
class _Answer:
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


def relate(compiled: CompiledExercise, step: str, probes: Sequence[Probe]) -> Relation | None:
    """The relation that explains a step's answers, if one does."""
    if not compiled.exercise.has_reference:
        return None
    space = compiled.laboratory()
    answers = list(_answers(space[step], probes))
    wrong = [answer for answer in answers if not answer.is_right]
    right = [answer for answer in answers if answer.is_right]
    if not wrong:
        return _changing(space[step], probes) or _forgetful(probes) or _tiny(answers)

    with np.errstate(all="ignore"):
        return (
            _refusing(wrong)
            or _by_experiment(space, compiled.exercise, step, wrong, right)
            or _by_exception(wrong, EXACT)
            or _by_circumstance(space[step], wrong, right, only_given=False)
            or _by_comparison(wrong, right, vague=True)
            or _by_circumstance(space[step], wrong, right, only_given=True)
            or _by_exception(wrong, VAGUE)
            or _changing(space[step], probes)
        )


def _answers(function: Function, probes: Sequence[Probe]) -> Iterator[_Answer]:
    for probe in probes[:MAX_CALLS]:
        args, kwargs, _ = asked(probe.call.request)
        if not is_small((args, kwargs), MAX_NUMBERS, MAX_INTEGER):
            continue
        got = answered(probe.call)
        if got is None:
            continue
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
        same = (got.raised is None) == (right.raised is None) and (
            got.raised is not None or alike(got.value, right.value)
        )
        yield _Answer(arguments, got, right, probe.passed or same, probe.in_part, turns.taken)


def _changing(function: Function, probes: Sequence[Probe]) -> Relation | None:
    """An argument that is not afterwards what it was before."""
    for probe in probes:
        if probe.passed:
            continue
        args, kwargs, before = asked(probe.call.request)
        outcome = answered(probe.call)
        if outcome is None:
            continue
        for old, new in zip(before, outcome.arguments):
            if alike(old, new):
                continue
            names = bound(function, args, kwargs)
            name = next((name for name, value in names.items() if value is old), None)
            if name:
                ask = "Which of your lines writes into it?"
                return Relation("argument_changed", f"Your function changes {name}. {ask}")
    return None


def _forgetful(probes: Sequence[Probe]) -> Relation | None:
    """The same call, answered in two ways."""
    answers: dict[bytes, Outcome | None] = {}
    for probe in probes:
        request, outcome = bytes(probe.call.request), answered(probe.call)
        first = answers.setdefault(request, outcome)
        if first is None or outcome is None or first.raised or outcome.raised:
            continue
        if not alike(first.value, outcome.value):
            ask = "What does it draw, or keep from call to call?"
            return Relation(
                "not_repeatable", f"Your function answers the same call in two ways. {ask}"
            )
    return None


def _refusing(wrong: Sequence[_Answer]) -> Relation | None:
    """All that is wrong is that nothing is refused."""
    if all(answer.right.raised and not answer.got.raised for answer in wrong):
        return Relation(
            "does_not_refuse",
            "Your function answers where the docstring asks for an error. "
            "Which arguments can it not serve?",
        )
    return None


def _by_experiment(
    space: Namespace,
    exercise: Exercise,
    step: str,
    wrong: Sequence[_Answer],
    right: Sequence[_Answer],
) -> Relation | None:
    samples = [answer.arguments for answer in (*wrong, *right)]
    place = exercise.steps.index(step)
    earlier = {name: exercise.cell(name).source for name in reversed(exercise.steps[:place])}

    return (
        _first(with_arguments(space, step, samples), wrong, right)
        or _by_comparison(wrong, right, vague=False)
        or _first(one_step_too_many(space, exercise.steps, step, samples), wrong, right)
        or _first(with_source(space, step, exercise.cell(step).source), wrong, right)
        or _first(with_steps(space, step, earlier, samples), wrong, right)
    )


def _first(
    tried: Iterator[Experiment], wrong: Sequence[_Answer], right: Sequence[_Answer]
) -> Relation | None:
    for experiment in tried:
        if _explains(experiment, wrong, right):
            return Relation(experiment.name, experiment.sentence)
    return None


def _explains(experiment: Experiment, wrong: Sequence[_Answer], right: Sequence[_Answer]) -> bool:
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


def _predicted(experiment: Experiment, answer: _Answer) -> Outcome | None:
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


def _by_comparison(
    wrong: Sequence[_Answer], right: Sequence[_Answer], vague: bool
) -> Relation | None:
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


def _by_exception(wrong: Sequence[_Answer], kinds: Kinds) -> Relation | None:
    if not all(answer.got.raised for answer in wrong):
        return None
    found = raising([f"{answer.got.raised}: {answer.got.text}" for answer in wrong], kinds)
    return Relation(*found) if found else None


def _tiny(answers: Sequence[_Answer]) -> Relation | None:
    """Nothing is wrong but what should be exactly 0."""
    name = "not_exactly_zero"
    for answer in answers:
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
    function: Function, wrong: Sequence[_Answer], right: Sequence[_Answer], only_given: bool
) -> Relation | None:
    how = "goes wrong"
    if all(answer.got.raised for answer in wrong):
        how = "raises an error"
    there = [answer.arguments for answer in wrong]
    elsewhere = [answer.arguments for answer in right]
    found = circumstance(function, there, elsewhere, how, only_given)
    return Relation(*found) if found else None

"""Names a mistake that no bank has, by a relation between a step's answers and the right ones.

First by experiments that call the reference differently, then by comparison, and last by the
circumstances in which the step goes wrong. A relation must explain every call, better than chance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from autograder.diagnosis.arguments import explained
from autograder.diagnosis.calls import Function, Probe
from autograder.diagnosis.circumstances import (
    changing,
    circumstance,
    circumstances,
    forgetful,
    keeping,
    large_whole_numbers,
    stale,
    zero_for_none,
)
from autograder.diagnosis.evidence import (
    MAX_NUMBERS,
    MORE_NUMBERS,
    AnsweredCall,
    Relation,
    answers,
    explains,
    is_telling,
    tried,
    worth,
)
from autograder.diagnosis.experiments import (
    Experiment,
    Namespace,
    along_the_first_axis,
    looking_back,
    one_step_too_many,
    with_arguments,
    with_parts,
    with_source,
    with_steps,
)
from autograder.engine.compiled_exercise import CompiledExercise
from autograder.exercises.exercise import Exercise
from autograder.tools import relations
from autograder.tools.exceptions import EXACT, SHARED_BY_MISTAKES, Kinds, said_by
from autograder.tools.likeness import ALIKE_ATOL, ALIKE_RTOL, ENOUGH, SURE, as_numbers

if TYPE_CHECKING:
    from autograder.exercises.misconceptions import Misconception


Known = Callable[[Sequence[Probe]], "Misconception | None"]
"""Finds the misconception of the bank behind some calls."""


def relate(
    compiled: CompiledExercise, step: str, probes: Sequence[Probe], known: Known
) -> Relation | Misconception | None:
    """The relation that explains a step's answers, if one does.

    If none does, two mistakes may hide each other: then the relation, or the misconception of the
    bank, that explains the calls of one kind.
    """
    space = compiled.laboratory()
    every = list(answers(space[step], probes))
    answered = [answer for answer in every if answer.is_small(MAX_NUMBERS)]
    if all(answer.is_right for answer in answered):
        answered = [answer for answer in every if answer.is_small(MORE_NUMBERS)]
    right = [answer for answer in answered if answer.is_right]
    wrong = [answer for answer in answered if not answer.is_right]
    if not wrong:
        return (
            changing(space[step], probes)
            or forgetful(probes)
            or _tiny(right)
            or _by_circumstance(space[step], every, only_given=False)
            or _by_size(space[step], every)
            or _by_what_was_raised(probes)
        )

    with np.errstate(all="ignore"):
        begun: list[Experiment] = []
        return (
            # If a function answers the same call in two ways, its values tell nothing.
            forgetful(probes)
            or _refusing(wrong)
            or _by_experiment(space, compiled.exercise, step, answered, begun)
            or _first(zero_for_none(space[step], answered), wrong, right)
            or _first(keeping(space[step], answered), wrong, right)
            or _by_exception(wrong, EXACT)
            or _first(begun, wrong, right)
            or _where_it_is_wrong(begun, wrong)
            or _by_circumstance(space[step], every, only_given=False)
            or _in_part(space[step], wrong, right, begun, known)
            or _by_comparison(wrong, right, vague=True)
            or _by_circumstance(space[step], every, only_given=True)
            or _by_size(space[step], every)
            or _by_exception(wrong, SHARED_BY_MISTAKES)
            or changing(space[step], probes)
            or _by_some_exceptions(wrong)
        )


def _stale(
    answered: Sequence[AnsweredCall],
    wrong: Sequence[AnsweredCall],
    begun: Sequence[Experiment],
) -> Relation | None:
    """Answers of earlier calls, unless ignoring an argument gives the same ones: for an earlier
    call without that argument, such an answer is right."""
    relation = stale(answered)
    if relation is None:
        return None
    for one in begun:
        if one.name == "argument_ignored" and all(explains(one, answer) for answer in wrong):
            return _said_of("where it is wrong", Relation(one.name, one.sentence))
    return relation


def _in_part(
    function: Function,
    wrong: Sequence[AnsweredCall],
    right: Sequence[AnsweredCall],
    begun: Sequence[Experiment],
    known: Known,
) -> Relation | Misconception | None:
    """The relation that explains the wrong calls of one kind, including the first wrong call."""
    samples = [answer.arguments for answer in (*wrong, *right)]
    seen = [list(range(len(wrong)))]
    for one in (
        *circumstances(function, samples, only_given=True),
        *circumstances(function, samples, only_given=False),
    ):
        places = [place for place, call in enumerate(wrong) if not one.holds(call.arguments)]
        some = [wrong[place] for place in places]
        if places[:1] != [0] or places in seen or worth(some) < ENOUGH:
            continue
        seen.append(places)

        if not any(map(_is_hardly_wrong, some)):
            found = known([answer.probe for answer in (*some, *right)])
            if found is not None:
                return found
        relation = _first(begun, some, right) or _by_comparison(some, right, vague=False)
        if relation is not None:
            return _said_of(one.elsewhere, relation)
    return None


def _is_hardly_wrong(answer: AnsweredCall) -> bool:
    """Whether an answer is right within a bank's tolerance."""
    a, b = as_numbers(answer.got.value), as_numbers(answer.right.value)
    return a is not None and b is not None and a.shape == b.shape and np.allclose(a, b, rtol=1e-5)


def _where_it_is_wrong(
    begun: Sequence[Experiment], wrong: Sequence[AnsweredCall]
) -> Relation | None:
    """The relation that explains all wrong calls: the student may have handled the right ones as a
    special case."""
    relation = _first(begun, wrong, ()) if worth(wrong) >= SURE else None
    return _said_of("where it is wrong", relation) if relation else None


def _said_of(where: str, relation: Relation) -> Relation:
    """A relation, with the words for the calls in which it holds."""
    sentence = relation.sentence[0].lower() + relation.sentence[1:]
    return Relation(relation.name, f"{where[0].upper()}{where[1:]}, {sentence}")


def _refusing(wrong: Sequence[AnsweredCall]) -> Relation | None:
    """The relation if the only mistake is that a call should raise and does not."""
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
    answered: Sequence[AnsweredCall],
    begun: list[Experiment],
) -> Relation | None:
    right = [answer for answer in answered if answer.is_right]
    wrong = [answer for answer in answered if not answer.is_right]
    samples = [answer.arguments for answer in (*wrong, *right)]
    place = exercise.steps.index(step)
    earlier = {}
    for name in reversed((*exercise.needed, *exercise.steps[:place])):
        earlier[name] = exercise.cell(name).source

    return (
        _first(with_arguments(space, step, samples), wrong, right, begun)
        or _first(with_parts(space, step, samples), wrong, right, begun)
        # By chance an earlier answer may resemble the right one, for example in its first row.
        or _stale(answered, wrong, begun)
        or _by_comparison(wrong, right, vague=False)
        or _first(one_step_too_many(space, exercise.steps, step, samples), wrong, right, begun)
        or _first(with_source(space, step, exercise.cell(step).source), wrong, right, begun)
        or _first(with_steps(space, step, earlier, samples), wrong, right, begun)
        or _first(looking_back(space[step], samples), wrong, right, begun)
        or _first(along_the_first_axis(space[step], samples), wrong, right, begun)
    )


def _first(
    experiments: Iterable[Experiment],
    wrong: Sequence[AnsweredCall],
    right: Sequence[AnsweredCall],
    begun: list[Experiment] | None = None,
) -> Relation | None:
    """The first experiment that explains all calls. With ``begun``, it must explain whole answers,
    and experiments that only begin to are appended there."""
    if not any(is_telling(answer.got) for answer in wrong):
        return None
    for experiment in experiments:
        found = tried(experiment, wrong, right)
        if found.explains and (begun is None or not found.parts):
            return Relation(experiment.name, _spoken_of(found.parts, experiment))
        if found.begins and begun is not None:
            begun.append(experiment)
    return None


def _spoken_of(parts: frozenset[int], experiment: Experiment) -> str:
    """The sentence for an experiment that explains these parts of an answer, or all of it."""
    if not parts:
        return experiment.sentence
    numbers = " and ".join(str(place + 1) for place in sorted(parts))
    return experiment.sentence_of(
        f"Part {numbers} of your answer is" if len(parts) == 1 else f"Parts {numbers} are"
    )


def _by_comparison(
    wrong: Sequence[AnsweredCall], right: Sequence[AnsweredCall], vague: bool
) -> Relation | None:
    if vague and any(answer.got.raised for answer in wrong):
        return None  # a vague relation for some calls tells nothing about those that raise
    pairs = []
    for answer in (*wrong, *right):
        if answer.got.raised or answer.right.raised:
            continue
        wanted = answer.got.value if answer.is_right else answer.right.value
        pairs.append((answer.got.value, wanted, answer.arguments))
    found = relations.relation(pairs, explained, vague=vague)
    if found is None:
        return None
    name, sentence = found
    return Relation(name, sentence)


def _by_exception(wrong: Sequence[AnsweredCall], kinds: Kinds) -> Relation | None:
    """The relation that the exceptions tell, if all wrong calls raise one."""
    if not all(answer.got.raised for answer in wrong):
        return None
    found = said_by([answer.got.exception for answer in wrong], kinds)
    return Relation(*found) if found else None


def _by_some_exceptions(wrong: Sequence[AnsweredCall]) -> Relation | None:
    """What the calls that raise have in common, if other calls go wrong in another way."""
    raised = [answer for answer in wrong if answer.got.raised]
    found = (
        (_by_exception(raised, EXACT) or _by_exception(raised, SHARED_BY_MISTAKES))
        if raised
        else None
    )
    if found is None or len(raised) == len(wrong):
        return found
    return Relation(found.name, f"In some calls your function stops. {found.sentence}")


def _by_what_was_raised(probes: Sequence[Probe]) -> Relation | None:
    """The relation that the exceptions tell, for calls with numbers too large for the reference."""
    outcomes = [probe.outcome for probe in probes if not probe.passed]
    raised = [outcome.exception for outcome in outcomes if outcome and outcome.raised]
    found = said_by(raised, EXACT)
    return Relation(*found) if found else None


def _tiny(given: Sequence[AnsweredCall]) -> Relation | None:
    """The relation if only numbers that should be exactly 0 are wrong."""
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
            if a is None or b is None or a.shape != b.shape:
                continue
            # NaN is not tiny: it is in places where any value is accepted.
            if ((b == 0) & (a != 0) & np.isfinite(a)).any():
                return Relation(name, relations.said(name))
    return None


def _by_circumstance(
    function: Function, answered: Sequence[AnsweredCall], only_given: bool
) -> Relation | None:
    wrong = [answer for answer in answered if not answer.is_right]
    if not wrong:
        return None
    raises = all(answer.got.raised for answer in wrong)
    there = [answer.arguments for answer in wrong]
    elsewhere = [answer.arguments for answer in answered if answer.is_right]
    throughout = all(map(_is_mostly_wrong, wrong))
    found = circumstance(function, there, elsewhere, raises, only_given, throughout)
    return Relation(*found) if found else None


def _by_size(function: Function, answered: Sequence[AnsweredCall]) -> Relation | None:
    """The relation if only calls with large whole numbers are wrong."""
    wrong = [answer for answer in answered if not answer.is_right]
    right = [answer.arguments for answer in answered if answer.is_right]
    if not wrong:
        return None
    raises = all(answer.got.raised for answer in wrong)
    found = large_whole_numbers(function, [answer.arguments for answer in wrong], right, raises)
    return Relation(*found) if found else None


def _is_mostly_wrong(answer: AnsweredCall) -> bool:
    """Whether hardly any number of an answer is right, or its shape is wrong, or there is no
    answer."""
    a, b = as_numbers(answer.got.value), as_numbers(answer.right.value)
    if answer.got.raised or answer.right.raised or a is None or b is None or a.shape != b.shape:
        return True
    same = np.isclose(a, b, ALIKE_RTOL, ALIKE_ATOL, equal_nan=True)
    return bool(2 * np.count_nonzero(same) <= b.size)

"""Names a mistake that no bank has: by what relates a step's answers to the right ones.

First by experiment, the reference called differently; then by comparison; at last by where the
step goes wrong. A relation must explain every call, and more than chance would.
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
"""What names a misconception of the bank behind some calls."""


def relate(
    compiled: CompiledExercise, step: str, probes: Sequence[Probe], known: Known
) -> Relation | Misconception | None:
    """The relation that explains a step's answers, if one does.

    Where none does, two mistakes may hide each other: then the one that stands alone in calls of
    one kind, which may be a misconception of the bank.
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
            # Of a function that answers the same call in two ways no value says anything.
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
    """Answers of earlier calls, unless an argument that is ignored gives the same ones: then an
    earlier call without that argument had to be answered so."""
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
    """What explains the wrong calls of one kind, the first among them."""
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
    """Whether an answer is so near to the right one that a bank's tolerance sees no difference."""
    a, b = as_numbers(answer.got.value), as_numbers(answer.right.value)
    return a is not None and b is not None and a.shape == b.shape and np.allclose(a, b, rtol=1e-5)


def _where_it_is_wrong(
    begun: Sequence[Experiment], wrong: Sequence[AnsweredCall]
) -> Relation | None:
    """What explains all wrong calls: those that are right may be a case that the student has
    thought of."""
    relation = _first(begun, wrong, ()) if worth(wrong) >= SURE else None
    return _said_of("where it is wrong", relation) if relation else None


def _said_of(where: str, relation: Relation) -> Relation:
    """A relation that holds in some calls."""
    sentence = relation.sentence[0].lower() + relation.sentence[1:]
    return Relation(relation.name, f"{where[0].upper()}{where[1:]}, {sentence}")


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
        # By chance an earlier answer may resemble the right one: its first row, say.
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
    """The first experiment that explains all; where there is ``begun``, it must explain whole
    answers, and those that begin to are kept there."""
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
    """What is said of an experiment that explains these parts of an answer, or all of it."""
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
        return None  # what is vague of some calls says nothing of those that raise
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
    """What the exceptions say, where all calls that go wrong raise one."""
    if not all(answer.got.raised for answer in wrong):
        return None
    found = said_by([answer.got.exception for answer in wrong], kinds)
    return Relation(*found) if found else None


def _by_some_exceptions(wrong: Sequence[AnsweredCall]) -> Relation | None:
    """What the calls that raise have in common, where others go wrong in another way."""
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
    """What the exceptions say of calls whose numbers are too large to ask the reference."""
    outcomes = [probe.outcome for probe in probes if not probe.passed]
    raised = [outcome.exception for outcome in outcomes if outcome and outcome.raised]
    found = said_by(raised, EXACT)
    return Relation(*found) if found else None


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
            if a is None or b is None or a.shape != b.shape:
                continue
            # NaN is not tiny; it stands where anything may stand.
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
    """That all is right but for large whole numbers."""
    wrong = [answer for answer in answered if not answer.is_right]
    right = [answer.arguments for answer in answered if answer.is_right]
    if not wrong:
        return None
    raises = all(answer.got.raised for answer in wrong)
    found = large_whole_numbers(function, [answer.arguments for answer in wrong], right, raises)
    return Relation(*found) if found else None


def _is_mostly_wrong(answer: AnsweredCall) -> bool:
    """Whether hardly any number of an answer is right; so is one of another shape, or none."""
    a, b = as_numbers(answer.got.value), as_numbers(answer.right.value)
    if answer.got.raised or answer.right.raised or a is None or b is None or a.shape != b.shape:
        return True
    same = np.isclose(a, b, ALIKE_RTOL, ALIKE_ATOL, equal_nan=True)
    return bool(2 * np.count_nonzero(same) <= b.size)

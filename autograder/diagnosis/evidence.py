"""Compares a step's answers with the right ones, and decides whether an experiment explains them:
in every call, and better than chance."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import numpy as np

from autograder.diagnosis.calls import (
    Arguments,
    Function,
    Outcome,
    Probe,
    Unfit,
    asked,
    bound,
    holds_few,
    is_small,
)
from autograder.diagnosis.experiments import Experiment
from autograder.engine.turns import MOST, Endless, at_most, enough
from autograder.tools.likeness import ENOUGH, SURE, alike, as_numbers, close, is_binary, weight

MAX_NUMBERS, MAX_INTEGER = 2_000, 1_000
"""Limits for an argument of a call: the count of its numbers, and the largest single integer, which
may be the size of an answer; MAX_ANSWER limits the answer."""

MAX_ANSWER = 20_000

MANY_NUMBERS, LARGE_INTEGER = 50_000, 100_000
"""The same if only the right answer is computed, and no experiments."""

MORE_NUMBERS = 10_000
"""The limit for experiments if no smaller call goes wrong."""

FEW, SEVERAL = 4.0, 4
"""The evidence that a single wrong call needs if at least this many others are right."""

MAX_CALLS = 60
"""At most this many calls are compared."""


@dataclass(frozen=True)
class Relation:
    """A relation between wrong answers and the right ones: a short name, and a sentence with a
    question."""

    name: str
    sentence: str


@dataclass(frozen=True)
class AnsweredCall:
    """A call, the step's answer, and the right answer.

    ``is_right``: the check accepted the answer, or it equals the reference's. ``in_part``: as in
    ``Probe``. ``turns``: how often the loops of the reference ran.
    """

    arguments: Arguments
    got: Outcome
    right: Outcome
    is_right: bool
    in_part: bool
    turns: int
    probe: Probe

    def is_small(self, most: int) -> bool:
        """Whether it holds at most ``most`` numbers, and experiments may use it."""
        is_small_call = is_small(self.probe.arguments, most, MAX_INTEGER)
        return is_small_call and holds_few(self.right.value, MAX_ANSWER)


def answers(function: Function, probes: Sequence[Probe]) -> Iterator[AnsweredCall]:
    """A step's answers with the reference's; without calls that have too many numbers, or that
    cannot be compared."""
    for probe in probes[:MAX_CALLS]:
        if not is_small(probe.arguments, MANY_NUMBERS, LARGE_INTEGER):
            continue
        got = probe.outcome
        if got is None:
            continue

        args, kwargs, _ = asked(probe.call.request)  # again: the reference may change them
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
        yield AnsweredCall(arguments, got, right, is_right, probe.in_part, turns.taken, probe)


@dataclass(frozen=True)
class Finding:
    """What an experiment explains: whether it ``explains`` all calls, or only ``begins`` to, with
    the first wrong one. ``parts``: the parts of a tuple that it explains, if the others are right;
    empty if it explains whole answers."""

    explains: bool
    begins: bool
    parts: frozenset[int] = frozenset()


def tried(
    experiment: Experiment, wrong: Sequence[AnsweredCall], right: Sequence[AnsweredCall]
) -> Finding:
    """Whether an experiment answers every call as the step did, which is unlikely by chance.

    If it raises or gives NaN where the step is right, the student may have handled such calls
    separately.
    """
    evidence, calls, returned, missed, in_other_words = 0.0, 0, 0, 0, 0
    parts: frozenset[int] = frozenset()
    for answer in (*wrong, *right):
        predicted = prediction(experiment, answer)
        if predicted is None:
            return Finding(False, evidence > 0)

        is_broken = predicted.raised or _has_nan(predicted.value)
        if answer.is_right and (is_broken or _alike(answer.right, predicted)):
            continue
        if not _alike(answer.got, predicted):
            if _alike_but_for_nan(answer.got, predicted):
                continue
            mixed, places = _mixed(answer, predicted)
            if mixed is not None and parts in (frozenset(), places):
                predicted, parts = mixed, places

        if not _alike(answer.got, predicted):
            missed += 1
            if not answer.in_part or missed > 1:
                return Finding(False, evidence > 0)
            continue

        if not answer.is_right:
            more = _evidence(answer.got, predicted, answer.right)
            evidence += more
            calls += more > 0
            returned += answer.got.raised is None and more > 0
            in_other_words += answer.got.raised is not None and more == 0

    # If there are only exceptions, all must be in the same words; if most calls raise, the other
    # calls alone must be enough evidence.
    if (not returned and calls < len(wrong)) or (in_other_words > returned and evidence < SURE):
        return Finding(False, evidence > 0)
    needed = FEW if len(right) >= SEVERAL and not _is_truth(wrong) else SURE
    if calls >= 2 or experiment.is_narrow:
        needed = ENOUGH
    return Finding(evidence >= needed, evidence > 0, parts)


def explains(experiment: Experiment, answer: AnsweredCall) -> bool:
    """Whether an experiment answers a call as the step did."""
    predicted = prediction(experiment, answer)
    return predicted is not None and _alike(answer.got, predicted)


def is_telling(got: Outcome) -> bool:
    """Whether an experiment could explain an outcome: the message of an exception must name shapes
    or sizes, as NumPy's do. A number within a word, as in "0-dimensional", does not count."""
    return got.raised is None or bool(re.search(r"(?<![\w-])\d+(?![\w-])", got.text))


def worth(answers: Sequence[AnsweredCall]) -> float:
    """The evidence in matching exactly these wrong answers."""
    total = 0.0
    for answer in answers:
        if answer.got.raised is None and answer.right.raised is None:
            total += _weight(answer.got.value, answer.got.value, answer.right.value)
    return total


def _is_truth(answers: Sequence[AnsweredCall]) -> bool:
    """Whether answers hold only true and false, which often match by chance."""
    arrays = [as_numbers(answer.right.value) for answer in answers]
    return all(array is not None and is_binary(array) for array in arrays)


def prediction(experiment: Experiment, answer: AnsweredCall) -> Outcome | None:
    """The outcome of a call in an experiment; None if it does not end."""
    try:
        with at_most(enough(answer.turns)):
            return Outcome(experiment.answer(answer.arguments), None, [])
    except Endless:
        return None
    except Unfit:
        return answer.right
    except Exception as error:
        cell = _cell(error.__traceback__)
        return Outcome(None, type(error).__name__, [], str(error), cell=cell)


def _cell(trace: TracebackType | None) -> str:
    """The innermost cell that an exception came through, as ``Outcome`` names it."""
    cell = ""
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if name.startswith("<") and name[1:-1].isidentifier():
            cell = name[1:-1]
        trace = trace.tb_next
    return cell


def _alike(one: Outcome, other: Outcome) -> bool:
    if one.raised or other.raised:
        return bool(one.raised) == bool(other.raised)
    return alike(one.value, other.value)


def _mixed(answer: AnsweredCall, predicted: Outcome) -> tuple[Outcome | None, frozenset[int]]:
    """The prediction, with right parts where the answer has them, and the indices of the other
    parts; None if a part is neither right nor predicted, or if all are right."""
    got, right = answer.got.value, answer.right.value
    several = [value for value in (predicted.value, right) if isinstance(value, tuple)]
    if len(several) < 2 or not isinstance(got, (tuple, list)):
        return None, frozenset()
    if not len(got) == len(right) == len(predicted.value):
        return None, frozenset()

    parts, places = list(right), set()
    for place, part in enumerate(got):
        if not alike(part, right[place]):
            if not alike(part, predicted.value[place]):
                return None, frozenset()
            parts[place] = predicted.value[place]
            places.add(place)
    return Outcome(tuple(parts), None, []) if places else None, frozenset(places)


def _has_nan(value: Any) -> bool:
    array = as_numbers(value)
    return array is not None and array.dtype.kind == "f" and bool(np.isnan(array).any())


def _alike_but_for_nan(one: Outcome, other: Outcome) -> bool:
    """Whether an answer is NaN in places, and as predicted in all others: the teacher's function
    may avoid the NaN."""
    a, b = as_numbers(one.value), as_numbers(other.value)
    if a is None or b is None or a.shape != b.shape or a.dtype.kind != "f":
        return False
    broken = np.isnan(a)
    return bool(broken.any() and not broken.all() and close(a[~broken], b[~broken]))


def _evidence(got: Outcome, predicted: Outcome, right: Outcome) -> float:
    """The evidence for a prediction that equals the wrong answer."""
    if got.raised is not None:
        # Sizes often coincide: the operation in which they did not fit tells more.
        same = (got.text, got.cell) == (predicted.text, predicted.cell)
        return 2.0 if is_telling(got) and same else 0.0
    return _weight(got.value, predicted.value, right.value)


def _weight(got: Any, predicted: Any, right: Any) -> float:
    several = isinstance(got, (tuple, list)) and isinstance(predicted, tuple)
    if several and isinstance(right, tuple) and len(got) == len(predicted) == len(right):
        return max(map(_weight, got, predicted, right))
    a, b, c = map(as_numbers, (got, predicted, right))
    if a is None or b is None or c is None:
        if isinstance(got, (str, bytes)) and not alike(predicted, right):
            return max(2.0, len(set(got)) / 1.5)
        return 0.0 if alike(predicted, right) else 2.0
    return weight(a, b, c)

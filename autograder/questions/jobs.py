"""Which line does a job, and which change undoes it: found by trying changes line by line."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.questions import arguments
from autograder.questions.arguments import Arguments, told, written
from autograder.questions.laboratory import Observed, alike, is_unclear
from autograder.questions.student_code import LineChange
from autograder.questions.subject import CodeQuestion, Found, Subject, quoted

MAY_OVERFLOW = re.compile("exp|log|max")
"""Lines that keep large numbers finite: they take a maximum, or feed an exponential or a
logarithm."""

MAY_MOVE = re.compile(r"moveaxis|swapaxes|transpose|reshape|ravel|\.T\b|stack|concat|split|roll")
"""Lines that move numbers to other places, though perhaps not with these arguments."""

MAY_SUM = re.compile("sum|softmax")
"""Lines that make numbers sum to one, though a later line may do it again."""


@dataclass(frozen=True)
class Effect:
    """A possible effect of a change on a result.

    ``job``: the purpose of a line that has this effect when changed. ``lets``: what the change
    does. ``given``: the arguments that show the effect. ``is_there`` compares the result before and
    after the change, and the result of the unchanged code for the arguments ``otherwise``.
    """

    name: str
    job: str
    lets: str
    given: Callable[[Subject], Arguments | None]
    is_there: Callable[[Any, Any, Any], bool]
    otherwise: Callable[[Arguments], Arguments] = lambda given: given


def _sums_to_one(numbers: Any) -> bool:
    return numbers.ndim > 0 and alike(numbers.sum(axis=-1) * 1.0, np.ones(numbers.shape[:-1]))


def _large(subject: Subject) -> Arguments | None:
    given = subject.small and arguments.large(subject.small)
    return given if given and arguments.all_finite(given) else None


def _is_finite(numbers: Any) -> bool:
    return bool(np.isfinite(numbers).all())


def _is_usually_finite(subject: Subject, change: LineChange) -> bool:
    numbers = _numbers(subject.call(subject.small or {}, change.source))
    return numbers is not None and _is_finite(numbers)


def _masked(subject: Subject) -> Arguments | None:
    masks = filter(arguments.are_truth_values, (subject.plain or {}).values())
    return subject.plain if any(not mask.all() for mask in masks) else None


def _unmasked(given: Arguments) -> Arguments:
    unmasked = dict(given)
    for name, value in given.items():
        if arguments.are_truth_values(value):
            unmasked[name] = value | True
    return unmasked


def _is_moved(before: Any, after: Any, _: Any) -> bool:
    """Whether the numbers are the same, in other places."""
    if before.shape != after.shape or before.dtype.kind == "b" or alike(before, after):
        return False
    return _are_same_numbers(before, after)


EFFECTS = (
    Effect(
        "overflow",
        "keeps the result of `{step}` finite when its arguments are in the thousands",
        "brings NaN or an infinite number into the result",
        _large,
        lambda before, after, _: _is_finite(before) and not _is_finite(after),
    ),
    Effect(
        "sum",
        "makes the result of `{step}` sum to 1 along its last axis",
        "makes the result no longer sum to 1 along its last axis",
        lambda subject: subject.plain,
        lambda before, after, _: _sums_to_one(before) and not _sums_to_one(after),
    ),
    Effect(
        "mask",
        "makes `{step}` ignore what the mask hides",
        "gives the same result as a mask that hides nothing",
        _masked,
        lambda before, after, unmasked: not alike(before, unmasked) and alike(after, unmasked),
        _unmasked,
    ),
    Effect(
        "moved",
        "of `{step}` computes no numbers, but decides where they go in the result",
        "leaves the numbers of the result the same, but moves them to other places",
        lambda subject: subject.plain,
        _is_moved,
    ),
    Effect(
        "shape",
        "",
        "gives the result another shape",
        lambda subject: subject.plain,
        lambda before, after, _: before.shape != after.shape,
    ),
    Effect(
        "same",
        "",
        "leaves the result as it is",
        lambda subject: subject.plain,
        lambda before, after, _: alike(before, after),
    ),
)


@dataclass(frozen=True)
class _Experiment:
    """All changes tried with some arguments: those that have an effect, and those that do not.

    ``computing`` are the lines with a change that gives other numbers, ``results`` the result of
    each change.
    """

    given: Arguments
    does: list[LineChange]
    does_not: list[LineChange]
    computing: set[int]
    results: dict[LineChange, str]


def jobs(subject: Subject) -> Found:
    """Which line does a job, and which change undoes it: found by trying changes line by line."""
    if subject.code.is_random:
        return
    for effect in subject.shuffled(EFFECTS):
        experiment = _tried(subject, effect)
        if experiment is not None:
            yield _which_line(subject, effect, experiment)
            yield from _which_change(subject, effect, experiment)


def _tried(subject: Subject, effect: Effect) -> _Experiment | None:
    given = effect.given(subject)
    if given is None:
        return None
    calls = subject.by_shape if given is subject.plain else [given]
    usuals = [_numbers(subject.call(one)) for one in calls]
    otherwise = [_numbers(subject.call(effect.otherwise(one))) for one in calls]
    if any(numbers is None for numbers in [*usuals, *otherwise]):
        return None

    found = _Experiment(given, [], [], set(), {})
    for change in subject.changes:
        afters = [_numbers(subject.call(one, change.source)) for one in calls]
        if any(after is None for after in afters) or any(map(is_unclear, usuals, afters)):
            continue
        if effect.name == "overflow" and not _is_usually_finite(subject, change):
            continue
        found.results[change] = written(afters[0])
        has_same = all(map(_are_same_numbers, usuals, afters))
        if not has_same:
            found.computing.add(change.line)
        if effect.name == "moved" and has_same and usuals[0].shape != afters[0].shape:
            continue  # in another shape every number is in another place
        seen = set(map(effect.is_there, usuals, afters, otherwise))
        if len(seen) == 1:  # an effect with some numbers only is neither right nor wrong
            (found.does if seen.pop() else found.does_not).append(change)
    return found


def _are_same_numbers(one: Any, other: Any) -> bool:
    """Whether two arrays have the same numbers, in any order."""
    return alike(np.sort(one, axis=None), np.sort(other, axis=None))


def _which_line(subject: Subject, effect: Effect, found: _Experiment) -> CodeQuestion | None:
    """Which line does the job, if exactly one does."""
    lines = {change.line for change in found.does}
    others = {change.line for change in found.does_not} - lines
    if not effect.job or len(lines) != 1:
        return None
    if effect.name == "overflow" and not MAY_OVERFLOW.search(subject.code.line(*lines)):
        return None  # a change may divide by 0 there, but the line keeps nothing finite
    # A line that also does the job, but not alone, is no wrong answer.
    does = {"overflow": MAY_OVERFLOW, "sum": MAY_SUM, "moved": MAY_MOVE}.get(effect.name)
    others = {line for line in others if not (does and does.search(subject.code.line(line)))}
    if effect.name == "moved":
        if found.computing & lines:
            return None
        others &= found.computing

    (line,) = lines
    wrong = [f"line {other}" for other in subject.shuffled(sorted(others))]
    prompt = f"Which line {effect.job.format(step=subject.step)}?"
    settings = [type(value) in (int, float) for value in found.given.values()]
    if found.given is subject.plain and any(settings):  # with other settings another line may do it
        prompt = f"`{subject.step}` is called with {quoted(told(found.given, True))}. {prompt}"
    asked = {"changes": [*found.does, *found.does_not], "line": line}
    asked |= {"given": found.given, "effect": effect}
    return subject.question("job", prompt, f"line {line}", wrong, line, asked)


def _which_change(subject: Subject, effect: Effect, found: _Experiment) -> Found:
    """Which of four changes has the effect."""
    is_plain = found.given is subject.plain
    call = f"`{subject.step}` is called with {quoted(told(found.given, shapes_only=is_plain))}. "
    if is_plain and any(arguments.is_told_by_shape(value) for value in found.given.values()):
        call += "All numbers in these arrays are small. "

    for change in found.does[:2]:
        # If two changes have the same result, neither can be the right option.
        unlike = {found.results[other]: other for other in subject.shuffled(found.does_not)}
        wrong = [_change_told(other) for other in unlike.values()]
        prompt = f"{call}Which of these changes, made alone, {effect.lets}?"
        asked = {"changes": [*found.does, *found.does_not], "right": change}
        asked |= {"given": found.given, "effect": effect}
        sure = []
        if effect.name == "overflow" and _divides(subject, change):  # a single one would stand out
            dividing = [other for other in unlike.values() if _divides(subject, other)]
            if not dividing:
                continue
            sure = [_change_told(dividing[0])]
        if is_plain and not _has_always(subject, effect, change):
            continue
        right = _change_told(change)
        yield subject.question("choice", prompt, right, wrong, change.line, asked, sure)


def _has_always(subject: Subject, effect: Effect, change: LineChange) -> bool:
    """Whether a change has its effect with any numbers."""
    for given in subject.further:
        before, after = _numbers(subject.call(given)), _numbers(subject.call(given, change.source))
        otherwise = _numbers(subject.call(effect.otherwise(given)))
        if before is None or after is None or otherwise is None:
            return False
        if not effect.is_there(before, after, otherwise):
            return False
    return True


def _divides(subject: Subject, change: LineChange) -> bool:
    """Whether the changed line has one more division."""
    return change.text.count("/") > subject.code.line(change.line).count("/")


def _change_told(change: LineChange) -> str:
    return f"line {change.line}: {change.text}"


def _numbers(outcome: Observed | None) -> Any:
    """The result as one array; None if it is none, or several."""
    numbers = None if outcome is None else outcome.numbers
    return None if numbers is None or numbers.ndim == 0 else numbers

"""The circumstances in which a function goes wrong: with a mask, with large numbers, with a batch.
Also its side effects: a changed argument, or a value kept between calls."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, product
from typing import Any

import numpy as np

from autograder.diagnosis.altered_values import AXES
from autograder.diagnosis.calls import Arguments, Function, Outcome, Probe, Unfit, bound, is_whole
from autograder.diagnosis.evidence import AnsweredCall, Relation, worth
from autograder.diagnosis.experiments import Experiment
from autograder.tools.likeness import ENOUGH, alike, as_numbers

LARGE = 500.0
"""Above this, an exponential overflows; everyday examples have smaller numbers."""

LARGE_WHOLE = (2**31 - 1, 65_535, 1_000, 255)
"""Larger whole numbers are too large for some type, or for a table of usual length."""

_COUNTS = {1: "one axis", 2: "two axes", 3: "three axes", 4: "four axes"}


@dataclass(frozen=True)
class Circumstance:
    """A condition that holds for some calls and not for others.

    ``elsewhere`` and ``there`` complete "is right ..., and goes wrong ...".
    """

    name: str
    elsewhere: str
    there: str
    ask: str
    holds: Callable[[Arguments], bool]
    least: int = 2
    """The number of wrong calls that must support it."""
    array: str = ""
    """The array whose axis it names; if it also holds for another axis of that array, neither is
    named."""
    never_right: bool = False
    """Whether a single right call refutes it."""


def circumstance(
    function: Function,
    wrong: Sequence[Arguments],
    right: Sequence[Arguments],
    raises: bool,
    only_given: bool,
    throughout: bool,
) -> tuple[str, str] | None:
    """The name of the circumstance that all wrong calls share, and hardly any right ones, and a
    sentence.

    Args:
        function: the reference, whose parameters the calls give.
        raises: whether the function raises in the wrong calls. A check ends at the first of these,
            so one is enough.
        only_given: whether to say only that an argument is given, which says little.
        throughout: whether most of each wrong answer is wrong. If not, axes are not the reason:
            with more axes, some numbers just occur more often.
    """
    found = []
    for one in circumstances(function, [*wrong, *right], only_given):
        if one.name != "wrong_with_more_axes" or throughout:
            found.append(one)
    return _first_in_common(found, wrong, right, raises)


def large_whole_numbers(
    function: Function, wrong: Sequence[Arguments], right: Sequence[Arguments], raises: bool
) -> tuple[str, str] | None:
    """The same for large whole numbers, as the circumstance of all wrong calls.

    None if all wrong calls have more numbers than any right one: that may be the reason.
    """
    found: list[Circumstance] = []
    for name in inspect.signature(function).parameters:
        least = min((len(_whole_numbers(arguments[name])) for arguments in wrong), default=0)
        if any(len(_whole_numbers(arguments[name])) >= least for arguments in right):
            found += [_large_whole(name, most) for most in LARGE_WHOLE]
    return _first_in_common(found, wrong, right, raises)


def _first_in_common(
    found: Sequence[Circumstance],
    wrong: Sequence[Arguments],
    right: Sequence[Arguments],
    raises: bool,
) -> tuple[str, str] | None:
    how = "raises an error" if raises else "goes wrong"
    for one in found:
        least = 1 if raises else one.least
        if len(wrong) < least or not all(map(one.holds, wrong)):
            continue
        also = sum(map(one.holds, right))
        if one.array and not _is_told_apart(one, found, wrong, right):
            continue
        if len(right) - also >= 2 and also * 2 <= (0 if one.never_right else len(wrong)):
            sentence = f"Your function is right {one.elsewhere}, and {how} {one.there}. {one.ask}"
            return one.name, sentence
    return None


def _is_told_apart(
    one: Circumstance,
    found: Sequence[Circumstance],
    wrong: Sequence[Arguments],
    right: Sequence[Arguments],
) -> bool:
    """Whether this axis makes the difference: no other axis of the array fits all wrong calls, and
    the arrays of some right call have as many axes as those of a wrong one."""
    for other in found:
        is_rival = other.array == one.array and other is not one
        if is_rival and all(map(other.holds, wrong)):
            return False
    dimensions = list(map(_dimensions, wrong))
    others = (arguments for arguments in right if not one.holds(arguments))
    return any(_dimensions(arguments) in dimensions for arguments in others)


def _dimensions(arguments: Arguments) -> list[int | None]:
    """How many axes each array has."""
    values = arguments.values()
    return [value.ndim if isinstance(value, np.ndarray) else None for value in values]


def circumstances(
    function: Function, samples: Sequence[Arguments], only_given: bool
) -> Iterator[Circumstance]:
    """Circumstances of some of these calls; ``only_given`` as in ``circumstance``."""
    parameters = inspect.signature(function).parameters
    given = []
    for name, parameter in parameters.items():
        if parameter.default is not inspect.Parameter.empty:
            given.append(_given(name, parameter.default))
    if only_given:
        yield from given
        return

    arrays = []
    for name in parameters:
        if all(_is_array(sample[name]) for sample in samples):
            arrays.append(name)

    for most in (4, 3, 2, 1):
        for name in arrays:
            yield _more_axes(name, most)
    yield from map(_tables_only, arrays)
    for name in parameters:
        if all(sample[name] is None or isinstance(sample[name], np.ndarray) for sample in samples):
            yield from (_axis_of_one(name, *axis) for axis in AXES[:3])
    special = list(map(_special, arrays))
    yield from special
    for name in parameters:
        if all(is_whole(sample[name]) for sample in samples):
            yield _one(name)

    sizes = _far_below(), _large()
    yield from sizes
    for one, other in product((*given, *special), sizes):
        yield _both(one, other)


def _given(name: str, default: Any) -> Circumstance:
    return Circumstance(
        "wrong_with_argument",
        f"without {name}",
        f"wherever {name} is given",
        f"What does your code do with {name}?",
        lambda arguments: (
            arguments[name] is not None if default is None else bool(arguments[name] != default)
        ),
    )


def _more_axes(name: str, most: int) -> Circumstance:
    return Circumstance(
        "wrong_with_more_axes",
        f"as long as {name} has {_COUNTS[most]}"
        if most == 1
        else f"up to {_COUNTS[most]} of {name}",
        "with more",
        "Which of your lines counts axes from the front, turns all of them, or joins other ones "
        "when there are more?",
        lambda arguments: np.ndim(arguments[name]) > most,
        least=1,
    )


def _tables_only(name: str) -> Circumstance:
    return Circumstance(
        "right_for_tables_only",
        f"where {name} has two axes",
        "with fewer or more",
        "Which of your lines counts on rows and columns?",
        lambda arguments: np.ndim(arguments[name]) != 2,
        never_right=True,
    )


def _axis_of_one(name: str, axis: int, words: str) -> Circumstance:
    def holds(arguments: Arguments) -> bool:
        shape = np.shape(arguments[name])
        return len(shape) >= -axis and shape[axis] == 1

    return Circumstance(
        "wrong_with_axis_of_one",
        f"as long as the {words} of {name} is 2 or longer",
        "where it has the length 1",
        "What does your code do with an axis of length 1?",
        holds,
        least=1,
        array=name,
    )


def _special(name: str) -> Circumstance:
    def holds(arguments: Arguments) -> bool:
        value = arguments[name]
        return _is_array(value) and value.dtype.kind == "f" and not np.isfinite(value).all()

    return Circumstance(
        "wrong_with_infinity",
        f"for ordinary numbers in {name}",
        f"where {name} holds NaN or infinity",
        "What do your operations make of such a number?",
        holds,
    )


def _one(name: str) -> Circumstance:
    return Circumstance(
        "wrong_with_one",
        f"as long as {name} is 2 or more",
        "where it is 1",
        "What does your code do where there is just one?",
        lambda arguments: bool(arguments[name] == 1),
    )


def _large() -> Circumstance:
    def holds(arguments: Arguments) -> bool:
        return any(np.abs(finite).max() > LARGE for finite in _finite(arguments))

    return Circumstance(
        "wrong_with_large_numbers",
        "for small numbers",
        "where numbers are large",
        "Which of your numbers grows too large there, or vanishes?",
        holds,
        least=1,
    )


def _far_below() -> Circumstance:
    def holds(arguments: Arguments) -> bool:
        for finite in _finite(arguments):
            if finite.min() < -2 * LARGE and finite.max() < 2 * LARGE:
                return True
        return False

    return Circumstance(
        "wrong_with_large_numbers",
        "for small numbers",
        "where numbers lie far below zero",
        "Which number of yours is no longer the smallest there?",
        holds,
        least=1,
    )


def _large_whole(name: str, most: int) -> Circumstance:
    def holds(arguments: Arguments) -> bool:
        numbers = _whole_numbers(arguments[name])
        return max(map(abs, numbers), default=0) > most

    return Circumstance(
        "wrong_with_large_whole_numbers",
        f"for small whole numbers in {name}",
        "where they are large",
        "Which type, table or rule of yours has no room for larger ones?",
        holds,
        least=1,
    )


def _whole_numbers(value: Any) -> list[int]:
    if is_whole(value):
        return [int(value)]
    if isinstance(value, (list, tuple)):
        return list(chain.from_iterable(map(_whole_numbers, value)))
    if isinstance(value, np.ndarray) and value.dtype.kind in "iu":
        return [int(number) for number in value.ravel()]
    return []


def _both(one: Circumstance, other: Circumstance) -> Circumstance:
    return Circumstance(
        one.name,
        "elsewhere",
        f"{one.there} and {other.there}",
        other.ask,
        lambda arguments: one.holds(arguments) and other.holds(arguments),
        least=1,
    )


def _finite(arguments: Arguments) -> Iterator[Any]:
    """The finite numbers of each array, if any."""
    for value in arguments.values():
        if _is_array(value) and value.dtype.kind == "f":
            finite = value[np.isfinite(value)]
            if finite.size:
                yield finite


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) and as_numbers(value) is not None and value.ndim > 0


def changing(function: Function, probes: Sequence[Probe]) -> Relation | None:
    """An argument that a call has changed."""
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
    """The same call with two different answers."""
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


def zero_for_none(function: Function, answered: Sequence[AnsweredCall]) -> Iterator[Experiment]:
    """The number 0 treated as if it were not given: ``eps or 1e-5``.

    Only if some call gives another number that matters: otherwise the argument may be ignored
    altogether.
    """
    for name, parameter in inspect.signature(function).parameters.items():
        default = parameter.default
        if not isinstance(default, (int, float)) or not default:
            continue
        if not any(_matters(function, name, default, answer) for answer in answered):
            continue

        def answer(arguments: Arguments, name: str = name, default: float = default) -> Any:
            given = arguments[name]
            return function(**{**arguments, name: default if given == 0 else given})

        says = f"as if {name} were not given where it is 0"
        yield Experiment("zero_taken_for_none", says, "What is 0 in a condition?", answer, True)


def _matters(function: Function, name: str, default: float, answer: AnsweredCall) -> bool:
    """Whether a number other than 0 is given, and the default would give another answer."""
    given = answer.arguments[name]
    if given in (0, default) or answer.right.raised:
        return False
    try:
        without = function(**{**answer.arguments, name: default})
    except Exception:  # the arguments fit the given number, but perhaps not the default
        return True
    return not alike(answer.right.value, without)


def keeping(function: Function, answered: Sequence[AnsweredCall]) -> Iterator[Experiment]:
    """An argument of an earlier call: the first, the last, or one with the same shapes."""
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

            says = f"as if {name} were that of an earlier call"
            yield Experiment("kept_from_earlier_call", says, ask, answer)


def _first_given(name: str, _: Arguments, before: Sequence[Arguments]) -> Any:
    if not before:
        raise Unfit
    return before[0][name]


def _last_given(name: str, arguments: Arguments, before: Sequence[Arguments]) -> Any:
    if not before or arguments[name] is not None:
        raise Unfit
    return before[-1][name]


def _of_such_shape(name: str, arguments: Arguments, before: Sequence[Arguments]) -> Any:
    """The argument of the first earlier call whose first argument had the same shape."""
    first = next(iter(arguments))
    for call in before:
        if np.shape(call[first]) == np.shape(arguments[first]) and arguments[name] is not None:
            return call[name]
    raise Unfit


def stale(answered: Sequence[AnsweredCall]) -> Relation | None:
    """Calls that get the answer of an earlier call, which was right there."""
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

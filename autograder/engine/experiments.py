"""The reference called differently: does a wrong answer come out if an argument is left out, negated,
turned, exchanged with another, or if a step that the reference calls is?

An experiment answers a call as somebody would who makes one mistake. Nothing of a student's runs
here: the calls are those of the checks, and the functions are the teacher's.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any

import numpy as np

from autograder.engine.mutations import Mutant, mutants

Function = Callable[..., Any]
Namespace = dict[str, Any]

MAX_INTEGER = 2_000
"""The largest whole number that an experiment makes of an argument: it may say how large an array
to make."""


class Arguments(dict[str, Any]):
    """The arguments of a call by their names, defaults among them; ``given`` are those that the
    call names or places."""

    given: frozenset[str] = frozenset()


class Unfit(Exception):
    """An alteration that says nothing about this call: it is answered as the reference answers."""


@dataclass(frozen=True)
class Alteration:
    """A way to change the arguments of a call.

    ``phrase`` completes "as if ..."; ``ask`` is the question that goes with it.
    """

    name: str
    phrase: str
    ask: str
    change: Callable[[Arguments], dict[str, Any]]


@dataclass(frozen=True)
class Experiment:
    """An answer to every call, as one mistake would give it; ``sentence`` says which."""

    name: str
    sentence: str
    answer: Callable[[Arguments], Any]


def bound(function: Function, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Arguments:
    """The arguments of a call; TypeError if they do not fit."""
    call = inspect.signature(function).bind(*args, **kwargs)
    given = frozenset(call.arguments)
    call.apply_defaults()
    arguments = Arguments(call.arguments)
    arguments.given = given
    return arguments


def with_arguments(
    space: Namespace, step: str, samples: list[Arguments]
) -> Iterator[Experiment]:
    """Experiments with the arguments of a step.

    Args:
        space: the names of the reference, in which its functions look up each other.
        samples: the arguments of calls, which say what can be changed at all.
    """
    function = space[step]
    for change in alterations(function, samples):
        yield Experiment(change.name, _sentence(change), _altered(function, change))


def one_step_too_many(
    space: Namespace, steps: tuple[str, ...], step: str, samples: list[Arguments]
) -> Iterator[Experiment]:
    """Another step on top of the right answer, or one that an argument went through before."""
    function = space[step]
    for other in steps:
        after, ask = space[other], "What is asked for by itself?"
        yield Experiment(
            "one_step_too_many",
            f"Your function answers with what {other} makes of the right answer. {ask}",
            lambda given, after=after: after(function(**given)),  # type: ignore[misc]
        )
        for name in samples[0]:
            if other != step and any(_is_array(sample[name]) for sample in samples):
                yield Experiment(
                    "one_step_too_many",
                    f"Your function answers as if {name} had gone through {other} before. "
                    f"What is done with {name} already?",
                    lambda given, name=name, before=after: function(  # type: ignore[misc]
                        **{**given, name: before(given[name])}
                    ),
                )


def with_source(space: Namespace, step: str, source: str) -> Iterator[Experiment]:
    """Experiments with the source of a step."""
    for mutant in mutants(source):
        function = _bound_anew(space, step, mutant)
        if function is not None:
            sentence = _sentence(mutant)
            yield Experiment(mutant.name, sentence, lambda given, f=function: f(**given))  # type: ignore[misc]


def with_steps(
    space: Namespace, step: str, earlier: Mapping[str, str], samples: list[Arguments]
) -> Iterator[Experiment]:
    """Experiments with the steps that a step calls.

    Args:
        earlier: the steps before this one, with their sources.
    """
    called = {}
    for inner in earlier:
        seen = _heard(space, step, inner, samples[:4])
        if seen:
            called[inner] = seen

    for inner, seen in called.items():
        yield from _inside(space, step, inner, seen)
    for inner in called:
        for mutant in mutants(earlier[inner]):
            function = _bound_anew(space, inner, mutant)
            if function is not None:
                sentence = _sentence(mutant, f"in {inner} ")
                yield Experiment(mutant.name, sentence, _with(space, step, inner, function))


def _bound_anew(space: Namespace, step: str, mutant: Mutant) -> Function | None:
    """A mutant of a step as a function."""
    names = dict(space)
    try:
        exec(compile(mutant.source, f"<{step}>", "exec", dont_inherit=True), names)
    except Exception:  # no Python any more
        return None
    return names[step]  # type: ignore[no-any-return]


def _with(
    space: Namespace, step: str, inner: str, instead: Function
) -> Callable[[Arguments], Any]:
    """The answer of a step while one that it calls is another."""

    def answer(arguments: Arguments) -> Any:
        with _Bound(space, inner, instead):
            return space[step](**arguments)

    return answer


def _sentence(change: Alteration | Mutant, where: str = "") -> str:
    return f"Your function answers as if {where}{change.phrase}. {change.ask}"


def _altered(function: Function, change: Alteration) -> Callable[[Arguments], Any]:
    def answer(arguments: Arguments) -> Any:
        return function(**change.change(arguments))

    return answer


def _heard(
    space: Namespace, step: str, inner: str, samples: list[Arguments]
) -> list[Arguments]:
    """The arguments with which a step calls an earlier one."""
    function, heard = space[inner], []

    def listening(*args: Any, **kwargs: Any) -> Any:
        heard.append(bound(function, args, kwargs))
        return function(*args, **kwargs)

    with _Bound(space, inner, listening):
        for arguments in samples:
            try:
                space[step](**arguments)
            except Exception:  # a call that is meant to raise
                continue
    return heard


class _Bound:
    """While it lasts, the name of a step is bound to something else."""

    def __init__(self, space: Namespace, name: str, function: Function) -> None:
        self._space, self._name, self._function = space, name, function
        self._before = space[name]

    def __enter__(self) -> None:
        self._space[self._name] = self._function

    def __exit__(self, *_: object) -> None:
        self._space[self._name] = self._before


def _inside(
    space: Namespace, step: str, inner: str, seen: list[Arguments]
) -> Iterator[Experiment]:
    """A step with one of the steps that it calls left out, called differently or answering
    differently."""
    function = space[inner]
    outer: dict[str, Any] = {}

    def experiment(name: str, phrase: str, ask: str, instead: Function) -> Experiment:
        def answer(arguments: Arguments) -> Any:
            outer.clear()
            outer.update(arguments)
            with _Bound(space, inner, instead):
                return space[step](**arguments)

        return Experiment(name, f"Your function answers as if {phrase}. {ask}", answer)

    def called(change: Alteration) -> Function:
        def instead(*args: Any, **kwargs: Any) -> Any:
            arguments: dict[str, Any] = bound(function, args, kwargs)
            with contextlib.suppress(Unfit):
                arguments = change.change(bound(function, args, kwargs))
            return function(**arguments)

        return instead

    def answering(turn: Callable[[Any, Arguments], Any]) -> Function:
        def instead(*args: Any, **kwargs: Any) -> Any:
            value = function(*args, **kwargs)
            return turn(value, bound(function, args, kwargs))

        return instead

    does = f"Where does your code do what {inner} does?"
    yield experiment("step_left_out", f"it left {inner} out", does, answering(_first_argument))
    shaped = f"a reshape stood in the place of {inner}"
    ask = "Which axes must change places before they merge?"
    yield experiment("step_reshaped", shaped, ask, answering(_reshaped_argument))
    for change in (*alterations(function, seen), *_from_outside(function, seen, space[step], outer)):
        phrase = f"in {inner} {change.phrase}"
        yield experiment(change.name, phrase, change.ask, called(change))
    for name, phrase, ask, turn in _ANSWERS:
        turned = answering(lambda value, _, turn=turn: turn(value))  # type: ignore[misc]
        yield experiment(name, phrase.format(inner), ask.format(inner), turned)
    for name in seen[0]:
        plus = answering(lambda value, given, name=name: _plus(value, given[name]))  # type: ignore[misc]
        phrase = f"{name} were added to what {inner} gives"
        yield experiment("argument_added", phrase, "What is asked for by itself?", plus)


def _first_argument(value: Any, arguments: Arguments) -> Any:
    first = next(iter(arguments.values()))
    return (first,) * len(value) if isinstance(value, tuple) else first


def _reshaped_argument(value: Any, arguments: Arguments) -> Any:
    return np.reshape(next(iter(arguments.values())), np.shape(value))


def _plus(value: Any, more: Any) -> Any:
    if not (_is_array(value) and _is_array(more)) or value.shape != more.shape:
        raise Unfit
    return value + more


def _from_outside(
    function: Function, seen: list[Arguments], caller: Function, outer: dict[str, Any]
) -> Iterator[Alteration]:
    """An argument of an inner step that is one of the caller's, or the length of one."""
    names = inspect.signature(caller).parameters
    for name in inspect.signature(function).parameters:
        values = [sample[name] for sample in seen]
        if all(map(_is_whole, values)):
            for other in names:
                for axis, words in _AXES:
                    yield _length(name, other, axis, words, outer)
                yield _taken(name, other, outer, _is_whole)
        elif all(map(_is_array, values)):
            for other in names:
                yield _taken(name, other, outer, _is_array)


def _taken(
    name: str, other: str, outer: dict[str, Any], fits: Callable[[Any], bool]
) -> Alteration:
    def change(arguments: Arguments) -> dict[str, Any]:
        if not fits(outer[other]):
            raise Unfit
        return {**arguments, name: outer[other]}

    ask = f"What should stand for {name} there?"
    return Alteration("argument_taken_for", f"{name} were {other}", ask, change)


def _turned(value: Any) -> Any:
    if not isinstance(value, np.ndarray) or value.ndim < 2:
        raise Unfit
    return value.swapaxes(-1, -2)


def _negated(value: Any) -> Any:
    return tuple(map(_negated, value)) if isinstance(value, tuple) else -value


def _complemented(value: Any) -> Any:
    if not isinstance(value, np.ndarray) or value.dtype.kind != "b":
        raise Unfit
    return ~value


def _reordered(order: tuple[int, ...]) -> Callable[[Any], Any]:
    def reordered(value: Any) -> Any:
        if not isinstance(value, tuple) or len(value) != len(order):
            raise Unfit
        return tuple(value[place] for place in order)

    return reordered


def _regrouped(value: Any) -> Any:
    """The same numbers, in the order of memory, but in rows of the shape that turning would give."""
    if not isinstance(value, np.ndarray) or value.ndim < 3:
        raise Unfit
    return value.swapaxes(-3, -2).reshape(value.shape)


def _without_infinity(value: Any) -> Any:
    if not _is_array(value) or np.isfinite(value).all():
        raise Unfit
    return np.where(np.isfinite(value), value, 0.0)


def _reversed(axis: int) -> Callable[[Any], Any]:
    def turned(value: Any) -> Any:
        if not isinstance(value, np.ndarray) or value.ndim < -axis:
            raise Unfit
        return np.flip(value, axis)

    return turned


def _only(place: int) -> Callable[[Any], Any]:
    def only(value: Any) -> Any:
        if not isinstance(value, np.ndarray) or value.ndim < 3:
            raise Unfit
        return np.broadcast_to(np.take(value, [place], -3), value.shape).copy()

    return only


def _averaged(value: Any) -> Any:
    if not isinstance(value, np.ndarray) or value.ndim < 3:
        raise Unfit
    return np.broadcast_to(value.mean(axis=-3, keepdims=True), value.shape).copy()


_ANSWERS: tuple[tuple[str, str, str, Callable[[Any], Any]], ...] = (
    (
        "step_transposed",
        "what {} gives were transposed",
        "What do its rows stand for in your code?",
        _turned,
    ),
    (
        "step_negated",
        "what {} gives had every sign turned",
        "Where does your code turn a sign?",
        _negated,
    ),
    (
        "step_complemented",
        "True and False had changed places in what {} gives",
        "What does True mean in your code?",
        _complemented,
    ),
    *(
        (
            "step_parts_exchanged",
            "it took the results of {} in another order",
            "Which result do you take for which?",
            _reordered(order),
        )
        for order in (*permutations(range(2)), *permutations(range(3)))
        if list(order) != sorted(order)
    ),
    (
        "step_without_infinity",
        "{} gave 0 where it gives infinity",
        "What do the later steps make of a 0 there?",
        _without_infinity,
    ),
    (
        "step_regrouped",
        "what {} gives had its numbers in other places, as after a reshape alone",
        "Which axes must change places, and which may merge?",
        _regrouped,
    ),
    *(
        (
            "step_reversed",
            "what {} gives stood in reverse order",
            "In which order does your code go through it?",
            _reversed(axis),
        )
        for axis in (-1, -2, -3)
    ),
    (
        "step_first_only",
        "the first part of what {} gives stood for all of them",
        "Where do the others go in your code?",
        _only(0),
    ),
    (
        "step_averaged",
        "what {} gives were averaged",
        "What should become of its parts instead?",
        _averaged,
    ),
)


def alterations(function: Function, samples: list[Arguments]) -> Iterator[Alteration]:
    """What can be changed about the arguments of such calls."""
    if not samples:
        return
    parameters = inspect.signature(function).parameters
    for name in parameters:
        values = [sample[name] for sample in samples if name in sample]
        default = parameters[name].default
        if default is not inspect.Parameter.empty:
            yield _default(name, default)
        for fits, kinds in (
            (_is_mask, _of_masks),
            (_is_whole, _of_whole_numbers),
            (_is_counts, _of_counts),
            (_is_array, _of_arrays),
        ):
            if any(map(fits, values)):
                yield from kinds(name, parameters)
                break
    yield from _of_two(parameters, samples)


def _default(name: str, default: Any) -> Alteration:
    def change(arguments: Arguments) -> dict[str, Any]:
        if arguments[name] is default:
            raise Unfit
        return {**arguments, name: default}

    return Alteration(
        "argument_ignored", f"{name} were not given", f"What does your code do with {name}?", change
    )


def _other_default(name: str, value: Any) -> Alteration:
    def change(arguments: Arguments) -> dict[str, Any]:
        if name in arguments.given:
            raise Unfit
        return {**arguments, name: value}

    ask = f"What is {name} in your code if nobody says it?"
    return Alteration("other_default", f"{name} were another one where it is not given", ask, change)


def _one(
    name: str, kind: str, phrase: str, ask: str, new: Callable[[Any], Any]
) -> Alteration:
    """An argument made into another."""

    def change(arguments: Arguments) -> dict[str, Any]:
        if arguments[name] is None:
            raise Unfit
        return {**arguments, name: new(arguments[name])}

    return Alteration(kind, phrase.format(name), ask.format(name), change)


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "fiu" and value.ndim > 0


def _is_mask(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind == "b" and value.ndim > 0


def _is_counts(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "iu" and value.ndim > 0


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_))


def _array(value: Any, ndim: int = 1) -> Any:
    if not isinstance(value, np.ndarray) or value.ndim < ndim:
        raise Unfit
    return value


def _of_masks(name: str, _: Mapping[str, Any]) -> Iterator[Alteration]:
    what_true = "What does True in {0} mean in your code?"
    where = "Where does your code use {0}?"
    rows = "What do the rows of {0} stand for in your code?"
    yield _one(
        name,
        "complemented",
        "True and False had changed places in {0}",
        what_true,
        lambda mask: ~_array(mask),
    )
    yield _one(
        name,
        "transposed",
        "{0} were transposed",
        rows,
        lambda mask: _array(mask, 2).swapaxes(-1, -2),
    )
    yield _one(
        name,
        "argument_ignored",
        "{0} were True everywhere",
        where,
        lambda mask: np.ones_like(_array(mask)),
    )
    yield from _of_a_batch(name)


def _of_a_batch(name: str) -> Iterator[Alteration]:
    yield _one(
        name,
        "first_only",
        "the first of {0} stood for the whole batch",
        "What in your code knows which of the batch it is at?",
        lambda value: np.broadcast_to(_array(value, 3)[:1], value.shape).copy(),
    )


def _of_arrays(name: str, _: Mapping[str, Any]) -> Iterator[Alteration]:
    rows = "What do the rows of {0} stand for in your code?"
    yield _one(
        name,
        "negated",
        "every sign in {0} were turned",
        "Where does your code turn a sign?",
        lambda value: -_array(value),
    )
    yield _one(
        name,
        "transposed",
        "{0} were transposed",
        rows,
        lambda value: _array(value, 2).swapaxes(-1, -2),
    )
    yield _one(
        name,
        "argument_ignored",
        "{0} were left out",
        "Where does your code use {0}?",
        _identity,
    )
    yield _one(
        name,
        "reshaped",
        "{0} were reshaped where it should be transposed",
        "What does reshape do to the order of the numbers in {0}?",
        lambda value: _array(value, 2).reshape(value.swapaxes(-1, -2).shape).swapaxes(-1, -2),
    )
    yield _one(
        name,
        "all_axes_turned",
        "all axes of {0} were turned, those of a batch, too",
        "Which axes of {0} should trade places?",
        lambda value: _array(value, 3).T.swapaxes(-1, -2),
    )
    for axis, words in ((-1, "last axis"), (-2, "last axis but one")):
        yield _one(
            name,
            "reversed",
            "{0} were in reverse order along its " + words,
            "From which end does your code count?",
            lambda value, axis=axis: np.flip(_array(value, -axis), axis),  # type: ignore[misc]
        )
    yield _one(
        name,
        "absolute",
        "{0} had no negative numbers",
        "Which line drops the signs of {0}?",
        lambda value: np.abs(_array(value)),
    )
    yield _one(
        name,
        "truncated",
        "{0} held whole numbers only",
        "Which line makes whole numbers of {0}?",
        lambda value: np.trunc(_array(value)),
    )
    yield _one(
        name,
        "without_infinity",
        "{0} held 0 in place of every number that is not finite",
        "What does your code do with an infinite number in {0}?",
        lambda value: np.where(np.isfinite(_array(value)), value, 0.0),
    )
    yield _one(
        name,
        "clipped",
        "{0} were cut off at a largest and a smallest number",
        "Which numbers of {0} does your code change?",
        lambda value: np.clip(_array(value), -50.0, 50.0),
    )
    for digits in (1, 2, 3, 4):
        yield _one(
            name,
            "rounded",
            "{0} were rounded",
            "Where does your code round?",
            lambda value, digits=digits: np.round(_array(value), digits),  # type: ignore[misc]
        )
    for axis, words in ((-1, "row"), (-2, "column")):
        yield _one(
            name,
            "normalised",
            "each " + words + " of {0} were divided by its total",
            "What do the rows of {0} add up to already?",
            lambda value, axis=axis: value / _array(value, -axis).sum(axis, keepdims=True),  # type: ignore[misc]
        )
        for which, kept in (
            ("only the first entry", slice(0, 1)),
            ("only the last entry", slice(-1, None)),
            ("every entry but the first", slice(1, None)),
            ("every entry but the last", slice(0, -1)),
        ):
            yield _one(
                name,
                "some_left_out",
                which + " of each " + words + " of {0} counted",
                "From where to where does your code go?",
                lambda value, axis=axis, kept=kept: _kept(value, axis, kept),  # type: ignore[misc]
            )
    yield _one(
        name,
        "averaged",
        "all numbers in a row of {0} were the same, their mean",
        "What in your code tells the numbers in a row of {0} apart?",
        lambda value: np.broadcast_to(_array(value).mean(-1, keepdims=True), value.shape).copy(),
    )
    yield _one(
        name,
        "largest_only",
        "the largest number in each row of {0} took everything",
        "What becomes of the other numbers?",
        lambda value: (np.argmax(_array(value), -1)[..., None] == np.arange(value.shape[-1])) * 1.0,
    )
    yield from _of_a_batch(name)


def _identity(value: Any) -> Any:
    if _array(value, 2).ndim != 2:
        raise Unfit
    return np.eye(len(value))


def _kept(value: Any, axis: int, kept: slice) -> Any:
    """An array with zeros but for some places along an axis."""
    places = np.zeros(_array(value, -axis).shape[axis])
    places[kept] = 1
    return value * (places if axis == -1 else places[:, None])


def _both_turned(value: Any) -> Any:
    return _array(value, 2).swapaxes(-1, -2)


def _both_left_out(value: Any) -> Any:
    return _identity(value)


def _of_counts(name: str, _: Mapping[str, Any]) -> Iterator[Alteration]:
    begin = "Where do you begin to count, and is the end included?"
    yield _one(name, "one_more", "every number in {0} were one more", begin, lambda n: _array(n) + 1)
    yield _one(name, "one_less", "every number in {0} were one less", begin, lambda n: _array(n) - 1)
    each = "What in your code knows which of {0} it is at?"
    for words, pick in (
        ("the first", lambda n: n[0]),
        ("the last", lambda n: n[-1]),
        ("the largest", np.max),
        ("the smallest", np.min),
    ):
        yield _one(
            name,
            "one_for_all",
            words + " number in {0} stood for all of them",
            each,
            lambda n, pick=pick: np.full_like(n, pick(_array(n))),  # type: ignore[misc]
        )
    yield _one(
        name,
        "sorted",
        "{0} were sorted",
        "Which order has {0}, and which has your answer?",
        lambda n: np.sort(_array(n)),
    )


def _of_whole_numbers(name: str, parameters: Mapping[str, Any]) -> Iterator[Alteration]:
    default = parameters[name].default
    if isinstance(default, int) and default < 0:
        ask = "Along which axis does your code go?"
        for axis in (-1, -2, 0, 1):
            yield _one(
                name,
                "other_axis",
                "{0} were another one",
                ask,
                lambda n, axis=axis: axis,  # type: ignore[misc]
            )
            yield _other_default(name, axis)
        return

    begin = "Where do you begin to count, and is the end included?"
    use = "Where does your code use {0}?"
    power = "Which power of {0} belongs there?"
    made = (
        ("one_more", "{0} were one more", begin, lambda n: n + 1),
        ("one_less", "{0} were one less", begin, lambda n: n - 1),
        ("argument_ignored", "{0} were always 1", use, lambda n: 1),
        ("argument_ignored", "{0} were always 0", use, lambda n: 0),
        ("argument_ignored", "{0} were always -1", use, lambda n: -1),
        ("argument_ignored", "{0} were always -2", use, lambda n: -2),
        ("argument_ignored", "{0} were always 2", use, lambda n: 2),
        ("other_power", "{0} were its own square", power, lambda n: n * n),
        ("other_power", "{0} were its own root", power, lambda n: n**0.5),
        ("other_power", "{0} were multiplied where one divides by it", power, lambda n: 1 / n),
        ("other_power", "{0} were half of it squared", power, lambda n: n * n / 4),
        ("other_power", "{0} were its fourth power", power, lambda n: n**4),
        ("doubled", "{0} were twice as much", "How often does your code count {0}?", lambda n: 2 * n),
        ("halved", "{0} were half as much", "How often does your code count {0}?", lambda n: n / 2),
        (
            "truncated",
            "the root of {0} were cut to a whole number",
            "What is the square root of 8 in your code?",
            lambda n: int(n**0.5) ** 2,
        ),
    )
    for kind, phrase, ask, new in made:
        yield _one(name, kind, phrase, ask, lambda n, new=new: _bounded(n, new))  # type: ignore[misc]
    for other in parameters:
        if other != name:
            for axis, words in _AXES:
                yield _length(name, other, axis, words)
                yield _quotient(name, other, axis, words)


def _bounded(number: Any, new: Callable[[Any], Any]) -> Any:
    if not _is_whole(number) or number <= 0 and new(4) not in (0, 1, -1, -2, 2, 3, 5):
        raise Unfit
    changed = new(int(number))
    if abs(changed) > MAX_INTEGER**2 or changed == number:
        raise Unfit
    return changed


_AXES = (
    (-1, "last axis"),
    (-2, "last axis but one"),
    (-3, "last axis but two"),
    (0, "first axis"),
)


def _length(
    name: str, other: str, axis: int, words: str, outer: dict[str, Any] | None = None
) -> Alteration:
    """A number that is the length of an axis, of an argument of the same call or of the caller's."""

    def change(arguments: Arguments) -> dict[str, Any]:
        value = (arguments if outer is None else outer)[other]
        if not isinstance(value, np.ndarray) or value.ndim < max(-axis, 1):
            raise Unfit
        return {**arguments, name: value.shape[axis]}

    return Alteration(
        "other_length",
        f"{name} were the length of {other}'s {words}",
        "Which length belongs there?",
        change,
    )


def _quotient(name: str, other: str, axis: int, words: str) -> Alteration:
    def change(arguments: Arguments) -> dict[str, Any]:
        value = arguments[other]
        if not isinstance(value, np.ndarray) or value.ndim < max(-axis, 1) or not arguments[name]:
            raise Unfit
        return {**arguments, name: value.shape[axis] // arguments[name]}

    phrase = f"{name} were the length of {other}'s {words} divided by it"
    ask = f"Is {name} how many there are, or how large each is?"
    return Alteration("size_for_count", phrase, ask, change)


def _of_two(parameters: Mapping[str, Any], samples: list[Arguments]) -> Iterator[Alteration]:
    """One argument in the place of another of the same kind."""

    def kind(name: str) -> str:
        values = [sample[name] for sample in samples if sample.get(name) is not None]
        for word, fits in (("mask", _is_mask), ("array", _is_array), ("number", _is_whole)):
            if values and all(map(fits, values)):
                return word
        return ""

    for one, other in combinations(parameters, 2):
        if not kind(one) or kind(one) != kind(other):
            continue
        yield Alteration(
            "exchanged",
            f"{one} and {other} had changed places",
            "Where does your code use which of the two?",
            lambda arguments, one=one, other=other: {  # type: ignore[misc]
                **arguments,
                one: arguments[other],
                other: arguments[one],
            },
        )
        for gone, twice in ((one, other), (other, one)):
            yield Alteration(
                "argument_ignored",
                f"{twice} stood in the place of {gone}",
                f"Where does your code use {gone}?",
                lambda arguments, gone=gone, twice=twice: {  # type: ignore[misc]
                    **arguments,
                    gone: arguments[twice],
                },
            )
        if kind(one) == "array":
            for name, words, change in (
                ("transposed", "were both transposed", _both_turned),
                ("argument_ignored", "were both left out", _both_left_out),
            ):
                yield Alteration(
                    name,
                    f"{one} and {other} {words}",
                    f"Where does your code use {one} and {other}?",
                    lambda arguments, one=one, other=other, change=change: {  # type: ignore[misc]
                        **arguments,
                        one: change(arguments[one]),
                        other: change(arguments[other]),
                    },
                )
    for names in combinations(parameters, 3):
        if not kind(names[0]) or len({kind(name) for name in names}) != 1:
            continue
        for kept in names:
            first, second = (name for name in names if name != kept)
            yield Alteration(
                "argument_ignored",
                f"{kept} stood in the place of {first} and of {second}",
                f"Where does your code use {first}?",
                lambda arguments, kept=kept, gone=(first, second): {  # type: ignore[misc]
                    **arguments,
                    **dict.fromkeys(gone, arguments[kept]),
                },
            )

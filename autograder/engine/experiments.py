"""The reference called differently: does a wrong answer come out if an argument is left out,
negated, turned, exchanged with another, or if a step that the reference calls is?

An experiment answers a call as somebody would who makes one mistake. Nothing of a student's runs
here: the calls are those of the checks, and the functions are the teacher's.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from autograder.engine.alterations import alterations
from autograder.engine.altered_answers import ANSWERS, first_argument, plus, reshaped_argument
from autograder.engine.altered_numbers import AXES, length_of
from autograder.engine.calls import (
    Alteration,
    Arguments,
    Function,
    Unfit,
    bound,
    is_array,
    is_whole,
)
from autograder.engine.mutations import Mutant, mutants
from autograder.engine.turns import MOST, NAME, Endless, at_most, counted, take

Namespace = dict[str, Any]

MOST_PARTS = 4
"""Results of a step that may have been made from each other."""


@dataclass(frozen=True)
class Experiment:
    """An answer to every call, as one mistake would give it; ``sentence`` says which."""

    name: str
    sentence: str
    answer: Callable[[Arguments], Any]


def with_arguments(space: Namespace, step: str, samples: list[Arguments]) -> Iterator[Experiment]:
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
            if other != step and any(is_array(sample[name]) for sample in samples):
                yield Experiment(
                    "one_step_too_many",
                    f"Your function answers as if {name} had gone through {other} before. "
                    f"What is done with {name} already?",
                    lambda given, name=name, before=after: function(  # type: ignore[misc]
                        **{**given, name: before(given[name])}
                    ),
                )


def with_parts(space: Namespace, step: str, samples: list[Arguments]) -> Iterator[Experiment]:
    """One of several results made from another, where all are made from the first argument."""
    function, first = space[step], next(iter(samples[0]))
    try:
        count = len(function(**samples[0])) if is_array(samples[0][first]) else 0
    except Exception:  # a call that is meant to raise, or a result that is no tuple
        return

    def made(source: int, place: int) -> Callable[[Arguments], Any]:
        def answer(given: Arguments) -> Any:
            parts = list(function(**given))
            parts[place] = function(**{**given, first: parts[source]})[place]
            return tuple(parts)

        return answer

    for source, place in permutations(range(count), 2) if count <= MOST_PARTS else ():
        yield Experiment(
            "part_of_a_part",
            f"Your function answers as if part {place + 1} were made from part {source + 1}, and "
            f"not from {first}. What goes into each of them?",
            made(source, place),
        )


def with_source(space: Namespace, step: str, source: str) -> Iterator[Experiment]:
    """Experiments with the source of a step."""
    for mutant in mutants(source):
        function = _bound_anew(space, step, mutant)
        if function is not None:
            sentence = _sentence(mutant)
            yield Experiment(mutant.name, sentence, lambda given, f=function: f(**given))  # type: ignore[misc]


def with_steps(
    space: Namespace,
    step: str,
    earlier: Mapping[str, str],
    samples: list[Arguments],
) -> Iterator[Experiment]:
    """Experiments with the steps that a step calls; ``earlier`` are those before it, with their
    sources."""
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
    names = {**space, NAME: take}
    try:
        with at_most(MOST):
            exec(compile(counted(mutant.source), f"<{step}>", "exec", dont_inherit=True), names)
    except (Exception, Endless):  # no Python any more
        return None
    return names[step]  # type: ignore[no-any-return]


def _with(space: Namespace, step: str, inner: str, instead: Function) -> Callable[[Arguments], Any]:
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


def _heard(space: Namespace, step: str, inner: str, samples: list[Arguments]) -> list[Arguments]:
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


def _inside(space: Namespace, step: str, inner: str, seen: list[Arguments]) -> Iterator[Experiment]:
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
    yield experiment("step_left_out", f"it left {inner} out", does, answering(first_argument))
    for name in seen[0]:
        given = answering(lambda _, arguments, name=name: arguments[name])  # type: ignore[misc]
        yield experiment("step_left_out", f"{inner} gave back {name} as it is", does, given)

    shaped = f"a reshape stood in the place of {inner}"
    ask = "Which axes must change places before they merge?"
    yield experiment("step_reshaped", shaped, ask, answering(reshaped_argument))

    outside = _from_outside(function, seen, space[step], outer)
    for change in (*alterations(function, seen), *outside):
        phrase = f"in {inner} {change.phrase}"
        yield experiment(change.name, phrase, change.ask, called(change))

    for name in seen[0]:
        again = answering(lambda value, given, name=name: function(**{**given, name: value}))  # type: ignore[misc]
        ask = f"How often does your code do what {inner} does?"
        yield experiment("step_twice", f"{inner} were done twice, to {name} again", ask, again)

    for name, phrase, ask, turn in ANSWERS:
        turned = answering(lambda value, _, turn=turn: turn(value))  # type: ignore[misc]
        yield experiment(name, phrase.format(inner), ask.format(inner), turned)

    for name in seen[0]:
        added = answering(lambda value, given, name=name: plus(value, given[name]))  # type: ignore[misc]
        phrase = f"{name} were added to what {inner} gives"
        yield experiment("argument_added", phrase, "What is asked for by itself?", added)


def _from_outside(
    function: Function, seen: list[Arguments], caller: Function, outer: dict[str, Any]
) -> Iterator[Alteration]:
    """An argument of an inner step that is one of the caller's, or the length of one."""
    names = inspect.signature(caller).parameters
    for name in inspect.signature(function).parameters:
        values = [sample[name] for sample in seen]
        if all(map(is_whole, values)):
            for other in names:
                for axis, words in AXES:
                    yield length_of(name, other, axis, words, outer)
                yield _taken(name, other, outer, is_whole)
        elif all(map(is_array, values)):
            for other in names:
                yield _taken(name, other, outer, is_array)


def _taken(name: str, other: str, outer: dict[str, Any], fits: Callable[[Any], bool]) -> Alteration:
    def change(arguments: Arguments) -> dict[str, Any]:
        if not fits(outer[other]):
            raise Unfit
        return {**arguments, name: outer[other]}

    ask = f"What should stand for {name} there?"
    return Alteration("argument_taken_for", f"{name} were {other}", ask, change)

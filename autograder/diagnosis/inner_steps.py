"""A step whose inner steps are left out, called differently, or answer differently."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from autograder.diagnosis.alterations import alterations
from autograder.diagnosis.altered_answers import ANSWERS, first_argument, plus, reshaped_argument
from autograder.diagnosis.altered_numbers import AXES, length_of
from autograder.diagnosis.calls import (
    Alteration,
    Arguments,
    Function,
    Unfit,
    bound,
    is_array,
    is_whole,
)
from autograder.diagnosis.experiment import Bound, Experiment, Namespace

MOST_PARTS = 4
"""Parts of what an inner step gives that may be handed back."""


def of_inner_step(
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
            with Bound(space, inner, instead):
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

    yield from _stages(space, step, inner)
    does = f"Where does your code do what {inner} does?"
    yield experiment("step_left_out", f"it left {inner} out", does, answering(first_argument))
    for name in seen[0]:
        given = answering(lambda _, arguments, name=name: arguments[name])  # type: ignore[misc]
        yield experiment("step_left_out", f"{inner} gave back {name} as it is", does, given)

    shaped = f"a reshape stood in the place of {inner}"
    ask = "Which axes must change places before they merge?"
    yield experiment("step_reshaped", shaped, ask, answering(reshaped_argument))

    outside = _from_outside(function, seen, space[step], outer)
    for change in (*outside, *alterations(function, seen)):
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


def _stages(space: Namespace, step: str, inner: str) -> Iterator[Experiment]:
    """What a step that is called gives, or a part of it, handed back as it is."""

    def answer(arguments: Arguments, place: int | None) -> Any:
        function, given = space[inner], []

        def listening(*args: Any, **kwargs: Any) -> Any:
            given.append(function(*args, **kwargs))
            return given[-1]

        with Bound(space, inner, listening):
            space[step](**arguments)
        return given[-1] if place is None else given[-1][place]

    for place in (None, *range(MOST_PARTS)):
        part = "" if place is None else f" as its part {place + 1}"
        yield Experiment(
            "stage_returned",
            f"Your function answers with what {inner} gives{part}. What is still to be done then?",
            partial(answer, place=place),
        )


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

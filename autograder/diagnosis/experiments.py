"""Calls the reference differently: does it give the wrong answer if an argument is left out,
negated, transposed, or exchanged, or if a step that the reference calls is?

An experiment answers a call as one mistake would. No student code runs here: the calls are those of
the checks, and the functions are the teacher's.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations, permutations
from typing import Any

import numpy as np

from autograder.diagnosis.alterations import Alteration, alterations, with_other
from autograder.diagnosis.altered_values import ANSWERS, LENGTHS, Fits, OfTwo, changed, three
from autograder.diagnosis.calls import (
    Arguments,
    Function,
    Unfit,
    bound,
    is_array,
    is_mask,
    is_whole,
)
from autograder.diagnosis.mutants import Mutant, mutants
from autograder.engine.turns import MOST, NAME, Endless, at_most, take

MOST_PARTS = 4
"""At most this many parts of an answer may be exchanged or returned."""

Namespace = dict[str, Any]
"""The names of the reference: its functions look each other up there."""

Answer = Callable[[Arguments], Any]


@dataclass(frozen=True)
class Experiment:
    """An answer to every call, as one mistake would give it.

    ``says`` completes "your function answers ..."; ``ask`` is the question that goes with it.
    """

    name: str
    says: str
    ask: str
    answer: Answer
    is_narrow: bool = False
    """Whether it changes only one kind of call, and so rarely matches by chance."""

    @property
    def sentence(self) -> str:
        return self.sentence_of("Your function answers")

    def sentence_of(self, subject: str) -> str:
        """The sentence with another subject than the function."""
        return f"{subject} {self.says}. {self.ask}"


class Bound:
    """A context in which the name of a step is bound to something else."""

    def __init__(self, space: Namespace, name: str, function: Function) -> None:
        self._space, self._name, self._function = space, name, function
        self._before = space[name]

    def __enter__(self) -> None:
        self._space[self._name] = self._function

    def __exit__(self, *_: object) -> None:
        self._space[self._name] = self._before


def with_arguments(space: Namespace, step: str, samples: list[Arguments]) -> Iterator[Experiment]:
    """Experiments with the arguments of a step.

    Args:
        space: the names of the reference.
        samples: the arguments of calls, which show what can be changed at all.
    """
    function = space[step]

    def answer(arguments: Arguments, alteration: Alteration) -> Any:
        return function(**alteration.change(arguments))

    for alteration in alterations(function, samples):
        yield _as_if(alteration, partial(answer, alteration=alteration))


def _as_if(change: Alteration | Mutant, answer: Answer, where: str = "") -> Experiment:
    return Experiment(change.name, f"as if {where}{change.phrase}", change.ask, answer)


def one_step_too_many(
    space: Namespace, steps: tuple[str, ...], step: str, samples: list[Arguments]
) -> Iterator[Experiment]:
    """Another step applied to the right answer, or to an argument before the call."""
    function = space[step]

    def on_top(arguments: Arguments, other: Function) -> Any:
        return other(function(**arguments))

    def before(arguments: Arguments, other: Function, name: str) -> Any:
        return function(**{**arguments, name: other(arguments[name])})

    for other in steps:
        says, ask = f"with what {other} makes of the right answer", "What is asked for by itself?"
        answer: Answer = partial(on_top, other=space[other])
        yield Experiment("one_step_too_many", says, ask, answer)
        for name in samples[0]:
            if other != step and any(is_array(sample[name]) for sample in samples):
                says = f"as if {name} had gone through {other} before"
                answer = partial(before, other=space[other], name=name)
                ask = f"What is done with {name} already?"
                yield Experiment("one_step_too_many", says, ask, answer)


def with_parts(space: Namespace, step: str, samples: list[Arguments]) -> Iterator[Experiment]:
    """One of several results computed from another one, and not from the first argument."""
    function, first = space[step], next(iter(samples[0]))
    try:
        count = len(function(**samples[0])) if is_array(samples[0][first]) else 0
    except Exception:  # a call that is meant to raise, or a result that is no tuple
        return

    def answer(given: Arguments, source: int, place: int) -> Any:
        parts = list(function(**given))
        parts[place] = function(**{**given, first: parts[source]})[place]
        return tuple(parts)

    for source, place in permutations(range(count), 2) if count <= MOST_PARTS else ():
        yield Experiment(
            "part_of_a_part",
            f"as if part {place + 1} were made from part {source + 1}, and not from {first}",
            "What goes into each of them?",
            partial(answer, source=source, place=place),
        )


def looking_back(function: Function, samples: list[Arguments]) -> Iterator[Experiment]:
    """Rows that see only what comes before them: arrays that end at the index of each row.

    A mask, or other truth values, may have been misread in this way.
    """
    names = samples[0]
    arrays = [name for name in names if all(_has_rows(sample[name]) for sample in samples)]
    masks = [name for name in names if any(is_mask(sample[name]) for sample in samples)]
    ask = "What says in your code which rows a row may see?"
    for cut in (*combinations(arrays, 1), *combinations(arrays, 2)):
        says = f"as if each row saw only the first rows of {' and '.join(cut)}, up to its own"
        for at_the_end in (False, True):
            for given in (True, False) if masks else (False,):
                answer = partial(_looked_back, function, cut, masks, at_the_end, given)
                yield Experiment("looks_back_only", says, ask, answer)


def _has_rows(value: Any) -> bool:
    return is_array(value) and value.ndim > 1


def _looked_back(
    function: Function,
    cut: tuple[str, ...],
    masks: list[str],
    at_the_end: bool,
    given: bool,
    arguments: Arguments,
) -> Any:
    """What a function answers if each row of it sees the first rows of some arrays.

    Args:
        at_the_end: whether the last row sees all of them; or else the first row sees one.
        given: whether this happens only with a mask.
    """
    if given and all(arguments[name] is None for name in masks):
        raise Unfit

    free = {**arguments, **dict.fromkeys(masks)}
    whole = function(**free)
    parts = whole if isinstance(whole, tuple) else (whole,)
    rows, length = parts[0].shape[-2], arguments[cut[0]].shape[-2]

    made = [np.zeros_like(part) for part in parts]
    for row in range(rows):
        end = min(row + 1 + (length - rows if at_the_end else 0), length)
        if end < 1:
            continue
        seen = function(**{**free, **{name: free[name][..., :end, :] for name in cut}})
        for part, new in zip(made, seen if isinstance(whole, tuple) else (seen,)):
            part[..., row, : new.shape[-1]] = new[..., row, :]

    return tuple(made) if isinstance(whole, tuple) else made[0]


def along_the_first_axis(function: Function, samples: list[Arguments]) -> Iterator[Experiment]:
    """Rows taken along the first axis, which is the batch."""
    names = [name for name in samples[0] if any(three(sample[name]) for sample in samples)]
    if not names:
        return

    def answer(arguments: Arguments) -> Any:
        if not any(three(arguments[name]) for name in names):
            raise Unfit
        turned = {name: _first_exchanged(arguments[name]) for name in names}
        value = function(**{**arguments, **turned})
        if isinstance(value, tuple):
            return tuple(map(_first_exchanged, value))
        return _first_exchanged(value)

    says = f"as if rows lay along the first axis of {' and '.join(names)}"
    yield Experiment("along_first_axis", says, "Counted from the end, which axis is it?", answer)


def _first_exchanged(value: Any) -> Any:
    """An array with its first axis exchanged with that of its rows."""
    return value.swapaxes(0, -2) if three(value) else value


def with_source(space: Namespace, step: str, source: str) -> Iterator[Experiment]:
    """Experiments with the source of a step."""

    def answer(arguments: Arguments, function: Function) -> Any:
        return function(**arguments)

    for mutant in mutants(source, step):
        function = _function_of(space, step, mutant)
        if function is not None:
            yield _as_if(mutant, partial(answer, function=function))


def _function_of(space: Namespace, step: str, mutant: Mutant) -> Function | None:
    """A mutant of a step as a function."""
    names = {**space, NAME: take}
    try:
        with at_most(MOST):
            exec(mutant.code, names)
    except (Exception, Endless):  # no longer a function
        return None
    return names[step]  # type: ignore[no-any-return]


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
        yield from _stages(space, step, inner)
        yield from _with_step(space, step, inner, seen)

    def answer(arguments: Arguments, inner: str, instead: Function) -> Any:
        with Bound(space, inner, instead):
            return space[step](**arguments)

    for inner in called:
        for mutant in mutants(earlier[inner], inner):
            function = _function_of(space, inner, mutant)
            if function is not None:
                changed_step = partial(answer, inner=inner, instead=function)
                yield _as_if(mutant, changed_step, f"in {inner} ")


def _heard(space: Namespace, step: str, inner: str, samples: list[Arguments]) -> list[Arguments]:
    """The arguments with which a step calls an earlier one."""
    function, heard = space[inner], []

    def listening(*args: Any, **kwargs: Any) -> Any:
        heard.append(bound(function, args, kwargs))
        return function(*args, **kwargs)

    with Bound(space, inner, listening):
        for arguments in samples:
            try:
                space[step](**arguments)
            except Exception:  # a call that is meant to raise
                continue
    return heard


def _stages(space: Namespace, step: str, inner: str) -> Iterator[Experiment]:
    """The answer of an inner step, or a part of it, returned unchanged."""

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
        says, ask = f"with what {inner} gives{part}", "What is still to be done then?"
        yield Experiment("stage_returned", says, ask, partial(answer, place=place))


def _with_step(
    space: Namespace, step: str, inner: str, seen: list[Arguments]
) -> Iterator[Experiment]:
    """A step with an inner step left out, called differently, or answering differently."""
    function = space[inner]
    outer: dict[str, Any] = {}

    def experiment(name: str, phrase: str, ask: str, instead: Function) -> Experiment:
        def answer(arguments: Arguments) -> Any:
            outer.clear()
            outer.update(arguments)
            with Bound(space, inner, instead):
                return space[step](**arguments)

        return Experiment(name, f"as if {phrase}", ask, answer)

    def called(alteration: Alteration) -> Function:
        def instead(*args: Any, **kwargs: Any) -> Any:
            arguments: dict[str, Any] = bound(function, args, kwargs)
            with contextlib.suppress(Unfit):
                arguments = alteration.change(bound(function, args, kwargs))
            return function(**arguments)

        return instead

    def answering(turn: Callable[..., Any], **more: Any) -> Function:
        """Change the inner step's answer, by the arguments of its call."""

        def instead(*args: Any, **kwargs: Any) -> Any:
            value = function(*args, **kwargs)
            return turn(value, bound(function, args, kwargs), **more)

        return instead

    def again(value: Any, arguments: Arguments, name: str) -> Any:
        return function(**{**arguments, name: value})

    does = f"Where does your code do what {inner} does?"
    yield experiment("step_left_out", f"it left {inner} out", does, answering(_first_argument))
    for name in seen[0]:
        phrase = f"{inner} gave back {name} as it is"
        yield experiment("step_left_out", phrase, does, answering(_argument, name=name))

    phrase = f"a reshape stood in the place of {inner}"
    ask = "Which axes must change places before they merge?"
    yield experiment("step_reshaped", phrase, ask, answering(_reshaped_argument))

    outside = _from_outside(function, seen, space[step], outer)
    for alteration in (*outside, *alterations(function, seen)):
        phrase = f"in {inner} {alteration.phrase}"
        yield experiment(alteration.name, phrase, alteration.ask, called(alteration))

    for name in seen[0]:
        phrase = f"{inner} were done twice, to {name} again"
        ask = f"How often does your code do what {inner} does?"
        yield experiment("step_twice", phrase, ask, answering(again, name=name))

    for kind, phrase, ask, fits, change in ANSWERS:
        turned = answering(_changed_answer, fits=fits, change=change)
        yield experiment(kind, phrase.format(inner), ask.format(inner), turned)

    for name in seen[0]:
        phrase, ask = f"{name} were added to what {inner} gives", "What is asked for by itself?"
        yield experiment("argument_added", phrase, ask, answering(_plus_argument, name=name))


def _first_argument(value: Any, arguments: Arguments) -> Any:
    first = next(iter(arguments.values()))
    return (first,) * len(value) if isinstance(value, tuple) else first


def _argument(value: Any, arguments: Arguments, name: str) -> Any:
    return arguments[name]


def _reshaped_argument(value: Any, arguments: Arguments) -> Any:
    return np.reshape(next(iter(arguments.values())), np.shape(value))


def _changed_answer(
    value: Any, arguments: Arguments, fits: Fits, change: Callable[[Any], Any]
) -> Any:
    return changed(value, fits, change)


def _plus_argument(value: Any, arguments: Arguments, name: str) -> Any:
    more = arguments[name]
    if not (is_array(value) and is_array(more)) or value.shape != more.shape:
        raise Unfit
    return value + more


def _from_outside(
    function: Function, seen: list[Arguments], caller: Function, outer: dict[str, Any]
) -> Iterator[Alteration]:
    """An argument of an inner step replaced by one of the caller's, or by the length of one."""
    names = inspect.signature(caller).parameters
    for name in inspect.signature(function).parameters:
        values = [sample[name] for sample in seen]
        if all(map(is_whole, values)):
            for other in names:
                yield from with_other(name, other, (*LENGTHS, _TAKEN_NUMBER), outer)
        elif all(map(is_array, values)):
            for other in names:
                yield from with_other(name, other, (_TAKEN_ARRAY,), outer)


def _taken(_: Any, other: Any, fits: Fits) -> Any:
    if not fits(other):
        raise Unfit
    return other


_WORDS = "argument_taken_for", "{0} were {1}", "What should stand for {0} there?"
_TAKEN_NUMBER: OfTwo = (*_WORDS, partial(_taken, fits=is_whole))
_TAKEN_ARRAY: OfTwo = (*_WORDS, partial(_taken, fits=is_array))

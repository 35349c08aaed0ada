"""The reference called differently: does a wrong answer come out if an argument is left out,
negated, turned, exchanged with another, or if a step that the reference calls is?

An experiment answers a call as somebody would who makes one mistake. Nothing of a student's runs
here: the calls are those of the checks, and the functions are the teacher's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import combinations, permutations
from typing import Any

import numpy as np

from autograder.diagnosis.alterations import alterations
from autograder.diagnosis.calls import (
    Alteration,
    Arguments,
    Function,
    Unfit,
    bound,
    is_array,
    is_mask,
)
from autograder.diagnosis.experiment import Bound, Experiment, Namespace
from autograder.diagnosis.inner_steps import of_inner_step
from autograder.diagnosis.mutations import Mutant, mutants
from autograder.engine.turns import MOST, NAME, Endless, at_most, take

MOST_PARTS = 4
"""Results of a step that may have been made from each other."""


def with_arguments(space: Namespace, step: str, samples: list[Arguments]) -> Iterator[Experiment]:
    """Experiments with the arguments of a step.

    Args:
        space: the names of the reference, in which its functions look up each other.
        samples: the arguments of calls, which say what can be changed at all.
    """
    function = space[step]
    for change in alterations(function, samples):
        yield altered(function, change)


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


def looking_back(function: Function, samples: list[Arguments]) -> Iterator[Experiment]:
    """Rows that see what comes before them only: arrays that end at the place of each row.

    Where there is a mask, or other truth values, those may have been taken for this.
    """
    names = samples[0]
    arrays = [name for name in names if all(_has_rows(sample[name]) for sample in samples)]
    masks = [name for name in names if any(is_mask(sample[name]) for sample in samples)]
    sentence = (
        "Your function answers as if each row saw only the first rows of {}, up to its own. "
        "What says in your code which rows a row may see?"
    )
    for cut in (*combinations(arrays, 1), *combinations(arrays, 2)):
        for at_the_end in (False, True):
            for given in (True, False) if masks else (False,):
                answer = partial(_looked_back, function, cut, masks, at_the_end, given)
                yield Experiment("looks_back_only", sentence.format(" and ".join(cut)), answer)


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
        given: whether it is so only where there is a mask.
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


def with_source(space: Namespace, step: str, source: str) -> Iterator[Experiment]:
    """Experiments with the source of a step."""
    for mutant in mutants(source, step):
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
        yield from of_inner_step(space, step, inner, seen)
    for inner in called:
        for mutant in mutants(earlier[inner], inner):
            function = _bound_anew(space, inner, mutant)
            if function is not None:
                sentence = _sentence(mutant, f"in {inner} ")
                yield Experiment(mutant.name, sentence, _with(space, step, inner, function))


def _bound_anew(space: Namespace, step: str, mutant: Mutant) -> Function | None:
    """A mutant of a step as a function."""
    names = {**space, NAME: take}
    try:
        with at_most(MOST):
            exec(mutant.code, names)
    except (Exception, Endless):  # no function any more
        return None
    return names[step]  # type: ignore[no-any-return]


def _with(space: Namespace, step: str, inner: str, instead: Function) -> Callable[[Arguments], Any]:
    """The answer of a step while one that it calls is another."""

    def answer(arguments: Arguments) -> Any:
        with Bound(space, inner, instead):
            return space[step](**arguments)

    return answer


def _sentence(change: Alteration | Mutant, where: str = "") -> str:
    return f"Your function answers as if {where}{change.phrase}. {change.ask}"


def altered(function: Function, change: Alteration) -> Experiment:
    """A function called with other arguments."""

    def answer(arguments: Arguments) -> Any:
        return function(**change.change(arguments))

    return Experiment(change.name, _sentence(change), answer)


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

"""Coverage of promises: does every input that a docstring allows occur in a check of its step?

An exercise says in its oracles, under ``PROMISES``, which properties inputs may have. Its checks
run on the solution with the proof's keys, and every call that one of them makes of its own step is
held against the properties.
"""

from __future__ import annotations

import inspect
import json
import tracemalloc
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property, wraps
from pathlib import Path
from typing import Any

from autograder.authoring.proving.trial import Bench
from autograder.base.errors import Unusable
from autograder.base.files import text_of
from autograder.base.text import count, meant
from autograder.exercises import data_files
from autograder.exercises.cell_code import quiet
from autograder.exercises.exercise import Exercise
from autograder.exercises.percent import split
from autograder.exercises.promises import Predicate
from autograder.exercises.sources import authored_at

PROMISES, UNASKED = "PROMISES", "UNASKED"


class CannotAsk(BaseException):
    """A promise that raises: nothing of a check may take that for its step's fault."""


@dataclass(frozen=True)
class Promise:
    """A property that an input of a step may have, and why no check asks for it, if none does."""

    step: str
    words: str
    holds: Predicate = field(compare=False)
    unasked: str = ""

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The arguments that the predicate looks at."""
        return tuple(inspect.signature(self.holds).parameters)

    @property
    def name(self) -> str:
        """What the table ``UNASKED`` calls it."""
        return f"{self.step}: {self.words}"


@dataclass(frozen=True)
class Coverage:
    """For each promise, in which checks it occurs, and with which of the ``keys``."""

    exercise: Exercise
    keys: tuple[int, ...]
    found: Mapping[Promise, Mapping[str, Set[int]]]
    failed: Mapping[str, str] = field(default_factory=dict)
    """The checks that fail on the solution, and what they say: inputs behind that are not seen."""

    def problems(self) -> list[str]:
        """What no check asks, a line each."""
        lines = list(self._silent())
        for check, failure in self.failed.items():
            lines.append(f"{check}: fails on the solution: {failure}")

        for promise, checks in self.found.items():
            seen: set[int] = set().union(*checks.values())
            if promise.unasked and seen:
                check = next(iter(checks))
                lines.append(f"{promise.name}: occurs in {check} now; take it out of {UNASKED}")
            elif not seen and not promise.unasked:
                repair = f"let a check ask for it, or say in {UNASKED} why none does"
                lines.append(f"{promise.name}: occurs in no check of {promise.step}; {repair}")
            elif seen and len(seen) < len(self.keys):
                luck = f"occurs with {len(seen)} of {count(len(self.keys), 'key')} only"
                repair = "draw the numbers, and fix what decides"
                lines.append(f"{promise.name}: {luck}; {repair}")
        return lines

    def _silent(self) -> Iterator[str]:
        """The steps of which nothing is declared, if anything is."""
        declared = {promise.step for promise in self.found}
        for step in self.exercise.functions if declared else ():
            if step not in declared and not self.exercise.cell(step).is_class:
                repair = "write which inputs its docstring allows"
                yield f"{step}: {PROMISES} says nothing of it; {repair}"

    def summary(self) -> str:
        """How many of the properties occur, in a line."""
        asked = sum(map(bool, self.found.values()))
        unasked = sum(bool(promise.unasked) for promise in self.found)
        reasons = f", {unasked} left out for a reason" if unasked else ""
        return f"{asked} of {count(len(self.found), 'property')} occur in a check{reasons}".replace(
            "propertys", "properties"
        )

    def to_json(self) -> str:
        """The same as the table on the terminal, and the problems, for other programs."""
        found = {
            "exercise": self.exercise.name,
            "exercise_sha256": self.exercise.sha256,
            "keys": list(self.keys),
            "covered": not self.problems(),
            "problems": self.problems(),
            "promises": self.rows(),
        }
        return json.dumps(found, indent=1, ensure_ascii=False) + "\n"

    def rows(self) -> list[dict[str, Any]]:
        """The table: for each property the checks in which it occurs, and with how many keys."""
        rows = []
        for promise, checks in self.found.items():
            about = {"step": promise.step, "property": promise.words}
            asked = {check: len(keys) for check, keys in checks.items()}
            rows.append({**about, "checks": asked, "unasked": promise.unasked or None})
        return rows


def read(root: Path, bench: Bench) -> tuple[str, list[Promise]]:
    """Where the authored file of an exercise declares promises, and these; empty where it has none.

    Raises:
        Unusable: what it declares does not fit the exercise.
    """
    path = authored_at(root, bench.exercise.name)
    space = bench.names()
    place = ""
    for cell in split(text_of(path.read_bytes()).split("\n")):
        if cell.marks.split()[:1] != ["oracles"]:
            continue
        # What a predicate calls may be in any of the cells, so all of them run in one namespace.
        try:
            with quiet():
                exec(compile(cell.source, f"<{path.name}>", "exec", dont_inherit=True), space)
        except Exception as error:
            said = " ".join(f"{type(error).__name__}: {error}".split())
            raise Unusable(
                f"{path}:{cell.number}", f"the oracles do not run ({said})", "mend them"
            ) from None
        if not place and PROMISES in space:
            place = f"{path}:{cell.number}"

    return place, list(_promises(bench.exercise, place, space)) if place else []


def _promises(exercise: Exercise, place: str, space: Mapping[str, Any]) -> Iterator[Promise]:
    declared, reasons = space[PROMISES], dict(space.get(UNASKED, {}))
    names = set()
    for step, properties in declared.items():
        if step in exercise.given:
            continue
        if step not in exercise.steps or exercise.cell(step).is_class:
            steps = ", ".join(exercise.steps)
            repair = meant(step, exercise.steps, f"the functions to write are {steps}")
            raise Unusable(place, f"{PROMISES} names {step}, which is no function to write", repair)

        parameters = inspect.signature(space[step]).parameters
        for words, holds in properties.items():
            promise = Promise(step, words, holds, reasons.get(f"{step}: {words}", ""))
            names.add(promise.name)
            for name in promise.parameters:
                if name not in parameters:
                    repair = meant(name, parameters, f"it takes {', '.join(parameters)}")
                    cause = f"{promise.name}: {name} is no argument of {step}"
                    raise Unusable(place, cause, repair)
            yield promise

    for name in reasons:
        if name.partition(":")[0] not in exercise.given and name not in names:
            repair = meant(name, names, f"write it as in {PROMISES}, with the step in front")
            raise Unusable(place, f"{UNASKED} names {name!r}, which is no promise", repair)


def measure(root: Path, exercise: Exercise, keys: Sequence[int]) -> Coverage | None:
    """Run the checks of an exercise on its solution, and see which inputs occur in them.

    None where the exercise declares no promises.

    Raises:
        Unusable: a promise does not fit the exercise, or cannot be asked of an input.
    """
    with data_files.inside(exercise.data):
        bench = Bench(exercise)
        place, promises = read(root, bench)
        if not place:
            return None

        found: dict[Promise, dict[str, set[int]]] = {promise: {} for promise in promises}
        failed: dict[str, str] = {}
        for check in exercise.checks:
            own = [promise for promise in found if promise.step == check.step]
            for key in keys if own and not check.void else ():
                function, seen = _watched(bench.function(check.step), own, f"{place}: {check.id}")
                try:
                    failure = bench.failure(check, f"coverage/{key}", {check.step: function})
                except CannotAsk as error:
                    raise Unusable(str(error)) from None
                if failure:
                    failed.setdefault(check.id, failure)
                for promise in seen:
                    found[promise].setdefault(check.id, set()).add(key)
    return Coverage(exercise, tuple(keys), found, failed)


def _watched(
    function: Callable[..., Any], promises: Sequence[Promise], where: str
) -> tuple[Callable[..., Any], set[Promise]]:
    """A step whose calls are looked at, and the promises that they have shown so far.

    Only a check's own calls go through it.
    """
    seen: set[Promise] = set()
    signature = inspect.signature(function)

    @wraps(function)
    def watching(*args: Any, **kwargs: Any) -> Any:
        try:
            call = signature.bind(*args, **kwargs)
        except TypeError:  # a call that is meant to be refused
            return function(*args, **kwargs)
        call.apply_defaults()

        for promise in promises:
            asked = {name: call.arguments[name] for name in promise.parameters}
            try:
                if promise not in seen and promise.holds(**asked):
                    seen.add(promise)
            except Exception as error:
                said = " ".join(f"{type(error).__name__}: {error}".split())
                raise CannotAsk(
                    f"{where}: the promise {promise.words!r} cannot be asked of an input "
                    f"({said}); let it say False there"
                ) from error

        if tracemalloc.is_tracing():  # a check that asks how much is held means the step
            tracemalloc.reset_peak()
        return function(*args, **kwargs)

    return watching, seen

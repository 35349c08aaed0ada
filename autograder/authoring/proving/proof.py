"""Whether an exercise's checks do what they are for.

They catch every misconception, cost no right answer a point, and ask what they ask whatever an
answer does to its arguments.
"""

from __future__ import annotations

import ast
import copy
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import numpy as np

from autograder.authoring.proving import answers
from autograder.authoring.proving.coverage import Coverage
from autograder.authoring.proving.trial import Bench, Trial, run, spoilt_checks
from autograder.base.result import parts_of
from autograder.base.text import listed
from autograder.exercises import data_files, right_answers
from autograder.exercises.cell_code import quiet
from autograder.exercises.exercise import Check, Exercise
from autograder.exercises.misconceptions import Misconception, Misconceptions


@dataclass(frozen=True)
class Proof:
    """What was tried with which keys, what came of it, and what is wrong, a line each.

    ``alike`` are the misconceptions that no check can tell apart. ``spoilt`` are the checks that
    use an argument after handing it over, and what shows it. ``refused`` is what the engine that
    grades students holds against right answers, a line each. ``coverage`` says which inputs that
    the docstrings allow occur in the checks, where the exercise declares them.
    """

    exercise: Exercise
    keys: tuple[int, ...]
    bank: Misconceptions
    trials: tuple[Trial, ...]
    alike: tuple[tuple[Misconception, Misconception], ...] = ()
    spoilt: tuple[tuple[str, str], ...] = ()
    refused: tuple[str, ...] = ()
    coverage: Coverage | None = None

    @property
    def checks(self) -> list[str]:
        """The ids of the checks, in the order of the notebook."""
        return [check.id for check in self.exercise.checks]

    @property
    def wrong(self) -> list[Trial]:
        """The trials of misconceptions."""
        return [trial for trial in self.trials if trial.answer.wrong]

    @property
    def right(self) -> list[Trial]:
        """The trials of right answers."""
        return [trial for trial in self.trials if not trial.answer.wrong]

    def problems(self) -> list[str]:
        """What keeps the exercise from being proved; nothing if it is."""
        return [
            *self._uncaught(),
            *self._left_to_the_draw(),
            *self._unclaimed(),
            *self._unlike(),
            *self._given_away(),
            *self._unfair(),
            *self.refused,
            *self._spoilt(),
            *(self.coverage.problems() if self.coverage else ()),
        ]

    def _uncaught(self) -> Iterator[str]:
        for trial in self.wrong:
            name, step = trial.answer.name, trial.answer.step
            claimed = self.bank.entry(name).caught_by
            uncaught: list[int] = []
            caught_by_other: dict[int, str] = {}
            for key, failed in zip(self.keys, trial.failed):
                if not failed:
                    uncaught.append(key)
                elif failed[0] != claimed:
                    caught_by_other[key] = failed[0]

            if uncaught:
                repair = f"strengthen {claimed}"
                yield f"{name}: keeps all points of {step} with {_keys(uncaught)}; {repair}"
            if caught_by_other:
                keys = list(caught_by_other)
                first = f"{caught_by_other[keys[0]]} fails first with {_keys(keys)}"
                yield f"{name}: {first}, not {claimed}; change caught_by"
            if trial.strays:
                strays = ", ".join(trial.strays)
                yield f"{name}: costs points in {strays}, where {step} is not to blame"

    def _left_to_the_draw(self) -> Iterator[str]:
        """Who makes the same mistake as another gets the same points, whatever either has drawn."""
        for trial in self.wrong:
            failed_with = list(zip(self.keys, trial.failed))
            for check in dict.fromkeys(chain.from_iterable(trial.failed)):
                passed = [key for key, failed in failed_with if check not in failed]
                if passed:
                    luck = f"passes {check} with {_keys(passed)}, and not with others"
                    repair = "draw its numbers, and fix what decides, such as sizes and signs"
                    yield f"{trial.answer.name}: {luck}; {repair}"

    def _unclaimed(self) -> Iterator[str]:
        reasons = self.bank.unclaimed or {}
        # Those that count in full for everybody catch nothing, and need not.
        void = {check.id for check in self.exercise.checks if check.void}
        first: set[str] = set()
        for trial in self.wrong:
            for failed in trial.failed:
                first.update(failed[:1])

        for check in self.checks:
            if check in reasons and check in first:
                repair = "take it out of UNCLAIMED"
                yield f"{check}: is the first to catch a misconception now; {repair}"
            elif check not in first and check not in reasons and check not in void:
                repair = "add one, or delete the check"
                yield f"{check}: no misconception is caught by it first; {repair}"
        for check in reasons:
            if check not in self.checks:
                yield f"{check}: is in UNCLAIMED, but there is no such check; take it out"

    def _unlike(self) -> Iterator[str]:
        for first, second in self.alike:
            if not first.family or first.family != second.family:
                cause = "no call of the checks tells them apart"
                yield f"{first.name} and {second.name}: {cause}; give them one family"

    def _given_away(self) -> Iterator[str]:
        """The last hint comes near to the right line, and leaves it to the student."""
        for wrong in self.bank.entries:
            said = _dense(wrong.nearly)
            for code in _code_of(self.exercise.cell(wrong.step).source) if said else ():
                if _dense(code) in said:
                    yield f"{wrong.name}: nearly gives the code away ({code}); say it in words"
                    break

    def _unfair(self) -> Iterator[str]:
        for trial in self.right:
            lost: dict[str, None] = {}  # a set that keeps the order
            keys: list[int] = []
            for key, failed in zip(self.keys, trial.failed):
                if failed:
                    lost.update(dict.fromkeys(failed))
                    keys.append(key)
            if keys:
                answer = f"{trial.answer.name} ({trial.answer.step})"
                loss = f"loses {', '.join(lost)} with {_keys(keys)}"
                wrapper = right_answers.wrapper_of(trial.answer.name)
                of_one = f"{wrapper} ({trial.answer.step})"
                repair = f"fix the check, or say in NOT_RIGHT why {of_one} is not right here"
                problem = f"{answer}: is right, but {loss}: {trial.message}"
                yield f"{problem}; {repair}" if wrapper else problem

            elsewhere = (*trial.fallen, *trial.strays)
            if elsewhere and not keys:
                repair = f"say and check in {trial.answer.step} what they ask of it"
                if right_answers.wrapper_of(trial.answer.name) == "nested lists":
                    later = dict.fromkeys(parts_of(check)[0] for check in elsewhere)
                    repair += f", or take it with np.asarray in the solution of {listed(later)}"
                cost = f"costs points in {', '.join(elsewhere)}"
                yield f"{trial.answer.name} ({trial.answer.step}): is right, but {cost}; {repair}"

    def _spoilt(self) -> Iterator[str]:
        for check, shown in self.spoilt:
            repair = "compute the expected value first, or pass a copy"
            yield f"{check}: uses an argument after passing it ({shown:.100}); {repair}"

    def to_json(self) -> str:
        """The same as the table on the terminal, and the problems, for other programs."""
        problems = self.problems()
        right = []
        for trial in self.right:
            lost = {*chain.from_iterable(trial.failed), *trial.fallen, *trial.strays}
            about = {"name": trial.answer.name, "step": trial.answer.step}
            right.append({**about, "loses": sorted(lost)})

        proof = {
            "exercise": self.exercise.name,
            "exercise_sha256": self.exercise.sha256,
            "keys": list(self.keys),
            "proved": not problems,
            "problems": problems,
            "checks": list(map(self._check_json, self.exercise.checks)),
            "misconceptions": list(map(self._misconception_json, self.wrong)),
            "right_answers": right,
            "promises": self.coverage.rows() if self.coverage else [],
        }
        return json.dumps(proof, indent=1, ensure_ascii=False) + "\n"

    def _check_json(self, check: Check) -> dict[str, Any]:
        first = []
        for trial in self.wrong:
            if trial.failed[0][:1] == (check.id,):
                first.append(trial.answer.name)
        about = {"id": check.id, "points": check.points, "hidden": check.hidden}
        return {**about, "first_to_catch": first}

    def _misconception_json(self, trial: Trial) -> dict[str, Any]:
        entry = self.bank.entry(trial.answer.name)
        return {
            "name": entry.name,
            "step": entry.step,
            "family": entry.family,
            "caught_by": entry.caught_by,
            "fails": list(trial.failed[0]),
            "falls_with_it": list(trial.fallen),
        }


def _code_of(source: str) -> Iterator[str]:
    """The lines of an answer and the expressions in it: all that is more than a name or a value."""
    function = ast.parse(source)
    for node in ast.walk(function):
        if (
            isinstance(node, (ast.BinOp, ast.Call, ast.Compare, ast.Subscript, ast.UnaryOp))
            and (not isinstance(getattr(node, "operand", None), ast.Constant))
        ) or isinstance(node, (ast.Assign, ast.AugAssign, ast.Return)):
            yield ast.get_source_segment(source, node) or ""


def _dense(text: str) -> str:
    return "".join(text.split())


def _keys(keys: Sequence[int]) -> str:
    more = f" and {len(keys) - 1} more" if len(keys) > 1 else ""
    return f"key {keys[0]}{more}"


def prove(
    root: Path,
    exercise: Exercise,
    keys: Sequence[int],
    jobs: int,
    tick: Callable[[Trial], None] = lambda _: None,
) -> Proof:
    """Try the exercise's misconceptions and right answers, and its solution on spoilt arguments.

    Args:
        keys: what random inputs are drawn from; everything is tried with each of them.
        jobs: how many processes try.
        tick: called with each trial as it is done.

    Raises:
        Unusable: no misconceptions, or an entry that does not fit the exercise.
    """
    bank, right = answers.read(root, exercise)
    tried = [*map(answers.wrong, bank.entries), *right]
    with data_files.inside(exercise.data):
        trials = run(exercise, tried, keys, jobs, tick)
        bench = Bench(exercise)
        alike = tuple(_alike(bench, bank.entries, str(keys[0])))
        spoilt = tuple(spoilt_checks(bench, keys))
    return Proof(exercise, tuple(keys), bank, tuple(trials), alike, spoilt)


def size(root: Path, exercise: Exercise) -> int:
    """How many answers a proof tries."""
    bank, right = answers.read(root, exercise)
    return len(bank.entries) + len(right)


# Whether two answers to a step are the same to anybody who only calls them

RTOL, ATOL = 1e-7, 1e-10  # as the checks compare, unless they say otherwise


_Call = tuple[tuple[Any, ...], dict[str, Any]]
"""What a check gave to a step's function."""

_Reply = tuple[str, Any, tuple[Any, ...]]
"""What came back: the name of an exception, or a value; and the arguments as they were left."""


def _calls(bench: Bench, step: str, draw: str) -> list[_Call]:
    """Every call that the step's own checks make while all answers are right."""
    made: list[_Call] = []
    bench.bind()
    right = bench.function(step)

    def recorded(*args: Any, **kwargs: Any) -> Any:
        made.append(copy.deepcopy((args, kwargs)))
        return right(*args, **kwargs)

    bench.replace(step, recorded)
    for check in bench.of(step):
        bench.failure(check, draw)
    bench.bind()
    return made


def _replies(function: Callable[..., Any], calls: Sequence[_Call]) -> list[_Reply]:
    """What a function answers to the calls, one after the other."""
    answered = []
    for call in calls:
        args, kwargs = copy.deepcopy(call)
        with quiet():
            try:
                raised, value = "", function(*args, **kwargs)
            except Exception as error:
                raised, value = type(error).__name__, None
        answered.append((raised, value, (*args, *kwargs.values())))
    return answered


def _same(a: Any, b: Any) -> bool:
    """Whether two answers are equal in shape and, within the tolerance, in every number.

    NaN equals NaN, and a list equals its array.
    """
    if isinstance(a, tuple) or isinstance(b, tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, np.ma.MaskedArray) != isinstance(b, np.ma.MaskedArray):
        return False

    try:
        x, y = np.asarray(a), np.asarray(b)
    except ValueError:
        return False
    if x.shape != y.shape or x.dtype.kind not in "biuf" or y.dtype.kind not in "biuf":
        return x.shape == y.shape and x.dtype.kind == y.dtype.kind and bool(np.all(x == y))
    return bool(np.allclose(x.astype(float), y.astype(float), RTOL, ATOL, equal_nan=True))


def _alike(
    bench: Bench, entries: Sequence[Misconception], draw: str
) -> Iterator[tuple[Misconception, Misconception]]:
    """The pairs of misconceptions of a step that no call of its checks can tell apart."""
    for step in bench.exercise.steps:
        of_step = [entry for entry in entries if entry.step == step]
        if len(of_step) < 2:
            continue

        asked = _calls(bench, step, draw)
        answered = []
        for entry in of_step:
            bench.bind(answers.wrong(entry))
            answered.append((entry, _replies(bench.function(step), asked)))

        for (one, replies_of_one), (other, replies_of_other) in combinations(answered, 2):
            if all(map(_same, replies_of_one, replies_of_other)):
                yield one, other

"""Whether an exercise's checks do what they are for: catch every misconception, cost no right
answer a point, and ask what they ask whatever an answer does to its arguments.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from autograder.errors import Unusable
from autograder.exercises import misconceptions, right_answers
from autograder.exercises.exercise import Exercise
from autograder.exercises.misconceptions import Misconception, Misconceptions
from autograder.exercises.names import BUILTINS, names
from autograder.proving import equivalence, spoiling
from autograder.proving.trial import Answer, Bench, Trial, run


@dataclass(frozen=True)
class Proof:
    """What was tried with which keys, what came of it, and what is wrong, a line each."""

    exercise: Exercise
    keys: tuple[int, ...]
    bank: Misconceptions
    trials: tuple[Trial, ...]
    alike: tuple[tuple[Misconception, Misconception], ...] = ()
    without: frozenset[str] = field(default_factory=frozenset)
    spoilt: tuple[tuple[str, str], ...] = ()
    """The checks that use an argument after handing it over, and what shows it."""

    @property
    def checks(self) -> list[str]:
        """The ids of the checks, in the order of the notebook."""
        return [check.id for check in self.exercise.checks if check.id not in self.without]

    @property
    def wrong(self) -> list[Trial]:
        return [trial for trial in self.trials if trial.answer.wrong]

    @property
    def right(self) -> list[Trial]:
        return [trial for trial in self.trials if not trial.answer.wrong]

    def problems(self) -> list[str]:
        """What keeps the exercise from being proved; nothing if it is."""
        return [
            *self._uncaught(),
            *self._unclaimed(),
            *self._unlike(),
            *self._unfair(),
            *self._spoilt(),
        ]

    def weakened(self, check: str) -> Proof:
        """What the proof would be if this check passed whatever came."""
        trials = (
            Trial(
                trial.answer,
                tuple(tuple(id for id in failed if id != check) for failed in trial.failed),
                trial.message,
                tuple(id for id in trial.fallen if id != check),
                tuple(id for id in trial.strays if id != check),
            )
            for trial in self.trials
        )
        return replace(self, trials=tuple(trials))

    def _uncaught(self) -> Iterator[str]:
        known = set(self.checks)
        claims = {entry.name: entry.caught_by for entry in self.bank.entries}
        for trial in self.wrong:
            name, claimed = trial.answer.name, claims[trial.answer.name]
            if claimed not in known:
                yield f"{name}: names the check {claimed}, which there is not; name the one that catches it"
                continue
            kept = [key for key, failed in zip(self.keys, trial.failed) if not failed]
            if kept:
                yield f"{name}: keeps all points of {trial.answer.step} with {_keys(kept)}; strengthen {claimed}"
            other = {
                key: failed[0]
                for key, failed in zip(self.keys, trial.failed)
                if failed and failed[0] != claimed
            }
            if other:
                first = next(iter(other.values()))
                yield f"{name}: {first} fails first with {_keys(list(other))}, not {claimed}; change caught_by"
            if trial.strays:
                yield f"{name}: costs points in {', '.join(trial.strays)}, where {trial.answer.step} is not to blame"

    def _unclaimed(self) -> Iterator[str]:
        reasons = self.bank.unclaimed or {}
        first = {failed[0] for trial in self.wrong for failed in trial.failed if failed}
        for check in self.checks:
            if check in reasons and check in first:
                yield f"{check}: is the first to catch a misconception now; take it out of UNCLAIMED"
            elif check not in first and check not in reasons:
                yield f"{check}: no misconception is caught by it first; add one, or delete the check"
        for check in reasons:
            if check not in self.checks:
                yield f"{check}: stands in UNCLAIMED, but there is no such check; take it out"

    def _unlike(self) -> Iterator[str]:
        for one, other in self.alike:
            if not one.family or one.family != other.family:
                yield f"{one.name} and {other.name}: no call of the checks tells them apart; give them one family"

    def _unfair(self) -> Iterator[str]:
        for trial in self.right:
            lost = {key: failed for key, failed in zip(self.keys, trial.failed) if failed}
            if lost:
                checks = ", ".join(
                    dict.fromkeys(check for failed in lost.values() for check in failed)
                )
                what = f"{trial.answer.name} ({trial.answer.step})"
                yield f"{what}: is right, but loses {checks} with {_keys(list(lost))}: {trial.message}"

    def _spoilt(self) -> Iterator[str]:
        for check, shown in self.spoilt:
            repair = "compute what it wants first, or hand over a copy"
            yield f"{check}: uses an array after handing it over ({shown:.100}); {repair}"

    def to_json(self) -> str:
        """The same as the table on the terminal, and the problems, for other programs."""
        entries = {entry.name: entry for entry in self.bank.entries}
        first = {
            check: [trial.answer.name for trial in self.wrong if _first(trial) == check]
            for check in self.checks
        }
        found = {
            "exercise": self.exercise.name,
            "exercise_sha256": self.exercise.sha256,
            "keys": list(self.keys),
            "proved": not self.problems(),
            "problems": self.problems(),
            "checks": [
                {
                    "id": check.id,
                    "points": check.points,
                    "hidden": check.hidden,
                    "first_to_catch": first[check.id],
                }
                for check in self.exercise.checks
                if check.id in first
            ],
            "misconceptions": [
                {
                    "name": trial.answer.name,
                    "step": trial.answer.step,
                    "family": entries[trial.answer.name].family,
                    "caught_by": entries[trial.answer.name].caught_by,
                    "fails": list(trial.failed[0]),
                    "falls_with_it": list(trial.fallen),
                }
                for trial in self.wrong
            ],
            "right_answers": [
                {
                    "name": trial.answer.name,
                    "step": trial.answer.step,
                    "loses": sorted({*sum(trial.failed, ())}),
                }
                for trial in self.right
            ],
        }
        return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def prove(
    root: Path,
    exercise: Exercise,
    keys: Sequence[int],
    jobs: int,
    tick: Callable[[Trial], None] = lambda _: None,
) -> Proof:
    """Try the exercise's misconceptions and right answers, and its solution on spoilt arguments,
    with every key.

    Raises:
        Unusable: no misconceptions, or an entry that does not fit the exercise.
    """
    wrong, right = answers(root, exercise)
    trials = run(exercise, [*map(_wrong, wrong.entries), *right], keys, jobs, tick)
    bench = Bench(exercise)
    alike = tuple(equivalence.alike(bench, wrong.entries, str(keys[0])))
    return Proof(
        exercise,
        tuple(keys),
        wrong,
        tuple(trials),
        alike,
        spoilt=tuple(spoiling.spoilt(bench, keys)),
    )


def size(root: Path, exercise: Exercise) -> int:
    """How many answers a proof tries."""
    wrong, right = answers(root, exercise)
    return len(wrong.entries) + len(right)


def answers(root: Path, exercise: Exercise) -> tuple[Misconceptions, list[Answer]]:
    """The misconceptions and the right answers, once they fit the exercise."""
    wrong = misconceptions.load(misconceptions.path_of(root, exercise.name))
    if not wrong.entries:
        raise Unusable(
            f"{wrong.path}: no misconceptions to try; write what students write, see CONTRIBUTING.md"
        )
    path = right_answers.path_of(root, exercise.name)
    written = right_answers.load(path)
    _fits(wrong.path, exercise, ((entry.name, entry.step, entry.source) for entry in wrong.entries))
    _fits(path, exercise, ((entry.name, entry.step, entry.source) for entry in written))
    right = [*right_answers.dressed(exercise), *written]
    return wrong, [Answer(entry.name, entry.step, entry.source, wrong=False) for entry in right]


def _wrong(entry: Misconception) -> Answer:
    return Answer(entry.name, entry.step, entry.source, wrong=True)


def _fits(path: Path, exercise: Exercise, entries: Iterable[tuple[str, str, str]]) -> None:
    """Every entry answers a step, takes what that step takes, and uses nothing that comes later."""
    setup = names(exercise.setup).bound
    known: dict[str, frozenset[str]] = {}
    for step in exercise.steps:
        known[step] = frozenset({*known, step}) | setup | BUILTINS
    parameters = {step: _parameters(exercise.cell(step).source) for step in exercise.steps}
    for name, step, source in entries:
        if step not in known:
            raise Unusable(
                f"{path}: {name} answers {step}, which is no step; the steps are {', '.join(known)}"
            )
        if _parameters(source) != parameters[step]:
            raise Unusable(
                f"{path}: {name} does not take what {step} takes; write {step}({parameters[step]})"
            )
        own = {
            name
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.Global)
            for name in node.names
        }
        strange = names(source).used - names(source).bound - own - known[step]
        if strange:
            raise Unusable(
                f"{path}: {name} uses {min(strange)}, which {step} cannot know; write it out"
            )


def _parameters(source: str) -> str:
    function = ast.parse(source).body[0]
    return ast.unparse(function.args) if isinstance(function, ast.FunctionDef) else ""


def _first(trial: Trial) -> str:
    return trial.failed[0][0] if trial.failed[0] else ""


def _keys(keys: Sequence[int]) -> str:
    more = f" and {len(keys) - 1} more" if len(keys) > 1 else ""
    return f"key {keys[0]}{more}"

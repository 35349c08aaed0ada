"""The answers that a proof tries: those of the banks beside an exercise, once they fit it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path

from autograder.base.errors import Unusable
from autograder.base.result import parts_of
from autograder.base.text import meant
from autograder.exercises import misconceptions, right_answers
from autograder.exercises.answer_bank import Answer
from autograder.exercises.exercise import Exercise
from autograder.exercises.misconceptions import Misconception, Misconceptions
from autograder.exercises.names import BUILTINS, names, nodes


def read(root: Path, exercise: Exercise) -> tuple[Misconceptions, list[Answer]]:
    """The misconceptions, and the right answers.

    Raises:
        Unusable: no misconceptions, or an entry that does not fit the exercise.
    """
    bank, written = banks(root, exercise)
    if not bank.entries:
        raise Unusable(
            bank.path,
            "no misconceptions to try",
            "write what students write, as in docs/authoring.md",
        )

    path = right_answers.path_of(root, exercise.name)
    without = right_answers.not_right(path, (*exercise.steps, *exercise.given))
    return bank, [*right_answers.solutions(exercise, without), *written]


def banks(root: Path, exercise: Exercise) -> tuple[Misconceptions, list[Answer]]:
    """What lies beside an exercise, but for the steps that students are given.

    What only a void check would catch is nothing to prove.

    Raises:
        Unusable: an entry does not fit the exercise.
    """
    bank = misconceptions.load(misconceptions.path_of(root, exercise.name))
    void = {check.id for check in exercise.checks if check.void}
    entries = []
    for entry in bank.entries:
        if entry.step not in exercise.given and entry.caught_by not in void:
            entries.append(entry)

    unclaimed: dict[str, str] = {}
    for check, reason in (bank.unclaimed or {}).items():
        if parts_of(check)[0] not in exercise.given:
            unclaimed[check] = reason

    path = right_answers.path_of(root, exercise.name)
    right = [entry for entry in right_answers.load(path) if entry.step not in exercise.given]
    refuse_misfits(bank.path, exercise, entries)
    refuse_misfits(path, exercise, right)
    return Misconceptions(bank.path, tuple(entries), unclaimed), right


def wrong(entry: Misconception) -> Answer:
    """A misconception as an answer to try."""
    return Answer(entry.name, entry.step, entry.source, wrong=True)


def refuse_misfits(
    path: Path, exercise: Exercise, entries: Sequence[Misconception | Answer]
) -> None:
    """Every entry answers a step, takes what that step takes, uses nothing that comes later, and is
    caught by a check that there is.

    Raises:
        Unusable: some do not; a line each.
    """
    setup = names(exercise.setup).bound.union(exercise.needed)
    in_scope: dict[str, frozenset[str]] = {}
    parameters: dict[str, str] = {}
    for step in exercise.steps:
        in_scope[step] = frozenset({*in_scope, step}) | setup | BUILTINS
        parameters[step] = _parameters(exercise.cell(step).source, step)

    checks = [check.id for check in exercise.checks]
    lines = []
    for entry in entries:
        step = entry.step
        if step not in in_scope:
            repair = meant(step, in_scope, f"the steps are {', '.join(in_scope)}")
            problem = f"answers {step}, which is no step; {repair}"
        elif _parameters(entry.source, step) != parameters[step]:
            problem = f"does not take what {step} takes; write {step}({parameters[step]})"
        elif isinstance(entry, Misconception) and entry.caught_by not in checks:
            own = [check.id for check in exercise.checks_of(step)]
            cause = f"is caught by {entry.caught_by}, which is no check"
            repair = meant(entry.caught_by, own, f"the checks are {', '.join(own)}")
            problem = f"{cause}; {repair}"
        else:
            declared = (node.names for node in nodes(ast.parse(entry.source), ast.Global))
            bound = names(entry.source).bound.union(*declared)
            strange = names(entry.source).used - bound - in_scope[step]
            if not strange:
                continue
            problem = f"uses {min(strange)}, which {step} cannot know; write it out"
        lines.append(f"{path}:{entry.line}: {entry.name} {problem}")
    if lines:
        raise Unusable.of_lines(lines)


def _parameters(source: str, step: str) -> str:
    """What the function of a step takes; nothing for a class."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and node.name == step:
            return ast.unparse(node.args)
    return ""

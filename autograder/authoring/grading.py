"""What the engine says of a built exercise: it gives the solution every point, the stub none.

The checks have passed in plain Python by then. Here the answers run where students' answers run,
and every value goes over the wire.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from types import MappingProxyType

from autograder.authoring.cells import Source
from autograder.authoring.self_check import instead
from autograder.base.errors import Unusable
from autograder.base.result import CheckResult, Result, check_id
from autograder.base.settings import Settings
from autograder.exercises.answer_bank import Answer
from autograder.exercises.data_files import Data
from autograder.exercises.exercise import Exercise, from_notebook
from autograder.exercises.names import names, reached
from autograder.grader.grader import Grader

REPAIRS = {
    "which no check can use": "let {step} answer with {instead}",
    "gave two different answers": "pass the random numbers as an argument, or mark it repeat=false",
    "but your function raised another error": "name a builtin error: others arrive as such",
    "did not return within": "give it less to do, or raise call_seconds in autograder.toml",
}
"""What mends a failure whose message holds these words."""


def insist(
    authored: Source,
    full: bytes,
    release: bytes,
    settings: Settings,
    data: Data = MappingProxyType({}),
) -> None:
    """Grade both notebooks with the engine; ``data`` are the files that lie beside them.

    Locked in or not, a worker answers alike: the lowest level does, which every system has.

    Raises:
        Unusable: the solution does not get every point, or the blank stub gets some; a line for
            each check.
    """
    exercise = replace(from_notebook(json.loads(full)), data=data)
    try:
        with Grader(exercise, b"build", replace(settings, isolation="process")) as grader:
            solved = grader.grade(full, None).result
            blank = grader.grade(release, None).result
    except Unusable as error:
        place = f"{authored.path}:{authored.of('setup')[0].line}"
        raise Unusable(place, str(error).removeprefix(f"{authored.exercise}: ")) from None

    lines = list(_lost(authored, solved))
    for line, step, check in _checks(authored, blank):
        if check.earned > 0 and not check.void:
            cause = f"the grader gives the blank stub points for {step}-{check.name}"
            lines.append(f"{authored.path}:{line}: {cause}; let it fail on what {step} returns")
    if lines:
        raise Unusable.of_lines(lines)


def refused(exercise: Exercise, answers: Iterable[Answer], settings: Settings) -> list[str]:
    """What the engine holds against right answers, a line each.

    A notebook that it grades has as many of them as do not call each other: in each only the checks
    of its answers' own steps count, and what these call is the solution.
    """
    notebooks = _together(exercise, answers)
    lines = []
    with Grader(exercise, b"prove", replace(settings, isolation="process")) as grader:
        for answered in notebooks:
            result = grader.grade(handed_in(exercise, answered), None).result
            if result.status != "graded":
                lines.append(f"right answers cannot be graded: {result.reason}")
            for step in result.steps:
                for check in step.checks if step.name in answered else ():
                    if check.status != "passed":
                        name = f"{answered[step.name].name} ({step.name})"
                        fails = f"the engine fails {step.name}-{check.name}"
                        lines.append(f"{name}: is right, but {fails}: {check.message}")
    return lines


def _together(exercise: Exercise, answers: Iterable[Answer]) -> list[dict[str, Answer]]:
    """The answers by their steps, in groups of those that do not call each other."""
    uses = {step: names(exercise.cell(step).source).used for step in exercise.steps}

    groups: list[tuple[dict[str, Answer], set[str]]] = []
    for answer in answers:
        needed = reached(names(answer.source).used, uses) & uses.keys()
        for group, needed_there in groups:
            if not group.keys() & {answer.step, *needed} and answer.step not in needed_there:
                break
        else:
            group, needed_there = {}, set()
            groups.append((group, needed_there))
        group[answer.step] = answer
        needed_there |= needed - {answer.step}
    return [group for group, _ in groups]


def handed_in(exercise: Exercise, answered: dict[str, Answer]) -> bytes:
    """The full notebook with these answers; steps without one keep the solution."""
    cells = []
    for cell in exercise.cells:
        answer = answered.get(cell.id)
        cells.append({**cell.raw, "source": answer.source} if answer else cell.raw)
    return json.dumps({**exercise.notebook, "cells": cells}).encode()


def _lost(authored: Source, solved: Result) -> Iterator[str]:
    """The points that the solution does not get."""
    if solved.status != "graded":
        repair = "fix what it says"
        yield f"{authored.path}:1: the solution cannot be graded: {solved.reason}; {repair}"

    cells = {cell.id: cell for cell in authored.of("check")}
    failing = {step.name for step in solved.steps if not step.passed}
    for line, step, check in _checks(authored, solved):
        called = authored.called_by(cells[check_id(step, check.name)])
        if check.status == "passed" or called & failing:  # it may fail for what it calls
            continue

        message = check.message.rstrip(".")
        cause = f"the grader gives the solution no points for {step}-{check.name}: {message}"
        fitting = (repair for words, repair in REPAIRS.items() if words in message)
        repair = next(fitting, "it passes in plain Python: student code runs in another process")
        mended = repair.format(step=step, instead=instead(message))
        yield f"{authored.path}:{line}: {cause}; {mended}"


def _checks(authored: Source, result: Result) -> Iterator[tuple[int, str, CheckResult]]:
    """The checks of a result, each with its line in the authored file and its step."""
    lines = {cell.id: cell.line for cell in authored.of("check")}
    for step in result.steps:
        for check in step.checks:
            yield lines[f"{step.name}-{check.name}"], step.name, check

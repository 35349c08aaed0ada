"""What the engine says of a built exercise: it gives the solution every point, the stub none.

The checks have passed in plain Python by then. Here the answers run where students' answers run,
and every value goes over the wire. So are fresh answers graded, of a file that nobody has shown to
the checks before: it says how good checks and hints are for people whom nobody has foreseen.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from autograder.authoring.cells import Source
from autograder.authoring.self_check import instead
from autograder.base.errors import Unusable
from autograder.base.result import CheckResult, Result, check_id
from autograder.base.settings import Settings
from autograder.base.text import count, meant
from autograder.exercises import answer_bank, misconceptions, right_answers
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


# Fresh answers, one at a time among right answers to all other steps

WRONG = "wrong_answer"
KINDS = {
    WRONG: frozenset({"step", "named"}),
    "right_answer": right_answers.MARKS,
    "misconception": misconceptions.MARKS,
}
"""The decorators of such a file, with what each may say: a bank can be tried as well."""


ONE_OF_SEVERAL = "one of several"
"""What a hint goes by that asks for each of the mistakes that the checks cannot tell apart."""


@dataclass(frozen=True)
class FreshAnswer:
    """What became of an answer.

    ``points`` are those that it got in its step, of ``max_points``. ``check`` is the first that it
    failed, with ``message`` and ``hint``; ``hint_name`` is the misconception or relation that the
    hint goes by, ``named`` are those that it may go by, in the author's eyes (none: any will do).
    """

    name: str
    step: str
    wrong: bool
    points: float
    max_points: float
    check: str = ""
    message: str = ""
    hint: str = ""
    hint_name: str = ""
    named: tuple[str, ...] = ()

    @property
    def escapes(self) -> bool:
        """A wrong answer that keeps all points of its step."""
        return self.wrong and self.points == self.max_points

    @property
    def loses(self) -> bool:
        """A right answer that does not."""
        return not self.wrong and self.points < self.max_points

    @property
    def is_misnamed(self) -> bool:
        """The hint speaks of another mistake."""
        return bool(self.hint and self.named) and self.hint_name not in self.named


@dataclass(frozen=True)
class FreshAnswers:
    """All answers of a file, as they were graded."""

    exercise: Exercise
    answers: tuple[FreshAnswer, ...]

    def problems(self) -> list[str]:
        """What the checks and the hints get wrong, a line each."""
        lines = []
        for answer in self.answers:
            of = f"{answer.name} ({answer.step})"
            if answer.escapes:
                repair = "write a check that asks for it"
                lines.append(f"{of}: is wrong, but keeps all points; {repair}")
            elif answer.loses:
                lines.append(f"{of}: is right, but fails {answer.check}: {answer.message}")
            elif answer.is_misnamed:
                may = " or ".join(answer.named)
                lines.append(f"{of}: the hint goes by {answer.hint_name}, not by {may}")
        return lines

    def summary(self) -> str:
        """How many of them are caught, helped and spared, in a line."""
        wrong = [answer for answer in self.answers if answer.wrong]
        caught = [answer for answer in wrong if not answer.escapes]
        helped = sum(bool(answer.hint) for answer in caught)
        right = len(self.answers) - len(wrong)
        spared = right - sum(answer.loses for answer in self.answers)
        return (
            f"{count(len(wrong), 'wrong answer')}: {len(caught)} caught, {helped} of them with a "
            f"hint; {count(right, 'right answer')}: {spared} with all points"
        )

    def to_json(self) -> str:
        """The same as the table on the terminal, for other programs."""
        answers: list[dict[str, Any]] = []
        for one in self.answers:
            verdicts = {"escapes": one.escapes, "loses": one.loses, "misnamed": one.is_misnamed}
            answers.append({**asdict(one), **verdicts})
        found = {
            "exercise": self.exercise.name,
            "exercise_sha256": self.exercise.sha256,
            "problems": self.problems(),
            "answers": answers,
        }
        return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def read_answers(path: Path, exercise: Exercise) -> list[tuple[Answer, tuple[str, ...]]]:
    """The answers of a file, each with the names that a hint of it may go by.

    Raises:
        Unusable: the file cannot be read, has no answers, or one that does not fit the exercise.
    """
    bank = answer_bank.read(path, KINDS)
    if not bank.entries:
        repair = f'write functions with @{WRONG}(step="...") or @right_answer(step="...")'
        raise Unusable(path, "no answers", repair)

    found = []
    for entry in bank.entries:
        step = entry.marks["step"]
        if step not in exercise.steps:
            repair = meant(step, exercise.steps, f"the steps are {', '.join(exercise.steps)}")
            raise bank.problem(entry.line, f"{entry.name} answers {step}, which is no step", repair)
        named = entry.name if entry.kind == "misconception" else entry.marks.get("named", "")
        is_wrong = entry.kind != "right_answer"
        found.append((Answer(entry.name, step, entry.source, is_wrong), tuple(named.split())))
    return found


def grade_answers(
    exercise: Exercise,
    found: list[tuple[Answer, tuple[str, ...]]],
    settings: Settings,
    tick: Callable[[object], None],
) -> FreshAnswers:
    """Grade each answer among right ones to the other steps."""
    graded = []
    with Grader(exercise, b"answers", settings) as grader:
        for answer, named in found:
            notebook = handed_in(exercise, {answer.step: answer})
            step = grader.grade(notebook, None).result.step(answer.step)
            fresh = FreshAnswer(
                answer.name, answer.step, answer.wrong, step.score, step.max_score, named=named
            )

            for check in step.not_passed[:1]:
                hint = check.hint or ""
                name = check.misconception or check.relation or (ONE_OF_SEVERAL if hint else "")
                fresh = replace(fresh, check=step.id_of(check), message=check.message)
                fresh = replace(fresh, hint=hint, hint_name=name)

            graded.append(fresh)
            tick(fresh)
    return FreshAnswers(exercise, tuple(graded))

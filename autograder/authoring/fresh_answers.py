"""Fresh answers: a file of wrong and right answers that nobody has shown to the checks before.

They are graded like students' work, one at a time among right answers to all other steps. What
comes of it says how good the checks and the hints are for people whom nobody has foreseen.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from autograder.authoring.grading import handed_in
from autograder.base.errors import Unusable
from autograder.base.settings import Settings
from autograder.base.text import count, meant
from autograder.exercises import answer_bank, misconceptions, right_answers
from autograder.exercises.answer_bank import Answer
from autograder.exercises.exercise import Exercise
from autograder.grader.grader import Grader

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


def read(path: Path, exercise: Exercise) -> list[tuple[Answer, tuple[str, ...]]]:
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


def grade(
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

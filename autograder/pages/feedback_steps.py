"""The steps on a student's page: what passed, what did not, why, and the student's own code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import NamedTuple

from autograder.gradebook.cell_marks import CellMarks
from autograder.pages.feedback_next import to_mend
from autograder.pages.pictures import Pictures, pictures
from autograder.result import CheckResult, StepResult
from autograder.text import points_of, shown
from autograder.troubles import extra

MAX_LINES = 400
"""So many lines are shown of an answer."""

MAX_LINE = 300
"""So many characters are shown of a line."""

MAX_ANSWER = 20_000
"""So many characters are shown of an answer in words."""

STUB = "raise NotImplementedError"


class Line(NamedTuple):
    """One check: what it says, what kind it is and earned, and what a person gave for it."""

    sentence: str
    about: str
    marks: CellMarks | None


@dataclass(frozen=True)
class Group:
    """Checks with the same verdict for the same reason, which is said once.

    ``mend`` names the steps that have to be mended first.
    """

    status: str
    lines: list[Line]
    mend: tuple[str, ...]
    message: str
    pictures: Pictures | None


@dataclass(frozen=True)
class Code:
    """The student's lines, each with whether it raised the exception; ``more`` are not shown."""

    lines: list[tuple[str, bool]]
    more: int
    is_open: bool


@dataclass(frozen=True)
class Step:
    """One step of the notebook.

    ``wrong``: all of its checks that did not pass. ``whole``: why the step fails as a whole, which
    ``wrong`` does not repeat; empty if it does not. ``is_unanswered``: the submission is there, and
    has no answer to this step.
    """

    name: str
    is_passed: bool
    earned: str
    marks: CellMarks | None
    hints: list[str]
    whole: str
    wrong: list[Group]
    passed: list[Group]
    code: Code | None
    is_unanswered: bool


@dataclass(frozen=True)
class Question:
    """A question that a person grades."""

    name: str
    is_waiting: bool
    score: float
    most: float
    marks: CellMarks | None
    answer: str


class Steps:
    """The steps of one student.

    Args:
        sentences: what each check says, by its id.
        answer: the student's source by step or question, None where there is none; None where the
            submission is gone.
        cells: marks of the gradebook, by cell.
        steps: all of them, as the student may see them.
    """

    def __init__(
        self,
        sentences: Mapping[str, str],
        answer: Callable[[str], str | None] | None,
        cells: Mapping[str, CellMarks],
        steps: Sequence[StepResult],
    ) -> None:
        self._sentences = sentences
        self._answer = answer
        self._cells = cells
        self._raised: dict[str, set[int]] = {}
        for step in steps:
            for check in step.checks:
                if check.line:
                    self._raised.setdefault(check.cell, set()).add(check.line)

    def step(self, result: StepResult) -> Step:
        """What is shown of one step."""
        wrong = result.not_passed
        passed = [check for check in result.checks if check.status == "passed"]
        groups = [self._group(result, list(alike)) for _, alike in groupby(wrong, key=_reason)]

        whole = ""
        is_whole = len(groups) == 1 and len(wrong) == len(result.checks) > 1
        if is_whole and wrong[0].has_failed:
            whole = wrong[0].message
        if whole:
            # What each of its checks wanted comes second.
            groups = [self._group(result, [check], is_said=True) for check in wrong]

        source = self._answer(result.name) if self._answer else None
        return Step(
            result.name,
            is_passed=result.passed,
            earned=_earned(result),
            marks=self._cells.get(result.name),
            hints=list(dict.fromkeys(check.hint for check in wrong if check.hint)),
            whole=whole,
            wrong=groups,
            passed=[self._group(result, [check]) for check in passed],
            code=None if source is None else self._code(result, source),
            is_unanswered=self._answer is not None and source is None,
        )

    def question(self, cell: str) -> Question:
        """What is shown of a question."""
        marks = self._cells[cell]
        answer = self._answer(cell) if self._answer else None
        return Question(
            cell,
            is_waiting=marks.needs_manual_grade and marks.manual_score is None,
            score=marks.score,
            most=marks.max_score or 0.0,
            marks=marks,
            answer=_cut(answer or "", MAX_ANSWER),
        )

    def _group(self, step: StepResult, checks: list[CheckResult], is_said: bool = False) -> Group:
        """``is_said``: what they say stands there already."""
        lines = []
        for check in checks:
            id = step.id_of(check)
            sentence = self._sentences.get(id) or check.name
            lines.append(Line(sentence, _about(check), self._cells.get(id)))

        first, example = checks[0], step.example
        drawn = None
        if example is not None and example.check in [check.name for check in checks]:
            drawn = extra(partial(pictures, example), None)

        message = "" if is_said else first.message
        status = "failed" if first.has_failed else first.status
        return Group(status, lines, first.with_reference, message, drawn)

    def _code(self, step: StepResult, source: str) -> Code:
        raised = self._raised.get(step.name, set())
        lines = source.rstrip().split("\n")
        numbered = enumerate(lines[:MAX_LINES], start=1)

        # What was never written, or is right by itself, need not be looked at.
        there = [lines[at - 1].strip() for at in raised if at <= len(lines)]
        is_unwritten = any(line.startswith(STUB) for line in there)

        return Code(
            [(_cut(line, MAX_LINE), number in raised) for number, line in numbered],
            more=max(0, len(lines) - MAX_LINES),
            is_open=bool(to_mend([step])) and not is_unwritten,
        )


def _reason(check: CheckResult) -> tuple[str, str, tuple[str, ...]]:
    return check.status, check.message, check.with_reference


def _earned(step: StepResult) -> str:
    earned = points_of(step.score, step.max_score)
    if step.passed:
        return f"✓ all passed, {earned}"
    return earned if to_mend([step]) else f"↷ carried forward, {earned}"


def _about(check: CheckResult) -> str:
    visible = "hidden check" if check.hidden else "visible check"
    return f"{visible}, {shown(check.category)}, {points_of(check.earned, check.points)}"


def _cut(words: str, most: int) -> str:
    return words if len(words) <= most else f"{words[:most]} …"

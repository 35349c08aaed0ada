"""The steps on a student's page: what passed, what did not, why, and the student's own code."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, groupby, islice
from typing import Literal, NamedTuple

from autograder.base.result import CheckResult, StepResult, questions_last
from autograder.base.text import cut, points_of
from autograder.course.gradebook.marks import CellMarks
from autograder.course.gradebook.master import MAX_ANSWER
from autograder.course.troubles import extra
from autograder.exercises.exercise import Cell
from autograder.grader.asked import NOT_ASKED
from autograder.show.pages.pictures import Drawings, drawings
from autograder.show.pages.solutions import Solution

MAX_LINES = 400  # the most lines of an answer that are shown
MAX_LINE = 300  # the most characters of a line that are shown
STUB = "raise NotImplementedError"
LEFT_OUT = "…"  # for the lines of a docstring that came with the notebook

Said = Literal["", "message", "all"]
"""The messages that are shown already: none, why checks fail, or what remains, too."""


class ShownCheck(NamedTuple):
    """A check, its sentence, the points that a person gave for it, and whether ``remains`` is shown
    for it alone."""

    result: CheckResult
    sentence: str
    marks: CellMarks | None
    is_own: bool


class CheckGroup(NamedTuple):
    """Checks with the same verdict for the same reason, which is shown once.

    ``message`` is what is wrong now; ``is_common``: ``remains`` is the same for all of them.
    """

    status: str
    lines: list[ShownCheck]
    message: str
    is_common: bool
    pictures: Drawings | None

    @property
    def size(self) -> int:
        """The number of its checks."""
        return len(self.lines)


class CodeLine(NamedTuple):
    number: int
    words: str
    raised: bool


class ShownCode(NamedTuple):
    """The student's lines, each with whether it raised the exception; ``more`` are not shown."""

    lines: list[CodeLine]
    more: int
    is_open: bool


class ShownStep(NamedTuple):
    """One step of the notebook.

    ``wrong``: its checks that failed, or were not run; ``waiting``: those that only earlier steps
    (``waits_for``) keep from passing. ``whole``: the first check if the step fails as a whole, for
    a reason that ``wrong`` does not repeat; ``remains`` is then shown for it, too.
    ``is_unanswered``: the submission has no answer to it. ``asked``: the question, if only this
    student has it. ``solutions``: right answers with their titles.
    """

    result: StepResult
    earned: str
    marks: CellMarks | None
    hints: list[str]
    whole: CheckResult | None
    remains: bool
    wrong: list[CheckGroup]
    waiting: list[CheckGroup]
    waits_for: list[str]
    passed: list[CheckGroup]
    code: ShownCode | None
    is_unanswered: bool
    asked: str
    solutions: list[tuple[str, ShownCode]]


class ShownQuestion(NamedTuple):
    """A question that a person grades: its heading, the answer and ours, empty if there is none."""

    cell: Cell
    title: str
    marks: CellMarks
    answer: str
    solution: str


@dataclass
class Steps:
    """The steps of one student.

    Args:
        sentences: the sentence of each check, by id.
        answer: the student's source by step or question, None if it is missing; None if the
            submission is gone.
        cells: marks of the gradebook, by cell.
        steps: all steps, as the student may see them.
        given: by step, the docstrings of the original notebook, which are not shown again.
        solutions: the solutions to show, by step or question.
        asked: the questions that only this student has, by step.
    """

    sentences: Mapping[str, str]
    answer: Callable[[str], str | None] | None
    cells: Mapping[str, CellMarks]
    steps: Sequence[StepResult]
    given: Mapping[str, Sequence[Sequence[str]]]
    solutions: Mapping[str, Solution]
    asked: Mapping[str, str]

    def sections(self) -> dict[str, list[ShownStep]]:
        """All steps, in the order in which a student needs them.

        ``wrong`` steps have a mistake of their own, ``waiting`` ones are right once those are;
        ``unwritten`` ones were not tried.
        """
        sections: dict[str, list[ShownStep]]
        sections = {"wrong": [], "waiting": [], "unwritten": [], "passed": []}
        for result in questions_last(self.steps):
            if result.passed:
                place = "passed"
            elif result.is_unattempted:
                place = "unwritten"
            elif to_mend([result]) or not result.carried:
                place = "wrong"
            else:
                place = "waiting"
            sections[place].append(self._step(result))
        return sections

    def _step(self, result: StepResult) -> ShownStep:
        """One step as it is shown."""
        wrong = [check for check in result.not_passed if check.status != "carried"]
        passed = [check for check in result.checks if check.status == "passed"]
        groups = self._grouped(result, wrong)

        whole, remains = None, False
        is_whole = len(groups) == 1 and len(wrong) == len(result.checks) > 1
        if is_whole and wrong[0].has_failed and wrong[0].said:
            whole, remains = wrong[0], groups[0].is_common
            # The messages of its checks come second.
            said: Said = "all" if remains else "message"
            groups = [self._group(result, [check], said) for check in wrong]

        return ShownStep(
            result,
            earned=_earned(result),
            marks=self.cells.get(result.name),
            hints=list(dict.fromkeys(check.hint for check in result.not_passed if check.hint)),
            whole=whole,
            remains=remains,
            wrong=groups,
            waiting=self._grouped(result, result.carried),
            waits_for=list(dict.fromkeys(chain(*(one.with_reference for one in result.carried)))),
            passed=[self._group(result, [check]) for check in passed],
            code=self._code(result),
            is_unanswered=self.answer is not None and self.answer(result.name) is None,
            asked=self.asked.get(result.name, ""),
            solutions=list(self._solved(result.name)),
        )

    def _solved(self, step: str) -> Iterator[tuple[str, ShownCode]]:
        """Our code for a step, and unusual right answers, if the student may see them."""
        solution = self.solutions.get(step)
        if solution is not None:
            yield "Our code", code(solution.source, set(), self.given.get(step, ()), False)
            for about, source in solution.others:
                yield f"Also right: {about}", code(source, set(), (), False)

    def _code(self, step: StepResult) -> ShownCode | None:
        source = self.answer(step.name) if self.answer else None
        if source is None:
            return None
        if step.name in self.asked:  # everybody's text tells nothing about it
            source = "\n".join(line for line in source.split("\n") if not line.startswith("#"))
        checks = chain.from_iterable(one.checks for one in self.steps)
        raised = {check.line for check in checks if check.line and check.cell == step.name}
        return code(source, raised, self.given.get(step.name, ()), bool(to_mend([step])))

    def question(self, cell: Cell, title: str) -> ShownQuestion:
        """A question as it is shown."""
        answer = (self.answer(cell.id) if self.answer else None) or ""
        if answer.strip() == cell.source.strip():
            answer = ""
        solution = self.solutions[cell.id].source if cell.id in self.solutions else ""
        return ShownQuestion(cell, title, self.cells[cell.id], cut(answer, MAX_ANSWER), solution)

    def _grouped(self, step: StepResult, checks: list[CheckResult]) -> list[CheckGroup]:
        """Groups of adjacent checks with the same message."""

        def reason(check: CheckResult) -> tuple[str, str, tuple[str, ...]]:
            return check.status, check.said, check.with_reference

        return [self._group(step, list(alike)) for _, alike in groupby(checks, key=reason)]

    def _group(self, step: StepResult, checks: list[CheckResult], said: Said = "") -> CheckGroup:
        different = {check.remaining and (check.remains, *check.remaining_with) for check in checks}
        is_own = len(different) > 1
        lines = []
        for check in checks:
            id = step.id_of(check)
            sentence = self.sentences.get(id) or check.name
            lines.append(ShownCheck(check, sentence, self.cells.get(id), is_own))

        first, example = checks[0], step.example
        drawn = None
        if example is not None and example.check in [check.name for check in checks]:
            drawn = extra(partial(drawings, example), None)

        message = "" if said else first.said
        if first.with_reference:
            message = first.unmended
        status: str = "failed" if first.has_failed else first.status
        if first.not_asked:
            status, message = "not_asked", ""
        return CheckGroup(status, lines, message, not is_own and said != "all", drawn)


def _earned(step: StepResult) -> str:
    earned = points_of(step.score, step.max_score)
    if step.is_not_asked:
        return f"not asked, {earned}: it {NOT_ASKED}"
    if step.passed:
        return f"✓ all passed, {earned}"
    if to_mend([step]) or not step.carried:
        return earned
    return f"↷ carried forward, {earned}"


def to_mend(steps: Iterable[StepResult]) -> list[StepResult]:
    """The steps with a mistake of their own: fixing one may fix later ones."""
    return [step for step in questions_last(steps) if step.failed]


def code(
    source: str, raised: set[int], given: Sequence[Sequence[str]], is_wrong: bool
) -> ShownCode:
    """An answer as it is shown.

    Args:
        raised: the lines, counted from 1, that raised an exception.
        given: the docstrings of the original notebook, as lines.
        is_wrong: whether it has a mistake.
    """
    lines = source.rstrip().split("\n")
    parts = _without(lines, given, raised)
    shown = list(islice(parts, MAX_LINES))

    # Nobody needs to look at an empty or a right answer.
    there = [lines[at - 1].strip() for at in raised if at <= len(lines)]
    is_unwritten = any(line.startswith(STUB) for line in there)

    # The other lines are only counted: an answer may have half a million of them.
    rest = next(parts, None)
    more = 0 if rest is None else len(lines) - rest.number + 1
    return ShownCode(shown, more, is_open=is_wrong and not is_unwritten)


def docstrings(source: str) -> list[list[str]]:
    """The docstrings of all functions and classes in a teacher's cell, as lines."""
    lines = source.split("\n")
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node):
            docstring = node.body[0]
            found.append(lines[docstring.lineno - 1 : docstring.end_lineno])
    return found


def _without(
    lines: Sequence[str], given: Sequence[Sequence[str]], raised: set[int]
) -> Iterator[CodeLine]:
    """The lines, with each docstring shortened to one line; this does not parse student code."""
    place = 0
    while place < len(lines):
        length = _given_at(lines, place, given)
        words = lines[place]
        if length:
            indent = words[: len(words) - len(words.lstrip())]
            words = f'{indent}"""{LEFT_OUT}"""'
        yield CodeLine(place + 1, cut(words, MAX_LINE), place + 1 in raised)
        place += length or 1


def _given_at(lines: Sequence[str], place: int, given: Sequence[Sequence[str]]) -> int:
    """The number of lines of our docstring that begins at this line, or 0."""
    for docstring in given:
        if list(lines[place : place + len(docstring)]) == list(docstring):
            return len(docstring)
    return 0

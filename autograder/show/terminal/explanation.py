"""Explains checks of one student to a teacher: which lost points; the inputs, answers, code."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autograder.base.result import CheckResult, Result, parts_of
from autograder.base.text import (
    agreeing,
    count,
    cut,
    listed,
    number,
    once_right,
    one_line,
    points_of,
)
from autograder.grader.check_result import printable
from autograder.grader.explanation import Explanation, Question

if TYPE_CHECKING:
    from autograder.course.drawn import OwnQuestion

MOST = 5  # calls to show
CHARACTERS = 20_000  # of one value to show
MESSAGE = 60  # characters of a message in the list of checks


def lines(
    explanation: Explanation,
    result: Result,
    graded: CheckResult,
    differences: Sequence[str],
    own: Mapping[str, OwnQuestion],
) -> Iterator[str]:
    """The explanation as lines of text.

    Args:
        graded: the result of the check when it was graded.
        differences: the inputs that have changed since.
        own: the questions that only this student was asked, by step.
    """
    yield from _head(explanation, result, graded)
    yield ""

    yield f"Graded {result.graded_at} at isolation level {result.isolation}; run again now:"
    yield f"  {_compared(graded, explanation.verdict.message)}"
    for line in differences:
        yield f"  {line}"

    yield ""
    if explanation.is_own:  # the check has the right options of all students
        yield from _own(own.get(explanation.check.step), explanation.check.step)
    else:
        yield from _calls(explanation, result.student_id, MOST)
        yield ""
        yield "The check"
        yield from _numbered(explanation.check.source)
    yield from _code(explanation, result)


def step_lines(
    explanations: Sequence[Explanation], result: Result, differences: Sequence[str]
) -> Iterator[str]:
    """Several checks of a step: for each its message and one call, and the code once.

    Args:
        differences: what has changed since they were graded.
    """
    yield from differences
    for explanation in explanations:
        graded = result.by_id[explanation.check.id]
        yield from _head(explanation, result, graded)
        yield f"Run again now: {_compared(graded, explanation.verdict.message)}"
        yield ""
        yield from _calls(explanation, result.student_id, 1)
        yield ""

    # The code is the same for all of them.
    yield from list(_code(explanations[0], result))[1:]
    yield ""
    ids = f"{result.student_id} {explanations[0].check.id}"
    yield f"one of them in full, with its code: autograder explain {result.exercise} {ids}"


def _head(explanation: Explanation, result: Result, graded: CheckResult) -> Iterator[str]:
    check = explanation.check
    kind = "hidden" if check.hidden else "visible"
    earned = points_of(graded.earned, graded.points)
    yield f"{check.id} of {result.student_id}: {graded.status}, {earned}, {kind} check"
    yield check.sentence
    if graded.message:
        yield _behind("It says: ", graded.message)
    if graded.remaining:
        yield _behind("And ", once_right(graded.remaining_with, graded.remaining))


def _own(question: OwnQuestion | None, step: str) -> Iterator[str]:
    """The student's own question, and the right answer."""
    if question is None:
        yield f"No {step} was drawn for this student"
        return
    yield from question.text.split("\n")
    yield ""
    yield f"Right is {question.right}"


def _code(explanation: Explanation, result: Result) -> Iterator[str]:
    """The student's code, with the line that raised marked."""
    place = explanation.verdict.place
    for cell in explanation.cells:
        yield ""
        yield f"What {result.student_id} wrote: {cell.id or 'a cell of their own'}"
        raised = place[1] if cell.id and place[0] == cell.id else 0
        yield from _numbered(cell.source, raised)


def _compared(graded: CheckResult, message: str | None) -> str:
    """Whether the message is the same as when it was graded."""
    then = graded.unmended if graded.status == "carried" else graded.message
    passed = graded.status == "passed"
    now = printable(message or "")
    if passed != (message is None):
        fails = _behind("fails: ", now)
        return f"NOT the same verdict: now it {'passes' if message is None else fails}"
    if passed:
        return "the same verdict: it passes"
    if now == then:
        return "the same verdict, word for word"
    return _behind("it fails, with another message: ", now)


def _calls(explanation: Explanation, student: str, most: int) -> Iterator[str]:
    step, questions = explanation.check.step, explanation.questions
    if not questions:
        yield f"No call of {step} can be shown: none was made, or all of them had functions in them"
        return

    # Right answers explain nothing, unless all are right.
    numbered = list(enumerate(questions, 1))
    telling = [(place, question) for place, question in numbered if not question.is_alike]
    telling = telling or numbered
    for shown, (place, question) in enumerate(telling[:most]):
        if shown:
            yield ""
        yield f"Call {place} of {len(questions)}: {step}({', '.join(question.given)})"
        yield from _call(question, student)

    more, alike = len(telling) - most, len(questions) - len(telling)
    if more > 0:
        yield f"{count(more, 'more call')} {agreeing(more, 'is', 'are')} answered differently, too"
    if alike:
        are = agreeing(alike, "is", "are")
        yield f"{count(alike, 'other call')} {are} answered as the solution answers"


def _call(question: Question, student: str) -> Iterator[str]:
    for name, value in question.given.items():
        yield from _value(name, value)
    yield from _answer(student, question.got, question.got_raised)
    for name, value in question.afterwards.items():
        yield from _value(f"{name}, which the call has changed", value)
    yield from _answer("the solution", question.right, question.right_raised)
    if question.is_alike:
        yield "  which is the same"


def _behind(first: str, text: str) -> str:
    """A text that a student may have influenced, with our own text at the start of each line.

    So no line can pass as ours, or as a command to a workflow runner.
    """
    return first + text.replace("\n", "\n  │ ")


def _answer(who: str, value: Any, raised: str) -> Iterator[str]:
    if raised:
        yield _behind(f"  {who} ", raised)
    else:
        yield from _value(f"{who} answers", value)


def _value(name: str, value: Any) -> Iterator[str]:
    """A value with all of its digits."""
    with np.printoptions(threshold=sys.maxsize, floatmode="unique", linewidth=96):
        first, *rest = cut(repr(value), CHARACTERS).split("\n")
    if not rest:
        yield f"  {name}: {first}"
        return
    yield f"  {name}:"
    for line in (first, *rest):
        yield f"    {line}"


def _numbered(source: str, raised: int = 0) -> Iterator[str]:
    for place, line in enumerate(source.rstrip("\n").split("\n"), start=1):
        mark = ">" if place == raised else " "
        yield f"{mark} {place:3} | {line}"


def lost_lines(result: Result) -> Iterator[str]:
    """All checks that lost points, one per line, and how to see more about them."""
    assert result.score is not None
    lost = _lost(result)
    came_to = f"{result.student_id}: {points_of(result.score, result.max_score)} from the checks"
    explain = f"autograder explain {result.exercise} {result.student_id}"
    if not lost:
        yield f"{came_to}; no check lost points"
        yield f"to see one anyway: {explain} {next(iter(result.by_id), 'CHECK')}"
        return

    yield f"{came_to}; {count(len(lost), 'check')} lost points"
    width = max(map(len, lost))
    for id, check in lost.items():
        earned = f"{number(check.earned)} of {number(check.points)}"
        said = "not tried" if check.status == "unattempted" else check.message
        yield f"  {id:<{width}}  {earned:>7}  {one_line(said or '', MESSAGE)}".rstrip()
    first = next(iter(lost))
    yield f"to see one: {explain} {first}"
    yield f"to see all of a step: {explain} {parts_of(first)[0]}"


def lost_in_step(result: Result, step: str) -> list[str]:
    """The checks of a step that lost points."""
    return [id for id in _lost(result) if parts_of(id)[0] == step]


def nothing_lost(result: Result, step: str) -> str:
    """A line that says that a step lost nothing, and names its checks."""
    ids = [id for id in result.by_id if parts_of(id)[0] == step]
    checks = f"; its checks are {listed(ids)}" if ids else ""
    return f"{step} of {result.student_id}: no check lost points{checks}"


def _lost(result: Result) -> dict[str, CheckResult]:
    lost = {}
    for id, check in result.by_id.items():
        if check.earned < check.points and not check.not_asked:
            lost[id] = check
    return lost

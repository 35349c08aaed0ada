"""The steps on a student's page: what passed, what did not, why, and the student's own code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby

from autograder.gradebook.marks import CellMarks
from autograder.pages.document import block, code, text
from autograder.pages.pictures import pictures
from autograder.result import CheckResult, StepResult, shown
from autograder.text import points, points_of
from autograder.troubles import extra

MAX_LINES, MAX_LINE = 400, 300
"""What is shown of an answer: lines, and characters of a line."""

STUB = "raise NotImplementedError"

SIGNS = {
    "passed": ("✓", "Passed"),
    "failed": ("✗", "Not yet"),
    "carried": ("↷", "Carried forward"),
    "not_run": ("–", "Not run"),
}


class Steps:
    """Draws the steps of one student.

    Args:
        sentences: what each check says, by its id.
        answer: the student's source by step or question, None where there is none; None where the submission is gone.
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
        self._lines: dict[str, set[int]] = {}
        for check in (check for step in steps for check in step.checks):
            if check.line:
                self._lines.setdefault(check.cell, set()).add(check.line)

    def step(self, step: StepResult) -> Iterator[str]:
        """One step; folded up if there is nothing to look at."""
        earned = points_of(step.score, step.max_score)
        if step.passed:
            earned = f"✓ all passed, {earned}"
        elif not to_mend([step]):
            earned = f"↷ carried forward, {earned}"
        title = _title(step.name, code(step.name), earned)
        if step.passed:
            yield f'<details class="step" {_id(step.name)}><summary>{title}</summary>\n<div class="inside">'
        else:
            yield f'<section class="step" {_id(step.name)} {_named(step.name)}>\n{title}'
        yield from self._remarks(step.name)
        yield from self._checks(step)
        yield from self._code(step)
        yield "</div>\n</details>" if step.passed else "</section>"

    def question(self, cell: str) -> Iterator[str]:
        """A question that a person grades."""
        entry = self._cells.get(cell)
        most = entry.max_score if entry and entry.max_score else 0.0
        waiting = entry is None or (entry.needs_manual_grade and entry.manual_score is None)
        earned = "still to be read" if waiting or entry is None else points_of(entry.score, most)
        yield f'<section class="step" {_id(cell)} {_named(cell)}>\n{_title(cell, text(cell), earned)}'
        yield from self._remarks(cell)
        answer = self._answer(cell) if self._answer else None
        if answer:
            yield f"<details><summary>Your answer</summary>\n{block(_cut(answer))}\n</details>"
        yield "</section>"

    def _checks(self, step: StepResult) -> Iterator[str]:
        open_ = [check for check in step.checks if check.status != "passed"]
        passed = [check for check in step.checks if check.status == "passed"]
        hints = dict.fromkeys(check.hint for check in open_ if check.hint)
        for hint in hints:
            yield f'<p class="hint"><strong>Think about:</strong> {text(hint)}</p>'
        groups = [list(alike) for _, alike in groupby(open_, key=_reason)]
        whole = len(groups) == 1 and len(open_) == len(step.checks) > 1
        if whole and open_[0].status == "failed" and open_[0].message:
            # The step as a whole: what each of its checks wanted comes second.
            yield block(open_[0].message)
            listed = "\n".join(self._group(step, [replace(check, message="")]) for check in open_)
            yield f"<details><summary>{len(open_)} checks wait for it</summary>"
            yield f'<ul class="checks">\n{listed}\n</ul>\n</details>'
        elif open_:
            yield '<ul class="checks">'
            yield from (self._group(step, alike) for alike in groups)
            yield "</ul>"
        if passed:
            rows = "\n".join(self._group(step, [check]) for check in passed)
            listed = f'<ul class="checks">\n{rows}\n</ul>'
            count = f"{len(passed)} {'check' if len(passed) == 1 else 'checks'} passed"
            yield listed if step.passed else f"<details><summary>{count}</summary>\n{listed}\n</details>"

    def _group(self, step: StepResult, checks: list[CheckResult]) -> str:
        """Checks that failed for the same reason, which is said once."""
        sign, word = SIGNS[checks[0].status]
        lines = []
        for check in checks:
            about = ", ".join(
                [
                    "hidden check" if check.hidden else "visible check",
                    text(shown(check.category)),
                    points_of(check.earned, check.points),
                ]
            )
            lines.append(
                f'<p><span class="mark" aria-hidden="true">{sign}</span><span class="word">{word}:</span>'
                f' {text(self._sentence(step, check.name))} <span class="soft">({about})</span></p>'
            )
            lines += self._remarks(f"{step.name}-{check.name}")
        first = checks[0]
        if first.with_reference:
            names = " and ".join(f'<a href="#step-{text(name)}">{code(name)}</a>' for name in first.with_reference)
            its = "its" if len(first.with_reference) == 1 else "their"
            lines.append(f"<p>Mend {names} first: with the teacher’s in {its} place this passed.</p>")
        if first.message:
            lines.append(block(first.message))
        example = step.example
        if example is not None and example.check in [check.name for check in checks]:
            lines.append(extra(partial(pictures, example), ""))
        return f'<li class="{first.status}">{"".join(lines)}</li>'

    def _code(self, step: StepResult) -> Iterator[str]:
        if self._answer is None:
            return
        source = self._answer(step.name)
        if source is None:
            if not step.passed:
                yield '<p class="soft">There is no answer to this step in your notebook.</p>'
            return
        raised = self._lines.get(step.name, set())
        lines = source.rstrip().split("\n")
        # What was never written, or is right by itself, need not be looked at.
        unwritten = any(lines[at - 1].strip().startswith(STUB) for at in raised if at <= len(lines))
        opened = " open" if to_mend([step]) and not unwritten else ""
        items = "\n".join(_line(line, number in raised) for number, line in enumerate(lines[:MAX_LINES], start=1))
        yield f'<details{opened}><summary>Your code of {code(step.name)}</summary>\n<ol class="code">\n{items}\n</ol>'
        if len(lines) > MAX_LINES:
            yield f'<p class="soft">… and {len(lines) - MAX_LINES} more lines.</p>'
        yield "</details>"

    def _remarks(self, cell: str) -> Iterator[str]:
        """What a person gave and wrote."""
        entry = self._cells.get(cell)
        if entry is None:
            return
        if entry.manual_score is not None:
            yield f"<p>Graded by a person: {points(entry.manual_score)}</p>"
        if entry.extra_credit:
            yield f"<p>Extra credit: {points(entry.extra_credit)}</p>"
        if entry.remark:
            yield f"<blockquote>{text(entry.remark)}</blockquote>"

    def _sentence(self, step: StepResult, check: str) -> str:
        return self._sentences.get(f"{step.name}-{check}") or check


def _reason(check: CheckResult) -> tuple[str, str, tuple[str, ...]]:
    return check.status, check.message, check.with_reference


def _id(name: str) -> str:
    return f'id="step-{text(name)}"'


def _named(name: str) -> str:
    return f'aria-labelledby="title-{text(name)}"'


def _title(name: str, words: str, beside: str) -> str:
    return f'<h3 class="title" id="title-{text(name)}">{words} <span class="of">{beside}</span></h3>'


def _line(line: str, raised: bool) -> str:
    shown_ = text(_cut(line, MAX_LINE))
    if raised:
        return f'<li class="here"><code>{shown_}<em>▲ this line raised the exception</em></code></li>'
    return f"<li><code>{shown_}</code></li>"


def _cut(words: str, most: int = 20_000) -> str:
    return words if len(words) <= most else f"{words[:most]} …"


def to_mend(steps: Iterable[StepResult]) -> list[StepResult]:
    """The steps with a mistake of their own, in the order of the notebook: mending one may mend those after it."""
    return [step for step in steps if any(check.status == "failed" for check in step.checks)]

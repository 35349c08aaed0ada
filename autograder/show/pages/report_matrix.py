"""The table of students on the teacher's page: everybody by every step, to sort and search."""

from __future__ import annotations

from typing import NamedTuple

from autograder.base.text import number
from autograder.course.reports.report import Report

NO_SCORE = "-1"
"""Where no score sorts: below all of them."""


class Mark(NamedTuple):
    """What became of a step: its sign, by which it sorts, and the class of its colour."""

    sign: str
    kind: str


PASSED = Mark("✓", "g")
CARRIED = Mark("↷", "h")
FAILED = Mark("✗", "b")
UNTRIED = Mark("–", "n")
NOTHING = Mark("", "n")


class Row(NamedTuple):
    """A student: final score and that of the checks, each behind how it sorts; a mark a step."""

    student: str
    key: str
    score: str
    automatic_key: str
    automatic: str
    marks: list[Mark]
    note: str


def rows(report: Report) -> list[Row]:
    """Everybody, in the order of their ids."""
    by_step: list[dict[str, Mark]] = []
    for item in report.steps.values():
        of_step = dict.fromkeys((*item.failed, *item.not_run), FAILED)
        of_step |= dict.fromkeys(item.carried, CARRIED)
        of_step |= dict.fromkeys(item.passed, PASSED)
        by_step.append(of_step)

    names = list(report.steps)
    lines = []
    for one in report.students:
        marks = [signs.get(one.student, NOTHING) for signs in by_step]
        for place, name in enumerate(names):
            if name in one.untried:
                marks[place] = UNTRIED
        missing = "missing" if one.status == "missing" else ""
        note = one.note() or missing
        lines.append(Row(one.student, *_score(one.score), *_score(one.automatic), marks, note))
    return lines


def _score(score: float | None) -> tuple[str, str]:
    return (NO_SCORE, "–") if score is None else (str(score), number(score))

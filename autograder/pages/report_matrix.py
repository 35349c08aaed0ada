"""The table of students on the teacher's page: everybody by every step, to be sorted and searched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from autograder.reports.report import Report
from autograder.reports.students import StudentRow
from autograder.text import number

NO_SCORE = "-1"
"""Where no score sorts: below all of them."""


class Mark(NamedTuple):
    """What became of a step: its sign, the class of its colour, and how it sorts."""

    sign: str
    kind: str
    key: str


PASSED = Mark("✓", "good", "4")
CARRIED = Mark("↷", "half", "3")
FAILED = Mark("✗", "bad", "2")
UNTRIED = Mark("–", "", "1")
NOTHING = Mark("", "", "0")


@dataclass(frozen=True)
class Row:
    """A student: final score and that of the checks, each with how it sorts; then a mark a step."""

    student: str
    score: tuple[str, str]
    automatic: tuple[str, str]
    marks: list[Mark]
    note: str


def rows(report: Report) -> list[Row]:
    """Everybody, in the order of their ids."""
    by_step: list[dict[str, Mark]] = []
    for item in report.steps.values():
        marks = dict.fromkeys((*item.failed, *item.not_run), FAILED)
        marks |= dict.fromkeys(item.carried, CARRIED)
        marks |= dict.fromkeys(item.passed, PASSED)
        by_step.append(marks)

    lines = []
    for one in report.students:
        missing = "missing" if one.status == "missing" else ""
        lines.append(
            Row(
                one.student,
                _score(one.score),
                _score(one.automatic),
                list(_marks(one, list(report.steps), by_step)),
                one.note() or missing,
            )
        )
    return lines


def _marks(one: StudentRow, names: list[str], by_step: list[dict[str, Mark]]) -> Iterator[Mark]:
    for name, marks in zip(names, by_step):
        yield UNTRIED if name in one.untried else marks.get(one.student, NOTHING)


def _score(score: float | None) -> tuple[str, str]:
    return ("–", NO_SCORE) if score is None else (number(score), str(score))

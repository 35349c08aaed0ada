"""The score on a student's page: by name everything that it is made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from autograder.base.result import Result
from autograder.base.text import late, points
from autograder.course.gradebook.marks import Marks


@dataclass(frozen=True)
class Score:
    """The final score; ``parts`` are names and points, none where it is the checks alone.

    ``is_earlier``: it is of an earlier submission, for this one was not graded.
    ``may_rise``: a person has not read everything yet.
    """

    value: float
    most: float
    is_earlier: bool
    parts: list[tuple[str, str]]
    may_rise: bool


def final_score(result: Result, marks: Marks | None) -> Score | None:
    """What the gradebook says, else what the checks gave; None where there is neither."""
    value, most = result.score, result.max_score
    if marks:
        value, most = marks.score, marks.max_score
    if value is None:
        return None

    parts = list(_parts(marks)) if marks else []
    return Score(
        value,
        most,
        is_earlier=result.status != "graded",
        parts=parts if len(parts) > 1 else [],
        may_rise=bool(marks and marks.needs_manual_grade),
    )


def _parts(marks: Marks) -> Iterator[tuple[str, str]]:
    yield "Checks", points(marks.automatic)
    if any(cell.manual_score is not None for cell in marks.cells.values()):
        yield "By hand", _change(marks.by_hand)
    if marks.extra_credit:
        yield "Extra credit", _change(marks.extra_credit)
    if marks.raised:
        yield "Not below 0", _change(marks.raised)
    if marks.late_penalty:
        yield late(marks.seconds_late), _change(-marks.late_penalty)
    elif marks.seconds_late:
        yield late(marks.seconds_late), "no points off"


def _change(value: float) -> str:
    return f"{'minus' if value < 0 else 'plus'} {points(abs(value))}"

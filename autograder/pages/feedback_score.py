"""The score on a student's page: by name everything that it is made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from autograder.gradebook.marks import Marks
from autograder.result import Result
from autograder.text import number, signed


@dataclass(frozen=True)
class Score:
    """The final score; ``parts`` are names and numbers, none where it is the checks alone.

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
    yield "Checks", number(marks.automatic)
    if any(cell.manual_score is not None for cell in marks.cells.values()):
        yield "By hand", signed(marks.by_hand)
    if marks.extra_credit:
        yield "Extra credit", signed(marks.extra_credit)
    if marks.raised:
        yield "Not below 0", signed(marks.raised)
    if marks.late_penalty:
        yield f"Late penalty ({_duration(marks.seconds_late)} late)", signed(-marks.late_penalty)


def _duration(seconds: float) -> str:
    hours, minutes = divmod(max(1, round(seconds / 60)), 60)
    days, hours = divmod(hours, 24)
    parts = ((days, "d"), (hours, "h"), (0 if days else minutes, "min"))
    return " ".join(f"{number} {unit}" for number, unit in parts if number)

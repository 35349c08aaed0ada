"""Reading the gradebook's cells: what the grader and people have given for each of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from sqlalchemy import Connection, Select, Table, or_, select

from autograder.base.result import MOST_POINTS
from autograder.course.gradebook import late_penalty
from autograder.course.gradebook.schema import COMMENT, GRADE

ROWS = 1000
"""So many are had from the database at once: a class of 10,000 has 640,000."""


@dataclass(frozen=True)
class CellMarks:
    """One cell: its scores, its maximum and the comment to show; None where there is none.

    ``remark`` is the comment if a person wrote it.
    """

    auto_score: float | None = None
    manual_score: float | None = None
    extra_credit: float | None = None
    needs_manual_grade: bool = False
    max_score: float | None = None
    comment: str | None = None
    remark: str | None = None

    @cached_property
    def is_scored(self) -> bool:
        """Whether anybody, grader or person, has given points."""
        return self.auto_score is not None or self.manual_score is not None

    @cached_property
    def unsound(self) -> object:
        """Points of it that are no number of points; None where all are."""
        for points in (self.auto_score, self.manual_score, self.extra_credit):
            if points is not None and not is_sound(points):
                return points
        return None

    @cached_property
    def score(self) -> float:
        return late_penalty.score(self.auto_score, self.manual_score, self.extra_credit)


def is_sound(points: object) -> bool:
    return isinstance(points, (int, float)) and abs(points) <= MOST_POINTS


def unsound(place: str, points: object) -> ValueError:
    return ValueError(
        f"the gradebook has {points!r} as points of {place}; correct it in the formgrader"
    )


def cell_marks(
    connection: Connection,
    names: Mapping[str, str],
    points: Mapping[str, float],
    notebooks: Sequence[str] | None,
) -> defaultdict[str, dict[str, CellMarks]]:
    """What stands at the cells that have a grade or a comment, by submitted notebook and cell.

    Args:
        names: of the cells, by their ids.
        points: their maxima, by name.
        notebooks: those of these submitted notebooks; None for all.
    """
    # By name: of an answer that people mark, nbgrader has two cells, one for points, one for words.
    comments: dict[tuple[str, str], tuple[str | None, str | None]] = {}
    is_said = or_(COMMENT.c.auto_comment.is_not(None), COMMENT.c.manual_comment.is_not(None))
    query = _of_cells(COMMENT, ("auto_comment", "manual_comment"), names, notebooks).where(is_said)
    for notebook, cell, automatic, manual in connection.execute(query):
        comments[notebook, names[cell]] = automatic, manual

    marks: defaultdict[str, dict[str, CellMarks]] = defaultdict(dict)
    columns = ("auto_score", "manual_score", "extra_credit", "needs_manual_grade")
    for rows in connection.execute(_of_cells(GRADE, columns, names, notebooks)).partitions(ROWS):
        for notebook, cell, auto_score, manual_score, extra_credit, waits in rows:
            name = names[cell]
            said = comments.pop((notebook, name), (None, None)) if comments else (None, None)
            grade = (auto_score, manual_score, extra_credit, waits)
            marks[notebook][name] = _shared_marks(*grade, points.get(name), *said)
    for (notebook, name), said in comments.items():
        marks[notebook][name] = _shared_marks(None, None, None, False, points.get(name), *said)
    return marks


def _of_cells(
    table: Table, columns: Iterable[str], cells: Iterable[str], notebooks: Sequence[str] | None
) -> Select[Any]:
    """Some columns of grades or comments, behind the ids of submitted notebook and cell."""
    own = (table.c[name] for name in columns)
    query = select(table.c.notebook_id, table.c.cell_id, *own)
    # By cell first: the tables' only index is on (cell_id, notebook_id).
    query = query.where(table.c.cell_id.in_(list(cells)))
    return query if notebooks is None else query.where(table.c.notebook_id.in_(notebooks))


@lru_cache(maxsize=4096, typed=True)  # most cells of a class have all their points
def _shared_marks(
    auto_score: float | None,
    manual_score: float | None,
    extra_credit: float | None,
    needs_manual_grade: bool | None,
    max_score: float | None,
    auto_comment: str | None,
    manual_comment: str | None,
) -> CellMarks:
    return CellMarks(
        auto_score,
        manual_score,
        extra_credit,
        bool(needs_manual_grade),
        max_score,
        comment=auto_comment if manual_comment is None else str(manual_comment),
        remark=str(manual_comment) if manual_comment else None,
    )

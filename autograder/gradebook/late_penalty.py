"""Late penalties: nbgrader's plugin, called by us, kept where nbgrader keeps them."""

from __future__ import annotations

from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

from sqlalchemy import Connection, select, update

from autograder.course import Course
from autograder.errors import Unusable
from autograder.gradebook import config as host
from autograder.gradebook.master_cells import Saved
from autograder.gradebook.schema import GRADE, SUBMITTED_ASSIGNMENT, SUBMITTED_NOTEBOOK


def seconds_late(
    submitted: datetime | None, duedate: datetime | None, extension: timedelta | None
) -> float:
    """How long after the due date and the student's extension; 0 when in time or when a time is
    unknown."""
    if submitted is None or duedate is None:
        return 0.0
    return max(0.0, (submitted - duedate - (extension or timedelta())).total_seconds())


class Penalties:
    """The penalties that the course's plugin (``c.AssignLatePenalties.plugin_class``) gives."""

    def __init__(self, course: Course) -> None:
        self._course = course
        self._preprocessor: Any = None

    def assign(self, connection: Connection, saved: Saved, notebooks: dict[str, str]) -> None:
        """Set or clear the penalty of these submitted notebooks (ids by student) from the scores
        that stand there."""
        submitted = connection.execute(
            select(
                SUBMITTED_NOTEBOOK.c.id,
                SUBMITTED_NOTEBOOK.c.late_submission_penalty,
                SUBMITTED_ASSIGNMENT.c.student_id,
                SUBMITTED_ASSIGNMENT.c.timestamp,
                SUBMITTED_ASSIGNMENT.c.extension,
            )
            .join(
                SUBMITTED_ASSIGNMENT,
                SUBMITTED_ASSIGNMENT.c.id == SUBMITTED_NOTEBOOK.c.assignment_id,
            )
            .where(SUBMITTED_NOTEBOOK.c.id.in_(list(notebooks.values())))
        ).all()
        late = {
            row.id: seconds_late(row.timestamp, saved.duedate, row.extension) for row in submitted
        }
        scores = _scores(connection, saved, [id for id, seconds in late.items() if seconds > 0])
        for row in submitted:
            penalty = (
                self._penalty(row.student_id, scores.get(row.id, 0.0), late[row.id])
                if late[row.id] > 0
                else None
            )
            if penalty != row.late_submission_penalty:
                at = update(SUBMITTED_NOTEBOOK).where(SUBMITTED_NOTEBOOK.c.id == row.id)
                connection.execute(at.values(late_submission_penalty=penalty))

    def _penalty(self, student: str, score: float, seconds: float) -> float | None:
        try:
            nbgrader = self._nbgrader()
            penalty = nbgrader.plugin_inst.late_submission_penalty(student, score, seconds)
            if penalty is None:
                return None
            # nbgrader's own bounds: not below 0, not above the score.
            return float(nbgrader._check_late_penalty(SimpleNamespace(score=score), penalty))
        except (
            Exception
        ) as error:  # the plugin is the teacher's program: anything may come out of it
            raise Unusable(
                f"nbgrader_config.py: the late penalty for {student} failed with {type(error).__name__}: {error};"
                " correct AssignLatePenalties.plugin_class"
            ) from None

    def _nbgrader(self) -> Any:
        if self._preprocessor is None:
            from nbgrader.preprocessors import AssignLatePenalties  # type: ignore[import-untyped]

            self._preprocessor = AssignLatePenalties(config=host.config(self._course))
            self._preprocessor.init_plugin()
        return self._preprocessor


def _scores(connection: Connection, saved: Saved, notebooks: list[str]) -> dict[str, float]:
    scores = dict.fromkeys(notebooks, 0.0)
    rows = connection.execute(
        select(GRADE).where(
            GRADE.c.cell_id.in_(list(saved.graded.values())), GRADE.c.notebook_id.in_(notebooks)
        )
    )
    for row in rows:
        scores[row.notebook_id] += score(row.auto_score, row.manual_score, row.extra_credit)
    return scores


def score(auto: float | None, manual: float | None, extra: float | None) -> float:
    """What a cell counts: the manual score, else the automatic one, and extra credit on top of
    either."""
    if manual is None and auto is None:
        return 0.0
    return (manual if manual is not None else auto or 0.0) + (extra or 0.0)

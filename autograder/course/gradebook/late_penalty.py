"""Late penalties: by the course's settings or nbgrader's plugin, kept where nbgrader keeps them.

A penalty follows from the score, the due date and the rule as they are now. What the gradebook has
of it is a copy for nbgrader, and never read as the truth.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, select, update

from autograder.base.errors import Unusable
from autograder.course.course import Course
from autograder.course.gradebook import config as host
from autograder.course.gradebook import extensions
from autograder.course.gradebook.master_cells import Saved
from autograder.course.gradebook.schema import GRADE, SUBMITTED_ASSIGNMENT, SUBMITTED_NOTEBOOK

if TYPE_CHECKING:
    from traitlets.config import Config


def seconds_late(submitted: datetime | None, deadline: datetime | None) -> float:
    """How long after the student's deadline; 0 when in time, or when a time is unknown."""
    if submitted is None or deadline is None:
        return 0.0
    return max(0.0, (submitted - deadline).total_seconds())


class Penalties:
    """The penalties for late work on an exercise.

    The rule in the settings gives them, or else the course's plugin
    (``c.AssignLatePenalties.plugin_class``).
    """

    def __init__(self, course: Course, exercise: str) -> None:
        self._course = course
        self._exercise = exercise
        self._rule = course.settings.late_rule(exercise)
        self._extensions = extensions.read(course)
        self._preprocessor: Any = None

    def assign(self, connection: Connection, saved: Saved, notebooks: list[str]) -> None:
        """Set or clear the penalty of submitted notebooks, from the scores that stand there."""
        rows = _submitted(connection, notebooks)
        due = self._course.settings.due_date(self._exercise) or saved.duedate
        late: dict[str, float] = {}
        for row in rows:
            deadline = self._extensions.deadline(row.student_id, self._exercise, due, row.extension)
            seconds = seconds_late(row.timestamp, deadline)
            if seconds > 0:
                late[row.id] = seconds
        scores = _scores(connection, saved, list(late))

        for row in rows:
            penalty = None
            if row.id in late:
                penalty = self.of(row.student_id, scores[row.id], late[row.id])
            if penalty != row.late_submission_penalty:
                of_row = update(SUBMITTED_NOTEBOOK).where(SUBMITTED_NOTEBOOK.c.id == row.id)
                connection.execute(of_row.values(late_submission_penalty=penalty))

    def of(self, student: str, score: float, seconds: float) -> float | None:
        """What the rule takes from a score that came so late; never more than there is.

        None where no rule is configured, or it takes nothing.

        Raises:
            Unusable: the plugin fails, or gives no number.
        """
        if self._rule is not None:
            return self._rule.penalty(score, seconds) or None
        if not self.has_rule:
            return None

        try:
            penalty = self._nbgrader().plugin_inst.late_submission_penalty(student, score, seconds)
            if penalty is None:
                return None
            penalty = float(penalty)
            if math.isnan(penalty):
                raise ValueError("it gave no number")
            return min(max(penalty, 0.0), max(score, 0.0))
        # The plugin is the teacher's program: anything may come out of it.
        except Exception as error:
            raise Unusable(
                f"nbgrader_config.py: the late penalty for {student} failed with"
                f" {type(error).__name__}: {error}; correct AssignLatePenalties.plugin_class"
            ) from None

    def load(self) -> None:
        """Load nbgrader and the plugin, which takes seconds: never while a database is locked."""
        if self._rule is None and self.has_rule:
            try:
                self._nbgrader()
            except Exception:
                pass  # whoever is late is told, one by one

    @cached_property
    def has_rule(self) -> bool:
        """Whether anything is configured.

        nbgrader gives no penalty by itself, and takes seconds to load.
        """
        if self._rule is not None:
            return True
        sections = ("AssignLatePenalties", "LateSubmissionPlugin")
        return any(section in self._config for section in sections)

    @cached_property
    def _config(self) -> Config:
        return host.config(self._course)

    def _nbgrader(self) -> Any:
        if self._preprocessor is None:
            from nbgrader.preprocessors import AssignLatePenalties  # type: ignore[import-untyped]

            self._preprocessor = AssignLatePenalties(config=self._config)
            self._preprocessor.init_plugin()
        return self._preprocessor


def _submitted(connection: Connection, notebooks: list[str]) -> Sequence[Any]:
    """Each submitted notebook with its penalty, whose it is, and when it was handed in."""
    notebook, assignment = SUBMITTED_NOTEBOOK.c, SUBMITTED_ASSIGNMENT.c
    query = (
        select(
            notebook.id,
            notebook.late_submission_penalty,
            assignment.student_id,
            assignment.timestamp,
            assignment.extension,
        )
        .join(SUBMITTED_ASSIGNMENT, assignment.id == notebook.assignment_id)
        .where(notebook.id.in_(notebooks))
    )
    return connection.execute(query).all()


def _scores(connection: Connection, saved: Saved, notebooks: list[str]) -> dict[str, float]:
    """The scores of submitted notebooks, by their ids."""
    scores = dict.fromkeys(notebooks, 0.0)
    cells = list(saved.graded.values())
    query = select(GRADE).where(GRADE.c.cell_id.in_(cells), GRADE.c.notebook_id.in_(notebooks))
    for row in connection.execute(query):
        scores[row.notebook_id] += score(row.auto_score, row.manual_score, row.extra_credit)
    return scores


def score(auto: float | None, manual: float | None, extra: float | None) -> float:
    """What a cell counts: the manual score, else the automatic one, and extra credit on top."""
    if manual is not None:
        return manual + (extra or 0.0)
    if auto is not None:
        return auto + (extra or 0.0)
    return 0.0

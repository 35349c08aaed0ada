"""The tables of nbgrader's gradebook, as far as we touch them.

Importing nbgrader takes seconds, SQLAlchemy a fraction of one, and most commands only read or write
rows. A test holds these columns against nbgrader's own models.
"""

from __future__ import annotations

import secrets
import time

from sqlalchemy import Boolean, DateTime, Enum, Float, Interval, String, column, table

CELL_TYPES = ("code", "markdown")

COURSE = table("course", column("id", String))
ASSIGNMENT = table(
    "assignment",
    column("id", String),
    column("name", String),
    column("duedate", DateTime),
    column("course_id", String),
)
NOTEBOOK = table(
    "notebook",
    column("id", String),
    column("name", String),
    column("assignment_id", String),
    column("kernelspec", String),
)
BASE_CELL = table(
    "base_cell",
    column("id", String),
    column("name", String),
    column("notebook_id", String),
    column("type", String),
)
GRADE_CELL = table(
    "grade_cells",
    column("id", String),
    column("max_score", Float),
    column("cell_type", Enum(*CELL_TYPES, name="grade_cell_type")),
)
SOLUTION_CELL = table("solution_cells", column("id", String))
TASK_CELL = table(
    "task_cells",
    column("id", String),
    column("max_score", Float),
    column("cell_type", Enum(*CELL_TYPES, name="grade_cell_type")),
)
SOURCE_CELL = table(
    "source_cell",
    column("id", String),
    column("name", String),
    column("cell_type", Enum(*CELL_TYPES, name="source_cell_type")),
    column("locked", Boolean),
    column("source", String),
    column("checksum", String),
    column("notebook_id", String),
)
STUDENT = table(
    "student",
    column("id", String),
    column("first_name", String),
    column("last_name", String),
    column("email", String),
    column("lms_user_id", String),
)
SUBMITTED_ASSIGNMENT = table(
    "submitted_assignment",
    column("id", String),
    column("assignment_id", String),
    column("student_id", String),
    column("timestamp", DateTime),
    column("extension", Interval),
)
SUBMITTED_NOTEBOOK = table(
    "submitted_notebook",
    column("id", String),
    column("assignment_id", String),
    column("notebook_id", String),
    column("flagged", Boolean),
    column("late_submission_penalty", Float),
)
GRADE = table(
    "grade",
    column("id", String),
    column("notebook_id", String),
    column("cell_id", String),
    column("auto_score", Float),
    column("manual_score", Float),
    column("extra_credit", Float),
    column("needs_manual_grade", Boolean),
)
COMMENT = table(
    "comment",
    column("id", String),
    column("notebook_id", String),
    column("cell_id", String),
    column("auto_comment", String),
    column("manual_comment", String),
)

TABLES = (
    COURSE,
    ASSIGNMENT,
    NOTEBOOK,
    BASE_CELL,
    GRADE_CELL,
    SOLUTION_CELL,
    TASK_CELL,
    SOURCE_CELL,
    STUDENT,
    SUBMITTED_ASSIGNMENT,
    SUBMITTED_NOTEBOOK,
    GRADE,
    COMMENT,
)


def new_id() -> str:
    """A primary key like nbgrader's, 32 hexadecimal digits; the first half is the time.

    Wholly random ones would put the rows of each new submission all over the indexes, and cost more
    with every one.
    """
    return f"{time.time_ns():016x}{secrets.randbits(64):016x}"

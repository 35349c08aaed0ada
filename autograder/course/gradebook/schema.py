"""The tables of nbgrader's gradebook.

Importing nbgrader takes seconds, SQLAlchemy a fraction of one, and a gradebook is made and written
without it. A test holds these tables against nbgrader's own, word for word.
"""

from __future__ import annotations

import secrets
import time

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    DateTime,
    Enum,
    Float,
    ForeignKey,
    Interval,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    insert,
)

VERSION = "e43177bfe90b"
"""The migration of nbgrader that made these tables what they are (``nbgrader/alembic``)."""

CELL_TYPES = ("code", "markdown")

METADATA = MetaData()

_ALEMBIC_VERSION = Table(
    "alembic_version", METADATA, Column("version_num", String(32), nullable=False)
)


def _id() -> Column[str]:
    return Column("id", String(32), primary_key=True)


def _of(name: str, other: str, required: bool = False) -> Column[str]:
    """A column that names a row of another table."""
    return Column(name, ForeignKey(f"{other}.id"), nullable=not required)


def _cell_id() -> Column[str]:
    """The primary key of a kind of cell: that of the cell itself."""
    return Column("id", String(32), ForeignKey("base_cell.id"), primary_key=True)


def _cell_type(name: str) -> Column[str]:
    return Column("cell_type", Enum(*CELL_TYPES, name=name), nullable=False)


COURSE = Table(
    "course",
    METADATA,
    Column("id", String(128), primary_key=True, unique=True),
)
ASSIGNMENT = Table(
    "assignment",
    METADATA,
    _id(),
    Column("name", String(128), unique=True, nullable=False),
    Column("duedate", DateTime),
    _of("course_id", "course", required=True),
)
NOTEBOOK = Table(
    "notebook",
    METADATA,
    _id(),
    Column("name", String(128), nullable=False),
    _of("assignment_id", "assignment"),
    Column("kernelspec", String(1024)),
    UniqueConstraint("name", "assignment_id"),
)
BASE_CELL = Table(
    "base_cell",
    METADATA,
    _id(),
    Column("name", String(128), nullable=False),
    _of("notebook_id", "notebook", required=True),
    Column("type", String(50)),
    UniqueConstraint("name", "notebook_id", "type"),
)
GRADE_CELL = Table(
    "grade_cells",
    METADATA,
    _cell_id(),
    Column("max_score", Float, nullable=False),
    _cell_type("grade_cell_type"),
)
SOLUTION_CELL = Table("solution_cells", METADATA, _cell_id())
TASK_CELL = Table(
    "task_cells",
    METADATA,
    _cell_id(),
    Column("max_score", Float, nullable=False),
    _cell_type("grade_cell_type"),
)
SOURCE_CELL = Table(
    "source_cell",
    METADATA,
    _id(),
    Column("name", String(128), nullable=False),
    _cell_type("source_cell_type"),
    Column("locked", Boolean, nullable=False),
    Column("source", Text),
    Column("checksum", String(128)),
    _of("notebook_id", "notebook"),
    UniqueConstraint("name", "notebook_id"),
)
STUDENT = Table(
    "student",
    METADATA,
    Column("id", String(128), primary_key=True),
    Column("first_name", String(128)),
    Column("last_name", String(128)),
    Column("email", String(128)),
    Column("lms_user_id", String(128)),
)
SUBMITTED_ASSIGNMENT = Table(
    "submitted_assignment",
    METADATA,
    _id(),
    _of("assignment_id", "assignment"),
    _of("student_id", "student"),
    Column("timestamp", DateTime),
    Column("extension", Interval),
    UniqueConstraint("assignment_id", "student_id"),
)
SUBMITTED_NOTEBOOK = Table(
    "submitted_notebook",
    METADATA,
    _id(),
    _of("assignment_id", "submitted_assignment"),
    _of("notebook_id", "notebook"),
    Column("flagged", Boolean),
    Column("late_submission_penalty", Float),
    UniqueConstraint("notebook_id", "assignment_id"),
)
GRADE = Table(
    "grade",
    METADATA,
    _id(),
    _of("notebook_id", "submitted_notebook"),
    _of("cell_id", "base_cell"),
    Column("auto_score", Float),
    Column("manual_score", Float),
    Column("extra_credit", Float),
    Column("needs_manual_grade", Boolean, nullable=False),
    UniqueConstraint("cell_id", "notebook_id"),
)
COMMENT = Table(
    "comment",
    METADATA,
    _id(),
    _of("notebook_id", "submitted_notebook"),
    _of("cell_id", "base_cell"),
    Column("auto_comment", Text),
    Column("manual_comment", Text),
    UniqueConstraint("cell_id", "notebook_id"),
)

BY_HAND = {GRADE: ("manual_score", "extra_credit"), COMMENT: ("manual_comment",)}
"""The columns that a person fills in."""


def create(connection: Connection) -> None:
    """Create the tables, with the version mark that nbgrader's own upgrades look for."""
    METADATA.create_all(connection)
    connection.execute(insert(_ALEMBIC_VERSION).values(version_num=VERSION))


def new_id() -> str:
    """A primary key like nbgrader's, 32 hexadecimal digits; the first half is the time.

    Wholly random ones would put the rows of each new submission all over the indexes, and cost more
    with every one.
    """
    return f"{time.time_ns():016x}{secrets.randbits(64):016x}"

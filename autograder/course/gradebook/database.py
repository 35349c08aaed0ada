"""nbgrader's gradebook: its tables, and its database, opened and created when missing.

Importing nbgrader takes seconds, SQLAlchemy a fraction of one, so a gradebook is created and
written without nbgrader. A test compares these tables with nbgrader's own, word for word. Database
errors are reported in one line.
"""

from __future__ import annotations

import secrets
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import (
    URL,
    Boolean,
    Column,
    Connection,
    DateTime,
    Engine,
    Enum,
    Float,
    ForeignKey,
    Interval,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    create_engine,
    event,
    insert,
    inspect,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from autograder.base.errors import Unusable
from autograder.course.course import Course
from autograder.course.gradebook import config

T = TypeVar("T")

PATIENCE = 20
"""Seconds to wait for a lock that another program holds; a server gets half of it to answer."""

SILENCE = 2
"""The first of these seconds pass without a message: batches of other programs take less."""

ONE_AT_A_TIME = 7_205_759
"""The lock on a server's database that all writers of batches take in turn.

Two that write rows of the same students in different order would deadlock.
"""

ATTEMPTS = 5
"""Times that a transaction is tried if another program writes the same row."""

IS_NO_ADDRESS = "db_url is no database address; write it like postgresql://user@host/database"

LOCKED = "close what else is writing to it and try again"
DAMAGED = "put a backup in its place, or move it away to start a new one"
REACHED = "see that it can be reached and written (CourseDirectory.db_url in nbgrader_config.py)"
OUTDATED = "back it up, then run nbgrader db upgrade"
REPAIRS = {
    "locked": LOCKED,
    "lock timeout": LOCKED,
    "not a database": DAMAGED,
    "malformed": DAMAGED,
    "password": "correct user and password in db_url, or put the password into ~/.pgpass",
    'FATAL: database "': "create it with createdb, or correct db_url",
    'FATAL: role "': "correct the user in db_url",
    "permission denied": "let this user create tables and write there",
    "no such": OUTDATED,
    "does not exist": OUTDATED,
}
"""Repairs for database errors, by words in the error."""


VERSION = "e43177bfe90b"
"""nbgrader's migration that these tables correspond to (``nbgrader/alembic``)."""

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
    """The primary key of a kind of cell, which is that of the cell itself."""
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


def create_tables(connection: Connection) -> None:
    """Create the tables, with the version mark that nbgrader's own upgrades look for."""
    METADATA.create_all(connection)
    connection.execute(insert(_ALEMBIC_VERSION).values(version_num=VERSION))


def new_id() -> str:
    """A primary key like nbgrader's, 32 hexadecimal digits; the first half is the time.

    Wholly random keys would scatter the rows of each new submission over the indexes, and get
    slower with every submission.
    """
    return f"{time.time_ns():016x}{secrets.randbits(64):016x}"


def course_id(course: Course) -> str:
    """The name of the course in the gradebook and the exchange (``CourseDirectory.course_id``)."""
    return str(config.config(course).CourseDirectory.course_id)


def address(course: Course) -> str:
    """The address of the gradebook for people, without a password."""
    return _shown(_url(course))


def sqlite_file(course: Course) -> Path | None:
    """The file of the gradebook, even if it does not exist yet; None for a server's."""
    url = _url(course)
    return Path(str(url.database)).resolve() if _is_sqlite(url) and url.database else None


class Gradebook:
    """A course's database, for repeated writing.

    No connection stays open between two batches.

    Raises:
        Unusable: the configuration names no usable database.
    """

    def __init__(self, course: Course) -> None:
        self._course = course
        self._engine = _engine(_url(course), writes=True)

    def write(self, work: Callable[[Connection], T]) -> T:
        """Do ``work`` in one transaction, completely or not at all.

        Raises:
            Unusable: the database cannot be opened, created or written.
        """
        with _told(self._course, self._engine.url):
            self._course.state.mkdir(parents=True, exist_ok=True)
            for attempt in range(1, ATTEMPTS + 1):
                try:
                    with self._engine.begin() as connection:
                        if not inspect(connection).has_table("grade"):
                            create_tables(connection)
                        return work(connection)
                except IntegrityError:
                    # Another program has just created the tables, or the same assignment or
                    # student: the next try will find them.
                    if attempt == ATTEMPTS:
                        raise
            raise AssertionError  # the loop returns or raises


def read(course: Course, work: Callable[[Connection], T], otherwise: T) -> T:
    """What ``work`` reads from the gradebook; ``otherwise`` if there is none yet.

    Raises:
        Unusable: the database cannot be opened or read.
    """
    engine = _engine(_url(course), writes=False)
    with _told(course, engine.url):
        # Connecting to an SQLite file would create it.
        file = engine.url.database if _is_sqlite(engine.url) else None
        if file and file != ":memory:" and not Path(file).exists():
            return otherwise
        with engine.connect() as connection:
            return work(connection) if inspect(connection).has_table("grade") else otherwise


@contextmanager
def _told(course: Course, url: URL) -> Iterator[None]:
    """Report a database error in one line."""
    try:
        yield
    except SQLAlchemyError as error:
        cause = str(getattr(error, "orig", None) or error).strip()
        line = " ".join(cause.split())
        repair = next((said for words, said in REPAIRS.items() if words in line), REACHED)
        raise Unusable(f"{_shown(url)}: {line}; {repair}") from None
    except OSError as error:
        raise Unusable(
            course.state, str(error.strerror), "choose another folder with --course"
        ) from None


@lru_cache(4)
def _engine(url: URL, writes: bool) -> Engine:
    """The engine for reading, which does not wait for locks, or for writing.

    It is cached, because compiling statements takes longer than running them. It keeps compiled
    statements, and no connection.
    """
    patience = {"sqlite": {"timeout": PATIENCE}, "postgresql": {"connect_timeout": PATIENCE // 2}}
    arguments = patience.get(url.get_backend_name(), {})
    # Options in the address have precedence.
    own = {name: value for name, value in arguments.items() if name not in url.query}
    try:
        engine = create_engine(url, connect_args=own, poolclass=NullPool)
    except ImportError as error:
        raise Unusable(
            _shown(url), f"the Python package {error.name} is not installed", "run make setup-all"
        ) from None
    except ArgumentError:
        raise Unusable(_shown(url), IS_NO_ADDRESS) from None

    if writes:
        event.listen(engine, "begin", _wait_for_others)
    return engine


def _shown(url: URL) -> str:
    """The address for people, without connection options, which may contain passwords, too."""
    return url.set(query={}).render_as_string(hide_password=True)


def _url(course: Course) -> URL:
    try:
        url = make_url(str(config.config(course).CourseDirectory.db_url))
    except (ArgumentError, ValueError):
        url = None
    # What follows a stray @ is the rest of a password, which must not be shown.
    if url is None or ("@" in f"{url.host}{url.database}" and not _is_sqlite(url)):
        raise Unusable(
            "nbgrader_config.py", f"{IS_NO_ADDRESS}, with %40 for @ and %2F for / in a password"
        ) from None
    return url


def _wait_for_others(connection: Connection) -> None:
    """Lock before anything is read, so that nothing changes between reading and writing."""
    if connection.dialect.name == "sqlite":
        _begin_immediately(connection)
    elif connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{PATIENCE}s'")
        # A batch reads thousands of rows by their keys. The planner would read the whole table,
        # which grows with the class (measured: at 10,000 submissions three times as slow).
        connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
        _wait_for_turn(connection)


def _begin_immediately(connection: Connection) -> None:
    # Without this line the driver begins a transaction at the first change, and cannot wait for a
    # lock within one.
    begin = "BEGIN IMMEDIATE"
    patience = float(str(connection.engine.url.query.get("timeout", PATIENCE)))
    driver: Any = connection.connection.driver_connection
    try:
        driver.execute(f"PRAGMA busy_timeout = {1000 * min(SILENCE, patience):.0f}")
        driver.execute(begin)
    except sqlite3.Error as error:
        if "locked" not in str(error) or patience <= SILENCE:
            connection.exec_driver_sql(begin)  # for SQLAlchemy's form of the error
        else:
            _say_who_is_waited_for(connection)
            driver.execute(f"PRAGMA busy_timeout = {1000 * patience:.0f}")
            connection.exec_driver_sql(begin)
    driver.execute(f"PRAGMA busy_timeout = {1000 * patience:.0f}")


def _wait_for_turn(connection: Connection) -> None:
    silent_until = time.monotonic() + SILENCE
    while not connection.exec_driver_sql(
        f"SELECT pg_try_advisory_xact_lock({ONE_AT_A_TIME})"
    ).scalar():
        if time.monotonic() < silent_until:
            time.sleep(0.02)
            continue
        _say_who_is_waited_for(connection)
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({ONE_AT_A_TIME})")
        return


def _say_who_is_waited_for(connection: Connection) -> None:
    place = _shown(connection.engine.url)
    line = f"autograder: {place}: another program writes to the gradebook; waiting for it"
    print(line, file=sys.stderr, flush=True)


def _is_sqlite(url: URL) -> bool:
    return url.get_backend_name() == "sqlite"


def may_be_of_one(error: Exception) -> bool:
    """Whether the data of a single student may have caused the error.

    Other database errors affect everybody.
    """
    return not isinstance(error, DBAPIError) or isinstance(error, (DataError, IntegrityError))

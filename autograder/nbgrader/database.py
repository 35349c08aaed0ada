"""The gradebook's database: opened, created when missing, its errors told in one line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, inspect
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, IntegrityError, SQLAlchemyError

from autograder.course import Course
from autograder.errors import Unusable
from autograder.nbgrader import host

T = TypeVar("T")


def course_id(course: Course) -> str:
    """The name of the course in the gradebook and the exchange (``CourseDirectory.course_id``)."""
    return str(host.config(course).CourseDirectory.course_id)


def write(course: Course, work: Callable[[Connection], T]) -> T:
    """Do ``work`` in one transaction; it happens completely or not at all.

    Raises:
        Unusable: the database cannot be opened, created or written.
    """
    with _opened(course) as engine:
        for attempt in range(5):
            try:
                with engine.begin() as connection:
                    return work(connection)
            except IntegrityError:
                # Another grader created the same assignment or student a moment ago: now both see it.
                if attempt == 4:
                    raise
        raise AssertionError  # the loop returns or raises


def read(course: Course, work: Callable[[Connection], T], otherwise: T) -> T:
    """Do ``work`` on the gradebook; ``otherwise`` when there is none yet (reading creates nothing)."""
    with _opened(course, create=False) as engine:
        if _absent(engine.url) or not inspect(engine).has_table("grade"):
            return otherwise
        with engine.connect() as connection:
            return work(connection)


@contextmanager
def _opened(course: Course, create: bool = True) -> Iterator[Engine]:
    address = str(host.config(course).CourseDirectory.db_url)
    try:
        url = make_url(address)
    except ArgumentError:
        raise Unusable(
            "nbgrader_config.py: db_url is no database address; write it like sqlite:////path/gradebook.db"
        ) from None
    shown = url.render_as_string(hide_password=True)
    # The formgrader may be writing: wait for it. Other databases wait by themselves.
    engine = create_engine(url, connect_args={"timeout": 60} if _is_sqlite(url) else {})
    try:
        if create:
            course.state.mkdir(parents=True, exist_ok=True)
            if not inspect(engine).has_table("grade"):
                _create(engine)
        yield engine
    except SQLAlchemyError as error:
        cause = " ".join(str(getattr(error, "orig", None) or error).split())
        raise Unusable(f"{shown}: {cause}; {_repair(cause)}") from None
    except OSError as error:
        raise Unusable(f"{course.state}: {error.strerror}; choose another folder with --course") from None
    finally:
        engine.dispose()


def _create(engine: Engine) -> None:
    try:
        host.create_gradebook(engine)
    except SQLAlchemyError:
        # Perhaps another grader has just created it.
        if not inspect(engine).has_table("grade"):
            raise


def _absent(url: URL) -> bool:
    # Connecting to an SQLite file would create it.
    return _is_sqlite(url) and url.database not in (None, "", ":memory:") and not Path(str(url.database)).exists()


def _is_sqlite(url: URL) -> bool:
    return url.get_backend_name() == "sqlite"


def _repair(cause: str) -> str:
    if "no such column" in cause or "does not exist" in cause:
        return "back it up, then run nbgrader db upgrade"
    if "locked" in cause:
        return "close what else is writing to it and try again"
    if "not a database" in cause or "malformed" in cause:
        return "put a backup in its place, or move it away to start a new one"
    return "see that it can be reached and written (CourseDirectory.db_url in nbgrader_config.py)"

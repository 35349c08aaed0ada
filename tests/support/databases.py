"""Gradebooks in both kinds of database: SQLite files, and a PostgreSQL server that runs for the
tests alone."""

import importlib.util
import itertools
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import OperationalError

from autograder.course.course import Course
from tests.support.requirements import not_here

USER, PASSWORD = "teacher", "open sesame/@"
TIMEOUT = 900.0


@dataclass(frozen=True)
class Server:
    """A running PostgreSQL server, on the loopback address."""

    port: int

    def url(self, database: str, password: str = "open%20sesame%2F%40") -> str:
        return f"postgresql://{USER}:{password}@127.0.0.1:{self.port}/{database}"

    def create(self) -> str:
        """The address of a new database, empty."""
        name = f"gradebook{next(_numbers)}"
        engine = create_engine(self.url("postgres"), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(text(f"CREATE DATABASE {name}"))
        engine.dispose()
        return self.url(name)


_numbers = itertools.count()


@dataclass(frozen=True)
class Database:
    """The database of a course's gradebook; ``new`` makes another one, empty, of the same kind."""

    url: str
    new: Callable[[], str]

    def rows(self, query: str, **values: Any) -> list[tuple[Any, ...]]:
        return rows(self.url, query, **values)

    def execute(self, statement: str, **values: Any) -> None:
        execute(self.url, statement, **values)

    def by_hand(self, cell: str, student: str, **entered: float | bool | None) -> None:
        """Enter marks as the formgrader does."""
        values = ", ".join(f"{name} = :{name}" for name in entered)
        self.execute(
            f"UPDATE grade SET {values} WHERE cell_id = (SELECT id FROM base_cell WHERE name = :cell AND type = 'GradeCell')"
            " AND notebook_id IN (SELECT n.id FROM submitted_notebook n JOIN submitted_assignment s"
            " ON s.id = n.assignment_id WHERE s.student_id = :student)",
            **entered,
            cell=cell,
            student=student,
        )


def of(course: Course) -> Database:
    """The file that is a course's gradebook unless it is told otherwise."""
    return Database(f"sqlite:///{course.gradebook}", str)


def rows(url: str, query: str, **values: Any) -> list[tuple[Any, ...]]:
    engine = create_engine(url)
    try:
        with engine.connect() as connection:
            return [tuple(row) for row in connection.execute(text(query), values)]
    finally:
        engine.dispose()


def execute(url: str, statement: str, **values: Any) -> None:
    engine = create_engine(url)
    try:
        with engine.begin() as connection:
            connection.execute(text(statement), values)
    finally:
        engine.dispose()


def use(course: Course, url: str) -> None:
    """Say it as a teacher does."""
    course.state.mkdir(parents=True, exist_ok=True)
    (course.state / "nbgrader_config.py").write_text(
        f"c = get_config()\nc.CourseDirectory.db_url = {url!r}\n"
    )


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, course: Course, tmp_path: Path) -> Database:
    """The course's gradebook; a test that asks for it runs on both kinds."""
    if request.param == "postgresql":
        server: Server = request.getfixturevalue("postgres")
        found = Database(server.create(), server.create)
        use(course, found.url)
        return found
    numbers = itertools.count()
    return Database(
        f"sqlite:///{course.gradebook}",
        lambda: f"sqlite:///{tmp_path / f'other{next(numbers)}.db'}",
    )


mostly_sqlite = pytest.mark.parametrize(
    "database",
    ["sqlite", pytest.param("postgresql", marks=pytest.mark.everything)],
    indirect=True,
)
"""For what another test of the same file has shown to be alike on both kinds."""


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    missing = _missing()
    if missing:
        not_here(missing)
    with running() as server:
        yield server


@contextmanager
def running() -> Iterator[Server]:
    """A new server with nothing in it, ended and forgotten afterwards."""
    programs = _programs()
    assert programs is not None
    with tempfile.TemporaryDirectory(prefix="postgres-") as folder:
        account = _unprivileged(Path(folder))
        data = f"{folder}/data"
        Path(folder, "password").write_text(PASSWORD)
        # A server's messages in English, text compared byte by byte, and nobody in without the
        # password.
        create = ["--encoding=UTF8", "--locale=C", f"--username={USER}", "--auth=scram-sha-256"]
        command = [programs / "initdb", *create, f"--pwfile={folder}/password", "--no-sync", data]
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=False, **account
        )
        assert done.returncode == 0, done.stderr
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        options = (
            "-h 127.0.0.1 -k '' -c fsync=off -c synchronous_commit=off -c full_page_writes=off"
        )
        # The shell ends the server when its own input ends, however these tests end.
        watched = f"'{programs}/postgres' -D '{data}' -p {port} {options} </dev/null & read -r _; kill -QUIT $!; wait $!"
        with open(Path(folder, "log"), "w") as log:
            shell = ["/bin/sh", "-c", watched]
            about: dict[str, Any] = {
                "cwd": folder,
                "stdin": subprocess.PIPE,
                "stdout": log,
                "stderr": log,
            }
            with subprocess.Popen(shell, start_new_session=True, **about, **account) as server:
                try:
                    _wait(Server(port), server, Path(folder, "log"))
                    yield Server(port)
                finally:
                    assert server.stdin is not None
                    server.stdin.close()
                    server.wait(TIMEOUT)


def _missing() -> str | None:
    if _programs() is None:
        return "PostgreSQL is not installed; bash .ci/run installs it"
    if importlib.util.find_spec("psycopg") is None and importlib.util.find_spec("psycopg2") is None:
        return "psycopg is not installed; make setup installs it"
    return None


def _programs() -> Path | None:
    """Where initdb and postgres lie: Debian keeps them off the PATH, a folder for each version."""
    found = shutil.which("initdb")
    folders = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[4])
    )
    places = [Path(found).resolve()] if found else folders
    return places[-1].parent if places else None


def _unprivileged(folder: Path) -> dict[str, Any]:
    """The account for a server, which refuses to run as root; the folder is made its own."""
    if os.getuid() != 0:
        return {}
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    account = known.get("postgres") or known["nobody"]
    os.chown(folder, account.pw_uid, account.pw_gid)
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


def _wait(server: Server, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + TIMEOUT
    while True:
        try:
            rows(server.url("postgres"), "SELECT 1")
            return
        except OperationalError as error:
            if process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(
                    f"PostgreSQL did not start: {error}\n{log.read_text()}"
                ) from None
            time.sleep(0.1)

"""The tables that we create are nbgrader's own."""

from pathlib import Path

import nbgrader  # type: ignore[import-untyped]
import pytest
from alembic.script import ScriptDirectory
from nbgrader.api import Base  # type: ignore[import-untyped]
from sqlalchemy import Dialect, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateTable

from autograder.course.gradebook import database


def parts(table: Table, dialect: Dialect) -> list[str]:
    """The lines of a CREATE TABLE, in an order of their own."""
    statement = str(CreateTable(table).compile(dialect=dialect))
    return sorted(line.strip(" \t,") for line in statement.split("\n"))


@pytest.mark.parametrize("dialect", [sqlite.dialect(), postgresql.dialect()])
def test_every_table_is_created_as_nbgrader_creates_it(dialect):
    ours, theirs = database.METADATA.tables, Base.metadata.tables
    assert set(ours) - set(theirs) == {"alembic_version"}
    for name, table in theirs.items():
        assert parts(ours[name], dialect) == parts(table, dialect)


def test_nbgraders_upgrades_find_the_version_that_they_would_have_left():
    migrations = ScriptDirectory(str(Path(nbgrader.__file__).parent / "alembic"))
    assert migrations.get_current_head() == database.VERSION

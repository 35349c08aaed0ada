"""Fixtures that several test files share, and what happens where there is no browser."""

from tests.browser import browser, pytest_runtest_setup
from tests.courses import built_root, course
from tests.databases import database, postgres

__all__ = ["browser", "built_root", "course", "database", "postgres", "pytest_runtest_setup"]

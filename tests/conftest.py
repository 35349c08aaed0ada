"""Fixtures that several test files share, how many processes share them, and what happens where
there is no browser."""

import gc
import os
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

from autograder.cli import GARBAGE
from autograder.sandbox.cores import ONE_THREAD
from tests.support import shares
from tests.support.browser import browser, pytest_runtest_setup
from tests.support.courses import built_root, course
from tests.support.databases import database, postgres
from tests.support.graders import checked_here, graded_here, kept_parents, parents
from tests.support.rehearsals import forked_rehearsals, started_rehearsals

__all__ = [
    "browser",
    "built_root",
    "checked_here",
    "course",
    "database",
    "forked_rehearsals",
    "graded_here",
    "kept_parents",
    "parents",
    "postgres",
    "pytest_runtest_setup",
    "started_rehearsals",
]

# As commands do it, for what tests start: else NumPy has a thread for each core there, and takes
# twice as long to load.
os.environ.update(ONE_THREAD)

# jsonschema compiles its grammar of addresses for a second when it is imported, and no test is about
# addresses; autograder build does without it, too.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

# As commands do it; the first that a test runs here would.
gc.set_threshold(GARBAGE)

# How long an example takes is no matter: the machine may be busy. How many there are is, and which:
# the same each time.
settings.register_profile("kit", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("kit")


# One process runs a whole file. These take minutes, and begin first: the last one would keep the others
# waiting.
LONG = (
    "solutions/test_every_exercise.py",
    "attacks/test_fuzz.py",
    "attacks/test_class.py",
    "end_to_end/test_semester.py",
    "benchmarks/test_bench.py",
    "nbgrader/test_front_ends.py",
    "engine/test_relating.py",
    "end_to_end/test_offline.py",
    "nbgrader/test_lab.py",
)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the share that SHARE names of the tests, those of long files first, else in order."""
    left_out = shares.take(items, os.environ.get("SHARE") or "1/1")
    config.hook.pytest_deselected(items=left_out)
    items.sort(key=lambda item: not item.path.as_posix().endswith(LONG))


def pytest_collection_finish() -> None:
    """Keep what has been loaded out of every later search for garbage, which some tests ask for."""
    gc.freeze()


@pytest.fixture(autouse=True)
def import_path() -> Iterator[None]:
    """Forget the folders that nbgrader's commands add to the path of imports, each its own: of
    hundreds, every process that is started would search them all."""
    before = sys.path[:]
    yield
    sys.path[:] = before


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One process more than there are cores, for some tests wait for a student who never
    answers."""
    return (os.cpu_count() or 1) + 1

"""The system's Chromium, driven by Playwright: for what only a browser can show."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.requirements import not_here

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SCREENSHOTS = Path(__file__).resolve().parents[2] / "build" / "screenshots"
# As Debian, Ubuntu and Google call it.
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox",  # CI and containers run as root, for whom Chromium has no sandbox; it sees nothing but our pages
    "--disable-gpu",
    # Nothing goes out by itself.
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


TITLES = ("# @title Tools: run this first", "# @title Arrays: run this, too")
"""The first lines of cells of tools."""

MOST_LINES = 10
"""Of tools above the first step."""

LONG = 10_000
"""Characters of a line from which on it is long to VS Code (``LONG_LINE_BOUNDARY``)."""


def wrapped(cell: str) -> bool:
    """Whether VS Code wraps the lines of a cell: more than half of it is in long ones."""
    lengths = [len(line) for line in cell.split("\n")]
    return 2 * sum(length for length in lengths if length >= LONG) > sum(lengths)


def program() -> str | None:
    return next(filter(None, map(shutil.which, NAMES)), None)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Here rather than in the fixture, so that pytest says it once with the number of tests, not
    once for each."""
    if "browser" in getattr(item, "fixturenames", ()) and program() is None:
        not_here("no Chromium: what only a browser can show is left out (apt-get install chromium)")


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless browser: ``opened.new_page(viewport={"width": 390, "height": 844})``.

    While it is open, Playwright's event loop counts as running in this thread: ``asyncio.run`` and
    whatever uses it (nbclient, Jupyter) belongs into a process of its own, or before.
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(
            executable_path=program(), args=list(FLAGS), timeout=300_000
        )
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for one file of tests."""
    with chromium() as opened:
        yield opened

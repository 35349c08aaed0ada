"""JupyterLab as people use it: real servers, and its menus, cells and windows in a real browser."""

import itertools
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, FrameLocator, Locator, Page, expect

from tests.support.browser import SCREENSHOTS
from tests.support.courses import PYTHONPATH

PICTURES = SCREENSHOTS / "lab"
# Jupyter takes seconds for what one expects at once, and several times as long on a busy machine.
PATIENCE = 300
expect.set_options(timeout=PATIENCE * 1000)


@contextmanager
def server(command: list[str], folder: Path, log: Path) -> Iterator[str]:
    """A server of Jupyter's in that folder, with nothing of this machine's Jupyter; the address
    that it prints."""
    private = {
        f"JUPYTER_{name}_DIR": str(log.with_suffix("") / name.lower())
        for name in ("CONFIG", "DATA", "RUNTIME")
    }
    clean = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("JUPYTER", "AUTOGRADER"))
    }
    # As somebody who has not activated the environment.
    clean |= {**private, "PATH": "/usr/bin:/bin", "PYTHONPATH": PYTHONPATH}
    with log.open("w") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", *command, "--no-browser", "--port=0"],
            cwd=folder, env=clean, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
        )  # fmt: skip
    try:
        yield _address(process, log)
    finally:
        # It takes its kernels along.
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        found = re.search(r"http://localhost\S+/lab\?token=\w+", log.read_text())
        if found and _listens(found[0]):
            return found[0]
        time.sleep(0.1)
    raise AssertionError(f"no address from {process.args}: {log.read_text()}")


def _listens(address: str) -> bool:
    """Whether the server answers there already: it says where before it does."""
    there = urlsplit(address)
    try:
        socket.create_connection((there.hostname or "", there.port or 80)).close()
    except OSError:
        return False
    return True


class Lab:
    """JupyterLab in a page of the browser, for ``who``."""

    numbers = itertools.count(1)

    def __init__(self, page: Page, who: str, pictures: Path = PICTURES) -> None:
        self.page, self.who, self.pictures = page, who, pictures

    def want_no_news(self) -> None:
        """Jupyter asks everybody once whether they want its news, over the buttons."""
        self.page.get_by_role("button", name="No", exact=True).click()

    def picture(self, about: str) -> None:
        self.page.screenshot(path=self.pictures / f"{next(self.numbers):02}-{self.who}-{about}.png")

    def menu(self, *labels: str) -> None:
        for label in labels:
            self.page.locator(".lm-MenuBar-itemLabel, .lm-Menu-itemLabel").get_by_text(
                label, exact=True
            ).click()

    def tab(self, name: str) -> None:
        self.page.get_by_role("tab", name=name, exact=True).click()

    @property
    def frame(self) -> FrameLocator:
        """What an extension shows in a page of its own: the formgrader, or an HTML file."""
        return self.page.frame_locator("iframe")

    def cell(self, source: str) -> Locator:
        """The cell of the open notebook with this in its source."""
        return self.page.locator(".jp-Notebook .jp-Cell").filter(
            has=self.page.locator(".jp-InputArea", has_text=source)
        )

    def output(self, source: str) -> Locator:
        return self.cell(source).locator(".jp-Cell-outputWrapper")

    def write(self, source: str, answer: str) -> None:
        """Put the answer in the place of that cell's source, and run it."""
        cell = self.cell(source)
        editor = cell.locator(".cm-content")
        cell.locator(".jp-MarkdownOutput:visible, .cm-content:visible").first.wait_for()
        if cell.locator(".jp-MarkdownOutput").is_visible():
            cell.click()
            self.page.keyboard.press("Enter")
        # Not looked up again: what it is looked up by is about to go.
        field = editor.element_handle()
        field.fill(answer)
        self.page.wait_for_function(
            "([field, line]) => field.textContent.includes(line)",
            arg=[field, answer.splitlines()[-1]],
        )
        field.press("Control+Enter")

    def run(self, source: str, says: str | re.Pattern[str]) -> None:
        """Run that cell, until its output says so."""
        self.cell(source).locator(".cm-content").press("Control+Enter")
        expect(self.output(source)).to_contain_text(says)


@contextmanager
def lab(browser: Browser, address: str, who: str) -> Iterator[Lab]:
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.set_default_timeout(PATIENCE * 1000)
    opened = Lab(page, who)
    try:
        page.goto(address)
        yield opened
    except BaseException:
        opened.picture("when-it-failed")
        raise
    finally:
        page.close()

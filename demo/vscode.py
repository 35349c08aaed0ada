"""What ``make vscode`` runs: every notebook in VS Code's own view of notebooks, in a browser.

VS Code shows every line of every cell. For each notebook the lines of tools above the first step
are counted, and there are pictures of its first screen, of the tools and of the first step.
code-server is VS Code as a server; it is installed into ``build/vscode/``.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page

from autograder.authoring import build
from autograder.base.text import short
from demo.stage import ROOT
from tests.support import browser

CODE_SERVER = "code-server@4.100.3"
"""The last one for Node.js 20."""

HERE = ROOT / "build" / "vscode"
PICTURES = ROOT / "build" / "screenshots" / "vscode"
PACKAGE = HERE / "node_modules" / "code-server"
NATIVE = ("node-pty", "@vscode/spdlog", "@parcel/watcher", "native-watchdog", "kerberos")
"""What is compiled here."""

SETTINGS = {
    "git.enabled": False,
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": False,
    "security.workspace.trust.enabled": False,
}
PATIENCE = 180


def main() -> None:
    """Open all notebooks; stop where something is missing, or one has too many lines."""
    for program, package in (("node", "nodejs"), ("npm", "npm"), ("rg", "ripgrep")):
        if shutil.which(program) is None:
            sys.exit(f"make vscode: no {program}; run apt-get install {package}")
    if browser.program() is None:
        sys.exit("make vscode: no Chromium; run apt-get install chromium")
    install()

    names = build.authored_names(ROOT)
    notebooks = HERE / "notebooks"
    shutil.rmtree(notebooks, ignore_errors=True)
    notebooks.mkdir(parents=True)
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name in names:
        shutil.copy(ROOT / "assignments" / name / f"{name}.ipynb", notebooks)

    lines = {}
    with server(notebooks) as address, browser.chromium() as opened:
        for name in names:
            page = opened.new_page(viewport={"width": 1400, "height": 900})
            page.set_default_timeout(PATIENCE * 1000)
            open_notebook(page, address, name)
            lines[name] = look_at(page, name)
            page.close()
            print(f"{name}: {lines[name]} lines of tools above the first step")
    print(f"pictures: {short(PICTURES)}")
    if max(lines.values()) > browser.MOST_LINES:
        sys.exit(f"make vscode: more than {browser.MOST_LINES} lines of tools above the first step")


def install() -> None:
    """Install code-server, unless it is there; what it would download beside its packages is not
    needed, but for ripgrep, which is this machine's own.
    """
    ready = HERE / ".ready"
    if ready.exists() and ready.read_text() == CODE_SERVER:
        return
    print(f"installing {CODE_SERVER} into {short(HERE)}: 310 MB on disk, some minutes")
    HERE.mkdir(parents=True, exist_ok=True)
    quiet = ("--no-audit", "--no-fund", "--loglevel", "error")
    run("npm", "install", *quiet, "--ignore-scripts", "--prefix", str(HERE), CODE_SERVER, cwd=HERE)
    code = PACKAGE / "lib" / "vscode"
    run("npm", "install", *quiet, "--ignore-scripts", "--omit", "dev", cwd=code)
    programs = code / "node_modules" / "@vscode" / "ripgrep" / "bin"
    programs.mkdir(parents=True, exist_ok=True)
    shutil.copy(str(shutil.which("rg")), programs)
    run("npm", "rebuild", *quiet, *NATIVE, cwd=code)
    run("npm", "install", *quiet, "--ignore-scripts", "--omit", "dev", cwd=code / "extensions")
    run("npm", "rebuild", *quiet, "argon2", cwd=HERE)
    ready.write_text(CODE_SERVER)


def run(*command: str, cwd: Path) -> None:
    """Run an installer, with this machine's headers of Node.js."""
    node = Path(str(shutil.which("node"))).resolve().parents[1]
    own = {"npm_config_yes": "true"}
    if (node / "include" / "node").is_dir():
        own["npm_config_nodedir"] = str(node)
    done = subprocess.run(
        command, cwd=cwd, env={**os.environ, **own}, capture_output=True, text=True
    )
    if done.returncode:
        repair = "run apt-get install build-essential libkrb5-dev, and make vscode again"
        sys.exit(f"make vscode: {' '.join(command)} failed: {done.stderr.strip()[-800:]}\n{repair}")


@contextmanager
def server(folder: Path) -> Iterator[str]:
    """VS Code on this folder, with settings of its own; its address."""
    home, data = HERE / "home", HERE / "data"
    settings = data / "User" / "settings.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(json.dumps(SETTINGS))
    log = HERE / "server.log"
    command = [
        "node", str(PACKAGE / "out" / "node" / "entry.js"), "--auth", "none",
        "--bind-addr", "127.0.0.1:0", "--user-data-dir", str(data),
        "--extensions-dir", str(HERE / "extensions"), "--disable-telemetry",
        "--disable-update-check", "--disable-workspace-trust", str(folder),
    ]  # fmt: skip
    with log.open("w") as out:
        environment = {**os.environ, "HOME": str(home)}
        process = subprocess.Popen(command, env=environment, stdout=out, stderr=subprocess.STDOUT)
    try:
        deadline = time.monotonic() + PATIENCE
        while not (found := re.search(r"listening on (http://[\d.:]+)", log.read_text())):
            if process.poll() is not None or time.monotonic() > deadline:
                sys.exit(f"make vscode: code-server does not start; see {short(log)}")
            time.sleep(0.2)
        yield f"{found[1]}/?folder={folder}"
    finally:
        process.terminate()
        process.wait()


def open_notebook(page: Page, address: str, name: str) -> None:
    """Open a notebook, as somebody does who clicks on it, in the view of notebooks.

    That is ready some time after the list of files; until then there is an editor of text.
    """
    page.goto(address)
    file = page.locator(f'.explorer-folders-view .monaco-list-row[aria-label*="{name}.ipynb"]')
    file.wait_for()
    cells = page.locator(".notebookOverlay .cell-list-container")
    deadline = time.monotonic() + PATIENCE
    while not cells.count():
        if time.monotonic() > deadline:
            sys.exit(
                f"make vscode: {name}.ipynb is shown as text; see {short(HERE / 'server.log')}"
            )
        file.dblclick()
        page.wait_for_timeout(3000)
        if not cells.count():
            page.keyboard.press("Control+F4")
            page.wait_for_timeout(1000)


def look_at(page: Page, name: str) -> int:
    """Scroll to the first step, with pictures on the way, and count lines of tools above it."""
    page.wait_for_timeout(12_000)  # texts are drawn late, in a frame of their own
    page.screenshot(path=PICTURES / f"{name}-top.png")
    page.mouse.move(900, 500)
    lines: dict[str, int] = {}
    for _ in range(200):
        for cell in page.locator(".notebookOverlay .cell-list-container .monaco-editor").all():
            shown = cell.locator(".view-line").all_inner_texts()
            text = [line.replace("\xa0", " ") for line in shown]
            for title in browser.TITLES:
                if any(line.startswith(title) for line in text):
                    if title not in lines:
                        scroll(page)
                        page.screenshot(path=PICTURES / f"{name}-tools.png")
                    lines[title] = max(lines.get(title, 0), len(text))
            if any(line.startswith("# Step 1 of") for line in text):
                scroll(page)
                page.screenshot(path=PICTURES / f"{name}-step.png")
                return sum(lines.values())
        scroll(page)
    sys.exit(f"make vscode: {name}: its first step is not found")


def scroll(page: Page) -> None:
    """A quarter of a screen down: each turn of the wheel is three lines, however far it turns."""
    for _ in range(4):
        page.mouse.wheel(0, 600)
    page.wait_for_timeout(300)


if __name__ == "__main__":
    main()

"""Commands in processes of their own, and what runs below them; for tests that kill."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

SECONDS = 120
"""How long a test waits for what takes a second on a machine that is not busy."""


def start(*arguments: object, cwd: Path, **environment: str) -> subprocess.Popen[str]:
    """Start ``autograder`` as on a terminal: in a process group of its own, which a Ctrl-C there would reach."""
    return subprocess.Popen(
        [sys.executable, "-m", "autograder", *map(str, arguments)],
        cwd=cwd, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "NO_COLOR": "1", **environment}, start_new_session=True,
    )  # fmt: skip


def run(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    with start(*arguments, cwd=cwd) as process:
        out, err = process.communicate(timeout=SECONDS)
    return subprocess.CompletedProcess([], process.returncode, out, err)


def until(true: Callable[[], object], what: str) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + SECONDS
    while not true():
        assert time.monotonic() < deadline, f"never {what}"
        time.sleep(0.005)


def below(process: int) -> Iterator[int]:
    """The processes below one, parents first."""
    for child in children(process):
        yield child
        yield from below(child)


def children(process: int) -> list[int]:
    found: list[int] = []
    for path in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            found += map(int, path.read_text().split())
        except OSError:  # it ends at this moment
            continue
    return found


def command(process: int) -> str:
    """The command line of a process; empty when it has gone or is only waiting to be buried."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def graders(process: int) -> list[int]:
    """The grader processes below one."""
    return [child for child in below(process) if "autograder.graders" in command(child)]

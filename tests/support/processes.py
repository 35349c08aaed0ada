"""Commands in this process, and in processes of their own for tests that kill; and what runs below
those."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from autograder import cli

SECONDS = 900
"""How long a test waits for what takes a second on a machine that is not busy: it ends what would
never end."""


def call(*arguments: object, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run ``autograder`` in this process, as if it were one of its own, which would take a second
    to start."""
    streams = [TextIOWrapper(BytesIO(), encoding="utf-8", write_through=True) for _ in range(2)]
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    code: object = None
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        patch.chdir(cwd)
        # The command itself sets this one.
        patch.setenv("AUTOGRADER_COURSE", os.environ.get("AUTOGRADER_COURSE", ""))
        if not os.environ["AUTOGRADER_COURSE"]:
            patch.delenv("AUTOGRADER_COURSE")
        for name, value in {"NO_COLOR": "1", "COLUMNS": "100", **environment}.items():
            patch.setenv(name, value)
        # As Python begins: what a user would see of warnings stands in the output.
        warnings.resetwarnings()
        for kind in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
            warnings.simplefilter("ignore", kind)
        try:
            with redirect_stdout(streams[0]), redirect_stderr(streams[1]):
                cli.main([*map(str, arguments)])
        except SystemExit as stopped:
            code = stopped.code
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
    out, err = (stream.buffer.getvalue().decode() for stream in streams)  # type: ignore[attr-defined]
    return subprocess.CompletedProcess([*map(str, arguments)], int(code or 0), out, err)


def start(*arguments: object, cwd: Path, **environment: str) -> subprocess.Popen[str]:
    """Start ``autograder`` as on a terminal: in a process group of its own, which a Ctrl-C there
    would reach."""
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
    """The processes that one has started; none of one that has gone."""
    found: list[int] = []
    tasks: list[Path] = []
    with suppress(OSError):  # it ends at this moment
        tasks += Path(f"/proc/{process}/task").iterdir()
    for task in tasks:
        with suppress(OSError):  # or one of its threads does
            found += map(int, (task / "children").read_text().split())
    return found


def command(process: int) -> str:
    """The command line of a process; empty when it has gone or is only waiting to be buried."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def graders(process: int) -> list[int]:
    """The grader processes below one."""
    return [
        child
        for child in below(process)
        if "autograder.course.grading.grader_process" in command(child)
    ]

"""Commands in this process, and in processes of their own for tests that kill; and what runs below
those."""

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
from tests.support.courses import ROOT

SECONDS = 900
"""How long a test waits for what takes a second on a machine that is not busy: it ends what would
never end."""


def call(
    *arguments: object, cwd: Path = ROOT, **environment: str
) -> subprocess.CompletedProcess[str]:
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


def finished(
    *arguments: object, cwd: Path = ROOT, code: int = 0, **environment: str
) -> subprocess.CompletedProcess[str]:
    """What a command has printed that ends as it should."""
    done = call(*arguments, cwd=cwd, **environment)
    assert done.returncode == code, done.stdout + done.stderr
    return done


def call_apart(
    *arguments: object, cwd: Path = ROOT, **environment: str
) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own: for what another Python, or other libraries, make of
    it."""
    return subprocess.run(
        [sys.executable, "-m", "autograder", *map(str, arguments)],
        cwd=cwd, capture_output=True, text=True, timeout=SECONDS, stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "COLUMNS": "100", **environment},
    )  # fmt: skip


def python(code: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Code in a Python of its own, which ends as it should."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=cwd, capture_output=True, text=True, timeout=SECONDS, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def modules(code: str, cwd: Path = ROOT, says: str = "") -> set[str]:
    """What is loaded behind this code, which says something on standard error."""
    done = python(f"{code}\nimport sys; print('\\nloaded:', *sys.modules)", cwd)
    assert says in done.stderr
    return set(done.stdout.splitlines()[-1].removeprefix("loaded: ").split())


def running(*arguments: object) -> str:
    """The code that runs ``autograder``, and goes on."""
    command = [*map(str, arguments)]
    return f"from autograder import cli\ntry: cli.main({command!r})\nexcept SystemExit: pass"


def mistake(done: subprocess.CompletedProcess[str]) -> str:
    """The one line that a mistake gets."""
    assert done.returncode == 2, done
    assert "Traceback" not in done.stderr
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("autograder: ")]
    assert ";" in line, "says no repair"
    return line


def refusal(folder: Path, *arguments: object) -> str:
    """The same, of a command in a folder that says nothing else on standard error."""
    done = call(*arguments, cwd=folder)
    assert len(done.stderr.splitlines()) == 1, done
    return mistake(done)


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


def pytest_process(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    # By name, so that it works where the kit is not installed; not by its entry point once more
    # where it is.
    own = ["-p", "autograder.pytest_plugin", "-p", "no:cacheprovider"]
    with pytest.MonkeyPatch.context() as patch:
        surrounded(patch)
        patch.setenv("PYTHONPATH", str(ROOT))
        return subprocess.run(
            [sys.executable, "-m", "pytest", *own, *map(str, arguments)],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )


def surrounded(patch: pytest.MonkeyPatch) -> None:
    """By an environment that says nothing of the pytest around this one."""
    patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    patch.setenv("PYTEST_ADDOPTS", "")
    patch.setenv("COLUMNS", "200")
    patch.delenv("CI", raising=False)

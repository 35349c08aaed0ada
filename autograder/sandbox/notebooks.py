"""Runs a whole notebook, of an assignment of nbgrader's own, in a sandbox of its own.

Kernel, client and student code are in there together: namespaces without a network, the teacher's
packages to be read, the files beside the notebook, a scratch folder that goes with it. What comes
out are bytes of a stranger.
"""

from __future__ import annotations

import json
import os
import selectors
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from autograder.base.errors import Unusable
from autograder.sandbox import bubblewrap
from autograder.sandbox.cores import ONE_THREAD

SECONDS = 600.0
"""For all cells of a notebook; each has its own time, too, which nbgrader's configuration says."""

MOST_OUTPUT = 64 << 20
"""Bytes of all outputs of a notebook."""

SCRATCH = 256 << 20
"""Bytes that student code may write."""

LIMITS = {
    "RLIMIT_AS": 4 << 30,
    "RLIMIT_FSIZE": 128 << 20,
    "RLIMIT_NOFILE": 512,
    "RLIMIT_NPROC": 256,
    "RLIMIT_CORE": 0,
}
"""For each process in there; the name of a limit is that in Python's ``resource``."""

SYSTEM = ("/usr", "/etc/ld.so.cache", "/etc/localtime", "/etc/fonts", "/etc/ssl/openssl.cnf")
"""What may be read of the system, beside its shared libraries."""


class NotRun(Exception):
    """Why a notebook has no outputs, in one line."""


def require() -> None:
    """See that there is a sandbox.

    Raises:
        Unusable: bubblewrap is not installed, or does not work here.
    """
    repair = "install bubblewrap, or grade with nbgrader autograde, which locks nothing in"
    if shutil.which("bwrap") is None:
        raise Unusable("bwrap", "not installed, and assignments of nbgrader's own need it", repair)
    tried = [*_sandbox(None), "--", "/usr/bin/env", "true"]
    if subprocess.run(tried, check=False, capture_output=True).returncode != 0:
        raise Unusable("bwrap", "does not work on this machine", repair)


def run(
    script: Path,
    notebook: str,
    folder: Path,
    execute: Mapping[str, Any],
    seconds: float = SECONDS,
) -> list[Any]:
    """What each cell of a notebook gave, as the sandbox says.

    Args:
        script: what runs it in there, with Python alone.
        folder: of the files beside it.
        execute: the options of nbgrader's own preprocessor.

    Raises:
        NotRun: it did not come to its end.
    """
    options = {"limits": LIMITS, "execute": dict(execute)}
    python = [sys.executable, "-I", "-B", "-X", "utf8", "/inner_kernel.py", json.dumps(options)]
    command = [*_sandbox(folder), "--ro-bind", str(script), "/inner_kernel.py"]
    command += ["--remount-ro", "/", "--", *python]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        umask=0o022,
        cwd="/",
        env={},
        start_new_session=True,
    )
    try:
        said = _answer(process, notebook.encode(), time.monotonic() + seconds, seconds)
    finally:
        # With it goes its namespace, and every process in there.
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()
    try:
        answer = json.loads(said)
    except (ValueError, RecursionError):
        raise NotRun("the kernel and all around it ended before the last cell") from None
    if not isinstance(answer, dict) or not isinstance(answer.get("cells"), list):
        error = answer.get("error") if isinstance(answer, dict) else ""
        raise NotRun(f"was not executed: {' '.join(str(error).split())[:200]}")
    return list(answer["cells"])


def _answer(
    process: subprocess.Popen[bytes], notebook: bytes, until: float, seconds: float
) -> bytes:
    """All that is said on standard output, within bounds of time and size."""
    assert process.stdin is not None and process.stdout is not None
    try:
        process.stdin.write(notebook)  # the script reads it before anything else
        process.stdin.close()
    except OSError:
        pass  # it has ended, and said nothing
    said = bytearray()
    with selectors.DefaultSelector() as ready:
        ready.register(process.stdout, selectors.EVENT_READ)
        while True:
            if not ready.select(max(0.0, until - time.monotonic())):
                raise NotRun(f"did not end within {seconds:g} s")
            data = os.read(process.stdout.fileno(), 1 << 20)
            if not data:
                return bytes(said)
            said += data
            if len(said) > MOST_OUTPUT:
                raise NotRun(f"its outputs take more than {MOST_OUTPUT >> 20} MB")


def _sandbox(folder: Path | None) -> list[str]:
    program = shutil.which("bwrap") or "bwrap"
    arguments = [program, *bubblewrap.namespaces(), "--die-with-parent", "--new-session"]
    arguments += ["--clearenv", "--as-pid-1"]
    variables = {
        "HOME": "/scratch",
        "TMPDIR": "/tmp",
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "NBGRADER_EXECUTION": "autograde",
        **ONE_THREAD,
    }
    for variable, value in variables.items():
        arguments += ["--setenv", variable, value]
    for name in ("/scratch", "/tmp"):
        arguments += ["--perms", "1777", "--size", str(SCRATCH), "--tmpfs", name]
    for place in _readable():
        for above in reversed(place.parents[:-1]):
            # Else for root alone, and nothing in there stays root.
            arguments += ["--perms", "0755", "--dir", str(above)]
        arguments += ["--ro-bind-try", str(place), str(place)]
    for link in ("/bin", "/lib", "/lib64", "/lib32"):
        if os.path.islink(link):
            arguments += ["--symlink", os.readlink(link), link]
        else:
            arguments += ["--ro-bind-try", link, link]
    arguments += ["--perms", "0755", "--dir", "/dev"]
    for device in ("null", "zero", "random", "urandom"):
        arguments += ["--dev-bind", f"/dev/{device}", f"/dev/{device}"]
    if folder is not None:
        arguments += ["--ro-bind", str(folder), "/given"]
    return arguments


def _readable() -> Iterator[Path]:
    """The system's programs and libraries, Python, and the teacher's packages."""
    places = [Path(name) for name in SYSTEM]
    places += [Path(sys.prefix), Path(sys.base_prefix), Path(sys.executable).resolve().parent]
    places += [Path(name) for name in sys.path if name.endswith("-packages")]
    kept: list[Path] = []
    for place in dict.fromkeys(places):
        if not any(above in place.parents for above in places):
            kept.append(place)
    yield from kept
